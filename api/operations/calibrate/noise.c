/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/noise.c - noise of the logs' positions: what it does to least squares,
 * and whether instruments are worth their passes. */
#include <math.h>

#include "api/operations/calibrate/calibrate.h"
#include "api/operations/calibrate/parameter_names.h"
#include "core/signal/differentiate.h"

double tqa_calibration_step(const tqa_calibration *c)
{
    double step = (double)INFINITY;
    for (size_t i = 0; i < c->n_fitted; i++) {
        step = fmin(step, c->logs[i].signal.step * (double)c->request.options.filter.decimate);
    }
    return step;
}

/* Filtered noise forgets itself within two periods of the cut-off, and motion must not have changed
 * by then: a tenth of its fastest period; but one of the cut-off at least. */
static double lag_of(const tqa_calibration *c)
{
    const tq_recording_filter *filter = &c->request.options.filter;
    double motion = 0.0;
    double step = 0.0;
    for (size_t i = 0; i < c->n_fitted; i++) {
        motion = fmax(motion, c->logs[i].signal.bandwidth.motion);
        step = fmax(step, c->logs[i].signal.step);
    }
    double noise = 4.0 * step; /* two differences */
    if (filter->kind == TQ_SMOOTHING_BUTTERWORTH) {
        noise = 2.0 / filter->cutoff;
    } else if (filter->kind == TQ_SMOOTHING_FIRST_ORDER) {
        noise = 12.0 * filter->tau_f;
    } else if (filter->kind == TQ_SMOOTHING_SAVITZKY_GOLAY) {
        noise = (double)filter->window * step;
    }
    return motion > 0.0 ? fmax(0.5 * noise, fmin(noise, 0.1 / motion)) : noise;
}

double tqa_calibration_lag(const tqa_calibration *c)
{
    return round((c->lag_s > 0.0 ? c->lag_s : lag_of(c)) / tqa_calibration_step(c));
}

/* ------------------------------------------------------------------------------------------------
 * Noise of accelerations
 */

/* sum of the squared weights that a window makes a derivative with */
static bool window_square(const tqa_calibration *c, unsigned derivative, double h, double *ret)
{
    const tq_recording_filter *filter = &c->request.options.filter;
    const size_t n = 2 * filter->window + 1;
    tq_scratch scratch;
    double *x = tqa_tree_take(c->control, n, sizeof *x);
    double *y = tqa_tree_take(c->control, n, sizeof *y);
    *ret = 0.0;
    if (x == NULL || y == NULL ||
        !tqa_tree_scratch(c->control, tq_smooth_scratch_size(filter->window), &scratch)) {
        return false;
    }
    x[filter->window] = 1.0;
    const tq_window window = {filter->window, filter->degree, derivative, h};
    if (tq_smooth(&window, n, x, y, &scratch, NULL) != TQ_OK) {
        return true; /* such a window smooths nothing, see log_even.c */
    }
    for (size_t i = filter->window / 2; i < n - filter->window / 2; i++) {
        *ret += y[i] * y[i];
    }
    return true;
}

/* variance of a log's acceleration for a density of one */
static bool gain_of(const tqa_calibration *c, const tqa_recording *log, double *ret)
{
    const tq_recording_filter *filter = &c->request.options.filter;
    const double rate = 1.0 / log->signal.step;
    tq_filter made;
    bool has_filter = false;
    unsigned n_pass = 1;
    if (filter->kind == TQ_SMOOTHING_SAVITZKY_GOLAY) {
        const bool good = window_square(c, log->signal.n_difference, log->signal.step, ret);
        *ret *= 0.5 * rate;
        return good;
    }
    if (filter->kind == TQ_SMOOTHING_BUTTERWORTH) {
        has_filter =
            tq_filter_butterworth(filter->order, filter->cutoff, rate, &made, NULL) == TQ_OK;
    } else if (filter->kind == TQ_SMOOTHING_FIRST_ORDER) {
        has_filter = tq_filter_first_order(filter->tau_f, rate, &made, NULL) == TQ_OK;
        n_pass = log->signal.n_difference > 1 ? 2 : 1; /* once for each derivative */
    }
    *ret =
        tq_noise_variance(1.0, rate, has_filter ? &made : NULL, n_pass, log->signal.n_difference);
    return true;
}

