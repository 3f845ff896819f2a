/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/archive.c - the arrays of an answer as an NPZ file, or as CSV. */
#include "api/response/archive.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/npy/npz.h"
#include "api/response/table.h"
#include "api/tables/view.h"

enum { NAME = 2 * TQA_NPZ_NAME_MAX + 8 }; /* longer ones are refused by the encoder */

struct tqa_archive {
    /* out of text */
    char *text;
    size_t n_text;
    tqa_view *view;
    /* out of a result */
    tqa_result_place places[TQA_RESULT_ARRAYS_MAX];
    tqa_array arrays[TQA_RESULT_ARRAYS_MAX];
    tqa_npz_member members[TQA_RESULT_ARRAYS_MAX];
    char names[TQA_RESULT_ARRAYS_MAX][NAME];
    tqa_npz_encoder encoder;
    const char *columns[TQA_RESULT_ARRAYS_MAX];
    tqa_result_table *table; /* CSV */
};

static tqa_archive *take(tqa_problem *reterr)
{
    tqa_archive *archive = calloc(1, sizeof *archive);
    if (archive == NULL) {
        (void)tqa_problem_set(reterr, "busy", "there is no memory for this archive now");
    }
    return archive;
}

/* The length of the key that `before`, "key":{ ... in JSON, opens its object with. */
static size_t key_length(const char *before, size_t n)
{
    assert(n > 1 && before[0] == '"');
    const char *end = memchr(before + 1, '"', n - 1);
    assert(end != NULL && "keys of objects are ours and hold no quotes");
    return (size_t)(end - before) - 1;
}

static void name_arrays(tqa_archive *archive, const tqa_result *result)
{
    const char *object = "";
    size_t n_object = 0;
    for (size_t i = 0; i < result->n_array; i++) {
        const tqa_result_array *array = &result->arrays[i];
        if (array->before != NULL) {
            object = array->before + 1;
            n_object = key_length(array->before, array->n_before);
        }
        (void)snprintf(archive->names[i], NAME, "%.*s%s%s", (int)n_object, object,
                       n_object > 0 ? "." : "", array->key);
        archive->places[i] = (tqa_result_place){.result = result, .array = i};
        archive->arrays[i] = tqa_result_view(&archive->places[i]);
        archive->columns[i] = archive->names[i];
        n_object = array->closes ? 0 : n_object;
    }
}

static tqa_archive *make_table(tqa_archive *archive, const tqa_result *result, tqa_problem *reterr)
{
    bool is_short = false;
    archive->table = tqa_result_table_new(result, archive->arrays, archive->columns, &is_short);
    if (archive->table == NULL) {
        (void)tqa_problem_set(reterr, is_short ? "busy" : "not-acceptable",
                              is_short ? "there is no memory for this table now"
                                       : "CSV has 65,536 columns at most: include less");
        tqa_archive_close(archive);
        return NULL;
    }
    return archive;
}

tqa_archive *tqa_archive_of_result(const tqa_result *result, tqa_media media, tqa_problem *reterr)
{
    tqa_archive *archive = take(reterr);
    if (archive == NULL) {
        return NULL;
    }
    name_arrays(archive, result);
    if (media == TQA_MEDIA_CSV) {
        return make_table(archive, result, reterr);
    }
    for (size_t i = 0; i < result->n_array; i++) {
        if (archive->arrays[i].rank == 0) { /* a number by itself */
            archive->arrays[i].shape[archive->arrays[i].rank++] = 1;
        }
        archive->members[i] =
            (tqa_npz_member){.name = archive->names[i], .array = &archive->arrays[i]};
    }
    if (!tqa_npz_encoder_init(&archive->encoder, archive->members, result->n_array)) {
        (void)tqa_problem_set(reterr, "not-acceptable",
                              "an NPZ file takes %d arrays and 4 GiB: include less, or accept "
                              "application/cbor",
                              (int)TQA_NPZ_MEMBERS_MAX);
        tqa_archive_close(archive);
        return NULL;
    }
    return archive;
}

static long read_text(void *ctx, uint64_t offset, void *bytes, size_t n)
{
    const tqa_archive *archive = ctx;
    const size_t left = offset < archive->n_text ? archive->n_text - (size_t)offset : 0;
    const size_t taken = n < left ? n : left;
    if (taken > 0) {
        memcpy(bytes, archive->text + offset, taken);
    }
    return (long)taken;
}

tqa_archive *tqa_archive_of_text(char *text, size_t n, tqa_media media, const char *title,
                                 bool of_samples, tqa_problem *reterr)
{
    tqa_archive *archive = take(reterr);
    if (archive == NULL) {
        free(text);
        return NULL;
    }
    archive->text = text;
    archive->n_text = n;
    const tqa_stored stored = {.read = read_text, .ctx = archive, .size = n};
    const tqa_view_options options = {.form = media == TQA_MEDIA_CSV   ? TQA_VIEW_CSV
                                              : media == TQA_MEDIA_SVG ? TQA_VIEW_SVG
                                                                       : TQA_VIEW_NPZ,
                                      .title = title,
                                      .over_rows = of_samples};
    archive->view = tqa_view_open(&options, &stored, reterr);
    if (archive->view == NULL) {
        tqa_archive_close(archive);
        return NULL;
    }
    return archive;
}

size_t tqa_archive_read(tqa_archive *archive, char *out, size_t size)
{
    if (archive->table != NULL) {
        return tqa_result_table_read(archive->table, out, size);
    }
    if (archive->view == NULL) {
        return tqa_npz_encoder_read(&archive->encoder, out, size);
    }
    const long n = tqa_view_read(archive->view, out, size);
    assert(n >= 0 && "the text is ours and does not change");
    return (size_t)n;
}

void tqa_archive_close(tqa_archive *archive)
{
    if (archive != NULL) {
        tqa_view_close(archive->view);
        tqa_result_table_free(archive->table);
        free(archive->text);
        free(archive);
    }
}
