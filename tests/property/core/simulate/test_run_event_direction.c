/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/simulate/test_run_event_direction.c - every crossing in the watched
 * direction, and none in the other, against closed forms, by every method. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/lanes/table.h"
#include "core/plant/torque_table.h"
#include "core/simulate/run.h"
#include "tests/support/pendulum.h"
#include "tests/support/random_robot.h"

enum { BYTES = 4 << 20, EVENTS = 4096 };

typedef struct bench {
    tq_model *model;
    void *home, *memory;
    tq_scratch scratch;
    tq_plant plant;
    tq_event events[EVENTS];
    size_t n_event;
} bench;

static bench *open_bench(tq_model *model)
{
    bench *b = calloc(1, sizeof *b);
    const tq_mechanism *mechanism = NULL;
    b->model = model;
    cr_assert(eq(int, tq_lanes_select(0), TQ_OK));
    cr_assert(eq(int, tq_model_finish(model, NULL), TQ_OK));
    const size_t size = (tq_mechanism_size(model) + 63) / 64 * 64;
    b->home = aligned_alloc(64, size);
    b->memory = aligned_alloc(64, BYTES);
    cr_assert(eq(int, tq_mechanism_build(model, b->home, size, &mechanism, NULL), TQ_OK));
    b->plant = (tq_plant){.mechanism = mechanism};
    return b;
}

static void close_bench(bench *b)
{
    free(b->home);
    free(b->memory);
    tqt_model_free(b->model);
    free(b);
}

static void note(void *ctx, const tq_event *event)
{
    bench *b = ctx;
    cr_assert(lt(sz, b->n_event, EVENTS));
    b->events[b->n_event++] = *event;
}

static tq_run *open_run(bench *b, int method, const tq_event_rule *rules, size_t n)
{
    const tq_run_options options = {.method = (tq_run_method)method,
                                    .rtol = 1e-11,
                                    .atol = 1e-11,
                                    .step = 1e-3,
                                    .end = 10.0,
                                    .rules = rules,
                                    .n_rule = n,
                                    .on_event = note,
                                    .ctx = b};
    tq_run *run = NULL;
    b->n_event = 0;
    tq_scratch_init(&b->scratch, b->memory, BYTES);
    cr_assert(eq(int, tq_run_open(&b->plant, &options, &b->scratch, &run, NULL), TQ_OK));
    return run;
}

/* s: tolerance on event times with steps of 1 ms, or a tolerance of 1e-11 */
static double slack(int method)
{
    static const double of[TQ_RUN_METHODS] = {
        [TQ_RUN_DOPRI87] = 1e-9, [TQ_RUN_DOPRI45] = 1e-9, [TQ_RUN_SDIRK] = 1e-8,
        [TQ_RUN_BDF] = 1e-5,     [TQ_RUN_RK4] = 1e-9,     [TQ_RUN_SEMI_IMPLICIT] = 2e-2,
        [TQ_RUN_MIDPOINT] = 1e-4};
    return of[method];
}

static void expect_times(const bench *b, uint32_t rule, const double *t, size_t n, double within,
                         const char *what, int method)
{
    size_t found = 0;
    for (size_t e = 0; e < b->n_event; e++) {
        if (b->events[e].rule != rule) {
            continue;
        }
        cr_expect(found < n && fabs(b->events[e].t - t[found]) < within,
                  "%s, method %d, event %zu at %.12g, not %.12g", what, method, found,
                  b->events[e].t, found < n ? t[found] : (double)NAN);
        found++;
    }
    cr_expect(found == n, "%s, method %d: %zu events of %zu", what, method, found, n);
}

/* A point mass on 0.5 m, let go at 1.5 rad from below: it is below at K(sin .75) / omega, then
 * after each half period, in alternating directions. */
