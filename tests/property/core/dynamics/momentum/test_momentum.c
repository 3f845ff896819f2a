/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/momentum/test_momentum.c - momentum and centre of mass against the
 * reference; operational-space inertia. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/lagrangian.h"
#include "core/dynamics/momentum/momentum.h"
#include "tests/support/motion.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

enum { BYTES = 4 << 20 };

Test(momentum, sums_equal_the_reference)
{
    void *memory = aligned_alloc(64, BYTES);
    for (uint64_t seed = 0; seed < 60; seed++) {
        const tqt_robot_options options = {
            .n_joint = 1 + (uint32_t)(seed % 12), .kinds = TQT_KINDS_ALL, .with = TQT_WITH_ALL};
        tq_model *model = tqt_random_robot(seed, options);
        tqt_states states = tqt_random_states(seed, model, 1);
        double *q = tqt_doubles(model->nq), *qd = tqt_doubles(model->nv);
        double *j = tqt_doubles(3 * model->nv);
        tqt_sample(states.q, model->nq, states.stride, 0, q);
        tqt_sample(states.qd, model->nv, states.stride, 0, qd);
        tq_scratch scratch;
        tq_configuration p;
        tq_momentum got;
        tq_scratch_init(&scratch, memory, BYTES);
        cr_assert(eq(int, tq_configuration_compute(model, q, qd, &scratch, &p, NULL), TQ_OK));
        tq_momentum_compute(&p, &got);
        tq_com_jacobian(&p, j);
        tqt_link_motion *links = calloc(model->n_link, sizeof *links);
        const tqt_state state = {.q = q, .qd = qd};
        tqt_move(model, &state, links);
        for (size_t k = 0; k < 3; k++) {
            const size_t a = (k + 1) % 3, b = (k + 2) % 3;
            long double linear = 0, angular = 0, terms = 1;
            for (uint32_t l = 0; l < model->n_link; l++) {
                const long double m = (long double)model->links[l].inertia.mass;
                const tqt_link_motion *x = &links[l];
                linear += m * x->com_v[k];
                const long double spin = x->inertia[3 * k] * x->omega[0] +
                                         x->inertia[3 * k + 1] * x->omega[1] +
                                         x->inertia[3 * k + 2] * x->omega[2];
                angular += m * (x->com[a] * x->com_v[b] - x->com[b] * x->com_v[a]) + spin;
                terms += fabsl(m * x->com[a] * x->com_v[b]) + fabsl(m * x->com[b] * x->com_v[a]) +
                         fabsl(spin) + fabsl(m * x->com_v[k]);
            }
            const double tolerance = 1e-12 * (double)terms; /* n eps with a wide margin */
            cr_assert(epsilon_eq(dbl, got.linear[k], (double)linear, tolerance), "seed %d",
                      (int)seed);
            cr_assert(epsilon_eq(dbl, got.angular_origin[k], (double)angular, tolerance), "seed %d",
                      (int)seed);
            double velocity = 0;
            for (size_t i = 0; i < model->nv; i++) {
                velocity += j[k * model->nv + i] * qd[i];
            }
            cr_assert(epsilon_eq(dbl, velocity, got.com_velocity[k], 1e-11 * (1 + fabs(velocity))));
        }
        free(links);
        free(j);
        free(q);
        free(qd);
        tqt_states_free(&states);
        tqt_model_free(model);
    }
    free(memory);
}

/* x := M^-1 x by elimination with pivoting, independent of core */
static void solve(size_t n, const double *m, long double *x)
{
    long double a[16][16];
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            a[i][k] = m[i * n + k];
        }
    }
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++) {
            best = fabsl(a[i][k]) > fabsl(a[best][k]) ? i : best;
        }
        for (size_t c = 0; c < n; c++) {
            const long double held = a[k][c];
            a[k][c] = a[best][c], a[best][c] = held;
        }
        const long double held = x[k];
        x[k] = x[best], x[best] = held;
        for (size_t i = k + 1; i < n; i++) {
            const long double f = a[i][k] / a[k][k];
            for (size_t c = k; c < n; c++) {
                a[i][c] -= f * a[k][c];
            }
            x[i] -= f * x[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t c = k + 1; c < n; c++) {
            x[k] -= a[k][c] * x[c];
        }
        x[k] /= a[k][k];
    }
}

