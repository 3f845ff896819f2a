/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/method.c - from a set of triangles to values, by the chosen method. */
#include "core/identify/regression/method.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/identify/regression/instruments.h"

enum { REWEIGHTINGS = 4 };
static const double rank_tolerance = 1e-10; /* for columns in nominal sizes */
static const double sigma_least = 1e-12;    /* of a row's torque: a smaller residual is rounding
                                               error */
static const double noiseless = 1e-10; /* of |tau|^2: below this cost a feasible fit is exact */

static size_t room_size(const tq_fit *fit)
{
    const size_t n = fit->n_column + 1;
    return n * n;
}

size_t tq_fit_found_size(const tq_fit *fit)
{
    return tq_scratch_cost(fit->n_column, sizeof(double)) +
           tq_scratch_cost(fit->n_parameter, sizeof(double)) +
           2 * tq_scratch_cost(fit->n_row, sizeof(double)) +
           tq_scratch_cost(room_size(fit), sizeof(double)) +
           tq_scratch_cost(TQ_LINK_ENDS * fit->options.n_bound, sizeof(tq_active_bound));
}

bool tq_fit_found_take(const tq_fit *fit, tq_scratch *scratch, tq_fit_found *ret)
{
    *ret = (tq_fit_found){.value = tq_scratch_take(scratch, fit->n_column, sizeof(double)),
                          .full = tq_scratch_take(scratch, fit->n_parameter, sizeof(double)),
                          .sigma = tq_scratch_take(scratch, fit->n_row, sizeof(double)),
                          .weight = tq_scratch_take(scratch, fit->n_row, sizeof(double)),
                          .triangle = tq_scratch_take(scratch, room_size(fit), sizeof(double)),
                          .active = tq_scratch_take(scratch, TQ_LINK_ENDS * fit->options.n_bound,
                                                    sizeof(tq_active_bound)),
                          .unbounded = (double)NAN};
    return ret->value != NULL && ret->full != NULL && ret->sigma != NULL && ret->weight != NULL &&
           ret->triangle != NULL && ret->active != NULL;
}

size_t tq_fit_method_size(const tq_fit *fit)
{
    const size_t estimate = tq_estimate_size(fit->n_column);
    const size_t bodies =
        fit->options.model.kind == TQ_FIT_BASE
            ? tq_fit_bodies_size(fit) + tq_scratch_cost(fit->n_parameter, sizeof(double)) +
                  tq_scratch_cost(TQ_LINK_ENDS * fit->options.n_bound, sizeof(double))
            : 0;
    return tq_scratch_cost(room_size(fit), sizeof(double)) +
           2 * tq_scratch_cost(fit->n_column, sizeof(double)) + tq_scratch_cost(fit->n_column, 1) +
           (tq_fit_has_instruments(fit)
                ? tq_fit_project_size(fit) + tq_scratch_cost(room_size(fit), sizeof(double))
                : 0) +
           (estimate > bodies ? estimate : bodies);
}

/* values of the columns at the prior */
static void prior_values(const tq_fit *fit, double *ret)
{
    memset(ret, 0, fit->n_column * sizeof *ret);
    if (fit->options.model.kind == TQ_FIT_BASE) {
        tq_fit_combine(fit, fit->options.prior, ret);
    }
}

/* Rows without torque, of a base that nothing pushes, draw values to 0, and with these their
 * residuals: weights by such residuals would grow until nothing is left. The residual's part of the
 * torques that cancel does not depend on the size of the values; it is taken of the torques that
 * those of the prior have, or nominal ones. */
static double of_prior(const tq_fit *fit, const double *set, size_t r, const double *value,
                       const double *prior)
{
    const double own = tq_fit_row_parts(fit, set, r, value);
    const double usual = tq_fit_row_parts(fit, set, r, prior);
    return own > 0.0
               ? sqrt((usual > 0.0 ? usual : tq_fit_row_parts(fit, set, r, fit->nominal)) / own)
               : 1.0;
}

