/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/call/test_overlap.c - blocks computed while the body arrives give the same answer
 * as blocks computed afterwards, or are computed again. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/memory.h"
#include "tests/support/one_call.h"

enum { SAMPLES = 2000, JOINTS = 7, BLOCKS = SAMPLES / 256, BODY_MAX = 8 << 20 };

typedef struct text {
    size_t n;
    char bytes[BODY_MAX];
} text;

__attribute__((format(printf, 2, 3))) static void put(text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(t->bytes + t->n, sizeof t->bytes - t->n, format, arguments);
    va_end(arguments);
    cr_assert(n >= 0 && (size_t)n < sizeof t->bytes - t->n);
    t->n += (size_t)n;
}

static double value(size_t array, size_t i, size_t k)
{
    return (double)((i * 31 + k * 17 + array * 7) % 200) / 64.0 - 1.5;
}

static void put_array(text *t, const char *name, size_t array, size_t n_sample, const char *one)
{
    put(t, "%s\"%s\":[", t->n > 1 ? "," : "", name);
    for (size_t i = 0; i < n_sample; i++) {
        for (size_t k = 0; k < JOINTS; k++) {
            put(t, "%s", k > 0 ? "," : i > 0 ? ",[" : "[");
            if (one != NULL && i == 700 && k == 3) {
                put(t, "%s", one);
            } else {
                put(t, "%.6f", value(array, i, k));
            }
        }
        put(t, "]");
    }
    put(t, "]");
}

/* Parts of a body: fields before and after the arrays, samples of the last array, and a number in
 * the middle of qd. */
typedef struct row {
    const char *operation, *before, *after;
    size_t n_last;
    const char *one;
    size_t n_ready;
    int status;
} row;

static const row rows[] = {
    {"inverse-dynamics", "", "", SAMPLES, NULL, BLOCKS, 200},
    {"forward-dynamics", "", "", SAMPLES, NULL, BLOCKS, 200},
    /* a field after the samples changes their meaning */
    {"inverse-dynamics", "", ",\"gravity\":[0,0,-1.62]", SAMPLES, NULL, BLOCKS, 200},
    {"forward-dynamics", "", ",\"without\":[\"gravity\"]", SAMPLES, NULL, BLOCKS, 200},
    {"inverse-dynamics", "", ",\"include\":[\"gravity_torque\"]", SAMPLES, NULL, BLOCKS, 200},
    {"inverse-dynamics", "", ",\"payload\":{\"link\":\"link7\",\"mass\":2,\"com\":[0,0,0.1]}",
     SAMPLES, NULL, BLOCKS, 200},
    {"inverse-dynamics", "",
     ",\"joints\":[\"joint7\",\"joint6\",\"joint5\",\"joint4\",\"joint3\",\"joint2\",\"joint1\"]",
     SAMPLES, NULL, BLOCKS, 200},
    {"inverse-dynamics", "\"gravity\":[0,0,-1.62]", "", SAMPLES, NULL, 0, 200},
    /* faults are found at the same places as without overlap */
    {"inverse-dynamics", "", ",\"speed\":1", SAMPLES, NULL, BLOCKS, 400},
    {"inverse-dynamics", "", "", SAMPLES + 9000, NULL, BLOCKS, 422},
    {"inverse-dynamics", "", "", SAMPLES - 300, NULL, (SAMPLES - 300) / 256, 422},
    {"inverse-dynamics", "", "", SAMPLES, "1e200", BLOCKS, 422},
    {"forward-dynamics", "", "", SAMPLES, "1e200", BLOCKS, 422},
    /* the remaining body is required before any block can be computed */
    {"terms", "", ",\"include\":[\"mass_matrix\"]", SAMPLES, NULL, 0, 200},
};

static text body;

static void make(const row *r)
{
    const char *const last = strcmp(r->operation, "forward-dynamics") == 0 ? "tau" : "qdd";
    body.n = 0;
    put(&body, "{%s", r->before);
    put_array(&body, "q", 0, SAMPLES, NULL);
    put_array(&body, "qd", 1, SAMPLES, r->one);
    if (strcmp(r->operation, "terms") != 0) {
        put_array(&body, last, 2, r->n_last, NULL);
    }
    put(&body, "%s}", r->after);
}

/* for binary answers the computing thread transposes the blocks */
static tqa_media accepted = TQA_MEDIA_JSON;

static tqt_answer ask(const tqa_robot *robot, const row *r, size_t step, bool ahead, bool idle)
{
    return tqt_call(robot, body.bytes, body.n,
                    (tqt_call_options){.operation = r->operation,
                                       .content = TQA_MEDIA_JSON,
                                       .accept = accepted,
                                       .step = step,
                                       .ahead = ahead,
                                       .idle = idle});
}

