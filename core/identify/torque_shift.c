/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/torque_shift.c - misfit of the model to the torque at shifted times, from one set
 * of sums. */
#include "core/identify/torque_shift.h"

#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"
#include "core/identify/friction_regressor.h"
#include "core/identify/regression/fit_private.h"
#include "core/linalg/dense.h"

enum {
    REACH = 10, /* shifted torques on each side */
    TAPS = 2 * REACH + 1,
    POINTS = 6, /* points of an interpolation */
    HALF = POINTS / 2,
    ROUNDS = 6, /* of iterative reweighting */
    LEAST = 200,
};
/* nominal sizes: weak prior that bounds parameters with little effect */
static const double vast = 10.0;
static const double smallest = 1e-4; /* of a row's torque: least deviation */
static const double converged = 0.01;

struct tq_shift {
    const tq_fit *fit;
    const double *value;    /* values from which gear loads are computed */
    double period;          /* s, of the samples; recordings with another period are left out */
    size_t tap;             /* samples between two shifted torques */
    double spacing;         /* s between two shifted torques */
    size_t every;           /* every n-th sample is used */
    size_t width, n_row_of; /* width of the window; rows in it: q, qd, qdd, tau, signs and friction
                               regressors */
    double *window;         /* (n_row_of x width), a ring */
    size_t n_seen, n_filled;
    tq_fit_run run;
    double *taps; /* (n_row x TAPS x TQ_FOLD_RUN) */
    size_t *at;   /* (n_row) offset of a row's Gram matrix */
    double *gram; /* of each row: (columns + TAPS)^2, upper triangle */
    double *sample;
    double n;      /* number of samples in `gram` */
    double *h, *x; /* (n_column^2), (TAPS x n_column) */
    double *left;  /* (n_row x TAPS x TAPS) squared residual as a quadratic form in the taps'
                      weights */
    double *sigma, *usual; /* (n_row) */
};

static size_t width_of(const tq_fit *fit, size_t r)
{
    return fit->rows[r].n + TAPS;
}

static size_t gram_size(const tq_fit *fit)
{
    size_t size = 0;
    for (size_t r = 0; r < fit->n_row; r++) {
        size += width_of(fit, r) * width_of(fit, r);
    }
    return size;
}

static size_t window_rows(const tq_fit *fit)
{
    return fit->mechanism->model.nq + 3 * fit->n_row + tq_friction_row_count(fit);
}

enum { WINDOW_MAX = 2 * REACH * 64 + 1 };

static bool is_possible(const tq_fit *fit)
{
    return gram_size(fit) * sizeof(double) <= TQ_SHIFT_BYTES && !tq_fit_has_instruments(fit);
}

size_t tq_shift_size(const tq_fit *fit)
{
    const size_t n = fit->n_column;
    if (!is_possible(fit)) {
        return 0;
    }
    return tq_scratch_cost(1, sizeof(tq_shift)) +
           tq_scratch_cost(window_rows(fit) * WINDOW_MAX, sizeof(double)) + tq_fit_run_size(fit) +
           tq_scratch_cost(fit->n_row * TAPS * TQ_FOLD_RUN, sizeof(double)) +
           tq_scratch_cost(fit->n_row, sizeof(size_t)) +
           tq_scratch_cost(gram_size(fit), sizeof(double)) +
           tq_scratch_cost(n + TAPS, sizeof(double)) + tq_scratch_cost(n * n, sizeof(double)) +
           tq_scratch_cost(TAPS * n, sizeof(double)) +
           tq_scratch_cost(fit->n_row * TAPS * TAPS, sizeof(double)) +
           2 * tq_scratch_cost(fit->n_row, sizeof(double));
}

