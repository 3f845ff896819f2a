/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/csv/cell.c - one cell of a table: a number, nothing, or text. */
#include "api/codec/csv/cell.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "api/codec/number/number.h"

enum { NUMBER_MAX = 400 }; /* the longest text that is parsed as a number */

static void trim_blanks(const char **text, size_t *n)
{
    while (*n > 0 && (**text == ' ' || **text == '\t')) {
        (*text)++;
        (*n)--;
    }
    while (*n > 0 && ((*text)[*n - 1] == ' ' || (*text)[*n - 1] == '\t')) {
        (*n)--;
    }
}

void tqa_csv_cell_trim(const char **text, size_t *n)
{
    trim_blanks(text, n);
    if (*n >= 2 && **text == '"' && (*text)[*n - 1] == '"') {
        (*text)++;
        *n -= 2;
        trim_blanks(text, n);
    }
}

const char *tqa_csv_cell_end(const char *p, const char *end, char delimiter)
{
    bool quoted = false;
    for (; p < end; p++) {
        if (*p == '"') {
            quoted = !quoted;
        } else if (*p == delimiter && !quoted) {
            break;
        }
    }
    return p;
}

static bool is_word(const char *text, size_t n, const char *word)
{
    return strlen(word) == n && strncasecmp(text, word, n) == 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* the same number in the grammar of RFC 8259; its length, 0 if it cannot be one */
static size_t normalise(const char *text, size_t n, bool decimal_comma, char *out)
{
    size_t used = 0;
    size_t i = 0;
    if (n > NUMBER_MAX) {
        return 0;
    }
    if (i < n && (text[i] == '+' || text[i] == '-')) {
        if (text[i] == '-') {
            out[used++] = '-';
        }
        i++;
    }
    const size_t first = i;
    while (i + 1 < n && text[i] == '0' && is_digit(text[i + 1])) {
        i++;
    }
    const bool no_digit = i == first && i < n && !is_digit(text[i]);
    if (no_digit) {
        out[used++] = '0';
    }
    while (i < n && is_digit(text[i])) {
        out[used++] = text[i++];
    }
    if (i < n && (text[i] == '.' || (decimal_comma && text[i] == ','))) {
        i++;
        const bool has_fraction = i < n && is_digit(text[i]);
        if (no_digit && !has_fraction) {
            return 0;
        }
        out[used++] = '.';
        if (!has_fraction) {
            out[used++] = '0';
        }
    } else if (no_digit) {
        return 0;
    }
    memcpy(out + used, text + i, n - i);
    return used + n - i;
}

tqa_cell tqa_csv_cell_read(const char *text, size_t n, bool decimal_comma, double *ret)
{
    static const char *const nothing[] = {"nan", "na", "n/a", "null", "none"};
    static const char *const infinite[] = {"inf", "infinity"};
    char plain[NUMBER_MAX + 4];
    tqa_csv_cell_trim(&text, &n);
    *ret = (double)NAN;
    if (n == 0) {
        return TQA_CELL_EMPTY;
    }
    const size_t n_plain = normalise(text, n, decimal_comma, plain);
    if (n_plain > 0) {
        const tqa_number found = tqa_number_read(plain, n_plain, ret);
        if (found == TQA_NUMBER_OVERFLOW) {
            *ret = text[0] == '-' ? -(double)INFINITY : (double)INFINITY;
        }
        if (found == TQA_NUMBER_OK || found == TQA_NUMBER_OVERFLOW) {
            return TQA_CELL_NUMBER;
        }
        *ret = (double)NAN;
    }
    const bool has_sign = text[0] == '-' || text[0] == '+';
    const char *word = text + (has_sign ? 1 : 0);
    const size_t n_word = n - (has_sign ? 1 : 0);
    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; i++) {
        if (is_word(word, n_word, nothing[i])) {
            return TQA_CELL_EMPTY;
        }
    }
    for (size_t i = 0; i < sizeof infinite / sizeof infinite[0]; i++) {
        if (is_word(word, n_word, infinite[i])) {
            *ret = text[0] == '-' ? -(double)INFINITY : (double)INFINITY;
            return TQA_CELL_NUMBER;
        }
    }
    return TQA_CELL_TEXT;
}
