/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/carried.c - gravity compensation of blocks of samples, by the kernels. */
#include "core/dynamics/passive/carried.h"

#include <assert.h>
#include <string.h>

#include "core/dynamics/block.h"
#include "core/dynamics/kinematics/joint_matrix.h"
#include "core/kernels/table.h"
#include "core/model/layout.h"

enum {
    RUN = TQ_WRENCH_RUN,
    MATRIX_RUN = TQ_WORK_LANES, /* samples whose matrices are in memory at once */
};

static tq_status short_of(size_t size, tq_error *reterr)
{
    return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)size);
}

/* at most `most` samples from `first` on, at rest under the opposite gravity */
static tq_kernel_input run_from(const tq_mechanism *mechanism, const tq_carried_samples *in,
                                size_t first, size_t most)
{
    const double *g = in->gravity != NULL ? in->gravity : mechanism->model.gravity;
    tq_kernel_input run =
        tq_kernel_input_at(tq_smaller(most, in->n_sample - first), in->stride, in->q + first, NULL);
    for (size_t k = 0; k < 3; k++) {
        run.gravity[k] = -g[k];
    }
    return run;
}

/* to += sign * from: the vectors of a run at once, up to its end or the last whole one */
static inline void add_row(size_t n, double sign, const double *restrict from, double *restrict to)
{
    enum { AT_ONCE = TQ_WORK_LANES };
    size_t i = 0;
    for (; i + AT_ONCE <= n; i += AT_ONCE) {
        for (size_t k = 0; k < AT_ONCE; k++) {
            to[i + k] += sign * from[i + k];
        }
    }
    for (; i < n; i++) {
        to[i] += sign * from[i];
    }
}

/* to (n_row x stride) += sign * from (n_row x from_stride) */
static void add_rows(size_t n_row, size_t n, double sign, const double *from, size_t from_stride,
                     double *to, size_t stride)
{
    for (size_t r = 0; r < n_row; r++) {
        add_row(n, sign, from + r * from_stride, to + r * stride);
    }
}

/* Samples of a block that kernels compute: whole vectors. */
static size_t padded(size_t n)
{
    return (n + TQ_BLOCK_PAD - 1) / TQ_BLOCK_PAD * TQ_BLOCK_PAD;
}

/* ------------------------------------------------------------------------------------------------
 * Torque and energy
 */

size_t tq_carried_torque_size(const tq_mechanism *mechanism)
{
    const tq_model *model = &mechanism->model;
    return mechanism->n_compensated == 0
               ? 0
               : tq_scratch_cost(((size_t)model->nq + (size_t)model->nv) * TQ_PACKED_STRIDE,
                                 sizeof(double));
}

