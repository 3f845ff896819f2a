/* SPDX-License-Identifier: Apache-2.0 */
/* core/base/scratch.h - a bounded region of working memory, taken in order and rewound as a whole.
 */
#ifndef TQ_BASE_SCRATCH_H
#define TQ_BASE_SCRATCH_H

#include <stddef.h>

enum { TQ_SCRATCH_ALIGN = 64 }; /* a cache line, and the widest lane vector */

/* Owned by one thread at a time. The memory is the caller's. */
typedef struct tq_scratch {
    unsigned char *memory;
    size_t size; /* bytes in `memory` */
    size_t used; /* bytes taken, a multiple of TQ_SCRATCH_ALIGN */
    size_t peak; /* largest `used` since init */
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

/* Bytes that n * each take of a scratch, padding included; SIZE_MAX when that overflows. */
size_t tq_scratch_cost(size_t n, size_t each);

#endif
