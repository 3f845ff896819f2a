/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/element.c - numbers as bytes: the element types of NPY files and CBOR typed arrays.
 */
#include "api/codec/element.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/base/finite.h"
#include "core/dynamics/arrange.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "doubles are copied as they are");

static uint64_t load(const unsigned char *bytes, unsigned size, bool big_endian)
{
    uint64_t word = 0;
    for (unsigned i = 0; i < size; i++) {
        word |= (uint64_t)bytes[i] << (8 * (big_endian ? size - 1 - i : i));
    }
    return word;
}

static double half_to_double(uint64_t word)
{
    const int exponent = (int)(word >> 10) & 0x1f;
    const double fraction = (double)(word & 0x3ff);
    double x = 0.0;
    if (exponent == 0x1f) {
        x = fraction == 0.0 ? (double)INFINITY : (double)NAN;
    } else {
        x = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024.0, exponent - 25);
    }
    return (word & 0x8000) != 0 ? -x : x;
}

static double float_to_double(uint64_t word, unsigned size)
{
    if (size == 2) {
        return half_to_double(word);
    }
    if (size == 4) {
        const uint32_t bits = (uint32_t)word;
        float x;
        memcpy(&x, &bits, sizeof x);
        return (double)x;
    }
    double x;
    memcpy(&x, &word, sizeof x);
    return x;
}

static double signed_to_double(uint64_t word, unsigned size)
{
    assert(size >= 1 && size <= 8);
    const uint64_t sign = (uint64_t)1 << (8 * size - 1);
    return (double)(int64_t)((word ^ sign) - sign);
}

static bool is_double(tqa_element element)
{
    return element.kind == TQA_ELEMENT_FLOAT && element.size == 8 && !element.big_endian;
}

static bool is_in_place(tqa_element element, const unsigned char *bytes)
{
    return is_double(element) && (uintptr_t)bytes % _Alignof(double) == 0;
}

size_t tqa_element_most(tqa_element element, const unsigned char *bytes)
{
    return is_in_place(element, bytes) ? (size_t)TQA_ELEMENT_VIEW : (size_t)TQA_ELEMENT_RUN;
}

const double *tqa_element_view(tqa_element element, const unsigned char *bytes, size_t n,
                               double *room)
{
    if (is_in_place(element, bytes)) {
        return (const double *)(const void *)bytes;
    }
    tqa_element_decode(element, bytes, n, room);
    return room;
}

void tqa_element_decode(tqa_element element, const unsigned char *bytes, size_t n, double *ret)
{
    assert(bytes != NULL || n == 0);
    assert(element.size >= 1 && element.size <= TQA_ELEMENT_SIZE_MAX);
    if (is_double(element)) {
        memcpy(ret, bytes, n * sizeof *ret);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const uint64_t word = load(bytes + i * element.size, element.size, element.big_endian);
        switch (element.kind) {
        case TQA_ELEMENT_FLOAT:
            ret[i] = float_to_double(word, element.size);
            break;
        case TQA_ELEMENT_SIGNED:
            ret[i] = signed_to_double(word, element.size);
            break;
        case TQA_ELEMENT_UNSIGNED:
            ret[i] = (double)word;
            break;
        }
    }
}

size_t tqa_element_run(uint64_t index, uint64_t length, size_t n, size_t most)
{
    enum { LINE = 8 };
    const size_t run = n < most ? n : most;
    if (length == 0 || length > run) {
        return run;
    }
    const uint64_t place = index % length;
    if (place > 0) {
        return (size_t)(length - place);
    }
    const size_t n_row = run / (size_t)length;
    const size_t beyond = (size_t)((index / length + n_row) % LINE);
    return (n_row > beyond ? n_row - beyond : n_row) * (size_t)length;
}

size_t tqa_element_not_finite(const double *values, size_t n)
{
    return tq_all_finite(n, values) ? n : tq_find_not_finite(values, n);
}

uint64_t tqa_array_count(const tqa_array *array)
{
    assert(array->rank >= 1 && array->rank <= TQA_ARRAY_RANK_MAX);
    uint64_t count = 1;
    for (size_t i = 0; i < array->rank; i++) {
        count *= array->shape[i];
    }
    return count;
}

size_t tqa_array_values(const tqa_array *array, uint64_t index, size_t most, double *room,
                        const double **ret)
{
    const uint64_t count = tqa_array_count(array);
    assert(most > 0 && index < count);
    const uint64_t n_column = count / array->shape[0];
    const uint64_t row = index / n_column, column = index % n_column;
    const uint64_t left = array->shape[0] - row; /* rows */
    const size_t n_here = most < TQA_ARRAY_ROOM ? most : TQA_ARRAY_ROOM;
    *ret = room;
    if (n_here < n_column || column > 0 ||
        (array->find_rows == NULL && array->gather_rows == NULL)) {
        const size_t n = n_here < n_column - column ? n_here : (size_t)(n_column - column);
        array->gather(array->ctx, row, column, n, room);
        return n;
    }
    const size_t most_rows = (array->find_rows != NULL ? most : n_here) / (size_t)n_column;
    size_t n_row = most_rows < left ? most_rows : (size_t)left;
    if (array->find_rows != NULL) {
        *ret = array->find_rows(array->ctx, row, &n_row);
    } else {
        array->gather_rows(array->ctx, row, n_row, room);
    }
    return n_row * (size_t)n_column;
}

size_t tqa_array_encode(const tqa_array *array, uint64_t *index, char *out, size_t size)
{
    const uint64_t count = tqa_array_count(array);
    double room[TQA_ARRAY_ROOM];
    size_t written = 0;
    while (*index < count && size - written >= sizeof(double)) {
        const double *from = room;
        const size_t n =
            tqa_array_values(array, *index, (size - written) / sizeof(double), room, &from);
        memcpy(out + written, from, n * sizeof(double));
        written += n * sizeof(double);
        *index += n;
    }
    return written;
}
