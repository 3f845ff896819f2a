/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/session/gains.c - unknown gains of a controller by output error: their estimates,
 * and the scale of all by the masses of the robot. */
#include <math.h>

#include "core/identify/regression/bodies.h"
#include "core/identify/regression/triangle.h"
#include "core/identify/session/session_private.h"

static const double scale_close = 1e-9; /* of a scale: it is held already */

/* A gain is what the fit's column says beside the present one. The present one becomes it, so that
 * the column's value is 0 in predictions. */
static void take_estimate(tq_unknown_gain *gain, tq_estimate *e, double *value)
{
    const double before = gain->start + gain->change;
    e->value += before;
    e->low += before;
    e->high += before;
    e->unbound += before;
    e->bootstrap_low += before;
    e->bootstrap_high += before;
    e->consistency *= fabs((e->value - before) / e->value);
    e->relative = e->value != 0.0 ? e->deviation / fabs(e->value) : (double)NAN;
    gain->change = e->value - gain->start;
    *value = 0.0;
}

static void take_estimates(tq_identify *id)
{
    const tq_fit_solution *solution = &id->result.solution;
    for (size_t k = 0; k < id->result.n_column; k++) {
        const tq_column *column = &id->result.columns[k];
        tq_estimate *e = &solution->estimate[k];
        e->least_squares = (double)NAN; /* e has noise: nothing to compare instruments with */
        if (tq_column_is_gain(column->kind)) {
            take_estimate(&id->options.gains[column->gain], e, &solution->value[k]);
        }
    }
}

/* c of min |Y pi_prior - c Y pi|^2 over the samples, rows in units of their residuals, Y the
 * bodies' columns */
static double scale_of(const tq_fit *fit, const tq_fit_solution *solution, const double *set,
                       const double *prior)
{
    double both = 0.0, square = 0.0;
    for (size_t r = 0; r < fit->n_row; r++) {
        const tq_fit_row *row = &fit->rows[r];
        const double weight = solution->sigma[r] > 0.0 ? 1.0 / solution->sigma[r] : 0.0;
        for (size_t a = 0; a < row->n; a++) {
            for (size_t b = 0; b < row->n; b++) {
                const uint32_t ca = row->column[a], cb = row->column[b];
                const bool is_of_bodies = ca < fit->base.n_base && cb < fit->base.n_base &&
                                          fit->columns[ca].parameter.link != TQ_NONE &&
                                          fit->columns[cb].parameter.link != TQ_NONE;
                const double product =
                    is_of_bodies ? weight * weight * tq_fit_row_product(fit, set, r, a, b) : 0.0;
                both += prior[ca] * product * solution->value[cb];
                square += solution->value[ca] * product * solution->value[cb];
            }
        }
    }
    return square > 0.0 ? both / square : (double)NAN;
}

static tq_status find_scale(tq_identify *id, double *ret, tq_error *reterr)
{
    const tq_fit *fit = id->fit;
    tq_scratch *scratch = &id->memory[TQ_IDENTIFY_OF_SOLVER];
    const size_t mark = tq_scratch_mark(scratch);
    double *set = tq_scratch_take(scratch, 2 * fit->set_size, sizeof *set);
    double *prior = tq_scratch_take(scratch, fit->n_column, sizeof *prior);
    if (set == NULL || prior == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_solve_size(fit));
    }
    const tq_fit_choice all = {TQ_FIT_ALL, TQ_FIT_ALL, false};
    (void)tq_fit_sum_sets(fit, all, set + fit->set_size, set);
    for (size_t c = 0; c < fit->n_column; c++) {
        prior[c] = 0.0;
    }
    tq_fit_combine(fit, fit->options.prior, prior);
    *ret = scale_of(fit, &id->result.solution, set, prior);
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

/* A joint's own inertia, friction and gains times one factor make the same motion but for what the
 * bodies do to other joints. Where that is within the noise the scale of the joint is not known:
 * kp, whose column is -e, has a deviation of a part of itself, or it is on its way to 0. By
 * instruments: least squares is drawn to 0 by the noise of e. */
