/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/validation/rollout.c - windows of a recording, vectorised, simulated from measured
 * states with measured torque. */
#include "core/identify/validation/rollout.h"

#include <math.h>
#include <string.h>

#include "core/identify/friction_regressor.h"
#include "core/identify/validation/rollout_private.h"

enum { LANES = TQ_ROLLOUT_LANES, STEPS_OF_A_LOG = 16384 };
static const double step_s = 0.004;
static const double lost_rate = 100.0; /* rad/s, m/s from the measured velocity: diverged */

tq_rollout_plan tq_rollout_plan_for(double period, double horizon, size_t n_sample)
{
    tq_rollout_plan plan = {.period = period, .every = 1};
    const double every = floor(step_s / period + 1e-9);
    plan.every = every > 1.0 ? (size_t)every : 1;
    const double steps = round(horizon / (period * (double)plan.every));
    plan.n_step = !(steps > 1.0)                         ? 1
                  : steps < (double)TQ_ROLLOUT_STEPS_MAX ? (size_t)steps
                                                         : (size_t)TQ_ROLLOUT_STEPS_MAX;
    const size_t steps_all = n_sample / plan.every + 1;
    if (steps_all > STEPS_OF_A_LOG) { /* only every n-th window */
        const size_t one_in = (steps_all + STEPS_OF_A_LOG - 1) / STEPS_OF_A_LOG;
        plan.skip = (one_in - 1) * plan.n_step * plan.every;
    }
    return plan;
}

bool tq_rollout_can(const tq_fit *fit)
{
    return fit->mechanism->model.nq == fit->mechanism->model.nv;
}

static size_t kept_rows(const tq_fit *fit, const tq_rollout_plan *plan)
{
    return tq_rollout_is_drawn(plan) ? 4 * fit->n_row + tq_friction_row_count(fit) : 3 * fit->n_row;
}

/* numbers of the points between two of the recording */
static size_t between_count(const tq_fit *fit, const tq_rollout_plan *plan)
{
    return tq_rollout_parts(plan) > 1 ? 2 * kept_rows(fit, plan) * LANES : 0;
}

size_t tq_rollout_size(const tq_fit *fit, const tq_rollout_plan *plan)
{
    const size_t nv = fit->n_row;
    return tq_scratch_cost(1, sizeof(tq_rollout)) + tq_fit_run_size(fit) +
           tq_scratch_cost((plan->n_step + 1) * kept_rows(fit, plan) * LANES, sizeof(double)) +
           17 * tq_scratch_cost(nv * LANES, sizeof(double)) +
           tq_scratch_cost(3 * nv, sizeof(double)) +
           tq_scratch_cost(between_count(fit, plan), sizeof(double)) +
           (tq_rollout_is_drawn(plan) ? 2 : 1) * tq_scratch_cost(nv * nv * LANES, sizeof(double)) +
           tq_scratch_cost(nv, sizeof(tq_rollout_sums));
}

static bool take(tq_rollout *r, tq_scratch *scratch)
{
    const size_t nv = r->fit->n_row;
    double **rows[] = {&r->q,          &r->v,
                       &r->q2,         &r->v2,
                       &r->k1,         &r->k2,
                       &r->rest,       &r->bodies,
                       &r->damping,    &r->pull,
                       &r->q_rate,     &r->q_before,
                       &r->v_before,   &r->acceleration,
                       &r->integral,   &r->integral_before,
                       &r->sign_before};
    bool good = true;
    r->n_kept = kept_rows(r->fit, &r->plan);
    r->grid = tq_scratch_take(scratch, (r->plan.n_step + 1) * r->n_kept * LANES, sizeof(double));
    r->between = tq_scratch_take(scratch, between_count(r->fit, &r->plan), sizeof(double));
    r->m = tq_scratch_take(scratch, nv * nv * LANES, sizeof(double));
    r->sums = tq_scratch_take(scratch, nv, sizeof *r->sums);
    if (tq_rollout_is_drawn(&r->plan)) {
        r->m_kept = tq_scratch_take(scratch, nv * nv * LANES, sizeof(double));
        good = r->m_kept != NULL;
    }
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        *rows[k] = tq_scratch_take(scratch, nv * LANES, sizeof(double));
        good = good && *rows[k] != NULL;
    }
    r->gain = tq_scratch_take(scratch, 3 * nv, sizeof *r->gain);
    good = good && r->grid != NULL && r->between != NULL && r->m != NULL && r->sums != NULL &&
           r->gain != NULL;
    for (size_t k = 0; good && k < sizeof rows / sizeof rows[0]; k++) {
        memset(*rows[k], 0, nv * LANES * sizeof(double));
    }
    if (good) {
        memset(r->grid, 0, (r->plan.n_step + 1) * r->n_kept * LANES * sizeof(double));
        memset(r->sums, 0, nv * sizeof *r->sums);
    }
    return good;
}

