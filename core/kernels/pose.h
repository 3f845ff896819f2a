/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/pose.h - pose of a body in the world, from its parent's. */
#ifndef TQ_KERNELS_POSE_H
#define TQ_KERNELS_POSE_H

#include "core/kernels/joints.h"

typedef struct pose {
    mat r;
    vec p;
} pose;

TQ_INLINE pose pose_load(const double *at, long stride)
{
    pose x;
    x.r.xx = load(at);
    x.r.xy = load(at + stride);
    x.r.xz = load(at + 2 * stride);
    x.r.yx = load(at + 3 * stride);
    x.r.yy = load(at + 4 * stride);
    x.r.yz = load(at + 5 * stride);
    x.r.zx = load(at + 6 * stride);
    x.r.zy = load(at + 7 * stride);
    x.r.zz = load(at + 8 * stride);
    x.p = vec_load(at + 9 * stride, stride);
    return x;
}

TQ_INLINE void pose_store(double *at, long stride, const pose *x)
{
    vec_store(at, stride, (vec){x->r.xx, x->r.xy, x->r.xz});
    vec_store(at + 3 * stride, stride, (vec){x->r.yx, x->r.yy, x->r.yz});
    vec_store(at + 6 * stride, stride, (vec){x->r.zx, x->r.zy, x->r.zz});
    vec_store(at + 9 * stride, stride, x->p);
}

/* c a + s b */
TQ_INLINE vec blend(real c, vec a, real s, vec b)
{
    return (vec){tq_fma(c, a.x, s * b.x), tq_fma(c, a.y, s * b.y), tq_fma(c, a.z, s * b.z)};
}

/* parent's pose, then p, Rz(gamma), Rx(alpha), Tx(a), Rz(theta), Tz(d) (modified DH), by columns */
TQ_INLINE pose place_single(const tq_canonical_joint *k, turn t, real d, const pose *parent)
{
    vec x = {parent->r.xx, parent->r.yx, parent->r.zx};
    vec y = {parent->r.xy, parent->r.yy, parent->r.zy};
    vec z = {parent->r.xz, parent->r.yz, parent->r.zz};
    vec p = parent->p;
    if (k->has_offset) {
        const vec before = x;
        p = vec_add_mul(p, &parent->r, vec_of(k->p));
        x = blend(splat(k->cg), x, splat(k->sg), y);
        y = blend(splat(k->cg), y, splat(-k->sg), before);
    }
    const vec along = y;
    if (k->alpha_is_right) {
        y = z;
        z = (vec){-along.x, -along.y, -along.z};
    } else if (!k->alpha_is_zero) {
        y = blend(splat(t.ca), along, splat(t.sa), z);
        z = blend(splat(t.ca), z, splat(-t.sa), along);
    }
    p = vec_along(p, splat(k->a), x.x, x.y, x.z);
    p = vec_along(p, d, z.x, z.y, z.z);
    const vec across = x;
    x = blend(t.c, across, t.s, y);
    y = blend(t.c, y, -t.s, across);
    return (pose){{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}, p};
}

TQ_INLINE pose place_ball(const tq_canonical_joint *k, const ball *at, const pose *parent)
{
    const mat fixed = mat_of(k->r);
    const mat joint = mat_product(&parent->r, &fixed);
    pose s;
    s.p = vec_add_mul(parent->p, &parent->r, vec_of(k->p));
    if (k->kind == TQ_CANONICAL_FLOATING) {
        s.p = vec_add_mul(s.p, &joint, at->x);
    }
    s.r = mat_product(&joint, &at->r);
    return s;
}

TQ_INLINE vec axis_of(const mat *r, int axis)
{
    return axis == 0   ? (vec){r->xx, r->yx, r->zx}
           : axis == 1 ? (vec){r->xy, r->yy, r->zy}
                       : (vec){r->xz, r->yz, r->zz};
}

TQ_INLINE pose pose_world(void)
{
    const real o = splat(0.0), one = splat(1.0);
    return (pose){{one, o, o, o, one, o, o, o, one}, {o, o, o}};
}

#endif
