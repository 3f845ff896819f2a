/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/compute/handler.c - maps the life cycle of an exchange to that of a call. */
#include "daemon/compute/handler.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/memory.h"
#include "daemon/http/answer.h"
#include "daemon/http/format.h"
#include "daemon/jobs/submit_options.h"
#include "daemon/queue/pipe.h"
#include "daemon/queue/scratch.h"
#include "daemon/store/problem.h"

enum {
    INLINE_US = 100, /* suspending and resuming a connection costs 10 us */
    PIECE = 16 << 10,
    WHOLE_MAX = 64 << 10,  /* a longer answer of known length is written while it is sent */
    OVERLAP_MIN = 1 << 20, /* bytes of a body; its samples are computed while it arrives */
    OVERLAP_GRAIN = 8,     /* blocks published for each additional worker that is woken */
};

/* A piece of the answer's text, from the pool of samples. */
typedef struct piece {
    struct piece *next;
    size_t n;
    char text[];
} piece;

enum { PIECE_TEXT = TQA_MEMORY_PIECE - sizeof(piece) };

/* At the start of its chunk, followed by the first piece of the answer, then the call. */
typedef struct compute_exchange {
    const tqd_handler *methods; /* first, for either.c */
    const tqd_compute *of;
    const tqd_head *head; /* valid as long as the exchange */
    tqd_call_context context;
    tqa_host host;
    const tqa_robot *robot;
    tqa_call *call;
    bool failed; /* `refusal` is filled, or the call has its problem */
    tqa_problem *refusal;
    tqd_store_status failure; /* of the store while the call ran: the answer, if that failed */
    /* the body is buffered while a worker loads a robot that is not in memory */
    bool cold;
    char *body;
    size_t n_body, body_size;
    tqd_pipe *pipe; /* to a worker that decodes the body; NULL: the I/O thread decodes it */
    tqd_task_stream *stream; /* blocks computed while the body arrives (overlap); NULL: none */
    size_t n_reached;        /* number of blocks published to it */
    size_t ahead_scratch;
    bool has_begun; /* first bytes of the body have arrived */
    bool has_run;
    _Atomic bool runs; /* a worker runs it: the exchange stays open until the worker returns */
    int64_t begin_ms;  /* deadline for a worker to begin it; 0: the settings' */
    /* the answer: a prefix, all of it unless `more`. It begins in the chunk and continues in
     * pieces. */
    size_t n_first, n_text, at;
    struct piece *pieces, **last;
    bool more;
    uint64_t length; /* of the whole answer if known, else 0 */
} compute_exchange;

enum {
    TEXT_AT = (sizeof(compute_exchange) + 63) / 64 * 64,
    CALL_AT = TEXT_AT + PIECE,
};

static char *chunk_of(compute_exchange *c)
{
    return (char *)c;
}

static char *first_piece(compute_exchange *c)
{
    return chunk_of(c) + TEXT_AT;
}

/* Stores a problem that does not come from the call. */
static void refuse(compute_exchange *c, const tqa_problem *problem)
{
    c->failed = true;
    c->refusal = malloc(sizeof *problem);
    if (c->refusal != NULL) {
        *c->refusal = *problem;
    }
}

static void refuse_memory(compute_exchange *c, const char *what)
{
    tqa_problem problem;
    tqa_problem_set(&problem, "busy", "there is no memory for %s now", what);
    refuse(c, &problem);
}

/* 413 if the need is above any limit, 503 if there is too little memory now. */
static void refuse_working_arrays(compute_exchange *c, size_t need)
{
    tqa_problem problem;
    if (need <= tqd_scratch_bound()) {
        refuse_memory(c, "the working arrays");
        return;
    }
    tqa_problem_too_large(&problem, need, tqd_scratch_bound());
    refuse(c, &problem);
}

static void refuse_busy(compute_exchange *c)
{
    tqa_problem problem;
    tqa_problem_set(&problem, "busy", "the queue of computations is full; try again");
    refuse(c, &problem);
}

static bool call_open(compute_exchange *c, tqa_problem *reterr)
{
    const tqd_head *head = c->head;
    tqd_format format;
    if (!tqd_format_read(head, &format, reterr)) {
        return false;
    }
    tqa_call_head call_head = {
        .content = tqd_media_find(head->header(head, "Content-Type")),
        .accept = format.media,
        .query = format.query,
        .request_id = head->request_id,
        .content_length = head->content_length,
        .memory = chunk_of(c) + CALL_AT,
        .memory_size = TQD_CHUNK_BYTES - CALL_AT,
    };
    c->call = tqa_call_open(c->of->operation, c->robot, &call_head, reterr);
    return c->call != NULL;
}

