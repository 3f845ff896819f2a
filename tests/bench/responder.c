/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/responder.c - the bare HTTP library: reads a body, answers with fixed bytes. The peer
 * of one request: same pool, flags, loop and threads as daemon/serve, nothing computed.
 * Usage: responder ANSWER_FILE THREADS [outside | unix:PATH]; prints its port and serves until
 * stdin ends. */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { POOL_BYTES = 6 << 10, CONNECTIONS = 4096, ANSWER_MAX = 1 << 20 };

static char answer[ANSWER_MAX];
static size_t n_answer;

static enum MHD_Result answer_fixed(void *ctx, struct MHD_Connection *connection, const char *url,
                                    const char *method, const char *version, const char *upload,
                                    size_t *n_upload, void **state)
{
    (void)url, (void)method, (void)version, (void)upload;
    static int seen;
    if (*state == NULL) {
        *state = &seen;
        return MHD_YES;
    }
    if (*n_upload > 0) {
        *n_upload = 0;
        return MHD_YES;
    }
    return MHD_queue_response(connection, MHD_HTTP_OK, ctx);
}

static int listener(uint16_t port)
{
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const int on = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0 ||
        bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 1024) != 0) {
        perror("responder");
        exit(2);
    }
    return fd;
}

static int unix_listener(const char *path)
{
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(fd, 1024) != 0) {
        perror("responder");
        exit(2);
    }
    return fd;
}

/* Waits inside the library, as our loops do for few connections: one system call a turn. */
static void *serve_inside(void *mhd)
{
    for (;;) {
        MHD_run_wait(mhd, 500);
    }
    return NULL;
}

/* For many: left to itself the library can sleep on 128 requests. */
static void *serve(void *mhd)
{
    const int fd = MHD_get_daemon_info(mhd, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    const int outer = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(outer, EPOLL_CTL_ADD, fd, &event);
    for (;;) {
        MHD_UNSIGNED_LONG_LONG timeout = 1000;
        const int busy = MHD_get_timeout(mhd, &timeout) == MHD_YES && timeout == 0;
        epoll_wait(outer, &event, 1, busy ? 0 : 500);
        MHD_run(mhd);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 3 || argc == 4 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL) {
        fprintf(stderr, "usage: responder ANSWER_FILE THREADS [outside | unix:PATH]\n");
        return 2;
    }
    n_answer = fread(answer, 1, sizeof answer, file);
    fclose(file);
    const long n_thread = strtol(argv[2], NULL, 10);
    const char *path = argc == 4 && strncmp(argv[3], "unix:", 5) == 0 ? argv[3] + 5 : NULL;
    uint16_t port = 0;
    for (long i = 0; i < n_thread; i++) {
        const int fd = path != NULL ? unix_listener(path) : listener(port);
        struct sockaddr_in bound;
        socklen_t n = sizeof bound;
        getsockname(fd, (struct sockaddr *)&bound, &n);
        port = path != NULL ? 0 : ntohs(bound.sin_port);
        /* one response object a thread, as its reference count is shared memory */
        struct MHD_Response *response =
            MHD_create_response_from_buffer(n_answer, answer, MHD_RESPMEM_PERSISTENT);
        MHD_add_response_header(response, "Content-Type", "application/json");
        struct MHD_Daemon *mhd = MHD_start_daemon(
            MHD_USE_EPOLL | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO, 0, NULL, NULL,
            answer_fixed, response, MHD_OPTION_LISTEN_SOCKET, fd,
            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)POOL_BYTES, MHD_OPTION_CONNECTION_LIMIT,
            (unsigned)CONNECTIONS, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
        pthread_t thread;
        if (mhd == NULL ||
            pthread_create(&thread, NULL, argc == 4 && path == NULL ? serve : serve_inside, mhd) !=
                0) {
            fprintf(stderr, "responder does not start\n");
            return 2;
        }
    }
    printf("%u\n", port);
    fflush(stdout);
    while (getchar() != EOF) {
    }
    return 0;
}
