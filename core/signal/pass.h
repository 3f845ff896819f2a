/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/pass.h - one pass over a recording: raw rows in, blocks of filtered uniform samples
 * out. */
#ifndef TQ_SIGNAL_PASS_H
#define TQ_SIGNAL_PASS_H

#include "core/base/scratch.h"
#include "core/signal/experiment.h"
#include "core/signal/filter.h"
#include "core/signal/parallel_rows.h"
#include "core/signal/recording.h"

/* A block of samples. Borrowed for the call. */
typedef struct tq_recording_block {
    tq_experiment_block data; /* tau and tau_raw are NULL if the recording has no torque */
    const double *t;          /* (n_sample) s from the recording's first row */
    const uint64_t *row;      /* (n_sample) nearest row of the file, from 0 */
} tq_recording_block;
/* Returns false to stop the pass. */
typedef bool tq_block_sink(void *ctx, const tq_recording_block *block);

typedef enum tq_pass_kind {
    TQ_PASS_INSPECT, /* only the first stretch of motion, unfiltered: tq_pass_uniform */
    TQ_PASS_BLOCKS,
} tq_pass_kind;

/* Sizes of a pass, by the recording's clock and the options. */
typedef struct tq_pass_plan {
    tq_pass_kind kind;
    const tq_parallel_rows *parallel; /* NULL: none */
    tq_filter filter;
    bool has_rates;      /* parallel rows are functions of rates that pass less of a filter: */
    tq_filter rates;     /* this one; of no sections: none */
    size_t n_own;        /* joints with a cut-off of their own; their motion passes it last */
    size_t own_border;   /* as border, by the slowest of them; shorter segments have `filter` */
    size_t context;      /* samples on each side that a filtered sample depends on */
    size_t border;       /* samples next to the ends of a segment that are left out */
    size_t least_border; /* likewise of a short segment: tq_recording_border */
    size_t n_row;        /* rows of a window */
    size_t n_uniform;    /* samples of a window, upper bound */
    size_t size;         /* bytes of memory */
} tq_pass_plan;

/* parallel: rows for a fit, borrowed until the end of the pass; not used without a filter or
 * without torque; NULL: none. Returns TQ_OK, or TQ_ERR_RANGE with *ret_fault: the filter or the
 * delay is not possible with this clock. */
tq_status tq_pass_prepare(const tq_recording *recording, tq_pass_kind kind,
                          const tq_parallel_rows *parallel, tq_pass_plan *ret,
                          tq_recording_fault *ret_fault);

typedef struct tq_pass tq_pass;

/**
 * Begin a pass; push rows in the order of the file; end it. In windows of rows outliers are removed
 * (Hampel identifier); rows are sorted by time, unwrapped, resampled to the uniform grid (cubic for
 * motion, linear for torque), filtered with zero phase, differentiated, decimated, and passed to
 * `sink` in blocks. Windows overlap by the filter's settling length, so that results depend on the
 * windows by 1e-12 of the signal at most. Counts in the recording are those of the last pass.
 *
 * Memory   begin takes plan->size bytes of `memory`, until the end. Nothing grows with the rows.
 * Returns  TQ_OK; TQ_ERR_STOPPED: the sink returned false; TQ_ERR_SCRATCH
 * Cost     About 0.2 us a row and channel.
 * Checked  tests/unit/core/signal/test_pass.c, tests/unit/api/recordings/test_recording.c
 */
tq_status tq_pass_begin(tq_recording *recording, const tq_pass_plan *plan, tq_block_sink *sink,
                        void *ctx, tq_scratch *memory, tq_pass **ret, tq_error *reterr);
tq_status tq_pass_push(tq_pass *pass, const tq_raw_rows *rows);
tq_status tq_pass_end(tq_pass *pass);

/* TQ_PASS_INSPECT: the stretch of motion once it is complete; further rows have no effect. NULL:
 * not complete. */
const tq_uniform *tq_pass_uniform(const tq_pass *pass);

#endif
