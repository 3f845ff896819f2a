/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/datasets/download.c - GET and HEAD of datasets: the list, the summary of one, its points,
 * its bytes and ranges of them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/tables/plot.h"
#include "daemon/datasets/handlers_private.h"
#include "daemon/datasets/samples.h"
#include "daemon/http/bearer.h"
#include "daemon/http/format.h"
#include "daemon/http/range.h"
#include "daemon/key.h"
#include "daemon/robots/conditions.h"

enum { WINDOW = 256 << 10 };

/* ---------------------------------------------------------------------------------------- list */

/* A damaged row does not hide the others: it is listed by its name if the name is still valid. */
static void put_damaged(tqa_writer *to, const tqd_dataset_row *row)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const char *name = tqd_key_name(row->name);
    const size_t n = strlen(name);
    if (n > 0 && strspn(name, letters) == n) {
        tqa_writer_string(to, "name", name);
    }
    tqa_writer_flag(to, "damaged", true);
}

static int put_row(tqa_writer *to, const tqd_dataset_row *row)
{
    tqa_writer_object(to, NULL);
    if (row->is_damaged) {
        put_damaged(to, row);
    } else {
        tqd_dataset_members(to, row);
        tqa_writer_count(to, "rows", row->n_row);
        tqa_writer_count(to, "columns", row->n_column);
        if (tqd_sample_is_name(row->name)) {
            tqa_writer_flag(to, "built_in", true);
        }
    }
    tqa_writer_end(to);
    return to->text.failed;
}

/* The list, and a key of the namespace that it is of. */
typedef struct listing {
    tqa_writer text;
    const char *key;
} listing;

static int put_stored(void *ctx, const tqd_dataset_row *row, const char *summary)
{
    (void)summary;
    listing *l = ctx;
    return tqd_key_is_beside(row->name, l->key) ? put_row(&l->text, row) : 0;
}

static void run_list(void *exchange)
{
    tqd_dataset_exchange *e = exchange;
    listing l = {.key = tqd_identity_key(e->head->who)};
    tqd_document_list(&l.text, "datasets");
    const tqd_sample *samples = tqd_samples();
    for (size_t k = 0; samples != NULL && k < TQD_SAMPLES; k++) {
        (void)put_row(&l.text, &samples[k].row);
    }
    const tqd_store_status status = tqd_store_datasets(e->datasets->store, put_stored, &l);
    tqd_document_list_end(&l.text);
    if (tqd_document_answer(&e->answer, e->head->request_id, 200, &l.text) &&
        status != TQD_STORE_OK) {
        tqd_dataset_answer_status(e, status);
    }
}

/* --------------------------------------------------------------------------------------- bytes */

/* on a worker: reads the next window of the file */
static void fill_window(tqd_dataset_exchange *e)
{
    const uint64_t left = e->end - e->at;
    const uint64_t most = WINDOW - e->at % WINDOW; /* the next one begins with a whole chunk */
    const size_t n = (size_t)(left < most ? left : most);
    const long got = tqd_file_read(e->file, e->at, e->window, n);
    /* damage in the middle: the connection is closed before the damaged bytes are sent, so that the
     * client receives fewer than Content-Length */
    e->failed = got != (long)n;
    e->n_window = e->failed ? 0 : n;
    e->at += e->n_window;
    e->taken = 0;
}

static size_t read_window(void *exchange, char *out, size_t size)
{
    tqd_dataset_exchange *e = exchange;
    if (e->taken == e->n_window) {
        /* what is in memory needs no worker, and no copy by way of the window */
        const uint64_t wanted = e->end - e->at;
        const size_t got = e->failed ? 0
                                     : tqd_file_read_cached(e->file, e->at, out,
                                                            wanted < size ? (size_t)wanted : size);
        e->at += got;
        return got > 0 ? got : e->failed ? TQD_READ_CUT : e->at == e->end ? 0 : TQD_READ_RUN;
    }
    const size_t left = e->n_window - e->taken;
    const size_t n = left < size ? left : size;
    memcpy(out, e->window + e->taken, n);
    e->taken += n;
    return n;
}

static bool read_count(const char **p, uint64_t *ret)
{
    const char *first = *p;
    *ret = 0;
    while (**p >= '0' && **p <= '9' && *p - first < 18) {
        *ret = *ret * 10 + (uint64_t)(*(*p)++ - '0');
    }
    return *p > first;
}

