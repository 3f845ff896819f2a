/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/inverse.c - inverse dynamics: RNEA, plus friction, springs and rotors. */
#include "core/dynamics/inverse.h"

#include <assert.h>

#include "core/base/fpmode.h"
#include "core/dynamics/block.h"
#include "core/dynamics/drag.h"
#include "core/dynamics/passive/carried.h"
#include "core/dynamics/terms.h"
#include "core/model/layout.h"

static size_t carried_size(const tq_mechanism *mechanism)
{
    return mechanism->n_compensated == 0
               ? 0
               : tq_scratch_cost(tq_work_doubles(&mechanism->carried), sizeof(double)) +
                     tq_carried_torque_size(mechanism);
}

size_t tq_inverse_scratch_size(const tq_mechanism *mechanism, size_t n_wrench)
{
    return tq_scratch_cost(tq_work_doubles(&mechanism->canonical), sizeof(double)) +
           tq_wrench_room_size(mechanism, n_wrench) + tq_packed_rows_size(mechanism) +
           carried_size(mechanism) +
           (mechanism->has_drag ? tq_drag_scratch_size(&mechanism->model) : 0);
}

static tq_kernel_input kernel_input(const tq_mechanism *mechanism, const tq_inverse_input *in)
{
    const double *gravity = in->gravity != NULL ? in->gravity : mechanism->model.gravity;
    const double *qd = (in->without & TQ_WITHOUT_VELOCITY) != 0 ? NULL : in->qd;
    tq_kernel_input ret = tq_kernel_input_at(in->n_sample, in->stride, in->q, qd);
    ret.qdd = (in->without & TQ_WITHOUT_INERTIA) != 0 ? NULL : in->qdd;
    if ((in->without & TQ_WITHOUT_GRAVITY) == 0) {
        for (int k = 0; k < 3; k++) {
            ret.gravity[k] = gravity[k];
        }
    }
    return ret;
}

static const double *advance(const double *rows, size_t n_sample)
{
    return rows != NULL ? rows + n_sample : NULL;
}

/* in runs: with wrenches or packed rows */
static void in_runs(const tq_mechanism *mechanism, const tq_inverse_input *in, size_t n_wrench,
                    const tq_kernel_input *whole, double *work, const tq_wrench_room *room,
                    const tq_packed_rows *rows, double *ret_tau)
{
    const tq_canonical *c = &mechanism->canonical;
    for (size_t first = 0; first < in->n_sample; first += TQ_WRENCH_RUN) {
        const size_t left = in->n_sample - first;
        tq_kernel_input run = *whole;
        run.n_sample = (long)(left < TQ_WRENCH_RUN ? left : (size_t)TQ_WRENCH_RUN);
        run.q = advance(whole->q, first);
        run.qd = advance(whole->qd, first);
        run.qdd = advance(whole->qdd, first);
        if (rows->q != NULL) {
            tq_packed_rows_fill(mechanism, rows, &run);
        }
        if (n_wrench > 0) {
            tq_gather_wrenches(mechanism, in->wrenches, n_wrench, first, work, room, &run);
        }
        double *out = rows->q != NULL ? rows->out : ret_tau + first;
        tq_kernels_for(in->n_sample)->rnea(c, &run, work, out);
        if (rows->q != NULL) {
            tq_packed_rows_return(mechanism, rows, (size_t)run.n_sample, in->stride,
                                  ret_tau + first);
        }
    }
}

static tq_status rigid_bodies(const tq_mechanism *mechanism, const tq_inverse_input *in,
                              tq_scratch *scratch, double *ret_tau, tq_error *reterr)
{
    const tq_canonical *c = &mechanism->canonical;
    const size_t n_wrench = (in->without & TQ_WITHOUT_EXTERNAL) != 0 ? 0 : in->n_wrench;
    double *work = tq_scratch_take(scratch, tq_work_doubles(c), sizeof(double));
    tq_wrench_room room;
    tq_packed_rows rows;
    if (work == NULL || tq_wrench_room_take(mechanism, n_wrench, scratch, &room, NULL) != TQ_OK ||
        tq_packed_rows_take(mechanism, in->stride, scratch, &rows) != TQ_OK) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_inverse_scratch_size(mechanism, in->n_wrench));
    }
    const tq_kernel_input whole = kernel_input(mechanism, in);
    if (n_wrench == 0 && rows.q == NULL) {
        tq_kernels_for(in->n_sample)->rnea(c, &whole, work, ret_tau);
    } else {
        in_runs(mechanism, in, n_wrench, &whole, work, &room, &rows, ret_tau);
    }
    return TQ_OK;
}

