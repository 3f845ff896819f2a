/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/codec/json/test_scan.c - the same events for any split of the text; every error at
 * its byte. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/json/scan.h"
#include "api/codec/number/number.h"

enum { TRACE_MAX = 1 << 16 };

/* Events as text: numbers are logged one by one, independent of the split. */
typedef struct trace {
    char text[TRACE_MAX];
    size_t n;
    bool refuse; /* refuses the string "stop", the end after 13, and an array after [14] */
} trace;

static bool ends_with(const trace *t, const char *end)
{
    const size_t n = strlen(end);
    return t->n >= n && memcmp(t->text + t->n - n, end, n) == 0;
}

static bool note(trace *t, const char *what, const char *bytes, size_t n)
{
    t->n += (size_t)snprintf(t->text + t->n, sizeof t->text - t->n, "%s%.*s ", what, (int)n, bytes);
    cr_assert(lt(sz, t->n, sizeof t->text));
    return true;
}

static bool on_begin_map(void *ctx, uint64_t at)
{
    (void)at;
    return note(ctx, "{", "", 0);
}

static bool on_end_map(void *ctx, uint64_t at)
{
    (void)at;
    return note(ctx, "}", "", 0);
}

static bool on_key(void *ctx, uint64_t at, const char *text, size_t n)
{
    (void)at;
    return note(ctx, "k:", text, n);
}

static bool on_begin_array(void *ctx, uint64_t at)
{
    (void)at;
    const trace *t = ctx;
    const bool refuses = t->refuse && ends_with(t, "n:14 ] ");
    return note(ctx, "[", "", 0) && !refuses;
}

static bool on_end_array(void *ctx, uint64_t at)
{
    (void)at;
    const trace *t = ctx;
    const bool refuses = t->refuse && ends_with(t, "n:13 ");
    return note(ctx, "]", "", 0) && !refuses;
}

static bool on_number(void *ctx, uint64_t at, double value)
{
    (void)at;
    char text[40];
    const int n = snprintf(text, sizeof text, "%.17g", value);
    return note(ctx, "n:", text, (size_t)n);
}

static bool on_numbers(void *ctx, uint64_t at, const double *values, size_t n)
{
    cr_assert(gt(sz, n, 0));
    for (size_t i = 0; i < n; i++) {
        (void)on_number(ctx, at, values[i]);
    }
    return true;
}

static bool on_string(void *ctx, uint64_t at, const char *text, size_t n)
{
    (void)at;
    const trace *t = ctx;
    (void)note(ctx, "s:", text, n);
    return !(t->refuse && n == 4 && memcmp(text, "stop", 4) == 0);
}

static bool on_boolean(void *ctx, uint64_t at, bool value)
{
    (void)at;
    return note(ctx, value ? "true" : "false", "", 0);
}

static bool on_null(void *ctx, uint64_t at)
{
    (void)at;
    return note(ctx, "null", "", 0);
}

static const tqa_events events = {
    .begin_map = on_begin_map,
    .end_map = on_end_map,
    .key = on_key,
    .begin_array = on_begin_array,
    .end_array = on_end_array,
    .number = on_number,
    .numbers = on_numbers,
    .string = on_string,
    .boolean = on_boolean,
    .null = on_null,
};

/* Scans text split at `cut` (and, if step > 0, every `step` bytes). Pieces are copied to their
 * exact size, so that AddressSanitizer detects a read beyond one. */
static tqa_decode scan_cut(const char *text, size_t n, size_t cut, size_t step, trace *t,
                           tqa_decode_error *error)
{
    static tqa_json_scan scan;
    t->n = 0;
    t->text[0] = '\0';
    tqa_json_scan_init(&scan, &events, t);
    tqa_decode state = TQA_DECODE_OK;
    for (size_t at = 0; at < n && state == TQA_DECODE_OK;) {
        size_t piece = step > 0 ? step : (at < cut ? cut - at : n - at);
        piece = piece < n - at ? piece : n - at;
        char *copy = malloc(piece);
        memcpy(copy, text + at, piece);
        state = tqa_json_scan_feed(&scan, copy, piece);
        free(copy);
        at += piece;
    }
    if (state == TQA_DECODE_OK) {
        state = tqa_json_scan_finish(&scan);
    }
    *error = scan.error;
    return state;
}

