/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/excitation/static_poses.c - POST .../static-poses: poses at rest that identify
 * gravity or a payload. */
#include "core/excitation/poses.h"

#include <math.h>
#include <string.h>

#include "api/call/call.h"
#include "api/openapi/generated/fields.h"
#include "api/openapi/generated/ranges.h"
#include "api/operations/excitation/excitation.h"
#include "api/operations/unmodelled.h"
#include "api/response/robot_writer.h"
#include "core/identify/payload/payload.h"

enum {
    POSES = TQA_RANGE_STATIC_POSES_REQUEST_POSES_DEFAULT,
    CANDIDATES = TQA_RANGE_STATIC_POSES_REQUEST_CANDIDATES_DEFAULT,
    CANDIDATES_LEAST = TQA_RANGE_STATIC_POSES_REQUEST_CANDIDATES_LEAST,
    CANDIDATES_MOST = TQA_RANGE_STATIC_POSES_REQUEST_CANDIDATES_MOST,
};

static const double most_error = 1.0; /* of a gain: not determined above */
static const double dwell_default = TQA_RANGE_STATIC_POSES_REQUEST_DWELL_S_DEFAULT; /* s */

static const char *const fields[] = {TQA_FIELDS_STATIC_POSES_REQUEST, NULL};
static const char *const limit_fields[] = {TQA_FIELDS_STATIC_POSES_REQUEST_LIMITS, NULL};
static const char *const kinds[] = {TQA_WORDS_STATIC_POSES_REQUEST_PARAMETERS, NULL};
static const char *const criteria[] = {TQA_WORDS_STATIC_POSES_REQUEST_CRITERION, NULL};

/* measured: some four rounds of exchanges, a tenth of a nanosecond an entry and row of a candidate;
 * a pair of solids is half a microsecond */
static double cost_us(const tqa_tree *tree)
{
    const double poses = json_number_value(json_object_get(tree->root, "poses"));
    const double candidates = json_number_value(json_object_get(tree->root, "candidates"));
    const double solids = (double)json_array_size(json_object_get(tree->root, "shapes"));
    const double n = 12.0 * (double)tree->robot->model->n_joint;
    const double n_pose = poses > 0.0 ? fmin(poses, (double)TQ_POSES_MAX) : (double)POSES;
    const double among = candidates > 0.0 ? fmin(candidates, CANDIDATES_MOST) : (double)CANDIDATES;
    return 100.0 + 4e-4 * n_pose * among * (double)tree->robot->model->nv * n * n +
           0.5 * solids * solids * (among + 20.0 * n_pose * n_pose);
}

static bool read_search(tqa_excitation *e)
{
    const tqa_value root = tqa_value_root(e->tree);
    const tqa_value poses = tqa_value_field(&root, "poses");
    const tqa_value candidates = tqa_value_field(&root, "candidates");
    const tqa_value with = tqa_value_field(&root, "parameters");
    const tqa_value criterion = tqa_value_field(&root, "criterion");
    const tqa_value dwell = tqa_value_field(&root, "dwell_s");
    const tqa_value seed = tqa_value_field(&root, "seed");
    const tqa_value gravity = tqa_value_field(&root, "gravity");
    static const tq_excitation_criterion of_word[] = {TQ_EXCITATION_TORQUE_ERROR,
                                                      TQ_EXCITATION_DETERMINANT};
    unsigned chosen = 0, bits = 0;
    size_t number = 0;
    memcpy(e->gravity, e->tree->robot->model->gravity, sizeof e->gravity);
    e->n_pose = POSES;
    e->n_candidate = CANDIDATES;
    e->dwell = dwell_default;
    if ((poses.value != NULL && !tqa_value_count(&poses, 2, TQ_POSES_MAX, &e->n_pose)) ||
        (candidates.value != NULL &&
         !tqa_value_count(&candidates, CANDIDATES_LEAST, CANDIDATES_MOST, &e->n_candidate)) ||
        (with.value != NULL && !tqa_value_choices(&with, kinds, &bits)) ||
        (criterion.value != NULL && !tqa_value_choice(&criterion, criteria, &chosen)) ||
        (dwell.value != NULL && !tqa_value_positive(&dwell, &e->dwell)) ||
        (seed.value != NULL && !tqa_value_count(&seed, 0, (size_t)1 << 53, &number)) ||
        (gravity.value != NULL && !tqa_value_gravity(&gravity, e->gravity))) {
        return false;
    }
    e->task.with = ((bits & 1u) != 0 ? (unsigned)TQ_REGRESS_OFFSET : 0u) |
                   ((bits & 2u) != 0 ? (unsigned)TQ_REGRESS_STIFFNESS : 0u);
    e->task.criterion = of_word[chosen];
    e->task.seed = number;
    return e->n_pose <= e->n_candidate ||
           tqa_value_refuse(&poses, "range", "more \"candidates\", or fewer poses",
                            "%zu poses of %zu candidates", e->n_pose, e->n_candidate);
}

