/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/serve/test_library.c - the installed libmicrohttpd has the undocumented
 * behaviour that daemon/serve/library relies on. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <netinet/in.h>

#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/serve/library/library.h"
#include "daemon/serve/library/receive.h"

/* Time limit of a test that waits for an event that does not occur. */
enum { HANG_S = 60, BODY = 100000, MANY = 256 };

static struct MHD_Response *answer; /* the answer to every request */
static struct MHD_Connection *suspended;
static int n_answered, n_closed, n_body_seen, suspends;

static void completed(void *ctx, struct MHD_Connection *mhd, void **context,
                      enum MHD_RequestTerminationCode code)
{
    (void)ctx, (void)mhd, (void)context;
    n_closed += code != MHD_REQUEST_TERMINATED_COMPLETED_OK;
}

static enum MHD_Result step(void *ctx, struct MHD_Connection *mhd, const char *url,
                            const char *method, const char *version, const char *bytes,
                            size_t *n_bytes, void **context)
{
    static int begun;
    (void)ctx, (void)url, (void)method, (void)version, (void)bytes;
    if (*context == NULL) {
        *context = &begun;
        return MHD_YES;
    }
    if (*n_bytes > 0) {
        n_body_seen += (int)*n_bytes;
        *n_bytes = 0;
        if (suspends) {
            suspended = mhd;
            MHD_suspend_connection(mhd);
        }
        return MHD_YES;
    }
    n_answered++;
    return MHD_queue_response(mhd, 200, answer);
}

__attribute__((format(printf, 2, 0))) static void drop_log(void *ctx, const char *format,
                                                           va_list arguments)
{
    (void)ctx, (void)format, (void)arguments;
}

static struct MHD_Daemon *start(int listener, unsigned most)
{
    struct MHD_Daemon *mhd =
        listener >= 0
            ? MHD_start_daemon(TQD_LIBRARY_FLAGS, 0, NULL, NULL, step, NULL,
                               MHD_OPTION_EXTERNAL_LOGGER, drop_log, NULL, MHD_OPTION_LISTEN_SOCKET,
                               listener, MHD_OPTION_CONNECTION_LIMIT, most,
                               MHD_OPTION_NOTIFY_COMPLETED, completed, NULL, MHD_OPTION_END)
            : MHD_start_daemon((unsigned)TQD_LIBRARY_FLAGS | MHD_USE_NO_LISTEN_SOCKET, 0, NULL,
                               NULL, step, NULL, MHD_OPTION_EXTERNAL_LOGGER, drop_log, NULL,
                               MHD_OPTION_CONNECTION_LIMIT, most, MHD_OPTION_NOTIFY_COMPLETED,
                               completed, NULL, MHD_OPTION_END);
    cr_assert(mhd != NULL);
    return mhd;
}

/* The client's end of a new connection. */
static int connect_pair(struct MHD_Daemon *mhd, int *ret_server_fd)
{
    int pair[2];
    cr_assert(eq(int, socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0));
    cr_assert(tqd_library_attach(mhd, pair[1]));
    if (ret_server_fd != NULL) {
        *ret_server_fd = pair[1];
    }
    return pair[0];
}

static void send_text(int fd, const char *text)
{
    cr_assert(eq(sz, (size_t)send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text)));
}

/* Runs the library until the client has received `want`; returns the received text. */
static size_t receive_until(struct MHD_Daemon *mhd, int fd, const char *want, char *out,
                            size_t size)
{
    size_t n = 0;
    out[0] = '\0';
    while (strstr(out, want) == NULL) {
        const ssize_t got = recv(fd, out + n, size - 1 - n, 0);
        cr_assert(got > 0 || (got < 0 && errno == EAGAIN), "the connection ended: %s", out);
        if (got > 0) {
            n += (size_t)got;
            out[n] = '\0';
        } else {
            MHD_run_wait(mhd, 50);
        }
    }
    return n;
}

