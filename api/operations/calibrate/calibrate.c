/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/calibrate.c - POST .../calibrate: logs in, parameters with their trust
 * out. */
#include "api/operations/calibrate/calibrate.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/call/call.h"
#include "api/recordings/parts.h"
#include "core/identify/validation/student.h"

static const char *const fields[] = {
    "datasets",     "columns",      "units",      "scale",  "rate_hz", "rows",
    "filter",       "joints",       "model",      "method", "prior",   "ridge",
    "confidence",   "prior_weight", "validate",   "points", "lag_s",   "delay_s",
    "column_noise", "bootstrap",    "covariance", NULL};

enum {
    SAMPLES_A_COLUMN = 20,   /* of a search, at least */
    SAMPLES_ENOUGH = 90,     /* more tell a law no better */
    SAMPLES_SEARCHED = 7500, /* in the least: 10 s of motion and more */
};

static double cost_us(const tqa_tree *control)
{
    (void)control;
    return 1e6; /* never on a connection's thread */
}

bool tqa_calibration_fail(const tqa_calibration *c, tq_status status, const tq_error *error)
{
    if (status != TQ_ERR_SHAPE || strcmp(error->what, "n_sample") != 0) {
        return tqa_tree_fail(c->control, "", status, error);
    }
    const tqa_value root = tqa_value_root(c->control);
    const tqa_value datasets = tqa_value_field(&root, "datasets");
    return tqa_value_refuse(
        &datasets, "wrong-length",
        tqa_calibration_has_instruments(c) ? "record longer, or choose a shorter \"lag_s\""
                                           : "record longer, or choose a model of fewer terms",
        "%.0f samples of %zu joints cannot tell %zu parameters%s", error->value, c->order.nv,
        c->n_column,
        tqa_calibration_has_instruments(c) ? ", with as many beside them as instruments need" : "");
}

/* ------------------------------------------------------------------------------------------------
 * Reading
 */

/* How many samples a log will give, about: bootstrap's segments go by it. */
size_t tqa_calibration_expected(const tqa_calibration *c, const tqa_recording *log)
{
    double rows = (double)log->signal.n_chosen;
    if (c->request.options.searches && tq_recording_is_sampled(&log->signal)) {
        rows = (double)log->signal.cache.n;
    } else if (log->signal.moves && log->n_window == 0) {
        rows = (double)(log->signal.last_moving - log->signal.first_moving) + 1.0;
    }
    return (size_t)(rows * log->signal.period / log->signal.step /
                    (double)c->request.options.filter.decimate) +
           1;
}

/* Only what is fitted shares the memory for rows, and chooses filter, decimation and lag: logs for
 * validation must not move the fit. */
static bool survey(tqa_calibration *c)
{
    for (size_t i = 0; i < c->n_log; i++) {
        c->request.options.n_cached = i < c->n_fitted ? c->n_fitted : 0;
        if (!tqa_calibration_tell(c, TQA_STAGE_READ, (double)i, c->n_log, "look at the logs") ||
            !tqa_recording_inspect(&c->logs[i])) {
            return false;
        }
    }
    if (!tqa_recording_find_braked(&c->request, c->logs, c->n_fitted, c->n_log)) {
        return false;
    }
    tqa_recording_choose_cutoff(&c->request, c->logs, c->n_fitted, c->n_log);
    double n_sample = 0.0;
    for (size_t i = 0; i < c->n_fitted; i++) {
        n_sample += (double)tqa_calibration_expected(c, &c->logs[i]);
    }
    tqa_recording_choose_decimation(&c->request, c->logs, c->n_fitted, n_sample);
    return true;
}

typedef struct reader {
    tqa_calibration *c;
    tq_fit_stream *stream;
    size_t log, n_block;
    double expected; /* samples of this log */
} reader;

static bool fit_block(void *ctx, const tqa_recording_block *block)
{
    reader *r = ctx;
    tq_error error = {0};
    const tq_status status = tq_fit_push(r->stream, &block->data, &error);
    if (status != TQ_OK) {
        return tqa_calibration_fail(r->c, status, &error);
    }
    return tqa_calibration_tell_within(r->c, TQA_STAGE_FIT, r->log, ++r->n_block, r->expected);
}

/* Ranges of rows or short segments may have left nothing. */
bool tqa_calibration_has_samples(const tqa_recording *log)
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
    return !tqa_calibration_has_instruments(c) || log->signal.n_sample > 2 * c->options.lag ||
           tqa_value_refuse(
               &log->part, "wrong-length", "record longer, or choose a shorter \"lag_s\"",
               "\"%.60s\" has %llu samples: instruments %zu before and after leave none", log->name,
               (unsigned long long)log->signal.n_sample, c->options.lag);
}

