/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/identify/validation/test_student.c - quantiles of Student's t against tables and
 * closed forms. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stddef.h>

#include <math.h>

#include "core/identify/validation/student.h"

/* scipy.stats.t.ppf(0.5 + confidence / 2, freedom), SciPy */
static const struct {
    double confidence, freedom, t;
} rows[] = {
    {.95, 1, 12.706204736174694},    {.95, 2, 4.302652729749462}, {.95, 8, 2.306004135204166},
    {.95, 31, 2.039513446396408},    {.99, 5, 4.032142983555228}, {.5, 10, .6998120613124317},
    {.95, 1000, 1.9623390808264083},
};

Test(student, quantiles)
{
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const double t = tq_student_quantile(rows[k].confidence, rows[k].freedom);
        cr_expect(epsilon_eq(dbl, t, rows[k].t, 1e-11 * rows[k].t), "row %d", (int)k);
        cr_expect(
            epsilon_eq(dbl, tq_student_within(t, rows[k].freedom), rows[k].confidence, 1e-13));
    }
}

Test(student, closed_forms)
{
    for (double t = .1; t < 20; t *= 1.7) {
        cr_expect(epsilon_eq(dbl, tq_student_within(t, 1), 2 * atan(t) / M_PI, 1e-13), "Cauchy");
        cr_expect(epsilon_eq(dbl, tq_student_within(t, 2), t / sqrt(2 + t * t), 1e-13));
        cr_expect(epsilon_eq(dbl, tq_student_within(t, 1e7), erf(t * M_SQRT1_2), 1e-6), "normal");
    }
    cr_expect(eq(dbl, tq_student_within(0, 3), 0.0));
    cr_expect(eq(dbl, tq_student_within((double)INFINITY, 3), 1.0));
    cr_expect(eq(dbl, tq_student_within(1e200, 3), 1.0), "its square is infinite");
}

Test(student, guards)
{
    cr_expect(isnan(tq_student_quantile(0, 3)));
    cr_expect(isnan(tq_student_quantile(1, 3)));
    cr_expect(isnan(tq_student_quantile(.95, 0)));
    cr_expect(isnan(tq_student_quantile(NAN, 3)));
}
