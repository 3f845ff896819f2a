/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/print/print.h - answers as tables, JSON, YAML, CSV or NPY. */
#ifndef TORQUECTL_PRINT_H
#define TORQUECTL_PRINT_H

#include "clients/torquectl/ctl.h"

enum { CTL_NUMBER_BYTES = 32 };

/* Rows of `list`, an array of objects, with the columns named in `columns` ("id state"); a dot
 * selects a member of an object: "progress.fraction". As wide as CTL_WIDTH. */
void ctl_print_table(FILE *out, const json_t *list, const char *columns);

/* The same number again, in the fewest digits that do. */
void ctl_number(double value, char out[CTL_NUMBER_BYTES]);

void ctl_print_json(FILE *out, const json_t *value);
void ctl_print_yaml(FILE *out, const json_t *value);
/* On one line, for a request; the caller frees it. */
char *ctl_compact(const json_t *value);

/* A document by -o: a list by the command's columns. csv and npy are for arrays of numbers. Returns
 * a status. */
int ctl_print_document(ctl *c, json_t *document);
/* The bytes of a JSON answer by -o; -o json leaves them as they are, on a terminal on lines. */
int ctl_print_answer(ctl *c, const char *bytes, size_t n);

/* Arrays of numbers of a document as one table: `rows` lines, names "q_0" ... */
typedef struct ctl_samples {
    size_t n_row, n_column;
    char (*names)[64];
    double *values; /* row-major; NAN where the document has null */
} ctl_samples;

/* False: the document has none. `field`: only this array; NULL: all. */
bool ctl_samples_read(ctl_samples *samples, const json_t *document, const char *field,
                      bool is_single);
void ctl_samples_clear(ctl_samples *samples);
void ctl_samples_csv(FILE *out, const ctl_samples *samples);
void ctl_samples_npy(FILE *out, const ctl_samples *samples);
/* Columns in blocks of CTL_WIDTH, each beside the time. */
void ctl_samples_table(FILE *out, const ctl_samples *samples);

#endif
