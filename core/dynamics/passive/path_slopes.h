/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/path_slopes.h - derivatives of the torque of a tendon that has a path;
 * private to the tendons. */
#ifndef TQ_DYNAMICS_PASSIVE_PATH_SLOPES_H
#define TQ_DYNAMICS_PASSIVE_PATH_SLOPES_H

#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/kinematics/configuration.h"
#include "core/model/model.h"

/* One sample; rows are `stride` apart. qd NULL: rest. */
typedef struct tq_path_sample {
    size_t stride;
    const double *q, *qd;
} tq_path_sample;

/* Tension of a tendon, its slopes by length and by the rate of the length, and its second
 * derivative by the rate. */
typedef struct tq_path_tension {
    double value, by_length, by_rate, by_rate_twice;
} tq_path_tension;

typedef struct tq_path_mover tq_path_mover;
typedef struct tq_path_turner tq_path_turner;

typedef struct tq_path_slopes {
    tq_configuration at;
    double *q, *qd; /* flat */
    double *slope;  /* (nv) dL/dq */
    double *rate;   /* (nv) d(dL/dt)/dq */
    tq_path_mover *movers;
    tq_path_turner *turners; /* NULL: no path wraps around a solid */
} tq_path_slopes;

/* Takes tq_path_slopes_scratch_size(model) bytes of `scratch`, which the caller rewinds. TQ_OK,
 * TQ_ERR_SCRATCH, TQ_ERR_QUATERNION. */
tq_status tq_path_slopes_begin(const tq_model *model, const tq_path_sample *at, tq_scratch *scratch,
                               tq_path_slopes *ret, tq_error *reterr);
size_t tq_path_slopes_scratch_size(const tq_model *model);

/* Slope and rate of the tendon's path alone. */
void tq_path_slopes_follow(tq_path_slopes *slopes, const tq_tendon *tendon);

/* Adds d/dq and d/dqd of the torque that overcomes the tension to dq and dqd (nv x nv), whose
 * entries are `at->stride` apart. By a column's freedom, a column of J that it carries turns with
 * it; freedoms of ball joints are rotations of the child about its own axes. O(square of the joints
 * between points + nv rows). */
void tq_path_slopes_add(tq_path_slopes *slopes, const tq_tendon *tendon, const tq_path_sample *at,
                        const tq_path_tension *tension, double *dq, double *dqd);

#endif
