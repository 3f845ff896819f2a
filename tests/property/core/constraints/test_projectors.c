/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/constraints/test_projectors.c - elimination with any coordinates that
 * determine the motion; other coordinates are named in the error. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/constraints/actuation.h"
#include "core/constraints/dynamics.h"
#include "tests/support/constrained_robot.h"
#include "tests/support/random.h"

static const char *const robots[] = {"four-bar", "rolling-disk", "parallel-2dof",
                                     "arm-on-sphere-rolling"};
enum { N_ROBOT = sizeof robots / sizeof robots[0], LANE = TQ_BLOCK_PAD };

static void random_state(tqt_robot_state *s, tqt_random *r)
{
    for (size_t k = 0; k < s->nv; k++) {
        s->q[k] = s->robot->assembled[k] + tqt_random_uniform(r, -0.2, 0.2);
        s->qd[k] = tqt_random_uniform(r, -1.0, 1.0);
    }
    tqt_project(s);
    tqt_factor(s);
}

/* A t = 0, and t is the identity in the free rows */
static void check_elimination(const tqt_robot_state *s, const tq_elimination *e,
                              const uint32_t *free)
{
    for (size_t f = 0; f < e->n_free; f++) {
        const double *t = e->t + f * s->nv;
        double size = 0.0;
        for (size_t c = 0; c < s->nv; c++) {
            size = fmax(size, fabs(t[c]));
        }
        for (size_t r = 0; r < s->n_row; r++) {
            double sum = 0.0, longest = 0.0;
            for (size_t c = 0; c < s->nv; c++) {
                sum += s->state.a[r * s->nv + c] * t[c];
                longest = fmax(longest, fabs(s->state.a[r * s->nv + c]));
            }
            /* the inverse of at most 4 rows has the condition of t, and it is multiplied by t */
            cr_expect(fabs(sum) <= 1e-13 * longest * size * size, "%g of %g", sum, size);
        }
        for (size_t g = 0; g < e->n_free; g++) {
            cr_expect(t[free[g]] == (f == g ? 1.0 : 0.0));
        }
    }
}

Test(projectors, any_coordinates_that_determine_the_motion_suffice)
{
    for (size_t i = 0; i < N_ROBOT; i++) {
        tqt_robot_state s;
        tqt_random r = tqt_random_seed(17);
        tqt_open(&s, robots[i]);
        size_t done = 0;
        for (int trial = 0; trial < 20; trial++) {
            tq_elimination e;
            tq_error error = {0};
            uint32_t free[TQT_NV];
            size_t n = 0;
            random_state(&s, &r);
            const size_t n_free = s.nv - s.state.rank;
            for (uint32_t c = 0; c < s.nv; c++) { /* random choices may have as many coordinates as
                                                     dofs */
                const double still = (double)(n_free - n) / (double)(s.nv - c);
                if (tqt_random_uniform(&r, 0.0, 1.0) < still) {
                    free[n++] = c;
                }
            }
            const tq_status status =
                tq_constraint_eliminate_by(&s.state, free, n, &s.scratch, &e, &error);
            if (status == TQ_OK) {
                cr_assert(eq(sz, e.n_free, n_free));
                check_elimination(&s, &e, free);
                done++;
            } else {
                cr_assert(eq(int, status, TQ_ERR_SINGULAR));
                cr_expect(eq(str, (char *)error.what, "constraint.coordinates"));
            }
        }
        cr_expect(done > 0, "%s", robots[i]);
        tqt_close(&s);
    }
}

Test(projectors, coordinates_that_do_not_determine_the_motion_are_named)
{
    static const uint32_t heading_and_y[] = {1, 2}, all[] = {0, 1, 2};
    tqt_robot_state s;
    tq_elimination e;
    tq_error error = {0};
    tqt_open(&s, "rolling-disk");
    memset(s.q, 0, sizeof s.q); /* heading along x: y does not move */
    tqt_factor(&s);
    cr_expect(eq(int,
                 tq_constraint_eliminate_by(&s.state, heading_and_y, 2, &s.scratch, &e, &error),
                 TQ_ERR_SINGULAR));
    cr_expect(eq(str, (char *)error.what, "constraint.coordinates"));
    error = (tq_error){0};
    cr_expect(eq(int, tq_constraint_eliminate_by(&s.state, all, 3, &s.scratch, &e, &error),
                 TQ_ERR_SINGULAR));
    cr_expect(eq(dbl, error.value, 2.0)); /* number of dofs */
    tqt_close(&s);
}

