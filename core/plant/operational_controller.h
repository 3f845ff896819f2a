/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/operational_controller.h - control of a link's motion and force in space
 * (operational-space control, Cartesian impedance), as an effect on a plant. */
#ifndef TQ_PLANT_OPERATIONAL_CONTROLLER_H
#define TQ_PLANT_OPERATIONAL_CONTROLLER_H

#include "core/plant/operational_law.h"
#include "core/plant/plant.h"

/**
 * Check a controller and create its effect.
 *
 * Memory   The effect borrows the controller, its ctx.
 * Returns  TQ_OK
 *          TQ_ERR_SHAPE       "axes": none, or one of both motion and force; "reference",
 *                             "posture": coordinates are not those of the model, or move though
 *                             joint `index` has a quaternion; "force": columns
 *          TQ_ERR_RANGE       "link"; a gain below 0, "damping", "sample_time", "limit"
 *          TQ_ERR_NOT_FINITE  a gain, "sample_time"
 *          The effect: TQ_ERR_SINGULAR "task" with s as value where it is below 1e-8 without
 *          damping, with index the trajectory; the statuses of tq_inverse_dynamics and
 *          tq_mass_matrix_flat.
 * Cost     Per evaluation inverse dynamics, and for each sample the mass matrix, its factors and
 *          a Jacobian.
 * Source   O. Khatib, A unified approach for motion and force control of robot manipulators: the
 *          operational space formulation, IEEE J. RA 3(1), 1987; B. Siciliano et al., Robotics:
 *          Modelling, Planning and Control, 2009, 8.6.2, 9.2; N. Hogan, Impedance control, J. DSMC
 *          107, 1985; A. Albu-Schaeffer et al., Cartesian impedance control of redundant robots,
 *          ICRA 2003 (damping by double diagonalisation); S. Chiaverini, Singularity-robust
 *          task-priority redundancy resolution, IEEE T. RA 13(3), 1997 (damping).
 * Checked  tests/property/core/plant/test_operational_controller.c,
 *          tests/contract/test_operational_control.py
 */
tq_status tq_operational_controller_effect(tq_operational_controller *controller,
                                           tq_effect *ret_effect, tq_error *reterr);

#endif
