/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/streams.c - Server-Sent Events. A stream reads the event hub on the I/O thread; older
 * events, which the hub has dropped or never had, a worker reads from the store. Between events the
 * connection is suspended. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/http/answer.h"
#include "daemon/http/bearer.h"
#include "daemon/jobs/document.h"
#include "daemon/jobs/exchange.h"
#include "daemon/jobs/handlers.h"
#include "daemon/key.h"
#include "daemon/store/problem.h"

enum {
    PAGE = 64,       /* events printed at once */
    BEAT_MS = 15000, /* a comment as keep-alive, for proxies and clients */
    TEXT_BYTES = 64 + PAGE * TQD_HUB_EVENT_BYTES,
};

typedef struct stream {
    tqd_jobs *jobs;
    const tqd_head *head;
    const char *key; /* of the namespace that it is of */
    tqd_watch watch;
    bool watching, begun, one, over;
    bool resumes;     /* after last_seq, from the client's Last-Event-ID */
    bool catching_up; /* the store has events that the hub has dropped */
    uint64_t last_seq, position;
    int64_t sent_ms;
    size_t n_text, at;
    tqd_reply answer;
    char text[TEXT_BYTES];
} stream;

static void end(void *arg)
{
    stream *s = arg;
    if (s->watching) {
        tqd_event_hub_unwatch(tqd_jobs_event_hub(s->jobs), &s->watch);
    }
    free(s->answer.body);
    free(s);
}

/* Last-Event-ID: the number of an event as it was sent. Clients that have received none send an
 * empty one. */
static bool read_last(const tqd_head *head, bool *ret_sent, uint64_t *ret, tqa_problem *problem)
{
    const char *text = head->header(head, "Last-Event-ID");
    const size_t n = text != NULL ? strspn(text, "0123456789") : 0;
    *ret_sent = n > 0;
    if (text != NULL && (text[n] != '\0' || n > 18)) {
        tqa_problem_set(problem, "invalid-value", "Last-Event-ID is the number of an event");
        return false;
    }
    *ret = n > 0 ? strtoull(text, NULL, 10) : 0;
    return true;
}

/* ?ticket= has been read at admission; there is no other parameter. */
static bool check_query(const tqd_head *head, tqa_problem *problem)
{
    char name[TQD_QUERY_TEXT];
    char value[TQD_QUERY_TEXT];
    bool bad = false;
    bool other = false;
    const char *query = head->query;
    while (tqd_query_next(&query, name, value, &bad)) {
        other = other || strcmp(name, "ticket") != 0;
    }
    if (bad || other) {
        tqa_problem_set(problem, "invalid-value",
                        "an event stream takes ?ticket=, from POST /v1/tickets, and nothing else");
    }
    return !bad && !other;
}

static bool begin(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    bool resumes = false;
    uint64_t last_seq = 0;
    tqa_problem problem;
    if (!check_query(head, &problem) || !read_last(head, &resumes, &last_seq, &problem)) {
        tqd_answer_problem(reply, head->request_id, &problem);
        return false;
    }
    stream *s = calloc(1, sizeof *s);
    if (s == NULL) {
        tqd_answer_no_memory(reply, head->request_id);
        return false;
    }
    s->jobs = ctx;
    s->head = head;
    s->key = tqd_identity_key(head->who);
    s->resumes = resumes;
    s->last_seq = last_seq;
    s->one = head->part[0][0] != '\0';
    snprintf(s->watch.id, sizeof s->watch.id, "%s", head->part[0]);
    s->watch.head = head;
    s->sent_ms = tqd_event_hub_now_ms();
    s->watch.until_ms = s->sent_ms + BEAT_MS;
    bool own = false;
    if (!tqd_event_hub_watch(tqd_jobs_event_hub(s->jobs), &s->watch, &own)) {
        if (own) {
            tqa_problem_set(&problem, "too-many-requests",
                            "\"%s\" has as many streams open as it may (streams= of its token, or "
                            "client_share)",
                            head->who->client);
        } else {
            tqa_problem_set(&problem, "busy", "as many streams are open as the settings allow");
        }
        problem.retry_after_s = 5;
        tqd_answer_problem(reply, head->request_id, &problem);
        end(s);
        return false;
    }
    s->watching = true;
    *ret_exchange = s;
    return true;
}

static void print(stream *s, const tqd_hub_event *news)
{
    if (news->seq != 0) {
        if (news->seq <= s->last_seq) {
            return; /* already sent by the store's part */
        }
        s->last_seq = news->seq;
        s->over = s->one && news->state >= TQD_JOB_SUCCEEDED;
    }
    s->n_text += tqd_hub_event_print(news, s->text + s->n_text);
}

/* --------------------------------------------------------------------------------- on a worker */

typedef struct page {
    stream *s;
    size_t n;
} page;

static int add_event(void *ctx, const tqd_job_event *event)
{
    page *p = ctx;
    const bool is_own = p->s->one || tqd_key_is_beside(event->client, p->s->key);
    tqd_hub_event news = {.seq = event->seq,
                          .state = event->state,
                          .attempts = event->attempts,
                          .at_ms = event->at_ms};
    memcpy(news.id, event->id, sizeof news.id);
    if (is_own) {
        print(p->s, &news);
    } else if (event->seq > p->s->last_seq) {
        p->s->last_seq = event->seq;
    }
    return ++p->n == PAGE;
}

