/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/identify/regression/test_instruments.c - position noise does not bias fits
 * with instruments, and their intervals contain the true values. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/coverage.h"
#include "tests/support/excited.h"
#include "tests/support/fit_bench.h"
#include "tests/support/random_robot.h"
#include "tests/support/sanitized.h"

static tqt_coverage cover(size_t n, double noise_q, double cutoff, tq_fit_method method)
{
    const tqt_coverage_options o = {.n_experiment = n,
                                    .n_run = 1,
                                    .noise_q = noise_q,
                                    .noise_tau = .02,
                                    .cutoff = cutoff,
                                    .method = method};
    const tqt_coverage c = tqt_cover(&o);
    cr_log_info("method %d, %g rad, %g Hz: %.1f %% of %d within, bias %.2f deviations, %.2f %%",
                (int)method, noise_q, cutoff, 100 * c.within, (int)c.n_interval, c.bias,
                100 * c.attenuation);
    return c;
}

/* An encoder ten times coarser than the best filter can compensate: least squares is biased by 10 %
 * in the rotors, and a quarter of its intervals miss the true value; intervals with instruments
 * contain it. */
Test(instruments, intervals_hold_under_noise_of_position, .disabled = TQT_SANITIZED)
{
    const tqt_coverage plain = cover(100, 1e-3, 10, TQ_FIT_WLS);
    cr_expect(lt(dbl, plain.within, .85));
    cr_expect(lt(dbl, plain.attenuation, -.08));
    const tqt_coverage c = cover(500, 1e-3, 10, TQ_FIT_IV);
    /* of 12,500 intervals; random variation is below 1 % */
    cr_expect(ge(dbl, c.within, .92));
    cr_expect(le(dbl, c.within, .98));
    cr_expect(le(dbl, c.bias, .6 * plain.bias));
}

/* A cut-off that is far too high passes noise into accelerations: least squares loses half of every
 * rotor. With instruments the bias must be at most a third of that. */
Test(instruments, undo_the_bias_of_a_bad_cutoff, .disabled = TQT_SANITIZED)
{
    const tqt_coverage plain = cover(50, 1e-4, 40, TQ_FIT_WLS);
    cr_expect(lt(dbl, plain.attenuation, -.4));
    cr_expect(lt(dbl, plain.within, .75));
    for (int bodies = 0; bodies < 2; bodies++) {
        const tqt_coverage c = cover(50, 1e-4, 40, bodies ? TQ_FIT_FEASIBLE_IV : TQ_FIT_IV);
        cr_expect(gt(dbl, c.attenuation, plain.attenuation / 3), "%g", c.attenuation);
        cr_expect(lt(dbl, c.attenuation, -plain.attenuation / 3), "%g", c.attenuation);
        cr_expect(ge(dbl, c.within, .92), "%g", c.within);
    }
}

static tq_model *rubbing_arm(void)
{
    return tqt_random_arm(
        4, 3, TQT_WITH_FRICTION | TQT_WITH_ROTOR,
        (tq_friction){.viscous = 1, .coulomb = 2, .smoothing = .05, .offset = .1});
}

static void push(tq_fit_stream *stream, const tqt_excited *x, bool begins)
{
    double *memory = tqt_doubles(4 * x->nv * TQ_BLOCK);
    for (size_t k = 0; k < tq_block_count(x->n_sample); k++) {
        tq_experiment_block block = tqt_excited_block(x, k, memory);
        block.begins = begins && k == 0;
        cr_assert(eq(int, tq_fit_push(stream, &block, NULL), TQ_OK));
    }
    free(memory);
}

/* Samples after a gap have no neighbours before it: one experiment with a gap equals two
 * experiments. */
Test(instruments, reach_across_no_gap)
{
    enum { LAG = 7, ONE = 1100, OTHER = 930 };
    for (int gap = 0; gap < 2; gap++) {
        tqt_fit_bench b = tqt_fit_open(rubbing_arm());
        tqt_excited x = tqt_excited_new(b.subject, 3, ONE, 200, 5);
        tqt_excited y = tqt_excited_new(b.subject, 4, OTHER, 200, 5);
        tq_fit_options options = tq_fit_defaults();
        options.method = TQ_FIT_IV;
        options.lag = LAG;
        for (size_t k = 0; k < x.nv * ONE; k++) { /* so that every sample has an effect */
            x.tau[k] += sin((double)(k * k));
        }
        tqt_fit_build(&b, &options, 2);
        tqt_fit_read(b.fit, 0, &x, &b.scratch);
        tqt_fit_read(b.fit, 1, &y, &b.scratch);
        tqt_fit_solve(&b);
        const size_t n = b.solution.n_column;
        double *value = tqt_doubles(n);
        memcpy(value, b.solution.value, n * sizeof *value);
        cr_assert(eq(sz, b.solution.n_sample, ONE + OTHER - 4 * LAG));

        tqt_fit_build(&b, &options, 1);
        tq_fit_stream *stream = NULL;
        cr_assert(eq(int, tq_fit_begin(b.fit, 0, ONE + OTHER, &b.scratch, &stream, NULL), TQ_OK));
        push(stream, &x, true);
        push(stream, &y, gap != 0);
        cr_assert(eq(int, tq_fit_end(stream, NULL), TQ_OK));
        tqt_fit_solve(&b);
        cr_expect(eq(sz, b.solution.n_sample, ONE + OTHER - (gap ? 4 : 2) * LAG));
        double apart = 0.0;
        for (size_t c = 0; c < n; c++) {
            apart = fmax(apart, fabs(b.solution.value[c] - value[c]) / (1.0 + fabs(value[c])));
        }
        if (gap) { /* rounding in another order, times a condition of up to 1e4 */
            cr_expect(lt(dbl, apart, 1e-9), "%g", apart);
        } else { /* negative control: the same samples without a gap give another result */
            cr_expect(gt(dbl, apart, 1e-6), "%g", apart);
        }
        free(value);
        tqt_excited_free(&x), tqt_excited_free(&y);
        tqt_fit_close(&b);
    }
}
