/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/comparison/comparison.c - the passes of a comparison, and the error of each
 * estimator on recordings judged. */
#include "core/identify/comparison/comparison.h"

#include <math.h>
#include <string.h>

#include "core/identify/comparison/comparison_private.h"

/* Rows of a fit with instruments are less than twice as wide: its triangles take less than four
 * times the memory. */
enum { WIDER = 4 };

static bool is_planned(const tq_comparison_plan *plan, tq_estimator_kind kind)
{
    for (size_t k = 0; k < plan->n; k++) {
        if (tq_estimator_kind_of(plan->estimators[k]) == kind) {
            return true;
        }
    }
    return false;
}

static bool simulates(const tq_comparison_plan *plan)
{
    return is_planned(plan, TQ_ESTIMATOR_SIMULATED) || is_planned(plan, TQ_ESTIMATOR_OUTPUT);
}

static bool needs_instruments(const tq_fit *fit, const tq_comparison_plan *plan)
{
    return (is_planned(plan, TQ_ESTIMATOR_LAGGED) && !tq_fit_has_instruments(fit)) ||
           (simulates(plan) && tq_rollout_can(fit));
}

static size_t segments_of(const tq_comparison_plan *plan)
{
    return plan->n_segment > 0 ? plan->n_segment : 1;
}

/* of instruments beside the fit, with their passes and estimates */
static size_t instruments_size(const tq_fit *fit, const tq_comparison_plan *plan)
{
    tq_fit like = *fit;
    like.options.method = TQ_FIT_IV;
    like.options.lag = plan->lag > 0 ? plan->lag : 1;
    const size_t simulation =
        simulates(plan) && tq_rollout_can(fit) ? tq_simulated_size(fit, plan) : 0;
    const size_t pass = WIDER * tq_fit_stream_size(&like) + simulation;
    const size_t estimate = tq_fit_another_size(&like) +
                            (WIDER - 1) * tq_scratch_cost(2 * fit->set_size, sizeof(double)) +
                            tq_scratch_cost(fit->n_parameter, sizeof(double));
    return tq_fit_instrumental_size(fit, segments_of(plan)) + (pass > estimate ? pass : estimate);
}

static size_t own_size(const tq_fit *fit, const tq_comparison_plan *plan)
{
    const size_t n_value = tq_fit_value_count(fit);
    const size_t left_out = plan->leaves_out ? plan->n_fitted : 0;
    const size_t estimate = tq_comparison_estimate_size(fit);
    const size_t judged = tq_fit_run_size(fit);
    return tq_scratch_cost(1, sizeof(tq_comparison)) +
           tq_scratch_cost(plan->n, sizeof(tq_compared)) +
           plan->n * (tq_scratch_cost(n_value, sizeof(double)) +
                      tq_scratch_cost(fit->n_parameter, sizeof(double)) +
                      tq_scratch_cost(fit->n_row, sizeof(double))) +
           tq_scratch_cost(plan->n * left_out * n_value, sizeof(double)) +
           2 * tq_scratch_cost(n_value, sizeof(double)) +
           tq_scratch_cost(2 * fit->n_column, sizeof(double)) +
           tq_scratch_cost(fit->n_parameter, sizeof(double)) +
           (estimate > judged ? estimate : judged);
}

static bool has_room(const tq_fit *fit, const tq_comparison_plan *plan)
{
    return own_size(fit, plan) + instruments_size(fit, plan) <= plan->memory_max;
}

size_t tq_comparison_size(const tq_fit *fit, const tq_comparison_plan *plan)
{
    const bool has = needs_instruments(fit, plan) && has_room(fit, plan);
    return own_size(fit, plan) + (has ? instruments_size(fit, plan) : 0);
}

