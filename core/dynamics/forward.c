/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/forward.c - forward dynamics: ABA, or LDL^T of M. */
#include "core/dynamics/forward.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/base/fpmode.h"
#include "core/dynamics/block.h"
#include "core/dynamics/drag.h"
#include "core/dynamics/mass_matrix/mass_matrix.h"
#include "core/dynamics/passive/carried.h"
#include "core/dynamics/terms.h"
#include "core/dynamics/varied.h"
#include "core/model/layout.h"

/* number of samples whose mass matrices are in memory at the same time */
enum { RUN = TQ_WRENCH_RUN };

/* true if qdd is computed from the mass matrix: the ABA kernel has neither mimic joints nor the
 * rotors of spherical and floating joints */
static _Bool needs_matrix(const tq_mechanism *mechanism)
{
    return mechanism->canonical.has_mimic || mechanism->has_ball_rotor;
}

size_t tq_forward_scratch_size(const tq_mechanism *mechanism, size_t n_wrench)
{
    const tq_canonical *c = &mechanism->canonical;
    const size_t nv = mechanism->model.nv;
    size_t bytes = tq_scratch_cost(tq_work_doubles(c), sizeof(double)) +
                   tq_scratch_cost(nv * TQ_BLOCK_STRIDE, sizeof(double)) +
                   tq_wrench_room_size(mechanism, n_wrench) + tq_packed_rows_size(mechanism) +
                   tq_carried_torque_size(mechanism) +
                   (mechanism->has_drag ? tq_drag_scratch_size(&mechanism->model) : 0);
    if (needs_matrix(mechanism)) {
        bytes +=
            tq_scratch_cost(nv * nv * RUN, sizeof(double)) + tq_mass_matrix_scratch_size(mechanism);
    }
    return bytes;
}

/* Working memory of one call. */
typedef struct room {
    double *work, *tau, *m;
    size_t n_wrench;
    tq_wrench_room wrench;
    tq_packed_rows rows;
} room;

/* net torque on the rigid bodies: tau less friction, springs, drag, what carries links and the
 * velocity-dependent torque of rotors; written to r->tau unless it equals in->tau */
static tq_status net_torque(const tq_mechanism *mechanism, const tq_forward_input *in,
                            const room *r, tq_scratch *scratch, const double **ret,
                            tq_error *reterr)
{
    const size_t n = in->n_sample, stride = in->stride;
    double *tau = r->tau;
    const _Bool has_friction = mechanism->has_friction || in->varied != NULL;
    const _Bool friction = has_friction && (in->without & TQ_WITHOUT_FRICTION) == 0;
    const _Bool springs = mechanism->has_spring && (in->without & TQ_WITHOUT_SPRING) == 0;
    const _Bool turns = mechanism->has_ball_rotor && in->qd != NULL &&
                        (in->without & (TQ_WITHOUT_ROTOR | TQ_WITHOUT_VELOCITY)) == 0;
    const _Bool drag = mechanism->has_drag && (in->without & TQ_WITHOUT_DRAG) == 0;
    const _Bool carried = mechanism->n_compensated > 0 && (in->without & TQ_WITHOUT_GRAVITY) == 0;
    *ret = in->tau;
    if (!friction && !springs && !turns && !drag && !carried) {
        return TQ_OK;
    }
    *ret = tau;
    memcpy(tau, in->tau, mechanism->model.nv * stride * sizeof *tau);
    if (friction) {
        if (in->varied != NULL) {
            tq_varied_add_friction(mechanism, n, stride, in->q, in->qd, in->varied, -1.0, tau);
        } else {
            tq_add_friction(mechanism, n, stride, in->q, in->qd, -1.0, tau);
        }
    }
    if (springs) {
        tq_add_springs(mechanism, n, stride, in->q, -1.0, tau);
    }
    if (turns) {
        tq_add_rotors(mechanism, n, stride, in->qd, NULL, -1.0, tau);
    }
    tq_status status = TQ_OK;
    if (carried) {
        const tq_carried_samples samples = {n, stride, in->q, in->gravity, r->work};
        status = tq_carried_add_torque(mechanism, &samples, -1.0, scratch, tau, reterr);
    }
    if (status == TQ_OK && drag) {
        const tq_drag_samples samples = {.n_sample = n, .stride = stride, .q = in->q, .qd = in->qd};
        status = tq_drag_add(&mechanism->model, &samples, -1.0, scratch, tau, reterr);
    }
    return status;
}

