/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/test_lagrangian.c - M, C, g and energies by Jacobians against
 * virtual work in long double. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/lagrangian.h"
#include "tests/support/lagrange.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

enum { SEEDS = 60, BYTES = 32 << 20, JOINT_MAX = 14 };

typedef struct fixture {
    tq_model *model;
    tqt_states states;
    double *q, *qd, *qdd;
    tq_scratch scratch;
    tq_configuration posture;
    size_t nv;
} fixture;

static fixture open_case(uint64_t seed, unsigned kinds)
{
    fixture f = {0};
    const tqt_robot_options options = {
        .n_joint = 1 + (uint32_t)(seed % JOINT_MAX), .kinds = kinds, .with = TQT_WITH_ALL};
    f.model = tqt_random_robot(seed, options);
    f.nv = f.model->nv;
    f.states = tqt_random_states(seed + 1000, f.model, 1);
    f.q = tqt_doubles(f.model->nq);
    f.qd = tqt_doubles(f.nv);
    f.qdd = tqt_doubles(f.nv);
    tqt_sample(f.states.q, f.model->nq, f.states.stride, 0, f.q);
    tqt_sample(f.states.qd, f.nv, f.states.stride, 0, f.qd);
    tqt_sample(f.states.qdd, f.nv, f.states.stride, 0, f.qdd);
    void *memory = aligned_alloc(64, BYTES);
    cr_assert(ne(ptr, memory, NULL));
    tq_scratch_init(&f.scratch, memory, BYTES);
    cr_assert(
        eq(int, tq_configuration_compute(f.model, f.q, f.qd, &f.scratch, &f.posture, NULL), TQ_OK));
    return f;
}

static void close_case(fixture *f)
{
    tqt_states_free(&f->states);
    free(f->scratch.memory);
    free(f->q);
    free(f->qd);
    free(f->qdd);
    tqt_model_free(f->model);
}

Test(lagrangian, mass_matrix_equals_virtual_work)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        fixture f = open_case(seed, TQT_KINDS_ALL);
        double *m = tqt_doubles(f.nv * f.nv);
        tqt_sum *want = calloc(f.nv * f.nv + 1, sizeof *want);
        cr_assert(eq(int, tq_lagrangian_mass_matrix(&f.posture, &f.scratch, m, NULL), TQ_OK));
        tqt_mass_matrix(f.model, f.q, want);
        /* coordinates about the world origin lose more digits than link coordinates: a few hundred
         * eps n */
        cr_assert(lt(dbl, tqt_worst(f.model, m, want, f.nv * f.nv), 1000.0), "seed %d", (int)seed);
        free(m);
        free(want);
        close_case(&f);
    }
}

/* tau of the reference for the rigid bodies only */
static void reference_tau(const fixture *f, const double *qd, const double *qdd, tqt_sum *want)
{
    const tqt_problem problem = {.model = f->model,
                                 .state = {.q = f->q, .qd = qd, .qdd = qdd},
                                 .without = TQ_WITHOUT_FRICTION | TQ_WITHOUT_SPRING};
    tqt_inverse_dynamics(&problem, want);
}

static bool has_true_coordinates(const tq_model *model)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint_kind kind = model->joints[j].kind;
        if (kind == TQ_JOINT_SPHERICAL || kind == TQ_JOINT_FLOATING) {
            return false;
        }
    }
    return true;
}

Test(lagrangian, equation_of_motion_in_all_four_forms)
{
    size_t compared = 0;
    for (uint64_t seed = 0; seed < 2 * SEEDS; seed++) {
        const unsigned kinds = seed < SEEDS ? TQT_KINDS_ALL : TQT_KINDS_ONE | 1u << TQ_JOINT_PLANAR;
        fixture f = open_case(seed, kinds);
        double *m = tqt_doubles(f.nv * f.nv);
        double *c = tqt_doubles(f.nv * f.nv);
        double *g = tqt_doubles(f.nv);
        tqt_sum *want = calloc(f.nv + 1, sizeof *want);
        reference_tau(&f, f.qd, f.qdd, want);
        cr_assert(eq(int, tq_lagrangian_mass_matrix(&f.posture, &f.scratch, m, NULL), TQ_OK));
        tq_lagrangian_gravity(&f.posture, f.model->gravity, g);
        for (int form = TQ_CORIOLIS_CHRISTOFFEL; form <= TQ_CORIOLIS_STACKED; form++) {
            const tq_status status = tq_lagrangian_coriolis(
                &f.posture, f.qd, (tq_coriolis_form)form, &f.scratch, c, NULL);
            if (!has_true_coordinates(f.model) &&
                (form == TQ_CORIOLIS_C1 || form == TQ_CORIOLIS_C2)) {
                cr_assert(eq(int, status, TQ_ERR_RANGE));
                continue;
            }
            cr_assert(eq(int, status, TQ_OK));
            compared++;
            double *tau = tqt_doubles(f.nv);
            for (size_t i = 0; i < f.nv; i++) {
                tau[i] = g[i];
                for (size_t j = 0; j < f.nv; j++) {
                    tau[i] += m[i * f.nv + j] * f.qdd[j] + c[i * f.nv + j] * f.qd[j];
                }
            }
            cr_assert(lt(dbl, tqt_worst(f.model, tau, want, f.nv), 4000.0), "seed %d form %d",
                      (int)seed, form);
            free(tau);
        }
        cr_assert(eq(sz, f.scratch.used, tq_configuration_scratch_size(f.model)),
                  "scratch released");
        free(m);
        free(c);
        free(g);
        free(want);
        close_case(&f);
    }
    cr_assert(ge(sz, compared, 4 * SEEDS), "all four forms were seen");
}

