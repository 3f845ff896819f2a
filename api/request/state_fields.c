/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/state_fields.c - rows of numbers by joints: arrays or names, radians or degrees; q,
 * qd and qdd of many samples. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/request/refusal.h"
#include "api/request/robot_fields.h"

enum { STATES_MAX = 1 << 17, QUOTE_MAX = 64 };

bool tqa_value_angles(const tqa_value *part, bool *ret_in_degrees)
{
    static const char *const units[] = {"rad", "deg", NULL};
    unsigned unit = 0;
    const bool good = tqa_value_choice(part, units, &unit);
    *ret_in_degrees = unit == 1;
    return good;
}

const double tqa_radians_of_degree = 0.017453292519943295;

/* Numbers in degrees become radians. */
static void to_radians(const tqa_tree *tree, tqa_row_kind kind, double *values)
{
    const tq_model *model = tree->robot->model;
    const bool *angle = tree->robot->is_angle + (kind == TQA_ROW_Q ? 0 : model->nq);
    const size_t n = kind == TQA_ROW_Q ? model->nq : model->nv;
    const bool taken = kind == TQA_ROW_Q || kind == TQA_ROW_RATE || kind == TQA_ROW_RATE_ARRAY ||
                       kind == TQA_ROW_RATE_LIMIT;
    for (size_t k = 0; k < n && taken && tree->in_degrees; k++) {
        values[k] = angle[k] ? values[k] * tqa_radians_of_degree : values[k];
    }
}

/* Coordinates that are far beyond their limits. */
static void watch(tqa_tree *tree, size_t sample, const double *q)
{
    if (tqa_far_one(tree->robot, q, 1)) {
        tqa_far_note(tree->robot, q, 1, sample, tree->far, &tree->n_far);
    }
}

/* Limits by name: those of joints that are not named stay as they are. */
static bool replace_named(const tqa_value *part, size_t n, tqa_row_kind kind, double *ret)
{
    double *row = tqa_tree_take(part->tree, n, sizeof *row);
    const char *name = NULL;
    json_t *value = NULL;
    for (size_t k = 0; row != NULL && k < n; k++) {
        row[k] = (double)NAN;
    }
    bool good = row != NULL;
    json_object_foreach(part->value, name, value)
    {
        const tqa_value one = tqa_value_field(part, name);
        good = good && tqa_value_of_joint(&one, name, kind, row);
    }
    if (good) {
        to_radians(part->tree, kind, row);
    }
    for (size_t k = 0; good && k < n; k++) {
        ret[k] = isnan(row[k]) ? ret[k] : row[k];
    }
    return good;
}

bool tqa_value_limits(const tqa_value *part, const char *const *known)
{
    const tqa_robot *robot = part->tree->robot;
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach(part->value, name, value)
    {
        if (tqa_robot_joint(robot, name, strlen(name)) != TQ_NONE) {
            char hint[TQA_PROBLEM_TEXT];
            const tqa_value field = tqa_value_field(part, name);
            (void)snprintf(hint, sizeof hint,
                           "the limit first, then the joint: \"velocity\": {\"%.*s\": 1}",
                           QUOTE_MAX, name);
            return tqa_value_refuse(&field, "unknown-field", hint, "\"%.*s\" is a joint", QUOTE_MAX,
                                    name);
        }
    }
    return tqa_value_object(part, known);
}

bool tqa_value_row(const tqa_value *part, const tqa_order *order, tqa_row_kind kind, double *ret)
{
    const bool is_q = kind == TQA_ROW_Q;
    const size_t n = is_q ? order->nq : order->nv;
    const uint32_t *map = is_q ? order->q : order->v;
    if (json_is_object(part->value) && (kind == TQA_ROW_RATE_LIMIT || kind == TQA_ROW_LIMIT)) {
        return replace_named(part, n, kind, ret);
    }
    if (json_is_object(part->value) && kind <= TQA_ROW_TORQUE) {
        if (!tqa_value_by_name(part, kind, ret)) {
            return false;
        }
    } else {
        double *row = tqa_tree_take(part->tree, n, sizeof *row);
        const bool is_one = n == 1 && json_is_number(part->value); /* needs no brackets */
        if (row == NULL ||
            !(is_one ? tqa_value_number(part, row) : tqa_value_numbers(part, n, row))) {
            return false;
        }
        for (size_t k = 0; k < n; k++) {
            ret[map[k]] = row[k];
        }
    }
    to_radians(part->tree, kind, ret);
    if (is_q) {
        watch(part->tree, 0, ret);
    }
    return true;
}

