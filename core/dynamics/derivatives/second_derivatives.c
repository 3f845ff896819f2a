/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/second_derivatives.c - second derivatives of rigid bodies by
 * composites, in world axes about the world origin, and of the joints' own torques. */
#include "core/dynamics/derivatives/second_derivatives.h"

#include <string.h>

#include "core/dynamics/ball_terms.h"
#include "core/dynamics/derivatives/derivatives.h"
#include "core/dynamics/derivatives/second_drag.h"
#include "core/dynamics/derivatives/second_wrenches.h"
#include "core/dynamics/derivatives/subtrees.h"
#include "core/dynamics/derivatives/triples.h"
#include "core/dynamics/lagrangian.h"
#include "core/dynamics/passive/compensation.h"
#include "core/dynamics/passive/tendons.h"
#include "core/dynamics/terms.h"
#include "core/spatial/screw.h"

typedef struct bodies {
    const tq_configuration *at;
    tq_subtrees subtrees;
} bodies;

/* Of the subtree of dof d; see tq_inverse_second_derivatives. */
typedef struct deepest {
    double n[36], l[36], k[36];
    double row[6];   /* I S */
    double b_row[6]; /* 2 B^T S */
    double moved[6]; /* I Y + 2 B P + S x* F: of the subtree's force by q */
    double sped[6];  /* I R + 2 B S: by qd */
} deepest;

size_t tq_second_derivatives_scratch_size(const tq_model *model)
{
    const size_t drag = tq_second_drag_scratch_size(model);
    const size_t tendons = tq_tendons_second_scratch_size(model);
    return tq_subtrees_scratch_size(model) + tq_branches_scratch_size(model) +
           (drag > tendons ? drag : tendons);
}

/* S x* A - A S x, of a symmetric or a general A */
static void turned(const double s[6], const double a[36], double ret[36])
{
    double column[6], rate[6];
    for (unsigned j = 0; j < 6; j++) {
        for (unsigned i = 0; i < 6; i++) {
            column[i] = a[6 * i + j];
        }
        tq_wrench_cross(s, column, rate);
        for (unsigned i = 0; i < 6; i++) {
            ret[6 * i + j] = rate[i];
        }
    }
    for (unsigned i = 0; i < 6; i++) { /* -y^T (S x) = (S x* y)^T */
        tq_wrench_cross(s, a + 6 * (size_t)i, rate);
        for (unsigned j = 0; j < 6; j++) {
            ret[6 * i + j] += rate[j];
        }
    }
}

static void add36(const double *a, double *to)
{
    for (unsigned k = 0; k < 36; k++) {
        to[k] += a[k];
    }
}

static void begin(const void *context, void *room, size_t d)
{
    const bodies *b = context;
    deepest *ret = room;
    const tq_freedom *freedom = &b->at->freedom[d];
    const tq_displacement *left = &b->subtrees.left[d];
    const tq_subtree *sum = &b->subtrees.sum[b->at->model->joints[freedom->joint].child];
    const double *s = freedom->screw;
    double part[36], wrench[6];
    turned(s, sum->inertia, ret->n);
    tq_apply6(sum->inertia, s, ret->row);
    tq_momentum_cross(ret->row, ret->l);
    add36(ret->n, ret->l);
    turned(s, sum->twice_b, ret->k);
    turned(left->p, sum->inertia, part);
    add36(part, ret->k);
    tq_apply6(sum->inertia, left->p, wrench);
    tq_momentum_cross(wrench, part);
    add36(part, ret->k);
    memset(ret->b_row, 0, sizeof ret->b_row);
    for (unsigned i = 0; i < 6; i++) {
        tq_axpy6(s[i], sum->twice_b + 6 * (size_t)i, ret->b_row);
    }
    tq_apply6(sum->inertia, left->y, ret->moved);
    tq_apply6(sum->twice_b, left->p, wrench);
    tq_axpy6(1.0, wrench, ret->moved);
    tq_wrench_cross(s, sum->force, wrench);
    tq_axpy6(1.0, wrench, ret->moved);
    tq_apply6(sum->inertia, left->r, ret->sped);
    tq_apply6(sum->twice_b, s, wrench);
    tq_axpy6(1.0, wrench, ret->sped);
}

