/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/expression.h - expressions in coordinates, such as -0.3*cos(theta), as code. */
#ifndef TQA_ROBOTS_EXPRESSION_H
#define TQA_ROBOTS_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/constraints/expression.h"

enum {
    TQA_EXPRESSION_TEXT_MAX = 4096, /* bytes */
    TQA_EXPRESSION_NESTING = 32,    /* brackets and operators that wait for their operands */
};

/* The place of a fault in an expression, with a hint. */
typedef struct tqa_expression_fault {
    size_t at; /* byte of the text */
    char detail[160];
    const char *hint; /* constant; NULL: none */
} tqa_expression_fault;

/* The number of a name, or UINT32_MAX. */
typedef uint32_t tqa_expression_find(const void *ctx, const char *name, size_t n);

/**
 * Read an expression.
 *
 *     sum     = product *( ("+" / "-") product )
 *     product = sign *( ("*" / "/") sign )
 *     sign    = *( "-" / "+" ) power
 *     power   = atom [ "^" sign ]                    right to left; -x^2 is -(x^2)
 *     atom    = number / "pi" / name / function "(" sum ")" / "(" sum ")"
 *     name    = letter or _, then letters, digits, _; or anything in single quotes: 'joint-1'
 *
 * Functions: sin cos tan sqrt exp, of radians. Blanks do not matter.
 *
 * Shapes   code (TQ_EXPRESSION_LENGTH) is the caller's. Instructions of coordinates have what
 *          `find` gave as both their indices.
 * Returns  The number of instructions; 0 with a fault.
 * Checked  tests/unit/api/robots/test_expression.c, tests/fuzz/fuzz_expression.c
 */
size_t tqa_expression_read(const char *text, size_t n, tqa_expression_find *find, const void *ctx,
                           tq_instruction *code, tqa_expression_fault *reterr);

#endif
