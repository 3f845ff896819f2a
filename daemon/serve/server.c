/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/server.c - creates and destroys the loops and their HTTP daemons. */
#include "daemon/serve/server.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "daemon/observe/log.h"
#include "daemon/serve/library/library.h"
#include "daemon/serve/server_private.h"

/* The pool holds request line and headers of one connection. The library clears all of it after
 * each request: 32 KiB would cost a fifth of the throughput, 256 KiB two thirds. */
enum {
    POOL_BYTES = 6 << 10,
    SPARE_MAX = 64 << 10, /* bytes of the budget of bodies that a loop may reserve, */
    BUDGET_SHARE = 16,    /* and at most this fraction of it for all loops together */
};
_Static_assert(POOL_BYTES >= TQD_HEAD_MAX + 1024, "an answer's head has room beside any request's");

/* Unescape callback: targets stay percent-encoded, the gate checks and decodes them. */
static size_t keep_encoded(void *ctx, struct MHD_Connection *mhd, char *text)
{
    (void)ctx;
    (void)mhd;
    return strlen(text);
}

__attribute__((format(printf, 2, 0))) static void library_log(void *ctx, const char *format,
                                                              va_list arguments)
{
    (void)ctx;
    char text[256];
    int n = vsnprintf(text, sizeof text, format, arguments);
    if (n > 0 && n < (int)sizeof text && text[n - 1] == '\n') {
        text[n - 1] = '\0';
    }
    tqd_log(TQD_LOG_DEBUG, "http library", TQD_TEXT("text", text));
}

/* `source` becomes the event's data pointer. */
static bool watch(int epoll_fd, int fd, void *source)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = source};
    return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static const char *loop_open(tqd_loop *loop, tqd_server *server, size_t i)
{
    const tqd_server_options *options = &server->options;
    loop->server = server;
    loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    loop->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (loop->epoll_fd < 0 || loop->event_fd < 0) {
        return "the system gives no epoll or event descriptor";
    }
    tqd_id_source_init(&loop->ids);
    /* the logger must be the first option: earlier ones would report on stderr */
    loop->mhd = MHD_start_daemon(
        TQD_LIBRARY_FLAGS, 0, tqd_client_accept, loop, tqd_request_step, loop,
        MHD_OPTION_EXTERNAL_LOGGER, library_log, NULL, MHD_OPTION_LISTEN_SOCKET,
        options->sockets[i % options->n_socket], MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)POOL_BYTES, MHD_OPTION_CONNECTION_LIMIT, (unsigned)options->connections_max,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
        MHD_OPTION_UNESCAPE_CALLBACK, keep_encoded, NULL, MHD_OPTION_URI_LOG_CALLBACK,
        tqd_request_target, loop, MHD_OPTION_NOTIFY_COMPLETED, tqd_request_completed, loop,
        MHD_OPTION_NOTIFY_CONNECTION, tqd_client_notify, loop, MHD_OPTION_END);
    if (loop->mhd == NULL) {
        return "the HTTP library does not start";
    }
    loop->mhd_epoll_fd = tqd_library_watch(loop->mhd, loop->epoll_fd);
    if (loop->mhd_epoll_fd < 0 || !watch(loop->epoll_fd, loop->event_fd, &loop->event_fd)) {
        return "the HTTP library has no epoll descriptor";
    }
    return NULL;
}

tqd_server *tqd_server_open(const tqd_server_options *options, const char **reterr)
{
    *reterr = NULL;
    size_t size = sizeof(tqd_server) + options->n_loop * sizeof(tqd_loop);
    size = (size + _Alignof(tqd_loop) - 1) & ~(_Alignof(tqd_loop) - 1);
    tqd_server *server = aligned_alloc(_Alignof(tqd_loop), size);
    if (server == NULL) {
        *reterr = "there is no memory";
        return NULL;
    }
    memset(server, 0, size);
    server->options = *options;
    tqd_accounts_init(&server->accounts);
    server->n_loop = options->n_loop;
    const uint64_t spare = options->body_budget_b / (BUDGET_SHARE * options->n_loop);
    server->spare_max = spare < SPARE_MAX ? spare : SPARE_MAX;
    for (size_t i = 0; i < server->n_loop && *reterr == NULL; i++) {
        *reterr = loop_open(&server->loops[i], server, i);
    }
    if (*reterr != NULL) {
        (void)tqd_server_close(server);
        return NULL;
    }
    return server;
}

/* NULL: out of memory. A replaced list is not freed, since requests read it without a lock. */
static tqd_list *list_new(tqd_server *server, const char *text)
{
    const size_t n = strlen(text) + 1;
    tqd_list *list = malloc(sizeof *list + n);
    if (list != NULL) {
        memcpy(list->text, text, n);
        list->next = server->lists;
        server->lists = list;
    }
    return list;
}

static bool is_same(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b) == 0;
}

bool tqd_server_reload(tqd_server *server, const char *origins, const char *hosts)
{
    tqd_server_options *options = &server->options;
    const bool new_origins = !is_same(options->origins, origins);
    const bool new_hosts = !is_same(options->hosts.extra, hosts);
    const tqd_list *first = new_origins ? list_new(server, origins) : NULL;
    const tqd_list *second = new_hosts ? list_new(server, hosts) : NULL;
    if ((new_origins && first == NULL) || (new_hosts && second == NULL)) {
        return false;
    }
    if (new_origins) {
        atomic_store_explicit(&options->origins, first->text, memory_order_release);
    }
    if (new_hosts) {
        atomic_store_explicit(&options->hosts.extra, second->text, memory_order_release);
    }
    return true;
}

bool tqd_server_close(tqd_server *server)
{
    if (server == NULL) {
        return true;
    }
    for (size_t i = 0; i < server->n_loop; i++) {
        /* the library cannot be stopped while a connection is suspended */
        if (atomic_load(&server->loops[i].running) > 0) {
            return false;
        }
    }
    for (size_t i = 0; i < server->n_loop; i++) {
        tqd_loop *loop = &server->loops[i];
        if (loop->mhd != NULL) {
            MHD_stop_daemon(loop->mhd);
        }
        tqd_response_cache_free(&loop->cached);
        if (loop->epoll_fd > 0) {
            close(loop->epoll_fd);
        }
        if (loop->event_fd > 0) {
            close(loop->event_fd);
        }
    }
    tqd_accounts_clear(&server->accounts);
    while (server->lists != NULL) {
        tqd_list *next = server->lists->next;
        free(server->lists);
        server->lists = next;
    }
    free(server);
    return true;
}

void *tqd_server_loop(tqd_server *server, size_t i)
{
    return &server->loops[i];
}

void tqd_server_drain(tqd_server *server, int64_t wait_ms)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    atomic_store(&server->drain_until_ms,
                 (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + wait_ms);
    atomic_store(&server->draining, true);
    for (size_t i = 0; i < server->n_loop; i++) {
        tqd_loop_wake(&server->loops[i]);
    }
}

void tqd_server_pulse(tqd_server *server)
{
    atomic_fetch_add(&server->pulse, 1);
    for (size_t i = 0; i < server->n_loop; i++) {
        tqd_loop_wake(&server->loops[i]);
    }
}
