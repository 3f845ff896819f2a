/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/queue/scratch.h - thread-local working memory, reused between calls. */
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
size_t tqd_scratch_bound(void);

/* A chunk of TQD_CHUNK_BYTES, 64-byte aligned, contents undefined: the memory of one exchange from
 * first header to last byte. Each thread keeps a few free chunks, so that a short request allocates
 * nothing. NULL: out of memory. Any thread may free it. */
enum { TQD_CHUNK_BYTES = 64 << 10 };
void *tqd_chunk_take(void);
void tqd_chunk_give(void *chunk); /* accepts NULL */

/* Frees this thread's memory; every thread that used some calls it before it returns. */
void tqd_scratch_free(void);

#endif
