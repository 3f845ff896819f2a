/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/test_tendons.c - tendons on random trees: torque against differences
 * of their energy, friction against its power, derivatives against differences. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/derivatives/derivatives.h"
#include "core/dynamics/derivatives/derivatives_batch.h"
#include "core/dynamics/energy.h"
#include "core/dynamics/forward.h"
#include "core/dynamics/lagrangian.h"
#include "core/dynamics/ledger.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

enum { SEEDS = 60, BYTES = 16 << 20, N = 5, TENDONS = 3, JOINTS = 7, SHARES = TENDONS * JOINTS };

typedef struct trial {
    tq_model *model;
    tqt_subject *subject;
    tqt_states s;
    tq_scratch scratch;
    void *memory;
    size_t nv;
    tq_tendon tendons[TENDONS];
    tq_tendon_share shares[SHARES];
} trial;

/* A tree with three tendons over some of its joints of one dof; the second has a dead band. */
static void open_trial(trial *t, uint64_t seed)
{
    const tqt_robot_options options = {.n_joint = JOINTS,
                                       .kinds = TQT_KINDS_ALL,
                                       .with = TQT_WITH_BRANCHES | TQT_WITH_MIMIC |
                                               TQT_WITH_FRICTION | TQT_WITH_ROTOR |
                                               TQT_WITH_SPRING | TQT_WITH_SHUFFLE};
    *t = (trial){.model = tqt_random_robot(seed, options)};
    tqt_random r = tqt_random_seed(seed + 177);
    t->model->tendons = t->tendons;
    t->model->shares = t->shares;
    for (uint32_t k = 0; k < TENDONS; k++) {
        tq_tendon *tendon = &t->tendons[t->model->n_tendon++];
        *tendon = (tq_tendon){.first = t->model->n_share,
                              .stiffness = tqt_random_uniform(&r, 1.0, 40.0),
                              .lower = tqt_random_uniform(&r, -1.0, 0.0)};
        tendon->upper = tendon->lower + (k == 1 ? tqt_random_uniform(&r, 0.1, 3.0) : 0.0);
        tendon->friction.viscous = tqt_random_uniform(&r, 0.1, 4.0);
        tendon->friction.coulomb = k == 2 ? 1.5 : 0.0;
        tendon->friction.smoothing = k == 2 ? 0.3 : 0.0;
        for (uint32_t j = 0; j < t->model->n_joint; j++) {
            if (tq_joint_kind_nv(t->model->joints[j].kind) == 1 &&
                tqt_random_uniform(&r, 0.0, 1.0) < 0.7) {
                t->shares[t->model->n_share++] =
                    (tq_tendon_share){.joint = j, .coefficient = tqt_random_uniform(&r, -2.0, 2.0)};
                tendon->n_share++;
            }
        }
    }
    tq_error fault = {0};
    cr_assert(eq(int, tq_model_finish(t->model, &fault), TQ_OK), "%s", fault.what);
    t->subject = tqt_subject_new(t->model, 0);
    t->s = tqt_random_states(seed + 5, t->model, N);
    t->nv = t->model->nv;
    t->memory = aligned_alloc(64, BYTES);
    tq_scratch_init(&t->scratch, t->memory, BYTES);
}

static void close_trial(trial *t)
{
    tq_scratch_release(t->memory, BYTES);
    free(t->memory);
    tqt_states_free(&t->s);
    tqt_subject_free(t->subject);
    tqt_model_free(t->model);
}

/* Of one tendon: its length, or (q = qd, is_rate) the rate of it. */
static double length_of(const trial *t, uint32_t k, const double *q, bool is_rate)
{
    double length = 0.0;
    for (uint32_t n = 0; n < t->tendons[k].n_share; n++) {
        const tq_tendon_share *share = &t->shares[t->tendons[k].first + n];
        const tq_joint *joint = &t->model->joints[share->joint];
        double own = q[is_rate ? joint->v_index : joint->q_index];
        if (joint->mimic != TQ_NONE) {
            own = joint->mimic_multiplier * own + (is_rate ? 0.0 : joint->mimic_offset);
        }
        length += share->coefficient * own;
    }
    return length;
}

