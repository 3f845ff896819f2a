/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/trajectory/reference.c - the path of a request; waypoints, poses. */
#include "api/operations/trajectory/reference.h"

#include <math.h>
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/operations/trajectory/reference_private.h"
#include "api/problems/renamed.h"
#include "core/dynamics/kinematics/inverse_kinematics.h"
#include "core/elementary/elementary.h"

enum {
    POINTS_MAX = 1 << 14,
    CELLS_LEAST = 4096,
    CELLS_MAX = 1 << 17,
    CELLS_OF_A_STRETCH = 64,
};

static const char *const axis_names[] = {TQA_WORDS_AXES, NULL};

/* By the numbers of tq_timing_law, then those of our own. */
static const char *const timings[] = {TQA_WORDS_TRAJECTORY_REQUEST_TIMING, NULL};
enum { TIMING_SPLINE = 5 };

/* ------------------------------------------------------------------------------------------------
 * Times
 */

static bool read_times(tqa_plan *p)
{
    const tqa_value times = tqa_value_field(p->object, "times_s");
    const tqa_value durations = tqa_value_field(p->object, "durations_s");
    const tqa_value duration = tqa_value_field(p->object, "duration_s");
    const size_t n = p->n_point;
    p->times = tqa_tree_take(p->tree, n, sizeof(double));
    if (p->times == NULL) {
        return false;
    }
    if (times.value != NULL && durations.value != NULL) {
        return tqa_value_refuse(&durations, "invalid-value", "leave one of them out",
                                "\"times_s\" and \"durations_s\" are both given");
    }
    if (duration.value != NULL) {
        const tqa_value *other = times.value != NULL ? &times : &durations;
        if (other->value != NULL) {
            return tqa_value_refuse(&duration, "invalid-value", "leave one of them out",
                                    "\"duration_s\" and other times are both given");
        }
        if (n != 2) {
            return tqa_value_refuse(&duration, "invalid-value",
                                    "write \"durations_s\": one for each stretch, s",
                                    "one duration is that of two points, here are %zu", n);
        }
        if (!tqa_value_positive(&duration, &p->times[1])) {
            return false;
        }
    } else if (durations.value != NULL) {
        if (!tqa_value_numbers(&durations, n - 1, p->times + 1)) {
            return false;
        }
        for (size_t k = 1; k < n; k++) {
            const tqa_value item = tqa_value_item(&durations, k - 1);
            double ignored = 0.0;
            if (!tqa_value_positive(&item, &ignored)) {
                return false;
            }
            p->times[k] += p->times[k - 1];
        }
    } else if (!tqa_value_numbers(&times, n, p->times)) {
        return false;
    }
    for (size_t k = 1; k < n; k++) {
        if (!(p->times[k] > p->times[k - 1])) {
            const tqa_value item = tqa_value_item(&times, k);
            return tqa_value_refuse(&item, "range", "times must increase", "%g s is not after %g s",
                                    p->times[k], p->times[k - 1]);
        }
    }
    p->to->begin = p->times[0];
    p->to->end = p->times[n - 1];
    return true;
}

bool tqa_timing_is_optimal(const tqa_value *timing)
{
    static const char *const words[] = {"time-optimal", NULL};
    tqa_renamed_field as;
    const char *text = json_string_value(timing->value);
    return text != NULL &&
           (strcmp(text, words[0]) == 0 || tqa_renamed_reads(text, strlen(text), words, &as));
}

/* Point k at time k until limits give the times. */
static bool number_points(tqa_plan *p)
{
    static const char *const others[] = {"times_s", "durations_s", "duration_s", "timing", "blend"};
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        const tqa_value part = tqa_value_field(p->object, others[k]);
        if (part.value != NULL && !(k == 3 && tqa_timing_is_optimal(&part))) {
            return tqa_value_refuse(&part, "invalid-value", "leave one of them out",
                                    "\"limits\" and \"%s\" are both given", others[k]);
        }
    }
    p->times = tqa_tree_take(p->tree, p->n_point, sizeof(double));
    for (size_t k = 0; p->times != NULL && k < p->n_point; k++) {
        p->times[k] = (double)k;
    }
    p->timing = TQ_TIMING_LINEAR;
    return p->times != NULL;
}

