/* SPDX-License-Identifier: Apache-2.0 */
/* core/excitation/descent.c - L-BFGS from one motion to a better one, a motion at a time. */
#include <math.h>
#include <string.h>

#include "core/excitation/excitation_private.h"

/* Weights of a limit's excess, relative to the logarithm of the criterion. What excess is left
 * after the last is taken off by a smaller motion. */
static const double penalty[] = {10.0, 100.0, 1000.0};
enum { STAGES = sizeof penalty / sizeof penalty[0] };
enum {
    HALVED_MAX = 12, /* of one step; then the stage is over */
    JUDGED = 5,      /* steps after which the motion is made to fit its limits and compared */
    LOOK_BACK = 10,  /* steps over which `gains` is judged */
    DRAWN = 8,       /* random motions, of which the best begins a descent */
};
static const double gains = 2e-3; /* of the value; less ends a stage */
static const double armijo = 1e-4;
static const double first_step = 0.05; /* length, in units */

static double dot(size_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (size_t k = 0; k < n; k++) {
        sum += x[k] * y[k];
    }
    return sum;
}

static void add_scaled(size_t n, double factor, const double *x, double *y)
{
    for (size_t k = 0; k < n; k++) {
        y[k] += factor * x[k];
    }
}

size_t tq_descent_variables(const tq_excitation_task *task)
{
    return task->model->nv * (1 + 2 * task->n_harmonic);
}

/* ------------------------------------------------------------------------------------------------
 * Variables and motions
 */

void tq_descent_unfold(tq_excitation *search, const double *z)
{
    struct tq_excitation_room *room = search->room;
    const double *unit = room->descent.unit;
    const size_t nv = search->task.model->nv, h = search->task.n_harmonic;
    for (size_t v = 0; v < nv; v++, z += 1 + 2 * h, unit += 1 + 2 * h) {
        room->offset[v] = z[0] * unit[0];
        for (size_t k = 0; k < h; k++) {
            room->a[k * nv + v] = z[1 + k] * unit[1 + k];
            room->b[k * nv + v] = z[1 + h + k] * unit[1 + h + k];
        }
    }
}

void tq_descent_fold(const tq_excitation *search, double *ret_z)
{
    const struct tq_excitation_room *room = search->room;
    const double *unit = room->descent.unit;
    const size_t nv = search->task.model->nv, h = search->task.n_harmonic;
    for (size_t v = 0; v < nv; v++, ret_z += 1 + 2 * h, unit += 1 + 2 * h) {
        ret_z[0] = room->offset[v] / unit[0];
        for (size_t k = 0; k < h; k++) {
            ret_z[1 + k] = room->a[k * nv + v] / unit[1 + k];
            ret_z[1 + h + k] = room->b[k * nv + v] / unit[1 + h + k];
        }
    }
}

/* offset: half of the range; a_k and b_k, rates: what the range, the rate and the acceleration
 * allow the harmonic alone */
void tq_descent_units(tq_excitation *search)
{
    const tq_excitation_task *task = &search->task;
    double *unit = search->room->descent.unit;
    const size_t h = task->n_harmonic;
    const double w = 2.0 * M_PI * task->frequency;
    for (size_t v = 0; v < task->model->nv; v++, unit += 1 + 2 * h) {
        unit[0] = 0.5 * (task->upper[v] - task->lower[v]);
        for (size_t k = 0; k < h; k++) {
            const double kw = (double)(k + 1) * w;
            const double rate = fmin(unit[0] * kw, task->velocity[v]);
            unit[1 + k] = unit[1 + h + k] = fmin(rate, task->acceleration[v] / kw);
        }
    }
}

/* The direction among those that leave the motion at rest at the ends of its period: of z, the
 * orthogonal complement of sum unit_k z_k = 0 and sum k unit_k z_k = 0. */
