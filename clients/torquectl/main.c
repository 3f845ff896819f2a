/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/main.c - torqued from the command line: commands as a table, over HTTP. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clients/torquectl/http.h"
#include "clients/torquectl/print.h"
#include "clients/torquectl/shown.h"
#include "clients/torquectl/verify.h"

enum {
    EXIT_USAGE = 2,
    EXIT_AUTH = 4,
    EXIT_JOB_FAILED = 5,
    EXIT_TIMEOUT = 6,
    PATH_BYTES = 1024,
    QUERY_BYTES = 512,
    PIECE_BYTES = 4096,
    SHOWN_BYTES = 6 * PIECE_BYTES + 16, /* an escape takes six times as much */
};

typedef struct settings {
    tqc_server server;
    bool json;
    bool strict;             /* findings of the doctor make the command fail */
    bool yes;                /* delete, and not only count */
    char query[QUERY_BYTES]; /* "?state=...&older_than=...": which jobs; "": no filter */
} settings;

/* How a command handles its request and answer. */
typedef enum kind {
    SHOW,     /* prints the answer */
    BACKUP,   /* writes the body into a new file, and verifies it */
    DOWNLOAD, /* writes the body into a file, or to stdout */
    UPLOAD,   /* sends a file, "-" for stdin */
    ROBOT,    /* the same, and prints the findings of the doctor */
    WAIT,     /* polls until a job has ended */
    LIST,     /* prints the answer; takes a filter of jobs */
    PURGE,    /* counts or deletes the jobs of a filter */
    VERIFY,   /* sends no request */
} kind;

typedef struct command {
    const char *noun, *verb; /* verb "": the noun alone */
    const char *arguments;
    int least, most; /* of arguments */
    kind kind;
    const char *method, *path; /* %s: the first argument */
    const char *list, *columns;
    const char *text;
} command;

/* clang-format off */
static const command commands[] = {
    {"status", "", "", 0, 0, SHOW, "GET", "/v1/version", NULL, NULL, "name and version of the service"},
    {"robots", "list", "", 0, 0, SHOW, "GET", "/v1/robots", "robots", "name nv source builtin digest", "all robots"},
    {"robots", "get", "NAME", 1, 1, SHOW, "GET", "/v1/robots/%s", NULL, NULL, "the robot document"},
    {"robots", "put", "NAME FILE", 2, 2, ROBOT, "PUT", "/v1/robots/%s", NULL, NULL, "create or replace from URDF or a robot document"},
    {"robots", "delete", "NAME", 1, 1, SHOW, "DELETE", "/v1/robots/%s", NULL, NULL, "delete"},
    {"datasets", "list", "", 0, 0, SHOW, "GET", "/v1/datasets", "datasets", "name rows columns bytes media_type created sha256", "all datasets"},
    {"datasets", "describe", "NAME", 1, 1, SHOW, "GET", "/v1/datasets/%s", "statistics", "name min max mean not_finite", "columns and their statistics"},
    {"datasets", "get", "NAME [FILE]", 1, 2, DOWNLOAD, "GET", "/v1/datasets/%s/content", NULL, NULL, "the bytes"},
    {"datasets", "put", "NAME FILE", 2, 2, UPLOAD, "PUT", "/v1/datasets/%s", NULL, NULL, "create or replace from CSV or NPY"},
    {"datasets", "delete", "NAME", 1, 1, SHOW, "DELETE", "/v1/datasets/%s", NULL, NULL, "delete"},
    {"jobs", "list", "", 0, 0, LIST, "GET", "/v1/jobs", "jobs", "id kind robot state progress.fraction created", "the newest jobs"},
    {"jobs", "get", "ID", 1, 1, SHOW, "GET", "/v1/jobs/%s", NULL, NULL, "one job"},
    {"jobs", "wait", "ID", 1, 1, WAIT, "GET", "/v1/jobs/%s", NULL, NULL, "wait until it has ended"},
    {"jobs", "result", "ID [FILE]", 1, 2, DOWNLOAD, "GET", "/v1/jobs/%s/result", NULL, NULL, "its result"},
    {"jobs", "request", "ID [FILE]", 1, 2, DOWNLOAD, "GET", "/v1/jobs/%s/request", NULL, NULL, "the exact request"},
    {"jobs", "cancel", "ID", 1, 1, SHOW, "POST", "/v1/jobs/%s/cancel", NULL, NULL, "cancel at the next step"},
    {"jobs", "delete", "ID", 1, 1, SHOW, "DELETE", "/v1/jobs/%s", NULL, NULL, "delete a finished job and its result"},
    {"jobs", "delete", "--yes", 0, 0, PURGE, "DELETE", "/v1/jobs", NULL, NULL, "all finished jobs of --state, --older-than, --newer-than"},
    {"backup", "", "FILE", 1, 1, BACKUP, "POST", "/v1/backup", NULL, NULL, "everything, consistent, while the service runs"},
    {"verify", "", "FILE", 1, 1, VERIFY, NULL, NULL, NULL, NULL, "check a backup: complete, unchanged, database sound"},
};
/* clang-format on */

