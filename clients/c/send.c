/* SPDX-License-Identifier: Apache-2.0 */
/* clients/c/send.c - one request and its answer, and its retries. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "clients/c/client.h"
#include "clients/c/error.h"

enum { PAUSE_MS = 100, PAUSE_MOST_MS = 10000, EXPECT_BYTES = 1 << 20 };

/* One try. */
typedef struct transfer {
    tqc_client *client;
    const tqc_request *request;
    tqc_answer answer;
    long retry_after_s; /* of the answer; -1 without */
    size_t n_sent;      /* of a body in memory */
    bool has_head;      /* the empty line after the headers of the answer has come */
    bool is_stopped;    /* by a callback of the caller's */
    bool is_too_small;
} transfer;

static long long now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ----------------------------------------------------------------------- callbacks of libcurl */

static size_t take_body(char *bytes, size_t one, size_t n, void *ctx)
{
    transfer *t = ctx;
    const tqc_request *request = t->request;
    const size_t at = t->answer.n;
    n *= one;
    t->answer.n += n;
    if (t->answer.status / 100 != 2) {
        tqc_client *client = t->client;
        const size_t room = TQCI_PROBLEM_BYTES - client->n_problem;
        const size_t taken = n < room ? n : room;
        memcpy(client->problem + client->n_problem, bytes, taken);
        client->n_problem += taken;
        client->problem[client->n_problem] = '\0';
    } else if (request->write != NULL) {
        t->is_stopped = request->write(request->write_ctx, bytes, n) != 0;
    } else if (request->memory != NULL && at + n <= request->memory_size) {
        memcpy((char *)request->memory + at, bytes, n);
    } else {
        t->is_too_small = request->memory != NULL; /* the rest is counted only */
    }
    return t->is_stopped ? 0 : n;
}

static void copy_value(const char *value, size_t n, char *out, size_t size)
{
    while (n > 0 && isspace((unsigned char)*value)) {
        value++;
        n--;
    }
    while (n > 0 && isspace((unsigned char)value[n - 1])) {
        n--;
    }
    (void)snprintf(out, size, "%.*s", (int)n, value);
}

static size_t take_header(char *line, size_t one, size_t n, void *ctx)
{
    transfer *t = ctx;
    tqc_answer *a = &t->answer;
    char digits[24];
    const struct {
        const char *name;
        char *out;
        size_t size;
    } kept[] = {
        {"content-type:", a->content_type, sizeof a->content_type},
        {"location:", a->location, sizeof a->location},
        {"content-location:", a->location, sizeof a->location},
        {"preference-applied:", a->preference_applied, sizeof a->preference_applied},
        {"retry-after:", digits, sizeof digits},
    };
    n *= one;
    if (n > 9 && strncmp(line, "HTTP/", 5) == 0) { /* also after 100 Continue */
        const char *space = memchr(line, ' ', n);
        a->status = space != NULL ? (int)strtol(space + 1, NULL, 10) : 0;
        return n;
    }
    t->has_head = t->has_head || (a->status >= 200 && (line[0] == '\r' || line[0] == '\n'));
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        const size_t n_name = strlen(kept[i].name);
        if (n > n_name && strncasecmp(line, kept[i].name, n_name) == 0) {
            copy_value(line + n_name, n - n_name, kept[i].out, kept[i].size);
            if (kept[i].out == digits) {
                t->retry_after_s = strtol(digits, NULL, 10);
            }
        }
    }
    return n;
}

static size_t give_body(char *to, size_t one, size_t n, void *ctx)
{
    transfer *t = ctx;
    const tqc_request *request = t->request;
    n *= one;
    if (request->read != NULL) {
        const size_t got = request->read(request->read_ctx, to, n);
        t->is_stopped = got == SIZE_MAX;
        return t->is_stopped ? CURL_READFUNC_ABORT : got;
    }
    const size_t left = request->n_body - t->n_sent;
    n = left < n ? left : n;
    if (n > 0) {
        memcpy(to, (const char *)request->body + t->n_sent, n);
    }
    t->n_sent += n;
    return n;
}

