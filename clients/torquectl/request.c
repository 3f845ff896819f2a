/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/request.c - one request and its answer, by libtqc; or as a line for curl. */
#include "clients/torquectl/request.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "clients/torquectl/contexts.h"
#include "clients/torquectl/curl.h"

enum { ANSWER_MAX = 1 << 30 };

/* -------------------------------------------------- as curl's line */

/* between single quotes, as a shell takes it */
static void print_quoted(const char *text, size_t n)
{
    putchar('\'');
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\'') {
            fputs("'\\''", stdout);
        } else {
            putchar(text[i]);
        }
    }
    putchar('\'');
}

static void print_header(const char *name, const char *value)
{
    if (value != NULL) {
        char line[1024];
        const int n = snprintf(line, sizeof line, "%s: %s", name, value);
        fputs(" -H ", stdout);
        print_quoted(line, n > 0 ? strnlen(line, sizeof line) : 0);
    }
}

static void print_curl(const ctl *c, const ctl_request *r, const char *path)
{
    const char *server = c->server != NULL ? c->server : "http://127.0.0.1:8420";
    const bool is_unix = strncmp(server, "unix:", 5) == 0;
    const size_t n = strlen(server);
    char url[CTL_PATH + CTL_QUERY + 1024];
    fputs("curl -sS", stdout);
    if (is_unix) {
        fputs(" --unix-socket ", stdout);
        print_quoted(server + 5, n - 5);
    }
    if (strcmp(r->method, "GET") != 0) {
        printf(" -X %s", r->method);
    }
    if (c->token_file != NULL) { /* the token itself is not shown */
        fputs(" -H \"Authorization: Bearer $(head -n 1 ", stdout);
        print_quoted(c->token_file, strlen(c->token_file));
        fputs(")\"", stdout);
    }
    print_header("Accept", r->accept);
    print_header("Content-Type", r->content_type);
    print_header("Prefer", r->prefer);
    print_header("Idempotency-Key", r->key);
    if (r->body != NULL && r->n_body > 0 && memchr(r->body, '\0', r->n_body) == NULL) {
        fputs(" --data-binary ", stdout);
        print_quoted(r->body, r->n_body);
    } else if (r->body != NULL || r->upload != NULL) { /* bytes that no shell takes */
        fputs(" --data-binary @", stdout);
        const char *name = r->upload_name != NULL && strcmp(r->upload_name, "-") != 0
                               ? r->upload_name
                               : "/dev/stdin";
        print_quoted(name, strlen(name));
    }
    (void)snprintf(url, sizeof url, "%.*s%s",
                   is_unix ? 16 : (int)(server[n - 1] == '/' ? n - 1 : n),
                   is_unix ? "http://localhost" : server, path);
    putchar(' ');
    print_quoted(url, strlen(url));
    putchar('\n');
}

/* -------------------------------------------------- one request */

/* The path, in the namespace of the command line; false: it is too long. */
static bool enter_namespace(const ctl *c, const char *path, char to[CTL_PATH + CTL_QUERY])
{
    const int n = c->name_space == NULL
                      ? snprintf(to, CTL_PATH + CTL_QUERY, "%s", path)
                      : snprintf(to, CTL_PATH + CTL_QUERY, "%s%cnamespace=%s", path,
                                 strchr(path, '?') != NULL ? '&' : '?', c->name_space);
    return n > 0 && n < CTL_PATH + CTL_QUERY;
}

typedef struct transfer {
    const ctl_request *request;
    ctl_answer *answer;
    size_t n_room;
    bool has_written;
} transfer;

static size_t give(void *ctx, char *to, size_t n)
{
    const transfer *t = ctx;
    const size_t got = fread(to, 1, n, t->request->upload);
    return got == 0 && ferror(t->request->upload) != 0 ? SIZE_MAX : got;
}

static int take(void *ctx, const char *bytes, size_t n)
{
    transfer *t = ctx;
    ctl_answer *a = t->answer;
    if (t->request->download != NULL) {
        t->has_written = true;
        return fwrite(bytes, 1, n, t->request->download) == n ? 0 : 1;
    }
    if (a->n_body + n + 1 > t->n_room) {
        const size_t room = 2 * (a->n_body + n) + 4096;
        char *grown = a->n_body + n < ANSWER_MAX ? realloc(a->body, room) : NULL;
        if (grown == NULL) {
            return 1;
        }
        a->body = grown;
        t->n_room = room;
    }
    memcpy(a->body + a->n_body, bytes, n);
    a->n_body += n;
    a->body[a->n_body] = '\0';
    return 0;
}

/* for a retry: only where nothing is lost and nothing went to somebody else */
static int again(void *ctx)
{
    transfer *t = ctx;
    if (t->has_written ||
        (t->request->upload != NULL && fseeko(t->request->upload, 0, SEEK_SET) != 0)) {
        return 1;
    }
    t->answer->n_body = 0;
    return 0;
}

