/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/constrained_controller.c - control laws along and across constraints:
 * tracked coordinates, commanded constraint forces. */
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/operations/simulate/controller.h"
#include "core/constraints/actuation.h"
#include "core/constraints/projectors.h"

static const char *const force_fields[] = {TQA_FIELDS_CONSTRAINED_CONTROLLER_FORCE, NULL};

/* ------------------------------------------------------------------------------------------------
 * Coordinates
 */

/* The constraints at the start, factored; its memory is the call's. */
static bool factor_start(const tqa_value *input, const tqa_controlled *plant,
                         const tq_constraints *set, tq_scratch *scratch, tq_constrained *ret)
{
    tqa_tree *tree = input->tree;
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t size = tq_constrained_scratch_size(plant->mechanism, set) +
                        tq_elimination_scratch_most(model, set);
    const tq_constrained_at at = {.q = plant->q, .qd = plant->qd, .without = plant->without};
    tq_error error = {0};
    if (!tqa_tree_scratch(tree, size, scratch)) {
        return false;
    }
    const tq_status status =
        tq_constrained_factor(plant->mechanism, set, &at, scratch, ret, &error);
    return status == TQ_OK || tqa_tree_fail(tree, "/initial", status, &error);
}

/* the driven coordinates where they are independent and as many as the dof; else the
 * best-conditioned set at the start */
static bool choose_coordinates(const tqa_value *input, const tq_constrained *state,
                               tq_scratch *scratch, tq_constrained_controller *c)
{
    const tq_constraints *set = state->constraints;
    const size_t n_free = state->nv - state->rank;
    const size_t mark = tq_scratch_mark(scratch);
    uint32_t *rows = tqa_tree_take(input->tree, state->nv + 1, sizeof *rows);
    tq_elimination e;
    tq_error error = {0};
    size_t n = 0;
    if (rows == NULL) {
        return false;
    }
    for (uint32_t r = 0; set->actuated != NULL && r < state->nv; r++) {
        if (set->actuated[r]) {
            rows[n++] = r;
        }
    }
    if (n != n_free || tq_constraint_eliminate_by(state, rows, n, scratch, &e, &error) != TQ_OK) {
        tq_scratch_rewind(scratch, mark);
        const tq_status status = tq_constraint_eliminate(state, scratch, &e, &error);
        if (status != TQ_OK) {
            return tqa_tree_fail(input->tree, input->pointer, status, &error);
        }
        memcpy(rows, e.free, e.n_free * sizeof *rows);
    }
    c->n_coordinate = n_free;
    c->coordinates = rows;
    return true;
}

/* marks the rows of qd of one named joint */
static bool mark_joint(const tqa_value *item, bool *marks)
{
    const tqa_robot *robot = item->tree->robot;
    const char *name = json_string_value(item->value);
    const uint32_t j = name != NULL ? tqa_robot_joint(robot, name, strlen(name)) : TQ_NONE;
    if (j == TQ_NONE || robot->model->joints[j].nv != 1) {
        return tqa_value_refuse(item, "unknown-name", "a joint of one freedom, by its name",
                                "no such joint");
    }
    const uint32_t r = robot->model->joints[j].v_index;
    if (marks[r]) {
        return tqa_value_refuse(item, "invalid-value", "name each joint once",
                                "joint \"%.80s\" is named twice", name);
    }
    marks[r] = true;
    return true;
}

static bool read_coordinates(const tqa_value *part, const tq_constrained *state,
                             tq_scratch *scratch, tq_constrained_controller *c)
{
    const size_t nv = state->nv, n_free = nv - state->rank;
    size_t n = 0;
    uint32_t *rows = tqa_tree_take(part->tree, nv + 1, sizeof *rows);
    bool *marks = tqa_tree_take(part->tree, nv + 1, sizeof *marks);
    if (rows == NULL || marks == NULL || !tqa_value_array(part, 1, nv, &n)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        const tqa_value item = tqa_value_item(part, k);
        if (!mark_joint(&item, marks)) {
            return false;
        }
    }
    for (uint32_t r = 0; r < nv; r++) {
        if (marks[r]) {
            rows[c->n_coordinate++] = r;
        }
    }
    c->coordinates = rows;
    if (n != n_free) {
        return tqa_value_refuse(
            part, "invalid-value", "as many joints as degrees of freedom",
            "the constraints leave %zu degrees of freedom here, but %zu joints are to be "
            "followed",
            n_free, n);
    }
    tq_elimination e;
    tq_error error = {0};
    const tq_status status = tq_constraint_eliminate_by(state, rows, n, scratch, &e, &error);
    return status == TQ_OK ||
           (status == TQ_ERR_SINGULAR
                ? tqa_value_refuse(
                      part, "singular", "other joints, or another start",
                      "these joints do not determine the motion at the start: another one "
                      "can move while they are at rest")
                : tqa_tree_fail(part->tree, part->pointer, status, &error));
}

/* ------------------------------------------------------------------------------------------------
 * Forces
 */

/* where the columns of `values` go: rows of constraints by name, or all of them */
static bool read_rows(const tqa_value *force, tqa_controller *to, uint32_t *ret, size_t *ret_n)
{
    const tqa_robot *robot = force->tree->robot;
    const size_t n_row = robot->constraints->n_row;
    const tqa_value rows = tqa_value_field(force, "rows");
    *ret_n = n_row;
    for (uint32_t r = 0; rows.value == NULL && r < n_row; r++) {
        ret[r] = r;
        to->pushed[r] = true;
    }
    if (rows.value != NULL && !tqa_value_array(&rows, 1, n_row, ret_n)) {
        return false;
    }
    for (size_t k = 0; rows.value != NULL && k < *ret_n; k++) {
        const tqa_value item = tqa_value_item(&rows, k);
        const char *name = json_string_value(item.value);
        uint32_t r = 0;
        while (name != NULL && r < n_row && strcmp(robot->row_names[r], name) != 0) {
            r++;
        }
        if (name == NULL || r == n_row || to->pushed[r]) {
            return tqa_value_refuse(&item, "unknown-name",
                                    "names of rows are those of \"constraints.rows\" in the answer",
                                    name == NULL || r == n_row ? "no such row"
                                                               : "this row is named twice");
        }
        ret[k] = r;
        to->pushed[r] = true;
    }
    return true;
}

