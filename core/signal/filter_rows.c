/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/filter_rows.c - the uniform samples of a window, filtered; derivatives that were not
 * recorded. */
#include <math.h>
#include <string.h>

#include "core/signal/differentiate.h"
#include "core/signal/pass_private.h"

static void zero_phase(tq_pass *p, size_t m, size_t n_row, double *rows)
{
    tq_scratch scratch;
    tq_scratch_init(&scratch, p->memory, p->memory_size);
    const size_t settle = tq_filter_settling_length(&p->plan.filter);
    const tq_status status = tq_filter_zero_phase_rows(
        &p->plan.filter, settle < m ? settle : m - 1, m, n_row, rows, p->n_uniform, &scratch, NULL);
    (void)status; /* the shapes are valid and the scratch is large enough */
}

static void smooth(tq_pass *p, unsigned derivative, size_t m, const double *x, double *ret)
{
    const tq_recording_filter *filter = &p->options->filter;
    tq_scratch scratch;
    tq_scratch_init(&scratch, p->memory, p->memory_size);
    const size_t odd = m % 2 == 1 ? m : m - 1;
    const tq_window window = {filter->window < odd ? filter->window : odd, filter->degree,
                              derivative, p->recording->step};
    if (tq_smooth(&window, m, x, ret, &scratch, NULL) != TQ_OK) {
        memcpy(ret, x, m * sizeof *x); /* eight samples and a degree of nine */
    }
}

/* Filters all recorded channels by the same filter. */
static void filter_channels(tq_pass *p, size_t m)
{
    const tq_smoothing kind = p->options->filter.kind;
    if (kind == TQ_SMOOTHING_BUTTERWORTH || kind == TQ_SMOOTHING_FIRST_ORDER) {
        zero_phase(p, m, p->recording->channels.n, p->even);
    }
}

static void smooth_row(tq_pass *p, tq_quantity quantity, size_t r, size_t m)
{
    double *x = tq_pass_channel(p, quantity, r);
    double *copy = p->derived + 2 * p->options->model->nv * p->n_uniform;
    memcpy(copy, x, m * sizeof *x);
    smooth(p, 0, m, copy, x);
}

/* Computes velocity and acceleration if they were not recorded. */
static void derive(tq_pass *p, size_t m)
{
    const size_t nv = p->options->model->nv;
    const tq_smoothing kind = p->options->filter.kind;
    const double h = p->recording->step;
    for (size_t r = 0; r < nv; r++) {
        double *qd = p->derived + r * p->n_uniform;
        double *qdd = p->derived + (nv + r) * p->n_uniform;
        if (kind == TQ_SMOOTHING_SAVITZKY_GOLAY) {
            const double *from =
                tq_pass_has(p, TQ_QUANTITY_QD) ? tq_pass_channel(p, TQ_QUANTITY_QD, r) : NULL;
            if (!tq_pass_has(p, TQ_QUANTITY_QDD)) {
                smooth(p, from != NULL ? 1 : 2, m,
                       from != NULL ? from : tq_pass_channel(p, TQ_QUANTITY_Q, r), qdd);
            }
            if (from == NULL) {
                smooth(p, 1, m, tq_pass_channel(p, TQ_QUANTITY_Q, r), qd);
            }
            continue;
        }
        const double *v =
            tq_pass_has(p, TQ_QUANTITY_QD) ? tq_pass_channel(p, TQ_QUANTITY_QD, r) : qd;
        if (!tq_pass_has(p, TQ_QUANTITY_QD)) {
            tq_difference(m, tq_pass_channel(p, TQ_QUANTITY_Q, r), h, qd);
            if (kind == TQ_SMOOTHING_FIRST_ORDER) {
                zero_phase(p, m, 1, qd); /* 1 / (tau_f s + 1)^2: once for each derivative */
            }
        }
        if (!tq_pass_has(p, TQ_QUANTITY_QDD)) {
            tq_difference(m, v, h, qdd);
        }
    }
}

/* A quaternion filtered component by component is slightly shorter than 1. */
static void renormalise(tq_pass *p, size_t m)
{
    const tq_model *model = p->options->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (!tq_has_quaternion(&model->joints[j])) {
            continue;
        }
        double *x = tq_pass_channel(p, TQ_QUANTITY_Q, tq_quaternion_row(&model->joints[j]));
        for (size_t i = 0; i < m; i++) {
            double square = 0.0;
            for (size_t k = 0; k < 4; k++) {
                square += x[k * p->n_uniform + i] * x[k * p->n_uniform + i];
            }
            const double length = square > 0.0 ? sqrt(square) : 1.0;
            for (size_t k = 0; k < 4; k++) {
                x[k * p->n_uniform + i] /= length;
            }
        }
    }
}

