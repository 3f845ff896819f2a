/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/derivatives/subtrees.h - inertia, velocity and force of whole subtrees, in world
 * axes about a point O. */
#ifndef TQ_KERNELS_DERIVATIVES_SUBTREES_H
#define TQ_KERNELS_DERIVATIVES_SUBTREES_H

#include "core/kernels/body_states.h"

typedef struct subtree {
    vec h; /* first and second moment about O; the mass is a constant of the model */
    sym s;
    mat spin; /* integral x x'^T dm */
    vec g;    /* linear momentum */
    wrench force;
} subtree;

enum { A_SUBTREE = 27 };

TQ_INLINE void subtree_add(subtree *to, const subtree *from)
{
    to->h = vec_add(to->h, from->h);
    to->s = sym_add(to->s, from->s);
    to->spin = mat_add(to->spin, from->spin);
    to->g = vec_add(to->g, from->g);
    to->force = wrench_add(to->force, from->force);
}

/* m v + w x h. Regrouped bodies that revolve have no mass, and so most subtrees. */
TQ_INLINE vec inertia_force(double m, vec h, vec v, vec w)
{
    const vec f = vec_cross(w, h);
    return m != 0.0 ? vec_along(f, splat(m), v.x, v.y, v.z) : f;
}

/* I (v, w) = (m v + w x h, h x v + (trace(s) - s) w) */
TQ_INLINE wrench body_force(double m, vec h, const sym *s, const screw *x)
{
    return (wrench){inertia_force(m, h, x->v, x->w),
                    vec_add_cross(sym_tensor_mul(s, x->w), h, x->v)};
}
TQ_INLINE wrench inertia_times(double m, const subtree *c, const screw *x)
{
    return body_force(m, c->h, &c->s, x);
}

/* 2 B (., w) = (2 w x g, 2 (trace(spin) - spin^T) w) */
TQ_INLINE wrench coriolis_times(const subtree *c, vec w)
{
    const vec w2 = vec_add(w, w);
    return (wrench){vec_cross(w2, c->g), mat_tensor_tmul(&c->spin, w2)};
}

/* the row x . 2 B, applied to (., w): 2 (g x v + (trace(spin) - spin) w) */
TQ_INLINE vec coriolis_row(const subtree *c, const screw *x)
{
    const vec r = vec_add_cross(mat_tensor_mul(&c->spin, x->w), c->g, x->v);
    return vec_add(r, r);
}

/* spatial force cross product x x* f (Featherstone 2008, eq. 2.32) */
TQ_INLINE wrench cross_force(const screw *x, const wrench *f)
{
    return (wrench){vec_cross(x->w, f->f), vec_add_cross(vec_cross(x->w, f->n), x->v, f->f)};
}

/* x . f + more, as two sums: half the latency */
TQ_INLINE real power(const screw *x, const wrench *f, real more)
{
    const real turns = tq_fma(x->w.x, f->n.x, tq_fma(x->w.y, f->n.y, tq_fma(x->w.z, f->n.z, more)));
    return turns + tq_fma(x->v.x, f->f.x, tq_fma(x->v.y, f->f.y, x->v.z * f->f.z));
}

/* moments of a body about O, in world axes */
TQ_INLINE void place_moments(const tq_canonical_joint *k, const pose *at, vec *ret_h, sym *ret_s)
{
    const real m = splat(k->m);
    const vec p = at->p, h = mat_mul(&at->r, vec_of(k->h));
    const vec x = vec_along(h, m, p.x, p.y, p.z); /* first moment about O */
    const sym s = sym_turn(&at->r, sym_of(k->s));
    /* s + p h^T + h p^T + m p p^T = s + p h^T + x p^T */
    *ret_h = x;
    *ret_s =
        (sym){tq_fma(p.x, h.x, tq_fma(x.x, p.x, s.xx)), tq_fma(p.x, h.y, tq_fma(x.x, p.y, s.xy)),
              tq_fma(p.x, h.z, tq_fma(x.x, p.z, s.xz)), tq_fma(p.y, h.y, tq_fma(x.y, p.y, s.yy)),
              tq_fma(p.y, h.z, tq_fma(x.y, p.z, s.yz)), tq_fma(p.z, h.z, tq_fma(x.z, p.z, s.zz))};
}

/* The same of a regrouped body that revolves: m = 0, h = h_x x + h_y y and S_zz = 0 with the axes
 * x, y, z of its frame, so that s + p h^T + h p^T = x u^T + u x^T + y v^T + v y^T with
 *     u = S_xx / 2 x + S_xy y + S_xz z + h_x p,  v = S_yy / 2 y + S_yz z + h_y p. */
TQ_INLINE void place_line_moments(const tq_canonical_joint *k, const pose *at, vec *ret_h,
                                  sym *ret_s)
{
    const vec x = axis_of(&at->r, 0), y = axis_of(&at->r, 1), z = axis_of(&at->r, 2), p = at->p;
    const real hx = splat(k->h[0]), hy = splat(k->h[1]);
    vec u = vec_along(vec_scale(hx, p), splat(k->s[2]), z.x, z.y, z.z);
    u = vec_along(u, splat(k->s[1]), y.x, y.y, y.z);
    u = vec_along(u, splat(0.5 * k->s[0]), x.x, x.y, x.z);
    vec v = vec_along(vec_scale(hy, p), splat(k->s[4]), z.x, z.y, z.z);
    v = vec_along(v, splat(0.5 * k->s[3]), y.x, y.y, y.z);
    *ret_h = vec_along(vec_scale(hx, x), hy, y.x, y.y, y.z);
    *ret_s = sym_of_pairs(x, u, y, v);
}

TQ_INLINE subtree subtree_zero(void)
{
    const vec o = vec_zero();
    return (subtree){o, sym_zero(), mat_zero(), o, {o, o}};
}

/* A body and `below`, the sum of its children's subtrees. Sums are stored as soon as the body's
 * own part is known: 27 numbers at once would take all registers. */
TQ_INLINE void subtree_of(const tq_canonical_joint *k, const place *body, const subtree *below,
                          subtree *ret)
{
    vec h;
    sym s;
    if (k->kind == TQ_CANONICAL_REVOLUTE) {
        place_line_moments(k, &body->at, &h, &s);
    } else {
        place_moments(k, &body->at, &h, &s);
    }
    const double m = k->kind == TQ_CANONICAL_REVOLUTE ? 0.0 : k->m;
    const vec u = body->twist.v, w = body->twist.w;
    ret->h = vec_add(h, below->h);
    ret->s = sym_add(s, below->s);
    const wrench own = body_force(m, h, &s, &body->rate);
    const vec x = vec_along(vec_cross(w, (vec){s.xx, s.xy, s.xz}), h.x, u.x, u.y, u.z);
    const vec y = vec_along(vec_cross(w, (vec){s.xy, s.yy, s.yz}), h.y, u.x, u.y, u.z);
    const vec z = vec_along(vec_cross(w, (vec){s.xz, s.yz, s.zz}), h.z, u.x, u.y, u.z);
    ret->spin = mat_add((mat){x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z}, below->spin);
    const vec g = inertia_force(m, h, u, w);
    ret->g = vec_add(g, below->g);
    /* angular momentum: integral x x x' dm, the antisymmetric part of spin */
    const vec l = {y.z - z.y, z.x - x.z, x.y - y.x};
    ret->force.f = vec_add(vec_add_cross(own.f, w, g), below->force.f);
    ret->force.n = vec_add(vec_add_cross(vec_add_cross(own.n, w, l), u, g), below->force.n);
}

#endif
