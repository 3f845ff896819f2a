/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/json/scan.h - a streaming JSON decoder: input in any pieces, output as events. */
#ifndef TQA_CODEC_JSON_SCAN_H
#define TQA_CODEC_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/codec/events.h"

/* State of the decoder between two pieces. In the caller's storage; private to scan.c. */
typedef struct tqa_json_scan {
    const tqa_events *events;
    void *ctx;
    uint64_t fed;    /* bytes of the pieces before this one */
    uint64_t at;     /* offset of the current token */
    uint32_t is_map; /* bit d: level d is a map */
    uint32_t depth;
    uint8_t expect;     /* token expected next */
    uint8_t token;      /* kind of the token that the end of the last piece has split */
    uint8_t step;       /* of a string: position in an escape */
    uint8_t left;       /* of a string: hex digits or UTF-8 bytes still due */
    uint8_t low, high;  /* of a string: bounds of the next UTF-8 byte */
    uint16_t surrogate; /* high half that waits for its low half, or 0 */
    uint32_t code;      /* of a \u escape */
    tqa_decode state;
    tqa_decode_error error;
    size_t n_text;
    char text[TQA_EVENT_TEXT_MAX + 1]; /* of the current token; not initialised */
} tqa_json_scan;

/* Starts a document. `events` and `ctx` must outlive the scanner. */
void tqa_json_scan_init(tqa_json_scan *scan, const tqa_events *events, void *ctx);

/**
 * Decode the next n bytes: the events do not depend on how the input is split.
 *
 * Strictly RFC 8259: no comments, no trailing commas, no NaN, no byte order mark; strings are
 * valid UTF-8 without control characters, surrogates come in pairs. Duplicate keys are passed on:
 * the receiver must refuse them.
 *
 * Memory   Only the scanner: nothing is allocated, no recursion. Bytes are borrowed for the call.
 * Returns  TQA_DECODE_OK, or the first fault, with its place in scan->error; a faulty scanner stays
 *          so. TQA_DECODE_LIMIT for a number, key or string above TQA_EVENT_TEXT_MAX bytes or
 *          nesting above TQA_EVENT_DEPTH_MAX; TQA_DECODE_NOT_FINITE for 1e999.
 * Cost     That of tqa_number_scan for numbers, about 1 ns a byte for the rest.
 * Checked  tests/unit/api/codec/json/test_scan.c, tests/fuzz/fuzz_request.c
 */
tqa_decode tqa_json_scan_feed(tqa_json_scan *scan, const char *bytes, size_t n);

/* The input is complete: TQA_DECODE_OK when it was one whole document. */
tqa_decode tqa_json_scan_finish(tqa_json_scan *scan);

#endif
