/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/path/spline.c - a piece of a cubic spline and its derivatives. */
#include "core/kernels/path/path.h"
#include "core/kernels/symbols.h"
#include "core/lanes/real.h"

/* At part b, with a = 1 - b and span h:
 *     x = a x0 + b x1 + ((a^3 - a) c0 + (b^3 - b) c1) h^2 / 6 */
void TQ_KERNEL(tq_path_spline)(const tq_path_cubic *in, long n, const double *part, double *ret_x,
                               double *ret_slope, double *ret_bend)
{
    const double sixth = in->span / 6.0;
    const double per = 1.0 / in->span;
    for (long k = 0; k < n; k++) {
        const double b = part[k];
        const double a = 1.0 - b;
        const double cubic[2] = {(a * a - 1.0) * a * in->span * sixth,
                                 (b * b - 1.0) * b * in->span * sixth};
        const double square[2] = {(1.0 - 3.0 * (a * a)) * sixth, (3.0 * (b * b) - 1.0) * sixth};
        for (long j = 0; j < in->n_row; j += TQ_LANES) {
            const long at = k * in->n_row + j;
            const real x[2] = {load(in->value[0] + j), load(in->value[1] + j)};
            const real c[2] = {load(in->curvature[0] + j), load(in->curvature[1] + j)};
            const real line = tq_fma(splat(b), x[1], splat(a) * x[0]);
            const real chord = (x[1] - x[0]) * splat(per);
            store(ret_x + at, tq_fma(splat(cubic[1]), c[1], tq_fma(splat(cubic[0]), c[0], line)));
            store(ret_slope + at,
                  tq_fma(splat(square[1]), c[1], tq_fma(splat(square[0]), c[0], chord)));
            store(ret_bend + at, tq_fma(splat(b), c[1], splat(a) * c[0]));
        }
    }
}
