/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/constraints/test_dynamics.c - constrained accelerations, torques and states
 * satisfy their equations on random robots. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/constraints/dynamics.h"
#include "core/constraints/project.h"
#include "tests/support/constrained.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

enum { N_SEED = 60, N = 5, STRIDE = 8, NV = 40, ROWS = 24, BYTES = 8 << 20 };

static _Alignas(64) unsigned char memory[BYTES];

typedef struct trial {
    tq_model *model;
    tqt_subject *subject;
    tqt_states states;
    tqt_constrained constrained;
    double qdd[NV * STRIDE], tau[NV * STRIDE], multipliers[ROWS * STRIDE];
} trial;

static trial t;

/* false: the random robot of this seed does not have the required size */
static bool open_trial(uint64_t seed, uint32_t n_constraint)
{
    const tqt_robot_options options = {6 + (uint32_t)(seed % 5), TQT_KINDS_ALL,
                                       TQT_WITH_ALL & ~(unsigned)TQT_WITH_MASSLESS};
    t.model = tqt_random_robot(seed, options);
    if (t.model->nv < 8 || t.model->nv > NV) {
        tqt_model_free(t.model);
        return false;
    }
    t.subject = tqt_subject_new(t.model, 0);
    t.states = tqt_random_states(seed, t.model, N);
    tqt_random_constraints(seed, t.model, (unsigned)seed, n_constraint, &t.constrained);
    return true;
}

static void close_trial(void)
{
    tqt_states_free(&t.states);
    tqt_subject_free(t.subject);
    tqt_model_free(t.model);
}

static tq_forward_input input(const double *tau, size_t first, size_t n)
{
    return (tq_forward_input){.n_sample = n,
                              .stride = STRIDE,
                              .q = t.states.q + first,
                              .qd = t.states.qd + first,
                              .tau = tau + first};
}

static tq_status forward(const double *tau, double *qdd, double *multipliers, tq_error *error)
{
    tq_scratch scratch;
    const tq_forward_input in = input(tau, 0, N);
    const size_t need =
        tq_constrained_forward_scratch_size(t.subject->mechanism, &t.constrained.set, 0);
    cr_assert(le(sz, need, sizeof memory));
    tq_scratch_init(&scratch, memory, need);
    const tq_status status = tq_constrained_forward(t.subject->mechanism, &t.constrained.set, &in,
                                                    &scratch, qdd, multipliers, error);
    cr_assert(eq(sz, scratch.used, 0));
    return status;
}

/* rows at sample i */
static void rows_at(size_t i, double *a, double *rate, double *q, double *qd)
{
    tq_scratch scratch;
    tq_configuration posture;
    tq_scratch_init(&scratch, memory, sizeof memory);
    tqt_sample(t.states.q, t.model->nq, STRIDE, i, q);
    tqt_sample(t.states.qd, t.model->nv, STRIDE, i, qd);
    cr_assert(eq(int, tq_configuration_compute(t.model, q, qd, &scratch, &posture, NULL), TQ_OK));
    const tq_constraint_rows to = {.a = a, .rate = rate};
    cr_assert(eq(
        int, tq_constraint_rows_compute(&t.constrained.set, &posture, q, qd, &scratch, &to, NULL),
        TQ_OK));
}

/* tau + A^T multipliers equals inverse dynamics of qdd, and A qdd = -dA/dt qd */
static void check_equations(uint64_t seed)
{
    const size_t nv = t.model->nv;
    static double a[ROWS * NV], rate[ROWS * NV];
    double q[NV + 16], qd[NV], qdd[NV], tau[NV];
    for (size_t i = 0; i < N; i++) {
        rows_at(i, a, rate, q, qd);
        tqt_sample(t.qdd, nv, STRIDE, i, qdd);
        tqt_torque(t.subject, q, qd, qdd, 0, tau);
        double size = 1.0;
        for (size_t k = 0; k < nv; k++) {
            size = fmax(size, fabs(tau[k]) + fabs(qdd[k]));
        }
        for (uint32_t r = 0; r < t.constrained.set.n_row; r++) {
            double sum = 0.0;
            for (size_t k = 0; k < nv; k++) {
                tau[k] -= a[r * nv + k] * t.multipliers[r * STRIDE + i];
                sum += a[r * nv + k] * qdd[k] + rate[r * nv + k] * qd[k];
                size = fmax(size, fabs(t.multipliers[r * STRIDE + i]));
            }
            /* solves of condition up to 1e5 or so: 1e5 * 100 eps of the largest number */
            cr_assert(fabs(sum) < 1e-9 * size, "seed %u, row %u: %g of %g", (unsigned)seed, r, sum,
                      size);
        }
        for (size_t k = 0; k < nv; k++) {
            cr_assert(fabs(tau[k] - t.tau[k * STRIDE + i]) < 1e-9 * size, "seed %u: %g of %g",
                      (unsigned)seed, tau[k] - t.tau[k * STRIDE + i], size);
        }
    }
}

