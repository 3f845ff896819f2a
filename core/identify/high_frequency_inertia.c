/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/high_frequency_inertia.c - sums of products, and 2x2 normal equations. */
#include "core/identify/high_frequency_inertia.h"

#include <math.h>

static const double share_least = 0.01; /* of the squared high-frequency torque: less is not
                                           significant */
static const double least = 1e-12;      /* rounding level */
static const double apart = 1e-12;      /* relative determinant: columns are dependent below */

void tq_high_frequency_inertia_add(tq_high_frequency_inertia_sums *sums, size_t n, const double *a,
                                   const double *d, const double *tau, const double *tau_raw)
{
    for (size_t i = 0; i < n; i++) {
        const double y = tau_raw[i] - tau[i];
        sums->aa += a[i] * a[i];
        sums->ad += a[i] * d[i];
        sums->dd += d[i] * d[i];
        sums->ay += a[i] * y;
        sums->dy += d[i] * y;
        sums->yy += y * y;
    }
    sums->n += n;
}

void tq_high_frequency_inertia_sum(tq_high_frequency_inertia_sums *sums,
                                   const tq_high_frequency_inertia_sums *more)
{
    sums->n += more->n;
    sums->aa += more->aa;
    sums->ad += more->ad;
    sums->dd += more->dd;
    sums->ay += more->ay;
    sums->dy += more->dy;
    sums->yy += more->yy;
    sums->below += more->below;
}

tq_high_frequency_inertia tq_high_frequency_inertia_fit(const tq_high_frequency_inertia_sums *sums)
{
    const double det = sums->aa * sums->dd - sums->ad * sums->ad;
    if (!(det > apart * sums->aa * sums->dd)) {
        return (tq_high_frequency_inertia){0.0, 0.0};
    }
    const tq_high_frequency_inertia fast = {
        .inertia = (sums->dd * sums->ay - sums->ad * sums->dy) / det,
        .rate = (sums->aa * sums->dy - sums->ad * sums->ay) / det};
    const double taken = fast.inertia * sums->ay + fast.rate * sums->dy;
    return taken > share_least * sums->yy ? fast : (tq_high_frequency_inertia){0.0, 0.0};
}

double tq_high_frequency_inertia_left(const tq_high_frequency_inertia_sums *sums)
{
    const tq_high_frequency_inertia fast = tq_high_frequency_inertia_fit(sums);
    return fmax(sums->yy - fast.inertia * sums->ay - fast.rate * sums->dy, 0.0);
}

double tq_high_frequency_inertia_left_in_step(const tq_high_frequency_inertia_sums *sums)
{
    const double both = sums->aa * sums->yy;
    /* inertia is not negative: at a single frequency half a period of delay would otherwise appear
     * synchronous */
    return both > 0.0 && sums->ay > 0.0 ? fmax(1.0 - sums->ay * sums->ay / both, least) : 1.0;
}
