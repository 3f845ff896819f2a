/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/run_balance.h - energy and momentum balance of a whole run, out of its rows. */
#ifndef TQ_PLANT_RUN_BALANCE_H
#define TQ_PLANT_RUN_BALANCE_H

#include "core/plant/audit.h"

/* Consecutive rows of a run, each a state with what acts on it. Borrowed. */
typedef struct tq_run_rows {
    const double *rows; /* (n x width): t, q, qd ... */
    size_t n;           /* 1 .. TQ_BLOCK */
    size_t width;
    size_t audited; /* where in a row z of the audit, qdd and wrench (6 n_wrench) begin */
    bool is_first, is_last;
} tq_run_rows;

typedef struct tq_run_balance {
    tq_balance start, end;
    double kinetic_max, residual, residual_max; /* J; residual: of the last row */
    double z[TQ_AUDIT_ROWS_MAX];                /* of the audit, at the last row */
    double momentum_residual[3];                /* kg m/s, at the end */
} tq_run_balance;

/**
 * Add rows to the balance of a run, in their order, from the first to the last.
 *
 *     residual = (E - E0) - (work - dissipated + external) of each row
 *
 * Shapes   plant: its last effect is the audit; *inout is all 0 before the first rows.
 * Units    s, rad, m, J, kg m/s.
 * Memory   tq_run_balance_scratch_size(plant) bytes of `scratch`, all released.
 * Returns  TQ_OK, or the status of tq_audit_balance and tq_audit_energy: an energy overflows, and
 *          there is no balance.
 * Cost     tq_energy of the block; tq_audit_balance at both ends of the run.
 * Source   audit.h.
 * Checked  tests/property/core/plant/test_run_balance.c
 */
tq_status tq_run_balance_add(const tq_plant *plant, const tq_run_rows *rows, tq_scratch *scratch,
                             tq_run_balance *inout, tq_error *reterr);
size_t tq_run_balance_scratch_size(const tq_plant *plant);

#endif
