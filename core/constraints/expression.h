/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/expression.h - expressions of the coordinates with derivatives: code for a stack
 * machine. */
#ifndef TQ_CONSTRAINTS_EXPRESSION_H
#define TQ_CONSTRAINTS_EXPRESSION_H

#include <stddef.h>
#include <stdint.h>

enum {
    TQ_EXPRESSION_LENGTH = 1024, /* instructions */
    TQ_EXPRESSION_DEPTH = 128,   /* numbers on the stack */
};

typedef enum tq_operator {
    TQ_OPERATOR_NUMBER,     /* pushes `number` */
    TQ_OPERATOR_COORDINATE, /* pushes q[q_index], whose rate is qd[v_index] */
    TQ_OPERATOR_ADD,        /* two operands: the deeper one is the left operand */
    TQ_OPERATOR_SUBTRACT,
    TQ_OPERATOR_MULTIPLY,
    TQ_OPERATOR_DIVIDE,
    TQ_OPERATOR_POWER,
    TQ_OPERATOR_NEGATE, /* one operand, like all operators that follow */
    TQ_OPERATOR_SIN,
    TQ_OPERATOR_COS,
    TQ_OPERATOR_TAN,
    TQ_OPERATOR_SQRT,
    TQ_OPERATOR_EXP,
} tq_operator;

typedef struct tq_instruction {
    tq_operator op;
    uint32_t q_index, v_index;
    double number;
} tq_instruction;

/* Code that leaves one number on the stack and never exceeds TQ_EXPRESSION_DEPTH: the caller
 * guarantees this (tq_expression_is_sound). Borrowed. */
typedef struct tq_expression {
    size_t n;
    const tq_instruction *code;
} tq_expression;

/* A value with its derivatives along two velocity directions u and v (second-order jet). */
typedef struct tq_jet {
    double value, u, v, uv; /* uv: derivative along u of the derivative along v */
} tq_jet;

/**
 * Evaluate with derivatives by forward-mode automatic differentiation, exact to rounding.
 *
 * Shapes   q (nq); u, v (nv), NULL: no such derivative.
 * Returns  The jet; NaN or infinite where the expression or its derivative is undefined.
 * Cost     O(n).
 * Source   Griewank & Walther, Evaluating Derivatives, 2008, ch. 13.
 * Checked  tests/property/core/constraints/test_expression.c
 */
tq_jet tq_expression_at(const tq_expression *expression, const double *q, const double *u,
                        const double *v);

/* 1 if the code is as tq_expression requires, and uses no coordinate beyond nq and nv. */
int tq_expression_is_sound(const tq_expression *expression, uint32_t nq, uint32_t nv);

#endif
