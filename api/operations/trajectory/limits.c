/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/trajectory/limits.c - times from limits: trapezoids, S-curves, time-optimal. */
#include "api/operations/trajectory/limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/codec/writer.h"
#include "api/openapi/generated/fields.h"
#include "api/operations/unmodelled.h"
#include "api/request/inertia_fields.h"
#include "core/base/block.h"
#include "core/dynamics/inverse.h"

enum { POINTS_MAX = 1000, GRID = 200, GRID_MAX = 2000, GRID_OF_A_KNOT = 8 };

static const char *const fields[] = {TQA_FIELDS_TRAJECTORY_REQUEST_LIMITS, NULL};
static const char *const profiles[] = {TQA_WORDS_TRAJECTORY_REQUEST_LIMITS_KIND, NULL};
static const char *const paths[] = {TQA_WORDS_TRAJECTORY_REQUEST_LIMITS_PATH, NULL};
static const char *const kinds[] = {"velocity", "acceleration", "jerk", "torque"};
enum { TRAPEZOID, S_CURVE, TIME_OPTIMAL };

/* ------------------------------------------------------------------------------------------------
 * Reading
 */

/* the robot's own limits of a row: the least of those joints that move with it */
static void own_limits(const tq_model *model, double *velocity, double *effort)
{
    for (size_t r = 0; r < model->nv; r++) {
        velocity[r] = effort[r] = (double)INFINITY;
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const bool follows = joint->mimic != TQ_NONE;
        if (follows || joint->nv == 1) {
            const double by = follows ? fabs(joint->mimic_multiplier) : 1.0;
            double *v = &velocity[joint->v_index];
            *v = by > 0.0 ? fmin(*v, joint->limits.velocity / by) : *v;
        }
        if (!follows && joint->nv == 1) {
            effort[joint->v_index] = joint->limits.effort;
        }
    }
}

/* numbers of one freedom each, as an array or by the names of joints */
static bool are_positive(const tqa_value *part)
{
    const char *name = NULL;
    json_t *value = NULL;
    double ignored = 0.0;
    bool good = true;
    json_object_foreach(part->value, name, value)
    {
        const tqa_value item = tqa_value_field(part, name);
        good = good && (json_is_array(value) || tqa_value_positive(&item, &ignored));
    }
    for (size_t k = 0; good && k < json_array_size(part->value); k++) {
        const tqa_value item = tqa_value_item(part, k);
        good = tqa_value_positive(&item, &ignored);
    }
    return good;
}

/* one array of limits, times its factor */
static bool read_limits(const tqa_value *object, const tqa_order *order, const char *name,
                        double *ret)
{
    char factor_name[32];
    double factor = 1.0;
    const tqa_value part = tqa_value_field(object, name);
    (void)snprintf(factor_name, sizeof factor_name, "%s_factor", name);
    const tqa_value scale = tqa_value_field(object, factor_name);
    if (part.value != NULL &&
        !tqa_value_row(&part, order, name == kinds[3] ? TQA_ROW_LIMIT : TQA_ROW_RATE_LIMIT, ret)) {
        return false;
    }
    if (part.value != NULL && !are_positive(&part)) {
        return false;
    }
    if (scale.value != NULL && !tqa_value_within(&scale, 1e-3, 1.0, &factor)) {
        return false;
    }
    for (size_t r = 0; r < order->nv; r++) {
        ret[r] *= factor;
    }
    return true;
}

static bool refuse_unused(const tqa_value *object, const tqa_by_limits *by)
{
    static const struct {
        const char *name;
        unsigned profiles; /* that take it */
    } uses[] = {{"jerk", 1u << S_CURVE},        {"jerk_factor", 1u << S_CURVE},
                {"torque", 1u << TIME_OPTIMAL}, {"torque_factor", 1u << TIME_OPTIMAL},
                {"path", 1u << TIME_OPTIMAL},   {"grid", 1u << TIME_OPTIMAL}};
    for (size_t k = 0; k < sizeof uses / sizeof uses[0]; k++) {
        const tqa_value part = tqa_value_field(object, uses[k].name);
        if (part.value != NULL && (uses[k].profiles >> by->profile & 1u) == 0) {
            return tqa_value_refuse(&part, "invalid-value", "leave it out",
                                    "\"%s\" has no meaning for \"%s\"", uses[k].name,
                                    profiles[by->profile]);
        }
    }
    const tqa_value acceleration = tqa_value_field(object, "acceleration");
    const tqa_value jerk = tqa_value_field(object, "jerk");
    if (by->profile != TIME_OPTIMAL &&
        !tqa_value_need(&acceleration, "add \"acceleration\": one for each joint")) {
        return false;
    }
    return by->profile != S_CURVE || tqa_value_need(&jerk, "add \"jerk\": one for each joint");
}

