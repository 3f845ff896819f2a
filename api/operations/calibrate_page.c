/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate_page.c - the report of a calibration as a page for people. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/operations/calibrate.h"
#include "api/operations/page.h"
#include "api/operations/parameter_names.h"
#include "api/version.h"

enum { LOGS_DRAWN = 4, JOINTS_DRAWN = 12, BAR = 360, BAR_LEFT = 120 };

static const char *joint_name(const tqa_calibration *c, size_t v)
{
    return c->control->robot->joint_names[tqa_calibration_joint(c, v)];
}

/* By tq_verdict. */
static const char *const meanings[] = {
    "Every parameter is known to 30 % or too small to matter in the torque, and the torque to 30 % "
    "of its variation: good for simulation and for control that uses the model.",
    "Some parameter or torque is known to no better than 30 to 80 %: for control that is robust "
    "against it.",
    "Some parameter or torque is known to no better than 80 %: the model lacks terms, or the data "
    "are too few.",
    "No body has parameters like these, or the arm would have no inertia in some pose.",
    "The motion leaves some of the parameters open. What these data do tell may be good all the "
    "same: see each parameter's interval.",
};

static void put_verdict(tqa_page *page, const tqa_calibration *c)
{
    tqa_page_raw(page, "<p class=\"verdict\"><strong>Verdict: ");
    tqa_page_text(page, tq_verdict_slug(c->verdict.verdict));
    tqa_page_raw(page, "</strong></p>\n<p>");
    tqa_page_raw(page, meanings[c->verdict.verdict]);
    tqa_page_raw(page, "</p>\n<ul>");
    for (size_t k = 0; k < tqa_calibration_reason_count(c); k++) {
        char text[TQA_PROBLEM_TEXT];
        tqa_calibration_reason(c, k, text);
        tqa_page_raw(page, "<li>");
        tqa_page_text(page, text);
        tqa_page_raw(page, "</li>\n");
    }
    tqa_page_raw(page, "</ul>\n<p>");
    tqa_page_format(page,
                    "%zu samples of %zu logs; method %s; rank %zu of %zu columns (structural %zu); "
                    "condition %.4g, with columns scaled %.4g.</p>\n",
                    c->solution.n_sample, c->n_fitted, tqa_method_slug(c->options.method),
                    c->solution.rank, c->n_column, c->solution.structural_rank,
                    c->solution.condition, c->solution.condition_scaled);
    if (c->request.delay != 0.0) {
        tqa_page_format(page, "<p>The logs tell of the motion %.3g ms later than of torque.</p>\n",
                        1000.0 * c->request.delay);
    }
}

static void put_judged_cells(tqa_page *page, const tqa_calibrate_judged *judged, size_t v)
{
    for (unsigned part = 0; part < 3; part++) {
        const tq_judged *j = &judged->parts[part][v];
        tqa_page_number(page, j->n_sample > 0 ? j->rmse : (double)NAN);
    }
    const double relative = judged->parts[TQ_JUDGE_ALL][v].relative_error;
    tqa_page_number(page, 100.0 * relative);
}

static void put_errors(tqa_page *page, const tqa_calibration *c)
{
    const bool validated = c->validation != TQA_VALIDATE_NOT;
    tqa_page_raw(page,
                 "<h2>Errors of torque</h2><table><caption>RMS of measured (unfiltered) less "
                 "predicted torque, N m or N; relative: of the torque about its "
                 "mean</caption><tr><th rowspan=\"2\">joint</th><th colspan=\"4\">on the data "
                 "fitted</th>");
    tqa_page_raw(page,
                 validated ? "<th colspan=\"4\">on data not seen</th></tr>\n<tr>" : "</tr>\n<tr>");
    for (unsigned k = 0; k < (validated ? 2u : 1u); k++) {
        tqa_page_raw(page, "<th>all</th><th>moving</th><th>standing</th><th>relative %</th>");
    }
    tqa_page_raw(page, "</tr>\n");
    for (size_t r = 0; r < c->order.nv; r++) {
        const uint32_t v = c->order.v[r];
        tqa_page_raw(page, "<tr><td>");
        tqa_page_text(page, joint_name(c, v));
        tqa_page_raw(page, "</td>");
        put_judged_cells(page, &c->judged_fit, v);
        if (validated) {
            put_judged_cells(page, &c->judged_validation, v);
        }
        tqa_page_raw(page, "</tr>\n");
    }
    tqa_page_raw(page, "</table>\n");
}

