/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/watch/alarm.h - how often noise alone crosses a threshold. */
#ifndef TQ_IDENTIFY_WATCH_ALARM_H
#define TQ_IDENTIFY_WATCH_ALARM_H

/**
 * Expected upcrossings of `level` standard deviations by a stationary Gaussian sequence whose
 * neighbours have `correlation`, in one step:
 *
 *     P(x_k <= u < x_k+1) = 1 / (2 pi) integral over 0 .. acos(correlation) of
 *                           exp(-u^2 / (1 + cos(angle)))
 *
 * Each alarm is an upcrossing, so that a count of alarms has at most this mean.
 *
 * Returns  The probability, in [0, 1/4].
 * Source   R. Plackett, A reduction formula for normal multivariate integrals, Biometrika 41, 1954,
 *          between correlation and 1.
 * Checked  tests/unit/core/identify/watch/test_alarm.c
 */
double tq_alarm_rate(double level, double correlation);

/* The level at which tq_alarm_rate equals `rate`; 0 if `rate` is at least that of level 0. */
double tq_alarm_level(double rate, double correlation);

#endif
