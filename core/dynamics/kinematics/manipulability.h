/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/kinematics/manipulability.h - velocity ellipsoid of a Jacobian: how well, and in
 * which directions, a point can be moved. */
#ifndef TQ_DYNAMICS_KINEMATICS_MANIPULABILITY_H
#define TQ_DYNAMICS_KINEMATICS_MANIPULABILITY_H

#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"

/* J = sum_k s_k u_k v_k^T: joint velocities of unit length along v_k move the point by s_k along
 * u_k. n = min(n_task, nv); the largest component of each u_k is positive. */
typedef struct tq_manipulability {
    double *s;      /* (n) singular values, descending: semi-axes of the ellipsoid */
    double *u;      /* (n x n_task) row k: u_k, along the rows of J */
    double *v;      /* (n x nv) row k: v_k */
    size_t rank;    /* number of s_k > max(n_task, nv) eps s_1 */
    double measure; /* sqrt(det(J J^T)): product of the s_k, 0 below full rank */
} tq_manipulability;

/**
 * Shapes   jacobian (n_task x nv, row by row); arrays of `result` are the caller's.
 * Units    of the rows of J: choose rows of one unit, else the values mix m and rad.
 * Memory   tq_manipulability_scratch_size(n_task, nv) bytes of `scratch`, all released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, TQ_ERR_NO_CONVERGENCE.
 * Source   T. Yoshikawa, Manipulability of robotic mechanisms, IJRR 4(2), 1985.
 * Checked  tests/unit/api/operations/test_manipulability.c
 */
tq_status tq_manipulability_compute(size_t n_task, size_t nv, const double *jacobian,
                                    tq_scratch *scratch, tq_manipulability *result,
                                    tq_error *reterr);
size_t tq_manipulability_scratch_size(size_t n_task, size_t nv);

#endif
