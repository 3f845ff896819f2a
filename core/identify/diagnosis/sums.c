/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/diagnosis/sums.c - Gram matrices of the rows of torque, with the columns that
 * faults would add. */
#include <math.h>
#include <string.h>

#include "core/dynamics/regressor/regressor_batch.h"
#include "core/identify/diagnosis/diagnosis_private.h"

static size_t set_size(const tq_fit *fit)
{
    size_t size = 0;
    for (size_t r = 0; r < fit->n_row; r++) {
        const size_t width = fit->rows[r].n + fit->n_row + TQ_EXTRAS;
        size += width * width;
    }
    return size;
}

/* Pairs of rows times columns cubed: 13 rows took 3 s where the fit itself took 0.1. */
bool tq_diagnosis_is_for(const tq_model *model)
{
    bool one_each = true;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        one_each = one_each && model->joints[j].nv <= 1;
    }
    return one_each && model->nv <= TQ_DIAGNOSIS_ROWS_MAX;
}

static bool is_possible(const tq_fit *fit, size_t n_run)
{
    return fit->options.model.kind == TQ_FIT_BASE && fit->options.model.n_gain == 0 &&
           tq_diagnosis_is_for(&fit->mechanism->model) &&
           set_size(fit) * sizeof(double) * n_run <= TQ_DIAGNOSIS_BYTES;
}

static size_t pool_count(size_t n_run)
{
    return n_run / 2 < TQ_DIAGNOSIS_POOLS ? n_run / 2 : (size_t)TQ_DIAGNOSIS_POOLS;
}

size_t tq_diagnosis_size(const tq_fit *fit, size_t n_run)
{
    const size_t nv = fit->n_row, nq = fit->mechanism->model.nq;
    const size_t p = fit->n_column + TQ_EXTRA_COLUMNS;
    if (!is_possible(fit, n_run)) {
        return 0;
    }
    return tq_scratch_cost(1, sizeof(tq_diagnosis)) + 2 * tq_fit_run_size(fit) +
           2 * tq_scratch_cost(fit->n_parameter, sizeof(double)) +
           tq_scratch_cost((n_run + 1) * set_size(fit), sizeof(double)) +
           tq_scratch_cost(tq_diagnosis_block_count(n_run) * set_size(fit), sizeof(double)) +
           tq_scratch_cost(pool_count(n_run) * set_size(fit), sizeof(double)) +
           tq_scratch_cost(n_run, sizeof(tq_run_group)) +
           2 * tq_scratch_cost(n_run, sizeof(uint32_t)) +
           2 * tq_scratch_cost(n_run, sizeof(double)) + tq_scratch_cost(nv, sizeof(size_t)) +
           tq_scratch_cost(TQ_DIAGNOSIS_TOGETHER * (p + nv), sizeof(double)) +
           tq_scratch_cost(p * p, sizeof(double)) + 3 * tq_scratch_cost(p, sizeof(double)) +
           3 * tq_scratch_cost(nv, sizeof(double)) + tq_scratch_cost(n_run * nv, sizeof(double)) +
           tq_scratch_cost(nv * (p + nv), sizeof(double)) +
           tq_scratch_cost(n_run * nv, sizeof(uint32_t)) +
           tq_scratch_cost((nq + 3 * nv) * TQ_DIAGNOSIS_KEPT, sizeof(double));
}

/* two vectors perpendicular to gravity, of the same length */
static void find_across(const double *g, double ret[2][3])
{
    const double size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const unsigned least = fabs(g[0]) <= fabs(g[1]) && fabs(g[0]) <= fabs(g[2]) ? 0
                           : fabs(g[1]) <= fabs(g[2])                           ? 1
                                                                                : 2;
    double e[3] = {0};
    memset(ret, 0, 6 * sizeof(double));
    if (!(size > 0.0)) {
        return;
    }
    e[least] = 1.0;
    const double along = g[least] / size;
    double norm = 0.0;
    for (unsigned k = 0; k < 3; k++) {
        ret[0][k] = e[k] - along * g[k] / size;
        norm += ret[0][k] * ret[0][k];
    }
    for (unsigned k = 0; k < 3; k++) {
        ret[0][k] *= size / sqrt(norm);
    }
    for (unsigned k = 0; k < 3; k++) {
        const unsigned a = (k + 1) % 3, b = (k + 2) % 3;
        ret[1][k] = (g[a] * ret[0][b] - g[b] * ret[0][a]) / size;
    }
}

