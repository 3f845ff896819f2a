/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/plant/test_plant.c - effects: order of evaluation, observation, samples,
 * breaks. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/lanes/table.h"
#include "core/plant/torque_table.h"
#include "tests/support/random_robot.h"

enum { BYTES = 8 << 20, LANE = 8 };

typedef struct bench {
    tq_model *model;
    const tq_mechanism *mechanism;
    void *home, *memory;
    tq_scratch scratch;
    tqt_states s;
} bench;

static bench open_bench(uint64_t seed)
{
    bench b = {.model = tqt_random_robot(
                   seed, (tqt_robot_options){.n_joint = 4, .kinds = TQT_KINDS_ALL, .with = 0})};
    cr_assert(eq(int, tq_lanes_select(0), TQ_OK));
    const size_t size = (tq_mechanism_size(b.model) + 63) / 64 * 64;
    b.home = aligned_alloc(64, size);
    b.memory = aligned_alloc(64, BYTES);
    cr_assert(eq(int, tq_mechanism_build(b.model, b.home, size, &b.mechanism, NULL), TQ_OK));
    tq_scratch_init(&b.scratch, b.memory, BYTES);
    b.s = tqt_random_states(seed, b.model, LANE);
    return b;
}

static void close_bench(bench *b)
{
    tqt_states_free(&b->s);
    tqt_model_free(b->model);
    free(b->home);
    free(b->memory);
}

/* its torque is its held value; z' depends on time */
static tq_status push(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                      tq_error *reterr)
{
    (void)scratch, (void)reterr, (void)ctx;
    for (size_t i = 0; i < at->n_sample; i++) {
        to->tau[i] += at->held[i];
        to->zd[i] = -at->z[i] + at->t;
    }
    return TQ_OK;
}

static tq_status note(void *ctx, const tq_instant *at, tq_scratch *scratch, double *ret_held,
                      tq_error *reterr)
{
    (void)scratch, (void)reterr, (void)ctx;
    for (size_t i = 0; i < at->n_sample; i++) {
        ret_held[i] = at->held[i] + at->t + at->z[i];
    }
    return TQ_OK;
}

/* doubles the torque of preceding effects, and applies a force to the last link */
static tq_status gear(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                      tq_error *reterr)
{
    (void)ctx, (void)scratch, (void)reterr;
    for (size_t i = 0; i < at->n_sample; i++) {
        to->tau[i] *= 2.0;
        to->wrench[2 * at->stride + i] += 3.0;
    }
    return TQ_OK;
}

/* z' = tau_0 + qdd_0 */
static tq_status watch(void *ctx, const tq_instant *at, tq_scratch *scratch, double *ret_zd,
                       tq_error *reterr)
{
    (void)ctx, (void)scratch, (void)reterr;
    for (size_t i = 0; i < at->n_sample; i++) {
        ret_zd[i] = at->tau[i] + at->qdd[i] + at->wrench[2 * at->stride + i];
    }
    return TQ_OK;
}

