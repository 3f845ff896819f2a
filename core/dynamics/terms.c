/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/terms.c - torques of the joints themselves: rotors, friction, springs. */
#include "core/dynamics/terms.h"

#include "core/dynamics/ball_terms.h"
#include "core/dynamics/passive/tendons.h"
#include "core/model/layout.h"

static double multiplier(const tq_joint *joint)
{
    return joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0;
}

void tq_add_friction(const tq_mechanism *mechanism, size_t n_sample, size_t stride, const double *q,
                     const double *qd, double sign, double *tau)
{
    const tq_model *model = &mechanism->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (tq_joint_kind_nv(joint->kind) != 1) {
            tq_ball_add_damper(joint, n_sample, stride, qd, sign, tau);
            continue;
        }
        const double ratio = multiplier(joint);
        const double *v = qd != NULL ? qd + joint->v_index * stride : NULL;
        double *row = tau + joint->v_index * stride;
        for (size_t i = 0; i < n_sample; i++) {
            const double own = v != NULL ? ratio * v[i] : 0.0;
            row[i] += sign * (ratio * tq_friction_effort(&joint->friction, own));
        }
    }
    tq_tendons_add_friction(model, n_sample, stride, q, qd, sign, tau);
}

void tq_add_springs(const tq_mechanism *mechanism, size_t n_sample, size_t stride, const double *q,
                    double sign, double *tau)
{
    const tq_model *model = &mechanism->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (joint->spring.stiffness == 0.0) {
            continue;
        }
        if (tq_joint_kind_nv(joint->kind) != 1) {
            tq_ball_add_spring(joint, n_sample, stride, q, sign, tau);
            continue;
        }
        const double ratio = multiplier(joint);
        const double offset = joint->mimic != TQ_NONE ? joint->mimic_offset : 0.0;
        double *row = tau + joint->v_index * stride;
        for (size_t i = 0; i < n_sample; i++) {
            const double own = ratio * q[joint->q_index * stride + i] + offset;
            row[i] += sign * (ratio * (joint->spring.stiffness * (own - joint->spring.rest)));
        }
    }
    tq_tendons_add_springs(model, n_sample, stride, q, sign, tau);
}

void tq_add_rotors(const tq_mechanism *mechanism, size_t n_sample, size_t stride, const double *qd,
                   const double *qdd, double sign, double *tau)
{
    if (qdd == NULL && !mechanism->has_ball_rotor) {
        return;
    }
    const tq_model *model = &mechanism->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (tq_joint_kind_nv(joint->kind) != 1) {
            tq_ball_add_inertia(joint, n_sample, stride, qd, qdd, sign, tau);
            continue;
        }
        if (qdd == NULL || joint->rotor.inertia == 0.0) {
            continue;
        }
        const double ratio = multiplier(joint);
        const double reflected = joint->rotor.ratio * joint->rotor.ratio * joint->rotor.inertia;
        const double factor = sign * (ratio * ratio * reflected);
        for (size_t i = 0; i < n_sample; i++) {
            tau[joint->v_index * stride + i] += factor * qdd[joint->v_index * stride + i];
        }
    }
}
