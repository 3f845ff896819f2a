/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/ensemble/test_ensemble.c - ensembles by api/operation.h: members are
 * simulations; draws, statistics, refusals, resumed runs. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/ask.h"
#include "tests/support/sanitized.h"

#define START "'initial':{'q':[0.3,-0.4],'qd':[0.5,0]},'duration_s':0.4,'output':{'interval_s':0.1}"
#define RK4   ",'solver':{'method':'rk4','step_s':0.002}"
#define DRAWN                                                                                      \
    ",'members':100,'seed':3,'vary':[{'of':'q','joint':'joint1','normal':{'deviation':0.2}},"      \
    "{'of':'torque','joint':'joint2','uniform':[-1,2]}]"

static void same(json_t *a, const char *at, json_t *b, const char *other)
{
    char *x = json_dumps(tqt_at(a, at), JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);
    char *y = json_dumps(tqt_at(b, other), JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);
    cr_expect(strcmp(x, y) == 0, "%s: %s\n%s", at, x, y);
    free(x);
    free(y);
}

/* a member has the bits of the simulation with its parameters */
Test(ensemble, members_are_simulations)
{
    json_t *e = tqt_ask("planar-2r", "ensemble", "{" START RK4 DRAWN ",'return_members':[0,57]}");
    char body[512];
    (void)snprintf(
        body, sizeof body,
        "{'initial':{'q':[%.17g,-0.4],'qd':[0.5,0]},'duration_s':0.4,'output':{'interval_s':"
        "0.1},'input':{'kind':'torque','t':[0,1],'tau':[[0,%.17g],[0,%.17g]]}" RK4 "}",
        0.3 + tqt_number(e, "returned_members.1.values.0"),
        tqt_number(e, "returned_members.1.values.1"), tqt_number(e, "returned_members.1.values.1"));
    json_t *s = tqt_ask("planar-2r", "simulate", body);
    same(e, "returned_members.1.q", s, "q");
    same(e, "returned_members.1.qd", s, "qd");
    cr_expect(tqt_number(e, "returned_members.1.member") == 57.0);
    json_decref(s);
    /* and the same bits in an ensemble of one member */
    json_t *only =
        tqt_ask("planar-2r", "ensemble", "{" START RK4 DRAWN ",'only':[57],'return_members':[0]}");
    same(only, "returned_members.0", e, "returned_members.1");
    same(only, "t", e, "t");
    json_decref(only);
    json_decref(e);
}

/* parameters: an arm with another mass, friction and payload, as changes to a robot document */
Test(ensemble, members_of_other_mass_are_simulations_with_a_payload)
{
    json_t *e = tqt_ask("planar-2r", "ensemble",
                        "{" START RK4 ",'vary':[{'of':'payload_mass','link':'link2','at':[0.5,0,0],"
                        "'list':[0,1.5]}],'return_members':[0,1]}");
    json_t *plain = tqt_ask("planar-2r", "simulate", "{" START RK4 "}");
    json_t *loaded = tqt_ask("planar-2r", "simulate",
                             "{" START RK4 ",'payload':{'link':'link2','mass':1.5,'com':[0.5,0,0],"
                             "'inertia':[[0,0,0],[0,0,0],[0,0,0]]}}");
    same(e, "returned_members.0.q", plain, "q");
    same(e, "returned_members.1.q", loaded, "q");
    const json_t *aside = tqt_at(e, "stats.side_by_side");
    cr_expect(aside->type == JSON_TRUE);
    json_decref(e);
    json_decref(plain);
    json_decref(loaded);
}