/* largest |Mdot - C - C^T|, with Mdot = sum_k dM/dq_k qd_k by a central difference along the motion
 */
static double skew_residual(fixture *f, tq_coriolis_form form, double *ret_scale)
{
    const size_t nv = f->nv;
    double *c = tqt_doubles(nv * nv);
    double *fore = tqt_doubles(nv * nv);
    double *back = tqt_doubles(nv * nv);
    double *q = tqt_doubles(f->model->nq);
    const double h = 1e-5;
    cr_assert(
        eq(int, tq_lagrangian_coriolis(&f->posture, f->qd, form, &f->scratch, c, NULL), TQ_OK));
    for (int side = -1; side <= 1; side += 2) {
        tq_configuration moved;
        const size_t mark = tq_scratch_mark(&f->scratch);
        for (size_t i = 0; i < nv; i++) {
            q[i] = f->q[i] + side * h * f->qd[i];
        }
        cr_assert(
            eq(int, tq_configuration_compute(f->model, q, NULL, &f->scratch, &moved, NULL), TQ_OK));
        cr_assert(eq(int,
                     tq_lagrangian_mass_matrix(&moved, &f->scratch, side < 0 ? back : fore, NULL),
                     TQ_OK));
        tq_scratch_rewind(&f->scratch, mark);
    }
    double worst = 0.0;
    *ret_scale = 0.0;
    for (size_t i = 0; i < nv; i++) {
        for (size_t j = 0; j < nv; j++) {
            const double rate = (fore[i * nv + j] - back[i * nv + j]) / (2 * h);
            worst = fmax(worst, fabs(rate - c[i * nv + j] - c[j * nv + i]));
            *ret_scale = fmax(*ret_scale, fabs(fore[i * nv + j]));
        }
    }
    free(c);
    free(fore);
    free(back);
    free(q);
    return worst;
}

Test(lagrangian, only_the_christoffel_form_is_skew)
{
    size_t loose = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        fixture f = {0};
        const tqt_robot_options options = {.n_joint = 3 + (uint32_t)(seed % 5),
                                           .kinds = TQT_KINDS_ONE,
                                           .with = TQT_WITH_BRANCHES | TQT_WITH_ROTOR};
        f.model = tqt_random_robot(seed, options);
        f.nv = f.model->nv;
        f.states = tqt_random_states(seed, f.model, 1);
        f.q = tqt_doubles(f.model->nq), f.qd = tqt_doubles(f.nv), f.qdd = tqt_doubles(f.nv);
        tqt_sample(f.states.q, f.model->nq, f.states.stride, 0, f.q);
        tqt_sample(f.states.qd, f.nv, f.states.stride, 0, f.qd);
        tq_scratch_init(&f.scratch, aligned_alloc(64, BYTES), BYTES);
        cr_assert(eq(int,
                     tq_configuration_compute(f.model, f.q, f.qd, &f.scratch, &f.posture, NULL),
                     TQ_OK));
        double scale = 0.0;
        /* difference of second order at step 1e-5: h^2 times third derivatives, and eps / h */
        cr_assert(lt(dbl, skew_residual(&f, TQ_CORIOLIS_CHRISTOFFEL, &scale), 1e-6 * (1 + scale)),
                  "seed %d", (int)seed);
        for (int form = TQ_CORIOLIS_C1; form <= TQ_CORIOLIS_STACKED; form++) {
            loose += skew_residual(&f, (tq_coriolis_form)form, &scale) > 1e-3 * (1 + scale);
        }
        close_case(&f);
    }
    cr_assert(gt(sz, loose, 30), "negative control: the other forms are not skew");
}

