/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/kinematics/inverse_kinematics_start.c - starting points of the search: the middle
 * of the limits, and a Halton sequence over them. */
#include "core/dynamics/kinematics/inverse_kinematics_start.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/elementary/elementary.h"
static const double unlimited_travel_m =
    2.0; /* m: starts of prismatic joints without limits are within
                                          +- this */

/* element k of the Halton sequence of the n-th prime */
static double halton(size_t n, uint32_t k)
{
    static const unsigned prime[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
    const unsigned base = prime[n % (sizeof prime / sizeof prime[0])];
    double f = 1.0;
    double x = 0.0;
    for (uint32_t i = k + (uint32_t)(n / (sizeof prime / sizeof prime[0])); i > 0; i /= base) {
        f /= base;
        x += f * (double)(i % base);
    }
    return x;
}

static bool is_angle(const tq_joint *joint, uint32_t k)
{
    return joint->kind == TQ_JOINT_REVOLUTE || joint->kind == TQ_JOINT_CONTINUOUS ||
           (joint->kind == TQ_JOINT_PLANAR && k == 2);
}

void tq_ik_turns(const tq_model *model, _Bool *ret)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        for (uint32_t k = 0; k < joint->nq; k++) {
            ret[joint->q_index + k] = is_angle(joint, k);
        }
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const double turns = joint->mimic_multiplier;
        if (joint->mimic != TQ_NONE && (!is_angle(joint, 0) || turns != floor(turns))) {
            ret[joint->q_index] = false;
        }
    }
}

bool tq_ik_threads(const tq_model *model, _Bool *ret)
{
    bool any = false;
    memset(ret, 0, model->nq * sizeof *ret);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (joint->mimic != TQ_NONE && !is_angle(joint, 0) && joint->mimic_multiplier != 0.0) {
            ret[joint->q_index] = is_angle(&model->joints[joint->mimic], 0);
        }
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const double turns = joint->mimic_multiplier;
        if (joint->mimic != TQ_NONE && is_angle(joint, 0) && turns != floor(turns)) {
            ret[joint->q_index] = false;
        }
    }
    for (uint32_t i = 0; i < model->nq; i++) {
        any = any || ret[i];
    }
    return any;
}

static void range_of(const tq_joint *joint, uint32_t k, double *low, double *high)
{
    const bool angle = is_angle(joint, k);
    *low = angle ? -M_PI : -unlimited_travel_m;
    *high = -*low;
    if (joint->nq == 1 && isfinite(joint->limits.lower) && isfinite(joint->limits.upper)) {
        *low = joint->limits.lower;
        *high = joint->limits.upper;
    }
}

void tq_ik_middle(const tq_model *model, double *q)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        for (uint32_t k = 0; k < joint->nq; k++) {
            double low = 0.0;
            double high = 0.0;
            range_of(joint, k, &low, &high);
            q[joint->q_index + k] = 0.5 * (low + high);
        }
        if (joint->kind == TQ_JOINT_SPHERICAL || joint->kind == TQ_JOINT_FLOATING) {
            double *w = q + joint->q_index + (joint->nq - 4);
            memset(w, 0, 4 * sizeof(double));
            w[0] = 1.0;
        }
    }
}

void tq_ik_spread(const tq_model *model, uint32_t number, double *q)
{
    size_t n = 0;
    tq_ik_middle(model, q);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const bool ball = joint->kind == TQ_JOINT_SPHERICAL || joint->kind == TQ_JOINT_FLOATING;
        for (uint32_t k = 0; k < joint->nq && !(ball && k + 4 >= joint->nq); k++, n++) {
            double low = 0.0;
            double high = 0.0;
            range_of(joint, k, &low, &high);
            q[joint->q_index + k] = low + (high - low) * halton(n, number);
        }
        if (ball) { /* uniform on SO(3): Shoemake, Uniform random rotations, Graphics Gems III,
                       1992 */
            double *w = q + joint->q_index + (joint->nq - 4);
            const double u = halton(n, number);
            const double a = 2.0 * M_PI * halton(n + 1, number);
            const double b = 2.0 * M_PI * halton(n + 2, number);
            w[0] = sqrt(1.0 - u) * tq_sin(a);
            w[1] = sqrt(1.0 - u) * tq_cos(a);
            w[2] = sqrt(u) * tq_sin(b);
            w[3] = sqrt(u) * tq_cos(b);
            n += 3;
        }
    }
}
