/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/identify/test_noise.c - springs, coupled joints and load-dependent friction
 * are recovered from noisy torque, also by total least squares. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include <math.h>
#include <stdlib.h>

#include "core/identify/regression/fit.h"
#include "tests/support/excited.h"
#include "tests/support/fit_bench.h"
#include "tests/support/random_robot.h"

enum { JOINTS = 4, SAMPLES = 3000, RATE = 100, COUPLED = 2 };
static const double noise = .02; /* of a row's rms torque */
static const double width = .05; /* rad/s, of a smoothed sign of friction */

static tq_model *arm(double rotor)
{
    const tqt_robot_options options = {.n_joint = JOINTS,
                                       .kinds = 1u << TQ_JOINT_REVOLUTE,
                                       .with = TQT_WITH_FRICTION | TQT_WITH_ROTOR};
    tq_model *model = tqt_random_robot(4, options);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        model->joints[j].friction =
            (tq_friction){.viscous = 1, .coulomb = 2, .smoothing = width, .offset = .1};
        model->joints[j].rotor = (tq_rotor){.inertia = rotor, .ratio = 1};
    }
    return model;
}

static void add_noise(tqt_excited *x)
{
    tqt_random r = tqt_random_seed(3);
    for (size_t j = 0; j < x->nv; j++) {
        double *tau = x->tau + j * x->n_sample, square = 0;
        for (size_t i = 0; i < x->n_sample; i++) {
            square += tau[i] * tau[i] / (double)x->n_sample;
        }
        for (size_t i = 0; i < x->n_sample; i++) {
            tau[i] += noise * sqrt(square) * tqt_normal(&r);
        }
    }
}

static void converge(tqt_fit_bench *b, const tqt_excited *x)
{
    const size_t mark = tq_scratch_mark(&b->memory);
    for (int n = 0; n == 0 || (b->solution.again && n < 20); n++) {
        tq_scratch_rewind(&b->memory, mark);
        tqt_fit_read(b->fit, 0, x, &b->scratch);
        tqt_fit_solve(b);
    }
    cr_expect(eq(int, b->solution.again, 0), "settled");
    cr_expect(eq(sz, b->solution.n_unidentified, 0), "the motion shows everything");
}

/* one draw of noise: within five deviations, which must be small relative to the value */
static void expect_found(const tqt_fit_bench *b, size_t column, double truth, double part)
{
    const tq_estimate *e = &b->solution.estimate[column];
    cr_expect(epsilon_eq(dbl, e->value, truth, 5 * e->deviation), "column %d: %g +- %g, truth %g",
              (int)column, e->value, e->deviation, truth);
    cr_expect(lt(dbl, e->deviation, part * truth), "column %d: %g of %g", (int)column, e->deviation,
              truth);
    cr_expect(eq(int, e->grade, TQ_GRADE_USABLE), "column %d", (int)column);
}

static size_t of_joint(const tqt_fit_bench *b, tq_parameter_kind kind, uint32_t joint)
{
    return tqt_fit_column(b, TQ_COLUMN_PARAMETER, kind, joint, TQ_NONE);
}

/* two joints with coupled motors */
static void couple(tqt_excited *x)
{
    double *one = x->tau + (size_t)COUPLED * SAMPLES, *two = one + SAMPLES;
    const double *qd = x->qd + (size_t)COUPLED * SAMPLES;
    const double *qdd = x->qdd + (size_t)COUPLED * SAMPLES;
    for (size_t i = 0; i < SAMPLES; i++) {
        const double dry = 1.5 * tanh((qd[i] + qd[SAMPLES + i]) / width);
        one[i] += .2 * qdd[SAMPLES + i] + .8 * qd[SAMPLES + i] + dry;
        two[i] += .2 * qdd[i] + .8 * qd[i] + dry;
    }
}

static tqt_fit_bench springs_and_couplings(tq_fit_method method)
{
    static const tq_fit_coupling pair = {COUPLED, COUPLED + 1};
    tq_model *model = arm(.5);
    for (uint32_t j = 0; j < JOINTS; j++) {
        model->joints[j].spring = (tq_spring){.stiffness = 5 + j, .rest = .1};
    }
    tqt_fit_bench b = tqt_fit_open(model);
    tqt_excited x = tqt_excited_new(b.subject, 11, SAMPLES, RATE, 5);
    couple(&x);
    add_noise(&x);
    tq_fit_options options = tq_fit_defaults();
    options.method = method;
    options.lag = 5;
    options.model.with |= TQ_REGRESS_STIFFNESS;
    options.model.couplings = &pair, options.model.n_coupling = 1;
    tqt_fit_build(&b, &options, 1);
    converge(&b, &x);
    tqt_excited_free(&x);
    return b;
}

