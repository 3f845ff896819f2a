/* SPDX-License-Identifier: Apache-2.0 */
/* clients/c/call.c - one operation again and again: HTTP/1.1 in memory that was taken once. */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "clients/c/arrays.h"
#include "clients/c/cbor.h"
#include "clients/c/client.h"
#include "clients/c/error.h"

enum {
    HEAD_BYTES = 8192,
    FIXED_BYTES = TQCI_ADDRESS_BYTES + TQCI_PATH_BYTES + TQCI_TOKEN_BYTES + 512
};

struct tqc_call {
    tqc_client client; /* address, token and handle; its connection is made here */
    curl_socket_t socket;
    bool is_connected;
    unsigned long reconnects;
    tqc_operation operation;
    size_t nq, nv, n_most;
    char fixed[FIXED_BYTES]; /* the head of every request, up to the Content-Length */
    size_t n_fixed;
    char *out; /* head and body of a request */
    size_t out_size;
    char head[HEAD_BYTES]; /* of an answer, and what came with it */
    int64_t until_ns;
};

static int64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* --------------------------------------------------------------------------------- connection */

static tqc_code connect_anew(tqc_call *call, tqc_error *error)
{
    tqc_client *client = &call->client;
    call->is_connected = false;
    if (client->curl != NULL) {
        curl_easy_cleanup(client->curl);
    }
    client->curl = curl_easy_init();
    if (client->curl == NULL) {
        return tqci_fail(error, TQC_NO_MEMORY, "libcurl does not start");
    }
    tqci_prepare(client, "/");
    curl_easy_setopt(client->curl, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(client->curl, CURLOPT_TCP_NODELAY, 1L);
    const CURLcode done = curl_easy_perform(client->curl);
    if (done != CURLE_OK) {
        return tqci_fail(error, tqci_code_of(done), "%s",
                         client->reason[0] != '\0' ? client->reason : curl_easy_strerror(done));
    }
    curl_easy_getinfo(client->curl, CURLINFO_ACTIVESOCKET, &call->socket);
    call->is_connected = true;
    return TQC_OK;
}

static tqc_code wait_for(tqc_call *call, short events, tqc_error *error)
{
    struct pollfd one = {call->socket, events, 0};
    struct timespec left = {0, 0};
    const int64_t ns = call->until_ns > 0 ? call->until_ns - now_ns() : 0;
    if (call->until_ns > 0 && ns <= 0) {
        return tqci_fail(error, TQC_TIMEOUT, "no answer within the time limit");
    }
    left.tv_sec = ns / 1000000000;
    left.tv_nsec = ns % 1000000000;
    const int n = ppoll(&one, 1, call->until_ns > 0 ? &left : NULL, NULL);
    if (n < 0 && errno != EINTR) {
        return tqci_fail(error, TQC_BROKEN, "poll: error %d", errno);
    }
    return n == 0 ? tqci_fail(error, TQC_TIMEOUT, "no answer within the time limit") : TQC_OK;
}

static tqc_code send_all(tqc_call *call, size_t n, tqc_error *error)
{
    for (size_t at = 0; at < n;) {
        size_t sent = 0;
        const CURLcode done = curl_easy_send(call->client.curl, call->out + at, n - at, &sent);
        tqc_code code = TQC_OK;
        if (done == CURLE_AGAIN) {
            code = wait_for(call, POLLOUT, error);
        } else if (done != CURLE_OK) {
            code = tqci_fail(error, TQC_BROKEN, "%s", curl_easy_strerror(done));
        }
        if (code != TQC_OK) {
            return code;
        }
        at += sent;
    }
    return TQC_OK;
}

/* At least one byte; TQC_BROKEN at the end of the connection. */
static tqc_code receive(tqc_call *call, char *to, size_t room, size_t *ret_n, tqc_error *error)
{
    for (;;) {
        const CURLcode done = curl_easy_recv(call->client.curl, to, room, ret_n);
        if (done == CURLE_OK && *ret_n > 0) {
            return TQC_OK;
        }
        if (done != CURLE_AGAIN) {
            return tqci_fail(error, TQC_BROKEN, "the service has closed the connection");
        }
        const tqc_code code = wait_for(call, POLLIN, error);
        if (code != TQC_OK) {
            return code;
        }
    }
}

/* -------------------------------------------------------------------------------------- answers */

/* Where the bytes of a body go: numbers into the caller's array, a problem into the client. */
typedef struct sink {
    int status;
    tqci_npy npy;
    tqci_cbor cbor;
    tqc_result result;
    bool is_cbor;
    tqc_client *client;
} sink;

static bool put(sink *s, const char *bytes, size_t n)
{
    if (s->status / 100 == 2) {
        return s->is_cbor ? tqci_cbor_push(&s->cbor, (const unsigned char *)bytes, n)
                          : tqci_npy_push(&s->npy, (const unsigned char *)bytes, n);
    }
    tqc_client *client = s->client;
    const size_t room = TQCI_PROBLEM_BYTES - client->n_problem;
    n = n < room ? n : room;
    memcpy(client->problem + client->n_problem, bytes, n);
    client->n_problem += n;
    client->problem[client->n_problem] = '\0';
    return true;
}

/* the value of a header in a NUL-terminated head, or NULL */
static const char *header(const char *head, const char *name)
{
    for (const char *line = strstr(head, "\r\n"); line != NULL; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, strlen(name)) == 0) {
            line += strlen(name);
            return line + strspn(line, " \t");
        }
    }
    return NULL;
}