static int usage(FILE *out)
{
    fputs("usage: torquectl [OPTION]... COMMAND [ARGUMENT]...\n\n"
          "  -s, --server URL       http://HOST:PORT or unix:PATH\n"
          "                         (default: $TORQUED_URL, else http://127.0.0.1:8420)\n"
          "  -o, --output FORMAT    table (default) or json\n"
          "      --token-file FILE  credentials: a file with the token\n"
          "      --timeout SECONDS  time limit of a request\n"
          "      --state STATES     jobs list, jobs delete: succeeded,failed ...\n"
          "      --older-than TIME  the same: submitted longer ago, such as 7d, 12h, 30min, 90s\n"
          "      --newer-than TIME  the same: submitted no longer ago\n"
          "      --yes              jobs delete: without it the jobs are counted only\n"
          "      --strict           robots put: exit status 1 when the doctor has findings\n"
          "  -h, --help             this text\n\n",
          out);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        const command *c = &commands[i];
        char left[64];
        snprintf(left, sizeof left, "%s%s%s %s", c->noun, c->verb[0] != '\0' ? " " : "", c->verb,
                 c->arguments);
        fprintf(out, "  %-28s %s\n", left, c->text);
    }
    fputs("\nexit status: 0 done, 1 failed, 2 usage, 4 credentials, 5 the job failed, 6 timeout, "
          "130 interrupted\n",
          out);
    return out == stdout ? EXIT_SUCCESS : EXIT_USAGE;
}

/* Prints why a request failed; returns the exit status. */
static int report_problem(const tqc_answer *answer)
{
    char what[SHOWN_BYTES], why[SHOWN_BYTES];
    if (answer->reason[0] != '\0') {
        (void)tqc_shown(answer->reason, SIZE_MAX, why, sizeof why);
        fprintf(stderr, "torquectl: %s\n", why);
        return answer->code == CURLE_OPERATION_TIMEDOUT ? EXIT_TIMEOUT : EXIT_FAILURE;
    }
    json_t *problem =
        answer->body != NULL ? json_loadb(answer->body, answer->n_body, 0, NULL) : NULL;
    const char *title = json_string_value(json_object_get(problem, "title"));
    const char *detail = json_string_value(json_object_get(problem, "detail"));
    (void)tqc_shown(title != NULL ? title : "", SIZE_MAX, what, sizeof what);
    (void)tqc_shown(detail != NULL ? detail : "", SIZE_MAX, why, sizeof why);
    fprintf(stderr, "torquectl: %ld %s%s%s\n", answer->status, what, detail != NULL ? ": " : "",
            why);
    json_decref(problem);
    return answer->status == 401 || answer->status == 403 ? EXIT_AUTH : EXIT_FAILURE;
}

static bool is_good(const tqc_answer *answer)
{
    return answer->code == CURLE_OK && answer->status / 100 == 2;
}

/* Prints the body unchanged but for characters that a terminal would interpret, as JSON escapes. */
static void show_body(const tqc_answer *answer)
{
    char line[SHOWN_BYTES];
    if (isatty(STDOUT_FILENO) == 0) {
        fwrite(answer->body, 1, answer->n_body, stdout);
        return;
    }
    for (size_t at = 0; at < answer->n_body;) {
        const char *text = answer->body + at;
        const char *end = memchr(text, '\n', answer->n_body - at);
        size_t n = end != NULL ? (size_t)(end - text) : answer->n_body - at;
        const bool whole = n <= PIECE_BYTES;
        n = whole ? n : PIECE_BYTES;
        while (!whole && n > 0 && (text[n] & 0xc0) == 0x80) {
            n--; /* never splits a UTF-8 sequence */
        }
        n = n > 0 ? n : whole ? 0 : PIECE_BYTES;
        (void)tqc_shown(text, n, line, sizeof line);
        fputs(line, stdout);
        at += n;
        if (whole && end != NULL) {
            fputc('\n', stdout);
            at++;
        }
    }
}

