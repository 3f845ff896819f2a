/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/controller.c - laws, gains, limits and the model that a controller uses.
 * */
#include "api/operations/simulate/controller.h"

#include <math.h>
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/request/inertia_fields.h"
#include "core/model/inertia.h"

const char *const tqa_controller_kinds[] = {TQA_WORDS_CONTROLLER_KIND,
                                            TQA_WORDS_CONSTRAINED_CONTROLLER_KIND,
                                            TQA_WORDS_OPERATIONAL_CONTROLLER_KIND, NULL};

static const char *const model_fields[] = {TQA_FIELDS_CONTROLLER_MODEL, NULL};
static const char *const left_out[] = {TQA_WORDS_CONTROLLER_MODEL_WITHOUT, NULL};
static const unsigned left_out_bits[] = {TQ_WITHOUT_FRICTION | TQ_WITHOUT_DRAG, TQ_WITHOUT_ROTOR,
                                         TQ_WITHOUT_SPRING, TQ_WITHOUT_GRAVITY};

/* Gains, and the laws that have them. */
static const struct {
    const char *name, *missing;
    unsigned needed, taken; /* bits of tq_control_law */
} gains[] = {
    {"kp", "add \"kp\": 100, or one for each joint",
     1u << TQ_LAW_PD | 1u << TQ_LAW_PD_GRAVITY | 1u << TQ_LAW_COMPUTED_TORQUE,
     1u << TQ_LAW_PD | 1u << TQ_LAW_PD_GRAVITY | 1u << TQ_LAW_COMPUTED_TORQUE},
    {"kd", "add \"kd\": 20, or one for each joint",
     1u << TQ_LAW_PD | 1u << TQ_LAW_PD_GRAVITY | 1u << TQ_LAW_COMPUTED_TORQUE |
         1u << TQ_LAW_PASSIVITY,
     1u << TQ_LAW_PD | 1u << TQ_LAW_PD_GRAVITY | 1u << TQ_LAW_COMPUTED_TORQUE |
         1u << TQ_LAW_PASSIVITY},
    {"ki", "", 0,
     1u << TQ_LAW_PD | 1u << TQ_LAW_PD_GRAVITY | 1u << TQ_LAW_COMPUTED_TORQUE |
         1u << TQ_LAW_PASSIVITY},
    {"lambda", "add \"lambda\": 10 (1/s), or one for each joint", 1u << TQ_LAW_PASSIVITY,
     1u << TQ_LAW_PASSIVITY},
};
enum { KP, KD, KI, LAMBDA, GAINS };

static bool refuse_sign(const tqa_value *part, double x)
{
    return tqa_value_refuse(part, "range", "gains push back: 0 or more", "a gain of %g", x);
}

/* the value in `part` for row r of the user's order, as an array or by name */
static tqa_value number_of(const tqa_value *part, const tqa_order *order, size_t r)
{
    const tqa_robot *robot = part->tree->robot;
    if (!json_is_object(part->value)) {
        return tqa_value_item(part, r);
    }
    uint32_t j = 0;
    while (j + 1 < robot->model->n_joint &&
           !(order->v[r] >= robot->model->joints[j].v_index &&
             order->v[r] < robot->model->joints[j].v_index + robot->model->joints[j].nv)) {
        j++;
    }
    return tqa_value_field(part, robot->joint_names[j]);
}

bool tqa_value_gain(const tqa_value *part, const tqa_order *order, const double **ret)
{
    double *values = tqa_tree_take(part->tree, order->nv + 1, sizeof *values);
    if (values == NULL) {
        return false;
    }
    *ret = values;
    if (json_is_number(part->value)) {
        const double x = json_number_value(part->value);
        for (size_t k = 0; k < order->nv; k++) {
            values[k] = x;
        }
        return x >= 0.0 || refuse_sign(part, x);
    }
    if (!tqa_value_row(part, order, TQA_ROW_TORQUE, values)) {
        return false;
    }
    for (size_t r = 0; r < order->nv; r++) {
        if (values[order->v[r]] < 0.0) {
            const tqa_value item = number_of(part, order, r);
            return refuse_sign(&item, values[order->v[r]]);
        }
    }
    return true;
}