static void same(const tqt_answer *a, const tqt_answer *b)
{
    cr_assert(eq(int, a->status, b->status), "%s / %s", a->problem.detail, b->problem.detail);
    if (a->status != 200) {
        cr_expect(eq(str, (char *)a->problem.detail, (char *)b->problem.detail));
        return;
    }
    cr_assert(eq(sz, a->n, b->n));
    cr_expect(eq(int, memcmp(a->text, b->text, a->n), 0));
}

ParameterizedTestParameters(overlap, the_answer_is_the_same)
{
    static tqa_media media[] = {TQA_MEDIA_JSON, TQA_MEDIA_CBOR};
    return cr_make_param_array(tqa_media, media, 2);
}

ParameterizedTest(const tqa_media *media, overlap, the_answer_is_the_same, .timeout = 100)
{
    tqa_robot *robot = tqt_builtin("panda");
    accepted = *media;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        make(&rows[k]);
        tqt_answer after = ask(robot, &rows[k], 30011, false, false);
        cr_assert(eq(int, after.status, rows[k].status), "row %zu: %s", k, after.problem.detail);
        cr_expect(eq(sz, after.n_ready, 0));
        for (size_t step = 30011; step < body.n; step *= 4) {
            tqt_answer ahead = ask(robot, &rows[k], step, true, false);
            same(&ahead, &after);
            /* the last piece may contain both the last block and the field that discards it */
            cr_expect(step > 30011 || ahead.n_ready + 1 >= rows[k].n_ready);
            cr_expect(le(sz, ahead.n_ready, rows[k].n_ready), "row %zu", k);
            tqt_answer_clear(&ahead);
        }
        /* a block was published and not computed: all blocks are computed afterwards */
        tqt_answer idle = ask(robot, &rows[k], 30011, false, true);
        same(&idle, &after);
        tqt_answer_clear(&idle);
        tqt_answer_clear(&after);
    }
    tqa_robot_free(robot);
}

Test(overlap, single_samples_and_robots_without_overlap, .timeout = 100)
{
    static const char flat[] = "{\"q\":[0,0],\"qd\":[0,0],\"qdd\":[0,0]}";
    tqa_robot *arm = tqt_builtin("planar-2r");
    tqt_answer answer = tqt_call(arm, flat, sizeof flat - 1, (tqt_call_options){.ahead = true});
    cr_expect(eq(int, answer.status, 200));
    cr_expect(eq(sz, answer.n_ready, 0));
    tqt_answer_clear(&answer);
    tqa_robot_free(arm);
}

/* NPY: rows split at any byte; a file in Fortran order has its samples at the end. */
static size_t npy(bool fortran, size_t n_sample)
{
    static const char *const words[2] = {"False", "True"};
    body.n = 0;
    put(&body, "%s", "\x93NUMPY\x01");
    body.bytes[body.n] = 0;
    body.n += 3;
    put(&body, "{'descr': '<f8', 'fortran_order': %s, 'shape': (%zu, 21), }\n", words[fortran],
        n_sample);
    body.bytes[8] = (char)(body.n - 10);
    body.bytes[9] = 0;
    for (size_t i = 0; i < 21 * n_sample; i++) {
        const size_t sample = fortran ? i % n_sample : i / 21;
        const size_t column = fortran ? i / n_sample : i % 21;
        const double x = value(column / 7, sample, column % 7);
        memcpy(body.bytes + body.n, &x, sizeof x);
        body.n += sizeof x;
    }
    return body.n;
}

Test(overlap, tables, .timeout = 100)
{
    tqa_robot *robot = tqt_builtin("panda");
    /* 127 blocks: more segments than a table of 128 entries has space for */
    static const size_t sizes[3] = {SAMPLES, SAMPLES, 127 * 256 - 12};
    for (int k = 0; k < 3; k++) {
        const bool fortran = k == 1;
        (void)npy(fortran, sizes[k]);
        tqt_call_options options = {.content = TQA_MEDIA_NPY, .accept = TQA_MEDIA_NPY};
        options.step = 10007;
        tqt_answer after = tqt_call(robot, body.bytes, body.n, options);
        cr_assert(eq(int, after.status, 200), "%s", after.problem.detail);
        options.ahead = true;
        tqt_answer ahead = tqt_call(robot, body.bytes, body.n, options);
        cr_expect(eq(sz, ahead.n_ready, fortran ? 0 : sizes[k] / 256));
        same(&ahead, &after);
        tqt_answer_clear(&ahead);
        /* truncated: the computed blocks are discarded */
        ahead = tqt_call(robot, body.bytes, body.n - 1000, options);
        cr_expect(eq(int, ahead.status, 400));
        tqt_answer_clear(&ahead);
        tqt_answer_clear(&after);
    }
    tqa_robot_free(robot);
}

