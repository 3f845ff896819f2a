/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/triangle.c - from sets of rows' triangles to one triangle. */
#include "core/identify/regression/triangle.h"

#include <string.h>

static void add_set(const tq_fit *fit, const double *set, double *spent,
                    double *into) /* NOLINT(readability-non-const-parameter) */
{
    memcpy(spent, set, fit->set_size * sizeof *spent);
    for (size_t r = 0; r < fit->n_row; r++) {
        tq_tsqr tsqr = {.n = fit->rows[r].width, .r = into + fit->rows[r].triangle};
        tq_tsqr_fold_triangle(&tsqr, spent + fit->rows[r].triangle);
    }
}

size_t tq_fit_width(const tq_fit *fit)
{
    size_t n = 0;
    for (size_t r = 0; r < fit->n_row; r++) {
        n = fit->rows[r].width > n ? fit->rows[r].width : n;
    }
    return n;
}

static bool is_chosen(tq_fit_choice choice, size_t experiment, size_t segment)
{
    const bool named = (choice.experiment == TQ_FIT_ALL || choice.experiment == experiment) &&
                       (choice.segment == TQ_FIT_ALL || choice.segment == segment);
    return named != choice.without;
}

size_t tq_fit_sum_sets(const tq_fit *fit, tq_fit_choice choice, double *room, double *ret_set)
{
    memset(ret_set, 0, fit->set_size * sizeof *ret_set);
    size_t n = 0;
    for (size_t e = 0; e < fit->n_experiment; e++) {
        const tq_fit_experiment *experiment = &fit->experiments[e];
        size_t chosen = 0;
        for (size_t s = 0; s < experiment->n_segment; s++) {
            if (is_chosen(choice, e, s)) {
                add_set(fit, experiment->sets + s * fit->set_size, room, ret_set);
                chosen++;
            }
        }
        if (experiment->n_segment > 0) {
            n += experiment->n_sample * chosen / experiment->n_segment;
        }
    }
    return n;
}

/* line i of a row's part of a set, with columns and torque at their indices in the whole triangle
 */
static void spread_line(const tq_fit *fit, const tq_fit_row *row, const double *t, size_t i,
                        double weight, double *to)
{
    const double *entry = t + i * row->width;
    for (size_t c = tq_fit_row_from(row, i); c < row->n; c++) {
        to[row->column[c]] = weight * entry[row->first + c];
    }
    to[fit->n_column] = weight * entry[row->width - 1];
}

void tq_fit_expand(const tq_fit *fit, const double *set, const double *weight, double *room,
                   double *ret_triangle)
{
    tq_tsqr tsqr;
    const size_t n = fit->n_column + 1;
    tq_tsqr_init(&tsqr, n, ret_triangle);
    for (size_t r = 0; r < fit->n_row; r++) {
        const tq_fit_row *row = &fit->rows[r];
        const double *t = set + row->triangle;
        const double w = weight != NULL ? weight[r] : 1.0;
        /* lines of instruments: no more than columns, and not a triangle */
        if (row->first > 0) {
            memset(room, 0, row->first * n * sizeof *room);
            for (size_t i = 0; i < row->first; i++) {
                spread_line(fit, row, t, i, w, room + i * n);
            }
            tq_tsqr_fold(&tsqr, row->first, room);
        }
        /* columns ascend: if the first column of each line is on the diagonal, all lines form a
         * triangle */
        memset(room, 0, n * n * sizeof *room);
        for (size_t c = 0; c <= row->n; c++) {
            const size_t line = c < row->n ? row->column[c] : fit->n_column;
            spread_line(fit, row, t, row->first + c, w, room + line * n);
        }
        tq_tsqr_fold_triangle(&tsqr, room);
    }
}

double tq_fit_row_residual(const tq_fit *fit, const double *set, size_t r, const double *value)
{
    const tq_fit_row *row = &fit->rows[r];
    double sum = 0.0;
    for (size_t i = 0; i < row->width; i++) {
        const double *entry = set + row->triangle + i * row->width;
        double residual = entry[row->width - 1];
        for (size_t c = tq_fit_row_from(row, i); c < row->n; c++) {
            residual -= entry[row->first + c] * value[row->column[c]];
        }
        sum += residual * residual;
    }
    return sum;
}

double tq_fit_row_product(const tq_fit *fit, const double *set, size_t r, size_t a, size_t b)
{
    const tq_fit_row *row = &fit->rows[r];
    double sum = 0.0;
    for (size_t i = 0; i < row->width && tq_fit_row_from(row, i) <= (a < b ? a : b); i++) {
        const double *entry = set + row->triangle + i * row->width + row->first;
        sum += entry[a] * entry[b];
    }
    return sum;
}

double tq_fit_row_square(const tq_fit *fit, const double *set, size_t r)
{
    const tq_fit_row *row = &fit->rows[r];
    double sum = 0.0;
    for (size_t i = 0; i < row->width; i++) {
        const double tau = set[row->triangle + i * row->width + row->width - 1];
        sum += tau * tau;
    }
    return sum;
}

double tq_fit_column_square(const tq_fit *fit, const double *set, const double *weight,
                            size_t column)
{
    double sum = 0.0;
    for (size_t r = 0; r < fit->n_row; r++) {
        const tq_fit_row *row = &fit->rows[r];
        const double *t = set + row->triangle;
        const double w = weight != NULL ? weight[r] : 1.0;
        for (size_t c = 0; c < row->n; c++) {
            for (size_t i = 0; row->column[c] == column && i <= row->first + c; i++) {
                const double entry = w * t[i * row->width + row->first + c];
                sum += entry * entry;
            }
        }
    }
    return sum;
}

double tq_fit_row_parts(const tq_fit *fit, const double *set, size_t row, const double *value)
{
    const tq_fit_row *of = &fit->rows[row];
    double square = 0.0;
    for (size_t c = 0; c < of->n; c++) {
        const double x = value[of->column[c]];
        square += x * x * tq_fit_row_product(fit, set, row, c, c);
    }
    return square;
}
