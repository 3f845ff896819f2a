/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/xacro/text.c - attributes with ${...} and $(...), and values as text. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/codec/number/number.h"
#include "api/robots/urdf/parts.h"
#include "api/robots/xacro/parts.h"

void tqa_xacro_literal(tqa_xacro_value *value)
{
    const char *text = value->text;
    const size_t n = strlen(text);
    const size_t digits = strspn(text, "0123456789+-.eE");
    if (strcmp(text, "true") == 0 || strcmp(text, "True") == 0 || strcmp(text, "false") == 0 ||
        strcmp(text, "False") == 0) {
        *value = (tqa_xacro_value){.kind = TQA_XACRO_BOOLEAN, .number = (text[0] | 32) == 't'};
        return;
    }
    double number = 0.0;
    if (n > 0 && digits == n && tqa_urdf_word_number(text, n, &number)) {
        const bool whole = strpbrk(text, ".eE") == NULL;
        *value = (tqa_xacro_value){.kind = whole ? TQA_XACRO_INTEGER : TQA_XACRO_FLOAT,
                                   .number = number};
    }
}

const char *tqa_xacro_print(tqa_xacro *x, const tqa_xacro_value *value)
{
    char text[TQA_NUMBER_ROOM + 1];
    switch (value->kind) {
    case TQA_XACRO_TEXT:
        return value->text;
    case TQA_XACRO_BOOLEAN:
        return value->number != 0.0 ? "True" : "False";
    case TQA_XACRO_INTEGER:
        return tqa_arena_format(x->draft->arena, "%.0f", value->number);
    case TQA_XACRO_FLOAT:
        break;
    }
    if (!isfinite(value->number)) {
        return value->number > 0.0 ? "inf" : value->number < 0.0 ? "-inf" : "nan";
    }
    char *end = tqa_number_print(value->number, text);
    return tqa_arena_text(x->draft->arena, text, (size_t)(end - text));
}

bool tqa_xacro_truth(tqa_xacro *x, const tqa_xacro_value *value, bool *ret)
{
    tqa_xacro_value one = *value;
    if (one.kind == TQA_XACRO_TEXT) {
        tqa_xacro_literal(&one);
    }
    if (one.kind == TQA_XACRO_TEXT) {
        return tqa_xacro_fault(x, "invalid-value", "write true or false",
                               "\"%.60s\" is neither true nor false", one.text);
    }
    *ret = one.number != 0.0;
    return true;
}

/* $(arg name), $(find package), $(optenv NAME default), $(eval expression) */
static bool substitute(tqa_xacro *x, tqa_xacro_scope *scope, const char *text, size_t n,
                       tqa_xacro_value *ret)
{
    while (n > 0 && strchr(" \t\r\n", text[n - 1]) != NULL) {
        n--;
    }
    const size_t word = strcspn(text, " \t)");
    const size_t skip = word + strspn(text + word, " \t");
    const char *rest = text + (skip < n ? skip : n);
    const size_t length = skip < n ? n - skip : 0;
    *ret = (tqa_xacro_value){.kind = TQA_XACRO_TEXT, .text = ""};
    if (word == 4 && memcmp(text, "eval", 4) == 0) {
        return tqa_xacro_evaluate(x, scope, rest, length, ret);
    }
    if (word == 3 && memcmp(text, "arg", 3) == 0) {
        tqa_xacro_scope *owner = NULL;
        const tqa_xacro_symbol *row = tqa_xacro_find(x, &x->args, rest, length, &owner);
        if (row == NULL) {
            return tqa_xacro_fault(
                x, "unknown-name", "give it a default: <xacro:arg name=\"...\" default=\"...\"/>",
                "the argument \"%.*s\" has no value", (int)(length < 60 ? length : 60), rest);
        }
        *ret = row->value;
        return true;
    }
    if (word == 4 && memcmp(text, "find", 4) == 0) {
        ret->text = tqa_arena_format(x->draft->arena, "package://%.*s",
                                     (int)(length < 200 ? length : 200), rest);
        return ret->text != NULL;
    }
    if (word == 6 && memcmp(text, "optenv", 6) == 0) {
        const size_t name = strcspn(rest, " \t)");
        const size_t from = name + strspn(rest + name, " \t");
        ret->text =
            from < length ? tqa_arena_text(x->draft->arena, rest + from, length - from) : "";
        return ret->text != NULL;
    }
    return tqa_xacro_fault(x, "invalid-value", "write its value, or expand it first: xacro FILE",
                           "$(%.*s) is not read here", (int)(n < 60 ? n : 60), text);
}

