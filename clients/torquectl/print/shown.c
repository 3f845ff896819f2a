/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/print/shown.c - foreign text made safe for a terminal. */
#include "clients/torquectl/print/shown.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ESCAPE_BYTES = 13 }; /* of two \uXXXX, and NUL */

/* Characters that a terminal interprets (C0, delete, C1), that reorder text (the marks of Unicode's
 * bidirectional algorithm, UAX 9), that break lines (U+2028, U+2029), or that are invisible. */
static bool is_hidden(uint32_t c)
{
    static const uint32_t ranges[][2] = {{0x0000, 0x001f}, {0x007f, 0x009f}, {0x00ad, 0x00ad},
                                         {0x061c, 0x061c}, {0x180e, 0x180e}, {0x200b, 0x200f},
                                         {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfe00, 0xfe0f},
                                         {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (c >= ranges[i][0] && c <= ranges[i][1]) {
            return true;
        }
    }
    return false;
}

/* Bytes of the next character, 0 if it is not valid UTF-8 (RFC 3629). */
static size_t decode(const unsigned char *text, size_t n, uint32_t *ret)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char first = text[0];
    const size_t length = first < 0x80             ? 1
                          : (first & 0xe0) == 0xc0 ? 2
                          : (first & 0xf0) == 0xe0 ? 3
                          : (first & 0xf8) == 0xf0 ? 4
                                                   : 0;
    if (length == 0 || length > n) {
        return 0;
    }
    uint32_t c = length == 1 ? first : first & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
        c = c << 6 | (text[i] & 0x3fu);
    }
    *ret = c;
    return c < least[length] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) ? 0 : length;
}

static int escape(uint32_t c, bool is_byte, char out[ESCAPE_BYTES])
{
    if (is_byte) {
        return snprintf(out, ESCAPE_BYTES, "\\x%02x", (unsigned)c);
    }
    if (c > 0xffff) { /* a surrogate pair, as in JSON */
        return snprintf(out, ESCAPE_BYTES, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10 & 0x3ff),
                        0xdc00 + (c & 0x3ff));
    }
    return snprintf(out, ESCAPE_BYTES, "\\u%04x", c & 0xffff);
}

size_t ctl_shown(const char *text, size_t n, char *out, size_t size)
{
    size_t used = 0;
    n = strnlen(text, n);
    for (size_t at = 0; at < n;) {
        char hidden[ESCAPE_BYTES];
        uint32_t c = 0;
        const char *piece = text + at;
        const size_t length = decode((const unsigned char *)piece, n - at, &c);
        size_t n_piece = length;
        if (length == 0 || is_hidden(c)) {
            const uint32_t shown = length == 0 ? (unsigned char)*piece : c;
            n_piece = (size_t)escape(shown, length == 0, hidden);
            piece = hidden;
        }
        if (used + n_piece >= size) {
            break;
        }
        memcpy(out + used, piece, n_piece);
        used += n_piece;
        at += length == 0 ? 1 : length;
    }
    out[used] = '\0';
    return used;
}
