/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/drives_read.c - `drives` of a simulation: commands in, currents and
 * voltages out. */
#include "api/codec/writer.h"
#include "api/openapi/generated/fields.h"
#include "api/operations/simulate/simulate.h"

#include <math.h>

enum { POINTS_MAX = 1 << 20 };

static const char *const fields[] = {TQA_FIELDS_SIMULATE_DRIVES, NULL};
/* in the order of tq_drive_mode */
static const char *const commands[] = {TQA_WORDS_SIMULATE_DRIVES_COMMAND, NULL};
static const char *const interpolations[] = {TQA_WORDS_SIMULATE_DRIVES_INTERPOLATION, NULL};

static size_t find_drives(tqa_simulation *s)
{
    const tqa_robot *robot = s->tree->robot;
    tqa_drives *d = &s->drives;
    d->joints = tqa_tree_take(s->tree, robot->model->n_joint + 1, sizeof *d->joints);
    d->numbers = tqa_tree_take(s->tree, robot->model->n_joint + 1, sizeof *d->numbers);
    size_t n = 0;
    for (uint32_t j = 0; d->joints != NULL && d->numbers != NULL && j < robot->model->n_joint;
         j++) {
        const tq_drive *drive = tqa_robot_drive(robot, j);
        if (drive != NULL) {
            d->joints[n] =
                (tq_driven_joint){.row = robot->model->joints[j].v_index, .drive = drive};
            d->numbers[n++] = j;
        }
    }
    d->driven.joints = d->joints;
    return n;
}

/* a duty needs a supply that is switched, a velocity a loop that follows it */
static bool check_mode(tqa_simulation *s, const tqa_value *command, size_t n)
{
    const tqa_drives *d = &s->drives;
    for (size_t k = 0; k < n; k++) {
        const tq_drive *drive = d->joints[k].drive;
        const char *name = s->tree->robot->joint_names[d->numbers[k]];
        if (d->driven.mode == TQ_DRIVE_DUTY &&
            (drive->amplifier.kind != TQ_AMPLIFIER_PWM || !isfinite(drive->amplifier.supply))) {
            return tqa_value_refuse(command, "invalid-value", "\"voltage\" takes any amplifier",
                                    "the drive of \"%.64s\" has no PWM amplifier with a supply",
                                    name);
        }
        if (d->driven.mode == TQ_DRIVE_VELOCITY && drive->velocity.gain == 0.0) {
            return tqa_value_refuse(command, "invalid-value",
                                    "give the drive a \"velocity_loop\", or ask for a current",
                                    "the drive of \"%.64s\" has no velocity loop", name);
        }
    }
    return true;
}

static bool read_rows(const tqa_value *part, const tqa_value *t, size_t n, size_t width,
                      tq_waypoints *ret)
{
    tqa_tree *tree = part->tree;
    double *times = tqa_tree_take(tree, n, sizeof *times);
    double *values = tqa_tree_take(tree, n * width, sizeof *values);
    if (times == NULL || values == NULL || !tqa_value_numbers(t, n, times)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        const tqa_value row = tqa_value_item(part, k);
        if (!tqa_value_numbers(&row, width, values + k * width)) {
            return false;
        }
        if (k > 0 && times[k] <= times[k - 1]) {
            const tqa_value item = tqa_value_item(t, k);
            return tqa_value_refuse(&item, "range", "times of a table increase",
                                    "time %g follows %g", times[k], times[k - 1]);
        }
    }
    *ret = (tq_waypoints){.n_point = n, .n_coordinate = width, .t = times, .x = values};
    return true;
}

static bool read_table(tqa_simulation *s, const tqa_value *drives, size_t width)
{
    const tqa_value t = tqa_value_field(drives, "t");
    const tqa_value values = tqa_value_field(drives, "values");
    const tqa_value how = tqa_value_field(drives, "interpolation");
    static const tqa_needed needed[] = {
        {"t", "add \"t\": the times of the commands, s"},
        {"values", "add \"values\": for each time a command for each drive"},
        {NULL, NULL}};
    tq_table *table = &s->drives.table;
    unsigned interpolation = TQ_INTERPOLATE_HOLD;
    size_t n = 0;
    if (!tqa_value_fields(drives, fields, needed) || !tqa_value_array(&t, 2, POINTS_MAX, &n) ||
        !tqa_value_array(&values, n, n, &n) ||
        (how.value != NULL && !tqa_value_choice(&how, interpolations, &interpolation)) ||
        !read_rows(&values, &t, n, width, &table->points)) {
        return false;
    }
    table->interpolation = (tq_interpolation)interpolation;
    s->drives.driven.table = table;
    if (interpolation != TQ_INTERPOLATE_CUBIC) {
        return true;
    }
    tq_scratch scratch;
    tq_error error = {0};
    double *curvature = tqa_tree_take(s->tree, n * width, sizeof *curvature);
    if (curvature == NULL ||
        !tqa_tree_scratch(s->tree, tq_scratch_cost(n, sizeof(double)), &scratch)) {
        return false;
    }
    table->curvature = curvature;
    const tq_status status = tq_table_fit(&table->points, &scratch, curvature, &error);
    return status == TQ_OK || tqa_tree_fail(s->tree, drives->pointer, status, &error);
}

