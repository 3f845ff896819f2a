/* SPDX-License-Identifier: Apache-2.0 */
/* api/formats/document_read.c - values out of a tree, or a problem with their place. */
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/formats/document.h"

static void append(char *pointer, size_t *n, const char *text, size_t n_text)
{
    for (size_t i = 0; i < n_text && *n + 3 < TQA_POINTER_TEXT; i++) {
        /* RFC 6901: '~' and '/' are escaped */
        if (text[i] == '~' || text[i] == '/') {
            pointer[(*n)++] = '~';
            pointer[(*n)++] = text[i] == '~' ? '0' : '1';
        } else {
            pointer[(*n)++] = text[i];
        }
    }
}

void tqa_node_pointer(const tqa_node *node, char pointer[TQA_POINTER_TEXT])
{
    const tqa_node *chain[TQA_EVENT_DEPTH_MAX + 1];
    size_t depth = 0;
    for (const tqa_node *at = node; at != NULL && at->parent != NULL; at = at->parent) {
        assert(depth <= TQA_EVENT_DEPTH_MAX);
        chain[depth++] = at;
    }
    size_t n = 0;
    while (depth > 0 && n + 3 < TQA_POINTER_TEXT) {
        const tqa_node *at = chain[--depth];
        char index[24];
        pointer[n++] = '/';
        if (at->key != NULL) {
            append(pointer, &n, at->key, strlen(at->key));
        } else {
            const int size = snprintf(index, sizeof index, "%zu", at->index);
            append(pointer, &n, index, (size_t)size);
        }
    }
    pointer[n] = '\0';
}

bool tqa_node_refuse(tqa_problem *problem, const tqa_node *node, const char *slug, const char *hint,
                     const char *format, ...)
{
    char detail[TQA_PROBLEM_TEXT];
    char pointer[TQA_POINTER_TEXT];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    tqa_node_pointer(node, pointer);
    (void)tqa_problem_set(problem, slug, "%.120s: %.128s", pointer[0] != '\0' ? pointer : "body",
                          detail);
    tqa_problem_fault(problem, pointer, hint, "%s", detail);
    return false;
}

tqa_node *tqa_node_field(const tqa_node *object, const char *key)
{
    if (object == NULL || object->kind != TQA_NODE_OBJECT) {
        return NULL;
    }
    for (tqa_node *at = object->first; at != NULL; at = at->next) {
        if (strcmp(at->key, key) == 0) {
            at->known = true;
            return at;
        }
    }
    return NULL;
}

tqa_node *tqa_node_require(tqa_problem *problem, const tqa_node *object, const char *key,
                           const char *hint)
{
    if (!tqa_node_object(problem, object)) {
        return NULL;
    }
    tqa_node *node = tqa_node_field(object, key);
    if (node == NULL) {
        (void)tqa_node_refuse(problem, object, "missing-field", hint, "\"%s\" is missing", key);
    }
    return node;
}

bool tqa_node_all_known(tqa_problem *problem, const tqa_node *object, const char *const *known)
{
    for (const tqa_node *at = object->first; at != NULL; at = at->next) {
        if (at->known) {
            continue;
        }
        char hint[TQA_PROBLEM_TEXT] = "known fields: ";
        size_t n = strlen(hint);
        for (const char *const *name = known; *name != NULL && n + 1 < sizeof hint; name++) {
            const int size =
                snprintf(hint + n, sizeof hint - n, "%s%s", name == known ? "" : ", ", *name);
            n += size > 0 ? (size_t)size : 0;
        }
        return tqa_node_refuse(problem, at, "unknown-field", hint, "there is no field \"%.64s\"",
                               at->key);
    }
    return true;
}

static const char *kind_name(const tqa_node *node)
{
    switch (node->kind) {
    case TQA_NODE_NULL:
        return "null";
    case TQA_NODE_BOOLEAN:
        return "a boolean";
    case TQA_NODE_NUMBER:
        return "a number";
    case TQA_NODE_STRING:
        return "a string";
    case TQA_NODE_ARRAY:
        return "an array";
    case TQA_NODE_NUMBERS:
        return "an array of numbers";
    case TQA_NODE_OBJECT:
        return "an object";
    }
    return "a value";
}

static bool is(tqa_problem *problem, const tqa_node *node, tqa_node_kind kind, const char *wanted)
{
    if (node == NULL) {
        (void)tqa_problem_set(problem, "missing-field", "%s is missing", wanted);
        return false;
    }
    return node->kind == kind || tqa_node_refuse(problem, node, "wrong-type", NULL,
                                                 "expected %s, got %s", wanted, kind_name(node));
}

bool tqa_node_object(tqa_problem *problem, const tqa_node *node)
{
    return is(problem, node, TQA_NODE_OBJECT, "an object");
}

bool tqa_node_number(tqa_problem *problem, const tqa_node *node, double *ret)
{
    if (!is(problem, node, TQA_NODE_NUMBER, "a number")) {
        return false;
    }
    *ret = node->number;
    return true;
}

bool tqa_node_boolean(tqa_problem *problem, const tqa_node *node, bool *ret)
{
    if (!is(problem, node, TQA_NODE_BOOLEAN, "true or false")) {
        return false;
    }
    *ret = node->boolean;
    return true;
}

bool tqa_node_string(tqa_problem *problem, const tqa_node *node, const char **ret)
{
    if (!is(problem, node, TQA_NODE_STRING, "a string")) {
        return false;
    }
    *ret = node->text;
    return true;
}

bool tqa_node_numbers(tqa_problem *problem, const tqa_node *node, size_t n, const double **ret)
{
    static const double none = 0.0;
    const bool empty = node != NULL && node->kind == TQA_NODE_ARRAY && node->first == NULL;
    if (!empty && !is(problem, node, TQA_NODE_NUMBERS, "an array of numbers")) {
        return false;
    }
    if (n != SIZE_MAX && node->n != n) {
        return tqa_node_refuse(problem, node, "wrong-length", NULL, "expected %zu numbers, got %zu",
                               n, node->n);
    }
    *ret = empty ? &none : node->values;
    return true;
}

bool tqa_node_count(tqa_problem *problem, const tqa_node *node, size_t low, size_t high,
                    size_t *ret)
{
    double value = 0.0;
    if (!tqa_node_number(problem, node, &value)) {
        return false;
    }
    if (!(value >= (double)low && value <= (double)high && value == floor(value))) {
        return tqa_node_refuse(problem, node, "range", NULL,
                               "expected a whole number from %zu to %zu, got %g", low, high, value);
    }
    *ret = (size_t)value;
    return true;
}

bool tqa_node_choice(tqa_problem *problem, const tqa_node *node, const char *const *names,
                     size_t *ret)
{
    const char *text = NULL;
    if (!tqa_node_string(problem, node, &text)) {
        return false;
    }
    char hint[TQA_PROBLEM_TEXT] = "one of: ";
    size_t n = strlen(hint);
    for (size_t k = 0; names[k] != NULL; k++) {
        if (strcmp(names[k], text) == 0) {
            *ret = k;
            return true;
        }
        if (n + 1 < sizeof hint) {
            const int size =
                snprintf(hint + n, sizeof hint - n, "%s%s", k == 0 ? "" : ", ", names[k]);
            n += size > 0 ? (size_t)size : 0;
        }
    }
    return tqa_node_refuse(problem, node, "unknown-name", hint, "\"%.64s\" is not known here",
                           text);
}
