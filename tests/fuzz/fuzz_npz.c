/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/fuzz_npz.c - NPZ of any bytes: the same outcome whole and in pieces, bounded values.
 * The first byte of the input is the size of the pieces. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "api/codec/npy/npz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { VALUES_MAX = 5000 };

typedef struct received {
    uint64_t n_member;
    uint64_t n;
    double sum;
} received;

static void require(int truth)
{
    if (!truth) {
        abort();
    }
}

static bool on_member(void *ctx, const char *name, size_t n)
{
    require(n > 0 && n <= TQA_NPZ_NAME_MAX && name[0] > ' ');
    require(++((received *)ctx)->n_member <= TQA_NPZ_MEMBERS_MAX);
    return true;
}

static bool on_shape(void *ctx, const tqa_npy_shape *shape)
{
    require(((received *)ctx)->n + shape->n_row * shape->n_column <= VALUES_MAX);
    return true;
}

static bool on_values(void *ctx, uint64_t row, uint64_t column, const double *values, size_t n)
{
    received *t = ctx;
    for (size_t i = 0; i < n; i++) {
        require(isfinite(values[i]));
        t->sum = t->sum / 2 + values[i] / 4;
    }
    t->n += n;
    require(t->n <= VALUES_MAX && row < VALUES_MAX && column < VALUES_MAX);
    return true;
}

static tqa_decode decode(const char *bytes, size_t n, size_t piece, received *t)
{
    static const tqa_npz_sink sink = {.member = on_member,
                                      .npy = {.shape = on_shape, .values = on_values}};
    tqa_npz_decoder *decoder = tqa_npz_decoder_new(&sink, t, VALUES_MAX);
    require(decoder != NULL);
    for (size_t i = 0; i < n; i += piece) {
        (void)tqa_npz_decoder_feed(decoder, bytes + i, n - i < piece ? n - i : piece);
    }
    const tqa_decode status = tqa_npz_decoder_finish(decoder);
    tqa_npz_decoder_free(decoder);
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
    const tqa_decode status = decode(bytes, size - 1, size, &whole);
    require(decode(bytes, size - 1, (size_t)data[0] + 1, &pieces) == status);
    require(whole.n_member == pieces.n_member && whole.n == pieces.n && whole.sum == pieces.sum);
    return 0;
}
