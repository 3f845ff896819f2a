/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/json/scan.c - a resumable state machine; a token split by a piece's end is buffered. */
#include "api/codec/json/scan.h"

#include <assert.h>
#include <string.h>

#include "api/codec/json/scan_private.h"
#include "api/codec/number/number.h"

enum { STAGE = 64 }; /* numbers of one event: 512 bytes, in the L1 cache */

/* token expected next */
enum {
    EXPECT_VALUE,
    EXPECT_VALUE_OR_END, /* after '[' */
    EXPECT_KEY,
    EXPECT_KEY_OR_END, /* after '{' */
    EXPECT_COLON,
    EXPECT_COMMA_OR_END,
    EXPECT_NOTHING, /* the document is complete */
};

enum { TOKEN_NONE, TOKEN_NUMBER, TOKEN_WORD, TOKEN_KEY, TOKEN_STRING };

static const char no_comma[] = "a ',' or the end of the array or object was expected";

void tqa_json_scan_init(tqa_json_scan *scan, const tqa_events *events, void *ctx)
{
    assert(scan != NULL && events != NULL);
    scan->events = events;
    scan->ctx = ctx;
    scan->fed = 0;
    scan->at = 0;
    scan->is_map = 0;
    scan->depth = 0;
    scan->expect = EXPECT_VALUE;
    scan->token = TOKEN_NONE;
    scan->step = TQA_JSON_STEP_PLAIN;
    scan->left = 0;
    scan->low = scan->high = 0;
    scan->surrogate = 0;
    scan->code = 0;
    scan->state = TQA_DECODE_OK;
    scan->error = (tqa_decode_error){0};
    scan->n_text = 0;
}

/* Handles the return value of a callback. */
static const char *on_event(tqa_json_scan *scan, bool accepted, uint64_t at, const char *p)
{
    return accepted ? p : tqa_json_fail(scan, TQA_DECODE_REFUSED, at, NULL);
}

static void value_done(tqa_json_scan *scan)
{
    scan->expect = scan->depth == 0 ? EXPECT_NOTHING : EXPECT_COMMA_OR_END;
}

