/* SPDX-License-Identifier: Apache-2.0 */
/* api/formats/constraint.c - the constraints of a robot, from what a file says to rows of q and qd.
 */
#include "api/formats/constraint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/block.h"
#include "core/constraints/project.h"

static const char *const kind_names[] = {
    [TQ_CONSTRAINT_LOOP] = "loop",
    [TQ_CONSTRAINT_DISTANCE] = "distance",
    [TQ_CONSTRAINT_POINT_ON_PLANE] = "point-on-plane",
    [TQ_CONSTRAINT_POINT_ON_SPHERE] = "point-on-sphere",
    [TQ_CONSTRAINT_ROLLING] = "rolling",
    [TQ_CONSTRAINT_COUPLING] = "coupling",
    [TQ_CONSTRAINT_PFAFFIAN] = "pfaffian",
    [TQ_CONSTRAINT_EQUATION] = "equation",
};
enum { N_KIND = sizeof kind_names / sizeof kind_names[0] };

const char *const tqa_direction_names[6] = {"x", "y", "z", "rx", "ry", "rz"};

const char *tqa_constraint_kind_name(tq_constraint_kind kind)
{
    return kind_names[kind];
}

bool tqa_constraint_kind_find(const char *name, tq_constraint_kind *ret)
{
    for (unsigned k = 0; k < N_KIND; k++) {
        if (strcmp(name, kind_names[k]) == 0) {
            *ret = (tq_constraint_kind)k;
            return true;
        }
    }
    return false;
}

static bool no_memory(tqa_draft *draft)
{
    tqa_draft_fault(draft, "too-large", "", "describe it with fewer links and joints",
                    "the robot needs more memory than is given");
    return false;
}

bool tqa_constraints_begin(tqa_draft *draft, size_t n)
{
    tq_constraints *set = &draft->constraints;
    if (n > TQ_CONSTRAINT_MAX) {
        tqa_draft_fault(draft, "too-large", "/constraints", "fewer of them",
                        "a robot has at most %d constraints, this one has %zu", TQ_CONSTRAINT_MAX,
                        n);
        return false;
    }
    set->items = tqa_arena_take(draft->arena, n, sizeof *set->items, 16);
    draft->constraint_notes = tqa_arena_take(draft->arena, n, sizeof *draft->constraint_notes, 16);
    if (tqa_arena_spent(draft->arena)) {
        return no_memory(draft);
    }
    set->n_constraint = (uint32_t)n;
    return true;
}

const char *tqa_constraint_default_name(tqa_draft *draft, tq_constraint_kind kind, size_t i)
{
    const char *name = tqa_arena_format(draft->arena, "%s-%zu", kind_names[kind], i + 1);
    return name != NULL ? name : "";
}

/* ------------------------------------------------------------------------------------------------
 * Joints to rows
 */

/* The joint's rows. False: it has not one freedom of its own, and a fault was added. */
static bool row_of_joint(tqa_draft *draft, uint32_t number, const char *place, uint32_t *ret_q,
                         uint32_t *ret_v)
{
    const tq_joint *joint = &draft->model.joints[number];
    if (joint->mimic != TQ_NONE) {
        char hint[TQA_PROBLEM_TEXT];
        (void)snprintf(hint, sizeof hint, "name \"%.80s\", which it follows",
                       draft->joint_names[joint->mimic]);
        tqa_draft_fault(draft, "invalid-value", place, hint,
                        "joint \"%.80s\" has no coordinate of its own", draft->joint_names[number]);
        return false;
    }
    if (joint->nq != 1 || joint->nv != 1) {
        tqa_draft_fault(draft, "invalid-value", place,
                        "name revolute, continuous or prismatic joints",
                        "joint \"%.80s\" has not one coordinate", draft->joint_names[number]);
        return false;
    }
    *ret_q = joint->q_index;
    *ret_v = joint->v_index;
    return true;
}

/* a copy in the arena, to be changed; NULL with a fault */
static void *copy_of(tqa_draft *draft, const void *from, size_t n, size_t each)
{
    void *copy = tqa_arena_take(draft->arena, n, each, 16);
    if (copy == NULL) {
        (void)no_memory(draft);
        return NULL;
    }
    return memcpy(copy, from, n * each);
}

static bool resolve_expression(tqa_draft *draft, tq_expression *expression, const char *place)
{
    tq_instruction *code = copy_of(draft, expression->code, expression->n, sizeof *code);
    for (size_t k = 0; code != NULL && k < expression->n; k++) {
        if (code[k].op == TQ_OPERATOR_COORDINATE &&
            !row_of_joint(draft, code[k].q_index, place, &code[k].q_index, &code[k].v_index)) {
            return false;
        }
    }
    expression->code = code;
    return code != NULL;
}

