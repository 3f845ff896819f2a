/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/regressor.c - regressor Y: joint torques per unit of each link's inertial
 * parameters. */
#include "core/kernels/inertial_params.h"
#include "core/kernels/outward.h"
#include "core/kernels/symbols.h"

/* tau = Y pi, pi the ten inertial parameters of each link about its own frame. The entry of a
 * parameter and a dof is the parameter's unit wrench projected on the dof's axis; the axes of all
 * ancestor dofs are moved outward with the motion (Atkeson, An & Hollerbach, IJRR 5(3), 1986).
 * Links that are fixed to one body share its motion, each through a constant transform. */
typedef struct paths {
    screw *now;  /* axes of the dofs from the world to the current body, unless `kept` holds them */
    screw *kept; /* those of bodies with has_branch, one after another */
    screw *seen; /* axes of the current body in the frame of a link */
    ten *shared; /* entries about the body's frame, shared by several links */
    long *lines; /* (n_dof) offset of each dof's row of Y */
    long *row;   /* the same for the dofs from the world to the current body */
    int *dofs;   /* and their numbers */
} paths;

/* output: ten entries `stride` apart for each dof and link */
typedef struct target {
    double *y;
    long stride;       /* of neighbouring rows */
    const long *lines; /* offset of each dof's row */
    int n_dof;
    _Bool again; /* structural zeros are in the buffer already */
} target;

/* Bounds of the motions of all bodies of a sample: sums over the joints of |qd| and |qdd|. */
typedef struct sizes {
    real rate, acceleration;
} sizes;
/* With motions and axes below this no entry, a sum of products of two, overflows. */
#define SIZE_MAX_SAFE 1e140

TQ_INLINE void clear_ten(double *y, long col)
{
    const real zero = splat(0.0);
    for (int p = 0; p < 10; p++) {
        store(y + p * col, zero);
    }
}

/* an axis about the body's origin, and the body's motion, both transformed to a link's frame */
TQ_INLINE screw screw_in_link(const tq_pose *f, screw s)
{
    const mat r = mat_of(f->r);
    s.l = mat_tmul(&r, vec_add_cross(s.l, s.a, vec_of(f->p)));
    s.a = mat_tmul(&r, s.a);
    return s;
}
TQ_INLINE motion motion_in_link(const tq_pose *f, const motion *body)
{
    const mat r = mat_of(f->r);
    motion s;
    s.a = mat_tmul(&r, vec_add_mul(body->a, &body->b, vec_of(f->p)));
    s.w = mat_tmul(&r, body->w);
    s.al = mat_tmul(&r, body->al);
    s.b = motion_rates(s.w, s.al);
    return s;
}

/* the same for a frame rotated about the body's z */
TQ_INLINE screw screw_turned(const tq_canonical_axes *f, screw s)
{
    return (screw){z_in(f->c, f->s, s.a), z_in(f->c, f->s, s.l)};
}
TQ_INLINE motion motion_turned(const tq_canonical_axes *f, const motion *body)
{
    motion s = {z_in(f->c, f->s, body->w), z_in(f->c, f->s, body->al), z_in(f->c, f->s, body->a),
                mat_zero()};
    s.b = motion_rates(s.w, s.al);
    return s;
}

/* zeros for the dofs that do not move a link; n dofs do, in ascending order */
static __attribute__((noinline)) void clear_others(const paths *w, int n, const target *to,
                                                   double *y)
{
    int dof = 0;
    for (int at = 0; at <= n; at++, dof++) {
        for (const int until = at < n ? w->dofs[at] : to->n_dof; dof < until; dof++) {
            clear_ten(y + to->lines[dof], to->stride);
        }
    }
}

/* the current body: its motion and the axes of its dofs */
typedef struct place {
    const motion *s;
    const screw *screws;
    int n, slides; /* dofs; the first of them are translations */
    _Bool turns;   /* the last of them is the body's own rotation about z */
} place;

/* Entries that aligned links share: the first computes them, later ones reuse them. */
enum { ALONE, FIRST, LATER };

/* Entries of the first n dofs, translations of the tree's first joint: only m and h matter, by the
 * force a + B x on a point x of the body. With the link's pose (r, p) in the body, h_body = r h + m
 * p. */
