/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/refusals.c - problems of logs that cannot be fitted as requested. */
#include <string.h>

#include "api/operations/calibrate/calibrate.h"
#include "api/recordings/parts.h"

bool tqa_calibration_has_instruments(const tqa_calibration *c)
{
    return c->session != NULL && tq_identify_has_instruments(c->session);
}

static bool refuse_lag(const tqa_calibration *c, double lag)
{
    const tqa_value root = tqa_value_root(c->control);
    const tqa_value part = tqa_value_field(&root, c->options.lag > 0.0 ? "lag_s" : "filter");
    return tqa_value_refuse(&part, "range", "decimate, or say a shorter \"lag_s\"",
                            "instruments of %.0f samples before and after: at most %d", lag,
                            TQ_FIT_LAG_MAX);
}

bool tqa_calibration_fail(const tqa_calibration *c, tq_status status, const tq_error *error)
{
    const bool has_place = error->what != NULL;
    if (status == TQ_ERR_RANGE && has_place && strcmp(error->what, "instruments") == 0) {
        return refuse_lag(c, error->value);
    }
    if (status != TQ_ERR_SHAPE || !has_place || strcmp(error->what, "n_sample") != 0) {
        return tqa_tree_fail(c->control, "", status, error);
    }
    const tqa_value root = tqa_value_root(c->control);
    const tqa_value datasets = tqa_value_field(&root, "datasets");
    return tqa_value_refuse(
        &datasets, "wrong-length",
        tqa_calibration_has_instruments(c) ? "record longer, or choose a shorter \"lag_s\""
                                           : "record longer, or choose a model of fewer terms",
        "%.0f samples of %zu joints cannot determine %zu parameters%s", error->value, c->order.nv,
        tq_identify_found(c->session)->n_column,
        tqa_calibration_has_instruments(c) ? ", with as many beside them as instruments need" : "");
}

/* Ranges of rows or short segments may have left nothing. */
static bool has_samples(const tqa_recording *log)
{
    if (log->signal.n_sample == 0 && 2 * log->signal.n_braked > log->signal.n_chosen) {
        return tqa_value_refuse(
            &log->part, "invalid-value",
            "leave the log out, or record it while the motors hold the arm",
            "nothing is left of the %llu rows of \"%.60s\": %llu are without "
            "torque, at rest where gravity pulls: brakes hold, or drives are off",
            (unsigned long long)log->signal.n_chosen, log->name,
            (unsigned long long)log->signal.n_braked);
    }
    static const struct {
        const char *field, *hint;
    } of[] = {
        [TQ_SMOOTHING_BUTTERWORTH] = {"cutoff_hz",
                                      "record longer, or raise \"filter\": {\"cutoff_hz\": ...}"},
        [TQ_SMOOTHING_SAVITZKY_GOLAY] = {"window",
                                         "record longer, or shorten \"filter\": {\"window\": ...}"},
        [TQ_SMOOTHING_FIRST_ORDER] = {"tau_f_s",
                                      "record longer, or shorten \"filter\": {\"tau_f_s\": ...}"},
        [TQ_SMOOTHING_NONE] = {"kind", "record longer"},
    };
    const tq_recording_filter *filter = &log->request->options.filter;
    /* so few samples lower the automatic cut-off: its filter needs longer stretches */
    const bool is_thinned = filter->is_auto && filter->has_decimate && filter->decimate > 1;
    const bool is_filters = log->n_window == 0 && log->signal.n_border > log->signal.n_chosen / 2;
    const char *field = is_thinned ? "decimate" : of[filter->kind].field;
    const tqa_value where = is_filters ? tqa_recording_place(log, "filter", field) : log->part;
    return log->signal.n_sample > 0 ||
           tqa_value_refuse(&where, "wrong-length",
                            is_thinned ? "keep more of the samples, or say \"cutoff_hz\" as well"
                                       : of[filter->kind].hint,
                            "nothing is left of the %llu rows of \"%.60s\": %llu samples are at "
                            "rest, %llu too near to the ends of a stretch for the filter",
                            (unsigned long long)log->signal.n_chosen, log->name,
                            (unsigned long long)log->signal.n_rest,
                            (unsigned long long)log->signal.n_border);
}

/* Instruments lie before and after a sample: a log within two lags has no sample for the fit. */
static bool reaches_lags(const tqa_calibration *c, const tqa_recording *log)
{
    const size_t lag = tq_identify_chosen(c->session).lag_samples;
    return !tqa_calibration_has_instruments(c) || log->signal.n_sample > 2 * lag ||
           tqa_value_refuse(
               &log->part, "wrong-length", "record longer, or choose a shorter \"lag_s\"",
               "\"%.60s\" has %llu samples: instruments %zu before and after leave none", log->name,
               (unsigned long long)log->signal.n_sample, lag);
}

bool tqa_calibration_check_samples(const tqa_calibration *c, tq_identify_pass pass, size_t i)
{
    return (pass != TQ_IDENTIFY_PASS_FIT && pass != TQ_IDENTIFY_PASS_VALIDATE) ||
           (has_samples(&c->logs[i]) &&
            (pass != TQ_IDENTIFY_PASS_FIT || reaches_lags(c, &c->logs[i])));
}

static bool refuse_memory(const tqa_calibration *c)
{
    const tqa_value root = tqa_value_root(c->control);
    const tqa_value datasets = tqa_value_field(&root, "datasets");
    if (c->n_fitted == 1) {
        return tqa_value_refuse(
            &datasets, "too-large",
            "choose a \"model\" of fewer terms, or a method without instruments; "
            "or fix joints that the log does not move",
            "a fit of %zu joints takes more memory than one request may", c->order.nv);
    }
    return tqa_value_refuse(&datasets, "too-large",
                            tqa_calibration_has_instruments(c)
                                ? "name fewer, or join them into fewer datasets; methods without "
                                  "instruments take a quarter of the memory"
                                : "name fewer, or join them into fewer datasets",
                            "%zu logs of %zu joints take more memory than one request may",
                            c->n_fitted, c->order.nv);
}

bool tqa_calibration_take(tqa_calibration *c, size_t size, tq_scratch *inout)
{
    tqa_tree_give_scratch(c->control, inout);
    *inout = (tq_scratch){0};
    return size == 0 || tqa_tree_scratch(c->control, size, inout) ||
           (!tqa_arena_short(c->control->arena) && refuse_memory(c));
}
