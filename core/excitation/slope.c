/* SPDX-License-Identifier: Apache-2.0 */
/* core/excitation/slope.c - the value that a descent makes small, and its gradient by the
 * coefficients of the motion. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"
#include "core/excitation/excitation_private.h"
#include "core/linalg/dense.h"

/* The sign of friction jumps, and so would a sum over samples: here it turns within this part of
 * the limit of velocity. */
static const double turning = 0.05;
/* of penalties, beside the logarithm of the criterion: torque over its limit, a distance over
 * `reach` */
static const double torque_gain = 100.0, clearance_gain = 100.0;
static const double torque_from = 0.98; /* of the limit */
static const double reach_over = 1.3;   /* of the least distance, and 5 mm: samples are apart */
static const double difference = 1e-6;  /* rad, m; of rates and accelerations relative to 1 */

/* rate within which the sign of joint v turns */
static double width_of(const tq_excitation_task *task, size_t v)
{
    const double w = 2.0 * M_PI * task->frequency;
    return turning * fmin(task->velocity[v], 0.5 * (task->upper[v] - task->lower[v]) * w);
}

/* The rows of y (at the room's state) with a sign that turns smoothly. */
static void smooth(const tq_excitation *search, double *y)
{
    const struct tq_excitation_room *room = search->room;
    const size_t n = search->task.base->n_parameter;
    for (size_t v = 0; v < search->task.model->nv; v++) {
        if (room->sign[v] != UINT32_MAX) {
            y[v * n + room->sign[v]] = tq_tanh(room->qd[v] / width_of(&search->task, v));
        }
    }
}

static tq_status smooth_rows(tq_excitation *search, tq_error *reterr)
{
    const tq_status status = tq_excitation_rows(search, reterr);
    if (status == TQ_OK) {
        smooth(search, search->room->y);
    }
    return status;
}

/* room->solved = K with d value = -sum over rows of weight y^T K dy; from room->normal. HUGE_VAL in
 * *ret: some parameter is not excited.
 *
 *     torque error: value = 1/2 log tr(D N^-1), K = N^-1 D N^-1 / tr(D N^-1)
 *     determinant:  value = -log det(N) / (2 n), K = N^-1 / n
 *
 * By N = S R S with unit diagonal of R. */
static void find_kernel(tq_excitation *search, double *ret)
{
    struct tq_excitation_room *room = search->room;
    const size_t n = search->task.base->n_base;
    const bool by_demand = search->task.criterion == TQ_EXCITATION_TORQUE_ERROR;
    double *r = room->scaled, *k = room->solved;
    *ret = HUGE_VAL;
    if (!tq_excitation_scale(n, room->normal, r) || tq_cholesky_factor(n, r, n, NULL) != TQ_OK) {
        return;
    }
    double trace = 0.0, log_determinant = 0.0;
    for (size_t c = 0; c < n; c++) {
        for (size_t d = 0; d < n; d++) {
            const double entry = c >= d ? room->demand[c * n + d] : room->demand[d * n + c];
            const double s = sqrt(room->normal[c * n + c] * room->normal[d * n + d]);
            k[c * n + d] = by_demand ? entry / s : c == d ? 1.0 : 0.0;
        }
        log_determinant += 2.0 * tq_log(r[c * n + c]) + tq_log(room->normal[c * n + c]);
    }
    (void)tq_cholesky_solve(n, n, r, n, k, n, NULL);
    for (size_t c = 0; c < n; c++) {
        trace += k[c * n + c];
    }
    if (by_demand) {
        for (size_t c = 0; c < n; c++) {
            for (size_t d = 0; d < c; d++) {
                const double x = k[c * n + d];
                k[c * n + d] = k[d * n + c], k[d * n + c] = x;
            }
        }
        (void)tq_cholesky_solve(n, n, r, n, k, n, NULL);
    }
    const double over = by_demand ? trace : (double)n;
    for (size_t c = 0; c < n; c++) {
        for (size_t d = 0; d < n; d++) {
            k[c * n + d] /= over * sqrt(room->normal[c * n + c] * room->normal[d * n + d]);
        }
    }
    const double value = by_demand ? 0.5 * tq_log(trace) : -0.5 * log_determinant / (double)n;
    *ret = isfinite(value) && (trace > 0.0 || !by_demand) ? value : HUGE_VAL;
}

