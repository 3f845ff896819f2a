/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/rows.c - the rows of a recording in SI units, one after another. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/recordings/commanded.h"
#include "api/recordings/wrenches.h"

static long read_source(void *ctx, uint64_t offset, void *bytes, size_t n)
{
    tqa_recording_source *source = ctx;
    return source->host->dataset_read(source->host->ctx, source->name, offset, bytes, n);
}

/* A dataset may be replaced between two passes; a job's result never is. */
static void pin(tqa_recording *recording, size_t q, const tqa_source *what)
{
    char name[TQA_RECORDING_PINNED_NAME];
    const bool is_open = what->digest[0] != '\0' && strchr(recording->source[q], '@') == NULL &&
                         strncmp(recording->source[q], "job:", 4) != 0;
    (void)snprintf(name, sizeof name, "%s%s%s", recording->source[q], is_open ? "@" : "",
                   is_open ? what->digest : "");
    memcpy(recording->pinned[q], name, sizeof name);
}

static bool open_source(tqa_recording *recording, tqa_recording_source *source, size_t q)
{
    tqa_tree *tree = recording->request->tree;
    const tqa_host *host = tree->host;
    tqa_value field = tqa_value_field(&recording->part, tqa_recording_quantity_names[q]);
    const tqa_value *where = recording->is_split ? &field : &recording->part;
    tqa_source what;
    if (host == NULL || host->dataset_read == NULL || host->dataset_look == NULL) {
        return tqa_value_refuse(where, "not-ready", "send the samples themselves",
                                "there are no datasets here");
    }
    const bool is_first = recording->pinned[q][0] == '\0';
    if (is_first && host->dataset_look(host->ctx, recording->source[q], &what) != 0) {
        return tqa_value_refuse(where, "unknown-name", "PUT /v1/datasets/{name} stores one",
                                "there is no dataset, and no finished job, \"%.100s\"",
                                recording->source[q]);
    }
    if (is_first) {
        pin(recording, q, &what);
    }
    source->host = host;
    memcpy(source->name, recording->pinned[q], sizeof source->name);
    source->table = tqa_table_open(read_source, source);
    if (source->table == NULL) {
        (void)tqa_problem_set(tree->problem, "busy", "there is no memory for this now");
        return false;
    }
    const char *fault = tqa_table_fault(source->table);
    const bool busy = tqa_table_busy(source->table);
    return fault == NULL ||
           tqa_value_refuse(where, busy ? "busy" : "invalid-value",
                            busy ? "try again" : "repair the data, or name other ones",
                            "\"%.80s\": %s", recording->source[q], fault);
}

bool tqa_recording_rows_open(tqa_recording_rows *rows, tqa_recording *recording)
{
    *rows = (tqa_recording_rows){.recording = recording,
                                 .is_cached = tq_recording_is_cached(&recording->signal)};
    if (rows->is_cached) {
        return true;
    }
    for (size_t q = 0; q < (recording->is_split ? (size_t)TQA_RECORDING_QUANTITIES : 1); q++) {
        if (recording->source[q][0] != '\0' && !open_source(recording, &rows->sources[q], q)) {
            return false;
        }
    }
    if (recording->signal.channels.n == 0 &&
        !tqa_recording_columns_find(recording, rows->sources)) {
        return false;
    }
    if (!tqa_raw_run_allocate(recording->signal.channels.n, &rows->own)) {
        (void)tqa_problem_set(recording->request->tree->problem, "busy",
                              "there is no memory for this now");
        return false;
    }
    rows->run = rows->own;
    return tqa_commanded_open(rows) && tqa_wrench_rows_open(rows);
}

void tqa_recording_rows_close(tqa_recording_rows *rows)
{
    tqa_raw_run_free(&rows->own);
    tqa_commanded_close(rows);
    tqa_wrench_rows_close(rows);
    for (size_t q = 0; q < TQA_RECORDING_QUANTITIES; q++) {
        if (rows->sources[q].table != NULL) {
            rows->recording->cut_last_line =
                rows->recording->cut_last_line || tqa_table_cut(rows->sources[q].table);
            tqa_table_close(rows->sources[q].table);
        }
    }
}

