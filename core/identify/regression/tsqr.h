/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/tsqr.h - TSQR: the triangle of a tall matrix that is never stored. */
#ifndef TQ_IDENTIFY_REGRESSION_TSQR_H
#define TQ_IDENTIFY_REGRESSION_TSQR_H

#include <stddef.h>

/* R of the rows so far, upper triangular, row by row (n x n). Orthogonal transformations only: R^T
 * R = A^T A with the accuracy of A, not of its square. */
typedef struct tq_tsqr {
    size_t n;
    double *r; /* (n x n) the caller's, zero below the diagonal */
} tq_tsqr;

/* Initialises without rows. */
void tq_tsqr_init(tq_tsqr *tsqr, size_t n, double *r);

/**
 * Fold rows into R by Householder reflections.
 *
 * Shapes   rows (n_row x n, row by row): destroyed.
 * Cost     2 n_row n^2.
 * Source   J. Demmel et al., Communication-optimal parallel and sequential QR and LU
 *          factorizations, SIAM J. Sci. Comput. 34(1), 2012.
 * Checked  tests/property/core/identify/regression/test_base.c
 */
void tq_tsqr_fold(tq_tsqr *tsqr, size_t n_row, double *rows);

/* The same for n rows that form a triangle (row by row, destroyed): a third of the work. */
void tq_tsqr_fold_triangle(tq_tsqr *tsqr, double *triangle);

#endif
