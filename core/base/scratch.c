/* SPDX-License-Identifier: Apache-2.0 */
/* core/base/scratch.c - mark, take and rewind on memory of the caller. */
#include "core/base/scratch.h"

#include <assert.h>
#include <stdint.h>

#if defined(__SANITIZE_ADDRESS__)
#define TQ_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TQ_ASAN 1
#endif
#endif
#ifdef TQ_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, n)   ((void)(at), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(at, n) ((void)(at), (void)(n))
#endif

void tq_scratch_init(tq_scratch *scratch, void *memory, size_t size)
{
    assert(scratch != NULL);
    assert((uintptr_t)memory % TQ_SCRATCH_ALIGN == 0);
    *scratch = (tq_scratch){.memory = memory, .size = size};
    ASAN_POISON_MEMORY_REGION(memory, size);
}

size_t tq_scratch_cost(size_t n, size_t each)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(n, each, &bytes) || bytes > SIZE_MAX - TQ_SCRATCH_ALIGN) {
        return SIZE_MAX;
    }
    return (bytes + TQ_SCRATCH_ALIGN - 1) / TQ_SCRATCH_ALIGN * TQ_SCRATCH_ALIGN;
}

void *tq_scratch_take(tq_scratch *scratch, size_t n, size_t each)
{
    const size_t bytes = tq_scratch_cost(n, each);
    if (bytes > scratch->size - scratch->used) {
        return NULL;
    }
    unsigned char *at = scratch->memory + scratch->used;
    scratch->used += bytes;
    if (scratch->used > scratch->peak) {
        scratch->peak = scratch->used;
    }
    ASAN_UNPOISON_MEMORY_REGION(at, n * each);
    return at;
}

size_t tq_scratch_mark(const tq_scratch *scratch)
{
    return scratch->used;
}

void tq_scratch_rewind(tq_scratch *scratch, size_t mark)
{
    assert(mark <= scratch->used);
    ASAN_POISON_MEMORY_REGION(scratch->memory + mark, scratch->used - mark);
    scratch->used = mark;
}

void tq_scratch_set_stop(tq_scratch *scratch, int (*stop)(void *ctx), void *ctx)
{
    scratch->stop = stop;
    scratch->stop_ctx = ctx;
    scratch->worked = 0.0;
}

tq_status tq_scratch_work(tq_scratch *scratch, double work, tq_error *reterr)
{
    if (scratch->stop == NULL) {
        return TQ_OK;
    }
    if (scratch->worked >= 0.0) {
        scratch->worked += work;
        if (scratch->worked < TQ_SCRATCH_ASK_WORK) {
            return TQ_OK;
        }
        scratch->worked = scratch->stop(scratch->stop_ctx) != 0 ? -1.0 : 0.0;
    }
    return scratch->worked < 0.0 ? tq_fail(reterr, TQ_ERR_STOPPED, "stop", 0, 0.0) : TQ_OK;
}

void tq_scratch_release(void *memory, size_t size)
{
    ASAN_UNPOISON_MEMORY_REGION(memory, size);
}
