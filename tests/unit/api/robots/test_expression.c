/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/robots/test_expression.c - the grammar of expressions, and its errors. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/robots/expression.h"

static const double q[3] = {0.3, 0.7, -0.4};

static uint32_t find(const void *ctx, const char *name, size_t n)
{
    static const char *const names[] = {"x", "theta_1", "joint-1"};
    (void)ctx;
    for (uint32_t k = 0; k < 3; k++) {
        if (strlen(names[k]) == n && memcmp(names[k], name, n) == 0) {
            return k;
        }
    }
    return UINT32_MAX;
}

/* x = .3, theta_1 = .7, joint-1 = -.4; derivatives with respect to x by hand */
typedef struct good_case {
    const char *text;
    double value, slope, bend;
} good_case;

static size_t read_text(const char *text, tq_instruction *code, tqa_expression_fault *fault)
{
    return tqa_expression_read(text, strlen(text), find, NULL, code, fault);
}

Test(expression, values_and_derivatives)
{
    const double x = 0.3, y = 0.7, z = -0.4;
    const double pi = 3.14159265358979323846;
    const good_case cases[] = {
        {"1", 1, 0, 0},
        {"0.5e1 * 2E-1", 1, 0, 0},
        {" x ", x, 1, 0},
        {"-x^2", -x * x, -2 * x, -2},
        {"(-x)^2", x * x, 2 * x, 2},
        {"2^3^2", 512, 0, 0},
        {"2^-x", pow(2, -x), -log(2) * pow(2, -x), log(2) * log(2) * pow(2, -x)},
        {"x - 1 - 2", x - 3, 1, 0},
        {"6 / 3 / 2 * x", x, 1, 0},
        {"--+-x", -x, -1, 0},
        {"x*theta_1 + 'joint-1'", x * y + z, y, 0},
        {"-0.3*cos(x)*'joint-1'", -0.3 * cos(x) * z, 0.3 * sin(x) * z, 0.3 * cos(x) * z},
        {"sin(2*x)", sin(2 * x), 2 * cos(2 * x), -4 * sin(2 * x)},
        {"tan(x)", tan(x), 1 / (cos(x) * cos(x)), 2 * tan(x) / (cos(x) * cos(x))},
        {"sqrt(x)", sqrt(x), 0.5 / sqrt(x), -0.25 / (x * sqrt(x))},
        {"exp(x*x)", exp(x * x), 2 * x * exp(x * x), (2 + 4 * x * x) * exp(x * x)},
        {"1/x", 1 / x, -1 / (x * x), 2 / (x * x * x)},
        {"x^x", pow(x, x), pow(x, x) * (log(x) + 1),
         pow(x, x) * ((log(x) + 1) * (log(x) + 1) + 1 / x)},
        {"pi*x", pi * x, pi, 0},
        {"(x - 0.3)^2", 0, 0, 2},
        {"(x - 0.3)^1", 0, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const good_case *c = &cases[i];
        tq_instruction code[TQ_EXPRESSION_LENGTH];
        tqa_expression_fault fault = {.at = 0};
        const tq_expression e = {.n = read_text(c->text, code, &fault), .code = code};
        cr_assert(gt(sz, e.n, 0), "%s: %zu %s", c->text, fault.at, fault.detail);
        cr_assert(tq_expression_is_sound(&e, 3, 3), "%s", c->text);
        const double along[3] = {1, 0, 0};
        const tq_jet jet = tq_expression_at(&e, q, along, along);
        /* a few roundings of a handful of operations */
        const double got[3] = {jet.value, jet.u, jet.uv}, want[3] = {c->value, c->slope, c->bend};
        for (int k = 0; k < 3; k++) {
            cr_expect(fabs(got[k] - want[k]) <= 20 * DBL_EPSILON * fmax(1.0, fabs(want[k])),
                      "%s: derivative %d is %.17g, not %.17g", c->text, k, got[k], want[k]);
        }
    }
}

typedef struct bad_case {
    const char *text;
    size_t at;
    const char *detail, *hint; /* a part of each */
} bad_case;

/* clang-format off */
static const bad_case bad_cases[] = {
    {"", 0, "ends where", "a value is"},
    {"x +", 3, "ends where", "a value is"},
    {"x + * 2", 4, "a value should", "a value is"},
    {"2x", 1, "an operator", "a product has a *"},
    {"2 x", 2, "an operator", "a product has a *"},
    {"(x", 0, "not closed", ")"},
    {"x)", 1, "an operator", "+ - * / ^"},
    {"sin x", 0, "argument is missing", "sin(x)"},
    {"log(x)", 0, "no function of name \"log\"", "sqrt"},
    {"y", 0, "no joint of name \"y\"", "single quotes"},
    {"joint-1", 0, "no joint of name \"joint\"", "single quotes"},
    {"1 + 'nobody'", 5, "no joint of name \"nobody\"", "name a joint"},
    {"'joint-1", 0, "quote is not closed", "'"},
    {".5", 0, "no number", "0.5"},
    {"1.5.2", 0, "no number", "1e-3"},
    {"1e400", 0, "no number", "1e-3"},
    {"x # y", 2, "an operator", "+ - * / ^"},
    {"((((((((((((((((((((((((((((((((((x))))))))))))))))))))))))))))))))))", 32, "nested too deeply", "rows"},
};
/* clang-format on */

enum { N_BAD = sizeof bad_cases / sizeof bad_cases[0] };

ParameterizedTestParameters(expression, refused)
{
    static size_t row[N_BAD];
    for (size_t i = 0; i < N_BAD; i++) {
        row[i] = i;
    }
    return cr_make_param_array(size_t, row, N_BAD);
}

ParameterizedTest(size_t *row, expression, refused)
{
    const bad_case *c = &bad_cases[*row];
    tq_instruction code[TQ_EXPRESSION_LENGTH];
    tqa_expression_fault fault = {.at = 999};
    cr_assert(eq(sz, read_text(c->text, code, &fault), 0), "%s", c->text);
    cr_assert(eq(sz, fault.at, c->at), "%s", c->text);
    cr_assert(strstr(fault.detail, c->detail) != NULL, "%s: %s", c->text, fault.detail);
    cr_assert(fault.hint != NULL && strstr(fault.hint, c->hint) != NULL, "%s: %s", c->text,
              fault.hint);
}

Test(expression, is_bounded)
{
    static char text[TQA_EXPRESSION_TEXT_MAX + 2];
    static tq_instruction code[TQ_EXPRESSION_LENGTH];
    tqa_expression_fault fault = {.at = 0};
    for (size_t k = 0; k < sizeof text; k++) {
        text[k] = k % 2 == 0 ? '1' : '+';
    }
    cr_assert(eq(
        sz, tqa_expression_read(text, TQA_EXPRESSION_TEXT_MAX + 1, find, NULL, code, &fault), 0));
    cr_assert(strstr(fault.detail, "too long") != NULL);
    cr_assert(eq(
        sz, tqa_expression_read(text, TQA_EXPRESSION_TEXT_MAX - 1, find, NULL, code, &fault), 0));
    cr_assert(strstr(fault.detail, "too many parts") != NULL);
    /* the deepest accepted expression does not overflow the stack */
    size_t n = 0;
    for (size_t k = 0; k + 1 < TQA_EXPRESSION_NESTING; k++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "1+2*3^(");
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "x");
    for (size_t k = 0; k + 1 < TQA_EXPRESSION_NESTING; k++) {
        text[n++] = ')';
    }
    const tq_expression e = {.n = tqa_expression_read(text, n, find, NULL, code, &fault),
                             .code = code};
    cr_assert(e.n == 0 || tq_expression_is_sound(&e, 3, 3));
}
