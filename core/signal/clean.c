/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/clean.c - rows of a recording in windows, in the order of time, angles unwrapped. */
#include <math.h>
#include <string.h>

#include "core/signal/braked.h"
#include "core/signal/pass_private.h"

static const double turn = 2.0 * M_PI;

/* Moves rows [from, n) to the front. */
static void drop_front(tq_pass *p, size_t from)
{
    const size_t n = p->n - from;
    memmove(p->t, p->t + from, n * sizeof *p->t);
    memmove(p->row, p->row + from, n * sizeof *p->row);
    for (size_t c = 0; c < p->recording->channels.n; c++) {
        double *x = p->values + c * p->room;
        memmove(x, x + from, n * sizeof *x);
    }
    p->n = n;
    p->n_checked = p->n_checked > from ? p->n_checked - from : 0;
}

bool tq_clean_flush(tq_pass *p, bool ends)
{
    const tq_recording *recording = p->recording;
    tq_outliers_remove(p);
    size_t from = 0;
    for (size_t i = 1; i <= p->n; i++) {
        const bool at_end = i == p->n;
        if (!at_end && p->t[i] - p->t[i - 1] <= recording->gap) {
            continue;
        }
        const bool is_last = !at_end || ends;
        if (is_last && i - from < TQ_SEGMENT_LEAST) {
            tq_recording_note(p->recording, TQ_REPAIR_TOO_SHORT, p->row[from]);
        } else if (!tq_resample_window(p, from, i, is_last)) {
            return false;
        }
        if (is_last) {
            p->in_segment = false;
            from = i;
        }
    }
    if (ends) {
        p->n = p->n_checked = 0;
        return true;
    }
    /* start of the samples that the filter needs for the next sample */
    const double keep_from =
        p->segment_t + ((double)p->next - (double)p->context - 4.0) * recording->step;
    size_t keep = from;
    while (keep < p->n && p->t[keep] < keep_from) {
        keep++;
    }
    drop_front(p, keep < p->n ? keep : p->n - 1);
    p->n_checked = p->n;
    return true;
}

/* q and -q are one orientation: filtered signals must not jump between them. */
static void unwrap_quaternion(const tq_pass *p, size_t first, double *values)
{
    double product = 0.0;
    for (size_t k = 0; k < 4; k++) {
        product += values[first + k] * p->values[(first + k) * p->room + p->n - 1];
    }
    for (size_t k = 0; product < 0.0 && k < 4; k++) {
        values[first + k] = -values[first + k];
    }
}

/* the jump is about 2 pi */
static bool is_turn(double jump)
{
    return fabs(fabs(jump) - turn) < 1.0;
}

/* Jumps by 2 pi are wraps of the sensor's angle, not motion. */
static void unwrap(tq_pass *p, uint64_t row, double *values)
{
    const tq_model *model = p->options->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (tq_has_quaternion(joint) && p->n > 0) {
            unwrap_quaternion(p, tq_quaternion_row(joint), values);
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
            tq_recording_note(p->recording, TQ_REPAIR_UNWRAPPED, row);
        }
    }
}

/* Inserts the present row into the window at index `at`. */
static void put(tq_pass *p, size_t at, double t, uint64_t row)
{
    for (size_t i = p->n; i > at; i--) {
        p->t[i] = p->t[i - 1];
        p->row[i] = p->row[i - 1];
        for (size_t c = 0; c < p->recording->channels.n; c++) {
            p->values[c * p->room + i] = p->values[c * p->room + i - 1];
        }
    }
    p->t[at] = t;
    p->row[at] = row;
    for (size_t c = 0; c < p->recording->channels.n; c++) {
        p->values[c * p->room + at] = p->current[c];
    }
    p->n++;
}

static void note_gap(tq_pass *p, double step, uint64_t row)
{
    tq_recording *recording = p->recording;
    if (step > recording->gap) {
        tq_recording_note(recording, TQ_REPAIR_SPLIT, row);
    } else if (step > 1.8 * recording->period) {
        tq_recording_note(recording, TQ_REPAIR_BRIDGED, row);
        recording->longest_gap = fmax(recording->longest_gap, step);
    }
}

static bool is_full(const tq_pass *p)
{
    const tq_recording *recording = p->recording;
    return p->n == p->room ||
           (p->t[p->n - 1] - p->t[0]) / recording->step >
               (double)(p->n_uniform - TQ_SEGMENT_LEAST) - recording->gap / recording->step;
}

