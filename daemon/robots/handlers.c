/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/robots/handlers.c - GET, PUT and DELETE of /v1/robots, and functions common to them and
 * PATCH. */
#include "daemon/robots/handlers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "daemon/http/bearer.h"
#include "daemon/http/document.h"
#include "daemon/key.h"
#include "daemon/robots/conditions.h"
#include "daemon/robots/exchange.h"
#include "daemon/store/problem.h"

enum { BODY_FIRST = 16384 };

/* ---------------------------------------------------------------------------------- answering */

static void answer_no_memory(tqd_robot_exchange *e)
{
    tqd_answer_no_memory(&e->answer, e->head->request_id);
}

bool tqd_robot_begin(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    tqd_robot_exchange *e = calloc(1, sizeof *e);
    if (e == NULL) {
        tqd_answer_no_memory(reply, head->request_id);
        return false;
    }
    e->registry = ctx;
    e->head = head;
    e->name = head->part[0];
    *ret_exchange = e;
    return true;
}

void tqd_robot_give_reply(void *arg, tqd_reply *reply)
{
    tqd_robot_exchange *e = arg;
    *reply = e->answer;
    e->answer.body = NULL;
}

void tqd_robot_end(void *arg)
{
    tqd_robot_exchange *e = arg;
    free(e->body);
    free(e->answer.body);
    free(e);
}

static bool refuse_unless_json(const tqd_head *head, tqd_reply *reply)
{
    if (tqd_accepts(head->header(head, "Accept"), "application/json")) {
        return false;
    }
    tqa_problem problem;
    tqa_problem_set(&problem, "not-acceptable", "robots are available as application/json");
    tqd_answer_problem(reply, head->request_id, &problem);
    return true;
}

/* --------------------------------------------------------------------------- GET /v1/robots */

static bool list_open(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    return !refuse_unless_json(head, reply) && tqd_robot_begin(ctx, head, ret_exchange, reply);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(tqd_key_name(((const tqd_registry_row *)a)->row.name),
                  tqd_key_name(((const tqd_registry_row *)b)->row.name));
}

/* Keeps the rows that the request's namespace has, by name. Returns how many. */
static size_t keep_visible(const tqd_head *head, tqd_registry_row *rows, size_t n)
{
    size_t n_kept = 0;
    const char *own = tqd_identity_key(head->who);
    for (size_t i = 0; i < n; i++) {
        if (rows[i].builtin || tqd_key_is_beside(rows[i].row.name, own)) {
            rows[n_kept++] = rows[i];
        }
    }
    if (tqd_key_prefix(own) > 0) { /* they came by key */
        qsort(rows, n_kept, sizeof *rows, by_name);
    }
    return n_kept;
}

static void list_run(void *arg)
{
    tqd_robot_exchange *e = arg;
    size_t n = 0;
    tqd_registry_row *rows = tqd_registry_list(e->registry, &n);
    if (rows == NULL) {
        answer_no_memory(e);
        return;
    }
    n = keep_visible(e->head, rows, n);
    tqa_writer text = {.cbor = false};
    tqd_document_list(&text, "robots");
    for (size_t i = 0; i < n; i++) {
        const tqd_robot_row *row = &rows[i].row;
        tqa_writer_object(&text, NULL);
        tqa_writer_string(&text, "name", tqd_key_name(row->name));
        tqa_writer_count(&text, "nv", row->nv);
        tqa_writer_string(&text, "source", row->source);
        tqa_writer_string(&text, "digest", row->digest);
        tqa_writer_flag(&text, "builtin", rows[i].builtin);
        tqd_document_text(&text, "owner", row->owner);
        tqa_writer_end(&text);
    }
    free(rows);
    tqd_document_list_end(&text);
    (void)tqd_document_answer(&e->answer, e->head->request_id, 200, &text);
}

/* -------------------------------------------------------------------- GET /v1/robots/{name} */

