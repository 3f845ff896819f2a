/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/validation/residuals.c - sums of residuals, of all samples and by motion of the
 * joint. */
#include "core/identify/validation/residuals.h"

#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"
#include "core/identify/regression/fit_private.h"

enum { PARTS = 3, LAG = 10 };
enum { BY_SLOWNESS, BY_LOAD, BY_POSITION, TERMS };
static const double slow = 0.05; /* rad/s, m/s: decay of low-speed friction */

/* running sums of one row of torque over one part of the data */
struct tq_residuals_row {
    size_t n;
    double tau, tau_square; /* of torque minus its first value */
    double first;
    double residual, square, worst;
    double fastest;
    double beyond;           /* squares */
    double lag_one, lag_ten; /* products of residuals */
    double before[LAG];      /* ring buffer of the last residuals */
    struct {
        double value, square, product; /* sums of a term, its square, its product with residuals */
    } term[TERMS];
};

size_t tq_residuals_size(const tq_fit *fit)
{
    return tq_scratch_cost(PARTS * fit->n_row, sizeof(tq_residuals_row)) +
           tq_scratch_cost(1, sizeof(tq_fit_run)) + tq_fit_run_size(fit);
}

tq_status tq_residuals_begin(const tq_fit *fit, const double *value, double moving,
                             tq_scratch *scratch, tq_residuals *ret_judge, tq_error *reterr)
{
    tq_residuals_row *rows = tq_scratch_take(scratch, PARTS * fit->n_row, sizeof *rows);
    tq_fit_run *run = tq_scratch_take(scratch, 1, sizeof *run);
    if (rows == NULL || run == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_residuals_size(fit));
    }
    const tq_status status = tq_fit_run_take(fit, scratch, run, reterr);
    if (status != TQ_OK) {
        return status;
    }
    memset(rows, 0, PARTS * fit->n_row * sizeof *rows);
    *ret_judge = (tq_residuals){
        .fit = fit, .value = value, .rows = rows, .run = run, .moving = moving, .scratch = scratch};
    return TQ_OK;
}

static void add(tq_residuals_row *row, double tau, double residual)
{
    if (row->n == 0) {
        row->first = tau;
    }
    const double from = tau - row->first;
    row->tau += from;
    row->tau_square += from * from;
    row->residual += residual;
    row->square += residual * residual;
    row->worst = fmax(row->worst, fabs(residual));
    if (row->n >= 1) {
        row->lag_one += residual * row->before[(row->n - 1) % LAG];
    }
    if (row->n >= LAG) {
        row->lag_ten += residual * row->before[row->n % LAG];
    }
    row->before[row->n % LAG] = residual;
    row->n++;
}

/* Regressors of terms that the model may lack, at a sample in motion: torque at rest is anywhere
 * within friction, and shows none of them. */
static void add_terms(tq_residuals_row *row, double q, double qd, double predicted, double residual)
{
    const double sign = qd > 0.0 ? 1.0 : qd < 0.0 ? -1.0 : 0.0;
    const double ratio = qd / slow;
    /* avoids slow underflow of exp() */
    const double fades = ratio * ratio < 700.0 ? tq_exp(-ratio * ratio) : 0.0;
    const double value[TERMS] = {sign * fades, sign * fabs(predicted), q};
    for (unsigned k = 0; k < TERMS; k++) {
        row->term[k].value += value[k];
        row->term[k].square += value[k] * value[k];
        row->term[k].product += value[k] * residual;
    }
}

/* squared correlation of a term with the residual; 0: opposed to it, which friction is not */
static double share(const tq_residuals_row *row, unsigned k)
{
    const double n = (double)row->n;
    const double term = row->term[k].square - row->term[k].value * row->term[k].value / n;
    const double residual = row->square - row->residual * row->residual / n;
    const double product = row->term[k].product - row->term[k].value * row->residual / n;
    const bool is_possible = product > 0.0 || k == BY_POSITION;
    return term > 0.0 && residual > 0.0 && is_possible ? product * product / (term * residual)
                                                       : 0.0;
}

/* predicted high-frequency torque, by the high-frequency acceleration: residuals are of the
 * unfiltered torque */