static bool read_force(const tqa_value *force, tqa_controller *to)
{
    tqa_tree *tree = force->tree;
    const tqa_robot *robot = tree->robot;
    const size_t nv = robot->model->nv, driven = tq_count_actuated(robot->constraints, nv);
    const tqa_value ki = tqa_value_field(force, "ki");
    tqa_force_columns columns = {.n_column = robot->constraints->n_row,
                                 .missing = "add \"values\": a multiplier for each row, N or N m"};
    uint32_t *rows = tqa_tree_take(tree, robot->constraints->n_row, sizeof *rows);
    to->pushed = tqa_tree_take(tree, robot->constraints->n_row, sizeof *to->pushed);
    if (rows == NULL || to->pushed == NULL || !tqa_value_object(force, force_fields)) {
        return false;
    }
    if (driven < nv) {
        return tqa_value_refuse(force, "invalid-value",
                                "leave it out: forces are then those that come with the motion",
                                "only %zu of %zu joints are driven, which leaves no choice of "
                                "forces",
                                driven, nv);
    }
    columns.to = rows;
    if (!read_rows(force, to, rows, &columns.n) ||
        !tqa_value_force_table(force, &columns, &to->force) ||
        (ki.value != NULL && !tqa_value_positive(&ki, &to->constrained.force_ki))) {
        return false;
    }
    to->constrained.force = &to->force;
    to->constrained.pushed = to->pushed;
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * The law
 */

static bool read_gains(const tqa_value *input, const tqa_order *order, tqa_controller *to)
{
    tq_constrained_controller *c = &to->constrained;
    const tqa_value kp = tqa_value_field(input, "kp");
    const tqa_value kd = tqa_value_field(input, "kd");
    const tqa_value ki = tqa_value_field(input, "ki");
    const bool hybrid = to->kind == TQA_LAW_HYBRID;
    const tqa_value *strange = kp.value != NULL ? &kp : &ki;
    if (!hybrid && strange->value != NULL) {
        return tqa_value_refuse(strange, "invalid-value",
                                "leave it out, or take \"hybrid-position-force\"",
                                "\"nonholonomic\" follows velocities alone");
    }
    return (!hybrid || tqa_value_gain(&kp, order, &c->kp)) && tqa_value_gain(&kd, order, &c->kd) &&
           (ki.value == NULL || tqa_value_gain(&ki, order, &c->ki));
}

static bool check_robot(const tqa_value *input)
{
    const tqa_robot *robot = input->tree->robot;
    const tqa_value kind = tqa_value_field(input, "kind");
    if (robot->constraints == NULL || robot->constraints->n_row == 0) {
        return tqa_value_refuse(&kind, "invalid-value",
                                "give \"constraints\" in the robot's document, or take "
                                "\"computed-torque\"",
                                "this robot has no constraints");
    }
    return true;
}

bool tqa_value_constrained_controller(const tqa_value *input, const tqa_controlled *plant,
                                      tqa_controller *ret)
{
    static const char *const fields[] = {TQA_FIELDS_CONSTRAINED_CONTROLLER, NULL};
    tqa_tree *tree = input->tree;
    const tqa_value coordinates = tqa_value_field(input, "coordinates");
    const tqa_value force = tqa_value_field(input, "force");
    const tqa_value limits = tqa_value_field(input, "effort_limits");
    const tqa_value model = tqa_value_field(input, "model");
    tq_constrained_controller *c = &ret->constrained;
    tq_constrained state;
    tq_scratch scratch;
    tq_error error = {0};
    const tqa_needed needed[] = {{"reference", TQA_ADD_REFERENCE},
                                 {"kd", "add \"kd\": 20 (1/s), or one for each joint"},
                                 {ret->kind == TQA_LAW_HYBRID ? "kp" : NULL,
                                  "add \"kp\": 100 (1/s^2), or one for each joint"},
                                 {NULL, NULL}};
    if (!check_robot(input) || !tqa_value_fields(input, fields, needed)) {
        return false;
    }
    c->constraints = tree->robot->constraints;
    c->reference = &ret->reference.motion;
    c->gravity = plant->gravity;
    if (!tqa_value_controller_model(&model, plant, &c->mechanism, &c->without) ||
        !tqa_value_controller_reference(input, plant, &ret->reference) ||
        !read_gains(input, plant->order, ret) ||
        !factor_start(input, plant, c->constraints, &scratch, &state)) {
        return false;
    }
    if (state.rank == state.nv) {
        return tqa_value_refuse(input, "invalid-value", "leave \"input\" out",
                                "the constraints leave nothing that could move");
    }
    if (!(coordinates.value != NULL ? read_coordinates(&coordinates, &state, &scratch, c)
                                    : choose_coordinates(input, &state, &scratch, c)) ||
        (force.value != NULL && !read_force(&force, ret)) ||
        (limits.value != NULL &&
         !tqa_value_effort_limits(&limits, plant->order, tq_mechanism_model(c->mechanism),
                                  &c->limit))) {
        return false;
    }
    const tq_status status = tq_constrained_controller_effect(c, &ret->effect, &error);
    return status == TQ_OK || tqa_tree_fail(tree, input->pointer, status, &error);
}
