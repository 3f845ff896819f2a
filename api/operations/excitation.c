/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/excitation.c - POST .../excitation: motion that identifies parameters. */
#include "core/excitation/excitation.h"
#include "api/openapi/generated/fields.h"
#include "api/openapi/generated/ranges.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/call/call.h"
#include "api/operations/calibrate/parameter_names.h"
#include "api/request/robot_fields.h"
#include "api/response/robot_writer.h"

enum {
    PARAMETERS_MAX = 800, /* of all links and joints: squares of this are held */
    TRIES_MAX = TQA_RANGE_EXCITATION_REQUEST_TRIES_MOST,
    TRIES = TQA_RANGE_EXCITATION_REQUEST_TRIES_DEFAULT, /* unless asked otherwise */
    HARMONICS = 5,
    SAMPLES_MAX = 100000,
};

/* of the tries, that many are random motions: one in RANDOM_PART */
enum { RANDOM_PART = 5 };

/* where a turning joint has no limits */
static const double half_turn = 3.14159265358979323846;

static const char *const fields[] = {TQA_FIELDS_EXCITATION_REQUEST, NULL};
static const char *const limit_fields[] = {TQA_FIELDS_EXCITATION_REQUEST_LIMITS, NULL};
static const char *const kinds[] = {TQA_WORDS_EXCITATION_REQUEST_PARAMETERS, NULL};
static const char *const criteria[] = {TQA_WORDS_EXCITATION_REQUEST_CRITERION, NULL};

enum { LOWER, UPPER, VELOCITY, ACCELERATION, EFFORT, LIMITS };

typedef struct excitation {
    tqa_tree *tree;
    tqa_order order;
    double gravity[3];
    double *limits[LIMITS]; /* (nv) in the robot's order */
    double interval;
    size_t tries;
    tq_parameter *list;
    double *values;
    tq_base_set base;
    tq_excitation_task task;
    tq_excitation search;
} excitation;

static double cost_us(const tqa_tree *tree)
{
    const double tries = json_number_value(json_object_get(tree->root, "tries"));
    const double harmonics = json_number_value(json_object_get(tree->root, "harmonics"));
    const double n = 12.0 * (double)tree->robot->model->n_joint;
    /* measured: a sample's normal matrix is a quarter of a nanosecond an entry and row */
    return 100.0 + (tries > 0.0 ? fmin(tries, (double)TRIES_MAX) : (double)TRIES) *
                       (harmonics > 0.0 ? fmin(harmonics, (double)TQ_EXCITATION_HARMONICS_MAX)
                                        : (double)HARMONICS) *
                       20.0 * (double)tree->robot->model->nv * n * n * 2.5e-4;
}

/* ------------------------------------------------------------------------------------------------
 * Reading
 */

static bool take_limits(excitation *e)
{
    const tq_model *model = e->tree->robot->model;
    for (unsigned k = 0; k < LIMITS; k++) {
        e->limits[k] = tqa_tree_take(e->tree, model->nv, sizeof(double));
        if (e->limits[k] == NULL) {
            return false;
        }
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (joint->nq != 1) {
            continue;
        }
        const bool turns = joint->kind != TQ_JOINT_PRISMATIC;
        const bool bounded = isfinite(joint->limits.lower) && isfinite(joint->limits.upper) &&
                             joint->kind != TQ_JOINT_CONTINUOUS;
        const uint32_t v = joint->v_index;
        e->limits[LOWER][v] = bounded ? joint->limits.lower : turns ? -half_turn : (double)NAN;
        e->limits[UPPER][v] = bounded ? joint->limits.upper : turns ? half_turn : (double)NAN;
        e->limits[VELOCITY][v] = joint->limits.velocity > 0.0 ? joint->limits.velocity : HUGE_VAL;
        e->limits[ACCELERATION][v] = HUGE_VAL;
        e->limits[EFFORT][v] = joint->limits.effort > 0.0 ? joint->limits.effort : HUGE_VAL;
    }
    return true;
}

static const char *joint_name(const tqa_robot *robot, uint32_t v)
{
    uint32_t j = 0;
    while (robot->model->joints[j].nv == 0 || robot->model->joints[j].v_index != v) {
        j++;
    }
    return robot->joint_names[j];
}

