/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/read.c - the request of a simulation, checked before the run. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/openapi/generated/ranges.h"
#include "api/operations/simulate/simulate.h"
#include "core/dynamics/inverse.h"

static const double duration_max = TQA_RANGE_SIMULATE_REQUEST_DURATION_S_MOST; /* s */
enum { OUTPUTS_DEFAULT = 1000 };                     /* intervals of a duration */
enum { NUMBERS_MAX = 1 << 28, TIMES_MAX = 1 << 20 }; /* of a result: 2 GiB; of a request */

static const char *const initial_fields[] = {TQA_FIELDS_SIMULATE_REQUEST_INITIAL, NULL};
static const char *const output_fields[] = {TQA_FIELDS_SIMULATE_REQUEST_OUTPUT, NULL};
static const char *const includes[] = {TQA_WORDS_SIMULATE_REQUEST_INCLUDE, NULL};
static const char *const left_out[] = {TQA_WORDS_SIMULATE_REQUEST_WITHOUT, NULL};
static const unsigned left_out_bits[] = {TQ_WITHOUT_FRICTION | TQ_WITHOUT_DRAG, TQ_WITHOUT_ROTOR,
                                         TQ_WITHOUT_SPRING, TQ_WITHOUT_GRAVITY};

static bool read_initial(tqa_simulation *s)
{
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value initial = tqa_value_field(&root, "initial");
    if (!tqa_value_object(&initial, initial_fields)) {
        return false;
    }
    const tqa_value q = tqa_value_field(&initial, "q");
    const tqa_value qd = tqa_value_field(&initial, "qd");
    s->q = tqa_tree_take(s->tree, s->order.nq + 1, sizeof(double));
    s->qd = tqa_tree_take(s->tree, s->order.nv + 1, sizeof(double));
    return s->q != NULL && s->qd != NULL &&
           tqa_value_need(&q, "add \"q\": the coordinates at the start") &&
           tqa_value_row(&q, &s->order, TQA_ROW_Q, s->q) &&
           (qd.value == NULL || tqa_value_row(&qd, &s->order, TQA_ROW_RATE, s->qd));
}

/* rows that a result may have: bounded by its numbers */
static size_t rows_max(const tqa_simulation *s)
{
    return NUMBERS_MAX / s->width;
}

static bool read_times(tqa_simulation *s, const tqa_value *times, double duration)
{
    size_t n = 0;
    if (!tqa_value_array(times, 1, TIMES_MAX, &n)) {
        return false;
    }
    s->n_output = n + 1;
    s->times = tqa_tree_take(s->tree, s->n_output, sizeof(double));
    if (s->times == NULL || !tqa_value_numbers(times, n, s->times + 1)) {
        return false;
    }
    size_t from = 1;
    if (s->times[1] == 0.0) { /* the start is always an output */
        s->n_output = n;
        memmove(s->times, s->times + 1, n * sizeof(double));
    }
    for (size_t k = from; k < s->n_output; k++) {
        if (!(s->times[k] > s->times[k - 1] && s->times[k] <= duration)) {
            const tqa_value item = tqa_value_item(times, k - (s->n_output == n ? 0 : 1));
            return tqa_value_refuse(&item, "range", "times increase and end by the duration",
                                    "time %g follows %g", s->times[k], s->times[k - 1]);
        }
    }
    return true;
}

