/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/served.c - runs the daemon's main on a thread, and reads HTTP answers strictly. */
#include "tests/support/served.h"

#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

int tqd_main(int argc, char **argv);

enum { TRIES = 6000, TRY_NS = 10000000, BODY_MAX = 64 << 20, DEPTH = 16 };

static char folder[64], config[96], state[96], place[96];
static pthread_t daemon_thread;

static void *run_daemon(void *arg)
{
    (void)arg;
    char name[] = "torqued", with[] = "--config", confine[] = "--confine", off[] = "off";
    char *arguments[] = {name, with, config, confine, off, NULL};
    const int status = tqd_main(5, arguments);
    if (status != 0) {
        abort();
    }
    return NULL;
}

static int remove_one(const char *path, const struct stat *of, int kind, struct FTW *at)
{
    (void)of;
    (void)kind;
    (void)at;
    return remove(path);
}

static void end_daemon(void)
{
    pthread_kill(daemon_thread, SIGTERM);
    pthread_join(daemon_thread, NULL);
    nftw(folder, remove_one, DEPTH, FTW_DEPTH | FTW_PHYS);
}

static int try_connect(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", place);
    const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection >= 0 &&
        connect(connection, (const struct sockaddr *)&address, sizeof address) != 0) {
        close(connection);
        return -1;
    }
    return connection;
}

void tqt_served_start(const char *settings)
{
    snprintf(folder, sizeof folder, "/tmp/torqued-served-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        abort();
    }
    snprintf(config, sizeof config, "%s/torqued.conf", folder);
    snprintf(state, sizeof state, "%s/state", folder);
    snprintf(place, sizeof place, "%s/socket", folder);
    FILE *file = fopen(config, "w");
    if (file == NULL || mkdir(state, 0700) != 0) {
        abort();
    }
    fprintf(file, "[torqued]\nlisten = unix:%s\nstate_dir = %s\n%s", place, state, settings);
    if (fclose(file) != 0 || pthread_create(&daemon_thread, NULL, run_daemon, NULL) != 0) {
        abort();
    }
    atexit(end_daemon);
    int connection = try_connect();
    for (int i = 0; connection < 0 && i < TRIES; i++) {
        nanosleep(&(struct timespec){.tv_nsec = TRY_NS}, NULL);
        connection = try_connect();
    }
    if (connection < 0) {
        abort();
    }
    close(connection);
}

int tqt_served_connect(unsigned seconds)
{
    const int connection = try_connect();
    const struct timeval patience = {.tv_sec = seconds};
    if (connection < 0 ||
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0 ||
        setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0) {
        abort();
    }
    return connection;
}

static bool send_all(int connection, const char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t sent = send(connection, bytes, n, MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        bytes += sent;
        n -= (size_t)sent;
    }
    return true;
}

bool tqt_served_send(int connection, const char *bytes, size_t n)
{
    const size_t first = n / 3;
    return send_all(connection, bytes, first) && send_all(connection, bytes + first, n - first);
}

/* Bytes of a connection, one after another. read(2): the daemon's own recv() is a filter of what
 * it reads, in this process too. */
typedef struct reader {
    int connection;
    size_t at, n;
    char bytes[4096];
} reader;

static int next_byte(reader *in)
{
    if (in->at == in->n) {
        const ssize_t n = read(in->connection, in->bytes, sizeof in->bytes);
        if (n <= 0) {
            return -1;
        }
        in->at = 0;
        in->n = (size_t)n;
    }
    return (unsigned char)in->bytes[in->at++];
}

/* A line that ends with CR LF, without them; false: there is none of this size. */
static bool read_line(reader *in, char *line, size_t size)
{
    size_t n = 0;
    for (int c = next_byte(in); c >= 0; c = next_byte(in)) {
        if (c == '\n') {
            if (n == 0 || line[n - 1] != '\r') {
                return false;
            }
            line[n - 1] = '\0';
            return true;
        }
        if (n + 1 >= size) {
            return false;
        }
        line[n++] = (char)c;
    }
    return false;
}

