/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/delay.c - a sliding window of samples along a stream. */
#include "core/identify/delay.h"

#include <string.h>

#include "core/identify/friction_regressor.h"

static size_t row_count(const tq_fit *fit)
{
    return fit->mechanism->model.nq + 3 * fit->n_row + tq_friction_row_count(fit);
}

/* the buffer is twice the window, so that every sample is moved once */
static size_t room_of(const tq_fit *fit)
{
    return 4 * fit->options.lag + 4 * (size_t)TQ_FOLD_RUN;
}

static size_t offset_count(const tq_fit *fit)
{
    size_t n = 0;
    for (size_t r = 0; r < fit->n_row; r++) {
        n += fit->rows[r].width;
    }
    return n;
}

size_t tq_fit_delay_size(const tq_fit *fit)
{
    return tq_scratch_cost(row_count(fit) * room_of(fit), sizeof(double)) +
           tq_scratch_cost(offset_count(fit), sizeof(int64_t)) + 3 * tq_fit_run_size(fit);
}

tq_status tq_fit_delay_take(const tq_fit *fit, tq_scratch *scratch, tq_fit_delay *ret,
                            tq_error *reterr)
{
    *ret = (tq_fit_delay){.fit = fit, .lag = fit->options.lag, .room = room_of(fit)};
    ret->rows = tq_scratch_take(scratch, row_count(fit) * ret->room, sizeof *ret->rows);
    ret->offset = tq_scratch_take(scratch, offset_count(fit), sizeof *ret->offset);
    if (ret->rows == NULL || ret->offset == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_delay_size(fit));
    }
    tq_status status = tq_fit_run_take(fit, scratch, &ret->now, reterr);
    if (status == TQ_OK) {
        status = tq_fit_run_take(fit, scratch, &ret->before, reterr);
    }
    if (status == TQ_OK) {
        status = tq_fit_run_take(fit, scratch, &ret->after, reterr);
    }
    if (status != TQ_OK) {
        return status;
    }
    /* in one scratch, hence comparable */
    const int64_t between = ret->before.values - ret->now.values;
    int64_t *at = ret->offset;
    for (size_t r = 0; r < fit->n_row; r++) {
        const tq_fit_row *row = &fit->rows[r];
        for (size_t c = 0; c < row->n; c++) {
            *at++ = between + row->offset[c];
        }
        for (size_t c = 0; c <= row->n; c++) {
            *at++ = row->offset[c];
        }
    }
    return TQ_OK;
}

static void put_rows(tq_fit_delay *delay, size_t first, size_t n_row, const double *from, size_t n)
{
    for (size_t r = 0; r < n_row; r++) {
        memcpy(delay->rows + (first + r) * delay->room + delay->begin + delay->n,
               from + r * TQ_FOLD_RUN, n * sizeof *from);
    }
}

void tq_fit_delay_put(tq_fit_delay *delay, const tq_fit_run *run, size_t n)
{
    const size_t nq = delay->fit->mechanism->model.nq;
    const size_t nv = delay->fit->n_row;
    if (delay->begin + delay->n + n > delay->room) {
        for (size_t r = 0; r < row_count(delay->fit); r++) {
            double *row = delay->rows + r * delay->room;
            memmove(row, row + delay->begin, delay->n * sizeof *row);
        }
        delay->begin = 0;
    }
    put_rows(delay, 0, nq, run->q, n);
    put_rows(delay, nq, nv, run->qd, n);
    put_rows(delay, nq + nv, nv, run->qdd, n);
    put_rows(delay, nq + 2 * nv, nv, run->tau, n);
    put_rows(delay, nq + 3 * nv, tq_friction_row_count(delay->fit), run->sign, n);
    delay->is_given = run->is_given;
    delay->n += n;
}

void tq_fit_delay_forget(tq_fit_delay *delay)
{
    delay->begin = delay->n = 0;
}

static void get_rows(const tq_fit_delay *delay, size_t first, size_t n_row, size_t at, size_t n,
                     double *to)
{
    for (size_t r = 0; r < n_row; r++) {
        memcpy(to + r * TQ_FOLD_RUN, delay->rows + (first + r) * delay->room + delay->begin + at,
               n * sizeof *to);
    }
}

/* columns of the n samples from `at` on */
static tq_status compute(const tq_fit_delay *delay, size_t at, size_t n, const double *load,
                         tq_fit_run *run, tq_error *reterr)
{
    const size_t nq = delay->fit->mechanism->model.nq;
    const size_t nv = delay->fit->n_row;
    get_rows(delay, 0, nq, at, n, run->q);
    get_rows(delay, nq, nv, at, n, run->qd);
    get_rows(delay, nq + nv, nv, at, n, run->qdd);
    get_rows(delay, nq + 2 * nv, nv, at, n, run->tau);
    get_rows(delay, nq + 3 * nv, tq_friction_row_count(delay->fit), at, n, run->sign);
    run->is_given = delay->is_given;
    return tq_fit_run_compute(delay->fit, run, n, load, reterr);
}

tq_status tq_fit_delay_next(tq_fit_delay *delay, const double *load, size_t *ret_n,
                            tq_error *reterr)
{
    const size_t ready = delay->n > 2 * delay->lag ? delay->n - 2 * delay->lag : 0;
    const size_t n = ready < TQ_FOLD_RUN ? ready : (size_t)TQ_FOLD_RUN;
    *ret_n = n;
    if (n == 0) {
        return TQ_OK;
    }
    tq_status status = compute(delay, 0, n, load, &delay->before, reterr);
    if (status == TQ_OK) {
        status = compute(delay, 2 * delay->lag, n, load, &delay->after, reterr);
    }
    if (status == TQ_OK) {
        status = compute(delay, delay->lag, n, load, &delay->now, reterr);
    }
    for (size_t k = 0; k < delay->fit->run_rows * TQ_FOLD_RUN; k++) {
        delay->before.values[k] = 0.5 * (delay->before.values[k] + delay->after.values[k]);
    }
    delay->begin += n;
    delay->n -= n;
    return status;
}