static bool read_timing(tqa_plan *p)
{
    const tqa_value timing = tqa_value_field(p->object, "timing");
    const tqa_value blend = tqa_value_field(p->object, "blend");
    p->blend = 0.25;
    p->timing = TQ_TIMING_QUINTIC;
    if (timing.value == NULL) {
        tqa_wording_assume(p->tree, timing.pointer, timings[p->timing]);
    } else if (!tqa_value_choice(&timing, timings, &p->timing)) {
        return false;
    }
    if (p->kind == TQA_PATH_POSES && p->timing == TIMING_SPLINE) {
        return tqa_value_refuse(&timing, "invalid-value", "use \"quintic\"",
                                "a spline goes through waypoints of joints only");
    }
    if (blend.value == NULL) {
        return true;
    }
    if (!tqa_value_number(&blend, &p->blend)) {
        return false;
    }
    if (p->timing != TQ_TIMING_TRAPEZOID || !(p->blend > 0.0 && p->blend <= 0.5)) {
        return tqa_value_refuse(
            &blend, "range", "for example 0.25, with \"timing\": \"trapezoid\"",
            "it is the part of a stretch's time in which a trapezoid speeds up: "
            "above 0, at most 0.5");
    }
    return true;
}

static bool read_schedule(tqa_plan *p)
{
    static const tqa_needed timed[] = {
        {"times_s",
         "add \"times_s\": one for each point, s, increasing; or \"durations_s\": one for "
         "each stretch; or \"duration_s\" of two points"},
        {NULL, NULL}};
    if (p->is_by_limits) {
        return number_points(p);
    }
    const bool has = tqa_value_field(p->object, "durations_s").value != NULL ||
                     tqa_value_field(p->object, "duration_s").value != NULL;
    /* what is no timing is refused before times that are missing */
    return read_timing(p) && (has || tqa_value_fields(p->object, NULL, timed)) && read_times(p);
}

/* ------------------------------------------------------------------------------------------------
 * Paths
 */

static bool read_waypoints(tqa_plan *p, const tqa_value *waypoints)
{
    const size_t nq = p->order->nq;
    if (!tqa_value_array(waypoints, 2, POINTS_MAX, &p->n_point)) {
        return false;
    }
    double *x = tqa_tree_take(p->tree, p->n_point * nq, sizeof *x);
    bool good = x != NULL;
    for (size_t k = 0; good && k < p->n_point; k++) {
        const tqa_value row = tqa_value_item(waypoints, k);
        good = tqa_value_row(&row, p->order, TQA_ROW_Q, x + k * nq);
    }
    if (!good || !read_schedule(p)) {
        return false;
    }
    tq_reference *motion = &p->to->motion;
    motion->waypoints =
        (tq_waypoints){.n_point = p->n_point, .n_coordinate = nq, .t = p->times, .x = x};
    motion->kind = p->timing == TIMING_SPLINE ? TQ_REFERENCE_SPLINE : TQ_REFERENCE_WAYPOINTS;
    motion->law = (tq_timing_law)p->timing;
    motion->blend = p->blend;
    tq_error error = {0};
    tq_status status = tq_waypoints_check(&motion->waypoints, &error);
    if (status == TQ_OK && p->timing == TIMING_SPLINE) {
        tq_scratch scratch;
        double *curvature = tqa_tree_take(p->tree, p->n_point * nq, sizeof *curvature);
        if (curvature == NULL ||
            !tqa_tree_scratch(p->tree, tq_scratch_cost(p->n_point, sizeof(double)), &scratch)) {
            return false;
        }
        status = tq_spline_fit(&motion->waypoints, &scratch, curvature, &error);
        motion->curvature = curvature;
    }
    return status == TQ_OK || tqa_tree_fail(p->tree, waypoints->pointer, status, &error);
}

