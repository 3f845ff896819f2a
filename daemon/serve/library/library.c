/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/library/library.c - libmicrohttpd 0.9.75 beyond its documentation. */
#include "daemon/serve/library/library.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* connections up to which MHD_run_wait cannot meet 128 events at once */
enum { WAIT_IN_LIBRARY_MAX = 96 };

char *tqd_library_header_value(struct MHD_Response *response, const char *name)
{
    union {
        const char *in;
        char *out;
    } value = {.in = MHD_get_response_header(response, name)};
    return value.out;
}

void tqd_library_unchunk(struct MHD_Response *response)
{
    (void)MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

int tqd_library_detach(int fd)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0) {
        return -1;
    }
    close(pair[1]);
    int kept = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (kept >= 0 && dup3(pair[0], fd, O_CLOEXEC) < 0) {
        close(kept);
        kept = -1;
    }
    close(pair[0]);
    return kept;
}

bool tqd_library_attach(struct MHD_Daemon *mhd, int fd)
{
    struct sockaddr_storage address;
    socklen_t n = sizeof address;
    if (getpeername(fd, (struct sockaddr *)&address, &n) != 0) {
        close(fd);
        return false;
    }
    return MHD_add_connection(mhd, fd, (struct sockaddr *)&address, n) == MHD_YES;
}

size_t tqd_library_accept(struct MHD_Daemon *mhd, size_t most)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(mhd, MHD_DAEMON_INFO_LISTEN_FD);
    const int listener = info != NULL ? info->listen_fd : -1;
    size_t n = 0;
    while (listener >= 0 && n < most) {
        struct sockaddr_storage address;
        socklen_t size = sizeof address;
        struct sockaddr *at = (struct sockaddr *)&address;
        const int fd = accept4(listener, at, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            break;
        }
        n++;
        (void)MHD_add_connection(mhd, fd, at, size); /* a connection that it refuses is closed */
    }
    return n;
}

int tqd_library_watch(struct MHD_Daemon *mhd, int fd)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(mhd, MHD_DAEMON_INFO_EPOLL_FD);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    if (info == NULL || epoll_ctl(info->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0) {
        return -1;
    }
    return info->epoll_fd;
}

bool tqd_library_has_work(struct MHD_Daemon *mhd)
{
    MHD_UNSIGNED_LONG_LONG timeout;
    return MHD_get_timeout(mhd, &timeout) == MHD_YES && timeout == 0;
}

void tqd_library_run(struct MHD_Daemon *mhd, int set_fd, int own_fd, size_t n_open, int ms)
{
    if (n_open < WAIT_IN_LIBRARY_MAX) {
        MHD_run_wait(mhd, ms);
        return;
    }
    struct pollfd fds[2] = {{.fd = set_fd, .events = POLLIN}, {.fd = own_fd, .events = POLLIN}};
    if (ms != 0) {
        (void)poll(fds, 2, ms);
    }
    MHD_run(mhd);
}

void tqd_library_run_again(struct MHD_Daemon *mhd)
{
    MHD_run(mhd);
}

void tqd_library_close_soon(struct MHD_Connection *connection)
{
    (void)MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 1u);
}