static void put_forward(tqa_page *page, const tqa_calibration *c)
{
    const tqa_calibrate_replayed *all = &c->all_replayed;
    if (all->n_window == all->n_lost) {
        return;
    }
    tqa_page_format(page,
                    "<h2>Simulated forward</h2><p>%zu windows of %.3g s: the model is let go from "
                    "the measured state with the measured torque%s. Coasting is a joint that keeps "
                    "the speed the window began with: no model at all.</p>\n",
                    all->n_window, TQA_CALIBRATE_HORIZON,
                    c->validation != TQA_VALIDATE_NOT ? ", by a fit that has not seen the log"
                                                      : "");
    tqa_page_raw(page,
                 "<table><caption>RMS of simulated less measured, over all steps of all windows; "
                 "mrad or mm</caption><tr><th>joint</th><th>position</th><th>rate, per s</th>"
                 "<th>coasting</th><th>of coasting %</th><th>worst</th></tr>\n");
    for (size_t r = 0; r < c->order.nv; r++) {
        const tq_replayed *joint = &all->joints[c->order.v[r]];
        tqa_page_raw(page, "<tr><td>");
        tqa_page_text(page, joint_name(c, c->order.v[r]));
        tqa_page_raw(page, "</td>");
        tqa_page_number(page, 1e3 * joint->rmse_q);
        tqa_page_number(page, 1e3 * joint->rmse_qd);
        tqa_page_number(page, 1e3 * joint->coasting_q);
        tqa_page_number(page, 100.0 * tqa_calibration_drift(joint));
        tqa_page_number(page, 1e3 * joint->worst);
        tqa_page_raw(page, "</tr>\n");
    }
    tqa_page_raw(page, "</table>\n");
    if (all->n_lost > 0) {
        tqa_page_format(page,
                        "<p>%zu windows left all bounds: only their steps until then "
                        "count.</p>\n",
                        all->n_lost);
    }
}

/* Poses against gravity. */
static void put_stand(tqa_page *page, const tqa_calibration *c)
{
    bool unseen = false;
    const tq_stand *stand = tqa_calibration_stand(c, &unseen);
    const size_t n_pose = tq_stand_of(stand, 0).n_pose;
    if (n_pose == 0) {
        return;
    }
    tqa_page_format(page,
                    "<h2>Standing still</h2><p>%zu poses%s. What a joint holds there is gravity, "
                    "and anything within its friction; where it came to one pose from either side, "
                    "the mean of the two is gravity alone.",
                    n_pose, unseen ? ", by a fit that has not seen them" : " of the data fitted");
    const tq_stood_payload body = tq_stand_payload(stand);
    if (isfinite(body.mass)) {
        tqa_page_raw(page, " Beyond the model, ");
        tqa_page_text(page, c->control->robot->link_names[body.link]);
        tqa_page_format(page, " carries %.3g &#177; %.2g kg (one standard deviation).", body.mass,
                        body.deviation);
    }
    tqa_page_raw(page,
                 "</p>\n<table><caption>RMS over poses of measured less predicted torque, friction "
                 "left out, N m or N; outside: poses beyond what friction can hold; off: what lies "
                 "beyond, of the joint's torque</caption><tr><th>joint</th><th>torque</th>"
                 "<th>residual</th><th>worst</th><th>friction</th><th>outside</th><th>pairs</th>"
                 "<th>of pairs</th><th>off %</th></tr>\n");
    for (size_t r = 0; r < c->order.nv; r++) {
        const tq_stood stood = tq_stand_of(stand, c->order.v[r]);
        tqa_page_raw(page, "<tr><td>");
        tqa_page_text(page, joint_name(c, c->order.v[r]));
        tqa_page_raw(page, "</td>");
        tqa_page_number(page, stood.torque);
        tqa_page_number(page, stood.rmse);
        tqa_page_number(page, stood.worst);
        tqa_page_number(page, stood.band);
        tqa_page_format(page, "<td>%zu</td><td>%zu</td>", stood.n_outside, stood.n_pair);
        tqa_page_number(page, stood.pair_rmse);
        tqa_page_number(page, 100.0 * stood.relative);
        tqa_page_raw(page, "</tr>\n");
    }
    tqa_page_raw(page, "</table>\n");
}

