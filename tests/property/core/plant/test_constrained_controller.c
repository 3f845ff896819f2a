/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/plant/test_constrained_controller.c - limits, integrals, blocks and checks of
 * hybrid control laws; their theory is in items 153 and 154. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/plant/constrained_controller.h"
#include "tests/support/constrained_robot.h"
#include "tests/support/random.h"

enum { N = 3, LANE = 8, BYTES = 1 << 22 };
static _Alignas(64) unsigned char memory[BYTES];

static const char bob[] =
    "{\"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"o\"}, {\"name\": \"a\"}, {\"name\": "
    "\"b\"}, {\"name\": \"c\", \"mass\": 1.5, \"com\": [0, 0, 0]}], \"joints\": [{\"name\": \"x\", "
    "\"kind\": \"prismatic\", \"parent\": \"o\", \"child\": \"a\", \"axis\": [1, 0, 0]}, {\"name\": "
    "\"y\", \"kind\": \"prismatic\", \"parent\": \"a\", \"child\": \"b\", \"axis\": [0, 1, 0]}, "
    "{\"name\": \"z\", \"kind\": \"prismatic\", \"parent\": \"b\", \"child\": \"c\", \"axis\": [0, "
    "0, 1]}], \"constraints\": [{\"kind\": \"point-on-sphere\", \"sphere\": {\"link\": \"o\", "
    "\"radius\": 0.8}, \"point\": {\"link\": \"c\"}}]}";

static const double kp[N] = {16, 9, 4}, kd[N] = {8, 6, 4}, ki[N] = {2, 1, 1};
static const double setpoint[N] = {0.1, -0.2, 0.7};
static const uint32_t rows[] = {0, 1};
static double goals[2] = {-7.0, -9.0};
static const double times[2] = {0.0, 1.0};
static tq_reference reference = {
    .kind = TQ_REFERENCE_SETPOINT, .n_coordinate = N, .setpoint = setpoint};
static tq_table force = {.points = {.n_point = 2, .n_coordinate = 1, .t = times, .x = goals},
                         .interpolation = TQ_INTERPOLATE_LINEAR};

static tq_constrained_controller law_of(const tqt_robot_state *s)
{
    return (tq_constrained_controller){.mechanism = s->robot->mechanism,
                                       .constraints = s->robot->constraints,
                                       .reference = &reference,
                                       .n_coordinate = 2,
                                       .coordinates = rows,
                                       .kp = kp,
                                       .kd = kd,
                                       .ki = ki,
                                       .force = &force,
                                       .force_ki = 5.0};
}

/* the rates of `n` states at once */
typedef struct block {
    double q[N * LANE], qd[N * LANE], z[N * LANE], qdot[N * LANE], qdd[N * LANE], zd[N * LANE],
        tau[N * LANE], multipliers[LANE];
} block;

static void rates_of(const tqt_robot_state *s, const tq_effect *effect, double t, size_t n,
                     block *b)
{
    tq_error error = {0};
    tq_scratch scratch;
    const tq_plant plant = {.mechanism = s->robot->mechanism,
                            .effects = effect,
                            .n_effect = 1,
                            .constraints = s->robot->constraints};
    const tq_trajectories state = {
        .n_sample = n, .stride = LANE, .q = b->q, .qd = b->qd, .z = b->z};
    const tq_rates ret = {
        .q = b->qdot, .qd = b->qdd, .z = b->zd, .tau = b->tau, .multipliers = b->multipliers};
    cr_assert(tq_plant_scratch_size(&plant, LANE) <= BYTES);
    /* exactly the stated size */
    tq_scratch_init(&scratch, memory, tq_plant_scratch_size(&plant, LANE));
    cr_assert(eq(int, tq_plant_rate(&plant, t, &state, &scratch, &ret, &error), TQ_OK), "%s",
              error.what);
}

