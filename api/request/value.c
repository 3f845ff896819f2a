/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/value.c - typed access to a request's tree; faults name their place. */
#include "api/request/value.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/problems/nearest.h"
#include "api/problems/status.h"
#include "api/request/refusal.h"

enum { QUOTE_MAX = 64 }; /* bytes of a client's text that a message repeats */

tqa_value tqa_value_root(tqa_tree *tree)
{
    return (tqa_value){.tree = tree, .value = tree->root};
}

tqa_value tqa_value_field(const tqa_value *object, const char *key)
{
    tqa_value part = *object;
    part.value = json_object_get(object->value, key);
    tqa_place_key(part.pointer, key, strlen(key));
    if (part.value == NULL) {
        part.value = tqa_wording_missing(object, key, part.pointer);
    }
    return part;
}

tqa_value tqa_value_item(const tqa_value *array, size_t i)
{
    tqa_value part = *array;
    if (i == 0 && (json_is_string(array->value) || json_is_object(array->value))) {
        return part;
    }
    part.value = json_array_get(array->value, i);
    tqa_place_index(part.pointer, i);
    return part;
}

bool tqa_value_refuse(const tqa_value *part, const char *slug, const char *hint, const char *format,
                      ...)
{
    char detail[TQA_PROBLEM_TEXT];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    const bool of_key = strcmp(slug, "unknown-field") == 0;
    char sent[TQA_POINTER_TEXT];
    tqa_wording_place(part->tree, part->pointer, sent);
    uint64_t at = tqa_tree_offset(part->tree, sent, of_key);
    if (at == UINT64_MAX) { /* of a request that streams: kept under our name */
        at = tqa_tree_offset(part->tree, part->pointer, of_key);
    }
    return tqa_refuse_at(part->tree->problem, sent, at, slug, hint, detail);
}

bool tqa_value_need(const tqa_value *part, const char *missing)
{
    if (part->value != NULL) {
        return true;
    }
    const char *name = strrchr(part->pointer, '/');
    return tqa_value_refuse(part, "missing-field", missing, "\"%s\" is missing",
                            name != NULL ? name + 1 : "");
}

const char *tqa_kind_of(const json_t *value)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "a number",  [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null",
    };
    return names[json_typeof(value)];
}

/* A text that is a number with a unit after it: that number. */
static void hint_quoted(const char *text, char hint[TQA_PROBLEM_TEXT])
{
    enum { DIGITS_MAX = 24, UNIT_MAX = 12 };
    const size_t n = strspn(text, "+-.0123456789");
    const char *rest = text + n + strspn(text + n, " ");
    const bool is_number = n > 0 && n <= DIGITS_MAX && strpbrk(text, "0123456789") < text + n;
    const bool has_exponent = (*rest == 'e' || *rest == 'E') && rest[1] != '\0' &&
                              strchr("+-0123456789", rest[1]) != NULL;
    if (is_number && *rest != '\0' && !has_exponent && strlen(rest) <= UNIT_MAX) {
        (void)snprintf(hint, TQA_PROBLEM_TEXT,
                       "write %.*s, without quotes and unit: units are those of the contract",
                       (int)n, text);
    }
}

/* True when `ok`; else refuses. */
static bool expect(const tqa_value *part, bool ok, const char *wanted)
{
    char hint[TQA_PROBLEM_TEXT];
    if (part->value == NULL) {
        const char *name = strrchr(part->pointer, '/');
        (void)snprintf(hint, sizeof hint, "add \"%s\": %s", name != NULL ? name + 1 : "", wanted);
        return tqa_value_need(part, hint);
    }
    if (ok) {
        return true;
    }
    tqa_hint_type(wanted, tqa_kind_of(part->value), hint);
    if (strncmp(wanted, "a number", 8) == 0 && json_is_string(part->value)) {
        hint_quoted(json_string_value(part->value), hint);
    }
    return tqa_value_refuse(part, "wrong-type", hint, "expected %s, got %s", wanted,
                            tqa_kind_of(part->value));
}

/* Offers all of some words, which end with NULL. */
static void offer(tqa_nearest *nearest, const char *const *words, const char *text, size_t n)
{
    tqa_nearest_init(nearest, text, n);
    for (const char *const *word = words; *word != NULL; word++) {
        tqa_nearest_offer(nearest, *word);
    }
}

static bool is_among(const char *const *words, const char *text, size_t n, unsigned *ret)
{
    for (unsigned k = 0; words[k] != NULL; k++) {
        if (strlen(words[k]) == n && memcmp(words[k], text, n) == 0) {
            *ret = k;
            return true;
        }
    }
    return false;
}

