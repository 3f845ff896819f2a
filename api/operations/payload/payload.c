/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/payload/payload.c - POST .../payload: the payload of a calibrated robot, from
 * recordings. */
#include "api/operations/payload/payload.h"

#include <stdlib.h>
#include <string.h>

#include "api/call/call.h"
#include "api/openapi/generated/fields.h"
#include "api/operations/unmodelled.h"

static const char *const fields[] = {TQA_FIELDS_PAYLOAD_REQUEST, NULL};
static const char *const log_fields[] = {TQA_FIELDS_CALIBRATE_DATASET, NULL};
static const char *const frictions[] = {TQA_WORDS_PAYLOAD_REQUEST_FRICTION, NULL};
static const char *const froms[] = {TQA_WORDS_PAYLOAD_REQUEST_FROM, NULL};
static const double confidence_least = 1e-3, confidence_most = 0.999999;

static double cost_us(const tqa_tree *tree)
{
    (void)tree;
    return 1e6; /* never on a connection's thread */
}

/* ------------------------------------------------------------------------------------------------
 * The request
 */

static bool read_link(tqa_payload_search *p, const tqa_value *part)
{
    const tq_model *model = p->tree->robot->model;
    p->plan.link = tq_payload_last_link(model);
    if (part->value != NULL && !tqa_value_link(part, &p->plan.link)) {
        return false;
    }
    if (!tqa_payload_weighs(part, p->plan.link)) {
        return false;
    }
    return tq_payload_is_moved(model, p->plan.link) ||
           tqa_value_refuse(part, "invalid-value", "name a link beyond a moving joint",
                            "no joint moves that link: no torque depends on its payload");
}

static bool read_logs(tqa_payload_search *p)
{
    const tqa_value root = tqa_value_root(p->tree);
    const tqa_value datasets = tqa_value_field(&root, "datasets");
    const tqa_value reference = tqa_value_field(&root, "reference");
    size_t n_reference = 0;
    if (!tqa_value_need(&datasets, "add \"datasets\": [\"its name\"]") ||
        !tqa_value_some(&datasets, 1, TQA_PAYLOAD_LOGS_MAX, &p->n_loaded) ||
        (reference.value != NULL &&
         !tqa_value_some(&reference, 1, TQA_PAYLOAD_LOGS_MAX, &n_reference))) {
        return false;
    }
    p->n_log = p->n_loaded + n_reference;
    p->logs = tqa_tree_take(p->tree, p->n_log, sizeof *p->logs);
    bool good =
        p->logs != NULL &&
        tqa_logs_read(&p->request, &datasets, p->n_loaded, log_fields, p->logs) &&
        tqa_logs_read(&p->request, &reference, n_reference, log_fields, p->logs + p->n_loaded);
    for (size_t i = 0; good && i < p->n_log; i++) {
        good = tqa_logs_are_news(p->logs, i);
    }
    return good;
}

static bool read(tqa_payload_search *p)
{
    const tqa_value root = tqa_value_root(p->tree);
    const tqa_value link = tqa_value_field(&root, "link");
    const tqa_value from = tqa_value_field(&root, "from");
    const tqa_value friction = tqa_value_field(&root, "friction");
    const tqa_value confidence = tqa_value_field(&root, "confidence");
    const tq_model *model = p->tree->robot->model;
    unsigned need = 1u << TQA_RECORDING_Q | 1u << TQA_RECORDING_TAU;
    unsigned source = TQ_PAYLOAD_AUTO;
    need |= model->nq != model->nv ? 1u << TQA_RECORDING_QD | 1u << TQA_RECORDING_QDD : 0u;
    p->plan =
        (tq_payload_plan){.friction = TQ_PAYLOAD_VISCOUS | TQ_PAYLOAD_COULOMB | TQ_PAYLOAD_OFFSET,
                          .confidence = 0.95};
    if (p->tree->robot->constraints != NULL) {
        return tqa_value_refuse(&root, "invalid-robot", "use its open tree",
                                "the torques of a constrained robot depend on the forces of its "
                                "constraints, which a log does not contain");
    }
    if (!tqa_all_modelled(&root, "the estimate")) {
        return false;
    }
    if (!read_link(p, &link) || (from.value != NULL && !tqa_value_choice(&from, froms, &source)) ||
        (friction.value != NULL && !tqa_value_choices(&friction, frictions, &p->plan.friction)) ||
        (confidence.value != NULL &&
         !tqa_value_within(&confidence, confidence_least, confidence_most, &p->plan.confidence)) ||
        !tqa_tree_order(p->tree, &p->order) ||
        !tqa_recording_request_read(&root, &p->order, need, &p->request)) {
        return false;
    }
    p->plan.source = (tq_payload_source)source;
    p->request.options.finds_brakes = model->nq == model->nv;
    return read_logs(p);
}