/* How many rows the longest table has after the end of the shortest. */
static void count_unpaired(tqa_recording_rows *rows, const double *cells[TQA_RECORDING_QUANTITIES])
{
    tqa_recording *recording = rows->recording;
    for (size_t q = 0; recording->is_split && q < TQA_RECORDING_QUANTITIES; q++) {
        uint64_t n = 0;
        while (cells[q] != NULL) {
            n++;
            cells[q] = tqa_table_next(rows->sources[q].table);
        }
        recording->signal.n_unpaired =
            n > recording->signal.n_unpaired ? n : recording->signal.n_unpaired;
    }
}

/* cells[q]: the row of quantity q's table */
static bool next_cells(tqa_recording_rows *rows, const double *cells[TQA_RECORDING_QUANTITIES])
{
    tqa_recording *recording = rows->recording;
    bool ended = false;
    for (size_t q = 0; q < (recording->is_split ? (size_t)TQA_RECORDING_QUANTITIES : 1); q++) {
        tqa_table *table = rows->sources[q].table;
        if (table == NULL) {
            continue;
        }
        cells[q] = tqa_table_next(table);
        ended = ended || cells[q] == NULL;
        const char *fault = cells[q] == NULL ? tqa_table_fault(table) : NULL;
        if (fault != NULL) {
            const bool busy = tqa_table_busy(table);
            return tqa_value_refuse(&recording->part, busy ? "busy" : "invalid-value",
                                    busy ? "try again"
                                         : "repair or leave out what follows: \"rows\" chooses",
                                    "\"%.80s\", after row %llu: %s", recording->source[q],
                                    (unsigned long long)rows->n, fault);
        }
    }
    for (size_t q = 1; !recording->is_split && q < TQA_RECORDING_QUANTITIES; q++) {
        cells[q] = cells[0];
    }
    if (ended && !recording->signal.has_survey) {
        count_unpaired(rows, cells);
    }
    return !ended;
}

/* The clock counts from the first row, so that nanoseconds since 1970 keep their digits. */
static double time_of(tqa_recording_rows *rows, uint64_t row, const double *cells)
{
    const tqa_recording *recording = rows->recording;
    if (recording->n_time == 0) {
        return (double)row / recording->request->options.rate;
    }
    assert(cells != NULL);
    const double whole = cells[recording->column[TQA_RECORDING_TIME][0]];
    if (!rows->has_base && isfinite(whole)) {
        rows->time_base = whole;
        rows->has_base = true;
    }
    const double t = (whole - rows->time_base) * recording->factor[TQA_RECORDING_TIME][0];
    return recording->n_time == 2 ? t + 1e-9 * cells[recording->column[TQA_RECORDING_TIME][1]] : t;
}

/* columns of the floating base into its rows of q and qd */
static void convert_base(tqa_recording_rows *rows, const double *cells[TQA_RECORDING_QUANTITIES],
                         size_t n, size_t pitch)
{
    const tqa_recording *recording = rows->recording;
    const tqa_recording_request *request = recording->request;
    for (tqa_recording_quantity q = TQA_RECORDING_BASE_POSITION; q <= TQA_RECORDING_BASE_TWIST;
         q++) {
        const bool is_twist = q == TQA_RECORDING_BASE_TWIST;
        const tq_quantity of = is_twist ? TQ_QUANTITY_QD : TQ_QUANTITY_Q;
        for (size_t r = 0; recording->column[q] != NULL && r < tqa_recording_width(request, q);
             r++) {
            assert(cells[q] != NULL);
            const tq_joint *base = &request->options.model->joints[request->base];
            const size_t row =
                is_twist ? base->v_index + r
                         : base->q_index + r + (q == TQA_RECORDING_BASE_QUATERNION ? 3 : 0);
            const double *from = cells[q] + recording->column[q][r];
            double *to = rows->run.values +
                         (recording->signal.channels.first[of] + row) * TQ_RAW_ROWS + rows->n_run;
            for (size_t i = 0; i < n; i++) {
                to[i] = recording->factor[q][r] * from[i * pitch];
            }
            tq_rows_check(of, n, to, rows->run.state + rows->n_run);
        }
    }
}

