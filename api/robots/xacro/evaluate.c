/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/xacro/evaluate.c - Python's expressions of numbers, texts and conditions. */
#include <math.h>
#include <string.h>

#include "api/robots/xacro/parts.h"
#include "core/elementary/elementary.h"

typedef struct parser {
    tqa_xacro *x;
    tqa_xacro_scope *scope;
    const char *whole, *at, *end;
} parser;

static bool conditional(parser *p, tqa_xacro_value *ret);

static bool fault(parser *p, const char *detail)
{
    const int n = (int)(p->end - p->whole);
    return tqa_xacro_fault(
        p->x, "invalid-value",
        "write numbers, names, + - * / // % **, comparisons, and or not, if else, "
        "functions of math; or expand the file first: xacro FILE",
        "%s in \"%.*s\"", detail, n < 100 ? n : 100, p->whole);
}

static void skip(parser *p)
{
    while (p->at < p->end && strchr(" \t\r\n", *p->at) != NULL) {
        p->at++;
    }
}

/* Takes a sign of operation when it is next. */
static bool take(parser *p, const char *sign)
{
    const size_t n = strlen(sign);
    skip(p);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, sign, n) != 0) {
        return false;
    }
    p->at += n;
    return true;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool take_word(parser *p, const char *word)
{
    const char *before = p->at;
    const size_t n = strlen(word);
    if (take(p, word) && (p->at == p->end || !is_word(*p->at))) {
        return true;
    }
    p->at = before;
    (void)n;
    return false;
}

static tqa_xacro_value number_of(tqa_xacro_kind kind, double x)
{
    return (tqa_xacro_value){.kind = kind, .number = x};
}

/* Two numbers, or a fault. */
static bool numbers(parser *p, const tqa_xacro_value *a, const tqa_xacro_value *b)
{
    return (a->kind != TQA_XACRO_TEXT && b->kind != TQA_XACRO_TEXT) ||
           fault(p, "a text is no number");
}

static tqa_xacro_kind kind_of(const tqa_xacro_value *a, const tqa_xacro_value *b)
{
    return a->kind == TQA_XACRO_FLOAT || b->kind == TQA_XACRO_FLOAT ? TQA_XACRO_FLOAT
                                                                    : TQA_XACRO_INTEGER;
}

/* The functions of one and two numbers; false: there is none of this name. */
static bool call_number(const char *name, size_t n, const tqa_xacro_value *a, size_t n_argument,
                        tqa_xacro_value *ret)
{
    static const char *const names[] = {"sin",   "cos",     "tan",     "asin", "acos",  "atan",
                                        "sqrt",  "radians", "degrees", "exp",  "log",   "fabs",
                                        "float", "floor",   "ceil",    "int",  "round", "abs",
                                        "atan2", "pow",     "hypot"};
    const double x = a[0].number, y = n_argument > 1 ? a[1].number : 0.0;
    size_t k = 0;
    while (k < sizeof names / sizeof names[0] &&
           (strlen(names[k]) != n || memcmp(names[k], name, n) != 0)) {
        k++;
    }
    if (k == sizeof names / sizeof names[0] || n_argument != (k < 18 ? 1U : 2U)) {
        return false;
    }
    const double root = sqrt(fmax(0.0, (1.0 - x) * (1.0 + x)));
    const double values[] = {tq_sin(x),
                             tq_cos(x),
                             tq_tan(x),
                             tq_atan2(x, fabs(x) <= 1.0 ? root : (double)NAN),
                             tq_atan2(fabs(x) <= 1.0 ? root : (double)NAN, x),
                             tq_atan2(x, 1.0),
                             sqrt(x),
                             x * (M_PI / 180.0),
                             x * (180.0 / M_PI),
                             tq_exp(x),
                             tq_log(x),
                             fabs(x),
                             x,
                             floor(x),
                             ceil(x),
                             trunc(x),
                             nearbyint(x),
                             fabs(x),
                             tq_atan2(x, y),
                             tq_pow(x, y),
                             tq_hypot(x, y)};
    const bool whole = (k >= 13 && k <= 16) || (k == 17 && a[0].kind == TQA_XACRO_INTEGER);
    *ret = number_of(whole ? TQA_XACRO_INTEGER : TQA_XACRO_FLOAT, values[k]);
    return true;
}

static bool is_name(const char *name, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(name, word, n) == 0;
}