/* A field at fault: the first one is the problem, the others are further faults of it. */
static void add_fault(const tqa_value *part, const char *slug, const char *hint, const char *detail)
{
    tqa_problem *problem = part->tree->problem;
    if (problem->status == 0) {
        (void)tqa_value_refuse(part, slug, hint, "%s", detail);
    } else {
        char sent[TQA_POINTER_TEXT];
        tqa_wording_place(part->tree, part->pointer, sent);
        tqa_problem_fault(problem, sent, hint, "%s", detail);
    }
}

/* Names the fields that are not known; bit k of *ret_meant: one of them probably is needed[k]. */
static void name_unknown(const tqa_value *part, const char *const *known, const tqa_needed *needed,
                         uint32_t *ret_meant)
{
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach(part->value, key, value)
    {
        unsigned ignored = 0;
        if (is_among(known, key, strlen(key), &ignored) || tqa_wording_is_read(part, key, known)) {
            continue;
        }
        tqa_nearest nearest;
        char detail[TQA_PROBLEM_TEXT];
        const tqa_value field = tqa_value_field(part, key);
        offer(&nearest, known, key, strlen(key));
        for (unsigned k = 0; nearest.best != NULL && needed != NULL && needed[k].name != NULL;
             k++) {
            *ret_meant |= strcmp(needed[k].name, nearest.best) == 0 ? 1u << k : 0u;
        }
        (void)snprintf(detail, sizeof detail, "\"%.*s\" is not known here", QUOTE_MAX, key);
        add_fault(&field, "unknown-field", tqa_nearest_hint(&nearest), detail);
    }
}

bool tqa_value_fields(const tqa_value *part, const char *const *known, const tqa_needed *needed)
{
    if (part->value != NULL && !json_is_object(part->value)) {
        tqa_nearest nearest;
        char hint[TQA_PROBLEM_TEXT] = "write an object";
        if (known != NULL) {
            offer(&nearest, known, "", 0);
            (void)snprintf(hint, sizeof hint, "write an object; fields %.230s", nearest.list);
        }
        return tqa_value_refuse(part, "wrong-type", hint, "expected an object, got %s",
                                tqa_kind_of(part->value));
    }
    if (!expect(part, part->value != NULL, "an object")) {
        return false;
    }
    uint32_t meant = 0;
    if (known != NULL) {
        tqa_wording_fields(part, known);
        name_unknown(part, known, needed, &meant);
    }
    for (unsigned k = 0; needed != NULL && needed[k].name != NULL; k++) {
        const tqa_value field = tqa_value_field(part, needed[k].name);
        if (field.value == NULL && (meant >> k & 1u) == 0) {
            char detail[TQA_PROBLEM_TEXT];
            (void)snprintf(detail, sizeof detail, "\"%s\" is missing", needed[k].name);
            add_fault(&field, "missing-field", needed[k].missing, detail);
        }
    }
    return part->tree->problem->status == 0;
}

bool tqa_value_array(const tqa_value *part, size_t least, size_t most, size_t *ret_n)
{
    if (!expect(part, json_is_array(part->value), "an array")) {
        return false;
    }
    const size_t n = json_array_size(part->value);
    *ret_n = n;
    if (n >= least && n <= most) {
        return true;
    }
    char hint[48];
    (void)snprintf(hint, sizeof hint, "give %s %zu",
                   n < least && most > least ? "at least" : "at most", n < least ? least : most);
    if (least == most) {
        (void)snprintf(hint, sizeof hint, "give %zu", most);
        return tqa_value_refuse(part, "wrong-length", hint, "expected %zu elements, got %zu", most,
                                n);
    }
    return tqa_value_refuse(part, n > most ? "too-large" : "wrong-length", hint,
                            "expected %zu to %zu elements, got %zu", least, most, n);
}

bool tqa_value_list(const tqa_value *part, const char *wanted, size_t *ret_n)
{
    const bool is_one = json_is_string(part->value) || json_is_object(part->value);
    *ret_n = is_one ? 1 : json_array_size(part->value);
    return expect(part, is_one || json_is_array(part->value), wanted);
}

bool tqa_value_some(const tqa_value *part, size_t least, size_t most, size_t *ret_n)
{
    *ret_n = 1;
    return json_is_string(part->value) || json_is_object(part->value) ||
           tqa_value_array(part, least, most, ret_n);
}

