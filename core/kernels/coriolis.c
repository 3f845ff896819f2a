/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/coriolis.c - Coriolis matrix by Christoffel symbols. */
#include <float.h>

#include "core/kernels/entries.h"
#include "core/kernels/moment_rates.h"
#include "core/kernels/propagate.h"
#include "core/kernels/root_frame.h"
#include "core/kernels/symbols.h"

/* C = integral J^T dJ/dt dm over all mass points, J the Jacobian of a point: C + C^T = dM/dt, and C
 * qd is the velocity-dependent torque, for joints of every type. The fields J and dJ/dt of a dof c
 * act on the subtree it moves as two wrenches; together with the integral of x' x J they are paired
 * with the axes, and the axes' rates, of all ancestor dofs of c. All vectors are along the axes of
 * the tree's first body, whose origin has zero velocity: C does not depend on it. */
typedef struct column {
    wrench rate; /* of dJ/dt, about an origin */
    wrench push; /* of J */
    vec lag;     /* integral x' x J dm, x' the velocity relative to the origin */
} column;

/* of a dof: its line (Pluecker coordinates) and the line's rate */
typedef struct axis {
    line at, rate;
} axis;

typedef struct body {
    pose at;
    vec w, v; /* angular velocity; velocity of the origin */
} body;

typedef struct sweep {
    const tq_canonical_joint *joints;
    cosine_sine *cs;
    ball *balls;
    body *bodies;
    flow *sums; /* of bodies with has_branch: contributions of children that are not b + 1 */
    axis *axes; /* one per dof */
    entries at;
    real *total; /* sum of all entries written: finite exactly when they are, up to overflow of
                    the sum */
} sweep;

/* unit rate along or about the body's axis e, about its own origin */
TQ_INLINE axis own_axis(const body *x, _Bool slides, int e)
{
    const vec z = axis_of(&x->at.r, e), rate = vec_cross(x->w, z);
    return slides ? (axis){{vec_zero(), z}, {vec_zero(), rate}}
                  : (axis){{z, vec_zero()}, {rate, vec_zero()}};
}

/* the same about the origin of the tree's first body */
TQ_INLINE axis stem_axis(const body *x, _Bool slides, int e)
{
    axis s = own_axis(x, slides, e);
    if (!slides) {
        s.at.l = vec_cross(x->at.p, s.at.a);
        s.rate.l = vec_add_cross(vec_cross(x->v, s.at.a), x->at.p, s.rate.a);
    }
    return s;
}

/* pose and velocity of body b, and the axes of its joint */
TQ_INLINE void body_state(const tq_canonical *c, const tq_kernel_input *in, long i, const sweep *s,
                          int b)
{
    const tq_canonical_joint *k = &c->joints[b];
    const _Bool first = k->parent < 0;
    const body above = first ? (body){pose_world(), vec_zero(), vec_zero()} : s->bodies[k->parent];
    body x;
    x.at = stem_place(k, in, i, s->cs, s->balls, b, &above.at);
    x.v = vec_add_cross(above.v, above.w, vec_sub(x.at.p, above.at.p));
    if (k->ball >= 0) {
        const ball_rates r = load_ball_rates(k, in, i);
        x.w = vec_add(above.w, mat_mul(&x.at.r, r.w));
        x.v = first ? x.v : vec_add(x.v, mat_mul(&x.at.r, r.v));
    } else {
        const real rate = joint_rate(k, in->qd != NULL ? in->qd + i : NULL, in->stride);
        const mat r = x.at.r;
        if (k->kind == TQ_CANONICAL_REVOLUTE) {
            x.w = vec_along(above.w, rate, r.xz, r.yz, r.zz);
        } else {
            x.w = above.w;
            x.v = first ? x.v : vec_along(x.v, rate, r.xz, r.yz, r.zz);
        }
    }
    s->bodies[b] = x;
    if (k->ball >= 0) {
        for (int f = 0; !first && f < tq_canonical_freedoms(k->kind); f++) {
            s->axes[k->dof + f] = stem_axis(&x, line_slides(k, f), f % 3);
        }
    } else if (!first) {
        s->axes[k->dof] = stem_axis(&x, k->kind == TQ_CANONICAL_PRISMATIC, 2);
    }
}

/* translation along e, whose rate of change is `rate` */
TQ_INLINE column column_of_translation(const flow *f, double m, vec e, vec rate)
{
    column c;
    c.push.f = vec_scale(splat(m), e);
    c.push.n = vec_cross(f->c.h, e);
    c.rate.f = vec_scale(splat(m), rate);
    c.rate.n = vec_cross(f->c.h, rate);
    c.lag = vec_cross(f->g, e);
    return c;
}

