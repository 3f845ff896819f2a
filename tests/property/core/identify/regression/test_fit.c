/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/identify/regression/test_fit.c - a fit recovers the parameters with which the
 * torque was computed. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/identify/regression/fit.h"
#include "core/identify/validation/residuals.h"
#include "core/model/inertia.h"
#include "tests/support/excited.h"
#include "tests/support/fit_bench.h"
#include "tests/support/random_robot.h"
#include "tests/support/sanitized.h"

/* a chain of revolute joints with friction and rotors */
static tq_model *arm(uint64_t seed, uint32_t n_joint, unsigned with)
{
    const tqt_robot_options options = {.n_joint = n_joint,
                                       .kinds = 1u << TQ_JOINT_REVOLUTE,
                                       .with = with | TQT_WITH_FRICTION | TQT_WITH_ROTOR};
    tq_model *model = tqt_random_robot(seed, options);
    for (uint32_t j = 0; j < model->n_joint; j++) { /* only terms that the columns can represent */
        model->joints[j].friction.stribeck_velocity = 0;
        model->joints[j].friction.breakaway = 0;
    }
    return model;
}

/* a prior with large errors: masses and centres of mass wrong by up to a half */
static double *spoilt_prior(const tq_model *model, unsigned with, uint64_t seed)
{
    tqt_random r = tqt_random_seed(seed);
    const size_t n = tq_parameter_count(model, with);
    double *prior = tqt_doubles(n);
    tq_parameter_values(model, with, prior);
    for (size_t k = 0; k < n; k++) {
        prior[k] *=
            k % 10 < 4 && k < 10 * (size_t)model->n_joint ? tqt_random_uniform(&r, .5, 1.5) : 1.2;
    }
    return prior;
}

static const tq_fit_method methods[] = {TQ_FIT_OLS,     TQ_FIT_WLS, TQ_FIT_FEASIBLE,   TQ_FIT_TLS,
                                        TQ_FIT_BOUNDED, TQ_FIT_IV,  TQ_FIT_FEASIBLE_IV};

ParameterizedTestParameters(fit, recovers_exactly)
{
    static int rows[sizeof methods / sizeof methods[0]];
    for (int k = 0; k < (int)(sizeof methods / sizeof methods[0]); k++) {
        rows[k] = k;
    }
    return cr_make_param_array(int, rows, sizeof methods / sizeof methods[0]);
}

ParameterizedTest(int *row, fit, recovers_exactly)
{
    for (uint64_t seed = 1; seed <= (TQT_SANITIZED ? 2 : 5); seed++) {
        tqt_fit_bench b = tqt_fit_open(arm(seed, 2 + (uint32_t)seed, 0));
        tq_fit_options options = tq_fit_defaults();
        options.method = methods[*row];
        options.lag = 10; /* a tenth of a second */
        double *prior = spoilt_prior(b.model, options.model.with, seed);
        options.prior = prior;
        tqt_fit_build(&b, &options, 2);
        for (size_t e = 0; e < 2; e++) {
            tqt_excited x = tqt_excited_new(b.subject, 100 * seed + e, 700, 100, 5);
            tqt_fit_read(b.fit, e, &x, &b.scratch);
            tqt_excited_free(&x);
        }
        tqt_fit_solve(&b);
        const tq_base_set *base = tq_fit_base(b.fit);
        double *truth = tqt_doubles(base->n_parameter), *beta = tqt_doubles(base->n_base);
        tq_parameter_values(b.model, options.model.with, truth);
        tq_base_values(base, truth, beta);
        double largest = 0;
        for (size_t k = 0; k < base->n_base; k++) {
            largest = fmax(largest, fabs(beta[k]));
        }
        cr_expect(eq(sz, b.solution.rank, base->n_base));
        for (size_t k = 0; k < base->n_base; k++) {
            /* required: relative error 1e-10 on data of the same robot */
            cr_expect(epsilon_eq(dbl, b.solution.value[k], beta[k], 1e-10 * (largest + 1)),
                      "method %d, seed %d, column %d", *row, (int)seed, (int)k);
        }
        free(truth), free(beta), free(prior);
        tqt_fit_close(&b);
    }
}

