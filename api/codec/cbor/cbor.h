/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/cbor/cbor.h - a streaming CBOR decoder, and the encoder of typed arrays. */
#ifndef TQA_CODEC_CBOR_CBOR_H
#define TQA_CODEC_CBOR_CBOR_H

#include "api/codec/cbor/array.h"
#include "api/codec/element.h"
#include "api/codec/events.h"

enum {
    TQA_CBOR_HEAD_MAX = 9,    /* bytes of an item's head */
    TQA_CBOR_ARRAY_HEAD = 64, /* maximum bytes before the values of an array */
};

/* One open map or array. */
typedef struct tqa_cbor_level {
    bool is_map;
    bool indefinite;
    bool key_next; /* of a map: a key follows, else a value */
    uint64_t left; /* entries that follow, unless indefinite */
} tqa_cbor_level;

/* A decoder in the caller's memory; its fields are private but `error`. Nothing to free. */
typedef struct tqa_cbor_decoder {
    const tqa_events *events;
    void *ctx;
    tqa_decode status;
    tqa_decode_error error; /* valid when a call did not return TQA_DECODE_OK */
    uint64_t offset;        /* of the current item */
    int state;              /* see decode.c */
    bool is_root_done;
    size_t depth;
    tqa_cbor_level levels[TQA_EVENT_DEPTH_MAX];
    tqa_cbor_array array;
    bool pair_indefinite; /* of a tag 40 array: its pair and its dimensions */
    bool extents_indefinite;
    size_t extents_left;
    bool bytes_indefinite; /* of the current byte string */
    uint64_t bytes_left;
    uint64_t text_offset; /* of an indefinite text: its start; its chunks so far */
    size_t n_text;
    size_t n_held; /* bytes of an item that the last piece has split */
    char text[TQA_EVENT_TEXT_MAX];
    char held[TQA_EVENT_TEXT_MAX + TQA_CBOR_HEAD_MAX];
} tqa_cbor_decoder;

void tqa_cbor_decoder_init(tqa_cbor_decoder *decoder, const tqa_events *events, void *ctx);

/**
 * Decode the next n bytes of a document, split anywhere.
 *
 * Accepts the data model of JSON, in definite and indefinite lengths: maps with text keys, arrays,
 * texts, booleans, null, integers and floats of every size; and the typed arrays of RFC 8746 (tags
 * 64 to 86 except 76 and 83: integers and binary16 to 64 in either byte order), alone or as the
 * values of a row-major array (tag 40) of up to TQA_ARRAY_RANK_MAX dimensions. Their bytes are not
 * buffered: values are passed on as they arrive. Tag 55799 at the start is skipped.
 *
 * Returns  TQA_DECODE_OK         so far
 *          TQA_DECODE_MALFORMED  not CBOR, a text that is not UTF-8, an array whose bytes do not
 *                                match, bytes after the document
 *          TQA_DECODE_NOT_FINITE a number is NaN or infinite
 *          TQA_DECODE_LIMIT      too deep or long, or an item or tag outside the list above
 *          TQA_DECODE_REFUSED    by the receiver
 *          Any but OK is final: later calls return it again.
 * Source   RFC 8949; RFC 8746. libcbor's streaming decoder takes the heads apart.
 * Checked  tests/unit/api/codec/cbor/test_cbor.c, tests/fuzz/fuzz_cbor.c
 */
tqa_decode tqa_cbor_decoder_feed(tqa_cbor_decoder *decoder, const char *bytes, size_t n);

/* Whether no key can follow the value that is being read: it is the last of a map that has stated
 * its length. What follows can only be malformed. */
bool tqa_cbor_decoder_is_last(const tqa_cbor_decoder *decoder);

/* End of input: TQA_DECODE_MALFORMED if the document is incomplete. */
tqa_decode tqa_cbor_decoder_finish(tqa_cbor_decoder *decoder);

/**
 * Write the head of an array: tag 86 for rank one, tag 40 with the extents for more.
 * tqa_array_encode then writes the values.
 *
 * Returns  Bytes written, at most TQA_CBOR_ARRAY_HEAD.
 * Checked  tests/unit/api/codec/cbor/test_cbor.c
 */
size_t tqa_cbor_array_head(const tqa_array *array, char *out);

#endif
