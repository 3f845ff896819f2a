/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/call/test_media.c - one request in every format, one answer in every format:
 * the same numbers, bit for bit. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

#include <cbor.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/cbor/cbor.h"
#include "api/codec/json/scan.h"
#include "api/codec/npy/npz.h"
#include "api/codec/number/number.h"
#include "api/response/digest.h"
#include "tests/support/one_call.h"

enum { NV = 7, COLUMNS = 3 * NV, SAMPLES = 600, BODY_MAX = SAMPLES * COLUMNS * 30 };

/* Number c of sample i: columns q | qd | qdd. */
static double value(uint64_t i, uint64_t c)
{
    return 2.0 * sin(0.37 * (double)(i * COLUMNS + c));
}

static void gather_all(void *ctx, uint64_t row, uint64_t column, size_t n, double *ret)
{
    const bool flat = *(const bool *)ctx;
    for (size_t k = 0; k < n; k++) {
        ret[k] = flat ? value(0, row + k) : value(row, column + k);
    }
}

typedef struct part {
    bool flat;
    uint64_t first;
} part;

static void gather_part(void *ctx, uint64_t row, uint64_t column, size_t n, double *ret)
{
    const part *p = ctx;
    for (size_t k = 0; k < n; k++) {
        ret[k] = p->flat ? value(0, p->first + row + k) : value(row, p->first + column + k);
    }
}

static const char *const keys[] = {"q", "qd", "qdd"};

static char *put(char *s, const char *text)
{
    const size_t n = strlen(text);
    memcpy(s, text, n);
    return s + n;
}

static size_t json_body(char *out, size_t n_sample, bool flat)
{
    char *s = out;
    for (size_t m = 0; m < 3; m++) {
        s = put(s, m == 0 ? "{\"" : ",\"");
        s = put(s, keys[m]);
        s = put(s, flat ? "\":" : "\":[");
        for (size_t i = 0; i < n_sample; i++) {
            for (size_t k = 0; k < NV; k++) {
                s = put(s, k > 0 ? "," : i > 0 ? ",[" : "[");
                s = tqa_number_print(value(i, m * NV + k), s);
            }
            s = put(s, "]");
        }
        s = put(s, flat ? "" : "]");
    }
    return (size_t)(put(s, "}") - out);
}

/* A map of three typed arrays. */
static size_t cbor_body(char *out, size_t n_sample, bool flat)
{
    char *s = out;
    s += cbor_encode_map_start(3, (unsigned char *)s, 16);
    for (size_t m = 0; m < 3; m++) {
        s += cbor_encode_string_start(strlen(keys[m]), (unsigned char *)s, 16);
        s = put(s, keys[m]);
        part p = {.flat = flat, .first = m * NV};
        const tqa_array array = {.rank = flat ? 1 : 2,
                                 .shape = {flat ? NV : n_sample, NV},
                                 .gather = gather_part,
                                 .ctx = &p};
        s += tqa_cbor_array_head(&array, s);
        uint64_t index = 0;
        s += tqa_array_encode(&array, &index, s, BODY_MAX);
    }
    return (size_t)(s - out);
}

static size_t npy_body(char *out, size_t n_sample, bool flat)
{
    const tqa_array array = {.rank = flat ? 1 : 2,
                             .shape = {flat ? COLUMNS : n_sample, COLUMNS},
                             .gather = gather_all,
                             .ctx = &flat};
    tqa_npy_encoder encoder;
    tqa_npy_encoder_init(&encoder, &array);
    size_t used = 0;
    for (size_t n; (n = tqa_npy_encoder_read(&encoder, out + used, BODY_MAX - used)) > 0;) {
        used += n;
    }
    return used;
}

/* An archive of q, qd and qdd. */
static size_t npz_body(char *out, size_t n_sample, bool flat)
{
    part parts[3];
    tqa_array arrays[3];
    tqa_npz_member members[3];
    for (size_t m = 0; m < 3; m++) {
        parts[m] = (part){.flat = flat, .first = m * NV};
        arrays[m] = (tqa_array){.rank = flat ? 1 : 2,
                                .shape = {flat ? NV : n_sample, NV},
                                .gather = gather_part,
                                .ctx = &parts[m]};
        members[m] = (tqa_npz_member){.name = keys[m], .array = &arrays[m]};
    }
    tqa_npz_encoder encoder;
    cr_assert(tqa_npz_encoder_init(&encoder, members, 3));
    size_t used = 0;
    for (size_t n; (n = tqa_npz_encoder_read(&encoder, out + used, BODY_MAX - used)) > 0;) {
        used += n;
    }
    return used;
}

