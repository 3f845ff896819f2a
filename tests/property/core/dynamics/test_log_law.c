/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/test_log_law.c - torque along recorded motion against closed forms
 * of a pendulum whose gear yields. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>

#include "core/dynamics/log_law.h"
#include "core/model/mechanism.h"

enum { N = 64, STRIDE = 64 };
static const double mass = 2, arm = 0.5, gravity = 9.81, presliding = 0.01, period = 0.01;

/* a point mass on an arm about the horizontal y axis, at q = 0 along x */
typedef struct bench {
    const tq_mechanism *mechanism;
    void *memory, *bytes;
    tq_scratch scratch;
} bench;

static bench pendulum(const tq_log_law *law, const tq_friction *friction)
{
    static tq_link links[2];
    static tq_joint joints[1];
    static uint32_t order[1];
    links[0] = (tq_link){.inertia = {.mass = 0}};
    links[1] = (tq_link){.inertia = {.mass = mass, .com = {arm, 0, 0}}};
    joints[0] = (tq_joint){.kind = TQ_JOINT_REVOLUTE,
                           .parent = 0,
                           .child = 1,
                           .origin = tq_pose_identity,
                           .axis = {0, 1, 0},
                           .limits = {-INFINITY, INFINITY, INFINITY, INFINITY},
                           .friction = *friction,
                           .log_law = *law,
                           .rotor = {.inertia = .3, .ratio = 1},
                           .spring = {.stiffness = 4, .rest = .1},
                           .mimic = TQ_NONE};
    tq_model model = {.n_link = 2,
                      .n_joint = 1,
                      .links = links,
                      .joints = joints,
                      .order = order,
                      .gravity = {0, 0, -gravity}};
    tq_error error = {0};
    bench b = {0};
    cr_assert(eq(int, tq_model_finish(&model, &error), TQ_OK));
    const size_t size = tq_mechanism_size(&model);
    b.memory = aligned_alloc(64, (size + 63) / 64 * 64);
    cr_assert(eq(int, tq_mechanism_build(&model, b.memory, size, &b.mechanism, &error), TQ_OK));
    const size_t room = (tq_inverse_scratch_size(b.mechanism, 0) +
                         tq_log_law_scratch_size(b.mechanism, STRIDE) + 63) /
                        64 * 64;
    b.bytes = aligned_alloc(64, room);
    tq_scratch_init(&b.scratch, b.bytes, room);
    return b;
}

static void end(bench *b)
{
    free(b->memory);
    free(b->bytes);
}

/* there and back: constant rate, turned at sample 30 */
static void motion(double *q, double *qd, double *qdd, double *way)
{
    double at = .2;
    for (size_t i = 0; i < N; i++) {
        qd[i] = i < 30 ? .4 : -.3;
        way[i] = i == 0 ? 0 : qd[i] * period;
        at += way[i];
        q[i] = at;
        qdd[i] = sin((double)i);
    }
}

static double bodies(double q, double qdd)
{
    return mass * arm * arm * qdd - mass * gravity * arm * cos(q); /* about +y gravity raises q */
}

static const tq_friction plain = {.viscous = 1, .coulomb = 2, .smoothing = .05, .offset = .1};

static void along(bench *b, const tq_log_motion *log, const double *qdd, double *ret)
{
    double state[2];
    double *rows = aligned_alloc(64, 2 * STRIDE * sizeof *rows);
    const tq_inverse_input in = {
        .n_sample = N, .stride = STRIDE, .q = log->q, .qd = log->qd, .qdd = qdd};
    tq_error error = {0};
    tq_log_law_begin(tq_mechanism_model(b->mechanism), state);
    tq_log_law_compute(b->mechanism, log, state, rows);
    cr_assert(eq(int, tq_inverse_dynamics(b->mechanism, &in, &b->scratch, ret, &error), TQ_OK));
    cr_assert(eq(int, tq_log_law_add(b->mechanism, &in, rows, &b->scratch, ret, &error), TQ_OK));
    free(rows);
}

