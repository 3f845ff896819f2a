/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/view.c - chooses the arrays of a document, and writes them in the requested form. */
#include "api/tables/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/tables/view_private.h"

enum { PIECE = 128 << 10, CELL = 40 };

/* ------------------------------------------------------------------------------ the chosen keys */

static bool has_key(const tqa_view *v, const char *text, size_t n, size_t *ret)
{
    const char *key;
    for (size_t i = 0; (key = tqa_outline_key(v->outline, i)) != NULL; i++) {
        if (strlen(key) == n && memcmp(key, text, n) == 0) {
            *ret = i;
            return true;
        }
    }
    return false;
}

static bool choose_keys(tqa_view *v, tqa_problem *reterr)
{
    const char *text = v->options.fields;
    memset(v->wanted, text == NULL, sizeof v->wanted);
    while (text != NULL) {
        const size_t n = strcspn(text, ",");
        size_t key = 0;
        if (!has_key(v, text, n, &key)) {
            size_t used = 0;
            char known[160] = "";
            const char *name;
            for (size_t i = 0; (name = tqa_outline_key(v->outline, i)) != NULL &&
                               used + strlen(name) + 3 < sizeof known;
                 i++) {
                used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                                         i > 0 ? ", " : "", name);
            }
            tqa_problem_set(reterr, "unknown-name", "the result has no \"%.*s\"; it has %s",
                            (int)(n < 64 ? n : 64), text, known);
            return false;
        }
        v->wanted[key] = true;
        text = text[n] == ',' ? text + n + 1 : NULL;
    }
    return true;
}

static bool is_wanted(const tqa_view *v, const tqa_outline_array *array)
{
    size_t key = 0;
    if (v->options.array != NULL) {
        return !array->in_list && strcmp(array->name, v->options.array) == 0;
    }
    if (v->options.form == TQA_VIEW_SVG && strcmp(array->name, "t") == 0) {
        return true; /* whatever the fields */
    }
    return array->name[0] != '\0' && (!array->in_list || v->takes_items) &&
           (v->options.fields == NULL ||
            (has_key(v, array->name, strcspn(array->name, "."), &key) && v->wanted[key]));
}

/* Rows of the table: entries of "t", else of the first array. */
static uint64_t rows_of(const tqa_view *v)
{
    const tqa_outline_array *first = NULL;
    for (size_t i = 0; i < tqa_outline_count(v->outline); i++) {
        const tqa_outline_array *array = tqa_outline_at(v->outline, i);
        if (array->shape[0] == 0 && v->options.array == NULL) {
            continue; /* a list of nothing */
        }
        if (strcmp(array->name, "t") == 0 && is_wanted(v, array)) {
            return array->shape[0];
        }
        first = first == NULL && is_wanted(v, array) ? array : first;
    }
    return first != NULL ? first->shape[0] : 0;
}

/* The same of arrays inside of lists: entries of the first table, else of the first array. */
static uint64_t rows_of_items(const tqa_view *v)
{
    for (size_t i = 0; i < tqa_outline_count(v->outline); i++) {
        const tqa_outline_array *array = tqa_outline_at(v->outline, i);
        if (array->rank > 1 && array->shape[0] > 0 && is_wanted(v, array)) {
            return array->shape[0];
        }
    }
    return rows_of(v);
}

/* Whether an archive has room for the arrays inside of lists as well. */
static bool items_fit(tqa_view *v)
{
    size_t n = 0;
    bool good = true;
    v->takes_items = true;
    for (size_t i = 0; i < tqa_outline_count(v->outline); i++) {
        const tqa_outline_array *array = tqa_outline_at(v->outline, i);
        if (is_wanted(v, array)) {
            n++;
            good = good && (!array->in_list || strlen(array->name) <= TQA_NPZ_NAME_MAX);
        }
    }
    v->n_item = n;
    return good && n <= TQA_NPZ_MEMBERS_MAX;
}

/* The root has times: lines over anything else would join what is not in a row. */
static bool has_time(const tqa_view *v)
{
    bool found = false;
    for (size_t i = 0; i < tqa_outline_count(v->outline); i++) {
        const tqa_outline_array *array = tqa_outline_at(v->outline, i);
        found = found || (strcmp(array->name, "t") == 0 && array->rank == 1);
    }
    return found;
}

