/* SPDX-License-Identifier: Apache-2.0 */
/* core/base/scratch.h - an arena of bounded size: allocation in order, release back to a mark; and
 * cancellation of the computation that uses it. */
#ifndef TQ_BASE_SCRATCH_H
#define TQ_BASE_SCRATCH_H

#include <stddef.h>

#include "core/base/status.h"

enum { TQ_SCRATCH_ALIGN = 64 }; /* a cache line, and the widest lane vector */

/* Owned by one thread at a time. The memory is the caller's. */
typedef struct tq_scratch {
    unsigned char *memory;
    size_t size;            /* bytes in `memory` */
    size_t used;            /* bytes taken, a multiple of TQ_SCRATCH_ALIGN */
    size_t peak;            /* largest `used` since init */
    int (*stop)(void *ctx); /* non-zero cancels the computation; NULL: never */
    void *stop_ctx;
    double worked; /* multiplications since the last call of stop; negative: cancelled */
} tq_scratch;

/* Puts `size` bytes at `memory` (aligned to TQ_SCRATCH_ALIGN) under management. */
void tq_scratch_init(tq_scratch *scratch, void *memory, size_t size);

/* Takes n * each bytes, aligned to TQ_SCRATCH_ALIGN; not cleared. NULL when they do not fit. */
void *tq_scratch_take(tq_scratch *scratch, size_t n, size_t each);

/* Current level, for tq_scratch_rewind. */
size_t tq_scratch_mark(const tq_scratch *scratch);

/* Releases everything taken since `mark`. Under AddressSanitizer the bytes are poisoned. */
void tq_scratch_rewind(tq_scratch *scratch, size_t mark);

/* Ends the use of `memory` as scratch: its owner may reuse it, and poisoned bytes are unpoisoned.
 */
void tq_scratch_release(void *memory, size_t size);

/* Sets the cancellation callback, called on the computing thread; non-zero cancels. */
void tq_scratch_set_stop(tq_scratch *scratch, int (*stop)(void *ctx), void *ctx);

/* Approximate multiplications between two calls of `stop`: some milliseconds. A count and not a
 * clock, so that a test can bound the work done after a cancellation. */
#define TQ_SCRATCH_ASK_WORK 4e6

/* Announces about `work` multiplications to come. Returns TQ_OK, or TQ_ERR_STOPPED once cancelled,
 * then and at every later call: the caller returns, and its results are undefined. Every
 * computation that may run 10 ms without returning calls this, piece by piece. */
tq_status tq_scratch_work(tq_scratch *scratch, double work, tq_error *reterr);

/* True once tq_scratch_work has returned TQ_ERR_STOPPED. */
static inline int tq_scratch_is_stopped(const tq_scratch *scratch)
{
    return scratch->worked < 0.0;
}

/* Bytes that n * each take of a scratch, padding included; SIZE_MAX when that overflows. */
size_t tq_scratch_cost(size_t n, size_t each);

/* The larger of two sizes: bytes of parts that are used one after the other. */
static inline size_t tq_larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static inline size_t tq_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

#endif
