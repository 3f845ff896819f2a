/* SPDX-License-Identifier: Apache-2.0 */
/* core/calibrate/replay.c - windows of a log, side by side on lanes, simulated from measured states
 * with measured torque. */
#include "core/calibrate/replay.h"

#include <math.h>
#include <string.h>

#include "core/calibrate/fit_state.h"

enum { LANES = TQ_FOLD_RUN, STEPS_OF_A_LOG = 16384 };
static const double gamma_of = 0.29289321881345254; /* 1 - 1/sqrt(2): stiff friction dies out */
static const double least_width = 1e-3;             /* rad/s, m/s: of a sharp sign */
static const double step_s = 0.004;
static const double lost_rate = 100.0; /* rad/s, m/s off what was measured: nothing to compare */

typedef struct replay_sums {
    size_t n;
    double square_q, square_qd, coasting, worst, worst_t;
} replay_sums;

struct tq_replay {
    const tq_fit *fit;
    const double *value;
    tq_replay_plan plan;
    tq_fit_run run;
    tq_scratch *scratch;

    double *grid; /* ((n_step + 1) x 3 nv x LANES): q, qd, tau of every step of every window */
    double start[LANES];
    size_t n_lane;  /* whole windows */
    size_t n_point; /* of the window at hand */
    size_t wait;    /* samples before the next point */
    double before;  /* time of the last sample; NaN: none */
    size_t n_window, n_lost;

    /* of the lanes: (nv x LANES), m (nv x nv x LANES) */
    double *q, *v, *q2, *v2, *k1, *k2, *rest, *bodies, *damping, *m;
    unsigned char lost[LANES];
    replay_sums *sums; /* (nv) */
};

tq_replay_plan tq_replay_plan_for(double period, double horizon, size_t n_sample)
{
    tq_replay_plan plan = {.period = period, .every = 1};
    const double every = floor(step_s / period + 1e-9);
    plan.every = every > 1.0 ? (size_t)every : 1;
    const double steps = round(horizon / (period * (double)plan.every));
    plan.n_step = !(steps > 1.0)                        ? 1
                  : steps < (double)TQ_REPLAY_STEPS_MAX ? (size_t)steps
                                                        : (size_t)TQ_REPLAY_STEPS_MAX;
    const size_t steps_all = n_sample / plan.every + 1;
    if (steps_all > STEPS_OF_A_LOG) { /* one window in so many */
        const size_t one_in = (steps_all + STEPS_OF_A_LOG - 1) / STEPS_OF_A_LOG;
        plan.skip = (one_in - 1) * plan.n_step * plan.every;
    }
    return plan;
}

bool tq_replay_can(const tq_fit *fit)
{
    return fit->mechanism->model.nq == fit->mechanism->model.nv;
}

size_t tq_replay_size(const tq_fit *fit, const tq_replay_plan *plan)
{
    const size_t nv = fit->n_row;
    return tq_scratch_cost(1, sizeof(tq_replay)) + tq_fit_run_size(fit) +
           tq_scratch_cost((plan->n_step + 1) * 3 * nv * LANES, sizeof(double)) +
           9 * tq_scratch_cost(nv * LANES, sizeof(double)) +
           tq_scratch_cost(nv * nv * LANES, sizeof(double)) +
           tq_scratch_cost(nv, sizeof(replay_sums));
}

static bool take(tq_replay *r, tq_scratch *scratch)
{
    const size_t nv = r->fit->n_row;
    double **rows[] = {&r->q,  &r->v,    &r->q2,     &r->v2,     &r->k1,
                       &r->k2, &r->rest, &r->bodies, &r->damping};
    bool good = true;
    r->grid = tq_scratch_take(scratch, (r->plan.n_step + 1) * 3 * nv * LANES, sizeof(double));
    r->m = tq_scratch_take(scratch, nv * nv * LANES, sizeof(double));
    r->sums = tq_scratch_take(scratch, nv, sizeof *r->sums);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        *rows[k] = tq_scratch_take(scratch, nv * LANES, sizeof(double));
        good = good && *rows[k] != NULL;
    }
    good = good && r->grid != NULL && r->m != NULL && r->sums != NULL;
    for (size_t k = 0; good && k < sizeof rows / sizeof rows[0]; k++) {
        memset(*rows[k], 0, nv * LANES * sizeof(double));
    }
    if (good) {
        memset(r->grid, 0, (r->plan.n_step + 1) * 3 * nv * LANES * sizeof(double));
        memset(r->sums, 0, nv * sizeof *r->sums);
    }
    return good;
}

