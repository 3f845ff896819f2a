/* SPDX-License-Identifier: Apache-2.0 */
/* core/ensemble/ensemble.h - many trajectories of one plant side by side, by equal steps or each by
 * its own. */
#ifndef TQ_ENSEMBLE_ENSEMBLE_H
#define TQ_ENSEMBLE_ENSEMBLE_H

#include <stdint.h>

#include "core/integrate/embedded_pair.h"
#include "core/integrate/fixed_step.h"
#include "core/simulate/run.h"

/* What all members have in common. Borrowed. */
typedef struct tq_ensemble {
    const tq_plant *plant;
    const tq_pair *pair;      /* each member by adaptive steps of its own; NULL: by equal steps */
    double rtol, atol;        /* pair: as in tq_run_options */
    double max_step;          /* s, pair; 0: none */
    uint64_t max_evaluations; /* of a member, pair; 0: no bound */
    tq_fixed_method method;   /* else */
    double step;              /* s, the largest: stretches between stops have equal steps */
    size_t n_output;          /* >= 1 */
    const double *times;      /* (n_output) s, increasing; members start at the first */

    /* Asked now and then between steps, on the thread that runs; not 0: stop. NULL: never. */
    int (*stopped)(void *ctx);
    void *ctx;
} tq_ensemble;

/* Members of one block; all the caller's. */
typedef struct tq_members {
    size_t n_member, stride; /* as n_sample and stride of a block */
    double *q, *qd;          /* the starts; changed */
    double *z, *held;  /* as in tq_trajectories; held values that no sample writes stay as they
                                are: what differs from member to member and acts through an effect */
    double *varied;    /* (tq_varied_rows x stride) members of other masses and friction, see
                                core/dynamics/varied.h; changed; NULL: all alike. No constraints */
    double *ret_rows;  /* (n_output x (nq + nv) x stride): q, then qd; NAN once ended */
    double *ret_ended; /* (n_member) s after which a member means nothing; INFINITY: it ran to the
                                end */
    double *ret_end;   /* (n_member) why, a tq_run_end: TQ_RUN_RUNAWAY: a velocity above 1e6,
                                TQ_RUN_REFUSED: no acceleration, TQ_RUN_TOO_SMALL, TQ_RUN_TOO_MUCH;
                                TQ_RUN_GOES_ON: it ran to the end */
} tq_members;

/**
 * Run the members of a block to the last output.
 *
 * Steps land on outputs, on samples and on breaks of the effects. A member that ends stands still
 * from then on, and by equal steps costs as much as before; the others never notice. Joints do not
 * stick: dry friction is what its formula says.
 *
 * Memory   tq_ensemble_scratch_size(ensemble, stride) bytes of `scratch`, all given back.
 * Bits     A member gives the same bits alone and in any block, if the effects do.
 * Returns  TQ_OK; TQ_ERR_NO_CONVERGENCE "stopped": `stopped` said so; TQ_ERR_SCRATCH; what an
 *          effect or the first rate of the start says of the whole block.
 * Cost     As tq_fixed_step, or as tq_pair_try, for each step.
 * Checked  tests/property/core/ensemble/test_ensemble.c
 */
tq_status tq_ensemble_run(const tq_ensemble *ensemble, const tq_members *members,
                          tq_scratch *scratch, tq_error *reterr);
size_t tq_ensemble_scratch_size(const tq_ensemble *ensemble, size_t stride);

/* Torques that differ from member to member and stay: an effect that adds its auxiliary state k,
 * which never changes, to row rows[k] of tau. */
typedef struct tq_offsets {
    size_t n;
    const uint32_t *rows;
} tq_offsets;
tq_effect tq_offsets_effect(tq_offsets *offsets);

#endif
