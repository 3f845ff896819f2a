/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/drive.c - POST /v1/drive: a motor with its gear and amplifier by itself. */
#include <math.h>

#include "api/call/call.h"
#include "api/codec/writer.h"
#include "api/openapi/generated/fields.h"
#include "api/openapi/generated/ranges.h"
#include "api/request/drive_fields.h"
#include "core/drives/amplifier.h"
#include "core/drives/response.h"
#include "core/elementary/elementary.h"

enum {
    SPEEDS_MAX = TQA_RANGE_DRIVE_REQUEST_SPEED_N_MOST,
    FREQUENCIES_MAX = TQA_RANGE_DRIVE_REQUEST_ANGULAR_FREQUENCY_RAD_S_N_MOST,
};

static const char *const fields[] = {TQA_FIELDS_DRIVE_REQUEST, NULL};

/* in the order of tq_response */
static const char *const response_names[] = {TQA_WORDS_DRIVE_REQUEST_RESPONSES, NULL};

static double cost_us(const tqa_tree *tree)
{
    (void)tree;
    return 20000.0; /* two scans of 2,000 points, and the requested ones */
}

typedef struct question {
    tqa_tree *tree;
    tq_drive drive;
    tq_driven driven;
    double voltage; /* NAN: none */
} question;

static bool read_load(question *q, const tqa_value *part)
{
    static const char *const known[] = {TQA_FIELDS_DRIVE_REQUEST_LOAD, NULL};
    if (!tqa_value_object(part, known)) {
        return false;
    }
    const tqa_value inertia = tqa_value_field(part, "inertia");
    const tqa_value viscous = tqa_value_field(part, "viscous");
    const tqa_value locked = tqa_value_field(part, "locked");
    double *const to[2] = {&q->driven.load.inertia, &q->driven.load.viscous};
    const tqa_value *const from[2] = {&inertia, &viscous};
    for (int k = 0; k < 2; k++) {
        if (from[k]->value == NULL) {
            continue;
        }
        if (!tqa_value_number(from[k], to[k])) {
            return false;
        }
        if (*to[k] < 0.0) {
            return tqa_value_refuse(from[k], "range", "0 or more", "a load cannot push: %g",
                                    *to[k]);
        }
    }
    return locked.value == NULL || tqa_value_flag(&locked, &q->driven.locked);
}

static bool read(question *q)
{
    const tqa_value root = tqa_value_root(q->tree);
    const tqa_value drive = tqa_value_field(&root, "drive");
    const tqa_value load = tqa_value_field(&root, "load");
    const tqa_value voltage = tqa_value_field(&root, "voltage");
    if (!tqa_value_drive(&drive, &q->drive) || (load.value != NULL && !read_load(q, &load))) {
        return false;
    }
    q->driven.drive = &q->drive;
    if (!q->driven.locked && q->drive.motor.inertia + q->driven.load.inertia == 0.0) {
        const tqa_value inertia = tqa_value_field(&load, "inertia");
        return tqa_value_refuse(load.value != NULL ? &inertia : &load, "range",
                                load.value != NULL ? "add \"inertia\": 0.05, kg m^2"
                                                   : "add \"load\": {\"inertia\": 0.05}, kg m^2",
                                "nothing turns: motor and load have no inertia");
    }
    q->voltage =
        isfinite(q->drive.amplifier.supply) ? tq_amplifier_reach(&q->drive.amplifier) : (double)NAN;
    return voltage.value == NULL || tqa_value_number(&voltage, &q->voltage);
}

/* An array of numbers. NULL with n = 0: not there; NULL with n > 0: the problem is set. */
static double *read_numbers(tqa_tree *tree, const tqa_value *part, size_t most, size_t *ret_n)
{
    *ret_n = 0;
    if (part->value == NULL) {
        return NULL;
    }
    *ret_n = 1;
    if (!tqa_value_array(part, 1, most, ret_n)) {
        *ret_n = 1;
        return NULL;
    }
    double *x = tqa_tree_take(tree, *ret_n, sizeof *x);
    return x != NULL && tqa_value_numbers(part, *ret_n, x) ? x : NULL;
}

/* ------------------------------------------------------------------------------------------------
 * The line
 */

