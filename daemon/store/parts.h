/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/parts.h - parts of a running job in the store, which runners of any node compute.
 *
 *         open              claim               end
 *   (none) ----> PART_OPEN -------> PART_RUNNING ---> PART_DONE, with its bytes
 *                    ^                  | |
 *                    +------------------+ +---------> PART_FAILED: the job's own runner has the
 *                 end, or the lease ran out           last word
 *
 * A part has a lease and a fencing token of its own. All parts go with the end of their job. */
#ifndef TQD_STORE_PARTS_H
#define TQD_STORE_PARTS_H

#include "daemon/store/jobs.h"

typedef enum tqd_part_state {
    TQD_PART_OPEN,
    TQD_PART_RUNNING,
    TQD_PART_DONE,
    TQD_PART_FAILED,
} tqd_part_state;

/* Divides a running job into `n` parts. Parts that an earlier run has left stay, with their bytes,
 * unless another version of the program made them. OK, MISMATCH: `fence` is not that of the present
 * claim. */
typedef struct tqd_part_open {
    tqd_write write;
    const char *id;
    uint64_t fence;
    const char *version; /* of the program: parts of others are dropped */
    uint32_t n;
} tqd_part_open;

/* Takes the first part that waits, or whose lease has run out. With `id`, of the job that this
 * runner runs, and after all parts before it have ended well also one that has failed. Else of a
 * running job of this version of the program whose parts have crashed no process: greatest priority
 * first, then the job with the fewest parts running. None after a part that has failed. OK,
 * NOT_FOUND: none waits, or the node is drained. */
typedef struct tqd_part_claim {
    tqd_write write;
    const char *node, *version;
    const char *id; /* NULL: any job */
    uint64_t fence; /* of the job `id` */
    int64_t lease_ms;
    tqd_job job;         /* set */
    uint32_t part;       /* set: from 0 */
    uint64_t part_fence; /* set */
    bool is_first;       /* set: all parts before it have ended well */
} tqd_part_claim;

/* Extends the lease. OK, MISMATCH: another has the part, or its job has ended or is to be
 * cancelled. */
typedef struct tqd_part_beat {
    tqd_write write;
    const char *id;
    uint32_t part;
    uint64_t fence; /* of the part */
    int64_t lease_ms;
} tqd_part_beat;

/* Ends a claim: DONE with bytes, FAILED, or OPEN: it waits again. What is done resets the counts of
 * crashes and interruptions of the job, as a checkpoint does, unless a part that is not done has
 * crashed a process. OK, MISMATCH. */
typedef struct tqd_part_end {
    tqd_write write;
    const char *id;
    uint32_t part;
    uint64_t fence; /* of the part */
    tqd_part_state state;
    const char *bytes;
    uint64_t size;
} tqd_part_end;

/* Opens again what a former process of this node was computing for jobs, also of other nodes. A
 * crash in a part of `blamed` is counted there, and as a crash of its job unless this node ran the
 * job too (tqd_job_expire counts it then). OK. */
typedef struct tqd_part_drop {
    tqd_write write;
    const char *node;
    bool any_node;      /* as in tqd_job_expire */
    const char *blamed; /* id of a job, or NULL */
} tqd_part_drop;

/* Parts of a job by state; those whose lease has run out count as open. */
typedef struct tqd_part_counts {
    uint32_t n_open, n_running, n_done, n_failed;
} tqd_part_counts;
tqd_store_status tqd_store_parts(tqd_store *store, const char *id, tqd_part_counts *ret);

/* The bytes of a part that is done, malloc'ed. OK, NOT_FOUND. */
tqd_store_status tqd_store_part_bytes(tqd_store *store, const char *id, uint32_t part,
                                      char **ret_bytes, uint64_t *ret_size);

#endif
