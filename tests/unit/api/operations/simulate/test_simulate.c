/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/simulate/test_simulate.c - simulate by api/operation.h: results,
 * refusals, resumed runs. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <jansson.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/host.h"
#include "tests/support/one_call.h"
#include "tests/support/sanitized.h"

/* a host that stores checkpoints and can cancel */
typedef struct keeper {
    unsigned char *bytes;
    size_t n, saves;
    double fraction;
    size_t asked, stop_after; /* calls of `cancelled`; the call that returns true, 0: never */
    bool is_due;              /* checkpoint_due always returns true */
} keeper;

static int save(void *ctx, const void *bytes, size_t n)
{
    keeper *k = ctx;
    k->bytes = realloc(k->bytes, n);
    memcpy(k->bytes, bytes, n);
    k->n = n;
    k->saves++;
    return 0;
}

static size_t load(void *ctx, void *bytes, size_t size)
{
    const keeper *k = ctx;
    if (k->n == 0 || k->n > size) {
        return 0;
    }
    memcpy(bytes, k->bytes, k->n);
    return k->n;
}

static void progress(void *ctx, double fraction, const char *what)
{
    keeper *k = ctx;
    cr_assert(ge(dbl, fraction, k->fraction), "progress never goes back");
    cr_assert(eq(int, strncmp(what, "simulate", 8), 0));
    k->fraction = fraction;
}

static bool cancelled(void *ctx)
{
    keeper *k = ctx;
    return ++k->asked == k->stop_after;
}

static bool due(void *ctx)
{
    return ((const keeper *)ctx)->is_due;
}

static tqa_host world_of(keeper *k)
{
    return (tqa_host){.ctx = k,
                      .progress = progress,
                      .cancelled = cancelled,
                      .checkpoint_save = save,
                      .checkpoint_load = load,
                      .checkpoint_due = due};
}

static tqt_answer ask(const char *robot, const char *body, const tqa_host *host)
{
    tqa_robot *of = tqt_builtin(robot);
    const tqt_answer answer =
        tqt_call(of, body, strlen(body), (tqt_call_options){.operation = "simulate", .host = host});
    tqa_robot_free(of);
    return answer;
}

static double number(const json_t *root, const char *key, size_t row, size_t column)
{
    return json_real_value(json_array_get(json_array_get(json_object_get(root, key), row), column));
}

Test(simulate, torque_that_holds_keeps_the_arm_at_rest)
{
    /* gravity torque of the horizontal planar arm in closed form: item 45 at q = 0 */
    const double g = 9.81, tau1 = (2.0 / 2 + 1.5) * g * .8 + 1.5 * g * .6 / 2,
                 tau2 = 1.5 * g * .6 / 2;
    char body[512];
    snprintf(
        body, sizeof body,
        "{\"initial\":{\"q\":[0,0]},\"duration_s\":0.2,\"output\":{\"interval_s\":0.1},\"solver\":{\"method\":\"rk4\"},"
        "\"input\":{\"kind\":\"torque\",\"t\":[0,1],\"tau\":[[%.17g,%.17g],[%.17g,%.17g]]},\"include\":[\"qdd\"]}",
        tau1, tau2, tau1, tau2);
    tqt_answer answer = ask("planar-2r", body, NULL);
    cr_assert(eq(int, answer.status, 200), "%s", answer.problem.detail);
    json_t *root = json_loads(answer.text, 0, NULL);
    cr_assert(eq(sz, json_array_size(json_object_get(root, "t")), 3));
    for (size_t k = 0; k < 3; k++) {
        cr_assert(epsilon_eq(dbl, number(root, "q", k, 0), 0.0, 1e-10),
                  "an unstable rest, 0.2 s long");
        cr_assert(epsilon_eq(dbl, number(root, "qdd", k, 0), 0.0, 1e-10));
        cr_assert(epsilon_eq(dbl, number(root, "tau", k, 1), tau2, 1e-12));
    }
    const json_t *stats = json_object_get(root, "stats");
    cr_assert(eq(int, (int)json_integer_value(json_object_get(stats, "steps")), 200));
    const json_t *verdict = json_object_get(root, "verdict");
    cr_assert(eq(str, (char *)(uintptr_t)json_string_value(json_object_get(verdict, "outcome")),
                 "completed"));
    json_decref(root);
    tqt_answer_clear(&answer);
}

