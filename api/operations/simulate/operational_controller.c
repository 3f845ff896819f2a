/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/operational_controller.c - control of a link in space: its axes, gains,
 * goal, forces and posture. */
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/operations/simulate/controller.h"

enum { AXES = TQ_TASK_AXES, SHIFTS = AXES / 2 };

static const char *const fields[] = {TQA_FIELDS_OPERATIONAL_CONTROLLER, NULL};
static const char *const force_fields[] = {TQA_FIELDS_OPERATIONAL_CONTROLLER_FORCE, NULL};
static const char *const posture_fields[] = {TQA_FIELDS_OPERATIONAL_CONTROLLER_POSTURE, NULL};
static const char *const frame_fields[] = {TQA_FIELDS_OPERATIONAL_CONTROLLER_TASK_FRAME, NULL};
static const char *const axis_names[] = {"x", "y", "z", "rx", "ry", "rz", NULL};

/* Axes as a request lists them. */
typedef struct axis_list {
    uint32_t axis[AXES];
    size_t n;
    bool has[AXES];
} axis_list;

static bool read_axes(const tqa_value *part, axis_list *ret)
{
    unsigned bits = 0;
    *ret = (axis_list){.n = 0};
    if (!tqa_value_choices(part, axis_names, &bits)) {
        return false;
    }
    const bool is_one = !json_is_array(part->value);
    const size_t n = is_one ? 1 : json_array_size(part->value);
    for (size_t i = 0; i < n && ret->n < AXES; i++) {
        const tqa_value item = tqa_value_item(part, i);
        const char *name = json_string_value(is_one ? part->value : item.value);
        for (uint32_t k = 0; k < AXES; k++) {
            if (name != NULL && strcmp(axis_names[k], name) == 0) {
                ret->axis[ret->n++] = k;
                ret->has[k] = true;
            }
        }
    }
    return ret->n > 0 || tqa_value_refuse(part, "wrong-length", "for example [\"x\", \"y\", \"z\"]",
                                          "name one axis at least");
}

