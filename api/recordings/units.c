/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/units.c - quantities of recordings: their rows, units and scales. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/recordings/finder.h"
#include "api/recordings/parts.h"

const char *const tqa_recording_quantity_names[TQA_RECORDING_QUANTITIES] = {
    "q",         "qd",     "qdd",    "tau",           "time",
    "q_cmd",     "qd_cmd", "tau_ff", "base_position", "base_quaternion_wxyz",
    "base_twist"};

static const double degree = M_PI / 180.0;

typedef enum unit_of { OF_ANGLE, OF_LENGTH, OF_ANY } unit_of;

typedef struct unit {
    tqa_recording_quantity quantity;
    const char *name;
    double factor;
    unit_of of;
} unit;

static const unit units[] = {
    {TQA_RECORDING_Q, "rad", 1.0, OF_ANGLE},
    {TQA_RECORDING_Q, "deg", degree, OF_ANGLE},
    {TQA_RECORDING_Q, "mrad", 1e-3, OF_ANGLE},
    {TQA_RECORDING_Q, "rev", 360.0 * degree, OF_ANGLE},
    {TQA_RECORDING_Q, "m", 1.0, OF_LENGTH},
    {TQA_RECORDING_Q, "mm", 1e-3, OF_LENGTH},
    {TQA_RECORDING_QD, "rad/s", 1.0, OF_ANGLE},
    {TQA_RECORDING_QD, "deg/s", degree, OF_ANGLE},
    {TQA_RECORDING_QD, "rpm", 6.0 * degree, OF_ANGLE},
    {TQA_RECORDING_QD, "m/s", 1.0, OF_LENGTH},
    {TQA_RECORDING_QD, "mm/s", 1e-3, OF_LENGTH},
    {TQA_RECORDING_QDD, "rad/s^2", 1.0, OF_ANGLE},
    {TQA_RECORDING_QDD, "deg/s^2", degree, OF_ANGLE},
    {TQA_RECORDING_QDD, "m/s^2", 1.0, OF_LENGTH},
    {TQA_RECORDING_QDD, "mm/s^2", 1e-3, OF_LENGTH},
    {TQA_RECORDING_TAU, "Nm", 1.0, OF_ANGLE},
    {TQA_RECORDING_TAU, "N m", 1.0, OF_ANGLE},
    {TQA_RECORDING_TAU, "mNm", 1e-3, OF_ANGLE},
    {TQA_RECORDING_TAU, "N", 1.0, OF_LENGTH},
    {TQA_RECORDING_TAU, "A", 1.0, OF_ANY},
    {TQA_RECORDING_TAU, "mA", 1e-3, OF_ANY},
    {TQA_RECORDING_TIME, "s", 1.0, OF_ANY},
    {TQA_RECORDING_TIME, "ms", 1e-3, OF_ANY},
    {TQA_RECORDING_TIME, "us", 1e-6, OF_ANY},
    {TQA_RECORDING_TIME, "ns", 1e-9, OF_ANY},
};

/* whose units a quantity has */
static tqa_recording_quantity measured_of(tqa_recording_quantity quantity)
{
    return quantity == TQA_RECORDING_Q_CMD    ? TQA_RECORDING_Q
           : quantity == TQA_RECORDING_QD_CMD ? TQA_RECORDING_QD
           : quantity == TQA_RECORDING_TAU_FF ? TQA_RECORDING_TAU
                                              : quantity;
}

/* whose units a column has */
static tqa_recording_quantity units_of(tqa_recording_quantity quantity)
{
    return quantity == TQA_RECORDING_BASE_POSITION ? TQA_RECORDING_Q
           : quantity == TQA_RECORDING_BASE_TWIST  ? TQA_RECORDING_QD
                                                   : measured_of(quantity);
}

/* Of the floating base alone: base_position, base_quaternion_wxyz, base_twist. */
static bool is_base(tqa_recording_quantity quantity)
{
    return quantity >= TQA_RECORDING_BASE_POSITION;
}

size_t tqa_recording_width(const tqa_recording_request *request, tqa_recording_quantity quantity)
{
    return quantity == TQA_RECORDING_TIME              ? 1
           : quantity == TQA_RECORDING_BASE_POSITION   ? 3
           : quantity == TQA_RECORDING_BASE_QUATERNION ? 4
           : quantity == TQA_RECORDING_BASE_TWIST      ? 6
           : measured_of(quantity) == TQA_RECORDING_Q  ? request->order->nq
                                                       : request->order->nv;
}

