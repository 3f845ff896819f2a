/* SPDX-License-Identifier: Apache-2.0 */
/* core/ensemble/start.c - initial states of members, each projected onto the constraints. */
#include <math.h>

#include "core/ensemble/ensemble_private.h"

enum { LANE = TQ_BLOCK_PAD };

size_t tq_members_start_scratch_size(const tq_plant *plant)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    return tq_scratch_cost(((size_t)model->nq + model->nv) * LANE, sizeof(double)) +
           tq_plant_scratch_size(plant, LANE);
}

static tq_status project_start(const tq_plant *plant, const tq_members *m, size_t i, double *x,
                               tq_scratch *scratch, tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t nq = model->nq, nv = model->nv;
    for (size_t r = 0; r < nq + nv; r++) {
        const double *from = r < nq ? m->q + r * m->stride + i : m->qd + (r - nq) * m->stride + i;
        for (size_t k = 0; k < LANE; k++) {
            x[r * LANE + k] = *from;
        }
    }
    const tq_trajectories at = {.n_sample = 1, .stride = LANE, .q = x, .qd = x + nq * LANE};
    const tq_status status = tq_plant_project(plant, &at, scratch, reterr);
    for (size_t r = 0; r < nq + nv && status == TQ_OK; r++) {
        double *to = r < nq ? m->q + r * m->stride + i : m->qd + (r - nq) * m->stride + i;
        *to = x[r * LANE];
    }
    return status;
}

tq_status tq_members_start(const tq_ensemble *ensemble, const tq_members *members,
                           tq_scratch *scratch, tq_error *reterr)
{
    const tq_plant *plant = ensemble->plant;
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t mark = tq_scratch_mark(scratch);
    for (size_t i = 0; i < members->n_member; i++) {
        members->ret_ended[i] = (double)INFINITY;
        members->ret_end[i] = (double)TQ_RUN_GOES_ON;
    }
    if (plant->constraints == NULL) {
        return TQ_OK;
    }
    double *x = tq_scratch_take(scratch, ((size_t)model->nq + model->nv) * LANE, sizeof *x);
    tq_status status = x != NULL ? TQ_OK
                                 : tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                                           (double)tq_members_start_scratch_size(plant));
    for (size_t i = 0; i < members->n_member && status == TQ_OK; i++) {
        const tq_status here = project_start(plant, members, i, x, scratch, reterr);
        if (here == TQ_ERR_SCRATCH || here == TQ_ERR_STOPPED) {
            status = here;
        } else if (here != TQ_OK) {
            members->ret_ended[i] = ensemble->times[0];
            members->ret_end[i] = (double)TQ_RUN_REFUSED;
        }
    }
    tq_scratch_rewind(scratch, mark);
    tq_block_pad(members->q, model->nq, members->stride, members->n_member);
    tq_block_pad(members->qd, model->nv, members->stride, members->n_member);
    return status;
}
