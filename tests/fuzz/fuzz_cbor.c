/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/fuzz_cbor.c - CBOR of any bytes: the same events whole and in pieces, always in order.
 * The first byte of the input is the size of the pieces. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/cbor/cbor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A digest of all events, and the maps and arrays that are open. */
typedef struct received {
    uint64_t digest;
    size_t depth;
    size_t n_root;
    bool is_map[TQA_EVENT_DEPTH_MAX];
    bool has_key[TQA_EVENT_DEPTH_MAX];
} received;

static void require(int truth)
{
    if (!truth) {
        abort();
    }
}

static bool mix(received *t, uint64_t word)
{
    t->digest = (t->digest ^ word) * 0x9e3779b97f4a7c15U;
    t->digest ^= t->digest >> 29;
    return true;
}

/* A value begins: in a map it must have its key. */
static void value(received *t)
{
    if (t->depth == 0) {
        require(t->n_root++ == 0);
    } else if (t->is_map[t->depth - 1]) {
        require(t->has_key[t->depth - 1]);
        t->has_key[t->depth - 1] = false;
    }
}

static bool begin(received *t, bool is_map)
{
    value(t);
    require(t->depth < TQA_EVENT_DEPTH_MAX);
    t->has_key[t->depth] = false;
    t->is_map[t->depth++] = is_map;
    return mix(t, is_map ? 1 : 2);
}

static bool end(received *t, bool is_map)
{
    require(t->depth > 0 && t->is_map[t->depth - 1] == is_map && !t->has_key[t->depth - 1]);
    t->depth--;
    return mix(t, 3);
}

static bool text(received *t, const char *s, size_t n)
{
    require(n <= TQA_EVENT_TEXT_MAX);
    for (size_t i = 0; i < n; i++) {
        mix(t, (unsigned char)s[i]);
    }
    return mix(t, n);
}

static bool on_begin_map(void *ctx, uint64_t at)
{
    return mix(ctx, at) && begin(ctx, true);
}
static bool on_end_map(void *ctx, uint64_t at)
{
    return mix(ctx, at) && end(ctx, true);
}
static bool on_begin_array(void *ctx, uint64_t at)
{
    return mix(ctx, at) && begin(ctx, false);
}
static bool on_end_array(void *ctx, uint64_t at)
{
    return mix(ctx, at) && end(ctx, false);
}
static bool on_key(void *ctx, uint64_t at, const char *s, size_t n)
{
    received *t = ctx;
    require(t->depth > 0 && t->is_map[t->depth - 1] && !t->has_key[t->depth - 1]);
    t->has_key[t->depth - 1] = true;
    return mix(t, at) && text(t, s, n);
}
static bool on_string(void *ctx, uint64_t at, const char *s, size_t n)
{
    value(ctx);
    return mix(ctx, at) && text(ctx, s, n);
}
static bool on_number(void *ctx, uint64_t at, double x)
{
    uint64_t bits;
    require(isfinite(x));
    memcpy(&bits, &x, sizeof bits);
    value(ctx);
    return mix(ctx, at) && mix(ctx, bits);
}
/* runs are cut where pieces are: only the place of each value may count */
static bool on_numbers(void *ctx, uint64_t at, const double *values, size_t n)
{
    received *t = ctx;
    require(n > 0 && t->depth > 0 && !t->is_map[t->depth - 1]);
    (void)at;
    for (size_t i = 0; i < n; i++) {
        on_number(ctx, 0, values[i]);
    }
    return true;
}
static bool on_boolean(void *ctx, uint64_t at, bool truth)
{
    value(ctx);
    return mix(ctx, at) && mix(ctx, truth ? 5 : 6);
}
static bool on_null(void *ctx, uint64_t at)
{
    value(ctx);
    return mix(ctx, at) && mix(ctx, 7);
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

static tqa_decode decode(const char *bytes, size_t n, size_t piece, received *t,
                         uint64_t *ret_offset)
{
    static tqa_cbor_decoder decoder;
    tqa_cbor_decoder_init(&decoder, &events, t);
    for (size_t i = 0; i < n; i += piece) {
        (void)tqa_cbor_decoder_feed(&decoder, bytes + i, n - i < piece ? n - i : piece);
    }
    const tqa_decode status = tqa_cbor_decoder_finish(&decoder);
    *ret_offset = decoder.error.offset;
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    const char *bytes = (const char *)data + 1;
    static received whole;
    static received pieces;
    whole = pieces = (received){.digest = 1};
    uint64_t whole_offset = 0;
    uint64_t pieces_offset = 0;
    const tqa_decode status = decode(bytes, size - 1, size, &whole, &whole_offset);
    require(decode(bytes, size - 1, (size_t)data[0] + 1, &pieces, &pieces_offset) == status);
    require(whole_offset == pieces_offset && whole.digest == pieces.digest);
    require(status != TQA_DECODE_OK || (whole.depth == 0 && whole.n_root == 1));
    return 0;
}