/* Feedback of the plan with unknown gains as they are, and as fitted. */
static void set_feedback(tq_rollout *r)
{
    const tq_fit_model *model = &r->fit->options.model;
    const size_t nv = r->fit->n_row;
    const tq_feedback *own = r->plan.feedback;
    if (own == NULL || model->n_gain == 0) {
        return;
    }
    const double *from[] = {own->kp, own->kd, own->ki};
    for (size_t kind = 0; kind < 3; kind++) {
        for (size_t row = 0; row < nv; row++) {
            r->gain[kind * nv + row] = from[kind] != NULL ? from[kind][row] : 0.0;
        }
    }
    for (size_t k = 0; k < model->n_gain; k++) {
        const tq_unknown_gain *gain = &model->gains[k];
        r->gain[gain->kind * nv + gain->row] = gain->start + gain->change;
    }
    for (size_t t = 0; t < r->fit->n_term; t++) {
        const tq_fit_term *term = &r->fit->terms[t];
        if (tq_column_is_gain(term->kind)) {
            double *gain = &r->gain[(size_t)(term->kind - TQ_COLUMN_KP) * nv + term->row];
            *gain = fmax(*gain + r->value[term->column], 0.0);
        }
    }
    r->feedback = (tq_feedback){.kp = r->gain,
                                .kd = r->gain + nv,
                                .ki = own->ki != NULL ? r->gain + 2 * nv : NULL,
                                .by_mass = own->by_mass};
    r->plan.feedback = &r->feedback;
}

tq_status tq_rollout_begin(const tq_fit *fit, const double *value, const tq_rollout_plan *plan,
                           tq_scratch *scratch, tq_rollout **ret_replay, tq_error *reterr)
{
    if (!tq_rollout_can(fit)) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "nv", 0, (double)fit->n_row);
    }
    if (!(plan->period > 0.0) || plan->every == 0 || plan->n_step == 0 ||
        plan->n_step > TQ_ROLLOUT_STEPS_MAX || plan->overlap > plan->n_step ||
        !(plan->follow >= 0.0)) {
        return tq_fail(reterr, TQ_ERR_RANGE, "plan", 0, (double)plan->n_step);
    }
    tq_rollout *r = tq_scratch_take(scratch, 1, sizeof *r);
    if (r != NULL) {
        *r = (tq_rollout){
            .fit = fit, .value = value, .plan = *plan, .scratch = scratch, .before = (double)NAN};
    }
    if (r == NULL || !take(r, scratch)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_rollout_size(fit, plan));
    }
    const tq_status status = tq_fit_run_take(fit, scratch, &r->run, reterr);
    set_feedback(r);
    if (status == TQ_OK) {
        *ret_replay = r;
    }
    return status;
}

void tq_rollout_rescue(tq_rollout *r, size_t k, size_t n, double most, double *q, double *v)
{
    const size_t nv = r->fit->n_row;
    const double *q_measured = tq_rollout_point(r, k, TQ_ROLLOUT_Q);
    const double *v_measured = tq_rollout_point(r, k, TQ_ROLLOUT_QD);
    for (size_t i = 0; i < n; i++) {
        for (size_t row = 0; row < nv; row++) {
            const size_t at = row * LANES + i;
            r->lost[i] |= !(fabs(v[at] - v_measured[at]) < most) || !isfinite(q[at]);
        }
        for (size_t row = 0; r->lost[i] != 0 && row < nv; row++) {
            q[row * LANES + i] = q_measured[row * LANES + i];
            v[row * LANES + i] = v_measured[row * LANES + i];
        }
    }
}

