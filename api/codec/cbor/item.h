/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/cbor/item.h - one CBOR data item: its head, and its text if it has one. */
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

/* One head, as libcbor decodes it. */
typedef struct tqa_cbor_item {
    tqa_cbor_kind kind;
    bool indefinite; /* array, map, bytes */
    bool truth;
    double number;
    uint64_t count; /* entries, bytes, tag, or the integer */
    const char *text;
} tqa_cbor_item;

/* Reads the item at s[0..n), n > 0. *ret_size is its length, 0 when n bytes are too few. The
 * contents of a byte string are not part of it. Returns false when it is not CBOR. */
bool tqa_cbor_item_read(const char *s, size_t n, tqa_cbor_item *ret, size_t *ret_size);

#endif
