/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/call/test_short_memory.c - each allocation of each operation fails once: the call
 * is refused with "busy", or has the same answer. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/openapi.h"
#include "api/operation.h"
#include "core/integrate/setup.h"
#include "tests/support/host.h"
#include "tests/support/one_call.h"
#include "tests/support/sanitized.h"
#include "tests/support/short_memory.h"

enum { TEXT_MAX = 4 << 20, WALK_MAX = 2000, WRITER = 40 };

/* ------------------------------------------------------------------------------------------------
 * A host whose own allocations do not fail
 */

static const tqa_host *kept; /* of tqt_host, which asserts on its allocations */

static void parallel_for(void *ctx, size_t n, size_t scratch_size,
                         void (*body)(void *arg, size_t i, void *scratch), void *arg)
{
    (void)ctx;
    const bool was = tqt_short_pause();
    void *scratch = aligned_alloc(64, (scratch_size + 64) / 64 * 64);
    tqt_short_resume(was);
    for (size_t i = 0; i < n; i++) {
        body(arg, i, scratch);
    }
    free(scratch);
}

static int checkpoint_save(void *ctx, const void *bytes, size_t n)
{
    const bool was = tqt_short_pause();
    const int done = kept->checkpoint_save(ctx, bytes, n);
    tqt_short_resume(was);
    return done;
}

static int spool_write(void *ctx, uint64_t offset, const void *bytes, size_t n)
{
    const bool was = tqt_short_pause();
    const int done = kept->spool_write(ctx, offset, bytes, n);
    tqt_short_resume(was);
    return done;
}

static int attach(void *ctx, const char *name, const char *media, const void *bytes, size_t n)
{
    const bool was = tqt_short_pause();
    const int done = kept->attach(ctx, name, media, bytes, n);
    tqt_short_resume(was);
    return done;
}

/* motion of nv joints and a torque, as text */
static size_t write_run(char *text, size_t size, int nv, double phase)
{
    size_t n = (size_t)snprintf(text, size, "t");
    for (int c = 0; c < 2 * nv; c++) {
        n += (size_t)snprintf(text + n, size - n, c < nv ? ",q_%d" : ",tau_%d", c % nv);
    }
    for (int k = 0; k < 200; k++) {
        n += (size_t)snprintf(text + n, size - n, "\n%.2f", 0.01 * k);
        for (int c = 0; c < 2 * nv; c++) {
            const double a = 0.05 * k * (1.0 + 0.3 * (c % nv)) + phase;
            n += (size_t)snprintf(text + n, size - n, ",%.4f",
                                  c < nv ? 0.4 * sin(a) : 2.0 * cos(a) + 0.1 * c);
        }
    }
    return n;
}

/* Written once: a world is made for each allocation, of which there are thousands. */
static struct {
    const char *name;
    int nv;
    double phase;
    size_t n;
    char text[1 << 16];
} runs[] = {{.name = "sample-panda-1", .nv = 7},
            {.name = "sample-panda-2", .nv = 7, .phase = 1.0},
            {.name = "two-run1", .nv = 2},
            {.name = "two-run2", .nv = 2, .phase = 1.0}};

enum { LATE = 4 };                /* one step of simulate */
static size_t n_late, n_computed; /* questions whether to go on after an allocation failed; calls
                                     with more of them that were refused after all */

static bool cancelled(void *ctx)
{
    n_late += tqt_short.n >= tqt_short.first ? 1 : 0;
    return kept->cancelled(ctx);
}

static void make_world(tqt_host *host, tqa_host *ret)
{
    tqt_host_open(host);
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        if (runs[i].n == 0) {
            runs[i].n = write_run(runs[i].text, sizeof runs[i].text, runs[i].nv, runs[i].phase);
        }
        tqt_host_dataset(host, runs[i].name, "text/csv", runs[i].text, runs[i].n);
    }
    kept = &host->host;
    *ret = host->host;
    n_late = 0;
    ret->parallel_for = parallel_for;
    ret->cancelled = cancelled;
    ret->checkpoint_save = checkpoint_save;
    ret->spool_write = spool_write;
    ret->attach = attach;
}

/* ------------------------------------------------------------------------------------------------
 * One call
 */

typedef struct asked {
    const tqa_operation *operation;
    const tqa_robot *robot;
    const char *name, *body;
    tqa_media content, accept;
} asked;

