/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/plant/test_audit.c - energy and momentum balance of a robot with all terms,
 * to the integrator's error; and an audit that detects an omitted term. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/integrate/fixed_step.h"
#include "core/plant/audit.h"
#include "core/plant/disturbance.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

enum { JOINTS = 4, LANE = 8, ROWS = 40, BYTES = 1 << 24 };
static _Alignas(64) unsigned char memory[BYTES];

typedef struct outcome {
    double energy;      /* residual, J */
    double momentum[3]; /* residual, kg m/s */
    double kinetic;     /* largest kinetic energy, J */
    double impulse;     /* of the base, N s */
    double dissipated, external;
} outcome;

/* half a second of a robot with forces on its last link and its joints, with steps of h */
static outcome run(const tq_model *model, double h, unsigned without)
{
    tqt_subject *subject = tqt_subject_new(model, 1);
    const double push[6] = {3, -2, 5, 0.1, 0.3, -0.2};
    const double torque[ROWS] = {1, -2, 0.5, 1.5, 1, 1, 1, 1, 1};
    const tq_external_wrench place = {
        .link = model->n_link - 1, .expressed_in = TQ_FRAME_LINK, .at = {0.1, 0.2, 0}};
    tq_disturbance d[2] = {{.signal = TQ_SIGNAL_SINE,
                            .mechanism = subject->mechanism,
                            .is_wrench = true,
                            .size = push,
                            .duration = INFINITY,
                            .frequency = 1.7,
                            .phase = 0.4},
                           {.signal = TQ_SIGNAL_SINE,
                            .mechanism = subject->mechanism,
                            .size = torque,
                            .duration = INFINITY,
                            .frequency = 0.9,
                            .phase = 1}};
    tq_effect effects[3];
    tq_plant plant = {.mechanism = subject->mechanism,
                      .without = without,
                      .effects = effects,
                      .n_effect = 3,
                      .wrenches = &place,
                      .n_wrench = 1};
    tq_audit audit = {.plant = &plant, .with_momentum = true};
    cr_assert(eq(int, tq_disturbance_effect(&d[0], &effects[0], NULL), TQ_OK));
    cr_assert(eq(int, tq_disturbance_effect(&d[1], &effects[1], NULL), TQ_OK));
    effects[2] = tq_audit_effect(&audit);
    tqt_states s = tqt_random_states(21, model, 1);
    double z[TQ_AUDIT_ROWS_MAX * LANE] = {0};
    const tq_trajectories state = {.n_sample = 1, .stride = s.stride, .q = s.q, .qd = s.qd, .z = z};
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, sizeof memory);
    tq_balance start = {0}, now = {0};
    double q[ROWS], qd[ROWS], qdd[ROWS] = {0}, audited[TQ_AUDIT_ROWS_MAX];
    outcome out = {0};
    const int n = (int)lround(0.5 / h);
    for (int k = 0; k <= n; k++) {
        for (uint32_t r = 0; r < model->nq; r++) {
            q[r] = s.q[r * s.stride];
        }
        for (uint32_t r = 0; r < model->nv; r++) {
            qd[r] = s.qd[r * s.stride];
        }
        cr_assert(eq(
            int, tq_audit_balance(&plant, q, qd, qdd, NULL, &scratch, k == 0 ? &start : &now, NULL),
            TQ_OK));
        out.kinetic = fmax(out.kinetic, k == 0 ? start.kinetic : now.kinetic);
        if (k < n) {
            cr_assert(eq(int, tq_fixed_step(&plant, TQ_FIXED_RK4, h * k, h, &state, &scratch, NULL),
                         TQ_OK));
        }
    }
    for (int r = 0; r < TQ_AUDIT_ROWS_MAX; r++) {
        audited[r] = z[r * LANE];
    }
    out.energy = tq_audit_energy_residual(&start, &now, audited);
    tq_audit_momentum_residual(&plant, 0.5, &start, &now, audited, out.momentum);
    out.impulse = fabs(audited[TQ_AUDIT_BASE + 2]);
    out.dissipated = audited[TQ_AUDIT_DISSIPATED];
    out.external = audited[TQ_AUDIT_EXTERNAL];
    cr_assert(eq(sz, scratch.used, 0));
    tqt_states_free(&s);
    tqt_subject_free(subject);
    return out;
}

/* smooth friction: sign(qd) would cost the integrator its order */
static tq_model *robot(uint64_t seed, unsigned kinds)
{
    tq_model *m = tqt_random_robot(
        seed, (tqt_robot_options){
                  .n_joint = JOINTS, .kinds = kinds, .with = TQT_WITH_ROTOR | TQT_WITH_SPRING});
    for (uint32_t j = 0; j < m->n_joint; j++) {
        m->joints[j].friction = (tq_friction){.viscous = 0.4, .coulomb = 0.3, .smoothing = 0.5};
    }
    return m;
}

