/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/rows.c - the rows of a log in SI units, one after another. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/recordings/parts.h"

/* Beyond these nothing that is built moves; the numbers are accidents of a file. */
static const double absurd[] = {[TQA_RECORDING_Q] = 1e4,
                                [TQA_RECORDING_QD] = 1e4,
                                [TQA_RECORDING_QDD] = 1e6,
                                [TQA_RECORDING_TAU] = 1e6};

static long read_source(void *ctx, uint64_t offset, void *bytes, size_t n)
{
    tqa_recording_source *source = ctx;
    return source->host->dataset_read(source->host->ctx, source->name, offset, bytes, n);
}

/* A dataset may be replaced between two passes; a job's result never is. */
static void pin(tqa_recording *log, size_t q, const tqa_source *what)
{
    char name[TQA_RECORDING_PINNED_NAME];
    const bool is_open = what->digest[0] != '\0' && strchr(log->source[q], '@') == NULL &&
                         strncmp(log->source[q], "job:", 4) != 0;
    (void)snprintf(name, sizeof name, "%s%s%s", log->source[q], is_open ? "@" : "",
                   is_open ? what->digest : "");
    memcpy(log->pinned[q], name, sizeof name);
}

static bool open_source(tqa_recording *log, tqa_recording_source *source, size_t q)
{
    tqa_tree *control = log->request->control;
    const tqa_host *host = control->host;
    tqa_value field = tqa_value_field(&log->part, tqa_recording_quantity_names[q]);
    const tqa_value *where = log->is_split ? &field : &log->part;
    tqa_source what;
    if (host == NULL || host->dataset_read == NULL || host->dataset_look == NULL) {
        return tqa_value_refuse(where, "not-ready", "send the samples themselves",
                                "there are no datasets here");
    }
    const bool is_first = log->pinned[q][0] == '\0';
    if (is_first && host->dataset_look(host->ctx, log->source[q], &what) != 0) {
        return tqa_value_refuse(where, "unknown-name", "PUT /v1/datasets/{name} stores one",
                                "there is no dataset, and no finished job, \"%.100s\"",
                                log->source[q]);
    }
    if (is_first) {
        pin(log, q, &what);
    }
    source->host = host;
    memcpy(source->name, log->pinned[q], sizeof source->name);
    source->table = tqa_table_open(read_source, source);
    if (source->table == NULL) {
        (void)tqa_problem_set(control->problem, "busy", "there is no memory for this now");
        return false;
    }
    const char *fault = tqa_table_fault(source->table);
    const bool busy = tqa_table_busy(source->table);
    return fault == NULL ||
           tqa_value_refuse(where, busy ? "busy" : "invalid-value",
                            busy ? "try again" : "repair the data, or name other ones",
                            "\"%.80s\": %s", log->source[q], fault);
}

bool tqa_recording_rows_open(tqa_recording_rows *rows, tqa_recording *log)
{
    *rows = (tqa_recording_rows){.log = log};
    const bool serves = tqa_row_cache_serves(log);
    for (size_t q = 0; !serves && q < (log->is_split ? (size_t)TQA_RECORDING_QUANTITIES : 1); q++) {
        if (log->source[q][0] != '\0' && !open_source(log, &rows->sources[q], q)) {
            return false;
        }
    }
    if (log->n_channel == 0 && !tqa_recording_columns_find(log, rows->sources)) {
        return false;
    }
    rows->values = tqa_buffer_pool_take(log->request->rooms, log->n_channel * sizeof(double));
    rows->run = tqa_buffer_pool_take(log->request->rooms,
                                     log->n_channel * TQA_RECORDING_RUN * sizeof(double));
    if (rows->values == NULL || rows->run == NULL) {
        (void)tqa_problem_set(log->request->control->problem, "busy",
                              "there is no memory for this now");
    }
    return rows->values != NULL && rows->run != NULL;
}

void tqa_recording_rows_close(tqa_recording_rows *rows)
{
    tqa_buffer_pool_give(rows->log->request->rooms, rows->values);
    tqa_buffer_pool_give(rows->log->request->rooms, rows->run);
    for (size_t q = 0; q < TQA_RECORDING_QUANTITIES; q++) {
        if (rows->sources[q].table != NULL) {
            rows->log->cut_last_line =
                rows->log->cut_last_line || tqa_table_cut(rows->sources[q].table);
            tqa_table_close(rows->sources[q].table);
        }
    }
}

