/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/kernels/test_sections.c - filters of parallel signals: the recursion by its
 * definition, and the same bits in every build. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/kernels/table.h"
#include "core/lanes/table.h"
#include "tests/support/random.h"

enum { N = 50, SECTIONS = 3, SIZE = N * TQ_SECTION_LANES };

/* poles well inside the unit circle: rounding errors do not grow */
static const double coefficients[5 * SECTIONS] = {0.2,  0.4, 0.2, -0.5, 0.3,  0.3, 0.1, 0.05,
                                                  -0.3, 0.2, 0.5, 0.5,  -0.2, 0.1, 0.0};

static void make(double *x)
{
    tqt_random r = tqt_random_seed(7);
    for (int k = 0; k < SIZE; k++) {
        x[k] = tqt_random_uniform(&r, -1, 1);
    }
}

/* direct form I; inputs before the first equal the first, with the corresponding steady state */
static void recursion(int n_section, int backward, double *x)
{
    for (int l = 0; l < TQ_SECTION_LANES; l++) {
        for (int s = 0; s < n_section; s++) {
            const double *c = coefficients + 5 * s;
            double *at = x + l + (backward ? SIZE - TQ_SECTION_LANES : 0);
            double u1 = *at, u2 = *at, y1 = *at * (c[0] + c[1] + c[2]) / (1 + c[3] + c[4]), y2 = y1;
            for (int k = 0; k < N; k++) {
                const double u = *at;
                const double y = c[0] * u + c[1] * u1 + c[2] * u2 - c[3] * y1 - c[4] * y2;
                u2 = u1, u1 = u, y2 = y1, y1 = y;
                *at = y;
                at += k + 1 == N ? 0 : backward ? -TQ_SECTION_LANES : TQ_SECTION_LANES;
            }
        }
    }
}

Test(sections, follow_the_recursion)
{
    cr_assert(eq(int, tq_lanes_select(0), TQ_OK));
    for (int n_section = 1; n_section <= SECTIONS; n_section++) {
        for (int backward = 0; backward < 2; backward++) {
            double got[SIZE], want[SIZE];
            make(got), make(want);
            tq_kernels_for(TQ_FOLD_RUN)->sections(n_section, coefficients, N, got, backward);
            recursion(n_section, backward, want);
            for (int k = 0; k < SIZE; k++) {
                /* a few dozen roundings of numbers below 3 */
                cr_expect(epsilon_eq(dbl, got[k], want[k], 1e-14), "%d sections, number %d",
                          n_section, k);
            }
        }
    }
}

Test(sections, same_bits_at_every_width)
{
    double want[SIZE], got[SIZE];
    for (int backward = 0; backward < 2; backward++) {
        cr_assert(eq(int, tq_lanes_force(TQ_BUILD_PORTABLE), TQ_OK));
        make(want);
        tq_kernels_for(TQ_FOLD_RUN)->sections(SECTIONS, coefficients, N, want, backward);
        for (int build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
            if (tq_lanes_force((tq_lanes_build)build) == TQ_OK) {
                make(got);
                tq_kernels_for(TQ_FOLD_RUN)->sections(SECTIONS, coefficients, N, got, backward);
                cr_expect(eq(int, memcmp(got, want, sizeof got), 0), "build %d", build);
            }
        }
    }
}
