/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/codec/pack/test_unpack.c - compressed streams for any split into pieces: damaged,
 * truncated, concatenated, and with unbounded expansion. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "api/codec/pack/unpack.h"

enum { SIZE = 20000 };

typedef struct gathered {
    char *bytes;
    size_t n, room;
    size_t refuse_at; /* 0: never */
    unsigned n_refused;
} gathered;

static bool take(void *ctx, const char *bytes, size_t n)
{
    gathered *g = ctx;
    if (g->refuse_at > 0 && g->n + n > g->refuse_at) {
        g->n_refused++;
        return false;
    }
    if (g->n + n <= g->room) {
        memcpy(g->bytes + g->n, bytes, n);
    }
    g->n += n;
    return true;
}

/* text that packs about three to one */
static size_t make_text(char *out, size_t size)
{
    unsigned seed = 7;
    for (size_t k = 0; k < size; k++) {
        seed = seed * 1103515245u + 12345u;
        out[k] = k % 7 == 6 ? '\n' : (char)('0' + (seed >> 16) % 10);
    }
    return size;
}

static size_t pack(tqa_pack kind, const char *text, size_t n, char *out, size_t size)
{
    if (kind == TQA_PACK_ZSTD) {
        ZSTD_CCtx *z = ZSTD_createCCtx();
        ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1); /* as the zstd program does */
        const size_t packed = ZSTD_compress2(z, out, size, text, n);
        ZSTD_freeCCtx(z);
        return packed;
    }
    z_stream z = {0};
    cr_assert_eq(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(void *)(size_t)text;
    z.avail_in = (uInt)n;
    z.next_out = (Bytef *)out;
    z.avail_out = (uInt)size;
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    const size_t packed = z.total_out;
    deflateEnd(&z);
    return packed;
}

static tqa_decode unpack(const char *bytes, size_t n, size_t piece, gathered *g, const char **why)
{
    static char reason[200];
    tqa_unpack *u = tqa_unpack_new(tqa_pack_find(bytes, n), take, g);
    tqa_decode status = TQA_DECODE_OK;
    for (size_t at = 0; at < n && status == TQA_DECODE_OK; at += piece) {
        status = tqa_unpack_feed(u, bytes + at, n - at < piece ? n - at : piece);
    }
    status = status == TQA_DECODE_OK ? tqa_unpack_finish(u) : status;
    snprintf(reason, sizeof reason, "%s", tqa_unpack_detail(u) != NULL ? tqa_unpack_detail(u) : "");
    *why = reason;
    tqa_unpack_free(u);
    return status;
}

static const tqa_pack kinds[] = {TQA_PACK_GZIP, TQA_PACK_ZSTD};

Test(unpack, any_pieces_and_concatenated_streams)
{
    char text[SIZE];
    char packed[2 * SIZE];
    char back[3 * SIZE];
    make_text(text, SIZE);
    for (size_t k = 0; k < 2; k++) {
        size_t n = pack(kinds[k], text, SIZE, packed, sizeof packed);
        cr_assert_eq(tqa_pack_find(packed, n), kinds[k]);
        n += pack(kinds[k], text, 100, packed + n, sizeof packed - n);
        const size_t pieces[] = {1, 2, 7, 1000, n};
        for (size_t p = 0; p < 5; p++) {
            gathered g = {.bytes = back, .room = sizeof back};
            const char *why = NULL;
            cr_assert_eq(unpack(packed, n, pieces[p], &g, &why), TQA_DECODE_OK, "%s", why);
            cr_assert_eq(g.n, SIZE + 100);
            cr_assert_arr_eq(back, text, SIZE);
            cr_assert_arr_eq(back + SIZE, text, 100);
        }
    }
}

Test(unpack, damage_and_early_ends_are_found)
{
    char text[SIZE];
    char packed[2 * SIZE];
    char back[3 * SIZE];
    make_text(text, SIZE);
    for (size_t k = 0; k < 2; k++) {
        const size_t n = pack(kinds[k], text, SIZE, packed, sizeof packed);
        const char *why = NULL;
        for (size_t cut = 5; cut < n; cut += n / 9) {
            gathered g = {.bytes = back, .room = sizeof back};
            cr_assert_eq(unpack(packed, cut, 64, &g, &why), TQA_DECODE_MALFORMED);
            cr_assert_str_eq(why, "the compressed stream is cut short");
        }
        gathered g = {.bytes = back, .room = sizeof back};
        memset(packed + n / 2, 0x55, 200);
        cr_assert_eq(unpack(packed, n, 64, &g, &why), TQA_DECODE_MALFORMED);
        cr_assert(strstr(why, "stream is damaged") != NULL, "%s", why);
        gathered refusing = {.bytes = back, .room = sizeof back, .refuse_at = 1};
        pack(kinds[k], text, SIZE, packed, sizeof packed);
        cr_assert_eq(unpack(packed, n, n, &refusing, &why), TQA_DECODE_REFUSED);
        cr_assert_str_eq(why, "");
    }
}

/* a piece that unpacks to many buffers: after the first refused buffer there is no further call */
Test(unpack, a_refusal_ends_the_output)
{
    static const char zeros[1 << 20];
    static char packed[1 << 16];
    for (size_t k = 0; k < 2; k++) {
        const size_t n = pack(kinds[k], zeros, sizeof zeros, packed, sizeof packed);
        gathered refusing = {.refuse_at = 1};
        const char *why = NULL;
        cr_assert_eq(unpack(packed, n, n, &refusing, &why), TQA_DECODE_REFUSED);
        cr_assert_eq(refusing.n_refused, 1);
    }
}

Test(unpack, the_size_of_the_output_is_bounded)
{
    enum { LARGE = 96 << 20 };
    char *zeros = calloc(LARGE, 1);
    char *packed = malloc(LARGE / 500);
    for (size_t k = 0; k < 2; k++) {
        const size_t n = pack(kinds[k], zeros, LARGE, packed, LARGE / 500);
        gathered g = {0};
        const char *why = NULL;
        cr_assert_eq(unpack(packed, n, 4096, &g, &why), TQA_DECODE_LIMIT);
        cr_assert(strstr(why, "more than 256 times") != NULL);
        cr_assert_lt(g.n, (size_t)65 << 20);
    }
    free(zeros);
    free(packed);
}
