/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/server_private.h - private to serve: the record of a connection and its request. */
#ifndef TQD_SERVE_SERVER_PRIVATE_H
#define TQD_SERVE_SERVER_PRIVATE_H

#include <microhttpd.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/http/framing.h"
#include "daemon/key.h"
#include "daemon/observe/counters.h"
#include "daemon/observe/log.h"
#include "daemon/observe/request_id.h"
#include "daemon/serve/account.h"
#include "daemon/serve/realtime.h"
#include "daemon/serve/response_cache.h"
#include "daemon/serve/route_cache.h"
#include "daemon/serve/server.h"

enum {
    TQD_DIRECT_MIN = 64 << 10, /* bodies from this size on are read by direct.c */
    TQD_DIRECT_PIECE = 256 << 10,
    TQD_DISCARD_MAX = 64 << 10, /* a refused body up to this size is read, to keep the connection */
    TQD_TICK_MS = 250,
    TQD_PARTING_MS = 500, /* while draining: grace for a refused client that still sends */
};

/* State of a connection; each phase has its deadline. */
typedef enum tqd_phase {
    TQD_PHASE_HEADER,  /* accepted, or the first byte of a next request received */
    TQD_PHASE_BODY,    /* headers complete, reading the body */
    TQD_PHASE_DISCARD, /* refused and answered, reading what the client still sends */
    TQD_PHASE_RUN,     /* suspended */
    TQD_PHASE_REPLY,   /* sending */
    TQD_PHASE_STREAM,  /* suspended, nothing to send for now */
    TQD_PHASE_IDLE,    /* between requests */
} tqd_phase;

typedef enum tqd_step {
    TQD_STEP_NONE,      /* no request, or its target only */
    TQD_STEP_RECEIVING, /* opened (or refused): receiving the body */
    TQD_STEP_RUNNING,   /* on a worker */
    TQD_STEP_RAN,
    TQD_STEP_WAITING, /* for the handler's wake */
    TQD_STEP_WOKEN,
    TQD_STEP_REPLIED,
} tqd_step;

/* Result of queueing a request. */
typedef enum tqd_turn {
    TQD_TURN_TAKEN,
    TQD_TURN_FULL,     /* the workers' queue is full */
    TQD_TURN_OWN_FULL, /* the client's share of the queue is exhausted */
} tqd_turn;

/* A wake-up that precedes the wait is kept until the connection waits. */
enum { TQD_WAKE_NONE, TQD_WAKE_AWAITED, TQD_WAKE_COME };

/* The current request of a connection. */
typedef struct tqd_request {
    tqd_step step;
    tqd_head head;
    const tqd_route *route;
    const char *kept[TQD_HEADER_KEPT]; /* the first value of each, borrowed; NULL if absent */
    void *exchange;                    /* the handler's state, NULL when none is open */
    tqd_reply *refusal;                /* the refusal, malloc'ed; NULL if the request was not
                                          refused */
    uint64_t body_taken;               /* bytes reserved in the budget of bodies */
    uint64_t body_seen;                /* bytes of the body received */
    tqd_identity who;                  /* the client and its roles */
    tqd_account *account;              /* the client's account; NULL: the client has no name */
    bool waits_turn;                   /* in the account's list; guarded by its lock */
    bool expects_continue;
    bool discard;  /* drop the rest of the body */
    bool answered; /* the refusal has been written on the socket itself */
    bool must_close;
    bool suspended_reply;                  /* suspended until the reply's reader has bytes */
    bool names_namespace;                  /* by ?namespace=: `wanted`, with its '/' */
    unsigned char token[TQD_TOKEN_DIGEST]; /* with `tokens`: of the client's */
    int64_t checked_ms;                    /* when a stream's token was looked up last */
    bool by_cookie;        /* the token came as a cookie, which browsers send automatically */
    bool paused;           /* backpressure: the handler has no room for body bytes */
    int64_t body_since_ms; /* since_ms before the pause */
    _Atomic int wake;
    _Atomic bool given_up;      /* cancelled: the client has disconnected or its deadline has
                                   passed; `run` polls it */
    bool is_patient;            /* the handler sets a limit on its time in the queue */
    bool is_old;                /* HTTP/1.0: no interim answers */
    bool is_probed;             /* an interim answer was sent to a client whose stream has ended */
    int64_t admitted_ns;        /* its headers were complete; tqd_latency_now_ns */
    int64_t begin_ms;           /* deadline for a worker to begin it; 0: none */
    tqd_response_cache *cached; /* the cached response that is being sent, or NULL */
    char *target;               /* inline_target or heap */
    char *parts;                /* decoded parts: inline_parts or heap; NULL if none */
    size_t n_target, n_parts;
    char wanted[TQD_NAMESPACE_TEXT + 1];
    char inline_target[TQD_TARGET_TEXT + 1];
    char inline_parts[TQD_PARTS_TEXT];
} tqd_request;

