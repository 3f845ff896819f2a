/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/inverse_kinematics.c - POST .../inverse-kinematics: coordinates for a pose. */
#include "core/dynamics/kinematics/inverse_kinematics.h"
#include "api/openapi/generated/fields.h"
#include "api/openapi/generated/ranges.h"

#include <math.h>
#include <string.h>

#include "api/call/call.h"
#include "api/request/robot_fields.h"
#include "api/response/robot_writer.h"
#include "core/spatial/frame.h"

enum {
    TASK = 6,
    SEEDS_MAX = TQA_RANGE_INVERSE_KINEMATICS_REQUEST_SEEDS_MOST,
    ITERATIONS_MAX = TQA_RANGE_INVERSE_KINEMATICS_REQUEST_ITERATIONS_MOST,
};
_Static_assert(TQ_IK_SOLUTION_MAX == TQA_RANGE_INVERSE_KINEMATICS_REQUEST_SOLUTIONS_MOST,
               "the contract has the limit of core");

/* Flops that one search may take: a few seconds. */
static const double work_max = 4e9;

static const char *const fields[] = {TQA_FIELDS_INVERSE_KINEMATICS_REQUEST, NULL};

static const char *const axis_names[] = {TQA_WORDS_AXES, NULL};

typedef struct search {
    tqa_tree *tree;
    tqa_order order;
    tqa_point point;
    tq_ik_task task;
    tq_ik_options options;
    tq_ik_result *result;
} search;

static double cost_us(const tqa_tree *tree)
{
    const double nv = (double)tree->robot->model->nv;
    const json_t *seeds = json_object_get(tree->root, "seeds");
    const double n_seed = seeds != NULL ? json_number_value(seeds) : 64.0;
    /* measured on a 6-axis arm: 30 steps of 6 us a start */
    return 50.0 + n_seed * (20.0 * nv + 0.3 * nv * nv * nv);
}

/* Controlled axes: those named, else those that the pose contains. */
static bool read_axes(search *s, const tqa_value *position, bool turned)
{
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value axes = tqa_value_field(&root, "axes");
    unsigned bits = (position->value != NULL ? 7u : 0u) | (turned ? 7u << 3 : 0u);
    if (axes.value != NULL && !tqa_value_choices(&axes, axis_names, &bits)) {
        return false;
    }
    if (bits == 0 || (bits & 7u) != 0) {
        if (!tqa_value_need(position, "add \"position\": [x, y, z] in the world frame, m")) {
            return false;
        }
    }
    if ((bits & 7u << 3) != 0 && !turned) {
        const tqa_value pose = tqa_value_field(&root, "pose");
        const tqa_value quaternion = tqa_value_field(&pose, "quaternion_wxyz");
        return tqa_value_need(&quaternion,
                              "add \"rpy\": [0, 0, 0], \"quaternion_wxyz\" or \"rotation\"");
    }
    for (unsigned k = 0; k < TASK; k++) {
        s->task.axes[k] = (bits >> k & 1u) != 0;
    }
    return bits != 0 || tqa_value_refuse(&axes, "wrong-length", "for example [\"x\", \"y\", \"z\"]",
                                         "name one axis at least");
}

static bool read_task(search *s)
{
    static const char *const pose_fields[] = {TQA_FIELDS_POSE, NULL};
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value frame = tqa_value_field(&root, "frame");
    const tqa_value pose = tqa_value_field(&root, "pose");
    bool turned = false;
    if (frame.value != NULL ? !tqa_value_point(&frame, &s->point)
                            : !tqa_value_end_link(&frame, &s->point.link)) {
        return false;
    }
    if (!tqa_value_need(&pose, "add \"pose\": {\"position\": [x, y, z], \"quaternion_wxyz\": "
                               "[w, x, y, z]} of the frame in the world") ||
        !tqa_value_object(&pose, pose_fields)) {
        return false;
    }
    const tqa_value position = tqa_value_field(&pose, "position");
    if ((position.value != NULL && !tqa_value_numbers(&position, 3, s->task.target.p)) ||
        !tqa_value_rotation(&pose, s->task.target.r, &turned)) {
        return false;
    }
    s->task.link = s->point.link;
    memcpy(s->task.at, s->point.at, sizeof s->task.at);
    return read_axes(s, &position, turned);
}

