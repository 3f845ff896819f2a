/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/dynamics/test_reactions.c - joint wrenches against a textbook Newton-Euler, and
 * their components against the kernels' torques. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/naive.h"

enum { JOINTS = 9, ROWS = 7 * JOINTS, N = 8 };

static _Alignas(64) double q[ROWS * N], qd[ROWS * N], qdd[ROWS * N], tau[ROWS * N];
static _Alignas(64) double wrench[6 * (JOINTS + 1) * N];

static tq_scratch scratch_for(const naive_robot *robot)
{
    const size_t size =
        tq_reactions_scratch_size(robot->mechanism) + tq_inverse_scratch_size(robot->mechanism, 2);
    tq_scratch scratch;
    tq_scratch_init(&scratch, aligned_alloc(64, size), size);
    return scratch;
}

static void prepare(naive_robot *robot, uint64_t seed)
{
    cr_assert(tq_lanes_select(0) == TQ_OK);
    naive_random_robot(robot, JOINTS, NAIVE_PLAIN, seed);
    naive_random_q(robot, N, N, q);
    naive_random_v(robot, N, N, 2.0, qd);
    naive_random_v(robot, N, N, 5.0, qdd);
}

Test(reactions, agree_with_a_plain_recursion)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        naive_robot robot;
        prepare(&robot, seed);
        tq_scratch scratch = scratch_for(&robot);
        const tq_inverse_input in = {.n_sample = N, .stride = N, .q = q, .qd = qd, .qdd = qdd};
        cr_assert(tq_reactions(robot.mechanism, &in, &scratch, wrench, NULL) == TQ_OK);
        for (size_t i = 0; i < N; i++) {
            double flat[3][ROWS], t[ROWS], joint[6 * JOINTS];
            for (size_t r = 0; r < robot.model.nq; r++) {
                flat[0][r] = q[r * N + i];
            }
            for (size_t r = 0; r < robot.model.nv; r++) {
                flat[1][r] = qd[r * N + i];
                flat[2][r] = qdd[r * N + i];
            }
            const double scale = naive_inverse(&robot.model, robot.model.gravity, flat[0], flat[1],
                                               flat[2], NULL, t, joint);
            for (size_t k = 0; k < 6 * JOINTS; k++) {
                /* a few roundings a joint of terms that sum to `scale` */
                cr_assert(fabs(wrench[k * N + i] - joint[k]) <= 100 * JOINTS * DBL_EPSILON * scale,
                          "seed %lu, row %zu", (unsigned long)seed, k);
            }
        }
        free(scratch.memory);
        naive_free(&robot);
    }
}

/* Wrenches along world and link axes, at points: the same torque as by the kernels. */
Test(reactions, component_along_a_joint_is_its_torque)
{
    static _Alignas(64) double push[2][6 * N];
    for (uint64_t seed = 1; seed <= 100; seed++) {
        naive_robot robot;
        prepare(&robot, seed);
        for (size_t k = 0; k < 6 * N; k++) {
            push[0][k] = naive_uniform(&robot.state);
            push[1][k] = naive_uniform(&robot.state);
        }
        const tq_external_wrench pushes[2] = {
            {robot.model.n_link - 1, TQ_FRAME_WORLD, {0.1, 0.2, -0.3}, push[0], N, 1},
            {robot.model.n_link / 2, TQ_FRAME_LINK, {0.3, 0.1, 0.2}, push[1], N, 0}};
        const double gravity[3] = {1.0, 2.0, -3.0};
        tq_scratch scratch = scratch_for(&robot);
        const tq_inverse_input in = {.n_sample = N,
                                     .stride = N,
                                     .q = q,
                                     .qd = qd,
                                     .qdd = qdd,
                                     .wrenches = pushes,
                                     .n_wrench = 2,
                                     .gravity = gravity};
        cr_assert(tq_reactions(robot.mechanism, &in, &scratch, wrench, NULL) == TQ_OK);
        cr_assert(tq_inverse_dynamics(robot.mechanism, &in, &scratch, tau, NULL) == TQ_OK);
        for (uint32_t r = 0; r < robot.model.nv; r++) {
            for (size_t i = 0; i < N; i++) {
                double sum = 0.0, size = 0.0;
                for (uint32_t j = 0; j < robot.model.n_joint; j++) {
                    const tq_joint *joint = &robot.joints[j];
                    if (joint->v_index != r || tq_joint_kind_nv(joint->kind) != 1) {
                        continue;
                    }
                    const size_t row = 6 * j + (joint->kind == TQ_JOINT_PRISMATIC ? 0 : 3);
                    const double ratio = joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0;
                    for (size_t k = 0; k < 3; k++) {
                        sum += ratio * joint->axis[k] * wrench[(row + k) * N + i];
                    }
                    for (size_t k = 0; k < 6; k++) {
                        size += fabs(wrench[(6 * j + k) * N + i]);
                    }
                }
                /* the wrench at a joint is a sum of terms within 1e3 of it here */
                cr_assert(size == 0.0 ||
                              fabs(sum - tau[r * N + i]) <= 1e3 * 100 * DBL_EPSILON * (1 + size),
                          "seed %lu, row %u: %g, not %g", (unsigned long)seed, r, sum,
                          tau[r * N + i]);
            }
        }
        free(scratch.memory);
        naive_free(&robot);
    }
}

/* At rest without external wrenches the base carries the weight of all links, root included. */
Test(reactions, base_carries_the_weight)
{
    naive_robot robot;
    prepare(&robot, 3);
    tq_scratch scratch = scratch_for(&robot);
    const tq_inverse_input in = {.n_sample = N, .stride = N, .q = q};
    cr_assert(tq_reactions(robot.mechanism, &in, &scratch, wrench, NULL) == TQ_OK);
    double mass = 0.0;
    for (uint32_t l = 0; l < robot.model.n_link; l++) {
        mass += robot.links[l].inertia.mass;
    }
    for (size_t k = 0; k < 3; k++) {
        const double weight = -mass * robot.model.gravity[k];
        /* ten links, three rotations each, of terms within the whole weight */
        cr_assert(fabs(wrench[(6 * JOINTS + k) * N] - weight) <=
                  100 * JOINTS * DBL_EPSILON * mass * 10.0);
    }
    free(scratch.memory);
    naive_free(&robot);
}
