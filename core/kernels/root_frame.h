/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/root_frame.h - all bodies and dofs of a tree in the frame of its first body. */
#ifndef TQ_KERNELS_ROOT_FRAME_H
#define TQ_KERNELS_ROOT_FRAME_H

#include "core/kernels/pose.h"

/* Every entry of a matrix over pairs of dofs is then a product of six components in one frame,
 * without moving a wrench from joint to joint. The frame is that of the body next to the world, so
 * no digits cancel far from the world's origin. */
typedef struct line {
    vec a, l; /* unit angular velocity, and the velocity of the frame's origin that it causes; a
                 prismatic dof has l only */
} line;

/* the first body of the tree that holds body b */
TQ_INLINE int stem_of(const tq_canonical *c, int b)
{
    while (c->joints[b].parent >= 0) {
        b = c->joints[b].parent;
    }
    return b;
}

/* is dof f of the joint a translation? */
TQ_INLINE _Bool line_slides(const tq_canonical_joint *k, int f)
{
    return k->kind == TQ_CANONICAL_PRISMATIC || (k->kind == TQ_CANONICAL_FLOATING && f < 3);
}

/* body b from its parent; the first body is the origin */
TQ_INLINE pose stem_place(const tq_canonical_joint *k, const tq_kernel_input *in, long i,
                          const cosine_sine *cs, const ball *balls, int b, const pose *parent)
{
    if (k->parent < 0) {
        return pose_world();
    }
    return k->ball >= 0 ? place_ball(k, &balls[k->ball], parent)
                        : place_single(k, joint_turn(k, &cs[b]),
                                       joint_travel(k, in->q + i, in->stride), parent);
}

/* a . n + l . f + more: power of a wrench along a line */
TQ_INLINE real line_dot(vec a, vec l, wrench r, real more)
{
    const real turns = tq_fma(a.x, r.n.x, tq_fma(a.y, r.n.y, tq_fma(a.z, r.n.z, more)));
    return turns + tq_fma(l.x, r.f.x, tq_fma(l.y, r.f.y, l.z * r.f.z));
}

#endif
