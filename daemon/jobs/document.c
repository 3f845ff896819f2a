/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/document.c - writes jobs and events as JSON. */
#include "daemon/jobs/document.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "daemon/http/document.h"
#include "daemon/key.h"

/* 0: the event has not happened. */
static void put_time(tqa_writer *to, const char *key, int64_t ms)
{
    if (ms != 0) {
        tqd_document_time(to, key, ms);
    } else {
        tqa_writer_null(to, key);
    }
}

/* A negative value is unknown: null. */
static void put_quantity(tqa_writer *to, const char *key, double x)
{
    tqa_writer_number_or_null(to, key, x >= 0.0 ? x : (double)NAN);
}

static void put_progress(tqa_writer *to, double fraction, double eta_s, const char *step)
{
    tqa_writer_object(to, "progress");
    put_quantity(to, "fraction", fraction);
    tqa_writer_string(to, "step", step);
    put_quantity(to, "eta_s", eta_s);
    tqa_writer_end(to);
}

void tqd_job_members(tqa_writer *document, const tqd_job *job)
{
    tqa_writer_string(document, "id", job->id);
    tqa_writer_string(document, "kind", job->kind);
    tqd_document_text(document, "robot", tqd_key_name(job->robot));
    tqd_document_text(document, "robot_digest", job->robot[0] != '\0' ? job->robot_digest : "");
    tqa_writer_string(document, "state", tqd_job_state_name(job->state));
    tqa_writer_integer(document, "priority", job->priority);
    put_progress(document, job->fraction, job->eta_s, job->step);
    put_time(document, "created", job->created_ms);
    put_time(document, "started", job->started_ms);
    put_time(document, "finished", job->finished_ms);
    put_time(document, "expires", job->expires_ms);
    tqa_writer_count(document, "attempts", job->attempts);
    tqa_writer_flag(document, "cancel_asked", job->cancel_asked);
    tqd_document_text(document, "node", job->node);
    tqd_document_text(document, "owner", tqd_key_name(job->client)[0] != '\0' ? job->client : "");
    tqd_document_text(document, "traceparent", job->trace);
}

void tqd_job_title(const tqd_job *job, char ret[TQD_JOB_TITLE])
{
    (void)snprintf(ret, TQD_JOB_TITLE, "%s%s%s", job->kind, job->robot[0] != '\0' ? ": " : "",
                   tqd_key_name(job->robot));
}

size_t tqd_hub_event_print(const tqd_hub_event *news, char *out)
{
    tqa_writer data = {
        .text = {.bytes = out, .capacity = TQD_HUB_EVENT_BYTES, .fixed = true},
    };
    const bool is_state = news->seq != 0;
    char id[40];
    (void)snprintf(id, sizeof id, "id: %" PRIu64 "\n", news->seq);
    tqa_json_text_raw(&data.text, is_state ? id : "");
    tqa_json_text_raw(&data.text, is_state ? "event: state\ndata: " : "event: progress\ndata: ");
    tqa_writer_object(&data, NULL);
    tqa_writer_string(&data, "job", news->id);
    if (is_state) {
        tqa_writer_string(&data, "state", tqd_job_state_name(news->state));
        tqa_writer_count(&data, "attempts", news->attempts);
        put_time(&data, "at", news->at_ms);
    } else {
        put_progress(&data, news->fraction, news->eta_s, news->step);
    }
    tqa_writer_end(&data);
    tqa_json_text_raw(&data.text, "\n\n");
    assert(!data.text.failed); /* step: 64 bytes, of six digits each at most */
    out[data.text.n] = '\0';
    return data.text.n;
}
