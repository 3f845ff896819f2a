/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/scratch_file.h - bytes beside a running job, from its start to its end: over
 * checkpoints
 * and over the end of the process. */
#ifndef TQD_STORE_SCRATCH_FILE_H
#define TQD_STORE_SCRATCH_FILE_H

#include "daemon/store/store.h"

/* One file of one job. Used by one thread at a time, which may wait for the disk. */
typedef struct tqd_scratch_file tqd_scratch_file;

/* What the job has, or an empty one. A run of the job that lost its lease and still has it open
 * goes on with a file of its own. NULL with the reason. */
tqd_scratch_file *tqd_scratch_file_open(tqd_store *store, const char *job,
                                        tqd_store_status *ret_status);

/* The bytes from `offset` on are these and no others; `offset` is at most the present end. OK,
 * QUOTA (all files together), NO_SPACE, BROKEN, MISMATCH: a hole. */
tqd_store_status tqd_scratch_file_write(tqd_scratch_file *aside, uint64_t offset, const void *bytes,
                                        size_t n);

/* Bytes read, fewer than n only at the end; -1 when the disk fails. */
long tqd_scratch_file_read(const tqd_scratch_file *aside, uint64_t offset, void *bytes, size_t n);

/* All written so far is durable. */
tqd_store_status tqd_scratch_file_sync(tqd_scratch_file *aside);

void tqd_scratch_file_close(tqd_scratch_file *aside); /* accepts NULL */

/* The job has ended: removes what it had, if anything. */
void tqd_scratch_file_remove(tqd_store *store, const char *job);

/* Removes the files of jobs that neither wait nor run. Once after start, and when jobs may have
 * ended without their runner. */
void tqd_scratch_file_sweep(tqd_store *store);

#endif
