/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/integrate/test_fixed_step.c - order of the methods, free motion, bits. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/lagrangian.h"
#include "core/integrate/fixed_step.h"
#include "core/lanes/table.h"
#include "core/plant/state.h"
#include "tests/support/random_robot.h"

enum { BYTES = 8 << 20 };

typedef struct run {
    const tq_mechanism *mechanism;
    void *memory, *home;
    tq_scratch scratch;
    tq_plant plant;
} run;

static run open_run(const tq_model *model)
{
    run r = {.memory = aligned_alloc(64, BYTES)};
    cr_assert(eq(int, tq_lanes_select(0), TQ_OK));
    const size_t size = (tq_mechanism_size(model) + 63) / 64 * 64;
    r.home = aligned_alloc(64, size);
    cr_assert(eq(int, tq_mechanism_build(model, r.home, size, &r.mechanism, NULL), TQ_OK));
    tq_scratch_init(&r.scratch, r.memory, BYTES);
    r.plant = (tq_plant){.mechanism = r.mechanism};
    return r;
}

static void close_run(run *r)
{
    free(r->memory);
    free(r->home);
}

static void simulate(run *r, tq_fixed_method method, size_t n_step, double h, size_t n,
                     size_t stride, double *q, double *qd)
{
    for (size_t k = 0; k < n_step; k++) {
        const tq_trajectories state = {.n_sample = n, .stride = stride, .q = q, .qd = qd};
        cr_assert(eq(int,
                     tq_fixed_step(&r->plant, method, h * (double)k, h, &state, &r->scratch, NULL),
                     TQ_OK));
    }
    cr_assert(eq(sz, r->scratch.used, 0));
}

/* m l^2 th'' = -m g l sin th, item 22: a rod without mass and a bob of 1 kg at 0.5 m */
static tq_model *pendulum(void)
{
    tq_model *m = tqt_model_new(2);
    m->joints[0].kind = TQ_JOINT_CONTINUOUS, m->joints[0].parent = 0, m->joints[0].child = 1;
    m->joints[0].axis[0] = 0, m->joints[0].axis[1] = 1, m->joints[0].axis[2] = 0;
    m->links[1].inertia.mass = 1.0;
    m->links[1].inertia.com[2] = -0.5;
    cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
    return m;
}

/* complete elliptic integral of the first kind by the arithmetic-geometric mean */
static double elliptic_k(double k)
{
    double a = 1.0, b = sqrt(1.0 - k * k);
    for (int i = 0; i < 10; i++) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b), a = mean;
    }
    return M_PI_2 / a;
}

Test(seeds, item_022_pendulum_period_by_elliptic_integral)
{
    tq_model *model = pendulum();
    run r = open_run(model);
    const double start = 2.0; /* rad: far from small */
    const double period = 4.0 * sqrt(0.5 / 9.81) * elliptic_k(sin(start / 2));
    double error[2];
    for (int k = 0; k < 2; k++) {
        _Alignas(64) double q[8], qd[8] = {0};
        for (int i = 0; i < 8; i++) {
            q[i] = start;
        }
        const size_t n = 500u << k;
        simulate(&r, TQ_FIXED_RK4, n, period / (double)n, 1, 8, q, qd);
        error[k] = hypot(q[0] - start, qd[0]);
    }
    cr_assert(lt(dbl, error[1], 1e-8));
    cr_assert(all(gt(dbl, error[0] / error[1], 14.0), lt(dbl, error[0] / error[1], 18.0)),
              "order 4: 16, got %g", error[0] / error[1]);
    close_run(&r);
    tqt_model_free(model);
}

/* one free body: energy, and angular momentum in the world, are constant */
Test(fixed_step, a_floating_body_keeps_energy_and_falls_by_half_g_t_squared)
{
    tq_model *m = tqt_model_new(2);
    m->joints[0].kind = TQ_JOINT_FLOATING, m->joints[0].parent = 0, m->joints[0].child = 1;
    m->links[1].inertia = (tq_inertia){.mass = 2.0, .about_com = {0.3, 0, 0, 0.2, 0, 0.12}};
    cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
    run r = open_run(m);
    _Alignas(64) double q[7 * 8] = {0}, qd[6 * 8] = {0};
    for (int i = 0; i < 8; i++) {
        q[3 * 8 + i] = 1.0;
        qd[i] = 0.4, qd[3 * 8 + i] = 1.0, qd[4 * 8 + i] = 3.0, qd[5 * 8 + i] = -0.2;
    }
    const double spin = 0.5 * (0.3 * 1.0 + 0.2 * 9.0 + 0.12 * 0.04);
    simulate(&r, TQ_FIXED_RK4, 2000, 1e-3, 1, 8, q, qd);
    const double now = 0.5 * (0.3 * qd[3 * 8] * qd[3 * 8] + 0.2 * qd[4 * 8] * qd[4 * 8] +
                              0.12 * qd[5 * 8] * qd[5 * 8]);
    cr_assert(epsilon_eq(dbl, now, spin, 1e-10), "h^4 times rates of order 3, over 2 s");
    cr_assert(epsilon_eq(dbl, q[2 * 8], -0.5 * 9.81 * 4.0, 1e-9), "free fall for 2 s");
    cr_assert(epsilon_eq(dbl, q[0], 0.8, 1e-9), "and straight on");
    close_run(&r);
    tqt_model_free(m);
}