static size_t body_of(tqa_media media, char *out, size_t n_sample, bool flat)
{
    return media == TQA_MEDIA_JSON   ? json_body(out, n_sample, flat)
           : media == TQA_MEDIA_CBOR ? cbor_body(out, n_sample, flat)
           : media == TQA_MEDIA_NPZ  ? npz_body(out, n_sample, flat)
                                     : npy_body(out, n_sample, flat);
}

/* The numbers of a CBOR answer's tau, read by the decoder of api (which has its own tests). */
typedef struct heard {
    double tau[SAMPLES * NV];
    size_t n, n_array, n_string;
    char key[64], strings[3][80];
} heard;

static bool on_bracket(void *ctx, uint64_t at)
{
    (void)ctx;
    (void)at;
    return true;
}

static bool on_begin_array(void *ctx, uint64_t at)
{
    (void)at;
    ((heard *)ctx)->n_array++;
    return true;
}

static bool on_key(void *ctx, uint64_t at, const char *text, size_t n)
{
    (void)at;
    heard *h = ctx;
    memcpy(h->key, text, n);
    h->key[n] = '\0';
    return true;
}

static bool on_numbers(void *ctx, uint64_t at, const double *values, size_t n)
{
    (void)at;
    heard *h = ctx;
    if (strcmp(h->key, "tau") != 0 || h->n + n > SAMPLES * NV) {
        return false;
    }
    memcpy(h->tau + h->n, values, n * sizeof *values);
    h->n += n;
    return true;
}

static bool on_number(void *ctx, uint64_t at, double x)
{
    return on_numbers(ctx, at, &x, 1);
}

static bool on_string(void *ctx, uint64_t at, const char *text, size_t n)
{
    (void)at;
    heard *h = ctx;
    if (h->n_string == 3 || n >= sizeof h->strings[0]) {
        return false;
    }
    memcpy(h->strings[h->n_string], text, n);
    h->strings[h->n_string++][n] = '\0';
    return true;
}

static bool on_boolean(void *ctx, uint64_t at, bool x)
{
    (void)ctx;
    (void)at;
    (void)x;
    return false;
}

static const tqa_events events = {
    .begin_map = on_bracket,
    .end_map = on_bracket,
    .key = on_key,
    .begin_array = on_begin_array,
    .end_array = on_bracket,
    .number = on_number,
    .numbers = on_numbers,
    .string = on_string,
    .boolean = on_boolean,
    .null = on_bracket,
};

static void hear_json(const tqt_answer *answer, heard *h, size_t n_sample, bool flat)
{
    json_t *root = json_loadb(answer->text, answer->n, JSON_REJECT_DUPLICATES, NULL);
    cr_assert(ne(ptr, root, NULL));
    const json_t *tau = json_object_get(root, "tau");
    cr_assert(eq(sz, json_array_size(tau), flat ? (size_t)NV : n_sample));
    for (size_t i = 0; i < n_sample; i++) {
        for (size_t k = 0; k < NV; k++) {
            const json_t *row = flat ? tau : json_array_get(tau, i);
            h->tau[h->n++] = json_real_value(json_array_get(row, k));
        }
    }
    json_decref(root);
}

static void hear_cbor(const tqt_answer *answer, heard *h, size_t n_sample, bool flat)
{
    static tqa_cbor_decoder decoder;
    tqa_cbor_decoder_init(&decoder, &events, h);
    cr_assert(eq(int, (int)tqa_cbor_decoder_feed(&decoder, answer->text, answer->n), TQA_DECODE_OK),
              "%s", decoder.error.detail);
    cr_assert(eq(int, (int)tqa_cbor_decoder_finish(&decoder), TQA_DECODE_OK));
    cr_assert(eq(sz, h->n_array, flat ? 1 : n_sample + 1));
    cr_assert(eq(sz, h->n_string, 3));
    cr_assert(eq(int, strncmp(h->strings[0], "torqued ", 8), 0));
    cr_assert(eq(sz, strlen(h->strings[1]), 64));
    cr_assert(eq(sz, strlen(h->strings[2]), TQA_REQUEST_DIGEST_TEXT - 1));
}

