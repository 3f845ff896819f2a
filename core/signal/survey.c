/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/survey.c - the first look at a log: is its clock one, do its numbers mean what
 * is said of them, where does it move. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/recordings/parts.h"

enum {
    STILL_ROWS = 4096, /* are judged together at most */
};

const double tqa_recording_moves = 5e-4;
static const double slow_clock = 0.2;  /* s: nobody logs a robot so slowly; milliseconds look so */
static const double fast_clock = 1e-5; /* s: beyond what drives log */
static const double still_s = 0.08;    /* s: of rows that are judged together */
static const double bridge_periods = 5.5;
static const double bridge_s = 0.04; /* shorter gaps are bridged whatever the period */

/* the range of positions over the last few rows */
typedef struct motion {
    double *least, *most; /* (nq) */
    size_t n;
    uint64_t first;
    double first_t;
    bool any;
    bool moved; /* the rows that were judged last */
} motion;

/* Too few rows at the end to be judged are as those before. */
static bool close_motion(tqa_recording *log, motion *m, uint64_t last, bool is_whole)
{
    bool moves = !is_whole && m->n > 0 && m->moved;
    for (size_t r = 0; m->n > 1 && r < log->request->order->nq; r++) {
        moves = moves || m->most[r] - m->least[r] > tqa_recording_moves;
    }
    if (moves) {
        log->first_moving = m->any ? log->first_moving : m->first;
        log->last_moving = last;
        m->any = true;
    }
    m->moved = moves;
    m->n = 0;
    return tqa_standstills_close(log, m->first, last, moves);
}

static void widen(motion *m, size_t r, const double *q, size_t n, bool is_first)
{
    double least = is_first ? q[0] : m->least[r];
    double most = is_first ? q[0] : m->most[r];
    for (size_t i = 0; i < n; i++) {
        least = q[i] < least ? q[i] : least;
        most = q[i] > most ? q[i] : most;
    }
    m->least[r] = least;
    m->most[r] = most;
}

/* good rows [at, end) of the run */
static bool add_motion(tqa_recording *log, motion *m, const tqa_recording_rows *rows, size_t at,
                       size_t end)
{
    while (at < end) {
        const bool is_first = m->n == 0;
        m->first = is_first ? rows->run_row[at] : m->first;
        m->first_t = is_first ? rows->run_t[at] : m->first_t;
        size_t to = at;
        bool closes = false;
        while (to < end && !closes) {
            closes = ++m->n == STILL_ROWS || rows->run_t[to] - m->first_t >= still_s;
            to++;
        }
        for (size_t r = 0; r < log->request->order->nq; r++) {
            const size_t c = log->first_channel[TQA_RECORDING_Q] + r;
            widen(m, r, rows->run + c * TQA_RECORDING_RUN + at, to - at, is_first);
        }
        tqa_standstills_add(log, rows, at, to);
        if (closes && !close_motion(log, m, rows->run_row[to - 1], true)) {
            return false;
        }
        at = to;
    }
    return true;
}

static void add_time(tqa_recording *log, const tqa_recording_rows *rows, size_t i, uint64_t *before)
{
    if (rows->run_state[i] != TQA_ROW_GOOD) {
        tqa_recording_note(log,
                           rows->run_state[i] == TQA_ROW_ABSURD ? TQA_RECORDING_ABSURD
                                                                : TQA_RECORDING_NOT_FINITE,
                           rows->run_row[i]);
    }
    if (!isfinite(rows->run_t[i])) {
        return;
    }
    if (log->clock->n > 0 && rows->run_row[i] > *before + 1) {
        tq_clock_skip(log->clock, rows->run_t[i]);
    } else {
        tq_clock_add(log->clock, rows->run_t[i]);
    }
    *before = rows->run_row[i];
}

static bool read_all(tqa_recording *log, tqa_recording_rows *rows)
{
    const size_t nq = log->request->order->nq;
    motion m = {.least = tqa_tree_take(log->request->control, nq + 1, sizeof(double)),
                .most = tqa_tree_take(log->request->control, nq + 1, sizeof(double))};
    if (m.least == NULL || m.most == NULL || !tqa_row_cache_keep_begin(log) ||
        !tqa_standstills_begin(log)) {
        return false;
    }
    uint64_t before = 0;
    while (tqa_recording_rows_more(rows)) {
        size_t good = rows->at; /* the first of a stretch of good rows */
        for (size_t i = rows->at; i < rows->n_run; i++) {
            add_time(log, rows, i, &before);
            tqa_row_cache_keep(log, rows, i);
            if (rows->run_state[i] != TQA_ROW_GOOD) {
                if (!add_motion(log, &m, rows, good, i)) {
                    return false;
                }
                good = i + 1;
            }
        }
        if (!add_motion(log, &m, rows, good, rows->n_run)) {
            return false;
        }
        log->n_chosen += rows->n_run - rows->at;
        rows->at = rows->n_run;
    }
    if (!close_motion(log, &m, before, false)) {
        return false;
    }
    log->moves = m.any;
    log->n_row = rows->n;
    return log->request->control->problem->status == 0;
}

/* ------------------------------------------------------------------------------------------------
 * What cannot be repaired
 */

static void list_rows(const tqa_recording_count *count, char *text, size_t size)
{
    size_t n = 0;
    text[0] = '\0';
    for (size_t k = 0; k < TQA_RECORDING_ROWS_TOLD && k < count->n && n + 24 < size; k++) {
        n += (size_t)snprintf(text + n, size - n, "%s%llu", k > 0 ? ", " : "",
                              (unsigned long long)count->rows[k]);
    }
    if (count->n > TQA_RECORDING_ROWS_TOLD) {
        (void)snprintf(text + n, size - n, ", ...");
    }
}

