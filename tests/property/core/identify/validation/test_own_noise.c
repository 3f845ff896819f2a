/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/identify/validation/test_own_noise.c - the noise of separate fits of
 * experiments is that of torque, whatever differs between the experiments. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

#include "core/identify/validation/statistics.h"
#include "tests/support/fit_bench.h"
#include "tests/support/seed_robots.h"

enum { SAMPLES = 4000, RATE = 100, EXPERIMENTS = 3, JOINTS = 2 };

static const double noise[JOINTS] = {.02, .3};

static tqt_fit_bench opened(size_t n_experiment)
{
    const tqt_bar bars[JOINTS] = {{.length = .5, .mass = 1, .com = .25, .inertia = .1},
                                  {.length = .4, .mass = .8, .com = .2, .inertia = .05}};
    tqt_fit_bench b = tqt_fit_open(tqt_planar_arm(bars, JOINTS, 9.81));
    tq_fit_options o = tq_fit_defaults();
    o.method = TQ_FIT_WLS;
    o.model.with = TQ_REGRESS_VISCOUS;
    tqt_fit_build(&b, &o, n_experiment);
    return b;
}

/* white noise, and viscous friction that is another in each experiment e */
static void read_noisy(tqt_fit_bench *b, size_t number, size_t e)
{
    tqt_excited x = tqt_excited_new(b->subject, 3 + e, SAMPLES, RATE, 4);
    tqt_random r = tqt_random_seed(40 + e);
    for (size_t i = 0; i < JOINTS * SAMPLES; i++) {
        x.tau[i] += noise[i / SAMPLES] * tqt_normal(&r) + (double)e * x.qd[i];
    }
    tqt_fit_read(b->fit, number, &x, &b->scratch);
    tqt_excited_free(&x);
}

Test(own_noise, is_without_what_differs_between_experiments)
{
    tqt_fit_bench all = opened(EXPERIMENTS);
    tq_estimate estimate[64];
    double own[JOINTS], square[JOINTS] = {0.0};
    for (size_t e = 0; e < EXPERIMENTS; e++) {
        read_noisy(&all, e, e);
        tqt_fit_bench one = opened(1); /* a fit of this experiment alone */
        read_noisy(&one, 0, e);
        tqt_fit_solve(&one);
        for (size_t r = 0; r < JOINTS; r++) {
            square[r] += (double)SAMPLES * one.solution.sigma[r] * one.solution.sigma[r];
        }
        tqt_fit_close(&one);
    }
    tqt_fit_solve(&all);
    cr_assert(le(sz, all.solution.n_column, 64));
    cr_assert(eq(int, tq_fit_consistency(all.fit, &all.scratch, estimate, own, NULL), TQ_OK));
    const double n = (double)EXPERIMENTS * (double)SAMPLES;
    const double taken = (double)(EXPERIMENTS * all.solution.n_column) / (double)JOINTS;
    for (size_t r = 0; r < JOINTS; r++) {
        /* as it was added: the deviation of a deviation is 1 / sqrt(2 n) of it, five times that */
        cr_expect(fabs(own[r] / noise[r] - 1.0) < 5.0 / sqrt(2.0 * n), "%zu: %g", r, own[r]);
        /* and as the separate fits leave it, each sample but those that the parameters take */
        cr_expect(epsilon_eq(dbl, own[r], sqrt(square[r] / (n - taken)), 1e-9 * noise[r]));
        /* one fit of all has the differences in its residuals */
        cr_expect(all.solution.sigma[r] > 1.5 * own[r], "%zu: %g", r, all.solution.sigma[r]);
    }
    tqt_fit_close(&all);
}
