/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/plot_points.c - the points of a dataset as a picture. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/tables/plot.h"

static json_t *parse(const char *members, size_t n)
{
    char *text = malloc(n + 2);
    if (text == NULL) {
        return NULL;
    }
    text[0] = '{';
    memcpy(text + 1, members, n);
    text[n + 1] = '}';
    json_t *root = json_loadb(text, n + 2, 0, NULL);
    free(text);
    return root;
}

/* null is an empty bucket */
static void take_values(const json_t *list, double none, size_t n, double *ret)
{
    for (size_t b = 0; b < n; b++) {
        const json_t *value = json_array_get(list, b);
        ret[b] = json_is_number(value) ? json_number_value(value) : none;
    }
}

static void take_series(const json_t *list, size_t n, size_t n_bucket, double *values,
                        tqa_plot_series *ret)
{
    for (size_t c = 0; c < n; c++) {
        const json_t *from = json_array_get(list, c);
        const char *name = json_string_value(json_object_get(from, "name"));
        double *least = values + 4 * c * n_bucket;
        double *most = least + n_bucket, *least_at = most + n_bucket;
        double *most_at = least_at + n_bucket;
        char number[32];
        (void)snprintf(number, sizeof number, "column_%zu", c);
        tqa_plot_name(name != NULL ? name : number, &ret[c]);
        take_values(json_object_get(from, "min"), (double)INFINITY, n_bucket, least);
        take_values(json_object_get(from, "max"), -(double)INFINITY, n_bucket, most);
        take_values(json_object_get(from, "min_at"), 0.0, n_bucket, least_at);
        take_values(json_object_get(from, "max_at"), 0.0, n_bucket, most_at);
        ret[c].least = least;
        ret[c].most = most;
        ret[c].least_at = least_at;
        ret[c].most_at = most_at;
    }
}

char *tqa_plot_of_points(const char *points, size_t n, const char *title, size_t *ret_n)
{
    json_t *root = parse(points, n);
    const json_t *list = json_object_get(root, "series");
    const size_t n_series = json_array_size(list);
    const size_t n_bucket = (size_t)json_integer_value(json_object_get(root, "points"));
    tqa_plot_series *series = calloc(n_series + 1, sizeof *series);
    double *values = calloc(4 * n_series * n_bucket + 1, sizeof *values);
    char *text = NULL;
    if (root != NULL && series != NULL && values != NULL) {
        take_series(list, n_series, n_bucket, values, series);
        const tqa_plot plot = {.title = title,
                               .n_bucket = n_bucket,
                               .stride = 1,
                               .n_series = n_series,
                               .series = series,
                               .over = tqa_plot_time(series, n_series),
                               .first_row = json_number_value(json_object_get(root, "first_row")),
                               .rows_per_bucket =
                                   json_number_value(json_object_get(root, "rows_per_point"))};
        text = tqa_plot_svg(&plot, ret_n);
    }
    free(values);
    free(series);
    json_decref(root);
    return text;
}
