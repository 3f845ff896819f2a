/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/audit.h - energy and momentum balance of a run: an effect that only observes. */
#ifndef TQ_PLANT_AUDIT_H
#define TQ_PLANT_AUDIT_H

#include <stdbool.h>

#include "core/plant/plant.h"

/* Rows of the audit's auxiliary states: time integrals to the integrator's accuracy. */
enum {
    TQ_AUDIT_WORK = 0,       /* of the torques, J */
    TQ_AUDIT_DISSIPATED = 1, /* by friction, and at limits, J */
    TQ_AUDIT_EXTERNAL = 2,   /* work of external wrenches, J */
    TQ_AUDIT_ENERGY_ROWS = 3,
    TQ_AUDIT_BASE = 3, /* impulse of the base reaction on the robot, world axes, N s (3 rows) */
    TQ_AUDIT_PUSH = 6, /* impulse of external forces, world axes, N s (3 rows) */
    TQ_AUDIT_ROWS_MAX = 9,
};

/* What is audited. Borrowed. */
typedef struct tq_audit {
    const tq_plant *plant; /* the plant that contains the effect */
    bool with_momentum;    /* also the rows from TQ_AUDIT_BASE on: one more recursion per step */
} tq_audit;

/* The effect; must be the last of the plant. It borrows the audit, its ctx. */
tq_effect tq_audit_effect(tq_audit *audit);

/* Terms of the balance at one time. */
typedef struct tq_balance {
    double kinetic, potential; /* J; potential includes springs, kinetic includes rotors */
    double momentum[3];        /* linear, world axes, kg m/s */
    double base[6];            /* reaction of the base on the robot (f, m) about the root link's
                                  origin, world axes */
    double mass;               /* kg, of all links */
} tq_balance;

/**
 * Energies, momentum and base reaction of one trajectory at one state.
 *
 * Shapes   q (nq), qd, qdd (nv), wrench (6 n_wrench, as computed by the effects; NULL if
 *          none). Terms that the plant omits (springs, rotors, gravity) are omitted here.
 * Memory   tq_audit_scratch_size(plant) bytes of `scratch`, all released.
 * Returns  TQ_OK, or the status of tq_energy and tq_reactions.
 * Cost     O(n_joint).
 * Checked  tests/property/core/plant/test_audit.c
 */
tq_status tq_audit_balance(const tq_plant *plant, const double *q, const double *qd,
                           const double *qdd, const double *wrench, tq_scratch *scratch,
                           tq_balance *ret_balance, tq_error *reterr);
size_t tq_audit_scratch_size(const tq_plant *plant);

/**
 * Energies of a block of states: kinetic, then potential, without the terms that the plant omits.
 *
 * Shapes   q (nq x stride), qd (nv x stride), padded; ret_energy (2 x stride).
 * Memory   tq_energy_scratch_size bytes of `scratch`, all released.
 * Returns  as tq_energy.
 */
tq_status tq_audit_energy(const tq_plant *plant, size_t n_sample, size_t stride, const double *q,
                          const double *qd, tq_scratch *scratch, double *ret_energy,
                          tq_error *reterr);

/* Residual of E - E0 = work - dissipated + external, J; z of the audit at that time. */
double tq_audit_energy_residual(const tq_balance *start, const tq_balance *now, const double *z);

/* Residual of p - p0 = base impulse + external impulse + mass gravity t, kg m/s (3); the mass less
 * what gravity compensation carries. */
void tq_audit_momentum_residual(const tq_plant *plant, double t, const tq_balance *start,
                                const tq_balance *now, const double *z, double ret_residual[3]);

#endif