Test(plant, effects_act_in_their_order_and_watch_the_outcome)
{
    bench b = open_bench(5);
    const size_t stride = b.s.stride;
    const tq_effect effects[] = {{.n_z = 1, .n_held = 1, .act = push, .sample = note},
                                 {.act = gear},
                                 {.n_z = 1, .observe = watch}};
    const tq_external_wrench place = {.link = b.model->n_link - 1, .expressed_in = TQ_FRAME_WORLD};
    const tq_plant plant = {.mechanism = b.mechanism,
                            .effects = effects,
                            .n_effect = 3,
                            .wrenches = &place,
                            .n_wrench = 1};
    cr_assert(eq(sz, tq_plant_n_z(&plant), 2));
    cr_assert(eq(sz, tq_plant_n_held(&plant), 1));
    double *z = tqt_doubles(2 * stride), *held = tqt_doubles(stride);
    for (size_t i = 0; i < stride; i++) {
        z[i] = 0.25 * (double)i, z[stride + i] = 7.0, held[i] = 1.0;
    }
    const tq_trajectories state = {
        .n_sample = LANE, .stride = stride, .q = b.s.q, .qd = b.s.qd, .z = z, .held = held};
    cr_assert(eq(int, tq_plant_sample(&plant, 0, 0.5, &state, &b.scratch, NULL), TQ_OK));
    cr_assert(eq(dbl, held[4], 1.0 + 0.5 + 1.0));

    const tq_rates rate = {.q = tqt_doubles(b.model->nq * stride),
                           .qd = tqt_doubles(b.model->nv * stride),
                           .z = tqt_doubles(2 * stride),
                           .tau = tqt_doubles(b.model->nv * stride)};
    cr_assert(eq(int, tq_plant_rate(&plant, 0.5, &state, &b.scratch, &rate, NULL), TQ_OK));
    cr_assert(eq(sz, b.scratch.used, 0));
    cr_assert(le(sz, b.scratch.peak, tq_plant_scratch_size(&plant, stride)));
    double *up = tqt_doubles(6 * stride), *qdd = tqt_doubles(b.model->nv * stride);
    for (size_t i = 0; i < stride; i++) {
        up[2 * stride + i] = 3.0;
    }
    const tq_external_wrench wrench = {.link = place.link,
                                       .expressed_in = TQ_FRAME_WORLD,
                                       .rows = up,
                                       .row_stride = stride,
                                       .sample_step = 1};
    const tq_forward_input in = {.n_sample = LANE,
                                 .stride = stride,
                                 .q = b.s.q,
                                 .qd = b.s.qd,
                                 .tau = rate.tau,
                                 .wrenches = &wrench,
                                 .n_wrench = 1};
    cr_assert(eq(int, tq_forward_dynamics(b.mechanism, &in, &b.scratch, qdd, NULL), TQ_OK));
    for (size_t i = 0; i < LANE; i++) {
        cr_assert(eq(dbl, rate.tau[i], 2.0 * held[i]));
        cr_assert(eq(dbl, rate.z[i], -z[i] + 0.5));
        cr_assert(eq(dbl, rate.z[stride + i], rate.tau[i] + rate.qd[i] + 3.0));
        cr_assert(epsilon_eq(dbl, rate.qd[i], qdd[i], 1e-12 * (1.0 + fabs(qdd[i]))),
                  "quaternions are scaled once more: rounding");
    }
    free(up), free(qdd), free(z), free(held);
    free(rate.q), free(rate.qd), free(rate.z), free(rate.tau);
    close_bench(&b);
}

static tq_status refuse(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                        tq_error *reterr)
{
    (void)ctx, (void)scratch, (void)at, (void)to;
    return tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "path", 3, 0.5);
}

Test(plant, an_effect_that_cannot_go_on_says_so)
{
    bench b = open_bench(6);
    const tq_effect effect = {.act = refuse};
    const tq_plant plant = {.mechanism = b.mechanism, .effects = &effect, .n_effect = 1};
    const tq_trajectories state = {
        .n_sample = LANE, .stride = b.s.stride, .q = b.s.q, .qd = b.s.qd};
    const tq_rates rate = {.q = tqt_doubles(b.model->nq * b.s.stride),
                           .qd = tqt_doubles(b.model->nv * b.s.stride)};
    tq_error error = {0};
    cr_assert(eq(int, tq_plant_rate(&plant, 0, &state, &b.scratch, &rate, &error),
                 TQ_ERR_NO_CONVERGENCE));
    cr_assert(eq(str, (char *)(uintptr_t)error.what, "path"));
    tq_scratch small;
    tq_scratch_init(&small, b.memory, 64);
    cr_assert(eq(int, tq_plant_rate(&plant, 0, &state, &small, &rate, &error), TQ_ERR_SCRATCH));
    cr_assert(eq(sz, small.used, 0));
    free(rate.q), free(rate.qd);
    close_bench(&b);
}

Test(plant, breaks_have_their_order_of_time_and_of_smoothness)
{
    const double t[] = {1, 2, 3, 4}, x[] = {0, 1, 0, 1}, edge[] = {1.5, 2.5}, y[] = {0, 1};
    tq_table line = {.points = {4, 1, t, x}, .interpolation = TQ_INTERPOLATE_LINEAR};
    tq_table hold = {.points = {2, 1, edge, y}, .interpolation = TQ_INTERPOLATE_HOLD};
    const tq_effect effects[] = {tq_torque_table(&line), tq_torque_table(&hold)};
    const tq_plant plant = {.effects = effects, .n_effect = 2};
    const double want[] = {1, 1.5, 2, 2.5, 3, 4};
    double now = 0;
    unsigned order = 9;
    for (size_t k = 0; k < 6; k++) {
        now = tq_plant_next_break(&plant, now, 4, &order);
        cr_assert(eq(dbl, now, want[k]));
        cr_assert(eq(int, (int)order, k == 1 || k == 3 ? 0 : 1));
    }
    cr_assert(eq(dbl, tq_plant_next_break(&plant, 4, 4, NULL), INFINITY));
    cr_assert(eq(dbl, tq_plant_next_break(&plant, 0, 1, &order), 1.5), "jumps only");
    cr_assert(eq(dbl, tq_plant_next_break(&plant, 2.5, 1, &order), INFINITY));
}
