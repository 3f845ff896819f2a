/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/unknown_gains.c - gains of the controller that the request does not
 * know: read, started, what sets the scale of torque, and as found. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/operations/calibrate/calibrate.h"
#include "api/operations/simulate/controller.h"
#include "api/recordings/commanded.h"
#include "core/identify/gain_start.h"

enum { KINDS = TQ_GAIN_KI + 1 };
static const double least_share =
    0.5; /* of the torque of a joint that the robot's model explains */
static const double least_gain = 1e-9, most_gain = 1e12;
static const char *const start_fields[] = {TQA_FIELDS_UNKNOWN_GAIN, NULL};
static const char *const keys[KINDS] = {"kp", "kd", "ki"};
static const char *const units[KINDS][2] = {
    {"N m/rad", "N/m"}, {"N m s/rad", "N s/m"}, {"N m/(rad s)", "N/(m s)"}};

/* ------------------------------------------------------------------------------------------------
 * The request
 */

static bool is_unknown(const json_t *value)
{
    return (json_is_string(value) && strcmp(json_string_value(value), "fit") == 0) ||
           (json_is_object(value) && json_object_get(value, "start") != NULL);
}

static bool has_unknown(const tqa_value *part)
{
    const char *name = NULL;
    json_t *value = NULL;
    size_t k = 0;
    if (is_unknown(part->value)) {
        return true;
    }
    json_array_foreach(part->value, k, value)
    {
        if (is_unknown(value)) {
            return true;
        }
    }
    json_object_foreach(part->value, name, value)
    {
        if (is_unknown(value)) {
            return true;
        }
    }
    return false;
}

static bool add(tqa_calibration *c, tq_gain_kind kind, size_t row, double start, bool has_start)
{
    const size_t most = KINDS * c->order.nv;
    if (c->gains == NULL) {
        c->gains = tqa_tree_take(c->tree, most, sizeof *c->gains);
        c->gain_is_open = tqa_tree_take(c->tree, most, sizeof *c->gain_is_open);
        c->gain_start = tqa_tree_take(c->tree, most, sizeof *c->gain_start);
    }
    if (c->gains == NULL || c->gain_is_open == NULL || c->gain_start == NULL) {
        return false;
    }
    c->gain_is_open[c->options.n_gain] = !has_start;
    c->gains[c->options.n_gain++] = (tq_unknown_gain){
        .kind = kind, .joint = tqa_calibration_joint(c, row), .row = row, .start = start};
    return true;
}

/* "fit", {"start": 60}, or a number; of a part for all joints `start` may be a list */
static bool read_one(tqa_calibration *c, const tqa_value *item, size_t r, tq_gain_kind kind,
                     double *ret)
{
    static const char *const words[] = {"fit", NULL};
    const size_t row = c->order.v[r];
    unsigned word = 0;
    if (json_is_string(item->value)) {
        *ret = kind == TQ_GAIN_KP ? 1.0 : 0.0; /* of the survey's torque only */
        return tqa_value_choice(item, words, &word) && add(c, kind, row, *ret, false);
    }
    if (json_is_object(item->value)) {
        const tqa_value start = tqa_value_field(item, "start");
        const tqa_value own = json_is_array(start.value) ? tqa_value_item(&start, r) : start;
        size_t n = 0;
        return tqa_value_object(item, start_fields) &&
               (!json_is_array(start.value) ||
                tqa_value_array(&start, c->order.nv, c->order.nv, &n)) &&
               tqa_value_within(&own, least_gain, most_gain, ret) && add(c, kind, row, *ret, true);
    }
    return tqa_value_within(item, 0.0, most_gain, ret);
}

/* Every key is the name of a joint of the robot. */
static bool check_names(const tqa_calibration *c, const tqa_value *part)
{
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach(part->value, name, value)
    {
        if (tqa_robot_joint(c->tree->robot, name, strlen(name)) == TQ_NONE) {
            const tqa_value place = tqa_value_field(part, name);
            return tqa_value_refuse(&place, "unknown-name", "name a joint of the robot",
                                    "\"%.64s\" is no joint", name);
        }
    }
    return true;
}