Test(direction, a_pendulum_passes_its_lowest_point_both_ways)
{
    const double quarter = tqt_elliptic_k(sin(0.75)) / sqrt(9.81 / 0.5);
    const double down[] = {quarter, 5 * quarter, 9 * quarter};
    const double up[] = {3 * quarter, 7 * quarter, 11 * quarter};
    const double both[] = {quarter,     3 * quarter, 5 * quarter,
                           7 * quarter, 9 * quarter, 11 * quarter};
    const tq_event_rule rules[] = {{.kind = TQ_EVENT_Q, .direction = 1},
                                   {.kind = TQ_EVENT_Q, .direction = -1},
                                   {.kind = TQ_EVENT_Q, .direction = 0}};
    const char *const words[] = {"up", "down", "both"};
    const double *const at[] = {up, down, both};
    const size_t n[] = {3, 3, 6};
    for (int method = 0; method < TQ_RUN_MOREAU; method++) {
        for (unsigned k = 0; k < 3; k++) { /* each event alone: a rule must not influence another */
            bench *b = open_bench(tqt_pendulum());
            tq_run *run = open_run(b, method, rules + k, 1);
            const double q[1] = {1.5}, qd[1] = {0};
            cr_assert(eq(int, tq_run_start(run, 0, q, qd, NULL), TQ_OK));
            cr_assert(tq_run_to(run, 12.0 * quarter, 0));
            expect_times(b, 0, at[k], n[k], slack(method), words[k], method);
            tq_run_close(run);
            close_bench(b);
        }
    }
}

/* A swing to 1.5 rad reverses half a radian before the level: no step searches for a crossing. */
Test(direction, a_level_out_of_reach_costs_nothing)
{
    const double quarter = tqt_elliptic_k(sin(0.75)) / sqrt(9.81 / 0.5);
    const tq_event_rule rule = {.kind = TQ_EVENT_Q, .level = 2.0};
    for (int method = 0; method < TQ_RUN_MOREAU; method++) {
        unsigned long long evaluations[2] = {0, 0};
        double end[2];
        for (size_t n = 0; n < 2; n++) {
            bench *b = open_bench(tqt_pendulum());
            tq_run *run = open_run(b, method, &rule, n);
            const double q[1] = {1.5}, qd[1] = {0};
            cr_assert(eq(int, tq_run_start(run, 0, q, qd, NULL), TQ_OK));
            cr_assert(tq_run_to(run, 12.0 * quarter, 0));
            cr_assert(eq(sz, b->n_event, 0));
            evaluations[n] = (unsigned long long)run->stats.n_evaluation;
            end[n] = run->state->q[0];
            tq_run_close(run);
            close_bench(b);
        }
        cr_expect(evaluations[0] == evaluations[1], "method %d: %llu, %llu with the level", method,
                  evaluations[0], evaluations[1]);
        cr_expect(end[0] == end[1], "method %d: other steps", method);
    }
}

/* a mass of 2 kg on a rail along x or z */
static tq_model *slider(double x, double z)
{
    tq_model *m = tqt_model_new(2);
    m->joints[0].kind = TQ_JOINT_PRISMATIC, m->joints[0].parent = 0, m->joints[0].child = 1;
    m->joints[0].axis[0] = x, m->joints[0].axis[1] = 0, m->joints[0].axis[2] = z;
    m->joints[0].limits.lower = -100, m->joints[0].limits.upper = 100;
    m->links[1].inertia.mass = 2.0;
    return m;
}

/* the same on 50 N/m: let go at 1 m it is at cos 5 t */
static tq_model *sprung(void)
{
    tq_model *m = slider(1, 0);
    m->joints[0].spring = (tq_spring){.stiffness = 50.0};
    return m;
}

/* A force of 4, -4, 4 ... N every 2 s, linear between: v = 2 s - s^2, s from the last start of 2 s,
 * to and fro; v and the energy v^2 J cross levels twice between two kinks, at which steps end. */
