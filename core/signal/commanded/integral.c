/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/commanded/integral.c - the integral of a controller's error over the rows of a
 * recording, with anti-windup. */
#include "core/signal/commanded/integral.h"

#include <math.h>

void tq_error_integral_advance(tq_error_integral *integral, double t, const double *error,
                               size_t pitch)
{
    const double step = integral->has_begun ? fmax(t - integral->t, 0.0) : 0.0;
    for (size_t r = 0; r < integral->nv; r++) {
        integral->end[r] = 0.5 * step * error[r * pitch];
        integral->sum[r] += 0.5 * step * integral->slope[r] + integral->end[r];
        integral->slope[r] = error[r * pitch];
    }
    integral->longest = fmax(integral->longest, step);
    integral->t = t;
    integral->has_begun = true;
}

void tq_error_integral_limit(tq_error_integral *integral, size_t r, double wanted, double limit)
{
    if (fabs(wanted) > limit && (wanted > 0.0) == (integral->slope[r] > 0.0)) {
        integral->sum[r] -= integral->end[r];
        integral->end[r] = 0.0;
        integral->slope[r] = 0.0;
    }
}
