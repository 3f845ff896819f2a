/* SPDX-License-Identifier: Apache-2.0 */
/* core/integrate/embedded_pair.c - stages of a pair, its error estimate, its initial step. */
#include "core/integrate/embedded_pair.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/integrate/ode_table.h"
#include "core/kernels/table.h"

/* Fractions as for single runs (ode_arkode.c): local errors accumulate, and users expect the
 * tolerance to hold for the result. */
const tq_pair tq_pair_dopri45 = {.n_stage = TQ_DOPRI45_STAGES,
                                 .order = 5,
                                 .c = tq_dopri45_c,
                                 .a = tq_dopri45_a,
                                 .b = tq_dopri45_b,
                                 .d = tq_dopri45_d,
                                 .share = 0.1};
const tq_pair tq_pair_dopri87 = {.n_stage = TQ_DOPRI87_STAGES,
                                 .order = 8,
                                 .c = tq_dopri87_c,
                                 .a = tq_dopri87_a,
                                 .b = tq_dopri87_b,
                                 .d = tq_dopri87_d,
                                 .share = 0.01};

enum { STAGES_MAX = TQ_DOPRI87_STAGES, VECTORS = 6 };

typedef struct work {
    const tq_plant *plant;
    const tq_pair_step *step;
    size_t n_q, n_v, n_z, n; /* rows */
    double *stage;           /* (n x stride) state of the current stage */
    double *times;           /* (stride) */
    double *ones;            /* (stride) */
    double *spare;           /* (4 x stride) */
    double *rates[STAGES_MAX];
} work;

static size_t rows_of(const tq_plant *plant)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    return (size_t)model->nq + model->nv + tq_plant_n_z(plant);
}

size_t tq_pair_scratch_size(const tq_plant *plant, const tq_pair *pair, size_t stride)
{
    return tq_scratch_cost((pair->n_stage + 1) * rows_of(plant) * stride, sizeof(double)) +
           tq_scratch_cost(VECTORS * stride, sizeof(double)) + tq_plant_scratch_size(plant, stride);
}

static int take(work *w, const tq_pair *pair, tq_scratch *scratch)
{
    const tq_model *model = tq_mechanism_model(w->plant->mechanism);
    const size_t stride = w->step->stride;
    w->n_q = model->nq;
    w->n_v = model->nv;
    w->n_z = tq_plant_n_z(w->plant);
    w->n = w->n_q + w->n_v + w->n_z;
    assert(pair->n_stage <= STAGES_MAX);
    double *x = tq_scratch_take(scratch, (pair->n_stage + 1) * w->n * stride, sizeof *x);
    w->times = tq_scratch_take(scratch, VECTORS * stride, sizeof *x);
    if (x == NULL || w->times == NULL) {
        return 0;
    }
    w->ones = w->times + stride;
    w->spare = w->ones + stride;
    w->stage = x;
    for (unsigned k = 0; k < pair->n_stage; k++) {
        w->rates[k] = x + (k + 1) * w->n * stride;
    }
    for (size_t i = 0; i < stride; i++) {
        w->ones[i] = 1.0;
    }
    return 1;
}

static tq_trajectories parts_of(const work *w, double *y)
{
    const size_t stride = w->step->stride;
    return (tq_trajectories){.n_sample = w->step->n_sample,
                             .stride = stride,
                             .q = y,
                             .qd = y + w->n_q * stride,
                             .z = y + (w->n_q + w->n_v) * stride,
                             .held = w->step->held,
                             .varied = w->step->varied};
}

/* y is not modified: effects receive a const state */
static tq_status evaluate(const work *w, double c, const double *y, double *rates,
                          tq_scratch *scratch, tq_error *reterr)
{
    const tq_pair_step *s = w->step;
    for (size_t i = 0; i < s->n_sample; i++) {
        const double t = s->t[i] + c * s->h[i];
        w->times[i] = t < s->stop[i] ? t : nextafter(s->stop[i], -(double)INFINITY);
    }
    if (y != w->stage) {
        memcpy(w->stage, y, w->n * s->stride * sizeof *y);
    }
    tq_trajectories at = parts_of(w, w->stage);
    at.times = w->times;
    const tq_trajectories to = parts_of(w, rates);
    const tq_rates ret = {.q = to.q, .qd = to.qd, .z = to.z};
    return tq_plant_rate(w->plant, w->times[0], &at, scratch, &ret, reterr);
}

/* ret = from + factor * sum of the first n rates, weighted */
static void combine(const work *w, unsigned n, const double *weights, const double *from,
                    const double *factor, double *ret)
{
    double some[STAGES_MAX];
    const double *terms[STAGES_MAX];
    tq_kernel_sum sum = {.n_row = (long)w->n,
                         .n_sample = (long)w->step->n_sample,
                         .stride = (long)w->step->stride,
                         .from = from,
                         .factor = factor,
                         .weights = some,
                         .terms = terms};
    for (unsigned k = 0; k < n; k++) {
        if (weights[k] != 0.0) {
            some[sum.n_term] = weights[k];
            terms[sum.n_term++] = w->rates[k];
        }
    }
    tq_kernels_for(w->step->n_sample)->combine(&sum, ret);
}

