/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/samples.c - blocks that grow while a body arrives. */
#include "api/request/samples.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/memory/segments.h"
#include "core/dynamics/arrange.h"

enum {
    SEGMENT_HEADER = 64,       /* keeps the blocks after it aligned */
    SMALL_MAX = 48 << 10,      /* bytes of a segment that malloc keeps when it is freed */
    LARGE_FROM = 3 << 19,      /* three segments: a large one doubles the array at most */
    ROWS_BEYOND_MAX = 1 << 16, /* numbers counted beyond a sample's end before it is refused */
};

typedef struct segment {
    struct segment *next;
    size_t bytes;
} segment;

void tqa_blocks_free(tqa_blocks *blocks)
{
    for (segment *s = blocks->segments; s != NULL;) {
        segment *next = s->next;
        tqa_segment_give(s, s->bytes);
        s = next;
    }
    free(blocks->table);
    free(blocks->pinned);
    *blocks = (tqa_blocks){0};
}

/* Memory after a header, aligned to 64, counted in the budget. */
static double *add_segment(tqa_blocks *blocks, size_t n_double)
{
    /* a row-less array (a robot without joints) still has an address */
    size_t bytes = SEGMENT_HEADER + (n_double + TQ_BLOCK_PAD) * sizeof(double) / 64 * 64;
    /* the sizes that are kept, and whole huge pages */
    if (bytes > TQA_SEGMENT_BYTES / 2 && bytes < TQA_SEGMENT_BYTES) {
        bytes = TQA_SEGMENT_BYTES;
    } else if (bytes > TQA_SEGMENT_BYTES) {
        bytes = (bytes + TQA_SEGMENT_LARGE - 1) / TQA_SEGMENT_LARGE * TQA_SEGMENT_LARGE;
    }
    blocks->budget->is_over = bytes > blocks->budget->bytes_left;
    if (blocks->budget->is_over) {
        return NULL;
    }
    segment *s = tqa_segment_take(bytes);
    if (s == NULL) {
        return NULL;
    }
    blocks->budget->bytes_left -= bytes;
    s->next = blocks->segments;
    s->bytes = bytes;
    blocks->segments = s;
    return (double *)(void *)((unsigned char *)s + SEGMENT_HEADER);
}

static bool grow_table(tqa_blocks *blocks, size_t n_block)
{
    if (n_block <= blocks->n_table) {
        return true;
    }
    size_t n = blocks->n_table > 0 ? blocks->n_table : 8;
    while (n < n_block) {
        n *= 2;
    }
    /* a pinned table stays beside its copy */
    double **old = blocks->is_pinned ? NULL : blocks->table;
    double **table = realloc(old, n * sizeof *table);
    if (table == NULL) {
        blocks->budget->is_over = false;
        return false;
    }
    if (blocks->is_pinned) {
        memcpy(table, blocks->table, blocks->n_table * sizeof *table);
        blocks->pinned = blocks->table;
        blocks->is_pinned = false;
    }
    blocks->table = table;
    blocks->n_table = n;
    return true;
}

static size_t block_bytes(const tqa_blocks *blocks)
{
    return blocks->n_row * TQ_BLOCK_STRIDE * sizeof(double);
}

/* Whole blocks of a segment of so many bytes. */
static size_t blocks_in(const tqa_blocks *blocks, size_t segment_bytes)
{
    const size_t room = segment_bytes - SEGMENT_HEADER - TQ_BLOCK_PAD * sizeof(double);
    return room / (block_bytes(blocks) + (blocks->n_row == 0));
}

/* Blocks that the next segment gets, of a size that is kept: a few huge pages of which three
 * quarters are used, once the array is large; else the small size. At least one. */
static size_t most_blocks(const tqa_blocks *blocks)
{
    const size_t each = block_bytes(blocks);
    if (each > TQA_SEGMENT_BYTES || blocks->n_room / TQ_BLOCK * each >= LARGE_FROM) {
        for (size_t k = 1; k <= TQA_SEGMENT_LARGE_MOST; k++) {
            const size_t bytes = k * TQA_SEGMENT_LARGE, n = blocks_in(blocks, bytes);
            if (n * each >= bytes - bytes / 4) {
                return n;
            }
        }
        return 1;
    }
    const size_t n = blocks_in(blocks, TQA_SEGMENT_BYTES);
    return n > 0 && each > 0 ? n : 1;
}

bool tqa_blocks_pin(tqa_blocks *blocks, size_t n_block)
{
    assert(blocks->stride == TQ_BLOCK_STRIDE && blocks->pinned == NULL);
    /* the segment of the last one may hold more than are asked for */
    if (!grow_table(blocks, n_block + blocks_in(blocks, (size_t)TQA_SEGMENT_LARGE_MOST *
                                                            TQA_SEGMENT_LARGE))) {
        return false;
    }
    blocks->is_pinned = true;
    return true;
}