/* Without a bound of acceleration or torque the least time is that of infinite accelerations. */
static bool need_bound(const tqa_value *part, const tqa_by_limits *by, size_t nv)
{
    bool bounded = by->profile != TIME_OPTIMAL;
    for (size_t r = 0; r < nv && !bounded; r++) {
        bounded = isfinite(by->limits.acceleration[r]) || isfinite(by->limits.effort[r]);
    }
    return bounded || tqa_value_refuse(
                          part, "missing-field",
                          part->value != NULL
                              ? "add \"acceleration\" or \"torque\": one for each joint"
                              : "add \"limits\": {\"acceleration\": one for each joint}; or times: "
                                "\"times_s\", one for each point, or \"durations_s\"",
                          "neither this robot nor the request bounds acceleration or torque: "
                          "there is no least time");
}

bool tqa_by_limits_read(const tqa_value *part, const tqa_order *order, tqa_by_limits *ret)
{
    tqa_tree *tree = part->tree;
    const size_t nv = order->nv;
    double *all = tqa_tree_take(tree, 6 * nv, sizeof *all);
    *ret = (tqa_by_limits){.is_spline = true, .n_grid = GRID};
    if (all == NULL || (part->value != NULL && !tqa_value_limits(part, fields))) {
        return false;
    }
    const tqa_value profile = tqa_value_field(part, "kind");
    const tqa_value path = tqa_value_field(part, "path");
    const tqa_value grid = tqa_value_field(part, "grid");
    const tqa_value tau = tqa_value_field(part, "tau");
    const tqa_value jerk = tqa_value_field(part, "jerk");
    unsigned chosen = 0;
    if (profile.value == NULL) {
        ret->profile = jerk.value != NULL ? S_CURVE : TIME_OPTIMAL;
        tqa_wording_assume(tree, profile.pointer, profiles[ret->profile]);
    } else if (!tqa_value_choice(&profile, profiles, &ret->profile)) {
        return false;
    }
    if ((path.value != NULL && !tqa_value_choice(&path, paths, &chosen)) ||
        (grid.value != NULL &&
         !tqa_value_count(&grid, TQ_OPTIMAL_GRID_LEAST, GRID_MAX, &ret->n_grid)) ||
        (tau.value != NULL && !tqa_value_flag(&tau, &ret->with_tau)) || !refuse_unused(part, ret)) {
        return false;
    }
    ret->is_spline = chosen == 0;
    double *rows[4];
    for (size_t k = 0; k < 4; k++) {
        rows[k] = all + k * nv;
    }
    own_limits(tree->robot->model, rows[0], rows[3]);
    for (size_t r = 0; r < nv; r++) {
        rows[1][r] = rows[2][r] = (double)INFINITY;
    }
    for (size_t k = 0; k < 4; k++) {
        if (!read_limits(part, order, kinds[k], rows[k])) {
            return false;
        }
    }
    ret->work = all + 4 * nv;
    ret->limits = (tq_motion_limits){
        .velocity = rows[0], .acceleration = rows[1], .jerk = rows[2], .effort = rows[3]};
    return need_bound(part, ret, nv);
}

/* ------------------------------------------------------------------------------------------------
 * Times
 */

static const char *joint_of(const tqa_robot *robot, size_t row)
{
    for (uint32_t j = 0; j < robot->model->n_joint; j++) {
        const tq_joint *joint = &robot->model->joints[j];
        if (joint->mimic == TQ_NONE && row >= joint->v_index && row < joint->v_index + joint->nv) {
            return robot->joint_names[j];
        }
    }
    return "";
}