static double energy_of(const trial *t, const double *q)
{
    double energy = 0.0;
    for (uint32_t k = 0; k < TENDONS; k++) {
        const double l = length_of(t, k, q, false);
        const double s = fmax(l - t->tendons[k].upper, 0.0) + fmin(l - t->tendons[k].lower, 0.0);
        energy += 0.5 * t->tendons[k].stiffness * s * s;
    }
    return energy;
}

/* torque of one sample with the tendons' springs or friction, less that without tendons */
static void tendon_torque(trial *t, const double *q, const double *qd, unsigned alone, double *ret)
{
    double *bare = tqt_doubles(t->nv);
    tq_model plain = *t->model;
    plain.n_tendon = 0;
    tqt_subject *other = tqt_subject_new(&plain, 0);
    tqt_torque(t->subject, q, qd, NULL, ~alone, ret);
    tqt_torque(other, q, qd, NULL, ~alone, bare);
    for (size_t r = 0; r < t->nv; r++) {
        ret[r] -= bare[r];
    }
    tqt_subject_free(other);
    free(bare);
}

Test(tendons, springs_are_the_slope_of_their_energy)
{
    static const double h = 1e-4; /* energy is quadratic: differences are exact but for rounding */
    unsigned felt = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        trial t;
        open_trial(&t, (uint64_t)seed);
        double *q = tqt_doubles(t.model->nq), *tau = tqt_doubles(t.nv), *want = tqt_doubles(t.nv);
        for (size_t i = 0; i < N; i++) {
            tqt_sample(t.s.q, t.model->nq, t.s.stride, i, q);
            const double rounding = 1e-15 * energy_of(&t, q) / h;
            tendon_torque(&t, q, NULL, TQ_WITHOUT_SPRING, tau);
            for (uint32_t j = 0; j < t.model->n_joint; j++) {
                const tq_joint *joint = &t.model->joints[j];
                if (joint->nv == 1) {
                    const double before = q[joint->q_index];
                    q[joint->q_index] = before + h;
                    const double plus = energy_of(&t, q);
                    q[joint->q_index] = before - h;
                    want[joint->v_index] = (plus - energy_of(&t, q)) / (2.0 * h);
                    q[joint->q_index] = before;
                }
            }
            for (size_t r = 0; r < t.nv; r++) {
                felt += tau[r] != 0.0;
                cr_assert(lt(dbl, fabs(tau[r] - want[r]), 1e-9 * (1.0 + fabs(want[r])) + rounding),
                          "seed %d, row %zu: %.12g for %.12g", seed, r, tau[r], want[r]);
            }
        }
        free(q), free(tau), free(want);
        close_trial(&t);
    }
    cr_assert(gt(uint, felt, SEEDS * N));
}

/* potential energy, of blocks and of Lagrange's equations, with less that without */
Test(tendons, energy)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        trial t;
        open_trial(&t, (uint64_t)seed);
        tq_model plain = *t.model;
        plain.n_tendon = 0;
        tqt_subject *other = tqt_subject_new(&plain, 0);
        double *with = tqt_doubles(2 * t.s.stride), *bare = tqt_doubles(2 * t.s.stride);
        double *q = tqt_doubles(t.model->nq);
        const tq_inverse_input in = {.n_sample = N, .stride = t.s.stride, .q = t.s.q, .qd = t.s.qd};
        tq_error e = {0};
        cr_assert(eq(int, tq_energy(t.subject->mechanism, &in, &t.scratch, with, &e), 0));
        cr_assert(eq(int, tq_energy(other->mechanism, &in, &t.scratch, bare, &e), 0));
        for (size_t i = 0; i < N; i++) {
            tqt_sample(t.s.q, t.model->nq, t.s.stride, i, q);
            const double own = energy_of(&t, q), whole = with[t.s.stride + i];
            const double slack = 1e-12 * (1.0 + fabs(whole) + own);
            cr_assert(lt(dbl, fabs(whole - bare[t.s.stride + i] - own), slack));
            tq_scratch scratch = t.scratch;
            tq_configuration p;
            cr_assert(eq(int, tq_configuration_compute(t.model, q, NULL, &scratch, &p, &e), 0));
            const double by_lagrange = tq_lagrangian_potential(&p, t.model->gravity, q);
            cr_assert(lt(dbl, fabs(by_lagrange - whole), 10.0 * slack));
        }
        tqt_subject_free(other);
        free(with), free(bare), free(q);
        close_trial(&t);
    }
}

