/* SPDX-License-Identifier: Apache-2.0 */
/* api/formats/expression.c - recursive descent over an expression, straight to code. */
#include "api/formats/expression.h"

#include <stdio.h>
#include <string.h>

#include "api/formats/number.h"

typedef struct reader {
    const char *text, *p, *end;
    tqa_expression_find *find;
    const void *ctx;
    tq_instruction *code;
    size_t n;
    unsigned nesting;
    tqa_expression_fault *fault;
} reader;

static bool read_sum(reader *r);
static bool read_sign(reader *r);

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

static bool emit_operator(reader *r, tq_operator op)
{
    return emit(r, (tq_instruction){.op = op});
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
    /* the text ends behind its last byte: look only at what can belong to a number */
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

static bool read_bracket(reader *r)
{
    const char *open = r->p++;
    if (!read_sum(r)) {
        return false;
    }
    if (peek(r) != ')') {
        return refuse(r, open, "this bracket is not closed", "add \")\"");
    }
    r->p++;
    return true;
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
                           "stands in single quotes");
    }
    return emit(
        r, (tq_instruction){.op = TQ_OPERATOR_COORDINATE, .q_index = number, .v_index = number});
}

static bool read_quoted(reader *r)
{
    const char *open = r->p++;
    const char *close = memchr(r->p, '\'', (size_t)(r->end - r->p));
    if (close == NULL) {
        return refuse(r, open, "this quote is not closed", "add \"'\" behind the joint's name");
    }
    r->p = close + 1;
    return put_coordinate(r, open + 1, (size_t)(close - open) - 1);
}

static bool read_name(reader *r)
{
    const char *name = r->p;
    while (r->p < r->end && (is_letter(*r->p) || is_digit(*r->p))) {
        r->p++;
    }
    const size_t n = (size_t)(r->p - name);
    tq_operator op = TQ_OPERATOR_NEGATE;
    if (peek(r) == '(') {
        if (!find_function(name, n, &op)) {
            return refuse_name(r, name, n, "there is no function of name",
                               "functions are sin, cos, tan, sqrt and exp; a product has a *");
        }
        return read_bracket(r) && emit_operator(r, op);
    }
    if (n == 2 && memcmp(name, "pi", 2) == 0) {
        static const double pi = 3.14159265358979323846;
        return emit(r, (tq_instruction){.op = TQ_OPERATOR_NUMBER, .number = pi});
    }
    if (find_function(name, n, &op) && r->find(r->ctx, name, n) == UINT32_MAX) {
        return refuse_name(r, name, n, "an argument is missing behind", "write sin(x)");
    }
    return put_coordinate(r, name, n);
}

static bool read_atom(reader *r)
{
    const char c = peek(r);
    if (is_digit(c) || c == '.') {
        return read_number(r);
    }
    if (c == '(') {
        return read_bracket(r);
    }
    if (c == '\'') {
        return read_quoted(r);
    }
    if (is_letter(c)) {
        return read_name(r);
    }
    return refuse(r, r->p,
                  r->p == r->end ? "the expression ends where a value should stand"
                                 : "a value should stand here",
                  "a value is a number, pi, a joint, a function or a bracket");
}

static bool read_power(reader *r)
{
    if (!read_atom(r)) {
        return false;
    }
    if (peek(r) != '^') {
        return true;
    }
    r->p++;
    return read_sign(r) && emit_operator(r, TQ_OPERATOR_POWER);
}

/* every way to nest goes through here */
static bool read_sign(reader *r)
{
    if (r->nesting == TQA_EXPRESSION_NESTING) {
        return refuse(r, r->p, "the expression is nested too deeply", "split it into several rows");
    }
    r->nesting++;
    bool minus = false;
    for (char c = peek(r); c == '-' || c == '+'; c = peek(r)) {
        minus = minus != (c == '-');
        r->p++;
    }
    const bool ok = read_power(r) && (!minus || emit_operator(r, TQ_OPERATOR_NEGATE));
    r->nesting--;
    return ok;
}

static bool read_product(reader *r)
{
    if (!read_sign(r)) {
        return false;
    }
    for (char c = peek(r); c == '*' || c == '/'; c = peek(r)) {
        r->p++;
        if (!read_sign(r) ||
            !emit_operator(r, c == '*' ? TQ_OPERATOR_MULTIPLY : TQ_OPERATOR_DIVIDE)) {
            return false;
        }
    }
    return true;
}

static bool read_sum(reader *r)
{
    if (!read_product(r)) {
        return false;
    }
    for (char c = peek(r); c == '+' || c == '-'; c = peek(r)) {
        r->p++;
        if (!read_product(r) ||
            !emit_operator(r, c == '+' ? TQ_OPERATOR_ADD : TQ_OPERATOR_SUBTRACT)) {
            return false;
        }
    }
    return true;
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
    if (!read_sum(&r)) {
        return 0;
    }
    if (peek(&r) != '\0' || r.p != r.end) {
        (void)refuse(&r, r.p, "an operator should stand here",
                     "operators are + - * / ^; a product has a *");
        return 0;
    }
    return r.n;
}
