/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/namespace.c - the namespace that a request is in: of its token, or as an
 * administrator says with ?namespace=. From here on the names in its path are keys. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/problem.h"
#include "daemon/key.h"
#include "daemon/serve/server_private.h"

static const char parameter[] = "namespace=";

/* The parameter in a query, at its start or after '&'; NULL: absent. */
static char *find_parameter(char *query)
{
    char *at = query;
    while (at != NULL && strncmp(at, parameter, sizeof parameter - 1) != 0) {
        at = strchr(at, '&');
        at = at != NULL ? at + 1 : NULL;
    }
    return at;
}

/* Not refused here: whoever has no valid token is answered with that. */
void tqd_namespace_take(tqd_client *client, char *query)
{
    tqd_request *request = &client->request;
    char *at = find_parameter(query);
    if (at == NULL) {
        return;
    }
    char *value = at + sizeof parameter - 1;
    const size_t n = strcspn(value, "&");
    const bool good = n == 0 || tqd_namespace_good(value, n);
    request->names_namespace = true;
    (void)snprintf(request->wanted, sizeof request->wanted, "%.*s%s", good ? (int)n : 0, value,
                   n > 0 ? "/" : "");
    /* handlers refuse parameters that they do not know: this one is not theirs */
    const char *rest = value[n] == '&' ? value + n + 1 : value + n;
    memmove(at, rest, strlen(rest) + 1);
    if (at > query && *at == '\0') {
        at[-1] = '\0'; /* the '&' before it */
    }
    if (query[0] == '\0') {
        request->head.query = NULL;
    }
}

bool tqd_namespace_enter(tqd_client *client)
{
    tqd_request *request = &client->request;
    char *key = request->who.client;
    const size_t n_own = tqd_key_prefix(key);
    if (!request->names_namespace ||
        (strlen(request->wanted) == n_own && memcmp(request->wanted, key, n_own) == 0)) {
        return true;
    }
    tqa_problem problem;
    char entered[TQD_CLIENT_TEXT + TQD_NAMESPACE_TEXT];
    const int n = snprintf(entered, sizeof entered, "%s%s", request->wanted, tqd_key_name(key));
    if (request->wanted[0] == '/') {
        tqa_problem_set(&problem, "invalid-value",
                        "namespace= is 1 to 32 of A-Z a-z 0-9 . _ -, or empty for the default one");
    } else if ((request->who.roles & TQD_ROLE_ADMIN) == 0) {
        tqa_problem_set(&problem, "forbidden",
                        "namespace= of another namespace needs the role admin; \"%s\" has its own",
                        key);
    } else if (n < 0 || (size_t)n >= sizeof request->who.client) {
        tqa_problem_set(&problem, "invalid-value",
                        "this namespace and the name of the token are too long together");
    } else {
        memcpy(key, entered, (size_t)n + 1);
        return true;
    }
    tqd_refuse(client, &problem);
    return false;
}

/* Patterns whose first segment in braces names a row of a namespace. */
static bool is_of_a_name(const char *pattern)
{
    static const char *const stems[] = {"/v1/robots/{}", "/v1/datasets/{}"};
    return strncmp(pattern, stems[0], strlen(stems[0])) == 0 ||
           strncmp(pattern, stems[1], strlen(stems[1])) == 0;
}

bool tqd_namespace_qualify(tqd_client *client)
{
    tqd_request *request = &client->request;
    const size_t n_prefix = tqd_key_prefix(request->who.client);
    if (n_prefix == 0 || !is_of_a_name(request->route->pattern)) {
        return true;
    }
    char *parts = malloc(n_prefix + request->n_parts);
    if (parts == NULL) {
        tqa_problem problem;
        tqa_problem_set(&problem, "busy", "there is no memory for the request");
        tqd_refuse(client, &problem);
        return false;
    }
    memcpy(parts, request->who.client, n_prefix);
    memcpy(parts + n_prefix, request->parts, request->n_parts);
    for (size_t i = 1; i < TQD_PATH_PARTS; i++) {
        if (request->head.part[i][0] != '\0') {
            request->head.part[i] = parts + n_prefix + (request->head.part[i] - request->parts);
        }
    }
    request->head.part[0] = parts;
    if (request->parts != request->inline_parts) {
        free(request->parts);
    }
    request->parts = parts;
    request->n_parts += n_prefix;
    return true;
}
