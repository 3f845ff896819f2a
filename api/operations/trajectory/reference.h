/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/trajectory/reference.h - motion over time as requests give it: what `trajectory`
 * samples and
 * a controller follows. */
#ifndef TQA_OPERATIONS_TRAJECTORY_REFERENCE_H
#define TQA_OPERATIONS_TRAJECTORY_REFERENCE_H

#include "api/request/robot_fields.h"
#include "core/motion/desired.h"

/* Kinds of paths, by the field that gives one. */
enum {
    TQA_PATH_WAYPOINTS = 1u << 0, /* waypoints, times | durations, timing, blend? */
    TQA_PATH_POSES = 1u << 1,     /* poses, frame, axes?, initial, times | durations, ... */
    TQA_PATH_FOURIER = 1u << 2,   /* fourier {frequency, offset, a, b}, duration? */
    TQA_PATH_STAND = 1u << 3,     /* setpoint [q] */
    TQA_PATH_TABLE = 1u << 4,     /* table {t, q, qd?, qdd?} */
    TQA_PATH_ALL = (1u << 5) - 1u,
    TQA_PATH_BY_LIMITS = 1u << 5, /* with any of these: point k is at time k, lines between them */
};

/* A timing such as "time-optimal", which is one by limits and no timing law. */
bool tqa_timing_is_optimal(const tqa_value *timing);

/* An object that is one reference and nothing else: false, with the problem set, where it has other
 * fields. Those of an answer of `excitation` may come with its series alone. */
bool tqa_reference_object(const tqa_value *object);

/* In the robot's order; its arrays are the call's. */
typedef struct tqa_reference {
    tq_reference motion;
    double begin, end; /* s: where it starts to move, and stops; a Fourier series: one period */
    bool is_cartesian; /* poses: a point follows a line */
    tqa_point point;   /* of the robot, then */
    double length;     /* of the line through all poses, m */
    tq_cartesian_path path;
    double *start;   /* (nq) near the first pose */
    tqa_value poses; /* their place in the request */
} tqa_reference;

/* Reads the path among the fields of `object`, of one of the kinds. `near` (nq, robot's order; may
 * be NULL) replaces `initial` of poses when that is not given. False: the problem is set. */
bool tqa_value_reference(const tqa_value *object, const tqa_order *order, unsigned kinds,
                         const double *near, tqa_reference *ret);

/* Before the first use of `motion`, on a worker: poses become joint motion by inverse kinematics,
 * which takes milliseconds and more. False: the problem is set. */
bool tqa_reference_prepare(tqa_reference *reference);

#endif
