/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/solve.c - the solution of a fit: values, rank, condition number, spread,
 * grades. */
#include <math.h>
#include <string.h>

#include "core/identify/regression/method.h"
#include "core/identify/regression/visible.h"
#include "core/identify/validation/bootstrap.h"
#include "core/identify/validation/statistics.h"

static const double rank_tolerance = 1e-9; /* for columns scaled to length 1 */
static const double usable = 0.30;         /* consistency measure; thresholds of the
                                              specification */
static const double robust = 0.80;
/* deviation along a direction, in nominal sizes: not determined by the data */
static const double unknown = 0.5;
static const double unsure = 0.02; /* the same, if the effect on torque is above `slight` */
/* of a joint's torque, by one nominal size: no motion shows it */
static const double invisible = 0.02;
static const double slight = 0.01;       /* of the torque in these data, by one standard
                                            deviation */
static const double harmless = 0.3;      /* of the noise: it increases the rms by 5 % */
static const double explained = 2.0;     /* standard deviations: a smaller ratio may be chance */
static const double share_of_loss = 0.2; /* of a torque: upper limit of load-dependent friction */
static const double rounding = 1e-7;     /* of a row's torque */
static const double huber_close = 1e-6;  /* IRLS has converged: change of the values, in nominal
                                            sizes */
static const double load_close = 1e-3;
enum { PASSES = 8 };

size_t tq_fit_solution_size(const tq_fit *fit)
{
    const size_t n = fit->n_column;
    return tq_scratch_cost(n, sizeof(tq_estimate)) +
           tq_scratch_cost(tq_fit_value_count(fit), sizeof(double)) +
           tq_scratch_cost(fit->n_parameter, sizeof(double)) +
           2 * tq_scratch_cost(fit->n_row, sizeof(double)) +
           tq_scratch_cost(TQ_LINK_ENDS * fit->options.n_bound, sizeof(tq_active_bound)) +
           tq_scratch_cost(n, sizeof(tq_unidentified)) + 2 * tq_scratch_cost(n * n, sizeof(double));
}

size_t tq_fit_solve_size(const tq_fit *fit)
{
    const size_t n = fit->n_column;
    const size_t method = tq_fit_method_size(fit);
    const size_t spread = tq_fit_statistics_size(fit), draws = tq_fit_bootstrap_size(fit);
    const size_t visible = tq_fit_visible_size(fit);
    size_t statistics = spread > draws ? spread : draws;
    statistics = statistics > visible ? statistics : visible;
    return tq_scratch_cost(2 * fit->set_size, sizeof(double)) + 2 * tq_fit_found_size(fit) +
           2 * tq_scratch_cost(n, sizeof(double)) + tq_scratch_cost(n * n, sizeof(double)) +
           2 * tq_scratch_cost(fit->n_row, sizeof(double)) +
           (method > statistics ? method : statistics);
}

bool tq_fit_solution_take(const tq_fit *fit, tq_scratch *memory, tq_fit_solution *s)
{
    const size_t n = fit->n_column;
    *s = (tq_fit_solution){.n_column = n};
    s->estimate = tq_scratch_take(memory, n, sizeof *s->estimate);
    s->value = tq_scratch_take(memory, tq_fit_value_count(fit), sizeof *s->value);
    s->full = tq_scratch_take(memory, fit->n_parameter, sizeof *s->full);
    s->sigma = tq_scratch_take(memory, fit->n_row, sizeof *s->sigma);
    s->mean_load = tq_scratch_take(memory, fit->n_row, sizeof *s->mean_load);
    s->active = tq_scratch_take(memory, TQ_LINK_ENDS * fit->options.n_bound, sizeof *s->active);
    s->unidentified = tq_scratch_take(memory, n, sizeof *s->unidentified);
    s->covariance = tq_scratch_take(memory, n * n, sizeof *s->covariance);
    double *directions = tq_scratch_take(memory, n * n, sizeof *directions);
    for (size_t k = 0; s->unidentified != NULL && directions != NULL && k < n; k++) {
        s->unidentified[k].direction = directions + k * n;
    }
    return s->covariance != NULL && s->mean_load != NULL && s->estimate != NULL &&
           s->value != NULL && s->full != NULL && s->sigma != NULL && s->active != NULL &&
           s->unidentified != NULL && directions != NULL;
}