/* position in the model's order of the joint with the most moving joints before it */
static uint32_t find_tip(const tq_model *model)
{
    uint32_t tip = 0, most = 0;
    for (uint32_t k = 0; k < model->n_joint; k++) {
        uint32_t depth = 0;
        const tq_joint *joint = &model->joints[model->order[k]];
        if (joint->kind == TQ_JOINT_FIXED) {
            continue;
        }
        for (uint32_t j = 0; j < model->n_joint; j++) {
            const tq_joint *other = &model->joints[j];
            depth += other->nv > 0 && other->mimic == TQ_NONE &&
                     tq_row_moves_link(model, other->v_index, joint->child);
        }
        if (depth >= most) {
            most = depth;
            tip = k;
        }
    }
    return tip;
}

tq_diagnosis_window tq_diagnosis_window_for(const tq_fit *fit, size_t n_run, const double *variance,
                                            double corner)
{
    static const double noisy = 0.02, left = 0.02, longest = 0.5, samples = 6.0;
    static const double passes = 0.08443431970194815; /* 5 / (6 pi^2) */
    double square[TQ_DIAGNOSIS_ROWS_MAX];
    double part = 0.0, n = 0.0;
    if (!is_possible(fit, n_run) || !(corner > 0.0)) {
        return (tq_diagnosis_window){0};
    }
    tq_fit_usual_acceleration(fit, square);
    for (size_t r = 0; r < fit->n_row; r++) {
        double noise = 0.0;
        for (size_t e = 0; e < n_run; e++) {
            noise += variance[e * fit->n_row + r] / (double)n_run;
        }
        part += square[r] > 0.0 ? fmin(noise / square[r], 1.0) : 0.0;
        n += square[r] > 0.0 ? 1.0 : 0.0;
    }
    part /= fmax(n, 1.0);
    if (!(part > noisy)) {
        return (tq_diagnosis_window){0};
    }
    const double over_motion = part / fmax(1.0 - part, left);
    const double length = sqrt(passes * over_motion / left) / corner;
    const double t = fmin(fmax(length, 2.0 / corner), longest);
    return (tq_diagnosis_window){.length = t,
                                 .least = 1.0 / (samples * corner),
                                 .noise = passes / (corner * t * corner * t)};
}

tq_status tq_diagnosis_begin(const tq_fit *fit, const tq_fit_solution *solution, size_t n_run,
                             tq_diagnosis_window window, tq_scratch *memory, tq_diagnosis **ret,
                             tq_error *reterr)
{
    const tq_model *model = &fit->mechanism->model;
    const size_t nv = fit->n_row;
    const size_t p = fit->n_column + TQ_EXTRA_COLUMNS;
    *ret = NULL;
    if (!is_possible(fit, n_run)) {
        return TQ_OK;
    }
    tq_diagnosis *d = tq_scratch_take(memory, 1, sizeof *d);
    if (d == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, (double)tq_diagnosis_size(fit, n_run));
    }
    *d = (tq_diagnosis){
        .fit = fit, .solution = solution, .n_run = n_run, .nv = nv, .window = window};
    d->mean = tq_scratch_take(memory, nv * (p + nv), sizeof(double));
    d->square = tq_scratch_take(memory, nv, sizeof(double));
    d->set_size = set_size(fit);
    d->bodies = tq_scratch_take(memory, fit->n_parameter, sizeof(double));
    d->full = tq_scratch_take(memory, fit->n_parameter, sizeof(double));
    d->sets = tq_scratch_take(memory, (n_run + 1) * d->set_size, sizeof(double));
    d->blocks =
        tq_scratch_take(memory, tq_diagnosis_block_count(n_run) * d->set_size, sizeof(double));
    d->pools = tq_scratch_take(memory, pool_count(n_run) * d->set_size, sizeof(double));
    d->groups = tq_scratch_take(memory, n_run, sizeof *d->groups);
    d->group_of = tq_scratch_take(memory, n_run, sizeof(uint32_t));
    d->pooled = tq_scratch_take(memory, n_run, sizeof(uint32_t));
    d->count = tq_scratch_take(memory, n_run, sizeof(double));
    d->length = tq_scratch_take(memory, n_run, sizeof(double));
    d->at = tq_scratch_take(memory, nv, sizeof(size_t));
    d->x = tq_scratch_take(memory, TQ_DIAGNOSIS_TOGETHER * (p + nv), sizeof(double));
    d->h = tq_scratch_take(memory, p * p, sizeof(double));
    d->right = tq_scratch_take(memory, p, sizeof(double));
    d->theta = tq_scratch_take(memory, p, sizeof(double));
    d->room = tq_scratch_take(memory, p, sizeof(double));
    d->sigma = tq_scratch_take(memory, nv, sizeof(double));
    d->usual = tq_scratch_take(memory, nv, sizeof(double));
    d->gain = tq_scratch_take(memory, n_run * nv, sizeof(double));
    d->response = tq_scratch_take(memory, n_run * nv, sizeof(uint32_t));
    d->kept = tq_scratch_take(memory, (model->nq + 3 * nv) * TQ_DIAGNOSIS_KEPT, sizeof(double));
    tq_status status = tq_fit_run_take(fit, memory, &d->run, reterr);
    status = status == TQ_OK ? tq_fit_run_take(fit, memory, &d->tilted, reterr) : status;
    if (status != TQ_OK || d->kept == NULL) { /* the last of several requests in one scratch */
        return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, (double)tq_diagnosis_size(fit, n_run));
    }
    d->spare = d->sets + n_run * d->set_size;
    memset(d->sets, 0, n_run * d->set_size * sizeof(double));
    memset(d->kept, 0, (model->nq + 3 * nv) * TQ_DIAGNOSIS_KEPT * sizeof(double));
    memset(d->square, 0, nv * sizeof(double));
    memset(d->count, 0, n_run * sizeof(double));
    memset(d->length, 0, n_run * sizeof(double));
    for (size_t r = 0, at = 0; r < nv; r++) {
        d->at[r] = at;
        at += tq_diagnosis_width(d, r) * tq_diagnosis_width(d, r);
    }
    tq_parameter_values(model, fit->options.model.with, d->bodies);
    memcpy(d->full, solution->full, fit->n_parameter * sizeof *d->full);
    find_across(model->gravity, d->across);
    d->tip = find_tip(model);
    *ret = d;
    return TQ_OK;
}

