/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/test_coriolis.c - the Coriolis matrix against its definition, its
 * laws, and the same bits everywhere. */
#include "core/dynamics/coriolis.h"
#include "core/dynamics/mass_matrix/mass_matrix.h"
#include "core/lanes/build.h"
#include "core/lanes/table.h"
#include "tests/support/lagrange.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* |error| <= 100 eps n terms: tests/property/README.md */
#define LIMIT 100.0
enum { N_SEED = 200, JOINT_MAX = 48, N_SAMPLE = 3 };

typedef struct trial {
    tq_model *model;
    tqt_subject *subject;
    tqt_states states;
    size_t n; /* entries of C */
    tq_scratch scratch;
    double *memory, *c;
} trial;

static trial open_trial(uint64_t seed, unsigned kinds, size_t n_sample)
{
    const tqt_robot_options options = {1 + (uint32_t)(seed * 37 % JOINT_MAX), kinds, TQT_WITH_ALL};
    trial t = {.model = tqt_random_robot(seed, options)};
    t.subject = tqt_subject_new(t.model, 0);
    t.states = tqt_random_states(seed, t.model, n_sample);
    t.n = (size_t)t.model->nv * t.model->nv;
    t.c = tqt_doubles(t.n * t.states.stride);
    size_t need = tq_coriolis_scratch_size(t.subject->mechanism);
    const size_t other = tq_mass_matrix_scratch_size(t.subject->mechanism);
    need = need > other ? need : other;
    t.memory = tqt_doubles(need / sizeof(double) + 1);
    tq_scratch_init(&t.scratch, t.memory, need);
    return t;
}

static void close_trial(trial *t)
{
    tq_scratch_init(&t->scratch, t->memory, 0);
    free(t->memory);
    free(t->c);
    tqt_states_free(&t->states);
    tqt_subject_free(t->subject);
    tqt_model_free(t->model);
}

static void compute(trial *t)
{
    tq_error fault = {0};
    const tq_status status =
        tq_coriolis_matrix(t->subject->mechanism, t->states.n_sample, t->states.stride, t->states.q,
                           t->states.qd, &t->scratch, t->c, &fault);
    cr_assert(status == TQ_OK, "%s: %s %zu", tq_status_slug(status), fault.what, fault.index);
    cr_assert(eq(sz, t->scratch.used, 0));
}

/* one sample's C against the reference */
static double worst_of(const trial *t, size_t i)
{
    double *q = tqt_doubles(t->model->nq), *qd = tqt_doubles(t->model->nv);
    double *c = tqt_doubles(t->n);
    tqt_sum *want = calloc(t->n + 1, sizeof *want);
    cr_assert(ne(ptr, want, NULL));
    tqt_sample(t->states.q, t->model->nq, t->states.stride, i, q);
    tqt_sample(t->states.qd, t->model->nv, t->states.stride, i, qd);
    tqt_sample(t->c, t->n, t->states.stride, i, c);
    tqt_coriolis_matrix(t->model, q, qd, want);
    const double worst = tqt_worst(t->model, c, want, t->n);
    free(want);
    free(c);
    free(qd);
    free(q);
    return worst;
}

Test(coriolis, random_trees_match_the_definition)
{
    double worst = 0.0;
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        trial t = open_trial(seed, TQT_KINDS_ALL, N_SAMPLE);
        compute(&t);
        for (size_t i = 0; i < N_SAMPLE; i++) {
            const double error = worst_of(&t, i);
            cr_expect(error <= LIMIT, "seed %d, %u joints: %g", (int)seed, t.model->n_joint, error);
            worst = error > worst ? error : worst;
        }
        close_trial(&t);
    }
    cr_log_info("worst error %g eps n terms", worst);
}

/* into an array that was filled before, modified in all entries that motion changes */
Test(coriolis, again_gives_the_same)
{
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        trial t = open_trial(seed, TQT_KINDS_ALL, N_SAMPLE);
        const size_t stride = t.states.stride;
        double *again = tqt_doubles(t.n * stride);
        compute(&t);
        for (size_t k = 0; k < t.n * stride; k++) {
            again[k] = t.c[k] == 0.0 ? 0.0 : -7.0;
        }
        tqt_spoil(&t.scratch);
        cr_assert(tq_coriolis_matrix_again(t.subject->mechanism, N_SAMPLE, stride, t.states.q,
                                           t.states.qd, &t.scratch, again, NULL) == TQ_OK);
        for (size_t k = 0; k < t.n * stride; k++) {
            cr_expect(k % stride >= N_SAMPLE || again[k] == t.c[k], "seed %d: entry %zu", (int)seed,
                      k / stride);
        }
        free(again);
        close_trial(&t);
    }
}

