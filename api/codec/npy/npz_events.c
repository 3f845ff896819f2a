/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/npy/npz_events.c - an NPZ archive as events of a document: a map of arrays. */
#include "api/codec/npy/npz_events.h"

#include <assert.h>
#include <stdlib.h>

enum { TURNED_MAX = 1 << 20 }; /* values of an array in Fortran order: it must be here as a whole */

static const uint64_t nowhere = UINT64_MAX;

static bool begin(tqa_npz_events *a)
{
    const bool first = !a->begun;
    a->begun = true;
    return !first || a->events->begin_map(a->ctx, nowhere);
}

/* Whole rows, as one array each; without a column there is none. */
static bool push_rows(const tqa_npz_events *a, const double *values, size_t n_row)
{
    const tqa_events *events = a->events;
    const size_t n = (size_t)a->shape.n_column;
    if (events->rows != NULL) {
        return n_row == 0 || events->rows(a->ctx, nowhere, values, n_row, n, 0);
    }
    for (size_t i = 0; i < n_row; i++) {
        if (!events->begin_array(a->ctx, nowhere) ||
            !events->numbers(a->ctx, nowhere, values + i * n, n) ||
            !events->end_array(a->ctx, nowhere)) {
            return false;
        }
    }
    return true;
}

/* The array is complete. */
static bool end_array(tqa_npz_events *a)
{
    if (!a->open) {
        return true;
    }
    a->open = false;
    bool good = true;
    if (a->turned != NULL) {
        good = push_rows(a, a->turned, (size_t)a->shape.n_row);
        free(a->turned);
        a->turned = NULL;
    }
    return good && a->events->end_array(a->ctx, nowhere);
}

static bool on_member(void *ctx, const char *name, size_t n)
{
    tqa_npz_events *a = ctx;
    return end_array(a) && begin(a) && a->events->key(a->ctx, nowhere, name, n);
}

static bool on_shape(void *ctx, const tqa_npy_shape *shape)
{
    tqa_npz_events *a = ctx;
    a->shape = *shape;
    a->open = true;
    if (shape->rank == 2 && shape->fortran_order && shape->n_row > 0 && shape->n_column > 0) {
        if (shape->n_row * shape->n_column > TURNED_MAX) { /* the decoder has bounded the product */
            a->detail = "an array in Fortran order is too large: save it in C order";
            return false;
        }
        a->turned = malloc((size_t)(shape->n_row * shape->n_column) * sizeof(double));
        if (a->turned == NULL) {
            a->is_busy = true;
            return false;
        }
    }
    return a->events->begin_array(a->ctx, nowhere);
}

/* A part of a row. */
static bool push_part(tqa_npz_events *a, uint64_t column, const double *values, size_t n)
{
    const tqa_events *events = a->events;
    return (column > 0 || events->begin_array(a->ctx, nowhere)) &&
           events->numbers(a->ctx, nowhere, values, n) &&
           (column + n < a->shape.n_column || events->end_array(a->ctx, nowhere));
}

static bool on_values(void *ctx, uint64_t row, uint64_t column, const double *values, size_t n)
{
    tqa_npz_events *a = ctx;
    if (a->shape.rank == 1) {
        return a->events->numbers(a->ctx, nowhere, values, n);
    }
    if (a->turned == NULL) {
        return push_part(a, column, values, n);
    }
    for (size_t i = 0; i < n; i++) {
        a->turned[(row + i) * a->shape.n_column + column] = values[i];
    }
    return true;
}

static bool on_rows(void *ctx, uint64_t row, const double *values, size_t n_row)
{
    tqa_npz_events *a = ctx;
    (void)row;
    return a->shape.rank == 1 ? a->events->numbers(a->ctx, nowhere, values, n_row)
                              : push_rows(a, values, n_row);
}

static const tqa_npz_sink sink = {
    .member = on_member,
    .npy = {.shape = on_shape, .values = on_values, .rows = on_rows},
};

void tqa_npz_events_init(tqa_npz_events *archive, const tqa_events *events, void *ctx,
                         uint64_t count_max)
{
    assert(archive != NULL && events != NULL);
    *archive = (tqa_npz_events){.events = events, .ctx = ctx};
    archive->decoder = tqa_npz_decoder_new(&sink, archive, count_max);
    archive->is_busy = archive->decoder == NULL;
}

tqa_decode tqa_npz_events_feed(tqa_npz_events *archive, const char *bytes, size_t n)
{
    if (archive->decoder == NULL) {
        return TQA_DECODE_REFUSED;
    }
    const tqa_decode state = tqa_npz_decoder_feed(archive->decoder, bytes, n);
    return state == TQA_DECODE_REFUSED && archive->detail != NULL ? TQA_DECODE_LIMIT : state;
}

tqa_decode tqa_npz_events_finish(tqa_npz_events *archive)
{
    if (archive->decoder == NULL) {
        return TQA_DECODE_REFUSED;
    }
    const tqa_decode state = tqa_npz_decoder_finish(archive->decoder);
    if (state != TQA_DECODE_OK) {
        return state;
    }
    const bool good =
        end_array(archive) && begin(archive) && archive->events->end_map(archive->ctx, nowhere);
    return good ? TQA_DECODE_OK : TQA_DECODE_REFUSED;
}

tqa_decode_error tqa_npz_events_error(const tqa_npz_events *archive)
{
    tqa_decode_error error = {0};
    if (archive->decoder != NULL) {
        error = tqa_npz_decoder_error(archive->decoder);
    }
    error.detail = archive->detail != NULL ? archive->detail : error.detail;
    return error;
}

bool tqa_npz_events_busy(const tqa_npz_events *archive)
{
    return archive->is_busy;
}

void tqa_npz_events_clear(tqa_npz_events *archive)
{
    tqa_npz_decoder_free(archive->decoder);
    free(archive->turned);
    archive->decoder = NULL;
    archive->turned = NULL;
}
