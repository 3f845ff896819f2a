/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/npy/header.h - the dictionary in front of an NPY array. */
#ifndef TQA_CODEC_NPY_HEADER_H
#define TQA_CODEC_NPY_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/codec/element.h"
#include "api/codec/events.h"

enum {
    TQA_NPY_HEADER_MAX = 4096, /* bytes of header accepted, magic included */
    TQA_NPY_HEADER_SIZE = 192, /* the most that the encoder writes before the values */
};

/* Contents of a header. Rank one: one column, or as many as the receiver splits it into. */
typedef struct tqa_npy_shape {
    size_t rank; /* 1 or 2 */
    uint64_t n_row;
    uint64_t n_column;  /* 1 for rank one */
    bool fortran_order; /* values come column by column */
    tqa_element element;
} tqa_npy_shape;

/* Reads "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }" and the spaces and newline
 * after it. OK, MALFORMED or LIMIT; *ret_detail says why, unless OK. */
tqa_decode tqa_npy_header_parse(const char *text, size_t n, tqa_npy_shape *ret,
                                const char **ret_detail);

/* Writes magic, version 1 and dictionary of a '<f8' array in C order, padded to a multiple of 64
 * bytes; returns the bytes written, at most TQA_NPY_HEADER_SIZE. */
size_t tqa_npy_header_print(const tqa_array *array, char *out);

#endif