/* Weights of the entries of y in d value, of the room's state: -K y and the penalty of torque,
 * which is added to *value. */
static void find_weights(tq_excitation *search, double part, double *value)
{
    const tq_excitation_task *task = &search->task;
    struct tq_excitation_room *room = search->room;
    const size_t n = task->base->n_base, n_full = task->base->n_parameter;
    const bool over_noise = task->criterion == TQ_EXCITATION_TORQUE_ERROR;
    for (size_t v = 0; v < task->model->nv; v++) {
        const double *y = room->y + v * n_full;
        double *weight = room->weight + v * n_full;
        const double noise = over_noise ? room->noise[v] : 1.0;
        const double over = fabs(room->tau[v]) / task->effort[v] - torque_from;
        double pull = 0.0;
        if (over > 0.0) {
            *value += part * torque_gain * over * over;
            pull = copysign(2.0 * part * torque_gain * over / task->effort[v], room->tau[v]);
        }
        for (size_t c = 0; c < n_full; c++) {
            weight[c] = pull * task->values[c];
        }
        for (size_t c = 0; c < n; c++) {
            room->row[c] = y[task->base->independent[c]];
        }
        for (size_t c = 0; c < n; c++) {
            const double *k = room->solved + c * n;
            double sum = 0.0;
            for (size_t d = 0; d < n; d++) {
                sum += k[d] * room->row[d];
            }
            weight[task->base->independent[c]] -= sum / (noise * noise);
        }
    }
}

/* room->at = gradient of sum weight y by q, qd, qdd at the room's state, by differences: y is of
 * first degree in qdd and of second in qd. */
static tq_status differentiate(tq_excitation *search, tq_error *reterr)
{
    struct tq_excitation_room *room = search->room;
    const size_t nv = search->task.model->nv, n = nv * search->task.base->n_parameter;
    double *const of[3] = {room->q, room->qd, room->qdd};
    memcpy(room->other, room->y, n * sizeof *room->y);
    for (size_t i = 0; i < 3 * nv; i++) {
        double *x = of[i / nv] + i % nv;
        const double is = *x, step = difference * (i < nv ? 1.0 : fmax(1.0, fabs(is)));
        *x = is + step;
        const double taken = *x - is;
        const tq_status status = smooth_rows(search, reterr);
        *x = is;
        if (status != TQ_OK) {
            return status;
        }
        double sum = 0.0;
        for (size_t k = 0; k < n; k++) {
            sum += room->weight[k] * (room->y[k] - room->other[k]);
        }
        room->at[i] = sum / taken;
    }
    return TQ_OK;
}

/* value += weight (|x| / limit - 1)^2 beyond the limit, at[v] its slope */
static void add_excess(double weight, double x, double limit, double *value, double *at)
{
    const double over = fabs(x) / limit - 1.0;
    if (over > 0.0) {
        *value += weight * over * over;
        *at += copysign(2.0 * weight * over / limit, x);
    }
}

/* Penalties of the room's state. */
static void add_limits(tq_excitation *search, double weight, double *value, double *at)
{
    const tq_excitation_task *task = &search->task;
    const struct tq_excitation_room *room = search->room;
    const size_t nv = task->model->nv;
    for (size_t v = 0; v < nv; v++) {
        const double middle = 0.5 * (task->upper[v] + task->lower[v]);
        const double half = 0.5 * (task->upper[v] - task->lower[v]);
        add_excess(weight, room->q[v] - middle, half, value, at + v);
        add_excess(weight, room->qd[v], task->velocity[v], value, at + nv + v);
        add_excess(weight, room->qdd[v], task->acceleration[v], value, at + 2 * nv + v);
    }
}

