/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/urdf/value.c - numbers as people write them in XML attributes. */
#include <stdio.h>
#include <string.h>

#include "api/codec/number/number.h"
#include "api/robots/urdf/parts.h"

enum { WORD_MAX = 512, VECTOR_MAX = 8 }; /* no number that means anything is longer */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool same_word(const char *word, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        const char lower = (char)(word[i] >= 'A' && word[i] <= 'Z' ? word[i] + 32 : word[i]);
        if (name[i] == '\0' || lower != name[i]) {
            return false;
        }
    }
    return name[n] == '\0';
}

/* Rewrites [+-] digits [.digits] [exponent] into JSON's grammar: "+.5" -> "0.5", "1." -> "1.0",
 * "007" -> "7". Anything else goes through as it is, for the scanner to refuse. */
static size_t rewrite_number(const char *word, size_t n, char *out)
{
    size_t i = 0;
    size_t length = 0;
    if (n > 0 && (word[0] == '+' || word[0] == '-')) {
        if (word[0] == '-') {
            out[length++] = '-';
        }
        i = 1;
    }
    const bool has_digits = i < n && is_digit(word[i]);
    while (i + 1 < n && word[i] == '0' && is_digit(word[i + 1])) {
        i++;
    }
    if (!has_digits && i + 1 < n && word[i] == '.' && is_digit(word[i + 1])) {
        out[length++] = '0';
    }
    bool whole = has_digits; /* no point seen yet */
    while (i < n) {
        out[length++] = word[i++];
        if (word[i - 1] == '.') {
            if (whole && (i == n || !is_digit(word[i]))) {
                out[length++] = '0';
            }
            whole = false;
        }
    }
    return length;
}

typedef enum word_kind {
    WORD_NUMBER,
    WORD_NOT_FINITE,
    WORD_COMMA,
    WORD_XACRO,
    WORD_NONSENSE,
} word_kind;

static word_kind read_word(const char *word, size_t n, double *ret)
{
    if (memchr(word, '$', n) != NULL) {
        return WORD_XACRO;
    }
    const size_t sign = n > 0 && (word[0] == '+' || word[0] == '-');
    if (same_word(word + sign, n - sign, "nan") || same_word(word + sign, n - sign, "inf") ||
        same_word(word + sign, n - sign, "infinity")) {
        return WORD_NOT_FINITE;
    }
    if (n <= WORD_MAX) {
        char text[WORD_MAX + 4];
        const tqa_number kind = tqa_number_read(text, rewrite_number(word, n, text), ret);
        if (kind == TQA_NUMBER_OK) {
            return WORD_NUMBER;
        }
        if (kind == TQA_NUMBER_OVERFLOW) {
            return WORD_NOT_FINITE;
        }
    }
    return memchr(word, ',', n) != NULL ? WORD_COMMA : WORD_NONSENSE;
}

static void add_word_fault(const tqa_urdf_place *place, const char *attribute, const char *word,
                           size_t n, word_kind kind)
{
    const int shown = (int)(n < 40 ? n : 40);
    const char *slug = "malformed";
    const char *hint = "write a plain decimal number such as 0.25 or 1e-3";
    const char *fault = "is not a number";
    if (kind == WORD_NOT_FINITE) {
        slug = "not-finite";
        fault = "is not a finite number";
        hint = "write a finite number, or leave the attribute out if it is optional";
    } else if (kind == WORD_COMMA) {
        hint = "the decimal mark is a point, and spaces (no commas) stand between numbers";
    } else if (kind == WORD_XACRO) {
        fault = "is a xacro expression that was not expanded";
        hint = "run xacro first: xacro robot.urdf.xacro > robot.urdf";
    }
    tqa_draft_fault(place->draft, slug, place->path, hint, "line %lu: %s: \"%.*s\" %s", place->line,
                    attribute, shown, word, fault);
}

bool tqa_urdf_read_numbers(const tqa_urdf_place *place, const char *attribute, const char *text,
                           size_t n, double *ret)
{
    double values[VECTOR_MAX];
    size_t count = 0;
    const char *p = text;
    for (;;) {
        while (is_space(*p)) {
            p++;
        }
        if (*p == '\0') {
            break;
        }
        const char *word = p;
        while (*p != '\0' && !is_space(*p)) {
            p++;
        }
        double value = 0.0;
        const word_kind kind = read_word(word, (size_t)(p - word), &value);
        if (kind != WORD_NUMBER) {
            add_word_fault(place, attribute, word, (size_t)(p - word), kind);
            return false;
        }
        if (count < n) {
            values[count] = value;
        }
        count++;
    }
    if (count != n) {
        char hint[96];
        snprintf(hint, sizeof hint, "write %zu number%s with spaces between them", n,
                 n == 1 ? "" : "s");
        tqa_draft_fault(place->draft, "malformed", place->path, hint,
                        "line %lu: %s has %zu number%s, not %zu", place->line, attribute, count,
                        count == 1 ? "" : "s", n);
        return false;
    }
    memcpy(ret, values, n * sizeof *ret);
    return true;
}

bool tqa_urdf_word_number(const char *word, size_t n, double *ret)
{
    return read_word(word, n, ret) == WORD_NUMBER;
}

bool tqa_urdf_is_words(const char *text)
{
    return strspn(text, "0123456789+-.eE \t\r\n") != strlen(text) && strstr(text, "${") == NULL;
}
