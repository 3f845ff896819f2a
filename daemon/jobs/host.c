/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/host.c - progress, cancellation, checkpoints, scratch file and attachments of a
 * running job. */
#include "daemon/jobs/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/datasets/samples.h"
#include "daemon/jobs/crash.h"
#include "daemon/jobs/inputs.h"
#include "daemon/observe/log.h"
#include "daemon/queue/workers.h"

static const tqa_robot *host_robot_get(void *ctx, const char *name, tqa_problem *reterr)
{
    const tqa_host *base = ((const tqd_job_host *)ctx)->base;
    return base->robot_get(base->ctx, name, reterr);
}

static void host_robot_release(void *ctx, const tqa_robot *robot)
{
    const tqa_host *base = ((const tqd_job_host *)ctx)->base;
    base->robot_release(base->ctx, robot);
}

/* A crash of a helper thread counts against the job. */
typedef struct attributed_loop {
    const char *id;
    void (*body)(void *arg, size_t i, void *scratch);
    void *arg;
} attributed_loop;

static void blamed_body(void *arg, size_t i, void *scratch)
{
    const attributed_loop *loop = arg;
    const char *before = tqd_crash_job();
    tqd_crash_set_job(loop->id);
    loop->body(loop->arg, i, scratch);
    tqd_crash_set_job(before);
}

static void host_parallel_for(void *ctx, size_t n, size_t scratch_size,
                              void (*body)(void *arg, size_t i, void *scratch), void *arg)
{
    const tqa_host *base = ((const tqd_job_host *)ctx)->base;
    tqd_runner *runner = ((tqd_job_host *)ctx)->runner;
    attributed_loop loop = {.id = runner->job.id, .body = body, .arg = arg};
    base->parallel_for(base->ctx, n, scratch_size, blamed_body, &loop);
}

static void host_progress(void *ctx, double fraction, const char *step)
{
    tqd_runner *runner = ((tqd_job_host *)ctx)->runner;
    pthread_mutex_lock(&runner->mutex);
    runner->fraction = fraction < 0.0 ? 0.0 : fraction > 1.0 ? 1.0 : fraction;
    if (step != NULL) {
        snprintf(runner->step, sizeof runner->step, "%s", step);
    }
    runner->moved = true;
    pthread_mutex_unlock(&runner->mutex);
}

static bool host_cancelled(void *ctx)
{
    tqd_runner *runner = ((tqd_job_host *)ctx)->runner;
    tqd_workers_beat(); /* heartbeat of a helping worker */
    const int64_t most_ms = runner->jobs->options.time_ms;
    if (most_ms > 0 && tqd_event_hub_now_ms() - runner->begun_ms > most_ms) {
        atomic_store(&runner->overdue, true);
        return true;
    }
    if (atomic_load(&runner->jobs->drained)) {
        atomic_store(&runner->handed, true);
    }
    return atomic_load(&runner->handed) || atomic_load(&runner->cancelled) ||
           atomic_load(&runner->lost) || tqd_jobs_stopping(runner->jobs);
}

enum { CHECKPOINT_MS = 1000 }; /* at most this much computation is lost with the process */

static int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool host_checkpoint_due(void *ctx)
{
    return clock_ms() - ((const tqd_job_host *)ctx)->saved_ms >= CHECKPOINT_MS;
}

/* Bytes after a head, in the row or as a file. */
static tqd_store_status put_body(tqd_store *store, const tqd_checkpoint_head *head,
                                 const void *bytes, size_t n, tqd_job_checkpoint *write)
{
    write->body = (tqd_body){.media = "application/octet-stream", .size = sizeof *head + n};
    if (write->body.size <= TQD_JOB_ROW_BYTES) {
        char *whole = malloc(sizeof *head + n);
        if (whole == NULL) {
            return TQD_STORE_NO_MEMORY;
        }
        memcpy(whole, head, sizeof *head);
        memcpy(whole + sizeof *head, bytes, n);
        write->body.bytes = whole;
        const tqd_store_status status = tqd_store_write(store, &write->write);
        free(whole);
        return status;
    }
    tqd_store_status status = TQD_STORE_OK;
    tqd_upload *upload = tqd_upload_open(store, &status);
    char file[TQD_DIGEST_TEXT];
    uint64_t size = 0;
    status = upload != NULL ? tqd_upload_append(upload, head, sizeof *head) : status;
    status = status == TQD_STORE_OK ? tqd_upload_append(upload, bytes, n) : status;
    status = status == TQD_STORE_OK ? tqd_upload_finish(upload, file, &size) : status;
    if (status == TQD_STORE_OK) {
        write->body.file = file;
        status = tqd_store_write(store, &write->write);
    }
    tqd_upload_close(upload);
    return status;
}

