/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/singular.h - joints that feel no inertia; private to the doctor. */
#ifndef TQ_MODEL_SINGULAR_H
#define TQ_MODEL_SINGULAR_H

#include <stdbool.h>

#include "core/model/model.h"

/* of a joint's own inertia, left when the joints behind it give way */
#define TQ_SINGULAR_SHARE 1e-9

/* What is known of the joint that carries a link. */
typedef struct tq_singular_verdict {
    double at_rest;   /* share of the robot's largest inertia that it feels at q = 0 */
    double elsewhere; /* the largest of a few states between the limits */
    bool heavy;       /* the link, or anything it carries, has mass or inertia */
    bool massless;    /* nothing to move, and no rotor */
} tq_singular_verdict;

/* M is singular exactly when some articulated inertia along its joint's axis is zero (Featherstone,
 * Rigid Body Dynamics Algorithms, 2008, ch. 7). Spherical, planar and mimicking joints count as
 * locked where they are at q = 0. articulated and verdicts: (n_link), by the link carried. */
void tq_singular_find(const tq_model *model, double reach, double (*articulated)[36],
                      tq_singular_verdict *verdicts);

#endif