/* Recursive descent, TQA_XACRO_NESTING deep at most in all expressions that are open. */
/* NOLINTBEGIN(misc-no-recursion) */

static bool call(parser *p, const char *name, size_t n, tqa_xacro_value *ret)
{
    tqa_xacro_value a[8];
    size_t count = 0;
    while (!take(p, ")")) {
        if (count == sizeof a / sizeof a[0] || (count > 0 && !take(p, ","))) {
            return fault(p, "a call has no end, or too many arguments");
        }
        if (!conditional(p, &a[count++])) {
            return false;
        }
    }
    if (count == 1 && is_name(name, n, "str")) {
        ret->text = tqa_xacro_print(p->x, &a[0]);
        ret->kind = TQA_XACRO_TEXT;
        return ret->text != NULL || fault(p, "memory is short");
    }
    for (size_t k = 0; k < count; k++) {
        if (a[k].kind == TQA_XACRO_TEXT) {
            tqa_xacro_literal(&a[k]); /* float("1.5") */
        }
        if (a[k].kind == TQA_XACRO_TEXT) {
            return fault(p, "a text that is no number, or a function that is not read here,");
        }
    }
    const bool most = is_name(name, n, "max"), least = is_name(name, n, "min");
    if (count > 0 && (most || least)) {
        *ret = a[0];
        for (size_t k = 1; k < count; k++) {
            *ret = (most ? a[k].number > ret->number : a[k].number < ret->number) ? a[k] : *ret;
        }
        return true;
    }
    return (count > 0 && call_number(name, n, a, count, ret)) ||
           fault(p, "a function that is not read here");
}

/* Reads a text in quotes; *at is after the opening one. */
static bool read_text(parser *p, char quote, tqa_xacro_value *ret)
{
    const char *from = p->at;
    while (p->at < p->end && *p->at != quote && *p->at != '\\') {
        p->at++;
    }
    if (p->at == p->end || *p->at != quote) {
        return fault(p, "a text has no end, or a backslash");
    }
    *ret =
        (tqa_xacro_value){.kind = TQA_XACRO_TEXT,
                          .text = tqa_arena_text(p->x->draft->arena, from, (size_t)(p->at - from))};
    p->at++;
    return ret->text != NULL || fault(p, "memory is short");
}

static bool read_number(parser *p, tqa_xacro_value *ret)
{
    const char *from = p->at;
    char copy[64];
    while (p->at < p->end && (is_word(*p->at) || *p->at == '.' ||
                              ((*p->at == '-' || *p->at == '+') && (p->at[-1] | 32) == 'e'))) {
        p->at++;
    }
    const size_t n = (size_t)(p->at - from);
    if (n >= sizeof copy) {
        return fault(p, "a number is too long");
    }
    memcpy(copy, from, n);
    copy[n] = '\0';
    *ret = (tqa_xacro_value){.kind = TQA_XACRO_TEXT, .text = copy};
    tqa_xacro_literal(ret);
    if (ret->kind == TQA_XACRO_TEXT || ret->kind == TQA_XACRO_BOOLEAN) {
        return fault(p, "a number is none");
    }
    ret->text = NULL;
    return true;
}

static bool read_name(parser *p, tqa_xacro_value *ret)
{
    const char *name = p->at;
    while (p->at < p->end && is_word(*p->at)) {
        p->at++;
    }
    size_t n = (size_t)(p->at - name);
    if (n == 4 && memcmp(name, "math", 4) == 0 && p->at < p->end && *p->at == '.') {
        name = ++p->at;
        while (p->at < p->end && is_word(*p->at)) {
            p->at++;
        }
        n = (size_t)(p->at - name);
    }
    if (take(p, "(")) {
        return call(p, name, n, ret);
    }
    static const struct {
        const char *name;
        tqa_xacro_kind kind;
        double value;
    } known[] = {{"True", TQA_XACRO_BOOLEAN, 1.0},     {"true", TQA_XACRO_BOOLEAN, 1.0},
                 {"False", TQA_XACRO_BOOLEAN, 0.0},    {"false", TQA_XACRO_BOOLEAN, 0.0},
                 {"pi", TQA_XACRO_FLOAT, M_PI},        {"e", TQA_XACRO_FLOAT, 2.718281828459045},
                 {"tau", TQA_XACRO_FLOAT, 2.0 * M_PI}, {"inf", TQA_XACRO_FLOAT, (double)INFINITY}};
    tqa_xacro_scope *owner = NULL;
    if (tqa_xacro_find(p->x, p->scope, name, n, &owner) != NULL) {
        return tqa_xacro_get(p->x, p->scope, name, n, ret);
    }
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (is_name(name, n, known[k].name)) {
            *ret = number_of(known[k].kind, known[k].value);
            return true;
        }
    }
    return tqa_xacro_get(p->x, p->scope, name, n, ret); /* the fault */
}

