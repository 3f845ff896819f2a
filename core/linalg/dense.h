/* SPDX-License-Identifier: Apache-2.0 */
/* core/linalg/dense.h - factorisations of dense matrices: Cholesky, QR, SVD, eigenvalues. */
#ifndef TQ_LINALG_DENSE_H
#define TQ_LINALG_DENSE_H

#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"

/* Matrices are column-major: entry (i, j) at a[j * ld + i], ld >= rows. All functions borrow their
 * arguments for the call only, allocate nothing, and are re-entrant. Sizes above TQ_DENSE_MAX are
 * TQ_ERR_SHAPE. */
enum { TQ_DENSE_MAX = 1 << 20 };
/* Matrices up to this size are factored by unblocked.h and not by LAPACK, so that the bits are the
 * same on every machine. The choice depends on sizes only. */
enum { TQ_DENSE_OWN_MAX = 64, TQ_DENSE_OWN_ENTRIES = 1 << 14 };
static inline int tq_dense_is_own(size_t m, size_t n)
{
    return (m < n ? m : n) <= TQ_DENSE_OWN_MAX && m * n <= TQ_DENSE_OWN_ENTRIES;
}

/**
 * Cholesky factor of a symmetric positive definite matrix: A = L L^T; only the lower triangle is
 * read and overwritten.
 *
 * Returns  TQ_OK, TQ_ERR_SHAPE, or TQ_ERR_SINGULAR with index = order of the first minor that is
 *          not positive.
 * Cost     n^3 / 3.
 */
tq_status tq_cholesky_factor(size_t n, double *a, size_t ld, tq_error *reterr);

/* Solves A x = b for n_rhs columns of b, in place, from tq_cholesky_factor's L. */
tq_status tq_cholesky_solve(size_t n, size_t n_rhs, const double *l, size_t ld, double *b,
                            size_t ldb, tq_error *reterr);

/* x with L x = b, or L^T x = b when `transposed`, in place, from tq_cholesky_factor's L. */
tq_status tq_cholesky_half_solve(size_t n, const double *l, size_t ld, int transposed, size_t n_rhs,
                                 double *b, size_t ldb, tq_error *reterr);

/* Inverse of A from L: both triangles are written over `l`. */
tq_status tq_cholesky_invert(size_t n, double *l, size_t ld, tq_error *reterr);

/* Inverse of a regular matrix by LU with partial pivoting, in place. TQ_ERR_SINGULAR with index =
 * the zero pivot. LAPACK dgetrf, dgetri. */
tq_status tq_invert(size_t n, double *a, size_t ld, tq_scratch *scratch, tq_error *reterr);
size_t tq_invert_scratch_size(size_t n);

/**
 * Householder QR with column pivoting: A P = Q R.
 *
 * R is stored in the upper triangle of `a` (min(m, n) rows), the reflectors below. Column j of A P
 * is column ret_pivot[j] of A.
 *
 * Memory   tq_qr_scratch_size(m, n) bytes of `scratch`, all released. ret_tau (min(m, n)),
 *          ret_pivot (n).
 * Returns  TQ_OK, TQ_ERR_SHAPE, TQ_ERR_SCRATCH.
 * Cost     2 m n^2 - 2 n^3 / 3.
 * Source   LAPACK dgeqp3; Businger & Golub, Numer. Math. 7, 1965.
 */
tq_status tq_qr_factor(size_t m, size_t n, double *a, size_t ld, tq_scratch *scratch,
                       double *ret_tau, int *ret_pivot, tq_error *reterr);
size_t tq_qr_scratch_size(size_t m, size_t n);

/* Numerical rank of a pivoted R: diagonal entries of at least rcond times the first. */
size_t tq_qr_rank(size_t m, size_t n, const double *r, size_t ld, double rcond);

/* First k columns of Q (m x k), written over the reflectors of tq_qr_factor in `a`: an orthonormal
 * basis of the range of the first k pivoted columns. k <= min(m, n). tq_qr_scratch_size(m, k)
 * bytes. */
tq_status tq_qr_basis(size_t m, size_t k, double *a, size_t ld, const double *tau,
                      tq_scratch *scratch, tq_error *reterr);

/* X with R(1:k, 1:k) X = B, in place; k rows, n_rhs columns. */
tq_status tq_triangle_solve(size_t k, const double *r, size_t ld, size_t n_rhs, double *b,
                            size_t ldb, tq_error *reterr);
/* X with R(1:k, 1:k)^T X = B, otherwise as tq_triangle_solve. */
tq_status tq_triangle_solve_transposed(size_t k, const double *r, size_t ld, size_t n_rhs,
                                       double *b, size_t ldb, tq_error *reterr);

/**
 * Minimum-norm least squares by complete orthogonal factorisation. Destroys a; the first n entries
 * of b (which holds max(m, n)) become x.
 *
 * Returns  TQ_OK, TQ_ERR_SHAPE, TQ_ERR_SCRATCH, TQ_ERR_LAPACK.
 * Source   LAPACK dgelsy.
 */
tq_status tq_lstsq(size_t m, size_t n, double *a, double *b, double rcond, tq_scratch *scratch,
                   size_t *ret_rank, tq_error *reterr);
size_t tq_lstsq_scratch_size(size_t m, size_t n);

/**
 * Singular values (descending) and vectors: A = U diag(s) V^T, k = min(m, n). Destroys a.
 *
 * Shapes   ret_s (k), ret_u (m x k, ld m), ret_vt (k x n, ld k); u and vt may both be NULL.
 * Returns  TQ_OK, TQ_ERR_SHAPE, TQ_ERR_SCRATCH, TQ_ERR_NO_CONVERGENCE.
 * Source   LAPACK dgesdd.
 */
tq_status tq_svd(size_t m, size_t n, double *a, size_t ld, tq_scratch *scratch, double *ret_s,
                 double *ret_u, double *ret_vt, tq_error *reterr);
size_t tq_svd_scratch_size(size_t m, size_t n);

/* ret (n x n, lower triangle) = factor A^T A for an m x n matrix A. BLAS dsyrk. */
void tq_gram(size_t m, size_t n, double factor, const double *a, size_t ld, double *ret);

/* Eigenvalues (ascending) of a symmetric matrix; a becomes the eigenvectors, by column. LAPACK
 * dsyev. */
tq_status tq_eigen_symmetric(size_t n, double *a, size_t ld, tq_scratch *scratch,
                             double *ret_values, tq_error *reterr);
/* Eigenvalues only, in a third of the time of tq_eigen_symmetric; destroys a. */
tq_status tq_eigenvalues_symmetric(size_t n, double *a, size_t ld, tq_scratch *scratch,
                                   double *ret_values, tq_error *reterr);
size_t tq_eigen_symmetric_scratch_size(size_t n);

/* Eigenvalues re + i im of a general real matrix, unordered, conjugate pairs adjacent. Destroys a.
 * TQ_OK, TQ_ERR_SHAPE, TQ_ERR_SCRATCH, TQ_ERR_NO_CONVERGENCE. LAPACK dgeev. */
tq_status tq_eigen_general(size_t n, double *a, size_t ld, tq_scratch *scratch, double *ret_re,
                           double *ret_im, tq_error *reterr);
size_t tq_eigen_general_scratch_size(size_t n);

#endif
