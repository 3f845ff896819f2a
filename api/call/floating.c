/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/floating.c - torque that a request gives a floating joint, which no motor drives. */
#include "api/call/floating.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/call/compute_early.h"

uint32_t tqa_floating_undriven(const tqa_robot *robot, uint32_t j)
{
    const tq_model *model = robot->model;
    const bool *driven = robot->actuated;
    for (; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (joint->kind == TQ_JOINT_FLOATING && (driven == NULL || !driven[joint->v_index])) {
            return j;
        }
    }
    return TQ_NONE;
}

void tqa_floating_text(const tqa_robot *robot, uint32_t joint, double most,
                       char ret[TQA_PROBLEM_TEXT])
{
    char amount[48] = "";
    if (most > 0.0) {
        (void)snprintf(amount, sizeof amount, " (up to %.6g N m or N)", most);
    }
    (void)snprintf(ret, TQA_PROBLEM_TEXT,
                   "torque of the floating joint \"%.40s\" is applied too%s: nothing drives it in "
                   "reality; list the joints that are driven as \"actuated\" in the robot's "
                   "document",
                   robot->joint_names[joint], amount);
}

static double most_of(const tqa_robot *robot, const double *tau, size_t stride, size_t n)
{
    double most = 0.0;
    for (uint32_t j = tqa_floating_undriven(robot, 0); j != TQ_NONE;
         j = tqa_floating_undriven(robot, j + 1)) {
        const tq_joint *joint = &robot->model->joints[j];
        for (size_t r = joint->v_index; r < (size_t)joint->v_index + joint->nv; r++) {
            for (size_t i = 0; i < n; i++) {
                most = fmax(most, fabs(tau[r * stride + i]));
            }
        }
    }
    return most;
}

/* Numbers that are not negative are ordered as their bits. */
static double number_of(uint_least64_t bits)
{
    double x = 0.0;
    memcpy(&x, &bits, sizeof x);
    return x;
}

void tqa_floating_note(tqa_call *call, const double *tau, size_t stride, size_t n)
{
    const double most = most_of(call->robot, tau, stride, n);
    uint_least64_t bits = 0;
    memcpy(&bits, &most, sizeof bits);
    uint_least64_t before = atomic_load_explicit(&call->base_tau, memory_order_relaxed);
    while (bits > before &&
           !atomic_compare_exchange_weak_explicit(&call->base_tau, &before, bits,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

double tqa_floating_most(tqa_call *call)
{
    const tqa_request *request = &call->request;
    const tqa_blocks *tau = &request->motion[TQA_MOTION_TAU];
    const bool is_given = request->rows[TQA_MOTION_TAU].shape != TQA_SHAPE_NONE;
    if (tqa_floating_undriven(call->robot, 0) == TQ_NONE) {
        return 0.0;
    }
    for (size_t b = 0; is_given && b < tq_block_count(request->n_sample); b++) {
        if (!tqa_overlap_has(call, b)) { /* its memory has not been reused */
            tqa_floating_note(call, tqa_blocks_block(tau, b), tau->stride,
                              tq_block_samples(request->n_sample, b));
        }
    }
    return number_of(atomic_load_explicit(&call->base_tau, memory_order_relaxed));
}
