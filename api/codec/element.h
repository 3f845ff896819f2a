/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/element.h - binary numbers: the element types of NPY files and CBOR typed arrays. */
#ifndef TQA_CODEC_ELEMENT_H
#define TQA_CODEC_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TQA_ELEMENT_SIZE_MAX = 8 };

typedef enum tqa_element_kind {
    TQA_ELEMENT_FLOAT,
    TQA_ELEMENT_SIGNED,
    TQA_ELEMENT_UNSIGNED
} tqa_element_kind;

typedef struct tqa_element {
    tqa_element_kind kind;
    unsigned
        size; /* bytes: 2, 4, 8 for floats (IEEE 754 binary16 to 64), 1, 2, 4, 8 for integers */
    bool big_endian;
} tqa_element;

/* Decodes n elements. Integers beyond 2^53 are rounded to nearest. */
void tqa_element_decode(tqa_element element, const unsigned char *bytes, size_t n, double *ret);

/* The same, zero-copy if they are aligned doubles of this machine already, else in `room`. */
const double *tqa_element_view(tqa_element element, const unsigned char *bytes, size_t n,
                               double *room);

/* Values to process at once: as many as a buffer holds; of a view three times as many, which the
 * first cache holds beside the blocks that they go to. */
enum { TQA_ELEMENT_RUN = 1024, TQA_ELEMENT_VIEW = 3 * TQA_ELEMENT_RUN };
size_t tqa_element_most(tqa_element element, const unsigned char *bytes);

/* How many of the n values from value `index` of a table to process at once, rows of `length`: at
 * most `most`; the rest of a row that has begun, else whole rows, in numbers such that eight
 * samples share a cache line of a block. */
size_t tqa_element_run(uint64_t index, uint64_t length, size_t n, size_t most);

/* The first of n values that is not finite, n if there is none. */
size_t tqa_element_not_finite(const double *values, size_t n);

/**
 * An array to be encoded, as a table of doubles that is read in pieces, row by row, each row from
 * left to right. A table of more than two dimensions is flattened to shape[0] rows of shape[1] *
 * shape[2] * ... columns.
 */
typedef struct tqa_array {
    size_t rank;       /* 1 to TQA_ARRAY_RANK_MAX */
    uint64_t shape[4]; /* rank entries; their product is below 2^60 */
    /* values of `row` from `column` on; never beyond the end of the row. Rank one: `row` is the
     * index and `column` 0. */
    void (*gather)(void *ctx, uint64_t row, uint64_t column, size_t n, double *ret);
    /* May be NULL. n whole rows from `row` on, one after another. */
    void (*gather_rows)(void *ctx, uint64_t row, size_t n, double *ret);
    /* May be NULL. Zero-copy: up to *n whole rows from `row` on where they are contiguous; sets *n
     * to their number, at least one. */
    const double *(*find_rows)(void *ctx, uint64_t row, size_t *n);
    void *ctx;
} tqa_array;

enum { TQA_ARRAY_RANK_MAX = 4 };

uint64_t tqa_array_count(const tqa_array *array);

/* The values from `index` on, at most `most` > 0 and few enough to process at once: their number,
 * and in *ret where they are, either in `room` (TQA_ARRAY_ROOM) or where they lie. */
enum { TQA_ARRAY_ROOM = 1024 };
size_t tqa_array_values(const tqa_array *array, uint64_t index, size_t most, double *room,
                        const double **ret);

/* Writes values as little-endian binary64, from value *index on, as many as there are and `size`
 * bytes take; moves *index and returns the bytes written. */
size_t tqa_array_encode(const tqa_array *array, uint64_t *index, char *out, size_t size);

#endif
