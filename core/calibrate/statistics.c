/* SPDX-License-Identifier: Apache-2.0 */
/* core/calibrate/statistics.c - jackknife over experiments or segments; consistency over
 * experiments. */
#include "core/calibrate/statistics.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/calibrate/student.h"
#include "core/linalg/dense.h"

enum { EXPERIMENTS_ENOUGH = 4 };  /* to leave one out and still see their spread */
static const double hold = 1e-12; /* added to a scaled Gram matrix, so that it can be factored */

typedef struct jackknife {
    const tq_fit *fit;
    const tq_fit_found *found;
    size_t n;
    double *whole; /* (n x n) Gram matrix of all, in nominal sizes */
    double *right; /* (n) */
    double *part, *part_right;
    double *mean, *square, *room, *set;
    tq_scratch *scratch; /* what is left of it: of tq_invert */
    size_t n_group;
} jackknife;

size_t tq_fit_statistics_size(const tq_fit *fit)
{
    const size_t n = fit->n_column;
    return 2 * tq_scratch_cost(n * n, sizeof(double)) + 5 * tq_scratch_cost(n, sizeof(double)) +
           tq_scratch_cost((n + 1) * (n + 1), sizeof(double)) +
           tq_scratch_cost(fit->set_size, sizeof(double)) +
           tq_scratch_cost(fit->set_size, sizeof(double)) + tq_fit_found_size(fit) +
           tq_fit_method_size(fit) + tq_invert_scratch_size(n) +
           tq_scratch_cost(n * fit->n_experiment, sizeof(double));
}

/* the same against instruments: gram += Z^T X (not symmetric), right += Z^T residual */
static void add_cross(const jackknife *j, const double *set, double *gram, double *right)
{
    const tq_fit *fit = j->fit;
    for (size_t r = 0; r < fit->n_row; r++) {
        const tq_fit_row *row = &fit->rows[r];
        const double weight = j->found->weight[r];
        for (size_t i = 0; i < row->n; i++) {
            const double *t = set + row->triangle + i * row->width;
            double residual = t[row->width - 1];
            for (size_t c = 0; c < row->n; c++) {
                residual -= t[row->first + c] * j->found->value[row->column[c]];
                j->room[c] = weight * t[row->first + c] * fit->nominal[row->column[c]];
            }
            for (size_t z = i; z < row->n; z++) {
                const uint32_t to = row->column[z];
                const double own = weight * t[z] * fit->nominal[to];
                right[to] += own * weight * residual;
                for (size_t c = 0; c < row->n; c++) {
                    gram[row->column[c] * j->n + to] += own * j->room[c];
                }
            }
        }
    }
}

/* gram += rows' products of a weighted set, in nominal sizes; the right side is the products with
 * the residual at the estimate, so that differences do not cancel */
static void add_gram(const jackknife *j, const double *set, double *gram, double *right)
{
    const tq_fit *fit = j->fit;
    if (tq_fit_has_instruments(fit)) {
        add_cross(j, set, gram, right);
        return;
    }
    for (size_t r = 0; r < fit->n_row; r++) {
        const tq_fit_row *row = &fit->rows[r];
        const size_t m = row->n + 1;
        const double *t = set + row->triangle;
        const double weight = j->found->weight[r];
        for (size_t i = 0; i < m; i++) {
            double residual = t[i * m + row->n];
            for (size_t c = i; c < row->n; c++) {
                residual -= t[i * m + c] * j->found->value[row->column[c]];
                j->room[c] = weight * t[i * m + c] * fit->nominal[row->column[c]];
            }
            residual *= weight;
            for (size_t c = i; c < row->n; c++) {
                double *column = gram + row->column[c] * j->n;
                right[row->column[c]] += j->room[c] * residual;
                for (size_t d = c; d < row->n; d++) {
                    column[row->column[d]] += j->room[c] * j->room[d];
                }
            }
        }
    }
}

static tq_status factor(const jackknife *j, double *gram, tq_error *reterr)
{
    for (size_t c = 0; c < j->n; c++) {
        /* a column that nothing excites gets a deviation beyond all bounds, not an error */
        gram[c * j->n + c] += hold * j->whole[c * j->n + c] + DBL_MIN / DBL_EPSILON;
    }
    return tq_cholesky_factor(j->n, gram, j->n, reterr);
}

