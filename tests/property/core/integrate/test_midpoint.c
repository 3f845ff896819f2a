/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/integrate/test_midpoint.c - energy without a trend, and refusals. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/energy.h"
#include "core/integrate/midpoint.h"
#include "core/lanes/table.h"
#include "tests/support/pendulum.h"
#include "tests/support/random_robot.h"

enum { BYTES = 1 << 20, LANE = 8 };

typedef struct bench {
    tq_model *model;
    void *home, *memory;
    tq_scratch scratch;
    tq_plant plant;
    tq_trajectories state;
} bench;

static bench open_bench(tq_model *model)
{
    bench b = {.model = model};
    const tq_mechanism *mechanism = NULL;
    cr_assert(eq(int, tq_lanes_select(0), TQ_OK));
    const size_t size = (tq_mechanism_size(model) + 63) / 64 * 64;
    b.home = aligned_alloc(64, size);
    b.memory = aligned_alloc(64, BYTES);
    cr_assert(eq(int, tq_mechanism_build(model, b.home, size, &mechanism, NULL), TQ_OK));
    tq_scratch_init(&b.scratch, b.memory, BYTES);
    b.plant = (tq_plant){.mechanism = mechanism};
    b.state = (tq_trajectories){.n_sample = 1,
                                .stride = LANE,
                                .q = tqt_doubles(model->nq * LANE),
                                .qd = tqt_doubles(model->nv * LANE)};
    return b;
}

static void close_bench(bench *b)
{
    free(b->state.q), free(b->state.qd);
    free(b->home), free(b->memory);
    tqt_model_free(b->model);
}

static void step(bench *b, double h)
{
    size_t n = 0;
    cr_assert(eq(int, tq_midpoint_step(&b->plant, 0, h, &b->state, &b->scratch, &n, NULL), TQ_OK));
    cr_assert(eq(sz, b->scratch.used, 0));
    cr_assert(le(sz, b->scratch.peak, tq_midpoint_scratch_size(&b->plant)));
}

static double energy(bench *b)
{
    _Alignas(64) double e[2 * LANE];
    const tq_inverse_input at = {.n_sample = 1, .stride = LANE, .q = b->state.q, .qd = b->state.qd};
    cr_assert(eq(int, tq_energy(b->plant.mechanism, &at, &b->scratch, e, NULL), TQ_OK));
    return e[0] + e[LANE];
}

static void put(double *rows, size_t n, const double *x)
{
    for (size_t k = 0; k < n * LANE; k++) {
        rows[k] = x[k / LANE];
    }
}

Test(midpoint, energy_has_no_trend_over_a_thousand_seconds)
{
    bench b = open_bench(tqt_pendulum());
    const double start[1] = {2.0};
    put(b.state.q, 1, start);
    const double before = energy(&b);
    double worst[2] = {0}; /* largest error in the first and in the last tenth */
    for (int k = 0; k < 100000; k++) {
        step(&b, 0.01);
        const double off = fabs(energy(&b) - before);
        if (k < 10000 || k >= 90000) {
            worst[k >= 90000] = fmax(worst[k >= 90000], off);
        }
    }
    cr_assert(lt(dbl, worst[0], 0.02), "h^2 of 7 J: %g", worst[0]);
    cr_assert(lt(dbl, worst[1], 1.001 * worst[0]), "%g then %g", worst[0], worst[1]);
    close_bench(&b);
}

Test(midpoint, a_step_back_returns_and_trees_keep_their_energy)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        bench b = open_bench(tqt_random_robot(
            seed, (tqt_robot_options){.n_joint = 4,
                                      .kinds = TQT_KINDS_ONE,
                                      .with = TQT_WITH_BRANCHES | TQT_WITH_SPRING}));
        tqt_states s = tqt_random_states(seed, b.model, 1);
        double *q = tqt_doubles(b.model->nq), *qd = tqt_doubles(b.model->nv);
        tqt_sample(s.q, b.model->nq, s.stride, 0, q),
            tqt_sample(s.qd, b.model->nv, s.stride, 0, qd);
        double drift[2];
        for (int fine = 0; fine < 2; fine++) {
            put(b.state.q, b.model->nq, q), put(b.state.qd, b.model->nv, qd);
            const double before = energy(&b);
            const double h = fine ? 5e-5 : 1e-4;
            for (int k = 0; k < (fine ? 400 : 200); k++) {
                step(&b, h);
            }
            drift[fine] = fabs(energy(&b) - before) / (1.0 + fabs(before));
            for (int k = 0; k < (fine ? 400 : 200); k++) {
                step(&b, -h);
            }
            for (size_t r = 0; r < b.model->nq; r++) {
                cr_assert(epsilon_eq(dbl, b.state.q[r * LANE], q[r], 1e-9 * (1.0 + fabs(q[r]))),
                          "seed %d: the rule is symmetric in time", (int)seed);
            }
        }
        cr_assert(lt(dbl, drift[1], fmax(drift[0] / 3.0, 1e-11)), "seed %d: %g then %g", (int)seed,
                  drift[0], drift[1]);
        free(q), free(qd);
        tqt_states_free(&s);
        close_bench(&b);
    }
}

Test(midpoint, a_step_too_long_to_converge_says_so)
{
    bench b = open_bench(tqt_pendulum());
    const double start[1] = {0.3}, fast[1] = {1.0};
    put(b.state.q, 1, start), put(b.state.qd, 1, fast);
    size_t n = 0;
    cr_assert(eq(int, tq_midpoint_step(&b.plant, 0, 3.0, &b.state, &b.scratch, &n, NULL),
                 TQ_ERR_NO_CONVERGENCE));
    cr_assert(eq(dbl, b.state.q[0], 0.3));
    tq_scratch small;
    tq_scratch_init(&small, b.memory, 256);
    cr_assert(
        eq(int, tq_midpoint_step(&b.plant, 0, 0.1, &b.state, &small, &n, NULL), TQ_ERR_SCRATCH));
    close_bench(&b);
}
