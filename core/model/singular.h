/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/singular.h - joints without inertia (singular M); private to the plausibility checks.
 */
#ifndef TQ_MODEL_SINGULAR_H
#define TQ_MODEL_SINGULAR_H

#include <stdbool.h>

#include "core/model/model.h"

/* relative articulated inertia below which a joint counts as singular */
#define TQ_SINGULAR_SHARE 1e-9

/* Result for the joint of a link. */
typedef struct tq_singular_verdict {
    double at_rest;   /* articulated inertia at q = 0 relative to the robot's largest inertia */
    double elsewhere; /* the largest of several states between the limits */
    bool heavy;       /* the link or a descendant has mass or inertia */
    bool massless;    /* no inertia to move, and no rotor */
} tq_singular_verdict;

/* M is singular if and only if some articulated-body inertia along its joint's axis is zero
 * (Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 7). Spherical, planar and mimic joints
 * count as locked at q = 0. articulated and verdicts: (n_link), by child link. */
void tq_singular_find(const tq_model *model, double reach, double (*articulated)[36],
                      tq_singular_verdict *verdicts);

#endif