static bool refuse_nesting(const tqa_value *part)
{
    return tqa_value_refuse(part, "wrong-type", TQA_HINT_NESTING, TQA_WRONG_NESTING);
}

/* One sample of an array that may be a batch: faults as those of streamed arrays. */
static bool read_sample(const tqa_value *part, size_t n, const uint32_t *map, tqa_row_kind kind,
                        double *ret)
{
    char hint[TQA_PROBLEM_TEXT];
    if (json_is_object(part->value)) { /* of a batch; one alone comes as a whole */
        return tqa_value_by_name(part, kind, ret);
    }
    if (n == 1 && json_is_number(part->value)) {
        return tqa_value_number(part, ret);
    }
    if (!json_is_array(part->value)) {
        return refuse_nesting(part);
    }
    for (size_t k = 0; k < json_array_size(part->value); k++) {
        if (json_is_array(json_array_get(part->value, k))) {
            const tqa_value item = tqa_value_item(part, k);
            return refuse_nesting(&item);
        }
    }
    double *row = tqa_tree_take(part->tree, n, sizeof *row);
    tqa_hint_sample(n, hint);
    if (row == NULL || !tqa_value_vector(part, n, hint, row)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        ret[map[k]] = row[k];
    }
    return true;
}

/* One of the arrays of a state. */
typedef struct state_rows {
    const char *name;
    tqa_value part;
    size_t n; /* numbers of a sample */
    tqa_row_kind kind;
    bool flat;
    size_t n_sample;
    double *rows; /* NULL: not given */
} state_rows;

static bool read_rows(state_rows *s, const uint32_t *map)
{
    char hint[TQA_PROBLEM_TEXT];
    const tqa_value *part = &s->part;
    const bool by_name = json_is_object(part->value);
    const bool is_number = s->n == 1 && json_is_number(part->value);
    if (!json_is_array(part->value) && !by_name && !is_number) {
        const char *got = tqa_kind_of(part->value);
        tqa_hint_type(TQA_WANTED_SAMPLES, got, hint);
        return tqa_value_refuse(part, "wrong-type", hint, "expected %s, got %s", TQA_WANTED_SAMPLES,
                                got);
    }
    bool good = !by_name || tqa_value_rows_by_name(part, s->kind, &s->flat, &s->n_sample, &s->rows);
    if (!by_name) {
        const json_t *first = json_array_get(part->value, 0);
        s->flat = is_number || !(json_is_array(first) || json_is_object(first));
        s->n_sample = s->flat ? 1 : json_array_size(part->value);
    }
    if (good && s->n_sample > STATES_MAX) {
        return tqa_value_refuse(part, "too-large", "send fewer samples at a time",
                                "at most %d samples are taken", STATES_MAX);
    }
    if (!by_name) {
        s->rows = tqa_tree_take(part->tree, s->n_sample * s->n, sizeof *s->rows);
        good = s->rows != NULL;
    }
    tqa_off_search *off = &part->tree->off;
    const bool search = s->kind == TQA_ROW_Q && tqa_off_begin(off, part->tree->robot);
    for (size_t i = 0; good && i < s->n_sample; i++) {
        const tqa_value row = s->flat ? *part : tqa_value_item(part, i);
        double *to = s->rows + i * s->n;
        good = by_name || read_sample(&row, s->n, map, s->kind, to);
        if (good) {
            to_radians(part->tree, s->kind, to);
        }
        if (good && s->kind == TQA_ROW_Q) {
            watch(part->tree, i, to);
        }
        if (good && search && i % tqa_off_step(s->n_sample) == 0) {
            tqa_off_note(off, to, 1, i);
        }
    }
    free(off->memory);
    off->memory = NULL;
    return good;
}

