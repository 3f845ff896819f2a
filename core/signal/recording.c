/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/recording.c - repairs, borders and the cached part of a recording. */
#include "core/signal/recording.h"

#include <math.h>

/* rad/s, m/s: velocity noise below this does not change the state of friction */
static const double quiet = 5e-3;

/* of the cut-off that the spectra choose: friction reversals are not seen any better beyond */
static const double rates_most = 4.0;

tq_status tq_recording_refuse(tq_recording_fault *ret, tq_recording_fault_kind kind, uint32_t joint,
                              double value, double other)
{
    *ret = (tq_recording_fault){.kind = kind, .joint = joint, .value = value, .other = other};
    return TQ_ERR_RANGE;
}

tq_repair tq_repair_of_row(unsigned char state)
{
    return state == TQ_ROW_SATURATED  ? TQ_REPAIR_SATURATED
           : state == TQ_ROW_NOT_UNIT ? TQ_REPAIR_NOT_UNIT
           : state == TQ_ROW_ABSURD   ? TQ_REPAIR_ABSURD
                                      : TQ_REPAIR_NOT_FINITE;
}

void tq_recording_note(tq_recording *recording, tq_repair repair, uint64_t row)
{
    tq_repair_count *count = &recording->repairs[repair];
    if (count->n < TQ_REPAIR_ROWS) {
        count->rows[count->n] = row;
    }
    count->n++;
}

size_t tq_recording_border(const tq_recording *recording)
{
    const tq_recording_filter *filter = &recording->options->filter;
    double n = 0.0;
    switch (filter->kind) {
    case TQ_SMOOTHING_BUTTERWORTH:
        n = 1.0 / (filter->cutoff * recording->step);
        break;
    case TQ_SMOOTHING_FIRST_ORDER:
        n = 2.0 * M_PI * filter->tau_f / recording->step;
        break;
    case TQ_SMOOTHING_SAVITZKY_GOLAY:
        n = floor(0.5 * (double)filter->window);
        break;
    case TQ_SMOOTHING_NONE:
        break;
    }
    /* upwards, but not for what rounding of a recording's times adds to a whole number */
    const double delay = ceil(fabs(recording->options->delay) / recording->step);
    return (size_t)fmin(ceil(n - 0.01) + delay, 1e15);
}

double tq_recording_rate_cutoff(const tq_recording *recording)
{
    const tq_recording_options *options = recording->options;
    const double rate = 1.0 / recording->step;
    const double own = options->filter.kind == TQ_SMOOTHING_BUTTERWORTH ? options->filter.cutoff
                                                                        : options->half_gain;
    const double chosen = tq_cutoff_choose(&recording->bandwidth, rate).cutoff;
    const double cutoff = fmin(rates_most * fmax(own, chosen), recording->rate_band);
    return !(cutoff > own) ? 0.0 : cutoff < 0.4 * rate ? cutoff : (double)INFINITY;
}

bool tq_recording_is_sampled(const tq_recording *recording)
{
    const tq_row_cache *cache = &recording->cache;
    const double run = (double)cache->run * recording->period / recording->step;
    /* half of a run must remain between its borders */
    return cache->n > 0 && cache->every > 1 && 4.0 * (double)tq_recording_border(recording) <= run;
}

bool tq_recording_has_own(const tq_recording *recording)
{
    const tq_recording_options *options = recording->options;
    return options->filter.kind == TQ_SMOOTHING_BUTTERWORTH && options->filter.own != NULL &&
           !(options->searches && tq_recording_is_sampled(recording));
}

bool tq_recording_search_less(tq_recording *recording)
{
    return tq_recording_is_sampled(recording) && tq_row_cache_halve(&recording->cache);
}

bool tq_recording_is_cached(const tq_recording *recording)
{
    const tq_row_cache *cache = &recording->cache;
    const bool is_whole = cache->n > 0 && cache->every == 1;
    return recording->has_survey &&
           (is_whole || (recording->options->searches && tq_recording_is_sampled(recording)));
}

bool tq_recording_gives_displacement(const tq_recording *recording)
{
    return recording->channels.has[TQ_QUANTITY_QD] && recording->channels.has[TQ_QUANTITY_TAU] &&
           recording->velocity_noise <= quiet;
}
