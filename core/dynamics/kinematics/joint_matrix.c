/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/kinematics/joint_matrix.c - matrices over all dofs, and their reduction to master
 * joints. */
#include "core/dynamics/kinematics/joint_matrix.h"

#include "core/model/layout.h"

/* with mimic joints: samples computed over all dofs at once */
enum { RUN = TQ_WORK_LANES };

size_t tq_joint_matrix_scratch_size(const tq_mechanism *mechanism, size_t n_matrix)
{
    const size_t n = (size_t)mechanism->canonical.n_dof;
    if (!mechanism->canonical.has_mimic) {
        return 0;
    }
    return tq_scratch_cost(n_matrix * n * n * RUN, sizeof(double)) +
           tq_scratch_cost(n, sizeof(int32_t));
}

/* M = G^T all G: entries of all dofs, times their factors, summed into their masters' rows */
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
}

/* add_to_masters sums (a, b) and (b, a) in different orders: copies one triangle for exact symmetry
 */
static void mirror(size_t nv, size_t n_sample, size_t stride, double *m)
{
    for (size_t a = 0; a < nv; a++) {
        for (size_t b = 0; b < a; b++) {
            for (size_t i = 0; i < n_sample; i++) {
                m[(a * nv + b) * stride + i] = m[(b * nv + a) * stride + i];
            }
        }
    }
}

static tq_status of_masters(const tq_canonical *c, const tq_kernel_input *in,
                            tq_matrix_kernel *kernel, double *work, size_t n_matrix,
                            _Bool symmetric, tq_scratch *scratch, double *ret_m)
{
    const size_t n = (size_t)c->n_dof, nv = (size_t)c->nv, stride = (size_t)in->out_stride;
    double *all = tq_scratch_take(scratch, n_matrix * n * n * RUN, sizeof(double));
    int32_t *rows = tq_scratch_take(scratch, n, sizeof(int32_t));
    if (all == NULL || rows == NULL) {
        return TQ_ERR_SCRATCH;
    }
    for (size_t r = 0; r < n; r++) {
        rows[r] = (int32_t)r;
    }
    tq_kernel_input run = *in;
    run.fill = 0; /* `all` is uninitialised, and is summed as a whole */
    for (size_t first = 0; first < (size_t)in->n_sample; first += RUN) {
        const size_t left = (size_t)in->n_sample - first;
        const size_t count = left < RUN ? left : (size_t)RUN;
        run.n_sample = (long)count;
        run.q = in->q + first;
        run.qd = in->qd != NULL ? in->qd + first : NULL;
        run.qdd = in->qdd != NULL ? in->qdd + first : NULL;
        run.out_stride = RUN;
        (void)kernel(c, &run, work, rows, (long)n, all); /* the sums below may still overflow */
        for (size_t e = 0; e < n_matrix * nv * nv; e++) {
            for (size_t i = 0; i < count; i++) {
                ret_m[e * stride + first + i] = 0.0;
            }
        }
        for (size_t k = 0; k < n_matrix; k++) {
            double *to = ret_m + k * nv * nv * stride + first;
            add_to_masters(c, all + k * n * n * RUN, count, stride, to);
            if (symmetric) {
                mirror(nv, count, stride, to);
            }
        }
    }
    return TQ_ERR_OVERFLOW;
}

tq_status tq_joint_matrix(const tq_canonical *c, const tq_kernel_input *in,
                          tq_matrix_kernel *kernel, double *work, size_t n_matrix, _Bool symmetric,
                          tq_scratch *scratch, double *ret_m)
{
    if (c->has_mimic) {
        const size_t mark = tq_scratch_mark(scratch);
        const tq_status status =
            of_masters(c, in, kernel, work, n_matrix, symmetric, scratch, ret_m);
        tq_scratch_rewind(scratch, mark);
        return status;
    }
    return kernel(c, in, work, c->dof_rows, c->nv, ret_m) ? TQ_OK : TQ_ERR_OVERFLOW;
}