/* friction takes d (dL/dt)^2 + c dL/dt tanh(dL/dt / smoothing), and acts along the coefficients */
Test(tendons, friction_takes_its_power)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        trial t;
        open_trial(&t, (uint64_t)seed);
        double *q = tqt_doubles(t.model->nq), *qd = tqt_doubles(t.nv), *tau = tqt_doubles(t.nv);
        for (size_t i = 0; i < N; i++) {
            double power = 0.0, want = 0.0;
            tqt_sample(t.s.q, t.model->nq, t.s.stride, i, q);
            tqt_sample(t.s.qd, t.nv, t.s.stride, i, qd);
            tendon_torque(&t, q, qd, TQ_WITHOUT_FRICTION, tau);
            for (uint32_t k = 0; k < TENDONS; k++) {
                const double rate = length_of(&t, k, qd, true);
                const tq_friction *f = &t.tendons[k].friction;
                want += f->viscous * rate * rate +
                        (f->coulomb > 0.0 ? f->coulomb * rate * tanh(rate / f->smoothing) : 0.0);
            }
            for (size_t r = 0; r < t.nv; r++) {
                power += tau[r] * qd[r];
            }
            cr_assert(lt(dbl, fabs(power - want), 1e-10 * (1.0 + want)), "seed %d: %g for %g", seed,
                      power, want);
        }
        free(q), free(qd), free(tau);
        close_trial(&t);
    }
}

Test(tendons, every_way_to_them_agrees)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        trial t;
        open_trial(&t, (uint64_t)seed);
        const size_t nv = t.nv, stride = t.s.stride;
        double *tau = tqt_doubles(nv * stride), *qdd = tqt_doubles(nv * stride);
        double *q = tqt_doubles(t.model->nq), *qd = tqt_doubles(nv), *acc = tqt_doubles(nv);
        double *entries = tqt_doubles(TQ_LEDGER_COUNT * nv), *one = tqt_doubles(nv);
        const tq_inverse_input in = {
            .n_sample = N, .stride = stride, .q = t.s.q, .qd = t.s.qd, .qdd = t.s.qdd};
        const tq_forward_input back = {
            .n_sample = N, .stride = stride, .q = t.s.q, .qd = t.s.qd, .tau = tau};
        tq_error e = {0};
        cr_assert(eq(int, tq_inverse_dynamics(t.subject->mechanism, &in, &t.scratch, tau, &e), 0));
        cr_assert(
            eq(int, tq_forward_dynamics(t.subject->mechanism, &back, &t.scratch, qdd, &e), 0));
        for (size_t i = 0; i < N; i++) {
            double largest = 1.0;
            tqt_sample(t.s.q, t.model->nq, stride, i, q);
            tqt_sample(t.s.qd, nv, stride, i, qd);
            tqt_sample(t.s.qdd, nv, stride, i, acc);
            const tq_sample sample = {.q = q, .qd = qd, .qdd = acc, .gravity = t.model->gravity};
            tq_scratch scratch = t.scratch;
            tq_configuration p;
            cr_assert(eq(int, tq_configuration_compute(t.model, q, qd, &scratch, &p, &e), 0));
            cr_assert(eq(int, tq_ledger(&p, &sample, &scratch, entries, &e), 0));
            for (size_t r = 0; r < nv; r++) {
                one[r] = 0.0;
                for (size_t k = 0; k < TQ_LEDGER_COUNT; k++) {
                    one[r] += entries[k * nv + r];
                }
                largest = fmax(largest, fabs(one[r]));
            }
            for (size_t r = 0; r < nv; r++) {
                cr_assert(lt(dbl, fabs(one[r] - tau[r * stride + i]), 1e-10 * largest));
                cr_assert(lt(dbl, fabs(acc[r] - qdd[r * stride + i]), 1e-6 * (10.0 + fabs(acc[r]))),
                          "seed %d, row %zu", seed, r);
            }
        }
        free(tau), free(qdd), free(q), free(qd), free(acc), free(entries), free(one);
        close_trial(&t);
    }
}

