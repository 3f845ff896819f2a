/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/session/compare.c - other estimators beside the result, after it is final. */
#include "core/identify/session/session_private.h"

enum { SHARE = 2 }; /* a comparison takes at most this part of memory_max beside the fit */

static tq_comparison_plan plan_of(const tq_identify *id)
{
    const bool is_separate = id->options.validation == TQ_VALIDATE_SEPARATE;
    return (tq_comparison_plan){
        .estimators = id->options.estimators,
        .n = id->options.n_estimator,
        .n_fitted = id->options.n_fitted,
        .leaves_out = id->options.validation == TQ_VALIDATE_LEAVE_ONE_OUT,
        .first = is_separate ? id->options.n_fitted : 0,
        .end = is_separate ? id->options.n_recording : id->options.n_fitted,
        .lag = tq_session_lag(id),
        .memory_max = id->options.memory_max / SHARE,
        .feedback = id->options.feedback,
        .filter = &id->options.filter,
    };
}

/* the fit along measured motion */
static const tq_fit *fit_of(const tq_identify *id)
{
    return id->measured != NULL ? id->measured : id->fit;
}

/* A comparison that is too large is left out: the result does not need it. */
tq_status tq_session_compare(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    const tq_comparison_plan plan = plan_of(id);
    id->now.state = TQ_SESSION_DONE;
    if (plan.n > 0 && plan.n <= TQ_ESTIMATORS) {
        const size_t size = tq_comparison_size(fit_of(id), &plan);
        id->result.is_too_large_to_compare = size > plan.memory_max;
        if (size <= plan.memory_max) {
            tq_session_need(id, TQ_IDENTIFY_OF_COMPARISON, size);
            id->now.state = TQ_SESSION_COMPARE_BEGIN;
        }
    }
    return TQ_OK;
}

tq_status tq_session_compare_begin(tq_identify *id, tq_error *reterr)
{
    const tq_comparison_plan plan = plan_of(id);
    id->now.in_part = false;
    id->now.state = TQ_SESSION_COMPARE_NEXT;
    return tq_comparison_begin(fit_of(id), &id->result.solution, &plan,
                               &id->memory[TQ_IDENTIFY_OF_COMPARISON], &id->comparison, reterr);
}

tq_status tq_session_compare_next(tq_identify *id, tq_error *reterr)
{
    tq_comparison_pass pass = TQ_COMPARISON_DONE;
    const tq_status status = tq_comparison_next(id->comparison, &pass, reterr);
    if (status != TQ_OK) {
        return status;
    }
    if (pass == TQ_COMPARISON_DONE) {
        id->result.compared = tq_comparison_results(id->comparison, &id->result.n_compared);
        id->now.state = TQ_SESSION_DONE;
    } else if (pass == TQ_COMPARISON_JUDGED) {
        tq_session_request(id, TQ_IDENTIFY_PASS_COMPARE, id->options.n_recording,
                           TQ_SESSION_COMPARE_NEXT);
    } else {
        tq_session_request(id, TQ_IDENTIFY_PASS_INSTRUMENTS, id->options.n_fitted,
                           TQ_SESSION_COMPARE_NEXT);
    }
    return TQ_OK;
}

tq_status tq_session_compare_begin_recording(tq_identify *id, size_t i, tq_error *reterr)
{
    const double period = id->options.recordings[i].step * (double)id->options.filter.decimate;
    const tq_comparison_recording recording = {.period = period,
                                               .difference = id->options.recordings[i].difference,
                                               .n_sample = tq_identify_expected(id, i, false)};
    return tq_comparison_begin_recording(id->comparison, i, &recording, reterr);
}
