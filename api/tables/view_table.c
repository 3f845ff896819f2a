/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/view_table.c - arrays of a document as a table: CSV, points of a plot, the plot. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/number/number.h"
#include "api/codec/writer.h"
#include "api/tables/plot.h"
#include "api/tables/view_private.h"

static const size_t buckets_max = (8 << 20) / sizeof(double);

bool tqa_view_refuse_memory(tqa_problem *reterr)
{
    tqa_problem_set(reterr, "busy", "memory is short");
    return false;
}

uint64_t tqa_view_columns(const tqa_outline_array *array)
{
    uint64_t n = 1;
    for (size_t r = 1; r < array->rank; r++) {
        n *= array->shape[r];
    }
    return n;
}

/* -------------------------------------------------------------------------------------- tables */

/* entries of the first array: lines of the table below its header */
static uint64_t count_rows(const tqa_view *view)
{
    return view->n_array > 0 ? view->arrays[0]->shape[0] : 0;
}

/* The columns are those arrays, among the wanted, that have as many entries as the first of them
 * ("t" if there is one); one without further ranks is a column of its name, others NAME_0 ...
 * False after the last. */
static bool column_name(const tqa_view *view, size_t column, char name[TQA_VIEW_NAME_TEXT])
{
    for (size_t i = 0; i < view->n_array; i++) {
        const uint64_t n = tqa_view_columns(view->arrays[i]);
        if (column < n) {
            if (view->arrays[i]->rank == 1) {
                snprintf(name, TQA_VIEW_NAME_TEXT, "%s", view->arrays[i]->name);
            } else {
                snprintf(name, TQA_VIEW_NAME_TEXT, "%s_%zu", view->arrays[i]->name, column);
            }
            return true;
        }
        column -= (size_t)n;
    }
    return false;
}

/* The next row, of all columns. */
static bool next_row(tqa_view *view, double *ret)
{
    size_t at = 0;
    for (size_t i = 0; i < view->n_array; i++) {
        const size_t n = (size_t)tqa_view_columns(view->arrays[i]);
        if (!tqa_cursor_next(view->cursors[i], n, ret + at)) {
            view->failed = true;
            return false;
        }
        at += n;
    }
    return true;
}

/* A name as a cell: in quotes where it needs them. */
static char *print_name(const char *name, char *p)
{
    const bool quoted = strpbrk(name, ",\"\r\n") != NULL;
    *p = '"';
    p += quoted;
    for (; *name != '\0'; name++) {
        *p = '"';
        p += *name == '"';
        *p++ = *name;
    }
    *p = '"';
    return p + quoted;
}

/* One line into view->text: the header, then rows. */
static bool print_line(tqa_view *v)
{
    char name[TQA_VIEW_NAME_TEXT];
    char *p = v->text;
    const bool is_header = v->at == 0;
    if (!is_header && !next_row(v, v->row)) {
        return false;
    }
    for (size_t c = 0; c < v->n_column; c++) {
        if (c > 0) {
            *p++ = ',';
        }
        if (is_header && column_name(v, c, name)) {
            p = print_name(name, p);
        } else if (isfinite(v->row[c])) {
            p = tqa_number_print(v->row[c], p);
        }
    }
    *p++ = '\n';
    v->n_text = (size_t)(p - v->text);
    v->text_at = 0;
    v->at++;
    return true;
}

long tqa_view_csv(tqa_view *v, char *out, size_t size)
{
    size_t n = 0;
    while (n < size) {
        if (v->text_at == v->n_text && (v->at > count_rows(v) || !print_line(v))) {
            break;
        }
        n += tqa_view_take(v, out + n, size - n);
    }
    return (long)n;
}

/* -------------------------------------------------------------------------------------- points */

static void put_series(tqa_writer *to, const char *key, const double *values, size_t stride,
                       size_t n)
{
    tqa_writer_list(to, key);
    for (size_t b = 0; b < n; b++) {
        tqa_writer_number_or_null(to, NULL, values[b * stride]); /* an empty bucket: null */
    }
    tqa_writer_end(to);
}

/* Bucket b of column c has the values from least[b * n_column + c] to most[...], in rows least_at
 * and most_at of it. */
typedef struct buckets {
    double *least, *most, *least_at, *most_at;
    uint64_t each; /* rows of one */
    size_t n;
} buckets;

static bool put_points(tqa_view *v, const buckets *of)
{
    tqa_writer text = {.cbor = false};
    tqa_writer *to = &text;
    char name[TQA_VIEW_NAME_TEXT];
    tqa_writer_object(to, NULL);
    tqa_writer_count(to, "rows", (size_t)count_rows(v));
    tqa_writer_count(to, "first_row", (size_t)v->options.first_row);
    tqa_writer_count(to, "rows_per_point", (size_t)of->each);
    tqa_writer_count(to, "points", of->n);
    tqa_writer_list(to, "series");
    for (size_t c = 0; column_name(v, c, name); c++) {
        tqa_writer_object(to, NULL);
        tqa_writer_string(to, "name", name);
        put_series(to, "min", of->least + c, v->n_column, of->n);
        put_series(to, "max", of->most + c, v->n_column, of->n);
        tqa_writer_end(to);
    }
    tqa_writer_end(to);
    tqa_writer_end(to);
    tqa_writer_finish(to);
    v->text = tqa_writer_take(to, &v->n_text);
    return v->text != NULL;
}

