/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/cbor/item.c - one item of CBOR, by libcbor's streaming decoder. */
#include "api/codec/cbor/item.h"

#include <cbor.h>

static void on_unsigned(void *ctx, uint64_t value)
{
    *(tqa_cbor_item *)ctx =
        (tqa_cbor_item){.kind = TQA_CBOR_INTEGER, .number = (double)value, .count = value};
}
static void on_uint8(void *ctx, uint8_t value)
{
    on_unsigned(ctx, value);
}
static void on_uint16(void *ctx, uint16_t value)
{
    on_unsigned(ctx, value);
}
static void on_uint32(void *ctx, uint32_t value)
{
    on_unsigned(ctx, value);
}

/* -1 - value, rounded once */
static void on_negative(void *ctx, uint64_t value)
{
    const double magnitude = value == UINT64_MAX ? 0x1p64 : (double)(value + 1);
    *(tqa_cbor_item *)ctx = (tqa_cbor_item){.kind = TQA_CBOR_NUMBER, .number = -magnitude};
}
static void on_negative8(void *ctx, uint8_t value)
{
    on_negative(ctx, value);
}
static void on_negative16(void *ctx, uint16_t value)
{
    on_negative(ctx, value);
}
static void on_negative32(void *ctx, uint32_t value)
{
    on_negative(ctx, value);
}

static void on_double(void *ctx, double value)
{
    *(tqa_cbor_item *)ctx = (tqa_cbor_item){.kind = TQA_CBOR_NUMBER, .number = value};
}
static void on_float(void *ctx, float value)
{
    on_double(ctx, (double)value);
}

static void on_text(void *ctx, cbor_data text, size_t n)
{
    *(tqa_cbor_item *)ctx =
        (tqa_cbor_item){.kind = TQA_CBOR_TEXT, .text = (const char *)text, .count = n};
}
static void on_text_start(void *ctx)
{
    *(tqa_cbor_item *)ctx = (tqa_cbor_item){.kind = TQA_CBOR_TEXT_START};
}
static void on_array(void *ctx, size_t n)
{
    *(tqa_cbor_item *)ctx = (tqa_cbor_item){.kind = TQA_CBOR_ARRAY, .count = n};
}
static void on_array_indefinite(void *ctx)
{
    *(tqa_cbor_item *)ctx = (tqa_cbor_item){.kind = TQA_CBOR_ARRAY, .indefinite = true};
}
static void on_map(void *ctx, size_t n)
{
    *(tqa_cbor_item *)ctx = (tqa_cbor_item){.kind = TQA_CBOR_MAP, .count = n};
}
static void on_map_indefinite(void *ctx)
{
    *(tqa_cbor_item *)ctx = (tqa_cbor_item){.kind = TQA_CBOR_MAP, .indefinite = true};
}
static void on_tag(void *ctx, uint64_t tag)
{
    *(tqa_cbor_item *)ctx = (tqa_cbor_item){.kind = TQA_CBOR_TAG, .count = tag};
}
static void on_boolean(void *ctx, bool truth)
{
    *(tqa_cbor_item *)ctx = (tqa_cbor_item){.kind = TQA_CBOR_BOOLEAN, .truth = truth};
}
static void on_null(void *ctx)
{
    *(tqa_cbor_item *)ctx = (tqa_cbor_item){.kind = TQA_CBOR_NULL};
}
static void on_undefined(void *ctx)
{
    *(tqa_cbor_item *)ctx = (tqa_cbor_item){.kind = TQA_CBOR_UNDEFINED};
}
static void on_break(void *ctx)
{
    *(tqa_cbor_item *)ctx = (tqa_cbor_item){.kind = TQA_CBOR_BREAK};
}

/* byte strings are handled by read_bytes_head */
static const struct cbor_callbacks callbacks = {
    .uint8 = on_uint8,
    .uint16 = on_uint16,
    .uint32 = on_uint32,
    .uint64 = on_unsigned,
    .negint64 = on_negative,
    .negint32 = on_negative32,
    .negint16 = on_negative16,
    .negint8 = on_negative8,
    .string = on_text,
    .string_start = on_text_start,
    .indef_array_start = on_array_indefinite,
    .array_start = on_array,
    .indef_map_start = on_map_indefinite,
    .map_start = on_map,
    .tag = on_tag,
    .float2 = on_float,
    .float4 = on_float,
    .float8 = on_double,
    .undefined = on_undefined,
    .null = on_null,
    .boolean = on_boolean,
    .indef_break = on_break,
};

/* The head of a byte string; libcbor would need all its bytes at once. */
static bool read_bytes_head(const unsigned char *s, size_t n, tqa_cbor_item *ret, size_t *ret_size)
{
    const unsigned info = s[0] & 31U;
    *ret = (tqa_cbor_item){.kind = TQA_CBOR_BYTES, .count = info};
    *ret_size = 1;
    if (info < 24) {
        return true;
    }
    ret->count = 0;
    if (info > 27) {
        ret->indefinite = true;
        return info == 31;
    }
    const size_t size = (size_t)1 << (info - 24);
    *ret_size = n < 1 + size ? 0 : 1 + size;
    for (size_t i = 1; i < *ret_size; i++) {
        ret->count = ret->count << 8 | s[i];
    }
    return true;
}

bool tqa_cbor_item_read(const char *s, size_t n, tqa_cbor_item *ret, size_t *ret_size)
{
    if (((unsigned char)s[0] >> 5) == 2) {
        return read_bytes_head((const unsigned char *)s, n, ret, ret_size);
    }
    const struct cbor_decoder_result result = cbor_stream_decode((cbor_data)s, n, &callbacks, ret);
    *ret_size = result.status == CBOR_DECODER_FINISHED ? result.read : 0;
    return result.status != CBOR_DECODER_ERROR;
}
