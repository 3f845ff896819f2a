/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/bounds/bounds.h - bounds on the eigenvalues of the mass matrix over a box of q. */
#ifndef TQ_DYNAMICS_BOUNDS_BOUNDS_H
#define TQ_DYNAMICS_BOUNDS_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/model/model.h"

/* Attained values are eigenvalues at some q of the box; guaranteed ones bound those at every q of
 * it. */
typedef struct tq_eigen_bounds {
    double attained_smallest, attained_largest;
    double guaranteed_smallest, guaranteed_largest; /* NAN when `bounded` is false */
    bool bounded;
    uint32_t joint; /* the joint that makes them unbounded, or TQ_NONE */
    size_t n_evaluated;
} tq_eigen_bounds;

/**
 * Bound the eigenvalues of M(q) over lower <= q <= upper.
 *
 * Lipschitz bound: over a half-width h_k of q_k, |M - M0| <= L_k h_k, L_k the norm of a matrix of
 * bounds on |dM_ab/dq_k|, from masses and the longest lever arms within the box. It exceeds
 * the least eigenvalue of most arms; so the first 512 matrices of robots of up to 24 dofs,
 * unless mimic joints or links are too many (tq_relative_is_affordable), are also bounded
 * relative to M0, by first derivatives and bounds on the second ones (bounds_relative.h):
 * within 1 % in a box of 1 mrad, and above 0 in boxes of 0.1 rad for arms of 6 and 7 joints. Cells
 * are bisected where the bound is worst, along the dominant width, until it is within 1 % of a
 * value attained or n_max matrices were computed; the best cell's centre is then improved by a
 * search along coordinates. Over wide boxes global bounds may be tighter: those of M's
 * entries with all arms stretched, and the least rotor inertia. Deterministic: the same box
 * gives the same result.
 *
 * Shapes   lower, upper (nq); a range may be infinite: angles are cut to 2 pi, a prismatic joint
 *          makes the guaranteed bounds infinite (attained ones are those within 1 m).
 * Memory   tq_eigen_bounds_scratch_size(model, n_max) bytes of `scratch`, all released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, TQ_ERR_NO_CONVERGENCE, TQ_ERR_STOPPED; TQ_ERR_RANGE "box" with
 *          index = a planar, spherical or floating joint, which has no box of coordinates.
 * Cost     3 n_max matrices of O(n_joint depth) and their eigenvalues, up to 512 derivatives of
 *          O(nv^4), a table of O(n_link depth^4), 0.25 s at most, and
 *          tq_eigen_bounds_work: 30 ms for 7 joints, 1 s for 24.
 * Source   S. Piyavskii, An algorithm for finding the absolute extremum of a function, USSR Comput.
 *          Math. 12(4), 1972; F. Ghorbel, B. Srinivasan, M. Spong, On the uniform boundedness of
 *          the inertia matrix of serial robot manipulators, J. Robotic Systems 15(1), 1998.
 * Checked  tests/property/core/dynamics/bounds/test_bounds.c
 */
tq_status tq_mass_matrix_eigen_bounds(const tq_model *model, const double *lower,
                                      const double *upper, size_t n_max, tq_scratch *scratch,
                                      tq_eigen_bounds *ret_bounds, tq_error *reterr);
/* Sum of depth^3 over all links, 30 ns each: the cost of the Lipschitz constants. nv does not bound
 * it, because of mimic joints. */
double tq_eigen_bounds_work(const tq_model *model);
size_t tq_eigen_bounds_scratch_size(const tq_model *model, size_t n_max);

#endif
