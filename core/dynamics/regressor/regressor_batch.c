/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/regressor/regressor_batch.c - from the bodies' canonical parameters to those of the
 * links. */
#include "core/dynamics/regressor/regressor_batch.h"

#include <assert.h>

#include "core/base/fpmode.h"
#include "core/dynamics/block.h"
#include "core/dynamics/passive/compensation.h"
#include "core/model/layout.h"

/* with mimic joints: samples whose columns over all dofs are in memory at once */
enum { RUN = TQ_WORK_LANES, TEN = TQ_PARAMETERS_OF_LINK };

static size_t freedom_doubles(const tq_mechanism *mechanism)
{
    const tq_canonical *c = &mechanism->canonical;
    return c->has_mimic ? (size_t)c->n_dof * mechanism->model.n_joint * TEN * RUN : 0;
}

size_t tq_regressor_batch_scratch_size(const tq_mechanism *mechanism)
{
    const tq_canonical *c = &mechanism->canonical;
    return tq_scratch_cost(tq_regressor_work_doubles(c), sizeof(double)) +
           tq_scratch_cost(freedom_doubles(mechanism), sizeof(double)) +
           tq_scratch_cost((size_t)c->n_dof, sizeof(int32_t)) +
           tq_compensation_scratch_size(&mechanism->model);
}

/* Y = G^T all: rows of all dofs, times their factors, summed into their masters' rows */
static void add_to_masters(const tq_mechanism *mechanism, const double *all, size_t n_sample,
                           size_t stride, double *y)
{
    const tq_canonical *c = &mechanism->canonical;
    const size_t n_parameter = (size_t)TEN * mechanism->model.n_joint;
    for (size_t e = 0; e < (size_t)c->nv * n_parameter; e++) {
        for (size_t i = 0; i < n_sample; i++) {
            y[e * stride + i] = 0.0;
        }
    }
    for (size_t f = 0; f < (size_t)c->n_dof; f++) {
        const size_t row = (size_t)c->dof_rows[f];
        for (size_t p = 0; p < n_parameter; p++) {
            for (size_t i = 0; i < n_sample; i++) {
                y[(row * n_parameter + p) * stride + i] +=
                    c->dof_factors[f] * all[(f * n_parameter + p) * RUN + i];
            }
        }
    }
}

static void of_masters(const tq_mechanism *mechanism, const tq_kernel_input *in, double *work,
                       double *all, int32_t *rows, double *ret_y)
{
    const tq_canonical *c = &mechanism->canonical;
    tq_kernel_input run = *in;
    for (int32_t f = 0; f < c->n_dof; f++) {
        rows[f] = f;
    }
    for (size_t first = 0; first < (size_t)in->n_sample; first += RUN) {
        const size_t left = (size_t)in->n_sample - first, count = left < RUN ? left : (size_t)RUN;
        run.n_sample = (long)count;
        run.out_stride = RUN;
        run.q = in->q + first;
        run.qd = in->qd != NULL ? in->qd + first : NULL;
        run.qdd = in->qdd != NULL ? in->qdd + first : NULL;
        tq_kernels_for((size_t)in->n_sample)->regressor(c, &run, work, rows, 0, all);
        add_to_masters(mechanism, all, count, (size_t)in->out_stride, ret_y + first);
    }
}

static tq_status regressor_checked(const tq_mechanism *mechanism, const tq_inverse_input *in,
                                   int again, tq_scratch *scratch, double *ret_y, tq_error *reterr)
{
    const tq_canonical *c = &mechanism->canonical;
    const double *gravity = in->gravity != NULL ? in->gravity : mechanism->model.gravity;
    const double weight = (in->without & TQ_WITHOUT_GRAVITY) != 0 ? 0.0 : 1.0;
    const tq_kernel_input whole = {
        .n_sample = (long)in->n_sample,
        .stride = (long)in->stride,
        .out_stride = (long)in->stride,
        .q = in->q,
        .qd = (in->without & TQ_WITHOUT_VELOCITY) != 0 ? NULL : in->qd,
        .qdd = (in->without & TQ_WITHOUT_INERTIA) != 0 ? NULL : in->qdd,
        .gravity = {weight * gravity[0], weight * gravity[1], weight * gravity[2]},
        .wrench_stride = 0, /* and all others: a memset of the struct takes longer */
        .fill = 0,
        .tau = NULL,
        .wrench = NULL,
        .varied = NULL,
        .varied_stride = 0,
        .rotors = 0.0,
    };
    double *work = tq_scratch_take(scratch, tq_regressor_work_doubles(c), sizeof(double));
    double *all = NULL;
    int32_t *rows = NULL;
    if (c->has_mimic) {
        all = tq_scratch_take(scratch, freedom_doubles(mechanism), sizeof(double));
        rows = tq_scratch_take(scratch, (size_t)c->n_dof, sizeof(int32_t));
    }
    if (work == NULL || (c->has_mimic && (all == NULL || rows == NULL))) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_regressor_batch_scratch_size(mechanism));
    }
    const tq_kernels *kernels = tq_kernels_for(in->n_sample);
    const bool carried = mechanism->n_compensated > 0 && weight != 0.0;
    const tq_compensation_samples samples = {in->n_sample, in->stride, in->q, gravity};
    if (c->has_mimic) { /* the next step multiplies by mimic factors of any size, so the result
                           must be checked */
        of_masters(mechanism, &whole, work, all, rows, ret_y);
    } else if (kernels->regressor(c, &whole, work, c->dof_rows, again && !carried, ret_y) &&
               !carried &&
               kernels->finite((long)mechanism->model.nq, whole.n_sample, whole.stride, in->q)) {
        return TQ_OK; /* the kernel's guarantee holds for finite angles only */
    }
    const tq_status status =
        carried ? tq_compensation_add_columns(&mechanism->model, &samples,
                                              (size_t)TEN * mechanism->model.n_joint, scratch,
                                              ret_y, reterr)
                : TQ_OK;
    if (status != TQ_OK) {
        return status;
    }
    return tq_check_result("regressor", (size_t)c->nv * mechanism->model.n_joint * TEN,
                           in->n_sample, in->stride, ret_y, reterr);
}

static tq_status regressor(const tq_mechanism *mechanism, const tq_inverse_input *in, int again,
                           tq_scratch *scratch, double *ret_y, tq_error *reterr)
{
    assert(mechanism != NULL && in != NULL && scratch != NULL);
    assert(mechanism->model.nv == 0 || (in->q != NULL && ret_y != NULL));
    tq_status status = tq_check_block(in->n_sample, in->stride, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const size_t mark = tq_scratch_mark(scratch);
    const tq_fpmode mode = tq_fpmode_enter();
    status = tq_check_quaternions(mechanism, in->n_sample, in->stride, in->q, reterr);
    if (status == TQ_OK) {
        status = regressor_checked(mechanism, in, again, scratch, ret_y, reterr);
    }
    tq_fpmode_leave(mode);
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_regressor_batch(const tq_mechanism *mechanism, const tq_inverse_input *in,
                             tq_scratch *scratch, double *ret_y, tq_error *reterr)
{
    return regressor(mechanism, in, 0, scratch, ret_y, reterr);
}

tq_status tq_regressor_batch_again(const tq_mechanism *mechanism, const tq_inverse_input *in,
                                   tq_scratch *scratch, double *ret_y, tq_error *reterr)
{
    return regressor(mechanism, in, 1, scratch, ret_y, reterr);
}
