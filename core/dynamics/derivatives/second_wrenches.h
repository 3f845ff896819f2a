/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/second_wrenches.h - second derivatives of the torque of an external
 * wrench along the world's axes. */
#ifndef TQ_DYNAMICS_DERIVATIVES_SECOND_WRENCHES_H
#define TQ_DYNAMICS_DERIVATIVES_SECOND_WRENCHES_H

#include "core/dynamics/derivatives/triples.h"
#include "core/dynamics/sample.h"

/* Adds the derivatives by q, twice, of -J^T w. With a force f at the point x and a moment m, both
 * constant, the torque of dof i is -(f . D_i x + m . w_i), whose derivatives are those of the
 * point. O(depth^3 of the link), no memory. */
void tq_second_add_wrench(const tq_branches *branches, const tq_point_wrench *wrench,
                          double *dq_dq);

#endif