/* A known load, with which and without poses are recorded. */
static bool read_load(tqa_excitation *e)
{
    static const char *const load_fields[] = {TQA_FIELDS_STATIC_POSES_REQUEST_LOAD, NULL};
    const tqa_value root = tqa_value_root(e->tree);
    const tqa_value part = tqa_value_field(&root, "load");
    const tqa_value mass = tqa_value_field(&part, "mass");
    const tqa_value com = tqa_value_field(&part, "com");
    const tqa_value link = tqa_value_field(&part, "link");
    double centre[3] = {0};
    if (part.value == NULL) {
        return true;
    }
    if (!tqa_value_object(&part, load_fields) ||
        !tqa_value_need(&mass, "add \"mass\": its mass in kg") ||
        !tqa_value_within(&mass, 1e-6, 1e6, &e->load[0]) ||
        (com.value != NULL &&
         !tqa_value_vector(&com, 3, "its centre of mass in the frame of the link, m", centre))) {
        return false;
    }
    e->load_link = tq_payload_last_link(e->tree->robot->model);
    for (size_t k = 0; k < 3; k++) {
        e->load[1 + k] = e->load[0] * centre[k];
    }
    if (e->link != TQ_NONE) {
        return tqa_value_refuse(&part, "invalid-value", "leave out one of both",
                                "of a payload that is not known gains are not told apart");
    }
    return (link.value == NULL || tqa_value_link(&link, &e->load_link)) &&
           tqa_payload_weighs(&link, e->load_link) &&
           (tq_payload_is_moved(e->tree->robot->model, e->load_link) ||
            tqa_value_refuse(&link, "invalid-value", "name a link beyond a moving joint",
                             "no joint moves that link: no torque depends on its load"));
}

static bool check(tqa_tree *tree)
{
    tqa_excitation *e = tqa_excitation_take(tree);
    return e != NULL && tqa_tree_order(tree, &e->order) && read_search(e) &&
           tqa_excitation_read_limits(e, limit_fields) && tqa_excitation_read_noise(e) &&
           tqa_excitation_read_options(e) && read_load(e);
}

/* ------------------------------------------------------------------------------------------------
 * The answer
 */

static void put_legs(tqa_excitation *e, const tq_poses *found)
{
    tqa_writer *answer = e->tree->answer;
    double total = (double)found->n_pose * e->dwell;
    const size_t nv = e->order.nv;
    size_t n_blocked = 0, n_lost = 0;
    tqa_writer_list(answer, "legs");
    for (size_t k = 0; k < found->n_pose; k++) {
        const tq_pose_leg *leg = &found->legs[k];
        const bool is_clear = !(leg->distance < e->clearance.least);
        const bool is_lost = e->task.clearance != NULL && !is_clear && leg->via == NULL;
        tqa_writer_object(answer, NULL);
        tqa_writer_number(answer, "duration_s", leg->duration);
        if (e->task.clearance != NULL) {
            tqa_writer_number(answer, "distance", leg->distance);
            tqa_writer_flag(answer, "is_clear", is_clear);
        }
        if (leg->via != NULL) {
            tqa_rows_to_user(e->tree, TQA_ROW_Q, leg->via, leg->n_via);
            tqa_writer_rows(answer, "via", leg->via, leg->n_via, false, e->order.q, nv);
            tqa_writer_number(answer, "via_distance_m", leg->via_distance);
        }
        n_lost += is_lost ? 1 : 0;
        tqa_writer_end(answer);
        total += leg->duration;
        n_blocked += e->task.clearance != NULL && !is_clear ? 1 : 0;
    }
    tqa_writer_end(answer);
    if (e->task.clearance != NULL) {
        tqa_writer_count(answer, "legs_not_clear", n_blocked);
        tqa_writer_count(answer, "legs_without_way", n_lost);
    }
    tqa_writer_number(answer, "dwell_s", e->dwell);
    tqa_writer_number(answer, "duration_s", total);
}