static bool read_output(tqa_simulation *s)
{
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value duration = tqa_value_field(&root, "duration_s");
    const tqa_value output = tqa_value_field(&root, "output");
    double seconds = 0.0;
    if (!tqa_value_positive(&duration, &seconds)) {
        return false;
    }
    if (seconds > duration_max) {
        return tqa_value_refuse(&duration, "range",
                                "a shorter duration; several runs go on from each other",
                                "%g s is more than %g s", seconds, duration_max);
    }
    if (output.value == NULL) {
        s->interval = seconds / (double)OUTPUTS_DEFAULT;
        s->n_output = OUTPUTS_DEFAULT + 1;
        return s->interval >= DBL_MIN ||
               tqa_value_refuse(&duration, "range", "a longer duration",
                                "%d outputs do not have times of their own within %g s",
                                OUTPUTS_DEFAULT, seconds);
    }
    if (!tqa_value_object(&output, output_fields)) {
        return false;
    }
    const tqa_value interval = tqa_value_field(&output, "interval_s");
    const tqa_value times = tqa_value_field(&output, "times_s");
    if (times.value != NULL) {
        return interval.value == NULL
                   ? read_times(s, &times, seconds)
                   : tqa_value_refuse(&times, "invalid-value", "give one of them",
                                      "\"interval_s\" and \"times_s\" exclude each other");
    }
    if (!tqa_value_need(&interval, "add \"interval_s\": seconds between outputs") ||
        !tqa_value_positive(&interval, &s->interval)) {
        return false;
    }
    /* the last output is the one at the duration; a rest shorter than rounding is none */
    const double n = floor(seconds / s->interval * (1.0 + 4e-16)) + 1.0;
    if (n > (double)rows_max(s)) {
        return tqa_value_refuse(&interval, "range", "a longer interval",
                                "%.9g output samples, but a result has %zu at most for this robot",
                                n, rows_max(s));
    }
    if (n < 2.0) {
        return tqa_value_refuse(&interval, "range", "an interval of at most the duration",
                                "the interval is longer than the duration");
    }
    s->n_output = (size_t)n;
    return true;
}

double tqa_simulation_time(const tqa_simulation *s, size_t k)
{
    return s->times == NULL ? (double)k * s->interval : s->times[k];
}

/* q, qd, tau and the columns of `include`: determined before the outputs are counted */
static bool fill_q(tqa_simulation *s, double *to)
{
    for (size_t k = 0; k < s->order.nq; k++) {
        to[k] = s->run->state->q[k * TQ_BLOCK_PAD];
    }
    return true;
}

static bool fill_v(const tqa_simulation *s, const double *from, double *to)
{
    for (size_t k = 0; k < s->order.nv; k++) {
        to[k] = from[k * TQ_BLOCK_PAD];
    }
    return true;
}

static bool fill_qd(tqa_simulation *s, double *to)
{
    return fill_v(s, s->run->state->qd, to);
}

static bool fill_qdd(tqa_simulation *s, double *to)
{
    return fill_v(s, s->rates.qd, to);
}

static bool fill_tau(tqa_simulation *s, double *to)
{
    return fill_v(s, s->rates.tau, to);
}

static bool read_columns(tqa_simulation *s, bool *ret_multipliers)
{
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value include = tqa_value_field(&root, "include");
    unsigned bits = 0;
    s->width = 1;
    if (include.value != NULL && !tqa_value_choices(&include, includes, &bits)) {
        return false;
    }
    s->judge.include = bits >> 2;
    *ret_multipliers = (bits >> 1 & 1u) != 0;
    const tqa_column q = {.name = "q", .n = s->order.nq, .map = s->order.q, .fill = fill_q};
    const tqa_column qd = {.name = "qd", .n = s->order.nv, .map = s->order.v, .fill = fill_qd};
    const tqa_column qdd = {.name = "qdd", .n = s->order.nv, .map = s->order.v, .fill = fill_qdd};
    const tqa_column tau = {.name = "tau", .n = s->order.nv, .map = s->order.v, .fill = fill_tau};
    return tqa_simulation_add_column(s, &q) && tqa_simulation_add_column(s, &qd) &&
           ((bits & 1u) == 0 || tqa_simulation_add_column(s, &qdd)) &&
           tqa_simulation_add_column(s, &tau);
}