static bool take_results(tq_comparison *c)
{
    const size_t n_value = tq_fit_value_count(c->fit);
    const size_t left_out = c->plan.leaves_out ? c->plan.n_fitted : 0;
    c->results = tq_scratch_take(c->scratch, c->plan.n, sizeof *c->results);
    c->without = tq_scratch_take(c->scratch, c->plan.n * left_out * n_value, sizeof *c->without);
    c->simulated = tq_scratch_take(c->scratch, n_value, sizeof *c->simulated);
    c->candidate = tq_scratch_take(c->scratch, n_value, sizeof *c->candidate);
    c->candidate_full = tq_scratch_take(c->scratch, c->fit->n_parameter, sizeof *c->candidate_full);
    c->moves = tq_scratch_take(c->scratch, 2 * c->fit->n_column, sizeof *c->moves);
    if (c->moves != NULL) {
        memset(c->moves, 0, 2 * c->fit->n_column * sizeof *c->moves);
    }
    bool good = c->moves != NULL && c->results != NULL && c->without != NULL &&
                c->simulated != NULL && c->candidate != NULL && c->candidate_full != NULL;
    for (size_t k = 0; good && k < c->plan.n; k++) {
        c->results[k] = (tq_compared){
            .estimator = c->estimators[k],
            .value = tq_scratch_take(c->scratch, n_value, sizeof(double)),
            .full = tq_scratch_take(c->scratch, c->fit->n_parameter, sizeof(double)),
            .rmse = tq_scratch_take(c->scratch, c->fit->n_row, sizeof(double)),
        };
        good =
            c->results[k].value != NULL && c->results[k].full != NULL && c->results[k].rmse != NULL;
        if (good) {
            memset(c->results[k].rmse, 0, c->fit->n_row * sizeof(double));
        }
    }
    return good;
}

tq_status tq_comparison_begin(const tq_fit *fit, const tq_fit_solution *solution,
                              const tq_comparison_plan *plan, tq_scratch *scratch,
                              tq_comparison **ret, tq_error *reterr)
{
    tq_comparison *c = tq_scratch_take(scratch, 1, sizeof *c);
    if (plan->n > TQ_ESTIMATORS) {
        return tq_fail(reterr, TQ_ERR_RANGE, "estimators", 0, (double)plan->n);
    }
    if (c != NULL) {
        *c = (tq_comparison){.fit = fit,
                             .solution = solution,
                             .plan = *plan,
                             .scratch = scratch,
                             .pass = TQ_COMPARISON_DONE}; /* before the first */
        memcpy(c->estimators, plan->estimators, plan->n * sizeof *c->estimators);
    }
    if (c == NULL || !take_results(c)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_comparison_size(fit, plan));
    }
    *ret = c;
    if (simulates(plan) && !tq_rollout_can(fit)) {
        tq_comparison_fail(c, TQ_ESTIMATOR_SIMULATED, TQ_COMPARED_BALLS);
        tq_comparison_fail(c, TQ_ESTIMATOR_OUTPUT, TQ_COMPARED_BALLS);
    }
    if (!needs_instruments(fit, plan)) {
        return TQ_OK;
    }
    if (!has_room(fit, plan)) {
        tq_comparison_fail(c, TQ_ESTIMATOR_SIMULATED, TQ_COMPARED_MEMORY);
        tq_comparison_fail(c, TQ_ESTIMATOR_OUTPUT, TQ_COMPARED_MEMORY);
        if (!tq_fit_has_instruments(fit)) {
            tq_comparison_fail(c, TQ_ESTIMATOR_LAGGED, TQ_COMPARED_MEMORY);
        }
        return TQ_OK;
    }
    return tq_fit_instrumental(fit, plan->lag, segments_of(plan), scratch, &c->instrumental,
                               reterr);
}

tq_fit *tq_comparison_output_fit(const tq_comparison *c)
{
    tq_fit_take_fast(c->instrumental, c->fit);
    return c->instrumental;
}

const double *tq_comparison_moves(const tq_comparison *c)
{
    return c->moves;
}

/* ------------------------------------------------------------------------------------------------
 * Passes
 */

static tq_status start_judging(tq_comparison *c, tq_error *reterr)
{
    const tq_status status = tq_comparison_estimate(c, TQ_ESTIMATOR_OF_TRIANGLES, reterr);
    c->pass = TQ_COMPARISON_JUDGED;
    return status;
}

