/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/compensation.h - forces that carry a share of the weight of links. */
#ifndef TQ_DYNAMICS_PASSIVE_COMPENSATION_H
#define TQ_DYNAMICS_PASSIVE_COMPENSATION_H

#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/kinematics/configuration.h"

/* A link with gravity compensation c (tq_link) of mass m is carried by a force -c m g at its centre
 * of mass, g being the gravity of the call: its weight is (1 - c) m g, its inertia m. The force has
 * the potential c m g . x. A payload of a request is not carried. It is part of the gravity torque
 * everywhere, and TQ_WITHOUT_GRAVITY omits it. Kernels know one gravity: in blocks of samples it is
 * the weight of a second robot (core/dynamics/passive/carried.h), here of one sample the force.
 *
 * Source   MuJoCo documentation, XML reference, body/gravcomp.
 * Checked  tests/property/core/dynamics/test_compensation.c, tests/peers/test_mujoco_gravcomp.py */

/* Force on one link along the axes of the world, and no moment about its `carried_at`. */
void tq_compensation_wrench(const tq_model *model, uint32_t link, const double gravity[3],
                            double ret_wrench[6]);

/* Mass times centre in the world, then mass, that are carried of one link: with them the potential
 * is gravity . (ret[0], ret[1], ret[2]). */
void tq_compensation_moment(const tq_configuration *posture, uint32_t link, double ret[4]);

/* c m summed over all links, kg. */
double tq_compensated_mass(const tq_model *model);

/* Adds the derivatives of its torque by q at one posture to dq (nv x nv). Takes
 * tq_compensation_scratch_size(model) bytes of `scratch` and releases them; TQ_OK or
 * TQ_ERR_SCRATCH. Nothing without compensation. O(n_joint depth). */
tq_status tq_compensation_add_slopes(const tq_configuration *posture, const double gravity[3],
                                     tq_scratch *scratch, double *dq, tq_error *reterr);
size_t tq_compensation_scratch_size(const tq_model *model);

#endif
