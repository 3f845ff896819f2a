/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/cbor/encode.c - the head of a CBOR array. */
#include <assert.h>
#include <cbor.h>

#include "api/codec/cbor/cbor.h"

enum {
    TAG_ARRAY = 40,   /* RFC 8746: row-major, a pair of extents and values */
    TAG_DOUBLES = 86, /* RFC 8746: binary64, little-endian */
};

size_t tqa_cbor_array_head(const tqa_array *array, char *out)
{
    assert(array->rank >= 1 && array->rank <= TQA_ARRAY_RANK_MAX);
    unsigned char *s = (unsigned char *)out;
    unsigned char *end = s + TQA_CBOR_ARRAY_HEAD;
    if (array->rank > 1) {
        s += cbor_encode_tag(TAG_ARRAY, s, (size_t)(end - s));
        s += cbor_encode_array_start(2, s, (size_t)(end - s));
        s += cbor_encode_array_start(array->rank, s, (size_t)(end - s));
        for (size_t i = 0; i < array->rank; i++) {
            s += cbor_encode_uint(array->shape[i], s, (size_t)(end - s));
        }
    }
    const uint64_t size = tqa_array_count(array) * sizeof(double);
    s += cbor_encode_tag(TAG_DOUBLES, s, (size_t)(end - s));
    s += cbor_encode_bytestring_start(size, s, (size_t)(end - s));
    return (size_t)(s - (unsigned char *)out);
}
