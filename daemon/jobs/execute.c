/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/execute.c - one claimed job from its request to its end in the store: the same call
 * of api as for an immediate answer, with a host that adds progress, cancellation, checkpoints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/http/media.h"
#include "daemon/jobs/crash.h"
#include "daemon/jobs/parts.h"
#include "daemon/observe/log.h"
#include "daemon/observe/trace.h"
#include "daemon/queue/scratch.h"
#include "daemon/store/files.h"
#include "daemon/store/problem.h"

enum {
    PIECE = 64 << 10,
    PROBLEM_BYTES = 8 << 10,
    RETRY_US = 500000,
    STORAGE_TRIES = 5, /* attempts of a job whose result cannot be stored for lack of space */
};

/* The outcome of a job: its result is in memory while small, then in a file. */
typedef struct outcome {
    tqd_job_state state;
    const char *media; /* of the result */
    char *text;
    size_t n_text;
    tqd_upload *upload; /* keeps the file until the row refers to it */
    char file[TQD_DIGEST_TEXT];
    uint64_t size;
    bool requeue; /* not a fault of the job: it returns to the queue */
    tqa_problem problem;
} outcome;

/* ---------------------------------------------------------------------------------- computing */

static void fail(outcome *out, const tqa_problem *problem)
{
    out->state = TQD_JOB_FAILED;
    out->problem = *problem;
}

/* The store failed during the run. */
static void fail_store(outcome *out, tqd_store_status status)
{
    out->requeue = status != TQD_STORE_QUOTA && status != TQD_STORE_DAMAGED;
    out->state = TQD_JOB_FAILED;
    tqd_store_problem(status, &out->problem);
}

static bool feed_file(tqd_store *store, const char *digest, uint64_t size, tqa_call *call,
                      outcome *out)
{
    tqd_store_status status;
    tqd_file *file = tqd_file_open_sized(store, digest, size, &status);
    char *piece = malloc(PIECE);
    bool good = file != NULL && piece != NULL;
    uint64_t at = 0;
    if (!good) {
        fail_store(out, file == NULL ? status : TQD_STORE_NO_MEMORY);
    }
    while (good && at < size) {
        const long n = tqd_file_read(file, at, piece, PIECE);
        if (n <= 0) {
            fail_store(out, tqd_file_status(file));
            good = false;
        } else if (!tqa_call_feed(call, piece, (size_t)n)) {
            fail(out, tqa_call_problem(call));
            good = false;
        }
        at += n > 0 ? (uint64_t)n : 0;
    }
    free(piece);
    tqd_file_close(file);
    return good;
}

/* Decodes the stored request. */
static bool feed_request(tqd_runner *runner, const tqa_operation *operation, const tqa_robot *robot,
                         tqa_call **ret_call, outcome *out)
{
    tqd_store *store = runner->jobs->options.store;
    char media[TQD_MEDIA_TEXT];
    char file[TQD_DIGEST_TEXT];
    char *bytes = NULL;
    uint64_t size = 0;
    const tqd_store_status status =
        tqd_store_job_body(store, runner->job.id, TQD_BODY_REQUEST, media, &bytes, file, &size);
    if (status != TQD_STORE_OK) {
        fail_store(out, status);
        return false;
    }
    const tqa_call_head head = {.content = tqd_media_find(media),
                                .accept = TQA_MEDIA_NONE,
                                .request_id = runner->job.id,
                                .content_length = size};
    tqa_call *call = tqa_call_open(operation, robot, &head, &out->problem);
    bool good = call != NULL;
    if (!good) {
        out->state = TQD_JOB_FAILED;
        out->requeue = out->problem.status == 503;
    } else if (bytes == NULL) {
        good = feed_file(store, file, size, call, out);
    } else if (!tqa_call_feed(call, bytes, (size_t)size)) {
        fail(out, tqa_call_problem(call));
        good = false;
    }
    free(bytes);
    *ret_call = call;
    if (good && !tqa_call_finish(call)) {
        fail(out, tqa_call_problem(call));
        good = false;
    }
    return good;
}

/* Appends n bytes to the result. */
static tqd_store_status keep(tqd_store *store, outcome *out, const char *bytes, size_t n)
{
    tqd_store_status status = TQD_STORE_OK;
    out->size += n;
    if (out->upload == NULL && out->n_text + n <= TQD_JOB_ROW_BYTES) {
        memcpy(out->text + out->n_text, bytes, n);
        out->n_text += n;
        return TQD_STORE_OK;
    }
    if (out->upload == NULL) {
        out->upload = tqd_upload_open(store, &status);
        if (out->upload != NULL) {
            status = tqd_upload_append(out->upload, out->text, out->n_text);
        }
    }
    return status == TQD_STORE_OK ? tqd_upload_append(out->upload, bytes, n) : status;
}

