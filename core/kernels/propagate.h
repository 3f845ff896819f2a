/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/propagate.h - velocity and acceleration of a body from its parent's: one joint
 * outward. */
#ifndef TQ_KERNELS_PROPAGATE_H
#define TQ_KERNELS_PROPAGATE_H

#include "core/kernels/joints.h"

/* A body's motion in its own frame. Gravity is a fictitious upward acceleration of the world. A
 * point x of the body has the acceleration a + b x, b = [al]x + [w]x[w]x. */
typedef struct motion {
    vec w, al, a;
    mat b;
} motion;

/* [al]x + [w]x[w]x */
TQ_INLINE mat motion_rates(vec w, vec al)
{
    const real x2 = w.x * w.x, y2 = w.y * w.y;
    mat b;
    b.xx = tq_fnms(w.z, w.z, y2);
    b.yy = tq_fnms(w.z, w.z, x2);
    b.zz = tq_fnms(w.x, w.x, y2);
    b.xy = tq_fms(w.x, w.y, al.z);
    b.yx = tq_fma(w.x, w.y, al.z);
    b.xz = tq_fma(w.x, w.z, al.y);
    b.zx = tq_fms(w.x, w.z, al.y);
    b.yz = tq_fms(w.y, w.z, al.x);
    b.zy = tq_fma(w.y, w.z, al.x);
    return b;
}

/* a child with offset: parent's frame displaced by p and rotated by gamma about z */
TQ_INLINE motion step_pre(const tq_canonical_joint *k, motion s)
{
    s.a = vec_add_mul(s.a, &s.b, vec_of(k->p));
    s.w = z_in(k->cg, k->sg, s.w);
    s.al = z_in(k->cg, k->sg, s.al);
    s.a = z_in(k->cg, k->sg, s.a);
    s.b = motion_rates(s.w, s.al);
    return s;
}

/* Rx(alpha) Tx(a) Rz(theta) Tz(d); v and acc are the joint's velocity and acceleration */
TQ_INLINE motion step_line(const tq_canonical_joint *k, turn t, real d, motion parent, real v,
                           real acc, _Bool turns)
{
    motion s;
    const vec a = vec_along(parent.a, splat(k->a), parent.b.xx, parent.b.yx, parent.b.zx);
    s.w = turn_in(t, parent.w);
    s.al = turn_in(t, parent.al);
    s.a = turn_in(t, a);
    if (turns) {
        s.al.x = tq_fma(s.w.y, v, s.al.x);
        s.al.y = tq_fnma(s.w.x, v, s.al.y);
        s.al.z = s.al.z + acc;
        s.w.z = s.w.z + v;
    } else {
        const real v2 = v + v;
        s.a.x = tq_fma(s.w.y, v2, s.a.x);
        s.a.y = tq_fnma(s.w.x, v2, s.a.y);
        s.a.z = s.a.z + acc;
    }
    s.b = motion_rates(s.w, s.al);
    s.a = vec_along(s.a, d, s.b.xz, s.b.yz, s.b.zz);
    return s;
}
TQ_INLINE motion step_single(const tq_canonical_joint *k, turn t, real d, motion parent, real v,
                             real acc)
{
    return step_line(k, t, d, parent, v, acc, k->kind == TQ_CANONICAL_REVOLUTE);
}

/* child of the world, whose acceleration is -gravity */
TQ_INLINE motion step_first(const tq_canonical_joint *k, turn t, const double *gravity, real v,
                            real acc)
{
    const double up[3] = {-gravity[0], -gravity[1], -gravity[2]};
    const real o = splat(0.0);
    motion s;
    s.a = turn_in(t, z_in(k->cg, k->sg, vec_of(up)));
    if (k->kind == TQ_CANONICAL_REVOLUTE) {
        const real m = -(v * v);
        s.w = (vec){o, o, v};
        s.al = (vec){o, o, acc};
        s.b = (mat){m, -acc, o, acc, m, o, o, o, o};
    } else {
        s.w = s.al = vec_zero();
        s.a.z = s.a.z + acc;
        s.b = mat_zero();
    }
    return s;
}

/* spherical and floating joints: v and w of the joint in the child frame, and their rates there */
typedef struct ball_rates {
    vec v, w, vd, wd;
} ball_rates;

TQ_INLINE ball_rates ball_rates_of(const tq_canonical_joint *k, const double *qd, const double *qdd,
                                   long stride)
{
    const _Bool floats = k->kind == TQ_CANONICAL_FLOATING;
    const long row = k->v_row * stride, w_row = floats ? row + 3 * stride : row;
    ball_rates r = {vec_zero(), vec_zero(), vec_zero(), vec_zero()};
    if (qd != NULL) {
        r.w = vec_load(qd + w_row, stride);
        r.v = floats ? vec_load(qd + row, stride) : r.v;
    }
    if (qdd != NULL) {
        r.wd = vec_load(qdd + w_row, stride);
        r.vd = floats ? vec_load(qdd + row, stride) : r.vd;
    }
    return r;
}
TQ_INLINE ball_rates load_ball_rates(const tq_canonical_joint *k, const tq_kernel_input *in, long i)
{
    return ball_rates_of(k, in->qd != NULL ? in->qd + i : NULL,
                         in->qdd != NULL ? in->qdd + i : NULL, in->stride);
}

/* With w', al', a' of the parent in child axes at the child's origin, wr and v of the joint:
 * w = w' + wr, al = al' + w' x wr + wr', a = a' + 2 w' x v + wr x v + v'. */
TQ_INLINE motion step_ball(const tq_canonical_joint *k, const ball *at, motion parent, ball_rates r)
{
    const mat fixed = mat_of(k->r);
    parent.a = vec_add_mul(parent.a, &parent.b, vec_of(k->p));
    if (k->kind == TQ_CANONICAL_FLOATING) {
        parent.a = vec_add_mul(parent.a, &parent.b, mat_mul(&fixed, at->x));
    }
    motion s;
    s.w = mat_tmul(&at->r, mat_tmul(&fixed, parent.w));
    s.al = mat_tmul(&at->r, mat_tmul(&fixed, parent.al));
    s.a = mat_tmul(&at->r, mat_tmul(&fixed, parent.a));
    if (k->kind == TQ_CANONICAL_FLOATING) {
        const vec w2 = vec_add(vec_add(s.w, s.w), r.w);
        s.a = vec_add(s.a, vec_add_cross(r.vd, w2, r.v));
    }
    s.al = vec_add(s.al, vec_add_cross(r.wd, s.w, r.w));
    s.w = vec_add(s.w, r.w);
    s.b = motion_rates(s.w, s.al);
    return s;
}

/* the same for a child of the world */
TQ_INLINE motion step_ball_first(const tq_canonical_joint *k, const ball *at, const double *gravity,
                                 ball_rates r)
{
    double up[3];
    tq_mat_tvec(k->r, gravity, up);
    motion s = {.w = r.w, .al = r.wd, .b = motion_rates(r.w, r.wd)};
    s.a = vec_sub(vec_zero(), mat_tmul(&at->r, vec_of(up)));
    if (k->kind == TQ_CANONICAL_FLOATING) {
        s.a = vec_add(s.a, vec_add_cross(r.vd, r.w, r.v));
    }
    return s;
}

#endif