void tq_diagnosis_signs(tq_diagnosis *d, size_t n)
{
    tq_fit_run_rate_signs(d->fit, &d->run, n);
}

/* ret (n): values of all link columns of a row times parameters */
static void torque_of(const tq_diagnosis *d, const double *values, size_t r, size_t n,
                      const double *parameter, double *restrict ret)
{
    const double *x = values + r * d->fit->n_link_column * TQ_FOLD_RUN;
    memset(ret, 0, n * sizeof *ret);
    for (size_t c = 0; c < d->fit->n_link_column; c++, x += TQ_FOLD_RUN) {
        for (size_t i = 0; i < n; i++) {
            ret[i] += x[i] * parameter[c];
        }
    }
}

/* d->h holds three torques of each row of a run: by gravity along two directions, by the model */
_Static_assert(3 * TQ_DIAGNOSIS_ROWS_MAX * TQ_FOLD_RUN <= TQ_EXTRA_COLUMNS * TQ_EXTRA_COLUMNS,
               "d->h is too small");

/* One row of one sample: the fit's columns, all torques, the extra columns. */
static void put_row(const tq_diagnosis *d, size_t r, size_t i, double *x)
{
    const tq_fit_row *row = &d->fit->rows[r];
    const double *values = d->run.values;
    for (size_t c = 0; c < row->n; c++) {
        x[c] = values[row->offset[c] + (int64_t)i];
    }
    for (size_t s = 0; s < d->nv; s++) {
        x[row->n + s] = d->run.tau[s * TQ_FOLD_RUN + i];
    }
    x += row->n + d->nv;
    x[TQ_EXTRA_RATE] = d->run.qd[r * TQ_FOLD_RUN + i];
    x[TQ_EXTRA_DRIFT] = x[TQ_EXTRA_RATE] * d->t[i];
    const size_t tip = r * d->fit->n_link_column + (size_t)TQ_PARAMETERS_OF_LINK * d->tip;
    for (size_t k = 0; k < 4; k++) {
        x[TQ_EXTRA_PAYLOAD + k] = values[(tip + k) * TQ_FOLD_RUN + i];
    }
    for (size_t k = 0; k < 2; k++) {
        x[TQ_EXTRA_GRAVITY + k] = d->h[(k * d->nv + r) * TQ_FOLD_RUN + i];
    }
    x[TQ_EXTRA_BODIES] = d->h[(2 * d->nv + r) * TQ_FOLD_RUN + i];
}

/* ret (2 nv x TQ_FOLD_RUN): torque by gravity along two horizontal directions */
static tq_status find_gravity(tq_diagnosis *d, size_t n, double *ret, tq_error *reterr)
{
    const tq_model *model = &d->fit->mechanism->model;
    memset(d->tilted.qd, 0, model->nv * TQ_FOLD_RUN * sizeof(double));
    for (unsigned k = 0; k < 2; k++) {
        const tq_inverse_input in = {.n_sample = n,
                                     .stride = TQ_FOLD_RUN,
                                     .q = d->run.q,
                                     .qd = d->tilted.qd,
                                     .qdd = d->tilted.qd,
                                     .gravity = d->across[k]};
        const tq_status status = tq_regressor_batch_again(d->fit->mechanism, &in, d->run.scratch,
                                                          d->tilted.values, reterr);
        if (status != TQ_OK) {
            return status;
        }
        for (size_t r = 0; r < d->nv; r++) {
            torque_of(d, d->tilted.values, r, n, d->full, ret + (k * d->nv + r) * TQ_FOLD_RUN);
        }
    }
    return TQ_OK;
}

