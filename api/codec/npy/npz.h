/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/npy/npz.h - NPZ archives: several named NPY arrays in one ZIP file. */
#ifndef TQA_CODEC_NPY_NPZ_H
#define TQA_CODEC_NPY_NPZ_H

#include "api/codec/npy/npy.h"

enum {
    TQA_NPZ_MEMBERS_MAX = 64, /* arrays in one archive */
    TQA_NPZ_NAME_MAX = 64,    /* bytes of a name, ".npy" not counted */
    TQA_NPZ_PIECE_MIN = 64,   /* bytes that the encoder must have room for */
};

/* The receiver: of each array its name, then its shape and values. */
typedef struct tqa_npz_sink {
    bool (*member)(void *ctx, const char *name, size_t n); /* "q" for "q.npy" */
    tqa_npy_sink npy;
} tqa_npz_sink;

typedef struct tqa_npz_decoder tqa_npz_decoder;

/**
 * Start an archive. Arrays of together more than count_max values are TQA_DECODE_LIMIT, so that
 * neither a large nor a densely packed archive inflates beyond that.
 *
 * Accepts members that are stored or deflated, with sizes in front, in a ZIP64 field or after
 * (numpy.savez and savez_compressed, zip streams, and what tqa_npz_encoder writes). Checksums, and
 * the number of entries in the central directory, must agree.
 *
 * Memory   About 60 KiB from malloc, to be freed by tqa_npz_decoder_free; NULL if there is
 *          none. `sink` and `ctx` must outlive the decoder.
 * Returns  As for NPY, of feed and finish. Any but TQA_DECODE_OK is final; tqa_npz_decoder_error
 *          has the reason and a place in the archive at or shortly before the fault.
 * Checked  tests/unit/api/codec/npy/test_npz.c, tests/fuzz/fuzz_npz.c
 */
tqa_npz_decoder *tqa_npz_decoder_new(const tqa_npz_sink *sink, void *ctx, uint64_t count_max);
/* From now on NaN and infinities are passed on. */
void tqa_npz_decoder_take_not_finite(tqa_npz_decoder *decoder);
tqa_decode tqa_npz_decoder_feed(tqa_npz_decoder *decoder, const char *bytes, size_t n);
tqa_decode tqa_npz_decoder_finish(tqa_npz_decoder *decoder);
tqa_decode_error tqa_npz_decoder_error(const tqa_npz_decoder *decoder);
void tqa_npz_decoder_free(tqa_npz_decoder *decoder);

/* An array and its name, without ".npy". */
typedef struct tqa_npz_member {
    const char *name;
    const tqa_array *array;
} tqa_npz_member;

/* An archive of stored members, written as it is asked for, the same bytes each time. Fields are
 * private. */
typedef struct tqa_npz_encoder {
    const tqa_npz_member *members;
    size_t n_member;
    size_t at; /* member under way, or entry of the central directory */
    int stage;
    uint32_t offset;
    uint32_t directory; /* where the central directory starts */
    struct {
        uint32_t crc;
        uint32_t size;
        uint32_t offset;
    } written[TQA_NPZ_MEMBERS_MAX];
    tqa_npy_encoder npy;
    size_t n_record; /* bytes of `record`, and how many are read */
    size_t n_read;
    char record[160];
} tqa_npz_encoder;

/* False when there are too many members, a name is too long, or the file would reach 4 GiB. The
 * members, their names and arrays must outlive the encoder. */
bool tqa_npz_encoder_init(tqa_npz_encoder *encoder, const tqa_npz_member *members, size_t n_member);
/* The next bytes, 0 at the end. `size` is at least TQA_NPZ_PIECE_MIN. */
size_t tqa_npz_encoder_read(tqa_npz_encoder *encoder, char *out, size_t size);

#endif
