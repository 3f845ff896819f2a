/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/response/test_html.c - texts of any length in a page, and plots. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/response/html.h"

Test(page, no_text_is_cut)
{
    enum { MOST = 3000 };
    static const size_t lengths[] = {0, 1, 509, 510, 511, 512, 513, 2000, MOST};
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        char text[MOST + 1];
        tqa_html page = {0};
        size_t n = 0;
        memset(text, 'x', lengths[k]);
        text[lengths[k]] = '\0';
        tqa_html_format(&page, "<%s>%d", text, 7);
        char *html = tqa_json_text_take(&page.text, &n);
        cr_assert(html != NULL);
        cr_expect(eq(sz, n, lengths[k] + 3));
        cr_expect(html[0] == '<' && memcmp(html + 1, text, lengths[k]) == 0);
        cr_expect(memcmp(html + 1 + lengths[k], ">7", 2) == 0, "%zu", lengths[k]);
        free(html);
    }
}

static char *draw(const double *x, const double *y, size_t n)
{
    static const tqa_html empty;
    tqa_html page = empty;
    size_t n_text = 0;
    tqa_html_draw(&page, &(tqa_html_plot){.title = "title",
                                          .x_name = "x",
                                          .y_name = "y",
                                          .n = n,
                                          .n_line = 1,
                                          .x = x,
                                          .lines = {{.y = y, .stride = 1}},
                                          .height = 200});
    return tqa_json_text_take(&page.text, &n_text);
}

static size_t times(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++) {
        n++;
    }
    return n;
}

/* tick marks are multiples of 1, 2 or 5 times a power of ten, here four to nine on an axis */
Test(plot, numbers_at_an_axis_are_round)
{
    static const struct {
        double from, to;
        const char *ticks; /* of x */
    } axes[] = {
        {0, 10, "0 2 4 6 8 10"},
        {0, 1, "0 0.2 0.4 0.6 0.8 1"},
        {-3, 4, "-3 -2 -1 0 1 2 3 4"},
        {0, 0.03, "0 0.005 0.01 0.015 0.02 0.025 0.03"},
        {100, 160, "100 110 120 130 140 150 160"},
        {0.5, 17, "2 4 6 8 10 12 14 16"},
        {-45, 0, "-40 -30 -20 -10 0"},
    };
    for (size_t k = 0; k < sizeof axes / sizeof axes[0]; k++) {
        const double x[] = {axes[k].from, axes[k].to};
        char *html = draw(x, x, 2);
        char found[200] = "";
        size_t n = 0;
        for (char *at = html; (at = strstr(at, "\"middle\">")) != NULL;) {
            at += strlen("\"middle\">");
            n += (size_t)snprintf(found + n, sizeof found - n, "%s%.*s", n > 0 ? " " : "",
                                  (int)strcspn(at, "<"), at);
        }
        cr_expect(eq(str, found, (char *)axes[k].ticks));
        free(html);
    }
}

Test(plot, a_line_is_cut_where_time_goes_back_and_where_a_number_is_missing)
{
    const double x[] = {0, 1, 2, 3, 4, 5, 2, 3, 4};
    const double y[] = {0, 1, 2, (double)NAN, 4, 5, 6, 7, 8};
    char *html = draw(x, y, sizeof x / sizeof x[0]);
    char *line = strstr(html, "<path class=\"line\" d=\"");
    cr_assert(line != NULL);
    *strchr(strstr(line, " d=") + 4, '"') = '\0';
    char *strokes = strstr(line, " d=") + 4;
    cr_expect(eq(sz, times(strokes, "M"), 3), "%s", strokes); /* at 0, 4 and the second 2 */
    cr_expect(eq(sz, times(strokes, "L"), 5), "%s", strokes);
    free(html);
}

/* a constant has a scale too: 3 within [2.7, 3.3], 0 within [-1, 1] */
Test(plot, constant_lines_have_an_axis)
{
    static const struct {
        double value;
        const char *tick;
    } lines[] = {{3, ">2.8<"}, {0, ">-0.5<"}};
    for (size_t k = 0; k < 2; k++) {
        const double x[] = {0, 1}, y[] = {lines[k].value, lines[k].value};
        char *html = draw(x, y, 2);
        cr_assert(html != NULL);
        cr_expect(strstr(html, lines[k].tick) != NULL, "%s", html);
        free(html);
    }
}

Test(plot, nothing_to_draw_is_no_picture)
{
    const double x[] = {0, 1}, y[] = {(double)NAN, (double)INFINITY};
    char *html = draw(x, y, 2);
    cr_expect(html == NULL || strstr(html, "<svg") == NULL);
    free(html);
    html = draw(x, x, 0);
    cr_expect(html == NULL || strstr(html, "<svg") == NULL);
    free(html);
}