static void compare(tq_rollout *r, size_t k, size_t n)
{
    const double since = (double)k * r->plan.period * (double)r->plan.every;
    for (size_t row = 0; row < r->fit->n_row; row++) {
        tq_rollout_sums *sums = &r->sums[row];
        const double *q = tq_rollout_point(r, k, TQ_ROLLOUT_Q) + row * LANES;
        const double *v = tq_rollout_point(r, k, TQ_ROLLOUT_QD) + row * LANES;
        const double *q0 = tq_rollout_point(r, 0, TQ_ROLLOUT_Q) + row * LANES;
        const double *v0 = tq_rollout_point(r, 0, TQ_ROLLOUT_QD) + row * LANES;
        for (size_t i = 0; i < n; i++) {
            if (r->lost[i] != 0) {
                continue;
            }
            const double off = r->q[row * LANES + i] - q[i];
            const double off_rate = r->v[row * LANES + i] - v[i];
            const double coasting = q0[i] + since * v0[i] - q[i];
            sums->n++;
            sums->square_q += off * off;
            sums->square_qd += off_rate * off_rate;
            sums->coasting += coasting * coasting;
            if (fabs(off) > sums->worst) {
                sums->worst = fabs(off);
                sums->worst_t = r->start[i];
            }
        }
    }
}

void tq_rollout_watch(tq_rollout *r, tq_rollout_sink *sink, void *ctx)
{
    r->sink = tq_rollout_is_drawn(&r->plan) ? sink : NULL;
    r->sink_ctx = ctx;
}

const tq_feedback *tq_rollout_feedback(const tq_rollout *r)
{
    return r->plan.feedback;
}

/* the state before step k, with its acceleration */
static tq_status show(const tq_rollout *r, size_t k, size_t n, tq_error *reterr)
{
    const tq_rollout_sample sample = {
        .k = k,
        .n = n,
        .q = r->q_before,
        .qd = r->v_before,
        .qdd = r->plan.feedback != NULL ? r->acceleration : r->k1,
        .sign = r->sign_before,
        .measured = {.n_sample = n,
                     .stride = LANES,
                     .q = tq_rollout_point(r, k, TQ_ROLLOUT_Q),
                     .qd = tq_rollout_point(r, k, TQ_ROLLOUT_QD),
                     .qdd = tq_rollout_point(r, k, TQ_ROLLOUT_QDD),
                     .tau = tq_rollout_point(r, k, TQ_ROLLOUT_TAU),
                     .friction_rows = r->has_rows ? tq_rollout_point(r, k, TQ_ROLLOUT_ROWS) : NULL},
        .integral = r->integral_before,
        .lost = r->lost};
    return r->sink(r->sink_ctx, &sample, reterr);
}

static tq_status simulate(tq_rollout *r, tq_error *reterr)
{
    const size_t nv = r->fit->n_row;
    const size_t n = r->n_lane;
    if (n == 0) {
        return TQ_OK;
    }
    memset(r->lost, 0, sizeof r->lost);
    memcpy(r->q, tq_rollout_point(r, 0, TQ_ROLLOUT_Q), nv * LANES * sizeof *r->q);
    memcpy(r->v, tq_rollout_point(r, 0, TQ_ROLLOUT_QD), nv * LANES * sizeof *r->v);
    memset(r->integral, 0, nv * LANES * sizeof *r->integral);
    tq_status status = TQ_OK;
    for (size_t k = 0; status == TQ_OK && k < r->plan.n_step; k++) {
        if (r->sink != NULL) {
            memcpy(r->q_before, r->q, nv * LANES * sizeof *r->q);
            memcpy(r->v_before, r->v, nv * LANES * sizeof *r->v);
            memcpy(r->integral_before, r->integral, nv * LANES * sizeof *r->integral);
        }
        status = tq_rollout_step(r, k, n, reterr);
        tq_rollout_rescue(r, k + 1, n, lost_rate, r->q, r->v);
        compare(r, k + 1, n);
        if (status == TQ_OK && r->sink != NULL) {
            status = show(r, k, n, reterr);
        }
    }
    for (size_t i = 0; i < n; i++) {
        r->n_lost += r->lost[i];
    }
    r->n_window += n;
    r->n_lane = 0;
    return status;
}

static void keep(const tq_rollout *r, const tq_experiment_block *block, const double *from,
                 size_t i, unsigned what, size_t n_row)
{
    double *to = tq_rollout_point(r, r->n_point, what) + r->n_lane;
    for (size_t row = 0; row < n_row; row++) {
        to[row * LANES] = from[row * block->stride + i];
    }
}

