/* SPDX-License-Identifier: Apache-2.0 */
/* core/stability/error_propagation.c - propagation of errors along a run by its linearisations
 * (tangent-linear model). */
#include <math.h>
#include <string.h>

#include "core/base/finite.h"
#include "core/base/search.h"
#include "core/linalg/exponential.h"
#include "core/stability/linearize.h"

/* propagated error above which the run is unpredictable */
static const double lost = 1e12;
/* of a step: closer places do not determine a curvature */
static const double next_to_each_other = 0.01;

/* Interpolation error of a torque table */

void tq_table_error_at(const tq_table *table, double t, double *ret_tau)
{
    const tq_waypoints *w = &table->points;
    const size_t n = w->n_coordinate;
    const size_t last = w->n_point - 1;
    memset(ret_tau, 0, n * sizeof *ret_tau);
    if (t < w->t[0] || t > w->t[last]) {
        return;
    }
    const size_t k = tq_interval_of(w->t, last, t);
    /* Mean interpolation error of a smooth f over an interval of uniform points: h f' / 2 (hold),
     * -h^2 f'' / 12 (linear), h^4 f'''' / 720 (spline), derivatives by differences. */
    const double *x = w->x;
    const size_t order = table->interpolation == TQ_INTERPOLATE_HOLD     ? 1
                         : table->interpolation == TQ_INTERPOLATE_LINEAR ? 2
                                                                         : 4;
    if (last < order) {
        return;
    }
    size_t from = k >= order / 2 ? k - order / 2 : 0;
    from = from + order <= last ? from : last - order;
    for (size_t i = 0; i < n; i++) {
        const double *p = x + from * n + i;
        ret_tau[i] = order == 1 ? 0.5 * (p[n] - p[0])
                     : order == 2
                         ? (p[0] - 2.0 * p[n] + p[2 * n]) / -12.0
                         : (p[0] - 4.0 * p[n] + 6.0 * p[2 * n] - 4.0 * p[3 * n] + p[4 * n]) / 720.0;
    }
}

/* Error propagation */

size_t tq_error_propagation_carried(size_t n_v)
{
    return 2 * n_v * (2 * n_v + 2);
}

size_t tq_error_propagation_matrix(size_t n_v)
{
    return 4 * n_v * n_v;
}

enum { ROOMS = 10 };

size_t tq_error_propagation_scratch_size(size_t n_v)
{
    const size_t m = 2 * n_v + 2;
    return ROOMS * tq_scratch_cost(m * m, sizeof(double)) +
           tq_scratch_cost(tq_error_propagation_carried(n_v), sizeof(double));
}

static int take_rooms(size_t m, tq_scratch *scratch, double *rooms[ROOMS])
{
    for (unsigned k = 0; k < ROOMS; k++) {
        rooms[k] = tq_scratch_take(scratch, m * m, sizeof(double));
        if (rooms[k] == NULL) {
            return 0;
        }
    }
    return 1;
}

void tq_error_propagation_begin(tq_error_propagation *trust, double t)
{
    const size_t n = 2 * trust->n_v;
    memset(trust->carried, 0, tq_error_propagation_carried(trust->n_v) * sizeof(double));
    for (size_t k = 0; k < n; k++) {
        trust->carried[k * n + k] = 1.0;
    }
    trust->t = t;
    trust->gain = 1.0;
    trust->is_lost = false;
    memset(trust->error, 0, sizeof trust->error);
}

/* largest displacement of a joint by each source */
static void weigh(tq_error_propagation *trust, double tolerance)
{
    const size_t n = 2 * trust->n_v;
    double gain = 0.0;
    double of[2] = {0.0, 0.0};
    bool bad = trust->is_lost;
    for (size_t r = 0; r < trust->n_v; r++) {
        double sum = 0.0;
        for (size_t c = 0; c < n; c++) {
            sum += trust->carried[c * n + r] * trust->carried[c * n + r];
        }
        gain = fmax(gain, sqrt(sum));
        bad = bad || !isfinite(sum);
        for (size_t s = 0; s < 2; s++) {
            of[s] = fmax(of[s], fabs(trust->carried[(n + s) * n + r]));
            bad = bad || !isfinite(trust->carried[(n + s) * n + r]);
        }
    }
    trust->gain = gain;
    trust->error[TQ_ERROR_INTEGRATOR] = tolerance * fmax(1.0, gain);
    trust->error[TQ_ERROR_INPUT] = of[0];
    trust->error[TQ_ERROR_MODEL] = of[1];
    trust->is_lost = bad || !(gain < lost && of[0] < lost && of[1] < lost);
}

