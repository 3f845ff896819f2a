/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/derivatives.c - analytic derivatives by composites, in world axes about
 * the world origin. */
#include "core/dynamics/derivatives/derivatives.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/dynamics/ball_terms.h"
#include "core/dynamics/derivatives/carries.h"
#include "core/dynamics/derivatives/drag_derivatives.h"
#include "core/dynamics/derivatives/subtrees.h"
#include "core/dynamics/lagrangian.h"
#include "core/dynamics/mass_matrix/mass_matrix_inverse.h"
#include "core/dynamics/passive/compensation.h"
#include "core/dynamics/passive/tendons.h"
#include "core/dynamics/terms.h"
#include "core/model/inertia.h"
#include "core/spatial/screw.h"

size_t tq_derivatives_scratch_size(const tq_model *model)
{
    return tq_subtrees_scratch_size(model) + tq_drag_derivatives_scratch_size(model) +
           tq_tendons_derivatives_scratch_size(model) + tq_compensation_scratch_size(model);
}

static tq_status short_of_scratch(const tq_configuration *p, tq_error *reterr)
{
    return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                   (double)tq_derivatives_scratch_size(p->model));
}

/* I x + B y, I symmetric 6x6, B general 6x6 */
static void apply_both(const double *inertia, const double *x, const double *twice_b,
                       const double *y, double ret[6])
{
    double part[6];
    tq_apply6(inertia, x, ret);
    tq_apply6(twice_b, y, part);
    tq_axpy6(1.0, part, ret);
}

/* y^T A, A 6x6 */
static void apply_left(const double *y, const double *a, double ret[6])
{
    memset(ret, 0, 6 * sizeof(double));
    for (unsigned i = 0; i < 6; i++) {
        tq_axpy6(y[i], a + 6 * i, ret);
    }
}

static uint32_t parent_joint(const tq_model *model, uint32_t number)
{
    return model->links[model->joints[number].parent].joint;
}

/* all pairs of dof f with the dofs of its own joint and of its ancestors */
static void add_pairs(const tq_configuration *p, const tq_subtrees *w, size_t f, double *dq,
                      double *dqd)
{
    const tq_model *model = p->model;
    const size_t nv = model->nv;
    const tq_freedom *deep = &p->freedom[f];
    const tq_joint *joint = &model->joints[deep->joint];
    const uint32_t own_number = (uint32_t)(f - p->first[deep->joint]);
    const tq_subtree *c = &w->sum[joint->child];
    double by_q[6], by_qd[6], turned[6], inertia_row[6], b_row[6];
    apply_both(c->inertia, w->left[f].y, c->twice_b, w->left[f].p, by_q);
    apply_both(c->inertia, w->left[f].r, c->twice_b, deep->screw, by_qd);
    tq_wrench_cross(deep->screw, c->force, turned);
    tq_apply6(c->inertia, deep->screw, inertia_row);
    apply_left(deep->screw, c->twice_b, b_row);
    for (uint32_t n = deep->joint; n != TQ_NONE; n = parent_joint(model, n)) {
        const bool same = n == deep->joint;
        for (uint32_t k = 0; k < p->count[n]; k++) {
            const size_t g = p->first[n] + k;
            const tq_freedom *up = &p->freedom[g];
            const double scale = deep->factor * up->factor;
            const size_t there = up->row * nv + deep->row, back = deep->row * nv + up->row;
            double value = tq_dot6(up->screw, by_q);
            if (!same || !tq_freedom_carries(joint, own_number, k)) {
                value += tq_dot6(up->screw, turned);
            }
            dq[there] += scale * value;
            dqd[there] += scale * tq_dot6(up->screw, by_qd);
            if (!same) {
                dq[back] +=
                    scale * (tq_dot6(inertia_row, w->left[g].y) + tq_dot6(b_row, w->left[g].p));
                dqd[back] +=
                    scale * (tq_dot6(inertia_row, w->left[g].r) + tq_dot6(b_row, up->screw));
            }
        }
    }
}

/* Correction for a wrench in world axes: its force does not rotate with the link, as add_pairs
 * assumes, while its point moves. */
