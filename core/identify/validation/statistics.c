/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/validation/statistics.c - jackknife over experiments or segments; consistency over
 * experiments. */
#include "core/identify/validation/statistics.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/identify/regression/groups.h"
#include "core/identify/regression/triangle.h"
#include "core/identify/validation/student.h"
#include "core/linalg/dense.h"

void tq_fit_usual_torque(const tq_fit *fit, double *ret_square)
{
    size_t n = 0;
    memset(ret_square, 0, fit->n_row * sizeof *ret_square);
    for (size_t e = 0; e < fit->n_experiment; e++) {
        const tq_fit_experiment *experiment = &fit->experiments[e];
        n += experiment->n_sample;
        for (size_t k = 0; k < experiment->n_segment; k++) {
            for (size_t r = 0; r < fit->n_row; r++) {
                ret_square[r] += tq_fit_row_square(fit, experiment->sets + k * fit->set_size, r);
            }
        }
    }
    for (size_t r = 0; n > 0 && r < fit->n_row; r++) {
        ret_square[r] /= (double)n;
    }
}

/* Row weights scale residuals to 1; ordinary least squares has no weights. */
double tq_fit_residual_unit(const tq_fit *fit, const tq_fit_found *found, size_t n_sample)
{
    const double n = (double)n_sample * (double)fit->n_row - (double)fit->n_column;
    return fit->options.method == TQ_FIT_OLS ? sqrt(found->unconstrained / fmax(n, 1.0)) : 1.0;
}

size_t tq_fit_statistics_size(const tq_fit *fit)
{
    const size_t n = fit->n_column;
    return tq_groups_size(fit) + tq_scratch_cost(2 * fit->set_size, sizeof(double)) +
           tq_fit_found_size(fit) + tq_fit_method_size(fit) +
           tq_scratch_cost(n * fit->n_experiment, sizeof(double));
}

/* the estimate without one group, as its difference from the whole */
static tq_status leave_out(tq_groups *j, tq_fit_choice choice, double *covariance, tq_error *reterr)
{
    const size_t n = j->n;
    memset(j->part, 0, n * n * sizeof *j->part);
    memset(j->part_right, 0, n * sizeof *j->part_right);
    tq_groups_add(j, choice, j->part, j->part_right);
    for (size_t c = 0; c < n; c++) {
        for (size_t d = 0; d < n; d++) {
            j->part[c * n + d] = j->whole[c * n + d] - j->part[c * n + d];
        }
        j->part_right[c] = j->right[c] - j->part_right[c];
    }
    const tq_status status = tq_groups_solve(j, reterr);
    if (status == TQ_ERR_SINGULAR) {
        /* some column is identified by this group alone: without it there is no estimate, so it is
         * omitted */
        return TQ_OK;
    }
    for (size_t c = 0; status == TQ_OK && c < n; c++) {
        j->mean[c] += j->part_right[c];
        j->square[c] += j->part_right[c] * j->part_right[c];
        for (size_t d = 0; d < n; d++) {
            covariance[c * n + d] += j->part_right[c] * j->part_right[d];
        }
    }
    j->n_group++;
    return status;
}

static void forget_groups(tq_groups *j)
{
    memset(j->mean, 0, j->n * sizeof *j->mean);
    memset(j->square, 0, j->n * sizeof *j->square);
    j->n_group = 0;
}

/* jackknife deviation: its square is (g - 1) / g sum (x_k - mean)^2 */
static double deviation_of(const tq_groups *j, size_t c)
{
    const double g = (double)j->n_group;
    const double mean = j->mean[c] / g;
    const double variance = (g - 1.0) / g * fmax(j->square[c] - g * mean * mean, 0.0);
    return j->n_group >= 2 ? sqrt(variance) * j->fit->nominal[c] : (double)NAN;
}

static tq_status leave_out_each(tq_groups *j, double *covariance, tq_error *reterr)
{
    const tq_fit *fit = j->fit;
    const size_t n = j->n;
    tq_status status = TQ_OK;
    memset(covariance, 0, n * n * sizeof *covariance);
    for (size_t k = 0; status == TQ_OK && k < tq_groups_count(fit); k++) {
        status = leave_out(j, tq_groups_choice(fit, k), covariance, reterr);
    }
    const double g = (double)j->n_group;
    for (size_t c = 0; c < n; c++) {
        for (size_t d = 0; d < n; d++) {
            const double sum = covariance[c * n + d] - j->mean[c] * j->mean[d] / g;
            covariance[c * n + d] = j->n_group >= 2
                                        ? (g - 1.0) / g * sum * fit->nominal[c] * fit->nominal[d]
                                        : (double)NAN;
        }
    }
    return status;
}