static bool judge_numbers(const tqa_recording *log)
{
    const tqa_recording_count *no = &log->repairs[TQA_RECORDING_NOT_FINITE];
    const tqa_recording_count *wild = &log->repairs[TQA_RECORDING_ABSURD];
    char rows[TQA_PROBLEM_TEXT / 2];
    if (log->n_chosen < 16) {
        return tqa_value_refuse(&log->part, "wrong-length",
                                "16 rows at least; \"rows\" chooses which",
                                "\"%.80s\" has %llu rows here: that is no motion", log->name,
                                (unsigned long long)log->n_chosen);
    }
    if (log->n_window == 0 && 20 * log->n_unpaired > log->n_row) {
        return tqa_value_refuse(&log->part, "wrong-length",
                                "name files of one recording, or choose the \"rows\" of all",
                                "\"%.60s\": its files have %llu rows in common, and one has %llu "
                                "more: they are hardly of one recording",
                                log->name, (unsigned long long)log->n_row,
                                (unsigned long long)log->n_unpaired);
    }
    if (20 * (no->n + wild->n) <= log->n_chosen) {
        return true;
    }
    list_rows(no->n > wild->n ? no : wild, rows, sizeof rows);
    return tqa_value_refuse(
        &log->part, "invalid-value",
        "choose other columns, or the good rows: \"rows\": [first, end]",
        "\"%.60s\": of %llu rows, %llu have numbers that are none and %llu have "
        "absurd ones (rows %s)",
        log->name, (unsigned long long)log->n_chosen, (unsigned long long)no->n,
        (unsigned long long)wild->n, rows);
}

static bool judge_clock(tqa_recording *log)
{
    const tq_clock *clock = log->clock;
    log->is_even = tq_clock_is_even(clock, &log->period);
    if (!log->is_even) {
        log->period = tq_clock_period(clock);
    }
    if (clock->n_backward + 1 >= clock->n && clock->n > 1) {
        return tqa_value_refuse(
            &log->part, "invalid-value", "turn the rows round, or choose the column of times",
            "\"%.80s\": the time runs backwards from the first row to the last: "
            "%.6g s to %.6g s",
            log->name, clock->first, clock->last);
    }
    if (20 * clock->n_backward > clock->n + 60 && clock->n_backward > clock->n_repeated) {
        return tqa_value_refuse(
            &log->part, "invalid-value", "choose the column of times, or sort the rows by time",
            "\"%.80s\": the time goes back in %llu of %llu rows, first in row "
            "%llu",
            log->name, (unsigned long long)clock->n_backward, (unsigned long long)clock->n,
            (unsigned long long)clock->first_backward);
    }
    if (!(log->period > 0.0) || 2 * clock->n_repeated > clock->n) {
        return tqa_value_refuse(&log->part, "invalid-value",
                                "choose the column of times, or leave it out and add \"rate_hz\"",
                                "\"%.80s\": the time stands still in %llu of %llu rows, first in "
                                "row %llu",
                                log->name, (unsigned long long)clock->n_repeated,
                                (unsigned long long)clock->n,
                                (unsigned long long)clock->first_repeated);
    }
    if (log->period > slow_clock && log->n_time > 0 && !log->time_unit_known &&
        !log->request->unit_known[TQA_RECORDING_TIME]) {
        return tqa_value_refuse(
            &log->part, "invalid-value",
            log->period > 5e3 ? "say which: \"units\": {\"time\": \"us\"} (or \"ns\")"
                              : "say which: \"units\": {\"time\": \"ms\"} (or \"us\", \"ns\"), "
                                "or \"s\" if it is so slow",
            "\"%.80s\": the rows would be %.6g s apart: its times are hardly "
            "in seconds",
            log->name, log->period);
    }
    if (log->period < fast_clock) {
        return tqa_value_refuse(&log->part, "invalid-value",
                                "name the column of times, or its units: \"units\": {\"time\": "
                                "\"s\"}",
                                "\"%.80s\": the rows would be %.6g s apart", log->name,
                                log->period);
    }
    if (log->request->rate * log->period > 20.0) {
        return tqa_value_refuse(
            &log->part, "range", "choose a lower \"rate_hz\"",
            "\"%.80s\" has %.6g rows in a second: a rate of %.6g makes motion up", log->name,
            1.0 / log->period, log->request->rate);
    }
    log->step = log->request->rate > 0.0 ? 1.0 / log->request->rate : log->period;
    log->gap = fmax(bridge_periods * log->period, bridge_s);
    return true;
}

static bool look(void *ctx, const tqa_resample *even)
{
    tqa_recording *log = ctx;
    return tqa_recording_check_plausibility(log, even) && tqa_recording_measure(log, even);
}

bool tqa_recording_inspect(tqa_recording *log)
{
    tqa_recording_rows rows;
    log->clock = tqa_tree_take(log->request->control, 1, sizeof *log->clock);
    if (log->clock == NULL) {
        return false;
    }
    memset(log->repairs, 0, sizeof log->repairs);
    const bool good = tqa_recording_rows_open(&rows, log) && read_all(log, &rows);
    tqa_recording_rows_close(&rows);
    log->has_survey = good;
    return good && judge_numbers(log) && judge_clock(log) && tqa_recording_look(log, look, log);
}