/* The whole text, then every split in two, then pieces of 1, 2, 3 bytes: the same result. */
static tqa_decode scan_all(const char *text, size_t n, trace *t, tqa_decode_error *error)
{
    static trace other;
    tqa_decode_error other_error;
    other.refuse = t->refuse;
    const tqa_decode state = scan_cut(text, n, n, 0, t, error);
    for (size_t k = 1; k < n + 3; k++) {
        const size_t step = k >= n ? k - n + 1 : 0;
        const tqa_decode again = scan_cut(text, n, k, step, &other, &other_error);
        cr_assert(eq(int, (int)again, (int)state), "cut %zu: %s", k, text);
        cr_assert(eq(str, other.text, t->text), "cut %zu: %s", k, text);
        cr_assert(eq(u64, other_error.offset, error->offset), "cut %zu: %s", k, text);
    }
    return state;
}

/* room for the scanner of runs, which reads ahead */
#define ROOM "                                                "
_Static_assert(sizeof ROOM - 1 == TQA_NUMBER_AHEAD, "as far as a run reads");

/* clang-format off */
static const struct {
    const char *text, *expected;
} documents[] = {
    {"{}", "{ } "},
    {" [ ] ", "[ ] "},
    {"0", "n:0 "},
    {"-12.5e-1 ", "n:-1.25 "},
    {"true", "true "},
    {"null\n", "null "},
    {"[1,2 , 3]", "[ n:1 n:2 n:3 ] "},
    {"[[1.5,-0.0],[1e3,0.1]]", "[ [ n:1.5 n:-0 ] [ n:1000 n:0.10000000000000001 ] ] "},
    {"[[1,2],[3,4], [5] ,[6],[],[7]]" ROOM, "[ [ n:1 n:2 ] [ n:3 n:4 ] [ n:5 ] [ n:6 ] [ ] [ n:7 ] ] "},
    {"[[1],[\"a\"],[-2],[[3],[4]],[5,{}],[6]]" ROOM,
     "[ [ n:1 ] [ s:a ] [ n:-2 ] [ [ n:3 ] [ n:4 ] ] [ n:5 { } ] [ n:6 ] ] "},
    {"{\"a\":[1],\"b\":[[0.5],[1e22]]}" ROOM, "{ k:a [ n:1 ] k:b [ [ n:0.5 ] [ n:1e+22 ] ] } "},
    {"{\"a\":1,\"b\":[true,false,null,\"x\"],\"c\":{\"d\":\"e\"}}",
     "{ k:a n:1 k:b [ true false null s:x ] k:c { k:d s:e } } "},
    {"[1,\"a\",2,{},3]", "[ n:1 s:a n:2 { } n:3 ] "},
    {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "s:\"\\/\b\f\n\r\t "},
    {"\"\\u007f\\u0080\\u07ff\\u0800\\uffff\\ud800\\udc00\"",
     "s:\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80 "}, /* ends of lengths */
    {"\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\"", "s:A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 "},
    {"\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", "s:\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 "},
    {"\"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\x7f\"", "s:\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\x7f "},
    {"[5e-324,1.7976931348623157e308,1e-400]", "[ n:4.9406564584124654e-324 n:1.7976931348623157e+308 n:0 ] "},
    {"\t\r\n [\t\r\n 1\t\r\n ,\t\r\n 2\t\r\n ]\t\r\n ", "[ n:1 n:2 ] "},
};

