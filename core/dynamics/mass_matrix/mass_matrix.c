/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/mass_matrix/mass_matrix.c - mass matrix by CRBA, and its reduction to master
 * joints. */
#include "core/dynamics/mass_matrix/mass_matrix.h"

#include <assert.h>

#include "core/base/fpmode.h"
#include "core/dynamics/ball_terms.h"
#include "core/dynamics/block.h"
#include "core/dynamics/inverse.h"
#include "core/dynamics/kinematics/joint_matrix.h"
#include "core/model/layout.h"

size_t tq_mass_matrix_scratch_size(const tq_mechanism *mechanism)
{
    return tq_scratch_cost(tq_work_doubles(&mechanism->canonical), sizeof(double)) +
           tq_joint_matrix_scratch_size(mechanism, 1);
}

tq_status tq_mass_matrix_checked(const tq_mechanism *mechanism, const tq_kernel_input *in,
                                 tq_scratch *scratch, double *ret_m, tq_error *reterr)
{
    const tq_canonical *c = &mechanism->canonical;
    double *work = tq_scratch_take(scratch, tq_work_doubles(c), sizeof(double));
    if (work == NULL || tq_joint_matrix(c, in, tq_kernels_for((size_t)in->n_sample)->crba, work, 1,
                                        1, scratch, ret_m) == TQ_ERR_SCRATCH) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_mass_matrix_scratch_size(mechanism));
    }
    const size_t stride = (size_t)in->out_stride;
    for (size_t i = 0; mechanism->has_ball_rotor && i < (size_t)in->n_sample; i++) {
        if (in->rotors != 0.0) {
            tq_ball_add_mass(&mechanism->model, stride, ret_m + i);
        }
    }
    return TQ_OK;
}

/* For finite angles |M_ab| <= sqrt(M_aa M_bb): checking the diagonal, nv + 1 rows apart, is enough.
 * A non-finite angle of a joint appears on the diagonal of any revolute joint it moves, but not
 * with prismatic joints, whose diagonal is a constant mass. */
static tq_status check_matrix(const tq_mechanism *mechanism, const tq_kernel_input *in,
                              const double *m, tq_error *reterr)
{
    const tq_model *model = &mechanism->model;
    const size_t nv = model->nv, n = (size_t)in->n_sample, stride = (size_t)in->stride;
    const tq_status status = tq_check_result("mass_matrix", nv, n, (nv + 1) * stride, m, reterr);
    if (status != TQ_OK || !mechanism->canonical.has_travel ||
        tq_kernels_for(n)->finite((long)model->nq, in->n_sample, in->stride, in->q)) {
        return status;
    }
    for (size_t a = 0; a < nv; a++) {
        const double *row = m + a * (nv + 1) * stride;
        if (tq_check_result("mass_matrix", nv - a, n, stride, row, reterr) != TQ_OK) {
            return TQ_ERR_OVERFLOW;
        }
    }
    return TQ_OK;
}

static tq_status mass_matrix(const tq_mechanism *mechanism, tq_kernel_input *in,
                             tq_scratch *scratch, double *ret_m, tq_error *reterr)
{
    assert(mechanism != NULL && scratch != NULL);
    assert(mechanism->model.nv == 0 || (in->q != NULL && ret_m != NULL));
    const size_t n_sample = (size_t)in->n_sample, stride = (size_t)in->stride;
    tq_status status = tq_check_block(n_sample, stride, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const size_t mark = tq_scratch_mark(scratch);
    const tq_fpmode mode = tq_fpmode_enter();
    status = tq_check_quaternions(mechanism, n_sample, stride, in->q, reterr);
    if (status == TQ_OK) {
        status = tq_mass_matrix_checked(mechanism, in, scratch, ret_m, reterr);
    }
    if (status == TQ_OK) {
        status = check_matrix(mechanism, in, ret_m, reterr);
    }
    tq_fpmode_leave(mode);
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_mass_matrix(const tq_mechanism *mechanism, size_t n_sample, size_t stride,
                         const double *q, unsigned without, tq_scratch *scratch, double *ret_m,
                         tq_error *reterr)
{
    tq_kernel_input in = tq_kernel_input_at(n_sample, stride, q, NULL);
    in.rotors = (without & TQ_WITHOUT_ROTOR) != 0 ? 0.0 : 1.0;
    return mass_matrix(mechanism, &in, scratch, ret_m, reterr);
}

tq_status tq_mass_matrix_again(const tq_mechanism *mechanism, size_t n_sample, size_t stride,
                               const double *q, unsigned without, tq_scratch *scratch,
                               double *ret_m, tq_error *reterr)
{
    tq_kernel_input in = tq_kernel_input_at(n_sample, stride, q, NULL);
    in.rotors = (without & TQ_WITHOUT_ROTOR) != 0 ? 0.0 : 1.0;
    in.fill = TQ_FILL_AGAIN | TQ_FILL_UPPER;
    return mass_matrix(mechanism, &in, scratch, ret_m, reterr);
}
