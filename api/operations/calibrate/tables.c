/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/tables.c - tables of a calibration's report, a row for each joint. */
#include "api/operations/calibrate/tables.h"

#include <math.h>

const char *tqa_calibration_joint_name(const tqa_calibration *c, size_t v)
{
    return c->tree->robot->joint_names[tqa_calibration_joint(c, v)];
}

static void put_judged_cells(tqa_html *page, const tq_identify_residuals *judged, size_t v)
{
    for (unsigned part = 0; part < 3; part++) {
        const tq_residual_stats *j = &judged->parts[part][v];
        tqa_html_number(page, j->n_sample > 0 ? j->rmse : (double)NAN);
    }
    const double relative = judged->parts[TQ_RESIDUALS_ALL][v].relative_error;
    tqa_html_number(page, 100.0 * relative);
}

static bool has_unmoved(const tqa_calibration *c)
{
    for (size_t v = 0; v < c->order.nv; v++) {
        if (c->found->validated.parts[TQ_RESIDUALS_MOVING][v].n_sample == 0) {
            return c->options.validation != TQ_VALIDATE_NONE;
        }
    }
    return false;
}

void tqa_calibration_page_errors(tqa_html *page, const tqa_calibration *c)
{
    const bool validated = c->options.validation != TQ_VALIDATE_NONE;
    tqa_html_raw(
        page,
        "<h2>Errors of torque</h2><div class=\"wide\" tabindex=\"0\"><table><caption>RMS of measured (unfiltered) less "
        "predicted torque, N m or N; relative: of the torque about its "
        "mean</caption><tr><th rowspan=\"2\">joint</th><th colspan=\"4\">on the data "
        "fitted</th>");
    tqa_html_raw(page,
                 validated ? "<th colspan=\"4\">on data not seen</th></tr>\n<tr>" : "</tr>\n<tr>");
    for (unsigned k = 0; k < (validated ? 2u : 1u); k++) {
        tqa_html_raw(page, "<th>all</th><th>moving</th><th>standing</th><th>relative %</th>");
    }
    tqa_html_raw(page, "</tr>\n");
    for (size_t r = 0; r < c->order.nv; r++) {
        const uint32_t v = c->order.v[r];
        tqa_html_raw(page, "<tr><td>");
        tqa_html_text(page, tqa_calibration_joint_name(c, v));
        tqa_html_raw(page, "</td>");
        put_judged_cells(page, &c->found->fitted, v);
        if (validated) {
            put_judged_cells(page, &c->found->validated, v);
        }
        tqa_html_raw(page, "</tr>\n");
    }
    tqa_html_raw(page, "</table></div>\n");
    if (has_unmoved(c)) {
        tqa_html_raw(page,
                     "<p>A joint at rest can hold anything within its friction: where data do "
                     "not move it, see how the poses hold, not these errors.</p>\n");
    }
}

/* Whiteness of the residuals, and terms that would explain them. */
void tqa_calibration_page_residuals(tqa_html *page, const tqa_calibration *c)
{
    const tq_identify_residuals *judged =
        c->options.validation != TQ_VALIDATE_NONE ? &c->found->validated : &c->found->fitted;
    double white = 0.0;
    for (size_t v = 0; v < c->order.nv; v++) {
        white = fmax(white, tq_residual_white(&judged->parts[TQ_RESIDUALS_ALL][v]));
    }
    tqa_html_format(
        page,
        "<h3>What is left</h3><p>White noise has autocorrelations within "
        "&#177;%.2g; larger ones are errors of the model that stay the same for a while, "
        "which is why deviations here come from experiments or stretches of time left "
        "out. ",
        white);
    tqa_html_raw(
        page,
        "What terms that the model may lack would take of the square: above 10 % it "
        "is stated with the verdict.</p>\n<div class=\"wide\" tabindex=\"0\"><table><caption>Residual of the unfiltered "
        "torque on data ");
    tqa_html_raw(page, judged == &c->found->fitted ? "fitted" : "not seen");
    tqa_html_raw(
        page, "</caption><tr><th rowspan=\"2\">joint</th><th colspan=\"2\">autocorrelation "
              "after</th><th colspan=\"3\">explained % by</th></tr>\n<tr><th>1 sample</th><th>10 "
              "samples</th><th>slow friction</th><th>load</th><th>position</th></tr>\n");
    for (size_t r = 0; r < c->order.nv; r++) {
        const tq_residual_stats *j = &judged->parts[TQ_RESIDUALS_ALL][c->order.v[r]];
        tqa_html_raw(page, "<tr><td>");
        tqa_html_text(page, tqa_calibration_joint_name(c, c->order.v[r]));
        tqa_html_format(page,
                        "</td><td>%.2f</td><td>%.2f</td><td>%.1f</td><td>%.1f</td><td>%.1f</td>"
                        "</tr>\n",
                        j->lag_one, j->lag_ten, 100.0 * j->by_slowness, 100.0 * j->by_load,
                        100.0 * j->by_position);
    }
    tqa_html_raw(page, "</table></div>\n");
}