/* weighted RMS norm of x: sqrt(mean of (x / (share (rtol max(|a|, |b|) + atol)))^2) */
static void norms(const work *w, double share, const double *x, const double *a, const double *b,
                  double *ret)
{
    const tq_pair_step *s = w->step;
    memset(ret, 0, s->stride * sizeof *ret);
    for (size_t r = 0; r < w->n; r++) {
        const size_t row = r * s->stride;
        for (size_t i = 0; i < s->n_sample; i++) {
            const double size = fmax(fabs(a[row + i]), fabs(b[row + i]));
            const double part = x[row + i] / (share * (s->rtol * size + s->atol[r]));
            ret[i] += part * part;
        }
    }
    for (size_t i = 0; i < s->n_sample; i++) {
        ret[i] = sqrt(ret[i] / (double)w->n);
    }
}

static tq_status try_step(work *w, const tq_pair *pair, tq_scratch *scratch, tq_error *reterr)
{
    const tq_pair_step *s = w->step;
    tq_status status = evaluate(w, 0.0, s->y, w->rates[0], scratch, reterr);
    for (unsigned k = 1; k < pair->n_stage && status == TQ_OK; k++) {
        combine(w, k, pair->a + (size_t)k * pair->n_stage, s->y, s->h, w->stage);
        status = evaluate(w, pair->c[k], w->stage, w->rates[k], scratch, reterr);
    }
    if (status != TQ_OK) {
        return status;
    }
    double differ[STAGES_MAX];
    for (unsigned k = 0; k < pair->n_stage; k++) {
        differ[k] = pair->b[k] - pair->d[k];
    }
    combine(w, pair->n_stage, pair->b, s->y, s->h, s->ret_y);
    combine(w, pair->n_stage, differ, NULL, s->h, w->stage);
    norms(w, pair->share, w->stage, s->y, s->ret_y, s->ret_error);
    tq_block_pad(s->ret_y, w->n, s->stride, s->n_sample);
    const tq_trajectories at = parts_of(w, s->ret_y);
    return tq_plant_project(w->plant, &at, scratch, reterr);
}

tq_status tq_pair_try(const tq_plant *plant, const tq_pair *pair, const tq_pair_step *step,
                      tq_scratch *scratch, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    work w = {.plant = plant, .step = step};
    const tq_status status = take(&w, pair, scratch)
                                 ? try_step(&w, pair, scratch, reterr)
                                 : tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                                           (double)tq_pair_scratch_size(plant, pair, step->stride));
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* x^(1/8) or x^(1/4) by square roots, which are correctly rounded: the same bits everywhere */
static double root(unsigned order, double x)
{
    const double fourth = sqrt(sqrt(x));
    return order > 5 ? sqrt(fourth) : fourth;
}

/* initial step by Hairer, Norsett & Wanner, II.4: an Euler step estimates the second derivative */
static tq_status first_steps(work *w, const tq_pair *pair, tq_scratch *scratch, double *ret_h,
                             tq_error *reterr)
{
    const tq_pair_step *s = w->step;
    double *d0 = w->spare, *d1 = d0 + s->stride, *d2 = d1 + s->stride, *h0 = d2 + s->stride;
    tq_status status = evaluate(w, 0.0, s->y, w->rates[0], scratch, reterr);
    if (status != TQ_OK) {
        return status;
    }
    norms(w, pair->share, s->y, s->y, s->y, d0);
    norms(w, pair->share, w->rates[0], s->y, s->y, d1);
    for (size_t i = 0; i < s->n_sample; i++) {
        h0[i] = d0[i] < 1e-5 || d1[i] < 1e-5 ? 1e-6 : fmin(0.01 * d0[i] / d1[i], 1.0);
    }
    tq_block_pad(h0, 1, s->stride, s->n_sample);
    static const double one = 1.0;
    combine(w, 1, &one, s->y, h0, w->stage);
    status = evaluate(w, 0.0, w->stage, w->rates[1], scratch, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const double change[2] = {-1.0, 1.0};
    combine(w, 2, change, NULL, w->ones, w->stage);
    norms(w, pair->share, w->stage, s->y, s->y, d2);
    for (size_t i = 0; i < s->n_sample; i++) {
        const double most = fmax(d1[i], d2[i] / h0[i]);
        const double h1 = most <= 1e-15 ? fmax(1e-6, 1e-3 * h0[i]) : root(pair->order, 0.01 / most);
        ret_h[i] = fmin(1000.0 * h0[i], h1);
    }
    return TQ_OK;
}

tq_status tq_pair_first(const tq_plant *plant, const tq_pair *pair, const tq_pair_step *step,
                        tq_scratch *scratch, double *ret_h, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    work w = {.plant = plant, .step = step};
    const tq_status status = take(&w, pair, scratch)
                                 ? first_steps(&w, pair, scratch, ret_h, reterr)
                                 : tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                                           (double)tq_pair_scratch_size(plant, pair, step->stride));
    tq_scratch_rewind(scratch, mark);
    return status;
}