static void keep_result(tqd_runner *runner, tqa_call *call, outcome *out)
{
    tqd_store *store = runner->jobs->options.store;
    char *piece = malloc(PIECE);
    out->text = malloc(TQD_JOB_ROW_BYTES);
    out->media = tqa_call_media(call);
    tqd_store_status status =
        piece != NULL && out->text != NULL ? TQD_STORE_OK : TQD_STORE_NO_MEMORY;
    size_t n = 1;
    while (status == TQD_STORE_OK && n > 0) {
        n = tqa_call_read(call, piece, PIECE);
        if (n > 0) {
            status = keep(store, out, piece, n);
        }
    }
    if (tqa_call_problem(call)->status != 0) { /* the answer is incomplete */
        status = TQD_STORE_NO_MEMORY;
    }
    if (status == TQD_STORE_OK && out->upload != NULL) {
        status = tqd_upload_finish(out->upload, out->file, &out->size);
    }
    free(piece);
    if (status == TQD_STORE_OK) {
        out->state = TQD_JOB_SUCCEEDED;
    } else {
        fail_store(out, status);
    }
}

/* `w` must outlive the call, whose answer may be read from the scratch file. */
static void compute(tqd_job_host *w, const tqa_operation *operation, const tqa_robot *robot,
                    outcome *out)
{
    tqd_runner *runner = w->runner;
    tqa_call *call = NULL;
    if (feed_request(runner, operation, robot, &call, out)) {
        const size_t need = tqa_call_scratch_size(call);
        void *scratch = tqd_scratch(0, need > 0 ? need : 1);
        if (scratch == NULL && need > tqd_scratch_bound()) {
            out->state = TQD_JOB_FAILED;
            tqa_problem_too_large(&out->problem, need, tqd_scratch_bound());
        } else if (scratch == NULL) {
            fail_store(out, TQD_STORE_NO_MEMORY);
        } else if (!tqa_call_run(call, &w->host, scratch, need)) {
            fail(out, tqa_call_problem(call));
        } else {
            keep_result(runner, call, out);
        }
    }
    tqa_call_close(call);
    if (w->status != TQD_STORE_OK) {
        fail_store(out, w->status);
    }
}

/* ------------------------------------------------------------------------------------- ending */

/* Its lines are found by the trace of its submission, in whatever process it runs. */
static void log_in_trace(const tqd_job *job, const char *event, const char *state)
{
    char trace_id[TQD_TRACE_ID_TEXT];
    if (job->trace[0] != '\0') {
        (void)snprintf(trace_id, sizeof trace_id, "%s", job->trace + sizeof "00-" - 1);
        tqd_log(TQD_LOG_INFO, event, TQD_TEXT("job", job->id), TQD_TEXT("trace_id", trace_id),
                TQD_TEXT("traceparent", job->trace), TQD_TEXT("state", state),
                TQD_NUMBER("attempts", job->attempts));
    }
}

/* A job that ends before its end says how far it came: since the last beat it has gone on. */
static void note_progress(tqd_runner *runner)
{
    tqd_job job = runner->job;
    tqd_jobs_refresh(runner->jobs, &job);
    tqd_job_beat beat = {.write = {.kind = TQD_WRITE_JOB_BEAT},
                         .id = job.id,
                         .fence = job.fence,
                         .lease_ms = runner->jobs->options.lease_ms,
                         .fraction = job.fraction,
                         .eta_s = job.eta_s,
                         .step = job.step};
    (void)tqd_store_write(runner->jobs->options.store, &beat.write); /* the end counts */
}

/* Ends the job, or returns it to the queue. Retried while the disk is full: the result is in
 * memory, and this run has the lease until another node claims the job. */