static void answer_bytes(tqd_dataset_exchange *e, const tqd_dataset_row *row)
{
    tqd_store_status status;
    const tqd_sample *sample = tqd_sample_find(row->name, strlen(row->name));
    if (sample != NULL) {
        if (tqd_range_answer(e->head, row->digest, row->size, &e->answer, &e->at, &e->end)) {
            e->answer.constant = sample->bytes + e->at;
            e->answer.n_body = (size_t)(e->end - e->at);
            e->answer.media = tqa_dataset_media_stored(row->media);
            tqd_answer_header(&e->answer, "ETag", "\"%s\"", row->digest);
            tqd_answer_header(&e->answer, "Cache-Control", "no-cache");
        }
        return;
    }
    e->file = tqd_file_open_sized(e->datasets->store, row->digest, row->size, &status);
    e->window = malloc(WINDOW);
    if (e->file == NULL || e->window == NULL) {
        tqd_dataset_answer_status(e, e->file == NULL ? status : TQD_STORE_NO_MEMORY);
        return;
    }
    if (!tqd_range_answer(e->head, row->digest, row->size, &e->answer, &e->at, &e->end)) {
        return;
    }
    e->answer.n_body = (size_t)(e->end - e->at);
    if (e->head->method != TQD_HEAD) {
        fill_window(e);
    }
    if (e->failed) {
        memset(&e->answer, 0, sizeof e->answer);
        tqd_dataset_answer_status(e, tqd_file_status(e->file));
        return;
    }
    e->answer.media = tqa_dataset_media_stored(row->media);
    e->answer.read = read_window;
    tqd_answer_header(&e->answer, "ETag", "\"%s\"", row->digest);
    tqd_answer_header(&e->answer, "Cache-Control", "no-cache");
}

/* -------------------------------------------------------------------------------------- points */

typedef struct points_query {
    size_t n_points; /* 0: the description */
    bool is_svg;
    uint64_t first_row, end_row;
} points_query;

static bool read_points(const tqd_head *head, points_query *ret, tqa_problem *reterr)
{
    const char *query = head->query;
    char name[TQD_QUERY_TEXT];
    char value[TQD_QUERY_TEXT];
    bool bad = false;
    *ret = (points_query){.end_row = UINT64_MAX};
    while (!bad && tqd_query_next(&query, name, value, &bad)) {
        const char *p = value;
        uint64_t n;
        if (strcmp(name, "rows") == 0) {
            bad = !tqd_query_rows(value, &ret->first_row, &ret->end_row);
        } else if (strcmp(name, "format") == 0) {
            ret->is_svg = strcmp(value, "svg") == 0;
            bad = !ret->is_svg;
        } else if (strcmp(name, "points") == 0 && read_count(&p, &n) && *p == '\0' && n >= 1 &&
                   n <= TQA_DATASET_POINTS_MAX) {
            ret->n_points = (size_t)n;
        } else {
            bad = true;
        }
    }
    const char *accept = head->header(head, "Accept");
    ret->is_svg = ret->is_svg || (accept != NULL && strstr(accept, "image/svg+xml") != NULL &&
                                  strstr(accept, "application/json") == NULL);
    bad = bad || (ret->n_points == 0 && !ret->is_svg && ret->end_row != UINT64_MAX) ||
          (ret->is_svg && ret->n_points > TQA_PLOT_POINTS_MAX);
    ret->n_points = ret->is_svg && ret->n_points == 0 ? (size_t)TQA_PLOT_POINTS : ret->n_points;
    if (bad) {
        tqa_problem_set(reterr, "invalid-value",
                        "the query may say points=1 to %d, or format=svg and points=1 to %d, and "
                        "with these rows=FIRST,BEHIND",
                        (int)TQA_DATASET_POINTS_MAX, (int)TQA_PLOT_POINTS_MAX);
    }
    return !bad;
}

/* bytes of a file of the store, or of a built-in one */
typedef struct points_source {
    const tqd_sample *sample;
    tqd_file *file;
    uint64_t size;
    tqd_store_status status;
} points_source;

