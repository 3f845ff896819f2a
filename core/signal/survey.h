/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/survey.h - the first pass over a recording: clock, rest and motion, standstills,
 * cached rows. */
#ifndef TQ_SIGNAL_SURVEY_H
#define TQ_SIGNAL_SURVEY_H

#include "core/signal/recording.h"

/* State of a survey: range of positions over a group of rows. */
typedef struct tq_survey {
    tq_recording *recording;
    double *least, *most; /* (nq) */
    size_t n;
    uint64_t first;
    double first_t;
    bool any;   /* some group has moved */
    bool moved; /* the previous group has moved */
    uint64_t before;
} tq_survey;

/**
 * Begin a survey; push all rows in order, whatever their state; end it.
 *
 * Memory   tq_survey_size(recording) bytes of `memory`, for as long as the recording is used.
 *          Standstills need more: when a push returns with *inout_at < rows->n, and before the end,
 *          the caller gives tq_survey_wants(survey) bytes, unless that is 0.
 * Returns  TQ_OK or TQ_ERR_SCRATCH
 * Checked  tests/unit/core/signal/test_survey.c
 */
tq_status tq_survey_begin(tq_recording *recording, tq_scratch *memory, tq_survey *ret,
                          tq_error *reterr);
size_t tq_survey_size(const tq_recording *recording);
size_t tq_survey_wants(const tq_survey *survey);
void tq_survey_give(tq_survey *survey, void *memory);
/* Takes rows from *inout_at on, and advances it. */
tq_status tq_survey_push(tq_survey *survey, const tq_raw_rows *rows, size_t *inout_at,
                         tq_error *reterr);
/* recording->n_row must be set. Returns TQ_OK, TQ_ERR_SCRATCH, or TQ_ERR_RANGE with *ret_fault. */
tq_status tq_survey_end(tq_survey *survey, tq_recording_fault *ret_fault, tq_error *reterr);

/* rad or m: a joint moves when its range exceeds this */
#define TQ_SURVEY_MOVES 5e-4

#endif