/* How many rows the longest table has behind the end of the shortest. */
static void count_unpaired(tqa_recording_rows *rows, const double *cells[TQA_RECORDING_QUANTITIES])
{
    tqa_recording *log = rows->log;
    for (size_t q = 0; log->is_split && q < TQA_RECORDING_QUANTITIES; q++) {
        uint64_t n = 0;
        while (cells[q] != NULL) {
            n++;
            cells[q] = tqa_table_next(rows->sources[q].table);
        }
        log->n_unpaired = n > log->n_unpaired ? n : log->n_unpaired;
    }
}

/* cells[q]: the row of quantity q's table */
static bool next_cells(tqa_recording_rows *rows, const double *cells[TQA_RECORDING_QUANTITIES])
{
    tqa_recording *log = rows->log;
    bool ended = false;
    for (size_t q = 0; q < (log->is_split ? (size_t)TQA_RECORDING_QUANTITIES : 1); q++) {
        tqa_table *table = rows->sources[q].table;
        if (table == NULL) {
            continue;
        }
        cells[q] = tqa_table_next(table);
        ended = ended || cells[q] == NULL;
        const char *fault = cells[q] == NULL ? tqa_table_fault(table) : NULL;
        if (fault != NULL) {
            const bool busy = tqa_table_busy(table);
            return tqa_value_refuse(&log->part, busy ? "busy" : "invalid-value",
                                    busy ? "try again"
                                         : "repair or leave out what follows: \"rows\" chooses",
                                    "\"%.80s\", behind row %llu: %s", log->source[q],
                                    (unsigned long long)rows->n, fault);
        }
    }
    for (size_t q = 1; !log->is_split && q < TQA_RECORDING_QUANTITIES; q++) {
        cells[q] = cells[0];
    }
    if (ended && !log->has_survey) {
        count_unpaired(rows, cells);
    }
    return !ended;
}

/* The clock counts from the first row, so that nanoseconds since 1970 keep their digits. */
static double time_of(tqa_recording_rows *rows, const double *cells)
{
    const tqa_recording *log = rows->log;
    if (log->n_time == 0) {
        return (double)rows->row / log->request->rate;
    }
    assert(cells != NULL);
    const double whole = cells[log->column[TQA_RECORDING_TIME][0]];
    if (!rows->has_base && isfinite(whole)) {
        rows->time_base = whole;
        rows->has_base = true;
    }
    const double t = (whole - rows->time_base) * log->factor[TQA_RECORDING_TIME][0];
    return log->n_time == 2 ? t + 1e-9 * cells[log->column[TQA_RECORDING_TIME][1]] : t;
}

/* some value of a channel is none, or absurd */
static void judge_values(size_t n, const double *x, double most, unsigned char *state)
{
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            state[i] = TQA_ROW_NOT_FINITE;
        } else if (fabs(x[i]) > most && state[i] == TQA_ROW_GOOD) {
            state[i] = TQA_ROW_ABSURD;
        }
    }
}