static void scale_quaternions(tqa_recording_rows *rows, size_t n)
{
    const tqa_recording *recording = rows->recording;
    const tq_model *model = recording->request->options.model;
    for (uint32_t j = 0; model->nq != model->nv && j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (joint->kind == TQ_JOINT_SPHERICAL || joint->kind == TQ_JOINT_FLOATING) {
            const size_t row =
                recording->signal.channels.first[TQ_QUANTITY_Q] + joint->q_index + joint->nq - 4;
            tq_rows_scale_quaternion(n, rows->run.values + row * TQ_RAW_ROWS + rows->n_run,
                                     rows->run.state + rows->n_run);
        }
    }
}

/* n rows of a table, `pitch` numbers apart; tables' cells of a split recording are one row */
static void convert(tqa_recording_rows *rows, const double *cells[TQA_RECORDING_QUANTITIES],
                    size_t n, size_t pitch)
{
    const tqa_recording *recording = rows->recording;
    const size_t at = rows->n_run;
    unsigned char *state = rows->run.state + at;
    for (size_t i = 0; i < n; i++) {
        const double *time = cells[TQA_RECORDING_TIME];
        rows->run.row[at + i] = rows->n + i;
        rows->run.t[at + i] = time_of(rows, rows->n + i, time != NULL ? time + i * pitch : NULL);
        state[i] = (unsigned char)(isfinite(rows->run.t[at + i]) ? TQ_ROW_GOOD : TQ_ROW_NOT_FINITE);
    }
    for (tqa_recording_quantity q = 0; q < TQA_RECORDING_TIME; q++) {
        const size_t width =
            recording->column[q] != NULL ? tqa_recording_width(recording->request, q) : 0;
        for (size_t r = 0; r < width; r++) {
            assert(cells[q] != NULL);
            double *to =
                rows->run.values + (recording->signal.channels.first[q] + r) * TQ_RAW_ROWS + at;
            const bool *used = q == TQA_RECORDING_TAU ? tqa_recording_used(recording) : NULL;
            /* of the base, which has columns of its own or no force; or in contact */
            if (recording->column[q][r] == TQ_NONE || (used != NULL && !used[r])) {
                memset(to, 0, n * sizeof *to);
                continue;
            }
            const double *from = cells[q] + recording->column[q][r];
            const double factor = recording->factor[q][r];
            for (size_t i = 0; i < n; i++) {
                to[i] = factor * from[i * pitch];
            }
            tq_rows_check((tq_quantity)q, n, to, state);
        }
    }
    convert_base(rows, cells, n, pitch);
    scale_quaternions(rows, n);
    tqa_commanded_convert(rows, cells, n, pitch);
    tqa_wrench_rows_convert(rows, cells[0], n, pitch);
    rows->n_run += n;
    rows->n += n;
}

static bool is_chosen(const tqa_recording *recording, uint64_t row)
{
    for (size_t w = 0; w < recording->n_window; w++) {
        if (row >= recording->windows[w].first && row < recording->windows[w].end) {
            return true;
        }
    }
    return recording->n_window == 0;
}

/* no chosen row from this one on */
static bool is_past(const tqa_recording *recording, uint64_t row)
{
    bool past = recording->n_window > 0;
    for (size_t w = 0; w < recording->n_window; w++) {
        past = past && row >= recording->windows[w].end;
    }
    return past;
}

/* rows from this one on in one window */
static uint64_t chosen_from(const tqa_recording *recording, uint64_t row)
{
    uint64_t most = recording->n_window > 0 ? 0 : UINT64_MAX;
    for (size_t w = 0; w < recording->n_window; w++) {
        const tqa_recording_window *window = &recording->windows[w];
        if (row >= window->first && row < window->end && window->end - row > most) {
            most = window->end - row;
        }
    }
    return most;
}

