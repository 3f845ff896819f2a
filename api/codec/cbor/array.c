/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/cbor/array.c - the bytes of a typed array as nested arrays of numbers. */
#include "api/codec/cbor/array.h"

#include <assert.h>
#include <string.h>

bool tqa_cbor_array_type(uint64_t tag, tqa_element *ret)
{
    /* RFC 8746, section 2.1: the tag's low bits are float, signed, little-endian, length */
    if (tag < 64 || tag > 87 || tag == 76) {
        return false;
    }
    const bool is_float = (tag & 16) != 0;
    const unsigned length = (unsigned)tag & 3;
    if (is_float && length == 3) {
        return false; /* binary128 */
    }
    ret->kind = is_float         ? TQA_ELEMENT_FLOAT
                : (tag & 8) != 0 ? TQA_ELEMENT_SIGNED
                                 : TQA_ELEMENT_UNSIGNED;
    ret->size = 1U << (is_float ? length + 1 : length);
    ret->big_endian = (tag & 4) == 0;
    return true;
}

/* Values of one entry of dimension k: the product of the later extents. */
static uint64_t stride(const tqa_cbor_array *array, size_t k)
{
    uint64_t product = 1;
    for (size_t i = k; i < array->rank; i++) {
        if (__builtin_mul_overflow(product, array->extents[i], &product)) {
            return UINT64_MAX;
        }
    }
    return product;
}

/* Values of the whole array; UINT64_MAX on overflow or when unknown. */
static uint64_t count_of(const tqa_cbor_array *array)
{
    return stride(array, 0);
}

static tqa_decode stop(tqa_decode_error *reterr, tqa_decode status, uint64_t at, const char *detail)
{
    *reterr = (tqa_decode_error){at, detail};
    return status;
}

tqa_decode tqa_cbor_array_begin(tqa_cbor_array *array, const tqa_events *events, void *ctx,
                                tqa_decode_error *reterr, uint64_t at)
{
    assert(array->rank >= 1 && array->rank <= TQA_ARRAY_RANK_MAX);
    array->index = 0;
    array->n_held = 0;
    return events->begin_array(ctx, at) ? TQA_DECODE_OK
                                        : stop(reterr, TQA_DECODE_REFUSED, at, NULL);
}

/* Opens (or closes) the inner arrays that start (or end) at the current value. */
static bool cross(const tqa_cbor_array *array, bool (*emit)(void *ctx, uint64_t at), void *ctx,
                  uint64_t at)
{
    for (size_t k = 1; k < array->rank; k++) {
        if (array->index % stride(array, k) == 0 && !emit(ctx, at)) {
            return false;
        }
    }
    return true;
}

/* How many whole rows of a table the next n values hold, from its start; 0: pass on runs. */
static size_t whole_rows(const tqa_cbor_array *array, const tqa_events *events, size_t n)
{
    const uint64_t length = array->extents[array->rank - 1];
    if (events->rows == NULL || array->rank != 2 || n < length || array->index % length != 0) {
        return 0;
    }
    const uint64_t left = array->extents[0] - array->index / length;
    const size_t n_row = n / (size_t)length;
    return n_row < left ? n_row : (size_t)left;
}

static tqa_decode emit(tqa_cbor_array *array, const tqa_events *events, void *ctx,
                       tqa_decode_error *reterr, uint64_t at, const double *values, size_t n)
{
    const uint64_t count = count_of(array);
    const uint64_t length = array->extents[array->rank - 1];
    const unsigned size = array->element.size;
    const size_t n_finite = tqa_element_not_finite(values, n);
    for (size_t n_done = 0; n_done < n_finite;) {
        if (array->index >= count) {
            return stop(reterr, TQA_DECODE_MALFORMED, at + n_done * size,
                        "the array has more bytes than its shape says");
        }
        const uint64_t left = length - array->index % length;
        const size_t n_row = whole_rows(array, events, n_finite - n_done);
        if (n_row > 0) {
            const size_t n_column = (size_t)length;
            if (!events->rows(ctx, at + n_done * size, values + n_done, n_row, n_column,
                              n_column * size)) {
                return stop(reterr, TQA_DECODE_REFUSED, at + n_done * size, NULL);
            }
            n_done += n_row * n_column;
            array->index += n_row * n_column;
            continue;
        }
        const size_t run = n_finite - n_done < left ? n_finite - n_done : (size_t)left;
        const uint64_t here = at + n_done * size;
        if (!cross(array, events->begin_array, ctx, here) ||
            !events->numbers(ctx, here, values + n_done, run)) {
            return stop(reterr, TQA_DECODE_REFUSED, here, NULL);
        }
        n_done += run;
        array->index += run;
        if (!cross(array, events->end_array, ctx, at + n_done * size)) {
            return stop(reterr, TQA_DECODE_REFUSED, at + n_done * size, NULL);
        }
    }
    return n_finite == n ? TQA_DECODE_OK
                         : stop(reterr, TQA_DECODE_NOT_FINITE, at + n_finite * size,
                                "a number is not finite");
}

tqa_decode tqa_cbor_array_feed(tqa_cbor_array *array, const tqa_events *events, void *ctx,
                               tqa_decode_error *reterr, uint64_t at, const char *bytes, size_t n)
{
    const unsigned size = array->element.size;
    const unsigned char *from = (const unsigned char *)bytes;
    double values[TQA_ELEMENT_RUN];
    size_t used = 0;
    tqa_decode status = TQA_DECODE_OK;
    if (array->n_held > 0) {
        while (array->n_held < size && used < n) {
            array->held[array->n_held++] = from[used++];
        }
        if (array->n_held < size) {
            return TQA_DECODE_OK;
        }
        array->n_held = 0;
        tqa_element_decode(array->element, array->held, 1, values);
        status = emit(array, events, ctx, reterr, at + used - size, values, 1);
    }
    while (status == TQA_DECODE_OK && n - used >= size) {
        const size_t most = tqa_element_most(array->element, from + used);
        const size_t run =
            tqa_element_run(array->index, array->extents[array->rank - 1], (n - used) / size, most);
        status = emit(array, events, ctx, reterr, at + used,
                      tqa_element_view(array->element, from + used, run, values), run);
        used += run * size;
    }
    if (status == TQA_DECODE_OK) {
        array->n_held = n - used;
        memcpy(array->held, from + used, n - used);
    }
    return status;
}

tqa_decode tqa_cbor_array_end(tqa_cbor_array *array, const tqa_events *events, void *ctx,
                              tqa_decode_error *reterr, uint64_t at)
{
    const bool is_open = array->rank == 1 && array->extents[0] == UINT64_MAX;
    if (array->n_held > 0 || (!is_open && array->index != count_of(array))) {
        return stop(reterr, TQA_DECODE_MALFORMED, at,
                    "the array has fewer bytes than its shape or element type says");
    }
    return events->end_array(ctx, at) ? TQA_DECODE_OK : stop(reterr, TQA_DECODE_REFUSED, at, NULL);
}