/* samples of n_sample in which row r is known, by its part of all experiments */
static double samples_of(const tq_fit *fit, size_t r, size_t n_sample)
{
    double all = 0.0;
    double known = 0.0;
    for (size_t e = 0; e < fit->n_experiment; e++) {
        const bool *used = fit->experiments[e].row_is_used;
        const double n = (double)fit->experiments[e].n_sample;
        all += n;
        known += used == NULL || used[r] ? n : 0.0;
    }
    return n_sample == 0 || !(known > 0.0) ? 1.0 : (double)n_sample * (known / all);
}

/* Of a row whose gain kp is not known the residual is the noise of position times kp, and its own
 * inertia and friction are in proportion to it: weights by residuals would draw all of them to 0.
 * They go by what the residual is of the present gain. */
static double of_gain(const tq_fit *fit, size_t r, const double *value)
{
    static const double least = 1e-3;
    for (size_t k = 0; k < fit->rows[r].n; k++) {
        const tq_column *column = &fit->columns[fit->rows[r].column[k]];
        if (column->kind == TQ_COLUMN_KP) {
            const tq_unknown_gain *gain = &fit->options.model.gains[column->gain];
            const double present = gain->start + gain->change;
            return 1.0 / fmax(1.0 + value[fit->rows[r].column[k]] / present, least);
        }
    }
    return 1.0;
}

/* residual deviations of the rows at the values, and weights 1 / deviation */
static void weigh_rows(const tq_fit *fit, const double *set, size_t n_sample, const double *prior,
                       tq_fit_found *found)
{
    for (size_t r = 0; r < fit->n_row; r++) {
        const double square = tq_fit_row_square(fit, set, r);
        const double n = samples_of(fit, r, n_sample);
        const double residual = sqrt(tq_fit_row_residual(fit, set, r, found->value) / n);
        found->sigma[r] = residual;
        if (square > 0.0) {
            const double least = sigma_least * sqrt(square / n);
            const double of_present = residual * of_gain(fit, r, found->value);
            found->weight[r] = 1.0 / fmax(fmax(of_present, least), DBL_MIN / DBL_EPSILON);
            continue;
        }
        const double factor = of_prior(fit, set, r, found->value, prior);
        const double least =
            sigma_least * factor * sqrt(tq_fit_row_parts(fit, set, r, found->value) / n);
        found->weight[r] = 1.0; /* a row that never has torque */
        if (least > 0.0) {
            found->weight[r] = 1.0 / fmax(fmax(factor * residual, least), DBL_MIN / DBL_EPSILON);
        }
    }
}

/* all parameters from the values; dependent ones keep their prior */
static void lift(const tq_fit *fit, const double *value, double *ret_full)
{
    const tq_base_set *base = &fit->base;
    if (fit->options.model.kind != TQ_FIT_BASE) {
        return;
    }
    memcpy(ret_full, fit->options.prior, fit->n_parameter * sizeof *ret_full);
    for (size_t b = 0; b < base->n_base; b++) {
        double rest = value[b];
        for (size_t d = 0; d < base->n_dependent; d++) {
            rest -= base->k[b * base->n_dependent + d] * fit->options.prior[base->dependent[d]];
        }
        ret_full[base->independent[b]] = rest;
    }
}

/* ten parameters of the link among all of them */
static const double *ten_of(const tq_fit *fit, const double *full, uint32_t link)
{
    const tq_model *model = &fit->mechanism->model;
    uint32_t k = 0;
    while (k + 1 < model->n_joint && model->joints[model->order[k]].child != link) {
        k++;
    }
    return full + (size_t)TQ_PARAMETERS_OF_LINK * k;
}

static void find_active(const tq_fit *fit, const double *without, const double *multiplier,
                        tq_fit_found *found)
{
    double sum = 0.0;
    found->n_active = 0;
    for (size_t k = 0; k < fit->options.n_bound; k++) {
        const tq_link_bounds *bounds = &fit->options.bounds[k];
        found->n_active +=
            tq_link_bounds_active(bounds, ten_of(fit, found->full, bounds->link),
                                  ten_of(fit, without, bounds->link), multiplier + TQ_LINK_ENDS * k,
                                  found->feasible.objective, found->active + found->n_active);
    }
    for (size_t k = 0; k < found->n_active; k++) {
        sum += found->active[k].share;
    }
    for (size_t k = 0; k < found->n_active && sum > 0.0; k++) {
        found->active[k].share /= sum;
    }
}