bool tqa_value_text(const tqa_value *part, const char *wanted, const char **ret)
{
    *ret = json_string_value(part->value);
    return expect(part, *ret != NULL, wanted);
}

bool tqa_value_number(const tqa_value *part, double *ret)
{
    if (!expect(part, json_is_number(part->value), "a number")) {
        return false;
    }
    *ret = json_number_value(part->value);
    return true;
}

bool tqa_value_positive(const tqa_value *part, double *ret)
{
    return tqa_value_number(part, ret) &&
           (*ret > 0.0 || tqa_value_refuse(part, "range", "a number above 0",
                                           "expected a number above 0, got %g", *ret));
}

bool tqa_value_within(const tqa_value *part, double least, double most, double *ret)
{
    if (!tqa_value_number(part, ret)) {
        return false;
    }
    if (*ret >= least && *ret <= most) {
        return true;
    }
    char hint[64];
    (void)snprintf(hint, sizeof hint, "a number from %g to %g", least, most);
    return tqa_value_refuse(part, "range", hint, "expected %s, got %g", hint, *ret);
}

bool tqa_value_count(const tqa_value *part, size_t least, size_t most, size_t *ret)
{
    double x = 0.0;
    if (!tqa_value_number(part, &x)) {
        return false;
    }
    if (!(x >= (double)least && x <= (double)most) || x != floor(x)) {
        char hint[64];
        (void)snprintf(hint, sizeof hint, "a whole number from %zu to %zu", least, most);
        return tqa_value_refuse(part, "range", hint, "expected %s, got %g", hint, x);
    }
    *ret = (size_t)x;
    return true;
}

bool tqa_value_flag(const tqa_value *part, bool *ret)
{
    if (!expect(part, json_is_boolean(part->value), "true or false")) {
        return false;
    }
    *ret = json_is_true(part->value);
    return true;
}

bool tqa_value_vector(const tqa_value *part, size_t n, const char *hint, double *ret)
{
    char text[48];
    const size_t n_got = json_array_size(part->value);
    (void)snprintf(text, sizeof text, "an array of %zu numbers", n);
    if (!expect(part, json_is_array(part->value), text)) {
        return false;
    }
    for (size_t i = 0; i < n_got; i++) {
        const json_t *item = json_array_get(part->value, i);
        if (!json_is_number(item)) {
            const tqa_value at = tqa_value_item(part, i);
            return expect(&at, false, "a number");
        }
        if (i < n) {
            ret[i] = json_number_value(item);
        }
    }
    if (n_got != n) {
        (void)snprintf(text, sizeof text, "give %zu numbers", n);
        return tqa_value_refuse(part, "wrong-length", hint != NULL ? hint : text,
                                "expected %zu numbers, got %zu", n, n_got);
    }
    return true;
}

bool tqa_value_numbers(const tqa_value *part, size_t n, double *ret)
{
    return tqa_value_vector(part, n, NULL, ret);
}

bool tqa_value_matrix(const tqa_value *part, size_t n_row, size_t n_column, double *ret)
{
    char wanted[64];
    (void)snprintf(wanted, sizeof wanted, "%zu rows of %zu numbers", n_row, n_column);
    if (!expect(part, json_is_array(part->value), wanted)) {
        return false;
    }
    if (json_array_size(part->value) != n_row) {
        char hint[80];
        (void)snprintf(hint, sizeof hint, "give %s", wanted);
        return tqa_value_refuse(part, "wrong-length", hint, "expected %s, got %zu rows", wanted,
                                json_array_size(part->value));
    }
    for (size_t i = 0; i < n_row; i++) {
        const tqa_value row = tqa_value_item(part, i);
        if (!tqa_value_numbers(&row, n_column, ret + i * n_column)) {
            return false;
        }
    }
    return true;
}

bool tqa_value_choice(const tqa_value *part, const char *const *words, unsigned *ret)
{
    tqa_nearest nearest;
    if (part->value != NULL && !json_is_string(part->value)) {
        char hint[TQA_PROBLEM_TEXT];
        offer(&nearest, words, "", 0);
        (void)snprintf(hint, sizeof hint, "write a string; %.230s", nearest.list);
        return tqa_value_refuse(part, "wrong-type", hint, "expected a string, got %s",
                                tqa_kind_of(part->value));
    }
    if (!expect(part, part->value != NULL, "a string")) {
        return false;
    }
    const char *text = json_string_value(part->value);
    const size_t n = json_string_length(part->value);
    if (is_among(words, text, n, ret) || tqa_wording_choice(part, words, ret)) {
        return true;
    }
    offer(&nearest, words, text, n);
    /* of two words both are named, as the nearest one may be another thing: grad, rad */
    const bool is_short = words[0] != NULL && words[1] != NULL && words[2] == NULL;
    char hint[TQA_PROBLEM_TEXT];
    (void)snprintf(hint, sizeof hint, "%s", tqa_nearest_hint(&nearest));
    if (is_short && nearest.rank == 0 && nearest.best != NULL) {
        (void)snprintf(hint, sizeof hint, "did you mean \"%s\"? %.200s", nearest.best,
                       nearest.list);
    }
    return tqa_value_refuse(part, "unknown-name", hint, "\"%.*s\" is not known here", QUOTE_MAX,
                            text);
}