/* One second without an output: saved whenever a checkpoint is due, also between outputs; the bits
 * are those of a run without checkpoints. */
Test(simulate, a_run_is_saved_by_the_clock_within_a_second_and_has_the_same_bits)
{
    static const char *const methods[] = {"dopri87", "dopri45", "sdirk",
                                          "bdf",     "rk4",     "implicit-midpoint"};
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        char body[512];
        snprintf(body, sizeof body,
                 "{\"initial\":{\"q\":[1.6,0.4]},\"duration_s\":1,\"output\":{\"interval_s\":1},"
                 "\"events\":[{\"on\":\"q\",\"joint\":\"joint2\",\"level\":0.41,"
                 "\"direction\":\"down\"}],\"solver\":{\"method\":\"%s\",%s}}",
                 methods[m], m < 4 ? "\"max_step_s\":2e-4" : "\"step_s\":2e-4");
        keeper never = {0}, whole = {.is_due = true}, broken = {.is_due = true, .stop_after = 12};
        const tqa_host plain = world_of(&never), straight = world_of(&whole),
                       cut = world_of(&broken);
        tqt_answer without = ask("planar-2r", body, &plain);
        cr_assert(eq(int, without.status, 200), "%s", without.problem.detail);
        cr_assert(eq(sz, never.saves, 0), "%s", methods[m]);
        tqt_answer want = ask("planar-2r", body, &straight);
        cr_assert(eq(int, want.status, 200));
        cr_assert(gt(sz, whole.saves, 2), "%s: %zu", methods[m], whole.saves);
        cr_assert(eq(str, want.text, without.text), "%s", methods[m]);
        tqt_answer stopped = ask("planar-2r", body, &cut);
        cr_assert(eq(int, stopped.status, 503), "cancelled");
        cr_assert(gt(sz, broken.saves, 0), "%s", methods[m]);
        broken.stop_after = 0, broken.fraction = 0, broken.asked = 0;
        tqt_answer got = ask("planar-2r", body, &cut);
        cr_assert(eq(int, got.status, 200));
        cr_assert(lt(sz, broken.asked, never.asked), "%s went on", methods[m]);
        cr_assert(eq(str, got.text, want.text), "%s", methods[m]);
        free(whole.bytes);
        free(broken.bytes);
        tqt_answer_clear(&without);
        tqt_answer_clear(&want);
        tqt_answer_clear(&stopped);
        tqt_answer_clear(&got);
    }
}

/* so few steps that the run itself does not poll for cancellation */
Test(simulate, growth_of_errors_is_not_computed_after_cancellation)
{
    static const char body[] = "{\"initial\":{\"q\":[0.3,-0.2]},\"duration_s\":1,"
                               "\"output\":{\"interval_s\":0.5}}";
    keeper whole = {0}, broken = {.stop_after = 1};
    const tqa_host straight = world_of(&whole), cut = world_of(&broken);
    tqt_answer want = ask("planar-2r", body, &straight);
    cr_assert(eq(int, want.status, 200), "%s", want.problem.detail);
    cr_assert(gt(sz, whole.asked, 0));
    tqt_answer stopped = ask("planar-2r", body, &cut);
    cr_assert(eq(int, stopped.status, 503), "cancelled");
    cr_assert(eq(sz, broken.asked, 1));
    tqt_answer_clear(&want);
    tqt_answer_clear(&stopped);
}