/* What a grade looks like without colour: full, hatched, dotted, empty. */
static const char *const fills[] = {"#555", "url(#hatch)", "url(#dots)", "none"};

/* One bar a parameter, up to 100 %, with lines at 30 and 80 %. */
static void put_bands(tqa_page *page, const tqa_calibration *c)
{
    const unsigned height = (unsigned)(c->n_column * 16 + 40);
    tqa_page_raw(page, "<h2>Consistency over experiments</h2><p>Sample deviation over the mean, of "
                       "each parameter. Below 30 %: usable (full bars); below 80 %: for robust "
                       "control (hatched); above: the model lacks terms (dotted). A large spread "
                       "whose torque is below the noise condemns nobody.</p>\n");
    tqa_page_format(page,
                    "<svg role=\"img\" viewBox=\"0 0 720 %u\" width=\"720\" height=\"%u\">"
                    "<title>Consistency of each parameter</title><defs>",
                    height, height);
    tqa_page_raw(page,
                 "<pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
                 "patternTransform=\"rotate(45)\"><rect width=\"3\" height=\"6\" fill=\"#555\"/>"
                 "</pattern><pattern id=\"dots\" width=\"5\" height=\"5\" "
                 "patternUnits=\"userSpaceOnUse\"><circle cx=\"2\" cy=\"2\" r=\"1.2\" "
                 "fill=\"#555\"/></pattern></defs>");
    static const double marks[] = {0.0, 0.3, 0.8, 1.0};
    for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++) {
        tqa_page_format(page,
                        "<path class=\"%s\" d=\"M%.1f 18V%u\"/><text x=\"%.1f\" y=\"12\" "
                        "text-anchor=\"middle\">%.0f %%</text>",
                        k == 0 ? "axis" : "grid", BAR_LEFT + BAR * marks[k], height - 14,
                        BAR_LEFT + BAR * marks[k], 100.0 * marks[k]);
    }
    for (size_t k = 0; k < c->n_column; k++) {
        const tq_estimate *e = &c->solution.estimate[k];
        const double spread = isfinite(e->consistency) ? e->consistency : e->relative;
        const double length = BAR * (isfinite(spread) ? fmin(spread, 1.0) : 1.0);
        char name[TQA_SYMBOL_MAX];
        tqa_column_name(c->control->robot->model, &c->columns[k], name);
        const size_t y = 20 + 16 * k;
        tqa_page_format(page,
                        "<text x=\"%d\" y=\"%zu\" text-anchor=\"end\">%s</text><rect x=\"%d\" "
                        "y=\"%zu\" width=\"%.1f\" height=\"11\" fill=\"%s\" stroke=\"#111\"/>"
                        "<text x=\"%.1f\" y=\"%zu\">",
                        BAR_LEFT - 6, y + 10, name, BAR_LEFT, y + 1, length, fills[e->grade],
                        BAR_LEFT + length + 6.0, y + 10);
        if (isfinite(spread)) {
            tqa_page_format(page, "%.3g %%, ", 100.0 * spread);
        }
        tqa_page_format(page, "%s</text>", tqa_grade_slug(e->grade));
    }
    tqa_page_raw(page, "</svg>\n");
}

/* "kg m^2" as people write it */
static void put_unit(tqa_page *page, const char *unit)
{
    tqa_page_raw(page, "<td class=\"unit\">");
    for (const char *p = unit; *p != '\0'; p++) {
        if (p[0] == '^' && p[1] == '2') {
            tqa_page_raw(page, "&#178;");
            p++;
        } else {
            const char one[2] = {*p, '\0'};
            tqa_page_text(page, one);
        }
    }
    tqa_page_raw(page, "</td>");
}

