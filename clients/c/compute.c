/* SPDX-License-Identifier: Apache-2.0 */
/* clients/c/compute.c - any operation: arrays in and out as CBOR, other fields as JSON text. */
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "clients/c/cbor.h"
#include "clients/c/client.h"
#include "clients/c/compute.h"
#include "clients/c/error.h"
#include "clients/c/json.h"

enum { ARRAYS_MAX = 64, HEAD_BYTES = 160, OBJECT_BEGIN = 0xbf, ARRAY_BEGIN = 0x9f, BREAK = 0xff };

/* The body: its pieces in their order, the arrays among them where the caller has them. */
typedef struct body {
    struct {
        const void *bytes;
        size_t n;
    } pieces[2 * ARRAYS_MAX + 2];
    size_t n_piece, n_bytes;
    size_t piece, within; /* given so far */
    tqci_cbor reader;
    tqci_wanted wanted;
} body;

static size_t give(void *ctx, char *to, size_t n)
{
    body *b = ctx;
    size_t given = 0;
    while (given < n && b->piece < b->n_piece) {
        const size_t left = b->pieces[b->piece].n - b->within;
        const size_t taken = left < n - given ? left : n - given;
        memcpy(to + given, (const char *)b->pieces[b->piece].bytes + b->within, taken);
        given += taken;
        b->within += taken;
        if (taken == left) {
            b->piece++;
            b->within = 0;
        }
    }
    return given;
}

static int take(void *ctx, const char *bytes, size_t n)
{
    return tqci_cbor_push(&((body *)ctx)->reader, (const unsigned char *)bytes, n) ? 0 : 1;
}

static int again(void *ctx)
{
    body *b = ctx;
    b->piece = b->within = 0;
    tqci_cbor_open(&b->reader, b->wanted.results, b->wanted.n_result);
    tqci_cbor_texts(&b->reader, b->wanted.texts, b->wanted.n_text);
    return 0;
}

static void append(body *b, const void *bytes, size_t n)
{
    b->pieces[b->n_piece].bytes = bytes;
    b->pieces[b->n_piece++].n = n;
    b->n_bytes += n;
}

/* ------------------------------------------------------------------------------ JSON to CBOR */

/* A number: an integer where it is written as one, -0 aside. */
static size_t put_number(const tqci_json *json, locale_t c_locale, unsigned char out[9])
{
    char text[64] = "";
    memcpy(text, json->token, json->n_token < sizeof text ? json->n_token : sizeof text - 1);
    if (strpbrk(text, ".eE") == NULL && strlen(text) < 19 && strcmp(text, "-0") != 0) {
        const long long value = strtoll(text, NULL, 10);
        return tqci_cbor_head(out, value < 0, (uint64_t)(value < 0 ? -1 - value : value));
    }
    const double value = strtod_l(text, NULL, c_locale);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    out[0] = 0xfb;
    for (unsigned i = 0; i < 8; i++) {
        out[8 - i] = (unsigned char)(bits >> 8 * i);
    }
    return 9;
}

/* Members of the object `fields`, and the map's beginning, into `out` of 9 bytes for each of the
 * text. Returns how many, 0: not a JSON object. */
static size_t convert(const char *fields, unsigned char *out, locale_t c_locale)
{
    size_t n = 0;
    tqci_json json;
    tqci_json_open(&json, fields, strlen(fields));
    tqci_kind kind = tqci_json_next(&json);
    if (kind != TQCI_OBJECT) {
        return 0;
    }
    out[n++] = OBJECT_BEGIN;
    while ((kind = tqci_json_next(&json)) != TQCI_END && kind != TQCI_FAULT) {
        switch ((int)kind) {
        case TQCI_OBJECT:
        case TQCI_ARRAY:
            out[n++] = kind == TQCI_OBJECT ? OBJECT_BEGIN : ARRAY_BEGIN;
            break;
        case TQCI_CLOSE:
            if (json.depth > 0) { /* the outermost one is closed after the arrays */
                out[n++] = BREAK;
            }
            break;
        case TQCI_KEY:
        case TQCI_TEXT: {
            unsigned char head[9];
            char *to = (char *)out + n + 9; /* 9 bytes a byte of text: there is room to unescape */
            const size_t length = tqci_json_text(&json, to, json.n_token + 1);
            const size_t n_head = tqci_cbor_head(head, 3, length);
            memmove(out + n + n_head, to, length);
            memcpy(out + n, head, n_head);
            n += n_head + length;
            break;
        }
        case TQCI_NUMBER:
            n += put_number(&json, c_locale, out + n);
            break;
        default:
            out[n++] = kind == TQCI_TRUE ? 0xf5 : kind == TQCI_FALSE ? 0xf4 : 0xf6;
        }
    }
    return kind == TQCI_END ? n : 0;
}

/* ---------------------------------------------------------------------------------- one request */

