/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/commanded/commanded_torque.c - rows of commanded and measured motion: one waits for
 * the next; limits of torque. */
#include <math.h>
#include <string.h>

#include "core/dynamics/inverse.h"
#include "core/signal/commanded/commanded_torque_private.h"

/* ------------------------------------------------------------------------------------------------
 * Memory
 */

static size_t nv_of(const tq_commanded_setup *setup)
{
    return tq_mechanism_model(setup->mechanism)->nv;
}

/* numbers between runs, and the motion of the model */
static size_t number_count(const tq_commanded_setup *setup)
{
    const size_t nv = nv_of(setup);
    return ((size_t)TQ_COMMANDS + TQ_SERIES_COUNT) * nv * TQ_RAW_ROWS + TQ_SERIES_COUNT * nv +
           setup->channels->n + TQ_COMMANDS * nv + 3 * nv;
}

static size_t motion_count(const tq_commanded_setup *setup)
{
    return 4 * nv_of(setup) * ((size_t)TQ_BLOCK_STRIDE + TQ_BLOCK_PAD);
}

size_t tq_commanded_size(const tq_commanded_setup *setup)
{
    return tq_scratch_cost(1, sizeof(tq_commanded)) + tq_scratch_cost(nv_of(setup), sizeof(bool)) +
           tq_scratch_cost(number_count(setup), sizeof(double)) +
           tq_scratch_cost(motion_count(setup), sizeof(double)) +
           tq_scratch_cost(tq_inverse_scratch_size(setup->mechanism, 0), 1);
}

/* `n` numbers from the front of *inout_room */
static double *share(double **inout_room, size_t n)
{
    double *ret = *inout_room;
    *inout_room += n;
    return ret;
}

tq_commanded *tq_commanded_begin(const tq_commanded_setup *setup, tq_scratch *memory)
{
    const tq_model *model = tq_mechanism_model(setup->mechanism);
    const size_t nv = model->nv;
    const size_t size = tq_inverse_scratch_size(setup->mechanism, 0);
    tq_commanded *c = tq_scratch_take(memory, 1, sizeof *c);
    bool *is_angle = tq_scratch_take(memory, nv, sizeof *is_angle);
    double *x = tq_scratch_take(memory, number_count(setup), sizeof *x);
    double *motion = tq_scratch_take(memory, motion_count(setup), sizeof *motion);
    void *inner = tq_scratch_take(memory, size, 1);
    if (c == NULL || is_angle == NULL || x == NULL || motion == NULL || inner == NULL) {
        return NULL;
    }
    memset(x, 0, number_count(setup) * sizeof *x);
    memset(motion, 0, motion_count(setup) * sizeof *motion);
    *c = (tq_commanded){.setup = *setup, .nv = nv, .is_angle = is_angle, .motion = motion};
    c->one = motion + 4 * nv * TQ_BLOCK_STRIDE;
    c->command = share(&x, TQ_COMMANDS * nv * TQ_RAW_ROWS);
    c->series = share(&x, TQ_SERIES_COUNT * nv * TQ_RAW_ROWS);
    c->before = share(&x, TQ_SERIES_COUNT * nv);
    c->held = share(&x, setup->channels->n + TQ_COMMANDS * nv);
    c->integral.nv = nv;
    c->integral.sum = share(&x, nv);
    c->integral.slope = share(&x, nv);
    c->integral.end = share(&x, nv);
    tq_scratch_init(&c->scratch, inner, size);
    memset(is_angle, 0, nv * sizeof *is_angle);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (model->joints[j].nv == 1) {
            is_angle[model->joints[j].v_index] = model->joints[j].kind != TQ_JOINT_PRISMATIC;
        }
    }
    return c;
}

/* ------------------------------------------------------------------------------------------------
 * Rows
 */

double *tq_commanded_row(const tq_commanded *c, tq_command of, size_t r)
{
    return c->command + (of * c->nv + r) * TQ_RAW_ROWS;
}

size_t tq_commanded_resume(tq_commanded *c, tq_raw_run *run)
{
    const size_t n_channel = c->setup.channels->n;
    if (!c->has_held) {
        return 0;
    }
    for (size_t k = 0; k < n_channel; k++) {
        run->values[k * TQ_RAW_ROWS] = c->held[k];
    }
    for (size_t k = 0; k < TQ_COMMANDS * c->nv; k++) {
        c->command[k * TQ_RAW_ROWS] = c->held[n_channel + k];
    }
    run->t[0] = c->held_t;
    run->row[0] = c->held_row;
    run->state[0] = c->held_state;
    c->has_held = false;
    return 1;
}

/* The last row waits for its successor. */
static void hold(tq_commanded *c, const tq_raw_run *run, size_t last)
{
    const size_t n_channel = c->setup.channels->n;
    for (size_t k = 0; k < n_channel; k++) {
        c->held[k] = run->values[k * TQ_RAW_ROWS + last];
    }
    for (size_t k = 0; k < TQ_COMMANDS * c->nv; k++) {
        c->held[n_channel + k] = c->command[k * TQ_RAW_ROWS + last];
    }
    c->held_t = run->t[last];
    c->held_row = run->row[last];
    c->held_state = run->state[last];
    c->has_held = true;
}

