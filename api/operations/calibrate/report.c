/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/report.c - the report of a calibration as a page for people. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/operations/calibrate/parameter_names.h"
#include "api/operations/calibrate/tables.h"
#include "api/version.h"

enum { LOGS_DRAWN = 4, JOINTS_DRAWN = 12, BAR = 360, BAR_LEFT = 120 };

/* By tq_verdict. */
static const char *const meanings[] = {
    "Every parameter is known to 30 % or too small to matter in the torque, and the torque to 30 % "
    "of its variation: good for simulation and for control that uses the model.",
    "Some parameter or torque is known to no better than 30 to 80 %: for control that is robust "
    "against it.",
    "Some parameter or torque is known to no better than 80 %: the model lacks terms, or the data "
    "are too few.",
    "No body has parameters like these, or the arm would have no inertia in some pose.",
    "The motion leaves some of the parameters open. Those that these data determine may still be "
    "accurate: see each parameter's interval.",
};

/* The cost of the physical constraints, and the duality gap. */
static void put_bodies(tqa_html *page, const tqa_calibration *c)
{
    const tq_fit_solution *s = &c->found->solution;
    const double objective = s->n_active > 0 ? s->objective_unbounded : s->objective;
    if (!(s->least_eigenvalue > 0.0) || !(s->objective_unconstrained > 0.0)) {
        return;
    }
    tqa_html_format(
        page,
        "<p>Every link can be a body of positive density. That raises the sum of squares "
        "by %.2g %%, and no such robot fits better by more than %.1g %% of it.</p>\n",
        fmax(100.0 * (objective / s->objective_unconstrained - 1.0), 0.0),
        fmax(100.0 * s->gap / s->objective, 0.0));
    double price = 0.0;
    const size_t k = tqa_calibration_costliest(c, &price);
    if (k != SIZE_MAX) {
        char name[TQA_SYMBOL_MAX];
        tqa_column_name(c->tree->robot->model, &c->found->columns[k], name);
        tqa_html_format(page,
                        "<p>That is more than 2 %%: most of it by %s, which is %.3g and would be "
                        "%.3g without: see what the robot's file lacks there.</p>\n",
                        name, s->estimate[k].value, s->estimate[k].unbound);
    }
}

static void put_noise(tqa_html *page, const tqa_calibration *c)
{
    char name[TQA_SYMBOL_MAX];
    if (c->found->bias == NULL || !(c->found->bias_worst > 0.0)) {
        return;
    }
    tqa_column_name(c->tree->robot->model, &c->found->columns[c->found->biased], name);
    tqa_html_raw(page, "<p>Noise of position would move least squares by ");
    tqa_html_format(page, "%.2g standard deviations at most (%s by %.2g)%s.</p>\n",
                    c->found->bias_worst, name, c->found->bias[c->found->biased],
                    c->chosen.took_instruments ? ": instruments were taken instead" : "");
}

/* the friction's sign law */
static void put_sign(tqa_html *page, const tqa_calibration *c)
{
    const tq_fit_model *model = &c->chosen.model;
    const char *by = c->chosen.found_sign ? ": selected by the data" : "";
    if (model->presliding > 0.0 && model->relaxation > 0.0) {
        tqa_html_format(page,
                        "<p>Friction: gears yield over %.3g mrad or mm at a reversal before they "
                        "slip, and relax at rest within %.3g s%s.</p>\n",
                        1e3 * model->presliding, model->relaxation, by);
    } else if (model->presliding > 0.0) {
        tqa_html_format(page,
                        "<p>Friction: gears yield over %.3g mrad or mm at a reversal before they "
                        "slip%s.</p>\n",
                        1e3 * model->presliding, by);
    } else if (model->smoothing > 0.0) {
        tqa_html_format(page,
                        "<p>Friction: a sign of velocity, smoothed over %.3g rad/s or m/s%s.</p>\n",
                        model->smoothing, by);
    }
}

