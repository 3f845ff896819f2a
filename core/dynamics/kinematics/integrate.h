/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/kinematics/integrate.h - integration on the configuration manifold: q (+) step. */
#ifndef TQ_DYNAMICS_KINEMATICS_INTEGRATE_H
#define TQ_DYNAMICS_KINEMATICS_INTEGRATE_H

#include "core/model/model.h"

/* q (+) step, where step = velocity * time: quaternions by the exponential map and normalised, the
 * translation of a floating joint along its own axes, all others by addition. q, ret (nq) may be
 * the same; step (nv). Cost O(nq). (Pinocchio: integrate.) */
void tq_configuration_integrate(const tq_model *model, const double *q, const double *step,
                                double *ret);

/* The step from one configuration to another, the inverse of the above: from (+) ret = to, up to
 * the sign of quaternions, of turns of up to pi; angles are numbers, which differ by their turns
 * too. from, to (nq); ret (nv). Cost O(nq). (Pinocchio: difference, whose floating joints move
 * along a screw.) */
void tq_configuration_difference(const tq_model *model, const double *from, const double *to,
                                 double *ret);

#endif