/* What a column is, and whose. */
static void put_meaning(tqa_page *page, const tqa_calibration *c, const tq_column *column)
{
    const tqa_robot *robot = c->control->robot;
    tqa_page_raw(page, "<td class=\"text\">");
    tqa_page_text(page, tqa_column_kind(column));
    tqa_page_raw(page, ", ");
    if (column->kind == TQ_COLUMN_PARAMETER && column->parameter.link != TQ_NONE) {
        tqa_page_text(page, robot->link_names[column->parameter.link]);
    } else if (column->kind == TQ_COLUMN_PARAMETER) {
        tqa_page_text(page, robot->joint_names[column->parameter.joint]);
    } else {
        tqa_page_text(page, robot->joint_names[column->joint]);
        if (column->other != TQ_NONE && column->other != column->joint) {
            tqa_page_raw(page, " and ");
            tqa_page_text(page, robot->joint_names[column->other]);
        }
    }
    tqa_page_raw(page, "</td>");
}

static void put_parameter(tqa_page *page, const tqa_calibration *c, size_t k)
{
    const tq_model *model = c->control->robot->model;
    const tq_estimate *e = &c->solution.estimate[k];
    char name[TQA_SYMBOL_MAX];
    tqa_column_name(model, &c->columns[k], name);
    tqa_page_raw(page, "<tr><td>");
    tqa_page_text(page, name);
    tqa_page_raw(page, "</td>");
    put_meaning(page, c, &c->columns[k]);
    tqa_page_number(page, e->value);
    tqa_page_number(page, e->deviation);
    tqa_page_number(page, e->low);
    tqa_page_number(page, e->high);
    put_unit(page, tqa_column_unit(model, &c->columns[k]));
    tqa_page_number(page, e->effect);
    if (tqa_calibration_has_instruments(c)) {
        tqa_page_number(page, e->least_squares);
    }
    tqa_page_format(page, "<td class=\"unit\">%s</td></tr>\n", tqa_grade_slug(e->grade));
}

/* Base parameters that are not what their names say alone. */
static void put_combinations(tqa_page *page, const tqa_calibration *c)
{
    const tq_model *model = c->control->robot->model;
    char *expression = malloc(TQA_EXPRESSION_MAX);
    bool any = false;
    for (size_t k = 0; expression != NULL && c->base != NULL && k < c->base->n_base; k++) {
        char name[TQA_SYMBOL_MAX];
        tqa_column_name(model, &c->columns[k], name);
        tqa_parameter_expression(model, c->base, c->list, k, expression);
        if (strcmp(name, expression) == 0) {
            continue;
        }
        tqa_page_raw(page, any ? ""
                               : "<h3>Combinations</h3><p>Torque shows some parameters only "
                                 "together: such a name above stands for all of</p>\n<table>");
        any = true;
        tqa_page_raw(page, "<tr><td>");
        tqa_page_text(page, name);
        tqa_page_raw(page, "</td><td class=\"text\">");
        tqa_page_text(page, expression);
        tqa_page_raw(page, "</td></tr>\n");
    }
    tqa_page_raw(page, any ? "</table>\n" : "");
    free(expression);
}

static void put_parameters(tqa_page *page, const tqa_calibration *c)
{
    tqa_page_format(page,
                    "<h2>Parameters</h2><table><caption>With intervals at %.4g %%; effect: RMS "
                    "torque of one standard deviation</caption><tr><th>name</th><th>what</th>"
                    "<th>value</th><th>deviation</th><th>from</th><th>to</th><th>unit</th>"
                    "<th>effect</th>%s<th>verdict</th></tr>\n",
                    100.0 * c->options.confidence,
                    tqa_calibration_has_instruments(c) ? "<th>least squares</th>" : "");
    for (size_t k = 0; k < c->n_column; k++) {
        put_parameter(page, c, k);
    }
    tqa_page_raw(page, "</table>\n");
    put_combinations(page, c);
    if (c->solution.n_unidentified > 0) {
        tqa_page_raw(page, "<h3>What the motion does not show</h3><ul>");
        for (size_t k = 0; k < c->solution.n_unidentified; k++) {
            char text[TQA_PROBLEM_TEXT];
            tqa_calibration_direction(c, k, text);
            tqa_page_raw(page, "<li>");
            tqa_page_text(page, text);
            tqa_page_raw(page, "</li>\n");
        }
        tqa_page_raw(page, "</ul>\n");
    }
}