/* ?format= takes precedence, then Accept: the robot document unless XML has a greater weight */
static bool choose_form(const tqd_head *head, tqa_robot_form *ret, tqa_problem *problem)
{
    static const struct {
        const char *query;
        tqa_robot_form form;
    } formats[] = {{"format=urdf", TQA_FORM_URDF},
                   {"format=mjcf", TQA_FORM_MJCF},
                   {"format=sdf", TQA_FORM_SDF},
                   {"format=document", TQA_FORM_DOCUMENT},
                   {"format=json", TQA_FORM_DOCUMENT}};
    if (head->query != NULL && head->query[0] != '\0') {
        for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
            if (strcmp(head->query, formats[i].query) == 0) {
                *ret = formats[i].form;
                return true;
            }
        }
        tqa_problem_set(problem, "invalid-value",
                        "the query may be format=urdf, mjcf, sdf, document or json");
        return false;
    }
    const char *accept = head->header(head, "Accept");
    const unsigned json = tqd_accept_weight(accept, "application/json");
    const unsigned xml = tqd_accept_weight(accept, "application/xml");
    *ret = xml > json ? TQA_FORM_URDF : TQA_FORM_DOCUMENT;
    if (xml == 0 && json == 0) {
        tqa_problem_set(problem, "not-acceptable",
                        "a robot is given as application/json, or as application/xml (URDF; "
                        "?format=mjcf and sdf)");
        return false;
    }
    return true;
}

static bool get_open(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    tqa_problem problem;
    tqa_robot_form form = TQA_FORM_DOCUMENT;
    if (!choose_form(head, &form, &problem)) {
        tqd_answer_problem(reply, head->request_id, &problem);
        return false;
    }
    if (!tqd_robot_begin(ctx, head, ret_exchange, reply)) {
        return false;
    }
    ((tqd_robot_exchange *)*ret_exchange)->form = form;
    return true;
}

/* All forms of one version have the same digest as tag; those in XML are weak, since a strong tag
 * identifies one sequence of bytes. */
static void add_tag(tqd_robot_exchange *e, const char *digest)
{
    tqd_answer_header(&e->answer, "ETag", "%s\"%s\"", e->form != TQA_FORM_DOCUMENT ? "W/" : "",
                      digest);
    tqd_answer_header(&e->answer, "Cache-Control", "no-cache");
    tqd_answer_header(&e->answer, "Vary", "Accept");
}

/* 304 needs the list of names only */
static tqd_next get_finish(void *arg)
{
    tqd_robot_exchange *e = arg;
    const char *header = e->head->header(e->head, "If-None-Match");
    tqd_registry_row row;
    char tag[TQD_TAG_TEXT];
    if (header == NULL || !tqd_registry_find(e->registry, e->head->part[0], &row) ||
        !tqd_tags_reduce(header, row.row.digest, true, tag) ||
        (strcmp(tag, "*") != 0 && strcmp(tag, row.row.digest) != 0)) {
        return TQD_NEXT_RUN;
    }
    e->answer.status = 304;
    add_tag(e, row.row.digest);
    return TQD_NEXT_REPLY;
}

static void get_run(void *arg)
{
    tqd_robot_exchange *e = arg;
    tqa_problem problem;
    const tqa_robot *robot = tqd_registry_get(e->registry, e->head->part[0], &problem);
    if (robot == NULL) {
        tqd_answer_problem(&e->answer, e->head->request_id, &problem);
        return;
    }
    char name[TQD_NAME_TEXT];
    const char *reference = tqd_key_name(e->head->part[0]);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(reference, "@"), reference);
    const tqd_robot_parser *parser = tqd_registry_parser(e->registry);
    const bool xml = e->form != TQA_FORM_DOCUMENT;
    e->answer.body = parser->print(robot, e->form, name, &e->answer.n_body, &problem);
    if (e->answer.body == NULL) {
        tqd_answer_problem(&e->answer, e->head->request_id, &problem);
    } else {
        e->answer.status = 200;
        e->answer.media = xml ? "application/xml" : "application/json";
        add_tag(e, tqa_robot_digest(robot));
    }
    tqd_registry_release(e->registry, robot);
}

/* -------------------------------------------------------------------- PUT /v1/robots/{name} */

static bool find_format(const char *name, tqa_media *ret)
{
    static const struct {
        const char *name;
        tqa_media media;
    } formats[] = {{"urdf", TQA_MEDIA_XML}, {"mjcf", TQA_MEDIA_XML},      {"sdf", TQA_MEDIA_XML},
                   {"zip", TQA_MEDIA_NONE}, {"document", TQA_MEDIA_JSON}, {"json", TQA_MEDIA_JSON}};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(name, formats[i].name) == 0) {
            *ret = formats[i].media;
            return true;
        }
    }
    return false;
}

