/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/dataset.c - recorded data: columns and statistics of a file, computed while its bytes
   arrive. */
#include "api/dataset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/tables/dataset_private.h"

static const uint64_t values_max = (uint64_t)1 << 40;
/* JSON and CBOR are gathered whole: 32 MiB */
enum { DOCUMENT_NUMBERS_MAX = 4000000 };

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
                 {"application/x-npz", TQA_DATASET_FIND},
                 {"application/zip", TQA_DATASET_FIND},
                 {"application/gzip", TQA_DATASET_FIND},
                 {"application/x-gzip", TQA_DATASET_FIND},
                 {"application/zstd", TQA_DATASET_FIND},
                 {"application/json", TQA_DATASET_FIND},
                 {"application/cbor", TQA_DATASET_FIND},
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
                        "a dataset is text/csv, application/x-npy, application/x-npz, "
                        "application/json, application/gzip or application/zstd (or untyped, and "
                        "then its first bytes decide)");
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

static bool fail_short(tqa_dataset *d)
{
    return fail(d, "busy", "memory is short");
}

static bool append_columns(tqa_dataset *d, uint64_t n)
{
    bool is_short = false;
    const char *why = tqa_dataset_columns_append(&d->columns, n, &is_short);
    return why == NULL || fail(d,
                               is_short                  ? "busy"
                               : d->columns.n_bucket > 0 ? "range"
                                                         : "wrong-length",
                               why);
}

static bool csv_columns(void *ctx, size_t n, const char *const *names)
{
    tqa_dataset *d = ctx;
    if (!append_columns(d, n)) {
        return false;
    }
    for (size_t c = 0; c < n; c++) {
        snprintf(d->columns.columns[c].name, sizeof d->columns.columns[c].name, "%s", names[c]);
    }
    return true;
}

static bool csv_row(void *ctx, const double *values, size_t n, size_t n_text)
{
    tqa_dataset *d = ctx;
    for (size_t c = 0; c < n; c++) {
        tqa_dataset_columns_add(&d->columns, c, d->n_row, values + c, 1);
    }
    tqa_dataset_gather_row(d, d->n_row, 0, values, n);
    d->n_text += n_text;
    d->n_row++;
    return true;
}

static bool records_columns(void *ctx, size_t n, const char *const *names, uint64_t n_row)
{
    (void)n_row;
    return csv_columns(ctx, n, names);
}

static bool records_row(void *ctx, const double *values, size_t n)
{
    return csv_row(ctx, values, n, 0);
}

/* an array whose columns are called `name`, or after it */
static bool npy_shape(void *ctx, const tqa_npy_shape *shape)
{
    tqa_dataset *d = ctx;
    const size_t first = d->columns.n;
    if (!append_columns(d, shape->n_column)) {
        return false;
    }
    d->member_at = first;
    d->shape = *shape;
    d->n_row = shape->n_row;
    for (size_t c = first; c < d->columns.n; c++) {
        tqa_dataset_column *column = &d->columns.columns[c];
        column->n_row = shape->n_row;
        if (d->member[0] != '\0' && shape->rank == 1) {
            snprintf(column->name, sizeof column->name, "%s", d->member);
        } else if (d->member[0] != '\0') {
            snprintf(column->name, sizeof column->name, "%s[%zu]", d->member, c - first);
        }
    }
    return true;
}

static bool npy_values(void *ctx, uint64_t row, uint64_t column, const double *values, size_t n)
{
    tqa_dataset *d = ctx;
    const uint64_t first = d->member_at + column;
    if (d->shape.fortran_order || d->shape.n_column == 1) {
        tqa_dataset_columns_add(&d->columns, first, row, values, n);
        tqa_dataset_gather_row(d, row, 0, values, n);
        return true;
    }
    for (size_t i = 0; i < n; i++) {
        tqa_dataset_columns_add(&d->columns, first + i, row, values + i, 1);
    }
    tqa_dataset_gather_row(d, row, (size_t)column, values, n);
    return true;
}

static bool npz_member(void *ctx, const char *name, size_t n)
{
    tqa_dataset *d = ctx;
    memcpy(d->member, name, n);
    d->member[n] = '\0';
    return true;
}

/* --------------------------------------------------------------------------------------- bytes */