/* a joint behind a floating one: its coordinate, its rate and its number are all different */
Test(ensemble, members_vary_joints_behind_a_floating_base)
{
#define BODY                                                                                       \
    "'mass':1,'com':[0.1,0,0],'inertia_about':'com','inertia':[[0.1,0,0],[0,0.1,0],[0,0,0.1]]"
    static const char rover[] =
        "{'gravity':[0,0,0],'links':[{'name':'space'},{'name':'body'," BODY "},{'name':'arm'," BODY
        "}],'joints':[{'name':'free','kind':'floating','parent':'space','child':'body'},"
        "{'name':'hinge','kind':'continuous','parent':'body','child':'arm','axis':[0,1,0],"
        "'spring':{'stiffness':3}}]}";
    static const char end[] = "'duration_s':0.4,'output':{'interval_s':0.1}" RK4;
    char body[512];
    (void)snprintf(
        body, sizeof body,
        "{'initial':{'q':[0,0,0,1,0,0,0,0.2],'qd':[0,0,0,0,0,0,0.1]},%s,'vary':[{'of':'q'"
        ",'joint':'hinge','list':[0,0.5]},{'of':'qd','joint':'hinge','list':[0,0.7]}],"
        "'return_members':[3]}",
        end);
    json_t *e = tqt_ask(rover, "ensemble", body);
    (void)snprintf(body, sizeof body,
                   "{'initial':{'q':[0,0,0,1,0,0,0,%.17g],'qd':[0,0,0,0,0,0,%.17g]},%s}", 0.2 + 0.5,
                   0.1 + 0.7, end);
    json_t *s = tqt_ask(rover, "simulate", body);
    same(e, "returned_members.0.q", s, "q");
    same(e, "returned_members.0.qd", s, "qd");
    json_decref(e);
    json_decref(s);
}

Test(ensemble, adaptive_members_agree_with_small_steps)
{
    json_t *a = tqt_ask("planar-2r", "ensemble",
                        "{" START DRAWN
                        ",'solver':{'method':'dopri87','rtol':1e-10},'return_members':[7]}");
    json_t *b = tqt_ask("planar-2r", "ensemble", "{" START RK4 DRAWN ",'return_members':[7]}");
    double x[10], y[10];
    tqt_numbers(a, "returned_members.0.q", x, 10);
    tqt_numbers(b, "returned_members.0.q", y, 10);
    for (size_t k = 0; k < 10; k++) {
        /* RK4 at 2 ms: 200 steps of some (0.002 * 10)^5/100 */
        cr_expect(fabs(x[k] - y[k]) < 1e-8, "%zu: %.12g %.12g", k, x[k], y[k]);
    }
    json_decref(a);
    json_decref(b);
}

Test(ensemble, lists_and_grids_make_a_product)
{
    json_t *e = tqt_ask("planar-2r", "ensemble",
                        "{" START RK4 ",'vary':[{'of':'q','joint':'joint1','list':[0,0.5,2]},"
                        "{'of':'qd','joint':'joint2','grid':{'from':-1,'to':1,'count':5}},"
                        "{'of':'q','joint':'joint2','uniform':[0,0.1]}],'members':4,"
                        "'end_states':true}");
    cr_expect(tqt_number(e, "members") == 60.0);
    double values[180];
    tqt_numbers(e, "end_states.values", values, 180);
    const double list[3] = {0.0, 0.5, 2.0}, grid[5] = {-1.0, -0.5, 0.0, 0.5, 1.0};
    for (size_t m = 0; m < 60; m++) {
        cr_expect(values[3 * m] == list[m / 4 % 3]);
        cr_expect(fabs(values[3 * m + 1] - grid[m / 12]) < 1e-15);
        cr_expect(values[3 * m + 2] >= 0.0 && values[3 * m + 2] < 0.1);
    }
    json_decref(e);
}

