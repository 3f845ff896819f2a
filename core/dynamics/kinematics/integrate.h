/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/kinematics/integrate.h - coordinates after a small motion of the joints. */
#ifndef TQ_DYNAMICS_KINEMATICS_INTEGRATE_H
#define TQ_DYNAMICS_KINEMATICS_INTEGRATE_H

#include "core/model/model.h"

/* q (+) step, where step is a velocity times a short time: quaternions by the exponential map and
 * of unit length, a floating joint's shift along its own axes, the rest by addition. q, ret (nq),
 * which may be the same; step (nv). Cost O(nq). */
void tq_configuration_integrate(const tq_model *model, const double *q, const double *step,
                                double *ret);

#endif
