/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/test_forward.c - accelerations satisfy the equation of motion. */
#include "core/dynamics/forward.h"
#include "core/lanes/table.h"
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
enum { N_SEED = 200, JOINT_MAX = 64, N_SAMPLE = 3 };

typedef struct trial {
    tq_model *model;
    tqt_subject *subject;
    tqt_states states;
    tq_external_wrench wrench;
    double value[6];
    tq_scratch scratch;
    double *memory, *tau, *qdd;
} trial;

static void open_trial(trial *t, uint64_t seed, tqt_robot_options options, size_t n_sample)
{
    *t = (trial){.model = tqt_random_robot(seed, options)};
    t->subject = tqt_subject_new(t->model, 1);
    t->states = tqt_random_states(seed, t->model, n_sample);
    t->tau = tqt_doubles(t->model->nv * t->states.stride);
    t->qdd = tqt_doubles(t->model->nv * t->states.stride);
    tqt_random r = tqt_random_seed(seed + 5);
    for (size_t k = 0; k < t->model->nv * t->states.stride; k++) {
        t->tau[k] = tqt_random_uniform(&r, -50.0, 50.0);
    }
    tq_block_pad(t->tau, t->model->nv, t->states.stride, n_sample);
    t->wrench = (tq_external_wrench){.link = tqt_random_below(&r, t->model->n_link),
                                     .expressed_in = seed % 2 == 0 ? TQ_FRAME_WORLD : TQ_FRAME_LINK,
                                     .rows = t->value,
                                     .row_stride = 1};
    for (int k = 0; k < 6; k++) {
        t->value[k] = tqt_random_uniform(&r, -20.0, 20.0);
        t->wrench.at[k / 2] = tqt_random_uniform(&r, -0.5, 0.5);
    }
    const size_t need = tq_forward_scratch_size(t->subject->mechanism, 1);
    t->memory = tqt_doubles(need / sizeof(double) + 1);
    tq_scratch_init(&t->scratch, t->memory, need);
}

static void close_trial(trial *t)
{
    tq_scratch_init(&t->scratch, t->memory, 0);
    free(t->memory);
    free(t->tau);
    free(t->qdd);
    tqt_states_free(&t->states);
    tqt_subject_free(t->subject);
    tqt_model_free(t->model);
}

static tq_status compute(trial *t, unsigned without, tq_error *ret_fault)
{
    const tq_forward_input in = {.n_sample = t->states.n_sample,
                                 .stride = t->states.stride,
                                 .q = t->states.q,
                                 .qd = t->states.qd,
                                 .tau = t->tau,
                                 .wrenches = &t->wrench,
                                 .n_wrench = 1,
                                 .without = without};
    return tq_forward_dynamics(t->subject->mechanism, &in, &t->scratch, t->qdd, ret_fault);
}

static void must_compute(trial *t, unsigned without)
{
    tq_error fault = {0};
    const tq_status status = compute(t, without, &fault);
    cr_assert(status == TQ_OK, "%s: %s %zu", tq_status_slug(status), fault.what, fault.index);
}

/* Torques by the reference for the computed accelerations against the given torques: residual of
 * the equation of motion in units of eps n terms. */
static double residual_of(const trial *t, unsigned without, size_t i)
{
    const tq_model *model = t->model;
    double *x[3] = {tqt_doubles(model->nq), tqt_doubles(model->nv), tqt_doubles(model->nv)};
    double *tau = tqt_doubles(model->nv);
    tqt_sum *want = calloc((size_t)model->nv + 1, sizeof *want);
    cr_assert(ne(ptr, want, NULL));
    tqt_sample(t->states.q, model->nq, t->states.stride, i, x[0]);
    tqt_sample(t->states.qd, model->nv, t->states.stride, i, x[1]);
    tqt_sample(t->qdd, model->nv, t->states.stride, i, x[2]);
    tqt_sample(t->tau, model->nv, t->states.stride, i, tau);
    tqt_wrench wrench = {.link = t->wrench.link, .expressed_in = t->wrench.expressed_in};
    memcpy(wrench.at, t->wrench.at, sizeof wrench.at);
    memcpy(wrench.value, t->value, sizeof wrench.value);
    const tqt_problem problem = {.model = model,
                                 .state = {x[0], x[1], x[2]},
                                 .wrenches = &wrench,
                                 .n_wrench = 1,
                                 .without = without};
    tqt_inverse_dynamics(&problem, want);
    const double worst = tqt_worst(model, tau, want, model->nv);
    free(want);
    free(tau);
    for (int k = 0; k < 3; k++) {
        free(x[k]);
    }
    return worst;
}

