/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/regressor.c - torques per unit of each body's inertial parameters. */
#include "core/kernels/outward.h"
#include "core/kernels/symbols.h"

/* tau = Y pi, pi the ten inertial parameters of each link about its own frame. The column of a
 * parameter is its unit wrench projected on every freedom between the link and the world, whose
 * screws are carried outward with the motion (Atkeson, An & Hollerbach, IJRR 5(3), 1986). Links of
 * one body share its motion: each is seen through a constant frame. */
typedef struct screw {
    vec a, l; /* angular, linear at the body's origin */
} screw;

typedef struct paths {
    screw *now;   /* freedoms from the world to the body at hand */
    screw *seen;  /* `now` in the frame of the link at hand */
    screw *kept;  /* those of bodies with `save`, one run after another */
    long *lines;  /* (n_dof) where a freedom's row of the answer begins */
    int *dofs;    /* number of each of `now` */
    long *begin;  /* (n_body) start of a body's run in `kept` */
    int *plain;   /* (n_body) some link of the body whose frame lies along the body's, or -1 */
    int *turned;  /* (n_body) some other link */
    int *next;    /* (n_link) another link of the same body and sort, or -1 */
    double reach; /* what all lengths of the robot together span, without joints that slide */
} paths;

/* where the answer goes: ten rows `stride` apart for each freedom and link */
typedef struct target {
    double *y;
    long stride;       /* of neighbouring rows */
    const long *lines; /* where each freedom's row begins */
    int n_dof;
    _Bool again; /* zeros stand there already */
} target;

/* Largest square of what the entries are products of: with both sizes below 1e140 no entry
 * overflows. */
typedef struct sizes {
    real motion, screw;
} sizes;
#define SIZE_MAX_SQUARED 1e280

/* Y of one freedom and one link: about and along some frame of the body */
typedef struct ten {
    real m, hx, hy, hz, xx, xy, xz, yy, yz, zz;
} ten;

/* A point x takes the force a + B x per mass and gives the freedom (l + u x x) of it: what stands
 * at x x^T is G = [u]x^T B, here in terms of the inertia tensor, trace(x x^T) 1 - x x^T. */
TQ_INLINE ten ten_of(const motion *s, screw p)
{
    const mat *b = &s->b;
    const vec a = s->a, u = p.a, l = p.l;
    const real gx = tq_fms(u.z, b->yx, u.y * b->zx);
    const real gy = tq_fms(u.x, b->zy, u.z * b->xy);
    const real gz = tq_fms(u.y, b->xz, u.x * b->yz);
    const real half = splat(0.5) * (gx + gy + gz);
    ten y;
    y.m = vec_dot(l, a);
    y.hx = tq_fma(l.x, b->xx, tq_fma(l.y, b->yx, l.z * b->zx));
    y.hy = tq_fma(l.x, b->xy, tq_fma(l.y, b->yy, l.z * b->zy));
    y.hz = tq_fma(l.x, b->xz, tq_fma(l.y, b->yz, l.z * b->zz));
    y.hx = tq_fma(u.z, a.y, tq_fnma(u.y, a.z, y.hx));
    y.hy = tq_fma(u.x, a.z, tq_fnma(u.z, a.x, y.hy));
    y.hz = tq_fma(u.y, a.x, tq_fnma(u.x, a.y, y.hz));
    y.xx = half - gx;
    y.yy = half - gy;
    y.zz = half - gz;
    y.xy = tq_fma(u.y, b->zy, tq_fnma(u.x, b->zx, u.z * (b->xx - b->yy)));
    y.xz = tq_fma(u.x, b->yx, tq_fnma(u.z, b->yz, u.y * (b->zz - b->xx)));
    y.yz = tq_fma(u.z, b->xz, tq_fnma(u.y, b->xy, u.x * (b->yy - b->zz)));
    return y;
}