bool tqa_calibration_find_noise(tqa_calibration *c)
{
    const size_t nv = c->order.nv;
    c->variance = tqa_tree_take(c->control, c->n_fitted * nv + 1, sizeof *c->variance);
    for (size_t i = 0; c->variance != NULL && i < c->n_fitted; i++) {
        double gain = 0.0;
        if (!gain_of(c, &c->logs[i], &gain)) {
            return false;
        }
        for (size_t r = 0; r < nv; r++) {
            const double *floors = c->logs[i].signal.floor;
            c->variance[i * nv + r] = floors != NULL ? floors[r] * gain : 0.0;
        }
    }
    return c->variance != NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Bias
 */

bool tqa_calibration_find_bias(tqa_calibration *c)
{
    tq_error error = {0};
    c->bias_worst = 0.0;
    if (c->noise == NULL) {
        return true;
    }
    c->bias = tqa_tree_take(c->control, c->n_column + 1, sizeof *c->bias);
    tq_scratch scratch = {0};
    if (c->bias == NULL || !tqa_calibration_take(c, tq_noise_bias_find_size(c->fit), &scratch)) {
        return false;
    }
    const tq_status status = tq_noise_bias_find(c->noise, &scratch, c->bias, &error);
    if (status != TQ_OK && status != TQ_ERR_SINGULAR) {
        return tqa_calibration_fail(c, status, &error);
    }
    if (status == TQ_OK) {
        c->bias_worst = tq_noise_bias_worst(&c->solution, c->bias, &c->biased);
    }
    return true;
}

bool tqa_calibration_needs_instruments(const tqa_calibration *c)
{
    enum { LAGS = 8 }; /* of a log: two are lost */
    const double lag = tqa_calibration_lag(c);
    bool is_long = lag <= (double)TQ_FIT_LAG_MAX;
    for (size_t i = 0; i < c->n_fitted; i++) {
        is_long = is_long && (double)c->logs[i].signal.n_sample > (double)LAGS * fmax(lag, 1.0);
    }
    return c->chooses_method && is_long && c->noise != NULL && c->solution.n_unidentified == 0 &&
           c->bias_worst > TQ_NOISE_BIAS_MOST;
}

void tqa_calibration_tell_total(tqa_calibration *c)
{
    static const double told = 3.0;      /* deviations */
    static const double rounding = 1e-4; /* of a value: data without noise have no deviations */
    double worst = 0.0;
    size_t at = 0;
    for (size_t k = 0; c->options.method == TQ_FIT_TLS && c->bias != NULL && k < c->n_column; k++) {
        const tq_estimate *e = &c->solution.estimate[k];
        const double deviation = fmax(e->deviation, rounding * fabs(e->unbound));
        const double off = fabs(e->value - (e->unbound - c->bias[k])) / deviation;
        if (isfinite(off) && e->grade != TQ_GRADE_UNIDENTIFIED && off > worst) {
            worst = off;
            at = k;
        }
    }
    if (worst > told) {
        tq_verdict_tell(&c->verdict, TQ_VERDICT_ROBUST_CONTROL_ONLY,
                        (tq_reason){TQ_REASON_TOTAL, at, worst});
    }
}

void tqa_calibration_put_noise(const tqa_calibration *c)
{
    tqa_writer *answer = &c->control->answer;
    const size_t nv = c->order.nv;
    tqa_writer_object(answer, "noise");
    tqa_writer_list(answer, "acceleration");
    for (size_t r = 0; r < nv; r++) {
        double sum = 0.0;
        for (size_t i = 0; i < c->n_fitted; i++) {
            sum += c->variance[i * nv + c->order.v[r]] / (double)c->n_fitted;
        }
        tqa_writer_number(answer, NULL, sqrt(sum));
    }
    tqa_writer_end(answer);
    tqa_writer_flag(answer, "chose_instruments", c->has_chosen);
    if (c->bias == NULL) {
        tqa_writer_none(answer, "least_squares_bias", "by instruments from the start");
    } else if (!(c->bias_worst > 0.0)) {
        tqa_writer_none(answer, "least_squares_bias", "no noise is seen");
    } else {
        char name[TQA_SYMBOL_MAX];
        tqa_column_name(c->control->robot->model, &c->columns[c->biased], name);
        tqa_writer_object(answer, "least_squares_bias");
        tqa_writer_string(answer, "name", name);
        tqa_writer_number(answer, "expected", c->bias[c->biased]);
        tqa_writer_number(answer, "deviations", c->bias_worst);
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
}
