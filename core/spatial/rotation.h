/* SPDX-License-Identifier: Apache-2.0 */
/* core/spatial/rotation.h - rotation matrices from angles, quaternions and axes, and back to
 * angles, by functions that have the same bits on every machine. */
#ifndef TQ_SPATIAL_ROTATION_H
#define TQ_SPATIAL_ROTATION_H

/* Rotations are row by row, x_parent = r x_child; angles in rad. */

/* Fixed-axis roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll). */
void tq_rotation_from_rpy(const double rpy[3], double r[9]);

/* Angles that give r to rounding. In gimbal lock (pitch of a quarter turn) roll is 0. */
void tq_rotation_to_rpy(const double r[9], double rpy[3]);

/* Of a quaternion w x y z, which must be of unit length; of any length: tq_mat_of_quaternion. */
void tq_rotation_from_quaternion(const double q[4], double r[9]);

/* By an angle about one axis of unit length: R = c E + (1 - c) a a^T + s a^ (Rodrigues). Checked
 * tests/property/core/spatial/test_rotation.c, as the others. */
void tq_rotation_about(const double axis[3], double angle, double r[9]);

#endif