/* of the body's own turn about z, which neither m nor h_z resist */
TQ_INLINE ten ten_of_turn(const motion *s)
{
    const mat *b = &s->b;
    const real o = splat(0.0), xy = s->w.x * s->w.y;
    return (ten){.m = o,
                 .hx = s->a.y,
                 .hy = -s->a.x,
                 .hz = o,
                 .xx = -xy,
                 .xy = b->xx - b->yy,
                 .xz = -b->yz,
                 .yy = xy,
                 .yz = b->xz,
                 .zz = s->al.z};
}

/* Ten neighbouring rows of Y, `col` apart; `skip`: m and h_z are zero, and stand there already. */
TQ_INLINE void put_ten(double *y, long col, ten x, _Bool skip)
{
    double *at = y + 3 * col;
    store(y + col, x.hx);
    store(y + 2 * col, x.hy);
    store(y + 4 * col, x.xx);
    store(at + 2 * col, x.xy);
    store(at + 4 * col, x.yy);
    at += 3 * col;
    store(at, x.xz);
    store(at + 2 * col, x.yz);
    store(y + 9 * col, x.zz);
    if (!skip) {
        store(y, x.m);
        store(y + 3 * col, x.hz);
    }
}

/* A link's frame: `plain` when it is the body's moved along z and turned about it by nothing or by
 * half a turn. Its parameters are then sums of the body's. */
enum { PLAIN_FAR = 1000000 };
TQ_INLINE _Bool link_is_plain(const tq_frame3 *f)
{
    const double *r = f->r;
    return r[8] == 1.0 && r[0] == r[4] && r[0] * r[0] == 1.0 && f->p[0] == 0.0 && f->p[1] == 0.0 &&
           f->p[2] < PLAIN_FAR && f->p[2] > -PLAIN_FAR;
}

/* from a frame to one moved along z by p, and to one turned about z by half a turn */
TQ_INLINE void ten_shift(ten *x, real p)
{
    const real across = x->xx + x->yy;
    x->m = tq_fma(p, tq_fma(p, across, x->hz), x->m);
    x->hx = tq_fnma(p, x->xz, x->hx);
    x->hy = tq_fnma(p, x->yz, x->hy);
    x->hz = tq_fma(p + p, across, x->hz);
}
TQ_INLINE ten ten_flipped(ten x)
{
    return (ten){x.m, -x.hx, -x.hy, x.hz, x.xx, x.xy, -x.xz, x.yy, -x.yz, x.zz};
}

TQ_INLINE void clear_ten(double *y, long col)
{
    const real zero = splat(0.0);
    for (int p = 0; p < 10; p++) {
        store(y + p * col, zero);
    }
}

/* a screw at the body's origin, seen in a link's frame; `along`: the two share their z axis */
TQ_INLINE screw screw_in_link(const tq_frame3 *f, _Bool along, screw s)
{
    if (along) {
        const real p = splat(f->p[2]);
        s.l.x = tq_fma(p, s.a.y, s.l.x);
        s.l.y = tq_fnma(p, s.a.x, s.l.y);
        s.a = z_in(f->r[0], f->r[3], s.a);
        s.l = z_in(f->r[0], f->r[3], s.l);
        return s;
    }
    const mat r = mat_of(f->r);
    s.l = mat_tmul(&r, vec_add_cross(s.l, s.a, vec_of(f->p)));
    s.a = mat_tmul(&r, s.a);
    return s;
}

/* the body's motion in a link's frame */
TQ_INLINE motion motion_in_link(const tq_frame3 *f, _Bool along, const motion *body)
{
    motion s;
    if (along) {
        const real p = splat(f->p[2]);
        s.a = vec_along(body->a, p, body->b.xz, body->b.yz, body->b.zz);
        s.w = z_in(f->r[0], f->r[3], body->w);
        s.al = z_in(f->r[0], f->r[3], body->al);
        s.a = z_in(f->r[0], f->r[3], s.a);
    } else {
        const mat r = mat_of(f->r);
        s.a = mat_tmul(&r, vec_add_mul(body->a, &body->b, vec_of(f->p)));
        s.w = mat_tmul(&r, body->w);
        s.al = mat_tmul(&r, body->al);
    }
    s.b = motion_rates(s.w, s.al);
    return s;
}

