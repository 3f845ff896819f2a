/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/plant/test_disturbance.c - signals over time, their breaks, and noise as a
 * function of its number. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/plant/disturbance.h"
#include "core/plant/noise.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

enum { N = 2, LANE = 8 };
static _Alignas(64) unsigned char memory[1 << 22];

typedef struct scene {
    tq_model *model;
    tqt_subject *subject;
    tq_scratch scratch;
} scene;

static scene open_scene(void)
{
    scene s = {.model = tqt_random_robot(
                   3, (tqt_robot_options){.n_joint = N, .kinds = 1u << TQ_JOINT_REVOLUTE})};
    s.subject = tqt_subject_new(s.model, 1);
    tq_scratch_init(&s.scratch, memory, sizeof memory);
    return s;
}

static void close_scene(scene *s)
{
    tqt_subject_free(s->subject);
    tqt_model_free(s->model);
}

/* torques and wrench of the first trajectory at time t */
static void act_at(scene *s, const tq_effect *effect, double t, const double *held, double *tau,
                   double *wrench)
{
    double rows[N * LANE] = {0};
    double loads[6 * LANE] = {0};
    const tq_instant at = {.t = t, .n_sample = 1, .stride = LANE, .held = held};
    const tq_action to = {.tau = rows, .wrench = loads};
    cr_assert(eq(int, effect->act(effect->ctx, &at, &s->scratch, &to, NULL), TQ_OK));
    for (int r = 0; r < N; r++) {
        tau[r] = rows[r * LANE];
    }
    for (int r = 0; r < 6; r++) {
        wrench[r] = loads[r * LANE];
    }
}

Test(disturbance, pulse_and_sine_begin_and_end)
{
    scene s = open_scene();
    const double size[6] = {2, -1, 0, 0, 0, 3};
    double tau[N], wrench[6];
    tq_disturbance d = {.signal = TQ_SIGNAL_PULSE,
                        .mechanism = s.subject->mechanism,
                        .size = size,
                        .start = 0.5,
                        .duration = 0.25};
    tq_effect effect;
    unsigned order = 9;
    cr_assert(eq(int, tq_disturbance_effect(&d, &effect, NULL), TQ_OK));
    act_at(&s, &effect, 0.499, NULL, tau, wrench);
    cr_assert(eq(dbl, tau[0], 0.0));
    act_at(&s, &effect, 0.5, NULL, tau, wrench);
    cr_assert(all(eq(dbl, tau[0], 2.0), eq(dbl, tau[1], -1.0), eq(dbl, wrench[5], 0.0)));
    act_at(&s, &effect, 0.75, NULL, tau, wrench);
    cr_assert(eq(dbl, tau[0], 0.0));
    cr_assert(eq(dbl, effect.next_break(&d, 0.0, &order), 0.5));
    cr_assert(eq(dbl, effect.next_break(&d, 0.5, &order), 0.75));
    cr_assert(all(eq(dbl, effect.next_break(&d, 0.75, &order), INFINITY), eq(uint, order, 0)));
    d.signal = TQ_SIGNAL_SINE;
    d.is_wrench = true;
    d.frequency = 2.0;
    d.phase = 0.3;
    d.duration = INFINITY;
    cr_assert(eq(int, tq_disturbance_effect(&d, &effect, NULL), TQ_OK));
    act_at(&s, &effect, 0.6, NULL, tau, wrench);
    cr_assert(epsilon_eq(dbl, wrench[5], 3 * sin(4 * M_PI * 0.1 + 0.3), 1e-14));
    cr_assert(eq(dbl, tau[0], 0.0));
    cr_assert(eq(dbl, effect.next_break(&d, 0.5, &order), INFINITY));
    d.frequency = 0.0;
    tq_error error;
    cr_assert(eq(int, tq_disturbance_effect(&d, &effect, &error), TQ_ERR_RANGE));
    cr_assert(eq(str, (char *)error.what, "frequency"));
    close_scene(&s);
}

