/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/bounds_answer.c - the bounds that change a fit, and their price: in the
 * answer, the report and a table. */
#include <math.h>
#include <stdio.h>

#include "api/openapi/generated/fields.h"
#include "api/operations/calibrate/tables.h"

static const double exact = 1e9; /* a ratio of objectives: the smaller one is rounding error */

/* What bounds add to the objective of the same fit without, relative to it; NaN: that one is exact.
 */
static double bounds_price(const tqa_calibration *c)
{
    const tq_fit_solution *s = &c->found->solution;
    const double ratio = s->n_active == 0 ? 1.0 : s->objective / s->objective_unbounded;
    return ratio < exact ? fmax(ratio - 1.0, 0.0) : (double)NAN;
}

/* The end as the request has it: the fit widens ranges without an interior. */
static double end_of(const tqa_calibration *c, const tq_active_bound *active)
{
    double end = active->end;
    for (size_t k = 0; k < c->options.fit.n_bound; k++) {
        const tq_link_bounds *b = &c->options.fit.bounds[k];
        const double *range = active->of == 0 ? b->mass : b->com[active->of - 1];
        end = b->link == active->link ? range[active->is_most] : end;
    }
    return end;
}

tqa_calibration_bound tqa_calibration_bound_of(const tqa_calibration *c, size_t k)
{
    static const char *const quantities[] = {TQA_WORDS_CALIBRATE_BOUND_QUANTITY};
    static const char *const ends[] = {TQA_WORDS_CALIBRATE_BOUND_END};
    const tq_active_bound *active = &c->found->solution.active[k];
    return (tqa_calibration_bound){
        .link = c->tree->robot->link_names[active->link],
        .quantity = quantities[active->of],
        .end = ends[active->is_most],
        .unit = active->of == 0 ? "kg" : "m",
        .bound = end_of(c, active),
        .value = active->value,
        .without = active->without,
        .price = 100.0 * bounds_price(c) * active->share,
    };
}

void tqa_calibration_put_bounds(const tqa_calibration *c)
{
    static const char *const why_none = "without them the logs are fitted exactly";
    tqa_writer *answer = c->tree->answer;
    if (!c->has_bounds) {
        return;
    }
    tqa_writer_object(answer, "bounds");
    tqa_writer_finite(answer, "price_percent", 100.0 * bounds_price(c), why_none);
    tqa_writer_list(answer, "active");
    for (size_t k = 0; k < c->found->solution.n_active; k++) {
        const tqa_calibration_bound bound = tqa_calibration_bound_of(c, k);
        tqa_writer_object(answer, NULL);
        tqa_writer_string(answer, "link", bound.link);
        tqa_writer_string(answer, "quantity", bound.quantity);
        tqa_writer_string(answer, "end", bound.end);
        tqa_writer_number(answer, "bound", bound.bound);
        tqa_writer_number(answer, "value", bound.value);
        tqa_writer_number(answer, "without_bounds", bound.without);
        tqa_writer_finite(answer, "price_percent", bound.price, why_none);
        tqa_writer_string(answer, "unit", bound.unit);
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
    tqa_writer_end(answer);
}

void tqa_calibration_bound_reason(const tqa_calibration *c, const tq_reason *reason,
                                  char text[TQA_PROBLEM_TEXT])
{
    const tqa_calibration_bound bound = tqa_calibration_bound_of(c, reason->index);
    char price[64] = "which they fit exactly without";
    if (1.0 + reason->value < exact) {
        (void)snprintf(price, sizeof price, "which multiply the sum of squares by %.3g",
                       1.0 + reason->value);
    }
    (void)snprintf(text, TQA_PROBLEM_TEXT,
                   "the logs contradict the bounds, %s: most by %s of \"%.64s\", %s %.4g %s and "
                   "%.4g without",
                   price, bound.quantity, bound.link, bound.end, bound.bound, bound.unit,
                   bound.without);
}

void tqa_calibration_page_bounds(tqa_html *page, const tqa_calibration *c)
{
    const double price = 100.0 * bounds_price(c);
    if (!c->has_bounds) {
        return;
    }
    if (c->found->solution.n_active == 0) {
        tqa_html_raw(page, "<p>The bounds of masses and centres change nothing.</p>\n");
        return;
    }
    if (isfinite(price)) {
        tqa_html_format(page,
                        "<p>The bounds of masses and centres raise the sum of squares by %.2g "
                        "%%.</p>\n",
                        price);
    }
    tqa_html_raw(page, "<div class=\"wide\" tabindex=\"0\"><table><caption>Bounds that change the "
                       "fit, and the part of each in that</caption><tr><th>link</th><th>what</th>"
                       "<th>end</th><th>bound</th><th>value</th><th>without bounds</th>"
                       "<th>price %</th><th>unit</th></tr>\n");
    for (size_t k = 0; k < c->found->solution.n_active; k++) {
        const tqa_calibration_bound bound = tqa_calibration_bound_of(c, k);
        tqa_html_raw(page, "<tr><td>");
        tqa_html_text(page, bound.link);
        tqa_html_format(page, "</td><td>%s</td><td>%s</td>", bound.quantity, bound.end);
        tqa_html_number(page, bound.bound);
        tqa_html_number(page, bound.value);
        tqa_html_number(page, bound.without);
        tqa_html_number(page, bound.price);
        tqa_html_format(page, "<td class=\"unit\">%s</td></tr>\n", bound.unit);
    }
    tqa_html_raw(page, "</table></div>\n");
}
