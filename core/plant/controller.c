/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/controller.c - control laws, saturation, integrals and sampling of a controller. */
#include "core/plant/controller.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/dynamics/coriolis.h"
#include "core/dynamics/inverse.h"
#include "core/plant/state.h"

static size_t width_of(const tq_controller *c)
{
    return tq_mechanism_model(c->mechanism)->nv;
}

/* samples that kernels compute: whole vectors */
static size_t padded(const tq_instant *at)
{
    return (at->n_sample + TQ_BLOCK_PAD - 1) / TQ_BLOCK_PAD * TQ_BLOCK_PAD;
}

static bool wants_c(const tq_controller *c)
{
    return c->law == TQ_LAW_PASSIVITY;
}

/* memory of one evaluation; rows of nv x stride */
typedef struct work {
    double *desired;   /* (3 nq) at this time, the same for all samples */
    double *q, *v, *a; /* inputs of inverse dynamics; q (nq x stride) */
    double *e;         /* coordinate errors, in the space of velocities */
    double *tau;       /* torque of the law */
    double *c;         /* (nv^2 x stride), passivity only */
} work;

static size_t work_size(const tq_controller *c, size_t stride)
{
    const size_t nv = width_of(c) > 0 ? width_of(c) : 1;
    const size_t nq = tq_mechanism_model(c->mechanism)->nq + 1;
    const size_t inverse = tq_inverse_scratch_size(c->mechanism, 0);
    const size_t coriolis = wants_c(c) ? tq_coriolis_scratch_size(c->mechanism) : 0;
    return tq_scratch_cost(3 * nq, sizeof(double)) + tq_scratch_cost(nq * stride, sizeof(double)) +
           4 * tq_scratch_cost(nv * stride, sizeof(double)) +
           (wants_c(c) ? tq_scratch_cost(nv * nv * stride, sizeof(double)) : 0) +
           (inverse > coriolis ? inverse : coriolis);
}

static tq_status take(const tq_controller *c, size_t stride, tq_scratch *scratch, work *w,
                      tq_error *reterr)
{
    const size_t nv = width_of(c) > 0 ? width_of(c) : 1;
    const size_t nq = tq_mechanism_model(c->mechanism)->nq + 1;
    w->desired = tq_scratch_take(scratch, 3 * nq, sizeof(double));
    w->q = tq_scratch_take(scratch, nq * stride, sizeof(double));
    w->e = tq_scratch_take(scratch, nv * stride, sizeof(double));
    w->v = tq_scratch_take(scratch, nv * stride, sizeof(double));
    w->a = tq_scratch_take(scratch, nv * stride, sizeof(double));
    w->tau = tq_scratch_take(scratch, nv * stride, sizeof(double));
    w->c = wants_c(c) ? tq_scratch_take(scratch, nv * nv * stride, sizeof(double)) : w->tau;
    if (w->desired == NULL || w->q == NULL || w->e == NULL || w->v == NULL || w->a == NULL ||
        w->tau == NULL || w->c == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)work_size(c, stride));
    }
    return TQ_OK;
}

/* torques of the controller's model */
static tq_status ask_model(const tq_controller *c, const tq_instant *at, const work *w,
                           unsigned without, tq_scratch *scratch, tq_error *reterr)
{
    const bool open = c->law == TQ_LAW_FEEDFORWARD;
    const bool still = c->law == TQ_LAW_PD_GRAVITY;
    const tq_inverse_input in = {.n_sample = at->n_sample,
                                 .stride = at->stride,
                                 .q = open ? w->q : at->q,
                                 .qd = still                  ? NULL
                                       : (open || wants_c(c)) ? w->v
                                                              : at->qd,
                                 .qdd = still ? NULL : w->a,
                                 .gravity = c->gravity,
                                 .without = c->without | without};
    return tq_inverse_dynamics(c->mechanism, &in, scratch, w->tau, reterr);
}