static void predict_fast(const tq_residuals *judge, const tq_experiment_block *block, size_t row,
                         size_t first, size_t n, double *ret)
{
    const size_t n_row = judge->fit->n_row;
    if (block->fast == NULL) {
        return;
    }
    const double *a = block->fast + row * block->stride + first;
    const double *d = a + n_row * block->stride;
    const double *value = judge->value + judge->fit->n_column + 2 * row;
    for (size_t i = 0; i < n; i++) {
        ret[i] += value[0] * a[i] + value[1] * d[i];
    }
}

/* the coordinate of row `row`; 0 for spherical and floating joints */
static double coordinate(const tq_residuals *judge, size_t row, size_t sample)
{
    const uint32_t of = judge->fit->rows[row].coordinate;
    return of != TQ_NONE ? judge->run->q[(size_t)of * TQ_FOLD_RUN + sample] : 0.0;
}

/* Full dry friction over the column's value: 1, the load, or by the gear of a mimic joint. */
static double full_friction(const tq_fit *fit, const tq_column *column, double load)
{
    if (column->kind == TQ_COLUMN_LOAD) {
        return fabs(load);
    }
    if (column->kind != TQ_COLUMN_PARAMETER) {
        return 1.0;
    }
    const tq_joint *joint = &fit->mechanism->model.joints[column->parameter.joint];
    return joint->mimic != TQ_NONE ? fabs(joint->mimic_multiplier) : 1.0;
}

static bool is_dry(const tq_column *column)
{
    const bool is_coulomb = column->kind == TQ_COLUMN_PARAMETER &&
                            column->parameter.link == TQ_NONE &&
                            column->parameter.kind == TQ_PARAMETER_COULOMB;
    return is_coulomb || column->kind == TQ_COLUMN_STRIBECK || column->kind == TQ_COLUMN_LOAD ||
           column->kind == TQ_COLUMN_COUPLED_COULOMB;
}

/* Squares of the torque beyond friction at rest, of a row's samples without motion:
 * |tau - (model - dry)| - band, dry the friction of signs in the model, band all of it */
static void add_standing(const tq_residuals *judge, size_t row, size_t n, const double *residual,
                         const bool *moves)
{
    const tq_fit *fit = judge->fit;
    const tq_fit_row *columns = &fit->rows[row];
    double dry[TQ_FOLD_RUN] = {0.0};
    double band[TQ_FOLD_RUN] = {0.0};
    double load[TQ_FOLD_RUN];
    tq_fit_run_torque(fit, judge->run, row, TQ_FIT_OF_BODIES, judge->value, load);
    for (size_t c = 0; c < columns->n; c++) {
        const tq_column *column = &fit->columns[columns->column[c]];
        const double x = judge->value[columns->column[c]];
        const double *values = judge->run->values + columns->offset[c];
        for (size_t i = 0; i < n && is_dry(column); i++) {
            dry[i] += x * values[i];
            band[i] += fabs(x) * full_friction(fit, column, load[i]);
        }
    }
    tq_residuals_row *standing = &judge->rows[TQ_RESIDUALS_STANDING * fit->n_row + row];
    for (size_t i = 0; i < n; i++) {
        const double beyond = moves[i] ? 0.0 : fmax(fabs(residual[i] + dry[i]) - band[i], 0.0);
        standing->beyond += beyond * beyond;
    }
}

/* Adds a row's samples; `predicted` is the model's torque. */
static void add_row(const tq_residuals *judge, size_t row, size_t n, const double *tau,
                    const double *rate, const double *predicted)
{
    const size_t n_row = judge->fit->n_row;
    tq_residuals_row *all = &judge->rows[TQ_RESIDUALS_ALL * n_row + row];
    double residual[TQ_FOLD_RUN];
    bool moves[TQ_FOLD_RUN];
    bool is_at_rest = false;
    for (size_t i = 0; i < n; i++) {
        moves[i] = fabs(rate[i]) > judge->moving;
        is_at_rest = is_at_rest || !moves[i];
        residual[i] = tau[i] - predicted[i];
        tq_residuals_row *part =
            &judge->rows[(moves[i] ? TQ_RESIDUALS_MOVING : TQ_RESIDUALS_STANDING) * n_row + row];
        const double q = coordinate(judge, row, i);
        const double qd = judge->run->qd[row * TQ_FOLD_RUN + i];
        add(all, tau[i], residual[i]);
        all->fastest = fmax(all->fastest, fabs(qd));
        add(part, tau[i], residual[i]);
        if (moves[i]) {
            add_terms(part, q, qd, predicted[i], residual[i]);
        }
    }
    if (is_at_rest) {
        add_standing(judge, row, n, residual, moves);
    }
}

