/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/dataset_private.h - the state of a recording that is read, for dataset.c and
 * dataset_points.c. */
#ifndef TQA_TABLES_DATASET_PRIVATE_H
#define TQA_TABLES_DATASET_PRIVATE_H

#include "api/codec/csv/csv.h"
#include "api/codec/npy/npz.h"
#include "api/codec/npy/records.h"
#include "api/codec/writer.h"
#include "api/dataset.h"
#include "api/tables/blocks.h"
#include "api/tables/dataset_columns.h"
#include "api/tables/front.h"
#include "api/tables/result_columns.h"

struct tqa_dataset {
    tqa_dataset_options options;
    tqa_front front;
    tqa_form form;
    bool failed;
    tqa_problem problem;
    tqa_csv_decoder *csv;
    tqa_npy_decoder npy;
    tqa_npz_decoder *npz;
    tqa_records_decoder *records;
    tqa_table_result *document;
    uint64_t n_row, n_text;
    tqa_dataset_columns columns;
    /* of an archive: the array that is being read */
    char member[TQA_NPZ_NAME_MAX + 1];
    size_t member_at; /* its first column */
    tqa_npy_shape shape;
    tqa_dataset_blocks *blocks; /* NULL: not gathered */
    bool gathers;
};

/* Buckets of a part. */
void tqa_dataset_set_part(tqa_dataset_columns *columns, const tqa_dataset_part *part);
/* n values of a row, for the blocks. */
void tqa_dataset_gather_row(tqa_dataset *dataset, uint64_t row, size_t column, const double *values,
                            size_t n);
/* rows, columns, the points and the opening of their series. */
void tqa_dataset_put_points(const tqa_dataset_columns *columns, uint64_t n_row, tqa_writer *to);

#endif
