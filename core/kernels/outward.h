/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/outward.h - the outward pass that inverse and forward dynamics share. */
#ifndef TQ_KERNELS_OUTWARD_H
#define TQ_KERNELS_OUTWARD_H

#include "core/kernels/inward.h"
#include "core/kernels/load.h"

/* Per-joint state in the caller's memory, one row a body (balls: one a ball). */
typedef struct state {
    cosine_sine *cs;
    ball *balls;
    wrench *loads;
    motion *saved; /* of bodies with `save` */
} state;

enum {
    STATE_REALS = 2 + 6 + 18, /* a body */
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

/* Fills s->loads[i] with the wrench that body i's own motion asks for, less what the environment
 * exerts on it. */
TQ_INLINE void outward(const tq_canonical *c, const tq_kernel_input *in, long i, state *st)
{
    const long stride = in->stride;
    motion s = {.w = vec_zero()};
    for (int b = 0; b < c->n_body; b++) {
        const tq_canonical_joint *k = &c->joints[b];
        if (!k->carry && k->parent >= 0) {
            s = st->saved[k->parent];
        }
        if (k->ball >= 0) {
            const ball_rates r = load_ball_rates(k, in, i);
            s = k->parent < 0 ? step_ball_first(k, &st->balls[k->ball], in->gravity, r)
                              : step_ball(k, &st->balls[k->ball], s, r);
        } else {
            const turn t = joint_turn(k, &st->cs[b]);
            const real v = joint_rate(k, in->qd != NULL ? in->qd + i : NULL, stride);
            const real acc = joint_rate(k, in->qdd != NULL ? in->qdd + i : NULL, stride);
            if (k->parent < 0) {
                s = step_first(k, t, in->gravity, v, acc);
            } else {
                if (k->pre) {
                    s = step_pre(k, s);
                }
                const real d = joint_travel(k, in->q + i, stride);
                s = k->square ? step_single(k, turn_known(t, 1), d, s, v, acc)
                              : step_single(k, turn_known(t, 0), d, s, v, acc);
            }
        }
        if (k->save) {
            st->saved[b] = s;
        }
        body_moments room;
        st->loads[b] = body_load(k, moments_of(k, in, b, i, &room), &s);
        if (in->wrench != NULL) {
            st->loads[b] = wrench_sub(st->loads[b], load_external(in, b, i));
        }
    }
}

#endif