/* at the start the statistics are those of the distributions drawn from */
Test(ensemble, statistics_and_quantiles)
{
    json_t *e = tqt_ask("planar-2r", "ensemble",
                        "{'initial':{'q':[1,0]},'duration_s':0.01,'output':{'interval_s':0.01}" RK4
                        ",'members':20000,'seed':11,'quantiles':[0,0.1,0.5,1],'vary':["
                        "{'of':'q','joint':'joint1','normal':{'mean':0.5,'deviation':0.2}},"
                        "{'of':'q','joint':'joint2','uniform':[2,4]}]}");
    /* standard errors: 0.2/sqrt(20000) = 0.0014; 0.577/141 = 0.0041; five of them */
    cr_expect(fabs(tqt_number(e, "q.mean.0.0") - 1.5) < 0.007);
    cr_expect(fabs(tqt_number(e, "q.deviation.0.0") - 0.2) < 0.005);
    cr_expect(fabs(tqt_number(e, "q.mean.0.1") - 3.0) < 0.02);
    cr_expect(fabs(tqt_number(e, "q.deviation.0.1") - 1.0 / sqrt(3.0)) < 0.01);
    cr_expect(fabs(tqt_number(e, "q.quantiles.1.0.1") - 2.2) < 0.02);
    cr_expect(fabs(tqt_number(e, "q.quantiles.2.0.0") - 1.5) < 0.01);
    cr_expect(tqt_number(e, "q.quantiles.0.0.1") == tqt_number(e, "q.least.0.1"));
    cr_expect(tqt_number(e, "q.quantiles.3.0.1") == tqt_number(e, "q.largest.0.1"));
    cr_expect(tqt_number(e, "alive.1") == 20000.0);
    json_decref(e);
    /* known numbers: 0 1 2 3 have the quartile 0.75 and the deviation sqrt(5/3) */
    json_t *k =
        tqt_ask("planar-2r", "ensemble",
                "{'initial':{'q':[0,0]},'duration_s':0.01,'output':{'interval_s':0.01}" RK4
                ",'quantiles':[0.25],'vary':[{'of':'q','joint':'joint1','list':[3,0,2,1]}]}");
    cr_expect(tqt_number(k, "q.quantiles.0.0.0") == 0.75);
    cr_expect(fabs(tqt_number(k, "q.deviation.0.0") - sqrt(5.0 / 3.0)) < 1e-15);
    json_decref(k);
}

static json_t *run_with_noise(const char *seed, const char *vary)
{
    char body[512];
    (void)snprintf(body, sizeof body,
                   "{" START RK4
                   ",'disturbance':[{'kind':'noise','torque':[1,0.5],'interval_s':0.02,"
                   "'seed':%s}],'vary':[%s,'return_members':[0,1]}",
                   seed, vary);
    return tqt_ask("planar-2r", "ensemble", body);
}

/* up to the largest integer that a double distinguishes from its neighbours */
Test(ensemble, seeds_of_noise_are_whole_numbers)
{
    json_t *plain = run_with_noise("9007199254740992", "{'of':'q','joint':'joint1','list':[0,0]}]");
    json_t *listed = run_with_noise("7", "{'of':'noise_seed','list':[7,9007199254740992]}]");
    json_t *drawn =
        run_with_noise("7", "{'of':'q','joint':'joint1','list':[0,0]},{'of':"
                            "'noise_seed','normal':{'mean':1e200,'deviation':1}}],'members':1");
    cr_expect(eq(dbl, tqt_number(drawn, "returned_members.1.values.1"), 0x1p53));
    cr_expect(ne(dbl, tqt_number(listed, "returned_members.0.q.4.0"),
                 tqt_number(listed, "returned_members.1.q.4.0")));
    same(listed, "returned_members.1.q", plain, "returned_members.1.q");
    same(drawn, "returned_members.1.q", plain, "returned_members.1.q");
    same(drawn, "returned_members.1.qd", plain, "returned_members.1.qd");
    json_decref(plain);
    json_decref(listed);
    json_decref(drawn);
}

Test(ensemble, members_that_run_away_are_named)
{
    json_t *e = tqt_ask("planar-2r", "ensemble",
                        "{" START RK4 ",'vary':[{'of':'qd','joint':'joint1','list':[0,2e6,0.1]}],"
                        "'return_members':[1]}");
    cr_expect(tqt_number(e, "ended.0.member") == 1.0 && tqt_number(e, "ended.0.t") <= 0.002);
    cr_expect(tqt_number(e, "alive.0") == 3.0 && tqt_number(e, "alive.4") == 2.0);
    cr_expect(json_array_size(tqt_at(e, "returned_members.0.q")) == 1);
    json_decref(e);
}

/* ------------------------------------------------------------------------------------------------
 * Resumed
 */

