/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/npy/npz_events.h - an NPZ archive as events: a map of arrays of numbers. */
#ifndef TQA_CODEC_NPY_NPZ_EVENTS_H
#define TQA_CODEC_NPY_NPZ_EVENTS_H

#include "api/codec/npy/npz.h"

/* The caller's storage; private. */
typedef struct tqa_npz_events {
    tqa_npz_decoder *decoder; /* NULL: out of memory */
    const tqa_events *events;
    void *ctx;
    tqa_npy_shape shape; /* of the current array */
    bool begun, open;
    double *turned;     /* malloc'ed: an array in Fortran order, transposed to C order */
    bool is_busy;       /* out of memory */
    const char *detail; /* why an array is refused; NULL: the decoder has the reason */
} tqa_npz_events;

/**
 * Report the arrays of an archive as the members of one map, each under its name: of rank one as an
 * array of numbers, of rank two as an array of arrays. Events have no place in the
 * archive: `at` is UINT64_MAX.
 *
 * Memory   That of tqa_npz_decoder_new, and of one array in Fortran order;
 *          tqa_npz_events_clear frees it.
 * Returns  As tqa_npz_decoder_feed; TQA_DECODE_REFUSED when the receiver refused, also of
 *          finish. tqa_npz_events_busy: memory was short.
 * Checked  tests/unit/api/codec/npy/test_npz_events.c
 */
void tqa_npz_events_init(tqa_npz_events *archive, const tqa_events *events, void *ctx,
                         uint64_t count_max);
tqa_decode tqa_npz_events_feed(tqa_npz_events *archive, const char *bytes, size_t n);
tqa_decode tqa_npz_events_finish(tqa_npz_events *archive);
tqa_decode_error tqa_npz_events_error(const tqa_npz_events *archive);
bool tqa_npz_events_busy(const tqa_npz_events *archive);
void tqa_npz_events_clear(tqa_npz_events *archive);

#endif
