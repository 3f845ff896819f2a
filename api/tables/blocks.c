/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/blocks.c - least and greatest values of blocks of rows, gathered row by row; two
 * blocks become one where there are too many. */
#include "api/tables/blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t blocks_max(uint64_t n_column)
{
    return (size_t)(TQA_BLOCKS_BYTES / (2 * sizeof(double) * (n_column > 0 ? n_column : 1)));
}

tqa_dataset_blocks *tqa_blocks_new(size_t n_column)
{
    tqa_dataset_blocks *blocks = calloc(1, sizeof *blocks);
    if (blocks == NULL) {
        return NULL;
    }
    blocks->n_column = n_column;
    blocks->rows_per_block = TQA_BLOCK_ROWS;
    blocks->has_offsets = true;
    blocks->names = calloc(n_column, sizeof *blocks->names);
    if (blocks->names == NULL) {
        tqa_dataset_blocks_free(blocks);
        return NULL;
    }
    return blocks;
}

void tqa_dataset_blocks_free(tqa_dataset_blocks *blocks)
{
    if (blocks != NULL) {
        free(blocks->least);
        free(blocks->most);
        free(blocks->least_at);
        free(blocks->most_at);
        free(blocks->offset);
        free(blocks->names);
        free(blocks);
    }
}

size_t tqa_dataset_blocks_bytes(const tqa_dataset_blocks *blocks)
{
    return sizeof *blocks + blocks->n_column * sizeof *blocks->names +
           blocks->n_room * (2 * blocks->n_column * (sizeof(double) + sizeof(uint32_t)) +
                             sizeof *blocks->offset);
}

/* block 2 b and the one after it become block b */
static void merge_pairs(tqa_dataset_blocks *blocks)
{
    const size_t n = blocks->n_column;
    const size_t n_after = (blocks->n_block + 1) / 2;
    for (size_t b = 0; b < n_after; b++) {
        const size_t one = 2 * b;
        const size_t other = one + 1 < blocks->n_block ? one + 1 : one;
        const uint32_t later = other > one ? (uint32_t)blocks->rows_per_block : 0;
        for (size_t c = 0; c < n; c++) {
            const size_t i = one * n + c, k = other * n + c, to = b * n + c;
            const bool lower = blocks->least[k] < blocks->least[i];
            const bool higher = blocks->most[k] > blocks->most[i];
            blocks->least_at[to] = lower ? later + blocks->least_at[k] : blocks->least_at[i];
            blocks->most_at[to] = higher ? later + blocks->most_at[k] : blocks->most_at[i];
            blocks->least[to] = blocks->least[lower ? k : i];
            blocks->most[to] = blocks->most[higher ? k : i];
        }
        blocks->offset[b] = blocks->offset[one];
    }
    blocks->n_block = n_after;
    blocks->rows_per_block *= 2;
}

/* like realloc: NULL leaves the list as it was */
static double *enlarge(double *list, size_t n)
{
    return realloc(list, (n > 0 ? n : 1) * sizeof *list);
}

static uint32_t *enlarge_places(uint32_t *list, size_t n)
{
    return realloc(list, (n > 0 ? n : 1) * sizeof *list);
}

static bool make_room(tqa_dataset_blocks *blocks)
{
    const size_t n = blocks->n_column;
    const size_t most = blocks_max(n);
    if (blocks->n_block == most) {
        merge_pairs(blocks);
    }
    if (blocks->n_block < blocks->n_room) {
        return true;
    }
    size_t room = 2 * blocks->n_room + 16;
    room = room < most ? room : most;
    double *least = enlarge(blocks->least, room * n);
    if (least == NULL) {
        return false;
    }
    blocks->least = least;
    double *greatest = enlarge(blocks->most, room * n);
    if (greatest == NULL) {
        return false;
    }
    blocks->most = greatest;
    uint32_t *places = enlarge_places(blocks->least_at, room * n);
    if (places == NULL) {
        return false;
    }
    blocks->least_at = places;
    places = enlarge_places(blocks->most_at, room * n);
    if (places == NULL) {
        return false;
    }
    blocks->most_at = places;
    uint64_t *offset = realloc(blocks->offset, (room > 0 ? room : 1) * sizeof *offset);
    if (offset == NULL) {
        return false;
    }
    blocks->offset = offset;
    blocks->n_room = room;
    return true;
}

