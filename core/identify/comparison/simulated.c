/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/comparison/simulated.c - instruments and output error along a simulation that
 * follows the recordings, with the values of the simulation before. */
#include <math.h>
#include <string.h>

#include "core/identify/comparison/comparison_private.h"
#include "core/identify/friction_regressor.h"

/* A simulation is drawn to the motion at `follow`: with half of the damping the noise of position
 * that passes is at right angles to itself above that frequency, so that products with it vanish
 * on average. A window begins at a measured state, whose noise fades within `warm`. */
static const double follow = 9.42477796076938; /* rad/s: 1.5 Hz */
static const double horizon = 3.0;             /* s, of a window */
static const double warm = 0.25;               /* of a window */
static const double step_s = 0.004;
/* Of a step that is filtered: coarse until values have converged, then fine. A loop of 25/s whose
 * friction turns within 20 ms is off by 0.35 % of a gain in coarse parts, by 0.05 % in fine
 * ones. */
static const double coarse_s = 0.0025, fine_s = 0.001;
static const double moved = 0.1; /* deviations: values that move less have converged */
/* likewise, relative, where the result is the fit's: deviations of least squares are no measure, as
 * the noise of position enlarges them */
static const double moved_result = 1e-3, moved_coarse = 1e-2; /* and before fine steps */
static const double step_most = 5.0;                          /* factor of a gain from simulation to
                                                      simulation */
static const double least_size = 1e-2;           /* of the nominal size of a parameter */
static const size_t grid_max = (size_t)24 << 20; /* bytes, of the windows' measured values */

enum { STEPS_OF_A_LOG = 16384, STEPS_LEAST = 16, SIMULATIONS_LEAST = 2 }; /* and as many fine */

static size_t step_bound(const tq_fit *fit)
{
    const size_t rows = 4 * fit->n_row + tq_friction_row_count(fit);
    const size_t n = grid_max / (rows * TQ_FOLD_RUN * sizeof(double));
    return n < STEPS_LEAST            ? (size_t)STEPS_LEAST
           : n < TQ_ROLLOUT_STEPS_MAX ? n
                                      : (size_t)TQ_ROLLOUT_STEPS_MAX;
}

/* numbers of a step's friction rows, of a fit with unknown gains */
static size_t gain_rows_count(const tq_fit *fit)
{
    return fit->options.model.n_gain > 0 ? tq_friction_row_count(fit) * TQ_FOLD_RUN : 0;
}

/* Output error in a loop with gains: its motion turns back as sharply as the robot's, and is
 * filtered like it. Presliding is a state that is not simulated: it is that of the recording, which
 * is filtered already. */
static bool plan_filters(const tq_fit *fit, const tq_comparison_plan *plan)
{
    return plan->feedback != NULL && plan->filter != NULL &&
           plan->filter->kind == TQ_SMOOTHING_BUTTERWORTH && !tq_friction_regressor_remember(fit);
}

static bool filters(const tq_comparison *c)
{
    return c->pass == TQ_COMPARISON_OUTPUT && plan_filters(c->fit, &c->plan);
}

static bool takes_recorded_friction(const tq_comparison *c)
{
    return c->pass == TQ_COMPARISON_OUTPUT && c->plan.feedback != NULL &&
           tq_friction_regressor_remember(c->fit);
}

size_t tq_simulated_size(const tq_fit *fit, const tq_comparison_plan *plan)
{
    const tq_rollout_plan rollout = {
        .period = 1.0, .every = 1, .n_step = step_bound(fit), .parts = 2, .follow = follow};
    return tq_rollout_size(fit, &rollout) +
           (plan_filters(fit, plan) ? tq_track_size(fit, step_bound(fit)) : 0) +
           tq_scratch_cost(gain_rows_count(fit), sizeof(double));
}

/* Steps of 4 ms in windows of 3 s and the end that a filter spoils, or half of a shorter recording;
 * windows that are filtered overlap by what is not used of them. */