static tqd_store_status catch_up(stream *s)
{
    page p = {.s = s, .n = 0};
    uint64_t newest = 0;
    s->at = 0;
    s->n_text = 0;
    /* hub position before the store is read: events between both are read twice and sent once */
    const uint64_t position = tqd_event_hub_end(tqd_jobs_event_hub(s->jobs), &newest);
    const tqd_store_status status =
        tqd_store_events(tqd_jobs_store(s->jobs), s->one ? s->head->part[0] : NULL, s->last_seq,
                         PAGE, add_event, &p);
    if (status == TQD_STORE_OK && p.n < PAGE) {
        s->catching_up = false;
        s->position = position;
    }
    return status;
}

static void refuse(stream *s, tqd_store_status status)
{
    tqa_problem problem;
    if (status == TQD_STORE_NOT_FOUND) {
        tqa_problem_set(&problem, "not-found", "there is no job \"%.64s\"", s->head->part[0]);
    } else {
        tqd_store_problem(status, &problem);
    }
    tqd_answer_problem(&s->answer, s->head->request_id, &problem);
}

/* Where the stream begins: after Last-Event-ID; else at the job's first event, or now. */
static tqd_store_status find_start(stream *s)
{
    uint64_t newest = 0;
    s->position = tqd_event_hub_end(tqd_jobs_event_hub(s->jobs), &newest);
    s->catching_up = s->resumes || s->one;
    if (!s->catching_up) {
        s->last_seq = newest;
    }
    if (!s->one) {
        return TQD_STORE_OK;
    }
    tqd_job job;
    return tqd_job_find(s->jobs, s->head, &job);
}

static size_t read_stream(void *arg, char *out, size_t size);

static void start(stream *s)
{
    tqd_store_status status = find_start(s);
    if (status == TQD_STORE_OK && s->catching_up) {
        status = catch_up(s);
    }
    if (status != TQD_STORE_OK) {
        refuse(s, status);
        return;
    }
    tqd_job job;
    if (s->one && s->n_text == 0 && s->resumes &&
        tqd_store_job(tqd_jobs_store(s->jobs), s->head->part[0], &job) == TQD_STORE_OK &&
        job.state >= TQD_JOB_SUCCEEDED) {
        /* all events have been sent: status 204 stops a browser from reconnecting */
        s->answer.status = 204;
        return;
    }
    if (s->n_text == 0) {
        /* A browser reports the stream as open only after its first bytes. The id is that of the
         * event before this stream: a client that loses it before its first event resumes there. */
        s->n_text = (size_t)snprintf(s->text, 64, "retry: 2000\nid: %" PRIu64 "\n\n", s->last_seq);
    }
    s->answer.status = 200;
    s->answer.media = "text/event-stream";
    tqd_answer_header(&s->answer, "Cache-Control", "no-store");
    tqd_answer_header(&s->answer, "X-Accel-Buffering", "no");
    s->answer.read = read_stream;
}

static void run(void *arg)
{
    stream *s = arg;
    if (!s->begun) {
        start(s);
        s->begun = true;
    } else if (catch_up(s) != TQD_STORE_OK) {
        s->over = true; /* the client reconnects with its Last-Event-ID */
    }
}

/* ---------------------------------------------------------------------------- on the I/O thread */

static void take_news(stream *s)
{
    tqd_hub_page news = {.text = s->text, .size = sizeof s->text, .last_seq = s->last_seq};
    tqd_event_hub_read(tqd_jobs_event_hub(s->jobs), &s->watch, &s->position, &news);
    s->at = 0;
    s->n_text = news.n_text;
    s->last_seq = news.last_seq;
    s->over = s->over || news.ended;
    s->catching_up = news.lost;
    if (news.n_event == 0 && tqd_event_hub_now_ms() - s->sent_ms >= BEAT_MS) {
        s->n_text = (size_t)snprintf(s->text, 8, ":\n\n");
    }
}

static size_t read_stream(void *arg, char *out, size_t size)
{
    stream *s = arg;
    if (s->at == s->n_text) {
        if (s->over) {
            return 0;
        }
        if (s->catching_up) {
            return TQD_READ_RUN;
        }
        take_news(s);
        if (s->n_text == 0) {
            return s->catching_up ? TQD_READ_RUN : TQD_READ_WAIT;
        }
    }
    const size_t left = s->n_text - s->at;
    const size_t n = left < size ? left : size;
    memcpy(out, s->text + s->at, n);
    s->at += n;
    s->sent_ms = tqd_event_hub_now_ms();
    tqd_event_hub_until(tqd_jobs_event_hub(s->jobs), &s->watch, s->sent_ms + BEAT_MS);
    return n;
}

static void give_reply(void *arg, tqd_reply *reply)
{
    stream *s = arg;
    *reply = s->answer;
    s->answer.body = NULL;
}

const tqd_handler tqd_events_handler = {
    .open = begin, .finish = tqd_always_run, .run = run, .reply = give_reply, .close = end};
