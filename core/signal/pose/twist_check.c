/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/pose/twist_check.c - sums of recorded twists and of those of the poses. */
#include "core/signal/pose/twist_check.h"

#include <math.h>

#include "core/signal/pose/pose_rates.h"

enum { FEW = 16, POSE = 7, TWIST = 6 };
static const double slope_s = 0.02;    /* s: of poses apart, so that noise does not matter */
static const double least_rate = 0.05; /* rad/s or m/s, rms: below it nothing is said */
static const double parent_part = 0.1; /* of the error in the child's axes */
static const double error_noted = 0.01, error_most = 0.5; /* squared, of the slopes' square */

/* x: recorded, y: of the pose; both in one frame */
typedef struct twist_sums {
    double xx, xy, yy;
} twist_sums;

static void add(twist_sums *s, const double x[3], const double y[3])
{
    for (size_t k = 0; k < 3; k++) {
        s->xx += x[k] * x[k];
        s->xy += x[k] * y[k];
        s->yy += y[k] * y[k];
    }
}

/* |x - y|^2 over |y|^2 */
static double error_of(const twist_sums *s)
{
    return s->yy > 0.0 ? (s->xx - 2.0 * s->xy + s->yy) / s->yy : 0.0;
}

/* R(w x y z) v */
static void turned(const double q[4], const double v[3], double ret[3])
{
    const double s[3] = {q[2] * v[2] - q[3] * v[1] + q[0] * v[0],
                         q[3] * v[0] - q[1] * v[2] + q[0] * v[1],
                         q[1] * v[1] - q[2] * v[0] + q[0] * v[2]};
    ret[0] = v[0] + 2.0 * (q[2] * s[2] - q[3] * s[1]);
    ret[1] = v[1] + 2.0 * (q[3] * s[0] - q[1] * s[2]);
    ret[2] = v[2] + 2.0 * (q[1] * s[1] - q[2] * s[0]);
}

/* Three poses around sample k, `half` apart, as rows of three samples; the twist of the middle. */
static void slope_at(const tq_uniform *even, const double *q, size_t n_position, size_t k,
                     size_t half, double step, double ret_twist[TWIST], double ret_quaternion[4])
{
    double rows[POSE * 3], rates[TWIST * 3];
    const size_t n = n_position + 4;
    for (size_t r = 0; r < n; r++) {
        for (size_t i = 0; i < 3; i++) {
            rows[r * 3 + i] = q[r * even->stride + k + i * half - half];
        }
    }
    for (size_t i = 0; i < 3; i++) {
        double square = 0.0;
        for (size_t r = n_position; r < n; r++) {
            square += rows[r * 3 + i] * rows[r * 3 + i];
        }
        for (size_t r = n_position; square > 0.0 && r < n; r++) {
            rows[r * 3 + i] /= sqrt(square);
        }
    }
    const tq_pose_samples pose = {.n = 3,
                                  .stride = 3,
                                  .position = n_position > 0 ? rows : NULL,
                                  .quaternion = rows + n_position * 3};
    tq_pose_rates(&pose, (double)half * step, rates);
    for (size_t r = 0; r < n - 1; r++) {
        ret_twist[r] = rates[r * 3 + 1];
    }
    for (size_t r = 0; r < 4; r++) {
        ret_quaternion[r] = rows[(n_position + r) * 3 + 1];
    }
}

static tq_status judge(const twist_sums *child, const twist_sums *parent, double n, uint32_t j,
                       tq_recording_fault_kind kind, tq_recording_fault *ret)
{
    const double own = error_of(child);
    if (child->yy < n * least_rate * least_rate || own < error_noted) {
        return TQ_OK;
    }
    if (error_of(parent) < parent_part * own) {
        return tq_recording_refuse(ret, TQ_FAULT_TWIST_FRAME, j, 0.0, 0.0);
    }
    return own < error_most
               ? TQ_OK
               : tq_recording_refuse(ret, kind, j, child->xy / sqrt(child->xx * child->yy),
                                     child->xy / child->yy);
}

static tq_status check_joint(const tq_recording *recording, const tq_uniform *even, uint32_t j,
                             tq_recording_fault *ret)
{
    const tq_joint *joint = &recording->options->model->joints[j];
    const size_t n_position = joint->nq - 4;
    const double *q =
        even->channels + (recording->channels.first[TQ_QUANTITY_Q] + joint->q_index) * even->stride;
    const double *qd = even->channels +
                       (recording->channels.first[TQ_QUANTITY_QD] + joint->v_index) * even->stride;
    const double wide = ceil(slope_s / recording->step);
    const size_t half = wide < 1.0 ? 1 : wide < (double)even->n / 4.0 ? (size_t)wide : even->n / 4;
    twist_sums child[2] = {0}, parent[2] = {0}; /* linear, angular */
    for (size_t k = half; k + half < even->n; k++) {
        double slope[TWIST], quaternion[4];
        slope_at(even, q, n_position, k, half, recording->step, slope, quaternion);
        for (size_t part = n_position > 0 ? 0 : 1; part < 2; part++) {
            const size_t first = part == 1 ? n_position : 0;
            const double *of = slope + first;
            double x[3], world[3];
            for (size_t i = 0; i < 3; i++) {
                x[i] = qd[(first + i) * even->stride + k];
            }
            turned(quaternion, of, world);
            add(&child[part], x, of);
            add(&parent[part], x, world);
        }
    }
    const double n = (double)(even->n - 2 * half);
    const tq_status status = judge(&child[0], &parent[0], n, j, TQ_FAULT_TWIST_LINEAR, ret);
    return status == TQ_OK ? judge(&child[1], &parent[1], n, j, TQ_FAULT_TWIST_ANGULAR, ret)
                           : status;
}

tq_status tq_recording_check_twists(const tq_recording *recording, const tq_uniform *even,
                                    tq_recording_fault *ret_fault)
{
    const tq_model *model = recording->options->model;
    tq_status status = TQ_OK;
    if (!recording->channels.has[TQ_QUANTITY_QD] || recording->channels.twists_missing ||
        even->n < FEW) {
        return TQ_OK;
    }
    for (uint32_t j = 0; status == TQ_OK && j < model->n_joint; j++) {
        const tq_joint_kind kind = model->joints[j].kind;
        if (kind == TQ_JOINT_SPHERICAL || kind == TQ_JOINT_FLOATING) {
            status = check_joint(recording, even, j, ret_fault);
        }
    }
    return status;
}
