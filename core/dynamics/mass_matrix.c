/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/mass_matrix.c - joint-space inertia by the kernel, and its reduction to masters. */
#include "core/dynamics/mass_matrix.h"

#include <assert.h>

#include "core/base/fpmode.h"
#include "core/dynamics/block.h"
#include "core/model/layout.h"

/* Mimicking robots are computed over all freedoms first, this many samples at a time. */
enum { RUN = TQ_BLOCK_PAD };

size_t tq_mass_matrix_scratch_size(const tq_mechanism *mechanism)
{
    const tq_canonical *c = &mechanism->canonical;
    const size_t n = (size_t)c->n_dof;
    size_t bytes = tq_scratch_cost(tq_work_doubles(c), sizeof(double));
    if (c->has_mimic) {
        bytes += tq_scratch_cost(n * n * RUN, sizeof(double)) + tq_scratch_cost(n, sizeof(int32_t));
    }
    return bytes;
}

/* Freedoms of different branches share no body: their entries are zero, and the kernel skips them.
 */
static void clear_between_branches(const tq_canonical *c, const int32_t *rows, size_t n_row,
                                   size_t n_sample, size_t stride, double *m)
{
    for (int32_t b = 0; b < c->n_body; b++) {
        const tq_canonical_joint *k = &c->joints[b];
        const tq_canonical_joint *last = &c->joints[k->last];
        const int32_t end = last->dof + tq_canonical_freedoms(last->kind);
        for (int32_t r = k->dof; r < k->dof + tq_canonical_freedoms(k->kind); r++) {
            for (int32_t col = end; col < c->n_dof; col++) {
                const size_t x = (size_t)rows[r], y = (size_t)rows[col];
                for (size_t i = 0; i < n_sample; i++) {
                    m[(x * n_row + y) * stride + i] = 0.0;
                    m[(y * n_row + x) * stride + i] = 0.0;
                }
            }
        }
    }
}

/* M = G^T all G: the freedoms' entries, by their factors, into their masters' */
static void add_to_masters(const tq_canonical *c, const double *all, size_t n_sample, size_t stride,
                           double *m)
{
    const size_t n = (size_t)c->n_dof, nv = (size_t)c->nv;
    for (size_t r = 0; r < n; r++) {
        for (size_t col = 0; col < n; col++) {
            const double factor = c->dof_factors[r] * c->dof_factors[col];
            const size_t a = (size_t)c->dof_rows[r], b = (size_t)c->dof_rows[col];
            for (size_t i = 0; i < n_sample; i++) {
                m[(a * nv + b) * stride + i] += factor * all[(r * n + col) * RUN + i];
            }
        }
    }
    /* the sums above run in different orders for (a, b) and (b, a) */
    for (size_t a = 0; a < nv; a++) {
        for (size_t b = 0; b < a; b++) {
            for (size_t i = 0; i < n_sample; i++) {
                m[(a * nv + b) * stride + i] = m[(b * nv + a) * stride + i];
            }
        }
    }
}

static tq_status of_masters(const tq_mechanism *mechanism, const tq_kernel_input *in, double *work,
                            tq_scratch *scratch, double *ret_m)
{
    const tq_canonical *c = &mechanism->canonical;
    const size_t n = (size_t)c->n_dof, nv = (size_t)c->nv, stride = (size_t)in->out_stride;
    double *all = tq_scratch_take(scratch, n * n * RUN, sizeof(double));
    int32_t *rows = tq_scratch_take(scratch, n, sizeof(int32_t));
    if (all == NULL || rows == NULL) {
        return TQ_ERR_SCRATCH;
    }
    for (size_t r = 0; r < n; r++) {
        rows[r] = (int32_t)r;
    }
    clear_between_branches(c, rows, n, RUN, RUN, all);
    tq_kernel_input run = *in;
    for (size_t first = 0; first < (size_t)in->n_sample; first += RUN) {
        const size_t left = (size_t)in->n_sample - first;
        const size_t count = left < RUN ? left : (size_t)RUN;
        run.n_sample = (long)count;
        run.q = in->q + first;
        run.out_stride = RUN;
        tq_kernels_for((size_t)in->n_sample)->crba(c, &run, work, rows, (long)n, all);
        for (size_t e = 0; e < nv * nv; e++) {
            for (size_t i = 0; i < count; i++) {
                ret_m[e * stride + first + i] = 0.0;
            }
        }
        add_to_masters(c, all, count, stride, ret_m + first);
    }
    return TQ_OK;
}

tq_status tq_mass_matrix_checked(const tq_mechanism *mechanism, const tq_kernel_input *in,
                                 tq_scratch *scratch, double *ret_m, tq_error *reterr)
{
    const tq_canonical *c = &mechanism->canonical;
    const size_t needed = tq_mass_matrix_scratch_size(mechanism);
    double *work = tq_scratch_take(scratch, tq_work_doubles(c), sizeof(double));
    if (work == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)needed);
    }
    if (c->has_mimic) {
        return of_masters(mechanism, in, work, scratch, ret_m) == TQ_OK
                   ? TQ_OK
                   : tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)needed);
    }
    const size_t n = (size_t)in->n_sample;
    tq_kernels_for(n)->crba(c, in, work, c->dof_rows, c->nv, ret_m);
    clear_between_branches(c, c->dof_rows, (size_t)c->nv, n, (size_t)in->out_stride, ret_m);
    return TQ_OK;
}

tq_status tq_mass_matrix(const tq_mechanism *mechanism, size_t n_sample, size_t stride,
                         const double *q, unsigned without, tq_scratch *scratch, double *ret_m,
                         tq_error *reterr)
{
    assert(mechanism != NULL && scratch != NULL);
    assert(mechanism->model.nv == 0 || (q != NULL && ret_m != NULL));
    tq_status status = tq_check_block(n_sample, stride, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const tq_kernel_input in = {
        .n_sample = (long)n_sample,
        .stride = (long)stride,
        .out_stride = (long)stride,
        .q = q,
        .rotors = (without & TQ_WITHOUT_ROTOR) != 0 ? 0.0 : 1.0,
    };
    const size_t mark = tq_scratch_mark(scratch), nv = mechanism->model.nv;
    const tq_fpmode mode = tq_fpmode_enter();
    status = tq_check_quaternions(mechanism, n_sample, stride, q, reterr);
    if (status == TQ_OK) {
        status = tq_mass_matrix_checked(mechanism, &in, scratch, ret_m, reterr);
    }
    if (status == TQ_OK) {
        /* |M_ab| <= sqrt(M_aa M_bb): the diagonal, nv + 1 rows apart, speaks for the rest */
        for (size_t a = 0; a < nv && status == TQ_OK; a++) {
            status = tq_check_result("mass_matrix", 1, n_sample, stride,
                                     ret_m + a * (nv + 1) * stride, reterr);
        }
    }
    tq_fpmode_leave(mode);
    tq_scratch_rewind(scratch, mark);
    return status;
}
