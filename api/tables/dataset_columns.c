/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/dataset_columns.c - columns of recorded data and their statistics. */
#include "api/tables/dataset_columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t buckets_bytes_max = (size_t)64 << 20;

void tqa_dataset_columns_free(tqa_dataset_columns *columns)
{
    free(columns->columns);
    free(columns->least);
    free(columns->most);
    free(columns->least_at);
    free(columns->most_at);
    *columns = (tqa_dataset_columns){0};
}

static bool grow(double **list, size_t n, size_t n_before, double value)
{
    double *grown = realloc(*list, n * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    *list = grown;
    for (size_t i = n_before; i < n; i++) {
        grown[i] = value;
    }
    return true;
}

const char *tqa_dataset_columns_append(tqa_dataset_columns *columns, uint64_t n, bool *ret_short)
{
    static const char no_memory[] = "memory is short";
    tqa_dataset_columns *t = columns;
    *ret_short = false;
    if (n == 0 || n > TQA_CSV_COLUMNS_MAX - t->n) {
        return "a table may have 1 to 4096 columns";
    }
    const size_t n_all = t->n + (size_t)n;
    if (t->n_bucket > buckets_bytes_max / (2 * sizeof(double)) / n_all) {
        return "so many points of so many columns: ask for fewer points";
    }
    if (n_all > t->n_room) {
        const size_t room = 2 * t->n_room > n_all ? 2 * t->n_room : n_all;
        tqa_dataset_column *grown = realloc(t->columns, room * sizeof *grown);
        *ret_short = grown == NULL;
        if (grown == NULL) {
            return no_memory;
        }
        t->columns = grown;
        t->n_room = room;
    }
    memset(t->columns + t->n, 0, (size_t)n * sizeof *t->columns);
    if (t->n_bucket > 0) {
        const size_t before = t->n * t->n_bucket;
        const size_t n_value = n_all * t->n_bucket;
        *ret_short = !grow(&t->least, n_value, before, (double)INFINITY) ||
                     !grow(&t->most, n_value, before, -(double)INFINITY) ||
                     (t->with_places && (!grow(&t->least_at, n_value, before, 0.0) ||
                                         !grow(&t->most_at, n_value, before, 0.0)));
        if (*ret_short) {
            return no_memory;
        }
    }
    t->n = n_all;
    return NULL;
}

static void add_points(tqa_dataset_columns *t, uint64_t c, uint64_t row, const double *values,
                       size_t n)
{
    const uint64_t before = row < t->first_row ? t->first_row - row : 0;
    for (size_t i = before < n ? (size_t)before : n; i < n; i++) {
        const uint64_t b = (row + i - t->first_row) / t->rows_per_bucket;
        const double x = values[i];
        if (b < t->n_bucket && isfinite(x)) {
            const uint64_t at = row + i - t->first_row - b * t->rows_per_bucket;
            tqa_dataset_columns_lower(t, c * t->n_bucket + b, x, at);
            tqa_dataset_columns_raise(t, c * t->n_bucket + b, x, at);
        }
    }
}

void tqa_dataset_columns_add(tqa_dataset_columns *columns, uint64_t c, uint64_t row,
                             const double *values, size_t n)
{
    if (columns->n_bucket > 0) {
        add_points(columns, c, row, values, n);
    } else {
        tqa_statistics_add(&columns->columns[c].statistics, values, n);
    }
}

/* ------------------------------------------------------------------------------------- archives */

uint64_t tqa_rows_of_arrays(size_t n, uint64_t (*rows)(const void *ctx, size_t i),
                            const char *(*name)(const void *ctx, size_t i), const void *ctx)
{
    uint64_t best = 0;
    size_t n_best = 0;
    for (size_t i = 0; i < n; i++) {
        const char *word = name(ctx, i);
        if (rows(ctx, i) > 1 && (strcmp(word, "t") == 0 || strcmp(word, "time") == 0)) {
            return rows(ctx, i);
        }
        size_t n_same = 0;
        for (size_t k = 0; k < n; k++) {
            n_same += rows(ctx, k) == rows(ctx, i) ? 1 : 0;
        }
        if (n_same > n_best || (n_same == n_best && rows(ctx, i) > best)) {
            best = rows(ctx, i);
            n_best = n_same;
        }
    }
    return best;
}

static uint64_t rows_of(const void *ctx, size_t i)
{
    return ((const tqa_dataset_columns *)ctx)->columns[i].n_row;
}

static const char *name_of(const void *ctx, size_t i)
{
    return ((const tqa_dataset_columns *)ctx)->columns[i].name;
}

uint64_t tqa_dataset_columns_agree(tqa_dataset_columns *columns)
{
    const uint64_t n_row = tqa_rows_of_arrays(columns->n, rows_of, name_of, columns);
    for (size_t c = 0; c < columns->n; c++) {
        columns->columns[c].left_out = columns->columns[c].n_row != n_row;
    }
    return n_row;
}

size_t tqa_dataset_columns_count(const tqa_dataset_columns *columns)
{
    size_t n = 0;
    for (size_t c = 0; c < columns->n; c++) {
        n += columns->columns[c].left_out ? 0 : 1;
    }
    return n;
}

/* ---------------------------------------------------------------------------------------- text */

static void put_statistics(const tqa_statistics *s, tqa_writer *to)
{
    const bool any = s->n_finite > 0;
    tqa_writer_number_or_null(to, "min", any ? s->least : (double)NAN);
    tqa_writer_number_or_null(to, "max", any ? s->most : (double)NAN);
    tqa_writer_number_or_null(to, "mean", tqa_statistics_mean(s));
    tqa_writer_count(to, "not_finite", (size_t)s->n_not_finite);
}

static void put_bucket_values(tqa_writer *to, const char *key, const double *values, size_t n)
{
    tqa_writer_list(to, key);
    for (size_t b = 0; b < n; b++) {
        tqa_writer_number_or_null(to, NULL, values[b]); /* an empty bucket is infinite: null */
    }
    tqa_writer_end(to);
}

void tqa_dataset_columns_put(const tqa_dataset_columns *columns, tqa_writer *to)
{
    const tqa_dataset_columns *t = columns;
    for (size_t c = 0; c < t->n; c++) {
        if (t->columns[c].left_out) {
            continue;
        }
        tqa_writer_object(to, NULL);
        if (t->columns[c].name[0] != '\0') {
            tqa_writer_string(to, "name", t->columns[c].name);
        } else {
            tqa_writer_null(to, "name");
        }
        if (t->n_bucket > 0) {
            put_bucket_values(to, "min", t->least + c * t->n_bucket, t->n_bucket);
            put_bucket_values(to, "max", t->most + c * t->n_bucket, t->n_bucket);
            if (t->with_places) {
                put_bucket_values(to, "min_at", t->least_at + c * t->n_bucket, t->n_bucket);
                put_bucket_values(to, "max_at", t->most_at + c * t->n_bucket, t->n_bucket);
            }
        } else {
            put_statistics(&t->columns[c].statistics, to);
        }
        tqa_writer_end(to);
    }
}

void tqa_dataset_columns_put_left_out(const tqa_dataset_columns *columns, tqa_writer *to)
{
    bool any = false;
    for (size_t c = 0; c < columns->n; c++) {
        if (columns->columns[c].left_out) {
            if (!any) {
                tqa_writer_list(to, "left_out");
            }
            any = true;
            tqa_writer_string(to, NULL, columns->columns[c].name);
        }
    }
    if (any) {
        tqa_writer_end(to);
    }
}