static bool read_counts(search *s)
{
    const tqa_value root = tqa_value_root(s->tree);
    const char *const names[3] = {"solutions", "seeds", "iterations"};
    const size_t most[3] = {TQ_IK_SOLUTION_MAX, SEEDS_MAX, ITERATIONS_MAX};
    size_t counts[3] = {8, 64, 200};
    for (unsigned k = 0; k < 3; k++) {
        const tqa_value part = tqa_value_field(&root, names[k]);
        if (part.value != NULL && !tqa_value_count(&part, 1, most[k], &counts[k])) {
            return false;
        }
    }
    s->options.n_solution = (uint32_t)counts[0];
    s->options.n_seed = (uint32_t)counts[1];
    s->options.iterations = (uint32_t)counts[2];
    const tq_model *model = s->tree->robot->model;
    const double nv = (double)model->nv;
    const double step = 100.0 * (double)model->n_joint + nv * nv * nv;
    if ((double)counts[1] * (double)counts[2] * step > work_max) {
        const tqa_value seeds = tqa_value_field(&root, "seeds");
        return tqa_value_refuse(&seeds, "too-large", "fewer seeds or iterations",
                                "this search takes longer than a request may");
    }
    return true;
}

static bool read_options(search *s)
{
    static const char *const tolerances[] = {TQA_FIELDS_INVERSE_KINEMATICS_REQUEST_TOLERANCE, NULL};
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value initial = tqa_value_field(&root, "initial");
    const tqa_value limits = tqa_value_field(&root, "limits");
    const tqa_value tolerance = tqa_value_field(&root, "tolerance");
    s->options.position_tolerance = 1e-9;
    s->options.rotation_tolerance = 1e-9;
    s->options.within_limits = true;
    if (initial.value != NULL) {
        double *q = tqa_tree_take(s->tree, s->order.nq, sizeof *q);
        if (q == NULL || !tqa_value_row(&initial, &s->order, TQA_ROW_Q, q)) {
            return false;
        }
        s->options.initial = q;
    }
    if (tolerance.value != NULL) {
        if (!tqa_value_object(&tolerance, tolerances)) {
            return false;
        }
        const tqa_value position = tqa_value_field(&tolerance, "position_m");
        const tqa_value rotation = tqa_value_field(&tolerance, "rotation_rad");
        if ((position.value != NULL &&
             !tqa_value_positive(&position, &s->options.position_tolerance)) ||
            (rotation.value != NULL &&
             !tqa_value_positive(&rotation, &s->options.rotation_tolerance))) {
            return false;
        }
    }
    return (limits.value == NULL || tqa_value_flag(&limits, &s->options.within_limits)) &&
           read_counts(s);
}

static bool find(search *s)
{
    const tq_model *model = s->tree->robot->model;
    tq_scratch scratch;
    tq_error error = {0};
    if (model->nv == 0 || model->nv > TQ_IK_NV_MAX) {
        const tqa_value root = tqa_value_root(s->tree);
        return tqa_value_refuse(
            &root, "invalid-value",
            "a robot of fewer degrees of freedom: leave out what does not move the point",
            "this takes robots of 1 to %d degrees of freedom, here are %u", TQ_IK_NV_MAX,
            model->nv);
    }
    s->result = tqa_tree_take(s->tree, 1, sizeof *s->result);
    if (s->result == NULL || !tqa_tree_scratch(s->tree, tq_ik_scratch_size(model), &scratch)) {
        return false;
    }
    s->result->q = tqa_tree_take(s->tree, (size_t)TQ_IK_SOLUTION_MAX * model->nq, sizeof(double));
    if (s->result->q == NULL) {
        return false;
    }
    const tq_status status =
        tq_inverse_kinematics(model, &s->task, &s->options, &scratch, s->result, &error);
    if (status != TQ_OK) {
        return tqa_tree_fail(s->tree, status == TQ_ERR_QUATERNION ? "/initial" : "", status,
                             &error);
    }
    return true;
}

