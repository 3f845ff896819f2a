/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/ledger.h - the torque of one sample, told term by term. */
#ifndef TQ_DYNAMICS_LEDGER_H
#define TQ_DYNAMICS_LEDGER_H

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/sample.h"

/* What torque is made of; the sum of all is the torque of inverse dynamics. */
typedef enum tq_ledger_entry {
    TQ_LEDGER_INERTIA,     /* M qdd without rotors */
    TQ_LEDGER_CORIOLIS,    /* of products of two different rates */
    TQ_LEDGER_CENTRIFUGAL, /* of squares of rates */
    TQ_LEDGER_GRAVITY,
    TQ_LEDGER_FRICTION,
    TQ_LEDGER_ROTOR,
    TQ_LEDGER_SPRING,
    TQ_LEDGER_EXTERNAL, /* -J^T w */
    TQ_LEDGER_COUNT,
} tq_ledger_entry;

/**
 * Split the torque of inverse dynamics into its terms, by Jacobians: the sum of the entries is a
 * second opinion to the recursion. A term that `without` leaves out is zero.
 *
 * Shapes   posture made with sample->q and sample->qd; ret_entries (TQ_LEDGER_COUNT x nv), entry by
 *          entry.
 * Memory   tq_ledger_scratch_size(model) bytes of `scratch`, all given back.
 * Returns  TQ_OK, TQ_ERR_SCRATCH.
 * Cost     O(nv n_joint depth): the split of Coriolis from centrifugal asks for each rate alone.
 * Source   M. Spong, S. Hutchinson, M. Vidyasagar, Robot Modeling and Control, 2006, ch. 7.
 * Checked  tests/property/core/dynamics/test_ledger.c
 */
tq_status tq_ledger(const tq_configuration *posture, const tq_sample *sample, tq_scratch *scratch,
                    double *ret_entries, tq_error *reterr);

/* Torque that comes of squares of rates alone, sum over j of Gamma_ijj qd_j^2, and that of products
 * of different ones; each (nv). */
tq_status tq_velocity_split(const tq_configuration *posture, const double *qd, tq_scratch *scratch,
                            double *ret_coriolis, double *ret_centrifugal, tq_error *reterr);

/**
 * Torque of a passivity-based controller: M qdd_ref + C qd_ref + gravity_torque, with the
 * Christoffel form of C, for which Mdot - 2 C is skew-symmetric; springs and friction are not in.
 *
 * Shapes   qd as given to the posture; qd_ref, qdd_ref, ret_tau (nv).
 * Returns  TQ_OK, TQ_ERR_SCRATCH.
 * Source   J.-J. Slotine, W. Li, On the adaptive control of robot manipulators, IJRR 6(3), 1987.
 */
tq_status tq_passivity_torque(const tq_configuration *posture, const double *qd,
                              const double *qd_ref, const double *qdd_ref, const double gravity[3],
                              tq_scratch *scratch, double *ret_tau, tq_error *reterr);

/* Scratch of any of these, on top of the posture's own. */
size_t tq_ledger_scratch_size(const tq_model *model);

#endif
