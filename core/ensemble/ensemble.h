/* SPDX-License-Identifier: Apache-2.0 */
/* core/ensemble/ensemble.h - many trajectories of one plant in parallel, by fixed steps or with
 * step control per trajectory. */
#ifndef TQ_ENSEMBLE_ENSEMBLE_H
#define TQ_ENSEMBLE_ENSEMBLE_H

#include <stdint.h>

#include "core/integrate/embedded_pair.h"
#include "core/integrate/fixed_step.h"
#include "core/simulate/run.h"

/* Common settings of all members. Borrowed. */
typedef struct tq_ensemble {
    const tq_plant *plant;
    const tq_pair *pair;      /* adaptive steps for each member; NULL: fixed steps */
    double rtol, atol;        /* pair: as in tq_run_options */
    double max_step;          /* s, pair; 0: none */
    uint64_t max_evaluations; /* per member, pair; 0: unlimited */
    tq_fixed_method method;   /* without pair */
    double step;              /* s, the maximum: intervals between stops have equal steps */
    size_t n_output;          /* >= 1 */
    const double *times;      /* (n_output) s, increasing; members start at the first */

    /* Called every ASK_STEPS steps, on the calling thread; non-zero stops the run. NULL: never. */
    int (*stopped)(void *ctx);
    void *ctx;
} tq_ensemble;

/* Members of one block; all memory is the caller's. */
typedef struct tq_members {
    size_t n_member, stride; /* as n_sample and stride of a block */
    double *q, *qd;          /* initial states; changed */
    double *z, *held;        /* as in tq_trajectories; held values without a sample function are
                          constants: parameters of a member that act through an effect */
    double *varied;          /* (tq_varied_rows x stride) inertial and friction parameters of each
                          member, see core/dynamics/varied.h; changed; NULL: all alike. No
                          constraints */
    double *ret_rows;  /* (n_output x (nq + nv) x stride): q, then qd; NAN after a member's end */
    double *ret_ended; /* (n_member) s at which a member ended; INFINITY: it ran to the end */
    double *ret_end;   /* (n_member) a tq_run_end: TQ_RUN_RUNAWAY: a velocity above 1e6,
                          TQ_RUN_REFUSED: no acceleration, TQ_RUN_TOO_SMALL, TQ_RUN_TOO_MUCH;
                          TQ_RUN_GOES_ON: it ran to the end */
} tq_members;

/**
 * Simulate the members of a block to the last output.
 *
 * Steps end exactly at outputs, samples and breaks of the effects. A member that has ended is
 * frozen and with fixed steps costs as much as before; the others are not affected. Joints do not
 * stick: dry friction is evaluated by its formula.
 *
 * Memory   tq_ensemble_scratch_size(ensemble, stride) bytes of `scratch`, all released.
 * Bits     A member has the same bits alone and in any block, if the effects do.
 * Returns  TQ_OK; TQ_ERR_NO_CONVERGENCE "stopped": by `stopped`; TQ_ERR_SCRATCH; the status of an
 *          effect or of the first rate for the whole block.
 * Cost     As tq_fixed_step, or as tq_pair_try, for each step.
 * Checked  tests/property/core/ensemble/test_ensemble.c
 */
tq_status tq_ensemble_run(const tq_ensemble *ensemble, const tq_members *members,
                          tq_scratch *scratch, tq_error *reterr);
size_t tq_ensemble_scratch_size(const tq_ensemble *ensemble, size_t stride);

/* Constant torques that differ between members: an effect that adds its auxiliary state k, which is
 * constant, to row rows[k] of tau. */
typedef struct tq_offsets {
    size_t n;
    const uint32_t *rows;
} tq_offsets;
tq_effect tq_offsets_effect(tq_offsets *offsets);

#endif
