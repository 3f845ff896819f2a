/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/jobs.c - jobs: waited for, their results, many deleted. */
#include "clients/torquectl/jobs.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clients/torquectl/commands.h"
#include "clients/torquectl/files.h"
#include "clients/torquectl/follow.h"
#include "clients/torquectl/print/print.h"

enum { PAUSE_LEAST_MS = 50, PAUSE_MOST_MS = 1000, PAUSE_BAR_MS = 200, BAR = 30 };

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number)
{
    (void)number;
    is_interrupted = 1;
}

/* -------------------------------------------------- progress */

static double progress_of(const json_t *job, const char *name)
{
    const json_t *value = json_object_get(json_object_get(job, "progress"), name);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static void print_bar(const json_t *job)
{
    char bar[BAR + 1], eta[48] = "";
    const char *state = json_string_value(json_object_get(job, "state"));
    const char *step = json_string_value(json_object_get(json_object_get(job, "progress"), "step"));
    double fraction = progress_of(job, "fraction");
    const double left = progress_of(job, "eta_s");
    fraction = fraction >= 0 && fraction <= 1 ? fraction : 0;
    for (int i = 0; i < BAR; i++) {
        bar[i] = i < (int)(fraction * (double)BAR) ? '#' : '.';
    }
    bar[BAR] = '\0';
    if (left >= 0 && left < 1e6) {
        (void)snprintf(eta, sizeof eta, "  %.0f:%02.0f left", floor(left / 60),
                       floor(fmod(left, 60)));
    }
    fprintf(stderr, "\r\x1b[K[%s] %3.0f %%%s  ", bar, floor(100 * fraction), eta);
    ctl_put(stderr, step != NULL && step[0] != '\0' ? step : state != NULL ? state : "", 40);
    (void)fflush(stderr);
}

/* --follow: a line where state, step or percent has changed */
static void print_change(const json_t *job, char last[128])
{
    char line[128];
    const char *state = json_string_value(json_object_get(job, "state"));
    const char *step = json_string_value(json_object_get(json_object_get(job, "progress"), "step"));
    const double fraction = progress_of(job, "fraction");
    (void)snprintf(line, sizeof line, "%.20s %3.0f %% %.60s", state != NULL ? state : "",
                   fraction >= 0 ? floor(100 * fraction) : 0.0, step != NULL ? step : "");
    if (strcmp(line, last) != 0) {
        ctl_note("%s", line);
        (void)snprintf(last, 128, "%s", line);
    }
}

/* -------------------------------------------------- waiting */

/* -1: it has not ended */
static int end_of(const json_t *job)
{
    const char *state = json_string_value(json_object_get(job, "state"));
    return state == NULL                                                   ? CTL_FAILED
           : strcmp(state, "succeeded") == 0                               ? CTL_DONE
           : strcmp(state, "queued") == 0 || strcmp(state, "running") == 0 ? -1
                                                                           : CTL_JOB_FAILED;
}

static void say_failure(const json_t *job)
{
    const json_t *problem = json_object_get(job, "problem");
    const char *state = json_string_value(json_object_get(job, "state"));
    const char *detail = json_string_value(json_object_get(problem, "detail"));
    const char *title = json_string_value(json_object_get(problem, "title"));
    const char *hint = json_string_value(
        json_object_get(json_array_get(json_object_get(problem, "errors"), 0), "hint"));
    ctl_fault("the job is %s%s%s%s%s", state != NULL ? state : "gone", title != NULL ? ": " : "",
              title != NULL ? title : "", detail != NULL ? ": " : "", detail != NULL ? detail : "");
    if (hint != NULL) {
        ctl_fault("hint: %s", hint);
    }
}

static void pause_ms(long ms)
{
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

/* How a wait goes. */
typedef struct waiting {
    ctl *c;
    bool has_bar;
    time_t begun;
    char last[128];
} waiting;

static void show(void *ctx, const json_t *job)
{
    waiting *w = ctx;
    if (w->has_bar) {
        print_bar(job);
    } else if (w->c->patience == CTL_FOLLOW) {
        print_change(job, w->last);
    }
}

static bool is_late(const waiting *w)
{
    return w->c->timeout_s > 0 && time(NULL) - w->begun >= w->c->timeout_s;
}

static int is_stopped(void *ctx)
{
    return is_interrupted != 0 || is_late(ctx);
}

/* Reads the job, then follows its events; without events it polls, with pauses. */
static int wait_for_end(waiting *w, const char *id, const char *path, json_t **ret_job)
{
    const ctl_follower follower = {.changed = show, .is_stopped = is_stopped, .ctx = w};
    ctl_stream stream = {0};
    long pause = PAUSE_LEAST_MS;
    for (;;) {
        const ctl_request request = {.method = "GET", .path = path};
        ctl_answer answer;
        int status = -1;
        if (!ctl_send(w->c, &request, &answer)) {
            status = ctl_report(w->c, &answer);
            ctl_answer_clear(&answer);
            return status;
        }
        json_decref(*ret_job);
        *ret_job = json_loadb(answer.body, answer.n_body, 0, NULL);
        ctl_answer_clear(&answer);
        show(w, *ret_job);
        status = end_of(*ret_job);
        if (status >= 0) {
            return status;
        }
        if (!ctl_follow(w->c, id, &stream, *ret_job, &follower) && is_stopped(w) == 0) {
            pause_ms(w->has_bar && pause > PAUSE_BAR_MS ? PAUSE_BAR_MS : pause);
            pause = pause < PAUSE_MOST_MS ? 2 * pause : PAUSE_MOST_MS;
        }
        if (is_interrupted != 0) {
            return CTL_INTERRUPTED;
        }
        if (is_late(w)) {
            return CTL_TIMEOUT;
        }
    }
}

int ctl_wait(ctl *c, const char *id, json_t **ret_job)
{
    waiting w = {.c = c,
                 .has_bar = !c->quiet && c->patience != CTL_FOLLOW && isatty(STDERR_FILENO) != 0,
                 .begun = time(NULL)};
    const struct sigaction catch = {.sa_handler = interrupt};
    struct sigaction before;
    char path[CTL_PATH];
    *ret_job = NULL;
    if (!ctl_fill(c, path, "/v1/jobs/%s", id)) {
        return CTL_USAGE;
    }
    sigaction(SIGINT, &catch, &before);
    const int status = wait_for_end(&w, id, path, ret_job);
    sigaction(SIGINT, &before, NULL);
    if (w.has_bar) {
        fputs("\r\x1b[K", stderr);
    }
    if (status == CTL_INTERRUPTED || status == CTL_TIMEOUT) {
        ctl_fault("the job has not ended yet, and goes on: torquectl jobs wait %s", id);
    } else if (status == CTL_JOB_FAILED) {
        say_failure(*ret_job);
    }
    return status;
}

int ctl_job_wait(ctl *c, int n, char **arguments)
{
    json_t *job = NULL;
    (void)n;
    int status = ctl_wait(c, arguments[0], &job);
    if (job != NULL && (status == CTL_DONE || status == CTL_JOB_FAILED)) {
        (void)ctl_print_document(c, job);
    }
    json_decref(job);
    return status;
}

/* -------------------------------------------------- results */

/* Media type of a result by -o and a terminal. */
static const char *accept_of(const ctl *c)
{
    static const char *const media[] = {"application/json",  "application/json",
                                        "application/json",  "text/csv",
                                        "application/x-npy", "application/x-npz"};
    return media[c->format];
}

/* JSON as it is stored, unless -o says otherwise; -o npy takes one array, --field or q */
int ctl_job_result(ctl *c, int n, char **arguments)
{
    char path[CTL_PATH], pattern[CTL_PATH];
    const char *name = n > 1 ? arguments[1] : c->output_file;
    const bool is_array = c->format == CTL_NPY || c->field != NULL;
    (void)snprintf(pattern, sizeof pattern, "/v1/jobs/%%s/result%s%s", is_array ? "/" : "",
                   !is_array          ? ""
                   : c->field != NULL ? c->field
                                      : "q");
    if (!ctl_fill(c, path, pattern, arguments[0])) {
        return CTL_USAGE;
    }
    if (c->format == CTL_NPZ && name == NULL && isatty(STDOUT_FILENO) != 0) {
        return ctl_misused(c, "bytes are not for a terminal: -f FILE, or a pipe");
    }
    ctl_request request = {
        .method = "GET",
        .path = path,
        .accept = c->format == CTL_TABLE && is_array ? "text/csv"
                  : c->format == CTL_TABLE           ? "*/*"
                                                     : accept_of(c),
    };
    if (c->format == CTL_YAML || (c->format == CTL_TABLE && c->has_format && !is_array)) {
        request.accept = "application/json";
        return ctl_exchange(c, &request);
    }
    return ctl_fetch(c, &request, name, false);
}

/* -------------------------------------------------- removal */

/* Jobs of a filter: counted, or deleted with --yes. */
static int purge(ctl *c)
{
    char path[CTL_PATH];
    if (c->query[0] == '\0') {
        return ctl_misused(c, "jobs delete takes an ID, or --state, --older-than, --newer-than");
    }
    (void)snprintf(path, sizeof path, "/v1/jobs%s%s", c->query, c->yes ? "" : "&dry_run=true");
    const ctl_request request = {.method = "DELETE", .path = path};
    ctl_answer answer;
    if (!ctl_send(c, &request, &answer)) {
        const int status = ctl_report(c, &answer);
        ctl_answer_clear(&answer);
        return status;
    }
    json_t *document = json_loadb(answer.body, answer.n_body, 0, NULL);
    if (c->format != CTL_TABLE) {
        (void)ctl_print_answer(c, answer.body, answer.n_body);
    } else {
        printf("%lld jobs match, %lld deleted\n",
               (long long)json_integer_value(json_object_get(document, "matched")),
               (long long)json_integer_value(json_object_get(document, "deleted")));
    }
    json_decref(document);
    ctl_answer_clear(&answer);
    if (!c->yes) {
        ctl_fault("nothing is deleted without --yes");
        return CTL_FAILED;
    }
    return CTL_DONE;
}

int ctl_job_delete(ctl *c, int n, char **arguments)
{
    if (n == 0) {
        return purge(c);
    }
    if (c->query[0] != '\0' || c->yes) {
        return ctl_misused(c, "an ID, or a filter with --yes");
    }
    return ctl_show(c, n, arguments);
}