static bool choose_arrays(tqa_view *v, tqa_problem *reterr)
{
    if (v->options.form == TQA_VIEW_SVG && v->options.array == NULL && !v->options.over_rows &&
        !has_time(v)) {
        tqa_problem_set(reterr, "not-acceptable",
                        "a picture is drawn over time, and this result has no array \"t\": one "
                        "array of it is drawn at .../result/{field}?format=svg");
        return false;
    }
    const bool is_table = v->options.form != TQA_VIEW_NPZ;
    v->takes_items = !is_table && items_fit(v);
    uint64_t n_row = is_table ? rows_of(v) : 0;
    if (is_table && n_row == 0 && v->options.array == NULL) {
        v->takes_items = true; /* all are inside of lists: frames.0.position */
        n_row = rows_of_items(v);
    }
    v->size = is_table ? n_row : 0; /* of a table: rows, until it is written */
    for (size_t i = 0; i < tqa_outline_count(v->outline); i++) {
        const tqa_outline_array *array = tqa_outline_at(v->outline, i);
        if (!is_wanted(v, array) || (is_table && array->shape[0] != n_row)) {
            continue;
        }
        if (v->n_array == TQA_NPZ_MEMBERS_MAX ||
            (is_table && v->n_column + tqa_view_columns(array) > TQA_VIEW_COLUMNS_MAX)) {
            tqa_problem_set(reterr, "not-acceptable",
                            "so many arrays are more than this form takes: choose with fields=");
            return false;
        }
        v->n_column += is_table ? (size_t)tqa_view_columns(array) : 0;
        v->arrays[v->n_array] = array;
        v->cursors[v->n_array] = malloc(sizeof(tqa_cursor));
        if (v->cursors[v->n_array] == NULL) {
            return tqa_view_refuse_memory(reterr);
        }
        tqa_cursor_init(v->cursors[v->n_array++], &v->stored, array);
    }
    if (v->n_array == 0) {
        if (v->options.array != NULL) {
            tqa_problem_set(reterr, "not-found", "the result has no array of numbers \"%.64s\"",
                            v->options.array);
        } else {
            tqa_problem_set(reterr, "not-acceptable",
                            v->n_item > TQA_NPZ_MEMBERS_MAX
                                ? "the result has more arrays, in its lists, than this form "
                                  "takes: ask for less"
                                : "the result has no array of numbers here");
        }
        return false;
    }
    v->row = malloc((v->n_column + 1) * sizeof *v->row);
    return v->row != NULL || tqa_view_refuse_memory(reterr);
}

/* ---------------------------------------------------------------------------------------- NPZ */

/* The encoder reads in order: the cursor is always at the requested place. */
static void gather(void *ctx, uint64_t row, uint64_t column, size_t n, double *ret)
{
    (void)row, (void)column;
    tqa_cursor *cursor = ctx;
    if (!tqa_cursor_next(cursor, n, ret)) {
        memset(ret, 0, n * sizeof *ret);
        cursor->failed = true;
    }
}

static bool start_npz(tqa_view *v, tqa_problem *reterr)
{
    uint64_t size = 22; /* bytes of a ZIP file beside its stored members */
    for (size_t i = 0; i < v->n_array; i++) {
        const tqa_outline_array *from = v->arrays[i];
        v->shapes[i] = (tqa_array){.rank = from->rank, .gather = gather, .ctx = v->cursors[i]};
        memcpy(v->shapes[i].shape, from->shape, sizeof v->shapes[i].shape);
        v->members[i] = (tqa_npz_member){.name = from->name, .array = &v->shapes[i]};
        tqa_npy_encoder_init(&v->npz.npy, &v->shapes[i]);
        size += 30 + 16 + 46 + 2 * (strlen(from->name) + 4) + tqa_npy_encoder_size(&v->npz.npy);
    }
    if (!tqa_npz_encoder_init(&v->npz, v->members, v->n_array)) {
        tqa_problem_set(reterr, "not-acceptable",
                        "an NPZ file takes names of %d bytes and 4 GiB: choose with fields=",
                        (int)TQA_NPZ_NAME_MAX);
        return false;
    }
    v->size = size;
    return true;
}

static long read_npz(tqa_view *v, char *out, size_t size)
{
    const size_t n = tqa_npz_encoder_read(&v->npz, out, size);
    for (size_t i = 0; i < v->n_array; i++) {
        v->failed = v->failed || v->cursors[i]->failed;
    }
    return (long)n;
}

/* --------------------------------------------------------------------------------- JSON, CBOR */

