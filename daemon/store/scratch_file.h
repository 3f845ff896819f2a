/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/scratch_file.h - a running job's scratch file, which survives checkpoints and
 * restarts of the process. */
#ifndef TQD_STORE_SCRATCH_FILE_H
#define TQD_STORE_SCRATCH_FILE_H

#include "daemon/store/store.h"

/* The file of one job. Used by one thread at a time, which may block on the disk. */
typedef struct tqd_scratch_file tqd_scratch_file;

/* Opens the job's file, or creates an empty one. A run of the job that lost its lease and still has
 * it open continues on a private copy. In a store that nodes share, the file begins as the last
 * sync of any claim left it, on any node, and `fence` is that of this claim. NULL with the reason.
 */
tqd_scratch_file *tqd_scratch_file_open(tqd_store *store, const char *job, uint64_t fence,
                                        tqd_store_status *ret_status);

/* Writes n bytes at `offset`, at most the present end, and truncates the file after them. OK, QUOTA
 * (all files together), NO_SPACE, BROKEN, MISMATCH: a hole. */
tqd_store_status tqd_scratch_file_write(tqd_scratch_file *file, uint64_t offset, const void *bytes,
                                        size_t n);

/* Bytes read, fewer than n only at the end; -1 after a read error. */
long tqd_scratch_file_read(const tqd_scratch_file *file, uint64_t offset, void *bytes, size_t n);

/* Makes all bytes written so far durable: fsync, or in the shared store. MISMATCH: the claim is
 * over. */
tqd_store_status tqd_scratch_file_sync(tqd_scratch_file *file);

void tqd_scratch_file_close(tqd_scratch_file *file); /* accepts NULL */

/* Removes the file of a job that has ended, if any. */
void tqd_scratch_file_remove(tqd_store *store, const char *job);

/* Removes the files of jobs that are neither queued nor running. Once after start, and when jobs
 * may have ended without their runner. */
void tqd_scratch_file_sweep(tqd_store *store);

#endif
