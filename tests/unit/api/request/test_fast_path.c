/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/request/test_fast_path.c - the fast path reads a body as the scanner does, or
 * leaves it to the scanner. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/call/call.h"
#include "api/request/fast_path.h"
#include "tests/support/one_call.h"

/* A request of inverse dynamics with its memory. */
typedef struct fixture {
    tqa_request request;
    tqa_problem problem;
    tqa_budget budget;
    tqa_body body;
    void *arena;
} fixture;

static fixture *begin(const tqa_robot *robot)
{
    fixture *f = calloc(1, sizeof *f);
    f->arena = aligned_alloc(64, (tqa_request_arena_size(robot) + 63) / 64 * 64);
    cr_assert(f != NULL && f->arena != NULL);
    f->budget.bytes_left = 1 << 20;
    tqa_request_init(&f->request, &tqa_inverse_dynamics_methods.schema, robot, f->arena, &f->budget,
                     &f->problem);
    return f;
}

static void end(fixture *f)
{
    tqa_request_clear(&f->request);
    free(f->arena);
    free(f);
}

/* The result of the scanner; piece is copied to its exact size. */
static bool scan(fixture *f, const char *piece, size_t n)
{
    const tqa_body_sink sink = tqa_request_sink(&f->request);
    tqa_body_init(&f->body, TQA_MEDIA_JSON, &sink);
    return tqa_body_feed(&f->body, piece, n) && tqa_body_finish(&f->body);
}

static void expect_same(const fixture *a, const fixture *b, const char *text)
{
    cr_expect(eq(u32, a->request.seen, b->request.seen), "%s", text);
    for (size_t m = 0; m < TQA_MOTION_COUNT; m++) {
        const tqa_rows *x = &a->request.rows[m], *y = &b->request.rows[m];
        cr_expect(eq(int, (int)x->shape, (int)y->shape), "%s", text);
        cr_expect(eq(sz, x->n_sample, y->n_sample), "%s", text);
        for (size_t r = 0; x->n_sample > 0 && r < x->n_row; r++) {
            const tqa_blocks *p = &a->request.motion[m], *q = &b->request.motion[m];
            const double *u = tqa_blocks_sample(p, 0) + r * p->stride;
            const double *v = tqa_blocks_sample(q, 0) + r * q->stride;
            cr_expect(memcmp(u, v, sizeof *u) == 0, "%s: row %zu", text, r);
        }
    }
}

static const struct {
    const char *robot, *text;
    bool plain;
} rows[] = {
    {"planar-2r", "{\"q\":[0.5,-1],\"qd\":[1e-3,2.25],\"qdd\":[-0.0,1234567.5]}", true},
    {"planar-2r", "{\"q\": [0.5, -1], \"qd\": [1e-3, 2.25], \"qdd\": [-0.0, 12]}", true},
    {"planar-2r", "{\"qdd\":[1,2],\"q\":[3,4],\"qd\":[5,6]}\n", true},
    {"planar-2r", "{\"q\":[0.12345678901234567,1.2345678901234567],\"qd\":[1,2]}", true},
    {"planar-2r", "{\"q_d\":[1,2]}", false},
    {"planar-2r", "{\"tau\":[1,2]}", false}, /* a motion that this operation does not use */
    {"planar-2r", "{\"q\":[1,2],\"q\":[1,2]}", false},
    {"planar-2r", "{\"q\":[1,2,3],\"qd\":[1,2]}", false},
    {"planar-2r", "{\"q\":[1],\"qd\":[1,2]}", false},
    {"planar-2r", "{\"q\":[[1,2]],\"qd\":[[1,2]]}", false},
    {"planar-2r", "{\"q\":[1,2],\"gravity\":[0,0,0]}", false},
    {"planar-2r", "{\"q\":[1,2],}", false},
    {"planar-2r", "{\"q\":[1,2]", false},
    {"planar-2r", "{\"q\":[1,2", false},
    {"planar-2r", "{\"q\":[1,", false},
    {"planar-2r", "{\"q\":[", false},
    {"planar-2r", "{\"q\":", false},
    {"planar-2r", "{\"q\"", false},
    {"planar-2r", "{\"q", false},
    {"planar-2r", "{\"", false},
    {"planar-2r", "{", false},
    {"planar-2r", "{}", false},
    {"planar-2r", "[1,2]", false},
    {"planar-2r", "{\"q\":[1,2]}x", false},
    {"planar-2r", "{\"q\":[1,2]} ", false},
    {"planar-2r", "{\"q\":[1 ,2]}", false},
    {"planar-2r", "{\"q\":[1,  2]}", false},
    {"planar-2r", "{\"q\" :[1,2]}", false},
    {"planar-2r", "{\"\\u0071\":[1,2]}", false},
    {"planar-2r", "{\"q\":[1,2.]}", false},
    {"planar-2r", "{\"q\":[1,02]}", false},
    {"planar-2r", "{\"q\":[1,+2]}", false},
    {"planar-2r", "{\"q\":[1,2e]}", false},
    {"planar-2r", "{\"q\":[1,-]}", false},
    {"planar-2r", "{\"q\":[1,1e400]}", false},
    {"planar-2r", "{\"q\":[1,NaN]}", false},
    {"planar-2r", "{\"q\":[1,\"2\"]}", false},
    {"planar-2r", "{\"q\":[1,12345678]}", false}, /* a longer spelling than most */
    {"pendulum", "{\"q\":[1],\"qd\":[2],\"qdd\":[3]}", true},
    {"pendulum", "{\"q\":1,\"qd\":2,\"qdd\":3}", false},
};

