/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/checks.h - cross-checks: one sample computed by several algorithms. */
#ifndef TQ_DYNAMICS_CHECKS_H
#define TQ_DYNAMICS_CHECKS_H

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/sample.h"
#include "core/model/mechanism.h"

/* Residual = max |difference| / max |entry| of the compared quantities; rounding leaves a few eps
 * times the number of joints. */
typedef struct tq_checks {
    double recursive_lagrangian; /* torque: RNEA against M, C, g by Jacobians */
    double recursive_stacked;    /* torque: RNEA against the stacked Newton-Euler equations
                                    (product of exponentials) */
    double mass_matrix;          /* M: composite rigid bodies against Jacobians */
    double skew_symmetry;        /* Mdot - 2 C, Christoffel form of C, plus its transpose */
    double symmetry;             /* M - M^T by Jacobians */
    double smallest_eigenvalue;  /* of M: > 0 if M is positive definite */
} tq_checks;

/**
 * Compare the recursive algorithms with the Lagrangian ones for one sample: bodies, rotors,
 * springs, friction and wrenches as `sample` says.
 *
 * Shapes   posture: of tq_mechanism_model(mechanism) at sample->q and sample->qd.
 * Memory   tq_checks_scratch_size(mechanism, n_wrench) bytes of `scratch`, all released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, TQ_ERR_OVERFLOW, TQ_ERR_NO_CONVERGENCE.
 * Checked  tests/property/core/dynamics/test_ledger.c
 */
tq_status tq_checks_compute(const tq_mechanism *mechanism, const tq_configuration *posture,
                            const tq_sample *sample, tq_scratch *scratch, tq_checks *ret_checks,
                            tq_error *reterr);
size_t tq_checks_scratch_size(const tq_mechanism *mechanism, size_t n_wrench);

/**
 * Skew symmetry of Mdot - 2 C: tq_skew_residual of a Coriolis matrix, M being that of the kernels
 * and Mdot by Jacobians (tq_mass_matrix_rate).
 *
 * Shapes   posture at sample->q and sample->qd; c (nv x nv, row by row).
 * Memory   tq_skew_scratch_size(mechanism) bytes of `scratch`, all released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, or as tq_mass_matrix.
 * Cost     O(n_joint depth + nv^2).
 * Source   Murray, Li & Sastry, 1994, lemma 4.2.
 * Checked  tests/property/core/dynamics/test_ledger.c
 */
tq_status tq_coriolis_skew_residual(const tq_mechanism *mechanism, const tq_configuration *posture,
                                    const tq_sample *sample, const double *c, tq_scratch *scratch,
                                    double *ret_residual, tq_error *reterr);
size_t tq_skew_scratch_size(const tq_mechanism *mechanism);

/* max |C + C^T - Mdot| / max(|Mdot|, |C|, |M| |qd|), each the largest entry; 0 if all are 0. |M|
 * |qd| is the scale where M is constant and Mdot and C are rounding errors. */
double tq_skew_residual(size_t nv, const double *m, const double *qd, const double *m_rate,
                        const double *c);

#endif
