/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/receive.c - receives a request's events: the root object, and one receiver for each
 * kind of field that needs no file of its own. */
#include <string.h>

#include "api/problems/nearest.h"
#include "api/request/refuse.h"
#include "api/request/request.h"

/* ------------------------------------------------------------------------------------------------
 * Receivers by kind of field
 */

static tqa_rows *rows_of(tqa_request *request)
{
    return &request->rows[request->field->motion];
}

static tqa_blocks *blocks_of(tqa_request *request)
{
    return &request->motion[request->field->motion];
}

static const char *motion_wanted(const tqa_request *request)
{
    return request->depth > 1 ? "a number" : "an array of numbers, or an array of such arrays";
}

static bool motion_begin(tqa_request *request, uint64_t at)
{
    return tqa_refuse_rows(request, at, rows_of(request),
                           tqa_rows_begin(rows_of(request), blocks_of(request)));
}

static bool motion_end(tqa_request *request, uint64_t at)
{
    return tqa_refuse_rows(request, at, rows_of(request),
                           tqa_rows_end(rows_of(request), blocks_of(request)));
}

static bool motion_numbers(tqa_request *request, uint64_t at, const double *values, size_t n)
{
    return tqa_refuse_rows(request, at, rows_of(request),
                           tqa_rows_numbers(rows_of(request), blocks_of(request), values, n));
}

static void motion_place(const tqa_request *request, char *pointer)
{
    tqa_place_rows(pointer, &request->rows[request->field->motion], request->whole);
}

const tqa_receiver tqa_motion_receiver = {
    .place = motion_place,
    .wanted = motion_wanted,
    .begin_array = motion_begin,
    .end_array = motion_end,
    .numbers = motion_numbers,
};

/* Lists of names and numbers have one level of brackets. */
static bool list_begin(tqa_request *request, uint64_t at)
{
    if (request->depth > 1) {
        return tqa_refuse_type(request, at, request->inside->wanted(request), "an array");
    }
    request->n_element = 0;
    return true;
}

static bool list_end(tqa_request *request, uint64_t at)
{
    (void)request;
    (void)at;
    return true;
}

static const char *names_wanted(const tqa_request *request)
{
    return request->depth > 1 ? "a name in quotes" : "an array of names";
}

static bool joint_taken(const tqa_request *request, const tq_joint *joint)
{
    for (size_t r = 0; r < request->n_v_map; r++) {
        if (request->v_map[r] == joint->v_index) {
            return true;
        }
    }
    return false;
}

static bool joint_name(tqa_request *request, uint64_t at, const char *text, size_t n)
{
    const tqa_robot *robot = request->robot;
    const uint32_t j = tqa_robot_joint(robot, text, n);
    if (j == TQ_NONE) {
        tqa_nearest nearest;
        tqa_nearest_init(&nearest, text, n);
        for (uint32_t k = 0; k < robot->model->n_joint; k++) {
            tqa_nearest_offer(&nearest, robot->joint_names[k]);
        }
        return tqa_refuse_name(request, at, "joint", &nearest);
    }
    const tq_joint *joint = &robot->model->joints[j];
    if (joint->nv == 0) {
        return tqa_refuse(request, at, "invalid-value", "leave it out",
                          "joint \"%s\" has no coordinates of its own", robot->joint_names[j]);
    }
    if (joint_taken(request, joint)) {
        return tqa_refuse(request, at, "invalid-value", "name it once",
                          "joint \"%s\" is named twice", robot->joint_names[j]);
    }
    for (uint32_t k = 0; k < joint->nq; k++) {
        request->q_map[request->n_q_map++] = joint->q_index + k;
    }
    for (uint32_t k = 0; k < joint->nv; k++) {
        request->v_map[request->n_v_map++] = joint->v_index + k;
    }
    request->n_element++;
    return true;
}

static bool joints_end(tqa_request *request, uint64_t at)
{
    const tqa_robot *robot = request->robot;
    for (uint32_t j = 0; j < robot->model->n_joint; j++) {
        const tq_joint *joint = &robot->model->joints[j];
        if (joint->nv > 0 && !joint_taken(request, joint)) {
            request->whole = true;
            return tqa_refuse(request, at, "wrong-length", "name every joint that moves, once",
                              "joint \"%s\" is not named", robot->joint_names[j]);
        }
    }
    request->reordered = true;
    return true;
}

const tqa_receiver tqa_joints_receiver = {
    .wanted = names_wanted,
    .begin_array = list_begin,
    .end_array = joints_end,
    .string = joint_name,
};