static void end(const tqd_job_host *w, const outcome *out, bool requeue)
{
    tqd_runner *runner = w->runner;
    char text[PROBLEM_BYTES]; /* on the stack: a failed job has its reason also without memory */
    tqd_job_finish finish = {.id = runner->job.id, .fence = runner->job.fence, .state = out->state};
    tqd_job_release release = {.id = runner->job.id, .fence = runner->job.fence};
    if (out->state == TQD_JOB_SUCCEEDED) {
        finish.result = (tqd_body){.media = out->media,
                                   .bytes = out->upload == NULL ? out->text : NULL,
                                   .file = out->file,
                                   .size = out->size};
        finish.attachments = w->attachments;
        finish.n_attachment = w->n_attachment;
    } else if (out->state == TQD_JOB_FAILED && !requeue) {
        const size_t n = tqa_problem_print(&out->problem, runner->job.id, text, sizeof text);
        finish.problem = (tqd_body){.media = "application/problem+json", .bytes = text, .size = n};
    }
    if (out->state != TQD_JOB_SUCCEEDED && !requeue) {
        note_progress(runner);
    }
    tqd_write *write = requeue ? &release.write : &finish.write;
    tqd_store_status status = TQD_STORE_OK;
    do {
        *write = (tqd_write){.kind = requeue ? TQD_WRITE_JOB_RELEASE : TQD_WRITE_JOB_FINISH};
        status = tqd_store_write(runner->jobs->options.store, write);
        if (status > TQD_STORE_OWNED && !tqd_jobs_stopping(runner->jobs)) {
            usleep(RETRY_US);
        }
    } while (status > TQD_STORE_OWNED && !tqd_jobs_stopping(runner->jobs));
    if (status == TQD_STORE_OK) {
        log_in_trace(&runner->job, "a job of a trace ended its run",
                     tqd_job_state_name(requeue ? TQD_JOB_QUEUED : out->state));
    }
    if (status == TQD_STORE_OK && !requeue) {
        tqd_scratch_file_remove(runner->jobs->options.store, runner->job.id);
    }
    if (status == TQD_STORE_MISMATCH) {
        tqd_log(TQD_LOG_WARNING, "a job's lease was lost; another run of it counts",
                TQD_TEXT("job", runner->job.id));
    } else if (status != TQD_STORE_OK) {
        tqd_log(TQD_LOG_ERROR, "a job's end cannot be stored; it will be run requeue",
                TQD_TEXT("job", runner->job.id), TQD_TEXT("reason", tqd_store_status_text(status)));
    }
}

void tqd_execute(tqd_runner *runner)
{
    outcome out = {.state = TQD_JOB_FAILED};
    const tqd_job *job = &runner->job;
    tqd_registry *registry = runner->jobs->options.registry;
    const bool with_robot = job->robot[0] != '\0';
    const tqa_operation *operation = tqa_operation_find(job->kind, strlen(job->kind), with_robot);
    const tqa_robot *robot = NULL;
    char name[TQD_NAME_TEXT + TQD_DIGEST_TEXT];
    tqd_job_host host;
    tqd_job_host_open(&host, runner);
    host.host.run_parts = tqd_parts_run;
    tqd_crash_set_job(job->id);
    if (!runner->helps) {
        log_in_trace(job, "a job of a trace runs", tqd_job_state_name(TQD_JOB_RUNNING));
    }
    if (operation == NULL) {
        tqa_problem_set(&out.problem, "invalid-value", "this version has no \"%s\"", job->kind);
    } else if (with_robot) {
        snprintf(name, sizeof name, "%s@%s", job->robot, job->robot_digest);
        robot = tqd_registry_get(registry, name, &out.problem);
        out.requeue = robot == NULL && out.problem.status >= 500;
    }
    if (operation != NULL && (robot != NULL || !with_robot)) {
        compute(&host, operation, robot, &out);
    }
    tqd_registry_release(registry, robot);
    tqd_crash_set_job(NULL);
    if (out.state == TQD_JOB_FAILED && atomic_load(&runner->overdue)) {
        tqa_problem_set(&out.problem, "took-too-long",
                        "the job did not end within %lld s (setting: jobs_time)",
                        (long long)(runner->jobs->options.time_ms / 1000));
        out.requeue = false;
    }
    const bool stopped = out.state == TQD_JOB_FAILED &&
                         (atomic_load(&runner->handed) || tqd_jobs_stopping(runner->jobs));
    const bool cancelled = atomic_load(&runner->cancelled);
    if (cancelled) {
        out.state = TQD_JOB_CANCELLED;
    }
    if (runner->helps) {
        tqd_parts_leave(runner);
    } else if (!atomic_load(&runner->lost)) {
        end(&host, &out, !cancelled && (stopped || (out.requeue && job->attempts < STORAGE_TRIES)));
    }
    tqd_job_host_close(&host);
    tqd_upload_close(out.upload);
    free(out.text);
    if (out.requeue) {
        usleep(RETRY_US); /* the store fails: back off before the next job */
    }
}
