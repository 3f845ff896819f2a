/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/energy.c - kinetic and potential energy of all bodies. */
#include "core/kernels/outward.h"
#include "core/kernels/symbols.h"
#include "core/spatial/sym.h"

/* Angular and linear velocity of a body's frame, gravity g in its axes, and `lift` = -g . p, the
 * potential energy of a unit mass at its origin. */
typedef struct moving_frame {
    vec w, v, g;
    real lift;
} moving_frame;

/* origin displaced by p, in the frame's axes */
TQ_INLINE void moving_frame_shift(moving_frame *s, vec p)
{
    s->v = vec_add_cross(s->v, s->w, p);
    s->lift = s->lift - vec_dot(s->g, p);
}

TQ_INLINE void frame_outward_single(const tq_canonical_joint *k, turn t, real d, real rate,
                                    moving_frame *s)
{
    const real o = splat(0.0);
    moving_frame_shift(s, vec_of(k->p));
    s->w = z_in(k->cg, k->sg, s->w);
    s->v = z_in(k->cg, k->sg, s->v);
    s->g = z_in(k->cg, k->sg, s->g);
    moving_frame_shift(s, (vec){splat(k->a), o, o});
    s->w = turn_in(t, s->w);
    s->v = turn_in(t, s->v);
    s->g = turn_in(t, s->g);
    moving_frame_shift(s, (vec){o, o, d});
    if (k->kind == TQ_CANONICAL_REVOLUTE) {
        s->w.z = s->w.z + rate;
    } else {
        s->v.z = s->v.z + rate;
    }
}

TQ_INLINE void frame_outward_ball(const tq_canonical_joint *k, const ball *at, ball_rates r,
                                  moving_frame *s)
{
    const mat fixed = mat_of(k->r);
    vec p = vec_of(k->p);
    if (k->kind == TQ_CANONICAL_FLOATING) {
        p = vec_add(p, mat_mul(&fixed, at->x));
    }
    moving_frame_shift(s, p);
    s->w = vec_add(mat_tmul(&at->r, mat_tmul(&fixed, s->w)), r.w);
    s->v = vec_add(mat_tmul(&at->r, mat_tmul(&fixed, s->v)), r.v);
    s->g = mat_tmul(&at->r, mat_tmul(&fixed, s->g));
}

/* T = m v^2 / 2 + v . (w x h) + w . I w / 2, of moments that are not regrouped (m > 0) */
TQ_INLINE real kinetic_of(const tq_moments *b, const moving_frame *s)
{
    const double t[6] = {b->s[3] + b->s[5], -b->s[1], -b->s[2],
                         b->s[0] + b->s[5], -b->s[4], b->s[0] + b->s[3]};
    const sym tensor = sym_of(t);
    const real half = splat(0.5),
               twice = tq_fmac(b->m, vec_dot(s->v, s->v), vec_dot(s->w, sym_mul(&tensor, s->w)));
    return tq_fma(half, twice, vec_dot(s->v, vec_cross(s->w, vec_of(b->h))));
}

void TQ_KERNEL(tq_energy)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                          double *ret_energy)
{
    real *rest;
    const state st = state_in(c, work, &rest);
    moving_frame *saved = (void *)rest;
    const long stride = in->stride;
    for (long i = 0; i < in->n_sample; i += TQ_LANES) {
        real kinetic = splat(0.0), potential = splat(0.0);
        place_joints(c, in->q + i, stride, st.cs, st.balls);
        moving_frame s = {vec_zero(), vec_zero(), vec_of(in->gravity), splat(0.0)};
        for (int b = 0; b < c->n_body; b++) {
            const tq_canonical_joint *k = &c->joints[b];
            const tq_moments *own = &c->bodies[b].moments;
            if (k->parent < 0) {
                s = (moving_frame){vec_zero(), vec_zero(), vec_of(in->gravity), splat(0.0)};
            } else if (!k->parent_is_previous) {
                s = saved[k->parent];
            }
            if (k->ball >= 0) {
                frame_outward_ball(k, &st.balls[k->ball], load_ball_rates(k, in, i), &s);
            } else {
                frame_outward_single(k, joint_turn(k, &st.cs[b]),
                                     joint_travel(k, in->q + i, stride),
                                     joint_rate(k, in->qd != NULL ? in->qd + i : NULL, stride), &s);
            }
            if (k->has_branch) {
                saved[b] = s;
            }
            kinetic = kinetic + kinetic_of(own, &s);
            potential = tq_fmac(own->m, s.lift, potential) - vec_dot(s.g, vec_of(own->h));
        }
        store(ret_energy + i, kinetic);
        store(ret_energy + in->out_stride + i, potential);
    }
}