Test(direction, velocity_torque_and_energy_pass_levels_both_ways)
{
    const double t[] = {0, 2, 4, 6, 8, 10}, force[] = {4, -4, 4, -4, 4, -4};
    tq_table table = {.points = {6, 1, t, force}, .interpolation = TQ_INTERPOLATE_LINEAR};
    const tq_effect effect = tq_torque_table(&table);
    const tq_event_rule rules[] = {
        {.kind = TQ_EVENT_QD, .level = 0.75, .direction = 1},
        {.kind = TQ_EVENT_QD, .level = 0.75, .direction = -1},
        {.kind = TQ_EVENT_KINETIC, .level = 0.5625, .direction = 1},
        {.kind = TQ_EVENT_KINETIC, .level = 0.5625, .direction = -1},
        {.kind = TQ_EVENT_ENERGY, .level = 0.5625, .direction = 1},
        {.kind = TQ_EVENT_TAU, .level = 0.0, .direction = 1},
        {.kind = TQ_EVENT_TAU, .level = 0.0, .direction = -1},
        {.kind = TQ_EVENT_QD, .level = 0.999999, .direction = 1}, /* 1 - v = (s - 1)^2 */
        {.kind = TQ_EVENT_QD, .level = 1.000001, .direction = 1},
    };
    const double at[][5] = {{0.5, 4.5, 8.5},
                            {1.5, 5.5, 9.5},
                            {0.5, 2.5, 4.5, 6.5, 8.5},
                            {1.5, 3.5, 5.5, 7.5, 9.5},
                            {0.5, 2.5, 4.5, 6.5, 8.5},
                            {3, 7},
                            {1, 5, 9},
                            {0.999, 4.999, 8.999},
                            {0}};
    const size_t n[] = {3, 3, 5, 5, 5, 2, 3, 3, 0};
    for (int method = 0; method < TQ_RUN_MOREAU; method++) {
        for (unsigned k = 0; k < 9; k++) {
            if (k >= 7 && slack(method) > 1e-8) {
                continue; /* it stays within 1e-6 m/s of its peak */
            }
            bench *b = open_bench(slider(1, 0));
            b->plant.effects = &effect;
            b->plant.n_effect = 1;
            tq_run *run = open_run(b, method, rules + k, 1);
            const double q[1] = {0}, qd[1] = {0};
            cr_assert(eq(int, tq_run_start(run, 0, q, qd, NULL), TQ_OK));
            cr_assert(tq_run_to(run, 9.9, 0));
            expect_times(b, 0, at[k], n[k], slack(method) + (k >= 7 ? 1e-6 : 0.0), "rule", method);
            tq_run_close(run);
            close_bench(b);
        }
    }
}

/* cos 5 t leaves the upper limit 0.5 at 5 t = 5 pi / 3 and 2 pi later each time, the lower limit
 * -0.9 at acos -0.9; it starts outside the upper limit */
Test(direction, each_way_out_of_the_limits_is_an_event_from_outside_too)
{
    const tq_event_rule rules[] = {{.kind = TQ_EVENT_UPPER, .level = 0.5},
                                   {.kind = TQ_EVENT_LOWER, .level = -0.9}};
    double at[2][3];
    for (unsigned n = 0; n < 3; n++) {
        at[0][n] = M_PI / 3.0 + 2.0 * M_PI * n / 5.0;
        at[1][n] = (acos(-0.9) + 2.0 * M_PI * n) / 5.0;
    }
    for (int method = 0; method < TQ_RUN_MOREAU; method++) {
        for (unsigned k = 0; k < 2; k++) {
            bench *b = open_bench(sprung());
            tq_run *run = open_run(b, method, rules + k, 1);
            const double q[1] = {1.0}, qd[1] = {0};
            cr_assert(eq(int, tq_run_start(run, 0, q, qd, NULL), TQ_OK));
            cr_assert(tq_run_to(run, 3.7, 0));
            expect_times(b, 0, at[k], 3, slack(method), k == 0 ? "upper" : "lower", method);
            tq_run_close(run);
            close_bench(b);
        }
    }
}

/* cos 5 t stays below -1 + 1e-5 for 2 acos(1 - 1e-5) / 5 = 1.8 ms, and never reaches -1 - 1e-5 */
Test(direction, a_touch_is_two_passages_or_none)
{
    const double half = acos(1.0 - 1e-5) / 5.0;
    const tq_event_rule rules[] = {{.kind = TQ_EVENT_Q, .level = -1.0 + 1e-5},
                                   {.kind = TQ_EVENT_Q, .level = -1.0 + 1e-5, .direction = 1},
                                   {.kind = TQ_EVENT_LOWER, .level = -1.0 + 1e-5},
                                   {.kind = TQ_EVENT_Q, .level = -1.0 - 1e-5}};
    const double low[] = {M_PI / 5.0, 3.0 * M_PI / 5.0};
    const double at[][4] = {{low[0] - half, low[0] + half, low[1] - half, low[1] + half},
                            {low[0] + half, low[1] + half},
                            {low[0] - half, low[1] - half},
                            {0}};
    const size_t n[] = {4, 2, 2, 0};
    const int methods[] = {TQ_RUN_DOPRI87, TQ_RUN_DOPRI45, TQ_RUN_SDIRK, TQ_RUN_BDF, TQ_RUN_RK4};
    for (unsigned m = 0; m < 5; m++) {
        for (unsigned k = 0; k < 4; k++) {
            bench *b = open_bench(sprung());
            tq_run *run = open_run(b, methods[m], rules + k, 1);
            const double q[1] = {1.0}, qd[1] = {0};
            cr_assert(eq(int, tq_run_start(run, 0, q, qd, NULL), TQ_OK));
            cr_assert(tq_run_to(run, 2.0, 0));
            /* an error of the amplitude shifts the touch 25 half periods later */
            expect_times(b, 0, at[k], n[k], slack(methods[m]) * 50.0, "touch", methods[m]);
            tq_run_close(run);
            close_bench(b);
        }
    }
}

