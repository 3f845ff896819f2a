/* SPDX-License-Identifier: Apache-2.0 */
/* core/integrate/embedded_pair.h - one step of an embedded Runge-Kutta pair for a block: each
 * trajectory has its own time, step and error. */
#ifndef TQ_INTEGRATE_EMBEDDED_PAIR_H
#define TQ_INTEGRATE_EMBEDDED_PAIR_H

#include "core/plant/plant.h"

/* Two explicit Runge-Kutta formulae with common stages. */
typedef struct tq_pair {
    unsigned n_stage, order;
    const double *c, *a; /* nodes; coefficients (n_stage x n_stage) */
    const double *b, *d; /* weights of the solution and of the error estimate's second formula */
    double share;        /* fraction of the tolerance per step */
} tq_pair;
extern const tq_pair tq_pair_dopri45, tq_pair_dopri87;

/* States of a block as one array of rows: nq of q, nv of qd, n_z of z. Arrays are the caller's. */
typedef struct tq_pair_step {
    size_t n_sample, stride;
    const double *y;      /* (n x stride) at t */
    double *held;         /* (n_held x stride), or NULL */
    const double *varied; /* as in tq_trajectories, or NULL */
    const double *t;      /* (stride) s */
    const double *h;      /* (stride) s; 0: this trajectory makes no step */
    const double *stop;   /* (stride) s: effects that change at this time keep their earlier
                             values */
    double rtol;
    const double *atol; /* (n) */
    double *ret_y;      /* (n x stride) at t + h, projected */
    double *ret_error;  /* (stride) weighted RMS error; <= 1: within the tolerance; may be NaN */
} tq_pair_step;

/**
 * Try one step of each trajectory.
 *
 * Shapes   Padding up to the next multiple of TQ_BLOCK_PAD must be filled in y, t, h and stop.
 * Memory   tq_pair_scratch_size bytes of `scratch`, all released.
 * Bits     A trajectory has the same bits alone and in any block, if the effects do.
 * Returns  TQ_OK, or the status of tq_plant_rate or tq_plant_project.
 * Cost     n_stage evaluations of tq_plant_rate.
 * Source   E. Hairer, S. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 1993, II.4.
 * Checked  tests/property/core/ensemble/test_pair.c
 */
tq_status tq_pair_try(const tq_plant *plant, const tq_pair *pair, const tq_pair_step *step,
                      tq_scratch *scratch, tq_error *reterr);

/* Initial step of each trajectory from its first and second derivative: writes ret_h (stride). Uses
 * y, held, t, stop, rtol and atol of `step`, and ret_y as working memory. */
tq_status tq_pair_first(const tq_plant *plant, const tq_pair *pair, const tq_pair_step *step,
                        tq_scratch *scratch, double *ret_h, tq_error *reterr);

size_t tq_pair_scratch_size(const tq_plant *plant, const tq_pair *pair, size_t stride);

#endif