static bool is_loose(const tq_identify *id, const tq_estimate *e, const tq_column *column)
{
    static const double most = 0.15;
    static const double least = 0.1; /* of the start */
    if (column->kind != TQ_COLUMN_KP) {
        return false;
    }
    const tq_unknown_gain *gain = &id->options.gains[column->gain];
    const double deviation = e->deviation / e->raised;
    const double start = gain->start + gain->before;
    return !(deviation < most * (start + e->value) && start + e->value > least * start);
}

void tq_session_begin_gains(tq_identify *id)
{
    const tq_fit *fit = tq_comparison_output_fit(id->comparison);
    tq_session_need(id, TQ_IDENTIFY_OF_STEP,
                    tq_fit_solution_size(fit) + tq_scratch_cost(tq_fit_solve_size(fit), 1));
    id->now.state = TQ_SESSION_OUTPUT_CHECK;
}

/* After the pass of lagged instruments, from which gains have their values. */
tq_status tq_session_output_check(tq_identify *id, tq_error *reterr)
{
    tq_fit *fit = tq_comparison_output_fit(id->comparison);
    tq_scratch *scratch = &id->memory[TQ_IDENTIFY_OF_STEP];
    tq_fit_solution lagged;
    size_t first = SIZE_MAX;
    /* apart from the solution, which stays when the solver's memory is rewound */
    const size_t size = tq_fit_solve_size(fit);
    void *room = tq_scratch_take(scratch, size, 1);
    tq_scratch solver;
    if (room == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)size);
    }
    tq_scratch_init(&solver, room, size);
    const tq_status status = tq_fit_solve(fit, scratch, &solver, &lagged, reterr);
    if (status != TQ_OK) {
        return status;
    }
    for (size_t k = 0; k < id->result.n_column; k++) {
        const tq_column *column = &id->result.columns[k];
        if (is_loose(id, &lagged.estimate[k], column)) {
            tq_unknown_gain *gain = &id->options.gains[column->gain];
            gain->is_loose = true;
            gain->is_held = id->options.holds_gains;
            gain->change = gain->before;
            first = first == SIZE_MAX ? column->gain : first;
        }
    }
    id->now.is_checked = true;
    tq_session_need(id, TQ_IDENTIFY_OF_STEP, 0);
    if (first == SIZE_MAX) {
        tq_session_request(id, TQ_IDENTIFY_PASS_INSTRUMENTS, id->options.n_fitted,
                           TQ_SESSION_OUTPUT_NEXT);
        return TQ_OK;
    }
    if (!id->options.holds_gains) {
        return tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "gain", first, 0.0);
    }
    id->comparison = NULL; /* a fit without these columns */
    id->now.is_checked = false;
    id->now.state = TQ_SESSION_BUILD;
    id->now.after_build = TQ_SESSION_MEMORY;
    id->now.after_memory = TQ_SESSION_CONVERGE;
    id->now.after_converge = TQ_SESSION_READ_ALL;
    return TQ_OK;
}

/* After a simulation whose held gain is that of another scale everything is simulated again. */
tq_status tq_session_take_gains(tq_identify *id, tq_error *reterr)
{
    double scale = 1.0;
    tq_status status = TQ_OK;
    if (id->options.keeps_masses && !id->now.is_scaled) {
        status = find_scale(id, &scale, reterr);
    }
    take_estimates(id);
    if (status == TQ_OK && !(scale > 0.0 && isfinite(scale))) {
        status = tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "scale", 0, scale);
    }
    if (status != TQ_OK || fabs(scale - 1.0) < scale_close) {
        return status;
    }
    for (size_t k = 0; k < id->options.n_gain; k++) {
        tq_unknown_gain *gain = &id->options.gains[k];
        const double by = gain->is_loose ? 1.0 : scale;
        gain->change = by * (gain->start + gain->change) - gain->start;
    }
    id->now.is_scaled = true;
    id->fit = id->before_output;
    id->measured = NULL;
    id->result.fit = id->fit;
    id->now.method = TQ_FIT_FEASIBLE;
    id->now.state = TQ_SESSION_OUTPUT;
    return TQ_OK;
}