Test(lagrangian, christoffel_symbols_make_the_matrix)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        fixture f = open_case(seed, TQT_KINDS_ALL);
        const size_t nv = f.nv;
        double *gamma = tqt_doubles(nv * nv * nv);
        double *c = tqt_doubles(nv * nv);
        cr_assert(eq(int, tq_lagrangian_christoffel(&f.posture, &f.scratch, gamma, NULL), TQ_OK));
        cr_assert(eq(
            int,
            tq_lagrangian_coriolis(&f.posture, f.qd, TQ_CORIOLIS_CHRISTOFFEL, &f.scratch, c, NULL),
            TQ_OK));
        for (size_t ij = 0; ij < nv * nv; ij++) {
            double sum = 0.0;
            double terms = 1.0;
            for (size_t k = 0; k < nv; k++) {
                sum += gamma[ij * nv + k] * f.qd[k];
                terms += fabs(gamma[ij * nv + k] * f.qd[k]);
            }
            cr_assert(epsilon_eq(dbl, sum, c[ij], 1e4 * 0x1p-52 * terms * (double)(nv + 10)),
                      "seed %d", (int)seed);
        }
        free(gamma);
        free(c);
        close_case(&f);
    }
}

/* dM/dq by central differences of M, and C qd by recursive Newton-Euler */
Test(lagrangian, derivatives_of_mass_and_velocity_torque)
{
    static const double h = 1e-5;
    for (uint64_t seed = 0; seed < SEEDS / 4; seed++) {
        fixture f = open_case(seed, TQT_KINDS_ONE);
        tqt_subject *subject = tqt_subject_new(f.model, 0);
        const size_t nv = f.nv;
        double *d = tqt_doubles(nv * nv * nv), *v = tqt_doubles(nv), *want = tqt_doubles(nv);
        double *m[2] = {tqt_doubles(nv * nv), tqt_doubles(nv * nv)}, largest = 0.0;
        cr_assert(eq(int, tq_lagrangian_mass_matrix(&f.posture, &f.scratch, m[0], NULL), TQ_OK));
        for (size_t ij = 0; ij < nv * nv; ij++) {
            largest = fmax(largest, fabs(m[0][ij]));
        }
        cr_assert(
            eq(int, tq_lagrangian_mass_matrix_derivatives(&f.posture, &f.scratch, d, NULL), TQ_OK));
        for (uint32_t j = 0; j < f.model->n_joint; j++) {
            const tq_joint *joint = &f.model->joints[j];
            const size_t k = joint->v_index;
            for (int side = 0; side < 2 && joint->mimic == TQ_NONE && joint->nv == 1; side++) {
                const size_t mark = tq_scratch_mark(&f.scratch);
                tq_configuration p;
                f.q[joint->q_index] += side == 0 ? h : -2 * h;
                cr_assert(
                    eq(int, tq_configuration_compute(f.model, f.q, NULL, &f.scratch, &p, NULL), 0));
                cr_assert(eq(int, tq_lagrangian_mass_matrix(&p, &f.scratch, m[side], NULL), 0));
                f.q[joint->q_index] += side == 0 ? 0 : h;
                tq_scratch_rewind(&f.scratch, mark);
            }
            for (size_t ij = 0; ij < nv * nv && joint->mimic == TQ_NONE && joint->nv == 1; ij++) {
                /* h^2 times a third derivative, eps / h of the largest entry and its sums */
                const double want = (m[0][ij] - m[1][ij]) / (2 * h), got = d[ij * nv + k];
                cr_expect(fabs(got - want) < 1e-8 * (1 + largest), "seed %d: %g %g", (int)seed, got,
                          want);
            }
        }
        cr_assert(
            eq(int, tq_lagrangian_velocity_torque(&f.posture, f.qd, &f.scratch, v, NULL), TQ_OK));
        tqt_velocity(subject, f.q, f.qd, want);
        for (size_t i = 0; i < nv; i++) {
            cr_expect(epsilon_eq(dbl, v[i], want[i], 1e-9 * (1 + fabs(want[i]))), "seed %d",
                      (int)seed);
        }
        free(d);
        free(v);
        free(want);
        free(m[0]);
        free(m[1]);
        tqt_subject_free(subject);
        close_case(&f);
    }
}