static double ratio(double a, double b)
{
    return b > 0.0 ? a / b : (double)INFINITY;
}

/* rank and condition number, with columns as they are and scaled to one length */
static tq_status compute_rank(const tq_fit *fit, const tq_fit_found *found, double *by, double *s,
                              tq_scratch *scratch, tq_fit_solution *ret, tq_error *reterr)
{
    const size_t n = fit->n_column;
    const tq_reduced data = {n, found->triangle, fit->nominal};
    tq_status status = tq_reduced_svd(&data, NULL, scratch, s, NULL, reterr);
    if (status != TQ_OK) {
        return status;
    }
    ret->condition = ratio(s[0], s[n - 1]);
    for (size_t c = 0; c < n; c++) {
        double square = 0.0;
        for (size_t i = 0; i <= c; i++) {
            const double entry = found->triangle[i * (n + 1) + c];
            square += entry * entry;
        }
        by[c] = square > 0.0 ? 1.0 / sqrt(square) : 0.0;
    }
    status = tq_reduced_svd(&data, by, scratch, s, NULL, reterr);
    ret->condition_scaled = ratio(s[0], s[n - 1]);
    ret->rank = 0;
    for (size_t c = 0; status == TQ_OK && c < n; c++) {
        ret->rank += s[c] > rank_tolerance * s[0];
    }
    ret->structural_rank = n;
    return status;
}

/* Median ratio of the jackknife's deviations to the textbook's: the effect of correlated noise.
 * Differences between two or three experiments are model error; they do not show poor excitation.
 */
static double inflation(const tq_estimate *estimate, size_t n, double *room)
{
    size_t count = 0;
    for (size_t c = 0; c < n; c++) {
        const double x = estimate[c].deviation / (estimate[c].raised * estimate[c].textbook);
        if (!isfinite(x)) {
            continue;
        }
        size_t at = count++;
        for (; at > 0 && room[at - 1] > x; at--) {
            room[at] = room[at - 1];
        }
        room[at] = x;
    }
    return count > 0 ? fmax(room[count / 2], 1.0) : 1.0;
}

/* Fraction of the residuals that is noise, by the residuals of separate fits of experiments (NaN:
 * all). Differences between experiments are model error, not poor excitation. */
static double share_of_noise(const tq_fit *fit, const tq_fit_found *found, const double *own)
{
    double noise = 0.0, all = 0.0;
    for (size_t r = 0; r < fit->n_row; r++) {
        const double least = fmin(found->sigma[r], own[r]) * found->weight[r];
        noise += least * least;
        all += found->sigma[r] * found->weight[r] * found->sigma[r] * found->weight[r];
    }
    return all > 0.0 ? sqrt(noise / all) : 1.0;
}

static double noise_of(const tq_fit *fit, const double *set, const tq_fit_solution *s,
                       const double *own, size_t row);

static void move_last(tq_unidentified *list, size_t n, size_t k)
{
    const tq_unidentified u = list[k];
    memmove(list + k, list + k + 1, (n - 1 - k) * sizeof *list);
    list[n - 1] = u;
}

/* Arrays of a search of directions. */
typedef struct tq_uncertainty {
    const double *own; /* (n_row) see noise_of */
    double *faint;     /* (n_column) variance, in nominal sizes, along directions that change no
                          torque noticeably */
    double *noise;     /* (n_row) the rms torque that a deviation may cause */
    double *v;         /* (n_column^2) */
} tq_uncertainty;

/* All uncertain directions: first those with a deviation above half a nominal size, last those that
 * no motion of the robot excites. */
