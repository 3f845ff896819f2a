/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/overlap.h - a pass of two threads: the blocks of one group of rows are computed
 * with while the next group is read. */
#ifndef TQA_RECORDINGS_OVERLAP_H
#define TQA_RECORDINGS_OVERLAP_H

#include "api/recordings/recording.h"

/* Copies of the blocks of one group of rows: those of a window, and of the segments that end in
 * TQ_RAW_ROWS further rows. */
typedef struct tqa_block_group {
    unsigned char *bytes; /* records, each a head and its block's arrays */
    size_t room, used;
    size_t n; /* blocks */
} tqa_block_group;

/* Reads rows into the group's sink until it has a block. False: there are no more rows, or the
 * problem is set. */
typedef bool tqa_group_read(void *arg);

typedef struct tqa_overlap {
    const tqa_recording_receiver *receiver;
    tqa_group_read *read;
    void *read_arg;
    size_t nq, nv, n_parallel; /* rows of a block */
    size_t room_first;         /* bytes of a window's blocks at most, their heads apart */
    tqa_block_group groups[2];
    unsigned reading; /* groups[reading] is read into, the other is computed with */
    bool is_short;    /* of memory */
    bool has_more;    /* rows may be left */
    bool is_stopped;  /* by the receiver's sink */
    bool was_computed;
} tqa_overlap;

/* The groups use the memory of the pass before, and grow in it. */
void tqa_overlap_begin(tqa_overlap *overlap, const tqa_recording *recording,
                       const tq_pass_plan *plan, const tqa_recording_receiver *receiver,
                       const tqa_pass_memory *memory);
/* Leaves the groups' memory to the next pass. */
void tqa_overlap_end(const tqa_overlap *overlap, tqa_pass_memory *memory);
/* A tq_block_sink, ctx a tqa_overlap: copies a block into the group that is read. False: memory is
 * short. */
bool tqa_overlap_keep(void *ctx, const tqa_recording_block *block);

/**
 * Calls read(arg) until it returns false, and the receiver's sink with every block, in order. Both
 * run as the two iterations of the host's parallel_for, so that they take two threads or one, with
 * the same result. The receiver's `between` runs on the caller's thread.
 * Returns  false: the receiver has stopped the pass, or the host has
 */
bool tqa_overlap_run(tqa_overlap *overlap, const tqa_host *host, tqa_group_read *read, void *arg);

#endif
