/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/html.c - a page for people: self-contained HTML with plots in SVG. */
#include "api/response/html.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/elementary/elementary.h"

enum { WIDTH = 720, LEFT = 62, RIGHT = 12, TOP = 22, BOTTOM = 34, PIECE = 512 };

/* dark where the reader's system is, except on paper */
static const char style[] =
    ":root{color-scheme:light dark;--ink:#111;--paper:#fff;--line:#999;--soft:#eee;--grid:#ccc;"
    "--second:#0a4fa3}@media screen and (prefers-color-scheme:dark){:root{--ink:#e6e8eb;"
    "--paper:#14181d;--line:#6b7682;--soft:#232a32;--grid:#3a434d;--second:#7db4ff}}"
    "body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:64em;padding:0 1em;"
    "color:var(--ink);background:var(--paper);overflow-wrap:anywhere}a{color:var(--second)}"
    "h1{font-size:1.6em}h2{margin-top:2em;border-bottom:1px solid var(--line)}"
    ".wide{overflow-x:auto;overflow-wrap:normal}"
    "table{border-collapse:collapse;margin:1em 0;font-variant-numeric:tabular-nums}"
    "th,td{border:1px solid var(--line);padding:.2em .6em;text-align:right;vertical-align:top}"
    "th:first-child,td:first-child,td.text,td.unit{text-align:left}th{background:var(--soft)}"
    "td{white-space:nowrap}td.text{white-space:normal}th[colspan]{text-align:center}tr+tr th,tr+tr "
    "th:first-child{text-align:right}"
    "caption{text-align:left;padding:.3em 0;font-weight:600}"
    "svg{display:block;max-width:100%;height:auto;margin:.6em 0}svg text{font:11px system-ui,"
    "sans-serif;fill:var(--ink)}.axis{stroke:var(--ink);fill:none}.grid{stroke:var(--grid);"
    "fill:none}.line{stroke:var(--ink);stroke-width:1;fill:none}.dash{stroke:var(--second);"
    "stroke-width:1.8;stroke-dasharray:6 3;fill:none}.verdict{border:2px solid var(--ink);"
    "padding:.6em 1em}@media print{h2{break-after:avoid}svg{break-inside:avoid}}";

void tqa_html_raw(tqa_html *page, const char *html)
{
    tqa_json_text_raw(&page->text, html);
}

void tqa_html_text(tqa_html *page, const char *text)
{
    for (const char *p = text; *p != '\0'; p++) {
        const char *escaped = *p == '&'    ? "&amp;"
                              : *p == '<'  ? "&lt;"
                              : *p == '>'  ? "&gt;"
                              : *p == '"'  ? "&quot;"
                              : *p == '\'' ? "&#39;"
                                           : NULL;
        if (escaped != NULL) {
            tqa_html_raw(page, escaped);
        } else {
            tqa_json_text_bytes(&page->text, p, 1);
        }
    }
}

void tqa_html_format(tqa_html *page, const char *format, ...)
{
    char piece[PIECE];
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    if (n < PIECE) {
        tqa_html_raw(page, piece);
        return;
    }
    char *whole = malloc((size_t)n + 1);
    page->text.failed = page->text.failed || whole == NULL;
    if (whole != NULL) {
        va_start(arguments, format);
        (void)vsnprintf(whole, (size_t)n + 1, format, arguments);
        va_end(arguments);
        tqa_html_raw(page, whole);
    }
    free(whole);
}

void tqa_html_number(tqa_html *page, double x)
{
    if (isfinite(x)) {
        tqa_html_format(page, "<td>%.4g</td>", x);
    } else {
        tqa_html_raw(page, "<td>&ndash;</td>");
    }
}

void tqa_html_begin(tqa_html *page, const char *title)
{
    tqa_html_raw(page, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                       "<meta name=\"viewport\" content=\"width=device-width\"><title>");
    tqa_html_text(page, title);
    tqa_html_raw(page, "</title><style>");
    tqa_html_raw(page, style);
    tqa_html_raw(page, "</style></head><body>\n<h1>");
    tqa_html_text(page, title);
    tqa_html_raw(page, "</h1>\n");
}

char *tqa_html_end(tqa_html *page, size_t *ret_n)
{
    tqa_html_raw(page, "</body></html>\n");
    return tqa_json_text_take(&page->text, ret_n);
}

/* ------------------------------------------------------------------------------------------------
 * Plots
 */

/* a step of 1, 2 or 5 times a power of ten: four to nine of them in the range */
static double tick_step(double range)
{
    const double rough = range / 5.0;
    const double power = tq_pow(10.0, floor(tq_log10(rough)));
    const double rest = rough / power;
    return power * (rest < 1.5 ? 1.0 : rest < 3.5 ? 2.0 : rest < 7.5 ? 5.0 : 10.0);
}

typedef struct scale {
    double least, most; /* of the numbers */
    double from, to;    /* pixels */
} scale;

static double at(const scale *s, double x)
{
    return s->from + (s->to - s->from) * (x - s->least) / (s->most - s->least);
}