/* tested_slope += the gradient `at` of a sample at time t, by the variables */
static void add_to_slope(tq_excitation *search, double t)
{
    const tq_excitation_task *task = &search->task;
    const struct tq_excitation_room *room = search->room;
    const size_t nv = task->model->nv, h = task->n_harmonic;
    const double w = 2.0 * M_PI * task->frequency;
    for (size_t k = 0; k < h; k++) {
        const double kw = (double)(k + 1) * w, s = tq_sin(kw * t), c = tq_cos(kw * t);
        for (size_t v = 0; v < nv; v++) {
            double *slope = room->descent.tested_slope + v * (1 + 2 * h);
            const double *unit = room->descent.unit + v * (1 + 2 * h);
            const double gq = room->at[v], gv = room->at[nv + v], ga = room->at[2 * nv + v];
            slope[1 + k] += unit[1 + k] * (gq * s / kw + gv * c - ga * kw * s);
            slope[1 + h + k] += unit[1 + h + k] * (-gq * c / kw + gv * s + ga * kw * c);
            slope[0] += k == 0 ? unit[0] * gq : 0.0;
        }
    }
}

/* One sample's part of value and gradient. */
static tq_status add_sample(tq_excitation *search, double t, double penalty, double part,
                            double *ret, tq_error *reterr)
{
    const tq_excitation_task *task = &search->task;
    struct tq_excitation_room *room = search->room;
    tq_status status = smooth_rows(search, reterr);
    if (status == TQ_OK) {
        find_weights(search, part, ret);
        status = differentiate(search, reterr);
    }
    if (status != TQ_OK) {
        return status;
    }
    add_limits(search, penalty * part, ret, room->at);
    if (task->clearance != NULL) {
        double least = 0.0;
        const double reach = reach_over * task->clearance->least + 0.005;
        status = tq_clearance_at(search, room->q, reach, part * clearance_gain / (reach * reach),
                                 &least, ret, room->at, reterr);
    }
    add_to_slope(search, t);
    return status;
}

/* room->normal of the motion under test, with signs that turn smoothly. */
static tq_status find_normal(tq_excitation *search, const tq_fourier *motion, tq_error *reterr)
{
    struct tq_excitation_room *room = search->room;
    const size_t n = search->task.base->n_base, n_sample = tq_excitation_samples(&search->task);
    const bool over_noise = search->task.criterion == TQ_EXCITATION_TORQUE_ERROR;
    if (search->task.n_recorded > 0) {
        memcpy(room->normal, room->recorded[over_noise ? 1 : 0], n * n * sizeof *room->normal);
    } else {
        memset(room->normal, 0, n * n * sizeof *room->normal);
    }
    for (size_t i = 0; i < n_sample; i++) {
        tq_fourier_at(motion, (double)i / (double)n_sample / motion->frequency, room->q, room->qd,
                      room->qdd);
        const tq_status status = smooth_rows(search, reterr);
        if (status != TQ_OK) {
            return status;
        }
        tq_excitation_add_rows(search, over_noise, 1.0, room->normal);
    }
    return TQ_OK;
}

tq_status tq_descent_slope(tq_excitation *search, double penalty, double *ret_value,
                           tq_error *reterr)
{
    struct tq_excitation_room *room = search->room;
    tq_descent *d = &room->descent;
    const size_t n_sample = tq_excitation_samples(&search->task);
    memset(d->tested_slope, 0, tq_descent_variables(&search->task) * sizeof(double));
    tq_descent_unfold(search, d->tested);
    const tq_fourier motion = tq_excitation_tested(search);
    tq_status status = find_normal(search, &motion, reterr);
    if (status != TQ_OK) {
        return status;
    }
    find_kernel(search, ret_value);
    for (size_t i = 0; i < n_sample && isfinite(*ret_value) && status == TQ_OK; i++) {
        const double t = (double)i / (double)n_sample / motion.frequency;
        tq_fourier_at(&motion, t, room->q, room->qd, room->qdd);
        status = add_sample(search, t, penalty, 1.0 / (double)n_sample, ret_value, reterr);
    }
    return status;
}
