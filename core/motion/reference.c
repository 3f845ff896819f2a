/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/reference.c - timing laws, waypoints, splines and Fourier series. */
#include "core/motion/reference.h"

#include <math.h>
#include <string.h>

#include "core/base/search.h"
#include "core/elementary/elementary.h"

static void trapezoid(double blend, double u, double s[3])
{
    const double speed = 1.0 / (1.0 - blend);
    const double rate = speed / blend;
    if (u < blend) {
        s[0] = 0.5 * rate * u * u;
        s[1] = rate * u;
        s[2] = rate;
    } else if (u > 1.0 - blend) {
        const double left = 1.0 - u;
        s[0] = 1.0 - 0.5 * rate * left * left;
        s[1] = rate * left;
        s[2] = -rate;
    } else {
        s[0] = speed * (u - 0.5 * blend);
        s[1] = speed;
        s[2] = 0.0;
    }
}

void tq_timing(tq_timing_law law, double blend, double u, double ret_s[3])
{
    u = fmin(fmax(u, 0.0), 1.0);
    const double v = 1.0 - u;
    switch (law) {
    case TQ_TIMING_LINEAR:
        ret_s[0] = u;
        ret_s[1] = 1.0;
        ret_s[2] = 0.0;
        break;
    case TQ_TIMING_CUBIC:
        ret_s[0] = u * u * (3.0 - 2.0 * u);
        ret_s[1] = 6.0 * u * v;
        ret_s[2] = 6.0 - 12.0 * u;
        break;
    case TQ_TIMING_QUINTIC:
        ret_s[0] = u * u * u * (10.0 + u * (-15.0 + 6.0 * u));
        ret_s[1] = 30.0 * u * u * v * v;
        ret_s[2] = 60.0 * u * v * (1.0 - 2.0 * u);
        break;
    case TQ_TIMING_SEPTIC:
        ret_s[0] = u * u * u * u * (35.0 + u * (-84.0 + u * (70.0 - 20.0 * u)));
        ret_s[1] = 140.0 * u * u * u * v * v * v;
        ret_s[2] = 420.0 * u * u * v * v * (1.0 - 2.0 * u);
        break;
    case TQ_TIMING_TRAPEZOID:
        trapezoid(blend, u, ret_s);
        break;
    }
}

tq_status tq_waypoints_check(const tq_waypoints *waypoints, tq_error *reterr)
{
    if (waypoints->n_point < 2 || waypoints->n_coordinate == 0) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "waypoints", 0, (double)waypoints->n_point);
    }
    for (size_t k = 0; k < waypoints->n_point; k++) {
        if (!isfinite(waypoints->t[k])) {
            return tq_fail(reterr, TQ_ERR_NOT_FINITE, "waypoints.t", k, waypoints->t[k]);
        }
        if (k > 0 && waypoints->t[k] <= waypoints->t[k - 1]) {
            return tq_fail(reterr, TQ_ERR_RANGE, "waypoints.t", k, waypoints->t[k]);
        }
    }
    for (size_t k = 0; k < waypoints->n_point * waypoints->n_coordinate; k++) {
        if (!isfinite(waypoints->x[k])) {
            return tq_fail(reterr, TQ_ERR_NOT_FINITE, "waypoints.x", k, waypoints->x[k]);
        }
    }
    return TQ_OK;
}

void tq_waypoints_at(const tq_waypoints *waypoints, tq_timing_law law, double blend, double t,
                     double *ret_x, double *ret_xd, double *ret_xdd)
{
    const size_t k = tq_interval_of(waypoints->t, waypoints->n_point - 1, t);
    const size_t n = waypoints->n_coordinate;
    const double span = waypoints->t[k + 1] - waypoints->t[k];
    const double u = (t - waypoints->t[k]) / span;
    double s[3];
    tq_timing(law, blend, u, s);
    if (u < 0.0 || u > 1.0) {
        s[1] = s[2] = 0.0;
    }
    for (size_t i = 0; i < n; i++) {
        const double from = waypoints->x[k * n + i];
        const double way = waypoints->x[(k + 1) * n + i] - from;
        ret_x[i] = from + s[0] * way;
        ret_xd[i] = s[1] * way / span;
        ret_xdd[i] = s[2] * way / (span * span);
    }
}

