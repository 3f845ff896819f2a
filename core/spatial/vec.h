/* SPDX-License-Identifier: Apache-2.0 */
/* core/spatial/vec.h - vectors, 3x3 matrices and wrenches over SIMD lanes. */
#ifndef TQ_SPATIAL_VEC_H
#define TQ_SPATIAL_VEC_H

#include "core/lanes/real.h"

typedef struct vec {
    real x, y, z;
} vec;

typedef struct mat {
    real xx, xy, xz, yx, yy, yz, zx, zy, zz;
} mat;

/* A force, and the moment about the origin of the frame in which both are expressed. */
typedef struct wrench {
    vec f, n;
} wrench;

TQ_INLINE vec vec_zero(void)
{
    return (vec){splat(0.0), splat(0.0), splat(0.0)};
}

/* the same constant vector in every lane */
TQ_INLINE vec vec_of(const double *v)
{
    return (vec){splat(v[0]), splat(v[1]), splat(v[2])};
}

TQ_INLINE vec vec_load(const double *at, long stride)
{
    return (vec){load(at), load(at + stride), load(at + 2 * stride)};
}

TQ_INLINE void vec_store(double *at, long stride, vec v)
{
    store(at, v.x);
    store(at + stride, v.y);
    store(at + 2 * stride, v.z);
}

TQ_INLINE vec vec_add(vec a, vec b)
{
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

TQ_INLINE vec vec_sub(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

TQ_INLINE vec vec_scale(real s, vec v)
{
    return (vec){s * v.x, s * v.y, s * v.z};
}

TQ_INLINE real vec_dot(vec a, vec b)
{
    return tq_fma(a.x, b.x, tq_fma(a.y, b.y, a.z * b.z));
}

TQ_INLINE vec vec_cross(vec a, vec b)
{
    return (vec){tq_fms(a.y, b.z, a.z * b.y), tq_fms(a.z, b.x, a.x * b.z),
                 tq_fms(a.x, b.y, a.y * b.x)};
}

/* a + b x c */
TQ_INLINE vec vec_add_cross(vec a, vec b, vec c)
{
    return (vec){tq_fma(b.y, c.z, tq_fnma(b.z, c.y, a.x)), tq_fma(b.z, c.x, tq_fnma(b.x, c.z, a.y)),
                 tq_fma(b.x, c.y, tq_fnma(b.y, c.x, a.z))};
}

/* a + s (x, y, z) */
TQ_INLINE vec vec_along(vec a, real s, real x, real y, real z)
{
    return (vec){tq_fma(s, x, a.x), tq_fma(s, y, a.y), tq_fma(s, z, a.z)};
}

/* a + m b */
TQ_INLINE vec vec_add_mul(vec a, const mat *m, vec b)
{
    a = vec_along(a, b.x, m->xx, m->yx, m->zx);
    a = vec_along(a, b.y, m->xy, m->yy, m->zy);
    return vec_along(a, b.z, m->xz, m->yz, m->zz);
}

TQ_INLINE vec mat_mul(const mat *m, vec v)
{
    return (vec){tq_fma(m->xx, v.x, tq_fma(m->xy, v.y, m->xz * v.z)),
                 tq_fma(m->yx, v.x, tq_fma(m->yy, v.y, m->yz * v.z)),
                 tq_fma(m->zx, v.x, tq_fma(m->zy, v.y, m->zz * v.z))};
}

/* a - transpose(m) b */
TQ_INLINE vec vec_sub_tmul(vec a, const mat *m, vec b)
{
    return (vec){tq_fnma(m->xx, b.x, tq_fnma(m->yx, b.y, tq_fnma(m->zx, b.z, a.x))),
                 tq_fnma(m->xy, b.x, tq_fnma(m->yy, b.y, tq_fnma(m->zy, b.z, a.y))),
                 tq_fnma(m->xz, b.x, tq_fnma(m->yz, b.y, tq_fnma(m->zz, b.z, a.z)))};
}

/* transpose(m) v */
TQ_INLINE vec mat_tmul(const mat *m, vec v)
{
    return (vec){tq_fma(m->xx, v.x, tq_fma(m->yx, v.y, m->zx * v.z)),
                 tq_fma(m->xy, v.x, tq_fma(m->yy, v.y, m->zy * v.z)),
                 tq_fma(m->xz, v.x, tq_fma(m->yz, v.y, m->zz * v.z))};
}

TQ_INLINE mat mat_zero(void)
{
    const real o = splat(0.0);
    return (mat){o, o, o, o, o, o, o, o, o};
}

/* the same constant matrix, row by row, in every lane */
TQ_INLINE mat mat_of(const double *r)
{
    return (mat){splat(r[0]), splat(r[1]), splat(r[2]), splat(r[3]), splat(r[4]),
                 splat(r[5]), splat(r[6]), splat(r[7]), splat(r[8])};
}

TQ_INLINE mat mat_add(mat a, mat b)
{
    return (mat){a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yx + b.yx, a.yy + b.yy,
                 a.yz + b.yz, a.zx + b.zx, a.zy + b.zy, a.zz + b.zz};
}

TQ_INLINE mat mat_transpose(mat a)
{
    return (mat){a.xx, a.yx, a.zx, a.xy, a.yy, a.zy, a.xz, a.yz, a.zz};
}

TQ_INLINE mat mat_product(const mat *a, const mat *b)
{
    const vec x = mat_mul(a, (vec){b->xx, b->yx, b->zx});
    const vec y = mat_mul(a, (vec){b->xy, b->yy, b->zy});
    const vec z = mat_mul(a, (vec){b->xz, b->yz, b->zz});
    return (mat){x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}

TQ_INLINE wrench wrench_zero(void)
{
    return (wrench){vec_zero(), vec_zero()};
}

TQ_INLINE wrench wrench_add(wrench a, wrench b)
{
    return (wrench){vec_add(a.f, b.f), vec_add(a.n, b.n)};
}

TQ_INLINE wrench wrench_sub(wrench a, wrench b)
{
    return (wrench){vec_sub(a.f, b.f), vec_sub(a.n, b.n)};
}

#endif
