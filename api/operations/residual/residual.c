/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/residual/residual.c - POST .../residual: contacts and drift in recordings of a
 * calibrated robot. */
#include "api/operations/residual/residual.h"

#include <math.h>
#include <string.h>

#include "api/call/call.h"
#include "api/openapi/generated/fields.h"

static const char *const fields[] = {TQA_FIELDS_RESIDUAL_REQUEST, NULL};
static const char *const log_fields[] = {TQA_FIELDS_CALIBRATE_DATASET, NULL};
static const double gain_most = 1e4, alarms_most = 1e9, persistent_most = 1e6;
static const double least = 1e-9;

static double cost_us(const tqa_tree *tree)
{
    (void)tree;
    return 1e6; /* never on a connection's thread */
}

/* ------------------------------------------------------------------------------------------------
 * The request
 */

/* Reads one number > 0 for each joint, in the robot's order; NULL: absent. False: the problem is
 * set. */
static bool read_joints(tqa_residual *p, const tqa_value *part, const double **ret)
{
    const size_t nv = p->order.nv;
    *ret = NULL;
    if (part->value == NULL) {
        return true;
    }
    double *given = tqa_tree_take(p->tree, 2 * nv + 1, sizeof *given);
    if (given == NULL ||
        !tqa_value_vector(part, nv, "one for each coordinate of the joints' rates", given)) {
        return false;
    }
    for (size_t r = 0; r < nv; r++) {
        if (!(given[r] > 0.0)) {
            const tqa_value item = tqa_value_item(part, r);
            return tqa_value_refuse(&item, "range", "a torque above 0", "expected above 0, got %g",
                                    given[r]);
        }
        given[nv + p->order.v[r]] = given[r];
    }
    *ret = given + nv;
    return true;
}

static bool read_logs(tqa_residual *p)
{
    const tqa_value root = tqa_value_root(p->tree);
    const tqa_value datasets = tqa_value_field(&root, "datasets");
    const tqa_value quiet = tqa_value_field(&root, "quiet");
    size_t n_quiet = 0;
    if (!tqa_value_need(&datasets, "add \"datasets\": [\"its name\"]") ||
        !tqa_value_some(&datasets, 1, TQA_RESIDUAL_LOGS_MAX, &p->n_watched) ||
        (quiet.value != NULL && !tqa_value_some(&quiet, 1, TQA_RESIDUAL_LOGS_MAX, &n_quiet))) {
        return false;
    }
    p->n_log = p->n_watched + n_quiet;
    p->plan.n_recording = p->n_watched;
    p->plan.noise = n_quiet > 0             ? TQ_WATCH_OF_QUIET
                    : p->plan.sigma != NULL ? TQ_WATCH_GIVEN
                                            : TQ_WATCH_OF_LOGS;
    p->logs = tqa_tree_take(p->tree, p->n_log, sizeof *p->logs);
    if (n_quiet > 0 && p->plan.sigma != NULL) {
        return tqa_value_refuse(&quiet, "invalid-value", "leave one of the two out",
                                "\"sigma\" and \"quiet\" logs both state the noise");
    }
    return p->logs != NULL &&
           tqa_logs_read(&p->request, &datasets, p->n_watched, log_fields, p->logs) &&
           tqa_logs_read(&p->request, &quiet, n_quiet, log_fields, p->logs + p->n_watched);
}

static bool read(tqa_residual *p)
{
    const tqa_value root = tqa_value_root(p->tree);
    const tqa_value gain = tqa_value_field(&root, "gain_hz");
    const tqa_value sigma = tqa_value_field(&root, "sigma");
    const tqa_value threshold = tqa_value_field(&root, "threshold");
    const tqa_value alarms = tqa_value_field(&root, "false_alarms_per_day");
    const tqa_value persistent = tqa_value_field(&root, "persistent_s");
    const tqa_value filter = tqa_value_field(&root, "filter");
    const tq_model *model = p->tree->robot->model;
    unsigned need = 1u << TQA_RECORDING_Q | 1u << TQA_RECORDING_TAU;
    need |= model->nq != model->nv ? 1u << TQA_RECORDING_QD : 0u;
    p->gain = 20.0;
    p->plan = (tq_watch_plan){.false_alarms = 1.0, .persistent = 10.0};
    if (model->nv == 0) {
        return tqa_value_refuse(&root, "invalid-robot", "add a joint that moves",
                                "the robot cannot move");
    }
    if (p->tree->robot->constraints != NULL) {
        return tqa_value_refuse(&root, "invalid-robot", "use its open tree",
                                "the torques of a constrained robot depend on the forces of its "
                                "constraints, which a log does not contain");
    }
    if ((gain.value != NULL && !tqa_value_within(&gain, least, gain_most, &p->gain)) ||
        (alarms.value != NULL &&
         !tqa_value_within(&alarms, least, alarms_most, &p->plan.false_alarms)) ||
        (persistent.value != NULL &&
         !tqa_value_within(&persistent, least, persistent_most, &p->plan.persistent)) ||
        !tqa_tree_order(p->tree, &p->order) || !read_joints(p, &sigma, &p->plan.sigma) ||
        !read_joints(p, &threshold, &p->plan.threshold) ||
        !tqa_recording_request_read(&root, &p->order, need, &p->request)) {
        return false;
    }
    if (filter.value == NULL) { /* none: a filter spreads a contact over its own length */
        p->request.options.filter.kind = TQ_SMOOTHING_NONE;
        p->request.options.filter.is_auto = false;
        p->request.options.filter.has_decimate = true;
        p->request.options.filter.decimate = 1;
    }
    p->plan.gain = 2.0 * M_PI * p->gain;
    return read_logs(p);
}