/* A panel for each array; its columns are joints where there are as many. */
static bool put_plot(tqa_view *v, const buckets *of)
{
    size_t n_joint = 0;
    while (tqa_outline_joint(v->outline, n_joint) != NULL) {
        n_joint++;
    }
    tqa_plot_series *series = calloc(v->n_column + 1, sizeof *series);
    size_t c = 0;
    for (size_t i = 0; series != NULL && i < v->n_array; i++) {
        const size_t n = (size_t)tqa_view_columns(v->arrays[i]);
        for (size_t k = 0; k < n; k++, c++) {
            tqa_plot_series *one = &series[c];
            (void)column_name(v, c, one->name);
            if (v->arrays[i]->rank == 1) { /* one by one, as of `compare`: neighbours by name */
                tqa_plot_name(v->arrays[i]->name, one);
            } else {
                (void)snprintf(one->group, sizeof one->group, "%s", v->arrays[i]->name);
            }
            if (n == n_joint && v->arrays[i]->rank == 2) {
                (void)snprintf(one->name, sizeof one->name, "%s", tqa_outline_joint(v->outline, k));
            }
            one->least = of->least + c;
            one->most = of->most + c;
            one->least_at = of->least_at + c;
            one->most_at = of->most_at + c;
        }
    }
    const tqa_plot plot = {
        .title = v->options.title != NULL ? v->options.title : "result",
        .n_bucket = of->n,
        .stride = v->n_column,
        .n_series = c,
        .series = series,
        .over = series != NULL ? tqa_plot_time(series, c) : NULL,
        .first_row = (double)v->options.first_row,
        .rows_per_bucket = (double)of->each,
        .in_degrees = tqa_outline_in_degrees(v->outline),
    };
    v->text = series != NULL ? tqa_plot_svg(&plot, &v->n_text) : NULL;
    free(series);
    return v->text != NULL;
}

/* n_row rows from `first` on */
static void gather(tqa_view *v, const buckets *of, uint64_t first, uint64_t n_row)
{
    const size_t n = v->n_column;
    for (size_t i = 0; i < of->n * n; i++) {
        of->least[i] = (double)INFINITY;
        of->most[i] = (double)-INFINITY;
    }
    for (uint64_t r = 0; r < first && next_row(v, v->row); r++) {
    }
    for (uint64_t r = 0; r < n_row && next_row(v, v->row); r++) {
        const size_t from = (size_t)(r / of->each) * n;
        for (size_t c = 0; c < n; c++) {
            const double x = v->row[c];
            if (x < of->least[from + c]) {
                of->least[from + c] = x;
                of->least_at[from + c] = (double)(r % of->each);
            }
            if (x > of->most[from + c]) {
                of->most[from + c] = x;
                of->most_at[from + c] = (double)(r % of->each);
            }
        }
    }
}

bool tqa_view_points(tqa_view *v, tqa_problem *reterr)
{
    const uint64_t first = v->options.first_row;
    const uint64_t left = count_rows(v) > first ? count_rows(v) - first : 0;
    const uint64_t n_row =
        v->options.n_row > 0 && v->options.n_row < left ? v->options.n_row : left;
    const bool is_plot = v->options.form == TQA_VIEW_SVG;
    const uint64_t wish =
        is_plot && v->options.n_points == 0 ? (uint64_t)TQA_PLOT_POINTS : v->options.n_points;
    const uint64_t each = n_row > wish ? (n_row + wish - 1) / wish : 1;
    const size_t n_bucket = (size_t)((n_row + each - 1) / each);
    const size_t n = v->n_column;
    if (n_bucket * n > buckets_max) {
        tqa_problem_set(reterr, "range",
                        "so many points of so many columns: ask for fewer points, or choose "
                        "with fields=");
        return false;
    }
    const size_t n_value = n_bucket * n;
    double *memory = calloc(4 * n_value + 1, sizeof *memory);
    if (memory == NULL) {
        return tqa_view_refuse_memory(reterr);
    }
    const buckets of = {.least = memory,
                        .most = memory + n_value,
                        .least_at = memory + 2 * n_value,
                        .most_at = memory + 3 * n_value,
                        .each = each,
                        .n = n_bucket};
    gather(v, &of, first, n_row);
    v->is_whole = true;
    const bool good = !v->failed && (is_plot ? put_plot(v, &of) : put_points(v, &of));
    free(memory);
    v->size = v->n_text;
    return good || tqa_view_refuse_memory(reterr);
}