/* A feasible fit outside of the bounds is repeated within. One inside is the optimum as it is. */
static tq_status hold_bounds(const tq_fit *fit, const tq_reduced *data, tq_scratch *scratch,
                             tq_fit_found *found, tq_error *reterr)
{
    bool all = true;
    for (size_t k = 0; k < fit->options.n_bound; k++) {
        const tq_link_bounds *bounds = &fit->options.bounds[k];
        all = all && tq_link_bounds_hold(bounds, ten_of(fit, found->full, bounds->link));
    }
    found->unbounded = tq_reduced_residual(data, found->value);
    if (all) {
        return TQ_OK;
    }
    double *without = tq_scratch_take(scratch, fit->n_parameter, sizeof *without);
    double *multiplier =
        tq_scratch_take(scratch, TQ_LINK_ENDS * fit->options.n_bound, sizeof *multiplier);
    if (without == NULL || multiplier == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_method_size(fit));
    }
    memcpy(without, found->full, fit->n_parameter * sizeof *without);
    tq_fit_bodies_found held = {
        .full = found->full, .value = found->value, .multiplier = multiplier};
    const tq_status status =
        tq_fit_bodies(fit, found->triangle, found->unconstrained, scratch, &held, reterr);
    if (status == TQ_OK) {
        held.report.n_iteration += found->feasible.n_iteration;
        found->feasible = held.report;
        find_active(fit, without, multiplier, found);
    }
    return status;
}

static tq_status feasible(const tq_fit *fit, const tq_reduced *data, tq_scratch *scratch,
                          tq_fit_found *found, tq_error *reterr)
{
    double *exact = tq_scratch_take(scratch, fit->n_column, sizeof *exact);
    if (exact == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_method_size(fit));
    }
    memcpy(exact, found->value, fit->n_column * sizeof *exact);
    tq_fit_bodies_found bodies = {.full = found->full, .value = found->value};
    tq_status status =
        tq_fit_bodies(fit, found->triangle, found->unconstrained, scratch, &bodies, reterr);
    found->feasible = bodies.report;
    double square = 0.0;
    for (size_t i = 0; i <= data->n; i++) {
        const double b = data->triangle[i * (data->n + 1) + data->n];
        square += b * b;
    }
    if (status == TQ_OK &&
        tq_reduced_residual(data, found->value) - found->unconstrained < noiseless * square &&
        tq_fit_polish(fit, exact, found->full, found->value)) {
        found->feasible.objective = tq_reduced_residual(data, found->value);
        found->feasible.gap = found->feasible.objective - found->unconstrained;
    }
    if (status == TQ_OK && fit->options.n_bound > 0) {
        status = hold_bounds(fit, data, scratch, found, reterr);
    }
    return status;
}

static tq_status by_method(const tq_fit *fit, const tq_reduced *data, const double *centre,
                           tq_scratch *scratch, tq_fit_found *found, tq_error *reterr)
{
    switch (fit->options.method) {
    case TQ_FIT_FEASIBLE:
    case TQ_FIT_FEASIBLE_IV:
        if (fit->options.model.kind == TQ_FIT_BASE) {
            return feasible(fit, data, scratch, found, reterr);
        }
        break;
    case TQ_FIT_TLS:
        return tq_estimate_tls(data, 1.0, scratch, found->value, reterr);
    case TQ_FIT_RIDGE:
        return tq_estimate_ridge(data, centre,
                                 fit->options.ridge * (found->unconstrained + DBL_MIN), scratch,
                                 found->value, reterr);
    case TQ_FIT_BOUNDED:
        break;
    case TQ_FIT_OLS:
    case TQ_FIT_WLS:
    case TQ_FIT_IRLS:
    case TQ_FIT_IV:
        return TQ_OK;
    }
    /* joints fitted separately have no bodies: feasible means inertia and friction >= 0 */
    bool *positive = tq_scratch_take(scratch, fit->n_column, sizeof *positive);
    if (positive == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_method_size(fit));
    }
    for (size_t c = 0; c < fit->n_column; c++) {
        positive[c] = tq_fit_is_positive(fit, c);
    }
    return tq_estimate_bounded(data, positive, centre, rank_tolerance, scratch, found->value,
                               reterr);
}

