/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/characters.h - classes of characters in requests. */
#ifndef TQD_HTTP_CHARACTERS_H
#define TQD_HTTP_CHARACTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Class of each character: 1 in a path unescaped (RFC 3986 section 3.3 without '.' and '%'), 2 in a
 * token (RFC 9110 section 5.6.2), 3 both. */
static const char tqd_character_kinds[] =
    "0000000000000000000000000000000003023233113313203333333333110100"
    "1333333333333333333333333330002323333333333333333333333333302030"
    "0000000000000000000000000000000000000000000000000000000000000000"
    "0000000000000000000000000000000000000000000000000000000000000000";

static inline bool tqd_is_token_char(char c)
{
    return (tqd_character_kinds[(unsigned char)c] & 2) != 0;
}

static inline bool tqd_is_path_char(char c)
{
    return (tqd_character_kinds[(unsigned char)c] & 1) != 0;
}

/* A control character other than tab. */
static inline bool tqd_is_control(char c)
{
    const unsigned char u = (unsigned char)c;
    return (u < 0x20 && u != '\t') || u == 0x7f;
}

/* -1: none. */
static inline int tqd_hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* SWAR: whether one of eight bytes is below 0x20 or 0x7f; a tab counts too. */
static inline bool tqd_word_has_control(const char *text)
{
    const uint64_t ones = 0x0101010101010101U;
    uint64_t word;
    memcpy(&word, text, sizeof word);
    const uint64_t del = word ^ (ones * 0x7f);
    return ((((word - ones * 0x20) & ~word) | ((del - ones) & ~del)) & (ones * 0x80)) != 0;
}

#endif