static bool point_to_point(const tqa_value *part, tqa_by_limits *by, tqa_reference *path)
{
    tqa_tree *tree = part->tree;
    const tq_waypoints *way = &path->motion.waypoints;
    const size_t m = way->n_point - 1;
    tq_error error = {0};
    by->phases = tqa_tree_take(tree, m * way->n_coordinate, sizeof *by->phases);
    by->lasts = tqa_tree_take(tree, m, sizeof *by->lasts);
    by->slowest = tqa_tree_take(tree, m, sizeof *by->slowest);
    by->begin = tqa_tree_take(tree, m + 1, sizeof *by->begin);
    if (by->phases == NULL || by->lasts == NULL || by->slowest == NULL || by->begin == NULL) {
        return false;
    }
    const tq_status status = tq_point_to_point(way->n_point, way->n_coordinate, way->x, &by->limits,
                                               by->phases, by->lasts, by->slowest, &error);
    if (status != TQ_OK) {
        return tqa_tree_fail(tree, part->pointer, status, &error);
    }
    for (size_t k = 0; k < m; k++) {
        by->begin[k + 1] = by->begin[k] + by->lasts[k];
    }
    path->begin = 0.0;
    path->end = by->begin[m];
    return true;
}

/* the parameter of waypoints is the length of their chords; through them a not-a-knot spline, or
 * lines */
static bool lay_path(const tqa_value *part, tqa_by_limits *by, tqa_reference *path)
{
    tqa_tree *tree = part->tree;
    tq_reference *motion = &path->motion;
    const size_t n = motion->n_coordinate;
    const size_t m = motion->waypoints.n_point;
    const tqa_value root = tqa_value_root(tree);
    const tqa_value points = tqa_value_field(&root, "waypoints");
    double *s = tqa_tree_take(tree, m, sizeof *s);
    double *curvature = tqa_tree_take(tree, m * n, sizeof *curvature);
    if (s == NULL || curvature == NULL) {
        return false;
    }
    for (size_t k = 1; k < m; k++) {
        double sum = 0.0;
        for (size_t i = 0; i < n; i++) {
            const double way =
                motion->waypoints.x[k * n + i] - motion->waypoints.x[(k - 1) * n + i];
            sum += way * way;
        }
        s[k] = s[k - 1] + sqrt(sum);
        if (!(s[k] > s[k - 1])) {
            const tqa_value item = tqa_value_item(&points, k);
            return tqa_value_refuse(&item, "invalid-value", "leave one of them out",
                                    "waypoints %zu and %zu are the same", k - 1, k);
        }
    }
    motion->waypoints.t = s;
    if (by->is_spline) {
        tq_scratch scratch;
        tq_error error = {0};
        if (!tqa_tree_scratch(tree, tq_scratch_cost(m, sizeof(double)), &scratch)) {
            return false;
        }
        const tq_status status = tq_table_fit(&motion->waypoints, &scratch, curvature, &error);
        motion->kind = TQ_REFERENCE_TABLE;
        motion->curvature = curvature;
        return status == TQ_OK || tqa_tree_fail(tree, points.pointer, status, &error);
    }
    return true;
}

static bool refuse_optimal(const tqa_value *part, tq_status status, const tq_error *error,
                           const tqa_by_limits *by, const tq_infeasible *fault, double length)
{
    if (status == TQ_ERR_RANGE && strcmp(error->what, "torque") == 0) {
        const char *joint = joint_of(part->tree->robot, fault->joint);
        if (fault->needed > fault->bound) {
            return tqa_value_refuse(
                part, "range", "raise the torque limit, or lead the path elsewhere",
                "at s = %.4g of %.4g joint \"%s\" needs %.6g N m (or N) at rest, and its limit is "
                "%.6g",
                fault->s, length, joint, fault->needed, fault->bound);
        }
        return tqa_value_refuse(part, "range", "raise a limit, or smooth the path",
                                "at s = %.4g of %.4g no speed and acceleration along the path keep "
                                "all limits; joint \"%s\" is nearest to its torque limit: %.6g of "
                                "%.6g N m (or N) at rest",
                                fault->s, length, joint, fault->needed, fault->bound);
    }
    if (status == TQ_ERR_NO_CONVERGENCE) {
        return tqa_value_refuse(part, "no-convergence", "give a larger \"grid\"",
                                "with %zu intervals the limits cannot be kept between grid points",
                                by->n_grid);
    }
    return tqa_tree_fail(part->tree, part->pointer, status, error);
}

static bool is_torque_bound(const tqa_by_limits *by, size_t nv)
{
    bool any = false;
    for (size_t r = 0; r < nv; r++) {
        any = any || isfinite(by->limits.effort[r]);
    }
    return any;
}

