/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/value_tree.c - a document's events become a tree, within bounds. */
#include <assert.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/request/refusal.h"
#include "api/request/value.h"

enum { QUOTE_MAX = 64 };

tqa_tree *tqa_tree_new(const tqa_robot *robot, tqa_problem *problem)
{
    tqa_tree *tree = malloc(sizeof *tree);
    tqa_arena *arena = tqa_arena_new(TQA_TREE_MEMORY_MAX);
    if (tree == NULL || arena == NULL) {
        tqa_arena_free(arena);
        free(tree);
        return NULL;
    }
    memset(tree, 0, offsetof(tqa_tree, open));
    tree->open[0] = NULL;
    tree->robot = robot;
    tree->problem = problem;
    tree->arena = arena;
    tree->offsets = tree->first_offsets;
    tree->n_offset = 0;
    tree->lacks_offsets = false;
    tree->n_offset_room = sizeof tree->first_offsets / sizeof tree->first_offsets[0];
    return tree;
}

void tqa_tree_free(tqa_tree *tree)
{
    if (tree == NULL) {
        return;
    }
    if (tree->offsets != tree->first_offsets) {
        free(tree->offsets);
    }
    tqa_wording_free(tree);
    json_decref(tree->root);
    tqa_robot_free(tree->own_robot);
    tqa_arena_free(tree->arena);
    free(tree);
}

/* ------------------------------------------------------------------------------------------------
 * Places
 */

void tqa_tree_place(const void *ctx, char pointer[TQA_POINTER_TEXT])
{
    const tqa_tree *tree = ctx;
    pointer[0] = '\0';
    for (size_t d = 1; d <= tree->depth; d++) {
        if (json_is_array(tree->open[d])) {
            /* the element that is open, else the next one */
            tqa_place_index(pointer, json_array_size(tree->open[d]) - (d < tree->depth));
        } else if (tree->key[d] != NULL) {
            tqa_place_key(pointer, tree->key[d], tree->n_key[d]);
        }
    }
}

bool tqa_tree_in_element(const tqa_tree *tree, size_t *ret_i)
{
    const bool is = tree->depth == 3 && json_is_array(tree->open[2]);
    *ret_i = is ? json_array_size(tree->open[2]) - 1 : 0;
    return is || (tree->depth == 2 && json_is_object(tree->open[2]));
}

void tqa_tree_skip_member(tqa_tree *tree)
{
    tree->key[tree->depth] = NULL;
}

/* Notes where the next key or value begins. Without memory nothing more is noted: refusals then
 * have a pointer only. */
static void note_offset(tqa_tree *tree, uint64_t at)
{
    if (tree->lacks_offsets) {
        return;
    }
    if (tree->n_offset == tree->n_offset_room) {
        const size_t n = 2 * tree->n_offset_room;
        const bool is_first = tree->offsets == tree->first_offsets;
        uint64_t *more = realloc(is_first ? NULL : tree->offsets, n * sizeof *more);
        if (more == NULL) {
            tree->lacks_offsets = true;
            return;
        }
        if (is_first) {
            memcpy(more, tree->first_offsets, sizeof tree->first_offsets);
        }
        tree->offsets = more;
        tree->n_offset_room = n;
    }
    tree->offsets[tree->n_offset++] = at;
}

/* Offsets that a value took, those of its members and elements included; TQA_EVENT_DEPTH_MAX deep
 * at most. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static size_t count_offsets(json_t *value)
{
    size_t n = 1;
    if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++) {
            n += count_offsets(json_array_get(value, i));
        }
    } else if (json_is_object(value)) {
        const char *key = NULL;
        json_t *member = NULL;
        json_object_foreach(value, key, member)
        {
            n += 1 + count_offsets(member);
        }
    }
    return n;
}

/* The element or member at the start of `pointer`; NULL: there is none. *at: its number in the
 * order of arrival, from that of the container. */
