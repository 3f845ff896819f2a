/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/dataset_points.c - points of a plot: blocks gathered while a file is read, and points
 * out of them, or of the rows from a block on. */
#include <stdlib.h>
#include <string.h>

#include "api/tables/dataset_private.h"

enum { PIECE = 64 << 10 };

void tqa_dataset_set_part(tqa_dataset_columns *columns, const tqa_dataset_part *part)
{
    const uint64_t each = part->rows_per_point;
    columns->first_row = part->first_row;
    columns->rows_per_bucket = each;
    columns->with_places = part->with_places;
    columns->n_bucket = (size_t)((part->n_row + each - 1) / each);
    columns->n_bucket = columns->n_bucket > 0 ? columns->n_bucket : 1;
}

void tqa_dataset_put_points(const tqa_dataset_columns *columns, uint64_t n_row, tqa_writer *to)
{
    tqa_writer_count(to, "rows", (size_t)n_row);
    tqa_writer_count(to, "columns", tqa_dataset_columns_count(columns));
    tqa_writer_count(to, "first_row", (size_t)columns->first_row);
    tqa_writer_count(to, "rows_per_point", (size_t)columns->rows_per_bucket);
    tqa_writer_count(to, "points", columns->n_bucket);
    tqa_writer_list(to, "series");
}

/* ------------------------------------------------------------------------------------ gathering */

void tqa_dataset_gather(tqa_dataset *dataset)
{
    dataset->gathers = true;
}

static bool begin_blocks(tqa_dataset *d)
{
    d->blocks = tqa_blocks_new(d->columns.n);
    if (d->blocks == NULL) {
        return false;
    }
    d->blocks->has_offsets =
        d->front.pack == TQA_PACK_NONE && (d->form == TQA_FORM_CSV || d->form == TQA_FORM_NPY);
    for (size_t c = 0; c < d->columns.n; c++) {
        memcpy(d->blocks->names[c], d->columns.columns[c].name, sizeof d->blocks->names[c]);
    }
    return true;
}

/* where the row begins in the file, of a form in which that is at hand */
static uint64_t offset_of(const tqa_dataset *d, uint64_t row)
{
    if (d->csv != NULL) {
        return tqa_csv_decoder_line_at(d->csv);
    }
    return d->npy.header_size + row * d->shape.n_column * d->shape.element.size;
}

/* an array in Fortran order and members of an archive come column by column */
void tqa_dataset_gather_row(tqa_dataset *dataset, uint64_t row, size_t column, const double *values,
                            size_t n)
{
    tqa_dataset *d = dataset;
    if (!d->gathers || d->npz != NULL || (d->form == TQA_FORM_NPY && d->shape.fortran_order)) {
        return;
    }
    bool good = d->blocks != NULL || begin_blocks(d);
    if (d->columns.n == 1) {
        for (size_t i = 0; good && i < n; i++) {
            good = tqa_blocks_add(d->blocks, row + i, offset_of(d, row + i), 0, values + i, 1);
        }
    } else {
        good = good && tqa_blocks_add(d->blocks, row, offset_of(d, row), column, values, n);
    }
    if (!good) { /* a plot is drawn without them too */
        tqa_dataset_blocks_free(d->blocks);
        d->blocks = NULL;
        d->gathers = false;
    }
}

tqa_dataset_blocks *tqa_dataset_take_blocks(tqa_dataset *dataset)
{
    tqa_dataset_blocks *blocks = dataset->blocks;
    dataset->blocks = NULL;
    return blocks;
}

/* -------------------------------------------------------------------------------------- reading */

static char *write_points(const tqa_dataset_columns *columns, uint64_t n_row, size_t *ret_n)
{
    tqa_writer to = {.cbor = false};
    tqa_writer_members(&to);
    tqa_dataset_put_points(columns, n_row, &to);
    tqa_dataset_columns_put(columns, &to);
    tqa_writer_end(&to);
    return tqa_writer_take(&to, ret_n);
}

/* the next row that is fed */
static uint64_t row_of(const tqa_dataset *d)
{
    uint64_t row = d->n_row;
    uint64_t column;
    if (d->form == TQA_FORM_NPY) {
        tqa_npy_decoder_place(&d->npy, &row, &column);
    }
    return row;
}

/* After the first block, from which the decoder has the form of the rows: goes on with the block of
 * the first row of the part. */
static uint64_t jump(tqa_dataset *d, const tqa_dataset_blocks *blocks, uint64_t at)
{
    const size_t b = tqa_blocks_at(blocks, d->columns.first_row);
    if (b <= 1) {
        return at;
    }
    if (d->form == TQA_FORM_NPY) {
        return tqa_npy_decoder_seek(&d->npy, b * blocks->rows_per_block);
    }
    d->n_row = b * blocks->rows_per_block;
    return blocks->offset[b];
}

static bool read_rows(tqa_dataset *d, const tqa_dataset_blocks *blocks, uint64_t end,
                      tqa_dataset_source *source, void *ctx)
{
    const uint64_t head = blocks->n_block > 1 ? blocks->offset[1] : UINT64_MAX;
    char *piece = malloc(PIECE);
    bool good = piece != NULL;
    uint64_t at = 0;
    while (good && (at < head || row_of(d) < end)) {
        const size_t most = at < head && head - at < PIECE ? (size_t)(head - at) : (size_t)PIECE;
        const long n = source(ctx, at, piece, most);
        if (n == 0) {
            good = tqa_dataset_finish(d);
            break;
        }
        good = n > 0 && tqa_dataset_feed(d, piece, (size_t)n);
        at += n > 0 ? (uint64_t)n : 0;
        at = good && at == head ? jump(d, blocks, at) : at;
    }
    free(piece);
    return good;
}

char *tqa_dataset_points(const tqa_dataset_blocks *blocks, const tqa_dataset_part *part,
                         tqa_dataset_source *source, void *ctx, size_t *ret_n)
{
    const tqa_dataset_options options = {.format = TQA_DATASET_FIND};
    char *text = NULL;
    if (tqa_blocks_fit(blocks, part->first_row, part->rows_per_point)) {
        tqa_dataset_columns columns = {0};
        tqa_dataset_set_part(&columns, part);
        if (tqa_blocks_points(blocks, &columns)) {
            text = write_points(&columns, blocks->n_row, ret_n);
        }
        tqa_dataset_columns_free(&columns);
        return text;
    }
    tqa_dataset *d = blocks->has_offsets ? tqa_dataset_open(&options, part) : NULL;
    if (d != NULL) {
        /* the last point has all its rows, beyond the part too */
        const uint64_t end = d->columns.first_row + d->columns.n_bucket * part->rows_per_point;
        if (read_rows(d, blocks, end < blocks->n_row ? end : blocks->n_row, source, ctx)) {
            text = write_points(&d->columns, blocks->n_row, ret_n);
        }
        tqa_dataset_close(d);
    }
    return text;
}
