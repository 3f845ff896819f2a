/* SPDX-License-Identifier: Apache-2.0 */
/* api/formats/writer.h - an answer of mixed fields, as JSON or CBOR, into one growing buffer. */
#ifndef TQA_FORMATS_WRITER_H
#define TQA_FORMATS_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/robot.h"

/* For answers that are small beside samples; a run of samples is printed out of its blocks by
 * operations/result. Maps and arrays in CBOR are of indefinite length, runs of numbers are typed
 * arrays (RFC 8746 tag 86). After a failed allocation or more than n_max bytes, calls do nothing
 * and `failed` is true. A number that is not finite is written as null: say why beside it. */
typedef struct tqa_writer {
    tqa_media media; /* TQA_MEDIA_JSON or TQA_MEDIA_CBOR */
    char *text;      /* malloc'ed, the caller's to free */
    size_t n, room, n_max;
    bool failed;
    bool comma; /* the next value of this level needs one (JSON) */
} tqa_writer;

void tqa_writer_init(tqa_writer *writer, tqa_media media, size_t n_max);

void tqa_write_map(tqa_writer *writer); /* begins one; tqa_write_end ends it */
void tqa_write_array(tqa_writer *writer);
void tqa_write_end_map(tqa_writer *writer);
void tqa_write_end_array(tqa_writer *writer);
void tqa_write_key(tqa_writer *writer, const char *key);
void tqa_write_number(tqa_writer *writer, double value);
void tqa_write_count(tqa_writer *writer, uint64_t value); /* without a decimal point */
void tqa_write_boolean(tqa_writer *writer, bool value);
void tqa_write_null(tqa_writer *writer);
void tqa_write_string(tqa_writer *writer, const char *text);

/* n numbers, `step` apart. */
void tqa_write_numbers(tqa_writer *writer, const double *values, size_t n, size_t step);
/* n_row rows of n_column numbers, row by row. */
void tqa_write_matrix(tqa_writer *writer, const double *values, size_t n_row, size_t n_column);

/* Bytes as they are: a value that somebody has encoded in this format. */
void tqa_write_encoded(tqa_writer *writer, const char *text, size_t n);

#endif
