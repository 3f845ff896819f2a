/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/regressor.c - torques per unit of each body's inertial parameters. */
#include "core/kernels/outward.h"
#include "core/kernels/symbols.h"

/* tau = Y pi, pi = (m, h_x, h_y, h_z, S_xx, S_xy, S_yy, S_xz, S_yz, S_zz) of each body about its
 * own frame, S the second moment (core/spatial/frame.h). The column of a parameter is its unit
 * wrench projected on every freedom between the body and the world, whose screws are carried
 * outward with the motion (Atkeson, An & Hollerbach, IJRR 5(3), 1986, with second moments for
 * inertias). */
typedef struct screw {
    vec a, l; /* angular, linear at the body's origin */
} screw;

typedef struct paths {
    screw *now;  /* freedoms from the world to the body at hand */
    screw *kept; /* those of bodies with `save`, one run after another */
    int *dofs;   /* number of each of `now` */
    long *begin; /* (n_body) start of a body's run in `kept` */
} paths;

/* torque per unit S_xx, S_xy ... as a moment on the body: the antisymmetric part of B S */
typedef struct unit_moments {
    vec xx, xy, yy, xz, yz, zz;
} unit_moments;

TQ_INLINE unit_moments unit_moments_of(const mat *b)
{
    const real o = splat(0.0);
    unit_moments t;
    t.xx = (vec){o, -b->zx, b->yx};
    t.yy = (vec){b->zy, o, -b->xy};
    t.zz = (vec){-b->yz, b->xz, o};
    t.xy = (vec){b->zx, -b->zy, b->yy - b->xx};
    t.xz = (vec){-b->yx, b->xx - b->zz, b->yz};
    t.yz = (vec){b->zz - b->yy, b->xy, -b->xz};
    return t;
}

/* ten neighbouring rows of Y, `col` apart: one freedom, one body */
TQ_INLINE void put_ten(double *y, long col, const motion *s, const unit_moments *t, const screw *p)
{
    const mat *b = &s->b;
    const vec a = s->a, u = p->a, l = p->l;
    store(y, vec_dot(l, a));
    const real bx = tq_fma(l.x, b->xx, tq_fma(l.y, b->yx, l.z * b->zx));
    const real by = tq_fma(l.x, b->xy, tq_fma(l.y, b->yy, l.z * b->zy));
    const real bz = tq_fma(l.x, b->xz, tq_fma(l.y, b->yz, l.z * b->zz));
    store(y + col, tq_fma(u.z, a.y, tq_fnma(u.y, a.z, bx)));
    store(y + 2 * col, tq_fma(u.x, a.z, tq_fnma(u.z, a.x, by)));
    store(y + 3 * col, tq_fma(u.y, a.x, tq_fnma(u.x, a.y, bz)));
    store(y + 4 * col, vec_dot(u, t->xx));
    store(y + 5 * col, vec_dot(u, t->xy));
    store(y + 6 * col, vec_dot(u, t->yy));
    store(y + 7 * col, vec_dot(u, t->xz));
    store(y + 8 * col, vec_dot(u, t->yz));
    store(y + 9 * col, vec_dot(u, t->zz));
}

/* a screw at the parent's origin, seen at the child's */
TQ_INLINE screw screw_outward(const tq_canonical_joint *k, turn t, real d, screw s)
{
    if (k->pre) {
        s.l = z_in(k->cg, k->sg, vec_add(s.l, vec_cross(s.a, vec_of(k->p))));
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
    s.l = vec_add(s.l, vec_cross(s.a, lever));
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
                      double *y)
{
    const long out = in->out_stride;
    motion s = {.w = vec_zero()};
    int n = 0;
    for (int b = 0; b < c->n_body; b++) {
        const tq_canonical_joint *k = &c->joints[b];
        n = step_path(c, in, i, st, w, b, n, &s);
        n = append_own(k, w, n);
        const unit_moments t = unit_moments_of(&s.b);
        for (int f = 0; f < n; f++) {
            double *at = y + 10L * ((long)b * c->n_dof + w->dofs[f]) * out + i;
            put_ten(at, out, &s, &t, &w->now[f]);
        }
        if (k->save) {
            st->saved[b] = s;
            for (int f = 0; f < n; f++) {
                w->kept[w->begin[b] + f] = w->now[f];
            }
        }
    }
}

void TQ_KERNEL(tq_regressor)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                             double *ret_y)
{
    real *rest;
    state st = state_in(c, work, &rest);
    paths w = {.now = (void *)rest};
    w.dofs = (void *)(rest + 6L * c->n_dof);
    w.begin = (void *)(rest + 7L * c->n_dof);
    w.kept = (void *)(rest + 7L * c->n_dof + c->n_body);
    long used = 0;
    for (int b = 0; b < c->n_body; b++) {
        w.begin[b] = used;
        for (int up = b; c->joints[b].save && up >= 0; up = c->joints[up].parent) {
            used += tq_canonical_freedoms(c->joints[up].kind);
        }
    }
    for (long i = 0; i < in->n_sample; i += TQ_LANES) {
        place_joints(c, in->q + i, in->stride, st.cs, st.balls);
        one_group(c, in, i, &st, &w, ret_y);
    }
}
