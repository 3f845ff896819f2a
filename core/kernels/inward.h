/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/inward.h - a wrench moved from a body's origin to its parent's: one joint inward. */
#ifndef TQ_KERNELS_INWARD_H
#define TQ_KERNELS_INWARD_H

#include "core/kernels/joints.h"

/* of a child without offset (p = 0, gamma = 0) */
TQ_INLINE wrench inward_line(const tq_canonical_joint *k, turn t, real d, wrench r)
{
    r.n.x = tq_fnma(d, r.f.y, r.n.x);
    r.n.y = tq_fma(d, r.f.x, r.n.y);
    r.f = turn_out(t, r.f);
    r.n = turn_out(t, r.n);
    r.n.y = tq_fnmac(k->a, r.f.z, r.n.y);
    r.n.z = tq_fmac(k->a, r.f.y, r.n.z);
    return r;
}

TQ_INLINE wrench inward_single(const tq_canonical_joint *k, turn t, real d, wrench r)
{
    r = inward_line(k, t, d, r);
    if (k->has_offset) {
        r.f = z_out(k->cg, k->sg, r.f);
        r.n = z_out(k->cg, k->sg, r.n);
        r.n = vec_add_cross(r.n, vec_of(k->p), r.f);
    }
    return r;
}

TQ_INLINE wrench inward_ball(const tq_canonical_joint *k, const ball *at, wrench r)
{
    const mat fixed = mat_of(k->r);
    r.f = mat_mul(&at->r, r.f);
    r.n = mat_mul(&at->r, r.n);
    if (k->kind == TQ_CANONICAL_FLOATING) {
        r.n = vec_add_cross(r.n, at->x, r.f);
    }
    r.f = mat_mul(&fixed, r.f);
    r.n = mat_mul(&fixed, r.n);
    r.n = vec_add_cross(r.n, vec_of(k->p), r.f);
    return r;
}

#endif
