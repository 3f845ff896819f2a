/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/fuzz_expression.c - any bytes as an expression; what is accepted is sound, and its
 * derivatives are those of a difference where it is smooth. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/expression.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t find(const void *ctx, const char *name, size_t n)
{
    (void)ctx;
    return n == 1 && name[0] >= 'x' && name[0] <= 'z' ? (uint32_t)(name[0] - 'x') : UINT32_MAX;
}

static void require(int truth)
{
    if (!truth) {
        abort();
    }
}

static double value_at(const tq_expression *expression, double by)
{
    const double q[3] = {0.3 + by, 0.7 + 2.0 * by, -0.4 - by};
    return tq_expression_at(expression, q, NULL, NULL).value;
}

/* Whether each part of the expression is small enough for a difference by h: x - 5^24 is a constant
 * in doubles, its derivative 1. */
static int is_tame(const tq_instruction *code, size_t n)
{
    const double q[3] = {0.3, 0.7, -0.4};
    for (size_t end = 1; end <= n; end++) {
        size_t begin = end;
        for (size_t missing = 1; missing > 0;) {
            const tq_operator op = code[--begin].op;
            const size_t takes = op <= TQ_OPERATOR_COORDINATE ? 0 : op < TQ_OPERATOR_NEGATE ? 2 : 1;
            missing += takes - 1;
        }
        const tq_expression part = {.n = end - begin, .code = code + begin};
        if (!(fabs(tq_expression_at(&part, q, NULL, NULL).value) < 1e8)) {
            return 0;
        }
    }
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tq_instruction code[TQ_EXPRESSION_LENGTH];
    tqa_expression_fault fault = {.at = 0};
    /* allocated at the stated length, so that reads beyond it are detected */
    char *text = malloc(size > 0 ? size : 1);
    require(text != NULL);
    if (size > 0) {
        memcpy(text, data, size);
    }
    const size_t n = tqa_expression_read(text, size, find, NULL, code, &fault);
    free(text);
    if (n == 0) {
        require(fault.detail[0] != '\0' && fault.at <= size);
        return 0;
    }
    const tq_expression expression = {.n = n, .code = code};
    const double q[3] = {0.3, 0.7, -0.4}, along[3] = {1.0, 2.0, -1.0};
    require(tq_expression_is_sound(&expression, 3, 3));
    const tq_jet jet = tq_expression_at(&expression, q, along, along);
    const double h = 1e-4, plus = value_at(&expression, h), minus = value_at(&expression, -h);
    /* both derivatives taken twice agree; of tame expressions with the difference, too */
    require(!(isfinite(jet.u) && isfinite(jet.v)) || jet.u == jet.v);
    if (n < 16 && fabs(jet.value) < 10.0 && fabs(jet.u) < 10.0 && fabs(jet.uv) < 10.0 &&
        fabs(plus - jet.value) < 0.01 && fabs(minus - jet.value) < 0.01 && is_tame(code, n)) {
        const double bend = plus - 2.0 * jet.value + minus;
        if (fabs(bend) < 1e-6) {
            require(fabs((plus - minus) / (2.0 * h) - jet.u) < 0.05);
        }
    }
    return 0;
}