tq_status tq_replay_begin(const tq_fit *fit, const double *value, const tq_replay_plan *plan,
                          tq_scratch *scratch, tq_replay **ret_replay, tq_error *reterr)
{
    if (!tq_replay_can(fit)) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "nv", 0, (double)fit->n_row);
    }
    if (!(plan->period > 0.0) || plan->every == 0 || plan->n_step == 0 ||
        plan->n_step > TQ_REPLAY_STEPS_MAX) {
        return tq_fail(reterr, TQ_ERR_RANGE, "plan", 0, (double)plan->n_step);
    }
    tq_replay *r = tq_scratch_take(scratch, 1, sizeof *r);
    if (r != NULL) {
        *r = (tq_replay){
            .fit = fit, .value = value, .plan = *plan, .scratch = scratch, .before = (double)NAN};
    }
    if (r == NULL || !take(r, scratch)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_replay_size(fit, plan));
    }
    const tq_status status = tq_fit_run_take(fit, scratch, &r->run, reterr);
    if (status == TQ_OK) {
        *ret_replay = r;
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * Dynamics of the lanes
 */

static bool is_by_load(const tq_column *column)
{
    return column->kind == TQ_COLUMN_LOAD;
}

/* the model's torque of a row; friction by load is no linear function of acceleration */
static void torque_of(const tq_replay *r, size_t row, bool with_load, size_t n, double *ret)
{
    const tq_fit_row *of = &r->fit->rows[row];
    memset(ret, 0, n * sizeof *ret);
    for (size_t c = 0; c < of->n; c++) {
        if (!with_load && is_by_load(&r->fit->columns[of->column[c]])) {
            continue;
        }
        const double *x = r->run.values + of->offset[c];
        const double value = r->value[of->column[c]];
        for (size_t i = 0; i < n; i++) {
            ret[i] += x[i] * value;
        }
    }
}

static double width_of(const tq_replay *r, uint32_t joint)
{
    const double own = r->fit->mechanism->model.joints[joint].friction.smoothing;
    const double width = r->fit->options.model.smoothing;
    return fmax(width >= 0.0 ? width : own, least_width);
}

static bool has_sign(const tq_column *column)
{
    return column->kind == TQ_COLUMN_STRIBECK || column->kind == TQ_COLUMN_LOAD ||
           (column->kind == TQ_COLUMN_PARAMETER && column->parameter.kind == TQ_PARAMETER_COULOMB);
}

/* torque over rate, of all friction of a row: its slope as seen from rest */
static void find_damping(const tq_replay *r, size_t n)
{
    const tq_fit *fit = r->fit;
    const double *terms = r->run.values + fit->n_row * fit->n_link_column * TQ_FOLD_RUN;
    memset(r->damping, 0, fit->n_row * LANES * sizeof *r->damping);
    for (size_t t = 0; t < fit->n_term; t++) {
        const tq_column *column = &fit->columns[fit->terms[t].column];
        const bool viscous =
            column->kind == TQ_COLUMN_PARAMETER && column->parameter.kind == TQ_PARAMETER_VISCOUS;
        if (!viscous && !has_sign(column)) {
            continue;
        }
        const size_t row = fit->terms[t].row;
        const double value = r->value[fit->terms[t].column];
        for (size_t i = 0; i < n; i++) {
            const double v = r->run.qd[row * TQ_FOLD_RUN + i];
            r->damping[row * LANES + i] += value * terms[t * TQ_FOLD_RUN + i] / v;
        }
    }
    for (size_t e = 0; e < fit->n_row * LANES; e++) {
        r->damping[e] = fmax(r->damping[e], 0.0);
    }
}

/* signs of the rates, none of which is quite zero */
static void set_rates(const tq_replay *r, const double *v, size_t n)
{
    const tq_model *model = &r->fit->mechanism->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (tq_joint_kind_nv(joint->kind) != 1 || joint->mimic != TQ_NONE) {
            continue;
        }
        const size_t row = joint->v_index;
        const double width = width_of(r, j);
        for (size_t i = 0; i < n; i++) {
            const double rate = v[row * LANES + i];
            const double some = fabs(rate) < 1e-9 * width ? 1e-9 * width : rate;
            r->run.qd[row * TQ_FOLD_RUN + i] = some;
            r->run.sign[row * TQ_FOLD_RUN + i] = tanh(some / width);
        }
    }
}