static int show(const settings *s, const command *c, const tqc_answer *answer)
{
    if (answer->n_body == 0) {
        return EXIT_SUCCESS;
    }
    size_t n_finding = 0;
    json_t *document =
        s->json && c->kind != ROBOT ? NULL : json_loadb(answer->body, answer->n_body, 0, NULL);
    if (c->kind == ROBOT) {
        n_finding = tqc_print_findings(document);
    }
    if (document == NULL || s->json) {
        show_body(answer);
    } else if (c->list != NULL) {
        tqc_print_table(json_object_get(document, c->list), c->columns);
    } else {
        tqc_print_object(document);
    }
    json_decref(document);
    return ferror(stdout) != 0 || (s->strict && n_finding > 0) ? EXIT_FAILURE : EXIT_SUCCESS;
}

static FILE *create(const char *path, mode_t mode)
{
    (void)unlink(path); /* a file of a former run may have other permissions */
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    return fd >= 0 ? fdopen(fd, "wb") : NULL;
}

/* writes to a temporary file, and renames it when it is complete */
static int download(const settings *s, const command *c, const char *path, const char *name)
{
    char part[PATH_BYTES];
    const bool to_stdout = name == NULL || strcmp(name, "-") == 0;
    snprintf(part, sizeof part, "%s.part", to_stdout ? "" : name);
    FILE *out = to_stdout ? stdout : create(part, c->kind == BACKUP ? 0600 : 0666);
    if (out == NULL) {
        fprintf(stderr, "torquectl: %s: %s\n", part, strerror(errno));
        return EXIT_FAILURE;
    }
    const tqc_request request = {c->method, path, NULL, out, "*/*"};
    tqc_answer answer;
    tqc_send(&s->server, &request, &answer);
    int status = is_good(&answer) ? EXIT_SUCCESS : report_problem(&answer);
    tqc_answer_clear(&answer);
    if (to_stdout) {
        return status;
    }
    const bool written = fflush(out) == 0 && fsync(fileno(out)) == 0;
    if (fclose(out) != 0 || (status == EXIT_SUCCESS && (!written || rename(part, name) != 0))) {
        fprintf(stderr, "torquectl: %s: %s\n", name, strerror(errno));
        status = EXIT_FAILURE;
    }
    if (status != EXIT_SUCCESS) {
        unlink(part);
    }
    return status;
}

static int send_request(const settings *s, const command *c, const char *path, FILE *upload)
{
    const tqc_request request = {c->method, path, upload, NULL, NULL};
    tqc_answer answer;
    tqc_send(&s->server, &request, &answer);
    const int status = is_good(&answer) ? show(s, c, &answer) : report_problem(&answer);
    tqc_answer_clear(&answer);
    return status;
}

static int send_file(const settings *s, const command *c, const char *path, const char *name)
{
    FILE *in = strcmp(name, "-") == 0 ? stdin : fopen(name, "rbe");
    if (in == NULL) {
        fprintf(stderr, "torquectl: %s: %s\n", name, strerror(errno));
        return EXIT_FAILURE;
    }
    const int status = send_request(s, c, path, in);
    if (in != stdin) {
        fclose(in);
    }
    return status;
}

/* the exit status for a finished job, -1 for another */
static int job_exit_status(const tqc_answer *answer)
{
    json_t *job = json_loadb(answer->body, answer->n_body, 0, NULL);
    const char *state = json_string_value(json_object_get(job, "state"));
    int status = EXIT_FAILURE;
    if (state != NULL) {
        status = strcmp(state, "succeeded") == 0                                 ? EXIT_SUCCESS
                 : strcmp(state, "queued") == 0 || strcmp(state, "running") == 0 ? -1
                                                                                 : EXIT_JOB_FAILED;
    }
    json_decref(job);
    return status;
}

