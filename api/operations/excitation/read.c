/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/excitation/read.c - the request: what is searched for, limits, noise, motions that
 * are recorded. */
#include "api/operations/excitation/excitation.h"

#include <math.h>
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/openapi/generated/ranges.h"
#include "api/operations/trajectory/reference.h"

enum {
    TRIES_MAX = TQA_RANGE_EXCITATION_REQUEST_TRIES_MOST,
    TRIES = TQA_RANGE_EXCITATION_REQUEST_TRIES_DEFAULT, /* unless asked otherwise */
    SAMPLES_MAX = 100000,
    RECORDED_MAX = 64,
};

static const char *const limit_fields[] = {TQA_FIELDS_EXCITATION_REQUEST_LIMITS, NULL};
static const char *const kinds[] = {TQA_WORDS_EXCITATION_REQUEST_PARAMETERS, NULL};
static const char *const criteria[] = {TQA_WORDS_EXCITATION_REQUEST_CRITERION, NULL};

static bool take_limits(tqa_excitation *e)
{
    const tq_model *model = e->tree->robot->model;
    for (unsigned k = 0; k < TQA_EXCITATION_LIMITS; k++) {
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
        e->limits[TQA_EXCITATION_LOWER][v] = bounded ? joint->limits.lower
                                             : turns ? -M_PI
                                                     : (double)NAN;
        e->limits[TQA_EXCITATION_UPPER][v] = bounded ? joint->limits.upper
                                             : turns ? M_PI
                                                     : (double)NAN;
        e->limits[TQA_EXCITATION_VELOCITY][v] =
            joint->limits.velocity > 0.0 ? joint->limits.velocity : HUGE_VAL;
        e->limits[TQA_EXCITATION_ACCELERATION][v] = HUGE_VAL;
        e->limits[TQA_EXCITATION_EFFORT][v] =
            joint->limits.effort > 0.0 ? joint->limits.effort : HUGE_VAL;
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
bool tqa_excitation_read_limits(tqa_excitation *e, const char *const *known)
{
    const tqa_value root = tqa_value_root(e->tree);
    const tqa_value limits = tqa_value_field(&root, "limits");
    if (!take_limits(e)) {
        return false;
    }
    if (limits.value != NULL && !tqa_value_limits(&limits, known)) {
        return false;
    }
    for (unsigned k = 0; k < TQA_EXCITATION_LIMITS && limits.value != NULL; k++) {
        const tqa_value row = tqa_value_field(&limits, limit_fields[k]);
        const tqa_row_kind kind = k == TQA_EXCITATION_EFFORT ? TQA_ROW_LIMIT : TQA_ROW_RATE_LIMIT;
        if (row.value != NULL && !tqa_value_row(&row, &e->order, kind, e->limits[k])) {
            return false;
        }
    }
    for (size_t r = 0; r < e->order.nv; r++) {
        const uint32_t v = e->order.v[r];
        const double lower = e->limits[TQA_EXCITATION_LOWER][v],
                     upper = e->limits[TQA_EXCITATION_UPPER][v];
        if (!(lower < upper)) {
            const char *name = joint_name(e->tree->robot, v);
            return tqa_value_refuse(&limits, isnan(lower) ? "missing-field" : "range",
                                    "give \"lower\" and \"upper\" for every joint, rad or m",
                                    isnan(lower) ? "joint \"%s\" slides and has no limits"
                                                 : "joint \"%s\" has no room between its limits",
                                    name);
        }
        for (unsigned k = TQA_EXCITATION_VELOCITY; k < TQA_EXCITATION_LIMITS; k++) {
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
static bool read_period(tqa_excitation *e, const tqa_value *frequency)
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

static bool read_search(tqa_excitation *e)
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
    static const tq_excitation_criterion of_word[] = {
        TQ_EXCITATION_TORQUE_ERROR, TQ_EXCITATION_CONDITION, TQ_EXCITATION_DETERMINANT};
    tq_excitation_task *task = &e->task;
    size_t number = 0;
    unsigned chosen = 0;
    memcpy(e->gravity, e->tree->robot->model->gravity, sizeof e->gravity);
    task->frequency = 0.1;
    task->n_harmonic = TQA_EXCITATION_HARMONICS;
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
    task->criterion = of_word[chosen];
    task->seed = number;
    if (interval.value != NULL && !tqa_value_positive(&interval, &e->interval)) {
        return false;
    }
    const double n_sample = e->interval > 0.0 ? 1.0 / task->frequency / e->interval : 0.0;
    return n_sample <= (double)SAMPLES_MAX ||
           tqa_value_refuse(&interval, "range", "a longer interval",
                            "this gives %.9g samples, %d at most are given", n_sample, SAMPLES_MAX);
}

/* Noise of all joints, each above 0. */
bool tqa_excitation_read_noise(tqa_excitation *e)
{
    const tqa_value root = tqa_value_root(e->tree);
    const tqa_value part = tqa_value_field(&root, "torque_noise");
    const size_t nv = e->tree->robot->model->nv;
    if (part.value == NULL) {
        return true;
    }
    double *noise = tqa_tree_take(e->tree, nv, sizeof *noise);
    if (noise == NULL) {
        return false;
    }
    memset(noise, 0, nv * sizeof *noise);
    if (!tqa_value_row(&part, &e->order, TQA_ROW_LIMIT, noise)) {
        return false;
    }
    for (size_t r = 0; r < nv; r++) {
        const uint32_t v = e->order.v[r];
        if (!(noise[v] > 0.0)) {
            return tqa_value_refuse(&part, "range", "a standard deviation above 0 for every joint",
                                    "joint \"%s\" has noise %g", joint_name(e->tree->robot, v),
                                    noise[v]);
        }
    }
    e->task.noise = noise;
    return true;
}

/* Series of motions that are recorded: {"fourier": ...} each, or an answer of this operation. */
static bool read_recorded(tqa_excitation *e)
{
    const tqa_value root = tqa_value_root(e->tree);
    const tqa_value list = tqa_value_field(&root, "recorded");
    size_t n = 0;
    if (list.value == NULL) {
        return true;
    }
    if (!tqa_value_list(&list, "motions", &n)) {
        return false;
    }
    if (n > RECORDED_MAX) {
        return tqa_value_refuse(&list, "too-large", "leave the oldest out",
                                "%d motions at most are counted, here are %zu", RECORDED_MAX, n);
    }
    tq_fourier *recorded = tqa_tree_take(e->tree, n, sizeof *recorded);
    for (size_t k = 0; recorded != NULL && k < n; k++) {
        const tqa_value item = tqa_value_item(&list, k);
        tqa_reference reference = {0};
        const tqa_value fourier = tqa_value_field(&item, "fourier");
        if (fourier.value == NULL) {
            return tqa_value_refuse(&item, "missing-field",
                                    "an answer of this operation, or its {\"fourier\": {...}}",
                                    "a recorded motion is given by \"fourier\"");
        }
        if (!tqa_reference_object(&item) ||
            !tqa_value_reference(&item, &e->order, TQA_PATH_FOURIER, NULL, &reference)) {
            return false;
        }
        recorded[k] = reference.motion.fourier;
    }
    e->task.recorded = recorded;
    e->task.n_recorded = n;
    return recorded != NULL;
}

bool tqa_excitation_read(tqa_excitation *e)
{
    return tqa_tree_order(e->tree, &e->order) && read_search(e) &&
           tqa_excitation_read_limits(e, limit_fields) && tqa_excitation_read_noise(e) &&
           read_recorded(e) && tqa_excitation_read_options(e);
}
