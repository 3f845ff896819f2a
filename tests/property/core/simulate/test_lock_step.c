/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/simulate/test_lock_step.c - periods of held torque against one run with a
 * table; rewind; delays, noise and resolution of sensors. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/lanes/table.h"
#include "core/plant/torque_table.h"
#include "core/simulate/lock_step.h"
#include "tests/support/pendulum.h"
#include "tests/support/random_robot.h"

enum { BYTES = 8 << 20, STEPS = 40 };
static const double period = 0.01;

typedef struct bench {
    tq_model *model;
    const tq_mechanism *mechanism;
    void *home, *memory, *records;
    tq_scratch scratch;
    tq_plant plant;
    tq_effect effect;
    double tau[TQ_BLOCK_PAD];
    tq_held_torque held;
    tq_run_options options;
    tq_run *run;
    tq_lock_step lock;
} bench;

static const double start[1] = {0.3}, rest[1] = {0};

static bench *open_bench(const tq_lock_step_options *options)
{
    bench *b = calloc(1, sizeof *b);
    b->model = tqt_pendulum();
    cr_assert(eq(int, tq_lanes_select(0), TQ_OK));
    const size_t size = (tq_mechanism_size(b->model) + 63) / 64 * 64;
    b->home = aligned_alloc(64, size);
    b->memory = aligned_alloc(64, BYTES);
    cr_assert(eq(int, tq_mechanism_build(b->model, b->home, size, &b->mechanism, NULL), TQ_OK));
    tq_scratch_init(&b->scratch, b->memory, BYTES);
    b->held = (tq_held_torque){.nv = 1, .tau = b->tau};
    b->effect = tq_held_torque_effect(&b->held);
    b->plant = (tq_plant){.mechanism = b->mechanism, .effects = &b->effect, .n_effect = 1};
    b->options = (tq_run_options){.method = TQ_RUN_RK4, .step = 0.004, .end = (double)INFINITY};
    cr_assert(eq(int, tq_run_open(&b->plant, &b->options, &b->scratch, &b->run, NULL), TQ_OK));
    cr_assert(eq(int, tq_run_start(b->run, 0.0, start, rest, NULL), TQ_OK));
    if (options != NULL) {
        b->records = malloc(tq_lock_step_size(b->run, b->model, options));
        tq_lock_step_open(b->run, &b->held, b->model, options, b->records, &b->lock);
    }
    return b;
}

static void close_bench(bench *b)
{
    tq_run_close(b->run);
    free(b->records);
    free(b->home);
    free(b->memory);
    tqt_model_free(b->model);
    free(b);
}

static double torque(uint64_t k)
{
    return 3.0 * sin(1.7 * (double)k);
}

static double advance(bench *b)
{
    const double tau[1] = {torque(b->lock.step)};
    cr_assert(tq_lock_step_advance(&b->lock, tau));
    return b->run->state->q[0];
}

static double read(const bench *b, tq_sensor_kind kind)
{
    double ret[1];
    tq_lock_step_read(&b->lock, kind, ret);
    return ret[0];
}

Test(lock_step, has_the_bits_of_one_run)
{
    const tq_lock_step_options options = {.period = period, .history = 3};
    bench *b = open_bench(&options);
    bench *whole = open_bench(NULL);
    double t[STEPS + 1], tau[STEPS + 1];
    for (int k = 0; k <= STEPS; k++) {
        t[k] = k * period;
        tau[k] = torque((uint64_t)k);
    }
    tq_table table = {.points = {.n_point = STEPS + 1, .n_coordinate = 1, .t = t, .x = tau},
                      .interpolation = TQ_INTERPOLATE_HOLD};
    whole->effect = tq_torque_table(&table);
    cr_assert(eq(int, tq_run_start(whole->run, 0.0, start, rest, NULL), TQ_OK));
    for (int k = 1; k <= STEPS; k++) {
        cr_assert(tq_run_to(whole->run, k * period, 0));
        (void)advance(b);
        cr_assert(eq(dbl, b->run->t, whole->run->t));
        cr_assert(eq(dbl, b->run->state->q[0], whole->run->state->q[0]));
        cr_assert(eq(dbl, b->run->state->qd[0], whole->run->state->qd[0]));
    }
    close_bench(b);
    close_bench(whole);
}

Test(lock_step, goes_back_as_far_as_its_history_and_to_the_start)
{
    const tq_lock_step_options options = {.period = period, .history = 5};
    bench *b = open_bench(&options);
    double q[STEPS + 1] = {start[0]};
    for (int k = 1; k <= STEPS; k++) {
        q[k] = advance(b);
    }
    cr_assert(eq(u64, tq_lock_step_least(&b->lock), STEPS - 5));
    cr_assert(not(tq_lock_step_rewind(&b->lock, STEPS - 6)));
    cr_assert(not(tq_lock_step_rewind(&b->lock, STEPS + 1)));
    cr_assert(tq_lock_step_rewind(&b->lock, STEPS - 5));
    cr_assert(eq(dbl, b->run->state->q[0], q[STEPS - 5]));
    for (int k = STEPS - 4; k <= STEPS; k++) {
        cr_assert(eq(dbl, advance(b), q[k]));
    }
    cr_assert(tq_lock_step_rewind(&b->lock, 0));
    cr_assert(eq(dbl, b->run->t, 0.0));
    for (int k = 1; k <= STEPS; k++) {
        cr_assert(eq(dbl, advance(b), q[k]));
    }
    close_bench(b);
}

