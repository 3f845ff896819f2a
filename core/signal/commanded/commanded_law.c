/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/commanded/commanded_law.c - differences, feedback, model and integral of a
 * controller's law along a run of rows. */
#include <math.h>

#include "core/dynamics/inverse.h"
#include "core/signal/commanded/commanded_torque_private.h"

static const double any_motion = 1e6; /* above it, and NaN: of rows that are left out */

/* Steps of time to the rows before and after row i; 0: they are no neighbours. */
typedef struct neighbours {
    double before, after;
} neighbours;

static double step_between(uint64_t row, double t, uint64_t next_row, double next_t)
{
    const double step = next_t - t;
    return next_row == row + 1 && step > 0.0 ? step : 0.0;
}

static neighbours find_neighbours(const tq_commanded *c, const tq_raw_run *run, size_t n, size_t i)
{
    const uint64_t *row = run->row;
    const double *t = run->t;
    neighbours ret = {0};
    if (i > 0 && run->state[i - 1] == TQ_ROW_GOOD) {
        ret.before = step_between(row[i - 1], t[i - 1], row[i], t[i]);
    } else if (i == 0 && c->has_before) {
        ret.before = step_between(c->before_row, c->t_before, row[0], t[0]);
    }
    if (i + 1 < n + (c->has_held ? 1 : 0) && run->state[i + 1] == TQ_ROW_GOOD) {
        ret.after = step_between(row[i], t[i], row[i + 1], t[i + 1]);
    }
    return ret;
}

/* x' and x'' at row i by the parabola through its neighbours, see tq_commanded_compute */
static void differentiate(const tq_commanded *c, tq_commanded_series of, size_t r, size_t i,
                          neighbours step, double *ret_first, double *ret_second)
{
    const double *x = c->series + (of * c->nv + r) * TQ_RAW_ROWS;
    const bool is_angle = c->is_angle[r] && of != TQ_SERIES_COMMANDED_RATE;
    double back = 0.0;
    double forth = 0.0;
    if (step.before > 0.0) {
        const double off = x[i] - (i > 0 ? x[i - 1] : c->before[of * c->nv + r]);
        back = (is_angle ? tq_nearest_turn(off) : off) / step.before;
    }
    if (step.after > 0.0) {
        const double off = x[i + 1] - x[i];
        forth = (is_angle ? tq_nearest_turn(off) : off) / step.after;
    }
    const bool both = step.before > 0.0 && step.after > 0.0;
    const double all = step.before + step.after;
    *ret_first = both ? (step.after * back + step.before * forth) / all : back + forth;
    *ret_second = both ? 2.0 * (forth - back) / all : 0.0;
}

/* e, e' and s of row i into the channels of the gains of a kind */
static void keep_factor(const tq_commanded *c, const tq_raw_run *run, size_t i, tq_gain_kind kind,
                        size_t row, double factor)
{
    const tq_commanded_law *law = c->setup.law;
    const tq_channels *channels = c->setup.channels;
    for (size_t k = 0; k < channels->n_gain; k++) {
        if (law->unknown[k].kind == kind && law->unknown[k].row == row) {
            run->values[(channels->first_gain + k) * TQ_RAW_ROWS + i] = factor;
        }
    }
}

/* kp e + kd e' of row i into the acceleration of the model, or into torque, to which tau_ff adds;
 * the motion of the model beside */
static void find_feedback(const tq_commanded *c, const tq_raw_run *run, size_t n, size_t i)
{
    const tq_commanded_law *law = c->setup.law;
    const tq_channels *channels = c->setup.channels;
    const neighbours step = find_neighbours(c, run, n, i);
    const bool has_rate = channels->has[TQ_QUANTITY_QD];
    for (size_t r = 0; r < c->nv; r++) {
        const double *commanded_rate = tq_commanded_row(c, TQ_COMMAND_QD, r);
        double *motion = c->motion + r * TQ_BLOCK_STRIDE + i;
        double rate_off = 0.0;
        double rate = 0.0;
        double acceleration = 0.0;
        double ignored = 0.0;
        differentiate(c, TQ_SERIES_ERROR, r, i, step, &rate_off, &ignored);
        differentiate(c, TQ_SERIES_POSITION, r, i, step, &rate, &ignored);
        if (c->setup.has_rate) {
            differentiate(c, TQ_SERIES_COMMANDED_RATE, r, i, step, &acceleration, &ignored);
        } else {
            differentiate(c, TQ_SERIES_COMMAND, r, i, step, &ignored, &acceleration);
        }
        if (has_rate) {
            rate = run->values[(channels->first[TQ_QUANTITY_QD] + r) * TQ_RAW_ROWS + i];
        }
        const double e = c->series[(TQ_SERIES_ERROR * c->nv + r) * TQ_RAW_ROWS + i];
        const double e_rate = has_rate && c->setup.has_rate ? commanded_rate[i] - rate : rate_off;
        const double feedback = law->kp[r] * e + law->kd[r] * e_rate;
        keep_factor(c, run, i, TQ_GAIN_KP, r, e);
        keep_factor(c, run, i, TQ_GAIN_KD, r, e_rate);
        const bool is_computed = law->kind == TQ_COMMANDED_COMPUTED;
        motion[0] = c->series[(TQ_SERIES_POSITION * c->nv + r) * TQ_RAW_ROWS + i];
        motion[c->nv * TQ_BLOCK_STRIDE] = is_computed ? rate : 0.0;
        motion[2 * c->nv * TQ_BLOCK_STRIDE] = is_computed ? acceleration + feedback : 0.0;
        run->values[(channels->first[TQ_QUANTITY_TAU] + r) * TQ_RAW_ROWS + i] =
            (is_computed ? 0.0 : feedback) + tq_commanded_row(c, TQ_COMMAND_TAU_FF, r)[i];
    }
}