/* column j of m: what a unit of acceleration adds to the torque */
static tq_status find_column(tq_replay *r, size_t j, size_t n, tq_error *reterr)
{
    const size_t nv = r->fit->n_row;
    double torque[LANES];
    memset(r->run.qdd, 0, nv * TQ_FOLD_RUN * sizeof *r->run.qdd);
    for (size_t i = 0; i < n; i++) {
        r->run.qdd[j * TQ_FOLD_RUN + i] = 1.0;
    }
    const tq_status status = tq_fit_run_compute(r->fit, &r->run, n, r->value, reterr);
    for (size_t row = 0; status == TQ_OK && row < nv; row++) {
        torque_of(r, row, false, n, torque);
        double *entry = r->m + (j * nv + row) * LANES;
        for (size_t i = 0; i < n; i++) {
            entry[i] = torque[i] - r->bodies[row * LANES + i];
        }
    }
    return status;
}

/* m, and rest: torque without acceleration, at q and v; damping too where asked for */
static tq_status evaluate(tq_replay *r, const double *q, const double *v, size_t n, bool damping,
                          tq_error *reterr)
{
    const size_t nv = r->fit->n_row;
    memcpy(r->run.q, q, nv * LANES * sizeof *q);
    memset(r->run.qdd, 0, nv * TQ_FOLD_RUN * sizeof *r->run.qdd);
    set_rates(r, v, n);
    tq_status status = tq_fit_run_compute(r->fit, &r->run, n, r->value, reterr);
    for (size_t row = 0; status == TQ_OK && row < nv; row++) {
        torque_of(r, row, true, n, r->rest + row * LANES);
        torque_of(r, row, false, n, r->bodies + row * LANES);
    }
    if (status == TQ_OK && damping) {
        find_damping(r, n);
    }
    for (size_t j = 0; status == TQ_OK && j < nv; j++) {
        status = find_column(r, j, n, reterr);
    }
    return status;
}

/* m += factor damping, then its Cholesky factor L, all lanes at once; lanes without one are lost */
static void factor(tq_replay *r, double by, size_t n)
{
    const size_t nv = r->fit->n_row;
    for (size_t k = 0; k < nv; k++) {
        double *pivot = r->m + (k * nv + k) * LANES;
        for (size_t i = 0; i < n; i++) {
            const double x = pivot[i] + by * r->damping[k * LANES + i];
            r->lost[i] |= !(x > 0.0);
            pivot[i] = x > 0.0 ? sqrt(x) : 1.0;
        }
        for (size_t row = k + 1; row < nv; row++) {
            double *x = r->m + (k * nv + row) * LANES;
            for (size_t i = 0; i < n; i++) {
                x[i] /= pivot[i];
            }
        }
        /* the pivots to come have their damping still to get: only what is below changes */
        for (size_t j = k + 1; j < nv; j++) {
            const double *xj = r->m + (k * nv + j) * LANES;
            for (size_t row = j; row < nv; row++) {
                const double *x = r->m + (k * nv + row) * LANES;
                double *to = r->m + (j * nv + row) * LANES;
                for (size_t i = 0; i < n; i++) {
                    to[i] -= x[i] * xj[i];
                }
            }
        }
    }
}

