/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/log_rows.c - the rows of a log in SI units, one after another. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "api/operations/log_parts.h"

/* Beyond these nothing that is built moves; the numbers are accidents of a file. */
static const double absurd[] = {
    [TQA_LOG_Q] = 1e4, [TQA_LOG_QD] = 1e4, [TQA_LOG_QDD] = 1e6, [TQA_LOG_TAU] = 1e6};

static long read_source(void *ctx, uint64_t offset, void *bytes, size_t n)
{
    tqa_log_source *source = ctx;
    return source->world->dataset_read(source->world->ctx, source->name, offset, bytes, n);
}

static bool open_source(tqa_log *log, tqa_log_source *source, size_t q)
{
    tqa_control *control = log->request->control;
    const tqa_world *world = control->world;
    tqa_part field = tqa_part_field(&log->part, tqa_log_quantity_names[q]);
    const tqa_part *where = log->is_split ? &field : &log->part;
    tqa_source what;
    if (world == NULL || world->dataset_read == NULL || world->dataset_look == NULL) {
        return tqa_part_refuse(where, "not-ready", "send the samples themselves",
                               "there are no datasets here");
    }
    if (world->dataset_look(world->ctx, log->source[q], &what) != 0) {
        return tqa_part_refuse(where, "unknown-name", "PUT /v1/datasets/{name} stores one",
                               "there is no dataset, and no finished job, \"%.100s\"",
                               log->source[q]);
    }
    source->world = world;
    memcpy(source->name, log->source[q], sizeof source->name);
    source->table = tqa_table_open(read_source, source);
    if (source->table == NULL) {
        (void)tqa_problem_set(control->problem, "busy", "there is no memory for this now");
        return false;
    }
    const char *fault = tqa_table_fault(source->table);
    return fault == NULL ||
           tqa_part_refuse(where, "invalid-value", "repair the data, or name other ones",
                           "\"%.80s\": %s", log->source[q], fault);
}

bool tqa_log_rows_open(tqa_log_rows *rows, tqa_log *log)
{
    *rows = (tqa_log_rows){.log = log};
    for (size_t q = 0; q < (log->is_split ? (size_t)TQA_LOG_QUANTITIES : 1); q++) {
        if (log->source[q][0] != '\0' && !open_source(log, &rows->sources[q], q)) {
            return false;
        }
    }
    if (log->n_channel == 0 && !tqa_log_columns_find(log, rows->sources)) {
        return false;
    }
    rows->values = tqa_control_take(log->request->control, log->n_channel + 1, sizeof(double));
    return rows->values != NULL;
}

void tqa_log_rows_close(tqa_log_rows *rows)
{
    for (size_t q = 0; q < TQA_LOG_QUANTITIES; q++) {
        if (rows->sources[q].table != NULL) {
            rows->log->cut_last_line =
                rows->log->cut_last_line || tqa_table_cut(rows->sources[q].table);
            tqa_table_close(rows->sources[q].table);
        }
    }
}

/* cells[q]: the row of quantity q's table */
static bool next_cells(tqa_log_rows *rows, const double *cells[TQA_LOG_QUANTITIES])
{
    tqa_log *log = rows->log;
    bool ended = false;
    for (size_t q = 0; q < (log->is_split ? (size_t)TQA_LOG_QUANTITIES : 1); q++) {
        tqa_table *table = rows->sources[q].table;
        if (table == NULL) {
            continue;
        }
        cells[q] = tqa_table_next(table);
        ended = ended || cells[q] == NULL;
        const char *fault = cells[q] == NULL ? tqa_table_fault(table) : NULL;
        if (fault != NULL) {
            return tqa_part_refuse(&log->part, "invalid-value",
                                   "repair or leave out what follows: \"rows\" chooses",
                                   "\"%.80s\", behind row %llu: %s", log->source[q],
                                   (unsigned long long)rows->n, fault);
        }
    }
    for (size_t q = 1; !log->is_split && q < TQA_LOG_QUANTITIES; q++) {
        cells[q] = cells[0];
    }
    return !ended;
}

/* The clock counts from the first row, so that nanoseconds since 1970 keep their digits. */
static double time_of(tqa_log_rows *rows, const double *cells)
{
    const tqa_log *log = rows->log;
    if (log->n_time == 0) {
        return (double)rows->row / log->request->rate;
    }
    assert(cells != NULL);
    const double whole = cells[log->column[TQA_LOG_TIME][0]];
    if (!rows->has_base && isfinite(whole)) {
        rows->time_base = whole;
        rows->has_base = true;
    }
    const double t = (whole - rows->time_base) * log->factor[TQA_LOG_TIME][0];
    return log->n_time == 2 ? t + 1e-9 * cells[log->column[TQA_LOG_TIME][1]] : t;
}

static void convert(tqa_log_rows *rows, const double *cells[TQA_LOG_QUANTITIES])
{
    const tqa_log *log = rows->log;
    rows->t = time_of(rows, cells[TQA_LOG_TIME]);
    rows->state = isfinite(rows->t) ? TQA_ROW_GOOD : TQA_ROW_NOT_FINITE;
    for (tqa_log_quantity q = 0; q < TQA_LOG_TIME; q++) {
        const size_t n = tqa_log_width(log->request, q);
        double *values = rows->values + log->first_channel[q];
        if (log->column[q] == NULL) {
            continue;
        }
        assert(cells[q] != NULL);
        for (size_t r = 0; r < n; r++) {
            values[r] = log->factor[q][r] * cells[q][log->column[q][r]];
            if (!isfinite(values[r])) {
                rows->state = TQA_ROW_NOT_FINITE;
            } else if (fabs(values[r]) > absurd[q] && rows->state == TQA_ROW_GOOD) {
                rows->state = TQA_ROW_ABSURD;
            }
        }
    }
}

static bool is_chosen(const tqa_log *log, uint64_t row)
{
    for (size_t w = 0; w < log->n_window; w++) {
        if (row >= log->windows[w].first && row < log->windows[w].end) {
            return true;
        }
    }
    return log->n_window == 0;
}

bool tqa_log_rows_next(tqa_log_rows *rows)
{
    const double *cells[TQA_LOG_QUANTITIES] = {NULL};
    while (next_cells(rows, cells)) {
        rows->row = rows->n++;
        if (is_chosen(rows->log, rows->row)) {
            convert(rows, cells);
            return true;
        }
    }
    return false;
}

void tqa_log_note(tqa_log *log, tqa_log_repair repair, uint64_t row)
{
    tqa_log_count *count = &log->repairs[repair];
    if (count->n < TQA_LOG_ROWS_TOLD) {
        count->rows[count->n] = row;
    }
    count->n++;
}
