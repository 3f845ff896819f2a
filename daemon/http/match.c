/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/match.c - one pass over path and pattern for each row of the table. */
#include "daemon/http/match.h"

#include <stdio.h>
#include <string.h>

#include "daemon/http/bearer.h"

static const char *const method_names[TQD_METHOD_COUNT] = {"GET",  "HEAD",   "PUT",
                                                           "POST", "DELETE", "PATCH"};

tqd_method tqd_method_find(const char *name)
{
    const tqd_method guess = name[0] == 'P'   ? (name[1] == 'O'   ? TQD_POST
                                                 : name[1] == 'A' ? TQD_PATCH
                                                                  : TQD_PUT)
                             : name[0] == 'G' ? TQD_GET
                             : name[0] == 'H' ? TQD_HEAD
                                              : TQD_DELETE;
    return strcmp(name, method_names[guess]) == 0 ? guess : TQD_METHOD_COUNT;
}

static bool pattern_matches(const char *pattern, const char *path, const char *end,
                            tqd_match *match)
{
    match->n_part = 0;
    while (*pattern != '\0') {
        if (*pattern == '{') {
            const char *slash = memchr(path, '/', (size_t)(end - path));
            const char *stop = slash != NULL ? slash : end;
            if (stop == path || match->n_part == TQD_PATH_PARTS) {
                return false;
            }
            match->part[match->n_part].text = path;
            match->part[match->n_part++].n = (size_t)(stop - path);
            path = stop;
            while (*pattern++ != '}') { /* near: mostly the next character */
            }
        } else if (path < end && *path == *pattern) {
            path++;
            pattern++;
        } else {
            return false;
        }
    }
    return path == end;
}

static void list_methods(const bool *allowed, tqd_match *match)
{
    size_t used = 0;
    for (int i = 0; i < (int)TQD_METHOD_COUNT; i++) {
        if (allowed[i]) {
            used += (size_t)snprintf(match->allow + used, sizeof match->allow - used, "%s%s",
                                     used > 0 ? ", " : "", method_names[i]);
        }
    }
}

void tqd_match_find(const tqd_route *routes, size_t n_route, tqd_method method, const char *path,
                    size_t n_path, tqd_match *ret_match)
{
    bool allowed[TQD_METHOD_COUNT] = {false};
    ret_match->route = NULL;
    ret_match->path_known = false;
    ret_match->allow[0] = '\0';
    for (size_t i = 0; i < n_route; i++) {
        tqd_match trial;
        if (!pattern_matches(routes[i].pattern, path, path + n_path, &trial)) {
            continue;
        }
        bool served =
            routes[i].method == method || (method == TQD_HEAD && routes[i].method == TQD_GET);
        if (served) {
            memcpy(ret_match->part, trial.part, sizeof trial.part);
            ret_match->n_part = trial.n_part;
            ret_match->route = &routes[i];
            return;
        }
        ret_match->path_known = true;
        allowed[routes[i].method] = true;
        if (routes[i].method == TQD_GET) {
            allowed[TQD_HEAD] = true;
        }
    }
    list_methods(allowed, ret_match);
}

unsigned tqd_route_role(const tqd_route *route)
{
    if (route->handler->role != 0) {
        return route->handler->role;
    }
    switch (route->method) {
    case TQD_GET:
    case TQD_HEAD:
        return TQD_ROLE_READ;
    case TQD_POST:
        return TQD_ROLE_COMPUTE;
    case TQD_PUT:
    case TQD_DELETE:
    case TQD_PATCH:
    case TQD_METHOD_COUNT:
        break;
    }
    return TQD_ROLE_WRITE;
}
