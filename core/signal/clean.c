/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/clean.c - a log from front to back in windows: rows with their faults out, in
 * the order of their time. log_even.c makes samples of them. */
#include <math.h>
#include <string.h>

#include "core/signal/pass_private.h"
#include "core/signal/median.h"

enum {
    NUMBERS_MAX = 2 << 20, /* of a window's rows */
    ROWS_LEAST = 4096,
    ROWS_MAX = 8192, /* what is made of them stays near the processor */
    ROWS_LOOKED_AT = 65536,
    SEGMENT_LEAST = 8,
    MEDIAN_SAMPLES = 4096, /* tell a median to 2 % */
    MEDIAN_LEAST = 256,    /* and these to 8 %, where there is another window */
};

/* A spike is so many deviations away: noise and quantisation never are, steps neither. */
static const double spike_factor = 30.0;
/* Noise that is taken for granted: clean and coarsely written signals have none of their own. Part
 * of the spread, and at least so many SI units. */
static const double spike_floor = 1e-3;
static const double spike_least[] = {[TQA_RECORDING_Q] = 1e-4,
                                     [TQA_RECORDING_QD] = 1e-3,
                                     [TQA_RECORDING_QDD] = 0.1,
                                     [TQA_RECORDING_TAU] = 1e-3};

static const double turn = 6.28318530717958647692;

static bool fail_memory(tqa_recording_pass_state *p)
{
    tqa_tree *control = p->log->request->control;
    (void)tqa_problem_set(control->problem, "busy", "there is no memory for this now");
    return false;
}

static bool open_window(tqa_recording_pass_state *p)
{
    const tqa_recording *log = p->log;
    const size_t n = log->n_channel;
    size_t room = NUMBERS_MAX / (n + 2);
    const size_t most = p->look != NULL ? ROWS_LOOKED_AT : ROWS_MAX;
    room = room > most ? most : room < ROWS_LEAST ? ROWS_LEAST : room;
    room = room < 8 * p->context ? 8 * p->context : room;
    if (log->n_row > 0 && log->n_row + SEGMENT_LEAST < room) {
        room = (size_t)log->n_row + SEGMENT_LEAST;
    }
    p->room = room;
    p->t = tqa_buffer_pool_take(p->rooms, room * sizeof *p->t);
    p->row = tqa_buffer_pool_take(p->rooms, room * sizeof *p->row);
    p->bad = tqa_buffer_pool_take(p->rooms, room);
    p->work = tqa_buffer_pool_take(p->rooms, room * sizeof *p->work);
    p->values = tqa_buffer_pool_take(p->rooms, room * n * sizeof *p->values);
    p->turns = tqa_buffer_pool_take(p->rooms, n * sizeof *p->turns);
    for (size_t c = 0; p->turns != NULL && c < n; c++) {
        p->turns[c] = 0.0;
    }
    return (p->t != NULL && p->row != NULL && p->bad != NULL && p->work != NULL &&
            p->values != NULL && p->turns != NULL && tqa_resample_open(p)) ||
           fail_memory(p);
}

static void close_window(tqa_recording_pass_state *p)
{
    tqa_resample_close(p);
    tqa_buffer_pool_give(p->rooms, p->t);
    tqa_buffer_pool_give(p->rooms, p->row);
    tqa_buffer_pool_give(p->rooms, p->bad);
    tqa_buffer_pool_give(p->rooms, p->work);
    tqa_buffer_pool_give(p->rooms, p->values);
    tqa_buffer_pool_give(p->rooms, p->turns);
}

/* Moves rows [from, n) to the front. */
static void drop_front(tqa_recording_pass_state *p, size_t from)
{
    const size_t n = p->n - from;
    memmove(p->t, p->t + from, n * sizeof *p->t);
    memmove(p->row, p->row + from, n * sizeof *p->row);
    for (size_t c = 0; c < p->log->n_channel; c++) {
        double *x = p->values + c * p->room;
        memmove(x, x + from, n * sizeof *x);
    }
    p->n = n;
    p->n_looked = p->n_looked > from ? p->n_looked - from : 0;
}

/* Takes rows out that are marked. */
static void drop_bad(tqa_recording_pass_state *p)
{
    size_t to = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (p->bad[i] != 0) {
            continue;
        }
        if (to != i) {
            p->t[to] = p->t[i];
            p->row[to] = p->row[i];
            for (size_t c = 0; c < p->log->n_channel; c++) {
                p->values[c * p->room + to] = p->values[c * p->room + i];
            }
        }
        to++;
    }
    p->n = to;
}

/* the median distance from the median, of every so many samples */
static double spread_of(size_t n, const double *x, size_t every, double *work)
{
    size_t m = 0;
    for (size_t i = 0; i < n; i += every) {
        work[m++] = x[i];
    }
    const double middle = tq_median(m, work);
    for (size_t i = 0; i < m; i++) {
        work[i] = fabs(x[i * every] - middle);
    }
    return tq_median(m, work);
}