static tq_status find_unidentified(const tq_fit *fit, const double *set, const tq_fit_found *found,
                                   const tq_uncertainty *room, tq_scratch *scratch,
                                   tq_fit_solution *ret, tq_error *reterr)
{
    const double *own = room->own;
    double *faint = room->faint, *noise = room->noise, *v = room->v;
    const size_t n = fit->n_column;
    double *s = faint; /* singular values, until directions are listed */
    const double factor = inflation(ret->estimate, n, s) * share_of_noise(fit, found, own) *
                          tq_fit_residual_unit(fit, found, ret->n_sample);
    const tq_reduced data = {n, found->triangle, fit->nominal};
    tq_status status = tq_reduced_svd(&data, fit->nominal, scratch, s, v, reterr);
    size_t n_listed = 0, n_open = 0;
    for (size_t k = n; status == TQ_OK && k-- > 0;) {
        const double deviation = ratio(factor, s[k]);
        const bool is_open = deviation > unknown || !(s[k] > rank_tolerance * s[0] * 1e-3);
        if (!is_open && !(deviation > unsure)) {
            continue;
        }
        tq_unidentified *u = &ret->unidentified[n_listed++];
        memcpy(u->direction, v + k * n, n * sizeof *u->direction);
        u->deviation = deviation;
        u->visible = (double)INFINITY;
        n_open += is_open;
    }
    for (size_t r = 0; r < fit->n_row; r++) {
        noise[r] = noise_of(fit, set, ret, own, r);
    }
    if (status == TQ_OK && n_listed > 0 && fit->options.model.kind == TQ_FIT_BASE) {
        status = tq_fit_find_visible(fit, ret->value, noise, n_listed, ret->unidentified, scratch,
                                     reterr);
    }
    for (size_t r = 0; r < fit->n_row; r++) {
        const double measured = tq_fit_row_square(fit, set, r);
        const double square =
            (measured > 0.0 ? measured : tq_fit_row_parts(fit, set, r, ret->value)) /
            (double)ret->n_sample;
        noise[r] = fmax(harmless * noise[r], slight * sqrt(square));
    }
    memset(faint, 0, n * sizeof *faint);
    for (size_t k = 0; k < n_listed; k++) {
        const tq_unidentified *u = &ret->unidentified[k];
        for (size_t c = 0; u->deviation * u->visible < invisible && c < n; c++) {
            faint[c] += u->deviation * u->direction[c] * u->deviation * u->direction[c];
        }
    }
    ret->n_unidentified = n_open;
    for (size_t k = n_open; k-- > 0;) {
        if (ret->unidentified[k].visible < invisible) {
            move_last(ret->unidentified, n_open, k);
            ret->n_unidentified--;
        }
    }
    ret->n_invisible = n_open - ret->n_unidentified;
    return status;
}

/* Coulomb friction equivalent, in the least-squares sense, of one unit of load-dependent friction
 */
static void find_mean_load(const tq_fit *fit, const double *set, tq_fit_solution *s)
{
    for (size_t r = 0; r < fit->n_row; r++) {
        const tq_fit_row *row = &fit->rows[r];
        size_t load = row->n;
        size_t coulomb = row->n;
        for (size_t c = 0; c < row->n; c++) {
            const tq_column *column = &fit->columns[row->column[c]];
            if (column->kind == TQ_COLUMN_LOAD) {
                load = c;
            } else if (column->kind == TQ_COLUMN_PARAMETER &&
                       column->parameter.kind == TQ_PARAMETER_COULOMB) {
                coulomb = c;
            }
        }
        s->mean_load[r] = 0.0;
        if (load < row->n && coulomb < row->n) {
            const double square = tq_fit_row_product(fit, set, r, coulomb, coulomb);
            s->mean_load[r] =
                square > 0.0 ? tq_fit_row_product(fit, set, r, load, coulomb) / square : 0.0;
        }
    }
}

/* high-frequency sums, without one experiment, or TQ_FIT_ALL: of all */
static tq_high_frequency_inertia_sums fast_sums(const tq_fit *fit, size_t row, size_t without)
{
    tq_high_frequency_inertia_sums sums = {0};
    for (size_t e = 0; e < fit->n_experiment; e++) {
        if (e != without) {
            tq_high_frequency_inertia_sum(&sums, &fit->experiments[e].fast[row]);
        }
    }
    return sums;
}

void tq_fit_usual_acceleration(const tq_fit *fit, double *ret_square)
{
    for (size_t r = 0; r < fit->n_row; r++) {
        const tq_high_frequency_inertia_sums sums = fast_sums(fit, r, TQ_FIT_ALL);
        ret_square[r] = sums.n > 0 ? sums.below / (double)sums.n : 0.0;
    }
}

