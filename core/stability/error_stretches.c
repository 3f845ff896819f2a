/* SPDX-License-Identifier: Apache-2.0 */
/* core/stability/error_stretches.c - propagates errors along a run from point to point, on a grid
 * adapted to its linearisation; horizons. */
#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"
#include "core/stability/error_growth_private.h"

/* Points are gone over in stretches of so many, each halved until one step over it and two agree:
 * steps of a method that chooses them follow the motion, those of one size are many to a swing. */
enum { STRETCH_ADAPTIVE = 16, STRETCH_FIXED = 64 };
enum { EIGEN_MAX = 64 }; /* points whose modes are computed */

static const double tolerated_miss = 3e-4; /* relative tolerance of a stretch */
static const double coarse_miss = 1e-2;
/* An exponential of order m costs about 40 m^3 products, and so much may all of them: every point
 * of an arm of 7 joints, some 500 of 20, 68 of 40. */
static const double work_max = 1.5e9;
static const double work_factor = 40.0;
enum { PLACES_LEAST = 64 };
static const double far_away = 1e3; /* durations: no horizon is reported beyond */

typedef struct carrier {
    const tq_error_run *run;
    tq_scratch *scratch;
    tq_error_growth *grown;
    tq_error_propagation trust;
    double *memory; /* TQ_ERROR_PLACES_MAX places of n_matrix + n_push numbers */
    size_t n_matrix, n_push;
    size_t n_place; /* in use */
    size_t left;    /* linearisations */
    tq_status status;
    tq_error error;
} carrier;

/* ------------------------------------------------------------------------------------------------
 * Horizons
 */

/* time at which an error that is `now` at t, and was `before` at t0, exceeds the tolerance */
static double crossing(double tolerated, double t0, double before, double t, double now)
{
    const double low = fmax(before, 1e-300);
    return now > low ? t0 + (t - t0) * tq_log(tolerated / low) / tq_log(now / low) : t;
}

static void note_horizons(const carrier *c, const double before[TQ_ERROR_SOURCES], double t0)
{
    const double tolerated = c->run->tolerated;
    double *horizon = c->grown->horizon;
    for (unsigned k = 0; k < TQ_ERROR_SOURCES; k++) {
        const double now = c->trust.error[k];
        if (isinf(horizon[k]) && now > tolerated) {
            horizon[k] = crossing(tolerated, t0, before[k], c->trust.t, now);
        }
    }
}

/* errors that are still small at the end go on growing as they do there */
static void look_ahead(const carrier *c, const tq_fastest_growth *last)
{
    double *horizon = c->grown->horizon;
    for (unsigned k = 0; k < TQ_ERROR_SOURCES; k++) {
        const double now = c->trust.error[k];
        if (isinf(horizon[k]) && now > 0.0 && last->rate > TQ_ERROR_GROWTH_SLOW) {
            const double t = c->trust.t + tq_log(c->run->tolerated / now) / last->rate;
            horizon[k] = t < far_away * c->run->duration ? t : (double)INFINITY;
        }
    }
}

/* ------------------------------------------------------------------------------------------------
 * From point to point
 */

static double *new_place(carrier *c, double t, tq_error_propagation_place *ret)
{
    double *matrix = c->memory + c->n_place++ * (c->n_matrix + c->n_push);
    *ret = (tq_error_propagation_place){.t = t, .matrix = matrix, .push = matrix + c->n_matrix};
    return matrix;
}

static bool linearise(carrier *c, size_t k, tq_error_propagation_place *ret)
{
    double *matrix = new_place(c, tq_error_run_time(c->run, k), ret);
    c->left -= c->left > 0 ? 1 : 0;
    c->status =
        tq_error_run_linearise(c->run, k, c->scratch, matrix, matrix + c->n_matrix, &c->error);
    return c->status == TQ_OK;
}

static bool step(carrier *c, const tq_error_propagation_place *a,
                 const tq_error_propagation_place *m, const tq_error_propagation_place *b)
{
    const tq_error_propagation_place at[3] = {*a, *m, *b};
    double before[TQ_ERROR_SOURCES];
    const double t0 = c->trust.t;
    memcpy(before, c->trust.error, sizeof before);
    c->status = tq_error_propagation_step(&c->trust, at, c->run->step_error, c->scratch, &c->error);
    note_horizons(c, before, t0);
    return c->status == TQ_OK;
}

/* no point lies between a and b: A is straight there */
static bool step_alone(carrier *c, const tq_error_propagation_place *a,
                       const tq_error_propagation_place *b)
{
    const size_t n_place = c->n_place;
    tq_error_propagation_place mean;
    double *x = new_place(c, 0.5 * (a->t + b->t), &mean);
    for (size_t k = 0; k < c->n_matrix + c->n_push; k++) {
        x[k] = 0.5 * (a->matrix[k] + b->matrix[k]); /* the input follows the matrix */
    }
    c->n_place = n_place;
    return step(c, a, &mean, b);
}