/* links on fixed joints, prismatic joints, branches: predicted torque on new data is compared */
Test(fit, predicts_torque_of_trees)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        const tqt_robot_options robot = {.n_joint = 6,
                                         .kinds = TQT_KINDS_ONE | 1u << TQ_JOINT_FIXED,
                                         .with = TQT_WITH_BRANCHES | TQT_WITH_SHUFFLE};
        tqt_fit_bench b = tqt_fit_open(tqt_random_robot(seed, robot));
        if (b.model->nv == 0) {
            tqt_fit_close(&b);
            continue;
        }
        const tq_fit_options options = tq_fit_defaults();
        tqt_fit_build(&b, &options, 1);
        tqt_excited x = tqt_excited_new(b.subject, seed, 900, 100, 4);
        tqt_fit_read(b.fit, 0, &x, &b.scratch);
        tqt_fit_solve(&b);
        tqt_excited y = tqt_excited_new(b.subject, seed + 50, 300, 100, 3);
        double *memory = tqt_doubles(4 * y.nv * TQ_BLOCK);
        tq_residuals judge;
        cr_assert(eq(int,
                     tq_residuals_begin(b.fit, b.solution.value, .01, &b.scratch, &judge, NULL),
                     TQ_OK));
        for (size_t k = 0; k < tq_block_count(y.n_sample); k++) {
            const tq_experiment_block block = tqt_excited_block(&y, k, memory);
            cr_assert(eq(int, tq_residuals_push(&judge, &block, NULL, NULL), TQ_OK));
        }
        for (size_t r = 0; r < y.nv; r++) {
            const tq_residual_stats all = tq_residuals_of(&judge, TQ_RESIDUALS_ALL, r);
            double size = 0;
            for (size_t i = 0; i < y.n_sample; i++) {
                size = fmax(size, fabs(y.tau[r * y.n_sample + i]));
            }
            cr_expect(eq(sz, all.n_sample, y.n_sample));
            /* parameters to 1e-10, with a condition of up to 1e3 on new motion */
            cr_expect(lt(dbl, all.rmse, 1e-7 * (size + 1)), "seed %d row %d", (int)seed, (int)r);
        }
        free(memory);
        tqt_excited_free(&x), tqt_excited_free(&y);
        tqt_fit_close(&b);
    }
}

/* reads and solves until the fit has converged; returns the number of passes */
static int converge(tqt_fit_bench *b, const tqt_excited *x)
{
    int n = 0;
    const size_t mark = tq_scratch_mark(&b->memory);
    do {
        tq_scratch_rewind(&b->memory, mark);
        tqt_fit_read(b->fit, 0, x, &b->scratch);
        tqt_fit_solve(b);
        n++;
    } while (b->solution.again && n < 20);
    return n;
}

/* a search gives the same values, without statistics */
Test(fit, search_finds_the_same_values)
{
    tqt_fit_bench b = tqt_fit_open(arm(3, 4, 0));
    const tq_fit_options options = tq_fit_defaults();
    tqt_fit_build(&b, &options, 1);
    tqt_excited x = tqt_excited_new(b.subject, 7, 2000, 100, 4);
    const size_t mark = tq_scratch_mark(&b.memory);
    tqt_fit_read(b.fit, 0, &x, &b.scratch);
    tqt_fit_solve(&b);
    const size_t n = b.solution.n_column;
    double *value = tqt_doubles(2 * n);
    double *deviation = value + n;
    double largest = 0;
    for (size_t c = 0; c < n; c++) {
        value[c] = b.solution.value[c];
        deviation[c] = b.solution.estimate[c].deviation;
        largest = fmax(largest, fabs(value[c]));
    }
    tq_fit_set_search(b.fit, true);
    tq_scratch_rewind(&b.memory, mark);
    tqt_fit_read(b.fit, 0, &x, &b.scratch);
    tqt_fit_solve(&b);
    for (size_t c = 0; c < n; c++) {
        /* rounding in another order, times a condition of up to 1e3 */
        cr_expect(epsilon_eq(dbl, b.solution.value[c], value[c], 1e-10 * (largest + 1)), "%d",
                  (int)c);
    }
    tq_fit_set_search(b.fit, false);
    tq_scratch_rewind(&b.memory, mark);
    tqt_fit_read(b.fit, 0, &x, &b.scratch);
    tqt_fit_solve(&b);
    for (size_t c = 0; c < n; c++) {
        cr_expect(eq(dbl, b.solution.estimate[c].deviation, deviation[c]), "%d", (int)c);
    }
    free(value);
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}

