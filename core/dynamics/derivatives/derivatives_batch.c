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
#include "core/dynamics/passive/carried.h"
#include "core/dynamics/passive/tendons.h"
#include "core/dynamics/terms.h"
#include "core/model/layout.h"

size_t tq_derivatives_batch_scratch_size(const tq_mechanism *mechanism)
{
    return tq_scratch_cost(tq_derivatives_work_doubles(&mechanism->canonical), sizeof(double)) +
           tq_joint_matrix_scratch_size(mechanism, 2) +
           tq_drag_derivatives_scratch_size(&mechanism->model) +
           tq_tendons_derivatives_scratch_size(&mechanism->model) +
           tq_carried_derivatives_size(mechanism);
}

static void add_everywhere(double x, size_t n, double *row)
{
    for (size_t i = 0; i < n && x != 0.0; i++) {
        row[i] += x;
    }
}

/* Slopes of friction with Stribeck effect or smoothing differ from sample to sample, others do not.
 * factor: rate of the joint per unit rate of its row. */
static void add_slopes(const tq_friction *friction, double factor, size_t n, const double *rate,
                       double *row)
{
    if (friction->stribeck_velocity <= 0.0 && friction->smoothing <= 0.0) {
        add_everywhere(factor * factor * tq_friction_slope(friction, 0.0), n, row);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const double slope = tq_friction_slope(friction, rate != NULL ? factor * rate[i] : 0.0);
        row[i] += factor * factor * slope;
    }
}