Test(disturbance, table_is_followed)
{
    scene s = open_scene();
    const double t[2] = {0, 1}, x[4] = {0, 1, 2, 5};
    tq_table table = {.points = {.n_point = 2, .n_coordinate = N, .t = t, .x = x},
                      .interpolation = TQ_INTERPOLATE_LINEAR};
    tq_disturbance d = {
        .signal = TQ_SIGNAL_TABLE, .mechanism = s.subject->mechanism, .table = &table};
    tq_effect effect;
    tq_error error;
    double tau[N], wrench[6];
    unsigned order = 0;
    cr_assert(eq(int, tq_disturbance_effect(&d, &effect, NULL), TQ_OK));
    act_at(&s, &effect, 0.25, NULL, tau, wrench);
    cr_assert(all(epsilon_eq(dbl, tau[0], 0.5, 1e-15), epsilon_eq(dbl, tau[1], 2.0, 1e-15)));
    cr_assert(eq(dbl, effect.next_break(&d, 0.25, &order), 1.0));
    d.is_wrench = true; /* requires six rows */
    cr_assert(eq(int, tq_disturbance_effect(&d, &effect, &error), TQ_ERR_SHAPE));
    cr_assert(eq(str, (char *)error.what, "table"));
    close_scene(&s);
}

Test(disturbance, noise_is_normal_white_and_its_own_for_each_row)
{
    enum { MANY = 200000 };
    double sum = 0, square = 0, fourth = 0, neighbour = 0, other = 0;
    double last = 0;
    for (uint64_t k = 0; k < MANY; k++) {
        const double x = tq_noise_normal(42, 0, k);
        sum += x;
        square += x * x;
        fourth += x * x * x * x;
        neighbour += x * last;
        other += x * tq_noise_normal(42, 1, k);
        last = x;
    }
    /* five standard deviations of each estimate: sqrt(1/n), sqrt(2/n), sqrt(96/n) */
    const double one = 5 * sqrt(1.0 / (double)MANY);
    cr_assert(epsilon_eq(dbl, sum / (double)MANY, 0, one));
    cr_assert(epsilon_eq(dbl, square / (double)MANY, 1, one * sqrt(2.0)));
    cr_assert(epsilon_eq(dbl, fourth / (double)MANY, 3, one * sqrt(96.0)));
    cr_assert(epsilon_eq(dbl, neighbour / (double)MANY, 0, one));
    cr_assert(epsilon_eq(dbl, other / (double)MANY, 0, one));
    cr_assert(ne(dbl, tq_noise_normal(1, 0, 7), tq_noise_normal(2, 0, 7)));
    cr_assert(eq(dbl, tq_noise_normal(1, 5, 7), tq_noise_normal(1, 5, 7)));
}

Test(disturbance, noise_is_held_and_drawn_by_its_time)
{
    scene s = open_scene();
    const double size[N] = {2, 0.5};
    tq_disturbance d = {.signal = TQ_SIGNAL_NOISE,
                        .mechanism = s.subject->mechanism,
                        .size = size,
                        .interval = 0.1,
                        .seed = 9};
    tq_effect effect;
    double held[N * LANE] = {0}, tau[N], wrench[6];
    cr_assert(eq(int, tq_disturbance_effect(&d, &effect, NULL), TQ_OK));
    cr_assert(all(eq(sz, effect.n_held, N), eq(dbl, effect.sample_time, 0.1)));
    for (int k = 0; k < 40; k++) { /* multiples of 0.1 with rounding errors, by sum and by
                                      product */
        const tq_instant at = {.t = k * 0.1, .n_sample = 1, .stride = LANE};
        cr_assert(eq(int, effect.sample(&d, &at, &s.scratch, held, NULL), TQ_OK));
        act_at(&s, &effect, k * 0.1 + 0.05, held, tau, wrench);
        cr_assert(eq(dbl, tau[0], 2 * tq_noise_normal(9, 0, (uint64_t)k)), "sample %d", k);
        cr_assert(eq(dbl, tau[1], 0.5 * tq_noise_normal(9, 1, (uint64_t)k)));
    }
    d.interval = 0;
    cr_assert(eq(int, tq_disturbance_effect(&d, &effect, NULL), TQ_ERR_RANGE));
    close_scene(&s);
}