/* a + b, or a + the cross product of s with b */
static void sum_of(const double a[6], const double b[6], double ret[6])
{
    for (unsigned k = 0; k < 6; k++) {
        ret[k] = a[k] + b[k];
    }
}

static void plus_turned(const double a[6], const double s[6], const double b[6], double ret[6])
{
    double rate[6];
    tq_wrench_cross(s, b, rate);
    sum_of(a, rate, ret);
}

static void minus(double x[6])
{
    for (unsigned k = 0; k < 6; k++) {
        x[k] = -x[k];
    }
}

/* Turned axes move S_i by -S_e x S_i and so on, and w . (A x B) = -(A x* w) . B. */
static void fill(const void *context, const void *room, size_t d, size_t e, bool mates,
                 tq_pair *ret)
{
    const bodies *b = context;
    const deepest *at = room;
    const double *s = b->at->freedom[e].screw;
    const tq_displacement *left = &b->subtrees.left[e];
    double n_y[6], n_r[6], k_p[6], k_s[6], l_s[6], turn[6];
    tq_apply6(at->n, left->y, n_y);
    tq_apply6(at->n, left->r, n_r);
    tq_apply6(at->k, left->p, k_p);
    tq_apply6(at->k, s, k_s);
    tq_apply6(at->l, s, l_s);
    tq_apply6(at->n, s, ret->of_dqdd_dq);
    tq_apply6(at->l, left->p, ret->of_dqd_dq);
    sum_of(n_y, k_p, ret->of_dq_dq);
    sum_of(n_r, k_s, ret->of_dq_dqd);
    plus_turned(ret->of_dq_dq, s, at->moved, ret->of_above_dq_dq);
    plus_turned(ret->of_dqd_dq, s, at->sped, ret->of_above_dqd_dq);
    memcpy(ret->of_dqd_dqd, l_s, sizeof l_s);
    tq_wrench_cross(s, at->row, ret->own_dqdd_dq);
    minus(ret->own_dqdd_dq);
    memcpy(ret->own_dqd_dqd, l_s, sizeof l_s);
    minus(ret->own_dqd_dqd);
    memcpy(ret->own_mates_dqd_dqd, ret->of_dqdd_dq, sizeof ret->own_mates_dqd_dqd);
    minus(ret->own_mates_dqd_dqd);
    if (mates) { /* without I (S_e x S_d): axes of mates do not move by each other's rates */
        const tq_freedom *deep = &b->at->freedom[d];
        double lost[6];
        tq_screw_cross(s, deep->screw, turn);
        tq_apply6(b->subtrees.sum[b->at->model->joints[deep->joint].child].inertia, turn, lost);
        tq_axpy6(-1.0, lost, ret->of_dqd_dqd);
    }
    memcpy(ret->own_dq_dq_p, ret->of_dqd_dq, sizeof ret->own_dq_dq_p);
    minus(ret->own_dq_dq_p);
    memcpy(ret->own_dqd_dq, ret->own_dq_dq_p, sizeof ret->own_dqd_dq);
    tq_wrench_cross(left->y, at->row, ret->own_dq_dq_s);
    plus_turned(ret->own_dq_dq_s, left->p, at->b_row, ret->own_dq_dq_s);
    minus(ret->own_dq_dq_s);
    tq_wrench_cross(left->r, at->row, ret->own_dq_dqd_s);
    plus_turned(ret->own_dq_dqd_s, s, at->b_row, ret->own_dq_dqd_s);
    minus(ret->own_dq_dqd_s);
    memcpy(ret->own_dq_dqd_p, l_s, sizeof l_s);
    minus(ret->own_dq_dqd_p);
}

static void add_bodies(const tq_branches *branches, const tq_subtrees *subtrees, bool moves,
                       const tq_second_derivatives *ret)
{
    const bodies all = {.at = branches->at, .subtrees = *subtrees};
    deepest room;
    const tq_triples_of of = {.context = &all,
                              .p = subtrees->left[0].p,
                              .step = sizeof subtrees->left[0] / sizeof(double),
                              .room = &room,
                              .begin = begin,
                              .fill = fill};
    const tq_second_derivatives still = {.dq_dq = ret->dq_dq, .dqdd_dq = ret->dqdd_dq};
    tq_triples_add(branches, &of, moves ? ret : &still);
}

