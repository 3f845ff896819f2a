/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/checks.h - a second opinion: one sample computed in several ways. */
#ifndef TQ_DYNAMICS_CHECKS_H
#define TQ_DYNAMICS_CHECKS_H

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/sample.h"
#include "core/model/mechanism.h"

/* Residuals are largest differences over the largest entry of what is compared: rounding leaves
 * some eps times the number of joints. */
typedef struct tq_checks {
    double recursive_lagrangian; /* torque: Newton-Euler recursion against M, C, g by Jacobians */
    double recursive_stacked;    /* against the stacked equations of the product of exponentials */
    double mass_matrix;          /* M: composite bodies against Jacobians */
    double skew_symmetry;        /* Mdot - 2 C, C in the Christoffel form, plus its transpose */
    double symmetry;             /* M - M^T by Jacobians */
    double smallest_eigenvalue;  /* of M: above 0 when M is definite */
} tq_checks;

/**
 * Compare the recursions with the Lagrangian way for one sample: rigid bodies, rotors, springs,
 * friction and wrenches as `sample` says.
 *
 * Shapes   posture made of tq_mechanism_model(mechanism) with sample->q and sample->qd.
 * Memory   tq_checks_scratch_size(mechanism, n_wrench) bytes of `scratch`, all given back.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, TQ_ERR_OVERFLOW, TQ_ERR_NO_CONVERGENCE.
 * Checked  tests/property/core/dynamics/test_ledger.c
 */
tq_status tq_checks_compute(const tq_mechanism *mechanism, const tq_configuration *posture,
                            const tq_sample *sample, tq_scratch *scratch, tq_checks *ret_checks,
                            tq_error *reterr);
size_t tq_checks_scratch_size(const tq_mechanism *mechanism, size_t n_wrench);

/* max |C + C^T - Mdot| over max(|Mdot|, |C|, |M| |qd|), largest entries all; 0 when all vanish.
 * Where M does not change, Mdot and C are rounding, which |M| |qd| keeps from looking large. */
double tq_skew_residual(size_t nv, const double *m, const double *qd, const double *m_rate,
                        const double *c);

#endif
