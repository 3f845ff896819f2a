/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/feasible/block4.h - symmetric 4x4 matrices (pseudo-inertias), row by row. */
#ifndef TQ_IDENTIFY_FEASIBLE_BLOCK4_H
#define TQ_IDENTIFY_FEASIBLE_BLOCK4_H

#include <stdbool.h>

typedef double tq_block4[16];

enum { TQ_SVEC4 = 10 }; /* entries of the upper triangle, row by row */

/* Vector of a symmetric matrix with equal dot products: off-diagonals times sqrt(2). */
void tq_svec4(const tq_block4 a, double ret[TQ_SVEC4]);
void tq_smat4(const double v[TQ_SVEC4], tq_block4 ret);

/* ret = a b, a^T b, a b^T. ret must not alias an argument. */
void tq_mul4(const tq_block4 a, const tq_block4 b, tq_block4 ret);
void tq_tmul4(const tq_block4 a, const tq_block4 b, tq_block4 ret);
void tq_mult4(const tq_block4 a, const tq_block4 b, tq_block4 ret);

/* Lower triangular L with a = L L^T; false if a is not positive definite. */
bool tq_cholesky4(const tq_block4 a, tq_block4 ret_l);

/* SVD a = U diag(s) V^T by one-sided Jacobi rotations; a must be regular. */
void tq_svd4(const tq_block4 a, tq_block4 ret_u, double ret_s[4], tq_block4 ret_v);

/* Smallest eigenvalue of a symmetric matrix, by Jacobi rotations. */
double tq_least_eigen4(const tq_block4 a);

#endif
