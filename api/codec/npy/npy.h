/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/npy/npy.h - NPY files: one array, decoded as it arrives, encoded on demand. */
#ifndef TQA_CODEC_NPY_NPY_H
#define TQA_CODEC_NPY_NPY_H

#include "api/codec/element.h"
#include "api/codec/events.h"
#include "api/codec/npy/header.h"

/* The receiver; each callback returns false to stop (TQA_DECODE_REFUSED). */
typedef struct tqa_npy_sink {
    /* once, before any value */
    bool (*shape)(void *ctx, const tqa_npy_shape *shape);
    /* n finite values of row `row` from `column` on to the right; in Fortran order of column
     * `column` from `row` on downwards. Never beyond the end of the row or column; in file order.
     */
    bool (*values)(void *ctx, uint64_t row, uint64_t column, const double *values, size_t n);
    /* May be NULL. n_row whole rows from `row` on, in place of as many `values`. */
    bool (*rows)(void *ctx, uint64_t row, const double *values, size_t n_row);
} tqa_npy_sink;

/* A decoder in the caller's memory; its fields are private but `error`. Nothing to free. */
typedef struct tqa_npy_decoder {
    const tqa_npy_sink *sink;
    void *ctx;
    uint64_t count_max;
    bool takes_not_finite; /* false; may be set after init: NaN and infinities are passed on */
    tqa_decode status;
    tqa_decode_error error; /* valid when a call did not return TQA_DECODE_OK */
    uint64_t offset;        /* bytes consumed */
    size_t header_size;     /* 0 while unknown */
    tqa_npy_shape shape;
    uint64_t index; /* values passed on */
    uint64_t count; /* values of the array, once the header is known */
    bool has_shape;
    size_t n_held; /* bytes in `held`: of the header, later of an element split by a piece */
    char held[TQA_NPY_HEADER_MAX];
} tqa_npy_decoder;

/* Arrays of more than count_max values are TQA_DECODE_LIMIT. */
void tqa_npy_decoder_init(tqa_npy_decoder *decoder, const tqa_npy_sink *sink, void *ctx,
                          uint64_t count_max);

/**
 * Decode the next n bytes of a file; cut anywhere.
 *
 * Accepts format versions 1, 2 and 3, element types f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 in either byte
 * order, rank one and two, both memory orders. The header must be a dictionary of exactly descr,
 * fortran_order and shape.
 *
 * Returns  TQA_DECODE_OK         so far
 *          TQA_DECODE_MALFORMED  not an NPY file, or bytes after the array
 *          TQA_DECODE_NOT_FINITE a value is NaN or infinite
 *          TQA_DECODE_LIMIT      another type or rank, a header or an array that is too large
 *          TQA_DECODE_REFUSED    by the sink
 *          Any but OK is final: later calls return it again.
 * Checked  tests/unit/api/codec/npy/test_npy.c, tests/fuzz/fuzz_npy.c
 */
tqa_decode tqa_npy_decoder_feed(tqa_npy_decoder *decoder, const char *bytes, size_t n);

/* Row and column of the next value; after TQA_DECODE_NOT_FINITE, of the value at fault. */
void tqa_npy_decoder_place(const tqa_npy_decoder *decoder, uint64_t *ret_row, uint64_t *ret_column);

/* End of input: TQA_DECODE_MALFORMED if the file is incomplete. */
tqa_decode tqa_npy_decoder_finish(tqa_npy_decoder *decoder);

/* Offset in the file of contiguous doubles of this machine, the next values: a caller that reads
 * them directly passes on at most *ret_n_left of them. 0: they must be fed. */
uint64_t tqa_npy_decoder_plain(const tqa_npy_decoder *decoder, uint64_t *ret_n_left);
void tqa_npy_decoder_passed(tqa_npy_decoder *decoder, uint64_t n);
/* For an array in C order whose header is known: continues with row `row`, or at the end if there
 * are fewer. Returns the offset of the next byte to feed. */
uint64_t tqa_npy_decoder_seek(tqa_npy_decoder *decoder, uint64_t row);

/* Minimum number of bytes that the file still needs; 0 when it is complete. */
uint64_t tqa_npy_decoder_wants(const tqa_npy_decoder *decoder);

/* An array as a version 1 file of '<f8' in C order. The array must outlive the encoder. */
typedef struct tqa_npy_encoder {
    const tqa_array *array;
    char header[TQA_NPY_HEADER_SIZE];
    size_t header_size;
    size_t header_read;
    uint64_t index;
} tqa_npy_encoder;

void tqa_npy_encoder_init(tqa_npy_encoder *encoder, const tqa_array *array);
/* Bytes of the whole file. */
uint64_t tqa_npy_encoder_size(const tqa_npy_encoder *encoder);
/* The next bytes: as many as fit, 0 at the end. `size` is at least 8. */
size_t tqa_npy_encoder_read(tqa_npy_encoder *encoder, char *out, size_t size);

#endif
