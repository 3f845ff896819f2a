/* SPDX-License-Identifier: Apache-2.0 */
/* api/memory/segments.c - the memory limit of all calls, and segments cached between calls. */
#include "api/memory/segments.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define KEPT_MAX 0 /* so that a stale pointer is detected */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KEPT_MAX 0
#endif
#endif
#ifndef KEPT_MAX
/* segments: an answer in JSON of 100,000 samples of an arm, beside its samples; a chain of 500
 * joints, of which eight blocks are 34 MB */
#define KEPT_MAX 128
#endif

static const size_t kept_max = (size_t)KEPT_MAX * TQA_SEGMENT_BYTES; /* 0 where memory is watched */

/* of all calls together */
static atomic_size_t bytes_used;
static atomic_size_t bytes_max = SIZE_MAX;

/* Segments of one size between two calls. Each place holds one or NULL; the thread that swaps it
 * out owns it. */
typedef struct pool {
    atomic_size_t n_kept;
    atomic_size_t n_least; /* minimum since the last trim: that many were unused */
    _Atomic(void *) places[KEPT_MAX + 1];
} pool;

/* of TQA_SEGMENT_BYTES, and of 1, 2, ... TQA_SEGMENT_LARGE */
enum { N_POOL = TQA_SEGMENT_LARGE_MOST + 1 };
static pool pools[N_POOL];

static atomic_size_t bytes_kept; /* by all of them */

void tqa_memory_bound_set(size_t bytes)
{
    atomic_store(&bytes_max, bytes);
}

static bool take_bytes(size_t n)
{
    const size_t max = atomic_load_explicit(&bytes_max, memory_order_relaxed);
    const size_t before = atomic_fetch_add_explicit(&bytes_used, n, memory_order_relaxed);
    if (before <= max && n <= max - before) {
        return true;
    }
    atomic_fetch_sub_explicit(&bytes_used, n, memory_order_relaxed);
    return false;
}

static void give_bytes(size_t n)
{
    atomic_fetch_sub_explicit(&bytes_used, n, memory_order_relaxed);
}

static size_t bytes_of(const pool *p)
{
    const size_t k = (size_t)(p - pools);
    return k == 0 ? TQA_SEGMENT_BYTES : k * TQA_SEGMENT_LARGE;
}

/* NULL: none is kept of this size. */
static pool *pool_of(size_t bytes)
{
    const size_t k = bytes == TQA_SEGMENT_BYTES ? 0 : bytes / TQA_SEGMENT_LARGE;
    return k < N_POOL && bytes_of(&pools[k]) == bytes ? &pools[k] : NULL;
}

/* NULL: none is kept. */
static void *take_kept(pool *from)
{
    const size_t n_place = kept_max / bytes_of(from);
    for (size_t i = 0; i < n_place && atomic_load_explicit(&from->n_kept, memory_order_relaxed) > 0;
         i++) {
        if (atomic_load_explicit(&from->places[i], memory_order_relaxed) == NULL) {
            continue;
        }
        void *segment = atomic_exchange_explicit(&from->places[i], NULL, memory_order_acquire);
        if (segment != NULL) {
            const size_t left = atomic_fetch_sub(&from->n_kept, 1) - 1;
            atomic_fetch_sub_explicit(&bytes_kept, bytes_of(from), memory_order_relaxed);
            size_t least = atomic_load(&from->n_least);
            while (left < least && !atomic_compare_exchange_weak(&from->n_least, &least, left)) {
            }
            return segment;
        }
    }
    return NULL;
}

/* False: all places are taken, or all pools keep enough. */
static bool keep(pool *to, void *segment)
{
    const size_t bytes = bytes_of(to), n_place = kept_max / bytes;
    if (atomic_fetch_add_explicit(&bytes_kept, bytes, memory_order_relaxed) + bytes <= kept_max) {
        for (size_t i = 0; i < n_place; i++) {
            void *none = NULL;
            /* counted first: n_kept may be too large for a moment, never too small */
            atomic_fetch_add(&to->n_kept, 1);
            if (atomic_compare_exchange_strong_explicit(
                    &to->places[i], &none, segment, memory_order_release, memory_order_relaxed)) {
                return true;
            }
            atomic_fetch_sub(&to->n_kept, 1);
        }
    }
    atomic_fetch_sub_explicit(&bytes_kept, bytes, memory_order_relaxed);
    return false;
}

/* Large ones, and multiples of them, are mapped by huge pages where the system has them: one fault
 * in place of 512. Where it has none the advice has no effect. */
static void *allocate(size_t bytes)
{
    if (bytes == 0 || bytes % TQA_SEGMENT_LARGE != 0) {
        return aligned_alloc(64, (bytes + 63) / 64 * 64);
    }
    void *segment = aligned_alloc(TQA_SEGMENT_LARGE, bytes);
    if (segment != NULL) {
        (void)madvise(segment, bytes, MADV_HUGEPAGE);
    }
    return segment;
}

void *tqa_segment_take(size_t bytes)
{
    if (!take_bytes(bytes)) {
        return NULL;
    }
    pool *from = pool_of(bytes);
    void *segment = from != NULL ? take_kept(from) : NULL;
    if (segment == NULL) {
        segment = allocate(bytes);
    }
    if (segment == NULL) {
        give_bytes(bytes);
    }
    return segment;
}

void tqa_segment_give(void *segment, size_t bytes)
{
    if (segment == NULL) {
        return;
    }
    give_bytes(bytes);
    pool *to = pool_of(bytes);
    if (to == NULL || !keep(to, segment)) {
        free(segment);
    }
}

void *tqa_memory_take(void)
{
    return tqa_segment_take(TQA_SEGMENT_BYTES);
}

void tqa_memory_give(void *piece)
{
    tqa_segment_give(piece, TQA_SEGMENT_BYTES);
}

size_t tqa_memory_trim(void)
{
    size_t left = 0;
    for (size_t k = 0; k < N_POOL; k++) {
        pool *from = &pools[k];
        for (size_t n = atomic_load(&from->n_least); n > 0; n--) {
            free(take_kept(from));
        }
        const size_t n_kept = atomic_load(&from->n_kept);
        atomic_store(&from->n_least, n_kept);
        left += n_kept * bytes_of(from);
    }
    return left;
}

size_t tqa_memory_kept(void)
{
    size_t kept = 0;
    for (size_t k = 0; k < N_POOL; k++) {
        kept += atomic_load_explicit(&pools[k].n_kept, memory_order_relaxed) * bytes_of(&pools[k]);
    }
    return kept;
}
