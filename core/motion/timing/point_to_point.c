/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/timing/point_to_point.c - trapezoidal and S-curve profiles in closed form. */
#include "core/motion/timing/point_to_point.h"

#include <math.h>

#include "core/elementary/elementary.h"

/* x >= 0; a Newton step brings the power to rounding */
static double cube_root(double x)
{
    if (x == 0.0) {
        return 0.0;
    }
    const double y = tq_pow(x, 1.0 / 3.0);
    return y - (y * y * y - x) / (3.0 * y * y);
}

/* Acceleration phase that reaches velocity v: A = min(a, sqrt(v j)). */
static tq_phases to_velocity(double v, double a, double j)
{
    tq_phases p = {0};
    if (isinf(j)) {
        p.accelerate = v / a;
    } else if (v * j < a * a) {
        p.jerk = sqrt(v / j);
        p.accelerate = 2.0 * p.jerk;
    } else {
        p.jerk = a / j;
        p.accelerate = p.jerk + v / a;
    }
    return p;
}

/* No cruise: h = V accelerate, V = A (accelerate - jerk). */
static tq_phases without_cruise(double h, double a, double j)
{
    tq_phases p = {0};
    if (isinf(j)) {
        p.accelerate = sqrt(h / a);
    } else if (isinf(a) || h * j * j < 2.0 * a * a * a) {
        p.jerk = cube_root(h / (2.0 * j));
        p.accelerate = 2.0 * p.jerk;
    } else {
        p.jerk = a / j;
        p.accelerate = 0.5 * p.jerk + sqrt(0.25 * p.jerk * p.jerk + h / a);
    }
    return p;
}

tq_phases tq_phases_shortest(double distance, double velocity, double acceleration, double jerk)
{
    const double h = fabs(distance);
    if (h == 0.0) {
        return (tq_phases){0};
    }
    if (!isinf(velocity)) {
        tq_phases p = to_velocity(velocity, acceleration, jerk);
        p.cruise = h / velocity - p.accelerate;
        if (p.cruise >= 0.0) {
            return p;
        }
    }
    return without_cruise(h, acceleration, jerk);
}

/* The same motion `factor` times slower: V / factor, A / factor^2, J / factor^3. */
static tq_phases stretch(const tq_phases *phases, double factor)
{
    return (tq_phases){.jerk = factor * phases->jerk,
                       .accelerate = factor * phases->accelerate,
                       .cruise = factor * phases->cruise};
}

/* the first half, 0 <= t <= duration / 2 */
static void first_half(const tq_phases *p, double h, double t, double ret[3])
{
    const double v = h / (p->accelerate + p->cruise);
    const double a = v / (p->accelerate - p->jerk);
    const double left = p->accelerate - t;
    if (left <= 0.0) {
        ret[0] = v * (t - 0.5 * p->accelerate);
        ret[1] = v;
        ret[2] = 0.0;
    } else if (t < p->jerk) {
        const double j = a / p->jerk;
        ret[0] = j * t * t * t / 6.0;
        ret[1] = 0.5 * j * t * t;
        ret[2] = j * t;
    } else if (left < p->jerk) {
        const double j = a / p->jerk;
        ret[0] = v * (0.5 * p->accelerate - left) + j * left * left * left / 6.0;
        ret[1] = v - 0.5 * j * left * left;
        ret[2] = j * left;
    } else {
        ret[0] = a * (3.0 * t * (t - p->jerk) + p->jerk * p->jerk) / 6.0;
        ret[1] = a * (t - 0.5 * p->jerk);
        ret[2] = a;
    }
}

void tq_phases_at(const tq_phases *phases, double h, double t, double ret[3])
{
    const double duration = tq_phases_duration(phases);
    ret[0] = t > 0.0 ? h : 0.0;
    ret[1] = ret[2] = 0.0;
    if (t < 0.0 || t > duration || duration == 0.0) {
        return;
    }
    if (t <= 0.5 * duration) {
        first_half(phases, h, t, ret);
    } else { /* x(T - t) = h - x(t) */
        first_half(phases, h, duration - t, ret);
        ret[0] = h - ret[0];
        ret[2] = -ret[2];
    }
}

static double limit_of(const double *limits, size_t i)
{
    return limits != NULL ? limits[i] : (double)INFINITY;
}

static tq_status check(size_t n_point, size_t n, const double *x, const tq_motion_limits *limits,
                       tq_error *reterr)
{
    for (size_t i = 0; i < n; i++) {
        const double v = limit_of(limits->velocity, i);
        const double a = limit_of(limits->acceleration, i);
        const double j = limit_of(limits->jerk, i);
        if (!(v > 0.0)) {
            return tq_fail(reterr, TQ_ERR_RANGE, "limits.velocity", i, v);
        }
        if (!(a > 0.0) || (isinf(a) && isinf(j))) {
            return tq_fail(reterr, TQ_ERR_RANGE, "limits.acceleration", i, a);
        }
        if (!(j > 0.0)) {
            return tq_fail(reterr, TQ_ERR_RANGE, "limits.jerk", i, j);
        }
    }
    for (size_t k = 0; k < n_point * n; k++) {
        if (!isfinite(x[k])) {
            return tq_fail(reterr, TQ_ERR_NOT_FINITE, "waypoints.x", k, x[k]);
        }
    }
    return TQ_OK;
}

tq_status tq_point_to_point(size_t n_point, size_t n, const double *x,
                            const tq_motion_limits *limits, tq_phases *ret_phases,
                            double *ret_duration, size_t *ret_slowest, tq_error *reterr)
{
    const tq_status status = check(n_point, n, x, limits, reterr);
    for (size_t k = 0; status == TQ_OK && k + 1 < n_point; k++) {
        tq_phases *phases = ret_phases + k * n;
        double longest = 0.0;
        ret_slowest[k] = 0;
        for (size_t i = 0; i < n; i++) {
            phases[i] =
                tq_phases_shortest(x[(k + 1) * n + i] - x[k * n + i], limit_of(limits->velocity, i),
                                   limit_of(limits->acceleration, i), limit_of(limits->jerk, i));
            const double duration = tq_phases_duration(&phases[i]);
            if (duration > longest) {
                longest = duration;
                ret_slowest[k] = i;
            }
        }
        for (size_t i = 0; i < n; i++) {
            const double duration = tq_phases_duration(&phases[i]);
            if (duration > 0.0 && i != ret_slowest[k]) {
                phases[i] = stretch(&phases[i], longest / duration);
            }
        }
        ret_duration[k] = longest;
    }
    return status;
}