ParameterizedTestParameters(fast_path, as_the_scanner_does)
{
    static size_t numbers[sizeof rows / sizeof rows[0]];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        numbers[i] = i;
    }
    return cr_make_param_array(size_t, numbers, sizeof rows / sizeof rows[0]);
}

ParameterizedTest(const size_t *i, fast_path, as_the_scanner_does)
{
    tqa_robot *robot = tqt_builtin(rows[*i].robot);
    const char *text = rows[*i].text;
    const size_t n = strlen(text);
    char *piece = malloc(n);
    memcpy(piece, text, n);
    fixture *one = begin(robot), *other = begin(robot);
    const bool plain = tqa_fast_path_take(&one->request, piece, n);
    cr_assert(eq(int, plain, rows[*i].plain), "%s", text);
    if (plain) {
        cr_assert(scan(other, piece, n), "%s", text);
    } else {
        /* no side effects if the body is left to the scanner */
        cr_expect(eq(u32, one->request.seen, 0));
        const bool taken = scan(one, piece, n);
        cr_assert(eq(int, scan(other, piece, n), taken), "%s", text);
    }
    expect_same(one, other, text);
    end(one), end(other), free(piece);
    tqa_robot_free(robot);
}

/* Every byte replaced by every other: the fast path accepts only what the scanner accepts, with the
 * same result. */
Test(fast_path, takes_nothing_that_the_scanner_refuses)
{
    static const char good[] = "{\"q\":[0.5,-1],\"qd\": [1e-3,25], \"qdd\":[-0.0,1]}";
    tqa_robot *robot = tqt_builtin("planar-2r");
    size_t n_taken = 0;
    for (size_t at = 0; at < sizeof good - 1; at++) {
        for (int c = 0; c < 256; c++) {
            char text[sizeof good];
            memcpy(text, good, sizeof good);
            text[at] = (char)c;
            fixture *one = begin(robot), *other = begin(robot);
            if (tqa_fast_path_take(&one->request, text, sizeof good - 1)) {
                n_taken++;
                cr_assert(scan(other, text, sizeof good - 1), "%s", text);
                expect_same(one, other, text);
            }
            end(one), end(other);
        }
    }
    cr_expect(ge(sz, n_taken, sizeof good - 1), "each byte is tried unchanged once");
    tqa_robot_free(robot);
}

/* Any number of numbers and digits, up to the bound. */
Test(fast_path, long_ones)
{
    tqa_robot *robot = tqt_builtin("humanoid");
    const size_t n_row = robot->model->nv;
    for (int digits = 1; digits <= 17; digits++) {
        char text[2 * TQA_FAST_PATH_MAX];
        size_t n = (size_t)snprintf(text, sizeof text, "{\"qd\":[");
        for (size_t r = 0; r < n_row; r++) {
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%.*f", r > 0 ? "," : "", digits,
                                  (double)r / 7 - 1);
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "]}");
        cr_assert(lt(sz, n, TQA_FAST_PATH_MAX));
        fixture *one = begin(robot), *other = begin(robot);
        cr_assert(tqa_fast_path_take(&one->request, text, n), "%d digits", digits);
        cr_assert(scan(other, text, n));
        expect_same(one, other, text);
        memset(text + n, '\n', sizeof text - n);
        cr_expect(not(tqa_fast_path_take(&one->request, text, TQA_FAST_PATH_MAX + 1)));
        end(one), end(other);
    }
    tqa_robot_free(robot);
}
