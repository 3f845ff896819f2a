/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/noise.c - expected attenuation by acceleration noise. */
#include "core/identify/noise.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"
#include "core/identify/regression/fit_private.h"
#include "core/identify/regression/triangle.h"
#include "core/linalg/dense.h"

enum { FREQUENCIES = 4096 };
static const double harmless = 1e-6; /* of a nominal parameter */
static const double hold = 1e-12;    /* regularisation of a scaled Gram matrix, so that it can be
                                        factored */

struct tq_noise_bias {
    const tq_fit *fit;
    const tq_fit_solution *solution;
    tq_fit_run run;
    double *right; /* (n_column) noise part of the Gram matrix times the values; per sample */
    double n;      /* number of samples in `right` */
};

double tq_noise_variance(double density, double rate, const tq_filter *filter, unsigned n_pass,
                         unsigned n_difference)
{
    double sum = 0.0;
    for (size_t k = 0; k < FREQUENCIES; k++) {
        const double f = 0.5 * rate * ((double)k + 0.5) / (double)FREQUENCIES;
        double gain = 1.0; /* amplitude gain */
        for (unsigned p = 0; filter != NULL && p < n_pass; p++) {
            const double once = tq_filter_gain(filter, f, rate);
            gain *= once * once;
        }
        for (unsigned d = 0; d < n_difference; d++) {
            gain *= tq_sin(2.0 * M_PI * f / rate) * rate;
        }
        sum += gain * gain;
    }
    return density * 0.5 * rate * sum / (double)FREQUENCIES;
}

size_t tq_noise_bias_size(const tq_fit *fit)
{
    return tq_scratch_cost(1, sizeof(tq_noise_bias)) + tq_fit_run_size(fit) +
           tq_scratch_cost(fit->n_column, sizeof(double));
}

size_t tq_noise_bias_find_size(const tq_fit *fit)
{
    const size_t n = fit->n_column;
    return tq_scratch_cost(2 * fit->set_size + tq_fit_width(fit), sizeof(double)) +
           tq_scratch_cost(n * n, sizeof(double));
}

tq_status tq_noise_bias_begin(const tq_fit *fit, const tq_fit_solution *solution,
                              tq_scratch *scratch, tq_noise_bias **ret_bias, tq_error *reterr)
{
    tq_noise_bias *b = tq_scratch_take(scratch, 1, sizeof *b);
    double *right = tq_scratch_take(scratch, fit->n_column, sizeof *right);
    if (b == NULL || right == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_noise_bias_size(fit));
    }
    memset(right, 0, fit->n_column * sizeof *right);
    *b = (tq_noise_bias){.fit = fit, .solution = solution, .right = right};
    const tq_status status = tq_fit_run_take(fit, scratch, &b->run, reterr);
    if (status == TQ_OK) {
        *ret_bias = b;
    }
    return status;
}

static double weight_of(const tq_noise_bias *b, size_t r)
{
    return b->solution->sigma[r] > 0.0 ? 1.0 / b->solution->sigma[r] : 0.0;
}

/* change of a column by a unit acceleration, relative to lane 0 without */
static double change(const tq_noise_bias *b, const tq_fit_row *row, size_t c, size_t lane)
{
    const double *x = b->run.values + row->offset[c];
    return x[lane] - x[0];
}

/* noise of acceleration `lane` - 1 after `first`, of all rows */
static void add_lane(tq_noise_bias *b, size_t lane, double variance, double n)
{
    const tq_fit *fit = b->fit;
    for (size_t r = 0; r < fit->n_row; r++) {
        const tq_fit_row *row = &fit->rows[r];
        double torque = 0.0;
        for (size_t c = 0; c < row->n; c++) {
            torque += change(b, row, c, lane) * b->solution->value[row->column[c]];
        }
        const double factor = n * variance * weight_of(b, r) * weight_of(b, r) * torque;
        for (size_t c = 0; c < row->n; c++) {
            b->right[row->column[c]] += factor * change(b, row, c, lane);
        }
    }
}

