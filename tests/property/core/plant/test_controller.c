/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/plant/test_controller.c - each control law agrees with its theory; limits,
 * integrals, samples. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/coriolis.h"
#include "core/dynamics/mass_matrix/mass_matrix.h"
#include "core/integrate/fixed_step.h"
#include "core/plant/controller.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

enum { N = 5, LANE = 8, BYTES = 1 << 24 };
static _Alignas(64) unsigned char memory[BYTES];

static const double kp[N] = {40, 30, 20, 10, 5};
static const double kd[N] = {4, 3, 2, 1, 0.5};
static const double ki[N] = {7, 0, 3, 2, 1};
static const double lambda[N] = {5, 4, 3, 2, 1};
static const double offset[N] = {0.1, -0.2, 0.3, 0.2, -0.1};
static const double harmonic[2][N] = {{0.5, -0.4, 0.3, 0.2, -0.6}, {0.1, 0.7, -0.3, 0.4, 0.2}};

/* a robot with all terms, whose motion differs from the reference */
typedef struct scene {
    tq_model *model;
    tqt_subject *subject;
    tqt_states s;
    tq_reference reference;
    tq_scratch scratch;
    double want[3 * N], z[N * LANE], tau[N * LANE], qdd[N * LANE], zd[N * LANE];
} scene;

static const double now = 0.37;

static scene *open_scene(uint64_t seed)
{
    static scene s;
    memset(&s, 0, sizeof s);
    s.model = tqt_random_robot(
        seed, (tqt_robot_options){.n_joint = N,
                                  .kinds = 1u << TQ_JOINT_REVOLUTE | 1u << TQ_JOINT_PRISMATIC,
                                  .with = TQT_WITH_ROTOR | TQT_WITH_SPRING | TQT_WITH_FRICTION});
    s.subject = tqt_subject_new(s.model, 0);
    s.s = tqt_random_states(seed, s.model, LANE);
    s.reference = (tq_reference){.kind = TQ_REFERENCE_FOURIER,
                                 .n_coordinate = N,
                                 .fourier = {.n_harmonic = 1,
                                             .n_coordinate = N,
                                             .frequency = 0.5,
                                             .offset = offset,
                                             .a = harmonic[0],
                                             .b = harmonic[1]}};
    tq_reference_at(&s.reference, now, s.want, s.want + N, s.want + 2 * N);
    for (int k = 0; k < N * LANE; k++) {
        s.z[k] = 0.01 * k;
    }
    tq_scratch_init(&s.scratch, memory, sizeof memory);
    return &s;
}

static void close_scene(scene *s)
{
    tqt_states_free(&s->s);
    tqt_subject_free(s->subject);
    tqt_model_free(s->model);
}

static tq_controller law_of(scene *s, tq_control_law law)
{
    const int passive = law == TQ_LAW_PASSIVITY;
    return (tq_controller){.law = law,
                           .mechanism = s->subject->mechanism,
                           .reference = &s->reference,
                           .kp = law == TQ_LAW_FEEDFORWARD || passive ? NULL : kp,
                           .kd = law == TQ_LAW_FEEDFORWARD ? NULL : kd,
                           .lambda = passive ? lambda : NULL};
}

/* torques and accelerations of the robot under this controller */
static void rate(scene *s, tq_controller *c)
{
    tq_effect effect;
    tq_error error = {0};
    cr_assert(eq(int, tq_controller_effect(c, &effect, &error), TQ_OK), "%s", error.what);
    const tq_plant plant = {.mechanism = s->subject->mechanism, .effects = &effect, .n_effect = 1};
    const tq_trajectories at = {
        .n_sample = LANE, .stride = LANE, .q = s->s.q, .qd = s->s.qd, .z = s->z};
    double dq[N * LANE];
    const tq_rates ret = {.q = dq, .qd = s->qdd, .z = s->zd, .tau = s->tau};
    cr_assert(eq(int, tq_plant_rate(&plant, now, &at, &s->scratch, &ret, &error), TQ_OK));
    cr_assert(eq(sz, s->scratch.used, 0));
}

static double error_of(const scene *s, int r, int i)
{
    return s->want[r] - s->s.q[r * LANE + i];
}

static double rate_error_of(const scene *s, int r, int i)
{
    return s->want[N + r] - s->s.qd[r * LANE + i];
}

Test(controller, computed_torque_makes_every_joint_a_spring_of_its_own)
{
    for (uint64_t seed = 1; seed < 4; seed++) {
        scene *s = open_scene(seed);
        tq_controller c = law_of(s, TQ_LAW_COMPUTED_TORQUE);
        c.ki = ki;
        rate(s, &c);
        for (int r = 0; r < N; r++) {
            for (int i = 0; i < LANE; i++) {
                const double want = s->want[2 * N + r] + kp[r] * error_of(s, r, i) +
                                    kd[r] * rate_error_of(s, r, i) + ki[r] * s->z[r * LANE + i];
                /* inverse, then forward dynamics: condition of M (some 1e4) times eps */
                cr_assert(epsilon_eq(dbl, s->qdd[r * LANE + i], want, 1e-9 * (1 + fabs(want))));
                cr_assert(epsilon_eq(dbl, s->zd[r * LANE + i], error_of(s, r, i), 1e-15));
            }
        }
        close_scene(s);
    }
}

