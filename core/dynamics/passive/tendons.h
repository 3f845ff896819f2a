/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/tendons.h - springs and friction along sums of coordinates. */
#ifndef TQ_DYNAMICS_PASSIVE_TENDONS_H
#define TQ_DYNAMICS_PASSIVE_TENDONS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/model/model.h"

/* For tendons of the model (tq_tendon): with length L = a^T q + b, a the coefficients by rows,
 * tension f = stiffness s(L) + friction(dL/dt), the torque that overcomes them is tau = a f, its
 * energy stiffness s^2 / 2, and its derivatives a a^T stiffness (0 where the spring is slack) by q
 * and a a^T times the slope of friction by qd. A mimic joint pulls at its master's row, times its
 * multiplier.
 *
 * Source   MuJoCo documentation, XML reference, tendon/fixed.
 * Checked  tests/property/core/dynamics/test_tendons.c, tests/peers/test_mujoco_tendons.py */

/* Adds sign * torque to the rows of tau (nv x stride), for n_sample samples. qd NULL: zero. */
void tq_tendons_add_springs(const tq_model *model, size_t n_sample, size_t stride, const double *q,
                            double sign, double *tau);
void tq_tendons_add_friction(const tq_model *model, size_t n_sample, size_t stride,
                             const double *qd, double sign, double *tau);

/* Potential energy of one sample, J; rows of q are `stride` apart. */
double tq_tendons_potential(const tq_model *model, size_t stride, const double *q);

/* Adds the torque's derivatives at one sample, of springs and of friction where these are true.
 * Rows of q and qd (NULL: rest), and entries of dq and dqd (nv x nv), are `stride` apart.
 * O(square of the shares of each tendon). */
void tq_tendons_add_derivatives(const tq_model *model, bool springs, bool friction, size_t stride,
                                const double *q, const double *qd, double *dq, double *dqd);

#endif
