/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/overlap.h - a pass of two threads: the blocks of one group of rows are computed
 * with while the next group is read. */
#ifndef TQA_RECORDINGS_OVERLAP_H
#define TQA_RECORDINGS_OVERLAP_H

#include "api/recordings/recording.h"

/* Blocks of one group of rows. */
typedef struct tqa_block_group {
    size_t n;
    tqa_recording_block *blocks; /* (room), with pointers into numbers and rows */
    double *numbers;             /* (room x n_number) */
    uint64_t *rows;              /* (room x TQ_BLOCK) */
} tqa_block_group;

/* Reads rows into the group's sink until it has a block. False: there are no more rows, or the
 * problem is set. */
typedef bool tqa_group_read(void *arg);

typedef struct tqa_overlap {
    const tqa_recording_receiver *receiver;
    tqa_group_read *read;
    void *read_arg;
    size_t room;     /* blocks of a group, upper bound */
    size_t n_number; /* doubles of a block: its arrays, then t */
    tqa_block_group groups[2];
    unsigned reading; /* groups[reading] is read into, the other is computed with */
    bool is_full;     /* a group had no room: its bound is wrong */
    bool has_more;    /* rows may be left */
    bool is_stopped;  /* by the receiver's sink */
    bool was_computed;
} tqa_overlap;

/* Bytes of both groups of a pass. */
size_t tqa_overlap_size(const tqa_recording *recording, const tq_pass_plan *plan);
/* Takes them out of `memory`. False: it is short. */
bool tqa_overlap_begin(tqa_overlap *overlap, const tqa_recording *recording,
                       const tq_pass_plan *plan, const tqa_recording_receiver *receiver,
                       tq_scratch *memory);
/* A tq_block_sink, ctx a tqa_overlap: copies a block into the group that is read. */
bool tqa_overlap_keep(void *ctx, const tqa_recording_block *block);

/**
 * Calls read(arg) until it returns false, and the receiver's sink with every block, in order. Both
 * run as the two iterations of the host's parallel_for, so that they take two threads or one, with
 * the same result. The receiver's `between` runs on the caller's thread.
 * Returns  false: the receiver has stopped the pass, or the host has
 */
bool tqa_overlap_run(tqa_overlap *overlap, const tqa_host *host, tqa_group_read *read, void *arg);

#endif