static double energy(const tq_model *model, const double *q, const double *qd, tq_scratch *scratch)
{
    tq_configuration p;
    const size_t mark = tq_scratch_mark(scratch);
    cr_assert(eq(int, tq_configuration_compute(model, q, qd, scratch, &p, NULL), TQ_OK));
    const double sum =
        tq_lagrangian_kinetic(&p, qd) + tq_lagrangian_potential(&p, model->gravity, q);
    tq_scratch_rewind(scratch, mark);
    return sum;
}

Test(fixed_step, energy_of_random_trees_is_kept_to_the_fourth_order)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        tq_model *model = tqt_random_robot(
            seed, (tqt_robot_options){.n_joint = 4,
                                      .kinds = TQT_KINDS_ALL,
                                      .with = TQT_WITH_BRANCHES | TQT_WITH_SPRING});
        run r = open_run(model);
        tqt_states s = tqt_random_states(seed, model, 1);
        double *q = tqt_doubles(model->nq), *qd = tqt_doubles(model->nv);
        double drift[2];
        for (int k = 0; k < 2; k++) {
            double *bq = tqt_doubles(model->nq * s.stride),
                   *bqd = tqt_doubles(model->nv * s.stride);
            memcpy(bq, s.q, model->nq * s.stride * sizeof *bq);
            memcpy(bqd, s.qd, model->nv * s.stride * sizeof *bqd);
            tqt_sample(bq, model->nq, s.stride, 0, q), tqt_sample(bqd, model->nv, s.stride, 0, qd);
            const double before = energy(model, q, qd, &r.scratch);
            simulate(&r, TQ_FIXED_RK4, 50u << k, 1e-3 / (1 << k), 1, s.stride, bq, bqd);
            tqt_sample(bq, model->nq, s.stride, 0, q), tqt_sample(bqd, model->nv, s.stride, 0, qd);
            drift[k] = fabs(energy(model, q, qd, &r.scratch) - before) / (1.0 + fabs(before));
            free(bq), free(bqd);
        }
        cr_assert(lt(dbl, drift[0], 1e-6), "seed %d", (int)seed);
        cr_assert(lt(dbl, drift[1], fmax(drift[0] / 8.0, 1e-12)), "seed %d: %g then %g", (int)seed,
                  drift[0], drift[1]);
        free(q), free(qd);
        tqt_states_free(&s);
        close_run(&r);
        tqt_model_free(model);
    }
}

Test(fixed_step, alone_or_in_a_block_gives_the_same_bits)
{
    tq_model *model =
        tqt_random_robot(3, (tqt_robot_options){.n_joint = 5, .kinds = TQT_KINDS_ALL, .with = 0});
    run r = open_run(model);
    tqt_states all = tqt_random_states(9, model, 16);
    double *q = tqt_doubles(model->nq * 8), *qd = tqt_doubles(model->nv * 8);
    for (size_t row = 0; row < model->nq; row++) {
        for (size_t i = 0; i < 8; i++) {
            q[row * 8 + i] = all.q[row * all.stride + 11];
        }
    }
    for (size_t row = 0; row < model->nv; row++) {
        for (size_t i = 0; i < 8; i++) {
            qd[row * 8 + i] = all.qd[row * all.stride + 11];
        }
    }
    simulate(&r, TQ_FIXED_RK4, 20, 1e-3, 16, all.stride, all.q, all.qd);
    simulate(&r, TQ_FIXED_RK4, 20, 1e-3, 1, 8, q, qd);
    for (size_t row = 0; row < model->nq; row++) {
        cr_assert(eq(int, memcmp(&q[row * 8], &all.q[row * all.stride + 11], sizeof *q), 0));
    }
    free(q), free(qd);
    tqt_states_free(&all);
    close_run(&r);
    tqt_model_free(model);
}

Test(fixed_step, semi_implicit_euler_is_of_first_order_and_does_not_drift)
{
    tq_model *model = pendulum();
    run r = open_run(model);
    _Alignas(64) double q[8], qd[8] = {0};
    for (int i = 0; i < 8; i++) {
        q[i] = 1.0;
    }
    double one[1] = {1.0}, zero[1] = {0};
    const double before = energy(model, one, zero, &r.scratch);
    double worst = 0.0;
    for (int k = 0; k < 20000; k++) { /* 20 s */
        simulate(&r, TQ_FIXED_SEMI_IMPLICIT, 1, 1e-3, 1, 8, q, qd);
        worst = fmax(worst, fabs(energy(model, &q[0], &qd[0], &r.scratch) - before));
    }
    cr_assert(lt(dbl, worst, 0.02), "bounded by the step, no trend");
    close_run(&r);
    tqt_model_free(model);
}
