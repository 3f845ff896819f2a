/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/aba.h - forward dynamics by the articulated-body algorithm (ABA): body of aba.c and
 * aba_varied.c. */
#ifndef TQ_KERNELS_ABA_H
#define TQ_KERNELS_ABA_H

#include "core/kernels/joint_elimination.h"
#include "core/kernels/outward.h"
#include "core/kernels/symbols.h"

/* Featherstone, The calculation of robot dynamics using articulated-body inertias, IJRR 2(1), 1983.
 * Two halves: bias wrenches at qdd = 0 by the outward pass of RNEA, then M qdd = tau - tau(qdd = 0)
 * by the articulated-body recursion, which contains no velocity. Not for robots with mimic joints.
 */
typedef struct sweep {
    state st;
    articulated *sums; /* of bodies with has_branch */
    gain *gains;
    vec (*saved)[2]; /* angular, linear acceleration */
    ball_gain *ball_gains;
    tq_kernel_fault *fault;
} sweep;

/* Rare: D is too small or not finite in some lane. Finds the first such sample; lanes after the
 * last sample hold arbitrary values. */
static __attribute__((noinline)) void note_fault(const tq_kernel_input *in, long i, real_mask weak,
                                                 real d, int body, tq_kernel_fault *fault)
{
    double lanes[TQ_LANES];
    store(lanes, d);
    for (int lane = 0; lane < TQ_LANES && i + lane < in->n_sample; lane++) {
        const _Bool sooner = fault->sample < 0 || i + lane < fault->sample;
        if ((weak >> lane & 1) != 0 && sooner) {
            *fault = (tq_kernel_fault){i + lane, body, !(lanes[lane] - lanes[lane] == 0.0)};
        }
    }
}

TQ_INLINE articulated own_inertia(const tq_canonical_joint *k, const body_moments *own,
                                  const articulated *beyond, const articulated *sum)
{
    if (!k->next_is_child && !k->has_branch) {
        return articulated_of(own);
    }
    articulated a = !k->has_branch     ? *beyond
                    : k->next_is_child ? articulated_add(*beyond, *sum)
                                       : *sum;
    if (k->kind == TQ_CANONICAL_REVOLUTE) {
        articulated_add_line(&a, own);
        return a;
    }
    return articulated_add(a, articulated_of(own));
}

/* Eliminates the joint of body b; *a and *f become the articulated inertia and bias wrench that its
 * parent carries, about b's origin. */
TQ_INLINE void eliminate_joint(const tq_canonical_joint *k, const body_moments *own,
                               const tq_kernel_input *in, long i, sweep *w, int b, articulated *a,
                               wrench *f)
{
    const long stride = in->stride;
    const double *at = in->tau + k->v_row * stride + i;
    const real rotor = splat(k->rotor * in->rotors);
    real d = splat(0.0);
    real_mask weak = 0;
    if (k->kind == TQ_CANONICAL_REVOLUTE) {
        d = a->j.zz + rotor;
        weak = weak_turn(d, &a->j, own);
    } else if (k->kind == TQ_CANONICAL_PRISMATIC) {
        d = a->m.zz + rotor;
        weak = weak_slide(d, &a->m, own);
    }
    if (k->kind == TQ_CANONICAL_FLOATING) {
        const wrench tau = {vec_load(at, stride), vec_load(at + 3 * stride, stride)};
        d = a->j.xx + a->m.xx;
        w->ball_gains[k->ball] = project_floating(own, a, f, &tau, &weak);
        *f = tau;
    } else if (k->kind == TQ_CANONICAL_SPHERICAL) {
        d = a->j.xx;
        w->ball_gains[k->ball] = project_spherical(own, a, f, vec_load(at, stride), &weak);
    } else if (k->rotor != 0.0) {
        w->gains[b] = project_geared(a, f, load(at), k->kind == TQ_CANONICAL_REVOLUTE, rotor);
    } else if (k->kind == TQ_CANONICAL_REVOLUTE) {
        w->gains[b] = project_revolute(a, f, load(at));
    } else {
        w->gains[b] = project_prismatic(a, f, load(at));
    }
    if (__builtin_expect(weak != 0, 0)) {
        note_fault(in, i, weak, d, b, w->fault);
    }
}

static void inward(const tq_canonical *c, const tq_kernel_input *in, long i, sweep *w)
{
    articulated a = articulated_zero();
    wrench r = wrench_zero();
    for (int b = 0; b < c->n_body; b++) {
        if (c->joints[b].has_branch) {
            w->sums[b] = articulated_zero();
        }
    }
    for (int b = c->n_body - 1; b >= 0; b--) {
        const tq_canonical_joint *k = &c->joints[b];
        wrench f = k->next_is_child ? wrench_add(w->st.loads[b], r) : w->st.loads[b];
        body_moments room;
        const body_moments *own = moments_of(k, in, b, i, &room);
        a = own_inertia(k, own, &a, &w->sums[b]);
        eliminate_joint(k, own, in, i, w, b, &a, &f);
        if (k->parent < 0) {
            continue;
        }
        if (k->ball >= 0) {
            const ball *at = &w->st.balls[k->ball];
            r = inward_ball(k, at, f);
            a = k->kind == TQ_CANONICAL_FLOATING ? articulated_zero()
                                                 : articulated_inward_spherical(k, at, a.m);
        } else {
            const turn t = joint_turn(k, &w->st.cs[b]);
            const real d = joint_travel(k, in->q + i, in->stride);
            const _Bool line = k->kind == TQ_CANONICAL_REVOLUTE && k->rotor == 0.0;
            if (line && k->alpha_is_right) { /* the most frequent joint */
                r = inward_single(k, turn_known(t, 1), d, f);
                a = articulated_inward_line(k, turn_known(t, 1), d, a);
            } else {
                r = inward_single(k, t, d, f);
                a = line ? articulated_inward_line(k, t, d, a) : articulated_inward(k, t, d, a);
            }
            a = k->has_offset ? articulated_inward_pre(k, a) : a;
        }
        if (!k->parent_is_previous) {
            w->st.loads[k->parent] = wrench_add(w->st.loads[k->parent], r);
            w->sums[k->parent] = articulated_add(w->sums[k->parent], a);
        }
    }
}