static double freedom_of(const tq_groups *j)
{
    return j->n_group > 1 ? (double)(j->n_group - 1) : 0.0;
}

static void fill(const tq_groups *j, tq_estimate *estimate)
{
    const double freedom = freedom_of(j);
    const double t = tq_student_quantile(j->fit->options.confidence, freedom);
    for (size_t c = 0; c < j->n; c++) {
        tq_estimate *e = &estimate[c];
        e->deviation = deviation_of(j, c);
        e->freedom = freedom;
        e->low = e->value - t * e->deviation;
        e->high = e->value + t * e->deviation;
        e->raised = 1.0;
    }
}

/* Covariance of segments with raised deviations and unchanged correlations: D C D, which stays
 * positive definite. */
static void raise_covariance(size_t n, size_t c, const tq_estimate *e, double *covariance)
{
    for (size_t d = 0; d < n && isfinite(e->raised); d++) {
        covariance[c * n + d] *= e->raised;
        covariance[d * n + c] *= e->raised;
    }
    covariance[c * n + c] = e->deviation * e->deviation;
}

/* influence of an experiment on the estimate: A^-1 times its products with the residual */
static tq_status add_pull(tq_groups *j, size_t experiment, tq_error *reterr)
{
    const size_t n = j->n;
    memset(j->part, 0, n * n * sizeof *j->part);
    memset(j->part_right, 0, n * sizeof *j->part_right);
    tq_groups_add(j, (tq_fit_choice){experiment, TQ_FIT_ALL, false}, j->part, j->part_right);
    memcpy(j->part, j->whole, n * n * sizeof *j->part);
    const tq_status status = tq_groups_solve(j, reterr);
    for (size_t c = 0; status == TQ_OK && c < n; c++) {
        j->mean[c] += j->part_right[c];
        j->square[c] += j->part_right[c] * j->part_right[c];
    }
    j->n_group++;
    return status;
}

/* Two or three experiments are too few as the only groups, and segments of time do not contain
 * changes between runs. Deviations are the larger of both. If experiments differ significantly (at
 * the requested confidence) from the noise of their segments, intervals have their g - 1 degrees of
 * freedom: for two experiments 1, whose 95 % interval is 12.7 deviations. Their variance is g / (g
 * - 1) sum (pull - mean)^2: s^2 / g if all are equally informative; an experiment with little
 * information on a parameter has little weight. (Liang & Zeger, Biometrika 73(1), 1986.) */
static tq_status add_experiments(tq_groups *j, tq_fit_solution *ret, tq_error *reterr)
{
    const tq_fit *fit = j->fit;
    tq_status status = TQ_OK;
    forget_groups(j);
    for (size_t e = 0; status == TQ_OK && e < fit->n_experiment; e++) {
        status = add_pull(j, e, reterr);
    }
    const double g = (double)j->n_group;
    const double t = tq_student_quantile(fit->options.confidence, g - 1.0);
    const double t_segments = tq_student_quantile(fit->options.confidence, ret->freedom);
    for (size_t c = 0; status == TQ_OK && c < j->n; c++) {
        tq_estimate *e = &ret->estimate[c];
        const double square = j->square[c] - j->mean[c] * j->mean[c] / g;
        const double between = sqrt(g / (g - 1.0) * fmax(square, 0.0)) * fit->nominal[c];
        if (between > e->deviation) {
            e->raised = between / e->deviation;
            e->deviation = between;
            raise_covariance(j->n, c, e, ret->covariance);
            const bool by_chance = e->raised <= t_segments;
            e->freedom = by_chance ? e->freedom : g - 1.0;
            e->low = e->value - (by_chance ? t_segments : t) * between;
            e->high = e->value + (by_chance ? t_segments : t) * between;
        }
    }
    return status == TQ_ERR_SINGULAR ? TQ_OK : status;
}

static void fill_sizes(const tq_groups *j, const double *set, size_t n_sample,
                       tq_estimate *estimate)
{
    for (size_t c = 0; c < j->n; c++) {
        tq_estimate *e = &estimate[c];
        const double square = tq_fit_column_square(j->fit, set, NULL, c) / (double)(n_sample + 1);
        e->relative = e->value != 0.0 ? e->deviation / fabs(e->value) : (double)NAN;
        e->effect = e->deviation * sqrt(square);
    }
}

/* normal matrix of a fit by instruments: products of its projected columns */
static void gram_of_triangle(const tq_groups *j)
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

