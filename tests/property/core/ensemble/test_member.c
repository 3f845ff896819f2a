/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/ensemble/test_member.c - members of other masses, friction, gains and
 * disturbances against closed forms of one bar. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/block.h"
#include "core/dynamics/inverse.h"
#include "core/dynamics/mass_matrix/mass_matrix_inverse.h"
#include "core/dynamics/varied.h"
#include "core/ensemble/member.h"
#include "tests/support/random_robot.h"
#include "tests/support/seed_robots.h"
#include "tests/support/subject.h"

enum { BYTES = 1 << 22, MEMBERS = 3 };
static _Alignas(64) unsigned char memory[BYTES];
static const tqt_bar bar = {
    .length = 0.8, .mass = 2.0, .com = 0.3, .inertia = 0.05, .viscous = 0.4};

static tq_variation listed(tq_varied varied, uint32_t row, double *values)
{
    return (tq_variation){.varied = varied,
                          .row = row,
                          .spread = TQ_SPREAD_LIST,
                          .n_value = MEMBERS,
                          .values = values,
                          .repeat = 1};
}

/* torque of a member at q, qd, qdd of its only joint */
static double torque(const tq_mechanism *own, const double x[3], tq_scratch *scratch)
{
    double rows[4][TQ_BLOCK_PAD];
    for (int k = 0; k < 3 * TQ_BLOCK_PAD; k++) {
        rows[k / TQ_BLOCK_PAD][k % TQ_BLOCK_PAD] = x[k / TQ_BLOCK_PAD];
    }
    const tq_inverse_input in = {
        .n_sample = 1, .stride = TQ_BLOCK_PAD, .q = rows[0], .qd = rows[1], .qdd = rows[2]};
    cr_assert(eq(int, tq_inverse_dynamics(own, &in, scratch, rows[3], NULL), TQ_OK));
    return rows[3][0];
}

/* (f (I + m c^2) + p a^2) qdd + (f m c + p a) g cos q + v b qd + w c sign(qd) */
Test(member, has_its_own_mass_payload_and_friction)
{
    double mass[MEMBERS] = {1.0, 0.5, 2.0}, payload[MEMBERS] = {0.0, 0.7, 0.3};
    double viscous[MEMBERS] = {1.0, 3.0, 0.0}, coulomb[MEMBERS] = {1.0, 0.0, 2.5};
    tq_variation items[4] = {listed(TQ_VARIED_MASS, 1, mass), listed(TQ_VARIED_PAYLOAD, 1, payload),
                             listed(TQ_VARIED_VISCOUS, 0, viscous),
                             listed(TQ_VARIED_COULOMB, 0, coulomb)};
    const double a = items[1].at[0] = 0.6;
    const tq_variations all = {.n = 4, .items = items, .n_draw = 1};
    tq_model *model = tqt_planar_arm(&bar, 1, 9.81);
    model->joints[0].friction.coulomb = model->joints[0].friction.breakaway = 0.2;
    tqt_subject *s = tqt_subject_new(model, 0);
    const double x[3] = {0.4, 1.5, -2.0};
    double rows[4096], alone[4096];
    const size_t n_row = tq_varied_rows(s->mechanism);
    cr_assert(n_row * TQ_BLOCK_PAD <= sizeof rows / sizeof rows[0]);
    for (uint64_t id = 0; id < MEMBERS; id++) {
        tq_scratch scratch;
        const tq_mechanism *own = NULL;
        tq_scratch_init(&scratch, memory, sizeof memory);
        cr_assert(
            eq(int, tq_member_mechanism(&all, s->mechanism, id, &scratch, &own, NULL), TQ_OK));
        cr_expect(le(sz, scratch.used, tq_member_mechanism_size(s->mechanism)));
        const double inertia =
            mass[id] * (bar.inertia + bar.mass * bar.com * bar.com) + payload[id] * a * a;
        const double lever = mass[id] * bar.mass * bar.com + payload[id] * a;
        const double want = inertia * x[2] + lever * 9.81 * cos(x[0]) +
                            viscous[id] * bar.viscous * x[1] + coulomb[id] * 0.2;
        const double got = torque(own, x, &scratch);
        cr_expect(epsilon_eq(dbl, got, want, 1e-13), "%d: %g %g", (int)id, got, want);
        tq_varied_put(own, TQ_BLOCK_PAD, (size_t)id, alone);
    }
    /* and side by side: the same rows */
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, sizeof memory);
    cr_assert(
        eq(int, tq_members_vary(&all, s->mechanism, 0, MEMBERS, TQ_BLOCK_PAD, &scratch, rows, NULL),
           TQ_OK));
    cr_expect(eq(sz, tq_scratch_mark(&scratch), (size_t)0));
    for (size_t k = 0; k < n_row * TQ_BLOCK_PAD; k++) {
        const size_t i = k % TQ_BLOCK_PAD;
        const double want = alone[k - i + (i < MEMBERS ? i : MEMBERS - 1)];
        cr_expect(eq(dbl, rows[k], want), "%zu", k);
    }
    tqt_subject_free(s);
    tqt_model_free(model);
}

