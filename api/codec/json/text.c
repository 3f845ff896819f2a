/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/json/text.c - escapes strings, prints numbers, doubles its buffer. */
#include "api/codec/json/text.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/number/number.h"

/* Room for `more` bytes and a NUL at the end; NULL: out of memory, or of a fixed buffer. */
static char *make_room(tqa_json_text *text, size_t more)
{
    if (text->failed || more >= SIZE_MAX / 4 - text->n) {
        text->failed = true;
        return NULL;
    }
    if (text->n + more + 1 > text->capacity && text->fixed) {
        text->failed = true;
        return NULL;
    }
    if (text->n + more + 1 > text->capacity) {
        const size_t capacity = 2 * (text->n + more + 1) + 1024;
        char *bytes = realloc(text->bytes, capacity);
        if (bytes == NULL) {
            text->failed = true;
            return NULL;
        }
        text->bytes = bytes;
        text->capacity = capacity;
    }
    return text->bytes + text->n;
}

void tqa_json_text_append(tqa_json_text *text, const void *bytes, size_t n)
{
    char *p = make_room(text, n);
    if (p != NULL) {
        memcpy(p, bytes, n);
        text->n += n;
    }
}

/* Length of the UTF-8 sequence at s; 0 if invalid, as overlong forms and surrogates are. */
static size_t utf8_length(const unsigned char *s)
{
    static const struct {
        unsigned char first, last, low, high; /* of the first byte, of the second */
        size_t n;
    } rows[] = {
        {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
        {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
        {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
    };
    if (s[0] < 0x80) {
        return 1;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (s[0] >= rows[i].first && s[0] <= rows[i].last && s[1] >= rows[i].low &&
            s[1] <= rows[i].high) {
            for (size_t k = 2; k < rows[i].n; k++) {
                if ((s[k] & 0xC0) != 0x80) {
                    return 0;
                }
            }
            return rows[i].n;
        }
    }
    return 0;
}

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* Bit 7 of each byte of w that is 0. Borrows may mark a byte above one that is marked. */
static uint64_t zero_bytes(uint64_t w)
{
    return (w - 0x0101010101010101u) & ~w & 0x8080808080808080u;
}

/* is_plain of n bytes, eight at a time */
static bool are_plain(const char *s, size_t n)
{
    uint64_t odd = 0;
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t w;
        memcpy(&w, s + i, sizeof w);
        odd |= (w & 0x8080808080808080u) | ((w - 0x2020202020202020u) & ~w & 0x8080808080808080u) |
               zero_bytes(w ^ 0x2222222222222222u) | zero_bytes(w ^ 0x5c5c5c5c5c5c5c5cu);
    }
    while (i < n && is_plain((unsigned char)s[i])) {
        i++;
    }
    return odd == 0 && i == n;
}

void tqa_json_text_string(tqa_json_text *text, const char *s)
{
    const size_t length = strlen(s);
    char *whole = are_plain(s, length) ? make_room(text, length + 2) : NULL;
    if (whole != NULL) { /* the common case: nothing to escape */
        whole[0] = '"';
        memcpy(whole + 1, s, length);
        whole[length + 1] = '"';
        text->n += length + 2;
        return;
    }
    tqa_json_text_bytes(text, "\"", 1);
    for (const unsigned char *p = (const unsigned char *)s; *p != '\0';) {
        const unsigned char *const run = p;
        while (is_plain(*p)) {
            p++;
        }
        tqa_json_text_bytes(text, (const char *)run, (size_t)(p - run));
        if (*p == '\0') {
            break;
        }
        const size_t n = utf8_length(p);
        if (n == 0) {
            tqa_json_text_bytes(text, "\xEF\xBF\xBD", 3);
            p++;
        } else if (*p == '"' || *p == '\\') {
            const char escaped[2] = {'\\', (char)*p};
            tqa_json_text_bytes(text, escaped, 2);
            p++;
        } else if (*p < 0x20) {
            char escaped[8];
            (void)snprintf(escaped, sizeof escaped, "\\u%04x", *p);
            tqa_json_text_bytes(text, escaped, 6);
            p++;
        } else {
            tqa_json_text_bytes(text, (const char *)p, n);
            p += n;
        }
    }
    tqa_json_text_bytes(text, "\"", 1);
}

void tqa_json_text_number(tqa_json_text *text, double x)
{
    char *p = make_room(text, TQA_NUMBER_ROOM);
    if (p != NULL) {
        text->n += (size_t)(tqa_number_print(x, p) - p);
    }
}

void tqa_json_text_numbers(tqa_json_text *text, const double *x, size_t n)
{
    tqa_json_text_bytes(text, "[", 1);
    for (size_t i = 0; i < n; i++) {
        tqa_json_text_bytes(text, ", ", i > 0 ? 2 : 0);
        tqa_json_text_number(text, x[i]);
    }
    tqa_json_text_bytes(text, "]", 1);
}

void tqa_json_text_count(tqa_json_text *text, unsigned long n)
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%lu", n);
    tqa_json_text_bytes(text, digits, (size_t)length);
}

char *tqa_json_text_take(tqa_json_text *text, size_t *ret_n)
{
    assert(!text->fixed);
    char *end = make_room(text, 0);
    char *bytes = text->bytes;
    if (end == NULL) {
        free(bytes);
        bytes = NULL;
    } else {
        *end = '\0';
        *ret_n = text->n;
    }
    *text = (tqa_json_text){0};
    return bytes;
}