static void put_verdict(tqa_html *page, const tqa_calibration *c)
{
    tqa_html_raw(page, "<p class=\"verdict\"><strong>Verdict: ");
    tqa_html_text(page, tq_verdict_slug(c->verdict.verdict));
    tqa_html_raw(page, "</strong></p>\n<p>");
    tqa_html_raw(page, meanings[c->verdict.verdict]);
    tqa_html_raw(page, "</p>\n<ul>");
    for (size_t k = 0; k < tqa_calibration_reason_count(c); k++) {
        char text[TQA_PROBLEM_TEXT];
        tqa_calibration_reason(c, k, text);
        tqa_html_raw(page, "<li>");
        tqa_html_text(page, text);
        tqa_html_raw(page, "</li>\n");
    }
    tqa_html_raw(page, "</ul>\n<p>");
    tqa_html_format(page,
                    "%zu samples of %zu logs; method %s; rank %zu of %zu columns (structural %zu); "
                    "condition %.4g, with columns scaled %.4g.</p>\n",
                    c->found->solution.n_sample, c->n_fitted, tqa_calibration_method(c),
                    c->found->solution.rank, c->found->n_column, c->found->solution.structural_rank,
                    c->found->solution.condition, c->found->solution.condition_scaled);
    put_bodies(page, c);
    tqa_calibration_page_bounds(page, c);
    if (c->request.options.delay != 0.0) {
        tqa_html_format(page, "<p>Position lags torque by %.3g ms.</p>\n",
                        1000.0 * c->request.options.delay);
    }
    put_sign(page, c);
    put_noise(page, c);
}

/* Fills of a bar by grade, legible without colour: full, hatched, dotted, empty; lined: a spread
 * without effect on the torque. */
static const char *const fills[] = {"currentColor", "url(#hatch)", "url(#dots)", "none"};
static const double usable = 0.30;

static void put_band_words(tqa_html *page, const tq_estimate *e, double spread, bool is_harmless)
{
    if (spread >= 9.995) {
        tqa_html_raw(page, "over 999 %, ");
    } else if (isfinite(spread)) {
        tqa_html_format(page, "%.*f %%, ", spread < 0.0995 ? 1 : 0, 100.0 * spread);
    }
    if (is_harmless) {
        tqa_html_format(page, "but %.2g N m: usable</text>", e->effect);
    } else {
        tqa_html_format(page, "%s</text>", tqa_grade_slug(e->grade));
    }
}

