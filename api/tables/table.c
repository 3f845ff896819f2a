/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/table.c - rows of numbers asked for one by one: pieces of the file go through its
 * decoder into a queue. */
#include "api/tables/table.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/csv/csv.h"
#include "api/codec/npy/npy.h"
#include "api/tables/result_columns.h"

enum { PIECE = 256 << 10 };

typedef enum form { FORM_CSV, FORM_NPY, FORM_RESULT } form;

struct tqa_table {
    tqa_table_source *source;
    void *ctx;
    uint64_t offset;
    form form;
    bool known, ended;
    char fault[TQA_TABLE_DETAIL];
    bool is_busy; /* the fault is not the file's */
    size_t n_column;
    char (*names)[TQA_TABLE_NAME];

    tqa_csv_decoder *csv;
    tqa_npy_decoder npy;
    tqa_table_result *result;
    bool whole;   /* all rows are in `queue`, column by column */
    size_t n_row; /* then */

    double *queue;                    /* rows that have been decoded and not asked for */
    size_t n_queued, n_given, n_room; /* numbers */
    double *row;                      /* (n_column) of a whole table */
    char piece[PIECE];
};

static bool fail(tqa_table *table, const char *why)
{
    if (table->fault[0] == '\0') {
        (void)snprintf(table->fault, sizeof table->fault, "%s", why);
    }
    table->ended = true;
    return false;
}

/* not the file's fault */
static bool fail_for_now(tqa_table *table, const char *why)
{
    table->is_busy = table->is_busy || table->fault[0] == '\0';
    return fail(table, why);
}

static bool fail_short(tqa_table *table)
{
    return fail_for_now(table, "memory is short");
}

/* room for n more numbers */
static bool make_room(tqa_table *table, size_t n)
{
    if (table->n_queued + n <= table->n_room) {
        return true;
    }
    const size_t room = 2 * table->n_room + n;
    double *grown = realloc(table->queue, room * sizeof *grown);
    if (grown == NULL) {
        return fail_short(table);
    }
    table->queue = grown;
    table->n_room = room;
    return true;
}

static bool enqueue(tqa_table *table, const double *values, size_t n)
{
    if (!make_room(table, n)) {
        return false;
    }
    memcpy(table->queue + table->n_queued, values, n * sizeof *values);
    table->n_queued += n;
    return true;
}

static bool make_columns(tqa_table *table, size_t n)
{
    table->n_column = n;
    table->names = calloc(n, sizeof *table->names);
    table->row = calloc(n, sizeof *table->row);
    return (table->names != NULL && table->row != NULL) || fail_short(table);
}

static bool csv_columns(void *ctx, size_t n, const char *const *names)
{
    tqa_table *table = ctx;
    if (!make_columns(table, n)) {
        return false;
    }
    for (size_t c = 0; c < n; c++) {
        (void)snprintf(table->names[c], sizeof table->names[c], "%s", names[c]);
    }
    return true;
}

static bool csv_row(void *ctx, const double *values, size_t n, size_t n_text)
{
    (void)n_text;
    return enqueue(ctx, values, n);
}

static bool npy_shape(void *ctx, const tqa_npy_shape *shape)
{
    tqa_table *table = ctx;
    if (shape->n_column == 0 || shape->n_column > TQA_CSV_COLUMNS_MAX) {
        return fail(table, "a table may have 1 to 4096 columns");
    }
    table->whole = shape->fortran_order && shape->n_column > 1;
    if (table->whole && shape->n_row > TQA_TABLE_WHOLE_MAX / shape->n_column) {
        return fail(table, "an array in Fortran order may have 32 million numbers at most: save it "
                           "in C order");
    }
    table->n_row = (size_t)shape->n_row;
    return make_columns(table, (size_t)shape->n_column);
}

static bool npy_values(void *ctx, uint64_t row, uint64_t column, const double *values, size_t n)
{
    (void)row;
    (void)column;
    return enqueue(ctx, values, n); /* in file order: rows, or the columns of a whole table */
}

static bool npy_rows(void *ctx, uint64_t row, const double *values, size_t n_row)
{
    tqa_table *table = ctx;
    (void)row;
    return enqueue(table, values, n_row * table->n_column);
}

static const tqa_csv_sink csv_sink = {csv_columns, csv_row};
static const tqa_npy_sink npy_sink = {.shape = npy_shape, .values = npy_values, .rows = npy_rows};

static bool choose(tqa_table *table, unsigned char first)
{
    table->known = true;
    if (first == 0x93) {
        table->form = FORM_NPY;
        tqa_npy_decoder_init(&table->npy, &npy_sink, table, (uint64_t)1 << 40);
        table->npy.takes_not_finite = true;
        return true;
    }
    /* a map in CBOR; beyond its range, a byte order mark or a letter of a text */
    if (first == '{' || (first >= 0xa0 && first <= 0xbf)) {
        table->form = FORM_RESULT;
        table->result = tqa_table_result_new(first != '{');
        return table->result != NULL || fail_short(table);
    }
    table->form = FORM_CSV;
    table->csv = tqa_csv_decoder_new(&csv_sink, table, '\0');
    return table->csv != NULL || fail_short(table);
}

/* the arrays of a whole result, once it is there */
static bool take_result(tqa_table *table)
{
    const char *why = tqa_table_result_finish(table->result);
    const size_t n = why == NULL ? tqa_table_result_columns(table->result) : 0;
    if (why != NULL || n == 0) {
        return fail(table, why != NULL ? why : "the result has no arrays over time");
    }
    if (!make_columns(table, n)) {
        return false;
    }
    table->whole = true;
    table->n_row = tqa_table_result_rows(table->result);
    for (size_t c = 0; c < n; c++) {
        tqa_table_result_name(table->result, c, table->names[c], sizeof table->names[c]);
        if (!make_room(table, table->n_row)) {
            return false;
        }
        tqa_table_result_column(table->result, c, table->queue + table->n_queued);
        table->n_queued += table->n_row;
    }
    tqa_table_result_free(table->result);
    table->result = NULL;
    return true;
}