static void expect_residuals(unsigned kinds, unsigned with)
{
    double worst = 0.0;
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        trial t;
        const tqt_robot_options options = {1 + (uint32_t)(seed * 37 % JOINT_MAX), kinds, with};
        open_trial(&t, seed, options, N_SAMPLE);
        must_compute(&t, 0);
        for (size_t i = 0; i < N_SAMPLE; i++) {
            const double error = residual_of(&t, 0, i);
            cr_expect(error <= LIMIT, "seed %d, %u joints: %g", (int)seed, t.model->n_joint, error);
            worst = error > worst ? error : worst;
        }
        close_trial(&t);
    }
    cr_log_info("worst residual %g eps n terms", worst);
}

/* no massless links: every motion has inertia */
#define WITH_MASS (TQT_WITH_ALL & ~(unsigned)TQT_WITH_MASSLESS)

Test(forward, one_freedom_trees_solve_the_equation)
{
    expect_residuals(TQT_KINDS_ONE, WITH_MASS & ~(unsigned)TQT_WITH_MIMIC);
}

Test(forward, trees_of_every_kind_solve_the_equation)
{
    expect_residuals(TQT_KINDS_ALL, WITH_MASS & ~(unsigned)TQT_WITH_MIMIC);
}

Test(forward, mimicking_trees_solve_the_equation)
{
    expect_residuals(TQT_KINDS_ALL, WITH_MASS);
}

Test(forward, any_terms_may_be_left_out)
{
    for (uint64_t seed = 0; seed < 64; seed++) {
        trial t;
        const unsigned without = (unsigned)seed; /* all bits but TQ_WITHOUT_INERTIA */
        open_trial(&t, seed,
                   (tqt_robot_options){1 + (uint32_t)(seed % 12), TQT_KINDS_ALL, WITH_MASS}, 1);
        must_compute(&t, without);
        const double error = residual_of(&t, without, 0);
        cr_expect(error <= LIMIT, "without %x: %g", without, error);
        close_trial(&t);
    }
}

/* a massless leaf on a free joint cannot be moved by a finite torque */
Test(forward, massless_leaves_are_refused)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        tq_model *model = tqt_model_new(3);
        model->links[1].inertia = (tq_inertia){1, {.1, 0, 0}, {.01, 0, 0, .01, 0, .01}};
        model->joints[1].kind = seed % 2 == 0 ? TQ_JOINT_REVOLUTE : TQ_JOINT_PRISMATIC;
        cr_assert(eq(int, (int)tq_model_finish(model, NULL), TQ_OK));
        tqt_subject *subject = tqt_subject_new(model, 0);
        tqt_states states = tqt_random_states(seed, model, 1);
        const size_t need = tq_forward_scratch_size(subject->mechanism, 0);
        double *memory = tqt_doubles(need / sizeof(double) + 1);
        double *qdd = tqt_doubles(2 * states.stride);
        tq_scratch scratch;
        tq_scratch_init(&scratch, memory, need);
        const tq_forward_input in = {
            .n_sample = 1, .stride = states.stride, .q = states.q, .tau = states.qd};
        tq_error fault = {0};
        const tq_status status =
            tq_forward_dynamics(subject->mechanism, &in, &scratch, qdd, &fault);
        cr_expect(eq(int, (int)status, TQ_ERR_SINGULAR));
        tq_scratch_init(&scratch, memory, 0);
        free(memory);
        free(qdd);
        tqt_states_free(&states);
        tqt_subject_free(subject);
        tqt_model_free(model);
    }
}