static bool atom(parser *p, tqa_xacro_value *ret)
{
    skip(p);
    if (p->at == p->end || !tqa_xacro_step(p->x, 1)) {
        return !p->x->stopped && fault(p, "something is missing");
    }
    const char c = *p->at;
    if (c == '\'' || c == '"') {
        p->at++;
        return read_text(p, c, ret);
    }
    if (c == '(') {
        p->at++;
        return conditional(p, ret) && (take(p, ")") || fault(p, "a bracket is not closed"));
    }
    if ((c >= '0' && c <= '9') || c == '.') {
        return read_number(p, ret);
    }
    return is_word(c) ? read_name(p, ret) : fault(p, "a sign that is not read here");
}

static bool sign(parser *p, tqa_xacro_value *ret);

/* a ** b, right to left; -a ** b is -(a ** b) */
static bool power(parser *p, tqa_xacro_value *ret)
{
    tqa_xacro_value b;
    if (!atom(p, ret)) {
        return false;
    }
    if (!take(p, "**")) {
        return true;
    }
    if (p->x->nesting == TQA_XACRO_NESTING) {
        return fault(p, "too many powers of powers");
    }
    p->x->nesting++;
    const bool good = sign(p, &b) && numbers(p, ret, &b);
    p->x->nesting--;
    if (!good) {
        return false;
    }
    const tqa_xacro_kind kind = b.number < 0.0 ? TQA_XACRO_FLOAT : kind_of(ret, &b);
    *ret = number_of(kind, tq_pow(ret->number, b.number));
    return true;
}

static bool sign(parser *p, tqa_xacro_value *ret)
{
    bool minus = false;
    bool any = false;
    for (;;) {
        if (take(p, "-")) {
            minus = !minus;
        } else if (!take(p, "+")) {
            break;
        }
        any = true;
    }
    if (!power(p, ret)) {
        return false;
    }
    if (any) {
        if (!numbers(p, ret, ret)) {
            return false;
        }
        *ret = number_of(kind_of(ret, ret), minus ? -ret->number : ret->number);
    }
    return true;
}

static bool product(parser *p, tqa_xacro_value *ret)
{
    if (!sign(p, ret)) {
        return false;
    }
    for (;;) {
        tqa_xacro_value b;
        const char op = take(p, "//")  ? 'f'
                        : take(p, "*") ? '*'
                        : take(p, "/") ? '/'
                        : take(p, "%") ? '%'
                                       : '\0';
        if (op == '\0') {
            return true;
        }
        if (!sign(p, &b) || !numbers(p, ret, &b)) {
            return false;
        }
        if (op != '*' && b.number == 0.0) {
            return fault(p, "a division by zero");
        }
        const double a = ret->number, q = op != '*' ? a / b.number : 0.0;
        *ret = op == '*'   ? number_of(kind_of(ret, &b), a * b.number)
               : op == '/' ? number_of(TQA_XACRO_FLOAT, q)
               : op == 'f' ? number_of(kind_of(ret, &b), floor(q))
                           : number_of(kind_of(ret, &b), a - b.number * floor(q));
    }
}

static bool sum(parser *p, tqa_xacro_value *ret)
{
    if (!product(p, ret)) {
        return false;
    }
    for (;;) {
        tqa_xacro_value b;
        const bool plus = take(p, "+");
        if (!plus && !take(p, "-")) {
            return true;
        }
        if (!product(p, &b)) {
            return false;
        }
        if (plus && ret->kind == TQA_XACRO_TEXT && b.kind == TQA_XACRO_TEXT) {
            if (strlen(ret->text) + strlen(b.text) > 500) {
                return fault(p, "a text is too long");
            }
            ret->text = tqa_arena_format(p->x->draft->arena, "%s%s", ret->text, b.text);
            if (ret->text == NULL) {
                return fault(p, "memory is short");
            }
            continue;
        }
        if (!numbers(p, ret, &b)) {
            return false;
        }
        *ret = number_of(kind_of(ret, &b), plus ? ret->number + b.number : ret->number - b.number);
    }
}