/* ?format=, ?main=, ?base= and ?dry_run=; *ret_given: the format is among them. */
static bool read_query(const tqd_head *head, tqd_robot_query *ret, tqa_media *ret_media,
                       bool *ret_given, tqa_problem *problem)
{
    const char *query = head->query != NULL ? head->query : "";
    char name[TQD_QUERY_TEXT];
    char value[TQD_QUERY_TEXT];
    bool bad = false;
    bool unknown = false;
    while (tqd_query_next(&query, name, value, &bad)) {
        if (strcmp(name, "main") == 0) {
            memcpy(ret->main, value, sizeof ret->main);
        } else if (strcmp(name, "base") == 0) {
            memcpy(ret->base, value, sizeof ret->base);
        } else if (strcmp(name, "dry_run") == 0 &&
                   (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)) {
            ret->is_dry = value[0] == 't';
        } else if (strcmp(name, "format") == 0 && find_format(value, ret_media)) {
            *ret_given = true;
        } else {
            unknown = true;
        }
    }
    if (bad || unknown) {
        tqa_problem_set(
            problem, "invalid-value",
            "the query may be format=urdf, mjcf, sdf, zip, document or json, main=FILE of "
            "an archive, base=fixed, floating or planar, and dry_run=true or false");
    }
    return !bad && !unknown;
}

/* ?format= takes precedence, then Content-Type, then the first bytes */
static bool find_media(const tqd_head *head, tqd_robot_query *ret_query, tqa_media *ret_media,
                       tqa_problem *problem)
{
    static const struct {
        const char *name;
        tqa_media media;
    } types[] = {{"application/xml", TQA_MEDIA_XML},
                 {"text/xml", TQA_MEDIA_XML},
                 {"application/urdf+xml", TQA_MEDIA_XML},
                 {"application/zip", TQA_MEDIA_NONE},
                 {"application/x-zip-compressed", TQA_MEDIA_NONE},
                 {"application/json", TQA_MEDIA_JSON},
                 {"application/octet-stream", TQA_MEDIA_NONE},
                 {"text/plain", TQA_MEDIA_NONE},
                 {"application/x-www-form-urlencoded", TQA_MEDIA_NONE} /* the default of curl
                                                                          --data-binary */};
    bool given = false;
    *ret_media = TQA_MEDIA_NONE;
    if (!read_query(head, ret_query, ret_media, &given, problem)) {
        return false;
    }
    const char *type = head->header(head, "Content-Type");
    if (given || type == NULL || type[0] == '\0') {
        return true;
    }
    const size_t n = strcspn(type, "; \t");
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strlen(types[i].name) == n && strncasecmp(type, types[i].name, n) == 0) {
            *ret_media = types[i].media;
            return true;
        }
    }
    tqa_problem_set(
        problem, "unsupported-media",
        "a robot is application/xml (URDF, MJCF, SDF), application/zip (one of these with "
        "its files) or application/json (document)");
    return false;
}

bool tqd_robot_name_free(tqd_registry *registry, const char *name, tqa_problem *problem)
{
    tqd_registry_row row;
    if (!tqd_robot_name_good(name)) {
        tqa_problem_set(problem, "invalid-value",
                        "a name has 1 to 128 of A-Z a-z 0-9 . _ - and does not begin with a dot");
        return false;
    }
    if (tqd_registry_find(registry, name, &row) && row.builtin) {
        tqa_problem_set(
            problem, "read-only",
            "\"%s\" is built in: choose another name (PUT /v1/robots/NAME, or PATCH with "
            "?name=NAME)",
            tqd_key_name(name));
        return false;
    }
    return true;
}

static bool put_open(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    tqa_problem problem;
    tqa_media media = TQA_MEDIA_NONE;
    tqd_robot_query query = {.main = "", .base = ""};
    if (!tqd_robot_name_free(ctx, head->part[0], &problem) ||
        !find_media(head, &query, &media, &problem)) {
        tqd_answer_problem(reply, head->request_id, &problem);
        return false;
    }
    if (!tqd_robot_begin(ctx, head, ret_exchange, reply)) {
        return false;
    }
    tqd_robot_exchange *e = *ret_exchange;
    e->media = media;
    e->query = query;
    return true;
}

