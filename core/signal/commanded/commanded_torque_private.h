/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/commanded/commanded_torque_private.h - the state between runs of rows. */
#ifndef TQ_SIGNAL_COMMANDED_COMMANDED_TORQUE_PRIVATE_H
#define TQ_SIGNAL_COMMANDED_COMMANDED_TORQUE_PRIVATE_H

#include <math.h>

#include "core/base/block.h"
#include "core/signal/commanded/commanded_torque.h"
#include "core/signal/commanded/integral.h"

_Static_assert((int)TQ_RAW_ROWS <= (int)TQ_BLOCK, "a run of rows is a block");

/* What differences are taken of, a row of TQ_RAW_ROWS numbers for each joint. */
typedef enum tq_commanded_series {
    TQ_SERIES_ERROR,
    TQ_SERIES_COMMAND,
    TQ_SERIES_COMMANDED_RATE,
    TQ_SERIES_POSITION,
    TQ_SERIES_COUNT,
} tq_commanded_series;

/* The last row waits for the next, of which its rate depends. */
struct tq_commanded {
    tq_commanded_setup setup;
    size_t nv;
    bool *is_angle;  /* (nv) may jump by a whole turn */
    double *command; /* (TQ_COMMANDS nv x TQ_RAW_ROWS) 0 where it is not recorded */
    double *series;  /* (TQ_SERIES_COUNT nv x TQ_RAW_ROWS) */
    double *before;  /* (TQ_SERIES_COUNT nv) of the row before the run, */
    double t_before; /* its time */
    uint64_t before_row;
    bool has_before;
    double *held; /* (n_channel + TQ_COMMANDS nv): a row that waits */
    double held_t;
    uint64_t held_row;
    unsigned char held_state;
    bool has_held;
    double *motion; /* (4 nv x TQ_BLOCK_STRIDE) q, qd, qdd, tau of the controller's model */
    double *one;    /* (4 nv x TQ_BLOCK_PAD) the same of a single row */
    tq_error_integral integral;
    tq_scratch scratch;
};

static inline double tq_nearest_turn(double x)
{
    static const double turn = 2.0 * M_PI;
    return x - turn * round(x / turn);
}

/* Torque of n rows by the law, with the integral after it, before limits. */
tq_status tq_commanded_law_compute(tq_commanded *c, const tq_raw_run *run, size_t n,
                                   tq_error *reterr);

#endif