static long read_source(void *ctx, uint64_t offset, void *bytes, size_t n)
{
    points_source *from = ctx;
    if (from->sample == NULL) {
        const long got = tqd_file_read(from->file, offset, bytes, n);
        from->status = got < 0 ? tqd_file_status(from->file) : from->status;
        return got;
    }
    const uint64_t left = offset < from->size ? from->size - offset : 0;
    const size_t some = left < n ? (size_t)left : n;
    memcpy(bytes, from->sample->bytes + offset, some);
    return (long)some;
}

/* Reads the points from the whole file, and keeps its blocks for the next request. NULL: the answer
 * is a problem. */
static char *read_whole(tqd_dataset_exchange *e, const tqd_dataset_row *row,
                        const tqa_dataset_part *part, points_source *source, size_t *ret_n)
{
    const tqa_dataset_options options = {.format = TQA_DATASET_FIND};
    tqa_dataset *dataset = tqa_dataset_open(&options, part);
    char *window = malloc(WINDOW);
    char *points = NULL;
    bool good = dataset != NULL && window != NULL;
    if (good) {
        tqa_dataset_gather(dataset);
    }
    for (uint64_t at = 0; good && at < row->size;) {
        const long got = read_source(source, at, window, WINDOW);
        good = got > 0 && tqa_dataset_feed(dataset, window, (size_t)got);
        at += got > 0 ? (uint64_t)got : 0;
    }
    if (good && tqa_dataset_finish(dataset)) {
        points = tqa_dataset_summary(dataset, ret_n);
        tqd_plots_keep(&e->datasets->plots, row->digest, tqa_dataset_take_blocks(dataset));
    }
    if (points == NULL && dataset != NULL && tqa_dataset_problem(dataset)->status != 0) {
        tqd_dataset_answer_problem(e, tqa_dataset_problem(dataset));
    } else if (points == NULL) {
        tqd_dataset_answer_status(e, source->status != TQD_STORE_OK ? source->status
                                                                    : TQD_STORE_NO_MEMORY);
    }
    free(window);
    tqa_dataset_close(dataset);
    return points;
}

static void answer_picture(tqd_dataset_exchange *e, const tqd_dataset_row *row, const char *points,
                           size_t n_points)
{
    size_t n = 0;
    char *picture = tqa_plot_of_points(points, n_points, tqd_key_name(row->name), &n);
    if (picture == NULL) {
        tqd_dataset_answer_status(e, TQD_STORE_NO_MEMORY);
        return;
    }
    e->answer.status = 200;
    e->answer.media = "image/svg+xml";
    e->answer.body = picture;
    e->answer.n_body = n;
    tqd_answer_header(&e->answer, "Vary", "Accept");
    tqd_answer_header(&e->answer, "Content-Security-Policy", "%s", TQD_SVG_POLICY);
}

/* answers from blocks in memory if they suffice for the requested rows, else from the whole file */
static void answer_points(tqd_dataset_exchange *e, const tqd_dataset_row *row,
                          const points_query *query)
{
    const uint64_t end = query->end_row < row->n_row ? query->end_row : row->n_row;
    tqa_dataset_part part = {.first_row = query->first_row,
                             .n_row = end > query->first_row ? end - query->first_row : 0,
                             .with_places = query->is_svg};
    part.rows_per_point =
        tqa_dataset_rows_per_point(row->n_row, row->n_column, part.n_row, query->n_points);
    points_source source = {.sample = tqd_sample_find(row->name, strlen(row->name)),
                            .size = row->size,
                            .status = TQD_STORE_OK};
    char *points = NULL;
    size_t n = 0;
    if (source.sample == NULL) {
        source.file =
            tqd_file_open_sized(e->datasets->store, row->digest, row->size, &source.status);
    }
    if (source.sample == NULL && source.file == NULL) {
        tqd_dataset_answer_status(e, source.status);
        return;
    }
    tqd_plot *plot = tqd_plots_begin(&e->datasets->plots, row->digest);
    if (plot != NULL) {
        points = tqa_dataset_points(plot->blocks, &part, read_source, &source, &n);
    }
    tqd_plots_end(&e->datasets->plots, plot);
    if (points == NULL) {
        points = read_whole(e, row, &part, &source, &n);
    }
    if (points != NULL && query->is_svg) {
        answer_picture(e, row, points, n);
    } else if (points != NULL) {
        tqd_dataset_answer_row(e, 200, row, points, n);
    }
    free(points);
    tqd_file_close(source.file);
}

/* --------------------------------------------------------------------------------------- one */

