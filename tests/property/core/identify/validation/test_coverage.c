/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/identify/validation/test_coverage.c - intervals contain the true values as
 * often as their level states. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "tests/support/coverage.h"
#include "tests/support/sanitized.h"

/* Noise of a 16-bit encoder and 2 % on torque, cut-off at ten times the highest harmonic of the
 * motion, as the specification recommends. */
static tqt_coverage_options sensible(tq_fit_method method)
{
    return (tqt_coverage_options){.n_experiment = 500,
                                  .n_run = 1,
                                  .noise_q = 1e-4,
                                  .noise_tau = .02,
                                  .cutoff = 10,
                                  .method = method};
}

static void expect_honest(const char *what, const tqt_coverage *c)
{
    /* of 12,500 intervals: 92 to 98 %, as required; random variation is below 1 % */
    cr_expect(ge(dbl, c->within, .92), "%s", what);
    cr_expect(le(dbl, c->within, .98), "%s", what);
    cr_log_info("%s: %.1f %% of %d within, textbook %.1f %%, bias %.2f deviations, %.2f %%", what,
                100 * c->within, (int)c->n_interval, 100 * c->textbook, c->bias,
                100 * c->attenuation);
}

Test(coverage, of_weighted_least_squares, .disabled = TQT_SANITIZED)
{
    const tqt_coverage_options o = sensible(TQ_FIT_WLS);
    const tqt_coverage c = tqt_cover(&o);
    expect_honest("wls", &c);
    cr_expect(lt(dbl, c.textbook, .75), "the textbook's are far too narrow: filters correlate");
}

Test(coverage, of_the_feasible_fit, .disabled = TQT_SANITIZED)
{
    const tqt_coverage_options o = sensible(TQ_FIT_FEASIBLE);
    const tqt_coverage c = tqt_cover(&o);
    expect_honest("feasible", &c);
}

/* friction whose sign changes within 1/50 of the range of rates, cut-off at five times the highest
 * harmonic: unless friction columns pass the same filter, the filtered part of the jumps is in no
 * column and repeats at every reversal, and no interval contains that */
Test(coverage, of_sharp_friction_at_a_low_cutoff, .disabled = TQT_SANITIZED)
{
    tqt_coverage_options o = sensible(TQ_FIT_FEASIBLE);
    o.smoothing = .02, o.cutoff = 5, o.noise_tau = .004, o.noise_q = 1e-5;
    const tqt_coverage c = tqt_cover(&o);
    expect_honest("sharp friction", &c);
    o.as_it_is = true, o.n_experiment = 50;
    const tqt_coverage without = tqt_cover(&o);
    cr_log_info("as it is: %.1f %%", 100 * without.within);
    cr_expect(lt(dbl, without.within, .85));
}

Test(coverage, with_experiments_left_out, .disabled = TQT_SANITIZED)
{
    tqt_coverage_options o = sensible(TQ_FIT_WLS);
    o.n_experiment = 100, o.n_run = 5, o.noise_q = 3e-5, o.cutoff = 15;
    const tqt_coverage c = tqt_cover(&o);
    expect_honest("five experiments", &c);
}

/* with a high cut-off, position noise reaches the accelerations: ordinary least squares is biased
 * towards zero inertia, and no interval contains that */
Test(coverage, bias_of_ols_without_filter, .disabled = TQT_SANITIZED)
{
    tqt_coverage_options o = sensible(TQ_FIT_OLS);
    o.n_experiment = 50, o.cutoff = 60;
    const tqt_coverage c = tqt_cover(&o);
    cr_expect(lt(dbl, c.attenuation, -.3));
    cr_expect(gt(dbl, c.bias, 1.0));
    cr_expect(lt(dbl, c.within, .8));
}

/* the part that runs under sanitizers: the same code, once with every method */
Test(coverage, of_two_experiments_by_every_method)
{
    static const tq_fit_method methods[] = {TQ_FIT_FEASIBLE, TQ_FIT_OLS, TQ_FIT_WLS, TQ_FIT_IV,
                                            TQ_FIT_FEASIBLE_IV};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        tqt_coverage_options o = sensible(methods[i]);
        o.n_experiment = 2, o.smoothing = .02;
        cr_expect(gt(sz, tqt_cover(&o).n_interval, 40));
    }
}
