/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/events.h - a document as a stream of events (SAX): one interface for JSON and CBOR. */
#ifndef TQA_CODEC_EVENTS_H
#define TQA_CODEC_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TQA_EVENT_DEPTH_MAX = 32,  /* maps and arrays open at once; deeper is TQA_DECODE_LIMIT */
    TQA_EVENT_TEXT_MAX = 4096, /* bytes of one key or string; longer is TQA_DECODE_LIMIT */
};

/* State of decoding after a piece of input. */
typedef enum tqa_decode {
    TQA_DECODE_OK,         /* so far so good; from a finish function: one whole document was read */
    TQA_DECODE_MALFORMED,  /* not a document of this format, or truncated */
    TQA_DECODE_LIMIT,      /* well-formed, but deeper, longer or larger than is accepted */
    TQA_DECODE_NOT_FINITE, /* a number beyond the range of double, or a NaN */
    TQA_DECODE_REFUSED,    /* a callback returned false, for a reason of its own */
} tqa_decode;

/* Where and why a decoder stopped. */
typedef struct tqa_decode_error {
    uint64_t offset;    /* byte of the input, counted from the first one fed */
    const char *detail; /* constant English text; NULL after TQA_DECODE_REFUSED */
} tqa_decode_error;

/**
 * The receiver of a document. Every callback gets `ctx` and `at`, the offset in the input of the
 * first byte of the item, and returns false to stop decoding (TQA_DECODE_REFUSED).
 *
 * Guarantees: exactly one root value; every begin has its end; inside a map, key and value
 * alternate; depth and text length are within the limits above; texts are valid UTF-8 without a
 * terminating NUL, whole (never in pieces) and borrowed for the call only; numbers are finite.
 * Duplicate keys are passed on: the receiver must refuse them.
 *
 * A run of neighbouring numbers of one array may come as `numbers`, split anywhere, also into runs
 * of one, mixed with `number`: the receiver counts. `n` is never 0. A CBOR typed array of rank two
 * comes as an array of arrays, as JSON would write it.
 */
typedef struct tqa_events {
    bool (*begin_map)(void *ctx, uint64_t at);
    bool (*end_map)(void *ctx, uint64_t at);
    bool (*key)(void *ctx, uint64_t at, const char *text, size_t n);
    bool (*begin_array)(void *ctx, uint64_t at);
    bool (*end_array)(void *ctx, uint64_t at);
    bool (*number)(void *ctx, uint64_t at, double value);
    bool (*numbers)(void *ctx, uint64_t at, const double *values, size_t n);
    bool (*string)(void *ctx, uint64_t at, const char *text, size_t n);
    bool (*boolean)(void *ctx, uint64_t at, bool value);
    bool (*null)(void *ctx, uint64_t at);
    /* May be NULL. n_row whole arrays of n_column numbers each, adjacent in one array and n_byte
     * bytes of input apart, in place of as many begin_array, numbers and end_array. */
    bool (*rows)(void *ctx, uint64_t at, const double *values, size_t n_row, size_t n_column,
                 size_t n_byte);
} tqa_events;

#endif
