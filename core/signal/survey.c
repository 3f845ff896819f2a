/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/survey.c - the first pass over a recording: clock, rest and motion, and whether
 * numbers and times are usable. */
#include "core/signal/survey.h"

#include <math.h>
#include <string.h>

#include "core/signal/braked.h"

enum {
    GROUP_ROWS = 4096, /* most rows that are classified together */
};

static const double slow_clock = 0.2;  /* s: a longer period suggests milliseconds */
static const double fast_clock = 1e-5; /* s: a shorter period is faster than any drive records */
static const double group_s = 0.08;    /* s: length of a group of rows that is classified as a
                                          whole */
static const double bridge_periods = 5.5;
static const double bridge_s = 0.04;  /* s: shorter gaps are bridged with any period */
static const double rate_most = 20.0; /* rate of the uniform grid over that of the rows, most */

/* Ends a group of rows: a joint moves in it if its range of positions exceeds TQ_SURVEY_MOVES. A
 * group that is too short to be classified counts as the one before. */
static tq_status close_group(tq_survey *s, uint64_t last, bool is_whole, tq_error *reterr)
{
    tq_recording *recording = s->recording;
    bool moves = !is_whole && s->n > 0 && s->moved;
    for (size_t r = 0; s->n > 1 && r < recording->options->model->nq; r++) {
        moves = moves || s->most[r] - s->least[r] > TQ_SURVEY_MOVES;
    }
    if (moves) {
        recording->first_moving = s->any ? recording->first_moving : s->first;
        recording->last_moving = last;
        s->any = true;
    }
    s->moved = moves;
    s->n = 0;
    return tq_standstills_close(recording, s->first, last, moves, reterr);
}

static void widen(tq_survey *s, size_t r, const double *q, size_t n, bool is_first)
{
    double least = is_first ? q[0] : s->least[r];
    double most = is_first ? q[0] : s->most[r];
    for (size_t i = 0; i < n; i++) {
        least = q[i] < least ? q[i] : least;
        most = q[i] > most ? q[i] : most;
    }
    s->least[r] = least;
    s->most[r] = most;
}

/* Takes good rows [*inout_at, end), up to the end of a group after which standstills need memory.
 */
static tq_status add_motion(tq_survey *s, const tq_raw_rows *rows, size_t *inout_at, size_t end,
                            tq_error *reterr)
{
    const tq_recording *recording = s->recording;
    tq_status status = TQ_OK;
    size_t at = *inout_at;
    while (at < end && status == TQ_OK && tq_standstills_wants(recording) == 0) {
        const bool is_first = s->n == 0;
        s->first = is_first ? rows->row[at] : s->first;
        s->first_t = is_first ? rows->t[at] : s->first_t;
        size_t to = at;
        bool closes = false;
        while (to < end && !closes) {
            closes = ++s->n == GROUP_ROWS || rows->t[to] - s->first_t >= group_s;
            to++;
        }
        for (size_t r = 0; r < recording->options->model->nq; r++) {
            const size_t c = recording->channels.first[TQ_QUANTITY_Q] + r;
            widen(s, r, rows->values + c * TQ_RAW_ROWS + at, to - at, is_first);
        }
        tq_standstills_add(s->recording, rows, at, to);
        tq_stuck_add(&s->recording->stuck, &recording->channels, rows, at, to);
        if (closes) {
            status = close_group(s, rows->row[to - 1], true, reterr);
        }
        at = to;
    }
    *inout_at = at;
    return status;
}

static void add_time(tq_survey *s, const tq_raw_rows *rows, size_t i)
{
    tq_recording *recording = s->recording;
    if (rows->state[i] != TQ_ROW_GOOD) {
        tq_recording_note(recording, tq_repair_of_row(rows->state[i]), rows->row[i]);
    }
    if (!isfinite(rows->t[i])) {
        return;
    }
    if (recording->clock->n > 0 && rows->row[i] > s->before + 1) {
        tq_clock_skip(recording->clock, rows->t[i]);
    } else {
        tq_clock_add(recording->clock, rows->t[i]);
    }
    s->before = rows->row[i];
}

size_t tq_survey_size(const tq_recording *recording)
{
    const tq_recording_options *options = recording->options;
    const size_t nq = options->model->nq;
    return 4 * tq_scratch_cost(nq + 1, sizeof(double)) +
           tq_scratch_cost(1, sizeof *recording->clock) +
           3 * tq_scratch_cost(options->model->nv + 1, sizeof(double)) +
           tq_row_cache_size(recording->channels.n, options->n_cached) +
           tq_standstills_size(recording) + tq_stuck_size(options->model);
}

tq_status tq_survey_begin(tq_recording *recording, tq_scratch *memory, tq_survey *ret,
                          tq_error *reterr)
{
    const tq_recording_options *options = recording->options;
    const size_t nq = options->model->nq;
    *ret = (tq_survey){.recording = recording,
                       .least = tq_scratch_take(memory, nq + 1, sizeof(double)),
                       .most = tq_scratch_take(memory, nq + 1, sizeof(double))};
    recording->clock = tq_scratch_take(memory, 1, sizeof *recording->clock);
    recording->coherent_memory = tq_scratch_take(memory, nq + 1, sizeof(double));
    recording->floor_memory = tq_scratch_take(memory, options->model->nv + 1, sizeof(double));
    recording->motion = tq_scratch_take(memory, nq + 1, sizeof(double));
    recording->needs = tq_scratch_take(memory, options->model->nv + 1, sizeof(double));
    recording->shares = tq_scratch_take(memory, options->model->nv + 1, sizeof(double));
    memset(recording->repairs, 0, sizeof recording->repairs);
    recording->n_chosen = 0;
    if (ret->least == NULL || ret->most == NULL || recording->clock == NULL ||
        recording->coherent_memory == NULL || recording->floor_memory == NULL ||
        recording->motion == NULL || recording->needs == NULL || recording->shares == NULL ||
        !tq_row_cache_begin(&recording->cache, recording->channels.n, options->n_cached, memory) ||
        !tq_standstills_begin(recording, memory) ||
        !tq_stuck_begin(options->model, memory, &recording->stuck)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, (double)tq_survey_size(recording));
    }
    memset(recording->clock, 0, sizeof *recording->clock);
    return TQ_OK;
}