/* A row of the next table: form of the arrays, fields after them, and a number in the middle of an
 * array: a coordinate beyond its limits, or a velocity whose torque overflows. */
typedef struct spared {
    bool as_map;
    const char *after;
    size_t array;
    double one;
    int status;
} spared;

static void put_cbor_array(const char *name, size_t array, double one)
{
    const size_t n = (size_t)SAMPLES * JOINTS * sizeof(double);
    put(&body, "%c%s", (int)(0x60 + strlen(name)), name);
    const unsigned char head[] = {0xd8,
                                  0x28,
                                  0x82,
                                  0x82,
                                  0x19,
                                  SAMPLES >> 8,
                                  SAMPLES & 255,
                                  JOINTS,
                                  0xd8,
                                  0x56,
                                  0x5a,
                                  0,
                                  (unsigned char)(n >> 16),
                                  (unsigned char)(n >> 8),
                                  (unsigned char)n};
    memcpy(body.bytes + body.n, head, sizeof head);
    body.n += sizeof head;
    for (size_t i = 0; i < SAMPLES; i++) {
        for (size_t k = 0; k < JOINTS; k++) {
            const double x = i == 700 && k == 3 && one > 0.0 ? one : value(array, i, k);
            memcpy(body.bytes + body.n, &x, sizeof x);
            body.n += sizeof x;
        }
    }
}

static void make_spared(const spared *s)
{
    if (!s->as_map) {
        const size_t at = npy(false, SAMPLES) - (size_t)SAMPLES * 21 * sizeof(double);
        if (s->one > 0.0) {
            memcpy(body.bytes + at + (700 * 21 + 7 * s->array + 3) * sizeof(double), &s->one,
                   sizeof s->one);
        }
        return;
    }
    body.n = 0;
    put(&body, "%c", s->after[0] != '\0' ? 0xa4 : 0xa3);
    static const char *const names[3] = {"q", "qd", "qdd"};
    for (size_t a = 0; a < 3; a++) {
        put_cbor_array(names[a], a, s->array == a ? s->one : 0.0);
    }
    put(&body, "%s", s->after);
}

/* If no field can follow, the memory of a computed block's motion is used for the next samples. */
Test(overlap, memory_of_computed_motion_is_reused, .timeout = 100)
{
    static const spared cases[] = {
        {false, "", 0, 0.0, 200},
        {false, "", 0, 900.0, 200},
        {false, "", 1, 1e200, 422},
        {true, "", 0, 0.0, 200},
        {true, "", 0, 900.0, 200},
        {true, "", 1, 1e200, 422},
        {true, "\x67without\x81\x67gravity", 0, 0.0, 200},
        {true, "\x65speed\x01", 0, 0.0, 400},
    };
    static const tqa_media accepts[] = {TQA_MEDIA_JSON, TQA_MEDIA_CBOR, TQA_MEDIA_NPY};
    tqa_robot *robot = tqt_builtin("panda");
    for (size_t k = 0; k < 3 * sizeof cases / sizeof cases[0]; k++) {
        const spared *s = &cases[k / 3];
        make_spared(s);
        tqt_call_options options = {.content = s->as_map ? TQA_MEDIA_CBOR : TQA_MEDIA_NPY,
                                    .accept = accepts[k % 3],
                                    .step = 10007};
        tqt_answer after = tqt_call(robot, body.bytes, body.n, options);
        cr_assert(eq(int, after.status, s->status), "case %zu: %s", k, after.problem.detail);
        const bool is_stated = s->one == 900.0 && accepts[k % 3] == TQA_MEDIA_JSON;
        cr_expect(eq(int, is_stated, is_stated &&strstr(after.text, "\"sample\":700") != NULL));
        for (int idle = 0; idle < 2; idle++) {
            options.ahead = idle == 0;
            options.idle = idle == 1;
            tqt_answer ahead = tqt_call(robot, body.bytes, body.n, options);
            cr_expect(ge(sz, ahead.n_ready, BLOCKS - 1));
            same(&ahead, &after);
            tqt_answer_clear(&ahead);
        }
        tqt_answer_clear(&after);
    }
    tqa_robot_free(robot);
}

/* A table needs memory for its result and for the blocks in flight, not for its whole motion; a map
 * needs in addition its arrays except the last. */
