/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/npy/npy.c - NPY files: one array, read as it arrives and written as it is asked for. */
#include "api/codec/npy/npy.h"

#include <assert.h>
#include <string.h>

#include "api/codec/npy/header.h"

enum {
    PREFIX = 12, /* magic, version, length of the dictionary (two bytes in version 1) */
};

void tqa_npy_decoder_init(tqa_npy_decoder *decoder, const tqa_npy_sink *sink, void *ctx,
                          uint64_t count_max)
{
    assert(decoder != NULL && sink != NULL);
    /* `held` is filled before it is read: not worth clearing for each request */
    decoder->sink = sink;
    decoder->ctx = ctx;
    decoder->count_max = count_max;
    decoder->takes_not_finite = false;
    decoder->status = TQA_DECODE_OK;
    decoder->error = (tqa_decode_error){0, NULL};
    decoder->offset = 0;
    decoder->header_size = 0;
    decoder->index = 0;
    decoder->count = 0;
    decoder->has_shape = false;
    decoder->n_held = 0;
}

static tqa_decode stop(tqa_npy_decoder *decoder, tqa_decode status, uint64_t offset,
                       const char *detail)
{
    decoder->status = status;
    decoder->error = (tqa_decode_error){offset, detail};
    return status;
}

uint64_t tqa_npy_decoder_wants(const tqa_npy_decoder *decoder)
{
    if (decoder->has_shape) {
        return (decoder->count - decoder->index) * decoder->shape.element.size - decoder->n_held;
    }
    /* a version 1 file has at least "{}" after its ten bytes of prefix */
    return (decoder->header_size > 0 ? decoder->header_size : (size_t)PREFIX) - decoder->n_held;
}

/* The prefix is complete: reads the length of the header. */
static tqa_decode read_prefix(tqa_npy_decoder *decoder)
{
    const unsigned char *b = (const unsigned char *)decoder->held;
    if (memcmp(b, "\x93NUMPY", 6) != 0) {
        return stop(decoder, TQA_DECODE_MALFORMED, 0, "the file does not start as an NPY file");
    }
    if (b[6] < 1 || b[6] > 3 || b[7] != 0) {
        return stop(decoder, TQA_DECODE_LIMIT, 6, "the NPY version is not 1.0, 2.0 or 3.0");
    }
    size_t size = (size_t)b[8] | (size_t)b[9] << 8;
    if (b[6] > 1) {
        size |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    }
    size += b[6] == 1 ? 10 : 12;
    if (size < PREFIX) {
        return stop(decoder, TQA_DECODE_MALFORMED, 8, "the NPY header is too short");
    }
    if (size > TQA_NPY_HEADER_MAX) {
        return stop(decoder, TQA_DECODE_LIMIT, 8, "the NPY header is too long");
    }
    decoder->header_size = size;
    return TQA_DECODE_OK;
}

/* The header is complete: reports the shape. */
static tqa_decode read_header(tqa_npy_decoder *decoder)
{
    const size_t prefix = decoder->held[6] == 1 ? 10 : 12;
    const char *detail = NULL;
    tqa_npy_shape *shape = &decoder->shape;
    const tqa_decode status =
        tqa_npy_header_parse(decoder->held + prefix, decoder->header_size - prefix, shape, &detail);
    if (status != TQA_DECODE_OK) {
        return stop(decoder, status, prefix, detail);
    }
    if (shape->n_row > 0 && shape->n_column > decoder->count_max / shape->n_row) {
        return stop(decoder, TQA_DECODE_LIMIT, prefix, "the NPY array has too many values");
    }
    decoder->count = shape->n_row * shape->n_column;
    decoder->has_shape = true;
    decoder->n_held = 0;
    if (!decoder->sink->shape(decoder->ctx, shape)) {
        return stop(decoder, TQA_DECODE_REFUSED, 0, NULL);
    }
    return TQA_DECODE_OK;
}

