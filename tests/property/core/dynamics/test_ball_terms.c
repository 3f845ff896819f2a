/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/test_ball_terms.c - dampers, springs and inertias of spherical and
 * floating joints: against heavier robots, potentials and differences. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/ball_terms.h"
#include "core/dynamics/coriolis.h"
#include "core/dynamics/derivatives/derivatives.h"
#include "core/dynamics/derivatives/derivatives_batch.h"
#include "core/dynamics/energy.h"
#include "core/dynamics/forward.h"
#include "core/dynamics/kinematics/integrate.h"
#include "core/dynamics/lagrangian.h"
#include "core/dynamics/ledger.h"
#include "core/dynamics/mass_matrix/mass_matrix.h"
#include "core/model/inertia.h"
#include "tests/support/expect.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

enum { SEEDS = 40, BYTES = 16 << 20, N = 3 };

typedef struct trial {
    tq_model *model;
    tqt_subject *subject;
    tqt_states s;
    tq_scratch scratch;
    void *memory;
    size_t nv;
} trial;

/* Joint 0 is floating, the others are of any kind. With `terms` spherical and floating joints get
 * dampers, springs and inertias. */
static trial open_trial(uint64_t seed, bool terms)
{
    const tqt_robot_options options = {
        .n_joint = 5, .kinds = TQT_KINDS_ALL & ~(1u << TQ_JOINT_FIXED), .with = TQT_WITH_BRANCHES};
    trial t = {.model = tqt_random_robot(seed, options)};
    tqt_random r = tqt_random_seed(seed + 77);
    t.model->joints[0].kind = TQ_JOINT_FLOATING;
    t.model->joints[1].kind = TQ_JOINT_SPHERICAL;
    for (uint32_t j = 0; j < t.model->n_joint; j++) {
        tq_joint *joint = &t.model->joints[j];
        double *pose = joint->spring.pose;
        double turn[4], square = 0.0;
        for (unsigned k = 0; k < 4; k++) {
            turn[k] = tqt_random_uniform(&r, -1.0, 1.0);
            square += turn[k] * turn[k];
        }
        if (!terms || joint->kind < TQ_JOINT_SPHERICAL) {
            continue;
        }
        joint->friction.viscous = tqt_random_uniform(&r, 0.1, 2.0);
        joint->spring.stiffness = tqt_random_uniform(&r, 1.0, 9.0);
        joint->rotor = (tq_rotor){.inertia = tqt_random_uniform(&r, 0.1, 1.0), .ratio = 2.0};
        for (unsigned k = 0; k < 3 && joint->kind == TQ_JOINT_FLOATING; k++) {
            pose[k] = tqt_random_uniform(&r, -1.0, 1.0);
        }
        for (unsigned k = 0; k < 4 && j % 2 == 0; k++) {
            pose[3 + k] = turn[k] / sqrt(square);
        }
    }
    tq_error fault = {0};
    cr_assert(eq(int, tq_model_finish(t.model, &fault), TQ_OK));
    t.subject = tqt_subject_new(t.model, 0);
    t.s = tqt_random_states(seed + 5, t.model, N);
    t.nv = t.model->nv;
    t.memory = aligned_alloc(64, BYTES);
    tq_scratch_init(&t.scratch, t.memory, BYTES);
    return t;
}

static void close_trial(trial *t)
{
    tq_scratch_release(t->memory, BYTES);
    free(t->memory);
    tqt_states_free(&t->s);
    tqt_subject_free(t->subject);
    tqt_model_free(t->model);
}

/* the same of the samples of two blocks of n rows */
static void near_blocks(const double *x, const double *y, size_t n, size_t stride, double slack,
                        const char *what, int seed)
{
    for (size_t i = 0; i < N; i++) {
        double *one = tqt_doubles(n), *two = tqt_doubles(n);
        tqt_sample(x, n, stride, i, one);
        tqt_sample(y, n, stride, i, two);
        tqt_near(one, two, n, slack, what, seed);
        free(one);
        free(two);
    }
}

