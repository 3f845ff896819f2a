/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/kinematics/rotation_error.h - rotation vector from one rotation to another. */
#ifndef TQ_DYNAMICS_KINEMATICS_ROTATION_ERROR_H
#define TQ_DYNAMICS_KINEMATICS_ROTATION_ERROR_H

/* The rotation vector of target r^T, in world axes: the turn about one axis, of at most pi, that
 * leads from r to the target. At pi its sign is not determined. Matrices row by row. */
void tq_rotation_error(const double target[9], const double r[9], double ret[3]);

#endif
