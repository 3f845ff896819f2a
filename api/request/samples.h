/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/samples.h - arrays of samples of unknown length, in blocks, and how numbers get
 * into them. */
#ifndef TQA_REQUEST_SAMPLES_H
#define TQA_REQUEST_SAMPLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/block.h"

/* A block whose samples are no longer needed. */
typedef struct tqa_spare {
    struct tqa_spare *next;
    size_t n_double;
} tqa_spare;

/* Memory that all sample arrays of one call may take together. */
typedef struct tqa_budget {
    size_t bytes_left;
    bool is_over; /* the last refusal was for want of these, not of the process's memory */
    _Atomic(tqa_spare *) given; /* a stack, on which any thread puts; */
    tqa_spare *spares;          /* the call's own thread takes all of it at once */
} tqa_budget;

/* A growing run of blocks (core/base/block.h). The first TQ_BLOCK_PAD samples lie in a small block
 * of that stride, which the caller may give; more move to blocks of stride TQ_BLOCK_STRIDE. */
typedef struct tqa_blocks {
    size_t n_row;  /* numbers of one sample */
    size_t n_room; /* samples that fit without growing */
    size_t stride;
    double *small;    /* the caller's, or NULL */
    double **table;   /* block by number; when there is one only, &first */
    size_t n_table;   /* rows of an allocated table, else 0 */
    double *first;    /* block 0 */
    void *segments;   /* allocations, newest first */
    size_t n_segment; /* blocks of the newest one */
    double **pinned; /* a table that others may still read; NULL: there is none, or it is `table` */
    bool is_pinned;  /* `table` must not move or go before all is freed */
    bool uses_spares; /* grows by spare blocks of the call before it takes memory */
    tqa_budget *budget;
} tqa_blocks;

/* `small` holds n_row * TQ_BLOCK_PAD numbers, aligned to 64, or is NULL. Inline, as a call makes
 * seven of them. */
/* NOLINTNEXTLINE(readability-non-const-parameter): written through */
static inline void tqa_blocks_init(tqa_blocks *blocks, size_t n_row, double *small,
                                   tqa_budget *budget)
{
    *blocks = (tqa_blocks){
        .n_row = n_row,
        .n_room = small != NULL ? TQ_BLOCK_PAD : 0,
        .stride = TQ_BLOCK_PAD,
        .small = small,
        .first = small,
        .budget = budget,
    };
}
void tqa_blocks_free(tqa_blocks *blocks); /* after growth */
static inline void tqa_blocks_clear(tqa_blocks *blocks)
{
    if (blocks->segments != NULL || blocks->table != NULL) {
        tqa_blocks_free(blocks);
    }
}

/* Makes room for n_sample samples. False: over the budget, or no memory. */
bool tqa_blocks_reserve(tqa_blocks *blocks, size_t n_sample);

/* Makes the table large enough for n_block blocks, and keeps it where it is until all is freed: a
 * copy of *blocks then finds every such block that exists, on any thread, while this one grows.
 * Once, after the first block of full stride exists. False: no memory. */
bool tqa_blocks_pin(tqa_blocks *blocks, size_t n_block);

/* Block b, which must exist. */
static inline double *tqa_blocks_block(const tqa_blocks *blocks, size_t b)
{
    return b == 0 ? blocks->first : blocks->table[b];
}

/* Block b of full stride is no longer read: arrays of the call that use spares may have its memory.
 * Any thread, of a copy of a pinned array too. */
void tqa_blocks_spare(const tqa_blocks *blocks, size_t b);

/* Row 0 of sample i; row r lies r * stride after it. */
static inline double *tqa_blocks_sample(const tqa_blocks *blocks, size_t i)
{
    return tqa_blocks_block(blocks, i / TQ_BLOCK) + i % TQ_BLOCK;
}

/* Row map[r] takes what row r held, for each block; `map` is a permutation of n_row numbers. False:
 * no memory. */
bool tqa_blocks_permute(tqa_blocks *blocks, size_t n_sample, const uint32_t *map);

/* Writes n samples from sample i on, which must have room: number k of the s-th is
 * values[s * pitch + k], and goes to row first_row + k. */
void tqa_blocks_put(tqa_blocks *blocks, size_t first_row, size_t n_row, size_t i,
                    const double *values, size_t pitch, size_t n);

/* Fills the padding of the last block. */
void tqa_blocks_pad(tqa_blocks *blocks, size_t n_sample);

/* Result of adding a piece of an array. */
typedef enum tqa_rows_fault {
    TQA_ROWS_OK,
    TQA_ROWS_LENGTH,  /* a sample ended with n_got numbers */
    TQA_ROWS_NESTING, /* a number where a sample should be, or the other way round */
    TQA_ROWS_MEMORY,
} tqa_rows_fault;

typedef enum tqa_shape {
    TQA_SHAPE_NONE,  /* nothing came yet */
    TQA_SHAPE_FLAT,  /* one sample, [ ... ] */
    TQA_SHAPE_BATCH, /* [ [ ... ], ... ] */
} tqa_shape;

/* One array of a request on its way into rows first_row .. first_row + n_row - 1 of blocks. */
typedef struct tqa_rows {
    size_t first_row, n_row;
    tqa_shape shape;
    unsigned depth;  /* brackets open */
    size_t n_sample; /* complete ones */
    size_t n_got;    /* numbers of the open one, also those beyond n_row */
    double *to;      /* where its row first_row lies */
} tqa_rows;

static inline void tqa_rows_init(tqa_rows *rows, size_t first_row, size_t n_row)
{
    *rows = (tqa_rows){.first_row = first_row, .n_row = n_row};
}
tqa_rows_fault tqa_rows_begin(tqa_rows *rows, tqa_blocks *blocks);
tqa_rows_fault tqa_rows_end(tqa_rows *rows, tqa_blocks *blocks);
tqa_rows_fault tqa_rows_numbers(tqa_rows *rows, tqa_blocks *blocks, const double *values, size_t n);

/* n whole samples of n_row numbers, one after another, as if they came one by one; between samples
 * of a batch, or as its first. */
tqa_rows_fault tqa_rows_whole(tqa_rows *rows, tqa_blocks *blocks, const double *values, size_t n);

/* Repeats the only sample until there are n_sample: a constant beside a batch. */
bool tqa_rows_repeat(tqa_rows *rows, tqa_blocks *blocks, size_t n_sample);

#endif
