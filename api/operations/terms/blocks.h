/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/terms/blocks.h - terms that kernels compute for a whole block at once. */
#ifndef TQA_OPERATIONS_TERMS_BLOCKS_H
#define TQA_OPERATIONS_TERMS_BLOCKS_H

#include "api/call/call.h"
#include "core/dynamics/inverse.h"

/* Write the members of a name one after the other, in rows that are in->stride apart, in the
 * robot's order. Wrenches of `in` are none. */
typedef tq_status tqa_block_terms(const tqa_call *call, const tq_inverse_input *in,
                                  tq_scratch *scratch, double *ret, tq_error *error);
tqa_block_terms tqa_block_mass_matrix, tqa_block_coriolis_vector, tqa_block_gravity_torque,
    tqa_block_energy, tqa_block_momentum, tqa_block_derivatives, tqa_block_second_derivatives,
    tqa_block_mass_matrix_inverse;

/* Bytes of scratch that any of them needs. */
size_t tqa_block_scratch_size(const tq_mechanism *mechanism, uint64_t include);

#endif
