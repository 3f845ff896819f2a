/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/filter_rows.c - the even samples of a window, filtered; rates that were not
 * logged. */
#include <math.h>
#include <string.h>

#include "core/signal/pass_private.h"
#include "core/signal/differentiate.h"

static void zero_phase(tqa_recording_pass_state *p, size_t m, size_t n_row, double *rows)
{
    tq_scratch scratch;
    tq_scratch_init(&scratch, p->memory, p->memory_size);
    const size_t settle = tq_filter_settling_length(&p->filter);
    const tq_status status = tq_filter_zero_phase_rows(&p->filter, settle < m ? settle : m - 1, m,
                                                       n_row, rows, p->n_even_room, &scratch, NULL);
    (void)status; /* shapes and room are known to be right */
}

static void smooth(tqa_recording_pass_state *p, unsigned derivative, size_t m, const double *x,
                   double *ret)
{
    const tqa_recording_filter *filter = &p->log->request->filter;
    tq_scratch scratch;
    tq_scratch_init(&scratch, p->memory, p->memory_size);
    const size_t odd = m % 2 == 1 ? m : m - 1;
    const tq_window window = {filter->window < odd ? filter->window : odd, filter->degree,
                              derivative, p->log->step};
    if (tq_smooth(&window, m, x, ret, &scratch, NULL) != TQ_OK) {
        memcpy(ret, x, m * sizeof *x); /* eight samples and a degree of nine */
    }
}

/* All channels that were logged, by the same filter. */
static void filter_channels(tqa_recording_pass_state *p, size_t m)
{
    const tqa_recording_filter_kind kind = p->log->request->filter.kind;
    if (kind == TQA_RECORDING_BUTTERWORTH || kind == TQA_RECORDING_FIRST_ORDER) {
        zero_phase(p, m, p->log->n_channel, p->even);
    }
}

static void smooth_row(tqa_recording_pass_state *p, tqa_recording_quantity quantity, size_t r,
                       size_t m)
{
    double *x = tqa_resample_channel(p, quantity, r);
    double *copy = p->derived + 2 * p->log->request->order->nv * p->n_even_room;
    memcpy(copy, x, m * sizeof *x);
    smooth(p, 0, m, copy, x);
}

/* Velocity and acceleration where they were not logged. */
static void derive(tqa_recording_pass_state *p, size_t m)
{
    const size_t nv = p->log->request->order->nv;
    const tqa_recording_filter_kind kind = p->log->request->filter.kind;
    const double h = p->log->step;
    for (size_t r = 0; r < nv; r++) {
        double *qd = p->derived + r * p->n_even_room;
        double *qdd = p->derived + (nv + r) * p->n_even_room;
        if (kind == TQA_RECORDING_SAVITZKY_GOLAY) {
            const double *from = tqa_resample_has(p, TQA_RECORDING_QD)
                                     ? tqa_resample_channel(p, TQA_RECORDING_QD, r)
                                     : NULL;
            if (!tqa_resample_has(p, TQA_RECORDING_QDD)) {
                smooth(p, from != NULL ? 1 : 2, m,
                       from != NULL ? from : tqa_resample_channel(p, TQA_RECORDING_Q, r), qdd);
            }
            if (from == NULL) {
                smooth(p, 1, m, tqa_resample_channel(p, TQA_RECORDING_Q, r), qd);
            }
            continue;
        }
        const double *v = tqa_resample_has(p, TQA_RECORDING_QD)
                              ? tqa_resample_channel(p, TQA_RECORDING_QD, r)
                              : qd;
        if (!tqa_resample_has(p, TQA_RECORDING_QD)) {
            tq_difference(m, tqa_resample_channel(p, TQA_RECORDING_Q, r), h, qd);
            if (kind == TQA_RECORDING_FIRST_ORDER) {
                zero_phase(p, m, 1, qd); /* the notes' filter, once for each derivative */
            }
        }
        if (!tqa_resample_has(p, TQA_RECORDING_QDD)) {
            tq_difference(m, v, h, qdd);
        }
    }
}

/* filtered component by component, a quaternion turns as it should and gets a little short */
static void renormalise(tqa_recording_pass_state *p, size_t m)
{
    const tq_model *model = p->log->request->control->robot->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (!tqa_recording_has_quaternion(&model->joints[j])) {
            continue;
        }
        double *x =
            tqa_resample_channel(p, TQA_RECORDING_Q, tqa_recording_quaternion(&model->joints[j]));
        for (size_t i = 0; i < m; i++) {
            double square = 0.0;
            for (size_t k = 0; k < 4; k++) {
                square += x[k * p->n_even_room + i] * x[k * p->n_even_room + i];
            }
            const double length = square > 0.0 ? sqrt(square) : 1.0;
            for (size_t k = 0; k < 4; k++) {
                x[k * p->n_even_room + i] /= length;
            }
        }
    }
}