/* b := (L L^T)^-1 b */
static void solve(const tq_replay *r, double *b, size_t n)
{
    const size_t nv = r->fit->n_row;
    for (size_t k = 0; k < nv; k++) {
        const double *pivot = r->m + (k * nv + k) * LANES;
        for (size_t i = 0; i < n; i++) {
            b[k * LANES + i] /= pivot[i];
        }
        for (size_t row = k + 1; row < nv; row++) {
            const double *x = r->m + (k * nv + row) * LANES;
            for (size_t i = 0; i < n; i++) {
                b[row * LANES + i] -= x[i] * b[k * LANES + i];
            }
        }
    }
    for (size_t k = nv; k-- > 0;) {
        const double *pivot = r->m + (k * nv + k) * LANES;
        for (size_t row = k + 1; row < nv; row++) {
            const double *x = r->m + (k * nv + row) * LANES;
            for (size_t i = 0; i < n; i++) {
                b[k * LANES + i] -= x[i] * b[row * LANES + i];
            }
        }
        for (size_t i = 0; i < n; i++) {
            b[k * LANES + i] /= pivot[i];
        }
    }
}

/* ------------------------------------------------------------------------------------------------
 * Windows
 */

static double *point(const tq_replay *r, size_t k, unsigned what)
{
    const size_t nv = r->fit->n_row;
    return r->grid + (3 * k + what) * nv * LANES;
}

enum { POINT_Q, POINT_QD, POINT_TAU };

/* b -= 2 m x */
static void less_twice_product(const tq_replay *r, const double *x, size_t n, double *b)
{
    const size_t nv = r->fit->n_row;
    for (size_t j = 0; j < nv; j++) {
        for (size_t row = 0; row < nv; row++) {
            const double *m = r->m + (j * nv + row) * LANES;
            for (size_t i = 0; i < n; i++) {
                b[row * LANES + i] -= 2.0 * m[i] * x[j * LANES + i];
            }
        }
    }
}

static tq_status step(tq_replay *r, size_t k, size_t n, tq_error *reterr)
{
    const size_t nv = r->fit->n_row;
    const double h = r->plan.period * (double)r->plan.every;
    const double *tau = point(r, k, POINT_TAU);
    const double *next = point(r, k + 1, POINT_TAU);
    tq_status status = evaluate(r, r->q, r->v, n, true, reterr);
    if (status != TQ_OK) {
        return status;
    }
    for (size_t e = 0; e < nv * LANES; e++) {
        r->k1[e] = tau[e] - r->rest[e];
    }
    factor(r, gamma_of * h, n);
    solve(r, r->k1, n);
    for (size_t e = 0; e < nv * LANES; e++) {
        r->q2[e] = r->q[e] + h * r->v[e];
        r->v2[e] = r->v[e] + h * r->k1[e];
    }
    status = evaluate(r, r->q2, r->v2, n, false, reterr);
    if (status != TQ_OK) {
        return status;
    }
    for (size_t e = 0; e < nv * LANES; e++) {
        r->k2[e] = next[e] - r->rest[e];
    }
    less_twice_product(r, r->k1, n, r->k2);
    factor(r, gamma_of * h, n);
    solve(r, r->k2, n);
    for (size_t e = 0; e < nv * LANES; e++) {
        r->q[e] += h * (r->v[e] + 0.5 * h * r->k1[e]);
        r->v[e] += h * (1.5 * r->k1[e] + 0.5 * r->k2[e]);
    }
    return TQ_OK;
}

