/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/closure.c - coordinates that satisfy the constraints, searched from many starts;
 * loops in a plane. */
#include "core/constraints/closure.h"

#include <math.h>
#include <string.h>

#include "core/base/block.h"
#include "core/constraints/project.h"
#include "core/spatial/frame.h"

enum { STARTS = 48, LOOKS = 3 };
static const double work_max = 2e9;       /* operations of all starts: some seconds at most */
static const double residual_max = 1e-10; /* m or rad */

/* start k: zero, or the middle of the limits, then points spread over the travel */
static void start_at(const tq_model *model, unsigned k, double *q)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const bool ball = joint->kind == TQ_JOINT_SPHERICAL || joint->kind == TQ_JOINT_FLOATING;
        for (uint32_t i = 0; i < joint->nq; i++) {
            /* an additive recurrence of irrational step: even, and the same everywhere */
            const double x = fmod(0.5 + (double)k * sqrt(2.0 + joint->q_index + i), 1.0);
            double low = -1.5, high = 1.5;
            if (joint->nq == 1 && isfinite(joint->limits.lower) && isfinite(joint->limits.upper)) {
                low = joint->limits.lower;
                high = joint->limits.upper;
            }
            const bool first = k == 0 && low <= 0.0 && high >= 0.0;
            q[joint->q_index + i] = first ? 0.0 : low + x * (high - low);
        }
        for (uint32_t i = 0; ball && i < 4; i++) {
            q[joint->q_index + joint->nq - 4 + i] = i == 0 ? 1.0 : 0.0;
        }
    }
}

/* where the file has the links, even outside of limits: loops of SDF and MJCF are closed there */
static void start_at_zero(const tq_model *model, double *q)
{
    memset(q, 0, model->nq * sizeof *q);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (joint->nq > joint->nv) {
            q[joint->q_index + joint->nq - 4] = 1.0;
        }
    }
}

/* A start takes up to 100 steps, each a factorisation: large robots have fewer starts. */
static unsigned start_count(const tq_model *model, const tq_constraints *set)
{
    const double nv = (double)model->nv, n = (double)set->n_row;
    const double each = 100.0 * nv * nv * (nv + 2.0 * n);
    return each * (double)STARTS < work_max ? STARTS : 1 + (unsigned)(work_max / each);
}

typedef struct search {
    const tq_mechanism *mechanism;
    const tq_model *model;
    const tq_constraints *constraints;
    tq_scratch *scratch;
    double *q, *qd; /* (nq, nv x TQ_BLOCK_PAD) blocks of one sample */
    double *start;  /* (nq) */
} search;

static tq_status project(search *s, const double *flat, tq_error *reterr)
{
    const tq_model *model = s->model;
    for (size_t k = 0; k < (size_t)model->nq * TQ_BLOCK_PAD; k++) {
        s->q[k] = flat[k / TQ_BLOCK_PAD];
    }
    memset(s->qd, 0, (size_t)model->nv * TQ_BLOCK_PAD * sizeof *s->qd);
    /* velocities that equations prescribe are not part of the assembly */
    const tq_constraint_states states = {
        .n_sample = 1, .stride = TQ_BLOCK_PAD, .q = s->q, .qd = s->qd};
    return tq_constraints_project(s->mechanism, s->constraints, &states, residual_max, s->scratch,
                                  NULL, reterr);
}

/* the largest rank near the assembled state: special positions have less */
static size_t rank_near(search *s, const double *flat, double *nearby)
{
    const tq_model *model = s->model;
    size_t rank = 0;
    for (unsigned look = 0; look < LOOKS; look++) {
        for (size_t k = 0; k < model->nq; k++) {
            nearby[k] = flat[k];
        }
        for (uint32_t j = 0; look > 0 && j < model->n_joint; j++) {
            const tq_joint *joint = &model->joints[j];
            for (uint32_t i = 0; joint->nq == joint->nv && i < joint->nq; i++) {
                const double x = fmod((double)look * sqrt(3.0 + joint->q_index + i), 1.0);
                nearby[joint->q_index + i] += 0.2 * (x - 0.5);
            }
        }
        if (look > 0 && project(s, nearby, NULL) != TQ_OK) {
            continue;
        }
        for (size_t k = 0; look > 0 && k < model->nq; k++) {
            nearby[k] = s->q[k * TQ_BLOCK_PAD];
        }
        const size_t mark = tq_scratch_mark(s->scratch);
        const tq_constrained_at at = {.q = nearby};
        tq_constrained state;
        if (tq_constrained_factor(s->mechanism, s->constraints, &at, s->scratch, &state, NULL) ==
            TQ_OK) {
            rank = state.rank > rank ? state.rank : rank;
        }
        tq_scratch_rewind(s->scratch, mark);
    }
    return rank;
}

