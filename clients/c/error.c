/* SPDX-License-Identifier: Apache-2.0 */
/* clients/c/error.c - faults of this library, and problem documents (RFC 9457), as tqc_error. */
#include "clients/c/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "clients/c/json.h"

const char *tqc_code_text(tqc_code code)
{
    static const char *const texts[] = {
        "done",
        "an argument is wrong",
        "there is not enough memory",
        "the service cannot be reached",
        "the connection ended before the answer was complete",
        "time ran out",
        "the service refused the request",
        "the service does not accept these credentials",
        "the answer is longer than the memory for it",
        "the answer is not what was asked for",
        "stopped by the caller",
    };
    return (size_t)code < sizeof texts / sizeof texts[0] ? texts[code] : "no such code";
}

tqc_code tqci_fail(tqc_error *error, tqc_code code, const char *format, ...)
{
    va_list args;
    if (error != NULL) {
        memset(error, 0, sizeof *error);
        error->code = code;
        va_start(args, format);
        (void)vsnprintf(error->detail, sizeof error->detail, format, args);
        va_end(args);
    }
    return code;
}

static bool key_is(const tqci_json *json, const char *name)
{
    return json->n_token == strlen(name) && memcmp(json->token, name, json->n_token) == 0;
}

/* The member of `texts` whose name is the last key, if its value is a text. False: not JSON. */
static bool take_member(tqci_json *json, const char *const *names, char *const *texts,
                        const size_t *sizes, size_t n)
{
    size_t which = 0;
    while (which < n && !key_is(json, names[which])) {
        which++;
    }
    const tqci_kind kind = tqci_json_next(json);
    if (kind == TQCI_TEXT && which < n) {
        (void)tqci_json_text(json, texts[which], sizes[which]);
    }
    return kind == TQCI_OBJECT || kind == TQCI_ARRAY ? tqci_json_skip(json) : kind != TQCI_FAULT;
}

/* "errors": the first entry has the place and the hint; the last token was that key */
static bool take_errors(tqci_json *json, tqc_error *error)
{
    static const char *const names[] = {"pointer", "hint"};
    char *const texts[] = {error->pointer, error->hint};
    const size_t sizes[] = {sizeof error->pointer, sizeof error->hint};
    if (tqci_json_next(json) != TQCI_ARRAY) {
        return false;
    }
    const tqci_kind first = tqci_json_next(json);
    if (first != TQCI_OBJECT) {
        return first == TQCI_CLOSE;
    }
    tqci_kind kind;
    while ((kind = tqci_json_next(json)) == TQCI_KEY) {
        if (!take_member(json, names, texts, sizes, 2)) {
            return false;
        }
    }
    while (kind == TQCI_CLOSE && (kind = tqci_json_next(json)) == TQCI_OBJECT) {
        kind = tqci_json_skip(json) ? TQCI_CLOSE : TQCI_FAULT; /* the other entries */
    }
    return kind == TQCI_CLOSE;
}

tqc_code tqci_refused(tqc_error *error, int status, const char *body, size_t n)
{
    static const char *const names[] = {"type", "title", "detail", "request_id"};
    static const char base[] = "/problems/";
    const tqc_code code = status == 401 || status == 403 ? TQC_UNAUTHORIZED : TQC_REFUSED;
    if (error == NULL) {
        return code;
    }
    memset(error, 0, sizeof *error);
    error->code = code;
    error->status = status;
    char type[sizeof error->type + sizeof base] = "";
    char *const texts[] = {type, error->title, error->detail, error->request_id};
    const size_t sizes[] = {sizeof type, sizeof error->title, sizeof error->detail,
                            sizeof error->request_id};
    tqci_json json;
    tqci_json_open(&json, body, n);
    bool good = tqci_json_next(&json) == TQCI_OBJECT;
    while (good && tqci_json_next(&json) == TQCI_KEY) {
        good = key_is(&json, "errors") ? take_errors(&json, error)
                                       : take_member(&json, names, texts, sizes, 4);
    }
    const char *slug = strncmp(type, base, sizeof base - 1) == 0 ? type + sizeof base - 1 : type;
    (void)snprintf(error->type, sizeof error->type, "%.63s", slug);
    return code;
}
