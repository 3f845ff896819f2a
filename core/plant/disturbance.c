/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/disturbance.c - pulses, sines, noise and tables as effects. */
#include "core/plant/disturbance.h"

#include <math.h>

#include "core/elementary/elementary.h"
#include "core/plant/noise.h"
#include "core/plant/torque_table.h"

static size_t rows_of(const tq_disturbance *d)
{
    return d->is_wrench ? 6 : tq_mechanism_model(d->mechanism)->nv;
}

static double *place_of(const tq_disturbance *d, const tq_instant *at, const tq_action *to)
{
    return d->is_wrench ? to->wrench + 6 * d->place * at->stride : to->tau;
}

/* x on the rows of all samples */
static void add_row(double *rows, size_t r, double x, const tq_instant *at)
{
    for (size_t i = 0; i < at->n_sample; i++) {
        rows[r * at->stride + i] += x;
    }
}

static tq_status act_signal(void *ctx, const tq_instant *at, tq_scratch *scratch,
                            const tq_action *to, tq_error *reterr)
{
    (void)scratch;
    (void)reterr;
    const tq_disturbance *d = ctx;
    const double since = at->t - d->start;
    double x = since >= 0.0 && at->t < d->start + d->duration ? 1.0 : 0.0;
    if (d->signal == TQ_SIGNAL_SINE) {
        x *= tq_sin(2.0 * M_PI * d->frequency * since + d->phase);
    }
    for (size_t r = 0; r < rows_of(d); r++) {
        add_row(place_of(d, at, to), r, x * d->size[r], at);
    }
    return TQ_OK;
}

static double signal_break(void *ctx, double t, unsigned *ret_order)
{
    const tq_disturbance *d = ctx;
    *ret_order = 0;
    return t < d->start                 ? d->start
           : t < d->start + d->duration ? d->start + d->duration
                                        : (double)INFINITY;
}

static tq_status act_table(void *ctx, const tq_instant *at, tq_scratch *scratch,
                           const tq_action *to, tq_error *reterr)
{
    const tq_disturbance *d = ctx;
    const size_t n = rows_of(d);
    const size_t mark = tq_scratch_mark(scratch);
    double *x = tq_scratch_take(scratch, n, sizeof *x);
    if (x == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_scratch_cost(n, sizeof *x));
    }
    tq_table_at(d->table, at->t, x, 1);
    for (size_t r = 0; r < n; r++) {
        add_row(place_of(d, at, to), r, x[r], at);
    }
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

static double table_break(void *ctx, double t, unsigned *ret_order)
{
    const tq_disturbance *d = ctx;
    return tq_table_next_break(d->table, t, ret_order);
}

/* index of the interval that begins at a time: samples come at its multiples, up to rounding */
static uint64_t stretch_at(double t, double interval)
{
    return (uint64_t)fmax(0.0, floor(t / interval + 0.5));
}

static tq_status draw(void *ctx, const tq_instant *at, tq_scratch *scratch, double *ret_held,
                      tq_error *reterr)
{
    (void)scratch;
    (void)reterr;
    const tq_disturbance *d = ctx;
    const uint64_t k = stretch_at(at->t, d->interval);
    for (size_t r = 0; r < rows_of(d); r++) {
        const double x = d->size[r] * tq_noise_normal(d->seed, r, k);
        for (size_t i = 0; i < at->n_sample; i++) {
            ret_held[r * at->stride + i] = x;
        }
    }
    return TQ_OK;
}

static tq_status act_noise(void *ctx, const tq_instant *at, tq_scratch *scratch,
                           const tq_action *to, tq_error *reterr)
{
    (void)scratch;
    (void)reterr;
    const tq_disturbance *d = ctx;
    double *rows = place_of(d, at, to);
    for (size_t r = 0; r < rows_of(d); r++) {
        for (size_t i = 0; i < at->n_sample; i++) {
            rows[r * at->stride + i] += at->held[r * at->stride + i];
        }
    }
    return TQ_OK;
}

tq_status tq_disturbance_effect(tq_disturbance *disturbance, tq_effect *ret_effect,
                                tq_error *reterr)
{
    tq_disturbance *d = disturbance;
    switch (d->signal) {
    case TQ_SIGNAL_SINE:
    case TQ_SIGNAL_PULSE:
        if (d->signal == TQ_SIGNAL_SINE && !(d->frequency > 0.0)) {
            return tq_fail(reterr, TQ_ERR_RANGE, "frequency", 0, d->frequency);
        }
        if (!(d->duration > 0.0)) {
            return tq_fail(reterr, TQ_ERR_RANGE, "duration", 0, d->duration);
        }
        *ret_effect = (tq_effect){.ctx = d, .act = act_signal, .next_break = signal_break};
        return TQ_OK;
    case TQ_SIGNAL_NOISE:
        if (!(d->interval > 0.0)) {
            return tq_fail(reterr, TQ_ERR_RANGE, "interval", 0, d->interval);
        }
        *ret_effect = (tq_effect){.ctx = d,
                                  .n_held = rows_of(d),
                                  .sample_time = d->interval,
                                  .act = act_noise,
                                  .sample = draw};
        return TQ_OK;
    case TQ_SIGNAL_TABLE:
        break;
    }
    if (d->table->points.n_coordinate != rows_of(d)) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "table", 0, (double)d->table->points.n_coordinate);
    }
    *ret_effect = (tq_effect){.ctx = d,
                              .scratch_size = tq_scratch_cost(rows_of(d), sizeof(double)),
                              .act = act_table,
                              .next_break = table_break};
    return TQ_OK;
}