typedef struct answered {
    int status;
    tqa_problem problem;
    size_t n;
    char *text; /* TEXT_MAX bytes */
} answered;

static void read_all(tqa_call *call, answered *to)
{
    for (size_t n = 1; n > 0; to->n += n) {
        n = tqa_call_read(call, to->text + to->n, TEXT_MAX - to->n);
    }
    to->problem = *tqa_call_problem(call);
    to->status = to->problem.status != 0 ? to->problem.status : 200;
}

static bool run(tqa_call *call, const tqa_host *host)
{
    const size_t size = tqa_call_scratch_size(call);
    const bool was = tqt_short_pause();
    void *scratch = aligned_alloc(64, (size + 64) / 64 * 64);
    tqt_short_resume(was);
    const bool good = tqa_call_run(call, host, scratch, size);
    free(scratch);
    return good;
}

/* Number of allocations while the k-th of them, and the many - 1 after it, failed. */
static size_t ask(const asked *a, size_t k, size_t many, answered *to)
{
    static tqt_host around;
    tqa_host host;
    make_world(&around, &host);
    const tqa_call_head head = {.content = a->content,
                                .accept = a->accept,
                                .request_id = "test",
                                .content_length = UINT64_MAX};
    to->n = 0;
    to->status = 200;
    memset(&to->problem, 0, sizeof to->problem);
    tqt_short_begin(k, many);
    tqa_call *call = tqa_call_open(a->operation, a->robot, &head, &to->problem);
    if (call == NULL) {
        to->status = to->problem.status;
    } else if (tqa_call_feed(call, a->body, strlen(a->body)) && tqa_call_finish(call) &&
               tqa_call_cost_us(call) > 0.0 && run(call, &host)) {
        read_all(call, to);
    } else {
        to->problem = *tqa_call_problem(call);
        to->status = to->problem.status;
    }
    tqa_call_close(call);
    const size_t n = tqt_short_end();
    tqt_host_close(&around);
    return n;
}

/* ------------------------------------------------------------------------------------------------
 * All allocations in turn
 */

/* Under a sanitizer the first allocation of every stack fails, in other builds every one of n. */
static bool is_skipped(size_t k, size_t n)
{
    return TQT_SANITIZED && k <= n && !tqt_short_is_first(k);
}

/* from the first allocation on, or from `last` before the last */
static void walk_last(const asked *a, size_t many, size_t last)
{
    static char texts[2][TEXT_MAX];
    answered whole = {.text = texts[0]}, now = {.text = texts[1]};
    if (TQT_SANITIZED) {
        tqt_short_record_stacks();
    }
    const size_t n = ask(a, SIZE_MAX, 1, &whole);
    cr_assert(eq(int, whole.status, 200), "%s: %s", a->name, whole.problem.detail);
    cr_assert(gt(sz, n, 0));
    size_t k = n > last ? n - last : 1;
    for (; is_skipped(k, n) || ask(a, k, many, &now) >= k; k++) {
        cr_assert(last < SIZE_MAX || k < WALK_MAX);
        if (is_skipped(k, n)) {
            continue;
        }
        if (now.status == 200) { /* the allocation was optional */
            cr_expect(now.n == whole.n && memcmp(now.text, whole.text, now.n) == 0,
                      "%s: without allocation %zu of %zu the answer is another", a->name, k, n);
        } else {
            cr_expect(eq(int, now.status, 503), "%s: without allocation %zu of %zu: %s", a->name, k,
                      n, now.problem.detail);
            n_computed += n_late > LATE ? 1 : 0;
        }
    }
    cr_expect(ge(sz, k, n), "%s: the walk ended before the call did", a->name);
    /* no leak */
    (void)ask(a, SIZE_MAX, 1, &now);
    cr_assert(eq(int, now.status, 200), "%s: %s", a->name, now.problem.detail);
}

static json_t *examples_of(json_t *root, const tqa_operation *operation)
{
    char path[128];
    (void)snprintf(path, sizeof path, operation->needs_robot ? "/v1/robots/{name}/%s" : "/v1/%s",
                   operation->name);
    json_t *body = json_object_get(json_object_get(json_object_get(root, "paths"), path), "post");
    body = json_object_get(json_object_get(body, "requestBody"), "content");
    return json_object_get(json_object_get(body, "application/json"), "examples");
}

/* core/integrate/README.md: SUNDIALS 7 ends the process if the allocation of a step's stages fails,
 * and then that of the error's text. Single failures are tested with every version. */
