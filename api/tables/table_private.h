/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/table_private.h - the state of a table that is read, for table.c and table_rows.c. */
#ifndef TQA_TABLES_TABLE_PRIVATE_H
#define TQA_TABLES_TABLE_PRIVATE_H

#include "api/codec/csv/csv.h"
#include "api/codec/npy/npz.h"
#include "api/codec/npy/records.h"
#include "api/tables/front.h"
#include "api/tables/result_columns.h"
#include "api/tables/table.h"

enum { TQA_TABLE_PIECE = 256 << 10 };

/* A column of a table that is held whole: its numbers are queue[at + row * pitch]. */
typedef struct tqa_place {
    size_t at, pitch;
    uint64_t n_row;
} tqa_place;

struct tqa_table {
    tqa_table_source *source;
    void *ctx;
    uint64_t offset;
    tqa_front front;
    tqa_form form;
    bool known, ended;
    char fault[TQA_TABLE_DETAIL];
    bool is_busy; /* the fault is not the file's */
    size_t n_column;
    char (*names)[TQA_TABLE_NAME];

    tqa_csv_decoder *csv;
    tqa_npy_decoder npy;
    tqa_npz_decoder *npz;
    tqa_records_decoder *records;
    tqa_table_result *result;
    bool whole;                        /* all rows are in `queue` */
    size_t n_row;                      /* then */
    tqa_place *places;                 /* (n_column), then */
    char member[TQA_NPZ_NAME_MAX + 1]; /* of an archive: the array that is being read */

    double *queue;                    /* rows that are decoded and not read yet */
    size_t n_queued, n_given, n_room; /* numbers */
    double *row;                      /* (n_column) of a whole table */
    char piece[TQA_TABLE_PIECE];
};

/* One more piece of the file; false at its end or at a fault. */
bool tqa_table_advance(tqa_table *table);
/* Always false. */
bool tqa_table_fail_short(tqa_table *table);
/* Rows of an array whose place in the file is given by their number. */
bool tqa_table_is_plain_npy(const tqa_table *table);

#endif
