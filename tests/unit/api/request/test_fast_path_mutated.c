/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/request/test_fast_path_mutated.c - mutated bodies have the same answer in one
 * piece, for the fast path, and in two, for the scanner. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include <stdlib.h>
#include <string.h>

#include "tests/support/one_call.h"
#include "tests/support/random.h"

enum { BODIES = 4000, ROOM = 8192 };

typedef struct text {
    size_t n;
    char bytes[ROOM];
} text;

static const char *const robots[] = {"planar-2r", "pendulum", "scara", "panda", "humanoid"};
static const char *const operations[] = {"inverse-dynamics", "forward-dynamics", "terms"};
static const char *const fields[] = {"q", "qd", "qdd", "tau", "qd_ref", "qdd_ref"};

static const char *const numbers[] = {
    "0",
    "-0",
    "0.0",
    "-0.0",
    "1",
    "-1",
    "0.5",
    "-2.25",
    "1e-3",
    "1.5E+2",
    "1e-400",
    "4.9e-324",
    "0.1e1",
    "1e22",
    "1234567",
    "0.12345678901234567",
    "-0.99999999999999999",
};

/* Texts that are not numbers, or need the general path. */
static const char *const odd_numbers[] = {
    "1e308",
    "1e400",
    "-1e400",
    "01",
    "-01",
    "00",
    "1.",
    ".5",
    "+1",
    "-",
    "1e",
    "1e+",
    "0x10",
    "NaN",
    "null",
    "true",
    "\"1\"",
    "12345678",
    "-12345678.5",
    "1e309",
    "1.7976931348623159e308",
    "0.1234567890123456789012345",
    "1e00000",
    "1e99999",
    "1e-99999",
    "123456789012345678901234567890",
    "[1]",
    "{}",
    "0.00000000000000000000000000001",
};

static const char *const tokens[] = {
    " ",
    "  ",
    "\n",
    "\t",
    "\r",
    ",",
    ":",
    "\"",
    "[",
    "]",
    "{",
    "}",
    "\\",
    "\0",
    "e",
    ".",
    "-",
    "0",
    "9",
    "\xef\xbb\xbf",
    "/",
    "\xff",
    "\"q\":[1,2],",
    "\\u0071",
    ",\"x\":1",
    ",\"include\":[]",
    ",\"gravity\":[0,0,0]",
    ",\"joints\":[]",
    ",\"without\":\"gravity\"",
    ",\"q\":[]",
    "[[",
    "]]",
    "}\n",
    "\n\n",
    ": ",
    ", ",
};

static void put(text *t, const char *bytes, size_t n)
{
    if (t->n + n <= ROOM) {
        memcpy(t->bytes + t->n, bytes, n);
        t->n += n;
    }
}

static void put_one(text *t, tqt_random *r, const char *const *of, size_t n_of)
{
    const char *chosen = of[tqt_random_below(r, (uint32_t)n_of)];
    put(t, chosen, strlen(chosen));
}

/* first_unit: index of the first of four components of a unit quaternion; n_row: none. */
static void put_array(text *t, tqt_random *r, size_t n_row, size_t first_unit)
{
    const int is_odd = tqt_random_chance(r, 0.1);
    const size_t at = tqt_random_below(r, (uint32_t)n_row);
    n_row += (size_t)tqt_random_chance(r, 0.03);
    n_row -= (size_t)tqt_random_chance(r, 0.03);
    put(t, "[", 1);
    for (size_t k = 0; k < n_row; k++) {
        put(t, ", ", k == 0 ? 0 : 1 + (size_t)tqt_random_chance(r, 0.3));
        if (is_odd && k == at) {
            put_one(t, r, odd_numbers, sizeof odd_numbers / sizeof odd_numbers[0]);
        } else if (k >= first_unit && k < first_unit + 4) {
            put(t, k == first_unit ? "1" : "0", 1);
        } else {
            put_one(t, r, numbers, sizeof numbers / sizeof numbers[0]);
        }
    }
    put(t, "]", 1);
}