static bool put_points(question *q, const double *speed, size_t n)
{
    enum { N_COLUMN = 5 };
    static const char *const names[N_COLUMN] = {"torque", "current", "voltage", "electrical_power",
                                                "copper_loss"};
    const tq_amplifier *a = &q->drive.amplifier;
    tqa_writer *answer = q->tree->answer;
    double *columns = tqa_tree_take(q->tree, n * N_COLUMN, sizeof *columns);
    if (columns == NULL) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        tq_motor_point p;
        tq_motor_at(&q->drive.motor, q->voltage, speed[k], a->peak_forward, a->peak_reverse, &p);
        const double row[N_COLUMN] = {p.torque, p.current, p.voltage, p.electrical, p.copper};
        for (size_t c = 0; c < N_COLUMN; c++) {
            columns[c * n + k] = row[c];
        }
    }
    tqa_writer_object(answer, "points");
    tqa_writer_vector(answer, "speed", speed, n);
    for (size_t c = 0; c < N_COLUMN; c++) {
        tqa_writer_vector(answer, names[c], columns + c * n, n);
    }
    tqa_writer_end(answer);
    return true;
}

static bool put_line(question *q)
{
    const tqa_value root = tqa_value_root(q->tree);
    const tqa_value part = tqa_value_field(&root, "speed");
    const tqa_value voltage = tqa_value_field(&root, "voltage");
    size_t n = 0;
    const double *speed = read_numbers(q->tree, &part, SPEEDS_MAX, &n);
    if (n > 0 && speed == NULL) {
        return false;
    }
    if (isnan(q->voltage)) {
        return n == 0 || tqa_value_need(&voltage, "add \"voltage\": 24, or the amplifier's supply");
    }
    static const char *const no_limit = "the amplifier has no current limit";
    const double limit =
        q->voltage < 0.0 ? -q->drive.amplifier.peak_reverse : q->drive.amplifier.peak_forward;
    tqa_writer *answer = q->tree->answer;
    tq_motor_line line;
    tq_motor_line_at(&q->drive.motor, q->voltage, limit, &line);
    tqa_writer_object(answer, "line");
    tqa_writer_string(answer, "side", "motor");
    tqa_writer_number(answer, "voltage", q->voltage);
    tqa_writer_number(answer, "stall_torque", line.stall_torque);
    tqa_writer_number(answer, "stall_current", line.stall_current);
    tqa_writer_number(answer, "no_load_speed_rad_s", line.no_load_speed);
    tqa_writer_number(answer, "free_speed_rad_s", line.free_speed);
    tqa_writer_number(answer, "slope", line.slope);
    tqa_writer_number(answer, "largest_power", line.largest_power);
    tqa_writer_finite(answer, "held_torque", line.held_torque, no_limit);
    tqa_writer_finite(answer, "held_below_rad_s", line.held_below, no_limit);
    const bool good = n == 0 || put_points(q, speed, n);
    tqa_writer_end(answer);
    return good;
}

