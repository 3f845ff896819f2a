/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/log_law.h - torque of joints along recorded motion: friction with a memory and by
 * load, inertia above a filter's cut-off. */
#ifndef TQ_DYNAMICS_LOG_LAW_H
#define TQ_DYNAMICS_LOG_LAW_H

#include <stdbool.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/inverse.h"
#include "core/model/mechanism.h"

/* Uniform samples of one recording, in the layout of core/base/block.h: rows of `stride`. */
typedef struct tq_log_motion {
    size_t n_sample, stride;
    const double *q;    /* (nq) */
    const double *qd;   /* (nv) */
    const double *way;  /* (nv) displacement since the previous sample; NULL: from q */
    const double *fast; /* (2 nv) acceleration above the cut-off, then its rate; NULL: unknown */
    double period;      /* s */
    bool begins;        /* no sample of this recording, or a gap, precedes the first */
} tq_log_motion;

/* Dahl's state s, in [-1, 1], after a displacement `way` since the state `last`; exact for
 * monotonic motion between them: ds = (sign(way) - s) |way| / presliding - s dt / relaxation, with
 * slip = way / presliding, creep = dt / relaxation or 0. P. Dahl, A solid friction model, Aerospace
 * Corp. TOR-158, 1968. */
double tq_dahl_state(double slip, double creep, double last);

/* The law of the first joint that has one of its own along recorded motion, or NULL. */
const tq_log_law *tq_first_log_law(const tq_model *model);

/**
 * Torques of recorded motion: begin; for blocks in their order, compute; then add, in any order.
 *
 *     tau = bodies + rotor + springs + Fv qd + (Fc + (Fs - Fc) exp(-(qd / vs)^2) + load |bodies|) s
 *           + offset + inertia a + jerk da/dt
 *
 * for joints with a law along recorded motion, in the place of their friction: compute finds what
 * depends on the past, add what depends on the bodies.
 *
 * Shapes   state (2 nv); ret_rows, rows (2 nv x stride): torque beside that of tq_friction, then
 *          the factor of |torque of bodies|; tau (nv x stride) that of tq_inverse_dynamics.
 * Returns  add: TQ_OK, TQ_ERR_SCRATCH (value: tq_log_law_scratch_size), TQ_ERR_OVERFLOW "tau".
 * Cost     An exponential a joint and sample.
 * Checked  tests/property/core/dynamics/test_log_law.c
 */
void tq_log_law_begin(const tq_model *model, double *state);
void tq_log_law_compute(const tq_mechanism *mechanism, const tq_log_motion *in, double *state,
                        double *ret_rows);
tq_status tq_log_law_add(const tq_mechanism *mechanism, const tq_inverse_input *in,
                         const double *rows, tq_scratch *scratch, double *tau, tq_error *reterr);
size_t tq_log_law_scratch_size(const tq_mechanism *mechanism, size_t stride);

#endif