/* Coordinates at the first pose: the nearest solution to `initial`. */
static bool find_start(tqa_reference *to)
{
    tqa_tree *tree = to->poses.tree;
    const tq_model *model = tree->robot->model;
    const tqa_value first = tqa_value_item(&to->poses, 0);
    tq_scratch scratch;
    tq_error error = {0};
    tq_ik_task task = {.link = to->path.link, .target = to->path.pose[0]};
    const tq_ik_options options = {.initial = to->start,
                                   .position_tolerance = 1e-9,
                                   .rotation_tolerance = 1e-9,
                                   .iterations = 200,
                                   .n_seed = 64,
                                   .n_solution = 8};
    memcpy(task.at, to->path.at, sizeof task.at);
    memcpy(task.axes, to->path.axes, sizeof task.axes);
    tq_ik_result *result = tqa_tree_take(tree, 1, sizeof *result);
    double *q = tqa_tree_take(tree, (size_t)TQ_IK_SOLUTION_MAX * model->nq, sizeof *q);
    if (result == NULL || q == NULL ||
        !tqa_tree_scratch(tree, tq_ik_scratch_size(model), &scratch)) {
        return false;
    }
    result->q = q;
    const tq_status status =
        tq_inverse_kinematics(model, &task, &options, &scratch, result, &error);
    if (status != TQ_OK) {
        return tqa_tree_fail(tree, first.pointer, status, &error);
    }
    if (result->n_solution == 0) {
        return tqa_value_refuse(&first, "no-convergence", "bring the pose within reach",
                                "the pose was not reached: %.3g m and %.3g rad are left",
                                result->best_position_error, result->best_rotation_error);
    }
    memcpy(to->start, q, model->nq * sizeof *q);
    return true;
}

static bool refuse_path(const tqa_value *poses, tq_status status, const tq_error *error, double t)
{
    if (status == TQ_ERR_NO_CONVERGENCE && strcmp(error->what, "cells") == 0) {
        return tqa_value_refuse(poses, "no-convergence",
                                "keep away from singular postures, or give fewer poses",
                                "the motion after %g s is too rough to be followed", t);
    }
    if (status == TQ_ERR_NO_CONVERGENCE) {
        return tqa_value_refuse(poses, "no-convergence", "keep the path within reach",
                                "the path leaves the reach at %g s: %.3g m or rad are left", t,
                                error->value);
    }
    if (status == TQ_ERR_SINGULAR) {
        return tqa_value_refuse(poses, "singular",
                                "go round the singular posture, or leave axes out",
                                "the arm cannot move on along the path at %g s: smallest singular "
                                "value %.3g",
                                t, error->value);
    }
    return tqa_tree_fail(poses->tree, poses->pointer, status, error);
}

/* the path as cells of joint motion */
static bool cut(tqa_reference *to)
{
    tqa_tree *tree = to->poses.tree;
    const tq_model *model = tree->robot->model;
    const size_t n_pose = to->path.n_pose;
    const size_t wanted = n_pose * CELLS_OF_A_STRETCH;
    const size_t n = wanted < CELLS_LEAST ? CELLS_LEAST : wanted < CELLS_MAX ? wanted : CELLS_MAX;
    const tq_motion_room room = {.cells_max = n,
                                 .t = tqa_tree_take(tree, n + 1, sizeof(double)),
                                 .ends = tqa_tree_take(tree, n * 6 * model->nq, sizeof(double)),
                                 .kinks = tqa_tree_take(tree, 3 * n_pose, sizeof(double))};
    tq_scratch scratch;
    tq_error error = {0};
    double t = 0.0;
    if (room.t == NULL || room.ends == NULL || room.kinks == NULL ||
        !tqa_tree_scratch(tree, tq_motion_sample_scratch_size(model, n), &scratch)) {
        return false;
    }
    const tq_status status = tq_motion_sample(model, &to->path, to->start, &room, &scratch,
                                              &to->motion.cells, &t, &error);
    return status == TQ_OK || refuse_path(&to->poses, status, &error, t);
}

