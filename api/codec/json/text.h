/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/json/text.h - writes a JSON document, in order, into a buffer that grows, or into one
 * of fixed size. */
#ifndef TQA_CODEC_JSON_TEXT_H
#define TQA_CODEC_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Starts as {0}. After a failed allocation everything is freed and tqa_json_text_take is NULL.
 * With `fixed` it starts with bytes (capacity) of the caller, is never allocated nor taken, and
 * fails where they end. One byte of the capacity stays free. */
typedef struct tqa_json_text {
    char *bytes;
    size_t n, capacity;
    bool failed, fixed;
} tqa_json_text;

/* The same as the next one, where there may be no room. */
void tqa_json_text_append(tqa_json_text *text, const void *bytes, size_t n);

/* Arbitrary bytes, also of other formats. Inline, as most are a bracket or a comma. */
static inline void tqa_json_text_bytes(tqa_json_text *text, const void *bytes, size_t n)
{
    if (text->bytes == NULL || text->failed || n >= text->capacity - text->n) {
        tqa_json_text_append(text, bytes, n);
        return;
    }
    memcpy(text->bytes + text->n, bytes, n);
    text->n += n;
}

/* Text without escaping: brackets, commas, a key that needs none. */
static inline void tqa_json_text_raw(tqa_json_text *text, const char *raw)
{
    tqa_json_text_bytes(text, raw, strlen(raw));
}

/* "s", escaped; bytes that are not UTF-8 become U+FFFD. */
void tqa_json_text_string(tqa_json_text *text, const char *s);

/* A number in the fewest digits that read back the same; null when it is not finite. */
void tqa_json_text_number(tqa_json_text *text, double x);

/* [x, y, ...] */
void tqa_json_text_numbers(tqa_json_text *text, const double *x, size_t n);

void tqa_json_text_count(tqa_json_text *text, unsigned long n);

/* The whole text, malloc'ed, NUL-terminated; NULL: out of memory. The text is {0} again. */
char *tqa_json_text_take(tqa_json_text *text, size_t *ret_n);

#endif
