/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/motion.h - poses, velocities, accelerations and Jacobians of links, from their
 * definition. */
#ifndef TQT_MOTION_H
#define TQT_MOTION_H

#include "core/model/model.h"
#include "tests/support/jet.h"

/* The state of a robot at one time, flat. NULL rates are zero. Borrowed. */
typedef struct tqt_state {
    const double *q, *qd, *qdd; /* (nq, nv, nv) */
} tqt_state;

/* Motion of a link, along the axes of the world. */
typedef struct tqt_link_motion {
    long double r[9], p[3];             /* pose of the link frame */
    long double com[3];                 /* its centre of mass, m */
    long double com_v[3], com_a[3];     /* velocity, acceleration of it (without gravity) */
    long double omega[3], omega_dot[3]; /* angular velocity and acceleration */
    long double inertia[9];             /* about the centre of mass, along the world's axes */
} tqt_link_motion;

/* One column of a link's Jacobian: at unit rate of row `row` the link rotates with `angular` and
 * its point x moves with linear + angular x (x - at). */
typedef struct tqt_column {
    uint32_t row;
    uint32_t joint;
    long double factor; /* rate of the joint per unit rate of the row: mimic multipliers */
    long double linear[3], angular[3], at[3]; /* for unit rate of the row: includes `factor` */
} tqt_column;

/* Moves every link of a finished model by multiplying the frames of its joints, each a function of
 * time with two derivatives: no recursion of velocity or acceleration is used.
 * ret_links (n_link) is the caller's. */
void tqt_move(const tq_model *model, const tqt_state *state, tqt_link_motion *ret_links);

/* Writes the columns of all joints between the root and `link`, from the root outwards, to
 * ret_columns (6 n_joint), and returns their number. */
uint32_t tqt_columns(const tq_model *model, const tqt_link_motion *links, uint32_t link,
                     tqt_column *ret_columns);

/* Value and rate of the coordinate of a one-dof joint; for a mimic joint those of its own
 * coordinate. */
long double tqt_joint_q(const tq_model *model, const tq_joint *joint, const double *q);
long double tqt_joint_rate(const tq_model *model, const tq_joint *joint, const double *qd);

#endif
