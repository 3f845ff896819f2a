/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/own/own_cutoff.c - cut-offs of joints that move slowly where others move fast, by
 * their bandwidths and the noise of their accelerations. */
#include "core/signal/own/own_cutoff.h"

#include <math.h>

#include "core/elementary/elementary.h"
#include "core/signal/differentiate.h"

enum { FFT_LEAST = 64, FFT_MOST = 32768, BAND_LEAST = 4 };

static const double slow = 0.5;         /* of the cut-off of all: up to it a joint has its own */
static const double clear = 30.0;       /* times the noise: motion, in a spectrum of one window */
static const double most_of = 0.995;    /* of the power of rates */
static const double multiple = 10.0;    /* of the bandwidth: tq_cutoff_choose */
static const double margin = 3.0;       /* times the end of accelerations that are seen */
static const double deviations = 6.0;   /* of the mean of a band of noise */
static const double disturbed = 2e-3;   /* share of noise in the mean square of accelerations */
static const double longest = 1.0 / 16; /* of a recording is left out at each end at most */
/* periods of the cut-off until a filter of order 4 has forgotten what is beyond an end; each order
 * more takes its share */
static const double forgets_of_order = 0.6;
/* shares of the other joints, above which they need instruments: these lag by less than the time
 * over which noise of a slow filter is correlated. The second: of the largest share of slow ones */
static const double bearable = 0.05, minor = 0.1;

/* A window as long as the recording: bandwidths of a few resolutions are to be told apart. */
static size_t fft_size(size_t n)
{
    size_t n_fft = FFT_LEAST;
    while (2 * n_fft <= FFT_MOST && 2 * n_fft <= n) {
        n_fft *= 2;
    }
    return n_fft;
}

size_t tq_recording_own_size(size_t n)
{
    const size_t n_fft = fft_size(n);
    return 2 * tq_scratch_cost(n, sizeof(double)) + tq_scratch_cost(n_fft / 2 + 1, sizeof(double)) +
           tq_spectrum_scratch_size(n_fft);
}

/* The spectrum of an acceleration. That of its position has skirts of slow motion above the noise.
 */
typedef struct acceleration {
    size_t n_fft;
    double step;         /* s */
    const double *power; /* (n_fft / 2 + 1) */
    double floor;        /* noise density of the position */
} acceleration;

/* (rad/s)^2 of bin k, as central differences have it */
static double rate_square_of(const acceleration *a, size_t k)
{
    const double rate = tq_sin(2.0 * M_PI * (double)k / (double)a->n_fft) / a->step;
    return rate * rate;
}

static double noise_of(const acceleration *a, size_t k)
{
    const double square = rate_square_of(a, k);
    return a->floor * square * square;
}

static double hz_of(const acceleration *a, size_t k)
{
    return (double)k / ((double)a->n_fft * a->step);
}

/* Hz below which 99.5 % of the power of the rates above the noise lies. */
static double motion_of(const acceleration *a)
{
    double all = 0.0, part = 0.0;
    size_t motion = 1;
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t k = 1; k < a->n_fft / 2; k++) {
            const double noise = noise_of(a, k);
            motion = pass == 1 && part < most_of * all ? k : motion;
            *(pass == 0 ? &all : &part) +=
                a->power[k] > clear * noise ? (a->power[k] - noise) / rate_square_of(a, k) : 0.0;
        }
    }
    return hz_of(a, motion);
}

/* Hz: the end of the highest band, a quarter of its frequency wide, in which accelerations have
 * more motion than noise, and more than chance. */
static double end_of(const acceleration *a)
{
    size_t first = 1, last = 1;
    while (first < a->n_fft / 2) {
        const size_t wide = first / 4 > BAND_LEAST ? first / 4 : (size_t)BAND_LEAST;
        const size_t end = first + wide < a->n_fft / 2 ? first + wide : a->n_fft / 2;
        const double chance = deviations * sqrt(1.5 / (double)(end - first));
        double ratio = 0.0;
        for (size_t k = first; k < end; k++) {
            const double noise = noise_of(a, k);
            ratio += noise > 0.0 ? a->power[k] / noise / (double)(end - first) : (double)INFINITY;
        }
        last = ratio > 1.0 + fmax(1.0, chance) ? end : last;
        first = end;
    }
    return hz_of(a, last);
}