static bool open_client(ctl *c, ctl_answer *answer)
{
    const tqc_options options = {
        .address = c->server,
        .token_file = c->token_file,
        .timeout_ms = 1000 * c->timeout_s,
        .retries = c->retries,
    };
    if (c->client == NULL && ctl_load_curl(&answer->error)) {
        c->client = tqc_open(&options, &answer->error);
    }
    return c->client != NULL;
}

static int64_t file_bytes(FILE *file)
{
    struct stat facts;
    return fstat(fileno(file), &facts) == 0 && S_ISREG(facts.st_mode) ? (int64_t)facts.st_size : -1;
}

bool ctl_send(ctl *c, const ctl_request *request, ctl_answer *ret_answer)
{
    transfer t = {.request = request, .answer = ret_answer};
    memset(ret_answer, 0, sizeof *ret_answer);
    char path[CTL_PATH + CTL_QUERY];
    if (!ctl_context_apply(c) || !enter_namespace(c, request->path, path)) {
        ret_answer->code = ret_answer->error.code = TQC_BAD_ARGUMENT;
        return false;
    }
    if (c->curl) {
        print_curl(c, request, path);
        ret_answer->code = TQC_STOPPED;
        return false;
    }
    if (!open_client(c, ret_answer)) {
        ret_answer->code = ret_answer->error.code;
        return false;
    }
    const tqc_request r = {
        .method = request->method,
        .path = path,
        .content_type = request->content_type,
        .body = request->body,
        .n_body = request->n_body,
        .read = request->upload != NULL ? give : NULL,
        .n_read = request->upload != NULL ? file_bytes(request->upload) : 0,
        .read_ctx = &t,
        .rewind = request->take == NULL ? again : NULL,
        .accept = request->accept,
        .prefer = request->prefer,
        .idempotency_key = request->key,
        .is_repeatable = request->is_repeatable,
        .write = request->take != NULL ? request->take : take,
        .write_ctx = request->take != NULL ? request->take_ctx : &t,
        .last_event_id = request->last_event_id,
        .is_stopped = request->is_stopped,
        .stop_ctx = request->stop_ctx,
    };
    ret_answer->code = tqc_send(c->client, &r, &ret_answer->head, &ret_answer->error);
    return ret_answer->code == TQC_OK;
}

void ctl_answer_clear(ctl_answer *answer)
{
    free(answer->body);
    memset(answer, 0, sizeof *answer);
}

int ctl_report(const ctl *c, const ctl_answer *answer)
{
    const tqc_error *e = &answer->error;
    switch ((int)answer->code) {
    case TQC_STOPPED:
        if (c->curl) {
            return CTL_DONE;
        }
        ctl_fault("the answer cannot be written");
        return CTL_FAILED;
    case TQC_REFUSED:
    case TQC_UNAUTHORIZED: {
        const bool has_place = e->pointer[0] != '\0' && strstr(e->detail, e->pointer) == NULL;
        ctl_fault("%d %s%s%s%s%s", e->status, e->title, has_place ? ": " : "",
                  has_place ? e->pointer : "", e->detail[0] != '\0' ? ": " : "", e->detail);
        /* where a token comes from it knows itself; which one is needed, the service (403) */
        if (e->hint[0] != '\0' && e->status != 401) {
            ctl_fault("hint: %s", e->hint);
        } else if (answer->code == TQC_UNAUTHORIZED) {
            ctl_fault("hint: --token-file FILE, or a context with a token file");
        }
        return answer->code == TQC_UNAUTHORIZED ? CTL_AUTH : CTL_FAILED;
    }
    case TQC_BAD_ARGUMENT:
        if (e->detail[0] != '\0') {
            ctl_fault("%s", e->detail);
        }
        return CTL_USAGE;
    default:
        ctl_fault("%s", e->detail[0] != '\0' ? e->detail : tqc_code_text(answer->code));
        if (answer->code == TQC_UNREACHABLE) {
            const char *server = c->server != NULL ? c->server : "http://127.0.0.1:8420";
            const bool is_tls = strncmp(server, "https://", 8) == 0;
            ctl_fault(is_tls ? "hint: torqued itself speaks http, https is a proxy's: not %s"
                             : "hint: is torqued running at %s? `-s URL` names another",
                      server);
        }
        return answer->code == TQC_TIMEOUT ? CTL_TIMEOUT : CTL_FAILED;
    }
}

/* valid names and ids need no escapes; others cannot be any */
bool ctl_fill(const ctl *c, char path[CTL_PATH], const char *pattern, const char *name)
{
    const char *mark = strstr(pattern, "%s");
    if (mark == NULL) {
        (void)snprintf(path, CTL_PATH, "%s%s", pattern, c->query);
        return true;
    }
    if (name[0] == '\0' || strlen(name) > 256 || strpbrk(name, "/?#% \r\n") != NULL) {
        (void)ctl_misused(c, "\"%.80s\" cannot be a name", name);
        return false;
    }
    (void)snprintf(path, CTL_PATH, "%.*s%s%s%s", (int)(mark - pattern), pattern, name, mark + 2,
                   c->query);
    return true;
}
