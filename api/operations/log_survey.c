/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/log_survey.c - the first look at a log: is its clock one, do its numbers mean what
 * is said of them, where does it move, how fast. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/operations/log_parts.h"
#include "core/calibrate/differentiate.h"
#include "core/calibrate/median.h"

enum {
    STILL_ROWS = 4096, /* are judged together at most */
    FFT_LEAST = 64,
    FFT_MOST = 32768,
};

static const double still = 5e-4;      /* rad or m: a joint moves when its range exceeds this */
static const double slow_clock = 0.2;  /* s: nobody logs a robot so slowly; milliseconds look so */
static const double fast_clock = 1e-5; /* s: beyond what drives log */
static const double still_s = 0.08;    /* s: of rows that are judged together */
/* of samples over the cut-off: two would do for what passes; here 2e-4 of the rest folds back */
static const double rate_of_cutoff = 5.0;
static const double quiet = 5e-3;        /* rad/s, m/s: of noise that friction would not feel */
static const double slow_motion_s = 5.0; /* of a window, in which slow motion is seen as slow */
/* from an octave to the next: what falls by more is the skirt of slow motion (f^-6 and more), not
 * noise beyond the knee of two poles (f^-4 at last) */
static const double skirt = 8.0;
static const double coloured = 30.0; /* times the floor: less is a skirt that sinks into it */
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
static bool close_motion(tqa_log *log, motion *m, uint64_t last, bool is_whole)
{
    bool moves = !is_whole && m->n > 0 && m->moved;
    for (size_t r = 0; m->n > 1 && r < log->request->order->nq; r++) {
        moves = moves || m->most[r] - m->least[r] > still;
    }
    if (moves) {
        log->first_moving = m->any ? log->first_moving : m->first;
        log->last_moving = last;
        m->any = true;
    }
    m->moved = moves;
    m->n = 0;
    return tqa_log_stills_close(log, m->first, last, moves);
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
static bool add_motion(tqa_log *log, motion *m, const tqa_log_rows *rows, size_t at, size_t end)
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
            const size_t c = log->first_channel[TQA_LOG_Q] + r;
            widen(m, r, rows->run + c * TQA_LOG_RUN + at, to - at, is_first);
        }
        tqa_log_stills_add(log, rows, at, to);
        if (closes && !close_motion(log, m, rows->run_row[to - 1], true)) {
            return false;
        }
        at = to;
    }
    return true;
}

