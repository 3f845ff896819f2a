/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/stuck.h - columns whose value repeats although the joint moves. */
#ifndef TQ_SIGNAL_STUCK_H
#define TQ_SIGNAL_STUCK_H

#include "core/base/scratch.h"
#include "core/model/model.h"
#include "core/signal/rows.h"

/* A stretch of rows in which a column has bitwise the same value. */
typedef struct tq_stuck {
    uint32_t joint;
    bool of_torque;
    bool is_whole;   /* a position that is constant in all rows: the joint may be at rest */
    double from, to; /* s from the recording's first row */
} tq_stuck;

enum { TQ_STUCK_MAX = 4, TQ_STUCK_PAST = 2 };

/* State of one joint's columns since their last change. */
typedef struct tq_stuck_joint {
    double q, q_from, speed, tau, tau_from, least, most;
    size_t n_q, n_tau;
    double past_q[TQ_STUCK_PAST], past_t[TQ_STUCK_PAST]; /* earlier samples, at least 5 ms apart,
                                                            the latest first */
    unsigned n_past;
} tq_stuck_joint;

typedef struct tq_stuck_search {
    const tq_model *model;
    size_t n_row;
    double last_t;
    tq_stuck_joint *joints; /* (n_joint) */
    size_t n;
    tq_stuck found[TQ_STUCK_MAX]; /* the first stuck columns */
} tq_stuck_search;

/**
 * Find columns that are stuck: half a second and 30 rows of one value. Torque: the joint moves by
 * 0.2 rad or m meanwhile. Position: it is reached or left at a speed that no joint can lose or gain
 * within one row; encoder counts repeat at rest too, but a joint needs more than one row to come to
 * rest.
 *
 * Memory   begin takes tq_stuck_size(model) bytes of `memory`, for as long as the search is used.
 * Returns  begin: false if memory is short.
 * Checked  tests/unit/core/signal/test_stuck.c
 */
bool tq_stuck_begin(const tq_model *model, tq_scratch *memory, tq_stuck_search *ret);
size_t tq_stuck_size(const tq_model *model);
/* Takes good rows [first, end). */
void tq_stuck_add(tq_stuck_search *search, const tq_channels *channels, const tq_raw_rows *rows,
                  size_t first, size_t end);
void tq_stuck_end(tq_stuck_search *search);

#endif