static int wait_for_job(const settings *s, const command *c, const char *path)
{
    const tqc_request request = {c->method, path, NULL, NULL, NULL};
    const time_t begun = time(NULL);
    long pause_ms = 50;
    for (;;) {
        tqc_answer answer;
        tqc_send(&s->server, &request, &answer);
        int status = is_good(&answer) ? job_exit_status(&answer) : report_problem(&answer);
        if (status == EXIT_SUCCESS || status == EXIT_JOB_FAILED) {
            (void)show(s, c, &answer);
        }
        tqc_answer_clear(&answer);
        if (status < 0 && s->server.timeout_s > 0 && time(NULL) - begun >= s->server.timeout_s) {
            fprintf(stderr, "torquectl: the job has not ended yet\n");
            status = EXIT_TIMEOUT;
        }
        if (status >= 0) {
            return status;
        }
        const struct timespec pause = {pause_ms / 1000, pause_ms % 1000 * 1000000};
        nanosleep(&pause, NULL);
        pause_ms = pause_ms < 1000 ? 2 * pause_ms : 1000;
    }
}

/* Jobs of a filter: counted, or deleted with --yes. */
static int purge(const settings *s, const command *c)
{
    char path[PATH_BYTES];
    if (s->query[0] == '\0') {
        fputs("torquectl: jobs delete takes an ID, or --state, --older-than, --newer-than\n",
              stderr);
        return EXIT_USAGE;
    }
    snprintf(path, sizeof path, "%s%s%s", c->path, s->query, s->yes ? "" : "&dry_run=true");
    const tqc_request request = {c->method, path, NULL, NULL, NULL};
    tqc_answer answer;
    tqc_send(&s->server, &request, &answer);
    int status = is_good(&answer) ? EXIT_SUCCESS : report_problem(&answer);
    json_t *document =
        status == EXIT_SUCCESS ? json_loadb(answer.body, answer.n_body, 0, NULL) : NULL;
    if (status == EXIT_SUCCESS && s->json) {
        show_body(&answer);
    } else if (status == EXIT_SUCCESS) {
        printf("%lld jobs match, %lld deleted\n",
               (long long)json_integer_value(json_object_get(document, "matched")),
               (long long)json_integer_value(json_object_get(document, "deleted")));
    }
    if (status == EXIT_SUCCESS && !s->yes) {
        fputs("torquectl: nothing is deleted without --yes\n", stderr);
        status = EXIT_FAILURE;
    }
    json_decref(document);
    tqc_answer_clear(&answer);
    return status;
}

static int verify(const settings *s, const char *path)
{
    char why[TQC_WHY] = "";
    size_t n_files = 0;
    uint64_t n_bytes = 0;
    if (!tqc_verify(path, &n_files, &n_bytes, why)) {
        char shown[SHOWN_BYTES];
        (void)tqc_shown(why, SIZE_MAX, shown, sizeof shown);
        fprintf(stderr, "torquectl: %s\n", shown);
        return EXIT_FAILURE;
    }
    printf(s->json ? "{\"files\":%zu,\"bytes\":%llu}\n" : "good: %zu files, %llu bytes\n", n_files,
           (unsigned long long)n_bytes);
    return EXIT_SUCCESS;
}

/* A backup is verified at once, so that a faulty one is known before it is needed; it is kept in
 * any case. */
static int backup(const settings *s, const command *c, const char *path, const char *name)
{
    char why[TQC_WHY] = "", shown[SHOWN_BYTES];
    size_t n_files = 0;
    uint64_t n_bytes = 0;
    const int status = download(s, c, path, name);
    if (status != EXIT_SUCCESS || strcmp(name, "-") == 0 ||
        tqc_verify(name, &n_files, &n_bytes, why)) {
        return status;
    }
    (void)tqc_shown(why, SIZE_MAX, shown, sizeof shown);
    fprintf(stderr, "torquectl: %s is written, but %s\n", name, shown);
    return EXIT_FAILURE;
}

