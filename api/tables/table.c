/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/table.c - rows of numbers on demand: pieces of the file go through its decoder into a
   queue. */
#include "api/tables/table.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/tables/dataset_columns.h"
#include "api/tables/table_private.h"

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

bool tqa_table_fail_short(tqa_table *table)
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
        return tqa_table_fail_short(table);
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
    return (table->names != NULL && table->row != NULL) || tqa_table_fail_short(table);
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

/* n columns of an array of a table that is held whole, its first number at the queue's end */
static bool place_array(tqa_table *table, size_t n, size_t n_row, bool by_column)
{
    const size_t first = table->n_column;
    if (n == 0 || n > TQA_CSV_COLUMNS_MAX - first) {
        return fail(table, "a table may have 1 to 4096 columns");
    }
    tqa_place *places = realloc(table->places, (first + n) * sizeof *places);
    table->places = places != NULL ? places : table->places;
    char(*names)[TQA_TABLE_NAME] = realloc(table->names, (first + n) * sizeof *names);
    table->names = names != NULL ? names : table->names;
    if (places == NULL || names == NULL) {
        return tqa_table_fail_short(table);
    }
    memset(names + first, 0, n * sizeof *names);
    for (size_t k = 0; k < n; k++) {
        places[first + k] = by_column ? (tqa_place){table->n_queued + k * n_row, 1, n_row}
                                      : (tqa_place){table->n_queued + k, n, n_row};
    }
    table->n_column = first + n;
    return true;
}

static bool npz_member(void *ctx, const char *name, size_t n)
{
    tqa_table *table = ctx;
    memcpy(table->member, name, n);
    table->member[n] = '\0';
    return true;
}

static bool npz_shape(void *ctx, const tqa_npy_shape *shape)
{
    tqa_table *table = ctx;
    const size_t first = table->n_column;
    const size_t n = (size_t)shape->n_column;
    if (!place_array(table, n, (size_t)shape->n_row, shape->fortran_order)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        if (shape->rank == 1) {
            (void)snprintf(table->names[first + k], TQA_TABLE_NAME, "%s", table->member);
        } else {
            (void)snprintf(table->names[first + k], TQA_TABLE_NAME, "%s[%zu]", table->member, k);
        }
    }
    return true;
}

static bool records_columns(void *ctx, size_t n, const char *const *names, uint64_t n_row)
{
    (void)n_row;
    return csv_columns(ctx, n, names);
}

