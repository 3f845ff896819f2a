/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/checkpoint.h - the head of a checkpoint: the program that wrote it, and a checksum of
 * the spool at that time. Private to this folder. */
#ifndef TQD_JOBS_CHECKPOINT_H
#define TQD_JOBS_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>
#define XXH_STATIC_LINKING_ONLY /* for the state as a type of known size */
#include <xxhash.h>

#include "daemon/store/scratch_file.h"

/* Checksum of a spool's first `size` bytes; all zero: of no bytes. */
typedef struct tqd_spool_sum {
    uint64_t size;
    XXH3_state_t state;
} tqd_spool_sum;

/* A checkpoint with another layout, or another checksum of the spool, is not valid. */
typedef struct tqd_checkpoint_head {
    char magic[8], version[24];
    uint64_t spool_size;
    XXH128_canonical_t spool_sum;
} tqd_checkpoint_head;

/* Computes the checksum of the first `size` bytes: continues from the present position, or restarts
 * if that is beyond `size`. False: the file is shorter, cannot be read, or memory is short. */
bool tqd_spool_sum_to(tqd_spool_sum *sum, const tqd_scratch_file *aside, uint64_t size);
/* Adds n bytes that follow those already summed. */
void tqd_spool_sum_add(tqd_spool_sum *sum, const void *bytes, size_t n);

tqd_checkpoint_head tqd_checkpoint_head_of(const tqd_spool_sum *sum);
/* True if this version of the program wrote it. */
bool tqd_checkpoint_is_own(const tqd_checkpoint_head *head);
/* True if the spool begins with the bytes that the checkpoint records: `sum` is then their
 * checksum. `aside` may be NULL if it records none. */
bool tqd_checkpoint_has_spool(const tqd_checkpoint_head *head, const tqd_scratch_file *aside,
                              tqd_spool_sum *sum);

#endif
