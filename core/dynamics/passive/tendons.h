/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/tendons.h - springs and friction along sums of coordinates and along paths.
 */
#ifndef TQ_DYNAMICS_PASSIVE_TENDONS_H
#define TQ_DYNAMICS_PASSIVE_TENDONS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/derivatives/second_arrays.h"
#include "core/dynamics/passive/path_slopes.h"
#include "core/model/model.h"

/* For tendons of the model (tq_tendon): with length L(q) = a^T q + b + sum of weight |p_next - p|,
 * J = dL/dq, s what L is beyond the lengths where the spring is slack and tension f = stiffness s +
 * friction(dL/dt), the torque that overcomes them is tau = J^T f, and their energy is stiffness
 * s^2 / 2. The derivatives are J^T (stiffness J + friction' d(J qd)/dq) + f dJ/dq by q, stiffness 0
 * where the spring is slack, and J^T J friction' by qd. A mimic joint pulls at its master's row,
 * times its multiplier.
 *
 * Source   MuJoCo documentation, XML reference, tendon/fixed and tendon/spatial.
 * Checked  tests/property/core/dynamics/test_tendons.c, test_paths.c,
 *          tests/peers/test_mujoco_tendons.py, test_mujoco_paths.py */

/* L of one sample, whose rows of q are `stride` apart. */
double tq_tendon_length(const tq_model *model, const tq_tendon *tendon, size_t stride,
                        const double *q);

/* dL/dt of one sample; qd NULL: 0. */
double tq_tendon_rate(const tq_model *model, const tq_tendon *tendon, size_t stride,
                      const double *q, const double *qd);

/* Adds J^T tension to tau (nv x stride) of one sample. */
void tq_tendon_pull(const tq_model *model, const tq_tendon *tendon, size_t stride, const double *q,
                    double tension, double *tau);

/* qd^T d2L/dq2 qd, by which d2L/dt2 = J qdd + that: of one sample. Memory, Returns as
 * tq_tendons_add_derivatives. */
tq_status tq_tendon_turn(const tq_model *model, const tq_tendon *tendon, const tq_path_sample *at,
                         tq_scratch *scratch, double *ret, tq_error *reterr);

/* f of one sample, of springs and of friction where these are true. qd NULL: zero. */
double tq_tendon_tension(const tq_model *model, const tq_tendon *tendon, bool springs,
                         bool friction, const tq_path_sample *at);

/* Adds sign * torque to the rows of tau (nv x stride), for n_sample samples. qd NULL: zero.
 * O(shares + points + joints between them). */
void tq_tendons_add_springs(const tq_model *model, size_t n_sample, size_t stride, const double *q,
                            double sign, double *tau);
void tq_tendons_add_friction(const tq_model *model, size_t n_sample, size_t stride, const double *q,
                             const double *qd, double sign, double *tau);

/* Potential energy of one sample, J; rows of q are `stride` apart. */
double tq_tendons_potential(const tq_model *model, size_t stride, const double *q);

/**
 * Add the torque's derivatives at one sample, of springs and of friction where these are true.
 *
 * Shapes   rows of q and qd, and entries of dq and dqd (nv x nv), `at->stride` apart.
 * Memory   tq_tendons_derivatives_scratch_size(model) bytes of `scratch`, released; 0 without
 *          paths.
 * Returns  TQ_OK; with paths also TQ_ERR_SCRATCH, TQ_ERR_QUATERNION.
 * Cost     O(square of the shares, or of the joints between points, of each tendon).
 */
tq_status tq_tendons_add_derivatives(const tq_model *model, bool springs, bool friction,
                                     const tq_path_sample *at, tq_scratch *scratch, double *dq,
                                     double *dqd, tq_error *reterr);
size_t tq_tendons_derivatives_scratch_size(const tq_model *model);

/**
 * Add their derivatives, the second ones of the torque. With R = d(J qd)/dq, and a stiffness of 0
 * where the spring is slack, those of dtau/dq by q are
 *
 *     f d2J/dq2 + dJ/dq (stiffness J + friction' R), twice,
 *     + J (stiffness dJ/dq + friction' dR/dq + friction'' R R)
 *
 * Shapes   ret: three arrays (nv x nv x nv); its dqdd_dq is not written.
 * Memory, Returns  as above, with tq_tendons_second_scratch_size(model).
 * Cost     O(cube of the shares, or of the joints between points, of each tendon).
 */
tq_status tq_tendons_add_second(const tq_model *model, bool springs, bool friction,
                                const tq_path_sample *at, tq_scratch *scratch,
                                const tq_second_derivatives *ret, tq_error *reterr);
size_t tq_tendons_second_scratch_size(const tq_model *model);

#endif
