/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/filter.c - zero-phase low-pass filters, as second-order sections. */
#include "core/signal/filter.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/base/fpmode.h"
#include "core/elementary/elementary.h"
#include "core/kernels/table.h"

/* one analog section w^2 / (s^2 + 2 d w s + w^2), and w / (s + w), by the bilinear transform s = (1
 * - z^-1) / (1 + z^-1) */
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
    const double w = tq_tan(M_PI * cutoff / rate);
    ret->n = (order + 1) / 2;
    ret->ends = TQ_ENDS_ODD;
    for (size_t s = 0; s < order / 2; s++) {
        const double angle = M_PI * (double)(2 * s + 1) / (2.0 * (double)order);
        second_order(w, tq_sin(angle), ret->section[s].b, ret->section[s].a);
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
    ret->ends = TQ_ENDS_ODD;
    first_order(0.5 / (tau_f * rate), ret->section[0].b, ret->section[0].a);
    return TQ_OK;
}

double tq_filter_gain(const tq_filter *filter, double frequency, double rate)
{
    const double w = 2.0 * M_PI * frequency / rate;
    const double c1 = tq_cos(w);
    const double s1 = tq_sin(w);
    const double c2 = tq_cos(2.0 * w);
    const double s2 = tq_sin(2.0 * w);
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

/* the largest radius of a pole */
static double slowest_of(const tq_filter *filter)
{
    double slowest = 0.0;
    for (size_t s = 0; s < filter->n; s++) {
        const double *a = filter->section[s].a;
        const double square = 0.25 * a[0] * a[0] - a[1];
        /* radius of the larger pole: a complex pair has the product a1 */
        const double radius = square < 0.0 ? sqrt(a[1]) : fabs(0.5 * a[0]) + sqrt(square);
        slowest = fmax(slowest, radius);
    }
    return slowest;
}

size_t tq_filter_decay_length(const tq_filter *filter, double share)
{
    const double slowest = slowest_of(filter);
    return slowest > 0.0 ? (size_t)ceil(tq_log(share) / tq_log(fmin(slowest, 1.0 - 1e-7))) : 1;
}

size_t tq_filter_settling_length(const tq_filter *filter)
{
    const size_t least = 10 * filter->n;
    const size_t n = tq_filter_decay_length(filter, 1e-13);
    return n > least ? n : least;
}

size_t tq_filter_zero_phase_size(size_t n, size_t n_edge)
{
    return tq_scratch_cost((n + 2 * n_edge) * TQ_SECTION_LANES, sizeof(double));
}

/* reflections of interleaved signals at both ends of samples [n_edge, n_edge + n) */
static void continue_ends(tq_filter_ends ends, size_t n_edge, size_t n, double *x)
{
    const double twice = ends == TQ_ENDS_ODD ? 2.0 : 0.0;
    const double sign = ends == TQ_ENDS_ODD ? -1.0 : 1.0;
    const double *first = x + n_edge * TQ_SECTION_LANES;
    const double *last = first + (n - 1) * TQ_SECTION_LANES;
    for (size_t k = 1; k <= n_edge; k++) {
        double *before = x + (n_edge - k) * TQ_SECTION_LANES;
        double *after = x + (n_edge + n - 1 + k) * TQ_SECTION_LANES;
        for (size_t l = 0; l < TQ_SECTION_LANES; l++) {
            before[l] = twice * first[l] + sign * first[k * TQ_SECTION_LANES + l];
            after[l] = twice * last[l] + sign * *(last + l - k * TQ_SECTION_LANES);
        }
    }
}

/* up to TQ_SECTION_LANES rows, transposed to interleaved signals and back */
static void filter_some(const tq_filter *filter, size_t n_edge, size_t n, size_t n_row, double *x,
                        size_t stride, double *padded)
{
    const tq_kernels *kernels = tq_kernels_for(TQ_SECTION_LANES);
    const size_t n_long = n + 2 * n_edge;
    double *inner = padded + n_edge * TQ_SECTION_LANES;
    if (n_row < TQ_SECTION_LANES) {
        memset(inner, 0, n * TQ_SECTION_LANES * sizeof *inner);
    }
    kernels->transpose((long)n_row, (long)n, x, (long)stride, inner, TQ_SECTION_LANES);
    continue_ends(filter->ends, n_edge, n, padded);
    double coefficients[5 * (TQ_FILTER_ORDER_MAX + 1) / 2];
    for (size_t s = 0; s < filter->n; s++) {
        memcpy(coefficients + 5 * s, filter->section[s].b, 3 * sizeof(double));
        memcpy(coefficients + 5 * s + 3, filter->section[s].a, 2 * sizeof(double));
    }
    const tq_fpmode mode = tq_fpmode_enter(); /* subnormal tails of the impulse response are
                                                 flushed to zero */
    kernels->sections((long)filter->n, coefficients, (long)n_long, padded, 0);
    kernels->sections((long)filter->n, coefficients, (long)n_long, padded, 1);
    tq_fpmode_leave(mode);
    kernels->transpose((long)n, (long)n_row, inner, TQ_SECTION_LANES, x, (long)stride);
}

tq_status tq_filter_zero_phase_rows(const tq_filter *filter, size_t n_edge, size_t n, size_t n_row,
                                    double *x, size_t stride, tq_scratch *scratch, tq_error *reterr)
{
    assert(filter != NULL && x != NULL && scratch != NULL);
    if (n == 0 || n_edge >= n) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "n_edge", 0, (double)n_edge);
    }
    const size_t mark = tq_scratch_mark(scratch);
    double *padded = tq_scratch_take(scratch, (n + 2 * n_edge) * TQ_SECTION_LANES, sizeof *padded);
    if (padded == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_filter_zero_phase_size(n, n_edge));
    }
    for (size_t r = 0; r < n_row; r += TQ_SECTION_LANES) {
        const size_t left = n_row - r;
        filter_some(filter, n_edge, n, left < TQ_SECTION_LANES ? left : (size_t)TQ_SECTION_LANES,
                    x + r * stride, stride, padded);
    }
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}
