/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/terms.c - torques of the joints themselves: rotors, friction, springs. */
#include "core/dynamics/terms.h"

#include <assert.h>
#include <math.h>

#include "core/dynamics/ball_terms.h"
#include "core/elementary/elementary.h"
#include "core/model/layout.h"

static double direction(const tq_friction *friction, double qd)
{
    if (friction->smoothing > 0.0) {
        return tq_tanh(qd / friction->smoothing);
    }
    return (double)(qd > 0.0) - (double)(qd < 0.0);
}

/* Viscous and Coulomb friction with Stribeck effect:
 * tau = Fv qd + offset + (Fc + (Fs - Fc) exp(-(qd / vs)^2)) sign(qd), or tanh(qd / smoothing) for
 * sign.
 * Armstrong-Helouvry, Dupont & Canudas de Wit, A survey of models, analysis tools and compensation
 * methods for the control of machines with friction, Automatica 30(7), 1994. */
double tq_friction_effort(const tq_friction *friction, double qd)
{
    double dry = friction->coulomb;
    if (friction->stribeck_velocity > 0.0) {
        const double x = qd / friction->stribeck_velocity;
        dry += (friction->breakaway - friction->coulomb) * tq_exp(-(x * x));
    }
    double effort = friction->viscous * qd + friction->offset;
    if (dry != 0.0) {
        effort += dry * direction(friction, qd);
    }
    return effort;
}

double tq_friction_slope(const tq_friction *f, double qd)
{
    double dry = f->coulomb;
    double dry_slope = 0.0;
    if (f->stribeck_velocity > 0.0) {
        const double x = qd / f->stribeck_velocity;
        const double fall = (f->breakaway - f->coulomb) * tq_exp(-(x * x));
        dry += fall;
        dry_slope = -2.0 * x / f->stribeck_velocity * fall;
    }
    if (f->smoothing > 0.0) {
        const double s = tq_tanh(qd / f->smoothing);
        return f->viscous + dry_slope * s + dry * (1.0 - s * s) / f->smoothing;
    }
    return f->viscous + dry_slope * ((double)(qd > 0.0) - (double)(qd < 0.0));
}

static double multiplier(const tq_joint *joint)
{
    return joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0;
}

void tq_add_friction(const tq_mechanism *mechanism, size_t n_sample, size_t stride,
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
