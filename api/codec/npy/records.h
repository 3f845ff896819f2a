/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/npy/records.h - NPY files of records (structured arrays), decoded as they arrive. */
#ifndef TQA_CODEC_NPY_RECORDS_H
#define TQA_CODEC_NPY_RECORDS_H

#include "api/codec/element.h"
#include "api/codec/events.h"

enum {
    TQA_RECORDS_HEADER_MAX = 65536, /* bytes of header accepted, magic included */
    TQA_RECORDS_SIZE_MAX = 65536,   /* bytes of one record */
    TQA_RECORDS_COLUMNS_MAX = 4096,
    TQA_RECORDS_NAME = 128, /* bytes of a column's name, its end included */
};

/* The receiver; each callback returns false to stop (TQA_DECODE_REFUSED). */
typedef struct tqa_records_sink {
    /* Once. A field that is an array is name[0], name[1] ... Names are borrowed for the call. */
    bool (*columns)(void *ctx, size_t n, const char *const *names, uint64_t n_row);
    bool (*row)(void *ctx, const double *values, size_t n);
} tqa_records_sink;

typedef struct tqa_records_decoder tqa_records_decoder;

/* The first n bytes (24 are enough) are of an NPY file whose element type is a list of fields. */
bool tqa_records_found(const char *bytes, size_t n);

/* NULL when memory is short. */
tqa_records_decoder *tqa_records_decoder_new(const tqa_records_sink *sink, void *ctx);
void tqa_records_decoder_free(tqa_records_decoder *decoder); /* accepts NULL */

/**
 * Decode the next n bytes; cut anywhere.
 *
 * One dimension of records. Fields are numbers (f2 to f8, i1 to u8), booleans, times (M8; seconds
 * from midnight of the first record's day) or arrays of those in one dimension; text and padding
 * are left out.
 *
 * Returns  As tqa_npy_decoder_feed. Any but TQA_DECODE_OK is final.
 * Checked  tests/unit/api/codec/npy/test_records.c
 */
tqa_decode tqa_records_decoder_feed(tqa_records_decoder *decoder, const char *bytes, size_t n);
tqa_decode tqa_records_decoder_finish(tqa_records_decoder *decoder);
/* NULL: the sink stopped it. */
const char *tqa_records_decoder_detail(const tqa_records_decoder *decoder);

#endif
