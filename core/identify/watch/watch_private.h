/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/watch/watch_private.h - the state of a watch: private to this folder. */
#ifndef TQ_IDENTIFY_WATCH_WATCH_PRIVATE_H
#define TQ_IDENTIFY_WATCH_WATCH_PRIVATE_H

#include "core/identify/watch/observer.h"
#include "core/identify/watch/watch.h"

enum {
    TQ_WATCH_KEPT = 4096, /* values kept for each joint, for medians */
    TQ_WATCH_WINDOWS = 24,
    TQ_WATCH_COLUMNS = TQ_WATCH_FRICTIONS + 1, /* columns: viscous, Coulomb, offset, residual */
    TQ_WATCH_GRAM = TQ_WATCH_COLUMNS * TQ_WATCH_COLUMNS,
};

typedef struct tq_watch_sums {
    double n, square, product, worst, last;
    size_t n_kept;
    double *kept, *steps; /* (TQ_WATCH_KEPT) |r| and |r_k - r_k-1| */
} tq_watch_sums;

struct tq_watch {
    const tq_mechanism *mechanism;
    tq_watch_plan plan;
    tq_observer *observer;
    size_t nv;
    double *r; /* (nv x TQ_BLOCK_STRIDE) */
    bool begins[TQ_BLOCK];
    bool finds; /* the second pass: contacts are detected */
    double period, shortest;
    size_t n_transient, n_since_gap; /* samples after a gap: not evaluated; so far */
    size_t every, seen;
    tq_watch_sums *sums; /* (nv) */
    tq_watch_row *rows;  /* (nv) */
    /* contacts */
    tq_watch_event *events; /* (TQ_WATCH_EVENTS_MAX) */
    size_t n_event, recording;
    tq_watch_event now;
    double ratio, below; /* of the current contact: largest |r| / threshold; last time above half of
                            the threshold */
    bool is_open;
    /* drift */
    size_t each, used, n_window, first, expected; /* windows of a recording: maximum, used */
    double *grams;                                /* (windows x nv x TQ_WATCH_GRAM) */
    double *times;                                /* (windows x 2) sum, count */
    double *lagged; /* (2 nv) speed and sign filtered by the observer's low-pass */
    double *before; /* (2 nv) the same at the last sample, unfiltered */
    double time;    /* s, total of the recordings that have ended */
    double last;
};

/* Adds sample i of a block to the current window. */
void tq_watch_add_friction(tq_watch *watch, const tq_experiment_block *block, size_t i,
                           const double *t, bool is_free);
/* Trends of friction over the windows. */
void tq_watch_find_trends(tq_watch *watch);

#endif
