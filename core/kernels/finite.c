/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/finite.c - fast checks of a block: finite numbers, unit quaternions. */
#include "core/kernels/symbols.h"
#include "core/lanes/real.h"

/* x - x: 0 if x is finite, else NaN */
TQ_INLINE real zero_or_nan(const double *at)
{
    const real x = load(at);
    return x - x; /* NOLINT(misc-redundant-expression) */
}

/* rows of one vector of lanes: a load and two additions per row */
TQ_INLINE int column_finite(long n_row, long stride, const double *x)
{
    real sum[4] = {splat(0.0), splat(0.0), splat(0.0), splat(0.0)};
    long r = 0;
    for (; r + 4 <= n_row; r += 4, x += 4 * stride) {
        sum[0] = sum[0] + zero_or_nan(x);
        sum[1] = sum[1] + zero_or_nan(x + stride);
        sum[2] = sum[2] + zero_or_nan(x + 2 * stride);
        sum[3] = sum[3] + zero_or_nan(x + 3 * stride);
    }
    for (; r < n_row; r++, x += stride) {
        sum[0] = sum[0] + zero_or_nan(x);
    }
    return beyond((sum[0] + sum[1]) + (sum[2] + sum[3]), 0.0) == 0;
}

int TQ_KERNEL(tq_finite)(long n_row, long n_sample, long stride, const double *x)
{
    if (n_sample <= TQ_LANES) {
        return column_finite(n_row, stride, x);
    }
    real even = splat(0.0), odd = splat(0.0);
    for (long r = 0; r < n_row; r++) {
        const double *row = x + r * stride;
        long i = 0;
        for (; i + TQ_LANES < n_sample; i += 2L * TQ_LANES) {
            even = even + zero_or_nan(row + i);
            odd = odd + zero_or_nan(row + i + TQ_LANES);
        }
        if (i < n_sample) {
            odd = odd + zero_or_nan(row + i);
        }
    }
    return beyond(even + odd, 0.0) == 0;
}

int TQ_KERNEL(tq_steady)(long n, const double *x, double most)
{
    real_mask bad = 0;
    long i = 0;
    for (; i + TQ_LANES <= n; i += TQ_LANES) {
        bad |= beyond(load(x + i + 1) - load(x + i), most);
    }
    for (; i < n; i++) {
        bad |= !(__builtin_fabs(x[i + 1] - x[i]) <= most);
    }
    return bad == 0;
}

int TQ_KERNEL(tq_unit)(long n_sample, long stride, const double *quaternion, double tolerance)
{
    real_mask bad = 0;
    for (long i = 0; i < n_sample; i += TQ_LANES) {
        real off = splat(-1.0);
        for (int k = 0; k < 4; k++) {
            const real at = load(quaternion + k * stride + i);
            off = tq_fma(at, at, off);
        }
        bad |= beyond(off, tolerance);
    }
    return bad == 0;
}