/* each kind of joint alone, so that none hides errors of another */
Test(coriolis, every_kind_matches_the_definition)
{
    for (unsigned kind = TQ_JOINT_FIXED; kind <= TQ_JOINT_FLOATING; kind++) {
        for (uint64_t seed = 0; seed < 10; seed++) {
            trial t = open_trial(seed, 1u << kind, 1);
            compute(&t);
            const double error = worst_of(&t, 0);
            cr_expect(error <= LIMIT, "kind %u, seed %d: %g", kind, (int)seed, error);
            close_trial(&t);
        }
    }
}

/* negative control: a mass that is wrong in its tenth digit is detected */
Test(coriolis, a_wrong_mass_is_seen)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        const tqt_robot_options options = {8, TQT_KINDS_ONE, 0};
        tq_model *model = tqt_random_robot(seed, options);
        trial t = {.model = model, .subject = tqt_subject_new(model, 0), .n = 64};
        t.states = tqt_random_states(seed, model, 1);
        t.c = tqt_doubles(64 * t.states.stride);
        const size_t need = tq_coriolis_scratch_size(t.subject->mechanism);
        t.memory = tqt_doubles(need / sizeof(double) + 1);
        tq_scratch_init(&t.scratch, t.memory, need);
        compute(&t);
        model->links[8].inertia.mass *= 1.0 + 1e-8;
        cr_expect(worst_of(&t, 0) > LIMIT, "seed %d", (int)seed);
        close_trial(&t);
    }
}

/* C qd is the velocity term of inverse dynamics, within the tolerance of the reference */
Test(coriolis, times_rate_is_the_velocity_torque)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        trial t = open_trial(seed, TQT_KINDS_ALL, 1);
        const size_t nv = t.model->nv;
        double *q = tqt_doubles(t.model->nq), *qd = tqt_doubles(nv), *tau = tqt_doubles(nv);
        tqt_sum *want = calloc(nv + 1, sizeof *want);
        cr_assert(ne(ptr, want, NULL));
        compute(&t);
        tqt_sample(t.states.q, t.model->nq, t.states.stride, 0, q);
        tqt_sample(t.states.qd, nv, t.states.stride, 0, qd);
        for (size_t a = 0; a < nv; a++) {
            for (size_t b = 0; b < nv; b++) {
                tau[a] += t.c[(a * nv + b) * t.states.stride] * qd[b];
            }
        }
        const tqt_problem problem = {.model = t.model,
                                     .state = {.q = q, .qd = qd},
                                     .without = TQ_WITHOUT_GRAVITY | TQ_WITHOUT_SPRING |
                                                TQ_WITHOUT_FRICTION};
        tqt_inverse_dynamics(&problem, want);
        const double error = tqt_worst(t.model, tau, want, nv);
        cr_expect(error <= LIMIT, "seed %d: %g", (int)seed, error);
        free(want);
        free(tau);
        free(qd);
        free(q);
        close_trial(&t);
    }
}

/* M at q + h qd, for robots whose rates are derivatives of coordinates */
static void mass_at(trial *t, double h, double *ret_m)
{
    const size_t stride = t->states.stride, nv = t->model->nv;
    double *q = tqt_doubles(nv * stride);
    for (size_t k = 0; k < nv * stride; k++) {
        q[k] = t->states.q[k] + h * t->states.qd[k];
    }
    cr_assert(eq(int,
                 tq_mass_matrix(t->subject->mechanism, 1, stride, q, 0, &t->scratch, ret_m, NULL),
                 TQ_OK));
    free(q);
}

