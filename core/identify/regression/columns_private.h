/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/columns_private.h - columns by the rows of torque that they enter. */
#ifndef TQ_IDENTIFY_REGRESSION_COLUMNS_PRIVATE_H
#define TQ_IDENTIFY_REGRESSION_COLUMNS_PRIVATE_H

#include "core/identify/regression/columns.h"

/* One entry of the columns that is not of the rigid bodies: column `column` in row `row`. */
typedef struct tq_fit_term {
    uint32_t column, row;
    uint32_t joint;      /* the entry is a function of its q, qd or qdd */
    uint32_t other;      /* coupled, cosine: the second joint, or TQ_NONE */
    uint32_t gain;       /* index of an unknown gain, or TQ_NONE */
    tq_column_kind kind; /* TQ_COLUMN_PARAMETER: the parameter's kind decides */
    uint32_t
        friction_row; /* Stribeck, coupled signs, gains: index of its regressor row after the signs,
                            else 0 */
} tq_fit_term;

/* Describes the columns: counts first (columns and terms NULL), then fills. */
void tq_columns_of_joints(const tq_model *model, const tq_fit_model *fit, tq_column *ret_columns,
                          size_t *ret_n);
void tq_columns_extra(const tq_model *model, const tq_fit_model *fit, tq_column *ret_columns,
                      size_t *ret_n);
void tq_terms_of_columns(const tq_model *model, const tq_column *columns, size_t n_column,
                         tq_fit_term *ret_terms, size_t *ret_n);

/* True if torque `row` depends on the coordinates that move `link`. */
bool tq_row_moves_link(const tq_model *model, size_t row, uint32_t link);

/* Sum of coordinates from the first joint with a parallel axis to `joint`, for n samples. */
void tq_parallel_angle(const tq_model *model, uint32_t joint, uint32_t other, size_t n,
                       size_t stride, const double *q, double *ret_angle);

#endif