/* Limits of the request replace the robot's. */
static bool read_limits(excitation *e)
{
    const tqa_value root = tqa_value_root(e->tree);
    const tqa_value limits = tqa_value_field(&root, "limits");
    if (!take_limits(e)) {
        return false;
    }
    if (limits.value != NULL && !tqa_value_limits(&limits, limit_fields)) {
        return false;
    }
    for (unsigned k = 0; k < LIMITS && limits.value != NULL; k++) {
        const tqa_value row = tqa_value_field(&limits, limit_fields[k]);
        const tqa_row_kind kind = k == EFFORT ? TQA_ROW_LIMIT : TQA_ROW_RATE_LIMIT;
        if (row.value != NULL && !tqa_value_row(&row, &e->order, kind, e->limits[k])) {
            return false;
        }
    }
    for (size_t r = 0; r < e->order.nv; r++) {
        const uint32_t v = e->order.v[r];
        const double lower = e->limits[LOWER][v], upper = e->limits[UPPER][v];
        if (!(lower < upper)) {
            const char *name = joint_name(e->tree->robot, v);
            return tqa_value_refuse(&limits, isnan(lower) ? "missing-field" : "range",
                                    "give \"lower\" and \"upper\" for every joint, rad or m",
                                    isnan(lower) ? "joint \"%s\" slides and has no limits"
                                                 : "joint \"%s\" has no room between its limits",
                                    name);
        }
        for (unsigned k = VELOCITY; k < LIMITS; k++) {
            if (!(e->limits[k][v] > 0.0)) {
                const tqa_value row = tqa_value_field(&limits, limit_fields[k]);
                const char *name = joint_name(e->tree->robot, v);
                const tqa_value item = json_is_object(row.value) ? tqa_value_field(&row, name)
                                                                 : tqa_value_item(&row, r);
                return tqa_value_refuse(&item, "range", "above 0; leave the limit out for none",
                                        "expected a number above 0, got %g", e->limits[k][v]);
            }
        }
    }
    return true;
}

/* One over the frequency, in its place. */
static bool read_period(excitation *e, const tqa_value *frequency)
{
    const tqa_value root = tqa_value_root(e->tree);
    const tqa_value period = tqa_value_field(&root, "period_s");
    double seconds = 0.0;
    if (period.value == NULL) {
        return true;
    }
    if (frequency->value != NULL) {
        return tqa_value_refuse(&period, "invalid-value", "leave one of them out",
                                "\"frequency_hz\" and \"period_s\" are both given");
    }
    if (!tqa_value_positive(&period, &seconds)) {
        return false;
    }
    e->task.frequency = 1.0 / seconds;
    return true;
}

static bool read_search(excitation *e)
{
    const tqa_value root = tqa_value_root(e->tree);
    const tqa_value with = tqa_value_field(&root, "parameters");
    const tqa_value frequency = tqa_value_field(&root, "frequency_hz");
    const tqa_value harmonics = tqa_value_field(&root, "harmonics");
    const tqa_value criterion = tqa_value_field(&root, "criterion");
    const tqa_value tries = tqa_value_field(&root, "tries");
    const tqa_value seed = tqa_value_field(&root, "seed");
    const tqa_value gravity = tqa_value_field(&root, "gravity");
    const tqa_value interval = tqa_value_field(&root, "interval_s");
    tq_excitation_task *task = &e->task;
    size_t number = 0;
    unsigned chosen = 0;
    memcpy(e->gravity, e->tree->robot->model->gravity, sizeof e->gravity);
    task->frequency = 0.1;
    task->n_harmonic = HARMONICS;
    e->tries = TRIES;
    if ((with.value != NULL && !tqa_value_choices(&with, kinds, &task->with)) ||
        (frequency.value != NULL && !tqa_value_positive(&frequency, &task->frequency)) ||
        !read_period(e, &frequency) ||
        (harmonics.value != NULL &&
         !tqa_value_count(&harmonics, 2, TQ_EXCITATION_HARMONICS_MAX, &task->n_harmonic)) ||
        (criterion.value != NULL && !tqa_value_choice(&criterion, criteria, &chosen)) ||
        (tries.value != NULL && !tqa_value_count(&tries, 1, TRIES_MAX, &e->tries)) ||
        (seed.value != NULL && !tqa_value_count(&seed, 0, (size_t)1 << 53, &number)) ||
        (gravity.value != NULL && !tqa_value_gravity(&gravity, e->gravity))) {
        return false;
    }
    task->by_determinant = chosen == 1;
    task->seed = number;
    if (interval.value != NULL && !tqa_value_positive(&interval, &e->interval)) {
        return false;
    }
    const double n_sample = e->interval > 0.0 ? 1.0 / task->frequency / e->interval : 0.0;
    return n_sample <= (double)SAMPLES_MAX ||
           tqa_value_refuse(&interval, "range", "a longer interval",
                            "this gives %.9g samples, %d at most are given", n_sample, SAMPLES_MAX);
}

static bool check(tqa_tree *tree)
{
    const tqa_value root = tqa_value_root(tree);
    const tq_model *model = tree->robot->model;
    excitation *e = tqa_tree_take(tree, 1, sizeof *e);
    if (e == NULL) {
        return false;
    }
    e->tree = tree;
    tree->state = e;
    if (tree->robot->constraints != NULL) {
        return tqa_value_refuse(&root, "invalid-robot", "ask for its open tree",
                                "a Fourier series does not keep the robot's constraints");
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (model->joints[j].nq > 1) {
            return tqa_value_refuse(&root, "invalid-robot", "a robot on a fixed base",
                                    "joint \"%s\" has several coordinates",
                                    tree->robot->joint_names[j]);
        }
    }
    if (model->nv == 0) {
        return tqa_value_refuse(&root, "invalid-robot", "give it a joint that moves",
                                "the robot cannot move");
    }
    return tqa_tree_order(tree, &e->order) && read_search(e) && read_limits(e);
}