Test(simulate, a_stopped_run_goes_on_to_the_same_bits)
{
    char body[512];
    snprintf(body, sizeof body,
             "{\"initial\":{\"q\":[0.3,-0.2]},\"duration_s\":%d,\"output\":{\"interval_s\":0.5},"
             "\"solver\":{\"step_s\":5e-5},\"input\":{\"kind\":\"torque\",\"t\":[0,10,40],"
             "\"tau\":[[1,0],[-1,0.5],[0,0]],\"interpolation\":\"cubic\"}}",
             TQT_SANITIZED ? 28 : 40);
    keeper whole = {0}, broken = {.stop_after = 1500};
    const tqa_host straight = world_of(&whole), cut = world_of(&broken);
    tqt_answer want = ask("planar-2r", body, &straight);
    cr_assert(eq(int, want.status, 200), "%s", want.problem.detail);
    cr_assert(gt(sz, whole.saves, 1));
    tqt_answer stopped = ask("planar-2r", body, &cut);
    cr_assert(eq(int, stopped.status, 503), "cancelled");
    cr_assert(gt(sz, broken.saves, 0));
    broken.stop_after = 0, broken.fraction = 0, broken.asked = 0;
    tqt_answer got = ask("planar-2r", body, &cut);
    cr_assert(eq(int, got.status, 200));
    cr_assert(lt(sz, broken.asked, whole.asked), "it went on, and did not start again: %zu",
              broken.asked);
    cr_assert(eq(str, got.text, want.text));
    free(whole.bytes);
    free(broken.bytes);
    tqt_answer_clear(&want);
    tqt_answer_clear(&got);
}

Test(simulate, divergence_is_an_answer)
{
    tqt_answer answer = ask(
        "planar-2r",
        "{\"initial\":{\"q\":[0,0],\"qd\":[0,0]},\"duration_s\":10,\"output\":{\"interval_s\":0.01},"
        "\"input\":{\"kind\":\"torque\",\"t\":[0,10],\"tau\":[[1e9,0],[1e9,0]]}}",
        NULL);
    cr_assert(eq(int, answer.status, 200), "%s", answer.problem.detail);
    json_t *root = json_loads(answer.text, 0, NULL);
    const json_t *verdict = json_object_get(root, "verdict");
    cr_assert(eq(str, (char *)(uintptr_t)json_string_value(json_object_get(verdict, "outcome")),
                 "diverged"));
    cr_assert(ge(sz, json_array_size(json_object_get(root, "t")), 1));
    cr_assert(ne(ptr, json_object_get(verdict, "reason"), NULL));
    json_decref(root);
    tqt_answer_clear(&answer);
}

Test(simulate, events_are_reported_with_their_times_and_can_end_a_run)
{
    tqt_answer answer =
        ask("planar-2r",
            "{\"initial\":{\"q\":[0.5,0]},\"duration_s\":10,\"output\":{\"interval_s\":1},"
            "\"events\":[{\"on\":\"kinetic_energy\",\"level\":1},"
            "{\"on\":\"q\",\"joint\":\"joint1\",\"level\":-0.1,\"action\":\"stop\"}]}",
            NULL);
    cr_assert(eq(int, answer.status, 200), "%s", answer.problem.detail);
    json_t *root = json_loads(answer.text, 0, NULL);
    const json_t *verdict = json_object_get(root, "verdict");
    cr_assert(eq(str, (char *)(uintptr_t)json_string_value(json_object_get(verdict, "outcome")),
                 "stopped"));
    const json_t *events = json_object_get(root, "events");
    const size_t n = json_array_size(events);
    cr_assert(ge(sz, n, 2));
    const json_t *last = json_array_get(events, n - 1);
    const double t = json_real_value(json_object_get(last, "t"));
    cr_assert(eq(dbl, t, json_real_value(json_object_get(verdict, "t"))));
    cr_assert(eq(int, (int)json_integer_value(json_object_get(last, "event")), 1));
    const size_t rows = json_array_size(json_object_get(root, "t"));
    cr_assert(epsilon_eq(dbl, number(root, "q", rows - 1, 0), -0.1, 1e-9), "the last row is there");
    json_decref(root);
    tqt_answer_clear(&answer);
}

