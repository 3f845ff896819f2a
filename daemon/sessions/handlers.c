/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/sessions/handlers.c - sessions as a resource: open, step, rewind, fork, read, end. */
#include "daemon/sessions/handlers.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/http/answer.h"
#include "daemon/http/document.h"
#include "daemon/http/media.h"

enum {
    INLINE_US = 100,       /* longer steps go to a worker: suspend and resume cost 10 us */
    FIRST_ROOM = 2048,     /* bytes of a body held without malloc; a step of a 7-axis arm has 200 */
    INLINE_BODY = 8 << 10, /* bytes; a longer body is decoded by a worker */
};

typedef struct exchange {
    tqd_lock_step_service *of;
    const tqd_head *head;
    tqa_media content, accept;
    char *body; /* first_room, or malloc'ed */
    size_t n_body, body_room;
    tqa_session *session; /* held, until the answer is made; NULL: none */
    char id[TQD_LOCK_STEP_ID];
    bool is_read; /* a request for steps has been read */
    uint64_t steps;
    tqd_reply answer;
    char first_room[FIRST_ROOM];
} exchange;

static void refuse(exchange *e, const tqa_problem *problem)
{
    tqd_answer_problem(&e->answer, e->head->request_id, problem);
}

static bool find_media(exchange *e, tqa_problem *reterr)
{
    e->content = tqd_media_find(e->head->header(e->head, "Content-Type"));
    e->accept = tqd_media_find(e->head->header(e->head, "Accept"));
    if (e->accept != TQA_MEDIA_NONE && e->accept != TQA_MEDIA_JSON && e->accept != TQA_MEDIA_CBOR) {
        tqa_problem_set(reterr, "not-acceptable",
                        "a session is answered as application/json or application/cbor");
        return false;
    }
    return true;
}

static bool begin(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    tqa_problem problem;
    exchange *e = malloc(sizeof *e);
    if (e == NULL) {
        tqd_answer_no_memory(reply, head->request_id);
        return false;
    }
    memset(e, 0, offsetof(exchange, first_room));
    e->of = ctx;
    e->head = head;
    e->body = e->first_room;
    e->body_room = FIRST_ROOM;
    if (!find_media(e, &problem)) {
        tqd_answer_problem(reply, head->request_id, &problem);
        free(e);
        return false;
    }
    *ret_exchange = e;
    return true;
}

/* Bounded by the route's limit and by the budget of bodies. */
static bool feed(void *arg, const char *bytes, size_t n)
{
    exchange *e = arg;
    if (e->n_body + n > e->body_room) {
        const size_t want = 2 * e->body_room + n;
        const bool is_first = e->body == e->first_room;
        char *grown = realloc(is_first ? NULL : e->body, want);
        if (grown == NULL) {
            tqd_answer_no_memory(&e->answer, e->head->request_id);
            return false;
        }
        if (is_first) {
            memcpy(grown, e->first_room, e->n_body);
        }
        e->body = grown;
        e->body_room = want;
    }
    memcpy(e->body + e->n_body, bytes, n);
    e->n_body += n;
    return true;
}

static tqa_session_body body_of(const exchange *e)
{
    return (tqa_session_body){.content = e->content, .bytes = e->body, .n = e->n_body};
}

static bool acquire(exchange *e, tqa_problem *reterr)
{
    const char *id = e->head->part[0];
    e->session = tqd_lock_steps_acquire(e->of->table, e->head->who, id, reterr);
    if (e->session != NULL) {
        memcpy(e->id, id, sizeof e->id);
    }
    return e->session != NULL;
}

static void release(exchange *e)
{
    if (e->session != NULL) {
        e->session = NULL;
        tqd_lock_steps_release(e->of->table, e->id, e->steps);
    }
}

/* Writes the answer: the whole session or its state. Then releases the session. */
static void answer(exchange *e, int status, bool whole)
{
    tqa_problem problem;
    const tqa_session_about about = {.id = e->id,
                                     .expires_in_s = tqd_lock_steps_idle_s(e->of->table)};
    size_t n = 0;
    char *text = tqa_session_answer(e->session, whole ? &about : NULL, e->accept, &n, &problem);
    release(e);
    if (text == NULL) {
        refuse(e, &problem);
        return;
    }
    e->answer.status = status;
    e->answer.media = tqd_media_name(e->accept == TQA_MEDIA_CBOR ? TQA_MEDIA_CBOR : TQA_MEDIA_JSON);
    e->answer.body = text;
    e->answer.n_body = n;
    if (status == 201) {
        tqd_answer_header(&e->answer, "Location", "/v1/sessions/%s", e->id);
    }
}

static void reply(void *arg, tqd_reply *ret)
{
    exchange *e = arg;
    *ret = e->answer;
    e->answer.body = NULL;
}

static void end(void *arg)
{
    exchange *e = arg;
    release(e);
    free(e->answer.body);
    if (e->body != e->first_room) {
        free(e->body);
    }
    free(e);
}

/* ------------------------------------------------------------------------------ open and fork */

/* Adds the session to the table, which then owns it, and answers. */
static void add(exchange *e, tqa_session *session)
{
    tqa_problem problem;
    if (!tqd_lock_steps_add(e->of->table, e->head->who, session, e->id, &problem)) {
        tqa_session_close(session);
        refuse(e, &problem);
        return;
    }
    e->session = session;
    answer(e, 201, true);
}

