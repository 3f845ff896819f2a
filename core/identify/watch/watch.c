/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/watch/watch.c - noise, thresholds and contacts of recordings. */
#include "core/identify/watch/watch.h"

#include <math.h>
#include <string.h>

#include "core/identify/watch/alarm.h"
#include "core/identify/watch/watch_private.h"
#include "core/model/layout.h"
#include "core/signal/median.h"

static const double day = 86400.0;   /* s */
static const double transient = 6.0; /* time constants of the observer after a gap, not evaluated */
static const double normal_median = 0.6744897501960817; /* median of |x| for a standard normal x */
static const double beyond_worst = 1.1;  /* threshold over the largest |r| of recordings without
                                            contact */
static const double part_over = 0.5;     /* of a threshold: a contact ends below it */
static const double over = 0.1;          /* s below that until the contact has ended */
static const double window_least = 10.0; /* s: shorter windows may contain one direction of motion
                                            only */
static const double least = 1e-12;       /* N m: least deviation */

static size_t windows_of(size_t n_recording)
{
    const size_t share = TQ_WATCH_WINDOWS / n_recording;
    return share > 0 ? share : 1;
}

size_t tq_watch_size(const tq_mechanism *mechanism, const tq_watch_plan *plan)
{
    const size_t nv = mechanism->model.nv;
    const size_t n = plan->n_recording * windows_of(plan->n_recording);
    return tq_scratch_cost(1, sizeof(tq_watch)) + tq_observer_size(mechanism) +
           tq_scratch_cost(nv * TQ_BLOCK_STRIDE, sizeof(double)) +
           tq_scratch_cost(nv, sizeof(tq_watch_sums)) + tq_scratch_cost(nv, sizeof(tq_watch_row)) +
           tq_scratch_cost(2 * nv * TQ_WATCH_KEPT, sizeof(double)) +
           tq_scratch_cost(TQ_WATCH_EVENTS_MAX, sizeof(tq_watch_event)) +
           tq_scratch_cost(n * nv * TQ_WATCH_GRAM, sizeof(double)) +
           tq_scratch_cost(2 * n, sizeof(double)) + 2 * tq_scratch_cost(2 * nv, sizeof(double));
}

tq_status tq_watch_begin(const tq_mechanism *mechanism, const tq_watch_plan *plan,
                         tq_scratch *memory, tq_watch **ret, tq_error *reterr)
{
    const size_t nv = mechanism->model.nv;
    if (plan->n_recording == 0 || nv == 0) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "n_recording", 0, 0.0);
    }
    const size_t n = plan->n_recording * windows_of(plan->n_recording);
    tq_watch *w = tq_scratch_take(memory, 1, sizeof *w);
    double *r = tq_scratch_take(memory, nv * TQ_BLOCK_STRIDE, sizeof(double));
    tq_watch_sums *sums = tq_scratch_take(memory, nv, sizeof *sums);
    tq_watch_row *rows = tq_scratch_take(memory, nv, sizeof *rows);
    double *kept = tq_scratch_take(memory, 2 * nv * TQ_WATCH_KEPT, sizeof(double));
    tq_watch_event *events = tq_scratch_take(memory, TQ_WATCH_EVENTS_MAX, sizeof *events);
    double *grams = tq_scratch_take(memory, n * nv * TQ_WATCH_GRAM, sizeof(double));
    double *times = tq_scratch_take(memory, 2 * n, sizeof(double));
    double *lagged = tq_scratch_take(memory, 2 * nv, sizeof(double));
    double *before = tq_scratch_take(memory, 2 * nv, sizeof(double));
    if (w == NULL || r == NULL || sums == NULL || rows == NULL || kept == NULL || events == NULL ||
        grams == NULL || times == NULL || lagged == NULL || before == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, (double)tq_watch_size(mechanism, plan));
    }
    memset(w, 0, sizeof *w);
    memset(sums, 0, nv * sizeof *sums);
    memset(rows, 0, nv * sizeof *rows);
    memset(grams, 0, n * nv * TQ_WATCH_GRAM * sizeof(double));
    memset(times, 0, 2 * n * sizeof(double));
    memset(lagged, 0, 2 * nv * sizeof(double));
    memset(before, 0, 2 * nv * sizeof(double));
    w->mechanism = mechanism;
    w->plan = *plan;
    w->nv = nv;
    w->r = r;
    w->sums = sums;
    w->rows = rows;
    w->events = events;
    w->grams = grams;
    w->times = times;
    w->lagged = lagged;
    w->before = before;
    w->each = windows_of(plan->n_recording);
    w->shortest = (double)INFINITY;
    for (size_t a = 0; a < nv; a++) {
        sums[a].kept = kept + 2 * a * TQ_WATCH_KEPT;
        sums[a].steps = sums[a].kept + TQ_WATCH_KEPT;
    }
    *ret = w;
    return tq_observer_begin(mechanism, plan->gain, memory, &w->observer, reterr);
}

static void close_event(tq_watch *w)
{
    if (w->is_open) {
        w->now.is_persistent = w->now.duration > w->plan.persistent;
        if (w->n_event < TQ_WATCH_EVENTS_MAX) {
            w->events[w->n_event] = w->now;
        }
        w->n_event++;
        w->is_open = false;
    }
}

