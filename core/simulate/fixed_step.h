/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/fixed_step.h - steps of one size for a block of trajectories side by side. */
#ifndef TQ_SIMULATE_FIXED_STEP_H
#define TQ_SIMULATE_FIXED_STEP_H

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/forward.h"
#include "core/model/mechanism.h"

typedef enum tq_fixed_method {
    TQ_FIXED_RK4,           /* Runge's and Kutta's classical method: order 4 */
    TQ_FIXED_SEMI_IMPLICIT, /* velocities first, then coordinates with the new ones: order 1,
                                energy bounded for small steps */
} tq_fixed_method;

/* Torques at a time and state, for a block: writes ret_tau (nv x stride). Must not fail: what can
 * be refused is refused before the run. */
typedef void (*tq_torque_at)(void *ctx, double t, size_t n_sample, size_t stride, const double *q,
                             const double *qd, double *ret_tau);

/* The states of a block of trajectories, the caller's. */
typedef struct tq_trajectories {
    size_t n_sample, stride;
    double *q, *qd; /* (nq x stride), (nv x stride) */
} tq_trajectories;

/* What moves. Borrowed. */
typedef struct tq_plant {
    const tq_mechanism *mechanism;
    const double *gravity; /* 3; NULL: the model's */
    unsigned without;      /* TQ_WITHOUT_... */
    tq_torque_at torque;   /* NULL: none */
    void *torque_ctx;
} tq_plant;

/**
 * Take one step of all trajectories of a block.
 *
 * Shapes   state->q and state->qd, in and out; padding beyond n_sample is computed too.
 * Memory   tq_fixed_step_scratch_size(mechanism, stride) bytes of `scratch`, all given back.
 * Bits     A trajectory gives the same bits alone and in any block.
 * Returns  TQ_OK, or what tq_forward_dynamics says, with its index: the trajectory. q and qd are
 *          then unchanged.
 * Cost     Four evaluations of tq_forward_dynamics, or one.
 * Source   E. Hairer, S. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 1993, II.1;
 *          E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2006, I.1.
 * Checked  tests/property/core/simulate/test_fixed_step.c
 */
tq_status tq_fixed_step(const tq_plant *plant, tq_fixed_method method, double t, double h,
                        const tq_trajectories *state, tq_scratch *scratch, tq_error *reterr);
size_t tq_fixed_step_scratch_size(const tq_mechanism *mechanism, size_t stride);

#endif
