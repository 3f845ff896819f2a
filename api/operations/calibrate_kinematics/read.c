/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate_kinematics/read.c - the request of a kinematic calibration. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/openapi/generated/ranges.h"
#include "api/operations/calibrate_kinematics/calibrate_kinematics.h"

_Static_assert(TQ_KINEMATIC_FOLDS_MAX == TQA_RANGE_CALIBRATE_KINEMATICS_REQUEST_FOLDS_MOST,
               "the contract has the limit of core");
_Static_assert(TQ_KINEMATIC_POSES_MAX == TQA_RANGE_CALIBRATE_KINEMATICS_REQUEST_POSITION_N_MOST,
               "the contract has the limit of core");
enum { FOLDS_DEFAULT = TQA_RANGE_CALIBRATE_KINEMATICS_REQUEST_FOLDS_DEFAULT };
static const double unit_slack = 1e-6; /* as promised to users */

static bool read_frame(tqa_kinematic *c)
{
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value frame = tqa_value_field(&root, "frame");
    if (frame.value != NULL ? !tqa_value_point(&frame, &c->point)
                            : !tqa_value_end_link(&frame, &c->point.link)) {
        return false;
    }
    c->problem.link = c->point.link;
    c->problem.tool = tq_pose_identity;
    memcpy(c->problem.tool.p, c->point.at, sizeof c->point.at);
    return true;
}

static bool read_quaternions(tqa_kinematic *c, const tqa_value *part, double *to)
{
    if (!tqa_value_matrix(part, c->states.n_sample, 4, to)) {
        return false;
    }
    for (size_t i = 0; i < c->states.n_sample; i++) {
        const double *w = to + 4 * i;
        const double length = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3]);
        if (!(fabs(length - 1.0) <= unit_slack)) {
            char hint[TQA_PROBLEM_TEXT] = "w first: [1, 0, 0, 0] is no rotation at all";
            const tqa_value item = tqa_value_item(part, i);
            if (length > 0.0) {
                (void)snprintf(hint, sizeof hint,
                               "w first, divided by its length: [%.9g, %.9g, "
                               "%.9g, %.9g]",
                               w[0] / length, w[1] / length, w[2] / length, w[3] / length);
            }
            return tqa_value_refuse(&item, "quaternion", hint,
                                    "the length of this quaternion is %.9g, not 1", length);
        }
    }
    return true;
}

static bool read_planes(tqa_kinematic *c, const tqa_value *part)
{
    const size_t n = c->states.n_sample;
    double *numbers = tqa_tree_take(c->tree, n, sizeof *numbers);
    uint32_t *plane = tqa_tree_take(c->tree, n, sizeof *plane);
    const double most = TQ_KINEMATIC_PLANES_MAX - 1;
    c->problem.kind = TQ_KINEMATIC_PLANES;
    c->problem.plane = plane;
    if (numbers == NULL || plane == NULL ||
        !tqa_value_vector(part, n, "one number for each pose of q: 0 where there is one plane",
                          numbers)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!(numbers[i] >= 0.0 && numbers[i] <= most && numbers[i] == floor(numbers[i]))) {
            const tqa_value item = tqa_value_item(part, i);
            return tqa_value_refuse(&item, "range", "number the planes from 0",
                                    "expected a whole number from 0 to %.0f, got %.9g", most,
                                    numbers[i]);
        }
        plane[i] = (uint32_t)numbers[i];
        c->problem.n_plane =
            plane[i] >= c->problem.n_plane ? plane[i] + (size_t)1 : c->problem.n_plane;
    }
    return true;
}