/* part_right := part^-1 part_right; part is destroyed */
static tq_status solve_part(const jackknife *j, tq_error *reterr)
{
    const size_t n = j->n;
    if (!tq_fit_has_instruments(j->fit)) {
        const tq_status status = factor(j, j->part, reterr);
        return status == TQ_OK ? tq_cholesky_solve(n, 1, j->part, n, j->part_right, n, reterr)
                               : status;
    }
    for (size_t c = 0; c < n; c++) {
        j->part[c * n + c] += hold * fabs(j->whole[c * n + c]) + DBL_MIN / DBL_EPSILON;
    }
    const tq_status status = tq_invert(n, j->part, n, j->scratch, reterr);
    memcpy(j->room, j->part_right, n * sizeof *j->room);
    memset(j->part_right, 0, n * sizeof *j->part_right);
    for (size_t d = 0; status == TQ_OK && d < n; d++) {
        for (size_t c = 0; c < n; c++) {
            j->part_right[c] += j->part[d * n + c] * j->room[d];
        }
    }
    return status;
}

/* the estimate without one group, as its difference from the whole */
static tq_status leave_out(jackknife *j, tq_fit_choice choice, tq_error *reterr)
{
    const size_t n = j->n;
    memset(j->part, 0, n * n * sizeof *j->part);
    memset(j->part_right, 0, n * sizeof *j->part_right);
    const double *set = j->set;
    if (choice.segment != TQ_FIT_ALL) {
        set = j->fit->experiments[choice.experiment].sets + choice.segment * j->fit->set_size;
    } else {
        (void)tq_fit_sum_sets(j->fit, choice, j->set + j->fit->set_size, j->set);
    }
    add_gram(j, set, j->part, j->part_right);
    for (size_t c = 0; c < n; c++) {
        for (size_t d = 0; d < n; d++) {
            j->part[c * n + d] = j->whole[c * n + d] - j->part[c * n + d];
        }
        j->part_right[c] = j->right[c] - j->part_right[c];
    }
    const tq_status status = solve_part(j, reterr);
    if (status == TQ_ERR_SINGULAR) {
        /* this group alone tells of some column: no answer without it, so it says nothing */
        return TQ_OK;
    }
    for (size_t c = 0; status == TQ_OK && c < n; c++) {
        j->mean[c] += j->part_right[c];
        j->square[c] += j->part_right[c] * j->part_right[c];
    }
    j->n_group++;
    return status;
}

static tq_status leave_out_each(jackknife *j, tq_error *reterr)
{
    const tq_fit *fit = j->fit;
    const bool by_experiment = fit->n_experiment >= EXPERIMENTS_ENOUGH;
    tq_status status = TQ_OK;
    for (size_t e = 0; status == TQ_OK && e < fit->n_experiment; e++) {
        if (by_experiment) {
            status = leave_out(j, (tq_fit_choice){e, TQ_FIT_ALL, false}, reterr);
            continue;
        }
        for (size_t s = 0; status == TQ_OK && s < fit->experiments[e].n_segment; s++) {
            status = leave_out(j, (tq_fit_choice){e, s, false}, reterr);
        }
    }
    return status;
}

static void fill(const jackknife *j, double t, tq_estimate *estimate, size_t n_sample,
                 const double *set)
{
    const tq_fit *fit = j->fit;
    const double g = (double)j->n_group;
    for (size_t c = 0; c < j->n; c++) {
        tq_estimate *e = &estimate[c];
        const double mean = j->mean[c] / g;
        const double variance = (g - 1.0) / g * fmax(j->square[c] - g * mean * mean, 0.0);
        e->deviation = j->n_group >= 2 ? sqrt(variance) * fit->nominal[c] : (double)NAN;
        e->low = e->value - t * e->deviation;
        e->high = e->value + t * e->deviation;
        e->relative = e->value != 0.0 ? e->deviation / fabs(e->value) : (double)NAN;
        e->effect =
            e->deviation * sqrt(tq_fit_column_square(fit, set, NULL, c) / (double)(n_sample + 1));
    }
}

/* what the textbook inverts of a fit by instruments: its projected columns' products */
static void gram_of_triangle(const jackknife *j)
{
    const size_t n = j->n;
    memset(j->part, 0, n * n * sizeof *j->part);
    for (size_t i = 0; i < n; i++) {
        const double *t = j->found->triangle + i * (n + 1);
        for (size_t c = i; c < n; c++) {
            const double own = t[c] * j->fit->nominal[c];
            for (size_t d = c; d < n; d++) {
                j->part[c * n + d] += own * t[d] * j->fit->nominal[d];
            }
        }
    }
}

static bool take(jackknife *j, tq_scratch *scratch)
{
    const size_t n = j->n;
    j->whole = tq_scratch_take(scratch, n * n, sizeof(double));
    j->part = tq_scratch_take(scratch, n * n, sizeof(double));
    j->right = tq_scratch_take(scratch, n, sizeof(double));
    j->part_right = tq_scratch_take(scratch, n, sizeof(double));
    j->mean = tq_scratch_take(scratch, n, sizeof(double));
    j->square = tq_scratch_take(scratch, n, sizeof(double));
    j->room = tq_scratch_take(scratch, n, sizeof(double));
    j->scratch = scratch;
    j->set = tq_scratch_take(scratch, 2 * j->fit->set_size, sizeof(double));
    return j->whole != NULL && j->part != NULL && j->right != NULL && j->part_right != NULL &&
           j->mean != NULL && j->square != NULL && j->room != NULL && j->set != NULL;
}

