/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/rotation.h - rotation matrices from angles and quaternions of files, and back to
   angles. */
#ifndef TQA_ROBOTS_ROTATION_H
#define TQA_ROBOTS_ROTATION_H

#include "core/model/model.h"

/* Rotations are row by row, x_parent = r x_child. */

/* Fixed-axis roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll). */
void tqa_rotation_from_rpy(const double rpy[3], double r[9]);

/* Angles that give r to rounding. In gimbal lock (pitch of a quarter turn) roll is 0. */
void tqa_rotation_to_rpy(const double r[9], double rpy[3]);

/* Of a quaternion w x y z, which must be of unit length. */
void tqa_rotation_from_quaternion(const double q[4], double r[9]);

/* By an angle about one axis of unit length (Rodrigues). */
void tqa_rotation_about(const double axis[3], double angle, double r[9]);

#endif
