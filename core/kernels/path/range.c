/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/path/range.c - two-variable linear programs over the rows of an interval. */
#include "core/kernels/path/path.h"
#include "core/kernels/symbols.h"
#include "core/lanes/real.h"

/* of the terms of a sum: rows that meet exactly, as at a controllable set of one point */
static const double rounding = 1e-12;

enum { NEWTON_MAX = 200, GROUPS = TQ_PATH_LANES / TQ_LANES };

/* The tightest bound at x, alpha + beta x. */
typedef struct bound {
    double value, alpha, beta;
} bound;

/* eight logical lanes of it */
typedef struct bounds {
    real value[GROUPS], alpha[GROUPS], beta[GROUPS];
} bounds;

/* the least, or the largest, of the lanes; of equal ones the first */
TQ_INLINE bound reduce(const bounds *b, int is_upper)
{
    double of[3][TQ_PATH_LANES];
    for (long l = 0; l < GROUPS; l++) {
        store(of[0] + l * TQ_LANES, b->value[l]);
        store(of[1] + l * TQ_LANES, b->alpha[l]);
        store(of[2] + l * TQ_LANES, b->beta[l]);
    }
    long best = 0;
    double value = of[0][0];
    for (long l = 1; l < TQ_PATH_LANES; l++) {
        const int is_tighter = is_upper ? of[0][l] < value : of[0][l] > value;
        best = is_tighter ? l : best;
        value = is_tighter ? of[0][l] : value;
    }
    return (bound){value, of[1][best], of[2][best]};
}

static void tightest_at(const tq_path_rows *rows, double x, bound *ret_upper, bound *ret_lower)
{
    bounds upper, lower;
    const real at = splat(x);
    for (long l = 0; l < GROUPS; l++) {
        upper.value[l] = upper.alpha[l] = splat(__builtin_inf());
        lower.value[l] = lower.alpha[l] = splat(-__builtin_inf());
        upper.beta[l] = lower.beta[l] = splat(0.0);
    }
    for (long k = 0; k < rows->n; k += TQ_PATH_LANES) {
        for (long l = 0; l < GROUPS; l++) {
            const real beta = load(rows->beta + k + l * TQ_LANES);
            const real high = load(rows->upper + k + l * TQ_LANES);
            const real low = load(rows->lower + k + l * TQ_LANES);
            const real above = tq_fma(beta, at, high);
            const real below = tq_fma(beta, at, low);
            upper.alpha[l] = where_below(above, upper.value[l], high, upper.alpha[l]);
            upper.beta[l] = where_below(above, upper.value[l], beta, upper.beta[l]);
            upper.value[l] = least_of(above, upper.value[l]);
            lower.alpha[l] = where_below(lower.value[l], below, low, lower.alpha[l]);
            lower.beta[l] = where_below(lower.value[l], below, beta, lower.beta[l]);
            lower.value[l] = greatest_of(below, lower.value[l]);
        }
    }
    *ret_upper = reduce(&upper, 1);
    *ret_lower = reduce(&lower, 0);
}

double TQ_KERNEL(tq_path_upper)(const tq_path_rows *rows, double x)
{
    real upper[GROUPS];
    double of[TQ_PATH_LANES];
    const real at = splat(x);
    for (long l = 0; l < GROUPS; l++) {
        upper[l] = splat(__builtin_inf());
    }
    for (long k = 0; k < rows->n; k += TQ_PATH_LANES) {
        for (long l = 0; l < GROUPS; l++) {
            const real beta = load(rows->beta + k + l * TQ_LANES);
            upper[l] = least_of(tq_fma(beta, at, load(rows->upper + k + l * TQ_LANES)), upper[l]);
        }
    }
    for (long l = 0; l < GROUPS; l++) {
        store(of + l * TQ_LANES, upper[l]);
    }
    for (long l = 1; l < TQ_PATH_LANES; l++) {
        of[0] = of[l] < of[0] ? of[l] : of[0];
    }
    return of[0];
}

/* width of the bounds, the rounding error that it may have, its slope over x, and the x where the
 * tangent is 0 */
typedef struct width {
    double value, error, slope, zero;
} width;

static width width_at(const tq_path_rows *rows, double x)
{
    bound h, l;
    tightest_at(rows, x, &h, &l);
    if (__builtin_isinf(h.alpha) || __builtin_isinf(l.alpha)) {
        return (width){.value = __builtin_inf()};
    }
    const double size = __builtin_fabs(h.alpha) + __builtin_fabs(l.alpha) +
                        (__builtin_fabs(h.beta) + __builtin_fabs(l.beta)) * __builtin_fabs(x);
    const double slope = h.beta - l.beta;
    return (width){.value = h.value - l.value,
                   .error = rounding * size,
                   .slope = slope,
                   .zero = (l.alpha - h.alpha) / slope};
}

/* The least x from the floor upward at which the bounds admit a u. */
static int lowest(const tq_path_rows *rows, double *ret)
{
    double x = rows->floor;
    for (int k = 0; k < NEWTON_MAX; k++) {
        const width w = width_at(rows, x);
        *ret = x;
        if (w.value >= -w.error) {
            return 1;
        }
        if (!(w.slope > 0.0)) {
            return 0;
        }
        if (!(w.zero > x)) {
            return 1; /* the vertex, to rounding */
        }
        x = w.zero;
        if (!(x <= rows->cap * (1.0 + rounding))) {
            return 0;
        }
    }
    return 0;
}

/* Newton's method on the concave width, first from `start`: from a point inside the set the tangent
 * leads beyond it, and from there every step leads back towards it. */
static int highest(const tq_path_rows *rows, double start, double *ret)
{
    double x = start < rows->cap ? start : rows->cap;
    int is_back = 0;
    for (int k = 0; k < NEWTON_MAX; k++) {
        const width w = width_at(rows, x);
        const int inside = w.value >= -w.error;
        *ret = x;
        if (inside && (is_back || x >= rows->cap || (w.slope < 0.0 && w.value <= w.error))) {
            return 1;
        }
        if (!(w.slope < 0.0)) {
            if (is_back || x >= rows->cap) {
                return 0;
            }
            x = rows->cap;
            continue;
        }
        const double next = w.zero < rows->cap ? w.zero : rows->cap;
        if (inside ? !(next > x) : !(next < x)) {
            return 1; /* the vertex, to rounding */
        }
        is_back = !inside;
        x = next;
        if (!(x >= rows->floor * (1.0 - rounding))) {
            return 0;
        }
    }
    return 0;
}

int TQ_KERNEL(tq_path_range)(const tq_path_rows *rows, double start, double ret[2])
{
    if (!(rows->floor <= rows->cap) || !highest(rows, start, &ret[1]) || !lowest(rows, &ret[0])) {
        return 0;
    }
    ret[0] = ret[0] < ret[1] ? ret[0] : ret[1];
    return 1;
}