static void random_torque(uint64_t seed)
{
    tqt_random r = tqt_random_seed(seed + 1000);
    for (size_t k = 0; k < t.model->nv * (size_t)STRIDE; k++) {
        t.tau[k] = tqt_random_uniform(&r, -10.0, 10.0);
    }
}

Test(constrained_dynamics, satisfies_its_equations)
{
    size_t n = 0;
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        if (!open_trial(seed, 2)) {
            continue;
        }
        tq_error error = {0};
        random_torque(seed);
        const tq_status status = forward(t.tau, t.qdd, t.multipliers, &error);
        /* random loops may be impossible for the joints between them */
        cr_assert(status == TQ_OK ||
                      (status == TQ_ERR_SINGULAR && strncmp(error.what, "constraint", 10) == 0),
                  "seed %u: %s %s", (unsigned)seed, tq_status_slug(status), error.what);
        if (status == TQ_OK) {
            check_equations(seed);
            n++;
        }
        close_trial();
    }
    cr_assert(gt(sz, n, N_SEED / 2));
}

Test(constrained_dynamics, a_sample_has_its_own_bits)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        if (!open_trial(seed, 2)) {
            continue;
        }
        random_torque(seed);
        if (forward(t.tau, t.qdd, t.multipliers, NULL) == TQ_OK) {
            for (size_t i = 0; i < N; i++) {
                static _Alignas(64) double x[4][NV * STRIDE], multipliers[ROWS * STRIDE];
                tq_scratch scratch;
                const double *from[3] = {t.states.q, t.states.qd, t.tau};
                for (size_t k = 0; k < 3; k++) {
                    for (size_t r = 0; r < (k == 0 ? t.model->nq : t.model->nv); r++) {
                        for (size_t s = 0; s < STRIDE; s++) {
                            x[k][r * STRIDE + s] = from[k][r * STRIDE + i];
                        }
                    }
                }
                const tq_forward_input in = {
                    .n_sample = 1, .stride = STRIDE, .q = x[0], .qd = x[1], .tau = x[2]};
                tq_scratch_init(&scratch, memory, sizeof memory);
                cr_assert(eq(int,
                             tq_constrained_forward(t.subject->mechanism, &t.constrained.set, &in,
                                                    &scratch, x[3], multipliers, NULL),
                             TQ_OK));
                for (size_t r = 0; r < t.model->nv; r++) {
                    cr_assert(eq(dbl, x[3][r * STRIDE], t.qdd[r * STRIDE + i]));
                }
                for (size_t r = 0; r < t.constrained.set.n_row; r++) {
                    cr_assert(eq(dbl, multipliers[r * STRIDE], t.multipliers[r * STRIDE + i]));
                }
            }
        }
        close_trial();
    }
}

