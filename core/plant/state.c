/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/state.c - rates of coordinates, normalisation of quaternions. */
#include "core/plant/state.h"

#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"
#include "core/spatial/screw.h"

static void quaternion_rate(const double *w, size_t stride, const double omega[3], double *rate)
{
    const double a = w[0];
    const double b = w[stride];
    const double c = w[2 * stride];
    const double d = w[3 * stride];
    rate[0] = -0.5 * (b * omega[0] + c * omega[1] + d * omega[2]);
    rate[stride] = 0.5 * (a * omega[0] + c * omega[2] - d * omega[1]);
    rate[2 * stride] = 0.5 * (a * omega[1] - b * omega[2] + d * omega[0]);
    rate[3 * stride] = 0.5 * (a * omega[2] + b * omega[1] - c * omega[0]);
}

/* R(w) v: child axes -> parent axes */
static void turn_out(const double *w, size_t stride, const double v[3], double ret[3])
{
    const double u[3] = {w[stride], w[2 * stride], w[3 * stride]};
    double once[3];
    double twice[3];
    tq_vec_cross(u, v, once);
    for (unsigned k = 0; k < 3; k++) {
        once[k] *= 2.0;
    }
    tq_vec_cross(u, once, twice);
    for (unsigned k = 0; k < 3; k++) {
        ret[k] = v[k] + w[0] * once[k] + twice[k];
    }
}

static void joint_rate(const tq_joint *joint, size_t stride, const double *q, const double *qd,
                       double *rate)
{
    const double *w = q;
    double *to = rate;
    const double *turning = qd;
    if (joint->kind == TQ_JOINT_FLOATING) {
        const double v[3] = {qd[0], qd[stride], qd[2 * stride]};
        double moved[3];
        w = q + 3 * stride;
        turn_out(w, stride, v, moved);
        for (unsigned k = 0; k < 3; k++) {
            rate[k * stride] = moved[k];
        }
        to = rate + 3 * stride;
        turning = qd + 3 * stride;
    }
    const double omega[3] = {turning[0], turning[stride], turning[2 * stride]};
    quaternion_rate(w, stride, omega, to);
}

static int has_quaternion(const tq_joint *joint)
{
    return joint->kind == TQ_JOINT_SPHERICAL || joint->kind == TQ_JOINT_FLOATING;
}

void tq_state_rate(const tq_model *model, size_t n_sample, size_t stride, const double *q,
                   const double *qd, double *ret_rate)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const size_t at = joint->q_index * stride;
        const size_t from = joint->v_index * stride;
        if (has_quaternion(joint)) {
            for (size_t i = 0; i < n_sample; i++) {
                joint_rate(joint, stride, q + at + i, qd + from + i, ret_rate + at + i);
            }
            continue;
        }
        for (uint32_t k = 0; k < joint->nq; k++) {
            memcpy(ret_rate + at + k * stride, qd + from + k * stride, n_sample * sizeof *qd);
        }
    }
}

/* rotation vector, in child axes, from quaternion w to `goal` */
static void turn_between(const double *goal, const double *w, size_t q_stride, double *ret,
                         size_t stride)
{
    const double a[4] = {w[0], -w[q_stride], -w[2 * q_stride], -w[3 * q_stride]};
    double turn[4];
    turn[0] = a[0] * goal[0] - a[1] * goal[1] - a[2] * goal[2] - a[3] * goal[3];
    turn[1] = a[0] * goal[1] + a[1] * goal[0] + a[2] * goal[3] - a[3] * goal[2];
    turn[2] = a[0] * goal[2] - a[1] * goal[3] + a[2] * goal[0] + a[3] * goal[1];
    turn[3] = a[0] * goal[3] + a[1] * goal[2] - a[2] * goal[1] + a[3] * goal[0];
    const double sine = sqrt(turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]);
    /* of the two quaternions of a rotation, the one with the smaller angle */
    const double angle = 2.0 * tq_atan2(sine, fabs(turn[0]));
    const double scale = (turn[0] < 0.0 ? -1.0 : 1.0) * (sine > 0.0 ? angle / sine : 2.0);
    for (unsigned k = 0; k < 3; k++) {
        ret[k * stride] = scale * turn[1 + k];
    }
}

/* R(w)^T v: parent axes -> child axes */
static void turn_in(const double *w, size_t stride, const double v[3], double ret[3])
{
    const double back[4] = {w[0], -w[stride], -w[2 * stride], -w[3 * stride]};
    turn_out(back, 1, v, ret);
}

void tq_state_difference(const tq_model *model, const double *goal, const double *q,
                         size_t q_stride, double *ret, size_t stride)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const double *from = q + joint->q_index * q_stride;
        const double *to = goal + joint->q_index;
        double *e = ret + joint->v_index * stride;
        if (!has_quaternion(joint)) {
            for (uint32_t k = 0; k < joint->nq; k++) {
                e[k * stride] = to[k] - from[k * q_stride];
            }
            continue;
        }
        if (joint->kind == TQ_JOINT_FLOATING) {
            const double way[3] = {to[0] - from[0], to[1] - from[q_stride],
                                   to[2] - from[2 * q_stride]};
            double along[3];
            turn_in(from + 3 * q_stride, q_stride, way, along);
            for (unsigned k = 0; k < 3; k++) {
                e[k * stride] = along[k];
            }
            from += 3 * q_stride;
            to += 3;
            e += 3 * stride;
        }
        turn_between(to, from, q_stride, e, stride);
    }
}

void tq_state_integrate(const tq_joint *joint, const double *q, unsigned k, double time,
                        double *ret)
{
    memcpy(ret, q, joint->nq * sizeof *ret);
    if (!has_quaternion(joint)) {
        ret[k] += time;
        return;
    }
    const unsigned first = joint->nq - 4u; /* first component of the quaternion; of the angular
                                              velocity */
    const double *w = q + first;
    if (k < first) {
        const double way[3] = {k == 0 ? time : 0.0, k == 1 ? time : 0.0, k == 2 ? time : 0.0};
        double moved[3];
        turn_out(w, 1, way, moved);
        for (unsigned i = 0; i < 3; i++) {
            ret[i] += moved[i];
        }
        return;
    }
    const unsigned x = k - first, y = (x + 1) % 3, z = (x + 2) % 3;
    const double c = tq_cos(0.5 * time), s = tq_sin(0.5 * time);
    double *to = ret + first;
    to[0] = c * w[0] - s * w[1 + x];
    to[1 + x] = c * w[1 + x] + s * w[0];
    to[1 + y] = c * w[1 + y] + s * w[1 + z];
    to[1 + z] = c * w[1 + z] - s * w[1 + y];
}

void tq_state_normalise(const tq_model *model, size_t n_sample, size_t stride, double *q)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (!has_quaternion(joint)) {
            continue;
        }
        double *w = q + (joint->q_index + joint->nq - 4) * stride;
        for (size_t i = 0; i < n_sample; i++) {
            double sum = 0.0;
            for (unsigned k = 0; k < 4; k++) {
                sum += w[k * stride + i] * w[k * stride + i];
            }
            const double scale = 1.0 / sqrt(sum);
            for (unsigned k = 0; k < 4; k++) {
                w[k * stride + i] *= scale;
            }
        }
    }
}
