/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/short_memory.h - interposes malloc: selected allocations fail. */
#ifndef TQT_SHORT_MEMORY_H
#define TQT_SHORT_MEMORY_H

/* To be included by one file of a test program, which then fails each allocation in turn: the first
 * allocation of a call fails, then the second, and so on until the call makes no more allocations.
 * This covers every failure of a single allocation, the same in every run. Only the armed thread is
 * affected. */

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#if defined(__clang__) && defined(__SANITIZE_ADDRESS__)
#error "clang's AddressSanitizer is linked in, and cannot be interposed"
#elif defined(__SANITIZE_ADDRESS__)
void *__interceptor_malloc(size_t n);
void *__interceptor_calloc(size_t n, size_t each);
void *__interceptor_realloc(void *p, size_t n);
void *__interceptor_aligned_alloc(size_t align, size_t n);
#define TQT_REAL_MALLOC        __interceptor_malloc
#define TQT_REAL_CALLOC        __interceptor_calloc
#define TQT_REAL_REALLOC       __interceptor_realloc
#define TQT_REAL_ALIGNED_ALLOC __interceptor_aligned_alloc
#else
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t each);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);
#define TQT_REAL_MALLOC        __libc_malloc
#define TQT_REAL_CALLOC        __libc_calloc
#define TQT_REAL_REALLOC       __libc_realloc
#define TQT_REAL_ALIGNED_ALLOC __libc_memalign
#endif

/* AddressSanitizer allocates before it is initialised */
#if defined(__SANITIZE_ADDRESS__)
#define TQT_UNWATCHED __attribute__((no_sanitize("address", "undefined")))
#else
#define TQT_UNWATCHED
#endif

/* volatile: compilers treat malloc as a builtin and assume that it reads no global variable */
static _Thread_local volatile struct {
    bool is_armed;
    size_t n;     /* allocations since tqt_short_begin */
    size_t first; /* the first one that fails, from 1 */
    size_t many;  /* number of those that fail */
} tqt_short;

/* Stacks of the allocations of one call: which are the first of theirs. */
enum { TQT_STACKS_MAX = 1 << 14, TQT_STACK_DEPTH = 16 };
static struct {
    bool records;
    bool is_first[TQT_STACKS_MAX]; /* of allocation 1, 2, ... */
    uint64_t seen[TQT_STACKS_MAX];
    size_t n_seen;
} tqt_stacks;

/* Library functions that do not check an allocation: not part of this project. */
static const char *const tqt_short_spared[] = {
    "erkStep_Init", "arkStep_Init" /* SUNDIALS 6.4: the list of a step's stages */
};

static bool tqt_short_spares(void *caller)
{
    Dl_info info;
    if (dladdr(caller, &info) == 0 || info.dli_sname == NULL) {
        return false;
    }
    bool spared = false;
    for (size_t i = 0; i < sizeof tqt_short_spared / sizeof tqt_short_spared[0]; i++) {
        spared = spared || strcmp(info.dli_sname, tqt_short_spared[i]) == 0;
    }
    return spared;
}

typedef struct tqt_stack {
    uint64_t hash;
    int depth;
} tqt_stack;

TQT_UNWATCHED static _Unwind_Reason_Code tqt_short_frame(struct _Unwind_Context *context, void *of)
{
    tqt_stack *stack = of;
    stack->hash = (stack->hash ^ (uint64_t)_Unwind_GetIP(context)) * 1099511628211u;
    return ++stack->depth < TQT_STACK_DEPTH ? _URC_NO_REASON : _URC_END_OF_STACK;
}

TQT_UNWATCHED static void tqt_short_record(void)
{
    tqt_stack stack = {.hash = 14695981039346656037u};
    tqt_short.is_armed = false; /* the unwinder may allocate */
    (void)_Unwind_Backtrace(tqt_short_frame, &stack);
    tqt_short.is_armed = true;
    const uint64_t hash = stack.hash;
    if (tqt_short.n >= TQT_STACKS_MAX) {
        return;
    }
    for (size_t i = 0; i < tqt_stacks.n_seen; i++) {
        if (tqt_stacks.seen[i] == hash) {
            return;
        }
    }
    tqt_stacks.seen[tqt_stacks.n_seen++] = hash;
    tqt_stacks.is_first[tqt_short.n] = true;
}

TQT_UNWATCHED static bool tqt_short_fails(void *caller)
{
    if (!tqt_short.is_armed) {
        return false;
    }
    tqt_short.n++;
    if (tqt_stacks.records) {
        tqt_short_record();
    }
    const bool fails = tqt_short.n >= tqt_short.first &&
                       tqt_short.n - tqt_short.first < tqt_short.many && !tqt_short_spares(caller);
    if (fails) {
        errno = ENOMEM;
    }
    return fails;
}

TQT_UNWATCHED void *malloc(size_t n)
{
    return tqt_short_fails(__builtin_return_address(0)) ? NULL : TQT_REAL_MALLOC(n);
}

TQT_UNWATCHED void *calloc(size_t n, size_t each)
{
    return tqt_short_fails(__builtin_return_address(0)) ? NULL : TQT_REAL_CALLOC(n, each);
}

TQT_UNWATCHED void *realloc(void *p, size_t n)
{
    return tqt_short_fails(__builtin_return_address(0)) ? NULL : TQT_REAL_REALLOC(p, n);
}

TQT_UNWATCHED void *aligned_alloc(size_t align, size_t n)
{
    return tqt_short_fails(__builtin_return_address(0)) ? NULL : TQT_REAL_ALIGNED_ALLOC(align, n);
}

/* From here on allocation k and the many - 1 after it fail. */
static void tqt_short_begin(size_t k, size_t many)
{
    tqt_short.n = 0;
    tqt_short.first = k;
    tqt_short.many = many;
    tqt_short.is_armed = true;
}

/* Allocations since tqt_short_begin: fewer than k means that none has failed. */
static size_t tqt_short_end(void)
{
    tqt_short.is_armed = false;
    tqt_stacks.records = false;
    return tqt_short.n;
}

/* Until tqt_short_end: which allocations have a stack that no earlier one had. */
static inline void tqt_short_record_stacks(void)
{
    memset(&tqt_stacks, 0, sizeof tqt_stacks);
    tqt_stacks.records = true;
}

/* False: an earlier allocation of the recorded call had the same stack. */
static inline bool tqt_short_is_first(size_t k)
{
    return k >= TQT_STACKS_MAX || tqt_stacks.is_first[k];
}

/* Between these two calls allocations of the test itself do not fail and are not counted. */
static inline bool tqt_short_pause(void)
{
    const bool was = tqt_short.is_armed;
    tqt_short.is_armed = false;
    return was;
}

static inline void tqt_short_resume(bool was)
{
    tqt_short.is_armed = was;
}

#endif
