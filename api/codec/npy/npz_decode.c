/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/npy/npz_decode.c - NPZ archives, read front to back as they arrive. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "api/codec/npy/npz.h"

enum {
    SIGNATURE_SIZE = 4,
    LOCAL_SIZE = 30,
    ENTRY_SIZE = 46,
    END_SIZE = 22,
    EXTRA_MAX = 512, /* bytes of extra fields of a local header */
    NAME_MAX_BYTES = TQA_NPZ_NAME_MAX + 4,
    INFLATE_PIECE = 16384,
};

static const uint32_t sign_local = 0x04034b50;
static const uint32_t sign_entry = 0x02014b50;
static const uint32_t sign_end = 0x06054b50;
static const uint32_t sign_descriptor = 0x08074b50;
static const uint64_t unknown = UINT64_MAX;

/* What is being collected. */
enum stage {
    AT_SIGNATURE,
    AT_LOCAL,
    AT_NAME, /* and extra fields, after the local header */
    AT_DATA,
    AT_DESCRIPTOR,
    AT_ENTRY,
    AT_END,
    AT_SKIP, /* variable parts of the central directory, then a signature */
    AT_COMMENT,
};

struct tqa_npz_decoder {
    const tqa_npz_sink *sink;
    void *ctx;
    uint64_t count_left;
    tqa_decode status;
    tqa_decode_error error;
    uint64_t offset;
    int stage;
    size_t wanted; /* bytes to collect in `held` for this stage */
    size_t n_held;
    uint64_t skip;
    size_t n_member;
    size_t n_entry;
    bool in_directory;
    bool is_done;
    bool takes_not_finite;
    /* the member under way */
    bool deflated;
    bool has_descriptor;
    bool is_zip64;
    uint32_t crc_stated;
    uint32_t crc;
    uint64_t packed_stated; /* `unknown` with a descriptor */
    uint64_t size_stated;
    uint64_t packed;
    uint64_t size;
    z_stream stream;
    tqa_npy_decoder npy;
    unsigned char held[LOCAL_SIZE + NAME_MAX_BYTES + EXTRA_MAX];
    unsigned char inflated[INFLATE_PIECE];
};

tqa_npz_decoder *tqa_npz_decoder_new(const tqa_npz_sink *sink, void *ctx, uint64_t count_max)
{
    assert(sink != NULL);
    tqa_npz_decoder *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return NULL;
    }
    d->sink = sink;
    d->ctx = ctx;
    d->count_left = count_max;
    d->wanted = SIGNATURE_SIZE;
    if (inflateInit2(&d->stream, -MAX_WBITS) != Z_OK) {
        free(d);
        return NULL;
    }
    return d;
}

void tqa_npz_decoder_free(tqa_npz_decoder *decoder)
{
    if (decoder != NULL) {
        inflateEnd(&decoder->stream);
        free(decoder);
    }
}

void tqa_npz_decoder_take_not_finite(tqa_npz_decoder *decoder)
{
    decoder->takes_not_finite = true;
}

tqa_decode_error tqa_npz_decoder_error(const tqa_npz_decoder *decoder)
{
    return decoder->error;
}

static void stop(tqa_npz_decoder *d, tqa_decode status, const char *detail)
{
    d->status = status;
    d->error = (tqa_decode_error){d->offset, detail};
}

static uint32_t get16(const unsigned char *s)
{
    return (uint32_t)s[0] | (uint32_t)s[1] << 8;
}

static uint32_t get32(const unsigned char *s)
{
    return get16(s) | get16(s + 2) << 16;
}

static uint64_t get64(const unsigned char *s)
{
    return get32(s) | (uint64_t)get32(s + 4) << 32;
}

static void go(tqa_npz_decoder *d, int stage, size_t wanted)
{
    d->stage = stage;
    d->wanted = wanted;
    if (stage == AT_SIGNATURE || stage == AT_DESCRIPTOR) {
        d->n_held = 0;
    }
}

static void take_signature(tqa_npz_decoder *d)
{
    const uint32_t sign = get32(d->held);
    if (sign == sign_local && !d->in_directory) {
        go(d, AT_LOCAL, LOCAL_SIZE);
    } else if (sign == sign_entry) {
        d->in_directory = true;
        go(d, AT_ENTRY, ENTRY_SIZE);
    } else if (sign == sign_end) {
        go(d, AT_END, END_SIZE);
    } else {
        stop(d, TQA_DECODE_MALFORMED, "no record of a ZIP file");
    }
}