static tqa_recording_quantity quantity_of(const tqa_recording *log, size_t channel)
{
    tqa_recording_quantity found = TQA_RECORDING_Q;
    for (tqa_recording_quantity q = TQA_RECORDING_QD; q < TQA_RECORDING_TIME; q++) {
        found = log->column[q] != NULL && channel >= log->first_channel[q] ? q : found;
    }
    return found;
}

/* an earlier pass has seen the same rows together */
static bool is_clean(const tqa_recording_pass_state *p)
{
    const tqa_recording *log = p->log;
    for (size_t k = 0; k < log->n_clean; k++) {
        const tqa_recording_clean *clean = &log->clean[k];
        if (clean->n == p->n && clean->first == p->row[0] && clean->last == p->row[p->n - 1]) {
            return true;
        }
    }
    return false;
}

static void note_clean(const tqa_recording_pass_state *p)
{
    tqa_recording *log = p->log;
    if (log->n_clean < TQA_RECORDING_CLEAN_MAX) {
        log->clean[log->n_clean++] = (tqa_recording_clean){p->row[0], p->row[p->n - 1], p->n};
    }
}

static void mark_spikes(tqa_recording_pass_state *p)
{
    if (p->n < SEGMENT_LEAST || is_clean(p)) {
        return;
    }
    memset(p->bad, 0, p->n);
    const bool is_long = p->log->n_row > p->room;
    const size_t every = p->n / (size_t)(is_long ? MEDIAN_LEAST : MEDIAN_SAMPLES) + 1;
    size_t n_bad = 0;
    for (size_t c = 0; c < p->log->n_channel; c++) {
        const double *x = p->values + c * p->room;
        const double spread = spread_of(p->n, x, every, p->work);
        const double noise = tq_noise_deviation(p->n, x, every, p->work);
        const double least = fmax(spike_floor * spread, spike_least[quantity_of(p->log, c)]);
        n_bad += tq_spikes_mark(p->n, x, fmax(noise, least), spike_factor, p->bad);
    }
    if (n_bad == 0) {
        note_clean(p);
        return;
    }
    for (size_t i = 0; i < p->n; i++) {
        if (p->bad[i] != 0 && i >= p->n_looked) {
            tqa_recording_note(p->log, TQA_RECORDING_SPIKE, p->row[i]);
        }
    }
    drop_bad(p);
}

/* Everything in the window becomes samples; `ends`: nothing of this segment follows. */
static bool flush(tqa_recording_pass_state *p, bool ends)
{
    const tqa_recording *log = p->log;
    mark_spikes(p);
    if (!tqa_recording_is_wanted(log)) {
        return false;
    }
    size_t from = 0;
    for (size_t i = 1; i <= p->n; i++) {
        const bool at_end = i == p->n;
        if (!at_end && p->t[i] - p->t[i - 1] <= log->gap) {
            continue;
        }
        const bool is_last = !at_end || ends;
        if (is_last && i - from < SEGMENT_LEAST) {
            tqa_recording_note(p->log, TQA_RECORDING_TOO_SHORT, p->row[from]);
        } else if (!tqa_resample_take(p, from, i, is_last)) {
            return false;
        }
        if (is_last) {
            p->in_segment = false;
            from = i;
        }
    }
    if (ends) {
        p->n = p->n_looked = 0;
        return true;
    }
    /* what the filter must see again before the next sample */
    const double keep_from =
        p->segment_t + ((double)p->next - (double)p->context - 4.0) * log->step;
    size_t keep = from;
    while (keep < p->n && p->t[keep] < keep_from) {
        keep++;
    }
    drop_front(p, keep < p->n ? keep : p->n - 1);
    p->n_looked = p->n;
    return true;
}

/* q and -q are one orientation: what is filtered must not jump between them. */
static void unwrap_quaternion(const tqa_recording_pass_state *p, size_t first, double *values)
{
    double product = 0.0;
    for (size_t k = 0; k < 4; k++) {
        product += values[first + k] * p->values[(first + k) * p->room + p->n - 1];
    }
    for (size_t k = 0; product < 0.0 && k < 4; k++) {
        values[first + k] = -values[first + k];
    }
}

/* by a whole turn, about */
static bool is_turn(double jump)
{
    return fabs(fabs(jump) - turn) < 1.0;
}