static const tq_fit_method methods[] = {TQ_FIT_WLS, TQ_FIT_FEASIBLE, TQ_FIT_IV, TQ_FIT_FEASIBLE_IV};
enum { METHODS = sizeof methods / sizeof methods[0] };

ParameterizedTestParameters(noise, springs_and_coupled_joints_are_found)
{
    static int rows[METHODS];
    for (int k = 0; k < METHODS; k++) {
        rows[k] = k;
    }
    return cr_make_param_array(int, rows, METHODS);
}

ParameterizedTest(int *row, noise, springs_and_coupled_joints_are_found)
{
    tqt_fit_bench b = springs_and_couplings(methods[*row]);
    for (uint32_t j = 0; j < JOINTS; j++) {
        expect_found(&b, of_joint(&b, TQ_PARAMETER_STIFFNESS, j), 5. + j, .15);
    }
    /* the rotor of the first joint rotates with its link: one combination */
    for (uint32_t j = 1; j < JOINTS; j++) {
        expect_found(&b, of_joint(&b, TQ_PARAMETER_ROTOR, j), .5, .05);
    }
    const uint32_t one = COUPLED, two = COUPLED + 1;
    expect_found(&b, tqt_fit_column(&b, TQ_COLUMN_COUPLED_ROTOR, TQ_PARAMETER_MASS, one, two), .2,
                 .05);
    expect_found(&b, tqt_fit_column(&b, TQ_COLUMN_COUPLED_VISCOUS, TQ_PARAMETER_MASS, one, two), .8,
                 .05);
    expect_found(&b, tqt_fit_column(&b, TQ_COLUMN_COUPLED_COULOMB, TQ_PARAMETER_MASS, one, two),
                 1.5, .05);
    tqt_fit_close(&b);
}

/* Total least squares assumes noise in columns that have none: the deviations do not include that
 * bias of a few per cent. With one scale for all columns the springs were a hundred times too
 * stiff. */
Test(noise, total_least_squares_stays_near)
{
    tqt_fit_bench b = springs_and_couplings(TQ_FIT_TLS);
    for (uint32_t j = 1; j < JOINTS; j++) {
        const double spring = b.solution.value[of_joint(&b, TQ_PARAMETER_STIFFNESS, j)];
        const double rotor = b.solution.value[of_joint(&b, TQ_PARAMETER_ROTOR, j)];
        cr_expect(epsilon_eq(dbl, spring, 5. + j, .03 * (5 + j)), "joint %d", (int)j);
        cr_expect(epsilon_eq(dbl, rotor, .5, .03 * .5), "joint %d", (int)j);
    }
    tqt_fit_close(&b);
}

/* gears that lose a tenth of the transmitted torque */
static void lose(tqt_excited *x)
{
    for (size_t k = 0; k < x->nv * x->n_sample; k++) {
        const double sign = tanh(x->qd[k] / width);
        const double bodies = x->tau[k] - 2 * sign - x->qd[k] - .1;
        x->tau[k] += .1 * fabs(bodies) * sign;
    }
}

ParameterizedTestParameters(noise, friction_by_load_is_found)
{
    static int rows[2] = {0, 1};
    return cr_make_param_array(int, rows, 2);
}

ParameterizedTest(int *row, noise, friction_by_load_is_found)
{
    tqt_fit_bench b = tqt_fit_open(arm(0));
    tqt_excited x = tqt_excited_new(b.subject, 11, SAMPLES, RATE, 5);
    lose(&x);
    add_noise(&x);
    tq_fit_options options = tq_fit_defaults();
    options.method = methods[*row];
    options.model.extra = TQ_FIT_LOAD;
    options.model.with &= ~(unsigned)TQ_REGRESS_ROTOR;
    tqt_fit_build(&b, &options, 1);
    converge(&b, &x);
    for (uint32_t j = 0; j < JOINTS; j++) {
        expect_found(&b, tqt_fit_column(&b, TQ_COLUMN_LOAD, TQ_PARAMETER_MASS, j, TQ_NONE), .1, .1);
        expect_found(&b, of_joint(&b, TQ_PARAMETER_COULOMB, j), 2, .05);
    }
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}
