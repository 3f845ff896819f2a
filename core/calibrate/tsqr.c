/* SPDX-License-Identifier: Apache-2.0 */
/* core/calibrate/tsqr.c - Householder reflections of a triangle and a block of rows below it. */
#include "core/calibrate/tsqr.h"

#include <math.h>
#include <string.h>

/* a squared length under this would overflow its reciprocal: such a column is zero */
static const double negligible = 1e-280;

void tq_tsqr_init(tq_tsqr *tsqr, size_t n, double *r)
{
    *tsqr = (tq_tsqr){.n = n, .r = r};
    memset(r, 0, n * n * sizeof *r);
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
        /* reflect (r_kk, column) onto the axis: v = (u0, column), away from cancellation */
        const double length = sqrt(*diagonal * *diagonal + below);
        const double next = *diagonal > 0.0 ? -length : length;
        const double u0 = *diagonal - next;
        const double scale = 2.0 / (u0 * u0 + below);
        *diagonal = next;
        for (size_t j = k + 1; j < n; j++) {
            double sum = u0 * tsqr->r[k * n + j];
            for (size_t i = 0; i < n_row; i++) {
                sum += rows[i * n + k] * rows[i * n + j];
            }
            sum *= scale;
            tsqr->r[k * n + j] -= sum * u0;
            for (size_t i = 0; i < n_row; i++) {
                rows[i * n + j] -= sum * rows[i * n + k];
            }
        }
    }
}

/* takes entry k of row i = 0 .. k into entry (k, k) of R; w is room for one row */
static void fold_column(tq_tsqr *tsqr, size_t k, double *x, double *w)
{
    const size_t n = tsqr->n;
    double *own = tsqr->r + k * n;
    double below = 0.0;
    for (size_t i = 0; i <= k; i++) {
        below += x[i * n + k] * x[i * n + k];
    }
    if (below < negligible) {
        return;
    }
    const double length = sqrt(own[k] * own[k] + below);
    const double next = own[k] > 0.0 ? -length : length;
    const double u0 = own[k] - next;
    const double scale = 2.0 / (u0 * u0 + below);
    own[k] = next;
    for (size_t j = k + 1; j < n; j++) {
        w[j] = u0 * own[j];
    }
    for (size_t i = 0; i <= k; i++) {
        const double v = x[i * n + k];
        for (size_t j = k + 1; j < n; j++) {
            w[j] += v * x[i * n + j];
        }
    }
    for (size_t j = k + 1; j < n; j++) {
        w[j] *= scale;
        own[j] -= u0 * w[j];
    }
    for (size_t i = 0; i <= k; i++) {
        const double v = x[i * n + k];
        for (size_t j = k + 1; j < n; j++) {
            x[i * n + j] -= v * w[j];
        }
    }
}

void tq_tsqr_fold_triangle(tq_tsqr *tsqr, double *triangle, double *room)
{
    for (size_t k = 0; k < tsqr->n; k++) {
        fold_column(tsqr, k, triangle, room);
    }
}
