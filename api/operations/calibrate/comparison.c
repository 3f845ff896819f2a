/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/comparison.c - other estimators beside the result, in words. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/operations/calibrate/parameter_names.h"
#include "api/operations/calibrate/tables.h"

static const double price_named = 0.02; /* of the objective */
static const double exact = 1e-9;       /* of |tau|^2 in noise-free data, by sigma */

/* The value of an estimator less that of the fit, in standard deviations; NaN: none. */
static double deviations_off(const tqa_calibration *c, const tq_compared *of, size_t k)
{
    const tq_estimate *e = &c->found->solution.estimate[k];
    return e->deviation > 0.0 ? (of->value[k] - e->value) / e->deviation : (double)NAN;
}

/* Its parameter that differs by the most deviations; SIZE_MAX: none has one. */
static size_t farthest(const tqa_calibration *c, const tq_compared *of)
{
    size_t best = SIZE_MAX;
    double most = 0.0;
    for (size_t k = 0; k < c->found->n_column; k++) {
        const double off = fabs(deviations_off(c, of, k));
        if (isfinite(off) && off > most) {
            most = off;
            best = k;
        }
    }
    return best;
}

size_t tqa_calibration_costliest(const tqa_calibration *c, double *ret_price)
{
    const tq_fit_solution *s = &c->found->solution;
    size_t best = SIZE_MAX;
    double most = 0.0;
    double noise = 0.0;
    for (size_t r = 0; r < c->order.nv; r++) {
        noise = fmax(noise, s->sigma[r]);
    }
    const bool has_both = noise > exact && s->objective_unconstrained > 0.0;
    *ret_price =
        has_both ? fmax(s->objective / s->objective_unconstrained - 1.0, 0.0) : (double)NAN;
    /* what bounds cost has its own place */
    const double of_bodies = has_both && s->n_active > 0
                                 ? s->objective_unbounded / s->objective_unconstrained - 1.0
                                 : *ret_price;
    for (size_t k = 0; of_bodies > price_named && k < s->n_column; k++) {
        const tq_estimate *e = &s->estimate[k];
        const double off = fabs(e->value - e->unbound) / e->deviation;
        if (isfinite(off) && off > most) {
            most = off;
            best = k;
        }
    }
    return best;
}

/* Why an estimator has no result. */
const char *tqa_compared_fault(tq_compared_fault fault)
{
    switch (fault) {
    case TQ_COMPARED_GOOD:
        break;
    case TQ_COMPARED_SHORT:
        return "the logs have too few samples for it: record longer";
    case TQ_COMPARED_MEMORY:
        return "its instruments take more memory than a comparison may: compare with fewer logs, or "
               "a model of fewer terms";
    case TQ_COMPARED_UNSOLVED:
        return "its equations have no solution in these data";
    case TQ_COMPARED_BALLS:
        return "joints of several freedoms are not simulated for instruments";
    case TQ_COMPARED_DIVERGED:
        return "half of the simulated windows and more left all bounds: the model is far from the "
               "logs";
    }
    return "";
}

/* the result's own estimator among those compared, or NULL */
static const tq_compared *find_applied(const tqa_calibration *c)
{
    const char *applied = tqa_calibration_method(c);
    for (size_t k = 0; k < c->found->n_compared; k++) {
        const tq_compared *of = &c->found->compared[k];
        if (strcmp(tqa_estimator_slug(of->estimator), applied) == 0 &&
            of->fault == TQ_COMPARED_GOOD) {
            return of;
        }
    }
    return NULL;
}