static void put_log(tqa_page *page, const tqa_log *log)
{
    tqa_page_raw(page, "<tr><td>");
    tqa_page_text(page, log->name);
    tqa_page_format(page,
                    "</td><td>%llu</td><td>%llu</td><td>%.4g</td><td class=\"text\">%s</td>"
                    "<td>%llu</td><td class=\"text\">",
                    (unsigned long long)log->n_row, (unsigned long long)log->n_sample,
                    1000.0 * log->period, log->is_even ? "even" : "resampled",
                    (unsigned long long)log->n_rest);
    bool any = false;
    for (tqa_log_repair k = 0; k < TQA_LOG_REPAIRS; k++) {
        const tqa_log_count *count = &log->repairs[k];
        if (count->n == 0) {
            continue;
        }
        tqa_page_format(page, "%s%llu %s (row", any ? "; " : "", (unsigned long long)count->n,
                        tqa_log_repair_names[k]);
        for (size_t i = 0; i < count->n && i < TQA_LOG_ROWS_TOLD; i++) {
            tqa_page_format(page, "%s %llu", i > 0 ? "," : "", (unsigned long long)count->rows[i]);
        }
        tqa_page_raw(page, count->n > TQA_LOG_ROWS_TOLD ? ", ...)" : ")");
        any = true;
    }
    tqa_page_raw(page, log->cut_last_line ? (any ? "; last line cut off" : "last line cut off")
                       : any              ? ""
                                          : "none");
    tqa_page_raw(page, "</td></tr>\n");
}

static void put_logs(tqa_page *page, const tqa_calibration *c)
{
    tqa_page_raw(page, "<h2>Logs</h2><table><caption>Rows count from 0, without the header"
                       "</caption><tr><th>log</th><th>rows</th><th>samples</th><th>period ms</th>"
                       "<th>clock</th><th>at rest, left out</th><th>repairs</th></tr>\n");
    for (size_t i = 0; i < c->n_log; i++) {
        put_log(page, &c->logs[i]);
    }
    tqa_page_raw(page, "</table>\n<table><caption>Cut-off against bandwidths: 10 w_BW &lt; w_f "
                       "&lt; 0.1 w_noise</caption><tr><th>log</th><th>10 w_BW Hz</th><th>w_f Hz"
                       "</th><th>0.1 w_noise Hz</th><th>above motion</th><th>below noise</th>"
                       "</tr>\n");
    for (size_t i = 0; i < c->n_log; i++) {
        const tqa_log *log = &c->logs[i];
        tqa_page_raw(page, "<tr><td>");
        tqa_page_text(page, log->name);
        tqa_page_raw(page, "</td>");
        tqa_page_number(page, 10.0 * log->bandwidth.motion);
        tqa_page_number(page, log->cutoff.cutoff > 0.0 ? log->cutoff.cutoff : (double)NAN);
        tqa_page_number(page, 0.1 * log->bandwidth.noise);
        tqa_page_format(page, "<td class=\"text\">%s</td><td class=\"text\">%s</td></tr>\n",
                        log->cutoff.above_motion ? "yes" : "no",
                        log->cutoff.below_noise ? "yes" : "no");
    }
    tqa_page_raw(page, "</table>\n");
}

static void draw_joint(tqa_page *page, const tqa_calibration *c, size_t i, size_t v,
                       double *residual)
{
    const tqa_calibrate_series *s = &c->series[i];
    const size_t nv = c->order.nv;
    const bool linear =
        c->control->robot->model->joints[tqa_calibration_joint(c, v)].kind == TQ_JOINT_PRISMATIC;
    char title[TQA_PROBLEM_TEXT];
    (void)snprintf(title, sizeof title, "%.100s, %.100s", c->logs[i].name, joint_name(c, v));
    for (size_t k = 0; k < s->n; k++) {
        residual[k] = s->measured[k * nv + v] - s->predicted[k * nv + v];
    }
    tqa_page_raw(page, "<h4>");
    tqa_page_text(page, title);
    tqa_page_raw(page, "</h4>");
    const char *unit = linear ? "force, N" : "torque, N m";
    tqa_page_draw(page, &(tqa_page_plot){.title = title,
                                         .x_name = "time, s",
                                         .y_name = unit,
                                         .n = s->n,
                                         .n_line = 2,
                                         .x = s->t,
                                         .lines = {{s->measured + v, nv, false, "measured"},
                                                   {s->predicted + v, nv, true, "predicted"}},
                                         .height = 200});
    tqa_page_draw(page, &(tqa_page_plot){.title = title,
                                         .x_name = "time, s",
                                         .y_name = "residual",
                                         .n = s->n,
                                         .n_line = 1,
                                         .x = s->t,
                                         .lines = {{residual, 1, false, NULL}},
                                         .height = 130});
}