static bool put_duty(question *q)
{
    const tqa_value root = tqa_value_root(q->tree);
    const tqa_value part = tqa_value_field(&root, "duty");
    size_t n = 0;
    double *duty = read_numbers(q->tree, &part, SPEEDS_MAX, &n);
    if (n == 0 || duty == NULL) {
        return n == 0;
    }
    if (q->drive.amplifier.kind != TQ_AMPLIFIER_PWM || !isfinite(q->drive.amplifier.supply)) {
        return tqa_value_refuse(&part, "range",
                                "give the amplifier \"kind\": \"pwm\" and a \"supply_v\" in V",
                                "only a PWM amplifier with a supply has a duty");
    }
    for (size_t k = 0; k < n; k++) {
        if (!(duty[k] >= 0.0 && duty[k] <= 1.0)) {
            const tqa_value item = tqa_value_item(&part, k);
            return tqa_value_refuse(&item, "range", "1/2 is no voltage, 1 the whole supply",
                                    "a duty is 0 to 1, not %g", duty[k]);
        }
        duty[k] = tq_pwm_voltage(&q->drive.amplifier, duty[k]);
    }
    tqa_writer_vector(q->tree->answer, "duty_voltage", duty, n);
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Inertia, reduction, loops
 */

static void put_shaft(tqa_writer *answer, const char *key, const tq_shaft *shaft)
{
    tqa_writer_object(answer, key);
    tqa_writer_number(answer, "inertia", shaft->inertia);
    tqa_writer_number(answer, "viscous", shaft->viscous);
    tqa_writer_end(answer);
}

static void put_reduction(question *q)
{
    static const char *const none = "the motor has no inductance";
    tqa_writer *answer = q->tree->answer;
    tq_reduction r;
    tq_motor_reduction(&q->drive, &q->driven.load, &r);
    tqa_writer_object(answer, "reduction");
    tqa_writer_number(answer, "electrical_time_s", r.electrical_time);
    tqa_writer_number(answer, "mechanical_time_s", r.mechanical_time);
    tqa_writer_finite(answer, "corner_hz", r.corner_hz, none);
    if (isfinite(r.poles[1][0])) {
        tqa_writer_matrix(answer, "poles_per_s", &r.poles[0][0], 2, 2);
    } else {
        tqa_writer_none(answer, "poles_per_s", none);
    }
    tqa_writer_number(answer, "reduced_pole_per_s", r.reduced_pole);
    tqa_writer_number(answer, "speed_error", r.speed_error);
    tqa_writer_number(answer, "speed_error_at_s", r.speed_error_at);
    tqa_writer_number(answer, "current_error", r.current_error);
    tqa_writer_end(answer);
}

static void put_loop(question *q, const char *key, bool velocity)
{
    static const char *const none = "the response does not get there from 1e-3 to 1e7 rad/s";
    tqa_writer *answer = q->tree->answer;
    tq_loop_margins m;
    tq_loop_margins_find(&q->driven, velocity, &m);
    tqa_writer_object(answer, key);
    tqa_writer_flag(answer, "stable", tq_loop_is_stable(&q->driven, velocity));
    tqa_writer_finite(answer, "crossover_rad_s", m.crossover > 0.0 ? m.crossover : (double)INFINITY,
                      none);
    tqa_writer_finite(answer, "phase_margin_rad", m.phase_margin, none);
    tqa_writer_finite(answer, "phase_crossing_rad_s",
                      m.phase_crossing > 0.0 ? m.phase_crossing : (double)INFINITY, none);
    tqa_writer_finite(answer, "gain_margin", m.gain_margin, none);
    tqa_writer_finite(answer, "bandwidth_rad_s", m.bandwidth, none);
    tqa_writer_number(answer, "low_gain", m.low_gain);
    tqa_writer_number(answer, "peak", m.peak);
    tqa_writer_number(answer, "peak_at_rad_s", m.peak_at);
    tqa_writer_end(answer);
}

static void put_loops(question *q)
{
    const tq_amplifier *a = &q->drive.amplifier;
    const bool current = a->current_p > 0.0 || a->current_i > 0.0;
    const bool velocity = q->drive.velocity.gain > 0.0 && !q->driven.locked;
    if (!current && !velocity) {
        return;
    }
    tqa_writer_object(q->tree->answer, "loops");
    if (current) {
        put_loop(q, "current", false);
    }
    if (velocity) {
        put_loop(q, "velocity", true);
    }
    tqa_writer_end(q->tree->answer);
}

/* ------------------------------------------------------------------------------------------------
 * Bode data
 */

/* bits of the responses that this drive has */
static unsigned possible(const question *q)
{
    const tq_amplifier *a = &q->drive.amplifier;
    unsigned bits = 1u << TQ_RESPONSE_ADMITTANCE;
    if (!q->driven.locked) {
        bits |= 1u << TQ_RESPONSE_SPEED | 1u << TQ_RESPONSE_SPEED_REDUCED;
    }
    if (a->current_p > 0.0 || a->current_i > 0.0) {
        bits |= 1u << TQ_RESPONSE_CURRENT_OPEN | 1u << TQ_RESPONSE_CURRENT | 1u << TQ_RESPONSE_EMF;
    }
    if (q->drive.velocity.gain > 0.0 && !q->driven.locked) {
        bits |= 1u << TQ_RESPONSE_VELOCITY_OPEN | 1u << TQ_RESPONSE_VELOCITY;
    }
    return bits;
}

static bool put_response(question *q, tq_response response, const double *w, size_t n)
{
    tqa_writer *answer = q->tree->answer;
    double *columns = tqa_tree_take(q->tree, 4 * n, sizeof *columns);
    if (columns == NULL) {
        return false;
    }
    double turns = 0.0;
    for (size_t k = 0; k < n; k++) {
        double h[2];
        tq_response_at(&q->driven, response, w[k], h);
        columns[k] = h[0];
        columns[n + k] = h[1];
        columns[2 * n + k] = tq_hypot(h[0], h[1]);
        /* a phase without jumps, as it is drawn */
        double phase = tq_atan2(h[1], h[0]) + turns;
        if (k > 0) {
            const double jump = phase - columns[3 * n + k - 1];
            const double back = 2.0 * M_PI * round(jump / (2.0 * M_PI));
            turns -= back;
            phase -= back;
        }
        columns[3 * n + k] = phase;
    }
    tqa_writer_object(answer, response_names[response]);
    tqa_writer_vector(answer, "real", columns, n);
    tqa_writer_vector(answer, "imaginary", columns + n, n);
    tqa_writer_vector(answer, "magnitude", columns + 2 * n, n);
    tqa_writer_vector(answer, "phase_rad", columns + 3 * n, n);
    tqa_writer_end(answer);
    return true;
}

static bool put_bode(question *q)
{
    const tqa_value root = tqa_value_root(q->tree);
    const tqa_value part = tqa_value_field(&root, "angular_frequency_rad_s");
    const tqa_value chosen = tqa_value_field(&root, "responses");
    unsigned bits = 0;
    size_t n = 0;
    const double *w = read_numbers(q->tree, &part, FREQUENCIES_MAX, &n);
    if (n > 0 && w == NULL) {
        return false;
    }
    if (chosen.value != NULL && !tqa_value_choices(&chosen, response_names, &bits)) {
        return false;
    }
    if ((bits & ~possible(q)) != 0) {
        return tqa_value_refuse(&chosen, "range",
                                "current responses need \"current_loop\", velocity responses "
                                "\"velocity_loop\"; a locked shaft has no speed",
                                "the drive has no such loop");
    }
    if (n == 0) {
        return chosen.value == NULL ||
               tqa_value_need(&part, "add \"angular_frequency_rad_s\": [1, 10, 100], rad/s");
    }
    for (size_t k = 0; k < n; k++) {
        if (!(w[k] > 0.0)) {
            const tqa_value item = tqa_value_item(&part, k);
            return tqa_value_refuse(&item, "range", "rad/s, above 0", "a frequency of %g", w[k]);
        }
    }
    bits = bits == 0 ? possible(q) : bits;
    tqa_writer_object(q->tree->answer, "bode");
    tqa_writer_vector(q->tree->answer, "angular_frequency_rad_s", w, n);
    for (unsigned r = 0; r < TQ_RESPONSE_COUNT; r++) {
        if ((bits >> r & 1u) != 0 && !put_response(q, (tq_response)r, w, n)) {
            return false;
        }
    }
    tqa_writer_end(q->tree->answer);
    return true;
}

static bool run(tqa_tree *tree)
{
    question q = {.tree = tree};
    if (!read(&q) || !put_line(&q) || !put_duty(&q)) {
        return false;
    }
    tq_shaft shaft;
    tqa_writer_object(tree->answer, "inertia");
    tq_seen_by_motor(&q.drive, &q.driven.load, &shaft);
    put_shaft(tree->answer, "motor_side", &shaft);
    tq_seen_by_load(&q.drive, &q.driven.load, &shaft);
    put_shaft(tree->answer, "load_side", &shaft);
    tqa_writer_end(tree->answer);
    if (!q.driven.locked) {
        put_reduction(&q);
    }
    put_loops(&q);
    return put_bode(&q);
}

static const tqa_tree_methods methods = {.fields = fields, .cost_us = cost_us, .run = run};
const tqa_operation_methods tqa_drive_methods = {.tree = &methods};
