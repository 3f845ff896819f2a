/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/session/instruments.c - noise of accelerations, the bias that it causes in least
 * squares, and whether instruments replace them. */
#include <math.h>
#include <string.h>

#include "core/identify/session/session_private.h"
#include "core/signal/differentiate.h"

/* s between used samples of the fitted recording with the shortest step. */
static double step_of(const tq_identify *id)
{
    double step = (double)INFINITY;
    for (size_t i = 0; i < id->options.n_fitted; i++) {
        step = fmin(step, id->options.recordings[i].step * (double)id->options.filter.decimate);
    }
    return step;
}

/* s after which filtered noise is uncorrelated: two periods of the cut-off */
static double correlated(const tq_identify *id)
{
    const tq_recording_filter *filter = &id->options.filter;
    double step = 0.0;
    for (size_t i = 0; i < id->options.n_fitted; i++) {
        step = fmax(step, id->options.recordings[i].step);
    }
    return filter->kind == TQ_SMOOTHING_BUTTERWORTH      ? 2.0 / filter->cutoff
           : filter->kind == TQ_SMOOTHING_FIRST_ORDER    ? 12.0 * filter->tau_f
           : filter->kind == TQ_SMOOTHING_SAVITZKY_GOLAY ? (double)filter->window * step
                                                         : 4.0 * step; /* a second difference */
}

double tq_session_corner(const tq_identify *id)
{
    return 2.0 / correlated(id);
}

/* Lag of the instruments: filtered noise is uncorrelated after two periods of the cut-off, while
 * the motion must stay correlated: a tenth of its fastest period, but at least one period of the
 * cut-off. */
static double default_lag(const tq_identify *id)
{
    const double noise = correlated(id);
    double motion = 0.0;
    for (size_t i = 0; i < id->options.n_fitted; i++) {
        motion = fmax(motion, id->options.recordings[i].motion);
    }
    return motion > 0.0 ? fmax(0.5 * noise, fmin(noise, 0.1 / motion)) : noise;
}

/* in samples */
static double lag_of(const tq_identify *id)
{
    return round((id->now.lag > 0.0 ? id->now.lag : default_lag(id)) / step_of(id));
}

size_t tq_session_lag(const tq_identify *id)
{
    return (size_t)fmin(fmax(lag_of(id), 1.0), (double)TQ_FIT_LAG_MAX);
}

