/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/nearest.h - the known name that a misspelt one was probably meant to be. */
#ifndef TQA_OPERATIONS_NEAREST_H
#define TQA_OPERATIONS_NEAREST_H

#include <stddef.h>

/* The search for the nearest of many names: give them one by one. */
typedef struct tqa_nearest {
    const char *text;
    size_t n_text;
    const char *best; /* NULL: none is near */
    size_t distance;  /* of best: letters to insert, delete or replace */
} tqa_nearest;

void tqa_nearest_init(tqa_nearest *nearest, const char *text, size_t n);
void tqa_nearest_offer(tqa_nearest *nearest, const char *name);

#endif
