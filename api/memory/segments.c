/* SPDX-License-Identifier: Apache-2.0 */
/* api/memory/segments.c - what all calls may take, and whole segments between two calls. */
#include "api/memory/segments.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define KEPT_MAX 0 /* so that a stale pointer shows */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KEPT_MAX 0
#endif
#endif
#ifndef KEPT_MAX
#define KEPT_MAX 64 /* two batches of 100,000 samples of an arm */
#endif

/* of all calls together */
static atomic_size_t bytes_used;
static atomic_size_t bytes_max = SIZE_MAX;

static const size_t kept_max = KEPT_MAX; /* 0 where memory is watched */

/* Each place holds a segment or NULL; whoever swaps it out owns it. */
static _Atomic(void *) places[KEPT_MAX + 1];
static atomic_size_t n_kept;
static atomic_size_t n_least; /* the fewest since the last trim: those were not needed */

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

/* NULL: none is kept. */
static void *take_kept(void)
{
    for (size_t i = 0; i < kept_max && atomic_load_explicit(&n_kept, memory_order_relaxed) > 0;
         i++) {
        if (atomic_load_explicit(&places[i], memory_order_relaxed) == NULL) {
            continue;
        }
        void *segment = atomic_exchange_explicit(&places[i], NULL, memory_order_acquire);
        if (segment != NULL) {
            const size_t left = atomic_fetch_sub(&n_kept, 1) - 1;
            size_t least = atomic_load(&n_least);
            while (left < least && !atomic_compare_exchange_weak(&n_least, &least, left)) {
            }
            return segment;
        }
    }
    return NULL;
}

/* False: all places are taken. */
static bool keep(void *segment)
{
    for (size_t i = 0; i < kept_max; i++) {
        void *none = NULL;
        /* counted first: n_kept may be too large for a moment, never too small */
        atomic_fetch_add(&n_kept, 1);
        if (atomic_compare_exchange_strong_explicit(&places[i], &none, segment,
                                                    memory_order_release, memory_order_relaxed)) {
            return true;
        }
        atomic_fetch_sub(&n_kept, 1);
    }
    return false;
}

void *tqa_segment_take(size_t bytes)
{
    if (!take_bytes(bytes)) {
        return NULL;
    }
    void *segment = bytes == TQA_SEGMENT_BYTES ? take_kept() : NULL;
    if (segment == NULL) {
        segment = aligned_alloc(64, (bytes + 63) / 64 * 64);
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
    if (bytes != TQA_SEGMENT_BYTES || !keep(segment)) {
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
    for (size_t n = atomic_load(&n_least); n > 0; n--) {
        free(take_kept());
    }
    const size_t left = atomic_load(&n_kept);
    atomic_store(&n_least, left);
    return left * TQA_SEGMENT_BYTES;
}

size_t tqa_memory_kept(void)
{
    return atomic_load_explicit(&n_kept, memory_order_relaxed) * TQA_SEGMENT_BYTES;
}
