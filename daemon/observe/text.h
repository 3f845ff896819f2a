/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/observe/text.h - a growing text buffer. */
#ifndef TQD_OBSERVE_TEXT_H
#define TQD_OBSERVE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Starts as {.bytes = NULL}; `bytes` is freed by its owner. After `failed` (out of memory) nothing
 * is appended. */
typedef struct tqd_text {
    char *bytes;
    size_t n, size;
    bool failed;
} tqd_text;

void tqd_text_put(tqd_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
