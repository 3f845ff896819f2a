/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/expect.h - comparing rows of numbers. */
#ifndef TQT_EXPECT_H
#define TQT_EXPECT_H

#include <criterion/criterion.h>

#include <math.h>
#include <stddef.h>

/* Closed forms have a few dozen operations on numbers below 100: 50 eps 100. */
#define TQT_ROUNDING 1e-12
/* Tolerances required of printed numbers in the specification. */
#define TQT_PRINTED 1e-10

static inline void tqt_expect(const char *what, const double *got, const double *want, size_t n,
                              double within)
{
    for (size_t k = 0; k < n; k++) {
        cr_expect(fabs(got[k] - want[k]) <= within, "%s[%zu]: %.17g, not %.17g", what, k, got[k],
                  want[k]);
    }
}

/* Differences are at most `slack` of the greatest number wanted, or of 1. */
static inline void tqt_near(const double *got, const double *want, size_t n, double slack,
                            const char *what, int seed)
{
    double scale = 1.0;
    for (size_t k = 0; k < n; k++) {
        scale = fmax(scale, fabs(want[k]));
    }
    for (size_t k = 0; k < n; k++) {
        cr_assert(fabs(got[k] - want[k]) <= slack * scale, "%s %d: row %zu: %.15g for %.15g", what,
                  seed, k, got[k], want[k]);
    }
}

#endif