typedef struct keeper {
    unsigned char *spool, head[256];
    size_t n_spool, n_head, saves, stop_after;
    bool backwards, adaptive;
    bool brief;               /* members of few steps */
    bool is_full;             /* no write fits the disk */
    size_t n_refused;         /* of these */
    size_t loops, short_from; /* loops begun, and the first one without memory; 0: none */
} keeper;

static int spool_write(void *ctx, uint64_t offset, const void *bytes, size_t n)
{
    keeper *k = ctx;
    cr_assert(offset <= k->n_spool);
    if (k->is_full) {
        k->n_refused++;
        return -1;
    }
    k->spool = realloc(k->spool, offset + n);
    memcpy(k->spool + offset, bytes, n);
    k->n_spool = offset + n;
    return 0;
}

static long spool_read(void *ctx, uint64_t offset, void *bytes, size_t n)
{
    const keeper *k = ctx;
    const size_t left = offset < k->n_spool ? k->n_spool - offset : 0;
    memcpy(bytes, k->spool + offset, left < n ? left : n);
    return (long)(left < n ? left : n);
}

static int save(void *ctx, const void *bytes, size_t n)
{
    keeper *k = ctx;
    cr_assert(n <= sizeof k->head);
    memcpy(k->head, bytes, n);
    k->n_head = n;
    k->saves++;
    return 0;
}

static size_t load(void *ctx, void *bytes, size_t size)
{
    const keeper *k = ctx;
    cr_assert(size >= k->n_head);
    memcpy(bytes, k->head, k->n_head);
    return k->n_head;
}

static bool cancelled(void *ctx)
{
    const keeper *k = ctx;
    return k->stop_after > 0 && k->saves >= k->stop_after;
}

static void for_each(void *ctx, size_t n, size_t size, void (*body)(void *, size_t, void *),
                     void *arg)
{
    keeper *k = ctx;
    const bool is_short = ++k->loops >= k->short_from && k->short_from > 0;
    void *scratch = is_short ? NULL : aligned_alloc(64, (size + 63) / 64 * 64);
    for (size_t i = 0; i < n; i++) {
        body(arg, k->backwards ? n - 1 - i : i, scratch);
    }
    free(scratch);
}

static char *answer_of(keeper *k, int status)
{
    char body[512];
    (void)snprintf(
        body, sizeof body,
        "{\"initial\":{\"q\":[0.3,-0.4]},\"duration_s\":%s,\"output\":{\"interval_s\":1},"
        "\"solver\":{%s},\"seed\":5,\"quantiles\":[0.5],\"end_states\":true,\"vary\":[{\"of\":"
        "\"q\",\"joint\":\"joint1\",\"normal\":{\"deviation\":0.2}}%s],\"members\":%d}",
        k->brief ? "1" : "4",
        k->adaptive ? "\"method\":\"dopri87\",\"rtol\":1e-4"
                    : "\"method\":\"semi-implicit-euler\",\"step_s\":0.004",
        k->adaptive ? ",{\"of\":\"mass_factor\",\"link\":\"link2\",\"uniform\":[0.5,2]}" : "",
        k->brief        ? 1000
        : k->adaptive   ? 3000
        : TQT_SANITIZED ? 10000
                        : 20000);
    const tqa_host host = {.ctx = k,
                           .parallel_for = for_each,
                           .cancelled = cancelled,
                           .checkpoint_save = save,
                           .checkpoint_load = load,
                           .spool_write = spool_write,
                           .spool_read = spool_read};
    tqa_robot *robot = tqt_builtin("planar-2r");
    tqt_answer answer = tqt_call(robot, body, strlen(body),
                                 (tqt_call_options){.operation = "ensemble", .host = &host});
    cr_assert(answer.status == status, "%d %s", answer.status, answer.problem.detail);
    tqa_robot_free(robot);
    return answer.text;
}

/* a controller whose model of dry friction jumps where the joints slip: formerly the steps of the
 * search for an event became as small as rounding, and it did not end */
