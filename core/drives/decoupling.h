/* SPDX-License-Identifier: Apache-2.0 */
/* core/drives/decoupling.h - errors of models that treat each joint separately. */
#ifndef TQ_DRIVES_DECOUPLING_H
#define TQ_DRIVES_DECOUPLING_H

#include "core/dynamics/sample.h"
#include "core/model/mechanism.h"

/**
 * Errors of approximations that treat each joint separately: approximate minus exact
 * torque.
 *
 *     inertia_diagonal   M_ii qdd_i - (M qdd)_i
 *     inertia_rotor      eta^2 I_m qdd_i - (M qdd)_i
 *     decoupled          M_ii qdd_i - (M qdd + C qd)_i: gravity and friction are exact
 *     decoupled_rotor    eta^2 I_m qdd_i - (M qdd + C qd)_i
 *
 * Shapes   m (n x n, column-major), both triangles, rotors in; rotor, velocity = C qd and qdd (n);
 *          ret (4 x n), consecutive.
 * Source   Taghirad, Robotics, ch. 5: for gear ratios of 100 and more.
 * Checked  tests/golden/test_seeds_drives.c
 */
void tq_decoupling_errors(size_t n, const double *m, const double *rotor, const double *velocity,
                          const double *qdd, double *ret);

/**
 * The same of one sample: M of the kernels, C qd by Christoffel symbols, and on the diagonal
 * eta^2 I_m the rotors, or inertias of spherical and floating joints as they are in M.
 *
 * Shapes   posture at sample->q and sample->qd; ret (4 x nv).
 * Units    N m, N.
 * Memory   tq_decoupling_scratch_size(mechanism) bytes of `scratch`, all released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, or as tq_mass_matrix.
 * Cost     O(n_joint depth + nv^2).
 * Source   as above.
 * Checked  tests/golden/test_seeds_drives.c
 */
tq_status tq_decoupling_at(const tq_mechanism *mechanism, const tq_configuration *posture,
                           const tq_sample *sample, tq_scratch *scratch, double *ret,
                           tq_error *reterr);
size_t tq_decoupling_scratch_size(const tq_mechanism *mechanism);

#endif
