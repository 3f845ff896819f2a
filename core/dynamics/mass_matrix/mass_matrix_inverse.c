/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/mass_matrix/mass_matrix_inverse.c - M = L^T D L, row by row from the leaves inward.
 */
#include "core/dynamics/mass_matrix/mass_matrix_inverse.h"

#include <string.h>

#include "core/base/block.h"
#include "core/dynamics/mass_matrix/mass_matrix.h"

static const double pivot_ratio_min =
    1e-13; /* smallest D relative to the diagonal: as PIVOT_RATIO_MIN of
                                      core/kernels/joint_elimination.h */

/* y += f x */
static void add_row(size_t n, double f, const double *restrict x, double *restrict y)
{
    for (size_t k = 0; k < n; k++) {
        y[k] += f * x[k];
    }
}

size_t tq_mass_matrix_factor(size_t nv, double *m)
{
    /* M's own diagonal is saved in column nv - 1 above the diagonal, which the factorisation does
     * not read; the last row's is in place */
    for (size_t k = 0; k + 1 < nv; k++) {
        m[k * nv + nv - 1] = m[k * nv + k];
    }
    for (size_t k = nv; k-- > 0;) {
        double *row = m + k * nv;
        const double own = k + 1 < nv ? row[nv - 1] : row[k];
        if (!(row[k] > pivot_ratio_min * own) || !(row[k] > 0.0)) {
            return k;
        }
        for (size_t i = 0; i < k; i++) {
            if (row[i] != 0.0) { /* structural zero: a different branch */
                add_row(i + 1, -(row[i] / row[k]), row, m + i * nv);
            }
        }
        for (size_t i = 0; i < k; i++) {
            row[i] /= row[k];
        }
    }
    return nv;
}

void tq_mass_matrix_solve(size_t nv, const double *factor, size_t n_column, double *b)
{
    for (size_t k = nv; k-- > 0;) { /* L^T y = b */
        for (size_t i = 0; i < k; i++) {
            if (factor[k * nv + i] != 0.0) {
                add_row(n_column, -factor[k * nv + i], b + k * n_column, b + i * n_column);
            }
        }
    }
    for (size_t k = 0; k < nv; k++) { /* D L x = y */
        for (size_t c = 0; c < n_column; c++) {
            b[k * n_column + c] /= factor[k * nv + k];
        }
        for (size_t i = 0; i < k; i++) {
            if (factor[k * nv + i] != 0.0) {
                add_row(n_column, -factor[k * nv + i], b + i * n_column, b + k * n_column);
            }
        }
    }
}

void tq_mass_matrix_invert(size_t nv, double *factor, double *ret_inverse)
{
    /* W = L^-1, row by row: W_k = e_k - sum_i L_ki W_i. Row k of ret_inverse is the working memory
     * of row k. */
    double *w = factor;
    for (size_t k = 0; k < nv; k++) {
        double *row = ret_inverse + k * nv;
        memset(row, 0, nv * sizeof *row);
        for (size_t i = 0; i < k; i++) {
            const double l = w[k * nv + i];
            if (l != 0.0) {
                add_row(i, -l, w + i * nv, row);
                row[i] -= l;
            }
        }
        memcpy(w + k * nv, row, k * sizeof *row);
    }
    /* M^-1_ij = sum over k <= min(i, j) of W_ki W_kj / D_k with W transposed into the upper
     * triangle */
    for (size_t k = 0; k < nv; k++) {
        for (size_t i = 0; i < k; i++) {
            w[i * nv + k] = w[k * nv + i];
        }
    }
    memset(ret_inverse, 0, nv * nv * sizeof *ret_inverse);
    for (size_t k = 0; k < nv; k++) {
        const double *column = w + k * nv; /* row k of the transpose, i > k */
        const double share = 1.0 / column[k];
        ret_inverse[k * nv + k] += share;
        add_row(nv - k - 1, share, column + k + 1, ret_inverse + k * nv + k + 1);
        for (size_t i = k + 1; i < nv; i++) {
            if (column[i] != 0.0) {
                add_row(nv - i, share * column[i], column + i, ret_inverse + i * nv + i);
            }
        }
    }
    for (size_t i = 0; i < nv; i++) {
        for (size_t j = 0; j < i; j++) {
            ret_inverse[i * nv + j] = ret_inverse[j * nv + i];
        }
    }
}

