/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/kinematics/inverse_kinematics.c - inverse kinematics by damped least squares from
 * many starts. */
#include "core/dynamics/kinematics/inverse_kinematics.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/dynamics/kinematics/configuration.h"
#include "core/dynamics/kinematics/integrate.h"
#include "core/dynamics/kinematics/inverse_kinematics_start.h"
#include "core/dynamics/kinematics/inverse_kinematics_weight.h"
#include "core/dynamics/kinematics/rotation_error.h"
#include "core/elementary/elementary.h"
#include "core/linalg/dense.h"
#include "core/spatial/screw.h"

static const double same_solution_distance =
    1e-4; /* rad or m; branches of real arms lie much further apart */

enum { ADVANCES = 8 }; /* of threads by whole turns, after descents of one start */

typedef struct search {
    const tq_model *model;
    const tq_ik_task *task;
    const tq_ik_options *options;
    tq_scratch *scratch;
    size_t nq, nv, n_task;
    unsigned axis[TQ_IK_TASK_MAX]; /* task rows */
    double *q, *trial, *start;
    double *jacobian, *rows, *normal, *step;
    double *room[2]; /* (nv) distance of each coordinate to its lower and upper limit; infinite:
                        no limit */
    double *held;    /* (nv) 1: the coordinate is fixed at its present step (active set) */
    double *s;       /* singular values */
    _Bool *turns;    /* (nq) the pose is the same a turn further */
    _Bool *threads;  /* (nq) a turn further slides have moved, and nothing is turned */
    bool has_thread;
    const tq_ik_weight *weight; /* of errors and rows; NULL: none */
} search;

size_t tq_ik_scratch_size(const tq_model *model)
{
    const size_t nv = model->nv;
    return 3 * tq_scratch_cost(model->nq, sizeof(double)) +
           2 * tq_scratch_cost(model->nq, sizeof(_Bool)) +
           2 * tq_scratch_cost(6 * nv, sizeof(double)) + tq_scratch_cost(nv * nv, sizeof(double)) +
           4 * tq_scratch_cost(nv, sizeof(double)) + tq_scratch_cost(6, sizeof(double)) +
           tq_configuration_scratch_size(model) + tq_svd_scratch_size(6, nv > 0 ? nv : 1);
}

static tq_status check(const tq_model *model, const tq_ik_task *task, const tq_ik_options *options,
                       tq_error *reterr)
{
    bool any = false;
    for (unsigned k = 0; k < 6; k++) {
        any = any || task->axes[k];
    }
    if (task->link >= model->n_link) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "task.link", task->link, 0.0);
    }
    if (!any) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "task.axes", 0, 0.0);
    }
    if (model->nv == 0 || model->nv > TQ_IK_NV_MAX) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "nv", 0, (double)model->nv);
    }
    if (options->iterations == 0 || options->iterations > 10000) {
        return tq_fail(reterr, TQ_ERR_RANGE, "options.iterations", 0, (double)options->iterations);
    }
    if (options->n_seed == 0 || options->n_seed > TQ_IK_SEED_MAX) {
        return tq_fail(reterr, TQ_ERR_RANGE, "options.n_seed", 0, (double)options->n_seed);
    }
    if (options->n_solution == 0 || options->n_solution > TQ_IK_SOLUTION_MAX) {
        return tq_fail(reterr, TQ_ERR_RANGE, "options.n_solution", 0, (double)options->n_solution);
    }
    if (!(options->position_tolerance > 0.0)) {
        return tq_fail(reterr, TQ_ERR_RANGE, "options.position_tolerance", 0,
                       options->position_tolerance);
    }
    if (!(options->rotation_tolerance > 0.0)) {
        return tq_fail(reterr, TQ_ERR_RANGE, "options.rotation_tolerance", 0,
                       options->rotation_tolerance);
    }
    return TQ_OK;
}