static tq_rollout_plan plan_for(tq_comparison *c, double period, size_t n_sample)
{
    const tq_fit *fit = c->fit;
    const tq_feedback *feedback = c->plan.feedback;
    tq_rollout_plan plan = {.period = period,
                            .every = 1,
                            .n_step = 1,
                            .follow = feedback == NULL ? follow : 0.0,
                            .feedback = feedback,
                            .has_friction = takes_recorded_friction(c)};
    const double every = floor(step_s / period + 1e-9);
    plan.every = every > 1.0 ? (size_t)every : 1;
    const double step = period * (double)plan.every;
    plan.parts = filters(c) ? (size_t)ceil(step / (c->n_fine > 0 ? fine_s : coarse_s) - 1e-9) : 1;
    const double all = (double)n_sample * period;
    const double end =
        filters(c) ? (double)tq_track_edge(c->plan.filter, step, TQ_ROLLOUT_STEPS_MAX) : 0.0;
    const double n = floor(fmin(horizon / step + end, 0.5 * all / step));
    const double most = (double)step_bound(fit);
    plan.n_step = n < 1.0 ? 1 : (size_t)fmin(n, most);
    const size_t steps_all = n_sample / plan.every + 1;
    const size_t one_in = (steps_all + STEPS_OF_A_LOG - 1) / STEPS_OF_A_LOG;
    plan.skip = one_in > 1 ? (one_in - 1) * plan.n_step * plan.every : 0;
    const size_t edge = filters(c) ? tq_track_edge(c->plan.filter, step, plan.n_step) : 0;
    c->warm = (size_t)ceil(warm * (double)(plan.n_step - edge));
    c->warm = c->warm > edge ? c->warm : edge;
    c->end = plan.n_step - edge;
    plan.overlap = filters(c) && one_in == 1 ? c->warm + edge : 0;
    return plan;
}

tq_estimator_kind tq_simulated_kind(const tq_comparison *c)
{
    return c->pass == TQ_COMPARISON_OUTPUT ? TQ_ESTIMATOR_OUTPUT : TQ_ESTIMATOR_SIMULATED;
}

/* Instruments of unknown gains: the error of position where the simulation is, which has no noise
 * of position in it, as the recorded one has: -e_s = -e - (q - q_s), likewise its rate and
 * integral. */
static void find_gain_rows(const tq_comparison *c, const tq_rollout_sample *sample)
{
    const tq_fit *fit = c->fit;
    memcpy(c->gain_rows, sample->measured.friction_rows,
           gain_rows_count(fit) * sizeof *c->gain_rows);
    for (size_t t = 0; t < fit->n_term; t++) {
        const tq_fit_term *term = &fit->terms[t];
        const size_t at = term->row * TQ_FOLD_RUN;
        double *row = c->gain_rows + (fit->n_row + term->friction_row) * TQ_FOLD_RUN;
        for (size_t i = 0; tq_column_is_gain(term->kind) && i < sample->n; i++) {
            row[i] -= term->kind == TQ_COLUMN_KP ? sample->measured.q[at + i] - sample->q[at + i]
                      : term->kind == TQ_COLUMN_KD
                          ? sample->measured.qd[at + i] - sample->qd[at + i]
                          : sample->integral[at + i];
        }
    }
}

/* After the last step the windows are filtered, and pushed one after the other: segments of the fit
 * are parts of the recording's time. */
static tq_status fold_filtered(tq_comparison *c, const tq_rollout_sample *sample, tq_error *reterr)
{
    static const unsigned char none[TQ_FOLD_RUN] = {0};
    tq_track_keep(c->track, sample);
    if (sample->k + 1 < c->n_step) {
        return TQ_OK;
    }
    tq_status status = tq_track_filter(c->track, reterr);
    for (size_t i = 0; i < sample->n; i++) {
        size_t n = 0;
        for (size_t k = c->warm; sample->lost[i] == 0 && status == TQ_OK && k < c->end; k += n) {
            tq_experiment_block instruments;
            n = c->end - k < TQ_FOLD_RUN ? c->end - k : (size_t)TQ_FOLD_RUN;
            const tq_experiment_block block = tq_track_block(c->track, i, k, n, &instruments);
            status = tq_fit_push_instruments(c->stream, &block, &instruments, none, reterr);
        }
    }
    return status;
}

/* Columns that are their own instruments are least squares. Output error takes friction as it was
 * recorded: it has passed the torque's filter, and its sign is what noise changes least. */
static tq_status fold_step(void *ctx, const tq_rollout_sample *sample, tq_error *reterr)
{
    tq_comparison *c = ctx;
    tq_experiment_block along = sample->measured;
    if (c->track != NULL) {
        return fold_filtered(c, sample, reterr);
    }
    if (sample->k < c->warm) {
        return TQ_OK;
    }
    along.q = sample->q;
    along.qd = sample->qd;
    along.qdd = sample->qdd;
    if (c->pass == TQ_COMPARISON_OUTPUT && c->plan.n_gain > 0 && along.friction_rows != NULL) {
        tq_experiment_block instruments = along;
        find_gain_rows(c, sample);
        instruments.friction_rows = c->gain_rows;
        return tq_fit_push_instruments(c->stream, &along, &instruments, sample->lost, reterr);
    }
    if (c->pass == TQ_COMPARISON_OUTPUT) {
        return tq_fit_push_instruments(c->stream, &along, &along, sample->lost, reterr);
    }
    along.friction_rows = NULL;
    return tq_fit_push_instruments(c->stream, &sample->measured, &along, sample->lost, reterr);
}