/* tau += C(q, qd) v */
static tq_status add_coriolis(const tq_controller *c, const tq_instant *at, const work *w,
                              tq_scratch *scratch, tq_error *reterr)
{
    const size_t nv = width_of(c);
    const size_t stride = at->stride;
    if ((c->without & TQ_WITHOUT_VELOCITY) != 0) {
        return TQ_OK;
    }
    const tq_status status = tq_coriolis_matrix(c->mechanism, at->n_sample, stride, at->q, at->qd,
                                                scratch, w->c, reterr);
    for (size_t k = 0; status == TQ_OK && k < nv * nv; k++) {
        for (size_t i = 0; i < at->n_sample; i++) {
            w->tau[k / nv * stride + i] += w->c[k * stride + i] * w->v[k % nv * stride + i];
        }
    }
    return status;
}

static double gain(const double *gains, size_t r)
{
    return gains != NULL ? gains[r] : 0.0;
}

/* Subtracts w x v from the linear acceleration of a floating joint, whose velocity is in body axes:
 * its position then obeys the control law in axes that do not rotate. */
static void straighten(const tq_model *model, const tq_instant *at, size_t n, double *a)
{
    const size_t stride = at->stride;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (model->joints[j].kind != TQ_JOINT_FLOATING) {
            continue;
        }
        const size_t first = model->joints[j].v_index * stride;
        for (size_t i = 0; i < n; i++) {
            const double *v = at->qd + first + i;
            double *to = a + first + i;
            for (unsigned k = 0; k < 3; k++) {
                const unsigned x = (k + 1) % 3, y = (k + 2) % 3;
                to[k * stride] -=
                    v[(3 + x) * stride] * v[y * stride] - v[(3 + y) * stride] * v[x * stride];
            }
        }
    }
}

/* inputs of the model (q, v, a) and coordinate errors (e) */
static void feed_back(const tq_controller *c, const tq_instant *at, const double *integral, work *w)
{
    const tq_model *model = tq_mechanism_model(c->mechanism);
    const size_t nv = width_of(c), nq = model->nq;
    const size_t n = padded(at);
    for (size_t i = 0; i < n; i++) {
        tq_state_difference(model, w->desired, at->q + i, at->stride, w->e + i, at->stride);
    }
    for (size_t r = 0; r < nq; r++) {
        for (size_t i = 0; i < n; i++) {
            w->q[r * at->stride + i] = w->desired[r];
        }
    }
    for (size_t r = 0; r < nv; r++) {
        const double kp = gain(c->kp, r);
        const double kd = gain(c->kd, r);
        const double lambda = gain(c->lambda, r);
        const double ki = gain(c->ki, r);
        for (size_t i = 0; i < n; i++) {
            const size_t k = r * at->stride + i;
            const double e = w->e[k];
            const double ed = w->desired[nq + r] - at->qd[k];
            const double sum = ki > 0.0 ? ki * integral[k] : 0.0;
            const double pull = kp * e + kd * ed + sum;
            w->v[k] = w->desired[nq + r];
            w->a[k] = w->desired[2 * nq + r];
            if (c->law == TQ_LAW_COMPUTED_TORQUE) {
                w->a[k] += pull;
            } else if (c->law == TQ_LAW_PASSIVITY) {
                w->v[k] += lambda * e;
                w->a[k] += lambda * ed;
            }
        }
    }
    if (c->law == TQ_LAW_COMPUTED_TORQUE) {
        straighten(model, at, n, w->a);
    }
}

/* tau += kp e + kd ed + ki s, or for passivity kd (v - qd) + ki s */
static void add_pull(const tq_controller *c, const tq_instant *at, const double *integral, work *w)
{
    const size_t nv = width_of(c), nq = tq_mechanism_model(c->mechanism)->nq;
    for (size_t r = 0; r < nv; r++) {
        const double kp = gain(c->kp, r);
        const double kd = gain(c->kd, r);
        const double ki = gain(c->ki, r);
        for (size_t i = 0; i < at->n_sample; i++) {
            const size_t k = r * at->stride + i;
            const double goal = wants_c(c) ? w->v[k] : w->desired[nq + r];
            w->tau[k] += kp * w->e[k] + kd * (goal - at->qd[k]);
            w->tau[k] += ki > 0.0 ? ki * integral[k] : 0.0;
        }
    }
}