/* A body that comes in pieces: its length, or the state of RFC 9112's chunked coding. */
typedef struct framing {
    bool is_chunked, is_done;
    uint64_t left; /* of the body, or of a chunk */
    int in_line;   /* of a chunk's size or of its end; 2: in the last chunk's trailer */
    uint64_t size; /* being read */
    bool has_digits;
} framing;

/* one byte between chunks; false: not that coding */
static bool take_line_byte(framing *f, char c)
{
    if (c >= '0' && c <= '9') {
        f->size = f->size << 4 | (uint64_t)(c - '0');
    } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
        f->size = f->size << 4 | (uint64_t)((c | 0x20) - 'a' + 10);
    } else if (c == '\n') {
        if (!f->has_digits) { /* the line end of a chunk, or of the trailer */
            f->is_done = f->in_line == 2;
            return true;
        }
        f->left = f->size;
        f->in_line = f->size == 0 ? 2 : 1;
        f->size = 0;
        f->has_digits = false;
        return true;
    } else {
        return c == '\r';
    }
    f->has_digits = true;
    return f->size >> 40 == 0;
}

/* Takes bytes of a body; false: not understood. */
static bool take_pieces(framing *f, sink *s, const char *bytes, size_t n)
{
    for (size_t at = 0; at < n;) {
        if (f->left > 0) {
            const size_t taken = f->left < n - at ? (size_t)f->left : n - at;
            if (!put(s, bytes + at, taken)) {
                return false;
            }
            at += taken;
            f->left -= taken;
            f->is_done = f->left == 0 && !f->is_chunked;
        } else if (f->is_done || !take_line_byte(f, bytes[at++])) {
            return false;
        }
    }
    return true;
}

