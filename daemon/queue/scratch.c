/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/queue/scratch.c - per-thread scratch that grows to need, up to a bound. */
#include "daemon/queue/scratch.h"

#include <assert.h>
#include <stdlib.h>

static size_t bound = (size_t)256 << 20;
static _Thread_local struct {
    void *bytes;
    size_t size;
} slot[TQD_SCRATCH_LEVELS];

void tqd_scratch_bound_set(size_t bytes_max)
{
    bound = bytes_max;
}

size_t tqd_scratch_bound(void)
{
    return bound;
}

void *tqd_scratch(unsigned level, size_t size)
{
    assert(level < TQD_SCRATCH_LEVELS);
    if (size <= slot[level].size && slot[level].bytes != NULL) {
        return slot[level].bytes;
    }
    if (size > bound) {
        return NULL;
    }
    /* 1.5 times the need, so that a slowly growing one does not reallocate each time */
    size_t want = size + size / 2;
    want = (want > bound ? bound : want) + TQD_SCRATCH_ALIGN;
    want &= ~(size_t)(TQD_SCRATCH_ALIGN - 1);
    free(slot[level].bytes);
    slot[level].bytes = aligned_alloc(TQD_SCRATCH_ALIGN, want);
    slot[level].size = slot[level].bytes != NULL ? want : 0;
    return slot[level].bytes;
}

enum { CHUNKS_KEPT = 4 };

static _Thread_local struct {
    void *chunk[CHUNKS_KEPT];
    size_t n;
} kept;

void *tqd_chunk_take(void)
{
    return kept.n > 0 ? kept.chunk[--kept.n] : aligned_alloc(TQD_SCRATCH_ALIGN, TQD_CHUNK_BYTES);
}

void tqd_chunk_give(void *chunk)
{
    if (chunk != NULL && kept.n < CHUNKS_KEPT) {
        kept.chunk[kept.n++] = chunk;
    } else {
        free(chunk);
    }
}

void tqd_scratch_free(void)
{
    while (kept.n > 0) {
        free(kept.chunk[--kept.n]);
    }
    for (unsigned i = 0; i < TQD_SCRATCH_LEVELS; i++) {
        free(slot[i].bytes);
        slot[i].bytes = NULL;
        slot[i].size = 0;
    }
}