/* The text of the next piece of the document. False at its end. */
static bool transcode_piece(tqa_view *v)
{
    while (!v->failed && v->text_at == v->n_text && v->at < v->stored.size) {
        const uint64_t left = v->stored.size - v->at;
        const size_t want = left < PIECE ? (size_t)left : PIECE;
        char *piece = malloc(PIECE);
        free(v->text);
        v->text = NULL;
        v->text_at = v->n_text = 0;
        if (piece != NULL && v->stored.read(v->stored.ctx, v->at, piece, want) == (long)want) {
            v->text = tqa_transcode_feed(&v->transcode, piece, want, &v->n_text);
        }
        free(piece);
        v->failed = v->text == NULL;
        v->n_text = v->failed ? 0 : v->n_text;
        v->at += want;
    }
    return v->text_at < v->n_text;
}

size_t tqa_view_take(tqa_view *v, char *out, size_t size)
{
    const size_t left = v->n_text - v->text_at;
    const size_t some = left < size ? left : size;
    memcpy(out, v->text + v->text_at, some);
    v->text_at += some;
    return some;
}

static long read_document(tqa_view *v, char *out, size_t size)
{
    size_t n = 0;
    while (n < size && (v->text_at < v->n_text || (!v->is_whole && transcode_piece(v)))) {
        n += tqa_view_take(v, out + n, size - n);
    }
    return (long)n;
}

/* ----------------------------------------------------------------------------------------- life */

static bool refuse_document(const tqa_view *v, tqa_problem *reterr)
{
    if (tqa_outline_short(v->outline)) {
        return tqa_view_refuse_memory(reterr);
    }
    tqa_problem_set(reterr, "not-acceptable", "the result is no JSON document");
    return false;
}

static bool make_outline(tqa_view *v, tqa_problem *reterr)
{
    char *piece = malloc(PIECE);
    v->outline = tqa_outline_new();
    bool good = piece != NULL && v->outline != NULL;
    if (!good) {
        tqa_view_refuse_memory(reterr);
    }
    for (uint64_t at = 0; good && at < v->stored.size;) {
        const long n = v->stored.read(v->stored.ctx, at, piece, PIECE);
        if (n <= 0) {
            tqa_problem_set(reterr, "busy", "the result cannot be read now");
            good = false;
        } else if (!tqa_outline_feed(v->outline, piece, (size_t)n)) {
            good = refuse_document(v, reterr);
        }
        at += n > 0 ? (uint64_t)n : 0;
    }
    free(piece);
    return good && (tqa_outline_finish(v->outline) || refuse_document(v, reterr));
}

static bool start(tqa_view *v, tqa_problem *reterr)
{
    const tqa_view_form form = v->options.form;
    if (!make_outline(v, reterr) || !choose_keys(v, reterr)) {
        return false;
    }
    if (form == TQA_VIEW_JSON || form == TQA_VIEW_CBOR) {
        tqa_transcode_init(&v->transcode, v->outline, v->options.fields != NULL ? v->wanted : NULL,
                           form == TQA_VIEW_CBOR);
        return true;
    }
    if (!choose_arrays(v, reterr)) {
        return false;
    }
    if (form == TQA_VIEW_NPZ) {
        return start_npz(v, reterr);
    }
    if (form == TQA_VIEW_POINTS || form == TQA_VIEW_SVG) {
        return tqa_view_points(v, reterr);
    }
    v->size = 0;
    v->text = malloc(v->n_column * (2 * TQA_VIEW_NAME_TEXT + 3) + 2);
    return v->text != NULL || tqa_view_refuse_memory(reterr);
}

tqa_view *tqa_view_open(const tqa_view_options *options, const tqa_stored *stored,
                        tqa_problem *reterr)
{
    tqa_view *v = calloc(1, sizeof *v);
    if (v == NULL) {
        tqa_view_refuse_memory(reterr);
        return NULL;
    }
    v->options = *options;
    v->stored = *stored;
    if (!start(v, reterr)) {
        tqa_view_close(v);
        return NULL;
    }
    return v;
}

void tqa_view_close(tqa_view *view)
{
    if (view == NULL) {
        return;
    }
    for (size_t i = 0; i < view->n_array; i++) {
        free(view->cursors[i]);
    }
    tqa_outline_free(view->outline);
    free(view->row);
    free(view->text);
    free(view);
}

uint64_t tqa_view_size(const tqa_view *view)
{
    return view->size;
}

long tqa_view_read(tqa_view *view, char *out, size_t size)
{
    long n = -1;
    if (!view->failed) {
        n = view->options.form == TQA_VIEW_NPZ   ? read_npz(view, out, size)
            : view->options.form == TQA_VIEW_CSV ? tqa_view_csv(view, out, size)
                                                 : read_document(view, out, size);
    }
    return view->failed ? -1 : n;
}
