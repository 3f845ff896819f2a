/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/validation/student.h - quantiles of Student's t distribution. */
#ifndef TQ_IDENTIFY_VALIDATION_STUDENT_H
#define TQ_IDENTIFY_VALIDATION_STUDENT_H

/* P(|T| <= t) of Student's t with `freedom` > 0 degrees of freedom, t >= 0. */
double tq_student_within(double t, double freedom);

/**
 * The t with P(|T| <= t) = confidence: half the width of an interval in standard deviations.
 *
 * Returns  NaN unless 0 < confidence < 1 and freedom > 0.
 * Source   Incomplete beta function by continued fraction: Abramowitz & Stegun 26.5.8, 26.7.1.
 * Checked  tests/unit/core/identify/validation/test_student.c
 */
double tq_student_quantile(double confidence, double freedom);

#endif