tq_status tq_session_choose_lag(tq_identify *id, tq_error *reterr)
{
    const double lag = lag_of(id);
    if (!(lag <= (double)TQ_FIT_LAG_MAX)) {
        return tq_fail(reterr, TQ_ERR_RANGE, "instruments", 0, lag);
    }
    id->now.lag_samples = lag > 1.0 ? (size_t)lag : 1;
    id->now.lag = (double)id->now.lag_samples * step_of(id);
    return TQ_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Noise of accelerations
 */

static size_t window_size(const tq_identify *id)
{
    const tq_recording_filter *filter = &id->options.filter;
    return filter->kind != TQ_SMOOTHING_SAVITZKY_GOLAY
               ? 0
               : 2 * tq_scratch_cost(2 * filter->window + 1, sizeof(double)) +
                     tq_smooth_scratch_size(filter->window);
}

tq_status tq_session_variance(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    tq_session_need(id, TQ_IDENTIFY_OF_STEP, window_size(id));
    id->now.state = TQ_SESSION_FIND_VARIANCE;
    return TQ_OK;
}

/* sum of the squared weights of the window: its response to an impulse */
static tq_status window_square(tq_identify *id, unsigned derivative, double h, double *ret,
                               tq_error *reterr)
{
    const tq_recording_filter *filter = &id->options.filter;
    tq_scratch *scratch = &id->memory[TQ_IDENTIFY_OF_STEP];
    const size_t n = 2 * filter->window + 1;
    const size_t mark = tq_scratch_mark(scratch);
    double *x = tq_scratch_take(scratch, n, sizeof *x);
    double *y = tq_scratch_take(scratch, n, sizeof *y);
    *ret = 0.0;
    if (x == NULL || y == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, (double)window_size(id));
    }
    memset(x, 0, n * sizeof *x);
    memset(y, 0, n * sizeof *y);
    x[filter->window] = 1.0;
    const tq_window window = {filter->window, filter->degree, derivative, h};
    /* without a fit of the window the pass does not filter */
    const bool smooths = tq_smooth(&window, n, x, y, scratch, NULL) == TQ_OK;
    for (size_t i = filter->window / 2; smooths && i < n - filter->window / 2; i++) {
        *ret += y[i] * y[i];
    }
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

/* variance of a recording's acceleration for a noise density of one, of a joint with this cut-off
 */
static tq_status gain_of(tq_identify *id, const tq_identify_recording *r, double cutoff,
                         double *ret, tq_error *reterr)
{
    const tq_recording_filter *filter = &id->options.filter;
    const double rate = 1.0 / r->step;
    tq_filter made;
    bool has_filter = false;
    unsigned n_pass = 1;
    if (filter->kind == TQ_SMOOTHING_SAVITZKY_GOLAY) {
        const tq_status status = window_square(id, r->n_difference, r->step, ret, reterr);
        *ret *= 0.5 * rate;
        return status;
    }
    if (filter->kind == TQ_SMOOTHING_BUTTERWORTH) {
        has_filter = tq_filter_butterworth(filter->order, cutoff, rate, &made, NULL) == TQ_OK;
    } else if (filter->kind == TQ_SMOOTHING_FIRST_ORDER) {
        has_filter = tq_filter_first_order(filter->tau_f, rate, &made, NULL) == TQ_OK;
        n_pass = r->n_difference > 1 ? 2 : 1; /* once for each derivative */
    }
    *ret = tq_noise_variance(1.0, rate, has_filter ? &made : NULL, n_pass, r->n_difference);
    return TQ_OK;
}

tq_status tq_session_find_variance(tq_identify *id, tq_error *reterr)
{
    const tq_recording_filter *filter = &id->options.filter;
    tq_status status = TQ_OK;
    for (size_t i = 0; status == TQ_OK && i < id->options.n_fitted; i++) {
        const tq_identify_recording *recording = &id->options.recordings[i];
        double gain = 0.0, last = -1.0;
        for (size_t r = 0; status == TQ_OK && r < id->nv; r++) {
            const double *floors = recording->floor;
            const double cutoff = filter->own != NULL ? filter->own[r] : filter->cutoff;
            if (cutoff != last) {
                status = gain_of(id, recording, cutoff, &gain, reterr);
                last = cutoff;
            }
            id->variance[i * id->nv + r] = floors != NULL ? floors[r] * gain : 0.0;
        }
    }
    if (window_size(id) > 0) {
        tq_session_need(id, TQ_IDENTIFY_OF_STEP, 0);
    }
    id->now.state = TQ_SESSION_THIN;
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * Bias
 */

tq_status tq_session_bias(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    id->now.bias_worst = 0.0;
    id->now.state = TQ_SESSION_INSTRUMENTS;
    if (id->validation.noise != NULL) {
        tq_session_need(id, TQ_IDENTIFY_OF_BIAS,
                        tq_scratch_cost(id->result.n_column + 1, sizeof(double)));
        tq_session_need(id, TQ_IDENTIFY_OF_STEP, tq_noise_bias_find_size(id->fit));
        id->now.state = TQ_SESSION_FIND_BIAS;
    }
    return TQ_OK;
}

void tq_session_show_bias(tq_identify *id)
{
    id->result.bias = id->bias;
    id->result.bias_worst = id->now.bias_worst;
    id->result.biased = id->now.biased;
}

tq_status tq_session_find_bias(tq_identify *id, tq_error *reterr)
{
    id->bias = tq_scratch_take(&id->memory[TQ_IDENTIFY_OF_BIAS], id->result.n_column + 1,
                               sizeof *id->bias);
    if (id->bias == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, 0.0);
    }
    memset(id->bias, 0, (id->result.n_column + 1) * sizeof *id->bias);
    const tq_status status = tq_noise_bias_find(id->validation.noise,
                                                &id->memory[TQ_IDENTIFY_OF_STEP], id->bias, reterr);
    if (status == TQ_OK) {
        id->now.bias_worst = tq_noise_bias_worst(&id->result.solution, id->bias, &id->now.biased);
    }
    id->now.has_bias = true;
    tq_session_show_bias(id);
    tq_session_need(id, TQ_IDENTIFY_OF_STEP, 0);
    id->now.state = TQ_SESSION_INSTRUMENTS;
    return status == TQ_ERR_SINGULAR ? TQ_OK : status;
}

static bool needs_instruments(const tq_identify *id)
{
    enum { LAGS = 8 }; /* samples: two are lost at the ends of a recording */
    const double lag = lag_of(id);
    /* noise of slow filters is correlated over any lag that the fast joints bear */
    bool is_long = lag <= (double)TQ_FIT_LAG_MAX && id->options.filter.own == NULL;
    for (size_t i = 0; i < id->options.n_fitted; i++) {
        is_long = is_long && (double)id->pushed[i] > (double)LAGS * fmax(lag, 1.0);
    }
    return id->options.chooses_method && is_long && id->now.has_bias &&
           id->result.solution.n_unidentified == 0 && id->now.bias_worst > TQ_NOISE_BIAS_MOST;
}

/* With twice the columns what a fit works in is four times as large: that of 24 joints was refused
 * as too large after least squares had succeeded. memory_max is that of the fit alone, half as much
 * again that of all. */
static bool has_room(const tq_identify *id)
{
    enum { TIMES = 4 };
    tq_fit_options options = tq_session_fit_options(id);
    options.method = TQ_FIT_FEASIBLE_IV;
    const size_t fit = tq_fit_size(id->mechanism, &options, id->options.n_fitted);
    const size_t works =
        tq_fit_solution_size(id->fit) + tq_fit_stream_size(id->fit) + tq_fit_solve_size(id->fit);
    return fit <= id->options.memory_max &&
           fit + TIMES * works <= id->options.memory_max + id->options.memory_max / 2;
}

/* Fits all recordings once more, with instruments instead of least squares; terms and delay do not
 * change. Where there is no room for them least squares is kept, and the verdict reports its bias.
 */
tq_status tq_session_instruments(tq_identify *id, tq_error *reterr)
{
    tq_session_now *now = &id->now;
    if (!needs_instruments(id) || !has_room(id)) {
        now->state = TQ_SESSION_COMPARE;
        return TQ_OK;
    }
    now->method = TQ_FIT_FEASIBLE_IV;
    now->took_instruments = true;
    now->in_part = now->is_sampled;
    now->after_build = TQ_SESSION_MEMORY;
    now->after_memory = TQ_SESSION_CONVERGE;
    now->after_converge = TQ_SESSION_READ_ALL;
    now->after_validate = TQ_SESSION_COMPARE;
    tq_session_foretell(id);
    now->state = TQ_SESSION_BUILD;
    return tq_session_choose_lag(id, reterr);
}
