/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/estimate.c - OLS, ridge, total and bounded least squares on a triangle.
 */
#include "core/identify/regression/estimate.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/linalg/dense.h"

static const double rounding = 1e-11; /* of an entry's scale, and of |b| */

size_t tq_estimate_size(size_t n)
{
    const size_t m = 2 * n + 1;
    const size_t lstsq = tq_lstsq_scratch_size(m, n);
    const size_t svd = tq_svd_scratch_size(n + 1, n + 1);
    return 3 * tq_scratch_cost(m * (n + 1), sizeof(double)) +
           6 * tq_scratch_cost(m, sizeof(double)) + (lstsq > svd ? lstsq : svd);
}

static tq_status no_room(size_t n, tq_error *reterr)
{
    return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_estimate_size(n));
}

double tq_reduced_residual(const tq_reduced *data, const double *x)
{
    const size_t n = data->n + 1;
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double *row = data->triangle + i * n;
        double residual = row[data->n];
        for (size_t c = i; c < data->n; c++) {
            residual -= row[c] * x[c];
        }
        sum += residual * residual;
    }
    return sum;
}

/* a (m x n, by column) := A diag(scale), zero-padded below; b := b - A centre */
static void scaled(const tq_reduced *data, const double *centre, size_t m, double *a, double *b)
{
    const size_t n = data->n;
    memset(a, 0, m * n * sizeof *a);
    memset(b, 0, m * sizeof *b);
    for (size_t i = 0; i <= n; i++) {
        const double *row = data->triangle + i * (n + 1);
        b[i] = row[n];
        for (size_t c = i; c < n; c++) {
            a[c * m + i] = row[c] * data->scale[c];
            b[i] -= centre != NULL ? row[c] * centre[c] : 0.0;
        }
    }
}