static void take_local(tqa_npz_decoder *d)
{
    const uint32_t flags = get16(d->held + 6);
    const uint32_t method = get16(d->held + 8);
    const uint32_t n_name = get16(d->held + 26);
    const uint32_t n_extra = get16(d->held + 28);
    if ((flags & 0x2041) != 0) {
        stop(d, TQA_DECODE_LIMIT, "the archive is encrypted");
    } else if (method != 0 && method != 8) {
        stop(d, TQA_DECODE_LIMIT, "a member of the archive is neither stored nor deflated");
    } else if (n_name > NAME_MAX_BYTES || n_extra > EXTRA_MAX) {
        stop(d, TQA_DECODE_LIMIT, "a name in the archive is too long");
    } else if (d->n_member == TQA_NPZ_MEMBERS_MAX) {
        stop(d, TQA_DECODE_LIMIT, "the archive has too many members");
    } else {
        d->has_descriptor = (flags & 8) != 0;
        d->deflated = method == 8;
        d->crc_stated = get32(d->held + 14);
        d->packed_stated = get32(d->held + 18);
        d->size_stated = get32(d->held + 22);
        go(d, AT_NAME, LOCAL_SIZE + n_name + n_extra);
    }
}

/* Sizes that need 64 bits are in extra field 1. */
static void read_extra(tqa_npz_decoder *d, const unsigned char *s, size_t n)
{
    d->is_zip64 = false;
    while (n >= 4) {
        const size_t size = get16(s + 2);
        if (size > n - 4) {
            return;
        }
        if (get16(s) == 1) {
            d->is_zip64 = true;
            if (size >= 16 && d->size_stated == UINT32_MAX && d->packed_stated == UINT32_MAX) {
                d->size_stated = get64(s + 4);
                d->packed_stated = get64(s + 12);
            }
        }
        s += 4 + size;
        n -= 4 + size;
    }
}

/* Name and extra fields are there: the array begins. */
static void take_name(tqa_npz_decoder *d)
{
    const char *name = (const char *)d->held + LOCAL_SIZE;
    const size_t n_name = get16(d->held + 26);
    read_extra(d, d->held + LOCAL_SIZE + n_name, d->wanted - LOCAL_SIZE - n_name);
    if (d->has_descriptor) {
        d->packed_stated = d->size_stated = unknown;
    }
    bool plain = n_name > 4 && memcmp(name + n_name - 4, ".npy", 4) == 0;
    for (size_t i = 0; plain && i < n_name; i++) {
        plain = name[i] > ' ' && name[i] < 127 && name[i] != '/' && name[i] != '\\';
    }
    if (!plain) {
        stop(d, TQA_DECODE_LIMIT, "a member of the archive has no plain name that ends in .npy");
        return;
    }
    d->n_member++;
    d->crc = (uint32_t)crc32(0, NULL, 0);
    d->packed = d->size = 0;
    tqa_npy_decoder_init(&d->npy, &d->sink->npy, d->ctx, d->count_left);
    d->npy.takes_not_finite = d->takes_not_finite;
    inflateReset(&d->stream);
    if (!d->sink->member(d->ctx, name, n_name - 4)) {
        stop(d, TQA_DECODE_REFUSED, NULL);
        return;
    }
    d->stage = AT_DATA;
}

static void take_sizes(tqa_npz_decoder *d)
{
    if (d->crc_stated != d->crc || d->size_stated != d->size || d->packed_stated != d->packed) {
        stop(d, TQA_DECODE_MALFORMED, "checksum or size of a member is wrong");
        return;
    }
    d->count_left -= d->npy.count;
    go(d, AT_SIGNATURE, SIGNATURE_SIZE);
}

static void take_descriptor(tqa_npz_decoder *d)
{
    if (get32(d->held) != sign_descriptor) {
        stop(d, TQA_DECODE_MALFORMED, "no record of a ZIP file");
        return;
    }
    d->crc_stated = get32(d->held + 4);
    d->packed_stated = d->is_zip64 ? get64(d->held + 8) : get32(d->held + 8);
    d->size_stated = d->is_zip64 ? get64(d->held + 16) : get32(d->held + 12);
    take_sizes(d);
}

static void finish_member(tqa_npz_decoder *d)
{
    if (tqa_npy_decoder_finish(&d->npy) != TQA_DECODE_OK) {
        stop(d, d->npy.status, d->npy.error.detail);
    } else if (d->has_descriptor) {
        go(d, AT_DESCRIPTOR, d->is_zip64 ? 24 : 16);
    } else {
        take_sizes(d);
    }
}

static bool feed_array(tqa_npz_decoder *d, const unsigned char *bytes, size_t n)
{
    d->crc = (uint32_t)crc32(d->crc, bytes, (uInt)n);
    d->size += n;
    if (tqa_npy_decoder_feed(&d->npy, (const char *)bytes, n) != TQA_DECODE_OK) {
        stop(d, d->npy.status, d->npy.error.detail);
    }
    return d->status == TQA_DECODE_OK;
}

/* A stored member ends where its size says, or else where its array does. */
static size_t feed_stored(tqa_npz_decoder *d, const unsigned char *bytes, size_t n)
{
    const bool known = d->packed_stated != unknown;
    const uint64_t left = known ? d->packed_stated - d->packed : tqa_npy_decoder_wants(&d->npy);
    const size_t used = n < left ? n : (size_t)left;
    d->packed += used;
    if (used > 0 && !feed_array(d, bytes, used)) {
        return used;
    }
    if ((known ? d->packed_stated - d->packed : tqa_npy_decoder_wants(&d->npy)) == 0) {
        finish_member(d);
    }
    return used;
}

