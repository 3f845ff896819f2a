/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/address.c - an unknown path: suggests the one that was probably meant. */
#include "daemon/serve/address.h"

#include <stdio.h>
#include <string.h>

#include "api/problems/nearest.h"

static size_t count_slashes(const char *path)
{
    size_t n = 0;
    for (; *path != '\0'; path++) {
        n += *path == '/';
    }
    return n;
}

/* The suggested address, which ends with this word; only its end if it is as long as `path`. */
static void write_address(const tqd_server_options *options, const char *path, const char *word,
                          char *ret, size_t size)
{
    const char *found = NULL;
    for (size_t k = 0; k < options->n_route; k++) {
        const char *pattern = options->routes[k].pattern;
        const char *last = strrchr(pattern, '/');
        const bool ends = last != NULL && strcmp(last + 1, word) == 0;
        if (ends && count_slashes(pattern) == count_slashes(path)) {
            found = NULL;
            break;
        }
        found = ends && found == NULL ? pattern : found;
    }
    if (found == NULL) {
        (void)snprintf(ret, size, ".../%s", word);
        return;
    }
    size_t n = 0;
    for (; *found != '\0' && n + sizeof "NAME" < size; found++) {
        if (*found == '{') {
            memcpy(ret + n, "NAME", 4);
            n += 4;
            found = strchr(found, '}');
        } else {
            ret[n++] = *found;
        }
    }
    ret[n] = '\0';
}

void tqd_refuse_path(const tqd_server_options *options, const char *path, tqa_problem *problem)
{
    const char *slash = strrchr(path, '/');
    const char *word = slash != NULL ? slash + 1 : path;
    char address[96];
    tqa_nearest nearest;
    tqa_nearest_init(&nearest, word, strlen(word));
    for (size_t k = 0; k < options->n_route; k++) {
        const char *last = strrchr(options->routes[k].pattern, '/');
        if (last != NULL && last[1] != '{' && last[1] != '\0') {
            tqa_nearest_offer(&nearest, last + 1);
        }
    }
    if (nearest.best == NULL && strncmp(path, "/v1/", 4) == 0) {
        static const char *const folders[] = {"robots", "jobs", "datasets", "sessions"};
        tqa_nearest_init(&nearest, path + 4, strcspn(path + 4, "/"));
        for (size_t k = 0; k < sizeof folders / sizeof folders[0]; k++) {
            tqa_nearest_offer(&nearest, folders[k]);
        }
        if (nearest.best != NULL && nearest.note == NULL && nearest.distance > 0) {
            tqa_problem_set(problem, "not-found",
                            "there is nothing at %.120s: did you mean /v1/%.48s/...? GET "
                            "/openapi.json lists all addresses",
                            path, nearest.best);
            return;
        }
        nearest.best = nearest.note = NULL;
    }
    if (nearest.note != NULL && nearest.note[0] == '/') {
        tqa_problem_set(problem, "not-found",
                        "there is nothing at %.120s: use %.96s; GET /openapi.json lists all "
                        "addresses",
                        path, nearest.note);
    } else if (nearest.note != NULL) {
        tqa_problem_set(problem, "not-found",
                        "there is nothing at %.120s: use .../%.80s; GET /openapi.json lists all "
                        "addresses",
                        path, nearest.note);
    } else if (nearest.best != NULL) {
        write_address(options, path, nearest.best, address, sizeof address);
        tqa_problem_set(problem, "not-found",
                        "there is nothing at %.120s: did you mean %.96s? GET /openapi.json "
                        "lists all addresses",
                        path, address);
    } else {
        tqa_problem_set(problem, "not-found",
                        "there is nothing at %.160s: GET /openapi.json lists all addresses", path);
    }
}
