/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/verdict.c - reasons for and against a calibration, most severe first. */
#include "core/identify/verdict.h"

#include <math.h>
#include <string.h>

#include "core/identify/feasible/definite.h"
#include "core/identify/regression/bodies.h"

enum { DIRECTIONS_REPORTED = 6, MOVED_IN = 20 };
static const double error_usable = 0.30; /* relative torque error; as for the parameters */
static const double error_robust = 0.80;
static const double standing_apart = 3.0;  /* torque beyond friction at rest over RMSE in motion */
static const double bias_reported = 3.0;   /* standard deviations between instruments and least
                                             squares */
static const double price_reported = 0.02; /* of the objective, by bounds */
static const double rounding = 1e-9;       /* relative: no deviation is smaller */
static const double share_reported = 0.10; /* of the squared residual, by a missing term */
static const double slight = 0.01; /* of the torque: no term is added for less, nor missed */

const char *tq_verdict_slug(tq_verdict verdict)
{
    static const char *const slugs[] = {"usable", "robust-control-only", "incomplete",
                                        "physically-inconsistent", "insufficient-excitation"};
    return slugs[verdict];
}

size_t tq_verdict_size(const tq_fit *fit)
{
    return tq_definite_size(fit);
}

void tq_verdict_add(tq_verdict_report *report, tq_verdict verdict, tq_reason reason)
{
    report->verdict = verdict > report->verdict ? verdict : report->verdict;
    if (report->n_reason < TQ_REASON_MAX) {
        report->reasons[report->n_reason++] = reason;
    }
}

static void add(tq_verdict_report *report, tq_verdict verdict, tq_reason_kind kind, size_t index,
                double value)
{
    tq_verdict_add(report, verdict, (tq_reason){kind, index, value});
}

static void judge_excitation(const tq_fit_solution *s, tq_verdict_report *report)
{
    for (size_t k = 0; k < s->n_unidentified && k < DIRECTIONS_REPORTED;
         /* the solution lists all of them */
         k++) {
        add(report, TQ_VERDICT_INSUFFICIENT_EXCITATION, TQ_REASON_UNIDENTIFIED, k,
            s->unidentified[k].deviation);
    }
}

static tq_status judge_physics(const tq_fit *fit, const tq_fit_solution *s, tq_scratch *scratch,
                               tq_verdict_report *report, tq_error *reterr)
{
    for (size_t c = 0; c < s->n_column; c++) {
        if (tq_fit_is_positive(fit, c) && s->value[c] < 0.0) {
            add(report, TQ_VERDICT_PHYSICALLY_INCONSISTENT, TQ_REASON_NEGATIVE, c, s->value[c]);
        }
    }
    if (fit->options.model.kind != TQ_FIT_BASE) {
        return TQ_OK;
    }
    const tq_model *model = &fit->mechanism->model;
    const bool has_bodies =
        fit->options.method == TQ_FIT_FEASIBLE || fit->options.method == TQ_FIT_FEASIBLE_IV;
    for (uint32_t k = 0; has_bodies && k < model->n_joint; k++) {
        double ratio = 0.0;
        const bool moves = model->joints[model->order[k]].kind != TQ_JOINT_FIXED;
        if (moves &&
            !tq_inertial_params_is_definite(s->full + (size_t)TQ_PARAMETERS_OF_LINK * k, &ratio)) {
            add(report, TQ_VERDICT_PHYSICALLY_INCONSISTENT, TQ_REASON_PSEUDO_INERTIA,
                model->joints[model->order[k]].child, ratio);
        }
    }
    size_t n_pose = 0;
    size_t n_bad = 0;
    const tq_status status =
        tq_definite_count(fit, s->full, s->value, scratch, &n_pose, &n_bad, reterr);
    if (status == TQ_OK && n_bad > 0) {
        add(report, TQ_VERDICT_PHYSICALLY_INCONSISTENT, TQ_REASON_MASS_MATRIX, n_pose,
            (double)n_bad);
    }
    return status;
}

static void judge_spread(const tq_fit_solution *s, tq_verdict_report *report)
{
    for (size_t c = 0; c < s->n_column; c++) {
        const tq_estimate *e = &s->estimate[c];
        const double spread = isnan(e->consistency) ? e->relative : e->consistency;
        if (e->grade == TQ_GRADE_INCOMPLETE) {
            add(report, TQ_VERDICT_INCOMPLETE, TQ_REASON_INCONSISTENT, c, spread);
        } else if (e->grade == TQ_GRADE_ROBUST) {
            add(report, TQ_VERDICT_ROBUST_CONTROL_ONLY, TQ_REASON_INCONSISTENT, c, spread);
        }
    }
}

/* Instrumental variables and least squares differ by the bias of position noise; both are compared
 * without constraints, which could move only one of them. */