static bool time_optimal(const tqa_value *part, tqa_by_limits *by, tqa_reference *path)
{
    tqa_tree *tree = part->tree;
    const tq_mechanism *mechanism = by->mechanism;
    if ((is_torque_bound(by, tree->robot->model->nv) &&
         !tqa_all_modelled(part, "times from limits of torque")) ||
        (!path->is_cartesian && !lay_path(part, by, path))) {
        return false;
    }
    const bool stops = path->is_cartesian || !by->is_spline;
    const size_t m = path->is_cartesian ? path->path.n_pose : path->motion.waypoints.n_point;
    const double *s = path->is_cartesian ? path->path.t : path->motion.waypoints.t;
    const double ends[2] = {s[0], s[m - 1]};
    const tq_geometric_path geometric = {.reference = &path->motion,
                                         .n_stop = stops ? m : 2,
                                         .stop = stops ? s : ends,
                                         .n_knot = stops ? 0 : m,
                                         .knot = s};
    if (!stops && by->n_grid < GRID_OF_A_KNOT * m) {
        by->n_grid = GRID_OF_A_KNOT * m;
    }
    const size_t most = (size_t)TQ_OPTIMAL_INTERVALS_MAX / (geometric.n_stop - 1);
    by->n_grid = by->n_grid < most ? by->n_grid : most;
    tq_scratch scratch;
    tq_error error = {0};
    tq_infeasible fault = {0};
    if (!tqa_tree_scratch(tree,
                          tq_time_optimal_scratch_size(mechanism, geometric.n_stop, by->n_grid),
                          &scratch)) {
        return false;
    }
    tqa_tree_set_stop(tree, &scratch);
    const tq_status status = tq_time_optimal(mechanism, &geometric, &by->limits, by->n_grid,
                                             &scratch, &by->timed, &fault, &error);
    if (status != TQ_OK) {
        return refuse_optimal(part, status, &error, by, &fault, s[m - 1]);
    }
    path->begin = 0.0;
    path->end = by->timed.t[by->timed.n_interval];
    return true;
}

bool tqa_by_limits_carry(tqa_tree *tree, tqa_by_limits *by)
{
    const tqa_value root = tqa_value_root(tree);
    const tqa_value payload = tqa_value_field(&root, "payload");
    by->mechanism = tree->robot->mechanism;
    return payload.value == NULL || tqa_value_mechanism(tree, &payload, 1.0, &by->mechanism);
}

bool tqa_by_limits_prepare(const tqa_value *part, tqa_by_limits *by, tqa_reference *path)
{
    const size_t m = path->is_cartesian ? path->path.n_pose : path->motion.waypoints.n_point;
    const tqa_value root = tqa_value_root(part->tree);
    const tqa_value points = tqa_value_field(&root, path->is_cartesian ? "poses" : "waypoints");
    if (m > POINTS_MAX) {
        return tqa_value_refuse(&points, "range", "divide the path",
                                "%zu points are given, %d at most have their times from limits", m,
                                (int)POINTS_MAX);
    }
    if (by->profile == TIME_OPTIMAL) {
        return time_optimal(part, by, path);
    }
    if (path->is_cartesian) {
        return tqa_value_refuse(part, "invalid-value", "use \"kind\": \"time-optimal\"",
                                "trapezoids and S-curves are of joints, and poses are given");
    }
    return point_to_point(part, by, path);
}

void tqa_by_limits_at(const tqa_by_limits *by, const tqa_reference *path, double t, double *ret_q,
                      double *ret_qd, double *ret_qdd)
{
    if (by->profile == TIME_OPTIMAL) {
        tq_timed_path_at(&by->timed, &path->motion, t, by->work, ret_q, ret_qd, ret_qdd);
        return;
    }
    const tq_waypoints *way = &path->motion.waypoints;
    const size_t n = way->n_coordinate;
    size_t k = 0;
    while (k + 2 < way->n_point && t >= by->begin[k + 1]) {
        k++;
    }
    for (size_t i = 0; i < n; i++) {
        double s[3];
        const double from = way->x[k * n + i];
        tq_phases_at(&by->phases[k * n + i], way->x[(k + 1) * n + i] - from, t - by->begin[k], s);
        ret_q[i] = from + s[0];
        ret_qd[i] = s[1];
        ret_qdd[i] = s[2];
    }
}

/* ------------------------------------------------------------------------------------------------
 * The answer
 */