/* Friction of one-dof joints; their springs are linear. */
static void add_friction(const tq_model *model, const double *qd, double *dqd_dqd)
{
    const size_t nv = model->nv;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (tq_joint_kind_nv(joint->kind) == 1) {
            const double factor = joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0;
            const size_t v = joint->v_index;
            dqd_dqd[(v * nv + v) * nv + v] +=
                factor * factor * factor *
                tq_friction_curvature(&joint->friction, qd != NULL ? factor * qd[v] : 0.0);
        }
    }
}

static tq_status add_all(const tq_branches *branches, const tq_sample *sample, tq_subtrees *w,
                         tq_scratch *scratch, const tq_second_derivatives *ret, tq_error *reterr)
{
    const tq_configuration *posture = branches->at;
    const tq_model *model = posture->model;
    const bool springs = (sample->without & TQ_WITHOUT_SPRING) == 0;
    const bool friction = (sample->without & TQ_WITHOUT_FRICTION) == 0;
    tq_sample rigid = tq_subtrees_rigid(sample);
    for (size_t n = 0; n < rigid.n_wrench; n++) { /* these do not turn with their subtree: apart */
        if (rigid.wrenches[n].expressed_in == TQ_FRAME_WORLD) {
            tq_second_add_wrench(branches, &rigid.wrenches[n], ret->dq_dq);
        }
    }
    for (uint32_t l = 0; l < model->n_link && (sample->without & TQ_WITHOUT_GRAVITY) == 0; l++) {
        if (model->links[l].gravity_compensation != 0.0) {
            tq_point_wrench one = {.link = l, .expressed_in = TQ_FRAME_WORLD};
            memcpy(one.at, model->links[l].carried_at, sizeof one.at);
            tq_compensation_wrench(model, l, sample->gravity, one.value);
            tq_second_add_wrench(branches, &one, ret->dq_dq);
        }
    }
    tq_subtrees_accelerate(posture, rigid.qd, rigid.qdd, rigid.gravity, w->acceleration);
    tq_subtrees_sum(posture, &rigid, false, w);
    tq_subtrees_displace(posture, &rigid, w);
    add_bodies(branches, w, (sample->without & TQ_WITHOUT_VELOCITY) == 0, ret);
    if (friction) {
        add_friction(model, sample->qd, ret->dqd_dqd);
    }
    tq_ball_add_second_derivatives(model, tq_ball_terms_left(sample->without), sample->q,
                                   ret->dq_dq, ret->dqd_dqd);
    const tq_path_sample at = {.stride = 1, .q = sample->q, .qd = sample->qd};
    tq_status status = tq_tendons_add_second(model, springs, friction, &at, scratch, ret, reterr);
    if (status == TQ_OK && (sample->without & TQ_WITHOUT_DRAG) == 0) {
        status = tq_second_add_drag(branches, sample->q, sample->qd, scratch, ret, reterr);
    }
    return status;
}

tq_status tq_inverse_second_derivatives(const tq_configuration *posture, const tq_sample *sample,
                                        tq_scratch *scratch, const tq_second_derivatives *ret,
                                        tq_error *reterr)
{
    const tq_model *model = posture->model;
    const size_t size = (size_t)model->nv * model->nv * model->nv * sizeof(double);
    const size_t mark = tq_scratch_mark(scratch);
    tq_subtrees w;
    tq_branches branches;
    if (!tq_subtrees_take(posture, scratch, &w) || !tq_branches_take(posture, scratch, &branches)) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_second_derivatives_scratch_size(model));
    }
    if (model->nv == 0) {
        tq_scratch_rewind(scratch, mark);
        return TQ_OK;
    }
    memset(ret->dq_dq, 0, size);
    memset(ret->dqd_dqd, 0, size);
    memset(ret->dqd_dq, 0, size);
    memset(ret->dqdd_dq, 0, size);
    const tq_status status = add_all(&branches, sample, &w, scratch, ret, reterr);
    tq_scratch_rewind(scratch, mark);
    return status;
}
