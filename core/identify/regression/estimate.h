/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/estimate.h - estimators on the triangle of the data. */
#ifndef TQ_IDENTIFY_REGRESSION_ESTIMATE_H
#define TQ_IDENTIFY_REGRESSION_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"

/* The triangle of [A b], (n + 1) x (n + 1), row by row: |A x - b| = |triangle (x, -1)|. Columns are
 * compared in units of `scale`. */
typedef struct tq_reduced {
    size_t n;
    const double *triangle;
    const double *scale; /* (n) > 0 */
} tq_reduced;

/* Squared residual |A x - b|^2. */
double tq_reduced_residual(const tq_reduced *data, const double *x);

/**
 * Least squares by Householder QR with column pivoting; of several solutions the one nearest to
 * `centre` in units of `scale`.
 *
 * Returns  TQ_OK, TQ_ERR_SCRATCH (tq_estimate_size(n) bytes), TQ_ERR_LAPACK.
 * Source   Golub & Van Loan, Matrix Computations, 5.5: complete orthogonal factorisation.
 * Checked  tests/unit/core/identify/regression/test_estimate.c
 */
tq_status tq_estimate_ols(const tq_reduced *data, const double *centre, double rcond,
                          tq_scratch *scratch, double *ret_x, size_t *ret_rank, tq_error *reterr);

/* |A x - b|^2 + ridge sum ((x - centre) / scale)^2. Returns as tq_estimate_ols. */
tq_status tq_estimate_ridge(const tq_reduced *data, const double *centre, double ridge,
                            tq_scratch *scratch, double *ret_x, tq_error *reterr);

/**
 * Total least squares: the smallest change of A and b, in units of `scale` and `unit` (of
 * b), that makes A x = b consistent.
 *
 * Returns  TQ_OK, TQ_ERR_SINGULAR: b has no component in the smallest direction; TQ_ERR_SCRATCH.
 * Source   S. Van Huffel, J. Vandewalle, The Total Least Squares Problem, SIAM, 1991.
 * Checked  tests/unit/core/identify/regression/test_estimate.c
 */
tq_status tq_estimate_tls(const tq_reduced *data, double unit, tq_scratch *scratch, double *ret_x,
                          tq_error *reterr);

/**
 * Least squares with x[i] >= 0 where positive[i], by an active set.
 *
 * Returns  TQ_OK, TQ_ERR_NO_CONVERGENCE, TQ_ERR_SCRATCH.
 * Source   C. Lawson, R. Hanson, Solving Least Squares Problems, 1974, ch. 23.
 * Checked  tests/unit/core/identify/regression/test_estimate.c
 */
tq_status tq_estimate_bounded(const tq_reduced *data, const bool *positive, const double *centre,
                              double rcond, tq_scratch *scratch, double *ret_x, tq_error *reterr);

/* Singular values (n, descending) of A with columns multiplied by `by` (NULL: 1), and the right
 * singular vectors in ret_v (n x n, by column; may be NULL). */
tq_status tq_reduced_svd(const tq_reduced *data, const double *by, tq_scratch *scratch,
                         double *ret_s, double *ret_v, tq_error *reterr);

/* Bytes of scratch that each of these needs. */
size_t tq_estimate_size(size_t n);

#endif