static void destroy(void *exchange)
{
    compute_exchange *c = exchange;
    tqa_call_close(c->call);
    if (c->robot != NULL) {
        tqd_registry_release(c->of->shared->registry, c->robot);
    }
    free(c->refusal);
    free(c->body);
    while (c->pieces != NULL) {
        piece *next = c->pieces->next;
        tqa_memory_give(c->pieces);
        c->pieces = next;
    }
    tqd_chunk_give(c);
}

static void close_exchange(void *exchange)
{
    compute_exchange *c = exchange;
    if (c->pipe != NULL) {
        tqd_pipe_close(c->pipe); /* a worker may still use it, and then destroys it */
    } else if (c->stream != NULL) {
        tqd_task_stream_abandon(c->stream); /* likewise */
    } else {
        destroy(c);
    }
}

bool tqd_immediate_open(const tqd_compute *of, const tqd_head *head, void **ret_exchange,
                        tqd_reply *reply)
{
    tqa_problem problem;
    compute_exchange *c = tqd_chunk_take();
    if (c == NULL) {
        tqa_problem_set(&problem, "busy", "there is no memory for this request now");
        tqd_answer_problem(reply, head->request_id, &problem);
        return false;
    }
    *c = (compute_exchange){.methods = &tqd_immediate_handler, .of = of, .head = head};
    c->context = (tqd_call_context){.shared = of->shared, .head = head, .failure = &c->failure};
    c->host = tqd_compute_immediate_host(&c->context);
    bool good = tqd_job_deadline_read(head, &c->begin_ms, &problem);
    if (!good) {
        tqd_answer_problem(reply, head->request_id, &problem);
        close_exchange(c);
        return false;
    }
    if (of->operation->needs_robot) {
        tqd_robot_found found = tqd_registry_peek(of->shared->registry, head->part[0], &c->robot);
        c->cold = found == TQD_ROBOT_COLD;
        good = found != TQD_ROBOT_NONE;
    }
    if (!good) {
        tqd_registry_unknown(of->shared->registry, head->part[0], &problem);
    } else if (!c->cold) {
        good = call_open(c, &problem);
    }
    if (!good) {
        tqd_answer_problem(reply, head->request_id, &problem);
        close_exchange(c);
        return false;
    }
    *ret_exchange = c;
    return true;
}

/* Appends to the buffered body while the robot is not in memory. Bounded by the route's limit and
 * by the budget of bodies. */
static bool keep(compute_exchange *c, const char *bytes, size_t n)
{
    if (c->n_body + n > c->body_size) {
        size_t want = c->body_size * 2 + n + PIECE;
        char *grown = realloc(c->body, want);
        if (grown == NULL) {
            refuse_memory(c, "this body");
            return false;
        }
        c->body = grown;
        c->body_size = want;
    }
    memcpy(c->body + c->n_body, bytes, n);
    c->n_body += n;
    return true;
}

/* Prints until `size` bytes are full or the answer is complete (then *ret_over). */
static size_t fill(compute_exchange *c, char *text, size_t size, bool *ret_over)
{
    size_t used = 0;
    while (size - used >= PIECE / 4 && !*ret_over) {
        const size_t n = tqa_call_read(c->call, text + used, size - used);
        *ret_over = n == 0;
        used += n;
    }
    c->failed = c->failed || tqa_call_problem(c->call)->status != 0;
    c->n_text += used;
    return used;
}

/* Prints the answer, up to the bound. */
static void print(compute_exchange *c)
{
    bool over = false;
    c->n_first = fill(c, first_piece(c), PIECE, &over);
    c->last = &c->pieces;
    while (!over) {
        if (c->host.cancelled(c->host.ctx)) {
            refuse_memory(c, "a cancelled request");
            return;
        }
        if (c->n_text >= c->of->shared->reply_buffer_b) {
            c->more = true;
            return;
        }
        piece *p = tqa_memory_take();
        if (p == NULL) {
            refuse_memory(c, "the answer");
            return;
        }
        p->next = NULL;
        *c->last = p;
        c->last = &p->next;
        p->n = fill(c, p->text, PIECE_TEXT, &over);
    }
}

static void compute(compute_exchange *c)
{
    size_t need = tqa_call_scratch_size(c->call);
    void *scratch = tqd_scratch(0, need > 0 ? need : 1);
    if (scratch == NULL) {
        refuse_working_arrays(c, need);
        return;
    }
    c->failed = !tqa_call_run(c->call, &c->host, scratch, need);
    if (tqd_call_cancelled(&c->context)) {
        refuse_memory(c, "a cancelled request"); /* cancelled: parts have not been computed */
    }
    if (c->failed) {
        return;
    }
    /* binary numbers are copied as fast as they are sent: no buffer for all of them */
    c->length = tqa_call_length(c->call);
    c->more = c->length > WHOLE_MAX;
    if (!c->more) {
        print(c);
    }
}

