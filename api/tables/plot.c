/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/plot.c - series over time as SVG: panels, axes, lines, legend. */
#include "api/tables/plot.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/json/text.h"
#include "core/elementary/elementary.h"

enum {
    WIDTH = 800,
    LEFT = 76,
    RIGHT = 600, /* the legend is beyond it */
    HEAD = 40,
    PANEL = 200, /* of them the title and the figures of the abscissa below */
    ABOVE = 24,
    BELOW = 34,
    COLOURS = 8,
    LINE = 14, /* of the legend */
};

typedef struct scale {
    double least, most; /* of the data, with a margin */
    double from, to;    /* pixels */
} scale;

typedef struct panel {
    const tqa_plot_series *first;
    size_t n, n_left_out;
} panel;

/* ---------------------------------------------------------------------------------------- text */

/* Okabe and Ito's colours, which differ for the colour-blind, darker on white */
static const char style[] =
    "<style>svg{background:#fff;color:#1b1f24;font:11px system-ui,sans-serif;max-width:100%;"
    "height:auto}text{fill:currentColor}.t{font-size:15px;font-weight:600}.p{font-size:12px;"
    "font-weight:600}.a{stroke:currentColor;fill:none}.g{stroke:currentColor;opacity:.15}"
    "polyline,.k{fill:none;stroke-width:1.4;stroke-linejoin:round}.d{stroke-dasharray:5 3}"
    ".c0{stroke:#0072b2}.c1{stroke:#c04e00}.c2{stroke:#00845f}.c3{stroke:#b0457e}.c4{stroke:"
    "#7a6a00}.c5{stroke:#3a7fb5}.c6{stroke:#9a3324}.c7{stroke:#555}"
    "@media(prefers-color-scheme:dark){svg{background:#14171c;color:#e6e8eb}.c0{stroke:#56b4e9}"
    ".c1{stroke:#e69f00}.c2{stroke:#2fc99a}.c3{stroke:#e58fbd}.c4{stroke:#f0e442}.c5{stroke:"
    "#9fc8ee}.c6{stroke:#ff8f73}.c7{stroke:#b9bec6}}</style>";

static void put(tqa_json_text *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(tqa_json_text *to, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    tqa_json_text_bytes(to, line, n > 0 && (size_t)n < sizeof line ? (size_t)n : 0);
}

/* Escaped; bytes that XML does not take become "?". */
static void put_text(tqa_json_text *to, const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++) {
        const char *entity = *p == '<'                 ? "&lt;"
                             : *p == '>'               ? "&gt;"
                             : *p == '&'               ? "&amp;"
                             : *p == '"'               ? "&quot;"
                             : *p < 0x20 || *p == 0x7f ? "?"
                                                       : NULL;
        if (entity != NULL) {
            tqa_json_text_raw(to, entity);
        } else {
            tqa_json_text_bytes(to, p, 1);
        }
    }
}

/* --------------------------------------------------------------------------------------- names */

static void copy(const char *from, size_t n, char ret[TQA_PLOT_NAME])
{
    n = n < TQA_PLOT_NAME ? n : TQA_PLOT_NAME - 1;
    while (n > 0 && ((unsigned char)from[n] & 0xc0) == 0x80) {
        n--; /* not inside of a character */
    }
    memcpy(ret, from, n);
    ret[n] = '\0';
}

void tqa_plot_name(const char *column, tqa_plot_series *ret)
{
    size_t n = strlen(column);
    size_t end = n;
    while (end > 0 && column[end - 1] >= '0' && column[end - 1] <= '9') {
        end--;
    }
    const size_t stem = end > 1 && column[end - 1] == '_' ? end - 1 : end;
    copy(column, stem > 0 ? stem : n, ret->group);
    copy(column, n, ret->name);
}

const tqa_plot_series *tqa_plot_time(const tqa_plot_series *series, size_t n)
{
    static const char *const names[] = {"t",     "time",      "time_s", "t_s",
                                        "log.t", "timestamp", "seconds"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        for (size_t i = 0; i < n; i++) {
            if (strcmp(series[i].name, names[k]) == 0) {
                return &series[i];
            }
        }
    }
    return NULL;
}

/* the unit of an array that operations answer with; "": not known */
static const char *unit_of(const char *group, bool in_degrees)
{
    static const char *const units[][3] = {
        {"q", "rad or m", "deg or m"},
        {"qd", "rad/s or m/s", "deg/s or m/s"},
        {"qdd", "rad/s² or m/s²", "deg/s² or m/s²"},
        {"tau", "N m or N", "N m or N"},
        {"gravity_torque", "N m or N", "N m or N"},
        {"kinetic_energy", "J", "J"},
        {"potential_energy", "J", "J"},
        {"energy", "J", "J"},
    };
    for (size_t k = 0; k < sizeof units / sizeof units[0]; k++) {
        if (strcmp(group, units[k][0]) == 0) {
            return units[k][in_degrees ? 2 : 1];
        }
    }
    return "";
}

