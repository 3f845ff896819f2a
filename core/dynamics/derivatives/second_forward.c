/* SPDX-License-Identifier: Apache-2.0 */
#include "core/dynamics/derivatives/second_forward.h"

#include <string.h>

#include "core/dynamics/mass_matrix/mass_matrix_inverse.h"

/* ret_jk = sum over m of a_mj b_mk */
static void transposed_product(size_t n, const double *a, const double *b, double *ret)
{
    memset(ret, 0, n * n * sizeof *ret);
    for (size_t m = 0; m < n; m++) {
        for (size_t j = 0; j < n; j++) {
            const double factor = a[m * n + j];
            for (size_t k = 0; k < n; k++) {
                ret[j * n + k] += factor * b[m * n + k];
            }
        }
    }
}

/* The right-hand sides of row i but for their sign: slices (nv x nv) of the four arrays. */
static void add_products(size_t n, const double *dq, const double *dqd, const double *inverse,
                         double *product, const tq_second_derivatives *slice)
{
    transposed_product(n, slice->dqdd_dq, dq, product);
    for (size_t j = 0; j < n; j++) {
        for (size_t k = 0; k < n; k++) {
            slice->dq_dq[j * n + k] += product[j * n + k] + product[k * n + j];
        }
    }
    transposed_product(n, dqd, slice->dqdd_dq, product);
    for (size_t k = 0; k < n * n; k++) {
        slice->dqd_dq[k] += product[k];
    }
    transposed_product(n, inverse, slice->dqdd_dq, product);
    memcpy(slice->dqdd_dq, product, n * n * sizeof *product);
}

static void negate(size_t n, double *x)
{
    for (size_t k = 0; k < n; k++) {
        x[k] = -x[k];
    }
}

tq_status tq_forward_second_derivatives(size_t nv, double *m, double *dq, double *dqd, double *work,
                                        const tq_second_derivatives *arrays, tq_error *reterr)
{
    const size_t row = tq_mass_matrix_factor(nv, m);
    if (row < nv) {
        return tq_fail(reterr, TQ_ERR_SINGULAR, "mass_matrix", 0, (double)row);
    }
    if (nv == 0) {
        return TQ_OK;
    }
    const size_t square = nv * nv;
    double *const inverse = work, *const product = work + square;
    for (size_t k = 0; k < 2; k++) {
        double *first = k == 0 ? dq : dqd;
        tq_mass_matrix_solve(nv, m, nv, first);
        negate(square, first);
    }
    memcpy(product, m, square * sizeof *m);
    tq_mass_matrix_invert(nv, product, inverse);
    for (size_t i = 0; i < nv; i++) {
        const tq_second_derivatives slice = {.dq_dq = arrays->dq_dq + i * square,
                                             .dqd_dqd = arrays->dqd_dqd + i * square,
                                             .dqd_dq = arrays->dqd_dq + i * square,
                                             .dqdd_dq = arrays->dqdd_dq + i * square};
        add_products(nv, dq, dqd, inverse, product, &slice);
    }
    double *const all[] = {arrays->dq_dq, arrays->dqd_dqd, arrays->dqd_dq, arrays->dqdd_dq};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        tq_mass_matrix_solve(nv, m, square, all[k]);
        negate(nv * square, all[k]);
    }
    return TQ_OK;
}