static int host_checkpoint_save(void *ctx, const void *bytes, size_t n)
{
    tqd_job_host *w = ctx;
    tqd_runner *runner = w->runner;
    tqd_job_checkpoint write = {.write = {.kind = TQD_WRITE_JOB_CHECKPOINT},
                                .id = runner->job.id,
                                .fence = runner->job.fence,
                                .lease_ms = runner->jobs->options.lease_ms,
                                .bytes_max = runner->jobs->options.bytes_max};
    tqd_store_status status = TQD_STORE_OK;
    if (w->scratch_file != NULL) {
        status = tqd_scratch_file_sync(w->scratch_file);
    }
    if (status == TQD_STORE_OK) {
        const tqd_checkpoint_head head = tqd_checkpoint_head_of(&w->sum);
        status = put_body(runner->jobs->options.store, &head, bytes, n, &write);
    }
    if (status == TQD_STORE_MISMATCH) {
        atomic_store(&runner->lost, true);
    }
    w->saved_ms = clock_ms(); /* after saving: the interval is computation time */
    return status == TQD_STORE_OK ? 0 : -1;
}

/* Bytes of the last checkpoint, after its head, that fit into `size`; 0: none. */
static size_t get_body(const tqd_runner *runner, tqd_checkpoint_head *ret_head, void *bytes,
                       size_t size)
{
    tqd_store *store = runner->jobs->options.store;
    char media[TQD_MEDIA_TEXT];
    char file[TQD_DIGEST_TEXT];
    char *kept = NULL;
    uint64_t whole = 0;
    if (tqd_store_job_body(store, runner->job.id, TQD_BODY_CHECKPOINT, media, &kept, file,
                           &whole) != TQD_STORE_OK) {
        return 0;
    }
    size_t n = whole > sizeof *ret_head ? (size_t)whole - sizeof *ret_head : 0;
    if (n > size) {
        n = 0; /* a checkpoint of another operation */
    } else if (n > 0 && kept != NULL) {
        memcpy(ret_head, kept, sizeof *ret_head);
        memcpy(bytes, kept + sizeof *ret_head, n);
    } else if (n > 0) {
        tqd_store_status ignored; /* a damaged checkpoint is ignored: the job restarts from the
                                     beginning */
        tqd_file *open = tqd_file_open_sized(store, file, whole, &ignored);
        const long head = (long)sizeof *ret_head;
        if (open == NULL || tqd_file_read(open, 0, ret_head, sizeof *ret_head) != head ||
            tqd_file_read(open, sizeof *ret_head, bytes, n) != (long)n) {
            n = 0;
        }
        tqd_file_close(open);
    }
    free(kept);
    return n;
}

/* ------------------------------------------------------------------ scratch file, attachments */

/* A failure of the store ends the run: execute reports it instead of the call's own problem. */
static int outcome_of(tqd_job_host *w, tqd_store_status status)
{
    if (status == TQD_STORE_OK) {
        return 0;
    }
    w->status = status;
    return -1;
}

static bool open_spool(tqd_job_host *w)
{
    tqd_store_status status = TQD_STORE_OK;
    if (w->scratch_file == NULL) {
        w->scratch_file = tqd_scratch_file_open(w->runner->jobs->options.store, w->runner->job.id,
                                                w->runner->job.fence, &status);
    }
    return outcome_of(w, status) == 0;
}

