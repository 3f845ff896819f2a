/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/outliers.c - outliers of a window of rows, channel by channel (Hampel identifier). */
#include <math.h>
#include <string.h>

#include "core/signal/median.h"
#include "core/signal/pass_private.h"

enum {
    MEDIAN_SAMPLES = 4096, /* number of samples that determine a median to 2 % */
    MEDIAN_LEAST = 256,    /* for medians of many windows: 8 % each */
    OUTLIERS_IN = 100,     /* rows of a window from which on a share of outliers is meaningful */
};

/* Hampel identifier: an outlier is more than spike_factor standard deviations from the median, far
 * above noise, quantisation and steps. */
static const double spike_factor = 30.0;
/* If between outlier_share and outlier_most of a channel's values are more than outlier_factor
 * deviations away, outliers are frequent and are replaced. */
static const double outlier_factor = 8.0, outlier_share = 0.01, outlier_most = 0.3;
static const double outlier_floor = 5e-3; /* of the spread: quantisation steps are not outliers */
/* Least noise, for signals that are clean or coarsely quantised: as a part of the spread, and in SI
 * units. */
static const double spike_floor = 1e-3;
static const double spike_least[] = {[TQ_QUANTITY_Q] = 1e-4,
                                     [TQ_QUANTITY_QD] = 1e-3,
                                     [TQ_QUANTITY_QDD] = 0.1,
                                     [TQ_QUANTITY_TAU] = 1e-3};

/* Removes the rows that are marked by 1; rows marked by 2 have replaced values and stay. */
static void drop_bad(tq_pass *p)
{
    size_t to = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (p->bad[i] == 1) {
            continue;
        }
        if (to != i) {
            p->t[to] = p->t[i];
            p->row[to] = p->row[i];
            for (size_t c = 0; c < p->recording->channels.n; c++) {
                p->values[c * p->room + to] = p->values[c * p->room + i];
            }
        }
        to++;
    }
    p->n = to;
}

/* median distance from the median, of every n-th sample */
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

static tq_quantity quantity_of(const tq_recording *recording, size_t channel)
{
    tq_quantity found = TQ_QUANTITY_Q;
    for (tq_quantity q = TQ_QUANTITY_QD; q < TQ_QUANTITIES; q++) {
        const bool is_there = recording->channels.has[q];
        found = is_there && channel >= recording->channels.first[q] ? q : found;
    }
    return found;
}

/* true if an earlier pass examined the same window */
static bool is_clean(const tq_pass *p)
{
    const tq_recording *recording = p->recording;
    for (size_t k = 0; k < recording->n_clean; k++) {
        const tq_clean_window *clean = &recording->clean[k];
        if (clean->n == p->n && clean->first == p->row[0] && clean->last == p->row[p->n - 1]) {
            return true;
        }
    }
    return false;
}

static void note_clean(const tq_pass *p)
{
    tq_recording *recording = p->recording;
    if (recording->n_clean < TQ_RECORDING_CLEAN_MAX) {
        recording->clean[recording->n_clean++] =
            (tq_clean_window){p->row[0], p->row[p->n - 1], p->n};
    }
}

/* With frequent outliers few rows have none, and a low-pass would smear the remaining ones: values
 * are replaced, each in its own channel. */
static size_t replace_many(tq_pass *p, double *x, double noise)
{
    const double most = outlier_factor * noise;
    size_t n_far = 0;
    for (size_t i = 1; i + 1 < p->n;
         i++) { /* away and back: a step to another pose moves in one direction */
        const double there = x[i] - x[i - 1], back = x[i] - x[i + 1];
        n_far +=
            (size_t)((there > most) & (back > most)) | (size_t)((there < -most) & (back < -most));
    }
    const double share = (double)n_far / (double)p->n;
    if (!(share > outlier_share && share < outlier_most)) {
        return 0;
    }
    return tq_outliers_replace(p->n, x, noise, outlier_factor, p->bad, p->work);
}

void tq_outliers_remove(tq_pass *p)
{
    if (p->n < TQ_SEGMENT_LEAST || is_clean(p)) {
        return;
    }
    memset(p->bad, 0, p->n);
    const bool is_long = p->recording->n_row > p->room;
    const size_t every = p->n / (size_t)(is_long ? MEDIAN_LEAST : MEDIAN_SAMPLES) + 1;
    size_t n_bad = 0;
    for (size_t c = 0; c < p->recording->channels.n; c++) {
        double *x = p->values + c * p->room;
        const double spread = spread_of(p->n, x, every, p->work);
        const double noise = tq_noise_deviation(p->n, x, every, p->work);
        const double part = quantity_of(p->recording, c) == TQ_QUANTITY_Q ? 0.0 : outlier_floor;
        const double floor = spike_least[quantity_of(p->recording, c)];
        const double least = fmax(spike_floor * spread, floor);
        if (p->n >= OUTLIERS_IN) {
            n_bad += replace_many(p, x, fmax(fmax(noise, part * spread), floor));
        }
        n_bad += tq_spikes_mark(p->n, x, fmax(noise, least), spike_factor, p->bad);
    }
    if (n_bad == 0) {
        note_clean(p);
        return;
    }
    for (size_t i = 0; i < p->n; i++) {
        if (p->bad[i] != 0 && i >= p->n_checked) {
            tq_recording_note(p->recording, p->bad[i] == 1 ? TQ_REPAIR_SPIKE : TQ_REPAIR_OUTLIER,
                              p->row[i]);
        }
    }
    drop_bad(p);
}
