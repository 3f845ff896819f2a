/* SPDX-License-Identifier: Apache-2.0 */
/* core/base/block.h - the one layout of sample arrays: structure of arrays, in blocks. */
#ifndef TQ_BASE_BLOCK_H
#define TQ_BASE_BLOCK_H

#include <stddef.h>

/* A block holds up to TQ_BLOCK samples of an array with n_row rows: row r of sample i is at
 * data[r * stride + i]. The stride is a multiple of TQ_BLOCK_PAD, data is aligned to 64 bytes, and
 * the samples between n_sample and the next multiple of TQ_BLOCK_PAD must hold finite numbers
 * (tq_block_pad writes them): kernels compute them too, and the results are ignored. A larger array
 * is a sequence of blocks of stride TQ_BLOCK_STRIDE.
 *
 * That stride is not a power of two: rows 2 KiB apart map to the same few sets of every cache, and
 * the mass matrix of a humanoid took three times as long to write. TQ_BLOCK is a valid stride
 * too. */
enum {
    TQ_BLOCK = 256,   /* samples of a full block */
    TQ_BLOCK_PAD = 8, /* the widest lane count */
    TQ_BLOCK_STRIDE = TQ_BLOCK + TQ_BLOCK_PAD,
};

/* Stride of an array of n_sample samples: TQ_BLOCK_STRIDE, or less for one of less than a block. */
static inline size_t tq_block_stride(size_t n_sample)
{
    return n_sample > TQ_BLOCK - TQ_BLOCK_PAD
               ? (size_t)TQ_BLOCK_STRIDE
               : (n_sample + TQ_BLOCK_PAD - 1) / TQ_BLOCK_PAD * TQ_BLOCK_PAD;
}

/* Number of blocks, and samples in block b, of an array of n_sample samples. */
static inline size_t tq_block_count(size_t n_sample)
{
    return (n_sample + TQ_BLOCK - 1) / TQ_BLOCK;
}
static inline size_t tq_block_samples(size_t n_sample, size_t b)
{
    const size_t left = n_sample - b * TQ_BLOCK;
    return left < TQ_BLOCK ? left : (size_t)TQ_BLOCK;
}

/* Repeats the last sample up to the next multiple of TQ_BLOCK_PAD in each of n_row rows. */
static inline void tq_block_pad(double *data, size_t n_row, size_t stride, size_t n_sample)
{
    _Static_assert(TQ_BLOCK_PAD == 8, "a row is written out below");
    if (n_sample == 1) { /* the most frequent request: no inner loop */
        for (size_t r = 0; r < n_row; r++) {
            double *row = data + r * stride;
            row[1] = row[2] = row[3] = row[4] = row[5] = row[6] = row[7] = row[0];
        }
        return;
    }
    for (size_t r = 0; r < n_row; r++) {
        for (size_t i = n_sample; i % TQ_BLOCK_PAD != 0; i++) {
            data[r * stride + i] = data[r * stride + n_sample - 1];
        }
    }
}

#endif
