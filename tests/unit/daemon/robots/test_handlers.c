/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/robots/test_handlers.c - the robot routes, called as the server calls them. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <strings.h>

#include "daemon/robots/handlers.h"
#include "tests/unit/daemon/robots/fake.h"

TestSuite(handlers, .init = setup, .fini = teardown, .timeout = 100);

typedef struct sent {
    tqd_method method;
    const char *path;
    const char *query, *body;
    const char *header, *value; /* one header */
} sent;

static const char *one_header(const tqd_head *head, const char *name)
{
    const sent *s = head->ctx;
    return s->header != NULL && strcasecmp(name, s->header) == 0 ? s->value : NULL;
}

/* the life cycle of one exchange; the body of the answer is copied to `text` */
static int ask(const sent *s, tqd_reply *reply, char text[1024])
{
    tqd_route routes[TQD_ROBOT_ROUTES];
    tqd_robot_routes(registry, routes);
    const bool one = strlen(s->path) > 11;
    const tqd_route *route = routes;
    while (route->method != s->method || (strchr(route->pattern, '{') != NULL) != one) {
        route++;
    }
    tqd_head head = {.method = s->method,
                     .path = s->path,
                     .part = {one ? s->path + 11 : "", "", ""},
                     .query = s->query,
                     .request_id = "id",
                     .content_length = UINT64_MAX,
                     .header = one_header,
                     .ctx = (void *)s};
    void *exchange = NULL;
    memset(reply, 0, sizeof *reply);
    if (route->handler->open(route->ctx, &head, &exchange, reply)) {
        bool going = true;
        for (size_t i = 0; s->body != NULL && going && i < strlen(s->body); i++) {
            going = route->handler->feed(exchange, s->body + i, 1);
        }
        if (going && route->handler->finish(exchange) == TQD_NEXT_RUN) {
            route->handler->run(exchange);
        }
        route->handler->reply(exchange, reply);
        route->handler->close(exchange);
    }
    const char *body = reply->body != NULL ? reply->body : reply->constant;
    snprintf(text, 1024, "%.*s", (int)reply->n_body, body != NULL ? body : "");
    free(reply->body);
    reply->body = NULL;
    return reply->status;
}

static const char *header_of(const tqd_reply *reply, const char *name)
{
    for (size_t i = 0; i < reply->n_header; i++) {
        if (strcmp(reply->headers[i].name, name) == 0) {
            return reply->headers[i].value;
        }
    }
    return "";
}

static char tag_1[80];
static char tag_2[80];

static void set_tags(void)
{
    snprintf(tag_1, sizeof tag_1, "\"%s\"", fake_digest(1));
    snprintf(tag_2, sizeof tag_2, "\"%s\"", fake_digest(2));
}

#define ARM "/v1/robots/arm"

