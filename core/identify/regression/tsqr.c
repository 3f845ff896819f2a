/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/tsqr.c - Householder reflections of a triangle and a block of rows below
 * it. */
#include "core/identify/regression/tsqr.h"

#include <math.h>
#include <string.h>

#include "core/base/fpmode.h"
#include "core/kernels/table.h"

/* if the squared length were smaller its reciprocal would overflow: such a column counts as zero */
static const double negligible = 1e-280;
enum { TILE = 64 }; /* columns */

void tq_tsqr_init(tq_tsqr *tsqr, size_t n, double *r)
{
    *tsqr = (tq_tsqr){.n = n, .r = r};
    memset(r, 0, n * n * sizeof *r);
}

/* Applies I - scale v v^T, v = (u0, column k), to columns first ... first + TILE - 1, row by row in
 * memory order; the sums of a column are in the order of its rows. */
static void reflect(size_t n, size_t n_row, size_t k, size_t first, double u0, double scale,
                    double *top, double *rows)
{
    const size_t m = n - first < TILE ? n - first : TILE;
    double sum[TILE];
    for (size_t j = 0; j < m; j++) {
        sum[j] = u0 * top[first + j];
    }
    for (size_t i = 0; i < n_row; i++) {
        const double v = rows[i * n + k];
        const double *row = rows + i * n + first;
        for (size_t j = 0; j < m; j++) {
            sum[j] += v * row[j];
        }
    }
    for (size_t j = 0; j < m; j++) {
        sum[j] *= scale;
        top[first + j] -= sum[j] * u0;
    }
    for (size_t i = 0; i < n_row; i++) {
        const double v = rows[i * n + k];
        double *row = rows + i * n + first;
        for (size_t j = 0; j < m; j++) {
            row[j] -= sum[j] * v;
        }
    }
}

void tq_tsqr_fold(tq_tsqr *tsqr, size_t n_row, double *rows)
{
    const size_t n = tsqr->n;
    for (size_t k = 0; k < n; k++) {
        double *diagonal = tsqr->r + k * n + k;
        double below = 0.0;
        for (size_t i = 0; i < n_row; i++) {
            below += rows[i * n + k] * rows[i * n + k];
        }
        if (below < negligible) {
            continue;
        }
        /* Householder vector of (r_kk, column): v = (u0, column), with the sign that avoids
         * cancellation */
        const double length = sqrt(*diagonal * *diagonal + below);
        const double next = *diagonal > 0.0 ? -length : length;
        const double u0 = *diagonal - next;
        const double scale = 2.0 / (u0 * u0 + below);
        *diagonal = next;
        for (size_t j = k + 1; j < n; j += TILE) {
            reflect(n, n_row, k, j, u0, scale, tsqr->r + k * n, rows);
        }
    }
}

void tq_tsqr_fold_triangle(tq_tsqr *tsqr, double *triangle)
{
    const tq_fpmode mode = tq_fpmode_enter();
    tq_kernels_for(tsqr->n)->triangle((long)tsqr->n, tsqr->r, triangle);
    tq_fpmode_leave(mode);
}