Test(log_law, gear_yields_then_slips)
{
    /* s = 1 - (1 - s0) exp(-x / p) one way, -1 + (1 + s1) exp(-x / p) back */
    const tq_log_law law = {.is_there = true,
                            .friction = {.viscous = .5,
                                         .coulomb = 3,
                                         .breakaway = 4,
                                         .stribeck_velocity = .5,
                                         .smoothing = .2,
                                         .offset = -.4},
                            .load = .07,
                            .presliding = presliding,
                            .inertia = .9,
                            .jerk = -.02};
    bench b = pendulum(&law, &plain);
    double q[STRIDE], qd[STRIDE], qdd[STRIDE], way[STRIDE], fast[2 * STRIDE], tau[STRIDE];
    motion(q, qd, qdd, way);
    for (size_t i = 0; i < N; i++) {
        fast[i] = cos(3. * (double)i);
        fast[STRIDE + i] = 10 * sin(2. * (double)i);
    }
    const tq_log_motion log = {.n_sample = N,
                               .stride = STRIDE,
                               .q = q,
                               .qd = qd,
                               .way = way,
                               .fast = fast,
                               .period = period,
                               .begins = true};
    along(&b, &log, qdd, tau);
    const double first = tanh(.4 / .2);
    const double turned = 1 - (1 - first) * exp(-29 * .4 * period / presliding);
    for (size_t i = 0; i < N; i++) {
        const double s =
            i < 30 ? 1 - (1 - first) * exp(-(double)i * .4 * period / presliding)
                   : -1 + (1 + turned) * exp(-(double)(i - 29) * .3 * period / presliding);
        const double dry = 3 + exp(-qd[i] * qd[i] / .25) + .07 * fabs(bodies(q[i], qdd[i]));
        const double want = bodies(q[i], qdd[i]) + .3 * qdd[i] + 4 * (q[i] - .1) + .5 * qd[i] - .4 +
                            dry * s + .9 * fast[i] - .02 * fast[STRIDE + i];
        cr_expect(epsilon_eq(dbl, tau[i], want, 1e-11), "sample %zu", i);
    }
    end(&b);
}

Test(log_law, way_from_coordinates_rest_and_gaps)
{
    const tq_log_law law = {.is_there = true,
                            .friction = {.coulomb = 3, .smoothing = .2},
                            .presliding = presliding,
                            .relaxation = .1};
    bench b = pendulum(&law, &plain);
    double q[STRIDE], qd[STRIDE], qdd[STRIDE], way[STRIDE], given[STRIDE], from_q[STRIDE];
    motion(q, qd, qdd, way);
    tq_log_motion log = {.n_sample = N,
                         .stride = STRIDE,
                         .q = q,
                         .qd = qd,
                         .way = way,
                         .period = period,
                         .begins = true};
    along(&b, &log, qdd, given);
    log.way = NULL;
    along(&b, &log, qdd, from_q);
    for (size_t i = 0; i < N; i++) {
        cr_expect(epsilon_eq(dbl, from_q[i], given[i], 1e-11), "sample %zu", i);
    }
    /* at rest s decays by exp(-t / relaxation), and a gap begins again with s(qd) */
    double state[2], rows[2 * STRIDE];
    tq_log_law_begin(tq_mechanism_model(b.mechanism), state);
    for (size_t i = 0; i < N; i++) {
        q[i] = .2;
        qd[i] = i == 0 ? .4 : 0;
    }
    tq_log_law_compute(b.mechanism, &log, state, rows);
    for (size_t i = 0; i < N; i++) {
        const double s = tanh(.4 / .2) * exp(-(double)i * period / .1);
        const double plain_there = i == 0 ? 1 * .4 + 2 * tanh(.4 / .05) + .1 : .1;
        cr_expect(epsilon_eq(dbl, rows[i], 3 * s - plain_there, 1e-12), "sample %zu", i);
        cr_expect(eq(dbl, rows[STRIDE + i], 0.));
    }
    qd[0] = -.1;
    log.begins = true;
    tq_log_law_compute(b.mechanism, &log, state, rows);
    cr_expect(
        epsilon_eq(dbl, rows[0], 3 * tanh(-.1 / .2) - (-.1 + 2 * tanh(-.1 / .05) + .1), 1e-12));
    end(&b);
}

Test(log_law, a_robot_without_one_has_none)
{
    const tq_log_law none = {.is_there = false, .load = 3};
    bench b = pendulum(&none, &plain);
    cr_expect(tq_first_log_law(tq_mechanism_model(b.mechanism)) == NULL);
    end(&b);
}
