/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/robots/exchange.h - one request under /v1/robots; shared by its handlers; private to this
 * folder. */
#ifndef TQD_ROBOTS_EXCHANGE_H
#define TQD_ROBOTS_EXCHANGE_H

#include "daemon/http/answer.h"
#include "daemon/http/exchange.h"
#include "daemon/robots/registry.h"

/* Query parameters about a robot's bytes; "" if absent. */
typedef struct tqd_robot_query {
    char main[TQD_QUERY_TEXT]; /* the robot's file in an archive */
    char base[TQD_QUERY_TEXT]; /* how the root is attached: fixed, floating or planar */
    char name[TQD_QUERY_TEXT]; /* PATCH: key under which the result is stored */
    bool is_dry;               /* checked, not stored */
} tqd_robot_query;

/* finish or run makes the answer, reply returns it. */
typedef struct tqd_robot_exchange {
    tqd_registry *registry;
    const tqd_head *head;
    const char *name;    /* key under which the robot is stored */
    tqa_media media;     /* PUT: of the body */
    tqa_robot_form form; /* GET: of the answer */
    tqd_robot_query query;
    char *body; /* PUT, PATCH: the bytes so far */
    size_t n_body, body_size;
    tqd_reply answer;
} tqd_robot_exchange;

/* Steps of a tqd_handler. feed: of a body of at most TQA_ROBOT_BYTES_MAX. */
bool tqd_robot_begin(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply);
bool tqd_robot_feed(void *arg, const char *bytes, size_t n);
void tqd_robot_give_reply(void *arg, tqd_reply *reply);
void tqd_robot_end(void *arg);

/* True if a robot may be stored under the name; else false with a problem. */
bool tqd_robot_name_free(tqd_registry *registry, const char *name, tqa_problem *problem);

/* Parses the body, which has become a robot's bytes, stores it as e->name (unless e->query.is_dry),
 * and answers. If the request has no If-Match, `digest` must be the current version (NULL: no
 * condition). Workers only. */
void tqd_robot_keep(tqd_robot_exchange *e, const char *digest);

/* PATCH of /v1/robots/{name} (surgery.c). */
extern const tqd_handler tqd_robot_patch_handler;

#endif