Test(simulate, refusals_name_their_place)
{
    const struct {
        const char *body, *pointer;
        int status;
    } rows[] = {
        {"{\"duration_s\":1,\"output\":{\"interval_s\":0.1}}", "/initial", 422},
        {"{\"initial\":{\"q\":[0]},\"duration_s\":1,\"output\":{\"interval_s\":0.1}}", "/initial/q",
         422},
        {"{\"initial\":{\"q\":[0,0]},\"duration_s\":-1,\"output\":{\"interval_s\":0.1}}",
         "/duration_s", 422},
        {"{\"initial\":{\"q\":[0,0]},\"duration_s\":1000,\"output\":{\"interval_s\":1e-6}}",
         "/output/interval_s", 422},
        {"{\"initial\":{\"q\":[0,0]},\"duration_s\":1,\"output\":{\"interval_s\":2}}",
         "/output/interval_s", 422},
        {"{\"initial\":{\"q\":[0,0]},\"duration_s\":1,\"output\":{\"times_s\":[0.1,0.1]}}",
         "/output/times_s/1", 422},
        {"{\"initial\":{\"q\":[0,0]},\"duration_s\":1,\"output\":{\"times_s\":[0,2]}}",
         "/output/times_s/1", 422},
        {"{\"initial\":{\"q\":[0,0]},\"duration_s\":1,\"output\":{\"interval_s\":0.1},\"solver\":{\"step_s\":1e-12}}",
         "/solver", 422},
        {"{\"initial\":{\"q\":[0,0]},\"duration_s\":1,\"output\":{\"interval_s\":0.1},\"input\":{\"kind\":\"torque\",\"t\":[0,0],\"tau\":[[0,0],[0,0]]}}",
         "/input/t/1", 422},
        {"{\"initial\":{\"q\":[0,0]},\"duration_s\":1,\"output\":{\"interval_s\":0.1},\"input\":{\"kind\":\"torque\",\"t\":[0,1],\"tau\":[[0,0]]}}",
         "/input/tau", 422},
        {"{\"initial\":{\"q\":[0,0]},\"duration_s\":1,\"output\":{\"interval_s\":0.1},\"input\":{\"kind\":\"magic\"}}",
         "/input/kind", 422},
        {"{\"initial\":{\"q\":[0,0]},\"duration_s\":1e6,\"output\":{\"interval_s\":1e-3}}",
         "/output/interval_s", 422},
        {"{\"initial\":{\"q\":[0,0]},\"duration_s\":1,\"output\":{\"interval_s\":0.1},\"events\":[{\"on\":\"q\"}]}",
         "/events/0/joint", 422},
        {"{\"initial\":{\"q\":[0,0]},\"duration_s\":1,\"output\":{\"interval_s\":0.1},\"events\":[{\"on\":\"q\",\"joint\":\"nobody\"}]}",
         "/events/0/joint", 422},
        {"{\"initial\":{\"q\":[0,0]},\"duration_s\":1,\"output\":{\"interval_s\":0.1},\"events\":[{\"on\":\"energy\",\"action\":\"bounce\"}]}",
         "/events/0", 422},
        {"{\"initial\":{\"q\":[0,0]},\"duration_s\":1,\"output\":{\"interval_s\":0.1},\"events\":[{\"on\":\"limits\",\"action\":\"bounce\",\"restitution\":2}]}",
         "/events/0/restitution", 422},
        {"{\"initial\":{\"q\":[0,0]},\"duration_s\":1,\"output\":{\"interval_s\":0.1},\"solver\":{\"method\":\"bdf\",\"step_s\":1e-3}}",
         "/solver/step_s", 422},
        {"{\"initial\":{\"q\":[0,0]},\"duration_s\":1,\"output\":{\"interval_s\":0.1},\"solver\":{\"rtol\":1e-20}}",
         "/solver/rtol", 422},
        {"{\"initial\":{\"q\":[0,0]},\"duration_s\":1,\"output\":{\"interval_s\":0.1},\"speed\":1}",
         "/speed", 400},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        tqt_answer answer = ask("planar-2r", rows[k].body, NULL);
        cr_assert(eq(int, answer.status, rows[k].status), "%s: %s", rows[k].body,
                  answer.problem.detail);
        cr_assert(eq(str, answer.problem.faults[0].pointer, (char *)(uintptr_t)rows[k].pointer),
                  "%s", rows[k].body);
        tqt_answer_clear(&answer);
    }
}

