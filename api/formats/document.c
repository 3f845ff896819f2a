/* SPDX-License-Identifier: Apache-2.0 */
/* api/formats/document.c - events into a tree of nodes. */
#include "api/formats/document.h"

#include <assert.h>
#include <string.h>

enum { FIRST_ROOM = 8 };

void tqa_document_init(tqa_document *document, tqa_arena *arena, tqa_problem *problem)
{
    *document = (tqa_document){.arena = arena, .problem = problem};
}

static bool too_large(tqa_document *d)
{
    (void)tqa_problem_set(d->problem, "too-large", "the document has too many values");
    return false;
}

/* hangs a new value under the open array or object; NULL: the problem is set */
static tqa_node *add(tqa_document *d, uint64_t at, tqa_node_kind kind)
{
    tqa_node *node = d->n_node < TQA_DOCUMENT_NODES_MAX
                         ? tqa_arena_take(d->arena, 1, sizeof *node, _Alignof(tqa_node))
                         : NULL;
    if (node == NULL) {
        (void)too_large(d);
        return NULL;
    }
    d->n_node++;
    *node = (tqa_node){.kind = kind, .at = at, .parent = d->open, .key = d->key};
    d->key = NULL;
    if (d->open == NULL) {
        d->root = node;
        return node;
    }
    tqa_node *up = d->open;
    if (up->kind == TQA_NODE_NUMBERS) {
        (void)tqa_node_refuse(d->problem, up, "wrong-type", NULL,
                              "an array of numbers holds something else at item %zu", up->n);
        return NULL;
    }
    node->index = up->n++;
    if (up->last != NULL) {
        up->last->next = node;
    } else {
        up->first = node;
    }
    up->last = node;
    return node;
}

static bool begin(void *ctx, uint64_t at, tqa_node_kind kind)
{
    tqa_document *d = ctx;
    tqa_node *node = add(d, at, kind);
    if (node == NULL) {
        return false;
    }
    d->open = node;
    return true;
}

static bool begin_map(void *ctx, uint64_t at)
{
    return begin(ctx, at, TQA_NODE_OBJECT);
}

static bool begin_array(void *ctx, uint64_t at)
{
    return begin(ctx, at, TQA_NODE_ARRAY);
}

static bool end(void *ctx, uint64_t at)
{
    (void)at;
    tqa_document *d = ctx;
    d->open = d->open->parent;
    return true;
}

static bool key(void *ctx, uint64_t at, const char *text, size_t n)
{
    (void)at;
    tqa_document *d = ctx;
    d->key = tqa_arena_text(d->arena, text, n);
    if (d->key == NULL) {
        return too_large(d);
    }
    const tqa_node *twin = tqa_node_field(d->open, d->key);
    if (twin != NULL) {
        return tqa_node_refuse(d->problem, twin, "duplicate-field", "each field may be given once",
                               "\"%.64s\" is given twice", d->key);
    }
    return true;
}

/* room for n more numbers in the open span */
static bool reserve(tqa_document *d, tqa_node *span, size_t n)
{
    if (n <= span->room - span->n) {
        return true;
    }
    size_t room = span->room > 0 ? 2 * span->room : FIRST_ROOM;
    while (room < span->n + n) {
        room *= 2;
    }
    double *values = tqa_arena_take(d->arena, room, sizeof *values, _Alignof(double));
    if (values == NULL) {
        return too_large(d);
    }
    if (span->n > 0) {
        memcpy(values, span->values, span->n * sizeof *values);
    }
    span->values = values;
    span->room = room;
    return true;
}

static bool numbers(void *ctx, uint64_t at, const double *values, size_t n)
{
    tqa_document *d = ctx;
    tqa_node *up = d->open;
    if (up == NULL || up->kind == TQA_NODE_OBJECT) {
        assert(n == 1);
        tqa_node *node = add(d, at, TQA_NODE_NUMBER);
        if (node != NULL) {
            node->number = values[0];
        }
        return node != NULL;
    }
    if (up->kind == TQA_NODE_ARRAY) {
        if (up->first != NULL) {
            return tqa_node_refuse(d->problem, up, "wrong-type", NULL,
                                   "a number stands among other values at item %zu", up->n);
        }
        up->kind = TQA_NODE_NUMBERS;
    }
    if (!reserve(d, up, n)) {
        return false;
    }
    memcpy(up->values + up->n, values, n * sizeof *values);
    up->n += n;
    return true;
}

static bool number(void *ctx, uint64_t at, double value)
{
    return numbers(ctx, at, &value, 1);
}

static bool string(void *ctx, uint64_t at, const char *text, size_t n)
{
    tqa_document *d = ctx;
    tqa_node *node = add(d, at, TQA_NODE_STRING);
    if (node == NULL) {
        return false;
    }
    node->text = tqa_arena_text(d->arena, text, n);
    node->n = n;
    return node->text != NULL || too_large(d);
}

static bool boolean(void *ctx, uint64_t at, bool value)
{
    tqa_node *node = add(ctx, at, TQA_NODE_BOOLEAN);
    if (node != NULL) {
        node->boolean = value;
    }
    return node != NULL;
}

static bool null(void *ctx, uint64_t at)
{
    return add(ctx, at, TQA_NODE_NULL) != NULL;
}

const tqa_events tqa_document_events = {
    .begin_map = begin_map,
    .end_map = end,
    .key = key,
    .begin_array = begin_array,
    .end_array = end,
    .number = number,
    .numbers = numbers,
    .string = string,
    .boolean = boolean,
    .null = null,
};
