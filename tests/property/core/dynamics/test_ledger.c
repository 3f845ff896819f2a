/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/test_ledger.c - the terms of torque sum up to it, with each term
 * omitted in turn; two algorithms agree. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/checks.h"
#include "core/dynamics/lagrangian.h"
#include "core/dynamics/ledger.h"
#include "tests/support/lagrange.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

enum { SEEDS = 60, BYTES = 32 << 20, JOINT_MAX = 10 };

typedef struct fixture {
    tq_model *model;
    double *q, *qd, *qdd;
    tq_scratch scratch;
    tq_configuration posture;
    size_t nv;
    tqt_wrench wrench;
    tq_point_wrench point;
    tq_sample sample;
} fixture;

static fixture *open_case(uint64_t seed)
{
    fixture *f = calloc(1, sizeof *f);
    cr_assert(ne(ptr, f, NULL));
    const tqt_robot_options options = {
        .n_joint = 1 + (uint32_t)(seed % JOINT_MAX), .kinds = TQT_KINDS_ALL, .with = TQT_WITH_ALL};
    f->model = tqt_random_robot(seed + 31, options);
    f->nv = f->model->nv;
    tqt_states states = tqt_random_states(seed + 900, f->model, 1);
    f->q = tqt_doubles(f->model->nq);
    f->qd = tqt_doubles(f->nv);
    f->qdd = tqt_doubles(f->nv);
    tqt_sample(states.q, f->model->nq, states.stride, 0, f->q);
    tqt_sample(states.qd, f->nv, states.stride, 0, f->qd);
    tqt_sample(states.qdd, f->nv, states.stride, 0, f->qdd);
    tqt_states_free(&states);
    void *memory = aligned_alloc(64, BYTES);
    cr_assert(ne(ptr, memory, NULL));
    tq_scratch_init(&f->scratch, memory, BYTES);
    cr_assert(eq(int,
                 tq_configuration_compute(f->model, f->q, f->qd, &f->scratch, &f->posture, NULL),
                 TQ_OK));
    f->wrench = (tqt_wrench){.link = (uint32_t)(seed % f->model->n_link),
                             .expressed_in = seed % 2 == 0 ? TQ_FRAME_WORLD : TQ_FRAME_LINK,
                             .at = {0.1, 0.2, -0.3},
                             .value = {1.0, -2.0, 3.0, 0.5, 0.25, -0.125}};
    f->point = (tq_point_wrench){.link = f->wrench.link, .expressed_in = f->wrench.expressed_in};
    memcpy(f->point.at, f->wrench.at, sizeof f->point.at);
    memcpy(f->point.value, f->wrench.value, sizeof f->point.value);
    f->sample = (tq_sample){.q = f->q,
                            .qd = f->qd,
                            .qdd = f->qdd,
                            .gravity = f->model->gravity,
                            .wrenches = &f->point,
                            .n_wrench = 1};
    return f;
}

static void close_case(fixture *f)
{
    free(f->scratch.memory);
    free(f->q);
    free(f->qd);
    free(f->qdd);
    tqt_model_free(f->model);
    free(f);
}

static double *ledger(fixture *f)
{
    double *entries = tqt_doubles(TQ_LEDGER_COUNT * f->nv);
    cr_assert(eq(int, tq_ledger(&f->posture, &f->sample, &f->scratch, entries, NULL), TQ_OK));
    return entries;
}

/* all terms, and each of the seven omitted in turn */
Test(ledger, sums_to_virtual_work_whatever_is_left_out)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        fixture *f = open_case(seed);
        tqt_sum *want = calloc(f->nv + 1, sizeof *want);
        for (unsigned bit = 0; bit <= 7; bit++) {
            f->sample.without = bit == 7 ? 0 : 1u << bit;
            double *entries = ledger(f);
            double *sum = tqt_doubles(f->nv);
            tq_ledger_total(f->nv, entries, sum);
            const tqt_problem problem = {.model = f->model,
                                         .state = {.q = f->q, .qd = f->qd, .qdd = f->qdd},
                                         .wrenches = &f->wrench,
                                         .n_wrench = 1,
                                         .without = f->sample.without};
            tqt_inverse_dynamics(&problem, want);
            for (size_t i = 0; i < f->nv; i++) {
                double scale = 1.0;
                for (size_t e = 0; e < TQ_LEDGER_COUNT; e++) {
                    scale = fmax(scale, fabs(entries[e * f->nv + i]));
                }
                scale += (double)want[i].terms;
                /* lever arms from the world origin: some thousand eps of the terms */
                const double slack = 1e4 * DBL_EPSILON * scale * (double)f->model->n_joint;
                cr_assert(lt(dbl, fabs(sum[i] - (double)want[i].value), slack),
                          "seed %d, without %#x, row %d", (int)seed, f->sample.without, (int)i);
            }
            free(sum);
            free(entries);
        }
        free(want);
        close_case(f);
    }
}