/* libcurl repeats a request by itself where a kept connection turns out to be closed */
static int seek_body(void *ctx, curl_off_t offset, int origin)
{
    transfer *t = ctx;
    if (offset != 0 || origin != SEEK_SET) {
        return CURL_SEEKFUNC_CANTSEEK;
    }
    if (t->request->read != NULL) {
        return t->request->rewind != NULL && t->request->rewind(t->request->read_ctx) == 0
                   ? CURL_SEEKFUNC_OK
                   : CURL_SEEKFUNC_CANTSEEK;
    }
    t->n_sent = 0;
    return CURL_SEEKFUNC_OK;
}

/* ------------------------------------------------------------------------------------- one try */

static bool add(struct curl_slist **list, const char *name, const char *value)
{
    char line[1024];
    if (value == NULL || value[0] == '\0') {
        return true;
    }
    const int n = snprintf(line, sizeof line, "%s%s", name, value);
    struct curl_slist *longer = n > 0 && (size_t)n < sizeof line && strpbrk(line, "\r\n") == NULL
                                    ? curl_slist_append(*list, line)
                                    : NULL;
    *list = longer != NULL ? longer : *list;
    return longer != NULL;
}

/* NULL: no memory, or a value that is no header's */
static struct curl_slist *make_headers(const tqc_client *client, const tqc_request *r)
{
    struct curl_slist *list = NULL;
    const int64_t n = r->read != NULL ? r->n_read : (int64_t)r->n_body;
    /* a small body is sent at once; before a large one the service may refuse by the head alone */
    const bool is_small = n >= 0 && n < EXPECT_BYTES;
    const bool good = (!is_small || add(&list, "Expect:", " ")) &&
                      add(&list, "Accept: ", r->accept != NULL ? r->accept : "application/json") &&
                      add(&list, "Content-Type: ", r->content_type) &&
                      add(&list, "Prefer: ", r->prefer) &&
                      add(&list, "Idempotency-Key: ", r->idempotency_key) &&
                      add(&list, "Last-Event-ID: ", r->last_event_id) &&
                      add(&list, "", client->authorization) && add(&list, "", client->name) &&
                      (r->content_type != NULL || add(&list, "Content-Type:", " "));
    if (!good) {
        curl_slist_free_all(list);
        list = NULL;
    }
    return list;
}

static void set_body(CURL *curl, transfer *t)
{
    const tqc_request *r = t->request;
    const curl_off_t n = r->read != NULL ? (curl_off_t)r->n_read : (curl_off_t)r->n_body;
    const bool is_patch = strcmp(r->method, "PATCH") == 0;
    const bool is_post = strcmp(r->method, "POST") == 0;
    const bool is_put = strcmp(r->method, "PUT") == 0;
    curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, is_post || is_put ? NULL : r->method);
    if (is_post || is_patch) {
        curl_easy_setopt(curl, CURLOPT_POST, 1L);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, NULL);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, n);
    } else if (is_put) {
        curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, n);
    }
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, give_body);
    curl_easy_setopt(curl, CURLOPT_READDATA, t);
    curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, seek_body);
    curl_easy_setopt(curl, CURLOPT_SEEKDATA, t);
}

static int ask_stop(void *ctx, curl_off_t down, curl_off_t downloaded, curl_off_t up,
                    curl_off_t uploaded)
{
    transfer *t = ctx;
    (void)down, (void)downloaded, (void)up, (void)uploaded;
    t->is_stopped = t->is_stopped || t->request->is_stopped(t->request->stop_ctx) != 0;
    return t->is_stopped;
}

