/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/identify/regression/test_rows.c - friction with a state of the joint's
 * displacement (presliding). */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/identify/regression/fit.h"
#include "core/identify/validation/residuals.h"
#include "tests/support/excited.h"
#include "tests/support/fit_bench.h"
#include "tests/support/random_robot.h"

enum { STEPS = 4000 };
static const double coulomb = 5.0, length = 0.05, forgets = 0.5;

/* a chain of revolute joints without friction */
static tq_model *bare_arm(void)
{
    const tqt_robot_options options = {
        .n_joint = 3, .kinds = 1u << TQ_JOINT_REVOLUTE, .with = TQT_WITH_ROTOR};
    return tqt_random_robot(4, options);
}

/* Dahl's friction by small steps of its differential equation, independent of the fit. relaxation
 * 0: none */
static void add_presliding(tqt_excited *x, double relaxation)
{
    const double time = 1.0 / x->rate / (double)STEPS;
    for (size_t j = 0; j < x->nv; j++) {
        const double *q = x->q + j * x->n_sample;
        double z = x->qd[j * x->n_sample] > 0 ? 1.0 : -1.0;
        for (size_t i = 0; i < x->n_sample; i++) {
            const double way = i > 0 ? (q[i] - q[i - 1]) / (double)STEPS : 0.0;
            for (int k = 0; i > 0 && k < STEPS; k++) {
                const double fades = relaxation > 0 ? time / relaxation : 0.0;
                z += way * (1.0 - z * (way > 0 ? 1.0 : -1.0)) / length - fades * z;
            }
            x->tau[j * x->n_sample + i] += coulomb * z;
        }
    }
}

/* at rest for two of every five tenths of a second */
static void add_stops(tqt_subject *subject, tqt_excited *x)
{
    for (size_t j = 0; j < x->nv; j++) {
        for (size_t i = 0; i < x->n_sample; i++) {
            const size_t at = j * x->n_sample + i;
            if (i % 100 >= 60) {
                x->q[at] = x->q[at - 1];
                x->qd[at] = x->qdd[at] = 0;
            }
        }
    }
    tqt_excited_torque(subject, x);
}

static tq_fit_options with_presliding(double relaxation)
{
    tq_fit_options options = tq_fit_defaults();
    options.method = TQ_FIT_WLS;
    options.model.smoothing = 0;
    options.model.presliding = length;
    options.model.relaxation = relaxation;
    return options;
}

static void expect_coulomb(const tqt_fit_bench *b)
{
    for (uint32_t j = 0; j < b->model->n_joint; j++) {
        const size_t c = tqt_fit_column(b, TQ_COLUMN_PARAMETER, TQ_PARAMETER_COULOMB, j, TQ_NONE);
        /* Euler steps of 1/4000 sample leave an error of about 1e-5 of the presliding length */
        cr_expect(epsilon_eq(dbl, b->solution.value[c], coulomb, 5e-4), "joint %d", (int)j);
    }
}

/* presliding: the state of Dahl's model explains the torque, a sign of velocity does not */
Test(fit_run, presliding_friction)
{
    tqt_fit_bench b = tqt_fit_open(bare_arm());
    tqt_excited x = tqt_excited_new(b.subject, 12, 1500, 200, 8);
    add_presliding(&x, 0);
    double sigma[2];
    for (int with = 0; with < 2; with++) {
        tq_fit_options options = with_presliding(0);
        options.model.presliding = with != 0 ? length : 0.0;
        tqt_fit_build(&b, &options, 1);
        tqt_fit_read(b.fit, 0, &x, &b.scratch);
        tqt_fit_solve(&b);
        sigma[with] = b.solution.sigma[1];
    }
    expect_coulomb(&b);
    cr_expect(lt(dbl, sigma[1], 1e-3 * sigma[0]), "%g of %g", sigma[1], sigma[0]);
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}

/* the friction state relaxes at rest; without relaxation it must not */
Test(fit_run, friction_relaxes_at_rest)
{
    for (int fades = 0; fades < 2; fades++) {
        tqt_fit_bench b = tqt_fit_open(bare_arm());
        tqt_excited x = tqt_excited_new(b.subject, 12, 1500, 200, 8);
        add_stops(b.subject, &x);
        add_presliding(&x, fades != 0 ? forgets : 0.0);
        double sigma[2];
        for (int model = 0; model < 2; model++) {
            const tq_fit_options options = with_presliding(model != 0 ? forgets : 0.0);
            tqt_fit_build(&b, &options, 1);
            tqt_fit_read(b.fit, 0, &x, &b.scratch);
            tqt_fit_solve(&b);
            sigma[model] = b.solution.sigma[1];
            if (model == fades) {
                expect_coulomb(&b);
            }
        }
        cr_expect(lt(dbl, sigma[fades], 1e-2 * sigma[1 - fades]), "%g of %g", sigma[fades],
                  sigma[1 - fades]);
        tqt_excited_free(&x);
        tqt_fit_close(&b);
    }
}

