/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/names.h - which number a name has: a sorted index, built once. */
#ifndef TQA_ROBOTS_NAMES_H
#define TQA_ROBOTS_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "api/memory/arena.h"

typedef struct tqa_name_row {
    const char *name; /* borrowed */
    uint32_t number;
} tqa_name_row;

/* Immutable after build: any number of threads may look things up. */
typedef struct tqa_names {
    const tqa_name_row *rows; /* (n) by name, then by number */
    uint32_t n;
} tqa_names;

/* Indexes names[0..n); false when memory is short. Rows live in the arena, the names stay where
 * they are. O(n log n). */
bool tqa_names_build(tqa_names *names, tqa_arena *arena, const char *const *name, uint32_t n);

/* The lowest number with this name, or UINT32_MAX. O(log n). */
uint32_t tqa_names_find(const tqa_names *names, const char *name, size_t n);

/* The lowest number whose name an earlier number has too, or UINT32_MAX; *ret_first is that one. */
uint32_t tqa_names_duplicate(const tqa_names *names, uint32_t *ret_first);

#endif
