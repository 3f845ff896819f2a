/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/codec/cbor/test_cbor.c - CBOR: events for any split into pieces, and errors. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/cbor/cbor.h"

enum { TRACE_MAX = 20000, BYTES_MAX = 9000 };

/* Events as text: "{key:1 'text' [2 3 ]} " */
typedef struct trace {
    char text[TRACE_MAX];
    size_t n;
    size_t refuse_after; /* bytes of trace; 0: never */
} trace;

static bool add(trace *t, const char *text, size_t n)
{
    cr_assert(lt(sz, t->n + n, TRACE_MAX));
    memcpy(t->text + t->n, text, n);
    t->n += n;
    t->text[t->n] = '\0';
    return t->refuse_after == 0 || t->n <= t->refuse_after;
}

static bool on_begin_map(void *ctx, uint64_t at)
{
    (void)at;
    return add(ctx, "{", 1);
}
static bool on_end_map(void *ctx, uint64_t at)
{
    (void)at;
    return add(ctx, "} ", 2);
}
static bool on_key(void *ctx, uint64_t at, const char *text, size_t n)
{
    (void)at;
    return add(ctx, text, n) && add(ctx, ":", 1);
}
static bool on_begin_array(void *ctx, uint64_t at)
{
    (void)at;
    return add(ctx, "[", 1);
}
static bool on_end_array(void *ctx, uint64_t at)
{
    (void)at;
    return add(ctx, "] ", 2);
}
static bool on_number(void *ctx, uint64_t at, double value)
{
    char text[40];
    (void)at;
    return add(ctx, text, (size_t)snprintf(text, sizeof text, "%.17g ", value));
}
static bool on_numbers(void *ctx, uint64_t at, const double *values, size_t n)
{
    cr_assert(gt(sz, n, 0));
    bool more = true;
    for (size_t i = 0; i < n; i++) {
        more = on_number(ctx, at, values[i]) && more;
    }
    return more;
}
static bool on_string(void *ctx, uint64_t at, const char *text, size_t n)
{
    (void)at;
    return add(ctx, "'", 1) && add(ctx, text, n) && add(ctx, "' ", 2);
}
static bool on_boolean(void *ctx, uint64_t at, bool value)
{
    (void)at;
    return add(ctx, value ? "T " : "F ", 2);
}
static bool on_null(void *ctx, uint64_t at)
{
    (void)at;
    return add(ctx, "N ", 2);
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

static tqa_decode decode(const char *bytes, size_t n, size_t piece, trace *t,
                         tqa_decode_error *reterr)
{
    static tqa_cbor_decoder decoder;
    t->n = 0;
    t->text[0] = '\0';
    tqa_cbor_decoder_init(&decoder, &events, t);
    for (size_t i = 0; i < n; i += piece) {
        const size_t size = n - i < piece ? n - i : piece;
        char *copy = malloc(size); /* exact size: AddressSanitizer detects a read beyond it */
        memcpy(copy, bytes + i, size);
        (void)tqa_cbor_decoder_feed(&decoder, copy, size);
        free(copy);
    }
    const tqa_decode status = tqa_cbor_decoder_finish(&decoder);
    *reterr = decoder.error;
    return status;
}

static size_t from_hex(const char *hex, char *bytes)
{
    size_t n = 0;
    for (const char *s = hex; *s != '\0'; s++) {
        if (*s != ' ') {
            const char pair[] = {s[0], s[1], '\0'};
            bytes[n++] = (char)strtol(pair, NULL, 16);
            s++;
        }
    }
    return n;
}

typedef struct row {
    const char *hex;
    const char *trace;
} row;

/* RFC 8949 appendix A, then RFC 8746 */
static const row accepted[] = {
    {"00", "0 "},
    {"17", "23 "},
    {"1818", "24 "},
    {"1903e8", "1000 "},
    {"1a000f4240", "1000000 "},
    {"1b000000e8d4a51000", "1000000000000 "},
    {"1bffffffffffffffff", "1.8446744073709552e+19 "},
    {"3bffffffffffffffff", "-1.8446744073709552e+19 "},
    {"20", "-1 "},
    {"3863", "-100 "},
    {"3903e7", "-1000 "},
    {"3a000f423f", "-1000000 "},
    {"f90000", "0 "},
    {"f98000", "-0 "},
    {"f93e00", "1.5 "},
    {"f97bff", "65504 "},
    {"f90001", "5.9604644775390625e-08 "},
    {"fa47c35000", "100000 "},
    {"fb3ff199999999999a", "1.1000000000000001 "},
    {"fbc010666666666666", "-4.0999999999999996 "},
    {"f4", "F "},
    {"f5", "T "},
    {"f6", "N "},
    {"60", "'' "},
    {"6449455446", "'IETF' "},
    {"62c3bc", "'\xc3\xbc' "},
    {"64f0908591", "'\xf0\x90\x85\x91' "},
    {"80", "[] "},
    {"83010203", "[1 2 3 ] "},
    {"8301820203820405", "[1 [2 3 ] [4 5 ] ] "},
    {"a0", "{} "},
    {"a26161016162820203", "{a:1 b:[2 3 ] } "},
    {"826161a161626163", "['a' {b:'c' } ] "},
    {"7f657374726561646d696e67ff", "'streaming' "},
    {"7fff", "'' "},
    {"9fff", "[] "},
    {"9f018202039f0405ffff", "[1 [2 3 ] [4 5 ] ] "},
    {"bf61610161629f0203ffff", "{a:1 b:[2 3 ] } "},
    {"bf7f6161ff016000ff", "{a:1 :0 } "},
    {"d9d9f783010203", "[1 2 3 ] "},
    /* typed arrays: [1, -2] or [1, 254] */
    {"d840 42 01fe", "[1 254 ] "},
    {"d844 42 01fe", "[1 254 ] "},
    {"d848 42 01fe", "[1 -2 ] "},
    {"d841 44 000100fe", "[1 254 ] "},
    {"d845 44 0100fe00", "[1 254 ] "},
    {"d849 44 0001fffe", "[1 -2 ] "},
    {"d84d 44 0100feff", "[1 -2 ] "},
    {"d84e 48 01000000feffffff", "[1 -2 ] "},
    {"d84b 50 0000000000000001fffffffffffffffe", "[1 -2 ] "},
    {"d850 44 3c00c000", "[1 -2 ] "},
    {"d851 48 3f800000c0000000", "[1 -2 ] "},
    {"d852 50 3ff0000000000000c000000000000000", "[1 -2 ] "},
    {"d854 44 003c00c0", "[1 -2 ] "},
    {"d855 48 0000803f000000c0", "[1 -2 ] "},
    {"d856 50 000000000000f03f00000000000000c0", "[1 -2 ] "},
    {"d856 40", "[] "},
    {"d841 5f 41 00 42 0100 40 41 fe ff", "[1 254 ] "},
    {"d856 5fff", "[] "},
    {"82 d840 420102 05", "[[1 2 ] 5 ] "},
    /* RFC 8746, 3.1.1 */
    {"d828 82 82 02 03 d841 4c 0002 0004 0008 0004 0010 0100", "[[2 4 8 ] [4 16 256 ] ] "},
    {"d828 9f 9f 02 03 ff d840 5f 43 020408 43 010203 ff ff", "[[2 4 8 ] [1 2 3 ] ] "},
    {"d828 82 83 02 01 02 d840 44 01020304", "[[[1 2 ] ] [[3 4 ] ] ] "},
    {"d828 82 81 03 d840 43 010203", "[1 2 3 ] "},
    {"d828 82 82 00 07 d840 40", "[] "},
    {"a2 6171 d828 82 82 02 01 d840 42 0102 626b64 f6", "{q:[[1 ] [2 ] ] kd:N } "},
};

Test(cbor, accepted_in_any_pieces)
{
    static trace t;
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        char bytes[128];
        const size_t n = from_hex(accepted[i].hex, bytes);
        for (size_t piece = 1; piece <= n; piece++) {
            tqa_decode_error error;
            const tqa_decode status = decode(bytes, n, piece, &t, &error);
            cr_assert(eq(int, (int)status, TQA_DECODE_OK), "%s: %s", accepted[i].hex, error.detail);
            cr_assert(eq(str, t.text, (char *)accepted[i].trace), "%s", accepted[i].hex);
        }
        /* every truncation is an error, and so is an additional byte */
        tqa_decode_error error;
        for (size_t cut = 0; cut < n; cut++) {
            cr_assert(eq(int, (int)decode(bytes, cut, 3, &t, &error), TQA_DECODE_MALFORMED),
                      "%s cut at %zu", accepted[i].hex, cut);
        }
        for (int more = 0; more < 256; more += 5) {
            bytes[n] = (char)more;
            cr_assert(ne(int, (int)decode(bytes, n + 1, 3, &t, &error), TQA_DECODE_OK),
                      "%s and %02x", accepted[i].hex, (unsigned)more);
        }
    }
}

