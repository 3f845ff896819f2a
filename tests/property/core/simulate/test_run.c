/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/simulate/test_run.c - runs against closed forms; samples, breaks, restarts,
 * ends. */
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

enum { BYTES = 8 << 20 };

typedef struct bench {
    tq_model *model;
    const tq_mechanism *mechanism;
    void *home, *memory;
    tq_scratch scratch;
    tq_plant plant;
} bench;

static bench *open_bench(tq_model *model)
{
    bench *b = calloc(1, sizeof *b);
    b->model = model;
    cr_assert(eq(int, tq_lanes_select(0), TQ_OK));
    const size_t size = (tq_mechanism_size(model) + 63) / 64 * 64;
    b->home = aligned_alloc(64, size);
    b->memory = aligned_alloc(64, BYTES);
    cr_assert(eq(int, tq_mechanism_build(model, b->home, size, &b->mechanism, NULL), TQ_OK));
    tq_scratch_init(&b->scratch, b->memory, BYTES);
    b->plant = (tq_plant){.mechanism = b->mechanism};
    return b;
}

static void close_bench(bench *b)
{
    free(b->home);
    free(b->memory);
    tqt_model_free(b->model);
    free(b);
}

static tq_run *open_run(bench *b, const tq_run_options *options)
{
    tq_run *run = NULL;
    tq_scratch_init(&b->scratch, b->memory, BYTES);
    const tq_status status = tq_run_open(&b->plant, options, &b->scratch, &run, NULL);
    cr_assert(eq(int, status, TQ_OK));
    return run;
}

static tq_run_options options_of(tq_run_method method, double tolerance, double step)
{
    return (tq_run_options){
        .method = method, .rtol = tolerance, .atol = tolerance, .step = step, .end = 3.0};
}

/* largest error of angle and rate over three seconds from rest at `amplitude` */
static double error_from(bench *b, const tq_run_options *options, double amplitude)
{
    tq_run *run = open_run(b, options);
    const double start[1] = {amplitude}, rest[1] = {0};
    double error = 0.0;
    cr_assert(eq(int, tq_run_start(run, 0, start, rest, NULL), TQ_OK));
    for (int i = 1; i <= 30; i++) {
        double angle = 0, rate = 0;
        cr_assert(tq_run_to(run, 0.1 * i, 0));
        cr_assert(eq(dbl, run->t, 0.1 * i));
        tqt_pendulum_at(amplitude, 0.1 * i, &angle, &rate);
        error = fmax(error, fmax(fabs(run->state->q[0] - angle), fabs(run->state->qd[0] - rate)));
    }
    cr_assert(all(gt(int, (int)run->stats.n_step, 3), gt(int, (int)run->stats.n_evaluation, 3)));
    cr_assert(le(sz, b->scratch.peak, tq_run_scratch_size(&b->plant, options)));
    tq_run_close(run);
    return error;
}

Test(run, a_pendulum_swings_as_elliptic_functions_say)
{
    const struct {
        tq_run_method method;
        double tolerance, step, error;
    } rows[] = {{TQ_RUN_DOPRI87, 1e-12, 0, 1e-10},     {TQ_RUN_DOPRI87, 1e-8, 0, 1e-7},
                {TQ_RUN_DOPRI45, 1e-12, 0, 1e-10},     {TQ_RUN_SDIRK, 1e-9, 0, 1e-7},
                {TQ_RUN_BDF, 1e-9, 0, 1e-5},           {TQ_RUN_RK4, 0, 1e-3, 1e-8},
                {TQ_RUN_SEMI_IMPLICIT, 0, 1e-4, 3e-3}, {TQ_RUN_MIDPOINT, 0, 1e-3, 1e-4}};
    bench *b = open_bench(tqt_pendulum());
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const tq_run_options options = options_of(rows[k].method, rows[k].tolerance, rows[k].step);
        for (int i = 0; i < 5; i++) {
            const double amplitude = 1.9 + 0.05 * i;
            cr_assert(lt(dbl, error_from(b, &options, amplitude), rows[k].error),
                      "row %zu, amplitude %g", k, amplitude);
        }
    }
    close_bench(b);
}