static tqc_code try_once(tqc_client *client, transfer *t, const struct curl_slist *headers,
                         long long until_ms, tqc_error *error)
{
    CURL *curl = client->curl;
    const long left = until_ms > 0 ? (long)(until_ms - now_ms()) : 0;
    client->n_problem = 0;
    client->problem[0] = '\0';
    if (until_ms > 0 && left <= 0) {
        return tqci_fail(error, TQC_TIMEOUT, "no answer within %ld ms", client->timeout_ms);
    }
    tqci_prepare(client, t->request->path);
    set_body(curl, t);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, t);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, t);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, left);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, t->request->is_stopped == NULL ? 1L : 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, ask_stop);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, t);
    const CURLcode done = curl_easy_perform(curl);
    if (t->is_stopped) {
        return tqci_fail(error, TQC_STOPPED, "stopped by the caller");
    }
    /* a refusal may come, and the connection end, while the body is still being sent */
    const bool is_refusal = t->answer.status >= 400 && client->n_problem > 0;
    if (done != CURLE_OK && !is_refusal) {
        return tqci_fail(error, tqci_code_of(done), "%s",
                         client->reason[0] != '\0' ? client->reason : curl_easy_strerror(done));
    }
    if (!t->has_head) { /* libcurl takes an end of the connection for the end of the headers */
        return tqci_fail(error, TQC_BROKEN, "the connection ended within the head of the answer");
    }
    if (t->answer.status / 100 != 2) {
        return tqci_refused(error, t->answer.status, client->problem, client->n_problem);
    }
    if (t->is_too_small) {
        return tqci_fail(error, TQC_TOO_SMALL, "the answer has %zu bytes, there is room for %zu",
                         t->answer.n, t->request->memory_size);
    }
    return tqci_fail(error, TQC_OK, "%s", "");
}

/* ------------------------------------------------------------------------------------- retries */

static bool may_repeat(const tqc_request *r)
{
    const bool adds = strcmp(r->method, "POST") == 0 || strcmp(r->method, "PATCH") == 0;
    const bool is_safe = !adds || r->is_repeatable != 0 ||
                         (r->idempotency_key != NULL && r->idempotency_key[0] != '\0');
    return is_safe && (r->read == NULL || r->rewind != NULL);
}

static bool may_help(tqc_code code, int status)
{
    return code == TQC_UNREACHABLE || code == TQC_BROKEN || status == 429 || status == 503;
}

/* false: the limit of time comes first */
static bool pause_before(const transfer *t, int tries, long long until_ms)
{
    long ms = PAUSE_MS << (tries < 8 ? tries - 1 : 7);
    if (t->retry_after_s >= 0 && t->retry_after_s <= PAUSE_MOST_MS / 1000) {
        ms = t->retry_after_s * 1000 > ms ? t->retry_after_s * 1000 : ms;
    }
    ms = ms < PAUSE_MOST_MS ? ms : PAUSE_MOST_MS;
    if (until_ms > 0 && now_ms() + ms >= until_ms) {
        return false;
    }
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
    return true;
}

/* the body and what the caller has kept of a broken answer, from the start */
static bool rewind_all(const tqc_request *r, const transfer *t)
{
    const bool has_written = r->write != NULL && t->answer.status / 100 == 2 && t->answer.n > 0;
    if (r->rewind == NULL) {
        return r->read == NULL && !has_written;
    }
    return r->rewind(r->read_ctx) == 0;
}

tqc_code tqc_send(tqc_client *client, const tqc_request *request, tqc_answer *answer,
                  tqc_error *error)
{
    tqc_error own;
    error = error != NULL ? error : &own;
    if (strlen(request->path) >= TQCI_PATH_BYTES || request->path[0] != '/' ||
        strpbrk(request->path, " \r\n") != NULL) {
        return tqci_fail(error, TQC_BAD_ARGUMENT, "\"%.100s\" is no path", request->path);
    }
    struct curl_slist *headers = make_headers(client, request);
    if (headers == NULL) {
        return tqci_fail(error, TQC_BAD_ARGUMENT, "a header of the request cannot be sent");
    }
    const long long until_ms = client->timeout_ms > 0 ? now_ms() + client->timeout_ms : 0;
    transfer t;
    tqc_code code;
    int tries = 0;
    bool again;
    do {
        memset(&t, 0, sizeof t);
        t.client = client;
        t.request = request;
        t.retry_after_s = -1;
        code = try_once(client, &t, headers, until_ms, error);
        t.answer.tries = ++tries;
        again = tries <= client->retries && may_help(code, t.answer.status) &&
                may_repeat(request) && rewind_all(request, &t) && pause_before(&t, tries, until_ms);
    } while (again);
    curl_easy_setopt(client->curl, CURLOPT_HTTPHEADER, NULL);
    curl_slist_free_all(headers);
    if (answer != NULL) {
        *answer = t.answer;
    }
    return code;
}