static size_t feed_deflated(tqa_npz_decoder *d, const unsigned char *bytes, size_t n)
{
    const uint64_t left = d->packed_stated != unknown ? d->packed_stated - d->packed : unknown;
    size_t given = n < INFLATE_PIECE ? n : (size_t)INFLATE_PIECE;
    given = given < left ? given : (size_t)left;
    if (given == 0) {
        stop(d, TQA_DECODE_MALFORMED, "a deflated member is cut short");
        return 0;
    }
    union {
        const unsigned char *from;
        Bytef *to; /* zlib does not write there, but has no const */
    } input = {.from = bytes};
    d->stream.next_in = input.to;
    d->stream.avail_in = (uInt)given;
    int result = Z_OK;
    do {
        d->stream.next_out = d->inflated;
        d->stream.avail_out = INFLATE_PIECE;
        result = inflate(&d->stream, Z_NO_FLUSH);
        const size_t got = INFLATE_PIECE - d->stream.avail_out;
        if (got > 0 && !feed_array(d, d->inflated, got)) {
            return 0;
        }
    } while (result == Z_OK && d->stream.avail_out == 0);
    const size_t used = given - d->stream.avail_in;
    d->packed += used;
    if (result == Z_STREAM_END) {
        finish_member(d);
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
        stop(d, TQA_DECODE_MALFORMED, "a deflated member is damaged");
    }
    return used;
}

static void take_entry(tqa_npz_decoder *d)
{
    d->n_entry++;
    d->skip = get16(d->held + 28) + get16(d->held + 30) + get16(d->held + 32);
    d->stage = AT_SKIP;
}

static void take_end(tqa_npz_decoder *d)
{
    if (d->n_entry != d->n_member || get16(d->held + 10) != d->n_member) {
        stop(d, TQA_DECODE_MALFORMED, "the directory of the archive does not match its members");
        return;
    }
    d->skip = get16(d->held + 20);
    d->stage = AT_COMMENT;
    d->is_done = d->skip == 0;
}

static void take_record(tqa_npz_decoder *d)
{
    switch (d->stage) {
    case AT_SIGNATURE:
        take_signature(d);
        break;
    case AT_LOCAL:
        take_local(d);
        break;
    case AT_NAME:
        take_name(d);
        break;
    case AT_DESCRIPTOR:
        take_descriptor(d);
        break;
    case AT_ENTRY:
        take_entry(d);
        break;
    default:
        take_end(d);
        break;
    }
}

static size_t feed_record(tqa_npz_decoder *d, const unsigned char *bytes, size_t n)
{
    const size_t left = d->wanted - d->n_held;
    const size_t used = n < left ? n : left;
    memcpy(d->held + d->n_held, bytes, used);
    d->n_held += used;
    return used;
}

static size_t feed_skip(tqa_npz_decoder *d, size_t n)
{
    const size_t used = n < d->skip ? n : (size_t)d->skip;
    d->skip -= used;
    return used;
}

/* Steps that need no more bytes. */
static bool step(tqa_npz_decoder *d)
{
    if (d->stage == AT_SKIP && d->skip == 0) {
        go(d, AT_SIGNATURE, SIGNATURE_SIZE);
    } else if (d->stage == AT_COMMENT && d->skip == 0) {
        d->is_done = true;
        return false;
    } else if (d->stage < AT_SKIP && d->stage != AT_DATA && d->n_held == d->wanted) {
        take_record(d);
    } else {
        return false;
    }
    return d->status == TQA_DECODE_OK;
}

tqa_decode tqa_npz_decoder_feed(tqa_npz_decoder *decoder, const char *bytes, size_t n)
{
    tqa_npz_decoder *d = decoder;
    assert(d != NULL && (bytes != NULL || n == 0));
    const unsigned char *s = (const unsigned char *)bytes;
    const unsigned char *end = s + n;
    while (d->status == TQA_DECODE_OK && s < end) {
        size_t used = 0;
        if (d->is_done) {
            stop(d, TQA_DECODE_MALFORMED, "there are bytes after the archive");
        } else if (d->stage == AT_DATA) {
            used = d->deflated ? feed_deflated(d, s, (size_t)(end - s))
                               : feed_stored(d, s, (size_t)(end - s));
        } else if (d->stage == AT_SKIP || d->stage == AT_COMMENT) {
            used = feed_skip(d, (size_t)(end - s));
        } else {
            used = feed_record(d, s, (size_t)(end - s));
        }
        s += used;
        d->offset += used;
        while (d->status == TQA_DECODE_OK && step(d)) {
        }
    }
    return d->status;
}

tqa_decode tqa_npz_decoder_finish(tqa_npz_decoder *decoder)
{
    if (decoder->status == TQA_DECODE_OK && !decoder->is_done) {
        stop(decoder, TQA_DECODE_MALFORMED, "the archive is cut short");
    }
    return decoder->status;
}