/* the first row from this one on that is chosen */
static uint64_t next_chosen(const tqa_recording *recording, uint64_t row)
{
    uint64_t next = UINT64_MAX;
    for (size_t w = 0; w < recording->n_window; w++) {
        const tqa_recording_window *window = &recording->windows[w];
        const uint64_t first = window->first > row ? window->first : row;
        next = first < window->end && first < next ? first : next;
    }
    return next;
}

/* consecutive rows of one table; those outside of the windows are skipped where the format of the
 * file allows it */
static bool fill_many(tqa_recording_rows *rows)
{
    const tqa_recording *recording = rows->recording;
    const double *cells[TQA_RECORDING_QUANTITIES];
    tqa_table *table = rows->sources[0].table;
    if (recording->is_split) {
        return false;
    }
    uint64_t most = chosen_from(recording, rows->n);
    if (most == 0) {
        rows->n += tqa_table_skip(table, next_chosen(recording, rows->n) - rows->n);
        most = chosen_from(recording, rows->n);
    }
    size_t n = 0;
    const size_t room = TQ_RAW_ROWS - rows->n_run;
    cells[0] = tqa_table_next_many(table, most < room ? (size_t)most : room, &n);
    for (size_t q = 1; q < TQA_RECORDING_QUANTITIES; q++) {
        cells[q] = cells[0];
    }
    if (n > 0) {
        convert(rows, cells, n, tqa_table_columns(table));
    }
    return n > 0;
}

/* Polled every 8192 rows, since rows outside of the windows take time as well. */
static bool is_wanted(tqa_recording_rows *rows)
{
    enum { EVERY = 8192 };
    const tqa_tree *tree = rows->recording->request->tree;
    const tqa_host *host = tree->host;
    const uint64_t n = rows->n + rows->cache_at;
    if (n < rows->poll_at) {
        return true;
    }
    rows->poll_at = n + EVERY;
    if (host != NULL && host->cancelled != NULL && host->cancelled(host->ctx)) {
        (void)tqa_problem_set(tree->problem, "busy", "the job was stopped");
        return false;
    }
    return true;
}

/* Rows into the run; false: there are no more. */
static bool fill(tqa_recording_rows *rows)
{
    const tqa_recording *recording = rows->recording;
    const double *cells[TQA_RECORDING_QUANTITIES] = {NULL};
    tqa_commanded_resume(rows);
    const size_t n_before = rows->n_run;
    if (recording->signal.has_survey && is_past(recording, rows->n)) {
        return false;
    }
    if (!fill_many(rows)) {
        while (rows->n_run < TQ_RAW_ROWS && is_wanted(rows) && next_cells(rows, cells)) {
            if (is_chosen(recording, rows->n)) {
                convert(rows, cells, 1, 0);
            } else {
                rows->n++;
            }
        }
    }
    return rows->n_run > n_before;
}

bool tqa_recording_rows_next(tqa_recording_rows *rows, tq_raw_rows *ret)
{
    const tqa_recording *recording = rows->recording;
    if (!is_wanted(rows)) {
        return false;
    }
    if (rows->is_cached) {
        return tq_row_cache_next(&recording->signal.cache, &rows->cache_at, ret);
    }
    bool more = true;
    rows->n_run = 0;
    while (rows->n_run == 0 && more) {
        more = fill(rows);
        if (!tqa_commanded_finish(rows, more)) {
            return false;
        }
    }
    if (!tqa_wrench_rows_add(rows)) {
        return false;
    }
    *ret = (tq_raw_rows){.n = rows->n_run,
                         .values = rows->run.values,
                         .t = rows->run.t,
                         .row = rows->run.row,
                         .state = rows->run.state,
                         .all_good = tq_rows_all_good(rows->n_run, rows->run.state)};
    return rows->n_run > 0 && recording->request->tree->problem->status == 0;
}
