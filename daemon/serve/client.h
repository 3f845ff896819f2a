/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/client.h - serve's own: what a loop knows about each of its connections and the
 * request on it. */
#ifndef TQD_SERVE_CLIENT_H
#define TQD_SERVE_CLIENT_H

#include <microhttpd.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/observe/request_id.h"
#include "daemon/serve/response_cache.h"
#include "daemon/serve/route_cache.h"
#include "daemon/serve/server.h"

enum {
    TQD_DIRECT_MIN = 64 << 10, /* bodies from here on are read from the socket itself */
    TQD_DIRECT_PIECE = 256 << 10,
    TQD_DISCARD_MAX = 64 << 10, /* a refused body up to this size is read, to keep the connection */
    TQD_TICK_MS = 250,
    TQD_PARTING_MS = 500, /* a refused client that still sends, when the server drains */
};

/* What the connection is doing: each phase has its deadline. */
typedef enum tqd_phase {
    TQD_PHASE_HEADER,  /* accepted, or the first byte of a next request seen */
    TQD_PHASE_BODY,    /* headers complete, reading the body */
    TQD_PHASE_DISCARD, /* refused and answered, reading what the client still sends */
    TQD_PHASE_RUN,     /* suspended */
    TQD_PHASE_REPLY,   /* sending */
    TQD_PHASE_STREAM,  /* suspended, nothing to send for now */
    TQD_PHASE_IDLE,    /* between requests */
} tqd_phase;

typedef enum tqd_step {
    TQD_STEP_NONE,      /* no request, or only its target is known */
    TQD_STEP_RECEIVING, /* opened (or refused): taking the body */
    TQD_STEP_RUNNING,   /* on a worker */
    TQD_STEP_RAN,
    TQD_STEP_WAITING, /* for the handler's wake */
    TQD_STEP_WOKEN,
    TQD_STEP_REPLIED,
} tqd_step;

/* A wake-up is kept until something waits for it. */
enum { TQD_WAKE_NONE, TQD_WAKE_AWAITED, TQD_WAKE_COME };

/* One at a time on each connection. */
typedef struct tqd_request {
    tqd_step step;
    tqd_head head;
    const tqd_route *route;
    const char *kept[TQD_HEADER_KEPT]; /* the first value of each, borrowed; NULL if absent */
    void *exchange;                    /* the handler's, NULL when none is open */
    tqd_reply *refusal;                /* why it was refused, heap; NULL if it was not */
    uint64_t body_taken;               /* bytes of the budget held */
    uint64_t body_seen;                /* bytes of the body received */
    bool expects_continue;
    bool discard;  /* drop the rest of the body */
    bool answered; /* the refusal has been written on the socket itself */
    bool must_close;
    bool suspended_reply;  /* a reader has nothing now */
    bool by_cookie;        /* the token came as a cookie, which browsers add by themselves */
    bool paused;           /* the handler has no room for the body now */
    int64_t body_since_ms; /* while paused: what since_ms was */
    _Atomic int wake;
    _Atomic bool given_up; /* nobody waits for the answer: for `run` to look at */
    bool is_patient;       /* as its handler says */
    bool is_old;           /* HTTP/1.0: no interim answers */
    bool is_probed;        /* an interim answer was sent to a client whose stream has ended */
    int64_t begin_ms;      /* a worker must have begun it by then; 0: that does not matter */
    tqd_response_cache *prepared; /* the response being sent, when it is one of the loop's */
    char *target;                 /* inline_target or heap */
    char *parts;                  /* decoded parts: inline_parts or heap; NULL if none */
    size_t n_target, n_parts;
    char inline_target[TQD_TARGET_TEXT + 1];
    char inline_parts[TQD_PARTS_TEXT];
} tqd_request;

/* The socket in our own hands (direct.c). */
typedef struct tqd_direct tqd_direct;

typedef struct tqd_client {
    struct tqd_loop *loop;
    tqd_direct *direct;             /* NULL while the library reads and writes */
    tqd_direct *heir;               /* its socket goes to a next connection of the library */
    struct tqd_client *prev, *next; /* of the loop's open connections */
    struct tqd_client *next_done;   /* in the completion list */
    struct MHD_Connection *mhd;
    int fd;
    bool overdue; /* shut down by the deadline; logged once */
    bool mark_known;
    tqd_phase phase;
    int64_t since_ms; /* when the phase began */
    uint64_t moved;   /* bytes of the phase */
    uint64_t mark;    /* bytes the kernel had received, when last looked at while idle */
    tqd_request request;
} tqd_client;

typedef struct tqd_loop {
    struct tqd_server *server;
    struct MHD_Daemon *mhd;
    int epoll_fd; /* of event_fd and of sockets in our own hands */
    int event_fd;
    int mhd_epoll_fd;       /* the library's; epoll_fd is in it */
    _Atomic bool woken;     /* event_fd has something to tell */
    size_t n_direct;        /* sockets in our own hands */
    int64_t now_ms;         /* monotonic, refreshed each turn, and by its first request */
    bool may_lag;           /* now_ms may be that of before a wait */
    int64_t unix_offset_ms; /* add for the time of day */
    int64_t tick_ms;        /* of the last look at the deadlines */
    tqd_client *open;       /* list */
    size_t n_open;
    _Atomic(tqd_client *) done; /* completed by workers: a stack */
    char *piece;                /* of direct.c, for bodies; NULL until one is wanted */
    int64_t eager_ns;           /* until then it looks again instead of waiting; 0: it waits */
    tqd_direct *heirs;          /* list: sockets for the library */
    bool adopting;              /* the connection that opens is no new one */
    _Atomic int running;        /* suspended connections whose result is not back */
    bool quiesced;
    uint64_t spare_bytes; /* of the budget of bodies, kept for this loop's next ones */
    unsigned pulse;       /* the last one that it has answered */
    tqd_id_source ids;
    tqd_response_cache_set prepared;
    tqd_route_cache targets;
    tqd_counters counters;
} tqd_loop;

