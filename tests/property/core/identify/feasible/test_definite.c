/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/identify/feasible/test_definite.c - poses at which M of estimated parameters
 * is not positive definite: counted as a share of turns of the elbow, in closed form. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/identify/feasible/definite.h"
#include "tests/support/fit_bench.h"
#include "tests/support/seed_robots.h"

enum { SAMPLES = 400 };

static const tqt_bar bars[2] = {{.length = .5, .mass = 1, .com = .25, .inertia = .1},
                                {.length = .4, .mass = .8, .com = .2, .inertia = .05}};

/* M of the arm with motors coupled by c is [a + 2 b cos q, d + b cos q + c; ., d] */
static double share_of_bad(double c)
{
    enum { N = 100000 };
    const double d = bars[1].inertia + bars[1].mass * bars[1].com * bars[1].com;
    const double b = bars[1].mass * bars[0].length * bars[1].com;
    const double a = bars[0].inertia + bars[0].mass * bars[0].com * bars[0].com + d +
                     bars[1].mass * bars[0].length * bars[0].length;
    size_t n = 0;
    for (int k = 0; k < N; k++) {
        const double x = cos(M_PI * (2 * k + 1) / (double)N);
        n += (d + b * x + c) * (d + b * x + c) >= (a + 2 * b * x) * d ? 1 : 0;
    }
    return (double)n / (double)N;
}

Test(definite, coupled_motors_make_poses_bad)
{
    static const tq_fit_coupling pair = {0, 1};
    double full[64] = {0.0}, value[64] = {0.0};
    tqt_fit_bench b = tqt_fit_open(tqt_planar_arm(bars, 2, 9.81));
    tq_fit_options o = tq_fit_defaults();
    o.model.with = TQ_REGRESS_VISCOUS; /* no rotors: M is that of the links */
    tqt_fit_build(&b, &o, 1);
    tqt_excited x = tqt_excited_new(b.subject, 3, SAMPLES, 100, 4);
    tqt_fit_read(b.fit, 0, &x, &b.scratch);
    tqt_fit_solve(&b);
    memcpy(full, b.solution.full, b.fit->n_link_column * sizeof *full); /* links come first */
    o.model.with |= TQ_REGRESS_ROTOR;
    o.model.couplings = &pair, o.model.n_coupling = 1;
    tqt_fit_build(&b, &o, 1);
    size_t column = 0;
    while (b.fit->columns[column].kind != TQ_COLUMN_COUPLED_ROTOR) {
        column++;
        cr_assert(lt(sz, column, b.fit->n_column));
    }
    cr_assert(le(sz, b.fit->n_column, 64));
    static const double values[] = {0.0, .02, .05, .07, .1, .4, -.1, -.15, -.25};
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
        size_t n_pose = 0, n_bad = 0;
        value[column] = values[k];
        cr_assert(eq(int, tq_definite_count(b.fit, full, value, &b.scratch, &n_pose, &n_bad, NULL),
                     TQ_OK));
        const double want = share_of_bad(values[k]), got = (double)n_bad / (double)n_pose;
        /* poses are random: five deviations of a share */
        cr_expect(fabs(got - want) <= 5 * sqrt(want * (1 - want) / (double)n_pose),
                  "%g: %g, not %g", values[k], got, want);
    }
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}