/* One bar a parameter, up to 100 %, with lines at 30 and 80 %. */
static void put_bands(tqa_html *page, const tqa_calibration *c)
{
    const unsigned height = (unsigned)(c->found->n_column * 16 + 40);
    tqa_html_raw(
        page, "<h2>Consistency over experiments</h2><p>Sample deviation over the mean, of "
              "each parameter. Below 30 %: usable (full bars); below 80 %: for robust "
              "control (hatched); above: the model lacks terms (dotted). A larger spread "
              "of negligible effect on torque, below its noise, counts as usable (striped).</p>\n");
    tqa_html_format(page,
                    "<svg role=\"img\" viewBox=\"0 0 720 %u\" width=\"720\" height=\"%u\">"
                    "<title>Consistency of each parameter</title><defs>",
                    height, height);
    tqa_html_raw(
        page,
        "<pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><rect width=\"3\" height=\"6\" fill=\"currentColor\"/>"
        "</pattern><pattern id=\"dots\" width=\"5\" height=\"5\" "
        "patternUnits=\"userSpaceOnUse\"><circle cx=\"2\" cy=\"2\" r=\"1.2\" "
        "fill=\"currentColor\"/></pattern><pattern id=\"lines\" width=\"4\" height=\"4\" "
        "patternUnits=\"userSpaceOnUse\"><rect width=\"4\" height=\"1\" fill=\"currentColor\"/>"
        "</pattern></defs>");
    static const double marks[] = {0.0, 0.3, 0.8, 1.0};
    for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++) {
        tqa_html_format(page,
                        "<path class=\"%s\" d=\"M%.1f 18V%u\"/><text x=\"%.1f\" y=\"12\" "
                        "text-anchor=\"middle\">%.0f %%</text>",
                        k == 0 ? "axis" : "grid", (double)BAR_LEFT + (double)BAR * marks[k],
                        height - 14, (double)BAR_LEFT + (double)BAR * marks[k], 100.0 * marks[k]);
    }
    for (size_t k = 0; k < c->found->n_column; k++) {
        const tq_estimate *e = &c->found->solution.estimate[k];
        const double spread = isfinite(e->consistency) ? e->consistency : e->relative;
        const double length = (double)BAR * (isfinite(spread) ? fmin(spread, 1.0) : 1.0);
        char name[TQA_SYMBOL_MAX];
        tqa_column_name(c->tree->robot->model, &c->found->columns[k], name);
        const size_t y = 20 + 16 * k;
        const bool is_harmless = e->grade == TQ_GRADE_USABLE && spread >= usable;
        tqa_html_format(
            page,
            "<text x=\"%d\" y=\"%zu\" text-anchor=\"end\">%s</text><rect x=\"%d\" "
            "y=\"%zu\" width=\"%.1f\" height=\"11\" fill=\"%s\" stroke=\"currentColor\"/>"
            "<text x=\"%.1f\" y=\"%zu\">",
            BAR_LEFT - 6, y + 10, name, BAR_LEFT, y + 1, length,
            is_harmless ? "url(#lines)" : fills[e->grade], (double)BAR_LEFT + length + 6.0, y + 10);
        put_band_words(page, e, spread, is_harmless);
    }
    tqa_html_raw(page, "</svg>\n");
}

/* "kg m^2" as people write it */
static void put_unit(tqa_html *page, const char *unit)
{
    tqa_html_raw(page, "<td class=\"unit\">");
    for (const char *p = unit; *p != '\0'; p++) {
        if (p[0] == '^' && p[1] == '2') {
            tqa_html_raw(page, "&#178;");
            p++;
        } else {
            const char one[2] = {*p, '\0'};
            tqa_html_text(page, one);
        }
    }
    tqa_html_raw(page, "</td>");
}

/* Kind of a column and its link or joint. */
static void put_meaning(tqa_html *page, const tqa_calibration *c, const tq_column *column)
{
    const tqa_robot *robot = c->tree->robot;
    tqa_html_raw(page, "<td class=\"text\">");
    tqa_html_text(page, tqa_column_kind(column));
    tqa_html_raw(page, ", ");
    if (column->kind == TQ_COLUMN_PARAMETER && column->parameter.link != TQ_NONE) {
        tqa_html_text(page, robot->link_names[column->parameter.link]);
    } else if (column->kind == TQ_COLUMN_PARAMETER) {
        tqa_html_text(page, robot->joint_names[column->parameter.joint]);
    } else {
        tqa_html_text(page, robot->joint_names[column->joint]);
        if (column->other != TQ_NONE && column->other != column->joint) {
            tqa_html_raw(page, " and ");
            tqa_html_text(page, robot->joint_names[column->other]);
        }
        if (column->kind == TQ_COLUMN_STRIBECK) {
            tqa_html_format(page, ", below %.3g rad/s or m/s",
                            tq_fit_stribeck_speed(c->found->fit, column->joint));
        }
    }
    tqa_html_raw(page, "</td>");
}

/* not computed with instruments */
static bool has_draws(const tqa_calibration *c)
{
    return c->options.fit.n_bootstrap > 0 && !tqa_calibration_has_instruments(c);
}

