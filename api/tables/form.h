/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/form.h - the format of a file of recorded data, by its first bytes. */
#ifndef TQA_TABLES_FORM_H
#define TQA_TABLES_FORM_H

#include <stdbool.h>
#include <stddef.h>

typedef enum tqa_form {
    TQA_FORM_CSV, /* or anything else without a mark of its own */
    TQA_FORM_NPY,
    TQA_FORM_RECORDS, /* NPY of a structured array */
    TQA_FORM_NPZ,
    TQA_FORM_JSON, /* an object of arrays */
    TQA_FORM_CBOR,
    TQA_FORM_GZIP,
    TQA_FORM_ZSTD,
    TQA_FORM_FOREIGN, /* recognised, and not read here */
} tqa_form;

enum { TQA_FORM_BYTES = 32 };

/* A format that is not read here, and one line of Python or shell that makes one that is. */
typedef struct tqa_foreign {
    const char *detail, *hint;
} tqa_foreign;

/* By the first n bytes: TQA_FORM_BYTES, or the whole file if it is shorter. *ret_foreign is set
 * for TQA_FORM_FOREIGN. */
tqa_form tqa_form_find(const char *bytes, size_t n, const tqa_foreign **ret_foreign);

/* JSON lines: found by a second object after the first, not by the first bytes. */
extern const tqa_foreign tqa_foreign_json_lines;

#endif
