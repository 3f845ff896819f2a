/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/flow.h - moments of a subtree's points and of their velocities, moved inward. */
#ifndef TQ_KERNELS_FLOW_H
#define TQ_KERNELS_FLOW_H

#include "core/kernels/composite.h"

/* Over the mass of a subtree, x a point's place and x' its velocity, both relative to the frame's
 * origin and along its axes: first and second moment of x, g = integral x' dm and
 * spin = integral x x'^T dm. */
typedef struct flow {
    composite c;
    vec g;
    mat spin;
} flow;

TQ_INLINE flow flow_zero(void)
{
    return (flow){composite_zero(), vec_zero(), mat_zero()};
}

TQ_INLINE flow flow_add(flow a, flow b)
{
    return (flow){composite_add(a.c, b.c), vec_add(a.g, b.g), mat_add(a.spin, b.spin)};
}

/* row (x_a y_b) of x (w x x)^T from row a of the second moment */
TQ_INLINE vec flow_row(vec w, real sx, real sy, real sz)
{
    return vec_cross(w, (vec){sx, sy, sz});
}

/* one body that turns with w */
TQ_INLINE flow flow_of(const tq_canonical_joint *k, vec w)
{
    flow f = {.c = composite_of(k)};
    const sym s = f.c.s;
    f.g = vec_cross(w, f.c.h);
    const vec x = flow_row(w, s.xx, s.xy, s.xz);
    const vec y = flow_row(w, s.xy, s.yy, s.yz);
    const vec z = flow_row(w, s.xz, s.yz, s.zz);
    f.spin = (mat){x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z};
    return f;
}

/* the old origin moves with u against the new one, which still lies at the same place */
TQ_INLINE void flow_drift(flow *f, double m, vec u)
{
    const vec h = f->c.h;
    mat *s = &f->spin;
    *s = (mat){tq_fma(h.x, u.x, s->xx), tq_fma(h.x, u.y, s->xy), tq_fma(h.x, u.z, s->xz),
               tq_fma(h.y, u.x, s->yx), tq_fma(h.y, u.y, s->yy), tq_fma(h.y, u.z, s->yz),
               tq_fma(h.z, u.x, s->zx), tq_fma(h.z, u.y, s->zy), tq_fma(h.z, u.z, s->zz)};
    f->g = vec_along(f->g, splat(m), u.x, u.y, u.z);
}

/* origin moved back by x, y or z */
TQ_INLINE void flow_shift_x(flow *f, double m, real x)
{
    f->spin.xx = tq_fma(x, f->g.x, f->spin.xx);
    f->spin.xy = tq_fma(x, f->g.y, f->spin.xy);
    f->spin.xz = tq_fma(x, f->g.z, f->spin.xz);
    composite_shift_x(&f->c, m, x);
}
TQ_INLINE void flow_shift_y(flow *f, double m, real y)
{
    f->spin.yx = tq_fma(y, f->g.x, f->spin.yx);
    f->spin.yy = tq_fma(y, f->g.y, f->spin.yy);
    f->spin.yz = tq_fma(y, f->g.z, f->spin.yz);
    composite_shift_y(&f->c, m, y);
}
TQ_INLINE void flow_shift_z(flow *f, double m, real z)
{
    f->spin.zx = tq_fma(z, f->g.x, f->spin.zx);
    f->spin.zy = tq_fma(z, f->g.y, f->spin.zy);
    f->spin.zz = tq_fma(z, f->g.z, f->spin.zz);
    composite_shift_z(&f->c, m, z);
}

TQ_INLINE void flow_shift(flow *f, double m, vec p)
{
    flow_shift_x(f, m, p.x);
    flow_shift_y(f, m, p.y);
    flow_shift_z(f, m, p.z);
}

/* One joint inward; u is the velocity of the body's origin against its parent's, along the parent's
 * axes. */
TQ_INLINE flow flow_inward(const tq_canonical_joint *k, turn t, real d, vec u, flow f)
{
    const double m = k->subtree_mass;
    flow_shift_z(&f, m, d);
    f.c.h = turn_out(t, f.c.h);
    f.c.s = sym_turn_x(k->ca, k->sa, sym_turn_z(t.c, t.s, f.c.s));
    f.g = turn_out(t, f.g);
    f.spin = mat_turn_x(k->ca, k->sa, mat_turn_z(t.c, t.s, f.spin));
    if (!k->pre) {
        flow_drift(&f, m, u);
        flow_shift_x(&f, m, splat(k->a));
        return f;
    }
    flow_shift_x(&f, m, splat(k->a));
    f.c.h = z_out(k->cg, k->sg, f.c.h);
    f.c.s = sym_turn_z(splat(k->cg), splat(k->sg), f.c.s);
    f.g = z_out(k->cg, k->sg, f.g);
    f.spin = mat_turn_z(splat(k->cg), splat(k->sg), f.spin);
    flow_drift(&f, m, u);
    flow_shift(&f, m, vec_of(k->p));
    return f;
}

TQ_INLINE flow flow_inward_ball(const tq_canonical_joint *k, const ball *at, vec u, flow f)
{
    const mat fixed = mat_of(k->r), r = mat_product(&fixed, &at->r);
    f.c.h = mat_mul(&r, f.c.h);
    f.c.s = sym_turn(&r, f.c.s);
    f.g = mat_mul(&r, f.g);
    f.spin = mat_turn(&r, &f.spin);
    flow_drift(&f, k->subtree_mass, u);
    vec p = vec_of(k->p);
    if (k->kind == TQ_CANONICAL_FLOATING) {
        p = vec_add(p, mat_mul(&fixed, at->x));
    }
    flow_shift(&f, k->subtree_mass, p);
    return f;
}

#endif