/* The window that is complete, in lane `from`, ends as the next one begins. */
static void begin_with_end(tq_rollout *r, size_t from)
{
    const size_t first = r->plan.n_step + 1 - r->plan.overlap;
    for (size_t k = 0; k < r->plan.overlap; k++) {
        const double *of = tq_rollout_point(r, first + k, 0) + from;
        double *to = tq_rollout_point(r, k, 0) + r->n_lane;
        for (size_t row = 0; row < r->n_kept; row++) {
            to[row * LANES] = of[row * LANES];
        }
    }
    r->n_point = r->plan.overlap;
    if (r->plan.overlap > 0) {
        r->start[r->n_lane] = r->last_start + (double)(first * r->plan.every) * r->plan.period;
    }
}

tq_status tq_rollout_push(tq_rollout *r, const tq_experiment_block *block, const double *t,
                          tq_error *reterr)
{
    const size_t nv = r->fit->n_row;
    tq_status status = TQ_OK;
    r->has_rows = block->friction_rows != NULL;
    for (size_t i = 0; status == TQ_OK && i < block->n_sample; i++) {
        const double since = t[i] - r->before;
        /* the first sample, after a gap, or after a clock set back */
        if (!(since > 0.0 && since <= 1.5 * r->plan.period)) {
            r->n_point = r->wait = 0;
        }
        r->before = t[i];
        if (r->wait > 0) {
            r->wait--;
            continue;
        }
        if (r->n_point == 0) {
            r->start[r->n_lane] = t[i];
        }
        keep(r, block, block->q, i, TQ_ROLLOUT_Q, nv);
        keep(r, block, block->qd, i, TQ_ROLLOUT_QD, nv);
        keep(r, block, block->tau, i, TQ_ROLLOUT_TAU, nv);
        if (tq_rollout_is_drawn(&r->plan)) {
            keep(r, block, block->qdd, i, TQ_ROLLOUT_QDD, nv);
        }
        if (tq_rollout_is_drawn(&r->plan) && r->has_rows) {
            keep(r, block, block->friction_rows, i, TQ_ROLLOUT_ROWS, tq_friction_row_count(r->fit));
        }
        r->wait = r->plan.every - 1;
        if (++r->n_point > r->plan.n_step) {
            const size_t lane = r->n_lane++;
            r->wait = r->plan.overlap > 0 ? r->wait : r->plan.skip;
            r->last_start = r->start[lane];
            if (r->n_lane == LANES) {
                status = simulate(r, reterr);
            }
            begin_with_end(r, lane);
        }
    }
    return status;
}

tq_status tq_rollout_end(tq_rollout *r, tq_error *reterr)
{
    r->n_point = 0;
    return simulate(r, reterr);
}

tq_rollout_error tq_rollout_of(const tq_rollout *r, size_t row)
{
    const tq_rollout_sums *sums = &r->sums[row];
    const double n = sums->n > 0 ? (double)sums->n : (double)NAN;
    return (tq_rollout_error){.n = sums->n,
                              .rmse_q = sqrt(sums->square_q / n),
                              .rmse_qd = sqrt(sums->square_qd / n),
                              .coasting_q = sqrt(sums->coasting / n),
                              .worst = sums->worst,
                              .worst_t = sums->worst_t};
}

size_t tq_rollout_windows(const tq_rollout *r, size_t *ret_n_lost)
{
    *ret_n_lost = r->n_lost;
    return r->n_window;
}

static double pooled(double a, double n_a, double b, double n_b)
{
    return sqrt((a * a * n_a + b * b * n_b) / (n_a + n_b));
}

void tq_rollout_add(tq_rollout_error *all, const tq_rollout_error *other)
{
    if (all->n == 0 || other->n == 0) {
        *all = all->n == 0 ? *other : *all;
        return;
    }
    const double n = (double)all->n;
    const double more = (double)other->n;
    all->rmse_q = pooled(all->rmse_q, n, other->rmse_q, more);
    all->rmse_qd = pooled(all->rmse_qd, n, other->rmse_qd, more);
    all->coasting_q = pooled(all->coasting_q, n, other->coasting_q, more);
    if (other->worst > all->worst) {
        all->worst = other->worst;
        all->worst_t = other->worst_t;
    }
    all->n += other->n;
}

double tq_rollout_drift(const tq_rollout_error *joint)
{
    return joint->n > 0 && joint->coasting_q > 1e-5 ? joint->rmse_q / joint->coasting_q
                                                    : (double)NAN;
}
