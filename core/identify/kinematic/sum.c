/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/kinematic/sum.c - normal equations of all poses, and Levenberg-Marquardt steps. */
#include <math.h>
#include <string.h>

#include "core/identify/kinematic/kinematic_private.h"
#include "core/linalg/dense.h"

enum { ITERATIONS_MAX = 200, BLOCK_OF_POSES = 256 };
static const double damping_first = 1e-6, damping_least = 1e-12, damping_most = 1e10;
static const double still = 1e-8;   /* change of the residuals in deviations, rms */
static const double settled = 1e-7; /* the same, over the residuals */

static void add_pose(const tq_kinematic *k, const tq_kinematic_sum *sum, double weight,
                     const double *e, double *row, double *ret)
{
    const size_t n = sum->n_active;
    for (size_t r = 0; r < k->m; r++) {
        const double sigma = sum->sigma[r < 3 ? 0 : 1];
        const double scale = isinf(sigma) ? 0.0 : sqrt(weight) / sigma;
        if (scale == 0.0) {
            continue;
        }
        for (size_t a = 0; a < n; a++) {
            row[a] = scale * k->rows[r * k->n + sum->active[a]];
        }
        row[n] = scale * e[r];
        for (size_t a = 0; a <= n; a++) {
            double *to = ret + a * (n + 1);
            const double factor = row[a];
            for (size_t b = a; factor != 0.0 && b <= n; b++) {
                to[b] += factor * row[b];
            }
        }
    }
}

tq_status tq_kinematic_add(tq_kinematic *k, const tq_kinematic_state *x,
                           const tq_kinematic_sum *sum, double *ret, tq_error *reterr)
{
    const tq_kinematic_problem *p = k->problem;
    const size_t n = sum->n_active;
    const size_t mark = tq_scratch_mark(k->scratch);
    double *row = tq_scratch_take(k->scratch, n + 1, sizeof *row);
    if (row == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_kinematic_size(p));
    }
    tq_status status = TQ_OK;
    memset(ret, 0, (n + 1) * (n + 1) * sizeof *ret);
    for (size_t i = 0; status == TQ_OK && i < p->n_pose; i++) {
        const double weight =
            (p->weight != NULL ? p->weight[i] : 1.0) * (sum->weight != NULL ? sum->weight[i] : 1.0);
        if (weight > 0.0) {
            double e[TQ_KINEMATIC_ROWS];
            tq_kinematic_walk(k, p->q + i * p->model->nq, x);
            tq_kinematic_rows(k, x, i, e, k->rows);
            add_pose(k, sum, weight, e, row, ret);
        }
        if (i % BLOCK_OF_POSES == 0) {
            const double work = 100.0 * (double)k->n_step + (double)(k->m * (n + 1) * (n + 1));
            status = tq_scratch_work(k->scratch, (double)BLOCK_OF_POSES * work, reterr);
        }
    }
    for (size_t a = 0; a <= n; a++) {
        for (size_t b = 0; b < a; b++) {
            ret[a * (n + 1) + b] = ret[b * (n + 1) + a];
        }
    }
    tq_scratch_rewind(k->scratch, mark);
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * Levenberg-Marquardt
 */

/* Working memory of a fit. */
typedef struct fit {
    tq_kinematic *k;
    const tq_kinematic_sum *sum;
    tq_kinematic_state *x, trial;
    double *gram, *next; /* ((n + 1)^2) at x, at the trial */
    double *factor;      /* (n^2) */
    double *step;        /* (n) */
    uint32_t *free;      /* (n) columns that are not held at their limits */
    double damping;
} fit;

size_t tq_kinematic_fit_size(size_t n)
{
    return tq_scratch_cost((n + 1) * (n + 1), sizeof(double)) +
           tq_scratch_cost(n * n + 1, sizeof(double)) + tq_scratch_cost(n + 1, sizeof(double)) +
           tq_scratch_cost(n + 1, sizeof(uint32_t)) + tq_scratch_cost(n + 1, sizeof(double));
}

/* Value and limit of a column that may have one. */
static double limit_of(const tq_kinematic *k, const tq_kinematic_state *x, uint32_t column,
                       double *ret_value)
{
    const tq_kinematic_parameter *c = &k->list[column];
    const double *limit = k->problem->limit;
    if (c->part == TQ_KINEMATIC_ZERO) {
        *ret_value = x->zero[c->index];
        return k->problem->model->joints[c->index].kind == TQ_JOINT_PRISMATIC ? limit[1] : limit[0];
    }
    if (c->part == TQ_KINEMATIC_FRAME) {
        *ret_value = x->frame[6 * (size_t)c->index + c->axis];
        return c->axis < 3 ? limit[1] : limit[2];
    }
    *ret_value = 0.0;
    return (double)INFINITY;
}

/* Columns that are free to move: not at a limit that their gradient pushes against. */
static size_t choose_free(fit *f)
{
    const size_t n = f->sum->n_active;
    size_t count = 0;
    for (size_t a = 0; a < n; a++) {
        double value = 0.0;
        const double limit = limit_of(f->k, f->x, f->sum->active[a], &value);
        const double gradient = f->gram[a * (n + 1) + n];
        const bool is_held = fabs(value) >= limit && value * gradient < 0.0;
        if (!is_held && f->gram[a * (n + 1) + a] > 0.0) {
            f->free[count++] = (uint32_t)a;
        }
        f->step[a] = 0.0;
    }
    return count;
}

