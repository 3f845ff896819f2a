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