/* M' - 2 C is skew: C + C^T = dM/dt, by sixth-order differences (h^6 and eps / h: both 1e-12) */
Test(coriolis, mass_rate_less_twice_c_is_skew)
{
    static const double weights[3] = {45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0};
    const double h = 1e-3;
    for (uint64_t seed = 0; seed < 60; seed++) {
        trial t = open_trial(seed, TQT_KINDS_ONE | 1u << TQ_JOINT_PLANAR, 1);
        const size_t nv = t.model->nv, stride = t.states.stride;
        double *rate = tqt_doubles(t.n), *m = tqt_doubles(t.n * stride);
        double scale = 0.0;
        compute(&t);
        for (int step = 1; step <= 3; step++) {
            for (int side = -1; side <= 1; side += 2) {
                mass_at(&t, side * step * h, m);
                for (size_t k = 0; k < t.n; k++) {
                    rate[k] += side * weights[step - 1] / h * m[k * stride];
                    scale = fmax(scale, fabs(m[k * stride]));
                }
            }
        }
        for (size_t k = 0; k < t.n; k++) {
            scale = fmax(scale, fabs(rate[k]));
        }
        for (size_t a = 0; a < nv; a++) {
            for (size_t b = 0; b < nv; b++) {
                const double both = t.c[(a * nv + b) * stride] + t.c[(b * nv + a) * stride];
                /* rates of up to 40 joints at 3 rad/s: (100 h)^6 / 140 of the scale at the worst */
                cr_expect(fabs(both - rate[a * nv + b]) <= 1e-7 * scale, "seed %d: %g, not %g",
                          (int)seed, both, rate[a * nv + b]);
            }
        }
        free(m);
        free(rate);
        close_trial(&t);
    }
}

/* Bits: the same with every build, alone and in a block */
Test(coriolis, same_bits_everywhere)
{
    cr_assert(eq(int, (int)tq_lanes_select(0), TQ_OK));
    for (uint64_t seed = 0; seed < 20; seed++) {
        trial t = open_trial(seed, TQT_KINDS_ALL, 19);
        const size_t size = t.n * t.states.stride;
        double *first = tqt_doubles(size);
        for (int build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
            if (tq_lanes_force((tq_lanes_build)build) != TQ_OK) {
                continue;
            }
            compute(&t);
            if (build == TQ_BUILD_PORTABLE) {
                memcpy(first, t.c, size * sizeof *first);
            }
            for (size_t k = 0; k < t.n; k++) {
                const size_t row = k * t.states.stride;
                cr_assert(memcmp(&t.c[row], &first[row], 19 * sizeof *first) == 0,
                          "seed %d build %d entry %zu", (int)seed, build, k);
            }
        }
        cr_assert(eq(int, (int)tq_lanes_select(0), TQ_OK));
        trial one = open_trial(seed, TQT_KINDS_ALL, 1);
        for (size_t i = 0; i < 19; i += 6) {
            for (size_t k = 0; k < t.model->nq; k++) {
                one.states.q[k * one.states.stride] = t.states.q[k * t.states.stride + i];
            }
            for (size_t k = 0; k < t.model->nv; k++) {
                one.states.qd[k * one.states.stride] = t.states.qd[k * t.states.stride + i];
            }
            tq_block_pad(one.states.q, t.model->nq, one.states.stride, 1);
            tq_block_pad(one.states.qd, t.model->nv, one.states.stride, 1);
            compute(&one);
            for (size_t k = 0; k < t.n; k++) {
                cr_assert(memcmp(&one.c[k * one.states.stride], &first[k * t.states.stride + i],
                                 sizeof *first) == 0);
            }
        }
        close_trial(&one);
        free(first);
        close_trial(&t);
    }
}

Test(coriolis, faults_are_reported)
{
    trial t = open_trial(3, 1u << TQ_JOINT_REVOLUTE, 8);
    const tq_mechanism *mechanism = t.subject->mechanism;
    tq_error fault = {0};
    cr_expect(tq_coriolis_matrix(mechanism, 9, 8, t.states.q, t.states.qd, &t.scratch, t.c,
                                 &fault) == TQ_ERR_SHAPE);
    for (size_t k = 0; k < t.model->nv; k++) {
        t.states.qd[k * t.states.stride + 5] = 1e308;
    }
    cr_expect(tq_coriolis_matrix(mechanism, 8, 8, t.states.q, t.states.qd, &t.scratch, t.c,
                                 &fault) == TQ_ERR_OVERFLOW);
    cr_expect(fault.index == 5);
    tq_scratch little;
    tq_scratch_init(&little, t.memory, 64);
    cr_expect(tq_coriolis_matrix(mechanism, 8, 8, t.states.q, t.states.qd, &little, t.c, &fault) ==
              TQ_ERR_SCRATCH);
    cr_expect(fault.value == (double)tq_coriolis_scratch_size(mechanism));
    close_trial(&t);
}
