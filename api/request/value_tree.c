/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/value_tree.c - a document's events become a tree, within bounds. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/request/refuse.h"
#include "api/request/value.h"

enum { QUOTE_MAX = 64 };

void tqa_tree_place(const tqa_tree *control, char pointer[TQA_POINTER_TEXT])
{
    pointer[0] = '\0';
    for (size_t d = 1; d <= control->depth; d++) {
        if (json_is_array(control->open[d])) {
            /* the element that is open, else the next one */
            tqa_place_index(pointer, json_array_size(control->open[d]) - (d < control->depth));
        } else if (control->key[d] != NULL) {
            tqa_place_key(pointer, control->key[d], control->n_key[d]);
        }
    }
}

static bool refuse(tqa_tree *control, uint64_t at, const char *slug, const char *hint,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));
static bool refuse(tqa_tree *control, uint64_t at, const char *slug, const char *hint,
                   const char *format, ...)
{
    char pointer[TQA_POINTER_TEXT];
    char detail[TQA_PROBLEM_TEXT];
    tqa_tree_place(control, pointer);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    const char *separator = pointer[0] != '\0' ? ": " : "";
    if (at != UINT64_MAX) {
        (void)tqa_problem_set(control->problem, slug, "%s%s%s (byte %llu of the body)", pointer,
                              separator, detail, (unsigned long long)at);
    } else {
        (void)tqa_problem_set(control->problem, slug, "%s%s%s", pointer, separator, detail);
    }
    tqa_problem_fault(control->problem, pointer, hint, "%s", detail);
    return false;
}

/* Takes the value over, also when it refuses. */
static bool add(tqa_tree *control, uint64_t at, json_t *value)
{
    json_t *parent = control->open[control->depth];
    if (value == NULL) {
        return refuse(control, at, "busy", "try again later", "there is no memory for this");
    }
    if (++control->n_value > TQA_TREE_VALUES_MAX) {
        json_decref(value);
        return refuse(control, at, "too-large", "send fewer samples at a time",
                      "a request may have %d values", TQA_TREE_VALUES_MAX);
    }
    if (control->depth == 0) {
        if (!json_is_object(value)) {
            json_decref(value);
            return refuse(control, at, "wrong-type",
                          "write the fields of the request in braces: {...}", "expected an object");
        }
        control->root = value;
        return true;
    }
    int failed = 0;
    if (json_is_array(parent)) {
        failed = json_array_append_new(parent, value);
    } else {
        failed = json_object_set_new_nocheck(parent, control->key[control->depth], value);
    }
    return failed == 0 || refuse(control, at, "busy", "try again", "there is no memory for this");
}

static bool enter(void *ctx, uint64_t at, json_t *value)
{
    tqa_tree *control = ctx;
    if (!add(control, at, value)) {
        return false;
    }
    assert(control->depth < TQA_EVENT_DEPTH_MAX);
    control->depth++;
    control->open[control->depth] = value;
    control->key[control->depth] = NULL;
    return true;
}

static bool leave(void *ctx, uint64_t at)
{
    (void)at;
    tqa_tree *control = ctx;
    control->depth--;
    return true;
}

static bool begin_map(void *ctx, uint64_t at)
{
    return enter(ctx, at, json_object());
}

static bool begin_array(void *ctx, uint64_t at)
{
    return enter(ctx, at, json_array());
}

static bool key(void *ctx, uint64_t at, const char *text, size_t n)
{
    tqa_tree *control = ctx;
    const size_t d = control->depth;
    control->key[d] = NULL;
    if (memchr(text, '\0', n) != NULL) {
        return refuse(control, at, "unknown-field", "leave the byte 0 out",
                      "a field's name has no byte 0");
    }
    const char *copy = tqa_arena_text(control->arena, text, n);
    if (copy == NULL) {
        return tqa_arena_short(control->arena)
                   ? refuse(control, at, "busy", "try again", "memory is short")
                   : refuse(control, at, "too-large", "send less at a time",
                            "the request needs too much memory");
    }
    control->key[d] = copy;
    control->n_key[d] = n;
    if (json_object_get(control->open[d], copy) != NULL) {
        return refuse(control, at, "duplicate-field", "give it once", "\"%.*s\" stands here twice",
                      QUOTE_MAX, copy);
    }
    return true;
}

static bool number(void *ctx, uint64_t at, double value)
{
    return add(ctx, at, json_real(value));
}

static bool numbers(void *ctx, uint64_t at, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!add(ctx, at, json_real(values[i]))) {
            return false;
        }
    }
    return true;
}

static bool string(void *ctx, uint64_t at, const char *text, size_t n)
{
    if (memchr(text, '\0', n) != NULL) {
        return refuse(ctx, at, "invalid-value", "leave the byte 0 out", "a text has no byte 0");
    }
    return add(ctx, at, json_stringn_nocheck(text, n));
}

static bool boolean(void *ctx, uint64_t at, bool value)
{
    return add(ctx, at, json_boolean(value));
}

static bool null(void *ctx, uint64_t at)
{
    return refuse(ctx, at, "wrong-type", "leave the field out", "null is no value here");
}

const tqa_events tqa_tree_events = {
    .begin_map = begin_map,
    .end_map = leave,
    .key = key,
    .begin_array = begin_array,
    .end_array = leave,
    .number = number,
    .numbers = numbers,
    .string = string,
    .boolean = boolean,
    .null = null,
};