/* ---------------------------------------------------------------------------------------- axes */

static double at(const scale *s, double x)
{
    return s->from + (x - s->least) / (s->most - s->least) * (s->to - s->from);
}

/* about five of 1, 2 or 5 times a power of ten */
static double tick_of(const scale *s)
{
    const double raw = (s->most - s->least) / 5.0;
    const double power = tq_pow(10.0, floor(tq_log10(raw)));
    const double lead = raw / power;
    return (lead < 1.5 ? 1.0 : lead < 3.5 ? 2.0 : lead < 7.5 ? 5.0 : 10.0) * power;
}

static void widen(scale *s, double part)
{
    const double span = s->most - s->least;
    const double size = fmax(fabs(s->least), fabs(s->most));
    /* a constant, to rounding */
    const double margin = span > 1e-12 * size && span > 0.0 ? part * span : fmax(0.5 * size, 1e-9);
    s->least -= margin;
    s->most += margin;
}

static bool range_of(const tqa_plot *plot, const tqa_plot_series *series, size_t n, scale *s)
{
    s->least = (double)INFINITY;
    s->most = -(double)INFINITY;
    for (size_t i = 0; i < n; i++) {
        for (size_t b = 0; b < plot->n_bucket; b++) {
            const double low = series[i].least[b * plot->stride];
            const double high = series[i].most[b * plot->stride];
            if (low <= high && fabs(low) < 1e300 && fabs(high) < 1e300) {
                s->least = fmin(s->least, low);
                s->most = fmax(s->most, high);
            }
        }
    }
    return s->least <= s->most;
}

static void draw_axes(tqa_json_text *to, const scale *x, const scale *y)
{
    const double step[2] = {tick_of(x), tick_of(y)};
    for (long k = (long)ceil(y->least / step[1]); (double)k * step[1] <= y->most; k++) {
        const double v = (double)k * step[1] + 0.0;
        put(to, "<path class=\"g\" d=\"M%d %.1fH%d\"/>", LEFT, at(y, v), RIGHT);
        put(to, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>", LEFT - 6,
            at(y, v) + 4.0, v);
    }
    for (long k = (long)ceil(x->least / step[0]); (double)k * step[0] <= x->most; k++) {
        const double v = (double)k * step[0] + 0.0;
        put(to, "<path class=\"g\" d=\"M%.1f %.1fV%.1f\"/>", at(x, v), y->from, y->to);
        put(to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.6g</text>", at(x, v),
            y->from + 14.0, v);
    }
    put(to, "<path class=\"a\" d=\"M%d %.1fV%.1fH%d\"/>", LEFT, y->to, y->from, RIGHT);
}

/* --------------------------------------------------------------------------------------- lines */

/* of the row `row` of bucket b: time runs evenly between its own two ends there */
static double abscissa(const tqa_plot *plot, size_t b, double row)
{
    const tqa_plot_series *t = plot->over;
    const size_t i = b * plot->stride;
    if (t == NULL) {
        return plot->first_row + (double)b * plot->rows_per_bucket + row;
    }
    const double apart = t->most_at[i] - t->least_at[i];
    const double part = apart != 0.0 ? (row - t->least_at[i]) / apart : 0.0;
    return t->least[i] + part * (t->most[i] - t->least[i]);
}

/* Both ends of every bucket where they are, in the order of rows; a gap where there is none. The
 * line does not go back: t may not be even within a bucket. */
static void draw_line(tqa_json_text *to, const tqa_plot *plot, const tqa_plot_series *series,
                      size_t k, const scale *x, const scale *y)
{
    const char *dashed = k / COLOURS % 2 == 1 ? " d" : "";
    bool is_open = false;
    double last = -(double)INFINITY;
    for (size_t b = 0; b < plot->n_bucket; b++) {
        const size_t i = b * plot->stride;
        const double low = series->least[i], high = series->most[i];
        const bool up = series->least_at[i] <= series->most_at[i];
        const double first = up ? series->least_at[i] : series->most_at[i];
        const double second = up ? series->most_at[i] : series->least_at[i];
        const double when = abscissa(plot, b, first), later = abscissa(plot, b, second);
        const bool is_there = low <= high && fabs(low) < 1e300 && fabs(high) < 1e300 &&
                              isfinite(when) && isfinite(later);
        if (is_there && !is_open) {
            put(to, "<polyline class=\"c%zu%s\" points=\"", k % COLOURS, dashed);
        } else if (!is_there && is_open) {
            put(to, "\"/>");
        }
        if (is_there) {
            last = is_open ? fmax(last, when) : when;
            put(to, "%s%.2f,%.2f", is_open ? " " : "", at(x, last), at(y, up ? low : high));
            if (high > low) {
                last = fmax(last, later);
                put(to, " %.2f,%.2f", at(x, last), at(y, up ? high : low));
            }
        }
        is_open = is_there;
    }
    if (is_open) {
        put(to, "\"/>");
    }
}

