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
    screw *now;  /* freedoms from the world to the body at hand */
    screw *kept; /* those of bodies with `save`, one run after another */
    int *dofs;   /* number of each of `now` */
    long *begin; /* (n_body) start of a body's run in `kept` */
    int *first;  /* (n_body) some link of the body, or -1 */
    int *next;   /* (n_link) another link of the same body, or -1 */
} paths;

/* where the answer goes: ten rows `stride` apart for each freedom and link */
typedef struct target {
    double *y;
    long stride;         /* of neighbouring rows */
    long row_stride;     /* of neighbouring freedoms' rows */
    const int32_t *rows; /* row of each freedom */
    int n_dof;
    _Bool again; /* zeros stand there already */
} target;

/* Largest square of what the entries are products of: with both sizes below 1e140 no entry
 * overflows. */
typedef struct sizes {
    real motion, screw;
} sizes;
#define SIZE_MAX_SQUARED 1e280

/* moment per unit of each entry of the inertia tensor: I al + w x I w */
typedef struct unit_moments {
    vec xx, xy, xz, yy, yz, zz;
} unit_moments;

TQ_INLINE unit_moments unit_moments_of(const motion *s)
{
    const vec w = s->w, al = s->al;
    const real xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
    unit_moments t;
    t.xx = (vec){al.x, xz, -xy};
    t.yy = (vec){-yz, al.y, xy};
    t.zz = (vec){yz, -xz, al.z};
    t.xy = (vec){al.y - xz, al.x + yz, s->b.xx - s->b.yy};
    t.xz = (vec){al.z + xy, s->b.zz - s->b.xx, al.x - yz};
    t.yz = (vec){s->b.yy - s->b.zz, al.z - xy, al.y + xz};
    return t;
}

/* ten neighbouring rows of Y, `col` apart: one freedom, one link */
TQ_INLINE void put_ten(double *y, long col, const motion *s, const unit_moments *t, screw p)
{
    const mat *b = &s->b;
    const vec a = s->a, u = p.a, l = p.l;
    const real bx = tq_fma(l.x, b->xx, tq_fma(l.y, b->yx, l.z * b->zx));
    const real by = tq_fma(l.x, b->xy, tq_fma(l.y, b->yy, l.z * b->zy));
    const real bz = tq_fma(l.x, b->xz, tq_fma(l.y, b->yz, l.z * b->zz));
    store(y, vec_dot(l, a));
    store(y + col, tq_fma(u.z, a.y, tq_fnma(u.y, a.z, bx)));
    store(y + 2 * col, tq_fma(u.x, a.z, tq_fnma(u.z, a.x, by)));
    store(y + 3 * col, tq_fma(u.y, a.x, tq_fnma(u.x, a.y, bz)));
    store(y + 4 * col, vec_dot(u, t->xx));
    store(y + 5 * col, vec_dot(u, t->xy));
    store(y + 6 * col, vec_dot(u, t->xz));
    store(y + 7 * col, vec_dot(u, t->yy));
    store(y + 8 * col, vec_dot(u, t->yz));
    store(y + 9 * col, vec_dot(u, t->zz));
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

/* ten columns of one link; n freedoms lie before it, in ascending order */
TQ_INLINE void put_link(const tq_canonical_link *link, const motion *body, const paths *w, int n,
                        const target *to, double *y, sizes *size)
{
    const tq_frame3 *f = &link->in_body;
    const _Bool along = f->r[8] == 1.0 && f->p[0] == 0.0 && f->p[1] == 0.0;
    const motion s = motion_in_link(f, along, body);
    const unit_moments t = unit_moments_of(&s);
    const long col = to->stride, row_stride = to->row_stride;
    const int32_t *rows = to->rows;
    const screw *now = w->now;
    const int *dofs = w->dofs;
    const real w2 = vec_dot(s.w, s.w);
    real motion_size = tq_fma(w2, w2, size->motion), screw_size = size->screw;
    motion_size = motion_size + tq_fma(s.al.x, s.al.x, vec_dot(s.a, s.a));
    motion_size = tq_fma(s.al.y, s.al.y, tq_fma(s.al.z, s.al.z, motion_size));
    for (int at = 0; at < n; at++) {
        const screw p = screw_in_link(f, along, now[at]);
        put_ten(y + rows[dofs[at]] * row_stride, col, &s, &t, p);
        screw_size = tq_fma(p.l.x, p.l.x, tq_fma(p.l.y, p.l.y, tq_fma(p.l.z, p.l.z, screw_size)));
    }
    size->motion = motion_size;
    size->screw = screw_size;
    int dof = 0;
    for (int at = 0; at <= n && !to->again; at++, dof++) {
        for (const int until = at < n ? dofs[at] : to->n_dof; dof < until; dof++) {
            clear_ten(y + rows[dof] * row_stride, col);
        }
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
    for (int f = 0; f < freedoms; f++) {
        const _Bool slides = k->kind == TQ_CANONICAL_PRISMATIC || (freedoms == 6 && f < 3);
        const vec axis = freedoms == 1 ? e[2] : e[f % 3];
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
    *s = step_single(k, t, d, k->pre ? step_pre(k, *s) : *s, v, acc);
    for (int f = 0; f < n; f++) {
        w->now[f] = screw_outward(k, t, d, w->now[f]);
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
        for (int l = w->first[b]; l >= 0; l = w->next[l]) {
            put_link(&c->links[l], &s, w, n, to, to->y + 10L * c->links[l].column * to->stride + i,
                     size);
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
                clear_ten(to->y + 10L * c->links[l].column * to->stride + i +
                              to->rows[dof] * to->row_stride,
                          to->stride);
            }
        }
    }
}

static paths paths_in(const tq_canonical *c, real *rest)
{
    paths w = {.now = (void *)rest};
    w.dofs = (void *)(rest + 6L * c->n_dof);
    w.begin = (void *)(rest + 7L * c->n_dof);
    w.first = (void *)(rest + 7L * c->n_dof + c->n_body);
    w.next = (void *)(rest + 7L * c->n_dof + 2L * c->n_body);
    w.kept = (void *)(rest + 7L * c->n_dof + 2L * c->n_body + c->n_link);
    long used = 0;
    for (int b = 0; b < c->n_body; b++) {
        w.begin[b] = used;
        w.first[b] = -1;
        for (int up = b; c->joints[b].save && up >= 0; up = c->joints[up].parent) {
            used += tq_canonical_freedoms(c->joints[up].kind);
        }
    }
    for (int l = 0; l < c->n_link; l++) {
        const int body = c->links[l].body;
        if (body >= 0) {
            w.next[l] = w.first[body];
            w.first[body] = l;
        }
    }
    return w;
}

int TQ_KERNEL(tq_regressor)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                            const int32_t *rows, int again,
                            double *ret_y) /* NOLINT(readability-non-const-parameter) */
{
    real *rest;
    state st = state_in(c, work, &rest);
    paths w = paths_in(c, rest);
    const long stride = in->out_stride;
    const target to = {ret_y, stride, 10L * (c->n_link - 1) * stride, rows, c->n_dof, again != 0};
    real_mask large = 0;
    if (!to.again) {
        clear_fixed(c, in->n_sample, &to);
    }
    for (long i = 0; i < in->n_sample; i += TQ_LANES) {
        sizes size = {splat(0.0), splat(0.0)};
        place_joints(c, in->q + i, in->stride, st.cs, st.balls);
        one_group(c, in, i, &st, &w, &to, &size);
        large |= beyond(size.motion, SIZE_MAX_SQUARED) | beyond(size.screw, SIZE_MAX_SQUARED);
    }
    return large == 0;
}
