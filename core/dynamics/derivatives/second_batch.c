/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/second_batch.c - second derivatives by the kernel, or sample by sample.
 */
#include "core/dynamics/derivatives/second_batch.h"

#include <assert.h>
#include <string.h>

#include "core/base/finite.h"
#include "core/base/fpmode.h"
#include "core/dynamics/block.h"
#include "core/dynamics/derivatives/second_derivatives.h"
#include "core/dynamics/passive/carried.h"
#include "core/dynamics/terms.h"
#include "core/model/layout.h"

static bool is_by_kernel(const tq_mechanism *mechanism)
{
    return !mechanism->canonical.has_mimic && !mechanism->has_ball_terms && !mechanism->has_drag &&
           mechanism->model.n_tendon == 0;
}

static size_t cube(const tq_model *model)
{
    return (size_t)model->nv * model->nv * model->nv;
}

size_t tq_second_batch_scratch_size(const tq_mechanism *mechanism)
{
    const tq_model *model = &mechanism->model;
    if (is_by_kernel(mechanism)) {
        return tq_scratch_cost(tq_second_derivatives_work_doubles(&mechanism->canonical),
                               sizeof(double)) +
               tq_carried_second_size(mechanism);
    }
    return tq_scratch_cost(4 * cube(model), sizeof(double)) +
           tq_scratch_cost((size_t)model->nq + 2 * (size_t)model->nv, sizeof(double)) +
           tq_configuration_scratch_size(model) + tq_second_derivatives_scratch_size(model);
}

static tq_status short_of_scratch(const tq_mechanism *mechanism, tq_error *reterr)
{
    return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                   (double)tq_second_batch_scratch_size(mechanism));
}

/* Friction of joints, of which each has one dof and a row of its own. False: not finite. */
static bool add_friction(const tq_model *model, const tq_inverse_input *in, double *dqd_dqd)
{
    const size_t nv = model->nv;
    bool finite = true;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (tq_joint_kind_nv(joint->kind) != 1 ||
            (joint->friction.stribeck_velocity <= 0.0 && joint->friction.smoothing <= 0.0)) {
            continue;
        }
        const size_t v = joint->v_index;
        double *row = dqd_dqd + ((v * nv + v) * nv + v) * in->stride;
        for (size_t i = 0; i < in->n_sample; i++) {
            row[i] += tq_friction_curvature(&joint->friction,
                                            in->qd != NULL ? in->qd[v * in->stride + i] : 0.0);
        }
        finite = finite && tq_find_not_finite(row, in->n_sample) == in->n_sample;
    }
    return finite;
}

static tq_status check(const tq_model *model, const tq_inverse_input *in, const double *ret,
                       tq_error *reterr)
{
    return tq_check_result("second_derivatives", 4 * cube(model), in->n_sample, in->stride, ret,
                           reterr);
}

static tq_status by_kernel(const tq_mechanism *mechanism, const tq_inverse_input *at,
                           tq_scratch *scratch, double *ret, tq_error *reterr)
{
    const tq_model *model = &mechanism->model;
    const double *gravity = at->gravity != NULL ? at->gravity : model->gravity;
    const double weight = (at->without & TQ_WITHOUT_GRAVITY) != 0 ? 0.0 : 1.0;
    const bool moves = (at->without & TQ_WITHOUT_VELOCITY) == 0;
    const size_t rows = cube(model) * at->stride;
    tq_kernel_input in = tq_kernel_input_at(at->n_sample, at->stride, at->q, moves ? at->qd : NULL);
    in.qdd = (at->without & TQ_WITHOUT_INERTIA) != 0 ? NULL : at->qdd;
    for (int k = 0; k < 3; k++) {
        in.gravity[k] = weight * gravity[k];
    }
    double *work = tq_scratch_take(
        scratch, tq_second_derivatives_work_doubles(&mechanism->canonical), sizeof *work);
    if (work == NULL) {
        return short_of_scratch(mechanism, reterr);
    }
    const tq_canonical *c = &mechanism->canonical;
    bool finite = tq_kernels_for(at->n_sample)
                      ->second_derivatives(c, &in, work, c->dof_rows, (long)model->nv, ret) != 0;
    for (size_t r = 0; !moves && r < 2 * cube(model); r++) { /* by qd and qd, by qd and q */
        memset(ret + rows + r * at->stride, 0, at->n_sample * sizeof *ret);
    }
    if ((at->without & TQ_WITHOUT_FRICTION) == 0) {
        finite = add_friction(model, at, ret + rows) && finite;
    }
    if (mechanism->n_compensated > 0 && weight != 0.0) {
        const tq_carried_samples samples = {at->n_sample, at->stride, at->q, gravity, work};
        const tq_status status = tq_carried_add_second(mechanism, &samples, scratch, ret, reterr);
        return status == TQ_OK ? check(model, at, ret, reterr) : status;
    }
    return finite ? TQ_OK : check(model, at, ret, reterr);
}