static bool check(tqa_tree *tree)
{
    tqa_payload_search *p = tqa_tree_take(tree, 1, sizeof *p);
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

static bool fail(const tqa_payload_search *p, tq_status status, const tq_error *error)
{
    const tqa_value root = tqa_value_root(p->tree);
    const tqa_value datasets = tqa_value_field(&root, "datasets");
    if (status == TQ_ERR_SHAPE && error->what != NULL && strcmp(error->what, "samples") == 0) {
        return tqa_value_refuse(&datasets, "invalid-value",
                                "move the joints that carry, or say \"from\": \"poses\"",
                                "no joint that carries the link moves");
    }
    if (status == TQ_ERR_SHAPE && error->what != NULL && strcmp(error->what, "poses") == 0) {
        return tqa_value_refuse(
            &datasets, "wrong-length", "record more poses, a second each, or motion",
            "%.0f poses at rest do not determine a mass and its centre", error->value);
    }
    return tqa_tree_fail(p->tree, "", status, error);
}

/* True after a cancellation; reports the progress of a job. */
static bool goes_on(const tqa_payload_search *p, size_t i)
{
    const tqa_host *host = p->tree->host;
    if (host != NULL && host->progress != NULL) {
        host->progress(host->ctx, (double)i / (double)p->n_log, "fit");
    }
    if (host != NULL && host->cancelled != NULL && host->cancelled(host->ctx)) {
        return tqa_problem_set(p->tree->problem, "busy", "the job was stopped");
    }
    return true;
}

static bool push_block(void *ctx, const tqa_recording_block *block)
{
    const tqa_payload_search *p = ctx;
    tq_error error = {0};
    const tq_status status = tq_payload_push(p->sums, &block->data, block->t, &error);
    return status == TQ_OK || fail(p, status, &error);
}

static bool read_all(tqa_payload_search *p)
{
    for (size_t i = 0; i < p->n_log; i++) {
        tqa_recording *log = &p->logs[i];
        tq_error error = {0};
        double period = 0.0;
        const size_t n = tqa_log_expected(log, &period);
        tq_status status = tq_payload_next(p->sums, n, period, i < p->n_loaded, &error);
        if (status != TQ_OK) {
            return fail(p, status, &error);
        }
        if (!goes_on(p, i) || !tqa_recording_pass(log, push_block, p) ||
            !tqa_recording_has_samples(log)) {
            return false;
        }
        status = tq_payload_end(p->sums, &error);
        if (status != TQ_OK) {
            return fail(p, status, &error);
        }
    }
    return true;
}

static bool refuse_memory(const tqa_payload_search *p)
{
    const tqa_value root = tqa_value_root(p->tree);
    const tqa_value datasets = tqa_value_field(&root, "datasets");
    return !tqa_arena_short(p->tree->arena) &&
           tqa_value_refuse(&datasets, "too-large", "name fewer, or join them into one dataset",
                            "%zu logs of %zu joints take more memory than one request may",
                            p->n_log, p->order.nv);
}

static bool search(tqa_payload_search *p)
{
    const tq_mechanism *mechanism = p->tree->robot->mechanism;
    tq_fit_options options = tq_payload_fit_options(p->tree->robot->model);
    tq_scratch of_fit, of_sums;
    tq_error error = {0};
    tq_fit *fit = NULL;
    options.stop = tqa_tree_stop;
    options.stop_ctx = p->tree;
    p->plan.n_recording = p->n_log;
    if (!tqa_logs_survey(&p->request, p->logs, p->n_log)) {
        return false;
    }
    if (!tqa_tree_scratch(p->tree, tq_fit_size(mechanism, &options, 1), &of_fit)) {
        return refuse_memory(p);
    }
    tq_status status = tq_fit_build(mechanism, &options, 1, &of_fit, &fit, &error);
    if (status != TQ_OK) {
        return fail(p, status, &error);
    }
    if (!tqa_tree_scratch(p->tree, tq_payload_size(fit, &p->plan), &of_sums)) {
        return refuse_memory(p);
    }
    status = tq_payload_begin(fit, &p->plan, &of_sums, &p->sums, &error);
    p->request.fit = fit; /* passes bring its friction, filtered as the torque is */
    const bool good = status == TQ_OK ? read_all(p) : fail(p, status, &error);
    p->request.fit = NULL;
    if (!good) {
        return false;
    }
    status = tq_payload_solve(p->sums, &p->found, &error);
    return status == TQ_OK || fail(p, status, &error);
}

static bool run(tqa_tree *tree)
{
    tqa_payload_search *p = tree->state;
    tqa_pass_memory memory = {0};
    p->request.memory = &memory;
    const bool good = search(p) && tqa_payload_robot(p) && tqa_payload_answer(p);
    tqa_pass_memory_free(&memory);
    free(p->document);
    free(p->urdf);
    p->document = p->urdf = NULL;
    return good && tree->problem->status == 0;
}

static const char *const sources[] = {"datasets", "reference", NULL};

static const tqa_tree_methods tree_methods = {
    .fields = fields,
    .sources = sources,
    .cost_us = cost_us,
    .check = check,
    .run = run,
};

const tqa_operation_methods tqa_payload_methods = {.tree = &tree_methods};
