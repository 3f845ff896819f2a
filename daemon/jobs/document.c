/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/document.c - prints jobs and events as JSON. Only `step` needs escapes. */
#include "daemon/jobs/document.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "api/codec/number/number.h"

enum { TIME_TEXT = 40, STEP_TEXT = 2 * TQD_JOB_STEP_TEXT };

/* RFC 3339 in quotes, or null */
static void print_time(int64_t ms, char out[TIME_TEXT])
{
    if (ms == 0) {
        snprintf(out, TIME_TEXT, "null");
        return;
    }
    struct tm utc;
    const time_t s = (time_t)(ms / 1000);
    gmtime_r(&s, &utc);
    const size_t n = strftime(out, TIME_TEXT, "\"%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(out + n, TIME_TEXT - n, ".%03dZ\"", (int)(ms % 1000));
}

static void print_number(double x, char out[TQA_NUMBER_TEXT_MAX + 8])
{
    if (!(x >= 0.0)) {
        snprintf(out, TQA_NUMBER_TEXT_MAX + 8, "null");
        return;
    }
    *tqa_number_print(x, out) = '\0';
}

static void print_step(const char *step, char out[STEP_TEXT])
{
    size_t n = 0;
    for (; *step != '\0' && n + 2 < STEP_TEXT; step++) {
        if (*step == '"' || *step == '\\') {
            out[n++] = '\\';
        }
        out[n++] = (unsigned char)*step < 0x20 ? ' ' : *step;
    }
    out[n] = '\0';
}

static size_t print_progress(double fraction, double eta_s, const char *step, char *out,
                             size_t size)
{
    char f[TQA_NUMBER_TEXT_MAX + 8];
    char e[TQA_NUMBER_TEXT_MAX + 8];
    char s[STEP_TEXT];
    print_number(fraction, f);
    print_number(eta_s, e);
    print_step(step, s);
    return (size_t)snprintf(out, size, "{\"fraction\":%s,\"step\":\"%s\",\"eta_s\":%s}", f, s, e);
}

size_t tqd_job_print(const tqd_job *job, const char *more, size_t n_more, char *out)
{
    char progress[256];
    char robot[2 * TQD_NAME_TEXT + TQD_DIGEST_TEXT] = "\"robot\":null,\"robot_digest\":null";
    char created[TIME_TEXT];
    char started[TIME_TEXT];
    char finished[TIME_TEXT];
    char expires[TIME_TEXT];
    print_time(job->created_ms, created);
    print_time(job->started_ms, started);
    print_time(job->finished_ms, finished);
    print_time(job->expires_ms, expires);
    print_progress(job->fraction, job->eta_s, job->step, progress, sizeof progress);
    if (job->robot[0] != '\0') {
        snprintf(robot, sizeof robot, "\"robot\":\"%s\",\"robot_digest\":\"%s\"", job->robot,
                 job->robot_digest);
    }
    size_t n = (size_t)snprintf(
        out, TQD_JOB_DOCUMENT_BYTES,
        "{\"id\":\"%s\",\"kind\":\"%s\",%s,\"state\":\"%s\",\"priority\":%d,\"progress\":%s,"
        "\"created\":%s,\"started\":%s,\"finished\":%s,\"expires\":%s,\"attempts\":%" PRIu32
        ",\"cancel_asked\":%s,\"node\":%s%s%s",
        job->id, job->kind, robot, tqd_job_state_name(job->state), job->priority, progress, created,
        started, finished, expires, job->attempts, job->cancel_asked ? "true" : "false",
        job->node[0] != '\0' ? "\"" : "null", job->node, job->node[0] != '\0' ? "\"" : "");
    if (more != NULL) {
        memcpy(out + n, more, n_more);
        n += n_more;
    }
    out[n++] = '}';
    return n;
}

size_t tqd_hub_event_print(const tqd_hub_event *news, char *out)
{
    char text[256];
    if (news->seq == 0) {
        print_progress(news->fraction, news->eta_s, news->step, text, sizeof text);
        return (size_t)snprintf(out, TQD_HUB_EVENT_BYTES,
                                "event: progress\ndata: {\"job\":\"%s\",\"progress\":%s}\n\n",
                                news->id, text);
    }
    print_time(news->at_ms, text);
    return (size_t)snprintf(out, TQD_HUB_EVENT_BYTES,
                            "id: %" PRIu64 "\nevent: state\ndata: {\"job\":\"%s\",\"state\":\"%s\","
                            "\"attempts\":%" PRIu32 ",\"at\":%s}\n\n",
                            news->seq, news->id, tqd_job_state_name(news->state), news->attempts,
                            text);
}