/* [A b; 0 0], row by row, b the two forcing terms; velocities in units of `unit` */
static void augment(size_t n_v, const tq_error_propagation_place *at, double unit, double *ret)
{
    const size_t n = 2 * n_v, m = n + 2;
    memset(ret, 0, m * m * sizeof *ret);
    for (size_t r = 0; r < n; r++) {
        const double row = r < n_v ? 1.0 : 1.0 / unit;
        for (size_t c = 0; c < n; c++) {
            ret[r * m + c] = at->matrix[r * n + c] * row * (c < n_v ? 1.0 : unit);
        }
        for (size_t s = 0; s < 2 && r >= n_v; s++) {
            ret[r * m + n + s] = at->push[s * n_v + r - n_v] * row;
        }
    }
}

/* sum += scale a b, m x m by rows */
static void add_product(size_t m, double scale, const double *a, const double *b, double *sum)
{
    for (size_t r = 0; r < m; r++) {
        for (size_t k = 0; k < m; k++) {
            const double x = scale * a[r * m + k];
            for (size_t c = 0; x != 0.0 && c < m; c++) {
                sum[r * m + c] += x * b[k * m + c];
            }
        }
    }
}

/* Weights of three places at 0, s and 1 in the mean of A and in its first moment about 1/2: by the
 * Lagrange parabola, or by two straight lines if two places are so close that a parabola would
 * extrapolate their difference, or a jump. */
static void weigh_places(double s, double ret_mean[3], double ret_moment[3])
{
    const double rest = 1.0 - s;
    if (fmin(s, rest) > next_to_each_other) {
        ret_mean[0] = 0.5 - 1.0 / (6.0 * s);
        ret_mean[1] = 1.0 / (6.0 * s * rest);
        ret_mean[2] = (1.0 / 3.0 - 0.5 * s) / rest;
        ret_moment[0] = -1.0 / 12.0;
        ret_moment[2] = 1.0 / 12.0;
    } else {
        ret_mean[0] = 0.5 * s;
        ret_mean[1] = 0.5;
        ret_mean[2] = 0.5 * rest;
        ret_moment[0] = s * (s / 6.0 - 0.25);
        ret_moment[2] = rest * (0.25 - rest / 6.0);
    }
    ret_moment[1] = -ret_moment[0] - ret_moment[2]; /* 0 for a constant A */
}

/* Magnus exponent of a step over three places; working memory for B0 and B1. */
static void exponent(size_t m, const double *const x[3], const double t[3], double *b0, double *b1,
                     double *ret)
{
    const double h = t[2] - t[0];
    double w[3], v[3];
    weigh_places((t[1] - t[0]) / h, w, v);
    for (size_t k = 0; k < m * m; k++) {
        b0[k] = w[0] * x[0][k] + w[1] * x[1][k] + w[2] * x[2][k];
        b1[k] = v[0] * x[0][k] + v[1] * x[1][k] + v[2] * x[2][k];
        ret[k] = h * b0[k];
    }
    add_product(m, h * h, b1, b0, ret);
    add_product(m, -h * h, b0, b1, ret);
}

static bool is_finite(size_t n_v, const tq_error_propagation_place *at, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (tq_find_not_finite(at[k].matrix, tq_error_propagation_matrix(n_v)) <
                tq_error_propagation_matrix(n_v) ||
            tq_find_not_finite(at[k].push, 2 * n_v) < 2 * n_v) {
            return false;
        }
    }
    return true;
}

