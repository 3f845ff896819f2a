/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/cbor/array.h - the bytes of a typed array, told as nested arrays of numbers. */
#ifndef TQA_CODEC_CBOR_ARRAY_H
#define TQA_CODEC_CBOR_ARRAY_H

#include "api/codec/element.h"
#include "api/codec/events.h"

/* An array whose bytes arrive in pieces. Set rank, extents and element, then begin. */
typedef struct tqa_cbor_array {
    size_t rank;
    uint64_t extents[TQA_ARRAY_RANK_MAX]; /* none is 0 but the first; UINT64_MAX: not yet known */
    tqa_element element;
    uint64_t index; /* values told */
    size_t n_held;  /* bytes of an element that the last piece has cut */
    unsigned char held[TQA_ELEMENT_SIZE_MAX];
} tqa_cbor_array;

/* The element type of an RFC 8746 tag; false if it is none, or one that no double can hold. */
bool tqa_cbor_array_type(uint64_t tag, tqa_element *ret);

/* Each tells its events; `at` is the offset of the first byte. On failure *reterr has the place. */
tqa_decode tqa_cbor_array_begin(tqa_cbor_array *array, const tqa_events *events, void *ctx,
                                tqa_decode_error *reterr, uint64_t at);
tqa_decode tqa_cbor_array_feed(tqa_cbor_array *array, const tqa_events *events, void *ctx,
                               tqa_decode_error *reterr, uint64_t at, const char *bytes, size_t n);
tqa_decode tqa_cbor_array_end(tqa_cbor_array *array, const tqa_events *events, void *ctx,
                              tqa_decode_error *reterr, uint64_t at);

#endif
