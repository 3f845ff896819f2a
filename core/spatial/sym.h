/* SPDX-License-Identifier: Apache-2.0 */
/* core/spatial/sym.h - symmetric 3x3 matrices over SIMD lanes, and their congruences R A R^T. */
#ifndef TQ_SPATIAL_SYM_H
#define TQ_SPATIAL_SYM_H

#include "core/spatial/joint_rotation.h"

typedef struct sym {
    real xx, xy, xz, yy, yz, zz;
} sym;

TQ_INLINE sym sym_zero(void)
{
    const real o = splat(0.0);
    return (sym){o, o, o, o, o, o};
}

/* the same constant matrix (xx xy xz yy yz zz) in every lane */
TQ_INLINE sym sym_of(const double *s)
{
    return (sym){splat(s[0]), splat(s[1]), splat(s[2]), splat(s[3]), splat(s[4]), splat(s[5])};
}

TQ_INLINE sym sym_add(sym a, sym b)
{
    return (sym){a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}

TQ_INLINE vec sym_mul(const sym *a, vec v)
{
    return (vec){tq_fma(a->xx, v.x, tq_fma(a->xy, v.y, a->xz * v.z)),
                 tq_fma(a->xy, v.x, tq_fma(a->yy, v.y, a->yz * v.z)),
                 tq_fma(a->xz, v.x, tq_fma(a->yz, v.y, a->zz * v.z))};
}

/* (trace(A) - A) v: for a second moment A, the inertia tensor times v */
TQ_INLINE vec sym_tensor_mul(const sym *a, vec v)
{
    return (vec){tq_fnma(a->xy, v.y, tq_fnma(a->xz, v.z, (a->yy + a->zz) * v.x)),
                 tq_fnma(a->xy, v.x, tq_fnma(a->yz, v.z, (a->xx + a->zz) * v.y)),
                 tq_fnma(a->xz, v.x, tq_fnma(a->yz, v.y, (a->xx + a->yy) * v.z))};
}

/* (trace(a) - a) v, and (trace(a) - transpose(a)) v */
TQ_INLINE vec mat_tensor_mul(const mat *a, vec v)
{
    return (vec){tq_fnma(a->xy, v.y, tq_fnma(a->xz, v.z, (a->yy + a->zz) * v.x)),
                 tq_fnma(a->yx, v.x, tq_fnma(a->yz, v.z, (a->xx + a->zz) * v.y)),
                 tq_fnma(a->zx, v.x, tq_fnma(a->zy, v.y, (a->xx + a->yy) * v.z))};
}
TQ_INLINE vec mat_tensor_tmul(const mat *a, vec v)
{
    return (vec){tq_fnma(a->yx, v.y, tq_fnma(a->zx, v.z, (a->yy + a->zz) * v.x)),
                 tq_fnma(a->xy, v.x, tq_fnma(a->zy, v.z, (a->xx + a->zz) * v.y)),
                 tq_fnma(a->xz, v.x, tq_fnma(a->yz, v.y, (a->xx + a->yy) * v.z))};
}

/* x u^T + u x^T + y v^T + v y^T */
TQ_INLINE sym sym_of_pairs(vec x, vec u, vec y, vec v)
{
    const vec u2 = vec_add(u, u), v2 = vec_add(v, v);
    return (sym){
        tq_fma(x.x, u2.x, y.x * v2.x),
        tq_fma(x.x, u.y, tq_fma(u.x, x.y, tq_fma(y.x, v.y, v.x * y.y))),
        tq_fma(x.x, u.z, tq_fma(u.x, x.z, tq_fma(y.x, v.z, v.x * y.z))),
        tq_fma(x.y, u2.y, y.y * v2.y),
        tq_fma(x.y, u.z, tq_fma(u.y, x.z, tq_fma(y.y, v.z, v.y * y.z))),
        tq_fma(x.z, u2.z, y.z * v2.z),
    };
}

/* Rz A Rz^T */
TQ_INLINE sym sym_turn_z(real c, real s, sym a)
{
    const real u = tq_fms(s, a.yy - a.xx, (c + c) * a.xy);
    sym r;
    r.xx = tq_fma(s, u, a.xx);
    r.yy = tq_fnma(s, u, a.yy);
    r.xy = tq_fnms(c, u, a.xy);
    r.xz = tq_fms(c, a.xz, s * a.yz);
    r.yz = tq_fma(s, a.xz, c * a.yz);
    r.zz = a.zz;
    return r;
}

/* Rx A Rx^T, the constant part of a joint rotation */
TQ_INLINE sym sym_turn_x(turn t, sym a)
{
    const double c = t.ca, s = t.sa;
    if (t.alpha_is_zero) {
        return a;
    }
    if (t.alpha_is_right) {
        return (sym){a.xx, -a.xz, a.xy, a.zz, -a.yz, a.yy};
    }
    const real u = tq_fmac(s, a.zz - a.yy, -((c + c) * a.yz));
    sym r;
    r.yy = tq_fmac(s, u, a.yy);
    r.zz = tq_fnmac(s, u, a.zz);
    r.yz = -(tq_fmac(c, u, a.yz));
    r.xy = tq_fnmac(s, a.xz, c * a.xy);
    r.xz = tq_fmac(s, a.xy, c * a.xz);
    r.xx = a.xx;
    return r;
}

/* R A R^T */
TQ_INLINE sym sym_turn(const mat *r, sym a)
{
    const vec x = sym_mul(&a, (vec){r->xx, r->xy, r->xz});
    const vec y = sym_mul(&a, (vec){r->yx, r->yy, r->yz});
    const vec z = sym_mul(&a, (vec){r->zx, r->zy, r->zz});
    return (sym){vec_dot((vec){r->xx, r->xy, r->xz}, x), vec_dot((vec){r->xx, r->xy, r->xz}, y),
                 vec_dot((vec){r->xx, r->xy, r->xz}, z), vec_dot((vec){r->yx, r->yy, r->yz}, y),
                 vec_dot((vec){r->yx, r->yy, r->yz}, z), vec_dot((vec){r->zx, r->zy, r->zz}, z)};
}

/* Rz A Rz^T of a full matrix */
TQ_INLINE mat mat_turn_z(real c, real s, mat a)
{
    const mat r = {tq_fms(c, a.xx, s * a.yx),
                   tq_fms(c, a.xy, s * a.yy),
                   tq_fms(c, a.xz, s * a.yz),
                   tq_fma(s, a.xx, c * a.yx),
                   tq_fma(s, a.xy, c * a.yy),
                   tq_fma(s, a.xz, c * a.yz),
                   a.zx,
                   a.zy,
                   a.zz};
    return (mat){tq_fms(c, r.xx, s * r.xy), tq_fma(s, r.xx, c * r.xy), r.xz,
                 tq_fms(c, r.yx, s * r.yy), tq_fma(s, r.yx, c * r.yy), r.yz,
                 tq_fms(c, r.zx, s * r.zy), tq_fma(s, r.zx, c * r.zy), r.zz};
}

/* Rx A Rx^T of a full matrix: columns, then rows */
TQ_INLINE mat mat_turn_x(turn t, mat a)
{
    const double c = t.ca, s = t.sa;
    if (t.alpha_is_zero) {
        return a;
    }
    if (t.alpha_is_right) {
        return (mat){a.xx, -a.xz, a.xy, -a.zx, a.zz, -a.zy, a.yx, -a.yz, a.yy};
    }
    const mat r = {a.xx, tq_fnmac(s, a.xz, c * a.xy), tq_fmac(s, a.xy, c * a.xz),
                   a.yx, tq_fnmac(s, a.yz, c * a.yy), tq_fmac(s, a.yy, c * a.yz),
                   a.zx, tq_fnmac(s, a.zz, c * a.zy), tq_fmac(s, a.zy, c * a.zz)};
    return (mat){r.xx,
                 r.xy,
                 r.xz,
                 tq_fnmac(s, r.zx, c * r.yx),
                 tq_fnmac(s, r.zy, c * r.yy),
                 tq_fnmac(s, r.zz, c * r.yz),
                 tq_fmac(s, r.yx, c * r.zx),
                 tq_fmac(s, r.yy, c * r.zy),
                 tq_fmac(s, r.yz, c * r.zz)};
}

#endif