/* y += a_0 x_0 + a_1 x_1 + a_2 x_2 + a_3 x_3, one product after the other; x_i = x + i width */
static inline void add_scaled(size_t width, const double a[TQ_DIAGNOSIS_TOGETHER], const double *x,
                              double *restrict y, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const double sum = (y[k] + a[0] * x[k]) + a[1] * x[width + k];
        y[k] = (sum + a[2] * x[2 * width + k]) + a[3] * x[3 * width + k];
    }
}

/* Adds the products of n rows x (n x width) to the upper triangle of a Gram matrix, row after row:
 * the sums do not depend on how many rows are added together. */
static void add_products(size_t width, size_t n, const double *x, double *restrict gram)
{
    enum { SIDE = 4 }; /* columns that the compiler computes side by side */
    for (size_t c = 0; c < width; c++) {
        double *line = gram + c * width;
        if (n == TQ_DIAGNOSIS_TOGETHER) {
            double a[TQ_DIAGNOSIS_TOGETHER];
            for (size_t i = 0; i < TQ_DIAGNOSIS_TOGETHER; i++) {
                a[i] = x[i * width + c];
            }
            size_t b = c;
            for (; b + SIDE <= width; b += SIDE) {
                add_scaled(width, a, x + b, line + b, SIDE);
            }
            add_scaled(width, a, x + b, line + b, width - b);
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            const double *xi = x + i * width;
            for (size_t b = c; b < width; b++) {
                line[b] += xi[c] * xi[b];
            }
        }
    }
}

/* The samples of a window that has begun are left out. */
static void forget_window(tq_diagnosis *d)
{
    const size_t room = d->fit->n_column + TQ_EXTRA_COLUMNS + d->nv;
    memset(d->mean, 0, d->nv * room * sizeof *d->mean);
    memset(d->acceleration, 0, sizeof d->acceleration);
    d->n_mean = 0;
}

/* Adds n samples to the window's, and means of complete windows to the Gram matrices. */
static void add_to_means(tq_diagnosis *d, double *set, size_t n, double *inout_count)
{
    const size_t room = d->fit->n_column + TQ_EXTRA_COLUMNS + d->nv;
    for (size_t i = 0; i < n; i++) {
        d->n_mean++;
        const bool is_whole = d->n_mean == d->n_wide;
        for (size_t r = 0; r < d->nv; r++) {
            const size_t width = tq_diagnosis_width(d, r);
            double *mean = d->mean + r * room;
            put_row(d, r, i, d->x);
            for (size_t k = 0; k < width; k++) {
                mean[k] += d->x[k];
            }
            d->acceleration[r] += d->run.qdd[r * TQ_FOLD_RUN + i];
        }
        for (size_t r = 0; is_whole && r < d->nv; r++) {
            const size_t width = tq_diagnosis_width(d, r);
            double *mean = d->mean + r * room;
            const double each = 1.0 / (double)d->n_wide;
            for (size_t k = 0; k < width; k++) {
                mean[k] *= each;
            }
            add_products(width, 1, mean, set + d->at[r]);
            d->square[r] += each * d->acceleration[r] * each * d->acceleration[r];
        }
        if (is_whole) {
            forget_window(d);
            d->n_window += 1.0;
            *inout_count += 1.0;
        }
    }
}

tq_status tq_diagnosis_add(tq_diagnosis *d, size_t e, size_t n, tq_error *reterr)
{
    tq_status status = tq_fit_run_compute(d->fit, &d->run, n, d->solution->value, reterr);
    double *set = d->sets + e * d->set_size;
    status = status == TQ_OK ? find_gravity(d, n, d->h, reterr) : status;
    for (size_t r = 0; status == TQ_OK && d->n_wide > 0 && r < d->nv; r++) {
        torque_of(d, d->run.values, r, n, d->bodies, d->h + (2 * d->nv + r) * TQ_FOLD_RUN);
    }
    if (status != TQ_OK) {
        return status;
    }
    if (d->n_wide > 0) {
        add_to_means(d, set, n, &d->count[e]);
        return TQ_OK;
    }
    for (size_t r = 0; r < d->nv; r++) {
        const size_t width = tq_diagnosis_width(d, r);
        torque_of(d, d->run.values, r, n, d->bodies, d->h + (2 * d->nv + r) * TQ_FOLD_RUN);
        for (size_t first = 0; first < n; first += TQ_DIAGNOSIS_TOGETHER) {
            const size_t left = n - first;
            const size_t m = left < TQ_DIAGNOSIS_TOGETHER ? left : (size_t)TQ_DIAGNOSIS_TOGETHER;
            for (size_t i = 0; i < m; i++) {
                put_row(d, r, first + i, d->x + i * width);
            }
            add_products(width, m, d->x, set + d->at[r]);
        }
    }
    d->count[e] += (double)n;
    return status;
}

