/* SPDX-License-Identifier: Apache-2.0 */
/* core/linalg/unblocked.h - factorisations of small matrices with a fixed order of summation. */
#ifndef TQ_LINALG_UNBLOCKED_H
#define TQ_LINALG_UNBLOCKED_H

#include <stddef.h>

/* A BLAS chooses the order of summation by the processor; these functions sum in the same order
 * everywhere. Up to this many rows and columns they are about as fast. Column-major as in dense.h,
 * which checks the arguments; formats of factors are LAPACK's. */
enum { TQ_UNBLOCKED_GENERAL_MAX = 256 };

/* sum of x[i] y[i] */
double tq_unblocked_dot(size_t n, const double *x, const double *y);

/* dpotrf 'L': 0, or the order of the first minor that is not positive */
size_t tq_unblocked_cholesky(size_t n, double *a, size_t ld);
/* dpotri 'L' */
void tq_unblocked_cholesky_invert(size_t n, double *l, size_t ld);
/* x with A x = b or A^T x = b, A lower or upper triangular; dtrtrs. Returns 0, or 1 + index of a
 * zero on the diagonal. */
size_t tq_unblocked_triangle(int is_upper, int transposed, size_t n, const double *a, size_t ld,
                             size_t n_rhs, double *b, size_t ldb);
/* dgetrf, dgetri: 0, or 1 + index of the zero pivot; pivot, work (n) */
size_t tq_unblocked_invert(size_t n, double *a, size_t ld, int *pivot, double *work);

/* dgeqp3 with every column free, pivots counted from 0; ret_pivot NULL: no pivoting */
void tq_unblocked_qr(size_t m, size_t n, double *a, size_t ld, double *ret_tau, int *ret_pivot);
/* dormqr 'L', 'T' (or 'N') with k reflectors */
void tq_unblocked_apply_q(int transposed, size_t m, size_t k, const double *qr, size_t ld,
                          const double *tau, size_t n_rhs, double *b, size_t ldb);
/* dorgqr, m x k */
void tq_unblocked_basis(size_t m, size_t k, double *a, size_t ld, const double *tau);
/* dgelsy with the rank from the diagonal of R; tau (2 min(m, n)), work (n min(m, n) + n), pivot (n)
 */
size_t tq_unblocked_lstsq(size_t m, size_t n, double *a, double *b, double rcond, double *tau,
                          double *work, int *pivot);

/* dgesdd 'S', or 'N' with NULL for u and vt; work (2 m n + 2 k^2 + 2 k), pivot (k), k = min(m, n).
 * 0: no convergence */
int tq_unblocked_svd(size_t m, size_t n, double *a, size_t ld, double *work, int *pivot,
                     double *ret_s, double *ret_u, double *ret_vt);
/* dsyev 'V' or 'N', 'L'; work (3 n). 0: no convergence */
int tq_unblocked_symmetric(size_t n, double *a, size_t ld, int with_vectors, double *ret_values,
                           double *work);
/* dgeev 'N', 'N'. 0: no convergence */
int tq_unblocked_general(size_t n, double *a, size_t ld, double *ret_re, double *ret_im);

#endif
