/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/validation/rollout_step.c - one step of all windows: mass matrices by columns,
 * stiff friction by a Rosenbrock method. */
#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"
#include "core/identify/friction_regressor.h"
#include "core/identify/validation/rollout_private.h"

enum { LANES = TQ_ROLLOUT_LANES };
static const double gamma_of = 0.29289321881345254; /* 1 - 1/sqrt(2): L-stable */
static const double least_width = 1e-3;             /* rad/s, m/s: smoothing of a discontinuous
                                                       sign */
static const double stage_rate = 1e9; /* rad/s, m/s: limit at which torques are still finite */

/* Points at the ends of a part of a step, laid out as those of the recording, and its length. */
typedef struct ends {
    const double *here, *next;
    double h;
} ends;

static const double *of_point(const tq_rollout *r, const double *point, unsigned what)
{
    return point + what * r->fit->n_row * LANES;
}

static double width_of(const tq_rollout *r, uint32_t joint)
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

static bool takes_recorded_friction(const tq_rollout *r)
{
    return r->plan.has_friction && r->has_rows && tq_rollout_is_drawn(&r->plan);
}

/* friction torque over velocity of a row: the secant slope from rest */
static void find_damping(const tq_rollout *r, size_t n)
{
    const tq_fit *fit = r->fit;
    const double *terms = r->run.values + fit->n_row * fit->n_link_column * TQ_FOLD_RUN;
    memset(r->damping, 0, fit->n_row * LANES * sizeof *r->damping);
    for (size_t t = 0; t < fit->n_term; t++) {
        const tq_column *column = &fit->columns[fit->terms[t].column];
        const bool viscous =
            column->kind == TQ_COLUMN_PARAMETER && column->parameter.kind == TQ_PARAMETER_VISCOUS;
        if (!viscous && (!has_sign(column) || takes_recorded_friction(r))) {
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

/* signs of the velocities, none of which is exactly zero */
static void set_rates(const tq_rollout *r, const double *v, size_t n)
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
            r->run.sign[row * TQ_FOLD_RUN + i] = tq_tanh(some / width);
        }
    }
}

/* column j of m: torque per unit of acceleration */
static tq_status find_column(tq_rollout *r, size_t j, size_t n, tq_error *reterr)
{
    const size_t nv = r->fit->n_row;
    double torque[LANES];
    memset(r->run.qdd, 0, nv * TQ_FOLD_RUN * sizeof *r->run.qdd);
    for (size_t i = 0; i < n; i++) {
        r->run.qdd[j * TQ_FOLD_RUN + i] = 1.0;
    }
    const tq_status status = tq_fit_run_compute(r->fit, &r->run, n, r->value, reterr);
    for (size_t row = 0; status == TQ_OK && row < nv; row++) {
        tq_fit_run_torque(r->fit, &r->run, row, TQ_FIT_OF_ALL_BUT_LOAD, r->value, torque);
        double *entry = r->m + (j * nv + row) * LANES;
        for (size_t i = 0; i < n; i++) {
            entry[i] = torque[i] - r->bodies[row * LANES + i];
        }
    }
    return status;
}

/* what unknown gains are multiplied with at a point: with them the model's torque is that of the
 * recording less what their values change of it */
static void set_gains(const tq_rollout *r, const double *point)
{
    const double *rows = of_point(r, point, TQ_ROLLOUT_ROWS) + r->fit->n_row * LANES;
    for (size_t t = 0; r->has_rows && tq_rollout_is_drawn(&r->plan) && t < r->fit->n_term; t++) {
        const tq_fit_term *term = &r->fit->terms[t];
        if (tq_column_is_gain(term->kind)) {
            memcpy(r->run.friction_rows + term->friction_row * LANES,
                   rows + term->friction_row * LANES, LANES * sizeof *rows);
        }
    }
}

/* signs and friction regressors of the recording at a point */
static void set_recorded_friction(const tq_rollout *r, const double *point)
{
    memcpy(r->run.sign, of_point(r, point, TQ_ROLLOUT_ROWS),
           tq_friction_row_count(r->fit) * LANES * sizeof *r->run.sign);
}