Test(audit, balances_hold_to_the_integrators_error)
{
    tq_model *m = robot(4, 1u << TQ_JOINT_REVOLUTE | 1u << TQ_JOINT_PRISMATIC);
    const outcome coarse = run(m, 4e-3, 0);
    const outcome fine = run(m, 1e-3, 0);
    /* order 4: a quarter of the step divides the residual by 256; 100 leaves room for rounding */
    cr_assert(lt(dbl, fabs(fine.energy), 1e-8 * fine.kinetic), "%.3g of %.3g", fine.energy,
              fine.kinetic);
    cr_assert(lt(dbl, fabs(fine.energy), fabs(coarse.energy) / 100 + 1e-12));
    for (int k = 0; k < 3; k++) {
        cr_assert(lt(dbl, fabs(fine.momentum[k]), 1e-8 * fine.impulse), "%d: %.3g of %.3g", k,
                  fine.momentum[k], fine.impulse);
    }
    cr_assert(all(gt(dbl, fine.dissipated, 0.0), ne(dbl, fine.external, 0.0)));
    tqt_model_free(m);
}

Test(audit, holds_for_floating_robots_and_with_terms_left_out)
{
    tq_model *m = robot(8, TQT_KINDS_ALL);
    for (uint64_t seed = 9; m->nq == m->nv || m->joints[m->n_joint - 1].nv != 1; seed++) {
        tqt_model_free(m); /* draws until there is a quaternion, and friction in the last joint */
        m = robot(seed, TQT_KINDS_ALL);
    }
    const unsigned left_out[3] = {0, TQ_WITHOUT_FRICTION | TQ_WITHOUT_SPRING,
                                  TQ_WITHOUT_ROTOR | TQ_WITHOUT_GRAVITY};
    for (int k = 0; k < 3; k++) {
        const outcome out = run(m, 2.5e-4, left_out[k]);
        cr_assert(lt(dbl, fabs(out.energy), 1e-8 * out.kinetic), "%.3g of %.3g", out.energy,
                  out.kinetic);
        cr_assert(eq(int, (out.dissipated == 0.0), k == 1));
    }
    tqt_model_free(m);
}

/* Potential energy at the start of a run, J. */
static double potential_at_start(const tq_model *model, unsigned without)
{
    tqt_subject *subject = tqt_subject_new(model, 0);
    tqt_states s = tqt_random_states(21, model, 1);
    double ret[2 * LANE];
    const tq_plant plant = {.mechanism = subject->mechanism, .without = without};
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, sizeof memory);
    cr_assert(eq(int, tq_audit_energy(&plant, 1, s.stride, s.q, s.qd, &scratch, ret, NULL), TQ_OK));
    const double potential = ret[s.stride];
    tqt_states_free(&s);
    tqt_subject_free(subject);
    return potential;
}

/* the springs of tendons go with those of joints, whatever else is left out: by the balance of a
 * run, and at its start by 1/2 k (L - rest)^2, L = sum of coefficient q */
Test(audit, holds_with_tendons_and_terms_left_out)
{
    static const unsigned left_out[4] = {0, TQ_WITHOUT_ROTOR, TQ_WITHOUT_SPRING,
                                         TQ_WITHOUT_SPRING | TQ_WITHOUT_ROTOR};
    const double stiffness = 30.0, rest = -0.2;
    tq_model *m = robot(4, 1u << TQ_JOINT_REVOLUTE | 1u << TQ_JOINT_PRISMATIC);
    tq_tendon_share shares[2] = {{.joint = 0, .coefficient = 0.7},
                                 {.joint = 2, .coefficient = -1.3}};
    tq_tendon tendon = {.n_share = 2, .stiffness = stiffness, .lower = rest, .upper = rest};
    tqt_states s = tqt_random_states(21, m, 1);
    const double length =
        0.7 * s.q[m->joints[0].q_index * s.stride] - 1.3 * s.q[m->joints[2].q_index * s.stride];
    const double energy = 0.5 * stiffness * (length - rest) * (length - rest);
    cr_assert(gt(dbl, energy, 0.1));
    for (int k = 0; k < 4; k++) {
        const bool has_spring = (left_out[k] & TQ_WITHOUT_SPRING) == 0;
        m->n_tendon = m->n_share = 0;
        const double bare = potential_at_start(m, left_out[k]);
        m->tendons = &tendon;
        m->shares = shares;
        m->n_tendon = 1;
        m->n_share = 2;
        cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
        const double added = potential_at_start(m, left_out[k]) - bare;
        cr_assert(le(dbl, fabs(added - (has_spring ? energy : 0.0)), 1e-12 * energy), "%d: %.15g",
                  k, added);
        const outcome out = run(m, 2.5e-4, left_out[k]);
        cr_assert(lt(dbl, fabs(out.energy), 1e-8 * out.kinetic), "%d: %.3g of %.3g", k, out.energy,
                  out.kinetic);
    }
    tqt_states_free(&s);
    tqt_model_free(m);
}

/* negative control: an audit of another plant does not balance */
Test(audit, detects_an_unstated_force)
{
    tq_model *m = robot(4, 1u << TQ_JOINT_REVOLUTE);
    const outcome stated = run(m, 1e-3, 0);
    tq_balance a = {.kinetic = 1.0}, b = {.kinetic = 2.0, .potential = 0.5};
    const double z[TQ_AUDIT_ROWS_MAX] = {2.0, 0.25, 0.5};
    cr_assert(eq(dbl, tq_audit_energy_residual(&a, &b, z), 1.5 - 2.25));
    /* without its external work the residual of this run would be that work */
    cr_assert(gt(dbl, fabs(stated.external), 1e4 * fabs(stated.energy)));
    tqt_model_free(m);
}
