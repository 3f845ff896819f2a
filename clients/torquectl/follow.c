/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/follow.c - a job's event stream, resumed where it broke. */
#include "clients/torquectl/follow.h"

#include <string.h>

#include "clients/torquectl/request.h"

enum { LINE = 4096, SILENT_MAX = 3 };

/* https://html.spec.whatwg.org/multipage/server-sent-events.html, 9.2.6, of one answer */
typedef struct reading {
    ctl_stream *stream;
    json_t *job;
    const ctl_follower *follower;
    size_t n_line, n_event;
    bool is_long; /* the line does not fit, and is no event of a job */
    char line[LINE], event[32], data[LINE], id[sizeof((ctl_stream *)0)->last_id];
} reading;

/* a change of state, or progress of the attempt that runs */
static void dispatch(reading *r)
{
    json_t *data = json_loads(r->data, 0, NULL);
    json_t *progress = json_object_get(data, "progress");
    json_t *state = json_object_get(data, "state");
    if (strcmp(r->event, "state") == 0 && json_is_string(state)) {
        json_object_set(r->job, "state", state);
        (void)snprintf(r->stream->last_id, sizeof r->stream->last_id, "%s", r->id);
        r->n_event++;
        r->follower->changed(r->follower->ctx, r->job);
    } else if (strcmp(r->event, "progress") == 0 && json_is_object(progress)) {
        json_object_set(r->job, "progress", progress);
        r->n_event++;
        r->follower->changed(r->follower->ctx, r->job);
    }
    json_decref(data);
}

static void copy_field(const char *line, const char *name, char *to, size_t size)
{
    const size_t n = strlen(name);
    if (strncmp(line, name, n) == 0 && line[n] == ':') {
        (void)snprintf(to, size, "%s", line + n + (line[n + 1] == ' ' ? 2 : 1));
    }
}

static void end_line(reading *r)
{
    r->line[r->n_line] = '\0';
    if (r->n_line > 0 && r->line[r->n_line - 1] == '\r') {
        r->line[--r->n_line] = '\0';
    }
    if (r->n_line == 0 && !r->is_long) {
        dispatch(r);
        r->event[0] = r->data[0] = r->id[0] = '\0';
    } else if (!r->is_long) {
        copy_field(r->line, "event", r->event, sizeof r->event);
        copy_field(r->line, "data", r->data, sizeof r->data);
        copy_field(r->line, "id", r->id, sizeof r->id);
    }
    r->n_line = 0;
    r->is_long = false;
}

static int take(void *ctx, const char *bytes, size_t n)
{
    reading *r = ctx;
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == '\n') {
            end_line(r);
        } else if (r->n_line + 1 < sizeof r->line) {
            r->line[r->n_line++] = bytes[i];
        } else {
            r->is_long = true;
        }
    }
    return r->follower->is_stopped(r->follower->ctx);
}

bool ctl_follow(ctl *c, const char *id, ctl_stream *stream, json_t *job,
                const ctl_follower *follower)
{
    char path[CTL_PATH];
    reading r = {.stream = stream, .job = job, .follower = follower};
    if (stream->n_silent >= SILENT_MAX || !ctl_fill(c, path, "/v1/jobs/%s/events", id)) {
        return false;
    }
    const ctl_request request = {.method = "GET",
                                 .path = path,
                                 .accept = "text/event-stream",
                                 .take = take,
                                 .take_ctx = &r,
                                 .last_event_id = stream->last_id,
                                 .is_stopped = follower->is_stopped,
                                 .stop_ctx = follower->ctx};
    ctl_answer answer;
    (void)ctl_send(c, &request, &answer); /* a lost connection shows when the job is asked for */
    const bool is_stream = answer.head.status == 204 ||
                           (answer.head.status == 200 &&
                            strncmp(answer.head.content_type, "text/event-stream", 17) == 0);
    ctl_answer_clear(&answer);
    stream->n_silent = r.n_event > 0 ? 0 : stream->n_silent + 1;
    if (!is_stream && r.n_event == 0) {
        stream->n_silent = SILENT_MAX;
    }
    return stream->n_silent < SILENT_MAX;
}
