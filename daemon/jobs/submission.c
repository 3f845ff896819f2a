/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/submission.c - the steps of a POST that becomes a job.
 *
 *     receive the body, validated as for an immediate call
 *     -> small, robot in memory: to the store's writer at once, suspended until the commit
 *     -> else: a worker validates, writes a large body to a file, and waits for the commit
 *     committed -> 202, or suspended until the job's end or the client's limit -> a worker reads it
 *
 * A job that was submitted to be waited for is kept for a short time only (tqd_job.waited). Before
 * a 202 that mark is removed, and committed: from then on the client relies on the job's id.
 */
#include "daemon/jobs/submission.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/http/answer.h"
#include "daemon/http/document.h"
#include "daemon/http/format.h"
#include "daemon/jobs/body.h"
#include "daemon/jobs/document.h"
#include "daemon/jobs/inputs.h"
#include "daemon/jobs/shares/quotas.h"
#include "daemon/jobs/submit_options.h"
#include "daemon/jobs/view.h"
#include "daemon/key.h"
#include "daemon/store/problem.h"

enum { DIGEST_BYTES = 32, BODY_FIRST = 16 << 10 };

typedef enum step {
    STEP_TAKING,
    STEP_CHECKING, /* run: validation that may block */
    STEP_STORING,  /* wait: for the commit */
    STEP_WAITING,  /* wait: for the job's end */
    STEP_READING,  /* run: reads the job's state */
    STEP_DONE,     /* the answer is ready, or on its way */
} step;

/* The write, and the exchange that its commit wakes. */
typedef struct stored {
    tqd_job_submit submit; /* first */
    tqd_jobs *jobs;
    const tqd_head *head;
} stored;

typedef struct submission {
    const tqd_handler *methods;
    tqd_jobs *jobs;
    const tqa_operation *operation;
    const tqd_head *head;
    step step;
    bool cold;
    const tqa_robot *robot;
    tqa_call *call; /* validates the body, computes nothing */
    char *body;
    size_t n_body, body_size;
    crypto_generichash_state hash;
    tqd_submit_options submit_options;
    char id[TQD_JOB_ID_TEXT];
    char digest[TQD_DIGEST_TEXT];
    char robot_name[TQD_NAME_TEXT];
    char robot_digest[TQD_DIGEST_TEXT];
    char file[TQD_DIGEST_TEXT];
    char *inputs; /* names of the data that it reads */
    stored stored;
    tqd_watch watch;
    bool watching;
    tqd_body_reader result;
    tqd_view_reader view; /* of the result, unless it is sent as stored */
    tqd_reply answer;
} submission;

bool tqd_submission_wanted(const tqa_operation *operation, const tqd_head *head)
{
    if (operation->may_outlive) {
        return true;
    }
    const char *prefer = head->header(head, "Prefer");
    return prefer != NULL && tqd_preference_read(prefer).async;
}

static void refuse(submission *s, const tqa_problem *problem)
{
    tqd_answer_problem(&s->answer, s->head->request_id, problem);
    s->step = STEP_DONE;
}

/* --------------------------------------------------------------------------------------- open */

static bool open_call(submission *s, tqa_problem *reterr)
{
    const tqd_head *head = s->head;
    tqd_format format;
    if (!tqd_format_read(head, &format, reterr)) {
        return false;
    }
    const tqa_call_head call_head = {
        .content = tqd_media_find(head->header(head, "Content-Type")),
        .accept = TQA_MEDIA_NONE, /* stored as JSON; other forms are converted from it */
        .query = format.query,
        .request_id = head->request_id,
        .content_length = head->content_length,
    };
    s->call = tqa_call_open(s->operation, s->robot, &call_head, reterr);
    if (s->call != NULL && format.query != NULL && format.query[0] != '\0') {
        /* only the body is stored, hashed and run */
        tqa_problem_set(reterr, "invalid-value",
                        "a job has a body and no query, here is \"?%.64s\"", format.query);
        tqa_problem_fault(reterr, "", "say it in the body: \"form\": \"base\"",
                          "a query with Prefer: respond-async");
        return false;
    }
    return s->call != NULL;
}

static void end(void *exchange)
{
    submission *s = exchange;
    if (s->watching) {
        tqd_event_hub_unwatch(tqd_jobs_event_hub(s->jobs), &s->watch);
    }
    tqa_call_close(s->call);
    tqd_registry_release(tqd_jobs_registry(s->jobs), s->robot);
    tqd_view_close(&s->view);
    tqd_body_close(&s->result);
    free(s->inputs);
    free(s->answer.body);
    free(s->body);
    free(s);
}

