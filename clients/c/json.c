/* SPDX-License-Identifier: Apache-2.0 */
/* clients/c/json.c - JSON text (RFC 8259) token by token, in place, without allocation. */
#include "clients/c/json.h"

#include <stdint.h>
#include <string.h>

void tqci_json_open(tqci_json *json, const char *text, size_t n)
{
    memset(json, 0, sizeof *json);
    json->at = text;
    json->end = text + n;
}

static tqci_kind fault(tqci_json *json)
{
    json->end = json->at;
    json->depth = -1;
    return TQCI_FAULT;
}

static void skip_space(tqci_json *json)
{
    while (json->at < json->end && memchr(" \t\r\n", *json->at, 4) != NULL) {
        json->at++;
    }
}

/* after the first quote, to after the second one */
static bool take_text(tqci_json *json)
{
    json->token = json->at;
    while (json->at < json->end && *json->at != '"') {
        if ((unsigned char)*json->at < 0x20) {
            return false;
        }
        const ptrdiff_t n = *json->at == '\\' ? 2 : 1;
        if (n > json->end - json->at) {
            return false;
        }
        json->at += n;
    }
    if (json->at >= json->end) {
        return false;
    }
    json->n_token = (size_t)(json->at++ - json->token);
    return true;
}

static tqci_kind open_nested(tqci_json *json, char close)
{
    if (json->depth == TQCI_DEPTH_MAX) {
        return fault(json);
    }
    json->inside[json->depth++] = close;
    json->has_value = false;
    json->at++;
    return close == '}' ? TQCI_OBJECT : TQCI_ARRAY;
}

static tqci_kind take_word(tqci_json *json, const char *word, tqci_kind kind)
{
    const size_t n = strlen(word);
    if ((size_t)(json->end - json->at) < n || memcmp(json->at, word, n) != 0) {
        return fault(json);
    }
    json->at += n;
    return kind;
}

static tqci_kind take_value(tqci_json *json)
{
    json->is_after_key = false;
    json->has_value = true;
    switch (*json->at) {
    case '{':
        return open_nested(json, '}');
    case '[':
        return open_nested(json, ']');
    case '"':
        json->at++;
        return take_text(json) ? TQCI_TEXT : fault(json);
    case 't':
        return take_word(json, "true", TQCI_TRUE);
    case 'f':
        return take_word(json, "false", TQCI_FALSE);
    case 'n':
        return take_word(json, "null", TQCI_NULL);
    default:
        json->token = json->at;
        while (json->at < json->end && memchr("+-.0123456789eE", *json->at, 15) != NULL) {
            json->at++;
        }
        json->n_token = (size_t)(json->at - json->token);
        return json->n_token > 0 ? TQCI_NUMBER : fault(json);
    }
}

tqci_kind tqci_json_next(tqci_json *json)
{
    if (json->depth < 0) {
        return TQCI_FAULT;
    }
    skip_space(json);
    if (json->at == json->end) {
        return json->depth == 0 && json->has_value ? TQCI_END : fault(json);
    }
    if (json->depth == 0) {
        return json->has_value ? fault(json) : take_value(json);
    }
    const char close = json->inside[json->depth - 1];
    if (!json->is_after_key) {
        if (*json->at == close) {
            json->at++;
            json->depth--;
            json->has_value = true;
            return TQCI_CLOSE;
        }
        if (json->has_value) {
            if (*json->at != ',') {
                return fault(json);
            }
            json->at++;
            skip_space(json);
        }
        if (close == '}') {
            if (json->at == json->end || *json->at++ != '"' || !take_text(json)) {
                return fault(json);
            }
            const char *key = json->token;
            skip_space(json);
            if (json->at == json->end || *json->at++ != ':') {
                return fault(json);
            }
            json->token = key;
            json->is_after_key = true;
            return TQCI_KEY;
        }
    }
    return json->at < json->end ? take_value(json) : fault(json);
}

bool tqci_json_skip(tqci_json *json)
{
    const int outside = json->depth - 1;
    tqci_kind kind = TQCI_NULL;
    while (json->depth > outside && kind != TQCI_FAULT && kind != TQCI_END) {
        kind = tqci_json_next(json);
    }
    return json->depth == outside;
}

/* ------------------------------------------------------------------------------------- escapes */

static uint32_t hex4(const char *text, const char *end)
{
    uint32_t code = 0;
    for (int i = 0; i < 4; i++) {
        const char c = text + i < end ? text[i] : '0';
        const int digit = c >= '0' && c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
        code = code << 4 | (uint32_t)(digit & 15);
    }
    return code;
}

static size_t put_utf8(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    const size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    out[0] = (char)((0xf0u << (4 - n)) | c);
    return n;
}

/* one character, at[0] is a backslash; returns how much of the text it took */
static size_t unescape(const char *at, const char *end, char out[4], size_t *ret_n)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char letter = at + 1 < end ? at[1] : '\\';
    const char *known = strchr(from, letter);
    *ret_n = 1;
    if (letter != 'u') {
        out[0] = letter != '\0' && known != NULL ? to[known - from] : letter;
        return 2;
    }
    uint32_t code = hex4(at + 2, end);
    size_t used = 6;
    if (code >> 10 == 0xd800 >> 10 && at + 12 <= end && at[6] == '\\' && at[7] == 'u') {
        code = 0x10000 + ((code & 0x3ff) << 10 | (hex4(at + 8, end) & 0x3ff));
        used = 12;
    }
    *ret_n = put_utf8(code, out);
    return used;
}

size_t tqci_json_text(const tqci_json *json, char *out, size_t size)
{
    const char *at = json->token, *end = at + json->n_token;
    size_t used = 0;
    while (at < end) {
        char piece[4] = {*at};
        size_t n = 1, taken = 1;
        if (*at == '\\') {
            taken = unescape(at, end, piece, &n);
        } else { /* never splits a UTF-8 sequence */
            while (n < 4 && at + n < end && (at[n] & 0xc0) == 0x80) {
                piece[n] = at[n];
                n++;
            }
            taken = n;
        }
        if (used + n >= size) {
            break;
        }
        memcpy(out + used, piece, n);
        used += n;
        at += taken;
    }
    out[used] = '\0';
    return used;
}
