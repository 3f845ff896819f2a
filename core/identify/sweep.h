/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/sweep.h - the sweep operator of least squares. */
#ifndef TQ_IDENTIFY_SWEEP_H
#define TQ_IDENTIFY_SWEEP_H

#include <stddef.h>

/* Symmetric sweep of an n x n matrix at its pivot k. Afterwards entry (k, j) of an unswept column j
 * is the regression coefficient of column k in j, the unswept block has the residual sums of
 * squares and products, and the swept block is minus its inverse.
 * Source   J. Goodnight, A tutorial on the sweep operator, The American Statistician 33(3), 1979.
 */
void tq_sweep(size_t n, double *a, size_t k);

#endif
