/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/kinematic/rotation.h - rotation vectors: exponential, logarithm and their
 * Jacobians. */
#ifndef TQ_IDENTIFY_KINEMATIC_ROTATION_H
#define TQ_IDENTIFY_KINEMATIC_ROTATION_H

/* Matrices are 3x3, row by row. */

/* R = exp([v]), v in rad */
void tq_rotation_exp(const double v[3], double ret[9]);

/* v with R = exp([v]), |v| <= pi */
void tq_rotation_log(const double r[9], double ret[3]);

/* Left Jacobian J of exp: exp([v + dv]) = exp([J dv]) exp([v]) to first order. */
void tq_rotation_left(const double v[3], double ret[9]);

/* Its inverse, |v| < 2 pi: log(exp([w]) exp([v])) = v + J^-1 w to first order.
 *
 * Source   T. Barfoot, State Estimation for Robotics, 2017, 7.1.
 * Checked  tests/property/core/identify/kinematic/test_kinematic_rows.c
 */
void tq_rotation_left_inverse(const double v[3], double ret[9]);

#endif