tq_status tq_simulated_begin_recording(tq_comparison *c, const tq_comparison_recording *of,
                                       tq_error *reterr)
{
    const tq_rollout_plan plan = plan_for(c, of->period, of->n_sample);
    const size_t n_window = of->n_sample / ((plan.n_step - plan.overlap) * plan.every + plan.skip);
    const size_t n_pushed = n_window * (c->end - c->warm);
    c->n_step = plan.n_step;
    c->track = NULL;
    tq_status status =
        tq_fit_begin(c->instrumental, c->recording, n_pushed, c->scratch, &c->stream, reterr);
    if (status == TQ_OK) {
        status = tq_rollout_begin(c->fit, c->simulated, &plan, c->scratch, &c->rollout, reterr);
    }
    c->gain_rows = tq_scratch_take(c->scratch, gain_rows_count(c->fit), sizeof *c->gain_rows);
    if (status == TQ_OK && c->gain_rows == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_simulated_size(c->fit, &c->plan));
    }
    if (status == TQ_OK && filters(c)) {
        const tq_track_plan track = {.filter = c->plan.filter,
                                     .period = of->period * (double)plan.every,
                                     .n_step = plan.n_step,
                                     .feedback = tq_rollout_feedback(c->rollout),
                                     .difference = of->difference};
        status = tq_track_begin(c->fit, &track, c->scratch, &c->track, reterr);
    }
    if (status == TQ_OK) {
        tq_rollout_watch(c->rollout, fold_step, c);
    }
    return status;
}

tq_status tq_simulated_end_recording(tq_comparison *c, tq_error *reterr)
{
    tq_status status = tq_rollout_end(c->rollout, reterr);
    size_t n_lost = 0;
    c->n_window += tq_rollout_windows(c->rollout, &n_lost);
    c->n_lost += n_lost;
    if (status == TQ_OK) {
        status = tq_fit_end(c->stream, reterr);
    }
    return status;
}

/* Feasible values are simulated: their mass matrix is definite everywhere. */
static tq_status find_feasible(const tq_comparison *c, const tq_fit *of, tq_fit_method method,
                               tq_fit_opinion *ret, tq_error *reterr)
{
    const tq_fit_another what = {method, c->fit->options.entropy};
    return tq_fit_find_another(of, c->fit, what, SIZE_MAX, c->scratch, ret, reterr);
}

static bool is_unsolved(tq_status status)
{
    return status == TQ_ERR_SHAPE || status == TQ_ERR_NO_CONVERGENCE || status == TQ_ERR_SINGULAR;
}

/* Estimates by lagged instruments, where they are there: a simulation by least squares may be too
 * far from the recording to approach it. */
static const tq_compared *find_start(const tq_comparison *c)
{
    for (size_t k = 0; c->plan.n_segment > 0 && k < c->plan.n; k++) {
        const tq_compared *of = &c->results[k];
        if (of->estimator == TQ_ESTIMATOR_FEASIBLE_IV && of->fault == TQ_COMPARED_GOOD) {
            return of;
        }
    }
    return NULL;
}

/* The next simulation is one of the gains that `value` says: torque is that of them, and the value
 * is 0. A gain of position changes by a factor of `step_most` at most, and none is negative. */
static void take_gains(const tq_comparison *c, double *value)
{
    for (size_t k = 0; c->plan.n_gain > 0 && k < c->fit->n_column; k++) {
        const tq_column *column = &c->fit->columns[k];
        if (!tq_column_is_gain(column->kind)) {
            continue;
        }
        tq_unknown_gain *gain = &c->plan.gains[column->gain];
        const double before = gain->start + gain->change;
        const double least = column->kind == TQ_COLUMN_KP ? before / step_most : 0.0;
        const double most = column->kind == TQ_COLUMN_KP ? before * step_most : (double)INFINITY;
        gain->change = fmin(fmax(before + value[k], least), most) - gain->start;
        value[k] = 0.0;
    }
}

