/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/articulated.h - articulated-body inertia of a subtree (Featherstone 2008, ch. 7).
 */
#ifndef TQ_KERNELS_ARTICULATED_H
#define TQ_KERNELS_ARTICULATED_H

#include "core/kernels/moments.h"
#include "core/spatial/sym.h"

/* (n, f) = (j al + h a, h^T al + m a) about the frame's origin; h is a general 3x3 matrix, not
 * skew. */
typedef struct articulated {
    sym j;
    mat h;
    sym m;
} articulated;

TQ_INLINE articulated articulated_zero(void)
{
    return (articulated){sym_zero(), mat_zero(), sym_zero()};
}

TQ_INLINE articulated articulated_add(articulated a, articulated b)
{
    return (articulated){sym_add(a.j, b.j), mat_add(a.h, b.h), sym_add(a.m, b.m)};
}

TQ_INLINE sym sym_of_moments(const moment *s)
{
    return (sym){moment_real(s[0]), moment_real(s[1]), moment_real(s[2]),
                 moment_real(s[3]), moment_real(s[4]), moment_real(s[5])};
}

TQ_INLINE articulated articulated_of(const body_moments *own)
{
    const real o = splat(0.0), m = moment_real(own->m);
    const real x = moment_real(own->h[0]), y = moment_real(own->h[1]), z = moment_real(own->h[2]);
    return (articulated){
        sym_of_moments(own->tensor), {o, -z, y, z, o, -x, -y, x, o}, {m, o, o, m, o, m}};
}

/* a regrouped revolute body: m = h_z = 0 */
TQ_INLINE void articulated_add_line(articulated *a, const body_moments *own)
{
    const real x = moment_real(own->h[0]), y = moment_real(own->h[1]);
    a->j = sym_add(a->j, sym_of_moments(own->tensor));
    a->h.xz = a->h.xz + y;
    a->h.yz = a->h.yz - x;
    a->h.zx = a->h.zx - y;
    a->h.zy = a->h.zy + x;
}

/* Origin moved by -x along the x axis: h += [x]x m, j += [x]x h^T + h' [x]x^T. */
TQ_INLINE void articulated_shift_x(articulated *a, real x)
{
    mat *h = &a->h;
    sym *j = &a->j;
    const sym *m = &a->m;
    j->xy = tq_fnma(x, h->xz, j->xy);
    j->xz = tq_fma(x, h->xy, j->xz);
    j->yy = tq_fnma(x, h->yz, j->yy);
    j->yz = tq_fma(x, h->yy, j->yz);
    j->zz = tq_fma(x, h->zy, j->zz);
    h->yx = tq_fnma(x, m->xz, h->yx);
    h->yy = tq_fnma(x, m->yz, h->yy);
    h->yz = tq_fnma(x, m->zz, h->yz);
    h->zx = tq_fma(x, m->xy, h->zx);
    h->zy = tq_fma(x, m->yy, h->zy);
    h->zz = tq_fma(x, m->yz, h->zz);
    j->yy = tq_fnma(x, h->yz, j->yy);
    j->yz = tq_fnma(x, h->zz, j->yz);
    j->zz = tq_fma(x, h->zy, j->zz);
}

/* the same along y, by the cyclic permutation x -> y -> z -> x */
TQ_INLINE void articulated_shift_y(articulated *a, real y)
{
    mat *h = &a->h;
    sym *j = &a->j;
    const sym *m = &a->m;
    j->yz = tq_fnma(y, h->yx, j->yz);
    j->xy = tq_fma(y, h->yz, j->xy);
    j->zz = tq_fnma(y, h->zx, j->zz);
    j->xz = tq_fma(y, h->zz, j->xz);
    j->xx = tq_fma(y, h->xz, j->xx);
    h->zy = tq_fnma(y, m->xy, h->zy);
    h->zz = tq_fnma(y, m->xz, h->zz);
    h->zx = tq_fnma(y, m->xx, h->zx);
    h->xy = tq_fma(y, m->yz, h->xy);
    h->xz = tq_fma(y, m->zz, h->xz);
    h->xx = tq_fma(y, m->xz, h->xx);
    j->zz = tq_fnma(y, h->zx, j->zz);
    j->xz = tq_fnma(y, h->xx, j->xz);
    j->xx = tq_fma(y, h->xz, j->xx);
}