static void put_poses(tqa_excitation *e, tq_poses *found)
{
    tqa_writer *answer = e->tree->answer;
    const size_t nv = e->order.nv, n = found->n_pose;
    tqa_rows_to_user(e->tree, TQA_ROW_Q, found->q, n);
    tqa_writer_joints(answer, e->tree->robot, &e->order);
    tqa_writer_rows(answer, "q", found->q, n, false, e->order.q, nv);
    tqa_writer_rows(answer, "tau", found->tau, n, false, e->order.v, nv);
    put_legs(e, found);
    if (found->gain_error != NULL) {
        tqa_writer_list(answer, "gain_errors");
        for (size_t r = 0; r < nv; r++) {
            const double error = found->gain_error[e->order.v[r]];
            tqa_writer_number_or_null(answer, NULL, error < most_error ? error : (double)NAN);
        }
        tqa_writer_end(answer);
    }
    tqa_writer_count(answer, "candidates", found->n_candidate);
    tqa_excitation_put_score(e, "score", &found->score);
    tqa_excitation_put_score(e, "first_random", &found->first);
    tqa_excitation_put_base(e);
}

/* (n_parameter) of the load */
static bool fill_load(tqa_excitation *e, const double **ret)
{
    const size_t n = tq_parameter_count(e->tree->robot->model, e->task.with);
    *ret = NULL;
    if (!(e->load[0] > 0.0)) {
        return true;
    }
    double *load = tqa_tree_take(e->tree, n, sizeof *load);
    for (size_t p = 0; load != NULL && p < n; p++) {
        const bool is_one = e->list[p].link == e->load_link && e->list[p].kind <= TQ_PARAMETER_MZ;
        load[p] = is_one ? e->load[e->list[p].kind - TQ_PARAMETER_MASS] : 0.0;
    }
    *ret = load;
    return load != NULL;
}

/* rows of all candidates; 64 MiB */
static const double numbers_max = 8388608.0;

static bool is_stopped(void *ctx)
{
    return tqa_tree_stop(ctx);
}

static bool search(tqa_excitation *e, tq_poses *found)
{
    const tqa_value root = tqa_value_root(e->tree);
    const tqa_value part = tqa_value_field(&root, "poses");
    tq_poses_task task = {.motion = e->task, .n_pose = e->n_pose, .n_candidate = e->n_candidate};
    tq_scratch scratch;
    tq_error error = {0};
    if (!fill_load(e, &task.load)) {
        return false;
    }
    const double nv = (double)e->order.nv;
    const double length =
        task.load != NULL ? 2.0 * nv * ((double)e->base.n_base + nv) : nv * (double)e->base.n_base;
    const double numbers = (double)e->n_candidate * length;
    if (numbers > numbers_max) {
        return tqa_value_refuse(&part, "too-large", "fewer \"candidates\"",
                                "%zu candidates of %zu joints and %zu parameters: at most %.0f "
                                "candidates",
                                e->n_candidate, e->order.nv, e->base.n_base,
                                floor(numbers_max * (double)e->n_candidate / numbers));
    }
    if (!tqa_tree_scratch(e->tree, tq_poses_scratch_size(&task), &scratch)) {
        return false;
    }
    const tq_status status = tq_poses_find(&task, is_stopped, e->tree, &scratch, found, &error);
    if (status == TQ_ERR_RANGE) {
        return tqa_value_refuse(&part, "range",
                                "fewer poses, more candidates, wider limits, or less clearance",
                                "%.0f of %zu candidates keep the limits of torque and clearance",
                                error.value, e->n_candidate);
    }
    if (status == TQ_ERR_SHAPE) {
        return tqa_value_refuse(&root, "invalid-robot",
                                "a motion: `excitation`; or another \"gravity\"",
                                "no torque at rest depends on a parameter: gravity does not load "
                                "the joints");
    }
    return status == TQ_OK || tqa_tree_fail(e->tree, "", status, &error);
}

static bool run(tqa_tree *tree)
{
    tqa_excitation *e = tree->state;
    tq_poses found = {0};
    if (!tqa_excitation_find_base(e)) {
        return false;
    }
    tqa_excitation_fill(e);
    tree->is_motion = true;
    if (!search(e, &found)) {
        return false;
    }
    put_poses(e, &found);
    return true;
}

static const tqa_tree_methods methods = {
    .fields = fields, .cost_us = cost_us, .check = check, .run = run};
const tqa_operation_methods tqa_static_poses_methods = {.tree = &methods};
