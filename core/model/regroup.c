/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/regroup.c - canonical form, step 3: inertia of the bodies, regrouped to base
 * parameters. */
#include "core/model/canonical.h"
#include "core/model/model.h"

/* Link frames from user to canonical body frames. */
static void settle_links(tq_canonical *c, const tq_joint_frame_draft *limbs)
{
    for (int32_t l = 0; l < c->n_link; l++) {
        tq_canonical_link *link = &c->links[l];
        if (link->body < 0) {
            continue;
        }
        const tq_pose user = tq_pose_inverse(&limbs[link->body].in_user);
        link->in_body = tq_pose_multiply(&user, &link->in_body);
        tq_mat_settle(link->in_body.r);
    }
}

/* Sums the moments of links into their bodies: all they have, or what is carried of them, which has
 * no size. */
static void gather(const tq_model *model, tq_canonical *c, _Bool carried)
{
    static const double point[6] = {0.0};
    for (int32_t i = 0; i < c->n_body; i++) {
        c->bodies[i].moments = (tq_moments){.m = 0.0};
    }
    for (uint32_t l = 0; l < model->n_link; l++) {
        const tq_canonical_link *link = &c->links[l];
        const tq_link *given = &model->links[l];
        if (link->body < 0) {
            continue;
        }
        const tq_inertia *inertia = &given->inertia;
        const tq_moments moments =
            carried ? tq_moments_of(given->carried_mass, given->carried_at, point)
                    : tq_moments_of(inertia->mass, inertia->com, inertia->about_com);
        tq_moments_add(&c->bodies[link->body].moments, &moments, &link->in_body);
    }
}

/* The body frame at q = 0 (prismatic: S does not depend on q) in the parent's frame; for a revolute
 * joint without the rotation about its own axis, under which the moved moments are invariant. */
static tq_pose frame_in_parent(const tq_canonical_joint *k)
{
    tq_pose f;
    double rx[9], rz[9], t[9];
    tq_mat_z(k->cg, k->sg, rz);
    tq_mat_x(k->ca, k->sa, rx);
    tq_mat_product(rz, rx, f.r);
    const double d[3] = {k->a, -k->sa * k->d, k->ca * k->d};
    tq_mat_vec(rz, d, f.p);
    for (int e = 0; e < 3; e++) {
        f.p[e] += k->p[e];
    }
    if (k->kind == TQ_CANONICAL_PRISMATIC) {
        tq_mat_z(k->c0, k->s0, t);
        tq_mat_product(f.r, t, f.r);
    }
    return f;
}

/* Moments of a body that act equally when fixed to the parent: for a revolute joint a mass
 * distribution on its axis (m, h_z, S_zz); for a prismatic one all of S, since a sliding body keeps
 * its orientation. Moved from the leaves to the base these are the regroupings of Gautier & Khalil
 * (1990); tau, M, C and qdd do not change. Constraint wrenches do change: they are computed from
 * bodies[].moments. */
static void regroup(tq_canonical *c)
{
    for (int32_t i = c->n_body - 1; i >= 0; i--) {
        tq_canonical_joint *k = &c->joints[i];
        tq_moments moved = {.m = 0.0};
        if (k->kind == TQ_CANONICAL_REVOLUTE) {
            moved = (tq_moments){.m = k->m, .h = {0.0, 0.0, k->h[2]}, .s[5] = k->s[5]};
            k->m = k->h[2] = k->s[5] = 0.0;
        } else if (k->kind == TQ_CANONICAL_PRISMATIC) {
            for (int e = 0; e < 6; e++) {
                moved.s[e] = k->s[e];
                k->s[e] = 0.0;
            }
        }
        if (k->parent >= 0 && k->ball < 0) {
            tq_canonical_joint *to = &c->joints[k->parent];
            tq_moments sum = {.m = to->m};
            __builtin_memcpy(sum.h, to->h, sizeof sum.h);
            __builtin_memcpy(sum.s, to->s, sizeof sum.s);
            const tq_pose f = frame_in_parent(k);
            tq_moments_add(&sum, &moved, &f);
            to->m = sum.m;
            __builtin_memcpy(to->h, sum.h, sizeof sum.h);
            __builtin_memcpy(to->s, sum.s, sizeof sum.s);
        }
    }
}

/* regrouped, from the moments of the bodies */
static void fill_inertia(tq_canonical *c)
{
    for (int32_t i = 0; i < c->n_body; i++) {
        tq_canonical_joint *k = &c->joints[i];
        k->m = c->bodies[i].moments.m;
        __builtin_memcpy(k->h, c->bodies[i].moments.h, sizeof k->h);
        __builtin_memcpy(k->s, c->bodies[i].moments.s, sizeof k->s);
        k->scale_turn = 2.0 * (k->s[0] + k->s[3] + k->s[5]); /* trace of the tensor */
        k->scale_slide = k->m;
    }
    regroup(c);
    for (int32_t i = 0; i < c->n_body; i++) {
        tq_canonical_joint *k = &c->joints[i];
        tq_moments_tensor(k->s, k->tensor);
        k->subtree_mass = k->m;
    }
    for (int32_t i = c->n_body - 1; i >= 0; i--) {
        if (c->joints[i].parent >= 0) {
            c->joints[c->joints[i].parent].subtree_mass += c->joints[i].subtree_mass;
        }
    }
}

void tq_canonical_inertia(const tq_model *model, tq_canonical *c, const tq_joint_frame_draft *limbs)
{
    settle_links(c, limbs);
    gather(model, c, 0);
    fill_inertia(c);
}

void tq_canonical_carried(const tq_model *model, tq_canonical *c)
{
    gather(model, c, 1);
    fill_inertia(c);
}
