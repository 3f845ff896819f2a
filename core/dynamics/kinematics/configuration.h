/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/kinematics/configuration.h - poses, twists, screws of a robot at one state: the
 * input of all dense computations. */
#ifndef TQ_DYNAMICS_KINEMATICS_CONFIGURATION_H
#define TQ_DYNAMICS_KINEMATICS_CONFIGURATION_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/model/model.h"

/* One dof of the tree: a column of a Jacobian. A mimic joint has a dof of its own, which
 * contributes to its master's row. */
typedef struct tq_freedom {
    uint32_t joint;
    uint32_t row;    /* of qd, qdd, tau */
    double factor;   /* d(freedom's rate) / d(qd[row]): 1, or the product of mimic multipliers */
    double screw[6]; /* twist of the child link per unit rate: (v at the world origin, w), world
                        axes */
    double rate[6];  /* time derivative of `screw` at the given qd */
} tq_freedom;

/* Computed from the user's own frames, without the canonical form: independent of the kernels.
 * Arrays are in the scratch from which it was made. */
typedef struct tq_configuration {
    const tq_model *model;
    tq_pose *pose; /* (n_link) of the link frame in the world */
    double *twist; /* (n_link x 6) of the link: velocity of its point at the world origin, angular
                      velocity */
    tq_freedom *freedom; /* (n_freedom) parents before children */
    size_t n_freedom;
    uint32_t *first; /* (n_joint) number of the joint's first freedom */
    uint32_t *count; /* (n_joint) how many it has */
} tq_configuration;

/**
 * Compute the forward kinematics of every link at one state.
 *
 * Shapes   q (nq), qd (nv) or NULL for rest.
 * Memory   tq_configuration_scratch_size(model) bytes of `scratch` stay taken: the caller rewinds
 * when
 *          done with the posture.
 * Returns  TQ_OK
 *          TQ_ERR_QUATERNION  "q": index = joint, value = its length TQ_ERR_SCRATCH
 * Cost     O(n_joint).
 * Source   Murray, Li & Sastry, A Mathematical Introduction to Robotic Manipulation, 1994, 3.4.
 * Checked  tests/property/core/dynamics/test_lagrangian.c
 */
tq_status tq_configuration_compute(const tq_model *model, const double *q, const double *qd,
                                   tq_scratch *scratch, tq_configuration *ret_posture,
                                   tq_error *reterr);
size_t tq_configuration_scratch_size(const tq_model *model);

/* Frame of a Jacobian or a velocity. */
typedef enum tq_jacobian_frame {
    TQ_JACOBIAN_WORLD, /* v of the point fixed to the link that passes the world origin; world axes
                        */
    TQ_JACOBIAN_LINK,  /* v of the point `at`; link axes (body Jacobian when `at` is the link's
                          origin) */
    TQ_JACOBIAN_WORLD_ALIGNED, /* v of the point `at`; world axes */
} tq_jacobian_frame;

/**
 * Jacobian of a link, and the rate of change of that Jacobian.
 *
 * Shapes   at: a point in the link frame; ret_jacobian, ret_rate (6 x nv, row by row: v then w);
 *          ret_rate may be NULL.
 * Cost     O(depth of the link), plus clearing.
 */
void tq_configuration_jacobian(const tq_configuration *posture, uint32_t link, const double at[3],
                               tq_jacobian_frame frame, double *ret_jacobian, double *ret_rate);

/* Velocity (v, w) of a link in the same frames. */
void tq_configuration_velocity(const tq_configuration *posture, uint32_t link, const double at[3],
                               tq_jacobian_frame frame, double ret_velocity[6]);

/* tau += J^T w for a wrench (f, m) about the world origin, in world axes, that acts on the link. */
void tq_configuration_add_wrench(const tq_configuration *posture, uint32_t link,
                                 const double wrench[6], double *tau);

#endif