Test(run, steps_of_one_size_have_their_order)
{
    const struct {
        tq_run_method method;
        double step, order;
    } rows[] = {{TQ_RUN_RK4, 0.01, 4}, {TQ_RUN_SEMI_IMPLICIT, 1e-3, 1}, {TQ_RUN_MIDPOINT, 0.01, 2}};
    bench *b = open_bench(tqt_pendulum());
    double angle = 0, rate = 0;
    tqt_pendulum_at(1.5, 2.0, &angle, &rate);
    for (size_t k = 0; k < 3; k++) {
        double error[2];
        for (int fine = 0; fine < 2; fine++) {
            const tq_run_options options =
                options_of(rows[k].method, 0, rows[k].step / (fine ? 2 : 1));
            tq_run *run = open_run(b, &options);
            const double start[1] = {1.5}, rest[1] = {0};
            cr_assert(eq(int, tq_run_start(run, 0, start, rest, NULL), TQ_OK));
            cr_assert(tq_run_to(run, 2.0, 0));
            error[fine] = hypot(run->state->q[0] - angle, run->state->qd[0] - rate);
            tq_run_close(run);
        }
        const double order = log2(error[0] / error[1]);
        cr_assert(epsilon_eq(dbl, order, rows[k].order, 0.2), "row %zu: %g", k, order);
    }
    close_bench(b);
}

/* torque of the sample's number; z' = that torque */
static tq_status hold(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                      tq_error *reterr)
{
    (void)ctx, (void)scratch, (void)reterr;
    to->tau[0] += at->held[0];
    to->zd[0] = at->held[0];
    return TQ_OK;
}

static tq_status count(void *ctx, const tq_instant *at, tq_scratch *scratch, double *ret_held,
                       tq_error *reterr)
{
    (void)ctx, (void)scratch, (void)reterr;
    ret_held[0] = at->held[0] + 1.0;
    return TQ_OK;
}

Test(run, samples_are_taken_at_their_times_and_held_between)
{
    /* inertia 0.25 without gravity: torque 1, 2, 3 ... for 0.1 s each */
    static const double weightless[3] = {0};
    for (int method = 0; method < TQ_RUN_MOREAU; method++) {
        bench *b = open_bench(tqt_pendulum());
        const tq_effect effect = {
            .n_z = 1, .n_held = 1, .sample_time = 0.1, .act = hold, .sample = count};
        b->plant.effects = &effect;
        b->plant.n_effect = 1;
        b->plant.gravity = weightless;
        const tq_run_options options = options_of((tq_run_method)method, 1e-9, 1e-2);
        tq_run *run = open_run(b, &options);
        const double zero[1] = {0};
        cr_assert(eq(int, tq_run_start(run, 0, zero, zero, NULL), TQ_OK));
        for (int k = 1; k <= 7; k++) {
            cr_assert(tq_run_to(run, 0.07 * k, 0));
        }
        /* to t = 0.49: 0.1 (1 + 2 + 3 + 4) + 0.09 * 5 */
        cr_assert(epsilon_eq(dbl, run->state->z[0], 1.45, 1e-7), "method %d", method);
        cr_assert(epsilon_eq(dbl, run->state->qd[0], 1.45 / 0.25, 1e-6), "method %d", method);
        tq_run_close(run);
        close_bench(b);
    }
}

