/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/test_reactions.c - joint wrenches against rates of momentum. */
#include "core/dynamics/reactions.h"
#include "tests/support/lagrange.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* |error| <= 100 eps n terms: tests/property/README.md */
#define LIMIT 100.0
enum { N_SEED = 100, JOINT_MAX = 40, N_SAMPLE = 2 };

/* One robot with one wrench on it, and the wrenches of all its joints. */
typedef struct trial {
    tq_model *model;
    tqt_subject *subject;
    tqt_states states;
    double value[6];
    tq_external_wrench wrench;
    double *rows;
} trial;

static void open_trial(trial *t, uint64_t seed)
{
    const tqt_robot_options options = {1 + (uint32_t)(seed * 37 % JOINT_MAX), TQT_KINDS_ALL,
                                       TQT_WITH_ALL};
    *t = (trial){.model = tqt_random_robot(seed, options)};
    t->subject = tqt_subject_new(t->model, 1);
    t->states = tqt_random_states(seed, t->model, N_SAMPLE);
    t->rows = tqt_doubles(6 * (size_t)t->model->n_link * t->states.stride);
    tqt_random r = tqt_random_seed(seed + 9);
    t->wrench = (tq_external_wrench){.link = tqt_random_below(&r, t->model->n_link),
                                     .expressed_in = (tq_frame)tqt_random_below(&r, 2),
                                     .rows = t->value,
                                     .row_stride = 1};
    for (int k = 0; k < 6; k++) {
        t->value[k] = tqt_random_uniform(&r, -20.0, 20.0);
        t->wrench.at[k / 2] = tqt_random_uniform(&r, -0.5, 0.5);
    }
}

static void close_trial(trial *t)
{
    free(t->rows);
    tqt_states_free(&t->states);
    tqt_subject_free(t->subject);
    tqt_model_free(t->model);
}

static void compute(trial *t, unsigned without)
{
    const tq_inverse_input in = {.n_sample = N_SAMPLE,
                                 .stride = t->states.stride,
                                 .q = t->states.q,
                                 .qd = t->states.qd,
                                 .qdd = t->states.qdd,
                                 .wrenches = &t->wrench,
                                 .n_wrench = 1,
                                 .without = without};
    const size_t need = tq_reactions_scratch_size(t->subject->mechanism);
    double *memory = tqt_doubles(need / sizeof(double) + 1);
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, need);
    tq_error fault = {0};
    const tq_status status = tq_reactions(t->subject->mechanism, &in, &scratch, t->rows, &fault);
    cr_assert(status == TQ_OK, "%s: %s %zu", tq_status_slug(status), fault.what, fault.index);
    tq_scratch_init(&scratch, memory, 0);
    free(memory);
}

static double worst_of(const trial *t, unsigned without, size_t i)
{
    const tq_model *model = t->model;
    double *x[3] = {tqt_doubles(model->nq), tqt_doubles(model->nv), tqt_doubles(model->nv)};
    tqt_sample(t->states.q, model->nq, t->states.stride, i, x[0]);
    tqt_sample(t->states.qd, model->nv, t->states.stride, i, x[1]);
    tqt_sample(t->states.qdd, model->nv, t->states.stride, i, x[2]);
    tqt_wrench wrench = {.link = t->wrench.link, .expressed_in = t->wrench.expressed_in};
    memcpy(wrench.at, t->wrench.at, sizeof wrench.at);
    memcpy(wrench.value, t->value, sizeof wrench.value);
    const tqt_problem problem = {.model = model,
                                 .state = {x[0], x[1], x[2]},
                                 .wrenches = &wrench,
                                 .n_wrench = 1,
                                 .without = without};
    double worst = 0.0;
    for (uint32_t j = 0; j <= model->n_joint; j++) {
        double got[6];
        tqt_sum want[6];
        tqt_sample(&t->rows[6 * j * t->states.stride], 6, t->states.stride, i, got);
        tqt_joint_wrench(&problem, j == model->n_joint ? TQ_NONE : j, want);
        const double error = tqt_worst(model, got, want, 6);
        worst = error > worst ? error : worst;
    }
    for (int k = 0; k < 3; k++) {
        free(x[k]);
    }
    return worst;
}

Test(reactions, joints_and_base_match_rates_of_momentum)
{
    double worst = 0.0;
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        trial t;
        open_trial(&t, seed);
        compute(&t, 0);
        for (size_t i = 0; i < N_SAMPLE; i++) {
            const double error = worst_of(&t, 0, i);
            cr_expect(error <= LIMIT, "seed %d: %g", (int)seed, error);
            worst = error > worst ? error : worst;
        }
        close_trial(&t);
    }
    cr_log_info("worst error %g eps n terms", worst);
}

Test(reactions, terms_may_be_left_out)
{
    static const unsigned bit[4] = {TQ_WITHOUT_GRAVITY, TQ_WITHOUT_EXTERNAL, TQ_WITHOUT_VELOCITY,
                                    TQ_WITHOUT_INERTIA};
    for (uint64_t seed = 0; seed < 16; seed++) {
        unsigned without = 0;
        for (unsigned k = 0; k < 4; k++) {
            without |= (seed >> k & 1u) != 0 ? bit[k] : 0u;
        }
        trial t;
        open_trial(&t, seed);
        compute(&t, without);
        const double error = worst_of(&t, without, 0);
        cr_expect(error <= LIMIT, "without %x: %g", without, error);
        close_trial(&t);
    }
}
