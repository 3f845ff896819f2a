/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/ledger.h - torque of one sample by terms. */
#ifndef TQ_DYNAMICS_LEDGER_H
#define TQ_DYNAMICS_LEDGER_H

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/sample.h"

/* Terms of the equation of motion; their sum is the torque of inverse dynamics. */
typedef enum tq_ledger_entry {
    TQ_LEDGER_INERTIA,     /* M qdd without rotors */
    TQ_LEDGER_CORIOLIS,    /* products of two different rates */
    TQ_LEDGER_CENTRIFUGAL, /* squares of rates */
    TQ_LEDGER_GRAVITY,
    TQ_LEDGER_FRICTION,
    TQ_LEDGER_ROTOR,
    TQ_LEDGER_SPRING,
    TQ_LEDGER_EXTERNAL, /* -J^T w */
    TQ_LEDGER_COUNT,
} tq_ledger_entry;

/**
 * Split the torque of inverse dynamics into its terms, by Jacobians: the sum of the entries
 * checks the recursion independently. A term that `without` omits is zero.
 *
 * Shapes   posture at sample->q and sample->qd; ret_entries (TQ_LEDGER_COUNT x nv), entry by
 *          entry.
 * Memory   tq_ledger_scratch_size(model) bytes of `scratch`, all released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH.
 * Cost     O(nv n_joint depth): the Coriolis/centrifugal split uses all Christoffel symbols.
 * Source   M. Spong, S. Hutchinson, M. Vidyasagar, Robot Modeling and Control, 2006, ch. 7.
 * Checked  tests/property/core/dynamics/test_ledger.c
 */
tq_status tq_ledger(const tq_configuration *posture, const tq_sample *sample, tq_scratch *scratch,
                    double *ret_entries, tq_error *reterr);

/* Sum of the entries (TQ_LEDGER_COUNT x nv) in their order: ret_tau (nv), the torque of inverse
 * dynamics. */
void tq_ledger_total(size_t nv, const double *entries, double *ret_tau);

/* Centrifugal torque, sum over j of Gamma_ijj qd_j^2, and Coriolis torque, the sum over j != k of
 * Gamma_ijk qd_j qd_k; each (nv). */
tq_status tq_velocity_split(const tq_configuration *posture, const double *qd, tq_scratch *scratch,
                            double *ret_coriolis, double *ret_centrifugal, tq_error *reterr);

/**
 * Torque of a passivity-based controller: M qdd_ref + C qd_ref + gravity_torque, with the
 * Christoffel form of C, for which Mdot - 2 C is skew-symmetric; without springs and friction.
 *
 * Shapes   qd that of the posture; qd_ref, qdd_ref, ret_tau (nv).
 * Returns  TQ_OK, TQ_ERR_SCRATCH.
 * Source   J.-J. Slotine, W. Li, On the adaptive control of robot manipulators, IJRR 6(3), 1987.
 */
tq_status tq_passivity_torque(const tq_configuration *posture, const double *qd,
                              const double *qd_ref, const double *qdd_ref, const double gravity[3],
                              tq_scratch *scratch, double *ret_tau, tq_error *reterr);

/* Scratch of each of these, in addition to the posture's own. */
size_t tq_ledger_scratch_size(const tq_model *model);

#endif
