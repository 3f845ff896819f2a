/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/triangle.h - sums of experiments' triangles: private. */
#ifndef TQ_IDENTIFY_REGRESSION_TRIANGLE_H
#define TQ_IDENTIFY_REGRESSION_TRIANGLE_H

#include "core/identify/regression/fit_private.h"

#define TQ_FIT_ALL SIZE_MAX

/* Which segments: those of one experiment (or all), one segment (or all); or all except these. */
typedef struct tq_fit_choice {
    size_t experiment, segment;
    bool without;
} tq_fit_choice;

/* ret_set (set_size) of the chosen segments; returns their number of samples. room: as large. */
size_t tq_fit_sum_sets(const tq_fit *fit, tq_fit_choice choice, double *room, double *ret_set);

/* The first column of line i of a row's part of a set: those before are zero. */
static inline size_t tq_fit_row_from(const tq_fit_row *row, size_t i)
{
    return i > row->first ? i - row->first : 0;
}

/* Doubles of a line of the widest row. */
size_t tq_fit_width(const tq_fit *fit);

/* The triangle ((n_column + 1)^2, row by row) of a set whose rows are multiplied by weight (n_row;
 * NULL: 1). room: (n_column + 1)^2. */
void tq_fit_expand(const tq_fit *fit, const double *set, const double *weight, double *room,
                   double *ret_triangle);

/* Squared residual of one row of a set at `value`, and squared torque. */
double tq_fit_row_residual(const tq_fit *fit, const double *set, size_t row, const double *value);
double tq_fit_row_square(const tq_fit *fit, const double *set, size_t row);

/* Product of the columns with index a and b in a row. */
double tq_fit_row_product(const tq_fit *fit, const double *set, size_t row, size_t a, size_t b);
/* Sum over a row's columns of the squares of their torques, values (n_column) times columns: of a
 * base that nothing pushes these cancel, and its row has no torque of its own. */
double tq_fit_row_parts(const tq_fit *fit, const double *set, size_t row, const double *value);

/* Squared length of a column of the weighted set. */
double tq_fit_column_square(const tq_fit *fit, const double *set, const double *weight,
                            size_t column);

#endif
