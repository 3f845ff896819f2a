/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/constraint_assemble.c - a robot with constraints is assembled: refusals, and what the
 * report says of its degrees of freedom. */
#include "api/robots/constraint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/constraints/closure.h"

enum { FREEDOMS_MAX = 256 };

/* Into `hint` what closes a loop of parallel axes. False: it is none, or its axes are given. */
static bool hint_planar(const tq_model *model, const tq_constraint *c, char hint[TQA_PROBLEM_TEXT])
{
    static const char *const planes[] = {"\"y\", \"z\"", "\"x\", \"z\"", "\"x\", \"y\""};
    unsigned axis = 0;
    if (!tq_loop_is_planar(model, c, &axis)) {
        return false;
    }
    if (axis < 3) {
        (void)snprintf(hint, TQA_PROBLEM_TEXT,
                       "all joints of this loop have parallel axes: add \"axes\": [%s] for a pin "
                       "along them; without it all six directions are held",
                       planes[axis]);
        return true;
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
    draft->assembled = tqa_arena_take(draft->arena, model->nq, sizeof(double), 16);
    if (tqa_draft_is_spent(draft)) {
        return false;
    }
    /* room of the search alone, which is freed: it does not count as the robot's */
    const size_t size = (tq_closure_scratch_size(mechanism, set) + 63) / 64 * 64;
    void *memory = aligned_alloc(TQ_SCRATCH_ALIGN, size);
    if (memory == NULL) {
        tqa_problem_set(draft->problem, "busy", "no memory to assemble the robot");
        return false;
    }
    tq_scratch scratch;
    tq_error error = {.what = NULL};
    size_t rank = 0;
    tq_scratch_init(&scratch, memory, size);
    const tq_status status =
        tq_constraints_close(mechanism, set, &scratch, draft->assembled, &rank, &error);
    tq_scratch_release(memory, size);
    free(memory);
    if (status != TQ_OK) {
        return refuse_assembly(draft, status, &error);
    }
    report_freedoms(draft, rank);
    return true;
}
