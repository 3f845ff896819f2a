/* SPDX-License-Identifier: Apache-2.0 */
/* api/memory/segments.h - memory for arrays of samples: bounded over all calls, and kept for a
 * while for the next call. */
#ifndef TQA_MEMORY_SEGMENTS_H
#define TQA_MEMORY_SEGMENTS_H

#include <stddef.h>

#include "api/memory.h"

/* Segments of these sizes are kept: fresh pages cost a call three times what its numbers do. Large
 * ones are huge pages where the system allows (transparent_hugepage: always or madvise). */
enum {
    TQA_SEGMENT_BYTES = TQA_MEMORY_PIECE,
    TQA_SEGMENT_LARGE = 2 << 20, /* and multiples of it, up to */
    TQA_SEGMENT_LARGE_MOST = 8,  /* a block of 4,095 rows is 8.6 MB */
};

/* `bytes` bytes, aligned to 64, not initialised. NULL: beyond the bound of all calls together, or
 * no memory. Any thread. */
void *tqa_segment_take(size_t bytes);
/* Takes back what tqa_segment_take(bytes) gave; accepts NULL. Any thread. */
void tqa_segment_give(void *segment, size_t bytes);

#endif
