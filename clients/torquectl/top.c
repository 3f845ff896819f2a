/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/top.c - a live view of jobs and rates; where the service's own pages are. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clients/torquectl/commands.h"
#include "clients/torquectl/contexts.h"
#include "clients/torquectl/print/print.h"
#include "clients/torquectl/request.h"

static volatile sig_atomic_t is_over;

static void interrupt(int number)
{
    (void)number;
    is_over = 1;
}

/* What /metrics counts, by the beginning of its lines, and how it is called on the screen. */
static const struct {
    const char *metric, *name;
    bool is_rate; /* by second; else as it is */
} counters[] = {
    {"torqued_requests_total ", "requests/s", true},
    {"torqued_replies_total{status=\"2", "2xx/s", true},
    {"torqued_replies_total{status=\"4", "4xx/s", true},
    {"torqued_replies_total{status=\"5", "5xx/s", true},
    {"torqued_body_bytes_total ", "bytes in/s", true},
    {"torqued_connections_open ", "connections", false},
};
enum { COUNTERS = sizeof counters / sizeof counters[0], ROUTES_MAX = 64, ROUTES_SHOWN = 8 };

/* Requests of one route, and the seconds that they took. */
typedef struct route {
    char name[80];
    double n, seconds;
} route;

typedef struct snapshot {
    double values[COUNTERS];
    route routes[ROUTES_MAX];
    size_t n_route;
    double at_s;
    bool is_good;
} snapshot;

/* of all lines that begin so */
static double sum_of(const char *text, const char *metric)
{
    const size_t n = strlen(metric);
    double sum = 0;
    for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, metric, n) == 0) {
            const char *space = line + strcspn(line, " \n");
            sum += *space == ' ' ? strtod(space, NULL) : 0;
        }
    }
    return sum;
}

static route *route_of(snapshot *l, const char *name, size_t n)
{
    for (size_t i = 0; i < l->n_route; i++) {
        if (strlen(l->routes[i].name) == n && memcmp(l->routes[i].name, name, n) == 0) {
            return &l->routes[i];
        }
    }
    if (l->n_route == ROUTES_MAX || n >= sizeof l->routes[0].name) {
        return NULL;
    }
    route *added = &l->routes[l->n_route++];
    memset(added, 0, sizeof *added);
    memcpy(added->name, name, n);
    return added;
}

/* lines torqued_request_seconds_count{...,route="...",...} and _sum */
static void read_routes(snapshot *l, const char *text)
{
    static const char metric[] = "torqued_request_seconds_";
    for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *kind = line + sizeof metric - 1;
        if (strncmp(line, metric, sizeof metric - 1) != 0 ||
            (strncmp(kind, "count{", 6) != 0 && strncmp(kind, "sum{", 4) != 0)) {
            continue;
        }
        const char *name = strstr(line, "route=\""), *end = strchr(line, '}');
        route *of = name != NULL && end != NULL && name < end
                        ? route_of(l, name + 7, strcspn(name + 7, "\""))
                        : NULL;
        const char *value = end != NULL ? strstr(end, "} ") : NULL;
        if (of != NULL && value != NULL) {
            *(*kind == 'c' ? &of->n : &of->seconds) += strtod(value + 2, NULL);
        }
    }
}

static int read_metrics(ctl *c, snapshot *now)
{
    const ctl_request request = {.method = "GET", .path = "/metrics", .accept = "*/*"};
    ctl_answer answer;
    struct timespec time;
    now->is_good = ctl_send(c, &request, &answer);
    const int status = now->is_good ? CTL_DONE : ctl_report(c, &answer);
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    now->at_s = (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
    now->n_route = 0;
    if (now->is_good) {
        for (size_t i = 0; i < COUNTERS; i++) {
            now->values[i] = sum_of(answer.body, counters[i].metric);
        }
        read_routes(now, answer.body);
    }
    ctl_answer_clear(&answer);
    return status;
}

static void print_rates(const snapshot *now, const snapshot *before, bool is_marked)
{
    const double seconds = now->at_s - before->at_s;
    for (size_t i = 0; i < COUNTERS; i++) {
        const bool is_rate = counters[i].is_rate;
        if (is_rate && (!before->is_good || seconds <= 0)) { /* one snapshot: since the start */
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

static int by_count(const void *a, const void *b)
{
    const double x = ((const route *)a)->n, y = ((const route *)b)->n;
    return (x < y) - (x > y);
}

/* the busiest routes, since the snapshot before or since the start */
static void print_routes(const snapshot *now, const snapshot *before)
{
    const double seconds = now->at_s - before->at_s;
    static snapshot since;
    since = *now;
    for (size_t i = 0; before->is_good && i < since.n_route; i++) {
        for (size_t k = 0; k < before->n_route; k++) {
            if (strcmp(since.routes[i].name, before->routes[k].name) == 0) {
                since.routes[i].n -= before->routes[k].n;
                since.routes[i].seconds -= before->routes[k].seconds;
            }
        }
    }
    qsort(since.routes, since.n_route, sizeof since.routes[0], by_count);
    printf("%-48s%14s%14s\n", "route", before->is_good ? "requests/s" : "requests", "mean ms");
    for (size_t i = 0; i < since.n_route && i < ROUTES_SHOWN && since.routes[i].n > 0; i++) {
        const route *r = &since.routes[i];
        ctl_put(stdout, r->name, 48);
        printf("%*s%14.*f%14.3f\n", strlen(r->name) < 48 ? 48 - (int)strlen(r->name) : 0, "",
               before->is_good ? 1 : 0, before->is_good && seconds > 0 ? r->n / seconds : r->n,
               1000 * r->seconds / r->n);
    }
    fputc('\n', stdout);
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
    static snapshot before, now;
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
        print_routes(&now, &before);
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