/* M rdot + C r + K r = 0 for a robot without friction: the error equation of the law */
Test(controller, passivity_leaves_its_error_equation)
{
    scene *s = open_scene(5);
    for (uint32_t j = 0; j < s->model->n_joint; j++) {
        s->model->joints[j].friction = (tq_friction){0};
    }
    tqt_subject_free(s->subject);
    s->subject = tqt_subject_new(s->model, 0);
    tq_controller c = law_of(s, TQ_LAW_PASSIVITY);
    rate(s, &c);
    static double m[N * N * LANE], cor[N * N * LANE];
    cr_assert(eq(int,
                 tq_mass_matrix(s->subject->mechanism, LANE, LANE, s->s.q, 0, &s->scratch, m, NULL),
                 TQ_OK));
    cr_assert(eq(int,
                 tq_coriolis_matrix(s->subject->mechanism, LANE, LANE, s->s.q, s->s.qd, &s->scratch,
                                    cor, NULL),
                 TQ_OK));
    for (int i = 0; i < LANE; i++) {
        for (int r = 0; r < N; r++) {
            double left = 0;
            double size = 1;
            for (int k = 0; k < N; k++) {
                const double slip = rate_error_of(s, k, i) + lambda[k] * error_of(s, k, i);
                const double slip_rate =
                    s->want[2 * N + k] - s->qdd[k * LANE + i] + lambda[k] * rate_error_of(s, k, i);
                const double part =
                    m[(r * N + k) * LANE + i] * slip_rate + cor[(r * N + k) * LANE + i] * slip;
                left += part + (k == r ? kd[k] * slip : 0);
                size += fabs(part);
            }
            cr_assert(epsilon_eq(dbl, left, 0, 1e-10 * size), "%g of %g", left, size);
        }
    }
    close_scene(s);
}

Test(controller, pd_with_gravity_rests_at_its_setpoint)
{
    scene *s = open_scene(7);
    s->reference =
        (tq_reference){.kind = TQ_REFERENCE_SETPOINT, .n_coordinate = N, .setpoint = offset};
    for (int k = 0; k < N * LANE; k++) {
        s->s.q[k] = offset[k / LANE];
        s->s.qd[k] = 0.0;
    }
    for (uint32_t j = 0; j < s->model->n_joint; j++) { /* an offset acts at rest too */
        s->model->joints[j].friction.offset = 0.0;
    }
    tqt_subject_free(s->subject);
    s->subject = tqt_subject_new(s->model, 0);
    tq_controller c = law_of(s, TQ_LAW_PD_GRAVITY);
    rate(s, &c);
    double most = 0;
    for (int k = 0; k < N * LANE; k++) {
        cr_assert(epsilon_eq(dbl, s->qdd[k], 0, 1e-10), "%g", s->qdd[k]);
        most = fmax(most, fabs(s->tau[k]));
    }
    cr_assert(gt(dbl, most, 0.1), "it holds against something");
    tq_controller without = law_of(s, TQ_LAW_PD);
    rate(s, &without);
    for (int k = 0; k < N * LANE; k++) {
        cr_assert(eq(dbl, s->tau[k], 0.0), "no error, no torque");
    }
    close_scene(s);
}

Test(controller, feedforward_on_the_reference_moves_along_it)
{
    scene *s = open_scene(9);
    for (int r = 0; r < N; r++) {
        for (int i = 0; i < LANE; i++) {
            s->s.q[r * LANE + i] = s->want[r];
            s->s.qd[r * LANE + i] = s->want[N + r];
        }
    }
    tq_controller c = law_of(s, TQ_LAW_FEEDFORWARD);
    rate(s, &c);
    for (int r = 0; r < N; r++) {
        cr_assert(epsilon_eq(dbl, s->qdd[r * LANE], s->want[2 * N + r], 1e-9));
    }
    close_scene(s);
}

Test(controller, saturation_freezes_the_integral)
{
    scene *s = open_scene(11);
    tq_controller c = law_of(s, TQ_LAW_PD);
    const double limit[N] = {3, 3, INFINITY, 3, 3};
    c.ki = ki;
    c.limit = limit;
    rate(s, &c);
    int cut = 0;
    for (int r = 0; r < N; r++) {
        for (int i = 0; i < LANE; i++) {
            const double e = error_of(s, r, i);
            const double wanted =
                kp[r] * e + kd[r] * rate_error_of(s, r, i) + ki[r] * s->z[r * LANE + i];
            const double want = fmin(fmax(wanted, -limit[r]), limit[r]);
            cr_assert(epsilon_eq(dbl, s->tau[r * LANE + i], want, 1e-12));
            const int pushes = fabs(wanted) > limit[r] && (wanted > 0) == (e > 0);
            cr_assert(eq(dbl, s->zd[r * LANE + i], pushes ? 0.0 : e));
            cut += pushes;
        }
    }
    cr_assert(gt(int, cut, 3), "some were cut");
    close_scene(s);
}