static const struct {
    const char *hex;
    tqa_decode status;
    uint64_t offset;
} refused[] = {
    {"ff", TQA_DECODE_MALFORMED, 0},
    {"1c", TQA_DECODE_MALFORMED, 0},
    {"8201 ff", TQA_DECODE_MALFORMED, 2},
    {"bf6161ff", TQA_DECODE_MALFORMED, 3}, /* a key without its value */
    {"a1 6161 ff", TQA_DECODE_MALFORMED, 3},
    {"f97c00", TQA_DECODE_NOT_FINITE, 0},
    {"8200 fa7fc00000", TQA_DECODE_NOT_FINITE, 2},
    {"fbfff0000000000000", TQA_DECODE_NOT_FINITE, 0},
    {"62c328", TQA_DECODE_MALFORMED, 0},
    {"61ff", TQA_DECODE_MALFORMED, 0},
    {"62c080", TQA_DECODE_MALFORMED, 0},        /* overlong */
    {"63eda080", TQA_DECODE_MALFORMED, 0},      /* surrogate */
    {"64f4908080", TQA_DECODE_MALFORMED, 0},    /* above U+10FFFF */
    {"7f61c3 61bcff", TQA_DECODE_MALFORMED, 1}, /* each chunk must be valid UTF-8 */
    {"7f01ff", TQA_DECODE_MALFORMED, 1},
    {"7f7fffff", TQA_DECODE_MALFORMED, 1},
    {"0000", TQA_DECODE_MALFORMED, 1},
    {"d856 49 000000000000000000", TQA_DECODE_MALFORMED, 12},
    {"d856 00", TQA_DECODE_MALFORMED, 2},
    {"d856 5f 5f ff ff", TQA_DECODE_MALFORMED, 3},
    {"d856 5f 00 ff", TQA_DECODE_MALFORMED, 3},
    {"d856 5c", TQA_DECODE_MALFORMED, 2},
    {"d856 50 000000000000f03f000000000000f07f", TQA_DECODE_NOT_FINITE, 11},
    {"d828 82 82 02 03 d840 45 0102030405", TQA_DECODE_MALFORMED, 14},
    {"d828 82 82 02 03 d840 47 01020304050607", TQA_DECODE_MALFORMED, 15},
    {"d828 83 82 02 03 d840 46 010203040506 00", TQA_DECODE_MALFORMED, 2},
    {"d828 9f 82 02 03 d840 46 010203040506 00 ff", TQA_DECODE_MALFORMED, 15},
    {"d828 82 82 20 03 d840 40", TQA_DECODE_MALFORMED, 4},
    {"d828 82 06 d840 40", TQA_DECODE_MALFORMED, 3},
    {"d828 82 82 1a80000000 1a80000000 d840 40", TQA_DECODE_MALFORMED, 17},
    /* well-formed, but not accepted */
    {"a10102", TQA_DECODE_LIMIT, 1},
    {"a1 4161 02", TQA_DECODE_LIMIT, 1},
    {"43010203", TQA_DECODE_LIMIT, 0},
    {"f7", TQA_DECODE_LIMIT, 0},
    {"c11a514b67b0", TQA_DECODE_LIMIT, 0},
    {"c249010000000000000000", TQA_DECODE_LIMIT, 0},
    {"81 d9d9f7 01", TQA_DECODE_LIMIT, 1},
    {"d84c 4100", TQA_DECODE_LIMIT, 0},
    {"d853 40", TQA_DECODE_LIMIT, 0},
    {"d857 40", TQA_DECODE_LIMIT, 0},
    {"d90410 82 82 02 03 d840 46 010203040506", TQA_DECODE_LIMIT, 0},
    {"d828 82 82 02 02 84 01020304", TQA_DECODE_LIMIT, 6},
    {"d828 82 80 d840 40", TQA_DECODE_LIMIT, 3},
    {"d828 82 85 0101010101 d840 4101", TQA_DECODE_LIMIT, 3},
    {"d828 82 82 03 00 d840 40", TQA_DECODE_LIMIT, 5},
    {"d828 82 81 1bffffffffffffffff d840 40", TQA_DECODE_LIMIT, 4},
    {"7b7fffffffffffffff 00", TQA_DECODE_MALFORMED, 0},
};