static __attribute__((noinline)) void put_slides(const tq_canonical_link *link, const motion *s,
                                                 const screw *screws, int n, const long *line,
                                                 long col, _Bool again, double *y)
{
    const tq_canonical_axes *axes = &link->axes;
    const tq_canonical_alignment alignment = link->alignment;
    const _Bool renamed = alignment == TQ_ALIGN_TURNED || axes->renamed;
    for (int f = 0; f < n; f++) {
        const vec l = screws[f].l;
        vec h = mat_tmul(&s->b, l);
        real m = vec_dot(l, s->a);
        double *at = y + line[f];
        long row[3] = {col, 2 * col, 3 * col};
        if (alignment == TQ_ALIGN_OBLIQUE) {
            const mat r = mat_of(link->in_body.r);
            m = m + vec_dot(h, vec_of(link->in_body.p));
            h = mat_tmul(&r, h);
        } else {
            h = alignment == TQ_ALIGN_TURNED ? z_in(axes->c, axes->s, h) : h;
            m = tq_fma(splat(axes->shift), h.z, m);
            if (axes->reversed) {
                h = (vec){signed_by(h.x, axes->sign[0]), signed_by(h.y, axes->sign[1]),
                          signed_by(h.z, axes->sign[2])};
            }
            for (int e = 0; e < 3 && renamed; e++) {
                row[e] = axes->row[1 + e] * col;
            }
        }
        store(at, m);
        store(at + row[0], h.x);
        store(at + row[1], h.y);
        store(at + row[2], h.z);
        for (int e = 4; e < 10 && !again; e++) {
            store(at + e * col, splat(0.0));
        }
    }
}

/* ten entries of each dof for one link in a general frame */
TQ_INLINE void put_oblique(const tq_canonical_link *link, place at, const paths *w,
                           const target *to, double *y)
{
    const motion s = motion_in_link(&link->in_body, at.s);
    screw *seen = w->seen;
    /* a loop of its own: the constants of ten_of fill the registers */
    for (int f = at.slides; f < at.n; f++) {
        seen[f] = screw_in_link(&link->in_body, at.screws[f]);
    }
    for (int f = at.slides; f < at.n; f++) {
        put_ten(y + w->row[f], to->stride, ten_of(&s, seen[f]), 0);
    }
}

/* Ten entries of each dof for a link whose axes are parallel to those of `at`. */
TQ_INLINE void put_along(const tq_canonical_axes *axes, place at, const paths *w, const target *to,
                         double *y, const int share, const _Bool renamed)
{
    const _Bool moved = axes->shift != 0.0, reversed = axes->reversed;
    const real p = splat(axes->shift);
    const long col = to->stride, *line = w->row;
    const int others = at.turns ? at.n - 1 : at.n;
    ten *shared = w->shared;
    long row[10];
    for (int e = 0; e < 10 && renamed; e++) {
        row[e] = axes->row[e] * col;
    }
    for (int f = at.slides; f < others; f++) {
        ten x = share == LATER ? shared[f] : ten_of(at.s, at.screws[f]);
        if (share == FIRST) {
            shared[f] = x;
        }
        if (moved) {
            ten_shift(&x, p);
        }
        if (reversed) {
            x = ten_reversed(axes->sign, x);
        }
        if (renamed) {
            put_renamed(y + line[f], row, x, 0);
        } else {
            put_ten(y + line[f], col, x, 0);
        }
    }
    if (at.turns) { /* independent of m and h_z, shifted or not */
        ten x = ten_of_turn(at.s);
        x.hx = tq_fnma(p, x.xz, x.hx);
        x.hy = tq_fnma(p, x.yz, x.hy);
        x = reversed ? ten_reversed(axes->sign, x) : x;
        if (renamed) {
            put_renamed(y + line[others], row, x, to->again);
        } else {
            put_ten(y + line[others], col, x, to->again);
        }
    }
}

