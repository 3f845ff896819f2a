/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/csv/csv.h - a streaming decoder of CSV tables of numbers: any usual delimiter, with or
 * without header and comments, both line ends. */
#ifndef TQA_CODEC_CSV_CSV_H
#define TQA_CODEC_CSV_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/codec/events.h"

enum {
    TQA_CSV_COLUMNS_MAX = 4096,
    TQA_CSV_LINE_MAX = 1 << 20, /* bytes of one line */
    TQA_CSV_NAME_MAX = 127,     /* bytes of a column's name; longer ones are truncated */
    TQA_CSV_DETAIL = 160,
};

/* The receiver; each callback returns false to stop (TQA_DECODE_REFUSED). */
typedef struct tqa_csv_sink {
    /* Once, before any row. Names are borrowed for the call, "" where there is none. */
    bool (*columns)(void *ctx, size_t n, const char *const *names);
    /* A row. A cell that is empty or says nan is NaN, inf is infinite; text is NaN and counted in
     * n_text. */
    bool (*row)(void *ctx, const double *values, size_t n, size_t n_text);
} tqa_csv_sink;

/* Words beside numbers in the first line that is no comment: a header with a number as a name, or
 * a row with words in it. */
typedef struct tqa_csv_first_line {
    bool has_both;
    bool is_row; /* no word of it has a number below it: it was read as a row */
    size_t cell; /* of the first word, from 0 */
} tqa_csv_first_line;

typedef struct tqa_csv_decoder tqa_csv_decoder;

/* NULL: out of memory. `delimiter` is one of ',' ';' '\t' ' ', or 0: detected in the first line. */
tqa_csv_decoder *tqa_csv_decoder_new(const tqa_csv_sink *sink, void *ctx, char delimiter);
void tqa_csv_decoder_free(tqa_csv_decoder *decoder); /* accepts NULL */

/**
 * Decode the next n bytes; cut anywhere.
 *
 * A line ends with LF or CRLF. Blank lines and those that begin with # or % are skipped; a comment
 * directly above the first row that has as many words as the row has cells is its header, as
 * numpy.savetxt writes it. A first line with a cell that is text is the header, unless it has
 * numbers too and none of its words is above a number. Cells that are a time (ISO 8601) in the
 * first row are seconds from midnight of that day; a list of n numbers there is n columns. The
 * delimiter is the first of tab, semicolon and comma that occurs in the first line, else spaces,
 * which count once however many there are. Where the delimiter is not a comma, a comma may be the
 * decimal point. Cells may be in double quotes. One empty cell more than there are columns is taken
 * for a delimiter at the line's end.
 *
 * Returns  TQA_DECODE_OK         so far
 *          TQA_DECODE_MALFORMED  a row with another number of cells, bytes that are no text
 *          TQA_DECODE_LIMIT      too many columns or too long a line
 *          TQA_DECODE_REFUSED    by the sink, or (`detail` says so) memory is short
 *          Any but OK is final.
 * Cost     About 15 ns a number.
 * Checked  tests/unit/api/codec/csv/test_csv.c
 */
tqa_decode tqa_csv_decoder_feed(tqa_csv_decoder *decoder, const char *bytes, size_t n);

/* End of input. A last line without line end that has fewer cells than the others is dropped, and
 * tqa_csv_decoder_cut is then true. */
tqa_decode tqa_csv_decoder_finish(tqa_csv_decoder *decoder);
bool tqa_csv_decoder_cut(const tqa_csv_decoder *decoder);

/* The line that the decoder stopped in, from 1, and why. */
uint64_t tqa_csv_decoder_line(const tqa_csv_decoder *decoder);
const char *tqa_csv_decoder_detail(const tqa_csv_decoder *decoder);

/* Within a call of `row`, of the third line of the file or a later one: the offset of its first
 * byte. A decoder that is fed the lines up to the second row, and then from there on, reads the
 * same row. */
uint64_t tqa_csv_decoder_line_at(const tqa_csv_decoder *decoder);

/* Once the columns are reported: words beside numbers in the first line; the word of a column in
 * the first row, "" where it has a number; whether its cells are times. */
tqa_csv_first_line tqa_csv_decoder_first_line(const tqa_csv_decoder *decoder);
const char *tqa_csv_decoder_word(const tqa_csv_decoder *decoder, size_t column);
bool tqa_csv_decoder_is_time(const tqa_csv_decoder *decoder, size_t column);

/* The delimiter; 0 before the first line. */
char tqa_csv_decoder_delimiter(const tqa_csv_decoder *decoder);

#endif
