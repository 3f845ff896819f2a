/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/option_fields.c - reads the fields of a streamed request that are no arrays of
 * samples. */
#include <math.h>
#include <string.h>

#include "api/request/inertia_fields.h"
#include "api/request/request.h"
#include "api/request/robot_fields.h"
#include "core/dynamics/lagrangian.h"

enum { CHOICES_MAX = 64 };

/* ------------------------------------------------------------------------------------------------
 * Names
 */

static bool read_joints(tqa_request *request, const tqa_value *value)
{
    tqa_order order = {.q = request->q_map, .v = request->v_map};
    request->reordered = true;
    return tqa_value_order(value, &order);
}

/* A list of names, each at most once, as bits. */
static bool read_choices(const tqa_value *value, const tqa_choice *choices, uint64_t *ret)
{
    const char *words[CHOICES_MAX + 1] = {NULL};
    size_t n = 0;
    for (size_t k = 0; k < CHOICES_MAX && choices[k].name != NULL; k++) {
        words[k] = choices[k].name;
    }
    if (!tqa_value_list(value, "an array of names", &n)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const tqa_value item = tqa_value_item(value, i);
        unsigned k = 0;
        if (!tqa_value_choice(&item, words, &k)) {
            return false;
        }
        if ((*ret & choices[k].bit) != 0) {
            return tqa_value_refuse_twice(&item, words[k]);
        }
        *ret |= choices[k].bit;
    }
    return true;
}

static bool read_without(tqa_request *request, const tqa_value *value)
{
    uint64_t bits = 0;
    const bool good = read_choices(value, request->schema->without, &bits);
    request->without = (unsigned)bits;
    return good;
}

static bool read_include(tqa_request *request, const tqa_value *value)
{
    return read_choices(value, request->schema->include, &request->include);
}

static bool read_angles(tqa_request *request, const tqa_value *value)
{
    return tqa_value_angles(value, &request->in_degrees);
}

static bool read_axes(tqa_request *request, const tqa_value *value)
{
    static const char *const axes[] = {"x", "y", "z", "rx", "ry", "rz", NULL};
    return tqa_value_choices(value, axes, &request->options.axes);
}

static bool read_form(tqa_request *request, const tqa_value *value)
{
    static const char *const forms[] = {
        [TQ_CORIOLIS_CHRISTOFFEL] = "christoffel",
        [TQ_CORIOLIS_C1] = "c1",
        [TQ_CORIOLIS_C2] = "c2",
        [TQ_CORIOLIS_STACKED] = "stacked",
        NULL,
    };
    return tqa_value_choice(value, forms, &request->options.form);
}

const tqa_receiver tqa_joints_receiver = {.read = read_joints};
const tqa_receiver tqa_without_receiver = {.read = read_without};
const tqa_receiver tqa_include_receiver = {.read = read_include};
const tqa_receiver tqa_angles_receiver = {.read = read_angles};
const tqa_receiver tqa_axes_receiver = {.read = read_axes};
const tqa_receiver tqa_form_receiver = {.read = read_form};

/* ------------------------------------------------------------------------------------------------
 * Points and vectors
 */

static bool read_gravity(tqa_request *request, const tqa_value *value)
{
    request->has_gravity = true;
    return tqa_value_gravity(value, request->gravity);
}

static bool read_frame(tqa_request *request, const tqa_value *value)
{
    return tqa_value_point(value, &request->options.frame);
}

const tqa_receiver tqa_gravity_receiver = {.read = read_gravity};
const tqa_receiver tqa_frame_receiver = {.read = read_frame};

/* ------------------------------------------------------------------------------------------------
 * A payload, and a box of q
 */

static bool read_payload(tqa_request *request, const tqa_value *value)
{
    request->options.has_payload = true;
    return tqa_value_payload(value, &request->options.payload);
}

/* "limits": those of the robot's joints */
static void fill_limits(const tq_model *model, double *box)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        for (uint32_t k = 0; k < joint->nq; k++) {
            const bool bounded = joint->nq == 1 && joint->kind != TQ_JOINT_CONTINUOUS;
            box[joint->q_index + k] = bounded ? joint->limits.lower : -HUGE_VAL;
            box[model->nq + joint->q_index + k] = bounded ? joint->limits.upper : HUGE_VAL;
        }
    }
}

static bool read_box(tqa_request *request, const tqa_value *value)
{
    static const char *const words[] = {"limits", NULL};
    static const char *const fields[] = {"lower", "upper", NULL};
    static const tqa_needed needed[] = {{"lower", "add \"lower\": the least q"},
                                        {"upper", "add \"upper\": the largest q"},
                                        {NULL, NULL}};
    const tq_model *model = request->robot->model;
    const tqa_value lower = tqa_value_field(value, "lower");
    const tqa_value upper = tqa_value_field(value, "upper");
    double *box = request->options.box;
    unsigned word = 0;
    request->options.has_box = true;
    if (json_is_string(value->value)) {
        request->options.box_in_order = true;
        fill_limits(model, box);
        return tqa_value_choice(value, words, &word);
    }
    if (!json_is_object(value->value)) {
        return tqa_value_refuse(value, "wrong-type", "write {\"lower\": [...], \"upper\": [...]}",
                                "expected an object with \"lower\" and \"upper\", or "
                                "\"limits\", got %s",
                                tqa_kind_of(value->value));
    }
    if (!tqa_value_fields(value, fields, needed) || !tqa_value_numbers(&lower, model->nq, box) ||
        !tqa_value_numbers(&upper, model->nq, box + model->nq)) {
        return false;
    }
    for (size_t k = 0; k < model->nq; k++) {
        if (!(box[k] <= box[model->nq + k])) {
            return tqa_value_refuse(value, "invalid-value", "exchange the two",
                                    "lower[%zu] lies above upper[%zu]", k, k);
        }
    }
    return true;
}

/* Into the robot's order: `joints` may come after the box. */
static bool finish_box(tqa_request *request)
{
    tqa_options *options = &request->options;
    if (!options->box_in_order && request->reordered) {
        /* the second half of the arena's box is room for this */
        const size_t nq = request->robot->model->nq;
        memcpy(options->box + 2 * nq, options->box, 2 * nq * sizeof(double));
        for (size_t r = 0; r < nq; r++) {
            options->box[request->q_map[r]] = options->box[2 * nq + r];
            options->box[nq + request->q_map[r]] = options->box[3 * nq + r];
        }
    }
    const size_t n = request->robot->model->nq;
    for (size_t r = 0; r < n && request->in_degrees && !options->box_in_order; r++) {
        const double unit = request->robot->is_angle[r] ? tqa_radians_of_degree : 1.0;
        options->box[r] *= unit;
        options->box[n + r] *= unit;
    }
    return true;
}

const tqa_receiver tqa_payload_receiver = {.read = read_payload};
const tqa_receiver tqa_box_receiver = {.read = read_box, .finish = finish_box};
