/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/trajectory/trajectory.c - POST .../trajectory: motion through waypoints, ready
 * for inverse
 * dynamics. */
#include <math.h>
#include <string.h>

#include "api/call/call.h"
#include "api/openapi/generated/fields.h"
#include "api/openapi/generated/ranges.h"
#include "api/operations/terms/limits.h"
#include "api/operations/trajectory/limits.h"
#include "api/operations/trajectory/reference.h"
#include "api/response/robot_writer.h"

enum { CARTESIAN_SAMPLES_MAX = 20000 };

static const char *const fields[] = {TQA_FIELDS_TRAJECTORY_REQUEST, NULL};

typedef struct plan {
    tqa_tree *tree;
    tqa_order order;
    tqa_reference path;
    double interval;
    size_t n_sample;
    double *t, *q, *qd, *qdd;
    bool is_by_limits;
    tqa_by_limits by;
} plan;

/* poses become joint motion first: hundreds of inverse kinematics */
static const double cutting_us = 1e4;
/* time-optimal: inverse dynamics and passes over the grid, for each joint */
static const double optimal_us = 1e3;

static double cost_us(const tqa_tree *tree)
{
    const double nv = (double)tree->robot->model->nv;
    const bool cartesian = json_object_get(tree->root, "poses") != NULL;
    const double interval = json_number_value(json_object_get(tree->root, "interval_s"));
    /* the end is not known yet: ten seconds of it */
    const double n_sample = interval > 0.0 ? 10.0 / interval : 1.0;
    const bool is_timed = json_object_get(tree->root, "times_s") != NULL ||
                          json_object_get(tree->root, "durations_s") != NULL ||
                          json_object_get(tree->root, "duration_s") != NULL ||
                          json_object_get(tree->root, "fourier") != NULL;
    const bool by_limits = !is_timed || json_object_get(tree->root, "limits") != NULL;
    return 20.0 + (cartesian ? cutting_us : 0.0) + (by_limits ? optimal_us * nv : 0.0) +
           n_sample * nv * 0.2;
}

/* Points without times, or with a timing that says so: as fast as the robot can. */
static bool is_fastest(const tqa_value *root)
{
    static const char *const times[] = {"times_s", "durations_s", "duration_s"};
    const tqa_value timing = tqa_value_field(root, "timing");
    bool is_timed = tqa_value_field(root, "fourier").value != NULL ||
                    (timing.value != NULL && !tqa_timing_is_optimal(&timing));
    for (size_t k = 0; k < sizeof times / sizeof times[0]; k++) {
        is_timed = is_timed || tqa_value_field(root, times[k]).value != NULL;
    }
    const bool has_points = tqa_value_field(root, "waypoints").value != NULL ||
                            tqa_value_field(root, "poses").value != NULL;
    return has_points && !is_timed;
}

static bool read(plan *p)
{
    const tqa_value root = tqa_value_root(p->tree);
    const tqa_value interval = tqa_value_field(&root, "interval_s");
    const tqa_value limits = tqa_value_field(&root, "limits");
    const tqa_value fourier = tqa_value_field(&root, "fourier");
    const unsigned kinds = TQA_PATH_WAYPOINTS | TQA_PATH_POSES | TQA_PATH_FOURIER;
    p->is_by_limits = limits.value != NULL || is_fastest(&root);
    p->interval = TQA_RANGE_TRAJECTORY_REQUEST_INTERVAL_S_DEFAULT;
    if (limits.value != NULL && fourier.value != NULL) {
        return tqa_value_refuse(&limits, "invalid-value", "leave it out",
                                "a Fourier series has its times");
    }
    const tqa_value payload = tqa_value_field(&root, "payload");
    if (payload.value != NULL && !p->is_by_limits) {
        return tqa_by_limits_carry(p->tree, &p->by) &&
               tqa_value_refuse(&payload, "invalid-value",
                                "leave the times out, or add \"limits\"; or send it to "
                                "inverse-dynamics with this motion",
                                "a motion whose times are given is the same with a payload");
    }
    return tqa_value_reference(&root, &p->order,
                               p->is_by_limits ? kinds | TQA_PATH_BY_LIMITS : kinds, NULL,
                               &p->path) &&
           (!p->is_by_limits || (tqa_by_limits_read(&limits, &p->order, &p->by) &&
                                 tqa_by_limits_carry(p->tree, &p->by))) &&
           tqa_reference_prepare(&p->path) &&
           (interval.value == NULL || tqa_value_positive(&interval, &p->interval)) &&
           (!p->is_by_limits || tqa_by_limits_prepare(&limits, &p->by, &p->path));
}