/* The damped step, cut at the limits; TQ_ERR_SINGULAR: more damping. */
static tq_status find_step(fit *f, tq_error *reterr)
{
    const size_t n = f->sum->n_active;
    const size_t n_free = choose_free(f);
    double *right = tq_scratch_take(f->k->scratch, n + 1, sizeof *right);
    if (right == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_kinematic_size(f->k->problem));
    }
    for (size_t i = 0; i < n_free; i++) {
        const size_t a = f->free[i];
        const double si = 1.0 / sqrt(f->gram[a * (n + 1) + a]);
        for (size_t j = 0; j <= i; j++) {
            const size_t b = f->free[j];
            const double sj = 1.0 / sqrt(f->gram[b * (n + 1) + b]);
            f->factor[j * n_free + i] = f->gram[a * (n + 1) + b] * si * sj;
        }
        f->factor[i * n_free + i] += f->damping;
        right[i] = -si * f->gram[a * (n + 1) + n];
    }
    tq_status status = n_free == 0 ? TQ_OK : tq_cholesky_factor(n_free, f->factor, n_free, reterr);
    if (status == TQ_OK && n_free > 0) {
        status = tq_cholesky_solve(n_free, 1, f->factor, n_free, right, n_free, reterr);
    }
    for (size_t i = 0; status == TQ_OK && i < n_free; i++) {
        const size_t a = f->free[i];
        double value = 0.0;
        const double limit = limit_of(f->k, f->x, f->sum->active[a], &value);
        const double to = value + right[i] / sqrt(f->gram[a * (n + 1) + a]);
        f->step[a] = fmax(-limit, fmin(limit, to)) - value;
    }
    return status;
}

/* squared change of the residuals by the step, to first order */
static double change(const fit *f)
{
    const size_t n = f->sum->n_active;
    double sum = 0.0;
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++) {
            sum += f->step[a] * f->gram[a * (n + 1) + b] * f->step[b];
        }
    }
    return fmax(sum, 0.0);
}

/* One step: *ret_done after the last. */
static tq_status improve(fit *f, bool *ret_done, tq_error *reterr)
{
    const size_t n = f->sum->n_active;
    const size_t mark = tq_scratch_mark(f->k->scratch);
    tq_status status = find_step(f, reterr);
    tq_scratch_rewind(f->k->scratch, mark);
    if (status == TQ_ERR_SINGULAR) {
        f->damping = fmax(10.0 * f->damping, damping_first);
        *ret_done = f->damping > damping_most;
        return TQ_OK;
    }
    if (status != TQ_OK) {
        return status;
    }
    const double moved = change(f);
    const double rows = (double)(f->k->m * f->k->problem->n_pose);
    tq_kinematic_copy(f->k, f->x, &f->trial);
    tq_kinematic_move(f->k, f->sum->active, n, f->step, &f->trial);
    status = tq_kinematic_add(f->k, &f->trial, f->sum, f->next, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const double before = f->gram[(n + 1) * (n + 1) - 1];
    const double after = f->next[(n + 1) * (n + 1) - 1];
    const bool is_still = moved <= still * still * rows || moved <= settled * settled * before;
    if (after < before) { /* false for NaN */
        tq_kinematic_copy(f->k, &f->trial, f->x);
        memcpy(f->gram, f->next, (n + 1) * (n + 1) * sizeof *f->gram);
        f->damping = fmax(0.1 * f->damping, damping_least);
        *ret_done = is_still;
        return TQ_OK;
    }
    f->damping = fmax(10.0 * f->damping, damping_first);
    *ret_done = is_still || f->damping > damping_most;
    return TQ_OK;
}

tq_status tq_kinematic_fit(tq_kinematic *k, const tq_kinematic_sum *sum, tq_kinematic_state *x,
                           double *ret_gram, size_t *ret_iterations, tq_error *reterr)
{
    const size_t n = sum->n_active;
    const size_t mark = tq_scratch_mark(k->scratch);
    fit f = {.k = k,
             .sum = sum,
             .x = x,
             .next = tq_scratch_take(k->scratch, (n + 1) * (n + 1), sizeof(double)),
             .factor = tq_scratch_take(k->scratch, n * n + 1, sizeof(double)),
             .step = tq_scratch_take(k->scratch, n + 1, sizeof(double)),
             .free = tq_scratch_take(k->scratch, n + 1, sizeof(uint32_t)),
             .damping = damping_first};
    if (f.next == NULL || f.factor == NULL || f.step == NULL || f.free == NULL) {
        tq_scratch_rewind(k->scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_kinematic_size(k->problem));
    }
    f.gram = ret_gram;
    tq_status status = tq_kinematic_state_new(k, &f.trial, reterr);
    if (status == TQ_OK) {
        status = tq_kinematic_add(k, x, sum, f.gram, reterr);
    }
    bool done = n == 0;
    size_t iterations = 0;
    for (; status == TQ_OK && !done && iterations < ITERATIONS_MAX; iterations++) {
        status = improve(&f, &done, reterr);
    }
    *ret_iterations = iterations;
    tq_scratch_rewind(k->scratch, mark);
    return status == TQ_OK && !done
               ? tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "iterations", ITERATIONS_MAX, 0.0)
               : status;
}
