/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/openapi/test_openapi.c - the contract names every operation, problem and field of
 * the code, and its examples work. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/call/call.h"
#include "api/openapi.h"
#include "api/version.h"
#include "tests/support/host.h"
#include "tests/support/one_call.h"

static json_t *contract(void)
{
    size_t n = 0;
    const char *text = tqa_openapi_json(&n);
    cr_assert(eq(sz, strlen(text), n));
    json_t *root = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);
    cr_assert(ne(ptr, root, NULL));
    return root;
}

/* The member at a path of keys; ends the test if it is absent. */
static json_t *at(json_t *root, const char *const *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        root = json_object_get(root, keys[i]);
        cr_assert(ne(ptr, root, NULL), "no %s", keys[i]);
    }
    return root;
}
#define AT(root, ...)                                                                              \
    at(root, (const char *const[]){__VA_ARGS__},                                                   \
       sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static json_t *body_of(json_t *root, const tqa_operation *operation)
{
    char path[128];
    (void)snprintf(path, sizeof path, operation->needs_robot ? "/v1/robots/{name}/%s" : "/v1/%s",
                   operation->name);
    return AT(root, "paths", path, "post", "requestBody", "content", "application/json");
}

Test(openapi, says_the_version)
{
    json_t *root = contract();
    cr_assert(eq(str, (char *)json_string_value(AT(root, "info", "version")), (char *)TQA_VERSION));
    json_decref(root);
}

Test(openapi, lists_every_problem)
{
    static const char *const slugs[] = {
#define SLUG(slug, status, title, meaning, remedy, example) "/problems/" slug,
        TQA_PROBLEM_LIST(SLUG)
#undef SLUG
    };
    json_t *root = contract();
    const json_t *known = AT(root, "components", "schemas", "ProblemUri", "enum");
    cr_assert(eq(sz, json_array_size(known), sizeof slugs / sizeof slugs[0]));
    for (size_t i = 0; i < sizeof slugs / sizeof slugs[0]; i++) {
        cr_assert(eq(str, (char *)json_string_value(json_array_get(known, i)), (char *)slugs[i]));
    }
    json_decref(root);
}

/* Names of a list of choices, against an enum of the contract. */
static void same_choices(const tqa_choice *choices, const json_t *names)
{
    size_t n = 0;
    for (; choices[n].name != NULL; n++) {
        cr_assert(
            eq(str, (char *)json_string_value(json_array_get(names, n)), (char *)choices[n].name));
    }
    cr_assert(eq(sz, json_array_size(names), n));
}

/* An operation on nested fields: the same names on both sides. */
static void same_fields(const tqa_operation *operation, json_t *request)
{
    const char *const *fields = operation->methods->tree->fields;
    json_t *properties = AT(request, "properties");
    size_t n = 0;
    for (; fields[n] != NULL; n++) {
        (void)AT(properties, fields[n]);
    }
    cr_assert(eq(sz, json_object_size(properties), n), "%s", operation->name);
    cr_assert(ne(ptr, json_object_get(request, "additionalProperties"), NULL));
}

Test(openapi, lists_every_operation_with_its_fields)
{
    json_t *root = contract();
    for (const tqa_operation *operation = tqa_operations; operation->name != NULL; operation++) {
        const tqa_schema *schema = &operation->methods->schema;
        const char *reference = json_string_value(AT(body_of(root, operation), "schema", "$ref"));
        json_t *request = AT(root, "components", "schemas", strrchr(reference, '/') + 1);
        if (operation->methods->tree != NULL) {
            same_fields(operation, request);
            continue;
        }
        json_t *properties = AT(request, "properties");
        cr_assert(eq(sz, json_object_size(properties), schema->n_field), "%s", operation->name);
        for (size_t f = 0; f < schema->n_field; f++) {
            (void)AT(properties, schema->fields[f].name);
            const bool unused = schema->fields[f].receiver == &tqa_unused_receiver;
            cr_assert(eq(int, (int)(schema->unused >> f & 1u), unused), "%s", operation->name);
            const bool zero = (schema->zero >> f & 1u) != 0;
            cr_assert(eq(int, zero && !tqa_field_is_motion(&schema->fields[f]), 0));
        }
        /* if a recording may replace samples, they are one of two alternatives */
        json_t *never = json_object_get(json_object_get(request, "not"), "not");
        json_t *either = json_array_get(json_object_get(never, "oneOf"), 0);
        json_t *required = AT(either != NULL ? either : request, "required");
        cr_assert(eq(sz, json_array_size(required), (size_t)__builtin_popcount(schema->required)));
        cr_assert(ne(ptr, json_object_get(request, "additionalProperties"), NULL));
        same_choices(schema->without, AT(properties, "without", "items", "enum"));
        if (schema->include[0].name != NULL) {
            same_choices(schema->include, AT(properties, "include", "items", "enum"));
        }
    }
    json_decref(root);
}

/* motion of the panda and a torque, as text */
static size_t write_run(char *text, size_t size, double phase)
{
    size_t n = (size_t)snprintf(text, size,
                                "t,q_0,q_1,q_2,q_3,q_4,q_5,q_6,tau_0,tau_1,tau_2,tau_3,tau_4,"
                                "tau_5,tau_6\n");
    for (int k = 0; k < 400; k++) {
        n += (size_t)snprintf(text + n, size - n, "%.2f", 0.01 * k);
        for (int c = 0; c < 14; c++) {
            const double a = 0.02 * k * (1.0 + 0.3 * (c % 7)) + phase;
            n += (size_t)snprintf(text + n, size - n, ",%.6f",
                                  c < 7 ? 0.4 * sin(a) : 2.0 * cos(a) + 0.1 * c);
        }
        n += (size_t)snprintf(text + n, size - n, "\n");
    }
    return n;
}

/* the datasets named by the examples */
static void make_world(tqt_host *host)
{
    tqt_host_open(host);
    static char run[1 << 17];
    tqt_host_dataset(host, "sample-panda-1", "text/csv", run, write_run(run, sizeof run, 0.0));
    tqt_host_dataset(host, "sample-panda-2", "text/csv", run, write_run(run, sizeof run, 1.0));
}

Test(openapi, its_examples_work)
{
    json_t *root = contract();
    static tqt_host host;
    for (const tqa_operation *operation = tqa_operations; operation->name != NULL; operation++) {
        json_t *examples = AT(body_of(root, operation), "examples");
        cr_assert(gt(sz, json_object_size(examples), 0));
        const char *name;
        json_t *example;
        json_object_foreach(examples, name, example)
        {
            char *body = json_dumps(AT(example, "value"), 0);
            const char *of = json_string_value(json_object_get(example, "x-robot"));
            tqa_robot *robot = tqt_builtin(of != NULL ? of : "panda");
            make_world(&host);
            const tqt_call_options options = {.operation = operation->name, .host = &host.host};
            tqt_answer answer =
                tqt_call(operation->needs_robot ? robot : NULL, body, strlen(body), options);
            tqt_host_close(&host);
            cr_assert(eq(int, answer.status, 200), "%s: %s", name, answer.problem.detail);
            tqt_answer_clear(&answer);
            free(body);
            tqa_robot_free(robot);
        }
    }
    json_decref(root);
}