/* lost lanes go on as measured, so that the others can */
static void rescue(tq_replay *r, size_t k, size_t n)
{
    const size_t nv = r->fit->n_row;
    const double *q = point(r, k, POINT_Q);
    const double *v = point(r, k, POINT_QD);
    for (size_t i = 0; i < n; i++) {
        for (size_t row = 0; row < nv; row++) {
            const double off = fabs(r->v[row * LANES + i] - v[row * LANES + i]);
            r->lost[i] |= !(off < lost_rate);
        }
        for (size_t row = 0; r->lost[i] != 0 && row < nv; row++) {
            r->q[row * LANES + i] = q[row * LANES + i];
            r->v[row * LANES + i] = v[row * LANES + i];
        }
    }
}

static void compare(tq_replay *r, size_t k, size_t n)
{
    const double since = (double)k * r->plan.period * (double)r->plan.every;
    for (size_t row = 0; row < r->fit->n_row; row++) {
        replay_sums *sums = &r->sums[row];
        const double *q = point(r, k, POINT_Q) + row * LANES;
        const double *v = point(r, k, POINT_QD) + row * LANES;
        const double *q0 = point(r, 0, POINT_Q) + row * LANES;
        const double *v0 = point(r, 0, POINT_QD) + row * LANES;
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

static tq_status simulate(tq_replay *r, tq_error *reterr)
{
    const size_t nv = r->fit->n_row;
    const size_t n = r->n_lane;
    if (n == 0) {
        return TQ_OK;
    }
    memset(r->lost, 0, sizeof r->lost);
    memcpy(r->q, point(r, 0, POINT_Q), nv * LANES * sizeof *r->q);
    memcpy(r->v, point(r, 0, POINT_QD), nv * LANES * sizeof *r->v);
    tq_status status = TQ_OK;
    for (size_t k = 0; status == TQ_OK && k < r->plan.n_step; k++) {
        status = step(r, k, n, reterr);
        rescue(r, k + 1, n);
        compare(r, k + 1, n);
    }
    for (size_t i = 0; i < n; i++) {
        r->n_lost += r->lost[i];
    }
    r->n_window += n;
    r->n_lane = 0;
    return status;
}

tq_status tq_replay_push(tq_replay *r, const tq_experiment_block *block, const double *t,
                         tq_error *reterr)
{
    const size_t nv = r->fit->n_row;
    tq_status status = TQ_OK;
    for (size_t i = 0; status == TQ_OK && i < block->n_sample; i++) {
        const double since = t[i] - r->before;
        /* the first, after a gap, or after a clock that was set back */
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
        for (size_t row = 0; row < nv; row++) {
            const size_t to = row * LANES + r->n_lane;
            point(r, r->n_point, POINT_Q)[to] = block->q[row * block->stride + i];
            point(r, r->n_point, POINT_QD)[to] = block->qd[row * block->stride + i];
            point(r, r->n_point, POINT_TAU)[to] = block->tau[row * block->stride + i];
        }
        r->wait = r->plan.every - 1;
        if (++r->n_point > r->plan.n_step) {
            r->n_point = 0;
            r->wait = r->plan.skip;
            if (++r->n_lane == LANES) {
                status = simulate(r, reterr);
            }
        }
    }
    return status;
}

tq_status tq_replay_end(tq_replay *r, tq_error *reterr)
{
    r->n_point = 0;
    return simulate(r, reterr);
}

tq_replayed tq_replay_of(const tq_replay *r, size_t row)
{
    const replay_sums *sums = &r->sums[row];
    const double n = sums->n > 0 ? (double)sums->n : (double)NAN;
    return (tq_replayed){.n = sums->n,
                         .rmse_q = sqrt(sums->square_q / n),
                         .rmse_qd = sqrt(sums->square_qd / n),
                         .coasting_q = sqrt(sums->coasting / n),
                         .worst = sums->worst,
                         .worst_t = sums->worst_t};
}

size_t tq_replay_windows(const tq_replay *r, size_t *ret_n_lost)
{
    *ret_n_lost = r->n_lost;
    return r->n_window;
}

static double pooled(double a, double n_a, double b, double n_b)
{
    return sqrt((a * a * n_a + b * b * n_b) / (n_a + n_b));
}

void tq_replay_add(tq_replayed *all, const tq_replayed *other)
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