/* the triangle of the set at the present weights: of its columns, or of their projection on the
 * instruments */
static tq_status reduce(const tq_fit *fit, const double *set, double *room, tq_scratch *scratch,
                        tq_fit_found *found, tq_error *reterr)
{
    if (tq_fit_has_instruments(fit)) {
        return tq_fit_project(fit, set, found->weight, scratch, found->triangle, reterr);
    }
    tq_fit_expand(fit, set, found->weight, room, found->triangle);
    return TQ_OK;
}

/* With instruments the residual at the estimate is 0: the last entry becomes the actual residual,
 * so that the cost of a deviation from the estimate is in proportion to the noise. */
static void add_unseen(const tq_fit *fit, const double *set, tq_fit_found *found)
{
    const size_t n = fit->n_column;
    double square = 0.0;
    for (size_t r = 0; r < fit->n_row; r++) {
        square +=
            found->weight[r] * found->weight[r] * tq_fit_row_residual(fit, set, r, found->value);
    }
    found->triangle[(n + 1) * (n + 1) - 1] = sqrt(square);
}

static double column_rms(const double *triangle, size_t n, size_t c, size_t n_sample)
{
    double square = 0.0;
    for (size_t i = 0; i <= c; i++) {
        square += triangle[i * (n + 1) + c] * triangle[i * (n + 1) + c];
    }
    return sqrt(square / (n_sample > 0 ? (double)n_sample : 1.0));
}

/* Total least squares requires the noise of each column relative to that of torque, which the
 * weights make 1: column_noise times the column's rms, and at least as much for torque. (Equal
 * absolute noise in all columns would depend on their units and give arbitrary inertias.) */
static void scale_by_noise(const tq_fit *fit, const double *triangle, size_t n_sample,
                           double *ret_scale)
{
    const size_t n = fit->n_column;
    const double column_noise = fit->options.column_noise;
    const double torque = fmax(1.0, column_noise * column_rms(triangle, n, n, n_sample));
    for (size_t c = 0; c < n; c++) {
        const double rms = column_rms(triangle, n, c, n_sample);
        ret_scale[c] = rms > 0.0 ? torque / (column_noise * rms) : 1.0;
    }
}

/* memory of an estimate in addition to the triangle */
typedef struct workplace {
    double *room;   /* (room_size) */
    double *centre; /* (n_column) columns at the prior */
    tq_scratch *scratch;
} workplace;

static bool take_workplace(const tq_fit *fit, tq_scratch *scratch, workplace *ret)
{
    *ret = (workplace){.room = tq_scratch_take(scratch, room_size(fit), sizeof(double)),
                       .centre = tq_scratch_take(scratch, fit->n_column, sizeof(double)),
                       .scratch = scratch};
    if (ret->room != NULL && ret->centre != NULL) {
        prior_values(fit, ret->centre);
    }
    return ret->room != NULL && ret->centre != NULL;
}

/* least squares without constraints, rows weighted by their residuals */
static tq_status weigh(const tq_fit *fit, const double *set, size_t n_sample,
                       const workplace *place, tq_fit_found *found, tq_error *reterr)
{
    const tq_reduced data = {fit->n_column, found->triangle, fit->nominal};
    const bool weighs = fit->options.method != TQ_FIT_OLS;
    for (size_t r = 0; r < fit->n_row; r++) {
        found->weight[r] = 1.0;
    }
    for (unsigned k = 0; k <= (weighs ? REWEIGHTINGS : 0); k++) {
        tq_status status = reduce(fit, set, place->room, place->scratch, found, reterr);
        if (status == TQ_OK) {
            status = tq_estimate_ols(&data, place->centre, rank_tolerance, place->scratch,
                                     found->value, &found->rank, reterr);
        }
        if (status != TQ_OK) {
            return status;
        }
        if (tq_fit_has_instruments(fit)) {
            add_unseen(fit, set, found);
        }
        found->unconstrained = tq_reduced_residual(&data, found->value);
        if (k < REWEIGHTINGS && weighs) {
            weigh_rows(fit, set, n_sample, place->centre, found);
        }
    }
    return TQ_OK;
}

