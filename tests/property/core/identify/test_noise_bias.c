/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/identify/test_noise_bias.c - the bias of least squares is predicted from the
 * noise in the data, and the default uses instruments if it matters. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>

#include "core/identify/noise.h"
#include "core/signal/differentiate.h"
#include "tests/support/coverage.h"
#include "tests/support/excited.h"
#include "tests/support/random_robot.h"
#include "tests/support/sanitized.h"

static tqt_coverage cover(size_t n, double noise_q, tq_fit_method method, bool chooses)
{
    const tqt_coverage_options o = {.n_experiment = n,
                                    .n_run = 1,
                                    .noise_q = noise_q,
                                    .noise_tau = .02,
                                    .cutoff = 10,
                                    .method = method,
                                    .chooses = chooses};
    const tqt_coverage c = tqt_cover(&o);
    cr_log_info("%g rad: %.1f %% of %d within, bias %.2f deviations, %.2f %%, expected %.2f %%, "
                "switched %.1f %%",
                noise_q, 100 * c.within, (int)c.n_interval, c.bias, 100 * c.attenuation,
                100 * c.expected, 100 * c.switched);
    return c;
}

/* Coverage of the default method at three noise levels: one that least squares tolerates, one that
 * it does not, and one between. */
Test(noise_bias, the_default_is_honest_at_any_noise, .disabled = TQT_SANITIZED)
{
    const struct {
        size_t n;
        double noise, least, most; /* of the experiments with instruments */
    } rows[] = {{500, 1e-4, 0, .05}, {100, 3e-4, .5, 1}, {500, 1e-3, 1, 1}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const tqt_coverage c = cover(rows[k].n, rows[k].noise, TQ_FIT_FEASIBLE, true);
        cr_expect(ge(dbl, c.within, .92), "%g: %g", rows[k].noise, c.within);
        /* between the two levels, deviations with instruments are wide: intervals cover more than
         * their level */
        cr_expect(le(dbl, c.within, k == 1 ? 1 : .98), "%g: %g", rows[k].noise, c.within);
        cr_expect(ge(dbl, c.switched, rows[k].least - 1e-9), "%g", c.switched);
        cr_expect(le(dbl, c.switched, rows[k].most + 1e-9), "%g", c.switched);
    }
}

/* the predicted bias of least squares is the observed one to 10 % (and the noise of 100
 * experiments' mean) */
Test(noise_bias, is_predicted, .disabled = TQT_SANITIZED)
{
    const double measured = cover(100, 1e-3, TQ_FIT_WLS, false).attenuation;
    const double expected = cover(100, 1e-3, TQ_FIT_WLS, true).expected;
    cr_expect(lt(dbl, measured, -.05));
    cr_expect(epsilon_eq(dbl, expected, measured, -.1 * measured + .005), "%g %g", expected,
              measured);
}

Test(noise_bias, variance_of_a_filtered_difference)
{
    enum { N = 40000, EDGE = 400 };
    const double rate = 200, density = 3e-8, size = sqrt(density * rate / 2);
    /* central differences of white noise: 1 / (2 h^2) each, and 3 / (8 h^4) for two */
    cr_expect(ieee_ulp_eq(dbl, tq_noise_variance(density, rate, NULL, 0, 0), size * size, 1000));
    cr_expect(epsilon_eq(
        dbl, tq_noise_variance(density, rate, NULL, 0, 1) / (size * size * rate * rate / 2), 1,
        1e-9));
    cr_expect(epsilon_eq(
        dbl, tq_noise_variance(density, rate, NULL, 0, 2) / (size * size * pow(rate, 4) * 3 / 8), 1,
        1e-9));
    tq_filter filter;
    cr_assert(tq_filter_butterworth(4, 10, rate, &filter, NULL) == TQ_OK);
    double *x = tqt_doubles(N), *v = tqt_doubles(N), *a = tqt_doubles(N), square = 0;
    tqt_random r = tqt_random_seed(3);
    for (size_t i = 0; i < N; i++) {
        x[i] = size * tqt_normal(&r);
    }
    tq_scratch scratch;
    const size_t bytes = tq_filter_zero_phase_size(N, EDGE);
    tq_scratch_init(&scratch, aligned_alloc(64, (bytes + 63) / 64 * 64), (bytes + 63) / 64 * 64);
    cr_assert(tq_filter_zero_phase_rows(&filter, EDGE, N, 1, x, N, &scratch, NULL) == TQ_OK);
    tq_difference(N, x, 1 / rate, v);
    tq_difference(N, v, 1 / rate, a);
    for (size_t i = EDGE; i < N - EDGE; i++) {
        square += a[i] * a[i] / (N - 2 * EDGE);
    }
    /* 39,200 samples with a bandwidth of 10 of 100 Hz: about 4,000 independent ones, 2 % of the
     * variance */
    const double want = tq_noise_variance(density, rate, &filter, 1, 2);
    cr_expect(epsilon_eq(dbl, square / want, 1, .08), "%g", square / want);
    free(x), free(v), free(a), free(scratch.memory);
}

Test(noise_bias, no_noise_no_bias)
{
    const tqt_coverage c = cover(2, 0, TQ_FIT_FEASIBLE, true);
    cr_expect(lt(dbl, fabs(c.expected), 1e-6));
    cr_expect(eq(dbl, c.switched, 0));
}
