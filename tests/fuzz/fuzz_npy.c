/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/fuzz_npy.c - NPY of any bytes: the same outcome whole and in pieces, places in range.
 * The first byte of the input is the size of the pieces. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "api/codec/npy/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct received {
    tqa_npy_shape shape;
    uint64_t n;
    double sum;
} received;

static void require(int truth)
{
    if (!truth) {
        abort();
    }
}

static bool on_shape(void *ctx, const tqa_npy_shape *shape)
{
    ((received *)ctx)->shape = *shape;
    return true;
}

static bool on_values(void *ctx, uint64_t row, uint64_t column, const double *values, size_t n)
{
    received *t = ctx;
    const bool down = t->shape.fortran_order;
    require(n > 0 && row < t->shape.n_row && column < t->shape.n_column);
    require((down ? row : column) + n <= (down ? t->shape.n_row : t->shape.n_column));
    for (size_t i = 0; i < n; i++) {
        require(isfinite(values[i]));
        t->sum = t->sum / 2 + values[i] / 4;
    }
    t->n += n;
    return true;
}

static tqa_decode decode(const char *bytes, size_t n, size_t piece, received *t,
                         uint64_t *ret_offset)
{
    static const tqa_npy_sink sink = {.shape = on_shape, .values = on_values};
    static tqa_npy_decoder decoder;
    tqa_npy_decoder_init(&decoder, &sink, t, (uint64_t)1 << 40);
    for (size_t i = 0; i < n; i += piece) {
        (void)tqa_npy_decoder_feed(&decoder, bytes + i, n - i < piece ? n - i : piece);
    }
    const tqa_decode status = tqa_npy_decoder_finish(&decoder);
    *ret_offset = decoder.error.offset;
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    const char *bytes = (const char *)data + 1;
    received whole = {.n = 0};
    received pieces = {.n = 0};
    uint64_t whole_offset = 0;
    uint64_t pieces_offset = 0;
    const tqa_decode status = decode(bytes, size - 1, size, &whole, &whole_offset);
    require(decode(bytes, size - 1, (size_t)data[0] + 1, &pieces, &pieces_offset) == status);
    require(whole_offset == pieces_offset && whole.n == pieces.n);
    require(whole.sum == pieces.sum);
    if (status == TQA_DECODE_OK) {
        require(whole.n == whole.shape.n_row * whole.shape.n_column);
    }
    return 0;
}
