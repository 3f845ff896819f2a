/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/finite.c - quick guards over a block: finite numbers, unit quaternions. */
#include "core/kernels/symbols.h"
#include "core/lanes/real.h"

/* x - x is zero for every finite x and NaN for the rest */
int TQ_KERNEL(tq_finite)(long n_row, long n_sample, long stride, const double *x)
{
    real_mask bad = 0;
    for (long r = 0; r < n_row; r++) {
        real sum = splat(0.0);
        for (long i = 0; i < n_sample; i += TQ_LANES) {
            const real at = load(x + r * stride + i);
            sum += at - at; /* NOLINT(misc-redundant-expression): 0, or NaN where not finite */
        }
        bad |= beyond(sum, 0.0);
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
