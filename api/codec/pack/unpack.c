/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/pack/unpack.c - gzip by zlib, Zstandard by libzstd, through one buffer. */
#include "api/codec/pack/unpack.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
    BUFFER = 256 << 10,
    WINDOW_LOG = 23, /* 8 MiB */
    RATIO_MAX = 256,
    FREE_BYTES = 64 << 20, /* unpacked before the ratio counts */
};

struct tqa_unpack {
    tqa_pack pack;
    tqa_unpack_sink *sink;
    void *ctx;
    tqa_decode status;
    const char *detail;
    uint64_t n_in, n_out;
    bool is_open; /* a stream has begun and not ended */
    z_stream gzip;
    ZSTD_DStream *zstd;
    char buffer[BUFFER];
};

tqa_pack tqa_pack_find(const char *bytes, size_t n)
{
    if (n >= 4 && memcmp(bytes, "\x1f\x8b\x08", 3) == 0) {
        return TQA_PACK_GZIP;
    }
    return n >= 4 && memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0 ? TQA_PACK_ZSTD : TQA_PACK_NONE;
}

static bool open_codec(tqa_unpack *u)
{
    if (u->pack == TQA_PACK_GZIP) {
        return inflateInit2(&u->gzip, 16 + MAX_WBITS) == Z_OK;
    }
    u->zstd = ZSTD_createDStream();
    return u->zstd != NULL &&
           !ZSTD_isError(ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, WINDOW_LOG));
}

tqa_unpack *tqa_unpack_new(tqa_pack pack, tqa_unpack_sink *sink, void *ctx)
{
    assert(pack != TQA_PACK_NONE && sink != NULL);
    tqa_unpack *u = calloc(1, sizeof *u);
    if (u == NULL) {
        return NULL;
    }
    u->pack = pack;
    u->sink = sink;
    u->ctx = ctx;
    if (!open_codec(u)) {
        tqa_unpack_free(u);
        return NULL;
    }
    return u;
}

void tqa_unpack_free(tqa_unpack *unpack)
{
    if (unpack != NULL) {
        if (unpack->pack == TQA_PACK_GZIP) {
            (void)inflateEnd(&unpack->gzip);
        }
        ZSTD_freeDStream(unpack->zstd);
        free(unpack);
    }
}

const char *tqa_unpack_detail(const tqa_unpack *unpack)
{
    return unpack->detail;
}

static tqa_decode stop(tqa_unpack *u, tqa_decode status, const char *detail)
{
    u->status = status;
    u->detail = detail;
    return status;
}

/* n bytes of the buffer are unpacked */
static bool pass_on(tqa_unpack *u, size_t n)
{
    u->n_out += n;
    if (u->n_out > FREE_BYTES && u->n_out / RATIO_MAX > u->n_in) {
        (void)stop(u, TQA_DECODE_LIMIT,
                   "it unpacks to more than 256 times its size: send it unpacked");
        return false;
    }
    if (n > 0 && !u->sink(u->ctx, u->buffer, n)) {
        (void)stop(u, TQA_DECODE_REFUSED, NULL);
        return false;
    }
    return true;
}

static void feed_gzip(tqa_unpack *u, const char *bytes, size_t n)
{
    union {
        const char *from;
        Bytef *to; /* zlib does not write there, but has no const */
    } input = {.from = bytes};
    u->gzip.next_in = input.to;
    u->gzip.avail_in = (uInt)n;
    int result = Z_OK;
    do {
        if (!u->is_open && u->gzip.avail_in > 0) {
            (void)inflateReset(&u->gzip);
            u->is_open = true;
        }
        u->gzip.next_out = (Bytef *)u->buffer;
        u->gzip.avail_out = BUFFER;
        result = inflate(&u->gzip, Z_NO_FLUSH);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
            (void)stop(u, result == Z_MEM_ERROR ? TQA_DECODE_REFUSED : TQA_DECODE_MALFORMED,
                       result == Z_MEM_ERROR ? "memory is short" : "the gzip stream is damaged");
            return;
        }
        if (!pass_on(u, BUFFER - u->gzip.avail_out)) {
            return;
        }
        u->is_open = result != Z_STREAM_END;
    } while (u->gzip.avail_in > 0 || u->gzip.avail_out == 0);
}

static void feed_zstd(tqa_unpack *u, const char *bytes, size_t n)
{
    ZSTD_inBuffer in = {bytes, n, 0};
    ZSTD_outBuffer out;
    do {
        out = (ZSTD_outBuffer){u->buffer, BUFFER, 0};
        const size_t left = ZSTD_decompressStream(u->zstd, &out, &in);
        if (ZSTD_isError(left)) {
            const ZSTD_ErrorCode code = ZSTD_getErrorCode(left);
            if (code == ZSTD_error_memory_allocation) {
                (void)stop(u, TQA_DECODE_REFUSED, "memory is short");
            } else if (code == ZSTD_error_frameParameter_windowTooLarge) {
                (void)stop(u, TQA_DECODE_LIMIT,
                           "its window is larger than 8 MiB: compress it with zstd -19 or less, "
                           "without --long");
            } else {
                (void)stop(u, TQA_DECODE_MALFORMED, "the Zstandard stream is damaged");
            }
            return;
        }
        u->is_open = left > 0;
        if (!pass_on(u, out.pos)) {
            return;
        }
    } while (in.pos < in.size || out.pos == out.size);
}

tqa_decode tqa_unpack_feed(tqa_unpack *unpack, const char *bytes, size_t n)
{
    tqa_unpack *u = unpack;
    while (u->status == TQA_DECODE_OK && n > 0) {
        const size_t piece = n < BUFFER ? n : (size_t)BUFFER;
        u->n_in += piece;
        if (u->pack == TQA_PACK_GZIP) {
            feed_gzip(u, bytes, piece);
        } else {
            feed_zstd(u, bytes, piece);
        }
        bytes += piece;
        n -= piece;
    }
    return u->status;
}

tqa_decode tqa_unpack_finish(tqa_unpack *unpack)
{
    if (unpack->status == TQA_DECODE_OK && (unpack->is_open || unpack->n_in == 0)) {
        return stop(unpack, TQA_DECODE_MALFORMED, "the compressed stream is cut short");
    }
    return unpack->status;
}