size_t tq_mass_matrix_inverse_scratch_size(const tq_mechanism *mechanism)
{
    const size_t nv = tq_mechanism_model(mechanism)->nv;
    return tq_mass_matrix_scratch_size(mechanism) +
           2 * tq_scratch_cost(nv * nv + 1, sizeof(double));
}

tq_status tq_mass_matrix_inverse(const tq_mechanism *mechanism, size_t n_sample, size_t stride,
                                 const double *q, unsigned without, tq_scratch *scratch,
                                 double *ret_inverse, tq_error *reterr)
{
    const size_t nv = tq_mechanism_model(mechanism)->nv, mark = tq_scratch_mark(scratch);
    tq_status status =
        tq_mass_matrix(mechanism, n_sample, stride, q, without, scratch, ret_inverse, reterr);
    double *factor = tq_scratch_take(scratch, nv * nv + 1, sizeof *factor);
    double *one = tq_scratch_take(scratch, nv * nv + 1, sizeof *one);
    if (factor == NULL || one == NULL) {
        tq_scratch_rewind(scratch, mark);
        return status != TQ_OK ? status
                               : tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                                         (double)tq_mass_matrix_inverse_scratch_size(mechanism));
    }
    for (size_t i = 0; status == TQ_OK && i < n_sample; i++) {
        for (size_t k = 0; k < nv * nv; k++) {
            factor[k] = ret_inverse[k * stride + i];
        }
        const size_t row = tq_mass_matrix_factor(nv, factor);
        if (row < nv) {
            status = tq_fail(reterr, TQ_ERR_SINGULAR, "mass_matrix", i, (double)row);
            break;
        }
        tq_mass_matrix_invert(nv, factor, one);
        for (size_t k = 0; k < nv * nv; k++) {
            ret_inverse[k * stride + i] = one[k];
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

size_t tq_mass_matrix_flat_scratch_size(const tq_mechanism *mechanism)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    const size_t nv = model->nv;
    return tq_mass_matrix_scratch_size(mechanism) +
           tq_scratch_cost((size_t)model->nq * TQ_BLOCK_PAD + 1, sizeof(double)) +
           tq_scratch_cost(nv * nv * TQ_BLOCK_PAD + 1, sizeof(double));
}

tq_status tq_mass_matrix_flat(const tq_mechanism *mechanism, const double *q, unsigned without,
                              tq_scratch *scratch, double *ret_m, tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    const size_t nv = model->nv, mark = tq_scratch_mark(scratch);
    double *rows = tq_scratch_take(scratch, (size_t)model->nq * TQ_BLOCK_PAD + 1, sizeof *rows);
    double *m = tq_scratch_take(scratch, nv * nv * TQ_BLOCK_PAD + 1, sizeof *m);
    tq_status status = TQ_ERR_SCRATCH;
    if (rows == NULL || m == NULL) {
        status = tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                         (double)tq_mass_matrix_flat_scratch_size(mechanism));
    } else {
        for (size_t k = 0; k < model->nq * (size_t)TQ_BLOCK_PAD; k++) {
            rows[k] = q[k / TQ_BLOCK_PAD];
        }
        status = tq_mass_matrix(mechanism, 1, TQ_BLOCK_PAD, rows, without, scratch, m, reterr);
        for (size_t k = 0; status == TQ_OK && k < nv * nv; k++) {
            ret_m[k] = m[k * TQ_BLOCK_PAD];
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