uint32_t tqa_recording_row(const tqa_recording_request *request, tqa_recording_quantity quantity,
                           size_t r)
{
    return quantity == TQA_RECORDING_TIME             ? 0
           : is_base(quantity)                        ? (uint32_t)r
           : measured_of(quantity) == TQA_RECORDING_Q ? request->order->q[r]
                                                      : request->order->v[r];
}

bool tqa_recording_is_command(tqa_recording_quantity quantity)
{
    return measured_of(quantity) != quantity;
}

const tq_joint *tqa_recording_joint(const tqa_recording_request *request,
                                    tqa_recording_quantity quantity, size_t r)
{
    const tq_model *model = request->tree->robot->model;
    const bool is_q = measured_of(quantity) == TQA_RECORDING_Q;
    const uint32_t row = tqa_recording_row(request, quantity, r);
    if (is_base(quantity)) {
        return request->base != TQ_NONE ? &model->joints[request->base] : NULL;
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const uint32_t first = is_q ? joint->q_index : joint->v_index;
        const uint32_t n = is_q ? joint->nq : joint->nv;
        if (n > 0 && row >= first && row < first + n) {
            return joint;
        }
    }
    return NULL;
}

bool tqa_recording_is_of_base(const tqa_recording_request *request, tqa_recording_quantity quantity,
                              size_t r)
{
    return request->base != TQ_NONE && quantity != TQA_RECORDING_TIME &&
           tqa_recording_joint(request, quantity, r) ==
               &request->tree->robot->model->joints[request->base];
}

/* Row r is a length, a rate of one or a force. */
static bool slides(const tqa_recording_request *request, tqa_recording_quantity quantity, size_t r)
{
    const tq_joint *joint = tqa_recording_joint(request, quantity, r);
    if (joint == NULL || joint->kind != TQ_JOINT_FLOATING) {
        return joint != NULL && joint->kind == TQ_JOINT_PRISMATIC;
    }
    const uint32_t first = is_base(quantity)                          ? 0
                           : measured_of(quantity) == TQA_RECORDING_Q ? joint->q_index
                                                                      : joint->v_index;
    return quantity != TQA_RECORDING_BASE_QUATERNION &&
           tqa_recording_row(request, quantity, r) - first < 3;
}

static bool refuse_unit(const tqa_value *part, tqa_recording_quantity quantity, unit_of kind,
                        bool is_list)
{
    char hint[TQA_PROBLEM_TEXT];
    (void)snprintf(hint, sizeof hint, "one of");
    for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
        if (units[u].quantity == units_of(quantity) &&
            (units[u].of == OF_ANY || units[u].of == kind)) {
            const size_t n = strlen(hint);
            (void)snprintf(hint + n, sizeof hint - n, " \"%s\"", units[u].name);
        }
    }
    if (!is_list && quantity <= TQA_RECORDING_TAU) {
        const size_t n = strlen(hint);
        (void)snprintf(hint + n, sizeof hint - n, "; or a list, one for each joint");
    }
    return tqa_value_refuse(part, "invalid-value", hint, "not a unit of %s%s",
                            tqa_recording_quantity_names[quantity],
                            quantity < TQA_RECORDING_TAU ? " for this kind of joint" : "");
}

/* The unit that the text is, also in another word: "degrees". */
static const char *our_unit(const tqa_value *part, tqa_recording_quantity quantity, bool is_length)
{
    const char *words[sizeof units / sizeof units[0] + 1] = {NULL};
    const char *text = json_string_value(part->value);
    size_t n = 0;
    unsigned k = 0;
    for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
        if (units[u].quantity == units_of(quantity) &&
            (units[u].of == OF_ANY || (units[u].of == OF_LENGTH) == is_length)) {
            if (strcmp(units[u].name, text) == 0) {
                return text;
            }
            words[n++] = units[u].name;
        }
    }
    return tqa_wording_choice(part, words, &k) ? words[k] : text;
}

