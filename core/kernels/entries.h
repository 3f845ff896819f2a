/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/entries.h - addresses of the entries of a matrix over all dofs. */
#ifndef TQ_KERNELS_ENTRIES_H
#define TQ_KERNELS_ENTRIES_H

#include "core/kernels/joints.h"

/* Entry (r, c) is at m + down[r] + across[c]. Loops copy the pointers to local variables: a store
 * may alias any struct member. */
typedef struct entries {
    long *across, *down; /* (n_dof) rows[c] * stride and rows[c] * n_row * stride */
    long *up;            /* (n_dof) the previous dof towards the world, or -1; filled by
                            entries_climb */
    int n_dof;
    _Bool again; /* structural zeros are in the buffer already */
    _Bool half;  /* the lower triangle is not required */
} entries;

enum {
    ENTRIES_REALS = 3,                              /* per dof */
    ENTRIES_RUN = TQ_LANES > 1 ? TQ_WORK_LANES : 1, /* samples that a row is a multiple of */
};

/* the last dof of a joint */
TQ_INLINE int entries_last(const tq_canonical_joint *k)
{
    return k->dof + tq_canonical_freedoms(k->kind) - 1;
}

/* True if the user's order of rows also has every dof after its ancestors. */
TQ_INLINE _Bool entries_ascend(const tq_canonical *c, const int32_t *rows)
{
    _Bool ascend = 1;
    for (int b = 0; b < c->n_body; b++) {
        const tq_canonical_joint *k = &c->joints[b];
        ascend =
            ascend && (k->parent < 0 || rows[entries_last(&c->joints[k->parent])] < rows[k->dof]);
    }
    return ascend;
}

TQ_INLINE entries entries_in(const tq_canonical *c, const tq_kernel_input *in, const int32_t *rows,
                             long n_row, real *work)
{
    long *at = (void *)work;
    const long n = c->n_dof, stride = in->out_stride;
    entries e = {at,
                 at + n,
                 at + 2 * n,
                 c->n_dof,
                 (in->fill & TQ_FILL_AGAIN) != 0,
                 (in->fill & TQ_FILL_UPPER) != 0};
    for (int dof = 0; dof < c->n_dof; dof++) {
        e.across[dof] = rows[dof] * stride;
        e.down[dof] = rows[dof] * n_row * stride;
    }
    e.half = e.half && (rows == c->dof_rows ? c->rows_ascend : entries_ascend(c, rows));
    return e;
}

/* fills e->up */
TQ_INLINE void entries_climb(const tq_canonical *c, const entries *e)
{
    for (int b = 0; b < c->n_body; b++) {
        const tq_canonical_joint *k = &c->joints[b];
        e->up[k->dof] = k->parent < 0 ? -1 : entries_last(&c->joints[k->parent]);
        for (int f = 1; f < tq_canonical_freedoms(k->kind); f++) {
            e->up[k->dof + f] = k->dof + f - 1;
        }
    }
}

/* A row of n doubles, rounded up to whole runs of them. Rows are short: no call of memset. */
TQ_INLINE void entries_zero(double *at, long n, long run)
{
    for (long i = 0; i < n; i += run) {
        TQ_UNROLL
        for (long k = 0; k < run; k += TQ_LANES) {
            store(at + i + k, splat(0.0));
        }
        if (TQ_LANES > 1 && n > TQ_LANES) {
            __asm__ volatile("" ::: "memory");
        }
    }
}
TQ_INLINE void entries_copy(double *to, const double *from, long n, long run)
{
    for (long i = 0; i < n; i += run) {
        TQ_UNROLL
        for (long k = 0; k < run; k += TQ_LANES) {
            store(to + i + k, load(from + i + k));
        }
    }
}

TQ_INLINE void entries_fill(const tq_canonical *c, const entries *e, long n, long run, _Bool mirror,
                            double *m)
{
    const long *across = e->across, *down = e->down;
    const int clear_until = e->again ? 0 : c->n_dof;
    for (int b = 0; b < c->n_body; b++) {
        const tq_canonical_joint *k = &c->joints[b], *last = &c->joints[k->last];
        const int own = k->dof + tq_canonical_freedoms(k->kind);
        const int end = last->dof + tq_canonical_freedoms(last->kind);
        const int mirror_until = mirror ? end : own;
        for (int r = k->dof; r < own; r++) {
            double *row = m + down[r], *column = m + across[r];
            for (int col = own; col < mirror_until; col++) {
                entries_copy(column + down[col], row + across[col], n, run);
            }
            for (int col = end; col < clear_until; col++) {
                entries_zero(row + across[col], n, run);
                entries_zero(column + down[col], n, run);
            }
        }
    }
}

/* Entries that no recursion computes, for all samples at once so that stores are contiguous:
 * structural zeros, unless they are in the buffer already; with `mirror`, the lower triangle of a
 * symmetric matrix. */
static __attribute__((noinline, unused)) void
entries_complete(const tq_canonical *c, const entries *e, long n_sample, _Bool mirror, double *m)
{
    if (e->again && !mirror) {
        return;
    }
    if (n_sample <= TQ_LANES) {
        entries_fill(c, e, TQ_LANES, TQ_LANES, mirror, m);
    } else {
        entries_fill(c, e, n_sample, ENTRIES_RUN, mirror, m);
    }
}

#endif