/* The unfiltered acceleration. */
static void find_raw_acceleration(tq_pass *p, size_t m)
{
    const size_t nv = p->options->model->nv;
    const double h = p->recording->step;
    for (size_t r = 0; r < nv; r++) {
        double *a = p->fast + r * p->n_uniform;
        double *v = p->fast + (nv + r) * p->n_uniform;
        if (tq_pass_has(p, TQ_QUANTITY_QDD)) {
            memcpy(a, tq_pass_channel(p, TQ_QUANTITY_QDD, r), m * sizeof *a);
        } else if (tq_pass_has(p, TQ_QUANTITY_QD)) {
            tq_difference(m, tq_pass_channel(p, TQ_QUANTITY_QD, r), h, a);
        } else {
            tq_difference(m, tq_pass_channel(p, TQ_QUANTITY_Q, r), h, v);
            tq_difference(m, v, h, a);
        }
    }
}

/* fast = raw - filtered acceleration, and its derivative. */
static void find_fast(tq_pass *p, size_t m)
{
    const size_t nv = p->options->model->nv;
    for (size_t r = 0; r < nv; r++) {
        double *a = p->fast + r * p->n_uniform;
        const double *filtered = tq_pass_has(p, TQ_QUANTITY_QDD)
                                     ? tq_pass_channel(p, TQ_QUANTITY_QDD, r)
                                     : p->derived + (nv + r) * p->n_uniform;
        for (size_t i = 0; i < m; i++) {
            a[i] -= filtered[i];
        }
        tq_difference(m, a, p->recording->step, p->fast + (nv + r) * p->n_uniform);
    }
}

/* Displacement of each step by the unfiltered velocity (trapezoidal rule), in the rows of a derived
 * velocity. */
static void find_way(tq_pass *p, size_t m)
{
    const double half = 0.5 * p->recording->step;
    for (size_t r = 0; tq_recording_gives_displacement(p->recording) && r < p->options->model->nv;
         r++) {
        const double *v = tq_pass_channel(p, TQ_QUANTITY_QD, r);
        double *way = p->derived + r * p->n_uniform;
        way[0] = 0.0;
        for (size_t i = 1; i < m; i++) {
            way[i] = half * (v[i - 1] + v[i]);
        }
    }
}

static void filter_signals(tq_pass *p, size_t m)
{
    const size_t nq = p->options->model->nq;
    const size_t nv = p->options->model->nv;
    if (p->options->filter.kind != TQ_SMOOTHING_SAVITZKY_GOLAY) {
        filter_channels(p, m);
        derive(p, m);
        renormalise(p, m);
        return;
    }
    derive(p, m); /* from the unfiltered positions: Savitzky-Golay derivatives smooth too */
    for (tq_quantity q = 0; q < TQ_QUANTITIES; q++) {
        for (size_t r = 0; tq_pass_has(p, q) && r < (q == TQ_QUANTITY_Q ? nq : nv); r++) {
            smooth_row(p, q, r, m);
        }
    }
    renormalise(p, m);
}

/* Parallel rows: functions of the unfiltered motion, filtered like torque. */
static void find_parallel(tq_pass *p, uint64_t lowest, size_t m)
{
    double *copy = p->derived + 2 * p->options->model->nv * p->n_uniform;
    const tq_parallel_window window = {
        .lowest = lowest,
        .n = m,
        .stride = p->n_uniform,
        .step = p->recording->step,
        .q = tq_pass_channel(p, TQ_QUANTITY_Q, 0),
        .qd = tq_pass_has(p, TQ_QUANTITY_QD) ? tq_pass_channel(p, TQ_QUANTITY_QD, 0) : p->derived,
        .way = tq_recording_gives_displacement(p->recording) ? p->derived : NULL,
    };
    p->plan.parallel->compute(p->parallel_state, &window, p->parallel);
    if (p->options->filter.kind != TQ_SMOOTHING_SAVITZKY_GOLAY) {
        zero_phase(p, m, p->n_parallel, p->parallel);
        return;
    }
    for (size_t r = 0; r < p->n_parallel; r++) {
        double *row = p->parallel + r * p->n_uniform;
        memcpy(copy, row, m * sizeof *copy);
        smooth(p, 0, m, copy, row);
    }
}

void tq_filter_window(tq_pass *p, uint64_t lowest, size_t m)
{
    const size_t nv = p->options->model->nv;
    if (!tq_pass_has(p, TQ_QUANTITY_TAU)) {
        filter_signals(p, m);
        return;
    }
    for (size_t r = 0; r < nv; r++) {
        memcpy(p->raw_tau + r * p->n_uniform, tq_pass_channel(p, TQ_QUANTITY_TAU, r),
               m * sizeof(double));
    }
    find_raw_acceleration(p, m);
    find_way(p, m);
    filter_signals(p, m);
    find_fast(p, m);
    if (p->n_parallel > 0) {
        find_parallel(p, lowest, m);
    }
}