static void project(const tq_excitation *search, double *way)
{
    const size_t h = search->task.n_harmonic;
    const double *unit = search->room->descent.unit;
    for (size_t v = 0; v < search->task.model->nv; v++, way += 1 + 2 * h, unit += 1 + 2 * h) {
        double sum = 0.0, length = 0.0, along = 0.0, long_length = 0.0;
        for (size_t k = 0; k < h; k++) {
            const double u = unit[1 + k], ku = (double)(k + 1) * unit[1 + h + k];
            sum += u * way[1 + k], length += u * u;
            along += ku * way[1 + h + k], long_length += ku * ku;
        }
        for (size_t k = 0; k < h; k++) {
            way[1 + k] -= unit[1 + k] * sum / length;
            way[1 + h + k] -= (double)(k + 1) * unit[1 + h + k] * along / long_length;
        }
    }
}

/* ------------------------------------------------------------------------------------------------
 * Steps
 */

/* way = -H slope by the pairs of steps and changes. Source: J. Nocedal, S. Wright, Numerical
 * Optimization, 2006, algorithm 7.4. */
static void find_way(tq_descent *d, size_t n)
{
    double alpha[TQ_DESCENT_PAIRS], rho[TQ_DESCENT_PAIRS];
    memcpy(d->way, d->slope, n * sizeof *d->way);
    double scale = first_step / fmax(sqrt(dot(n, d->slope, d->slope)), 1e-300);
    for (size_t i = 0; i < d->n_pair; i++) {
        const size_t p = (d->next + TQ_DESCENT_PAIRS - 1 - i) % TQ_DESCENT_PAIRS;
        const double *s = d->step + p * n, *y = d->change + p * n;
        rho[p] = 1.0 / dot(n, s, y);
        alpha[p] = rho[p] * dot(n, s, d->way);
        add_scaled(n, -alpha[p], y, d->way);
        if (i == 0) {
            scale = 1.0 / (rho[p] * dot(n, y, y));
        }
    }
    for (size_t k = 0; k < n; k++) {
        d->way[k] *= scale;
    }
    for (size_t i = d->n_pair; i-- > 0;) {
        const size_t p = (d->next + TQ_DESCENT_PAIRS - 1 - i) % TQ_DESCENT_PAIRS;
        const double beta = rho[p] * dot(n, d->change + p * n, d->way);
        add_scaled(n, alpha[p] - beta, d->step + p * n, d->way);
    }
    for (size_t k = 0; k < n; k++) {
        d->way[k] = -d->way[k];
    }
    d->along = dot(n, d->way, d->slope);
    if (!(d->along < 0.0)) { /* rounding: steepest descent */
        for (size_t k = 0; k < n; k++) {
            d->way[k] = -scale * d->slope[k];
        }
        d->n_pair = 0;
        d->along = -scale * dot(n, d->slope, d->slope);
    }
    d->length = 1.0;
    d->n_halved = 0;
}

/* the pair of z -> tested, where the curvature along it is positive */
static void note_pair(tq_descent *d, size_t n)
{
    double *s = d->step + d->next * n, *y = d->change + d->next * n;
    for (size_t k = 0; k < n; k++) {
        s[k] = d->tested[k] - d->z[k];
        y[k] = d->tested_slope[k] - d->slope[k];
    }
    if (dot(n, s, y) > 1e-12 * sqrt(dot(n, s, s) * dot(n, y, y))) {
        d->next = (d->next + 1) % TQ_DESCENT_PAIRS;
        d->n_pair += d->n_pair < TQ_DESCENT_PAIRS;
    }
}

static void next_stage(tq_descent *d)
{
    d->stage++;
    d->n_step = d->n_pair = 0;
    d->has_value = false;
    d->is_open = d->stage < STAGES;
}