static bool choose(tqa_request *request, uint64_t at, const tqa_choice *choices, const char *what,
                   uint64_t *bits, const char *text, size_t n)
{
    for (const tqa_choice *choice = choices; choice->name != NULL; choice++) {
        if (strlen(choice->name) == n && memcmp(choice->name, text, n) == 0) {
            *bits |= choice->bit;
            request->n_element++;
            return true;
        }
    }
    tqa_nearest nearest;
    tqa_nearest_init(&nearest, text, n);
    for (const tqa_choice *choice = choices; choice->name != NULL; choice++) {
        tqa_nearest_offer(&nearest, choice->name);
    }
    return tqa_refuse_name(request, at, what, &nearest);
}

/* the same, where the bits are fewer */
static bool choose_few(tqa_request *request, uint64_t at, const tqa_choice *choices,
                       const char *what, unsigned *bits, const char *text, size_t n)
{
    uint64_t all = *bits;
    const bool known = choose(request, at, choices, what, &all, text, n);
    *bits = (unsigned)all;
    return known;
}

static bool without_name(tqa_request *request, uint64_t at, const char *text, size_t n)
{
    return choose_few(request, at, request->schema->without, "term", &request->without, text, n);
}

const tqa_receiver tqa_without_receiver = {
    .wanted = names_wanted,
    .begin_array = list_begin,
    .end_array = list_end,
    .string = without_name,
};

static bool include_name(tqa_request *request, uint64_t at, const char *text, size_t n)
{
    return choose(request, at, request->schema->include, "result to include", &request->include,
                  text, n);
}

const tqa_receiver tqa_include_receiver = {
    .wanted = names_wanted,
    .begin_array = list_begin,
    .end_array = list_end,
    .string = include_name,
};

static bool axis_name(tqa_request *request, uint64_t at, const char *text, size_t n)
{
    static const tqa_choice axes[] = {{"x", 1u << 0},  {"y", 1u << 1},  {"z", 1u << 2},
                                      {"rx", 1u << 3}, {"ry", 1u << 4}, {"rz", 1u << 5},
                                      {NULL, 0}};
    return choose_few(request, at, axes, "axis", &request->options.axes, text, n);
}

const tqa_receiver tqa_axes_receiver = {
    .wanted = names_wanted,
    .begin_array = list_begin,
    .end_array = list_end,
    .string = axis_name,
};

static const char *gravity_wanted(const tqa_request *request)
{
    return request->depth > 1 ? "a number" : "an array of 3 numbers";
}

static bool gravity_numbers(tqa_request *request, uint64_t at, const double *values, size_t n)
{
    (void)at;
    for (size_t k = 0; k < n; k++, request->n_element++) {
        if (request->n_element < 3) {
            request->gravity[request->n_element] = values[k];
        }
    }
    return true;
}

static bool gravity_end(tqa_request *request, uint64_t at)
{
    request->has_gravity = true;
    if (request->n_element == 3) {
        return true;
    }
    request->whole = true;
    return tqa_refuse(request, at, "wrong-length", "gravity is [x, y, z] in m/s^2, world frame",
                      "expected 3 numbers, got %zu", request->n_element);
}

const tqa_receiver tqa_gravity_receiver = {
    .wanted = gravity_wanted,
    .begin_array = list_begin,
    .end_array = gravity_end,
    .numbers = gravity_numbers,
};

/* ------------------------------------------------------------------------------------------------
 * The root: an object whose keys choose the receiver
 */

static bool refuse_value(tqa_request *request, uint64_t at, const char *got)
{
    const char *wanted =
        request->inside != NULL ? request->inside->wanted(request) : "an object with named fields";
    return tqa_refuse_type(request, at, wanted, got);
}

static bool root_begin_map(void *ctx, uint64_t at)
{
    tqa_request *request = ctx;
    if (request->depth > 0) {
        if (request->inside->begin_map == NULL) {
            return refuse_value(request, at, "an object");
        }
        if (!request->inside->begin_map(request, at)) {
            return false;
        }
    }
    request->depth++;
    return true;
}

/* A bracket has closed: after the last one of a field, the next key is the root's. */
static void close_bracket(tqa_request *request)
{
    request->depth--;
    if (request->depth <= 1) {
        request->inside = NULL;
        request->field = NULL;
    }
}

static bool root_end_map(void *ctx, uint64_t at)
{
    tqa_request *request = ctx;
    if (request->inside != NULL && !request->inside->end_map(request, at)) {
        return false;
    }
    close_bracket(request);
    return true;
}

