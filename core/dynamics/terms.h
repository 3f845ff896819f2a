/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/terms.h - torques of the joints themselves: rotors, friction, springs. */
#ifndef TQ_DYNAMICS_TERMS_H
#define TQ_DYNAMICS_TERMS_H

#include <stddef.h>

#include "core/model/mechanism.h"
#include "core/model/model.h"

/* Friction torque at joint velocity qd; see tq_friction. Scalar, with tq_exp and tq_tanh: the same
 * bits at every lane width. */
double tq_friction_effort(const tq_friction *friction, double qd);

/* d(friction torque)/d(qd); at a discontinuity that of either side. */
double tq_friction_slope(const tq_friction *friction, double qd);

/* Adds sign * term to the rows of tau (nv x stride), for n_sample samples. A mimic joint's effort
 * is added to its master's row times its multiplier (virtual work); spherical and floating joints:
 * core/dynamics/ball_terms.h. qd, qdd NULL: zero. */
void tq_add_friction(const tq_mechanism *mechanism, size_t n_sample, size_t stride,
                     const double *qd, double sign, double *tau);
void tq_add_springs(const tq_mechanism *mechanism, size_t n_sample, size_t stride, const double *q,
                    double sign, double *tau);
void tq_add_rotors(const tq_mechanism *mechanism, size_t n_sample, size_t stride, const double *qd,
                   const double *qdd, double sign, double *tau);

#endif