tq_status tq_watch_next(tq_watch *w, size_t n_sample, double period, tq_error *reterr)
{
    if (w->finds) {
        close_event(w);
        w->time += w->last;
        w->recording += w->seen > 0 ? 1 : 0;
        w->first = w->recording * w->each;
        w->n_window = w->first + w->each;
        const double n = (double)n_sample * period / window_least;
        w->used = n < 1.0 ? 1 : n < (double)w->each ? (size_t)n : w->each;
    }
    w->period = period;
    w->shortest = fmin(w->shortest, period);
    w->n_transient = (size_t)(transient / (w->plan.gain * period)) + 1;
    w->every = n_sample * w->plan.n_recording / TQ_WATCH_KEPT + 1;
    w->expected = n_sample > 0 ? n_sample : 1;
    w->seen = 0;
    w->last = 0.0;
    return tq_observer_next(w->observer, period, reterr);
}

static void add_noise(tq_watch *w, size_t i)
{
    for (size_t a = 0; a < w->nv; a++) {
        tq_watch_sums *s = &w->sums[a];
        const double r = w->r[a * TQ_BLOCK_STRIDE + i];
        if (w->n_since_gap > w->n_transient) {
            s->n += 1.0;
            s->square += r * r;
            s->product += r * s->last;
            s->worst = fmax(s->worst, fabs(r));
            if (w->seen % w->every == 0 && s->n_kept < TQ_WATCH_KEPT) {
                s->kept[s->n_kept] = fabs(r);
                s->steps[s->n_kept++] = fabs(r - s->last);
            }
        }
        s->last = r;
    }
}

/* Standard deviation and correlation of the observer's output of one joint, without contact. */
static void put_noise(const tq_watch *w, size_t a)
{
    tq_watch_sums *s = &w->sums[a];
    tq_watch_row *row = &w->rows[a];
    if (w->plan.noise == TQ_WATCH_OF_QUIET) {
        row->sigma = sqrt(s->square / s->n);
        row->correlation = s->square > 0.0 ? s->product / s->square : 0.0;
    } else { /* var(r_k - r_k-1) = 2 (1 - correlation) var(r) */
        const double size = tq_median(s->n_kept, s->kept);
        const double step = tq_median(s->n_kept, s->steps);
        row->sigma = size / normal_median;
        row->correlation = size > 0.0 ? 1.0 - 0.5 * step * step / (size * size) : 0.0;
    }
    row->sigma = fmax(w->plan.noise == TQ_WATCH_GIVEN ? w->plan.sigma[a] : row->sigma, least);
    row->correlation = fmax(0.0, fmin(row->correlation, 1.0));
}

tq_status tq_watch_end_noise(tq_watch *w, tq_error *reterr)
{
    const double steps = day / w->shortest;
    if (!(w->sums[0].n > 0.0) || w->sums[0].n_kept == 0) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "samples", 0, w->sums[0].n);
    }
    for (size_t a = 0; a < w->nv; a++) {
        tq_watch_row *row = &w->rows[a];
        put_noise(w, a);
        const double rate = w->plan.false_alarms / (2.0 * steps * (double)w->nv);
        row->threshold = w->plan.threshold != NULL
                             ? w->plan.threshold[a]
                             : row->sigma * tq_alarm_level(rate, row->correlation);
        if (w->plan.threshold == NULL && w->plan.noise == TQ_WATCH_OF_QUIET) {
            row->threshold = fmax(row->threshold, beyond_worst * w->sums[a].worst);
        }
        row->false_alarms =
            2.0 * steps * tq_alarm_rate(row->threshold / row->sigma, row->correlation);
    }
    w->finds = true;
    w->seen = 0;
    w->last = 0.0;
    return TQ_OK;
}

/* Updates the current contact; true outside of contacts. */
static bool judge(tq_watch *w, size_t i, double t)
{
    double most = 0.0;
    size_t at = 0;
    for (size_t a = 0; a < w->nv; a++) {
        const double r = w->r[a * TQ_BLOCK_STRIDE + i];
        w->rows[a].worst = fmax(w->rows[a].worst, fabs(r));
        if (fabs(r) > most * w->rows[a].threshold) {
            most = fabs(r) / w->rows[a].threshold;
            at = a;
        }
    }
    if (!w->is_open && most > 1.0) {
        w->now = (tq_watch_event){.recording = w->recording, .t = t};
        w->ratio = 0.0;
        w->is_open = true;
    }
    if (!w->is_open) {
        return true;
    }
    if (most > w->ratio) {
        w->ratio = most;
        w->now.row = at;
        w->now.torque = w->r[at * TQ_BLOCK_STRIDE + i];
    }
    if (most > 1.0) {
        w->now.duration = t - w->now.t;
    }
    if (most > part_over) {
        w->below = t;
    } else if (t - w->below > over) {
        close_event(w);
    }
    return false;
}

tq_status tq_watch_push(tq_watch *w, const tq_experiment_block *block, const double *t,
                        tq_error *reterr)
{
    const tq_status status = tq_observer_push(w->observer, block, t, w->r, w->begins, reterr);
    for (size_t i = 0; status == TQ_OK && i < block->n_sample; i++) {
        if (w->begins[i]) {
            close_event(w);
            w->n_since_gap = 0;
        }
        w->n_since_gap++;
        if (!w->finds) {
            add_noise(w, i);
        } else {
            const bool is_past_transient = w->n_since_gap > w->n_transient;
            const bool is_free = is_past_transient && judge(w, i, t[i]);
            tq_watch_add_friction(w, block, i, t, is_free);
        }
        w->seen++;
        w->last = t[i];
    }
    return status;
}

void tq_watch_finish(tq_watch *w)
{
    close_event(w);
    w->time += w->last;
    tq_watch_find_trends(w);
}

const tq_watch_row *tq_watch_rows(const tq_watch *w)
{
    return w->rows;
}

const tq_watch_event *tq_watch_events(const tq_watch *w, size_t *ret_n)
{
    *ret_n = w->n_event;
    return w->events;
}

double tq_watch_time(const tq_watch *w)
{
    return w->time;
}
