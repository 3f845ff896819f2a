/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/ahead.h - rows of a recording in groups: one is computed with while the next is
 * read. */
#ifndef TQA_RECORDINGS_AHEAD_H
#define TQA_RECORDINGS_AHEAD_H

#include "api/recordings/parts.h"

enum { TQA_RUNS_MAX = 32 }; /* of a group */

/* Consecutive runs of rows. */
typedef struct tqa_run_group {
    size_t n;
    tq_raw_rows rows[TQA_RUNS_MAX];
    tq_raw_run memory[TQA_RUNS_MAX];
} tqa_run_group;

/* What receives groups, in order. */
typedef struct tqa_group_receiver {
    /* on any thread, while the next group is read: neither the request's tree nor its problem may
     * be used */
    void (*compute)(void *ctx, const tqa_run_group *group);
    /* on the caller's thread, after it. False: no more groups. */
    bool (*between)(void *ctx, const tqa_run_group *group);
    void *ctx;
} tqa_group_receiver;

/**
 * Reads all rows in groups of up to TQA_RUNS_MAX runs. Reading and `compute` run as the two
 * iterations of the host's parallel_for, so that they take two threads or one, with the same
 * result. Where a run of rows is larger than 1 MiB (509 channels) they are read and computed with
 * one after another.
 *
 * Memory   two groups of at most 1 MiB each
 * Returns  false: the receiver or the host has stopped it, or the problem is set
 */
bool tqa_recording_rows_ahead(tqa_recording_rows *rows, const tqa_group_receiver *receiver);

#endif
