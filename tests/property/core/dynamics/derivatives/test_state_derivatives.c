/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/derivatives/test_state_derivatives.c - derivatives of torque and of
 * acceleration at one state against central differences, with terms left out. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/derivatives/state_derivatives.h"
#include "core/dynamics/mass_matrix/mass_matrix_inverse.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

enum { N = 3, SQUARE = N * N, BYTES = 1 << 22 };
/* step of central differences: eps / h^2-free optimum of first ones, errors of some 1e-9 of torques
 * of some 100 */
static const double h = 1e-5, slack = 1e-5;

typedef struct bench {
    tq_model *model;
    tqt_subject *subject;
    double x[3][N]; /* q, qd, qdd */
    void *memory;
} bench;

static bench open_bench(uint64_t seed)
{
    bench b = {.model =
                   tqt_random_arm(seed, N, TQT_WITH_SPRING | TQT_WITH_ROTOR,
                                  (tq_friction){.viscous = 0.4, .coulomb = 0.3, .smoothing = 2}),
               .memory = aligned_alloc(64, BYTES)};
    b.subject = tqt_subject_new(b.model, 0);
    for (int k = 0; k < 3 * N; k++) {
        b.x[k / N][k % N] = 0.3 + 0.7 * sin(2.0 * k + (double)seed);
    }
    return b;
}

static void close_bench(bench *b)
{
    free(b->memory);
    tqt_subject_free(b->subject);
    tqt_model_free(b->model);
}

/* what is computed at a state, by `of`: 3 N^2 or 4 N^3 numbers */
typedef enum what { TORQUE, TORQUE_SECOND, ACCELERATION, ACCELERATION_SECOND } what;

static void derive(const bench *b, what of, const double x[3][N], unsigned without, double *ret)
{
    tq_scratch scratch;
    tq_scratch_init(&scratch, b->memory, BYTES);
    const tq_sample sample = {
        .q = x[0], .qd = x[1], .qdd = x[2], .gravity = b->model->gravity, .without = without};
    tq_configuration posture;
    cr_assert(
        eq(int, tq_configuration_compute(b->model, x[0], x[1], &scratch, &posture, NULL), TQ_OK));
    const tq_state_of_motion state = {b->subject->mechanism, &posture, &sample};
    const tq_second_derivatives arrays = tq_second_arrays(ret, N);
    /* no more than it says */
    tq_scratch inner;
    const size_t size = tq_state_derivatives_scratch_size(b->subject->mechanism);
    tq_scratch_init(&inner, tq_scratch_take(&scratch, size, 1), size);
    tqt_spoil(&inner);
    const tq_status status =
        of == TORQUE          ? tq_state_torque_derivatives(&state, &inner, ret, NULL)
        : of == TORQUE_SECOND ? tq_state_torque_second_derivatives(&state, &inner, &arrays, NULL)
        : of == ACCELERATION
            ? tq_state_acceleration_derivatives(&state, &inner, ret, NULL)
            : tq_state_acceleration_second_derivatives(&state, &inner, &arrays, NULL);
    cr_assert(eq(int, status, TQ_OK));
    tq_scratch_release(b->memory, BYTES);
}

/* acceleration for a torque: M^-1 (tau - tau at rest of acceleration) */
static void accelerate(const bench *b, const double x[2][N], const double *tau, double *ret)
{
    double m[SQUARE], bias[N];
    tqt_mass(b->subject, x[0], m);
    tqt_torque(b->subject, x[0], x[1], NULL, 0, bias);
    for (int i = 0; i < N; i++) {
        ret[i] = tau[i] - bias[i];
    }
    cr_assert(eq(sz, tq_mass_matrix_factor(N, m), (size_t)N));
    tq_mass_matrix_solve(N, m, 1, ret);
}

