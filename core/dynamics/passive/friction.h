/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/friction.h - friction at one velocity, of a joint or along a tendon. */
#ifndef TQ_DYNAMICS_PASSIVE_FRICTION_H
#define TQ_DYNAMICS_PASSIVE_FRICTION_H

#include "core/model/model.h"

/* Friction torque at joint velocity qd; see tq_friction. Scalar, with tq_exp and tq_tanh: the same
 * bits at every lane width. */
double tq_friction_effort(const tq_friction *friction, double qd);

/* d(friction torque)/d(qd); at a discontinuity that of either side. */
double tq_friction_slope(const tq_friction *friction, double qd);

/* d2(friction torque)/d(qd)2; without the jump of sign(qd), and at it 0 but for smoothing. */
double tq_friction_curvature(const tq_friction *friction, double qd);

#endif
