/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/outward.h - outward pass shared by inverse and forward dynamics. */
#ifndef TQ_KERNELS_OUTWARD_H
#define TQ_KERNELS_OUTWARD_H

#include "core/kernels/body_wrench.h"
#include "core/kernels/inward.h"

/* Per-joint state in the caller's memory, one row per body (balls: one per ball). */
typedef struct state {
    cosine_sine *cs;
    ball *balls;
    wrench *loads;
    motion *saved; /* of bodies with has_branch */
} state;

enum {
    STATE_REALS = 2 + 6 + 18, /* per body */
    BALL_REALS = 12,
};

TQ_INLINE state state_in(const tq_canonical *c, double *work, real **ret_rest)
{
    state s;
    real *at = (void *)work;
    s.cs = (void *)at;
    at += 2L * c->n_body;
    s.loads = (void *)at;
    at += 6L * c->n_body;
    s.saved = (void *)at;
    at += 18L * c->n_body;
    s.balls = (void *)at;
    at += (long)BALL_REALS * c->n_ball;
    *ret_rest = at;
    return s;
}

/* Subtracts the external wrench on body b from its load. */
TQ_INLINE void put_load(const tq_kernel_input *in, int b, long i, wrench load, wrench *loads)
{
    loads[b] = in->wrench != NULL ? wrench_sub(load, load_external(in, b, i)) : load;
}

/* Motion of a body from its parent's, and its load; for a joint with is_simple_revolute. */
TQ_INLINE motion outward_plain(const tq_canonical_joint *k, const body_moments *own, turn t,
                               motion s, real v, real acc, wrench *ret_load)
{
    s = step_line(k, t, splat(k->d), s, v, acc, 1);
    *ret_load = load_line(own->h, own->s, &s);
    return s;
}

/* Fills s->loads[b] with the wrench that accelerates body b, less its external wrench. qdd replaces
 * in->qdd: NULL for forward dynamics, a constant after inlining. */
TQ_INLINE void outward(const tq_canonical *c, const tq_kernel_input *in, const double *qdd, long i,
                       state *st)
{
    const long stride = in->stride;
    const double *q = in->q + i, *qd = in->qd != NULL ? in->qd + i : NULL;
    qdd = qdd != NULL ? qdd + i : NULL;
    motion s = {.w = vec_zero()};
    for (int b = 0; b < c->n_body; b++) {
        const tq_canonical_joint *k = &c->joints[b];
        const turn t = joint_turn(k, &st->cs[b]); /* unused for a ball */
        body_moments room;
        const body_moments *own = moments_of(k, in, b, i, &room);
        if (k->is_simple_revolute) {
            const real v = qd != NULL ? load(qd + k->v_row * stride) : splat(0.0);
            const real acc = qdd != NULL ? load(qdd + k->v_row * stride) : splat(0.0);
            wrench f;
            s = k->alpha_is_right  ? outward_plain(k, own, turn_known(t, 1), s, v, acc, &f)
                : k->alpha_is_zero ? outward_plain(k, own, turn_level(t), s, v, acc, &f)
                                   : outward_plain(k, own, t, s, v, acc, &f);
            put_load(in, b, i, f, st->loads);
            continue;
        }
        if (!k->parent_is_previous && k->parent >= 0) {
            s = st->saved[k->parent];
        }
        if (k->ball >= 0) {
            const ball_rates r = ball_rates_of(k, qd, qdd, stride);
            s = k->parent < 0 ? step_ball_first(k, &st->balls[k->ball], in->gravity, r)
                              : step_ball(k, &st->balls[k->ball], s, r);
        } else {
            const real v = joint_rate(k, qd, stride);
            const real acc = joint_rate(k, qdd, stride);
            if (k->parent < 0) {
                s = step_first(k, t, in->gravity, v, acc);
            } else {
                if (k->has_offset) {
                    s = step_pre(k, s);
                }
                const real d = joint_travel(k, q, stride);
                s = k->alpha_is_right ? step_single(k, turn_known(t, 1), d, s, v, acc)
                                      : step_single(k, t, d, s, v, acc);
            }
        }
        if (k->has_branch) {
            st->saved[b] = s;
        }
        put_load(in, b, i, body_load(k, own, &s), st->loads);
    }
}

#endif