static void put_parameter(tqa_html *page, const tqa_calibration *c, size_t k)
{
    const tq_model *model = c->tree->robot->model;
    const tq_estimate *e = &c->found->solution.estimate[k];
    char name[TQA_SYMBOL_MAX];
    tqa_column_name(model, &c->found->columns[k], name);
    tqa_html_raw(page, "<tr><td>");
    tqa_html_text(page, name);
    tqa_html_raw(page, "</td>");
    put_meaning(page, c, &c->found->columns[k]);
    tqa_html_number(page, e->value);
    tqa_html_number(page, e->deviation);
    if (has_draws(c)) {
        tqa_html_number(page, e->bootstrap);
    }
    if (e->relative < 9.995) {
        tqa_html_format(page, "<td>%.*f</td>", e->relative < 0.0995 ? 1 : 0, 100.0 * e->relative);
    } else {
        tqa_html_raw(page, isnan(e->relative) ? "<td></td>" : "<td>&gt; 999</td>");
    }
    tqa_html_number(page, e->low);
    tqa_html_number(page, e->high);
    put_unit(page, tqa_column_unit(model, &c->found->columns[k]));
    tqa_html_number(page, e->effect);
    if (tqa_calibration_has_instruments(c)) {
        tqa_html_number(page, e->least_squares);
    }
    tqa_html_format(page, "<td class=\"unit\">%s</td></tr>\n", tqa_grade_slug(e->grade));
}

/* Base parameters that are combinations of several parameters. */
static void put_combinations(tqa_html *page, const tqa_calibration *c)
{
    const tq_model *model = c->tree->robot->model;
    char *expression = malloc(TQA_EXPRESSION_MAX);
    bool any = false;
    for (size_t k = 0; expression != NULL && c->found->base != NULL && k < c->found->base->n_base;
         k++) {
        char name[TQA_SYMBOL_MAX];
        tqa_column_name(model, &c->found->columns[k], name);
        tqa_parameter_expression(model, c->found->base, c->list, k, expression);
        if (strcmp(name, expression) == 0) {
            continue;
        }
        tqa_html_raw(
            page,
            any ? ""
                : "<h3>Combinations</h3><p>Torque shows some parameters only "
                  "together: such a name above denotes all of</p>\n<div class=\"wide\" tabindex=\"0\"><table>");
        any = true;
        tqa_html_raw(page, "<tr><td>");
        tqa_html_text(page, name);
        tqa_html_raw(page, "</td><td class=\"text\">");
        tqa_html_text(page, expression);
        tqa_html_raw(page, "</td></tr>\n");
    }
    tqa_html_raw(page, any ? "</table></div>\n" : "");
    free(expression);
}

static void put_parameters(tqa_html *page, const tqa_calibration *c)
{
    tqa_html_format(
        page,
        "<h2>Parameters</h2><div class=\"wide\" tabindex=\"0\"><table><caption>With intervals at %.4g %%; effect: RMS "
        "torque of one standard deviation</caption><tr><th>name</th><th>what</th>"
        "<th>value</th><th>deviation</th>%s<th>%%</th><th>from</th><th>to</th><th>unit</th>"
        "<th>effect</th>%s<th>verdict</th></tr>\n",
        100.0 * c->options.fit.confidence, has_draws(c) ? "<th>by draws</th>" : "",
        tqa_calibration_has_instruments(c) ? "<th>least squares</th>" : "");
    for (size_t k = 0; k < c->found->n_column; k++) {
        put_parameter(page, c, k);
    }
    tqa_html_raw(page, "</table></div>\n");
    put_combinations(page, c);
    if (c->found->solution.n_unidentified > 0) {
        tqa_html_raw(page, "<h3>What the motion does not excite</h3><ul>");
        for (size_t k = 0; k < c->found->solution.n_unidentified; k++) {
            char text[TQA_PROBLEM_TEXT];
            tqa_calibration_direction(c, k, text);
            tqa_html_raw(page, "<li>");
            tqa_html_text(page, text);
            tqa_html_raw(page, "</li>\n");
        }
        tqa_html_raw(page, "</ul>\n");
    }
}

