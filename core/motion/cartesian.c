/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/cartesian.c - straight lines in space, as joint motion. */
#include "core/motion/cartesian.h"

#include <math.h>
#include <string.h>

#include "core/dynamics/kinematics/configuration.h"
#include "core/dynamics/kinematics/inverse_kinematics.h"
#include "core/elementary/elementary.h"
#include "core/linalg/dense.h"
#include "core/spatial/frame.h"
#include "core/spatial/screw.h"

static const double reach_tolerance = 1e-9; /* m and rad: far below the resolution of encoders */
static const double rank_tolerance = 1e-9;  /* of the Jacobian's largest singular value */

enum { TASK_MAX = 6, ITERATIONS = 100 };

size_t tq_cartesian_scratch_size(const tq_model *model)
{
    const size_t nv = model->nv > 0 ? model->nv : 1;
    const size_t rows = nv > TASK_MAX ? nv : TASK_MAX;
    const size_t solve = tq_scratch_cost(TASK_MAX * nv, sizeof(double)) +
                         tq_scratch_cost(rows, sizeof(double)) + tq_lstsq_scratch_size(rows, nv) +
                         tq_svd_scratch_size(TASK_MAX, nv);
    const size_t look =
        tq_configuration_scratch_size(model) + 2 * tq_scratch_cost(TASK_MAX * nv, sizeof(double));
    const size_t follow = 2 * tq_scratch_cost(TASK_MAX * nv, sizeof(double)) +
                          tq_scratch_cost(nv, sizeof(double)) + (look > solve ? look : solve);
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
    /* quaternion of d by its largest component: exact also for a rotation by pi */
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
    const double angle = 2.0 * tq_atan2(sine, sign * q[0]);
    for (unsigned k = 0; k < 3; k++) {
        ret[k] = sine > 0.0 ? sign * angle * q[1 + k] / sine : 0.0;
    }
}

static void turned(const double turn[3], double part, const double r[9], double ret[9])
{
    const double angle = sqrt(tq_dot3(turn, turn));
    const double s = angle > 0.0 ? tq_sin(part * angle) : 0.0;
    const double c = 1.0 - (angle > 0.0 ? tq_cos(part * angle) : 1.0);
    for (unsigned j = 0; j < 3; j++) {
        const double column[3] = {r[j], r[3 + j], r[6 + j]};
        double once[3] = {0};
        double twice[3] = {0};
        if (angle > 0.0) {
            const double axis[3] = {turn[0] / angle, turn[1] / angle, turn[2] / angle};
            tq_vec_cross(axis, column, once);
            tq_vec_cross(axis, once, twice);
        }
        for (unsigned i = 0; i < 3; i++) {
            ret[3 * i + j] = column[i] + s * once[i] + c * twice[i];
        }
    }
}

/* pose of the point at time t, its twist and the rate of its twist */
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

/* minimum-norm x with rows x = right; singular if the rows are dependent */
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

/* Null-space part of the acceleration: qd = J^T y has minimum norm, so a redundant arm accelerates
 * by Jdot^T y in addition to the task's acceleration. ret_free (nv). */
static tq_status free_rate(size_t n_task, size_t nv, const double *rows, const double *change,
                           const double *qd, tq_scratch *scratch, double *ret_free,
                           tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    double *a = tq_scratch_take(scratch, n_task * nv, sizeof *a);
    double *y = tq_scratch_take(scratch, nv > n_task ? nv : n_task, sizeof *y);
    if (a == NULL || y == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, 0.0);
    }
    size_t rank = 0;
    memcpy(a, rows, n_task * nv * sizeof(double)); /* by columns: J^T */
    memcpy(y, qd, nv * sizeof(double));
    const tq_status status = tq_lstsq(nv, n_task, a, y, rank_tolerance, scratch, &rank, reterr);
    for (size_t j = 0; status == TQ_OK && j < nv; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < n_task; i++) {
            sum += change[i * nv + j] * y[i];
        }
        ret_free[j] = sum;
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* pose, twist and its rate */
typedef struct target {
    tq_pose pose;
    double twist[6], rate[6];
} target;

/* remaining displacement and rotation from the link's pose to the target */
static void left_over(const tq_cartesian_path *path, const tq_pose *link, const tq_pose *to,
                      double ret[6])
{
    double at[3];
    tq_mat_vec(link->r, path->at, at);
    for (unsigned k = 0; k < 3; k++) {
        ret[k] = to->p[k] - link->p[k] - at[k];
    }
    turn_between(link->r, to->r, ret + 3);
}

/* the constrained rows of a point's Jacobian and of its rate */
typedef struct task_rows {
    size_t n, axis[TASK_MAX];
    double *rows, *change, *free; /* (n x nv), (n x nv), (nv) */
} task_rows;