static bool open_block(tqa_dataset_blocks *blocks, uint64_t row, uint64_t offset)
{
    const size_t n = blocks->n_column;
    if (!make_room(blocks)) {
        return false;
    }
    if (row % blocks->rows_per_block != 0) {
        return true; /* the merged last block goes on */
    }
    const size_t b = blocks->n_block++;
    for (size_t c = 0; c < n; c++) {
        blocks->least[b * n + c] = (double)INFINITY;
        blocks->most[b * n + c] = -(double)INFINITY;
        blocks->least_at[b * n + c] = blocks->most_at[b * n + c] = 0;
    }
    blocks->offset[b] = offset;
    return true;
}

bool tqa_blocks_add(tqa_dataset_blocks *blocks, uint64_t row, uint64_t offset, size_t column,
                    const double *values, size_t n)
{
    if (column == 0 && row % blocks->rows_per_block == 0 && !open_block(blocks, row, offset)) {
        return false;
    }
    const size_t first = (blocks->n_block - 1) * blocks->n_column + column;
    const uint32_t at = (uint32_t)(row % blocks->rows_per_block);
    for (size_t i = 0; i < n; i++) {
        const double x = values[i];
        if (isfinite(x) && x < blocks->least[first + i]) {
            blocks->least[first + i] = x;
            blocks->least_at[first + i] = at;
        }
        if (isfinite(x) && x > blocks->most[first + i]) {
            blocks->most[first + i] = x;
            blocks->most_at[first + i] = at;
        }
    }
    blocks->n_row = row + 1;
    return true;
}

/* -------------------------------------------------------------------------------------- points */

uint64_t tqa_dataset_rows_per_point(uint64_t n_all, uint64_t n_column, uint64_t n_row,
                                    size_t n_points)
{
    enum { SHORT = 65536 }; /* rows that are read again in some milliseconds */
    const uint64_t least = n_row > n_points ? (n_row + n_points - 1) / n_points : 1;
    if (n_all < SHORT) {
        return least;
    }
    uint64_t block = TQA_BLOCK_ROWS;
    while ((n_all + block - 1) / block > blocks_max(n_column)) {
        block *= 2;
    }
    return least <= block / 2 ? least : (least + block - 1) / block * block;
}

bool tqa_blocks_fit(const tqa_dataset_blocks *blocks, uint64_t first_row, uint64_t rows_per_point)
{
    return first_row % blocks->rows_per_block == 0 && rows_per_point % blocks->rows_per_block == 0;
}

bool tqa_blocks_points(const tqa_dataset_blocks *blocks, tqa_dataset_columns *to)
{
    const size_t n = blocks->n_column;
    const size_t first = (size_t)(to->first_row / blocks->rows_per_block);
    const size_t each = (size_t)(to->rows_per_bucket / blocks->rows_per_block);
    bool is_short = false;
    if (tqa_dataset_columns_append(to, n, &is_short) != NULL) {
        return false;
    }
    for (size_t c = 0; c < n; c++) {
        memcpy(to->columns[c].name, blocks->names[c], sizeof blocks->names[c]);
    }
    for (size_t k = first; k < blocks->n_block && (k - first) / each < to->n_bucket; k++) {
        const size_t bucket = (k - first) / each;
        const uint64_t before = (k - first) % each * blocks->rows_per_block;
        for (size_t c = 0; c < n; c++) {
            const size_t i = c * to->n_bucket + bucket, from = k * n + c;
            tqa_dataset_columns_lower(to, i, blocks->least[from], before + blocks->least_at[from]);
            tqa_dataset_columns_raise(to, i, blocks->most[from], before + blocks->most_at[from]);
        }
    }
    return true;
}

size_t tqa_blocks_at(const tqa_dataset_blocks *blocks, uint64_t row)
{
    const uint64_t b = row / blocks->rows_per_block;
    return b < blocks->n_block ? (size_t)b : blocks->n_block - 1;
}
