/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/kinematics/test_integrate.c - steps between configurations: inverse
 * of each other, and the way that frames move. */
#include "core/dynamics/kinematics/configuration.h"
#include "core/dynamics/kinematics/integrate.h"
#include "tests/support/motion.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>

enum { N_SEED = 120 };

/* steps of up to 2 rad: of a rotation vector of up to pi there is one shorter way */
static void random_step(tqt_random *r, const tq_model *model, double *ret)
{
    for (size_t k = 0; k < model->nv; k++) {
        ret[k] = tqt_random_uniform(r, -1.1, 1.1);
    }
}

Test(integrate, difference_undoes_it)
{
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        const tqt_robot_options options = {1 + (uint32_t)(seed * 37 % 24), TQT_KINDS_ALL,
                                           TQT_WITH_ALL};
        tq_model *model = tqt_random_robot(seed, options);
        tqt_states states = tqt_random_states(seed, model, 1);
        tqt_random r = tqt_random_seed(seed + 3);
        double *q = tqt_doubles(model->nq), *to = tqt_doubles(model->nq);
        double *step = tqt_doubles(model->nv), *back = tqt_doubles(model->nv);
        tqt_sample(states.q, model->nq, states.stride, 0, q);
        random_step(&r, model, step);
        tq_configuration_integrate(model, q, step, to);
        tq_configuration_difference(model, q, to, back);
        for (size_t k = 0; k < model->nv; k++) {
            cr_assert(epsilon_eq(dbl, back[k], step[k], 1e-13), "seed %d, %zu", (int)seed, k);
        }
        for (uint32_t j = 0; j < model->n_joint; j++) { /* -q is the same rotation as q */
            const tq_joint *joint = &model->joints[j];
            const size_t first = joint->kind == TQ_JOINT_FLOATING ? 3 : 0;
            const bool turns = first == 3 || joint->kind == TQ_JOINT_SPHERICAL;
            for (size_t k = first; turns && k < joint->nq; k++) {
                to[joint->q_index + k] = -to[joint->q_index + k];
            }
        }
        tq_configuration_difference(model, q, to, back);
        for (size_t k = 0; k < model->nv; k++) {
            cr_assert(epsilon_eq(dbl, back[k], step[k], 1e-13), "seed %d, %zu", (int)seed, k);
        }
        tq_configuration_difference(model, q, q, back);
        for (size_t k = 0; k < model->nv; k++) {
            cr_assert(epsilon_eq(dbl, back[k], 0.0, 1e-15));
        }
        double *all[] = {q, to, step, back};
        for (size_t k = 0; k < 4; k++) {
            free(all[k]);
        }
        tqt_states_free(&states);
        tqt_model_free(model);
    }
}

/* d/dt of the frames along q (+) t qd at t = 0 is their velocity at qd */
Test(integrate, moves_frames_at_their_velocity)
{
    enum { BYTES = 8 << 20 };
    const double h = 1e-6;
    void *memory = aligned_alloc(64, BYTES);
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        const tqt_robot_options options = {1 + (uint32_t)(seed * 37 % 24), TQT_KINDS_ALL,
                                           TQT_WITH_ALL};
        tq_model *model = tqt_random_robot(seed, options);
        tqt_states states = tqt_random_states(seed, model, 1);
        tqt_random r = tqt_random_seed(seed + 3);
        double *q = tqt_doubles(model->nq), *moved = tqt_doubles(model->nq);
        double *qd = tqt_doubles(model->nv), *step = tqt_doubles(model->nv);
        tqt_sample(states.q, model->nq, states.stride, 0, q);
        random_step(&r, model, qd);
        tq_scratch scratch;
        tq_configuration at, ends[2];
        tq_scratch_init(&scratch, memory, BYTES);
        cr_assert(eq(int, tq_configuration_compute(model, q, qd, &scratch, &at, NULL), TQ_OK));
        for (size_t e = 0; e < 2; e++) {
            for (size_t k = 0; k < model->nv; k++) {
                step[k] = (e == 0 ? h : -h) * qd[k];
            }
            tq_configuration_integrate(model, q, step, moved);
            cr_assert(eq(int,
                         tq_configuration_compute(model, moved, NULL, &scratch, &ends[e], NULL),
                         TQ_OK));
        }
        for (uint32_t link = 0; link < model->n_link; link++) {
            const double origin[3] = {0};
            double velocity[6];
            tq_configuration_velocity(&at, link, origin, TQ_JACOBIAN_WORLD_ALIGNED, velocity);
            for (size_t k = 0; k < 3; k++) {
                const double got = (ends[0].pose[link].p[k] - ends[1].pose[link].p[k]) / (2 * h);
                /* h^2 of the third derivative, eps / h of the position */
                const double size = 1 + fabs(velocity[k]) + fabs(at.pose[link].p[k]);
                cr_assert(epsilon_eq(dbl, got, velocity[k], 1e-8 * size), "seed %d, link %u",
                          (int)seed, link);
            }
        }
        double *all[] = {q, moved, qd, step};
        for (size_t k = 0; k < 4; k++) {
            free(all[k]);
        }
        tqt_states_free(&states);
        tqt_model_free(model);
    }
    free(memory);
}