void tqa_calibration_page_forward(tqa_html *page, const tqa_calibration *c)
{
    static const char *const by_whom[] = {"", ", by a fit that has not seen the log",
                                          ", along the logs fitted as well"};
    const tq_identify_rollouts *all = &c->found->all_rollouts;
    if (all->n_window == all->n_lost) {
        return;
    }
    tqa_html_format(page,
                    "<h2>Simulated forward</h2><p>%zu windows of %.3g s: the model is let go from "
                    "the measured state with the measured torque%s. Coasting is a joint that keeps "
                    "the speed the window began with: no model at all.%s</p>\n",
                    all->n_window, TQ_IDENTIFY_HORIZON, by_whom[c->options.validation],
                    tqa_calibration_yields(c)
                        ? " Gears that yield before they slip are not simulated: a smoothed sign "
                          "of velocity replaces them."
                        : "");
    tqa_html_raw(
        page,
        "<div class=\"wide\" tabindex=\"0\"><table><caption>RMS of simulated less measured, over all steps of all windows; "
        "mrad or mm</caption><tr><th>joint</th><th>position</th><th>rate, per s</th>"
        "<th>coasting</th><th>of coasting %</th><th>worst</th></tr>\n");
    for (size_t r = 0; r < c->order.nv; r++) {
        const tq_rollout_error *joint = &all->joints[c->order.v[r]];
        tqa_html_raw(page, "<tr><td>");
        tqa_html_text(page, tqa_calibration_joint_name(c, c->order.v[r]));
        tqa_html_raw(page, "</td>");
        tqa_html_number(page, 1e3 * joint->rmse_q);
        tqa_html_number(page, 1e3 * joint->rmse_qd);
        tqa_html_number(page, 1e3 * joint->coasting_q);
        tqa_html_number(page, 100.0 * tq_rollout_drift(joint));
        tqa_html_number(page, 1e3 * joint->worst);
        tqa_html_raw(page, "</tr>\n");
    }
    tqa_html_raw(page, "</table></div>\n");
    if (all->n_lost > 0) {
        tqa_html_format(page,
                        "<p>%zu windows left all bounds: only their steps until then "
                        "count.</p>\n",
                        all->n_lost);
    }
}

/* The static check. */
void tqa_calibration_page_static_check(tqa_html *page, const tqa_calibration *c)
{
    const tq_static_check *check = c->found->static_check;
    const size_t n_pose = tq_static_check_of(check, 0).n_pose;
    if (n_pose == 0) {
        return;
    }
    tqa_html_format(page,
                    "<h2>Standing still</h2><p>%zu poses%s. What a joint holds there is gravity, "
                    "and anything within its friction; where it came to one pose from either side, "
                    "the mean of the two is gravity alone.",
                    n_pose,
                    c->found->static_check_unseen ? ", by a fit that has not seen them"
                                                  : " of the data fitted");
    const tq_static_residual_payload body = tq_static_check_payload(check);
    if (isfinite(body.mass)) {
        tqa_html_raw(page, " Beyond the model, ");
        tqa_html_text(page, c->tree->robot->link_names[body.link]);
        tqa_html_format(page, " carries %.3g &#177; %.2g kg (one standard deviation).", body.mass,
                        body.deviation);
    }
    tqa_html_raw(
        page,
        "</p>\n<div class=\"wide\" tabindex=\"0\"><table><caption>RMS over poses of measured less predicted torque, friction "
        "left out, N m or N; outside: poses beyond what friction can hold; off: what lies "
        "beyond, of the joint's torque</caption><tr><th>joint</th><th>torque</th>"
        "<th>residual</th><th>worst</th><th>friction</th><th>outside</th><th>pairs</th>"
        "<th>of pairs</th><th>off %</th></tr>\n");
    for (size_t r = 0; r < c->order.nv; r++) {
        const tq_static_residual residual = tq_static_check_of(check, c->order.v[r]);
        tqa_html_raw(page, "<tr><td>");
        tqa_html_text(page, tqa_calibration_joint_name(c, c->order.v[r]));
        tqa_html_raw(page, "</td>");
        tqa_html_number(page, residual.torque);
        tqa_html_number(page, residual.rmse);
        tqa_html_number(page, residual.worst);
        tqa_html_number(page, residual.band);
        tqa_html_format(page, "<td>%zu</td><td>%zu</td>", residual.n_outside, residual.n_pair);
        tqa_html_number(page, residual.pair_rmse);
        tqa_html_number(page, 100.0 * residual.relative);
        tqa_html_raw(page, "</tr>\n");
    }
    tqa_html_raw(page, "</table></div>\n");
}
