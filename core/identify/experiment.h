/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/experiment.h - measured motion on a clean clock, as fits and judges take it. */
#ifndef TQ_IDENTIFY_EXPERIMENT_H
#define TQ_IDENTIFY_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/block.h"

/* Some samples of one experiment, in the layout of core/base/block.h. q, qd, qdd and tau have been
 * through the same filter; every number is finite. Torques of mimicking joints are the master's.
 * Arrays are borrowed for the call. */
typedef struct tq_experiment_block {
    size_t n_sample; /* 1 .. TQ_BLOCK */
    size_t stride;   /* multiple of TQ_BLOCK_PAD, >= n_sample; of all arrays */
    const double *q;
    const double *qd;      /* (nv x stride) */
    const double *qdd;     /* (nv x stride) */
    const double *tau;     /* (nv x stride) N m or N, on the joint's side of the gear */
    const double *tau_raw; /* (nv x stride) before the filter, what judges compare with; NULL: tau
                              */
    const double *fast; /* (2 nv x stride) what the filter took off the acceleration, then its rate
                           of change; NULL: not known */
    /* (nv x stride) rad or m that joints of one freedom have gone since the sample before, before
     * any filter: it rings where a joint stops, and friction would remember that. NULL: as q says
     */
    const double *way;
    double period; /* s between samples; 0: not known, and nothing relaxes */
    bool begins;   /* a gap lies before the first sample: nothing remembers what was before it */
    /* (tq_shape_count(fit) x stride) shapes of friction (core/identify/friction_regressor.h) that
     * have been
     * through the filter as torque has; the same for all blocks of an experiment. NULL: those of
     * qd and way as they are. Judges, whose torque is unfiltered, have none. */
    const double *shape;
} tq_experiment_block;

#endif