/* Massless links anywhere: the result solves the equation, or the robot is reported as singular */
Test(forward, massless_links_are_right_or_refused)
{
    int n_singular = 0;
    for (uint64_t seed = 1000000; seed < 1002000; seed++) {
        const tqt_robot_options options = {1 + (uint32_t)(seed % 16), TQT_KINDS_ALL, TQT_WITH_ALL};
        trial t;
        open_trial(&t, seed, options, 1);
        tq_error fault = {0};
        const tq_status status = compute(&t, 0, &fault);
        n_singular += status == TQ_ERR_SINGULAR;
        if (status != TQ_ERR_SINGULAR) {
            cr_assert(eq(int, (int)status, TQ_OK));
            const double error = residual_of(&t, 0, 0);
            cr_expect(error <= LIMIT, "seed %d: %g", (int)seed, error);
        }
        close_trial(&t);
    }
    cr_expect(gt(int, n_singular, 0));
    cr_expect(lt(int, n_singular, 1500));
    cr_log_info("%d of 2000 singular", n_singular);
}

/* Two revolute joints on one axis with a massless link between them rotate against each other
 * without inertia: reported in any pose. */
Test(forward, coincident_axes_are_refused)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        tqt_random r = tqt_random_seed(seed);
        tq_model *model = tqt_model_new(4);
        for (uint32_t j = 0; j < 3; j++) {
            tqt_random_rotation(&r, model->joints[j].origin.r);
            model->joints[j].origin.p[0] = tqt_random_uniform(&r, -0.5, 0.5);
            model->links[j + 1].inertia = (tq_inertia){1, {.1, .2, 0}, {.02, 0, 0, .03, 0, .04}};
        }
        /* the third joint's axis coincides with the second's, in its rotated frame */
        const double *turn = model->joints[2].origin.r;
        memcpy(model->joints[2].origin.p, (double[3]){0, 0, 0.3}, sizeof(double[3]));
        memcpy(model->joints[2].axis, (double[3]){turn[6], turn[7], turn[8]}, sizeof(double[3]));
        model->links[2].inertia = (tq_inertia){0};
        cr_assert(eq(int, (int)tq_model_finish(model, NULL), TQ_OK));
        tqt_subject *subject = tqt_subject_new(model, 0);
        tqt_states states = tqt_random_states(seed, model, 1);
        const size_t need = tq_forward_scratch_size(subject->mechanism, 0);
        double *memory = tqt_doubles(need / sizeof(double) + 1);
        double *qdd = tqt_doubles(3 * states.stride);
        tq_scratch scratch;
        tq_scratch_init(&scratch, memory, need);
        const tq_forward_input in = {
            .n_sample = 1, .stride = states.stride, .q = states.q, .tau = states.qdd};
        tq_error fault = {0};
        const tq_status status =
            tq_forward_dynamics(subject->mechanism, &in, &scratch, qdd, &fault);
        cr_expect(eq(int, (int)status, TQ_ERR_SINGULAR), "seed %d", (int)seed);
        tq_scratch_init(&scratch, memory, 0);
        free(memory);
        free(qdd);
        tqt_states_free(&states);
        tqt_subject_free(subject);
        tqt_model_free(model);
    }
}

/* Bits: the same at every lane width */
Test(forward, same_bits_at_every_width)
{
    cr_assert(eq(int, (int)tq_lanes_select(0), TQ_OK));
    for (uint64_t seed = 0; seed < 30; seed++) {
        trial t;
        open_trial(&t, seed,
                   (tqt_robot_options){1 + (uint32_t)(seed % 30), TQT_KINDS_ALL, WITH_MASS}, 21);
        const size_t size = t.model->nv * t.states.stride;
        double *first = tqt_doubles(size);
        cr_assert(eq(int, (int)tq_lanes_select(1), TQ_OK));
        must_compute(&t, 0);
        memcpy(first, t.qdd, size * sizeof *first);
        for (unsigned width = 2; width <= tq_lanes_widest(); width *= 2) {
            cr_assert(eq(int, (int)tq_lanes_select(width), TQ_OK));
            must_compute(&t, 0);
            for (size_t k = 0; k < t.model->nv; k++) {
                const size_t row = k * t.states.stride;
                cr_assert(memcmp(&t.qdd[row], &first[row], 21 * sizeof *first) == 0,
                          "seed %d width %u row %zu", (int)seed, width, k);
            }
        }
        cr_assert(eq(int, (int)tq_lanes_select(0), TQ_OK));
        free(first);
        close_trial(&t);
    }
}
