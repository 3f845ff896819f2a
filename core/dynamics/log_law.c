/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/log_law.c - friction with a memory, friction by load, inertia above a cut-off. */
#include "core/dynamics/log_law.h"

#include <math.h>
#include <string.h>

#include "core/dynamics/block.h"
#include "core/dynamics/terms.h"
#include "core/elementary/elementary.h"
#include "core/model/layout.h"

static const double forgets = 40.0;          /* exp(-x) is below eps relative to 1 */
static const double least_presliding = 1e-9; /* rad or m */

double tq_dahl_state(double slip, double creep, double last)
{
    const double pull = fabs(slip) + creep;
    if (pull > forgets) {
        return slip / pull;
    }
    if (pull > 0.0) {
        const double at_last = slip / pull;
        return at_last + (last - at_last) * tq_exp(-pull);
    }
    return last;
}

/* A mimic joint turns with its master, whose row has its friction. */
static bool has_law(const tq_joint *joint)
{
    return joint->log_law.is_there && joint->nv == 1;
}

const tq_log_law *tq_first_log_law(const tq_model *model)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (has_law(&model->joints[j])) {
            return &model->joints[j].log_law;
        }
    }
    return NULL;
}

void tq_log_law_begin(const tq_model *model, double *state)
{
    for (uint32_t r = 0; r < 2 * model->nv; r++) {
        state[r] = (double)NAN; /* coordinate and s of the last sample: there is none */
    }
}

static double sign_of(const tq_friction *friction, double qd)
{
    return friction->smoothing > 0.0 ? tq_tanh(qd / friction->smoothing)
                                     : (double)(qd > 0.0) - (double)(qd < 0.0);
}

/* s of each sample into `ret` */
static void signs_of(const tq_joint *joint, const tq_log_motion *in, double *state, double *ret)
{
    const tq_log_law *law = &joint->log_law;
    const double *q = in->q + (size_t)joint->q_index * in->stride;
    const double *qd = in->qd + (size_t)joint->v_index * in->stride;
    const double *way = in->way != NULL ? in->way + (size_t)joint->v_index * in->stride : NULL;
    const double creep = law->relaxation > 0.0 ? in->period / law->relaxation : 0.0;
    for (size_t i = 0; i < in->n_sample; i++) {
        if (!(law->presliding >= least_presliding) || isnan(state[1])) {
            ret[i] = sign_of(&law->friction, qd[i]);
        } else {
            const double step = way != NULL ? way[i] : q[i] - state[0];
            ret[i] = tq_dahl_state(step / law->presliding, creep, state[1]);
        }
        state[0] = q[i];
        state[1] = ret[i];
    }
}

void tq_log_law_compute(const tq_mechanism *mechanism, const tq_log_motion *in, double *state,
                        double *ret_rows)
{
    const tq_model *model = &mechanism->model;
    const size_t nv = model->nv;
    if (in->begins) {
        tq_log_law_begin(model, state);
    }
    memset(ret_rows, 0, 2 * nv * in->stride * sizeof *ret_rows);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (!has_law(joint)) {
            continue;
        }
        const tq_log_law *law = &joint->log_law;
        const tq_friction *f = &law->friction;
        const size_t r = joint->v_index;
        const double *qd = in->qd + r * in->stride;
        const double *a = in->fast != NULL ? in->fast + r * in->stride : NULL;
        double *beside = ret_rows + r * in->stride;
        double *by_load = ret_rows + (nv + r) * in->stride;
        signs_of(joint, in, state + 2 * r, by_load);
        for (size_t i = 0; i < in->n_sample; i++) {
            double dry = f->coulomb;
            if (f->stribeck_velocity > 0.0) {
                const double x = qd[i] / f->stribeck_velocity;
                dry += (f->breakaway - f->coulomb) * tq_exp(-(x * x));
            }
            beside[i] = f->viscous * qd[i] + f->offset + dry * by_load[i] -
                        tq_friction_effort(&joint->friction, qd[i]);
            if (a != NULL) {
                beside[i] += law->inertia * a[i] + law->jerk * a[nv * in->stride + i];
            }
            by_load[i] *= law->load;
        }
    }
}

size_t tq_log_law_scratch_size(const tq_mechanism *mechanism, size_t stride)
{
    return tq_scratch_cost(mechanism->model.nv * stride, sizeof(double));
}

tq_status tq_log_law_add(const tq_mechanism *mechanism, const tq_inverse_input *in,
                         const double *rows, tq_scratch *scratch, double *tau, tq_error *reterr)
{
    const size_t n = in->n_sample, stride = in->stride, nv = mechanism->model.nv;
    const size_t mark = tq_scratch_mark(scratch);
    double *bodies = tq_scratch_take(scratch, nv * stride, sizeof *bodies);
    if (bodies == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_log_law_scratch_size(mechanism, stride));
    }
    memcpy(bodies, tau, nv * stride * sizeof *bodies);
    if ((in->without & TQ_WITHOUT_ROTOR) == 0) {
        const double *qd = (in->without & TQ_WITHOUT_VELOCITY) != 0 ? NULL : in->qd;
        tq_add_rotors(mechanism, n, stride, qd, in->qdd, -1.0, bodies);
    }
    if ((in->without & TQ_WITHOUT_FRICTION) == 0) {
        tq_add_friction(mechanism, n, stride, in->q, in->qd, -1.0, bodies);
    }
    if ((in->without & TQ_WITHOUT_SPRING) == 0) {
        tq_add_springs(mechanism, n, stride, in->q, -1.0, bodies);
    }
    for (size_t r = 0; r < nv; r++) {
        const double *beside = rows + r * stride;
        const double *by_load = rows + (nv + r) * stride;
        for (size_t i = 0; i < n; i++) {
            tau[r * stride + i] += beside[i] + by_load[i] * fabs(bodies[r * stride + i]);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return tq_check_result("tau", nv, n, stride, tau, reterr);
}
