/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/reference.h - reference motion over time: timing laws, waypoints, splines, Fourier
 * series. */
#ifndef TQ_MOTION_REFERENCE_H
#define TQ_MOTION_REFERENCE_H

#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"

/* Path parameter from 0 to 1, at rest at both ends. */
typedef enum tq_timing_law {
    TQ_TIMING_LINEAR,    /* constant speed: jumps at the ends */
    TQ_TIMING_CUBIC,     /* 3 u^2 - 2 u^3: acceleration jumps at the ends */
    TQ_TIMING_QUINTIC,   /* 10 u^3 - 15 u^4 + 6 u^5: acceleration starts and ends at 0 */
    TQ_TIMING_SEPTIC,    /* 35 u^4 - 84 u^5 + 70 u^6 - 20 u^7: jerk starts and ends at 0 */
    TQ_TIMING_TRAPEZOID, /* constant acceleration, cruise, constant deceleration */
} tq_timing_law;

/* Value, first and second derivative of a law at u in [0, 1] (clamped). `blend` is the fraction of
 * the time of acceleration, and of deceleration, of a trapezoid: 0 < blend <= 1/2; unused by
 * others. */
void tq_timing(tq_timing_law law, double blend, double u, double ret_s[3]);

/* Waypoints, borrowed. Point k is at time t[k]; rows of n_coordinate numbers. */
typedef struct tq_waypoints {
    size_t n_point, n_coordinate; /* n_point >= 2 */
    const double *t;              /* (n_point) s, strictly increasing */
    const double *x;              /* (n_point x n_coordinate, row by row) */
} tq_waypoints;

/* Checks shape and times. TQ_ERR_SHAPE "waypoints", TQ_ERR_RANGE "waypoints.t" at `index` that does
 * not increase, TQ_ERR_NOT_FINITE. */
tq_status tq_waypoints_check(const tq_waypoints *waypoints, tq_error *reterr);

/* Position, velocity and acceleration (n_coordinate each) at time t, at rest at every waypoint:
 * each interval follows the law. Before the first and after the last point the reference is
 * constant. */
void tq_waypoints_at(const tq_waypoints *waypoints, tq_timing_law law, double blend, double t,
                     double *ret_x, double *ret_xd, double *ret_xdd);

/**
 * Second derivatives of the cubic spline through the waypoints, at rest at both ends.
 *
 * Shapes   ret_curvature (n_point x n_coordinate).
 * Memory   n_point doubles of `scratch`, released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, and the statuses of tq_waypoints_check.
 * Cost     O(n_point n_coordinate).
 * Source   C. de Boor, A Practical Guide to Splines, 1978, ch. IV.
 * Checked  tests/property/core/motion/test_reference.c
 */
tq_status tq_spline_fit(const tq_waypoints *waypoints, tq_scratch *scratch, double *ret_curvature,
                        tq_error *reterr);

/* As tq_waypoints_at, along the spline: velocity and acceleration are continuous. */
void tq_spline_at(const tq_waypoints *waypoints, const double *curvature, double t, double *ret_x,
                  double *ret_xd, double *ret_xdd);

/* A periodic excitation, x(t) = offset + sum_k a_k sin(k w t) / (k w) - b_k cos(k w t) / (k w):
 * a_k and b_k are the harmonics of the velocity. */
typedef struct tq_fourier {
    size_t n_harmonic, n_coordinate;
    double frequency;     /* w / (2 pi), Hz, > 0 */
    const double *offset; /* (n_coordinate) */
    const double *a, *b;  /* (n_harmonic x n_coordinate, row by row) */
} tq_fourier;

/* Source: J. Swevers et al., Optimal robot excitation and identification, IEEE TRA 13(5), 1997. */
void tq_fourier_at(const tq_fourier *fourier, double t, double *ret_x, double *ret_xd,
                   double *ret_xdd);

#endif
