/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/http/test_match.c - routes, their parts, and the methods of a path. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <string.h>

#include "daemon/http/match.h"

static const tqd_route routes[] = {
    {.method = TQD_GET, .pattern = "/v1/robots"},
    {.method = TQD_GET, .pattern = "/v1/robots/{}"},
    {.method = TQD_PUT, .pattern = "/v1/robots/{}"},
    {.method = TQD_POST, .pattern = "/v1/robots/{}/terms"},
    {.method = TQD_GET, .pattern = "/v1/jobs/{}/result/{}"},
};

static const struct {
    tqd_method method;
    const char *path;
    int route; /* -1: none */
    const char *allow;
    const char *parts; /* joined by '|' */
} cases[] = {
    {TQD_GET, "/v1/robots", 0, "", ""},
    {TQD_HEAD, "/v1/robots", 0, "", ""},
    {TQD_POST, "/v1/robots", -1, "GET, HEAD", ""},
    {TQD_METHOD_COUNT, "/v1/robots", -1, "GET, HEAD", ""},
    {TQD_GET, "/v1/robots/", -1, "", ""},
    {TQD_GET, "/v1/robots/ur5e", 1, "", "ur5e"},
    {TQD_PUT, "/v1/robots/ur5e@12", 2, "", "ur5e@12"},
    {TQD_DELETE, "/v1/robots/ur5e", -1, "GET, HEAD, PUT", ""},
    {TQD_POST, "/v1/robots/ur5e/terms", 3, "", "ur5e"},
    {TQD_POST, "/v1/robots//terms", -1, "", ""},
    {TQD_POST, "/v1/robots/ur5e/terms/", -1, "", ""},
    {TQD_POST, "/v1/robots/ur5e/term", -1, "", ""},
    {TQD_GET, "/v1/jobs/7/result/tau", 4, "", "7|tau"},
    {TQD_GET, "/v1/robot", -1, "", ""},
    {TQD_GET, "", -1, "", ""},
};

Test(match, table)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tqd_match match;
        tqd_match_find(routes, sizeof routes / sizeof routes[0], cases[i].method, cases[i].path,
                       strlen(cases[i].path), &match);
        int found = match.route == NULL ? -1 : (int)(match.route - routes);
        cr_expect(found == cases[i].route, "%s: route %d", cases[i].path, found);
        cr_expect(strcmp(match.allow, cases[i].allow) == 0, "%s: %s", cases[i].path, match.allow);
        char parts[64] = "";
        for (size_t k = 0; match.route != NULL && k < match.n_part; k++) {
            size_t used = strlen(parts);
            snprintf(parts + used, sizeof parts - used, "%s%.*s", k > 0 ? "|" : "",
                     (int)match.part[k].n, match.part[k].text);
        }
        cr_expect(strcmp(parts, cases[i].parts) == 0, "%s: %s", cases[i].path, parts);
    }
}

Test(match, methods)
{
    cr_expect(eq(int, (int)tqd_method_find("DELETE"), (int)TQD_DELETE));
    cr_expect(eq(int, (int)tqd_method_find("get"), (int)TQD_METHOD_COUNT));
    cr_expect(eq(int, (int)tqd_method_find("PATCH"), (int)TQD_PATCH));
    cr_expect(eq(int, (int)tqd_method_find("TRACE"), (int)TQD_METHOD_COUNT));
}