static int host_spool_write(void *ctx, uint64_t offset, const void *bytes, size_t n)
{
    tqd_job_host *w = ctx;
    if (atomic_load(&w->runner->lost) || !open_spool(w)) {
        return -1;
    }
    if (w->sum.size > offset && !tqd_spool_sum_to(&w->sum, w->scratch_file, offset)) {
        return outcome_of(w, TQD_STORE_BROKEN);
    }
    const tqd_store_status status = tqd_scratch_file_write(w->scratch_file, offset, bytes, n);
    if (status == TQD_STORE_OK) {
        if (!tqd_spool_sum_to(&w->sum, w->scratch_file, offset)) {
            return outcome_of(w, TQD_STORE_BROKEN);
        }
        tqd_spool_sum_add(&w->sum, bytes, n);
    }
    return status == TQD_STORE_MISMATCH ? -1 : outcome_of(w, status);
}

static long host_spool_read(void *ctx, uint64_t offset, void *bytes, size_t n)
{
    tqd_job_host *w = ctx;
    if (!open_spool(w)) {
        return -1;
    }
    const long got = tqd_scratch_file_read(w->scratch_file, offset, bytes, n);
    (void)outcome_of(w, got < 0 ? TQD_STORE_BROKEN : TQD_STORE_OK);
    return got;
}

static size_t host_checkpoint_load(void *ctx, void *bytes, size_t size)
{
    tqd_job_host *w = ctx;
    tqd_checkpoint_head head;
    const size_t n = get_body(w->runner, &head, bytes, size);
    if (n == 0) {
        return 0;
    }
    const char *why = NULL;
    if (!tqd_checkpoint_is_own(&head)) {
        why = "another version of the program wrote its checkpoint";
    } else if ((head.spool_size > 0 && !open_spool(w)) ||
               !tqd_checkpoint_has_spool(&head, w->scratch_file, &w->sum)) {
        why = "rows that its checkpoint records are lost or damaged";
    }
    if (why != NULL) {
        w->sum.size = 0;
        tqd_log(TQD_LOG_WARNING, "a job begins anew", TQD_TEXT("job", w->runner->job.id),
                TQD_TEXT("reason", why));
        return 0;
    }
    tqd_log(TQD_LOG_INFO, "a job continues from its checkpoint", TQD_TEXT("job", w->runner->job.id),
            TQD_NUMBER("bytes", n));
    return n;
}

static bool is_good_name(const tqd_job_host *w, const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const size_t n = strlen(name);
    bool good = n > 0 && n < TQD_ATTACHMENT_NAME_TEXT && strspn(name, letters) == n;
    for (size_t i = 0; i < w->n_attachment; i++) {
        good = good && strcmp(w->attachments[i].name, name) != 0;
    }
    return good;
}

static tqd_store_status keep_bytes(tqd_job_host *w, size_t i, const void *bytes, size_t n)
{
    tqd_body *body = &w->attachments[i].body;
    tqd_store_status status = TQD_STORE_OK;
    body->size = n;
    if (n <= TQD_JOB_ROW_BYTES) {
        w->kept[i].bytes = malloc(n + 1);
        if (w->kept[i].bytes == NULL) {
            return TQD_STORE_NO_MEMORY;
        }
        memcpy(w->kept[i].bytes, bytes, n);
        body->bytes = w->kept[i].bytes;
        return TQD_STORE_OK;
    }
    tqd_upload *upload = tqd_upload_open(w->runner->jobs->options.store, &status);
    w->kept[i].upload = upload;
    body->file = w->kept[i].file;
    status = upload != NULL ? tqd_upload_append(upload, bytes, n) : status;
    return status == TQD_STORE_OK ? tqd_upload_finish(upload, w->kept[i].file, &body->size)
                                  : status;
}

static int host_attach(void *ctx, const char *name, const char *media, const void *bytes, size_t n)
{
    tqd_job_host *w = ctx;
    const size_t i = w->n_attachment;
    if (i == TQA_ATTACH_MAX || !is_good_name(w, name) || strlen(media) >= TQD_MEDIA_TEXT) {
        return -1;
    }
    tqd_attachment *attachment = &w->attachments[i];
    snprintf(attachment->name, sizeof attachment->name, "%s", name);
    snprintf(w->kept[i].media, sizeof w->kept[i].media, "%s", media);
    attachment->body.media = w->kept[i].media;
    w->n_attachment++;
    return outcome_of(w, keep_bytes(w, i, bytes, n));
}