Test(cbor, refused_with_the_place)
{
    static trace t;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        char bytes[128];
        const size_t n = from_hex(refused[i].hex, bytes);
        for (size_t piece = 1; piece <= n; piece++) {
            tqa_decode_error error;
            const tqa_decode status = decode(bytes, n, piece, &t, &error);
            cr_assert(eq(int, (int)status, (int)refused[i].status), "%s: %s", refused[i].hex,
                      error.detail);
            cr_assert(eq(u64, error.offset, refused[i].offset), "%s: %s", refused[i].hex,
                      error.detail);
            cr_assert(error.detail != NULL);
        }
    }
}

Test(cbor, depth_is_bounded)
{
    static trace t;
    char bytes[2 * TQA_EVENT_DEPTH_MAX + 8];
    tqa_decode_error error;
    memset(bytes, 0x81, sizeof bytes);
    bytes[TQA_EVENT_DEPTH_MAX] = 0;
    cr_assert(eq(int, (int)decode(bytes, TQA_EVENT_DEPTH_MAX + 1, 7, &t, &error), TQA_DECODE_OK));
    bytes[TQA_EVENT_DEPTH_MAX] = (char)0x81;
    cr_assert(eq(int, (int)decode(bytes, sizeof bytes, 7, &t, &error), TQA_DECODE_LIMIT));
    cr_assert(eq(u64, error.offset, TQA_EVENT_DEPTH_MAX));
    memset(bytes, 0x9f, sizeof bytes);
    cr_assert(eq(int, (int)decode(bytes, sizeof bytes, 7, &t, &error), TQA_DECODE_LIMIT));

    /* a typed array counts with all its dimensions */
    for (size_t depth = TQA_EVENT_DEPTH_MAX - 3; depth <= TQA_EVENT_DEPTH_MAX; depth++) {
        memset(bytes, 0x81, depth);
        const size_t n = depth + from_hex("d828 82 82 01 02 d840 42 0102", bytes + depth);
        cr_assert(eq(int, (int)decode(bytes, n, 5, &t, &error),
                     depth + 2 <= TQA_EVENT_DEPTH_MAX ? TQA_DECODE_OK : TQA_DECODE_LIMIT));
    }
}