/* qdd of a one-dof joint; (al, a) goes from the parent's acceleration to the body's */
TQ_INLINE real accelerate(const tq_canonical_joint *k, turn t, real d, const gain *g, vec *al,
                          vec *a)
{
    if (k->parent >= 0) {
        if (k->has_offset) {
            *a = z_in(k->cg, k->sg, vec_add_cross(*a, *al, vec_of(k->p)));
            *al = z_in(k->cg, k->sg, *al);
        }
        a->y = tq_fmac(k->a, al->z, a->y);
        a->z = tq_fnmac(k->a, al->y, a->z);
        *al = turn_in(t, *al);
        *a = turn_in(t, *a);
        a->x = tq_fma(d, al->y, a->x);
        a->y = tq_fnma(d, al->x, a->y);
    }
    real qdd = g->u;
    if (k->parent >= 0) {
        qdd = qdd - (vec_dot(g->n, *al) + vec_dot(g->f, *a));
    }
    if (k->kind == TQ_CANONICAL_REVOLUTE) {
        al->z = al->z + qdd;
    } else {
        a->z = a->z + qdd;
    }
    return qdd;
}

TQ_INLINE void accelerate_ball(const tq_canonical_joint *k, const ball *at, const ball_gain *g,
                               vec *al, vec *a, double *qdd, long stride)
{
    const mat fixed = mat_of(k->r);
    vec lever = vec_of(k->p);
    if (k->kind == TQ_CANONICAL_FLOATING) {
        lever = vec_add(lever, mat_mul(&fixed, at->x));
    }
    *a = mat_tmul(&at->r, mat_tmul(&fixed, vec_add_cross(*a, *al, lever)));
    *al = mat_tmul(&at->r, mat_tmul(&fixed, *al));
    if (k->kind == TQ_CANONICAL_FLOATING) {
        vec_store(qdd, stride, vec_sub(g->a, *a));
        vec_store(qdd + 3 * stride, stride, vec_sub(g->al, *al));
        *a = g->a;
        *al = g->al;
    } else {
        const vec total = vec_sub(g->al, mat_mul(&g->g, *a));
        vec_store(qdd, stride, vec_sub(total, *al));
        *al = total;
    }
}

static void acceleration_pass(const tq_canonical *c, const tq_kernel_input *in, long i, sweep *w,
                              double *qdd)
{
    const long stride = in->stride;
    vec al = vec_zero(), a = vec_zero();
    for (int b = 0; b < c->n_body; b++) {
        const tq_canonical_joint *k = &c->joints[b];
        double *at = qdd + k->v_row * stride + i;
        if (k->parent < 0) {
            al = a = vec_zero();
        } else if (!k->parent_is_previous) {
            al = w->saved[k->parent][0];
            a = w->saved[k->parent][1];
        }
        if (k->ball >= 0) {
            accelerate_ball(k, &w->st.balls[k->ball], &w->ball_gains[k->ball], &al, &a, at, stride);
        } else {
            const turn t = joint_turn(k, &w->st.cs[b]);
            const real d = joint_travel(k, in->q + i, stride);
            const gain *g = &w->gains[b];
            store(at, k->alpha_is_right ? accelerate(k, turn_known(t, 1), d, g, &al, &a)
                                        : accelerate(k, t, d, g, &al, &a));
        }
        if (k->has_branch) {
            w->saved[b][0] = al;
            w->saved[b][1] = a;
        }
    }
}

TQ_INLINE void forward(const tq_canonical *c, const tq_kernel_input *in, double *work,
                       double *ret_qdd, tq_kernel_fault *ret_fault)
{
    real *rest;
    *ret_fault = (tq_kernel_fault){.sample = -1};
    sweep w = {.st = state_in(c, work, &rest), .fault = ret_fault};
    w.sums = (void *)rest;
    w.gains = (void *)(rest + 21L * c->n_body);
    w.saved = (void *)(rest + 28L * c->n_body);
    w.ball_gains = (void *)(rest + 34L * c->n_body);
    for (long i = 0; i < in->n_sample; i += TQ_LANES) {
        place_joints(c, in->q + i, in->stride, w.st.cs, w.st.balls);
        outward(c, in, NULL, i, &w.st);
        inward(c, in, i, &w);
        acceleration_pass(c, in, i, &w, ret_qdd);
    }
}

#endif