/* ------------------------------------------------------------------------------------------------
 * Columns of the answer
 */

typedef enum drive_column { CURRENT, VOLTAGE, LIMITED } drive_column;

static bool fill(const tqa_simulation *s, drive_column what, double *to)
{
    const tqa_drives *d = &s->drives;
    for (size_t k = 0; k < d->driven.n_joint; k++) {
        const tq_drive_flow *flow = &d->driven.flows[k];
        to[k] = what == CURRENT   ? flow->current
                : what == VOLTAGE ? flow->voltage
                                  : (double)flow->limited;
    }
    return true;
}

static bool fill_current(tqa_simulation *s, double *to)
{
    return fill(s, CURRENT, to);
}

static bool fill_voltage(tqa_simulation *s, double *to)
{
    return fill(s, VOLTAGE, to);
}

static bool fill_limited(tqa_simulation *s, double *to)
{
    return fill(s, LIMITED, to);
}

static bool add_columns(tqa_simulation *s)
{
    const size_t n = s->drives.driven.n_joint;
    const tqa_column columns[] = {{.name = "drive_current", .n = n, .fill = fill_current},
                                  {.name = "drive_voltage", .n = n, .fill = fill_voltage},
                                  {.name = "drive_limited", .n = n, .fill = fill_limited}};
    s->drives.driven.flows = tqa_tree_take(s->tree, n, sizeof *s->drives.driven.flows);
    bool added = s->drives.driven.flows != NULL;
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
        added = added && tqa_simulation_add_column(s, &columns[c]);
    }
    return added;
}

bool tqa_drives_read(tqa_simulation *s)
{
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value part = tqa_value_field(&root, "drives");
    tqa_drives *d = &s->drives;
    if (part.value == NULL) {
        return true;
    }
    if (!tqa_value_object(&part, fields)) {
        return false;
    }
    const size_t n = find_drives(s);
    if (n == 0) {
        return tqa_value_refuse(
            &part, "missing-field",
            "give \"drive\": {\"motor\": {\"constant_nm_a\": 0.05, \"resistance\": 0.6}} "
            "to joints of the robot's document",
            "no joint of this robot has a drive");
    }
    const tqa_value command = tqa_value_field(&part, "command");
    const tqa_value reduced = tqa_value_field(&part, "reduced");
    unsigned mode = TQ_DRIVE_TORQUE;
    if ((command.value != NULL && !tqa_value_choice(&command, commands, &mode)) ||
        (reduced.value != NULL && !tqa_value_flag(&reduced, &d->driven.reduced))) {
        return false;
    }
    d->driven.mode = (tq_drive_mode)mode;
    const tqa_value t = tqa_value_field(&part, "t");
    if (mode == TQ_DRIVE_TORQUE && t.value != NULL) {
        return tqa_value_refuse(&t, "invalid-value",
                                "leave it out, or give another \"command\" than \"torque\"",
                                "the torque that drives carry out is that of \"input\"");
    }
    if (!check_mode(s, &command, n) || (mode != TQ_DRIVE_TORQUE && !read_table(s, &part, n))) {
        return false;
    }
    d->driven.n_joint = n;
    return add_columns(s);
}

bool tqa_drives_add(tqa_simulation *s)
{
    if (s->drives.driven.n_joint == 0) {
        return true;
    }
    const tq_effect effect = tq_driven_effect(&s->drives.driven);
    return tqa_simulation_add_effect(s, &effect);
}

void tqa_drives_put(const tqa_simulation *s)
{
    const tqa_drives *d = &s->drives;
    tqa_writer *answer = s->tree->answer;
    if (d->driven.n_joint == 0) {
        return;
    }
    tqa_writer_object(answer, "drives");
    tqa_writer_string(answer, "command", commands[d->driven.mode]);
    tqa_writer_flag(answer, "reduced", d->driven.reduced);
    tqa_writer_list(answer, "joints");
    for (size_t k = 0; k < d->driven.n_joint; k++) {
        tqa_writer_string(answer, NULL, s->tree->robot->joint_names[d->numbers[k]]);
    }
    tqa_writer_end(answer);
    tqa_writer_end(answer);
}
