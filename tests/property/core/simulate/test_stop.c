/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/simulate/test_stop.c - after a cancellation no rate is computed any more:
 * neither within a step, nor in a repeated attempt of it. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <string.h>

#include "core/ensemble/ensemble.h"
#include "core/lanes/table.h"
#include "core/simulate/run.h"
#include "tests/support/random_robot.h"

enum { N_JOINT = 60, LANE = TQ_BLOCK_PAD, N_MEMBER = 8, N_Q = N_JOINT * N_MEMBER };
/* tq_plant_rate's estimate of work: stop is called after so many rates of one trajectory */
static const double rate_work =
    500.0 * (double)N_JOINT + (double)N_JOINT * (double)N_JOINT * (double)N_JOINT;

typedef struct bench {
    tq_model *model;
    const tq_mechanism *mechanism;
    void *home, *memory;
    size_t size;
    tq_scratch scratch;
    tq_effect effect;
    tq_plant plant;
    unsigned asked, yes_at;      /* calls of stop; the call that returns non-zero, 0: never */
    unsigned rates, rates_after; /* rates of one trajectory; those after the cancellation */
} bench;

static int stop(void *ctx)
{
    bench *b = ctx;
    cr_assert(b->yes_at == 0 || b->asked < b->yes_at, "it is asked no more after a yes");
    return ++b->asked == b->yes_at;
}

static tq_status count(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                       tq_error *reterr)
{
    (void)scratch, (void)to, (void)reterr;
    bench *b = ctx;
    b->rates += (unsigned)at->n_sample;
    b->rates_after += b->yes_at > 0 && b->asked == b->yes_at ? 1 : 0;
    return TQ_OK;
}

static bench *open_bench(void)
{
    bench *b = calloc(1, sizeof *b);
    cr_assert(eq(int, tq_lanes_select(0), TQ_OK));
    b->model = tqt_random_arm(7, N_JOINT, 0, (tq_friction){.viscous = 0.1});
    const size_t size = (tq_mechanism_size(b->model) + 63) / 64 * 64;
    b->home = aligned_alloc(64, size);
    cr_assert(eq(int, tq_mechanism_build(b->model, b->home, size, &b->mechanism, NULL), TQ_OK));
    b->effect = (tq_effect){.ctx = b, .act = count, .timeless = 1};
    b->plant = (tq_plant){.mechanism = b->mechanism, .effects = &b->effect, .n_effect = 1};
    return b;
}

static void close_bench(bench *b)
{
    free(b->home);
    free(b->memory);
    tqt_model_free(b->model);
    free(b);
}

static void open_scratch(bench *b, size_t size, unsigned yes_at)
{
    free(b->memory);
    b->size = (size + 63) / 64 * 64;
    b->memory = aligned_alloc(64, b->size);
    b->asked = b->rates = b->rates_after = 0;
    b->yes_at = yes_at;
    tq_scratch_init(&b->scratch, b->memory, b->size);
    tq_scratch_set_stop(&b->scratch, stop, b);
}

static tq_run *start(bench *b, const tq_run_options *options, unsigned yes_at, tq_status *ret)
{
    static const double zero[N_JOINT];
    tq_run *run = NULL;
    open_scratch(b, tq_run_scratch_size(&b->plant, options), yes_at);
    cr_assert(eq(int, tq_run_open(&b->plant, options, &b->scratch, &run, NULL), TQ_OK));
    *ret = tq_run_start(run, 0.0, zero, zero, NULL);
    return run;
}

