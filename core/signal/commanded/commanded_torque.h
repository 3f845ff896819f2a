/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/commanded/commanded_torque.h - torque of recordings that have none, by the law of
 * their controller along commanded and measured motion. */
#ifndef TQ_SIGNAL_COMMANDED_COMMANDED_TORQUE_H
#define TQ_SIGNAL_COMMANDED_COMMANDED_TORQUE_H

#include "core/base/scratch.h"
#include "core/model/mechanism.h"
#include "core/signal/rows.h"

/* With e = q_cmd - q (angles: to the nearest turn), s the integral of e, and M, n of the
 * controller's own model:
 *
 *     PD          tau = kp e + kd e' + ki s + tau_ff
 *     PD_GRAVITY  tau = kp e + kd e' + ki s + gravity and springs at q + tau_ff
 *     COMPUTED    tau = M(q) (qdd_cmd + kp e + kd e' + ki s) + n(q, qd) + tau_ff */
typedef enum tq_commanded_kind {
    TQ_COMMANDED_PD,
    TQ_COMMANDED_PD_GRAVITY,
    TQ_COMMANDED_COMPUTED,
} tq_commanded_kind;
/* Arrays in the robot's order. Borrowed. */
typedef struct tq_commanded_law {
    tq_commanded_kind kind;
    const double *kp, *kd; /* (nv) > 0, >= 0 */
    const double *ki;      /* (nv) >= 0, of s, which is 0 at a recording's first row; NULL: none */
    const double *limit;   /* (nv) of torque, N m or N, or INFINITY */
    /* (n_gain) of PD and PD_GRAVITY that are not known: kp, kd, ki have their start, the last
     * channels of a recording what they are multiplied with; NULL: none */
    const tq_unknown_gain *unknown;
    size_t n_unknown;
} tq_commanded_law;

/* What is commanded: position, rate, feed-forward torque. */
typedef enum tq_command {
    TQ_COMMAND_Q,
    TQ_COMMAND_QD,
    TQ_COMMAND_TAU_FF,
    TQ_COMMANDS,
} tq_command;

/* One recording. Borrowed until its last row. */
typedef struct tq_commanded_setup {
    const tq_mechanism *mechanism; /* the controller's model; each joint of one freedom: nq = nv */
    const tq_commanded_law *law;
    const tq_channels *channels; /* of the recording, with tau, which is written */
    bool has_rate;               /* qd_cmd is recorded */
} tq_commanded_setup;

/* Commanded and measured motion of a joint over a recording: sums over its good rows. */
typedef struct tq_commanded_sums {
    double n, q, q_square, error_square;
} tq_commanded_sums;

typedef struct tq_commanded tq_commanded;

/* Bytes of memory that tq_commanded_begin takes. */
size_t tq_commanded_size(const tq_commanded_setup *setup);
/* All rows from the first one on. NULL: `memory` is too small. */
tq_commanded *tq_commanded_begin(const tq_commanded_setup *setup, tq_scratch *memory);

/* Where the caller writes command `of` of joint r (a row of the robot's v): TQ_RAW_ROWS numbers
 * beside the rows of the run, in rad, m, s, N m, N; 0 where nothing is written. */
double *tq_commanded_row(const tq_commanded *c, tq_command of, size_t r);

/* Begins a run with the row that waits. Returns the number of rows in the run, 0 or 1. */
size_t tq_commanded_resume(tq_commanded *c, tq_raw_run *run);

/**
 * Compute the torque of a run of rows.
 *
 * Rates e', qd and acceleration qdd_cmd are the recorded ones, or derivatives of the parabola
 * through three neighbouring rows,
 *
 *     x' = (h2 d1 + h1 d2) / (h1 + h2),   x'' = 2 (d2 - d1) / (h1 + h2)
 *
 * with steps h1, h2 of time and slopes d1, d2 to the rows before and after; of first order where
 * one neighbour is missing. So the last row waits for the one after it. Where the torque of the
 * law reaches a limit the row is TQ_ROW_SATURATED, and the integral does not grow into it.
 *
 * Shapes   run: *inout_n rows with their motion; out: those whose torque is there, one less if
 *          `more` rows may follow. sums (nv), to which good rows are added; NULL: not wanted.
 * Units    rad, m, s, N m, N.
 * Memory   Nothing beside that of tq_commanded_begin.
 * Returns  TQ_OK, or the status of tq_inverse_dynamics.
 * Cost     Without ki tq_inverse_dynamics of the run, but for PD; COMPUTED with ki: of each row by
 *          itself, as the integral depends on the torque of the row before.
 * Source   B. Siciliano et al., Robotics: Modelling, Planning and Control, 2009, 8.5; integral.h.
 * Checked  tests/unit/core/signal/commanded/test_commanded_torque.c,
 *          tests/contract/test_calibrate_commanded.py, tests/contract/test_calibrate_integral.py
 */
tq_status tq_commanded_compute(tq_commanded *c, tq_raw_run *run, size_t *inout_n, bool more,
                               tq_commanded_sums *sums, tq_error *reterr);

/* The longest step of time between two rows so far that the integral was continued over, s; 0
 * without ki. */
double tq_commanded_longest_step(const tq_commanded *c);

/* True if a joint does not follow its command: the root mean square of e is above the deviation of
 * q, and that above 1e-3 rad or m. Both are written. */
bool tq_commanded_is_off(const tq_commanded_sums *sums, double *ret_error, double *ret_deviation);

#endif