static const tqa_csv_sink csv_sink = {csv_columns, csv_row};
static const tqa_npy_sink npy_sink = {.shape = npy_shape, .values = npy_values};
static const tqa_npz_sink npz_sink = {npz_member, {.shape = npy_shape, .values = npy_values}};
static const tqa_records_sink records_sink = {records_columns, records_row};

static bool open_form(void *ctx, tqa_form form)
{
    tqa_dataset *d = ctx;
    const bool is_npy = d->options.format == TQA_DATASET_NPY && form == TQA_FORM_CSV;
    d->form = is_npy ? TQA_FORM_NPY : form;
    switch (d->form) {
    case TQA_FORM_NPY:
        tqa_npy_decoder_init(&d->npy, &npy_sink, d, values_max);
        d->npy.takes_not_finite = true;
        return true;
    case TQA_FORM_NPZ:
        d->npz = tqa_npz_decoder_new(&npz_sink, d, values_max);
        if (d->npz != NULL) {
            tqa_npz_decoder_take_not_finite(d->npz);
        }
        return d->npz != NULL || fail_short(d);
    case TQA_FORM_RECORDS:
        d->records = tqa_records_decoder_new(&records_sink, d);
        return d->records != NULL || fail_short(d);
    case TQA_FORM_JSON:
    case TQA_FORM_CBOR:
        d->document = tqa_table_result_new(d->form == TQA_FORM_CBOR, DOCUMENT_NUMBERS_MAX);
        return d->document != NULL || fail_short(d);
    case TQA_FORM_CSV:
    case TQA_FORM_GZIP:
    case TQA_FORM_ZSTD:
    case TQA_FORM_FOREIGN:
    default:
        d->csv = tqa_csv_decoder_new(&csv_sink, d, d->options.delimiter);
        return d->csv != NULL || fail_short(d);
    }
}

/* after a failed call of a decoder: why, unless a sink has said so already */
static bool explain(tqa_dataset *d, tqa_decode status)
{
    if (status == TQA_DECODE_OK || d->failed) {
        return status == TQA_DECODE_OK;
    }
    d->failed = true;
    const char *slug = status == TQA_DECODE_LIMIT     ? "too-large"
                       : status == TQA_DECODE_REFUSED ? "busy"
                                                      : "malformed";
    if (d->csv != NULL) {
        tqa_problem_set(&d->problem, slug, "line %llu: %s",
                        (unsigned long long)tqa_csv_decoder_line(d->csv),
                        tqa_csv_decoder_detail(d->csv));
        return false;
    }
    if (d->records != NULL) {
        const char *detail = tqa_records_decoder_detail(d->records);
        tqa_problem_set(&d->problem, slug, "%s", detail != NULL ? detail : "refused");
        return false;
    }
    const tqa_decode_error error = d->npz != NULL ? tqa_npz_decoder_error(d->npz) : d->npy.error;
    tqa_problem_set(&d->problem, slug, "byte %llu: %s%s%s", (unsigned long long)error.offset,
                    d->member[0] != '\0' ? d->member : "", d->member[0] != '\0' ? ": " : "",
                    error.detail != NULL ? error.detail : "refused");
    return false;
}

/* NULL: good */
static bool explain_document(tqa_dataset *d, const char *why)
{
    if (why == NULL) {
        return true;
    }
    if (tqa_table_result_short(d->document)) {
        return fail_short(d);
    }
    if (tqa_table_result_is_lines(d->document)) {
        (void)fail(d, "unsupported-media", tqa_foreign_json_lines.detail);
        tqa_problem_fault(&d->problem, "", tqa_foreign_json_lines.hint, "%s",
                          tqa_foreign_json_lines.detail);
        return false;
    }
    return fail(d, "malformed", why);
}

static bool feed_form(void *ctx, const char *bytes, size_t n)
{
    tqa_dataset *d = ctx;
    if (d->document != NULL) {
        return explain_document(d, tqa_table_result_feed(d->document, bytes, n));
    }
    return explain(d, d->csv != NULL       ? tqa_csv_decoder_feed(d->csv, bytes, n)
                      : d->npz != NULL     ? tqa_npz_decoder_feed(d->npz, bytes, n)
                      : d->records != NULL ? tqa_records_decoder_feed(d->records, bytes, n)
                                           : tqa_npy_decoder_feed(&d->npy, bytes, n));
}

