/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/server.h - the interface of serve: sockets and routes in, replies out. Independent
 * of the HTTP library. */
#ifndef TQD_SERVE_SERVER_H
#define TQD_SERVE_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/http/bearer.h"
#include "daemon/http/exchange.h"
#include "daemon/http/gate.h"
#include "daemon/http/session.h"
#include "daemon/observe/audit.h"
#include "daemon/observe/latency.h"

enum { TQD_LOOPS_MAX = 64 };

/* Time limits of a client; every phase of a connection has one. */
typedef struct tqd_deadlines {
    int64_t header_ms;     /* from accept, or from the first byte of the next request */
    int64_t idle_ms;       /* between requests; also for a reply without progress */
    int64_t body_ms;       /* whole body, whatever its rate */
    int64_t run_ms;        /* suspended until the result is ready */
    int64_t queue_ms;      /* of run_ms: until a worker begins; 0: all of run_ms */
    int64_t grace_ms;      /* before the minimum rate applies */
    uint64_t rate_min_b_s; /* of bodies and replies, bytes a second, after grace_ms */
} tqd_deadlines;

typedef struct tqd_server_options {
    const tqd_route *routes; /* must outlive the server */
    size_t n_route;
    const int *sockets; /* bound, listening, O_NONBLOCK; loop i uses sockets[i % n_socket] */
    size_t n_socket;
    size_t n_loop;
    size_t connections_max;    /* over all loops */
    size_t client_connections; /* of one named client that is alone (share.h); 0: no bound */
    uint64_t body_budget_b;    /* bytes of bodies in flight, over all connections */
    uint64_t client_bodies_b;  /* of body_budget_b for one client that is alone; 0: all */
    size_t client_queue_max;   /* requests of one client that may wait for its turn */
    unsigned turns_max;       /* requests of one client in the workers' queue or running, at most */
    const tqd_tokens *tokens; /* bearer tokens of clients; NULL: no authentication */
    tqd_sessions *sessions;   /* sessions of browsers that sent a token; not NULL if `tokens` is not
                                 NULL */
    /* CORS: other origins that may send requests; NULL or "": none */
    _Atomic(const char *) origins;
    tqd_hosts hosts;
    tqd_deadlines deadlines;
    bool log_requests;
    bool realtime;    /* the loops' threads in a real-time class, where the system admits it */
    tqd_audit *audit; /* NULL: none */
    /* Puts work into the queue; false: the queue is full. */
    bool (*submit)(void *ctx, void (*run)(void *arg), void *arg);
    /* The same for short work, which takes precedence; NULL: as submit. */
    bool (*submit_soon)(void *ctx, void (*run)(void *arg), void *arg);
    /* Removes work that no worker has begun; false: too late. */
    bool (*withdraw)(void *ctx, void (*run)(void *arg), void *arg);
    /* Expected time in the queue now, ms. */
    int64_t (*wait_ms)(void *ctx);
    void *submit_ctx;
    /* Called by each loop once after each tqd_server_pulse; may be NULL. */
    void (*alive)(void *ctx);
    void *alive_ctx;
} tqd_server_options;

typedef struct tqd_server tqd_server;

/* Creates one HTTP daemon per loop; the caller runs each tqd_server_loop on a thread of its own.
 * NULL and a constant reason when the library refuses. */
tqd_server *tqd_server_open(const tqd_server_options *options, const char **reterr);
/* Replaces the lists of origins and hosts for the requests that come next. One thread at a time.
 * False: no memory, and nothing is changed. */
bool tqd_server_reload(tqd_server *server, const char *origins, const char *hosts);
/* After all loops have returned. False when requests were still running: the server is then leaked
 * on purpose, as the process ends. */
bool tqd_server_close(tqd_server *server);

/* The argument for tqd_server_run, i < n_loop. */
void *tqd_server_loop(tqd_server *server, size_t i);
/* Body of an I/O thread; returns some time after tqd_server_drain. */
void tqd_server_run(void *loop);

/* Stops accepting; loops return when their requests have been answered, or after `wait_ms`. Any
 * thread. */
void tqd_server_drain(tqd_server *server, int64_t wait_ms);

/* Liveness check: every loop calls `alive` in its next iteration. Any thread. */
void tqd_server_pulse(tqd_server *server);

/* Appends the Prometheus text of its metrics. Any thread. */
void tqd_server_metrics(const tqd_server *server, tqd_text *out);

#endif