static void put_plots(tqa_page *page, const tqa_calibration *c)
{
    size_t most = 1;
    for (size_t i = 0; i < c->n_log; i++) {
        most = c->series[i].n > most ? c->series[i].n : most;
    }
    double *residual = malloc(most * sizeof *residual);
    const bool unseen = c->validation != TQA_VALIDATE_NOT;
    const size_t first = c->validation == TQA_VALIDATE_LOGS ? c->n_fitted : 0;
    tqa_page_format(page, "<h2>Measured and predicted</h2><p>%s%s</p>\n",
                    unseen ? "Each log is predicted by a fit that has not seen it. "
                           : "The logs that were fitted. ",
                    c->n_log - first > LOGS_DRAWN || c->order.nv > JOINTS_DRAWN
                        ? "The first logs and joints are drawn; the answer has all."
                        : "");
    for (size_t i = first; residual != NULL && i < c->n_log && i < first + LOGS_DRAWN; i++) {
        for (size_t r = 0; r < c->order.nv && r < JOINTS_DRAWN; r++) {
            draw_joint(page, c, i, c->order.v[r], residual);
        }
    }
    free(residual);
}

char *tqa_calibration_page(const tqa_calibration *c, size_t *ret_n)
{
    tqa_page page = {0};
    char title[TQA_PROBLEM_TEXT];
    const char *name = c->control->robot->name;
    (void)snprintf(title, sizeof title, "Calibration of %.200s",
                   name[0] != '\0' ? name : "a robot");
    tqa_page_begin(&page, title);
    put_verdict(&page, c);
    put_errors(&page, c);
    put_forward(&page, c);
    put_stand(&page, c);
    put_parameters(&page, c);
    put_bands(&page, c);
    if (c->robot_note != NULL || c->why_no_robot != NULL) {
        tqa_page_raw(&page, c->robot_note != NULL ? "<p>The new robot: " : "<p>No new robot: ");
        tqa_page_text(&page, c->robot_note != NULL ? c->robot_note : c->why_no_robot);
        tqa_page_raw(&page, ".</p>\n");
    }
    put_logs(&page, c);
    put_plots(&page, c);
    tqa_page_raw(&page, "<p>torqued " TQA_VERSION ", robot digest ");
    tqa_page_text(&page, c->control->robot->digest);
    tqa_page_raw(&page, "</p>\n");
    return tqa_page_end(&page, ret_n);
}

/* ------------------------------------------------------------------------------------------------
 * Parameters for a C program
 */

char *tqa_calibration_header(const tqa_calibration *c, size_t *ret_n)
{
    const tq_model *model = c->control->robot->model;
    tqa_page text = {0};
    tqa_page_raw(&text,
                 "/* Parameters found by torqued " TQA_VERSION ": base parameters stand for "
                 "combinations, which the report spells out. */\n#ifndef ROBOT_PARAMETERS_H\n"
                 "#define ROBOT_PARAMETERS_H\n\n");
    tqa_page_format(&text, "enum { ROBOT_PARAMETER_COUNT = %zu };\n\n", c->n_column);
    tqa_page_raw(&text, "static const char *const robot_parameter_names[] = {\n");
    for (size_t k = 0; k < c->n_column; k++) {
        char name[TQA_SYMBOL_MAX];
        tqa_column_name(model, &c->columns[k], name);
        tqa_page_format(&text, "    \"%s\", /* %s */\n", name,
                        tqa_column_unit(model, &c->columns[k]));
    }
    tqa_page_raw(&text, "};\n\nstatic const double robot_parameters[] = {\n");
    for (size_t k = 0; k < c->n_column; k++) {
        tqa_page_format(&text, "    %.17g,\n",
                        isfinite(c->solution.value[k]) ? c->solution.value[k] : 0.0);
    }
    tqa_page_raw(&text, "};\n\n#endif\n");
    return tqa_json_text_take(&text.text, ret_n);
}