static tq_status spread(tq_groups *j, const double *set, tq_fit_solution *ret, tq_error *reterr)
{
    const size_t n = j->n;
    memset(j->whole, 0, n * n * sizeof *j->whole);
    memset(j->right, 0, n * sizeof *j->right);
    forget_groups(j);
    tq_groups_add_set(j, set, j->whole, j->right);
    tq_status status = leave_out_each(j, ret->covariance, reterr);
    if (status != TQ_OK) {
        return status;
    }
    ret->freedom = freedom_of(j);
    fill(j, ret->estimate);
    if (j->fit->n_experiment > 1 && !tq_groups_are_experiments(j->fit)) {
        status = add_experiments(j, ret, reterr);
        if (status != TQ_OK) {
            return status;
        }
    }
    fill_sizes(j, set, ret->n_sample, ret->estimate);
    const double unit = tq_fit_residual_unit(j->fit, j->found, ret->n_sample);
    if (tq_fit_has_instruments(j->fit)) {
        gram_of_triangle(j);
        for (size_t c = 0; c < n; c++) { /* regularisation relative to the diagonal entry */
            j->whole[c * n + c] = j->part[c * n + c];
        }
    } else {
        memcpy(j->part, j->whole, n * n * sizeof *j->part);
    }
    status = tq_groups_factor(j, j->part, reterr);
    if (status == TQ_OK) {
        status = tq_cholesky_invert(n, j->part, n, reterr);
    }
    for (size_t c = 0; c < n; c++) {
        ret->estimate[c].textbook =
            status == TQ_OK ? unit * sqrt(j->part[c * n + c]) * j->fit->nominal[c] : (double)NAN;
    }
    return status == TQ_ERR_SINGULAR ? TQ_OK : status;
}

tq_status tq_fit_spread(const tq_fit *fit, const double *set, const tq_fit_found *found,
                        tq_scratch *scratch, tq_fit_solution *ret, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    tq_groups j;
    const tq_status status =
        tq_groups_take(fit, found, scratch, &j)
            ? spread(&j, set, ret, reterr)
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

/* Mean square residual of separate fits of experiments, corrected for their degrees of freedom;
 * NaN: none left */
static void own_noise(const tq_fit *fit, size_t n_sample, size_t n_own, double *inout_square)
{
    const double taken = (double)(n_own * fit->n_column) / (double)fit->n_row;
    const double freedom = (double)n_sample - taken;
    for (size_t r = 0; r < fit->n_row; r++) {
        inout_square[r] = freedom > 0.0 ? sqrt(inout_square[r] / freedom) : (double)NAN;
    }
}

tq_status tq_fit_consistency(const tq_fit *fit, tq_scratch *scratch, tq_estimate *estimate,
                             double *ret_noise, tq_error *reterr)
{
    const size_t n = fit->n_column;
    for (size_t c = 0; c < n; c++) {
        estimate[c].consistency = (double)NAN;
    }
    for (size_t r = 0; r < fit->n_row; r++) {
        ret_noise[r] = fit->n_experiment < 2 ? (double)NAN : 0.0;
    }
    if (fit->n_experiment < 2) {
        return TQ_OK;
    }
    const size_t mark = tq_scratch_mark(scratch);
    double *values = tq_scratch_take(scratch, n * fit->n_experiment, sizeof *values);
    double *set = tq_scratch_take(scratch, 2 * fit->set_size, sizeof *set);
    tq_fit_found own;
    tq_status status = TQ_OK;
    if (values == NULL || set == NULL || !tq_fit_found_take(fit, scratch, &own)) {
        status = tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_statistics_size(fit));
    }
    size_t n_own = 0, n_all = 0;
    for (size_t e = 0; status == TQ_OK && e < fit->n_experiment; e++) {
        const size_t n_sample =
            tq_fit_sum_sets(fit, (tq_fit_choice){e, TQ_FIT_ALL, false}, set + fit->set_size, set);
        if (n_sample == 0) {
            continue;
        }
        status = tq_fit_find(fit, set, n_sample, true, scratch, &own, reterr);
        if (status == TQ_OK && values != NULL) {
            memcpy(values + n_own++ * n, own.value, n * sizeof *values);
            n_all += n_sample;
        }
        for (size_t r = 0; status == TQ_OK && r < fit->n_row; r++) {
            ret_noise[r] += (double)n_sample * own.sigma[r] * own.sigma[r];
        }
    }
    own_noise(fit, n_all, n_own, ret_noise);
    for (size_t c = 0; status == TQ_OK && c < n; c++) {
        estimate[c].consistency = tq_consistency_measure(values + c, n_own, n);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