/* gears lose a fraction of the transmitted torque: the load is the bodies' torque, found
 * iteratively by the fit */
Test(fit, friction_by_load)
{
    tq_model *model = arm(4, 3, 0);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        model->joints[j].rotor.inertia = 0;
    }
    tqt_fit_bench b = tqt_fit_open(model);
    tqt_excited x = tqt_excited_new(b.subject, 11, 1500, 100, 5);
    tqt_excited bodies = tqt_excited_new(b.subject, 11, 1500, 100, 5);
    double *memory = tqt_doubles(4 * x.nv * TQ_BLOCK), *tau = tqt_doubles(x.nv * TQ_BLOCK);
    for (size_t k = 0; k < tq_block_count(x.n_sample); k++) {
        const tq_experiment_block block = tqt_excited_block(&bodies, k, memory);
        tq_block_pad(memory, 3 * x.nv, TQ_BLOCK, block.n_sample);
        const tq_inverse_input in = {.n_sample = block.n_sample,
                                     .stride = TQ_BLOCK,
                                     .q = block.q,
                                     .qd = block.qd,
                                     .qdd = block.qdd,
                                     .without = TQ_WITHOUT_FRICTION | TQ_WITHOUT_ROTOR};
        cr_assert(eq(int,
                     tq_inverse_dynamics(b.subject->mechanism, &in, &b.subject->scratch, tau, NULL),
                     TQ_OK));
        for (size_t j = 0; j < x.nv; j++) {
            for (size_t i = 0; i < block.n_sample; i++) {
                const size_t at = j * x.n_sample + k * TQ_BLOCK + i;
                x.tau[at] += .1 * fabs(tau[j * TQ_BLOCK + i]) *
                             (x.qd[at] > 0   ? 1
                              : x.qd[at] < 0 ? -1
                                             : 0);
            }
        }
    }
    tq_fit_options options = tq_fit_defaults();
    options.method = TQ_FIT_WLS;
    options.model.extra = TQ_FIT_LOAD;
    options.model.with &= ~(unsigned)TQ_REGRESS_ROTOR; /* only the bodies' inertia */
    tqt_fit_build(&b, &options, 1);
    const int passes = converge(&b, &x);
    cr_expect(gt(int, passes, 1));
    cr_expect(eq(int, b.solution.again, 0), "settled");
    for (uint32_t j = 0; j < b.model->n_joint; j++) {
        const size_t c = tqt_fit_column(&b, TQ_COLUMN_LOAD, TQ_PARAMETER_MASS, j, TQ_NONE);
        /* passes end when no value changes by 1e-3 of its nominal size, while a joint with little
         * load may still converge */
        cr_expect(epsilon_eq(dbl, b.solution.value[c], .1, j == 0 ? 2e-2 : 2e-3), "joint %d",
                  (int)j);
    }
    free(memory), free(tau);
    tqt_excited_free(&x), tqt_excited_free(&bodies);
    tqt_fit_close(&b);
}

/* without a given Stribeck velocity it is searched among candidates */
Test(fit, stribeck_speed_is_found)
{
    tq_model *truth = arm(5, 3, 0);
    for (uint32_t j = 0; j < truth->n_joint; j++) {
        truth->joints[j].friction = (tq_friction){
            .viscous = .5, .coulomb = 1, .breakaway = 2.5, .stribeck_velocity = j == 1 ? .1 : .2};
    }
    tqt_subject *subject = tqt_subject_new(truth, 0);
    tqt_excited x = tqt_excited_new(subject, 21, 3000, 200, 8);
    tqt_fit_bench b = tqt_fit_open(arm(5, 3, 0));
    tq_fit_options options = tq_fit_defaults();
    options.method = TQ_FIT_WLS;
    options.model.extra = TQ_FIT_STRIBECK;
    tqt_fit_build(&b, &options, 1);
    cr_expect(gt(int, converge(&b, &x), 4));
    for (uint32_t j = 0; j < truth->n_joint; j++) {
        cr_expect(eq(dbl, tq_fit_stribeck_speed(b.fit, j), j == 1 ? .1 : .2), "joint %d", (int)j);
        const size_t c = tqt_fit_column(&b, TQ_COLUMN_STRIBECK, TQ_PARAMETER_MASS, j, TQ_NONE);
        cr_expect(epsilon_eq(dbl, b.solution.value[c], 1.5, 1e-9), "joint %d", (int)j);
    }
    tqt_excited_free(&x);
    tqt_fit_close(&b);
    tqt_subject_free(subject);
    tqt_model_free(truth);
}