/* m, and rest: torque without acceleration, at q and v and a point; damping if it is the first of
 * a step */
static tq_status evaluate(tq_rollout *r, const double *point, const double *q, const double *v,
                          size_t n, bool damping, tq_error *reterr)
{
    const size_t nv = r->fit->n_row;
    set_gains(r, point);
    memcpy(r->run.q, q, nv * LANES * sizeof *q);
    memset(r->run.qdd, 0, nv * TQ_FOLD_RUN * sizeof *r->run.qdd);
    set_rates(r, v, n);
    r->run.is_given = takes_recorded_friction(r);
    if (r->run.is_given) {
        set_recorded_friction(r, point);
    }
    tq_status status = tq_fit_run_compute(r->fit, &r->run, n, r->value, reterr);
    for (size_t row = 0; status == TQ_OK && row < nv; row++) {
        tq_fit_run_torque(r->fit, &r->run, row, TQ_FIT_OF_ALL, r->value, r->rest + row * LANES);
        tq_fit_run_torque(r->fit, &r->run, row, TQ_FIT_OF_ALL_BUT_LOAD, r->value,
                          r->bodies + row * LANES);
    }
    if (status == TQ_OK && damping) {
        find_damping(r, n);
    }
    for (size_t j = 0; status == TQ_OK && j < nv; j++) {
        status = find_column(r, j, n, reterr);
    }
    return status;
}

/* m += factor damping, then its Cholesky factor L, in all lanes; a lane without a factor is lost */
static void factor(tq_rollout *r, double by, size_t n)
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
        /* later pivots get their damping later: only entries below the diagonal change */
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
static void solve(const tq_rollout *r, double *b, size_t n)
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

/* b += by m x */
static void add_product(const tq_rollout *r, double by, const double *x, size_t n, double *b)
{
    const size_t nv = r->fit->n_row;
    for (size_t j = 0; j < nv; j++) {
        for (size_t row = 0; row < nv; row++) {
            const double *m = r->m + (j * nv + row) * LANES;
            for (size_t i = 0; i < n; i++) {
                b[row * LANES + i] += by * m[i] * x[j * LANES + i];
            }
        }
    }
}

/* the integral of the error since the window's start += by (q measured - q) at a point */
static void add_integral(const tq_rollout *r, const double *point, double by, const double *q)
{
    const double *q_measured = of_point(r, point, TQ_ROLLOUT_Q);
    const bool has_integral = r->plan.feedback != NULL && r->plan.feedback->ki != NULL;
    for (size_t e = 0; has_integral && e < r->fit->n_row * LANES; e++) {
        r->integral[e] += by * (q_measured[e] - q[e]);
    }
}

/* b += the torque that draws a simulation to the recording at a point */
static void add_pull(const tq_rollout *r, const double *point, const double *q, const double *v,
                     size_t n, double *b)
{
    const tq_feedback *feedback = r->plan.feedback;
    const double w = r->plan.follow;
    const double *q_measured = of_point(r, point, TQ_ROLLOUT_Q);
    const double *v_measured = of_point(r, point, TQ_ROLLOUT_QD);
    if (!tq_rollout_is_drawn(&r->plan)) {
        return;
    }
    for (size_t e = 0; e < r->fit->n_row * LANES; e++) {
        const double kp = feedback != NULL ? feedback->kp[e / LANES] : w * w;
        const double kd = feedback != NULL ? feedback->kd[e / LANES] : w;
        const double ki = feedback != NULL && feedback->ki != NULL ? feedback->ki[e / LANES] : 0.0;
        r->pull[e] =
            kp * (q_measured[e] - q[e]) + kd * (v_measured[e] - v[e]) + ki * r->integral[e];
    }
    if (feedback == NULL || feedback->by_mass) {
        add_product(r, 1.0, r->pull, n, b);
        return;
    }
    for (size_t e = 0; e < r->fit->n_row * LANES; e++) {
        b[e] += r->pull[e];
    }
}

