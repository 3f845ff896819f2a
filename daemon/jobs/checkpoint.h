/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/checkpoint.h - what precedes the bytes of a checkpoint: which program wrote
 * them, and the sum of what the spool held then. Private to this folder. */
#ifndef TQD_JOBS_CHECKPOINT_H
#define TQD_JOBS_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>
#define XXH_STATIC_LINKING_ONLY /* the state as a type whose size is known */
#include <xxhash.h>

#include "daemon/store/scratch_file.h"

/* The sum of a spool's first `size` bytes; all zero: of none. */
typedef struct tqd_spool_sum {
    uint64_t size;
    XXH3_state_t state;
} tqd_spool_sum;

/* Another layout of bytes or another sum of a spool: not a checkpoint of this program. */
typedef struct tqd_checkpoint_head {
    char magic[8], version[24];
    uint64_t spool_size;
    XXH128_canonical_t spool_sum;
} tqd_checkpoint_head;

/* The sum is that of the first `size` bytes: goes on from where it is, or begins anew where it is
 * beyond. False: the file is shorter, cannot be read, or memory is short. */
bool tqd_spool_sum_to(tqd_spool_sum *sum, const tqd_scratch_file *aside, uint64_t size);
/* `n` bytes more follow what is summed. */
void tqd_spool_sum_add(tqd_spool_sum *sum, const void *bytes, size_t n);

tqd_checkpoint_head tqd_checkpoint_head_of(const tqd_spool_sum *sum);
/* Of this version of the program. */
bool tqd_checkpoint_is_own(const tqd_checkpoint_head *head);
/* The spool begins with the bytes that the checkpoint records: `sum` is theirs then. `aside` may
 * be NULL when it records none. */
bool tqd_checkpoint_has_spool(const tqd_checkpoint_head *head, const tqd_scratch_file *aside,
                              tqd_spool_sum *sum);

#endif