/* torques of the actuated joints cause the same motion as torques of all joints */
Test(projectors, driven_joints_make_the_same_motion)
{
    static const char *const driven[] = {"four-bar", "rolling-disk", "parallel-2dof"};
    for (size_t i = 0; i < sizeof driven / sizeof driven[0]; i++) {
        tqt_robot_state s;
        tqt_random r = tqt_random_seed(18);
        tqt_open(&s, driven[i]);
        for (int trial = 0; trial < 10; trial++) {
            double needed[TQT_NV], tau[TQT_NV], qdd[2][TQT_NV], felt[TQT_ROWS], size = 1.0;
            size_t rank = 0;
            random_state(&s, &r);
            for (size_t k = 0; k < s.nv; k++) {
                needed[k] = tqt_random_uniform(&r, -1.0, 1.0);
            }
            cr_assert(eq(int, tq_constraint_actuate(&s.state, needed, &s.scratch, tau, &rank, NULL),
                         TQ_OK));
            cr_expect(eq(sz, rank, s.nv - s.state.rank));
            tqt_accelerate(&s, needed, qdd[0], felt);
            tqt_accelerate(&s, tau, qdd[1], felt);
            for (size_t k = 0; k < s.nv; k++) {
                size = fmax(size, fabs(qdd[0][k]));
            }
            for (size_t k = 0; k < s.nv; k++) {
                cr_expect(s.robot->constraints->actuated[k] || tau[k] == 0.0);
                /* least squares of up to 8 columns, rcond 1e-9 far away: some hundred roundings */
                cr_expect(fabs(qdd[0][k] - qdd[1][k]) < 1e-10 * size);
            }
        }
        tqt_close(&s);
    }
}

/* Torques, their motion, and the torques of that motion: the part of the difference that the
 * constraints do not balance is rounding, for any choice of actuated joints. */
Test(projectors, inverse_after_forward_returns_the_projected_torque)
{
    static _Alignas(64) double q[TQT_NV * LANE], qd[TQT_NV * LANE], qdd[TQT_NV * LANE],
        back[TQT_NV * LANE];
    for (size_t i = 0; i < N_ROBOT; i++) {
        tqt_robot_state s;
        tqt_random r = tqt_random_seed(19);
        tqt_open(&s, robots[i]);
        for (int trial = 0; trial < 10; trial++) {
            double tau[TQT_NV], made[TQT_NV], felt[TQT_ROWS], left[2 * TQT_NV], size[2] = {0.0};
            random_state(&s, &r);
            for (size_t k = 0; k < s.nv; k++) {
                tau[k] = tqt_random_uniform(&r, -1.0, 1.0);
            }
            tqt_accelerate(&s, tau, made, felt);
            for (size_t k = 0; k < s.nv * LANE; k++) {
                q[k] = s.q[k / LANE];
                qd[k] = s.qd[k / LANE];
                qdd[k] = made[k / LANE];
            }
            const tq_inverse_input in = {
                .n_sample = 1, .stride = LANE, .q = q, .qd = qd, .qdd = qdd};
            cr_assert(tq_constrained_inverse(s.robot->mechanism, s.robot->constraints, &in,
                                             &s.scratch, back, NULL, NULL, NULL) == TQ_OK);
            tqt_factor(&s);
            for (size_t k = 0; k < s.nv; k++) {
                left[k] = tau[k] - back[k * LANE];
                left[s.nv + k] = tau[k];
            }
            cr_assert(tq_constrained_unload(&s.state, 2, left, NULL) == TQ_OK);
            for (size_t k = 0; k < 2 * s.nv; k++) {
                size[k / s.nv] = fmax(size[k / s.nv], fabs(left[k]));
            }
            /* M of arms has condition 1e4 and less, rows some 10: 1e-11 are 500 roundings of it */
            cr_expect(size[0] <= 1e-11 * size[1], "%s: %g of %g", robots[i], size[0], size[1]);
        }
        tqt_close(&s);
    }
}

/* (A^T lambda) . qd = lambda . (A qd), which is 0 on motions that the constraints allow */
Test(projectors, forces_of_constraints_and_their_power)
{
    tqt_random r = tqt_random_seed(11);
    for (size_t k = 0; k < N_ROBOT; k++) {
        tqt_robot_state s;
        double lambda[TQT_NV], force[TQT_NV], qd[TQT_NV], allowed = 0.0, work = 0.0, size = 1.0;
        tqt_open(&s, robots[k]);
        random_state(&s, &r);
        for (size_t i = 0; i < TQT_NV; i++) {
            lambda[i] = tqt_random_uniform(&r, -5.0, 5.0);
            qd[i] = tqt_random_uniform(&r, -1.0, 1.0);
        }
        tq_constrained_force(&s.state, lambda, force);
        for (size_t i = 0; i < s.nv; i++) {
            allowed += force[i] * s.qd[i];
            work += force[i] * qd[i];
            size += fabs(force[i]);
        }
        cr_expect(fabs(tq_constrained_power(&s.state, lambda, qd) - work) < 1e-14 * size);
        cr_expect(fabs(work) > 1e-6, "negative control");
        /* velocities are projected to rounding of A qd */
        cr_expect(fabs(tq_constrained_power(&s.state, lambda, s.qd)) < 1e-10 * size);
        cr_expect(fabs(allowed) < 1e-10 * size);
        tqt_close(&s);
    }
}
