/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/subtrees.h - inertia, velocity and force of whole subtrees, and what a
 * displacement changes in them: common to first and second derivatives. */
#ifndef TQ_DYNAMICS_DERIVATIVES_SUBTREES_H
#define TQ_DYNAMICS_DERIVATIVES_SUBTREES_H

#include <stdbool.h>

#include "core/base/scratch.h"
#include "core/dynamics/sample.h"

/* Of a link, then of its subtree; world axes about the world origin. */
typedef struct tq_subtree {
    double inertia[36];
    double rate[36];    /* of the inertia: V x* M - M V x */
    double twice_b[36]; /* rate + (M V) x-bar* */
    double force[6];    /* rate of momentum - weight - external wrenches */
} tq_subtree;

/* Of a dof that moves its subtree rigidly, with W and A_W the velocity and acceleration of what
 * carries it; see tq_inverse_derivatives. */
typedef struct tq_displacement {
    double p[6]; /* W x S */
    double y[6]; /* W x P + A_W x S */
    double r[6]; /* P + T x S: of acceleration, per unit of rate */
} tq_displacement;

typedef struct tq_subtrees {
    tq_subtree *sum;       /* (n_link) of the link and all beyond it */
    double *acceleration;  /* (n_link x 6), minus gravity */
    tq_displacement *left; /* (n_freedom) */
} tq_subtrees;

/* Takes tq_subtrees_scratch_size(model) bytes of `scratch`, which the caller rewinds. False, and
 * nothing taken, if it is too small. */
bool tq_subtrees_take(const tq_configuration *posture, tq_scratch *scratch, tq_subtrees *ret);
size_t tq_subtrees_scratch_size(const tq_model *model);

/* Acceleration of every link; gravity is a fictitious upward acceleration of the root. qd, qdd
 * NULL: zero. */
void tq_subtrees_accelerate(const tq_configuration *posture, const double *qd, const double *qdd,
                            const double gravity[3], double *acceleration);

/* Sums over subtrees at the posture's velocity and these accelerations; `world`: wrenches along the
 * world's axes too. O(n_link). */
void tq_subtrees_sum(const tq_configuration *posture, const tq_sample *sample, bool world,
                     const tq_subtrees *subtrees);

/* P, Y and R of every dof. */
void tq_subtrees_displace(const tq_configuration *posture, const tq_sample *sample,
                          const tq_subtrees *subtrees);

/* What of the sample acts on rigid bodies, without the terms that it leaves out. */
tq_sample tq_subtrees_rigid(const tq_sample *sample);

#endif