/* The inertia a of a free joint is equivalent to a mass a at its link's origin with moments a,
 * without weight. */
Test(ball_terms, a_free_joints_inertia_is_a_weightless_mass)
{
    static const double a = 0.7;
    for (int seed = 0; seed < SEEDS; seed++) {
        trial t = open_trial((uint64_t)seed, false), heavy = open_trial((uint64_t)seed, false);
        tqt_subject_free(t.subject);
        tqt_subject_free(heavy.subject);
        t.model->joints[0].rotor = (tq_rotor){.inertia = a / 4.0, .ratio = 2.0};
        const tq_inertia more = {.mass = a, .about_com = {a, 0.0, 0.0, a, 0.0, a}};
        tq_link *link = &heavy.model->links[heavy.model->joints[0].child];
        link->inertia = tq_inertia_add(&link->inertia, &more);
        memset(t.model->gravity, 0, sizeof t.model->gravity);
        memset(heavy.model->gravity, 0, sizeof heavy.model->gravity);
        t.subject = tqt_subject_new(t.model, 0);
        heavy.subject = tqt_subject_new(heavy.model, 0);
        const size_t n = t.nv * t.s.stride, square = t.nv * n;
        double *one = tqt_doubles(square), *two = tqt_doubles(square);
        const tq_inverse_input in = {
            .n_sample = N, .stride = t.s.stride, .q = t.s.q, .qd = t.s.qd, .qdd = t.s.qdd};
        tq_error e = {0};
        cr_assert(eq(int, tq_inverse_dynamics(t.subject->mechanism, &in, &t.scratch, one, &e), 0));
        cr_assert(
            eq(int, tq_inverse_dynamics(heavy.subject->mechanism, &in, &t.scratch, two, &e), 0));
        near_blocks(one, two, t.nv, t.s.stride, 1e-12, "tau", seed);
        tq_forward_input back = {
            .n_sample = N, .stride = t.s.stride, .q = t.s.q, .qd = t.s.qd, .tau = two};
        cr_assert(
            eq(int, tq_forward_dynamics(t.subject->mechanism, &back, &t.scratch, one, &e), 0));
        near_blocks(one, t.s.qdd, t.nv, t.s.stride, 1e-8, "qdd", seed);
        for (int which = 0; which < 2; which++) {
            const tq_mechanism *m = which == 0 ? t.subject->mechanism : heavy.subject->mechanism;
            double *to = which == 0 ? one : two;
            memset(to, 0, square * sizeof *to);
            cr_assert(eq(int, tq_mass_matrix(m, N, t.s.stride, t.s.q, 0, &t.scratch, to, &e), 0));
        }
        near_blocks(one, two, t.nv * t.nv, t.s.stride, 1e-12, "M", seed);
        for (int which = 0; which < 2; which++) {
            const tq_mechanism *m = which == 0 ? t.subject->mechanism : heavy.subject->mechanism;
            double *to = which == 0 ? one : two;
            cr_assert(eq(
                int, tq_coriolis_matrix(m, N, t.s.stride, t.s.q, t.s.qd, &t.scratch, to, &e), 0));
        }
        /* C is not unique, but C qd is */
        for (size_t r = 0; r < t.nv; r++) {
            for (size_t i = 0; i < N; i++) {
                double difference = 0.0;
                for (size_t c = 0; c < t.nv; c++) {
                    const size_t k = (r * t.nv + c) * t.s.stride + i;
                    difference += (one[k] - two[k]) * t.s.qd[c * t.s.stride + i];
                }
                cr_assert(lt(dbl, fabs(difference), 1e-11));
            }
        }
        free(one);
        free(two);
        close_trial(&heavy);
        close_trial(&t);
    }
}

/* torque of sample 0 at q (+) step */
static void torque(trial *t, const double *q, const double *qd, unsigned without, double *ret)
{
    double *qdd = tqt_doubles(t->nv);
    tqt_sample(t->s.qdd, t->nv, t->s.stride, 0, qdd);
    tqt_torque(t->subject, q, qd, qdd, without, ret);
    free(qdd);
}