Test(fit, huber_counts_outliers_less)
{
    tqt_fit_bench b = tqt_fit_open(arm(6, 3, 0));
    tqt_excited x = tqt_excited_new(b.subject, 12, 1500, 100, 5);
    tqt_random r = tqt_random_seed(3);
    for (size_t k = 0; k < x.nv * x.n_sample; k++) {
        x.tau[k] += .05 * tqt_normal(&r) + (tqt_random_chance(&r, .05) ? 20 : 0);
    }
    double error[2] = {0};
    for (int robust = 0; robust < 2; robust++) {
        tq_fit_options options = tq_fit_defaults();
        options.method = robust ? TQ_FIT_IRLS : TQ_FIT_WLS;
        tqt_fit_build(&b, &options, 1);
        const int passes = converge(&b, &x);
        cr_expect(eq(int, passes > 1, robust));
        const tq_base_set *base = tq_fit_base(b.fit);
        double *truth = tqt_doubles(base->n_parameter), *beta = tqt_doubles(base->n_base);
        tq_parameter_values(b.model, options.model.with, truth);
        tq_base_values(base, truth, beta);
        for (size_t k = 0; k < base->n_base; k++) {
            const double off = b.solution.value[k] - beta[k];
            error[robust] += off * off;
        }
        free(truth), free(beta);
    }
    cr_expect(lt(dbl, sqrt(error[1]), .4 * sqrt(error[0])), "%g against %g", sqrt(error[1]),
              sqrt(error[0]));
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}

static void expect_same_whatever_the_blocks(tq_fit_method method)
{
    tqt_fit_bench b = tqt_fit_open(arm(3, 3, 0));
    tq_fit_options options = tq_fit_defaults();
    options.method = method;
    options.lag = 37;
    tqt_fit_build(&b, &options, 1);
    tqt_excited x = tqt_excited_new(b.subject, 7, 517, 100, 4);
    tqt_random r = tqt_random_seed(5);
    for (size_t k = 0; k < x.nv * x.n_sample; k++) {
        x.tau[k] += tqt_normal(&r);
    }
    tqt_fit_read(b.fit, 0, &x, &b.scratch);
    tqt_fit_solve(&b);
    double *memory = tqt_doubles(4 * x.nv * TQ_BLOCK), *small = tqt_doubles(4 * x.nv * 8);
    double *first = tqt_doubles(b.solution.n_column);
    memcpy(first, b.solution.value, b.solution.n_column * sizeof *first);
    tq_fit_stream *stream = NULL;
    cr_assert(eq(int, tq_fit_begin(b.fit, 0, x.n_sample, &b.scratch, &stream, NULL), TQ_OK));
    for (size_t k = 0; k < tq_block_count(x.n_sample); k++) {
        const tq_experiment_block whole = tqt_excited_block(&x, k, memory);
        for (size_t i = 0; i < whole.n_sample; i += 3) {
            const size_t n = whole.n_sample - i < 3 ? whole.n_sample - i : 3;
            for (size_t row = 0; row < 4 * x.nv; row++) {
                memcpy(small + row * 8, memory + row * TQ_BLOCK + i, n * sizeof *small);
            }
            const tq_experiment_block part = {.n_sample = n,
                                              .stride = 8,
                                              .q = small,
                                              .qd = small + 8 * x.nv,
                                              .qdd = small + 16 * x.nv,
                                              .tau = small + 24 * x.nv};
            cr_assert(eq(int, tq_fit_push(stream, &part, NULL), TQ_OK));
        }
    }
    cr_assert(eq(int, tq_fit_end(stream, NULL), TQ_OK));
    tqt_fit_solve(&b);
    for (size_t k = 0; k < b.solution.n_column; k++) {
        cr_expect(eq(dbl, b.solution.value[k], first[k]), "the same bits: column %d", (int)k);
    }
    free(memory), free(small), free(first);
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}