/* n rows of a table, `pitch` numbers apart; tables' cells of a split log are one row */
static void convert(tqa_recording_rows *rows, const double *cells[TQA_RECORDING_QUANTITIES],
                    size_t n, size_t pitch)
{
    const tqa_recording *log = rows->log;
    const size_t at = rows->n_run;
    unsigned char *state = rows->run_state + at;
    for (size_t i = 0; i < n; i++) {
        rows->row = rows->run_row[at + i] = rows->n + i;
        const double *time = cells[TQA_RECORDING_TIME];
        rows->run_t[at + i] = time_of(rows, time != NULL ? time + i * pitch : NULL);
        state[i] =
            (unsigned char)(isfinite(rows->run_t[at + i]) ? TQA_ROW_GOOD : TQA_ROW_NOT_FINITE);
    }
    for (tqa_recording_quantity q = 0; q < TQA_RECORDING_TIME; q++) {
        const size_t width = log->column[q] != NULL ? tqa_recording_width(log->request, q) : 0;
        for (size_t r = 0; r < width; r++) {
            assert(cells[q] != NULL);
            const double *from = cells[q] + log->column[q][r];
            const double factor = log->factor[q][r];
            double *to = rows->run + (log->first_channel[q] + r) * TQA_RECORDING_RUN + at;
            unsigned bad = 0;
            for (size_t i = 0; i < n; i++) {
                to[i] = factor * from[i * pitch];
                bad |= !(fabs(to[i]) <= absurd[q]);
            }
            if (bad != 0) {
                judge_values(n, to, absurd[q], state);
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        rows->all_good = rows->all_good && state[i] == TQA_ROW_GOOD;
    }
    rows->n_run += n;
    rows->n += n;
}

static bool is_chosen(const tqa_recording *log, uint64_t row)
{
    for (size_t w = 0; w < log->n_window; w++) {
        if (row >= log->windows[w].first && row < log->windows[w].end) {
            return true;
        }
    }
    return log->n_window == 0;
}

/* nothing is chosen from this row on */
static bool is_behind(const tqa_recording *log, uint64_t row)
{
    bool behind = log->n_window > 0;
    for (size_t w = 0; w < log->n_window; w++) {
        behind = behind && row >= log->windows[w].end;
    }
    return behind;
}

/* how many rows from this one on one window has */
static uint64_t chosen_from(const tqa_recording *log, uint64_t row)
{
    uint64_t most = log->n_window > 0 ? 0 : UINT64_MAX;
    for (size_t w = 0; w < log->n_window; w++) {
        const tqa_recording_window *window = &log->windows[w];
        if (row >= window->first && row < window->end && window->end - row > most) {
            most = window->end - row;
        }
    }
    return most;
}

/* the first row from this one on that is chosen */
static uint64_t next_chosen(const tqa_recording *log, uint64_t row)
{
    uint64_t next = UINT64_MAX;
    for (size_t w = 0; w < log->n_window; w++) {
        const tqa_recording_window *window = &log->windows[w];
        const uint64_t first = window->first > row ? window->first : row;
        next = first < window->end && first < next ? first : next;
    }
    return next;
}

/* rows of one table that lie one behind another; those that nobody chose are passed over where the
 * file lets them be */
static bool fill_many(tqa_recording_rows *rows)
{
    const tqa_recording *log = rows->log;
    const double *cells[TQA_RECORDING_QUANTITIES];
    tqa_table *table = rows->sources[0].table;
    if (log->is_split) {
        return false;
    }
    uint64_t most = chosen_from(log, rows->n);
    if (most == 0) {
        rows->n += tqa_table_skip(table, next_chosen(log, rows->n) - rows->n);
        most = chosen_from(log, rows->n);
    }
    size_t n = 0;
    cells[0] = tqa_table_next_many(
        table, most < TQA_RECORDING_RUN ? (size_t)most : (size_t)TQA_RECORDING_RUN, &n);
    for (size_t q = 1; q < TQA_RECORDING_QUANTITIES; q++) {
        cells[q] = cells[0];
    }
    if (n > 0) {
        convert(rows, cells, n, tqa_table_columns(table));
    }
    return n > 0;
}

bool tqa_recording_is_wanted(const tqa_recording *log)
{
    const tqa_tree *control = log->request->control;
    const tqa_host *host = control->host;
    if (host != NULL && host->cancelled != NULL && host->cancelled(host->ctx)) {
        (void)tqa_problem_set(control->problem, "busy", "the job was stopped");
        return false;
    }
    return true;
}

/* asks now and then: rows that nobody chose take their time as well */
static bool is_wanted(tqa_recording_rows *rows)
{
    enum { EVERY = 8192 };
    if (rows->n < rows->ask_at) {
        return true;
    }
    rows->ask_at = rows->n + EVERY;
    return tqa_recording_is_wanted(rows->log);
}

bool tqa_recording_rows_more(tqa_recording_rows *rows)
{
    const double *cells[TQA_RECORDING_QUANTITIES] = {NULL};
    if (rows->at < rows->n_run) {
        return true;
    }
    rows->at = rows->n_run = 0;
    rows->all_good = true;
    if (tqa_row_cache_serves(rows->log)) {
        tqa_row_cache_fill(rows);
        return rows->n_run > 0;
    }
    if (!is_wanted(rows) || (rows->log->has_survey && is_behind(rows->log, rows->n))) {
        return false;
    }
    if (fill_many(rows)) {
        return true;
    }
    while (rows->n_run < TQA_RECORDING_RUN && is_wanted(rows) && next_cells(rows, cells)) {
        if (is_chosen(rows->log, rows->n)) {
            convert(rows, cells, 1, 0);
        } else {
            rows->n++;
        }
    }
    return rows->n_run > 0 && rows->log->request->control->problem->status == 0;
}

bool tqa_recording_rows_next(tqa_recording_rows *rows)
{
    if (!tqa_recording_rows_more(rows)) {
        return false;
    }
    const size_t i = rows->at++;
    rows->row = rows->run_row[i];
    rows->t = rows->run_t[i];
    rows->state = (tqa_row_state)rows->run_state[i];
    for (size_t c = 0; c < rows->log->n_channel; c++) {
        rows->values[c] = rows->run[c * TQA_RECORDING_RUN + i];
    }
    return true;
}

void tqa_recording_note(tqa_recording *log, tqa_recording_repair repair, uint64_t row)
{
    tqa_recording_count *count = &log->repairs[repair];
    if (count->n < TQA_RECORDING_ROWS_TOLD) {
        count->rows[count->n] = row;
    }
    count->n++;
}
