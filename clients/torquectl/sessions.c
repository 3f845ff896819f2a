/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/sessions.c - lock step: a simulated robot that a user's controller drives. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "clients/torquectl/commands.h"
#include "clients/torquectl/files.h"
#include "clients/torquectl/operation.h"
#include "clients/torquectl/print/print.h"

/* Sends a request of JSON. Returns CTL_DONE with the answer's document, or another status. */
static int ask(ctl *c, const char *path, const json_t *body, bool is_repeatable, json_t **ret)
{
    char *text = ctl_compact(body);
    *ret = NULL;
    if (text == NULL) {
        ctl_fault("there is no memory for the request");
        return CTL_FAILED;
    }
    const ctl_request request = {.method = "POST",
                                 .path = path,
                                 .content_type = "application/json",
                                 .body = text,
                                 .n_body = strlen(text),
                                 .is_repeatable = is_repeatable};
    ctl_answer answer;
    int status = CTL_DONE;
    if (!ctl_send(c, &request, &answer)) {
        status = ctl_report(c, &answer);
    } else if ((*ret = json_loadb(answer.body, answer.n_body, 0, NULL)) == NULL) {
        ctl_fault("the answer is no JSON");
        status = CTL_FAILED;
    }
    ctl_answer_clear(&answer);
    free(text);
    return status;
}

/* A session or a state; with --quiet the id of a new session alone. */
static int show(ctl *c, json_t *document)
{
    const char *id = json_string_value(json_object_get(document, "id"));
    c->is_single = true;
    if (c->quiet && id != NULL) {
        puts(id);
        return CTL_DONE;
    }
    return ctl_print_document(c, document);
}

static int send_and_show(ctl *c, const char *path, const json_t *fields, bool is_repeatable)
{
    json_t *document = NULL;
    int status = ask(c, path, fields, is_repeatable, &document);
    if (document != NULL) {
        status = show(c, document);
    }
    json_decref(document);
    return status;
}

int ctl_session_open(ctl *c, int n, char **arguments)
{
    json_t *fields = json_object();
    json_object_set_new(fields, "robot", json_string(arguments[0]));
    const bool good = ctl_add_inputs(c, n - 1, arguments + 1) && ctl_gather(c, fields);
    const int status = good ? send_and_show(c, c->command->path, fields, false) : CTL_USAGE;
    json_decref(fields);
    return status;
}

/* rewind and fork */
int ctl_session_set(ctl *c, int n, char **arguments)
{
    char path[CTL_PATH];
    json_t *fields = json_object();
    const bool is_rewind = strcmp(c->command->operation, "session-rewind") == 0;
    (void)n;
    const bool good = ctl_fill(c, path, c->command->path, arguments[0]) && ctl_gather(c, fields);
    const int status = good ? send_and_show(c, path, fields, is_rewind) : CTL_USAGE;
    json_decref(fields);
    return status;
}

/* ---------------------------------------------------------------------------------- steps */

/* The session's present step, for `at_step` of the first of many: a repeat makes no second step. */
static int present_step(ctl *c, const char *id, json_int_t *ret)
{
    char path[CTL_PATH];
    ctl_answer answer;
    int status = CTL_DONE;
    if (!ctl_fill(c, path, "/v1/sessions/%s", id)) {
        return CTL_USAGE;
    }
    const ctl_request request = {.method = "GET", .path = path};
    if (!ctl_send(c, &request, &answer)) {
        status = ctl_report(c, &answer);
    } else {
        json_t *session = json_loadb(answer.body, answer.n_body, 0, NULL);
        *ret = json_integer_value(json_object_get(json_object_get(session, "state"), "step"));
        json_decref(session);
    }
    ctl_answer_clear(&answer);
    return status;
}

/* Each value of a state to the end of the list of its name; texts are those of the last state. */
static void append(json_t *all, const json_t *state)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)state, name, value)
    {
        if (json_is_number(value) || json_is_array(value)) {
            json_t *list = json_object_get(all, name);
            if (list == NULL) {
                list = json_array();
                json_object_set_new(all, name, list);
            }
            json_array_append(list, value);
        } else {
            json_object_set(all, name, value);
        }
    }
}

/* A step for each row of torques. An end of the motion is the last row. */
static int step_rows(ctl *c, const char *id, const char *path, json_t *fields)
{
    json_t *rows = json_incref(json_object_get(fields, "tau")), *all = json_object();
    const json_t *first = json_object_get(fields, "at_step");
    json_int_t at = json_integer_value(first);
    int status = first == NULL ? present_step(c, id, &at) : CTL_DONE;
    bool has_ended = false;
    for (size_t r = 0; status == CTL_DONE && !has_ended && r < json_array_size(rows); r++) {
        json_t *state = NULL;
        json_object_set(fields, "tau", json_array_get(rows, r));
        json_object_set_new(fields, "at_step", json_integer(at));
        status = ask(c, path, fields, true, &state);
        if (status == CTL_DONE) {
            at = state != NULL ? json_integer_value(json_object_get(state, "step")) : at + 1;
            has_ended = json_object_get(state, "ended") != NULL;
            append(all, state);
        }
        json_decref(state);
    }
    if (json_object_size(all) > 0) {
        const int printed = ctl_print_document(c, all);
        status = status == CTL_DONE ? printed : status;
    }
    json_decref(all);
    json_decref(rows);
    return status;
}

int ctl_session_step(ctl *c, int n, char **arguments)
{
    char path[CTL_PATH];
    json_t *fields = json_object();
    int status = CTL_USAGE;
    if (ctl_fill(c, path, c->command->path, arguments[0]) &&
        ctl_add_inputs(c, n - 1, arguments + 1) && ctl_gather(c, fields)) {
        const json_t *tau = json_object_get(fields, "tau");
        const bool is_table = json_is_array(json_array_get(tau, 0));
        status = is_table
                     ? step_rows(c, arguments[0], path, fields)
                     : send_and_show(c, path, fields, json_object_get(fields, "at_step") != NULL);
    }
    json_decref(fields);
    return status;
}
