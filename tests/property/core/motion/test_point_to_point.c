/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/motion/test_point_to_point.c - trapezoids and S-curves: numbers of a
 * textbook, integrals, limits, and optimality. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

#include "core/motion/timing/point_to_point.h"
#include "tests/support/random.h"

static const double none = (double)INFINITY;

/* Durations by the formulas of Biagiotti & Melchiorri (2008): trapezoid (3.10) h / v + v / a with
 * h >= v^2 / a, triangle 2 sqrt(h / a); double S from rest to rest (3.30 ff.): h = 10, v = 5,
 * a = 10, j = 30 of their example 3.9 has T_j = a / j = 0.3333, T_a = T_j + v / a = 0.8333,
 * T_v = h / v - T_a = 1.1667, T = 2.8333. */
Test(point_to_point, textbook_durations)
{
    tq_phases p = tq_phases_shortest(10, 5, 10, 30);
    cr_assert(epsilon_eq(dbl, p.jerk, 1.0 / 3.0, 1e-15));
    cr_assert(epsilon_eq(dbl, p.accelerate, 5.0 / 6.0, 1e-15));
    cr_assert(epsilon_eq(dbl, p.cruise, 7.0 / 6.0, 1e-15));
    cr_assert(epsilon_eq(dbl, tq_phases_duration(&p), 17.0 / 6.0, 1e-14));
    p = tq_phases_shortest(-10, 5, 10, none);
    cr_assert(epsilon_eq(dbl, tq_phases_duration(&p), 10.0 / 5.0 + 5.0 / 10.0, 1e-14));
    p = tq_phases_shortest(1, 5, 10, none);
    cr_assert(epsilon_eq(dbl, tq_phases_duration(&p), 2.0 * sqrt(1.0 / 10.0), 1e-14), "triangle");
    p = tq_phases_shortest(1, none, none, 32);
    /* four phases of jerk: h = 2 j T_j^3 */
    cr_assert(epsilon_eq(dbl, tq_phases_duration(&p), 4.0 * 0.25, 1e-14));
    p = tq_phases_shortest(0, 5, 10, 30);
    cr_assert(eq(dbl, tq_phases_duration(&p), 0.0));
}

static void expect_motion(const tq_phases *p, double h, double v, double a, double j, int trial)
{
    enum { STEPS = 2000 };
    const double duration = tq_phases_duration(p);
    const double dt = duration / (double)STEPS;
    const double peak = fabs(h) / (p->accelerate + p->cruise) / (p->accelerate - p->jerk);
    double before[3], now[3], x = 0.0, rate = 0.0;
    tq_phases_at(p, h, 0.0, before);
    cr_assert(all(eq(dbl, before[0], 0.0), eq(dbl, before[1], 0.0)));
    for (int k = 1; k <= STEPS; k++) {
        tq_phases_at(p, h, dt * k, now);
        cr_assert(le(dbl, fabs(now[1]), v * (1 + 1e-12)), "trial %d", trial);
        cr_assert(le(dbl, fabs(now[2]), a * (1 + 1e-12)), "trial %d", trial);
        cr_assert(le(dbl, fabs(now[2] - before[2]), j * dt * (1 + 1e-9) + 1e-12 * fabs(now[2])),
                  "jerk, trial %d", trial);
        rate += 0.5 * dt * (before[2] + now[2]);
        x += 0.5 * dt * (before[1] + now[1]);
        before[0] = now[0], before[1] = now[1], before[2] = now[2];
        /* the trapezoidal rule: each of four jumps of qdd costs dt^2 qdd / 4 of x, dt qdd / 2 of
         * qd; smooth parts dt^2 qdd / 12 of each change */
        cr_assert(epsilon_eq(dbl, x, now[0], 1.5 * peak * dt * dt), "trial %d", trial);
        cr_assert(epsilon_eq(dbl, rate, now[1], 2.0 * peak * dt), "trial %d", trial);
    }
    cr_assert(epsilon_eq(dbl, now[0], h, 1e-12 * fabs(h)));
    cr_assert(epsilon_eq(dbl, now[1], 0.0, 1e-12 * v));
    tq_phases_at(p, h, duration + 1.0, now);
    cr_assert(all(eq(dbl, now[0], h), eq(dbl, now[1], 0.0), eq(dbl, now[2], 0.0)), "rests");
}

Test(point_to_point, random_profiles_keep_limits_and_reach_one_at_every_instant)
{
    tqt_random r = tqt_random_seed(3);
    for (int trial = 0; trial < 300; trial++) {
        const double h = tqt_random_uniform(&r, -3.0, 3.0);
        const double v = exp(tqt_random_uniform(&r, -2.0, 2.0));
        const double a = exp(tqt_random_uniform(&r, -2.0, 3.0));
        const double j = trial % 3 == 0 ? none : exp(tqt_random_uniform(&r, -2.0, 5.0));
        const tq_phases p = tq_phases_shortest(h, v, a, j);
        expect_motion(&p, h, v, a, j, trial);
        const double duration = tq_phases_duration(&p);
        for (int k = 1; k < 197; k++) { /* bang-singular-bang: the optimality condition */
            double x[3], next[3];
            const double t = duration * k / 197.0, d = 1e-6 * duration;
            tq_phases_at(&p, h, t - d, x);
            tq_phases_at(&p, h, t + d, next);
            const double jerk = fabs(next[2] - x[2]) / (2.0 * d);
            const double use =
                fmax(fmax(fabs(x[1]) / v, fabs(x[2]) / a), isinf(j) ? 0.0 : jerk / j);
            cr_assert(gt(dbl, use, 0.99), "trial %d at %g of %g: %g", trial, t, duration, use);
        }
    }
}

Test(point_to_point, coordinates_end_together_with_the_slowest)
{
    const double x[] = {0, 0, 1, 1, -1, 1, 1, -1, 1};
    const double v[] = {1, 2, 3}, a[] = {2, 3, 4}, j[] = {5, 60, 9};
    const tq_motion_limits limits = {.velocity = v, .acceleration = a, .jerk = j};
    tq_phases p[6];
    double duration[2];
    size_t slowest[2];
    cr_assert(eq(int, tq_point_to_point(3, 3, x, &limits, p, duration, slowest, NULL), TQ_OK));
    double longest = 0.0;
    for (int i = 0; i < 3; i++) {
        const double h = x[3 + i] - x[i];
        const tq_phases alone = tq_phases_shortest(h, v[i], a[i], j[i]);
        longest = fmax(longest, tq_phases_duration(&alone));
        if (h != 0.0) {
            cr_assert(epsilon_eq(dbl, tq_phases_duration(&p[i]), duration[0], 1e-14));
        }
        expect_motion(&p[i], h, v[i], a[i], j[i], i);
    }
    cr_assert(all(eq(dbl, longest, duration[0]), eq(sz, slowest[0], 0), eq(dbl, duration[1], 0.0)));
    tq_error error;
    const double bad[] = {1, 0, 1};
    const tq_motion_limits wrong = {.velocity = bad, .acceleration = a};
    cr_assert(
        eq(int, tq_point_to_point(3, 3, x, &wrong, p, duration, slowest, &error), TQ_ERR_RANGE));
    cr_assert(all(eq(str, (char *)error.what, "limits.velocity"), eq(sz, error.index, 1)));
    const tq_motion_limits free = {.velocity = v};
    cr_assert(
        eq(int, tq_point_to_point(3, 3, x, &free, p, duration, slowest, &error), TQ_ERR_RANGE));
    cr_assert(eq(str, (char *)error.what, "limits.acceleration"));
}