static const struct {
    const char *text;
    tqa_decode state;
    uint64_t at;
} faults[] = {
    {"", TQA_DECODE_MALFORMED, 0},
    {"   ", TQA_DECODE_MALFORMED, 3},
    {"[1", TQA_DECODE_MALFORMED, 2},
    {"[1,", TQA_DECODE_MALFORMED, 3},
    {"[1,]", TQA_DECODE_MALFORMED, 3},
    {"[,1]", TQA_DECODE_MALFORMED, 1},
    {"[1 2]", TQA_DECODE_MALFORMED, 3},
    {"[1}", TQA_DECODE_MALFORMED, 2},
    {"{]", TQA_DECODE_MALFORMED, 1},
    {"[[1,],[2]]" ROOM, TQA_DECODE_MALFORMED, 4},
    {"[[1],[2],]" ROOM, TQA_DECODE_MALFORMED, 9},
    {"[[1],,[2]]" ROOM, TQA_DECODE_MALFORMED, 5},
    {"[[1],]2]" ROOM, TQA_DECODE_MALFORMED, 5},
    {"[[1][2]]" ROOM, TQA_DECODE_MALFORMED, 4},
    {"[[1],[02]]" ROOM, TQA_DECODE_MALFORMED, 6},
    {"[[1],[-]]" ROOM, TQA_DECODE_MALFORMED, 6},
    {"[[1],[2],[1e999]]" ROOM, TQA_DECODE_NOT_FINITE, 10},
    {"[1],[2]" ROOM, TQA_DECODE_MALFORMED, 3},
    {"{\"a\":[1],[2]}" ROOM, TQA_DECODE_MALFORMED, 9},
    {"[[1],[13],[2]]" ROOM, TQA_DECODE_REFUSED, 8},
    {"[[1],[14], [2]]" ROOM, TQA_DECODE_REFUSED, 11},
    {"{\"a\" 1}", TQA_DECODE_MALFORMED, 5},
    {"{\"a\":}", TQA_DECODE_MALFORMED, 5},
    {"{\"a\":1,}", TQA_DECODE_MALFORMED, 7},
    {"{\"a\":1", TQA_DECODE_MALFORMED, 6},
    {"{a:1}", TQA_DECODE_MALFORMED, 1},
    {"{1:1}", TQA_DECODE_MALFORMED, 1},
    {"[1]]", TQA_DECODE_MALFORMED, 3},
    {"[1] x", TQA_DECODE_MALFORMED, 4},
    {"{} {}", TQA_DECODE_MALFORMED, 3},
    {"[01]", TQA_DECODE_MALFORMED, 1},
    {"[+1]", TQA_DECODE_MALFORMED, 1},
    {"[.5]", TQA_DECODE_MALFORMED, 1},
    {"[1.]", TQA_DECODE_MALFORMED, 1},
    {"[1e]", TQA_DECODE_MALFORMED, 1},
    {"[-]", TQA_DECODE_MALFORMED, 1},
    {"[1.5.2]", TQA_DECODE_MALFORMED, 4},
    {"[0x10]", TQA_DECODE_MALFORMED, 2},
    {"[1_000]", TQA_DECODE_MALFORMED, 2},
    {"[NaN]", TQA_DECODE_MALFORMED, 1},
    {"[Infinity]", TQA_DECODE_MALFORMED, 1},
    {"[-Infinity]", TQA_DECODE_MALFORMED, 1},
    {"[nan]", TQA_DECODE_MALFORMED, 1},
    {"[1e999]", TQA_DECODE_NOT_FINITE, 1},
    {"[1,2,-1e999,3]", TQA_DECODE_NOT_FINITE, 5},
    {"1e999", TQA_DECODE_NOT_FINITE, 0},
    {"[True]", TQA_DECODE_MALFORMED, 1},
    {"[truex]", TQA_DECODE_MALFORMED, 1},
    {"[tru]", TQA_DECODE_MALFORMED, 1},
    {"tr", TQA_DECODE_MALFORMED, 0},
    {"[undefinedundefinedundefined]", TQA_DECODE_MALFORMED, 1},
    {"'a'", TQA_DECODE_MALFORMED, 0},
    {"/**/1", TQA_DECODE_MALFORMED, 0},
    {"\xef\xbb\xbf{}", TQA_DECODE_MALFORMED, 0},
    {"\"a", TQA_DECODE_MALFORMED, 2},
    {"\"a\nb\"", TQA_DECODE_MALFORMED, 2},
    {"\"\\x41\"", TQA_DECODE_MALFORMED, 2},
    {"\"\\u00g0\"", TQA_DECODE_MALFORMED, 5},
    {"\"\\ud83d\"", TQA_DECODE_MALFORMED, 7},
    {"\"\\ud83dx\"", TQA_DECODE_MALFORMED, 7},
    {"\"\\ud83d\\n\"", TQA_DECODE_MALFORMED, 8},
    {"\"\\ud83d\\u0041\"", TQA_DECODE_MALFORMED, 12},
    {"\"\\ude00\"", TQA_DECODE_MALFORMED, 6},
    {"\"\xff\"", TQA_DECODE_MALFORMED, 1},
    {"\"\xc0\x80\"", TQA_DECODE_MALFORMED, 1},
    {"\"\xe0\x80\x80\"", TQA_DECODE_MALFORMED, 2},
    {"\"\xed\xa0\x80\"", TQA_DECODE_MALFORMED, 2},
    {"\"\xf4\x90\x80\x80\"", TQA_DECODE_MALFORMED, 2},
    {"\"\xe2\x82\"", TQA_DECODE_MALFORMED, 3},
    {"[\"a\",\"stop\",1]", TQA_DECODE_REFUSED, 5},
};
/* clang-format on */

Test(json_scan, documents_have_the_same_events_at_every_cut)
{
    static trace t;
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        tqa_decode_error error;
        const char *text = documents[i].text;
        cr_assert(eq(int, (int)scan_all(text, strlen(text), &t, &error), TQA_DECODE_OK), "%s: %s",
                  text, error.detail);
        cr_assert(eq(str, t.text, (char *)documents[i].expected), "%s", text);
    }
}