/* Connection state while direct.c owns the socket. */
typedef struct tqd_direct tqd_direct;

typedef struct tqd_client {
    struct tqd_loop *loop;
    tqd_direct *direct;             /* NULL while the library reads and writes */
    tqd_direct *successor;          /* holds the socket for a new connection of the library */
    struct tqd_client *prev, *next; /* of the loop's open connections */
    struct tqd_client *next_done;   /* in the completion list */
    struct tqd_client *next_turn;   /* in the list of its account */
    tqd_account *account;           /* of the last request */
    tqd_account *counted_in;        /* whose connection it is; NULL: not counted yet */
    struct MHD_Connection *mhd;
    int fd;
    tqd_framing framing; /* of all that is received */
    uint64_t n_request;  /* request lines that the library has read */
    char peer[16];       /* "uid-N" on a Unix socket without credentials; else "" */
    bool overdue;        /* shut down by the deadline; logged once */
    bool mark_known;
    tqd_phase phase;
    int64_t since_ms; /* when the phase began */
    uint64_t moved;   /* bytes moved in this phase */
    uint64_t mark;    /* TCP_INFO's received bytes at the last check while idle */
    tqd_request request;
} tqd_client;

/* Completed, not yet resumed. */
typedef struct tqd_resumable {
    tqd_client *first;
    tqd_client *last;
} tqd_resumable;

typedef struct tqd_loop {
    struct tqd_server *server;
    struct MHD_Daemon *mhd;
    int epoll_fd; /* set of event_fd and of the sockets that direct.c owns */
    int event_fd;
    int mhd_epoll_fd;       /* the library's; epoll_fd is in it */
    _Atomic bool woken;     /* event_fd has been written and not yet read */
    size_t n_direct;        /* sockets that direct.c owns */
    int64_t now_ms;         /* monotonic; read once an iteration and by its first request */
    bool may_lag;           /* now_ms may be older than the last wait */
    int64_t unix_offset_ms; /* add for the time of day */
    int64_t tick_ms;        /* of the last check of deadlines */
    int64_t part_ms;        /* of the last part of it */
    tqd_client *unchecked;  /* where it goes on in `open`; NULL: it is complete */
    size_t n_part;          /* connections in a part, at least */
    tqd_client *open;       /* list */
    size_t n_open;
    size_t n_overdue;           /* of them, shut down and about to be closed */
    _Atomic(tqd_client *) done; /* completed by workers: a lock-free stack */
    tqd_resumable answers;      /* taken from it, in order: requests */
    tqd_resumable streams;      /* and replies that wait for their next piece */
    char *piece;                /* receive buffer of direct.c; NULL until the first use */
    int64_t spin_until_ns;      /* end of busy-polling; 0: the loop blocks */
    tqd_direct *successors;     /* list: sockets to be added to the library as connections */
    bool resumed;               /* a connection, since the library ran last */
    bool taking_over;           /* the connection being opened replaces a handed-over one */
    tqd_account *taken_over;    /* that it is counted for, until it is open; or NULL */
    _Atomic int running;        /* suspended connections whose result is outstanding */
    bool quiesced;
    uint64_t spare_bytes; /* bytes of the body budget that are reserved for this loop's next
                             bodies */
    unsigned pulse;       /* last liveness check that the loop has answered */
    tqd_realtime realtime;
    tqd_id_source ids;
    tqd_response_cache_set cached;
    tqd_route_cache targets;
    tqd_counters counters;
    tqd_latency latency;
} tqd_loop;

