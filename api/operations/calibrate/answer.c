/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/answer.c - the results of a calibration as members of its answer. */
#include <math.h>

#include "api/openapi/generated/fields.h"
#include "api/operations/calibrate/calibrate.h"
#include "api/operations/calibrate/parameter_names.h"
#include "api/response/document.h"
#include "api/response/robot_writer.h"

/* The parameter's link or joint. */
static void put_owner(const tqa_calibration *c, const tq_column *column)
{
    const tqa_robot *robot = c->tree->robot;
    tqa_writer *answer = c->tree->answer;
    const bool of_link = column->kind == TQ_COLUMN_PARAMETER && column->parameter.link != TQ_NONE;
    if (of_link) {
        tqa_writer_string(answer, "link", robot->link_names[column->parameter.link]);
        return;
    }
    const uint32_t joint =
        column->kind == TQ_COLUMN_PARAMETER ? column->parameter.joint : column->joint;
    tqa_writer_string(answer, "joint", robot->joint_names[joint]);
    if (column->kind != TQ_COLUMN_PARAMETER && column->other != TQ_NONE) {
        tqa_writer_string(answer, "other", robot->joint_names[column->other]);
    }
}

static void put_interval(tqa_writer *answer, const char *key, double low, double high,
                         const char *why_not)
{
    if (isfinite(low) && isfinite(high)) {
        const double interval[2] = {low, high};
        tqa_writer_vector(answer, key, interval, 2);
    } else {
        tqa_writer_none(answer, key, why_not);
    }
}

static void put_parameter(const tqa_calibration *c, size_t k, char *text)
{
    tqa_writer *answer = c->tree->answer;
    const tq_model *model = c->tree->robot->model;
    const tq_estimate *e = &c->found->solution.estimate[k];
    char name[TQA_SYMBOL_MAX];
    tqa_column_name(model, &c->found->columns[k], name);
    tqa_writer_object(answer, NULL);
    tqa_writer_string(answer, "name", name);
    tqa_writer_string(answer, "kind", tqa_column_kind(&c->found->columns[k]));
    put_owner(c, &c->found->columns[k]);
    if (c->found->base != NULL && k < c->found->base->n_base) {
        tqa_parameter_expression(model, c->found->base, c->list, k, text);
        tqa_writer_string(answer, "expression", text);
    }
    tqa_writer_string(answer, "unit", tqa_column_unit(model, &c->found->columns[k]));
    if (c->found->columns[k].kind == TQ_COLUMN_STRIBECK) {
        tqa_writer_number(answer, "stribeck_speed",
                          tq_fit_stribeck_speed(c->found->fit, c->found->columns[k].joint));
    }
    tqa_writer_finite(answer, "value", e->value, "the data do not identify it");
    tqa_writer_finite(answer, "standard_deviation", e->deviation, "the data do not identify it");
    tqa_writer_finite(answer, "textbook_deviation", e->textbook, "the data do not identify it");
    if (tqa_calibration_has_instruments(c)) {
        tqa_writer_finite(answer, "least_squares", e->least_squares, "the data do not identify it");
    }
    put_interval(answer, "interval", e->low, e->high, "the data do not identify it");
    tqa_writer_number(answer, "degrees_of_freedom", e->freedom);
    if (c->options.fit.n_bootstrap > 0) {
        const char *why_not = tqa_calibration_has_instruments(c)
                                  ? "instruments are too weak in many draws"
                                  : "the data do not identify it";
        tqa_writer_finite(answer, "bootstrap_deviation", e->bootstrap, why_not);
        put_interval(answer, "bootstrap_interval", e->bootstrap_low, e->bootstrap_high, why_not);
    }
    tqa_writer_finite(answer, "relative_deviation", e->relative, "the value is 0");
    tqa_writer_finite(answer, "consistency_measure", e->consistency,
                      c->n_fitted > 1 ? "the mean is 0" : "one experiment has no spread");
    tqa_writer_finite(answer, "effect", e->effect, "the data do not identify it");
    tqa_writer_string(answer, "verdict", tqa_grade_slug(e->grade));
    tqa_writer_end(answer);
}

