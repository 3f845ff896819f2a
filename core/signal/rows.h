/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/rows.h - raw rows of a recording in SI units, the input of surveys and passes. */
#ifndef TQ_SIGNAL_ROWS_H
#define TQ_SIGNAL_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TQ_RAW_ROWS = 256 }; /* maximum rows of a push, and the stride of channels */

typedef enum tq_quantity {
    TQ_QUANTITY_Q,
    TQ_QUANTITY_QD,
    TQ_QUANTITY_QDD,
    TQ_QUANTITY_TAU,
    TQ_QUANTITIES,
} tq_quantity;

typedef enum tq_gain_kind { TQ_GAIN_KP, TQ_GAIN_KD, TQ_GAIN_KI } tq_gain_kind;
/* A gain k of a controller's law, of which torque of a recording is made (core/signal/commanded),
 * that is not known: torque is that of `start`, and a pass adds `change` times the gain's channel,
 * so that torque is that of k = start + change. */
typedef struct tq_unknown_gain {
    tq_gain_kind kind;
    uint32_t joint;
    size_t row;           /* of the joint's torque */
    double start, change; /* N m/rad, N m s/rad, N m/(rad s); a prismatic joint's: N/m ... */
    double before;        /* `change` before the simulations of a fit */
    bool is_held;         /* no column of a fit: it sets the scale of others */
    bool is_loose; /* the recordings do not show its scale: what a fit says that has failed */
} tq_unknown_gain;

/* The channels of a recording: rows of q, then of the other quantities that it has, each in the
 * order of the robot's coordinates; last, what unknown gains are multiplied with: e, e' or s. */
typedef struct tq_channels {
    size_t n;
    bool has[TQ_QUANTITIES];
    size_t first[TQ_QUANTITIES];
    size_t first_gain, n_gain;
    bool twists_missing; /* qd is that of joints without quaternions alone: other rows are 0 */
} tq_channels;

typedef enum tq_row_state {
    TQ_ROW_GOOD,
    TQ_ROW_NOT_FINITE,
    TQ_ROW_ABSURD,
    TQ_ROW_SATURATED, /* its torque is at a limit, and therefore not known */
    TQ_ROW_NOT_UNIT,  /* a quaternion is none */
} tq_row_state;

/* Consecutive rows. Borrowed for the call. */
typedef struct tq_raw_rows {
    size_t n;                   /* 1 .. TQ_RAW_ROWS */
    const double *values;       /* (n_channel x TQ_RAW_ROWS) rad, m, s, N m, N */
    const double *t;            /* (n) s from the recording's first row */
    const uint64_t *row;        /* (n) row number in the file, from 0, increasing */
    const unsigned char *state; /* (n) tq_row_state */
    bool all_good;              /* all states are TQ_ROW_GOOD */
} tq_raw_rows;

/* Room for TQ_RAW_ROWS rows that are being filled; the arrays of tq_raw_rows. The memory is the
 * caller's. */
typedef struct tq_raw_run {
    double *values;
    double *t;
    uint64_t *row;
    unsigned char *state;
} tq_raw_run;

/* Marks rows whose values x (n) of a quantity are not finite, or beyond the range of any robot
 * (1e4 rad, m, rad/s, m/s; 1e6 otherwise). */
void tq_rows_check(tq_quantity quantity, size_t n, const double *x, unsigned char *inout_state);
/* Scales n quaternions w x y z (inout_q: 4 rows, TQ_RAW_ROWS apart) to length 1: few digits make
 * them slightly longer or shorter. Those off by more than 1 % are none: TQ_ROW_NOT_UNIT. */
void tq_rows_scale_quaternion(size_t n, double *inout_q, unsigned char *inout_state);
/* True if each of n states is TQ_ROW_GOOD. */
bool tq_rows_all_good(size_t n, const unsigned char *state);

#endif
