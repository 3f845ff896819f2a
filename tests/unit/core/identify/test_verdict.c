/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/identify/test_verdict.c - reported effects of position noise. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

#include "tests/support/fit_bench.h"

static size_t bias_reason(tqt_fit_bench *b, double *ret_value)
{
    const tq_verdict_report report = tqt_fit_verdict(b, NULL);
    for (size_t k = 0; k < report.n_reason; k++) {
        if (report.reasons[k].kind == TQ_REASON_NOISE_BIAS) {
            *ret_value = report.reasons[k].value;
            return report.reasons[k].index;
        }
    }
    return SIZE_MAX;
}

/* A constraint changes a value, but not that of unconstrained least squares: such a difference is
 * not a bias. */
Test(verdict, bias_is_reported_for_values_without_constraints)
{
    static const struct {
        double least_squares, value, unbound, deviation, reported;
    } rows[] = {
        {1, 2, 1, .1, NAN},        /* changed by a constraint only */
        {1, 2, 2, .1, 10},         /* biased by noise */
        {1, 1, 2, .1, 10},         /* biased by noise, masked by a constraint */
        {1, 1, 1.2, .1, NAN},      /* two standard deviations: by chance */
        {1, 2, 2, NAN, NAN},       /* its uncertainty is unknown */
        {2, 2, 2, 0, NAN},         /* no difference, no deviation */
        {2 + 1e-12, 2, 2, 0, NAN}, /* difference by rounding */
        {0, 0, 0, 0, NAN},
    };
    const tqt_robot_options options = {
        .n_joint = 2, .kinds = 1u << TQ_JOINT_REVOLUTE, .with = TQT_WITH_FRICTION};
    tqt_fit_bench b = tqt_fit_open(tqt_random_robot(3, options));
    tqt_excited x = tqt_excited_new(b.subject, 5, 600, 100, 5);
    tq_fit_options o = tq_fit_defaults();
    o.method = TQ_FIT_WLS;
    tqt_fit_build(&b, &o, 1);
    tqt_fit_read(b.fit, 0, &x, &b.scratch);
    tqt_fit_solve(&b);
    tq_estimate *e = &b.solution.estimate[0];
    double reported = 0;
    cr_expect(eq(dbl, e->unbound, e->value)); /* no constraint is active */
    cr_expect(eq(sz, bias_reason(&b, &reported), SIZE_MAX));
    e->grade = TQ_GRADE_USABLE;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        e->least_squares = rows[k].least_squares;
        e->value = rows[k].value;
        e->unbound = rows[k].unbound;
        e->deviation = rows[k].deviation;
        cr_expect(eq(sz, bias_reason(&b, &reported), isnan(rows[k].reported) ? SIZE_MAX : 0),
                  "row %d", (int)k);
        if (!isnan(rows[k].reported)) {
            cr_expect(epsilon_eq(dbl, reported, rows[k].reported, 1e-9), "row %d", (int)k);
        }
    }
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}