static void hear_npy(const tqt_answer *answer, heard *h, size_t n_sample, bool flat)
{
    const size_t bytes = n_sample * NV * sizeof(double);
    cr_assert(eq(int, memcmp(answer->text, "\x93NUMPY", 6), 0));
    char shape[40];
    snprintf(shape, sizeof shape, flat ? "'shape': (7,)" : "'shape': (%zu, 7)", n_sample);
    char head[256] = {0};
    memcpy(head, answer->text + 10, answer->n - bytes - 10);
    cr_assert(ne(ptr, strstr(head, shape), NULL), "%s", head);
    memcpy(h->tau, answer->text + answer->n - bytes, bytes);
    h->n = n_sample * NV;
}

static bool on_member(void *ctx, const char *name, size_t n)
{
    return on_key(ctx, 0, name, n);
}

static bool on_shape(void *ctx, const tqa_npy_shape *shape)
{
    heard *h = ctx;
    h->n_array = shape->rank == 1 ? 0 : (size_t)shape->n_row;
    return shape->rank == 1 ? shape->n_row == NV : shape->n_column == NV;
}

static bool on_values(void *ctx, uint64_t row, uint64_t column, const double *values, size_t n)
{
    (void)row;
    (void)column;
    return on_numbers(ctx, 0, values, n);
}

static void hear_npz(const tqt_answer *answer, heard *h, size_t n_sample, bool flat)
{
    const tqa_npz_sink sink = {.member = on_member,
                               .npy = {.shape = on_shape, .values = on_values}};
    tqa_npz_decoder *decoder = tqa_npz_decoder_new(&sink, h, SAMPLES * NV);
    cr_assert(ne(ptr, decoder, NULL));
    cr_assert(eq(int, (int)tqa_npz_decoder_feed(decoder, answer->text, answer->n), TQA_DECODE_OK));
    cr_assert(eq(int, (int)tqa_npz_decoder_finish(decoder), TQA_DECODE_OK));
    cr_assert(eq(str, h->key, "tau"));
    cr_assert(eq(sz, h->n_array, flat ? 0 : n_sample));
    tqa_npz_decoder_free(decoder);
}

static void hear(tqa_media media, const tqt_answer *answer, heard *h, size_t n_sample, bool flat)
{
    cr_assert(eq(int, answer->status, 200), "%s", answer->problem.detail);
    *h = (heard){0};
    if (media == TQA_MEDIA_JSON) {
        hear_json(answer, h, n_sample, flat);
    } else if (media == TQA_MEDIA_CBOR) {
        hear_cbor(answer, h, n_sample, flat);
    } else if (media == TQA_MEDIA_NPZ) {
        hear_npz(answer, h, n_sample, flat);
    } else {
        hear_npy(answer, h, n_sample, flat);
    }
    cr_assert(eq(sz, h->n, n_sample * NV));
}

static const tqa_media formats[] = {TQA_MEDIA_JSON, TQA_MEDIA_CBOR, TQA_MEDIA_NPY, TQA_MEDIA_NPZ};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static void every_pair(size_t n_sample, bool flat, size_t step, size_t room)
{
    static char body[BODY_MAX];
    static heard first, other;
    tqa_robot *robot = tqt_builtin("panda");
    for (size_t in = 0; in < FORMATS; in++) {
        const size_t n = body_of(formats[in], body, n_sample, flat);
        for (size_t out = 0; out < FORMATS; out++) {
            /* for one answer format the request has no Content-Type: its first byte tells */
            const tqt_call_options options = {
                .content = out == 1 ? TQA_MEDIA_NONE : formats[in],
                .accept = formats[out],
                .step = step,
                .room = room,
            };
            tqt_answer answer = tqt_call(robot, body, n, options);
            hear(formats[out], &answer, &other, n_sample, flat);
            if (in == 0 && out == 0) {
                first = other;
            }
            cr_assert(eq(int, memcmp(first.tau, other.tau, other.n * sizeof other.tau[0]), 0),
                      "format %zu to %zu", in, out);
            tqt_answer_clear(&answer);
        }
    }
    tqa_robot_free(robot);
}

Test(media, one_sample)
{
    every_pair(1, true, 0, 0);
    every_pair(1, false, 1, 4096);
}