/* minimum-norm torques reproduce the motion from which they were computed */
Test(constrained_dynamics, forward_undoes_inverse)
{
    size_t n = 0;
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        if (!open_trial(seed, 2)) {
            continue;
        }
        random_torque(seed);
        if (forward(t.tau, t.qdd, t.multipliers, NULL) == TQ_OK) {
            static _Alignas(64) double tau[NV * STRIDE], qdd[NV * STRIDE];
            tq_actuation actuation[N];
            tq_scratch scratch;
            const tq_inverse_input in = {
                .n_sample = N, .stride = STRIDE, .q = t.states.q, .qd = t.states.qd, .qdd = t.qdd};
            const size_t need =
                tq_constrained_inverse_scratch_size(t.subject->mechanism, &t.constrained.set, 0);
            tq_scratch_init(&scratch, memory, need);
            cr_assert(eq(int,
                         tq_constrained_inverse(t.subject->mechanism, &t.constrained.set, &in,
                                                &scratch, tau, t.multipliers, actuation, NULL),
                         TQ_OK));
            cr_assert(eq(int, forward(tau, qdd, t.multipliers, NULL), TQ_OK));
            for (size_t i = 0; i < N; i++) {
                double size = 1.0, norm[2] = {0.0, 0.0};
                for (size_t k = 0; k < t.model->nv; k++) {
                    size = fmax(size, fabs(t.qdd[k * STRIDE + i]));
                    norm[0] += tau[k * STRIDE + i] * tau[k * STRIDE + i];
                    norm[1] += t.tau[k * STRIDE + i] * t.tau[k * STRIDE + i];
                }
                for (size_t k = 0; k < t.model->nv; k++) {
                    cr_assert(fabs(qdd[k * STRIDE + i] - t.qdd[k * STRIDE + i]) < 1e-8 * size,
                              "seed %u: %g of %g", (unsigned)seed,
                              qdd[k * STRIDE + i] - t.qdd[k * STRIDE + i], size);
                }
                cr_assert(norm[0] <= norm[1] * (1.0 + 1e-9), "least norm");
                cr_assert(eq(sz, actuation[i].n_internal + actuation[i].n_freedom, t.model->nv));
            }
            n++;
        }
        close_trial();
    }
    cr_assert(gt(sz, n, N_SEED / 2));
}

/* a displaced state is projected back onto the constraints, by a smaller displacement than the
 * first in the metric of M */
Test(constrained_dynamics, states_are_projected)
{
    size_t n = 0;
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        if (!open_trial(seed, 2)) {
            continue;
        }
        tq_scratch scratch;
        tq_projection done;
        tq_error error = {0};
        const size_t need = tq_project_scratch_size(t.subject->mechanism, &t.constrained.set);
        tq_scratch_init(&scratch, memory, need);
        const tq_constraint_states states = {
            .n_sample = N, .stride = STRIDE, .q = t.states.q, .qd = t.states.qd};
        const tq_status status = tq_constraints_project(t.subject->mechanism, &t.constrained.set,
                                                        &states, 1e-10, &scratch, &done, &error);
        cr_assert(eq(sz, scratch.used, 0));
        if (status == TQ_OK) {
            static double a[ROWS * NV], h[ROWS], velocity[ROWS];
            for (size_t i = N; i % TQ_BLOCK_PAD != 0; i++) { /* padding is the last sample */
                for (uint32_t r = 0; r < t.model->nq + t.model->nv; r++) {
                    const double *row = r < t.model->nq ? t.states.q + r * STRIDE
                                                        : t.states.qd + (r - t.model->nq) * STRIDE;
                    cr_assert(row[i] == row[N - 1], "seed %u: padding", (unsigned)seed);
                }
            }
            for (size_t i = 0; i < N; i++) {
                double q[NV + 16], qd[NV];
                tq_configuration posture;
                tq_scratch_init(&scratch, memory, sizeof memory);
                tqt_sample(t.states.q, t.model->nq, STRIDE, i, q);
                tqt_sample(t.states.qd, t.model->nv, STRIDE, i, qd);
                (void)tq_configuration_compute(t.model, q, qd, &scratch, &posture, NULL);
                const tq_constraint_rows to = {.a = a, .position = h, .velocity = velocity};
                (void)tq_constraint_rows_compute(&t.constrained.set, &posture, q, qd, &scratch, &to,
                                                 NULL);
                for (uint32_t r = 0; r < t.constrained.set.n_row; r++) {
                    cr_assert(fabs(h[r]) <= 1e-10 && fabs(velocity[r]) < 1e-9, "seed %u: %g %g",
                              (unsigned)seed, h[r], velocity[r]);
                }
            }
            n++;
        } else {
            cr_assert(status == TQ_ERR_NO_CONVERGENCE || status == TQ_ERR_SINGULAR, "seed %u: %s",
                      (unsigned)seed, tq_status_slug(status));
        }
        close_trial();
    }
    cr_assert(gt(sz, n, N_SEED / 4), "only %zu", n);
}
