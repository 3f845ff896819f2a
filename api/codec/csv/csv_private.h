/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/csv/csv_private.h - the decoder's state, for head.c and csv.c. */
#ifndef TQA_CODEC_CSV_CSV_PRIVATE_H
#define TQA_CODEC_CSV_CSV_PRIVATE_H

#include "api/codec/csv/csv.h"

typedef struct tqa_csv_piece {
    const char *text;
    size_t n;
} tqa_csv_piece;

/* Kind of the cells of a column, by its first row. */
typedef struct tqa_csv_kind {
    bool is_time; /* ISO 8601 */
    size_t n;     /* numbers or words of a list; 0: one number */
} tqa_csv_kind;

struct tqa_csv_decoder {
    const tqa_csv_sink *sink;
    void *ctx;
    tqa_decode status;
    char detail[TQA_CSV_DETAIL];
    uint64_t line;    /* the one that is read, from 1 */
    uint64_t line_at; /* its first byte */
    uint64_t n_fed;   /* bytes of complete pieces */
    char delimiter;
    bool begun; /* the columns have been reported */
    bool cut;
    size_t n_cell;                       /* of a line */
    size_t n_column;                     /* as reported: a list of n is n columns */
    double *values;                      /* (n_column) */
    tqa_csv_kind *kinds;                 /* (n_cell); NULL: all are numbers */
    char (*words)[TQA_CSV_NAME_MAX + 1]; /* (n_column), of the first row; NULL: it has none */
    int64_t first_day;                   /* of the times: they are seconds from its midnight */
    bool has_day;
    tqa_csv_first_line first_line;
    char *held; /* the beginning of a line that a piece has cut */
    size_t n_held, held_size;
    char *comment; /* the last one above the first row */
    size_t n_comment;
    char *first; /* the first line, if it has words; until the second is there */
    size_t n_first;
};

tqa_decode tqa_csv_stop(tqa_csv_decoder *decoder, tqa_decode status, const char *detail);

/* The next cell from *p on; false when the line has no more. *p is then after its delimiter, or
 * NULL after the last. */
bool tqa_csv_next_cell(const char **p, const char *end, char delimiter, tqa_csv_piece *ret);

/* The first line that is no comment, then (unless `begun`) the second; second NULL: there is none.
 * *ret_first_is_row: the first one is to be read as a row. */
tqa_decode tqa_csv_begin(tqa_csv_decoder *decoder, const char *first, const char *first_end,
                         const char *second, const char *second_end, bool *ret_first_is_row);
/* The delimiter is found, and the line has words: its second is needed. */
bool tqa_csv_needs_second(tqa_csv_decoder *decoder, const char *p, const char *end);

#endif