static bool library_survives(const tqa_operation *operation)
{
    int major = 0;
    const bool integrates =
        strcmp(operation->name, "simulate") == 0 || strcmp(operation->name, "ensemble") == 0;
    cr_assert(eq(int, sscanf(tq_ode_library_name(), "sundials %d.", &major), 1));
    static bool is_said;
    if (integrates && major >= 7 && !is_said) {
        /* not cr_log_warn, for which Criterion ends with status 1 */
        fprintf(stderr,
                "[SKIP] %s, all allocations after the first failed one: %s ends the process\n",
                operation->name, tq_ode_library_name());
        is_said = true;
    }
    return !integrates || major < 7;
}

static void walk_body(const tqa_operation *operation, const char *of, const char *name,
                      const char *body)
{
    tqa_robot *robot = operation->needs_robot ? tqt_builtin(of != NULL ? of : "panda") : NULL;
    asked a = {.operation = operation, .robot = robot, .name = name, .body = body};
    static const tqa_media forms[] = {TQA_MEDIA_JSON, TQA_MEDIA_CBOR};
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
        a.accept = forms[f];
        /* Formats differ in the writer at the end. Under a sanitizer one format is tested with
         * single failures and the other with all later allocations failing too; the untested
         * combinations concern the writers. */
        const bool is_json = a.accept == TQA_MEDIA_JSON;
        walk_last(&a, 1, TQT_SANITIZED && !is_json ? WRITER : SIZE_MAX);
        if (library_survives(operation)) {
            walk_last(&a, SIZE_MAX, TQT_SANITIZED && is_json ? WRITER : SIZE_MAX);
        }
    }
    tqa_robot_free(robot);
}

/* Used instead of the contract's examples, which take a good part of a second each, and would run
 * hundreds of times. */
static const struct {
    const char *operation, *name, *body;
} small[] = {
    {"calibrate", "feasible",
     "{\"datasets\": [\"two-run1\", \"two-run2\"], \"filter\": {\"cutoff_hz\": 8}, \"columns\": "
     "{\"time\": \"t\", \"q\": \"q\", \"tau\": \"tau\"}, \"method\": \"feasible\", \"model\": "
     "{\"kind\": \"base\", \"friction\": [\"viscous\", \"coulomb\"], \"rotor\": true}}"},
    {"calibrate", "drawn",
     "{\"datasets\": [\"two-run1\", \"two-run2\"], \"filter\": {\"cutoff_hz\": 8}, \"columns\": "
     "{\"time\": \"t\", \"q\": \"q\", \"tau\": \"tau\"}, \"covariance\": true, \"bootstrap\": 5, "
     "\"model\": {\"friction\": [\"viscous\"], \"presliding\": 0.0002, \"relaxation_s\": 2}}"},
    {"calibrate", "total",
     "{\"datasets\": [\"two-run1\"], \"filter\": {\"cutoff_hz\": 8}, \"columns\": {\"time\": "
     "\"t\", \"q\": \"q\", \"tau\": \"tau\"}, \"method\": \"tls\", \"column_noise\": 0.001}"},
    {"ensemble", "starts",
     "{\"initial\": {\"q\": [0.3, -0.4]}, \"duration_s\": 0.02, \"output\": {\"interval_s\": 0.01}, "
     "\"solver\": {\"method\": \"rk4\", \"step_s\": 0.002}, \"members\": 70, \"vary\": [{\"of\": \"q\", "
     "\"joint\": \"joint1\", \"normal\": {\"deviation\": 0.1}}, {\"of\": \"torque\", \"joint\": "
     "\"joint2\", \"uniform\": [-5, 5]}], \"quantiles\": [0.05, 0.5], \"return_members\": [0]}"},
    {"ensemble", "payloads",
     "{\"initial\": {\"q\": [0.3, -0.4]}, \"duration_s\": 0.02, \"output\": {\"interval_s\": 0.01}, "
     "\"input\": {\"kind\": \"pd-gravity\", \"reference\": {\"setpoint\": [0.3, -0.4]}, \"kp\": 40, "
     "\"kd\": 4}, \"vary\": [{\"of\": \"payload_mass\", \"link\": \"tool\", \"list\": [0, 1]}, "
     "{\"of\": \"viscous_factor\", \"joint\": \"joint1\", \"list\": [1, 2]}], \"end_states\": true}"},
    {"ensemble", "gains",
     "{\"initial\": {\"q\": [0.3, -0.4]}, \"duration_s\": 0.02, \"output\": {\"interval_s\": 0.01}, "
     "\"input\": {\"kind\": \"pd\", \"reference\": {\"setpoint\": [0.3, -0.4]}, \"kp\": 40, \"kd\": 4}, "
     "\"disturbance\": [{\"kind\": \"noise\", \"torque\": [1, 2], \"interval_s\": 0.005, \"seed\": 1}], "
     "\"events\": [{\"on\": \"q\", \"joint\": \"joint1\", \"level\": 0.2999, \"action\": \"stop\"}], "
     "\"vary\": [{\"of\": \"kp_factor\", \"list\": [1, 4]}], \"end_states\": true}"},
    {"excitation", "plain",
     "{\"parameters\": [\"viscous\"], \"frequency_hz\": 0.1, \"harmonics\": 2, \"tries\": 2}"},
    {"excitation", "options",
     "{\"harmonics\": 2, \"tries\": 4, \"identify\": \"payload\", \"task\": [{\"waypoints\": [[0, 0], "
     "[1, 1]], \"duration_s\": 1}], \"shapes\": [{\"shape\": \"sphere\", \"size\": [0.1]}, "
     "{\"link\": \"tool\", \"shape\": \"sphere\", \"size\": [0.1]}]}"},
    {"static-poses", "gravity", "{\"poses\": 3, \"candidates\": 10, \"parameters\": [\"offset\"]}"},
};