/* A whole turn more or less is the sensor's way to count, not motion. */
static void unwrap(tqa_recording_pass_state *p, uint64_t row, double *values)
{
    const tq_model *model = p->log->request->control->robot->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (tqa_recording_has_quaternion(joint) && p->n > 0) {
            unwrap_quaternion(p, tqa_recording_quaternion(joint), values);
        }
        if (joint->nq != 1 || joint->kind == TQ_JOINT_PRISMATIC) {
            continue;
        }
        const size_t c = joint->q_index;
        values[c] += p->turns[c];
        if (p->n == 0) {
            continue;
        }
        const double jump = values[c] - p->values[c * p->room + p->n - 1];
        if (is_turn(jump)) {
            const double back = jump > 0.0 ? -turn : turn;
            p->turns[c] += back;
            values[c] += back;
            tqa_recording_note(p->log, TQA_RECORDING_UNWRAPPED, row);
        }
    }
}

static void put(tqa_recording_pass_state *p, size_t at, double t, const tqa_recording_rows *rows)
{
    for (size_t i = p->n; i > at; i--) {
        p->t[i] = p->t[i - 1];
        p->row[i] = p->row[i - 1];
        for (size_t c = 0; c < p->log->n_channel; c++) {
            p->values[c * p->room + i] = p->values[c * p->room + i - 1];
        }
    }
    p->t[at] = t;
    p->row[at] = rows->row;
    for (size_t c = 0; c < p->log->n_channel; c++) {
        p->values[c * p->room + at] = rows->values[c];
    }
    p->n++;
}

static void note_gap(tqa_recording_pass_state *p, double step, uint64_t row)
{
    tqa_recording *log = p->log;
    if (step > log->gap) {
        tqa_recording_note(log, TQA_RECORDING_SPLIT, row);
    } else if (step > 1.8 * log->period) {
        tqa_recording_note(log, TQA_RECORDING_BRIDGED, row);
        log->longest_gap = fmax(log->longest_gap, step);
    }
}

static bool is_full(const tqa_recording_pass_state *p)
{
    const tqa_recording *log = p->log;
    return p->n == p->room || (p->t[p->n - 1] - p->t[0]) / log->step >
                                  (double)(p->n_even_room - SEGMENT_LEAST) - log->gap / log->step;
}

/* A row at time t behind the others, or where its time belongs. */
static bool add(tqa_recording_pass_state *p, double t, tqa_recording_rows *rows)
{
    tqa_recording *log = p->log;
    if (p->n == 0) {
        unwrap(p, rows->row, rows->values);
        put(p, 0, t, rows);
        return true;
    }
    const double step = t - p->t[p->n - 1];
    if (step > log->gap || step < -log->gap) {
        if (step < 0.0) {
            tqa_recording_note(log, TQA_RECORDING_SET_BACK, rows->row);
        } else {
            note_gap(p, step, rows->row);
        }
        if (!flush(p, true)) {
            return false;
        }
        unwrap(p, rows->row, rows->values);
        put(p, 0, t, rows);
        return true;
    }
    size_t at = p->n;
    while (at > 0 && p->t[at - 1] > t) {
        at--;
    }
    if (at > 0 && p->t[at - 1] == t) {
        tqa_recording_note(log, TQA_RECORDING_REPEATED, rows->row);
        return true;
    }
    if (at < p->n) {
        tqa_recording_note(log, TQA_RECORDING_OUT_OF_ORDER, rows->row);
        if (at == 0 && p->in_segment) {
            return true; /* its place has been given away */
        }
    } else {
        note_gap(p, step, rows->row);
    }
    unwrap(p, rows->row, rows->values);
    put(p, at, t, rows);
    return !is_full(p) || flush(p, false);
}

/* an even clock may be off by 2 % of a period: rows are exactly one apart */
static double time_of(const tqa_recording *log, const tqa_recording_rows *rows, size_t i)
{
    return log->is_even ? (double)rows->run_row[i] * log->period : rows->run_t[i];
}

/* how many of n rows follow the last one of the window in time, without anything to be told */
static size_t count_in_time(const tqa_recording_pass_state *p, const tqa_recording_rows *rows,
                            size_t n)
{
    const tqa_recording *log = p->log;
    const double most = fmin(log->gap, 1.8 * log->period);
    const double until =
        p->t[0] + (double)(p->n_even_room - SEGMENT_LEAST) * log->step - log->gap - log->step;
    double before = p->t[p->n - 1];
    for (size_t i = 0; i < n; i++) {
        const double t = time_of(log, rows, rows->at + i);
        const bool follows = rows->run_row[rows->at + i] == rows->run_row[rows->at + i - 1] + 1;
        if (!(t > before && t - before <= most && t < until && follows)) {
            return i;
        }
        before = t;
    }
    return n;
}

/* how many of n rows have no angle that jumps by a turn */
static size_t count_unturned(const tqa_recording_pass_state *p, const tqa_recording_rows *rows,
                             size_t n)
{
    const tq_model *model = p->log->request->control->robot->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (tqa_recording_has_quaternion(joint)) {
            return 0;
        }
        if (joint->nq != 1 || joint->kind == TQ_JOINT_PRISMATIC) {
            continue;
        }
        const size_t c = joint->q_index;
        const double *x = rows->run + c * TQA_RECORDING_RUN + rows->at;
        double before = p->values[c * p->room + p->n - 1] - p->turns[c];
        for (size_t i = 0; i < n; i++) {
            if (is_turn(x[i] - before)) {
                n = i;
            } else {
                before = x[i];
            }
        }
    }
    return n;
}

