/* SPDX-License-Identifier: Apache-2.0 */
/* core/integrate/midpoint.h - implicit midpoint rule in coordinates and momenta (symplectic). */
#ifndef TQ_INTEGRATE_MIDPOINT_H
#define TQ_INTEGRATE_MIDPOINT_H

#include "core/plant/plant.h"

/**
 * Take one step of one trajectory: with p = M(q) qd,
 *
 *     q1 = q0 + h v,   p1 = p0 + h (tau - dV/dq + dT/dq)   at q = (q0 + q1) / 2, v = M^-1 p there
 *
 * which is symplectic: without friction and input the energy error is bounded, without drift, and
 * linear and angular momentum are conserved.
 *
 * Shapes   state->n_sample is 1; no joint with a quaternion (nq == nv).
 * Memory   tq_midpoint_scratch_size(plant) bytes of `scratch`, all released. *ret_evaluations:
 *          of tq_plant_rate.
 * Returns  TQ_OK; TQ_ERR_NO_CONVERGENCE "step": the fixed-point iteration does not contract; with a
 *          shorter step it does; the status of tq_plant_rate; TQ_ERR_SINGULAR. The state is then
 *          unchanged.
 * Cost     About six iterations of tq_plant_rate, M, C and a Cholesky factor.
 * Source   E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2006, VI.4.
 * Checked  tests/property/core/integrate/test_midpoint.c
 */
tq_status tq_midpoint_step(const tq_plant *plant, double t, double h, const tq_trajectories *state,
                           tq_scratch *scratch, size_t *ret_evaluations, tq_error *reterr);
size_t tq_midpoint_scratch_size(const tq_plant *plant);

#endif