Test(fit, blocks_of_any_size_give_the_same_triangle)
{
    expect_same_whatever_the_blocks(TQ_FIT_WLS);
    expect_same_whatever_the_blocks(TQ_FIT_IV);
}

Test(fit, guards)
{
    tqt_fit_bench b = tqt_fit_open(arm(1, 2, 0));
    tq_fit_options options = tq_fit_defaults();
    tq_error error = {0};
    const tq_mechanism *m = b.subject->mechanism;
    tq_fit *fit = NULL;
    cr_expect(eq(int, tq_fit_build(m, &options, 0, &b.memory, &fit, &error), TQ_ERR_SHAPE));
    options.confidence = 1;
    cr_expect(eq(int, tq_fit_build(m, &options, 1, &b.memory, &fit, &error), TQ_ERR_RANGE));
    cr_expect(eq(str, (char *)(uintptr_t)error.what, "confidence"));
    options = tq_fit_defaults();
    options.column_noise = 1;
    cr_expect(eq(int, tq_fit_build(m, &options, 1, &b.memory, &fit, &error), TQ_ERR_RANGE));
    cr_expect(eq(str, (char *)(uintptr_t)error.what, "column_noise"));
    options = tq_fit_defaults();
    options.ridge = -1;
    cr_expect(eq(int, tq_fit_build(m, &options, 1, &b.memory, &fit, &error), TQ_ERR_RANGE));
    options = tq_fit_defaults();
    options.lag = TQ_FIT_LAG_MAX + 1;
    cr_expect(eq(int, tq_fit_build(m, &options, 1, &b.memory, &fit, &error), TQ_ERR_RANGE));
    cr_expect(eq(str, (char *)(uintptr_t)error.what, "lag"));
    options = tq_fit_defaults();
    const tq_fit_coupling wrong = {0, 7};
    options.model.couplings = &wrong, options.model.n_coupling = 1;
    cr_expect(eq(int, tq_fit_build(m, &options, 1, &b.memory, &fit, &error), TQ_ERR_RANGE));
    cr_expect(eq(str, (char *)(uintptr_t)error.what, "coupling"));
    options = tq_fit_defaults();
    tq_scratch none;
    tq_scratch_init(&none, b.memory.memory, 1024);
    cr_expect(eq(int, tq_fit_build(m, &options, 1, &none, &fit, &error), TQ_ERR_SCRATCH));
    tqt_fit_build(&b, &options, 1);
    cr_expect(
        eq(int, tq_fit_solve(b.fit, &b.memory, &b.scratch, &b.solution, &error), TQ_ERR_SHAPE));
    tq_fit_stream *stream = NULL;
    cr_expect(eq(int, tq_fit_begin(b.fit, 1, 10, &b.scratch, &stream, &error), TQ_ERR_SHAPE));
    cr_assert(eq(int, tq_fit_begin(b.fit, 0, 10, &b.scratch, &stream, &error), TQ_OK));
    _Alignas(64) double rows[64] = {0};
    tq_experiment_block block = {
        .n_sample = 9, .stride = 8, .q = rows, .qd = rows, .qdd = rows, .tau = rows};
    cr_expect(eq(int, tq_fit_push(stream, &block, &error), TQ_ERR_SHAPE));
    block.n_sample = 4;
    block.tau = rows + 16;
    rows[16 + 8 + 2] = NAN;
    cr_expect(eq(int, tq_fit_push(stream, &block, &error), TQ_ERR_NOT_FINITE));
    cr_expect(eq(str, (char *)(uintptr_t)error.what, "tau"));
    cr_expect(eq(sz, error.index, 2));
    tqt_fit_close(&b);
}