static bool records_row(void *ctx, const double *values, size_t n)
{
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
    if (table->whole) {
        return place_array(table, (size_t)shape->n_column, table->n_row, true);
    }
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
static const tqa_npz_sink npz_sink = {npz_member, {.shape = npz_shape, .values = npy_values}};
static const tqa_records_sink records_sink = {records_columns, records_row};

static bool open_form(void *ctx, tqa_form form)
{
    tqa_table *table = ctx;
    table->known = true;
    table->form = form;
    switch (form) {
    case TQA_FORM_NPY:
        tqa_npy_decoder_init(&table->npy, &npy_sink, table, (uint64_t)1 << 40);
        table->npy.takes_not_finite = true;
        return true;
    case TQA_FORM_NPZ:
        table->whole = true;
        table->npz = tqa_npz_decoder_new(&npz_sink, table, TQA_TABLE_WHOLE_MAX);
        if (table->npz == NULL) {
            return tqa_table_fail_short(table);
        }
        tqa_npz_decoder_take_not_finite(table->npz);
        return true;
    case TQA_FORM_RECORDS:
        table->records = tqa_records_decoder_new(&records_sink, table);
        return table->records != NULL || tqa_table_fail_short(table);
    case TQA_FORM_JSON:
    case TQA_FORM_CBOR:
        table->result = tqa_table_result_new(form == TQA_FORM_CBOR, TQA_TABLE_WHOLE_MAX);
        return table->result != NULL || tqa_table_fail_short(table);
    case TQA_FORM_CSV:
    case TQA_FORM_GZIP:
    case TQA_FORM_ZSTD:
    case TQA_FORM_FOREIGN:
    default:
        table->csv = tqa_csv_decoder_new(&csv_sink, table, '\0');
        return table->csv != NULL || tqa_table_fail_short(table);
    }
}

/* the arrays of a whole result, once it is there */
static bool take_result(tqa_table *table)
{
    const char *why = tqa_table_result_finish(table->result);
    const size_t n = why == NULL ? tqa_table_result_columns(table->result) : 0;
    if (why != NULL || n == 0) {
        return fail(table, why != NULL ? why : "the result has no arrays over time");
    }
    table->whole = true;
    table->n_row = tqa_table_result_rows(table->result);
    if (!place_array(table, n, table->n_row, true)) {
        return false;
    }
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

static uint64_t rows_of(const void *ctx, size_t i)
{
    return ((const tqa_table *)ctx)->places[i].n_row;
}

static const char *name_of(const void *ctx, size_t i)
{
    return ((const tqa_table *)ctx)->names[i];
}

/* the arrays of an archive that have the table's rows */
static bool take_archive(tqa_table *table)
{
    size_t n = 0;
    if (tqa_npz_decoder_finish(table->npz) != TQA_DECODE_OK) {
        const char *why = tqa_npz_decoder_error(table->npz).detail;
        return fail(table, why != NULL ? why : "the archive ends too early");
    }
    table->n_row = (size_t)tqa_rows_of_arrays(table->n_column, rows_of, name_of, table);
    for (size_t c = 0; c < table->n_column; c++) {
        if (table->places[c].n_row == table->n_row) {
            table->places[n] = table->places[c];
            memmove(table->names[n], table->names[c], sizeof table->names[n]);
            n++;
        }
    }
    table->n_column = n;
    return n > 0 || fail(table, "the archive has no arrays");
}

static bool feed_csv(tqa_table *table, const char *bytes, size_t n)
{
    const tqa_decode status = tqa_csv_decoder_feed(table->csv, bytes, n);
    if (status == TQA_DECODE_REFUSED) {
        return tqa_table_fail_short(table);
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

static bool fail_detail(tqa_table *table, const char *detail)
{
    return fail(table, detail != NULL ? detail : "the array cannot be read");
}

static bool feed_form(void *ctx, const char *bytes, size_t n)
{
    tqa_table *table = ctx;
    switch (table->form) {
    case TQA_FORM_NPY:
        return tqa_npy_decoder_feed(&table->npy, bytes, n) == TQA_DECODE_OK ||
               fail_detail(table, table->npy.error.detail);
    case TQA_FORM_NPZ:
        return tqa_npz_decoder_feed(table->npz, bytes, n) == TQA_DECODE_OK ||
               fail_detail(table, tqa_npz_decoder_error(table->npz).detail);
    case TQA_FORM_RECORDS:
        return tqa_records_decoder_feed(table->records, bytes, n) == TQA_DECODE_OK ||
               fail_detail(table, tqa_records_decoder_detail(table->records));
    case TQA_FORM_JSON:
    case TQA_FORM_CBOR: {
        const char *why = tqa_table_result_feed(table->result, bytes, n);
        return why == NULL || (tqa_table_result_short(table->result) ? tqa_table_fail_short(table)
                                                                     : fail(table, why));
    }
    case TQA_FORM_CSV:
    case TQA_FORM_GZIP:
    case TQA_FORM_ZSTD:
    case TQA_FORM_FOREIGN:
    default:
        return feed_csv(table, bytes, n);
    }
}

static const tqa_front_sink front_sink = {open_form, feed_form};

/* why the front has stopped, unless a decoder has said so */
static bool explain_front(tqa_table *table, bool good)
{
    const char *detail = tqa_front_detail(&table->front);
    if (good) {
        return true;
    }
    return table->front.is_short ? tqa_table_fail_short(table)
                                 : fail(table, detail != NULL ? detail : "it cannot be read");
}

static bool finish(tqa_table *table)
{
    table->ended = true;
    if (!explain_front(table, tqa_front_finish(&table->front))) {
        return false;
    }
    switch (table->form) {
    case TQA_FORM_NPY:
        return tqa_npy_decoder_finish(&table->npy) == TQA_DECODE_OK ||
               fail(table, "the array ends too early");
    case TQA_FORM_NPZ:
        return take_archive(table);
    case TQA_FORM_RECORDS:
        return tqa_records_decoder_finish(table->records) == TQA_DECODE_OK ||
               fail_detail(table, tqa_records_decoder_detail(table->records));
    case TQA_FORM_JSON:
    case TQA_FORM_CBOR:
        return take_result(table);
    case TQA_FORM_CSV:
    case TQA_FORM_GZIP:
    case TQA_FORM_ZSTD:
    case TQA_FORM_FOREIGN:
    default: {
        const tqa_decode status = tqa_csv_decoder_finish(table->csv);
        return status == TQA_DECODE_OK ||
               (status == TQA_DECODE_REFUSED ? tqa_table_fail_short(table)
                                             : fail(table, tqa_csv_decoder_detail(table->csv)));
    }
    }
}

bool tqa_table_is_plain_npy(const tqa_table *table)
{
    return table->form == TQA_FORM_NPY && table->known && table->front.pack == TQA_PACK_NONE;
}

/* doubles that lie in the file as they do in memory go straight into the queue */
static bool advance_plain(tqa_table *table, bool *ret_good)
{
    enum { NUMBERS = TQA_TABLE_PIECE / sizeof(double) };
    uint64_t n_left = 0;
    if (!tqa_table_is_plain_npy(table) ||
        tqa_npy_decoder_plain(&table->npy, &n_left) != table->offset || n_left < NUMBERS) {
        return false;
    }
    *ret_good = make_room(table, NUMBERS);
    if (!*ret_good) {
        return true;
    }
    const long n =
        table->source(table->ctx, table->offset, table->queue + table->n_queued, TQA_TABLE_PIECE);
    if (n < (long)sizeof(double)) {
        return false; /* reported as any file that ends too early */
    }
    const size_t whole = (size_t)n / sizeof(double); /* the rest is read again */
    table->n_queued += whole;
    table->offset += whole * sizeof(double);
    tqa_npy_decoder_passed(&table->npy, whole);
    return true;
}

bool tqa_table_advance(tqa_table *table)
{
    bool good = false;
    if (table->ended) {
        return false;
    }
    if (advance_plain(table, &good)) {
        return good;
    }
    const long n = table->source(table->ctx, table->offset, table->piece, TQA_TABLE_PIECE);
    if (n < 0) {
        return fail_for_now(table, "the data cannot be read");
    }
    if (n == 0) {
        return finish(table);
    }
    table->offset += (uint64_t)n;
    return explain_front(table, tqa_front_feed(&table->front, table->piece, (size_t)n));
}

tqa_table *tqa_table_open(tqa_table_source *source, void *ctx)
{
    tqa_table *table = calloc(1, sizeof *table);
    if (table == NULL) {
        return NULL;
    }
    table->source = source;
    table->ctx = ctx;
    table->front = (tqa_front){.sink = &front_sink, .ctx = table};
    while (table->n_column == 0 && tqa_table_advance(table)) {
    }
    while (table->whole && tqa_table_advance(table)) {
    }
    return table;
}

void tqa_table_close(tqa_table *table)
{
    if (table != NULL) {
        tqa_csv_decoder_free(table->csv);
        tqa_npz_decoder_free(table->npz);
        tqa_records_decoder_free(table->records);
        tqa_table_result_free(table->result);
        tqa_front_free(&table->front);
        free(table->places);
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

const char *tqa_table_word(const tqa_table *table, size_t column)
{
    return table->csv != NULL ? tqa_csv_decoder_word(table->csv, column) : "";
}

bool tqa_table_is_time(const tqa_table *table, size_t column)
{
    return table->csv != NULL && tqa_csv_decoder_is_time(table->csv, column);
}

bool tqa_table_cut(const tqa_table *table)
{
    return table->csv != NULL && tqa_csv_decoder_cut(table->csv);
}