static void draw_legend(tqa_json_text *to, const panel *p, double top)
{
    for (size_t k = 0; k < p->n; k++) {
        const double y = top + (double)LINE * (double)k + 4.0;
        put(to, "<path class=\"k c%zu%s\" d=\"M%d %.1fh18\"/>", k % COLOURS,
            k / COLOURS % 2 == 1 ? " d" : "", RIGHT + 12, y);
        put(to, "<text x=\"%d\" y=\"%.1f\">", RIGHT + 36, y + 4.0);
        put_text(to, p->first[k].name);
        put(to, "</text>");
    }
    if (p->n_left_out > 0) {
        put(to, "<text x=\"%d\" y=\"%.1f\">and %zu more</text>", RIGHT + 12,
            top + (double)LINE * (double)p->n + 8.0, p->n_left_out);
    }
}

static double panel_height(const panel *p)
{
    const double lines = (double)LINE * (double)(p->n + (p->n_left_out > 0 ? 1 : 0));
    return fmax((double)PANEL, ABOVE + BELOW + lines);
}

static void draw_panel(tqa_json_text *to, const tqa_plot *plot, const panel *p, const scale *x,
                       double top)
{
    scale y = {.from = top + panel_height(p) - (double)BELOW, .to = top + (double)ABOVE};
    const char *unit = unit_of(p->first->group, plot->in_degrees);
    put(to, "<g><text class=\"p\" x=\"%d\" y=\"%.1f\">", LEFT, top + 14.0);
    put_text(to, p->first->group);
    put(to, "%s%s%s</text>", unit[0] != '\0' ? " [" : "", unit, unit[0] != '\0' ? "]" : "");
    if (range_of(plot, p->first, p->n, &y)) {
        widen(&y, 0.04);
        draw_axes(to, x, &y);
        for (size_t k = 0; k < p->n; k++) {
            draw_line(to, plot, &p->first[k], k, x, &y);
        }
    }
    draw_legend(to, p, top + (double)ABOVE);
    put(to, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text></g>", RIGHT, y.from + 28.0,
        plot->over != NULL ? "t [s]" : "row");
}

/* ------------------------------------------------------------------------------------- picture */

/* neighbours of one group; the abscissa is none of them */
static size_t panels_of(const tqa_plot *plot, panel *panels, size_t *ret_left_out)
{
    size_t n = 0;
    *ret_left_out = 0;
    for (size_t i = 0; i < plot->n_series;) {
        const tqa_plot_series *first = &plot->series[i];
        size_t count = 0;
        while (i < plot->n_series && strcmp(plot->series[i].group, first->group) == 0 &&
               &plot->series[i] != plot->over) {
            i++;
            count++;
        }
        if (count == 0) {
            i++; /* the abscissa */
        } else if (n == TQA_PLOT_PANELS_MAX) {
            *ret_left_out += count;
        } else {
            const size_t most = TQA_PLOT_LINES_MAX;
            panels[n] = (panel){.first = first,
                                .n = count < most ? count : most,
                                .n_left_out = count > most ? count - most : 0};
            n++;
        }
    }
    return n;
}

char *tqa_plot_svg(const tqa_plot *plot, size_t *ret_n)
{
    panel panels[TQA_PLOT_PANELS_MAX];
    size_t n_left_out = 0;
    const size_t n = panels_of(plot, panels, &n_left_out);
    tqa_json_text to = {0};
    scale x = {.from = LEFT, .to = RIGHT, .most = 1.0};
    double height = (double)HEAD + (n_left_out > 0 ? 20.0 : 0.0);
    for (size_t k = 0; k < n; k++) {
        height += panel_height(&panels[k]);
    }
    if (plot->over == NULL || !range_of(plot, plot->over, 1, &x)) {
        x.least = plot->first_row;
        x.most = plot->first_row + plot->rows_per_bucket * (double)plot->n_bucket;
    }
    widen(&x, 0.0);
    put(&to,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" "
        "height=\"%.0f\" role=\"img\">",
        WIDTH, height, WIDTH, height);
    put(&to, "<title>");
    put_text(&to, plot->title);
    put(&to, "</title>");
    tqa_json_text_raw(&to, style);
    put(&to, "<text class=\"t\" x=\"%d\" y=\"24\">", LEFT);
    put_text(&to, plot->title);
    put(&to, "</text>");
    double top = HEAD;
    for (size_t k = 0; k < n; k++) {
        draw_panel(&to, plot, &panels[k], &x, top);
        top += panel_height(&panels[k]);
    }
    if (n_left_out > 0) {
        put(&to, "<text x=\"%d\" y=\"%.1f\">and %zu more: choose with fields=</text>", LEFT,
            top + 14.0, n_left_out);
    }
    put(&to, "</svg>\n");
    return tqa_json_text_take(&to, ret_n);
}
