/* SPDX-License-Identifier: Apache-2.0 */
/* core/linalg/dense.c - dense factorisations: small matrices by unblocked.h, larger ones by
 * LAPACK's `_work` functions (column-major: no copy, no allocation). The only caller of LAPACK. */
#include "core/linalg/dense.h"

#include <assert.h>
#include <limits.h>
#include <math.h>

#include <cblas.h>
#include <lapacke.h>

#include "core/linalg/unblocked.h"

/* upper bound of the block size in LAPACK's workspace formulas */
enum { LAPACK_BLOCK = 64 };

/* rows, columns and leading dimensions as LAPACK's int; check_shape has bounded them */
static int narrow(size_t n)
{
    assert(n <= TQ_DENSE_MAX);
    return (int)n;
}

static tq_status check_shape(size_t m, size_t n, size_t ld, tq_error *reterr)
{
    if (m == 0 || m > TQ_DENSE_MAX) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "m", 0, (double)m);
    }
    if (n == 0 || n > TQ_DENSE_MAX) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "n", 0, (double)n);
    }
    if (ld < m || ld > TQ_DENSE_MAX) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "ld", 0, (double)ld);
    }
    return TQ_OK;
}

/* checks a square matrix of n rows and a right-hand side of n_rhs columns */
static tq_status check_system(size_t n, size_t ld, size_t n_rhs, size_t ldb, tq_error *reterr)
{
    const tq_status status = check_shape(n, n, ld, reterr);
    return status == TQ_OK ? check_shape(n, n_rhs, ldb, reterr) : status;
}

/* LAPACK's LWORK is an int, and workspaces are of order n LAPACK_BLOCK or, for dgesdd, 4 n^2. A
 * size that does not fit an int is TQ_ERR_SHAPE. */
typedef struct workspace {
    double *at;
    int size;
} workspace;

/* Before a library factors m x n, which cannot be cancelled. */
static tq_status take_work(tq_scratch *scratch, const size_t shape[2], size_t size, size_t needed,
                           workspace *ret, tq_error *reterr)
{
    const double m = (double)shape[0], n = (double)shape[1];
    const tq_status status = tq_scratch_work(scratch, 2.0 * m * n * fmin(m, n), reterr);
    if (status != TQ_OK) {
        return status;
    }
    if (size > INT_MAX) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "work", 0, (double)size);
    }
    *ret = (workspace){tq_scratch_take(scratch, size, sizeof *ret->at), (int)size};
    return ret->at != NULL ? TQ_OK : tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)needed);
}

tq_status tq_cholesky_factor(size_t n, double *a, size_t ld, tq_error *reterr)
{
    const tq_status status = check_shape(n, n, ld, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const int info = tq_dense_is_own(n, n)
                         ? (int)tq_unblocked_cholesky(n, a, ld)
                         : LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', narrow(n), a, narrow(ld));
    if (info > 0) {
        return tq_fail(reterr, TQ_ERR_SINGULAR, "a", (size_t)info, 0.0);
    }
    return info == 0 ? TQ_OK : tq_fail(reterr, TQ_ERR_LAPACK, "dpotrf", 0, (double)info);
}

tq_status tq_cholesky_solve(size_t n, size_t n_rhs, const double *l, size_t ld, double *b,
                            size_t ldb, tq_error *reterr)
{
    const tq_status status = check_system(n, ld, n_rhs, ldb, reterr);
    if (status != TQ_OK) {
        return status;
    }
    if (tq_dense_is_own(n, n)) {
        (void)tq_unblocked_triangle(0, 0, n, l, ld, n_rhs, b, ldb);
        (void)tq_unblocked_triangle(0, 1, n, l, ld, n_rhs, b, ldb);
        return TQ_OK;
    }
    const int info = LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', narrow(n), narrow(n_rhs), l,
                                         narrow(ld), b, narrow(ldb));
    return info == 0 ? TQ_OK : tq_fail(reterr, TQ_ERR_LAPACK, "dpotrs", 0, (double)info);
}

static tq_status solve_triangle(const char form[2], size_t n, const double *a, size_t ld,
                                size_t n_rhs, double *b, size_t ldb, tq_error *reterr)
{
    const tq_status status = check_system(n, ld, n_rhs, ldb, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const int info =
        tq_dense_is_own(n, n)
            ? (int)tq_unblocked_triangle(form[0] == 'U', form[1] == 'T', n, a, ld, n_rhs, b, ldb)
            : LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, form[0], form[1], 'N', narrow(n), narrow(n_rhs),
                                  a, narrow(ld), b, narrow(ldb));
    return info == 0 ? TQ_OK
                     : tq_fail(reterr, info > 0 ? TQ_ERR_SINGULAR : TQ_ERR_LAPACK, "r",
                               (size_t)(info > 0 ? info - 1 : 0), 0.0);
}

