/* SPDX-License-Identifier: Apache-2.0 */
/* core/integrate/fixed_step.h - fixed-step methods for a block of trajectories. */
#ifndef TQ_INTEGRATE_FIXED_STEP_H
#define TQ_INTEGRATE_FIXED_STEP_H

#include <stdbool.h>

#include "core/plant/plant.h"

typedef enum tq_fixed_method {
    TQ_FIXED_RK4,           /* classical Runge-Kutta method, order 4 */
    TQ_FIXED_SEMI_IMPLICIT, /* semi-implicit (symplectic) Euler: velocities first, then
                               coordinates with the new velocities; order 1, bounded energy error
                               for small steps */
} tq_fixed_method;

/**
 * Take one step of all trajectories of a block.
 *
 * Shapes   state->q, qd and z, in and out; padding after n_sample is computed too. Held values
 *          do not change: the caller samples (tq_plant_sample).
 * Memory   tq_fixed_step_scratch_size(plant, stride) bytes of `scratch`, all released.
 * Bits     A trajectory has the same bits alone and in any block.
 * Returns  TQ_OK, or the status of tq_plant_rate with the trajectory as index. The state is then
 *          unchanged.
 * Cost     Four evaluations of tq_plant_rate, or one.
 * Source   E. Hairer, S. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 1993, II.1;
 *          E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2006, I.1.
 * Checked  tests/property/core/integrate/test_fixed_step.c
 */
tq_status tq_fixed_step(const tq_plant *plant, tq_fixed_method method, double t, double h,
                        const tq_trajectories *state, tq_scratch *scratch, tq_error *reterr);
size_t tq_fixed_step_scratch_size(const tq_plant *plant, size_t stride);

/* Number of equal steps for the time `way`, none longer than `step` except for rounding; >= 1. */
double tq_fixed_count(double way, double step);

/* True if t and the next stop are equal up to rounding (0.3 and 3 * 0.1): there is no step between
 * them. */
bool tq_time_meets(double t, double stop);

#endif