Test(media, batches)
{
    every_pair(5, false, 1, 4096);
    every_pair(SAMPLES, false, 3000, 5003);
}

/* The same table column by column. */
Test(media, npy_in_fortran_order)
{
    enum { N = 300 };
    static char body[BODY_MAX];
    static heard rows, columns;
    tqa_robot *robot = tqt_builtin("panda");
    size_t n = npy_body(body, N, false);
    tqt_answer answer = tqt_call(robot, body, n, (tqt_call_options){0});
    hear(TQA_MEDIA_JSON, &answer, &rows, N, false);
    tqt_answer_clear(&answer);
    char *order = strstr(body + 10, "False");
    cr_assert(ne(ptr, order, NULL));
    memcpy(order, "True ", 5);
    char *values = body + n - sizeof(double) * N * COLUMNS;
    for (size_t c = 0; c < COLUMNS; c++) {
        for (size_t i = 0; i < N; i++) {
            const double x = value(i, c);
            memcpy(values + (c * N + i) * sizeof x, &x, sizeof x);
        }
    }
    answer = tqt_call(robot, body, n, (tqt_call_options){.step = 1001});
    hear(TQA_MEDIA_JSON, &answer, &columns, N, false);
    cr_assert(eq(int, memcmp(rows.tau, columns.tau, rows.n * sizeof rows.tau[0]), 0));
    tqt_answer_clear(&answer);
    tqa_robot_free(robot);
}

Test(media, tables_that_are_refused)
{
    static char body[BODY_MAX];
    tqa_robot *panda = tqt_builtin("panda");
    tqa_robot *ur5e = tqt_builtin("ur5e");
    size_t n = npy_body(body, 3, false);
    /* the table of another robot */
    tqt_answer answer = tqt_call(ur5e, body, n, (tqt_call_options){0});
    cr_assert(eq(int, answer.status, 422));
    cr_assert(eq(str, answer.problem.faults[0].detail, "expected 18 columns, got 21"));
    cr_assert(ne(ptr, strstr(answer.problem.faults[0].hint, "q 6 | qd 6 | qdd 6"), NULL));
    /* truncated, and with trailing bytes */
    answer = tqt_call(panda, body, n - 1, (tqt_call_options){0});
    cr_assert(eq(str, (char *)answer.problem.slug, "malformed"));
    body[n] = 'x';
    answer = tqt_call(panda, body, n + 1, (tqt_call_options){0});
    cr_assert(eq(str, (char *)answer.problem.slug, "malformed"));
    /* NaN in the last value */
    const double nan = (double)NAN;
    memcpy(body + n - sizeof nan, &nan, sizeof nan);
    answer = tqt_call(panda, body, n, (tqt_call_options){0});
    cr_assert(eq(str, (char *)answer.problem.slug, "not-finite"));
    cr_assert(ne(ptr, strstr(answer.problem.detail, "row 2, column 20"), NULL), "%s",
              answer.problem.detail);
    n = cbor_body(body, 3, false);
    memcpy(body + n - sizeof nan, &nan, sizeof nan);
    answer = tqt_call(panda, body, n, (tqt_call_options){0});
    cr_assert(eq(str, (char *)answer.problem.slug, "not-finite"));
    cr_assert(eq(str, answer.problem.faults[0].pointer, "/qdd/2/6"));
    /* the header states more rows than the file has */
    n = npy_body(body, 3, false);
    char *rows = strstr(body + 10, "(3, 21)");
    memcpy(rows, "(9999999, 21)", 13);
    char *tail = rows + 13;
    memcpy(tail, ", }", 3);
    answer = tqt_call(panda, body, n, (tqt_call_options){0});
    cr_assert(ge(int, answer.status, 400));
    tqa_robot_free(panda);
    tqa_robot_free(ur5e);
}

/* Reactions are an object of two arrays: the same numbers in JSON and CBOR, with buffers of any
 * size. */
static bool on_any_numbers(void *ctx, uint64_t at, const double *values, size_t n)
{
    (void)at;
    heard *h = ctx;
    if (h->n + n > SAMPLES * NV) {
        return false;
    }
    memcpy(h->tau + h->n, values, n * sizeof *values);
    h->n += n;
    return true;
}