static bool check(tqa_tree *tree)
{
    tqa_residual *p = tqa_tree_take(tree, 1, sizeof *p);
    if (p == NULL) {
        return false;
    }
    p->tree = tree;
    tree->state = p;
    return read(p);
}

/* ------------------------------------------------------------------------------------------------
 * The run
 */

static bool fail(const tqa_residual *p, tq_status status, const tq_error *error)
{
    const tqa_value root = tqa_value_root(p->tree);
    if (status == TQ_ERR_SHAPE && error->what != NULL && strcmp(error->what, "samples") == 0) {
        const tqa_value part =
            tqa_value_field(&root, p->n_log > p->n_watched ? "quiet" : "datasets");
        return tqa_value_refuse(&part, "wrong-length", "record longer, or raise \"gain_hz\"",
                                "the observer's transient lasts longer than each of these logs");
    }
    return tqa_tree_fail(p->tree, "", status, error);
}

static bool push_block(void *ctx, const tqa_recording_block *block)
{
    const tqa_residual *p = ctx;
    tq_error error = {0};
    const tq_status status = tq_watch_push(p->watch, &block->data, block->t, &error);
    return status == TQ_OK || fail(p, status, &error);
}

/* True after a cancellation; reports the progress of a job. */
static bool goes_on(const tqa_residual *p, double part)
{
    const tqa_host *host = p->tree->host;
    if (host != NULL && host->progress != NULL) {
        host->progress(host->ctx, part, "watch");
    }
    if (host != NULL && host->cancelled != NULL && host->cancelled(host->ctx)) {
        return tqa_problem_set(p->tree->problem, "busy", "the job was stopped");
    }
    return true;
}

/* One pass over the logs from `first` to `end`. */
static bool read_logs_once(tqa_residual *p, size_t first, size_t end, double share)
{
    for (size_t i = first; i < end; i++) {
        tq_error error = {0};
        double period = 0.0;
        const size_t n = tqa_log_expected(&p->logs[i], &period);
        const tq_status status = tq_watch_next(p->watch, n, period, &error);
        if (status != TQ_OK) {
            return fail(p, status, &error);
        }
        if (!goes_on(p, share + 0.5 * (double)(i - first) / (double)(end - first)) ||
            !tqa_recording_pass(&p->logs[i], push_block, p) ||
            !tqa_recording_has_samples(&p->logs[i])) {
            return false;
        }
    }
    return true;
}

static bool watch(tqa_residual *p)
{
    const tq_mechanism *mechanism = p->tree->robot->mechanism;
    const bool has_quiet = p->n_log > p->n_watched;
    tq_scratch memory;
    tq_error error = {0};
    if (!tqa_logs_survey(&p->request, p->logs, p->n_log) ||
        !tqa_tree_scratch(p->tree, tq_watch_size(mechanism, &p->plan), &memory)) {
        return false;
    }
    tq_status status = tq_watch_begin(mechanism, &p->plan, &memory, &p->watch, &error);
    if (status != TQ_OK) {
        return fail(p, status, &error);
    }
    if (!read_logs_once(p, has_quiet ? p->n_watched : 0, has_quiet ? p->n_log : p->n_watched,
                        0.0)) {
        return false;
    }
    status = tq_watch_end_noise(p->watch, &error);
    if (status != TQ_OK) {
        return fail(p, status, &error);
    }
    if (!read_logs_once(p, 0, p->n_watched, 0.5)) {
        return false;
    }
    tq_watch_finish(p->watch);
    return true;
}

static bool run(tqa_tree *tree)
{
    tqa_residual *p = tree->state;
    tqa_pass_memory memory = {0};
    p->request.memory = &memory;
    const bool good = watch(p);
    if (good) {
        tqa_residual_answer(p);
    }
    tqa_pass_memory_free(&memory);
    return good && tree->problem->status == 0;
}

static const char *const sources[] = {"datasets", "quiet", NULL};

static const tqa_tree_methods tree_methods = {
    .fields = fields,
    .sources = sources,
    .cost_us = cost_us,
    .check = check,
    .run = run,
};

const tqa_operation_methods tqa_residual_methods = {.tree = &tree_methods};