/* torque that accelerates at a point */
static void find_drive(const tq_rollout *r, const double *point, const double *q, const double *v,
                       size_t n, double *ret)
{
    const double *tau = of_point(r, point, TQ_ROLLOUT_TAU);
    for (size_t e = 0; e < r->fit->n_row * LANES; e++) {
        ret[e] = tau[e] - r->rest[e];
    }
    add_pull(r, point, q, v, n, ret);
}

/* The acceleration at the state before the step, for a caller that simulates a loop with gains,
 * which damp the step's own; m as before. Without gains only dry friction damps: the step's is
 * better. */
static void find_acceleration(tq_rollout *r, size_t n)
{
    const size_t nv = r->fit->n_row;
    if (r->sink == NULL || r->plan.feedback == NULL) {
        return;
    }
    memcpy(r->acceleration, r->k1, nv * LANES * sizeof *r->k1);
    memcpy(r->m_kept, r->m, nv * nv * LANES * sizeof *r->m);
    factor(r, 0.0, n);
    solve(r, r->acceleration, n);
    memcpy(r->m, r->m_kept, nv * nv * LANES * sizeof *r->m);
}

/* gains of torque, which may be stiff; NULL: there are none */
static const tq_feedback *stiff_gains(const tq_rollout *r)
{
    const tq_feedback *feedback = r->plan.feedback;
    return feedback != NULL && !feedback->by_mass ? feedback : NULL;
}

/* With J = [0 1; -K -D] of coordinates and rates, a stage is M k_v + gamma h (K k_q + D k_v) = f
 * and k_q = v + gamma h k_v: D + gamma h K in the place of damping, and -gamma h K v beside f. */
static void add_gains(const tq_rollout *r, double h)
{
    const tq_feedback *gains = stiff_gains(r);
    for (size_t e = 0; gains != NULL && e < r->fit->n_row * LANES; e++) {
        r->damping[e] += gains->kd[e / LANES] + gamma_of * h * gains->kp[e / LANES];
    }
}

/* -gamma h K rate, and `by` gamma h of the loop's derivative by time: its reference moves */
static void add_stiffness(const tq_rollout *r, const ends *of, double by, const double *rate,
                          double *b)
{
    const tq_feedback *gains = stiff_gains(r);
    const double h = of->h;
    const double *q = of_point(r, of->here, TQ_ROLLOUT_Q);
    const double *v = of_point(r, of->here, TQ_ROLLOUT_QD);
    const double *q_next = of_point(r, of->next, TQ_ROLLOUT_Q);
    const double *v_next = of_point(r, of->next, TQ_ROLLOUT_QD);
    for (size_t e = 0; gains != NULL && e < r->fit->n_row * LANES; e++) {
        const double kp = gains->kp[e / LANES];
        const double kd = gains->kd[e / LANES];
        b[e] += gamma_of *
                (by * (kp * (q_next[e] - q[e]) + kd * (v_next[e] - v[e])) - h * kp * rate[e]);
    }
}

/* k_q of the first stage, and in q2 and v2 the state of the second */
static void end_stage(tq_rollout *r, double h)
{
    const bool is_stiff = stiff_gains(r) != NULL;
    for (size_t e = 0; e < r->fit->n_row * LANES; e++) {
        r->q_rate[e] = r->v[e] + (is_stiff ? gamma_of * h * r->k1[e] : 0.0);
        r->q2[e] = r->q[e] + h * r->q_rate[e];
        r->v2[e] = r->v[e] + h * r->k1[e];
    }
}

/* Between two points of the recording, at `by` of the step from point k on: by the cubic through
 * the points k - 1 to k + 2, at the ends of a window by a line. A line is lower than x by h^2 / 12
 * of x'', which with kp of a stiff loop is an inertia. */