static size_t walk_small(const tqa_operation *operation)
{
    size_t n = 0;
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {
        if (strcmp(operation->name, small[i].operation) == 0) {
            walk_body(operation, "planar-2r", small[i].name, small[i].body);
            n++;
        }
    }
    return n;
}

static void walk_examples(const tqa_operation *operation)
{
    size_t n = 0;
    const char *text = tqa_openapi_json(&n);
    json_t *root = json_loadb(text, n, 0, NULL);
    json_t *examples = examples_of(root, operation);
    cr_assert(gt(sz, json_object_size(examples), 0));
    const char *name;
    json_t *example;
    json_object_foreach(examples, name, example)
    {
        char *body = json_dumps(json_object_get(example, "value"), 0);
        walk_body(operation, json_string_value(json_object_get(example, "x-robot")), name, body);
        free(body);
    }
    json_decref(root);
}

ParameterizedTestParameters(short_memory, every_allocation_of_every_operation)
{
    static int rows[64];
    size_t n = 0;
    while (tqa_operations[n].name != NULL) {
        rows[n] = (int)n;
        n++;
    }
    return cr_make_param_array(int, rows, n);
}

ParameterizedTest(int *row, short_memory, every_allocation_of_every_operation)
{
    cr_assert(eq(ptr, (void *)tqa_start(0), NULL));
    if (walk_small(&tqa_operations[*row]) == 0) {
        walk_examples(&tqa_operations[*row]);
    }
}

/* A cubic table with so many points that its second derivatives (24 KB) need a separate allocation.
 */
static char *long_table(const char *begin, const char *values, const char *end)
{
    enum { POINTS = 3000 };
    const size_t size = POINTS * 16 + 1024;
    char *text = malloc(size);
    size_t n = (size_t)snprintf(text, size, "%s\"t\":[0", begin);
    for (int k = 1; k < POINTS; k++) {
        n += (size_t)snprintf(text + n, size - n, ",%d", k);
    }
    n += (size_t)snprintf(text + n, size - n, "],\"%s\":[[0]", values);
    for (int k = 1; k < POINTS; k++) {
        n += (size_t)snprintf(text + n, size - n, ",[%d]", k % 7);
    }
    (void)snprintf(text + n, size - n, "],\"interpolation\":\"cubic\"%s", end);
    return text;
}

#define A_STEP                                                                                     \
    "{\"initial\":{\"q\":[0]},\"duration_s\":0.001,\"output\":{\"interval_s\":0.001},"             \
    "\"solver\":{\"method\":\"rk4\",\"step_s\":0.001},"