tq_status tq_carried_add_torque(const tq_mechanism *mechanism, const tq_carried_samples *in,
                                double sign, tq_scratch *scratch, double *tau, tq_error *reterr)
{
    assert(mechanism->n_compensated > 0);
    const size_t nq = mechanism->model.nq, nv = mechanism->model.nv;
    const tq_kernels *kernels = tq_kernels_for(in->n_sample);
    const size_t mark = tq_scratch_mark(scratch);
    double *q = tq_scratch_take(scratch, (nq + nv) * TQ_PACKED_STRIDE, sizeof *q);
    if (q == NULL) {
        return short_of(tq_carried_torque_size(mechanism), reterr);
    }
    double *out = q + nq * TQ_PACKED_STRIDE;
    for (size_t first = 0; first < in->n_sample; first += RUN) {
        tq_kernel_input run = run_from(mechanism, in, first, RUN);
        const size_t n = (size_t)run.n_sample;
        for (size_t r = 0; r < nq; r++) { /* the kernel has one stride for q and torque */
            memcpy(q + r * TQ_PACKED_STRIDE, run.q + r * in->stride, padded(n) * sizeof *q);
        }
        run.q = q;
        run.stride = TQ_PACKED_STRIDE;
        kernels->rnea(&mechanism->carried, &run, in->work, out);
        add_rows(nv, n, sign, out, TQ_PACKED_STRIDE, tau + first, in->stride);
    }
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

/* of links fixed to the world */
static double resting(const tq_mechanism *mechanism, const double *gravity)
{
    double energy = 0.0;
    for (uint32_t l = 0; l < mechanism->model.n_link; l++) {
        const tq_canonical_link *link = &mechanism->canonical.links[l];
        const tq_link *given = &mechanism->model.links[l];
        double at[3];
        tq_mat_vec(link->in_body.r, given->carried_at, at);
        for (int k = 0; link->body < 0 && k < 3; k++) {
            energy += given->carried_mass * gravity[k] * (at[k] + link->in_body.p[k]);
        }
    }
    return energy;
}

size_t tq_carried_potential_size(const tq_mechanism *mechanism)
{
    return mechanism->n_compensated == 0 ? 0 : tq_scratch_cost((size_t)2 * RUN, sizeof(double));
}

tq_status tq_carried_add_potential(const tq_mechanism *mechanism, const tq_carried_samples *in,
                                   tq_scratch *scratch, double *ret, tq_error *reterr)
{
    assert(mechanism->n_compensated > 0);
    const size_t mark = tq_scratch_mark(scratch);
    const double rest =
        resting(mechanism, in->gravity != NULL ? in->gravity : mechanism->model.gravity);
    double *energy = tq_scratch_take(scratch, (size_t)2 * RUN, sizeof *energy);
    if (energy == NULL) {
        return short_of(tq_carried_potential_size(mechanism), reterr);
    }
    for (size_t first = 0; first < in->n_sample; first += RUN) {
        tq_kernel_input run = run_from(mechanism, in, first, RUN);
        run.out_stride = RUN;
        tq_kernels_for(in->n_sample)->energy(&mechanism->carried, &run, in->work, energy);
        for (size_t i = 0; i < (size_t)run.n_sample; i++) {
            ret[first + i] += energy[RUN + i] + rest;
        }
    }
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Derivatives by q
 */

size_t tq_carried_derivatives_size(const tq_mechanism *mechanism)
{
    const size_t nv = mechanism->model.nv;
    return mechanism->n_compensated == 0
               ? 0
               : tq_scratch_cost(2 * nv * nv * MATRIX_RUN, sizeof(double)) +
                     tq_joint_matrix_scratch_size(mechanism, 2);
}

tq_status tq_carried_add_derivatives(const tq_mechanism *mechanism, const tq_carried_samples *in,
                                     tq_scratch *scratch, double *dq, tq_error *reterr)
{
    assert(mechanism->n_compensated > 0);
    const size_t square = (size_t)mechanism->model.nv * mechanism->model.nv;
    const size_t mark = tq_scratch_mark(scratch);
    tq_matrix_kernel *kernel = tq_kernels_for(in->n_sample)->derivatives;
    double *d = tq_scratch_take(scratch, 2 * square * MATRIX_RUN, sizeof *d);
    tq_status status = d == NULL ? TQ_ERR_SCRATCH : TQ_OK;
    for (size_t first = 0; first < in->n_sample && status != TQ_ERR_SCRATCH; first += MATRIX_RUN) {
        tq_kernel_input run = run_from(mechanism, in, first, MATRIX_RUN);
        run.out_stride = MATRIX_RUN;
        run.fill = first > 0 ? TQ_FILL_AGAIN : 0;
        status = tq_joint_matrix(&mechanism->carried, &run, kernel, in->work, 2, 0, scratch, d);
        if (status != TQ_ERR_SCRATCH) { /* of the two, the rates' are zero up to their signs */
            add_rows(square, (size_t)run.n_sample, 1.0, d, MATRIX_RUN, dq + first, in->stride);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status == TQ_ERR_SCRATCH ? short_of(tq_carried_derivatives_size(mechanism), reterr)
                                    : TQ_OK;
}

static size_t second_doubles(const tq_mechanism *mechanism)
{
    const size_t nv = mechanism->model.nv;
    return 4 * nv * nv * nv * MATRIX_RUN;
}

size_t tq_carried_second_size(const tq_mechanism *mechanism)
{
    return mechanism->n_compensated == 0
               ? 0
               : tq_scratch_cost(second_doubles(mechanism), sizeof(double));
}

tq_status tq_carried_add_second(const tq_mechanism *mechanism, const tq_carried_samples *in,
                                tq_scratch *scratch, double *dq_dq, tq_error *reterr)
{
    assert(mechanism->n_compensated > 0 && !mechanism->canonical.has_mimic);
    const tq_canonical *c = &mechanism->carried;
    const size_t mark = tq_scratch_mark(scratch), nv = mechanism->model.nv;
    double *d = tq_scratch_take(scratch, second_doubles(mechanism), sizeof *d);
    if (d == NULL) {
        return short_of(tq_carried_second_size(mechanism), reterr);
    }
    for (size_t first = 0; first < in->n_sample; first += MATRIX_RUN) {
        tq_kernel_input run = run_from(mechanism, in, first, MATRIX_RUN);
        run.out_stride = MATRIX_RUN;
        run.fill = first > 0 ? TQ_FILL_AGAIN : 0;
        (void)tq_kernels_for(in->n_sample)
            ->second_derivatives(c, &run, in->work, c->dof_rows, (long)nv, d);
        add_rows(nv * nv * nv, (size_t)run.n_sample, 1.0, d, MATRIX_RUN, dq_dq + first, in->stride);
    }
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}