static bool on_any_number(void *ctx, uint64_t at, double x)
{
    return on_any_numbers(ctx, at, &x, 1);
}

static bool on_any_string(void *ctx, uint64_t at, const char *text, size_t n)
{
    (void)at;
    (void)text;
    (void)n;
    ((heard *)ctx)->n_string++;
    return true;
}

Test(media, reactions_in_json_and_cbor)
{
    enum { N = 20 };
    static char body[BODY_MAX];
    static heard heard_in[2];
    tqa_robot *robot = tqt_builtin("panda");
    size_t n = json_body(body, N, false) - 1;
    n += (size_t)snprintf(body + n, 40, ",\"include\":[\"reactions\"]}");
    tqa_events any = events;
    any.number = on_any_number;
    any.numbers = on_any_numbers;
    any.string = on_any_string;
    for (size_t f = 0; f < 2; f++) {
        tqt_answer answer =
            tqt_call(robot, body, n, (tqt_call_options){.accept = formats[f], .room = 4096});
        cr_assert(eq(int, answer.status, 200), "%s", answer.problem.detail);
        static tqa_json_scan json;
        static tqa_cbor_decoder cbor;
        tqa_json_scan_init(&json, &any, &heard_in[f]);
        tqa_cbor_decoder_init(&cbor, &any, &heard_in[f]);
        cr_assert(eq(int,
                     f == 0 ? (int)tqa_json_scan_feed(&json, answer.text, answer.n)
                            : (int)tqa_cbor_decoder_feed(&cbor, answer.text, answer.n),
                     TQA_DECODE_OK));
        cr_assert(
            eq(int, f == 0 ? (int)tqa_json_scan_finish(&json) : (int)tqa_cbor_decoder_finish(&cbor),
               TQA_DECODE_OK));
        tqt_answer_clear(&answer);
    }
    const size_t n_joint = robot->model->n_joint;
    cr_assert(eq(sz, heard_in[0].n, N * (NV + 6 * (n_joint + 1))));
    cr_assert(eq(sz, heard_in[1].n, heard_in[0].n));
    cr_assert(eq(sz, heard_in[0].n_string, 3 + 3 + n_joint));
    cr_assert(eq(sz, heard_in[1].n_string, heard_in[0].n_string));
    cr_assert(eq(int, memcmp(heard_in[0].tau, heard_in[1].tau, heard_in[0].n * sizeof(double)), 0));
    /* an NPY file has one array only */
    tqt_answer answer = tqt_call(robot, body, n, (tqt_call_options){.accept = TQA_MEDIA_NPY});
    cr_assert(eq(int, answer.status, 406));
    tqa_robot_free(robot);
}

/* Whole rows, parts of a row and the end of a block are sent without a copy. */
Test(media, contiguous_numbers_give_the_same_answer, .timeout = 100)
{
    static char body[BODY_MAX];
    static const tqa_media media[] = {TQA_MEDIA_CBOR, TQA_MEDIA_NPY, TQA_MEDIA_JSON, TQA_MEDIA_NPZ};
    tqa_robot *robot = tqt_builtin("panda");
    for (size_t m = 0; m < sizeof media / sizeof media[0]; m++) {
        for (size_t n_sample = 5; n_sample <= SAMPLES; n_sample *= 3) {
            const size_t n = body_of(TQA_MEDIA_CBOR, body, n_sample, false);
            for (size_t room = 4096; room < 20000; room += 1237) {
                tqt_call_options options = {
                    .content = TQA_MEDIA_CBOR, .accept = media[m], .room = room};
                tqt_answer read = tqt_call(robot, body, n, options);
                options.look = true;
                tqt_answer looked = tqt_call(robot, body, n, options);
                cr_assert(eq(int, looked.status, 200));
                cr_assert(eq(sz, looked.n, read.n));
                cr_assert(eq(int, memcmp(looked.text, read.text, read.n), 0), "room %zu", room);
                /* samples of one block, or more than the first read takes */
                const bool lies = m < 2 && n_sample > 8 && n_sample * NV * 8 > room;
                cr_assert(eq(int, looked.n_looked > 0, lies), "%zu samples", n_sample);
                cr_assert(le(sz, looked.n_looked, n_sample * NV * sizeof(double)));
                tqt_answer_clear(&read);
                tqt_answer_clear(&looked);
            }
        }
    }
    tqa_robot_free(robot);
}