Test(cbor, texts_are_bounded)
{
    static trace t;
    static char bytes[BYTES_MAX];
    tqa_decode_error error;
    for (int length = TQA_EVENT_TEXT_MAX - 1; length <= TQA_EVENT_TEXT_MAX + 1; length++) {
        const tqa_decode wanted = length <= TQA_EVENT_TEXT_MAX ? TQA_DECODE_OK : TQA_DECODE_LIMIT;
        memset(bytes, 'a', sizeof bytes);
        bytes[0] = 0x79;
        bytes[1] = (char)(length >> 8);
        bytes[2] = (char)length;
        for (size_t piece = 1; piece < 6000; piece = piece * 5 + 1) {
            cr_assert(
                eq(int, (int)decode(bytes, (size_t)length + 3, piece, &t, &error), (int)wanted));
        }

        /* the same in chunks of 1000 and a remainder */
        size_t n = 0;
        bytes[n++] = 0x7f;
        for (int done = 0; done < length; done += 1000) {
            const int chunk = length - done < 1000 ? length - done : 1000;
            bytes[n++] = 0x79;
            bytes[n++] = (char)(chunk >> 8);
            bytes[n++] = (char)chunk;
            memset(bytes + n, 'b', (size_t)chunk);
            n += (size_t)chunk;
        }
        bytes[n++] = (char)0xff;
        for (size_t piece = 1; piece < 6000; piece = piece * 5 + 1) {
            cr_assert(eq(int, (int)decode(bytes, n, piece, &t, &error), (int)wanted));
        }
    }

    /* gigabytes announced */
    memset(bytes, 'a', sizeof bytes);
    memcpy(bytes, "\x7a\x7f\xff\xff\xff", 5);
    cr_assert(eq(int, (int)decode(bytes, sizeof bytes, 64, &t, &error), TQA_DECODE_LIMIT));
    cr_assert(
        eq(int, (int)decode(bytes, sizeof bytes, sizeof bytes, &t, &error), TQA_DECODE_LIMIT));
    memcpy(bytes, "\x7b\xff\xff\xff\xff\xff\xff\xff\xff", 9);
    cr_assert(eq(int, (int)decode(bytes, sizeof bytes, 64, &t, &error), TQA_DECODE_LIMIT));
}

Test(cbor, the_receiver_may_refuse)
{
    static trace t;
    char bytes[128];
    const size_t n = from_hex("a2 6171 d828 82 82 02 01 d840 42 0102 61 62 83 f6 f5 6161", bytes);
    tqa_decode_error error;
    t.refuse_after = 0;
    cr_assert(eq(int, (int)decode(bytes, n, 3, &t, &error), TQA_DECODE_OK));
    const size_t whole = t.n;
    for (size_t after = 1; after < whole; after++) {
        t.refuse_after = after;
        cr_assert(eq(int, (int)decode(bytes, n, 3, &t, &error), TQA_DECODE_REFUSED), "%zu", after);
        cr_assert(error.detail == NULL);
        cr_assert(le(sz, t.n, after + 24), "an event after a refusal");
    }
}