static bool read_unit(tqa_recording_request *request, tqa_recording_quantity quantity,
                      const tqa_value *part, size_t r, bool is_list)
{
    const char *text = json_string_value(part->value);
    if (text == NULL) {
        return tqa_value_refuse(part, "wrong-type", "the name of a unit in quotes, such as \"rad\"",
                                "expected the name of a unit");
    }
    const bool is_length = quantity != TQA_RECORDING_TIME && slides(request, quantity, r);
    text = our_unit(part, quantity, is_length);
    for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
        if (units[u].quantity == units_of(quantity) && strcmp(units[u].name, text) == 0 &&
            (units[u].of == OF_ANY || (units[u].of == OF_LENGTH) == is_length)) {
            request->factor[quantity][r] *= units[u].factor;
            if (units_of(quantity) == TQA_RECORDING_TAU && strchr(units[u].name, 'A') != NULL) {
                *(quantity == TQA_RECORDING_TAU ? &request->in_amperes : &request->ff_in_amperes) =
                    true;
            }
            return true;
        }
    }
    return refuse_unit(part, quantity, is_length ? OF_LENGTH : OF_ANGLE, is_list);
}

double tqa_recording_unit(const tqa_recording_request *request, tqa_recording_quantity quantity,
                          size_t r, const char *text, bool *ret_is_current)
{
    const bool is_length = quantity != TQA_RECORDING_TIME && slides(request, quantity, r);
    *ret_is_current = false;
    for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
        if (units[u].quantity == units_of(quantity) && strcmp(units[u].name, text) == 0 &&
            (units[u].of == OF_ANY || (units[u].of == OF_LENGTH) == is_length)) {
            *ret_is_current =
                measured_of(quantity) == TQA_RECORDING_TAU && strchr(text, 'A') != NULL;
            return units[u].factor;
        }
    }
    return 0.0;
}

/* Commanded motion is logged as the measured is, unless the request states otherwise. */
static tqa_value field_of(const tqa_value *part, tqa_recording_quantity quantity)
{
    const tqa_value own = tqa_value_field(part, tqa_recording_quantity_names[quantity]);
    return own.value != NULL
               ? own
               : tqa_value_field(part, tqa_recording_quantity_names[measured_of(quantity)]);
}

/* Number of items that a list for a quantity has: one for each column; of a floating base's robot
 * also one for each column of the joints. 0: refused. */
static size_t count_items(const tqa_recording_request *request, tqa_recording_quantity q,
                          const tqa_value *list)
{
    const size_t n = tqa_recording_width(request, q);
    size_t of_joints = 0, n_item = 0;
    for (size_t r = 0; r < n; r++) {
        of_joints += is_base(q) || !tqa_recording_is_of_base(request, q, r);
    }
    const size_t wanted = json_array_size(list->value) == of_joints ? of_joints : n;
    return tqa_value_array(list, wanted, wanted, &n_item) ? wanted : 0;
}

/* What a field of a quantity says of row r: item *inout_item of a list, or itself, of all joints.
 * False: nothing. */
static bool take_item(const tqa_recording_request *request, tqa_recording_quantity q, size_t r,
                      size_t n_item, const tqa_value *field, size_t *inout_item, tqa_value *ret)
{
    const bool is_other = !is_base(q) && tqa_recording_is_of_base(request, q, r);
    if (n_item == 0) {
        *ret = *field;
        return !is_other;
    }
    if (is_other && n_item < tqa_recording_width(request, q)) {
        return false;
    }
    *ret = tqa_value_item(field, (*inout_item)++);
    return true;
}

/* A single unit of the base's twist is one of its linear or of its angular velocity. */
static bool is_for(const tqa_recording_request *request, tqa_recording_quantity q, size_t r,
                   const tqa_value *field)
{
    const char *text = json_string_value(field->value);
    bool ignored = false, any = false;
    for (size_t k = 0; text != NULL && k < tqa_recording_width(request, q); k++) {
        any = any || tqa_recording_unit(request, q, k, text, &ignored) > 0.0;
    }
    return q != TQA_RECORDING_BASE_TWIST || !any ||
           tqa_recording_unit(request, q, r, text, &ignored) > 0.0;
}

bool tqa_recording_refuse_base(const tqa_recording_request *request, const tqa_value *part)
{
    for (tqa_recording_quantity q = TQA_RECORDING_BASE_POSITION;
         request->base == TQ_NONE && q <= TQA_RECORDING_BASE_TWIST; q++) {
        const tqa_value field = tqa_value_field(part, tqa_recording_quantity_names[q]);
        if (field.value != NULL) {
            return tqa_value_refuse(
                &field, "invalid-value",
                "leave it out; or name the coordinates of all joints in \"q\" and \"qd\"",
                "the robot has no floating base, or several floating joints");
        }
    }
    return true;
}

