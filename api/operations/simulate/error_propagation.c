/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/error_propagation.c - propagates errors along a run from point to point,
 * on a grid adapted to its linearisation. */
#include <math.h>
#include <string.h>

#include "api/operations/simulate/error_growth.h"
#include "core/elementary/elementary.h"

/* Points are gone over in stretches of so many, each halved until one step over it and two agree:
 * steps of a method that chooses them follow the motion, those of one size are many to a swing. */
enum { STRETCH_ADAPTIVE = 16, STRETCH_FIXED = 64 };
/* a stretch, its middle, and two more each time that one is halved */
enum { PLACES_MAX = 3 + 2 * 6 + 1 };
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
    tqa_simulation *s;
    const tq_plant *plant;
    tqa_error_propagation_room *room;
    double *memory; /* PLACES_MAX places of n_matrix + n_push numbers */
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

static void note_horizons(tqa_simulation *s, const double before[TQ_ERROR_SOURCES], double t0)
{
    tqa_error_growth *g = &s->judge.grown;
    for (unsigned k = 0; k < TQ_ERROR_SOURCES; k++) {
        const double now = g->trust.error[k];
        if (isinf(g->horizon[k]) && now > s->judge.tolerated) {
            g->horizon[k] = crossing(s->judge.tolerated, t0, before[k], g->trust.t, now);
        }
    }
}

/* errors that are still small at the end go on growing as they do there */
static void look_ahead(tqa_simulation *s, const tq_fastest_growth *last)
{
    tqa_error_growth *g = &s->judge.grown;
    for (unsigned k = 0; k < TQ_ERROR_SOURCES; k++) {
        const double now = g->trust.error[k];
        if (isinf(g->horizon[k]) && now > 0.0 && last->rate > TQA_ERROR_PROPAGATION_SLOW) {
            const double t = g->trust.t + tq_log(s->judge.tolerated / now) / last->rate;
            g->horizon[k] = t < far_away * s->duration ? t : (double)INFINITY;
        }
    }
}

/* ------------------------------------------------------------------------------------------------
 * From point to point
 */

static double time_of(const carrier *c, size_t k)
{
    return c->s->judge.points.rows[k * c->s->judge.points.width];
}

static double *new_place(carrier *c, double t, tq_error_propagation_place *ret)
{
    double *matrix = c->memory + c->n_place++ * (c->n_matrix + c->n_push);
    *ret = (tq_error_propagation_place){.t = t, .matrix = matrix, .push = matrix + c->n_matrix};
    return matrix;
}

static bool linearise(carrier *c, size_t k, tq_error_propagation_place *ret)
{
    double *matrix = new_place(c, time_of(c, k), ret);
    c->left -= c->left > 0 ? 1 : 0;
    c->status = tqa_error_propagation_linearise(c->s, c->plant, c->room, k, matrix,
                                                matrix + c->n_matrix, &c->error);
    return c->status == TQ_OK;
}

static bool step(carrier *c, const tq_error_propagation_place *a,
                 const tq_error_propagation_place *m, const tq_error_propagation_place *b)
{
    tq_error_propagation *trust = &c->s->judge.grown.trust;
    const tq_error_propagation_place at[3] = {*a, *m, *b};
    double before[TQ_ERROR_SOURCES];
    const double t0 = trust->t;
    memcpy(before, trust->error, sizeof before);
    c->status = tq_error_propagation_step(trust, at, tqa_error_propagation_tolerance(c->s),
                                          &c->room->scratch, &c->error);
    note_horizons(c->s, before, t0);
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
    const double miss = tq_error_propagation_miss(c->s->order.nv, all, &c->room->scratch);
    bool good = false;
    if (miss <= tolerated_miss || c->left < 2 || c->s->judge.grown.trust.is_lost) {
        c->s->judge.grown.is_coarse |= miss > coarse_miss;
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
    tqa_error_growth *g = &c->s->judge.grown;
    c->status = tqa_error_propagation_at(c->s, c->plant, c->room, k, ret, &c->error);
    if (c->status != TQ_OK) {
        return false;
    }
    if (k == 0) {
        g->start = *ret;
    }
    if (k == 0 || ret->rate > g->fastest.rate) {
        g->fastest = *ret;
        g->fastest_at = time_of(c, k);
    }
    return true;
}

/* The numbers of places, and what is carried: from the first point on. */
static bool open_carrier(carrier *c, tq_error_propagation_place *ret_first)
{
    const size_t nv = c->s->order.nv, n = c->s->judge.points.n;
    const double order = 2.0 * (double)nv + 2.0;
    const double wanted = work_max / (work_factor * order * order * order);
    c->n_matrix = tq_error_propagation_matrix(nv);
    c->n_push = 2 * nv;
    c->left = (size_t)fmin(fmax(wanted, PLACES_LEAST), (double)n + 1.0);
    c->memory =
        tqa_tree_take(c->s->tree, PLACES_MAX * (c->n_matrix + c->n_push), sizeof *c->memory);
    tq_error_propagation_begin(&c->s->judge.grown.trust, time_of(c, 0));
    return c->memory != NULL && (c->plant->constraints != NULL || linearise(c, 0, ret_first));
}

/* The answer is no longer wanted: a point may take as long as a step of the run */
static bool is_cancelled(tqa_simulation *s)
{
    const tqa_host *host = s->tree->host;
    s->stopped = host != NULL && host->cancelled != NULL && host->cancelled(host->ctx);
    return s->stopped;
}

bool tqa_error_propagation_carry(tqa_simulation *s, const tq_plant *plant,
                                 tqa_error_propagation_room *r)
{
    tqa_error_growth *g = &s->judge.grown;
    const size_t n = s->judge.points.n;
    carrier c = {.s = s, .plant = plant, .room = r};
    tq_fastest_growth growth = {0.0, 0.0};
    tq_error_propagation_place a;
    if (n == 0 || !note_growth(&c, 0, &growth) || !open_carrier(&c, &a)) {
        g->why_not = "the equations have no unique solution at the start";
        return s->tree->problem->status == 0;
    }
    g->is_known = true;
    const bool bound = plant->constraints != NULL; /* errors that violate constraints are removed */
    const size_t most = tq_run_is_adaptive(s->options.method) ? STRETCH_ADAPTIVE : STRETCH_FIXED;
    const size_t way = bound ? (n + EIGEN_MAX - 1) / EIGEN_MAX : most;
    const size_t every = (n / way + EIGEN_MAX) / EIGEN_MAX;
    for (size_t k = 0, count = 1; k + 1 < n; count++) {
        const size_t to = k + way < n ? k + way : n - 1;
        if (is_cancelled(s)) {
            return false;
        }
        g->is_coarse |= !bound && c.left == 0;
        if ((!bound && !g->trust.is_lost && c.left > 0 && !stretch(&c, k, to, &a)) ||
            ((count % every == 0 || to == n - 1) && !note_growth(&c, to, &growth))) {
            break; /* up to its end */
        }
        k = to;
    }
    if (c.status == TQ_ERR_SCRATCH) {
        return tqa_tree_fail(s->tree, "", c.status, &c.error);
    }
    look_ahead(s, &growth);
    return true;
}