struct tqd_server {
    tqd_server_options options;
    _Atomic bool draining;
    _Atomic int64_t drain_until_ms;
    _Atomic size_t n_open;
    _Atomic unsigned pulse;
    _Atomic uint64_t body_bytes; /* of the budget, in use or kept by a loop */
    uint64_t spare_max;          /* what each loop may keep */
    _Atomic int64_t trim_ms;     /* when memory was last given back */
    size_t n_loop;
    tqd_loop loops[];
};

/* client.c */
void tqd_client_phase(tqd_client *client, tqd_phase phase);
void tqd_client_notify(void *loop, struct MHD_Connection *mhd, void **socket_context,
                       enum MHD_ConnectionNotificationCode code);
enum MHD_Result tqd_client_accept(void *loop, const struct sockaddr *address, socklen_t n_address);

/* patience.c */
/* tqd_head.given_up */
bool tqd_patience_given_up(const tqd_head *head);
/* Before the request is given to a worker; false: refused, there is too much that waits. */
bool tqd_patience_begin(tqd_client *client);
/* On the worker; false: nobody waits for it any more. */
bool tqd_patience_run(const tqd_client *client);
/* At each tick, of a client that is suspended for a worker: its end, and its time. False: the
 * connection must go. */
bool tqd_patience_check(tqd_client *client);

/* deadline.c: shuts down what is overdue, or all that is idle when the server drains. */
void tqd_deadline_check(tqd_loop *loop);

/* request.c: microhttpd's callbacks */
void *tqd_request_target(void *loop, const char *target, struct MHD_Connection *mhd);
enum MHD_Result tqd_request_step(void *loop, struct MHD_Connection *mhd, const char *url,
                                 const char *method, const char *version, const char *bytes,
                                 size_t *n_bytes, void **context);
void tqd_request_completed(void *loop, struct MHD_Connection *mhd, void **context,
                           enum MHD_RequestTerminationCode code);
void tqd_request_end(tqd_client *client);
/* What direct.c does in the library's place: asks for room (false: suspended), brings a piece of
 * the body, goes on when the body is complete or a suspension is over. NO: close. */
bool tqd_request_room(tqd_client *client, size_t n);
/* Memory of the handler to receive to, once there is room; NULL: it has none. */
char *tqd_request_space(tqd_client *client, size_t *ret_size);
enum MHD_Result tqd_request_take(tqd_client *client, const char *bytes, size_t n);
enum MHD_Result tqd_request_go_on(tqd_client *client);
/* Called by the loop when a worker has run it, or a wake-up has come. */
void tqd_request_resume(tqd_client *client);
/* Suspends while a worker runs it; false: there is no room, and it is not suspended. */
bool tqd_request_run(tqd_client *client);
/* Takes it back from the queue, to be resumed; false: a worker has it. */
bool tqd_request_withdraw(tqd_client *client);
/* Suspends until the wake-up; returns at once when it has come already. */
void tqd_request_wait(tqd_client *client);
/* tqd_head.wake */
void tqd_request_wake(const tqd_head *head);

/* admit.c: everything between complete headers and the first byte of the body. True: an exchange is
 * open. False: the request's refusal says why (NULL when memory is short). */
bool tqd_admit(tqd_client *client, const char *method);
/* Takes n more bytes of the budget; false when there is no room. */
bool tqd_admit_body(tqd_client *client, uint64_t n);
/* Gives them back. */
void tqd_admit_body_end(tqd_loop *loop, uint64_t n);

/* reply.c */
struct tqa_problem;
/* Makes the request's refusal from a problem. */
void tqd_refuse(tqd_client *client, const struct tqa_problem *problem);
enum MHD_Result tqd_reply_send(tqd_client *client, tqd_reply *reply);
/* Writes a refusal on the socket itself, while the body is still arriving, and half-closes. */
void tqd_reply_send_early(tqd_client *client, tqd_reply *reply);

/* The status line and headers of a reply, without the empty line, into out (size > 0); cut when
 * there is no room, which shows in a return of `size` or more. n_body: UINT64_MAX is chunked. */
size_t tqd_reply_head(const tqd_client *client, const tqd_reply *reply, uint64_t n_body,
                      bool closes, char *out, size_t size);

/* direct.c */
/* Takes the socket from the library when the rest of the body is large. Called with all that the
 * library has read taken. */
void tqd_direct_begin(tqd_client *client, const char *version);
/* The socket has bytes or room. */
void tqd_direct_turn(tqd_client *client);
/* A quarter of a second has gone by. */
void tqd_direct_tick(tqd_client *client);
/* Stops and starts looking at the socket. */
void tqd_direct_pause(tqd_client *client);
void tqd_direct_resume(tqd_client *client);
/* Takes the body out of the reply; sent by the turns that follow. */
enum MHD_Result tqd_direct_reply(tqd_client *client, tqd_reply *reply);
/* The client closes: what it leaves waits for tqd_direct_adopt. */
void tqd_direct_bequeath(tqd_client *client);
/* Gives the library what is left: sockets that wait for a next request. */
void tqd_direct_adopt(tqd_loop *loop);
/* Nothing runs any more: every socket goes back to the library, which closes it. */
void tqd_direct_end(tqd_loop *loop);

/* loop.c */
void tqd_loop_look_at_clock(tqd_loop *loop);
void tqd_loop_wake(tqd_loop *loop);
/* More is about to come: the loop looks for it a while before it sleeps. */
void tqd_loop_expect(tqd_loop *loop);

#endif
