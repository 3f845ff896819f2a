/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/plausibility.c - units, signs and columns of a recording, checked on its first
 * stretch of motion. */
#include "core/signal/plausibility.h"

#include <math.h>

#include "core/dynamics/inverse.h"
#include "core/signal/passivity.h"
#include "core/signal/pose/twist_check.h"

enum { POSES = 16 }; /* number of poses at which gravity is computed */

static const double slope_s = 0.02;       /* s: of positions apart, so that noise does not matter */
static const double beyond_effort = 20.0; /* times what a joint's limit of effort allows, rms */
static const double farthest = 40.0;      /* rad or m, of joints without limits */
static const double beyond_gravity = 100.0; /* times what holds the robot: no torque in N m */
static const double least_effort = 1.0;     /* a limit that was not filled in is 0 or 1 */
static const double none_recorded = 1e-4;   /* of the slopes' square: a hundredth of the velocity */
static const double clearly_alike = 0.98;   /* correlation of velocity and slope */
static const double apart = 0.04, off = 0.1; /* of their ratios: among the joints, and from 1 */

static const double *channel(const tq_recording *recording, const tq_uniform *even,
                             tq_quantity quantity, size_t row)
{
    return even->channels + (recording->channels.first[quantity] + row) * even->stride;
}

static tq_status check_positions(const tq_recording *recording, const tq_uniform *even,
                                 tq_recording_fault *ret)
{
    const tq_model *model = recording->options->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (joint->nq != 1 || (recording->check & TQ_CHECK_POSITION) == 0) {
            continue;
        }
        const double *q = channel(recording, even, TQ_QUANTITY_Q, joint->q_index);
        const double widest = fmax(fabs(joint->limits.lower), fabs(joint->limits.upper));
        const double most = isfinite(widest) && widest > 0.0 ? 3.0 * widest : farthest;
        for (size_t k = 0; k < even->n; k++) {
            if (fabs(q[k]) > most) {
                return tq_recording_refuse(ret, TQ_FAULT_POSITION, j, q[k], 0.0);
            }
        }
    }
    return TQ_OK;
}

/* Sums of products of recorded velocity and the slope of recorded position. */
typedef struct slope_sums {
    double both, slopes, recorded;
} slope_sums;

static slope_sums compare_slopes(const tq_recording *recording, const tq_uniform *even,
                                 const double *q, const double *qd)
{
    const double wide = ceil(slope_s / recording->step);
    const size_t half = wide < 1.0 ? 1 : wide < (double)even->n / 4.0 ? (size_t)wide : even->n / 4;
    slope_sums s = {0};
    double around =
        /* sum of qd within `half` samples of k, half weight at both ends: the mean that the slope
         * measures */
        0.0;
    for (size_t k = 0; k < 2 * half; k++) {
        around += 0.5 * (qd[k] + qd[k + 1]);
    }
    for (size_t k = half; k + half < even->n; k++) {
        const double slope = (q[k + half] - q[k - half]) / (2.0 * (double)half * recording->step);
        const double mean = around / (2.0 * (double)half);
        s.both += slope * mean;
        s.slopes += slope * slope;
        s.recorded += mean * mean;
        if (k + half + 1 < even->n) {
            around +=
                0.5 * (qd[k + half] + qd[k + half + 1]) - 0.5 * (qd[k - half] + qd[k - half + 1]);
        }
    }
    return s;
}

/* Compares recorded velocity with the slope of recorded position: a ratio other than 1 is a wrong
 * unit; without correlation they belong to different joints. */
static tq_status check_velocity(const tq_recording *recording, const tq_uniform *even, uint32_t j,
                                tq_recording_fault *ret)
{
    const tq_joint *joint = &recording->options->model->joints[j];
    const slope_sums s =
        compare_slopes(recording, even, channel(recording, even, TQ_QUANTITY_Q, joint->q_index),
                       channel(recording, even, TQ_QUANTITY_QD, joint->v_index));
    const double ratio = s.both / s.slopes;
    const double alike = s.both / sqrt(s.slopes * s.recorded);
    const double least = 1e-4 * (double)even->n;
    if (s.slopes > 25.0 * least && s.recorded < none_recorded * s.slopes &&
        /* a correlated velocity has a wrong unit, see below */
        !(fabs(alike) > 0.9)) {
        return tq_recording_refuse(ret, TQ_FAULT_VELOCITY_ZERO, j, 0.0, 0.0);
    }
    if (s.slopes > least && fabs(alike) > 0.9 && (ratio < 0.5 || ratio > 2.0)) {
        return tq_recording_refuse(ret, TQ_FAULT_VELOCITY_RATIO, j, ratio, 0.0);
    }
    /* in fast motion noise is negligible: velocity and slope must agree */
    const bool is_fast = s.slopes > 400.0 * least && s.recorded > 400.0 * least;
    if (s.slopes > least && s.recorded > least && fabs(alike) < (is_fast ? 0.9 : 0.5)) {
        return tq_recording_refuse(ret, TQ_FAULT_VELOCITY_CORRELATION, j, alike, 0.0);
    }
    return TQ_OK;
}

