/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/table.c - hold, linear and not-a-knot cubic interpolation. */
#include "core/motion/table.h"

#include <string.h>

#include "core/base/search.h"

static double step_of(const tq_waypoints *w, size_t k)
{
    return w->t[k + 1] - w->t[k];
}

static double slope_of(const tq_waypoints *w, size_t k, size_t i)
{
    const size_t n = w->n_coordinate;
    return (w->x[(k + 1) * n + i] - w->x[k * n + i]) / step_of(w, k);
}

/* three points: the parabola through them has constant curvature */
static void parabola(const tq_waypoints *w, double *c)
{
    const size_t n = w->n_coordinate;
    for (size_t i = 0; i < n; i++) {
        const double bend = 2.0 * (slope_of(w, 1, i) - slope_of(w, 0, i)) / (w->t[2] - w->t[0]);
        c[i] = c[n + i] = c[2 * n + i] = bend;
    }
}

/* Interior curvatures from h_(k-1) c_(k-1) + 2 (h_(k-1) + h_k) c_k + h_k c_(k+1) = 6 (slope_k -
 * slope_(k-1)); an end's is the linear extrapolation of its two neighbours, which makes the first
 * and last row bidiagonal. Diagonally dominant: no pivoting. */
static void spline(const tq_waypoints *w, double *upper, double *c)
{
    const size_t m = w->n_point;
    const size_t n = w->n_coordinate;
    for (size_t k = 1; k + 1 < m; k++) {
        const double before = step_of(w, k - 1);
        const double after = step_of(w, k);
        double lower = before;
        double middle = 2.0 * (before + after);
        double right = after;
        if (k == 1) { /* c_0 = c_1 + (c_1 - c_2) before / after */
            middle += before * (1.0 + before / after);
            right -= before * before / after;
            lower = 0.0;
        }
        if (k + 2 == m) { /* c_(m-1) = c_k + (c_k - c_(k-1)) after / before */
            middle += after * (1.0 + after / before);
            lower -= lower != 0.0 ? after * after / before : 0.0;
            right = 0.0;
        }
        const double pivot = middle - (k > 1 ? lower * upper[k - 1] : 0.0);
        upper[k] = right / pivot;
        for (size_t i = 0; i < n; i++) {
            double value = 6.0 * (slope_of(w, k, i) - slope_of(w, k - 1, i));
            value -= k > 1 ? lower * c[(k - 1) * n + i] : 0.0;
            c[k * n + i] = value / pivot;
        }
    }
    for (size_t k = m - 2; k-- > 1;) {
        for (size_t i = 0; i < n; i++) {
            c[k * n + i] -= upper[k] * c[(k + 1) * n + i];
        }
    }
    const double first = step_of(w, 0) / step_of(w, 1);
    const double last = step_of(w, m - 2) / step_of(w, m - 3);
    for (size_t i = 0; i < n; i++) {
        c[i] = c[n + i] + (c[n + i] - c[2 * n + i]) * first;
        c[(m - 1) * n + i] = c[(m - 2) * n + i] + (c[(m - 2) * n + i] - c[(m - 3) * n + i]) * last;
    }
}

tq_status tq_table_fit(const tq_waypoints *points, tq_scratch *scratch, double *ret_curvature,
                       tq_error *reterr)
{
    const tq_status status = tq_waypoints_check(points, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const size_t mark = tq_scratch_mark(scratch);
    double *upper = tq_scratch_take(scratch, points->n_point, sizeof *upper);
    if (upper == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_scratch_cost(points->n_point, sizeof(double)));
    }
    if (points->n_point == 2) {
        memset(ret_curvature, 0, 2 * points->n_coordinate * sizeof *ret_curvature);
    } else if (points->n_point == 3) {
        parabola(points, ret_curvature);
    } else {
        spline(points, upper, ret_curvature);
    }
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

static void hold_at(const tq_waypoints *w, double t, double *ret_x, size_t step)
{
    const size_t low = tq_interval_of(w->t, w->n_point, t);
    for (size_t i = 0; i < w->n_coordinate; i++) {
        ret_x[i * step] = w->x[low * w->n_coordinate + i];
    }
}

void tq_table_at(const tq_table *table, double t, double *ret_x, size_t step)
{
    const tq_waypoints *w = &table->points;
    const size_t n = w->n_coordinate;
    const size_t last = w->n_point - 1;
    if (table->interpolation == TQ_INTERPOLATE_HOLD || t <= w->t[0] || t >= w->t[last]) {
        hold_at(w, t, ret_x, step);
        return;
    }
    const size_t k = tq_interval_of(w->t, last, t);
    const double h = step_of(w, k);
    const double b = (t - w->t[k]) / h;
    const double a = 1.0 - b;
    const double *x0 = w->x + k * n;
    const double *x1 = x0 + n;
    for (size_t i = 0; i < n; i++) {
        double value = a * x0[i] + b * x1[i];
        if (table->interpolation == TQ_INTERPOLATE_CUBIC) {
            const double c0 = table->curvature[k * n + i];
            const double c1 = table->curvature[(k + 1) * n + i];
            value += ((a * a * a - a) * c0 + (b * b * b - b) * c1) * h * h / 6.0;
        }
        ret_x[i * step] = value;
    }
}
