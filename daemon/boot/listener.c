/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/listener.c - binds sockets, or inherits them from systemd. */
#include "daemon/boot/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

enum { BACKLOG = 4096 };

typedef union address {
    struct sockaddr any;
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    struct sockaddr_un un;
    struct sockaddr_storage storage;
} address;

/* Splits HOST:PORT or [ADDRESS]:PORT. */
static bool split(const char *text, char *host, size_t n_host, const char **ret_port)
{
    const char *colon = strrchr(text, ':');
    if (colon == NULL || colon == text || colon[1] == '\0') {
        return false;
    }
    const char *begin = text;
    const char *end = colon;
    if (*begin == '[') {
        if (end[-1] != ']') {
            return false;
        }
        begin++;
        end--;
    } else if (memchr(begin, ':', (size_t)(end - begin)) != NULL) {
        return false; /* IPv6 without brackets */
    }
    if (end <= begin || (size_t)(end - begin) >= n_host ||
        strspn(colon + 1, "0123456789") != strlen(colon + 1) || strlen(colon + 1) > 5 ||
        strtoul(colon + 1, NULL, 10) > UINT16_MAX) {
        return false;
    }
    memcpy(host, begin, (size_t)(end - begin));
    host[end - begin] = '\0';
    *ret_port = colon + 1;
    return true;
}

static bool is_loopback(const address *a)
{
    if (a->any.sa_family == AF_INET) {
        return (ntohl(a->in.sin_addr.s_addr) >> 24) == 127;
    }
    return a->any.sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&a->in6.sin6_addr);
}

static bool resolve(const char *text, bool guarded, address *ret_address, socklen_t *ret_n,
                    char *why, size_t n_why)
{
    char host[256];
    const char *port = NULL;
    if (!split(text, host, sizeof host, &port)) {
        snprintf(why, n_why,
                 "listen must be HOST:PORT, [ADDRESS]:PORT or unix:PATH, not \"%.100s\"", text);
        return false;
    }
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | AI_PASSIVE};
    struct addrinfo *found = NULL;
    int code = getaddrinfo(host, port, &hints, &found);
    if (code != 0 || found == NULL) {
        snprintf(why, n_why, "listen: %.100s: %s", text, gai_strerror(code));
        return false;
    }
    memcpy(ret_address, found->ai_addr, found->ai_addrlen);
    *ret_n = found->ai_addrlen;
    freeaddrinfo(found);
    if (!guarded && !is_loopback(ret_address)) {
        snprintf(
            why, n_why,
            "listen: %.100s is not a loopback address, which needs the setting "
            "credentials; or listen on 127.0.0.1 or unix:PATH, with a proxy that authenticates "
            "clients",
            text);
        return false;
    }
    return true;
}

static bool is_unix_path(const char *text)
{
    return strncmp(text, "unix:", 5) == 0;
}

static bool check_path(const char *path, char *why, size_t n_why)
{
    struct sockaddr_un un;
    if (path[0] == '\0' || strlen(path) >= sizeof un.sun_path) {
        snprintf(why, n_why, "listen: the path of a Unix socket has 1 to %zu bytes",
                 sizeof un.sun_path - 1);
        return false;
    }
    return true;
}

bool tqd_listener_check(const char *text, bool guarded, char *why, size_t n_why)
{
    address ignored;
    socklen_t n;
    return is_unix_path(text) ? check_path(text + 5, why, n_why)
                              : resolve(text, guarded, &ignored, &n, why, n_why);
}

/* One bound socket, listening if it is shared or a Unix socket; -1 with errno. */
static int open_socket(const address *a, socklen_t n, bool share)
{
    int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int on = 1;
    if (fd < 0) {
        return -1;
    }
    if (a->any.sa_family != AF_UNIX) {
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    }
    bool serves = share || a->any.sa_family == AF_UNIX;
    if ((share && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0) ||
        bind(fd, &a->any, n) != 0 || (serves && listen(fd, BACKLOG) != 0)) {
        int saved = errno;
        close(fd);
        errno = saved;
        return -1;
    }
    return fd;
}

static void make_url(tqd_listener *listener, const address *a)
{
    char host[INET6_ADDRSTRLEN];
    if (a->any.sa_family == AF_INET6) {
        inet_ntop(AF_INET6, &a->in6.sin6_addr, host, sizeof host);
        snprintf(listener->url, sizeof listener->url, "http://[%s]:%u", host,
                 (unsigned)ntohs(a->in6.sin6_port));
    } else {
        inet_ntop(AF_INET, &a->in.sin_addr, host, sizeof host);
        snprintf(listener->url, sizeof listener->url, "http://%s:%u", host,
                 (unsigned)ntohs(a->in.sin_port));
    }
}

static bool open_port(tqd_listener *listener, const char *text, size_t n, bool guarded, char *why,
                      size_t n_why)
{
    address a;
    socklen_t n_a;
    if (!resolve(text, guarded, &a, &n_a, why, n_why)) {
        return false;
    }
    /* with SO_REUSEPORT another daemon of this user could bind the port too without an error: bind
     * it exclusively first */
    int alone = open_socket(&a, n_a, false);
    if (alone < 0) {
        snprintf(why, n_why, "listen: %.100s: %s", text, strerror(errno));
        return false;
    }
    getsockname(alone, &a.any, &n_a);
    close(alone);
    for (size_t i = 0; i < n; i++) {
        int fd = open_socket(&a, n_a, true);
        if (fd < 0) {
            snprintf(why, n_why, "listen: %.100s: %s", text, strerror(errno));
            return false;
        }
        listener->sockets[listener->n_socket++] = fd;
    }
    make_url(listener, &a);
    return true;
}