/* Key, shape and head of an array; returns its length, 0: the name is too long. */
static size_t put_array_head(const tqc_array *array, unsigned char out[HEAD_BYTES])
{
    const size_t n_name = strlen(array->name);
    size_t n = 0;
    if (n_name > 64) {
        return 0;
    }
    n += tqci_cbor_head(out + n, 3, n_name);
    memcpy(out + n, array->name, n_name);
    n += n_name;
    if (array->rows > 0) {
        n += tqci_cbor_head(out + n, 6, 40);
        n += tqci_cbor_head(out + n, 4, 2);
        n += tqci_cbor_head(out + n, 4, 2);
        n += tqci_cbor_head(out + n, 0, array->rows);
        n += tqci_cbor_head(out + n, 0, array->columns);
    }
    const size_t values = (array->rows > 0 ? array->rows : 1) * array->columns;
    n += tqci_cbor_head(out + n, 6, 86);
    n += tqci_cbor_head(out + n, 2, values * sizeof(double));
    return n;
}

static tqc_code judge(const body *b, tqc_code code, tqc_error *error)
{
    if (b->reader.small != NULL && (code == TQC_STOPPED || code == TQC_OK)) {
        return tqci_fail(error, TQC_TOO_SMALL, "%s has %zu numbers, there is room for %zu",
                         b->reader.small->name, b->reader.small->n, b->reader.small->room);
    }
    if (code == TQC_STOPPED || (code == TQC_OK && !b->reader.is_done)) {
        return tqci_fail(error, TQC_NOT_UNDERSTOOD,
                         "the answer is not the CBOR that was asked for");
    }
    for (size_t i = 0; code == TQC_OK && i < b->wanted.n_result; i++) {
        if (b->wanted.results[i].n == 0 && b->reader.n_found < b->wanted.n_result) {
            return tqci_fail(error, TQC_NOT_UNDERSTOOD, "the answer has no array %s",
                             b->wanted.results[i].name);
        }
    }
    return code;
}

static tqc_code post(tqc_client *client, const char *path, bool is_repeatable, body *b,
                     tqc_answer *answer, tqc_error *error)
{
    const tqc_request request = {
        .method = "POST",
        .path = path,
        .content_type = "application/cbor",
        .read = give,
        .n_read = (int64_t)b->n_bytes,
        .read_ctx = b,
        .rewind = again,
        .accept = "application/cbor",
        .is_repeatable = is_repeatable,
        .write = take,
        .write_ctx = b,
    };
    (void)again(b);
    const tqc_code code = tqc_send(client, &request, answer, error);
    if (code == TQC_OK && answer->status == 202) {
        return tqci_fail(error, TQC_TIMEOUT, "it has become a job: %s", answer->location);
    }
    return judge(b, code, error);
}

tqc_code tqci_compute(tqc_client *client, const char *path, bool is_repeatable, const char *fields,
                      const tqc_array *arrays, size_t n_array, const tqci_wanted *wanted,
                      tqc_answer *answer, tqc_error *error)
{
    static const unsigned char close = BREAK;
    if (n_array > ARRAYS_MAX) {
        return tqci_fail(error, TQC_BAD_ARGUMENT, "more than %d arrays", ARRAYS_MAX);
    }
    unsigned char *text = malloc(9 * strlen(fields) + 32 + n_array * HEAD_BYTES);
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    body *b = calloc(1, sizeof *b);
    tqc_code code = TQC_OK;
    if (text == NULL || b == NULL || c_locale == (locale_t)0) {
        code = tqci_fail(error, TQC_NO_MEMORY, "there is no memory for the request");
    } else {
        size_t n = convert(fields, text, c_locale);
        code = n > 0 ? TQC_OK : tqci_fail(error, TQC_BAD_ARGUMENT, "the fields are no JSON object");
        append(b, text, n);
        for (size_t i = 0; code == TQC_OK && i < n_array; i++) {
            const size_t n_head = put_array_head(&arrays[i], text + n);
            const size_t rows = arrays[i].rows > 0 ? arrays[i].rows : 1;
            append(b, text + n, n_head);
            append(b, arrays[i].values, rows * arrays[i].columns * sizeof(double));
            n += n_head;
            code = n_head > 0
                       ? code
                       : tqci_fail(error, TQC_BAD_ARGUMENT, "a name of an array is too long");
        }
        append(b, &close, 1);
        b->wanted = *wanted;
        code = code == TQC_OK ? post(client, path, is_repeatable, b, answer, error) : code;
    }
    if (c_locale != (locale_t)0) {
        freelocale(c_locale);
    }
    free(b);
    free(text);
    return code;
}

tqc_code tqc_compute(tqc_client *client, const char *robot, const char *operation,
                     const char *fields, const tqc_array *arrays, size_t n_array,
                     tqc_result *results, size_t n_result, tqc_error *error)
{
    char path[TQCI_PATH_BYTES];
    tqc_answer answer;
    const tqci_wanted wanted = {.results = results, .n_result = n_result};
    if (tqci_path(path, robot, operation) == 0) {
        return tqci_fail(error, TQC_BAD_ARGUMENT, "there is no such robot or operation");
    }
    return tqci_compute(client, path, false, fields != NULL ? fields : "{}", arrays, n_array,
                        &wanted, &answer, error);
}
