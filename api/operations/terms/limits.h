/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/terms/limits.h - limits of the robot that samples of q, qd or tau exceed, each
 * with its worst sample. */
#ifndef TQA_OPERATIONS_TERMS_LIMITS_H
#define TQA_OPERATIONS_TERMS_LIMITS_H

#include <math.h>

#include "api/call/call.h"

typedef enum tqa_limit {
    TQA_LIMIT_LOWER,
    TQA_LIMIT_UPPER,
    TQA_LIMIT_VELOCITY,
    TQA_LIMIT_TORQUE,
    TQA_LIMITS,
} tqa_limit;

/* A limit of a joint that has one, and the sample that exceeds it most. The coordinate is
 * factor * x + offset, x of row `row` of q (lower, upper), qd (velocity) or tau, in the robot's
 * order. Units: rad or m, by second; N m or N. */
typedef struct tqa_watched {
    uint32_t joint;
    tqa_limit limit;
    size_t row;
    double factor, offset, bound;
    double slack;     /* beyond the bound by no more counts as within it */
    double worst, by; /* the value there, and how far it is beyond */
    size_t at, n;     /* that sample; how many exceed the limit */
} tqa_watched;

/* How far beyond a bound is still within it: events, clipped torques and the fastest motion meet a
 * bound to rounding. 1e-9 of it, or of 1. */
static inline double tqa_limit_slack(double bound)
{
    return 1e-9 * fmax(1.0, fabs(bound));
}

/* All of a robot, at most TQA_LIMITS for each joint: their number. */
size_t tqa_watched_joints(const tq_model *model, tqa_watched *ret);

/* One sample. */
static inline void tqa_watched_note(tqa_watched *watched, double x, size_t at)
{
    const double value = watched->factor * x + watched->offset;
    const double reach = watched->limit == TQA_LIMIT_LOWER   ? watched->bound - value
                         : watched->limit == TQA_LIMIT_UPPER ? value - watched->bound
                                                             : fabs(value) - watched->bound;
    if (reach > watched->slack) {
        watched->n++;
        if (reach > watched->by) {
            watched->by = reach, watched->worst = value, watched->at = at;
        }
    }
}

/* "lower", "upper", "velocity" or "torque". */
const char *tqa_watched_name(const tqa_watched *watched);
/* An element of `limits.exceeded`, numbers divided by `unit`; t: the time of that sample, or NULL.
 */
void tqa_watched_put(const tqa_watched *watched, const char *joint, double unit, const double *t,
                     tqa_writer *to);

/* Adds `limits` to the answer of an operation on samples, if `include` has it, once the samples are
 * computed. Torques are `tau` of the request or of the answer, as the operation has it. False: the
 * problem is set. */
bool tqa_limits_add(tqa_call *call);

#endif
