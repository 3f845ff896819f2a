/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/dataset.c - recorded data: what a CSV or NPY file holds, found while its bytes go
 * by. */
#include "api/dataset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/codec/csv/csv.h"
#include "api/codec/json/text.h"
#include "api/codec/npy/npy.h"
#include "api/tables/statistics.h"

static const uint64_t values_max = (uint64_t)1 << 40;
static const size_t buckets_bytes_max = (size_t)64 << 20;

typedef struct column {
    char name[TQA_CSV_NAME_MAX + 1];
    tqa_statistics statistics;
} column;

struct tqa_dataset {
    tqa_dataset_options options;
    bool known; /* the format is decided */
    bool failed;
    tqa_problem problem;
    tqa_csv_decoder *csv;
    tqa_npy_decoder npy;
    uint64_t n_row, n_column, n_text;
    column *columns;
    /* points: bucket b of column c has least[c * n_bucket + b] */
    size_t n_points, n_bucket;
    uint64_t rows_per_bucket, rows_told;
    double *least, *most;
};

/* ------------------------------------------------------------------------------------- options */

static bool read_delimiter(const char *value, size_t n, char *ret)
{
    static const struct {
        const char *name;
        char delimiter;
    } names[] = {{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"space", ' '}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strlen(names[i].name) == n && memcmp(names[i].name, value, n) == 0) {
            *ret = names[i].delimiter;
            return true;
        }
    }
    return false;
}

static bool read_option(const char *text, size_t n, tqa_dataset_options *ret)
{
    if (n == 10 && memcmp(text, "format=csv", n) == 0) {
        ret->format = TQA_DATASET_CSV;
    } else if (n == 10 && memcmp(text, "format=npy", n) == 0) {
        ret->format = TQA_DATASET_NPY;
    } else if (n > 10 && memcmp(text, "delimiter=", 10) == 0) {
        return read_delimiter(text + 10, n - 10, &ret->delimiter);
    } else {
        return false;
    }
    return true;
}

static bool read_type(const char *type, tqa_dataset_options *ret)
{
    static const struct {
        const char *name;
        tqa_dataset_format format;
    } types[] = {{"text/csv", TQA_DATASET_CSV},
                 {"text/tab-separated-values", TQA_DATASET_CSV},
                 {"application/x-npy", TQA_DATASET_NPY},
                 {"text/plain", TQA_DATASET_FIND},
                 {"application/octet-stream", TQA_DATASET_FIND},
                 {"application/x-www-form-urlencoded", TQA_DATASET_FIND}}; /* curl --data-binary */
    const size_t n = strcspn(type, "; \t");
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strlen(types[i].name) == n && strncasecmp(type, types[i].name, n) == 0) {
            ret->format = types[i].format;
            return true;
        }
    }
    return n == 0;
}

bool tqa_dataset_options_read(const char *query, const char *content_type, tqa_dataset_options *ret,
                              tqa_problem *reterr)
{
    *ret = (tqa_dataset_options){.format = TQA_DATASET_FIND};
    if (content_type != NULL && !read_type(content_type, ret)) {
        tqa_problem_set(reterr, "unsupported-media",
                        "a dataset is text/csv or application/x-npy (or untyped, and then its "
                        "first bytes decide)");
        return false;
    }
    while (query != NULL && *query != '\0') {
        const size_t n = strcspn(query, "&");
        if (n > 0 && !read_option(query, n, ret)) {
            tqa_problem_set(reterr, "invalid-value",
                            "\"%.60s\": the query may say format=csv or npy and delimiter=comma, "
                            "semicolon, tab or space",
                            query);
            return false;
        }
        query += n + (query[n] == '&' ? 1 : 0);
    }
    return true;
}

/* --------------------------------------------------------------------------------------- sinks */

static bool fail(tqa_dataset *d, const char *slug, const char *detail)
{
    d->failed = true;
    tqa_problem_set(&d->problem, slug, "%s", detail);
    return false;
}

static bool make_columns(tqa_dataset *d, uint64_t n)
{
    if (n == 0 || n > TQA_CSV_COLUMNS_MAX) {
        return fail(d, "wrong-length", "a table may have 1 to 4096 columns");
    }
    d->n_column = n;
    d->columns = calloc(n, sizeof *d->columns);
    bool good = d->columns != NULL;
    if (good && d->n_points > 0) {
        const size_t n_value = d->n_bucket * n;
        if (n_value > buckets_bytes_max / (2 * sizeof(double))) {
            return fail(d, "range", "so many points of so many columns: ask for fewer points");
        }
        d->least = malloc(n_value * sizeof(double));
        d->most = malloc(n_value * sizeof(double));
        good = d->least != NULL && d->most != NULL;
        for (size_t i = 0; good && i < n_value; i++) {
            d->least[i] = (double)INFINITY;
            d->most[i] = -(double)INFINITY;
        }
    }
    return good || fail(d, "busy", "memory is short");
}

