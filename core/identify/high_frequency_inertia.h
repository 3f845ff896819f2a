/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/high_frequency_inertia.h - torque of a joint above the filter's cut-off. */
#ifndef TQ_IDENTIFY_HIGH_FREQUENCY_INERTIA_H
#define TQ_IDENTIFY_HIGH_FREQUENCY_INERTIA_H

#include <stddef.h>

/* Gear elasticity: above the cut-off a joint has a different effective inertia, and its torque may
 * lead or lag the acceleration. Linear model: tau - filtered tau = inertia a + rate da/dt, a the
 * high-frequency part of the acceleration. It is independent of data below the cut-off, and fitted
 * separately. */
typedef struct tq_high_frequency_inertia {
    double inertia; /* kg m^2 or kg */
    double rate;    /* kg m^2 s or kg s */
} tq_high_frequency_inertia;

/* Sums over samples of one row: a, d = da/dt, y = high-frequency part of the torque. */
typedef struct tq_high_frequency_inertia_sums {
    size_t n;
    double aa, ad, dd, ay, dy, yy;
    double below; /* of squared accelerations below the cut-off */
} tq_high_frequency_inertia_sums;

void tq_high_frequency_inertia_add(tq_high_frequency_inertia_sums *sums, size_t n, const double *a,
                                   const double *d, const double *tau, const double *tau_raw);
void tq_high_frequency_inertia_sum(tq_high_frequency_inertia_sums *sums,
                                   const tq_high_frequency_inertia_sums *more);

/* Least squares. Both are zero if they explain less than a hundredth of the squared high-frequency
 * torque, because encoder noise could have that effect. */
tq_high_frequency_inertia tq_high_frequency_inertia_fit(const tq_high_frequency_inertia_sums *sums);

/* Squared high-frequency torque minus the part explained by both. */
double tq_high_frequency_inertia_left(const tq_high_frequency_inertia_sums *sums);

/* Fraction of that square unexplained by inertia alone: minimal if torque and acceleration are
 * synchronous. 1: no high-frequency part, or uncorrelated, or negatively correlated with
 * acceleration. */
double tq_high_frequency_inertia_left_in_step(const tq_high_frequency_inertia_sums *sums);

#endif
