/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/session/output.c - output error as the method: after a fit of least squares the
 * simulations of a comparison, from lagged instruments on, whose last one is the result. */
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
    id->comparison = NULL;
    id->now.method = TQ_FIT_FEASIBLE_IV;
    tq_session_need(id, TQ_IDENTIFY_OF_SOLUTION, tq_fit_solution_size(id->fit));
    tq_session_need(id, TQ_IDENTIFY_OF_SOLVER, tq_fit_solve_size(id->fit));
    id->now.state = TQ_SESSION_OUTPUT_SOLVE;
    return TQ_OK;
}

tq_status tq_session_output_solve(tq_identify *id, tq_error *reterr)
{
    id->now.state = TQ_SESSION_VALIDATE;
    const tq_status status =
        tq_fit_solve(id->fit, &id->memory[TQ_IDENTIFY_OF_SOLUTION],
                     &id->memory[TQ_IDENTIFY_OF_SOLVER], &id->result.solution, reterr);
    return status == TQ_OK && id->options.n_gain > 0 ? tq_session_take_gains(id, reterr) : status;
}
