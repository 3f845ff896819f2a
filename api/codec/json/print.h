/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/json/print.h - prints JSON into a buffer of given size, as much as fits. */
#ifndef TQA_CODEC_JSON_PRINT_H
#define TQA_CODEC_JSON_PRINT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "api/codec/number/number.h"

/* Output buffer. */
typedef struct tqa_json_out {
    char *p;
    char *end;
} tqa_json_out;

static inline size_t tqa_json_room(const tqa_json_out *out)
{
    return (size_t)(out->end - out->p);
}

/* Copies n bytes, which must fit. */
static inline void tqa_json_put(tqa_json_out *out, const char *text, size_t n)
{
    memcpy(out->p, text, n);
    out->p += n;
}

/* One sample of a block as a row of numbers. */
typedef struct tqa_json_row {
    const double *data;  /* row 0 of the sample */
    size_t stride;       /* from one row to the next */
    const uint32_t *map; /* number k is row map[k]; NULL: row k */
    size_t n;
    size_t group; /* numbers of each inner array; n is a multiple of it; 0: no inner arrays */
    size_t plane; /* numbers of each array of inner arrays, a multiple of group; 0: none */
} tqa_json_row;

/* Prints numbers first .. n-1 with the separators and brackets around them while there is room for
 * another; returns how many have been printed. All must be finite. */
size_t tqa_json_put_row(tqa_json_out *out, const tqa_json_row *row, size_t first);

#endif