static void random_block(tqt_robot_state *s, block *b)
{
    tqt_random r = tqt_random_seed(3);
    memset(b, 0, sizeof *b);
    for (size_t i = 0; i < LANE; i++) {
        s->q[0] = tqt_random_uniform(&r, -0.3, 0.3);
        s->q[1] = tqt_random_uniform(&r, -0.3, 0.3);
        s->q[2] = 0.7;
        for (size_t k = 0; k < N; k++) {
            s->qd[k] = tqt_random_uniform(&r, -1.0, 1.0);
        }
        tqt_project(s);
        for (size_t k = 0; k < N; k++) {
            b->q[k * LANE + i] = s->q[k];
            b->qd[k * LANE + i] = s->qd[k];
            b->z[k * LANE + i] = tqt_random_uniform(&r, -1.0, 1.0);
        }
    }
}

Test(constrained_controller, a_sample_has_the_same_bits_alone_and_in_a_block)
{
    static block all, one;
    tqt_robot_state s;
    tq_effect effect;
    tqt_open(&s, bob);
    tq_constrained_controller c = law_of(&s);
    cr_assert(eq(int, tq_constrained_controller_effect(&c, &effect, NULL), TQ_OK));
    cr_assert(eq(sz, effect.n_z, 3));
    random_block(&s, &all);
    rates_of(&s, &effect, 0.3, LANE, &all);
    for (size_t i = 0; i < LANE; i++) {
        for (size_t k = 0; k < (size_t)N * LANE; k++) {
            one.q[k] = all.q[k / LANE * LANE + i];
            one.qd[k] = all.qd[k / LANE * LANE + i];
            one.z[k] = all.z[k / LANE * LANE + i];
        }
        rates_of(&s, &effect, 0.3, 1, &one);
        for (size_t k = 0; k < N; k++) {
            cr_expect(one.tau[k * LANE] == all.tau[k * LANE + i]);
            cr_expect(one.zd[k * LANE] == all.zd[k * LANE + i]);
        }
    }
    tqt_close(&s);
}

/* Accelerations of the coordinates and the multiplier are those of the control law; integrals
 * grow by the errors. */
Test(constrained_controller, the_law_holds_at_every_state)
{
    static block b;
    tqt_robot_state s;
    tq_effect effect;
    tqt_open(&s, bob);
    tq_constrained_controller c = law_of(&s);
    cr_assert(eq(int, tq_constrained_controller_effect(&c, &effect, NULL), TQ_OK));
    random_block(&s, &b);
    rates_of(&s, &effect, 0.5, LANE, &b);
    for (size_t i = 0; i < LANE; i++) {
        for (size_t f = 0; f < 2; f++) {
            const size_t k = f * LANE + i;
            const double e = setpoint[f] - b.q[k];
            cr_expect(fabs(b.qdd[k] - (kp[f] * e - kd[f] * b.qd[k] + ki[f] * b.z[k])) < 1e-11);
            cr_expect(b.zd[k] == e);
        }
        const double asked = -8.0 + 5.0 * b.z[2 * LANE + i];
        cr_expect(fabs(b.multipliers[i] - asked) < 1e-10, "%g", b.multipliers[i] - asked);
        cr_expect(fabs(b.zd[2 * LANE + i] - (-8.0 - b.multipliers[i])) < 1e-14);
    }
    tqt_close(&s);
}

