/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/view.h - a stored result in another form: CBOR, NPZ, a table, some of its keys, the
 * points of a plot, the plot. Written on demand, in memory that does not grow with the result. */
#ifndef TQA_TABLES_VIEW_H
#define TQA_TABLES_VIEW_H

#include "api/problem.h"
#include "api/tables/cursor.h"

typedef enum tqa_view_form {
    TQA_VIEW_JSON,   /* the keys that are wanted */
    TQA_VIEW_CBOR,   /* the same document; arrays of numbers as typed arrays, unless with null */
    TQA_VIEW_NPZ,    /* its arrays under their names, null as NaN; those inside of lists as
                        "list.0.key", if there is room for all of them */
    TQA_VIEW_CSV,    /* a line for each entry of its arrays of equal length, null as nothing */
    TQA_VIEW_POINTS, /* of these, the least and the greatest of neighbouring rows, as JSON */
    TQA_VIEW_SVG,    /* lines through these over "t", a panel for each array */
} tqa_view_form;

enum { TQA_VIEW_POINTS_MAX = 20000, TQA_VIEW_COLUMNS_MAX = 4096 };

typedef struct tqa_view_options {
    tqa_view_form form;
    const char *fields; /* keys of the root with commas between; NULL: all */
    const char *array;  /* this one alone; NULL: all of the fields */
    size_t n_points;    /* of POINTS, SVG; there 0: TQA_PLOT_POINTS */
    uint64_t first_row; /* of POINTS, SVG: those of the rows from this one on */
    uint64_t n_row;     /* of POINTS, SVG: at most so many rows; 0: all */
    const char *title;  /* of SVG, used while the view is opened; NULL: "result" */
    bool over_rows;     /* a picture without `t`: over the rows' number, which follow each other */
} tqa_view_options;

typedef struct tqa_view tqa_view;

/* Reads the document once. `stored` is copied. NULL with a problem: a key that is not there,
 * nothing to make a table of, too much for the form, memory. */
tqa_view *tqa_view_open(const tqa_view_options *options, const tqa_stored *stored,
                        tqa_problem *reterr);
void tqa_view_close(tqa_view *view); /* accepts NULL */

/* Bytes of the whole; 0: not known beforehand. */
uint64_t tqa_view_size(const tqa_view *view);

/* The next bytes, at most `size` (at least 4096); 0 at the end, -1 when the document cannot be
 * read. */
long tqa_view_read(tqa_view *view, char *out, size_t size);

#endif
