/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/ask.c - sends requests and walks through answers. */
#include "tests/support/ask.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/cbor/cbor.h"

enum { NUMBERS_MAX = 4096 };

/* Ends the test with a message. */
static void insist(bool holds, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void insist(bool holds, const char *format, ...)
{
    if (!holds) {
        va_list arguments;
        va_start(arguments, format);
        (void)vfprintf(stderr, format, arguments);
        va_end(arguments);
        (void)fputc('\n', stderr);
        abort();
    }
}

/* a copy with " for ' */
static char *quoted(const char *from)
{
    char *text = strdup(from);
    for (char *p = text; *p != '\0'; p++) {
        *p = *p == '\'' ? '"' : *p;
    }
    return text;
}

static tqa_robot *document(const char *from)
{
    tqa_problem problem = {0};
    char *text = quoted(from);
    tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_JSON, text, strlen(text), &problem);
    insist(robot != NULL, "%s", problem.detail);
    free(text);
    return robot;
}

static tqt_answer ask(const char *robot, tqt_call_options options, const char *body)
{
    tqa_robot *parsed = robot == NULL     ? NULL
                        : robot[0] == '{' ? document(robot)
                                          : tqt_builtin(robot);
    char *text = quoted(body);
    const tqt_answer answer = tqt_call(parsed, text, strlen(text), options);
    free(text);
    tqa_robot_free(parsed);
    return answer;
}

json_t *tqt_ask_form(const char *robot, const char *operation, const char *query, const char *body)
{
    const tqt_call_options options = {.operation = operation, .query = query};
    tqt_answer answer = ask(robot, options, body);
    insist(answer.status == 200, "%s: %s", operation, answer.problem.detail);
    json_t *root = json_loadb(answer.text, answer.n, JSON_REJECT_DUPLICATES, NULL);
    insist(root != NULL, "%s", answer.text);
    insist(json_is_object(json_object_get(root, "provenance")), "no provenance");
    tqt_answer_clear(&answer);
    return root;
}

json_t *tqt_ask(const char *robot, const char *operation, const char *body)
{
    return tqt_ask_form(robot, operation, NULL, body);
}

void tqt_refused(const char *robot, const char *operation, const char *body, int status,
                 const char *slug, const char *pointer, const char *hint)
{
    tqt_answer answer = ask(robot, (tqt_call_options){.operation = operation}, body);
    insist(answer.status == status, "%s: %d %s", body, answer.status, answer.problem.detail);
    insist(strcmp(answer.problem.slug, slug) == 0, "%s: %s", body, answer.problem.slug);
    insist(answer.problem.n_fault > 0, "%s: no fault", body);
    const tqa_fault *fault = &answer.problem.faults[0];
    insist(strcmp(fault->pointer, pointer) == 0, "%s: at %s", body, fault->pointer);
    insist(fault->hint[0] != '\0', "%s: no hint", body);
    const bool any = hint == NULL || hint[0] == '\0';
    insist(any || strcmp(fault->hint, hint) == 0, "%s: hint %s", body, fault->hint);
    tqt_answer_clear(&answer);
}

json_t *tqt_at(json_t *root, const char *path)
{
    json_t *at = root;
    const char *p = path;
    while (*p != '\0') {
        const size_t n = strcspn(p, ".");
        char key[64];
        insist(n < sizeof key, "%s", path);
        memcpy(key, p, n);
        key[n] = '\0';
        at = json_is_array(at) ? json_array_get(at, strtoul(key, NULL, 10))
                               : json_object_get(at, key);
        insist(at != NULL, "no %s in %s", key, path);
        p += n + (p[n] == '.');
    }
    return at;
}

double tqt_number(json_t *root, const char *path)
{
    const json_t *at = tqt_at(root, path);
    insist(json_is_number(at), "%s is no number", path);
    return json_number_value(at);
}

double tqt_at_number(json_t *root, const char *path, size_t i)
{
    const json_t *at = json_array_get(tqt_at(root, path), i);
    insist(json_is_number(at), "%s", path);
    return json_number_value(at);
}