Test(json_scan, faults_are_found_at_their_byte_at_every_cut)
{
    static trace t = {.refuse = true};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        tqa_decode_error error;
        const char *text = faults[i].text;
        cr_assert(eq(int, (int)scan_all(text, strlen(text), &t, &error), (int)faults[i].state),
                  "%s", text);
        cr_assert(eq(u64, error.offset, faults[i].at), "%s: %s", text, error.detail);
        cr_assert(eq(int, error.detail == NULL, faults[i].state == TQA_DECODE_REFUSED), "%s", text);
    }
}

/* RFC 8259, 6: "numeric values that cannot be represented ... (such as Infinity and NaN) are not
 * permitted": the error names them; and section 3: literal names are true, false and null */
Test(json_scan, invalid_values_are_described)
{
    static const char number[] = "NaN", word[] = "true, false or null", other[] = "a value was";
    static const struct {
        const char *text, *part;
    } words[] = {
        {"[NaN]", number}, {"[Infinity]", number}, {"[nul]", word},   {"[True]", word},
        {"[x]", word},     {"[undefined]", word},  {"[z]", word},     {"[a]", word},
        {"[A]", word},     {"[Z]", word},          {"[+1]", other},   {"['a']", other},
        {"[,]", other},    {"[@]", other},         {"[`]", other},    {"[~]", other},
        {"[:]", other},    {"[\\\"a\"]", other},   {"[\x80]", other}, {"[^]", other},
    };
    static trace t;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        tqa_decode_error error;
        const char *text = words[i].text;
        (void)scan_all(text, strlen(text), &t, &error);
        cr_assert(strstr(error.detail, words[i].part) != NULL, "%s: %s", text, error.detail);
    }
}

/* a NUL byte cannot be in the tables above */
Test(json_scan, nul_bytes_are_refused_or_kept)
{
    static trace t;
    tqa_decode_error error;
    cr_assert(eq(int, (int)scan_all("[1,\0]", 5, &t, &error), TQA_DECODE_MALFORMED));
    cr_assert(eq(u64, error.offset, 3));
    cr_assert(eq(int, (int)scan_all("\"\0\"", 3, &t, &error), TQA_DECODE_MALFORMED));
    cr_assert(eq(int, (int)scan_all("\"\\\0\"", 4, &t, &error), TQA_DECODE_MALFORMED));
}

/* Long enough for several stages of the number scanner. */
Test(json_scan, long_runs_of_numbers_are_complete)
{
    static trace t;
    static char text[4096], expected[8192];
    tqa_decode_error error;
    size_t n = 0, m = 0;
    n += (size_t)snprintf(text, sizeof text, "[");
    m += (size_t)snprintf(expected, sizeof expected, "[ ");
    for (int i = 0; i < 300; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%d", i > 0 ? "," : "", i * 37);
        m += (size_t)snprintf(expected + m, sizeof expected - m, "n:%d ", i * 37);
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "]");
    (void)snprintf(expected + m, sizeof expected - m, "] ");
    cr_assert(eq(int, (int)scan_all(text, n, &t, &error), TQA_DECODE_OK));
    cr_assert(eq(str, t.text, expected));
}

Test(json_scan, depth_and_length_are_bounded)
{
    static trace t;
    static char text[100000];
    tqa_decode_error error;
    memset(text, '[', sizeof text);
    cr_assert(eq(int, (int)scan_cut(text, sizeof text, 50, 0, &t, &error), TQA_DECODE_LIMIT));
    cr_assert(eq(u64, error.offset, TQA_EVENT_DEPTH_MAX));
    memset(text + TQA_EVENT_DEPTH_MAX, ']', TQA_EVENT_DEPTH_MAX);
    cr_assert(
        eq(int, (int)scan_cut(text, 2 * TQA_EVENT_DEPTH_MAX, 50, 0, &t, &error), TQA_DECODE_OK));
    /* a string and a number of the maximum length, then one byte more, whole and split */
    for (size_t more = 0; more < 2; more++) {
        const tqa_decode wanted = more == 0 ? TQA_DECODE_OK : TQA_DECODE_LIMIT;
        const size_t n = TQA_EVENT_TEXT_MAX + more;
        for (size_t cut = 100; cut <= n + 2; cut += n - 98) {
            memset(text, 'a', sizeof text);
            text[0] = '"';
            text[n + 1] = '"';
            cr_assert(eq(int, (int)scan_cut(text, n + 2, cut, 0, &t, &error), (int)wanted));
            cr_assert(eq(int, t.n > 0, more == 0), "one too long is not passed on");
            memset(text, '1', sizeof text);
            text[0] = '[';
            text[2] = '.';
            text[n + 1] = ']';
            cr_assert(eq(int, (int)scan_cut(text, n + 2, cut, 0, &t, &error), (int)wanted));
        }
    }
}
