/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/input.c - `input` of a simulation: torques over time, or a controller. */
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/operations/simulate/simulate.h"

enum { TABLE_POINTS_MAX = 1 << 20, KINDS_MAX = 16 };

static const char *const table_fields[] = {TQA_FIELDS_TORQUE_TABLE, NULL};
static const tqa_needed table_needed[] = {{"t", "add \"t\": the times of the torques, s"},
                                          {"tau", "add \"tau\": an array of torques for each time"},
                                          {NULL, NULL}};
/* of an object without a kind: a controller, as it has no torques */
static const char *const any_fields[] = {TQA_FIELDS_CONTROLLER, TQA_FIELDS_CONSTRAINED_CONTROLLER,
                                         TQA_FIELDS_OPERATIONAL_CONTROLLER, TQA_FIELDS_TORQUE_TABLE,
                                         NULL};
static const char *const kind_field[] = {"kind", NULL};
static const tqa_needed any_needed[] = {
    {"kind", TQA_ADD_CONTROLLER_KIND}, {"reference", TQA_ADD_REFERENCE}, {NULL, NULL}};
static const char *const interpolations[] = {TQA_WORDS_TORQUE_TABLE_INTERPOLATION, NULL};

static bool read_values(tqa_simulation *s, const tqa_value *t, const tqa_value *tau, size_t n)
{
    const size_t nv = s->order.nv;
    double *times = tqa_tree_take(s->tree, n, sizeof *times);
    double *values = tqa_tree_take(s->tree, n * nv, sizeof *values);
    if (times == NULL || values == NULL || !tqa_value_numbers(t, n, times)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        const tqa_value row = tqa_value_item(tau, k);
        if (!tqa_value_row(&row, &s->order, TQA_ROW_TORQUE, values + k * nv)) {
            return false;
        }
        if (k > 0 && times[k] <= times[k - 1]) {
            const tqa_value item = tqa_value_item(t, k);
            return tqa_value_refuse(&item, "range", "times of a table increase",
                                    "time %g follows %g", times[k], times[k - 1]);
        }
    }
    s->torque.points = (tq_waypoints){.n_point = n, .n_coordinate = nv, .t = times, .x = values};
    return true;
}

static bool read_table(tqa_simulation *s, const tqa_value *input)
{
    const tqa_value t = tqa_value_field(input, "t");
    const tqa_value tau = tqa_value_field(input, "tau");
    const tqa_value how = tqa_value_field(input, "interpolation");
    unsigned interpolation = TQ_INTERPOLATE_LINEAR;
    size_t n = 0;
    if (!tqa_value_fields(input, table_fields, table_needed) ||
        !tqa_value_array(&t, 2, TABLE_POINTS_MAX, &n) || !tqa_value_array(&tau, n, n, &n) ||
        (how.value != NULL && !tqa_value_choice(&how, interpolations, &interpolation)) ||
        !read_values(s, &t, &tau, n)) {
        return false;
    }
    s->torque.interpolation = (tq_interpolation)interpolation;
    if (interpolation == TQ_INTERPOLATE_CUBIC) {
        tq_scratch scratch;
        tq_error error = {0};
        double *curvature = tqa_tree_take(s->tree, n * s->order.nv, sizeof *curvature);
        if (curvature == NULL ||
            !tqa_tree_scratch(s->tree, tq_scratch_cost(n, sizeof(double)), &scratch)) {
            return false;
        }
        const tq_status status = tq_table_fit(&s->torque.points, &scratch, curvature, &error);
        if (status != TQ_OK) {
            return tqa_tree_fail(s->tree, "/input", status, &error);
        }
        s->torque.curvature = curvature;
    }
    const tq_effect effect = tq_torque_table(&s->torque);
    return tqa_simulation_add_effect(s, &effect);
}

static bool read_controller(tqa_simulation *s, const tqa_value *input)
{
    const tqa_controlled controlled = {.order = &s->order,
                                       .mechanism = s->mechanism,
                                       .q = s->q,
                                       .qd = s->qd,
                                       .gravity = s->gravity,
                                       .without = s->plant.without};
    if (!tqa_value_controller(input, &controlled, &s->controller)) {
        return false;
    }
    s->has_controller = true;
    return tqa_simulation_add_effect(s, &s->controller.effect);
}

bool tqa_simulation_read_input(tqa_simulation *s)
{
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value input = tqa_value_field(&root, "input");
    const char *kinds[KINDS_MAX] = {"torque"};
    unsigned kind = 0;
    if (input.value == NULL) {
        return true;
    }
    for (size_t k = 0; tqa_controller_kinds[k] != NULL && k + 2 < KINDS_MAX; k++) {
        kinds[k + 1] = tqa_controller_kinds[k];
    }
    if (!json_is_object(input.value)) {
        return tqa_value_object(&input, table_fields);
    }
    /* other words for fields are those of its kind: a "target" is a pose or a setpoint */
    tqa_wording_fields(&input, kind_field);
    const tqa_value name = tqa_value_field(&input, "kind");
    if (name.value == NULL) {
        tqa_wording_fields(&input, any_fields);
    }
    if (name.value == NULL && tqa_value_field(&input, "tau").value == NULL) {
        return tqa_value_fields(&input, any_fields, any_needed);
    }
    return tqa_value_need(&name, "add \"kind\": \"torque\"") &&
           tqa_value_choice(&name, kinds, &kind) &&
           (kind == 0 ? read_table(s, &input) : read_controller(s, &input));
}

bool tqa_simulation_prepare(tqa_simulation *s)
{
    return !s->has_controller || tqa_reference_prepare(&s->controller.reference);
}