static bool resolve_coupling(tqa_draft *draft, tq_constraint *c, const char *place)
{
    tq_coupling_term *terms = copy_of(draft, c->coupling, c->n_coupling, sizeof *terms);
    for (size_t k = 0; terms != NULL && k < c->n_coupling; k++) {
        if (!row_of_joint(draft, terms[k].q_index, place, &terms[k].q_index, &terms[k].v_index)) {
            return false;
        }
    }
    c->coupling = terms;
    return terms != NULL;
}

static bool resolve_pfaffian(tqa_draft *draft, tq_constraint *c, const char *place)
{
    tq_pfaffian_term *terms = copy_of(draft, c->pfaffian, c->n_pfaffian, sizeof *terms);
    uint32_t unused = 0;
    for (size_t k = 0; terms != NULL && k < c->n_pfaffian; k++) {
        if (!row_of_joint(draft, terms[k].v_index, place, &unused, &terms[k].v_index) ||
            !resolve_expression(draft, &terms[k].expression, place)) {
            return false;
        }
    }
    c->pfaffian = terms;
    return terms != NULL;
}

static bool resolve_item(tqa_draft *draft, tq_constraint *c, const char *place)
{
    switch ((int)c->kind) {
    case TQ_CONSTRAINT_COUPLING:
        return resolve_coupling(draft, c, place);
    case TQ_CONSTRAINT_PFAFFIAN:
        return resolve_pfaffian(draft, c, place);
    case TQ_CONSTRAINT_EQUATION:
        return resolve_expression(draft, &c->equation, place);
    default:
        return true;
    }
}

/* what is driven, by rows of tau */
static bool resolve_actuated(tqa_draft *draft)
{
    const tq_model *model = &draft->model;
    if (draft->actuated == NULL) {
        return true;
    }
    bool *rows = tqa_arena_take(draft->arena, (size_t)model->nv + 1, sizeof *rows, 1);
    if (rows == NULL) {
        return no_memory(draft);
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        for (uint32_t k = 0; draft->actuated[j] && k < model->joints[j].nv; k++) {
            rows[model->joints[j].v_index + k] = true;
        }
    }
    draft->constraints.actuated = rows;
    return true;
}

static const char *row_part(tqa_draft *draft, const tq_constraint *c, uint32_t r)
{
    static const char *const rolling[] = {"normal", "tangent1", "tangent2", "spin"};
    uint32_t left = r;
    switch (c->kind) {
    case TQ_CONSTRAINT_LOOP:
        for (unsigned k = 0; k < 6; k++) {
            if ((c->axes >> k & 1u) != 0 && left-- == 0) {
                return tqa_direction_names[k];
            }
        }
        return "";
    case TQ_CONSTRAINT_ROLLING:
        return c->slips && r == 1 ? rolling[3] : rolling[r];
    case TQ_CONSTRAINT_PFAFFIAN:
        return tqa_arena_format(draft->arena, "%u", r);
    case TQ_CONSTRAINT_DISTANCE:
    case TQ_CONSTRAINT_POINT_ON_PLANE:
    case TQ_CONSTRAINT_POINT_ON_SPHERE:
    case TQ_CONSTRAINT_COUPLING:
    case TQ_CONSTRAINT_EQUATION:
        break;
    }
    return "";
}

static bool name_rows(tqa_draft *draft)
{
    const tq_constraints *set = &draft->constraints;
    draft->row_names =
        tqa_arena_take(draft->arena, (size_t)set->n_row + 1, sizeof *draft->row_names, 8);
    for (uint32_t i = 0; draft->row_names != NULL && i < set->n_constraint; i++) {
        const tq_constraint *c = &set->items[i];
        for (uint32_t r = 0; r < c->n_row; r++) {
            const char *part = row_part(draft, c, r);
            draft->row_names[c->first_row + r] =
                part == NULL || part[0] == '\0'
                    ? draft->constraint_notes[i].name
                    : tqa_arena_format(draft->arena, "%.120s.%s", draft->constraint_notes[i].name,
                                       part);
        }
    }
    return !tqa_arena_spent(draft->arena) || no_memory(draft);
}

static bool report_core(tqa_draft *draft, tq_status status, const tq_error *error)
{
    static const struct {
        const char *what, *hint;
    } rows[] = {
        {"link", "name two different links"},
        {"axes", "name some of x, y, z, rx, ry, rz"},
        {"length", "a length is above 0, in metres"},
        {"radius", "a radius is above 0, in metres"},
        {"surface", "a sphere's radius is above 0, and above the body's when it rolls inside; a "
                    "disk rolls on planes only"},
    };
    const char *hint = NULL;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        hint = strcmp(error->what, rows[k].what) == 0 ? rows[k].hint : hint;
    }
    const size_t i = error->index;
    if (status == TQ_ERR_SHAPE) {
        tqa_draft_fault(draft, "too-large", "/constraints", "fewer of them",
                        "constraints of a robot have at most %d rows", TQ_CONSTRAINT_ROW_MAX);
        return false;
    }
    tqa_draft_fault(draft, "range", draft->constraint_notes[i].place, hint,
                    "constraint \"%.80s\": its %s is not possible", draft->constraint_notes[i].name,
                    error->what);
    return false;
}