bool tqa_reference_prepare(tqa_reference *reference)
{
    return !reference->is_cartesian || (find_start(reference) && cut(reference));
}

/* coordinates near the first pose, which choose the branch */
static bool read_near(tqa_plan *p)
{
    const tqa_value initial = tqa_value_field(p->object, "initial");
    double *start = tqa_tree_take(p->tree, p->order->nq, sizeof *start);
    if (start == NULL) {
        return false;
    }
    p->to->start = start;
    if (initial.value == NULL && p->near != NULL) {
        memcpy(start, p->near, p->order->nq * sizeof *start);
        return true;
    }
    return tqa_value_need(&initial,
                          "add \"initial\": coordinates near the first pose, which choose "
                          "the branch") &&
           tqa_value_row(&initial, p->order, TQA_ROW_Q, start);
}

static bool read_poses(tqa_plan *p, const tqa_value *poses)
{
    const tqa_value frame = tqa_value_field(p->object, "frame");
    const tqa_value axes = tqa_value_field(p->object, "axes");
    tqa_point point = {0};
    unsigned bits = 0;
    if (!tqa_value_array(poses, 2, POINTS_MAX, &p->n_point) ||
        (frame.value != NULL && !tqa_value_point(&frame, &point)) ||
        (frame.value == NULL && !tqa_value_end_link(&frame, &point.link))) {
        return false;
    }
    tq_pose *pose = tqa_tree_take(p->tree, p->n_point, sizeof *pose);
    bool good = pose != NULL;
    bool turned = false;
    for (size_t k = 0; good && k < p->n_point; k++) {
        const tqa_value item = tqa_value_item(poses, k);
        good = tqa_value_pose(&item, &pose[k]);
        turned = turned || json_object_size(item.value) > 1;
    }
    bits = turned ? (1u << 6) - 1u : 7u;
    if (!good || (axes.value != NULL && !tqa_value_choices(&axes, axis_names, &bits)) ||
        !read_schedule(p)) {
        return false;
    }
    p->to->path = (tq_cartesian_path){.link = point.link,
                                      .n_pose = p->n_point,
                                      .t = p->times,
                                      .pose = pose,
                                      .law = (tq_timing_law)p->timing,
                                      .blend = p->blend};
    memcpy(p->to->path.at, point.at, sizeof p->to->path.at);
    for (unsigned k = 0; k < 6; k++) {
        p->to->path.axes[k] = (bits >> k & 1u) != 0;
    }
    if (bits == 0) {
        return tqa_value_refuse(&axes, "wrong-length", "for example [\"x\", \"y\", \"z\"]",
                                "name one axis at least");
    }
    p->to->is_cartesian = true;
    p->to->point = point;
    for (size_t k = 1; k < p->n_point; k++) {
        const double *a = pose[k - 1].p;
        const double *b = pose[k].p;
        p->to->length += tq_hypot(tq_hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]);
    }
    p->to->motion.kind = TQ_REFERENCE_CELLS;
    p->to->poses = *poses;
    return read_near(p);
}

/* ------------------------------------------------------------------------------------------------
 * Which one
 */

static const struct {
    const char *name;
    bool (*read)(tqa_plan *p, const tqa_value *part);
} paths[] = {{"waypoints", read_waypoints},
             {"poses", read_poses},
             {"fourier", tqa_plan_fourier},
             {"setpoint", tqa_plan_stand},
             {"table", tqa_plan_table}};
enum { PATHS = sizeof paths / sizeof paths[0] };