/* ------------------------------------------------------------------------------------------------
 * Searching
 */

static bool find_base(excitation *e)
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
    const tq_base_options options = {.stop = tqa_tree_stop, .stop_ctx = e->tree};
    const tq_status status = tq_base_find(model, with, &options, &scratch, &e->base, &error);
    return status == TQ_OK || tqa_tree_fail(e->tree, "", status, &error);
}

/* Continues from the job's last checkpoint, if there is one of this search. */
static void resume(excitation *e, unsigned char *saved)
{
    const tqa_host *host = e->tree->host;
    if (saved != NULL && host->checkpoint_load != NULL) {
        const size_t n = host->checkpoint_load(host->ctx, saved, tq_excitation_save_size(&e->task));
        (void)tq_excitation_load(&e->search, saved, n);
    }
}

/* A checkpoint that cannot be saved only costs the tries since the last one. */
static void save_when_due(excitation *e, unsigned char *saved)
{
    const tqa_host *host = e->tree->host;
    if (saved != NULL && host->checkpoint_due != NULL && host->checkpoint_due(host->ctx)) {
        tq_excitation_save(&e->search, saved);
        (void)host->checkpoint_save(host->ctx, saved, tq_excitation_save_size(&e->task));
    }
}

/* Room for one checkpoint; NULL in an immediate answer. False: no memory. */
static bool take_checkpoint_room(const excitation *e, unsigned char **ret)
{
    const tqa_host *host = e->tree->host;
    const bool saves = host != NULL && host->checkpoint_save != NULL;
    *ret = saves ? tqa_tree_take(e->tree, tq_excitation_save_size(&e->task), 1) : NULL;
    return !saves || *ret != NULL;
}

static bool search(excitation *e)
{
    const tqa_host *host = e->tree->host;
    tq_excitation_task *task = &e->task;
    tq_scratch scratch;
    tq_error error = {0};
    task->model = e->tree->robot->model;
    task->base = &e->base;
    task->values = e->values;
    task->gravity = e->gravity;
    task->lower = e->limits[LOWER];
    task->upper = e->limits[UPPER];
    task->velocity = e->limits[VELOCITY];
    task->acceleration = e->limits[ACCELERATION];
    task->effort = e->limits[EFFORT];
    if (!tqa_tree_scratch(e->tree, tq_excitation_scratch_size(task), &scratch)) {
        return false;
    }
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
        status = tq_excitation_try(&e->search, 1, e->tries / RANDOM_PART, &error);
        if (host != NULL && host->progress != NULL) {
            host->progress(host->ctx, (double)e->search.n_tried / (double)e->tries, "search");
        }
        if (host != NULL && host->cancelled != NULL && host->cancelled(host->ctx)) {
            return tqa_problem_set(e->tree->problem, "busy", "the search was stopped") == 0;
        }
        save_when_due(e, saved);
    }
    return status == TQ_OK || tqa_tree_fail(e->tree, "", status, &error);
}

/* ------------------------------------------------------------------------------------------------
 * The answer
 */

static void put_score(tqa_writer *answer, const char *key, const tq_excitation_score *score)
{
    tqa_writer_object(answer, key);
    if (isfinite(score->condition)) {
        tqa_writer_number(answer, "condition", score->condition);
        tqa_writer_number(answer, "log_determinant", score->information);
    } else {
        tqa_writer_none(answer, "condition", "some parameter is not excited");
        tqa_writer_none(answer, "log_determinant", "some parameter is not excited");
    }
    tqa_writer_number(answer, "effort_used", score->excess + 1.0);
    tqa_writer_end(answer);
}

/* One period, in the robot's order. False: no memory. */
static bool put_samples(excitation *e, double interval)
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

static bool put_fourier(excitation *e)
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

static bool run(tqa_tree *tree)
{
    excitation *e = tree->state;
    if (!find_base(e) || !search(e)) {
        return false;
    }
    tqa_writer *answer = tree->answer;
    tree->is_motion = true;
    tqa_writer_joints(answer, tree->robot, &e->order);
    if (!put_fourier(e) || (e->interval > 0.0 && !put_samples(e, e->interval))) {
        return false;
    }
    put_score(answer, "score", &e->search.score);
    put_score(answer, "first_random", &e->search.first);
    tqa_writer_count(answer, "tries", e->search.n_tried);
    tqa_writer_count(answer, "improvements", e->search.n_better);
    tqa_writer_count(answer, "samples_judged", tq_excitation_samples(&e->task));
    tqa_writer_list(answer, "base_parameters");
    for (size_t b = 0; b < e->base.n_base; b++) {
        char name[TQA_SYMBOL_MAX];
        tqa_parameter_name(tree->robot->model, &e->list[e->base.independent[b]], name);
        tqa_writer_string(answer, NULL, name);
    }
    tqa_writer_end(answer);
    return true;
}

static const tqa_tree_methods methods = {
    .fields = fields, .cost_us = cost_us, .check = check, .run = run};
const tqa_operation_methods tqa_excitation_methods = {.tree = &methods};
