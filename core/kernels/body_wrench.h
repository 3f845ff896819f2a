/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/body_wrench.h - wrench that accelerates a body, from its inertial parameters. */
#ifndef TQ_KERNELS_BODY_WRENCH_H
#define TQ_KERNELS_BODY_WRENCH_H

#include "core/kernels/moments.h"
#include "core/kernels/propagate.h"

/* With mass m, first moment h, second moment S = integral x x^T dm and point acceleration a + B x:
 * f = m a + B h,  n = h x a + 2 vee(skew(B S)), i.e. the antisymmetric part of B S as a vector. */
TQ_INLINE wrench load_full(moment m, const moment *h, const moment *s, const motion *x)
{
    const mat *b = &x->b;
    const vec a = x->a;
    wrench r;
    r.f.x = tq_fmam(m, a.x, tq_fmam(h[0], b->xx, tq_fmam(h[1], b->xy, h[2] * b->xz)));
    r.f.y = tq_fmam(m, a.y, tq_fmam(h[0], b->yx, tq_fmam(h[1], b->yy, h[2] * b->yz)));
    r.f.z = tq_fmam(m, a.z, tq_fmam(h[0], b->zx, tq_fmam(h[1], b->zy, h[2] * b->zz)));

    r.n.x = tq_fmam(h[1], a.z, -(h[2] * a.y));
    r.n.x = tq_fnmam(s[2], b->yx, tq_fnmam(s[5], b->yz, r.n.x));
    r.n.x = tq_fmam(s[1], b->zx, tq_fmam(s[3], b->zy, tq_fmam(s[4], b->zz - b->yy, r.n.x)));
    r.n.y = tq_fmam(h[2], a.x, -(h[0] * a.z));
    r.n.y = tq_fnmam(s[0], b->zx, tq_fnmam(s[1], b->zy, r.n.y));
    r.n.y = tq_fmam(s[2], b->xx - b->zz, tq_fmam(s[4], b->xy, tq_fmam(s[5], b->xz, r.n.y)));
    r.n.z = tq_fmam(h[0], a.y, -(h[1] * a.x));
    r.n.z = tq_fnmam(s[3], b->xy, tq_fnmam(s[4], b->xz, r.n.z));
    r.n.z = tq_fmam(s[1], b->yy - b->xx, tq_fmam(s[0], b->yx, tq_fmam(s[2], b->yz, r.n.z)));
    return r;
}

/* A regrouped revolute body: m = 0, h = (h_x, h_y, 0), S_zz = 0. */
TQ_INLINE wrench load_line(const moment *h, const moment *s, const motion *x)
{
    const mat *b = &x->b;
    const vec a = x->a;
    wrench r;
    r.f.x = tq_fmam(h[0], b->xx, h[1] * b->xy);
    r.f.y = tq_fmam(h[0], b->yx, h[1] * b->yy);
    r.f.z = tq_fmam(h[0], b->zx, h[1] * b->zy);

    r.n.x = tq_fnmam(s[2], b->yx, h[1] * a.z);
    r.n.x = tq_fmam(s[1], b->zx, tq_fmam(s[3], b->zy, tq_fmam(s[4], b->zz - b->yy, r.n.x)));
    r.n.y = tq_fnmam(s[0], b->zx, tq_fnmam(s[1], b->zy, -(h[0] * a.z)));
    r.n.y = tq_fmam(s[2], b->xx - b->zz, tq_fmam(s[4], b->xy, r.n.y));
    r.n.z = tq_fmam(h[0], a.y, -(h[1] * a.x));
    r.n.z = tq_fnmam(s[3], b->xy, tq_fnmam(s[4], b->xz, r.n.z));
    r.n.z = tq_fmam(s[1], b->yy - b->xx, tq_fmam(s[0], b->yx, tq_fmam(s[2], b->yz, r.n.z)));
    return r;
}

TQ_INLINE wrench body_load(const tq_canonical_joint *k, const body_moments *own, const motion *x)
{
    return k->kind == TQ_CANONICAL_REVOLUTE ? load_line(own->h, own->s, x)
                                            : load_full(own->m, own->h, own->s, x);
}

/* external wrench on body `body`, samples from i on */
TQ_INLINE wrench load_external(const tq_kernel_input *in, int body, long i)
{
    const long stride = in->wrench_stride;
    const double *at = in->wrench + 6L * body * stride + i;
    return (wrench){vec_load(at, stride), vec_load(at + 3 * stride, stride)};
}

#endif
