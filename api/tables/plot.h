/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/plot.h - series over time as a picture: a panel for each group of them, as SVG. */
#ifndef TQA_TABLES_PLOT_H
#define TQA_TABLES_PLOT_H

#include <stdbool.h>
#include <stddef.h>

enum {
    TQA_PLOT_POINTS = 200, /* unless the request says */
    TQA_PLOT_POINTS_MAX = 1000,
    TQA_PLOT_PANELS_MAX = 8,
    TQA_PLOT_LINES_MAX = 16, /* of a panel */
    TQA_PLOT_NAME = 128,
};

/* Bucket b has the values between least[b * stride] and most[b * stride]; least > most: none. These
 * two are least_at[...] and most_at[...] rows after the bucket's first. */
typedef struct tqa_plot_series {
    char group[TQA_PLOT_NAME]; /* the panel: neighbours of one group share it */
    char name[TQA_PLOT_NAME];
    const double *least, *most, *least_at, *most_at;
} tqa_plot_series;

typedef struct tqa_plot {
    const char *title;
    size_t n_bucket, stride, n_series;
    const tqa_plot_series *series;
    const tqa_plot_series *over; /* the abscissa, one of them; NULL: rows */
    double first_row, rows_per_bucket;
    bool in_degrees; /* angles named q, qd, qdd */
} tqa_plot;

/* Group and place of a column by its name: joint_3 is "3" of "joint". `ret` has a group and a name
 * then. */
void tqa_plot_name(const char *column, tqa_plot_series *ret);

/* The series that is the abscissa: "t", "time" or such; NULL: none. */
const tqa_plot_series *tqa_plot_time(const tqa_plot_series *series, size_t n);

/* At most 8 panels of 16 lines; what is left out is said in the picture. No script, nothing to
 * load; colours follow prefers-color-scheme. malloc'ed; NULL when memory is short. */
char *tqa_plot_svg(const tqa_plot *plot, size_t *ret_n);

/* The same of the points of a dataset: members of a JSON object without its braces, as
 * tqa_dataset_summary writes them of a part with places. */
char *tqa_plot_of_points(const char *points, size_t n, const char *title, size_t *ret_n);

#endif