static double potential(const trial *t, const double *q)
{
    double energy = 0.0, none = 0.0;
    for (uint32_t j = 0; j < t->model->n_joint; j++) {
        tq_ball_energy(&t->model->joints[j], 1, q, NULL, &none, &energy);
    }
    return energy;
}

/* spring torques are minus the gradient of their potential, dampers give d qd; dtau/dq and dtau/dqd
 * are the slopes */
Test(ball_terms, slopes)
{
    static const double h = 1e-4;
    const unsigned springs = TQ_WITHOUT_FRICTION | TQ_WITHOUT_ROTOR | TQ_WITHOUT_GRAVITY |
                             TQ_WITHOUT_VELOCITY | TQ_WITHOUT_INERTIA;
    for (int seed = 0; seed < SEEDS; seed++) {
        trial t = open_trial((uint64_t)seed, true);
        const size_t nv = t.nv, stride = t.s.stride;
        double *q = tqt_doubles(t.model->nq), *qd = tqt_doubles(nv), *step = tqt_doubles(nv);
        double *moved = tqt_doubles(t.model->nq), *tau = tqt_doubles(nv);
        double *plus = tqt_doubles(nv), *minus = tqt_doubles(nv);
        double *d = tqt_doubles(2 * nv * nv * stride);
        tqt_sample(t.s.q, t.model->nq, stride, 0, q);
        tqt_sample(t.s.qd, nv, stride, 0, qd);
        const tq_inverse_input in = {
            .n_sample = N, .stride = stride, .q = t.s.q, .qd = t.s.qd, .qdd = t.s.qdd};
        tq_error e = {0};
        cr_assert(eq(int, tq_derivatives_batch(t.subject->mechanism, &in, &t.scratch, d, &e), 0));
        torque(&t, q, qd, springs, tau);
        for (size_t k = 0; k < nv; k++) {
            double *const both[2] = {plus, minus};
            double heights[2];
            for (int side = 0; side < 2; side++) {
                memset(step, 0, nv * sizeof *step);
                step[k] = side == 0 ? h : -h;
                tq_configuration_integrate(t.model, q, step, moved);
                heights[side] = potential(&t, moved);
                torque(&t, moved, qd, 0, both[side]);
            }
            cr_assert(lt(dbl, fabs((heights[0] - heights[1]) / (2.0 * h) - tau[k]), 2e-6),
                      "seed %d, row %zu", seed, k);
            for (size_t r = 0; r < nv; r++) {
                const double slope = (plus[r] - minus[r]) / (2.0 * h),
                             got = d[(r * nv + k) * stride];
                cr_assert(lt(dbl, fabs(slope - got), 1e-5 * (1.0 + fabs(got)) * 10.0),
                          "seed %d, dtau_%zu/dq_%zu: %g for %g", seed, r, k, got, slope);
            }
            for (int side = 0; side < 2; side++) {
                qd[k] += side == 0 ? h : -2.0 * h;
                torque(&t, q, qd, 0, both[side]);
            }
            qd[k] += h;
            for (size_t r = 0; r < nv; r++) {
                const double slope = (plus[r] - minus[r]) / (2.0 * h),
                             got = d[((nv + r) * nv + k) * stride];
                cr_assert(lt(dbl, fabs(slope - got), 1e-6 * (1.0 + fabs(got))),
                          "seed %d, dtau_%zu/dqd_%zu: %g for %g", seed, r, k, got, slope);
            }
        }
        free(q), free(qd), free(step), free(moved), free(tau), free(plus), free(minus), free(d);
        close_trial(&t);
    }
}

/* inverse dynamics, its terms one by one (with any omissions), M and C by Jacobians, and energies
 * agree */
