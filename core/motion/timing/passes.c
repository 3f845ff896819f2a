/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/timing/passes.c - controllable sets from the end, largest u from the start. */
#include <math.h>
#include <string.h>

#include "core/motion/timing/optimal_private.h"

static const double unlimited = 1e12; /* 1/s^2: of x where no velocity limit is given */

static double *margin_of(const tq_stretch *p, size_t i, unsigned kind)
{
    return p->margin + (i * TQ_MARGINS + kind) * p->nv;
}

/* rows of node m, part k of interval i: value = first u + second (x + 2 step k / 4 u) + rest */
static void add_node(tq_stretch *p, size_t i, size_t k)
{
    const size_t m = TQ_STRETCH_PARTS * i + k;
    const size_t nv = p->nv;
    const double *slope = p->slope + m * nv;
    const double *bend = p->bend + m * nv;
    const double reach = 2.0 * (p->grid[i + 1] - p->grid[i]) * (double)k / TQ_STRETCH_PARTS;
    const double *of_v = margin_of(p, i, TQ_MARGIN_VELOCITY);
    const double *of_a = margin_of(p, i, TQ_MARGIN_ACCELERATION);
    const double *of_f = margin_of(p, i, TQ_MARGIN_EFFORT);
    double most = (double)INFINITY;
    for (size_t j = 0; j < nv; j++) {
        const double v = tq_limit_of(p->limits->velocity, j) * (1.0 - of_v[j]);
        const double acceleration = tq_limit_of(p->limits->acceleration, j) * (1.0 - of_a[j]);
        const double effort = tq_limit_of(p->limits->effort, j) * (1.0 - of_f[j]);
        most = fmin(most, v * v / (slope[j] * slope[j]));
        if (!isinf(acceleration)) {
            tq_stage_add(&p->stage, slope[j] + reach * bend[j], bend[j], -acceleration,
                         acceleration);
        }
        if (!isinf(effort)) {
            const size_t at = m * nv + j;
            const size_t beyond = i < p->n_grid ? i + 1 : i;
            const double x =
                p->last[i] + (p->last[beyond] - p->last[i]) * (double)k / TQ_STRETCH_PARTS;
            const double b = p->b[at] + p->per[at];
            const double rest = p->c[at] + p->force[at] - p->per[at] * x;
            tq_stage_add(&p->stage, p->a[at] + reach * b, b, -effort - rest - p->least[at],
                         effort - rest - p->most[at]);
        }
    }
    if (!isinf(most)) {
        tq_stage_add(&p->stage, reach, 1.0, -(double)INFINITY, most);
    }
}

static void build(tq_stretch *p, size_t i)
{
    tq_stage_clear(&p->stage, unlimited);
    for (size_t k = 0; k < TQ_STRETCH_NODES; k++) {
        add_node(p, i, k);
    }
}

int tq_stretch_solve(tq_stretch *p, size_t *ret_at)
{
    const size_t n = p->n_grid;
    p->low[n] = p->high[n] = 0.0;
    for (size_t i = n; i-- > 0;) {
        *ret_at = i;
        build(p, i);
        tq_stage_add(&p->stage, 2.0 * (p->grid[i + 1] - p->grid[i]), 1.0, p->low[i + 1],
                     p->high[i + 1]);
        if (!tq_stage_range(&p->stage, &p->low[i], &p->high[i])) {
            return 0;
        }
    }
    *ret_at = 0;
    if (p->low[0] > 0.0) {
        return 0;
    }
    p->x[0] = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double twice = 2.0 * (p->grid[i + 1] - p->grid[i]);
        build(p, i);
        const double u =
            fmin(tq_stage_upper(&p->stage, p->x[i]), (p->high[i + 1] - p->x[i]) / twice);
        p->x[i + 1] = fmax(fmin(p->x[i] + twice * u, p->high[i + 1]), p->low[i + 1]);
        p->u[i] = (p->x[i + 1] - p->x[i]) / twice;
        if (!(p->x[i] + p->x[i + 1] > 0.0)) { /* it cannot leave rest */
            *ret_at = i;
            return 0;
        }
    }
    return 1;
}

/* ------------------------------------------------------------------------------------------------
 * Between the nodes
 */

enum { FINE = 16 }; /* points of an interval where the excess is sought */

/* the quartic through the five nodes, at part z of the interval */
static void weights(double z, double ret[TQ_STRETCH_NODES])
{
    for (int k = 0; k < TQ_STRETCH_NODES; k++) {
        ret[k] = 1.0;
        for (int l = 0; l < TQ_STRETCH_NODES; l++) {
            ret[k] *= l == k ? 1.0 : (z * TQ_STRETCH_PARTS - l) / (double)(k - l);
        }
    }
}

static double mix(const double *rows, size_t nv, const double w[TQ_STRETCH_NODES])
{
    double sum = 0.0;
    for (size_t k = 0; k < TQ_STRETCH_NODES; k++) {
        sum += w[k] * rows[k * nv];
    }
    return sum;
}