tq_status tq_simulated_start(tq_comparison *c, tq_error *reterr)
{
    const tq_compared *start = find_start(c);
    c->n_fine = 0;
    if (start != NULL) {
        memcpy(c->simulated, start->value, tq_fit_value_count(c->fit) * sizeof *c->simulated);
        take_gains(c, c->simulated);
        c->n_simulation = c->n_window = c->n_lost = 0;
        return TQ_OK;
    }
    tq_fit_opinion found = {.value = c->simulated, .full = c->candidate_full};
    const tq_status status = find_feasible(c, c->fit, TQ_FIT_FEASIBLE, &found, reterr);
    c->n_simulation = c->n_window = c->n_lost = 0;
    if (is_unsolved(status)) {
        tq_comparison_fail(c, tq_simulated_kind(c), TQ_COMPARED_UNSOLVED);
        return TQ_OK;
    }
    return status;
}

/* largest change of the simulated values, in deviations */
static double change_of(const tq_comparison *c)
{
    static const double rounding = 1e-9; /* of nominal sizes: data without noise */
    double most = 0.0;
    for (size_t k = 0; k < c->fit->n_column; k++) {
        const double deviation = c->solution->estimate[k].deviation;
        const double unit =
            fmax(isfinite(deviation) ? deviation : 0.0, rounding * c->fit->nominal[k]);
        most = fmax(most, fabs(c->candidate[k] - c->simulated[k]) / unit);
    }
    return most;
}

/* likewise, relative to the values */
static double relative_change_of(const tq_comparison *c)
{
    double most = 0.0;
    for (size_t k = 0; k < c->fit->n_column; k++) {
        const tq_column *column = &c->fit->columns[k];
        double whole = c->candidate[k];
        if (c->plan.n_gain > 0 && tq_column_is_gain(column->kind)) {
            const tq_unknown_gain *gain = &c->plan.gains[column->gain];
            whole += gain->start + gain->change;
        }
        const double size = fmax(fabs(whole), least_size * c->fit->nominal[k]);
        most = fmax(most, fabs(c->candidate[k] - c->simulated[k]) / size);
    }
    return most;
}

/* Another simulation follows: values move, or steps have not been fine. */
static bool goes_on(tq_comparison *c, bool moves, size_t most)
{
    const size_t n = filters(c) && c->n_fine > 0 ? c->n_fine : c->n_simulation;
    const bool is_done = n >= SIMULATIONS_LEAST && !moves;
    if (filters(c) && (c->n_fine > 0 || is_done)) {
        c->n_fine++;
        return (c->n_fine == 1 || !is_done) && c->n_simulation < most;
    }
    return !is_done && c->n_simulation < most;
}

tq_status tq_simulated_end(tq_comparison *c, bool *ret_again, tq_error *reterr)
{
    *ret_again = false;
    c->n_simulation++;
    if (c->n_window == 0 || 2 * c->n_lost >= c->n_window) {
        tq_comparison_fail(c, tq_simulated_kind(c),
                           c->n_window == 0 ? TQ_COMPARED_SHORT : TQ_COMPARED_DIVERGED);
        return TQ_OK;
    }
    tq_fit_opinion found = {.value = c->candidate, .full = c->candidate_full};
    const tq_status status = find_feasible(c, c->instrumental, TQ_FIT_FEASIBLE_IV, &found, reterr);
    if (status != TQ_OK) {
        tq_comparison_fail(c, tq_simulated_kind(c),
                           status == TQ_ERR_SHAPE ? TQ_COMPARED_SHORT : TQ_COMPARED_UNSOLVED);
        return is_unsolved(status) ? TQ_OK : status;
    }
    const bool is_result = c->plan.n_segment > 0;
    if (filters(c) && (c->n_fine == 1 || c->n_fine == 2)) {
        for (size_t k = 0; k < c->fit->n_column; k++) {
            c->moves[(c->n_fine - 1) * c->fit->n_column + k] = c->candidate[k] - c->simulated[k];
        }
    }
    const size_t most = is_result ? TQ_SIMULATIONS_OF_RESULT : TQ_SIMULATIONS_MAX;
    const double change = change_of(c);
    const double still = filters(c) && c->n_fine == 0 ? moved_coarse : moved_result;
    const bool moves = is_result ? relative_change_of(c) > still : change > moved;
    if (is_result && change > moved && c->n_simulation == most) {
        tq_comparison_fail(c, tq_simulated_kind(c), TQ_COMPARED_UNSOLVED);
        return TQ_OK;
    }
    *ret_again = goes_on(c, moves, most);
    if (*ret_again) {
        memcpy(c->simulated, c->candidate, tq_fit_value_count(c->fit) * sizeof *c->simulated);
        take_gains(c, c->simulated);
        c->n_window = c->n_lost = 0;
    }
    return TQ_OK;
}