/* The end of the text after "${" or "$(": its own closing bracket, texts in quotes left out. */
static const char *find_end(const char *p, char open, char close)
{
    size_t depth = 1;
    char quote = '\0';
    for (; *p != '\0'; p++) {
        if (quote != '\0') {
            quote = *p == quote ? '\0' : quote;
        } else if (close == '}' && (*p == '\'' || *p == '"')) {
            quote = *p;
        } else if (*p == open) {
            depth++;
        } else if (*p == close && --depth == 0) {
            return p;
        }
    }
    return NULL;
}

/* Appends to the text under construction. */
static bool append(tqa_xacro *x, char out[TQA_XACRO_TEXT_MAX], size_t *used, const char *text,
                   size_t n)
{
    if (*used + n >= TQA_XACRO_TEXT_MAX) {
        return tqa_xacro_fault(x, "too-large", "shorter texts", "a value has more than %d bytes",
                               TQA_XACRO_TEXT_MAX - 1);
    }
    memcpy(out + *used, text, n);
    *used += n;
    out[*used] = '\0';
    return tqa_xacro_step(x, 1 + n / 16);
}

/* Properties that refer to properties: TQA_XACRO_CALL_MAX deep at most. */
/* NOLINTBEGIN(misc-no-recursion) */

static bool evaluate_part(tqa_xacro *x, tqa_xacro_scope *scope, const char *p, const char *end,
                          tqa_xacro_value *ret)
{
    const size_t n = (size_t)(end - p) - 2;
    if (p[1] == '{') {
        return tqa_xacro_evaluate(x, scope, p + 2, n, ret);
    }
    if (memchr(p + 2, '$', n) != NULL) { /* $(find ${name}) */
        char inner[TQA_XACRO_TEXT_MAX];
        if (n >= sizeof inner || ++x->n_call > TQA_XACRO_CALL_MAX) {
            return tqa_xacro_fault(x, "too-large", "simpler texts",
                                   "too many $( inside each other");
        }
        memcpy(inner, p + 2, n);
        inner[n] = '\0';
        const char *flat = tqa_xacro_string(x, scope, inner);
        x->n_call--;
        return flat != NULL && substitute(x, scope, flat, strlen(flat), ret);
    }
    return substitute(x, scope, p + 2, n, ret);
}

/* A number as text counts as one, and is printed as it was written. */
static void literal(tqa_xacro_value *value)
{
    const char *text = value->text;
    tqa_xacro_literal(value);
    value->text = text;
}

bool tqa_xacro_text(tqa_xacro *x, tqa_xacro_scope *scope, const char *text, tqa_xacro_value *ret)
{
    char out[TQA_XACRO_TEXT_MAX] = "";
    size_t used = 0;
    for (const char *p = text; *p != '\0';) {
        const size_t plain = strcspn(p, "$");
        if (plain > 0) {
            if (!append(x, out, &used, p, plain)) {
                return false;
            }
            p += plain;
            continue;
        }
        const size_t dollars = strspn(p, "$");
        if (dollars > 1 && (p[dollars] == '{' || p[dollars] == '(')) { /* "$${" is "${" */
            if (!append(x, out, &used, p + 1, dollars)) {
                return false;
            }
            p += dollars + 1;
            continue;
        }
        const bool opens = p[1] == '{' || p[1] == '(';
        const char *end = opens ? find_end(p + 2, p[1], p[1] == '{' ? '}' : ')') : NULL;
        if (opens && end == NULL) {
            return tqa_xacro_fault(x, "malformed", "close the bracket", "\"%.60s\" has no end", p);
        }
        if (!opens) {
            if (!append(x, out, &used, p, dollars)) {
                return false;
            }
            p += dollars;
            continue;
        }
        if (!evaluate_part(x, scope, p, end, ret)) {
            return false;
        }
        if (p == text && end[1] == '\0') { /* one expression keeps its type */
            if (ret->kind == TQA_XACRO_TEXT) {
                literal(ret);
            }
            return true;
        }
        const char *part = tqa_xacro_print(x, ret);
        if (part == NULL || !append(x, out, &used, part, strlen(part))) {
            return false;
        }
        p = end + 1;
    }
    *ret = (tqa_xacro_value){.kind = TQA_XACRO_TEXT,
                             .text = tqa_arena_text(x->draft->arena, out, used)};
    if (ret->text == NULL) {
        return tqa_xacro_fault(x, "too-large", "a smaller robot", "memory is short");
    }
    literal(ret);
    return true;
}

const char *tqa_xacro_string(tqa_xacro *x, tqa_xacro_scope *scope, const char *text)
{
    tqa_xacro_value value = {.text = NULL};
    if (strchr(text, '$') == NULL) {
        return text;
    }
    if (!tqa_xacro_text(x, scope, text, &value)) {
        return NULL;
    }
    const char *printed = value.text != NULL ? value.text : tqa_xacro_print(x, &value);
    if (printed == NULL) {
        (void)tqa_xacro_fault(x, "too-large", "a smaller robot", "memory is short");
    }
    return printed;
}
/* NOLINTEND(misc-no-recursion) */