/* propagated := E propagated + forced response */
static void carry(tq_error_propagation *trust, const double *e, double *was)
{
    const size_t n = 2 * trust->n_v, m = n + 2;
    memcpy(was, trust->carried, tq_error_propagation_carried(trust->n_v) * sizeof *was);
    for (size_t c = 0; c < m; c++) {
        for (size_t r = 0; r < n; r++) {
            double sum = c >= n ? e[r * m + c] : 0.0;
            for (size_t k = 0; k < n; k++) {
                sum += e[r * m + k] * was[c * n + k];
            }
            trust->carried[c * n + r] = sum;
        }
    }
}

tq_status tq_error_propagation_step(tq_error_propagation *trust,
                                    const tq_error_propagation_place at[3], double tolerance,
                                    tq_scratch *scratch, tq_error *reterr)
{
    const size_t nv = trust->n_v, m = 2 * nv + 2;
    const size_t mark = tq_scratch_mark(scratch);
    double *rooms[ROOMS];
    double *was = tq_scratch_take(scratch, tq_error_propagation_carried(nv), sizeof *was);
    if (was == NULL || !take_rooms(m, scratch, rooms)) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_error_propagation_scratch_size(nv));
    }
    trust->is_lost = trust->is_lost || !is_finite(nv, at, 3);
    if (!trust->is_lost) {
        const double *const x[3] = {rooms[0], rooms[1], rooms[2]};
        const double t[3] = {at[0].t, at[1].t, at[2].t};
        for (unsigned k = 0; k < 3; k++) {
            augment(nv, &at[k], 1.0, rooms[k]);
        }
        exponent(m, x, t, rooms[3], rooms[4], rooms[5]);
        tq_exponential(m, rooms[5], rooms[3], rooms[4]);
        carry(trust, rooms[5], was);
    }
    trust->t = at[2].t;
    weigh(trust, tolerance);
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

/* 1/s: with velocities in this unit the blocks of A have similar size */
static double unit_of(size_t n_v, const tq_error_propagation_place *at, size_t n)
{
    double most = 1.0;
    for (size_t k = 0; k < n; k++) {
        for (size_t r = n_v; r < 2 * n_v; r++) {
            for (size_t c = 0; c < n_v; c++) {
                most = fmax(most, fabs(at[k].matrix[r * 2 * n_v + c]));
            }
        }
    }
    return sqrt(most);
}

double tq_error_propagation_miss(size_t n_v, const tq_error_propagation_place at[5],
                                 tq_scratch *scratch)
{
    const size_t n = 2 * n_v, m = n + 2;
    const size_t mark = tq_scratch_mark(scratch);
    double *rooms[ROOMS];
    double miss = (double)INFINITY;
    if (is_finite(n_v, at, 5) && take_rooms(m, scratch, rooms)) {
        const double unit = unit_of(n_v, at, 5);
        for (unsigned k = 0; k < 5; k++) {
            augment(n_v, &at[k], unit, rooms[k]);
        }
        double *a = rooms[7], *b = rooms[8], *c = rooms[9];
        const double *const whole[3] = {rooms[0], rooms[2], rooms[4]};
        const double *const first[3] = {rooms[0], rooms[1], rooms[2]};
        const double *const second[3] = {rooms[2], rooms[3], rooms[4]};
        exponent(m, whole, (const double[3]){at[0].t, at[2].t, at[4].t}, rooms[5], rooms[6], c);
        exponent(m, first, (const double[3]){at[0].t, at[1].t, at[2].t}, rooms[5], rooms[6], a);
        exponent(m, second, (const double[3]){at[2].t, at[3].t, at[4].t}, rooms[5], rooms[6], b);
        /* log(exp b exp a) = a + b + [b, a] / 2 + ... (Baker-Campbell-Hausdorff) */
        for (size_t k = 0; k < m * m; k++) {
            c[k] -= a[k] + b[k];
        }
        add_product(m, -0.5, b, a, c);
        add_product(m, 0.5, a, b, c);
        miss = 0.0;
        for (size_t r = 0; r < n; r++) { /* only errors: forcing terms are not compared */
            double sum = 0.0;
            for (size_t k = 0; k < n; k++) {
                sum += fabs(c[r * m + k]);
            }
            miss = fmax(miss, sum);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return miss;
}