Test(constrained_controller, integrals_are_frozen_in_saturation)
{
    static block b;
    static const double tight[N] = {0.01, INFINITY, INFINITY}, wide[N] = {1e6, 1e6, 1e6};
    tqt_robot_state s;
    tq_effect effect;
    tqt_open(&s, bob);
    tq_constrained_controller c = law_of(&s);
    for (int k = 0; k < 2; k++) {
        c.limit = k == 0 ? tight : wide;
        cr_assert(eq(int, tq_constrained_controller_effect(&c, &effect, NULL), TQ_OK));
        random_block(&s, &b);
        rates_of(&s, &effect, 0.5, 1, &b);
        cr_expect(k == 1 || fabs(b.tau[0]) == 0.01);
        for (size_t r = 0; r < 3; r++) {
            const bool at_rest = b.zd[r * LANE] == 0.0;
            cr_expect(at_rest == (k == 0));
        }
    }
    /* rows without a goal have no error to be integrated */
    static const bool none[] = {false};
    c.pushed = none;
    cr_assert(eq(int, tq_constrained_controller_effect(&c, &effect, NULL), TQ_OK));
    rates_of(&s, &effect, 0.5, 1, &b);
    cr_expect(b.zd[2 * LANE] == 0.0);
    tqt_close(&s);
}

Test(constrained_controller, breaks_of_motion_and_force_are_reported)
{
    tqt_robot_state s;
    tq_effect effect;
    unsigned order = 9;
    tqt_open(&s, bob);
    tq_constrained_controller c = law_of(&s);
    cr_assert(eq(int, tq_constrained_controller_effect(&c, &effect, NULL), TQ_OK));
    cr_expect(effect.next_break(effect.ctx, 0.25, &order) == 1.0 && order == 1);
    cr_expect(isinf(effect.next_break(effect.ctx, 1.0, &order)));
    c.force = NULL;
    cr_expect(isinf(effect.next_break(effect.ctx, 0.25, &order)));
    tqt_close(&s);
}

static tq_status refused(tq_constrained_controller c, const char **ret_what)
{
    static tq_error error;
    tq_effect effect;
    error = (tq_error){.what = ""};
    const tq_status status = tq_constrained_controller_effect(&c, &effect, &error);
    *ret_what = error.what;
    return status;
}

Test(constrained_controller, impossible_ones_are_refused)
{
    static const double negative[N] = {1, -1, 1}, infinite[N] = {1, 1, INFINITY},
                        none[N] = {1, 0, 1};
    static const uint32_t twice[] = {1, 1}, beyond[] = {0, 3};
    static const bool some[N] = {true, true, false};
    static const tq_reference other = {
        .kind = TQ_REFERENCE_SETPOINT, .n_coordinate = 2, .setpoint = setpoint};
    const char *what;
    tqt_robot_state s;
    tqt_open(&s, bob);
    const tq_constrained_controller good = law_of(&s);
    tq_constraints half = *s.robot->constraints;
    half.actuated = some;
#define REFUSED(member, value, status, name)                                                       \
    do {                                                                                           \
        tq_constrained_controller c = good;                                                        \
        c.member = (value);                                                                        \
        cr_expect(eq(int, refused(c, &what), (status)), "%s", name);                               \
        cr_expect(eq(str, (char *)what, (char *)(name)));                                          \
    } while (0)
    REFUSED(kd, NULL, TQ_ERR_SHAPE, "kd");
    REFUSED(kp, negative, TQ_ERR_RANGE, "kp");
    REFUSED(ki, infinite, TQ_ERR_NOT_FINITE, "ki");
    REFUSED(limit, none, TQ_ERR_RANGE, "limit");
    REFUSED(force_ki, -1.0, TQ_ERR_RANGE, "force_ki");
    REFUSED(force_ki, (double)NAN, TQ_ERR_NOT_FINITE, "force_ki");
    REFUSED(reference, &other, TQ_ERR_SHAPE, "reference");
    REFUSED(n_coordinate, 0, TQ_ERR_SHAPE, "coordinates");
    REFUSED(n_coordinate, 4, TQ_ERR_SHAPE, "coordinates");
    REFUSED(coordinates, twice, TQ_ERR_SHAPE, "coordinates");
    REFUSED(coordinates, beyond, TQ_ERR_SHAPE, "coordinates");
    REFUSED(constraints, &half, TQ_ERR_SHAPE, "force");
#undef REFUSED
    tqt_close(&s);
}
