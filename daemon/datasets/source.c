/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/datasets/source.c - resolves a name to its bytes: a file, or a small result in a row. */
#include "daemon/datasets/source.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/datasets/samples.h"
#include "daemon/key.h"
#include "daemon/store/datasets.h"
#include "daemon/store/files.h"
#include "daemon/store/jobs.h"

static_assert(sizeof((tqa_source *)0)->media == TQD_MEDIA_TEXT, "copied whole");
static_assert(sizeof((tqa_source *)0)->digest == TQD_DIGEST_TEXT, "copied whole");

static const char job_prefix[] = "job:";

/* the id of "job:{id}", else NULL */
static const char *job_of(const char *name)
{
    const size_t n = sizeof job_prefix - 1;
    return strncmp(name, job_prefix, n) == 0 ? name + n : NULL;
}

static bool has_digest_length(const char *text)
{
    return strlen(text) == TQD_DIGEST_TEXT - 1;
}

/* the row of "name", or of "name@sha256" while that is the present version or an input of a job */
static tqd_store_status find_dataset(tqd_store *store, const char *beside, const char *name,
                                     tqd_dataset_row *ret_row)
{
    char key[TQD_NAME_TEXT];
    char plain[TQD_NAME_TEXT];
    const size_t n = strcspn(name, "@");
    if (n >= sizeof plain) {
        return TQD_STORE_NOT_FOUND;
    }
    memcpy(plain, name, n);
    plain[n] = '\0';
    const char *version = name[n] == '@' ? name + n + 1 : NULL;
    const tqd_sample *sample = tqd_sample_find(name, n);
    if (sample != NULL) {
        *ret_row = sample->row;
        return version == NULL || strcmp(version, sample->row.digest) == 0 ? TQD_STORE_OK
                                                                           : TQD_STORE_NOT_FOUND;
    }
    if (!tqd_key_make(beside, plain, key, sizeof key)) {
        return TQD_STORE_NOT_FOUND;
    }
    const tqd_store_status status = tqd_store_dataset(store, key, ret_row, NULL);
    if (version == NULL || (status != TQD_STORE_OK && status != TQD_STORE_NOT_FOUND) ||
        (status == TQD_STORE_OK && strcmp(version, ret_row->digest) == 0)) {
        return status;
    }
    /* a former version exists as long as it is an input of a job */
    if (!has_digest_length(version)) {
        return TQD_STORE_NOT_FOUND;
    }
    memcpy(ret_row->digest, version, sizeof ret_row->digest);
    return tqd_store_input_version(store, key, version, ret_row->media, &ret_row->size);
}

/* The result of a job of this namespace; as tqd_store_job_body. */
static tqd_store_status find_result(tqd_store *store, const char *beside, const char *id,
                                    char media[TQD_MEDIA_TEXT], char **ret_bytes,
                                    char digest[TQD_DIGEST_TEXT], uint64_t *ret_size)
{
    tqd_job job;
    const tqd_store_status status = tqd_store_job(store, id, &job);
    *ret_bytes = NULL;
    return status != TQD_STORE_OK ? status
           : !tqd_key_is_beside(job.client, beside)
               ? TQD_STORE_NOT_FOUND
               : tqd_store_job_body(store, id, TQD_BODY_RESULT, media, ret_bytes, digest, ret_size);
}

tqd_store_status tqd_source_find(tqd_store *store, const char *beside, const char *name,
                                 tqa_source *ret)
{
    const char *job = job_of(name);
    tqd_store_status status;
    memset(ret, 0, sizeof *ret);
    if (job != NULL) {
        char *bytes = NULL;
        status = find_result(store, beside, job, ret->media, &bytes, ret->digest, &ret->size);
        free(bytes);
        return status;
    }
    tqd_dataset_row row;
    status = find_dataset(store, beside, name, &row);
    if (status == TQD_STORE_OK) {
        memcpy(ret->media, row.media, sizeof ret->media);
        memcpy(ret->digest, row.digest, sizeof ret->digest);
        ret->size = row.size;
    }
    return status;
}

/* *ret_bytes: a small result, whole, malloc'ed; else NULL and the digest of a file */
static tqd_store_status find_bytes(tqd_store *store, const char *beside, const char *name,
                                   char **ret_bytes, char digest[TQD_DIGEST_TEXT],
                                   uint64_t *ret_size)
{
    const char *job = job_of(name);
    const char *version = strchr(name, '@');
    char media[TQD_MEDIA_TEXT];
    *ret_bytes = NULL;
    *ret_size = TQD_FILE_ANY_SIZE;
    if (job != NULL) {
        return find_result(store, beside, job, media, ret_bytes, digest, ret_size);
    }
    if (version != NULL) {
        snprintf(digest, TQD_DIGEST_TEXT, "%s", version + 1);
        return TQD_STORE_OK;
    }
    tqd_dataset_row row;
    char key[TQD_NAME_TEXT];
    const tqd_store_status status = tqd_key_make(beside, name, key, sizeof key)
                                        ? tqd_store_dataset(store, key, &row, NULL)
                                        : TQD_STORE_NOT_FOUND;
    if (status == TQD_STORE_OK) {
        memcpy(digest, row.digest, TQD_DIGEST_TEXT);
        *ret_size = row.size;
    }
    return status;
}

long tqd_source_read(tqd_store *store, const char *beside, const char *name, uint64_t offset,
                     void *bytes, size_t n, tqd_store_status *ret_status)
{
    char digest[TQD_DIGEST_TEXT];
    char *row = NULL;
    uint64_t size = 0;
    long got = -1;
    const tqd_sample *sample = tqd_sample_find(name, strcspn(name, "@"));
    *ret_status = TQD_STORE_OK;
    if (sample != NULL) {
        const uint64_t left = offset < sample->row.size ? sample->row.size - offset : 0;
        got = (long)(left < n ? left : n);
        memcpy(bytes, sample->bytes + (left > 0 ? offset : 0), (size_t)got);
        return got;
    }
    *ret_status = find_bytes(store, beside, name, &row, digest, &size);
    if (*ret_status != TQD_STORE_OK) {
        return -1;
    }
    if (row != NULL) {
        const uint64_t left = offset < size ? size - offset : 0;
        got = (long)(left < n ? left : n);
        memcpy(bytes, row + (left > 0 ? offset : 0), (size_t)got);
        free(row);
        return got;
    }
    return tqd_store_file_read(store, digest, size, offset, bytes, n, ret_status);
}
