/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/path/use.c - the use of every limit between the nodes of an interval. */
#include "core/kernels/path/path.h"
#include "core/kernels/symbols.h"
#include "core/lanes/real.h"

/* Forward differences of five equally spaced values, the quartic through them. */
typedef struct quartic {
    real d[TQ_PATH_NODES];
} quartic;

TQ_INLINE quartic quartic_of(const real g[TQ_PATH_NODES])
{
    quartic q;
    TQ_UNROLL
    for (int k = 0; k < TQ_PATH_NODES; k++) {
        q.d[k] = g[k];
    }
    TQ_UNROLL
    for (int order = 1; order < TQ_PATH_NODES; order++) {
        TQ_UNROLL
        for (int k = TQ_PATH_NODES - 1; k >= order; k--) {
            q.d[k] = q.d[k] - q.d[k - 1];
        }
    }
    return q;
}

/* Newton's form at y = 0 .. 4: by[k] = (y - k) / (k + 1) */
TQ_INLINE real quartic_at(const quartic *q, const double by[TQ_PATH_PARTS])
{
    real sum = q->d[4];
    TQ_UNROLL
    for (int k = TQ_PATH_PARTS - 1; k >= 0; k--) {
        sum = tq_fma(splat(by[k]), sum, q->d[k]);
    }
    return sum;
}

/* Values of a curve at points in order. Between three of them a parabola exceeds the highest by 1/8
 * of its second difference at most, and the cubic through a fourth the parabola by less than 1/15
 * of the third difference. */
typedef struct track {
    real most, high, before, earlier, bend;
} track;

TQ_INLINE void follow(track *t, real use, int k)
{
    t->most = k == 0 ? use : greatest_of(use, t->most);
    if (k >= 2) {
        const real bend = (use - t->before) - (t->before - t->earlier);
        const real third = k >= 3 ? magnitude(bend - t->bend) : splat(0.0);
        const real top = greatest_of(greatest_of(use, t->before), t->earlier);
        const real above = least_of(bend, splat(0.0));
        const real high = tq_fma(splat(1.0 / 15.0), third, tq_fma(splat(-0.125), above, top));
        t->high = k == 2 ? high : greatest_of(high, t->high);
        t->bend = bend;
    }
    t->earlier = t->before;
    t->before = use;
}

/* What the points have in common for all joints. */
typedef struct points {
    double by[TQ_PATH_POINTS][TQ_PATH_PARTS], rate[TQ_PATH_POINTS];
    long near[TQ_PATH_POINTS]; /* offset of the nearest node */
    double x[TQ_PATH_NODES];   /* at the nodes */
} points;

static points points_of(const tq_path_interval *in)
{
    points p;
    const double begin = __builtin_sqrt(in->x[0]);
    const double end = __builtin_sqrt(in->x[1]);
    for (int k = 0; k < TQ_PATH_NODES; k++) {
        p.x[k] = in->x[0] + (in->x[1] - in->x[0]) * (double)k / TQ_PATH_PARTS;
    }
    for (long k = 0; k < TQ_PATH_POINTS; k++) {
        const double y = TQ_PATH_PARTS * tq_path_part(k, begin, end);
        for (int i = 0; i < TQ_PATH_PARTS; i++) {
            p.by[k][i] = (y - i) / (i + 1);
        }
        p.rate[k] = begin + (end - begin) * (double)k / (TQ_PATH_POINTS - 1);
        p.near[k] = (long)(y + 0.5) * in->n_row;
    }
    return p;
}

TQ_INLINE void end_track(const track *t, double *ret_use, double *ret_high)
{
    store(ret_use, t->most);
    store(ret_high, t->high);
}

TQ_INLINE void use_motion(const tq_path_interval *in, const points *p, long j, double *ret_use,
                          double *ret_high)
{
    const long n = in->n_row;
    real slope[TQ_PATH_NODES], force[TQ_PATH_NODES];
    for (long k = 0; k < TQ_PATH_NODES; k++) {
        slope[k] = load(in->slope + k * n + j);
        force[k] = tq_fma(slope[k], splat(in->u), splat(p->x[k]) * load(in->bend + k * n + j));
    }
    const quartic of_v = quartic_of(slope);
    const quartic of_a = quartic_of(force);
    const real v = splat(1.0) / load(in->velocity + j);
    track fast = {0};
    for (int k = 0; k < TQ_PATH_POINTS; k++) {
        follow(&fast, magnitude(quartic_at(&of_v, p->by[k])) * (splat(p->rate[k]) * v), k);
    }
    end_track(&fast, ret_use + j, ret_high + j);
    if (in->acceleration != (const double *)0) {
        const real a = splat(1.0) / load(in->acceleration + j);
        track hard = {0};
        for (int k = 0; k < TQ_PATH_POINTS; k++) {
            follow(&hard, magnitude(quartic_at(&of_a, p->by[k])) * a, k);
        }
        end_track(&hard, ret_use + n + j, ret_high + n + j);
    }
}

TQ_INLINE void use_effort(const tq_path_interval *in, const points *p, long j, double *ret_use,
                          double *ret_high)
{
    const long n = in->n_row;
    real g[TQ_PATH_NODES];
    for (long k = 0; k < TQ_PATH_NODES; k++) {
        const long at = k * n + j;
        g[k] = tq_fma(load(in->a + at), splat(in->u),
                      tq_fma(load(in->b + at), splat(p->x[k]), load(in->c + at)));
    }
    const quartic of = quartic_of(g);
    const real limit = splat(1.0) / load(in->effort + j);
    track heavy = {0};
    for (int k = 0; k < TQ_PATH_POINTS; k++) {
        const long at = p->near[k] + j;
        const real friction =
            load(in->friction != (const double *)0 ? in->friction + k * n + j : in->force + at);
        const real tau = quartic_at(&of, p->by[k]) + friction;
        const real use = greatest_of(tau + load(in->most + at), -tau - load(in->least + at));
        follow(&heavy, use * limit, k);
    }
    end_track(&heavy, ret_use + 2 * n + j, ret_high + 2 * n + j);
}

void TQ_KERNEL(tq_path_use)(const tq_path_interval *in, double *ret_use, double *ret_high)
{
    const points p = points_of(in);
    for (long j = 0; j < in->n_row; j += TQ_LANES) {
        use_motion(in, &p, j, ret_use, ret_high);
        if (in->effort != (const double *)0) {
            use_effort(in, &p, j, ret_use, ret_high);
        }
    }
}
