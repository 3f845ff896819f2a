/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/finite.c - quick guards over a block: finite numbers, unit quaternions. */
#include "core/kernels/symbols.h"
#include "core/lanes/real.h"

/* zero for every finite number and NaN for the rest */
TQ_INLINE real nothing(const double *at)
{
    const real x = load(at);
    return x - x; /* NOLINT(misc-redundant-expression) */
}

int TQ_KERNEL(tq_finite)(long n_row, long n_sample, long stride, const double *x)
{
    real even = splat(0.0), odd = splat(0.0);
    for (long r = 0; r < n_row; r++) {
        const double *row = x + r * stride;
        long i = 0;
        for (; i + TQ_LANES < n_sample; i += 2L * TQ_LANES) {
            even = even + nothing(row + i);
            odd = odd + nothing(row + i + TQ_LANES);
        }
        if (i < n_sample) {
            odd = odd + nothing(row + i);
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