static tq_status spread(jackknife *j, const double *set, size_t n_sample, tq_estimate *estimate,
                        double *ret_freedom, tq_error *reterr)
{
    const size_t n = j->n;
    memset(j->whole, 0, n * n * sizeof *j->whole);
    memset(j->right, 0, n * sizeof *j->right);
    memset(j->mean, 0, n * sizeof *j->mean);
    memset(j->square, 0, n * sizeof *j->square);
    add_gram(j, set, j->whole, j->right);
    tq_status status = leave_out_each(j, reterr);
    if (status != TQ_OK) {
        return status;
    }
    /* the textbook's: the residual is one per row and sample by the weights */
    if (tq_fit_has_instruments(j->fit)) {
        gram_of_triangle(j);
        for (size_t c = 0; c < n; c++) { /* what holds it up is its own size */
            j->whole[c * n + c] = j->part[c * n + c];
        }
    } else {
        memcpy(j->part, j->whole, n * n * sizeof *j->part);
    }
    status = factor(j, j->part, reterr);
    if (status == TQ_OK) {
        status = tq_cholesky_invert(n, j->part, n, reterr);
    }
    for (size_t c = 0; c < n; c++) {
        estimate[c].textbook =
            status == TQ_OK ? sqrt(j->part[c * n + c]) * j->fit->nominal[c] : (double)NAN;
    }
    *ret_freedom = j->n_group > 1 ? (double)(j->n_group - 1) : 0.0;
    fill(j, tq_student_quantile(j->fit->options.confidence, *ret_freedom), estimate, n_sample, set);
    return status == TQ_ERR_SINGULAR ? TQ_OK : status;
}

tq_status tq_fit_spread(const tq_fit *fit, const double *set, size_t n_sample,
                        const tq_fit_found *found, tq_scratch *scratch, tq_estimate *estimate,
                        double *ret_freedom, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    jackknife j = {.fit = fit, .found = found, .n = fit->n_column};
    const tq_status status =
        take(&j, scratch)
            ? spread(&j, set, n_sample, estimate, ret_freedom, reterr)
            : tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_statistics_size(fit));
    tq_scratch_rewind(scratch, mark);
    return status;
}

double tq_consistency_measure(const double *values, size_t n, size_t step)
{
    double mean = 0.0;
    for (size_t k = 0; k < n; k++) {
        mean += values[k * step] / (double)n;
    }
    double square = 0.0;
    for (size_t k = 0; k < n; k++) {
        square += (values[k * step] - mean) * (values[k * step] - mean);
    }
    return n < 2 || mean == 0.0 ? (double)NAN : sqrt(square / (double)(n - 1)) / fabs(mean);
}

tq_status tq_fit_consistency(const tq_fit *fit, const tq_fit_found *found, tq_scratch *scratch,
                             tq_estimate *estimate, tq_error *reterr)
{
    const size_t n = fit->n_column;
    for (size_t c = 0; c < n; c++) {
        estimate[c].consistency = (double)NAN;
    }
    if (fit->n_experiment < 2) {
        return TQ_OK;
    }
    (void)found;
    const size_t mark = tq_scratch_mark(scratch);
    double *values = tq_scratch_take(scratch, n * fit->n_experiment, sizeof *values);
    double *set = tq_scratch_take(scratch, 2 * fit->set_size, sizeof *set);
    tq_fit_found own;
    tq_status status = TQ_OK;
    if (values == NULL || set == NULL || !tq_fit_found_take(fit, scratch, &own)) {
        status = tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_statistics_size(fit));
    }
    size_t n_own = 0;
    for (size_t e = 0; status == TQ_OK && e < fit->n_experiment; e++) {
        const size_t n_sample =
            tq_fit_sum_sets(fit, (tq_fit_choice){e, TQ_FIT_ALL, false}, set + fit->set_size, set);
        if (n_sample == 0) {
            continue;
        }
        status = tq_fit_find(fit, set, n_sample, true, scratch, &own, reterr);
        if (status == TQ_OK && values != NULL) {
            memcpy(values + n_own++ * n, own.value, n * sizeof *values);
        }
    }
    for (size_t c = 0; status == TQ_OK && c < n; c++) {
        estimate[c].consistency = tq_consistency_measure(values + c, n_own, n);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