/* Torque of the law, into w->tau. `integral` (nv x stride) is that of e; NULL without ki. */
static tq_status compute(const tq_controller *c, const tq_instant *at, const double *integral,
                         tq_scratch *scratch, work *w, tq_error *reterr)
{
    const size_t nv = width_of(c);
    tq_status status = take(c, at->stride, scratch, w, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const size_t nq = tq_mechanism_model(c->mechanism)->nq;
    tq_reference_at(c->reference, at->t, w->desired, w->desired + nq, w->desired + 2 * nq);
    feed_back(c, at, integral, w);
    switch (c->law) {
    case TQ_LAW_FEEDFORWARD:
    case TQ_LAW_COMPUTED_TORQUE:
        return ask_model(c, at, w, 0, scratch, reterr);
    case TQ_LAW_PD:
        memset(w->tau, 0, nv * at->stride * sizeof(double));
        break;
    case TQ_LAW_PD_GRAVITY:
        status = ask_model(c, at, w, TQ_WITHOUT_FRICTION | TQ_WITHOUT_DRAG, scratch, reterr);
        break;
    case TQ_LAW_PASSIVITY:
        status = ask_model(c, at, w, TQ_WITHOUT_VELOCITY, scratch, reterr);
        if (status == TQ_OK) {
            status = add_coriolis(c, at, w, scratch, reterr);
        }
        break;
    }
    if (status == TQ_OK) {
        add_pull(c, at, integral, w);
    }
    return status;
}

/* Saturates the torque; `slope` (nv x stride, NULL: no integral) is the rate of the integral: e, or
 * 0 when e drives into saturation. */
static void limit(const tq_controller *c, const tq_instant *at, const work *w, double *slope)
{
    const size_t nv = width_of(c);
    for (size_t r = 0; r < nv; r++) {
        const bool passive = c->driven != NULL && !c->driven[r];
        const double most = passive ? 0.0 : c->limit != NULL ? c->limit[r] : (double)INFINITY;
        for (size_t i = 0; i < at->n_sample; i++) {
            const size_t k = r * at->stride + i;
            const double wanted = w->tau[k];
            const double e = w->e[k];
            const bool pushes = fabs(wanted) > most && (wanted > 0.0) == (e > 0.0);
            w->tau[k] = fmin(fmax(wanted, -most), most);
            if (slope != NULL) {
                slope[k] = pushes || passive ? 0.0 : e;
            }
        }
    }
}

static tq_status act(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                     tq_error *reterr)
{
    const tq_controller *c = ctx;
    const size_t nv = width_of(c);
    const double *own = at->held;
    tq_status status = TQ_OK;
    const size_t mark = tq_scratch_mark(scratch);
    if (!(c->sample_time > 0.0)) {
        work w;
        status = compute(c, at, at->z, scratch, &w, reterr);
        if (status == TQ_OK) {
            limit(c, at, &w, c->ki != NULL ? to->zd : NULL);
        }
        own = w.tau;
    }
    for (size_t r = 0; status == TQ_OK && r < nv; r++) {
        for (size_t i = 0; i < at->n_sample; i++) {
            to->tau[r * at->stride + i] += own[r * at->stride + i];
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* held: the torque, then the integral */
static tq_status sample(void *ctx, const tq_instant *at, tq_scratch *scratch, double *ret_held,
                        tq_error *reterr)
{
    const tq_controller *c = ctx;
    const size_t n = width_of(c) * at->stride;
    const size_t mark = tq_scratch_mark(scratch);
    work w;
    tq_status status = compute(c, at, at->held + n, scratch, &w, reterr);
    if (status == TQ_OK) {
        double *sum = ret_held + n;
        limit(c, at, &w, c->ki != NULL ? w.q : NULL); /* q is free: it takes the slope */
        for (size_t k = 0; c->ki != NULL && k < n; k++) {
            if (k % at->stride < at->n_sample) {
                sum[k] = at->held[n + k] + c->sample_time * w.q[k];
            }
        }
        memcpy(ret_held, w.tau, n * sizeof(double));
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

static double next_break(void *ctx, double t, unsigned *ret_order)
{
    const tq_controller *c = ctx;
    return tq_reference_next_break(c->reference, t, ret_order);
}

static tq_status check_gains(const double *gains, size_t nv, bool needed, const char *what,
                             tq_error *reterr)
{
    if (gains == NULL) {
        return needed ? tq_fail(reterr, TQ_ERR_SHAPE, what, 0, 0.0) : TQ_OK;
    }
    for (size_t r = 0; r < nv; r++) {
        if (!isfinite(gains[r])) {
            return tq_fail(reterr, TQ_ERR_NOT_FINITE, what, r, gains[r]);
        }
        if (gains[r] < 0.0) {
            return tq_fail(reterr, TQ_ERR_RANGE, what, r, gains[r]);
        }
    }
    return TQ_OK;
}

static tq_status check(const tq_controller *c, tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(c->mechanism);
    const size_t nv = model->nv;
    for (uint32_t j = 0; c->reference->kind != TQ_REFERENCE_SETPOINT && j < model->n_joint; j++) {
        if (model->joints[j].nq != model->joints[j].nv) {
            return tq_fail(reterr, TQ_ERR_SHAPE, "joint", j, 0.0);
        }
    }
    if (c->reference->n_coordinate != model->nq) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "reference", 0, (double)c->reference->n_coordinate);
    }
    if (!isfinite(c->sample_time) || c->sample_time < 0.0) {
        return tq_fail(reterr, isfinite(c->sample_time) ? TQ_ERR_RANGE : TQ_ERR_NOT_FINITE,
                       "sample_time", 0, c->sample_time);
    }
    const bool closed = c->law != TQ_LAW_FEEDFORWARD;
    const bool passive = c->law == TQ_LAW_PASSIVITY;
    tq_status status = check_gains(c->kp, nv, closed && !passive, "kp", reterr);
    if (status == TQ_OK) {
        status = check_gains(c->kd, nv, closed, "kd", reterr);
    }
    if (status == TQ_OK) {
        status = check_gains(c->lambda, nv, passive, "lambda", reterr);
    }
    if (status == TQ_OK) {
        status = check_gains(c->ki, nv, false, "ki", reterr);
    }
    for (size_t r = 0; status == TQ_OK && c->limit != NULL && r < nv; r++) {
        if (!(c->limit[r] > 0.0)) {
            status = tq_fail(reterr, TQ_ERR_RANGE, "limit", r, c->limit[r]);
        }
    }
    return status;
}

tq_status tq_controller_effect(tq_controller *controller, tq_effect *ret_effect, tq_error *reterr)
{
    assert(controller != NULL && controller->mechanism != NULL && controller->reference != NULL);
    const tq_status status = check(controller, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const size_t nv = width_of(controller);
    const size_t n_sum = controller->ki != NULL ? nv : 0;
    const bool is_sampled = controller->sample_time > 0.0;
    *ret_effect = (tq_effect){.ctx = controller,
                              .n_z = is_sampled ? 0 : n_sum,
                              .n_held = is_sampled ? nv + n_sum : 0,
                              .sample_time = controller->sample_time,
                              .scratch_size = work_size(controller, TQ_BLOCK_STRIDE),
                              .act = act,
                              .sample = is_sampled ? sample : NULL,
                              .next_break = is_sampled ? NULL : next_break,
                              .timeless = is_sampled};
    return TQ_OK;
}