/* As many samples as the arrays that came have; those of one sample have it for all. */
static bool count_samples(const state_rows arrays[3], tqa_states *ret)
{
    const state_rows *first = NULL;
    ret->flat = true;
    for (unsigned k = 0; k < 3; k++) {
        const state_rows *s = &arrays[k];
        if (s->rows == NULL) {
            continue;
        }
        ret->flat = ret->flat && s->flat;
        if (first == NULL || (ret->n_sample == 1 && s->n_sample != 1)) {
            first = s;
            ret->n_sample = s->n_sample;
        } else if (s->n_sample != ret->n_sample && s->n_sample != 1) {
            return tqa_value_refuse(&s->part, "wrong-length",
                                    "give every array a row for each sample, or one sample for all",
                                    "\"%s\" has %zu samples, but \"%s\" has %zu", s->name,
                                    s->n_sample, first->name, ret->n_sample);
        }
    }
    return true;
}

/* One sample for all of n_sample; without one, zeros. */
static bool repeat(tqa_tree *tree, state_rows *s, size_t n_sample)
{
    double *rows = tqa_tree_take(tree, n_sample * s->n, sizeof *rows);
    if (rows == NULL) {
        return false;
    }
    for (size_t i = 0; s->rows != NULL && i < n_sample; i++) {
        memcpy(rows + i * s->n, s->rows, s->n * sizeof *rows);
    }
    s->rows = rows;
    s->n_sample = n_sample;
    return true;
}

/* Fills in arrays that were left out, or given once for all samples. */
static bool complete(tqa_tree *tree, state_rows arrays[3], unsigned zero, tqa_states *ret)
{
    if (!count_samples(arrays, ret)) {
        return false;
    }
    for (unsigned k = 0; k < 3 && ret->n_sample > 0; k++) {
        state_rows *s = &arrays[k];
        const bool assumed = s->rows == NULL && (zero >> k & 1u) != 0;
        tree->assumed |= assumed ? 1u << k : 0u;
        if ((assumed || (s->rows != NULL && s->n_sample != ret->n_sample)) &&
            !repeat(tree, s, ret->n_sample)) {
            return false;
        }
    }
    ret->q = arrays[0].rows;
    ret->qd = arrays[1].rows;
    ret->qdd = arrays[2].rows;
    return true;
}

bool tqa_tree_states(tqa_tree *tree, const tqa_order *order, unsigned take, unsigned need,
                     unsigned zero, tqa_states *ret)
{
    static const char *const names[3] = {"q", "qd", "qdd"};
    const tqa_value root = tqa_value_root(tree);
    state_rows arrays[3] = {0};
    *ret = (tqa_states){0};
    for (unsigned k = 0; k < 3; k++) {
        state_rows *s = &arrays[k];
        s->name = names[k];
        s->kind = k == 0 ? TQA_ROW_Q : TQA_ROW_RATE;
        s->n = k == 0 ? order->nq : order->nv;
        s->part = tqa_value_field(&root, names[k]);
        if ((take >> k & 1u) == 0 || (s->part.value == NULL && (need >> k & 1u) == 0)) {
            continue;
        }
        char hint[TQA_PROBLEM_TEXT];
        tqa_hint_missing_samples(names[k], s->n, hint);
        if (!tqa_value_need(&s->part, hint) || !read_rows(s, k == 0 ? order->q : order->v)) {
            return false;
        }
    }
    return complete(tree, arrays, zero, ret);
}

bool tqa_states_fail(tqa_tree *tree, const tqa_states *states, size_t sample, tq_status status,
                     const tq_error *error)
{
    char pointer[TQA_POINTER_TEXT] = "/q";
    if (!states->flat) {
        (void)snprintf(pointer, sizeof pointer, "/q/%zu", sample);
    }
    return tqa_tree_fail(tree, pointer, status, error);
}