/* A field that goes with another kind of path. */
static bool refuse_stray(const tqa_plan *p)
{
    static const struct {
        const char *name;
        unsigned kinds; /* that take it */
    } of_kind[] = {
        {"frame", TQA_PATH_POSES},
        {"axes", TQA_PATH_POSES},
        {"initial", TQA_PATH_POSES},
        {"timing", TQA_PATH_POSES | TQA_PATH_WAYPOINTS},
        {"blend", TQA_PATH_POSES | TQA_PATH_WAYPOINTS},
        {"times_s", TQA_PATH_POSES | TQA_PATH_WAYPOINTS},
        {"durations_s", TQA_PATH_POSES | TQA_PATH_WAYPOINTS},
        {"duration_s", TQA_PATH_FOURIER | TQA_PATH_POSES | TQA_PATH_WAYPOINTS},
    };
    for (size_t k = 0; k < sizeof of_kind / sizeof of_kind[0]; k++) {
        const tqa_value part = tqa_value_field(p->object, of_kind[k].name);
        if (part.value != NULL && (of_kind[k].kinds & p->kind) == 0) {
            return tqa_value_refuse(&part, "invalid-value", "leave it out",
                                    "\"%s\" has no meaning for this kind of path", of_kind[k].name);
        }
    }
    return true;
}

bool tqa_reference_object(const tqa_value *object)
{
    static const char *const all[] = {TQA_FIELDS_REFERENCE, NULL};
    static const char *const of_series[] = {"joints",
                                            "angles",
                                            "t",
                                            "q",
                                            "qd",
                                            "qdd",
                                            "score",
                                            "first_random",
                                            "tries",
                                            "improvements",
                                            "samples_judged",
                                            "base_parameters",
                                            "provenance",
                                            "warnings",
                                            "read_as",
                                            NULL};
    const char *plain[sizeof all / sizeof all[0]] = {NULL};
    const tqa_value fourier = tqa_value_field(object, "fourier");
    size_t n = 0;
    for (size_t k = 0; all[k] != NULL; k++) {
        bool is_plain = true;
        for (size_t i = 0; of_series[i] != NULL; i++) {
            is_plain = is_plain && strcmp(all[k], of_series[i]) != 0;
        }
        if (is_plain) {
            plain[n++] = all[k];
        }
    }
    return tqa_value_object(object, fourier.value != NULL ? all : plain);
}

bool tqa_value_reference(const tqa_value *object, const tqa_order *order, unsigned kinds,
                         const double *near, tqa_reference *ret)
{
    tqa_tree *tree = object->tree;
    tqa_plan p = {.tree = tree, .object = object, .order = order, .near = near, .to = ret};
    p.is_by_limits = (kinds & TQA_PATH_BY_LIMITS) != 0;
    tqa_value path = {0};
    unsigned chosen = PATHS;
    for (unsigned k = 0; k < PATHS; k++) {
        const tqa_value part = tqa_value_field(object, paths[k].name);
        if (part.value == NULL || (kinds >> k & 1u) == 0) {
            continue;
        }
        if (chosen < PATHS) {
            return tqa_value_refuse(&part, "invalid-value", "leave one of them out",
                                    "there are two paths: \"%s\" and \"%s\"", paths[chosen].name,
                                    paths[k].name);
        }
        chosen = k;
        path = part;
    }
    if (chosen == PATHS) {
        const tqa_value waypoints = tqa_value_field(object, paths[0].name);
        return tqa_value_need(&waypoints, "add \"waypoints\": [[q], [q], ...]; or \"poses\", or "
                                          "\"fourier\"");
    }
    p.kind = 1u << chosen;
    for (size_t k = 0; p.kind != TQA_PATH_STAND && k < order->n_joint; k++) {
        const tq_joint *joint = &tree->robot->model->joints[order->joints[k]];
        if (joint->nq != joint->nv) {
            return tqa_value_refuse(&path, "invalid-value",
                                    (kinds & TQA_PATH_STAND) != 0
                                        ? "\"setpoint\" takes every joint, quaternions included"
                                        : "interpolate such poses before, and ask for each of them",
                                    "joint \"%s\" has a quaternion, which no path interpolates",
                                    tree->robot->joint_names[order->joints[k]]);
        }
    }
    *ret = (tqa_reference){.motion = {.n_coordinate = order->nq}};
    return refuse_stray(&p) && paths[chosen].read(&p, &path);
}
