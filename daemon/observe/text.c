/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/observe/text.c - a growing text buffer. */
#include "daemon/observe/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Makes space for n more bytes and a NUL. */
static bool grow(tqd_text *text, size_t n)
{
    enum { FIRST = 4096 };
    size_t size = text->size > 0 ? text->size : FIRST;
    while (size - text->n <= n) {
        size *= 2;
    }
    if (size == text->size) {
        return true;
    }
    char *bytes = realloc(text->bytes, size);
    text->failed = bytes == NULL;
    if (bytes != NULL) {
        text->bytes = bytes;
        text->size = size;
    }
    return bytes != NULL;
}

void tqd_text_put(tqd_text *text, const char *format, ...)
{
    va_list arguments;
    va_list again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int n = text->failed ? -1 : vsnprintf(NULL, 0, format, arguments);
    if (n > 0 && grow(text, (size_t)n)) {
        text->n += (size_t)vsnprintf(text->bytes + text->n, text->size - text->n, format, again);
    }
    va_end(again);
    va_end(arguments);
}