/* The clock is wrong where the velocities of all joints are the same multiple of the slopes of
 * their positions. That of one joint may be a unit, or a gear. */
static tq_status check_clock(const tq_recording *recording, const tq_uniform *even,
                             tq_recording_fault *ret)
{
    const tq_model *model = recording->options->model;
    double low = (double)INFINITY, high = 0.0;
    size_t n = 0;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (joint->nq != 1 || joint->mimic != TQ_NONE) {
            continue;
        }
        const slope_sums s =
            compare_slopes(recording, even, channel(recording, even, TQ_QUANTITY_Q, joint->q_index),
                           channel(recording, even, TQ_QUANTITY_QD, joint->v_index));
        if (s.slopes > 1e-4 * (double)even->n &&
            s.both > clearly_alike * sqrt(s.slopes * s.recorded)) {
            const double ratio = sqrt(s.recorded / s.slopes);
            low = fmin(low, ratio);
            high = fmax(high, ratio);
            n++;
        }
    }
    const bool is_common = n >= 2 && high < (1.0 + apart) * low;
    return is_common && (low > 1.0 + off || high < 1.0 - off)
               ? tq_recording_refuse(ret, TQ_FAULT_VELOCITY_CLOCK, TQ_NONE, sqrt(low * high), 0.0)
               : TQ_OK;
}

static tq_status check_velocities(const tq_recording *recording, const tq_uniform *even,
                                  tq_recording_fault *ret)
{
    const tq_model *model = recording->options->model;
    tq_status status = TQ_OK;
    if (!recording->channels.has[TQ_QUANTITY_QD] || even->n < 16) {
        return TQ_OK;
    }
    for (uint32_t j = 0; j < model->n_joint && status == TQ_OK; j++) {
        if (model->joints[j].nq == 1) {
            status = check_velocity(recording, even, j, ret);
        }
    }
    return status == TQ_OK ? check_clock(recording, even, ret) : status;
}

static bool never_changes(const double *x, size_t n)
{
    for (size_t k = 1; k < n; k++) {
        if (x[k] != x[0]) {
            return false;
        }
    }
    return true;
}

static double rms_of(const double *x, size_t n)
{
    double square = 0.0;
    for (size_t k = 0; k < n; k++) {
        square += x[k] * x[k] / (double)n;
    }
    return sqrt(square);
}

/* Checks that some torque changes, and that none is far above its joint's limit. */
static tq_status check_efforts(const tq_recording *recording, const tq_uniform *even,
                               tq_recording_fault *ret)
{
    const tq_model *model = recording->options->model;
    bool any = false;
    for (size_t v = 0; v < model->nv; v++) {
        any = any || !never_changes(channel(recording, even, TQ_QUANTITY_TAU, v), even->n);
    }
    if (!any) {
        return tq_recording_refuse(ret, TQ_FAULT_TORQUE_CONSTANT, TQ_NONE, 0.0, 0.0);
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const double most = joint->limits.effort;
        if (joint->nv != 1 || !(most > least_effort) || !isfinite(most) ||
            (recording->check & TQ_CHECK_EFFORT) == 0) {
            continue;
        }
        const double rms =
            rms_of(channel(recording, even, TQ_QUANTITY_TAU, joint->v_index), even->n);
        if (rms > beyond_effort * most) {
            return tq_recording_refuse(ret, TQ_FAULT_TORQUE_EFFORT, j, rms, most);
        }
    }
    return TQ_OK;
}