static bool find_robot(submission *s, tqa_problem *problem)
{
    if (!s->operation->needs_robot) {
        return true;
    }
    const tqd_robot_found found =
        tqd_registry_peek(tqd_jobs_registry(s->jobs), s->head->part[0], &s->robot);
    s->cold = found == TQD_ROBOT_COLD;
    if (found == TQD_ROBOT_NONE) {
        tqd_registry_unknown(tqd_jobs_registry(s->jobs), s->head->part[0], problem);
    }
    return found != TQD_ROBOT_NONE;
}

bool tqd_submission_open(tqd_jobs *jobs, const tqa_operation *operation, const tqd_head *head,
                         void **ret_exchange, tqd_reply *reply)
{
    tqa_problem problem;
    if (tqd_quotas_refuse_spent(jobs, head->who, head->request_id, reply)) {
        return false;
    }
    /* the hash state needs a stricter alignment than malloc's */
    submission *s = aligned_alloc(_Alignof(submission), sizeof *s);
    if (s == NULL) {
        tqd_answer_no_memory(reply, head->request_id);
        return false;
    }
    memset(s, 0, sizeof *s);
    s->methods = &tqd_submission_handler;
    s->jobs = jobs;
    s->operation = operation;
    s->head = head;
    s->stored.jobs = jobs;
    s->stored.head = head;
    if (!tqd_submit_options_read(head, tqd_jobs_settings(jobs)->wait_ms, &s->submit_options,
                                 &problem) ||
        !tqd_submit_form_fits(&s->submit_options, operation, &problem) ||
        !find_robot(s, &problem) || (!s->cold && !open_call(s, &problem))) {
        tqd_answer_problem(reply, head->request_id, &problem);
        end(s);
        return false;
    }
    (void)crypto_generichash_init(&s->hash, NULL, 0, DIGEST_BYTES);
    *ret_exchange = s;
    return true;
}

/* --------------------------------------------------------------------------------------- body */

