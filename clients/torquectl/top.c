/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/top.c - a live view of jobs and rates; where the service's own pages are. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clients/torquectl/commands.h"
#include "clients/torquectl/contexts.h"
#include "clients/torquectl/print.h"
#include "clients/torquectl/request.h"

static volatile sig_atomic_t is_over;

static void interrupt(int number)
{
    (void)number;
    is_over = 1;
}

/* What /metrics counts, and how it is called on the screen. */
static const struct {
    const char *metric, *name;
    bool is_rate; /* by second; else as it is */
} counters[] = {
    {"torqued_requests_total", "requests/s", true},
    {"torqued_replies_2xx_total", "2xx/s", true},
    {"torqued_replies_4xx_total", "4xx/s", true},
    {"torqued_replies_5xx_total", "5xx/s", true},
    {"torqued_body_bytes_total", "bytes in/s", true},
    {"torqued_connections_open", "connections", false},
};
enum { COUNTERS = sizeof counters / sizeof counters[0] };

typedef struct look {
    double values[COUNTERS];
    double at_s;
    bool is_good;
} look;

static double value_of(const char *text, const char *metric)
{
    const size_t n = strlen(metric);
    for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, metric, n) == 0 && line[n] == ' ') {
            return strtod(line + n, NULL);
        }
    }
    return 0;
}

static int read_metrics(ctl *c, look *now)
{
    const ctl_request request = {.method = "GET", .path = "/metrics", .accept = "*/*"};
    ctl_answer answer;
    struct timespec time;
    now->is_good = ctl_send(c, &request, &answer);
    const int status = now->is_good ? CTL_DONE : ctl_report(c, &answer);
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    now->at_s = (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
    for (size_t i = 0; now->is_good && i < COUNTERS; i++) {
        now->values[i] = value_of(answer.body, counters[i].metric);
    }
    ctl_answer_clear(&answer);
    return status;
}

static void print_rates(const look *now, const look *before, bool is_marked)
{
    const double seconds = now->at_s - before->at_s;
    for (size_t i = 0; i < COUNTERS; i++) {
        const bool is_rate = counters[i].is_rate;
        if (is_rate && (!before->is_good || seconds <= 0)) { /* one look: since the start */
            printf("%s%.*s %.0f", i > 0 ? "  " : "", (int)strlen(counters[i].name) - 2,
                   counters[i].name, now->values[i]);
            continue;
        }
        const double value =
            is_rate ? (now->values[i] - before->values[i]) / seconds : now->values[i];
        const bool is_bad = is_marked && strncmp(counters[i].name, "5xx", 3) == 0 && value > 0;
        printf("%s%s%s %.*f%s", i > 0 ? "  " : "", is_bad ? "\x1b[31m" : "", counters[i].name,
               is_rate && value < 10 ? 1 : 0, value, is_bad ? "\x1b[0m" : "");
    }
    fputs("\n\n", stdout);
}

static int print_jobs(ctl *c)
{
    const ctl_request request = {.method = "GET", .path = "/v1/jobs?state=running,queued"};
    const ctl_request others = {.method = "GET", .path = "/v1/jobs"};
    static const char columns[] =
        "id kind robot state progress.fraction progress.eta_s progress.step";
    ctl_answer answer;
    if (!ctl_send(c, &request, &answer)) {
        const int status = ctl_report(c, &answer);
        ctl_answer_clear(&answer);
        return status;
    }
    json_t *document = json_loadb(answer.body, answer.n_body, 0, NULL);
    const json_t *jobs = json_object_get(document, "jobs");
    ctl_answer_clear(&answer);
    if (json_array_size(jobs) == 0 && ctl_send(c, &others, &answer)) {
        json_decref(document);
        document = json_loadb(answer.body, answer.n_body, 0, NULL);
        jobs = json_object_get(document, "jobs");
        fputs("nothing is running; the newest jobs:\n", stdout);
        ctl_answer_clear(&answer);
    }
    ctl_print_table(stdout, jobs, columns);
    json_decref(document);
    return CTL_DONE;
}

int ctl_top(ctl *c, int n, char **arguments)
{
    const bool is_live = isatty(STDOUT_FILENO) != 0 && !c->once;
    const char *no_color = getenv("NO_COLOR");
    const bool is_marked = is_live && (no_color == NULL || no_color[0] == '\0');
    const struct sigaction catch = {.sa_handler = interrupt};
    double interval = 1;
    char *end = NULL;
    look before = {.is_good = false}, now;
    (void)n;
    (void)arguments;
    if (c->interval != NULL) {
        interval = strtod(c->interval, &end);
        if (*end != '\0' || !(interval >= 0.1 && interval <= 3600)) {
            return ctl_misused(c, "--interval takes seconds, 0.1 to 3600");
        }
    }
    sigaction(SIGINT, &catch, NULL);
    int status;
    for (;;) {
        status = read_metrics(c, &now);
        if (c->curl || status != CTL_DONE) {
            break;
        }
        if (is_live) {
            fputs("\x1b[H\x1b[2J", stdout);
        }
        printf("torqued at %s\n", c->server != NULL ? c->server : "http://127.0.0.1:8420");
        print_rates(&now, &before, is_marked);
        status = print_jobs(c);
        (void)fflush(stdout);
        before = now;
        if (!is_live || is_over != 0 || status != CTL_DONE) {
            break;
        }
        const struct timespec pause = {(time_t)interval,
                                       (long)((interval - (double)(time_t)interval) * 1e9)};
        nanosleep(&pause, NULL);
    }
    return status;
}

int ctl_docs(ctl *c, int n, char **arguments)
{
    int used = 0;
    const ctl_command *of = n > 0 ? ctl_find(n, arguments, &used) : NULL;
    if (n > 0 && of == NULL) {
        return ctl_misused(c, "there is no command \"%.40s\"", arguments[0]);
    }
    if (!ctl_context_apply(c)) {
        return CTL_USAGE;
    }
    const char *server = c->server != NULL ? c->server : "http://127.0.0.1:8420";
    if (strncmp(server, "unix:", 5) == 0) {
        ctl_fault("a browser does not open %s: a service that listens on TCP too has /docs",
                  server);
        return CTL_FAILED;
    }
    const size_t length = strlen(server) - (server[strlen(server) - 1] == '/');
    printf("%.*s/docs%s%s\n", (int)length, server, of != NULL && of->operation != NULL ? "#" : "",
           of != NULL && of->operation != NULL ? of->operation : "");
    return CTL_DONE;
}
