/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/plant/test_state.c - configurations, and the velocities between them. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/plant/state.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"

enum { N_SEED = 30, NQ = 64 };

static tq_model *robot(uint64_t seed)
{
    return tqt_random_robot(seed,
                            (tqt_robot_options){.n_joint = 4, .kinds = TQT_KINDS_ALL, .with = 0});
}

/* one velocity of one joint for some time: the difference is velocity times time */
Test(state, difference_undoes_displacement)
{
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        tq_model *m = robot(seed);
        tqt_states states = tqt_random_states(seed, m, 1);
        tqt_random r = tqt_random_seed(seed);
        double q[NQ], goal[NQ], rate[NQ], e[NQ], unit[NQ];
        cr_assert(m->nq <= NQ);
        for (size_t k = 0; k < m->nq; k++) {
            q[k] = states.q[k * states.stride];
        }
        for (uint32_t j = 0; j < m->n_joint; j++) {
            const tq_joint *joint = &m->joints[j];
            for (unsigned k = 0; k < joint->nv; k++) {
                const double time = tqt_random_uniform(&r, -3.0, 3.0);
                memcpy(goal, q, sizeof goal);
                tq_state_integrate(joint, q + joint->q_index, k, time, goal + joint->q_index);
                tq_state_difference(m, goal, q, 1, e, 1);
                for (size_t i = 0; i < m->nv; i++) {
                    const double want = i == joint->v_index + k ? time : 0.0;
                    /* rotations of less than half a revolution; rounding at 3 m */
                    cr_expect(fabs(e[i] - want) < 1e-14, "seed %u: %g", (unsigned)seed, e[i]);
                }
                /* for a short time the difference is the rate of the coordinates */
                const double h = 1e-6;
                memset(unit, 0, sizeof unit);
                unit[joint->v_index + k] = 1.0;
                tq_state_rate(m, 1, 1, q, unit, rate);
                tq_state_integrate(joint, q + joint->q_index, k, h, goal + joint->q_index);
                for (size_t i = 0; i < m->nq; i++) {
                    cr_expect(fabs((goal[i] - q[i]) / h - rate[i]) < 1e-6); /* h and 1e-16 / h */
                }
            }
        }
        tqt_states_free(&states);
        tqt_model_free(m);
    }
}

/* both quaternions of a rotation are the same goal, and the shorter rotation leads there */
Test(state, the_shorter_way_is_taken)
{
    tq_joint joint = {.kind = TQ_JOINT_SPHERICAL, .nq = 4, .nv = 3};
    const tq_model m = {.n_joint = 1, .nq = 4, .nv = 3, .joints = &joint};
    const double q[4] = {1, 0, 0, 0};
    for (int k = -20; k <= 20; k++) {
        const double angle = 0.3 * k, goal[4] = {cos(0.5 * angle), 0, sin(0.5 * angle), 0};
        double e[3];
        tq_state_difference(&m, goal, q, 1, e, 1);
        cr_expect(fabs(e[1] - remainder(angle, 2.0 * acos(-1.0))) < 1e-14, "%g: %g", angle, e[1]);
        cr_expect(e[0] == 0.0 && e[2] == 0.0);
    }
}

/* unit length for any input; only the robot's own joints: rows beyond them have other contents */
Test(state, only_quaternions_are_normalised)
{
    tq_model *m = tqt_model_new(4);
    for (uint32_t j = 0; j < 3; j++) {
        m->joints[j].kind = j == 0 ? TQ_JOINT_REVOLUTE : TQ_JOINT_SPHERICAL;
        m->joints[j].parent = j;
        m->joints[j].child = j + 1;
    }
    cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
    cr_assert(eq(sz, m->nq, 9));
    m->n_joint = 2;
    double q[9 * 2];
    for (size_t k = 0; k < 9; k++) {
        q[2 * k] = (k == 1 || k == 5) ? 3.0 : (k == 3 || k == 7) ? -4.0 : 0.0;
        q[2 * k + 1] = k == 0 ? 7.0 : 1.0;
    }
    tq_state_normalise(m, 2, 2, q);
    static const double turn[] = {0.6, 0.0, -0.8, 0.0};
    for (size_t k = 0; k < 4; k++) {
        cr_expect(fabs(q[2 * (1 + k)] - turn[k]) < 1e-15);
        cr_expect(eq(dbl, q[2 * (1 + k) + 1], 0.5));
        cr_expect(eq(dbl, q[2 * (5 + k)], 5.0 * turn[k]), "beyond its joints");
        cr_expect(eq(dbl, q[2 * (5 + k) + 1], 1.0));
    }
    cr_expect(eq(dbl, q[0], 0.0));
    cr_expect(eq(dbl, q[1], 7.0));
    m->n_joint = 3;
    tqt_model_free(m);
}
