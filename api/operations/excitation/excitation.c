/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/excitation/excitation.c - POST .../excitation: motion that identifies parameters.
 */
#include "api/operations/excitation/excitation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/call/call.h"
#include "api/openapi/generated/fields.h"
#include "api/openapi/generated/ranges.h"
#include "api/operations/calibrate/parameter_names.h"
#include "api/response/robot_writer.h"

enum {
    PARAMETERS_MAX = 800, /* of all links and joints: squares of this are held */
    TRIES_MAX = TQA_RANGE_EXCITATION_REQUEST_TRIES_MOST,
    TRIES = TQA_RANGE_EXCITATION_REQUEST_TRIES_DEFAULT,
};

/* of the tries, that many are random motions: one in RANDOM_PART, before descents not more than */
enum { RANDOM_PART = 5, RANDOM_MAX = 25 };

static const char *const fields[] = {TQA_FIELDS_EXCITATION_REQUEST, NULL};

/* measured: a sample's normal matrix is a quarter of a nanosecond an entry and row, and its
 * gradient 3 nv regressors of half a microsecond a joint */
static double cost_us(const tqa_tree *tree)
{
    const double tries = json_number_value(json_object_get(tree->root, "tries"));
    const double harmonics = json_number_value(json_object_get(tree->root, "harmonics"));
    const double solids = (double)json_array_size(json_object_get(tree->root, "shapes"));
    const double nv = (double)tree->robot->model->nv;
    const double n = 12.0 * (double)tree->robot->model->n_joint;
    const double sample = nv * n * n * 5e-4 + 1.5 * nv * nv + 5.0 * solids * solids;
    return 100.0 + (tries > 0.0 ? fmin(tries, (double)TRIES_MAX) : (double)TRIES) *
                       (harmonics > 0.0 ? fmin(harmonics, (double)TQ_EXCITATION_HARMONICS_MAX)
                                        : (double)TQA_EXCITATION_HARMONICS) *
                       20.0 * sample;
}

tqa_excitation *tqa_excitation_take(tqa_tree *tree)
{
    const tqa_value root = tqa_value_root(tree);
    const tq_model *model = tree->robot->model;
    tqa_excitation *e = tqa_tree_take(tree, 1, sizeof *e);
    if (e == NULL) {
        return NULL;
    }
    e->tree = tree;
    tree->state = e;
    bool good = true;
    if (tree->robot->constraints != NULL) {
        good = tqa_value_refuse(&root, "invalid-robot", "ask for its open tree",
                                "a Fourier series does not keep the robot's constraints");
    }
    for (uint32_t j = 0; good && j < model->n_joint; j++) {
        if (model->joints[j].nq > 1) {
            good = tqa_value_refuse(&root, "invalid-robot", "a robot on a fixed base",
                                    "joint \"%s\" has several coordinates",
                                    tree->robot->joint_names[j]);
        }
    }
    if (good && model->nv == 0) {
        good = tqa_value_refuse(&root, "invalid-robot", "give it a joint that moves",
                                "the robot cannot move");
    }
    return good ? e : NULL;
}

static bool check(tqa_tree *tree)
{
    tqa_excitation *e = tqa_excitation_take(tree);
    return e != NULL && tqa_excitation_read(e);
}

/* ------------------------------------------------------------------------------------------------
 * Searching
 */

bool tqa_excitation_find_base(tqa_excitation *e)
{
    const tq_model *model = e->tree->robot->model;
    const tqa_value root = tqa_value_root(e->tree);
    const unsigned with = e->task.with;
    const size_t n = tq_parameter_count(model, with);
    tq_scratch scratch;
    tq_error error = {0};
    if (n > PARAMETERS_MAX) {
        return tqa_value_refuse(&root, "too-large", "leave kinds out of \"parameters\"",
                                "motion is found for %d parameters at most, here are %zu",
                                PARAMETERS_MAX, n);
    }
    e->list = tqa_tree_take(e->tree, n, sizeof *e->list);
    e->values = tqa_tree_take(e->tree, n, sizeof *e->values);
    e->base.independent = tqa_tree_take(e->tree, n, sizeof(uint32_t));
    e->base.dependent = tqa_tree_take(e->tree, n, sizeof(uint32_t));
    e->base.without = tqa_tree_take(e->tree, n, sizeof(uint32_t));
    e->base.k = tqa_tree_take(e->tree, n * n, sizeof(double));
    if (e->list == NULL || e->values == NULL || e->base.independent == NULL ||
        e->base.dependent == NULL || e->base.without == NULL || e->base.k == NULL ||
        !tqa_tree_scratch(e->tree, tq_base_scratch_size(model, with), &scratch)) {
        return false;
    }
    tq_parameter_list(model, with, e->list);
    tq_parameter_values(model, with, e->values);
    if (!tqa_excitation_take_columns(e)) {
        return false;
    }
    const tq_base_options options = {.column_is_used = e->column_is_used,
                                     .gravity = e->gravity,
                                     .at_rest = e->n_pose > 0,
                                     .stop = tqa_tree_stop,
                                     .stop_ctx = e->tree};
    const tq_status status = tq_base_find(model, with, &options, &scratch, &e->base, &error);
    return status == TQ_OK || tqa_tree_fail(e->tree, "", status, &error);
}

