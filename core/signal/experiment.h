/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/experiment.h - measured motion on a uniform time grid, the input of fits and
 * residuals. */
#ifndef TQ_SIGNAL_EXPERIMENT_H
#define TQ_SIGNAL_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/block.h"

/* Samples of one experiment, in the layout of core/base/block.h. q, qd, qdd and tau are filtered by
 * the same filter; every number is finite. Torques of mimic joints are the master's. Arrays are
 * borrowed for the call. */
typedef struct tq_experiment_block {
    size_t n_sample; /* 1 .. TQ_BLOCK */
    size_t stride;   /* multiple of TQ_BLOCK_PAD, >= n_sample; of all arrays */
    const double *q;
    const double *qd;      /* (nv x stride) */
    const double *qdd;     /* (nv x stride) */
    const double *tau;     /* (nv x stride) N m or N, on the joint's side of the gear */
    const double *tau_raw; /* (nv x stride) unfiltered torque, the reference of residuals; NULL:
                              tau */
    const double *fast;    /* (2 nv x stride) high-frequency part of the acceleration (removed by
                           the filter), then its rate; NULL: unknown */
    /* (nv x stride) unfiltered displacement, rad or m, since the previous sample (one-dof joints).
     * Filtered displacement rings at standstill and would corrupt the friction state. NULL: from q
     */
    const double *way;
    double period; /* s between samples; 0: unknown, and friction does not relax */
    bool begins;   /* the block starts after a gap: friction states are reset */
    /* (tq_friction_row_count(fit) x stride) friction regressors
     * (core/identify/friction_regressor.h), filtered as the torque; for all blocks of an experiment
     * or for none. NULL: they are computed from qd and way. Blocks for residuals use unfiltered
     * torque and have none. */
    const double *friction_rows;
} tq_experiment_block;

#endif
