/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/timing/stage.c - two-variable linear programs by interval clipping. */
#include "core/motion/timing/stage.h"

#include <math.h>

/* of the terms of a sum: rows that meet exactly, as at a controllable set of one point */
static const double rounding = 1e-12;
static const double no_u = 1e-13; /* |p| over |r|: a row without u, as at zero-inertia points */

enum { NEWTON_MAX = 200 };

void tq_stage_clear(tq_stage *stage, double cap)
{
    stage->floor = 0.0;
    stage->cap = cap;
    stage->n_upper = stage->n_lower = 0;
}

static void bound_u(tq_stage *stage, double p, double r, double g)
{
    if (!isfinite(g)) {
        return;
    }
    const tq_bound bound = {.alpha = g / p, .beta = -r / p};
    if (p > 0.0) {
        stage->upper[stage->n_upper++] = bound;
    } else {
        stage->lower[stage->n_lower++] = bound;
    }
}

void tq_stage_add(tq_stage *stage, double p, double r, double low, double high)
{
    if (fabs(p) > no_u * fabs(r)) {
        bound_u(stage, p, r, high);
        bound_u(stage, -p, -r, -low);
    } else if (r > 0.0) {
        stage->cap = fmin(stage->cap, high / r);
        stage->floor = fmax(stage->floor, low / r);
    } else if (r < 0.0) {
        stage->cap = fmin(stage->cap, low / r);
        stage->floor = fmax(stage->floor, high / r);
    } else if (low > 0.0 || high < 0.0) {
        stage->cap = -1.0; /* 0 is outside [low, high]: empty */
    }
}

static tq_bound tightest_upper(const tq_stage *stage, double x)
{
    tq_bound best = {.alpha = (double)INFINITY};
    double value = (double)INFINITY;
    for (size_t k = 0; k < stage->n_upper; k++) {
        const double u = stage->upper[k].alpha + stage->upper[k].beta * x;
        if (u < value) {
            value = u;
            best = stage->upper[k];
        }
    }
    return best;
}

static tq_bound tightest_lower(const tq_stage *stage, double x)
{
    tq_bound best = {.alpha = -(double)INFINITY};
    double value = -(double)INFINITY;
    for (size_t k = 0; k < stage->n_lower; k++) {
        const double u = stage->lower[k].alpha + stage->lower[k].beta * x;
        if (u > value) {
            value = u;
            best = stage->lower[k];
        }
    }
    return best;
}

double tq_stage_upper(const tq_stage *stage, double x)
{
    const tq_bound b = tightest_upper(stage, x);
    return b.alpha + b.beta * x;
}

/* From x towards `side` (-1: down from above the set, 1: up from below it) to the nearest x where
 * the bounds leave a u. */
static bool approach(const tq_stage *stage, double side, double *x)
{
    for (int k = 0; k < NEWTON_MAX; k++) {
        const tq_bound h = tightest_upper(stage, *x);
        const tq_bound l = tightest_lower(stage, *x);
        if (isinf(h.alpha) || isinf(l.alpha)) {
            return true;
        }
        const double width = h.alpha - l.alpha + (h.beta - l.beta) * *x;
        const double size =
            fabs(h.alpha) + fabs(l.alpha) + (fabs(h.beta) + fabs(l.beta)) * fabs(*x);
        if (width >= -rounding * size) {
            return true;
        }
        const double slope = h.beta - l.beta;
        if (!(slope * side > 0.0)) {
            return false;
        }
        const double next = (l.alpha - h.alpha) / slope;
        if (!((next - *x) * side > 0.0)) {
            return true; /* the vertex, to rounding */
        }
        *x = next;
        if (!(*x >= stage->floor * (1.0 - rounding) && *x <= stage->cap * (1.0 + rounding))) {
            return false;
        }
    }
    return false;
}

bool tq_stage_range(const tq_stage *stage, double *ret_least, double *ret_most)
{
    if (!(stage->floor <= stage->cap)) {
        return false;
    }
    *ret_most = stage->cap;
    *ret_least = stage->floor;
    if (!approach(stage, -1.0, ret_most) || !approach(stage, 1.0, ret_least)) {
        return false;
    }
    *ret_least = fmin(*ret_least, *ret_most);
    return true;
}
