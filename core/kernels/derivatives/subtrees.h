/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/derivatives/subtrees.h - inertia, velocity and force of whole subtrees, in world
 * axes about a point O. */
#ifndef TQ_KERNELS_DERIVATIVES_SUBTREES_H
#define TQ_KERNELS_DERIVATIVES_SUBTREES_H

#include "core/kernels/body_states.h"

typedef struct subtree {
    real m; /* mass, first and second moment about O */
    vec h;
    sym s;
    mat spin; /* integral x x'^T dm */
    vec g;    /* linear momentum */
    wrench force;
} subtree;

enum { A_SUBTREE = 28 };

TQ_INLINE void subtree_add(subtree *to, const subtree *from)
{
    to->m = to->m + from->m;
    to->h = vec_add(to->h, from->h);
    to->s = sym_add(to->s, from->s);
    to->spin = mat_add(to->spin, from->spin);
    to->g = vec_add(to->g, from->g);
    to->force = wrench_add(to->force, from->force);
}

/* I (v, w) = (m v + w x h, h x v + (trace(s) - s) w) */
TQ_INLINE wrench inertia_times(const subtree *c, const screw *x)
{
    const vec f = vec_cross(x->w, c->h);
    return (wrench){vec_along(f, c->m, x->v.x, x->v.y, x->v.z),
                    vec_add_cross(sym_tensor_mul(&c->s, x->w), c->h, x->v)};
}

/* 2 B (., w) = (2 w x g, 2 (trace(spin) - spin^T) w) */
TQ_INLINE wrench coriolis_times(const subtree *c, vec w)
{
    const vec w2 = vec_add(w, w);
    const real trace = c->spin.xx + c->spin.yy + c->spin.zz;
    return (wrench){vec_cross(w2, c->g), vec_sub_tmul(vec_scale(trace, w2), &c->spin, w2)};
}

/* the row x . 2 B, applied to (., w): 2 (g x v + (trace(spin) - spin) w) */
TQ_INLINE vec coriolis_row(const subtree *c, const screw *x)
{
    const real trace = c->spin.xx + c->spin.yy + c->spin.zz;
    const vec lag = vec_sub_mul(vec_cross(c->g, x->v), &c->spin, x->w);
    const vec r = vec_along(lag, trace, x->w.x, x->w.y, x->w.z);
    return vec_add(r, r);
}

/* spatial force cross product x x* f (Featherstone 2008, eq. 2.32) */
TQ_INLINE wrench cross_force(const screw *x, const wrench *f)
{
    return (wrench){vec_cross(x->w, f->f), vec_add_cross(vec_cross(x->w, f->n), x->v, f->f)};
}

/* x . f + more */
TQ_INLINE real power(const screw *x, const wrench *f, real more)
{
    const real turns = tq_fma(x->w.x, f->n.x, tq_fma(x->w.y, f->n.y, tq_fma(x->w.z, f->n.z, more)));
    return tq_fma(x->v.x, f->f.x, tq_fma(x->v.y, f->f.y, tq_fma(x->v.z, f->f.z, turns)));
}

/* mass moments of a body about O, in world axes */
TQ_INLINE void place_moments(const tq_canonical_joint *k, const pose *at, subtree *ret)
{
    const real m = splat(k->m);
    const vec p = at->p, h = mat_mul(&at->r, vec_of(k->h));
    const vec x = vec_along(h, m, p.x, p.y, p.z); /* first moment about O */
    const sym s = sym_turn(&at->r, sym_of(k->s));
    /* s + p h^T + h p^T + m p p^T = s + p h^T + x p^T */
    ret->m = m;
    ret->h = x;
    ret->s =
        (sym){tq_fma(p.x, h.x, tq_fma(x.x, p.x, s.xx)), tq_fma(p.x, h.y, tq_fma(x.x, p.y, s.xy)),
              tq_fma(p.x, h.z, tq_fma(x.x, p.z, s.xz)), tq_fma(p.y, h.y, tq_fma(x.y, p.y, s.yy)),
              tq_fma(p.y, h.z, tq_fma(x.y, p.z, s.yz)), tq_fma(p.z, h.z, tq_fma(x.z, p.z, s.zz))};
}

TQ_INLINE subtree body_of(const tq_canonical_joint *k, const place *body)
{
    subtree c;
    place_moments(k, &body->at, &c);
    const vec u = body->twist.v, w = body->twist.w, h = c.h;
    const vec x = vec_cross(w, (vec){c.s.xx, c.s.xy, c.s.xz});
    const vec y = vec_cross(w, (vec){c.s.xy, c.s.yy, c.s.yz});
    const vec z = vec_cross(w, (vec){c.s.xz, c.s.yz, c.s.zz});
    c.spin = (mat){tq_fma(h.x, u.x, x.x), tq_fma(h.x, u.y, x.y), tq_fma(h.x, u.z, x.z),
                   tq_fma(h.y, u.x, y.x), tq_fma(h.y, u.y, y.y), tq_fma(h.y, u.z, y.z),
                   tq_fma(h.z, u.x, z.x), tq_fma(h.z, u.y, z.y), tq_fma(h.z, u.z, z.z)};
    const wrench momentum = inertia_times(&c, &body->twist);
    c.g = momentum.f;
    c.force = wrench_add(inertia_times(&c, &body->rate), cross_force(&body->twist, &momentum));
    return c;
}

#endif
