/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/constraint_assemble.c - coordinates that satisfy all constraints; the remaining dof.
 * */
#include "api/robots/constraint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/block.h"
#include "core/constraints/project.h"
#include "core/spatial/frame.h"

enum { STARTS = 48, LOOKS = 3, FREEDOMS_MAX = 256 };
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

typedef struct assembly {
    const tq_mechanism *mechanism;
    const tq_constraints *set;
    tq_scratch scratch;
    double *q, *qd; /* in blocks of one sample */
} assembly;

static tq_status project(assembly *a, const double *flat, tq_error *error)
{
    const tq_model *model = tq_mechanism_model(a->mechanism);
    for (size_t k = 0; k < (size_t)model->nq * TQ_BLOCK_PAD; k++) {
        a->q[k] = flat[k / TQ_BLOCK_PAD];
    }
    memset(a->qd, 0, (size_t)model->nv * TQ_BLOCK_PAD * sizeof *a->qd);
    /* velocities that equations prescribe are not part of the assembly */
    const tq_constraint_states states = {
        .n_sample = 1, .stride = TQ_BLOCK_PAD, .q = a->q, .qd = a->qd};
    return tq_constraints_project(a->mechanism, a->set, &states, residual_max, &a->scratch, NULL,
                                  error);
}

/* the largest rank near the assembled state: special positions have less */
static size_t rank_near(assembly *a, const double *flat, double *nearby)
{
    const tq_model *model = tq_mechanism_model(a->mechanism);
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
        if (look > 0 && project(a, nearby, NULL) != TQ_OK) {
            continue;
        }
        for (size_t k = 0; look > 0 && k < model->nq; k++) {
            nearby[k] = a->q[k * TQ_BLOCK_PAD];
        }
        const size_t mark = tq_scratch_mark(&a->scratch);
        const tq_constrained_at at = {.q = nearby};
        tq_constrained state;
        if (tq_constrained_factor(a->mechanism, a->set, &at, &a->scratch, &state, NULL) == TQ_OK) {
            rank = state.rank > rank ? state.rank : rank;
        }
        tq_scratch_rewind(&a->scratch, mark);
    }
    return rank;
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

/* From a link to the root: do all joints that turn do so about `normal`, which is in the world's
 * axes? *ret_found: it is known. */
static bool turns_about(const tq_model *model, uint32_t link, double normal[3], bool *ret_found)
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
        if (!*ret_found) {
            memcpy(normal, axis, sizeof axis);
            *ret_found = true;
        } else if (!(fabs(dot(normal, axis)) > 1.0 - parallel_slack)) {
            return false;
        }
    }
    return true;
}

/* Into `hint` what closes a loop of parallel axes. False: it is none, or its axes are given. */
static bool hint_planar(const tq_model *model, const tq_constraint *c, char hint[TQA_PROBLEM_TEXT])
{
    double normal[3] = {0.0, 0.0, 0.0};
    double r[9];
    double own[3];
    bool found = false;
    if (c->kind != TQ_CONSTRAINT_LOOP || c->axes != 63 ||
        !turns_about(model, c->a.link, normal, &found) ||
        !turns_about(model, c->b.link, normal, &found) || !found) {
        return false;
    }
    rotation_of(model, c->a.link, r);
    tq_mat_product(r, c->a.pose.r, r);
    tq_mat_tvec(r, normal, own);
    for (unsigned k = 0; k < 3; k++) {
        if (fabs(own[k]) > 1.0 - parallel_slack) {
            static const char *const planes[] = {"\"y\", \"z\"", "\"x\", \"z\"", "\"x\", \"y\""};
            (void)snprintf(
                hint, TQA_PROBLEM_TEXT,
                "all joints of this loop have parallel axes: add \"axes\": [%s] for a pin "
                "along them; without it all six directions are held",
                planes[k]);
            return true;
        }
    }
    (void)snprintf(
        hint, TQA_PROBLEM_TEXT,
        "all joints of this loop have parallel axes: turn the frame of \"a\" so that its z "
        "is along them, and add \"axes\": [\"x\", \"y\"] for a pin");
    return true;
}

static bool refuse_assembly(tqa_draft *draft, tq_status status, const tq_error *error)
{
    const tq_constraints *set = &draft->constraints;
    const bool of_row = error->what != NULL && strcmp(error->what, "constraint.row") == 0;
    const uint32_t i = of_row ? tq_constraint_of_row(set, error->index)
                              : (uint32_t)error->index % set->n_constraint;
    if (status == TQ_ERR_SINGULAR && error->what != NULL &&
        strcmp(error->what, "joint.inertia") == 0) {
        char place[TQA_POINTER_TEXT];
        tqa_draft_joint_place(draft, (uint32_t)error->index, "", place);
        tqa_draft_fault(draft, "inertia", place,
                        "give the links beyond it a mass, or its rotor an inertia",
                        "joint \"%.80s\" moves without inertia, which constraints do not allow",
                        draft->joint_names[error->index]);
        return false;
    }
    if (status == TQ_ERR_SINGULAR && !of_row) {
        const tq_constraint_kind kind = set->items[i].kind;
        const bool computed = kind == TQ_CONSTRAINT_EQUATION || kind == TQ_CONSTRAINT_PFAFFIAN;
        tqa_draft_fault(draft, "invalid-robot", draft->constraint_notes[i].place,
                        computed ? "an expression must not divide by 0 or take the root of a "
                                   "number below 0 everywhere"
                                 : "move its frames: a disk must not lie flat, nor a ball's centre "
                                   "in the middle of the sphere",
                        "constraint \"%.80s\" has no value at any of the coordinates that were "
                        "tried",
                        draft->constraint_notes[i].name);
        return false;
    }
    char hint[TQA_PROBLEM_TEXT] = "check its frames and lengths; it may contradict another "
                                  "constraint, or lie out of reach";
    (void)hint_planar(&draft->model, &set->items[i], hint);
    tqa_draft_fault(draft, "invalid-robot", draft->constraint_notes[i].place, hint,
                    "no coordinates satisfy all constraints: \"%.80s\" is still off by %.3g",
                    draft->row_names[of_row ? error->index : set->items[i].first_row],
                    error->value);
    return false;
}

