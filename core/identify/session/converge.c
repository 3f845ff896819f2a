/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/session/converge.c - passes until nonlinear parameters and weights have converged,
 * then one over all rows. */
#include <math.h>

#include "core/identify/session/session_private.h"
#include "core/identify/validation/student.h"
#include "core/model/layout.h"

static const double slight = 0.01; /* of a joint's torque: no term that was not requested */

static void pass(tq_identify *id, tq_session_state state)
{
    tq_session_request(id, TQ_IDENTIFY_PASS_FIT, id->options.n_fitted, state);
}

tq_status tq_session_plan(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    tq_session_now *now = &id->now;
    now->searches_delay = now->searches_delay && !tq_session_has_instruments(id);
    now->in_part = now->is_sampled;
    now->after_converge = id->options.searches_shift && !tq_session_has_instruments(id)
                              ? TQ_SESSION_SHIFT
                              : TQ_SESSION_CHECK_EXTRA;
    now->after_validate = TQ_SESSION_BIAS;
    tq_session_foretell(id);
    now->state = now->searches_delay ? TQ_SESSION_ALIGN : TQ_SESSION_MEMORY;
    now->after_memory = TQ_SESSION_CONFIRM;
    return TQ_OK;
}

/* memory for the passes of this fit */
tq_status tq_session_take_memory(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    tq_session_need(id, TQ_IDENTIFY_OF_SOLUTION, tq_fit_solution_size(id->fit));
    tq_session_need(id, TQ_IDENTIFY_OF_STREAM, tq_fit_stream_size(id->fit));
    tq_session_need(id, TQ_IDENTIFY_OF_SOLVER, tq_fit_solve_size(id->fit));
    id->now.state = id->now.after_memory;
    return TQ_OK;
}

/* Passes that search nonlinear parameters compute values only; the last one also computes
 * statistics, unless all rows are read once more. */
tq_status tq_session_converge(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    tq_session_now *now = &id->now;
    now->has_search = now->searches_sign || now->extra != 0 || now->method == TQ_FIT_IRLS;
    tq_fit_set_search(id->fit, now->has_search);
    pass(id, now->searches_sign ? TQ_SESSION_LAW_FIRST : TQ_SESSION_CONVERGE_AGAIN);
    return TQ_OK;
}

tq_status tq_session_converge_again(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    tq_session_now *now = &id->now;
    now->searches_sign = false;
    if (id->result.solution.again) {
        pass(id, TQ_SESSION_CONVERGE_AGAIN);
        return TQ_OK;
    }
    tq_fit_set_search(id->fit, false);
    tq_fit_freeze(id->fit);
    const bool needs_statistics = now->searches_load || now->searches_stribeck ||
                                  id->options.chooses_method || !now->is_sampled;
    now->state = now->after_converge;
    if (now->has_search && needs_statistics) {
        pass(id, now->after_converge);
    }
    return TQ_OK;
}

/* Deviations beyond which a joint is significant: of n, one is so by chance n times as often. */
static double significant(const tq_identify *id)
{
    const double by_chance = (1.0 - id->options.fit.confidence) / (double)id->nv;
    return tq_student_quantile(1.0 - by_chance, id->result.solution.freedom);
}

/* A term that is distinguishable from zero, and more than a hundredth of its joint's torque. */
static bool is_there(const tq_identify *id, size_t k, double t)
{
    const tq_estimate *e = &id->result.solution.estimate[k];
    const size_t row = id->mechanism->model.joints[id->result.columns[k].joint].v_index;
    const double torque = e->deviation > 0.0 ? fabs(e->value) * e->effect / e->deviation : 0.0;
    return fabs(e->value) > t * e->deviation && torque > slight * sqrt(id->usual[row]);
}

/* Load-dependent friction that was not requested must be distinguishable from the other terms, and
 * be significant on some joint, below the load itself. */
static bool has_load(const tq_identify *id)
{
    const double t = significant(id);
    bool any = false;
    for (size_t k = 0; k < id->result.n_column; k++) {
        const tq_estimate *e = &id->result.solution.estimate[k];
        if (id->result.columns[k].kind != TQ_COLUMN_LOAD) {
            continue;
        }
        if (e->grade == TQ_GRADE_UNIDENTIFIED) {
            return false;
        }
        any = any || (is_there(id, k, t) && e->value > 0.0 && e->value < 1.0);
    }
    return any;
}

/* Stribeck's that was not requested must be significant on some joint: where it is on none, it
 * makes Coulomb and viscous friction uncertain for nothing. */
