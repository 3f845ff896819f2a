/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/constraints.c - a simulation of a robot with constraints: its start, its
 * multipliers over time. */
#include <stdlib.h>
#include <string.h>

#include "api/codec/writer.h"
#include "api/operations/simulate/simulate.h"
#include "core/constraints/project.h"

static const double tolerance = 1e-10; /* m or rad, and by second: as steps keep it */

static bool fill_multipliers(tqa_simulation *s, double *to)
{
    for (size_t k = 0; k < s->plant.constraints->n_row; k++) {
        to[k] = s->rates.multipliers[k * TQ_BLOCK_PAD];
    }
    return true;
}

static bool refuse_start(tqa_simulation *s, tq_status status, const tq_error *error)
{
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value initial = tqa_value_field(&root, "initial");
    const bool of_row = error->what != NULL && strcmp(error->what, "constraint.row") == 0;
    const tqa_value q = tqa_value_field(&initial, "q");
    const tqa_value qd = tqa_value_field(&initial, "qd");
    if (!of_row) {
        return tqa_tree_fail(s->tree, "/initial/q", status, error);
    }
    const char *row = s->tree->robot->row_names[error->index];
    if (status == TQ_ERR_SINGULAR) { /* coordinates were found, velocities were not */
        return tqa_value_refuse(qd.value != NULL ? &qd : &q, "singular",
                                "start elsewhere, or at another velocity",
                                "no velocity near this one satisfies row \"%.80s\" of the "
                                "constraints: it contradicts others here",
                                row);
    }
    return tqa_value_refuse(&q, "no-convergence",
                            "start from coordinates that satisfy the constraints, such as the "
                            "robot's \"assembled\"",
                            "no coordinates near these satisfy the constraints: row \"%.80s\" is "
                            "still off by %.3g",
                            row, error->value);
}

/* constraints that the given state does not satisfy, for the answer */
static void note_start(tqa_simulation *s)
{
    tqa_off_search *off = &s->tree->off;
    if (tqa_off_begin(off, s->tree->robot)) {
        off->is_start = true;
        tqa_off_note(off, s->q, 1, 0);
    }
    free(off->memory);
    off->memory = NULL;
}

/* the nearest state that satisfies the constraints takes the place of the one that was given */
static bool project_start(tqa_simulation *s)
{
    const size_t nq = s->order.nq, nv = s->order.nv, pad = TQ_BLOCK_PAD;
    const tq_constraints *set = s->plant.constraints;
    double *q = tqa_tree_take(s->tree, nq * pad, sizeof *q);
    double *qd = tqa_tree_take(s->tree, nv * pad, sizeof *qd);
    tq_scratch scratch;
    if (q == NULL || qd == NULL ||
        !tqa_tree_scratch(s->tree, tq_project_scratch_size(s->mechanism, set), &scratch)) {
        return false;
    }
    note_start(s);
    for (size_t k = 0; k < nq * pad; k++) {
        q[k] = s->q[k / pad];
    }
    for (size_t k = 0; k < nv * pad; k++) {
        qd[k] = s->qd[k / pad];
    }
    tq_error error = {.what = NULL};
    const tq_constraint_states states = {.n_sample = 1, .stride = pad, .q = q, .qd = qd};
    const tq_status status =
        tq_constraints_project(s->mechanism, set, &states, tolerance, &scratch, &s->moved, &error);
    if (status != TQ_OK) {
        return refuse_start(s, status, &error);
    }
    for (size_t k = 0; k < nq; k++) {
        s->q[k] = q[k * pad];
    }
    for (size_t k = 0; k < nv; k++) {
        s->qd[k] = qd[k * pad];
    }
    return true;
}

/* goals of forces are judged by the forces */
static bool has_force_goals(tqa_simulation *s)
{
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value input = tqa_value_field(&root, "input");
    const tqa_value force = tqa_value_field(&input, "force");
    return force.value != NULL;
}

bool tqa_simulation_constrain(tqa_simulation *s, bool with_multipliers)
{
    const tq_constraints *set = s->tree->robot->constraints;
    if (set == NULL || set->n_row == 0) {
        const tqa_value root = tqa_value_root(s->tree);
        const tqa_value include = tqa_value_field(&root, "include");
        return !with_multipliers ||
               tqa_value_refuse(
                   &include, "invalid-value",
                   "give \"constraints\" in the robot's document, or leave the name out",
                   "this robot has no constraints, so it has no multipliers");
    }
    s->plant.constraints = set;
    if (with_multipliers || has_force_goals(s)) {
        s->multipliers_at = s->width;
        const tqa_column column = {
            .name = "multipliers", .n = set->n_row, .fill = fill_multipliers};
        s->rates.multipliers =
            tqa_tree_take(s->tree, set->n_row * (size_t)TQ_BLOCK_PAD, sizeof(double));
        if (s->rates.multipliers == NULL || !tqa_simulation_add_column(s, &column)) {
            return false;
        }
    }
    return project_start(s);
}

void tqa_simulation_put_constraints(const tqa_simulation *s)
{
    const tq_constraints *set = s->plant.constraints;
    tqa_writer *answer = s->tree->answer;
    if (set == NULL) {
        return;
    }
    tqa_writer_object(answer, "constraints");
    tqa_writer_list(answer, "rows");
    for (uint32_t r = 0; r < set->n_row; r++) {
        tqa_writer_string(answer, NULL, s->tree->robot->row_names[r]);
    }
    tqa_writer_end(answer);
    tqa_writer_object(answer, "start");
    tqa_writer_number(answer, "position_residual", s->moved.position);
    tqa_writer_number(answer, "velocity_residual", s->moved.velocity);
    tqa_writer_number(answer, "change_q", s->moved.change_q);
    tqa_writer_number(answer, "change_qd", s->moved.change_qd);
    tqa_writer_end(answer);
    tqa_writer_end(answer);
}