/* From the small block to the first of full stride. */
static bool widen(tqa_blocks *blocks)
{
    const size_t n_row = blocks->n_row;
    double *first = add_segment(blocks, n_row * TQ_BLOCK_STRIDE);
    if (first == NULL || !grow_table(blocks, 1)) {
        return false;
    }
    for (size_t r = 0; r < n_row && blocks->first != NULL; r++) {
        memcpy(first + r * TQ_BLOCK_STRIDE, blocks->first + r * blocks->stride,
               TQ_BLOCK_PAD * sizeof *first);
    }
    blocks->first = first;
    blocks->table[0] = first;
    blocks->stride = TQ_BLOCK_STRIDE;
    blocks->n_room = TQ_BLOCK;
    blocks->n_segment = 1;
    return true;
}

void tqa_blocks_spare(const tqa_blocks *blocks, size_t b)
{
    tqa_spare *spare = (tqa_spare *)(void *)tqa_blocks_block(blocks, b);
    _Atomic(tqa_spare *) *given = &blocks->budget->given;
    assert(blocks->stride == TQ_BLOCK_STRIDE);
    *spare = (tqa_spare){.next = atomic_load_explicit(given, memory_order_relaxed),
                         .n_double = blocks->n_row * TQ_BLOCK_STRIDE};
    while (!atomic_compare_exchange_weak_explicit(given, &spare->next, spare, memory_order_release,
                                                  memory_order_relaxed)) {
    }
}

/* A spare block that is large enough; NULL: there is none. Only one thread takes, and all at once:
 * no block can leave the stack and come again between a look and an exchange. */
static double *take_spare(tqa_blocks *blocks)
{
    tqa_budget *budget = blocks->budget;
    if (budget->spares == NULL) {
        budget->spares = atomic_exchange_explicit(&budget->given, NULL, memory_order_acquire);
    }
    for (tqa_spare **link = &budget->spares; *link != NULL; link = &(*link)->next) {
        tqa_spare *spare = *link;
        if (spare->n_double >= blocks->n_row * TQ_BLOCK_STRIDE) {
            *link = spare->next;
            return (double *)(void *)spare;
        }
    }
    return NULL;
}

static bool add_spare(tqa_blocks *blocks)
{
    const size_t b = blocks->n_room / TQ_BLOCK;
    double *block = blocks->uses_spares && grow_table(blocks, b + 1) ? take_spare(blocks) : NULL;
    if (block == NULL) {
        return false;
    }
    blocks->table[b] = block;
    blocks->n_room += TQ_BLOCK;
    return true;
}

/* Segments double while malloc serves them from its free memory: memory taken from the system and
 * returned for each call has pages to be cleared. Larger segments have the size that is cached. */
static bool add_blocks(tqa_blocks *blocks)
{
    const size_t each = blocks->n_row * TQ_BLOCK_STRIDE;
    size_t n = 2 * blocks->n_segment;
    n = n * each * sizeof(double) <= SMALL_MAX ? n : most_blocks(blocks);
    const size_t b = blocks->n_room / TQ_BLOCK;
    double *memory = grow_table(blocks, b + n) ? add_segment(blocks, n * each) : NULL;
    if (memory == NULL) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        blocks->table[b + k] = memory + k * each;
    }
    blocks->n_segment = n;
    blocks->n_room += n * TQ_BLOCK;
    return true;
}

bool tqa_blocks_reserve(tqa_blocks *blocks, size_t n_sample)
{
    assert(blocks != NULL);
    if (n_sample <= blocks->n_room) {
        return true;
    }
    if (blocks->first == NULL && n_sample <= TQ_BLOCK_PAD) {
        blocks->first = add_segment(blocks, blocks->n_row * TQ_BLOCK_PAD);
        blocks->n_room = blocks->first != NULL ? TQ_BLOCK_PAD : 0;
        return blocks->first != NULL;
    }
    if (blocks->stride != TQ_BLOCK_STRIDE && !widen(blocks)) {
        return false;
    }
    while (n_sample > blocks->n_room) {
        if (!add_spare(blocks) && !add_blocks(blocks)) {
            return false;
        }
    }
    return true;
}

bool tqa_blocks_permute(tqa_blocks *blocks, size_t n_sample, const uint32_t *map)
{
    const size_t n_row = blocks->n_row;
    double *copy = malloc((n_row * blocks->stride + 1) * sizeof *copy);
    if (copy == NULL) {
        blocks->budget->is_over = false;
        return false;
    }
    for (size_t b = 0; b < tq_block_count(n_sample); b++) {
        double *block = tqa_blocks_block(blocks, b);
        const size_t n = tq_block_samples(n_sample, b);
        for (size_t r = 0; r < n_row; r++) {
            memcpy(copy + r * n, block + r * blocks->stride, n * sizeof *copy);
        }
        for (size_t r = 0; r < n_row; r++) {
            memcpy(block + map[r] * blocks->stride, copy + r * n, n * sizeof *copy);
        }
    }
    free(copy);
    return true;
}

void tqa_blocks_put(tqa_blocks *blocks, size_t first_row, size_t n_row, size_t i,
                    const double *values, size_t pitch, size_t n)
{
    assert(i + n <= blocks->n_room);
    while (n > 0) {
        const size_t left = TQ_BLOCK - i % TQ_BLOCK;
        const size_t here = n < left ? n : left;
        const size_t stride = blocks->stride;
        double *to = tqa_blocks_sample(blocks, i) + first_row * stride;
        tq_samples_to_block(n_row, here, values, pitch, to, stride);
        values += here * pitch;
        i += here;
        n -= here;
    }
}