static size_t collect(json_t *at, double *ret, size_t room)
{
    size_t n = 0;
    if (json_is_number(at) && room > 0) {
        ret[n++] = json_number_value(at);
    }
    const char *key;
    json_t *value;
    if (json_is_object(at)) {
        json_object_foreach(at, key, value)
        {
            n += collect(value, ret + n, room - n);
        }
    }
    for (size_t i = 0; json_is_array(at) && i < json_array_size(at); i++) {
        n += collect(json_array_get(at, i), ret + n, room - n);
    }
    return n;
}

void tqt_numbers(json_t *root, const char *path, double *ret, size_t n)
{
    insist(collect(tqt_at(root, path), ret, n) == n, "%s", path);
}

double tqt_dot(json_t *root, const char *table, size_t row, const char *vector)
{
    const json_t *y = json_array_get(tqt_at(root, table), row);
    const json_t *x = tqt_at(root, vector);
    double sum = 0.0;
    insist(json_array_size(y) == json_array_size(x), "%s, %s", table, vector);
    for (size_t i = 0; i < json_array_size(x); i++) {
        sum += json_number_value(json_array_get(y, i)) * json_number_value(json_array_get(x, i));
    }
    return sum;
}

/* ------------------------------------------------------------------------------------------------
 * CBOR
 */

typedef struct received {
    double numbers[NUMBERS_MAX];
    size_t n, n_key;
} received;

static bool other(void *ctx, uint64_t at)
{
    (void)ctx, (void)at;
    return true;
}

static bool text(void *ctx, uint64_t at, const char *s, size_t n)
{
    (void)ctx, (void)at, (void)s, (void)n;
    return true;
}

static bool key(void *ctx, uint64_t at, const char *s, size_t n)
{
    (void)at, (void)s, (void)n;
    ((received *)ctx)->n_key++;
    return true;
}

static bool numbers(void *ctx, uint64_t at, const double *values, size_t n)
{
    received *t = ctx;
    (void)at;
    for (size_t i = 0; i < n && t->n < NUMBERS_MAX; i++) {
        t->numbers[t->n++] = values[i];
    }
    return true;
}

static bool number(void *ctx, uint64_t at, double value)
{
    return numbers(ctx, at, &value, 1);
}

static bool boolean(void *ctx, uint64_t at, bool value)
{
    (void)ctx, (void)at, (void)value;
    return true;
}

static const tqa_events events = {.begin_map = other,
                                  .end_map = other,
                                  .key = key,
                                  .begin_array = other,
                                  .end_array = other,
                                  .number = number,
                                  .numbers = numbers,
                                  .string = text,
                                  .boolean = boolean,
                                  .null = other};

void tqt_same_in_cbor(const char *robot, const char *operation, const char *body, json_t *answer)
{
    const tqt_call_options options = {.operation = operation, .accept = TQA_MEDIA_CBOR};
    tqt_answer cbor = ask(robot, options, body);
    insist(cbor.status == 200, "%s", cbor.problem.detail);
    static tqa_cbor_decoder decoder;
    static received seen;
    static double wanted[NUMBERS_MAX];
    seen.n = seen.n_key = 0;
    tqa_cbor_decoder_init(&decoder, &events, &seen);
    insist(tqa_cbor_decoder_feed(&decoder, cbor.text, cbor.n) == TQA_DECODE_OK, "no CBOR");
    insist(tqa_cbor_decoder_finish(&decoder) == TQA_DECODE_OK, "cut CBOR");
    const size_t n = collect(answer, wanted, NUMBERS_MAX);
    insist(n > 0 && seen.n == n, "%zu numbers, wanted %zu", seen.n, n);
    for (size_t i = 0; i < n; i++) {
        insist(memcmp(&seen.numbers[i], &wanted[i], sizeof wanted[i]) == 0, "number %zu", i);
    }
    insist(seen.n_key > json_object_size(answer), "%zu keys", seen.n_key);
    tqt_answer_clear(&cbor);
}