/* of blocks, and of one sample, against central differences of the torque of tendons */
Test(tendons, slopes)
{
    static const double h = 1e-6;
    const unsigned both = TQ_WITHOUT_SPRING | TQ_WITHOUT_FRICTION;
    for (int seed = 0; seed < SEEDS / 2; seed++) {
        trial t;
        open_trial(&t, (uint64_t)seed);
        const size_t nv = t.nv, stride = t.s.stride, square = nv * nv;
        tq_model plain = *t.model;
        plain.n_tendon = 0;
        tqt_subject *other = tqt_subject_new(&plain, 0);
        double *q = tqt_doubles(t.model->nq), *qd = tqt_doubles(nv);
        double *plus = tqt_doubles(nv), *minus = tqt_doubles(nv);
        double *d = tqt_doubles(2 * square * stride), *bare = tqt_doubles(2 * square * stride);
        double *one = tqt_doubles(2 * square);
        const tq_inverse_input in = {.n_sample = N, .stride = stride, .q = t.s.q, .qd = t.s.qd};
        tq_scratch scratch = t.scratch;
        tq_configuration p;
        tq_error e = {0};
        cr_assert(eq(int, tq_derivatives_batch(t.subject->mechanism, &in, &t.scratch, d, &e), 0));
        cr_assert(eq(int, tq_derivatives_batch(other->mechanism, &in, &t.scratch, bare, &e), 0));
        tqt_sample(t.s.q, t.model->nq, stride, 0, q);
        tqt_sample(t.s.qd, nv, stride, 0, qd);
        const tq_sample sample = {.q = q, .qd = qd, .gravity = t.model->gravity};
        cr_assert(eq(int, tq_configuration_compute(t.model, q, qd, &scratch, &p, &e), 0));
        cr_assert(eq(int, tq_inverse_derivatives(&p, &sample, &scratch, one, one + square, &e), 0));
        for (uint32_t j = 0; j < t.model->n_joint; j++) {
            const tq_joint *joint = &t.model->joints[j];
            for (int by_rate = 0; joint->nv == 1 && by_rate < 2; by_rate++) {
                double *x = by_rate ? qd + joint->v_index : q + joint->q_index;
                const double before = *x;
                *x = before + h;
                tendon_torque(&t, q, qd, both, plus);
                *x = before - h;
                tendon_torque(&t, q, qd, both, minus);
                *x = before;
                for (size_t r = 0; r < nv; r++) {
                    const double slope = (plus[r] - minus[r]) / (2.0 * h);
                    const size_t at = (size_t)by_rate * square + r * nv + joint->v_index;
                    const double got = d[at * stride] - bare[at * stride];
                    cr_assert(lt(dbl, fabs(got - slope), 1e-5 * (10.0 + fabs(slope))),
                              "seed %d, row %zu by joint %u: %g for %g", seed, r, j, got, slope);
                    cr_assert(
                        lt(dbl, fabs(one[at] - d[at * stride]), 1e-10 * (100.0 + fabs(one[at]))),
                        "seed %d: of one sample %g, of a block %g", seed, one[at], d[at * stride]);
                }
            }
        }
        tqt_subject_free(other);
        free(q), free(qd), free(plus), free(minus), free(d), free(bare), free(one);
        close_trial(&t);
    }
}

Test(tendons, are_checked)
{
    trial t;
    open_trial(&t, 1);
    tq_error e = {0};
    cr_assert(gt(uint, t.tendons[0].n_share, 0));
    t.tendons[0].lower = 1.0;
    t.tendons[0].upper = 0.5;
    cr_assert(eq(int, tq_model_finish(t.model, &e), TQ_ERR_RANGE));
    cr_assert(eq(str, (char *)e.what, "tendon"));
    t.tendons[0].upper = (double)NAN;
    cr_assert(eq(int, tq_model_finish(t.model, &e), TQ_ERR_NOT_FINITE));
    t.tendons[0].upper = 1.0;
    cr_assert(eq(int, tq_model_finish(t.model, &e), TQ_OK));
    t.shares[0].joint = t.model->n_joint;
    cr_assert(eq(int, tq_model_finish(t.model, &e), TQ_ERR_RANGE));
    t.shares[0].joint = 0;
    t.tendons[1].n_share = SHARES + 1;
    cr_assert(ne(int, tq_model_finish(t.model, &e), TQ_OK));
    t.tendons[1].n_share = 0;
    close_trial(&t);
}