bool tqd_robot_feed(void *arg, const char *bytes, size_t n)
{
    tqd_robot_exchange *e = arg;
    if (e->n_body + n > TQA_ROBOT_BYTES_MAX) {
        tqa_problem problem;
        tqa_problem_set(&problem, "too-large", "a robot may have %d bytes at most",
                        (int)TQA_ROBOT_BYTES_MAX);
        tqd_answer_problem(&e->answer, e->head->request_id, &problem);
        return false;
    }
    if (e->n_body + n > e->body_size) {
        size_t size = e->body_size != 0 ? 2 * e->body_size : BODY_FIRST;
        if (e->body_size == 0 && e->head->content_length <= TQA_ROBOT_BYTES_MAX) {
            size = (size_t)e->head->content_length;
        }
        size = size < e->n_body + n ? e->n_body + n : size;
        char *larger = realloc(e->body, size);
        if (larger == NULL) {
            answer_no_memory(e);
            return false;
        }
        e->body = larger;
        e->body_size = size;
    }
    memcpy(e->body + e->n_body, bytes, n);
    e->n_body += n;
    return true;
}

/* reads the preconditions against the present version; the store checks again in its transaction */
static bool read_conditions(tqd_robot_exchange *e, char match[TQD_TAG_TEXT],
                            char none_match[TQD_TAG_TEXT], tqd_condition *ret)
{
    tqd_registry_row row;
    const bool exists = tqd_registry_find(e->registry, e->name, &row);
    const char *current = exists ? row.row.digest : "";
    const char *if_match = e->head->header(e->head, "If-Match");
    const char *if_none_match = e->head->header(e->head, "If-None-Match");
    if ((if_match != NULL && !tqd_tags_reduce(if_match, current, false, match)) ||
        (if_none_match != NULL && !tqd_tags_reduce(if_none_match, current, true, none_match))) {
        tqa_problem problem;
        tqa_problem_set(&problem, "malformed",
                        "If-Match and If-None-Match take * or a list of tags in quotes");
        tqd_answer_problem(&e->answer, e->head->request_id, &problem);
        return false;
    }
    ret->if_match = if_match != NULL ? match : NULL;
    ret->if_none_match = if_none_match != NULL ? none_match : NULL;
    ret->by = tqd_identity_by(e->head->who);
    ret->owner = tqd_identity_name(e->head->who);
    return true;
}

static void answer_put(tqd_robot_exchange *e, const tqa_robot *robot, bool created)
{
    e->answer.body =
        tqd_registry_parser(e->registry)->report(robot, tqd_key_name(e->name), &e->answer.n_body);
    if (e->answer.body == NULL) {
        /* the robot is stored, but there is no memory for the report */
        e->answer.constant = "{}\n";
        e->answer.n_body = 3;
    }
    e->answer.status = created ? 201 : 200;
    e->answer.media = "application/json";
    tqd_answer_header(&e->answer, "ETag", "\"%s\"", tqa_robot_digest(robot));
    if (created) {
        tqd_answer_header(&e->answer, "Location", "/v1/robots/%s", tqd_key_name(e->name));
    }
}

/* Answers as a PUT would, but stores nothing. Takes ownership of the robot. */
static void answer_dry(tqd_robot_exchange *e, tqa_robot *robot, const tqd_condition *condition)
{
    tqd_registry_row row;
    const bool exists = tqd_registry_find(e->registry, e->name, &row);
    const char *wanted = condition->if_match;
    const char *unwanted = condition->if_none_match;
    if ((wanted != NULL &&
         (!exists || (strcmp(wanted, "*") != 0 && strcmp(wanted, row.row.digest) != 0))) ||
        (unwanted != NULL && exists &&
         (strcmp(unwanted, "*") == 0 || strcmp(unwanted, row.row.digest) == 0))) {
        tqa_problem problem;
        tqd_store_problem(TQD_STORE_MISMATCH, &problem);
        tqd_answer_problem(&e->answer, e->head->request_id, &problem);
    } else if (exists && tqd_is_owned(row.row.owner, condition->by) &&
               strcmp(row.row.digest, tqa_robot_digest(robot)) != 0) {
        tqa_problem problem;
        tqd_store_owned("robot", tqd_key_name(e->name), row.row.owner, &problem);
        tqd_answer_problem(&e->answer, e->head->request_id, &problem);
    } else {
        e->answer.body = tqd_registry_parser(e->registry)
                             ->report(robot, tqd_key_name(e->name), &e->answer.n_body);
        e->answer.status = 200;
        e->answer.media = "application/json";
        if (e->answer.body == NULL) {
            answer_no_memory(e);
        }
    }
    tqd_registry_parser(e->registry)->release(robot);
}

