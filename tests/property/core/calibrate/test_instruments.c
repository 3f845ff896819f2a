/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/calibrate/test_instruments.c - noise of position does not bias fits by
 * instruments, and their intervals hold the truth. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "tests/support/coverage.h"

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

/* An encoder ten times as coarse as the best filter can bear: least squares is biased by 10 % in
 * its rotors, and a quarter of its intervals miss; those by instruments hold. */
Test(instruments, intervals_hold_under_noise_of_position)
{
    const tqt_coverage plain = cover(100, 1e-3, 10, TQ_FIT_WLS);
    cr_expect(lt(dbl, plain.within, .85));
    cr_expect(lt(dbl, plain.attenuation, -.08));
    const tqt_coverage c = cover(500, 1e-3, 10, TQ_FIT_IV);
    /* of 12,500 intervals; chance alone moves it by less than 1 % */
    cr_expect(ge(dbl, c.within, .92));
    cr_expect(le(dbl, c.within, .98));
    cr_expect(le(dbl, c.bias, .6 * plain.bias));
}

/* A cut-off far too high lets noise into accelerations: least squares loses half of every rotor.
 * What is asked of instruments is at most a third of its bias. */
Test(instruments, undo_the_bias_of_a_bad_cutoff)
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
