/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/bounds/bounds_relative.h - relative change of M over a box, in units of M: private
 * to bounds.c. */
#ifndef TQ_DYNAMICS_BOUNDS_BOUNDS_RELATIVE_H
#define TQ_DYNAMICS_BOUNDS_BOUNDS_RELATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/kinematics/configuration.h"

/* Robots with more dofs have no relative bound: its table takes nv^3 doubles. */
enum { TQ_RELATIVE_NV_MAX = 24 };

/* For one-dof joints, mimic joints included. */
bool tq_is_slide(const tq_joint *joint);
double tq_mimic_factor(const tq_joint *joint);
uint32_t tq_parent_joint(const tq_model *model, uint32_t number);

/* ret_arm[j] for every joint from `link` to the root: upper bound of the distance from the joint's
 * child frame to the link's centre of mass over lower <= q <= upper; 1 for a prismatic joint (unit
 * velocity per unit rate). */
void tq_measure_arms(const tq_model *model, const double *lower, const double *upper, uint32_t link,
                     double *ret_arm);

/* Arrays are in the scratch from which it was made. */
typedef struct tq_relative {
    const tq_model *model;
    double
        *curve; /* (nv x nv x nv): sum over l of h_l bounds on |d2M_ab/dq_k dq_l|, h of the box */
    double *gamma;  /* (nv x nv x nv) Christoffel symbols */
    double *w;      /* (nv x nv) W M0 W^T = E, row by row */
    double *part;   /* (nv x nv) */
    double *n;      /* (nv x nv) bounds on W (M - M0) W^T */
    double *values; /* (nv) */
} tq_relative;

/* True if the robot's table, a sum of depth^4 over its links, takes 0.25 s at most. */
bool tq_relative_is_affordable(const tq_model *model);

/* Bounds the second derivatives over lower <= q <= upper, of an affordable robot. `arm` (n_joint)
 * is working memory. False: the scratch is too small and nothing was taken; on success
 * tq_relative_scratch_size bytes stay taken. */
bool tq_relative_init(tq_relative *r, const tq_model *model, const double *lower,
                      const double *upper, double *arm, tq_scratch *scratch);
size_t tq_relative_scratch_size(const tq_model *model);

/**
 * eta with (1 - eta) M0 <= M(q) <= (1 + eta) M0 for all q within half-widths h of the posture's.
 *
 * With W M0 W^T = E and M = M0 + sum_k d_k dM/dq_k + R, |R_ab| <= sum_kl h_k h_l |d2M_ab| / 2 by
 * Taylor's theorem, eta is the largest eigenvalue of sum_k h_k |W dM/dq_k W^T| + |W| |R| |W|^T. So
 * every eigenvalue of M is within the factors 1 - eta and 1 + eta of M0's own (Ostrowski);
 * Weyl's inequality would subtract the change of the largest from the smallest.
 *
 * Shapes   values (nv), vectors (nv x nv, by column): M0's eigenvalues and vectors; h (nv).
 *          ret: eta, and the coordinate with the largest contribution.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, TQ_ERR_NO_CONVERGENCE. eta is HUGE_VAL when M0 is not definite.
 * Cost     O(nv^4).
 * Source   A. Ostrowski, A quantitative formulation of Sylvester's law of inertia, PNAS 45, 1959;
 *          J. Demmel, K. Veselic, Jacobi's method is more accurate than QR, SIMAX 13, 1992.
 */
tq_status tq_relative_change(const tq_relative *r, const tq_configuration *posture,
                             const double *values, const double *vectors, const double *h,
                             tq_scratch *scratch, double ret[2], tq_error *reterr);

#endif
