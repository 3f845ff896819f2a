/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/recorded.h - a recording in arrays, pushed into surveys and passes. */
#ifndef TQT_RECORDED_H
#define TQT_RECORDED_H

#include "core/signal/pass.h"
#include "core/signal/recording.h"
#include "tests/support/subject.h"

enum { TQT_RECORDED_PIECES = 64 };

/* A recording. Options: a 20 Hz Butterworth filter of order 4 until the test sets others. */
typedef struct tqt_recorded {
    tq_model *model; /* owned */
    tqt_subject *subject;
    tq_recording_options options;
    tq_recording recording;
    size_t n;                          /* rows, set by the test */
    size_t room;                       /* capacity, rows */
    double *t;                         /* (room) s */
    double *values;                    /* (n_channel x room) */
    void *pieces[TQT_RECORDED_PIECES]; /* of allocated memory */
    size_t n_piece;
} tqt_recorded;

/* The pendulum of tests/support/pendulum.h; bit q of `quantities`: the recording has tq_quantity q.
 */
tqt_recorded *tqt_recorded_pendulum(unsigned quantities, size_t room);
void tqt_recorded_free(tqt_recorded *recorded);

/* Row k of the first channel of a quantity. */
double *tqt_recorded_at(tqt_recorded *recorded, tq_quantity quantity, size_t k);

/* Rows [from, from + n) in the form in which they are pushed. */
typedef struct tqt_raw_rows {
    tq_raw_rows rows;
    double values[8 * TQ_RAW_ROWS], t[TQ_RAW_ROWS];
    uint64_t row[TQ_RAW_ROWS];
    unsigned char state[TQ_RAW_ROWS];
} tqt_raw_rows;
void tqt_recorded_rows(const tqt_recorded *recorded, size_t from, size_t n, tqt_raw_rows *ret);

/* Surveys all rows. */
tq_status tqt_recorded_survey(tqt_recorded *recorded, tq_recording_fault *ret_fault);
/* The first stretch of motion, in memory of `recorded`; ret->n is 0 if there is none. */
tq_status tqt_recorded_inspect(tqt_recorded *recorded, tq_uniform *ret,
                               tq_recording_fault *ret_fault);
/* A pass over the rows, or over the cache if it is used. */
tq_status tqt_recorded_pass(tqt_recorded *recorded, tq_block_sink *sink, void *ctx,
                            tq_recording_fault *ret_fault);
/* A scratch of n bytes with the lifetime of `recorded`. */
tq_scratch tqt_recorded_scratch(tqt_recorded *recorded, size_t n);

#endif
