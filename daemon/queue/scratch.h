/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/queue/scratch.h - working memory that belongs to the running thread and is kept. */
#ifndef TQD_QUEUE_SCRATCH_H
#define TQD_QUEUE_SCRATCH_H

#include <stddef.h>

/* Level 0 is for the work itself, level 1 for the bodies of its parallel_for, and so on. */
enum { TQD_SCRATCH_LEVELS = 3, TQD_SCRATCH_ALIGN = 64 };

/* At least `size` bytes of this thread's memory, 64-byte aligned, contents undefined; valid until
 * the next call with the same level. NULL above the bound or when memory is short. Cost: a compare
 * once it has grown. */
void *tqd_scratch(unsigned level, size_t size);

/* Bound for one level of one thread, in bytes; set once before any thread starts. */
void tqd_scratch_bound_set(size_t bytes_max);

/* A chunk of TQD_CHUNK_BYTES, 64-byte aligned, contents undefined: for what one exchange needs from
 * its first header to its last byte. A few that were given back stay with the thread, so that a
 * short request allocates nothing. NULL when memory is short; any thread may give it back. */
enum { TQD_CHUNK_BYTES = 64 << 10 };
void *tqd_chunk_take(void);
void tqd_chunk_give(void *chunk); /* accepts NULL */

/* Gives this thread's memory back; every thread that took some calls it before it returns. */
void tqd_scratch_free(void);

#endif