static void gather(void *ctx, uint64_t row, uint64_t column, size_t n, double *ret)
{
    for (size_t i = 0; i < n; i++) {
        ret[i] = (double)(100 * row + column + i) * *(const double *)ctx;
    }
}

Test(cbor, arrays_written_are_read_back)
{
    double unit = 0.5;
    static const struct {
        size_t rank;
        uint64_t shape[4];
        const char *trace;
    } rows[] = {
        {1, {3}, "[0 50 100 ] "},
        {1, {0}, "[] "},
        {2, {2, 3}, "[[0 0.5 1 ] [50 50.5 51 ] ] "},
        {3, {2, 1, 2}, "[[[0 0.5 ] ] [[50 50.5 ] ] ] "},
        {2, {0, 3}, "[] "},
    };
    static trace t;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tqa_array array = {.rank = rows[i].rank, .gather = gather, .ctx = &unit};
        memcpy(array.shape, rows[i].shape, sizeof array.shape);
        for (size_t size = 8; size < 100; size += 7) {
            char bytes[256];
            size_t n = tqa_cbor_array_head(&array, bytes);
            cr_assert(le(sz, n, TQA_CBOR_ARRAY_HEAD));
            uint64_t index = 0;
            for (size_t got = 0; (got = tqa_array_encode(&array, &index, bytes + n, size)) > 0;) {
                n += got;
            }
            tqa_decode_error error;
            cr_assert(eq(int, (int)decode(bytes, n, 5, &t, &error), TQA_DECODE_OK), "%s",
                      error.detail);
            cr_assert(eq(str, t.text, (char *)rows[i].trace));
        }
    }

    /* the largest possible head */
    const tqa_array huge = {.rank = 4, .shape = {(uint64_t)1 << 40, 1, 1, 1 << 16}};
    char head[TQA_CBOR_ARRAY_HEAD];
    cr_assert(le(sz, tqa_cbor_array_head(&huge, head), TQA_CBOR_ARRAY_HEAD));
}

/* Numbers are passed in place, without a copy, if the piece begins where the decoder requests. */
enum { PLACE = 256 };
static _Alignas(double) char place[PLACE];
static size_t n_in_place;

static bool on_numbers_in_place(void *ctx, uint64_t at, const double *values, size_t n)
{
    const uintptr_t where = (uintptr_t)values, from = (uintptr_t)place;
    n_in_place += where >= from && where < from + PLACE ? n : 0;
    return on_numbers(ctx, at, values, n);
}

Test(cbor, aligned_numbers_are_not_copied)
{
    tqa_events in_place = events;
    in_place.numbers = on_numbers_in_place;
    double unit = 0.5;
    const tqa_array array = {.rank = 1, .shape = {60}, .gather = gather, .ctx = &unit};
    char bytes[1024];
    size_t n_byte = tqa_cbor_array_head(&array, bytes);
    const size_t head = n_byte;
    uint64_t index = 0;
    n_byte += tqa_array_encode(&array, &index, bytes + n_byte, sizeof bytes - n_byte);
    static trace whole, t;
    tqa_decode_error error;
    cr_assert(eq(int, (int)decode(bytes, n_byte, n_byte, &whole, &error), TQA_DECODE_OK));
    static tqa_cbor_decoder decoder;
    for (size_t piece = 1; piece <= PLACE - 8; piece++) {
        t.n = 0;
        tqa_cbor_decoder_init(&decoder, &in_place, &t);
        n_in_place = 0;
        for (size_t i = 0; i < n_byte; i += piece) {
            const size_t n = n_byte - i < piece ? n_byte - i : piece;
            const size_t phase = i > head ? (i - head) % 8 : 0; /* bytes of a split number */
            memcpy(place + phase, bytes + i, n);
            cr_assert(
                eq(int, (int)tqa_cbor_decoder_feed(&decoder, place + phase, n), TQA_DECODE_OK));
        }
        cr_assert(eq(str, t.text, whole.text), "piece %zu", piece);
        /* at most one number of a piece is split; those of the first piece may be at any offset */
        const size_t n_piece = (n_byte + piece - 1) / piece;
        const size_t lost = n_piece + piece / 8 + 1;
        cr_assert(ge(sz, n_in_place + lost, 60), "piece %zu", piece);
        cr_assert(piece < 16 || n_in_place > 0);
    }
}
