/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/document/node.c - typed access to a control document. */
#include "api/robots/document/node.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/problems/nearest.h"
#include "api/problems/renamed.h"

/* Reads brackets and commas outside strings only; malformed text is left for the parser. */
static bool is_small_enough(const char *bytes, size_t n)
{
    size_t depth = 0;
    size_t values = 0;
    bool in_string = false;
    for (size_t i = 0; i < n; i++) {
        const char c = bytes[i];
        if (in_string) {
            i += c == '\\';
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            depth++;
            values++;
        } else if (c == ']' || c == '}') {
            depth -= depth > 0;
        } else if (c == ',') {
            values++;
        }
        if (depth > TQA_JSON_DEPTH_MAX || values > TQA_JSON_VALUE_MAX) {
            return false;
        }
    }
    return true;
}

/* jansson takes a lack of memory for a fault of the text. */
static _Thread_local bool was_short;

static void *take(size_t n)
{
    void *p = malloc(n);
    was_short = was_short || p == NULL;
    return p;
}

void tqa_json_start(void)
{
    json_set_alloc_funcs(take, free);
}

json_t *tqa_json_load(tqa_draft *draft, const char *bytes, size_t n, const char *what,
                      const char *form)
{
    if (!is_small_enough(bytes, n)) {
        tqa_draft_fault(draft, "too-large", "", "a robot needs far less",
                        "more than %d levels or %d values", TQA_JSON_DEPTH_MAX, TQA_JSON_VALUE_MAX);
        return NULL;
    }
    json_error_t error;
    was_short = false;
    json_t *root = json_loadb(bytes, n, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    if (root == NULL) {
        const enum json_error_code code = json_error_code(&error);
        const char *slug = "malformed";
        const char *hint = "check the text with a JSON validator, and that it arrived whole";
        if (was_short || code == json_error_out_of_memory) {
            slug = "busy";
            hint = "try again later";
        } else if (code == json_error_duplicate_key) {
            slug = "duplicate-field";
            hint = "keep one of the two";
        } else if (code == json_error_numeric_overflow) {
            slug = "not-finite";
            hint = "write a finite number";
        }
        tqa_draft_fault(draft, slug, "", hint, "line %d, column %d: %s", error.line, error.column,
                        error.text);
        return NULL;
    }
    if (!json_is_object(root)) {
        tqa_draft_fault(draft, "wrong-type", "", form, "%s is an object", what);
        json_decref(root);
        return NULL;
    }
    return root;
}

/* Appends "/key" with ~ and / escaped (RFC 6901). */
static void append_key(char *pointer, const char *key)
{
    size_t used = strlen(pointer);
    if (used + 1 < TQA_POINTER_TEXT) {
        pointer[used++] = '/';
    }
    for (const char *p = key; *p != '\0' && used + 2 < TQA_POINTER_TEXT; p++) {
        if (*p == '~' || *p == '/') {
            pointer[used++] = '~';
            pointer[used++] = *p == '~' ? '0' : '1';
        } else {
            pointer[used++] = *p;
        }
    }
    pointer[used] = '\0';
}

tqa_json_at tqa_json_field(const tqa_json_at *object, const char *key)
{
    tqa_json_at at = *object;
    at.value = json_object_get(object->value, key);
    append_key(at.pointer, key);
    return at;
}

tqa_json_at tqa_json_item(const tqa_json_at *array, size_t i)
{
    char index[24];
    tqa_json_at at = *array;
    at.value = json_array_get(array->value, i);
    (void)snprintf(index, sizeof index, "%zu", i);
    append_key(at.pointer, index);
    return at;
}

/* True when `ok`; else a fault that names the expected value. */
static bool expect(const tqa_json_at *at, bool ok, const char *what)
{
    if (at->value == NULL) {
        const char *name = strrchr(at->pointer, '/');
        char add[TQA_PROBLEM_TEXT];
        name = name != NULL ? name + 1 : "";
        (void)snprintf(add, sizeof add, "add \"%.80s\": %s", name, what);
        tqa_draft_fault(at->draft, "missing-field", at->pointer, add, "\"%s\" is missing", name);
        return false;
    }
    if (!ok) {
        static const char *const kinds[] = {
            [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
            [JSON_INTEGER] = "a number", [JSON_REAL] = "a number",  [JSON_TRUE] = "true",
            [JSON_FALSE] = "false",      [JSON_NULL] = "null",
        };
        char hint[TQA_PROBLEM_TEXT];
        (void)snprintf(hint, sizeof hint, "write %s", what);
        tqa_draft_fault(at->draft, "wrong-type", at->pointer, hint, "this must be: %s, not %s",
                        what, kinds[json_typeof(at->value)]);
    }
    return ok;
}

bool tqa_json_is_object(const tqa_json_at *at)
{
    return expect(at, json_is_object(at->value), "an object");
}

bool tqa_json_is_array(const tqa_json_at *at)
{
    return expect(at, json_is_array(at->value), "an array");
}

bool tqa_json_number(const tqa_json_at *at, double *ret)
{
    if (!expect(at, json_is_number(at->value), "a number")) {
        return false;
    }
    *ret = json_number_value(at->value);
    return true;
}

bool tqa_json_numbers(const tqa_json_at *at, size_t n, double *ret)
{
    char what[48];
    (void)snprintf(what, sizeof what, "an array of %zu numbers", n);
    if (!expect(at, json_is_array(at->value), what)) {
        return false;
    }
    if (json_array_size(at->value) != n) {
        tqa_draft_fault(at->draft, "wrong-length", at->pointer, what, "there are %zu, not %zu",
                        json_array_size(at->value), n);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const tqa_json_at item = tqa_json_item(at, i);
        if (!tqa_json_number(&item, &ret[i])) {
            return false;
        }
    }
    return true;
}

bool tqa_json_matrix(const tqa_json_at *at, double ret[9])
{
    const char *what = "an array of 3 rows of 3 numbers";
    if (!expect(at, json_is_array(at->value), what)) {
        return false;
    }
    if (json_array_size(at->value) != 3) {
        tqa_draft_fault(at->draft, "wrong-length", at->pointer, what, "there are %zu rows, not 3",
                        json_array_size(at->value));
        return false;
    }
    for (size_t i = 0; i < 3; i++) {
        const tqa_json_at row = tqa_json_item(at, i);
        if (!tqa_json_numbers(&row, 3, ret + 3 * i)) {
            return false;
        }
    }
    return true;
}

bool tqa_json_name(const tqa_json_at *at, const char **ret)
{
    if (!expect(at, json_is_string(at->value), "a name")) {
        return false;
    }
    const char *text = json_string_value(at->value);
    const size_t n = json_string_length(at->value);
    if (n == 0 || n >= TQA_NAME_MAX || strlen(text) != n) {
        tqa_draft_fault(at->draft, "invalid-value", at->pointer, "a name has 1 to 127 bytes",
                        "this is no name: %zu bytes", n);
        return false;
    }
    const char *copy = tqa_arena_text(at->draft->arena, text, n);
    if (copy == NULL) {
        return tqa_draft_no_memory(at->draft);
    }
    *ret = copy;
    return true;
}

void tqa_json_optional(const tqa_json_at *object, const char *key, double *ret)
{
    const tqa_json_at at = tqa_json_field(object, key);
    if (at.value != NULL) {
        (void)tqa_json_number(&at, ret);
    }
}

static bool is_among(const char *key, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (strcmp(key, *names) == 0) {
            return true;
        }
    }
    return false;
}

/* A field in another word for a known one that is not there takes its name, and is listed as
 * understood, once for all that are alike. */
static bool read_as(const tqa_json_at *object, const char *key, const char *const *known)
{
    tqa_draft *draft = object->draft;
    const tqa_json_at at = tqa_json_field(object, key);
    tqa_renamed_field as;
    if (!draft->lists_words || !tqa_renamed_reads(key, strlen(key), known, &as) ||
        as.member != NULL || json_object_get(object->value, as.name) != NULL ||
        json_object_set(object->value, as.name, at.value) != 0) {
        return false;
    }
    const char *text = tqa_arena_format(draft->arena, "\"%.80s\" is read as \"%s\"", key, as.name);
    size_t k = 0;
    while (k < draft->n_finding && text != NULL && strcmp(draft->findings[k].text, text) != 0) {
        k++;
    }
    if (k < draft->n_finding) {
        draft->findings[k].count++;
    } else {
        tqa_draft_find(draft, TQA_FINDING_UNDERSTOOD,
                       tqa_arena_format(draft->arena, "%s", at.pointer), text, 1);
    }
    return json_object_del(object->value, key) == 0;
}

void tqa_json_words(const tqa_json_at *object, const char *const *known)
{
    const char *key = NULL;
    json_t *value = NULL;
    void *next = NULL;
    json_object_foreach_safe(object->value, next, key, value)
    {
        if (!is_among(key, known)) {
            (void)read_as(object, key, known);
        }
    }
}

void tqa_json_fields(const tqa_json_at *object, const char *const *known,
                     const char *const *derived)
{
    const char *key = NULL;
    json_t *value = NULL;
    void *next = NULL;
    json_object_foreach_safe(object->value, next, key, value)
    {
        if (is_among(key, known)) {
            continue;
        }
        if (object->draft->problem->n_fault == TQA_PROBLEM_FAULTS) {
            break;
        }
        const tqa_json_at at = tqa_json_field(object, key);
        if (is_among(key, derived)) {
            tqa_draft_find(object->draft, TQA_FINDING_IGNORED,
                           tqa_arena_format(object->draft->arena, "%s", at.pointer),
                           "follows from the rest and is computed anew", 1);
            continue;
        }
        if (read_as(object, key, known)) {
            continue;
        }
        tqa_nearest nearest;
        tqa_nearest_init(&nearest, key, strlen(key));
        for (const char *const *name = known; *name != NULL; name++) {
            tqa_nearest_offer(&nearest, *name);
        }
        for (const char *const *name = derived; *name != NULL; name++) {
            tqa_nearest_offer(&nearest, *name);
        }
        tqa_draft_fault(object->draft, "unknown-field", at.pointer, tqa_nearest_hint(&nearest),
                        "there is no field \"%.80s\" here", key);
    }
}