static void widen(scale *s)
{
    if (!(s->most - s->least > 1e-9 * (fabs(s->most) + fabs(s->least)) + DBL_MIN)) {
        const double more = s->most != 0.0 ? 0.1 * fabs(s->most) : 1.0;
        s->least -= more;
        s->most += more;
    }
}

/* multiples of the step within the scale; 0 is one of them without a sign */
static int tick_count(const scale *s, double step)
{
    const double n = floor(s->most / step) - ceil(s->least / step) + 1.0;
    return n < 1.0 ? 0 : n > 20.0 ? 20 : (int)n;
}

static void draw_axes(tqa_html *page, const tqa_html_plot *plot, const scale *x, const scale *y)
{
    const double dx = tick_step(x->most - x->least);
    const double dy = tick_step(y->most - y->least);
    const int n_x = tick_count(x, dx);
    const int n_y = tick_count(y, dy);
    for (int k = 0; k < n_x; k++) {
        const double v = (ceil(x->least / dx) + k) * dx + 0.0;
        tqa_html_format(page,
                        "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/><text x=\"%.1f\" y=\"%.1f\" "
                        "text-anchor=\"middle\">%.4g</text>",
                        at(x, v), y->from, y->to, at(x, v), y->from + 14.0, v);
    }
    for (int k = 0; k < n_y; k++) {
        const double v = (ceil(y->least / dy) + k) * dy + 0.0;
        tqa_html_format(page,
                        "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/><text x=\"%.1f\" y=\"%.1f\" "
                        "text-anchor=\"end\">%.4g</text>",
                        x->from, at(y, v), x->to, x->from - 4.0, at(y, v) + 4.0, v);
    }
    tqa_html_format(page, "<path class=\"axis\" d=\"M%.1f %.1fV%.1fH%.1f\"/>", x->from, y->to,
                    y->from, x->to);
    tqa_html_format(page, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", x->to,
                    y->from + 28.0);
    tqa_html_text(page, plot->x_name);
    tqa_html_format(page, "</text><text x=\"4\" y=\"%d\">", TOP - 8);
    tqa_html_text(page, plot->y_name);
    tqa_html_raw(page, "</text>");
}

static void draw_line(tqa_html *page, const tqa_html_plot *plot, const tqa_html_line *line,
                      const scale *x, const scale *y)
{
    tqa_html_format(page, "<path class=\"%s\" d=\"", line->dashed ? "dash" : "line");
    bool is_open = false;
    for (size_t i = 0; i < plot->n; i++) {
        const double v = line->y[i * line->stride];
        if (!isfinite(v)) {
            is_open = false;
            continue;
        }
        /* a jump in time begins a new stroke */
        const bool goes_on = is_open && plot->x[i] >= plot->x[i - 1];
        tqa_html_format(page, "%c%.1f %.1f", goes_on ? 'L' : 'M', at(x, plot->x[i]), at(y, v));
        is_open = true;
    }
    tqa_html_raw(page, "\"/>");
}

static void draw_names(tqa_html *page, const tqa_html_plot *plot)
{
    double left = 240.0;
    for (size_t k = 0; k < plot->n_line; k++) {
        if (plot->lines[k].name == NULL) {
            continue;
        }
        tqa_html_format(page, "<path class=\"%s\" d=\"M%.1f %dh28\"/><text x=\"%.1f\" y=\"%d\">",
                        plot->lines[k].dashed ? "dash" : "line", left, TOP - 12, left + 34.0,
                        TOP - 8);
        tqa_html_text(page, plot->lines[k].name);
        tqa_html_raw(page, "</text>");
        left += 150.0;
    }
}

void tqa_html_draw(tqa_html *page, const tqa_html_plot *plot)
{
    scale x = {(double)INFINITY, -(double)INFINITY, LEFT, WIDTH - RIGHT};
    scale y = {(double)INFINITY, -(double)INFINITY, (double)plot->height - (double)BOTTOM,
               (double)TOP};
    for (size_t i = 0; i < plot->n; i++) {
        x.least = fmin(x.least, plot->x[i]);
        x.most = fmax(x.most, plot->x[i]);
        for (size_t k = 0; k < plot->n_line; k++) {
            const double v = plot->lines[k].y[i * plot->lines[k].stride];
            y.least = isfinite(v) ? fmin(y.least, v) : y.least;
            y.most = isfinite(v) ? fmax(y.most, v) : y.most;
        }
    }
    if (!isfinite(x.least) || !isfinite(y.least)) {
        return;
    }
    widen(&x);
    widen(&y);
    tqa_html_format(page,
                    "<svg role=\"img\" viewBox=\"0 0 %d %u\" width=\"%d\" height=\"%u\"><title>",
                    WIDTH, plot->height, WIDTH, plot->height);
    tqa_html_text(page, plot->title);
    tqa_html_raw(page, "</title>");
    draw_axes(page, plot, &x, &y);
    draw_names(page, plot);
    for (size_t k = 0; k < plot->n_line; k++) {
        draw_line(page, plot, &plot->lines[k], &x, &y);
    }
    tqa_html_raw(page, "</svg>\n");
}