/* their values and standard deviations once more as arrays, for NPZ; null where there is none */
static void put_arrays(const tqa_calibration *c)
{
    tqa_writer *answer = c->tree->answer;
    for (unsigned k = 0; k < 2; k++) {
        tqa_writer_list(answer, k == 0 ? "parameter_values" : "parameter_deviations");
        for (size_t i = 0; i < c->found->n_column; i++) {
            const tq_estimate *e = &c->found->solution.estimate[i];
            tqa_writer_number_or_null(answer, NULL, k == 0 ? e->value : e->deviation);
        }
        tqa_writer_end(answer);
    }
}

static void put_parameters(const tqa_calibration *c)
{
    tqa_writer *answer = c->tree->answer;
    char *text = tqa_tree_take(c->tree, TQA_EXPRESSION_MAX, 1);
    tqa_writer_list(answer, "parameters");
    for (size_t k = 0; text != NULL && k < c->found->n_column; k++) {
        put_parameter(c, k, text);
    }
    tqa_writer_end(answer);
    put_arrays(c);
    if (!c->wants_all) {
        return;
    }
    tqa_writer_list(answer, "all_parameters");
    const tq_model *model = c->tree->robot->model;
    const size_t n = tq_parameter_count(model, c->chosen.model.with);
    for (size_t p = 0; p < n; p++) {
        char name[TQA_SYMBOL_MAX];
        tqa_parameter_name(model, &c->list[p], name);
        tqa_writer_object(answer, NULL);
        tqa_writer_string(answer, "name", name);
        tqa_writer_string(answer, "unit", tqa_parameter_unit(model, &c->list[p]));
        tqa_writer_finite(answer, "value", c->found->solution.full[p],
                          "the data do not identify it");
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
}

static void put_unidentifiable(const tqa_calibration *c)
{
    tqa_writer *answer = c->tree->answer;
    const tq_model *model = c->tree->robot->model;
    tqa_writer_list(answer, "unidentifiable");
    for (size_t k = 0; k < c->found->solution.n_unidentified; k++) {
        const tq_unidentified *u = &c->found->solution.unidentified[k];
        char text[TQA_PROBLEM_TEXT];
        tqa_calibration_direction(c, k, text);
        tqa_writer_object(answer, NULL);
        tqa_writer_string(answer, "combination", text);
        tqa_writer_finite(answer, "deviation", u->deviation, "the data do not identify it");
        tqa_writer_list(answer, "terms");
        for (size_t i = 0; i < c->found->n_column; i++) {
            char name[TQA_SYMBOL_MAX];
            if (fabs(u->direction[i]) < 0.05) {
                continue;
            }
            tqa_column_name(model, &c->found->columns[i], name);
            tqa_writer_object(answer, NULL);
            tqa_writer_string(answer, "name", name);
            tqa_writer_number(answer, "factor", u->direction[i]);
            tqa_writer_end(answer);
        }
        tqa_writer_end(answer);
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
}

static void put_regrouped(const tqa_calibration *c)
{
    const tq_fit_solution *s = &c->found->solution;
    tqa_writer *answer = c->tree->answer;
    if (s->n_invisible == 0) {
        return;
    }
    tqa_writer_list(answer, "regrouped");
    for (size_t k = s->n_unidentified; k < s->n_unidentified + s->n_invisible; k++) {
        char text[TQA_PROBLEM_TEXT];
        tqa_calibration_direction(c, k, text);
        tqa_writer_object(answer, NULL);
        tqa_writer_string(answer, "combination", text);
        tqa_writer_number(answer, "visible", s->unidentified[k].visible);
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
}

static void put_replayed(const tqa_calibration *c, const tq_rollout_error *joint, uint32_t v)
{
    tqa_writer *answer = c->tree->answer;
    tqa_writer_object(answer, NULL);
    tqa_writer_string(answer, "joint", c->tree->robot->joint_names[tqa_calibration_joint(c, v)]);
    tqa_writer_number(answer, "rmse_q", joint->rmse_q);
    tqa_writer_number(answer, "rmse_qd", joint->rmse_qd);
    tqa_writer_number(answer, "constant_velocity_rmse_q", joint->coasting_q);
    tqa_writer_finite(answer, "relative_error", tq_rollout_drift(joint),
                      "the joint moved at constant velocity");
    tqa_writer_number(answer, "worst_q", joint->worst);
    tqa_writer_end(answer);
}

/* Rollouts with the measured torque. */
static void put_forward(const tqa_calibration *c)
{
    tqa_writer *answer = c->tree->answer;
    const tq_identify_rollouts *all = &c->found->all_rollouts;
    if (all->n_window == all->n_lost) {
        tqa_writer_none(answer, "forward_simulation",
                        !tq_rollout_can(c->found->fit)
                            ? "joints of more than one freedom are not simulated here"
                        : all->n_window > 0
                            ? "the mass matrix is not definite along the logs, or the "
                              "model runs away"
                            : "no stretch of the logs is long enough");
        return;
    }
    tqa_writer_object(answer, "forward_simulation");
    tqa_writer_number(answer, "horizon_s", TQ_IDENTIFY_HORIZON);
    tqa_writer_count(answer, "windows", all->n_window);
    tqa_writer_count(answer, "windows_lost", all->n_lost);
    if (tqa_calibration_yields(c)) {
        tqa_writer_string(answer, "friction_note",
                          "gears that yield before they slip are not simulated: a smoothed sign of "
                          "velocity replaces them");
    }
    tqa_writer_list(answer, "by_joint");
    for (size_t r = 0; r < c->order.nv; r++) {
        put_replayed(c, &all->joints[c->order.v[r]], c->order.v[r]);
    }
    tqa_writer_end(answer);
    tqa_writer_list(answer, "by_dataset");
    for (size_t i = 0; i < c->n_log; i++) {
        const tq_identify_rollouts *of = &c->found->rollouts[i];
        if (of->n_window == of->n_lost) {
            continue;
        }
        tqa_writer_object(answer, NULL);
        tqa_writer_string(answer, "name", c->logs[i].name);
        tqa_writer_number(answer, "step_s", of->step);
        tqa_writer_count(answer, "windows", of->n_window);
        tqa_writer_count(answer, "windows_lost", of->n_lost);
        tqa_writer_list(answer, "rmse_q");
        for (size_t r = 0; r < c->order.nv; r++) {
            tqa_writer_number(answer, NULL, of->joints[c->order.v[r]].rmse_q);
        }
        tqa_writer_end(answer);
        tqa_writer_list(answer, "worst_t_s");
        for (size_t r = 0; r < c->order.nv; r++) {
            tqa_writer_number(answer, NULL, of->joints[c->order.v[r]].worst_t);
        }
        tqa_writer_end(answer);
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
    tqa_writer_end(answer);
}

static void put_covariance(const tqa_calibration *c)
{
    tqa_writer *answer = c->tree->answer;
    const size_t n = c->found->n_column;
    if (!c->wants_covariance) {
        return;
    }
    for (size_t k = 0; k < n * n; k++) {
        if (!isfinite(c->found->solution.covariance[k])) {
            tqa_writer_none(answer, "covariance", "the data do not identify it");
            return;
        }
    }
    tqa_writer_list(answer, "covariance");
    for (size_t k = 0; k < n; k++) {
        tqa_writer_vector(answer, NULL, c->found->solution.covariance + k * n, n);
    }
    tqa_writer_end(answer);
}

static void put_price_of_bodies(const tqa_calibration *c)
{
    tqa_writer *answer = c->tree->answer;
    double price = (double)NAN;
    const size_t k = tqa_calibration_costliest(c, &price);
    tqa_writer_finite(answer, "price_percent", 100.0 * price,
                      "it fits without constraints as well, or exactly");
    if (k == SIZE_MAX) {
        return;
    }
    const tq_estimate *e = &c->found->solution.estimate[k];
    const tq_column *column = &c->found->columns[k];
    char name[TQA_SYMBOL_MAX];
    tqa_column_name(c->tree->robot->model, column, name);
    tqa_writer_object(answer, "costliest");
    tqa_writer_string(answer, "name", name);
    tqa_writer_number(answer, "value", e->value);
    tqa_writer_number(answer, "unconstrained", e->unbound);
    tqa_writer_finite(answer, "deviations", fabs(e->value - e->unbound) / e->deviation,
                      "it has no deviation");
    tqa_writer_string(answer, "unit", tqa_column_unit(c->tree->robot->model, column));
    tqa_writer_end(answer);
}

static void put_trust(const tqa_calibration *c)
{
    const tq_fit_solution *s = &c->found->solution;
    tqa_writer *answer = c->tree->answer;
    tqa_writer_object(answer, "rank");
    tqa_writer_count(answer, "structural", s->structural_rank);
    tqa_writer_count(answer, "data", s->rank);
    tqa_writer_count(answer, "columns", c->found->n_column);
    tqa_writer_end(answer);
    tqa_writer_object(answer, "condition");
    tqa_writer_finite(answer, "unscaled", s->condition, "the data do not identify all parameters");
    tqa_writer_finite(answer, "column_scaled", s->condition_scaled,
                      "the data do not identify all parameters");
    tqa_writer_end(answer);
    put_covariance(c);
    put_unidentifiable(c);
    put_regrouped(c);
    tqa_writer_object(answer, "feasibility");
    tqa_writer_number(answer, "objective", s->objective);
    tqa_writer_finite(answer, "objective_unconstrained", s->objective_unconstrained,
                      "it was not needed");
    tqa_writer_finite(answer, "gap", s->gap, "only a feasible fit has one");
    tqa_writer_finite(answer, "least_eigenvalue", s->least_eigenvalue,
                      "only a feasible fit has one");
    tqa_writer_count(answer, "iterations", s->n_iteration);
    put_price_of_bodies(c);
    tqa_calibration_put_bounds(c);
    tqa_writer_end(answer);
    tqa_writer_list(answer, "sigma");
    for (size_t r = 0; r < c->order.nv; r++) {
        tqa_writer_number(answer, NULL, s->sigma[c->order.v[r]]);
    }
    tqa_writer_end(answer);
}

static void put_verdict(const tqa_calibration *c)
{
    tqa_writer *answer = c->tree->answer;
    tqa_writer_string(answer, "verdict", tq_verdict_slug(c->verdict.verdict));
    tqa_writer_list(answer, "reasons");
    for (size_t k = 0; k < tqa_calibration_reason_count(c); k++) {
        char text[TQA_PROBLEM_TEXT];
        tqa_calibration_reason(c, k, text);
        tqa_writer_string(answer, NULL, text);
    }
    tqa_writer_end(answer);
    tqa_calibration_put_findings(c);
}

/* Torque above the filter's cut-off, by joint. */
static void put_fast(const tqa_calibration *c)
{
    tqa_writer *answer = c->tree->answer;
    const double *value = c->found->solution.value + c->found->n_column;
    tqa_writer_list(answer, "beyond_cutoff");
    for (size_t r = 0; r < c->order.nv; r++) {
        const uint32_t v = c->order.v[r];
        tqa_writer_object(answer, NULL);
        tqa_writer_string(answer, "joint",
                          c->tree->robot->joint_names[tqa_calibration_joint(c, v)]);
        tqa_writer_number(answer, "inertia", value[2 * v]);
        tqa_writer_number(answer, "jerk_gain", value[2 * v + 1]);
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
}

static void put_friction_sign(const tqa_calibration *c)
{
    tqa_writer *answer = c->tree->answer;
    const tq_fit_model *model = &c->chosen.model;
    tqa_writer_object(answer, "friction_sign");
    if (model->smoothing >= 0.0) {
        tqa_writer_number(answer, "smoothing", model->smoothing);
    } else {
        tqa_writer_none(answer, "smoothing", "the joints' own");
    }
    tqa_writer_number(answer, "presliding", model->presliding);
    tqa_writer_number(answer, "relaxation_s", model->presliding > 0.0 ? model->relaxation : 0.0);
    tqa_writer_flag(answer, "from_data", c->chosen.found_sign);
    tqa_writer_end(answer);
}

static void put_logs(const tqa_calibration *c)
{
    tqa_writer *answer = c->tree->answer;
    tqa_writer_list(answer, "datasets");
    for (size_t i = 0; i < c->n_log; i++) {
        tqa_writer_object(answer, NULL);
        tqa_writer_string(answer, "used_for", i < c->n_fitted ? "fit" : "validation");
        if (i < c->n_fitted) {
            const bool in_part =
                c->chosen.is_sampled && tq_recording_is_sampled(&c->logs[i].signal);
            tqa_writer_count(answer, "rows_searched",
                             in_part ? c->logs[i].signal.cache.n : c->logs[i].signal.n_chosen);
        }
        if (c->chosen.model.presliding > 0.0) {
            tqa_writer_string(answer, "friction_way",
                              tq_recording_gives_displacement(&c->logs[i].signal)
                                  ? "velocity"
                                  : "filtered position");
        }
        tqa_calibration_put_own_contacts(c, i);
        tqa_recording_report(answer, &c->logs[i]);
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
    tqa_writer_object(answer, "filter");
    tqa_recording_report_filter(answer, &c->request);
    tqa_writer_end(answer);
    tqa_writer_object(answer, "delay");
    tqa_writer_number(answer, "delay_s", c->request.options.delay);
    tqa_writer_flag(answer, "from_data", c->chosen.found_delay);
    tqa_writer_end(answer);
    put_fast(c);
    put_friction_sign(c);
}

/* the residual; both are in the user's order here */
static void put_residual(const tqa_calibration *c, const tq_identify_series *s)
{
    const size_t nv = c->order.nv;
    const size_t shape[2] = {s->n, nv};
    double *rows = tqa_tree_take(c->tree, s->n * nv + 1, sizeof *rows);
    for (size_t k = 0; rows != NULL && k < s->n * nv; k++) {
        rows[k] = s->measured[k] - s->predicted[k];
    }
    if (rows != NULL) {
        tqa_writer_array(c->tree->answer, "residual", rows, 2, shape);
    }
}

static void put_prediction(const tqa_calibration *c)
{
    tqa_writer *answer = c->tree->answer;
    tqa_writer_list(answer, "prediction");
    for (size_t i = 0; i < c->n_log; i++) {
        const tq_identify_series *s = &c->found->series[i];
        const size_t nv = c->order.nv;
        tqa_writer_object(answer, NULL);
        tqa_writer_string(answer, "name", c->logs[i].name);
        tqa_writer_flag(answer, "used_in_fit",
                        i < c->n_fitted && c->options.validation != TQ_VALIDATE_LEAVE_ONE_OUT);
        tqa_writer_count(answer, "every", (size_t)s->every);
        tqa_writer_vector(answer, "t", s->t, s->n);
        tqa_writer_rows(answer, "tau_measured", s->measured, s->n, false, c->order.v, nv);
        tqa_writer_rows(answer, "tau_predicted", s->predicted, s->n, false, c->order.v, nv);
        put_residual(c, s);
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
}

/* Error of the document's own friction law, where the fit has another. */
static void put_price(const tqa_calibration *c)
{
    tqa_writer *answer = c->tree->answer;
    if (c->found->document == NULL) {
        return;
    }
    tqa_writer_object(answer, "document");
    tqa_writer_list(answer, "by_joint");
    for (size_t i = 0; i < c->order.n_joint; i++) {
        const tq_joint *joint = &c->tree->robot->model->joints[c->order.joints[i]];
        const tq_stand_in_row *row = &c->found->document[joint->v_index];
        if (joint->nv != 1 || !row->is_there) {
            continue;
        }
        tqa_writer_object(answer, NULL);
        tqa_writer_string(answer, "joint", c->tree->robot->joint_names[c->order.joints[i]]);
        tqa_writer_number(answer, "rmse_fit", row->rmse_fit);
        tqa_writer_number(answer, "rmse_document", row->rmse);
        tqa_writer_finite(answer, "price_percent", 100.0 * (row->rmse / row->rmse_fit - 1.0),
                          "the fit leaves nothing");
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
    tqa_writer_end(answer);
}

static void put_output_error(const tqa_calibration *c)
{
    tqa_writer *answer = c->tree->answer;
    const tq_identify_result *found = c->found;
    char name[TQA_SYMBOL_MAX];
    tqa_writer_object(answer, "output_error");
    tqa_writer_count(answer, "simulations", found->output->n_simulation);
    tqa_writer_count(answer, "windows", found->output->n_window);
    tqa_writer_count(answer, "windows_lost", found->output->n_lost);
    if (found->widest > 1.0) {
        tqa_column_name(c->tree->robot->model, &found->columns[found->widest_column], name);
        tqa_writer_object(answer, "widened");
        tqa_writer_number(answer, "most", found->widest);
        tqa_writer_string(answer, "parameter", name);
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
}

static void put_robot(const tqa_calibration *c)
{
    tqa_writer *answer = c->tree->answer;
    if (c->document == NULL) {
        tqa_writer_none(answer, "robot", c->why_no_robot);
        return;
    }
    tqa_json_scan *scan = tqa_tree_take(c->tree, 1, sizeof *scan);
    if (scan == NULL) {
        return; /* the problem is set */
    }
    /* the digest is that of the original robot */
    tqa_writer_document(answer, "robot", "digest", scan, c->document, c->n_document);
    if (c->robot_note != NULL) {
        tqa_writer_string(answer, "robot_note", c->robot_note);
    }
    put_price(c);
}

void tqa_calibration_answer(tqa_calibration *c)
{
    static const char *const kinds[] = {"base", "per-joint"};
    tqa_writer *answer = c->tree->answer;
    put_verdict(c);
    tqa_writer_string(answer, "method", tqa_calibration_method(c));
    tqa_writer_string(answer, "model", c->wants_all ? "full" : kinds[c->chosen.model.kind]);
    tqa_writer_joints(answer, c->tree->robot, &c->order);
    tqa_calibration_put_contacts(c);
    tqa_writer_count(answer, "samples", c->found->solution.n_sample);
    tqa_writer_number(answer, "confidence", c->options.fit.confidence);
    if (tqa_calibration_has_instruments(c)) {
        tqa_writer_object(answer, "instruments");
        tqa_writer_number(answer, "lag_s", c->chosen.lag);
        tqa_writer_count(answer, "lag_samples", c->chosen.lag_samples);
        tqa_writer_end(answer);
    }
    if (c->options.is_output) {
        put_output_error(c);
    }
    put_parameters(c);
    put_trust(c);
    tqa_calibration_put_residuals(c);
    tqa_calibration_put_comparison(c);
    put_forward(c);
    tqa_calibration_put_static_check(c);
    tqa_calibration_put_noise(c);
    tqa_calibration_put_controller(c);
    put_logs(c);
    put_robot(c);
    put_prediction(c);
}
