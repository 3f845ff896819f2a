/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/robots/surgery.c - PATCH of /v1/robots/{name}: a new version by operations on this one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/http/bearer.h"
#include "daemon/key.h"
#include "daemon/robots/exchange.h"

/* ?name= and ?dry_run= */
static bool read_query(const tqd_head *head, tqd_robot_query *ret, tqa_problem *problem)
{
    const char *query = head->query != NULL ? head->query : "";
    char name[TQD_QUERY_TEXT];
    char value[TQD_QUERY_TEXT];
    bool bad = false;
    bool unknown = false;
    while (tqd_query_next(&query, name, value, &bad)) {
        if (strcmp(name, "name") == 0 && value[0] != '\0') {
            unknown =
                !tqd_key_make(tqd_identity_key(head->who), value, ret->name, sizeof ret->name);
        } else if (strcmp(name, "dry_run") == 0 &&
                   (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)) {
            ret->is_dry = value[0] == 't';
        } else {
            unknown = true;
        }
    }
    if (bad || unknown) {
        tqa_problem_set(problem, "invalid-value",
                        "the query may be name=NEW, under which the result is stored, and "
                        "dry_run=true or false");
    }
    return !bad && !unknown;
}

static bool patch_open(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    tqa_problem problem;
    tqd_robot_query query = {.name = ""};
    bool good = read_query(head, &query, &problem);
    const char *name = query.name[0] != '\0' ? query.name : head->part[0];
    if (!good || (!query.is_dry && !tqd_robot_name_free(ctx, name, &problem))) {
        tqd_answer_problem(reply, head->request_id, &problem);
        return false;
    }
    if (!tqd_robot_begin(ctx, head, ret_exchange, reply)) {
        return false;
    }
    tqd_robot_exchange *e = *ret_exchange;
    e->query = query;
    if (query.name[0] != '\0') {
        e->name = e->query.name;
    }
    return true;
}

/* ctx: the exchange */
static const tqa_robot *get_other(void *ctx, const char *name, tqa_problem *reterr)
{
    const tqd_robot_exchange *e = ctx;
    char key[TQD_NAME_TEXT + TQD_DIGEST_TEXT];
    const bool good = tqd_key_make(tqd_identity_key(e->head->who), name, key, sizeof key);
    return tqd_registry_get(e->registry, good ? key : "", reterr);
}

static void release_other(void *ctx, const tqa_robot *robot)
{
    tqd_registry_release(((const tqd_robot_exchange *)ctx)->registry, robot);
}

static void patch_run(void *arg)
{
    tqd_robot_exchange *e = arg;
    tqa_problem problem;
    char digest[TQA_DIGEST_TEXT];
    size_t n = 0;
    const tqa_robot_others others = {.ctx = e, .get = get_other, .release = release_other};
    const tqa_robot *robot = tqd_registry_get(e->registry, e->head->part[0], &problem);
    if (robot == NULL) {
        tqd_answer_problem(&e->answer, e->head->request_id, &problem);
        return;
    }
    (void)snprintf(digest, sizeof digest, "%s", tqa_robot_digest(robot));
    char *document = tqd_registry_parser(e->registry)
                         ->patch(robot, tqd_key_name(e->name), e->body != NULL ? e->body : "",
                                 e->n_body, &others, &n, &problem);
    tqd_registry_release(e->registry, robot);
    if (document == NULL) {
        tqd_answer_problem(&e->answer, e->head->request_id, &problem);
        return;
    }
    free(e->body);
    e->body = document;
    e->n_body = n;
    e->media = TQA_MEDIA_JSON;
    /* a concurrent change by another client is not overwritten */
    tqd_robot_keep(e, strcmp(e->name, e->head->part[0]) == 0 ? digest : NULL);
}

const tqd_handler tqd_robot_patch_handler = {.open = patch_open,
                                             .feed = tqd_robot_feed,
                                             .finish = tqd_always_run,
                                             .run = patch_run,
                                             .reply = tqd_robot_give_reply,
                                             .close = tqd_robot_end};
