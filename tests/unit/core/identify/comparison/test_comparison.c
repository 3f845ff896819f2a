/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/identify/comparison/test_comparison.c - other estimators beside a fit: each as a
 * fit of its own, errors as residuals, simulated instruments without the bias of noise. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/identify/comparison/comparison.h"
#include "core/identify/validation/residuals.h"
#include "tests/support/fit_bench.h"
#include "tests/support/random_robot.h"
#include "tests/support/seed_robots.h"

enum { RUNS = 3, SAMPLES = 4000, RATE = 200, LAG = 5 };

static const tqt_bar bars[2] = {
    {.length = .5, .mass = 3, .com = .2, .inertia = .1, .viscous = .3},
    {.length = .4, .mass = 2, .com = .25, .inertia = .05, .viscous = .2}};

typedef struct arm {
    tqt_fit_bench bench;
    tqt_excited runs[RUNS];
    tq_scratch scratch; /* of the comparison */
    tq_comparison *comparison;
    size_t n_pass[TQ_COMPARISON_DONE];
    const tq_feedback *feedback;
} arm;

static void give(tq_scratch *scratch, size_t size)
{
    free(scratch->memory);
    const size_t whole = (size + 63) / 64 * 64;
    void *memory = size > 0 ? aligned_alloc(64, whole) : NULL;
    *scratch = (tq_scratch){0};
    if (memory != NULL) {
        memset(memory, 0xa5, whole);
        tq_scratch_init(scratch, memory, whole);
    }
}

/* A two-link arm, its runs: noise of accelerations and of torque, both white. */
static arm opened(tq_fit_method method, double noise_qdd, double noise_tau)
{
    arm a = {.bench = tqt_fit_open(tqt_planar_arm(bars, 2, 9.81))};
    tqt_random random = tqt_random_seed(5);
    tq_fit_options options = tq_fit_defaults();
    options.model.with = TQ_REGRESS_VISCOUS;
    options.method = method;
    options.lag = LAG;
    tqt_fit_build(&a.bench, &options, RUNS);
    for (size_t i = 0; i < RUNS; i++) {
        a.runs[i] = tqt_excited_new(a.bench.subject, 3 + i, SAMPLES, RATE, 7);
        for (size_t k = 0; k < 2 * SAMPLES; k++) {
            a.runs[i].qdd[k] += noise_qdd * tqt_normal(&random);
            a.runs[i].tau[k] += noise_tau * tqt_normal(&random);
        }
        tqt_fit_read(a.bench.fit, i, &a.runs[i], &a.bench.scratch);
    }
    tqt_fit_solve(&a.bench);
    return a;
}

static void closed(arm *a)
{
    for (size_t i = 0; i < RUNS; i++) {
        tqt_excited_free(&a->runs[i]);
    }
    give(&a->scratch, 0);
    tqt_fit_close(&a->bench);
}

static void read_run(arm *a, size_t i)
{
    double *memory = tqt_doubles(4 * 2 * TQ_BLOCK), t[TQ_BLOCK];
    tq_error error = {0};
    const tq_comparison_recording of = {.period = 1.0 / (double)RATE, .n_sample = SAMPLES};
    cr_assert(eq(int, tq_comparison_begin_recording(a->comparison, i, &of, &error), TQ_OK), "%s",
              error.what != NULL ? error.what : "");
    for (size_t k = 0; k < tq_block_count(SAMPLES); k++) {
        tq_experiment_block block = tqt_excited_block(&a->runs[i], k, memory);
        for (size_t s = 0; s < block.n_sample; s++) {
            t[s] = (double)(k * TQ_BLOCK + s) / (double)RATE;
        }
        block.begins = k == 0;
        cr_assert(eq(int, tq_comparison_push(a->comparison, &block, t, &error), TQ_OK), "%s",
                  error.what != NULL ? error.what : "");
    }
    cr_assert(eq(int, tq_comparison_end_recording(a->comparison, &error), TQ_OK), "%s",
              error.what != NULL ? error.what : "");
    free(memory);
}

