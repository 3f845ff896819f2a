/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/rnea.c - inverse dynamics by the recursive Newton-Euler algorithm (RNEA). */
#include "core/kernels/outward.h"
#include "core/kernels/symbols.h"

/* Wrench of a child in its parent's axes, n about the point (a, 0, 0) of the parent. */
typedef struct child_wrench {
    wrench r;
    double a;
} child_wrench;

/* f = f_body + f_child; n = n_body + n_child + p x f with p = (a, 0, d), where d = 0 omits its
 * lever. Terms without n_child first: n_child is the loop-carried dependency (one addition and one
 * rotation per joint). */
TQ_INLINE wrench wrench_at_origin(wrench load, const child_wrench *child, real d)
{
    const wrench r = child->r;
    load.n.y = tq_fnmac(child->a, r.f.z, load.n.y);
    load.n.z = tq_fmac(child->a, r.f.y, load.n.z);
    load.f = vec_add(load.f, r.f);
    load.n.x = tq_fnma(d, load.f.y, load.n.x);
    load.n.y = tq_fma(d, load.f.x, load.n.y);
    load.n = vec_add(load.n, r.n);
    return load;
}

TQ_INLINE child_wrench wrench_to_parent(const tq_canonical_joint *k, turn t, wrench f)
{
    return (child_wrench){{turn_out(t, f.f), turn_out(t, f.n)}, k->a};
}

/* Luh, Walker & Paul 1980; in body frames: Featherstone 2008, table 5.1. Inward: the wrench of a
 * joint is its body's load plus its children's wrenches; its torque is the component along the
 * axis. */
static void inward(const tq_canonical *c, const tq_kernel_input *in, long i, const state *st,
                   double *tau)
{
    const long stride = in->stride;
    child_wrench r = {wrench_zero(), 0.0};
    for (int b = c->n_body - 1; b >= 0; b--) {
        const tq_canonical_joint *k = &c->joints[b];
        if (!k->next_is_child) {
            r = (child_wrench){wrench_zero(), 0.0};
        }
        if (k->is_simple_revolute) {
            const turn t = joint_turn(k, &st->cs[b]);
            const wrench f = wrench_at_origin(st->loads[b], &r, splat(k->d));
            store(tau + k->v_row * stride + i, f.n.z);
            r = k->alpha_is_right  ? wrench_to_parent(k, turn_known(t, 1), f)
                : k->alpha_is_zero ? wrench_to_parent(k, turn_level(t), f)
                                   : wrench_to_parent(k, t, f);
            continue;
        }
        const wrench f = wrench_at_origin(st->loads[b], &r, splat(0.0));
        if (k->ball >= 0) {
            double *at = tau + k->v_row * stride + i;
            if (k->kind == TQ_CANONICAL_FLOATING) {
                vec_store(at, stride, f.f);
                at += 3 * stride;
            }
            vec_store(at, stride, f.n);
        } else {
            put_effort(k, tau + i, stride, k->kind == TQ_CANONICAL_REVOLUTE ? f.n.z : f.f.z);
        }
        if (k->parent < 0) {
            continue;
        }
        r.a = 0.0;
        if (k->ball >= 0) {
            r.r = inward_ball(k, &st->balls[k->ball], f);
        } else {
            const turn t = joint_turn(k, &st->cs[b]);
            const real d = joint_travel(k, in->q + i, stride);
            r.r = k->alpha_is_right ? inward_single(k, turn_known(t, 1), d, f)
                                    : inward_single(k, t, d, f);
        }
        if (!k->parent_is_previous) {
            st->loads[k->parent] = wrench_add(st->loads[k->parent], r.r);
        }
    }
}

void TQ_KERNEL(tq_rnea)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                        double *ret_tau)
{
    real *rest;
    state st = state_in(c, work, &rest);
    for (long i = 0; i < in->n_sample; i += TQ_LANES) {
        place_joints(c, in->q + i, in->stride, st.cs, st.balls);
        outward(c, in, in->qdd, i, &st);
        inward(c, in, i, &st, ret_tau);
    }
}