static bool in_map(const tqa_json_scan *scan)
{
    return (scan->is_map >> (scan->depth - 1) & 1u) != 0;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool starts_number(char c)
{
    return c == '-' || (c >= '0' && c <= '9');
}

static bool in_number(char c)
{
    return starts_number(c) || c == '.' || c == 'e' || c == 'E' || c == '+';
}

static const char *number_fault(tqa_json_scan *scan, tqa_number fault, uint64_t at)
{
    if (fault == TQA_NUMBER_OVERFLOW) {
        return tqa_json_fail(scan, TQA_DECODE_NOT_FINITE, at,
                             "the number is too large for a double");
    }
    return tqa_json_malformed(scan, at, "this is no JSON number (and JSON has no infinities)");
}

/* ------------------------------------------------------------------------------------------------
 * Tokens that the end of a piece may split: their bytes are collected in scan->text.
 */

static const char *begin_token(tqa_json_scan *scan, uint8_t token, uint64_t at, const char *p)
{
    scan->token = token;
    scan->at = at;
    scan->n_text = 0;
    return p;
}

/* The buffered text holds the whole number, perhaps followed by other characters. */
static const char *end_number(tqa_json_scan *scan, const char *p)
{
    double value = 0.0;
    const char *rest = scan->text;
    scan->token = TOKEN_NONE;
    scan->text[scan->n_text] = ' ';
    const tqa_number state = tqa_number_scan(&rest, scan->text + scan->n_text + 1, &value);
    if (state != TQA_NUMBER_OK) {
        return number_fault(scan, state, scan->at);
    }
    value_done(scan);
    if (!scan->events->number(scan->ctx, scan->at, value)) {
        return tqa_json_fail(scan, TQA_DECODE_REFUSED, scan->at, NULL);
    }
    const size_t n = (size_t)(rest - scan->text);
    return n == scan->n_text ? p : tqa_json_malformed(scan, scan->at + n, no_comma);
}

static const char *resume_number(tqa_json_scan *scan, const char *p, const char *end)
{
    const char *q = p;
    while (q < end && in_number(*q)) {
        q++;
    }
    if (!tqa_json_keep(scan, p, (size_t)(q - p))) {
        return NULL;
    }
    return q < end ? end_number(scan, q) : q;
}

static const char *end_word(tqa_json_scan *scan, const char *p)
{
    static const char names[] = "the word is not true, false or null";
    static const char whole[] = "the body is not JSON: it begins with a word";
    const char *text = scan->text;
    const size_t n = scan->n_text;
    scan->token = TOKEN_NONE;
    value_done(scan);
    if (n == 4 && memcmp(text, "true", 4) == 0) {
        return on_event(scan, scan->events->boolean(scan->ctx, scan->at, true), scan->at, p);
    }
    if (n == 5 && memcmp(text, "false", 5) == 0) {
        return on_event(scan, scan->events->boolean(scan->ctx, scan->at, false), scan->at, p);
    }
    if (n == 4 && memcmp(text, "null", 4) == 0) {
        return on_event(scan, scan->events->null(scan->ctx, scan->at), scan->at, p);
    }
    if (n >= 1 && (text[0] == 'N' || text[0] == 'I')) {
        return tqa_json_malformed(scan, scan->at, "JSON has no NaN and no infinities");
    }
    return tqa_json_malformed(scan, scan->at, scan->at == 0 ? whole : names);
}

static const char *resume_word(tqa_json_scan *scan, const char *p, const char *end)
{
    /* 16 bytes suffice to distinguish all words */
    while (p < end && ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z'))) {
        if (scan->n_text < 16) {
            scan->text[scan->n_text++] = *p;
        }
        p++;
    }
    return p < end ? end_word(scan, p) : p;
}

static const char *end_string(tqa_json_scan *scan, const char *p)
{
    const bool is_key = scan->token == TOKEN_KEY;
    scan->token = TOKEN_NONE;
    if (is_key) {
        scan->expect = EXPECT_COLON;
    } else {
        value_done(scan);
    }
    bool (*report)(void *, uint64_t, const char *, size_t) =
        is_key ? scan->events->key : scan->events->string;
    return on_event(scan, report(scan->ctx, scan->at, scan->text, scan->n_text), scan->at, p);
}

static const char *resume_string(tqa_json_scan *scan, const char *p, const char *end,
                                 const char *bytes)
{
    bool complete = false;
    p = tqa_json_string_feed(scan, p, end, bytes, &complete);
    return complete ? end_string(scan, p) : p;
}

/* ------------------------------------------------------------------------------------------------
 * Structure
 */

static const char *open_level(tqa_json_scan *scan, bool is_map, uint64_t at, const char *p)
{
    if (scan->depth == TQA_EVENT_DEPTH_MAX) {
        return tqa_json_fail(scan, TQA_DECODE_LIMIT, at, "brackets are nested too deeply");
    }
    const uint32_t bit = 1u << scan->depth++;
    scan->is_map = is_map ? scan->is_map | bit : scan->is_map & ~bit;
    scan->expect = is_map ? EXPECT_KEY_OR_END : EXPECT_VALUE_OR_END;
    const tqa_events *events = scan->events;
    return on_event(scan,
                    is_map ? events->begin_map(scan->ctx, at) : events->begin_array(scan->ctx, at),
                    at, p);
}

static const char *close_level(tqa_json_scan *scan, char c, uint64_t at, const char *p)
{
    const bool is_map = in_map(scan);
    if (is_map != (c == '}')) {
        return tqa_json_malformed(scan, at, is_map ? "a '}' is missing" : "a ']' is missing");
    }
    scan->depth--;
    value_done(scan);
    const tqa_events *events = scan->events;
    return on_event(
        scan, is_map ? events->end_map(scan->ctx, at) : events->end_array(scan->ctx, at), at, p);
}

/* After a number of an array: true when another number starts at *p. False leaves the rest to
 * scan_structure. */
static bool next_number(tqa_json_scan *scan, const char **p, const char *end)
{
    const char *q = *p;
    while (q < end && is_space(*q)) {
        q++;
    }
    if (q == end || *q != ',') {
        *p = q;
        return false;
    }
    q++;
    while (q < end && is_space(*q)) {
        q++;
    }
    *p = q;
    scan->expect = EXPECT_VALUE;
    return q < end && starts_number(*q);
}

/* From the end of an array of numbers to the first number of the next one, "],[" or "], [" between
 * arrays of one array. False: anything else, left to scan_structure, or refused. */
static bool next_row(tqa_json_scan *scan, const char **p, const char *end, const char *bytes)
{
    const char *q = *p;
    if (scan->expect != EXPECT_COMMA_OR_END || scan->depth < 2 ||
        (scan->is_map >> (scan->depth - 2) & 1u) != 0 || end - q < 5 || q[0] != ']' ||
        q[1] != ',') {
        return false;
    }
    q += q[2] == ' ' ? 3 : 2;
    if (*q != '[' || !starts_number(q[1])) {
        return false;
    }
    const uint64_t at = scan->fed + (uint64_t)(*p - bytes);
    const uint64_t opens = scan->fed + (uint64_t)(q - bytes);
    if (!scan->events->end_array(scan->ctx, at)) {
        (void)tqa_json_fail(scan, TQA_DECODE_REFUSED, at, NULL);
    } else if (!scan->events->begin_array(scan->ctx, opens)) {
        (void)tqa_json_fail(scan, TQA_DECODE_REFUSED, opens, NULL);
    }
    *p = q + 1;
    scan->expect = EXPECT_VALUE;
    return scan->state == TQA_DECODE_OK;
}

/* A run of numbers, passed on in stages, and those of the arrays after it. */
static const char *scan_numbers(tqa_json_scan *scan, const char *p, const char *end,
                                const char *bytes)
{
    const bool in_array = scan->depth > 0 && !in_map(scan);
    const size_t most = in_array ? STAGE : 1;
    double stage[STAGE];
    tqa_number state = TQA_NUMBER_OK;
    bool more = true;
    while (more) {
        const uint64_t at = scan->fed + (uint64_t)(p - bytes);
        size_t n = 0;
        while (more && n < most) {
            const char *const start = p;
            const size_t n_run = tqa_number_run(&p, end, most - n, stage + n, 1);
            state = n_run > 0 ? TQA_NUMBER_OK : tqa_number_scan(&p, end, &stage[n]);
            if (state != TQA_NUMBER_OK) {
                break;
            }
            if (n_run == 0 && p - start > TQA_EVENT_TEXT_MAX) {
                return tqa_json_fail(scan, TQA_DECODE_LIMIT, scan->fed + (uint64_t)(start - bytes),
                                     TQA_JSON_TOO_LONG);
            }
            n += n_run > 0 ? n_run : 1;
            value_done(scan);
            more = in_array && next_number(scan, &p, end);
        }
        if (n > 0 && !(in_array ? scan->events->numbers(scan->ctx, at, stage, n)
                                : scan->events->number(scan->ctx, at, stage[0]))) {
            return tqa_json_fail(scan, TQA_DECODE_REFUSED, at, NULL);
        }
        more = state == TQA_NUMBER_OK && (more || next_row(scan, &p, end, bytes));
        if (scan->state != TQA_DECODE_OK) {
            return NULL;
        }
    }
    const uint64_t at = scan->fed + (uint64_t)(p - bytes);
    if (state == TQA_NUMBER_INCOMPLETE) {
        scan->expect = EXPECT_VALUE;
        (void)begin_token(scan, TOKEN_NUMBER, at, p);
        return resume_number(scan, p, end);
    }
    return state == TQA_NUMBER_OK ? p : number_fault(scan, state, at);
}

static const char *scan_value(tqa_json_scan *scan, const char *p, const char *end,
                              const char *bytes)
{
    const uint64_t at = scan->fed + (uint64_t)(p - bytes);
    const char c = *p;
    if (starts_number(c)) {
        return scan_numbers(scan, p, end, bytes);
    }
    if (c == '[' || c == '{') {
        return open_level(scan, c == '{', at, p + 1);
    }
    if (c == '"') {
        scan->step = TQA_JSON_STEP_PLAIN;
        return begin_token(scan, TOKEN_STRING, at, p + 1);
    }
    if (c == ']' && scan->expect == EXPECT_VALUE_OR_END) {
        return close_level(scan, c, at, p + 1);
    }
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
        return begin_token(scan, TOKEN_WORD, at, p);
    }
    return tqa_json_malformed(scan, at, "a value was expected");
}

