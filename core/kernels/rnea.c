/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/rnea.c - inverse dynamics by the recursive Newton-Euler algorithm. */
#include "core/kernels/outward.h"
#include "core/kernels/symbols.h"

/* Luh, Walker & Paul 1980; in body frames: Featherstone 2008, table 5.1. Outward: motion and loads;
 * inward: each joint's wrench is its body's load plus its children's wrenches, and its torque is
 * the component along the joint. */
static void inward(const tq_canonical *c, const tq_kernel_input *in, long i, const state *st,
                   double *tau)
{
    const long stride = in->stride;
    wrench r = wrench_zero();
    for (int b = c->n_body - 1; b >= 0; b--) {
        const tq_canonical_joint *k = &c->joints[b];
        wrench f = st->loads[b];
        if (k->hang) {
            f = wrench_add(f, r);
        }
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
        if (k->ball >= 0) {
            r = inward_ball(k, &st->balls[k->ball], f);
        } else {
            const turn t = joint_turn(k, &st->cs[b]);
            const real d = joint_travel(k, in->q + i, stride);
            r = k->square ? inward_single(k, turn_known(t, 1), d, f)
                          : inward_single(k, turn_known(t, 0), d, f);
        }
        if (!k->carry) {
            st->loads[k->parent] = wrench_add(st->loads[k->parent], r);
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
        outward(c, in, i, &st);
        inward(c, in, i, &st, ret_tau);
    }
}