static void unturn_wrench(const tq_configuration *p, const tq_point_wrench *wrench, double *dq)
{
    const tq_model *model = p->model;
    const tq_pose *pose = &p->pose[wrench->link];
    double world[6];
    double point[3];
    tq_sample_world_wrench(p, wrench, world);
    tq_mat_vec(pose->r, wrench->at, point);
    for (unsigned k = 0; k < 3; k++) {
        point[k] += pose->p[k];
    }
    for (uint32_t n = model->links[wrench->link].joint; n != TQ_NONE; n = parent_joint(model, n)) {
        for (uint32_t k = 0; k < p->count[n]; k++) {
            const tq_freedom *freedom = &p->freedom[p->first[n] + k];
            double wrong[6];
            double shift[3];
            double lever[3];
            tq_wrench_cross(freedom->screw, world, wrong);
            tq_vec_cross(freedom->screw + 3, point, shift);
            for (unsigned e = 0; e < 3; e++) {
                shift[e] += freedom->screw[e];
            }
            tq_vec_cross(shift, world, lever);
            for (unsigned e = 0; e < 3; e++) {
                wrong[3 + e] -= lever[e];
            }
            for (uint32_t m = model->links[wrench->link].joint; m != TQ_NONE;
                 m = parent_joint(model, m)) {
                for (uint32_t e = 0; e < p->count[m]; e++) {
                    const tq_freedom *row = &p->freedom[p->first[m] + e];
                    dq[row->row * model->nv + freedom->row] +=
                        row->factor * freedom->factor * tq_dot6(row->screw, wrong);
                }
            }
        }
    }
}

unsigned tq_ball_terms_left(unsigned without)
{
    const bool still = (without & (TQ_WITHOUT_ROTOR | TQ_WITHOUT_VELOCITY)) != 0;
    return ((without & TQ_WITHOUT_FRICTION) != 0 ? 0 : TQ_BALL_DAMPER) |
           ((without & TQ_WITHOUT_SPRING) != 0 ? 0 : TQ_BALL_SPRING) |
           (still ? 0 : TQ_BALL_INERTIA);
}

/* springs and friction of one-dof joints */
static void add_joint_efforts(const tq_model *model, const tq_sample *sample, double *dq,
                              double *dqd)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (tq_joint_kind_nv(joint->kind) != 1) {
            continue;
        }
        const double factor = joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0;
        const size_t diagonal = (size_t)joint->v_index * model->nv + joint->v_index;
        const double rate = sample->qd != NULL ? factor * sample->qd[joint->v_index] : 0.0;
        if ((sample->without & TQ_WITHOUT_SPRING) == 0) {
            dq[diagonal] += factor * factor * joint->spring.stiffness;
        }
        if ((sample->without & TQ_WITHOUT_FRICTION) == 0) {
            dqd[diagonal] += factor * factor * tq_friction_slope(&joint->friction, rate);
        }
    }
}

