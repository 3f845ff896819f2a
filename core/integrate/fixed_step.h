/* SPDX-License-Identifier: Apache-2.0 */
/* core/integrate/fixed_step.h - steps of one size for a block of trajectories side by side. */
#ifndef TQ_INTEGRATE_FIXED_STEP_H
#define TQ_INTEGRATE_FIXED_STEP_H

#include <stdbool.h>

#include "core/plant/plant.h"

typedef enum tq_fixed_method {
    TQ_FIXED_RK4,           /* Runge's and Kutta's classical method: order 4 */
    TQ_FIXED_SEMI_IMPLICIT, /* velocities first, then coordinates with the new ones: order 1,
                                energy bounded for small steps */
} tq_fixed_method;

/**
 * Take one step of all trajectories of a block.
 *
 * Shapes   state->q, qd and z, in and out; padding beyond n_sample is computed too. Held values
 *          stay: samples are the caller's (tq_plant_sample).
 * Memory   tq_fixed_step_scratch_size(plant, stride) bytes of `scratch`, all given back.
 * Bits     A trajectory gives the same bits alone and in any block.
 * Returns  TQ_OK, or what tq_plant_rate says, with its index: the trajectory. The state is then
 *          unchanged.
 * Cost     Four evaluations of tq_plant_rate, or one.
 * Source   E. Hairer, S. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 1993, II.1;
 *          E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2006, I.1.
 * Checked  tests/property/core/integrate/test_fixed_step.c
 */
tq_status tq_fixed_step(const tq_plant *plant, tq_fixed_method method, double t, double h,
                        const tq_trajectories *state, tq_scratch *scratch, tq_error *reterr);
size_t tq_fixed_step_scratch_size(const tq_plant *plant, size_t stride);

/* How many equal steps, none above `step` but by rounding, make up `way`; >= 1. */
double tq_fixed_count(double way, double step);

/* Whether t and the stop ahead of it are one time in two roundings, as 0.3 and 3 * 0.1: then there
 * is no step between them. */
bool tq_time_meets(double t, double stop);

#endif