static const tqa_front_sink front_sink = {open_form, feed_form};

tqa_dataset *tqa_dataset_open(const tqa_dataset_options *options, const tqa_dataset_part *part)
{
    tqa_dataset *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return NULL;
    }
    d->options = *options;
    d->front = (tqa_front){.sink = &front_sink, .ctx = d};
    if (part != NULL) {
        tqa_dataset_set_part(&d->columns, part);
    }
    return d;
}

void tqa_dataset_close(tqa_dataset *dataset)
{
    if (dataset != NULL) {
        tqa_csv_decoder_free(dataset->csv);
        tqa_npz_decoder_free(dataset->npz);
        tqa_records_decoder_free(dataset->records);
        tqa_table_result_free(dataset->document);
        tqa_front_free(&dataset->front);
        tqa_dataset_columns_free(&dataset->columns);
        tqa_dataset_blocks_free(dataset->blocks);
        free(dataset);
    }
}

/* after a failed call of the front: why, unless a decoder has said so */
static bool explain_front(tqa_dataset *d, bool good)
{
    const char *detail = tqa_front_detail(&d->front);
    if (good || d->failed) {
        return good && !d->failed;
    }
    if (d->front.hint == NULL) {
        return fail(d,
                    d->front.is_short       ? "busy"
                    : d->front.is_too_large ? "too-large"
                                            : "malformed",
                    detail);
    }
    (void)fail(d, "unsupported-media", detail);
    tqa_problem_fault(&d->problem, "", d->front.hint, "%s", detail);
    return false;
}

bool tqa_dataset_feed(tqa_dataset *dataset, const char *bytes, size_t n)
{
    tqa_dataset *d = dataset;
    return !d->failed && (n == 0 || explain_front(d, tqa_front_feed(&d->front, bytes, n)));
}

/* the columns of a document, which are there at its end */
static bool take_document(tqa_dataset *d)
{
    if (!explain_document(d, tqa_table_result_finish(d->document))) {
        return false;
    }
    const size_t n = tqa_table_result_columns(d->document);
    d->n_row = tqa_table_result_rows(d->document);
    if (n == 0) {
        (void)fail(d, "malformed", "the document has no arrays of numbers of one length");
        tqa_problem_fault(&d->problem, "", "{\"t\": [...], \"q\": [[...], ...], ...}",
                          "the document has no arrays of numbers of one length");
        return false;
    }
    double *values = malloc((d->n_row > 0 ? d->n_row : 1) * sizeof *values);
    if (values == NULL || !append_columns(d, n)) {
        const bool is_short = values == NULL;
        free(values);
        return !is_short ? false : fail_short(d);
    }
    for (size_t c = 0; c < n; c++) {
        tqa_dataset_column *column = &d->columns.columns[c];
        tqa_table_result_name(d->document, c, column->name, sizeof column->name);
        tqa_table_result_column(d->document, c, values);
        tqa_dataset_columns_add(&d->columns, c, 0, values, (size_t)d->n_row);
    }
    free(values);
    return true;
}

bool tqa_dataset_finish(tqa_dataset *dataset)
{
    tqa_dataset *d = dataset;
    if (d->failed || !explain_front(d, tqa_front_finish(&d->front))) {
        return false;
    }
    if (d->document != NULL) {
        return take_document(d);
    }
    const bool good = explain(d, d->csv != NULL       ? tqa_csv_decoder_finish(d->csv)
                                 : d->npz != NULL     ? tqa_npz_decoder_finish(d->npz)
                                 : d->records != NULL ? tqa_records_decoder_finish(d->records)
                                                      : tqa_npy_decoder_finish(&d->npy));
    if (good && d->npz != NULL) {
        d->n_row = tqa_dataset_columns_agree(&d->columns);
    }
    return good;
}

const tqa_problem *tqa_dataset_problem(const tqa_dataset *dataset)
{
    return &dataset->problem;
}

uint64_t tqa_dataset_rows(const tqa_dataset *dataset)
{
    return dataset->n_row;
}

