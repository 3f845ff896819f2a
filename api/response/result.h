/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/result.h - an answer, printed piece by piece out of blocks. */
#ifndef TQA_RESPONSE_RESULT_H
#define TQA_RESPONSE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/codec/npy/npy.h"
#include "api/request/samples.h"
#include "api/response/provenance.h"
#include "api/robots/parsed.h"

enum { TQA_RESULT_ARRAYS_MAX = 96, TQA_RESULT_TAIL_MAX = 512 };

/* One array of the answer. */
typedef struct tqa_result_array {
    const char *key; /* constant, at most 64 bytes */
    const tqa_blocks *blocks;
    size_t first_row, n_row; /* of blocks */
    const uint32_t *map;     /* number k of a sample is row map[k]; NULL: row k */
    size_t group;            /* numbers of each inner array of a sample; 0: none */
    size_t plane;            /* numbers of each array of such inner arrays; 0: none */
    bool scalar;             /* one number a sample, not an array of one */
    bool is_transposed;      /* samples lie one after another in a block; never of JSON */
    const char *before;      /* the start of an object that the array is in: tqa_writer_take_open */
    size_t n_before;
    bool closes; /* it is the last member of that object */
} tqa_result_array;

/* An array of a result: the source of its view. */
typedef struct tqa_result_place {
    const struct tqa_result *result;
    size_t array;
} tqa_result_place;

typedef struct tqa_result {
    tqa_media media; /* JSON, CBOR, or NPY: the first array alone; NPZ: read by its views */
    tqa_result_array arrays[TQA_RESULT_ARRAYS_MAX];
    size_t n_array;
    size_t n_member; /* arrays and objects at the top, provenance not counted */
    size_t n_sample;
    bool flat;         /* the only sample as one flat array */
    const char *notes; /* members after the arrays, as a writer has written them; NULL: none */
    size_t n_notes;

    /* position of writing */
    tqa_writer writer;   /* into the buffer of the call that reads */
    size_t array, n_put; /* n_put: bytes of `before` or of the notes */
    uint8_t step;
    tqa_array view; /* the array being written, from `index` on */
    tqa_result_place place;
    uint64_t index;
    tqa_npy_encoder npy;
    size_t n_tail;
    char tail[TQA_RESULT_TAIL_MAX]; /* provenance, as it is written */
} tqa_result;

/* Formats of an answer. */
bool tqa_result_gives(tqa_media media);

void tqa_result_init(tqa_result *result, tqa_media media, size_t n_sample, bool flat);
/* An array at the top: all rows of blocks, in the order of `map`. */
void tqa_result_add(tqa_result *result, const char *key, const tqa_blocks *blocks,
                    const uint32_t *map);
/* An array unchanged, perhaps in an object that an array's `before` opens. */
void tqa_result_add_array(tqa_result *result, const tqa_result_array *array);
/* n_member members after the arrays, as a tqa_writer of the result's medium has written them
 * without the bracket of their object; `bytes` outlive the result. Not of NPY and NPZ. */
void tqa_result_add_notes(tqa_result *result, const char *bytes, size_t n, size_t n_member);
/* Writes `provenance`. Call it last. */
void tqa_result_provenance(tqa_result *result, const tqa_provenance *provenance);

/* Fills out[0 .. size), size >= 4096; returns the bytes written, 0 at the end. */
size_t tqa_result_read(tqa_result *result, char *out, size_t size);

/* Zero-copy: the next *ret_n bytes in place, to be sent before the next call; valid as long as the
 * result. NULL: use the function above. */
const char *tqa_result_look(tqa_result *result, size_t *ret_n);

/* The size of the whole answer in bytes, if it follows from the array extents; else 0. */
uint64_t tqa_result_length(const tqa_result *result);

/* The array at a place, to be written; reads the place and the result. */
tqa_array tqa_result_view(tqa_result_place *place);

#endif
