/* SPDX-License-Identifier: Apache-2.0 */
/* core/base/scratch.h - what a caller lends to a computation: a bounded region of working memory,
 * taken in order and rewound as a whole, and the question whether the result is still wanted. */
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
    int (*stop)(void *ctx); /* not 0: the result is no longer wanted; NULL: always is */
    void *stop_ctx;
    double worked; /* since stop was asked last; negative: it said yes, and is asked no more */
} tq_scratch;

/* Puts `size` bytes at `memory` (aligned to TQ_SCRATCH_ALIGN) under management. */
void tq_scratch_init(tq_scratch *scratch, void *memory, size_t size);

/* Takes n * each bytes, aligned to TQ_SCRATCH_ALIGN; not cleared. NULL when they do not fit. */
void *tq_scratch_take(tq_scratch *scratch, size_t n, size_t each);

/* Remembers the present level, for tq_scratch_rewind. */
size_t tq_scratch_mark(const tq_scratch *scratch);

/* Gives back everything taken since `mark`. Under AddressSanitizer the bytes are poisoned. */
void tq_scratch_rewind(tq_scratch *scratch, size_t mark);

/* `memory` is no scratch any more, and its owner may use it otherwise: what was poisoned is not. */
void tq_scratch_release(void *memory, size_t size);

/* `stop` is asked on the thread that works. */
void tq_scratch_set_stop(tq_scratch *scratch, int (*stop)(void *ctx), void *ctx);

/* Multiplications, about, between two questions: some milliseconds. By a count and not by a clock,
 * so that a test can say how much is done after a stop. */
#define TQ_SCRATCH_ASK_WORK 4e6

/* Says that about `work` multiplications are due next. TQ_OK, or TQ_ERR_STOPPED, then and from then
 * on: return, and no result means anything. Whatever may take 10 ms between two returns to its
 * caller says so, piece by piece. */
tq_status tq_scratch_work(tq_scratch *scratch, double work, tq_error *reterr);

/* Whether it has said TQ_ERR_STOPPED. */
static inline int tq_scratch_is_stopped(const tq_scratch *scratch)
{
    return scratch->worked < 0.0;
}

/* Bytes that n * each take of a scratch, padding included; SIZE_MAX when that overflows. */
size_t tq_scratch_cost(size_t n, size_t each);

#endif