static bool read_gains(const tqa_value *input, const tqa_order *order, tq_controller *c)
{
    const double **to[GAINS] = {&c->kp, &c->kd, &c->ki, &c->lambda};
    const unsigned law = 1u << c->law;
    for (unsigned k = 0; k < GAINS; k++) {
        const tqa_value part = tqa_value_field(input, gains[k].name);
        if (part.value == NULL) {
            continue;
        }
        if ((gains[k].taken & law) == 0) {
            return tqa_value_refuse(&part, "invalid-value", "leave it out",
                                    "\"%s\" is no gain of \"%s\"", gains[k].name,
                                    tqa_controller_kinds[c->law]);
        }
        if (!tqa_value_gain(&part, order, to[k])) {
            return false;
        }
    }
    return true;
}

bool tqa_value_effort_limits(const tqa_value *part, const tqa_order *order, const tq_model *model,
                             const double **ret)
{
    static const char *const words[] = {"robot", NULL};
    double *limit = tqa_tree_take(part->tree, order->nv + 1, sizeof *limit);
    unsigned word = 0;
    if (limit == NULL) {
        return false;
    }
    *ret = limit;
    if (json_is_string(part->value)) {
        for (uint32_t j = 0; j < model->n_joint; j++) {
            for (uint32_t k = 0; k < model->joints[j].nv; k++) {
                const double most = model->joints[j].limits.effort;
                limit[model->joints[j].v_index + k] = most > 0.0 ? most : (double)INFINITY;
            }
        }
        return tqa_value_choice(part, words, &word);
    }
    if (!tqa_value_row(part, order, TQA_ROW_TORQUE, limit)) {
        return false;
    }
    for (size_t r = 0; r < order->nv; r++) {
        const tqa_value item = number_of(part, order, r);
        if (item.value == NULL) { /* not named */
            limit[order->v[r]] = (double)INFINITY;
        }
        if (!(limit[order->v[r]] > 0.0)) {
            return tqa_value_refuse(&item, "range",
                                    "above 0; leave the limit out where there is none",
                                    "expected an effort above 0, got %g", limit[order->v[r]]);
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Models
 */

bool tqa_value_controller_model(const tqa_value *part, const tqa_controlled *plant,
                                const tq_mechanism **ret, unsigned *ret_without)
{
    *ret = plant->mechanism;
    *ret_without = plant->without;
    if (part->value == NULL) {
        return true;
    }
    const tqa_value payload = tqa_value_field(part, "payload");
    const tqa_value scale = tqa_value_field(part, "mass_scale");
    const tqa_value without = tqa_value_field(part, "without");
    double factor = 1.0;
    unsigned bits = 0;
    if (!tqa_value_object(part, model_fields) ||
        (scale.value != NULL && !tqa_value_positive(&scale, &factor)) ||
        (without.value != NULL && !tqa_value_choices(&without, left_out, &bits))) {
        return false;
    }
    for (unsigned k = 0; left_out[k] != NULL; k++) {
        *ret_without |= (bits >> k & 1u) != 0 ? left_out_bits[k] : 0u;
    }
    return tqa_value_mechanism(part->tree, &payload, factor, ret);
}

bool tqa_value_controller_reference(const tqa_value *input, const tqa_controlled *plant,
                                    tqa_reference *ret)
{
    const tqa_value reference = tqa_value_field(input, "reference");
    return tqa_reference_object(&reference) &&
           tqa_value_reference(&reference, plant->order, TQA_PATH_ALL, plant->q, ret);
}

/* joints that a controller can drive: the actuated ones of the robot's document */
static const bool *driven_joints(const tqa_tree *tree)
{
    return tree->robot->actuated;
}

/* A law's fields, and those that it needs. */
static bool check_fields(const tqa_value *input, tq_control_law law)
{
    static const char *const fields[] = {TQA_FIELDS_CONTROLLER, NULL};
    tqa_needed needed[GAINS + 2] = {{"reference", TQA_ADD_REFERENCE}};
    size_t n = 1;
    for (unsigned k = 0; k < GAINS; k++) {
        if ((gains[k].needed >> law & 1u) != 0) {
            needed[n++] = (tqa_needed){gains[k].name, gains[k].missing};
        }
    }
    return tqa_value_fields(input, fields, needed);
}

static bool read_law(const tqa_value *input, const tqa_controlled *plant, tqa_controller *ret)
{
    tqa_tree *tree = input->tree;
    tq_controller *c = &ret->core;
    const tqa_value limits = tqa_value_field(input, "effort_limits");
    const tqa_value sample_time = tqa_value_field(input, "sample_time_s");
    const tqa_value model = tqa_value_field(input, "model");
    c->law = (tq_control_law)ret->kind;
    if (!check_fields(input, c->law)) {
        return false;
    }
    c->reference = &ret->reference.motion;
    c->gravity = plant->gravity;
    c->driven = driven_joints(tree);
    if (model.value != NULL && c->law == TQ_LAW_PD) {
        return tqa_value_refuse(&model, "invalid-value", "leave it out",
                                "\"pd\" does not ask any model");
    }
    if (!tqa_value_controller_model(&model, plant, &c->mechanism, &c->without) ||
        !tqa_value_controller_reference(input, plant, &ret->reference) ||
        !read_gains(input, plant->order, c) ||
        (limits.value != NULL &&
         !tqa_value_effort_limits(&limits, plant->order, tq_mechanism_model(c->mechanism),
                                  &c->limit)) ||
        (sample_time.value != NULL && !tqa_value_positive(&sample_time, &c->sample_time))) {
        return false;
    }
    tq_error error = {0};
    const tq_status status = tq_controller_effect(c, &ret->effect, &error);
    return status == TQ_OK || tqa_tree_fail(tree, input->pointer, status, &error);
}

bool tqa_value_controller(const tqa_value *input, const tqa_controlled *plant, tqa_controller *ret)
{
    const tqa_value kind = tqa_value_field(input, "kind");
    *ret = (tqa_controller){0};
    if (!tqa_value_choice(&kind, tqa_controller_kinds, &ret->kind)) {
        return false;
    }
    return ret->kind <= TQ_LAW_PASSIVITY ? read_law(input, plant, ret)
           : tqa_controller_is_operational(ret)
               ? tqa_value_operational_controller(input, plant, ret)
               : tqa_value_constrained_controller(input, plant, ret);
}

bool tqa_controller_is_closed(const tqa_controller *controller)
{
    return controller->kind != TQ_LAW_FEEDFORWARD;
}

double tqa_controller_sample_time(const tqa_controller *controller)
{
    return controller->kind <= TQ_LAW_PASSIVITY        ? controller->core.sample_time
           : tqa_controller_is_operational(controller) ? controller->operational.sample_time
                                                       : 0.0;
}

void tqa_controller_desired(const tqa_controller *controller, double t, const double *q,
                            double *ret_desired)
{
    const tq_reference *motion = &controller->reference.motion;
    const tq_constrained_controller *c = &controller->constrained;
    const size_t nq = motion->n_coordinate;
    tq_reference_at(motion, t, ret_desired, ret_desired + nq, ret_desired + 2 * nq);
    if (controller->kind <= TQ_LAW_PASSIVITY) {
        return;
    }
    if (tqa_controller_is_operational(controller)) {
        memcpy(ret_desired, q, nq * sizeof *q);
        return;
    }
    const tq_model *model = tq_mechanism_model(c->mechanism);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        size_t followed = 0;
        for (uint32_t k = 0; k < joint->nv; k++) {
            for (size_t f = 0; f < c->n_coordinate; f++) {
                followed += c->coordinates[f] == joint->v_index + k;
            }
        }
        for (uint32_t k = 0; followed == 0 && k < joint->nq; k++) {
            ret_desired[joint->q_index + k] = q[joint->q_index + k];
        }
    }
}
