/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/session/judge.c - results and choices of a session, and the verdict on them. */
#include <math.h>

#include "core/elementary/elementary.h"
#include "core/identify/session/session_private.h"

const tq_identify_result *tq_identify_found(const tq_identify *id)
{
    return &id->result;
}

bool tq_identify_has_instruments(const tq_identify *id)
{
    return tq_session_has_instruments(id);
}

tq_identify_choice tq_identify_chosen(const tq_identify *id)
{
    const tq_session_now *now = &id->now;
    const tq_fit_options options = tq_session_fit_options(id);
    return (tq_identify_choice){.method = now->method,
                                .model = options.model,
                                .delay = now->delay,
                                .lag_samples = now->lag_samples,
                                .lag = now->lag,
                                .found_delay = now->searches_delay,
                                .found_sign = now->found_sign,
                                .took_instruments = now->took_instruments,
                                .is_sampled = now->is_sampled};
}

/* Total least squares assumes noise in every column: assumed noise above the true one biases the
 * estimate, as does noise below it. */
static void judge_total(const tq_identify *id, tq_verdict_report *report)
{
    static const double significant = 3.0; /* standard deviations */
    static const double rounding = 1e-4;   /* of a value: noise-free data have no deviations */
    double worst = 0.0;
    size_t at = 0;
    for (size_t k = 0; id->now.method == TQ_FIT_TLS && id->now.has_bias && k < id->result.n_column;
         k++) {
        const tq_estimate *e = &id->result.solution.estimate[k];
        const double deviation = fmax(e->deviation, rounding * fabs(e->unbound));
        const double off = fabs(e->value - (e->unbound - id->bias[k])) / deviation;
        if (isfinite(off) && e->grade != TQ_GRADE_UNIDENTIFIED && off > worst) {
            worst = off;
            at = k;
        }
    }
    if (worst > significant) {
        tq_verdict_add(report, TQ_VERDICT_ROBUST_CONTROL_ONLY,
                       (tq_reason){TQ_REASON_TOTAL, at, worst});
    }
}

/* Directions that stay unidentified when the residuals caused by gross faults are removed: such
 * residuals are not noise, and an uncertainty due to them is no lack of excitation. Directions are
 * sorted, the most uncertain first. */
static tq_fit_solution without_excused(const tq_identify_result *found, size_t n_row)
{
    static const double unknown = 0.5; /* nats a joint: least effect of a gross fault */
    tq_fit_solution solution = found->solution;
    static const double stuck = 0.7; /* nats a joint, at least */
    double explained = 0.0;
    for (size_t k = 0; k < found->n_finding; k++) {
        const tq_finding *f = &found->findings[k];
        explained += f->is_gross ? fmax(f->explained, stuck * (double)n_row) : 0.0;
    }
    const double less = tq_exp(-explained / (double)n_row);
    size_t n = 0;
    while (n < solution.n_unidentified &&
           (explained == 0.0 || solution.unidentified[n].deviation * less > unknown)) {
        n++;
    }
    solution.n_unidentified = n;
    return solution;
}

tq_status tq_identify_judge(const tq_identify *id, tq_scratch *scratch,
                            tq_verdict_report *ret_report, tq_error *reterr)
{
    const tq_identify_result *found = &id->result;
    const tq_session_validation *v = &id->validation;
    const tq_residuals *judge =
        id->options.validation == TQ_VALIDATE_NONE ? &v->fitted : &v->validated;
    tq_verdict_report others;
    const tq_fit_solution solution = without_excused(found, id->nv);
    const tq_status status =
        tq_verdict_compute(id->fit, &solution, judge, scratch, &others, reterr);
    if (status != TQ_OK) {
        return status;
    }
    *ret_report = (tq_verdict_report){.verdict = others.verdict};
    for (size_t k = 0; k < found->n_finding; k++) {
        const tq_finding *f = &found->findings[k];
        tq_verdict_add(ret_report, f->is_gross ? TQ_VERDICT_INCOMPLETE : TQ_VERDICT_USABLE,
                       (tq_reason){TQ_REASON_FINDING, k, f->size});
    }
    for (size_t k = 0; k < others.n_reason; k++) {
        tq_verdict_add(ret_report, TQ_VERDICT_USABLE, others.reasons[k]);
    }
    if (v->noise != NULL && id->now.bias_worst > TQ_NOISE_BIAS_MOST) {
        tq_verdict_add(ret_report, TQ_VERDICT_USABLE,
                       (tq_reason){TQ_REASON_DRAWN, id->now.biased, id->now.bias_worst});
    }
    judge_total(id, ret_report);
    tq_static_check_judge(found->static_check, ret_report);
    for (size_t r = 0; r < id->nv; r++) { /* advice, independent of the verdict */
        const double drift = tq_rollout_drift(&found->all_rollouts.joints[r]);
        if (drift > 1.0) {
            tq_verdict_add(ret_report, TQ_VERDICT_USABLE, (tq_reason){TQ_REASON_FORWARD, r, drift});
        }
    }
    return TQ_OK;
}
