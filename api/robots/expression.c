/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/expression.c - operators wait on a bounded stack until their operands are code. */
#include "api/robots/expression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/codec/number/number.h"

/* An operator or function that waits for an operand or a closing bracket. */
typedef struct pending {
    bool bracket;
    tq_operator op; /* of a bracket: the function before it; TQ_OPERATOR_NUMBER: none */
    const char *at;
} pending;

typedef struct reader {
    const char *text, *p, *end;
    tqa_expression_find *find;
    const void *ctx;
    tq_instruction *code;
    size_t n;
    pending waiting[TQA_EXPRESSION_NESTING];
    size_t n_waiting;
    tqa_expression_fault *fault;
} reader;

static bool refuse(reader *r, const char *at, const char *detail, const char *hint)
{
    r->fault->at = (size_t)(at - r->text);
    r->fault->hint = hint;
    (void)snprintf(r->fault->detail, sizeof r->fault->detail, "%s", detail);
    return false;
}

static bool refuse_name(reader *r, const char *at, size_t n, const char *detail, const char *hint)
{
    r->fault->at = (size_t)(at - r->text);
    r->fault->hint = hint;
    (void)snprintf(r->fault->detail, sizeof r->fault->detail, "%s \"%.*s\"", detail,
                   n > 64 ? 64 : (int)n, at);
    return false;
}

static bool emit(reader *r, tq_instruction instruction)
{
    if (r->n == TQ_EXPRESSION_LENGTH) {
        return refuse(r, r->p, "the expression has too many parts", "split it into several rows");
    }
    r->code[r->n++] = instruction;
    return true;
}

static bool wait_for(reader *r, bool bracket, tq_operator op, const char *at)
{
    if (r->n_waiting == TQA_EXPRESSION_NESTING) {
        return refuse(r, at, "the expression is nested too deeply", "split it into several rows");
    }
    r->waiting[r->n_waiting++] = (pending){.bracket = bracket, .op = op, .at = at};
    return true;
}

static void skip_blanks(reader *r)
{
    while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r')) {
        r->p++;
    }
}