Test(member, has_its_own_gains_and_disturbances)
{
    static const double kp[2] = {40.0, 30.0}, kd[2] = {4.0, 3.0}, sizes[2] = {0.5, -1.5};
    double all_kp[MEMBERS] = {1.0, 2.0, 0.5}, one_kd[MEMBERS] = {1.0, 3.0, 0.0};
    double factor[MEMBERS] = {1.0, -2.0, 0.0}, seed[MEMBERS] = {7.0, 8.0, 0x1p60};
    const tqt_bar bars[2] = {bar, bar};
    tq_model *model = tqt_planar_arm(bars, 2, 9.81);
    tqt_subject *s = tqt_subject_new(model, 0);
    const tq_controller controller = {.law = TQ_LAW_PD, .kp = kp, .kd = kd};
    const tq_disturbance noise = {.signal = TQ_SIGNAL_NOISE, .size = sizes, .seed = 1};
    const tq_effect effects[2] = {{.ctx = (void *)(uintptr_t)&controller},
                                  {.ctx = (void *)(uintptr_t)&noise}};
    const tq_plant plant = {.mechanism = s->mechanism, .effects = effects, .n_effect = 2};
    tq_variation items[4] = {listed(TQ_VARIED_KP, TQ_NONE, all_kp), listed(TQ_VARIED_KD, 1, one_kd),
                             listed(TQ_VARIED_DISTURBANCE, 1, factor),
                             listed(TQ_VARIED_SEED, 1, seed)};
    const tq_variations all = {.n = 4, .items = items, .n_draw = 1};
    for (uint64_t id = 0; id < MEMBERS; id++) {
        const tq_effect *own = NULL;
        tq_scratch scratch;
        tq_scratch_init(&scratch, memory, tq_member_effects_size(&all, &plant));
        cr_assert(
            eq(int, tq_member_effects(&all, &plant, &controller, id, &scratch, &own, NULL), TQ_OK));
        const tq_controller *c = own[0].ctx;
        const tq_disturbance *d = own[1].ctx;
        for (int r = 0; r < 2; r++) {
            cr_expect(eq(dbl, c->kp[r], kp[r] * all_kp[id]));
            cr_expect(eq(dbl, c->kd[r], r == 1 ? kd[r] * one_kd[id] : kd[r]));
            cr_expect(eq(dbl, d->size[r], sizes[r] * factor[id]));
        }
        cr_expect(c->ki == NULL && c->lambda == NULL);
        cr_expect(eq(u64, d->seed, id < 2 ? (uint64_t)seed[id] : UINT64_C(1) << 53));
        cr_expect(effects[0].ctx == &controller && effects[1].ctx == &noise);
    }
    tq_scratch short_of;
    const tq_effect *own = NULL;
    tq_error error = {0};
    tq_scratch_init(&short_of, memory, tq_member_effects_size(&all, &plant) - 64);
    cr_expect(eq(int, tq_member_effects(&all, &plant, &controller, 1, &short_of, &own, &error),
                 TQ_ERR_SCRATCH));
    tqt_subject_free(s);
    tqt_model_free(model);
}

/* what all have, what varies added; lanes after the last member are filled with it */
Test(member, starts_with_its_own_state_and_torque)
{
    enum { LANES = 4 };
    static const double q0[2] = {1.0, 2.0}, qd0[2] = {3.0, 4.0};
    double of_q[MEMBERS] = {0.0, 0.1, 0.2}, torques[MEMBERS] = {5.0, 6.0, 7.0};
    double rates[MEMBERS] = {0.0, -1.0, -2.0};
    tq_variation items[3] = {listed(TQ_VARIED_TORQUE, 1, torques), listed(TQ_VARIED_Q, 1, of_q),
                             listed(TQ_VARIED_QD, 0, rates)};
    const uint64_t ids[2] = {2, 1};
    const tq_variations all = {.n = 3, .items = items, .n_draw = 1, .ids = ids};
    double q[2 * LANES], qd[2 * LANES], z[2 * LANES] = {0};
    const tq_member_starts starts = {.n = 2,
                                     .stride = LANES,
                                     .q0 = q0,
                                     .qd0 = qd0,
                                     .nq = 2,
                                     .nv = 2,
                                     .q = q,
                                     .qd = qd,
                                     .z = z,
                                     .z_offset = 1};
    tq_members_initial(&all, 0, &starts);
    for (size_t i = 0; i < LANES; i++) {
        const uint64_t id = i == 0 ? 2 : 1;
        cr_expect(eq(dbl, q[i], 1.0));
        cr_expect(eq(dbl, q[LANES + i], 2.0 + of_q[id]));
        cr_expect(eq(dbl, qd[i], 3.0 + rates[id]));
        cr_expect(eq(dbl, qd[LANES + i], 4.0));
        cr_expect(eq(dbl, z[i], 0.0));
        cr_expect(eq(dbl, z[LANES + i], torques[id]));
    }
}
