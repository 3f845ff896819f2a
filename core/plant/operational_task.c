/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/operational_task.c - errors of a point along the axes of its task, the operational-
 * space inertia near singularities, damping by double diagonalisation. */
#include "core/plant/operational_task.h"

#include <math.h>
#include <string.h>

#include "core/dynamics/kinematics/rotation_error.h"
#include "core/dynamics/mass_matrix/mass_matrix_inverse.h"
#include "core/linalg/dense.h"

enum { AXES = TQ_TASK_AXES, SHIFTS = AXES / 2 };

/* of the scaled lambda^-1: below it an axis is not the robot's to move; a Jacobian's ratio of
 * singular values of 1e-4 */
static const double eigenvalue_min = 1e-8;

size_t tq_task_scratch_size(const tq_operational_controller *c)
{
    const tq_model *model = tq_mechanism_model(c->mechanism);
    const size_t nv = model->nv;
    const size_t posture = tq_configuration_scratch_size(model);
    const size_t matrix = tq_mass_matrix_flat_scratch_size(c->mechanism) +
                          tq_scratch_cost(nv * nv + 1, sizeof(double));
    return (posture > matrix ? posture : matrix) + tq_eigen_symmetric_scratch_size(AXES) +
           2 * tq_scratch_cost(AXES * (nv + 1), sizeof(double));
}

/* v = J x, with J (6 x nv) */
static void apply(size_t nv, const double *jacobian, const double *x, double ret[AXES])
{
    for (unsigned k = 0; k < AXES; k++) {
        ret[k] = 0.0;
        for (size_t r = 0; x != NULL && r < nv; r++) {
            ret[k] += jacobian[k * nv + r] * x[r];
        }
    }
}

static void place(const tq_operational_controller *c, const tq_configuration *posture, tq_pose *ret)
{
    const tq_pose *link = &posture->pose[c->link];
    double shift[3];
    *ret = *link;
    tq_mat_vec(link->r, c->at, shift);
    for (unsigned k = 0; k < SHIFTS; k++) {
        ret->p[k] += shift[k];
    }
}

/* from the world's axes to those of the task */
static void turn(const tq_operational_controller *c, double x[AXES])
{
    tq_mat_tvec(c->frame, x, x);
    tq_mat_tvec(c->frame, x + SHIFTS, x + SHIFTS);
}

