/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/jacobian.c - Jacobian of one point of one link, and its time derivative. */
#include "core/kernels/outward.h"
#include "core/kernels/pose.h"
#include "core/kernels/symbols.h"

/* a body on the path from the world to the link, in world axes */
typedef struct milestone {
    pose at;
    vec w, v; /* angular velocity; velocity of the origin */
} milestone;

typedef struct way {
    milestone *stones;
    int *bodies;
    int n;
} way;

typedef struct twist {
    vec v, w;
} twist;

/* poses and velocities of the bodies on the path */
TQ_INLINE void walk(const tq_canonical *c, const tq_kernel_input *in, long i, const state *st,
                    const way *w)
{
    const long stride = in->stride;
    milestone s = {pose_world(), vec_zero(), vec_zero()};
    for (int at = 0; at < w->n; at++) {
        const int b = w->bodies[at];
        const tq_canonical_joint *k = &c->joints[b];
        const milestone before = s;
        if (k->ball >= 0) {
            const ball_rates r = load_ball_rates(k, in, i);
            s.at = place_ball(k, &st->balls[k->ball], &before.at);
            s.w = vec_add(before.w, mat_mul(&s.at.r, r.w));
            s.v = vec_add(before.v, mat_mul(&s.at.r, r.v));
        } else {
            const real rate = joint_rate(k, in->qd != NULL ? in->qd + i : NULL, stride);
            s.at = place_single(k, joint_turn(k, &st->cs[b]), joint_travel(k, in->q + i, stride),
                                &before.at);
            const vec along = vec_scale(rate, axis_of(&s.at.r, 2));
            if (k->kind == TQ_CANONICAL_REVOLUTE) {
                s.w = vec_add(before.w, along);
            } else {
                s.v = vec_add(before.v, along);
            }
        }
        s.v = vec_add_cross(s.v, before.w, vec_sub(s.at.p, before.at.p));
        w->stones[at] = s;
    }
}

/* Converts a column (twist of the link, v at the point x) and its rate to the frame of the
 * Jacobian. */
TQ_INLINE void into_frame(const tq_kernel_point *point, const milestone *body, vec x, vec x_v,
                          twist *column, twist *rate)
{
    if (point->frame == TQ_POINT_WORLD) { /* v at the world's origin */
        rate->v = vec_add_cross(vec_add_cross(rate->v, x, rate->w), x_v, column->w);
        column->v = vec_add_cross(column->v, x, column->w);
    } else if (point->frame == TQ_POINT_LINK) {
        const mat r = mat_of(point->r);
        const twist turned = {vec_cross(body->w, column->v), vec_cross(body->w, column->w)};
        rate->v = mat_tmul(&r, mat_tmul(&body->at.r, vec_sub(rate->v, turned.v)));
        rate->w = mat_tmul(&r, mat_tmul(&body->at.r, vec_sub(rate->w, turned.w)));
        column->v = mat_tmul(&r, mat_tmul(&body->at.r, column->v));
        column->w = mat_tmul(&r, mat_tmul(&body->at.r, column->w));
    }
}

/* six rows, n_row apart; a mimic joint adds to its master's column */
TQ_INLINE void add_column(double *to, long part, double factor, const twist *column)
{
    const real x[6] = {column->v.x, column->v.y, column->v.z,
                       column->w.x, column->w.y, column->w.z};
    for (int e = 0; e < 6; e++) {
        store(to + e * part, tq_fmac(factor, x[e], load(to + e * part)));
    }
}

TQ_INLINE void put_joint(const tq_canonical *c, const tq_kernel_input *in,
                         const tq_kernel_point *point, const way *w, int at, const milestone *tip,
                         double *jacobian, double *jacobian_rate)
{
    const tq_canonical_joint *k = &c->joints[w->bodies[at]];
    const milestone *s = &w->stones[at], *body = &w->stones[w->n - 1];
    const int freedoms = tq_canonical_freedoms(k->kind);
    const vec x = tip->at.p, x_v = tip->v;
    const vec from = vec_sub(x, s->at.p), moving = vec_sub(x_v, s->v);
    for (int f = 0; f < freedoms; f++) {
        const vec e = axis_of(&s->at.r, freedoms == 1 ? 2 : f % 3), e_rate = vec_cross(s->w, e);
        const _Bool slides = k->kind == TQ_CANONICAL_PRISMATIC || (freedoms == 6 && f < 3);
        twist column = {e, vec_zero()}, rate = {e_rate, vec_zero()};
        if (!slides) {
            column = (twist){vec_cross(e, from), e};
            rate = (twist){vec_add_cross(vec_cross(e_rate, from), e, moving), e_rate};
        }
        into_frame(point, body, x, x_v, &column, &rate);
        const long row = c->dof_rows[k->dof + f] * in->out_stride, part = c->nv * in->out_stride;
        add_column(jacobian + row, part, c->dof_factors[k->dof + f], &column);
        if (jacobian_rate != NULL) {
            add_column(jacobian_rate + row, part, c->dof_factors[k->dof + f], &rate);
        }
    }
}

void TQ_KERNEL(tq_jacobian)(const tq_canonical *c, const tq_kernel_input *in,
                            const tq_kernel_point *point, double *work, double *ret_jacobian,
                            double *ret_rate)
{
    real *rest;
    const state st = state_in(c, work, &rest);
    way w = {.stones = (void *)rest, .bodies = (void *)(rest + 18L * c->n_body)};
    for (int b = point->body; b >= 0; b = c->joints[b].parent) {
        w.n++;
    }
    for (int b = point->body, at = w.n; b >= 0; b = c->joints[b].parent) {
        w.bodies[--at] = b;
    }
    for (long i = 0; i < in->n_sample; i += TQ_LANES) {
        for (long row = 0; row < 6L * c->nv; row++) {
            store(ret_jacobian + row * in->out_stride + i, splat(0.0));
            if (ret_rate != NULL) {
                store(ret_rate + row * in->out_stride + i, splat(0.0));
            }
        }
        if (w.n == 0) {
            continue;
        }
        place_joints(c, in->q + i, in->stride, st.cs, st.balls);
        walk(c, in, i, &st, &w);
        const milestone *body = &w.stones[w.n - 1];
        const vec arm = mat_mul(&body->at.r, vec_of(point->at));
        milestone tip = *body; /* the point itself */
        tip.at.p = vec_add(body->at.p, arm);
        tip.v = vec_add_cross(body->v, body->w, arm);
        for (int at = 0; at < w.n; at++) {
            put_joint(c, in, point, &w, at, &tip, ret_jacobian + i,
                      ret_rate != NULL ? ret_rate + i : NULL);
        }
    }
}