/* The first simulation of a kind; *ret_runs: there is one. */
static tq_status start_kind(tq_comparison *c, tq_estimator_kind kind, tq_comparison_pass pass,
                            bool *ret_runs, tq_error *reterr)
{
    tq_status status = TQ_OK;
    if (tq_comparison_wants(c, kind)) {
        c->pass = pass;
        status = tq_simulated_start(c, reterr);
    }
    *ret_runs = tq_comparison_wants(c, kind);
    return status;
}

static tq_status start_output(tq_comparison *c, tq_error *reterr)
{
    bool runs = false;
    const tq_status status =
        start_kind(c, TQ_ESTIMATOR_OUTPUT, TQ_COMPARISON_OUTPUT, &runs, reterr);
    return status != TQ_OK || runs ? status : start_judging(c, reterr);
}

static tq_status start_simulating(tq_comparison *c, tq_error *reterr)
{
    bool runs = false;
    const tq_status status =
        start_kind(c, TQ_ESTIMATOR_SIMULATED, TQ_COMPARISON_SIMULATED, &runs, reterr);
    return status != TQ_OK || runs ? status : start_output(c, reterr);
}

static tq_status start(tq_comparison *c, tq_error *reterr)
{
    const bool has_own = tq_fit_has_instruments(c->fit);
    if (has_own) {
        const tq_status status = tq_comparison_estimate(c, TQ_ESTIMATOR_LAGGED, reterr);
        return status == TQ_OK ? start_simulating(c, reterr) : status;
    }
    if (tq_comparison_wants(c, TQ_ESTIMATOR_LAGGED)) {
        c->pass = TQ_COMPARISON_LAGGED;
        return TQ_OK;
    }
    return start_simulating(c, reterr);
}

static tq_status end_simulation(tq_comparison *c, tq_error *reterr)
{
    bool again = false;
    tq_status status = tq_simulated_end(c, &again, reterr);
    if (status != TQ_OK || again) {
        return status;
    }
    status = tq_comparison_estimate(c, tq_simulated_kind(c), reterr);
    if (status != TQ_OK) {
        return status;
    }
    return c->pass == TQ_COMPARISON_SIMULATED ? start_output(c, reterr) : start_judging(c, reterr);
}

static void finish(tq_comparison *c)
{
    for (size_t k = 0; k < c->plan.n; k++) {
        tq_compared *of = &c->results[k];
        for (size_t r = 0; r < c->fit->n_row; r++) {
            of->rmse[r] = of->n_judged > 0 ? sqrt(of->rmse[r] / (double)of->n_judged) : (double)NAN;
        }
    }
    c->pass = TQ_COMPARISON_DONE;
}

