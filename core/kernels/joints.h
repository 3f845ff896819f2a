/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/joints.h - joint positions: sines, cosines, rotations, displacements. */
#ifndef TQ_KERNELS_JOINTS_H
#define TQ_KERNELS_JOINTS_H

#include "core/kernels/symbols.h"
#include "core/lanes/sincos.h"
#include "core/model/canonical.h"
#include "core/spatial/joint_rotation.h"

/* cosine and sine of theta, one pair per joint */
typedef struct cosine_sine {
    real c, s;
} cosine_sine;

/* a spherical or floating joint: rotation child -> joint frame, and displacement in the joint frame
 */
typedef struct ball {
    mat r;
    vec x;
} ball;

TQ_INLINE real joint_angle(const tq_canonical_joint *k, const double *q, long stride)
{
    const real row = load(q + k->q_row * stride);
    return k->is_mimic ? tq_fmac(k->multiplier, row, splat(k->q0)) : row + splat(k->q0);
}

TQ_INLINE void load_ball(const tq_canonical_joint *k, const double *q, long stride, ball *ret)
{
    const double *at = q + k->q_row * stride;
    const _Bool floats = k->kind == TQ_CANONICAL_FLOATING;
    ret->x = floats ? vec_load(at, stride) : vec_zero();
    ret->r = quaternion_matrix(floats ? at + 3 * stride : at, stride);
}

/* Rare: some angle exceeds TQ_SINCOS_MAX. Lanes within the range keep their bits. */
static __attribute__((noinline, unused)) void repair_angles(const tq_canonical *c, const double *q,
                                                            long stride, cosine_sine *cs)
{
    for (int i = 0; i < c->n_body; i++) {
        const tq_canonical_joint *k = &c->joints[i];
        if (k->kind == TQ_CANONICAL_REVOLUTE) {
            const real theta = joint_angle(k, q, stride);
            sincos_repair(theta, beyond(theta, TQ_SINCOS_MAX), &cs[i].s, &cs[i].c);
        }
    }
}

#ifdef TQ_WIDE
/* One sample: the lanes of the build TQ_WIDE hold its joints. The last vector may extend beyond the
 * last joint: all working memory has rows of eight lanes. */
TQ_INLINE void place_joints(const tq_canonical *c, const double *q, long stride, cosine_sine *cs,
                            ball *balls)
{
    TQ_KERNEL_EXPAND(tq_sines, TQ_WIDE)(c, q, stride, &cs[0].c);
    for (int i = 0; i < c->n_body; i++) {
        const tq_canonical_joint *k = &c->joints[i];
        if (k->kind == TQ_CANONICAL_REVOLUTE) {
            continue;
        }
        if (k->kind == TQ_CANONICAL_PRISMATIC) {
            cs[i] = (cosine_sine){k->c0, k->s0};
        } else {
            load_ball(k, q, stride, &balls[k->ball]);
        }
    }
}
#else
/* All sines before everything else: independent dependency chains fill the pipeline. */
TQ_INLINE void place_joints(const tq_canonical *c, const double *q, long stride, cosine_sine *cs,
                            ball *balls)
{
    real_mask far = 0;
    for (int i = 0; i < c->n_body; i++) {
        const tq_canonical_joint *k = &c->joints[i];
        if (k->kind == TQ_CANONICAL_REVOLUTE) {
            const real theta = joint_angle(k, q, stride);
            sincos_near(theta, &cs[i].s, &cs[i].c);
            far |= beyond(theta, TQ_SINCOS_MAX);
        } else if (k->kind == TQ_CANONICAL_PRISMATIC) {
            cs[i] = (cosine_sine){splat(k->c0), splat(k->s0)};
        } else {
            load_ball(k, q, stride, &balls[k->ball]);
        }
    }
    if (__builtin_expect(far != 0, 0)) {
        repair_angles(c, q, stride, cs);
    }
}
#endif

TQ_INLINE turn joint_turn(const tq_canonical_joint *k, const cosine_sine *cs)
{
    return (turn){k->ca, k->sa, cs->c, cs->s, 0, 0};
}

/* the same with alpha_is_right as a compile-time constant */
TQ_INLINE turn turn_known(turn t, _Bool square)
{
    t.alpha_is_right = square;
    return t;
}

/* the same with alpha_is_zero as a compile-time constant */
TQ_INLINE turn turn_level(turn t)
{
    t.alpha_is_zero = 1;
    return t;
}

/* displacement along the joint's axis */
TQ_INLINE real joint_travel(const tq_canonical_joint *k, const double *q, long stride)
{
    if (k->kind == TQ_CANONICAL_REVOLUTE) {
        return splat(k->d);
    }
    const real row = load(q + k->q_row * stride);
    return k->is_mimic ? tq_fmac(k->multiplier, row, splat(k->d)) : row + splat(k->d);
}

/* velocity or acceleration of a one-dof joint; zero if the rows are absent */
TQ_INLINE real joint_rate(const tq_canonical_joint *k, const double *rows, long stride)
{
    if (rows == NULL) {
        return splat(0.0);
    }
    const real row = load(rows + k->v_row * stride);
    return k->is_mimic ? splat(k->multiplier) * row : row;
}

/* torque or force of a one-dof joint into its row; of a mimic joint, by virtual work, multiplier
 * times into its master's row */
TQ_INLINE void put_effort(const tq_canonical_joint *k, double *tau, long stride, real effort)
{
    double *at = tau + k->v_row * stride;
    if (k->is_mimic) {
        effort = splat(k->multiplier) * effort;
    }
    store(at, k->accumulates_tau ? load(at) + effort : effort);
}

#endif