/* springs and friction of one-dof joints are on the diagonals */
static void add_joint_efforts(const tq_model *model, const tq_inverse_input *in, double *d)
{
    const size_t nv = model->nv, stride = in->stride, n = in->n_sample;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (tq_joint_kind_nv(joint->kind) != 1) {
            continue;
        }
        const double factor = joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0;
        const double *rate = in->qd != NULL ? in->qd + joint->v_index * stride : NULL;
        double *by_q = d + ((size_t)joint->v_index * nv + joint->v_index) * stride;
        if ((in->without & TQ_WITHOUT_SPRING) == 0) {
            add_everywhere(factor * factor * joint->spring.stiffness, n, by_q);
        }
        if ((in->without & TQ_WITHOUT_FRICTION) == 0) {
            add_slopes(&joint->friction, factor, n, rate, by_q + nv * nv * stride);
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

static tq_status add_tendons(const tq_mechanism *mechanism, const tq_inverse_input *in,
                             tq_scratch *scratch, double *d, tq_error *reterr)
{
    const tq_model *model = &mechanism->model;
    const size_t half = (size_t)model->nv * model->nv * in->stride;
    tq_status status = TQ_OK;
    for (size_t i = 0; model->n_tendon > 0 && status == TQ_OK && i < in->n_sample; i++) {
        const tq_path_sample at = {
            .stride = in->stride, .q = in->q + i, .qd = in->qd != NULL ? in->qd + i : NULL};
        status = tq_tendons_add_derivatives(model, (in->without & TQ_WITHOUT_SPRING) == 0,
                                            (in->without & TQ_WITHOUT_FRICTION) == 0, &at, scratch,
                                            d + i, d + half + i, reterr);
    }
    return status;
}

/* TQ_ERR_OVERFLOW: some entry may not be finite */
static tq_status rigid(const tq_mechanism *mechanism, const tq_inverse_input *at, int fill,
                       double *work, tq_scratch *scratch, double *ret_d, tq_error *reterr)
{
    const double *gravity = at->gravity != NULL ? at->gravity : mechanism->model.gravity;
    const double weight = (at->without & TQ_WITHOUT_GRAVITY) != 0 ? 0.0 : 1.0;
    tq_kernel_input in = tq_kernel_input_at(
        at->n_sample, at->stride, at->q, (at->without & TQ_WITHOUT_VELOCITY) != 0 ? NULL : at->qd);
    in.qdd = (at->without & TQ_WITHOUT_INERTIA) != 0 ? NULL : at->qdd;
    in.fill = fill;
    for (int k = 0; k < 3; k++) {
        in.gravity[k] = weight * gravity[k];
    }
    const tq_status status =
        work == NULL
            ? TQ_ERR_SCRATCH
            : tq_joint_matrix(&mechanism->canonical, &in, tq_kernels_for(at->n_sample)->derivatives,
                              work, 2, 0, scratch, ret_d);
    return status != TQ_ERR_SCRATCH ? status
                                    : tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                                              (double)tq_derivatives_batch_scratch_size(mechanism));
}

/* Springs and friction of one-dof joints change the diagonals only, of matrices whose entries are
 * finite: then checking those is enough. */
static _Bool finite_diagonals(size_t nv, const tq_inverse_input *in, const double *d)
{
    const tq_kernels *kernels = tq_kernels_for(in->n_sample);
    const long rows = (long)nv, n = (long)in->n_sample, pitch = (long)((nv + 1) * in->stride);
    return kernels->finite(rows, n, pitch, d) &&
           kernels->finite(rows, n, pitch, d + nv * nv * in->stride);
}

static tq_status derivatives(const tq_mechanism *mechanism, const tq_inverse_input *in, int fill,
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
    double *work = tq_scratch_take(scratch, tq_derivatives_work_doubles(&mechanism->canonical),
                                   sizeof(double));
    status = tq_check_quaternions(mechanism, in->n_sample, in->stride, in->q, reterr);
    if (status == TQ_OK) {
        status = rigid(mechanism, in, fill, work, scratch, ret_d, reterr);
    }
    if (status == TQ_OK || status == TQ_ERR_OVERFLOW) {
        add_joint_efforts(&mechanism->model, in, ret_d);
        for (size_t i = 0; mechanism->has_ball_terms && i < in->n_sample; i++) {
            tq_ball_add_derivatives(&mechanism->model, tq_ball_terms_left(in->without), in->stride,
                                    in->q + i, in->qd != NULL ? in->qd + i : NULL, ret_d + i,
                                    ret_d + nv * nv * in->stride + i);
        }
        const _Bool carried =
            mechanism->n_compensated > 0 && (in->without & TQ_WITHOUT_GRAVITY) == 0;
        const _Bool whole = status != TQ_OK || mechanism->has_ball_terms || mechanism->has_drag ||
                            mechanism->model.n_tendon > 0 || carried;
        status = add_tendons(mechanism, in, scratch, ret_d, reterr);
        if (status == TQ_OK) {
            status = add_drag(mechanism, in, scratch, ret_d, reterr);
        }
        if (status == TQ_OK && carried) {
            const tq_carried_samples samples = {in->n_sample, in->stride, in->q, in->gravity, work};
            status = tq_carried_add_derivatives(mechanism, &samples, scratch, ret_d, reterr);
        }
        if (status == TQ_OK && (whole || !finite_diagonals(nv, in, ret_d))) {
            status = tq_check_result("derivatives", 2 * nv * nv, in->n_sample, in->stride, ret_d,
                                     reterr);
        }
    }
    tq_fpmode_leave(mode);
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_derivatives_batch(const tq_mechanism *mechanism, const tq_inverse_input *in,
                               tq_scratch *scratch, double *ret_d, tq_error *reterr)
{
    return derivatives(mechanism, in, 0, scratch, ret_d, reterr);
}

tq_status tq_derivatives_batch_again(const tq_mechanism *mechanism, const tq_inverse_input *in,
                                     tq_scratch *scratch, double *ret_d, tq_error *reterr)
{
    /* tendons pair dofs of different branches */
    const int fill = mechanism->model.n_tendon > 0 || mechanism->has_drag ? 0 : TQ_FILL_AGAIN;
    return derivatives(mechanism, in, fill, scratch, ret_d, reterr);
}
