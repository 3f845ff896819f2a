/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/identify/validation/test_bootstrap.c - bootstrap draws of experiments or
 * segments agree with the jackknife, and with the textbook formula if residuals are white. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/fit_bench.h"
#include "tests/support/random_robot.h"

enum { SAMPLES = 4000, RATE = 100, DRAWS = 400, COLUMNS_MAX = 64 };

static tq_model *arm(void)
{
    tq_model *model =
        tqt_random_arm(4, 3, TQT_WITH_FRICTION | TQT_WITH_ROTOR,
                       (tq_friction){.viscous = 1, .coulomb = 2, .smoothing = .05, .offset = .1});
    for (uint32_t j = 0; j < model->n_joint; j++) {
        model->joints[j].rotor = (tq_rotor){.inertia = 1, .ratio = 1};
    }
    return model;
}

/* white noise of 0.1 N m; the same motion each time, so that groups differ by noise alone */
static void read_noisy(tqt_fit_bench *b, size_t number, size_t n)
{
    tqt_excited x = tqt_excited_new(b->subject, 5, n, RATE, 1);
    tqt_random r = tqt_random_seed(100 + number);
    for (size_t i = 0; i < x.nv * n; i++) {
        x.tau[i] += .1 * tqt_normal(&r);
    }
    tqt_fit_read(b->fit, number, &x, &b->scratch);
    tqt_excited_free(&x);
}

static double middle(double *x, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        for (size_t k = i; k > 0 && x[k - 1] > x[k]; k--) {
            const double other = x[k];
            x[k] = x[k - 1], x[k - 1] = other;
        }
    }
    return x[n / 2];
}

static const struct {
    size_t n_experiment;
    tq_fit_method method;
} cases[] = {{1, TQ_FIT_WLS}, {3, TQ_FIT_FEASIBLE}, {30, TQ_FIT_WLS}, {2, TQ_FIT_OLS}};

static struct criterion_test_params rows(void)
{
    static size_t numbers[] = {0, 1, 2, 3};
    return cr_make_param_array(size_t, numbers, sizeof numbers / sizeof numbers[0]);
}

ParameterizedTestParameters(bootstrap, draws_agree_with_the_covariance)
{
    return rows();
}

ParameterizedTest(size_t *row, bootstrap, draws_agree_with_the_covariance)
{
    tqt_fit_bench b = tqt_fit_open(arm());
    tq_fit_options options = tq_fit_defaults();
    options.method = cases[*row].method;
    options.n_bootstrap = DRAWS;
    tqt_fit_build(&b, &options, cases[*row].n_experiment);
    for (size_t e = 0; e < cases[*row].n_experiment; e++) {
        read_noisy(&b, e, SAMPLES / (cases[*row].n_experiment > 3 ? 10 : 1));
    }
    tqt_fit_solve(&b);
    double by_leaving[COLUMNS_MAX], by_textbook[COLUMNS_MAX];
    const size_t n = b.solution.n_column;
    cr_assert(le(sz, n, COLUMNS_MAX));
    for (size_t c = 0; c < n; c++) {
        const tq_estimate *e = &b.solution.estimate[c];
        by_leaving[c] = e->bootstrap / e->deviation;
        by_textbook[c] = e->bootstrap / e->textbook;
        cr_expect(lt(dbl, e->bootstrap_low, e->bootstrap_high));
        /* a 95 % interval of normal numbers is 3.9 deviations wide; with 400 draws: to 10 % */
        const double wide = (e->bootstrap_high - e->bootstrap_low) / e->bootstrap;
        cr_expect(epsilon_eq(dbl, wide, 3.9, .8), "%g", wide);
        cr_expect(epsilon_eq(dbl, sqrt(b.solution.covariance[c * n + c]), e->deviation,
                             1e-9 * e->deviation));
    }
    /* thirty groups determine a deviation to 13 %, the median over n columns more accurately */
    const double leaving = middle(by_leaving, n), textbook = middle(by_textbook, n);
    cr_log_info("%g of leaving out, %g of the textbook", leaving, textbook);
    cr_expect(epsilon_eq(dbl, leaving, 1, .15), "%g", leaving);
    cr_expect(epsilon_eq(dbl, textbook, 1, .25), "%g", textbook);
    tqt_fit_close(&b);
}

Test(bootstrap, none_without_groups_or_draws)
{
    tqt_fit_bench b = tqt_fit_open(arm());
    tq_fit_options options = tq_fit_defaults();
    options.method = TQ_FIT_WLS;
    tqt_fit_build(&b, &options, 1);
    read_noisy(&b, 0, SAMPLES);
    tqt_fit_solve(&b);
    cr_expect(isnan(b.solution.estimate[0].bootstrap));
    options.n_bootstrap = DRAWS;
    tqt_fit_build(&b, &options, 1);
    read_noisy(&b, 0, 20); /* one segment */
    tqt_fit_solve(&b);
    cr_expect(isnan(b.solution.estimate[0].bootstrap));
    cr_expect(isnan(b.solution.covariance[0]));
    options.method = TQ_FIT_IV;
    tqt_fit_build(&b, &options, 1);
    read_noisy(&b, 0, SAMPLES);
    tqt_fit_solve(&b);
    cr_expect(isnan(b.solution.estimate[0].bootstrap), "draws of instruments are too weak");
    options.method = TQ_FIT_WLS;
    options.n_bootstrap = TQ_FIT_DRAWS_MAX + 1;
    tq_error error = {0};
    tq_fit *fit = NULL;
    cr_expect(eq(int, tq_fit_build(b.subject->mechanism, &options, 1, &b.memory, &fit, &error),
                 TQ_ERR_RANGE));
    tqt_fit_close(&b);
}