/* share of noise in the mean square up to `cutoff` */
static double share_of(const acceleration *a, double cutoff)
{
    double all = 0.0, noise = 0.0;
    for (size_t k = 1; k < a->n_fft / 2 && hz_of(a, k) <= cutoff; k++) {
        all += a->power[k];
        noise += noise_of(a, k);
    }
    return all > 0.0 ? noise / all : 0.0;
}

/* work: (n_fft / 2 + 1), 2 (n) */
static tq_status measure_row(tq_recording *recording, const tq_uniform *even, size_t r,
                             double *const work[3], tq_scratch *scratch, tq_error *reterr)
{
    const size_t n_fft = fft_size(even->n);
    const double rate = 1.0 / recording->step;
    const double cutoff = tq_cutoff_choose(&recording->bandwidth, rate).cutoff;
    const size_t c = recording->channels.first[TQ_QUANTITY_Q] + r;
    tq_difference(even->n, even->channels + c * even->stride, recording->step, work[1]);
    tq_difference(even->n, work[1], recording->step, work[2]);
    const tq_status status = tq_spectrum(even->n, work[2], rate, n_fft, scratch, work[0], reterr);
    const acceleration a = {n_fft, recording->step, work[0], recording->floor[r]};
    if (status != TQ_OK) {
        return status;
    }
    recording->shares[r] = share_of(&a, cutoff);
    if (recording->motion[r] <= slow * recording->bandwidth.motion) {
        recording->needs[r] = fmin(cutoff, fmax(multiple * motion_of(&a), margin * end_of(&a)));
    }
    return TQ_OK;
}

/* Rates that are recorded have little of the noise that this is about, and a joint with three
 * coordinates has no cut-off of its own. */
static bool is_known(const tq_recording *recording)
{
    const tq_model *model = recording->options->model;
    return model->nq == model->nv && recording->floor != NULL && recording->n_difference == 2;
}

static bool has_slow(const tq_recording *recording)
{
    bool any = false;
    for (size_t r = 0; is_known(recording) && r < recording->options->model->nv; r++) {
        any = any || recording->motion[r] <= slow * recording->bandwidth.motion;
    }
    return any;
}

tq_status tq_recording_measure_own(tq_recording *recording, const tq_uniform *even,
                                   tq_scratch *scratch, tq_error *reterr)
{
    const size_t n_fft = fft_size(even->n);
    const double cutoff = tq_cutoff_choose(&recording->bandwidth, 1.0 / recording->step).cutoff;
    const size_t mark = tq_scratch_mark(scratch);
    double *const work[3] = {tq_scratch_take(scratch, n_fft / 2 + 1, sizeof(double)),
                             tq_scratch_take(scratch, even->n, sizeof(double)),
                             tq_scratch_take(scratch, even->n, sizeof(double))};
    const bool measures = has_slow(recording);
    tq_status status = TQ_OK;
    if (work[0] == NULL || work[1] == NULL || work[2] == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_recording_own_size(even->n));
    }
    for (size_t r = 0; status == TQ_OK && r < recording->options->model->nv; r++) {
        const bool moves = is_known(recording) && isfinite(recording->motion[r]);
        recording->needs[r] = moves ? cutoff : (double)INFINITY;
        recording->shares[r] = 0.0;
        if (measures && moves) {
            status = measure_row(recording, even, r, work, scratch, reterr);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* Hz: below it the filter would leave out more than `longest` at the ends of a recording */
static double least_of(const tq_recording *recording)
{
    const double periods = forgets_of_order * (double)recording->options->filter.order;
    return periods / (longest * (double)recording->n_chosen * recording->period);
}

bool tq_recording_choose_own(const tq_recording_options *options, tq_recording *const *recordings,
                             size_t n, double *own)
{
    const tq_recording_filter *filter = &options->filter;
    double lowered = 0.0, left = 0.0; /* the largest shares of noise */
    if (filter->kind != TQ_SMOOTHING_BUTTERWORTH || !filter->is_auto) {
        return false;
    }
    for (size_t r = 0; r < options->model->nv; r++) {
        double needs = 0.0, share = 0.0;
        for (size_t i = 0; i < n; i++) {
            needs = fmax(needs, fmax(recordings[i]->needs[r], least_of(recordings[i])));
            share = fmax(share, recordings[i]->shares[r]);
        }
        const bool is_own = needs <= slow * filter->cutoff && share >= disturbed;
        own[r] = is_own ? needs : filter->cutoff;
        *(is_own ? &lowered : &left) = fmax(is_own ? lowered : left, share);
    }
    return lowered > 0.0 && left <= bearable && left <= minor * lowered;
}
