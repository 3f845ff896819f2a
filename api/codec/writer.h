/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/writer.h - nested fields and streamed arrays, in order, as JSON or CBOR: the only
 * writer of objects. */
#ifndef TQA_CODEC_WRITER_H
#define TQA_CODEC_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/codec/element.h"
#include "api/codec/json/text.h"

enum { TQA_WRITER_DEPTH_MAX = 63, TQA_WRITER_RANK_MAX = 4 };

/* Starts as {0}, with `cbor` set or not. `key` is NULL for elements of lists. */
typedef struct tqa_writer {
    bool cbor;
    bool is_spaced;  /* JSON for people to read: ", " and ": ", and lines (tqa_writer_line) */
    bool not_finite; /* a number was NaN or infinite: there is no answer */
    tqa_json_text text;
    unsigned depth;
    uint64_t is_list;    /* bit d: at depth d */
    uint64_t is_counted; /* CBOR: its head holds the count of its members */
    uint64_t has_members;
    bool has_rows; /* of the table that is being written */
    unsigned
        line_room; /* the next member begins a line, after this less 1 spaces; 0: it does not */
} tqa_writer;

void tqa_writer_object(tqa_writer *answer, const char *key);
void tqa_writer_list(tqa_writer *answer, const char *key);
void tqa_writer_end(tqa_writer *answer); /* of the innermost object or list */
/* An object of n_member members: CBOR states the count in its head and has no end. */
void tqa_writer_object_of(tqa_writer *answer, const char *key, size_t n_member);
/* Called first: the members that follow belong to an object whose brackets are written elsewhere.
 * */
void tqa_writer_members(tqa_writer *answer);
/* JSON: the next member, or the next bracket that closes, begins a line `indent` spaces in. */
void tqa_writer_line(tqa_writer *answer, unsigned indent);
/* After the root: the line end of a JSON document; CBOR has none. */
void tqa_writer_finish(tqa_writer *answer);

/* The text, malloc'ed; NULL: out of memory. The writer stays where it is and starts a new text. */
char *tqa_writer_take(tqa_writer *answer, size_t *ret_n);
/* The same, with a comma after the last member of the innermost object: it is continued
 * elsewhere, by at least one more member. */
char *tqa_writer_take_open(tqa_writer *answer, size_t *ret_n);

void tqa_writer_string(tqa_writer *answer, const char *key, const char *text);
void tqa_writer_number(tqa_writer *answer, const char *key, double x);
void tqa_writer_count(tqa_writer *answer, const char *key, size_t n);
void tqa_writer_integer(tqa_writer *answer, const char *key, int64_t n);
void tqa_writer_null(tqa_writer *answer, const char *key);
/* An array of n strings; CBOR states n in its head. */
void tqa_writer_names(tqa_writer *answer, const char *key, const char *const *names, size_t n);
/* n bytes that are a value already, in this writer's format. */
void tqa_writer_encoded(tqa_writer *answer, const char *key, const char *bytes, size_t n);
/* n > 0 bytes that are members already, in this writer's format, without the brackets of their
 * object. */
void tqa_writer_encoded_members(tqa_writer *answer, const char *bytes, size_t n);
/* The same in pieces: what precedes them; then the pieces, by tqa_json_text_bytes. */
void tqa_writer_encoded_begin(tqa_writer *answer);
/* What follows are members of the object that such bytes (of tqa_writer_take_open) left open. */
void tqa_writer_reopen(tqa_writer *answer);
void tqa_writer_flag(tqa_writer *answer, const char *key, bool flag);
/* null, and `reason` beside it under "<key>_reason". */
void tqa_writer_none(tqa_writer *answer, const char *key, const char *reason);
/* null when x is not finite */
void tqa_writer_number_or_null(tqa_writer *answer, const char *key, double x);
/* x; when it is not finite, null with its reason. */
void tqa_writer_finite(tqa_writer *answer, const char *key, double x, const char *reason);

/* An array of 1 to TQA_WRITER_RANK_MAX ranks, the last index fastest. */
void tqa_writer_array(tqa_writer *answer, const char *key, const double *x, size_t rank,
                      const size_t *shape);
/* A table of n_row rows of n numbers (`flat`: of one number, without a rank of its own) that is
 * written row by row: begin, n_row rows, end. */
void tqa_writer_rows_begin(tqa_writer *answer, const char *key, size_t n_row, size_t n, bool flat);
void tqa_writer_row(tqa_writer *answer, const double *x, size_t n, bool flat);
void tqa_writer_rows_end(tqa_writer *answer);
/* An array that is streamed into a fixed text, in pieces: what precedes its values; from value
 * *index on those for which there is room, true when there are no more; its end, in JSON one byte.
 * JSON: all numbers are finite. */
void tqa_writer_stream_begin(tqa_writer *answer, const char *key, const tqa_array *array);
bool tqa_writer_stream(tqa_writer *answer, const tqa_array *array, uint64_t *index);
void tqa_writer_stream_end(tqa_writer *answer);
void tqa_writer_vector(tqa_writer *answer, const char *key, const double *x, size_t n);
void tqa_writer_matrix(tqa_writer *answer, const char *key, const double *x, size_t n_row,
                       size_t n_column);
/* A symmetric 3x3 matrix, stored xx xy xz yy yz zz. */
void tqa_writer_symmetric(tqa_writer *answer, const char *key, const double s[6]);

#endif
