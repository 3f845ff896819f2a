/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/integral.c - the integral of a controller's error over the rows of a recording. */
#include "api/recordings/integral.h"

#include <math.h>
#include <stdlib.h>

bool tqa_integral_allocate(tqa_integral *integral, size_t nv)
{
    *integral = (tqa_integral){.nv = nv,
                               .sum = calloc(nv, sizeof(double)),
                               .slope = calloc(nv, sizeof(double)),
                               .end = calloc(nv, sizeof(double))};
    return integral->sum != NULL && integral->slope != NULL && integral->end != NULL;
}

void tqa_integral_free(tqa_integral *integral)
{
    free(integral->sum);
    free(integral->slope);
    free(integral->end);
    *integral = (tqa_integral){0};
}

void tqa_integral_advance(tqa_integral *integral, double t, const double *error, size_t pitch)
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

void tqa_integral_limit(tqa_integral *integral, size_t r, double wanted, double limit)
{
    if (fabs(wanted) > limit && (wanted > 0.0) == (integral->slope[r] > 0.0)) {
        integral->sum[r] -= integral->end[r];
        integral->end[r] = 0.0;
        integral->slope[r] = 0.0;
    }
}
