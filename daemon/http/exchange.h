/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/exchange.h - what a handler is to the server: one request and its reply, free of any
 * HTTP library. */
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
    TQD_METHOD_COUNT
} tqd_method;

/* Request line and headers. Strings are borrowed until the exchange ends. */
typedef struct tqd_head {
    tqd_method method;
    const char *path;
    const char
        *part[TQD_PATH_PARTS]; /* what stood for {..} in the route, percent-decoded; "" if none */
    const char *query;         /* raw, NULL if none */
    char request_id[TQD_REQUEST_ID_TEXT];
    uint64_t content_length; /* UINT64_MAX when chunked */
    /* Value of a request header (case-insensitive), NULL if absent. */
    const char *(*header)(const struct tqd_head *head, const char *name);
    /* Ends the wait of this exchange, or the next one if it does not wait now. Any thread, between
     * open and close. Cost: an atomic exchange, and one wake-up of the loop for all that wait. */
    void (*wake)(const struct tqd_head *head);
    /* True from when nobody waits for the answer any more: the client has gone, or its time is
     * over. `run` then ends as soon as it can, with whatever it has. Any thread, in `run`. */
    bool (*given_up)(const struct tqd_head *head);
    void *ctx; /* serve's own */
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
    char *body;           /* malloc'ed, serve frees it; or NULL */
    const char *constant; /* or a body that lives until `close`, or as long as the process */
    size_t n_body;
    /* or pieces: bytes written to out, 0 at the end, or one of the two below; called on the I/O
     * thread, must not block. n_body is then the length of all of them, 0 when it is not known. */
    size_t (*read)(void *exchange, char *out, size_t size);
    /* beside a `read` that never waits, or NULL: the next *ret_n bytes where they lie until
     * `close`. NULL: read. */
    const char *(*look)(void *exchange, size_t *ret_n);
} tqd_reply;

/* An empty reply; the room of its headers is left as it is. */
static inline void tqd_reply_init(tqd_reply *reply)
{
    reply->status = 0;
    reply->media = NULL;
    reply->n_header = 0;
    reply->body = NULL;
    reply->constant = NULL;
    reply->n_body = 0;
    reply->read = NULL;
    reply->look = NULL;
}

typedef enum tqd_next {
    TQD_NEXT_REPLY, /* ask for the reply now */
    TQD_NEXT_RUN,   /* suspend, call `run` on a worker, then ask `resumed` */
    TQD_NEXT_WAIT,  /* suspend until `wake`, which must come, then ask `resumed` */
} tqd_next;

/* What a reader returns when it has no bytes now. */
#define TQD_READ_WAIT (SIZE_MAX - 1) /* suspend until `wake`, the client's end, or the stop */
#define TQD_READ_RUN  (SIZE_MAX - 2) /* suspend, call `run` on a worker, then read again */
#define TQD_READ_CUT  (SIZE_MAX - 3) /* the rest is lost: close, so that no part looks whole */

/* The life of an exchange. `open` is called when the headers are known and may refuse before any
 * body byte is read (fill *reply, return false). All but `run` are called on the connection's I/O
 * thread and must not block. */
typedef struct tqd_handler {
    bool (*open)(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply);
    /* False: there is no room for n (at most 256 Ki) more bytes now; they are offered again after
     * `wake`, which must come. NULL: there always is room. */
    bool (*room)(void *exchange, size_t n);
    bool keeps_little; /* of a body: the budget of bodies does not count it */
    /* Where the next bytes of a large body can be received to: they are then fed from there. NULL,
     * or returns NULL: serve has memory of its own. */
    char *(*space)(void *exchange, size_t *ret_size);
    /* How many bytes (below 64) behind an aligned place the next ones are read with least work, in
     * serve's memory. NULL: 0. */
    size_t (*phase)(void *exchange);
    bool (*feed)(void *exchange, const char *bytes,
                 size_t n);              /* false: `reply` is ready, drop the rest; may be NULL */
    tqd_next (*finish)(void *exchange);  /* the body is complete; may be NULL: REPLY */
    tqd_next (*resumed)(void *exchange); /* after a RUN or WAIT; may be NULL: REPLY */
    void (*run)(void *exchange);         /* on a worker; may be NULL */
    /* The answer does not outlive its client: `run` is left out when nobody waits for it any more,
     * and when it has not begun within so many ms (0: within what the settings allow). NULL, or
     * negative: `run` has effects of its own, and is always called. */
    int64_t (*patience_ms)(void *exchange);
    void (*reply)(void *exchange, tqd_reply *reply);
    void (*close)(void *exchange); /* always, once; also when the client went away */
} tqd_handler;

/* One row of the route table. Pattern parts in braces match one path segment:
 * "/v1/robots/{}/inverse-dynamics". */
typedef struct tqd_route {
    tqd_method method;
    const char *pattern;
    uint64_t body_max; /* 0: no body allowed; a larger Content-Length is 413 before any byte */
    const tqd_handler *handler;
    void *ctx;
    bool takes_query; /* the handler reads it, and refuses what it does not know */
} tqd_route;

#endif