Test(run, steps_land_where_a_held_torque_jumps)
{
    static const double weightless[3] = {0};
    const double t[] = {0, 0.3, 0.55}, tau[] = {1, -2, 0.5};
    tq_table table = {.points = {3, 1, t, tau}, .interpolation = TQ_INTERPOLATE_HOLD};
    const tq_effect effect = tq_torque_table(&table);
    for (int method = 0; method < TQ_RUN_MOREAU; method++) {
        bench *b = open_bench(tqt_pendulum());
        b->plant.effects = &effect;
        b->plant.n_effect = 1;
        b->plant.gravity = weightless;
        const tq_run_options options = options_of((tq_run_method)method, 1e-10, 1e-2);
        tq_run *run = open_run(b, &options);
        const double zero[1] = {0};
        cr_assert(eq(int, tq_run_start(run, 0, zero, zero, NULL), TQ_OK));
        cr_assert(tq_run_to(run, 1.0, 0));
        const double want = (0.3 * 1 - 0.25 * 2 + 0.45 * 0.5) / 0.25;
        cr_assert(epsilon_eq(dbl, run->state->qd[0], want, 1e-8), "method %d", method);
        tq_run_close(run);
        close_bench(b);
    }
}

Test(run, a_saved_run_goes_on_to_the_same_bits)
{
    const double t[] = {0, 1, 2}, tau[] = {0.3, -0.2, 0.4};
    tq_table table = {.points = {3, 1, t, tau}, .interpolation = TQ_INTERPOLATE_LINEAR};
    const tq_effect effects[] = {
        tq_torque_table(&table),
        {.n_z = 1, .n_held = 1, .sample_time = 0.17, .act = hold, .sample = count}};
    for (int method = 0; method < TQ_RUN_MOREAU; method++) {
        bench *b = open_bench(tqt_pendulum());
        b->plant.effects = effects;
        b->plant.n_effect = 2;
        const tq_run_options options = options_of((tq_run_method)method, 1e-8, 1e-3);
        unsigned char bytes[512];
        double want[4] = {0};
        tq_ode_stats stats = {0};
        for (int resumed = 0; resumed < 2; resumed++) {
            tq_run *run = open_run(b, &options);
            const double start[1] = {0.7}, rest[1] = {0};
            int first = 1;
            if (resumed) {
                cr_assert(eq(int, tq_run_load(run, bytes, 3), 0), "too few bytes");
                cr_assert(tq_run_load(run, bytes, tq_run_save_size(run)));
                cr_assert(eq(dbl, run->t, 0.9));
                first = 10;
            } else {
                cr_assert(eq(int, tq_run_start(run, 0, start, rest, NULL), TQ_OK));
            }
            for (int k = first; k <= 20; k++) {
                cr_assert(tq_run_to(run, 0.1 * k, k % 3 == 0));
                if (k == 9) {
                    cr_assert(le(sz, tq_run_save_size(run), sizeof bytes));
                    tq_run_save(run, bytes);
                }
            }
            const double got[4] = {run->state->q[0], run->state->qd[0], run->state->z[0],
                                   run->state->held[0]};
            if (resumed) {
                cr_assert(eq(int, memcmp(got, want, sizeof got), 0), "method %d", method);
                cr_assert(eq(int, (int)run->stats.n_step, (int)stats.n_step));
                cr_assert(eq(int, (int)run->stats.n_evaluation, (int)stats.n_evaluation));
            }
            memcpy(want, got, sizeof want);
            stats = run->stats;
            tq_run_close(run);
        }
        close_bench(b);
    }
}

static int stop_at_once(void *ctx, double t)
{
    (void)t;
    return ++*(int *)ctx == 3;
}

