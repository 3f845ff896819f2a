/* SPDX-License-Identifier: Apache-2.0 */
/* core/calibrate/filter.c - low-pass filters without delay, as second-order sections. */
#include "core/calibrate/filter.h"

#include <assert.h>
#include <math.h>

static const double pi = 3.14159265358979323846;

/* one analog section w^2 / (s^2 + 2 d w s + w^2), and w / (s + w), at s = (1 - z^-1) / (1 + z^-1)
 */
static void second_order(double w, double d, double b[3], double a[2])
{
    const double scale = 1.0 / (1.0 + 2.0 * d * w + w * w);
    b[0] = b[2] = w * w * scale;
    b[1] = 2.0 * b[0];
    a[0] = 2.0 * (w * w - 1.0) * scale;
    a[1] = (1.0 - 2.0 * d * w + w * w) * scale;
}

static void first_order(double w, double b[3], double a[2])
{
    b[0] = b[1] = w / (1.0 + w);
    b[2] = a[1] = 0.0;
    a[0] = (w - 1.0) / (w + 1.0);
}

tq_status tq_filter_butterworth(unsigned order, double cutoff, double rate, tq_filter *ret,
                                tq_error *reterr)
{
    if (order < 1 || order > TQ_FILTER_ORDER_MAX) {
        return tq_fail(reterr, TQ_ERR_RANGE, "order", 0, (double)order);
    }
    if (!(cutoff > 0.0 && cutoff < 0.5 * rate)) {
        return tq_fail(reterr, TQ_ERR_RANGE, "cutoff", 0, cutoff);
    }
    const double w = tan(pi * cutoff / rate);
    ret->n = (order + 1) / 2;
    for (size_t s = 0; s < order / 2; s++) {
        const double angle = pi * (double)(2 * s + 1) / (2.0 * (double)order);
        second_order(w, sin(angle), ret->section[s].b, ret->section[s].a);
    }
    if (order % 2 == 1) {
        first_order(w, ret->section[order / 2].b, ret->section[order / 2].a);
    }
    return TQ_OK;
}

tq_status tq_filter_first_order(double tau_f, double rate, tq_filter *ret, tq_error *reterr)
{
    if (!(tau_f > 0.0) || !isfinite(tau_f)) {
        return tq_fail(reterr, TQ_ERR_RANGE, "tau_f", 0, tau_f);
    }
    if (!(rate > 0.0) || !isfinite(rate)) {
        return tq_fail(reterr, TQ_ERR_RANGE, "rate", 0, rate);
    }
    ret->n = 1;
    first_order(0.5 / (tau_f * rate), ret->section[0].b, ret->section[0].a);
    return TQ_OK;
}

double tq_filter_gain(const tq_filter *filter, double frequency, double rate)
{
    const double w = 2.0 * pi * frequency / rate;
    const double c1 = cos(w);
    const double s1 = sin(w);
    const double c2 = cos(2.0 * w);
    const double s2 = sin(2.0 * w);
    double square = 1.0;
    for (size_t s = 0; s < filter->n; s++) {
        const double *b = filter->section[s].b;
        const double *a = filter->section[s].a;
        const double b_re = b[0] + b[1] * c1 + b[2] * c2;
        const double b_im = b[1] * s1 + b[2] * s2;
        const double a_re = 1.0 + a[0] * c1 + a[1] * c2;
        const double a_im = a[0] * s1 + a[1] * s2;
        square *= (b_re * b_re + b_im * b_im) / (a_re * a_re + a_im * a_im);
    }
    return sqrt(square);
}

size_t tq_filter_settle(const tq_filter *filter)
{
    double slowest = 0.0;
    for (size_t s = 0; s < filter->n; s++) {
        const double *a = filter->section[s].a;
        const double square = 0.25 * a[0] * a[0] - a[1];
        /* radius of the larger pole: a pair off the axis has the product a1 */
        const double radius = square < 0.0 ? sqrt(a[1]) : fabs(0.5 * a[0]) + sqrt(square);
        slowest = fmax(slowest, radius);
    }
    const double least = 10.0 * (double)filter->n;
    if (slowest <= 0.0) {
        return (size_t)least;
    }
    return (size_t)fmax(least, ceil(log(1e-13) / log(fmin(slowest, 1.0 - 1e-7))));
}

/* one pass over x (n), forward (step 1) or backward (step -1) from `from`: each section starts in
 * the state that its first input, standing for ever, would have left (transposed direct form II) */
static void run_pass(const tq_filter *filter, double *from, size_t n, ptrdiff_t step)
{
    for (size_t s = 0; s < filter->n; s++) {
        const double b0 = filter->section[s].b[0];
        const double b1 = filter->section[s].b[1];
        const double b2 = filter->section[s].b[2];
        const double a1 = filter->section[s].a[0];
        const double a2 = filter->section[s].a[1];
        const double first = from[0];
        const double at_rest = first * ((b0 + b1 + b2) / (1.0 + a1 + a2));
        double z1 = b2 * first - a2 * at_rest;
        double z0 = b1 * first - a1 * at_rest + z1;
        double *x = from;
        for (size_t k = 0; k < n; k++, x += step) {
            const double u = *x;
            const double y = b0 * u + z0;
            z0 = b1 * u - a1 * y + z1;
            z1 = b2 * u - a2 * y;
            *x = y;
        }
    }
}

size_t tq_filter_zero_phase_size(size_t n, size_t n_edge)
{
    return tq_scratch_cost(n + 2 * n_edge, sizeof(double));
}

tq_status tq_filter_zero_phase(const tq_filter *filter, size_t n_edge, size_t n, double *x,
                               tq_scratch *scratch, tq_error *reterr)
{
    assert(filter != NULL && x != NULL && scratch != NULL);
    if (n == 0 || n_edge >= n) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "n_edge", 0, (double)n_edge);
    }
    const size_t mark = tq_scratch_mark(scratch);
    const size_t n_long = n + 2 * n_edge;
    double *padded = tq_scratch_take(scratch, n_long, sizeof *padded);
    if (padded == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_filter_zero_phase_size(n, n_edge));
    }
    for (size_t k = 0; k < n_edge; k++) {
        padded[k] = 2.0 * x[0] - x[n_edge - k];
        padded[n_edge + n + k] = 2.0 * x[n - 1] - x[n - 2 - k];
    }
    for (size_t k = 0; k < n; k++) {
        padded[n_edge + k] = x[k];
    }
    run_pass(filter, padded, n_long, 1);
    run_pass(filter, padded + n_long - 1, n_long, -1);
    for (size_t k = 0; k < n; k++) {
        x[k] = padded[n_edge + k];
    }
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}
