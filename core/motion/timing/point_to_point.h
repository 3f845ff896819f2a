/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/timing/point_to_point.h - trapezoidal and S-curve motion from rest to rest. */
#ifndef TQ_MOTION_TIMING_POINT_TO_POINT_H
#define TQ_MOTION_TIMING_POINT_TO_POINT_H

#include <stddef.h>

#include "core/base/status.h"

/* Limits of the coordinates, borrowed: (n) each, > 0, INFINITY: none; NULL: none of any. */
typedef struct tq_motion_limits {
    const double *velocity;
    const double *acceleration;
    const double *jerk;   /* of point-to-point motion only */
    const double *effort; /* |tau|, of time-optimal motion only */
} tq_motion_limits;

typedef enum tq_limit_kind {
    TQ_LIMIT_VELOCITY,
    TQ_LIMIT_ACCELERATION,
    TQ_LIMIT_JERK,
    TQ_LIMIT_EFFORT,
} tq_limit_kind;

/* Durations of a profile's phases: jerk (4 of them), acceleration as a whole (2), cruise (1). With
 * a distance h they are all of it: peak velocity V = h / (accelerate + cruise), peak acceleration
 * V / (accelerate - jerk), jerk of that / jerk. */
typedef struct tq_phases {
    double jerk, accelerate, cruise; /* s; accelerate >= 2 jerk */
} tq_phases;

/**
 * Shortest motion from rest to rest over a distance.
 *
 * Velocity and acceleration limits give the trapezoid (or triangle), a jerk limit the S-curve of
 * up to seven phases. INFINITY: no limit; acceleration and jerk may not both be without.
 *
 * Returns  The phases; all 0 for distance 0.
 * Source   L. Biagiotti, C. Melchiorri, Trajectory Planning for Automatic Machines and Robots,
 *          2008, 3.2 and 3.4.
 * Checked  tests/property/core/motion/test_point_to_point.c
 */
tq_phases tq_phases_shortest(double distance, double velocity, double acceleration, double jerk);

static inline double tq_phases_duration(const tq_phases *phases)
{
    return 2.0 * phases->accelerate + phases->cruise;
}

/* Distance, velocity and acceleration after t; at rest outside [0, duration]. `h` may be
 * negative. */
void tq_phases_at(const tq_phases *phases, double h, double t, double ret[3]);

/**
 * Motion through waypoints, at rest at each, in the least time: in every interval the coordinate
 * that takes longest sets the duration, and all others are slowed down to it.
 *
 * Shapes   x (n_point x n); ret_phases (n_point - 1, n), ret_duration and ret_slowest
 *          (n_point - 1). An interval without distance has duration 0.
 * Returns  TQ_OK
 *          TQ_ERR_RANGE       "limits.velocity", "limits.acceleration", "limits.jerk": `index` is
 *                             not above 0, or has neither acceleration nor jerk limit
 *          TQ_ERR_NOT_FINITE  "waypoints.x"
 * Cost     O(n_point n).
 * Checked  tests/property/core/motion/test_point_to_point.c
 */
tq_status tq_point_to_point(size_t n_point, size_t n, const double *x,
                            const tq_motion_limits *limits, tq_phases *ret_phases,
                            double *ret_duration, size_t *ret_slowest, tq_error *reterr);

#endif
