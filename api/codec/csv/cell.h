/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/csv/cell.h - one cell of a table: a number, nothing, or text. */
#ifndef TQA_CODEC_CSV_CELL_H
#define TQA_CODEC_CSV_CELL_H

#include <stdbool.h>
#include <stddef.h>

typedef enum tqa_cell {
    TQA_CELL_NUMBER, /* infinities included */
    TQA_CELL_EMPTY,  /* empty, or a word for it: nan, na, n/a, null, none */
    TQA_CELL_TEXT,
} tqa_cell;

/* Parses text[0..n) in the notations that programs write: spaces or quotes around, a plus sign, no
 * digit before or after the point, leading zeros; a decimal comma if allowed. *ret is NaN unless it
 * is a number. */
tqa_cell tqa_csv_cell_read(const char *text, size_t n, bool decimal_comma, double *ret);

/* Removes spaces and one pair of quotes from both ends. */
void tqa_csv_cell_trim(const char **text, size_t *n);

/* End of the cell that begins at p: at `delimiter` outside quotes, or at `end`. If the delimiter is
 * a space, p must be at the cell's first byte. */
const char *tqa_csv_cell_end(const char *p, const char *end, char delimiter);

#endif
