/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/own_times.c - trajectories taken out of their block, one after another. */
#include "core/plant/plant_private.h"

#include "core/constraints/constraints.h"

enum { LANE = TQ_BLOCK_PAD }; /* one trajectory, in the smallest block */

/* rows that an effect reads or writes, as a block of one sample */
typedef struct alone {
    double *q, *qd, *z, *held, *tau, *wrench, *qdd, *zd, *multipliers;
    size_t n_q, n_v, n_z, n_held, n_wrench, n_multiplier;
} alone;

static size_t most(const tq_plant *plant, int held)
{
    size_t n = 0;
    for (size_t k = 0; k < plant->n_effect; k++) {
        const tq_effect *effect = &plant->effects[k];
        const size_t here = held ? effect->n_held : effect->n_z;
        n = here > n ? here : n;
    }
    return n;
}

static size_t n_multiplier(const tq_plant *plant)
{
    return plant->constraints != NULL ? plant->constraints->n_row : 0;
}

size_t tq_own_times_scratch_size(const tq_plant *plant)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t n = (size_t)model->nq + 3 * (size_t)model->nv + 6 * plant->n_wrench +
                     2 * most(plant, 0) + most(plant, 1) + n_multiplier(plant);
    return tq_scratch_cost(n * LANE, sizeof(double));
}

static int take(alone *a, const tq_plant *plant, const tq_effect *effect, tq_scratch *scratch)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    a->n_q = model->nq;
    a->n_v = model->nv;
    a->n_z = effect->n_z;
    a->n_held = effect->n_held;
    a->n_wrench = 6 * plant->n_wrench;
    a->n_multiplier = n_multiplier(plant);
    const size_t n = a->n_q + 3 * a->n_v + a->n_wrench + 2 * a->n_z + a->n_held + a->n_multiplier;
    double *x = tq_scratch_take(scratch, n * LANE, sizeof *x);
    if (x == NULL) {
        return 0;
    }
    a->q = x;
    a->qd = a->q + a->n_q * LANE;
    a->tau = a->qd + a->n_v * LANE;
    a->qdd = a->tau + a->n_v * LANE;
    a->wrench = a->qdd + a->n_v * LANE;
    a->z = a->wrench + a->n_wrench * LANE;
    a->zd = a->z + a->n_z * LANE;
    a->held = a->zd + a->n_z * LANE;
    a->multipliers = a->held + a->n_held * LANE;
    return 1;
}

/* copies column i of rows `stride` apart to the first lane, and back */
static void bring(size_t n, double *to, const double *from, size_t stride, size_t i)
{
    for (size_t r = 0; r < n && from != NULL; r++) {
        to[r * LANE] = from[r * stride + i];
    }
}

static void put_back(size_t n, double *to, const double *from, size_t stride, size_t i)
{
    for (size_t r = 0; r < n; r++) {
        to[r * stride + i] = from[r * LANE];
    }
}

static tq_status run_one(const alone *a, const tq_effect *effect, const tq_instant *at, size_t i,
                         tq_scratch *scratch, const tq_action *to, double *ret_zd, tq_error *reterr)
{
    const size_t stride = at->stride;
    bring(a->n_q, a->q, at->q, stride, i);
    bring(a->n_v, a->qd, at->qd, stride, i);
    bring(a->n_z, a->z, at->z, stride, i);
    bring(a->n_held, a->held, at->held, stride, i);
    bring(a->n_v, a->tau, to != NULL ? to->tau : at->tau, stride, i);
    bring(a->n_wrench, a->wrench, to != NULL ? to->wrench : at->wrench, stride, i);
    bring(a->n_v, a->qdd, at->qdd, stride, i);
    bring(a->n_multiplier, a->multipliers, at->multipliers, stride, i);
    bring(a->n_z, a->zd, to != NULL ? to->zd : ret_zd, stride, i);
    tq_instant one = {.t = at->t,
                      .n_sample = 1,
                      .stride = LANE,
                      .q = a->q,
                      .qd = a->qd,
                      .z = a->z,
                      .held = a->held};
    tq_status status = TQ_OK;
    if (to != NULL) {
        const tq_action action = {.tau = a->tau, .wrench = a->wrench, .zd = a->zd};
        status = effect->act(effect->ctx, &one, scratch, &action, reterr);
        put_back(a->n_v, to->tau, a->tau, stride, i);
        put_back(a->n_wrench, to->wrench, a->wrench, stride, i);
        put_back(a->n_z, to->zd, a->zd, stride, i);
    } else {
        one.tau = a->tau;
        one.wrench = a->wrench;
        one.qdd = a->qdd;
        one.multipliers = at->multipliers != NULL ? a->multipliers : NULL;
        status = effect->observe(effect->ctx, &one, scratch, a->zd, reterr);
        put_back(a->n_z, ret_zd, a->zd, stride, i);
    }
    if (status != TQ_OK && reterr != NULL) {
        reterr->index = i;
    }
    return status;
}

tq_status tq_effect_at_own_times(const tq_plant *plant, const tq_effect *effect,
                                 const double *times, const tq_instant *at, tq_scratch *scratch,
                                 const tq_action *to, double *ret_zd, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    alone a;
    if (!take(&a, plant, effect, scratch)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_own_times_scratch_size(plant));
    }
    tq_status status = TQ_OK;
    tq_instant now = *at;
    for (size_t i = 0; i < at->n_sample && status == TQ_OK; i++) {
        now.t = times[i];
        status = run_one(&a, effect, &now, i, scratch, to, ret_zd, reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