/* Reads heads until a final one. Returns with its bytes and those after it in `head`. */
static tqc_code read_head(tqc_call *call, size_t *ret_n, size_t *ret_n_head, tqc_error *error)
{
    size_t n = 0;
    for (;;) {
        size_t got = 0;
        char *end = NULL;
        if (n == sizeof call->head - 1) {
            return tqci_fail(error, TQC_NOT_UNDERSTOOD, "the head of the answer is too long");
        }
        const tqc_code code = receive(call, call->head + n, sizeof call->head - 1 - n, &got, error);
        if (code != TQC_OK) {
            return n > 0 && code == TQC_BROKEN ? tqci_fail(error, code, "half an answer") : code;
        }
        n += got;
        call->head[n] = '\0';
        while ((end = memmem(call->head, n, "\r\n\r\n", 4)) != NULL) {
            const size_t length = (size_t)(end - call->head) + 4;
            if (n < 12 || strncmp(call->head, "HTTP/1.", 7) != 0) {
                return tqci_fail(error, TQC_NOT_UNDERSTOOD, "the answer is no HTTP/1.1");
            }
            if (call->head[9] != '1') {
                end[2] = '\0';
                *ret_n = n;
                *ret_n_head = length;
                return TQC_OK;
            }
            memmove(call->head, call->head + length, n - length); /* 1xx */
            n -= length;
            call->head[n] = '\0';
        }
    }
}

static tqc_code read_answer(tqc_call *call, sink *s, tqc_error *error)
{
    size_t n = 0, n_head = 0;
    framing f = {.is_done = false};
    tqc_code code = read_head(call, &n, &n_head, error);
    if (code != TQC_OK) {
        return code;
    }
    const char *length = header(call->head, "Content-Length:");
    const char *coding = header(call->head, "Transfer-Encoding:");
    const char *connection = header(call->head, "Connection:");
    s->status = (int)strtol(call->head + 9, NULL, 10);
    call->is_connected = connection == NULL || strncasecmp(connection, "close", 5) != 0;
    f.is_chunked = coding != NULL;
    f.left = length != NULL && !f.is_chunked ? strtoull(length, NULL, 10) : 0;
    f.is_done = !f.is_chunked && f.left == 0;
    bool good = take_pieces(&f, s, call->head + n_head, n - n_head);
    while (good && !f.is_done) {
        code = receive(call, call->head, sizeof call->head, &n, error);
        if (code != TQC_OK) {
            return code == TQC_BROKEN ? tqci_fail(error, code, "half an answer") : code;
        }
        good = take_pieces(&f, s, call->head, n);
    }
    if (s->status / 100 != 2 && good) {
        return tqci_refused(error, s->status, call->client.problem, call->client.n_problem);
    }
    const bool is_whole =
        s->is_cbor ? s->cbor.is_done && s->cbor.n_found == 1 : tqci_npy_is_whole(&s->npy);
    return good && is_whole
               ? tqci_fail(error, TQC_OK, "%s", "")
               : tqci_fail(error, TQC_NOT_UNDERSTOOD, "the answer is no array of the right size");
}

/* ---------------------------------------------------------------------------------------- calls */

static size_t lay_out(tqc_call *call, tqci_rows *rows)
{
    const size_t n_body = tqci_rows_bytes(rows);
    memcpy(call->out, call->fixed, call->n_fixed);
    const int digits =
        snprintf(call->out + call->n_fixed, call->out_size - call->n_fixed, "%zu\r\n\r\n", n_body);
    const size_t at = call->n_fixed + (size_t)digits;
    return at + tqci_rows_read(rows, call->out + at, n_body);
}

static tqc_code try_call(tqc_call *call, size_t n_out, sink *s, size_t n, double *ret,
                         tqc_error *error)
{
    tqc_code code = call->is_connected ? TQC_OK : connect_anew(call, error);
    call->client.n_problem = 0;
    call->client.problem[0] = '\0';
    s->result = (tqc_result){.name = "qdd", .values = ret, .room = n * call->nv};
    tqci_npy_open(&s->npy, ret, n, call->nv);
    tqci_cbor_open(&s->cbor, &s->result, 1);
    code = code == TQC_OK ? send_all(call, n_out, error) : code;
    return code == TQC_OK ? read_answer(call, s, error) : code;
}