Test(short_memory, every_allocation_of_long_tables)
{
    static const char rig[] =
        "{\"gravity\":[0,0,-9.81],\"links\":[{\"name\":\"base\"},{\"name\":\"bar\",\"mass\":1,"
        "\"com\":[0,0,0],\"inertia_about\":\"com\",\"inertia\":[[0.05,0,0],[0,0.05,0],[0,0,0.05]]}"
        "],\"joints\":[{\"name\":\"j\",\"kind\":\"continuous\",\"parent\":\"base\",\"child\":\"bar\","
        "\"axis\":[0,0,1],\"drive\":{\"gear\":{\"ratio\":100},\"motor\":{\"constant_nm_a\":0.05,"
        "\"resistance\":0.6,\"inertia\":1e-4}}}]}";
    static const char *const tables[][3] = {
        {A_STEP "\"input\":{\"kind\":\"torque\",", "tau", "}}"},
        {A_STEP "\"disturbance\":[{\"kind\":\"table\",", "torque", "}]}"},
        {A_STEP "\"drives\":{\"command\":\"voltage\",", "values", "}}"},
    };
    cr_assert(eq(ptr, (void *)tqa_start(0), NULL));
    tqa_problem problem = {0};
    tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_JSON, rig, sizeof rig - 1, &problem);
    cr_assert(robot != NULL, "%s", problem.detail);
    size_t o = 0;
    while (strcmp(tqa_operations[o].name, "simulate") != 0) {
        o++;
    }
    for (size_t k = 0; k < sizeof tables / sizeof tables[0]; k++) {
        char *body = long_table(tables[k][0], tables[k][1], tables[k][2]);
        const asked a = {.operation = &tqa_operations[o],
                         .robot = robot,
                         .name = tables[k][1],
                         .body = body,
                         .accept = TQA_MEDIA_JSON};
        walk_last(&a, 1, 100); /* earlier allocations are for the request's text */
        free(body);
    }
    tqa_robot_free(robot);
}

enum { JOINTS = 640 };

/* A chain of so many joints that arrays of joints (20 KB and more) need separate allocations. */
static tqa_robot *long_chain(tqa_problem *problem)
{
    const size_t size = JOINTS * 256 + 1024;
    char *text = malloc(size);
    size_t n =
        (size_t)snprintf(text, size, "{\"gravity\":[0,0,-9.81],\"links\":[{\"name\":\"l0\"}");
    for (int k = 1; k <= JOINTS; k++) {
        n += (size_t)snprintf(text + n, size - n,
                              ",{\"name\":\"l%d\",\"mass\":1,\"com\":[0,0,0],\"inertia_about\":"
                              "\"com\",\"inertia\":[[1,0,0],[0,1,0],[0,0,1]]}",
                              k);
    }
    n += (size_t)snprintf(text + n, size - n, "],\"joints\":[");
    for (int k = 1; k <= JOINTS; k++) {
        n += (size_t)snprintf(
            text + n, size - n,
            "%s{\"name\":\"j%d\",\"kind\":\"continuous\",\"limits\":{\"velocity\":9},\"parent\":\"l%d\","
            "\"child\":\"l%d\",\"axis\":[0,0,1]}",
            k > 1 ? "," : "", k, k - 1, k);
    }
    n += (size_t)snprintf(text + n, size - n, "]}");
    tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_JSON, text, n, problem);
    free(text);
    return robot;
}

Test(short_memory, every_allocation_of_a_simulated_long_chain)
{
    cr_assert(eq(ptr, (void *)tqa_start(0), NULL));
    tqa_problem problem = {0};
    tqa_robot *robot = long_chain(&problem);
    cr_assert(robot != NULL, "%s", problem.detail);
    size_t o = 0;
    while (strcmp(tqa_operations[o].name, "simulate") != 0) {
        o++;
    }
    char body[2 * JOINTS + 256];
    size_t n = (size_t)snprintf(body, sizeof body, "{\"initial\":{\"q\":[0");
    for (int k = 1; k < JOINTS; k++) {
        n += (size_t)snprintf(body + n, sizeof body - n, ",0");
    }
    (void)snprintf(body + n, sizeof body - n,
                   "]},\"duration_s\":0.006,\"output\":{\"interval_s\":0.001},"
                   "\"solver\":{\"method\":\"rk4\",\"step_s\":0.001}}");
    const asked a = {.operation = &tqa_operations[o],
                     .robot = robot,
                     .name = "long chain",
                     .body = body,
                     .accept = TQA_MEDIA_JSON};
    n_computed = 0;
    walk_last(&a, 1, 300);
    /* what is refused for its arrays is not computed before: all but the answer's first text */
    cr_expect(le(sz, n_computed, 1));
    tqa_robot_free(robot);
}