/* Continues from the job's last checkpoint, if there is one of this search. */
static void resume(tqa_excitation *e, unsigned char *saved)
{
    const tqa_host *host = e->tree->host;
    if (saved != NULL && host->checkpoint_load != NULL) {
        const size_t n = host->checkpoint_load(host->ctx, saved, tq_excitation_save_size(&e->task));
        (void)tq_excitation_load(&e->search, saved, n);
    }
}

/* A checkpoint that cannot be saved only costs the tries since the last one. */
static void save_when_due(tqa_excitation *e, unsigned char *saved)
{
    const tqa_host *host = e->tree->host;
    if (saved != NULL && host->checkpoint_due != NULL && host->checkpoint_due(host->ctx)) {
        tq_excitation_save(&e->search, saved);
        (void)host->checkpoint_save(host->ctx, saved, tq_excitation_save_size(&e->task));
    }
}

/* Room for one checkpoint; NULL in an immediate answer. False: no memory. */
static bool take_checkpoint_room(const tqa_excitation *e, unsigned char **ret)
{
    const tqa_host *host = e->tree->host;
    const bool saves = host != NULL && host->checkpoint_save != NULL;
    *ret = saves ? tqa_tree_take(e->tree, tq_excitation_save_size(&e->task), 1) : NULL;
    return !saves || *ret != NULL;
}

void tqa_excitation_fill(tqa_excitation *e)
{
    tq_excitation_task *task = &e->task;
    task->model = e->tree->robot->model;
    task->base = &e->base;
    task->values = e->values;
    task->gravity = e->gravity;
    task->lower = e->limits[TQA_EXCITATION_LOWER];
    task->upper = e->limits[TQA_EXCITATION_UPPER];
    task->velocity = e->limits[TQA_EXCITATION_VELOCITY];
    task->acceleration = e->limits[TQA_EXCITATION_ACCELERATION];
    task->effort = e->limits[TQA_EXCITATION_EFFORT];
}

static bool search(tqa_excitation *e)
{
    const tqa_host *host = e->tree->host;
    tq_excitation_task *task = &e->task;
    tq_scratch scratch;
    tq_error error = {0};
    if (!tqa_tree_scratch(e->tree, tq_excitation_scratch_size(task), &scratch)) {
        return false;
    }
    const size_t part = e->tries / RANDOM_PART;
    const bool descends = task->criterion != TQ_EXCITATION_CONDITION;
    const size_t n_random = descends ? tq_smaller(part, RANDOM_MAX) : part;
    unsigned char *saved = NULL;
    if (!take_checkpoint_room(e, &saved)) {
        return false;
    }
    tq_status status = tq_excitation_begin(task, &scratch, &e->search, &error);
    if (status == TQ_OK) {
        resume(e, saved);
    }
    while (status == TQ_OK && e->search.n_tried < e->tries) {
        /* one at a time: a try of a large robot takes long, and the job may be cancelled */
        status = tq_excitation_try(&e->search, 1, n_random, &error);
        if (host != NULL && host->progress != NULL) {
            host->progress(host->ctx, (double)e->search.n_tried / (double)e->tries, "search");
        }
        if (host != NULL && host->cancelled != NULL && host->cancelled(host->ctx)) {
            return tqa_problem_set(e->tree->problem, "busy", "the search was stopped");
        }
        save_when_due(e, saved);
    }
    return status == TQ_OK || tqa_tree_fail(e->tree, "", status, &error);
}

/* ------------------------------------------------------------------------------------------------
 * The answer
 */

void tqa_excitation_put_score(const tqa_excitation *e, const char *key,
                              const tq_excitation_score *score)
{
    tqa_writer *answer = e->tree->answer;
    tqa_writer_object(answer, key);
    if (isfinite(score->condition)) {
        tqa_writer_number(answer, "condition", score->condition);
        tqa_writer_number(answer, "log_determinant", score->information);
    } else {
        tqa_writer_none(answer, "condition", "some parameter is not excited");
        tqa_writer_none(answer, "log_determinant", "some parameter is not excited");
    }
    if (isfinite(score->torque_error)) {
        tqa_writer_number(answer, "torque_error", score->torque_error);
    } else {
        tqa_writer_none(answer, "torque_error", "some parameter is not excited");
    }
    tqa_writer_number(answer, "effort_used", score->excess + 1.0);
    if (isfinite(score->distance)) {
        tqa_writer_number(answer, "distance", score->distance);
    }
    tqa_writer_end(answer);
}

