/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/terms.h - torques of the joints themselves: rotors, friction, springs. */
#ifndef TQ_DYNAMICS_TERMS_H
#define TQ_DYNAMICS_TERMS_H

#include <stddef.h>

#include "core/dynamics/passive/friction.h" /* of one joint, at one velocity */
#include "core/model/mechanism.h"
#include "core/model/model.h"

/* Adds sign * term to the rows of tau (nv x stride), for n_sample samples. A mimic joint's effort
 * is added to its master's row times its multiplier (virtual work); spherical and floating joints:
 * core/dynamics/ball_terms.h. Friction and springs include those along tendons
 * (core/dynamics/passive/tendons.h). qd, qdd NULL: zero. */
void tq_add_friction(const tq_mechanism *mechanism, size_t n_sample, size_t stride, const double *q,
                     const double *qd, double sign, double *tau);
void tq_add_springs(const tq_mechanism *mechanism, size_t n_sample, size_t stride, const double *q,
                    double sign, double *tau);
void tq_add_rotors(const tq_mechanism *mechanism, size_t n_sample, size_t stride, const double *qd,
                   const double *qdd, double sign, double *tau);

#endif