/* the remaining dof, for the report */
static void report_freedoms(tqa_draft *draft, size_t rank)
{
    const tq_constraints *set = &draft->constraints;
    draft->n_free = draft->model.nv - (uint32_t)rank;
    tqa_draft_find(draft, TQA_FINDING_UNDERSTOOD, "robot", "constraints", set->n_constraint);
    tqa_draft_find(draft, TQA_FINDING_UNDERSTOOD, "robot",
                   "degrees of freedom that the constraints leave", draft->n_free);
    if (rank < set->n_row) {
        tqa_draft_find(draft, TQA_FINDING_UNDERSTOOD, "robot",
                       "rows of constraints that follow from others", set->n_row - (uint32_t)rank);
    }
    for (size_t k = 0; k < set->n_constraint; k++) {
        char hint[TQA_PROBLEM_TEXT];
        if (hint_planar(&draft->model, &set->items[k], hint)) {
            tqa_draft_find(
                draft, TQA_FINDING_DOCTOR,
                tqa_arena_format(draft->arena, "constraint %s", draft->constraint_notes[k].name),
                tqa_arena_format(draft->arena, "%s", hint), 1);
        }
    }
    if (draft->n_free == 0) {
        tqa_draft_find(draft, TQA_FINDING_DOCTOR, "robot",
                       "the constraints leave no freedom: nothing moves", 1);
    }
}

/* starts until one comes to rest on the constraints */
static bool find_assembled(tqa_draft *draft, assembly *a, double *flat)
{
    const tq_constraints *set = &draft->constraints;
    const tq_model *model = &draft->model;
    tq_status status = TQ_OK;
    tq_error error = {.what = NULL};
    const unsigned n_start = start_count(model, set);
    bool goes_on = true;
    for (unsigned k = 0; k < n_start && goes_on; k++) {
        start_at(model, k, flat);
        status = project(a, flat, &error);
        goes_on =
            status != TQ_OK && (error.what == NULL || strcmp(error.what, "joint.inertia") != 0);
    }
    if (goes_on) { /* a refusal is of a start within the limits */
        tq_error beyond = {.what = NULL};
        start_at_zero(model, flat);
        status = project(a, flat, &beyond) == TQ_OK ? TQ_OK : status;
    }
    if (status != TQ_OK) {
        return refuse_assembly(draft, status, &error);
    }
    for (size_t k = 0; k < model->nq; k++) {
        draft->assembled[k] = a->q[k * TQ_BLOCK_PAD];
    }
    report_freedoms(draft, rank_near(a, draft->assembled, flat));
    return true;
}

bool tqa_constraints_assemble(tqa_draft *draft, const tq_mechanism *mechanism)
{
    const tq_constraints *set = &draft->constraints;
    const tq_model *model = &draft->model;
    draft->n_free = model->nv;
    if (set->n_constraint == 0) {
        return true;
    }
    if (model->nv > FREEDOMS_MAX) {
        tqa_draft_fault(
            draft, "too-large", "/constraints", NULL,
            "robots with constraints have at most %d degrees of freedom, this one has %u",
            FREEDOMS_MAX, (unsigned)model->nv);
        return false;
    }
    assembly a = {.mechanism = mechanism, .set = set};
    a.q = tqa_arena_take(draft->arena, (size_t)model->nq * TQ_BLOCK_PAD, sizeof *a.q, 64);
    a.qd = tqa_arena_take(draft->arena, (size_t)model->nv * TQ_BLOCK_PAD, sizeof *a.qd, 64);
    double *flat = tqa_arena_take(draft->arena, model->nq, sizeof *flat, 16);
    draft->assembled = tqa_arena_take(draft->arena, model->nq, sizeof(double), 16);
    if (tqa_draft_is_spent(draft)) {
        return false;
    }
    /* room of the search alone, which is freed: it does not count as the robot's */
    const size_t size = (tq_project_scratch_size(mechanism, set) + 63) / 64 * 64;
    void *memory = aligned_alloc(TQ_SCRATCH_ALIGN, size);
    if (memory == NULL) {
        tqa_problem_set(draft->problem, "busy", "no memory to assemble the robot");
        return false;
    }
    tq_scratch_init(&a.scratch, memory, size);
    const bool found = find_assembled(draft, &a, flat);
    tq_scratch_init(&a.scratch, memory, 0); /* nothing of it is poisoned when it is freed */
    free(memory);
    return found;
}