/* Reference for an effect on a row's torque: its measured noise before the filter, or rounding if
 * there is none. Residuals of separate fits of experiments (`own`, NaN: unknown) are noise;
 * differences between experiments are not. */
static double noise_of(const tq_fit *fit, const double *set, const tq_fit_solution *s,
                       const double *own, size_t row)
{
    const double n = (double)(s->n_sample > 0 ? s->n_sample : 1);
    const tq_high_frequency_inertia_sums sums = fast_sums(fit, row, TQ_FIT_ALL);
    const double off = sums.n > 0 ? tq_high_frequency_inertia_left(&sums) / (double)sums.n : 0.0;
    const double sigma = fmin(s->sigma[row], own[row]);
    return fmax(sqrt(sigma * sigma + off), rounding * sqrt(tq_fit_row_square(fit, set, row) / n));
}

/* Friction that was not requested, and may be 0. */
static bool is_needless(const tq_fit *fit, size_t c, const tq_estimate *e)
{
    const tq_column_kind kind = fit->columns[c].kind;
    const unsigned of = kind == TQ_COLUMN_STRIBECK ? (unsigned)TQ_FIT_STRIBECK
                        : kind == TQ_COLUMN_LOAD   ? (unsigned)TQ_FIT_LOAD
                                                   : 0u;
    return (fit->options.model.added & of) != 0 && fabs(e->value) < explained * e->deviation;
}

/* harmless_on (n_row): rms torque that a deviation may cause; faint: see find_unidentified */
static void grade(const tq_fit *fit, const double *harmless_on, const double *faint,
                  tq_fit_solution *s)
{
    const double root = sqrt((double)fit->n_experiment); /* deviation of the mean to that of one
                                                            experiment */
    for (size_t c = 0; c < s->n_column; c++) {
        tq_estimate *e = &s->estimate[c];
        double least = (double)INFINITY;
        for (size_t r = 0; r < fit->n_row; r++) {
            for (size_t k = 0; k < fit->rows[r].n; k++) {
                least = fit->rows[r].column[k] == c ? fmin(least, harmless_on[r]) : least;
            }
        }
        double share = 0.0; /* of the column in unidentified directions */
        for (size_t k = 0; k < s->n_unidentified + s->n_invisible; k++) {
            share += s->unidentified[k].direction[c] * s->unidentified[k].direction[c];
        }
        const double spread = isnan(e->consistency) ? e->relative : e->consistency;
        const double chance = isnan(e->consistency) ? explained : explained * root;
        e->grade = share > 0.25             ? TQ_GRADE_UNIDENTIFIED
                   : is_needless(fit, c, e) ? TQ_GRADE_USABLE
                   : !(spread >= usable)    ? TQ_GRADE_USABLE
                   : e->effect < least      ? TQ_GRADE_USABLE
                   : chance * sqrt(faint[c]) * fit->nominal[c] > spread * fabs(e->value)
                       ? TQ_GRADE_USABLE
                   : spread < robust ? TQ_GRADE_ROBUST
                                     : TQ_GRADE_INCOMPLETE;
    }
}

/* largest change of the values since the last pass, in nominal sizes */
static double change_of(const tq_fit *fit, const double *before, const double *value)
{
    double change = 0.0;
    for (size_t c = 0; c < fit->n_column; c++) {
        change = fmax(change, fabs(value[c] - before[c]) / fit->nominal[c]);
    }
    return change;
}

/* IRLS: stores the values at which residuals are computed; false when converged */
static bool weigh_again(tq_fit *fit, const tq_fit_found *plain)
{
    const bool converged = fit->weighs && change_of(fit, fit->huber, plain->value) < huber_close;
    memcpy(fit->huber, plain->value, fit->n_column * sizeof *fit->huber);
    if (!fit->weighs) { /* the scale of the first pass is kept: weights reduce later residuals */
        memcpy(fit->weight, plain->weight, fit->n_row * sizeof *fit->weight);
    }
    fit->weighs = true;
    return !converged;
}

/* fixed point: gear load by the solution, solution by the load */
static bool load_again(tq_fit *fit, const double *value)
{
    const bool converged = fit->has_load && change_of(fit, fit->load, value) < load_close;
    memcpy(fit->load, value, fit->n_column * sizeof *fit->load);
    fit->has_load = true;
    return !converged;
}