Test(controller, samples_hold_torque_and_sum_errors)
{
    scene *s = open_scene(13);
    tq_controller c = law_of(s, TQ_LAW_COMPUTED_TORQUE);
    c.ki = ki;
    rate(s, &c); /* continuous, with z */
    double torque[N * LANE], held[2 * N * LANE];
    memcpy(torque, s->tau, sizeof torque);
    memset(held, 0, sizeof held);
    memcpy(held + N * LANE, s->z, sizeof s->z); /* the same integral */
    c.sample_time = 0.01;
    tq_effect effect;
    cr_assert(eq(int, tq_controller_effect(&c, &effect, NULL), TQ_OK));
    cr_assert(all(eq(sz, effect.n_held, 2 * N), eq(sz, effect.n_z, 0)));
    const tq_plant plant = {.mechanism = s->subject->mechanism, .effects = &effect, .n_effect = 1};
    const tq_trajectories at = {
        .n_sample = LANE, .stride = LANE, .q = s->s.q, .qd = s->s.qd, .held = held};
    cr_assert(eq(int, tq_plant_sample(&plant, 0, now, &at, &s->scratch, NULL), TQ_OK));
    double dq[N * LANE];
    const tq_rates ret = {.q = dq, .qd = s->qdd, .tau = s->tau};
    /* later, in another state: still the torque of the sample */
    for (int k = 0; k < N * LANE; k++) {
        const double sum = s->z[k] + 0.01 * error_of(s, k / LANE, k % LANE);
        cr_assert(epsilon_eq(dbl, held[N * LANE + k], sum, 1e-15));
    }
    for (int k = 0; k < N * LANE; k++) {
        s->s.q[k] += 0.1;
    }
    cr_assert(eq(int, tq_plant_rate(&plant, now + 0.005, &at, &s->scratch, &ret, NULL), TQ_OK));
    cr_assert(eq(int, memcmp(torque, s->tau, sizeof torque), 0));
    close_scene(s);
}

Test(controller, a_trajectory_has_the_same_bits_alone_and_in_a_block)
{
    scene *s = open_scene(15);
    tq_controller c = law_of(s, TQ_LAW_PASSIVITY);
    rate(s, &c);
    double q[N * LANE], qd[N * LANE], tau[N * LANE], qdd[N * LANE], dq[N * LANE];
    for (int k = 0; k < N * LANE; k++) { /* with the fourth only */
        q[k] = s->s.q[k / LANE * LANE + 3];
        qd[k] = s->s.qd[k / LANE * LANE + 3];
    }
    tq_effect effect;
    cr_assert(eq(int, tq_controller_effect(&c, &effect, NULL), TQ_OK));
    const tq_plant plant = {.mechanism = s->subject->mechanism, .effects = &effect, .n_effect = 1};
    const tq_trajectories at = {.n_sample = 1, .stride = LANE, .q = q, .qd = qd};
    const tq_rates ret = {.q = dq, .qd = qdd, .tau = tau};
    cr_assert(eq(int, tq_plant_rate(&plant, now, &at, &s->scratch, &ret, NULL), TQ_OK));
    for (int r = 0; r < N; r++) {
        cr_assert(eq(int, memcmp(&tau[r * LANE], &s->tau[r * LANE + 3], sizeof(double)), 0));
    }
    close_scene(s);
}

Test(controller, refuses_what_cannot_control)
{
    scene *s = open_scene(17);
    tq_effect effect;
    tq_error error = {0};
    tq_controller c = law_of(s, TQ_LAW_PD);
    c.kd = NULL;
    cr_assert(eq(int, tq_controller_effect(&c, &effect, &error), TQ_ERR_SHAPE));
    cr_assert(eq(str, (char *)error.what, "kd"));
    const double bad[N] = {1, 1, -1, 1, 1};
    c = law_of(s, TQ_LAW_PD);
    c.kp = bad;
    cr_assert(eq(int, tq_controller_effect(&c, &effect, &error), TQ_ERR_RANGE));
    cr_assert(all(eq(str, (char *)error.what, "kp"), eq(sz, error.index, 2)));
    const double nan[N] = {1, NAN, 1, 1, 1};
    c.kp = nan;
    cr_assert(eq(int, tq_controller_effect(&c, &effect, &error), TQ_ERR_NOT_FINITE));
    c = law_of(s, TQ_LAW_PD);
    const double none[N] = {1, 1, 1, 0, 1};
    c.limit = none;
    cr_assert(eq(int, tq_controller_effect(&c, &effect, &error), TQ_ERR_RANGE));
    cr_assert(all(eq(str, (char *)error.what, "limit"), eq(sz, error.index, 3)));
    c.limit = NULL, c.sample_time = -1;
    cr_assert(eq(int, tq_controller_effect(&c, &effect, &error), TQ_ERR_RANGE));
    tq_reference other = s->reference;
    other.n_coordinate = 2;
    c.sample_time = 0, c.reference = &other;
    cr_assert(eq(int, tq_controller_effect(&c, &effect, &error), TQ_ERR_SHAPE));
    cr_assert(eq(str, (char *)error.what, "reference"));
    close_scene(s);
}