/* A list of origins or hosts that is or was in use. */
typedef struct tqd_list {
    struct tqd_list *next;
    char text[];
} tqd_list;

struct tqd_server {
    tqd_server_options options;
    tqd_list *lists;
    tqd_log_limit refused_origin, refused_token;
    tqd_accounts accounts;
    _Atomic bool draining;
    _Atomic int64_t drain_until_ms;
    _Atomic size_t n_open;
    _Atomic unsigned pulse;
    _Atomic uint64_t body_bytes; /* bytes of the body budget in use, or reserved by a loop */
    uint64_t spare_max;          /* bytes that each loop may reserve */
    _Atomic int64_t trim_ms;     /* when memory was last returned to the system */
    size_t n_loop;
    tqd_loop loops[];
};

/* client.c */
void tqd_client_phase(tqd_client *client, tqd_phase phase);
void tqd_client_notify(void *loop, struct MHD_Connection *mhd, void **socket_context,
                       enum MHD_ConnectionNotificationCode code);
/* Once the request's client is known: a connection is that client's from its first request on until
 * it closes. False: it is above the client's quota; the request is refused, then it is closed. */
bool tqd_client_count(tqd_client *client);
/* Address, or uid-N on a Unix socket. */
void tqd_client_peer(const tqd_client *client, char ret[TQD_AUDIT_PEER_TEXT]);
enum MHD_Result tqd_client_accept(void *loop, const struct sockaddr *address, socklen_t n_address);

/* patience.c */
/* tqd_head.given_up */
bool tqd_patience_given_up(const tqd_head *head);
/* Before the request enters the work queue; false: refused, since the expected wait is too long. */
bool tqd_patience_begin(tqd_client *client);
/* On the worker; false: the request has been cancelled. */
bool tqd_patience_run(const tqd_client *client);
/* Each tick, for a suspended client: checks for disconnection and deadline. False: the refusal is
 * sent as it is, and the connection must be closed. */
bool tqd_patience_check(tqd_client *client);

/* The connection is, or will be, shut down: nothing more is sent on it. */
void tqd_client_overdue(tqd_client *client);

/* deadline.c: closes overdue connections, and all idle ones while the server drains: of the next n
 * from loop->unchecked on. */
void tqd_deadline_check(tqd_loop *loop, size_t n);
/* Few connections are left. */
bool tqd_deadline_is_tight(const tqd_loop *loop);
/* If few are left closes idle ones; called every iteration. */
void tqd_deadline_make_room(tqd_loop *loop);

/* request.c: microhttpd's callbacks */
void *tqd_request_target(void *loop, const char *target, struct MHD_Connection *mhd);
enum MHD_Result tqd_request_step(void *loop, struct MHD_Connection *mhd, const char *url,
                                 const char *method, const char *version, const char *bytes,
                                 size_t *n_bytes, void **context);
void tqd_request_completed(void *loop, struct MHD_Connection *mhd, void **context,
                           enum MHD_RequestTerminationCode code);
void tqd_request_end(tqd_client *client);
/* direct.c calls these in the library's place. Backpressure: room for n bytes of the body; false:
 * the connection is suspended. */
bool tqd_request_room(tqd_client *client, size_t n);
/* The handler's buffer to receive into, once there is room; NULL: it has none. */
char *tqd_request_space(tqd_client *client, size_t *ret_size);
enum MHD_Result tqd_request_take(tqd_client *client, const char *bytes, size_t n);
enum MHD_Result tqd_request_go_on(tqd_client *client);
/* Called by the loop when a worker has run the request, or after a wake-up. */
void tqd_request_resume(tqd_client *client);
/* Suspends the connection while a worker runs the request; if the result is not TAKEN it is not
 * suspended. */