/* clang-format off */
static const struct {
    sent sent;
    int status;
    const char *says;
} steps[] = {
    {{TQD_GET,    ARM, NULL, NULL, NULL, NULL}, 404, "unknown-robot"},
    {{TQD_DELETE, ARM, NULL, NULL, NULL, NULL}, 404, "unknown-robot"},
    {{TQD_PUT,    ARM, NULL, "rubbish", NULL, NULL}, 400, "this is no robot"},
    {{TQD_PUT,    ARM, NULL, NULL, NULL, NULL}, 400, "this is no robot"},
    {{TQD_PUT,    ARM, NULL, "robot 1", "If-Match", "*"}, 412, "precondition-failed"},
    {{TQD_PUT,    ARM, NULL, "robot 1", "If-None-Match", "*"}, 201, "\"nv\":1"},
    {{TQD_PUT,    ARM, NULL, "robot 2", "If-None-Match", "*"}, 412, "precondition-failed"},
    {{TQD_PUT,    ARM, NULL, "robot 2", "If-Match", "no quotes"}, 400, "If-Match"},
    {{TQD_PUT,    ARM, NULL, "robot 2", "If-Match", tag_2}, 412, "precondition-failed"},
    {{TQD_PUT,    ARM, NULL, "robot 2", "If-Match", tag_1}, 200, "\"nv\":2"},
    {{TQD_GET,    ARM, NULL, NULL, "If-None-Match", tag_1}, 200, "\"nv\":2"},
    {{TQD_GET,    ARM, NULL, NULL, "If-None-Match", tag_2}, 304, ""},
    {{TQD_HEAD,   ARM, NULL, NULL, NULL, NULL}, 200, "\"nv\":2"},
    {{TQD_GET,    ARM, NULL, NULL, "Accept", "image/png"}, 406, "not-acceptable"},
    {{TQD_GET,    ARM, NULL, NULL, "Accept", "application/xml"}, 200, "<robot name=\"arm\"/>"},
    {{TQD_GET,    ARM, "format=urdf", NULL, NULL, NULL}, 200, "<robot name=\"arm\"/>"},
    {{TQD_GET,    ARM, "format=json", NULL, "Accept", "application/xml"}, 200, "\"nv\":2"},
    {{TQD_GET,    ARM, "format=mjcf", NULL, NULL, NULL}, 200, "<mujoco name=\"arm\"/>"},
    {{TQD_GET,    ARM, "format=sdf", NULL, NULL, NULL}, 200, "<sdf name=\"arm\"/>"},
    {{TQD_GET,    ARM, "format=dae", NULL, NULL, NULL}, 422, "format="},
    {{TQD_PUT,    ARM, NULL, "robot 406", NULL, NULL}, 200, "\"nv\":406"},
    {{TQD_GET,    ARM, "format=urdf", NULL, NULL, NULL}, 406, "no words for it"},
    {{TQD_PUT,    ARM, "format=urdf", "robot 3", "Content-Type", "image/png"}, 200, "\"nv\":3"},
    {{TQD_PUT,    ARM, "format=doc", "robot 3", NULL, NULL}, 422, "format="},
    {{TQD_PUT,    ARM, NULL, "robot 4", "Content-Type", "image/png"}, 415, "unsupported-media"},
    {{TQD_PUT,    ARM, NULL, "robot 4", "Content-Type", "text/xml; charset=utf-8"}, 200, "\"nv\":4"},
    {{TQD_PUT,    "/v1/robots/.hidden", NULL, "robot 4", NULL, NULL}, 422, "begin with a dot"},
    {{TQD_PUT,    "/v1/robots/panda", NULL, "robot 4", NULL, NULL}, 409, "read-only"},
    {{TQD_PATCH,  "/v1/robots/nobody", NULL, "+1", NULL, NULL}, 404, "unknown-robot"},
    {{TQD_PATCH,  ARM, NULL, "no patch", NULL, NULL}, 400, "this is no patch"},
    {{TQD_PATCH,  ARM, "name=arm7&dry_run=true", "+3", NULL, NULL}, 200, "\"nv\":7"},
    {{TQD_PATCH,  ARM, "name=arm7", "+3", NULL, NULL}, 201, "\"nv\":7"},
    {{TQD_DELETE, "/v1/robots/arm7", NULL, NULL, NULL, NULL}, 204, ""},
    {{TQD_PATCH,  ARM, NULL, "+1", "If-Match", tag_1}, 412, "precondition-failed"},
    {{TQD_PATCH,  ARM, "as=arm7", "+1", NULL, NULL}, 422, "name=NEW"},
    {{TQD_PATCH,  "/v1/robots/panda", NULL, "+1", NULL, NULL}, 409, "read-only"},
    {{TQD_PATCH,  "/v1/robots/panda", "name=mine", "+1", NULL, NULL}, 201, "\"nv\":702"},
    {{TQD_DELETE, "/v1/robots/mine", NULL, NULL, NULL, NULL}, 204, ""},
    {{TQD_DELETE, "/v1/robots/panda", NULL, NULL, NULL, NULL}, 409, "read-only"},
    {{TQD_GET,    "/v1/robots", NULL, NULL, NULL, NULL}, 200,
     "{\"robots\":[{\"name\":\"arm\",\"nv\":4,\"source\":\"urdf\",\"digest\":"},
    {{TQD_GET,    "/v1/robots", NULL, NULL, "Accept", "text/html"}, 406, "not-acceptable"},
    {{TQD_DELETE, ARM, NULL, NULL, "If-Match", tag_1}, 412, "precondition-failed"},
    {{TQD_DELETE, ARM, NULL, NULL, NULL, NULL}, 204, ""},
    {{TQD_GET,    ARM, NULL, NULL, NULL, NULL}, 404, "unknown-robot"},
};
/* clang-format on */

Test(handlers, life_of_a_robot)
{
    set_tags();
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        tqd_reply reply;
        char text[1024];
        cr_assert(eq(int, ask(&steps[i].sent, &reply, text), steps[i].status), "step %zu: %s", i,
                  text);
        cr_assert(strstr(text, steps[i].says) != NULL, "step %zu: %s", i, text);
        if (reply.status >= 400) {
            cr_assert(eq(str, (char *)reply.media, "application/problem+json"), "step %zu", i);
        }
        if (reply.status == 201 && steps[i].sent.method == TQD_PUT) {
            cr_assert(eq(str, (char *)header_of(&reply, "Location"), ARM));
            cr_assert(eq(str, (char *)header_of(&reply, "ETag"), tag_1));
        }
    }
}

Test(handlers, body_is_bounded)
{
    tqd_route routes[TQD_ROBOT_ROUTES];
    tqd_robot_routes(registry, routes);
    const tqd_route *route = routes;
    while (route->method != TQD_PUT) {
        route++;
    }
    const sent nothing = {.path = ARM};
    tqd_head head = {.method = TQD_PUT,
                     .part = {"arm", "", ""},
                     .content_length = UINT64_MAX,
                     .header = one_header,
                     .ctx = (void *)&nothing};
    void *exchange = NULL;
    tqd_reply reply = {.status = 0};
    cr_assert(route->handler->open(route->ctx, &head, &exchange, &reply));
    static char piece[1 << 20];
    for (int i = 0; i < 16; i++) {
        cr_assert(route->handler->feed(exchange, piece, sizeof piece));
    }
    cr_assert(not(route->handler->feed(exchange, piece, 1)));
    route->handler->reply(exchange, &reply);
    cr_assert(eq(int, reply.status, 413));
    free(reply.body);
    route->handler->close(exchange);
}

Test(handlers, robot_survives_a_restart)
{
    tqd_reply reply;
    char text[1024];
    const sent create = {TQD_PUT, ARM, NULL, "robot 1", NULL, NULL};
    const sent read = {TQD_GET, ARM, NULL, NULL, NULL, NULL};
    cr_assert(eq(int, ask(&create, &reply, text), 201));
    stop();
    start(8);
    cr_assert(eq(int, ask(&read, &reply, text), 200));
    cr_assert(eq(str, text, "{\"name\":\"arm\",\"nv\":1}"));
}