static bool make_room(plan *p)
{
    const tqa_value root = tqa_value_root(p->tree);
    const tqa_value interval = tqa_value_field(&root, "interval_s");
    const size_t nq = p->order.nq;
    /* the last sample is the end, when that is a whole number of intervals away within rounding */
    double count = floor((p->path.end - p->path.begin) / p->interval * (1.0 + 1e-12) + 1e-9) + 1.0;
    if (p->is_by_limits && p->path.begin + (count - 1.0) * p->interval < p->path.end) {
        count += 1.0; /* the end itself */
    }
    const double most = p->path.is_cartesian
                            ? (double)CARTESIAN_SAMPLES_MAX
                            : floor((double)TQA_TREE_ANSWER_MAX / (3.0 * (double)nq + 1.0));
    if (!(count <= most)) {
        return tqa_value_refuse(&interval, "range", "a longer interval or a shorter path",
                                "that are %.9g samples, %.0f at most are given", count, most);
    }
    p->n_sample = (size_t)count;
    p->t = tqa_tree_take(p->tree, p->n_sample, sizeof(double));
    p->q = tqa_tree_take(p->tree, p->n_sample * nq, sizeof(double));
    p->qd = tqa_tree_take(p->tree, p->n_sample * nq, sizeof(double));
    p->qdd = tqa_tree_take(p->tree, p->n_sample * nq, sizeof(double));
    return p->t != NULL && p->q != NULL && p->qd != NULL && p->qdd != NULL;
}

static void sample(plan *p)
{
    const size_t nq = p->order.nq;
    for (size_t i = 0; i < p->n_sample; i++) {
        p->t[i] = fmin(p->path.begin + (double)i * p->interval, p->path.end);
        double *q = p->q + i * nq;
        if (p->is_by_limits) {
            tqa_by_limits_at(&p->by, &p->path, p->t[i], q, p->qd + i * nq, p->qdd + i * nq);
        } else {
            tq_reference_at(&p->path.motion, p->t[i], q, p->qd + i * nq, p->qdd + i * nq);
        }
    }
}

/* The worst sample of each limit that is broken by more than rounding. */
static void put_violations(const plan *p)
{
    static const char *const names[] = {TQA_WORDS_TRAJECTORY_RESULT_VIOLATIONS_LIMIT};
    const tqa_robot *robot = p->tree->robot;
    tqa_writer *answer = p->tree->answer;
    tqa_writer_list(answer, "violations");
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
            if (worst > tqa_limit_slack(bounds[b])) {
                tqa_writer_object(answer, NULL);
                tqa_writer_string(answer, "joint", robot->joint_names[p->order.joints[k]]);
                tqa_writer_string(answer, "limit", names[b]);
                const bool turns = robot->is_angle[joint->q_index] && p->tree->in_degrees;
                const double unit = turns ? tqa_radians_of_degree : 1.0;
                tqa_writer_number(answer, "bound", bounds[b] / unit);
                tqa_writer_number(answer, "worst", value / unit);
                tqa_writer_number(answer, "t", p->t[at]);
                tqa_writer_count(answer, "sample", at);
                tqa_writer_end(answer);
            }
        }
    }
    tqa_writer_end(answer);
}

static bool run(tqa_tree *tree)
{
    plan p = {.tree = tree};
    if (!tqa_tree_order(tree, &p.order) || !read(&p) || !make_room(&p)) {
        return false;
    }
    sample(&p);
    const size_t nq = p.order.nq;
    double *tau = NULL;
    if (p.is_by_limits && p.by.with_tau) { /* before rows are put in the user's order */
        tau = tqa_tree_take(tree, p.n_sample * nq, sizeof *tau);
        if (tau == NULL ||
            !tqa_by_limits_torque(tree, p.by.mechanism, p.n_sample, p.q, p.qd, p.qdd, tau)) {
            return false;
        }
    }
    tqa_writer *answer = tree->answer;
    tree->is_motion = true;
    tqa_writer_joints(answer, tree->robot, &p.order);
    put_violations(&p);
    if (p.is_by_limits) {
        tqa_by_limits_answer(tree, &p.by, &p.path);
    }
    tqa_writer_vector(answer, "t", p.t, p.n_sample);
    tqa_rows_to_user(tree, TQA_ROW_Q, p.q, p.n_sample);
    tqa_rows_to_user(tree, TQA_ROW_RATE, p.qd, p.n_sample);
    tqa_rows_to_user(tree, TQA_ROW_RATE, p.qdd, p.n_sample);
    tqa_writer_rows(answer, "q", p.q, p.n_sample, false, p.order.q, nq);
    tqa_writer_rows(answer, "qd", p.qd, p.n_sample, false, p.order.v, nq);
    tqa_writer_rows(answer, "qdd", p.qdd, p.n_sample, false, p.order.v, nq);
    if (tau != NULL) {
        tqa_writer_rows(answer, "tau", tau, p.n_sample, false, p.order.v, nq);
    }
    return true;
}

static const tqa_tree_methods methods = {.fields = fields, .cost_us = cost_us, .run = run};
const tqa_operation_methods tqa_trajectory_methods = {.tree = &methods};