static json_t *descend(json_t *container, const char *pointer, size_t n, size_t *at)
{
    char name[TQA_POINTER_TEXT] = "";
    const char *key = NULL;
    json_t *member = NULL;
    size_t i = *at + 1;
    if (json_is_array(container)) {
        const size_t index = strtoul(pointer + 1, NULL, 10);
        for (size_t k = 0; k < index && k < json_array_size(container); k++) {
            i += count_offsets(json_array_get(container, k));
        }
        *at = i;
        return json_array_get(container, index);
    }
    json_object_foreach(container, key, member)
    {
        name[0] = '\0';
        tqa_place_key(name, key, strlen(key));
        if (strlen(name) == n && memcmp(name, pointer, n) == 0) {
            *at = i + 1;
            return member;
        }
        i += 1 + count_offsets(member);
    }
    return NULL;
}

uint64_t tqa_tree_offset(const tqa_tree *tree, const char *pointer, bool of_key)
{
    size_t at = 0;
    bool is_member = false;
    json_t *value = tree->root;
    while (value != NULL && pointer[0] == '/') {
        const size_t n = 1 + strcspn(pointer + 1, "/");
        size_t next = at;
        json_t *inner = descend(value, pointer, n, &next);
        if (inner == NULL) {
            break;
        }
        is_member = json_is_object(value) && pointer[n] == '\0';
        value = inner;
        at = next;
        pointer += n;
    }
    at -= of_key && is_member ? 1 : 0;
    return pointer[0] == '\0' && at < tree->n_offset ? tree->offsets[at] : UINT64_MAX;
}

static bool refuse(tqa_tree *tree, uint64_t at, const char *slug, const char *hint,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));
static bool refuse(tqa_tree *tree, uint64_t at, const char *slug, const char *hint,
                   const char *format, ...)
{
    char pointer[TQA_POINTER_TEXT];
    char detail[TQA_PROBLEM_TEXT];
    tqa_tree_place(tree, pointer);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    return tqa_refuse_at(tree->problem, pointer, at, slug, hint, detail);
}

/* ------------------------------------------------------------------------------------------------
 * Events
 */

/* Takes the value over, also when it refuses. */
static bool add(tqa_tree *tree, uint64_t at, json_t *value)
{
    json_t *parent = tree->open[tree->depth];
    if (value == NULL) {
        return refuse(tree, at, "busy", "try again later", "there is no memory for this");
    }
    if (++tree->n_value > TQA_TREE_VALUES_MAX) {
        json_decref(value);
        return refuse(tree, at, "too-large", "send fewer samples at a time",
                      "a request may have %d values", TQA_TREE_VALUES_MAX);
    }
    note_offset(tree, at);
    if (tree->depth == 0) {
        if (!json_is_object(value)) {
            const char *got = tqa_kind_of(value);
            json_decref(value);
            return tqa_refuse_root(tree->problem, at, got);
        }
        tree->root = value;
        return true;
    }
    int failed = 0;
    if (json_is_array(parent)) {
        failed = json_array_append_new(parent, value);
    } else {
        failed = json_object_set_new_nocheck(parent, tree->key[tree->depth], value);
    }
    return failed == 0 || refuse(tree, at, "busy", "try again", "there is no memory for this");
}

static bool enter(void *ctx, uint64_t at, json_t *value)
{
    tqa_tree *tree = ctx;
    if (!add(tree, at, value)) {
        return false;
    }
    assert(tree->depth < TQA_EVENT_DEPTH_MAX);
    tree->depth++;
    tree->open[tree->depth] = value;
    tree->key[tree->depth] = NULL;
    return true;
}

static bool leave(void *ctx, uint64_t at)
{
    (void)at;
    tqa_tree *tree = ctx;
    tree->depth--;
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
    tqa_tree *tree = ctx;
    const size_t d = tree->depth;
    tree->key[d] = NULL;
    note_offset(tree, at);
    if (memchr(text, '\0', n) != NULL) {
        return refuse(tree, at, "unknown-field", "leave the byte 0 out",
                      "a field's name has no byte 0");
    }
    const char *copy = tqa_arena_text(tree->arena, text, n);
    if (copy == NULL) {
        return tqa_arena_short(tree->arena)
                   ? refuse(tree, at, "busy", "try again", "memory is short")
                   : refuse(tree, at, "too-large", "send less at a time",
                            "the request needs too much memory");
    }
    tree->key[d] = copy;
    tree->n_key[d] = n;
    if (json_object_get(tree->open[d], copy) != NULL) {
        return refuse(tree, at, "duplicate-field", "give it once", "\"%.*s\" is given twice",
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
    return add(ctx, at, json_null()); /* the reader of the field names the type that it takes */
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
