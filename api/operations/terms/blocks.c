/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/terms/blocks.c - names of `include` whose terms the kernels give for a whole
 * block at once. */
#include "api/operations/terms/blocks.h"

#include "api/openapi/generated/terms.h"
#include "core/dynamics/derivatives/derivatives_batch.h"
#include "core/dynamics/derivatives/second_batch.h"
#include "core/dynamics/energy.h"
#include "core/dynamics/mass_matrix/mass_matrix.h"
#include "core/dynamics/mass_matrix/mass_matrix_inverse.h"
#include "core/dynamics/momentum/momentum_batch.h"

enum {
    NOTHING = TQ_WITHOUT_FRICTION | TQ_WITHOUT_ROTOR | TQ_WITHOUT_SPRING | TQ_WITHOUT_GRAVITY |
              TQ_WITHOUT_EXTERNAL | TQ_WITHOUT_VELOCITY | TQ_WITHOUT_INERTIA | TQ_WITHOUT_DRAG,
};

tq_status tqa_block_mass_matrix(const tqa_call *call, const tq_inverse_input *in,
                                tq_scratch *scratch, double *ret, tq_error *error)
{
    return tq_mass_matrix(call->mechanism, in->n_sample, in->stride, in->q, 0, scratch, ret, error);
}

tq_status tqa_block_mass_matrix_inverse(const tqa_call *call, const tq_inverse_input *in,
                                        tq_scratch *scratch, double *ret, tq_error *error)
{
    return tq_mass_matrix_inverse(call->mechanism, in->n_sample, in->stride, in->q, 0, scratch, ret,
                                  error);
}

/* inverse dynamics of one term alone */
static tq_status torque_of(unsigned term, const tqa_call *call, const tq_inverse_input *in,
                           tq_scratch *scratch, double *ret, tq_error *error)
{
    tq_inverse_input alone = *in;
    alone.without = (unsigned)NOTHING & ~term;
    alone.wrenches = NULL;
    alone.n_wrench = 0;
    alone.qdd = NULL;
    return tq_inverse_dynamics(call->mechanism, &alone, scratch, ret, error);
}

tq_status tqa_block_coriolis_vector(const tqa_call *call, const tq_inverse_input *in,
                                    tq_scratch *scratch, double *ret, tq_error *error)
{
    return torque_of(TQ_WITHOUT_VELOCITY, call, in, scratch, ret, error);
}

tq_status tqa_block_gravity_torque(const tqa_call *call, const tq_inverse_input *in,
                                   tq_scratch *scratch, double *ret, tq_error *error)
{
    return torque_of(TQ_WITHOUT_GRAVITY, call, in, scratch, ret, error);
}

tq_status tqa_block_energy(const tqa_call *call, const tq_inverse_input *in, tq_scratch *scratch,
                           double *ret, tq_error *error)
{
    return tq_energy(call->mechanism, in, scratch, ret, error);
}

tq_status tqa_block_momentum(const tqa_call *call, const tq_inverse_input *in, tq_scratch *scratch,
                             double *ret, tq_error *error)
{
    const size_t mark = tq_scratch_mark(scratch), stride = in->stride;
    double *all = tq_scratch_take(scratch, TQ_MOMENTUM_ROWS * stride, sizeof *all);
    tq_status status = TQ_ERR_SCRATCH;
    if (all != NULL) {
        status = tq_momentum_batch(call->mechanism, in, scratch, all, error);
    }
    double mass = 0.0;
    for (uint32_t l = 0; l < call->model->n_link; l++) {
        mass += call->model->links[l].inertia.mass;
    }
    static const size_t members[] = {TQ_MOMENTUM_LINEAR, TQ_MOMENTUM_ANGULAR_COM,
                                     TQ_MOMENTUM_ANGULAR_ORIGIN};
    for (size_t i = 0; status == TQ_OK && i < in->n_sample; i++) {
        ret[i] = mass;
        for (size_t r = 0; r < 9; r++) {
            ret[(1 + r) * stride + i] = all[(members[r / 3] + r % 3) * stride + i];
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tqa_block_derivatives(const tqa_call *call, const tq_inverse_input *in,
                                tq_scratch *scratch, double *ret, tq_error *error)
{
    const size_t nv = call->model->nv;
    const tq_status status = tq_derivatives_batch(call->mechanism, in, scratch, ret, error);
    return status != TQ_OK
               ? status
               : tqa_block_mass_matrix(call, in, scratch, ret + 2 * nv * nv * in->stride, error);
}

tq_status tqa_block_second_derivatives(const tqa_call *call, const tq_inverse_input *in,
                                       tq_scratch *scratch, double *ret, tq_error *error)
{
    return tq_second_derivatives_batch(call->mechanism, in, scratch, ret, error);
}

size_t tqa_block_scratch_size(const tq_mechanism *mechanism, uint64_t include)
{
    const size_t momentum =
        tq_scratch_cost((size_t)TQ_MOMENTUM_ROWS * TQ_BLOCK_STRIDE, sizeof(double)) +
        tq_momentum_batch_scratch_size(mechanism);
    const struct {
        uint64_t bits;
        size_t size;
    } of[] = {
        {TQA_INCLUDE_MASS_MATRIX | TQA_INCLUDE_DERIVATIVES, tq_mass_matrix_scratch_size(mechanism)},
        {TQA_INCLUDE_MASS_MATRIX_INVERSE, tq_mass_matrix_inverse_scratch_size(mechanism)},
        {TQA_INCLUDE_CORIOLIS_VECTOR | TQA_INCLUDE_GRAVITY_TORQUE,
         tq_inverse_scratch_size(mechanism, 0)},
        {TQA_INCLUDE_ENERGY, tq_energy_scratch_size(mechanism)},
        {TQA_INCLUDE_DERIVATIVES, tq_derivatives_batch_scratch_size(mechanism)},
        {TQA_INCLUDE_SECOND_DERIVATIVES, tq_second_batch_scratch_size(mechanism)},
        {TQA_INCLUDE_MOMENTUM, momentum},
    };
    size_t most = 0;
    for (size_t k = 0; k < sizeof of / sizeof of[0]; k++) {
        most = (include & of[k].bits) != 0 && of[k].size > most ? of[k].size : most;
    }
    return most;
}
