/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/table_rows.c - rows out of the queue of a table, one by one, many, or passed over. */
#include <stdlib.h>
#include <string.h>

#include "api/tables/table_private.h"

/* a row at least is in the queue */
static bool has_row(tqa_table *table)
{
    const size_t n = table->n_column;
    while (table->n_queued - table->n_given < n) {
        if (table->n_given > 0) {
            memmove(table->queue, table->queue + table->n_given,
                    (table->n_queued - table->n_given) * sizeof *table->queue);
            table->n_queued -= table->n_given;
            table->n_given = 0;
        }
        if (!tqa_table_advance(table) && table->n_queued < n) {
            return false;
        }
    }
    return true;
}

/* a table that is held whole has all its numbers */
static bool is_complete(tqa_table *table)
{
    if (table->fault[0] != '\0' || !table->ended) {
        return false;
    }
    if (table->row == NULL) {
        table->row = calloc(table->n_column, sizeof *table->row);
    }
    return table->row != NULL || tqa_table_fail_short(table);
}

const double *tqa_table_next(tqa_table *table)
{
    const size_t n = table->n_column;
    if (n == 0) {
        return NULL;
    }
    if (table->whole) {
        if (!is_complete(table) || table->n_given == table->n_row) {
            return NULL;
        }
        for (size_t c = 0; c < n; c++) {
            const tqa_place *from = &table->places[c];
            table->row[c] = table->queue[from->at + table->n_given * from->pitch];
        }
        table->n_given++;
        return table->row;
    }
    if (!has_row(table)) {
        return NULL;
    }
    const double *row = table->queue + table->n_given;
    table->n_given += n;
    return row;
}

const double *tqa_table_next_many(tqa_table *table, size_t most, size_t *ret_n)
{
    *ret_n = 0;
    if (table->n_column == 0 || table->whole || !has_row(table)) {
        return NULL;
    }
    const size_t there = (table->n_queued - table->n_given) / table->n_column;
    const double *rows = table->queue + table->n_given;
    *ret_n = there < most ? there : most;
    table->n_given += *ret_n * table->n_column;
    return rows;
}

uint64_t tqa_table_skip(tqa_table *table, uint64_t n)
{
    const size_t width = table->n_column;
    if (width == 0 || (!table->whole && !tqa_table_is_plain_npy(table))) {
        return 0;
    }
    if (table->whole) {
        const size_t left = is_complete(table) ? table->n_row - table->n_given : 0;
        const size_t passed = n < left ? (size_t)n : left;
        table->n_given += passed;
        return passed;
    }
    const size_t there = (table->n_queued - table->n_given) / width;
    if (n <= there) {
        table->n_given += (size_t)n * width;
        return n;
    }
    if (table->ended) {
        table->n_given += there * width;
        return there;
    }
    uint64_t row = 0;
    uint64_t column = 0;
    tqa_npy_decoder_place(&table->npy, &row, &column); /* of the next value that is not queued */
    const uint64_t at = row - (table->n_queued - table->n_given) / width;
    const uint64_t end = table->n_row;
    const uint64_t to = n < end - at ? at + n : end;
    table->offset = tqa_npy_decoder_seek(&table->npy, to);
    table->n_queued = table->n_given = 0;
    return to - at;
}