static void bind(tqa_tree *tree, double from, double to, size_t row, tq_limit_kind limit)
{
    static const char *const names[] = {"velocity", "acceleration", "jerk", "torque"};
    tqa_writer *answer = tree->answer;
    if (to > from) {
        tqa_writer_object(answer, NULL);
        tqa_writer_number(answer, "from_s", from);
        tqa_writer_number(answer, "to_s", to);
        tqa_writer_string(answer, "joint", joint_of(tree->robot, row));
        tqa_writer_string(answer, "limit", names[limit]);
        tqa_writer_end(answer);
    }
}

/* the phases of the slowest joint: in each of them one limit is met */
static void bind_phases(tqa_tree *tree, const tqa_by_limits *by, size_t n_point, size_t n)
{
    for (size_t k = 0; k + 1 < n_point; k++) {
        const size_t row = by->slowest[k];
        const tq_phases *p = &by->phases[k * n + row];
        const double hold = p->accelerate - 2.0 * p->jerk;
        const struct {
            double last;
            tq_limit_kind limit;
        } phases[] = {{p->jerk, TQ_LIMIT_JERK}, {hold, TQ_LIMIT_ACCELERATION},
                      {p->jerk, TQ_LIMIT_JERK}, {p->cruise, TQ_LIMIT_VELOCITY},
                      {p->jerk, TQ_LIMIT_JERK}, {hold, TQ_LIMIT_ACCELERATION},
                      {p->jerk, TQ_LIMIT_JERK}};
        double t = by->begin[k];
        for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++) {
            bind(tree, t, t + phases[i].last, row, phases[i].limit);
            t += phases[i].last;
        }
    }
}

static void bind_intervals(tqa_tree *tree, const tq_timed_path *timed)
{
    size_t first = 0;
    for (size_t i = 1; i <= timed->n_interval; i++) {
        if (i == timed->n_interval || timed->joint[i] != timed->joint[first] ||
            timed->limit[i] != timed->limit[first]) {
            bind(tree, timed->t[first], timed->t[i], timed->joint[first],
                 (tq_limit_kind)timed->limit[first]);
            first = i;
        }
    }
}

void tqa_by_limits_answer(tqa_tree *tree, const tqa_by_limits *by, const tqa_reference *path)
{
    tqa_writer *answer = tree->answer;
    tqa_writer_number(answer, "duration_s", path->end);
    tqa_writer_list(answer, "binding");
    if (by->profile == TIME_OPTIMAL) {
        bind_intervals(tree, &by->timed);
    } else {
        bind_phases(tree, by, path->motion.waypoints.n_point, path->motion.n_coordinate);
    }
    tqa_writer_end(answer);
}

bool tqa_by_limits_torque(tqa_tree *tree, const tq_mechanism *mechanism, size_t n_sample,
                          const double *q, const double *qd, const double *qdd, double *ret_tau)
{
    const size_t n = tree->robot->model->nv;
    const size_t block = n * TQ_BLOCK_STRIDE;
    const double *const from[3] = {q, qd, qdd};
    double *rows = tqa_tree_take(tree, 4 * block, sizeof *rows);
    tq_scratch scratch;
    tq_error error = {0};
    tq_status status = TQ_OK;
    if (rows == NULL || !tqa_tree_scratch(tree, tq_inverse_scratch_size(mechanism, 0), &scratch)) {
        return false;
    }
    for (size_t b = 0; status == TQ_OK && b < tq_block_count(n_sample); b++) {
        const size_t m = tq_block_samples(n_sample, b);
        for (size_t k = 0; k < 3; k++) {
            for (size_t i = 0; i < m; i++) {
                for (size_t r = 0; r < n; r++) {
                    rows[k * block + r * TQ_BLOCK_STRIDE + i] = from[k][(b * TQ_BLOCK + i) * n + r];
                }
            }
            tq_block_pad(rows + k * block, n, TQ_BLOCK_STRIDE, m);
        }
        const tq_inverse_input in = {.n_sample = m,
                                     .stride = TQ_BLOCK_STRIDE,
                                     .q = rows,
                                     .qd = rows + block,
                                     .qdd = rows + 2 * block};
        status = tq_inverse_dynamics(mechanism, &in, &scratch, rows + 3 * block, &error);
        for (size_t i = 0; status == TQ_OK && i < m; i++) {
            for (size_t r = 0; r < n; r++) {
                ret_tau[(b * TQ_BLOCK + i) * n + r] = rows[3 * block + r * TQ_BLOCK_STRIDE + i];
            }
        }
    }
    return status == TQ_OK || tqa_tree_fail(tree, "", status, &error);
}
