/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/derivatives_batch.c - derivatives by the kernel, plus friction and
 * springs. */
#include "core/dynamics/derivatives/derivatives_batch.h"

#include <assert.h>

#include "core/base/fpmode.h"
#include "core/dynamics/ball_terms.h"
#include "core/dynamics/block.h"
#include "core/dynamics/derivatives/derivatives.h"
#include "core/dynamics/derivatives/drag_derivatives.h"
#include "core/dynamics/kinematics/joint_matrix.h"
#include "core/dynamics/terms.h"
#include "core/model/layout.h"

size_t tq_derivatives_batch_scratch_size(const tq_mechanism *mechanism)
{
    return tq_scratch_cost(tq_derivatives_work_doubles(&mechanism->canonical), sizeof(double)) +
           tq_joint_matrix_scratch_size(mechanism, 2) +
           tq_drag_derivatives_scratch_size(&mechanism->model);
}

/* springs and friction of one-dof joints are on the diagonals */
static void add_joint_efforts(const tq_model *model, const tq_inverse_input *in, double *d)
{
    const size_t nv = model->nv, stride = in->stride;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (tq_joint_kind_nv(joint->kind) != 1) {
            continue;
        }
        const double factor = joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0;
        const double *rate = in->qd != NULL ? in->qd + joint->v_index * stride : NULL;
        double *by_q = d + ((size_t)joint->v_index * nv + joint->v_index) * stride;
        double *by_qd = by_q + nv * nv * stride;
        for (size_t i = 0; i < in->n_sample; i++) {
            if ((in->without & TQ_WITHOUT_SPRING) == 0) {
                by_q[i] += factor * factor * joint->spring.stiffness;
            }
            if ((in->without & TQ_WITHOUT_FRICTION) == 0) {
                const double slope =
                    tq_friction_slope(&joint->friction, rate != NULL ? factor * rate[i] : 0.0);
                by_qd[i] += factor * factor * slope;
            }
        }
    }
}

static tq_status add_drag(const tq_mechanism *mechanism, const tq_inverse_input *in,
                          tq_scratch *scratch, double *d, tq_error *reterr)
{
    const size_t half = (size_t)mechanism->model.nv * mechanism->model.nv * in->stride;
    const _Bool drag = mechanism->has_drag && (in->without & TQ_WITHOUT_DRAG) == 0;
    tq_status status = TQ_OK;
    for (size_t i = 0; drag && status == TQ_OK && i < in->n_sample; i++) {
        status = tq_drag_add_derivatives(&mechanism->model, in->stride, in->q + i,
                                         in->qd != NULL ? in->qd + i : NULL, scratch, d + i,
                                         d + half + i, reterr);
    }
    return status;
}

static tq_status rigid(const tq_mechanism *mechanism, const tq_inverse_input *at,
                       tq_scratch *scratch, double *ret_d, tq_error *reterr)
{
    const double *gravity = at->gravity != NULL ? at->gravity : mechanism->model.gravity;
    const double weight = (at->without & TQ_WITHOUT_GRAVITY) != 0 ? 0.0 : 1.0;
    const tq_kernel_input in = {
        .n_sample = (long)at->n_sample,
        .stride = (long)at->stride,
        .out_stride = (long)at->stride,
        .q = at->q,
        .qd = (at->without & TQ_WITHOUT_VELOCITY) != 0 ? NULL : at->qd,
        .qdd = (at->without & TQ_WITHOUT_INERTIA) != 0 ? NULL : at->qdd,
        .gravity = {weight * gravity[0], weight * gravity[1], weight * gravity[2]},
    };
    double *work = tq_scratch_take(scratch, tq_derivatives_work_doubles(&mechanism->canonical),
                                   sizeof(double));
    tq_matrix_kernel *kernel = tq_kernels_for(at->n_sample)->derivatives;
    if (work == NULL ||
        tq_joint_matrix(mechanism, &in, kernel, work, 2, 0, scratch, ret_d) == TQ_ERR_SCRATCH) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_derivatives_batch_scratch_size(mechanism));
    }
    return TQ_OK;
}

tq_status tq_derivatives_batch(const tq_mechanism *mechanism, const tq_inverse_input *in,
                               tq_scratch *scratch, double *ret_d, tq_error *reterr)
{
    assert(mechanism != NULL && in != NULL && scratch != NULL && in->n_wrench == 0);
    const size_t nv = mechanism->model.nv;
    assert(nv == 0 || (in->q != NULL && ret_d != NULL));
    tq_status status = tq_check_block(in->n_sample, in->stride, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const size_t mark = tq_scratch_mark(scratch);
    const tq_fpmode mode = tq_fpmode_enter();
    status = tq_check_quaternions(mechanism, in->n_sample, in->stride, in->q, reterr);
    if (status == TQ_OK) {
        status = rigid(mechanism, in, scratch, ret_d, reterr);
    }
    if (status == TQ_OK) {
        add_joint_efforts(&mechanism->model, in, ret_d);
        for (size_t i = 0; mechanism->has_ball_terms && i < in->n_sample; i++) {
            tq_ball_add_derivatives(&mechanism->model, tq_ball_terms_left(in->without), in->stride,
                                    in->q + i, in->qd != NULL ? in->qd + i : NULL, ret_d + i,
                                    ret_d + nv * nv * in->stride + i);
        }
        status = add_drag(mechanism, in, scratch, ret_d, reterr);
    }
    if (status == TQ_OK) {
        status =
            tq_check_result("derivatives", 2 * nv * nv, in->n_sample, in->stride, ret_d, reterr);
    }
    tq_fpmode_leave(mode);
    tq_scratch_rewind(scratch, mark);
    return status;
}