tq_status tq_task_goal_at(const tq_operational_controller *c, const double *desired,
                          tq_scratch *scratch, tq_task_goal *ret, tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(c->mechanism);
    const size_t nv = model->nv, nq = model->nq;
    const size_t mark = tq_scratch_mark(scratch);
    tq_configuration posture;
    *ret = (tq_task_goal){.pose = tq_pose_identity};
    if (c->goal != NULL) {
        ret->pose = *c->goal;
        return TQ_OK;
    }
    double *jacobian = tq_scratch_take(scratch, AXES * (nv + 1), sizeof *jacobian);
    double *rate = tq_scratch_take(scratch, AXES * (nv + 1), sizeof *rate);
    if (jacobian == NULL || rate == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_task_scratch_size(c));
    }
    const tq_status status =
        tq_configuration_compute(model, desired, desired + nq, scratch, &posture, reterr);
    if (status == TQ_OK) {
        double more[AXES];
        tq_configuration_jacobian(&posture, c->link, c->at, TQ_JACOBIAN_WORLD_ALIGNED, jacobian,
                                  rate);
        place(c, &posture, &ret->pose);
        apply(nv, jacobian, desired + nq, ret->v);
        apply(nv, jacobian, desired + 2 * nq, ret->a);
        apply(nv, rate, desired + nq, more);
        for (unsigned k = 0; k < AXES; k++) {
            ret->a[k] += more[k];
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_task_at(const tq_operational_controller *c, const tq_task_goal *goal, const double *q,
                     const double *qd, tq_scratch *scratch, tq_task *ret, tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(c->mechanism);
    const size_t nv = model->nv;
    const size_t mark = tq_scratch_mark(scratch);
    tq_configuration posture;
    tq_pose here;
    double *rate = tq_scratch_take(scratch, AXES * (nv + 1), sizeof *rate);
    if (rate == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_task_scratch_size(c));
    }
    const tq_status status = tq_configuration_compute(model, q, qd, scratch, &posture, reterr);
    if (status != TQ_OK) {
        tq_scratch_rewind(scratch, mark);
        return status;
    }
    tq_configuration_jacobian(&posture, c->link, c->at, TQ_JACOBIAN_WORLD_ALIGNED, ret->jacobian,
                              rate);
    place(c, &posture, &here);
    apply(nv, ret->jacobian, qd, ret->xd);
    apply(nv, rate, qd, ret->bias);
    for (unsigned k = 0; k < SHIFTS; k++) {
        ret->e[k] = goal->pose.p[k] - here.p[k];
    }
    tq_rotation_error(goal->pose.r, here.r, ret->e + SHIFTS);
    for (unsigned k = 0; k < AXES; k++) {
        ret->ed[k] = goal->v[k] - ret->xd[k];
        ret->a[k] = goal->a[k];
    }
    double *const vectors[] = {ret->e, ret->ed, ret->xd, ret->a, ret->bias};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) {
        turn(c, vectors[k]);
    }
    for (size_t r = 0; r < nv; r++) {
        double column[AXES];
        for (unsigned k = 0; k < AXES; k++) {
            column[k] = ret->jacobian[k * nv + r];
        }
        turn(c, column);
        for (unsigned k = 0; k < AXES; k++) {
            ret->jacobian[k * nv + r] = column[k];
        }
    }
    ret->n = 0;
    for (unsigned k = 0; k < AXES; k++) {
        if (c->moved[k] || c->pushed[k]) {
            ret->axis[ret->n++] = k;
        }
    }
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

/* lambda^-1 in task->l, away from a singularity: adds what the header says */
static tq_status keep_away(const tq_operational_controller *c, tq_scratch *scratch, tq_task *task,
                           tq_error *reterr)
{
    const size_t n = task->n;
    double largest[2] = {0.0, 0.0}; /* of shifts, of turns */
    double scaled[AXES * AXES], values[AXES];
    for (size_t k = 0; k < n; k++) {
        double *most = &largest[task->axis[k] >= SHIFTS];
        *most = fmax(*most, task->l[k * n + k]);
    }
    for (size_t k = 0; k < n * n; k++) {
        const double size =
            largest[task->axis[k / n] >= SHIFTS] * largest[task->axis[k % n] >= SHIFTS];
        scaled[k] = size > 0.0 ? task->l[k] / sqrt(size) : 0.0;
    }
    const tq_status status = tq_eigenvalues_symmetric(n, scaled, n, scratch, values, reterr);
    if (status != TQ_OK) {
        return status;
    }
    if (c->damping == 0.0 && !(values[0] > eigenvalue_min)) {
        return tq_fail(reterr, TQ_ERR_SINGULAR, "task", 0, values[0]);
    }
    if (values[0] < c->damping) {
        const double left = 1.0 - fmax(values[0], 0.0) / c->damping;
        for (size_t k = 0; k < n; k++) {
            task->l[k * n + k] += c->damping * left * left * largest[task->axis[k] >= SHIFTS];
        }
    }
    return TQ_OK;
}

tq_status tq_task_factor(const tq_operational_controller *c, const double *q, tq_scratch *scratch,
                         tq_task *task, tq_error *reterr)
{
    const size_t nv = tq_mechanism_model(c->mechanism)->nv, n = task->n;
    const size_t mark = tq_scratch_mark(scratch);
    double *m = tq_scratch_take(scratch, nv * nv + 1, sizeof *m);
    double *x = tq_scratch_take(scratch, AXES * (nv + 1), sizeof *x);
    if (m == NULL || x == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_task_scratch_size(c));
    }
    tq_status status = tq_mass_matrix_flat(c->mechanism, q, c->without, scratch, m, reterr);
    if (status == TQ_OK && tq_mass_matrix_factor(nv, m) < nv) {
        status = tq_fail(reterr, TQ_ERR_SINGULAR, "mass_matrix", 0, 0.0);
    }
    if (status != TQ_OK) {
        tq_scratch_rewind(scratch, mark);
        return status;
    }
    for (size_t r = 0; r < nv; r++) { /* x = M^-1 J^T */
        for (size_t i = 0; i < n; i++) {
            x[r * n + i] = task->jacobian[task->axis[i] * nv + r];
        }
    }
    tq_mass_matrix_solve(nv, m, n, x);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            const double *row = task->jacobian + task->axis[j] * nv;
            double sum = 0.0;
            for (size_t r = 0; r < nv; r++) {
                sum += row[r] * x[r * n + i];
            }
            task->l[i * n + j] = task->l[j * n + i] = sum;
        }
    }
    status = keep_away(c, scratch, task, reterr);
    if (status == TQ_OK) {
        status = tq_cholesky_factor(n, task->l, n, reterr);
        if (status == TQ_ERR_SINGULAR) {
            (void)tq_fail(reterr, TQ_ERR_SINGULAR, "task", 0, 0.0);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_task_add_damping(const tq_operational_controller *c, const tq_task *task,
                              tq_scratch *scratch, double *force, tq_error *reterr)
{
    const size_t n = task->n;
    double q[AXES * AXES], k[AXES * AXES] = {0.0}, values[AXES], x[AXES], y[AXES];
    memcpy(q, task->l, n * n * sizeof *q);
    tq_status status = tq_cholesky_invert(n, q, n, reterr); /* lambda */
    status = status == TQ_OK ? tq_cholesky_factor(n, q, n, reterr) : status;
    if (status != TQ_OK) {
        return status;
    }
    for (size_t i = 0; i < n; i++) { /* G^-1 kp G^-T with lambda = G G^T; column i of G^-1 kp */
        k[i * n + i] = c->moved[task->axis[i]] ? c->kp[task->axis[i]] : 0.0;
    }
    (void)tq_cholesky_half_solve(n, q, n, 0, n, k, n, reterr);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            const double other = k[i * n + j];
            k[i * n + j] = k[j * n + i];
            k[j * n + i] = other;
        }
    }
    (void)tq_cholesky_half_solve(n, q, n, 0, n, k, n, reterr);
    status = tq_eigen_symmetric(n, k, n, scratch, values, reterr);
    if (status != TQ_OK) {
        return status;
    }
    for (size_t j = 0; j < n; j++) { /* x = G^T ed */
        x[j] = 0.0;
        for (size_t i = j; i < n; i++) {
            x[j] += q[j * n + i] * task->ed[task->axis[i]];
        }
    }
    for (size_t i = 0; i < n; i++) {
        y[i] = 0.0;
    }
    for (size_t v = 0; v < n; v++) {
        double part = 0.0;
        for (size_t i = 0; i < n; i++) {
            part += k[v * n + i] * x[i];
        }
        /* the root of what rounding leaves of a stiffness of zero is not small */
        part *= values[v] > 1e-12 * values[n - 1] ? 2.0 * c->ratio * sqrt(values[v]) : 0.0;
        for (size_t i = 0; i < n; i++) {
            y[i] += k[v * n + i] * part;
        }
    }
    for (size_t j = 0; j < n; j++) { /* G y */
        for (size_t i = j; i < n; i++) {
            force[i] += q[j * n + i] * y[j];
        }
    }
    return TQ_OK;
}