Test(run, ends_say_why)
{
    const double t[] = {0, 1}, tau[] = {1e9, 1e9};
    tq_table table = {.points = {2, 1, t, tau}, .interpolation = TQ_INTERPOLATE_HOLD};
    const tq_effect effect = tq_torque_table(&table);
    bench *b = open_bench(tqt_pendulum());
    const double zero[1] = {0}, one[1] = {1.0};
    b->plant.effects = &effect;
    b->plant.n_effect = 1;
    for (int method = 0; method < TQ_RUN_MOREAU; method++) {
        const tq_run_options options = options_of((tq_run_method)method, 1e-6, 1e-6);
        tq_run *run = open_run(b, &options);
        cr_assert(eq(int, tq_run_start(run, 0, zero, zero, NULL), TQ_OK));
        cr_assert(eq(int, tq_run_to(run, 3.0, 0), 0));
        cr_assert(eq(int, run->end, TQ_RUN_RUNAWAY), "method %d: %d", method, run->end);
        cr_assert(eq(int, (int)run->joint, 0));
        cr_assert(all(gt(dbl, run->t, 0.0), lt(dbl, run->t, 1e6 * 0.25 / 1e9 * 1.01)));
        cr_assert(all(gt(dbl, run->state->qd[0], 0.0), lt(dbl, run->state->qd[0], 1e6)));
        cr_assert(eq(int, tq_run_to(run, 4.0, 0), 0), "it has ended");
        tq_run_close(run);
    }
    b->plant.n_effect = 0;
    int reported = 0;
    tq_run_options options = options_of(TQ_RUN_RK4, 0, 1e-3);
    options.tick = stop_at_once;
    options.ctx = &reported;
    tq_run *run = open_run(b, &options);
    cr_assert(eq(int, tq_run_start(run, 0, one, zero, NULL), TQ_OK));
    cr_assert(eq(int, tq_run_to(run, 3.0, 0), 0));
    cr_assert(eq(int, run->end, TQ_RUN_STOPPED));
    tq_run_close(run);
    options.tick = NULL;
    options.max_evaluations = 2000;
    run = open_run(b, &options);
    cr_assert(eq(int, tq_run_start(run, 0, one, zero, NULL), TQ_OK));
    cr_assert(eq(int, tq_run_to(run, 3.0, 0), 0));
    cr_assert(eq(int, run->end, TQ_RUN_TOO_MUCH));
    tq_run_close(run);
    close_bench(b);
}

static tq_status give_up(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                         tq_error *reterr)
{
    (void)ctx, (void)scratch, (void)to;
    return at->t < 0.5 ? TQ_OK : tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "path", 0, at->t);
}

Test(run, an_effect_that_gives_up_ends_the_run_near_there)
{
    bench *b = open_bench(tqt_pendulum());
    const tq_effect effect = {.act = give_up};
    b->plant.effects = &effect;
    b->plant.n_effect = 1;
    const double one[1] = {1.0}, zero[1] = {0};
    for (int method = 0; method < TQ_RUN_MOREAU; method++) {
        const tq_run_options options = options_of((tq_run_method)method, 1e-6, 1e-3);
        tq_run *run = open_run(b, &options);
        cr_assert(eq(int, tq_run_start(run, 0, one, zero, NULL), TQ_OK));
        cr_assert(eq(int, tq_run_to(run, 3.0, 0), 0));
        cr_assert(eq(int, run->end, TQ_RUN_REFUSED), "method %d: %d", method, run->end);
        cr_assert(eq(str, (char *)(uintptr_t)run->error.what, "path"));
        cr_assert(epsilon_eq(dbl, run->t, 0.5, 2e-3), "method %d: %g", method, run->t);
        tq_run_close(run);
    }
    close_bench(b);
}

Test(run, refuses_what_a_method_cannot_do)
{
    tq_model *m = tqt_model_new(2);
    m->joints[0].kind = TQ_JOINT_SPHERICAL, m->joints[0].parent = 0, m->joints[0].child = 1;
    m->links[1].inertia = (tq_inertia){.mass = 2.0, .about_com = {0.3, 0, 0, 0.2, 0, 0.12}};
    cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
    bench *b = open_bench(m);
    tq_run_options options = options_of(TQ_RUN_MIDPOINT, 0, 1e-3);
    tq_run *run = NULL;
    cr_assert(eq(int, tq_run_open(&b->plant, &options, &b->scratch, &run, NULL), TQ_ERR_SHAPE));
    cr_assert(eq(sz, b->scratch.used, 0));
    tq_scratch_init(&b->scratch, b->memory, 2048);
    options.method = TQ_RUN_RK4;
    cr_assert(eq(int, tq_run_open(&b->plant, &options, &b->scratch, &run, NULL), TQ_ERR_SCRATCH));
    cr_assert(eq(sz, b->scratch.used, 0));
    close_bench(b);
}