static void judge_bias(const tq_fit_solution *s, tq_verdict_report *report)
{
    size_t worst = 0;
    double most = 0.0;
    for (size_t c = 0; c < s->n_column; c++) {
        const tq_estimate *e = &s->estimate[c];
        const double deviation = fmax(e->deviation, rounding * fabs(e->unbound));
        const double off = fabs(e->least_squares - e->unbound) / deviation;
        if (isfinite(e->deviation) && isfinite(off) && e->grade != TQ_GRADE_UNIDENTIFIED &&
            off > most) {
            most = off;
            worst = c;
        }
    }
    if (most > bias_reported) {
        add(report, TQ_VERDICT_USABLE, TQ_REASON_NOISE_BIAS, worst, most);
    }
}

/* Bounds that cost more than noise would are wrong, or the logs are. */
static void judge_bounds(const tq_fit_solution *s, tq_verdict_report *report)
{
    size_t most = 0;
    for (size_t k = 0; k < s->n_active; k++) {
        most = s->active[k].share > s->active[most].share ? k : most;
    }
    const double price = s->objective / s->objective_unbounded - 1.0;
    if (s->n_active > 0 && price > price_reported) {
        add(report, TQ_VERDICT_USABLE, TQ_REASON_BOUNDS, most, price);
    }
}

/* True if the row moves enough for relative errors: at rest the torque of a joint is anywhere
 * within its friction band. Such data determine gravity (core/identify/validation/static_check.h).
 */
static bool is_moved(const tq_residuals *validation, size_t row)
{
    const size_t all = tq_residuals_of(validation, TQ_RESIDUALS_ALL, row).n_sample;
    return MOVED_IN * tq_residuals_of(validation, TQ_RESIDUALS_MOVING, row).n_sample >= all;
}

/* A residual of `rmse`, or that part of it, is worth a term of the model. */
static bool is_worth(const tq_residual_stats *all, double rmse)
{
    return !(rmse * all->relative_error < slight * all->rmse);
}

static void judge_errors(const tq_fit *fit, const tq_residuals *validation,
                         tq_verdict_report *report)
{
    for (size_t r = 0; r < fit->n_row; r++) {
        const tq_residual_stats all = tq_residuals_of(validation, TQ_RESIDUALS_ALL, r);
        if (all.relative_error >= error_usable && is_moved(validation, r)) {
            add(report,
                all.relative_error >= error_robust ? TQ_VERDICT_INCOMPLETE
                                                   : TQ_VERDICT_ROBUST_CONTROL_ONLY,
                TQ_REASON_RELATIVE_ERROR, r, all.relative_error);
        }
    }
    /* missing terms: advice, independent of the verdict */
    for (size_t r = 0; r < fit->n_row; r++) {
        const tq_residual_stats all = tq_residuals_of(validation, TQ_RESIDUALS_ALL, r);
        const tq_residual_stats moving = tq_residuals_of(validation, TQ_RESIDUALS_MOVING, r);
        const tq_residual_stats standing = tq_residuals_of(validation, TQ_RESIDUALS_STANDING, r);
        if (!is_moved(validation, r) || fit->rows[r].coordinate == TQ_NONE) { /* no friction */
            continue;
        }
        if (standing.beyond > standing_apart * moving.rmse && is_worth(&all, standing.beyond)) {
            add(report, TQ_VERDICT_USABLE, TQ_REASON_STANDING, r, standing.beyond / moving.rmse);
        }
        const struct {
            double share;
            tq_reason_kind kind;
        } terms[] = {{all.by_slowness, TQ_REASON_SLOW_FRICTION},
                     {all.by_load, TQ_REASON_LOAD_FRICTION},
                     {all.by_position, TQ_REASON_POSITION}};
        for (size_t k = 0; k < sizeof terms / sizeof terms[0]; k++) {
            if (terms[k].share > share_reported &&
                is_worth(&all, sqrt(terms[k].share) * moving.rmse)) {
                add(report, TQ_VERDICT_USABLE, terms[k].kind, r, terms[k].share);
            }
        }
    }
}

tq_status tq_verdict_compute(const tq_fit *fit, const tq_fit_solution *solution,
                             const tq_residuals *validation, tq_scratch *scratch,
                             tq_verdict_report *ret_report, tq_error *reterr)
{
    memset(ret_report, 0, sizeof *ret_report);
    judge_excitation(solution, ret_report);
    const tq_status status = judge_physics(fit, solution, scratch, ret_report, reterr);
    if (status != TQ_OK) {
        return status;
    }
    judge_spread(solution, ret_report);
    judge_bias(solution, ret_report);
    judge_bounds(solution, ret_report);
    if (validation != NULL) {
        judge_errors(fit, validation, ret_report);
    }
    return TQ_OK;
}