tq_status tq_inverse_derivatives(const tq_configuration *posture, const tq_sample *sample,
                                 tq_scratch *scratch, double *ret_dq, double *ret_dqd,
                                 tq_error *reterr)
{
    const tq_model *model = posture->model;
    const size_t mark = tq_scratch_mark(scratch);
    const unsigned without = sample->without;
    tq_subtrees w;
    if (!tq_subtrees_take(posture, scratch, &w)) {
        return short_of_scratch(posture, reterr);
    }
    /* friction keeps its velocity */
    const tq_sample rigid = tq_subtrees_rigid(sample);
    memset(ret_dq, 0, (size_t)model->nv * model->nv * sizeof(double));
    memset(ret_dqd, 0, (size_t)model->nv * model->nv * sizeof(double));
    tq_subtrees_accelerate(posture, rigid.qd, rigid.qdd, rigid.gravity, w.acceleration);
    tq_subtrees_sum(posture, &rigid, true, &w);
    tq_subtrees_displace(posture, &rigid, &w);
    for (size_t f = 0; f < posture->n_freedom; f++) {
        add_pairs(posture, &w, f, ret_dq, ret_dqd);
    }
    for (size_t n = 0; n < rigid.n_wrench; n++) {
        if (rigid.wrenches[n].expressed_in == TQ_FRAME_WORLD) {
            unturn_wrench(posture, &rigid.wrenches[n], ret_dq);
        }
    }
    add_joint_efforts(model, sample, ret_dq, ret_dqd);
    tq_ball_add_derivatives(model, tq_ball_terms_left(without), 1, sample->q, sample->qd, ret_dq,
                            ret_dqd);
    const tq_path_sample at = {.stride = 1, .q = sample->q, .qd = sample->qd};
    tq_status status = tq_tendons_add_derivatives(model, (without & TQ_WITHOUT_SPRING) == 0,
                                                  (without & TQ_WITHOUT_FRICTION) == 0, &at,
                                                  scratch, ret_dq, ret_dqd, reterr);
    if (status == TQ_OK && (without & TQ_WITHOUT_DRAG) == 0) {
        status = tq_drag_add_derivatives(model, 1, sample->q, sample->qd, scratch, ret_dq, ret_dqd,
                                         reterr);
    }
    if (status == TQ_OK && (without & TQ_WITHOUT_GRAVITY) == 0) {
        status = tq_compensation_add_slopes(posture, sample->gravity, scratch, ret_dq, reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_mass_matrix_rate(const tq_configuration *posture, tq_scratch *scratch,
                              double *ret_rate, tq_error *reterr)
{
    const tq_model *model = posture->model;
    const size_t nv = model->nv;
    const size_t mark = tq_scratch_mark(scratch);
    const double weightless[3] = {0.0, 0.0, 0.0};
    const tq_sample nothing = {.gravity = weightless};
    tq_subtrees w;
    if (!tq_subtrees_take(posture, scratch, &w)) {
        return short_of_scratch(posture, reterr);
    }
    memset(ret_rate, 0, nv * nv * sizeof(double));
    memset(w.acceleration, 0, model->n_link * 6 * sizeof(double));
    tq_subtrees_sum(posture, &nothing, true, &w);
    for (size_t f = 0; f < posture->n_freedom; f++) {
        const tq_freedom *deep = &posture->freedom[f];
        const tq_subtree *c = &w.sum[model->joints[deep->joint].child];
        double by_rate[6], by_screw[6];
        apply_both(c->inertia, deep->rate, c->rate, deep->screw, by_rate);
        tq_apply6(c->inertia, deep->screw, by_screw);
        for (uint32_t n = deep->joint; n != TQ_NONE; n = parent_joint(model, n)) {
            for (uint32_t k = 0; k < posture->count[n]; k++) {
                const tq_freedom *up = &posture->freedom[posture->first[n] + k];
                const double value = deep->factor * up->factor *
                                     (tq_dot6(up->screw, by_rate) + tq_dot6(up->rate, by_screw));
                ret_rate[up->row * nv + deep->row] += value;
                if (n != deep->joint) {
                    ret_rate[deep->row * nv + up->row] += value;
                }
            }
        }
    }
    for (size_t a = 0; a < nv; a++) {
        for (size_t b = 0; b < a; b++) {
            ret_rate[a * nv + b] = ret_rate[b * nv + a];
        }
    }
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

tq_status tq_forward_derivatives(size_t nv, double *m, double *dq, double *dqd, double *ret_inverse,
                                 tq_error *reterr)
{
    const size_t row = tq_mass_matrix_factor(nv, m);
    if (row < nv) {
        return tq_fail(reterr, TQ_ERR_SINGULAR, "mass_matrix", 0, (double)row);
    }
    if (nv == 0) {
        return TQ_OK;
    }
    tq_mass_matrix_solve(nv, m, nv, dq);
    tq_mass_matrix_solve(nv, m, nv, dqd);
    for (size_t k = 0; k < nv * nv; k++) {
        dq[k] = -dq[k];
        dqd[k] = -dqd[k];
    }
    tq_mass_matrix_invert(nv, m, ret_inverse);
    return TQ_OK;
}