/* rotation about e: dJ/dt of a point x is rate x x + e x x' */
TQ_INLINE column column_of_rotation(const flow *f, vec e, vec rate)
{
    const vec h = f->c.h;
    column c;
    c.push = (wrench){vec_cross(e, h), sym_tensor_mul(&f->c.s, e)};
    c.rate.f = vec_add_cross(vec_cross(rate, h), e, f->g);
    c.rate.n = vec_add(sym_tensor_mul(&f->c.s, rate), mat_tensor_tmul(&f->spin, e));
    c.lag = mat_tensor_mul(&f->spin, e);
    return c;
}

/* moved to the origin of the first body */
TQ_INLINE column column_to_stem(const body *x, column c)
{
    c.rate.n = vec_add_cross(c.rate.n, x->at.p, c.rate.f);
    c.push.n = vec_add_cross(c.push.n, x->at.p, c.push.f);
    c.lag = vec_add_cross(c.lag, x->v, c.push.f);
    return c;
}

/* entry (r, c): integral J_r . d(J_c)/dt */
TQ_INLINE real entry_before(const line *r, const column *c)
{
    return line_dot(r->a, r->l, c->rate, splat(0.0));
}
/* entry (c, r): integral J_c . d(J_r)/dt */
TQ_INLINE real entry_beyond(const axis *r, const column *c)
{
    return line_dot(r->rate.a, r->rate.l, c->push, vec_dot(r->at.a, c->lag));
}

/* integral J_c . d(J_r)/dt for a dof r of the first body along or about axis e of the frame; w is
 * the angular velocity of that body */
TQ_INLINE real beyond_stem(_Bool slides, int e, vec w, const column *c)
{
    const int p = (e + 1) % 3, q = (e + 2) % 3;
    const real ws[3] = {w.x, w.y, w.z}, lag[3] = {c->lag.x, c->lag.y, c->lag.z};
    const vec push = slides ? c->push.f : c->push.n;
    const real pushes[3] = {push.x, push.y, push.z};
    return tq_fma(ws[q], pushes[p], tq_fnma(ws[p], pushes[q], slides ? splat(0.0) : lag[e]));
}

/* Writes column `col` in the rows of the first body's dofs, and row `col` unless it is one of them.
 * Returns the sum of the entries written. */
TQ_INLINE real put_root(const sweep *s, const tq_canonical_joint *stem, int col, const column *x,
                        double *m)
{
    const int own = stem->dof, freedoms = tq_canonical_freedoms(stem->kind);
    const long *down = s->at.down + own, *across = s->at.across + own;
    double *line_of_col = m + s->at.across[col], *row_of_col = m + s->at.down[col];
    const vec w = s->bodies[stem - s->joints].w, f = x->rate.f, n = x->rate.n;
    const real before[6] = {f.x, f.y, f.z, n.x, n.y, n.z};
    const _Bool beyond = col >= own + freedoms;
    if (freedoms == 1) {
        const _Bool slides = stem->kind == TQ_CANONICAL_PRISMATIC;
        const real entry = slides ? f.z : n.z, other = beyond_stem(slides, 2, w, x);
        store(line_of_col + down[0], entry);
        store(row_of_col + across[0], other);
        return entry + other;
    }
    real sum = splat(0.0);
    TQ_UNROLL
    for (int part = 0; part < 6; part++) {
        const int r = part + freedoms - 6;
        if (r >= 0) {
            store(line_of_col + down[r], before[part]);
            sum = sum + before[part];
        }
        if (r >= 0 && beyond) {
            const real entry = beyond_stem(part < 3, part % 3, w, x);
            store(row_of_col + across[r], entry);
            sum = sum + entry;
        }
    }
    return sum;
}

/* Writes column and row `col` in the ancestor dofs of its joint; x about the first body's origin.
 * Returns the sum of the entries written. */
TQ_INLINE real put_ancestors(const sweep *s, const tq_canonical_joint *stem, int col, long above,
                             const column *x, double *m)
{
    const long *down = s->at.down, *across = s->at.across, *up = s->at.up;
    double *line_of_col = m + across[col], *row_of_col = m + down[col];
    const axis *axes = s->axes;
    const column c = *x;
    const int last = stem->dof + tq_canonical_freedoms(stem->kind) - 1;
    real before_all = splat(0.0), beyond_all = splat(0.0);
    for (long r = above; r > last; r = up[r]) {
        const real before = entry_before(&axes[r].at, &c), beyond = entry_beyond(&axes[r], &c);
        before_all = before_all + before;
        beyond_all = beyond_all + beyond;
        store(line_of_col + down[r], before);
        store(row_of_col + across[r], beyond);
    }
    return put_root(s, stem, col, x, m) + (before_all + beyond_all);
}