static void put_errors(const tqa_calibration *c, const tq_compared *of)
{
    tqa_writer *answer = c->tree->answer;
    const tq_compared *applied = find_applied(c);
    tqa_writer_list(answer, "rmse");
    for (size_t r = 0; r < c->order.nv; r++) {
        tqa_writer_number_or_null(answer, NULL, of->rmse[c->order.v[r]]);
    }
    tqa_writer_end(answer);
    if (applied == NULL) {
        return;
    }
    tqa_writer_list(answer, "rmse_ratio");
    for (size_t r = 0; r < c->order.nv; r++) {
        const size_t v = c->order.v[r];
        tqa_writer_number_or_null(answer, NULL, of->rmse[v] / applied->rmse[v]);
    }
    tqa_writer_end(answer);
}

static void put_feasible(const tqa_calibration *c, const tq_compared *of)
{
    tqa_writer *answer = c->tree->answer;
    char text[TQA_PROBLEM_TEXT];
    tqa_writer_flag(answer, "feasible", of->is_feasible);
    if (of->is_feasible) {
        return;
    }
    if (of->negative != SIZE_MAX) {
        char name[TQA_SYMBOL_MAX];
        tqa_column_name(c->tree->robot->model, &c->found->columns[of->negative], name);
        (void)snprintf(text, sizeof text, "%s is %.3g and must not be negative", name,
                       of->value[of->negative]);
    } else if (of->n_bad > 0) {
        (void)snprintf(text, sizeof text,
                       "the mass matrix is not positive definite at %zu of %zu poses", of->n_bad,
                       of->n_pose);
    } else {
        (void)snprintf(text, sizeof text, "a body has no density that makes it");
    }
    tqa_writer_string(answer, "infeasible_because", text);
}

static void put_values(const tqa_calibration *c, const tq_compared *of)
{
    tqa_writer *answer = c->tree->answer;
    const tq_model *model = c->tree->robot->model;
    const size_t far = farthest(c, of);
    tqa_writer_list(answer, "values");
    for (size_t k = 0; k < c->found->n_column; k++) {
        tqa_writer_number(answer, NULL, of->value[k]);
    }
    tqa_writer_end(answer);
    tqa_writer_list(answer, "deviations");
    for (size_t k = 0; k < c->found->n_column; k++) {
        tqa_writer_number_or_null(answer, NULL, deviations_off(c, of, k));
    }
    tqa_writer_end(answer);
    if (far == SIZE_MAX) {
        return;
    }
    char name[TQA_SYMBOL_MAX];
    tqa_column_name(model, &c->found->columns[far], name);
    tqa_writer_object(answer, "farthest");
    tqa_writer_string(answer, "name", name);
    tqa_writer_number(answer, "value", of->value[far]);
    tqa_writer_number(answer, "applied", c->found->solution.value[far]);
    tqa_writer_number(answer, "deviations", deviations_off(c, of, far));
    tqa_writer_string(answer, "unit", tqa_column_unit(model, &c->found->columns[far]));
    tqa_writer_end(answer);
}

static void put_compared(const tqa_calibration *c, const tq_compared *of)
{
    tqa_writer *answer = c->tree->answer;
    tqa_writer_object(answer, NULL);
    tqa_writer_string(answer, "estimator", tqa_estimator_slug(of->estimator));
    if (of->fault != TQ_COMPARED_GOOD) {
        tqa_writer_string(answer, "reason", tqa_compared_fault(of->fault));
        tqa_writer_end(answer);
        return;
    }
    put_errors(c, of);
    put_feasible(c, of);
    tqa_writer_finite(answer, "condition", of->condition,
                      "the data do not identify all parameters");
    tqa_writer_finite(answer, "price_percent", 100.0 * fmax(of->price, 0.0), "it fits exactly");
    tqa_writer_count(answer, "iterations", of->n_iteration);
    if (of->n_simulation > 0) {
        tqa_writer_count(answer, "simulations", of->n_simulation);
        tqa_writer_count(answer, "windows", of->n_window);
        tqa_writer_count(answer, "windows_lost", of->n_lost);
    }
    put_values(c, of);
    tqa_writer_end(answer);
}