static bool is_plain(char c)
{
    return c >= ' ' && c != '"' && c != '\\' && c < 0x7f;
}

/* A key whose opening quote is at `at`. In the common case (no escapes, whole in this piece, colon
 * directly after it) it is passed on without a copy. */
static const char *scan_key(tqa_json_scan *scan, const char *p, const char *end, uint64_t at)
{
    const char *q = p;
    while (q < end && is_plain(*q)) {
        q++;
    }
    if (end - q < 2 || q[0] != '"' || q[1] != ':' || q - p > TQA_EVENT_TEXT_MAX) {
        scan->step = TQA_JSON_STEP_PLAIN;
        return begin_token(scan, TOKEN_KEY, at, p);
    }
    scan->expect = EXPECT_VALUE;
    return on_event(scan, scan->events->key(scan->ctx, at, p, (size_t)(q - p)), at, q + 2);
}

/* One step at a byte that is not white space, between tokens. */
static const char *scan_structure(tqa_json_scan *scan, const char *p, const char *end,
                                  const char *bytes)
{
    const uint64_t at = scan->fed + (uint64_t)(p - bytes);
    switch (scan->expect) {
    case EXPECT_VALUE:
    case EXPECT_VALUE_OR_END:
        return scan_value(scan, p, end, bytes);
    case EXPECT_KEY:
    case EXPECT_KEY_OR_END:
        if (*p == '"') {
            return scan_key(scan, p + 1, end, at);
        }
        if (*p == '}' && scan->expect == EXPECT_KEY_OR_END) {
            return close_level(scan, *p, at, p + 1);
        }
        return tqa_json_malformed(scan, at, "a name in quotes was expected");
    case EXPECT_COLON:
        if (*p != ':') {
            return tqa_json_malformed(scan, at, "a ':' was expected");
        }
        scan->expect = EXPECT_VALUE;
        return p + 1;
    case EXPECT_COMMA_OR_END:
        if (*p == ',') {
            scan->expect = in_map(scan) ? EXPECT_KEY : EXPECT_VALUE;
            return p + 1;
        }
        if (*p == ']' || *p == '}') {
            return close_level(scan, *p, at, p + 1);
        }
        return tqa_json_malformed(scan, at, no_comma);
    default:
        return tqa_json_malformed(scan, at, "there is something after the end of the document");
    }
}