/* positions that ring at every stop, like filtered ones, with the unfiltered displacement */
Test(fit_run, friction_follows_the_stated_displacement)
{
    tqt_fit_bench b = tqt_fit_open(bare_arm());
    tqt_excited x = tqt_excited_new(b.subject, 12, 1500, 200, 8);
    add_presliding(&x, 0);
    double *memory = tqt_doubles(5 * x.nv * TQ_BLOCK);
    const tq_fit_options options = with_presliding(0);
    double sigma[2];
    for (int given = 0; given < 2; given++) {
        tqt_fit_build(&b, &options, 1);
        tq_fit_stream *stream = NULL;
        const size_t mark = tq_scratch_mark(&b.scratch);
        cr_assert(eq(int, tq_fit_begin(b.fit, 0, x.n_sample, &b.scratch, &stream, NULL), TQ_OK));
        for (size_t k = 0; k < tq_block_count(x.n_sample); k++) {
            tq_experiment_block block = tqt_excited_block(&x, k, memory);
            double *way = memory + 4 * x.nv * TQ_BLOCK;
            for (size_t r = 0; r < x.nv; r++) {
                for (size_t i = 0; i < block.n_sample; i++) {
                    const size_t at = r * x.n_sample + k * TQ_BLOCK + i;
                    way[r * TQ_BLOCK + i] = k + i > 0 ? x.q[at] - x.q[at - 1] : 0.0;
                    /* too little to move the arm, a tenth of the presliding length */
                    memory[r * TQ_BLOCK + i] += (i % 2 == 0 ? 0.1 : -0.1) * length;
                }
            }
            block.way = given != 0 ? way : NULL;
            cr_assert(eq(int, tq_fit_push(stream, &block, NULL), TQ_OK));
        }
        cr_assert(eq(int, tq_fit_end(stream, NULL), TQ_OK));
        tq_scratch_rewind(&b.scratch, mark);
        tqt_fit_solve(&b);
        sigma[given] = b.solution.sigma[1];
    }
    cr_expect(lt(dbl, sigma[1], 0.5 * sigma[0]), "%g of %g", sigma[1], sigma[0]);
    free(memory);
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}

Test(fit_run, refuses_a_displacement_that_is_not_finite)
{
    tqt_fit_bench b = tqt_fit_open(bare_arm());
    tqt_excited x = tqt_excited_new(b.subject, 12, 200, 200, 1);
    double *memory = tqt_doubles(5 * x.nv * TQ_BLOCK);
    const tq_fit_options options = with_presliding(0);
    tqt_fit_build(&b, &options, 1);
    tq_fit_stream *stream = NULL;
    tq_error error = {0};
    cr_assert(eq(int, tq_fit_begin(b.fit, 0, 200, &b.scratch, &stream, NULL), TQ_OK));
    tq_experiment_block block = tqt_excited_block(&x, 0, memory);
    memset(memory + 4 * x.nv * TQ_BLOCK, 0, x.nv * TQ_BLOCK * sizeof *memory);
    memory[(4 * x.nv + 1) * TQ_BLOCK + 7] = NAN;
    block.way = memory + 4 * x.nv * TQ_BLOCK;
    cr_expect(eq(int, tq_fit_push(stream, &block, &error), TQ_ERR_NOT_FINITE));
    cr_expect(eq(str, (char *)(uintptr_t)error.what, "way"));
    cr_expect(eq(sz, error.index, 7));
    free(memory);
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}

static void push_all(tq_residuals *judge, const tqt_excited *x, double *memory)
{
    for (size_t k = 0; k < tq_block_count(x->n_sample); k++) {
        const tq_experiment_block block = tqt_excited_block(x, k, memory);
        cr_assert(eq(int, tq_residuals_push(judge, &block, NULL, NULL), TQ_OK));
    }
}

/* one residuals object for two recordings: the second starts without the friction state of the
 * first */
Test(fit_run, friction_state_is_reset_between_logs)
{
    tqt_fit_bench b = tqt_fit_open(bare_arm());
    tqt_excited x = tqt_excited_new(b.subject, 12, 600, 200, 8);
    tqt_excited y = tqt_excited_new(b.subject, 13, 600, 200, 8);
    add_presliding(&x, 0), add_presliding(&y, 0);
    const tq_fit_options options = with_presliding(0);
    tqt_fit_build(&b, &options, 1);
    tqt_fit_read(b.fit, 0, &x, &b.scratch);
    tqt_fit_solve(&b);
    double *memory = tqt_doubles(4 * x.nv * TQ_BLOCK);
    tq_residuals one, other, both;
    tq_residuals *const judges[] = {&one, &other, &both};
    for (size_t k = 0; k < 3; k++) {
        cr_assert(eq(int,
                     tq_residuals_begin(b.fit, b.solution.value, .01, &b.scratch, judges[k], NULL),
                     TQ_OK));
    }
    push_all(&one, &x, memory);
    push_all(&other, &y, memory);
    push_all(&both, &x, memory);
    tq_residuals_next(&both);
    push_all(&both, &y, memory);
    for (size_t r = 0; r < x.nv; r++) {
        const double first = tq_residuals_of(&one, TQ_RESIDUALS_ALL, r).rmse;
        const double second = tq_residuals_of(&other, TQ_RESIDUALS_ALL, r).rmse;
        const double mean = sqrt((first * first + second * second) / 2);
        /* sums in another order: rounding of 1200 terms */
        cr_expect(
            epsilon_eq(dbl, tq_residuals_of(&both, TQ_RESIDUALS_ALL, r).rmse / mean, 1.0, 1e-12),
            "row %d", (int)r);
    }
    free(memory);
    tqt_excited_free(&x), tqt_excited_free(&y);
    tqt_fit_close(&b);
}