/* entries of all links of one body */
TQ_INLINE void put_links(const tq_canonical *c, int first, place at, const paths *w,
                         const target *to, double *y)
{
    int share = ALONE;
    for (int l = first; l >= 0; l = c->links[l].next) {
        const tq_canonical_link *link = &c->links[l];
        double *columns = y + 10L * link->column * to->stride;
        if (at.slides > 0) {
            const motion copy = *at.s; /* so that the original may stay in registers */
            put_slides(link, &copy, at.screws, at.slides, w->row, to->stride, to->again, columns);
        }
        if (link->alignment == TQ_ALIGN_ALONG) {
            const int next = link->next;
            if (share != ALONE) {
                share = LATER;
            } else if (next >= 0 && c->links[next].alignment == TQ_ALIGN_ALONG) {
                share = FIRST;
            }
            if (link->axes.renamed) {
                put_along(&link->axes, at, w, to, columns, share, 1);
            } else if (share == ALONE) {
                put_along(&link->axes, at, w, to, columns, ALONE, 0);
            } else {
                put_along(&link->axes, at, w, to, columns, share, 0);
            }
        } else if (link->alignment == TQ_ALIGN_TURNED) {
            const motion s = motion_turned(&link->axes, at.s);
            for (int f = at.slides; f < at.n; f++) {
                w->seen[f] = screw_turned(&link->axes, at.screws[f]);
            }
            put_along(&link->axes, (place){&s, w->seen, at.n, at.slides, at.turns}, w, to, columns,
                      ALONE, 1);
        } else {
            put_oblique(link, at, w, to, columns);
        }
    }
}

/* an axis about the parent's origin moved to the child's, without the offset before modified DH */
TQ_INLINE screw screw_outward(const tq_canonical_joint *k, turn t, real d, screw s)
{
    s.l.y = opaque_sum(tq_fmac(k->a, s.a.z, s.l.y)); /* a right angle negates it */
    s.l.z = tq_fnmac(k->a, s.a.y, s.l.z);
    s.a = turn_in(t, s.a);
    s.l = turn_in(t, s.l);
    s.l.x = tq_fma(d, s.a.y, s.l.x);
    s.l.y = tq_fnma(d, s.a.x, s.l.y);
    return s;
}

TQ_INLINE screw screw_outward_pre(const tq_canonical_joint *k, screw s)
{
    s.l = z_in(k->cg, k->sg, vec_add_cross(s.l, s.a, vec_of(k->p)));
    s.a = z_in(k->cg, k->sg, s.a);
    return s;
}

/* a one-dof joint: position along its axis, velocity and acceleration */
typedef struct course {
    real d, v, acc;
} course;

/* motion and n axes one joint outward; the first of them are translations */
TQ_INLINE void step_screws(const tq_canonical_joint *k, turn t, course x, int slides, int n,
                           const screw *from, screw *to, motion *s)
{
    *s = step_single(k, t, x.d, *s, x.v, x.acc);
    for (int f = 0; f < slides; f++) {
        to[f].l = turn_in(t, from[f].l);
    }
    for (int f = slides; f < n; f++) {
        to[f] = screw_outward(k, t, x.d, from[f]);
    }
}

TQ_INLINE screw screw_outward_ball(const tq_canonical_joint *k, const ball *at, screw s)
{
    const mat fixed = mat_of(k->r);
    vec lever = vec_of(k->p);
    if (k->kind == TQ_CANONICAL_FLOATING) {
        lever = vec_add(lever, mat_mul(&fixed, at->x));
    }
    s.l = vec_add_cross(s.l, s.a, lever);
    s.l = mat_tmul(&at->r, mat_tmul(&fixed, s.l));
    s.a = mat_tmul(&at->r, mat_tmul(&fixed, s.a));
    return s;
}

/* appends the joint's own axes, in its body's frame, after n others */
TQ_INLINE void append_own(const tq_canonical_joint *k, const paths *w, int n, screw *screws)
{
    const real o = splat(0.0), one = splat(1.0);
    const vec e[3] = {{one, o, o}, {o, one, o}, {o, o, one}};
    const int freedoms = tq_canonical_freedoms(k->kind);
    for (int f = 0; f < freedoms; f++) {
        w->dofs[n + f] = k->dof + f;
        w->row[n + f] = w->lines[k->dof + f];
    }
    if (freedoms == 1) {
        const _Bool slides = k->kind == TQ_CANONICAL_PRISMATIC;
        screws[n] = slides ? (screw){vec_zero(), e[2]} : (screw){e[2], vec_zero()};
        return;
    }
    for (int f = 0; f < freedoms; f++) {
        const _Bool slides = freedoms == 6 && f < 3;
        screws[n + f] = slides ? (screw){vec_zero(), e[f % 3]} : (screw){e[f % 3], vec_zero()};
    }
}

