/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/momentum/momentum.h - centre of mass and momentum of the whole robot at one state.
 */
#ifndef TQ_DYNAMICS_MOMENTUM_MOMENTUM_H
#define TQ_DYNAMICS_MOMENTUM_MOMENTUM_H

#include "core/base/status.h"
#include "core/dynamics/kinematics/configuration.h"
#include "core/model/mechanism.h"

/* World axes throughout. A robot without mass has its centre of mass at the world origin. */
typedef struct tq_momentum {
    double mass;              /* kg */
    double com[3];            /* centre of mass, m */
    double com_velocity[3];   /* m/s */
    double linear[3];         /* kg m/s */
    double angular_com[3];    /* about the centre of mass, kg m^2/s */
    double angular_origin[3]; /* about the world origin, kg m^2/s */
} tq_momentum;

/* Sums over all links, at the posture's velocity. The spin of rotors has no momentum here, as is
 * usual: rotor inertia acts on its joint only. Cost O(n_link). */
void tq_momentum_compute(const tq_configuration *posture, tq_momentum *ret_momentum);

/* Jacobian of the centre of mass, ret_jacobian (3 x nv, row by row). Cost O(n_link depth). */
void tq_com_jacobian(const tq_configuration *posture, double *ret_jacobian);

/**
 * Operational-space inertia at a point: (J M^-1 J^T)^-1 with J the `n_task` chosen rows of the
 * point's Jacobian.
 *
 * Shapes   jacobian (n_task x nv, row by row), m (nv x nv, symmetric); ret_lambda (n_task x
 *          n_task).
 * Memory   nv (nv + n_task) doubles of `scratch`, all released: tq_operational_at_scratch_size
 *          suffices up to 6 rows.
 * Returns  TQ_OK
 *          TQ_ERR_SINGULAR  "mass_matrix" when M is not positive definite, "jacobian" when the
 *                           point cannot move in some direction: infinite inertia
 *          TQ_ERR_SCRATCH
 * Source   O. Khatib, A unified approach for motion and force control of robot manipulators, IEEE
 *          J. RA 3(1), 1987.
 * Checked  tests/property/core/dynamics/momentum/test_momentum.c
 */
tq_status tq_operational_inertia(size_t n_task, size_t nv, const double *jacobian, const double *m,
                                 tq_scratch *scratch, double *ret_lambda, tq_error *reterr);

/* A point of a link, and directions of its motion along the axes of the world. */
typedef struct tq_task_point {
    uint32_t link;
    double at[3];  /* in the link frame, m */
    unsigned axes; /* bits x y z rx ry rz; 0: all six */
} tq_task_point;

/**
 * The same of the chosen directions of a point, with M of the kernels.
 *
 * Shapes   posture at q (nq); ret_lambda (n x n), n the number of directions.
 * Memory   tq_operational_at_scratch_size(mechanism) bytes of `scratch`, all released.
 * Returns  as tq_operational_inertia and tq_mass_matrix.
 * Checked  tests/property/core/dynamics/momentum/test_momentum.c
 */
tq_status tq_operational_inertia_at(const tq_mechanism *mechanism, const tq_configuration *posture,
                                    const double *q, const tq_task_point *point,
                                    tq_scratch *scratch, double *ret_lambda, tq_error *reterr);
size_t tq_operational_at_scratch_size(const tq_mechanism *mechanism);

#endif