Test(ensemble, a_search_for_an_event_ends, .timeout = 300)
{
    json_t *e =
        tqt_ask("puma560", "ensemble",
                "{'initial': {'q': [-0.297, 1.672, -1.859, 0.156, -0.078, 0.113]}, 'duration_s': 0."
                "1, 'output': {'times_s': [0, 0.03333333333333333, 0.1]}, 'input': {'kind': 'passiv"
                "ity-based', 'reference': {'table': {'t': [0, 0.05, 0.1], 'q': [[-0.297, 1.672, -"
                "1.859, 0.156, -0.078, 0.113], [-0.297, 1.672, -1.859, 0.156, -0.078, 0.113], [-0"
                ".297, 1.672, -1.859, 0.156, -0.078, 0.113]]}}, 'kd': [5, 5, 5, 5, 5, 5], 'lambda"
                "': 5}, 'solver': {'method': 'dopri87'}, 'vary': [{'of': 'torque', 'joint': 'join"
                "t2', 'grid': {'from': 0.5, 'to': 1, 'count': 3}}, {'of': 'viscous_factor', 'join"
                "t': 'joint6', 'uniform': [0.1, 0.2]}, {'of': 'viscous_factor', 'joint': 'joint3'"
                ", 'list': [0.5, 1, 2]}], 'members': 40, 'quantiles': [0.05, 0.5, 1], 'seed': 4, "
                "'only': [84]}");
    cr_expect(eq(dbl, tqt_number(e, "ended.0.member"), 84.0));
    json_decref(e);
}

/* a thread without memory: no result without its members or statistics */
Test(ensemble, no_memory_on_a_thread_is_reported, .timeout = 300)
{
    keeper whole = {.brief = true}, members = {.brief = true, .short_from = 1};
    free(answer_of(&whole, 200));
    cr_assert(gt(sz, whole.loops, 1));
    cr_expect(answer_of(&members, 503) == NULL);
    keeper statistics = {.brief = true, .short_from = whole.loops}; /* the last loop */
    cr_expect(answer_of(&statistics, 503) == NULL);
    free(whole.spool);
    free(members.spool);
    free(statistics.spool);
}

/* stopped at a checkpoint and resumed: the same answer for any order of the blocks; a lost spool
 * only costs time */
static void stop_and_go_on(bool adaptive)
{
    keeper whole = {.adaptive = adaptive};
    keeper broken = {.adaptive = adaptive, .stop_after = 1}, lost = broken;
    char *want = answer_of(&whole, 200);
    cr_assert(gt(sz, whole.saves, 0), "long enough to be saved");
    cr_assert(answer_of(&broken, 503) == NULL);
    cr_assert(gt(sz, broken.n_spool, 0));
    broken.stop_after = 0;
    broken.backwards = true;
    char *got = answer_of(&broken, 200);
    cr_expect(strcmp(want, got) == 0, "the same bytes");
    cr_assert(answer_of(&lost, 503) == NULL);
    lost.stop_after = 0;
    lost.n_spool /= 2;
    char *again = answer_of(&lost, 200);
    cr_expect(strcmp(want, again) == 0);
    free(want);
    free(got);
    free(again);
    free(whole.spool);
    free(broken.spool);
    free(lost.spool);
}

Test(ensemble, a_full_disk_ends_the_run, .timeout = 300)
{
    keeper full = {.is_full = true};
    cr_assert(answer_of(&full, 503) == NULL);
    cr_assert(eq(sz, full.n_refused, 1), "no second try");
}

Test(ensemble, a_stopped_ensemble_goes_on_to_the_same_bits, .timeout = 300)
{
    stop_and_go_on(false);
}

/* with adaptive steps of each member */
Test(ensemble, a_stopped_adaptive_ensemble_goes_on_to_the_same_bits, .timeout = 300)
{
    stop_and_go_on(true);
}

/* ------------------------------------------------------------------------------------------------
 * Refusals
 */

typedef struct refusal {
    const char *body;
    int status;
    const char *slug, *pointer;
} refusal;

#define VARY(item) "{" START RK4 ",'members':10,'vary':[" item "]}"
#define Q1         "{'of':'q','joint':'joint1','uniform':[0,1]}"
#define NOISY(spread)                                                                              \
    "{" START RK4 ",'disturbance':[{'kind':'noise','torque':[1,1],'interval_s':0.02,'seed':7}],"   \
    "'vary':[{'of':'noise_seed'," spread "}]}"