/* Accept of the stored type or Range select the bytes; without either the answer is the summary */
static bool selects_bytes(const tqd_dataset_exchange *e, const tqd_dataset_row *row)
{
    const char *accept = e->head->header(e->head, "Accept");
    if (accept == NULL) {
        return e->head->header(e->head, "Range") != NULL;
    }
    return strstr(accept, "application/json") == NULL &&
           (strstr(accept, row->media) != NULL ||
            strstr(accept, "application/octet-stream") != NULL ||
            e->head->header(e->head, "Range") != NULL);
}

/* A built-in dataset, or one of the store. The summary is malloc'ed. */
static tqd_store_status find_row(const tqd_dataset_exchange *e, tqd_dataset_row *ret_row,
                                 char **ret_summary)
{
    const char *name = tqd_key_name(e->head->part[0]);
    const tqd_sample *sample = tqd_sample_find(name, strlen(name));
    if (sample == NULL) {
        return tqd_store_dataset(e->datasets->store, e->head->part[0], ret_row, ret_summary);
    }
    *ret_row = sample->row;
    if (ret_summary != NULL) {
        *ret_summary = strdup(sample->summary);
    }
    return ret_summary == NULL || *ret_summary != NULL ? TQD_STORE_OK : TQD_STORE_NO_MEMORY;
}

/* True when the client's copy is current: 304 */
static bool answer_unchanged(tqd_dataset_exchange *e, const tqd_dataset_row *row)
{
    char tag[TQD_DIGEST_TEXT];
    const char *known;
    if (!tqd_dataset_condition(e, "If-None-Match", row->digest, tag, &known)) {
        return true;
    }
    if (known == NULL || (strcmp(known, "*") != 0 && strcmp(known, row->digest) != 0)) {
        return false;
    }
    e->answer.status = 304;
    tqd_answer_header(&e->answer, "ETag", "\"%s\"", row->digest);
    tqd_answer_header(&e->answer, "Cache-Control", "no-cache");
    return true;
}

static void answer_description(tqd_dataset_exchange *e, const tqd_dataset_row *row,
                               const char *summary)
{
    tqa_problem problem;
    points_query points;
    if (!read_points(e->head, &points, &problem)) {
        tqd_dataset_answer_problem(e, &problem);
    } else if (points.n_points > 0) {
        answer_points(e, row, &points);
    } else if (selects_bytes(e, row)) {
        answer_bytes(e, row);
        tqd_answer_header(&e->answer, "Vary", "Accept");
    } else if (!tqd_accepts(e->head->header(e->head, "Accept"), "application/json")) {
        tqa_problem_set(&problem, "not-acceptable",
                        "this is application/json, and the bytes are %s", row->media);
        tqd_dataset_answer_problem(e, &problem);
    } else {
        tqd_dataset_answer_row(e, 200, row, summary, strlen(summary));
        tqd_answer_header(&e->answer, "Vary", "Accept");
    }
}

static void run_get(void *exchange)
{
    tqd_dataset_exchange *e = exchange;
    if (e->file != NULL) {
        fill_window(e);
        return;
    }
    tqd_dataset_row row;
    char *summary = NULL;
    const tqd_store_status status = find_row(e, &row, &summary);
    if (status != TQD_STORE_OK) {
        tqd_dataset_answer_status(e, status);
    } else if (!answer_unchanged(e, &row)) {
        answer_description(e, &row, summary);
    }
    free(summary);
}

static void run_content(void *exchange)
{
    tqd_dataset_exchange *e = exchange;
    if (e->file != NULL) {
        fill_window(e);
        return;
    }
    tqd_dataset_row row;
    const tqd_store_status status = find_row(e, &row, NULL);
    if (status != TQD_STORE_OK) {
        tqd_dataset_answer_status(e, status);
    } else if (!answer_unchanged(e, &row)) {
        answer_bytes(e, &row);
    }
}

#define GET_HANDLER(run_function)                                                                  \
    {                                                                                              \
        .open = tqd_dataset_open_exchange, .finish = tqd_always_run, .run = (run_function),        \
        .reply = tqd_dataset_give_reply, .close = tqd_dataset_close_exchange                       \
    }
const tqd_handler tqd_dataset_list_handler = GET_HANDLER(run_list);
const tqd_handler tqd_dataset_get_handler = GET_HANDLER(run_get);
const tqd_handler tqd_dataset_content_handler = GET_HANDLER(run_content);
