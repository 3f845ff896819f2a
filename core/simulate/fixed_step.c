/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/fixed_step.c - RK4 and semi-implicit Euler on blocks. */
#include "core/simulate/fixed_step.h"

#include <math.h>
#include <string.h>

#include "core/simulate/state.h"

/* rows of a block as one run of numbers */
typedef struct work {
    size_t n_q, n_v; /* numbers of a block of coordinates, of velocities */
    double *tau;
    double *q, *qd;         /* where a stage looks */
    double *rate, *qdd;     /* what it finds */
    double *sum_q, *sum_qd; /* weighted */
} work;

size_t tq_fixed_step_scratch_size(const tq_mechanism *mechanism, size_t stride)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    return 3 * tq_scratch_cost(model->nq * stride, sizeof(double)) +
           4 * tq_scratch_cost(model->nv * stride, sizeof(double)) +
           tq_forward_scratch_size(mechanism, 0);
}

static int take(work *w, const tq_model *model, size_t stride, tq_scratch *scratch)
{
    w->n_q = model->nq * stride;
    w->n_v = model->nv * stride;
    w->tau = tq_scratch_take(scratch, w->n_v, sizeof(double));
    w->q = tq_scratch_take(scratch, w->n_q, sizeof(double));
    w->qd = tq_scratch_take(scratch, w->n_v, sizeof(double));
    w->rate = tq_scratch_take(scratch, w->n_q, sizeof(double));
    w->qdd = tq_scratch_take(scratch, w->n_v, sizeof(double));
    w->sum_q = tq_scratch_take(scratch, w->n_q, sizeof(double));
    w->sum_qd = tq_scratch_take(scratch, w->n_v, sizeof(double));
    return w->tau != NULL && w->q != NULL && w->qd != NULL && w->rate != NULL && w->qdd != NULL &&
           w->sum_q != NULL && w->sum_qd != NULL;
}

/* rate and qdd at time t and state */
static tq_status evaluate(const tq_plant *plant, double t, const tq_trajectories *at, work *w,
                          tq_scratch *scratch, tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    if (plant->torque != NULL) {
        plant->torque(plant->torque_ctx, t, at->n_sample, at->stride, at->q, at->qd, w->tau);
        tq_block_pad(w->tau, model->nv, at->stride, at->n_sample);
    } else {
        memset(w->tau, 0, w->n_v * sizeof(double));
    }
    const tq_forward_input in = {.n_sample = at->n_sample,
                                 .stride = at->stride,
                                 .q = at->q,
                                 .qd = at->qd,
                                 .tau = w->tau,
                                 .gravity = plant->gravity,
                                 .without = plant->without};
    const tq_status status = tq_forward_dynamics(plant->mechanism, &in, scratch, w->qdd, reterr);
    if (status == TQ_OK) {
        tq_state_rate(model, at->stride, at->stride, at->q, at->qd, w->rate);
    }
    return status;
}

/* to = from + h rate */
static void along(size_t n, double *to, const double *from, double h, const double *rate)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = fma(h, rate[i], from[i]);
    }
}

static tq_status rk4(const tq_plant *plant, double t, double h, const tq_trajectories *state,
                     work *w, tq_scratch *scratch, tq_error *reterr)
{
    static const double when[4] = {0.0, 0.5, 0.5, 1.0};
    static const double weight[4] = {1.0, 2.0, 2.0, 1.0};
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const tq_trajectories stage = {state->n_sample, state->stride, w->q, w->qd};
    memcpy(w->q, state->q, w->n_q * sizeof(double));
    memcpy(w->qd, state->qd, w->n_v * sizeof(double));
    memset(w->sum_q, 0, w->n_q * sizeof(double));
    memset(w->sum_qd, 0, w->n_v * sizeof(double));
    for (unsigned k = 0; k < 4; k++) {
        if (k > 0) {
            along(w->n_q, w->q, state->q, when[k] * h, w->rate);
            along(w->n_v, w->qd, state->qd, when[k] * h, w->qdd);
            /* a stage is off the sphere by its error; the dynamics want it on */
            tq_state_normalise(model, state->stride, state->stride, w->q);
        }
        const tq_status status = evaluate(plant, t + when[k] * h, &stage, w, scratch, reterr);
        if (status != TQ_OK) {
            return status;
        }
        along(w->n_q, w->sum_q, w->sum_q, weight[k], w->rate);
        along(w->n_v, w->sum_qd, w->sum_qd, weight[k], w->qdd);
    }
    along(w->n_q, state->q, state->q, h / 6.0, w->sum_q);
    along(w->n_v, state->qd, state->qd, h / 6.0, w->sum_qd);
    tq_state_normalise(model, state->stride, state->stride, state->q);
    return TQ_OK;
}

static tq_status semi_implicit(const tq_plant *plant, double t, double h,
                               const tq_trajectories *state, work *w, tq_scratch *scratch,
                               tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const tq_status status = evaluate(plant, t, state, w, scratch, reterr);
    if (status != TQ_OK) {
        return status;
    }
    along(w->n_v, state->qd, state->qd, h, w->qdd);
    tq_state_rate(model, state->stride, state->stride, state->q, state->qd, w->rate);
    along(w->n_q, state->q, state->q, h, w->rate);
    tq_state_normalise(model, state->stride, state->stride, state->q);
    return TQ_OK;
}

tq_status tq_fixed_step(const tq_plant *plant, tq_fixed_method method, double t, double h,
                        const tq_trajectories *state, tq_scratch *scratch, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    work w;
    tq_status status = TQ_OK;
    if (!take(&w, model, state->stride, scratch)) {
        status = tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                         (double)tq_fixed_step_scratch_size(plant->mechanism, state->stride));
    } else if (method == TQ_FIXED_RK4) {
        status = rk4(plant, t, h, state, &w, scratch, reterr);
    } else {
        status = semi_implicit(plant, t, h, state, &w, scratch, reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
