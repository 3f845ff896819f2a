/* SPDX-License-Identifier: Apache-2.0 */
/* api/memory.h - the budget of sample memory that all calls share. */
#ifndef TQA_MEMORY_H
#define TQA_MEMORY_H

#include <stddef.h>

/* Limit of the sample arrays and answer texts of all calls together: a call beyond it is answered
 * "try again". Any thread; unbounded until it is set. */
void tqa_memory_bound_set(size_t bytes_max);
/* A piece of the same memory, for an answer's text: TQA_MEMORY_PIECE bytes. NULL: beyond the bound.
 * Any thread. */
enum { TQA_MEMORY_PIECE = 512 << 10 };
void *tqa_memory_take(void);
void tqa_memory_give(void *piece); /* accepts NULL */
/* Bytes cached for later calls, not counted in that limit: 32 MiB at most, of all sizes together.
 * Any thread. */
size_t tqa_memory_kept(void);
/* Frees cached bytes unused since the last call of this function, and returns the rest: call it
 * every few seconds while memory is cached. Any thread. */
size_t tqa_memory_trim(void);

#endif
