/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/bandwidth.c - spectra of a recording's motion and noise, and the cut-off and
 * decimation that follow from them. */
#include "core/signal/bandwidth.h"

#include <math.h>

#include "core/elementary/elementary.h"
#include "core/signal/differentiate.h"
#include "core/signal/median.h"
#include "core/signal/own/own_cutoff.h"
#include "core/signal/survey.h"

enum {
    FFT_LEAST = 64,
    FFT_MOST = 32768,
    MEDIAN_SAMPLES = 4096, /* number of samples that determine a median to 2 % */
};

/* sample rate over the cut-off: 2 would satisfy Nyquist; at 5, aliasing of the rest of the spectrum
 * is 2e-4 */
static const double rate_of_cutoff = 5.0;
static const double slow_motion_s = 5.0; /* length of a window that resolves slow motion */
/* ratio of the densities of two octaves: a steeper fall is the flank of slow motion (f^-6 and
 * steeper), not noise above the corner of two poles (f^-4 asymptotically) */
static const double skirt = 8.0;
static const double coloured = 30.0; /* times the floor: a lower level is that flank where it
                                        reaches the floor */

static const double quiet = 3e-3; /* rad/s, m/s: noise of rates that friction does not feel */
/* share of the noise that counts against motion: rates' motion beyond the filter is at reversals,
 * where friction is decided, and noise is anywhere */
static const double price = 0.25;

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

/* Windows of a short recording may not resolve its slow motion: then longer windows are used. */
static size_t fine_size(const tq_recording *recording, size_t n, size_t n_fft)
{
    const double wanted = fmin(slow_motion_s / recording->step, (double)n);
    while (n_fft < FFT_MOST && (double)n_fft < wanted) {
        n_fft *= 2;
    }
    return n_fft;
}

/* Spectrum of a joint's positions, and the bandwidth of its motion. */
static tq_status measure(const tq_recording *recording, size_t n, const double *const q_tau[2],
                         double *power, tq_scratch *scratch, double *ret_end, tq_bandwidth *ret,
                         tq_error *reterr)
{
    const double *q = q_tau[0], *tau = q_tau[1];
    const double rate = 1.0 / recording->step;
    const size_t n_fft = fft_size(n);
    const size_t n_fine = fine_size(recording, n, n_fft);
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

/* there is one torque for each coordinate */
static bool has_torque(const tq_recording *recording)
{
    const tq_model *model = recording->options->model;
    return recording->channels.has[TQ_QUANTITY_TAU] && model->nq == model->nv;
}

static tq_status fail_scratch(const tq_recording *recording, size_t n, tq_error *reterr)
{
    const double size = (double)tq_recording_measure_size(recording, n);
    return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, size);
}