/* wrenches of a dof of body b, about the body's origin; e: its axis there */
TQ_INLINE column begin_column(const tq_canonical_joint *k, const flow *f, const axis *e,
                              _Bool slides)
{
    return slides ? column_of_translation(f, k->subtree_mass, e->at.l, e->rate.l)
                  : column_of_rotation(f, e->at.a, e->rate.a);
}

TQ_INLINE void put_single(const tq_canonical *c, const sweep *s, int b, int stem, const flow *f,
                          double *m)
{
    const tq_canonical_joint *k = &c->joints[b];
    const body *x = &s->bodies[b];
    double *at = m + s->at.down[k->dof] + s->at.across[k->dof];
    const _Bool slides = k->kind == TQ_CANONICAL_PRISMATIC;
    if (k->parent < 0) { /* its axis is fixed in the world */
        const real entry = slides ? splat(0.0) : f->spin.xx + f->spin.yy;
        store(at, entry);
        *s->total = *s->total + entry;
        return;
    }
    const axis z = own_axis(x, slides, 2);
    const column own = begin_column(k, f, &z, slides), there = column_to_stem(x, own);
    const real entry = slides ? vec_dot(z.at.l, own.rate.f) : vec_dot(z.at.a, own.rate.n);
    store(at, entry);
    const real others = put_ancestors(s, &c->joints[stem], k->dof, s->at.up[k->dof], &there, m);
    *s->total = *s->total + (entry + others);
}

static __attribute__((noinline)) void put_ball(const tq_canonical *c, const sweep *s, int b,
                                               int stem, const flow *f, double *m)
{
    const tq_canonical_joint *k = &c->joints[b];
    const body *x = &s->bodies[b];
    const int freedoms = tq_canonical_freedoms(k->kind);
    for (int g = 0; g < freedoms; g++) {
        const int col = k->dof + g;
        const axis e = own_axis(x, line_slides(k, g), g % 3);
        const column own = begin_column(k, f, &e, line_slides(k, g));
        if (k->parent < 0) {
            *s->total = *s->total + put_root(s, k, col, &own, m);
            continue;
        }
        for (int r = 0; r < freedoms; r++) {
            const axis other = own_axis(x, line_slides(k, r), r % 3);
            const real entry = entry_before(&other.at, &own);
            store(m + s->at.down[k->dof + r] + s->at.across[col], entry);
            *s->total = *s->total + entry;
        }
        const column there = column_to_stem(x, own);
        *s->total =
            *s->total + put_ancestors(s, &c->joints[stem], col, s->at.up[k->dof], &there, m);
    }
}

static void inward(const tq_canonical *c, const sweep *s, double *m)
{
    flow f = flow_zero();
    int stem = c->n_body;
    for (int b = c->n_body - 1; b >= 0; b--) {
        const tq_canonical_joint *k = &c->joints[b];
        const body *x = &s->bodies[b], *above = &s->bodies[k->parent];
        const flow own =
            flow_of(k->parent < 0 ? composite_of(k) : composite_turned(k, &x->at.r), x->w);
        f = k->next_is_child ? flow_add(f, own) : own;
        if (k->has_branch) {
            f = flow_add(f, s->sums[b]);
        }
        stem = b < stem ? stem_of(c, b) : stem;
        if (k->ball >= 0) {
            put_ball(c, s, b, stem, &f, m);
        } else {
            put_single(c, s, b, stem, &f, m);
        }
        if (k->parent >= 0) {
            f = flow_inward(k->subtree_mass, vec_sub(x->at.p, above->at.p), vec_sub(x->v, above->v),
                            f);
            if (!k->parent_is_previous) {
                s->sums[k->parent] = flow_add(s->sums[k->parent], f);
            }
        }
    }
}

int TQ_KERNEL(tq_coriolis)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                           const int32_t *rows, long n_row, double *ret_c)
{
    real *at = (void *)work;
    sweep s = {.joints = c->joints};
    s.cs = (void *)at, at += 2L * c->n_body;
    s.bodies = (void *)at, at += 18L * c->n_body;
    s.sums = (void *)at, at += 21L * c->n_body;
    s.axes = (void *)at, at += 12L * c->n_dof;
    s.balls = (void *)at, at += 12L * c->n_ball;
    s.at = entries_in(c, in, rows, n_row, at);
    entries_climb(c, &s.at);
    real total = splat(0.0);
    s.total = &total;
    for (long i = 0; i < in->n_sample; i += TQ_LANES) {
        place_joints(c, in->q + i, in->stride, s.cs, s.balls);
        for (int b = 0; b < c->n_body; b++) {
            body_state(c, in, i, &s, b);
            if (c->joints[b].has_branch) {
                s.sums[b] = flow_zero();
            }
        }
        inward(c, &s, ret_c + i);
    }
    entries_complete(c, &s.at, in->n_sample, 0, ret_c);
    return beyond(total, DBL_MAX) == 0;
}
