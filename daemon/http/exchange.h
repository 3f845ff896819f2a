/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/exchange.h - the interface between a handler and the server: one request and its
 * reply, independent of the HTTP library. */
#ifndef TQD_HTTP_EXCHANGE_H
#define TQD_HTTP_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TQD_REQUEST_ID_TEXT = 27, TQD_PATH_PARTS = 3, TQD_HEADERS_MAX = 8 };

typedef enum tqd_method {
    TQD_GET,
    TQD_HEAD,
    TQD_PUT,
    TQD_POST,
    TQD_DELETE,
    TQD_PATCH,
    TQD_METHOD_COUNT
} tqd_method;

/* Request line and headers. Strings are borrowed until the exchange ends. */
typedef struct tqd_head {
    tqd_method method;
    const char *path;
    const char *part[TQD_PATH_PARTS]; /* segments that matched {..}, percent-decoded; "" if none */
    const char *query;                /* raw, NULL if none */
    char request_id[TQD_REQUEST_ID_TEXT];
    const struct tqd_identity *who; /* the client (http/bearer.h); NULL before it is known */
    uint64_t content_length;        /* UINT64_MAX when chunked */
    /* Value of a request header (case-insensitive), NULL if absent. */
    const char *(*header)(const struct tqd_head *head, const char *name);
    /* Wakes this exchange: ends its wait; if it is not waiting, its next wait returns at once. Any
     * thread, between open and close. Cost: an atomic exchange, and one wake-up of the loop for all
     * exchanges that wait. */
    void (*wake)(const struct tqd_head *head);
    /* True if the request is cancelled: the client has disconnected, or its deadline has passed.
     * `run` polls it, and returns early without a complete result. Any thread, in `run`. */
    bool (*given_up)(const struct tqd_head *head);
    void *ctx; /* private to serve */
} tqd_head;

/* A reply: a header list and either a buffer or a reader. */
typedef struct tqd_reply {
    int status;
    const char *media; /* constant */
    struct {
        const char *name; /* constant */
        char value[160];
    } headers[TQD_HEADERS_MAX];
    size_t n_header;
    char *body;           /* malloc'ed, freed by serve; or NULL */
    const char *constant; /* or a body that outlives the exchange's `close` or is static */
    size_t n_body;
    /* or a reader of pieces: bytes written to out, 0 at the end, or a TQD_READ_ value; called on
     * the I/O thread, must not block. n_body is their total length, 0 when unknown (chunked). */
    size_t (*read)(void *exchange, char *out, size_t size);
    /* Zero-copy, in addition to a `read` that never waits, or NULL: the next *ret_n bytes, valid
     * until `close`. Returns NULL: use `read`. */
    const char *(*next_in_place)(void *exchange, size_t *ret_n);
} tqd_reply;

/* An empty reply; its header slots stay uninitialised. */
static inline void tqd_reply_init(tqd_reply *reply)
{
    reply->status = 0;
    reply->media = NULL;
    reply->n_header = 0;
    reply->body = NULL;
    reply->constant = NULL;
    reply->n_body = 0;
    reply->read = NULL;
    reply->next_in_place = NULL;
}

typedef enum tqd_next {
    TQD_NEXT_REPLY, /* call `reply` now */
    TQD_NEXT_RUN,   /* suspend, call `run` on a worker, then `resumed` */
    TQD_NEXT_WAIT,  /* suspend until `wake`, which must come, then call `resumed` */
} tqd_next;

/* tqd_handler.finish of those that are computed on a worker in any case. */
static inline tqd_next tqd_always_run(void *exchange)
{
    (void)exchange;
    return TQD_NEXT_RUN;
}

/* Returned by a reader that has no bytes now. */
#define TQD_READ_WAIT (SIZE_MAX - 1) /* suspend until `wake`, disconnection, or shutdown */
#define TQD_READ_RUN  (SIZE_MAX - 2) /* suspend, call `run` on a worker, then read again */
/* close the connection, so that the client receives an incomplete body */
#define TQD_READ_CUT (SIZE_MAX - 3)

/* Life cycle of an exchange. `open` is called when the headers are complete, and may refuse before
 * any byte of the body is read (fill *reply, return false). All but `run` are called on the
 * connection's I/O thread and must not block. */
typedef struct tqd_handler {
    bool (*open)(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply);
    /* Backpressure. False: no room for n (at most 256 Ki) more bytes now; they are offered again
     * after `wake`, which must come. NULL: there is always room. */
    bool (*room)(void *exchange, size_t n);
    unsigned role;     /* tqd_role that a client needs; 0: by the method, see tqd_route_role */
    bool keeps_little; /* the body is not buffered: it does not count against the budget */
    /* The buffer to receive the next bytes of a large body into; `feed` is then called with bytes
     * in it. NULL, or returns NULL: serve uses its own buffer. */
    char *(*space)(void *exchange, size_t *ret_size);
    bool (*feed)(void *exchange, const char *bytes,
                 size_t n);              /* false: `reply` is ready, the rest of the body is
                                            dropped; may be NULL */
    tqd_next (*finish)(void *exchange);  /* the body is complete; may be NULL: REPLY */
    tqd_next (*resumed)(void *exchange); /* after a RUN or WAIT; may be NULL: REPLY */
    void (*run)(void *exchange);         /* on a worker; may be NULL */
    /* Limit on the time in the queue, ms (0: as the settings allow). The answer is for this client
     * only: `run` is skipped when the request is cancelled, or has not begun in time. NULL, or
     * negative: `run` has lasting effects, and is always called. */
    int64_t (*patience_ms)(void *exchange);
    /* The time that the exchange itself waits for something (a job's end), ms: it comes on top of
     * the limit on a request's time. NULL: 0. */
    int64_t (*wait_ms)(void *exchange);
    void (*reply)(void *exchange, tqd_reply *reply);
    void (*close)(void *exchange); /* always, once; also after a disconnection */
} tqd_handler;

/* A row of the route table. {} in a pattern matches one path segment:
 * "/v1/robots/{}/inverse-dynamics". */
typedef struct tqd_route {
    tqd_method method;
    const char *pattern;
    uint64_t body_max; /* 0: no body allowed; a larger Content-Length is refused with 413 */
    const tqd_handler *handler;
    void *ctx;
    bool takes_query; /* the handler parses the query, and refuses unknown parameters */
} tqd_route;

#endif
