/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/outline.c - follows brackets and keys of a document, and takes note of arrays. */
#include "api/tables/outline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = TQA_OUTLINE_NAME_MAX, RANK = TQA_OUTLINE_RANK_MAX, DEPTH = TQA_EVENT_DEPTH_MAX };

struct tqa_outline {
    tqa_outline_array *arrays;
    size_t n_array, n_room;
    bool short_of_memory, has_root;
    char keys[TQA_OUTLINE_KEYS_MAX][NAME];
    size_t n_key;
    char (*joints)[NAME]; /* (TQA_OUTLINE_JOINTS_MAX), once there is one */
    size_t n_joint;
    bool in_degrees;
    /* maps and lists open around an array of numbers, which counts by itself */
    size_t level;
    bool is_list[DEPTH + 1];
    size_t n_path[DEPTH + 1];   /* length of the path outside of each level */
    uint64_t n_item[DEPTH + 1]; /* of a list: objects so far */
    size_t n_list;              /* open lists */
    char path[NAME * 2];
    size_t path_size; /* of `path`, with the key under way; NAME: too long */
    /* the array under way: the last of `arrays`, whose end is not known yet */
    size_t depth, rank; /* 0: none; 0: not known */
    uint64_t shape[RANK + 1], count[RANK + 1];
    tqa_json_scan scan;
};

/* ------------------------------------------------------------------------------ maps and lists */

static bool open_level(tqa_outline *o, bool is_list)
{
    if (o->level >= DEPTH) {
        return false;
    }
    o->has_root = o->has_root || !is_list;
    if (is_list && o->level > 0 && o->is_list[o->level]) {
        o->path_size = NAME; /* a list in a list: nothing in it has a name */
    }
    o->is_list[++o->level] = is_list;
    o->n_item[o->level] = 0;
    o->n_path[o->level] = o->path_size;
    o->n_list += is_list;
    return o->has_root;
}

static bool close_level(tqa_outline *o)
{
    o->path_size = o->n_path[o->level];
    o->n_list -= o->is_list[o->level];
    o->level--;
    return true;
}

/* The array under way is none of numbers: its levels become lists as others. */
static bool give_up(tqa_outline *o)
{
    const size_t depth = o->depth;
    o->depth = 0;
    o->n_array--;
    for (size_t i = 0; i < depth; i++) {
        if (!open_level(o, true)) {
            return false;
        }
    }
    return true;
}

/* The next object of a list has the list's path and its number. */
static void name_item(tqa_outline *o)
{
    char number[24];
    const uint64_t item = o->n_item[o->level]++;
    const size_t base = o->n_path[o->level];
    const size_t n = (size_t)snprintf(number, sizeof number, ".%llu", (unsigned long long)item);
    o->path_size = NAME;
    if (base < NAME && base + n < NAME) {
        memcpy(o->path + base, number, n);
        o->path_size = base + n;
    }
}

static bool on_begin_map(void *ctx, uint64_t at)
{
    (void)at;
    tqa_outline *o = ctx;
    if (o->depth > 0 && !give_up(o)) {
        return false;
    }
    if (o->level > 0 && o->is_list[o->level]) {
        name_item(o);
    }
    return open_level(o, false);
}

static bool on_end_map(void *ctx, uint64_t at)
{
    (void)at;
    return close_level(ctx);
}

static bool on_key(void *ctx, uint64_t at, const char *text, size_t n)
{
    (void)at;
    tqa_outline *o = ctx;
    const size_t base = o->n_path[o->level];
    const size_t dot = base > 0 ? 1 : 0;
    if (o->level == 1 && o->n_key < TQA_OUTLINE_KEYS_MAX && n < NAME) {
        memcpy(o->keys[o->n_key], text, n);
        o->keys[o->n_key++][n] = '\0';
    }
    o->path_size = NAME;
    if (base < NAME && base + dot + n < NAME && memchr(text, '\0', n) == NULL) {
        memcpy(o->path + base, ".", dot);
        memcpy(o->path + base + dot, text, n);
        o->path_size = base + dot + n;
    }
    return true;
}

/* -------------------------------------------------------------------------------------- arrays */

static tqa_outline_array *add_array(tqa_outline *o)
{
    if (o->n_array == o->n_room) {
        const size_t room = o->n_room == 0 ? 32 : 2 * o->n_room;
        tqa_outline_array *more = realloc(o->arrays, room * sizeof *more);
        if (more == NULL) {
            o->short_of_memory = true;
            return NULL;
        }
        o->arrays = more;
        o->n_room = room;
    }
    return &o->arrays[o->n_array++];
}

static bool on_begin_array(void *ctx, uint64_t at)
{
    tqa_outline *o = ctx;
    if (o->depth > 0 && (o->depth == o->rank || o->depth == RANK) && !give_up(o)) {
        return false;
    }
    if (o->depth > 0) {
        o->count[o->depth]++;
    } else if (!o->has_root || o->n_array == TQA_OUTLINE_ARRAYS_MAX) {
        return open_level(o, true);
    } else {
        tqa_outline_array *array = add_array(o);
        if (array == NULL) {
            return false;
        }
        *array = (tqa_outline_array){.begin = at};
        if (!o->is_list[o->level] && o->path_size < NAME) {
            array->in_list = o->n_list > 0;
            memcpy(array->name, o->path, o->path_size);
        }
        o->rank = 0;
        for (size_t i = 0; i <= RANK; i++) {
            o->shape[i] = UINT64_MAX;
        }
    }
    o->count[++o->depth] = 0;
    return true;
}