static bool has_stribeck(const tq_identify *id)
{
    const double t = significant(id);
    for (size_t k = 0; k < id->result.n_column; k++) {
        if (id->result.columns[k].kind == TQ_COLUMN_STRIBECK &&
            id->result.solution.estimate[k].grade != TQ_GRADE_UNIDENTIFIED && is_there(id, k, t)) {
            return true;
        }
    }
    return false;
}

static void fit_without(tq_identify *id, unsigned extra, tq_session_state after)
{
    tq_session_now *now = &id->now;
    now->extra &= ~extra;
    now->state = TQ_SESSION_BUILD;
    now->after_build = TQ_SESSION_MEMORY;
    now->after_memory = TQ_SESSION_CONVERGE;
    now->after_converge = after;
    /* the width of a smoothed sign was found beside Stribeck's term, which is high between that
     * width and its own speed, and made up for a wrong one */
    now->searches_sign = (extra & (unsigned)TQ_FIT_STRIBECK) != 0 && id->options.searches_sign &&
                         now->found_sign && !(now->presliding > 0.0);
}

/* Load first: what it explains is no Stribeck's. */
tq_status tq_session_check_extra(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    tq_session_now *now = &id->now;
    tq_fit_usual_torque(id->fit, id->usual);
    const bool drops_load = now->searches_load && !has_load(id);
    now->searches_load = false;
    if (drops_load) {
        fit_without(id, TQ_FIT_LOAD, TQ_SESSION_CHECK_EXTRA);
        return TQ_OK;
    }
    const bool drops_stribeck = now->searches_stribeck && !has_stribeck(id);
    now->searches_stribeck = false;
    now->state = TQ_SESSION_FORESEE;
    if (drops_stribeck) {
        fit_without(id, TQ_FIT_STRIBECK, TQ_SESSION_FORESEE);
    }
    return TQ_OK;
}

/* ------------------------------------------------------------------------------------------------
 * The bias by noise in the cached rows: it predicts whether a fit with instruments will follow.
 */

tq_status tq_session_foresee(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    tq_session_now *now = &id->now;
    if (!id->options.chooses_method || !now->is_sampled || !(id->result.solution.freedom > 0.0)) {
        now->state = TQ_SESSION_READ_ALL;
        return TQ_OK;
    }
    tq_session_need(id, TQ_IDENTIFY_OF_STEP,
                    tq_scratch_cost(id->result.n_column, sizeof(double)) +
                        tq_noise_bias_size(id->fit) + tq_noise_bias_find_size(id->fit));
    now->state = TQ_SESSION_FORESEE_PASS;
    return TQ_OK;
}

tq_status tq_session_foresee_pass(tq_identify *id, tq_error *reterr)
{
    tq_scratch *scratch = &id->memory[TQ_IDENTIFY_OF_STEP];
    id->noise_bias = tq_scratch_take(scratch, id->result.n_column, sizeof *id->noise_bias);
    if (id->noise_bias == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, 0.0);
    }
    tq_session_request(id, TQ_IDENTIFY_PASS_NOISE, id->options.n_fitted, TQ_SESSION_FORESEEN);
    return tq_noise_bias_begin(id->fit, &id->result.solution, scratch, &id->noise, reterr);
}

tq_status tq_session_foreseen(tq_identify *id, tq_error *reterr)
{
    const tq_fit_solution *solution = &id->result.solution;
    size_t ignored = 0;
    double n_sample = 0.0;
    for (size_t i = 0; i < id->options.n_fitted; i++) {
        const tq_identify_recording *r = &id->options.recordings[i];
        n_sample += r->n_row * r->period / r->step / (double)id->options.filter.decimate;
    }
    const tq_status status =
        tq_noise_bias_find(id->noise, &id->memory[TQ_IDENTIFY_OF_STEP], id->noise_bias, reterr);
    if (status == TQ_OK) { /* deviations decrease with the number of samples, a bias does not */
        const double more = sqrt(n_sample / fmax((double)solution->n_sample, 1.0));
        const double worst = tq_noise_bias_worst(solution, id->noise_bias, &ignored);
        id->now.foresees_instruments = more * worst > TQ_NOISE_BIAS_MOST;
    }
    id->noise = NULL;
    tq_session_need(id, TQ_IDENTIFY_OF_STEP, 0);
    id->now.state = TQ_SESSION_READ_ALL;
    return status == TQ_ERR_SINGULAR ? TQ_OK : status;
}

/* reads all rows after a search in cached rows */
tq_status tq_session_read_all(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    tq_session_now *now = &id->now;
    now->in_part = false;
    now->is_last = now->is_sampled;
    tq_fit_freeze(id->fit);
    now->state = id->options.is_output ? TQ_SESSION_OUTPUT : TQ_SESSION_VALIDATE;
    if (now->is_sampled) {
        pass(id, now->state);
    }
    return TQ_OK;
}