static bool annotate(tqd_robot_exchange *e, const char *key, const char *value,
                     tqa_problem *problem)
{
    return value[0] == '\0' || tqa_robot_annotate(&e->body, &e->n_body, key, value, problem);
}

void tqd_robot_keep(tqd_robot_exchange *e, const char *digest)
{
    char match[TQD_TAG_TEXT];
    char none_match[TQD_TAG_TEXT];
    tqd_condition condition;
    tqa_problem problem;
    if (!read_conditions(e, match, none_match, &condition)) {
        return;
    }
    condition.if_match = condition.if_match != NULL ? condition.if_match : digest;
    tqa_robot *robot = tqd_registry_parser(e->registry)
                           ->parse(e->media, e->body != NULL ? e->body : "", e->n_body, &problem);
    if (robot == NULL) {
        tqd_answer_problem(&e->answer, e->head->request_id, &problem);
        return;
    }
    if (e->query.is_dry) {
        answer_dry(e, robot, &condition);
        return;
    }
    const tqa_robot *stored = NULL;
    bool created = false;
    if (!tqd_registry_put(e->registry, e->name, robot, e->body, e->n_body, &condition, &stored,
                          &created, &problem)) {
        tqd_answer_problem(&e->answer, e->head->request_id, &problem);
        return;
    }
    answer_put(e, stored, created);
    tqd_registry_release(e->registry, stored);
}

static void put_run(void *arg)
{
    tqd_robot_exchange *e = arg;
    tqa_problem problem;
    if (!annotate(e, "main", e->query.main, &problem) ||
        !annotate(e, "base", e->query.base, &problem)) {
        tqd_answer_problem(&e->answer, e->head->request_id, &problem);
        return;
    }
    tqd_robot_keep(e, NULL);
}

/* ----------------------------------------------------------------- DELETE /v1/robots/{name} */

static void delete_run(void *arg)
{
    tqd_robot_exchange *e = arg;
    char match[TQD_TAG_TEXT];
    char none_match[TQD_TAG_TEXT];
    tqd_condition condition;
    if (!read_conditions(e, match, none_match, &condition)) {
        return;
    }
    tqa_problem problem;
    if (!tqd_registry_delete(e->registry, e->head->part[0], &condition, &problem)) {
        tqd_answer_problem(&e->answer, e->head->request_id, &problem);
        return;
    }
    e->answer.status = 204;
}

/* -------------------------------------------------------------------------------------- routes */

static const tqd_handler list_handler = {.open = list_open,
                                         .finish = tqd_always_run,
                                         .run = list_run,
                                         .reply = tqd_robot_give_reply,
                                         .close = tqd_robot_end};
static const tqd_handler get_handler = {.open = get_open,
                                        .finish = get_finish,
                                        .run = get_run,
                                        .reply = tqd_robot_give_reply,
                                        .close = tqd_robot_end};
static const tqd_handler put_handler = {.open = put_open,
                                        .feed = tqd_robot_feed,
                                        .finish = tqd_always_run,
                                        .run = put_run,
                                        .reply = tqd_robot_give_reply,
                                        .close = tqd_robot_end};
static const tqd_handler delete_handler = {.open = tqd_robot_begin,
                                           .finish = tqd_always_run,
                                           .run = delete_run,
                                           .reply = tqd_robot_give_reply,
                                           .close = tqd_robot_end};

void tqd_robot_routes(tqd_registry *registry, tqd_route routes[TQD_ROBOT_ROUTES])
{
    const tqd_route table[TQD_ROBOT_ROUTES] = {
        {TQD_GET, "/v1/robots", 0, &list_handler, registry, false},
        {TQD_HEAD, "/v1/robots", 0, &list_handler, registry, false},
        {TQD_GET, "/v1/robots/{}", 0, &get_handler, registry, true},
        {TQD_HEAD, "/v1/robots/{}", 0, &get_handler, registry, true},
        {TQD_PUT, "/v1/robots/{}", TQA_ROBOT_BYTES_MAX, &put_handler, registry, true},
        {TQD_DELETE, "/v1/robots/{}", 0, &delete_handler, registry, false},
        {TQD_PATCH, "/v1/robots/{}", TQD_ROBOT_PATCH_MAX, &tqd_robot_patch_handler, registry, true},
    };
    memcpy(routes, table, sizeof table);
}