/* Collects header bytes, as many as the next step needs; returns how many it took. */
static size_t feed_header(tqa_npy_decoder *decoder, const char *bytes, size_t n)
{
    const uint64_t need = tqa_npy_decoder_wants(decoder);
    const size_t taken = n < need ? n : (size_t)need;
    memcpy(decoder->held + decoder->n_held, bytes, taken);
    decoder->n_held += taken;
    decoder->offset += taken;
    if (decoder->header_size == 0 && decoder->n_held == PREFIX) {
        (void)read_prefix(decoder);
    }
    if (decoder->status == TQA_DECODE_OK && decoder->n_held == decoder->header_size) {
        (void)read_header(decoder);
    }
    return taken;
}

/* How many of n values to take at once. */
static size_t take_run(const tqa_npy_decoder *decoder, size_t n, size_t most)
{
    const tqa_npy_shape *shape = &decoder->shape;
    const uint64_t left = decoder->count - decoder->index;
    /* columns of a file in Fortran order may be split anywhere */
    return tqa_element_run(decoder->index, shape->fortran_order ? 0 : shape->n_column,
                           n < left ? n : (size_t)left, most);
}

/* Reports values in runs that end with their row or column. `offset` is that of values[0]. */
static tqa_decode emit(tqa_npy_decoder *decoder, const double *values, size_t n, uint64_t offset)
{
    const tqa_npy_shape *shape = &decoder->shape;
    const uint64_t length = shape->fortran_order ? shape->n_row : shape->n_column;
    const size_t n_finite = decoder->takes_not_finite ? n : tqa_element_not_finite(values, n);
    const bool has_rows = decoder->sink->rows != NULL && !shape->fortran_order;
    size_t n_done = 0;
    while (n_done < n_finite) {
        const uint64_t line = decoder->index / length;
        const uint64_t place = decoder->index % length;
        const uint64_t left = length - place;
        if (place == 0 && n_finite - n_done >= length && has_rows) {
            const size_t n_row = (n_finite - n_done) / (size_t)length;
            if (!decoder->sink->rows(decoder->ctx, line, values + n_done, n_row)) {
                return stop(decoder, TQA_DECODE_REFUSED, offset + n_done * shape->element.size,
                            NULL);
            }
            n_done += n_row * (size_t)length;
            decoder->index += n_row * length;
            continue;
        }
        const size_t run = n_finite - n_done < left ? n_finite - n_done : (size_t)left;
        const uint64_t row = shape->fortran_order ? place : line;
        const uint64_t column = shape->fortran_order ? line : place;
        if (!decoder->sink->values(decoder->ctx, row, column, values + n_done, run)) {
            return stop(decoder, TQA_DECODE_REFUSED, offset + n_done * shape->element.size, NULL);
        }
        n_done += run;
        decoder->index += run;
    }
    if (n_finite < n) {
        return stop(decoder, TQA_DECODE_NOT_FINITE, offset + n_finite * shape->element.size,
                    "a value is not finite");
    }
    return TQA_DECODE_OK;
}

void tqa_npy_decoder_place(const tqa_npy_decoder *decoder, uint64_t *ret_row, uint64_t *ret_column)
{
    const tqa_npy_shape *shape = &decoder->shape;
    const uint64_t length = shape->fortran_order ? shape->n_row : shape->n_column;
    const uint64_t line = length > 0 ? decoder->index / length : 0;
    const uint64_t place = length > 0 ? decoder->index % length : 0;
    *ret_row = shape->fortran_order ? place : line;
    *ret_column = shape->fortran_order ? line : place;
}