static bool read_into_fit(tqa_calibration *c, tq_scratch *scratch)
{
    for (size_t i = 0; i < c->n_fitted; i++) {
        reader r = {.c = c, .log = i, .expected = (double)tqa_calibration_expected(c, &c->logs[i])};
        tq_error error = {0};
        const size_t mark = tq_scratch_mark(scratch);
        if (!tqa_calibration_tell(c, TQA_STAGE_FIT, (double)i, c->n_fitted, "fit")) {
            return false;
        }
        tq_status status = tq_fit_begin(c->fit, i, tqa_calibration_expected(c, &c->logs[i]),
                                        scratch, &r.stream, &error);
        if (status != TQ_OK) {
            return tqa_calibration_fail(c, status, &error);
        }
        c->request.fit = c->fit;
        const bool good = tqa_recording_pass(&c->logs[i], fit_block, &r);
        c->request.fit = NULL;
        if (!good) {
            return false;
        }
        status = tq_fit_end(r.stream, &error);
        if (status != TQ_OK) {
            return tqa_calibration_fail(c, status, &error);
        }
        tq_scratch_rewind(scratch, mark);
        if (!c->request.options.searches &&
            (!tqa_calibration_has_samples(&c->logs[i]) || !reaches_lags(c, &c->logs[i]))) {
            return false;
        }
    }
    return true;
}

static bool list_parameters(tqa_calibration *c)
{
    const tq_model *model = c->control->robot->model;
    c->columns = tq_fit_columns(c->fit, &c->n_column);
    c->base = tq_fit_base(c->fit);
    const unsigned with = c->options.model.with;
    tq_parameter *list =
        tqa_tree_take(c->control, tq_parameter_count(model, with) + 1, sizeof *list);
    if (list == NULL) {
        return false;
    }
    tq_parameter_list(model, with, list);
    c->list = list;
    return true;
}

bool tqa_calibration_has_instruments(const tqa_calibration *c)
{
    return c->options.method == TQ_FIT_IV || c->options.method == TQ_FIT_FEASIBLE_IV;
}