/* from this unconstrained estimate to the result of the chosen method */
static tq_status constrain(const tq_fit *fit, size_t n_sample, const workplace *place,
                           tq_fit_found *found, tq_error *reterr)
{
    const double *scale = fit->nominal;
    if (fit->options.method == TQ_FIT_TLS) {
        scale_by_noise(fit, found->triangle, n_sample, place->room);
        scale = place->room;
    }
    const tq_reduced data = {fit->n_column, found->triangle, scale};
    return by_method(fit, &data, place->centre, place->scratch, found, reterr);
}

static void finish(const tq_fit *fit, const double *set, size_t n_sample, bool plain,
                   tq_fit_found *found)
{
    const bool has_bodies =
        fit->options.method == TQ_FIT_FEASIBLE || fit->options.method == TQ_FIT_FEASIBLE_IV;
    if (plain || !has_bodies) {
        lift(fit, found->value, found->full);
    }
    const tq_reduced data = {fit->n_column, found->triangle, fit->nominal};
    found->objective = tq_reduced_residual(&data, found->value);
    for (size_t r = 0; r < fit->n_row; r++) {
        found->sigma[r] =
            sqrt(tq_fit_row_residual(fit, set, r, found->value) / samples_of(fit, r, n_sample));
    }
}

tq_status tq_fit_find(const tq_fit *fit, const double *set, size_t n_sample, bool plain,
                      tq_scratch *scratch, tq_fit_found *found, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    workplace place;
    tq_status status = TQ_OK;
    found->unbounded = (double)NAN;
    found->n_active = 0;
    if (!take_workplace(fit, scratch, &place)) {
        status = tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_method_size(fit));
    }
    if (status == TQ_OK) {
        status = weigh(fit, set, n_sample, &place, found, reterr);
    }
    if (status == TQ_OK && !plain) {
        status = constrain(fit, n_sample, &place, found, reterr);
    }
    if (status == TQ_OK) {
        finish(fit, set, n_sample, plain, found);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_fit_find_from(const tq_fit *fit, const double *set, size_t n_sample,
                           const tq_fit_found *plain, tq_scratch *scratch, tq_fit_found *found,
                           tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    workplace place;
    if (!take_workplace(fit, scratch, &place)) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_method_size(fit));
    }
    memcpy(found->value, plain->value, fit->n_column * sizeof *found->value);
    memcpy(found->weight, plain->weight, fit->n_row * sizeof *found->weight);
    memcpy(found->triangle, plain->triangle, room_size(fit) * sizeof *found->triangle);
    found->rank = plain->rank;
    found->unconstrained = plain->unconstrained;
    const tq_status status = constrain(fit, n_sample, &place, found, reterr);
    if (status == TQ_OK) {
        finish(fit, set, n_sample, false, found);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_fit_find_least_squares(const tq_fit *fit, const double *set, const tq_fit_found *found,
                                    tq_scratch *scratch, double *ret_value, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    double *room = tq_scratch_take(scratch, room_size(fit), sizeof *room);
    double *triangle = tq_scratch_take(scratch, room_size(fit), sizeof *triangle);
    double *centre = tq_scratch_take(scratch, fit->n_column, sizeof *centre);
    tq_status status = TQ_OK;
    if (room == NULL || triangle == NULL || centre == NULL) {
        status = tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_method_size(fit));
    } else {
        size_t rank = 0;
        const tq_reduced data = {fit->n_column, triangle, fit->nominal};
        prior_values(fit, centre);
        tq_fit_expand(fit, set, found->weight, room, triangle);
        status = tq_estimate_ols(&data, centre, rank_tolerance, scratch, ret_value, &rank, reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