static const tq_compared *compare(arm *a, const tq_estimator *estimators, size_t n, bool leaves_out)
{
    const tq_comparison_plan plan = {.estimators = estimators,
                                     .n = n,
                                     .n_fitted = RUNS,
                                     .leaves_out = leaves_out,
                                     .end = RUNS,
                                     .lag = LAG,
                                     .memory_max = (size_t)1 << 28,
                                     .feedback = a->feedback};
    give(&a->scratch, tq_comparison_size(a->bench.fit, &plan));
    cr_assert(eq(int,
                 tq_comparison_begin(a->bench.fit, &a->bench.solution, &plan, &a->scratch,
                                     &a->comparison, NULL),
                 TQ_OK));
    for (;;) {
        tq_comparison_pass pass = TQ_COMPARISON_DONE;
        tq_error error = {0};
        cr_assert(eq(int, tq_comparison_next(a->comparison, &pass, &error), TQ_OK), "%s %g",
                  error.what != NULL ? error.what : "", error.value);
        if (pass == TQ_COMPARISON_DONE) {
            break;
        }
        a->n_pass[pass]++;
        for (size_t i = 0; i < RUNS; i++) {
            read_run(a, i);
        }
    }
    size_t n_result = 0;
    const tq_compared *results = tq_comparison_results(a->comparison, &n_result);
    cr_assert(eq(sz, n_result, n));
    for (size_t k = 0; k < n; k++) {
        cr_assert(eq(int, results[k].fault, TQ_COMPARED_GOOD), "estimator %d", (int)estimators[k]);
    }
    return results;
}

static void expect_values(const tq_compared *x, const arm *of)
{
    for (size_t k = 0; k < of->bench.solution.n_column; k++) {
        const double value = of->bench.solution.value[k];
        cr_expect(epsilon_eq(dbl, x->value[k], value, 1e-9 * (1 + fabs(value))), "%d, column %zu",
                  (int)x->estimator, k);
    }
}

/* Beside any fit, an estimator gives what a fit by its own method does. */
Test(comparison, every_estimator_is_as_a_fit_of_its_own)
{
    static const tq_estimator all[] = {
        TQ_ESTIMATOR_FEASIBLE, TQ_ESTIMATOR_OLS,     TQ_ESTIMATOR_WLS, TQ_ESTIMATOR_TLS,
        TQ_ESTIMATOR_RIDGE,    TQ_ESTIMATOR_BOUNDED, TQ_ESTIMATOR_IV,  TQ_ESTIMATOR_FEASIBLE_IV};
    static const tq_fit_method methods[] = {TQ_FIT_FEASIBLE, TQ_FIT_OLS,        TQ_FIT_WLS,
                                            TQ_FIT_TLS,      TQ_FIT_RIDGE,      TQ_FIT_BOUNDED,
                                            TQ_FIT_IV,       TQ_FIT_FEASIBLE_IV};
    enum { N = sizeof all / sizeof all[0] };
    arm plain = opened(TQ_FIT_WLS, .5, .05);
    const tq_compared *by_plain = compare(&plain, all, N, false);
    cr_expect(eq(sz, plain.n_pass[TQ_COMPARISON_LAGGED], 1));
    arm instruments = opened(TQ_FIT_IV, .5, .05);
    const tq_compared *by_instruments = compare(&instruments, all, N, false);
    cr_expect(eq(sz, instruments.n_pass[TQ_COMPARISON_LAGGED], 0)); /* it has them itself */
    for (size_t k = 0; k < N; k++) {
        arm own = opened(methods[k], .5, .05);
        expect_values(&by_plain[k], &own);
        if (k >= 6) { /* a lag at the ends of a run has no instruments: other samples without */
            expect_values(&by_instruments[k], &own);
        }
        closed(&own);
    }
    closed(&plain);
    closed(&instruments);
}