static void run_open(void *arg)
{
    exchange *e = arg;
    tqa_problem problem;
    size_t bytes = 0;
    const tqa_session_body body = body_of(e);
    const tqa_host *host = e->of->host_of(e->of->host_ctx, tqd_identity_key(e->head->who));
    tqa_session *session = tqd_lock_steps_room(e->of->table, e->head->who, &bytes, &problem)
                               ? tqa_session_open(&body, host, bytes, &problem)
                               : NULL;
    if (session != NULL) {
        add(e, session);
    } else {
        refuse(e, &problem);
    }
}

static void run_fork(void *arg)
{
    exchange *e = arg;
    tqa_problem problem;
    tqa_session *fork = NULL;
    size_t bytes = 0;
    const tqa_session_body body = body_of(e);
    if (tqd_lock_steps_room(e->of->table, e->head->who, &bytes, &problem) && acquire(e, &problem)) {
        fork = tqa_session_fork(e->session, &body, bytes, &problem);
    }
    release(e);
    if (fork != NULL) {
        add(e, fork);
    } else {
        refuse(e, &problem);
    }
}

/* -------------------------------------------------------------------------------------- step */

static bool read_step(exchange *e)
{
    tqa_problem problem;
    const tqa_session_body body = body_of(e);
    e->is_read = true;
    if (!acquire(e, &problem) || !tqa_session_read_step(e->session, &body, &problem)) {
        release(e);
        refuse(e, &problem);
        return false;
    }
    return true;
}

static void make_steps(exchange *e)
{
    e->steps = tqa_session_step(e->session);
    answer(e, 200, false);
}

static tqd_next finish_step(void *arg)
{
    exchange *e = arg;
    if (e->n_body > INLINE_BODY) {
        return TQD_NEXT_RUN;
    }
    if (!read_step(e)) {
        return TQD_NEXT_REPLY;
    }
    if (tqa_session_cost_us(e->session) >= (double)INLINE_US) {
        return TQD_NEXT_RUN;
    }
    make_steps(e);
    return TQD_NEXT_REPLY;
}

static void run_step(void *arg)
{
    exchange *e = arg;
    if (e->is_read || read_step(e)) {
        make_steps(e);
    }
}

/* --------------------------------------------------------------------------- rewind, get, end */

static tqd_next finish_rewind(void *arg)
{
    exchange *e = arg;
    tqa_problem problem;
    const tqa_session_body body = body_of(e);
    if (acquire(e, &problem) && tqa_session_rewind(e->session, &body, &problem)) {
        answer(e, 200, false);
    } else {
        release(e);
        refuse(e, &problem);
    }
    return TQD_NEXT_REPLY;
}

static tqd_next finish_get(void *arg)
{
    exchange *e = arg;
    tqa_problem problem;
    if (acquire(e, &problem)) {
        answer(e, 200, true);
    } else {
        refuse(e, &problem);
    }
    return TQD_NEXT_REPLY;
}

static tqd_next finish_delete(void *arg)
{
    exchange *e = arg;
    tqa_problem problem;
    if (tqd_lock_steps_remove(e->of->table, e->head->who, e->head->part[0], &problem)) {
        e->answer.status = 204;
    } else {
        refuse(e, &problem);
    }
    return TQD_NEXT_REPLY;
}

static tqd_next finish_list(void *arg)
{
    exchange *e = arg;
    tqa_writer text = {.cbor = false};
    tqd_document_list(&text, "sessions");
    tqd_lock_steps_list(e->of->table, e->head->who, &text);
    tqd_document_list_end(&text);
    (void)tqd_document_answer(&e->answer, e->head->request_id, 200, &text);
    return TQD_NEXT_REPLY;
}

#define HANDLER(...)                                                                               \
    {                                                                                              \
        .open = begin, .feed = feed, .reply = reply, .close = end, __VA_ARGS__                     \
    }
static const tqd_handler open_handler = HANDLER(.finish = tqd_always_run, .run = run_open);
static const tqd_handler fork_handler = HANDLER(.finish = tqd_always_run, .run = run_fork);
static const tqd_handler step_handler = HANDLER(.finish = finish_step, .run = run_step);
static const tqd_handler rewind_handler = HANDLER(.finish = finish_rewind);
static const tqd_handler get_handler = HANDLER(.finish = finish_get);
static const tqd_handler list_handler = HANDLER(.finish = finish_list);
static const tqd_handler delete_handler =
    HANDLER(.finish = finish_delete, .role = TQD_ROLE_COMPUTE);

void tqd_lock_step_routes(tqd_lock_step_service *service, tqd_route routes[TQD_LOCK_STEP_ROUTES])
{
    const tqd_route table[TQD_LOCK_STEP_ROUTES] = {
        {TQD_GET, "/v1/sessions", 0, &list_handler, service, false},
        {TQD_POST, "/v1/sessions", TQA_SESSION_BODY_MAX, &open_handler, service, false},
        {TQD_GET, "/v1/sessions/{}", 0, &get_handler, service, false},
        {TQD_DELETE, "/v1/sessions/{}", 0, &delete_handler, service, false},
        {TQD_POST, "/v1/sessions/{}/step", TQA_SESSION_STEP_MAX, &step_handler, service, false},
        {TQD_POST, "/v1/sessions/{}/rewind", TQA_SESSION_STEP_MAX, &rewind_handler, service, false},
        {TQD_POST, "/v1/sessions/{}/fork", TQA_SESSION_STEP_MAX, &fork_handler, service, false},
    };
    memcpy(routes, table, sizeof table);
}