/* A row of a quantity that the request speaks of: `item` of the list `field`, or `field` itself. */
typedef struct row_field {
    tqa_recording_quantity quantity;
    size_t row;
    const tqa_value *field, *item;
    bool is_list;
} row_field;

/* Calls read(request, row) for each row of each quantity in `part`, whose names are `known`.
 * *ret_named: the quantities. False: the problem is set. */
static bool read_rows(tqa_recording_request *request, const tqa_value *part,
                      const char *const *known,
                      bool (*read)(tqa_recording_request *request, const row_field *row),
                      bool ret_named[TQA_RECORDING_QUANTITIES])
{
    if (part->value == NULL) {
        return true;
    }
    if (!tqa_value_object(part, known) || !tqa_recording_refuse_base(request, part)) {
        return false;
    }
    for (tqa_recording_quantity q = 0; q < TQA_RECORDING_QUANTITIES; q++) {
        const tqa_value field = field_of(part, q);
        if (field.value == NULL) {
            continue;
        }
        ret_named[q] = true;
        const bool is_list = json_is_array(field.value);
        const size_t n_item = is_list ? count_items(request, q, &field) : 0;
        size_t at = 0;
        if (is_list && n_item == 0) {
            return false;
        }
        for (size_t r = 0; r < tqa_recording_width(request, q); r++) {
            tqa_value item;
            const row_field row = {q, r, &field, &item, is_list};
            if (take_item(request, q, r, n_item, &field, &at, &item) && !read(request, &row)) {
                return false;
            }
        }
    }
    return true;
}

static bool read_unit_row(tqa_recording_request *request, const row_field *row)
{
    return (!row->is_list && !is_for(request, row->quantity, row->row, row->field)) ||
           read_unit(request, row->quantity, row->item, row->row, row->is_list);
}

bool tqa_recording_read_units(tqa_recording_request *request, const tqa_value *object)
{
    static const char *const known[] = {"q",     "qd",     "qdd",    "tau",           "time",
                                        "q_cmd", "qd_cmd", "tau_ff", "base_position", "base_twist",
                                        NULL};
    const tqa_value part = tqa_value_field(object, "units");
    return read_rows(request, &part, known, read_unit_row, request->unit_known);
}

static bool read_scale_row(tqa_recording_request *request, const row_field *row)
{
    double factor = 0.0;
    if (!tqa_value_number(row->item, &factor)) {
        return false;
    }
    if (factor == 0.0) {
        return tqa_value_refuse(row->item, "range", "1 leaves the column as it is",
                                "a scale of 0 makes every value 0");
    }
    request->factor[row->quantity][row->row] *= factor;
    return true;
}

/* time is no name of a scale */
bool tqa_recording_read_scale(tqa_recording_request *request, const tqa_value *object)
{
    static const char *const known[] = {"q",      "qd",     "qdd",           "tau",        "q_cmd",
                                        "qd_cmd", "tau_ff", "base_position", "base_twist", NULL};
    const tqa_value part = tqa_value_field(object, "scale");
    return read_rows(request, &part, known, read_scale_row, request->scaled);
}

bool tqa_recording_check_amperes(const tqa_recording_request *request, const tqa_value *object)
{
    const bool of_ff = request->ff_in_amperes && !request->scaled[TQA_RECORDING_TAU_FF];
    const bool of_tau = request->in_amperes && !request->scaled[TQA_RECORDING_TAU];
    if (!of_tau && !of_ff) {
        return true;
    }
    const tqa_value said = tqa_value_field(object, "units");
    const tqa_value where = tqa_value_field(&said, of_tau ? "tau" : "tau_ff");
    char hint[TQA_PROBLEM_TEXT];
    (void)snprintf(hint, sizeof hint,
                   "add \"scale\": {\"%s\": [...]}, the drive gain of each joint in N m/A (or N/A)",
                   of_tau ? "tau" : "tau_ff");
    return tqa_value_refuse(&where, "missing-field", hint,
                            "currents are not torques without drive gains");
}