/* Adds the present row with time t: at the end, or sorted into the window. */
static bool add(tq_pass *p, double t, uint64_t row)
{
    tq_recording *recording = p->recording;
    if (p->n == 0) {
        unwrap(p, row, p->current);
        put(p, 0, t, row);
        return true;
    }
    const double step = t - p->t[p->n - 1];
    if (step > recording->gap || step < -recording->gap) {
        if (step < 0.0) {
            tq_recording_note(recording, TQ_REPAIR_SET_BACK, row);
        } else {
            note_gap(p, step, row);
        }
        if (!tq_clean_flush(p, true)) {
            return false;
        }
        unwrap(p, row, p->current);
        put(p, 0, t, row);
        return true;
    }
    size_t at = p->n;
    while (at > 0 && p->t[at - 1] > t) {
        at--;
    }
    if (at > 0 && p->t[at - 1] == t) {
        tq_recording_note(recording, TQ_REPAIR_REPEATED, row);
        return true;
    }
    if (at < p->n) {
        tq_recording_note(recording, TQ_REPAIR_OUT_OF_ORDER, row);
        if (at == 0 && p->in_segment) {
            return true; /* the samples around it have been emitted */
        }
    } else {
        note_gap(p, step, row);
    }
    unwrap(p, row, p->current);
    put(p, at, t, row);
    return !is_full(p) || tq_clean_flush(p, false);
}

/* a uniform clock may be off by 2 % of a period: rows are exactly one period apart */
static double time_of(const tq_recording *recording, const tq_raw_rows *rows, size_t i)
{
    return recording->is_even ? (double)rows->row[i] * recording->period : rows->t[i];
}

/* number of rows from `at` on that follow the window in time without a fault */
static size_t count_in_time(const tq_pass *p, const tq_raw_rows *rows, size_t at, size_t n)
{
    const tq_recording *recording = p->recording;
    const double most = fmin(recording->gap, 1.8 * recording->period);
    const double until = p->t[0] + (double)(p->n_uniform - TQ_SEGMENT_LEAST) * recording->step -
                         recording->gap - recording->step;
    double before = p->t[p->n - 1];
    for (size_t i = 0; i < n; i++) {
        const double t = time_of(recording, rows, at + i);
        const bool follows = rows->row[at + i] == rows->row[at + i - 1] + 1;
        if (!(t > before && t - before <= most && t < until && follows)) {
            return i;
        }
        before = t;
    }
    return n;
}

/* number of these rows without a jump of an angle by 2 pi */
static size_t count_unturned(const tq_pass *p, const tq_raw_rows *rows, size_t at, size_t n)
{
    const tq_model *model = p->options->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (tq_has_quaternion(joint)) {
            return 0;
        }
        if (joint->nq != 1 || joint->kind == TQ_JOINT_PRISMATIC) {
            continue;
        }
        const size_t c = joint->q_index;
        const double *x = rows->values + c * TQ_RAW_ROWS + at;
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

/* Copies the rows from `at` on that need no repair into the window; returns their number. */
static size_t put_many(tq_pass *p, const tq_raw_rows *rows, size_t at)
{
    const size_t left = rows->n - at;
    if (p->n == 0 || !rows->all_good) {
        return 0;
    }
    size_t n = left < p->room - p->n ? left : p->room - p->n;
    n = tq_recording_before_brake(p->recording, p->brake, rows, at, n);
    n = count_unturned(p, rows, at, count_in_time(p, rows, at, n));
    for (size_t i = 0; i < n; i++) {
        p->t[p->n + i] = time_of(p->recording, rows, at + i);
        p->row[p->n + i] = rows->row[at + i];
    }
    for (size_t c = 0; c < p->recording->channels.n; c++) {
        const double *from = rows->values + c * TQ_RAW_ROWS + at;
        double *to = p->values + c * p->room + p->n;
        const double turns = p->turns[c];
        for (size_t i = 0; i < n; i++) {
            to[i] = from[i] + turns;
        }
    }
    p->n += n;
    return n;
}

/* Takes one row, and all rows after it that need no repair. */
bool tq_clean_rows(tq_pass *p, const tq_raw_rows *rows, size_t *inout_at)
{
    tq_recording *recording = p->recording;
    const size_t i = (*inout_at)++;
    const uint64_t row = rows->row[i];
    if (rows->state[i] != TQ_ROW_GOOD) {
        tq_recording_note(recording, tq_repair_of_row(rows->state[i]), row);
        return true;
    }
    if (tq_recording_is_braked(recording, &p->brake, rows, i)) {
        if (!p->is_braked) {
            tq_recording_note(recording, TQ_REPAIR_BRAKED, row);
        }
        p->is_braked = true;
        recording->n_braked++;
        return tq_clean_flush(p, true);
    }
    p->is_braked = false;
    for (size_t c = 0; c < recording->channels.n; c++) {
        p->current[c] = rows->values[c * TQ_RAW_ROWS + i];
    }
    if (!add(p, time_of(recording, rows, i), row)) {
        return false;
    }
    const size_t n = put_many(p, rows, *inout_at);
    *inout_at += n;
    return n == 0 || !is_full(p) || tq_clean_flush(p, false);
}
