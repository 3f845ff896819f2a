/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/operational_controller.c - torques of operational-space control and of Cartesian
 * impedance; limits, samples and checks. */
#include "core/plant/operational_controller.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/dynamics/inverse.h"
#include "core/linalg/dense.h"
#include "core/plant/operational_task.h"
#include "core/plant/state.h"
#include "core/plant/torque_table.h"

enum { AXES = TQ_TASK_AXES };

static const tq_model *model_of(const tq_operational_controller *c)
{
    return tq_mechanism_model(c->mechanism);
}

/* memory of one evaluation */
typedef struct work {
    double *tau, *a0; /* (nv x stride) */
    double *desired;  /* (3 nq) of the reference, then of the posture */
    double *jacobian; /* (6 nv) */
    double *q;        /* (nq) of one sample */
    double *qd;       /* (nv) */
    double force[AXES];
} work;

static size_t work_size(const tq_operational_controller *c, size_t stride)
{
    const size_t nv = model_of(c)->nv, nq = model_of(c)->nq;
    const size_t inverse = tq_inverse_scratch_size(c->mechanism, 0);
    const size_t task = tq_task_scratch_size(c);
    return 2 * tq_scratch_cost((nv + 1) * stride, sizeof(double)) +
           tq_scratch_cost(3 * (nq + 1), sizeof(double)) +
           tq_scratch_cost(AXES * (nv + 1), sizeof(double)) +
           tq_scratch_cost(nq + 1, sizeof(double)) + tq_scratch_cost(nv + 1, sizeof(double)) +
           (inverse > task ? inverse : task);
}

static tq_status take(const tq_operational_controller *c, size_t stride, tq_scratch *scratch,
                      work *w, tq_error *reterr)
{
    const size_t nv = model_of(c)->nv, nq = model_of(c)->nq;
    w->tau = tq_scratch_take(scratch, (nv + 1) * stride, sizeof(double));
    w->a0 = tq_scratch_take(scratch, (nv + 1) * stride, sizeof(double));
    w->desired = tq_scratch_take(scratch, 3 * (nq + 1), sizeof(double));
    w->jacobian = tq_scratch_take(scratch, AXES * (nv + 1), sizeof(double));
    w->q = tq_scratch_take(scratch, nq + 1, sizeof(double));
    w->qd = tq_scratch_take(scratch, nv + 1, sizeof(double));
    if (w->tau == NULL || w->a0 == NULL || w->desired == NULL || w->jacobian == NULL ||
        w->q == NULL || w->qd == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)work_size(c, stride));
    }
    return TQ_OK;
}

static void reference_at(const tq_reference *reference, double t, size_t nq, double *ret)
{
    tq_reference_at(reference, t, ret, ret + nq, ret + 2 * nq);
}

/* ------------------------------------------------------------------------------------------------
 * The law
 */

/* accelerations of the posture, of all samples and their padding */
static void hold_posture(const tq_operational_controller *c, const tq_instant *at, work *w)
{
    const size_t nv = model_of(c)->nv, nq = model_of(c)->nq;
    const size_t n = (at->n_sample + TQ_BLOCK_PAD - 1) / TQ_BLOCK_PAD * TQ_BLOCK_PAD;
    if (c->posture == NULL) {
        memset(w->a0, 0, nv * at->stride * sizeof *w->a0);
        return;
    }
    reference_at(c->posture, at->t, nq, w->desired);
    for (size_t i = 0; i < n; i++) {
        tq_state_difference(model_of(c), w->desired, at->q + i, at->stride, w->a0 + i, at->stride);
    }
    for (size_t r = 0; r < nv; r++) {
        for (size_t i = 0; i < n; i++) {
            double *a = &w->a0[r * at->stride + i];
            *a = c->posture_kp[r] * *a + w->desired[2 * nq + r] +
                 c->posture_kd[r] * (w->desired[nq + r] - at->qd[r * at->stride + i]);
        }
    }
}

/* forces at time t along the axes of force, 0 along others */
static void forces_at(const tq_operational_controller *c, double t, double ret[AXES])
{
    double row[AXES] = {0.0};
    if (c->force != NULL) {
        tq_table_at(c->force, t, row, 1);
    }
    for (unsigned k = 0, n = 0; k < AXES; k++) {
        ret[k] = c->pushed[k] ? row[n++] : 0.0;
    }
}

