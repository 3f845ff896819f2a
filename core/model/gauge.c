/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/gauge.c - canonical form, step 2: joint axes on z, modified-DH frames. */
#include <math.h>
#include <stddef.h>

#include "core/elementary/elementary.h"
#include "core/model/canonical.h"

/* Axes at a smaller angle count as parallel: rounding of the input. */
#define SIN_ZERO 1e-15
/* For nearly parallel axes the common normal is far away, and long lever arms lose digits: beyond
 * this multiple of the joint's offset the frame stays near, and the remaining distance becomes an
 * offset p. */
#define FAR 8.0
/* A length below this fraction of the lengths it was computed from is rounding. */
#define LENGTH_ZERO 1e-15

static double length_of(double x, double scale)
{
    return fabs(x) <= LENGTH_ZERO * scale ? 0.0 : x;
}

/* Modified-DH constants of one joint from its frame `at` (z its axis) in the parent's frame. Its
 * requirements on the parent's frame (own_turn, own_shift) are met for the first child only. */
static void fit_joint(tq_canonical_joint *k, tq_joint_frame_draft *limb, const tq_pose *at)
{
    const double *r = at->r;
    double sa = tq_hypot(r[2], r[5]), ca = r[8], rz[9], p[3];
    sa = sa < SIN_ZERO ? 0.0 : sa;
    ca = sa == 0.0 ? copysign(1.0, ca) : ca;
    if (fabs(ca) < SIN_ZERO) { /* alpha = pi/2 */
        ca = 0.0;
        sa = 1.0;
    }
    const double reach = tq_hypot(at->p[0], at->p[1]);
    double gamma = 0.0;
    if (sa > 0.0) {
        gamma = tq_atan2(r[2], -r[5]);
    } else if (reach > 0.0) {
        gamma = tq_atan2(at->p[1], at->p[0]);
    }
    tq_mat_z(tq_cos(gamma), tq_sin(gamma), rz);
    tq_mat_tvec(rz, at->p, p);
    limb->own_turn = gamma;
    const double scale = reach + fabs(at->p[2]);
    k->a = length_of(p[0], scale);
    if (sa > 0.0 && fabs(p[1]) <= FAR * sa * (reach + fabs(p[2]))) {
        k->d += length_of(-p[1] / sa, scale);
        limb->own_shift = length_of(p[2] + ca * (p[1] / sa), scale);
        limb->across = 0.0;
    } else {
        const double d = p[2] * ca;
        k->d += d;
        limb->own_shift = length_of(p[2] - ca * d, scale);
        limb->across = sa > 0.0 ? p[1] + sa * d : 0.0;
    }
    k->ca = ca;
    k->sa = sa;
    double rx[9], t[9];
    tq_mat_x(ca, sa, rx);
    tq_mat_product(rz, rx, t);
    tq_mat_tproduct(t, r, t);
    k->q0 += tq_atan2(t[3], t[0]);
}

static void fit_ball(tq_canonical_joint *k, const tq_pose *at)
{
    for (int e = 0; e < 9; e++) {
        k->r[e] = at->r[e];
    }
    for (int e = 0; e < 3; e++) {
        k->p[e] = at->p[e];
    }
    k->ca = k->cg = 1.0;
}

/* The parent's frame has been rotated about and displaced along its z for its first child: removes
 * that. */
static void joint_in_parent_frame(tq_canonical_joint *k, const tq_joint_frame_draft *limb,
                                  const tq_joint_frame_draft *parent, _Bool first)
{
    k->q0 += limb->turn;
    k->d += limb->shift;
    k->c0 = tq_cos(k->q0);
    k->s0 = tq_sin(k->q0);
    const double turn = first ? 0.0 : limb->own_turn - (parent != NULL ? parent->turn : 0.0);
    const double shift = first ? 0.0 : limb->own_shift - (parent != NULL ? parent->shift : 0.0);
    double rz[9];
    k->cg = tq_cos(turn);
    k->sg = tq_sin(turn);
    tq_mat_z(k->cg, k->sg, rz);
    const double p[3] = {0.0, limb->across, shift};
    tq_mat_vec(rz, p, k->p);
    k->alpha_is_right = k->ca == 0.0 && k->sa == 1.0;
    k->alpha_is_zero = k->ca == 1.0 && k->sa == 0.0;
    k->has_offset = turn != 0.0 || shift != 0.0 || limb->across != 0.0;
    k->is_simple_revolute = k->kind == TQ_CANONICAL_REVOLUTE && k->parent_is_previous &&
                            !k->has_branch && !k->has_offset && !k->is_mimic && !k->accumulates_tau;
}

static void ball_in_parent_frame(tq_canonical_joint *k, const tq_joint_frame_draft *parent)
{
    if (parent == NULL || k->parent < 0) {
        return;
    }
    double rz[9];
    tq_mat_z(tq_cos(parent->turn), tq_sin(parent->turn), rz);
    k->p[2] -= parent->shift;
    tq_mat_tvec(rz, k->p, k->p);
    tq_mat_tproduct(rz, k->r, k->r);
}

void tq_canonical_gauge(tq_canonical *c, tq_joint_frame_draft *limbs)
{
    for (int32_t i = 0; i < c->n_body; i++) {
        tq_canonical_joint *k = &c->joints[i];
        tq_joint_frame_draft *limb = &limbs[i];
        tq_pose at = limb->at;
        if (k->parent >= 0) {
            const double *z = limbs[k->parent].z;
            tq_mat_tproduct(z, at.r, at.r);
            tq_mat_tvec(z, at.p, at.p);
        }
        if (k->ball >= 0) {
            tq_mat_identity(limb->z);
            fit_ball(k, &at);
        } else {
            tq_mat_third_column(limb->axis, limb->z);
            tq_mat_product(at.r, limb->z, at.r);
            fit_joint(k, limb, &at);
        }
    }
    /* a one-dof body takes the frame required by its first one-dof child */
    for (int32_t i = c->n_body - 1; i >= 0; i--) {
        const int32_t parent = c->joints[i].parent;
        if (parent >= 0 && c->joints[parent].ball < 0 && c->joints[i].ball < 0) {
            limbs[parent].turn = limbs[i].own_turn;
            limbs[parent].shift = limbs[i].own_shift;
        }
    }
    for (int32_t i = 0; i < c->n_body; i++) {
        tq_canonical_joint *k = &c->joints[i];
        const tq_joint_frame_draft *parent = k->parent >= 0 ? &limbs[k->parent] : NULL;
        if (k->ball >= 0) {
            ball_in_parent_frame(k, parent);
        } else {
            const _Bool first = parent != NULL && c->joints[k->parent].ball < 0 &&
                                parent->turn == limbs[i].own_turn &&
                                parent->shift == limbs[i].own_shift;
            joint_in_parent_frame(k, &limbs[i], parent, first);
        }
        double rz[9];
        tq_mat_z(tq_cos(limbs[i].turn), tq_sin(limbs[i].turn), rz);
        tq_mat_product(limbs[i].z, rz, limbs[i].in_user.r);
        for (int e = 0; e < 3; e++) {
            limbs[i].in_user.p[e] = limbs[i].z[3 * e + 2] * limbs[i].shift;
        }
    }
}