/* What was measured: poses, points or planes. */
static bool read_measured(tqa_kinematic *c)
{
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value position = tqa_value_field(&root, "position");
    const tqa_value quaternion = tqa_value_field(&root, "quaternion_wxyz");
    const tqa_value plane = tqa_value_field(&root, "plane");
    const size_t n = c->states.n_sample;
    if (plane.value != NULL) {
        const tqa_value *other = position.value != NULL ? &position : &quaternion;
        return other->value != NULL
                   ? tqa_value_refuse(other, "invalid-value", "leave one of the two out",
                                      "a pose is measured by a tracker, or touches a \"plane\"")
                   : read_planes(c, &plane);
    }
    if (!tqa_value_need(&position, "add \"position\": [[x, y, z], ...] of each pose in the "
                                   "tracker's frame, m, or \"plane\": [0, ...]")) {
        return false;
    }
    double *positions = tqa_tree_take(c->tree, 3 * n, sizeof *positions);
    c->problem.kind = TQ_KINEMATIC_POINTS;
    c->problem.position = positions;
    if (positions == NULL || !tqa_value_matrix(&position, n, 3, positions)) {
        return false;
    }
    if (quaternion.value == NULL) {
        return true;
    }
    double *quaternions = tqa_tree_take(c->tree, 4 * n, sizeof *quaternions);
    c->problem.kind = TQ_KINEMATIC_POSES;
    c->problem.quaternion = quaternions;
    return quaternions != NULL && read_quaternions(c, &quaternion, quaternions);
}

static bool read_weights(tqa_kinematic *c)
{
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value weights = tqa_value_field(&root, "weights");
    const size_t n = c->states.n_sample;
    if (weights.value == NULL) {
        return true;
    }
    double *to = tqa_tree_take(c->tree, n, sizeof *to);
    c->problem.weight = to;
    if (to == NULL || !tqa_value_vector(&weights, n, "one number for each pose of q", to)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!(to[i] > 0.0)) {
            const tqa_value item = tqa_value_item(&weights, i);
            return tqa_value_refuse(&item, "range", "leave the pose out instead",
                                    "expected a number above 0, got %.9g", to[i]);
        }
    }
    return true;
}

static bool read_noise(tqa_kinematic *c)
{
    static const char *const fields[] = {TQA_FIELDS_CALIBRATE_KINEMATICS_REQUEST_NOISE, NULL};
    static const tqa_needed needed[] = {{"position_m", "add \"position_m\": 0.0001"}, {NULL, NULL}};
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value noise = tqa_value_field(&root, "noise");
    if (noise.value == NULL) {
        return true;
    }
    if (!tqa_value_fields(&noise, fields, needed)) {
        return false;
    }
    const tqa_value position = tqa_value_field(&noise, "position_m");
    const tqa_value rotation = tqa_value_field(&noise, "rotation_rad");
    c->problem.sigma[1] = 1.0;
    if (!tqa_value_positive(&position, &c->problem.sigma[0])) {
        return false;
    }
    if (c->problem.kind != TQ_KINEMATIC_POSES) {
        return rotation.value == NULL ||
               tqa_value_refuse(&rotation, "invalid-value", "leave it out",
                                "no rotations are measured");
    }
    return tqa_value_need(&rotation, "add \"rotation_rad\": 0.0001") &&
           tqa_value_positive(&rotation, &c->problem.sigma[1]);
}

static bool read_limits(tqa_kinematic *c)
{
    static const char *const fields[] = {TQA_FIELDS_CALIBRATE_KINEMATICS_REQUEST_LIMITS, NULL};
    static const char *const names[3] = {"zero_rad", "displacement_m", "rotation_rad"};
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value limits = tqa_value_field(&root, "limits");
    for (unsigned i = 0; i < 3; i++) {
        c->problem.limit[i] = (double)INFINITY;
    }
    if (limits.value == NULL) {
        return true;
    }
    bool good = tqa_value_object(&limits, fields);
    for (unsigned i = 0; good && i < 3; i++) {
        const tqa_value one = tqa_value_field(&limits, names[i]);
        good = one.value == NULL || tqa_value_positive(&one, &c->problem.limit[i]);
    }
    return good;
}