tqc_code tqc_call_run(tqc_call *call, size_t n, const double *q, const double *qd,
                      const double *third, double *ret, long timeout_us, tqc_error *error)
{
    if (n == 0 || n > call->n_most || q == NULL || qd == NULL || third == NULL || ret == NULL) {
        return tqci_fail(error, TQC_BAD_ARGUMENT, "no samples, too many, or an array is missing");
    }
    tqci_rows rows;
    sink s = {.is_cbor = call->operation == TQC_FORWARD_DYNAMICS, .client = &call->client};
    tqci_rows_open(&rows, n, call->nq, call->nv, q, qd, third);
    const size_t n_out = lay_out(call, &rows);
    call->until_ns = timeout_us > 0 ? now_ns() + (int64_t)timeout_us * 1000 : 0;
    /* a service closes connections that were idle for long: then, once, on a new one */
    const bool was_kept = call->is_connected;
    if (!call->is_connected) {
        call->reconnects++;
    }
    tqc_code code = try_call(call, n_out, &s, n, ret, error);
    if (code == TQC_BROKEN && was_kept) {
        call->is_connected = false;
        call->reconnects++;
        code = try_call(call, n_out, &s, n, ret, error);
    }
    if (code != TQC_OK && code != TQC_REFUSED && code != TQC_UNAUTHORIZED) {
        call->is_connected = false; /* an answer may still come */
    }
    return code;
}

unsigned long tqc_call_reconnects(const tqc_call *call)
{
    return call->reconnects;
}

static bool lay_fixed(tqc_call *call, const char *robot, const char *operation)
{
    char path[TQCI_PATH_BYTES];
    const tqc_client *client = &call->client;
    const char *host = strstr(client->address, "://") + 3;
    if (tqci_path(path, robot != NULL ? robot : "", operation) == 0) {
        return false;
    }
    const int n =
        snprintf(call->fixed, sizeof call->fixed,
                 "POST %s HTTP/1.1\r\nHost: %s\r\nAccept: %s\r\n%s%s%s%s"
                 "Content-Type: application/x-npy\r\nContent-Length: ",
                 path, host,
                 call->operation == TQC_FORWARD_DYNAMICS ? "application/cbor" : "application/x-npy",
                 client->authorization, client->authorization[0] != '\0' ? "\r\n" : "",
                 client->name, client->name[0] != '\0' ? "\r\n" : "");
    call->n_fixed = (size_t)n;
    return n > 0 && (size_t)n < sizeof call->fixed;
}

tqc_call *tqc_call_open(const tqc_options *options, const char *robot, tqc_operation operation,
                        size_t nq, size_t nv, size_t n_most, tqc_error *error)
{
    const char *name = operation == TQC_FORWARD_DYNAMICS ? "forward-dynamics" : "inverse-dynamics";
    tqc_call *call = calloc(1, sizeof *call);
    if (call == NULL || nq == 0 || nv == 0 || n_most == 0 ||
        n_most > SIZE_MAX / 64 / (nq + 2 * nv)) {
        (void)tqci_fail(error, call == NULL ? TQC_NO_MEMORY : TQC_BAD_ARGUMENT,
                        call == NULL ? "there is no memory for a call" : "no samples, or too many");
        free(call);
        return NULL;
    }
    call->operation = operation;
    call->nq = nq;
    call->nv = nv;
    call->n_most = n_most;
    call->out_size = FIXED_BYTES + 32 + TQCI_NPY_HEAD + n_most * (nq + 2 * nv) * sizeof(double);
    tqc_code code = tqci_configure(&call->client, options, error);
    if (code == TQC_OK && !lay_fixed(call, robot, name)) {
        code = tqci_fail(error, TQC_BAD_ARGUMENT, "there is no such name of a robot");
    }
    if (code == TQC_OK) {
        call->out = malloc(call->out_size);
        code = call->out != NULL ? connect_anew(call, error)
                                 : tqci_fail(error, TQC_NO_MEMORY, "there is no memory for a call");
    }
    if (code != TQC_OK) {
        tqc_call_close(call);
        return NULL;
    }
    return call;
}

void tqc_call_close(tqc_call *call)
{
    if (call != NULL) {
        curl_easy_cleanup(call->client.curl); /* takes NULL */
        free(call->out);
        free(call);
    }
}
