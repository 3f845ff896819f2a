/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/trajectory.c - POST .../trajectory: motion through waypoints, ready for inverse
 * dynamics. */
#include <math.h>
#include <string.h>

#include "api/operations/call.h"
#include "api/operations/control_robot.h"
#include "core/dynamics/inverse_kinematics.h"
#include "core/simulate/cartesian.h"
#include "core/simulate/reference.h"

enum { POINTS_MAX = 1 << 14, HARMONICS_MAX = 256, CARTESIAN_SAMPLES_MAX = 20000 };

static const char *const fields[] = {"waypoints", "poses",    "fourier", "frame", "axes",
                                     "initial",   "timing",   "blend",   "times", "durations",
                                     "duration",  "interval", "joints",  NULL};

static const char *const axis_names[] = {"x", "y", "z", "rx", "ry", "rz", NULL};

/* By the numbers of tq_timing_law, then those of our own. */
static const char *const timings[] = {"linear",    "cubic",  "quintic", "septic",
                                      "trapezoid", "spline", NULL};
enum { TIMING_SPLINE = 5 };

typedef enum path_kind { PATH_JOINTS, PATH_POSES, PATH_FOURIER } path_kind;

typedef struct plan {
    tqa_control *control;
    tqa_order order;
    path_kind kind;
    unsigned timing;
    double blend, interval, begin, end;
    size_t n_point;
    double *times;
    tq_waypoints waypoints;
    double *curvature; /* of a spline */
    tq_cartesian_path path;
    double *start; /* (nq) of a Cartesian path */
    tq_fourier fourier;
    size_t n_sample;
    double *t, *q, *qd, *qdd;
} plan;

static double cost_us(const tqa_control *control)
{
    const double nv = (double)control->robot->model->nv;
    const bool cartesian = json_object_get(control->root, "poses") != NULL;
    const double interval = json_number_value(json_object_get(control->root, "interval"));
    /* the end is not known yet: ten seconds of it */
    const double n_sample = interval > 0.0 ? 10.0 / interval : 1.0;
    return 20.0 + n_sample * nv * (cartesian ? 10.0 : 0.2);
}

/* ------------------------------------------------------------------------------------------------
 * Times
 */

static bool read_times(plan *p)
{
    const tqa_part root = tqa_part_root(p->control);
    const tqa_part times = tqa_part_field(&root, "times");
    const tqa_part durations = tqa_part_field(&root, "durations");
    const size_t n = p->n_point;
    p->times = tqa_control_take(p->control, n, sizeof(double));
    if (p->times == NULL) {
        return false;
    }
    if (times.value != NULL && durations.value != NULL) {
        return tqa_part_refuse(&durations, "invalid-value", "leave one of them out",
                               "\"times\" and \"durations\" are both given");
    }
    if (durations.value != NULL) {
        if (!tqa_part_numbers(&durations, n - 1, p->times + 1)) {
            return false;
        }
        for (size_t k = 1; k < n; k++) {
            const tqa_part item = tqa_part_item(&durations, k - 1);
            double ignored = 0.0;
            if (!tqa_part_positive(&item, &ignored)) {
                return false;
            }
            p->times[k] += p->times[k - 1];
        }
    } else if (!tqa_part_need(&times, "add \"times\": one for each point, s, increasing; or "
                                      "\"durations\": one for each stretch") ||
               !tqa_part_numbers(&times, n, p->times)) {
        return false;
    }
    for (size_t k = 1; k < n; k++) {
        if (!(p->times[k] > p->times[k - 1])) {
            const tqa_part item = tqa_part_item(&times, k);
            return tqa_part_refuse(&item, "range", "times must increase", "%g s is not after %g s",
                                   p->times[k], p->times[k - 1]);
        }
    }
    p->begin = p->times[0];
    p->end = p->times[n - 1];
    return true;
}