Test(lagrangian, energies_equal_the_reference)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        fixture f = open_case(seed, TQT_KINDS_ALL);
        long double kinetic = 0, potential = 0;
        const tqt_problem problem = {.model = f.model,
                                     .state = {.q = f.q, .qd = f.qd, .qdd = f.qdd}};
        tqt_energy(&problem, &kinetic, &potential);
        const double t = tq_lagrangian_kinetic(&f.posture, f.qd);
        cr_assert(epsilon_eq(dbl, t, (double)kinetic, 1e-12 * (1 + fabs(t))), "seed %d", (int)seed);
        /* the reference omits the root link: its height is constant, and the root is not random */
        const double *c = f.model->links[f.model->root].inertia.com;
        const double root =
            -f.model->links[f.model->root].inertia.mass *
            (f.model->gravity[0] * c[0] + f.model->gravity[1] * c[1] + f.model->gravity[2] * c[2]);
        const double p = tq_lagrangian_potential(&f.posture, f.model->gravity, f.q) - root;
        cr_assert(epsilon_eq(dbl, p, (double)potential, 1e-11 * (1 + fabs(p) + fabs(root))),
                  "seed %d", (int)seed);
        close_case(&f);
    }
}

Test(lagrangian, jacobians_turn_rates_into_velocities_in_every_frame)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        fixture f = open_case(seed, TQT_KINDS_ALL);
        double *j = tqt_doubles(6 * f.nv);
        double *rate = tqt_doubles(6 * f.nv);
        const double at[3] = {0.3, -0.2, 0.5};
        tqt_link_motion *links = calloc(f.model->n_link, sizeof *links);
        const tqt_state state = {.q = f.q, .qd = f.qd, .qdd = f.qdd};
        tqt_move(f.model, &state, links);
        for (uint32_t link = 0; link < f.model->n_link; link++) {
            for (int frame = TQ_JACOBIAN_WORLD; frame <= TQ_JACOBIAN_WORLD_ALIGNED; frame++) {
                double v[6];
                tq_configuration_jacobian(&f.posture, link, at, (tq_jacobian_frame)frame, j, rate);
                tq_configuration_velocity(&f.posture, link, at, (tq_jacobian_frame)frame, v);
                for (size_t r = 0; r < 6; r++) {
                    double sum = 0.0;
                    for (size_t k = 0; k < f.nv; k++) {
                        sum += j[r * f.nv + k] * f.qd[k];
                    }
                    cr_assert(epsilon_eq(dbl, sum, v[r], 1e-11 * (1 + fabs(v[r]) + fabs(sum))));
                }
            }
            /* acceleration of the centre of mass: J qdd + Jdot qd, against the reference's second
             * derivative */
            tq_configuration_jacobian(&f.posture, link, f.model->links[link].inertia.com,
                                      TQ_JACOBIAN_WORLD_ALIGNED, j, rate);
            for (size_t r = 0; r < 3; r++) {
                double sum = 0.0;
                double terms = 1.0;
                for (size_t k = 0; k < f.nv; k++) {
                    const double a = j[r * f.nv + k] * f.qdd[k], b = rate[r * f.nv + k] * f.qd[k];
                    sum += a + b;
                    terms += fabs(a) + fabs(b);
                }
                cr_assert(epsilon_eq(dbl, sum, (double)links[link].com_a[r], 1e-11 * terms),
                          "seed %d", (int)seed);
            }
        }
        free(links);
        free(j);
        free(rate);
        close_case(&f);
    }
}

Test(lagrangian, guards)
{
    fixture f = open_case(7, TQT_KINDS_ALL);
    unsigned char small[64] __attribute__((aligned(64)));
    tq_scratch scratch;
    tq_scratch_init(&scratch, small, sizeof small);
    tq_error error;
    tq_configuration p;
    cr_assert(eq(int, tq_configuration_compute(f.model, f.q, f.qd, &scratch, &p, &error),
                 TQ_ERR_SCRATCH));
    cr_assert(eq(dbl, error.value, (double)tq_configuration_scratch_size(f.model)));
    cr_assert(
        eq(int, tq_lagrangian_mass_matrix(&f.posture, &scratch, NULL, &error), TQ_ERR_SCRATCH));
    close_case(&f);
    tq_model *ball = tqt_random_robot(
        3, (tqt_robot_options){.n_joint = 1, .kinds = 1u << TQ_JOINT_SPHERICAL, .with = 0});
    const double off[4] = {1.1, 0, 0, 0};
    static _Alignas(64) unsigned char room[1 << 16];
    tq_scratch_init(&scratch, room, sizeof room);
    cr_assert(eq(int, tq_configuration_compute(ball, off, NULL, &scratch, &p, &error),
                 TQ_ERR_QUATERNION));
    cr_assert(eq(dbl, error.value, 1.1));
    cr_assert(eq(sz, scratch.used, 0));
    tqt_model_free(ball);
}
