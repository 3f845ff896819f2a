/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/instruments.c - columns and torque projected onto the span of the
 * instruments. */
#include "core/identify/regression/instruments.h"

#include <math.h>
#include <string.h>

#include "core/identify/regression/triangle.h"
#include "core/identify/regression/tsqr.h"

static const double weak = 1e-9; /* minimum part of an instrument that is independent of the
                                    others */

size_t tq_fit_project_size(const tq_fit *fit)
{
    const size_t w = 2 * fit->n_column + 1;
    return tq_scratch_cost(w * w, sizeof(double)) +
           tq_scratch_cost(tq_fit_width(fit) * w, sizeof(double));
}

/* a row's part of a set as lines of [instruments, columns, torque] of all */
static void spread_lines(const tq_fit *fit, const tq_fit_row *row, const double *t, double weight,
                         double *ret)
{
    const size_t n = fit->n_column;
    const size_t w = 2 * n + 1;
    memset(ret, 0, row->width * w * sizeof *ret);
    for (size_t i = 0; i < row->width; i++) {
        const double *entry = t + i * row->width;
        double *to = ret + i * w;
        for (size_t c = i; c < row->n; c++) {
            to[row->column[c]] = weight * entry[c];
        }
        for (size_t c = tq_fit_row_from(row, i); c < row->n; c++) {
            to[n + row->column[c]] = weight * entry[row->first + c];
        }
        to[w - 1] = weight * entry[row->width - 1];
    }
}

/* fraction of instrument k that is independent of those before it */
static double own_part(const double *triangle, size_t w, size_t k)
{
    double square = 0.0;
    for (size_t i = 0; i <= k; i++) {
        square += triangle[i * w + k] * triangle[i * w + k];
    }
    return square > 0.0 ? fabs(triangle[k * w + k]) / sqrt(square) : 0.0;
}

tq_status tq_fit_project(const tq_fit *fit, const double *set, const double *weight,
                         tq_scratch *scratch, double *ret_triangle, tq_error *reterr)
{
    const size_t n = fit->n_column;
    const size_t w = 2 * n + 1;
    const size_t mark = tq_scratch_mark(scratch);
    double *all = tq_scratch_take(scratch, w * w, sizeof *all);
    double *lines = tq_scratch_take(scratch, tq_fit_width(fit) * w, sizeof *lines);
    if (all == NULL || lines == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_project_size(fit));
    }
    tq_tsqr tsqr;
    tq_tsqr_init(&tsqr, w, all);
    for (size_t r = 0; r < fit->n_row; r++) {
        const tq_fit_row *row = &fit->rows[r];
        spread_lines(fit, row, set + row->triangle, weight[r], lines);
        tq_tsqr_fold(&tsqr, row->width, lines);
    }
    tq_tsqr_init(&tsqr, n + 1, ret_triangle);
    for (size_t k = 0; k < n; k++) {
        if (own_part(all, w, k) > weak) { /* else its direction is rounding */
            tq_tsqr_fold(&tsqr, 1, all + k * w + n);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}