static bool read_timing(plan *p)
{
    const tqa_part root = tqa_part_root(p->control);
    const tqa_part timing = tqa_part_field(&root, "timing");
    const tqa_part blend = tqa_part_field(&root, "blend");
    p->blend = 0.25;
    if (!tqa_part_need(&timing, "add \"timing\": \"quintic\" (or linear, cubic, septic, trapezoid, "
                                "spline)") ||
        !tqa_part_choice(&timing, timings, &p->timing)) {
        return false;
    }
    if (p->kind == PATH_POSES && p->timing == TIMING_SPLINE) {
        return tqa_part_refuse(&timing, "invalid-value", "use \"quintic\"",
                               "a spline goes through waypoints of joints only");
    }
    if (blend.value == NULL) {
        return true;
    }
    if (!tqa_part_number(&blend, &p->blend)) {
        return false;
    }
    if (p->timing != TQ_TIMING_TRAPEZOID || !(p->blend > 0.0 && p->blend <= 0.5)) {
        return tqa_part_refuse(&blend, "range", NULL,
                               "it is the part of a stretch's time in which a trapezoid speeds up: "
                               "above 0, at most 0.5");
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Paths
 */

static bool read_waypoints(plan *p, const tqa_part *waypoints)
{
    const size_t nq = p->order.nq;
    if (!tqa_part_array(waypoints, 2, POINTS_MAX, &p->n_point)) {
        return false;
    }
    double *x = tqa_control_take(p->control, p->n_point * nq, sizeof *x);
    bool good = x != NULL;
    for (size_t k = 0; good && k < p->n_point; k++) {
        const tqa_part row = tqa_part_item(waypoints, k);
        good = tqa_part_row(&row, nq, p->order.q, x + k * nq);
    }
    if (!good || !read_times(p) || !read_timing(p)) {
        return false;
    }
    p->waypoints = (tq_waypoints){.n_point = p->n_point, .n_coordinate = nq, .t = p->times, .x = x};
    tq_error error = {0};
    tq_status status = tq_waypoints_check(&p->waypoints, &error);
    if (status == TQ_OK && p->timing == TIMING_SPLINE) {
        tq_scratch scratch;
        p->curvature = tqa_control_take(p->control, p->n_point * nq, sizeof *p->curvature);
        if (p->curvature == NULL ||
            !tqa_control_scratch(p->control, tq_scratch_cost(p->n_point, sizeof(double)),
                                 &scratch)) {
            return false;
        }
        status = tq_spline_fit(&p->waypoints, &scratch, p->curvature, &error);
    }
    return status == TQ_OK || tqa_control_fail(p->control, "/waypoints", status, &error);
}

/* Coordinates at the first pose: the nearest solution to `initial`. */
static bool find_start(plan *p)
{
    const tq_model *model = p->control->robot->model;
    const tqa_part root = tqa_part_root(p->control);
    const tqa_part initial = tqa_part_field(&root, "initial");
    tq_scratch scratch;
    tq_error error = {0};
    tq_ik_task task = {.link = p->path.link, .target = p->path.pose[0]};
    tq_ik_options options = {.position_tolerance = 1e-9,
                             .rotation_tolerance = 1e-9,
                             .iterations = 200,
                             .n_seed = 64,
                             .n_solution = 8};
    memcpy(task.at, p->path.at, sizeof task.at);
    memcpy(task.axes, p->path.axes, sizeof task.axes);
    tq_ik_result *result = tqa_control_take(p->control, 1, sizeof *result);
    p->start = tqa_control_take(p->control, p->order.nq, sizeof(double));
    if (result == NULL || p->start == NULL ||
        !tqa_control_scratch(p->control, tq_ik_scratch_size(model), &scratch)) {
        return false;
    }
    result->q =
        tqa_control_take(p->control, (size_t)TQ_IK_SOLUTION_MAX * model->nq, sizeof(double));
    if (result->q == NULL ||
        !tqa_part_need(&initial, "add \"initial\": coordinates near the first pose, which choose "
                                 "the branch") ||
        !tqa_part_row(&initial, p->order.nq, p->order.q, p->start)) {
        return false;
    }
    options.initial = p->start;
    const tq_status status =
        tq_inverse_kinematics(model, &task, &options, &scratch, result, &error);
    if (status != TQ_OK) {
        return tqa_control_fail(p->control, "/poses/0", status, &error);
    }
    if (result->n_solution == 0) {
        const tqa_part poses = tqa_part_field(&root, "poses");
        const tqa_part first = tqa_part_item(&poses, 0);
        return tqa_part_refuse(&first, "no-convergence", "bring the pose within reach",
                               "the pose was not reached: %.3g m and %.3g rad are left",
                               result->best_position_error, result->best_rotation_error);
    }
    memcpy(p->start, result->q, p->order.nq * sizeof *p->start);
    return true;
}

static bool read_poses(plan *p, const tqa_part *poses)
{
    const tqa_part root = tqa_part_root(p->control);
    const tqa_part frame = tqa_part_field(&root, "frame");
    const tqa_part axes = tqa_part_field(&root, "axes");
    tqa_point point;
    unsigned bits = 0;
    if (!tqa_part_array(poses, 2, POINTS_MAX, &p->n_point) ||
        !tqa_part_need(&frame, "add \"frame\": a link's name, or {\"link\", \"at\"}") ||
        !tqa_part_point(&frame, &point)) {
        return false;
    }
    tq_pose *pose = tqa_control_take(p->control, p->n_point, sizeof *pose);
    bool good = pose != NULL;
    bool turned = false;
    for (size_t k = 0; good && k < p->n_point; k++) {
        const tqa_part item = tqa_part_item(poses, k);
        good = tqa_part_pose(&item, &pose[k]);
        turned = turned || json_object_size(item.value) > 1;
    }
    bits = turned ? (1u << 6) - 1u : 7u;
    if (!good || (axes.value != NULL && !tqa_part_choices(&axes, axis_names, &bits)) ||
        !read_times(p) || !read_timing(p)) {
        return false;
    }
    p->path = (tq_cartesian_path){.link = point.link,
                                  .n_pose = p->n_point,
                                  .t = p->times,
                                  .pose = pose,
                                  .law = (tq_timing_law)p->timing,
                                  .blend = p->blend};
    memcpy(p->path.at, point.at, sizeof p->path.at);
    for (unsigned k = 0; k < 6; k++) {
        p->path.axes[k] = (bits >> k & 1u) != 0;
    }
    return bits != 0 ? find_start(p)
                     : tqa_part_refuse(&axes, "wrong-length", NULL, "name one axis at least");
}

static bool read_fourier(plan *p, const tqa_part *fourier)
{
    static const char *const known[] = {"frequency", "offset", "a", "b", NULL};
    static const char *const harmonics[2] = {"a", "b"};
    const tqa_part root = tqa_part_root(p->control);
    const tqa_part duration = tqa_part_field(&root, "duration");
    const size_t nq = p->order.nq;
    if (!tqa_part_object(fourier, known)) {
        return false;
    }
    const tqa_part frequency = tqa_part_field(fourier, "frequency");
    const tqa_part offset = tqa_part_field(fourier, "offset");
    const tqa_part first = tqa_part_field(fourier, "a");
    size_t n = 0;
    double *all = NULL;
    if (!tqa_part_positive(&frequency, &p->fourier.frequency) ||
        !tqa_part_array(&first, 1, HARMONICS_MAX, &n) ||
        (all = tqa_control_take(p->control, (2 * n + 1) * nq, sizeof *all)) == NULL ||
        !tqa_part_row(&offset, nq, p->order.q, all)) {
        return false;
    }
    for (unsigned k = 0; k < 2; k++) {
        const tqa_part table = tqa_part_field(fourier, harmonics[k]);
        size_t n_row = 0;
        if (!tqa_part_array(&table, n, n, &n_row)) {
            return false;
        }
        for (size_t i = 0; i < n; i++) {
            const tqa_part row = tqa_part_item(&table, i);
            if (!tqa_part_row(&row, nq, p->order.q, all + (1 + k * n + i) * nq)) {
                return false;
            }
        }
    }
    p->fourier.n_harmonic = n;
    p->fourier.n_coordinate = nq;
    p->fourier.offset = all;
    p->fourier.a = all + nq;
    p->fourier.b = all + (1 + n) * nq;
    p->end = 1.0 / p->fourier.frequency; /* one period */
    return duration.value == NULL || tqa_part_positive(&duration, &p->end);
}

/* A field that goes with another kind of path. */
static bool refuse_stray(const plan *p)
{
    static const struct {
        const char *name;
        unsigned kinds; /* bits of path_kind that take it */
    } of_kind[] = {
        {"frame", 1u << PATH_POSES},
        {"axes", 1u << PATH_POSES},
        {"initial", 1u << PATH_POSES},
        {"timing", 1u << PATH_POSES | 1u << PATH_JOINTS},
        {"blend", 1u << PATH_POSES | 1u << PATH_JOINTS},
        {"times", 1u << PATH_POSES | 1u << PATH_JOINTS},
        {"durations", 1u << PATH_POSES | 1u << PATH_JOINTS},
        {"duration", 1u << PATH_FOURIER},
    };
    const tqa_part root = tqa_part_root(p->control);
    for (size_t k = 0; k < sizeof of_kind / sizeof of_kind[0]; k++) {
        const tqa_part part = tqa_part_field(&root, of_kind[k].name);
        if (part.value != NULL && (of_kind[k].kinds >> p->kind & 1u) == 0) {
            return tqa_part_refuse(&part, "invalid-value", "leave it out",
                                   "\"%s\" has no meaning for this kind of path", of_kind[k].name);
        }
    }
    return true;
}

static bool read(plan *p)
{
    static const char *const names[] = {"waypoints", "poses", "fourier"};
    const tqa_part root = tqa_part_root(p->control);
    const tqa_part interval = tqa_part_field(&root, "interval");
    tqa_part path = {0};
    unsigned n = 0;
    for (unsigned k = 0; k < 3; k++) {
        const tqa_part part = tqa_part_field(&root, names[k]);
        if (part.value != NULL && n++ > 0) {
            return tqa_part_refuse(&part, "invalid-value", "leave one of them out",
                                   "there are two paths: \"%s\" and \"%s\"", names[p->kind],
                                   names[k]);
        }
        if (part.value != NULL) {
            p->kind = (path_kind)k;
            path = part;
        }
    }
    if (n == 0) {
        const tqa_part waypoints = tqa_part_field(&root, "waypoints");
        return tqa_part_need(&waypoints, "add \"waypoints\": [[q], [q], ...]; or \"poses\", or "
                                         "\"fourier\"");
    }
    for (size_t k = 0; k < p->order.n_joint; k++) {
        const tq_joint *joint = &p->control->robot->model->joints[p->order.joints[k]];
        if (joint->nq != joint->nv) {
            return tqa_part_refuse(&path, "invalid-value", NULL,
                                   "joint \"%s\" has a quaternion, which no path interpolates",
                                   p->control->robot->joint_names[p->order.joints[k]]);
        }
    }
    if (!refuse_stray(p)) {
        return false;
    }
    const bool good = p->kind == PATH_JOINTS  ? read_waypoints(p, &path)
                      : p->kind == PATH_POSES ? read_poses(p, &path)
                                              : read_fourier(p, &path);
    return good && tqa_part_need(&interval, "add \"interval\": 0.001 (seconds between samples)") &&
           tqa_part_positive(&interval, &p->interval);
}

/* ------------------------------------------------------------------------------------------------
 * Samples
 */

static bool make_room(plan *p)
{
    const tqa_part root = tqa_part_root(p->control);
    const tqa_part interval = tqa_part_field(&root, "interval");
    const size_t nq = p->order.nq;
    /* the last sample is the end, when that is a whole number of intervals away within rounding */
    const double count = floor((p->end - p->begin) / p->interval * (1.0 + 1e-12) + 1e-9) + 1.0;
    const double most = p->kind == PATH_POSES
                            ? (double)CARTESIAN_SAMPLES_MAX
                            : floor(TQA_CONTROL_ANSWER_MAX / (3.0 * (double)nq + 1.0));
    if (!(count <= most)) {
        return tqa_part_refuse(&interval, "range", "a longer interval or a shorter path",
                               "that are %.0f samples, %.0f at most are given", count, most);
    }
    p->n_sample = (size_t)count;
    p->t = tqa_control_take(p->control, p->n_sample, sizeof(double));
    p->q = tqa_control_take(p->control, p->n_sample * nq, sizeof(double));
    p->qd = tqa_control_take(p->control, p->n_sample * nq, sizeof(double));
    p->qdd = tqa_control_take(p->control, p->n_sample * nq, sizeof(double));
    return p->t != NULL && p->q != NULL && p->qd != NULL && p->qdd != NULL;
}

static bool follow(plan *p, tq_scratch *scratch, size_t i)
{
    const size_t nq = p->order.nq;
    double *q = p->q + i * nq;
    tq_error error = {0};
    memcpy(q, i > 0 ? q - nq : p->start, nq * sizeof *q);
    const tq_status status = tq_cartesian_at(p->control->robot->model, &p->path, p->t[i], scratch,
                                             q, p->qd + i * nq, p->qdd + i * nq, &error);
    if (status == TQ_OK) {
        return true;
    }
    const tqa_part root = tqa_part_root(p->control);
    const tqa_part poses = tqa_part_field(&root, "poses");
    if (status == TQ_ERR_NO_CONVERGENCE) {
        return tqa_part_refuse(&poses, "no-convergence", "keep the path within reach",
                               "the path leaves the reach at %g s: %.3g m or rad are left", p->t[i],
                               error.value);
    }
    if (status == TQ_ERR_SINGULAR) {
        return tqa_part_refuse(&poses, "singular",
                               "go round the singular posture, or leave axes out",
                               "the arm cannot move on along the path at %g s: smallest singular "
                               "value %.3g",
                               p->t[i], error.value);
    }
    return tqa_control_fail(p->control, "/poses", status, &error);
}

static bool sample(plan *p)
{
    const size_t nq = p->order.nq;
    tq_scratch scratch = {0};
    if (p->kind == PATH_POSES &&
        !tqa_control_scratch(p->control, tq_cartesian_scratch_size(p->control->robot->model),
                             &scratch)) {
        return false;
    }
    for (size_t i = 0; i < p->n_sample; i++) {
        double *q = p->q + i * nq, *qd = p->qd + i * nq, *qdd = p->qdd + i * nq;
        p->t[i] = fmin(p->begin + (double)i * p->interval, p->end);
        if (p->kind == PATH_FOURIER) {
            tq_fourier_at(&p->fourier, p->t[i], q, qd, qdd);
        } else if (p->kind == PATH_POSES) {
            if (!follow(p, &scratch, i)) {
                return false;
            }
        } else if (p->timing == TIMING_SPLINE) {
            tq_spline_at(&p->waypoints, p->curvature, p->t[i], q, qd, qdd);
        } else {
            tq_waypoints_at(&p->waypoints, (tq_timing_law)p->timing, p->blend, p->t[i], q, qd, qdd);
        }
    }
    return true;
}

/* The worst sample of each limit that is broken. */
static void tell_violations(const plan *p)
{
    static const char *const names[] = {"lower", "upper", "velocity"};
    const tqa_robot *robot = p->control->robot;
    tqa_answer *answer = &p->control->answer;
    tqa_answer_list(answer, "violations");
    for (size_t k = 0; k < p->order.n_joint; k++) {
        const tq_joint *joint = &robot->model->joints[p->order.joints[k]];
        const double bounds[3] = {joint->limits.lower, joint->limits.upper, joint->limits.velocity};
        for (unsigned b = 0; b < 3 && joint->nq == 1; b++) {
            double worst = 0.0;
            double value = 0.0;
            size_t at = 0;
            for (size_t i = 0; i < p->n_sample; i++) {
                const double q = p->q[i * p->order.nq + joint->q_index];
                const double qd = p->qd[i * p->order.nv + joint->v_index];
                const double x = b == 2 ? qd : q;
                const double beyond = b == 0 ? bounds[0] - x : (b == 2 ? fabs(x) : x) - bounds[b];
                if (beyond > worst) {
                    worst = beyond, value = x, at = i;
                }
            }
            if (worst > 0.0) {
                tqa_answer_object(answer, NULL);
                tqa_answer_string(answer, "joint", robot->joint_names[p->order.joints[k]]);
                tqa_answer_string(answer, "limit", names[b]);
                tqa_answer_number(answer, "bound", bounds[b]);
                tqa_answer_number(answer, "worst", value);
                tqa_answer_number(answer, "t", p->t[at]);
                tqa_answer_count(answer, "sample", at);
                tqa_answer_end(answer);
            }
        }
    }
    tqa_answer_end(answer);
}

static bool run(tqa_control *control)
{
    plan p = {.control = control};
    if (!tqa_control_order(control, &p.order) || !read(&p) || !make_room(&p) || !sample(&p)) {
        return false;
    }
    const size_t nq = p.order.nq;
    tqa_answer *answer = &control->answer;
    tqa_answer_joints(answer, control->robot, &p.order);
    tell_violations(&p);
    tqa_answer_vector(answer, "t", p.t, p.n_sample);
    tqa_answer_rows(answer, "q", p.q, p.n_sample, false, p.order.q, nq);
    tqa_answer_rows(answer, "qd", p.qd, p.n_sample, false, p.order.v, nq);
    tqa_answer_rows(answer, "qdd", p.qdd, p.n_sample, false, p.order.v, nq);
    return true;
}

static const tqa_control_methods methods = {.fields = fields, .cost_us = cost_us, .run = run};
const tqa_operation_methods tqa_trajectory_methods = {.control = &methods};