static tq_status one_by_one(const tq_mechanism *mechanism, const tq_inverse_input *in,
                            tq_scratch *scratch, double *ret, tq_error *reterr)
{
    const tq_model *model = &mechanism->model;
    const size_t nq = model->nq, nv = model->nv, n = cube(model);
    double *all = tq_scratch_take(scratch, 4 * n, sizeof *all);
    double *q = tq_scratch_take(scratch, nq + 2 * nv, sizeof *q);
    if (all == NULL || q == NULL) {
        return short_of_scratch(mechanism, reterr);
    }
    double *qd = q + nq, *qdd = qd + nv;
    const bool moves = (in->without & TQ_WITHOUT_VELOCITY) == 0;
    const tq_second_derivatives arrays = tq_second_arrays(all, nv);
    const tq_sample sample = {.q = q,
                              .qd = qd,
                              .qdd = qdd,
                              .gravity = in->gravity != NULL ? in->gravity : model->gravity,
                              .without = in->without};
    tq_status status = TQ_OK;
    for (size_t i = 0; i < in->n_sample && status == TQ_OK; i++) {
        const size_t mark = tq_scratch_mark(scratch);
        tq_configuration posture;
        for (size_t r = 0; r < nq; r++) {
            q[r] = in->q[r * in->stride + i];
        }
        for (size_t r = 0; r < nv; r++) {
            qd[r] = in->qd != NULL ? in->qd[r * in->stride + i] : 0.0;
            qdd[r] = in->qdd != NULL ? in->qdd[r * in->stride + i] : 0.0;
        }
        status = tq_configuration_compute(model, q, moves ? qd : NULL, scratch, &posture, reterr);
        if (status == TQ_OK) {
            status = tq_inverse_second_derivatives(&posture, &sample, scratch, &arrays, reterr);
        }
        for (size_t e = 0; status == TQ_OK && e < 4 * n; e++) {
            ret[e * in->stride + i] = all[e];
        }
        tq_scratch_rewind(scratch, mark);
    }
    return status == TQ_OK ? check(model, in, ret, reterr) : status;
}

tq_status tq_second_derivatives_batch(const tq_mechanism *mechanism, const tq_inverse_input *in,
                                      tq_scratch *scratch, double *ret, tq_error *reterr)
{
    assert(mechanism != NULL && in != NULL && scratch != NULL && in->n_wrench == 0);
    const tq_model *model = &mechanism->model;
    assert(model->nv == 0 || (in->q != NULL && ret != NULL));
    tq_status status = tq_check_block(in->n_sample, in->stride, reterr);
    if (status != TQ_OK || model->nv == 0) {
        return status;
    }
    const size_t mark = tq_scratch_mark(scratch);
    const tq_fpmode mode = tq_fpmode_enter();
    status = tq_check_quaternions(mechanism, in->n_sample, in->stride, in->q, reterr);
    if (status == TQ_OK) {
        status = is_by_kernel(mechanism) ? by_kernel(mechanism, in, scratch, ret, reterr)
                                         : one_by_one(mechanism, in, scratch, ret, reterr);
    }
    tq_fpmode_leave(mode);
    tq_scratch_rewind(scratch, mark);
    return status;
}
