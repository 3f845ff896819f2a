/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/watch/watch.h - contacts and drift in recordings of a robot of known parameters. */
#ifndef TQ_IDENTIFY_WATCH_WATCH_H
#define TQ_IDENTIFY_WATCH_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/model/mechanism.h"
#include "core/signal/experiment.h"

enum { TQ_WATCH_EVENTS_MAX = 1000, TQ_WATCH_FRICTIONS = 3 };

/* Source of the noise (standard deviation of the observer's output without contact). */
typedef enum tq_watch_noise {
    TQ_WATCH_OF_QUIET, /* recordings without contact: their rms and largest value */
    TQ_WATCH_GIVEN,    /* deviations of a fit; correlation from medians of the watched recordings */
    TQ_WATCH_OF_LOGS,  /* medians over the watched recordings: unbiased if contact is less than
                          half */
} tq_watch_noise;

typedef struct tq_watch_plan {
    double gain; /* of the observer, 1/s */
    tq_watch_noise noise;
    const double *sigma;     /* (nv) N m or N, with TQ_WATCH_GIVEN */
    const double *threshold; /* (nv) N m or N; NULL: computed from false_alarms */
    double false_alarms;     /* per day, of all joints together */
    double persistent;       /* s: a longer event is not a contact */
    size_t n_recording;      /* number of watched recordings */
} tq_watch_plan;

typedef struct tq_watch tq_watch;

/* An interval of `duration` s from t on in which an observer exceeds its threshold. */
typedef struct tq_watch_event {
    size_t recording;
    size_t row;         /* row of torque with the largest |r| / threshold */
    double t, duration; /* s */
    double torque;      /* r at that sample, with its sign; N m or N */
    bool is_persistent;
} tq_watch_event;

typedef struct tq_watch_trend {
    double change; /* of viscous, Coulomb, offset, from the first sample to the last; NaN: not
                      determined */
    double deviation, low, high; /* interval at 95 % */
    double freedom;
    double start;        /* friction at the first sample less the model's */
    bool is_significant; /* at the level of 1 % for all joints and terms together */
} tq_watch_trend;

/**
 * Order of calls: begin; the noise pass with next and the blocks of each recording without contact,
 * or of each watched one; end_noise; next and the blocks of each watched recording; finish.
 *
 * A contact begins when |r| of a joint exceeds its threshold, and ends when |r| of all joints has
 * been below half of it for 0.1 s. In windows of at least 10 s, changes of friction are fitted to
 * r, with regressors filtered by the same low-pass, at speeds above 0.01 rad/s or m/s and outside
 * contacts; a trend over at least six windows is drift.
 *
 *     threshold = level sigma,  two-sided for nv joints: 2 nv rate(level) false alarms a sample
 *
 * Memory   begin takes tq_watch_size bytes of `memory` until the caller rewinds it.
 * Returns  TQ_OK; TQ_ERR_SHAPE "samples": the noise pass has no samples; the statuses of
 *          tq_observer.
 * Checked  tests/contract/test_residual.py
 */
tq_status tq_watch_begin(const tq_mechanism *mechanism, const tq_watch_plan *plan,
                         tq_scratch *memory, tq_watch **ret_watch, tq_error *reterr);
size_t tq_watch_size(const tq_mechanism *mechanism, const tq_watch_plan *plan);
/* A recording of about n_sample samples, `period` s apart. */
tq_status tq_watch_next(tq_watch *watch, size_t n_sample, double period, tq_error *reterr);
tq_status tq_watch_push(tq_watch *watch, const tq_experiment_block *block, const double *t,
                        tq_error *reterr);
tq_status tq_watch_end_noise(tq_watch *watch, tq_error *reterr);
void tq_watch_finish(tq_watch *watch);

typedef struct tq_watch_row {
    double sigma, correlation; /* correlation of neighbouring samples */
    double threshold;
    double false_alarms; /* per day: upper bound for Gaussian noise */
    double worst;        /* largest |r| of the watched recordings */
    tq_watch_trend trends[TQ_WATCH_FRICTIONS];
} tq_watch_row;
const tq_watch_row *tq_watch_rows(const tq_watch *watch);
/* The first TQ_WATCH_EVENTS_MAX of *ret_n events, in order of time. */
const tq_watch_event *tq_watch_events(const tq_watch *watch, size_t *ret_n);
/* Total time of the watched recordings, s. */
double tq_watch_time(const tq_watch *watch);

#endif
