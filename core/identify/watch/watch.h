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
    TQ_WATCH_OF_QUIET, /* recordings without contact: rms, and their worst */
    TQ_WATCH_GIVEN,    /* deviations of a fit; correlation by medians of the recordings watched */
    TQ_WATCH_OF_LOGS,  /* medians over the recordings: unbiased while contact is under half */
} tq_watch_noise;

typedef struct tq_watch_plan {
    double gain; /* of the observer, 1/s */
    tq_watch_noise noise;
    const double *sigma;     /* (nv) N m or N, of TQ_WATCH_GIVEN */
    const double *threshold; /* (nv) N m or N; NULL: by false_alarms */
    double false_alarms;     /* a day, of all joints together */
    double persistent;       /* s: what lasts longer is no contact */
    size_t n_recording;      /* recordings in which contacts are sought */
} tq_watch_plan;

typedef struct tq_watch tq_watch;

/* Beyond a threshold, from t on for `duration` s. */
typedef struct tq_watch_event {
    size_t recording;
    size_t row;         /* of torque: the largest over its threshold */
    double t, duration; /* s */
    double torque;      /* largest, with its sign; N m or N */
    bool is_persistent;
} tq_watch_event;

typedef struct tq_watch_trend {
    double change; /* of viscous, Coulomb, offset from the first sample to the last; NaN: none */
    double deviation, low, high; /* interval at 95 % */
    double freedom;
    double start;        /* of the friction, beyond the model's, at the first sample */
    bool is_significant; /* at 1 % for all joints and terms together */
} tq_watch_trend;

/**
 * Begin; the noise pass: next and blocks of each quiet recording, or of those watched; end_noise;
 * then next and blocks of each recording watched; finish.
 *
 * A contact begins where a joint's observer leaves its threshold, and ends once all have been below
 * half of it for 0.1 s. Friction of windows of time is fitted to what the observer leaves, by
 * regressors through the same lag, at speeds above 0.01 rad/s or m/s and without contacts; a trend
 * over the windows, of 10 s and more and at least six, is drift.
 *
 *     threshold = level sigma,  nv of them two-sided: 2 nv rate(level) of samples are false alarms
 *
 * Memory   begin takes tq_watch_size bytes of `memory` until the caller rewinds it.
 * Returns  TQ_OK; TQ_ERR_SHAPE "samples": the noise pass has none; the statuses of tq_observer.
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
    double sigma, correlation; /* of neighbouring samples */
    double threshold;
    double false_alarms; /* a day, at most, were the noise Gaussian */
    double worst;        /* largest |r| of the recordings watched */
    tq_watch_trend trends[TQ_WATCH_FRICTIONS];
} tq_watch_row;
const tq_watch_row *tq_watch_rows(const tq_watch *watch);
/* The first TQ_WATCH_EVENTS_MAX of *ret_n, in order of time. */
const tq_watch_event *tq_watch_events(const tq_watch *watch, size_t *ret_n);
/* Time watched, s. */
double tq_watch_time(const tq_watch *watch);

#endif