/* Each name once: results are told by them. */
static bool check_names(tqa_draft *draft)
{
    for (uint32_t i = 0; i < draft->constraints.n_constraint; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(draft->constraint_notes[i].name, draft->constraint_notes[k].name) == 0) {
                tqa_draft_fault(draft, "invalid-robot", draft->constraint_notes[i].place,
                                "give each constraint its own name",
                                "constraints number %u and %u are both named \"%.80s\"", k + 1,
                                i + 1, draft->constraint_notes[i].name);
                return false;
            }
        }
    }
    return true;
}

bool tqa_constraints_resolve(tqa_draft *draft)
{
    tq_constraints *set = &draft->constraints;
    if (!resolve_actuated(draft) || !check_names(draft)) {
        return false;
    }
    for (uint32_t i = 0; i < set->n_constraint; i++) {
        if (!resolve_item(draft, &set->items[i], draft->constraint_notes[i].place)) {
            return false;
        }
    }
    tq_error error = {.what = ""};
    const tq_status status = tq_constraints_finish(&draft->model, set, &error);
    if (status != TQ_OK) {
        return report_core(draft, status, &error);
    }
    if (set->n_constraint > 0 && draft->model.nv == 0) {
        tqa_draft_fault(draft, "invalid-robot", "/constraints", "remove them",
                        "nothing of the robot moves, so there is nothing to constrain");
        return false;
    }
    return name_rows(draft);
}

/* ------------------------------------------------------------------------------------------------
 * Assembly
 */

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

/* A start takes up to 100 steps, each a factorisation: large robots have fewer starts. */
static unsigned start_count(const tq_model *model, const tq_constraints *set)
{
    const double nv = (double)model->nv, n = (double)set->n_row;
    const double each = 100.0 * nv * nv * (nv + 2.0 * n);
    return each * STARTS < work_max ? STARTS : 1 + (unsigned)(work_max / each);
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
    /* velocities that equations ask for are another matter: rest is not asked for here */
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
    tqa_draft_fault(draft, "invalid-robot", draft->constraint_notes[i].place,
                    "check its frames and lengths; it may contradict another constraint, or lie "
                    "out of reach",
                    "no coordinates satisfy all constraints: \"%.80s\" is still off by %.3g",
                    draft->row_names[of_row ? error->index : set->items[i].first_row],
                    error->value);
    return false;
}

/* what the constraints leave, for the report */
static void report_freedoms(tqa_draft *draft, size_t rank)
{
    const tq_constraints *set = &draft->constraints;
    draft->n_free = draft->model.nv - (uint32_t)rank;
    tqa_draft_find(draft, TQA_FINDING_UNDERSTOOD, "robot", "constraints", set->n_constraint);
    tqa_draft_find(draft, TQA_FINDING_UNDERSTOOD, "robot", "freedoms that the constraints leave",
                   draft->n_free);
    if (rank < set->n_row) {
        tqa_draft_find(draft, TQA_FINDING_UNDERSTOOD, "robot",
                       "rows of constraints that follow from others", set->n_row - (uint32_t)rank);
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
    for (unsigned k = 0; k < n_start; k++) {
        start_at(model, k, flat);
        status = project(a, flat, &error);
        if (status == TQ_OK || (error.what != NULL && strcmp(error.what, "joint.inertia") == 0)) {
            break;
        }
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
    if (set->n_constraint == 0 && set->actuated == NULL) {
        return true;
    }
    if (model->nv > FREEDOMS_MAX) {
        tqa_draft_fault(
            draft, "too-large", set->n_constraint > 0 ? "/constraints" : "/actuated", NULL,
            "robots with constraints, or joints that are not driven, have at most %d freedoms, this one has %u",
            FREEDOMS_MAX, (unsigned)model->nv);
        return false;
    }
    if (set->n_constraint == 0) {
        return true;
    }
    assembly a = {.mechanism = mechanism, .set = set};
    a.q = tqa_arena_take(draft->arena, (size_t)model->nq * TQ_BLOCK_PAD, sizeof *a.q, 64);
    a.qd = tqa_arena_take(draft->arena, (size_t)model->nv * TQ_BLOCK_PAD, sizeof *a.qd, 64);
    double *flat = tqa_arena_take(draft->arena, model->nq, sizeof *flat, 16);
    draft->assembled = tqa_arena_take(draft->arena, model->nq, sizeof(double), 16);
    if (tqa_arena_spent(draft->arena)) {
        return no_memory(draft);
    }
    /* room of the search alone, which is given back: it does not count as the robot's */
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
