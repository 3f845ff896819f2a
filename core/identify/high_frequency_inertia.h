/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/high_frequency_inertia.h - what the torque of a joint does beyond the filter's
 * cut-off. */
#ifndef TQ_IDENTIFY_HIGH_FREQUENCY_INERTIA_H
#define TQ_IDENTIFY_HIGH_FREQUENCY_INERTIA_H

#include <stddef.h>

/* Gears yield: what shakes faster than the arm can follow is felt as another, smaller inertia than
 * the one below the cut-off, and its torque may run ahead of the acceleration or behind. Both are
 * linear: tau - filtered tau = inertia a + rate da/dt, a being the acceleration less what the
 * filter left of it. Nothing below the cut-off knows of it, so that it is fitted apart. */
typedef struct tq_high_frequency_inertia {
    double inertia; /* kg m^2 or kg */
    double rate;    /* kg m^2 s or kg s */
} tq_high_frequency_inertia;

/* Sums over samples of one row: a, d = da/dt, y = what the filter took off the torque. */
typedef struct tq_high_frequency_inertia_sums {
    size_t n;
    double aa, ad, dd, ay, dy, yy;
} tq_high_frequency_inertia_sums;

void tq_high_frequency_inertia_add(tq_high_frequency_inertia_sums *sums, size_t n, const double *a,
                                   const double *d, const double *tau, const double *tau_raw);
void tq_high_frequency_inertia_sum(tq_high_frequency_inertia_sums *sums,
                                   const tq_high_frequency_inertia_sums *more);

/* Least squares. Both are zero where they would take off less than a hundredth of the square that
 * the filter took off the torque: that much, noise of the encoders could pretend to tell. */
tq_high_frequency_inertia tq_high_frequency_inertia_fit(const tq_high_frequency_inertia_sums *sums);

/* The square that the filter took off the torque, less what these two tell of it. */
double tq_high_frequency_inertia_left(const tq_high_frequency_inertia_sums *sums);

/* The share of that square that inertia alone leaves: least when torque and acceleration are told
 * in step. 1: nothing was taken off, or it has nothing to do with acceleration, or against it. */
double tq_high_frequency_inertia_left_in_step(const tq_high_frequency_inertia_sums *sums);

#endif