bool tqa_calibration_read_gain(tqa_calibration *c, const tqa_value *part, tq_gain_kind kind,
                               const double **ret)
{
    const size_t nv = c->order.nv;
    size_t n = 0;
    if (!has_unknown(part)) {
        return tqa_value_gain(part, &c->order, ret);
    }
    double *values = tqa_tree_take(c->tree, nv + 1, sizeof *values);
    *ret = values;
    const bool is_whole = is_unknown(part->value);
    if (values == NULL || (json_is_array(part->value) && !tqa_value_array(part, nv, nv, &n)) ||
        (json_is_object(part->value) && !is_whole && !check_names(c, part))) {
        return false;
    }
    for (size_t r = 0; r < nv; r++) {
        const char *joint = c->tree->robot->joint_names[tqa_calibration_joint(c, c->order.v[r])];
        const bool is_named = json_is_object(part->value) && !is_whole;
        const tqa_value item = is_whole   ? *part
                               : is_named ? tqa_value_field(part, joint)
                                          : tqa_value_item(part, r);
        values[c->order.v[r]] = 0.0;
        if (item.value != NULL && !read_one(c, &item, r, kind, &values[c->order.v[r]])) {
            return false;
        }
    }
    return true;
}

static bool refuse_with(const char *pointer, const tqa_calibration *c, const char *hint,
                        const char *why)
{
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value part = tqa_value_field(&root, pointer);
    return tqa_value_refuse(&part, "invalid-value", hint, "with unknown gains %s", why);
}