static void put_log(tqa_html *page, const tqa_recording *log)
{
    tqa_html_raw(page, "<tr><td>");
    tqa_html_text(page, log->name);
    tqa_html_format(page,
                    "</td><td>%llu</td><td>%llu</td><td>%.4g</td><td class=\"text\">%s</td>"
                    "<td>%llu</td><td class=\"text\">",
                    (unsigned long long)log->signal.n_row, (unsigned long long)log->signal.n_sample,
                    1000.0 * log->signal.period, log->signal.is_even ? "even" : "resampled",
                    (unsigned long long)log->signal.n_rest);
    bool any = false;
    for (tq_repair k = 0; k < TQ_REPAIRS; k++) {
        const tq_repair_count *count = &log->signal.repairs[k];
        if (count->n == 0) {
            continue;
        }
        tqa_html_format(page, "%s%llu %s (row%s", any ? "; " : "", (unsigned long long)count->n,
                        tqa_recording_repair_names[k], count->n > 1 ? "s" : "");
        for (size_t i = 0; i < count->n && i < TQ_REPAIR_ROWS; i++) {
            tqa_html_format(page, "%s %llu", i > 0 ? "," : "", (unsigned long long)count->rows[i]);
        }
        tqa_html_raw(page, count->n > TQ_REPAIR_ROWS ? ", ...)" : ")");
        any = true;
    }
    tqa_html_raw(page, log->cut_last_line ? (any ? "; last line cut off" : "last line cut off")
                       : any              ? ""
                                          : "none");
    tqa_html_raw(page, "</td></tr>\n");
}

/* searches that read a part of a long log */
static void put_part(tqa_html *page, const tqa_calibration *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_fitted; i++) {
        n += tq_recording_is_sampled(&c->logs[i].signal) ? c->logs[i].signal.cache.n
                                                         : (size_t)c->logs[i].signal.n_chosen;
    }
    if (c->request.options.filter.thins) {
        tqa_html_format(page,
                        "<p>One in %zu filtered samples was used: more add no information, "
                        "as five are left a period of the cut-off.</p>\n",
                        c->request.options.filter.decimate);
    }
    if (c->chosen.is_sampled) {
        tqa_html_format(page,
                        "<p>Delay, friction by load, speeds and weights were searched in %zu "
                        "rows, runs spread over the logs; the last fit and all residuals are of "
                        "the whole.</p>\n",
                        n);
    }
}

static void put_logs(tqa_html *page, const tqa_calibration *c)
{
    tqa_html_raw(
        page,
        "<h2>Logs</h2><div class=\"wide\" tabindex=\"0\"><table><caption>Rows count from 0, without the header"
        "</caption><tr><th>log</th><th>rows</th><th>samples</th><th>period ms</th>"
        "<th>clock</th><th>at rest, left out</th><th>repairs</th></tr>\n");
    for (size_t i = 0; i < c->n_log; i++) {
        put_log(page, &c->logs[i]);
    }
    tqa_html_raw(page, "</table></div>\n");
    if (c->request.law != NULL) {
        char note[TQA_CONTROLLER_NOTE];
        tqa_calibration_controller_note(c, note);
        tqa_html_raw(page, "<p>By the controller of the request: ");
        tqa_html_text(page, note);
        tqa_html_raw(page, ".</p>\n");
    }
    put_part(page, c);
    tqa_html_raw(
        page,
        "<div class=\"wide\" tabindex=\"0\"><table><caption>Cut-off against bandwidths: 10 w_BW &lt; w_f "
        "&lt; 0.1 w_noise</caption><tr><th>log</th><th>10 w_BW Hz</th><th>w_f Hz"
        "</th><th>0.1 w_noise Hz</th><th>above motion</th><th>below noise</th>"
        "</tr>\n");
    for (size_t i = 0; i < c->n_log; i++) {
        const tqa_recording *log = &c->logs[i];
        tqa_html_raw(page, "<tr><td>");
        tqa_html_text(page, log->name);
        tqa_html_raw(page, "</td>");
        tqa_html_number(page, 10.0 * log->signal.bandwidth.motion);
        tqa_html_number(page,
                        log->signal.cutoff.cutoff > 0.0 ? log->signal.cutoff.cutoff : (double)NAN);
        tqa_html_number(page, 0.1 * log->signal.bandwidth.noise);
        tqa_html_format(page, "<td class=\"text\">%s</td><td class=\"text\">%s</td></tr>\n",
                        log->signal.cutoff.above_motion ? "yes" : "no",
                        log->signal.cutoff.below_noise ? "yes" : "no");
    }
    tqa_html_raw(page, "</table></div>\n");
}

