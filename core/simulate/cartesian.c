/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/cartesian.c - straight lines in space, told as joint motion. */
#include "core/simulate/cartesian.h"

#include <math.h>
#include <string.h>

#include "core/dynamics/inverse_kinematics.h"
#include "core/dynamics/posture.h"
#include "core/linalg/dense.h"
#include "core/spatial/screw.h"

static const double reach_tolerance = 1e-9; /* m and rad: well under any encoder's step */
static const double rank_tolerance = 1e-9;  /* of the Jacobian's largest singular value */

enum { TASK_MAX = 6, ITERATIONS = 100 };

size_t tq_cartesian_scratch_size(const tq_model *model)
{
    const size_t nv = model->nv > 0 ? model->nv : 1;
    const size_t rows = nv > TASK_MAX ? nv : TASK_MAX;
    const size_t follow = tq_posture_scratch_size(model) +
                          4 * tq_scratch_cost(TASK_MAX * nv, sizeof(double)) +
                          tq_scratch_cost(rows, sizeof(double)) + tq_lstsq_scratch_size(rows, nv) +
                          tq_svd_scratch_size(TASK_MAX, nv);
    const size_t reach = tq_ik_scratch_size(model) +
                         tq_scratch_cost((size_t)TQ_IK_SOLUTION_MAX * model->nq, sizeof(double)) +
                         tq_scratch_cost(1, sizeof(tq_ik_result));
    return follow > reach ? follow : reach;
}

/* rotation vector of R1 R0^T, in world axes */
static void turn_between(const double r0[9], const double r1[9], double ret[3])
{
    double d[9];
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned j = 0; j < 3; j++) {
            d[3 * i + j] = tq_dot3(r1 + 3 * i, r0 + 3 * j);
        }
    }
    /* quaternion of d by its largest component: exact also for half a turn */
    const double trace = d[0] + d[4] + d[8];
    double w[4] = {1.0 + trace, 1.0 + d[0] - d[4] - d[8], 1.0 - d[0] + d[4] - d[8],
                   1.0 - d[0] - d[4] + d[8]};
    unsigned big = 0;
    for (unsigned k = 1; k < 4; k++) {
        big = w[k] > w[big] ? k : big;
    }
    const double rows[4][4] = {{w[0], d[7] - d[5], d[2] - d[6], d[3] - d[1]},
                               {d[7] - d[5], w[1], d[1] + d[3], d[2] + d[6]},
                               {d[2] - d[6], d[1] + d[3], w[2], d[5] + d[7]},
                               {d[3] - d[1], d[2] + d[6], d[5] + d[7], w[3]}};
    const double *q = rows[big];
    const double sine = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double sign = q[0] < 0.0 ? -1.0 : 1.0;
    const double angle = 2.0 * atan2(sine, sign * q[0]);
    for (unsigned k = 0; k < 3; k++) {
        ret[k] = sine > 0.0 ? sign * angle * q[1 + k] / sine : 0.0;
    }
}

static void turned(const double turn[3], double part, const double r[9], double ret[9])
{
    const double angle = sqrt(tq_dot3(turn, turn));
    const double s = angle > 0.0 ? sin(part * angle) : 0.0;
    const double c = 1.0 - (angle > 0.0 ? cos(part * angle) : 1.0);
    for (unsigned j = 0; j < 3; j++) {
        const double column[3] = {r[j], r[3 + j], r[6 + j]};
        double once[3] = {0};
        double twice[3] = {0};
        if (angle > 0.0) {
            const double axis[3] = {turn[0] / angle, turn[1] / angle, turn[2] / angle};
            tq_cross3(axis, column, once);
            tq_cross3(axis, once, twice);
        }
        for (unsigned i = 0; i < 3; i++) {
            ret[3 * i + j] = column[i] + s * once[i] + c * twice[i];
        }
    }
}

/* where the point shall be at time t, its twist and the rate of its twist */
static void target_at(const tq_cartesian_path *path, double t, tq_pose *pose, double twist[6],
                      double rate[6])
{
    size_t k = 0;
    while (k + 2 < path->n_pose && t >= path->t[k + 1]) {
        k++;
    }
    const tq_pose *from = &path->pose[k];
    const tq_pose *to = &path->pose[k + 1];
    const double span = path->t[k + 1] - path->t[k];
    const double u = (t - path->t[k]) / span;
    double s[3];
    double way[6];
    tq_timing(path->law, path->blend, u, s);
    if (u < 0.0 || u > 1.0) {
        s[1] = s[2] = 0.0;
    }
    turn_between(from->r, to->r, way + 3);
    turned(way + 3, s[0], from->r, pose->r);
    for (unsigned i = 0; i < 3; i++) {
        way[i] = to->p[i] - from->p[i];
        pose->p[i] = from->p[i] + s[0] * way[i];
    }
    for (unsigned i = 0; i < 6; i++) {
        twist[i] = s[1] * way[i] / span;
        rate[i] = s[2] * way[i] / (span * span);
    }
}