static bool root_key(void *ctx, uint64_t at, const char *text, size_t n)
{
    tqa_request *request = ctx;
    if (request->inside != NULL) {
        return request->inside->key(request, at, text, n);
    }
    for (size_t f = 0; f < request->schema->n_field; f++) {
        const tqa_field *field = &request->schema->fields[f];
        if (n == 0 || field->name[0] != text[0] || strlen(field->name) != n ||
            memcmp(field->name, text, n) != 0) {
            continue;
        }
        if ((request->seen >> f & 1u) != 0) {
            return tqa_refuse_key(request, at, "duplicate-field", text, n, "give it once");
        }
        request->seen |= 1u << f;
        request->field = field;
        request->inside = field->receiver;
        return true;
    }
    tqa_nearest nearest;
    tqa_nearest_init(&nearest, text, n);
    for (size_t f = 0; f < request->schema->n_field; f++) {
        tqa_nearest_offer(&nearest, request->schema->fields[f].name);
    }
    return tqa_refuse_key(request, at, "unknown-field", text, n, tqa_nearest_hint(&nearest));
}

static bool root_begin_array(void *ctx, uint64_t at)
{
    tqa_request *request = ctx;
    if (request->inside == NULL || request->inside->begin_array == NULL) {
        return refuse_value(request, at, "an array");
    }
    if (!request->inside->begin_array(request, at)) {
        return false;
    }
    request->depth++;
    return true;
}

static bool root_end_array(void *ctx, uint64_t at)
{
    tqa_request *request = ctx;
    if (!request->inside->end_array(request, at)) {
        return false;
    }
    close_bracket(request);
    return true;
}

static bool root_numbers(void *ctx, uint64_t at, const double *values, size_t n)
{
    tqa_request *request = ctx;
    if (request->depth <= 1 || request->inside->numbers == NULL) {
        return refuse_value(request, at, "a number");
    }
    return request->inside->numbers(request, at, values, n);
}

/* The numbers of many samples at once where that is what they are, else array by array. */
static bool root_rows(void *ctx, uint64_t at, const double *values, size_t n_row, size_t n_column,
                      size_t n_byte)
{
    tqa_request *request = ctx;
    if (request->depth == 2 && request->inside == &tqa_motion_receiver) {
        tqa_rows *rows = rows_of(request);
        if (rows->shape != TQA_SHAPE_FLAT && rows->n_row == n_column) {
            return tqa_refuse_rows(request, at, rows,
                                   tqa_rows_whole(rows, blocks_of(request), values, n_row));
        }
    }
    for (size_t i = 0; i < n_row; i++, at += n_byte) {
        if (!root_begin_array(ctx, at) || !root_numbers(ctx, at, values + i * n_column, n_column) ||
            !root_end_array(ctx, at + n_byte)) {
            return false;
        }
    }
    return true;
}

static bool root_number(void *ctx, uint64_t at, double value)
{
    return root_numbers(ctx, at, &value, 1);
}

static bool root_string(void *ctx, uint64_t at, const char *text, size_t n)
{
    tqa_request *request = ctx;
    const tqa_receiver *inside = request->inside;
    if (inside == NULL || inside->string == NULL || (request->depth <= 1 && !inside->bare)) {
        return refuse_value(request, at, "a string");
    }
    if (!inside->string(request, at, text, n)) {
        return false;
    }
    if (request->depth <= 1) {
        request->inside = NULL;
        request->field = NULL;
    }
    return true;
}

static bool root_boolean(void *ctx, uint64_t at, bool value)
{
    tqa_request *request = ctx;
    if (request->depth > 1 && request->inside->boolean != NULL) {
        return request->inside->boolean(request, at, value);
    }
    return refuse_value(ctx, at, value ? "true" : "false");
}

static bool root_null(void *ctx, uint64_t at)
{
    tqa_request *request = ctx;
    if (request->depth > 1 && request->inside->null != NULL) {
        return request->inside->null(request, at);
    }
    return refuse_value(ctx, at, "null");
}

const tqa_events tqa_request_events = {
    .begin_map = root_begin_map,
    .end_map = root_end_map,
    .key = root_key,
    .begin_array = root_begin_array,
    .end_array = root_end_array,
    .number = root_number,
    .numbers = root_numbers,
    .string = root_string,
    .boolean = root_boolean,
    .null = root_null,
    .rows = root_rows,
};