tqd_turn tqd_request_run(tqd_client *client);
/* On a worker: runs the request that is suspended. */
void tqd_request_compute(tqd_client *client);
/* Any thread: the loop owns the connection again. */
void tqd_request_complete(tqd_client *client);
/* Suspends until the wake-up; returns at once when that has already come. */
void tqd_request_wait(tqd_client *client);
/* tqd_head.wake */
void tqd_request_wake(const tqd_head *head);

/* turns.c: the client's queue, then the workers'. */
tqd_turn tqd_turn_submit(tqd_client *client);
/* Removes the request from either queue, to be resumed; false: a worker has begun it. */
bool tqd_turn_withdraw(tqd_client *client);

/* admit.c: everything between complete headers and the first byte of the body. True: an exchange is
 * open. False: request->refusal holds the problem (NULL: out of memory). */
bool tqd_admit(tqd_client *client, const char *method);

/* Finds the sender and its rights; false: refused. */
bool tqd_admit_token(tqd_client *client);

/* Whether the token of an admitted request is still valid, and the session that it came by is not
 * ended: of streams, which last. */
bool tqd_admit_lasts(const tqd_client *client);

/* False: the message of this request has a fault of framing, and is refused. Again at its end:
 * chunks and trailers may have one. */
bool tqd_admit_framing(tqd_client *client);
/* The steps of namespace.c. Takes ?namespace= out of a query; enters that namespace, or refuses;
 * makes the name in the path a key. False: refused. */
void tqd_namespace_take(tqd_client *client, char *query);
bool tqd_namespace_enter(tqd_client *client);
bool tqd_namespace_qualify(tqd_client *client);

/* body_budget.c */
/* Takes n more bytes of the budget; false: refused, the budget or the share is exhausted. */
bool tqd_admit_body(tqd_client *client, uint64_t n);
/* Releases n bytes of the budget. */
void tqd_admit_body_end(tqd_client *client, uint64_t n);

/* reply.c */
struct tqa_problem;
/* Makes the request's refusal from a problem. */
void tqd_refuse(tqd_client *client, const struct tqa_problem *problem);
enum MHD_Result tqd_reply_send(tqd_client *client, tqd_reply *reply);
/* Writes a refusal directly on the socket while the body is still arriving, and half-closes. */
void tqd_reply_send_early(tqd_client *client, tqd_reply *reply);

/* Formats status line and headers of a reply, without the empty line, into out (size > 0);
 * truncated if there is no room, as with snprintf: then it returns `size` or more. n_body:
 * UINT64_MAX means chunked. */
size_t tqd_reply_head(const tqd_client *client, const tqd_reply *reply, uint64_t n_body,
                      bool closes, char *out, size_t size);

/* direct.c */
/* Takes the socket over from the library if the rest of the body is large. The library's buffer
 * must be empty. */
void tqd_direct_begin(tqd_client *client, const char *version);
/* epoll reports the socket readable or writable. */
void tqd_direct_ready(tqd_client *client);
/* Every TQD_TICK_MS. */
void tqd_direct_tick(tqd_client *client);
/* Removes the socket from the epoll set, and adds it again. */
void tqd_direct_pause(tqd_client *client);
void tqd_direct_resume(tqd_client *client);
/* Takes the body out of the reply; later events of the socket send it. */
enum MHD_Result tqd_direct_reply(tqd_client *client, tqd_reply *reply);
/* The library closes the client's connection: its socket waits for tqd_direct_take_over. */
void tqd_direct_hand_over(tqd_client *client);
/* Adds handed-over sockets to the library, each as a new connection that waits for a request. */
void tqd_direct_take_over(tqd_loop *loop);
/* The loop ends: closes every socket that direct.c owns. */
void tqd_direct_end(tqd_loop *loop);

/* loop.c */
void tqd_loop_read_clock(tqd_loop *loop);
void tqd_loop_wake(tqd_loop *loop);
/* The library has the connection again, and runs it in the loop's next iteration. */
void tqd_loop_resume(tqd_client *client);
/* Work is expected at once: the loop busy-polls for a while before it blocks. */
void tqd_loop_expect(tqd_loop *loop);

#endif