static bool feed(tqa_table *table, size_t n)
{
    switch (table->form) {
    case FORM_CSV: {
        const tqa_decode status = tqa_csv_decoder_feed(table->csv, table->piece, n);
        if (status == TQA_DECODE_REFUSED) {
            return fail_short(table);
        }
        if (status != TQA_DECODE_OK) {
            char why[TQA_TABLE_DETAIL];
            (void)snprintf(why, sizeof why, "line %llu: %s",
                           (unsigned long long)tqa_csv_decoder_line(table->csv),
                           tqa_csv_decoder_detail(table->csv));
            return fail(table, why);
        }
        return true;
    }
    case FORM_NPY:
        return tqa_npy_decoder_feed(&table->npy, table->piece, n) == TQA_DECODE_OK ||
               fail(table, table->npy.error.detail != NULL ? table->npy.error.detail
                                                           : "the array cannot be read");
    case FORM_RESULT: {
        const char *why = tqa_table_result_feed(table->result, table->piece, n);
        return why == NULL ||
               (tqa_table_result_short(table->result) ? fail_short(table) : fail(table, why));
    }
    }
    return false;
}

static bool finish(tqa_table *table)
{
    table->ended = true;
    if (!table->known) {
        return fail(table, "there are no bytes");
    }
    switch (table->form) {
    case FORM_CSV: {
        const tqa_decode status = tqa_csv_decoder_finish(table->csv);
        return status == TQA_DECODE_OK ||
               (status == TQA_DECODE_REFUSED ? fail_short(table)
                                             : fail(table, tqa_csv_decoder_detail(table->csv)));
    }
    case FORM_NPY:
        return tqa_npy_decoder_finish(&table->npy) == TQA_DECODE_OK ||
               fail(table, "the array ends too early");
    case FORM_RESULT:
        return take_result(table);
    }
    return false;
}

/* doubles that lie in the file as they do in memory go straight into the queue */
static bool advance_plain(tqa_table *table, bool *ret_good)
{
    enum { NUMBERS = PIECE / sizeof(double) };
    uint64_t n_left = 0;
    if (table->form != FORM_NPY || !table->known ||
        tqa_npy_decoder_plain(&table->npy, &n_left) != table->offset || n_left < NUMBERS) {
        return false;
    }
    *ret_good = make_room(table, NUMBERS);
    if (!*ret_good) {
        return true;
    }
    const long n = table->source(table->ctx, table->offset, table->queue + table->n_queued, PIECE);
    if (n < (long)sizeof(double)) {
        return false; /* reported as any file that ends too early */
    }
    const size_t whole = (size_t)n / sizeof(double); /* the rest is read again */
    table->n_queued += whole;
    table->offset += whole * sizeof(double);
    tqa_npy_decoder_passed(&table->npy, whole);
    return true;
}

/* One more piece of the file; false at its end or at a fault. */
static bool advance(tqa_table *table)
{
    bool good = false;
    if (table->ended) {
        return false;
    }
    if (advance_plain(table, &good)) {
        return good;
    }
    const long n = table->source(table->ctx, table->offset, table->piece, PIECE);
    if (n < 0) {
        return fail_for_now(table, "the data cannot be read");
    }
    if (n == 0) {
        return finish(table);
    }
    table->offset += (uint64_t)n;
    if (!table->known && !choose(table, (unsigned char)table->piece[0])) {
        return false;
    }
    return feed(table, (size_t)n);
}

tqa_table *tqa_table_open(tqa_table_source *source, void *ctx)
{
    tqa_table *table = calloc(1, sizeof *table);
    if (table == NULL) {
        return NULL;
    }
    table->source = source;
    table->ctx = ctx;
    while (table->n_column == 0 && advance(table)) {
    }
    while (table->whole && advance(table)) {
    }
    return table;
}

void tqa_table_close(tqa_table *table)
{
    if (table != NULL) {
        tqa_csv_decoder_free(table->csv);
        tqa_table_result_free(table->result);
        free(table->names);
        free(table->queue);
        free(table->row);
        free(table);
    }
}

const char *tqa_table_fault(const tqa_table *table)
{
    return table->fault[0] != '\0' ? table->fault : NULL;
}

bool tqa_table_busy(const tqa_table *table)
{
    return table->is_busy;
}

size_t tqa_table_columns(const tqa_table *table)
{
    return table->n_column;
}

const char *tqa_table_name(const tqa_table *table, size_t column)
{
    assert(column < table->n_column);
    return table->names[column];
}

bool tqa_table_cut(const tqa_table *table)
{
    return table->csv != NULL && tqa_csv_decoder_cut(table->csv);
}

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
        if (!advance(table) && table->n_queued < n) {
            return false;
        }
    }
    return true;
}

const double *tqa_table_next(tqa_table *table)
{
    const size_t n = table->n_column;
    if (n == 0) {
        return NULL;
    }
    if (table->whole) {
        if (table->n_given == table->n_row || table->n_queued < table->n_row * n) {
            return NULL;
        }
        for (size_t c = 0; c < n; c++) {
            table->row[c] = table->queue[c * table->n_row + table->n_given];
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
    if (width == 0 || (!table->whole && table->form != FORM_NPY)) {
        return 0;
    }
    if (table->whole) {
        const bool is_there = table->n_queued >= table->n_row * width;
        const size_t left = is_there ? table->n_row - table->n_given : 0;
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