tq_status tq_shift_begin(const tq_fit *fit, const double *value, double period, size_t n_sample,
                         tq_scratch *memory, tq_shift **ret, tq_error *reterr)
{
    const size_t n = fit->n_column;
    *ret = NULL;
    if (!is_possible(fit) || !(period > 0.0)) {
        return TQ_OK;
    }
    tq_shift *s = tq_scratch_take(memory, 1, sizeof *s);
    if (s == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, (double)tq_shift_size(fit));
    }
    const double wanted = TQ_SHIFT_FARTHEST / (double)(REACH - HALF + 1);
    *s = (tq_shift){.fit = fit, .value = value, .n_row_of = window_rows(fit)};
    s->tap = (size_t)fmin(fmax(ceil(wanted / period), 1.0), 64.0);
    s->period = period;
    s->spacing = period * (double)s->tap;
    s->width = 2 * REACH * s->tap + 1;
    s->every = n_sample > 4 * TQ_SHIFT_SAMPLES ? n_sample / (2 * TQ_SHIFT_SAMPLES) : 1;
    s->window = tq_scratch_take(memory, s->n_row_of * WINDOW_MAX, sizeof *s->window);
    s->taps = tq_scratch_take(memory, fit->n_row * TAPS * TQ_FOLD_RUN, sizeof *s->taps);
    s->at = tq_scratch_take(memory, fit->n_row, sizeof *s->at);
    s->gram = tq_scratch_take(memory, gram_size(fit), sizeof *s->gram);
    s->sample = tq_scratch_take(memory, n + TAPS, sizeof *s->sample);
    s->h = tq_scratch_take(memory, n * n, sizeof *s->h);
    s->x = tq_scratch_take(memory, TAPS * n, sizeof *s->x);
    s->left = tq_scratch_take(memory, fit->n_row * TAPS * TAPS, sizeof *s->left);
    s->sigma = tq_scratch_take(memory, fit->n_row, sizeof *s->sigma);
    s->usual = tq_scratch_take(memory, fit->n_row, sizeof *s->usual);
    const tq_status status = tq_fit_run_take(fit, memory, &s->run, reterr);
    if (status != TQ_OK || s->usual == NULL) { /* the last of several requests in one scratch */
        return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, (double)tq_shift_size(fit));
    }
    memset(s->gram, 0, gram_size(fit) * sizeof *s->gram);
    for (size_t r = 0, at = 0; r < fit->n_row; r++) {
        s->at[r] = at;
        at += width_of(fit, r) * width_of(fit, r);
    }
    *ret = s;
    return TQ_OK;
}

static void add_row(tq_shift *s, size_t r, size_t i)
{
    const tq_fit_row *row = &s->fit->rows[r];
    const size_t width = width_of(s->fit, r);
    double *x = s->sample;
    for (size_t c = 0; c < row->n; c++) {
        x[c] = s->run.values[row->offset[c] + (int64_t)i];
    }
    for (size_t k = 0; k < TAPS; k++) {
        x[row->n + k] = s->taps[(r * TAPS + k) * TQ_FOLD_RUN + i];
    }
    for (size_t a = 0; a < width; a++) {
        double *line = s->gram + s->at[r] + a * width;
        for (size_t b = a; b < width; b++) {
            line[b] += x[a] * x[b];
        }
    }
}

static tq_status flush(tq_shift *s, tq_error *reterr)
{
    const size_t n = s->n_filled;
    s->n_filled = 0;
    if (n == 0) {
        return TQ_OK;
    }
    s->run.is_given = true;
    const tq_status status = tq_fit_run_compute(s->fit, &s->run, n, s->value, reterr);
    for (size_t r = 0; status == TQ_OK && r < s->fit->n_row; r++) {
        for (size_t i = 0; i < n; i++) {
            add_row(s, r, i);
        }
    }
    s->n += (double)n;
    return status;
}

bool tq_shift_has_enough(const tq_shift *s)
{
    return s->n + (double)s->n_filled >= TQ_SHIFT_SAMPLES;
}

void tq_shift_next(tq_shift *s)
{
    s->n_seen = 0;
}

/* takes the sample in the middle of the window, and the torques around it */
static void put_middle(tq_shift *s)
{
    const size_t nq = s->fit->mechanism->model.nq, nv = s->fit->n_row;
    const size_t oldest = s->n_seen % s->width; /* the next sample to be overwritten */
    const size_t middle = (oldest + REACH * s->tap) % s->width;
    const size_t counts[] = {nq, nv, nv, nv, s->n_row_of - nq - 3 * nv};
    double *const to[] = {s->run.q, s->run.qd, s->run.qdd, s->run.tau, s->run.sign};
    const double *from = s->window;
    for (unsigned k = 0; k < 5; k++) {
        for (size_t r = 0; r < counts[k]; r++, from += s->width) {
            to[k][r * TQ_FOLD_RUN + s->n_filled] = from[middle];
        }
    }
    for (size_t r = 0; r < nv; r++) {
        const double *tau = s->window + (nq + 2 * nv + r) * s->width;
        for (size_t k = 0; k < TAPS; k++) {
            s->taps[(r * TAPS + k) * TQ_FOLD_RUN + s->n_filled] =
                tau[(oldest + k * s->tap) % s->width];
        }
    }
    s->n_filled++;
}