Test(library, a_queued_response_sends_the_overwritten_value, .timeout = HANG_S)
{
    static const char *const ids[] = {"first-id", "other-id", "third-id"};
    char text[2048];
    char want[64];
    answer = MHD_create_response_from_buffer(2, (void *)"ok", MHD_RESPMEM_PERSISTENT);
    cr_assert(eq(int, MHD_add_response_header(answer, "X-Id", "00000000"), MHD_YES));
    struct MHD_Daemon *mhd = start(-1, 8);
    const int fd = connect_pair(mhd, NULL);
    for (size_t k = 0; k < 3; k++) {
        memcpy(tqd_library_header_value(answer, "X-Id"), ids[k], 8);
        send_text(fd, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        (void)snprintf(want, sizeof want, "X-Id: %s\r\n", ids[k]);
        receive_until(mhd, fd, "\r\n\r\nok", text, sizeof text);
        cr_expect(strstr(text, want) != NULL, "%s", text);
    }
    MHD_stop_daemon(mhd);
    MHD_destroy_response(answer);
    close(fd);
}

/* What libmicrohttpd receives passes through recv() of this program: a header without a name, which
 * it takes for the end of the head, is not delivered, nor what follows. */
Test(library, received_bytes_pass_through_a_filter, .timeout = HANG_S)
{
    char text[2048];
    int server_fd = -1;
    tqd_framing framing = {0};
    answer = MHD_create_response_from_buffer(2, (void *)"ok", MHD_RESPMEM_PERSISTENT);
    struct MHD_Daemon *mhd = start(-1, 8);
    const int fd = connect_pair(mhd, &server_fd);
    cr_assert(tqd_library_frame(server_fd, &framing));
    send_text(fd, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    receive_until(mhd, fd, "\r\n\r\nok", text, sizeof text);
    cr_assert(eq(sz, (size_t)framing.n_begun, 1));
    cr_assert(framing.fault == NULL);
    send_text(fd, "GET / HTTP/1.1\r\nHost: a\r\n: v\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
    receive_until(mhd, fd, "\r\n\r\nok", text, sizeof text);
    cr_assert(framing.fault != NULL);
    for (unsigned k = 0; k < 100 && n_closed == 0; k++) {
        MHD_run_wait(mhd, 10);
    }
    cr_expect(eq(int, n_answered, 2));
    cr_assert(tqd_library_frame(server_fd, NULL));
    MHD_stop_daemon(mhd);
    MHD_destroy_response(answer);
    close(fd);
}

/* The library has read the head and a part of a body, and is suspended: the rest stays in the
 * socket, an answer can be written to the socket, and the client's connection outlives that of the
 * library. */
Test(library, a_suspended_connection_leaves_its_socket_to_us, .timeout = HANG_S)
{
    static char body[BODY];
    char text[2048];
    int server_fd = -1;
    size_t n_left = 0;
    suspends = 1;
    answer = MHD_create_response_from_buffer(2, (void *)"ok", MHD_RESPMEM_PERSISTENT);
    struct MHD_Daemon *mhd = start(-1, 8);
    const int fd = connect_pair(mhd, &server_fd);
    send_text(fd, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
    cr_assert(eq(sz, (size_t)send(fd, body, 100, 0), 100));
    while (suspended == NULL) {
        MHD_run_wait(mhd, 50);
    }
    cr_assert(eq(int, n_body_seen, 100));
    cr_assert(eq(sz, (size_t)send(fd, body, BODY - 100, 0), BODY - 100));
    for (int k = 0; k < 10; k++) {
        MHD_run(mhd);
    }
    for (ssize_t n = 1; n > 0; n_left += n > 0 ? (size_t)n : 0) {
        n = recv(server_fd, body, sizeof body, 0);
    }
    cr_expect(eq(sz, n_left, BODY - 100));
    send_text(server_fd, "HTTP/1.1 204 No Content\r\n\r\n");
    const int kept = tqd_library_detach(server_fd);
    cr_assert(kept >= 0);
    MHD_resume_connection(suspended);
    while (n_closed == 0) {
        MHD_run_wait(mhd, 50);
    }
    cr_expect(eq(int, n_answered, 0));
    suspends = 0;
    cr_assert(tqd_library_attach(mhd, kept));
    send_text(fd, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    receive_until(mhd, fd, "\r\n\r\nok", text, sizeof text);
    cr_expect(strncmp(text, "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\n", 44) == 0, "%s",
              text);
    MHD_stop_daemon(mhd);
    MHD_destroy_response(answer);
    close(fd);
}

/* An event with a NULL pointer ends a wait without limit, repeatedly, and has no other effect. */
Test(library, an_event_with_no_pointer_ends_the_wait, .timeout = HANG_S)
{
    char text[2048];
    uint64_t one = 1;
    answer = MHD_create_response_from_buffer(2, (void *)"ok", MHD_RESPMEM_PERSISTENT);
    struct MHD_Daemon *mhd = start(-1, 8);
    const int own = epoll_create1(EPOLL_CLOEXEC);
    const int event = eventfd(0, EFD_NONBLOCK);
    struct epoll_event wanted = {.events = EPOLLIN, .data.ptr = &one};
    cr_assert(eq(int, epoll_ctl(own, EPOLL_CTL_ADD, event, &wanted), 0));
    const int set = tqd_library_watch(mhd, own);
    cr_assert(set >= 0);
    for (size_t many = 0; many <= 1000; many += 500) { /* both ways of waiting */
        cr_assert(eq(sz, (size_t)write(event, &one, sizeof one), sizeof one));
        tqd_library_run(mhd, set, own, many, -1);
        cr_assert(eq(sz, (size_t)read(event, &one, sizeof one), sizeof one));
    }
    const int fd = connect_pair(mhd, NULL);
    send_text(fd, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    receive_until(mhd, fd, "\r\n\r\nok", text, sizeof text);
    MHD_stop_daemon(mhd);
    MHD_destroy_response(answer);
    close(fd);
    close(own);
    close(event);
}

/* 128 and 256 requests at once: all are answered although each wait is without limit. */
Test(library, many_requests_at_once_are_all_answered, .timeout = HANG_S)
{
    static int fds[MANY];
    answer = MHD_create_response_from_buffer(2, (void *)"ok", MHD_RESPMEM_PERSISTENT);
    struct MHD_Daemon *mhd = start(-1, MANY);
    const int own = epoll_create1(EPOLL_CLOEXEC);
    const int set = tqd_library_watch(mhd, own);
    for (int n = 128; n <= MANY; n *= 2) {
        for (int i = n == 128 ? 0 : 128; i < n; i++) {
            fds[i] = connect_pair(mhd, NULL);
        }
        do {
            tqd_library_run(mhd, set, own, (size_t)n, 0);
        } while (tqd_library_has_work(mhd));
        n_answered = 0;
        for (int i = 0; i < n; i++) {
            send_text(fds[i], "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        }
        while (n_answered < n) {
            tqd_library_run(mhd, set, own, (size_t)n, tqd_library_has_work(mhd) ? 0 : -1);
        }
        for (int i = 0; i < n; i++) {
            char text[2048];
            receive_until(mhd, fds[i], "\r\n\r\nok", text, sizeof text);
        }
    }
    for (int i = 0; i < MANY; i++) {
        close(fds[i]);
    }
    MHD_stop_daemon(mhd);
    MHD_destroy_response(answer);
    close(own);
}

static ssize_t read_some(void *ctx, uint64_t position, char *out, size_t size)
{
    (void)ctx, (void)size;
    memcpy(out, "body", 4);
    return position == 0 ? 4 : MHD_CONTENT_READER_END_OF_STREAM;
}

Test(library, an_answer_to_head_of_unknown_length_has_no_byte_after_its_head, .timeout = HANG_S)
{
    char text[2048];
    size_t n = 0;
    answer = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, read_some, NULL, NULL);
    tqd_library_unchunk(answer);
    struct MHD_Daemon *mhd = start(-1, 8);
    const int fd = connect_pair(mhd, NULL);
    send_text(fd, "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
    for (ssize_t got = -1; got != 0;) {
        got = recv(fd, text + n, sizeof text - 1 - n, 0);
        cr_assert(got >= 0 || errno == EAGAIN);
        n += got > 0 ? (size_t)got : 0;
        if (got < 0) {
            MHD_run_wait(mhd, 50);
        }
    }
    text[n] = '\0';
    cr_expect(strncmp(text, "HTTP/1.", 7) == 0, "%s", text);
    cr_expect(n >= 4 && strstr(text, "\r\n\r\n") == text + n - 4, "%s", text);
    cr_expect(strstr(text, "chunked") == NULL, "%s", text);
    MHD_stop_daemon(mhd);
    MHD_destroy_response(answer);
    close(fd);
}

static int connect_to(const struct sockaddr_in *address)
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert(eq(int, connect(fd, (const struct sockaddr *)address, sizeof *address), 0));
    return fd;
}

/* With a limit of one connection, the second is accepted in the run after the first has closed. */
/* More than a run of the library accepts, each open at once and answered. */
Test(library, connections_that_wait_are_accepted_together, .timeout = HANG_S)
{
    enum { HERD = 40, FIRST = 32 };
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    cr_assert(eq(int, bind(listener, (const struct sockaddr *)&address, sizeof address), 0));
    cr_assert(eq(int, listen(listener, HERD), 0));
    cr_assert(eq(int, getsockname(listener, (struct sockaddr *)&address, &n), 0));
    answer = MHD_create_response_from_buffer(2, (void *)"ok", MHD_RESPMEM_PERSISTENT);
    struct MHD_Daemon *mhd = start(listener, HERD);
    int fds[HERD];
    for (int k = 0; k < HERD; k++) {
        fds[k] = connect_to(&address);
        send_text(fds[k], "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    cr_assert(eq(sz, tqd_library_accept(mhd, FIRST), FIRST));
    cr_assert(eq(uint,
                 MHD_get_daemon_info(mhd, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)->num_connections,
                 FIRST));
    cr_assert(eq(sz, tqd_library_accept(mhd, FIRST), HERD - FIRST));
    cr_assert(eq(sz, tqd_library_accept(mhd, FIRST), 0));
    n_answered = 0;
    while (n_answered < HERD) {
        MHD_run_wait(mhd, 50);
    }
    for (int k = 0; k < HERD; k++) {
        close(fds[k]);
    }
    MHD_stop_daemon(mhd);
    MHD_destroy_response(answer);
}

Test(library, a_run_after_the_limit_accepts_again, .timeout = HANG_S)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    cr_assert(eq(int, bind(listener, (const struct sockaddr *)&address, sizeof address), 0));
    cr_assert(eq(int, listen(listener, 8), 0));
    cr_assert(eq(int, getsockname(listener, (struct sockaddr *)&address, &n), 0));
    answer = MHD_create_response_from_buffer(2, (void *)"ok", MHD_RESPMEM_PERSISTENT);
    struct MHD_Daemon *mhd = start(listener, 1);
    for (int k = 0; k < 3; k++) {
        const int fd = connect_to(&address);
        n_answered = 0;
        send_text(fd, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        while (n_answered == 0) {
            MHD_run_wait(mhd, -1);
        }
        const int next = connect_to(&address);
        MHD_run_wait(mhd, 0); /* at the limit: the connection waits in the backlog */
        n_closed = 0;
        shutdown(fd, SHUT_RDWR);
        close(fd);
        while (MHD_get_daemon_info(mhd, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)->num_connections > 0) {
            MHD_run_wait(mhd, -1);
        }
        tqd_library_run_again(mhd);
        send_text(next, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        while (n_answered == 1) {
            MHD_run_wait(mhd, -1);
        }
        close(next);
        while (MHD_get_daemon_info(mhd, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)->num_connections > 0) {
            MHD_run_wait(mhd, -1);
        }
        tqd_library_run_again(mhd);
    }
    MHD_stop_daemon(mhd);
    MHD_destroy_response(answer);
}
