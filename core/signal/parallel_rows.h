/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/parallel_rows.h - functions of the motion that pass the same filter as torque:
 * parallel filtering, F[tau] = F[Y] pi. */
#ifndef TQ_SIGNAL_PARALLEL_ROWS_H
#define TQ_SIGNAL_PARALLEL_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/scratch.h"

/* A window of uniform samples; consecutive windows of a segment overlap. Rates have passed a
 * low-pass of their own, tq_recording_rate_cutoff, at up to four times the cut-off of the filter:
 * as far as they have more motion than noise there. Where noise admits nothing beyond the filter
 * they have passed the filter itself. Positions have passed the filter; displacements by recorded
 * rates and channels of unknown gains have passed nothing. */
typedef struct tq_parallel_window {
    uint64_t lowest; /* index of its first sample in the segment */
    size_t n;
    size_t stride;     /* of all arrays */
    double step;       /* s */
    const double *q;   /* (nq x stride) filtered */
    const double *qd;  /* (nv x stride) */
    const double *way; /* (nv x stride) displacement of each step by recorded rates; NULL: from q */
    const double *gains; /* (n_gain x stride) channels of unknown gains, see tq_channels */
    size_t n_gain;
} tq_parallel_window;

/* An implementation (core/identify/friction_rows.h). */
typedef struct tq_parallel_rows {
    const void *of;
    size_t n; /* number of rows */
    /* State of a pass whose windows have this stride, in size(of, stride) bytes of memory; NULL:
     * memory is short. */
    size_t (*size)(const void *of, size_t stride);
    void *(*begin)(const void *of, size_t stride, tq_scratch *memory);
    void (*segment)(void *state); /* called when a segment begins */
    /* ret (n x stride) */
    void (*compute)(void *state, const tq_parallel_window *window, double *ret);
} tq_parallel_rows;

#endif