size_t tq_operational_error_scratch_size(const tq_operational_controller *c)
{
    return tq_task_scratch_size(c) +
           tq_scratch_cost(3 * (tq_mechanism_model(c->mechanism)->nq + 1), sizeof(double)) +
           tq_scratch_cost(AXES * (tq_mechanism_model(c->mechanism)->nv + 1), sizeof(double));
}

tq_status tq_operational_error(const tq_operational_controller *c, double t, const double *q,
                               tq_scratch *scratch, double ret[AXES], double ret_goal[3],
                               tq_error *reterr)
{
    const size_t nq = tq_mechanism_model(c->mechanism)->nq;
    const size_t mark = tq_scratch_mark(scratch);
    double *desired = tq_scratch_take(scratch, 3 * (nq + 1), sizeof *desired);
    double *jacobian = tq_scratch_take(scratch, AXES * (tq_mechanism_model(c->mechanism)->nv + 1),
                                       sizeof *jacobian);
    tq_task task = {.jacobian = jacobian};
    tq_task_goal goal;
    if (desired == NULL || jacobian == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_operational_error_scratch_size(c));
    }
    tq_reference_at(c->reference, t, desired, desired + nq, desired + 2 * nq);
    tq_status status = tq_task_goal_at(c, desired, scratch, &goal, reterr);
    if (status == TQ_OK) {
        status = tq_task_at(c, &goal, q, NULL, scratch, &task, reterr);
    }
    for (unsigned k = 0; status == TQ_OK && k < AXES; k++) {
        ret[k] = c->moved[k] ? task.e[k] : 0.0;
    }
    memcpy(ret_goal, goal.pose.p, sizeof goal.pose.p);
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_operational_check(const tq_operational_controller *c, const double *q,
                               tq_scratch *scratch, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    const tq_task_goal goal = {.pose = tq_pose_identity};
    const size_t n = AXES * ((size_t)tq_mechanism_model(c->mechanism)->nv + 1);
    tq_task task = {.jacobian = tq_scratch_take(scratch, n, sizeof(double))};
    if (task.jacobian == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_operational_error_scratch_size(c));
    }
    tq_status status = tq_task_at(c, &goal, q, NULL, scratch, &task, reterr);
    if (status == TQ_OK) {
        status = tq_task_factor(c, q, scratch, &task, reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