Test(stop, no_method_computes_a_rate_after_cancellation)
{
    bench *b = open_bench();
    for (int method = 0; method < TQ_RUN_MOREAU; method++) {
        const tq_run_options options = {.method = (tq_run_method)method,
                                        .rtol = 1e-6,
                                        .atol = 1e-6,
                                        .step = 1e-4,
                                        .end = 100.0};
        for (unsigned yes_at = 1; yes_at <= 3; yes_at++) {
            tq_status status = TQ_OK;
            tq_run *run = start(b, &options, yes_at, &status);
            cr_assert(eq(int, status, TQ_OK));
            cr_assert(eq(int, tq_run_to(run, 100.0, 0), 0));
            cr_assert(eq(int, run->end, TQ_RUN_STOPPED), "method %d: %d", method, run->end);
            cr_assert(eq(uint, b->asked, yes_at), "method %d", method);
            cr_assert(eq(uint, b->rates_after, 0), "method %d", method);
            cr_assert(le(dbl, b->rates * rate_work, yes_at * (TQ_SCRATCH_ASK_WORK + rate_work)),
                      "method %d: %u", method, b->rates);
            cr_assert(eq(int, tq_run_to(run, 100.0, 0), 0), "it has ended");
            cr_assert(eq(uint, b->rates_after, 0));
            tq_run_close(run);
        }
    }
    close_bench(b);
}

Test(stop, polling_for_cancellation_changes_no_bit)
{
    bench *b = open_bench();
    for (int method = 0; method < TQ_RUN_MOREAU; method++) {
        const tq_run_options options = {
            .method = (tq_run_method)method, .rtol = 1e-4, .atol = 1e-4, .step = 1e-4, .end = 0.02};
        double q[2][N_JOINT], t[2];
        for (int asks = 0; asks < 2; asks++) {
            tq_status status = TQ_OK;
            tq_run *run = start(b, &options, 0, &status);
            if (!asks) {
                tq_scratch_set_stop(&b->scratch, NULL, NULL);
            }
            (void)tq_run_to(run, 0.02, 0); /* as far as the method gets */
            t[asks] = run->t;
            tqt_sample(run->state->q, N_JOINT, LANE, 0, q[asks]);
            tq_run_close(run);
        }
        cr_assert(all(gt(dbl, t[0], 0.0), eq(dbl, t[0], t[1])), "method %d", method);
        cr_assert(gt(uint, b->asked, 0), "method %d", method);
        cr_assert(eq(int, memcmp(q[0], q[1], sizeof q[0]), 0), "method %d", method);
    }
    close_bench(b);
}

/* a cancellation is not a failure of a member: no member is tried alone */
Test(stop, no_member_of_an_ensemble_begins_after_cancellation)
{
    static const double times[] = {0.0, 100.0};
    static const struct {
        tq_fixed_method method;
        const tq_pair *pair;
    } ways[] = {{TQ_FIXED_RK4, NULL},
                {TQ_FIXED_SEMI_IMPLICIT, NULL},
                {TQ_FIXED_RK4, &tq_pair_dopri45},
                {TQ_FIXED_RK4, &tq_pair_dopri87}};
    bench *b = open_bench();
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        for (unsigned yes_at = 1; yes_at <= 3; yes_at++) {
            const tq_ensemble ensemble = {.plant = &b->plant,
                                          .method = ways[w].method,
                                          .pair = ways[w].pair,
                                          .rtol = 1e-6,
                                          .atol = 1e-6,
                                          .step = 1e-4,
                                          .n_output = 2,
                                          .times = times};
            double *q = tqt_doubles(N_Q), *qd = tqt_doubles(N_Q), *rows = tqt_doubles(4 * N_Q);
            double ended[N_MEMBER], end[N_MEMBER];
            const tq_members members = {.n_member = N_MEMBER,
                                        .stride = N_MEMBER,
                                        .q = q,
                                        .qd = qd,
                                        .ret_rows = rows,
                                        .ret_ended = ended,
                                        .ret_end = end};
            open_scratch(b, tq_ensemble_scratch_size(&ensemble, N_MEMBER), yes_at);
            const tq_status status = tq_ensemble_run(&ensemble, &members, &b->scratch, NULL);
            cr_assert(eq(int, status, TQ_ERR_STOPPED), "way %zu: %d", w, status);
            cr_assert(eq(uint, b->asked, yes_at), "way %zu", w);
            cr_assert(eq(uint, b->rates_after, 0), "way %zu", w);
            cr_assert(le(dbl, b->rates * rate_work,
                         yes_at * ((double)TQ_SCRATCH_ASK_WORK + (double)N_MEMBER * rate_work)),
                      "way %zu: %u", w, b->rates);
            free(q);
            free(qd);
            free(rows);
        }
    }
    close_bench(b);
}