/* One period, in the robot's order. False: no memory. */
static bool put_samples(tqa_excitation *e, double interval)
{
    const size_t nv = e->order.nv;
    tqa_writer *answer = e->tree->answer;
    const double period = 1.0 / e->task.frequency;
    const size_t n = (size_t)floor(period / interval * (1.0 + 1e-12) + 1e-9) + 1;
    double *t = tqa_tree_take(e->tree, n, sizeof *t);
    double *rows = tqa_tree_take(e->tree, 3 * n * nv, sizeof *rows);
    if (t == NULL || rows == NULL) {
        return false;
    }
    double *q = rows, *qd = rows + n * nv, *qdd = rows + 2 * n * nv;
    for (size_t i = 0; i < n; i++) {
        t[i] = fmin((double)i * interval, period);
        tq_fourier_at(&e->search.motion, t[i], q + i * nv, qd + i * nv, qdd + i * nv);
    }
    tqa_writer_vector(answer, "t", t, n);
    tqa_rows_to_user(e->tree, TQA_ROW_Q, q, n);
    tqa_rows_to_user(e->tree, TQA_ROW_RATE, qd, n);
    tqa_rows_to_user(e->tree, TQA_ROW_RATE, qdd, n);
    tqa_writer_rows(answer, "q", q, n, false, e->order.q, nv);
    tqa_writer_rows(answer, "qd", qd, n, false, e->order.v, nv);
    tqa_writer_rows(answer, "qdd", qdd, n, false, e->order.v, nv);
    return true;
}

static bool put_fourier(tqa_excitation *e)
{
    const tq_fourier *motion = &e->search.motion;
    const size_t nv = e->order.nv, h = motion->n_harmonic;
    tqa_writer *answer = e->tree->answer;
    double *copy = tqa_tree_take(e->tree, (2 * h + 1) * nv, sizeof *copy);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, motion->offset, nv * sizeof *copy);
    memcpy(copy + nv, motion->a, h * nv * sizeof *copy);
    memcpy(copy + (h + 1) * nv, motion->b, h * nv * sizeof *copy);
    tqa_rows_to_user(e->tree, TQA_ROW_Q, copy, 1);
    tqa_rows_to_user(e->tree, TQA_ROW_RATE, copy + nv, 2 * h);
    tqa_writer_object(answer, "fourier");
    tqa_writer_number(answer, "frequency_hz", motion->frequency);
    tqa_writer_rows(answer, "offset", copy, 1, true, e->order.q, nv);
    tqa_writer_rows(answer, "a", copy + nv, h, false, e->order.q, nv);
    tqa_writer_rows(answer, "b", copy + (h + 1) * nv, h, false, e->order.q, nv);
    tqa_writer_end(answer);
    return true;
}

void tqa_excitation_put_base(const tqa_excitation *e)
{
    tqa_writer *answer = e->tree->answer;
    const tqa_robot *robot = e->tree->robot;
    if (e->link != TQ_NONE) {
        tqa_writer_string(answer, "link", robot->link_names[e->link]);
    }
    tqa_writer_list(answer, "base_parameters");
    for (size_t b = 0; b < e->base.n_base; b++) {
        char name[TQA_SYMBOL_MAX];
        tqa_parameter_name(robot->model, &e->list[e->base.independent[b]], name);
        tqa_writer_string(answer, NULL, name);
    }
    tqa_writer_end(answer);
}

static bool put_motion(tqa_excitation *e)
{
    tqa_writer *answer = e->tree->answer;
    tqa_writer_joints(answer, e->tree->robot, &e->order);
    if (!put_fourier(e) || (e->interval > 0.0 && !put_samples(e, e->interval))) {
        return false;
    }
    tqa_excitation_put_score(e, "score", &e->search.score);
    tqa_excitation_put_score(e, "first_random", &e->search.first);
    tqa_writer_count(answer, "tries", e->search.n_tried);
    tqa_writer_count(answer, "improvements", e->search.n_better);
    tqa_writer_count(answer, "samples_judged", tq_excitation_samples(&e->task));
    return true;
}

static bool run(tqa_tree *tree)
{
    tqa_excitation *e = tree->state;
    if (!tqa_excitation_find_base(e) || !tqa_excitation_take_wanted(e)) {
        return false;
    }
    tqa_excitation_fill(e);
    tree->is_motion = true;
    if (!search(e) || !put_motion(e)) {
        return false;
    }
    tqa_excitation_put_base(e);
    return true;
}

static const tqa_tree_methods methods = {
    .fields = fields, .cost_us = cost_us, .check = check, .run = run};
const tqa_operation_methods tqa_excitation_methods = {.tree = &methods};
