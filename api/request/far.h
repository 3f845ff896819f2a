/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/far.h - coordinates so far beyond their limits that another unit was probably meant.
 */
#ifndef TQA_REQUEST_FAR_H
#define TQA_REQUEST_FAR_H

#include <stdbool.h>
#include <stddef.h>

#include "api/problem.h"
#include "api/robots/parsed.h"

enum { TQA_FAR_MAX = 8 }; /* joints that an answer names */

/* The worst sample of a joint. */
typedef struct tqa_far {
    uint32_t joint;
    size_t sample;
    double q;
} tqa_far;

/* Is any of n samples, in rows `stride` apart and padded (core/base/block.h), far out? Bounds are
 * those of tqa_robot.far_q: the limits and a turn, or 10 m, more. */
bool tqa_far_any(const tqa_robot *robot, const double *q, size_t stride, size_t n);
static inline bool tqa_far_one(const tqa_robot *robot, const double *q, size_t stride)
{
    const size_t nq = robot->model->nq;
    const double *least = robot->far_q, *most = least + nq;
    int far = 0;
    for (size_t r = 0; r < nq; r++) {
        far |= (q[r * stride] < least[r]) | (q[r * stride] > most[r]);
    }
    return far != 0;
}

/* Notes sample `sample` (q, number r at q[r * stride]) in found[0 .. *n), of TQA_FAR_MAX: the
 * joints that are far out, each where it is worst. */
void tqa_far_note(const tqa_robot *robot, const double *q, size_t stride, size_t sample,
                  tqa_far *found, size_t *n);
/* The text about one; `in_degrees`: the unit of the request. */
void tqa_far_text(const tqa_robot *robot, const tqa_far *far, bool in_degrees,
                  char text[TQA_PROBLEM_TEXT]);

#endif