static tq_status reach(const tq_model *model, const tq_cartesian_path *path, const tq_pose *target,
                       tq_scratch *scratch, double *q, tq_error *reterr)
{
    tq_ik_task task = {.link = path->link, .target = *target};
    memcpy(task.at, path->at, sizeof task.at);
    memcpy(task.axes, path->axes, sizeof task.axes);
    const tq_ik_options options = {.initial = q,
                                   .position_tolerance = reach_tolerance,
                                   .rotation_tolerance = reach_tolerance,
                                   .iterations = ITERATIONS,
                                   .n_seed = 1,
                                   .n_solution = 1};
    tq_ik_result *result = tq_scratch_take(scratch, 1, sizeof *result);
    double *solutions =
        tq_scratch_take(scratch, (size_t)TQ_IK_SOLUTION_MAX * model->nq, sizeof *solutions);
    if (result == NULL || solutions == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_cartesian_scratch_size(model));
    }
    result->q = solutions;
    const tq_status status = tq_inverse_kinematics(model, &task, &options, scratch, result, reterr);
    if (status != TQ_OK) {
        return status;
    }
    if (result->n_solution == 0) {
        return tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "path", 0,
                       fmax(result->best_position_error, result->best_rotation_error));
    }
    memcpy(q, solutions, model->nq * sizeof(double));
    return TQ_OK;
}

/* x of least norm with rows x = right; singular when the rows depend on each other */
static tq_status least_norm(size_t n_task, size_t nv, const double *rows, const double *right,
                            tq_scratch *scratch, double *ret_x, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    const size_t tall = nv > n_task ? nv : n_task;
    double *a = tq_scratch_take(scratch, n_task * nv, sizeof *a);
    double *b = tq_scratch_take(scratch, tall, sizeof *b);
    double s[TASK_MAX];
    if (a == NULL || b == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, 0.0);
    }
    memcpy(a, rows, n_task * nv * sizeof(double)); /* as columns: J^T, the same singular values */
    tq_status status = tq_svd(nv, n_task, a, nv, scratch, s, NULL, NULL, reterr);
    const double smallest = nv < n_task ? s[nv - 1] : s[n_task - 1];
    if (status == TQ_OK && smallest <= rank_tolerance * s[0]) {
        status = tq_fail(reterr, TQ_ERR_SINGULAR, "path", 0, smallest);
    }
    if (status == TQ_OK) {
        size_t rank = 0;
        for (size_t i = 0; i < n_task; i++) {
            for (size_t j = 0; j < nv; j++) {
                a[j * n_task + i] = rows[i * nv + j];
            }
            b[i] = right[i];
        }
        status = tq_lstsq(n_task, nv, a, b, rank_tolerance, scratch, &rank, reterr);
        memcpy(ret_x, b, nv * sizeof(double));
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* NOLINTNEXTLINE(readability-function-size): one parameter above the rule */
static tq_status follow(const tq_model *model, const tq_cartesian_path *path, const double *q,
                        const double twist[6], const double rate[6], tq_scratch *scratch,
                        double *ret_qd, double *ret_qdd, tq_error *reterr)
{
    const size_t nv = model->nv;
    double *jacobian = tq_scratch_take(scratch, TASK_MAX * nv, sizeof *jacobian);
    double *change = tq_scratch_take(scratch, TASK_MAX * nv, sizeof *change);
    double *rows = tq_scratch_take(scratch, TASK_MAX * nv, sizeof *rows);
    tq_posture p;
    if (jacobian == NULL || change == NULL || rows == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_cartesian_scratch_size(model));
    }
    double right[TASK_MAX];
    size_t axis[TASK_MAX];
    size_t n = 0;
    for (size_t k = 0; k < TASK_MAX; k++) {
        if (path->axes[k]) {
            axis[n++] = k;
        }
    }
    const size_t mark = tq_scratch_mark(scratch);
    for (unsigned pass = 0; pass < 2; pass++) {
        tq_scratch_rewind(scratch, mark);
        tq_status status =
            tq_posture_compute(model, q, pass == 0 ? NULL : ret_qd, scratch, &p, reterr);
        if (status != TQ_OK) {
            return status;
        }
        tq_posture_jacobian(&p, path->link, path->at, TQ_JACOBIAN_WORLD_ALIGNED, jacobian, change);
        for (size_t i = 0; i < n; i++) {
            memcpy(rows + i * nv, jacobian + axis[i] * nv, nv * sizeof(double));
            right[i] = pass == 0 ? twist[axis[i]] : rate[axis[i]];
            for (size_t j = 0; pass == 1 && j < nv; j++) {
                right[i] -= change[axis[i] * nv + j] * ret_qd[j];
            }
        }
        status = least_norm(n, nv, rows, right, scratch, pass == 0 ? ret_qd : ret_qdd, reterr);
        if (status != TQ_OK) {
            return status;
        }
    }
    return TQ_OK;
}

tq_status tq_cartesian_at(const tq_model *model, const tq_cartesian_path *path, double t,
                          tq_scratch *scratch, double *q, double *ret_qd, double *ret_qdd,
                          tq_error *reterr)
{
    const tq_waypoints times = {
        .n_point = path->n_pose, .n_coordinate = 1, .t = path->t, .x = path->t};
    tq_status status = tq_waypoints_check(&times, reterr);
    for (uint32_t j = 0; status == TQ_OK && j < model->n_joint; j++) {
        if (model->joints[j].nq != model->joints[j].nv) {
            status = tq_fail(reterr, TQ_ERR_SHAPE, "joint", j, 0.0);
        }
    }
    if (status != TQ_OK) {
        return status;
    }
    const size_t mark = tq_scratch_mark(scratch);
    tq_pose target;
    double twist[6];
    double rate[6];
    target_at(path, t, &target, twist, rate);
    status = reach(model, path, &target, scratch, q, reterr);
    tq_scratch_rewind(scratch, mark);
    if (status == TQ_OK) {
        status = follow(model, path, q, twist, rate, scratch, ret_qd, ret_qdd, reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
