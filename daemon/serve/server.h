/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/server.h - the door of serve: sockets and routes in, replies out. Free of any HTTP
 * library. */
#ifndef TQD_SERVE_SERVER_H
#define TQD_SERVE_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/http/bearer.h"
#include "daemon/http/exchange.h"
#include "daemon/http/gate.h"
#include "daemon/http/session.h"
#include "daemon/observe/counters.h"

enum { TQD_LOOPS_MAX = 64 };

/* How long a client may take. Every phase of a connection has one. */
typedef struct tqd_deadlines {
    int64_t header_ms;     /* from accept, or from the first byte of the next request */
    int64_t idle_ms;       /* between requests; also without any progress of a reply */
    int64_t body_ms;       /* whole body, whatever its rate */
    int64_t run_ms;        /* suspended, waiting for its result */
    int64_t queue_ms;      /* of that, for a worker to begin; 0: all of it */
    int64_t grace_ms;      /* before the least rate counts */
    uint64_t rate_min_b_s; /* of bodies and replies, bytes a second, after the grace */
} tqd_deadlines;

typedef struct tqd_server_options {
    const tqd_route *routes; /* must outlive the server */
    size_t n_route;
    const int *sockets; /* bound, listening, not blocking; loop i uses sockets[i % n_socket] */
    size_t n_socket;
    size_t n_loop;
    size_t connections_max;   /* over all loops */
    uint64_t body_budget_b;   /* bytes of bodies in flight, over all connections */
    const tqd_tokens *tokens; /* that clients must have; NULL: everyone may enter */
    tqd_sessions *sessions;   /* of browsers that had one; not NULL where tokens are not */
    const char *origins;      /* of other sites whose pages may ask; NULL or "": none */
    tqd_hosts hosts;
    tqd_deadlines deadlines;
    bool log_requests;
    /* Gives work to a worker; false: there is no room. */
    bool (*submit)(void *ctx, void (*run)(void *arg), void *arg);
    /* The same for what is short, before all that is not; NULL: as the others. */
    bool (*submit_soon)(void *ctx, void (*run)(void *arg), void *arg);
    /* Takes it back while no worker has begun it; false: too late. */
    bool (*withdraw)(void *ctx, void (*run)(void *arg), void *arg);
    /* How long work would wait now, in ms. */
    int64_t (*wait_ms)(void *ctx);
    void *submit_ctx;
    /* Called by each loop once after each tqd_server_pulse; may be NULL. */
    void (*alive)(void *ctx);
    void *alive_ctx;
} tqd_server_options;

typedef struct tqd_server tqd_server;

/* Makes one HTTP daemon per loop; the caller then runs each tqd_server_loop on a thread of its own.
 * NULL and a constant reason when the library refuses. */
tqd_server *tqd_server_open(const tqd_server_options *options, const char **reterr);
/* After all loops have returned. False when requests were still running: then the server is left as
 * it is, for the process to end. */
bool tqd_server_close(tqd_server *server);

/* The argument for tqd_server_run, i < n_loop. */
void *tqd_server_loop(tqd_server *server, size_t i);
/* The life of one I/O thread; returns some time after tqd_server_drain. */
void tqd_server_run(void *loop);

/* Stops accepting; loops return when their requests have been answered, or after `wait_ms`. Any
 * thread. */
void tqd_server_drain(tqd_server *server, int64_t wait_ms);

/* Asks every loop for a sign of life. Any thread. */
void tqd_server_pulse(tqd_server *server);

/* The counters of each loop, into ret_blocks (TQD_LOOPS_MAX); returns how many. */
size_t tqd_server_counters(const tqd_server *server, const tqd_counters **ret_blocks);

#endif
