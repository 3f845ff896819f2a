/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/html.h - a page for people: self-contained HTML with plots in SVG, no scripts,
 * readable without colour. */
#ifndef TQA_RESPONSE_HTML_H
#define TQA_RESPONSE_HTML_H

#include <stdbool.h>
#include <stddef.h>

#include "api/codec/json/text.h"

/* Starts as {0}. */
typedef struct tqa_html {
    tqa_json_text text;
} tqa_html;

void tqa_html_begin(tqa_html *page, const char *title);
/* The whole, malloc'ed; NULL when memory was short. */
char *tqa_html_end(tqa_html *page, size_t *ret_n);

void tqa_html_raw(tqa_html *page, const char *html);  /* constant text */
void tqa_html_text(tqa_html *page, const char *text); /* anything: it is escaped */
void tqa_html_format(tqa_html *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A cell with a number in four digits; a dash when it is not finite. */
void tqa_html_number(tqa_html *page, double x);

/* One line of a plot. */
typedef struct tqa_html_line {
    const double *y; /* every `stride`-th number of it */
    size_t stride;
    bool dashed;
    const char *name;
} tqa_html_line;

/* Lines over x (n), with axes, in one picture. */
typedef struct tqa_html_plot {
    const char *title, *x_name, *y_name;
    size_t n, n_line;
    const double *x;
    tqa_html_line lines[3];
    unsigned height; /* pixels */
} tqa_html_plot;
void tqa_html_draw(tqa_html *page, const tqa_html_plot *plot);

#endif