static bool read_body(reader *in, tqt_served_answer *answer, size_t n)
{
    if (n > BODY_MAX || answer->n_body > BODY_MAX) {
        return false;
    }
    char *body = realloc(answer->body, answer->n_body + n + 1);
    if (body == NULL) {
        return false;
    }
    answer->body = body;
    for (size_t i = 0; i < n; i++) {
        const int c = next_byte(in);
        if (c < 0) {
            return false;
        }
        body[answer->n_body++] = (char)c;
    }
    body[answer->n_body] = '\0';
    return true;
}

static bool read_chunks(reader *in, tqt_served_answer *answer)
{
    char line[256];
    while (read_line(in, line, sizeof line)) {
        char *end;
        const size_t n = strtoul(line, &end, 16);
        if (end == line || *end != '\0' || !read_body(in, answer, n)) {
            return false;
        }
        if (n == 0) {
            do { /* trailers */
                if (!read_line(in, line, sizeof line)) {
                    return false;
                }
            } while (line[0] != '\0');
            return true;
        }
        if (!read_line(in, line, sizeof line) || line[0] != '\0') {
            return false;
        }
    }
    return false;
}

static const char *value_of(const char *line, const char *name)
{
    const size_t n = strlen(name);
    if (strncasecmp(line, name, n) != 0 || line[n] != ':') {
        return NULL;
    }
    return line + n + 1 + strspn(line + n + 1, " ");
}

typedef struct body_form {
    bool is_chunked, has_length;
    size_t n;
} body_form;

static void take_header(const char *line, tqt_served_answer *answer, body_form *form)
{
    const char *value = value_of(line, "Content-Length");
    if (value != NULL) {
        form->has_length = true;
        form->n = strtoul(value, NULL, 10);
    } else if ((value = value_of(line, "Transfer-Encoding")) != NULL) {
        form->is_chunked = strcasecmp(value, "chunked") == 0;
    } else if ((value = value_of(line, "Content-Type")) != NULL) {
        snprintf(answer->media, sizeof answer->media, "%s", value);
    } else if ((value = value_of(line, "Location")) != NULL) {
        snprintf(answer->location, sizeof answer->location, "%s", value);
    } else if ((value = value_of(line, "Connection")) != NULL) {
        answer->closes = strcasecmp(value, "close") == 0;
    }
}

/* One answer, interim ones (100) passed over. */
tqt_served_answer tqt_served_receive(int connection, bool is_head)
{
    tqt_served_answer answer = {.closes = true};
    reader in = {.connection = connection};
    char line[8192];
    body_form form = {.n = 0};
    do {
        if (!read_line(&in, line, sizeof line) || strncmp(line, "HTTP/1.1 ", 9) != 0) {
            answer.status = 0;
            return answer;
        }
        answer = (tqt_served_answer){.status = (int)strtol(line + 9, NULL, 10)};
        form = (body_form){.n = 0};
        while (read_line(&in, line, sizeof line) && line[0] != '\0') {
            take_header(line, &answer, &form);
        }
    } while (answer.status / 100 == 1);
    if (strncmp(answer.media, "text/event-stream", 17) == 0) {
        answer.closes = true;
        return answer;
    }
    const bool is_empty = is_head || answer.status == 204 || answer.status == 304;
    answer.is_whole = is_empty          ? true
                      : form.is_chunked ? read_chunks(&in, &answer)
                                        : form.has_length && read_body(&in, &answer, form.n);
    answer.closes = answer.closes || !answer.is_whole;
    if (in.at != in.n) { /* more than was asked for */
        answer.is_whole = false;
    }
    return answer;
}

void tqt_served_answer_clear(tqt_served_answer *answer)
{
    free(answer->body);
    answer->body = NULL;
}
