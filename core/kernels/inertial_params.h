/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/inertial_params.h - regressor of one dof and one body: torque per unit of the ten
 * inertial parameters. */
#ifndef TQ_KERNELS_INERTIAL_PARAMS_H
#define TQ_KERNELS_INERTIAL_PARAMS_H

#include "core/kernels/propagate.h"

typedef struct screw {
    vec a, l; /* angular, linear at the body's origin */
} screw;

/* Row of Y of one dof and one link, in the axes of a frame of the body, about its origin. */
typedef struct ten {
    real m, hx, hy, hz, xx, xy, xz, yy, yz, zz;
} ten;

/* A point x needs the force a + B x per unit mass; the dof feels (l + u x x) . force. The
 * coefficient of x x^T is G = [u]x^T B, expressed in the inertia tensor trace(x x^T) 1 - x x^T. */
TQ_INLINE ten ten_of(const motion *s, screw p)
{
    const mat *b = &s->b;
    const vec a = s->a, u = p.a, l = p.l;
    const real gx = tq_fms(u.z, b->yx, u.y * b->zx);
    const real gy = tq_fms(u.x, b->zy, u.z * b->xy);
    const real gz = tq_fms(u.y, b->xz, u.x * b->yz);
    const real half = splat(0.5) * (gx + gy + gz);
    ten y;
    y.m = vec_dot(l, a);
    y.hx = tq_fma(l.x, b->xx, tq_fma(l.y, b->yx, l.z * b->zx));
    y.hy = tq_fma(l.x, b->xy, tq_fma(l.y, b->yy, l.z * b->zy));
    y.hz = tq_fma(l.x, b->xz, tq_fma(l.y, b->yz, l.z * b->zz));
    y.hx = tq_fma(u.z, a.y, tq_fnma(u.y, a.z, y.hx));
    y.hy = tq_fma(u.x, a.z, tq_fnma(u.z, a.x, y.hy));
    y.hz = tq_fma(u.y, a.x, tq_fnma(u.x, a.y, y.hz));
    y.xx = half - gx;
    y.yy = half - gy;
    y.zz = half - gz;
    y.xy = tq_fma(u.y, b->zy, tq_fnma(u.x, b->zx, u.z * (b->xx - b->yy)));
    y.xz = tq_fma(u.x, b->yx, tq_fnma(u.z, b->yz, u.y * (b->zz - b->xx)));
    y.yz = tq_fma(u.z, b->xz, tq_fnma(u.y, b->xy, u.x * (b->yy - b->zz)));
    return y;
}

/* row of the body's own rotation about z: independent of m and h_z */
TQ_INLINE ten ten_of_turn(const motion *s)
{
    const mat *b = &s->b;
    const real o = splat(0.0), xy = s->w.x * s->w.y;
    return (ten){.m = o,
                 .hx = s->a.y,
                 .hy = -s->a.x,
                 .hz = o,
                 .xx = -xy,
                 .xy = b->xx - b->yy,
                 .xz = -b->yz,
                 .yy = xy,
                 .yz = b->xz,
                 .zz = s->al.z};
}

/* origin moved by p along z */
TQ_INLINE void ten_shift(ten *x, real p)
{
    const real across = x->xx + x->yy;
    x->m = tq_fma(p, tq_fma(p, across, x->hz), x->m);
    x->hx = tq_fnma(p, x->xz, x->hx);
    x->hy = tq_fnma(p, x->yz, x->hy);
    x->hz = tq_fma(p + p, across, x->hz);
}

/* x with its sign bit flipped where `sign` is -0.0 */
TQ_INLINE real signed_by(real x, double sign)
{
    return real_of(bits_of(x) ^ bits_of(splat(sign)));
}

/* for axes of which some are reversed */
TQ_INLINE ten ten_reversed(const double *sign, ten x)
{
    x.hx = signed_by(x.hx, sign[0]);
    x.hy = signed_by(x.hy, sign[1]);
    x.hz = signed_by(x.hz, sign[2]);
    x.xy = signed_by(x.xy, sign[3]);
    x.xz = signed_by(x.xz, sign[4]);
    x.yz = signed_by(x.yz, sign[5]);
    return x;
}

/* Ten neighbouring entries of Y, `col` apart; `skip`: m and h_z are structural zeros, in the buffer
 * already. */
TQ_INLINE void put_ten(double *y, long col, ten x, _Bool skip)
{
    double *at = y + 3 * col;
    store(y + col, x.hx);
    store(y + 2 * col, x.hy);
    store(y + 4 * col, x.xx);
    store(at + 2 * col, x.xy);
    store(at + 4 * col, x.yy);
    at += 3 * col;
    store(at, x.xz);
    store(at + 2 * col, x.yz);
    store(y + 9 * col, x.zz);
    if (!skip) {
        store(y, x.m);
        store(y + 3 * col, x.hz);
    }
}

/* the same with permuted parameters: number e at row[e] */
TQ_INLINE void put_renamed(double *y, const long *row, ten x, _Bool skip)
{
    store(y + row[1], x.hx);
    store(y + row[2], x.hy);
    store(y + row[4], x.xx);
    store(y + row[5], x.xy);
    store(y + row[6], x.xz);
    store(y + row[7], x.yy);
    store(y + row[8], x.yz);
    store(y + row[9], x.zz);
    if (!skip) {
        store(y, x.m);
        store(y + row[3], x.hz);
    }
}

#endif