tq_status tq_spline_fit(const tq_waypoints *waypoints, tq_scratch *scratch, double *ret_curvature,
                        tq_error *reterr)
{
    const tq_status status = tq_waypoints_check(waypoints, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const size_t m = waypoints->n_point;
    const size_t n = waypoints->n_coordinate;
    const size_t mark = tq_scratch_mark(scratch);
    double *upper = tq_scratch_take(scratch, m, sizeof *upper);
    if (upper == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_scratch_cost(m, sizeof(double)));
    }
    /* tridiagonal rows h_(k-1) c_(k-1) + 2 (h_(k-1) + h_k) c_k + h_k c_(k+1) = 6 (slope_k -
     * slope_(k-1)), with slope 0 outside: elimination without pivoting, since diagonally dominant
     */
    for (size_t k = 0; k < m; k++) {
        const double before = k > 0 ? waypoints->t[k] - waypoints->t[k - 1] : 0.0;
        const double after = k + 1 < m ? waypoints->t[k + 1] - waypoints->t[k] : 0.0;
        const double pivot = 2.0 * (before + after) - (k > 0 ? before * upper[k - 1] : 0.0);
        upper[k] = after / pivot;
        for (size_t i = 0; i < n; i++) {
            const double *x = waypoints->x + i;
            const double slope = k + 1 < m ? (x[(k + 1) * n] - x[k * n]) / after : 0.0;
            const double last = k > 0 ? (x[k * n] - x[(k - 1) * n]) / before : 0.0;
            double right = 6.0 * (slope - last);
            if (k > 0) {
                right -= before * ret_curvature[(k - 1) * n + i];
            }
            ret_curvature[k * n + i] = right / pivot;
        }
    }
    for (size_t k = m - 1; k-- > 0;) {
        for (size_t i = 0; i < n; i++) {
            ret_curvature[k * n + i] -= upper[k] * ret_curvature[(k + 1) * n + i];
        }
    }
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

void tq_spline_at(const tq_waypoints *waypoints, const double *curvature, double t, double *ret_x,
                  double *ret_xd, double *ret_xdd)
{
    const size_t k = tq_interval_of(waypoints->t, waypoints->n_point - 1, t);
    const size_t n = waypoints->n_coordinate;
    const double h = waypoints->t[k + 1] - waypoints->t[k];
    const double inside = fmin(fmax(t, waypoints->t[0]), waypoints->t[waypoints->n_point - 1]);
    const double b = (inside - waypoints->t[k]) / h;
    const double a = 1.0 - b;
    for (size_t i = 0; i < n; i++) {
        const double x0 = waypoints->x[k * n + i];
        const double x1 = waypoints->x[(k + 1) * n + i];
        const double c0 = curvature[k * n + i];
        const double c1 = curvature[(k + 1) * n + i];
        ret_x[i] = a * x0 + b * x1 + ((a * a * a - a) * c0 + (b * b * b - b) * c1) * h * h / 6.0;
        ret_xd[i] = (x1 - x0) / h + ((3.0 * b * b - 1.0) * c1 - (3.0 * a * a - 1.0) * c0) * h / 6.0;
        ret_xdd[i] = a * c0 + b * c1;
        if (inside != t) { /* constant before the first and after the last point */
            ret_xd[i] = ret_xdd[i] = 0.0;
        }
    }
}

void tq_fourier_at(const tq_fourier *fourier, double t, double *ret_x, double *ret_xd,
                   double *ret_xdd)
{
    const size_t n = fourier->n_coordinate;
    memcpy(ret_x, fourier->offset, n * sizeof(double));
    memset(ret_xd, 0, n * sizeof(double));
    memset(ret_xdd, 0, n * sizeof(double));
    for (size_t k = 0; k < fourier->n_harmonic; k++) {
        const double w = 2.0 * M_PI * fourier->frequency * (double)(k + 1);
        const double s = tq_sin(w * t);
        const double c = tq_cos(w * t);
        for (size_t i = 0; i < n; i++) {
            const double a = fourier->a[k * n + i];
            const double b = fourier->b[k * n + i];
            ret_x[i] += (a * s - b * c) / w;
            ret_xd[i] += a * c + b * s;
            ret_xdd[i] += w * (b * c - a * s);
        }
    }
}
