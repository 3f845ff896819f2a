/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/compensation.h - forces that carry a share of the weight of links. */
#ifndef TQ_DYNAMICS_PASSIVE_COMPENSATION_H
#define TQ_DYNAMICS_PASSIVE_COMPENSATION_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/external_wrench.h"
#include "core/dynamics/kinematics/configuration.h"
#include "core/model/mechanism.h"

/* A link with gravity compensation c (tq_link) of mass m is carried by a force -c m g at its centre
 * of mass, g being the gravity of the call: its weight is (1 - c) m g, its inertia m. The force has
 * the potential c m g . x. A payload of a request is not carried. It is part of the gravity torque
 * everywhere, and TQ_WITHOUT_GRAVITY omits it. Kernels know one gravity: to them it is an external
 * wrench.
 *
 * Source   MuJoCo documentation, XML reference, body/gravcomp.
 * Checked  tests/property/core/dynamics/test_compensation.c, tests/peers/test_mujoco_gravcomp.py */

/* Wrenches on the robot. */
typedef struct tq_loads {
    const tq_external_wrench *wrenches; /* (n) */
    size_t n;
} tq_loads;

/* Puts the forces of compensation after the loads; gravity (3), NULL: the model's own. Takes
 * tq_loads_scratch_size(mechanism, loads->n) bytes of `scratch`, which the caller rewinds. False:
 * too little. */
bool tq_loads_take(const tq_mechanism *mechanism, const double *gravity, tq_scratch *scratch,
                   tq_loads *loads);
size_t tq_loads_scratch_size(const tq_mechanism *mechanism, size_t n_wrench);

/* Force on one link along the axes of the world, and no moment about its `carried_at`. */
void tq_compensation_wrench(const tq_model *model, uint32_t link, const double gravity[3],
                            double ret_wrench[6]);

/* Mass times centre in the world, then mass, that are carried of one link: with them the potential
 * is gravity . (ret[0], ret[1], ret[2]). */
void tq_compensation_moment(const tq_configuration *posture, uint32_t link, double ret[4]);

/* c m summed over all links, kg. */
double tq_compensated_mass(const tq_model *model);

/* Rows of `stride`: q (nq); gravity (3). */
typedef struct tq_compensation_samples {
    size_t n_sample, stride;
    const double *q, *gravity;
} tq_compensation_samples;

/**
 * Add what compensation adds to the potential energy of each sample.
 *
 * Shapes   ret (n_sample).
 * Memory   tq_compensation_scratch_size(model) bytes of `scratch`, released; 0 without.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, TQ_ERR_QUATERNION.
 * Cost     O(n_joint) a sample, one sample at a time.
 */
tq_status tq_compensation_add_potential(const tq_model *model, const tq_compensation_samples *in,
                                        tq_scratch *scratch, double *ret, tq_error *reterr);

/* Adds the derivatives of its torque by q to dq (nv x nv x stride), whose entries are in->stride
 * apart; all else as above. O(n_joint depth) a sample. */
tq_status tq_compensation_add_derivatives(const tq_model *model, const tq_compensation_samples *in,
                                          tq_scratch *scratch, double *dq, tq_error *reterr);

/* Adds what it has in the columns of tq_parameter_list to the regressor (nv x n_column x stride): c
 * times those of weight; all else as above. */
tq_status tq_compensation_add_columns(const tq_model *model, const tq_compensation_samples *in,
                                      size_t n_column, tq_scratch *scratch, double *y,
                                      tq_error *reterr);

size_t tq_compensation_scratch_size(const tq_model *model);

/* tq_compensation_add_derivatives at one posture, to dq (nv x nv). Nothing without compensation. */
tq_status tq_compensation_add_slopes(const tq_configuration *posture, const double gravity[3],
                                     tq_scratch *scratch, double *dq, tq_error *reterr);

#endif