/* A function of its own, with memory of its own: what is inline counts in a call for one sample. */
static __attribute__((noinline)) tq_status add_carried(const tq_mechanism *mechanism,
                                                       const tq_inverse_input *in,
                                                       tq_scratch *scratch, double *tau,
                                                       tq_error *reterr)
{
    double *work = tq_scratch_take(scratch, tq_work_doubles(&mechanism->carried), sizeof(double));
    const tq_carried_samples samples = {in->n_sample, in->stride, in->q, in->gravity, work};
    return work == NULL ? tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                                  (double)tq_inverse_scratch_size(mechanism, in->n_wrench))
                        : tq_carried_add_torque(mechanism, &samples, 1.0, scratch, tau, reterr);
}

static tq_status inverse_checked(const tq_mechanism *mechanism, const tq_inverse_input *in,
                                 tq_scratch *scratch, double *ret_tau, tq_error *reterr)
{
    const size_t n = in->n_sample, stride = in->stride;
    tq_status status = tq_check_quaternions(mechanism, n, stride, in->q, reterr);
    if (status == TQ_OK) {
        status = rigid_bodies(mechanism, in, scratch, ret_tau, reterr);
    }
    if (status == TQ_OK && mechanism->n_compensated > 0 &&
        (in->without & TQ_WITHOUT_GRAVITY) == 0) {
        status = add_carried(mechanism, in, scratch, ret_tau, reterr);
    }
    if (status != TQ_OK) {
        return status;
    }
    if (mechanism->has_rotor && (in->without & TQ_WITHOUT_ROTOR) == 0) {
        const double *qd = (in->without & TQ_WITHOUT_VELOCITY) != 0 ? NULL : in->qd;
        tq_add_rotors(mechanism, n, stride, qd, in->qdd, 1.0, ret_tau);
    }
    if (mechanism->has_friction && (in->without & TQ_WITHOUT_FRICTION) == 0) {
        tq_add_friction(mechanism, n, stride, in->q, in->qd, 1.0, ret_tau);
    }
    if (mechanism->has_spring && (in->without & TQ_WITHOUT_SPRING) == 0) {
        tq_add_springs(mechanism, n, stride, in->q, 1.0, ret_tau);
    }
    if (mechanism->has_drag && (in->without & TQ_WITHOUT_DRAG) == 0) {
        const tq_drag_samples samples = {.n_sample = n, .stride = stride, .q = in->q, .qd = in->qd};
        status = tq_drag_add(&mechanism->model, &samples, 1.0, scratch, ret_tau, reterr);
        if (status != TQ_OK) {
            return status;
        }
    }
    return tq_check_result("tau", mechanism->model.nv, n, stride, ret_tau, reterr);
}

tq_status tq_inverse_dynamics(const tq_mechanism *mechanism, const tq_inverse_input *in,
                              tq_scratch *scratch, double *ret_tau, tq_error *reterr)
{
    assert(mechanism != NULL && in != NULL && scratch != NULL);
    assert(mechanism->model.nq == 0 || (in->q != NULL && ret_tau != NULL));
    assert(in->n_wrench == 0 || in->wrenches != NULL);

    const tq_status shape = tq_check_block(in->n_sample, in->stride, reterr);
    if (shape != TQ_OK) {
        return shape;
    }
    const size_t mark = tq_scratch_mark(scratch);
    const tq_fpmode mode = tq_fpmode_enter();
    const tq_status status = inverse_checked(mechanism, in, scratch, ret_tau, reterr);
    tq_fpmode_leave(mode);
    tq_scratch_rewind(scratch, mark);
    return status;
}
