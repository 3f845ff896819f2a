/* SPDX-License-Identifier: Apache-2.0 */
/* core/linalg/exponential.h - matrix exponential. */
#ifndef TQ_LINALG_EXPONENTIAL_H
#define TQ_LINALG_EXPONENTIAL_H

#include <stddef.h>

/**
 * x := exp(x), by scaling and squaring.
 *
 * Shapes   x (m x m), by columns or by rows; term and room (m x m) are working memory.
 * Returns  Nothing; entries that overflow become infinite or NaN.
 * Cost     About 20 matrix products of order m, plus one per doubling of the norm above 1/2.
 * Source   C. Moler, C. Van Loan, Nineteen dubious ways to compute the exponential of a matrix,
 *          twenty-five years later, SIAM Review 45(1), 2003: method 3.
 * Checked  tests/property/core/linalg/test_exponential.c
 */
void tq_exponential(size_t m, double *x, double *term, double *room);

#endif