/* in samples of the log that has the most in a second */
static bool choose_lag(tqa_calibration *c)
{
    const double lag = tqa_calibration_lag(c);
    if (!(lag <= (double)TQ_FIT_LAG_MAX)) {
        const tqa_value root = tqa_value_root(c->control);
        const tqa_value part = tqa_value_field(&root, c->lag_s > 0.0 ? "lag_s" : "filter");
        return tqa_value_refuse(&part, "range", "decimate, or say a shorter \"lag_s\"",
                                "instruments of %.0f samples before and after: at most %d", lag,
                                TQ_FIT_LAG_MAX);
    }
    c->options.lag = lag > 1.0 ? (size_t)lag : 1;
    c->lag_s = (double)c->options.lag * tqa_calibration_step(c);
    return true;
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

/* Memory that the fit before has left goes to this one. */
bool tqa_calibration_take(tqa_calibration *c, size_t size, tq_scratch *inout)
{
    tqa_tree_give_scratch(c->control, inout);
    return tqa_tree_scratch(c->control, size, inout) ||
           (!tqa_arena_short(c->control->arena) && refuse_memory(c));
}

static bool build_for(tqa_calibration *c, size_t n, size_t size)
{
    tq_error error = {0};
    c->fit = NULL;
    if (!tqa_calibration_take(c, size, &c->of_fit)) {
        return false;
    }
    const tq_status status =
        tq_fit_build(c->control->robot->mechanism, &c->options, n, &c->of_fit, &c->fit, &error);
    return status == TQ_OK || tqa_calibration_fail(c, status, &error);
}

static bool build(tqa_calibration *c)
{
    enum { FEW = 8 }; /* logs: of more, what might be needed is much beyond what is */
    const tq_mechanism *mechanism = c->control->robot->mechanism;
    const size_t n = c->n_fitted;
    if (n > FEW && !build_for(c, 1, tq_fit_size(mechanism, &c->options, 1))) {
        return false;
    }
    const size_t size =
        n > FEW ? tq_fit_size_like(c->fit, n) : tq_fit_size(mechanism, &c->options, n);
    return build_for(c, n, size) && list_parameters(c);
}

/* Friction by load that nobody asked for must be told from the other terms, on some joint at least
 * by its interval, and as what it is: no gear drags by more than it carries. */
static bool tells_load(const tqa_calibration *c)
{
    const double t = tq_student_quantile(c->options.confidence, c->solution.freedom);
    bool is_there = false;
    for (size_t k = 0; k < c->n_column; k++) {
        if (c->columns[k].kind == TQ_COLUMN_LOAD) {
            if (c->solution.estimate[k].grade == TQ_GRADE_UNIDENTIFIED) {
                return false;
            }
            const tq_estimate *e = &c->solution.estimate[k];
            is_there = is_there || (e->value > t * e->deviation && e->value < 1.0);
        }
    }
    return is_there;
}

static bool is_sampled(const tqa_calibration *c)
{
    bool any = false;
    for (size_t i = 0; i < c->n_fitted; i++) {
        any = any || tq_recording_is_sampled(&c->logs[i].signal);
    }
    return any;
}

/* Memory of passes, for as long as the calibration lives. */
static bool take_memory(tqa_calibration *c)
{
    return tqa_calibration_take(c, tq_fit_solution_size(c->fit), &c->memory) &&
           tqa_calibration_take(c, tq_fit_stream_size(c->fit), &c->stream) &&
           tqa_calibration_take(c, tq_fit_solve_size(c->fit), &c->scratch);
}

static bool has_too_few(const tqa_calibration *c)
{
    uint64_t n = 0;
    for (size_t i = 0; i < c->n_fitted; i++) {
        n += c->logs[i].signal.n_sample;
    }
    return n < SAMPLES_A_COLUMN * c->n_column;
}

static bool read_enough(tqa_calibration *c)
{
    if (!read_into_fit(c, &c->stream)) {
        return false;
    }
    if (!c->request.options.searches || !has_too_few(c)) {
        return true;
    }
    c->request.options.searches = c->is_sampled = false; /* the arm moved where no rows were kept */
    return read_into_fit(c, &c->stream);
}

bool tqa_calibration_pass(tqa_calibration *c)
{
    tq_error error = {0};
    tq_scratch_rewind(&c->memory, 0);
    if (!read_enough(c)) {
        return false;
    }
    c->n_pass++;
    const tq_status status = tq_fit_solve(c->fit, &c->memory, &c->scratch, &c->solution, &error);
    return status == TQ_OK || tqa_calibration_fail(c, status, &error);
}

/* columns depend on something that only passes tell */
static bool has_search(const tqa_calibration *c)
{
    return c->tries_sign || c->options.model.extra != 0 || c->options.method == TQ_FIT_IRLS;
}

/* Passes that only look for what columns depend on, then one that tells how far to trust the
 * result; unless nobody asks, since everything is read after it. */
static bool settle(tqa_calibration *c)
{
    const bool searches = has_search(c);
    tq_fit_set_search(c->fit, searches);
    bool good = c->tries_sign ? tqa_calibration_choose_sign(c) : tqa_calibration_pass(c);
    c->tries_sign = false;
    while (good && c->solution.again) {
        good = tqa_calibration_pass(c);
    }
    tq_fit_set_search(c->fit, false);
    tq_fit_freeze(c->fit);
    const bool asks = c->tries_load || c->chooses_method || !c->is_sampled;
    return good && (!searches || !asks || tqa_calibration_pass(c));
}

/* after a search in a part */
static bool read_everything(tqa_calibration *c)
{
    c->request.options.searches = false;
    c->is_last = c->is_sampled;
    tq_fit_freeze(c->fit);
    return !c->is_sampled || tqa_calibration_pass(c);
}

/* A dozen passes over twice as many samples as are enough would look for the same. */
static void search_less(tqa_calibration *c)
{
    const size_t by_column = SAMPLES_ENOUGH * c->n_column;
    const size_t enough = by_column > SAMPLES_SEARCHED ? by_column : (size_t)SAMPLES_SEARCHED;
    bool less = true;
    c->request.options.searches = true;
    while (less) {
        size_t n = 0;
        for (size_t i = 0; i < c->n_fitted; i++) {
            n += tqa_calibration_expected(c, &c->logs[i]);
        }
        less = false;
        for (size_t i = 0; n >= 2 * enough && i < c->n_fitted; i++) {
            less = tq_recording_search_less(&c->logs[i].signal) || less;
        }
    }
}

/* What columns depend on is looked for in the part of long logs that is in memory; then everything
 * is read, once. */
static bool solve(tqa_calibration *c)
{
    c->finds_delay = c->tries_delay && !tqa_calibration_has_instruments(c);
    c->is_sampled = is_sampled(c);
    if (c->is_sampled) {
        search_less(c);
    }
    c->request.options.searches = c->is_sampled;
    tqa_calibration_plan(c);
    if ((c->finds_delay && !tqa_calibration_find_delay(c)) || !take_memory(c) ||
        !tqa_calibration_confirm_delay(c) || !settle(c)) {
        return false;
    }
    if (c->tries_load && !tells_load(c)) {
        c->tries_load = false;
        c->options.model.extra &= ~(unsigned)TQ_FIT_LOAD;
        if (!build(c) || !take_memory(c) || !settle(c)) {
            return false;
        }
    }
    c->tries_load = false;
    return tqa_calibration_foresee(c) && read_everything(c);
}

/* ------------------------------------------------------------------------------------------------
 * Verdict
 */

static bool decide(tqa_calibration *c)
{
    tq_scratch scratch = {0};
    tq_error error = {0};
    if (!tqa_calibration_tell(c, TQA_STAGE_REPORT, 0.0, 2, "verdict") ||
        !tqa_calibration_take(c, tq_verdict_size(c->fit), &scratch)) {
        return false;
    }
    const tq_residuals *judge = c->validation == TQA_VALIDATE_NOT ? &c->fitted : &c->validated;
    const tq_status status =
        tq_verdict_compute(c->fit, &c->solution, judge, &scratch, &c->verdict, &error);
    if (status != TQ_OK) {
        return tqa_calibration_fail(c, status, &error);
    }
    if (c->noise != NULL && c->bias_worst > TQ_NOISE_BIAS_MOST) {
        tq_verdict_tell(&c->verdict, TQ_VERDICT_USABLE,
                        (tq_reason){TQ_REASON_DRAWN, c->biased, c->bias_worst});
    }
    tqa_calibration_tell_total(c);
    bool unseen = false;
    tq_static_check_tell(tqa_calibration_stand(c, &unseen), &c->verdict);
    for (size_t r = 0; r < c->order.nv; r++) { /* advice, whatever the verdict */
        const double drift = tqa_calibration_drift(&c->all_replayed.joints[r]);
        if (drift > 1.0) {
            tq_verdict_tell(&c->verdict, TQ_VERDICT_USABLE,
                            (tq_reason){TQ_REASON_FORWARD, r, drift});
        }
    }
    return true;
}

static bool check(tqa_tree *control)
{
    tqa_calibration *c = tqa_tree_take(control, 1, sizeof *c);
    if (c == NULL) {
        return false;
    }
    c->control = control;
    control->state = c;
    return tqa_calibration_read(c);
}

/* Reads and judges all logs once more, by instruments instead of least squares. Terms and delay
 * stay what they are. */
static bool take_instruments(tqa_calibration *c)
{
    tq_fit_options options = c->options;
    options.method = TQ_FIT_FEASIBLE_IV;
    /* twice the columns, four times the memory: of so many logs the first fit stays, and its
     * reasons tell what noise does */
    if (!tqa_calibration_needs_instruments(c) ||
        tq_fit_size(c->control->robot->mechanism, &options, c->n_fitted) >
            TQA_TREE_MEMORY_MAX / 2) {
        return true;
    }
    c->options.method = TQ_FIT_FEASIBLE_IV;
    c->has_chosen = true;
    c->request.options.searches = c->is_sampled;
    tqa_calibration_plan(c);
    if (!choose_lag(c) || !build(c) || !take_memory(c) || !settle(c)) {
        return false;
    }
    return read_everything(c) && tqa_calibration_validate(c);
}

static bool calibrate(tqa_tree *control)
{
    tqa_calibration *c = control->state;
    c->request.memory = &c->pass_memory;
    const bool good = survey(c) && (!tqa_calibration_has_instruments(c) || choose_lag(c)) &&
                      build(c) && tqa_calibration_find_noise(c) && solve(c) &&
                      tqa_calibration_validate(c) && tqa_calibration_find_bias(c) &&
                      take_instruments(c) && decide(c) && tqa_calibration_robot(c) &&
                      tqa_calibration_attach(c);
    if (good) {
        tqa_calibration_answer(c);
    }
    tqa_pass_memory_free(&c->pass_memory);
    free(c->document);
    free(c->urdf);
    c->document = c->urdf = NULL;
    return good && control->problem->status == 0;
}

static const char *const sources[] = {"datasets", "validate", NULL};

static const tqa_tree_methods control_methods = {
    .fields = fields,
    .sources = sources,
    .cost_us = cost_us,
    .check = check,
    .run = calibrate,
};

const tqa_operation_methods tqa_calibrate_methods = {.control = &control_methods};