/* The acceleration before anything is filtered. */
static void find_raw_acceleration(tqa_recording_pass_state *p, size_t m)
{
    const size_t nv = p->log->request->order->nv;
    const double h = p->log->step;
    for (size_t r = 0; r < nv; r++) {
        double *a = p->fast + r * p->n_even_room;
        double *v = p->fast + (nv + r) * p->n_even_room;
        if (tqa_resample_has(p, TQA_RECORDING_QDD)) {
            memcpy(a, tqa_resample_channel(p, TQA_RECORDING_QDD, r), m * sizeof *a);
        } else if (tqa_resample_has(p, TQA_RECORDING_QD)) {
            tq_difference(m, tqa_resample_channel(p, TQA_RECORDING_QD, r), h, a);
        } else {
            tq_difference(m, tqa_resample_channel(p, TQA_RECORDING_Q, r), h, v);
            tq_difference(m, v, h, a);
        }
    }
}

/* What the filter has taken off it, and the rate of that. */
static void find_fast(tqa_recording_pass_state *p, size_t m)
{
    const size_t nv = p->log->request->order->nv;
    for (size_t r = 0; r < nv; r++) {
        double *a = p->fast + r * p->n_even_room;
        const double *filtered = tqa_resample_has(p, TQA_RECORDING_QDD)
                                     ? tqa_resample_channel(p, TQA_RECORDING_QDD, r)
                                     : p->derived + (nv + r) * p->n_even_room;
        for (size_t i = 0; i < m; i++) {
            a[i] -= filtered[i];
        }
        tq_difference(m, a, p->log->step, p->fast + (nv + r) * p->n_even_room);
    }
}

/* Velocity before anything is filtered: the way of each step, in place of a velocity to derive. */
static void find_way(tqa_recording_pass_state *p, size_t m)
{
    const double half = 0.5 * p->log->step;
    for (size_t r = 0; tqa_recording_gives_displacement(p->log) && r < p->log->request->order->nv;
         r++) {
        const double *v = tqa_resample_channel(p, TQA_RECORDING_QD, r);
        double *way = p->derived + r * p->n_even_room;
        way[0] = 0.0;
        for (size_t i = 1; i < m; i++) {
            way[i] = half * (v[i - 1] + v[i]);
        }
    }
}

static void filter_signals(tqa_recording_pass_state *p, size_t m)
{
    const size_t nq = p->log->request->order->nq;
    const size_t nv = p->log->request->order->nv;
    if (p->log->request->filter.kind != TQA_RECORDING_SAVITZKY_GOLAY) {
        filter_channels(p, m);
        derive(p, m);
        renormalise(p, m);
        return;
    }
    derive(p, m); /* from the positions as they were: a derivative smooths as well */
    for (tqa_recording_quantity q = 0; q < TQA_RECORDING_TIME; q++) {
        for (size_t r = 0; tqa_resample_has(p, q) && r < (q == TQA_RECORDING_Q ? nq : nv); r++) {
            smooth_row(p, q, r, m);
        }
    }
    renormalise(p, m);
}

/* Friction's shapes, filtered as torque is. */
static void find_shapes(tqa_recording_pass_state *p, uint64_t lowest, size_t m)
{
    double *copy = p->derived + 2 * p->log->request->order->nv * p->n_even_room;
    const double *way = tqa_recording_gives_displacement(p->log) ? p->derived : NULL;
    const double *qd = tqa_resample_has(p, TQA_RECORDING_QD)
                           ? tqa_resample_channel(p, TQA_RECORDING_QD, 0)
                           : p->derived;
    tqa_friction_rows_find(&p->shapes, lowest, m, p->log->step,
                           tqa_resample_channel(p, TQA_RECORDING_Q, 0), qd, way);
    if (p->log->request->filter.kind != TQA_RECORDING_SAVITZKY_GOLAY) {
        zero_phase(p, m, p->shapes.n, p->shapes.rows);
        return;
    }
    for (size_t r = 0; r < p->shapes.n; r++) {
        double *shape = p->shapes.rows + r * p->n_even_room;
        memcpy(copy, shape, m * sizeof *copy);
        smooth(p, 0, m, copy, shape);
    }
}

void tqa_resample_filter_rows(tqa_recording_pass_state *p, uint64_t lowest, size_t m)
{
    const size_t nv = p->log->request->order->nv;
    if (!tqa_resample_has(p, TQA_RECORDING_TAU)) {
        filter_signals(p, m);
        return;
    }
    for (size_t r = 0; r < nv; r++) {
        memcpy(p->raw_tau + r * p->n_even_room, tqa_resample_channel(p, TQA_RECORDING_TAU, r),
               m * sizeof(double));
    }
    find_raw_acceleration(p, m);
    find_way(p, m);
    filter_signals(p, m);
    find_fast(p, m);
    if (p->shapes.n > 0) {
        find_shapes(p, lowest, m);
    }
}