/* ------------------------------------------------------------------------------------- the body
 */

static bool take_piece(void *exchange, const char *bytes, size_t n)
{
    compute_exchange *c = exchange;
    c->failed = !tqa_call_feed(c->call, bytes, n);
    return !c->failed;
}

static void wake(void *exchange)
{
    const tqd_head *head = ((compute_exchange *)exchange)->head;
    head->wake(head);
}

/* An archive of a few bytes may inflate to a thousand times its size. */
static bool pipe_open(compute_exchange *c)
{
    static const tqd_pipe_ends ends = {.take = take_piece, .wake = wake, .destroy = destroy};
    c->pipe = tqd_pipe_new(c->of->shared->workers, c->head->content_length, &ends, c);
    if (c->pipe == NULL) {
        refuse_memory(c, "this archive");
    }
    return c->pipe != NULL;
}

static bool put(compute_exchange *c, const char *bytes, size_t n)
{
    switch (tqd_pipe_put(c->pipe, bytes, n)) {
    case TQD_PIPE_GOOD:
        return true;
    case TQD_PIPE_BUSY:
        refuse_busy(c);
        return false;
    case TQD_PIPE_STOPPED:
        break;
    }
    return false;
}

/* Runs while the body arrives: the connection may close meanwhile, and free the head. */
static void compute_block_early(void *exchange, size_t b, void *scratch)
{
    compute_exchange *c = exchange;
    if (!atomic_load(&c->runs) || !tqd_call_cancelled(&c->context)) {
        tqa_call_compute_early(c->call, b, scratch, c->ahead_scratch);
    }
}

/* Overlap: publishes the complete blocks of samples to the workers. */
static void publish_blocks(compute_exchange *c)
{
    const size_t n = tqa_call_ready(c->call);
    if (n < c->n_reached + tqa_call_compute_early_step(c->call)) {
        return;
    }
    if (c->stream == NULL) {
        c->ahead_scratch = tqa_call_compute_early_scratch_size(c->call);
        c->stream = tqd_task_stream_new(c->of->shared->workers, OVERLAP_GRAIN, c->ahead_scratch,
                                        compute_block_early, destroy, c);
    }
    if (c->stream != NULL) {
        c->n_reached = n;
        tqd_task_stream_publish(c->stream, n);
        tqd_task_stream_help(c->stream, tqa_call_compute_early_waiting(c->call));
    }
}

static bool feed_exchange(void *exchange, const char *bytes, size_t n)
{
    compute_exchange *c = exchange;
    if (c->cold) {
        return keep(c, bytes, n);
    }
    if (!c->has_begun && n > 0) {
        c->has_begun = true;
        if (tqa_call_inflates(c->call, bytes[0]) && !pipe_open(c)) {
            return false;
        }
    }
    if (c->pipe != NULL) {
        return put(c, bytes, n);
    }
    c->failed = !tqa_call_feed(c->call, bytes, n);
    if (!c->failed && c->head->content_length >= OVERLAP_MIN &&
        c->head->content_length != UINT64_MAX) {
        publish_blocks(c);
    }
    return !c->failed;
}

static bool has_room(void *exchange, size_t n)
{
    compute_exchange *c = exchange;
    return c->pipe == NULL || tqd_pipe_room(c->pipe, n);
}

static char *space(void *exchange, size_t *ret_size)
{
    compute_exchange *c = exchange;
    return c->pipe != NULL ? tqd_pipe_space(c->pipe, ret_size) : NULL;
}

/* The wake-up may have been for free space in the pipe, while the body is still being received. */
static tqd_next resumed(void *exchange)
{
    compute_exchange *c = exchange;
    if (c->pipe == NULL || c->has_run) {
        return TQD_NEXT_REPLY;
    }
    return !tqd_pipe_is_over(c->pipe) ? TQD_NEXT_WAIT : c->failed ? TQD_NEXT_REPLY : TQD_NEXT_RUN;
}

static tqd_next finish_exchange(void *exchange)
{
    compute_exchange *c = exchange;
    if (c->cold) {
        return TQD_NEXT_RUN;
    }
    if (c->pipe != NULL) {
        if (tqd_pipe_end(c->pipe) == TQD_PIPE_BUSY) {
            refuse_busy(c);
            return TQD_NEXT_REPLY;
        }
        return resumed(c);
    }
    if (c->stream != NULL) {
        return TQD_NEXT_RUN;
    }
    c->failed = !tqa_call_finish(c->call);
    if (c->failed) {
        return TQD_NEXT_REPLY;
    }
    if (tqa_call_cost_us(c->call) >= (double)INLINE_US) {
        return TQD_NEXT_RUN;
    }
    compute(c);
    return TQD_NEXT_REPLY;
}

