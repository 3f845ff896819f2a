/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/bandwidth.c - spectra of a log's motion and noise, and the cut-off and decimation
 * that are chosen by them. */
#include <math.h>

#include "api/recordings/parts.h"
#include "core/signal/differentiate.h"
#include "core/signal/median.h"

enum { FFT_LEAST = 64, FFT_MOST = 32768 };

/* of samples over the cut-off: two would do for what passes; here 2e-4 of the rest folds back */
static const double rate_of_cutoff = 5.0;
static const double quiet = 5e-3;        /* rad/s, m/s: of noise that friction would not feel */
static const double slow_motion_s = 5.0; /* of a window, in which slow motion is seen as slow */
/* from an octave to the next: what falls by more is the skirt of slow motion (f^-6 and more), not
 * noise beyond the knee of two poles (f^-4 at last) */
static const double skirt = 8.0;
static const double coloured = 30.0; /* times the floor: less is a skirt that sinks into it */

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
static size_t fine_size(const tqa_recording *log, size_t n, size_t n_fft)
{
    const double wanted = fmin(slow_motion_s / log->step, (double)n);
    while (n_fft < FFT_MOST && (double)n_fft < wanted) {
        n_fft *= 2;
    }
    return n_fft;
}

/* Spectrum of a joint's positions, and where it moves. */
static tq_status measure(const tqa_recording *log, size_t n, const double *const q_tau[2],
                         double *power, tq_scratch *scratch, double *ret_end, tq_bandwidth *ret,
                         tq_error *reterr)
{
    const double *q = q_tau[0], *tau = q_tau[1];
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
static bool tells_torque(const tqa_recording *log)
{
    return log->column[TQA_RECORDING_TAU] != NULL &&
           log->request->order->nq == log->request->order->nv;
}

/* The widest bandwidth among the joints that take part in the motion. */
static bool find_bandwidth(tqa_recording *log, const tqa_resample *even)
{
    tqa_tree *control = log->request->control;
    const size_t nq = log->request->order->nq;
    const size_t n_fft = fine_size(log, even->n, fft_size(even->n));
    tq_scratch scratch;
    double *power = tqa_tree_take(control, n_fft / 2 + 1, sizeof *power);
    log->followed = tqa_tree_take(control, nq, sizeof *log->followed);
    if (power == NULL || log->followed == NULL ||
        !tqa_tree_scratch(control,
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
        if (deviation(q, even->n) < 0.05 * most || most < tqa_recording_moves) {
            continue;
        }
        const double *const q_tau[2] = {
            q, tells_torque(log)
                   ? even->channels + (log->first_channel[TQA_RECORDING_TAU] + r) * even->stride
                   : NULL};
        const tq_status status =
            measure(log, even->n, q_tau, power, &scratch, &log->followed[r], &found, &error);
        if (status != TQ_OK) {
            return tqa_tree_fail(control, "", status, &error);
        }
        log->bandwidth.motion = fmax(log->bandwidth.motion, found.motion);
        log->bandwidth.noise = fmin(log->bandwidth.noise, found.noise);
        log->bandwidth.floor = fmax(log->bandwidth.floor, found.floor);
    }
    log->bandwidth.noise = isfinite(log->bandwidth.noise) ? log->bandwidth.noise : 0.0;
    tqa_tree_give(control, power);
    tqa_tree_give_scratch(control, &scratch);
    return true;
}

static bool find_velocity_noise(tqa_recording *log, const tqa_resample *even)
{
    enum { SAMPLES = 4096 }; /* tell a median to 2 % */
    const size_t every = even->n / SAMPLES + 1;
    log->velocity_noise = 0.0;
    if (log->column[TQA_RECORDING_QD] == NULL) {
        return true;
    }
    double *work = tqa_tree_take(log->request->control, even->n / every + 1, sizeof *work);
    for (size_t r = 0; work != NULL && r < log->request->order->nv; r++) {
        const double *v =
            even->channels + (log->first_channel[TQA_RECORDING_QD] + r) * even->stride;
        const double noise = tq_noise_deviation(even->n, v, every, work);
        log->velocity_noise = fmax(log->velocity_noise, noise);
    }
    tqa_tree_give(log->request->control, work);
    return work != NULL;
}

/* The floor of a spectrum; where torque does not follow what is there in the upper half of the band
 * that the filter lets pass, that is noise as well, of a colour that the spectrum's end hides. */
static tq_status find_floor(const tqa_recording *log, size_t n_fft, const double *power,
                            double followed, tq_scratch *scratch, double *ret, tq_error *reterr)
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
static bool find_floors(tqa_recording *log, const tqa_resample *even)
{
    static const tqa_recording_quantity sources[] = {TQA_RECORDING_QDD, TQA_RECORDING_QD,
                                                     TQA_RECORDING_Q};
    tqa_tree *control = log->request->control;
    const tqa_order *order = log->request->order;
    const size_t n_fft = fft_size(even->n);
    tq_scratch scratch;
    double *power = tqa_tree_take(control, n_fft / 2 + 1, sizeof *power);
    double *floors = tqa_tree_take(control, order->nv + 1, sizeof *floors);
    if (power == NULL || floors == NULL ||
        !tqa_tree_scratch(control,
                          tq_spectrum_scratch_size(n_fft) + tq_bandwidth_scratch_size(n_fft),
                          &scratch)) {
        return false;
    }
    log->n_difference = 0;
    while (log->n_difference < 2 && log->column[sources[log->n_difference]] == NULL) {
        log->n_difference++;
    }
    const tqa_recording_quantity source = sources[log->n_difference];
    if (source == TQA_RECORDING_Q && order->nq != order->nv) {
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
            return tqa_tree_fail(control, "", status, &error);
        }
    }
    log->floor = floors;
    tqa_tree_give(control, power);
    tqa_tree_give_scratch(control, &scratch);
    return true;
}

bool tqa_recording_gives_displacement(const tqa_recording *log)
{
    return log->column[TQA_RECORDING_QD] != NULL && log->column[TQA_RECORDING_TAU] != NULL &&
           log->velocity_noise <= quiet;
}

bool tqa_recording_measure(tqa_recording *log, const tqa_resample *even)
{
    return find_bandwidth(log, even) && find_velocity_noise(log, even) && find_floors(log, even);
}

/* ------------------------------------------------------------------------------------------------
 * What is chosen by it
 */

/* The slowest motion fills some resolutions of its spectrum: a short log says no more than that its
 * is not faster, a longer one how fast. Resolutions within a few are as good. */
static bool tells_motion(const tqa_recording *log, double finest)
{
    return log->resolution <= 4.0 * finest || log->bandwidth.motion > 6.0 * log->resolution;
}

/* Hz, of the logs that move; infinite: none does */
static double finest_resolution(const tqa_recording *logs, size_t n)
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
static double half_gain_of(const tqa_recording_request *request, double rate)
{
    const tqa_recording_filter *filter = &request->filter;
    tq_scratch scratch;
    double half = 0.0;
    switch (filter->kind) {
    case TQA_RECORDING_BUTTERWORTH:
        return filter->cutoff;
    case TQA_RECORDING_FIRST_ORDER: /* forward and backward */
        return 1.0 / (2.0 * 3.14159265358979323846 * filter->tau_f);
    case TQA_RECORDING_SAVITZKY_GOLAY: {
        const tq_window window = {filter->window, filter->degree, 0, 1.0};
        if (tqa_tree_scratch(request->control, tq_smooth_half_gain_size(filter->window),
                             &scratch) &&
            tq_smooth_half_gain(&window, &scratch, &half, NULL) == TQ_OK) {
            return half * rate;
        }
        return 0.0;
    }
    case TQA_RECORDING_NO_FILTER:
        break;
    }
    return 0.0;
}

void tqa_recording_choose_cutoff(tqa_recording_request *request, tqa_recording *logs, size_t n,
                                 size_t n_judged)
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
    tqa_recording_filter *filter = &request->filter;
    if (filter->kind == TQA_RECORDING_BUTTERWORTH && filter->is_auto) {
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
static double cutoff_of(const tqa_recording_filter *filter)
{
    switch (filter->kind) {
    case TQA_RECORDING_BUTTERWORTH:
        return filter->cutoff;
    case TQA_RECORDING_FIRST_ORDER: /* falls off slowly */
        return 10.0 / (2.0 * 3.14159265358979323846 * filter->tau_f);
    case TQA_RECORDING_SAVITZKY_GOLAY:
    case TQA_RECORDING_NO_FILTER:
        break;
    }
    return 0.0;
}

void tqa_recording_choose_decimation(tqa_recording_request *request, const tqa_recording *logs,
                                     size_t n, double n_sample)
{
    tqa_recording_filter *filter = &request->filter;
    const double cutoff = cutoff_of(filter);
    double rate = (double)INFINITY;
    for (size_t i = 0; i < n; i++) {
        rate = fmin(rate, 1.0 / logs[i].step);
    }
    const double most = cutoff > 0.0 ? floor(rate / (rate_of_cutoff * cutoff)) : 1.0;
    const double wanted =
        fmin(ceil(n_sample / (double)TQA_RECORDING_SAMPLES - 0.01), fmin(most, 1000.0));
    if (!filter->has_decimate && wanted > 1.0) {
        filter->decimate = (size_t)wanted;
        filter->thins = true;
    }
}