/* minimum-norm qdd: the path's acceleration minus Jdot qd and the null-space part, plus that part
 */
static tq_status accelerate(size_t nv, const task_rows *task, const double rate[6],
                            const double *qd, tq_scratch *scratch, double *ret_qdd,
                            tq_error *reterr)
{
    double right[TASK_MAX];
    const bool is_redundant = nv > task->n;
    tq_status status = TQ_OK;
    memset(task->free, 0, nv * sizeof(double));
    if (is_redundant) {
        status = free_rate(task->n, nv, task->rows, task->change, qd, scratch, task->free, reterr);
    }
    for (size_t i = 0; i < task->n; i++) {
        right[i] = rate[task->axis[i]];
        for (size_t j = 0; j < nv; j++) {
            right[i] -= task->change[i * nv + j] * qd[j] + task->rows[i * nv + j] * task->free[j];
        }
    }
    if (status == TQ_OK) {
        status = least_norm(task->n, nv, task->rows, right, scratch, ret_qdd, reterr);
    }
    for (size_t j = 0; status == TQ_OK && j < nv; j++) {
        ret_qdd[j] += task->free[j];
    }
    return status;
}

/* configuration at q and qd (NULL: at rest), and the task's rows of Jacobian and rate */
static tq_status task_jacobian(const tq_model *model, const tq_cartesian_path *path,
                               const double *q, const double *qd, tq_scratch *scratch,
                               task_rows *task, tq_pose *ret_link, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    const size_t nv = model->nv;
    double *jacobian = tq_scratch_take(scratch, TASK_MAX * nv, sizeof *jacobian);
    double *change = tq_scratch_take(scratch, TASK_MAX * nv, sizeof *change);
    if (jacobian == NULL || change == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_cartesian_scratch_size(model));
    }
    tq_configuration p = {0};
    const tq_status status = tq_configuration_compute(model, q, qd, scratch, &p, reterr);
    if (status == TQ_OK) {
        tq_configuration_jacobian(&p, path->link, path->at, TQ_JACOBIAN_WORLD_ALIGNED, jacobian,
                                  change);
        *ret_link = p.pose[path->link];
        task->n = 0;
        for (size_t k = 0; k < TASK_MAX; k++) {
            if (path->axes[k]) {
                memcpy(task->rows + task->n * nv, jacobian + k * nv, nv * sizeof(double));
                memcpy(task->change + task->n * nv, change + k * nv, nv * sizeof(double));
                task->axis[task->n++] = k;
            }
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* corrects q onto the path by Newton steps, to rounding; then velocity, then acceleration */
static tq_status follow(const tq_model *model, const tq_cartesian_path *path, const target *to,
                        tq_scratch *scratch, double *q, double *ret_qd, double *ret_qdd,
                        tq_error *reterr)
{
    const size_t nv = model->nv;
    task_rows task = {.rows = tq_scratch_take(scratch, TASK_MAX * nv, sizeof(double)),
                      .change = tq_scratch_take(scratch, TASK_MAX * nv, sizeof(double)),
                      .free = tq_scratch_take(scratch, nv, sizeof(double))};
    if (task.rows == NULL || task.change == NULL || task.free == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_cartesian_scratch_size(model));
    }
    double right[TASK_MAX];
    double off[6];
    tq_pose link = {0};
    tq_status status = task_jacobian(model, path, q, NULL, scratch, &task, &link, reterr);
    if (status != TQ_OK) {
        return status;
    }
    left_over(path, &link, &to->pose, off);
    for (size_t i = 0; i < task.n; i++) {
        right[i] = off[task.axis[i]];
    }
    status = least_norm(task.n, nv, task.rows, right, scratch, ret_qd, reterr);
    for (size_t j = 0; status == TQ_OK && j < nv; j++) {
        q[j] += ret_qd[j];
    }
    if (status == TQ_OK) {
        status = task_jacobian(model, path, q, NULL, scratch, &task, &link, reterr);
    }
    for (size_t i = 0; i < task.n; i++) {
        right[i] = to->twist[task.axis[i]];
    }
    if (status == TQ_OK) {
        status = least_norm(task.n, nv, task.rows, right, scratch, ret_qd, reterr);
    }
    if (status == TQ_OK) {
        status = task_jacobian(model, path, q, ret_qd, scratch, &task, &link, reterr);
    }
    return status != TQ_OK ? status
                           : accelerate(nv, &task, to->rate, ret_qd, scratch, ret_qdd, reterr);
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
    target to;
    target_at(path, t, &to.pose, to.twist, to.rate);
    status = reach(model, path, &to.pose, scratch, q, reterr);
    tq_scratch_rewind(scratch, mark);
    if (status == TQ_OK) {
        status = follow(model, path, &to, scratch, q, ret_qd, ret_qdd, reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