static bool again(tq_fit *fit, const tq_fit_found *found, const tq_fit_found *plain)
{
    if (fit->is_last) {
        return false;
    }
    if (tq_speeds_next(fit, plain->sigma)) {
        return true;
    }
    bool more = false;
    if (fit->options.method == TQ_FIT_IRLS) {
        more = weigh_again(fit, plain);
    }
    if (fit->options.model.kind == TQ_FIT_BASE && (fit->options.model.extra & TQ_FIT_LOAD) != 0) {
        more = load_again(fit, found->value) || more;
    }
    return more && ++fit->n_pass < PASSES;
}

/* high-frequency inertia, without one experiment, or TQ_FIT_ALL: with all */
void tq_fit_find_fast(const tq_fit *fit, size_t without, double *ret_value)
{
    for (size_t r = 0; r < fit->n_row; r++) {
        const tq_high_frequency_inertia_sums sums = fast_sums(fit, r, without);
        const tq_high_frequency_inertia fast = tq_high_frequency_inertia_fit(&sums);
        ret_value[2 * r] = fast.inertia;
        ret_value[2 * r + 1] = fast.rate;
    }
}

static tq_status solve(tq_fit *fit, double *set, size_t n_sample, tq_scratch *scratch,
                       tq_fit_solution *ret, tq_error *reterr)
{
    const size_t n = fit->n_column;
    tq_fit_found found;
    tq_fit_found plain;
    double *s = tq_scratch_take(scratch, n, sizeof *s);
    double *by = tq_scratch_take(scratch, n, sizeof *by);
    double *v = tq_scratch_take(scratch, n * n, sizeof *v);
    double *own = tq_scratch_take(scratch, fit->n_row, sizeof *own);
    double *noise = tq_scratch_take(scratch, fit->n_row, sizeof *noise);
    if (s == NULL || by == NULL || v == NULL || own == NULL || noise == NULL ||
        !tq_fit_found_take(fit, scratch, &found) || !tq_fit_found_take(fit, scratch, &plain)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_solve_size(fit));
    }
    tq_status status = tq_fit_find(fit, set, n_sample, true, scratch, &plain, reterr);
    if (status == TQ_OK) {
        status = tq_fit_find_from(fit, set, n_sample, &plain, scratch, &found, reterr);
    }
    if (status == TQ_OK && tq_fit_has_instruments(fit)) {
        status = tq_fit_find_least_squares(fit, set, &plain, scratch, by, reterr);
    }
    for (size_t c = 0; status == TQ_OK && c < n; c++) {
        ret->estimate[c].least_squares = tq_fit_has_instruments(fit) ? by[c] : (double)NAN;
    }
    if (status == TQ_OK && !fit->searches) {
        status = compute_rank(fit, &plain, by, s, scratch, ret, reterr);
    }
    if (status != TQ_OK) {
        return status;
    }
    for (size_t c = 0; c < n; c++) {
        ret->estimate[c].value = ret->value[c] = found.value[c];
        ret->estimate[c].unbound = plain.value[c];
        ret->estimate[c].bootstrap = (double)NAN;
        ret->estimate[c].bootstrap_low = ret->estimate[c].bootstrap_high = (double)NAN;
    }
    tq_fit_find_fast(fit, TQ_FIT_ALL, ret->value + n);
    memcpy(ret->full, found.full, fit->n_parameter * sizeof *ret->full);
    memcpy(ret->sigma, found.sigma, fit->n_row * sizeof *ret->sigma);
    ret->objective = found.objective;
    ret->objective_unconstrained = found.unconstrained;
    ret->objective_unbounded = found.unbounded;
    ret->n_active = found.n_active;
    memcpy(ret->active, found.active, found.n_active * sizeof *ret->active);
    ret->gap = found.feasible.gap;
    ret->n_iteration = found.feasible.n_iteration;
    ret->least_eigenvalue = found.feasible.least_eigen;
    ret->n_sample = n_sample;
    find_mean_load(fit, set, ret);
    ret->again = again(fit, &found, &plain);
    if (ret->again || fit->searches) { /* statistics are computed in the last pass only */
        return TQ_OK;
    }
    status = tq_fit_spread(fit, set, &plain, scratch, ret, reterr);
    if (status == TQ_OK) {
        status = tq_fit_consistency(fit, scratch, ret->estimate, own, reterr);
    }
    if (status == TQ_OK) {
        const tq_uncertainty room = {.own = own, .faint = s, .noise = noise, .v = v};
        status = find_unidentified(fit, set, &plain, &room, scratch, ret, reterr);
    }
    if (status == TQ_OK) {
        grade(fit, noise, s, ret);
    }
    if (status == TQ_OK) {
        status = tq_fit_bootstrap(fit, &plain, scratch, ret->estimate, reterr);
    }
    return status;
}

