/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/calibrate.c - POST .../calibrate: recordings to parameters with their
 * uncertainty. */
#include "api/operations/calibrate/calibrate.h"

#include <stdlib.h>

#include "api/call/call.h"
#include "api/openapi/generated/fields.h"
#include "api/recordings/commanded.h"

static const char *const fields[] = {TQA_FIELDS_CALIBRATE_REQUEST, NULL};

static double cost_us(const tqa_tree *tree)
{
    (void)tree;
    return 1e6; /* never on a connection's thread */
}

/* Along a simulated loop all motion passes one filter; and lagged instruments are none where the
 * noise of slow filters is correlated for longer. */
static bool has_own_cutoffs(const tqa_calibration *c)
{
    const tq_fit_method method = c->options.fit.method;
    return c->request.law == NULL && method != TQ_FIT_IV && method != TQ_FIT_FEASIBLE_IV;
}

/* Only logs that are fitted share the row cache and choose filter and decimation: logs for
 * validation must not change the fit. */
static bool survey(tqa_calibration *c)
{
    for (size_t i = 0; i < c->n_log; i++) {
        c->request.options.n_cached = i < c->n_fitted ? c->n_fitted : 0;
        if (!tqa_calibration_survey_progress(c, (double)i, c->n_log) ||
            !tqa_recording_inspect(&c->logs[i])) {
            return false;
        }
    }
    if (!tqa_recording_find_braked(&c->request, c->logs, c->n_fitted, c->n_log)) {
        return false;
    }
    tqa_recording_choose_cutoff(&c->request, c->logs, c->n_fitted, c->n_log);
    return !has_own_cutoffs(c) || tqa_recording_choose_own(&c->request, c->logs, c->n_fitted);
}

static void describe(const tqa_recording *of, tq_identify_recording *ret)
{
    const tq_recording *log = &of->signal;
    const bool is_cut = log->moves && of->n_window == 0;
    *ret = (tq_identify_recording){
        .n_row = (double)log->n_chosen,
        .n_moving =
            is_cut ? (double)(log->last_moving - log->first_moving) + 1.0 : (double)log->n_chosen,
        .period = log->period,
        .step = log->step,
        .difference = of->is_commanded && !tqa_commanded_has_rates(of) ? log->period : 0.0,
        .motion = log->bandwidth.motion,
        .floor = log->floor,
        .row_is_used = of->torque_is_used,
        .stuck = log->stuck.found,
        .n_stuck = log->stuck.n,
        .n_difference = log->n_difference,
        .n_outlier = &log->repairs[TQ_REPAIR_OUTLIER].n,
    };
}

/* Samples of all logs fitted, as a pass counts them. */
static double count_samples(const tqa_calibration *c)
{
    double n = 0.0;
    for (size_t i = 0; i < c->n_fitted; i++) {
        const tq_identify_recording *r = &c->options.recordings[i];
        n += (double)((size_t)(r->n_moving * r->period / r->step /
                               (double)c->request.options.filter.decimate) +
                      1);
    }
    return n;
}

/* Results of the survey in the form of the session. */
static bool begin(tqa_calibration *c)
{
    tq_identify_options *options = &c->options;
    tq_error error = {0};
    options->recordings = tqa_tree_take(c->tree, c->n_log, sizeof *options->recordings);
    if (options->recordings == NULL) {
        return false;
    }
    for (size_t i = 0; i < c->n_log; i++) {
        describe(&c->logs[i], &options->recordings[i]);
    }
    tqa_recording_choose_decimation(&c->request, c->logs, c->n_fitted, count_samples(c));
    for (size_t i = 0; i < c->n_log; i++) { /* a long filter excludes parts from searches */
        options->recordings[i].n_cached =
            tq_recording_is_sampled(&c->logs[i].signal) ? c->logs[i].signal.cache.n : 0;
    }
    options->filter = c->request.options.filter;
    options->n_recording = c->n_log;
    options->n_fitted = c->n_fitted;
    options->delay = c->request.options.delay;
    options->memory_max = TQA_TREE_MEMORY_MAX / 2;
    const tq_mechanism *mechanism = c->tree->robot->mechanism;
    if (!tqa_calibration_take(c, tq_identify_size(mechanism, options), &c->own)) {
        return false;
    }
    const tq_status status =
        tq_identify_begin(mechanism, options, c->memory, &c->own, &c->session, &error);
    return status == TQ_OK || tqa_calibration_fail(c, status, &error);
}

/* Writes the parts of the answer. */
static bool conclude(tqa_calibration *c)
{
    const tq_model *model = c->tree->robot->model;
    tq_scratch scratch = {0};
    tq_error error = {0};
    c->found = tq_identify_found(c->session);
    c->chosen = tq_identify_chosen(c->session);
    c->request.options.delay = c->chosen.delay;
    const unsigned with = c->chosen.model.with;
    tq_parameter *list = tqa_tree_take(c->tree, tq_parameter_count(model, with) + 1, sizeof *list);
    if (list == NULL || !tqa_calibration_report_progress(c) ||
        !tqa_calibration_take(c, tq_verdict_size(c->found->fit), &scratch)) {
        return false;
    }
    tq_parameter_list(model, with, list);
    c->list = list;
    const tq_status status = tq_identify_judge(c->session, &scratch, &c->verdict, &error);
    return status == TQ_OK || tqa_calibration_fail(c, status, &error);
}

static bool check(tqa_tree *tree)
{
    tqa_calibration *c = tqa_tree_take(tree, 1, sizeof *c);
    if (c == NULL) {
        return false;
    }
    c->tree = tree;
    tree->state = c;
    return tqa_calibration_hold_joints(c) && tqa_calibration_read(c);
}

static bool calibrate(tqa_tree *tree)
{
    tqa_calibration *c = tree->state;
    c->request.memory = &c->pass_memory;
    tqa_calibration_read_checkpoint(c);
    const bool good = survey(c) && tqa_calibration_set_scale(c) && begin(c) &&
                      tqa_calibration_start_gains(c) && tqa_calibration_run(c) && conclude(c) &&
                      tqa_calibration_robot(c) && tqa_calibration_attach(c);
    if (good) {
        tqa_calibration_answer(c);
    }
    tqa_pass_memory_free(&c->pass_memory);
    free(c->saved);
    free(c->document);
    free(c->urdf);
    c->document = c->urdf = NULL;
    c->saved = NULL;
    return good && tree->problem->status == 0;
}

static const char *const sources[] = {"datasets", "validate", NULL};

static const tqa_tree_methods tree_methods = {
    .fields = fields,
    .sources = sources,
    .cost_us = cost_us,
    .check = check,
    .run = calibrate,
};

const tqa_operation_methods tqa_calibrate_methods = {.tree = &tree_methods};