/* the grid of saves then lies beyond the end; formerly its spacing overflowed an integer */
Test(simulate, a_step_far_longer_than_the_run, .timeout = 100)
{
    tqt_answer answer =
        ask("pendulum",
            "{\"initial\":{\"q\":[0.1]},\"duration_s\":0.05,\"output\":{\"interval_s\":0.0125},"
            "\"solver\":{\"method\":\"rk4\",\"step_s\":1e16}}",
            NULL);
    cr_assert(eq(int, answer.status, 200), "%s", answer.problem.detail);
    json_t *root = json_loads(answer.text, 0, NULL);
    cr_expect(eq(sz, json_array_size(json_object_get(root, "t")), 5));
    json_decref(root);
    free(answer.text);
}

/* every kind of disturbance, read and released: the heap does not grow. (Sanitizers have their own
 * heap and detect leaks themselves.) */
Test(simulate, a_request_leaves_no_memory_allocated)
{
    static const char body[] =
        "{\"initial\":{\"q\":[0.3,-0.2]},\"duration_s\":0.01,\"output\":{\"interval_s\":0.01},"
        "\"disturbance\":[{\"kind\":\"noise\",\"torque\":[1,1],\"interval_s\":0.01,"
        "\"seed\":1},{\"kind\":\"sine\",\"torque\":[1,1],\"frequency_hz\":1}],"
        "\"external_wrenches\":[{\"link\":\"tool\",\"t\":[0,1],\"force\":[[0,0,0],[1,0,0]],"
        "\"moment\":[[0,0,0],[0,0,0]],\"at\":\"origin\",\"applied_to\":\"robot\","
        "\"expressed_in\":\"world\",\"interpolation\":\"linear\"}]}";
#ifdef TQD_SANITIZED
    const int n_call = 80;
#else
    const int n_call = 3000;
#endif
    size_t before = 0, after = 0;
    for (int k = 0; k < n_call; k++) { /* the first calls fill caches of the allocator and of api */
        tqt_answer answer = ask("planar-2r", body, NULL);
        cr_assert(eq(int, answer.status, 200), "%s", answer.problem.detail);
        tqt_answer_clear(&answer);
        after = mallinfo2().uordblks;
        before = k == n_call - 1001 ? after : before;
    }
    /* 1,000 calls: a leak would be at least 32 bytes in each; caches grow by 1 KB */
    cr_expect(n_call < 1000 || after < before + 1000 * 16, "%zu bytes are left", after - before);
}

/* Rows that do not fit the disk: the run ends at the first, and writes none beyond its buffer. */
Test(simulate, a_full_disk_ends_the_run)
{
    static tqt_host disk;
    tqt_host_open(&disk);
    disk.spool_max = 300 << 10;
    tqt_answer answer =
        ask("planar-2r",
            "{\"initial\":{\"q\":[0.3,-0.4]},\"duration_s\":20,\"output\":{\"interval_s\":0.001},"
            "\"solver\":{\"method\":\"semi-implicit-euler\",\"step_s\":0.001}}",
            &disk.host);
    cr_assert(eq(int, answer.status, 503));
    cr_assert(eq(str, answer.problem.detail, "there is no room for the result now"));
    cr_assert(gt(sz, disk.spool.n, 0), "some rows fit");
    cr_assert(eq(sz, disk.n_spool_failed, 1), "no second try");
    tqt_answer_clear(&answer);
    tqt_host_close(&disk);
}