/* F = lambda (a - dJ/dt qd - J a0) + f along the task's n axes; J a0 is given */
static tq_status ask(const tq_operational_controller *c, const tq_task *task,
                     const double pushed[AXES], const double moved_by[AXES], tq_scratch *scratch,
                     double ret[AXES], tq_error *reterr)
{
    const bool stiff = c->law == TQ_CARTESIAN_IMPEDANCE;
    double force[AXES];
    for (size_t n = 0; n < task->n; n++) {
        const unsigned k = task->axis[n];
        const bool damped = !c->moved[k] || !(c->ratio > 0.0);
        const double velocity = c->moved[k] ? task->ed[k] : -task->xd[k];
        const double pull =
            (c->moved[k] ? c->kp[k] * task->e[k] : 0.0) + (damped ? c->kd[k] * velocity : 0.0);
        ret[n] =
            (c->moved[k] ? task->a[k] : 0.0) + (stiff ? 0.0 : pull) - task->bias[k] - moved_by[k];
        force[n] = (stiff ? pull : 0.0) + (c->pushed[k] ? pushed[k] : 0.0);
    }
    tq_status status = tq_cholesky_solve(task->n, 1, task->l, task->n, ret, task->n, reterr);
    if (status == TQ_OK && stiff && c->ratio > 0.0) {
        status = tq_task_add_damping(c, task, scratch, force, reterr);
    }
    for (size_t n = 0; n < task->n; n++) {
        ret[n] += force[n];
    }
    return status;
}

/* w->tau += J^T F for sample i */
static tq_status push(const tq_operational_controller *c, const tq_instant *at, size_t i,
                      const tq_task_goal *goal, tq_scratch *scratch, work *w, tq_error *reterr)
{
    const size_t nv = model_of(c)->nv, stride = at->stride;
    tq_task task = {.jacobian = w->jacobian};
    double moved_by[AXES], force[AXES];
    for (size_t r = 0; r < model_of(c)->nq; r++) {
        w->q[r] = at->q[r * stride + i];
    }
    for (size_t r = 0; r < nv; r++) {
        w->qd[r] = at->qd[r * stride + i];
    }
    tq_status status = tq_task_at(c, goal, w->q, w->qd, scratch, &task, reterr);
    if (status == TQ_OK) {
        status = tq_task_factor(c, w->q, scratch, &task, reterr);
    }
    if (status != TQ_OK) {
        return status;
    }
    for (unsigned k = 0; k < AXES; k++) {
        moved_by[k] = 0.0;
        for (size_t r = 0; r < nv; r++) {
            moved_by[k] += w->jacobian[k * nv + r] * w->a0[r * stride + i];
        }
    }
    status = ask(c, &task, w->force, moved_by, scratch, force, reterr);
    for (size_t r = 0; r < nv; r++) {
        for (size_t n = 0; n < task.n; n++) {
            w->tau[r * stride + i] += w->jacobian[task.axis[n] * nv + r] * force[n];
        }
    }
    return status;
}