static tq_kernel_input kernel_input(const tq_mechanism *mechanism, const tq_forward_input *in,
                                    const double *tau)
{
    const double *gravity = in->gravity != NULL ? in->gravity : mechanism->model.gravity;
    const double *qd = (in->without & TQ_WITHOUT_VELOCITY) != 0 ? NULL : in->qd;
    tq_kernel_input ret = tq_kernel_input_at(in->n_sample, in->stride, in->q, qd);
    ret.tau = tau;
    ret.varied = in->varied;
    ret.varied_stride = (long)in->stride;
    ret.rotors = (in->without & TQ_WITHOUT_ROTOR) != 0 ? 0.0 : 1.0;
    if ((in->without & TQ_WITHOUT_GRAVITY) == 0) {
        for (int k = 0; k < 3; k++) {
            ret.gravity[k] = gravity[k];
        }
    }
    return ret;
}

/* Solves m x = x for sample i by LDL^T in place; rows and columns are `stride` apart. Stops at a
 * pivot <= 1e-10 of its diagonal entry, which is rounding (pivots of exactly singular robots were
 * measured at 1e-11) and returns its row, else nv. Row 0 right of the diagonal is not read by LDL^T
 * and stores the diagonal. */
static size_t solve_sample(double *m, size_t nv, size_t stride, double *x, size_t x_stride)
{
    const double pivot_ratio_min = 1e-10;
    for (size_t k = 1; k < nv; k++) {
        m[k * stride] = m[(k * nv + k) * stride];
    }
    for (size_t k = 0; k < nv; k++) {
        const double pivot = m[(k * nv + k) * stride];
        if (pivot <= pivot_ratio_min * m[k * stride] ||
            pivot <= 0.0) { /* NaN passes here and is found in the result */
            return k;
        }
        for (size_t i = k + 1; i < nv; i++) {
            const double l = m[(i * nv + k) * stride] / pivot;
            for (size_t j = k + 1; j <= i; j++) {
                m[(i * nv + j) * stride] -= l * m[(j * nv + k) * stride];
            }
            x[i * x_stride] -= l * x[k * x_stride];
        }
    }
    for (size_t k = nv; k-- > 0;) {
        for (size_t i = k + 1; i < nv; i++) {
            x[k * x_stride] -= m[(i * nv + k) * stride] * x[i * x_stride];
        }
        x[k * x_stride] /= m[(k * nv + k) * stride];
    }
    return nv;
}

/* TQ_ERR_SINGULAR: joint `joint` moves no inertia in sample `sample` of the block */
static tq_status singular(uint32_t joint, size_t sample, tq_error *reterr)
{
    return tq_fail(reterr, TQ_ERR_SINGULAR, "joint.inertia", joint, (double)sample);
}

static uint32_t joint_of_row(const tq_model *model, size_t row)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (joint->mimic == TQ_NONE && row >= joint->v_index && row < joint->v_index + joint->nv) {
            return j;
        }
    }
    return TQ_NONE;
}

/* qdd = M^-1 (tau - tau(qdd = 0)) for the run of samples from `first` on */
static tq_status by_mass_matrix(const tq_mechanism *mechanism, const tq_kernel_input *in,
                                size_t first, double *work, double *m, tq_scratch *scratch,
                                double *ret_qdd, tq_error *reterr)
{
    const size_t nv = mechanism->model.nv, n = (size_t)in->n_sample, stride = (size_t)in->stride;
    const size_t mark = tq_scratch_mark(scratch);
    tq_kernel_input dense = *in;
    dense.out_stride = RUN;
    const tq_status status = tq_mass_matrix_checked(mechanism, &dense, scratch, m, reterr);
    tq_scratch_rewind(scratch, mark);
    if (status != TQ_OK) {
        return status;
    }
    tq_kernels_for(n)->rnea(&mechanism->canonical, in, work, ret_qdd);
    for (size_t i = 0; i < n; i++) {
        for (size_t r = 0; r < nv; r++) {
            ret_qdd[r * stride + i] = in->tau[r * stride + i] - ret_qdd[r * stride + i];
        }
        const size_t row = solve_sample(m + i, nv, RUN, ret_qdd + i, stride);
        if (row < nv) {
            return singular(joint_of_row(&mechanism->model, row), first + i, reterr);
        }
    }
    return TQ_OK;
}

/* the same by ABA */
static tq_status by_articulated_bodies(const tq_mechanism *mechanism, const tq_kernel_input *in,
                                       size_t first, double *work, double *ret_qdd,
                                       tq_error *reterr)
{
    const tq_canonical *c = &mechanism->canonical;
    tq_kernel_fault fault;
    const tq_kernels *kernels = tq_kernels_for((size_t)in->n_sample);
    (in->varied != NULL ? kernels->aba_varied : kernels->aba)(c, in, work, ret_qdd, &fault);
    if (fault.sample < 0) {
        return TQ_OK;
    }
    const size_t sample = first + (size_t)fault.sample;
    return fault.overflow ? tq_fail(reterr, TQ_ERR_OVERFLOW, "qdd", sample, (double)INFINITY)
                          : singular(c->bodies[fault.body].joint, sample, reterr);
}