Test(state_derivatives, of_torque_are_its_differences)
{
    static const unsigned left_out[] = {0, TQ_WITHOUT_VELOCITY, TQ_WITHOUT_FRICTION,
                                        TQ_WITHOUT_GRAVITY | TQ_WITHOUT_ROTOR};
    for (uint64_t seed = 1; seed < 9; seed++) {
        bench b = open_bench(seed);
        const unsigned without = left_out[seed % 4];
        double d[3 * SQUARE], tau[2][N], m[SQUARE];
        derive(&b, TORQUE, b.x, without, d);
        for (int k = 0; k < 2 * N; k++) {
            double *moved = &b.x[k / N][k % N];
            const double was = *moved;
            for (int side = 0; side < 2; side++) {
                *moved = was + (side == 0 ? h : -h);
                tqt_torque(b.subject, b.x[0], b.x[1], b.x[2], without, tau[side]);
            }
            *moved = was;
            for (int i = 0; i < N; i++) {
                const double want = (tau[0][i] - tau[1][i]) / (2 * h);
                const double got = d[(k / N) * SQUARE + i * N + k % N];
                cr_expect(fabs(got - want) < slack * (1 + fabs(want)), "seed %d %d %d: %g %g",
                          (int)seed, k, i, got, want);
            }
        }
        tqt_mass(b.subject, b.x[0], m);
        for (int k = 0; k < SQUARE; k++) {
            cr_expect(epsilon_eq(dbl, d[2 * SQUARE + k], m[k], 1e-10));
        }
        close_bench(&b);
    }
}

/* by q, qd and tau at the torque of the sample; inertia that is left out has no effect */
Test(state_derivatives, of_acceleration_are_its_differences)
{
    for (uint64_t seed = 1; seed < 9; seed++) {
        bench b = open_bench(seed);
        double d[3 * SQUARE], again[3 * SQUARE], tau[N], a[2][N];
        derive(&b, ACCELERATION, b.x, 0, d);
        derive(&b, ACCELERATION, b.x, TQ_WITHOUT_INERTIA, again);
        cr_expect(memcmp(d, again, sizeof d) == 0);
        tqt_torque(b.subject, b.x[0], b.x[1], b.x[2], 0, tau);
        for (int k = 0; k < 3 * N; k++) {
            double *moved = k < 2 * N ? &b.x[k / N][k % N] : &tau[k % N];
            const double was = *moved;
            for (int side = 0; side < 2; side++) {
                *moved = was + (side == 0 ? h : -h);
                accelerate(&b, b.x, tau, a[side]);
            }
            *moved = was;
            for (int i = 0; i < N; i++) {
                const double want = (a[0][i] - a[1][i]) / (2 * h);
                const double got = d[(k / N) * SQUARE + i * N + k % N];
                cr_expect(fabs(got - want) < slack * (1 + fabs(want)), "seed %d %d %d: %g %g",
                          (int)seed, k, i, got, want);
            }
        }
        close_bench(&b);
    }
}

/* Entry (i, j, k) of an array is the derivative by coordinate k of entry (i, j) of a first one; for
 * acceleration at constant torque, so that its own changes too. */
static void check_second(bench *b, bool of_torque)
{
    double second[4 * N * SQUARE], first[2][3 * SQUARE], tau[N], x[3][N];
    const tq_second_derivatives s = tq_second_arrays(second, N);
    derive(b, of_torque ? TORQUE_SECOND : ACCELERATION_SECOND, b->x, 0, second);
    tqt_torque(b->subject, b->x[0], b->x[1], b->x[2], 0, tau);
    for (int k = 0; k < 2 * N; k++) {
        const bool by_q = k < N;
        for (int side = 0; side < 2; side++) {
            memcpy(x, b->x, sizeof x);
            x[k / N][k % N] += side == 0 ? h : -h;
            if (!of_torque) {
                accelerate(b, x, tau, x[2]);
            }
            derive(b, of_torque ? TORQUE : ACCELERATION, x, 0, first[side]);
        }
        const double *const arrays[3] = {by_q ? s.dq_dq : NULL, by_q ? s.dqd_dq : s.dqd_dqd,
                                         by_q ? s.dqdd_dq : NULL};
        for (int of = 0; of < 3; of++) {
            for (int ij = 0; ij < SQUARE && arrays[of] != NULL; ij++) {
                const double want =
                    (first[0][of * SQUARE + ij] - first[1][of * SQUARE + ij]) / (2 * h);
                const double got = arrays[of][ij * N + k % N];
                cr_expect(fabs(got - want) < 10 * slack * (1 + fabs(want)), "%d %d %d: %g %g", of,
                          k, ij, got, want);
            }
        }
    }
}

Test(state_derivatives, second_ones_are_differences_of_first_ones)
{
    for (uint64_t seed = 1; seed < 5; seed++) {
        bench b = open_bench(seed);
        check_second(&b, true);
        check_second(&b, false);
        close_bench(&b);
    }
}