tq_status tq_noise_bias_push(tq_noise_bias *b, const tq_experiment_block *block,
                             const double *variance, tq_error *reterr)
{
    const tq_fit *fit = b->fit;
    const size_t nq = fit->mechanism->model.nq, nv = fit->n_row;
    const size_t at = block->n_sample / 2;
    for (size_t first = 0; first < nv; first += TQ_FOLD_RUN - 1) {
        const size_t left = nv - first;
        const size_t n = left < TQ_FOLD_RUN - 1 ? left : (size_t)TQ_FOLD_RUN - 1;
        for (size_t lane = 0; lane <= n; lane++) {
            for (size_t i = 0; i < nq; i++) {
                b->run.q[i * TQ_FOLD_RUN + lane] = block->q[i * block->stride + at];
            }
            for (size_t r = 0; r < nv; r++) {
                const size_t to = r * TQ_FOLD_RUN + lane;
                b->run.qd[to] = b->run.tau[to] = b->run.sign[to] = 0.0;
                b->run.qdd[to] = lane > 0 && r == first + lane - 1 ? 1.0 : 0.0;
            }
        }
        const tq_status status =
            tq_fit_run_compute(fit, &b->run, n + 1, b->solution->value, reterr);
        if (status != TQ_OK) {
            return status;
        }
        for (size_t lane = 1; lane <= n; lane++) {
            add_lane(b, lane, variance[first + lane - 1], (double)block->n_sample);
        }
    }
    b->n += (double)block->n_sample;
    return TQ_OK;
}

/* gram += weighted products of a set's columns, in nominal sizes */
static void add_gram(const tq_noise_bias *b, const double *set, double *gram)
{
    const tq_fit *fit = b->fit;
    for (size_t r = 0; r < fit->n_row; r++) {
        const tq_fit_row *row = &fit->rows[r];
        const double square = weight_of(b, r) * weight_of(b, r);
        for (size_t c = 0; c < row->n; c++) {
            for (size_t d = 0; d < row->n; d++) {
                const uint32_t i = row->column[c], k = row->column[d];
                gram[i * fit->n_column + k] += square * fit->nominal[i] * fit->nominal[k] *
                                               tq_fit_row_product(fit, set, r, c, d);
            }
        }
    }
}

tq_status tq_noise_bias_find(const tq_noise_bias *b, tq_scratch *scratch, double *ret_bias,
                             tq_error *reterr)
{
    const tq_fit *fit = b->fit;
    const size_t n = fit->n_column;
    const size_t mark = tq_scratch_mark(scratch);
    double *set = tq_scratch_take(scratch, 2 * fit->set_size + tq_fit_width(fit), sizeof *set);
    double *gram = tq_scratch_take(scratch, n * n, sizeof *gram);
    if (set == NULL || gram == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_noise_bias_find_size(fit));
    }
    const tq_fit_choice all = {TQ_FIT_ALL, TQ_FIT_ALL, false};
    const size_t n_sample = tq_fit_sum_sets(fit, all, set + fit->set_size, set);
    memset(gram, 0, n * n * sizeof *gram);
    add_gram(b, set, gram);
    const double part = b->n > 0.0 ? (double)n_sample / b->n : 0.0;
    for (size_t c = 0; c < n; c++) {
        ret_bias[c] = -part * fit->nominal[c] * b->right[c];
        gram[c * n + c] += hold * gram[c * n + c] + DBL_MIN / DBL_EPSILON;
    }
    tq_status status = tq_cholesky_factor(n, gram, n, reterr);
    if (status == TQ_OK) {
        status = tq_cholesky_solve(n, 1, gram, n, ret_bias, n, reterr);
    }
    for (size_t c = 0; c < n; c++) {
        const bool is_identified = b->solution->estimate[c].grade != TQ_GRADE_UNIDENTIFIED;
        const bool matters = fabs(ret_bias[c]) > harmless; /* spectral leakage is not noise */
        ret_bias[c] =
            status == TQ_OK && is_identified && matters ? ret_bias[c] * fit->nominal[c] : 0.0;
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

double tq_noise_bias_worst(const tq_fit_solution *solution, const double *bias, size_t *ret_column)
{
    double worst = 0.0;
    for (size_t c = 0; c < solution->n_column; c++) {
        const double off = fabs(bias[c]) / solution->estimate[c].deviation;
        if (isfinite(off) && off > worst) {
            worst = off;
            *ret_column = c;
        }
    }
    return worst;
}

void tq_noise_bias_archive(tq_noise_bias *b, tq_archive *archive)
{
    tq_archive_doubles(archive, b->right, b->fit->n_column);
    tq_archive_doubles(archive, &b->n, 1);
}