void tqa_blocks_pad(tqa_blocks *blocks, size_t n_sample)
{
    if (n_sample % TQ_BLOCK_PAD != 0) {
        const size_t b = n_sample / TQ_BLOCK;
        tq_block_pad(tqa_blocks_block(blocks, b), blocks->n_row, blocks->stride,
                     tq_block_samples(n_sample, b));
    }
}

/* ------------------------------------------------------------------------------------------------
 * Rows
 */

static tqa_rows_fault begin_sample(tqa_rows *rows, tqa_blocks *blocks)
{
    if (!tqa_blocks_reserve(blocks, rows->n_sample + 1)) {
        return TQA_ROWS_MEMORY;
    }
    rows->to = tqa_blocks_sample(blocks, rows->n_sample) + rows->first_row * blocks->stride;
    rows->n_got = 0;
    return TQA_ROWS_OK;
}

static tqa_rows_fault end_sample(tqa_rows *rows)
{
    if (rows->n_got != rows->n_row) {
        return TQA_ROWS_LENGTH;
    }
    rows->n_sample++;
    return TQA_ROWS_OK;
}

tqa_rows_fault tqa_rows_begin(tqa_rows *rows, tqa_blocks *blocks)
{
    rows->depth++;
    if (rows->depth == 1) {
        return TQA_ROWS_OK;
    }
    if (rows->depth > 2 || rows->shape == TQA_SHAPE_FLAT) {
        rows->depth--;
        return TQA_ROWS_NESTING;
    }
    rows->shape = TQA_SHAPE_BATCH;
    return begin_sample(rows, blocks);
}

tqa_rows_fault tqa_rows_end(tqa_rows *rows, tqa_blocks *blocks)
{
    if (rows->depth == 2) {
        const tqa_rows_fault fault = end_sample(rows);
        rows->depth -= fault == TQA_ROWS_OK;
        return fault;
    }
    if (rows->shape == TQA_SHAPE_NONE) {
        /* "[]": a sample of a robot that has no such coordinates, else too short */
        rows->shape = TQA_SHAPE_FLAT;
        const tqa_rows_fault fault = begin_sample(rows, blocks);
        if (fault != TQA_ROWS_OK) {
            return fault;
        }
    }
    const tqa_rows_fault fault = rows->shape == TQA_SHAPE_FLAT ? end_sample(rows) : TQA_ROWS_OK;
    rows->depth -= fault == TQA_ROWS_OK;
    return fault;
}

tqa_rows_fault tqa_rows_numbers(tqa_rows *rows, tqa_blocks *blocks, const double *values, size_t n)
{
    if (rows->depth == 1 && rows->shape != TQA_SHAPE_FLAT) {
        if (rows->shape == TQA_SHAPE_BATCH) {
            return TQA_ROWS_NESTING;
        }
        rows->shape = TQA_SHAPE_FLAT;
        const tqa_rows_fault fault = begin_sample(rows, blocks);
        if (fault != TQA_ROWS_OK) {
            return fault;
        }
    }
    const size_t stride = blocks->stride;
    const size_t room = rows->n_row > rows->n_got ? rows->n_row - rows->n_got : 0;
    const size_t kept = n < room ? n : room;
    for (size_t k = 0; k < kept; k++) {
        rows->to[(rows->n_got + k) * stride] = values[k];
    }
    /* surplus numbers are counted, so that the message can state the length of the array */
    rows->n_got += n;
    return rows->n_got > rows->n_row + ROWS_BEYOND_MAX ? TQA_ROWS_LENGTH : TQA_ROWS_OK;
}

tqa_rows_fault tqa_rows_whole(tqa_rows *rows, tqa_blocks *blocks, const double *values, size_t n)
{
    assert(rows->depth == 1 && rows->shape != TQA_SHAPE_FLAT);
    if (!tqa_blocks_reserve(blocks, rows->n_sample + n)) {
        return TQA_ROWS_MEMORY;
    }
    rows->shape = TQA_SHAPE_BATCH;
    tqa_blocks_put(blocks, rows->first_row, rows->n_row, rows->n_sample, values, rows->n_row, n);
    rows->n_sample += n;
    rows->n_got = rows->n_row;
    return TQA_ROWS_OK;
}

bool tqa_rows_repeat(tqa_rows *rows, tqa_blocks *blocks, size_t n_sample)
{
    assert(rows->n_sample == 1);
    if (!tqa_blocks_reserve(blocks, n_sample)) {
        return false;
    }
    const double *from = tqa_blocks_sample(blocks, 0) + rows->first_row * blocks->stride;
    for (size_t i = 1; i < n_sample; i++) {
        double *to = tqa_blocks_sample(blocks, i) + rows->first_row * blocks->stride;
        for (size_t r = 0; r < rows->n_row; r++) {
            to[r * blocks->stride] = from[r * blocks->stride];
        }
    }
    rows->n_sample = n_sample;
    return true;
}
