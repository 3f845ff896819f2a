/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/body_states.h - poses, twists and spatial accelerations of all bodies in world axes.
 */
#ifndef TQ_KERNELS_BODY_STATES_H
#define TQ_KERNELS_BODY_STATES_H

#include "core/kernels/pose.h"
#include "core/kernels/propagate.h"
#include "core/spatial/sym.h"

/* Spatial velocity about one fixed point O: v is the velocity at O, w the angular velocity. */
typedef struct screw {
    vec v, w;
} screw;

TQ_INLINE screw screw_add(screw a, screw b)
{
    return (screw){vec_add(a.v, b.v), vec_add(a.w, b.w)};
}

TQ_INLINE screw screw_scale(real s, screw a)
{
    return (screw){vec_scale(s, a.v), vec_scale(s, a.w)};
}

/* spatial cross product a x b (Featherstone 2008, eq. 2.31): rate of change of b fixed in a frame
 * that moves with a */
TQ_INLINE screw screw_cross(const screw *a, const screw *b)
{
    return (screw){vec_add_cross(vec_cross(a->w, b->v), a->v, b->w), vec_cross(a->w, b->w)};
}

/* a + s b, and a + b x c */
TQ_INLINE screw screw_along(screw a, real s, const screw *b)
{
    return (screw){vec_along(a.v, s, b->v.x, b->v.y, b->v.z),
                   vec_along(a.w, s, b->w.x, b->w.y, b->w.z)};
}
TQ_INLINE screw screw_add_cross(screw a, const screw *b, const screw *c)
{
    return (screw){vec_add_cross(vec_add_cross(a.v, b->w, c->v), b->v, c->w),
                   vec_add_cross(a.w, b->w, c->w)};
}

/* A body: pose from O; `rate` is the time derivative of `twist` (spatial acceleration, not the
 * acceleration of a material point); gravity is a fictitious upward acceleration of the world. */
typedef struct place {
    pose at;
    screw twist, rate;
} place;

/* O is the origin of the first floating base, so that no digits cancel far from the world's origin;
 * the world's origin if nothing floats. */
typedef struct reach {
    cosine_sine *cs;
    ball *balls;
    place *places; /* one per body */
    vec o;         /* O in the world */
    vec up;        /* -gravity */
} reach;

enum { REACH_BODY = 2 + 24, REACH_BALL = 12 };

TQ_INLINE reach reach_in(const tq_canonical *c, const double *gravity, double *work,
                         real **ret_rest)
{
    const double up[3] = {-gravity[0], -gravity[1], -gravity[2]};
    real *at = (void *)work;
    reach r = {.up = vec_of(up)};
    r.cs = (void *)at, at += 2L * c->n_body;
    r.places = (void *)at, at += 24L * c->n_body;
    r.balls = (void *)at, at += (long)REACH_BALL * c->n_ball;
    *ret_rest = at;
    return r;
}

/* the world, as a body */
TQ_INLINE place place_world(const reach *r)
{
    place w = {pose_world(), {vec_zero(), vec_zero()}, {r->up, vec_zero()}};
    w.at.p = vec_sub(vec_zero(), r->o);
    return w;
}

/* Motion subspace column of dof f (spatial axis at unit rate) of a joint whose body has the pose
 * `at`. */
TQ_INLINE screw screw_of(const tq_canonical_joint *k, const pose *at, int f)
{
    const int freedoms = tq_canonical_freedoms(k->kind);
    const vec e = axis_of(&at->r, freedoms == 1 ? 2 : f % 3);
    const _Bool slides = k->kind == TQ_CANONICAL_PRISMATIC || (freedoms == 6 && f < 3);
    return slides ? (screw){e, vec_zero()} : (screw){vec_cross(at->p, e), e};
}

/* V = W + S qd, A = A_W + S qdd + W x (S qd) */
TQ_INLINE void reach_single(const tq_canonical_joint *k, const tq_kernel_input *in, long i,
                            const reach *r, int b, const place *parent, _Bool rates)
{
    const long stride = in->stride;
    place *body = &r->places[b];
    const real v = joint_rate(k, in->qd != NULL ? in->qd + i : NULL, stride);
    body->at =
        place_single(k, joint_turn(k, &r->cs[b]), joint_travel(k, in->q + i, stride), &parent->at);
    const screw s = screw_of(k, &body->at, 0), own = screw_scale(v, s);
    body->twist = screw_add(parent->twist, own);
    if (rates) {
        const real acc = joint_rate(k, in->qdd != NULL ? in->qdd + i : NULL, stride);
        body->rate = screw_add(screw_add(parent->rate, screw_scale(acc, s)),
                               screw_cross(&parent->twist, &own));
    }
}

TQ_INLINE void reach_ball(const tq_canonical_joint *k, const tq_kernel_input *in, long i,
                          const reach *r, int b, const place *parent, _Bool rates)
{
    place *body = &r->places[b];
    const ball_rates x = load_ball_rates(k, in, i);
    body->at = place_ball(k, &r->balls[k->ball], &parent->at);
    const mat *r_world = &body->at.r;
    const vec p = body->at.p;
    screw own = {mat_mul(r_world, x.v), mat_mul(r_world, x.w)};
    own.v = vec_add_cross(own.v, p, own.w);
    body->twist = screw_add(parent->twist, own);
    if (rates) {
        screw gain = {mat_mul(r_world, x.vd), mat_mul(r_world, x.wd)};
        gain.v = vec_add_cross(gain.v, p, gain.w);
        body->rate = screw_add(screw_add(parent->rate, gain), screw_cross(&parent->twist, &own));
    }
}

/* Joint positions of the samples from i on, and O. */
TQ_INLINE void reach_start(const tq_canonical *c, const tq_kernel_input *in, long i, reach *r)
{
    place_joints(c, in->q + i, in->stride, r->cs, r->balls);
    r->o = vec_zero();
    for (int b = 0; b < c->n_body; b++) {
        const tq_canonical_joint *k = &c->joints[b];
        if (k->parent < 0 && k->kind == TQ_CANONICAL_FLOATING) {
            const pose world = pose_world();
            r->o = place_ball(k, &r->balls[k->ball], &world).p;
            break;
        }
    }
}

/* Forward kinematics of body b from its parent's, `world` for the first; the spatial acceleration
 * only with `rates`. */
TQ_INLINE void reach_body(const tq_canonical_joint *k, const tq_kernel_input *in, long i,
                          const reach *r, int b, const place *parent, _Bool rates)
{
    if (k->ball >= 0) {
        reach_ball(k, in, i, r, b, parent, rates);
    } else {
        reach_single(k, in, i, r, b, parent, rates);
    }
}

TQ_INLINE const place *parent_of(const reach *r, const tq_canonical_joint *k, const place *world)
{
    return k->parent < 0 ? world : &r->places[k->parent];
}

#endif
