/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/timing/optimal.h - time-optimal motion along a path under velocity, acceleration and
 * torque limits. */
#ifndef TQ_MOTION_TIMING_OPTIMAL_H
#define TQ_MOTION_TIMING_OPTIMAL_H

#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/model/mechanism.h"
#include "core/motion/desired.h"
#include "core/motion/timing/point_to_point.h"

enum {
    TQ_OPTIMAL_GRID_LEAST = 20,
    TQ_OPTIMAL_INTERVALS_MAX = 20000, /* of all stretches */
};

/* A geometric path: a reference whose time is the path parameter s, and where to be at rest. */
typedef struct tq_geometric_path {
    const tq_reference *reference;
    size_t n_stop;      /* >= 2 */
    const double *stop; /* (n_stop) s, increasing: both ends, and kinks of the path */
    size_t n_knot;
    const double *knot; /* (n_knot) s, increasing: q''' jumps there; grid points are put on them */
} tq_geometric_path;

/* A path with its timing. Interval i goes from s[i] with sdot^2 = x[i] and constant sddot = u[i]
 * over step[i]; t[i] is its begin and t[n_interval] the end of the motion. `joint` (row of qd) and
 * `limit` are what binds most there: `use` = value / limit, about 1 in nearly all intervals. */
typedef struct tq_timed_path {
    size_t n_interval;
    double *s, *step, *x, *u, *use;
    double *t;            /* (n_interval + 1) */
    unsigned char *limit; /* tq_limit_kind */
    size_t *joint;
} tq_timed_path;

/* Why there is none: in the interval at s, `joint` (row of qd) would need `needed` of the limit,
 * at rest. needed <= bound: only the combination of several limits is impossible. */
typedef struct tq_infeasible {
    double s;
    size_t joint;
    double needed, bound;
} tq_infeasible;

/**
 * Least time along the path, at rest at every stop: TOPP-RA.
 *
 * With x = sdot^2 and u = sddot, constant in an interval,
 *
 *     qd = q' sdot,  qdd = q' u + q'' x,
 *     tau = a u + b x + c + friction(q' sdot),  a = M q',  b = M q'' + C(q, q') q',  c = gravity
 *           and springs.
 *
 * A pass from the end computes the controllable x of every grid point, a pass from the start takes
 * the largest u. Limits are imposed at three points of every interval; the excess of tau, qdd and
 * qd between them is computed from the interpolation of five, and subtracted from the limits until
 * it is below 1e-7 of them. A pass after the first computes only what such a change changes.
 * Friction that depends on speed is linearised about the last solution, until that is the solution.
 * Coulomb friction has the sign of q', and at rest and where q' changes its sign both values are
 * within the limits.
 *
 * Shapes   limits (nv) each; jerk unused. n_grid intervals a stretch, TQ_OPTIMAL_GRID_LEAST at
 *          least and in all TQ_OPTIMAL_INTERVALS_MAX at most. Joints with quaternions are refused:
 *          TQ_ERR_SHAPE "joint".
 * Memory   *ret and its arrays live in `scratch`, of which tq_time_optimal_scratch_size bytes are
 *          enough for both; working memory is released.
 * Returns  TQ_OK
 *          TQ_ERR_RANGE           "limits": `index` is not above 0; "torque": infeasible, see
 *                                 *ret_fault; "grid"; "stop"
 *          TQ_ERR_NO_CONVERGENCE  "friction", "margin"
 *          TQ_ERR_SCRATCH, TQ_ERR_STOPPED, and those of tq_inverse_dynamics
 * Cost     12 n_grid inverse dynamics, and about two passes of 250 n_grid nv multiplications. Seven
 *          joints and 400 intervals: 0.7 ms (AVX-512).
 * Source   H. Pham, Q.-C. Pham, A new approach to time-optimal path parameterization based on
 *          reachability analysis, IEEE TRO 34(3), 2018.
 * Checked  tests/property/core/motion/test_optimal.c, tests/unit/core/kernels/test_path.c,
 *          tests/peers/test_toppra.py; its speed: make bench-optimal
 */
tq_status tq_time_optimal(const tq_mechanism *mechanism, const tq_geometric_path *path,
                          const tq_motion_limits *limits, size_t n_grid, tq_scratch *scratch,
                          tq_timed_path *ret, tq_infeasible *ret_fault, tq_error *reterr);
size_t tq_time_optimal_scratch_size(const tq_mechanism *mechanism, size_t n_stop, size_t n_grid);

/* Position, velocity and acceleration (nv each) at time t; work (2 nv). */
void tq_timed_path_at(const tq_timed_path *timed, const tq_reference *reference, double t,
                      double *work, double *ret_q, double *ret_qd, double *ret_qdd);

#endif