/* starts until one comes to rest on the constraints, in s->q */
static tq_status find(search *s, tq_error *reterr)
{
    tq_status status = TQ_OK;
    tq_error error = {.what = NULL};
    const unsigned n_start = start_count(s->model, s->constraints);
    bool goes_on = true;
    for (unsigned k = 0; k < n_start && goes_on; k++) {
        start_at(s->model, k, s->start);
        status = project(s, s->start, &error);
        goes_on =
            status != TQ_OK && (error.what == NULL || strcmp(error.what, "joint.inertia") != 0);
    }
    if (goes_on) { /* an error is of a start within the limits */
        start_at_zero(s->model, s->start);
        status = project(s, s->start, NULL) == TQ_OK ? TQ_OK : status;
    }
    if (status != TQ_OK && reterr != NULL) {
        *reterr = error;
    }
    return status;
}

size_t tq_closure_scratch_size(const tq_mechanism *mechanism, const tq_constraints *constraints)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    return tq_scratch_cost((size_t)model->nq * TQ_BLOCK_PAD, sizeof(double)) +
           tq_scratch_cost((size_t)model->nv * TQ_BLOCK_PAD, sizeof(double)) +
           tq_scratch_cost(model->nq, sizeof(double)) +
           tq_larger(tq_project_scratch_size(mechanism, constraints),
                     tq_constrained_scratch_size(mechanism, constraints));
}

tq_status tq_constraints_close(const tq_mechanism *mechanism, const tq_constraints *constraints,
                               tq_scratch *scratch, double *ret_q, size_t *ret_rank,
                               tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    const size_t mark = tq_scratch_mark(scratch);
    search s = {.mechanism = mechanism,
                .model = model,
                .constraints = constraints,
                .scratch = scratch,
                .q = tq_scratch_take(scratch, (size_t)model->nq * TQ_BLOCK_PAD, sizeof(double)),
                .qd = tq_scratch_take(scratch, (size_t)model->nv * TQ_BLOCK_PAD, sizeof(double)),
                .start = tq_scratch_take(scratch, model->nq, sizeof(double))};
    if (s.q == NULL || s.qd == NULL || s.start == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_closure_scratch_size(mechanism, constraints));
    }
    const tq_status status = find(&s, reterr);
    if (status == TQ_OK) {
        for (size_t k = 0; k < model->nq; k++) {
            ret_q[k] = s.q[k * TQ_BLOCK_PAD];
        }
        *ret_rank = rank_near(&s, ret_q, s.start);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * A loop in a plane: its pin holds two directions, not six
 */

static const double parallel_slack = 1e-9;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* rotation of a link's frame at q = 0 */
static void rotation_of(const tq_model *model, uint32_t link, double r[9])
{
    tq_mat_identity(r);
    for (uint32_t j = model->links[link].joint; j != TQ_NONE;) {
        tq_mat_product(model->joints[j].origin.r, r, r);
        j = model->links[model->joints[j].parent].joint;
    }
}

/* True if all joints that turn between a link and the root do so about `normal`, in the axes of the
 * world; *inout_found: it is known, else the first one is it. */
static bool turns_about(const tq_model *model, uint32_t link, double normal[3], bool *inout_found)
{
    for (uint32_t j = model->links[link].joint; j != TQ_NONE;
         j = model->links[model->joints[j].parent].joint) {
        const tq_joint *joint = &model->joints[j];
        double r[9];
        double axis[3];
        if (joint->kind == TQ_JOINT_FIXED || joint->kind == TQ_JOINT_PRISMATIC) {
            continue; /* a slide out of the plane leaves the loop open: no harm in a hint */
        }
        if (joint->kind != TQ_JOINT_REVOLUTE && joint->kind != TQ_JOINT_CONTINUOUS) {
            return false;
        }
        rotation_of(model, joint->child, r);
        tq_mat_vec(r, joint->axis, axis);
        const double length = sqrt(dot(axis, axis));
        for (int k = 0; k < 3; k++) {
            axis[k] /= length;
        }
        if (!*inout_found) {
            memcpy(normal, axis, sizeof axis);
            *inout_found = true;
        } else if (!(fabs(dot(normal, axis)) > 1.0 - parallel_slack)) {
            return false;
        }
    }
    return true;
}

bool tq_loop_is_planar(const tq_model *model, const tq_constraint *loop, unsigned *ret_axis)
{
    double normal[3] = {0.0, 0.0, 0.0};
    double r[9];
    double own[3];
    bool found = false;
    if (loop->kind != TQ_CONSTRAINT_LOOP || loop->axes != 63 ||
        !turns_about(model, loop->a.link, normal, &found) ||
        !turns_about(model, loop->b.link, normal, &found) || !found) {
        return false;
    }
    rotation_of(model, loop->a.link, r);
    tq_mat_product(r, loop->a.pose.r, r);
    tq_mat_tvec(r, normal, own);
    *ret_axis = 0;
    while (*ret_axis < 3 && !(fabs(own[*ret_axis]) > 1.0 - parallel_slack)) {
        ++*ret_axis;
    }
    return true;
}