/* n values of column c from `row` downwards */
static void add_points(tqa_dataset *d, uint64_t c, uint64_t row, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t b = (row + i) / d->rows_per_bucket;
        const double x = values[i];
        if (b < d->n_bucket && isfinite(x)) {
            double *least = d->least + c * d->n_bucket + b;
            double *most = d->most + c * d->n_bucket + b;
            *least = x < *least ? x : *least;
            *most = x > *most ? x : *most;
        }
    }
}

static void add(tqa_dataset *d, uint64_t c, uint64_t row, const double *values, size_t n)
{
    if (d->n_points > 0) {
        add_points(d, c, row, values, n);
    } else {
        tqa_statistics_add(&d->columns[c].statistics, values, n);
    }
}

static bool csv_columns(void *ctx, size_t n, const char *const *names)
{
    tqa_dataset *d = ctx;
    if (!make_columns(d, n)) {
        return false;
    }
    for (size_t c = 0; c < n; c++) {
        snprintf(d->columns[c].name, sizeof d->columns[c].name, "%s", names[c]);
    }
    return true;
}

static bool csv_row(void *ctx, const double *values, size_t n, size_t n_text)
{
    tqa_dataset *d = ctx;
    for (size_t c = 0; c < n; c++) {
        add(d, c, d->n_row, values + c, 1);
    }
    d->n_text += n_text;
    d->n_row++;
    return true;
}

static bool npy_shape(void *ctx, const tqa_npy_shape *shape)
{
    tqa_dataset *d = ctx;
    d->n_row = shape->n_row;
    return make_columns(d, shape->n_column);
}

static bool npy_values(void *ctx, uint64_t row, uint64_t first, const double *values, size_t n)
{
    tqa_dataset *d = ctx;
    if (d->npy.shape.fortran_order || d->n_column == 1) {
        add(d, first, row, values, n);
        return true;
    }
    for (size_t i = 0; i < n; i++) {
        add(d, first + i, row, values + i, 1);
    }
    return true;
}

/* --------------------------------------------------------------------------------------- bytes */

static const tqa_csv_sink csv_sink = {csv_columns, csv_row};
static const tqa_npy_sink npy_sink = {.shape = npy_shape, .values = npy_values};

tqa_dataset *tqa_dataset_open(const tqa_dataset_options *options, uint64_t n_row, size_t n_points)
{
    tqa_dataset *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return NULL;
    }
    d->options = *options;
    d->n_points = n_points;
    if (n_points > 0) {
        d->rows_per_bucket = n_row > n_points ? (n_row + n_points - 1) / n_points : 1;
        d->n_bucket = (size_t)((n_row + d->rows_per_bucket - 1) / d->rows_per_bucket);
        d->n_bucket = d->n_bucket > 0 ? d->n_bucket : 1;
    }
    return d;
}

void tqa_dataset_close(tqa_dataset *dataset)
{
    if (dataset != NULL) {
        tqa_csv_decoder_free(dataset->csv);
        free(dataset->columns);
        free(dataset->least);
        free(dataset->most);
        free(dataset);
    }
}

static bool find_format(tqa_dataset *d, const char *bytes, size_t n)
{
    if (d->options.format == TQA_DATASET_FIND) {
        d->options.format =
            n > 0 && (unsigned char)bytes[0] == 0x93 ? TQA_DATASET_NPY : TQA_DATASET_CSV;
    }
    d->known = true;
    if (d->options.format == TQA_DATASET_NPY) {
        tqa_npy_decoder_init(&d->npy, &npy_sink, d, values_max);
        d->npy.takes_not_finite = true;
        return true;
    }
    d->csv = tqa_csv_decoder_new(&csv_sink, d, d->options.delimiter);
    return d->csv != NULL || fail(d, "busy", "memory is short");
}

/* after a failed call of a decoder: why, unless a sink has said so already */
static bool explain(tqa_dataset *d, tqa_decode status)
{
    if (status == TQA_DECODE_OK) {
        return true;
    }
    if (d->failed) {
        return false;
    }
    d->failed = true;
    const char *slug = status == TQA_DECODE_LIMIT     ? "too-large"
                       : status == TQA_DECODE_REFUSED ? "busy"
                                                      : "malformed";
    if (d->csv != NULL) {
        tqa_problem_set(&d->problem, slug, "line %llu: %s",
                        (unsigned long long)tqa_csv_decoder_line(d->csv),
                        tqa_csv_decoder_detail(d->csv));
    } else {
        tqa_problem_set(&d->problem, slug, "byte %llu: %s", (unsigned long long)d->npy.error.offset,
                        d->npy.error.detail != NULL ? d->npy.error.detail : "refused");
    }
    return false;
}

bool tqa_dataset_feed(tqa_dataset *dataset, const char *bytes, size_t n)
{
    tqa_dataset *d = dataset;
    if (d->failed || n == 0) {
        return !d->failed;
    }
    if (!d->known && !find_format(d, bytes, n)) {
        return false;
    }
    return explain(d, d->csv != NULL ? tqa_csv_decoder_feed(d->csv, bytes, n)
                                     : tqa_npy_decoder_feed(&d->npy, bytes, n));
}