Test(lock_step, a_fork_is_equal_and_independent)
{
    const tq_lock_step_options options = {.period = period, .history = 8, .actuator_delay = 2};
    bench *b = open_bench(&options);
    bench *fork = open_bench(&options);
    for (int k = 0; k < 20; k++) {
        (void)advance(b);
    }
    cr_assert(not(tq_lock_step_copy(&fork->lock, &b->lock, 11)));
    cr_assert(tq_lock_step_copy(&fork->lock, &b->lock, 15));
    cr_assert(tq_lock_step_rewind(&b->lock, 15));
    for (int k = 0; k < 10; k++) {
        cr_assert(eq(dbl, advance(fork), advance(b)));
    }
    cr_assert(tq_lock_step_copy(&fork->lock, &b->lock, 0));
    cr_assert(eq(dbl, fork->run->state->q[0], start[0]));
    close_bench(b);
    close_bench(fork);
}

Test(lock_step, delays_count_periods)
{
    tq_lock_step_options options = {.period = period, .actuator_delay = 3};
    options.sensors[TQ_SENSOR_Q].delay = 4;
    options.sensors[TQ_SENSOR_QD].delay = 1;
    bench *b = open_bench(&options);
    double q[STEPS + 1] = {start[0]}, qd[STEPS + 1] = {0}, pending[1];
    for (int k = 1; k <= STEPS; k++) {
        q[k] = advance(b);
        qd[k] = b->run->state->qd[0];
        cr_assert(eq(dbl, read(b, TQ_SENSOR_Q), q[k > 4 ? k - 4 : 0]));
        cr_assert(eq(dbl, read(b, TQ_SENSOR_QD), qd[k - 1]));
        /* the command of step k - 1 acts in the period before step k + 3 */
        cr_assert(eq(dbl, read(b, TQ_SENSOR_TAU), k > 3 ? torque((uint64_t)k - 4) : 0.0));
        tq_lock_step_pending(&b->lock, 2, pending);
        cr_assert(eq(dbl, pending[0], k > 2 ? torque((uint64_t)k - 3) : 0.0));
    }
    close_bench(b);
}

Test(lock_step, limits_hold_the_torque)
{
    const double limit[1] = {1.5};
    const tq_lock_step_options options = {.period = period, .limit = limit};
    bench *b = open_bench(&options);
    for (uint64_t k = 0; k < 20; k++) {
        (void)advance(b);
        cr_assert(eq(dbl, tq_lock_step_torque(&b->lock)[0], fmax(-1.5, fmin(1.5, torque(k)))));
    }
    close_bench(b);
}

/* 2,000 numbers: mean and deviation within four standard errors, for this seed */
Test(lock_step, noise_is_normal_and_of_its_seed)
{
    const double noise[1] = {0.2}, resolution[1] = {0.125};
    tq_lock_step_options options = {.period = period, .seed = 11};
    options.sensors[TQ_SENSOR_Q].noise = noise;
    options.sensors[TQ_SENSOR_QD].resolution = resolution;
    bench *b = open_bench(&options);
    bench *other = open_bench(&options);
    other->lock.options.seed = 12;
    double sum = 0.0, squares = 0.0;
    const int n = 2000;
    for (int k = 0; k < n; k++) {
        const double q = advance(b);
        const double e = read(b, TQ_SENSOR_Q) - q;
        const double steps = read(b, TQ_SENSOR_QD) / resolution[0];
        cr_assert(eq(dbl, advance(other), q));
        cr_assert(ne(dbl, read(other, TQ_SENSOR_Q), read(b, TQ_SENSOR_Q)));
        cr_assert(eq(dbl, read(b, TQ_SENSOR_Q), read(b, TQ_SENSOR_Q)));
        cr_assert(eq(dbl, steps, floor(steps)));
        cr_assert(le(dbl, fabs(steps * resolution[0] - b->run->state->qd[0]), 0.5 * resolution[0]));
        sum += e;
        squares += e * e;
    }
    cr_assert(lt(dbl, fabs(sum / n), 4.0 * 0.2 / sqrt(n)));
    cr_assert(lt(dbl, fabs(sqrt(squares / n) / 0.2 - 1.0), 4.0 / sqrt(2.0 * n)));
    close_bench(b);
    close_bench(other);
}

/* the oldest step that can be restored depends on the delays of sensors and actuators, also after
 * two rewinds */
Test(lock_step, delayed_values_are_restored_by_a_rewind)
{
    tq_lock_step_options options = {.period = period, .history = 6, .actuator_delay = 2};
    options.sensors[TQ_SENSOR_Q].delay = 5;
    bench *b = open_bench(&options);
    double reading[STEPS + 1] = {0}, q[STEPS + 1] = {start[0]};
    for (int k = 1; k <= STEPS; k++) {
        q[k] = advance(b);
        reading[k] = read(b, TQ_SENSOR_Q);
    }
    for (int turn = 0; turn < 4; turn++) {
        const uint64_t least = tq_lock_step_least(&b->lock);
        cr_assert(ge(u64, least, STEPS - 6));
        cr_assert(not(tq_lock_step_rewind(&b->lock, least - 1)));
        cr_assert(tq_lock_step_rewind(&b->lock, least));
        cr_assert(eq(dbl, read(b, TQ_SENSOR_Q), reading[least]));
        for (uint64_t k = least + 1; k <= least + (uint64_t)turn; k++) {
            cr_assert(eq(dbl, advance(b), q[k]));
            cr_assert(eq(dbl, read(b, TQ_SENSOR_Q), reading[k]));
        }
    }
    close_bench(b);
}