TQ_INLINE real length_bound(vec x)
{
    return magnitude(x.x) + magnitude(x.y) + magnitude(x.z);
}

/* the current vector of samples */
typedef struct group {
    const tq_canonical *c;
    const tq_kernel_input *in;
    state *st;
    const paths *w;
    long i;
} group;

/* dofs of a tree's first joint that are translations, before its other dofs */
TQ_INLINE int first_slides(const tq_canonical_joint *stem)
{
    return stem->kind == TQ_CANONICAL_FLOATING ? 3 : stem->kind == TQ_CANONICAL_PRISMATIC;
}

/* Motion of body b from its parent's, and the axes of all n ancestor dofs into `screws`. Bodies are
 * in depth-first order, so w->dofs and w->row still hold the parent's path. */
TQ_INLINE void step_path(const group *g, int b, int slides, int n, screw *screws, motion *s,
                         sizes *size)
{
    const tq_canonical_joint *k = &g->c->joints[b];
    const tq_canonical_joint *parent = k->parent >= 0 ? &g->c->joints[k->parent] : NULL;
    const tq_kernel_input *in = g->in;
    const long stride = in->stride, i = g->i;
    const screw *from =
        parent != NULL && parent->has_branch ? g->w->kept + parent->kept : g->w->now;
    if (parent != NULL && !k->parent_is_previous) {
        *s = g->st->saved[k->parent];
    }
    if (k->ball >= 0) {
        const ball *at = &g->st->balls[k->ball];
        const ball_rates r = load_ball_rates(k, in, i);
        *s = parent == NULL ? step_ball_first(k, at, in->gravity, r) : step_ball(k, at, *s, r);
        const mat fixed = mat_of(k->r);
        for (int f = 0; f < slides && f < n; f++) {
            screws[f].l = mat_tmul(&at->r, mat_tmul(&fixed, from[f].l));
        }
        for (int f = slides; f < n; f++) {
            screws[f] = screw_outward_ball(k, at, from[f]);
        }
        size->rate = size->rate + (length_bound(r.v) + length_bound(r.w));
        size->acceleration = size->acceleration + (length_bound(r.vd) + length_bound(r.wd));
        return;
    }
    const turn t = joint_turn(k, &g->st->cs[b]);
    course x = {splat(0.0), joint_rate(k, in->qd != NULL ? in->qd + i : NULL, stride),
                joint_rate(k, in->qdd != NULL ? in->qdd + i : NULL, stride)};
    size->rate = size->rate + magnitude(x.v);
    size->acceleration = size->acceleration + magnitude(x.acc);
    if (parent == NULL) {
        *s = step_first(k, t, in->gravity, x.v, x.acc);
        return;
    }
    x.d = joint_travel(k, in->q + i, stride);
    if (k->has_offset) {
        *s = step_pre(k, *s);
        for (int f = 0; f < slides; f++) {
            screws[f].l = z_in(k->cg, k->sg, from[f].l);
        }
        for (int f = slides; f < n; f++) {
            screws[f] = screw_outward_pre(k, from[f]);
        }
        from = screws;
    }
    if (k->alpha_is_right) {
        step_screws(k, turn_known(t, 1), x, slides, n, from, screws, s);
    } else if (k->alpha_is_zero) {
        step_screws(k, turn_level(t), x, slides, n, from, screws, s);
    } else {
        step_screws(k, turn_known(t, 0), x, slides, n, from, screws, s);
    }
}

TQ_INLINE void all_bodies(const group *g, const target *to, sizes *size, const _Bool travels)
{
    const tq_canonical *c = g->c;
    const paths *w = g->w;
    motion s = {.w = vec_zero()};
    double *y = to->y + g->i;
    int slides = 0;
    for (int b = 0; b < c->n_body; b++) {
        const tq_canonical_joint *k = &c->joints[b];
        const int others = k->path - tq_canonical_freedoms(k->kind);
        screw *screws = k->has_branch ? w->kept + k->kept : w->now;
        slides = !travels ? 0 : k->parent < 0 ? first_slides(k) : slides;
        step_path(g, b, slides, others, screws, &s, size);
        append_own(k, w, others, screws);
        const place at = {&s, screws, k->path, slides, k->kind == TQ_CANONICAL_REVOLUTE};
        put_links(c, k->first_link, at, w, to, y);
        for (int l = to->again ? -1 : k->first_link; l >= 0; l = c->links[l].next) {
            clear_others(w, k->path, to, y + 10L * c->links[l].column * to->stride);
        }
        if (k->has_branch) {
            g->st->saved[b] = s;
        }
    }
}