/* One of == != <= >= < >, as number 0 to 5; 6: none. */
static int take_comparison(parser *p)
{
    static const char *const signs[] = {"==", "!=", "<=", ">=", "<", ">"};
    for (int k = 0; k < 6; k++) {
        if (take(p, signs[k])) {
            return k;
        }
    }
    return 6;
}

static bool comparison(parser *p, tqa_xacro_value *ret)
{
    tqa_xacro_value b;
    if (!sum(p, ret)) {
        return false;
    }
    const int op = take_comparison(p);
    if (op == 6) {
        return true;
    }
    if (!sum(p, &b)) {
        return false;
    }
    const bool texts = ret->kind == TQA_XACRO_TEXT && b.kind == TQA_XACRO_TEXT;
    const bool mixed = !texts && (ret->kind == TQA_XACRO_TEXT || b.kind == TQA_XACRO_TEXT);
    if (mixed && op > 1) {
        return fault(p, "a text is no number");
    }
    const double order = texts ? (double)strcmp(ret->text, b.text) : ret->number - b.number;
    const bool same = !mixed && (texts ? order == 0.0 : ret->number == b.number);
    const bool results[] = {same, !same, order <= 0.0, order >= 0.0, order<0.0, order> 0.0};
    *ret = number_of(TQA_XACRO_BOOLEAN, results[op] ? 1.0 : 0.0);
    return take_comparison(p) == 6 || fault(p, "a comparison of three");
}

/* As Python has it: 0 and "" are false. */
static bool truth(const tqa_xacro_value *a)
{
    return a->kind == TQA_XACRO_TEXT ? a->text[0] != '\0' : a->number != 0.0;
}

static bool negation(parser *p, tqa_xacro_value *ret)
{
    unsigned n = 0;
    while (take_word(p, "not")) {
        n++;
    }
    if (!comparison(p, ret)) {
        return false;
    }
    if (n > 0) {
        *ret = number_of(TQA_XACRO_BOOLEAN, truth(ret) == (n % 2 == 0) ? 1.0 : 0.0);
    }
    return true;
}

static bool conjunction(parser *p, tqa_xacro_value *ret)
{
    tqa_xacro_value b;
    bool good = negation(p, ret);
    while (good && take_word(p, "and")) {
        good = negation(p, &b);
        *ret = good && truth(ret) ? b : *ret;
    }
    return good;
}

static bool disjunction(parser *p, tqa_xacro_value *ret)
{
    tqa_xacro_value b;
    bool good = conjunction(p, ret);
    while (good && take_word(p, "or")) {
        good = conjunction(p, &b);
        *ret = good && !truth(ret) ? b : *ret;
    }
    return good;
}

/* a if condition else b; both are evaluated */
static bool conditional(parser *p, tqa_xacro_value *ret)
{
    tqa_xacro_value condition, other;
    if (p->x->nesting == TQA_XACRO_NESTING) {
        return fault(p, "too many brackets inside each other");
    }
    p->x->nesting++;
    bool good = disjunction(p, ret);
    if (good && take_word(p, "if")) {
        good = disjunction(p, &condition) &&
               (take_word(p, "else") || fault(p, "an if without else")) && conditional(p, &other);
        *ret = good && !truth(&condition) ? other : *ret;
    }
    p->x->nesting--;
    return good;
}

bool tqa_xacro_evaluate(tqa_xacro *x, tqa_xacro_scope *scope, const char *text, size_t n,
                        tqa_xacro_value *ret)
{
    parser p = {.x = x, .scope = scope, .whole = text, .at = text, .end = text + n};
    *ret = (tqa_xacro_value){.text = NULL};
    if (++x->n_call > TQA_XACRO_CALL_MAX) {
        x->n_call--;
        return tqa_xacro_fault(x, "too-large", "simpler properties",
                               "properties refer to properties more than %d deep",
                               TQA_XACRO_CALL_MAX);
    }
    bool good = conditional(&p, ret);
    skip(&p);
    if (good && p.at != p.end) {
        good = fault(&p, "something is left over");
    }
    if (good && ret->kind != TQA_XACRO_TEXT) {
        ret->text = NULL;
    }
    x->n_call--;
    return good;
}
/* NOLINTEND(misc-no-recursion) */