static int run(const settings *s, const command *c, char *const *arguments)
{
    char path[PATH_BYTES];
    if (c->kind == VERIFY) {
        return verify(s, arguments[0]);
    }
    /* valid names and ids need no escapes; others are refused by the service */
    const char *mark = strstr(c->path, "%s");
    if (mark != NULL) {
        if (strlen(arguments[0]) > 256 || strpbrk(arguments[0], "/?#% ") != NULL) {
            fprintf(stderr, "torquectl: \"%.80s\" cannot be a name\n", arguments[0]);
            return EXIT_USAGE;
        }
        snprintf(path, sizeof path, "%.*s%s%s", (int)(mark - c->path), c->path, arguments[0],
                 mark + 2);
    } else {
        snprintf(path, sizeof path, "%s%s", c->path, s->query);
    }
    switch (c->kind) {
    case BACKUP:
        return backup(s, c, path, arguments[0]);
    case DOWNLOAD:
        return download(s, c, path, mark != NULL ? arguments[1] : arguments[0]);
    case ROBOT:
    case UPLOAD:
        return send_file(s, c, path, arguments[1]);
    case WAIT:
        return wait_for_job(s, c, path);
    case PURGE:
        return purge(s, c);
    case SHOW:
    case LIST:
    case VERIFY:
        break;
    }
    return send_request(s, c, path, NULL);
}

/* NULL: no such command, or a wrong number of arguments */
static const command *find(int n, char *const *words, int *ret_used)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        const command *c = &commands[i];
        const bool has_verb = c->verb[0] != '\0';
        /* a noun alone means "list" */
        const bool listed = has_verb && n == 1 && strcmp(c->verb, "list") == 0;
        const int used = has_verb && !listed ? 2 : 1;
        if (n >= used && strcmp(words[0], c->noun) == 0 &&
            (used == 1 || strcmp(words[1], c->verb) == 0)) {
            *ret_used = used;
            if (n - used >= c->least && n - used <= c->most) {
                return c;
            }
        }
    }
    return NULL;
}

/* Adds a parameter to the filter of jobs. False: no value of the service's has such characters. */
static bool add_filter(settings *s, const char *name, const char *value)
{
    const size_t n = strlen(s->query);
    if (value[0] == '\0' ||
        strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789,") != strlen(value)) {
        fprintf(stderr, "torquectl: --%s: \"%.80s\" is no such value\n", name, value);
        return false;
    }
    const int used =
        snprintf(s->query + n, sizeof s->query - n, "%c%s=%s", n == 0 ? '?' : '&', name, value);
    return used > 0 && (size_t)used < sizeof s->query - n;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"server", required_argument, NULL, 's'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"token-file", required_argument, NULL, 't'},
                                            {"timeout", required_argument, NULL, 'w'},
                                            {"strict", no_argument, NULL, 'x'},
                                            {"state", required_argument, NULL, 'S'},
                                            {"older-than", required_argument, NULL, 'O'},
                                            {"newer-than", required_argument, NULL, 'N'},
                                            {"yes", no_argument, NULL, 'y'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const char *url = getenv("TORQUED_URL");
    settings s = {.server.url = url != NULL && url[0] != '\0' ? url : "http://127.0.0.1:8420"};
    int letter;
    while ((letter = getopt_long(argc, argv, "s:o:h", options, NULL)) != -1) {
        char *end = NULL;
        switch (letter) {
        case 's':
            s.server.url = optarg;
            break;
        case 'o':
            s.json = strcmp(optarg, "json") == 0;
            if (!s.json && strcmp(optarg, "table") != 0) {
                return usage(stderr);
            }
            break;
        case 't':
            s.server.token_file = optarg;
            break;
        case 'w':
            s.server.timeout_s = strtol(optarg, &end, 10);
            if (*end != '\0' || end == optarg || s.server.timeout_s < 1) {
                return usage(stderr);
            }
            break;
        case 'x':
            s.strict = true;
            break;
        case 'S':
        case 'O':
        case 'N':
            if (!add_filter(&s,
                            letter == 'S'   ? "state"
                            : letter == 'O' ? "older_than"
                                            : "newer_than",
                            optarg)) {
                return EXIT_USAGE;
            }
            break;
        case 'y':
            s.yes = true;
            break;
        case 'h':
            return usage(stdout);
        default:
            return usage(stderr);
        }
    }
    int used = 0;
    const command *c = find(argc - optind, argv + optind, &used);
    if (c == NULL || ((s.query[0] != '\0' || s.yes) && c->kind != LIST && c->kind != PURGE)) {
        return usage(stderr);
    }
    curl_global_init(CURL_GLOBAL_DEFAULT);
    /* argv is NULL-terminated: a missing optional argument is NULL */
    const int status = run(&s, c, argv + optind + used);
    curl_global_cleanup();
    return status;
}
