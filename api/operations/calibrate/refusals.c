/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/refusals.c - problems of logs that cannot be fitted as requested. */
#include <string.h>

#include "api/operations/calibrate/calibrate.h"
#include "api/recordings/logs.h"

bool tqa_calibration_has_instruments(const tqa_calibration *c)
{
    return c->session != NULL && !c->options.is_output && tq_identify_has_instruments(c->session);
}

static bool refuse_lag(const tqa_calibration *c, double lag)
{
    const tqa_value root = tqa_value_root(c->tree);
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
    if (status == TQ_ERR_NO_CONVERGENCE && has_place && strcmp(error->what, "output-error") == 0) {
        const tqa_value whole = tqa_value_root(c->tree);
        const tqa_value method = tqa_value_field(&whole, "method");
        return tqa_value_refuse(&method, "no-convergence", "leave it out, or say \"feasible-iv\"",
                                "output error has no result: %s",
                                tqa_compared_fault((tq_compared_fault)error->index));
    }
    if (status == TQ_ERR_NO_CONVERGENCE && has_place && strcmp(error->what, "gain") == 0) {
        return tqa_calibration_refuse_gain(c);
    }
    if (status == TQ_ERR_NO_CONVERGENCE && has_place && strcmp(error->what, "scale") == 0) {
        const tqa_value whole = tqa_value_root(c->tree);
        const tqa_value part = tqa_value_field(&whole, "controller");
        return tqa_value_refuse(&part, "no-convergence", "state one gain as a number",
                                "the torque found is not at all like that of the robot's masses: "
                                "they set no scale");
    }
    if (status == TQ_ERR_NO_CONVERGENCE && c->options.fit.n_bound > 0) {
        const tqa_value whole = tqa_value_root(c->tree);
        const tqa_value bounds = tqa_value_field(&whole, "bounds");
        return tqa_value_refuse(&bounds, "no-convergence",
                                "widen them: compare the masses and centres of a fit without",
                                "no fit within the bounds was found: they are too far from what "
                                "the logs show");
    }
    if (status != TQ_ERR_SHAPE || !has_place || strcmp(error->what, "n_sample") != 0) {
        return tqa_tree_fail(c->tree, "", status, error);
    }
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value datasets = tqa_value_field(&root, "datasets");
    return tqa_value_refuse(
        &datasets, "wrong-length",
        tqa_calibration_has_instruments(c) ? "record longer, or choose a shorter \"lag_s\""
                                           : "record longer, or choose a model of fewer terms",
        "%.0f samples of %zu joints cannot determine %zu parameters%s", error->value, c->order.nv,
        tq_identify_found(c->session)->n_column,
        tqa_calibration_has_instruments(c) ? ", with as many beside them as instruments need" : "");
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
           (tqa_recording_has_samples(&c->logs[i]) &&
            (pass != TQ_IDENTIFY_PASS_FIT || reaches_lags(c, &c->logs[i])));
}

static bool refuse_memory(const tqa_calibration *c)
{
    const tqa_value root = tqa_value_root(c->tree);
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
    tqa_tree_give_scratch(c->tree, inout);
    *inout = (tq_scratch){0};
    return size == 0 || tqa_tree_scratch(c->tree, size, inout) ||
           (!tqa_arena_short(c->tree->arena) && refuse_memory(c));
}