static void add_time(tqa_log *log, const tqa_log_rows *rows, size_t i, uint64_t *before)
{
    if (rows->run_state[i] != TQA_ROW_GOOD) {
        tqa_log_note(log,
                     rows->run_state[i] == TQA_ROW_ABSURD ? TQA_LOG_ABSURD : TQA_LOG_NOT_FINITE,
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

static bool read_all(tqa_log *log, tqa_log_rows *rows)
{
    const size_t nq = log->request->order->nq;
    motion m = {.least = tqa_control_take(log->request->control, nq + 1, sizeof(double)),
                .most = tqa_control_take(log->request->control, nq + 1, sizeof(double))};
    if (m.least == NULL || m.most == NULL || !tqa_log_keep_begin(log) ||
        !tqa_log_stills_begin(log)) {
        return false;
    }
    uint64_t before = 0;
    while (tqa_log_rows_more(rows)) {
        size_t good = rows->at; /* the first of a stretch of good rows */
        for (size_t i = rows->at; i < rows->n_run; i++) {
            add_time(log, rows, i, &before);
            tqa_log_keep(log, rows, i);
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

static void list_rows(const tqa_log_count *count, char *text, size_t size)
{
    size_t n = 0;
    text[0] = '\0';
    for (size_t k = 0; k < TQA_LOG_ROWS_TOLD && k < count->n && n + 24 < size; k++) {
        n += (size_t)snprintf(text + n, size - n, "%s%llu", k > 0 ? ", " : "",
                              (unsigned long long)count->rows[k]);
    }
    if (count->n > TQA_LOG_ROWS_TOLD) {
        (void)snprintf(text + n, size - n, ", ...");
    }
}

static bool judge_numbers(const tqa_log *log)
{
    const tqa_log_count *no = &log->repairs[TQA_LOG_NOT_FINITE];
    const tqa_log_count *wild = &log->repairs[TQA_LOG_ABSURD];
    char rows[TQA_PROBLEM_TEXT / 2];
    if (log->n_chosen < 16) {
        return tqa_part_refuse(&log->part, "wrong-length",
                               "16 rows at least; \"rows\" chooses which",
                               "\"%.80s\" has %llu rows here: that is no motion", log->name,
                               (unsigned long long)log->n_chosen);
    }
    if (log->n_window == 0 && 20 * log->n_unpaired > log->n_row) {
        return tqa_part_refuse(&log->part, "wrong-length",
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
    return tqa_part_refuse(&log->part, "invalid-value",
                           "choose other columns, or the good rows: \"rows\": [first, end]",
                           "\"%.60s\": of %llu rows, %llu have numbers that are none and %llu have "
                           "absurd ones (rows %s)",
                           log->name, (unsigned long long)log->n_chosen, (unsigned long long)no->n,
                           (unsigned long long)wild->n, rows);
}

static bool judge_clock(tqa_log *log)
{
    const tq_clock *clock = log->clock;
    log->is_even = tq_clock_is_even(clock, &log->period);
    if (!log->is_even) {
        log->period = tq_clock_period(clock);
    }
    if (clock->n_backward + 1 >= clock->n && clock->n > 1) {
        return tqa_part_refuse(&log->part, "invalid-value",
                               "turn the rows round, or choose the column of times",
                               "\"%.80s\": the time runs backwards from the first row to the last: "
                               "%.6g s to %.6g s",
                               log->name, clock->first, clock->last);
    }
    if (20 * clock->n_backward > clock->n + 60 && clock->n_backward > clock->n_repeated) {
        return tqa_part_refuse(
            &log->part, "invalid-value", "choose the column of times, or sort the rows by time",
            "\"%.80s\": the time goes back in %llu of %llu rows, first in row "
            "%llu",
            log->name, (unsigned long long)clock->n_backward, (unsigned long long)clock->n,
            (unsigned long long)clock->first_backward);
    }
    if (!(log->period > 0.0) || 2 * clock->n_repeated > clock->n) {
        return tqa_part_refuse(&log->part, "invalid-value",
                               "choose the column of times, or leave it out and add \"rate\"",
                               "\"%.80s\": the time stands still in %llu of %llu rows, first in "
                               "row %llu",
                               log->name, (unsigned long long)clock->n_repeated,
                               (unsigned long long)clock->n,
                               (unsigned long long)clock->first_repeated);
    }
    if (log->period > slow_clock && log->n_time > 0 && !log->time_unit_known &&
        !log->request->unit_known[TQA_LOG_TIME]) {
        return tqa_part_refuse(
            &log->part, "invalid-value",
            log->period > 5e3 ? "say which: \"units\": {\"time\": \"us\"} (or \"ns\")"
                              : "say which: \"units\": {\"time\": \"ms\"} (or \"us\", \"ns\"), "
                                "or \"s\" if it is so slow",
            "\"%.80s\": the rows would be %.6g s apart: its times are hardly "
            "in seconds",
            log->name, log->period);
    }
    if (log->period < fast_clock) {
        return tqa_part_refuse(&log->part, "invalid-value",
                               "name the column of times, or its units: \"units\": {\"time\": "
                               "\"s\"}",
                               "\"%.80s\": the rows would be %.6g s apart", log->name, log->period);
    }
    if (log->request->rate * log->period > 20.0) {
        return tqa_part_refuse(
            &log->part, "range", "choose a lower \"rate\"",
            "\"%.80s\" has %.6g rows in a second: a rate of %.6g makes motion up", log->name,
            1.0 / log->period, log->request->rate);
    }
    log->step = log->request->rate > 0.0 ? 1.0 / log->request->rate : log->period;
    log->gap = fmax(bridge_periods * log->period, bridge_s);
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * What the first stretch of motion tells
 */

static double deviation(const double *x, size_t n)
{
    double mean = 0.0, sum = 0.0;
    for (size_t k = 0; k < n; k++) {
        mean += x[k] / (double)n;
    }
    for (size_t k = 0; k < n; k++) {
        sum += (x[k] - mean) * (x[k] - mean) / (double)n;
    }
    return sqrt(sum);
}

static size_t fft_size(size_t n)
{
    size_t n_fft = FFT_LEAST;
    while (2 * n_fft <= FFT_MOST && 4 * n_fft <= n) {
        n_fft *= 2;
    }
    return n_fft;
}

/* Windows of a short log are wider than its motion: then as much of it at once as is needed. */
static size_t fine_size(const tqa_log *log, size_t n, size_t n_fft)
{
    const double wanted = fmin(slow_motion_s / log->step, (double)n);
    while (n_fft < FFT_MOST && (double)n_fft < wanted) {
        n_fft *= 2;
    }
    return n_fft;
}

/* Spectrum of a joint's positions, and where it moves. */
static tq_status measure(const tqa_log *log, size_t n, const double *q, const double *tau,
                         double *power, tq_scratch *scratch, double *ret_end, tq_bandwidth *ret,
                         tq_error *reterr)
{
    const double rate = 1.0 / log->step;
    const size_t n_fft = fft_size(n);
    const size_t n_fine = fine_size(log, n, n_fft);
    tq_status status = TQ_OK;
    if (tau != NULL) {
        status = tq_coherence_end(n, q, tau, rate, scratch, ret_end, reterr);
    }
    if (status == TQ_OK) {
        status = tq_spectrum(n, q, rate, n_fft, scratch, power, reterr);
    }
    if (status == TQ_OK) {
        status = tq_bandwidth_find(n_fft, rate, power, *ret_end, scratch, ret, reterr);
    }
    if (status == TQ_OK && n_fine > n_fft && ret->motion > 0.0) {
        status = tq_spectrum(n, q, rate, n_fine, scratch, power, reterr);
        tq_bandwidth_refine(n_fine, rate, power, *ret_end, ret);
    }
    return status;
}

/* a torque for each coordinate */
static bool tells_torque(const tqa_log *log)
{
    return log->column[TQA_LOG_TAU] != NULL && log->request->order->nq == log->request->order->nv;
}

/* The widest bandwidth among the joints that take part in the motion. */
static bool find_bandwidth(tqa_log *log, const tqa_log_even *even)
{
    tqa_control *control = log->request->control;
    const size_t nq = log->request->order->nq;
    const size_t n_fft = fine_size(log, even->n, fft_size(even->n));
    tq_scratch scratch;
    double *power = tqa_control_take(control, n_fft / 2 + 1, sizeof *power);
    log->followed = tqa_control_take(control, nq, sizeof *log->followed);
    if (power == NULL || log->followed == NULL ||
        !tqa_control_scratch(control,
                             tq_spectrum_scratch_size(n_fft) + tq_bandwidth_scratch_size(n_fft) +
                                 tq_coherence_scratch_size(even->n),
                             &scratch)) {
        return false;
    }
    double most = 0.0;
    for (size_t r = 0; r < nq; r++) {
        most = fmax(most, deviation(even->channels + r * even->stride, even->n));
    }
    log->bandwidth = (tq_bandwidth){.noise = (double)INFINITY};
    log->resolution = 1.0 / (log->step * fmin((double)n_fft, (double)even->n));
    for (size_t r = 0; r < nq; r++) {
        const double *q = even->channels + r * even->stride;
        tq_bandwidth found = {0};
        tq_error error = {0};
        log->followed[r] = (double)INFINITY;
        if (deviation(q, even->n) < 0.05 * most || most < still) {
            continue;
        }
        const double *tau =
            tells_torque(log)
                ? even->channels + (log->first_channel[TQA_LOG_TAU] + r) * even->stride
                : NULL;
        const tq_status status =
            measure(log, even->n, q, tau, power, &scratch, &log->followed[r], &found, &error);
        if (status != TQ_OK) {
            return tqa_control_fail(control, "", status, &error);
        }
        log->bandwidth.motion = fmax(log->bandwidth.motion, found.motion);
        log->bandwidth.noise = fmin(log->bandwidth.noise, found.noise);
        log->bandwidth.floor = fmax(log->bandwidth.floor, found.floor);
    }
    log->bandwidth.noise = isfinite(log->bandwidth.noise) ? log->bandwidth.noise : 0.0;
    tqa_control_give(control, power);
    tqa_control_give_scratch(control, &scratch);
    return true;
}

static bool find_velocity_noise(tqa_log *log, const tqa_log_even *even)
{
    enum { SAMPLES = 4096 }; /* tell a median to 2 % */
    const size_t every = even->n / SAMPLES + 1;
    log->velocity_noise = 0.0;
    if (log->column[TQA_LOG_QD] == NULL) {
        return true;
    }
    double *work = tqa_control_take(log->request->control, even->n / every + 1, sizeof *work);
    for (size_t r = 0; work != NULL && r < log->request->order->nv; r++) {
        const double *v = even->channels + (log->first_channel[TQA_LOG_QD] + r) * even->stride;
        const double noise = tq_noise_deviation(even->n, v, every, work);
        log->velocity_noise = fmax(log->velocity_noise, noise);
    }
    tqa_control_give(log->request->control, work);
    return work != NULL;
}

/* The floor of a spectrum; where torque does not follow what is there in the upper half of the band
 * that the filter lets pass, that is noise as well, of a colour that the spectrum's end hides. */
static tq_status find_floor(const tqa_log *log, size_t n_fft, const double *power, double followed,
                            tq_scratch *scratch, double *ret, tq_error *reterr)
{
    const double rate = 1.0 / log->step;
    const double cutoff = tq_cutoff_choose(&log->bandwidth, rate).cutoff;
    const double band[2] = {0.5 * cutoff, cutoff}, next[2] = {cutoff, 2.0 * cutoff};
    tq_bandwidth found = {0};
    double level = 0.0, above = 0.0;
    tq_status status =
        tq_bandwidth_find(n_fft, rate, power, (double)INFINITY, scratch, &found, reterr);
    if (status == TQ_OK && followed <= band[0]) {
        status = tq_bandwidth_level(n_fft, rate, power, band, scratch, &level, reterr);
    }
    if (status == TQ_OK && level > coloured * found.floor) {
        status = tq_bandwidth_level(n_fft, rate, power, next, scratch, &above, reterr);
    }
    *ret = above > 0.0 && level <= skirt * above ? level : found.floor;
    return status;
}

/* What of the signals that accelerations are made of is there at any frequency: noise. */
static bool find_floors(tqa_log *log, const tqa_log_even *even)
{
    static const tqa_log_quantity sources[] = {TQA_LOG_QDD, TQA_LOG_QD, TQA_LOG_Q};
    tqa_control *control = log->request->control;
    const tqa_order *order = log->request->order;
    const size_t n_fft = fft_size(even->n);
    tq_scratch scratch;
    double *power = tqa_control_take(control, n_fft / 2 + 1, sizeof *power);
    double *floors = tqa_control_take(control, order->nv + 1, sizeof *floors);
    if (power == NULL || floors == NULL ||
        !tqa_control_scratch(control,
                             tq_spectrum_scratch_size(n_fft) + tq_bandwidth_scratch_size(n_fft),
                             &scratch)) {
        return false;
    }
    log->n_difference = 0;
    while (log->n_difference < 2 && log->column[sources[log->n_difference]] == NULL) {
        log->n_difference++;
    }
    const tqa_log_quantity source = sources[log->n_difference];
    if (source == TQA_LOG_Q && order->nq != order->nv) {
        return true; /* orientations are not differentiated one number at a time */
    }
    for (size_t r = 0; r < order->nv; r++) {
        const double *x = even->channels + (log->first_channel[source] + r) * even->stride;
        tq_error error = {0};
        tq_status status = tq_spectrum(even->n, x, 1.0 / log->step, n_fft, &scratch, power, &error);
        if (status == TQ_OK) {
            status = find_floor(log, n_fft, power,
                                order->nq == order->nv ? log->followed[r] : (double)INFINITY,
                                &scratch, &floors[r], &error);
        }
        if (status != TQ_OK) {
            return tqa_control_fail(control, "", status, &error);
        }
    }
    log->floor = floors;
    tqa_control_give(control, power);
    tqa_control_give_scratch(control, &scratch);
    return true;
}

bool tqa_log_tells_way(const tqa_log *log)
{
    return log->column[TQA_LOG_QD] != NULL && log->column[TQA_LOG_TAU] != NULL &&
           log->velocity_noise <= quiet;
}

static bool look(void *ctx, const tqa_log_even *even)
{
    tqa_log *log = ctx;
    return tqa_log_judge(log, even) && find_bandwidth(log, even) &&
           find_velocity_noise(log, even) && find_floors(log, even);
}

bool tqa_log_survey(tqa_log *log)
{
    tqa_log_rows rows;
    log->clock = tqa_control_take(log->request->control, 1, sizeof *log->clock);
    if (log->clock == NULL) {
        return false;
    }
    memset(log->repairs, 0, sizeof log->repairs);
    const bool good = tqa_log_rows_open(&rows, log) && read_all(log, &rows);
    tqa_log_rows_close(&rows);
    log->has_survey = good;
    return good && judge_numbers(log) && judge_clock(log) && tqa_log_look(log, look, log);
}

/* The slowest motion fills some resolutions of its spectrum: a short log says no more than that its
 * is not faster, a longer one how fast. Resolutions within a few are as good. */
static bool tells_motion(const tqa_log *log, double finest)
{
    return log->resolution <= 4.0 * finest || log->bandwidth.motion > 6.0 * log->resolution;
}

/* Hz, of the logs that move; infinite: none does */
static double finest_resolution(const tqa_log *logs, size_t n)
{
    double finest = (double)INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (logs[i].bandwidth.motion > 0.0) {
            finest = fmin(finest, logs[i].resolution);
        }
    }
    return finest;
}

/* Hz at which zero-phase filters leave half of an amplitude, as twice a Butterworth does at its
 * cut-off; 0: nothing is filtered */
static double half_gain_of(const tqa_log_request *request, double rate)
{
    const tqa_log_filter *filter = &request->filter;
    tq_scratch scratch;
    double half = 0.0;
    switch (filter->kind) {
    case TQA_LOG_BUTTERWORTH:
        return filter->cutoff;
    case TQA_LOG_FIRST_ORDER: /* forward and backward */
        return 1.0 / (2.0 * 3.14159265358979323846 * filter->tau_f);
    case TQA_LOG_SAVITZKY_GOLAY: {
        const tq_window window = {filter->window, filter->degree, 0, 1.0};
        if (tqa_control_scratch(request->control, tq_smooth_half_gain_size(filter->window),
                                &scratch) &&
            tq_smooth_half_gain(&window, &scratch, &half, NULL) == TQ_OK) {
            return half * rate;
        }
        return 0.0;
    }
    case TQA_LOG_NO_FILTER:
        break;
    }
    return 0.0;
}

void tqa_log_choose_cutoff(tqa_log_request *request, tqa_log *logs, size_t n, size_t n_judged)
{
    tq_bandwidth widest = {0};
    double rate = (double)INFINITY;
    const double finest = finest_resolution(logs, n);
    for (size_t i = 0; i < n; i++) {
        if (tells_motion(&logs[i], finest)) {
            widest.motion = fmax(widest.motion, logs[i].bandwidth.motion);
        }
        rate = fmin(rate, 1.0 / logs[i].step);
    }
    tqa_log_filter *filter = &request->filter;
    if (filter->kind == TQA_LOG_BUTTERWORTH && filter->is_auto) {
        /* what is left of the samples must still be able to follow what passes */
        filter->cutoff =
            fmin(tq_cutoff_choose(&widest, rate).cutoff, 0.4 * rate / (double)filter->decimate);
    }
    const double cutoff = request->half_gain = half_gain_of(request, rate);
    for (size_t i = 0; i < n_judged; i++) {
        logs[i].cutoff = tq_cutoff_judge(&logs[i].bandwidth, cutoff);
    }
}

/* Hz above which the filter leaves next to nothing; 0: there is none, or it is no low-pass */
static double cutoff_of(const tqa_log_filter *filter)
{
    switch (filter->kind) {
    case TQA_LOG_BUTTERWORTH:
        return filter->cutoff;
    case TQA_LOG_FIRST_ORDER: /* falls off slowly */
        return 10.0 / (2.0 * 3.14159265358979323846 * filter->tau_f);
    case TQA_LOG_SAVITZKY_GOLAY:
    case TQA_LOG_NO_FILTER:
        break;
    }
    return 0.0;
}

void tqa_log_choose_decimation(tqa_log_request *request, const tqa_log *logs, size_t n,
                               double n_sample)
{
    tqa_log_filter *filter = &request->filter;
    const double cutoff = cutoff_of(filter);
    double rate = (double)INFINITY;
    for (size_t i = 0; i < n; i++) {
        rate = fmin(rate, 1.0 / logs[i].step);
    }
    const double most = cutoff > 0.0 ? floor(rate / (rate_of_cutoff * cutoff)) : 1.0;
    const double wanted = fmin(ceil(n_sample / (double)TQA_LOG_SAMPLES - 0.01), fmin(most, 1000.0));
    if (!filter->has_decimate && wanted > 1.0) {
        filter->decimate = (size_t)wanted;
        filter->thins = true;
    }
}
