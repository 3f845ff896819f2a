/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/selectors.c - columns that a request names: by name, number, range or pattern. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/problems/nearest.h"
#include "api/recordings/finder.h"

/* "did you mean", else some of the names of the file */
static void hint_names(const tqa_finder *f, const char *name, char hint[TQA_PROBLEM_TEXT])
{
    tqa_nearest nearest;
    tqa_nearest_init(&nearest, name, strlen(name));
    const size_t n = tqa_table_columns(f->table);
    for (size_t c = 0; c < n; c++) {
        tqa_nearest_offer(&nearest, tqa_table_name(f->table, c));
    }
    if (nearest.best != NULL && nearest.best[0] != '\0') {
        (void)snprintf(hint, TQA_PROBLEM_TEXT, "did you mean \"%s\"?", nearest.best);
        return;
    }
    if (tqa_table_name(f->table, 0)[0] == '\0') {
        (void)snprintf(hint, TQA_PROBLEM_TEXT,
                       "the file has no header: name its %zu columns by number, 0 to %zu", n,
                       n - 1);
        return;
    }
    size_t used = (size_t)snprintf(hint, TQA_PROBLEM_TEXT, "the columns are");
    for (size_t c = 0; c < n && used + 40 < TQA_PROBLEM_TEXT; c++) {
        /* the end of a long name is more specific than its beginning */
        const char *text = tqa_table_name(f->table, c);
        const size_t length = strlen(text);
        const bool is_long = length > 30;
        used += (size_t)snprintf(hint + used, TQA_PROBLEM_TEXT - used, " \"%s%.30s\"%s",
                                 is_long ? "..." : "", is_long ? text + length - 27 : text,
                                 c + 1 < n ? "," : "");
    }
}

bool tqa_finder_read_one(const tqa_finder *f, const tqa_value *part, uint32_t *ret)
{
    const size_t n = tqa_table_columns(f->table);
    const char *name = json_string_value(part->value);
    char hint[TQA_PROBLEM_TEXT];
    if (name != NULL) {
        if (tqa_find_exactly(f, name, strlen(name), ret)) {
            return true;
        }
        hint_names(f, name, hint);
        return tqa_value_refuse(part, "unknown-name", hint, "\"%.100s\" has no column \"%.64s\"",
                                f->source, name);
    }
    double index = 0.0;
    if (!json_is_number(part->value)) {
        return tqa_value_refuse(part, "wrong-type",
                                "a name as in the header, in quotes; or a number from 0",
                                "expected the name of a column, or its number from 0");
    }
    if (!tqa_value_number(part, &index)) {
        return false;
    }
    if (!(index >= 0.0 && index < (double)n && index == floor(index))) {
        return tqa_value_refuse(part, "range", "one of its columns",
                                "\"%.100s\" has %zu columns, numbered from 0 to %zu", f->source, n,
                                n - 1);
    }
    *ret = (uint32_t)index;
    return true;
}

/* "3-8": numbers of columns; false: it is none, or (*ret_good false) refused */
static bool read_range(const tqa_finder *f, const tqa_value *part, const char *text, size_t n,
                       uint32_t *ret, bool *ret_good)
{
    char *end = NULL;
    char *last_end = NULL;
    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    const unsigned long first = strtoul(text, &end, 10);
    if (*end != '-' || end[1] < '0' || end[1] > '9') {
        return false;
    }
    const unsigned long last = strtoul(end + 1, &last_end, 10);
    const size_t all = tqa_table_columns(f->table);
    if (*last_end != '\0') {
        return false;
    }
    *ret_good = last >= first && last - first + 1 == n && last < all;
    for (size_t r = 0; *ret_good && r < n; r++) {
        ret[r] = (uint32_t)(first + r);
    }
    if (!*ret_good) {
        (void)tqa_value_refuse(part, "range", "\"first-last\", both from 0",
                               "\"%.40s\": expected %zu of the %zu columns of \"%.80s\"", text, n,
                               all, f->source);
    }
    return true;
}

/* A list of as many columns as the joints beside the floating base have. */
static bool is_length_of_joints(const tqa_finder *f, const tqa_value *part)
{
    tqa_finder of_joints = *f;
    of_joints.of_joints = true;
    return f->request->base != TQ_NONE && !f->of_joints &&
           json_array_size(part->value) == tqa_finder_width(&of_joints, TQA_RECORDING_Q);
}

static bool refuse_pose(const tqa_finder *f, const tqa_value *part)
{
    return tqa_value_refuse(
        part, "missing-field",
        "add \"base_position\": [3 columns] and \"base_quaternion_wxyz\": [4 columns] beside it; a "
        "base that did not move belongs into \"at_rest\"",
        "these are the columns of the joints alone: the pose of the floating base \"%.60s\" is "
        "missing",
        f->request->tree->robot->joint_names[f->request->base]);
}

bool tqa_finder_read(const tqa_finder *f, const tqa_value *part, tqa_recording_quantity quantity,
                     size_t n, uint32_t *ret)
{
    const char *name = json_string_value(part->value);
    size_t n_item = 0;
    if (name != NULL) {
        bool good = true;
        if (strchr(name, '%') != NULL ? tqa_find_pattern(f, name, quantity, n, ret)
                                      : tqa_find_group(f, name, quantity, n, ret)) {
            return true;
        }
        if (read_range(f, part, name, n, ret, &good)) {
            return good;
        }
        char hint[TQA_PROBLEM_TEXT];
        hint_names(f, name, hint);
        if (strchr(name, '%') != NULL) {
            return tqa_value_refuse(part, "unknown-name", hint,
                                    "\"%.80s\" has no %zu columns \"%.40s\" with the names of the "
                                    "joints, or numbers, in place of %%",
                                    f->source, n, name);
        }
        return tqa_value_refuse(part, "unknown-name", hint,
                                "\"%.80s\" has no columns \"%.40s0\" to \"%.40s%zu\"", f->source,
                                name, name, n - 1);
    }
    if (n == 1 && json_is_number(part->value)) {
        return tqa_finder_read_one(f, part, ret);
    }
    if (!json_is_array(part->value)) {
        return tqa_value_refuse(part, "wrong-type", "[1, 2, 3], say, or names",
                                "expected %zu columns", n);
    }
    if (quantity == TQA_RECORDING_Q && is_length_of_joints(f, part)) {
        return refuse_pose(f, part);
    }
    if (!tqa_value_array(part, n, n, &n_item)) {
        return false;
    }
    for (size_t r = 0; r < n; r++) {
        const tqa_value item = tqa_value_item(part, r);
        if (!tqa_finder_read_one(f, &item, &ret[r])) {
            return false;
        }
    }
    return true;
}