/* The error of a run left out is that of a fit of the others, as residuals state it. */
Test(comparison, errors_are_residuals_of_runs_not_seen)
{
    static const tq_estimator wls = TQ_ESTIMATOR_WLS;
    arm a = opened(TQ_FIT_WLS, .5, .05);
    const tq_compared *found = compare(&a, &wls, 1, true);
    double square[2] = {0}, *value = tqt_doubles(tq_fit_value_count(a.bench.fit));
    for (size_t e = 0; e < RUNS; e++) {
        double *memory = tqt_doubles(4 * 2 * TQ_BLOCK);
        tq_scratch scratch = {0};
        tq_residuals sums;
        give(&scratch, tq_fit_solve_size(a.bench.fit) + tq_residuals_size(a.bench.fit));
        cr_assert(eq(int, tq_fit_solve_without(a.bench.fit, e, &scratch, value, NULL), TQ_OK));
        cr_assert(
            eq(int, tq_residuals_begin(a.bench.fit, value, .01, &scratch, &sums, NULL), TQ_OK));
        for (size_t k = 0; k < tq_block_count(SAMPLES); k++) {
            const tq_experiment_block block = tqt_excited_block(&a.runs[e], k, memory);
            cr_assert(eq(int, tq_residuals_push(&sums, &block, NULL, NULL), TQ_OK));
        }
        for (size_t r = 0; r < 2; r++) {
            const double rmse = tq_residuals_of(&sums, TQ_RESIDUALS_ALL, r).rmse;
            square[r] += rmse * rmse / (double)RUNS;
        }
        free(memory);
        give(&scratch, 0);
    }
    for (size_t r = 0; r < 2; r++) {
        cr_expect(epsilon_eq(dbl, found->rmse[r], sqrt(square[r]), 1e-9 * sqrt(square[r])));
    }
    cr_expect(eq(sz, found->n_judged, (size_t)RUNS * SAMPLES));
    free(value);
    closed(&a);
}

/* largest error of a column, relative to the truth or to a tenth of a unit */
static double error_of(const arm *a, const double *value)
{
    const tq_base_set *base = tq_fit_base(a->bench.fit);
    double *truth = tqt_doubles(base->n_parameter), *beta = tqt_doubles(base->n_base);
    double most = 0.0;
    tq_parameter_values(a->bench.model, TQ_REGRESS_VISCOUS, truth);
    tq_base_values(base, truth, beta);
    for (size_t k = 0; k < base->n_base; k++) {
        most = fmax(most, fabs(value[k] - beta[k]) / fmax(fabs(beta[k]), .1)); /* some are 0 */
    }
    free(truth), free(beta);
    return most;
}

/* Accelerations with noise of 1 rad/s^2: least squares is off by a fifth of an inertia and more;
 * instruments along a simulation, whose noise is not theirs, lose nothing that is not chance. */
Test(comparison, simulated_instruments_are_free_of_the_bias_of_noise)
{
    static const tq_estimator all[] = {TQ_ESTIMATOR_WLS, TQ_ESTIMATOR_IDIM_IV,
                                       TQ_ESTIMATOR_FEASIBLE_IDIM_IV, TQ_ESTIMATOR_DIDIM,
                                       TQ_ESTIMATOR_FEASIBLE_DIDIM};
    arm a = opened(TQ_FIT_FEASIBLE, 1.0, .05);
    const tq_compared *found = compare(&a, all, 5, true);
    cr_log_info("errors %g %g %g %g %g, %zu simulations, %zu windows, %zu lost",
                error_of(&a, found[0].value), error_of(&a, found[1].value),
                error_of(&a, found[2].value), error_of(&a, found[3].value),
                error_of(&a, found[4].value), found[1].n_simulation, found[1].n_window,
                found[1].n_lost);
    cr_expect(gt(dbl, error_of(&a, found[0].value), .2));
    cr_expect(lt(dbl, error_of(&a, found[1].value), .05));
    cr_expect(lt(dbl, error_of(&a, found[2].value), .05));
    cr_expect(ge(sz, found[1].n_simulation, 2));
    cr_expect(le(sz, found[1].n_simulation, TQ_SIMULATIONS_MAX));
    cr_expect(eq(sz, found[1].n_simulation, a.n_pass[TQ_COMPARISON_SIMULATED]));
    cr_expect(gt(sz, found[1].n_window, 0));
    cr_expect(eq(sz, found[1].n_lost, 0));
    cr_expect(found[2].is_feasible);
    cr_expect(lt(dbl, error_of(&a, found[3].value), .05));
    cr_expect(lt(dbl, error_of(&a, found[4].value), .05));
    cr_expect(found[4].is_feasible);
    cr_expect(eq(sz, found[3].n_simulation, a.n_pass[TQ_COMPARISON_OUTPUT]));
    closed(&a);
}