/* ------------------------------------------------------------------------------------- sources */

/* An input in its version at the time of submission. An input that
 * did not exist then, such as the result of a waiting job, is resolved now. */
static tqd_store_status find_input(const tqd_job_host *w, const char *name, tqa_source *ret,
                                   char **ret_bytes)
{
    char key[TQD_JOB_INPUT_TEXT];
    return tqd_job_input_key(w->runner->job.client, name, key)
               ? tqd_store_job_input(w->runner->jobs->options.store, w->runner->job.id, key,
                                     ret->media, ret_bytes, ret->digest, &ret->size)
               : TQD_STORE_NOT_FOUND;
}

static int host_dataset_look(void *ctx, const char *name, tqa_source *ret)
{
    char *bytes = NULL;
    memset(ret, 0, sizeof *ret);
    const tqd_store_status status = find_input(ctx, name, ret, &bytes);
    free(bytes);
    if (status != TQD_STORE_NOT_FOUND) {
        return outcome_of(ctx, status);
    }
    const tqa_host *base = ((const tqd_job_host *)ctx)->base;
    return base->dataset_look(base->ctx, name, ret);
}

static long read_file(tqd_job_host *w, const tqa_source *input, uint64_t offset, void *bytes,
                      size_t n)
{
    tqd_store_status status;
    const long got = tqd_store_file_read(w->runner->jobs->options.store, input->digest, input->size,
                                         offset, bytes, n, &status);
    (void)outcome_of(w, status);
    return got;
}

static long host_dataset_read(void *ctx, const char *name, uint64_t offset, void *bytes, size_t n)
{
    tqa_source input;
    char *row = NULL;
    const char *version = strchr(name, '@');
    const tqa_host *base = ((const tqd_job_host *)ctx)->base;
    if (tqd_sample_find(name, strcspn(name, "@")) != NULL) { /* samples are not files */
        return base->dataset_read(base->ctx, name, offset, bytes, n);
    }
    tqd_store_status status = find_input(ctx, name, &input, &row);
    if (status == TQD_STORE_OK && row != NULL) {
        const uint64_t left = offset < input.size ? input.size - offset : 0;
        const size_t some = left < n ? (size_t)left : n;
        memcpy(bytes, row + (left > 0 ? offset : 0), some);
        free(row);
        return (long)some;
    }
    if (status == TQD_STORE_NOT_FOUND && version != NULL) {
        snprintf(input.digest, sizeof input.digest, "%s", version + 1);
        input.size = TQD_FILE_ANY_SIZE;
        status = TQD_STORE_OK;
    }
    if (status != TQD_STORE_NOT_FOUND) {
        return status == TQD_STORE_OK ? read_file(ctx, &input, offset, bytes, n)
                                      : outcome_of(ctx, status);
    }
    return base->dataset_read(base->ctx, name, offset, bytes, n);
}

void tqd_job_host_open(tqd_job_host *w, tqd_runner *runner)
{
    memset(w, 0, sizeof *w);
    const tqd_jobs_options *options = &runner->jobs->options;
    w->runner = runner;
    w->base = options->host_of != NULL ? options->host_of(options->host_ctx, runner->job.client)
                                       : options->host;
    w->saved_ms = clock_ms();
    w->host = (tqa_host){.ctx = w,
                         .robot_get = host_robot_get,
                         .robot_release = host_robot_release,
                         .parallel_for = host_parallel_for,
                         .progress = host_progress,
                         .cancelled = host_cancelled,
                         .checkpoint_save = host_checkpoint_save,
                         .checkpoint_load = host_checkpoint_load,
                         .checkpoint_due = host_checkpoint_due,
                         .spool_write = host_spool_write,
                         .spool_read = host_spool_read,
                         .attach = host_attach,
                         .dataset_look = host_dataset_look,
                         .dataset_read = host_dataset_read};
}

void tqd_job_host_close(tqd_job_host *w)
{
    for (size_t i = 0; i < w->n_attachment; i++) {
        tqd_upload_close(w->kept[i].upload);
        free(w->kept[i].bytes);
    }
    tqd_scratch_file_close(w->scratch_file);
}