/* the next byte that is no blank, or 0 */
static char peek(reader *r)
{
    skip_blanks(r);
    return r->p < r->end ? *r->p : '\0';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool read_number(reader *r)
{
    /* the text is not terminated: read only what can belong to a number */
    const char *stop = r->p;
    while (
        stop < r->end &&
        (is_digit(*stop) || *stop == '.' || ((*stop == 'e' || *stop == 'E') && stop > r->p) ||
         ((*stop == '+' || *stop == '-') && stop > r->p && (stop[-1] == 'e' || stop[-1] == 'E')))) {
        stop++;
    }
    double x = 0.0;
    if (tqa_number_read(r->p, (size_t)(stop - r->p), &x) != TQA_NUMBER_OK) {
        return refuse_name(r, r->p, (size_t)(stop - r->p),
                           "this is no number:", "write numbers as 0.5, 2 or 1e-3");
    }
    r->p = stop;
    return emit(r, (tq_instruction){.op = TQ_OPERATOR_NUMBER, .number = x});
}

static bool find_function(const char *name, size_t n, tq_operator *ret)
{
    static const struct {
        const char *name;
        tq_operator op;
    } rows[] = {{"sin", TQ_OPERATOR_SIN},
                {"cos", TQ_OPERATOR_COS},
                {"tan", TQ_OPERATOR_TAN},
                {"sqrt", TQ_OPERATOR_SQRT},
                {"exp", TQ_OPERATOR_EXP}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        if (strlen(rows[k].name) == n && memcmp(name, rows[k].name, n) == 0) {
            *ret = rows[k].op;
            return true;
        }
    }
    return false;
}

static bool put_coordinate(reader *r, const char *name, size_t n)
{
    const uint32_t number = r->find(r->ctx, name, n);
    if (number == UINT32_MAX) {
        return refuse_name(r, name, n, "there is no joint of name",
                           "name a joint; one whose name is not made of letters, digits and _ "
                           "must be in single quotes");
    }
    return emit(
        r, (tq_instruction){.op = TQ_OPERATOR_COORDINATE, .q_index = number, .v_index = number});
}

static bool read_quoted(reader *r)
{
    const char *open = r->p++;
    const char *close = memchr(r->p, '\'', (size_t)(r->end - r->p));
    if (close == NULL) {
        return refuse(r, open, "this quote is not closed", "add \"'\" after the joint's name");
    }
    r->p = close + 1;
    return put_coordinate(r, open + 1, (size_t)(close - open) - 1);
}

/* a joint or pi; or a function with its bracket, after which a value is still to come */
static bool read_name(reader *r, bool *ret_open)
{
    const char *name = r->p;
    while (r->p < r->end && (is_letter(*r->p) || is_digit(*r->p))) {
        r->p++;
    }
    const size_t n = (size_t)(r->p - name);
    tq_operator op = TQ_OPERATOR_NUMBER;
    const bool function = find_function(name, n, &op);
    if (peek(r) == '(') {
        r->p++;
        *ret_open = true;
        return function ? wait_for(r, true, op, r->p - 1)
                        : refuse_name(r, name, n, "there is no function of name",
                                      "functions are sin, cos, tan, sqrt and exp; a product has "
                                      "a *");
    }
    if (n == 2 && memcmp(name, "pi", 2) == 0) {
        return emit(r, (tq_instruction){.op = TQ_OPERATOR_NUMBER, .number = M_PI});
    }
    if (function && r->find(r->ctx, name, n) == UINT32_MAX) {
        return refuse_name(r, name, n, "an argument is missing after", "write sin(x)");
    }
    return put_coordinate(r, name, n);
}

/* A value, or a sign, function or bracket before one; *ret_open: a value must follow. */
static bool read_value(reader *r, bool *ret_open)
{
    const char c = peek(r);
    *ret_open = c == '+' || c == '-' || c == '(';
    if (*ret_open) {
        const char *at = r->p++;
        return c == '+' ||
               wait_for(r, c == '(', c == '(' ? TQ_OPERATOR_NUMBER : TQ_OPERATOR_NEGATE, at);
    }
    if (is_digit(c) || c == '.') {
        return read_number(r);
    }
    if (c == '\'') {
        return read_quoted(r);
    }
    if (is_letter(c)) {
        return read_name(r, ret_open);
    }
    return refuse(r, r->p,
                  r->p == r->end ? "the expression ends where a value should stand"
                                 : "a value should stand here",
                  "a value is a number, pi, a joint, a function or a bracket");
}

static int precedence(tq_operator op)
{
    switch ((int)op) {
    case TQ_OPERATOR_ADD:
    case TQ_OPERATOR_SUBTRACT:
        return 1;
    case TQ_OPERATOR_MULTIPLY:
    case TQ_OPERATOR_DIVIDE:
        return 2;
    case TQ_OPERATOR_NEGATE:
        return 3;
    default:
        return 4; /* a power */
    }
}

/* Operators that bind at least as strongly get their operands; of powers the right one is first. */
static bool release(reader *r, int least)
{
    while (r->n_waiting > 0 && !r->waiting[r->n_waiting - 1].bracket &&
           precedence(r->waiting[r->n_waiting - 1].op) >= least) {
        if (!emit(r, (tq_instruction){.op = r->waiting[--r->n_waiting].op})) {
            return false;
        }
    }
    return true;
}

static bool close_bracket(reader *r)
{
    if (!release(r, 0)) {
        return false;
    }
    if (r->n_waiting == 0) {
        return refuse(r, r->p, "an operator should stand here: no bracket is open",
                      "operators are + - * / ^");
    }
    r->p++;
    const tq_operator op = r->waiting[--r->n_waiting].op;
    return op == TQ_OPERATOR_NUMBER || emit(r, (tq_instruction){.op = op});
}

/* An operator or bracket after a value; *ret_open: another value must follow. */
static bool read_operator(reader *r, bool *ret_open)
{
    static const char signs[] = "+-*/^";
    static const tq_operator ops[] = {TQ_OPERATOR_ADD, TQ_OPERATOR_SUBTRACT, TQ_OPERATOR_MULTIPLY,
                                      TQ_OPERATOR_DIVIDE, TQ_OPERATOR_POWER};
    const char c = peek(r);
    if (c == ')') {
        return close_bracket(r);
    }
    const char *found = c != '\0' ? strchr(signs, c) : NULL;
    if (found == NULL) {
        return refuse(r, r->p, "an operator should stand here",
                      "operators are + - * / ^; a product has a *");
    }
    const tq_operator op = ops[found - signs];
    *ret_open = true;
    r->p++;
    return release(r, op == TQ_OPERATOR_POWER ? 5 : precedence(op)) &&
           wait_for(r, false, op, r->p - 1);
}

static bool read_all(reader *r)
{
    bool open = true;
    while (open || (skip_blanks(r), r->p < r->end)) {
        if (!(open ? read_value(r, &open) : read_operator(r, &open))) {
            return false;
        }
    }
    if (!release(r, 0)) {
        return false;
    }
    return r->n_waiting == 0 ||
           refuse(r, r->waiting[r->n_waiting - 1].at, "this bracket is not closed", "add \")\"");
}

size_t tqa_expression_read(const char *text, size_t n, tqa_expression_find *find, const void *ctx,
                           tq_instruction *code, tqa_expression_fault *reterr)
{
    reader r = {.text = text,
                .p = text,
                .end = text + n,
                .find = find,
                .ctx = ctx,
                .code = code,
                .fault = reterr};
    if (n > TQA_EXPRESSION_TEXT_MAX) {
        (void)refuse(&r, text, "the expression is too long", "split it into several rows");
        return 0;
    }
    return read_all(&r) ? r.n : 0;
}
