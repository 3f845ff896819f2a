/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/fuzz_server.c - the whole daemon by its socket: a request of any bytes is answered by
 * HTTP, never by a fault of ours, and the next one is answered too.
 *
 * An input is a line METHOD TARGET MEDIA ACCEPT and a body, from which a request is made; {job} and
 * {session} in the target are the newest ones. Other bytes are those of a connection. */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/fuzzed.h"
#include "tests/support/served.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINE_MAX = 512, WORD = 128, HEAD_MAX = 1024, PATIENCE_S = 8, CHECK_EVERY = 32 };

/* Little of everything, so that bounds are met; nothing waits, and nothing lasts. */
static const char settings[] =
    "workers = 1\nio_threads = 1\njobs = 1\njobs_spare = 0\njobs_queued = 20\njobs_time = 2s\n"
    "jobs_keep = 20s\njobs_keep_waited = 1s\njobs_bytes = 64MiB\nwait = 10ms\nfiles_size = 64MiB\n"
    "dataset_size = 1MiB\ndatasets = 20\nsessions = 8\nscratch = 8MiB\nsample_budget = 64MiB\n"
    "body_budget = 32MiB\nheader_timeout = 1s\nbody_timeout = 2s\nidle_timeout = 2s\n"
    "rate_grace = 1s\nrun_timeout = 3s\nlog_level = error\naudit_size = 64KiB\n";

static int connection = -1;
/* what inputs call {job} and {session} is the newest of each */
static struct {
    const char *place, *word;
    char id[WORD];
} newest[] = {{"/v1/jobs/", "{job}", ""}, {"/v1/sessions/", "{session}", ""}};
enum { NEWEST = sizeof newest / sizeof newest[0] };

static void reconnect(void)
{
    if (connection >= 0) {
        close(connection);
    }
    connection = tqt_served_connect(PATIENCE_S);
}

/* GET /livez on the connection, or on another one where it has been closed. */
static void must_live(void)
{
    static const char alive[] = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n";
    if (!tqt_served_send(connection, alive, sizeof alive - 1)) {
        reconnect();
        tqt_must(tqt_served_send(connection, alive, sizeof alive - 1));
    }
    tqt_served_answer answer = tqt_served_receive(connection, false);
    if (answer.status == 0) { /* it was closed for being idle */
        reconnect();
        tqt_must(tqt_served_send(connection, alive, sizeof alive - 1));
        answer = tqt_served_receive(connection, false);
    }
    tqt_must(answer.status == 200 && answer.is_whole);
    tqt_served_answer_clear(&answer);
}

/* What each answer must be: whole, no fault of ours, JSON where it says so, a problem that states
 * its status. */
static void must_be_sound(const tqt_served_answer *answer, bool is_head)
{
    tqt_must(answer->status >= 200 && answer->status < 600 && answer->status != 500);
    if (strncmp(answer->media, "text/event-stream", 17) == 0) {
        return;
    }
    tqt_must(answer->is_whole);
    const bool is_problem = strcmp(answer->media, "application/problem+json") == 0;
    if (is_head || answer->n_body == 0 ||
        (!is_problem && strcmp(answer->media, "application/json") != 0)) {
        return;
    }
    json_t *document =
        json_loadb(answer->body, answer->n_body, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
    tqt_must(document != NULL);
    tqt_must(!is_problem ||
             json_integer_value(json_object_get(document, "status")) == answer->status);
    json_decref(document);
}

static void keep_id(const char *location)
{
    for (size_t i = 0; i < NEWEST; i++) {
        const size_t n = strlen(newest[i].place);
        if (strncmp(location, newest[i].place, n) == 0) {
            snprintf(newest[i].id, sizeof newest[i].id, "%s", location + n);
        }
    }
}

typedef struct line {
    char method[WORD], target[WORD], media[WORD], accept[WORD];
    size_t n; /* bytes, its end included */
} line;

static bool is_word(const char *word)
{
    for (; *word != '\0'; word++) {
        if ((unsigned char)*word <= ' ' || (unsigned char)*word >= 127) {
            return false;
        }
    }
    return true;
}

static bool read_input(const char *bytes, size_t n, line *ret)
{
    const char *end = memchr(bytes, '\n', n < LINE_MAX ? n : LINE_MAX);
    char text[LINE_MAX + 1];
    if (end == NULL) {
        return false;
    }
    ret->n = (size_t)(end - bytes) + 1;
    memcpy(text, bytes, ret->n - 1);
    text[ret->n - 1] = '\0';
    return strlen(text) == ret->n - 1 &&
           sscanf(text, "%127[A-Z] %127s %127s %127s", ret->method, ret->target, ret->media,
                  ret->accept) == 4 &&
           ret->target[0] == '/' && is_word(ret->target) && is_word(ret->media) &&
           is_word(ret->accept);
}

static void set_ids(char target[WORD])
{
    for (size_t i = 0; i < NEWEST; i++) {
        char whole[3 * WORD];
        const char *at = strstr(target, newest[i].word);
        if (at != NULL) {
            snprintf(whole, sizeof whole, "%.*s%s%s", (int)(at - target), target, newest[i].id,
                     at + strlen(newest[i].word));
            whole[WORD - 1] = '\0';
            memcpy(target, whole, WORD);
        }
    }
}

static void ask(line *of, const char *body, size_t n)
{
    set_ids(of->target);
    char head[HEAD_MAX];
    const int n_head =
        snprintf(head, sizeof head,
                 "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nAccept: %s\r\n"
                 "Content-Length: %zu\r\n\r\n",
                 of->method, of->target, of->media, of->accept, n);
    char *whole = malloc((size_t)n_head + n);
    tqt_must(whole != NULL);
    memcpy(whole, head, (size_t)n_head);
    memcpy(whole + n_head, body, n);
    must_live(); /* and the connection is open */
    (void)tqt_served_send(connection, whole, (size_t)n_head + n);
    free(whole);
    const bool is_head = strcmp(of->method, "HEAD") == 0;
    tqt_served_answer answer = tqt_served_receive(connection, is_head);
    must_be_sound(&answer, is_head);
    keep_id(answer.location);
    tqt_served_answer_clear(&answer);
    if (answer.closes) {
        reconnect();
    }
}

/* Bytes of a connection, and its end: an answer that is HTTP, or none. */
static void ask_raw(const char *bytes, size_t n)
{
    reconnect();
    (void)tqt_served_send(connection, bytes, n);
    shutdown(connection, SHUT_WR);
    tqt_served_answer answer =
        tqt_served_receive(connection, n > 4 && memcmp(bytes, "HEAD", 4) == 0);
    tqt_must(answer.status != 500);
    tqt_served_answer_clear(&answer);
    reconnect();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned n_asked;
    const char *bytes = (const char *)data;
    line of;
    if (connection < 0) {
        tqt_served_start(settings);
        reconnect();
    }
    if (read_input(bytes, size, &of)) {
        ask(&of, bytes + of.n, size - of.n);
    } else {
        ask_raw(bytes, size);
    }
    if (++n_asked % CHECK_EVERY == 0) {
        must_live();
    }
    return 0;
}
