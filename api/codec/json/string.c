/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/json/string.c - the strings of JSON in any pieces: escapes, surrogates, UTF-8. */
#include <string.h>

#include "api/codec/json/scan_private.h"

const char *tqa_json_fail(tqa_json_scan *scan, tqa_decode state, uint64_t at, const char *detail)
{
    scan->state = state;
    scan->error = (tqa_decode_error){.offset = at, .detail = detail};
    return NULL;
}

const char *tqa_json_malformed(tqa_json_scan *scan, uint64_t at, const char *detail)
{
    return tqa_json_fail(scan, TQA_DECODE_MALFORMED, at, detail);
}

bool tqa_json_keep(tqa_json_scan *scan, const char *bytes, size_t n)
{
    if (n > TQA_EVENT_TEXT_MAX - scan->n_text) {
        (void)tqa_json_fail(scan, TQA_DECODE_LIMIT, scan->at, TQA_JSON_TOO_LONG);
        return false;
    }
    memcpy(scan->text + scan->n_text, bytes, n);
    scan->n_text += n;
    return true;
}

static bool keep_code(tqa_json_scan *scan, uint32_t code)
{
    char utf8[4];
    size_t n = 0;
    if (code < 0x80) {
        utf8[n++] = (char)code;
    } else if (code < 0x800) {
        utf8[n++] = (char)(0xc0 | code >> 6);
        utf8[n++] = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        utf8[n++] = (char)(0xe0 | code >> 12);
        utf8[n++] = (char)(0x80 | (code >> 6 & 0x3f));
        utf8[n++] = (char)(0x80 | (code & 0x3f));
    } else {
        utf8[n++] = (char)(0xf0 | code >> 18);
        utf8[n++] = (char)(0x80 | (code >> 12 & 0x3f));
        utf8[n++] = (char)(0x80 | (code >> 6 & 0x3f));
        utf8[n++] = (char)(0x80 | (code & 0x3f));
    }
    return tqa_json_keep(scan, utf8, n);
}

/* A \uXXXX is complete: a character, or half of a surrogate pair. */
static bool end_code(tqa_json_scan *scan, uint64_t at)
{
    const uint32_t code = scan->code;
    const bool is_high = code >= 0xd800 && code <= 0xdbff;
    const bool is_low = code >= 0xdc00 && code <= 0xdfff;
    scan->step = TQA_JSON_STEP_PLAIN;
    if (scan->surrogate != 0) {
        const uint32_t high = scan->surrogate;
        scan->surrogate = 0;
        if (!is_low) {
            return tqa_json_malformed(scan, at, "a surrogate has no second half") != NULL;
        }
        return keep_code(scan, 0x10000 + ((high - 0xd800) << 10) + (code - 0xdc00));
    }
    if (is_low) {
        return tqa_json_malformed(scan, at, "a surrogate has no first half") != NULL;
    }
    if (is_high) {
        scan->surrogate = (uint16_t)code;
        scan->step = TQA_JSON_STEP_LOW_BACKSLASH;
        return true;
    }
    return keep_code(scan, code);
}

static bool step_hex(tqa_json_scan *scan, char c, uint64_t at)
{
    uint32_t digit;
    if (c >= '0' && c <= '9') {
        digit = (uint32_t)(c - '0');
    } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
        digit = (uint32_t)((c | 0x20) - 'a' + 10);
    } else {
        return tqa_json_malformed(scan, at, "\\u needs four hex digits") != NULL;
    }
    scan->code = scan->code << 4 | digit;
    return --scan->left != 0 || end_code(scan, at);
}

static bool step_escape(tqa_json_scan *scan, char c, uint64_t at)
{
    static const char escapes[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    scan->step = TQA_JSON_STEP_PLAIN;
    if (c == 'u') {
        scan->step = TQA_JSON_STEP_HEX;
        scan->left = 4;
        scan->code = 0;
        return true;
    }
    const char *found = c == '\0' ? NULL : strchr(escapes, c);
    if (found == NULL) {
        return tqa_json_malformed(scan, at, "there is no such escape in JSON") != NULL;
    }
    return tqa_json_keep(scan, &meanings[found - escapes], 1);
}

/* First byte of a character outside ASCII: how many follow, and what the next may be. */
static bool begin_utf8(tqa_json_scan *scan, char c, uint64_t at)
{
    const unsigned char u = (unsigned char)c;
    if (u < 0xc2 || u > 0xf4) {
        return tqa_json_malformed(scan, at, "the string is not valid UTF-8") != NULL;
    }
    scan->left = u >= 0xf0 ? 3 : u >= 0xe0 ? 2 : 1;
    scan->low = u == 0xe0 ? 0xa0 : u == 0xf0 ? 0x90 : 0x80;
    scan->high = u == 0xed ? 0x9f : u == 0xf4 ? 0x8f : 0xbf;
    scan->step = TQA_JSON_STEP_UTF8;
    return tqa_json_keep(scan, &c, 1);
}

static bool step_utf8(tqa_json_scan *scan, char c, uint64_t at)
{
    const unsigned char u = (unsigned char)c;
    if (u < scan->low || u > scan->high) {
        return tqa_json_malformed(scan, at, "the string is not valid UTF-8") != NULL;
    }
    scan->low = 0x80;
    scan->high = 0xbf;
    if (--scan->left == 0) {
        scan->step = TQA_JSON_STEP_PLAIN;
    }
    return tqa_json_keep(scan, &c, 1);
}

/* One byte of a string that is not plain ASCII. */
static bool step_string(tqa_json_scan *scan, char c, uint64_t at)
{
    switch (scan->step) {
    case TQA_JSON_STEP_UTF8:
        return step_utf8(scan, c, at);
    case TQA_JSON_STEP_ESCAPE:
        return step_escape(scan, c, at);
    case TQA_JSON_STEP_HEX:
        return step_hex(scan, c, at);
    case TQA_JSON_STEP_LOW_BACKSLASH:
    case TQA_JSON_STEP_LOW_U:
        if (c != (scan->step == TQA_JSON_STEP_LOW_BACKSLASH ? '\\' : 'u')) {
            return tqa_json_malformed(scan, at, "a surrogate has no second half") != NULL;
        }
        if (scan->step == TQA_JSON_STEP_LOW_BACKSLASH) {
            scan->step = TQA_JSON_STEP_LOW_U;
            return true;
        }
        return step_escape(scan, c, at);
    default:
        break;
    }
    if (c == '\\') {
        scan->step = TQA_JSON_STEP_ESCAPE;
        return true;
    }
    if ((unsigned char)c < 0x20) {
        return tqa_json_malformed(scan, at, "a control character in a string must be escaped") !=
               NULL;
    }
    return begin_utf8(scan, c, at);
}

const char *tqa_json_string_feed(tqa_json_scan *scan, const char *p, const char *end,
                                 const char *bytes, bool *ret_complete)
{
    while (p < end) {
        if (scan->step == TQA_JSON_STEP_PLAIN) {
            const char *q = p;
            while (q < end && *q != '"' && *q != '\\' && (unsigned char)*q >= 0x20 &&
                   (unsigned char)*q < 0x80) {
                q++;
            }
            if (!tqa_json_keep(scan, p, (size_t)(q - p))) {
                return NULL;
            }
            p = q;
            if (p == end) {
                break;
            }
            if (*p == '"') {
                *ret_complete = true;
                return p + 1;
            }
        }
        if (!step_string(scan, *p, scan->fed + (uint64_t)(p - bytes))) {
            return NULL;
        }
        p++;
    }
    return p;
}