static tq_status check_rows(const tq_fit *fit, size_t n_sample, tq_error *reterr)
{
    if (n_sample * fit->n_row < fit->n_column || n_sample == 0) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "n_sample", 0, (double)n_sample);
    }
    return TQ_OK;
}

/* sizes at which parameters would be visible in the torque of the data */
static tq_status raise_nominal(tq_fit *fit, const double *set, size_t n_sample, tq_scratch *scratch,
                               tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    double *rms = tq_scratch_take(scratch, fit->n_row, sizeof *rms);
    if (rms == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_solve_size(fit));
    }
    for (size_t r = 0; r < fit->n_row; r++) {
        rms[r] = sqrt(tq_fit_row_square(fit, set, r) / (double)n_sample);
    }
    tq_nominal_raise(fit, rms);
    for (size_t t = 0; t < fit->n_term; t++) { /* a gear without load has no loss */
        const size_t c = fit->terms[t].column;
        const double load = sqrt(tq_fit_column_square(fit, set, NULL, c) / (double)n_sample);
        if (fit->terms[t].kind == TQ_COLUMN_LOAD && load > 0.0) {
            fit->nominal[c] = fmax(fit->nominal[c], share_of_loss * rms[fit->terms[t].row] / load);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

void tq_fit_freeze(tq_fit *fit)
{
    fit->is_last = true;
}

void tq_fit_unfreeze(tq_fit *fit)
{
    fit->is_last = false;
    fit->n_pass = 0;
}

void tq_fit_set_search(tq_fit *fit, bool searches)
{
    fit->searches = searches;
}

tq_status tq_fit_solve(tq_fit *fit, tq_scratch *memory, tq_scratch *scratch,
                       tq_fit_solution *ret_solution, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    double *set = tq_scratch_take(scratch, 2 * fit->set_size, sizeof *set);
    if (set == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_solve_size(fit));
    }
    const tq_fit_choice all = {TQ_FIT_ALL, TQ_FIT_ALL, false};
    const size_t n_sample = tq_fit_sum_sets(fit, all, set + fit->set_size, set);
    tq_status status = check_rows(fit, n_sample, reterr);
    if (status == TQ_OK) {
        status = raise_nominal(fit, set, n_sample, scratch, reterr);
    }
    tq_fit_solution solution;
    if (status == TQ_OK && !tq_fit_solution_take(fit, memory, &solution)) {
        status = tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, (double)tq_fit_solution_size(fit));
    }
    if (status == TQ_OK) {
        status = solve(fit, set, n_sample, scratch, &solution, reterr);
    }
    if (status == TQ_OK) {
        *ret_solution = solution;
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_fit_solve_without(tq_fit *fit, size_t experiment, tq_scratch *scratch,
                               double *ret_value, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    double *set = tq_scratch_take(scratch, 2 * fit->set_size, sizeof *set);
    tq_fit_found found;
    if (set == NULL || !tq_fit_found_take(fit, scratch, &found)) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_solve_size(fit));
    }
    const tq_fit_choice rest = {experiment, TQ_FIT_ALL, true};
    const size_t n_sample = tq_fit_sum_sets(fit, rest, set + fit->set_size, set);
    tq_status status = check_rows(fit, n_sample, reterr);
    if (status == TQ_OK) {
        status = tq_fit_find(fit, set, n_sample, false, scratch, &found, reterr);
    }
    if (status == TQ_OK) {
        memcpy(ret_value, found.value, fit->n_column * sizeof *ret_value);
        tq_fit_find_fast(fit, experiment, ret_value + fit->n_column);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
