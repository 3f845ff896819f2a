/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/test_energy.c - energies of the lanes against those of moving
 * frames. */
#include "core/dynamics/energy.h"
#include "core/lanes/build.h"
#include "core/lanes/table.h"
#include "tests/support/lagrange.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_SEED = 200, N = 9 };

typedef struct trial {
    tq_model *model;
    tqt_subject *subject;
    tqt_states states;
    tq_scratch scratch;
    double *memory, *energy;
} trial;

static trial open_trial(uint64_t seed)
{
    const tqt_robot_options options = {1 + (uint32_t)(seed * 37 % 40), TQT_KINDS_ALL, TQT_WITH_ALL};
    trial t = {.model = tqt_random_robot(seed, options)};
    t.subject = tqt_subject_new(t.model, 0);
    t.states = tqt_random_states(seed, t.model, N);
    t.energy = tqt_doubles(2 * t.states.stride);
    const size_t need = tq_energy_scratch_size(t.subject->mechanism);
    t.memory = tqt_doubles(need / sizeof(double) + 1);
    tq_scratch_init(&t.scratch, t.memory, need);
    return t;
}

static void close_trial(trial *t)
{
    tq_scratch_init(&t->scratch, t->memory, 0);
    free(t->memory);
    free(t->energy);
    tqt_states_free(&t->states);
    tqt_subject_free(t->subject);
    tqt_model_free(t->model);
}

static void compute(trial *t)
{
    tq_error fault = {0};
    const tq_inverse_input in = {
        .n_sample = N, .stride = t->states.stride, .q = t->states.q, .qd = t->states.qd};
    const tq_status status = tq_energy(t->subject->mechanism, &in, &t->scratch, t->energy, &fault);
    cr_assert(status == TQ_OK, "%s: %s %zu", tq_status_slug(status), fault.what, fault.index);
}

/* qd^T |M| qd / 2 with the absolute terms of each entry of M: scale of the sum for the kinetic
 * energy */
static double kinetic_terms(const tq_model *model, const double *q, const double *qd)
{
    const size_t nv = model->nv;
    tqt_sum *m = calloc(nv * nv + 1, sizeof *m);
    cr_assert(ne(ptr, m, NULL));
    tqt_mass_matrix(model, q, m);
    double terms = 0.0;
    for (size_t a = 0; a < nv; a++) {
        for (size_t b = 0; b < nv; b++) {
            terms += 0.5 * (double)m[a * nv + b].terms * fabs(qd[a] * qd[b]);
        }
    }
    free(m);
    return terms;
}

/* potential terms: weights times path lengths from the origin */
static double potential_terms(const tq_model *model)
{
    double reach = 1.0, mass = 0.0;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const double *p = model->joints[j].origin.p;
        reach += fabs(p[0]) + fabs(p[1]) + fabs(p[2]) + 3.0; /* travel of random states is at most 1
                                                                per joint */
    }
    for (uint32_t l = 0; l < model->n_link; l++) {
        mass += model->links[l].inertia.mass;
    }
    return 10.0 * mass * reach;
}

Test(energy, equals_that_of_moving_frames)
{
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        trial t = open_trial(seed);
        double *q = tqt_doubles(t.model->nq), *qd = tqt_doubles(t.model->nv);
        compute(&t);
        for (size_t i = 0; i < N; i += 4) {
            tqt_sample(t.states.q, t.model->nq, t.states.stride, i, q);
            tqt_sample(t.states.qd, t.model->nv, t.states.stride, i, qd);
            const tqt_problem problem = {.model = t.model, .state = {.q = q, .qd = qd}};
            long double kinetic, potential;
            tqt_energy(&problem, &kinetic, &potential);
            const tq_inertia *root = &t.model->links[t.model->root].inertia;
            for (int k = 0; k < 3; k++) { /* the reference omits the root link */
                potential -= (long double)root->mass * t.model->gravity[k] * root->com[k];
            }
            const double unit = 100.0 * DBL_EPSILON * (double)t.model->n_joint;
            const double springs = fabs((double)potential);
            cr_expect(fabs(t.energy[i] - (double)kinetic) <= unit * kinetic_terms(t.model, q, qd),
                      "seed %d: %.17g, not %.17Lg", (int)seed, t.energy[i], kinetic);
            cr_expect(fabs(t.energy[t.states.stride + i] - (double)potential) <=
                          unit * (potential_terms(t.model) + springs),
                      "seed %d: %.17g, not %.17Lg", (int)seed, t.energy[t.states.stride + i],
                      potential);
        }
        free(qd);
        free(q);
        close_trial(&t);
    }
}

/* Bits: the same with every build */
Test(energy, same_bits_everywhere)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        trial t = open_trial(seed);
        double first[2 * N];
        for (int build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
            if (tq_lanes_force((tq_lanes_build)build) != TQ_OK) {
                continue;
            }
            compute(&t);
            for (int row = 0; row < 2; row++) {
                double *now = &t.energy[row * (int)t.states.stride];
                if (build == TQ_BUILD_PORTABLE) {
                    memcpy(&first[row * N], now, N * sizeof *first);
                }
                cr_assert(memcmp(&first[row * N], now, N * sizeof *first) == 0, "build %d", build);
            }
        }
        close_trial(&t);
    }
}