static void draw_joint(tqa_html *page, const tqa_calibration *c, size_t i, size_t v,
                       double *residual)
{
    const tq_identify_series *s = &c->found->series[i];
    const size_t nv = c->order.nv;
    const bool linear =
        c->tree->robot->model->joints[tqa_calibration_joint(c, v)].kind == TQ_JOINT_PRISMATIC;
    char title[TQA_PROBLEM_TEXT];
    (void)snprintf(title, sizeof title, "%.100s, %.100s", c->logs[i].name,
                   tqa_calibration_joint_name(c, v));
    for (size_t k = 0; k < s->n; k++) {
        residual[k] = s->measured[k * nv + v] - s->predicted[k * nv + v];
    }
    tqa_html_raw(page, "<h4>");
    tqa_html_text(page, title);
    tqa_html_raw(page, "</h4>");
    const char *unit = linear ? "force, N" : "torque, N m";
    tqa_html_draw(page, &(tqa_html_plot){.title = title,
                                         .x_name = "time, s",
                                         .y_name = unit,
                                         .n = s->n,
                                         .n_line = 2,
                                         .x = s->t,
                                         .lines = {{s->measured + v, nv, false, "measured"},
                                                   {s->predicted + v, nv, true, "predicted"}},
                                         .height = 200});
    tqa_html_draw(page, &(tqa_html_plot){.title = title,
                                         .x_name = "time, s",
                                         .y_name = "residual",
                                         .n = s->n,
                                         .n_line = 1,
                                         .x = s->t,
                                         .lines = {{residual, 1, false, NULL}},
                                         .height = 130});
}

static void put_plots(tqa_html *page, const tqa_calibration *c)
{
    size_t most = 1;
    for (size_t i = 0; i < c->n_log; i++) {
        most = c->found->series[i].n > most ? c->found->series[i].n : most;
    }
    double *residual = malloc(most * sizeof *residual);
    const bool unseen = c->options.validation != TQ_VALIDATE_NONE;
    const size_t first = c->options.validation == TQ_VALIDATE_SEPARATE ? c->n_fitted : 0;
    tqa_html_format(page, "<h2>Measured and predicted</h2><p>%s%s</p>\n",
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
    tqa_html page = {0};
    char title[TQA_PROBLEM_TEXT];
    const char *name = c->tree->robot->name;
    (void)snprintf(title, sizeof title, "Calibration of %.200s",
                   name[0] != '\0' ? name : "a robot");
    tqa_html_begin(&page, title);
    put_verdict(&page, c);
    tqa_calibration_page_errors(&page, c);
    tqa_calibration_page_residuals(&page, c);
    tqa_calibration_page_comparison(&page, c);
    tqa_calibration_page_forward(&page, c);
    tqa_calibration_page_static_check(&page, c);
    put_parameters(&page, c);
    put_bands(&page, c);
    if (c->robot_note != NULL || c->why_no_robot != NULL) {
        tqa_html_raw(&page, c->robot_note != NULL ? "<p>The new robot: " : "<p>No new robot: ");
        tqa_html_text(&page, c->robot_note != NULL ? c->robot_note : c->why_no_robot);
        tqa_html_raw(&page, ".</p>\n");
    }
    put_logs(&page, c);
    put_plots(&page, c);
    tqa_html_raw(&page, "<p>torqued " TQA_VERSION ", robot digest ");
    tqa_html_text(&page, c->tree->robot->digest);
    tqa_html_raw(&page, "</p>\n");
    return tqa_html_end(&page, ret_n);
}