void tq_residuals_next(tq_residuals *judge)
{
    tq_fit_run_forget(judge->fit, judge->run);
    for (size_t r = 0; r < PARTS * judge->fit->n_row; r++) {
        memset(judge->rows[r].before, 0, sizeof judge->rows[r].before);
    }
}

tq_status tq_residuals_push(tq_residuals *judge, const tq_experiment_block *block, double *ret_tau,
                            tq_error *reterr)
{
    const tq_fit *fit = judge->fit;
    const tq_fit_run *run = judge->run;
    const size_t stride = block->stride;
    const double *raw = block->tau_raw != NULL ? block->tau_raw : block->tau;
    if (block->begins) {
        tq_residuals_next(judge);
    }
    for (size_t first = 0; first < block->n_sample; first += TQ_FOLD_RUN) {
        const size_t left = block->n_sample - first;
        const size_t n = left < TQ_FOLD_RUN ? left : (size_t)TQ_FOLD_RUN;
        tq_fit_run_copy(fit, judge->run, 0, block, first, n);
        tq_fit_run_signs(fit, run, n);
        const tq_status status = tq_fit_run_compute(fit, run, n, judge->value, reterr);
        if (status != TQ_OK) {
            return status;
        }
        for (size_t r = 0; r < fit->n_row; r++) {
            double predicted[TQ_FOLD_RUN];
            tq_fit_run_torque(fit, run, r, TQ_FIT_OF_ALL, judge->value, predicted);
            predict_fast(judge, block, r, first, n, predicted);
            if (judge->row_is_used == NULL || judge->row_is_used[r]) {
                add_row(judge, r, n, raw + r * stride + first, block->qd + r * stride + first,
                        predicted);
            }
            if (ret_tau != NULL) {
                memcpy(ret_tau + r * stride + first, predicted, n * sizeof *ret_tau);
            }
        }
    }
    return TQ_OK;
}

tq_residual_stats tq_residuals_of(const tq_residuals *judge, unsigned part, size_t row)
{
    const tq_residuals_row *sums = &judge->rows[part * judge->fit->n_row + row];
    const tq_residuals_row *moving = &judge->rows[TQ_RESIDUALS_MOVING * judge->fit->n_row + row];
    const double n = (double)sums->n;
    if (sums->n == 0) {
        return (tq_residual_stats){.rmse = (double)NAN,
                                   .relative_error = (double)NAN,
                                   .worst = (double)NAN,
                                   .mean = (double)NAN,
                                   .lag_one = (double)NAN,
                                   .lag_ten = (double)NAN};
    }
    const double variation = sums->tau_square - sums->tau * sums->tau / n;
    /* a constant torque leaves only rounding */
    const bool constant = !(variation > 1e-14 * (sums->tau_square + n * sums->first * sums->first));
    return (tq_residual_stats){
        .n_sample = sums->n,
        .rmse = sqrt(sums->square / n),
        .relative_error = constant ? (double)NAN : sqrt(sums->square / variation),
        .worst = sums->worst,
        .mean = sums->residual / n,
        .fastest = sums->fastest,
        .lag_one = sums->square > 0.0 ? sums->lag_one / sums->square : (double)NAN,
        .lag_ten = sums->square > 0.0 ? sums->lag_ten / sums->square : (double)NAN,
        .by_slowness = share(moving, BY_SLOWNESS),
        .by_load = share(moving, BY_LOAD),
        .by_position = share(moving, BY_POSITION),
        .beyond = sqrt(sums->beyond / n),
    };
}

void tq_residuals_archive(tq_residuals *judge, tq_archive *archive)
{
    tq_archive_bytes(archive, judge->rows, PARTS * judge->fit->n_row * sizeof *judge->rows);
}

double tq_residual_white(const tq_residual_stats *stats)
{
    return 2.0 / sqrt(stats->n_sample > 0 ? (double)stats->n_sample : 1.0);
}