void tq_diagnosis_next(tq_diagnosis *d, size_t run, size_t n_sample)
{
    const size_t share = TQ_DIAGNOSIS_SAMPLES / d->n_run + 1;
    d->now = run;
    d->n_seen = d->n_filled = 0;
    d->every = n_sample > share ? n_sample / share : 1;
    const size_t keep = TQ_DIAGNOSIS_KEPT / d->n_run + 1;
    const size_t n = n_sample / d->every + 1;
    d->kept_every = n > keep ? n / keep + 1 : 1;
    d->has_window = false;
}

/* The samples of a window, and how many lie between them. */
static void size_window(tq_diagnosis *d, const tq_experiment_block *block)
{
    if (!(d->window.length > 0.0) || !(block->period > 0.0) || d->has_window) {
        return;
    }
    const size_t before = d->every;
    const double every = floor(d->window.least / block->period);
    d->every = every > 1.0 ? (size_t)every : 1;
    d->kept_every = d->kept_every * before / d->every + 1;
    const double n = round(d->window.length / (block->period * (double)d->every));
    d->n_wide = n > 1.0 ? (size_t)n : 1;
    d->has_window = true;
    forget_window(d);
}

static void keep(tq_diagnosis *d, size_t i)
{
    const size_t nq = d->fit->mechanism->model.nq;
    double *to = d->kept + d->n_kept * (nq + 3 * d->nv);
    for (size_t r = 0; r < nq; r++) {
        *to++ = d->run.q[r * TQ_FOLD_RUN + i];
    }
    const double *const from[] = {d->run.qd, d->run.qdd, d->run.tau};
    for (unsigned k = 0; k < 3; k++) {
        for (size_t r = 0; r < d->nv; r++) {
            *to++ = from[k][r * TQ_FOLD_RUN + i];
        }
    }
    d->n_kept++;
}

static tq_status flush(tq_diagnosis *d, tq_error *reterr)
{
    const size_t n = d->n_filled;
    d->n_filled = 0;
    if (n == 0) {
        return TQ_OK;
    }
    tq_diagnosis_signs(d, n);
    return tq_diagnosis_add(d, d->now, n, reterr);
}

tq_status tq_diagnosis_push(tq_diagnosis *d, const tq_experiment_block *block, const double *t,
                            tq_error *reterr)
{
    tq_status status = TQ_OK;
    size_window(d, block);
    if (block->begins && d->n_wide > 0) {
        forget_window(d);
    }
    for (size_t i = 0; i < block->n_sample && status == TQ_OK; i++) {
        d->length[d->now] = t[i];
        if (d->n_seen++ % d->every != 0) {
            continue;
        }
        tq_fit_run_copy(d->fit, &d->run, d->n_filled, block, i, 1);
        d->t[d->n_filled] = t[i];
        if ((d->n_seen - 1) / d->every % d->kept_every == 0 && d->n_kept < TQ_DIAGNOSIS_KEPT) {
            keep(d, d->n_filled);
        }
        d->n_filled++;
        if (d->n_filled == TQ_FOLD_RUN) {
            status = flush(d, reterr);
        }
    }
    return status == TQ_OK ? flush(d, reterr) : status;
}

void tq_diagnosis_archive(tq_diagnosis *d, tq_archive *archive)
{
    tq_archive_doubles(archive, d->sets, d->n_run * d->set_size);
    tq_archive_doubles(archive, d->count, d->n_run);
    tq_archive_doubles(archive, d->length, d->n_run);
    tq_archive_doubles(archive, d->kept,
                       TQ_DIAGNOSIS_KEPT * (d->fit->mechanism->model.nq + 3 * d->nv));
    tq_archive_bytes(archive, &d->n_kept, sizeof d->n_kept);
    tq_archive_doubles(archive, d->square, d->nv);
    tq_archive_doubles(archive, &d->n_window, 1);
}
