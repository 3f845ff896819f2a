/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/derivatives/test_second_forward.c - second derivatives of
 * acceleration, of equations of motion whose torque is a polynomial of q, qd and qdd. */
#include "core/dynamics/derivatives/second_forward.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>

#include "tests/support/random.h"

enum { N = 5, SQUARE = N * N, CUBE = N * N * N, SEEDS = 20 };

/* tau = M(q) qdd + h(q, qd), M = m0 + sum of q_k m_k, h_i = 1/2 q'a_i q + qd'b_i q + 1/2 qd'c_i qd */
typedef struct motion {
    double m0[SQUARE], m[CUBE]; /* m[(i N + j) N + k] = dM_ij/dq_k, at every q */
    double a[CUBE], b[CUBE], c[CUBE];
    double q[N], qd[N], tau[N];
} motion;

static void open_motion(motion *t, uint64_t seed)
{
    tqt_random r = tqt_random_seed(seed + 77);
    double *const all = t->m0;
    for (size_t k = 0; k < sizeof *t / sizeof *all; k++) {
        all[k] = tqt_random_uniform(&r, -1.0, 1.0);
    }
    for (size_t i = 0; i < N; i++) {
        t->m0[i * N + i] += 12.0;
        for (size_t j = 0; j < i; j++) {
            t->m0[j * N + i] = t->m0[i * N + j];
            for (size_t k = 0; k < N; k++) {
                t->m[(j * N + i) * N + k] = t->m[(i * N + j) * N + k];
            }
        }
        for (size_t j = 0; j < N; j++) {
            for (size_t k = 0; k < j; k++) {
                t->a[(i * N + k) * N + j] = t->a[(i * N + j) * N + k];
                t->c[(i * N + k) * N + j] = t->c[(i * N + j) * N + k];
            }
        }
    }
}

static void mass(const motion *t, const double *q, double *ret)
{
    for (size_t e = 0; e < SQUARE; e++) {
        ret[e] = t->m0[e];
        for (size_t k = 0; k < N; k++) {
            ret[e] += t->m[e * N + k] * q[k];
        }
    }
}

/* by Gauss's elimination of M qdd = tau - h, without a pivot: M is diagonally dominant */
static void accelerate(const motion *t, const double *q, const double *qd, const double *tau,
                       double *ret)
{
    double m[SQUARE];
    mass(t, q, m);
    for (size_t i = 0; i < N; i++) {
        ret[i] = tau[i];
        for (size_t j = 0; j < N; j++) {
            for (size_t k = 0; k < N; k++) {
                const size_t e = (i * N + j) * N + k;
                ret[i] -= 0.5 * q[j] * t->a[e] * q[k] + qd[j] * t->b[e] * q[k] +
                          0.5 * qd[j] * t->c[e] * qd[k];
            }
        }
    }
    for (size_t p = 0; p < N; p++) {
        for (size_t i = 0; i < N; i++) {
            const double factor = m[i * N + p] / m[p * N + p];
            for (size_t j = p; i != p && j < N; j++) {
                m[i * N + j] -= factor * m[p * N + j];
            }
            ret[i] -= i != p ? factor * ret[p] : 0.0;
        }
    }
    for (size_t i = 0; i < N; i++) {
        ret[i] /= m[i * N + i];
    }
}

/* first and second derivatives of torque at `qdd` */
static void of_torque(const motion *t, const double *qdd, double *dq, double *dqd,
                      const tq_second_derivatives *ret)
{
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
            dq[i * N + j] = dqd[i * N + j] = 0.0;
            for (size_t k = 0; k < N; k++) {
                const size_t e = (i * N + j) * N + k, turned = (i * N + k) * N + j;
                dq[i * N + j] +=
                    t->m[turned] * qdd[k] + t->a[e] * t->q[k] + t->b[turned] * t->qd[k];
                dqd[i * N + j] += t->b[e] * t->q[k] + t->c[e] * t->qd[k];
            }
        }
    }
    memcpy(ret->dq_dq, t->a, sizeof t->a);
    memcpy(ret->dqd_dqd, t->c, sizeof t->c);
    memcpy(ret->dqd_dq, t->b, sizeof t->b);
    memcpy(ret->dqdd_dq, t->m, sizeof t->m);
}

/* d2F/dx_j dy_k of row i, x and y are two of q (0), qd (1) and tau (2): mixed differences of two
 * steps each, extrapolated as D(h) + (D(h) - D(2h)) / 3 */
static double difference(const motion *t, unsigned x, size_t j, unsigned y, size_t k, size_t i)
{
    double sums[2] = {0.0, 0.0};
    const double h = 2e-3;
    for (unsigned s = 0; s < 8; s++) {
        const double step = s < 4 ? h : 2.0 * h;
        const double to_x = (s & 1) != 0 ? step : -step, to_y = (s & 2) != 0 ? step : -step;
        motion moved = *t;
        double *const parts[3] = {moved.q, moved.qd, moved.tau};
        double qdd[N];
        parts[x][j] += to_x;
        parts[y][k] += to_y;
        accelerate(t, moved.q, moved.qd, moved.tau, qdd);
        sums[s / 4] += (to_x > 0.0) == (to_y > 0.0) ? qdd[i] : -qdd[i];
    }
    const double fine = sums[0] / (4.0 * h * h), coarse = sums[1] / (16.0 * h * h);
    return fine + (fine - coarse) / 3.0;
}

static void compare(const motion *t, const double *got, unsigned x, unsigned y, uint64_t seed)
{
    double largest = 0.0;
    for (size_t e = 0; e < CUBE; e++) {
        const double want = difference(t, x, e / N % N, y, e % N, e / SQUARE);
        largest = fmax(largest, fabs(want));
        cr_assert(lt(dbl, fabs(got[e] - want), 1e-8), "seed %d, %u by %u, %zu: %.15g, not %.15g",
                  (int)seed, x, y, e, got[e], want);
    }
    cr_assert(gt(dbl, largest, 1e-4));
}

Test(second_forward, of_a_motion_of_polynomials)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        motion t;
        double qdd[N], m[SQUARE], dq[SQUARE], dqd[SQUARE], work[2 * SQUARE], all[4 * CUBE];
        const tq_second_derivatives arrays = tq_second_arrays(all, N);
        tq_error fault = {0};
        open_motion(&t, seed);
        mass(&t, t.q, m);
        accelerate(&t, t.q, t.qd, t.tau, qdd);
        of_torque(&t, qdd, dq, dqd, &arrays);
        cr_assert(
            eq(int, tq_forward_second_derivatives(N, m, dq, dqd, work, &arrays, &fault), TQ_OK));
        compare(&t, arrays.dq_dq, 0, 0, seed);
        compare(&t, arrays.dqd_dqd, 1, 1, seed);
        compare(&t, arrays.dqd_dq, 1, 0, seed);
        compare(&t, arrays.dqdd_dq, 2, 0, seed);
    }
}

Test(second_forward, refuse_a_singular_mass_matrix_and_take_none)
{
    double m[4] = {1.0, 1.0, 1.0, 1.0}, dq[4] = {0}, dqd[4] = {0}, work[8], all[32] = {0};
    const tq_second_derivatives arrays = tq_second_arrays(all, 2);
    tq_error fault = {0};
    cr_assert(eq(int, tq_forward_second_derivatives(2, m, dq, dqd, work, &arrays, &fault),
                 TQ_ERR_SINGULAR));
    cr_assert(eq(str, (char *)fault.what, "mass_matrix"));
    cr_assert(eq(int, tq_forward_second_derivatives(0, m, dq, dqd, work, &arrays, &fault), TQ_OK));
}