/* Removes a socket file without a listener. */
static void remove_stale(const address *a, socklen_t n)
{
    struct stat info;
    if (lstat(a->un.sun_path, &info) != 0 || !S_ISSOCK(info.st_mode)) {
        return;
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, &a->any, n) != 0 && errno == ECONNREFUSED) {
        unlink(a->un.sun_path);
    }
    if (fd >= 0) {
        close(fd);
    }
}

static bool open_path(tqd_listener *listener, const char *path, char *why, size_t n_why)
{
    address a;
    memset(&a, 0, sizeof a);
    if (!check_path(path, why, n_why)) {
        return false;
    }
    a.un.sun_family = AF_UNIX;
    snprintf(a.un.sun_path, sizeof a.un.sun_path, "%s", path);
    remove_stale(&a, sizeof a.un);
    /* only this user may connect, as with the state folder, until tqd_listener_admit */
    mode_t before = umask(0177);
    int fd = open_socket(&a, sizeof a.un, false);
    umask(before);
    if (fd < 0) {
        snprintf(why, n_why, "listen: unix:%.100s: %s", path, strerror(errno));
        return false;
    }
    listener->sockets[listener->n_socket++] = fd;
    listener->is_unix = true;
    snprintf(listener->path, sizeof listener->path, "%s", path);
    snprintf(listener->url, sizeof listener->url, "unix:%s", path);
    return true;
}

static bool take_activated(tqd_listener *listener, int count, bool guarded, char *why, size_t n_why)
{
    listener->is_unix = true;
    for (int i = 0; i < count && listener->n_socket < TQD_LISTENER_SOCKETS; i++) {
        int fd = SD_LISTEN_FDS_START + i;
        address a;
        socklen_t n_a = sizeof a;
        memset(&a, 0, sizeof a);
        if (sd_is_socket(fd, AF_UNSPEC, SOCK_STREAM, 1) <= 0 ||
            getsockname(fd, &a.any, &n_a) != 0) {
            snprintf(why, n_why, "descriptor %d from systemd is not a listening stream socket", fd);
            return false;
        }
        if (!guarded && a.any.sa_family != AF_UNIX && !is_loopback(&a)) {
            snprintf(why, n_why,
                     "the socket unit listens beyond loopback, and that needs "
                     "credentials");
            return false;
        }
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
        listener->sockets[listener->n_socket++] = fd;
        /* a single TCP socket among the sockets makes the Host check necessary */
        listener->is_unix = listener->is_unix && a.any.sa_family == AF_UNIX;
        if (a.any.sa_family == AF_UNIX) {
            snprintf(listener->url, sizeof listener->url, "unix:%.100s", a.un.sun_path);
        } else {
            make_url(listener, &a);
        }
    }
    return true;
}

bool tqd_listener_open(tqd_listener *ret_listener, const char *text, size_t n, bool guarded,
                       char *why, size_t n_why)
{
    memset(ret_listener, 0, sizeof *ret_listener);
    int count = sd_listen_fds(1);
    bool good;
    if (count > 0) {
        good = take_activated(ret_listener, count, guarded, why, n_why);
    } else if (is_unix_path(text)) {
        good = open_path(ret_listener, text + 5, why, n_why);
    } else {
        good = open_port(ret_listener, text, n < TQD_LISTENER_SOCKETS ? n : TQD_LISTENER_SOCKETS,
                         guarded, why, n_why);
    }
    if (!good) {
        tqd_listener_close(ret_listener);
    }
    return good;
}

static bool find_group(const char *name, gid_t *ret)
{
    char *end = NULL;
    const unsigned long number = strtoul(name, &end, 10);
    char text[4096];
    struct group group;
    struct group *found = NULL;
    if (end != name && *end == '\0' && number < UINT32_MAX) {
        *ret = (gid_t)number;
        return true;
    }
    if (getgrnam_r(name, &group, text, sizeof text, &found) != 0 || found == NULL) {
        return false;
    }
    *ret = found->gr_gid;
    return true;
}

bool tqd_listener_admit(const tqd_listener *listener, const char *mode, const char *group,
                        char *why, size_t n_why)
{
    gid_t gid = (gid_t)-1; /* chown(2): -1 leaves the group unchanged */
    if (listener->path[0] == '\0') {
        return true;
    }
    if (group[0] != '\0' && !find_group(group, &gid)) {
        snprintf(why, n_why, "socket_group: there is no group \"%.80s\"", group);
        return false;
    }
    if (chown(listener->path, (uid_t)-1, gid) != 0 ||
        chmod(listener->path, (mode_t)strtoul(mode, NULL, 8)) != 0) {
        snprintf(why, n_why, "socket_group, socket_mode: %.100s: %s", listener->path,
                 strerror(errno));
        return false;
    }
    return true;
}

void tqd_listener_close(tqd_listener *listener)
{
    for (size_t i = 0; i < listener->n_socket; i++) {
        close(listener->sockets[i]);
    }
    listener->n_socket = 0;
    if (listener->path[0] != '\0') {
        unlink(listener->path);
        listener->path[0] = '\0';
    }
}