bool tqa_value_refuse_twice(const tqa_value *part, const char *name)
{
    return tqa_value_refuse(part, "invalid-value", "give it once", "\"%s\" is given twice", name);
}

bool tqa_value_choices(const tqa_value *part, const char *const *words, unsigned *ret_bits)
{
    size_t n = 0;
    if (!tqa_value_list(part, "an array of names", &n)) {
        return false;
    }
    *ret_bits = 0;
    for (size_t i = 0; i < n; i++) {
        const tqa_value item = tqa_value_item(part, i);
        unsigned k = 0;
        if (!tqa_value_choice(&item, words, &k)) {
            return false;
        }
        if ((*ret_bits >> k & 1u) != 0) {
            return tqa_value_refuse_twice(&item, words[k]);
        }
        *ret_bits |= 1u << k;
    }
    return true;
}

void *tqa_tree_take(tqa_tree *tree, size_t n, size_t each)
{
    void *memory = tqa_arena_take(tree->arena, n > 0 ? n : 1, each, 64);
    if (memory == NULL && tqa_arena_short(tree->arena)) {
        (void)tqa_problem_set(tree->problem, "busy", "memory is short; try again");
    } else if (memory == NULL) {
        static const char why[] = "this takes more memory than one request may";
        (void)tqa_problem_set(tree->problem, "too-large", why);
        tqa_problem_fault(tree->problem, "", "ask for less at a time", why);
    }
    return memory;
}

void tqa_tree_give_scratch(tqa_tree *tree, tq_scratch *scratch)
{
    tqa_arena_give(tree->arena, scratch->memory);
    *scratch = (tq_scratch){0};
}

static int stop(void *ctx)
{
    tqa_tree *tree = ctx;
    if (tqa_tree_stop(tree)) {
        atomic_store(&tree->is_stopped, true);
        return 1;
    }
    return 0;
}

void tqa_tree_set_stop(tqa_tree *tree, tq_scratch *scratch)
{
    if (tree->host != NULL && tree->host->cancelled != NULL) {
        tq_scratch_set_stop(scratch, stop, tree);
    }
}

bool tqa_tree_scratch(tqa_tree *tree, size_t size, tq_scratch *ret)
{
    void *memory = tqa_tree_take(tree, size, 1);
    if (memory != NULL) {
        tq_scratch_init(ret, memory, size);
        tqa_tree_set_stop(tree, ret);
    }
    return memory != NULL;
}

bool tqa_tree_stop(void *tree)
{
    const tqa_host *host = ((const tqa_tree *)tree)->host;
    return host != NULL && host->cancelled != NULL && host->cancelled(host->ctx);
}

void tqa_tree_remark(tqa_tree *tree, uint32_t joint, const char *format, ...)
{
    char text[TQA_PROBLEM_TEXT];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *copy =
        tree->n_remark < TQA_REMARKS_MAX ? tqa_arena_text(tree->arena, text, strlen(text)) : NULL;
    if (copy != NULL) {
        tree->remarks[tree->n_remark].joint = joint;
        tree->remarks[tree->n_remark++].text = copy;
    }
}

bool tqa_tree_fail(tqa_tree *tree, const char *pointer, tq_status status, const tq_error *error)
{
    if (status == TQ_ERR_STOPPED || (status == TQ_ERR_NO_CONVERGENCE && tqa_tree_stop(tree))) {
        (void)tqa_problem_set(tree->problem, "busy", "the computation was stopped");
        return false;
    }
    (void)tqa_problem_from_status(tree->problem, status, error);
    char sent[TQA_POINTER_TEXT];
    tqa_wording_place(tree, pointer, sent);
    tqa_problem_fault(tree->problem, sent, tqa_problem_status_hint(status), "%s",
                      tq_status_text(status));
    return false;
}