TQ_INLINE real motion_size(const motion *s, real size)
{
    const real w2 = vec_dot(s->w, s->w);
    size = tq_fma(w2, w2, size) + tq_fma(s->al.x, s->al.x, vec_dot(s->a, s->a));
    return tq_fma(s->al.y, s->al.y, tq_fma(s->al.z, s->al.z, size));
}

/* zeros of the freedoms that do not move a link; n do, in ascending order */
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

/* ten columns of one link in a frame of its own; n freedoms lie before it */
TQ_INLINE void put_turned(const tq_canonical_link *link, const motion *body, const paths *w, int n,
                          const target *to, double *y, sizes *size)
{
    const tq_frame3 *f = &link->in_body;
    const _Bool along = f->r[8] == 1.0 && f->p[0] == 0.0 && f->p[1] == 0.0;
    const motion s = motion_in_link(f, along, body);
    screw *seen = w->seen;
    for (int at = 0; at < n;
         at++) { /* apart from the entries: their constants fill the registers */
        seen[at] = screw_in_link(f, along, w->now[at]);
    }
    for (int at = 0; at < n; at++) {
        put_ten(y + to->lines[w->dofs[at]], to->stride, ten_of(&s, seen[at]), 0);
    }
    size->motion = motion_size(&s, size->motion);
}

/* Ten columns of a plain link of body b; the body's own turn, if it is one, is the last of n. */
TQ_INLINE void put_plain(const tq_canonical_link *link, const motion *s, const paths *w, int n,
                         _Bool turns, const target *to, double *y)
{
    const tq_frame3 *f = &link->in_body;
    const _Bool moved = f->p[2] != 0.0, flipped = f->r[0] < 0.0;
    const real p = splat(f->p[2]);
    const long col = to->stride, *lines = to->lines;
    const int *dofs = w->dofs;
    const screw *now = w->now;
    const int others = turns ? n - 1 : n;
    for (int at = 0; at < others; at++) {
        ten x = ten_of(s, now[at]);
        if (moved) {
            ten_shift(&x, p);
        }
        put_ten(y + lines[dofs[at]], col, flipped ? ten_flipped(x) : x, 0);
    }
    if (turns) { /* neither m nor h_z resist, shifted or not */
        ten x = ten_of_turn(s);
        x.hx = tq_fnma(p, x.xz, x.hx);
        x.hy = tq_fnma(p, x.yz, x.hy);
        put_ten(y + lines[dofs[others]], col, flipped ? ten_flipped(x) : x, to->again);
    }
}

/* a screw at the parent's origin, seen at the child's */
TQ_INLINE screw screw_outward(const tq_canonical_joint *k, turn t, real d, screw s)
{
    if (k->pre) {
        s.l = z_in(k->cg, k->sg, vec_add_cross(s.l, s.a, vec_of(k->p)));
        s.a = z_in(k->cg, k->sg, s.a);
    }
    s.l.y = tq_fmac(k->a, s.a.z, s.l.y);
    s.l.z = tq_fnmac(k->a, s.a.y, s.l.z);
    s.a = turn_in(t, s.a);
    s.l = turn_in(t, s.l);
    s.l.x = tq_fma(d, s.a.y, s.l.x);
    s.l.y = tq_fnma(d, s.a.x, s.l.y);
    return s;
}