/* from point k[0] over k[1] to k[2]; halved log2 of the points deep, 11 times at most */
/* NOLINTNEXTLINE(misc-no-recursion) */
static bool step_over(carrier *c, const size_t k[3], const tq_error_propagation_place *a,
                      const tq_error_propagation_place *m, const tq_error_propagation_place *b)
{
    if (k[2] - k[0] < 4) {
        return step(c, a, m, b);
    }
    const size_t n_place = c->n_place;
    const size_t first[3] = {k[0], (k[0] + k[1]) / 2, k[1]};
    const size_t second[3] = {k[1], (k[1] + k[2]) / 2, k[2]};
    tq_error_propagation_place m1, m2;
    if (!linearise(c, first[1], &m1) || !linearise(c, second[1], &m2)) {
        return false;
    }
    const tq_error_propagation_place all[5] = {*a, m1, *m, m2, *b};
    const double miss = tq_error_propagation_miss(c->trust.n_v, all, c->scratch);
    bool good = false;
    if (miss <= tolerated_miss || c->left < 2 || c->trust.is_lost) {
        c->grown->is_coarse |= miss > coarse_miss;
        good = step(c, a, &m1, m) && step(c, m, &m2, b);
    } else {
        good = step_over(c, first, a, &m1, m) && step_over(c, second, m, &m2, b);
    }
    c->n_place = n_place;
    return good;
}

/* from point k, which is `a`, to point kb, which a then is */
static bool stretch(carrier *c, size_t ka, size_t kb, tq_error_propagation_place *a)
{
    tq_error_propagation_place m, b;
    bool good = linearise(c, kb, &b);
    if (good && kb - ka == 1) {
        good = step_alone(c, a, &b);
    } else if (good) {
        const size_t k[3] = {ka, (ka + kb) / 2, kb};
        good = linearise(c, k[1], &m) && step_over(c, k, a, &m, &b);
    }
    c->n_place = 1;
    if (good) {
        memcpy(c->memory, b.matrix, (c->n_matrix + c->n_push) * sizeof *c->memory);
        a->t = b.t;
    }
    return good;
}

static bool note_growth(carrier *c, size_t k, tq_fastest_growth *ret)
{
    tq_error_growth *g = c->grown;
    c->status = tq_error_growth_at(c->run, k, c->scratch, ret, &c->error);
    if (c->status != TQ_OK) {
        return false;
    }
    if (k == 0) {
        g->start = *ret;
    }
    if (k == 0 || ret->rate > g->fastest.rate) {
        g->fastest = *ret;
        g->fastest_at = tq_error_run_time(c->run, k);
    }
    return true;
}

/* The numbers of places, and what is propagated: from the first point on. */
static bool open_carrier(carrier *c, tq_error_propagation_place *ret_first)
{
    const size_t nv = tq_error_run_nv(c->run);
    const double order = 2.0 * (double)nv + 2.0;
    const double wanted = work_max / (work_factor * order * order * order);
    c->n_matrix = tq_error_propagation_matrix(nv);
    c->n_push = 2 * nv;
    c->left = (size_t)fmin(fmax(wanted, PLACES_LEAST), (double)c->run->n + 1.0);
    c->trust = (tq_error_propagation){
        .n_v = nv,
        .carried = tq_scratch_take(c->scratch, tq_error_propagation_carried(nv), sizeof(double))};
    c->memory = tq_scratch_take(c->scratch, TQ_ERROR_PLACES_MAX * (c->n_matrix + c->n_push),
                                sizeof *c->memory);
    if (c->trust.carried == NULL || c->memory == NULL) {
        c->status = tq_fail(&c->error, TQ_ERR_SCRATCH, "scratch", 0,
                            (double)tq_error_growth_scratch_size(c->run->plant));
        return false;
    }
    tq_error_propagation_begin(&c->trust, tq_error_run_time(c->run, 0));
    return c->run->plant->constraints != NULL || linearise(c, 0, ret_first);
}

/* from the first point to the last, or as far as the plant can be linearised */
static void carry(carrier *c, tq_error_propagation_place *a, tq_fastest_growth *growth)
{
    const size_t n = c->run->n;
    /* errors that violate constraints are removed */
    const bool bound = c->run->plant->constraints != NULL;
    const size_t most = c->run->is_adaptive ? STRETCH_ADAPTIVE : STRETCH_FIXED;
    const size_t way = bound ? (n + EIGEN_MAX - 1) / EIGEN_MAX : most;
    const size_t every = (n / way + EIGEN_MAX) / EIGEN_MAX;
    for (size_t k = 0, count = 1; k + 1 < n; count++) {
        const size_t to = k + way < n ? k + way : n - 1;
        /* asks whether to go on: a stretch may take as long as a step of the run */
        c->status = tq_scratch_work(c->scratch, TQ_SCRATCH_ASK_WORK, &c->error);
        if (c->status != TQ_OK) {
            return;
        }
        c->grown->is_coarse |= !bound && c->left == 0;
        if ((!bound && !c->trust.is_lost && c->left > 0 && !stretch(c, k, to, a)) ||
            ((count % every == 0 || to == n - 1) && !note_growth(c, to, growth))) {
            return;
        }
        k = to;
    }
}

tq_status tq_error_run_propagate(const tq_error_run *run, tq_scratch *scratch, tq_error_growth *ret,
                                 tq_error *reterr)
{
    carrier c = {.run = run, .scratch = scratch, .grown = ret};
    tq_fastest_growth growth = {0.0, 0.0};
    tq_error_propagation_place a;
    ret->is_known = run->n > 0 && note_growth(&c, 0, &growth) && open_carrier(&c, &a);
    if (ret->is_known) {
        carry(&c, &a, &growth);
    }
    if (c.status == TQ_ERR_SCRATCH || c.status == TQ_ERR_STOPPED) {
        return tq_fail(reterr, c.status, c.error.what, c.error.index, c.error.value);
    }
    if (ret->is_known) {
        look_ahead(&c, &growth);
        ret->gain = c.trust.gain;
        ret->is_lost = c.trust.is_lost;
        memcpy(ret->error, c.trust.error, sizeof ret->error);
    }
    return TQ_OK;
}
