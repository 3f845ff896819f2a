/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/composite.h - composite rigid body of a subtree, moved inward joint by joint (CRBA).
 */
#ifndef TQ_KERNELS_COMPOSITE_H
#define TQ_KERNELS_COMPOSITE_H

#include "core/kernels/joints.h"
#include "core/spatial/sym.h"

/* First and second moment of mass about the frame's origin; the mass is a constant of the model. */
typedef struct composite {
    vec h;
    sym s;
} composite;

TQ_INLINE composite composite_of(const tq_canonical_joint *k)
{
    return (composite){vec_of(k->h), sym_of(k->s)};
}

/* in axes rotated by r from the body's */
TQ_INLINE composite composite_turned(const tq_canonical_joint *k, const mat *r)
{
    return (composite){mat_mul(r, vec_of(k->h)), sym_turn(r, sym_of(k->s))};
}

TQ_INLINE composite composite_zero(void)
{
    return (composite){vec_zero(), sym_zero()};
}

TQ_INLINE composite composite_add(composite a, composite b)
{
    return (composite){vec_add(a.h, b.h), sym_add(a.s, b.s)};
}

/* Origin moved by -x, -y or -z: the coordinate of every point grows by it (parallel-axis theorem).
 */
TQ_INLINE void composite_shift_x(composite *a, double m, real x)
{
    const real h = tq_fmac(m, x, a->h.x);
    a->s.xy = tq_fma(x, a->h.y, a->s.xy);
    a->s.xz = tq_fma(x, a->h.z, a->s.xz);
    a->s.xx = tq_fma(x, a->h.x + h, a->s.xx);
    a->h.x = h;
}
TQ_INLINE void composite_shift_y(composite *a, double m, real y)
{
    const real h = tq_fmac(m, y, a->h.y);
    a->s.xy = tq_fma(y, a->h.x, a->s.xy);
    a->s.yz = tq_fma(y, a->h.z, a->s.yz);
    a->s.yy = tq_fma(y, a->h.y + h, a->s.yy);
    a->h.y = h;
}
TQ_INLINE void composite_shift_z(composite *a, double m, real z)
{
    const real h = tq_fmac(m, z, a->h.z);
    a->s.xz = tq_fma(z, a->h.x, a->s.xz);
    a->s.yz = tq_fma(z, a->h.y, a->s.yz);
    a->s.zz = tq_fma(z, a->h.z + h, a->s.zz);
    a->h.z = h;
}

TQ_INLINE void composite_shift(composite *a, double m, vec p)
{
    composite_shift_x(a, m, p.x);
    composite_shift_y(a, m, p.y);
    composite_shift_z(a, m, p.z);
}

TQ_INLINE composite composite_inward(const tq_canonical_joint *k, turn t, real d, composite a)
{
    const double m = k->subtree_mass;
    composite_shift_z(&a, m, d);
    a.h = turn_out(t, a.h);
    a.s = sym_turn_x(t, sym_turn_z(t.c, t.s, a.s));
    composite_shift_x(&a, m, splat(k->a));
    if (k->has_offset) {
        a.h = z_out(k->cg, k->sg, a.h);
        a.s = sym_turn_z(splat(k->cg), splat(k->sg), a.s);
        composite_shift(&a, m, vec_of(k->p));
    }
    return a;
}

TQ_INLINE composite composite_inward_ball(const tq_canonical_joint *k, const ball *at, composite a)
{
    const mat fixed = mat_of(k->r);
    a.h = mat_mul(&at->r, a.h);
    a.s = sym_turn(&at->r, a.s);
    if (k->kind == TQ_CANONICAL_FLOATING) {
        composite_shift(&a, k->subtree_mass, at->x);
    }
    a.h = mat_mul(&fixed, a.h);
    a.s = sym_turn(&fixed, a.s);
    composite_shift(&a, k->subtree_mass, vec_of(k->p));
    return a;
}

/* The wrench that gives the composite unit acceleration along or about `axis`: (m e, h x e) for a
 * translation, (e x h, I e) for a rotation. */
TQ_INLINE wrench composite_push(double m, const composite *a, int axis)
{
    const real o = splat(0.0), mm = splat(m);
    const vec h = a->h;
    if (axis == 0) {
        return (wrench){{mm, o, o}, {o, h.z, -h.y}};
    }
    return axis == 1 ? (wrench){{o, mm, o}, {-h.z, o, h.x}} : (wrench){{o, o, mm}, {h.y, -h.x, o}};
}
TQ_INLINE wrench composite_twirl(const composite *a, int axis)
{
    const real o = splat(0.0);
    const vec h = a->h;
    const sym s = a->s;
    if (axis == 0) {
        return (wrench){{o, -h.z, h.y}, {s.yy + s.zz, -s.xy, -s.xz}};
    }
    return axis == 1 ? (wrench){{h.z, o, -h.x}, {-s.xy, s.xx + s.zz, -s.yz}}
                     : (wrench){{-h.y, h.x, o}, {-s.xz, -s.yz, s.xx + s.yy}};
}

#endif