/* motion and screws one joint outward */
TQ_INLINE void step_screws(const tq_canonical_joint *k, turn t, real d, real v, real acc, int n,
                           screw *screws, motion *s)
{
    *s = step_single(k, t, d, *s, v, acc);
    for (int f = 0; f < n; f++) {
        screws[f] = screw_outward(k, t, d, screws[f]);
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

/* the joint's own freedoms, in its body's frame; returns the new length of the path */
TQ_INLINE int append_own(const tq_canonical_joint *k, paths *w, int n)
{
    const real o = splat(0.0), one = splat(1.0);
    const vec e[3] = {{one, o, o}, {o, one, o}, {o, o, one}};
    const int freedoms = tq_canonical_freedoms(k->kind);
    if (freedoms == 1) {
        const _Bool slides = k->kind == TQ_CANONICAL_PRISMATIC;
        w->now[n] = slides ? (screw){vec_zero(), e[2]} : (screw){e[2], vec_zero()};
        w->dofs[n] = k->dof;
        return n + 1;
    }
    for (int f = 0; f < freedoms; f++) {
        const _Bool slides = freedoms == 6 && f < 3;
        const vec axis = e[f % 3];
        w->now[n + f] = slides ? (screw){vec_zero(), axis} : (screw){axis, vec_zero()};
        w->dofs[n + f] = k->dof + f;
    }
    return n + freedoms;
}

/* motion of body b and the screws of all freedoms before it; returns their number */
TQ_INLINE int step_path(const tq_canonical *c, const tq_kernel_input *in, long i, state *st,
                        paths *w, int b, int n, motion *s)
{
    const tq_canonical_joint *k = &c->joints[b];
    const long stride = in->stride;
    if (k->parent < 0) {
        n = 0;
    } else if (!k->carry) {
        *s = st->saved[k->parent];
        n = 0;
        for (int up = k->parent; up >= 0; up = c->joints[up].parent) {
            n += tq_canonical_freedoms(c->joints[up].kind);
        }
        int last = n;
        for (int up = k->parent; up >= 0; up = c->joints[up].parent) {
            last -= tq_canonical_freedoms(c->joints[up].kind);
            for (int f = 0; f < tq_canonical_freedoms(c->joints[up].kind); f++) {
                w->dofs[last + f] = c->joints[up].dof + f;
            }
        }
        for (int f = 0; f < n; f++) {
            w->now[f] = w->kept[w->begin[k->parent] + f];
        }
    }
    if (k->ball >= 0) {
        const ball *at = &st->balls[k->ball];
        const ball_rates r = load_ball_rates(k, in, i);
        *s = k->parent < 0 ? step_ball_first(k, at, in->gravity, r) : step_ball(k, at, *s, r);
        for (int f = 0; f < n; f++) {
            w->now[f] = screw_outward_ball(k, at, w->now[f]);
        }
        return n;
    }
    const turn t = joint_turn(k, &st->cs[b]);
    const real v = joint_rate(k, in->qd != NULL ? in->qd + i : NULL, stride);
    const real acc = joint_rate(k, in->qdd != NULL ? in->qdd + i : NULL, stride);
    if (k->parent < 0) {
        *s = step_first(k, t, in->gravity, v, acc);
        return n;
    }
    const real d = joint_travel(k, in->q + i, stride);
    if (k->pre) {
        *s = step_pre(k, *s);
    }
    if (k->square) {
        step_screws(k, turn_known(t, 1), d, v, acc, n, w->now, s);
    } else {
        step_screws(k, turn_known(t, 0), d, v, acc, n, w->now, s);
    }
    return n;
}

static void one_group(const tq_canonical *c, const tq_kernel_input *in, long i, state *st, paths *w,
                      const target *to, sizes *size)
{
    motion s = {.w = vec_zero()};
    int n = 0;
    for (int b = 0; b < c->n_body; b++) {
        const tq_canonical_joint *k = &c->joints[b];
        n = step_path(c, in, i, st, w, b, n, &s);
        n = append_own(k, w, n);
        for (int l = w->plain[b]; l >= 0; l = w->next[l]) {
            put_plain(&c->links[l], &s, w, n, k->kind == TQ_CANONICAL_REVOLUTE, to,
                      to->y + 10L * c->links[l].column * to->stride + i);
        }
        size->motion = motion_size(&s, size->motion);
        for (int l = w->turned[b]; l >= 0; l = w->next[l]) {
            put_turned(&c->links[l], &s, w, n, to,
                       to->y + 10L * c->links[l].column * to->stride + i, size);
        }
        for (int l = 0; l < c->n_link && !to->again; l++) {
            if (c->links[l].body == b) {
                clear_others(w, n, to, to->y + 10L * c->links[l].column * to->stride + i);
            }
        }
        if (k->save) {
            st->saved[b] = s;
            for (int f = 0; f < n; f++) {
                w->kept[w->begin[b] + f] = w->now[f];
            }
        }
    }
}

/* links that no freedom moves have columns of zeros */
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
    paths w = {.now = (void *)rest};
    w.dofs = (void *)(rest + 6L * c->n_dof);
    w.lines = (void *)(rest + 7L * c->n_dof);
    w.begin = (void *)(rest + 8L * c->n_dof);
    w.plain = (void *)(rest + 8L * c->n_dof + c->n_body);
    w.turned = (void *)(rest + 8L * c->n_dof + 2L * c->n_body);
    w.next = (void *)(rest + 8L * c->n_dof + 3L * c->n_body);
    w.seen = (void *)(rest + 8L * c->n_dof + 3L * c->n_body + c->n_link);
    w.kept = w.seen + c->n_dof;
    long used = 0;
    for (int b = 0; b < c->n_body; b++) {
        const tq_canonical_joint *k = &c->joints[b];
        w.begin[b] = used;
        w.plain[b] = w.turned[b] = -1;
        w.reach += fabs(k->a) + fabs(k->d) + fabs(k->p[0]) + fabs(k->p[1]) + fabs(k->p[2]);
        for (int up = b; k->save && up >= 0; up = c->joints[up].parent) {
            used += tq_canonical_freedoms(c->joints[up].kind);
        }
    }
    for (int l = 0; l < c->n_link; l++) {
        const tq_canonical_link *link = &c->links[l];
        if (link->body >= 0) {
            int *last =
                link_is_plain(&link->in_body) ? &w.plain[link->body] : &w.turned[link->body];
            w.next[l] = *last;
            *last = l;
            w.reach +=
                fabs(link->in_body.p[0]) + fabs(link->in_body.p[1]) + fabs(link->in_body.p[2]);
        }
    }
    return w;
}

/* a bound of every screw's linear part */
TQ_INLINE real screw_size(const tq_canonical *c, const tq_kernel_input *in, long i, const state *st,
                          const paths *w)
{
    real size = splat(1.0 + w->reach);
    for (int b = 0; b < c->n_body; b++) {
        const tq_canonical_joint *k = &c->joints[b];
        if (k->kind == TQ_CANONICAL_PRISMATIC) {
            size = size + magnitude(joint_travel(k, in->q + i, in->stride));
        } else if (k->kind == TQ_CANONICAL_FLOATING) {
            const vec x = st->balls[k->ball].x;
            size = size + (magnitude(x.x) + magnitude(x.y) + magnitude(x.z));
        }
    }
    return size * size;
}

int TQ_KERNEL(tq_regressor)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                            const int32_t *rows, int again,
                            double *ret_y) /* NOLINT(readability-non-const-parameter) */
{
    real *rest;
    state st = state_in(c, work, &rest);
    paths w = paths_in(c, rest);
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
        sizes size = {splat(0.0), screw_size(c, in, i, &st, &w)};
        one_group(c, in, i, &st, &w, &to, &size);
        large |= beyond(size.motion, SIZE_MAX_SQUARED) | beyond(size.screw, SIZE_MAX_SQUARED);
    }
    return large == 0;
}