static bool feed(void *exchange, const char *bytes, size_t n)
{
    submission *s = exchange;
    if (s->n_body + n > s->body_size) {
        size_t size = s->body_size != 0 ? 2 * s->body_size : BODY_FIRST;
        if (s->body_size == 0 && s->head->content_length <= s->operation->body_max) {
            size = (size_t)s->head->content_length;
        }
        size = size < s->n_body + n ? s->n_body + n : size;
        char *larger = realloc(s->body, size);
        if (larger == NULL) {
            tqd_answer_no_memory(&s->answer, s->head->request_id);
            return false;
        }
        s->body = larger;
        s->body_size = size;
    }
    memcpy(s->body + s->n_body, bytes, n);
    s->n_body += n;
    (void)crypto_generichash_update(&s->hash, (const unsigned char *)bytes, n);
    if (s->call != NULL && !tqa_call_feed(s->call, bytes, n)) {
        refuse(s, tqa_call_problem(s->call));
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------ storing */

/* Digest of everything that must be equal for an Idempotency-Key to mean the same request. */
static void make_digest(submission *s)
{
    unsigned char digest[DIGEST_BYTES];
    const char *parts[] = {s->operation->name, s->robot_name,
                           s->head->header(s->head, "Content-Type")};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *part = parts[i] != NULL ? parts[i] : "";
        (void)crypto_generichash_update(&s->hash, (const unsigned char *)part, strlen(part) + 1);
    }
    (void)crypto_generichash_final(&s->hash, digest, sizeof digest);
    (void)sodium_bin2hex(s->digest, sizeof s->digest, digest, sizeof digest);
}

static void committed(tqd_write *write)
{
    const stored *s = (const stored *)write;
    tqd_quotas_count(s->jobs, &s->submit);
    tqd_jobs_changed(s->jobs, true);
}

static void done(tqd_write *write)
{
    const tqd_head *head = ((const stored *)write)->head;
    head->wake(head);
}

/* Fills in the write, once the body is valid. False: refused. */
static bool prepare(submission *s)
{
    tqd_job_submit *submit = &s->stored.submit;
    if (s->robot != NULL) {
        snprintf(s->robot_name, sizeof s->robot_name, "%.*s", (int)strcspn(s->head->part[0], "@"),
                 s->head->part[0]);
        snprintf(s->robot_digest, sizeof s->robot_digest, "%s", tqa_robot_digest(s->robot));
    }
    if (!tqd_job_inputs(s->call, s->submit_options.client, &s->inputs)) {
        tqa_problem problem;
        tqd_store_problem(TQD_STORE_NO_MEMORY, &problem);
        refuse(s, &problem);
        return false;
    }
    tqa_call_close(s->call);
    s->call = NULL;
    make_digest(s);
    tqd_job_id_make(s->id);
    submit->write = (tqd_write){.kind = TQD_WRITE_JOB_SUBMIT, .committed = committed, .done = done};
    submit->id = s->id;
    submit->kind = s->operation->name;
    submit->robot = s->robot_name;
    submit->robot_digest = s->robot_digest;
    submit->client = s->submit_options.client;
    submit->trace = s->submit_options.trace;
    submit->key = s->submit_options.key;
    submit->waited = tqd_submit_is_waited(&s->submit_options);
    submit->priority = s->submit_options.priority;
    submit->deadline_ms = s->submit_options.deadline_ms;
    submit->digest = s->digest;
    submit->builtin =
        tqd_registry_builtin(tqd_jobs_registry(s->jobs), s->robot_name, &submit->builtin_bytes);
    submit->request = (tqd_body){
        .media = tqd_media_name(tqd_media_find(s->head->header(s->head, "Content-Type"))),
        .bytes = s->body,
        .size = s->n_body};
    submit->inputs = s->inputs;
    tqd_quotas_set(s->jobs, s->head->who, submit);
    return true;
}

/* Subscribes: from now on the job's end wakes the exchange. */
static bool watch(submission *s)
{
    s->watch.head = s->head;
    memcpy(s->watch.id, s->id, sizeof s->watch.id);
    s->watch.end_only = true;
    s->watch.until_ms = tqd_event_hub_now_ms() + s->submit_options.wait_ms;
    bool own = false; /* in both cases the answer is 202 now */
    s->watching = tqd_event_hub_watch(tqd_jobs_event_hub(s->jobs), &s->watch, &own);
    return s->watching;
}

static void refuse_store(submission *s, tqd_store_status status)
{
    tqa_problem problem;
    const tqd_job_submit *submit = &s->stored.submit;
    if (status == TQD_STORE_QUOTA && (submit->own_full || submit->client_full)) {
        tqd_quotas_refuse(submit, s->head->who, s->head->request_id, &s->answer);
        s->step = STEP_DONE;
        return;
    }
    if (status == TQD_STORE_MISMATCH) {
        tqa_problem_set(&problem, "conflict", "this Idempotency-Key was used for another request");
    } else if (status == TQD_STORE_NOT_FOUND) {
        tqa_problem_set(&problem, "unknown-robot",
                        "robot \"%s\" has been replaced meanwhile; try again",
                        tqd_key_name(s->robot_name));
    } else if (status == TQD_STORE_QUOTA && submit->queue_full) {
        tqa_problem_set(&problem, "busy", "%llu jobs wait already; try again later",
                        (unsigned long long)submit->queued_max);
        problem.retry_after_s = 5;
    } else {
        tqd_store_problem(status, &problem);
    }
    refuse(s, &problem);
}

static void answer_job(submission *s, tqd_job *job)
{
    tqd_jobs_refresh(s->jobs, job);
    tqa_writer text = {.cbor = false};
    tqa_writer_object(&text, NULL);
    tqd_job_members(&text, job);
    tqa_writer_end(&text);
    if (!tqd_document_answer(&s->answer, s->head->request_id, 202, &text)) {
        /* accepted without memory for the document: Location is enough */
        free(s->answer.body);
        memset(&s->answer, 0, sizeof s->answer);
        s->answer.constant = "{}\n";
        s->answer.n_body = 3;
    }
    s->answer.status = 202;
    s->answer.media = "application/json";
    tqd_answer_header(&s->answer, "Location", "/v1/jobs/%s", job->id);
    tqd_submit_preference_applied(&s->submit_options, true, &s->answer);
    tqd_submit_log_trace(s->head, job->id);
    s->step = STEP_DONE;
}

/* The commit has succeeded or failed: the next step. */
static tqd_next after_storing(submission *s)
{
    const tqd_store_status status = s->stored.submit.write.status;
    if (status != TQD_STORE_OK) {
        refuse_store(s, status);
        return TQD_NEXT_REPLY;
    }
    memcpy(s->id, s->stored.submit.job.id, sizeof s->id);
    if (s->submit_options.wait_ms == 0) {
        answer_job(s, &s->stored.submit.job);
        return TQD_NEXT_REPLY;
    }
    if (!watch(s)) {
        s->watch.until_ms = 0; /* too many subscriptions: no wait */
    }
    /* the job may have ended before the subscription, or long ago with a repeated key */
    s->step = STEP_READING;
    return TQD_NEXT_RUN;
}

static tqd_next finish(void *exchange)
{
    submission *s = exchange;
    if (s->step == STEP_DONE) {
        return TQD_NEXT_REPLY;
    }
    if (s->cold || s->n_body > TQD_JOB_ROW_BYTES) {
        s->step = STEP_CHECKING;
        return TQD_NEXT_RUN;
    }
    if (!tqa_call_finish(s->call)) {
        refuse(s, tqa_call_problem(s->call));
        return TQD_NEXT_REPLY;
    }
    if (!prepare(s)) {
        return TQD_NEXT_REPLY;
    }
    s->step = STEP_STORING;
    if (!tqd_store_submit(tqd_jobs_store(s->jobs), &s->stored.submit.write)) {
        return after_storing(s);
    }
    return TQD_NEXT_WAIT;
}

/* On a worker: the remaining checks, the file, the commit. */
static void check_and_store(submission *s)
{
    tqa_problem problem;
    tqd_store *store = tqd_jobs_store(s->jobs);
    if (s->cold) {
        s->robot = tqd_registry_get(tqd_jobs_registry(s->jobs), s->head->part[0], &problem);
        if (s->robot == NULL || !open_call(s, &problem)) {
            refuse(s, &problem);
            return;
        }
        if (!tqa_call_feed(s->call, s->body, s->n_body)) {
            refuse(s, tqa_call_problem(s->call));
            return;
        }
    }
    if (!tqa_call_finish(s->call)) {
        refuse(s, tqa_call_problem(s->call));
        return;
    }
    if (!prepare(s)) {
        return;
    }
    tqd_store_status status = TQD_STORE_OK;
    tqd_upload *upload = NULL;
    if (s->n_body > TQD_JOB_ROW_BYTES) {
        uint64_t size = 0;
        upload = tqd_upload_open(store, &status);
        status = upload != NULL ? tqd_upload_append(upload, s->body, s->n_body) : status;
        status = status == TQD_STORE_OK ? tqd_upload_finish(upload, s->file, &size) : status;
        s->stored.submit.request.bytes = NULL;
        s->stored.submit.request.file = s->file;
    }
    s->stored.submit.write.status =
        status == TQD_STORE_OK ? tqd_store_write(store, &s->stored.submit.write) : status;
    tqd_upload_close(upload);
    free(s->body);
    s->body = NULL;
}

/* ------------------------------------------------------------------------------------ waiting */

static size_t read_result(void *exchange, char *out, size_t size)
{
    return tqd_body_read(&((submission *)exchange)->result, out, size);
}

static size_t read_view(void *exchange, char *out, size_t size)
{
    return tqd_view_read(&((submission *)exchange)->view, out, size);
}

/* A stored problem document is of our own making: the status is at a known position, and the job's
 * id in it is replaced by this request's, which has the same length. */
static void adapt_problem(submission *s)
{
    static const char key[] = "\"request_id\":\"";
    const size_t n_id = TQD_REQUEST_ID_TEXT - 1;
    _Static_assert((int)TQD_REQUEST_ID_TEXT == (int)TQD_JOB_ID_TEXT, "one takes the other's place");
    char *body = s->answer.body;
    const char *status = memmem(body, s->answer.n_body, "\"status\":", 9);
    char *id = memmem(body, s->answer.n_body, key, sizeof key - 1);
    s->answer.status = status != NULL ? (int)strtol(status + 9, NULL, 10) : 500;
    if (id != NULL && id + sizeof key - 1 + n_id <= body + s->answer.n_body) {
        memcpy(id + sizeof key - 1, s->head->request_id, n_id);
    }
}

/* No outcome: the job may have been deleted while its client waited. */
static void refuse_outcome(submission *s, tqd_store_status status)
{
    tqa_problem problem;
    if (status == TQD_STORE_NOT_FOUND) {
        tqa_problem_set(&problem, "not-found", "job \"%s\" has been deleted meanwhile", s->id);
    } else {
        tqd_store_problem(status, &problem);
    }
    refuse(s, &problem);
}

static void answer_end(submission *s, const tqd_job *job)
{
    const bool good = job->state == TQD_JOB_SUCCEEDED;
    if (good && s->submit_options.form == TQA_VIEW_CSV &&
        tqd_body_answer_table(&s->result, tqd_jobs_store(s->jobs), job->id, NULL, s->head,
                              &s->answer, read_result)) {
        tqd_answer_header(&s->answer, "Vary", "Accept");
        tqd_answer_header(&s->answer, "Content-Location", "/v1/jobs/%s/result/parameters.csv",
                          job->id);
        tqd_submit_preference_applied(&s->submit_options, false, &s->answer);
        s->step = STEP_DONE;
        return;
    }
    const tqd_store_status status = tqd_body_open(&s->result, tqd_jobs_store(s->jobs), job->id,
                                                  good ? TQD_BODY_RESULT : TQD_BODY_PROBLEM);
    if (status != TQD_STORE_OK) {
        refuse_outcome(s, status);
        return;
    }
    if (good && s->submit_options.form != TQA_VIEW_JSON) {
        char title[TQD_JOB_TITLE];
        tqd_job_title(job, title);
        const tqa_view_options options = {.form = s->submit_options.form, .title = title};
        (void)tqd_view_answer(&s->view, &s->result, s->head, &options, &s->answer, read_view);
    } else {
        tqd_body_answer(&s->result, s->head, &s->answer, read_result);
        if (good) {
            tqd_answer_header(&s->answer, "Vary", "Accept");
        } else if (s->answer.body != NULL) {
            adapt_problem(s);
        }
    }
    tqd_answer_header(&s->answer, "Content-Location", "/v1/jobs/%s%s", job->id,
                      good ? "/result" : "");
    tqd_submit_preference_applied(&s->submit_options, false, &s->answer);
    s->step = STEP_DONE;
}

/* Before a 202: the job and its result are now kept as long as those of other jobs. */
static void accept_job(submission *s, tqd_job *job)
{
    tqd_job_keep keep = {.write = {.kind = TQD_WRITE_JOB_KEEP}, .id = s->id};
    const tqd_store_status status =
        job->waited ? tqd_store_write(tqd_jobs_store(s->jobs), &keep.write) : TQD_STORE_OK;
    if (status != TQD_STORE_OK) {
        refuse_outcome(s, status);
        return;
    }
    job->waited = false;
    answer_job(s, job);
}

/* On a worker: reads the job's present state. */
static void read_job(submission *s)
{
    tqd_job job;
    const tqd_store_status status = tqd_store_job(tqd_jobs_store(s->jobs), s->id, &job);
    if (status != TQD_STORE_OK) {
        refuse_outcome(s, status);
    } else if (job.state == TQD_JOB_SUCCEEDED || job.state == TQD_JOB_FAILED) {
        answer_end(s, &job);
    } else if (job.state == TQD_JOB_CANCELLED || tqd_event_hub_now_ms() >= s->watch.until_ms ||
               tqd_jobs_stopping(s->jobs)) {
        accept_job(s, &job);
    } else {
        s->step = STEP_WAITING;
    }
}

static void run(void *exchange)
{
    submission *s = exchange;
    switch (s->step) {
    case STEP_CHECKING:
        check_and_store(s);
        break;
    case STEP_READING:
        read_job(s);
        break;
    case STEP_DONE:
        if (s->view.view != NULL) {
            tqd_view_fill(&s->view);
        } else {
            tqd_body_fill(&s->result);
        }
        break;
    case STEP_TAKING:
    case STEP_STORING:
    case STEP_WAITING:
        break;
    }
}

static tqd_next resumed(void *exchange)
{
    submission *s = exchange;
    switch (s->step) {
    case STEP_STORING:
    case STEP_CHECKING:
        return after_storing(s);
    case STEP_WAITING:
        if (!s->watch.woken) {
            return TQD_NEXT_WAIT;
        }
        s->step = STEP_READING;
        return TQD_NEXT_RUN;
    case STEP_READING:
    case STEP_TAKING:
    case STEP_DONE:
        break;
    }
    return TQD_NEXT_REPLY;
}

static void reply(void *exchange, tqd_reply *reply)
{
    submission *s = exchange;
    *reply = s->answer;
    s->answer.body = NULL;
}

static int64_t wait_ms(void *exchange)
{
    return ((const submission *)exchange)->submit_options.wait_ms;
}

const tqd_handler tqd_submission_handler = {
    .feed = feed,
    .finish = finish,
    .resumed = resumed,
    .run = run,
    .wait_ms = wait_ms,
    .reply = reply,
    .close = end,
};
