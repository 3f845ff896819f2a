/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/archive.c - the arrays of an answer as an NPZ file. */
#include "api/response/archive.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/npy/npz.h"
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

tqa_archive *tqa_archive_of_result(const tqa_result *result, tqa_problem *reterr)
{
    tqa_archive *archive = take(reterr);
    if (archive == NULL) {
        return NULL;
    }
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
        if (archive->arrays[i].rank == 0) { /* a number by itself */
            archive->arrays[i].shape[archive->arrays[i].rank++] = 1;
        }
        archive->members[i] =
            (tqa_npz_member){.name = archive->names[i], .array = &archive->arrays[i]};
        n_object = array->closes ? 0 : n_object;
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

tqa_archive *tqa_archive_of_text(char *text, size_t n, tqa_problem *reterr)
{
    tqa_archive *archive = take(reterr);
    if (archive == NULL) {
        free(text);
        return NULL;
    }
    archive->text = text;
    archive->n_text = n;
    const tqa_stored stored = {.read = read_text, .ctx = archive, .size = n};
    const tqa_view_options options = {.form = TQA_VIEW_NPZ};
    archive->view = tqa_view_open(&options, &stored, reterr);
    if (archive->view == NULL) {
        tqa_archive_close(archive);
        return NULL;
    }
    return archive;
}

size_t tqa_archive_read(tqa_archive *archive, char *out, size_t size)
{
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
        free(archive->text);
        free(archive);
    }
}