tq_status tq_cholesky_half_solve(size_t n, const double *l, size_t ld, int transposed, size_t n_rhs,
                                 double *b, size_t ldb, tq_error *reterr)
{
    return solve_triangle(transposed ? "LT" : "LN", n, l, ld, n_rhs, b, ldb, reterr);
}

tq_status tq_cholesky_invert(size_t n, double *l, size_t ld, tq_error *reterr)
{
    const tq_status status = check_shape(n, n, ld, reterr);
    if (status != TQ_OK) {
        return status;
    }
    int info = 0;
    if (tq_dense_is_own(n, n)) {
        tq_unblocked_cholesky_invert(n, l, ld);
    } else {
        info = LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', narrow(n), l, narrow(ld));
    }
    if (info != 0) {
        return tq_fail(reterr, info > 0 ? TQ_ERR_SINGULAR : TQ_ERR_LAPACK, "dpotri", 0,
                       (double)info);
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j + 1; i < n; i++) {
            l[i * ld + j] = l[j * ld + i];
        }
    }
    return TQ_OK;
}

size_t tq_invert_scratch_size(size_t n)
{
    return tq_scratch_cost(n, sizeof(int)) + tq_scratch_cost(n * LAPACK_BLOCK, sizeof(double));
}

tq_status tq_invert(size_t n, double *a, size_t ld, tq_scratch *scratch, tq_error *reterr)
{
    tq_status status = check_shape(n, n, ld, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const size_t mark = tq_scratch_mark(scratch);
    workspace work = {0};
    status = take_work(scratch, (const size_t[]){n, n}, n * LAPACK_BLOCK, tq_invert_scratch_size(n),
                       &work, reterr);
    int *pivot = tq_scratch_take(scratch, n, sizeof *pivot);
    if (status == TQ_OK && pivot == NULL) {
        status = tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_invert_scratch_size(n));
    }
    if (status != TQ_OK || pivot == NULL) {
        tq_scratch_rewind(scratch, mark);
        return status;
    }
    const int is_own = tq_dense_is_own(n, n);
    int info =
        is_own ? (int)tq_unblocked_invert(n, a, ld, pivot, work.at)
               : LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, narrow(n), narrow(n), a, narrow(ld), pivot);
    if (info == 0 && !is_own) {
        info = LAPACKE_dgetri_work(LAPACK_COL_MAJOR, narrow(n), a, narrow(ld), pivot, work.at,
                                   work.size);
    }
    if (info != 0) {
        status = info > 0 ? tq_fail(reterr, TQ_ERR_SINGULAR, "a", (size_t)info - 1, 0.0)
                          : tq_fail(reterr, TQ_ERR_LAPACK, "dgetrf", 0, (double)info);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

static size_t qr_work(size_t n)
{
    return 2 * n + (n + 1) * LAPACK_BLOCK;
}

size_t tq_qr_scratch_size(size_t m, size_t n)
{
    (void)m;
    return tq_scratch_cost(qr_work(n), sizeof(double));
}

tq_status tq_qr_factor(size_t m, size_t n, double *a, size_t ld, tq_scratch *scratch,
                       double *ret_tau, int *ret_pivot, tq_error *reterr)
{
    tq_status status = check_shape(m, n, ld, reterr);
    if (status != TQ_OK) {
        return status;
    }
    if (tq_dense_is_own(m, n)) {
        tq_unblocked_qr(m, n, a, ld, ret_tau, ret_pivot);
        return TQ_OK;
    }
    const size_t mark = tq_scratch_mark(scratch);
    workspace work = {0};
    status = take_work(scratch, (const size_t[]){m, n}, qr_work(n), tq_qr_scratch_size(m, n), &work,
                       reterr);
    if (status != TQ_OK) {
        return status;
    }
    for (size_t j = 0; j < n; j++) {
        ret_pivot[j] = 0; /* free to be permuted */
    }
    const int info = LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, narrow(m), narrow(n), a, narrow(ld),
                                         ret_pivot, ret_tau, work.at, work.size);
    if (info != 0) {
        status = tq_fail(reterr, TQ_ERR_LAPACK, "dgeqp3", 0, (double)info);
    }
    for (size_t j = 0; j < n; j++) {
        ret_pivot[j]--; /* LAPACK counts from 1 */
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

size_t tq_qr_rank(size_t m, size_t n, const double *r, size_t ld, double rcond)
{
    const size_t k = tq_smaller(m, n);
    size_t rank = 0;
    while (rank < k && fabs(r[rank * ld + rank]) > rcond * fabs(r[0])) {
        rank++;
    }
    return rank;
}

tq_status tq_qr_basis(size_t m, size_t k, double *a, size_t ld, const double *tau,
                      tq_scratch *scratch, tq_error *reterr)
{
    tq_status status = check_shape(m, k, ld, reterr);
    if (status != TQ_OK) {
        return status;
    }
    if (tq_dense_is_own(m, k)) {
        tq_unblocked_basis(m, k, a, ld, tau);
        return TQ_OK;
    }
    const size_t mark = tq_scratch_mark(scratch);
    workspace work = {0};
    status = take_work(scratch, (const size_t[]){m, k}, qr_work(k), tq_qr_scratch_size(m, k), &work,
                       reterr);
    if (status != TQ_OK) {
        return status;
    }
    const int info = LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, narrow(m), narrow(k), narrow(k), a,
                                         narrow(ld), tau, work.at, work.size);
    if (info != 0) {
        status = tq_fail(reterr, TQ_ERR_LAPACK, "dorgqr", 0, (double)info);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_triangle_solve(size_t k, const double *r, size_t ld, size_t n_rhs, double *b,
                            size_t ldb, tq_error *reterr)
{
    return solve_triangle("UN", k, r, ld, n_rhs, b, ldb, reterr);
}

tq_status tq_triangle_solve_transposed(size_t k, const double *r, size_t ld, size_t n_rhs,
                                       double *b, size_t ldb, tq_error *reterr)
{
    return solve_triangle("UT", k, r, ld, n_rhs, b, ldb, reterr);
}

static size_t lstsq_work(size_t m, size_t n)
{
    return tq_smaller(m, n) + 2 * n + LAPACK_BLOCK * (n + 1);
}

size_t tq_lstsq_scratch_size(size_t m, size_t n)
{
    return tq_scratch_cost(lstsq_work(m, n), sizeof(double)) + tq_scratch_cost(n, sizeof(int));
}

tq_status tq_lstsq(size_t m, size_t n, double *a, double *b, double rcond, tq_scratch *scratch,
                   size_t *ret_rank, tq_error *reterr)
{
    tq_status status = check_shape(m, n, m, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const size_t mark = tq_scratch_mark(scratch);
    workspace work = {0};
    status = take_work(scratch, (const size_t[]){m, n}, lstsq_work(m, n),
                       tq_lstsq_scratch_size(m, n), &work, reterr);
    int *pivot = tq_scratch_take(scratch, n, sizeof *pivot);
    if (status == TQ_OK && pivot == NULL) {
        status = tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_lstsq_scratch_size(m, n));
    }
    if (status != TQ_OK || pivot == NULL) {
        tq_scratch_rewind(scratch, mark);
        return status;
    }
    if (tq_dense_is_own(m, n)) {
        double *rest = work.at + 2 * tq_smaller(m, n);
        *ret_rank = tq_unblocked_lstsq(m, n, a, b, rcond, work.at, rest, pivot);
        tq_scratch_rewind(scratch, mark);
        return TQ_OK;
    }
    for (size_t j = 0; j < n; j++) {
        pivot[j] = 0;
    }
    int rank = 0;
    const int info =
        LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, narrow(m), narrow(n), 1, a, narrow(m), b,
                            narrow(tq_larger(m, n)), pivot, rcond, &rank, work.at, work.size);
    if (info == 0) {
        *ret_rank = (size_t)rank;
    } else {
        status = tq_fail(reterr, TQ_ERR_LAPACK, "dgelsy", 0, (double)info);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

static size_t svd_work(size_t m, size_t n)
{
    const size_t k = tq_smaller(m, n);
    return 4 * k * k + 7 * k + 2 * tq_larger(m, n) * LAPACK_BLOCK;
}

size_t tq_svd_scratch_size(size_t m, size_t n)
{
    return tq_scratch_cost(svd_work(m, n), sizeof(double)) +
           tq_scratch_cost(8 * tq_smaller(m, n), sizeof(int));
}

/* NOLINTNEXTLINE(readability-function-size): two matrices with their sizes, as LAPACK has them */
tq_status tq_svd(size_t m, size_t n, double *a, size_t ld, tq_scratch *scratch, double *ret_s,
                 double *ret_u, double *ret_vt, tq_error *reterr)
{
    assert((ret_u == NULL) == (ret_vt == NULL));
    tq_status status = check_shape(m, n, ld, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const size_t mark = tq_scratch_mark(scratch);
    const size_t k = tq_smaller(m, n);
    workspace work = {0};
    status = take_work(scratch, (const size_t[]){m, n}, svd_work(m, n), tq_svd_scratch_size(m, n),
                       &work, reterr);
    int *iwork = tq_scratch_take(scratch, 8 * k, sizeof *iwork);
    if (status == TQ_OK && iwork == NULL) {
        status = tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_svd_scratch_size(m, n));
    }
    if (status != TQ_OK || iwork == NULL) {
        tq_scratch_rewind(scratch, mark);
        return status;
    }
    double none = 0.0;
    const int info =
        tq_dense_is_own(m, n)
            ? !tq_unblocked_svd(m, n, a, ld, work.at, iwork, ret_s, ret_u, ret_vt)
            : LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, ret_u != NULL ? 'S' : 'N', narrow(m), narrow(n),
                                  a, narrow(ld), ret_s, ret_u != NULL ? ret_u : &none, narrow(m),
                                  ret_vt != NULL ? ret_vt : &none, narrow(k), work.at, work.size,
                                  iwork);
    if (info != 0) {
        status = tq_fail(reterr, info > 0 ? TQ_ERR_NO_CONVERGENCE : TQ_ERR_LAPACK, "dgesdd", 0,
                         (double)info);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

static size_t eigen_work(size_t n)
{
    return (LAPACK_BLOCK + 2) * n;
}

size_t tq_eigen_symmetric_scratch_size(size_t n)
{
    return tq_scratch_cost(eigen_work(n), sizeof(double));
}

static tq_status eigen_symmetric(size_t n, double *a, size_t ld, int with_vectors,
                                 tq_scratch *scratch, double *ret_values, tq_error *reterr)
{
    tq_status status = check_shape(n, n, ld, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const size_t mark = tq_scratch_mark(scratch);
    workspace work = {0};
    status = take_work(scratch, (const size_t[]){n, n}, eigen_work(n),
                       tq_eigen_symmetric_scratch_size(n), &work, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const int info =
        tq_dense_is_own(n, n)
            ? !tq_unblocked_symmetric(n, a, ld, with_vectors, ret_values, work.at)
            : LAPACKE_dsyev_work(LAPACK_COL_MAJOR, with_vectors ? 'V' : 'N', 'L', narrow(n), a,
                                 narrow(ld), ret_values, work.at, work.size);
    if (info != 0) {
        status = tq_fail(reterr, info > 0 ? TQ_ERR_NO_CONVERGENCE : TQ_ERR_LAPACK, "dsyev", 0,
                         (double)info);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_eigen_symmetric(size_t n, double *a, size_t ld, tq_scratch *scratch,
                             double *ret_values, tq_error *reterr)
{
    return eigen_symmetric(n, a, ld, 1, scratch, ret_values, reterr);
}

tq_status tq_eigenvalues_symmetric(size_t n, double *a, size_t ld, tq_scratch *scratch,
                                   double *ret_values, tq_error *reterr)
{
    return eigen_symmetric(n, a, ld, 0, scratch, ret_values, reterr);
}

void tq_gram(size_t m, size_t n, double factor, const double *a, size_t ld, double *ret)
{
    for (size_t j = 0; j < n && tq_dense_is_own(m, n); j++) {
        for (size_t i = j; i < n; i++) {
            ret[j * n + i] = factor * tq_unblocked_dot(m, a + i * ld, a + j * ld);
        }
    }
    if (tq_dense_is_own(m, n)) {
        return;
    }
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, narrow(n), narrow(m), factor, a, narrow(ld),
                0.0, ret, narrow(n));
}

static size_t general_work(size_t n)
{
    return (3 + LAPACK_BLOCK) * n;
}

size_t tq_eigen_general_scratch_size(size_t n)
{
    return tq_scratch_cost(general_work(n), sizeof(double));
}

tq_status tq_eigen_general(size_t n, double *a, size_t ld, tq_scratch *scratch, double *ret_re,
                           double *ret_im, tq_error *reterr)
{
    tq_status status = check_shape(n, n, ld, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const size_t mark = tq_scratch_mark(scratch);
    workspace work = {0};
    status = take_work(scratch, (const size_t[]){n, n}, general_work(n),
                       tq_eigen_general_scratch_size(n), &work, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const int info = n <= TQ_UNBLOCKED_GENERAL_MAX
                         ? !tq_unblocked_general(n, a, ld, ret_re, ret_im)
                         : LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', narrow(n), a, narrow(ld),
                                              ret_re, ret_im, NULL, 1, NULL, 1, work.at, work.size);
    if (info != 0) {
        status = tq_fail(reterr, info > 0 ? TQ_ERR_NO_CONVERGENCE : TQ_ERR_LAPACK, "dgeev", 0,
                         (double)info);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
