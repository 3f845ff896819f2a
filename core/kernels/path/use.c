/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/path/use.c - the use of every limit between the nodes of an interval. */
#include "core/kernels/path/path.h"
#include "core/kernels/symbols.h"
#include "core/lanes/real.h"

/* The quartic through five equally spaced values, halfway between two of them: Lagrange's weights,
 * exact in binary. */
static const double halfway[TQ_PATH_PARTS][TQ_PATH_NODES] = {
    {35.0 / 128, 140.0 / 128, -70.0 / 128, 28.0 / 128, -5.0 / 128},
    {-5.0 / 128, 60.0 / 128, 90.0 / 128, -20.0 / 128, 3.0 / 128},
    {3.0 / 128, -20.0 / 128, 90.0 / 128, 60.0 / 128, -5.0 / 128},
    {-5.0 / 128, 28.0 / 128, -70.0 / 128, 140.0 / 128, 35.0 / 128}};

/* A curve at the points. */
typedef struct curve {
    real at[TQ_PATH_POINTS];
} curve;

TQ_INLINE real weighted(const double weight[TQ_PATH_NODES], const real g[TQ_PATH_NODES])
{
    real sum = splat(weight[0]) * g[0];
    TQ_UNROLL
    for (int i = 1; i < TQ_PATH_NODES; i++) {
        sum = tq_fma(splat(weight[i]), g[i], sum);
    }
    return sum;
}

TQ_INLINE curve curve_of(const tq_path_interval *in, const real g[TQ_PATH_NODES])
{
    curve c;
    if (in->points != (const tq_path_points *)0) {
        for (int k = 0; k < TQ_PATH_POINTS; k++) {
            c.at[k] = weighted(in->points->weight[k], g);
        }
        return c;
    }
    TQ_UNROLL
    for (int k = 0; k < TQ_PATH_PARTS; k++) {
        c.at[2 * k] = g[k];
        c.at[2 * k + 1] = weighted(halfway[k], g);
    }
    c.at[TQ_PATH_POINTS - 1] = g[TQ_PATH_NODES - 1];
    return c;
}

/* Values at the points that are common to all joints. */
typedef struct places {
    double x[TQ_PATH_POINTS], at_node[TQ_PATH_NODES]; /* x */
    long near[TQ_PATH_POINTS];                        /* offset of the nearest node */
} places;

TQ_INLINE double x_at(const tq_path_interval *in, double part)
{
    return __builtin_fma(in->x[1] - in->x[0], part, in->x[0]);
}

static places places_of(const tq_path_interval *in)
{
    places p;
    for (int k = 0; k < TQ_PATH_POINTS; k++) {
        const double part = in->points != (const tq_path_points *)0
                                ? in->points->part[k]
                                : (double)k / (TQ_PATH_POINTS - 1);
        p.x[k] = x_at(in, part);
        p.near[k] = (long)(part * (double)TQ_PATH_PARTS + 0.5) * in->n_row;
    }
    for (int k = 0; k < TQ_PATH_NODES; k++) {
        p.at_node[k] = x_at(in, (double)k / (double)TQ_PATH_PARTS);
    }
    return p;
}

/* The largest of a curve's points, and a bound between them: between three points a parabola
 * exceeds the highest by 1/8 of its second difference at most, and the cubic through a fourth the
 * parabola by less than 1/15 of the third difference. */
TQ_INLINE real bound_of(const curve *c, real *ret_most)
{
    real most = greatest_of(c->at[0], c->at[1]);
    real high = most;
    real before = splat(0.0);
    TQ_UNROLL
    for (int k = 2; k < TQ_PATH_POINTS; k++) {
        const real bend = (c->at[k] - c->at[k - 1]) - (c->at[k - 1] - c->at[k - 2]);
        const real top = greatest_of(greatest_of(c->at[k], c->at[k - 1]), c->at[k - 2]);
        real crest = tq_fnma(splat(0.125), least_of(bend, splat(0.0)), top);
        if (k > 2) {
            crest = tq_fma(splat(1.0 / 15.0), magnitude(bend - before), crest);
        }
        high = greatest_of(crest, high);
        most = greatest_of(c->at[k], most);
        before = bend;
    }
    *ret_most = most;
    return high;
}

