/* SPDX-License-Identifier: Apache-2.0 */
/* core/spatial/joint_rotation.h - joint rotations Rx(alpha) Rz(theta), applied without forming
 * matrices. */
#ifndef TQ_SPATIAL_JOINT_ROTATION_H
#define TQ_SPATIAL_JOINT_ROTATION_H

#include "core/spatial/vec.h"

/* Rx(alpha) Rz(theta): alpha is a constant of the model, theta the joint's angle. */
typedef struct turn {
    double ca, sa;
    real c, s;
    _Bool alpha_is_right; /* compile-time alpha = pi/2: y' = z, z' = -y */
    _Bool alpha_is_zero;  /* compile-time alpha = 0 */
} turn;

/* Along a chain of rotations y is the loop-carried dependency: it is multiplied last, which makes
 * the latency two multiply-adds per rotation instead of four. */

/* parent axes -> child axes */
TQ_INLINE vec turn_in(turn t, vec v)
{
    const real y = t.alpha_is_right ? v.z : t.alpha_is_zero ? v.y : tq_fmac(t.ca, v.y, t.sa * v.z);
    const real z = t.alpha_is_right  ? -v.y
                   : t.alpha_is_zero ? v.z
                                     : tq_fnmac(t.sa, v.y, t.ca * v.z);
    return (vec){tq_fma(t.s, y, t.c * v.x), tq_fms(t.c, y, t.s * v.x), z};
}

/* child axes -> parent axes */
TQ_INLINE vec turn_out(turn t, vec v)
{
    const real x = tq_fms(t.c, v.x, t.s * v.y);
    const real y = tq_fma(t.s, v.x, t.c * v.y);
    if (t.alpha_is_right || t.alpha_is_zero) {
        return t.alpha_is_zero ? (vec){x, y, v.z} : (vec){x, -v.z, y};
    }
    return (vec){x, tq_fms(splat(t.ca), y, t.sa * v.z), tq_fmac(t.sa, y, t.ca * v.z)};
}

/* transpose(Rz) v and Rz v, for a constant angle with cosine c and sine s */
TQ_INLINE vec z_in(double c, double s, vec v)
{
    return (vec){tq_fmac(c, v.x, s * v.y), tq_fnmac(s, v.x, c * v.y), v.z};
}
TQ_INLINE vec z_out(double c, double s, vec v)
{
    return (vec){tq_fnmac(s, v.y, c * v.x), tq_fmac(s, v.x, c * v.y), v.z};
}

/* Rotation matrix, child -> parent, of the quaternion in the rows w, x, y, z from `at` on, of any
 * length but 0: the factor 2 of the formula becomes 2 / |quaternion|^2. */
TQ_INLINE mat quaternion_matrix(const double *at, long stride)
{
    const real w = load(at), x = load(at + stride), y = load(at + 2 * stride);
    const real z = load(at + 3 * stride);
    const real norm = tq_fma(w, w, tq_fma(x, x, tq_fma(y, y, z * z)));
    const real scale = splat(2.0) / norm;
    const real x2 = scale * x, y2 = scale * y, z2 = scale * z;
    mat r;
    r.xx = tq_fnma(y, y2, tq_fnma(z, z2, splat(1.0)));
    r.yy = tq_fnma(x, x2, tq_fnma(z, z2, splat(1.0)));
    r.zz = tq_fnma(x, x2, tq_fnma(y, y2, splat(1.0)));
    r.xy = tq_fms(x2, y, w * z2);
    r.yx = tq_fma(x2, y, w * z2);
    r.xz = tq_fma(x2, z, w * y2);
    r.zx = tq_fms(x2, z, w * y2);
    r.yz = tq_fms(y2, z, w * x2);
    r.zy = tq_fma(y2, z, w * x2);
    return r;
}

#endif