/* The motion at z within all limits: is it the best? */
static tq_status judge(tq_excitation *search, tq_error *reterr)
{
    tq_excitation_score found = {0};
    tq_descent_unfold(search, search->room->descent.z);
    tq_excitation_fit_limits(search);
    tq_status status = tq_excitation_measure(search, false, &found, reterr);
    struct tq_excitation_room *room = search->room;
    const size_t n = search->task.model->nv * search->task.n_harmonic;
    for (unsigned i = 0; i < 16 && status == TQ_OK && isfinite(search->score.torque_error) &&
                         tq_excitation_violation(&search->task, &found) > 0.0;
         i++) {
        for (size_t k = 0; k < n; k++) {
            room->a[k] *= 0.97, room->b[k] *= 0.97;
        }
        status = tq_excitation_measure(search, false, &found, reterr);
    }
    if (status == TQ_OK && tq_excitation_is_better(&search->task, &found, &search->score)) {
        status = tq_excitation_measure(search, true, &found, reterr);
        if (status == TQ_OK) {
            tq_excitation_keep(search, &found);
            search->n_better++;
        }
    }
    return status;
}

static tq_status accept(tq_excitation *search, double value, tq_error *reterr)
{
    tq_descent *d = &search->room->descent;
    const size_t n = tq_descent_variables(&search->task);
    if (d->has_value) {
        note_pair(d, n);
    }
    memcpy(d->z, d->tested, n * sizeof *d->z);
    memcpy(d->slope, d->tested_slope, n * sizeof *d->slope);
    d->value = value;
    d->has_value = true;
    const bool looks_back = d->n_step % LOOK_BACK == 0;
    const bool is_done = looks_back && d->n_step > 0 && !(d->mark - value > gains);
    const bool is_judged = d->n_step % JUDGED == JUDGED - 1 || is_done;
    d->mark = looks_back ? value : d->mark;
    if (is_done) {
        next_stage(d);
    } else {
        d->n_step++;
        find_way(d, n);
    }
    return is_judged ? judge(search, reterr) : TQ_OK;
}

/* From the best motion, or, later, from the best of DRAWN random ones: one more is drawn. */
static tq_status begin(tq_excitation *search, tq_error *reterr)
{
    const tq_excitation_task *task = &search->task;
    struct tq_excitation_room *room = search->room;
    tq_descent *d = &room->descent;
    const size_t nv = task->model->nv, h = task->n_harmonic;
    tq_descent_units(search);
    if (search->n_descent == 0) {
        memcpy(room->offset, room->best_offset, nv * sizeof(double));
        memcpy(room->a, room->best_a, nv * h * sizeof(double));
        memcpy(room->b, room->best_b, nv * h * sizeof(double));
    } else {
        tq_excitation_score found = {0};
        tq_excitation_draw(search, true);
        tq_excitation_express(search);
        const tq_status status = tq_excitation_measure(search, false, &found, reterr);
        if (status != TQ_OK) {
            return status;
        }
        if (d->n_drawn == 0 || tq_excitation_is_better(task, &found, &d->drawn)) {
            d->drawn = found;
            tq_descent_fold(search, d->tested);
        }
        if (++d->n_drawn < DRAWN) {
            return TQ_OK;
        }
        tq_descent_unfold(search, d->tested);
    }
    tq_descent_fold(search, d->z);
    d->is_open = true;
    d->has_value = false;
    d->stage = d->n_step = d->n_pair = d->n_drawn = d->next = 0;
    search->n_descent++;
    return TQ_OK;
}

tq_status tq_descent_try(tq_excitation *search, tq_error *reterr)
{
    tq_descent *d = &search->room->descent;
    const size_t n = tq_descent_variables(&search->task);
    if (!d->is_open) {
        return begin(search, reterr);
    }
    memcpy(d->tested, d->z, n * sizeof *d->z);
    if (d->has_value) {
        add_scaled(n, d->length, d->way, d->tested);
    }
    double value = HUGE_VAL;
    const tq_status status = tq_descent_slope(search, penalty[d->stage], &value, reterr);
    if (status != TQ_OK) {
        return status;
    }
    project(search, d->tested_slope);
    if (isfinite(value) && (!d->has_value || value <= d->value + armijo * d->length * d->along)) {
        return accept(search, value, reterr);
    }
    d->length *= 0.5;
    d->n_halved++;
    if (!d->has_value || d->n_halved > HALVED_MAX) {
        const bool had_value = d->has_value;
        next_stage(d);
        d->is_open = d->is_open && had_value;
        return had_value ? judge(search, reterr) : TQ_OK;
    }
    return TQ_OK;
}
