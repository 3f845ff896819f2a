/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/comparison/estimate.c - the estimates of a comparison, with each recording left
 * out, and whether bodies can have them. */
#include <math.h>
#include <string.h>

#include "core/identify/comparison/comparison_private.h"
#include "core/identify/feasible/definite.h"
#include "core/identify/regression/bodies.h"

static const tq_fit_method methods[TQ_ESTIMATORS] = {
    [TQ_ESTIMATOR_FEASIBLE] = TQ_FIT_FEASIBLE,
    [TQ_ESTIMATOR_OLS] = TQ_FIT_OLS,
    [TQ_ESTIMATOR_WLS] = TQ_FIT_WLS,
    [TQ_ESTIMATOR_TLS] = TQ_FIT_TLS,
    [TQ_ESTIMATOR_RIDGE] = TQ_FIT_RIDGE,
    [TQ_ESTIMATOR_BOUNDED] = TQ_FIT_BOUNDED,
    [TQ_ESTIMATOR_IV] = TQ_FIT_IV,
    [TQ_ESTIMATOR_FEASIBLE_IV] = TQ_FIT_FEASIBLE_IV,
    [TQ_ESTIMATOR_ENTROPIC] = TQ_FIT_FEASIBLE,
    [TQ_ESTIMATOR_IDIM_IV] = TQ_FIT_IV,
    [TQ_ESTIMATOR_FEASIBLE_IDIM_IV] = TQ_FIT_FEASIBLE_IV,
    [TQ_ESTIMATOR_DIDIM] = TQ_FIT_IV, /* with their own columns as instruments: least squares */
    [TQ_ESTIMATOR_FEASIBLE_DIDIM] = TQ_FIT_FEASIBLE_IV,
};

tq_estimator_kind tq_estimator_kind_of(tq_estimator estimator)
{
    switch ((int)estimator) {
    case TQ_ESTIMATOR_IV:
    case TQ_ESTIMATOR_FEASIBLE_IV:
        return TQ_ESTIMATOR_LAGGED;
    case TQ_ESTIMATOR_IDIM_IV:
    case TQ_ESTIMATOR_FEASIBLE_IDIM_IV:
        return TQ_ESTIMATOR_SIMULATED;
    case TQ_ESTIMATOR_DIDIM:
    case TQ_ESTIMATOR_FEASIBLE_DIDIM:
        return TQ_ESTIMATOR_OUTPUT;
    default:
        return TQ_ESTIMATOR_OF_TRIANGLES;
    }
}

bool tq_comparison_wants(const tq_comparison *c, tq_estimator_kind kind)
{
    for (size_t k = 0; k < c->plan.n; k++) {
        if (tq_estimator_kind_of(c->estimators[k]) == kind &&
            c->results[k].fault == TQ_COMPARED_GOOD) {
            return true;
        }
    }
    return false;
}

void tq_comparison_fail(tq_comparison *c, tq_estimator_kind kind, tq_compared_fault fault)
{
    for (size_t k = 0; k < c->plan.n; k++) {
        if (tq_estimator_kind_of(c->estimators[k]) == kind &&
            c->results[k].fault == TQ_COMPARED_GOOD) {
            c->results[k].fault = fault;
        }
    }
}

size_t tq_comparison_estimate_size(const tq_fit *fit)
{
    const size_t estimate =
        tq_scratch_cost(fit->n_parameter, sizeof(double)) + tq_fit_another_size(fit);
    const size_t definite = tq_definite_size(fit);
    return estimate > definite ? estimate : definite;
}

/* as in core/identify/verdict.c: nothing negative that must not be, bodies of positive density by
 * methods that have them, M definite */
