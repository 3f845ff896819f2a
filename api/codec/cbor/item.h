/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/cbor/item.h - one item of CBOR: a head, with its text when it has one. */
#ifndef TQA_CODEC_CBOR_ITEM_H
#define TQA_CODEC_CBOR_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum tqa_cbor_kind {
    TQA_CBOR_INTEGER, /* not negative: `count` has the value too */
    TQA_CBOR_NUMBER,
    TQA_CBOR_TEXT,
    TQA_CBOR_TEXT_START,
    TQA_CBOR_ARRAY,
    TQA_CBOR_MAP,
    TQA_CBOR_TAG,
    TQA_CBOR_BOOLEAN,
    TQA_CBOR_NULL,
    TQA_CBOR_BREAK,
    TQA_CBOR_UNDEFINED,
    TQA_CBOR_BYTES,
} tqa_cbor_kind;

/* One head, as libcbor has understood it. */
typedef struct tqa_cbor_item {
    tqa_cbor_kind kind;
    bool indefinite; /* array, map, bytes */
    bool truth;
    double number;
    uint64_t count; /* entries, bytes, tag, or the integer */
    const char *text;
} tqa_cbor_item;

/* Reads the item at s[0..n), n > 0. *ret_size is the bytes it takes, 0 when n are too few. The
 * bytes of a byte string are not part of it. Returns false when there is no CBOR. */
bool tqa_cbor_item_read(const char *s, size_t n, tqa_cbor_item *ret, size_t *ret_size);

#endif