tq_status tq_shift_push(tq_shift *s, const tq_experiment_block *block, tq_error *reterr)
{
    const size_t nq = s->fit->mechanism->model.nq, nv = s->fit->n_row;
    tq_status status = TQ_OK;
    if (block->friction_rows == NULL || fabs(block->period - s->period) > 1e-6 * s->period) {
        /* without a filter the torque is not band-limited */
        return TQ_OK;
    }
    if (block->begins) {
        s->n_seen = 0;
    }
    const double *const from[] = {block->q, block->qd, block->qdd, block->tau,
                                  block->friction_rows};
    const size_t counts[] = {nq, nv, nv, nv, s->n_row_of - nq - 3 * nv};
    for (size_t i = 0; i < block->n_sample && status == TQ_OK && !tq_shift_has_enough(s); i++) {
        double *to = s->window + s->n_seen % s->width;
        for (unsigned k = 0; k < 5; k++) {
            for (size_t r = 0; r < counts[k]; r++, to += s->width) {
                *to = from[k][r * block->stride + i];
            }
        }
        if (++s->n_seen >= s->width && s->n_seen % s->every == 0) {
            put_middle(s);
            status = s->n_filled == TQ_FOLD_RUN ? flush(s, reterr) : TQ_OK;
        }
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * Misfit
 */

static double entry(const tq_shift *s, size_t r, size_t a, size_t b)
{
    const size_t low = a < b ? a : b, high = a < b ? b : a;
    return s->gram[s->at[r] + low * width_of(s->fit, r) + high];
}

/* x = (sum_r w Y^T Y)^-1 sum_r w Y^T [torques], one row of x for each */
static bool solve(tq_shift *s)
{
    const size_t n = s->fit->n_column;
    memset(s->h, 0, n * n * sizeof *s->h);
    memset(s->x, 0, TAPS * n * sizeof *s->x);
    for (size_t r = 0; r < s->fit->n_row; r++) {
        const tq_fit_row *row = &s->fit->rows[r];
        const double w = 1.0 / (s->sigma[r] * s->sigma[r]);
        for (size_t a = 0; a < row->n; a++) {
            for (size_t b = 0; b <= a; b++) { /* lists of columns ascend */
                s->h[row->column[b] * n + row->column[a]] += w * entry(s, r, b, a);
            }
            for (size_t k = 0; k < TAPS; k++) {
                s->x[k * n + row->column[a]] += w * entry(s, r, a, row->n + k);
            }
        }
    }
    for (size_t c = 0; c < n; c++) {
        const double size = vast * s->fit->nominal[c];
        s->h[c * n + c] += 1.0 / (size * size);
    }
    return tq_cholesky_factor(n, s->h, n, NULL) == TQ_OK &&
           tq_cholesky_solve(n, TAPS, s->h, n, s->x, n, NULL) == TQ_OK;
}

/* left = T^T T - x^T Y^T T - (..)^T + x^T Y^T Y x of row r */
static void form(tq_shift *s, size_t r)
{
    const tq_fit_row *row = &s->fit->rows[r];
    const size_t n = s->fit->n_column;
    double *left = s->left + r * TAPS * TAPS;
    for (size_t k = 0; k < TAPS; k++) {
        const double *xk = s->x + k * n;
        for (size_t a = 0; a < row->n; a++) { /* Y^T Y x - 2 Y^T T, symmetrised below */
            double sum = 0.0;
            for (size_t b = 0; b < row->n; b++) {
                sum += entry(s, r, a, b) * xk[row->column[b]];
            }
            s->sample[a] = sum;
        }
        for (size_t j = 0; j < TAPS; j++) {
            const double *xj = s->x + j * n;
            double sum = entry(s, r, row->n + j, row->n + k);
            for (size_t a = 0; a < row->n; a++) {
                const double value = xj[row->column[a]];
                sum += value * (s->sample[a] - entry(s, r, a, row->n + k)) -
                       xk[row->column[a]] * entry(s, r, a, row->n + j);
            }
            left[j * TAPS + k] = sum;
        }
    }
}

static double left_of(const tq_shift *s, size_t r, const double *weight)
{
    const double *left = s->left + r * TAPS * TAPS;
    double sum = 0.0;
    for (size_t j = 0; j < TAPS; j++) {
        for (size_t k = 0; weight[j] != 0.0 && k < TAPS; k++) {
            sum += weight[j] * left[j * TAPS + k] * weight[k];
        }
    }
    const double least = smallest * s->usual[r];
    return fmax(sum, 0.0) / s->n + least * least;
}

/* Lagrange's weights of the torque `late` after the sample, and of lag times its rate. */
static void weigh(const tq_shift *s, double late, double lag, double *ret)
{
    const double u = late / s->spacing;
    double first = floor(u) - (double)(HALF - 1);
    first = fmin(fmax(first, -(double)REACH), (double)(REACH - POINTS + 1));
    memset(ret, 0, TAPS * sizeof *ret);
    for (size_t i = 0; i < POINTS; i++) {
        double value = 1.0, rate = 0.0;
        for (size_t j = 0; j < POINTS; j++) {
            if (j == i) {
                continue;
            }
            const double apart = (double)i - (double)j;
            const double factor = (u - first - (double)j) / apart;
            rate = rate * factor + value / apart;
            value *= factor;
        }
        ret[(size_t)(first + (double)REACH) + i] = value + lag / s->spacing * rate;
    }
}

static double misfit(const tq_shift *s, double late, double lag)
{
    double weight[TAPS];
    double sum = 0.0;
    weigh(s, late, lag, weight);
    for (size_t r = 0; r < s->fit->n_row; r++) {
        sum += isfinite(s->sigma[r]) ? 0.5 * tq_log(left_of(s, r, weight)) : 0.0;
    }
    return sum;
}

static double misfit_of(const tq_shift *s, bool is_lag, double at)
{
    return is_lag ? misfit(s, -at, at) : misfit(s, at, 0.0);
}

/* Least misfit over delays, or (is_lag) over lags: a grid of 1 ms, then golden section. A lag is
 * evaluated together with the opposite delay, so that only the shape of the response counts. */
static double search(const tq_shift *s, bool is_lag, double *ret_left)
{
    static const double golden = 0.6180339887498949, step = 1e-3;
    const int low_most = is_lag ? 0 : -50;
    double best = 0.0;
    *ret_left = misfit(s, 0.0, 0.0);
    for (int k = low_most; k <= 50; k++) {
        const double at = step * (double)k;
        const double left = misfit_of(s, is_lag, at);
        best = left < *ret_left ? at : best;
        *ret_left = fmin(left, *ret_left);
    }
    double low = best - step, high = best + step;
    for (unsigned k = 0; k < 16; k++) {
        const double a = high - golden * (high - low), b = low + golden * (high - low);
        const bool is_low = misfit_of(s, is_lag, a) < misfit_of(s, is_lag, b);
        high = is_low ? b : high;
        low = is_low ? low : a;
    }
    best = fmax(0.5 * (low + high), is_lag ? 0.0 : -TQ_SHIFT_FARTHEST);
    *ret_left = misfit_of(s, is_lag, best);
    return best;
}

/* iterates the weights of the rows, for the torque at `late`; false: no solution */
static bool converge(tq_shift *s, double late)
{
    double weight[TAPS];
    weigh(s, late, 0.0, weight);
    for (unsigned round = 0; round < ROUNDS; round++) {
        double change = 0.0;
        if (!solve(s)) {
            return false;
        }
        for (size_t r = 0; r < s->fit->n_row; r++) {
            if (!isfinite(s->sigma[r])) {
                continue;
            }
            form(s, r);
            const double now = sqrt(left_of(s, r, weight));
            change = fmax(change, fabs(tq_log(now / s->sigma[r])));
            s->sigma[r] = now;
        }
        if (change < converged) {
            break;
        }
    }
    return true;
}

tq_status tq_shift_find(tq_shift *s, tq_shift_found *ret, tq_error *reterr)
{
    *ret = (tq_shift_found){0};
    const tq_status status = flush(s, reterr);
    if (status != TQ_OK || s->n < (double)LEAST) {
        return status;
    }
    for (size_t r = 0; r < s->fit->n_row; r++) {
        const size_t tau = s->fit->rows[r].n + REACH;
        const double square = entry(s, r, tau, tau) / s->n;
        /* a base that nothing pushes has no torque to be late */
        s->usual[r] = square > 0.0 ? sqrt(square) : 1.0;
        s->sigma[r] = square > 0.0 ? sqrt(square) : (double)INFINITY;
    }
    if (!converge(s, 0.0)) {
        return TQ_OK;
    }
    double left = 0.0;
    const double late = search(s, false, &left);
    if (!converge(s, late)) {
        return TQ_OK;
    }
    ret->late = search(s, false, &left);
    ret->gain = misfit(s, 0.0, 0.0) - left;
    ret->lag = search(s, true, &left);
    ret->lag_gain = misfit(s, 0.0, 0.0) - left;
    return TQ_OK;
}