/* Where the controller is known its own loop is simulated, soft or stiff: the truth again, from the
 * biased start of least squares. */
Test(comparison, output_error_in_the_loop_of_the_recording)
{
    static const tq_estimator both[] = {TQ_ESTIMATOR_FEASIBLE, TQ_ESTIMATOR_DIDIM};
    static const double soft[4] = {60, 30, 12, 6}, stiff[4] = {40000, 20000, 400, 200},
                        rates[4] = {400, 400, 40, 40};
    static const tq_feedback loops[] = {{.kp = soft, .kd = soft + 2},
                                        {.kp = stiff, .kd = stiff + 2},
                                        {.kp = rates, .kd = rates + 2, .by_mass = true}};
    double before = NAN;
    for (size_t k = 0; k < sizeof loops / sizeof loops[0]; k++) {
        arm a = opened(TQ_FIT_FEASIBLE, 1.0, .05);
        a.feedback = &loops[k];
        const tq_compared *found = compare(&a, both, 2, true);
        const double error = error_of(&a, found[1].value);
        cr_log_info("%zu: %g, %zu simulations", k, error, found[1].n_simulation);
        cr_expect(gt(dbl, error_of(&a, found[0].value), .2));
        cr_expect(lt(dbl, error, .05));
        cr_expect(eq(sz, found[1].n_lost, 0));
        cr_expect(ne(dbl, error, before)); /* the gains are those of the plan */
        before = error;
        closed(&a);
    }
}

/* Without noise all agree with the truth, whichever the instruments. */
Test(comparison, all_agree_without_noise)
{
    static const tq_estimator some[] = {TQ_ESTIMATOR_OLS, TQ_ESTIMATOR_IV, TQ_ESTIMATOR_IDIM_IV,
                                        TQ_ESTIMATOR_DIDIM};
    arm a = opened(TQ_FIT_FEASIBLE, 0, 0);
    const tq_compared *found = compare(&a, some, 4, false);
    for (size_t k = 0; k < 4; k++) {
        /* output error has that of the simulation: 0.27 % at its steps of 5 ms */
        const double most = some[k] == TQ_ESTIMATOR_DIDIM ? 5e-3 : 1e-7;
        cr_expect(lt(dbl, error_of(&a, found[k].value), most), "%zu: %g", k,
                  error_of(&a, found[k].value));
        cr_expect(found[k].is_feasible && found[k].negative == SIZE_MAX && found[k].n_bad == 0);
    }
    closed(&a);
}

/* Too little memory leaves estimators out, with their reason, and not the others. */
Test(comparison, names_what_has_no_room)
{
    static const tq_estimator some[] = {TQ_ESTIMATOR_OLS, TQ_ESTIMATOR_IV, TQ_ESTIMATOR_IDIM_IV};
    arm a = opened(TQ_FIT_FEASIBLE, .1, .05);
    const tq_comparison_plan plan = {
        .estimators = some, .n = 3, .n_fitted = RUNS, .end = RUNS, .lag = LAG, .memory_max = 1000};
    tq_comparison_pass pass = TQ_COMPARISON_DONE;
    size_t n = 0;
    give(&a.scratch, tq_comparison_size(a.bench.fit, &plan));
    cr_assert(eq(
        int,
        tq_comparison_begin(a.bench.fit, &a.bench.solution, &plan, &a.scratch, &a.comparison, NULL),
        TQ_OK));
    cr_assert(eq(int, tq_comparison_next(a.comparison, &pass, NULL), TQ_OK));
    cr_expect(eq(int, pass, TQ_COMPARISON_JUDGED));
    const tq_compared *found = tq_comparison_results(a.comparison, &n);
    cr_expect(eq(int, found[0].fault, TQ_COMPARED_GOOD));
    cr_expect(eq(int, found[1].fault, TQ_COMPARED_MEMORY));
    cr_expect(eq(int, found[2].fault, TQ_COMPARED_MEMORY));
    closed(&a);
}
