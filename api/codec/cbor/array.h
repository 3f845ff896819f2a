/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/cbor/array.h - the bytes of a typed array as nested arrays of numbers. */
#ifndef TQA_CODEC_CBOR_ARRAY_H
#define TQA_CODEC_CBOR_ARRAY_H

#include "api/codec/element.h"
#include "api/codec/events.h"

/* An array whose bytes arrive in pieces. Set rank, extents and element, then begin. */
typedef struct tqa_cbor_array {
    size_t rank;
    uint64_t extents[TQA_ARRAY_RANK_MAX]; /* only the first may be 0; UINT64_MAX: unknown */
    tqa_element element;
    uint64_t index; /* values passed on */
    size_t n_held;  /* bytes of an element that the last piece has split */
    unsigned char held[TQA_ELEMENT_SIZE_MAX];
} tqa_cbor_array;

/* The element type of an RFC 8746 tag; false if it is none, or has values beyond double. */
bool tqa_cbor_array_type(uint64_t tag, tqa_element *ret);

/* Each calls the events' callbacks; `at` is the offset of the first byte. On failure *reterr has
 * the offset. */
tqa_decode tqa_cbor_array_begin(tqa_cbor_array *array, const tqa_events *events, void *ctx,
                                tqa_decode_error *reterr, uint64_t at);
tqa_decode tqa_cbor_array_feed(tqa_cbor_array *array, const tqa_events *events, void *ctx,
                               tqa_decode_error *reterr, uint64_t at, const char *bytes, size_t n);
tqa_decode tqa_cbor_array_end(tqa_cbor_array *array, const tqa_events *events, void *ctx,
                              tqa_decode_error *reterr, uint64_t at);

#endif