bool tqa_dataset_finish(tqa_dataset *dataset)
{
    tqa_dataset *d = dataset;
    if (d->failed) {
        return false;
    }
    if (!d->known) {
        return fail(d, "malformed", "the file is empty");
    }
    return explain(d, d->csv != NULL ? tqa_csv_decoder_finish(d->csv)
                                     : tqa_npy_decoder_finish(&d->npy));
}

const tqa_problem *tqa_dataset_problem(const tqa_dataset *dataset)
{
    return &dataset->problem;
}

uint64_t tqa_dataset_rows(const tqa_dataset *dataset)
{
    return dataset->n_row;
}

uint64_t tqa_dataset_columns(const tqa_dataset *dataset)
{
    return dataset->n_column;
}

const char *tqa_dataset_media(const tqa_dataset *dataset)
{
    return dataset->options.format == TQA_DATASET_NPY ? "application/x-npy" : "text/csv";
}

/* ------------------------------------------------------------------------------------- summary */

static void put_member(tqa_json_text *text, const char *key, double value)
{
    tqa_json_text_raw(text, key);
    tqa_json_text_number(text, value);
}

static void put_name(const tqa_dataset *d, tqa_json_text *text, size_t c)
{
    tqa_json_text_raw(text, c == 0 ? "{\"name\":" : ",{\"name\":");
    if (d->columns[c].name[0] != '\0') {
        tqa_json_text_string(text, d->columns[c].name);
    } else {
        tqa_json_text_raw(text, "null");
    }
}

static void put_statistics(const tqa_dataset *d, tqa_json_text *text)
{
    for (size_t c = 0; c < d->n_column; c++) {
        const tqa_statistics *s = &d->columns[c].statistics;
        const bool any = s->n_finite > 0;
        put_name(d, text, c);
        put_member(text, ",\"min\":", any ? s->least : (double)NAN);
        put_member(text, ",\"max\":", any ? s->most : (double)NAN);
        put_member(text, ",\"mean\":", tqa_statistics_mean(s));
        tqa_json_text_raw(text, ",\"not_finite\":");
        tqa_json_text_count(text, (unsigned long)s->n_not_finite);
        tqa_json_text_raw(text, "}");
    }
}

static void put_bucket_values(tqa_json_text *text, const char *key, const double *values, size_t n)
{
    tqa_json_text_raw(text, key);
    for (size_t b = 0; b < n; b++) {
        tqa_json_text_raw(text, b == 0 ? "" : ",");
        tqa_json_text_number(text, values[b]); /* an empty bucket is infinite: null */
    }
    tqa_json_text_raw(text, "]");
}

static void put_points(const tqa_dataset *d, tqa_json_text *text)
{
    for (size_t c = 0; c < d->n_column; c++) {
        put_name(d, text, c);
        put_bucket_values(text, ",\"min\":[", d->least + c * d->n_bucket, d->n_bucket);
        put_bucket_values(text, ",\"max\":[", d->most + c * d->n_bucket, d->n_bucket);
        tqa_json_text_raw(text, "}");
    }
}

static const char *delimiter_name(char delimiter)
{
    switch (delimiter) {
    case ',':
        return "comma";
    case ';':
        return "semicolon";
    case '\t':
        return "tab";
    default:
        return "space";
    }
}

char *tqa_dataset_summary(const tqa_dataset *dataset, size_t *ret_n)
{
    const tqa_dataset *d = dataset;
    tqa_json_text text = {0};
    tqa_json_text_raw(&text, "\"rows\":");
    tqa_json_text_count(&text, (unsigned long)d->n_row);
    tqa_json_text_raw(&text, ",\"columns\":");
    tqa_json_text_count(&text, (unsigned long)d->n_column);
    if (d->n_points > 0) {
        tqa_json_text_raw(&text, ",\"rows_per_point\":");
        tqa_json_text_count(&text, (unsigned long)d->rows_per_bucket);
        tqa_json_text_raw(&text, ",\"points\":");
        tqa_json_text_count(&text, (unsigned long)d->n_bucket);
        tqa_json_text_raw(&text, ",\"series\":[");
        put_points(d, &text);
    } else {
        if (d->csv != NULL) {
            tqa_json_text_raw(&text, ",\"delimiter\":\"");
            tqa_json_text_raw(&text, delimiter_name(tqa_csv_decoder_delimiter(d->csv)));
            tqa_json_text_raw(&text, "\",\"truncated_last_line\":");
            tqa_json_text_raw(&text, tqa_csv_decoder_cut(d->csv) ? "true" : "false");
            tqa_json_text_raw(&text, ",\"text_cells\":");
            tqa_json_text_count(&text, (unsigned long)d->n_text);
        }
        tqa_json_text_raw(&text, ",\"statistics\":[");
        put_statistics(d, &text);
    }
    tqa_json_text_raw(&text, "]");
    return tqa_json_text_take(&text, ret_n);
}