/* torque of the law within its limits, into w->tau */
static tq_status compute(const tq_operational_controller *c, const tq_instant *at,
                         tq_scratch *scratch, work *w, tq_error *reterr)
{
    const size_t nv = model_of(c)->nv;
    tq_task_goal goal;
    tq_status status = take(c, at->stride, scratch, w, reterr);
    if (status != TQ_OK) {
        return status;
    }
    hold_posture(c, at, w);
    forces_at(c, at->t, w->force);
    reference_at(c->reference, at->t, model_of(c)->nq, w->desired);
    status = tq_task_goal_at(c, w->desired, scratch, &goal, reterr);
    if (status == TQ_OK) {
        const tq_inverse_input in = {.n_sample = at->n_sample,
                                     .stride = at->stride,
                                     .q = at->q,
                                     .qd = at->qd,
                                     .qdd = w->a0,
                                     .gravity = c->gravity,
                                     .without = c->without};
        status = tq_inverse_dynamics(c->mechanism, &in, scratch, w->tau, reterr);
    }
    for (size_t i = 0; status == TQ_OK && i < at->n_sample; i++) {
        status = push(c, at, i, &goal, scratch, w, reterr);
        for (size_t r = 0; c->limit != NULL && r < nv; r++) {
            double *tau = &w->tau[r * at->stride + i];
            *tau = fmin(fmax(*tau, -c->limit[r]), c->limit[r]);
        }
        if (status != TQ_OK && reterr != NULL) {
            reterr->index = i;
        }
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * The effect
 */

static tq_status act(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                     tq_error *reterr)
{
    const tq_operational_controller *c = ctx;
    const double *own = at->held;
    tq_status status = TQ_OK;
    const size_t mark = tq_scratch_mark(scratch);
    if (!(c->sample_time > 0.0)) {
        work w = {.tau = NULL};
        status = compute(c, at, scratch, &w, reterr);
        own = w.tau;
    }
    for (size_t r = 0; status == TQ_OK && r < model_of(c)->nv; r++) {
        for (size_t i = 0; i < at->n_sample; i++) {
            to->tau[r * at->stride + i] += own[r * at->stride + i];
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

static tq_status sample(void *ctx, const tq_instant *at, tq_scratch *scratch, double *ret_held,
                        tq_error *reterr)
{
    const tq_operational_controller *c = ctx;
    const size_t mark = tq_scratch_mark(scratch);
    work w = {.tau = NULL};
    const tq_status status = compute(c, at, scratch, &w, reterr);
    if (status == TQ_OK) {
        memcpy(ret_held, w.tau, model_of(c)->nv * at->stride * sizeof *ret_held);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

static double next_break(void *ctx, double t, unsigned *ret_order)
{
    const tq_operational_controller *c = ctx;
    double next = (double)INFINITY;
    unsigned order = 0;
    for (unsigned k = 0; k < 3; k++) {
        unsigned of = 0;
        double when = (double)INFINITY;
        if (k < 2) {
            const tq_reference *reference = k == 0 ? c->reference : c->posture;
            when = reference != NULL ? tq_reference_next_break(reference, t, &of) : when;
        } else if (c->force != NULL) {
            when = tq_table_next_break(c->force, t, &of);
        }
        order = when < next ? of : when == next && of < order ? of : order;
        next = fmin(next, when);
    }
    if (ret_order != NULL) {
        *ret_order = order;
    }
    return next;
}

static tq_status check_number(double x, double most, const char *what, size_t k, tq_error *reterr)
{
    if (!isfinite(x)) {
        return tq_fail(reterr, TQ_ERR_NOT_FINITE, what, k, x);
    }
    return x < 0.0 || x > most ? tq_fail(reterr, TQ_ERR_RANGE, what, k, x) : TQ_OK;
}

static tq_status check_reference(const tq_operational_controller *c, const tq_reference *of,
                                 const char *what, tq_error *reterr)
{
    const tq_model *model = model_of(c);
    for (uint32_t j = 0; of->kind != TQ_REFERENCE_SETPOINT && j < model->n_joint; j++) {
        if (model->joints[j].nq != model->joints[j].nv) {
            return tq_fail(reterr, TQ_ERR_SHAPE, "joint", j, 0.0);
        }
    }
    return of->n_coordinate == model->nq
               ? TQ_OK
               : tq_fail(reterr, TQ_ERR_SHAPE, what, 0, (double)of->n_coordinate);
}

static tq_status check_gains(const tq_operational_controller *c, tq_error *reterr)
{
    const double any = (double)INFINITY;
    tq_status status = check_number(c->damping, 1.0, "damping", 0, reterr);
    status = status == TQ_OK ? check_number(c->sample_time, any, "sample_time", 0, reterr) : status;
    status = status == TQ_OK ? check_number(c->ratio, any, "ratio", 0, reterr) : status;
    for (unsigned k = 0; status == TQ_OK && k < AXES; k++) {
        status = check_number(c->kp[k], any, "kp", k, reterr);
        status = status == TQ_OK ? check_number(c->kd[k], any, "kd", k, reterr) : status;
    }
    for (size_t r = 0; status == TQ_OK && r < model_of(c)->nv; r++) {
        if (c->posture != NULL) {
            status = check_number(c->posture_kp[r], any, "posture_kp", r, reterr);
            status = status == TQ_OK ? check_number(c->posture_kd[r], any, "posture_kd", r, reterr)
                                     : status;
        }
        if (status == TQ_OK && c->limit != NULL && !(c->limit[r] > 0.0)) {
            status = tq_fail(reterr, TQ_ERR_RANGE, "limit", r, c->limit[r]);
        }
    }
    return status;
}

static tq_status check(const tq_operational_controller *c, tq_error *reterr)
{
    size_t n = 0, n_push = 0;
    if (c->link >= model_of(c)->n_link) {
        return tq_fail(reterr, TQ_ERR_RANGE, "link", 0, (double)c->link);
    }
    for (unsigned k = 0; k < AXES; k++) {
        if (c->moved[k] && c->pushed[k]) {
            return tq_fail(reterr, TQ_ERR_SHAPE, "axes", k, 0.0);
        }
        n += c->moved[k] || c->pushed[k] ? 1 : 0;
        n_push += c->pushed[k] ? 1 : 0;
    }
    if (n == 0) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "axes", 0, 0.0);
    }
    if (c->force != NULL && c->force->points.n_coordinate != n_push) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "force", 0, (double)c->force->points.n_coordinate);
    }
    tq_status status = check_reference(c, c->reference, "reference", reterr);
    if (status == TQ_OK && c->posture != NULL) {
        status = check_reference(c, c->posture, "posture", reterr);
    }
    return status == TQ_OK ? check_gains(c, reterr) : status;
}

tq_status tq_operational_controller_effect(tq_operational_controller *controller,
                                           tq_effect *ret_effect, tq_error *reterr)
{
    assert(controller != NULL && controller->mechanism != NULL && controller->reference != NULL);
    const tq_status status = check(controller, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const bool is_sampled = controller->sample_time > 0.0;
    *ret_effect = (tq_effect){.ctx = controller,
                              .n_held = is_sampled ? model_of(controller)->nv : 0,
                              .sample_time = controller->sample_time,
                              .scratch_size = work_size(controller, TQ_BLOCK_STRIDE),
                              .act = act,
                              .sample = is_sampled ? sample : NULL,
                              .next_break = is_sampled ? NULL : next_break,
                              .timeless = is_sampled};
    return TQ_OK;
}