/* torque of the controller's model behind n_sample rows of `motion` */
static tq_status model_torque(tq_commanded *c, double *motion, size_t n_sample, size_t stride,
                              tq_error *reterr)
{
    const size_t n = c->nv * stride;
    const tq_inverse_input in = {.n_sample = n_sample,
                                 .stride = stride,
                                 .q = motion,
                                 .qd = motion + n,
                                 .qdd = motion + 2 * n,
                                 .without = c->setup.law->kind == TQ_COMMANDED_COMPUTED
                                                ? 0u
                                                : (unsigned)TQ_WITHOUT_FRICTION};
    return tq_inverse_dynamics(c->setup.mechanism, &in, &c->scratch, motion + 3 * n, reterr);
}

/* torque of a model that does not depend on the integral */
static tq_status add_model(tq_commanded *c, const tq_raw_run *run, size_t n, tq_error *reterr)
{
    const tq_commanded_law *law = c->setup.law;
    const size_t first = c->setup.channels->first[TQ_QUANTITY_TAU];
    if (law->kind == TQ_COMMANDED_PD || (law->kind == TQ_COMMANDED_COMPUTED && law->ki != NULL)) {
        return TQ_OK;
    }
    for (size_t k = 0; k < 3 * c->nv; k++) { /* rows that are left out may hold anything */
        double *x = c->motion + k * TQ_BLOCK_STRIDE;
        for (size_t i = 0; i < TQ_BLOCK_STRIDE; i++) {
            x[i] = i < n && fabs(x[i]) < any_motion ? x[i] : 0.0;
        }
    }
    const tq_status status = model_torque(c, c->motion, n, TQ_BLOCK_STRIDE, reterr);
    for (size_t r = 0; status == TQ_OK && r < c->nv; r++) {
        const double *tau = c->motion + (3 * c->nv + r) * TQ_BLOCK_STRIDE;
        for (size_t i = 0; i < n; i++) {
            run->values[(first + r) * TQ_RAW_ROWS + i] += tau[i];
        }
    }
    return status;
}

/* M (qdd_cmd + kp e + kd e' + ki s) + n of row i into c->one */
static tq_status compute_one(tq_commanded *c, size_t i, tq_error *reterr)
{
    const double *ki = c->setup.law->ki;
    for (size_t k = 0; k < 3 * c->nv; k++) {
        const double x = c->motion[k * TQ_BLOCK_STRIDE + i];
        const double sum = k < 2 * c->nv ? 0.0 : ki[k - 2 * c->nv] * c->integral.sum[k - 2 * c->nv];
        c->one[k * TQ_BLOCK_PAD] = fabs(x + sum) < any_motion ? x + sum : 0.0;
    }
    return model_torque(c, c->one, 1, TQ_BLOCK_PAD, reterr);
}

/* Adds the integral's torque, row by row, as it depends on the torque of the row before. */
static tq_status add_integral(tq_commanded *c, const tq_raw_run *run, size_t n, tq_error *reterr)
{
    const tq_commanded_law *law = c->setup.law;
    const bool is_computed = law->kind == TQ_COMMANDED_COMPUTED;
    const size_t first = c->setup.channels->first[TQ_QUANTITY_TAU];
    const double *error = c->series + TQ_SERIES_ERROR * c->nv * TQ_RAW_ROWS;
    tq_status status = TQ_OK;
    for (size_t i = 0; law->ki != NULL && i < n && status == TQ_OK; i++) {
        if (run->state[i] != TQ_ROW_GOOD) { /* the rule goes on from the row before */
            continue;
        }
        tq_error_integral_advance(&c->integral, run->t[i], error + i, TQ_RAW_ROWS);
        status = is_computed ? compute_one(c, i, reterr) : TQ_OK;
        for (size_t r = 0; r < c->nv && status == TQ_OK; r++) {
            double *tau = run->values + (first + r) * TQ_RAW_ROWS + i;
            *tau += is_computed ? c->one[(3 * c->nv + r) * TQ_BLOCK_PAD]
                                : law->ki[r] * c->integral.sum[r];
            keep_factor(c, run, i, TQ_GAIN_KI, r, c->integral.sum[r]);
            tq_error_integral_limit(&c->integral, r, *tau, law->limit[r]);
        }
    }
    return status;
}

tq_status tq_commanded_law_compute(tq_commanded *c, const tq_raw_run *run, size_t n,
                                   tq_error *reterr)
{
    for (size_t i = 0; i < n; i++) {
        find_feedback(c, run, n, i);
    }
    const tq_status status = add_model(c, run, n, reterr);
    return status == TQ_OK ? add_integral(c, run, n, reterr) : status;
}