tq_status tq_comparison_next(tq_comparison *c, tq_comparison_pass *ret, tq_error *reterr)
{
    tq_status status = TQ_OK;
    switch (c->pass) {
    case TQ_COMPARISON_DONE:
        status = start(c, reterr);
        break;
    case TQ_COMPARISON_LAGGED:
        status = tq_comparison_estimate(c, TQ_ESTIMATOR_LAGGED, reterr);
        status = status == TQ_OK ? start_simulating(c, reterr) : status;
        break;
    case TQ_COMPARISON_SIMULATED:
    case TQ_COMPARISON_OUTPUT:
        status = end_simulation(c, reterr);
        break;
    case TQ_COMPARISON_JUDGED:
        finish(c);
        break;
    }
    *ret = c->pass;
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * Recordings
 */

/* the recording is not judged */
static bool skips(const tq_comparison *c)
{
    return c->pass == TQ_COMPARISON_JUDGED &&
           (c->recording < c->plan.first || c->recording >= c->plan.end);
}

tq_status tq_comparison_begin_recording(tq_comparison *c, size_t recording,
                                        const tq_comparison_recording *of, tq_error *reterr)
{
    c->recording = recording;
    c->mark = tq_scratch_mark(c->scratch);
    switch (c->pass) {
    case TQ_COMPARISON_LAGGED:
        return tq_fit_begin(c->instrumental, recording, of->n_sample, c->scratch, &c->stream,
                            reterr);
    case TQ_COMPARISON_SIMULATED:
    case TQ_COMPARISON_OUTPUT:
        return tq_simulated_begin_recording(c, of, reterr);
    case TQ_COMPARISON_JUDGED:
        return tq_fit_run_take(c->fit, c->scratch, &c->run, reterr);
    case TQ_COMPARISON_DONE:
        break;
    }
    return TQ_OK;
}

/* squared residuals of one run of samples, of the unfiltered torque */
static void add_squares(const tq_comparison *c, size_t k, const tq_experiment_block *block,
                        size_t first, size_t n)
{
    const tq_fit *fit = c->fit;
    const size_t n_row = fit->n_row;
    const double *raw = block->tau_raw != NULL ? block->tau_raw : block->tau;
    tq_compared *of = &c->results[k];
    const double *value = c->plan.leaves_out ? c->without + (k * c->plan.n_fitted + c->recording) *
                                                                tq_fit_value_count(fit)
                                             : of->value;
    for (size_t r = 0; r < n_row; r++) {
        double predicted[TQ_FOLD_RUN];
        const double *fast = value + fit->n_column + 2 * r;
        tq_fit_run_torque(fit, &c->run, r, TQ_FIT_OF_ALL, value, predicted);
        for (size_t i = 0; i < n; i++) {
            const double *a = block->fast + r * block->stride + first + i;
            const double more =
                block->fast != NULL ? fast[0] * a[0] + fast[1] * a[n_row * block->stride] : 0.0;
            const double off = raw[r * block->stride + first + i] - predicted[i] - more;
            of->rmse[r] += off * off;
        }
    }
    of->n_judged += n;
}

/* Load-dependent friction takes the load of the fit's own values. */
static tq_status judge(tq_comparison *c, const tq_experiment_block *block, tq_error *reterr)
{
    const tq_fit *fit = c->fit;
    if (block->begins) {
        tq_fit_run_forget(fit, &c->run);
    }
    for (size_t first = 0; first < block->n_sample; first += TQ_FOLD_RUN) {
        const size_t left = block->n_sample - first;
        const size_t n = left < TQ_FOLD_RUN ? left : (size_t)TQ_FOLD_RUN;
        tq_fit_run_copy(fit, &c->run, 0, block, first, n);
        tq_fit_run_signs(fit, &c->run, n);
        const tq_status status = tq_fit_run_compute(fit, &c->run, n, c->solution->value, reterr);
        if (status != TQ_OK) {
            return status;
        }
        for (size_t k = 0; k < c->plan.n; k++) {
            if (c->results[k].fault == TQ_COMPARED_GOOD) {
                add_squares(c, k, block, first, n);
            }
        }
    }
    return TQ_OK;
}

tq_status tq_comparison_push(tq_comparison *c, const tq_experiment_block *block, const double *t,
                             tq_error *reterr)
{
    switch (c->pass) {
    case TQ_COMPARISON_LAGGED:
        return tq_fit_push(c->stream, block, reterr);
    case TQ_COMPARISON_SIMULATED:
    case TQ_COMPARISON_OUTPUT:
        return tq_rollout_push(c->rollout, block, t, reterr);
    case TQ_COMPARISON_JUDGED:
        return skips(c) ? TQ_OK : judge(c, block, reterr);
    case TQ_COMPARISON_DONE:
        break;
    }
    return TQ_OK;
}

tq_status tq_comparison_end_recording(tq_comparison *c, tq_error *reterr)
{
    tq_status status = TQ_OK;
    if (c->pass == TQ_COMPARISON_LAGGED) {
        status = tq_fit_end(c->stream, reterr);
    } else if (c->pass == TQ_COMPARISON_SIMULATED || c->pass == TQ_COMPARISON_OUTPUT) {
        status = tq_simulated_end_recording(c, reterr);
    }
    tq_scratch_rewind(c->scratch, c->mark);
    return status;
}

const tq_compared *tq_comparison_results(const tq_comparison *c, size_t *ret_n)
{
    *ret_n = c->plan.n;
    return c->results;
}