/* The largest gravity torque along the motion by the robot's model; 0: unknown. */
static tq_status find_gravity(const tq_recording *recording, const tq_uniform *even,
                              tq_scratch *scratch, double *ret, tq_error *reterr)
{
    const tq_mechanism *mechanism = recording->options->mechanism;
    const size_t nq = recording->options->model->nq;
    const size_t nv = recording->options->model->nv;
    const size_t mark = tq_scratch_mark(scratch);
    double *rows = tq_scratch_take(scratch, (nq + nv) * POSES, sizeof *rows);
    *ret = 0.0;
    if (rows == NULL) {
        const double size = (double)tq_recording_check_size(mechanism);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, size);
    }
    for (size_t r = 0; r < nq; r++) {
        const double *q = channel(recording, even, TQ_QUANTITY_Q, r);
        for (size_t k = 0; k < POSES; k++) {
            rows[r * POSES + k] = q[k * (even->n - 1) / (POSES - 1)];
        }
    }
    const tq_inverse_input in = {
        .n_sample = POSES,
        .stride = POSES,
        .q = rows,
        .without = TQ_WITHOUT_FRICTION | TQ_WITHOUT_SPRING | TQ_WITHOUT_ROTOR,
    };
    _Static_assert(POSES % TQ_BLOCK_PAD == 0, "whole lanes");
    double *tau = rows + nq * POSES;
    const tq_status status = tq_inverse_dynamics(mechanism, &in, scratch, tau, NULL);
    for (size_t k = 0; status == TQ_OK && k < nv * POSES; k++) {
        *ret = fmax(*ret, fabs(tau[k]));
    }
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

/* Compares torque with gravity: torque in mN m would be that of a robot with a thousand times the
 * mass. */
static tq_status check_gravity(const tq_recording *recording, const tq_uniform *even,
                               tq_scratch *scratch, tq_recording_fault *ret, tq_error *reterr)
{
    const tq_model *model = recording->options->model;
    double gravity = 0.0;
    double most = 0.0;
    if ((recording->check & TQ_CHECK_GRAVITY) == 0 || model->nq != model->nv) {
        return TQ_OK;
    }
    const tq_status status = find_gravity(recording, even, scratch, &gravity, reterr);
    uint32_t worst = TQ_NONE;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        for (size_t k = 0; k < model->joints[j].nv && model->joints[j].mimic == TQ_NONE; k++) {
            const size_t row = model->joints[j].v_index + k;
            const double rms = rms_of(channel(recording, even, TQ_QUANTITY_TAU, row), even->n);
            worst = rms > most ? j : worst;
            most = fmax(most, rms);
        }
    }
    if (status != TQ_OK || gravity < least_effort || most <= beyond_gravity * gravity) {
        return status;
    }
    return tq_recording_refuse(ret, TQ_FAULT_TORQUE_GRAVITY, worst, most, gravity);
}

/* Where no fit of the whole robot will compare the joints with each other. */
static tq_status check_signs(const tq_recording *recording, const tq_uniform *even,
                             tq_recording_fault *ret)
{
    const tq_model *model = recording->options->model;
    if ((recording->check & TQ_CHECK_SIGN) == 0 || model->nq != model->nv) {
        return TQ_OK;
    }
    const tq_passivity balance = tq_recording_passivity(recording, even);
    return balance.joint == TQ_NONE || balance.work >= -balance.explained
               ? TQ_OK
               : tq_recording_refuse(ret, TQ_FAULT_TORQUE_SIGN, balance.joint, -balance.work, 0.0);
}

size_t tq_recording_check_size(const tq_mechanism *mechanism)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    return tq_scratch_cost((size_t)(model->nq + model->nv) * POSES, sizeof(double)) +
           tq_inverse_scratch_size(mechanism, 0);
}

tq_status tq_recording_check(const tq_recording *recording, const tq_uniform *even,
                             tq_scratch *scratch, tq_recording_fault *ret_fault, tq_error *reterr)
{
    *ret_fault = (tq_recording_fault){0};
    tq_status status = check_positions(recording, even, ret_fault);
    if (status == TQ_OK) {
        status = check_velocities(recording, even, ret_fault);
    }
    if (status == TQ_OK) {
        status = tq_recording_check_twists(recording, even, ret_fault);
    }
    if (status != TQ_OK || (recording->check & TQ_CHECK_TORQUE) == 0) {
        return status;
    }
    status = check_efforts(recording, even, ret_fault);
    if (status == TQ_OK) {
        status = check_gravity(recording, even, scratch, ret_fault, reterr);
    }
    return status == TQ_OK ? check_signs(recording, even, ret_fault) : status;
}