static tqa_decode feed_values(tqa_npy_decoder *decoder, const char *bytes, size_t n)
{
    const tqa_element element = decoder->shape.element;
    double values[TQA_ELEMENT_RUN];
    size_t used = 0;

    /* an element that the last piece has cut */
    if (decoder->n_held > 0) {
        while (decoder->n_held < element.size && used < n) {
            decoder->held[decoder->n_held++] = bytes[used++];
        }
        decoder->offset += used;
        if (decoder->n_held < element.size) {
            return TQA_DECODE_OK;
        }
        decoder->n_held = 0;
        tqa_element_decode(element, (const unsigned char *)decoder->held, 1, values);
        if (emit(decoder, values, 1, decoder->offset - element.size) != TQA_DECODE_OK) {
            return decoder->status;
        }
    }
    while (n - used >= element.size && decoder->index < decoder->count) {
        const unsigned char *at = (const unsigned char *)bytes + used;
        const size_t most = tqa_element_most(element, at);
        const size_t run = take_run(decoder, (n - used) / element.size, most);
        const double *from = tqa_element_view(element, at, run, values);
        if (emit(decoder, from, run, decoder->offset) != TQA_DECODE_OK) {
            return decoder->status;
        }
        used += run * element.size;
        decoder->offset += run * element.size;
    }
    if (decoder->index == decoder->count) {
        return used == n ? TQA_DECODE_OK
                         : stop(decoder, TQA_DECODE_MALFORMED, decoder->offset,
                                "there are bytes after the NPY array");
    }
    decoder->n_held = n - used;
    decoder->offset += n - used;
    memcpy(decoder->held, bytes + used, n - used);
    return TQA_DECODE_OK;
}

tqa_decode tqa_npy_decoder_feed(tqa_npy_decoder *decoder, const char *bytes, size_t n)
{
    assert(decoder != NULL && (bytes != NULL || n == 0));
    size_t used = 0;
    while (decoder->status == TQA_DECODE_OK && !decoder->has_shape && used < n) {
        used += feed_header(decoder, bytes + used, n - used);
    }
    if (decoder->status != TQA_DECODE_OK || used == n) {
        return decoder->status;
    }
    return feed_values(decoder, bytes + used, n - used);
}

uint64_t tqa_npy_decoder_plain(const tqa_npy_decoder *decoder, uint64_t *ret_n_left)
{
    const tqa_element element = decoder->shape.element;
    const uint16_t one = 1;
    const bool is_big = *(const unsigned char *)&one == 0;
    if (decoder->status != TQA_DECODE_OK || !decoder->has_shape || decoder->n_held > 0 ||
        element.kind != TQA_ELEMENT_FLOAT || element.size != sizeof(double) ||
        element.big_endian != is_big || !decoder->takes_not_finite) {
        return 0;
    }
    *ret_n_left = decoder->count - decoder->index;
    return decoder->offset;
}

void tqa_npy_decoder_passed(tqa_npy_decoder *decoder, uint64_t n)
{
    assert(n <= decoder->count - decoder->index && decoder->n_held == 0);
    decoder->index += n;
    decoder->offset += n * decoder->shape.element.size;
}

uint64_t tqa_npy_decoder_seek(tqa_npy_decoder *decoder, uint64_t row)
{
    const tqa_npy_shape *shape = &decoder->shape;
    assert(decoder->has_shape && !shape->fortran_order);
    const uint64_t at = row < shape->n_row ? row : shape->n_row;
    decoder->n_held = 0;
    decoder->index = at * shape->n_column;
    decoder->offset = decoder->header_size + decoder->index * shape->element.size;
    return decoder->offset;
}

tqa_decode tqa_npy_decoder_finish(tqa_npy_decoder *decoder)
{
    assert(decoder != NULL);
    if (decoder->status == TQA_DECODE_OK && tqa_npy_decoder_wants(decoder) != 0) {
        return stop(decoder, TQA_DECODE_MALFORMED, decoder->offset, "the NPY file is cut short");
    }
    return decoder->status;
}

void tqa_npy_encoder_init(tqa_npy_encoder *encoder, const tqa_array *array)
{
    assert(encoder != NULL && array != NULL);
    encoder->array = array;
    encoder->header_size = tqa_npy_header_print(array, encoder->header);
    encoder->header_read = 0;
    encoder->index = 0;
}

uint64_t tqa_npy_encoder_size(const tqa_npy_encoder *encoder)
{
    return encoder->header_size + tqa_array_count(encoder->array) * sizeof(double);
}

size_t tqa_npy_encoder_read(tqa_npy_encoder *encoder, char *out, size_t size)
{
    assert(size >= sizeof(double));
    const size_t left = encoder->header_size - encoder->header_read;
    const size_t taken = left < size ? left : size;
    memcpy(out, encoder->header + encoder->header_read, taken);
    encoder->header_read += taken;
    return taken + tqa_array_encode(encoder->array, &encoder->index, out + taken, size - taken);
}