/* payload, and terms that act */
static bool read_terms(tqa_simulation *s)
{
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value gravity = tqa_value_field(&root, "gravity");
    const tqa_value without = tqa_value_field(&root, "without");
    const tqa_value payload = tqa_value_field(&root, "payload");
    unsigned bits = 0;
    memcpy(s->gravity, s->tree->robot->model->gravity, sizeof s->gravity);
    if ((gravity.value != NULL && !tqa_value_gravity(&gravity, s->gravity)) ||
        (without.value != NULL && !tqa_value_choices(&without, left_out, &bits))) {
        return false;
    }
    for (unsigned k = 0; left_out[k] != NULL; k++) {
        s->plant.without |= (bits >> k & 1u) != 0 ? left_out_bits[k] : 0u;
    }
    s->mechanism = s->tree->robot->mechanism;
    if (payload.value != NULL && !tqa_value_mechanism(s->tree, &payload, 1.0, &s->mechanism)) {
        return false;
    }
    s->plant.mechanism = s->mechanism;
    s->plant.gravity = s->gravity;
    s->plant.effects = s->effects;
    return true;
}

bool tqa_simulation_add_effect(tqa_simulation *s, const tq_effect *effect)
{
    if (s->plant.n_effect == TQA_EFFECTS_MAX) {
        return tqa_problem_set(s->tree->problem, "too-large", "too many effects on the robot");
    }
    s->effects[s->plant.n_effect++] = *effect;
    return true;
}

static bool read_disturbances(tqa_simulation *s)
{
    const tqa_value root = tqa_value_root(s->tree);
    tqa_disturbances found = {0};
    if (!tqa_value_disturbances(&root, &s->order, s->mechanism, &found)) {
        return false;
    }
    s->plant.wrenches = found.wrenches;
    s->plant.n_wrench = found.n_wrench;
    if (!tqa_contacts_add_wrenches(s)) {
        return false;
    }
    for (size_t k = 0; k < found.n_effect; k++) {
        if (!tqa_simulation_add_effect(s, &found.effects[k])) {
            return false;
        }
    }
    return true;
}

/* the run ends at its last output */
static bool find_duration(tqa_simulation *s)
{
    s->duration = tqa_simulation_time(s, s->n_output - 1);
    return true;
}

static bool read_events(tqa_simulation *s)
{
    if (!tqa_tree_watch(s->tree, &s->order, s->q, &s->watch)) {
        return false;
    }
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value events = tqa_value_field(&root, "events");
    for (size_t k = 0; s->plant.contacts != NULL && k < s->watch.n_rule; k++) {
        if (s->watch.rules[k].action == TQ_EVENT_BOUNCE) {
            return tqa_value_refuse(&events, "invalid-value", "\"report\" or \"stop\"",
                                    "joints do not bounce beside \"contacts\": an impulse of a "
                                    "limit would have to be shared with those of contacts");
        }
    }
    s->watch.pair_names = s->contacts.pair_names;
    s->options.rules = s->watch.rules;
    s->options.n_rule = s->watch.n_rule;
    return true;
}

bool tqa_simulation_read_start(tqa_simulation *s)
{
    s->tree->in_radians = true;
    return tqa_tree_order(s->tree, &s->order) && tqa_drives_read(s) && read_terms(s) &&
           read_initial(s) && tqa_simulation_constrain(s, false) && tqa_simulation_read_solver(s);
}

bool tqa_simulation_read_effects(tqa_simulation *s)
{
    return tqa_drives_add(s) && read_disturbances(s) && read_events(s);
}

bool tqa_simulation_read_plant(tqa_simulation *s)
{
    bool multipliers = false;
    s->tree->in_radians = true; /* results are read as recordings */
    return tqa_tree_order(s->tree, &s->order) && read_columns(s, &multipliers) &&
           tqa_drives_read(s) && read_terms(s) && read_initial(s) &&
           tqa_simulation_constrain(s, multipliers) && tqa_simulation_read_contacts(s) &&
           read_output(s) && find_duration(s) && tqa_simulation_read_solver(s) &&
           tqa_simulation_read_input(s) && tqa_simulation_read_effects(s);
}

bool tqa_simulation_read(tqa_simulation *s)
{
    return tqa_simulation_read_plant(s) && tqa_run_verdict_read(s);
}