/* Loads the robot, then decodes the buffered body. */
static bool warm(compute_exchange *c)
{
    tqa_problem problem;
    c->robot = tqd_registry_get(c->of->shared->registry, c->head->part[0], &problem);
    if (c->robot == NULL || !call_open(c, &problem)) {
        refuse(c, &problem);
        return false;
    }
    c->failed = !tqa_call_feed(c->call, c->body, c->n_body) || !tqa_call_finish(c->call);
    free(c->body);
    c->body = NULL;
    return !c->failed;
}

static void run_exchange(void *exchange)
{
    compute_exchange *c = exchange;
    c->has_run = true;
    atomic_store(&c->runs, true);
    if (c->cold) {
        c->failed = !warm(c);
    } else if (c->stream != NULL) {
        tqd_task_stream_publish(c->stream, tqa_call_ready(c->call));
        tqd_task_stream_finish(c->stream);
        c->stream = NULL;
        c->failed = !tqa_call_finish(c->call);
    } else if (c->pipe != NULL) {
        c->failed = !tqa_call_finish(c->call);
    }
    if (!c->failed) {
        compute(c);
    }
}

/* Copies from c->at on; c->at is relative to the start of the piece. */
static size_t copy(compute_exchange *c, const char *text, size_t n_text, char *out, size_t size)
{
    const size_t n = n_text - c->at < size ? n_text - c->at : size;
    memcpy(out, text + c->at, n);
    c->at += n;
    return n;
}

/* A large answer: first the part that is already printed. */
static size_t read_piece(void *exchange, char *out, size_t size)
{
    compute_exchange *c = exchange;
    if (c->at < c->n_first) {
        const size_t n = copy(c, first_piece(c), c->n_first, out, size);
        if (c->at == c->n_first) {
            c->n_first = c->at = 0;
        }
        return n;
    }
    while (c->pieces != NULL) {
        piece *p = c->pieces;
        const size_t n = copy(c, p->text, p->n, out, size);
        if (c->at == p->n) {
            c->pieces = p->next;
            c->at = 0;
            tqa_memory_give(p);
        }
        if (n > 0) {
            return n;
        }
    }
    const size_t n = c->more ? tqa_call_read(c->call, out, size) : 0;
    return n == 0 && tqa_call_problem(c->call)->status != 0 ? TQD_READ_CUT : n;
}

/* Zero-copy: numbers in their final encoding. */
static const char *next_in_place(void *exchange, size_t *ret_n)
{
    compute_exchange *c = exchange;
    return tqa_call_look(c->call, ret_n);
}

static int64_t patience_exchange(void *exchange)
{
    return ((const compute_exchange *)exchange)->begin_ms;
}

static void reply_exchange(void *exchange, tqd_reply *reply)
{
    compute_exchange *c = exchange;
    if (c->failed) {
        tqa_problem problem;
        const tqa_problem *why = c->refusal;
        if (why == NULL && c->failure != TQD_STORE_OK) {
            tqd_store_problem(c->failure, &problem);
            why = &problem;
        }
        if (why == NULL && c->call != NULL && tqa_call_problem(c->call)->status != 0) {
            why = tqa_call_problem(c->call);
        }
        if (why == NULL) {
            tqa_problem_set(&problem, "busy", "there is no memory for this request now");
            why = &problem;
        }
        tqd_answer_problem(reply, c->head->request_id, why);
        return;
    }
    reply->status = 200;
    reply->media = tqa_call_media(c->call);
    if (strcmp(reply->media, "image/svg+xml") == 0) {
        tqd_answer_header(reply, "Content-Security-Policy", "%s", TQD_SVG_POLICY);
        tqd_answer_header(reply, "Vary", "Accept");
    }
    if (c->more || c->pieces != NULL) {
        reply->read = read_piece;
        reply->next_in_place =
            c->length > WHOLE_MAX ? next_in_place : NULL; /* else some parts are printed */
        reply->n_body = c->more ? (size_t)c->length : c->n_text;
        return;
    }
    reply->constant = first_piece(c);
    reply->n_body = c->n_text;
}

const tqd_handler tqd_immediate_handler = {
    .room = has_room,
    .space = space,
    .feed = feed_exchange,
    .finish = finish_exchange,
    .resumed = resumed,
    .run = run_exchange,
    .patience_ms = patience_exchange,
    .reply = reply_exchange,
    .close = close_exchange,
};