static bool read_only(tqa_kinematic *c)
{
    const tqa_robot *robot = c->tree->robot;
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value only = tqa_value_field(&root, "only");
    size_t n = 0;
    if (only.value == NULL) {
        return true;
    }
    bool *to = tqa_tree_take(c->tree, robot->model->n_joint, sizeof *to);
    c->problem.only = to;
    if (to == NULL || !tqa_value_some(&only, 1, robot->model->n_joint, &n)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const tqa_value item = tqa_value_item(&only, i);
        const char *text = NULL;
        if (!tqa_value_text(&item, "the name of a joint", &text)) {
            return false;
        }
        const uint32_t j = tqa_robot_joint(robot, text, strlen(text));
        if (j == TQ_NONE) {
            return tqa_value_refuse_joint(&item, text);
        }
        if (to[j]) {
            return tqa_value_refuse_twice(&item, text);
        }
        to[j] = true;
    }
    return true;
}

static bool read_known(tqa_kinematic *c)
{
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value base = tqa_value_field(&root, "base");
    const tqa_value tool = tqa_value_field(&root, "tool");
    c->problem.knows_base = base.value != NULL;
    c->problem.knows_tool = tool.value != NULL;
    if (base.value != NULL && c->problem.kind == TQ_KINEMATIC_PLANES) {
        return tqa_value_refuse(&base, "invalid-value", "leave it out",
                                "planes are in the robot's root frame: there is no tracker");
    }
    return (base.value == NULL || tqa_value_pose(&base, &c->problem.base)) &&
           (tool.value == NULL || tqa_value_pose(&tool, &c->problem.tool));
}

static bool read_options(tqa_kinematic *c)
{
    static const char *const identified[] = {TQA_WORDS_CALIBRATE_KINEMATICS_REQUEST_IDENTIFY, NULL};
    static const double least = TQA_RANGE_CALIBRATE_KINEMATICS_REQUEST_CONFIDENCE_LEAST;
    static const double most = TQA_RANGE_CALIBRATE_KINEMATICS_REQUEST_CONFIDENCE_MOST;
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value identify = tqa_value_field(&root, "identify");
    const tqa_value robust = tqa_value_field(&root, "robust");
    const tqa_value folds = tqa_value_field(&root, "folds");
    const tqa_value confidence = tqa_value_field(&root, "confidence");
    unsigned what = 0;
    c->problem.n_fold = FOLDS_DEFAULT;
    c->problem.confidence = TQA_RANGE_CALIBRATE_KINEMATICS_REQUEST_CONFIDENCE_DEFAULT;
    if ((identify.value != NULL && !tqa_value_choice(&identify, identified, &what)) ||
        (robust.value != NULL && !tqa_value_flag(&robust, &c->problem.is_robust)) ||
        (folds.value != NULL &&
         !tqa_value_count(&folds, 2, TQ_KINEMATIC_FOLDS_MAX, &c->problem.n_fold)) ||
        (confidence.value != NULL &&
         !tqa_value_within(&confidence, least, most, &c->problem.confidence))) {
        return false;
    }
    c->problem.with_frames = what == 1;
    return true;
}

bool tqa_kinematic_read(tqa_kinematic *c)
{
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value q = tqa_value_field(&root, "q");
    const tq_model *model = c->tree->robot->model;
    c->problem = (tq_kinematic_problem){.model = model};
    if (c->tree->robot->constraints != NULL) {
        return tqa_value_refuse(&root, "invalid-robot", "use its open tree",
                                "the joints of a constrained robot are not independent: zero "
                                "offsets of one change the others");
    }
    if (!tqa_tree_order(c->tree, &c->order) || !read_frame(c) ||
        !tqa_value_need(&q, "add \"q\": [[...], ...], a row for each pose") ||
        !tqa_tree_states(c->tree, &c->order, TQA_NEED_Q, TQA_NEED_Q, 0, &c->states)) {
        return false;
    }
    if (c->states.n_sample > TQ_KINEMATIC_POSES_MAX) {
        return tqa_value_refuse(&q, "too-large", "send every other pose",
                                "at most %d poses are taken, here are %zu", TQ_KINEMATIC_POSES_MAX,
                                c->states.n_sample);
    }
    c->problem.q = c->states.q;
    c->problem.n_pose = c->states.n_sample;
    return read_measured(c) && read_weights(c) && read_noise(c) && read_limits(c) && read_only(c) &&
           read_known(c) && read_options(c);
}