/* the same along z; `whole` false: row z of j and h is zero before and after */
TQ_INLINE void articulated_shift_z(articulated *a, real z, _Bool whole)
{
    mat *h = &a->h;
    sym *j = &a->j;
    const sym *m = &a->m;
    j->xx = tq_fnma(z, h->xy, j->xx);
    j->xy = tq_fma(z, h->xx, j->xy);
    j->yy = tq_fma(z, h->yx, j->yy);
    if (whole) {
        j->xz = tq_fnma(z, h->zy, j->xz);
        j->yz = tq_fma(z, h->zx, j->yz);
    }
    h->xx = tq_fnma(z, m->xy, h->xx);
    h->xy = tq_fnma(z, m->yy, h->xy);
    h->xz = tq_fnma(z, m->yz, h->xz);
    h->yx = tq_fma(z, m->xx, h->yx);
    h->yy = tq_fma(z, m->xy, h->yy);
    h->yz = tq_fma(z, m->xz, h->yz);
    j->xx = tq_fnma(z, h->xy, j->xx);
    j->xy = tq_fnma(z, h->yy, j->xy);
    j->yy = tq_fma(z, h->yx, j->yy);
}

TQ_INLINE void articulated_shift(articulated *a, vec p)
{
    articulated_shift_x(a, p.x);
    articulated_shift_y(a, p.y);
    articulated_shift_z(a, p.z, 1);
}

/* after elimination of a revolute joint without rotor: row z of j and h is zero */
TQ_INLINE articulated articulated_inward_line(const tq_canonical_joint *k, turn t, real d,
                                              articulated a)
{
    const double ca = k->ca, sa = k->sa;
    const real c = t.c, s = t.s;
    articulated_shift_z(&a, d, 0);
    const real u = tq_fms(s, a.j.yy - a.j.xx, (c + c) * a.j.xy);
    const real jxx = tq_fma(s, u, a.j.xx), jyy = tq_fnma(s, u, a.j.yy);
    const real jxy = tq_fnms(c, u, a.j.xy);
    const real o = splat(0.0);
    if (t.alpha_is_right) {
        a.j = (sym){jxx, o, jxy, o, o, jyy};
    } else if (t.alpha_is_zero) {
        a.j = (sym){jxx, jxy, o, jyy, o, o};
    } else {
        a.j = (sym){jxx, ca * jxy, sa * jxy, (ca * ca) * jyy, (ca * sa) * jyy, (sa * sa) * jyy};
    }
    const mat h = a.h;
    const real x0 = tq_fms(c, h.xx, s * h.yx), x1 = tq_fms(c, h.xy, s * h.yy);
    const real x2 = tq_fms(c, h.xz, s * h.yz);
    const real y0 = tq_fma(s, h.xx, c * h.yx), y1 = tq_fma(s, h.xy, c * h.yy);
    const real y2 = tq_fma(s, h.xz, c * h.yz);
    const real xx = tq_fms(c, x0, s * x1), xy = tq_fma(s, x0, c * x1);
    const real yx = tq_fms(c, y0, s * y1), yy = tq_fma(s, y0, c * y1);
    if (t.alpha_is_right) {
        a.h = (mat){xx, -x2, xy, o, o, o, yx, -y2, yy};
    } else if (t.alpha_is_zero) {
        a.h = (mat){xx, xy, x2, yx, yy, y2, o, o, o};
    } else {
        const real xv = tq_fnmac(sa, x2, ca * xy), xw = tq_fmac(sa, xy, ca * x2);
        const real yv = tq_fnmac(sa, y2, ca * yy), yw = tq_fmac(sa, yy, ca * y2);
        a.h = (mat){xx, xv, xw, ca * yx, ca * yv, ca * yw, sa * yx, sa * yv, sa * yw};
    }
    a.m = sym_turn_x(t, sym_turn_z(c, s, a.m));
    articulated_shift_x(&a, splat(k->a));
    return a;
}

TQ_INLINE articulated articulated_inward(const tq_canonical_joint *k, turn t, real d, articulated a)
{
    articulated_shift_z(&a, d, 1);
    a.j = sym_turn_x(t, sym_turn_z(t.c, t.s, a.j));
    a.h = mat_turn_x(t, mat_turn_z(t.c, t.s, a.h));
    a.m = sym_turn_x(t, sym_turn_z(t.c, t.s, a.m));
    articulated_shift_x(&a, splat(k->a));
    return a;
}

TQ_INLINE articulated articulated_inward_pre(const tq_canonical_joint *k, articulated a)
{
    const real c = splat(k->cg), s = splat(k->sg);
    a.j = sym_turn_z(c, s, a.j);
    a.h = mat_turn_z(c, s, a.h);
    a.m = sym_turn_z(c, s, a.m);
    articulated_shift(&a, vec_of(k->p));
    return a;
}

/* across a spherical joint, whose elimination leaves only `m` */
TQ_INLINE articulated articulated_inward_spherical(const tq_canonical_joint *k, const ball *at,
                                                   sym m)
{
    const mat fixed = mat_of(k->r);
    articulated a = articulated_zero();
    a.m = sym_turn(&fixed, sym_turn(&at->r, m));
    articulated_shift(&a, vec_of(k->p));
    return a;
}

#endif