void tqa_calibration_put_comparison(const tqa_calibration *c)
{
    static const char *const judged[] = {[TQ_VALIDATE_NONE] = "fitted",
                                         [TQ_VALIDATE_LEAVE_ONE_OUT] = "leave-one-out",
                                         [TQ_VALIDATE_SEPARATE] = "datasets"};
    tqa_writer *answer = c->tree->answer;
    if (c->options.n_estimator == 0) {
        return;
    }
    if (c->found->is_too_large_to_compare) {
        tqa_writer_none(
            answer, "comparison",
            "it takes more memory than a comparison may: compare fewer estimators, with "
            "fewer logs or a model of fewer terms");
        return;
    }
    tqa_writer_object(answer, "comparison");
    tqa_writer_string(answer, "applied", tqa_calibration_method(c));
    tqa_writer_string(answer, "judged_by", judged[c->options.validation]);
    tqa_writer_list(answer, "estimators");
    for (size_t k = 0; k < c->found->n_compared; k++) {
        put_compared(c, &c->found->compared[k]);
    }
    tqa_writer_end(answer);
    tqa_writer_end(answer);
}

/* ------------------------------------------------------------------------------------------------
 * The report
 */

static void put_cells(tqa_html *page, const tqa_calibration *c, const tq_compared *of)
{
    const size_t far = farthest(c, of);
    char name[TQA_SYMBOL_MAX] = "";
    for (size_t r = 0; r < c->order.nv; r++) {
        tqa_html_number(page, of->rmse[c->order.v[r]]);
    }
    tqa_html_number(page, of->condition);
    tqa_html_raw(page, of->is_feasible ? "<td>yes</td>" : "<td>no</td>");
    if (far == SIZE_MAX) {
        tqa_html_raw(page, "<td></td>");
        return;
    }
    tqa_column_name(c->tree->robot->model, &c->found->columns[far], name);
    tqa_html_raw(page, "<td>");
    tqa_html_text(page, name);
    tqa_html_format(page, " by %.2g</td>", deviations_off(c, of, far));
}

void tqa_calibration_page_comparison(tqa_html *page, const tqa_calibration *c)
{
    if (c->found->n_compared == 0) {
        return;
    }
    tqa_html_raw(page,
                 "<h2>Other estimators</h2><p>The same logs and columns. An error as small as "
                 "that of the result, with values a deviation or two away: both are right, and "
                 "the result stays. One that is smaller on data not seen is worth a second "
                 "look.</p>\n<div class=\"wide\" tabindex=\"0\"><table><caption>RMS of "
                 "unfiltered torque ");
    tqa_html_raw(page, c->options.validation != TQ_VALIDATE_NONE ? "on data not seen" : "fitted");
    tqa_html_raw(page, ", N m or N; the parameter farthest from the result, in its standard "
                       "deviations</caption><tr><th>estimator</th>");
    for (size_t r = 0; r < c->order.nv; r++) {
        tqa_html_raw(page, "<th>");
        tqa_html_text(page, tqa_calibration_joint_name(c, c->order.v[r]));
        tqa_html_raw(page, "</th>");
    }
    tqa_html_raw(page, "<th>condition</th><th>feasible</th><th>farthest</th></tr>\n");
    for (size_t k = 0; k < c->found->n_compared; k++) {
        const tq_compared *of = &c->found->compared[k];
        tqa_html_raw(page, "<tr><td>");
        tqa_html_text(page, tqa_estimator_slug(of->estimator));
        tqa_html_raw(page, "</td>");
        if (of->fault == TQ_COMPARED_GOOD) {
            put_cells(page, c, of);
        } else {
            tqa_html_format(page, "<td colspan=\"%zu\">", c->order.nv + 3);
            tqa_html_text(page, tqa_compared_fault(of->fault));
            tqa_html_raw(page, "</td>");
        }
        tqa_html_raw(page, "</tr>\n");
    }
    tqa_html_raw(page, "</table></div>\n");
}