/* clang-format off */
static const refusal refusals[] = {
    {"{" START "}", 422, "missing-field", "/vary"},
    {NOISY("'list':[1,9007199254740994]"), 422, "range", "/vary/0"},
    {NOISY("'uniform':[0,1e300]"), 422, "range", "/vary/0"},
    {NOISY("'list':[-1]"), 422, "range", "/vary/0"},
    {NOISY("'disturbance':1,'list':[1]"), 422, "range", "/vary/0/disturbance"},
    {NOISY("'disturbance':0.5,'list':[1]"), 422, "range", "/vary/0/disturbance"},
    {NOISY("'disturbance':18446744073709551616.0,'list':[1]"), 422, "range", "/vary/0/disturbance"},
    {"{'duration_s':1,'output':{'interval_s':1},'vary':[" Q1 "]}", 422, "missing-field", "/initial"},
    {VARY(""), 422, "wrong-length", "/vary"},
    {VARY("{}"), 422, "missing-field", "/vary/0/of"},
    {VARY("{'of':'mass'}"), 422, "unknown-name", "/vary/0/of"},
    {VARY("{'of':'q'}"), 422, "missing-field", "/vary/0/joint"},
    {VARY("{'of':'q','joint':'j'}"), 422, "unknown-name", "/vary/0/joint"},
    {VARY("{'of':'q','link':'link1'}"), 422, "invalid-value", "/vary/0/link"},
    {VARY("{'of':'mass_factor','joint':'joint1'}"), 422, "invalid-value", "/vary/0/joint"},
    {VARY("{'of':'mass_factor','link':'link1','at':'com'}"), 422, "invalid-value", "/vary/0/at"},
    {VARY("{'of':'mass_factor','link':'link1','uniform':[-1,1]}"), 422, "range", "/vary/0"},
    {VARY("{'of':'q','joint':'joint1'}"), 422, "missing-field", "/vary/0/uniform"},
    {VARY("{'of':'q','joint':'joint1','uniform':[1,0]}"), 422, "range", "/vary/0/uniform"},
    {VARY("{'of':'q','joint':'joint1','uniform':[0,1],'list':[1]}"), 422, "invalid-value", "/vary/0/list"},
    {VARY("{'of':'q','joint':'joint1','normal':{'mean':1}}"), 422, "missing-field", "/vary/0/normal/deviation"},
    {VARY("{'of':'q','joint':'joint1','grid':{'from':0,'to':1}}"), 422, "missing-field", "/vary/0/grid/count"},
    {VARY("{'of':'q','joint':'joint1','list':[1]}"), 422, "invalid-value", "/members"},
    {"{" START RK4 ",'vary':[" Q1 "]}", 422, "missing-field", "/members"},
    {"{" START RK4 ",'members':1e7,'vary':[" Q1 "]}", 413, "too-large", "/output"},
    {"{" START RK4 ",'members':10,'quantiles':[2],'vary':[" Q1 "]}", 422, "range", "/quantiles/0"},
    {"{" START RK4 ",'members':10,'return_members':[10],'vary':[" Q1 "]}", 422, "range", "/return_members/0"},
    {"{" START RK4 ",'members':10,'only':[10],'vary':[" Q1 "]}", 422, "range", "/only/0"},
    {"{" START RK4 ",'members':10,'include':['qdd'],'vary':[" Q1 "]}", 400, "unknown-field", "/include"},
};
/* clang-format on */

ParameterizedTestParameters(ensemble, refusals)
{
    static size_t rows[sizeof refusals / sizeof refusals[0]];
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        rows[k] = k;
    }
    return cr_make_param_array(size_t, rows, sizeof rows / sizeof rows[0]);
}

ParameterizedTest(size_t *row, ensemble, refusals)
{
    const refusal *r = &refusals[*row];
    tqt_refused("planar-2r", "ensemble", r->body, r->status, r->slug, r->pointer, NULL);
}