static tq_status judge_bodies(const tq_comparison *c, tq_compared *of, tq_error *reterr)
{
    const tq_fit *fit = c->fit;
    const tq_model *model = &fit->mechanism->model;
    const tq_fit_method method = methods[of->estimator];
    of->negative = SIZE_MAX;
    for (size_t k = fit->n_column; k-- > 0;) {
        of->negative = tq_fit_is_positive(fit, k) && of->value[k] < 0.0 ? k : of->negative;
    }
    of->is_feasible = of->negative == SIZE_MAX;
    if (fit->options.model.kind != TQ_FIT_BASE) {
        return TQ_OK;
    }
    for (uint32_t k = 0;
         (method == TQ_FIT_FEASIBLE || method == TQ_FIT_FEASIBLE_IV) && k < model->n_joint; k++) {
        double ratio = 0.0;
        const bool moves = model->joints[model->order[k]].kind != TQ_JOINT_FIXED;
        const double *ten = of->full + (size_t)TQ_PARAMETERS_OF_LINK * k;
        of->is_feasible =
            of->is_feasible && (!moves || tq_inertial_params_is_definite(ten, &ratio));
    }
    const tq_status status =
        tq_definite_count(fit, of->full, of->value, c->scratch, &of->n_pose, &of->n_bad, reterr);
    of->is_feasible = of->is_feasible && of->n_bad == 0;
    return status;
}

/* A status that is the data's, not the caller's, is a fault of the estimator. */
static tq_status note(tq_compared *of, tq_status status)
{
    switch ((int)status) {
    case TQ_ERR_SHAPE:
        of->fault = TQ_COMPARED_SHORT;
        return TQ_OK;
    case TQ_ERR_SINGULAR:
    case TQ_ERR_NO_CONVERGENCE:
    case TQ_ERR_LAPACK:
        of->fault = TQ_COMPARED_UNSOLVED;
        return TQ_OK;
    default:
        return status;
    }
}

/* its data are those of simulations */
static bool is_simulated(tq_estimator estimator)
{
    const tq_estimator_kind kind = tq_estimator_kind_of(estimator);
    return kind == TQ_ESTIMATOR_SIMULATED || kind == TQ_ESTIMATOR_OUTPUT;
}

static tq_status estimate(tq_comparison *c, size_t k, tq_error *reterr)
{
    tq_compared *of = &c->results[k];
    const bool has_own = tq_fit_has_instruments(c->fit) && !is_simulated(of->estimator);
    const bool is_beside =
        tq_estimator_kind_of(of->estimator) != TQ_ESTIMATOR_OF_TRIANGLES && !has_own;
    const tq_fit *source = is_beside ? c->instrumental : c->fit;
    const size_t n_value = tq_fit_value_count(c->fit);
    tq_fit_another what = {methods[of->estimator], c->fit->options.entropy};
    what.entropy *= of->estimator == TQ_ESTIMATOR_ENTROPIC ? TQ_ENTROPIC_WEIGHT : 1.0;
    tq_fit_opinion all = {.value = of->value, .full = of->full};
    tq_status status =
        tq_fit_find_another(source, c->fit, what, SIZE_MAX, c->scratch, &all, reterr);
    const size_t mark = tq_scratch_mark(c->scratch);
    double *full = tq_scratch_take(c->scratch, c->fit->n_parameter, sizeof *full);
    for (size_t e = 0;
         full != NULL && status == TQ_OK && c->plan.leaves_out && e < c->plan.n_fitted; e++) {
        tq_fit_opinion rest = {.value = c->without + (k * c->plan.n_fitted + e) * n_value,
                               .full = full};
        status = tq_fit_find_another(source, c->fit, what, e, c->scratch, &rest, reterr);
    }
    tq_scratch_rewind(c->scratch, mark);
    status = note(of, status);
    if (status != TQ_OK || of->fault != TQ_COMPARED_GOOD) {
        return status;
    }
    of->condition = all.condition;
    of->n_iteration = all.n_iteration;
    of->price = all.unconstrained > 0.0 ? all.objective / all.unconstrained - 1.0 : (double)NAN;
    if (is_simulated(of->estimator)) {
        of->n_simulation = c->n_simulation;
        of->n_window = c->n_window;
        of->n_lost = c->n_lost;
    }
    return judge_bodies(c, of, reterr);
}

tq_status tq_comparison_estimate(tq_comparison *c, tq_estimator_kind kind, tq_error *reterr)
{
    tq_status status = TQ_OK;
    for (size_t k = 0; status == TQ_OK && k < c->plan.n; k++) {
        if (tq_estimator_kind_of(c->estimators[k]) == kind &&
            c->results[k].fault == TQ_COMPARED_GOOD) {
            status = estimate(c, k, reterr);
        }
    }
    return status;
}