static void find_series(const tq_commanded *c, const tq_raw_run *run, size_t n)
{
    const size_t first = c->setup.channels->first[TQ_QUANTITY_Q];
    const size_t of_all = c->nv * TQ_RAW_ROWS;
    for (size_t r = 0; r < c->nv; r++) {
        const double *q = run->values + (first + r) * TQ_RAW_ROWS;
        const double *command = tq_commanded_row(c, TQ_COMMAND_Q, r);
        double *series = c->series + r * TQ_RAW_ROWS;
        for (size_t i = 0; i < n; i++) {
            const double off = command[i] - q[i];
            series[TQ_SERIES_ERROR * of_all + i] =
                c->is_angle[r] && isfinite(off) ? tq_nearest_turn(off) : off;
        }
        memcpy(series + TQ_SERIES_COMMAND * of_all, command, TQ_RAW_ROWS * sizeof *command);
        memcpy(series + TQ_SERIES_COMMANDED_RATE * of_all, tq_commanded_row(c, TQ_COMMAND_QD, r),
               TQ_RAW_ROWS * sizeof *command);
        memcpy(series + TQ_SERIES_POSITION * of_all, q, TQ_RAW_ROWS * sizeof *q);
    }
}

/* Torque at a limit is not the law's. */
static void mark_saturated(const tq_commanded *c, const tq_raw_run *run, size_t n)
{
    const size_t first = c->setup.channels->first[TQ_QUANTITY_TAU];
    for (size_t r = 0; r < c->nv; r++) {
        const double *tau = run->values + (first + r) * TQ_RAW_ROWS;
        tq_rows_check(TQ_QUANTITY_TAU, n, tau, run->state);
        for (size_t i = 0; i < n; i++) {
            if (fabs(tau[i]) >= c->setup.law->limit[r] && run->state[i] == TQ_ROW_GOOD) {
                run->state[i] = TQ_ROW_SATURATED;
            }
        }
    }
}

static void add_sums(const tq_commanded *c, const tq_raw_run *run, size_t n,
                     tq_commanded_sums *sums)
{
    for (size_t r = 0; r < c->nv; r++) {
        const double *q = c->series + (TQ_SERIES_POSITION * c->nv + r) * TQ_RAW_ROWS;
        const double *error = c->series + (TQ_SERIES_ERROR * c->nv + r) * TQ_RAW_ROWS;
        for (size_t i = 0; i < n; i++) {
            if (run->state[i] == TQ_ROW_GOOD) {
                sums[r].n += 1.0;
                sums[r].q += q[i];
                sums[r].q_square += q[i] * q[i];
                sums[r].error_square += error[i] * error[i];
            }
        }
    }
}

static void keep_before(tq_commanded *c, const tq_raw_run *run, size_t last)
{
    for (size_t k = 0; k < TQ_SERIES_COUNT * c->nv; k++) {
        c->before[k] = c->series[k * TQ_RAW_ROWS + last];
    }
    c->t_before = run->t[last];
    c->before_row = run->row[last];
    c->has_before = run->state[last] != TQ_ROW_NOT_FINITE && run->state[last] != TQ_ROW_ABSURD;
}

tq_status tq_commanded_compute(tq_commanded *c, tq_raw_run *run, size_t *inout_n, bool more,
                               tq_commanded_sums *sums, tq_error *reterr)
{
    if (*inout_n == 0) {
        return TQ_OK;
    }
    find_series(c, run, *inout_n);
    if (more) {
        *inout_n -= 1;
        hold(c, run, *inout_n);
    }
    const size_t n = *inout_n;
    if (n == 0) {
        return TQ_OK;
    }
    const tq_status status = tq_commanded_law_compute(c, run, n, reterr);
    if (status != TQ_OK) {
        return status;
    }
    if (sums != NULL) {
        add_sums(c, run, n, sums);
    }
    mark_saturated(c, run, n);
    keep_before(c, run, n - 1);
    return TQ_OK;
}

/* ------------------------------------------------------------------------------------------------
 * What a recording shows of its controller
 */

double tq_commanded_longest_step(const tq_commanded *c)
{
    return c->integral.longest;
}

bool tq_commanded_is_off(const tq_commanded_sums *sums, double *ret_error, double *ret_deviation)
{
    static const double most_error = 1.0;    /* of the deviation of the measured motion */
    static const double least_moving = 1e-3; /* rad, m */
    const double mean = sums->q / sums->n;
    *ret_deviation = sqrt(fmax(sums->q_square / sums->n - mean * mean, 0.0));
    *ret_error = sqrt(sums->error_square / sums->n);
    return *ret_deviation > least_moving && *ret_error > most_error * *ret_deviation;
}
