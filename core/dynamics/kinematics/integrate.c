/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/kinematics/integrate.c - integration on the configuration manifold. */
#include "core/dynamics/kinematics/integrate.h"

#include <math.h>
#include <stdbool.h>

#include "core/elementary/elementary.h"
#include "core/spatial/screw.h"

/* quaternion by the exponential map; q and ret may be the same */
static void advance(const tq_joint *joint, const double *q, const double *step, double *ret)
{
    const bool floating = joint->kind == TQ_JOINT_FLOATING;
    const double *old = floating ? q + 3 : q;
    double *next = floating ? ret + 3 : ret;
    const double *turn = floating ? step + 3 : step;
    const double angle = sqrt(tq_dot3(turn, turn));
    const double c = tq_cos(0.5 * angle);
    const double f = angle > 1e-12 ? tq_sin(0.5 * angle) / angle : 0.5;
    const double v[3] = {f * turn[0], f * turn[1], f * turn[2]};
    if (floating) { /* the twist is in the child frame */
        const double w = old[0];
        const double u[3] = {old[1], old[2], old[3]};
        double t[3];
        double uu[3];
        tq_vec_cross(u, step, t);
        for (unsigned k = 0; k < 3; k++) {
            t[k] = 2.0 * t[k];
        }
        tq_vec_cross(u, t, uu);
        for (unsigned k = 0; k < 3; k++) {
            ret[k] = q[k] + step[k] + w * t[k] + uu[k];
        }
    }
    const double product[4] = {old[0] * c - old[1] * v[0] - old[2] * v[1] - old[3] * v[2],
                               old[0] * v[0] + old[1] * c + old[2] * v[2] - old[3] * v[1],
                               old[0] * v[1] - old[1] * v[2] + old[2] * c + old[3] * v[0],
                               old[0] * v[2] + old[1] * v[1] - old[2] * v[0] + old[3] * c};
    const double length = sqrt(product[0] * product[0] + product[1] * product[1] +
                               product[2] * product[2] + product[3] * product[3]);
    for (unsigned k = 0; k < 4; k++) {
        next[k] = product[k] / length;
    }
}

void tq_configuration_integrate(const tq_model *model, const double *q, const double *step,
                                double *ret)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (joint->kind == TQ_JOINT_SPHERICAL || joint->kind == TQ_JOINT_FLOATING) {
            advance(joint, q + joint->q_index, step + joint->v_index, ret + joint->q_index);
            continue;
        }
        for (uint32_t k = 0; k < joint->nq; k++) {
            ret[joint->q_index + k] = q[joint->q_index + k] + step[joint->v_index + k];
        }
    }
}

/* log(a^-1 b), and of a floating joint the way along the axes of a */
static void go(const tq_joint *joint, const double *from, const double *to, double *ret)
{
    const bool floating = joint->kind == TQ_JOINT_FLOATING;
    const double *a = floating ? from + 3 : from;
    const double *b = floating ? to + 3 : to;
    double *turn = floating ? ret + 3 : ret;
    if (floating) { /* R(a)^T (to - from) */
        const double way[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
        double t[3];
        double uu[3];
        tq_vec_cross(a + 1, way, t);
        tq_vec_cross(a + 1, t, uu);
        for (unsigned k = 0; k < 3; k++) {
            ret[k] = way[k] - 2.0 * a[0] * t[k] + 2.0 * uu[k];
        }
    }
    const double c = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    double v[3];
    tq_vec_cross(b + 1, a + 1, v); /* -u_a x u_b */
    for (unsigned k = 0; k < 3; k++) {
        v[k] += a[0] * b[1 + k] - b[0] * a[1 + k];
        v[k] = c < 0.0 ? -v[k] : v[k]; /* the shorter way */
    }
    const double s = sqrt(tq_dot3(v, v));
    const double f = s > 1e-12 ? 2.0 * tq_atan2(s, fabs(c)) / s : 2.0;
    for (unsigned k = 0; k < 3; k++) {
        turn[k] = f * v[k];
    }
}

void tq_configuration_difference(const tq_model *model, const double *from, const double *to,
                                 double *ret)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (joint->kind == TQ_JOINT_SPHERICAL || joint->kind == TQ_JOINT_FLOATING) {
            go(joint, from + joint->q_index, to + joint->q_index, ret + joint->v_index);
            continue;
        }
        for (uint32_t k = 0; k < joint->nq; k++) {
            ret[joint->v_index + k] = to[joint->q_index + k] - from[joint->q_index + k];
        }
    }
}