/* Thrown up at 4.905 m/s it returns after 1 s. The start on the level is not a crossing, although
 * an explicit method reaches the end of the parabola in one step. */
Test(direction, a_start_on_the_level_is_no_passage_and_the_way_back_is_one)
{
    const tq_event_rule rules[] = {{.kind = TQ_EVENT_Q, .direction = 0},
                                   {.kind = TQ_EVENT_Q, .direction = -1},
                                   {.kind = TQ_EVENT_Q, .direction = 1},
                                   {.kind = TQ_EVENT_LOWER}};
    const double at[] = {1.0};
    const size_t n[] = {1, 1, 0, 1};
    for (int method = 0; method < TQ_RUN_MOREAU; method++) {
        for (unsigned k = 0; k < 4; k++) {
            bench *b = open_bench(slider(0, 1));
            tq_run *run = open_run(b, method, rules + k, 1);
            const double q[1] = {0}, qd[1] = {4.905};
            cr_assert(eq(int, tq_run_start(run, 0, q, qd, NULL), TQ_OK));
            cr_assert(tq_run_to(run, 1.5, 0));
            expect_times(b, 0, at, n[k], slack(method), "level", method);
            tq_run_close(run);
            close_bench(b);
        }
    }
}

/* Saved between an unwatched crossing and a watched one: the loaded run finds the event with the
 * same bits as the uninterrupted run, and as a run that was interrupted there without saving. */
Test(direction, a_loaded_run_keeps_its_side)
{
    const tq_event_rule rules[] = {{.kind = TQ_EVENT_Q, .direction = 1},
                                   {.kind = TQ_EVENT_QD, .direction = -1, .level = 0.5}};
    const double period = 4.0 * tqt_elliptic_k(sin(0.75)) / sqrt(9.81 / 0.5);
    for (int method = 0; method < TQ_RUN_MOREAU; method++) {
        bench *b = open_bench(tqt_pendulum());
        bench *again = open_bench(tqt_pendulum());
        tq_run *run = open_run(b, method, rules, 2);
        tq_run *loaded = open_run(again, method, rules, 2);
        const double q[1] = {1.5}, qd[1] = {0};
        cr_assert(eq(int, tq_run_start(run, 0, q, qd, NULL), TQ_OK));
        cr_assert(tq_run_to(run, 0.5 * period, 1));
        cr_assert(eq(sz, b->n_event, 0));
        const size_t size = tq_run_save_size(run);
        unsigned char *bytes = malloc(size);
        tq_run_save(run, bytes);
        cr_assert(tq_run_load(loaded, bytes, size));
        cr_assert(tq_run_to(run, 2.0 * period, 0));
        cr_assert(tq_run_to(loaded, 2.0 * period, 0));
        cr_assert(eq(sz, b->n_event, 4), "method %d: %zu", method, b->n_event);
        cr_assert(eq(sz, again->n_event, 4), "method %d", method);
        for (size_t e = 0; e < 4; e++) {
            cr_assert(eq(dbl, b->events[e].t, again->events[e].t), "method %d", method);
            cr_assert(eq(dbl, b->events[e].value, again->events[e].value), "method %d", method);
        }
        const double up[] = {0.75 * period, 1.75 * period};
        expect_times(b, 0, up, 2, slack(method), "after a checkpoint", method);
        cr_assert(eq(dbl, run->state->q[0], loaded->state->q[0]), "method %d", method);
        cr_assert(eq(dbl, run->state->qd[0], loaded->state->qd[0]), "method %d", method);
        cr_assert(eq(u64, run->stats.n_evaluation, loaded->stats.n_evaluation), "method %d",
                  method);
        free(bytes);
        tq_run_close(run);
        tq_run_close(loaded);
        close_bench(b);
        close_bench(again);
    }
}