/* (q' / v)^2 x: sdot itself has no derivative at rest */
TQ_INLINE real use_velocity(const tq_path_interval *in, const places *p, long j, real *ret_most)
{
    real slope[TQ_PATH_NODES];
    const real v = splat(1.0) / load(in->velocity + j);
    for (long k = 0; k < TQ_PATH_NODES; k++) {
        slope[k] = load(in->slope + k * in->n_row + j) * v;
    }
    curve c = curve_of(in, slope);
    TQ_UNROLL
    for (int k = 0; k < TQ_PATH_POINTS; k++) {
        c.at[k] = c.at[k] * c.at[k] * splat(p->x[k]);
    }
    const real high = bound_of(&c, ret_most);
    *ret_most = root_of(*ret_most);
    return root_of(high);
}

TQ_INLINE real use_acceleration(const tq_path_interval *in, const places *p, long j, real *ret_most)
{
    real g[TQ_PATH_NODES];
    const real a = splat(1.0) / load(in->acceleration + j);
    for (long k = 0; k < TQ_PATH_NODES; k++) {
        const long at = k * in->n_row + j;
        g[k] =
            tq_fma(load(in->slope + at), splat(in->u), splat(p->at_node[k]) * load(in->bend + at)) *
            a;
    }
    curve c = curve_of(in, g);
    TQ_UNROLL
    for (int k = 0; k < TQ_PATH_POINTS; k++) {
        c.at[k] = magnitude(c.at[k]);
    }
    return bound_of(&c, ret_most);
}

TQ_INLINE real use_effort(const tq_path_interval *in, const places *p, long j, real *ret_most)
{
    const long n = in->n_row;
    real g[TQ_PATH_NODES];
    for (long k = 0; k < TQ_PATH_NODES; k++) {
        const long at = k * n + j;
        g[k] = tq_fma(load(in->a + at), splat(in->u),
                      tq_fma(load(in->b + at), splat(p->at_node[k]), load(in->c + at)));
    }
    const real limit = splat(1.0) / load(in->effort + j);
    curve c = curve_of(in, g);
    TQ_UNROLL
    for (int k = 0; k < TQ_PATH_POINTS; k++) {
        const long at = p->near[k] + j;
        const real friction =
            load(in->friction != (const double *)0 ? in->friction + k * n + j : in->force + at);
        const real tau = c.at[k] + friction;
        c.at[k] = greatest_of(tau + load(in->most + at), -tau - load(in->least + at)) * limit;
    }
    return bound_of(&c, ret_most);
}

double TQ_KERNEL(tq_path_use)(const tq_path_interval *in, double *ret_use, double *ret_high)
{
    const long n = in->n_row;
    const real none = splat(0.0);
    real over = none;
    const places p = places_of(in);
    for (long j = 0; j < n; j += TQ_LANES) {
        real use[3] = {none, none, none};
        real high[3] = {none, none, none};
        high[0] = use_velocity(in, &p, j, &use[0]);
        if (in->acceleration != (const double *)0) {
            high[1] = use_acceleration(in, &p, j, &use[1]);
        }
        if (in->effort != (const double *)0) {
            high[2] = use_effort(in, &p, j, &use[2]);
        }
        for (long kind = 0; kind < 3; kind++) {
            store(ret_use + kind * n + j, use[kind]);
            store(ret_high + kind * n + j, high[kind]);
            over = greatest_of(high[kind], over);
        }
    }
    double of[TQ_LANES];
    store(of, over);
    for (long k = 1; k < TQ_LANES; k++) {
        of[0] = of[k] > of[0] ? of[k] : of[0];
    }
    return of[0];
}