/* Rows that simply follow are put into the window together; returns how many. */
static size_t put_many(tqa_recording_pass_state *p, tqa_recording_rows *rows)
{
    const size_t left = rows->n_run - rows->at;
    if (p->n == 0 || !rows->all_good) {
        return 0;
    }
    size_t n = left < p->room - p->n ? left : p->room - p->n;
    n = tqa_recording_before_brake(p->log, p->brake, rows, n);
    n = count_unturned(p, rows, count_in_time(p, rows, n));
    for (size_t i = 0; i < n; i++) {
        p->t[p->n + i] = time_of(p->log, rows, rows->at + i);
        p->row[p->n + i] = rows->run_row[rows->at + i];
    }
    for (size_t c = 0; c < p->log->n_channel; c++) {
        const double *from = rows->run + c * TQA_RECORDING_RUN + rows->at;
        double *to = p->values + c * p->room + p->n;
        const double turns = p->turns[c];
        for (size_t i = 0; i < n; i++) {
            to[i] = from[i] + turns;
        }
    }
    p->n += n;
    rows->at += n;
    return n;
}

/* One row of the run, and those behind it that simply follow. */
static bool take_rows(tqa_recording_pass_state *p, tqa_recording_rows *rows)
{
    tqa_recording *log = p->log;
    const double t = time_of(log, rows, rows->at);
    (void)tqa_recording_rows_next(rows);
    if (rows->state != TQA_ROW_GOOD) {
        tqa_recording_note(
            log, rows->state == TQA_ROW_ABSURD ? TQA_RECORDING_ABSURD : TQA_RECORDING_NOT_FINITE,
            rows->row);
        return true;
    }
    if (tqa_recording_is_braked(log, &p->brake, rows, rows->at - 1)) {
        if (!p->is_braked) {
            tqa_recording_note(log, TQA_RECORDING_BRAKED, rows->row);
        }
        p->is_braked = true;
        log->n_braked++;
        return flush(p, true);
    }
    p->is_braked = false;
    if (!add(p, t, rows)) {
        return false;
    }
    return put_many(p, rows) == 0 || !is_full(p) || flush(p, false);
}

static bool run(tqa_recording_pass_state *p, tqa_recording_rows *rows)
{
    tqa_recording *log = p->log;
    uint64_t before = 0; /* the row before, within a range of rows */
    bool has_before = false;
    while (tqa_recording_rows_more(rows)) {
        const uint64_t row = rows->run_row[rows->at];
        if (p->look != NULL && log->moves && row < log->first_moving) {
            rows->at++;
            continue; /* a spectrum of minutes at rest tells nothing */
        }
        if (has_before && row != before + 1 && !flush(p, true)) {
            return false;
        }
        if (!take_rows(p, rows)) {
            return false;
        }
        before = rows->run_row[rows->at - 1];
        has_before = true;
        if (p->has_looked) {
            return true;
        }
    }
    return log->request->control->problem->status == 0 && flush(p, true);
}

static bool pass(tqa_recording_pass_state *p)
{
    tqa_recording_rows rows;
    tqa_recording *log = p->log;
    memset(log->repairs, 0, sizeof log->repairs);
    log->n_sample = log->n_segment = log->n_rest = log->n_border = log->n_braked = 0;
    log->longest_gap = 0.0;
    for (uint64_t k = 0; k < TQA_RECORDING_ROWS_TOLD && k < log->n_unpaired; k++) {
        tqa_recording_note(log, TQA_RECORDING_UNPAIRED, log->n_row + k);
    }
    log->repairs[TQA_RECORDING_UNPAIRED].n = log->n_unpaired;
    const bool good = tqa_recording_rows_open(&rows, log) && open_window(p) && run(p, &rows) &&
                      tqa_resample_end(p);
    tqa_recording_rows_close(&rows);
    close_window(p);
    return good;
}

bool tqa_recording_pass(tqa_recording *log, tqa_recording_sink *sink, void *ctx)
{
    tqa_recording_pass_state p = {
        .log = log, .rooms = log->request->rooms, .sink = sink, .ctx = ctx};
    return tqa_resample_filter(&p) && pass(&p);
}

bool tqa_recording_look(tqa_recording *log, bool (*look)(void *ctx, const tqa_resample *even),
                        void *ctx)
{
    tqa_recording_pass_state p = {.log = log, .look = look, .ctx = ctx};
    return tqa_resample_reaches(log) && pass(&p);
}
