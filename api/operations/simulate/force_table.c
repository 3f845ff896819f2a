/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/force_table.c - forces over time that a controller commands. */
#include "api/openapi/generated/fields.h"
#include "api/operations/simulate/controller.h"

enum { FORCE_POINTS_MAX = 1 << 20 };

static const char *const interpolations[] = {TQA_WORDS_CONSTRAINED_CONTROLLER_FORCE_INTERPOLATION,
                                             NULL};

/* one row of `values` into a row of the table, zeros elsewhere */
static bool read_values(const tqa_value *part, const tqa_force_columns *columns, double *room,
                        double *to)
{
    if (!tqa_value_numbers(part, columns->n, room)) {
        return false;
    }
    for (size_t k = 0; k < columns->n; k++) {
        to[columns->to[k]] = room[k];
    }
    return true;
}

/* without `t`: one row of values, for all times */
static bool read_goals(const tqa_value *force, const tqa_force_columns *columns, tq_table *ret)
{
    tqa_tree *tree = force->tree;
    const size_t n_column = columns->n_column;
    const tqa_value t = tqa_value_field(force, "t");
    const tqa_value values = tqa_value_field(force, "values");
    size_t n_point = 2;
    if (!tqa_value_need(&values, columns->missing) ||
        (t.value != NULL && (!tqa_value_array(&t, 2, FORCE_POINTS_MAX, &n_point) ||
                             !tqa_value_array(&values, n_point, n_point, &n_point)))) {
        return false;
    }
    double *times = tqa_tree_take(tree, n_point, sizeof *times);
    double *goals = tqa_tree_take(tree, n_point * n_column, sizeof *goals);
    double *room = tqa_tree_take(tree, columns->n, sizeof *room);
    if (times == NULL || goals == NULL || room == NULL) {
        return false;
    }
    times[1] = 1.0;
    if (t.value != NULL && !tqa_value_numbers(&t, n_point, times)) {
        return false;
    }
    for (size_t k = 0; k < n_point; k++) {
        const tqa_value row = t.value != NULL ? tqa_value_item(&values, k) : values;
        if (!read_values(&row, columns, room, goals + k * n_column)) {
            return false;
        }
        if (k > 0 && times[k] <= times[k - 1]) {
            const tqa_value item = tqa_value_item(&t, k);
            return tqa_value_refuse(&item, "range", "times of a table increase",
                                    "time %g follows %g", times[k], times[k - 1]);
        }
    }
    ret->points =
        (tq_waypoints){.n_point = n_point, .n_coordinate = n_column, .t = times, .x = goals};
    return true;
}

static bool fit_goals(const tqa_value *force, tq_table *table)
{
    tqa_tree *tree = force->tree;
    const size_t n = table->points.n_point;
    tq_scratch scratch;
    tq_error error = {0};
    double *curvature = tqa_tree_take(tree, n * table->points.n_coordinate, sizeof *curvature);
    if (curvature == NULL ||
        !tqa_tree_scratch(tree, tq_scratch_cost(n, sizeof(double)), &scratch)) {
        return false;
    }
    table->curvature = curvature;
    const tq_status status = tq_table_fit(&table->points, &scratch, curvature, &error);
    return status == TQ_OK || tqa_tree_fail(tree, force->pointer, status, &error);
}

bool tqa_value_force_table(const tqa_value *force, const tqa_force_columns *columns, tq_table *ret)
{
    const tqa_value how = tqa_value_field(force, "interpolation");
    unsigned interpolation = TQ_INTERPOLATE_LINEAR;
    if (!read_goals(force, columns, ret) ||
        (how.value != NULL && !tqa_value_choice(&how, interpolations, &interpolation))) {
        return false;
    }
    ret->interpolation = (tq_interpolation)interpolation;
    return interpolation != TQ_INTERPOLATE_CUBIC || fit_goals(force, ret);
}