Test(overlap, memory_of_what_is_in_flight, .timeout = 100)
{
    enum { PIECES_OF_TABLE = 3 + 3, TABLE = 20000 };
    tqa_robot *robot = tqt_builtin("panda");
    (void)npy(false, TABLE);
    tqt_call_options options = {
        .content = TQA_MEDIA_NPY, .accept = TQA_MEDIA_NPY, .step = 10007, .ahead = true};
    tqa_memory_bound_set((size_t)PIECES_OF_TABLE * TQA_MEMORY_PIECE);
    tqt_answer answer = tqt_call(robot, body.bytes, body.n, options);
    cr_expect(eq(int, answer.status, 200), "%s", answer.problem.detail);
    tqt_answer_clear(&answer);
    options.ahead = false; /* the motion of all samples does not fit */
    answer = tqt_call(robot, body.bytes, body.n, options);
    cr_expect(eq(int, answer.status, 503));
    tqt_answer_clear(&answer);
    tqa_memory_bound_set(SIZE_MAX);
    tqa_robot_free(robot);
}

/* A chain of so many joints that eight rows of its table do not form a run. */
static tqa_robot *chain(size_t n_joint)
{
    static text urdf;
    urdf.n = 0;
    put(&urdf, "<robot name=\"chain\"><link name=\"l0\"/>");
    for (size_t j = 1; j <= n_joint; j++) {
        put(&urdf,
            "<link name=\"l%zu\"><inertial><origin xyz=\"0.01 0 0.05\"/><mass value=\"0.5\"/>"
            "<inertia ixx=\"0.002\" iyy=\"0.003\" izz=\"0.002\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>"
            "</inertial></link><joint name=\"j%zu\" type=\"continuous\"><parent link=\"l%zu\"/>"
            "<child link=\"l%zu\"/><origin xyz=\"0 0 0.1\"/><axis xyz=\"%d %d 0\"/></joint>",
            j, j, j - 1, j, j % 2 == 0, j % 2 == 1);
    }
    put(&urdf, "</robot>");
    return tqt_urdf(urdf.bytes);
}

/* The table as JSON, whose numbers are stored one by one. */
static void npy_to_json(size_t n_sample, size_t n_joint)
{
    static const char *const names[3] = {"q", "qd", "qdd"};
    static text table;
    table = body;
    const char *numbers = table.bytes + table.n - n_sample * 3 * n_joint * sizeof(double);
    body.n = 0;
    for (size_t a = 0; a < 3; a++) {
        put(&body, "%c\"%s\":", a > 0 ? ',' : '{', names[a]);
        for (size_t i = 0; i < n_sample; i++) {
            for (size_t k = 0; k < n_joint; k++) {
                double x;
                memcpy(&x, numbers + ((3 * i + a) * n_joint + k) * sizeof x, sizeof x);
                put(&body, "%s%.17g", k > 0 ? "," : i > 0 ? ",[" : "[[", x);
            }
            put(&body, "]");
        }
        put(&body, "]");
    }
    put(&body, "}");
}

/* Long rows are collected until there are eight, or until the end of the table; the result is the
 * same for any split. */
Test(tables, long_rows, .timeout = 100)
{
    enum { LONG = 150 };
    static const size_t sizes[] = {5, 8, 21, 300};
    tqa_robot *robot = chain(LONG);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const size_t n = sizes[s];
        body.n = 0;
        put(&body, "%s%c%c%c", "\x93NUMPY\x01", 0, 0, 0);
        put(&body, "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu, %d), }", n, 3 * LONG);
        do {
            put(&body, "%c", body.n % 8 == 7 ? '\n' : ' ');
        } while (body.n % 8 != 0);
        body.bytes[8] = (char)(body.n - 10);
        for (size_t i = 0; i < n * 3 * LONG; i++) {
            const double x = value(i % 3, i, i / 7);
            memcpy(body.bytes + body.n, &x, sizeof x);
            body.n += sizeof x;
        }
        tqt_call_options options = {.content = TQA_MEDIA_NPY, .accept = TQA_MEDIA_NPY};
        tqt_answer answers[3];
        for (size_t k = 0; k < 2; k++) {
            options.step = k == 0 ? 1001 : 65536;
            options.ahead = k == 1;
            answers[k] = tqt_call(robot, body.bytes, body.n, options);
            cr_assert(eq(int, answers[k].status, 200), "%s", answers[k].problem.detail);
        }
        npy_to_json(n, LONG);
        options.content = TQA_MEDIA_JSON;
        answers[2] = tqt_call(robot, body.bytes, body.n, options);
        same(&answers[0], &answers[2]);
        same(&answers[1], &answers[2]);
        for (size_t k = 0; k < 3; k++) {
            tqt_answer_clear(&answers[k]);
        }
    }
    tqa_robot_free(robot);
}