Test(ball_terms, every_way_to_them_agrees)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        trial t = open_trial((uint64_t)seed, true);
        const size_t nv = t.nv, stride = t.s.stride;
        double *q = tqt_doubles(t.model->nq), *qd = tqt_doubles(nv), *qdd = tqt_doubles(nv);
        double *tau = tqt_doubles(nv), *sum = tqt_doubles(nv), *m = tqt_doubles(nv * nv);
        double *c = tqt_doubles(nv * nv), *block = tqt_doubles(nv * nv * stride);
        double *entries = tqt_doubles(TQ_LEDGER_COUNT * nv);
        tqt_sample(t.s.q, t.model->nq, stride, 0, q);
        tqt_sample(t.s.qd, nv, stride, 0, qd);
        tqt_sample(t.s.qdd, nv, stride, 0, qdd);
        tq_configuration p;
        tq_error e = {0};
        cr_assert(eq(int, tq_configuration_compute(t.model, q, qd, &t.scratch, &p, &e), 0));
        for (unsigned bit = 0; bit <= 7; bit++) {
            const unsigned without = bit == 7 ? 0 : 1u << bit;
            const tq_sample sample = {
                .q = q, .qd = qd, .qdd = qdd, .gravity = t.model->gravity, .without = without};
            cr_assert(eq(int, tq_ledger(&p, &sample, &t.scratch, entries, &e), 0));
            tqt_torque(t.subject, q, qd, qdd, without, tau);
            for (size_t r = 0; r < nv; r++) {
                sum[r] = 0.0;
                for (size_t k = 0; k < TQ_LEDGER_COUNT; k++) {
                    sum[r] += entries[k * nv + r];
                }
            }
            tqt_near(sum, tau, nv, 1e-11, "ledger", seed);
        }
        cr_assert(eq(int, tq_lagrangian_mass_matrix(&p, &t.scratch, m, &e), 0));
        cr_assert(eq(
            int, tq_mass_matrix(t.subject->mechanism, N, stride, t.s.q, 0, &t.scratch, block, &e),
            0));
        for (size_t k = 0; k < nv * nv; k++) {
            block[k] = block[k * stride];
        }
        tqt_near(block, m, nv * nv, 1e-11, "M", seed);
        cr_assert(
            eq(int, tq_lagrangian_coriolis(&p, qd, TQ_CORIOLIS_CHRISTOFFEL, &t.scratch, c, &e), 0));
        cr_assert(eq(int,
                     tq_coriolis_matrix(t.subject->mechanism, N, stride, t.s.q, t.s.qd, &t.scratch,
                                        block, &e),
                     0));
        for (size_t k = 0; k < nv * nv; k++) {
            block[k] = block[k * stride];
        }
        tqt_near(block, c, nv * nv, 1e-11, "C", seed);
        const tq_inverse_input in = {.n_sample = N, .stride = stride, .q = t.s.q, .qd = t.s.qd};
        cr_assert(eq(int, tq_energy(t.subject->mechanism, &in, &t.scratch, block, &e), 0));
        const double want[2] = {tq_lagrangian_kinetic(&p, qd),
                                tq_lagrangian_potential(&p, t.model->gravity, q)};
        const double got[2] = {block[0], block[stride]};
        double kinetic = 0.0;
        for (size_t k = 0; k < nv * nv; k++) {
            kinetic += 0.5 * qd[k / nv] * m[k] * qd[k % nv];
        }
        tqt_near(got, want, 2, 1e-12, "energy", seed);
        tqt_near(&kinetic, want, 1, 1e-12, "kinetic energy", seed);
        tqt_torque(t.subject, q, qd, NULL, ~(unsigned)TQ_WITHOUT_FRICTION, tau);
        for (uint32_t j = 0; j < t.model->n_joint; j++) {
            const tq_joint *joint = &t.model->joints[j];
            for (size_t r = joint->v_index; r < joint->v_index + joint->nv; r++) {
                cr_assert(eq(dbl, tau[r], joint->friction.viscous * qd[r]));
            }
        }
        free(q), free(qd), free(qdd), free(tau), free(sum), free(m), free(c), free(block);
        free(entries);
        close_trial(&t);
    }
}
