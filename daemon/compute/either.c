/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/compute/either.c - chooses at open whether an operation's exchange is an immediate call or
 * a job; its first field is the handler of that kind. */
#include "daemon/compute/handler.h"
#include "daemon/jobs/submission.h"

static const tqd_handler *methods(const void *exchange)
{
    return *(const tqd_handler *const *)exchange;
}

static bool open_either(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    const tqd_compute *of = ctx;
    return of->shared->jobs != NULL && tqd_submission_wanted(of->operation, head)
               ? tqd_submission_open(of->shared->jobs, of->operation, head, ret_exchange, reply)
               : tqd_immediate_open(of, head, ret_exchange, reply);
}

static bool room_either(void *exchange, size_t n)
{
    const tqd_handler *own = methods(exchange);
    return own->room == NULL || own->room(exchange, n);
}

static char *space_either(void *exchange, size_t *ret_size)
{
    const tqd_handler *own = methods(exchange);
    return own->space != NULL ? own->space(exchange, ret_size) : NULL;
}

static bool feed_either(void *exchange, const char *bytes, size_t n)
{
    return methods(exchange)->feed(exchange, bytes, n);
}

static tqd_next finish_either(void *exchange)
{
    return methods(exchange)->finish(exchange);
}

static tqd_next resumed_either(void *exchange)
{
    const tqd_handler *own = methods(exchange);
    return own->resumed != NULL ? own->resumed(exchange) : TQD_NEXT_REPLY;
}

static void run_either(void *exchange)
{
    methods(exchange)->run(exchange);
}

static int64_t patience_either(void *exchange)
{
    const tqd_handler *own = methods(exchange);
    return own->patience_ms != NULL ? own->patience_ms(exchange) : -1;
}

static int64_t wait_either(void *exchange)
{
    const tqd_handler *own = methods(exchange);
    return own->wait_ms != NULL ? own->wait_ms(exchange) : 0;
}

static void reply_either(void *exchange, tqd_reply *reply)
{
    methods(exchange)->reply(exchange, reply);
}

static void close_either(void *exchange)
{
    methods(exchange)->close(exchange);
}

const tqd_handler tqd_compute_handler = {
    .open = open_either,
    .room = room_either,
    .space = space_either,
    .feed = feed_either,
    .finish = finish_either,
    .resumed = resumed_either,
    .run = run_either,
    .patience_ms = patience_either,
    .wait_ms = wait_either,
    .reply = reply_either,
    .close = close_either,
};