static void interpolate(const tq_rollout *r, size_t k, double by, double *ret)
{
    const size_t size = r->n_kept * LANES;
    const double *from = tq_rollout_point(r, k, 0);
    const double *to = from + size;
    const bool is_inside = k > 0 && k + 2 <= r->plan.n_step;
    const double *before = is_inside ? from - size : from;
    const double *after = is_inside ? to + size : to;
    const double bend = is_inside ? by * (by - 1.0) : 0.0;
    const double w[] = {bend * (2.0 - by) / 6.0, bend * (by + 1.0) / 6.0};
    const double w_from = 1.0 - by - 2.0 * w[0] + w[1];
    const double w_to = by + w[0] - 2.0 * w[1];
    for (size_t e = 0; e < size; e++) {
        ret[e] = w[0] * before[e] + w_from * from[e] + w_to * to[e] + w[1] * after[e];
    }
}

/* what a caller is shown of the step whose first part begins */
static void remember(tq_rollout *r, size_t n)
{
    if (r->sink != NULL) {
        memcpy(r->sign_before, r->run.sign, r->fit->n_row * LANES * sizeof *r->sign_before);
    }
    find_acceleration(r, n);
}

static tq_status advance(tq_rollout *r, const ends *of, size_t k, bool is_first, size_t n,
                         tq_error *reterr)
{
    const size_t nv = r->fit->n_row;
    const double h = of->h;
    const bool is_stiff = stiff_gains(r) != NULL;
    tq_status status = evaluate(r, of->here, r->q, r->v, n, true, reterr);
    if (status != TQ_OK) {
        return status;
    }
    find_drive(r, of->here, r->q, r->v, n, r->k1);
    if (is_first) {
        remember(r, n);
    }
    add_gains(r, h);
    add_stiffness(r, of, 1.0, r->v, r->k1);
    factor(r, gamma_of * h, n);
    solve(r, r->k1, n);
    end_stage(r, h);
    /* the integral's stages, s' = e: k1 = e and k2 = e2 - 2 k1 add h (e + e2) / 2 */
    add_integral(r, of->here, h, r->q);
    tq_rollout_rescue(r, k + 1, n, stage_rate, r->q2, r->v2);
    status = evaluate(r, of->next, r->q2, r->v2, n, false, reterr);
    if (status != TQ_OK) {
        return status;
    }
    find_drive(r, of->next, r->q2, r->v2, n, r->k2);
    add_integral(r, of->next, 0.5 * h, r->q2);
    add_integral(r, of->here, -0.5 * h, r->q);
    add_product(r, -2.0, r->k1, n, r->k2);
    for (size_t e = 0; e < nv * LANES; e++) {
        r->pull[e] = r->v2[e] - 2.0 * r->q_rate[e];
    }
    add_stiffness(r, of, -1.0, r->pull, r->k2);
    factor(r, gamma_of * h, n);
    solve(r, r->k2, n);
    for (size_t e = 0; e < nv * LANES; e++) {
        const double rate = r->pull[e] + gamma_of * h * r->k2[e]; /* k_q of the second stage */
        r->q[e] += h * (is_stiff ? 1.5 * r->q_rate[e] + 0.5 * rate : r->v[e] + 0.5 * h * r->k1[e]);
        r->v[e] += h * (1.5 * r->k1[e] + 0.5 * r->k2[e]);
    }
    return TQ_OK;
}

tq_status tq_rollout_step(tq_rollout *r, size_t k, size_t n, tq_error *reterr)
{
    const size_t parts = tq_rollout_parts(&r->plan);
    ends of = {.here = tq_rollout_point(r, k, 0),
               .next = tq_rollout_point(r, k + 1, 0),
               .h = r->plan.period * (double)r->plan.every / (double)parts};
    const double *last = of.next;
    tq_status status = TQ_OK;
    for (size_t part = 0; status == TQ_OK && part < parts; part++) {
        double *between = r->between + part % 2 * r->n_kept * LANES;
        of.next = last;
        if (part + 1 < parts) {
            interpolate(r, k, (double)(part + 1) / (double)parts, between);
            of.next = between;
        }
        status = advance(r, &of, k, part == 0, n, reterr);
        of.here = of.next;
    }
    return status;
}
