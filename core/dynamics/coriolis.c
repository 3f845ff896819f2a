/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/coriolis.c - the Coriolis matrix by the kernel. */
#include "core/dynamics/coriolis.h"

#include <assert.h>

#include "core/base/fpmode.h"
#include "core/dynamics/ball_terms.h"
#include "core/dynamics/block.h"
#include "core/dynamics/kinematics/joint_matrix.h"
#include "core/model/layout.h"

size_t tq_coriolis_scratch_size(const tq_mechanism *mechanism)
{
    return tq_scratch_cost(tq_coriolis_work_doubles(&mechanism->canonical), sizeof(double)) +
           tq_joint_matrix_scratch_size(mechanism, 1);
}

static tq_status coriolis_checked(const tq_mechanism *mechanism, const tq_kernel_input *in,
                                  tq_scratch *scratch, double *ret_c, tq_error *reterr)
{
    const size_t n = (size_t)in->n_sample, nv = mechanism->model.nv;
    double *work =
        tq_scratch_take(scratch, tq_coriolis_work_doubles(&mechanism->canonical), sizeof(double));
    const tq_status status =
        work == NULL ? TQ_ERR_SCRATCH
                     : tq_joint_matrix(&mechanism->canonical, in, tq_kernels_for(n)->coriolis, work,
                                       1, 0, scratch, ret_c);
    if (status == TQ_ERR_SCRATCH) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_coriolis_scratch_size(mechanism));
    }
    for (size_t i = 0; mechanism->has_ball_rotor && status == TQ_OK && i < n; i++) {
        tq_ball_add_coriolis(&mechanism->model, (size_t)in->stride, in->qd + i, ret_c + i);
    }
    return status == TQ_OK
               ? TQ_OK
               : tq_check_result("coriolis_matrix", nv * nv, n, (size_t)in->stride, ret_c, reterr);
}

static tq_status coriolis(const tq_mechanism *mechanism, const tq_kernel_input *in,
                          tq_scratch *scratch, double *ret_c, tq_error *reterr)
{
    assert(mechanism != NULL && scratch != NULL);
    assert(mechanism->model.nv == 0 || (in->q != NULL && in->qd != NULL && ret_c != NULL));
    const size_t n_sample = (size_t)in->n_sample, stride = (size_t)in->stride;
    tq_status status = tq_check_block(n_sample, stride, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const size_t mark = tq_scratch_mark(scratch);
    const tq_fpmode mode = tq_fpmode_enter();
    status = tq_check_quaternions(mechanism, n_sample, stride, in->q, reterr);
    if (status == TQ_OK) {
        status = coriolis_checked(mechanism, in, scratch, ret_c, reterr);
    }
    tq_fpmode_leave(mode);
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_coriolis_matrix(const tq_mechanism *mechanism, size_t n_sample, size_t stride,
                             const double *q, const double *qd, tq_scratch *scratch, double *ret_c,
                             tq_error *reterr)
{
    const tq_kernel_input in = tq_kernel_input_at(n_sample, stride, q, qd);
    return coriolis(mechanism, &in, scratch, ret_c, reterr);
}

tq_status tq_coriolis_matrix_again(const tq_mechanism *mechanism, size_t n_sample, size_t stride,
                                   const double *q, const double *qd, tq_scratch *scratch,
                                   double *ret_c, tq_error *reterr)
{
    tq_kernel_input in = tq_kernel_input_at(n_sample, stride, q, qd);
    in.fill = TQ_FILL_AGAIN;
    return coriolis(mechanism, &in, scratch, ret_c, reterr);
}