bool tqa_calibration_check_gains(tqa_calibration *c)
{
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value part = tqa_value_field(&root, "controller");
    const tqa_value method = tqa_value_field(&root, "method");
    const tqa_value compare = tqa_value_field(&root, "compare");
    const tqa_value reference = tqa_value_field(&part, "reference");
    const tqa_value limits = tqa_value_field(&part, "effort_limits");
    static const char *const references[] = {TQA_WORDS_CALIBRATE_CONTROLLER_REFERENCE, NULL};
    unsigned word = 0;
    if (reference.value != NULL && !tqa_value_choice(&reference, references, &word)) {
        return false;
    }
    if (c->options.n_gain == 0) {
        return reference.value == NULL ||
               tqa_value_refuse(&reference, "invalid-value", "leave it out",
                                "all gains are known: nothing else sets the scale of torque");
    }
    if (c->law.kind == TQ_COMMANDED_COMPUTED) {
        const tqa_value kind = tqa_value_field(&part, "kind");
        return tqa_value_refuse(&kind, "invalid-value",
                                "state its gains; or log the torque, or the acceleration as "
                                "feed-forward torque of \"pd\"",
                                "gains of \"computed-torque\" enter the torque of all joints: only "
                                "those of \"pd\" and \"pd-gravity\" can be fitted");
    }
    if (limits.value != NULL) {
        return tqa_value_refuse(&limits, "invalid-value",
                                "leave it out, and choose \"rows\" without saturation",
                                "which rows reach a limit is not known before the gains are");
    }
    double *none = tqa_tree_take(c->tree, c->order.nv, sizeof *none);
    for (size_t v = 0; none != NULL && v < c->order.nv; v++) {
        none[v] = (double)INFINITY;
    }
    c->law.limit = none;
    if (none == NULL) {
        return false;
    }
    if (method.value != NULL && !c->options.is_output) {
        return refuse_with("method", c, "leave it out, or say \"feasible-didim\"",
                           "the method is output error, along simulations of the closed loop");
    }
    if (compare.value != NULL) {
        return refuse_with("compare", c, "leave it out; or state the gains that are found",
                           "nothing is compared: other estimators need them");
    }
    if (c->options.fit.model.kind == TQ_FIT_PER_JOINT) {
        return refuse_with("model", c, "say \"kind\": \"base\"",
                           "each joint by itself has a scale that no log shows");
    }
    if (c->request.options.filter.kind == TQ_SMOOTHING_NONE) {
        return refuse_with("filter", c, "leave it out",
                           "errors of position pass the filter of torque: there must be one");
    }
    c->options.is_output = true;
    c->options.fit.method = TQ_FIT_FEASIBLE;
    c->options.chooses_method = false;
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * The scale of torque
 */

/* What sets the scale of torque, masses and gains beside unknown gains; NULL: nothing. */
static const char *scale_of(const tqa_calibration *c)
{
    for (size_t i = 0; i < c->n_fitted; i++) {
        if (!c->logs[i].is_commanded) {
            return "torque of a log that has it";
        }
    }
    const double *stated[KINDS] = {c->law.kp, c->law.kd, c->law.ki};
    for (unsigned kind = 0; kind < KINDS; kind++) {
        for (size_t v = 0; stated[kind] != NULL && v < c->order.nv; v++) {
            bool is_known = stated[kind][v] > 0.0;
            for (size_t k = 0; k < c->options.n_gain; k++) {
                is_known = is_known && !(c->gains[k].kind == kind && c->gains[k].row == v);
            }
            if (is_known) {
                return "gains that are stated";
            }
        }
    }
    if (c->law.kind == TQ_COMMANDED_PD_GRAVITY) {
        return "torque of gravity and springs in the law, by the robot's own masses";
    }
    for (size_t i = 0; i < c->n_fitted; i++) {
        if (tqa_commanded_has_feed_forward(&c->logs[i])) {
            return "feed-forward torque of a log";
        }
    }
    return NULL;
}

/* Where nothing sets the scale the robot's masses may; the first joint's kp is held at it. */
bool tqa_calibration_set_scale(tqa_calibration *c)
{
    if (c->options.n_gain == 0) {
        return true;
    }
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value part = tqa_value_field(&root, "controller");
    const tqa_value reference = tqa_value_field(&part, "reference");
    c->options.holds_gains = reference.value != NULL;
    if (scale_of(c) != NULL) {
        return true;
    }
    if (reference.value == NULL) {
        return tqa_value_refuse(
            &part, "invalid-value",
            "state one gain as a number: \"kp\": [60, \"fit\"]; or name a log with torque or "
            "\"tau_ff\"; or hold the masses of the robot, for example as weighed: "
            "\"reference\": \"robot\"",
            "nothing sets the scale of torque: all gains, masses, inertias and friction times one "
            "factor make the same motion. One gain, one torque constant, or one known mass or "
            "payload would");
    }
    for (size_t k = 0; k < c->options.n_gain; k++) {
        if (c->gains[k].kind == TQ_GAIN_KP && c->gains[k].row == c->order.v[0]) {
            c->gains[k].is_held = true;
        }
    }
    c->options.keeps_masses = true;
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Starts
 */

typedef struct starter {
    tqa_calibration *c;
    tq_gain_start *sums;
    tq_status status;
    tq_error error;
} starter;

static bool push(void *ctx, const tqa_recording_block *block)
{
    starter *s = ctx;
    s->status = tq_gain_start_push(s->sums, &block->data, &s->error);
    return s->status == TQ_OK;
}

static bool refuse_start(const tqa_calibration *c, size_t v, double share)
{
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value part = tqa_value_field(&root, "controller");
    return tqa_value_refuse(&part, "invalid-value",
                            "state its kp, or a start: {\"start\": 300}; or give the robot its "
                            "friction",
                            "gains of joint \"%.64s\" have no start: the robot's model makes %.0f "
                            "%% of the torque that they make",
                            c->tree->robot->joint_names[tqa_calibration_joint(c, v)],
                            100.0 * fmax(share, 0.0));
}

static bool has_open_kp(const tqa_calibration *c, size_t v)
{
    for (size_t k = 0; k < c->options.n_gain; k++) {
        if (c->gains[k].kind == TQ_GAIN_KP && c->gains[k].row == v && c->gain_is_open[k]) {
            return true;
        }
    }
    return false;
}

static bool read_starts(tqa_calibration *c, tq_scratch *scratch)
{
    const tq_mechanism *mechanism = c->tree->robot->mechanism;
    starter s = {.c = c};
    bool good = true;
    s.status = tq_gain_start_begin(mechanism, c->gains, c->gain_is_open, c->options.n_gain, scratch,
                                   &s.sums, &s.error);
    c->request.reads_gains = true;
    for (size_t i = 0; s.status == TQ_OK && good && i < c->n_fitted; i++) {
        good = !c->logs[i].is_commanded || tqa_recording_pass(&c->logs[i], push, &s) ||
               s.status != TQ_OK;
    }
    c->request.reads_gains = false;
    if (s.status != TQ_OK) {
        return tqa_calibration_fail(c, s.status, &s.error);
    }
    double *share = good ? tqa_tree_take(c->tree, c->order.nv, sizeof *share) : NULL;
    if (share == NULL) {
        return false;
    }
    tq_gain_start_end(s.sums, share);
    for (size_t v = 0; v < c->order.nv; v++) {
        if (share[v] < least_share && has_open_kp(c, v)) {
            return refuse_start(c, v, share[v]);
        }
    }
    return true;
}

bool tqa_calibration_refuse_gain(const tqa_calibration *c)
{
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value part = tqa_value_field(&root, "controller");
    char names[TQA_CONTROLLER_NOTE / 2] = "";
    size_t n = 0;
    for (size_t k = 0; k < c->options.n_gain; k++) {
        const char *name = c->tree->robot->joint_names[c->gains[k].joint];
        if (c->gains[k].is_loose && n + 70 < sizeof names) {
            n += (size_t)snprintf(names + n, sizeof names - n, "%s\"%.64s\"", n > 0 ? ", " : "",
                                  name);
        }
    }
    return tqa_value_refuse(
        &part, "invalid-value",
        "state kp of each as a number; or hold them at their start: \"reference\": \"robot\"",
        "the logs do not show the scale of gains of %.400s: the joint's own inertia, friction and "
        "gains times one factor make the same motion within the noise",
        names);
}

bool tqa_calibration_start_gains(tqa_calibration *c)
{
    tq_scratch scratch = {0};
    bool is_open = false;
    if (c->options.n_gain == 0) {
        return true;
    }
    for (size_t k = 0; k < c->options.n_gain; k++) {
        is_open = is_open || c->gain_is_open[k];
    }
    if (is_open &&
        (!tqa_calibration_take(c, tq_gain_start_size(c->tree->robot->mechanism, c->options.n_gain),
                               &scratch) ||
         !read_starts(c, &scratch))) {
        return false;
    }
    tqa_tree_give_scratch(c->tree, &scratch);
    for (size_t k = 0; k < c->options.n_gain; k++) {
        c->gain_start[k] = c->gains[k].start + c->gains[k].change;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * The answer
 */

static const tq_estimate *estimate_of(const tqa_calibration *c, size_t k)
{
    for (size_t i = 0; i < c->found->n_column; i++) {
        const tq_column *column = &c->found->columns[i];
        if (tq_column_is_gain(column->kind) && column->gain == k) {
            return &c->found->solution.estimate[i];
        }
    }
    return NULL;
}

static void put_gain(const tqa_calibration *c, size_t k)
{
    tqa_writer *answer = c->tree->answer;
    const tq_unknown_gain *gain = &c->gains[k];
    const char *why_not = gain->is_loose ? "held at its start: the logs do not show its scale"
                                         : "held: the robot's masses set its scale";
    const tq_joint *joint = &c->tree->robot->model->joints[gain->joint];
    const tq_estimate *e = estimate_of(c, k);
    tqa_writer_object(answer, NULL);
    tqa_writer_string(answer, "joint", c->tree->robot->joint_names[gain->joint]);
    tqa_writer_string(answer, "gain", keys[gain->kind]);
    tqa_writer_string(answer, "unit", units[gain->kind][joint->kind == TQ_JOINT_PRISMATIC]);
    tqa_writer_number(answer, "start", c->gain_start[k]);
    tqa_writer_string(answer, "start_by", c->gain_is_open[k] ? "robot" : "request");
    tqa_writer_number(answer, "value", e != NULL ? e->value : gain->start + gain->change);
    if (e == NULL) {
        tqa_writer_none(answer, "standard_deviation", why_not);
        tqa_writer_none(answer, "interval", why_not);
    } else {
        const double interval[2] = {e->low, e->high};
        tqa_writer_finite(answer, "standard_deviation", e->deviation,
                          "the data do not identify it");
        tqa_writer_vector(answer, "interval", interval, 2);
    }
    tqa_writer_end(answer);
}

void tqa_calibration_put_gains(const tqa_calibration *c)
{
    tqa_writer *answer = c->tree->answer;
    char text[TQA_CONTROLLER_NOTE];
    if (c->options.n_gain == 0) {
        return;
    }
    tqa_writer_list(answer, "gains");
    for (size_t k = 0; k < c->options.n_gain; k++) {
        put_gain(c, k);
    }
    tqa_writer_end(answer);
    const char *scale = scale_of(c);
    if (scale != NULL) {
        (void)snprintf(text, sizeof text, "set by %s, held for exact", scale);
    } else {
        (void)snprintf(text, sizeof text,
                       "undetermined by the logs: all gains, masses, inertias and friction times "
                       "one factor make the same motion. It is that of the robot's masses, whose "
                       "torque along the logs is the nearest; deviations are relative to kp of "
                       "joint \"%.64s\". One gain, one torque constant, or one known mass or "
                       "payload would determine it",
                       c->tree->robot->joint_names[tqa_calibration_joint(c, c->order.v[0])]);
    }
    tqa_writer_string(answer, "scale", text);
}