/* task error at q; also the task Jacobian if ret_rows is not NULL */
static tq_status error_at(search *s, const double *q, tq_scratch *scratch, double e[6],
                          double *ret_rows, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    const tq_ik_task *task = s->task;
    tq_configuration p;
    const tq_status status = tq_configuration_compute(s->model, q, NULL, scratch, &p, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const tq_pose *pose = &p.pose[task->link];
    double full[6];
    tq_mat_vec(pose->r, task->at, full);
    for (unsigned k = 0; k < 3; k++) {
        full[k] = task->target.p[k] - pose->p[k] - full[k];
    }
    tq_rotation_error(task->target.r, pose->r, full + 3);
    for (size_t k = 0; k < s->n_task; k++) {
        e[k] = full[s->axis[k]];
    }
    if (ret_rows != NULL) {
        tq_configuration_jacobian(&p, task->link, task->at, TQ_JACOBIAN_WORLD_ALIGNED, s->jacobian,
                                  NULL);
        for (size_t k = 0; k < s->n_task; k++) {
            memcpy(ret_rows + k * s->nv, s->jacobian + s->axis[k] * s->nv, s->nv * sizeof(double));
        }
    }
    if (s->weight != NULL) {
        tq_ik_weigh(s->weight, 1, e);
        if (ret_rows != NULL) {
            tq_ik_weigh(s->weight, s->nv, ret_rows);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

static void split_error(const search *s, const double e[6], double *position, double *rotation)
{
    double sum[2] = {0.0, 0.0};
    for (size_t k = 0; k < s->n_task; k++) {
        sum[s->axis[k] / 3] += e[k] * e[k];
    }
    *position = sqrt(sum[0]);
    *rotation = sqrt(sum[1]);
}

static void add_step(const search *s, const double *q, const double *step, double *ret)
{
    tq_configuration_integrate(s->model, q, step, ret);
    for (uint32_t j = 0; j < s->model->n_joint && s->options->within_limits; j++) {
        const tq_joint *joint = &s->model->joints[j];
        if (joint->nq == 1) {
            double *next = ret + joint->q_index;
            *next = fmin(fmax(*next, joint->limits.lower), joint->limits.upper);
        }
    }
}

/* distance of each coordinate of s->q to its limits */
static void measure_room(search *s)
{
    for (size_t i = 0; i < s->nv; i++) {
        s->room[0][i] = -HUGE_VAL;
        s->room[1][i] = HUGE_VAL;
    }
    for (uint32_t j = 0; j < s->model->n_joint && s->options->within_limits; j++) {
        const tq_joint *joint = &s->model->joints[j];
        if (joint->nq == 1) {
            const double q = s->q[joint->q_index];
            s->room[0][joint->v_index] = fmin(joint->limits.lower - q, 0.0);
            s->room[1][joint->v_index] = fmax(joint->limits.upper - q, 0.0);
        }
    }
}

/* (J^T J + mu E) step = J^T (e - J_held step_held) over the coordinates that are not held */
static tq_status solve_free(search *s, const double e[6], double mu, tq_error *reterr)
{
    const size_t nv = s->nv;
    const double order = (double)nv;
    tq_status status = tq_scratch_work(
        s->scratch, order * order * order / 3.0 + 100.0 * (double)s->model->n_joint, reterr);
    if (status != TQ_OK) {
        return status;
    }
    double left[6] = {0};
    for (size_t k = 0; k < s->n_task; k++) {
        left[k] = e[k];
        for (size_t i = 0; i < nv; i++) {
            left[k] -= s->held[i] != 0.0 ? s->rows[k * nv + i] * s->step[i] : 0.0;
        }
    }
    for (size_t i = 0; i < nv; i++) {
        const bool held = s->held[i] != 0.0;
        double along = held ? s->step[i] : 0.0;
        for (size_t k = 0; k < s->n_task && !held; k++) {
            along += s->rows[k * nv + i] * left[k];
        }
        s->step[i] = along;
        for (size_t j = 0; j <= i; j++) {
            const bool apart = held || s->held[j] != 0.0;
            double sum = i != j ? 0.0 : held ? 1.0 : mu;
            for (size_t k = 0; k < s->n_task && !apart; k++) {
                sum += s->rows[k * nv + i] * s->rows[k * nv + j];
            }
            s->normal[j * nv + i] = sum;
        }
    }
    status = tq_cholesky_factor(nv, s->normal, nv, reterr);
    return status == TQ_OK ? tq_cholesky_solve(nv, 1, s->normal, nv, s->step, nv, reterr) : status;
}

/* The damped step inside the box of limits by an active set: a coordinate at a limit that is pushed
 * outward is held; one whose step would leave is moved to its limit and held, and the others are
 * solved again to compensate for it. */
static tq_status solve_step(search *s, const double e[6], double damping, tq_error *reterr)
{
    const size_t nv = s->nv;
    double size = 0.0;
    for (size_t k = 0; k < s->n_task * nv; k++) {
        size += s->rows[k] * s->rows[k];
    }
    /* J^T J of a redundant arm is singular: the floor keeps its Cholesky pivots above rounding */
    const double mu = damping + 1e-13 * size + DBL_MIN;
    measure_room(s);
    for (size_t i = 0; i < nv; i++) {
        double push = 0.0;
        for (size_t k = 0; k < s->n_task; k++) {
            push += s->rows[k * nv + i] * e[k];
        }
        s->step[i] = 0.0;
        s->held[i] = (push < 0.0 && s->room[0][i] == 0.0) || (push > 0.0 && s->room[1][i] == 0.0);
    }
    tq_status status = TQ_OK;
    for (bool left = true; left && status == TQ_OK;) {
        status = solve_free(s, e, mu, reterr);
        left = false;
        for (size_t i = 0; i < nv && status == TQ_OK; i++) {
            const double inside = fmin(fmax(s->step[i], s->room[0][i]), s->room[1][i]);
            if (s->held[i] == 0.0 && inside != s->step[i]) {
                s->step[i] = inside;
                s->held[i] = 1.0;
                left = true;
            }
        }
    }
    return status;
}

static double square(const search *s, const double e[6])
{
    double sum = 0.0;
    for (size_t k = 0; k < s->n_task; k++) {
        sum += e[k] * e[k];
    }
    return sum;
}

/* Levenberg-Marquardt from s->q until converged or no step reduces the error; e is the last error.
 */
static tq_status descend(search *s, tq_scratch *scratch, double e[6], tq_error *reterr)
{
    double damping = 1e-3;
    tq_status status = error_at(s, s->q, scratch, e, s->rows, reterr);
    for (uint32_t k = 0; status == TQ_OK && k < s->options->iterations; k++) {
        const double cost = square(s, e);
        if (cost <= 1e-30) { /* rounding of metres and radians */
            break;
        }
        status = solve_step(s, e, damping * fmin(cost, 1.0), reterr);
        if (status != TQ_OK) {
            break;
        }
        double next[6];
        add_step(s, s->q, s->step, s->trial);
        status = error_at(s, s->trial, scratch, next, NULL, reterr);
        if (status != TQ_OK) {
            break;
        }
        if (square(s, next) < cost) {
            memcpy(s->q, s->trial, s->nq * sizeof(double));
            damping = fmax(0.2 * damping, 1e-12);
            status = error_at(s, s->q, scratch, e, s->rows, reterr);
        } else if (damping > 1e12) {
            break;
        } else {
            damping *= 8.0;
        }
    }
    return status;
}

/* largest difference of two coordinate vectors, angles modulo 2 pi */
static double distance(const search *s, const double *a, const double *b)
{
    double worst = 0.0;
    for (uint32_t j = 0; j < s->model->n_joint; j++) {
        const tq_joint *joint = &s->model->joints[j];
        const double *x = a + joint->q_index;
        const double *y = b + joint->q_index;
        if (joint->kind == TQ_JOINT_SPHERICAL || joint->kind == TQ_JOINT_FLOATING) {
            const double *u = x + joint->nq - 4;
            const double *v = y + joint->nq - 4;
            const double cosine = fabs(u[0] * v[0] + u[1] * v[1] + u[2] * v[2] + u[3] * v[3]);
            worst = fmax(worst, sqrt(fmax(0.0, 2.0 - 2.0 * cosine)));
            for (uint32_t k = 0; k + 4 < joint->nq; k++) {
                worst = fmax(worst, fabs(x[k] - y[k]));
            }
            continue;
        }
        for (uint32_t k = 0; k < joint->nq; k++) {
            const double d = x[k] - y[k];
            const bool turns = s->turns[joint->q_index + k];
            worst = fmax(worst, fabs(turns ? remainder(d, 2.0 * M_PI) : d));
        }
    }
    return worst;
}

/* moves angles to within pi of the start, where the limits allow it */
static void unwind(const search *s, double *q)
{
    for (uint32_t j = 0; j < s->model->n_joint; j++) {
        const tq_joint *joint = &s->model->joints[j];
        if (joint->kind != TQ_JOINT_REVOLUTE && joint->kind != TQ_JOINT_CONTINUOUS) {
            continue;
        }
        if (joint->nq == 0 || !s->turns[joint->q_index]) {
            continue;
        }
        const double start = s->start[joint->q_index];
        const double near = start + remainder(q[joint->q_index] - start, 2.0 * M_PI);
        if (!s->options->within_limits ||
            (near >= joint->limits.lower && near <= joint->limits.upper)) {
            q[joint->q_index] = near;
        }
    }
}

static tq_status add_solution(search *s, const double e[6], tq_scratch *scratch,
                              tq_ik_result *result, tq_error *reterr)
{
    unwind(s, s->q);
    uint32_t at = 0;
    const double away = distance(s, s->q, s->start);
    for (uint32_t k = 0; k < result->n_solution; k++) {
        const double *other = result->q + k * s->nq;
        if (distance(s, s->q, other) < same_solution_distance) {
            return TQ_OK;
        }
        at += distance(s, other, s->start) <= away;
    }
    for (uint32_t k = result->n_solution; k > at; k--) {
        memcpy(result->q + k * s->nq, result->q + (k - 1) * s->nq, s->nq * sizeof(double));
        result->position_error[k] = result->position_error[k - 1];
        result->rotation_error[k] = result->rotation_error[k - 1];
        result->smallest_singular[k] = result->smallest_singular[k - 1];
    }
    memcpy(result->q + at * s->nq, s->q, s->nq * sizeof(double));
    split_error(s, e, &result->position_error[at], &result->rotation_error[at]);
    /* row-major rows are the column-major nv x n_task transpose: same singular values */
    const tq_status status =
        tq_svd(s->nv, s->n_task, s->rows, s->nv, scratch, s->s, NULL, NULL, reterr);
    const size_t k = s->nv < s->n_task ? s->nv : s->n_task;
    result->smallest_singular[at] = s->nv < s->n_task ? 0.0 : s->s[k - 1];
    result->n_solution++;
    return status;
}

/* whole turns nearest to n that joint's limits allow at s->q */
static double allowed_turns(const search *s, const tq_joint *joint, double n)
{
    const double q = s->q[joint->q_index];
    if (!s->options->within_limits) {
        return n;
    }
    const double up = floor((joint->limits.upper - q) / (2.0 * M_PI));
    const double down = ceil((joint->limits.lower - q) / (2.0 * M_PI));
    return up < down ? 0.0 : fmin(fmax(n, down), up);
}

/* Advances threads by whole turns, which change no rotation, where that brings the point nearer;
 * e is the error at s->q, before and after. The error of rotation has a minimum in each turn, and
 * only that of one of them is one of the position's. */
static tq_status advance(search *s, tq_scratch *scratch, double e[6], bool *ret_moved,
                         tq_error *reterr)
{
    tq_status status = TQ_OK;
    *ret_moved = false;
    for (uint32_t j = 0; j < s->model->n_joint && status == TQ_OK; j++) {
        const tq_joint *joint = &s->model->joints[j];
        double next[6], along = 0.0, size = 0.0;
        if (joint->nq != 1 || !s->threads[joint->q_index]) {
            continue;
        }
        memcpy(s->trial, s->q, s->nq * sizeof(double));
        s->trial[joint->q_index] += 2.0 * M_PI;
        status = error_at(s, s->trial, scratch, next, NULL, reterr);
        for (size_t k = 0; k < s->n_task && status == TQ_OK; k++) {
            const double nearer = s->axis[k] < 3 ? e[k] - next[k] : 0.0;
            along += nearer * e[k];
            size += nearer * nearer;
        }
        const double turns = size > 0.0 ? allowed_turns(s, joint, round(along / size)) : 0.0;
        if (status != TQ_OK || turns == 0.0 || !isfinite(turns)) {
            continue;
        }
        s->trial[joint->q_index] = s->q[joint->q_index] + 2.0 * M_PI * turns;
        status = error_at(s, s->trial, scratch, next, NULL, reterr);
        if (status == TQ_OK && square(s, next) < square(s, e)) {
            memcpy(s->q, s->trial, s->nq * sizeof(double));
            memcpy(e, next, s->n_task * sizeof(double));
            *ret_moved = true;
        }
    }
    return status;
}

static bool is_met(const search *s, const double e[6])
{
    double position = 0.0, rotation = 0.0;
    split_error(s, e, &position, &rotation);
    return position <= s->options->position_tolerance && rotation <= s->options->rotation_tolerance;
}

/* A descent of the error in the unit of coordinates: e is the error as it is, before and after. The
 * valley along which an arm undoes what a fine thread turns is one of lengths only: a step along it
 * must not leave it by more than the thread gains, so it takes hundreds of them. */
static tq_status descend_weighed(search *s, tq_scratch *scratch, double e[6], tq_error *reterr)
{
    tq_ik_weight weight;
    tq_status status = error_at(s, s->q, scratch, e, s->rows, reterr);
    if (status == TQ_OK) {
        status = tq_ik_weight_set(&weight, s->n_task, s->nv, s->rows, s->jacobian, scratch, reterr);
    }
    if (status == TQ_OK) {
        s->weight = &weight;
        status = descend(s, scratch, e, reterr);
        s->weight = NULL;
    }
    return status == TQ_OK ? error_at(s, s->q, scratch, e, s->rows, reterr) : status;
}

/* From s->q, a start of our own or the caller's: which is met where it is, if there is a way. */
static tq_status descend_threads(search *s, bool own, tq_scratch *scratch, double e[6],
                                 tq_error *reterr)
{
    bool moved = false, is_weighed = false;
    tq_status status = TQ_OK;
    if (own) {
        status = error_at(s, s->q, scratch, e, NULL, reterr);
        status = status == TQ_OK ? advance(s, scratch, e, &moved, reterr) : status;
    }
    status = status == TQ_OK ? descend(s, scratch, e, reterr) : status;
    for (unsigned k = 0; k < ADVANCES && status == TQ_OK && !is_met(s, e); k++) {
        status = advance(s, scratch, e, &moved, reterr);
        if (status != TQ_OK || (!moved && is_weighed)) {
            break;
        }
        is_weighed = !moved;
        status = moved ? descend(s, scratch, e, reterr) : descend_weighed(s, scratch, e, reterr);
    }
    return status;
}

static tq_status search_from_starts(search *s, tq_scratch *scratch, tq_ik_result *result,
                                    tq_error *reterr)
{
    double e[6] = {0};
    tq_status status = TQ_OK;
    result->n_solution = 0;
    result->starts = 0;
    result->best_position_error = result->best_rotation_error = DBL_MAX;
    double best = DBL_MAX;
    for (uint32_t k = 0; k < s->options->n_seed && result->n_solution < s->options->n_solution;
         k++) {
        if (k == 0) {
            memcpy(s->q, s->start, s->nq * sizeof(double));
        } else {
            tq_ik_spread(s->model, k, s->q);
        }
        result->starts++;
        status = s->has_thread ? descend_threads(s, k > 0, scratch, e, reterr)
                               : descend(s, scratch, e, reterr);
        if (status != TQ_OK) {
            break;
        }
        double position = 0.0;
        double rotation = 0.0;
        split_error(s, e, &position, &rotation);
        if (square(s, e) < best) {
            best = square(s, e);
            result->best_position_error = position;
            result->best_rotation_error = rotation;
        }
        if (is_met(s, e)) {
            status = add_solution(s, e, scratch, result, reterr);
        }
        if (status != TQ_OK) {
            break;
        }
    }
    return status;
}

tq_status tq_inverse_kinematics(const tq_model *model, const tq_ik_task *task,
                                const tq_ik_options *options, tq_scratch *scratch,
                                tq_ik_result *result, tq_error *reterr)
{
    tq_status status = check(model, task, options, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const size_t mark = tq_scratch_mark(scratch);
    const size_t nv = model->nv;
    search s = {.model = model,
                .task = task,
                .options = options,
                .scratch = scratch,
                .nq = model->nq,
                .nv = nv};
    for (unsigned k = 0; k < 6; k++) {
        if (task->axes[k]) {
            s.axis[s.n_task++] = k;
        }
    }
    s.q = tq_scratch_take(scratch, s.nq, sizeof(double));
    s.trial = tq_scratch_take(scratch, s.nq, sizeof(double));
    s.start = tq_scratch_take(scratch, s.nq, sizeof(double));
    s.jacobian = tq_scratch_take(scratch, 6 * nv, sizeof(double));
    s.rows = tq_scratch_take(scratch, 6 * nv, sizeof(double));
    s.normal = tq_scratch_take(scratch, nv * nv, sizeof(double));
    s.step = tq_scratch_take(scratch, nv, sizeof(double));
    s.room[0] = tq_scratch_take(scratch, nv, sizeof(double));
    s.room[1] = tq_scratch_take(scratch, nv, sizeof(double));
    s.held = tq_scratch_take(scratch, nv, sizeof(double));
    s.s = tq_scratch_take(scratch, 6, sizeof(double));
    s.turns = tq_scratch_take(scratch, s.nq, sizeof(_Bool));
    s.threads = tq_scratch_take(scratch, s.nq, sizeof(_Bool));
    if (s.threads == NULL || s.turns == NULL || s.s == NULL || s.held == NULL ||
        s.room[1] == NULL || s.room[0] == NULL || s.step == NULL || s.normal == NULL ||
        s.rows == NULL || s.jacobian == NULL || s.start == NULL || s.trial == NULL || s.q == NULL) {
        status = tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_ik_scratch_size(model));
    } else {
        tq_ik_turns(model, s.turns);
        s.has_thread = tq_ik_threads(model, s.threads) && options->n_seed > 1;
        if (options->initial != NULL) {
            memcpy(s.start, options->initial, s.nq * sizeof(double));
        } else {
            tq_ik_middle(model, s.start);
        }
        status = search_from_starts(&s, scratch, result, reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