/* the centrifugal part is the sum over single rates, the Coriolis part is the remainder */
Test(ledger, item_043_splits_coriolis_from_centrifugal)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        fixture *f = open_case(seed);
        double *whole = ledger(f);
        double *alone = tqt_doubles(f->nv), *rate = tqt_doubles(f->nv);
        double scale = 1.0;
        for (size_t k = 0; k < f->nv; k++) {
            memset(rate, 0, f->nv * sizeof *rate);
            rate[k] = f->qd[k];
            const size_t mark = tq_scratch_mark(&f->scratch);
            tq_configuration p;
            cr_assert(eq(int, tq_configuration_compute(f->model, f->q, rate, &f->scratch, &p, NULL),
                         TQ_OK));
            double *c = tqt_doubles(f->nv * f->nv);
            cr_assert(
                eq(int, tq_lagrangian_coriolis(&p, rate, TQ_CORIOLIS_STACKED, &f->scratch, c, NULL),
                   TQ_OK));
            for (size_t i = 0; i < f->nv; i++) {
                alone[i] += c[i * f->nv + k] * rate[k];
                scale = fmax(scale, fabs(c[i * f->nv + k] * rate[k]));
            }
            free(c);
            tq_scratch_rewind(&f->scratch, mark);
        }
        for (size_t i = 0; i < f->nv; i++) {
            const double got = whole[TQ_LEDGER_CENTRIFUGAL * f->nv + i];
            cr_assert(lt(dbl, fabs(got - alone[i]), 1e-11 * scale), "seed %d", (int)seed);
        }
        free(alone);
        free(rate);
        free(whole);
        close_case(f);
    }
}

/* Mdot - 2 C skew: qd^T (M qdd_ref + C qd_ref + g - tau) vanishes for errors e = qd - qd_ref only
 * with the Christoffel form; here with qd_ref = qd the torque is that of inverse dynamics */
Test(ledger, item_042_passivity_torque_is_inverse_dynamics_on_the_reference)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        fixture *f = open_case(seed);
        double *entries = ledger(f);
        double *tau = tqt_doubles(f->nv);
        cr_assert(eq(int,
                     tq_passivity_torque(&f->posture, f->qd, f->qd, f->qdd, f->model->gravity,
                                         &f->scratch, tau, NULL),
                     TQ_OK));
        for (size_t i = 0; i < f->nv; i++) {
            static const tq_ledger_entry parts[] = {TQ_LEDGER_INERTIA, TQ_LEDGER_CORIOLIS,
                                                    TQ_LEDGER_CENTRIFUGAL, TQ_LEDGER_GRAVITY,
                                                    TQ_LEDGER_ROTOR};
            double sum = 0.0, scale = 1.0;
            for (size_t e = 0; e < sizeof parts / sizeof parts[0]; e++) {
                sum += entries[parts[e] * f->nv + i];
                scale = fmax(scale, fabs(entries[parts[e] * f->nv + i]));
            }
            cr_assert(lt(dbl, fabs(tau[i] - sum), 1e-10 * scale), "seed %d", (int)seed);
        }
        free(tau);
        free(entries);
        close_case(f);
    }
}

Test(checks, item_079_recursive_lagrangian_and_stacked_agree)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        fixture *f = open_case(seed);
        tqt_subject *subject = tqt_subject_new(f->model, 1);
        tq_checks checks;
        f->posture.model = tq_mechanism_model(subject->mechanism);
        cr_assert(eq(int,
                     tq_checks_compute(subject->mechanism, &f->posture, &f->sample, &f->scratch,
                                       &checks, NULL),
                     TQ_OK));
        /* rounding: some hundred eps a joint */
        cr_assert(lt(dbl, checks.recursive_lagrangian, 1e-11), "seed %d", (int)seed);
        cr_assert(lt(dbl, checks.recursive_stacked, 1e-11), "seed %d", (int)seed);
        cr_assert(lt(dbl, checks.mass_matrix, 1e-11), "seed %d", (int)seed);
        cr_assert(lt(dbl, checks.skew_symmetry, 1e-11), "seed %d", (int)seed);
        cr_assert(lt(dbl, checks.symmetry, 1e-13), "seed %d", (int)seed);
        tqt_subject_free(subject);
        close_case(f);
    }
}

/* negative control: a wrench that the recursion includes and the ledger does not */
Test(checks, report_if_the_two_ways_differ)
{
    fixture *f = open_case(7);
    tqt_subject *subject = tqt_subject_new(f->model, 1);
    tq_checks checks;
    f->posture.model = tq_mechanism_model(subject->mechanism);
    f->qd[0] += 0.5; /* differs from the velocity of the configuration */
    cr_assert(eq(
        int,
        tq_checks_compute(subject->mechanism, &f->posture, &f->sample, &f->scratch, &checks, NULL),
        TQ_OK));
    cr_assert(gt(dbl, checks.recursive_stacked, 1e-6));
    tqt_subject_free(subject);
    close_case(f);
}

/* Mdot - 2 C is skew for the C of Christoffel symbols; the stacked form is the negative control */
Test(ledger, residual_of_skew_symmetry)
{
    unsigned loose = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        fixture *f = open_case(seed);
        tqt_subject *subject = tqt_subject_new(f->model, 1);
        double *c = tqt_doubles(f->nv * f->nv), residual = 1.0;
        for (int form = TQ_CORIOLIS_CHRISTOFFEL; form <= TQ_CORIOLIS_STACKED;
             form += TQ_CORIOLIS_STACKED) {
            cr_assert(eq(int,
                         tq_lagrangian_coriolis(&f->posture, f->qd, (tq_coriolis_form)form,
                                                &f->scratch, c, NULL),
                         TQ_OK));
            cr_assert(eq(int,
                         tq_coriolis_skew_residual(subject->mechanism, &f->posture, &f->sample, c,
                                                   &f->scratch, &residual, NULL),
                         TQ_OK));
            if (form == TQ_CORIOLIS_CHRISTOFFEL) {
                cr_assert(lt(dbl, residual, 1e-10), "seed %d", (int)seed);
            } else {
                loose += residual > 1e-3;
            }
        }
        free(c);
        tqt_subject_free(subject);
        close_case(f);
    }
    cr_assert(gt(uint, loose, 10u));
}
