/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/energy.h - kinetic and potential energy, for blocks of samples. */
#ifndef TQ_DYNAMICS_ENERGY_H
#define TQ_DYNAMICS_ENERGY_H

#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/inverse.h"
#include "core/model/mechanism.h"

/**
 * Compute the energies of all links, rotors and springs.
 *
 * Potential energy is 0 with every centre of mass at the world origin and every spring at
 * rest length.
 *
 * Shapes   of `at` only n_sample, stride, q, qd (NULL: at rest) and gravity are used; ret_energy
 *          (2 x stride): kinetic, then potential, J.
 * Memory   Borrows every argument for the call only. Takes at most tq_energy_scratch_size bytes of
 *          `scratch` and releases them. Re-entrant.
 * Bits     As for tq_inverse_dynamics.
 * Returns  TQ_OK, TQ_ERR_SHAPE, TQ_ERR_QUATERNION, TQ_ERR_OVERFLOW ("energy"), TQ_ERR_SCRATCH as
 *          tq_inverse_dynamics.
 * Cost     O(n_joint) a sample.
 * Checked  tests/property/core/dynamics/test_energy.c
 */
tq_status tq_energy(const tq_mechanism *mechanism, const tq_inverse_input *at, tq_scratch *scratch,
                    double *ret_energy, tq_error *reterr);

/* Bytes of scratch that tq_energy needs. */
size_t tq_energy_scratch_size(const tq_mechanism *mechanism);

#endif