/* The fields that the operation requires, sometimes others, in random order. */
static void write_body(text *t, tqt_random *r, const char *operation, const tqa_robot *robot)
{
    const uint32_t needed = operation[0] == 'i' ? 7u : operation[0] == 'f' ? 11u : 1u;
    const uint32_t first = tqt_random_below(r, 6);
    size_t n = 0;
    t->n = 0;
    put(t, "{", 1);
    for (uint32_t k = 0; k < 6; k++) {
        const uint32_t f = (first + k) % 6;
        const int is_there =
            (needed >> f & 1u) != 0 ? !tqt_random_chance(r, 0.03) : tqt_random_chance(r, 0.15);
        if (!is_there) {
            continue;
        }
        put(t, ", ", n++ == 0 ? 0 : 1 + (size_t)tqt_random_chance(r, 0.3));
        put(t, "\"", 1);
        put(t, fields[f], strlen(fields[f]));
        put(t, "\": ", 2 + (size_t)tqt_random_chance(r, 0.3));
        const size_t nv = robot->model->nv, n_row = f == 0 ? robot->model->nq : nv;
        put_array(t, r, n_row, n_row > nv ? 3 : n_row);
    }
    put(t, "}\n", 1 + (size_t)tqt_random_chance(r, 0.3));
}

/* Changes a byte, removes some, or inserts a token or a copy of other bytes. */
static void mutate(text *t, tqt_random *r)
{
    static text whole;
    whole = *t;
    const size_t at = tqt_random_below(r, (uint32_t)whole.n + 1);
    const size_t left = whole.n - at;
    size_t n = tqt_random_chance(r, 0.7) ? 1 : tqt_random_below(r, 40);
    n = n < left ? n : left;
    t->n = at;
    switch (tqt_random_below(r, 5)) {
    case 0: {
        const char c = (char)tqt_random_below(r, 256);
        put(t, &c, 1);
        break;
    }
    case 1:
        break;
    case 2:
        put(t, whole.bytes + at, n);
        n = 0;
        break;
    case 3:
        n = 0;
        /* fall through */
    default: {
        const uint32_t k = tqt_random_below(r, sizeof tokens / sizeof tokens[0]);
        put(t, tokens[k], tokens[k][0] == '\0' ? 1 : strlen(tokens[k]));
        break;
    }
    }
    put(t, whole.bytes + at + n, left - n);
}

static void expect_same(const tqt_answer *a, const tqt_answer *b, const text *t)
{
    cr_assert(eq(int, a->status, b->status), "%.*s", (int)t->n, t->bytes);
    if (a->status == 200) {
        cr_assert(a->n == b->n && memcmp(a->text, b->text, a->n) == 0, "%.*s", (int)t->n, t->bytes);
        return;
    }
    char one[8192], other[8192];
    const size_t n = tqa_problem_print(&a->problem, "test", one, sizeof one);
    cr_assert(eq(sz, tqa_problem_print(&b->problem, "test", other, sizeof other), n));
    cr_assert(memcmp(one, other, n) == 0, "%.*s:\n%.*s\n%.*s", (int)t->n, t->bytes, (int)n, one,
              (int)n, other);
}

ParameterizedTestParameters(fast_path, mutated)
{
    static size_t chosen[sizeof robots / sizeof robots[0]];
    for (size_t i = 0; i < sizeof robots / sizeof robots[0]; i++) {
        chosen[i] = i;
    }
    return cr_make_param_array(size_t, chosen, sizeof robots / sizeof robots[0]);
}

ParameterizedTest(const size_t *i, fast_path, mutated)
{
    static text body;
    tqt_random r = tqt_random_seed(2711 + *i);
    tqa_robot *robot = tqt_builtin(robots[*i]);
    size_t n_good = 0;
    for (size_t k = 0; k < BODIES; k++) {
        const char *name = operations[k % (sizeof operations / sizeof operations[0])];
        write_body(&body, &r, name, robot);
        for (uint32_t left = tqt_random_below(&r, 4); left > 0; left--) {
            mutate(&body, &r);
        }
        if (body.n < 2) {
            continue;
        }
        const size_t cut = 1 + tqt_random_below(&r, (uint32_t)body.n - 1);
        tqt_answer whole =
            tqt_call(robot, body.bytes, body.n, (tqt_call_options){.operation = name});
        tqt_answer parts =
            tqt_call(robot, body.bytes, body.n, (tqt_call_options){.operation = name, .cut = cut});
        expect_same(&whole, &parts, &body);
        n_good += whole.status == 200;
        tqt_answer_clear(&whole), tqt_answer_clear(&parts);
    }
    cr_expect(gt(sz, n_good, BODIES / 20), "%zu of %d are answered", n_good, BODIES);
    tqa_robot_free(robot);
}