tqa_decode tqa_json_scan_feed(tqa_json_scan *scan, const char *bytes, size_t n)
{
    assert(scan != NULL && (bytes != NULL || n == 0));
    const char *p = bytes;
    const char *const end = n > 0 ? bytes + n : bytes;
    while (scan->state == TQA_DECODE_OK && p != end) {
        switch (scan->token) {
        case TOKEN_NUMBER:
            p = resume_number(scan, p, end);
            break;
        case TOKEN_WORD:
            p = resume_word(scan, p, end);
            break;
        case TOKEN_KEY:
        case TOKEN_STRING:
            p = resume_string(scan, p, end, bytes);
            break;
        default:
            if (is_space(*p)) {
                p++;
            } else {
                p = scan_structure(scan, p, end, bytes);
            }
            break;
        }
    }
    scan->fed += n;
    return scan->state;
}

tqa_decode tqa_json_scan_finish(tqa_json_scan *scan)
{
    assert(scan != NULL);
    if (scan->state != TQA_DECODE_OK) {
        return scan->state;
    }
    /* only a number or word at the root can be ended by the input's end */
    if (scan->token == TOKEN_NUMBER) {
        (void)end_number(scan, scan->text);
    } else if (scan->token == TOKEN_WORD) {
        (void)end_word(scan, scan->text);
    }
    if (scan->state == TQA_DECODE_OK && scan->expect != EXPECT_NOTHING) {
        (void)tqa_json_malformed(scan, scan->fed, "the document ends too early");
    }
    return scan->state;
}