size_t tq_survey_wants(const tq_survey *survey)
{
    return tq_standstills_wants(survey->recording);
}

void tq_survey_give(tq_survey *survey, void *memory)
{
    tq_standstills_give(survey->recording, memory);
}

tq_status tq_survey_push(tq_survey *s, const tq_raw_rows *rows, size_t *inout_at, tq_error *reterr)
{
    tq_recording *recording = s->recording;
    tq_status status = TQ_OK;
    size_t at = *inout_at;
    if (tq_standstills_wants(recording) != 0) {
        return TQ_OK;
    }
    for (size_t i = 0; at == 0 && i < rows->n; i++) {
        add_time(s, rows, i);
        tq_row_cache_add(&recording->cache, rows, i);
    }
    while (at < rows->n && status == TQ_OK && tq_standstills_wants(recording) == 0) {
        size_t end = at;
        while (end < rows->n && rows->state[end] == TQ_ROW_GOOD) {
            end++;
        }
        status = add_motion(s, rows, &at, end, reterr);
        at += at == end && end < rows->n ? 1 : 0; /* the bad row */
    }
    recording->n_chosen += at - *inout_at;
    *inout_at = at;
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * Faults that cannot be repaired
 */

static tq_status check_numbers(const tq_recording *recording, tq_recording_fault *ret)
{
    const uint64_t n_not_unit = recording->repairs[TQ_REPAIR_NOT_UNIT].n;
    const uint64_t n_bad =
        recording->repairs[TQ_REPAIR_NOT_FINITE].n + recording->repairs[TQ_REPAIR_ABSURD].n;
    if (recording->n_chosen < 16) {
        return tq_recording_refuse(ret, TQ_FAULT_FEW_ROWS, TQ_NONE, 0.0, 0.0);
    }
    if (!recording->is_windowed && 20 * recording->n_unpaired > recording->n_row) {
        return tq_recording_refuse(ret, TQ_FAULT_UNPAIRED, TQ_NONE, 0.0, 0.0);
    }
    if (20 * n_bad > recording->n_chosen) {
        return tq_recording_refuse(ret, TQ_FAULT_BAD_NUMBERS, TQ_NONE, 0.0, 0.0);
    }
    if (20 * n_not_unit > recording->n_chosen) {
        return tq_recording_refuse(ret, TQ_FAULT_NOT_UNIT, TQ_NONE, 0.0, 0.0);
    }
    return TQ_OK;
}

static tq_status check_clock(tq_recording *recording, tq_recording_fault *ret)
{
    const tq_clock *clock = recording->clock;
    const double rate = recording->options->rate;
    recording->is_even = tq_clock_is_even(clock, &recording->period);
    if (!recording->is_even) {
        recording->period = tq_clock_period(clock);
    }
    const double period = recording->period;
    if (clock->n_backward + 1 >= clock->n && clock->n > 1) {
        return tq_recording_refuse(ret, TQ_FAULT_TIME_REVERSED, TQ_NONE, 0.0, 0.0);
    }
    if (20 * clock->n_backward > clock->n + 60 && clock->n_backward > clock->n_repeated) {
        return tq_recording_refuse(ret, TQ_FAULT_TIME_UNSORTED, TQ_NONE, 0.0, 0.0);
    }
    if (!(period > 0.0) || 2 * clock->n_repeated > clock->n) {
        return tq_recording_refuse(ret, TQ_FAULT_TIME_CONSTANT, TQ_NONE, 0.0, 0.0);
    }
    if (period > slow_clock && (recording->check & TQ_CHECK_TIME) != 0) {
        return tq_recording_refuse(ret, TQ_FAULT_PERIOD_LONG, TQ_NONE, period, 0.0);
    }
    if (period < fast_clock) {
        return tq_recording_refuse(ret, TQ_FAULT_PERIOD_SHORT, TQ_NONE, period, 0.0);
    }
    if (rate * period > rate_most) {
        return tq_recording_refuse(ret, TQ_FAULT_RATE, TQ_NONE, 1.0 / period, 0.0);
    }
    recording->step = rate > 0.0 ? 1.0 / rate : period;
    recording->gap = fmax(bridge_periods * period, bridge_s);
    return TQ_OK;
}

tq_status tq_survey_end(tq_survey *s, tq_recording_fault *ret_fault, tq_error *reterr)
{
    tq_recording *recording = s->recording;
    *ret_fault = (tq_recording_fault){0};
    tq_status status = close_group(s, s->before, false, reterr);
    recording->moves = s->any;
    tq_stuck_end(&recording->stuck);
    recording->has_survey = status == TQ_OK;
    if (status == TQ_OK) {
        status = check_numbers(recording, ret_fault);
    }
    return status == TQ_OK ? check_clock(recording, ret_fault) : status;
}
