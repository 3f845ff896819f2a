/* SPDX-License-Identifier: Apache-2.0 */
/* core/integrate/fixed_step.c - RK4 and semi-implicit Euler on blocks. */
#include "core/integrate/fixed_step.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/plant/state.h"

/* coordinates, velocities and auxiliary states: each is a block as a flat array */
enum { PARTS = 3 };
typedef struct parts {
    double *x[PARTS];
} parts;

typedef struct work {
    size_t n[PARTS]; /* lengths of the arrays */
    size_t every;    /* step over the numbers in use: a single trajectory has no neighbours */
    parts stage;     /* state of the current stage */
    parts rate;      /* its rates */
    parts sum;       /* weighted sum of rates */
} work;

/* relative excess of a step over the requested one: output times are rounded */
static const double step_slack = 1e-9;

double tq_fixed_count(double way, double step)
{
    return fmax(1.0, ceil(way / step * (1.0 - step_slack)));
}

bool tq_time_meets(double t, double stop)
{
    return stop - t <= 8.0 * DBL_EPSILON * fabs(stop);
}

size_t tq_fixed_step_scratch_size(const tq_plant *plant, size_t stride)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    return 3 * (tq_scratch_cost(model->nq * stride, sizeof(double)) +
                tq_scratch_cost(model->nv * stride, sizeof(double)) +
                tq_scratch_cost(tq_plant_n_z(plant) * stride, sizeof(double))) +
           tq_plant_scratch_size(plant, stride);
}

static int take_parts(const work *w, tq_scratch *scratch, parts *ret)
{
    for (unsigned p = 0; p < PARTS; p++) {
        ret->x[p] = tq_scratch_take(scratch, w->n[p], sizeof(double));
        if (ret->x[p] == NULL) {
            return 0;
        }
    }
    return 1;
}

static int take(work *w, const tq_plant *plant, size_t n_sample, size_t stride, tq_scratch *scratch)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    w->every = n_sample == 1 ? stride : 1;
    w->n[0] = model->nq * stride;
    w->n[1] = model->nv * stride;
    w->n[2] = tq_plant_n_z(plant) * stride;
    return take_parts(w, scratch, &w->stage) && take_parts(w, scratch, &w->rate) &&
           take_parts(w, scratch, &w->sum);
}

static tq_status evaluate(const tq_plant *plant, double t, const tq_trajectories *at,
                          const parts *rate, tq_scratch *scratch, tq_error *reterr)
{
    const tq_rates ret = {.q = rate->x[0], .qd = rate->x[1], .z = rate->x[2]};
    return tq_plant_rate(plant, t, at, scratch, &ret, reterr);
}

static parts parts_of(const tq_trajectories *state)
{
    return (parts){.x = {state->q, state->qd, state->z}};
}

/* to = from + h rate */
static void along(size_t n, size_t every, double *to, const double *from, double h,
                  const double *rate)
{
    if (every > 1) {
        for (size_t i = 0; i < n; i += every) {
            to[i] = from[i] + h * rate[i];
        }
        return;
    }
    for (size_t i = 0; i < n; i++) {
        to[i] = from[i] + h * rate[i];
    }
}

/* padding of a single trajectory, which steps do not compute */
static void pad(const work *w, const tq_trajectories *state)
{
    const parts all = {.x = {state->q, state->qd, state->z}};
    for (unsigned p = 0; p < PARTS && w->every > 1; p++) {
        if (w->n[p] > 0) {
            tq_block_pad(all.x[p], w->n[p] / w->every, w->every, 1);
        }
    }
}

static void all_along(const work *w, const parts *to, const parts *from, double h,
                      const parts *rate)
{
    for (unsigned p = 0; p < PARTS; p++) {
        along(w->n[p], w->every, to->x[p], from->x[p], h, rate->x[p]);
    }
}

static tq_status rk4(const tq_plant *plant, double t, double h, const tq_trajectories *state,
                     const work *w, tq_scratch *scratch, tq_error *reterr)
{
    static const double when[4] = {0.0, 0.5, 0.5, 1.0};
    static const double weight[4] = {1.0, 2.0, 2.0, 1.0};
    const parts start = parts_of(state);
    tq_trajectories stage = *state;
    for (unsigned p = 0; p < PARTS; p++) {
        memset(w->sum.x[p], 0, w->n[p] * sizeof(double));
    }
    for (unsigned k = 0; k < 4; k++) {
        if (k > 0) {
            all_along(w, &w->stage, &start, when[k] * h, &w->rate);
            stage.q = w->stage.x[0];
            stage.qd = w->stage.x[1];
            stage.z = w->stage.x[2];
        }
        /* the last stage is evaluated before the end of the step, where an effect may be
         * discontinuous */
        const double at = k < 3 ? t + when[k] * h : nextafter(nextafter(t + h, t), t);
        const tq_status status = evaluate(plant, at, &stage, &w->rate, scratch, reterr);
        if (status != TQ_OK) {
            return status;
        }
        all_along(w, &w->sum, &w->sum, weight[k], &w->rate);
    }
    all_along(w, &start, &start, h / 6.0, &w->sum);
    pad(w, state);
    return tq_plant_project(plant, state, scratch, reterr);
}

static tq_status semi_implicit(const tq_plant *plant, double t, double h,
                               const tq_trajectories *state, const work *w, tq_scratch *scratch,
                               tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const tq_status status = evaluate(plant, t, state, &w->rate, scratch, reterr);
    if (status != TQ_OK) {
        return status;
    }
    along(w->n[1], w->every, state->qd, state->qd, h, w->rate.x[1]);
    along(w->n[2], w->every, state->z, state->z, h, w->rate.x[2]);
    tq_state_rate(model, state->stride, state->stride, state->q, state->qd, w->rate.x[0]);
    along(w->n[0], w->every, state->q, state->q, h, w->rate.x[0]);
    pad(w, state);
    return tq_plant_project(plant, state, scratch, reterr);
}

tq_status tq_fixed_step(const tq_plant *plant, tq_fixed_method method, double t, double h,
                        const tq_trajectories *state, tq_scratch *scratch, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    work w;
    tq_status status = TQ_OK;
    if (!take(&w, plant, state->n_sample, state->stride, scratch)) {
        status = tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                         (double)tq_fixed_step_scratch_size(plant, state->stride));
    } else if (method == TQ_FIXED_RK4) {
        status = rk4(plant, t, h, state, &w, scratch, reterr);
    } else {
        status = semi_implicit(plant, t, h, state, &w, scratch, reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
