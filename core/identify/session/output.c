/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/session/output.c - output error as the method: after a fit of least squares the
 * simulations of a comparison, from lagged instruments on, whose last one is the result. */
#include <math.h>

#include "core/identify/regression/fit_private.h"
#include "core/identify/session/session_private.h"

/* of a recording's simulations: deviations are those of leaving one out */
enum { SEGMENTS = 8 };

static const tq_estimator estimators[] = {TQ_ESTIMATOR_FEASIBLE_IV, TQ_ESTIMATOR_FEASIBLE_DIDIM};
enum { RESULT = 1 };

static tq_comparison_plan plan_of(const tq_identify *id)
{
    return (tq_comparison_plan){.estimators = estimators,
                                .n = RESULT + 1,
                                .n_fitted = id->options.n_fitted,
                                .n_segment = SEGMENTS,
                                .lag = tq_session_lag(id),
                                .memory_max = id->options.memory_max,
                                .feedback = id->options.feedback,
                                .filter = &id->options.filter,
                                .gains = id->options.gains,
                                .n_gain = id->options.n_gain};
}

tq_status tq_session_output(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    for (size_t k = 0; k < id->options.n_gain; k++) {
        id->options.gains[k].before = id->options.gains[k].change;
    }
    const tq_comparison_plan plan = plan_of(id);
    tq_session_need(id, TQ_IDENTIFY_OF_OUTPUT, tq_comparison_size(id->fit, &plan));
    id->now.in_part = false;
    id->now.state = TQ_SESSION_OUTPUT_BEGIN;
    return TQ_OK;
}

tq_status tq_session_output_begin(tq_identify *id, tq_error *reterr)
{
    const tq_comparison_plan plan = plan_of(id);
    id->now.state = TQ_SESSION_OUTPUT_NEXT;
    return tq_comparison_begin(id->fit, &id->result.solution, &plan,
                               &id->memory[TQ_IDENTIFY_OF_OUTPUT], &id->comparison, reterr);
}

tq_status tq_session_output_next(tq_identify *id, tq_error *reterr)
{
    tq_comparison_pass pass = TQ_COMPARISON_DONE;
    const tq_status status = tq_comparison_next(id->comparison, &pass, reterr);
    if (status != TQ_OK) {
        return status;
    }
    if (pass == TQ_COMPARISON_OUTPUT && id->options.n_gain > 0 && !id->now.is_checked) {
        tq_session_begin_gains(id);
        return TQ_OK;
    }
    if (pass != TQ_COMPARISON_JUDGED) {
        tq_session_request(id, TQ_IDENTIFY_PASS_INSTRUMENTS, id->options.n_fitted,
                           TQ_SESSION_OUTPUT_NEXT);
        return TQ_OK;
    }
    size_t ignored = 0;
    const tq_compared *found = tq_comparison_results(id->comparison, &ignored) + RESULT;
    if (found->fault != TQ_COMPARED_GOOD) {
        return tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "output-error", (size_t)found->fault, 0.0);
    }
    id->result.output = found;
    id->now.state = TQ_SESSION_OUTPUT_TAKE;
    if (id->options.n_gain > 0) { /* torque beyond the cut-off is that of the gains found */
        tq_fit_set_search(id->fit, true);
        tq_session_request(id, TQ_IDENTIFY_PASS_FIT, id->options.n_fitted, TQ_SESSION_OUTPUT_TAKE);
    }
    return TQ_OK;
}

tq_status tq_session_output_take(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    id->measured = id->before_output = id->fit;
    id->fit = tq_comparison_output_fit(id->comparison);
    id->result.fit = id->fit;
    id->moves = tq_comparison_moves(id->comparison);
    id->comparison = NULL;
    id->now.method = TQ_FIT_FEASIBLE_IV;
    tq_session_need(id, TQ_IDENTIFY_OF_SOLUTION, tq_fit_solution_size(id->fit));
    tq_session_need(id, TQ_IDENTIFY_OF_SOLVER, tq_fit_solve_size(id->fit));
    id->now.state = TQ_SESSION_OUTPUT_SOLVE;
    return TQ_OK;
}

/* What a second simulation leaves of a change by the first, in [0, most]: of changes below a part
 * of a deviation, which are of other values, less. */
static double kept_of(double first, double second, double deviation)
{
    static const double most = 0.6, least = 0.02;
    const double of = fmax(fabs(first), least * deviation);
    return of > 0.0 ? fmin(fabs(second) / of, most) : 0.0;
}

/* Deviations of a fit along a simulation are those of one step towards its values, which the
 * motion follows: times 1 / (1 - c), of gains, friction and rotors, since it is reversals of
 * friction that move. */
static void widen(tq_identify *id)
{
    tq_fit_solution *solution = &id->result.solution;
    const size_t n = solution->n_column;
    id->result.widest = 1.0;
    for (size_t k = 0; k < n; k++) {
        tq_estimate *e = &solution->estimate[k];
        if (id->result.columns[k].parameter.link != TQ_NONE &&
            id->result.columns[k].kind == TQ_COLUMN_PARAMETER) {
            continue; /* bodies do not turn friction back */
        }
        const double kept = kept_of(id->moves[k], id->moves[n + k], e->deviation);
        const double by = isfinite(kept) ? 1.0 / (1.0 - kept) : 1.0;
        e->deviation *= by;
        e->relative *= by;
        e->effect *= by;
        e->low = e->value + by * (e->low - e->value);
        e->high = e->value + by * (e->high - e->value);
        e->bootstrap *= by;
        e->bootstrap_low = e->value + by * (e->bootstrap_low - e->value);
        e->bootstrap_high = e->value + by * (e->bootstrap_high - e->value);
        for (size_t other = 0; other < n; other++) {
            solution->covariance[k * n + other] *= by;
            solution->covariance[other * n + k] *= by;
        }
        if (by > id->result.widest) {
            id->result.widest = by;
            id->result.widest_column = k;
        }
    }
}

tq_status tq_session_output_solve(tq_identify *id, tq_error *reterr)
{
    id->now.state = TQ_SESSION_VALIDATE;
    const tq_status status =
        tq_fit_solve(id->fit, &id->memory[TQ_IDENTIFY_OF_SOLUTION],
                     &id->memory[TQ_IDENTIFY_OF_SOLVER], &id->result.solution, reterr);
    if (status == TQ_OK) {
        widen(id);
    }
    return status == TQ_OK && id->options.n_gain > 0 ? tq_session_take_gains(id, reterr) : status;
}
