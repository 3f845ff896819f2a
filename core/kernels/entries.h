/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/entries.h - where the entries of a matrix over all freedoms are stored. */
#ifndef TQ_KERNELS_ENTRIES_H
#define TQ_KERNELS_ENTRIES_H

#include "core/kernels/joints.h"

/* Entry (r, c) lies at down[r] + across[c] from the matrix. Loops keep both pointers in locals: a
 * store may alias anything. */
typedef struct entries {
    long *across, *down; /* (n_dof) rows[c] * stride and rows[c] * n_row * stride */
    int n_dof;
} entries;

TQ_INLINE entries entries_in(const tq_canonical *c, const int32_t *rows, long n_row, long stride,
                             real *work)
{
    const entries e = {(void *)work, (long *)(void *)work + c->n_dof, c->n_dof};
    for (int dof = 0; dof < c->n_dof; dof++) {
        e.across[dof] = rows[dof] * stride;
        e.down[dof] = rows[dof] * n_row * stride;
    }
    return e;
}

/* Row and column of freedom r between branches, which share no body: columns end .. n_dof - 1. */
TQ_INLINE void entries_clear(const entries *e, double *m, int r, int end)
{
    double *row = m + e->down[r], *column = m + e->across[r];
    const long *across = e->across, *down = e->down;
    const int n_dof = e->n_dof;
    const real zero = splat(0.0);
    for (int c = end; c < n_dof; c++) {
        store(row + across[c], zero);
        store(column + down[c], zero);
    }
}

#endif