/* With one lane, robots without translations have code of their own: 8 % less. With several lanes
 * it is 4 % more. */
static __attribute__((noinline, unused)) void one_group_turns(const group *g, const target *to,
                                                              sizes *size)
{
    all_bodies(g, to, size, 0);
}
static void one_group(const group *g, const target *to, sizes *size)
{
    all_bodies(g, to, size, 1);
}

/* columns of links that no dof moves are zero */
static void clear_fixed(const tq_canonical *c, long n_sample, const target *to)
{
    for (int l = 0; l < c->n_link; l++) {
        if (c->links[l].body >= 0 || c->links[l].column < 0) {
            continue;
        }
        for (long i = 0; i < n_sample; i += TQ_LANES) {
            for (int dof = 0; dof < c->n_dof; dof++) {
                clear_ten(to->y + 10L * c->links[l].column * to->stride + i + to->lines[dof],
                          to->stride);
            }
        }
    }
}

static paths paths_in(const tq_canonical *c, real *rest)
{
    const long n = c->n_dof;
    paths w = {.now = (void *)rest};
    w.seen = w.now + n;
    w.shared = (void *)(w.seen + n);
    real *counts = (void *)(w.shared + n);
    w.lines = (void *)counts;
    w.row = (void *)(counts + n);
    w.dofs = (void *)(counts + 2 * n);
    w.kept = (void *)(counts + 3 * n);
    return w;
}

/* Lanes in which motions or axes may be too large for products of two. Bounds: lengths < R, |w| < V
 * = sum |qd|, |al| < A + V^2 with A = sum |qdd|, |a| < |g| + R (A + 2 V^2). */
TQ_INLINE real_mask too_large(const tq_canonical *c, const tq_kernel_input *in, long i,
                              const state *st, const sizes *size)
{
    const double *g = in->gravity;
    real reach = splat(1.0 + c->reach);
    for (int b = 0; b < c->n_body && c->has_travel; b++) {
        const tq_canonical_joint *k = &c->joints[b];
        if (k->kind == TQ_CANONICAL_PRISMATIC) {
            reach = reach + magnitude(joint_travel(k, in->q + i, in->stride));
        } else if (k->kind == TQ_CANONICAL_FLOATING) {
            reach = reach + length_bound(st->balls[k->ball].x);
        }
    }
    const real v = size->rate, v2 = v + v;
    const real most =
        tq_fma(v2, v, size->acceleration) + splat(1.0 + fabs(g[0]) + fabs(g[1]) + fabs(g[2]));
    return beyond(reach * most, SIZE_MAX_SAFE);
}

int TQ_KERNEL(tq_regressor)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                            const int32_t *rows, int again,
                            double *ret_y) /* NOLINT(readability-non-const-parameter) */
{
    real *rest;
    state st = state_in(c, work, &rest);
    const paths w = paths_in(c, rest);
    const long stride = in->out_stride;
    const target to = {ret_y, stride, w.lines, c->n_dof, again != 0};
    for (int dof = 0; dof < c->n_dof; dof++) {
        w.lines[dof] = rows[dof] * 10L * (c->n_link - 1) * stride;
    }
    real_mask large = 0;
    if (!to.again) {
        clear_fixed(c, in->n_sample, &to);
    }
    for (long i = 0; i < in->n_sample; i += TQ_LANES) {
        place_joints(c, in->q + i, in->stride, st.cs, st.balls);
        sizes size = {splat(0.0), splat(0.0)};
        if (TQ_LANES > 1 || c->has_travel) {
            one_group(&(group){c, in, &st, &w, i}, &to, &size);
        } else {
            one_group_turns(&(group){c, in, &st, &w, i}, &to, &size);
        }
        large |= too_large(c, in, i, &st, &size);
    }
    return large == 0;
}