Test(momentum, operational_inertia_is_the_inverse_of_mobility)
{
    void *memory = aligned_alloc(64, BYTES);
    for (uint64_t seed = 0; seed < 30; seed++) {
        const tqt_robot_options options = {
            .n_joint = 7 + (uint32_t)(seed % 3), .kinds = 1u << TQ_JOINT_REVOLUTE, .with = 0};
        tq_model *model = tqt_random_robot(seed, options);
        const size_t nv = model->nv;
        tqt_states states = tqt_random_states(seed, model, 1);
        double *q = tqt_doubles(model->nq), *m = tqt_doubles(nv * nv), *j = tqt_doubles(6 * nv);
        double lambda[36];
        long double qd[16];
        tqt_sample(states.q, model->nq, states.stride, 0, q);
        tq_scratch scratch;
        tq_configuration p;
        tq_error error;
        const double at[3] = {0.1, 0.2, 0.3};
        tq_scratch_init(&scratch, memory, BYTES);
        cr_assert(eq(int, tq_configuration_compute(model, q, NULL, &scratch, &p, NULL), TQ_OK));
        cr_assert(eq(int, tq_lagrangian_mass_matrix(&p, &scratch, m, NULL), TQ_OK));
        tq_configuration_jacobian(&p, model->n_link - 1, at, TQ_JACOBIAN_WORLD_ALIGNED, j, NULL);
        cr_assert(eq(int, tq_operational_inertia(6, nv, j, m, &scratch, lambda, &error), TQ_OK),
                  "seed %d", (int)seed);
        /* the motion M qd = J^T lambda e_k gives the point the velocity e_k */
        for (size_t k = 0; k < 6; k++) {
            for (size_t i = 0; i < nv; i++) {
                qd[i] = 0;
                for (size_t r = 0; r < 6; r++) {
                    qd[i] += (long double)j[r * nv + i] * lambda[r * 6 + k];
                }
            }
            solve(nv, m, qd);
            for (size_t r = 0; r < 6; r++) {
                long double v = 0;
                for (size_t i = 0; i < nv; i++) {
                    v += (long double)j[r * nv + i] * qd[i];
                }
                /* the condition of J M^-1 J^T is below 1e6 for these seeds */
                cr_assert(epsilon_eq(dbl, (double)v, r == k ? 1.0 : 0.0, 1e-8), "seed %d",
                          (int)seed);
            }
        }
        /* a repeated row: the point cannot move in that direction, and the call reports it */
        for (size_t i = 0; i < nv; i++) {
            j[5 * nv + i] = j[i];
        }
        cr_assert(eq(int, tq_operational_inertia(6, nv, j, m, &scratch, lambda, &error),
                     TQ_ERR_SINGULAR));
        cr_assert(eq(str, (char *)error.what, "jacobian"));
        free(q);
        free(m);
        free(j);
        tqt_states_free(&states);
        tqt_model_free(model);
    }
    free(memory);
}

/* with M of the kernels, and of some directions: the chosen rows of J */
Test(momentum, operational_inertia_of_chosen_axes)
{
    void *memory = aligned_alloc(64, BYTES);
    for (uint64_t seed = 0; seed < 10; seed++) {
        tq_model *model = tqt_random_robot(
            seed, (tqt_robot_options){.n_joint = 7, .kinds = 1u << TQ_JOINT_REVOLUTE, .with = 0});
        tqt_subject *subject = tqt_subject_new(model, 0);
        const size_t nv = model->nv;
        tqt_states states = tqt_random_states(seed, model, 1);
        double *q = tqt_doubles(model->nq), *m = tqt_doubles(nv * nv), *j = tqt_doubles(6 * nv);
        double want[36], got[36];
        tqt_sample(states.q, model->nq, states.stride, 0, q);
        tq_scratch scratch;
        tq_configuration p;
        const unsigned chosen[] = {0, 1u << 0 | 1u << 2 | 1u << 4};
        tq_task_point point = {.link = model->n_link - 1, .at = {0.1, 0.2, 0.3}};
        tq_scratch_init(&scratch, memory, BYTES);
        cr_assert(eq(int, tq_configuration_compute(model, q, NULL, &scratch, &p, NULL), TQ_OK));
        cr_assert(eq(int, tq_lagrangian_mass_matrix(&p, &scratch, m, NULL), TQ_OK));
        for (size_t c = 0; c < 2; c++) {
            size_t n = 0;
            tq_configuration_jacobian(&p, point.link, point.at, TQ_JACOBIAN_WORLD_ALIGNED, j, NULL);
            for (size_t axis = 0; axis < 6; axis++) {
                if (chosen[c] == 0 || (chosen[c] >> axis & 1u) != 0) {
                    memmove(j + n++ * nv, j + axis * nv, nv * sizeof *j);
                }
            }
            point.axes = chosen[c];
            cr_assert(eq(int, tq_operational_inertia(n, nv, j, m, &scratch, want, NULL), TQ_OK));
            cr_assert(eq(
                int,
                tq_operational_inertia_at(subject->mechanism, &p, q, &point, &scratch, got, NULL),
                TQ_OK));
            for (size_t k = 0; k < n * n; k++) {
                /* M is that of other sums: eps times its condition, below 1e6 for these seeds */
                cr_expect(epsilon_eq(dbl, got[k], want[k], 1e-9 * (1 + fabs(want[k]))), "seed %d",
                          (int)seed);
            }
        }
        free(q);
        free(m);
        free(j);
        tqt_states_free(&states);
        tqt_subject_free(subject);
        tqt_model_free(model);
    }
    free(memory);
}