uint64_t tqa_dataset_width(const tqa_dataset *dataset)
{
    return tqa_dataset_columns_count(&dataset->columns);
}

static const char *const medias[] = {
    [TQA_FORM_CSV] = "text/csv",
    [TQA_FORM_NPY] = "application/x-npy",
    [TQA_FORM_RECORDS] = "application/x-npy",
    [TQA_FORM_NPZ] = "application/x-npz",
    [TQA_FORM_JSON] = "application/json",
    [TQA_FORM_CBOR] = "application/cbor",
    [TQA_FORM_GZIP] = "application/gzip",
    [TQA_FORM_ZSTD] = "application/zstd",
};

const char *tqa_dataset_media(const tqa_dataset *dataset)
{
    return medias[dataset->front.pack == TQA_PACK_GZIP   ? TQA_FORM_GZIP
                  : dataset->front.pack == TQA_PACK_ZSTD ? TQA_FORM_ZSTD
                                                         : dataset->form];
}

const char *tqa_dataset_media_stored(const char *media)
{
    for (size_t k = 0; k < sizeof medias / sizeof medias[0]; k++) {
        if (strcmp(medias[k], media) == 0) {
            return medias[k];
        }
    }
    return medias[TQA_FORM_CSV];
}

/* ------------------------------------------------------------------------------------- summary */

static const char *delimiter_name(char delimiter)
{
    switch (delimiter) {
    case ',':
        return "comma";
    case ';':
        return "semicolon";
    case '\t':
        return "tab";
    case TQA_FORM_CSV:
    case TQA_FORM_GZIP:
    case TQA_FORM_ZSTD:
    case TQA_FORM_FOREIGN:
    default:
        return "space";
    }
}

/* notes on a first line of a CSV file with two readings */
static void put_findings(const tqa_dataset *d, tqa_writer *to)
{
    char words[TQA_PROBLEM_TEXT];
    const tqa_csv_first_line first = tqa_csv_decoder_first_line(d->csv);
    if (!first.has_both) {
        return;
    }
    (void)snprintf(words, sizeof words,
                   first.is_row
                       ? "the first line has words (cell %zu: \"%.60s\") beside numbers and was "
                         "read as a row: the file has no header"
                       : "the first line has words (cell %zu: \"%.60s\") beside numbers and was "
                         "taken for the header: if it is a row, put a header above it",
                   first.cell + 1,
                   first.is_row ? tqa_csv_decoder_word(d->csv, first.cell)
                                : d->columns.columns[first.cell].name);
    tqa_writer_list(to, "findings");
    tqa_writer_string(to, NULL, words);
    tqa_writer_end(to);
}

static void put_csv(const tqa_dataset *d, tqa_writer *to)
{
    bool any = false;
    tqa_writer_string(to, "delimiter", delimiter_name(tqa_csv_decoder_delimiter(d->csv)));
    tqa_writer_flag(to, "truncated_last_line", tqa_csv_decoder_cut(d->csv));
    tqa_writer_count(to, "text_cells", (size_t)d->n_text);
    for (size_t c = 0; c < d->columns.n; c++) {
        if (tqa_csv_decoder_is_time(d->csv, c)) {
            if (!any) {
                tqa_writer_list(to, "time_columns");
            }
            any = true;
            tqa_writer_count(to, NULL, c);
        }
    }
    if (any) {
        tqa_writer_end(to);
    }
    put_findings(d, to);
}

char *tqa_dataset_summary(const tqa_dataset *dataset, size_t *ret_n)
{
    const tqa_dataset *d = dataset;
    tqa_writer to = {.cbor = false};
    tqa_writer_members(&to);
    if (d->columns.n_bucket > 0) {
        tqa_dataset_put_points(&d->columns, d->n_row, &to);
    } else {
        tqa_writer_count(&to, "rows", (size_t)d->n_row);
        tqa_writer_count(&to, "columns", (size_t)tqa_dataset_width(d));
        if (d->csv != NULL) {
            put_csv(d, &to);
        }
        tqa_dataset_columns_put_left_out(&d->columns, &to);
        tqa_writer_list(&to, "statistics");
    }
    tqa_dataset_columns_put(&d->columns, &to);
    tqa_writer_end(&to);
    return tqa_writer_take(&to, ret_n);
}