/* A gain of `of` axes, into those of all: one number, or one for each as they are listed. */
static bool read_gain(const tqa_value *part, const axis_list *of, double ret[AXES])
{
    double row[AXES] = {0.0};
    if (json_is_number(part->value)) {
        for (size_t k = 0; k < of->n; k++) {
            row[k] = json_number_value(part->value);
        }
    } else if (!tqa_value_vector(part, of->n, "one number, or one for each axis", row)) {
        return false;
    }
    for (size_t k = 0; k < of->n; k++) {
        if (row[k] < 0.0) {
            const tqa_value item = json_is_array(part->value) ? tqa_value_item(part, k) : *part;
            return tqa_value_refuse(&item, "range", "gains push back: 0 or more", "a gain of %g",
                                    row[k]);
        }
        ret[of->axis[k]] = row[k];
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Goal and axes
 */

/* The pose, or the motion of the joints. *ret_has: which axes it says something of. */
static bool read_goal(const tqa_value *input, const tqa_controlled *plant, tqa_controller *to,
                      bool ret_has[AXES])
{
    const tqa_value pose = tqa_value_field(input, "pose");
    const tqa_value reference = tqa_value_field(input, "reference");
    const tqa_value position = tqa_value_field(&pose, "position");
    const size_t nq = plant->order->nq;
    double rotation[AXES + SHIFTS];
    bool turned = true;
    if (pose.value != NULL && reference.value != NULL) {
        return tqa_value_refuse(&pose, "invalid-value", "leave one of them out",
                                "\"pose\" and \"reference\" are both given");
    }
    if (pose.value == NULL) {
        for (unsigned k = 0; k < AXES; k++) {
            ret_has[k] = true;
        }
        return tqa_value_controller_reference(input, plant, &to->reference);
    }
    double *start = tqa_tree_take(input->tree, nq + 1, sizeof *start);
    if (start == NULL || !tqa_value_pose(&pose, &to->goal) ||
        !tqa_value_rotation(&pose, rotation, &turned)) {
        return false;
    }
    memcpy(start, plant->q, nq * sizeof *start);
    to->reference.motion =
        (tq_reference){.kind = TQ_REFERENCE_SETPOINT, .n_coordinate = nq, .setpoint = start};
    to->operational.goal = &to->goal;
    for (unsigned k = 0; k < AXES; k++) {
        ret_has[k] = k < SHIFTS ? position.value != NULL : turned;
    }
    return true;
}

/* Axes of motion, where the request names none: those of the goal but for those of force. */
static bool choose_axes(const tqa_value *input, const bool has[AXES], const axis_list *pushed,
                        axis_list *ret)
{
    const tqa_value axes = tqa_value_field(input, "axes");
    const tqa_value pose = tqa_value_field(input, "pose");
    if (axes.value != NULL && !read_axes(&axes, ret)) {
        return false;
    }
    for (uint32_t k = 0; axes.value == NULL && k < AXES; k++) {
        if (has[k] && !pushed->has[k]) {
            ret->axis[ret->n++] = k;
            ret->has[k] = true;
        }
    }
    for (unsigned k = 0; k < AXES; k++) {
        if (ret->has[k] && pushed->has[k]) {
            return tqa_value_refuse(&axes, "invalid-value", "leave it out of one of them",
                                    "\"%s\" is an axis of motion and one of force", axis_names[k]);
        }
        if (ret->has[k] && !has[k]) {
            return tqa_value_refuse(&pose, "missing-field",
                                    k < SHIFTS ? "add \"position\": [x, y, z], m"
                                               : "add \"rpy\": [0, 0, 0] or \"quaternion_wxyz\"",
                                    "the pose says nothing of axis \"%s\"", axis_names[k]);
        }
    }
    return true;
}

static bool read_task(const tqa_value *input, const tqa_controlled *plant, tqa_controller *to,
                      axis_list *moved, axis_list *pushed)
{
    tq_operational_controller *c = &to->operational;
    const tqa_value frame = tqa_value_field(input, "frame");
    const tqa_value task_frame = tqa_value_field(input, "task_frame");
    const tqa_value force = tqa_value_field(input, "force");
    const tqa_value of_force = tqa_value_field(&force, "axes");
    const size_t nv = plant->order->nv;
    bool has[AXES] = {false};
    bool turned = false;
    tqa_point point = {.link = 0};
    if (!(frame.value != NULL ? tqa_value_point(&frame, &point)
                              : tqa_value_end_link(&frame, &point.link)) ||
        (task_frame.value != NULL && !tqa_value_object(&task_frame, frame_fields)) ||
        !tqa_value_rotation(&task_frame, c->frame, &turned) ||
        (force.value != NULL &&
         (!tqa_value_object(&force, force_fields) ||
          !tqa_value_need(&of_force, "add \"axes\": [\"z\"]") || !read_axes(&of_force, pushed))) ||
        !read_goal(input, plant, to, has) || !choose_axes(input, has, pushed, moved)) {
        return false;
    }
    c->link = point.link;
    memcpy(c->at, point.at, sizeof c->at);
    memcpy(c->moved, moved->has, sizeof c->moved);
    memcpy(c->pushed, pushed->has, sizeof c->pushed);
    if (moved->n + pushed->n > nv) {
        const tqa_value axes = tqa_value_field(input, "axes");
        return tqa_value_refuse(
            &axes, "invalid-value", "name those that it can move along: \"axes\": [\"x\", \"y\"]",
            "%zu axes are more than the robot's %zu degrees of freedom", moved->n + pushed->n, nv);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Gains, force, posture
 */

static const struct gain {
    const char *name, *missing;
    tq_operational_law law;
} gains[] = {{"kp", "add \"kp\": 100 (1/s^2), or one for each axis", TQ_OPERATIONAL_SPACE},
             {"kd", "add \"kd\": 20 (1/s), or one for each axis", TQ_OPERATIONAL_SPACE},
             {"stiffness", "add \"stiffness\": 500 (N/m, N m/rad), or one for each axis",
              TQ_CARTESIAN_IMPEDANCE},
             {"damping", "add \"damping_ratio\": 1, or \"damping\": 50 (N s/m, N m s/rad)",
              TQ_CARTESIAN_IMPEDANCE}};

static bool read_gains(const tqa_value *input, const axis_list *moved, tqa_controller *to)
{
    tq_operational_controller *c = &to->operational;
    const tqa_value ratio = tqa_value_field(input, "damping_ratio");
    if (ratio.value != NULL && c->law != TQ_CARTESIAN_IMPEDANCE) {
        return tqa_value_refuse(&ratio, "invalid-value", "leave it out",
                                "\"damping_ratio\" is no gain of this controller");
    }
    for (unsigned k = 0; k < sizeof gains / sizeof gains[0]; k++) {
        const tqa_value part = tqa_value_field(input, gains[k].name);
        const bool other = k % 2 == 1 && ratio.value != NULL; /* instead of damping */
        if (part.value != NULL && (gains[k].law != c->law || other)) {
            return tqa_value_refuse(&part, "invalid-value", "leave it out",
                                    other ? "\"%s\" and \"damping_ratio\" are both given"
                                          : "\"%s\" is no gain of this controller",
                                    gains[k].name);
        }
        if (gains[k].law != c->law || (other && part.value == NULL)) {
            continue;
        }
        if ((moved->n > 0 && !tqa_value_need(&part, gains[k].missing)) ||
            (part.value != NULL && !read_gain(&part, moved, k % 2 == 0 ? c->kp : c->kd))) {
            return false;
        }
    }
    return ratio.value == NULL || tqa_value_within(&ratio, 0.0, 1e3, &c->ratio);
}

/* the columns of the table are the axes from x to rz */
static bool read_force(const tqa_value *force, const axis_list *pushed, tqa_controller *to)
{
    tq_operational_controller *c = &to->operational;
    const tqa_value kd = tqa_value_field(force, "kd");
    uint32_t column[AXES] = {0};
    uint32_t to_column[AXES] = {0};
    for (uint32_t k = 0, n = 0; k < AXES; k++) {
        column[k] = n;
        n += pushed->has[k] ? 1 : 0;
    }
    for (size_t k = 0; k < pushed->n; k++) {
        to_column[k] = column[pushed->axis[k]];
    }
    const tqa_force_columns columns = {.to = to_column,
                                       .n = pushed->n,
                                       .n_column = pushed->n,
                                       .missing =
                                           "add \"values\": a force for each axis, N or N m"};
    c->force = &to->force;
    return tqa_value_force_table(force, &columns, &to->force) &&
           (kd.value == NULL || read_gain(&kd, pushed, c->kd));
}

static bool read_posture(const tqa_value *part, const tqa_controlled *plant, tqa_controller *to)
{
    tq_operational_controller *c = &to->operational;
    const tqa_value q = tqa_value_field(part, "q");
    const tqa_value kp = tqa_value_field(part, "kp");
    const tqa_value kd = tqa_value_field(part, "kd");
    double *zero = tqa_tree_take(part->tree, plant->order->nv + 1, sizeof *zero);
    double *setpoint = tqa_tree_take(part->tree, plant->order->nq + 1, sizeof *setpoint);
    if (zero == NULL || setpoint == NULL || !tqa_value_object(part, posture_fields)) {
        return false;
    }
    c->posture = &to->reference.motion;
    c->posture_kp = c->posture_kd = zero;
    if (q.value != NULL) {
        if (!tqa_value_row(&q, plant->order, TQA_ROW_Q, setpoint)) {
            return false;
        }
        to->posture = (tq_reference){
            .kind = TQ_REFERENCE_SETPOINT, .n_coordinate = plant->order->nq, .setpoint = setpoint};
        c->posture = &to->posture;
    }
    return (kp.value == NULL || tqa_value_gain(&kp, plant->order, &c->posture_kp)) &&
           (kd.value == NULL || tqa_value_gain(&kd, plant->order, &c->posture_kd));
}

/* ------------------------------------------------------------------------------------------------
 * The law
 */

/* Forces in space are the joints' torques: all of them have to be driven, and free. */
static bool check_robot(const tqa_value *input)
{
    const tqa_robot *robot = input->tree->robot;
    const tqa_value kind = tqa_value_field(input, "kind");
    if (robot->constraints != NULL) {
        return tqa_value_refuse(&kind, "invalid-value", "\"hybrid-position-force\" does",
                                "it does not know of this robot's constraints");
    }
    for (size_t r = 0; robot->actuated != NULL && r < robot->model->nv; r++) {
        if (!robot->actuated[r]) {
            return tqa_value_refuse(&kind, "invalid-value",
                                    "\"pd-gravity\" drives those that are actuated",
                                    "it takes a robot whose joints are all driven");
        }
    }
    return true;
}

/* Refuses a start where the robot cannot move along all axes. */
static bool check_start(const tqa_value *input, const tqa_controlled *plant,
                        const tq_operational_controller *c)
{
    const tqa_value axes = tqa_value_field(input, "axes");
    tq_error error = {0};
    tq_scratch scratch;
    if (!tqa_tree_scratch(input->tree, tq_operational_error_scratch_size(c), &scratch)) {
        return false;
    }
    const tq_status status = tq_operational_check(c, plant->q, &scratch, &error);
    if (status == TQ_ERR_SINGULAR && error.what != NULL && strcmp(error.what, "task") == 0) {
        return tqa_value_refuse(&axes, "singular",
                                "start elsewhere, name fewer axes, or add "
                                "\"singularity_damping\": 0.01",
                                "the robot cannot move along all axes of the controller at the "
                                "start (smallest eigenvalue %.3g)",
                                error.value);
    }
    return status == TQ_OK || tqa_tree_fail(input->tree, "/initial", status, &error);
}

/* The self-motion of a redundant robot that nothing holds. */
static void remark_free(const tqa_value *input, const tqa_controlled *plant, size_t n_axis)
{
    const size_t nv = plant->order->nv;
    if (nv > n_axis) {
        tqa_tree_remark(input->tree, TQ_NONE,
                        "%zu axes leave the robot %zu degrees of freedom, which nothing holds or "
                        "slows: add \"posture\": {\"kp\": 10, \"kd\": 6}",
                        n_axis, nv - n_axis);
    }
}

bool tqa_value_operational_controller(const tqa_value *input, const tqa_controlled *plant,
                                      tqa_controller *ret)
{
    tq_operational_controller *c = &ret->operational;
    const tqa_value force = tqa_value_field(input, "force");
    const tqa_value posture = tqa_value_field(input, "posture");
    const tqa_value away = tqa_value_field(input, "singularity_damping");
    const tqa_value limits = tqa_value_field(input, "effort_limits");
    const tqa_value sample_time = tqa_value_field(input, "sample_time_s");
    const tqa_value model = tqa_value_field(input, "model");
    const tqa_needed needed[] = {
        {tqa_value_field(input, "pose").value == NULL ? "reference" : NULL,
         "add \"pose\": {\"position\": [x, y, z]}, or \"reference\": {\"setpoint\": [q]}"},
        {NULL, NULL}};
    axis_list moved = {.n = 0};
    axis_list pushed = {.n = 0};
    c->law = (tq_operational_law)(ret->kind - TQA_LAW_OPERATIONAL);
    c->reference = &ret->reference.motion;
    c->gravity = plant->gravity;
    if (!check_robot(input) || !tqa_value_fields(input, fields, needed) ||
        !tqa_value_controller_model(&model, plant, &c->mechanism, &c->without) ||
        !read_task(input, plant, ret, &moved, &pushed) || !read_gains(input, &moved, ret) ||
        (force.value != NULL && !read_force(&force, &pushed, ret)) ||
        (posture.value != NULL && !read_posture(&posture, plant, ret)) ||
        (away.value != NULL && (!tqa_value_positive(&away, &c->damping) ||
                                !tqa_value_within(&away, 0.0, 1.0, &c->damping))) ||
        (limits.value != NULL &&
         !tqa_value_effort_limits(&limits, plant->order, tq_mechanism_model(c->mechanism),
                                  &c->limit)) ||
        (sample_time.value != NULL && !tqa_value_positive(&sample_time, &c->sample_time))) {
        return false;
    }
    tq_error error = {0};
    const tq_status status = tq_operational_controller_effect(c, &ret->effect, &error);
    if (status != TQ_OK) {
        return tqa_tree_fail(input->tree, input->pointer, status, &error);
    }
    if (posture.value == NULL) {
        remark_free(input, plant, moved.n + pushed.n);
    }
    return check_start(input, plant, c);
}
