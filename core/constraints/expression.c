/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/expression.c - a stack machine on jets (automatic differentiation). */
#include "core/constraints/expression.h"

#include <assert.h>
#include <math.h>

#include "core/elementary/elementary.h"

/* chain rule: f(x) from f, f' and f'' at x.value */
static tq_jet chain(tq_jet x, double f, double df, double ddf)
{
    return (tq_jet){.value = f, .u = df * x.u, .v = df * x.v, .uv = df * x.uv + ddf * x.u * x.v};
}

static tq_jet product(tq_jet a, tq_jet b)
{
    return (tq_jet){.value = a.value * b.value,
                    .u = a.u * b.value + a.value * b.u,
                    .v = a.v * b.value + a.value * b.v,
                    .uv = a.uv * b.value + a.u * b.v + a.v * b.u + a.value * b.uv};
}

static tq_jet reciprocal(tq_jet x)
{
    const double f = 1.0 / x.value;
    return chain(x, f, -f * f, 2.0 * f * f * f);
}

/* x^p for constant p: keeps the finite derivatives at x = 0 */
static tq_jet fixed_power(tq_jet x, double p)
{
    const double df = p == 0.0 ? 0.0 : p * tq_pow(x.value, p - 1.0);
    const double ddf = p == 0.0 || p == 1.0 ? 0.0 : p * (p - 1.0) * tq_pow(x.value, p - 2.0);
    return chain(x, tq_pow(x.value, p), df, ddf);
}

static tq_jet power(tq_jet a, tq_jet b)
{
    if (b.u == 0.0 && b.v == 0.0 && b.uv == 0.0) {
        return fixed_power(a, b.value);
    }
    const tq_jet logarithm = chain(a, tq_log(a.value), 1.0 / a.value, -1.0 / (a.value * a.value));
    const tq_jet exponent = product(b, logarithm);
    const double f = tq_exp(exponent.value);
    return chain(exponent, f, f, f);
}

static tq_jet of_two(tq_operator op, tq_jet a, tq_jet b)
{
    switch ((int)op) {
    case TQ_OPERATOR_ADD:
        return (tq_jet){a.value + b.value, a.u + b.u, a.v + b.v, a.uv + b.uv};
    case TQ_OPERATOR_SUBTRACT:
        return (tq_jet){a.value - b.value, a.u - b.u, a.v - b.v, a.uv - b.uv};
    case TQ_OPERATOR_MULTIPLY:
        return product(a, b);
    case TQ_OPERATOR_DIVIDE:
        return product(a, reciprocal(b));
    default:
        assert(op == TQ_OPERATOR_POWER);
        return power(a, b);
    }
}

static tq_jet of_one(tq_operator op, tq_jet x)
{
    switch ((int)op) {
    case TQ_OPERATOR_NEGATE:
        return (tq_jet){-x.value, -x.u, -x.v, -x.uv};
    case TQ_OPERATOR_SIN:
        return chain(x, tq_sin(x.value), tq_cos(x.value), -tq_sin(x.value));
    case TQ_OPERATOR_COS:
        return chain(x, tq_cos(x.value), -tq_sin(x.value), -tq_cos(x.value));
    case TQ_OPERATOR_TAN: {
        const double t = tq_tan(x.value);
        return chain(x, t, 1.0 + t * t, 2.0 * t * (1.0 + t * t));
    }
    case TQ_OPERATOR_SQRT: {
        const double r = sqrt(x.value);
        return chain(x, r, 0.5 / r, -0.25 / (r * x.value));
    }
    default: {
        assert(op == TQ_OPERATOR_EXP);
        const double f = tq_exp(x.value);
        return chain(x, f, f, f);
    }
    }
}

static int operands(tq_operator op)
{
    return op <= TQ_OPERATOR_COORDINATE ? 0 : op < TQ_OPERATOR_NEGATE ? 2 : 1;
}

tq_jet tq_expression_at(const tq_expression *expression, const double *q, const double *u,
                        const double *v)
{
    tq_jet stack[TQ_EXPRESSION_DEPTH];
    size_t top = 0;
    for (size_t i = 0; i < expression->n; i++) {
        const tq_instruction *at = &expression->code[i];
        const int n = operands(at->op);
        assert(top >= (size_t)n && top - (size_t)n < TQ_EXPRESSION_DEPTH);
        if (at->op == TQ_OPERATOR_NUMBER) {
            stack[top++] = (tq_jet){.value = at->number};
        } else if (at->op == TQ_OPERATOR_COORDINATE) {
            stack[top++] = (tq_jet){.value = q[at->q_index],
                                    .u = u != NULL ? u[at->v_index] : 0.0,
                                    .v = v != NULL ? v[at->v_index] : 0.0};
        } else if (n == 2) {
            top--;
            stack[top - 1] = of_two(at->op, stack[top - 1], stack[top]);
        } else {
            stack[top - 1] = of_one(at->op, stack[top - 1]);
        }
    }
    assert(top == 1);
    return stack[0];
}

int tq_expression_is_sound(const tq_expression *expression, uint32_t nq, uint32_t nv)
{
    size_t top = 0;
    if (expression->n > TQ_EXPRESSION_LENGTH) {
        return 0;
    }
    for (size_t i = 0; i < expression->n; i++) {
        const tq_instruction *at = &expression->code[i];
        const size_t n = (size_t)operands(at->op);
        if (at->op > TQ_OPERATOR_EXP || top < n || top - n >= TQ_EXPRESSION_DEPTH) {
            return 0;
        }
        if (at->op == TQ_OPERATOR_COORDINATE && (at->q_index >= nq || at->v_index >= nv)) {
            return 0;
        }
        top = top - n + 1;
    }
    return top == 1;
}