tq_status tq_estimate_ols(const tq_reduced *data, const double *centre, double rcond,
                          tq_scratch *scratch, double *ret_x, size_t *ret_rank, tq_error *reterr)
{
    const size_t n = data->n;
    const size_t mark = tq_scratch_mark(scratch);
    double *a = tq_scratch_take(scratch, (n + 1) * n, sizeof *a);
    double *b = tq_scratch_take(scratch, n + 1, sizeof *b);
    if (a == NULL || b == NULL) {
        tq_scratch_rewind(scratch, mark);
        return no_room(n, reterr);
    }
    scaled(data, centre, n + 1, a, b);
    const tq_status status = tq_lstsq(n + 1, n, a, b, rcond, scratch, ret_rank, reterr);
    for (size_t c = 0; status == TQ_OK && c < n; c++) {
        ret_x[c] = (centre != NULL ? centre[c] : 0.0) + data->scale[c] * b[c];
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_estimate_ridge(const tq_reduced *data, const double *centre, double ridge,
                            tq_scratch *scratch, double *ret_x, tq_error *reterr)
{
    const size_t n = data->n;
    const size_t m = 2 * n + 1;
    const size_t mark = tq_scratch_mark(scratch);
    double *a = tq_scratch_take(scratch, m * n, sizeof *a);
    double *b = tq_scratch_take(scratch, m, sizeof *b);
    if (a == NULL || b == NULL) {
        tq_scratch_rewind(scratch, mark);
        return no_room(n, reterr);
    }
    scaled(data, centre, m, a, b);
    for (size_t c = 0; c < n; c++) {
        a[c * m + n + 1 + c] = sqrt(ridge);
    }
    size_t rank = 0;
    const tq_status status = tq_lstsq(m, n, a, b, DBL_EPSILON, scratch, &rank, reterr);
    for (size_t c = 0; status == TQ_OK && c < n; c++) {
        ret_x[c] = (centre != NULL ? centre[c] : 0.0) + data->scale[c] * b[c];
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_estimate_tls(const tq_reduced *data, double unit, tq_scratch *scratch, double *ret_x,
                          tq_error *reterr)
{
    const size_t n = data->n;
    const size_t m = n + 1;
    const size_t mark = tq_scratch_mark(scratch);
    double *a = tq_scratch_take(scratch, m * m, sizeof *a);
    double *u = tq_scratch_take(scratch, m * m, sizeof *u);
    double *vt = tq_scratch_take(scratch, m * m, sizeof *vt);
    double *s = tq_scratch_take(scratch, m, sizeof *s);
    if (a == NULL || u == NULL || vt == NULL || s == NULL) {
        tq_scratch_rewind(scratch, mark);
        return no_room(n, reterr);
    }
    scaled(data, NULL, m, a, a + m * n);
    for (size_t i = 0; i < m; i++) {
        a[m * n + i] *= unit;
    }
    tq_status status = tq_svd(m, m, a, m, scratch, s, u, vt, reterr);
    if (status == TQ_OK) {
        /* row n of V^T is the smallest singular vector */
        const double last = vt[n * m + n];
        if (fabs(last) < DBL_EPSILON) {
            status = tq_fail(reterr, TQ_ERR_SINGULAR, "tls", n, last);
        }
        for (size_t c = 0; status == TQ_OK && c < n; c++) {
            ret_x[c] = -vt[c * m + n] / (last * unit) * data->scale[c];
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* least squares over the columns not held at zero */
static tq_status solve_free(const tq_reduced *data, const bool *held, const double *centre,
                            double rcond, tq_scratch *scratch, double *ret_x, tq_error *reterr)
{
    const size_t n = data->n;
    const size_t m = n + 1;
    const size_t mark = tq_scratch_mark(scratch);
    double *a = tq_scratch_take(scratch, m * n, sizeof *a);
    double *b = tq_scratch_take(scratch, m, sizeof *b);
    double *from = tq_scratch_take(scratch, n, sizeof *from);
    if (a == NULL || b == NULL || from == NULL) {
        tq_scratch_rewind(scratch, mark);
        return no_room(n, reterr);
    }
    for (size_t c = 0; c < n; c++) {
        from[c] = held[c] || centre == NULL ? 0.0 : centre[c];
    }
    scaled(data, from, m, a, b);
    size_t n_free = 0;
    for (size_t c = 0; c < n; c++) {
        if (!held[c]) {
            memmove(a + n_free * m, a + c * m, m * sizeof *a);
            n_free++;
        }
    }
    size_t rank = 0;
    tq_status status = TQ_OK;
    if (n_free > 0) {
        status = tq_lstsq(m, n_free, a, b, rcond, scratch, &rank, reterr);
    }
    size_t next = 0;
    for (size_t c = 0; status == TQ_OK && c < n; c++) {
        ret_x[c] = held[c] ? 0.0 : from[c] + data->scale[c] * b[next++];
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* step length from x towards `wanted` within the bounds; entries that limit it are held */
static double step_within(const tq_reduced *data, const bool *positive, bool *held, const double *x,
                          double *wanted)
{
    const size_t n = data->n;
    for (size_t c = 0; c < n; c++) { /* rounding is not a violation */
        const bool touches = positive[c] && fabs(wanted[c]) < rounding * data->scale[c];
        wanted[c] = touches ? 0.0 : wanted[c];
    }
    double step = 1.0;
    for (size_t c = 0; c < n; c++) {
        if (positive[c] && !held[c] && wanted[c] < 0.0) {
            step = fmin(step, x[c] / (x[c] - wanted[c]));
        }
    }
    for (size_t c = 0; c < n && step < 1.0; c++) {
        if (positive[c] && !held[c] && wanted[c] < 0.0 && x[c] / (x[c] - wanted[c]) <= step) {
            held[c] = true;
        }
    }
    return step;
}

/* the held column whose release reduces the residual most, or n */
static size_t steepest_held(const tq_reduced *data, const bool *held, const double *x)
{
    const size_t n = data->n;
    size_t best = n;
    double most = 0.0;
    for (size_t c = 0; c < n; c++) {
        if (!held[c]) {
            continue;
        }
        double slope = 0.0;
        double length = 0.0;
        for (size_t i = 0; i <= c; i++) {
            const double *row = data->triangle + i * (n + 1);
            double residual = row[n];
            for (size_t k = i; k < n; k++) {
                residual -= row[k] * x[k];
            }
            slope += row[c] * residual;
            length += row[c] * row[c];
        }
        slope /= length > 0.0 ? sqrt(length) : 1.0;
        if (slope > most) {
            most = slope;
            best = c;
        }
    }
    double square = 0.0;
    for (size_t i = 0; i <= n; i++) {
        const double b = data->triangle[i * (n + 1) + n];
        square += b * b;
    }
    /* the squared slope is the reduction of the residual */
    return most * most > 1e-14 * tq_reduced_residual(data, x) + rounding * rounding * square ? best
                                                                                             : n;
}

tq_status tq_estimate_bounded(const tq_reduced *data, const bool *positive, const double *centre,
                              double rcond, tq_scratch *scratch, double *ret_x, tq_error *reterr)
{
    const size_t n = data->n;
    const size_t mark = tq_scratch_mark(scratch);
    bool *held = tq_scratch_take(scratch, n, sizeof *held);
    double *wanted = tq_scratch_take(scratch, n, sizeof *wanted);
    if (held == NULL || wanted == NULL) {
        tq_scratch_rewind(scratch, mark);
        return no_room(n, reterr);
    }
    memset(held, 0, n * sizeof *held);
    for (size_t c = 0; c < n; c++) {
        ret_x[c] = positive[c] ? data->scale[c] : 0.0; /* within the bounds */
    }
    tq_status status = TQ_OK;
    for (size_t k = 0;; k++) {
        status = solve_free(data, held, centre, rcond, scratch, wanted, reterr);
        if (status == TQ_OK && k > 10 * n + 10) {
            status = tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "bounded", k, 0.0);
        }
        if (status != TQ_OK) {
            break;
        }
        const double step = step_within(data, positive, held, ret_x, wanted);
        for (size_t c = 0; c < n; c++) {
            ret_x[c] = held[c] ? 0.0 : ret_x[c] + step * (wanted[c] - ret_x[c]);
        }
        if (step < 1.0) {
            continue;
        }
        const size_t release = steepest_held(data, held, ret_x);
        if (release == n) {
            break;
        }
        held[release] = false;
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_reduced_svd(const tq_reduced *data, const double *by, tq_scratch *scratch,
                         double *ret_s, double *ret_v, tq_error *reterr)
{
    const size_t n = data->n;
    const size_t mark = tq_scratch_mark(scratch);
    double *a = tq_scratch_take(scratch, n * n, sizeof *a);
    double *u = tq_scratch_take(scratch, n * n, sizeof *u);
    double *vt = tq_scratch_take(scratch, n * n, sizeof *vt);
    if (a == NULL || u == NULL || vt == NULL) {
        tq_scratch_rewind(scratch, mark);
        return no_room(n, reterr);
    }
    memset(a, 0, n * n * sizeof *a);
    for (size_t i = 0; i < n; i++) {
        for (size_t c = i; c < n; c++) {
            a[c * n + i] = data->triangle[i * (n + 1) + c] * (by != NULL ? by[c] : 1.0);
        }
    }
    const tq_status status = ret_v != NULL ? tq_svd(n, n, a, n, scratch, ret_s, u, vt, reterr)
                                           : tq_svd(n, n, a, n, scratch, ret_s, NULL, NULL, reterr);
    for (size_t k = 0; status == TQ_OK && ret_v != NULL && k < n; k++) {
        for (size_t c = 0; c < n; c++) {
            ret_v[k * n + c] = vt[c * n + k];
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
