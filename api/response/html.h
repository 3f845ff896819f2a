/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/html.h - a page for people: self-contained HTML with plots in SVG, no scripts,
 * readable without colour. */
#ifndef TQA_RESPONSE_HTML_H
#define TQA_RESPONSE_HTML_H

#include <stdbool.h>
#include <stddef.h>

#include "api/codec/json/text.h"

/* Starts as {0}. */
typedef struct tqa_page {
    tqa_json_text text;
} tqa_page;

void tqa_page_begin(tqa_page *page, const char *title);
/* The whole, malloc'ed; NULL when memory was short. */
char *tqa_page_end(tqa_page *page, size_t *ret_n);

void tqa_page_raw(tqa_page *page, const char *html);  /* constant text */
void tqa_page_text(tqa_page *page, const char *text); /* anything: it is escaped */
void tqa_page_format(tqa_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A cell with a number in four digits; a dash when it is not finite. */
void tqa_page_number(tqa_page *page, double x);

/* One line of a plot. */
typedef struct tqa_page_line {
    const double *y; /* every `stride`-th number of it */
    size_t stride;
    bool dashed;
    const char *name;
} tqa_page_line;

/* Lines over x (n), with axes, in one picture. */
typedef struct tqa_page_plot {
    const char *title, *x_name, *y_name;
    size_t n, n_line;
    const double *x;
    tqa_page_line lines[3];
    unsigned height; /* pixels */
} tqa_page_plot;
void tqa_page_draw(tqa_page *page, const tqa_page_plot *plot);

#endif
