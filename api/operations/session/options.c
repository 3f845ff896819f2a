/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/session/options.c - actuators, sensors and history of a session. */
#include <math.h>

#include "api/openapi/generated/fields.h"
#include "api/openapi/generated/ranges.h"
#include "api/operations/session/session.h"

static const char *const actuator_fields[] = {TQA_FIELDS_SESSION_REQUEST_ACTUATORS, NULL};
static const char *const sensor_fields[] = {TQA_FIELDS_SESSION_SENSOR, NULL};
static const char *const sensors_fields[] = {TQA_FIELDS_SESSION_SENSORS, NULL};
static const char *const includes[] = {TQA_WORDS_SESSION_REQUEST_INCLUDE, NULL};
static const char *const names[TQ_SENSORS] = {"q", "qd", "tau"};

static const double whole = 1e-6; /* tolerance, in periods: delays are decimal numbers */

/* converts seconds to a whole number of periods; absent: 0 */
static bool read_delay(const tqa_session *s, const tqa_value *part, uint32_t *ret)
{
    double seconds = 0.0;
    *ret = 0;
    if (part->value == NULL) {
        return true;
    }
    if (!tqa_value_within(part, 0.0, TQA_RANGE_SESSION_SENSOR_DELAY_S_MOST, &seconds)) {
        return false;
    }
    const double periods = seconds / s->step_s;
    const double n = floor(periods + 0.5);
    if (n > TQA_RANGE_SESSION_REQUEST_HISTORY_MOST) {
        return tqa_value_refuse(part, "range", "a shorter delay, or a longer period",
                                "%g control periods are more than %d", n,
                                TQA_RANGE_SESSION_REQUEST_HISTORY_MOST);
    }
    if (fabs(periods - n) > whole * fmax(1.0, n)) {
        return tqa_value_refuse(part, "range",
                                "a whole number of periods; a shorter \"step_s\", with \"steps\" "
                                "for each torque, resolves more",
                                "%g s are %.6g control periods of %g s", seconds, periods,
                                s->step_s);
    }
    *ret = (uint32_t)n;
    return true;
}

static bool read_actuators(tqa_session *s)
{
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value part = tqa_value_field(&root, "actuators");
    if (part.value == NULL) {
        return true;
    }
    const tqa_value limits = tqa_value_field(&part, "effort_limits");
    const tqa_value delay = tqa_value_field(&part, "delay_s");
    return tqa_value_object(&part, actuator_fields) &&
           (limits.value == NULL ||
            tqa_value_effort_limits(&limits, &s->sim.order, s->robot->model, &s->options.limit)) &&
           read_delay(s, &delay, &s->options.actuator_delay);
}

static bool has_quaternions(const tq_model *model)
{
    return model->nq != model->nv;
}

static bool read_sensor(tqa_session *s, const tqa_value *part, unsigned kind)
{
    const tqa_value noise = tqa_value_field(part, "noise_std");
    const tqa_value resolution = tqa_value_field(part, "resolution");
    const tqa_value delay = tqa_value_field(part, "delay_s");
    tq_sensor *to = &s->options.sensors[kind];
    s->has[kind] = true;
    if (!tqa_value_object(part, sensor_fields)) {
        return false;
    }
    if (resolution.value != NULL && kind == TQ_SENSOR_Q && has_quaternions(s->robot->model)) {
        return tqa_value_refuse(&resolution, "invalid-value", "leave it out, or give \"noise_std\"",
                                "coordinates of quaternions have no resolution");
    }
    return (noise.value == NULL || tqa_value_gain(&noise, &s->sim.order, &to->noise)) &&
           (resolution.value == NULL ||
            tqa_value_gain(&resolution, &s->sim.order, &to->resolution)) &&
           read_delay(s, &delay, &to->delay);
}

static bool read_sensors(tqa_session *s)
{
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value part = tqa_value_field(&root, "sensors");
    if (part.value == NULL) {
        return true;
    }
    const tqa_value seed = tqa_value_field(&part, "seed");
    if (!tqa_value_object(&part, sensors_fields) ||
        (seed.value != NULL && !tqa_session_number(&seed, &s->options.seed))) {
        return false;
    }
    for (unsigned k = 0; k < TQ_SENSORS; k++) {
        const tqa_value sensor = tqa_value_field(&part, names[k]);
        if (sensor.value != NULL && !read_sensor(s, &sensor, k)) {
            return false;
        }
    }
    return true;
}

bool tqa_session_read_options(tqa_session *s)
{
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value history = tqa_value_field(&root, "history");
    const tqa_value include = tqa_value_field(&root, "include");
    unsigned bits = 0;
    s->options.period = s->step_s;
    s->options.history = TQA_RANGE_SESSION_REQUEST_HISTORY_DEFAULT;
    if ((history.value != NULL &&
         !tqa_value_count(&history, 0, TQA_RANGE_SESSION_REQUEST_HISTORY_MOST,
                          &s->options.history)) ||
        (include.value != NULL && !tqa_value_choices(&include, includes, &bits))) {
        return false;
    }
    s->with_qdd = bits != 0;
    return read_actuators(s) && read_sensors(s);
}