/* What is known of an interval while its points are visited in order. */
typedef struct survey {
    double use; /* the largest, and of what */
    size_t joint;
    tq_limit_kind limit;
    size_t n_seen;
    double *excess;           /* (3 x nv) */
    double *before, *earlier; /* (3 x nv) use at the last point and the one before it */
    double *slope, *friction, *of_friction; /* (nv) */
} survey;

/* Between three points a parabola exceeds the highest of them by 1/8 of its second difference at
 * most. */
static void note(survey *to, size_t row, double use, size_t joint, tq_limit_kind limit)
{
    double high = use;
    if (to->n_seen >= 2) {
        const double bend = use - 2.0 * to->before[row] + to->earlier[row];
        high = fmax(fmax(use, to->before[row]), to->earlier[row]) - 0.125 * fmin(bend, 0.0);
    }
    to->earlier[row] = to->before[row];
    to->before[row] = use;
    to->excess[row] = fmax(to->excess[row], high - 1.0);
    if (use > to->use) {
        to->use = use;
        to->joint = joint;
        to->limit = limit;
    }
}

/* q' and friction at part z of interval i; where friction may have either sign, that of the
 * nearest node, for which the bounds are */
static void move_to(const tq_stretch *p, size_t first, size_t near, double x,
                    const double w[TQ_STRETCH_NODES], survey *to)
{
    for (size_t j = 0; j < p->nv; j++) {
        to->slope[j] = mix(p->slope + first + j, p->nv, w);
        to->friction[j] = 0.0;
        if (p->has_effort) {
            to->of_friction[j] = p->both[near + j] ? p->slope[near + j] : to->slope[j];
        }
    }
    if (p->has_effort) {
        tq_stretch_friction_at(p, to->of_friction, x, to->friction);
    }
}

/* use of every limit at part z of interval i */
static void use_at(const tq_stretch *p, size_t i, double z, const double w[TQ_STRETCH_NODES],
                   survey *to)
{
    const size_t nv = p->nv;
    const size_t first = TQ_STRETCH_PARTS * i * nv;
    const size_t near = (size_t)(z * TQ_STRETCH_PARTS + 0.5) * nv + first;
    const double x = tq_stretch_x(p, i, z);
    const double u = p->u[i];
    move_to(p, first, near, x, w, to);
    for (size_t j = 0; j < nv; j++) {
        const double v = tq_limit_of(p->limits->velocity, j);
        const double a = tq_limit_of(p->limits->acceleration, j);
        const double f = tq_limit_of(p->limits->effort, j);
        if (!isinf(v)) {
            note(to, j, fabs(to->slope[j]) * sqrt(x) / v, j, TQ_LIMIT_VELOCITY);
        }
        if (!isinf(a)) {
            const double qdd = to->slope[j] * u + mix(p->bend + first + j, nv, w) * x;
            note(to, nv + j, fabs(qdd) / a, j, TQ_LIMIT_ACCELERATION);
        }
        if (p->has_effort && !isinf(f)) {
            const double tau = mix(p->a + first + j, nv, w) * u + mix(p->b + first + j, nv, w) * x +
                               mix(p->c + first + j, nv, w) + to->friction[j];
            note(to, 2 * nv + j, fmax(tau + p->most[near + j], -tau - p->least[near + j]) / f, j,
                 TQ_LIMIT_EFFORT);
        }
    }
    to->n_seen++;
}

double tq_stretch_excess(tq_stretch *p, tq_timed_path *ret, size_t first)
{
    const size_t rows = TQ_MARGINS * p->nv;
    double most = 0.0;
    for (size_t i = 0; i < p->n_grid; i++) {
        survey to = {.excess = p->work,
                     .before = p->work + rows,
                     .earlier = p->work + 2 * rows,
                     .slope = p->work + 3 * rows,
                     .friction = p->work + 3 * rows + p->nv,
                     .of_friction = p->work + 3 * rows + 2 * p->nv};
        memset(to.excess, 0, rows * sizeof(double));
        /* equal in time: there sdot, and with it friction, is smooth also from rest */
        const double begin = sqrt(p->x[i]);
        const double end = sqrt(p->x[i + 1]);
        for (size_t k = 0; k <= FINE; k++) {
            const double time = (double)k / FINE;
            const double part = time * (2.0 * begin + (end - begin) * time) / (begin + end);
            double w[TQ_STRETCH_NODES];
            weights(part, w);
            use_at(p, i, part, w, &to);
        }
        for (size_t j = 0; j < rows; j++) {
            most = fmax(most, to.excess[j]);
            p->margin[i * rows + j] += 1.05 * to.excess[j];
        }
        ret->use[first + i] = to.use;
        ret->joint[first + i] = to.joint;
        ret->limit[first + i] = (unsigned char)to.limit;
    }
    return most;
}