/* Before another in the order of branches: by the coordinates, first joint first, angles without
 * whole turns. */
static bool is_before(const double *a, const double *b, const tqa_order *order,
                      const tq_model *model)
{
    static const double same = 1e-6;
    for (size_t k = 0; k < order->n_joint; k++) {
        const tq_joint *joint = &model->joints[order->joints[k]];
        const bool turns = joint->kind == TQ_JOINT_REVOLUTE || joint->kind == TQ_JOINT_CONTINUOUS;
        for (uint32_t i = joint->q_index; i < joint->q_index + joint->nq; i++) {
            const double x = turns ? remainder(a[i], 2.0 * M_PI) : a[i];
            const double y = turns ? remainder(b[i], 2.0 * M_PI) : b[i];
            if (fabs(x - y) > same) {
                return x < y;
            }
        }
    }
    return false;
}

static void put_answer(const search *s)
{
    const tqa_robot *robot = s->tree->robot;
    const size_t nq = s->order.nq;
    const tq_ik_result *result = s->result;
    tqa_writer *answer = s->tree->answer;
    size_t branch[TQ_IK_SOLUTION_MAX];
    for (size_t i = 0; i < result->n_solution; i++) {
        branch[i] = 1;
        for (size_t j = 0; j < result->n_solution; j++) {
            branch[i] += is_before(result->q + j * nq, result->q + i * nq, &s->order, robot->model);
        }
    }
    tqa_writer_joints(answer, robot, &s->order);
    tqa_writer_object(answer, "frame");
    tqa_writer_point(answer, robot, &s->point);
    tqa_writer_end(answer);
    tqa_writer_list(answer, "axes");
    size_t n_axis = 0;
    for (unsigned k = 0; k < TASK; k++) {
        if (s->task.axes[k]) {
            n_axis++;
            tqa_writer_string(answer, NULL, axis_names[k]);
        }
    }
    tqa_writer_end(answer);
    tqa_writer_flag(answer, "redundant", s->order.nv > n_axis);
    tqa_writer_list(answer, "solutions");
    for (size_t i = 0; i < result->n_solution; i++) {
        tqa_writer_object(answer, NULL);
        tqa_rows_to_user(s->tree, TQA_ROW_Q, result->q + i * nq, 1);
        tqa_writer_rows(answer, "q", result->q + i * nq, 1, true, s->order.q, nq);
        tqa_writer_count(answer, "branch", branch[i]);
        tqa_writer_number(answer, "position_error_m", result->position_error[i]);
        tqa_writer_number(answer, "rotation_error_rad", result->rotation_error[i]);
        tqa_writer_number(answer, "smallest_singular_value", result->smallest_singular[i]);
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
    tqa_writer_object(answer, "nearest");
    tqa_writer_number(answer, "position_error_m", result->best_position_error);
    tqa_writer_number(answer, "rotation_error_rad", result->best_rotation_error);
    tqa_writer_end(answer);
    tqa_writer_count(answer, "starts", result->starts);
}

/* A robot of fewer joints than axes reaches some poses alone: says which field asks for less. */
static void remark_axes(const search *s)
{
    size_t n_axis = 0;
    for (unsigned k = 0; k < TASK; k++) {
        n_axis += s->task.axes[k];
    }
    if (s->result->n_solution == 0 && n_axis > s->order.nv) {
        tqa_tree_remark(s->tree, TQ_NONE,
                        "%zu axes are asked of %zu degrees of freedom, which reach few such poses: "
                        "name those that matter, such as \"axes\": [\"x\", \"y\", \"z\"]",
                        n_axis, s->order.nv);
    }
}

static bool run(tqa_tree *tree)
{
    search s = {.tree = tree};
    if (!tqa_tree_order(tree, &s.order) || !read_task(&s) || !read_options(&s) || !find(&s)) {
        return false;
    }
    put_answer(&s);
    remark_axes(&s);
    return true;
}

static const tqa_tree_methods methods = {.fields = fields, .cost_us = cost_us, .run = run};
const tqa_operation_methods tqa_inverse_kinematics_methods = {.tree = &methods};
