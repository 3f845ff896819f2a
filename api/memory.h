/* SPDX-License-Identifier: Apache-2.0 */
/* api/memory.h - the budget of sample memory that all calls share. */
#ifndef TQA_MEMORY_H
#define TQA_MEMORY_H

#include <stddef.h>

/* How much the sample arrays of all calls and the texts of their answers may take together: a call
 * beyond it is answered "try again". Any thread; unbounded until it is set. */
void tqa_memory_bound_set(size_t bytes_max);
/* A piece of the same memory, for an answer's text: TQA_MEMORY_PIECE bytes. NULL: beyond the bound.
 * Any thread. */
enum { TQA_MEMORY_PIECE = 512 << 10 };
void *tqa_memory_take(void);
void tqa_memory_give(void *piece); /* accepts NULL */
/* Bytes that are kept for next calls, not counted there: 32 MiB at most, of all sizes together. Any
 * thread. */
size_t tqa_memory_kept(void);
/* Frees those that no call has needed since the last time, and returns what is left: to be
 * called every few seconds while something is kept. Any thread. */
size_t tqa_memory_trim(void);

#endif