/* The widest bandwidth of all joints that move. */
static tq_status find_bandwidth(tq_recording *recording, const tq_uniform *even,
                                tq_scratch *scratch, tq_error *reterr)
{
    const size_t nq = recording->options->model->nq;
    const size_t n_fft = fine_size(recording, even->n, fft_size(even->n));
    const size_t mark = tq_scratch_mark(scratch);
    double *power = tq_scratch_take(scratch, n_fft / 2 + 1, sizeof *power);
    double *coherent = recording->coherent = recording->coherent_memory;
    double most = 0.0;
    tq_status status = power != NULL ? TQ_OK : fail_scratch(recording, even->n, reterr);
    for (size_t r = 0; r < nq; r++) {
        most = fmax(most, deviation(even->channels + r * even->stride, even->n));
    }
    recording->bandwidth = (tq_bandwidth){.noise = (double)INFINITY};
    recording->resolution = 1.0 / (recording->step * fmin((double)n_fft, (double)even->n));
    for (size_t r = 0; r < nq && status == TQ_OK; r++) {
        const double *q = even->channels + r * even->stride;
        tq_bandwidth found = {0};
        coherent[r] = recording->motion[r] = (double)INFINITY;
        if (deviation(q, even->n) < 0.05 * most || most < TQ_SURVEY_MOVES) {
            continue;
        }
        const size_t tau = recording->channels.first[TQ_QUANTITY_TAU] + r;
        const double *const q_tau[2] = {
            q, has_torque(recording) ? even->channels + tau * even->stride : NULL};
        status = measure(recording, even->n, q_tau, power, scratch, &coherent[r], &found, reterr);
        if (status == TQ_OK) {
            tq_bandwidth *widest = &recording->bandwidth;
            widest->motion = fmax(widest->motion, found.motion);
            widest->noise = fmin(widest->noise, found.noise);
            widest->floor = fmax(widest->floor, found.floor);
            recording->motion[r] = found.motion;
        }
    }
    if (!isfinite(recording->bandwidth.noise)) {
        recording->bandwidth.noise = 0.0;
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

static tq_status find_velocity_noise(tq_recording *recording, const tq_uniform *even,
                                     tq_scratch *scratch, tq_error *reterr)
{
    const size_t every = even->n / MEDIAN_SAMPLES + 1;
    const size_t mark = tq_scratch_mark(scratch);
    recording->velocity_noise = 0.0;
    if (!recording->channels.has[TQ_QUANTITY_QD]) {
        return TQ_OK;
    }
    double *work = tq_scratch_take(scratch, even->n / every + 1, sizeof *work);
    if (work == NULL) {
        return fail_scratch(recording, even->n, reterr);
    }
    for (size_t r = 0; r < recording->options->model->nv; r++) {
        const double *v =
            even->channels + (recording->channels.first[TQ_QUANTITY_QD] + r) * even->stride;
        const double noise = tq_noise_deviation(even->n, v, every, work);
        recording->velocity_noise = fmax(recording->velocity_noise, noise);
    }
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

/* Noise floor of a spectrum. If torque is not coherent with the signal in the upper half of the
 * passband, the level there is noise too: coloured noise, which the end of the spectrum does not
 * show. */
static tq_status find_floor(const tq_recording *recording, size_t n_fft, const double *power,
                            double followed, tq_scratch *scratch, double *ret, tq_error *reterr)
{
    const double rate = 1.0 / recording->step;
    const double cutoff = tq_cutoff_choose(&recording->bandwidth, rate).cutoff;
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

/* Noise density of channel c. */
static tq_status find_channel_floor(const tq_recording *recording, const tq_uniform *even, size_t c,
                                    double followed, double *power, tq_scratch *scratch,
                                    double *ret, tq_error *reterr)
{
    const size_t n_fft = fft_size(even->n);
    const tq_status status = tq_spectrum(even->n, even->channels + c * even->stride,
                                         1.0 / recording->step, n_fft, scratch, power, reterr);
    return status == TQ_OK ? find_floor(recording, n_fft, power, followed, scratch, ret, reterr)
                           : status;
}

/* Noise densities of the position of row r's joint; of poses in the axes of the child, where noise
 * is taken to be the same in all directions: a turn by a small angle changes a unit quaternion by
 * half of it, in three of four directions. */
static tq_status find_position_floor(const tq_recording *recording, const tq_uniform *even,
                                     const tq_joint *joint, uint32_t k, double *power,
                                     tq_scratch *scratch, double *ret, tq_error *reterr)
{
    const bool has_quaternion =
        joint->kind == TQ_JOINT_SPHERICAL || joint->kind == TQ_JOINT_FLOATING;
    const bool turns = joint->kind == TQ_JOINT_SPHERICAL || (has_quaternion && k >= 3);
    const size_t first = recording->channels.first[TQ_QUANTITY_Q] + joint->q_index +
                         (!has_quaternion ? k
                          : turns         ? joint->nq - 4
                                          : 0);
    const size_t n = !has_quaternion ? 1 : turns ? 4 : 3;
    tq_status status = TQ_OK;
    *ret = 0.0;
    for (size_t c = first; status == TQ_OK && c < first + n; c++) {
        double density = 0.0;
        status = find_channel_floor(recording, even, c, (double)INFINITY, power, scratch, &density,
                                    reterr);
        *ret += (turns ? 4.0 / 3.0 : 1.0 / (double)n) * density;
    }
    return status;
}

/* Hz: a low-pass of this cut-off leaves `quiet` of the noise of a rate whose source has this
 * density: recorded rates, or positions that are differentiated, of variance (2 pi)^2 S f^3 / 3. */
static double quiet_band_of(double density, bool is_rate)
{
    if (!(density > 0.0)) {
        return (double)INFINITY;
    }
    return is_rate ? quiet * quiet / density
                   : tq_pow(3.0 * quiet * quiet / (4.0 * M_PI * M_PI * density), 1.0 / 3.0);
}

/* Adds a joint of one degree of freedom to what is known of the rates: their noise, and what a
 * low-pass that ends behind each frequency gains of motion over noise. Of `power` and behind it:
 * (n_fft / 2 + 1) the spectrum of the source of accelerations, (n_fft / 2 + 1) gains. */
static tq_status add_rate(tq_recording *recording, const tq_uniform *even, const tq_joint *joint,
                          double *power, tq_scratch *scratch, tq_error *reterr)
{
    const size_t n_fft = fft_size(even->n);
    const bool is_rate = recording->channels.has[TQ_QUANTITY_QD];
    double density = recording->floor_memory[joint->v_index];
    double *gain = power + n_fft / 2 + 1;
    tq_status status = TQ_OK;
    if (recording->n_difference == 0) { /* that of accelerations */
        const size_t c = is_rate ? recording->channels.first[TQ_QUANTITY_QD] + joint->v_index
                                 : recording->channels.first[TQ_QUANTITY_Q] + joint->q_index;
        status = find_channel_floor(recording, even, c, (double)INFINITY, power, scratch, &density,
                                    reterr);
    }
    for (size_t k = 0; status == TQ_OK && k < n_fft / 2 + 1; k++) {
        const double w = 2.0 * M_PI * (double)k / ((double)n_fft * recording->step);
        gain[k] += (is_rate ? 1.0 : w * w) * (power[k] - (1.0 + price) * density);
    }
    recording->rate_band = fmin(recording->rate_band, quiet_band_of(density, is_rate));
    return status;
}

/* The cut-off of rates at which what it leaves of noise, times its price, and what it takes of
 * motion are the least together. */
static void end_rates(tq_recording *recording, size_t n_fft, const double *gain)
{
    double sum = 0.0, most = 0.0;
    size_t end = 0;
    for (size_t k = 0; k < n_fft / 2 + 1; k++) {
        sum += gain[k];
        end = sum > most ? k : end;
        most = fmax(most, sum);
    }
    if (end < n_fft / 2) {
        recording->rate_band =
            fmin(recording->rate_band, (double)end / ((double)n_fft * recording->step));
    }
}

/* The noise density of the signals from which accelerations are computed. */
static tq_status find_floors(tq_recording *recording, const tq_uniform *even, tq_scratch *scratch,
                             tq_error *reterr)
{
    static const tq_quantity sources[] = {TQ_QUANTITY_QDD, TQ_QUANTITY_QD, TQ_QUANTITY_Q};
    const tq_model *model = recording->options->model;
    const bool is_flat = model->nq == model->nv;
    const size_t n_fft = fft_size(even->n);
    const size_t mark = tq_scratch_mark(scratch);
    double *power = tq_scratch_take(scratch, 2 * (n_fft / 2 + 1), sizeof *power);
    tq_status status = TQ_OK;
    recording->n_difference = 0;
    recording->rate_band = 0.0;
    if (power == NULL) {
        return fail_scratch(recording, even->n, reterr);
    }
    while (recording->n_difference < 2 &&
           !recording->channels.has[sources[recording->n_difference]]) {
        recording->n_difference++;
    }
    const tq_quantity source = sources[recording->n_difference];
    if (source == TQ_QUANTITY_QD && recording->channels.twists_missing) {
        tq_scratch_rewind(scratch, mark);
        return status; /* some accelerations are one difference of a signal, others two */
    }
    for (size_t k = 0; k < n_fft / 2 + 1; k++) {
        power[n_fft / 2 + 1 + k] = 0.0;
    }
    recording->rate_band = (double)INFINITY;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        for (uint32_t k = 0; status == TQ_OK && k < joint->nv; k++) {
            const size_t r = joint->v_index + k;
            const double followed = is_flat ? recording->coherent[r] : (double)INFINITY;
            status = source == TQ_QUANTITY_Q && !is_flat
                         ? find_position_floor(recording, even, joint, k, power, scratch,
                                               &recording->floor_memory[r], reterr)
                         : find_channel_floor(recording, even,
                                              recording->channels.first[source] + r, followed,
                                              power, scratch, &recording->floor_memory[r], reterr);
        }
        if (status == TQ_OK && joint->nq == 1 && joint->nv == 1) {
            status = add_rate(recording, even, joint, power, scratch, reterr);
        }
    }
    if (status == TQ_OK) {
        recording->floor = recording->floor_memory;
        end_rates(recording, n_fft, power + n_fft / 2 + 1);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

size_t tq_recording_measure_size(const tq_recording *recording, size_t n)
{
    const size_t n_fft = fine_size(recording, n, fft_size(n));
    return tq_scratch_cost(2 * (n_fft / 2 + 1), sizeof(double)) + tq_spectrum_scratch_size(n_fft) +
           tq_bandwidth_scratch_size(n_fft) + tq_coherence_scratch_size(n) +
           tq_scratch_cost(MEDIAN_SAMPLES + 1, sizeof(double)) + tq_recording_own_size(n);
}

tq_status tq_recording_measure(tq_recording *recording, const tq_uniform *even, tq_scratch *scratch,
                               tq_error *reterr)
{
    tq_status status = find_bandwidth(recording, even, scratch, reterr);
    if (status == TQ_OK) {
        status = find_velocity_noise(recording, even, scratch, reterr);
    }
    if (status == TQ_OK) {
        status = find_floors(recording, even, scratch, reterr);
    }
    return status == TQ_OK ? tq_recording_measure_own(recording, even, scratch, reterr) : status;
}

/* ------------------------------------------------------------------------------------------------
 * Choices based on the bandwidths
 */

/* False if the motion is within a few resolutions of its spectrum: then only an upper bound of its
 * bandwidth is known. Recordings with up to four times the finest resolution are used in any case.
 */
static bool resolves_motion(const tq_recording *recording, double finest)
{
    return recording->resolution <= 4.0 * finest ||
           recording->bandwidth.motion > 6.0 * recording->resolution;
}

/* Hz, finest resolution of the recordings that move; infinite: none moves */
static double finest_resolution(tq_recording *const *recordings, size_t n)
{
    double finest = (double)INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (recordings[i]->bandwidth.motion > 0.0) {
            finest = fmin(finest, recordings[i]->resolution);
        }
    }
    return finest;
}

/* Hz at which a zero-phase filter has gain 1/2: a Butterworth filter applied forward and backward
 * has it at its cut-off; 0: no filter */
static double half_gain_of(const tq_recording_filter *filter, double rate, tq_scratch *scratch)
{
    double half = 0.0;
    switch (filter->kind) {
    case TQ_SMOOTHING_BUTTERWORTH:
        return filter->cutoff;
    case TQ_SMOOTHING_FIRST_ORDER: /* forward and backward */
        return 1.0 / (2.0 * M_PI * filter->tau_f);
    case TQ_SMOOTHING_SAVITZKY_GOLAY: {
        const tq_window window = {filter->window, filter->degree, 0, 1.0};
        return tq_smooth_half_gain(&window, scratch, &half, NULL) == TQ_OK ? half * rate : 0.0;
    }
    case TQ_SMOOTHING_NONE:
        break;
    }
    return 0.0;
}

size_t tq_recording_choose_cutoff_size(const tq_recording_options *options)
{
    return options->filter.kind == TQ_SMOOTHING_SAVITZKY_GOLAY
               ? tq_smooth_half_gain_size(options->filter.window)
               : 0;
}

void tq_recording_choose_cutoff(tq_recording_options *options, tq_recording *const *recordings,
                                size_t n, size_t n_judged, tq_scratch *scratch)
{
    tq_bandwidth widest = {0};
    double rate = (double)INFINITY;
    const double finest = finest_resolution(recordings, n);
    for (size_t i = 0; i < n; i++) {
        if (resolves_motion(recordings[i], finest)) {
            widest.motion = fmax(widest.motion, recordings[i]->bandwidth.motion);
        }
        rate = fmin(rate, 1.0 / recordings[i]->step);
    }
    tq_recording_filter *filter = &options->filter;
    if (filter->kind == TQ_SMOOTHING_BUTTERWORTH && filter->is_auto) {
        /* the cut-off must remain below the Nyquist frequency after decimation */
        filter->cutoff =
            fmin(tq_cutoff_choose(&widest, rate).cutoff, 0.4 * rate / (double)filter->decimate);
    }
    options->half_gain = half_gain_of(filter, rate, scratch);
    for (size_t i = 0; i < n_judged; i++) {
        recordings[i]->cutoff = tq_cutoff_judge(&recordings[i]->bandwidth, options->half_gain);
    }
}

/* Hz above which the filter's gain is negligible; 0: no filter, or not a low-pass */
static double cutoff_of(const tq_recording_filter *filter)
{
    switch (filter->kind) {
    case TQ_SMOOTHING_BUTTERWORTH:
        return filter->cutoff;
    case TQ_SMOOTHING_FIRST_ORDER: /* the gain falls slowly */
        return 10.0 / (2.0 * M_PI * filter->tau_f);
    case TQ_SMOOTHING_SAVITZKY_GOLAY:
    case TQ_SMOOTHING_NONE:
        break;
    }
    return 0.0;
}

void tq_recording_choose_decimation(tq_recording_options *options, tq_recording *const *recordings,
                                    size_t n, double n_sample)
{
    tq_recording_filter *filter = &options->filter;
    const double cutoff = cutoff_of(filter);
    double rate = (double)INFINITY;
    for (size_t i = 0; i < n; i++) {
        rate = fmin(rate, 1.0 / recordings[i]->step);
    }
    const double most = cutoff > 0.0 ? floor(rate / (rate_of_cutoff * cutoff)) : 1.0;
    const double wanted =
        fmin(ceil(n_sample / (double)TQ_RECORDING_SAMPLES - 0.01), fmin(most, 1000.0));
    if (!filter->has_decimate && wanted > 1.0) {
        filter->decimate = (size_t)wanted;
        filter->thins = true;
    }
}
