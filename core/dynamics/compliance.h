/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/compliance.h - static joint torque of a load, and endpoint compliance of a robot
 * with elastic joints. */
#ifndef TQ_DYNAMICS_COMPLIANCE_H
#define TQ_DYNAMICS_COMPLIANCE_H

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/kinematics/configuration.h"

/* A load at a point of a link: force and moment about the point, world axes, applied TO the robot.
 */
typedef struct tq_load {
    uint32_t link;
    double at[3];     /* in the link frame, m */
    double wrench[6]; /* (f, m): N, N m */
} tq_load;

/* Joint torque in static equilibrium with the load: tau = -J^T w. (For a wrench that the robot
 * applies to the environment, tau = +J^T w.) ret_tau (nv). */
void tq_static_torque(const tq_configuration *posture, const tq_load *load, double *ret_tau);

/**
 * Geometric stiffness: derivative of the load's joint torque by configuration, G = d(J^T
 * w)/dq for a wrench that keeps its size and direction in the world and its point on the link.
 *
 * Shapes   ret_g (nv x nv, row by row): row i, derivative along coordinate j (along
 *          quasi-coordinates for spherical and floating joints).
 * Cost     O(depth^2).
 * Checked  tests/property/core/dynamics/test_compliance.c
 */
void tq_geometric_stiffness(const tq_configuration *posture, const tq_load *load, double *ret_g);

/* Compliance and stiffness at the endpoint. Arrays are the caller's. */
typedef struct tq_compliance_result {
    double *compliance; /* (n_task x n_task): dp = compliance * force */
    double *stiffness;  /* (n_task x n_task): its inverse; not written unless rank == n_task */
    double *rigid; /* (n_task x n_task): rows 0 .. n_task - rank - 1 are unit directions of zero
                  compliance (infinite stiffness) */
    size_t rank;
} tq_compliance_result;

/**
 * Endpoint compliance J K^-1 J^T, and its inverse if it is regular.
 *
 * Shapes   jacobian (n_task x nv, row by row), joint_stiffness (nv x nv, symmetric positive
 *          definite: diagonal springs, optionally minus the geometric stiffness).
 * Memory   tq_compliance_scratch_size(n_task, nv) bytes of `scratch`, all released.
 * Returns  TQ_OK
 *          TQ_ERR_SINGULAR  "joint_stiffness" is not positive definite: buckling, or a
 *                           joint without spring
 *          TQ_ERR_SCRATCH
 * Source   J. K. Salisbury, Active stiffness control of a manipulator in cartesian coordinates, CDC
 *          1980; S.-F. Chen, I. Kao, Conservative congruence transformation, IJRR 19(9), 2000.
 * Checked  tests/property/core/dynamics/test_compliance.c
 */
tq_status tq_compliance_compute(size_t n_task, size_t nv, const double *jacobian,
                                const double *joint_stiffness, tq_scratch *scratch,
                                tq_compliance_result *result, tq_error *reterr);
size_t tq_compliance_scratch_size(size_t n_task, size_t nv);

#endif