static tq_status take_room(const tq_mechanism *mechanism, const tq_forward_input *in,
                           tq_scratch *scratch, room *ret, tq_error *reterr)
{
    const tq_canonical *c = &mechanism->canonical;
    const size_t nv = mechanism->model.nv;
    ret->n_wrench = (in->without & TQ_WITHOUT_EXTERNAL) != 0 ? 0 : in->n_wrench;
    ret->work = tq_scratch_take(scratch, tq_work_doubles(c), sizeof(double));
    ret->tau = tq_scratch_take(scratch, nv * TQ_BLOCK_STRIDE, sizeof(double));
    ret->m = needs_matrix(mechanism) ? tq_scratch_take(scratch, nv * nv * RUN, sizeof(double))
                                     : ret->work;
    if (ret->work == NULL || ret->tau == NULL || ret->m == NULL ||
        tq_wrench_room_take(mechanism, ret->n_wrench, scratch, &ret->wrench, NULL) != TQ_OK ||
        tq_packed_rows_take(mechanism, in->stride, scratch, &ret->rows) != TQ_OK) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_forward_scratch_size(mechanism, in->n_wrench));
    }
    return TQ_OK;
}

/* in runs: with wrenches, by mass matrices, or packed rows */
static tq_status in_runs(const tq_mechanism *mechanism, const tq_forward_input *in,
                         const tq_kernel_input *whole, const room *r, tq_scratch *scratch,
                         double *ret_qdd, tq_error *reterr)
{
    const _Bool close = r->rows.q != NULL;
    tq_status status = TQ_OK;
    for (size_t first = 0; first < in->n_sample && status == TQ_OK; first += RUN) {
        const size_t left = in->n_sample - first;
        tq_kernel_input run = *whole;
        run.n_sample = (long)(left < RUN ? left : (size_t)RUN);
        run.q += first;
        run.tau += first;
        run.varied = run.varied != NULL ? run.varied + first : NULL;
        run.qd = run.qd != NULL ? run.qd + first : NULL;
        double *out = close ? r->rows.out : ret_qdd + first;
        if (close) {
            tq_packed_rows_fill(mechanism, &r->rows, &run);
        }
        if (r->n_wrench > 0) {
            tq_gather_wrenches(mechanism, in->wrenches, r->n_wrench, first, r->work, &r->wrench,
                               &run);
        }
        if (needs_matrix(mechanism)) {
            status = by_mass_matrix(mechanism, &run, first, r->work, r->m, scratch, out, reterr);
        } else {
            status = by_articulated_bodies(mechanism, &run, first, r->work, out, reterr);
        }
        if (close) {
            tq_packed_rows_return(mechanism, &r->rows, (size_t)run.n_sample, in->stride,
                                  ret_qdd + first);
        }
    }
    return status;
}

static tq_status forward_checked(const tq_mechanism *mechanism, const tq_forward_input *in,
                                 tq_scratch *scratch, double *ret_qdd, tq_error *reterr)
{
    room r = {.work = NULL};
    const double *tau = NULL;
    tq_status status = take_room(mechanism, in, scratch, &r, reterr);
    if (status == TQ_OK) {
        status = net_torque(mechanism, in, &r, scratch, &tau, reterr);
    }
    if (status != TQ_OK) {
        return status;
    }
    const tq_kernel_input whole = kernel_input(mechanism, in, tau);
    if (r.n_wrench == 0 && !needs_matrix(mechanism) && r.rows.q == NULL) {
        return by_articulated_bodies(mechanism, &whole, 0, r.work, ret_qdd, reterr);
    }
    return in_runs(mechanism, in, &whole, &r, scratch, ret_qdd, reterr);
}

tq_status tq_forward_dynamics(const tq_mechanism *mechanism, const tq_forward_input *in,
                              tq_scratch *scratch, double *ret_qdd, tq_error *reterr)
{
    assert(mechanism != NULL && in != NULL && scratch != NULL);
    assert(mechanism->model.nv == 0 || (in->q != NULL && in->tau != NULL && ret_qdd != NULL));
    assert(in->n_wrench == 0 || in->wrenches != NULL);
    assert(in->varied == NULL || (!needs_matrix(mechanism) && mechanism->n_compensated == 0));

    tq_status status = tq_check_block(in->n_sample, in->stride, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const size_t mark = tq_scratch_mark(scratch);
    const tq_fpmode mode = tq_fpmode_enter();
    status = tq_check_quaternions(mechanism, in->n_sample, in->stride, in->q, reterr);
    if (status == TQ_OK) {
        status = forward_checked(mechanism, in, scratch, ret_qdd, reterr);
    }
    if (status == TQ_OK) {
        status =
            tq_check_result("qdd", mechanism->model.nv, in->n_sample, in->stride, ret_qdd, reterr);
    }
    tq_fpmode_leave(mode);
    tq_scratch_rewind(scratch, mark);
    return status;
}
