/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/constraint.c - the constraints of a robot, from a file to rows of q and qd.
 */
#include "api/robots/constraint.h"

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
    if (tqa_draft_is_spent(draft)) {
        return false;
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
        (void)tqa_draft_no_memory(draft);
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

/* driven rows of tau */
static bool resolve_actuated(tqa_draft *draft)
{
    const tq_model *model = &draft->model;
    if (draft->actuated == NULL) {
        return true;
    }
    bool *rows = tqa_arena_take(draft->arena, (size_t)model->nv + 1, sizeof *rows, 1);
    if (rows == NULL) {
        return tqa_draft_no_memory(draft);
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
    return !tqa_draft_is_spent(draft);
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

/* Each name once: results are named by them. */
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