static bool on_end_array(void *ctx, uint64_t at)
{
    tqa_outline *o = ctx;
    if (o->depth == 0) {
        return close_level(o);
    }
    const size_t d = o->depth;
    o->rank = o->rank == 0 ? d : o->rank;
    if (o->shape[d] != UINT64_MAX && o->shape[d] != o->count[d]) {
        return give_up(o) && close_level(o);
    }
    o->shape[d] = o->count[d];
    o->depth--;
    if (o->depth == 0) {
        tqa_outline_array *array = &o->arrays[o->n_array - 1];
        array->end = at + 1;
        array->rank = o->rank;
        memcpy(array->shape, o->shape + 1, sizeof array->shape);
    }
    return true;
}

static bool on_numbers(void *ctx, uint64_t at, const double *values, size_t n)
{
    (void)at;
    (void)values;
    tqa_outline *o = ctx;
    if (o->depth > 0) {
        o->rank = o->rank == 0 ? o->depth : o->rank;
        o->count[o->depth] += n;
        return o->depth == o->rank || give_up(o);
    }
    return o->level > 0;
}

static bool on_number(void *ctx, uint64_t at, double value)
{
    return on_numbers(ctx, at, &value, 1);
}

static bool on_null(void *ctx, uint64_t at)
{
    tqa_outline *o = ctx;
    const double nothing = 0.0;
    if (o->depth > 0) {
        o->arrays[o->n_array - 1].n_null++;
    }
    return on_numbers(ctx, at, &nothing, 1);
}

static bool on_other(tqa_outline *o)
{
    return o->depth > 0 ? give_up(o) : o->level > 0;
}

static bool has_path(const tqa_outline *o, const char *path)
{
    const size_t n = strlen(path);
    return o->path_size == n && memcmp(o->path, path, n) == 0;
}

static bool add_joint(tqa_outline *o, const char *text, size_t n)
{
    if (o->joints == NULL) {
        o->joints = calloc(TQA_OUTLINE_JOINTS_MAX, sizeof *o->joints);
    }
    if (o->joints == NULL) {
        o->short_of_memory = true;
        return false;
    }
    if (o->n_joint < TQA_OUTLINE_JOINTS_MAX) {
        memcpy(o->joints[o->n_joint++], text, n < NAME ? n : NAME - 1); /* zeroed */
    }
    return true;
}

static bool on_string(void *ctx, uint64_t at, const char *text, size_t n)
{
    (void)at;
    tqa_outline *o = ctx;
    if (!on_other(o)) {
        return false;
    }
    if (o->level == 1 && has_path(o, "angles")) {
        o->in_degrees = n == 3 && memcmp(text, "deg", 3) == 0;
    }
    return o->level != 2 || !o->is_list[2] || !has_path(o, "joints") || add_joint(o, text, n);
}

static bool on_boolean(void *ctx, uint64_t at, bool value)
{
    (void)at, (void)value;
    return on_other(ctx);
}

static const tqa_events events = {
    .begin_map = on_begin_map,
    .end_map = on_end_map,
    .key = on_key,
    .begin_array = on_begin_array,
    .end_array = on_end_array,
    .number = on_number,
    .numbers = on_numbers,
    .string = on_string,
    .boolean = on_boolean,
    .null = on_null,
};

tqa_outline *tqa_outline_new(void)
{
    tqa_outline *o = calloc(1, sizeof *o);
    if (o != NULL) {
        tqa_json_scan_init(&o->scan, &events, o);
    }
    return o;
}

void tqa_outline_free(tqa_outline *outline)
{
    if (outline != NULL) {
        free(outline->joints);
        free(outline->arrays);
        free(outline);
    }
}

bool tqa_outline_feed(tqa_outline *outline, const char *bytes, size_t n)
{
    return tqa_json_scan_feed(&outline->scan, bytes, n) == TQA_DECODE_OK;
}

bool tqa_outline_finish(tqa_outline *outline)
{
    return tqa_json_scan_finish(&outline->scan) == TQA_DECODE_OK && !outline->short_of_memory;
}

bool tqa_outline_short(const tqa_outline *outline)
{
    return outline->short_of_memory;
}

size_t tqa_outline_count(const tqa_outline *outline)
{
    return outline->n_array;
}

const tqa_outline_array *tqa_outline_at(const tqa_outline *outline, size_t i)
{
    return &outline->arrays[i];
}

const char *tqa_outline_key(const tqa_outline *outline, size_t i)
{
    return i < outline->n_key ? outline->keys[i] : NULL;
}

const char *tqa_outline_joint(const tqa_outline *outline, size_t i)
{
    return i < outline->n_joint ? outline->joints[i] : NULL;
}

bool tqa_outline_in_degrees(const tqa_outline *outline)
{
    return outline->in_degrees;
}
