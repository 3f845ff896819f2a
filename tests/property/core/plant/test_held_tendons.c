/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/plant/test_held_tendons.c - joints and tendons that friction holds on random
 * trees: accelerations by inverse dynamics and differences of lengths, velocities at rest. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/inverse.h"
#include "core/dynamics/kinematics/integrate.h"
#include "core/dynamics/passive/tendons.h"
#include "core/plant/stiction.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"
#include "tests/support/wrapping.h"

enum { SEEDS = 40, BYTES = 16 << 20, TENDONS = 3, POINTS = 4, JOINTS = 7 };

typedef struct trial {
    tq_model *model;
    tqt_subject *subject;
    tqt_states s;
    tq_scratch scratch;
    void *memory;
    signed char mode[JOINTS + TENDONS];
    tq_tendon tendons[TENDONS];
    tq_tendon_point points[TENDONS * POINTS];
    double *q, *qd, *qdd; /* flat */
} trial;

/* the first and the last tendon are held, the one between them slips; a joint of one dof is held */
static void open_trial(trial *t, uint64_t seed)
{
    const tqt_robot_options options = {
        .n_joint = JOINTS, .kinds = TQT_KINDS_ALL, .with = TQT_WITH_BRANCHES | TQT_WITH_SHUFFLE};
    tqt_random r = tqt_random_seed(seed + 77);
    tq_error fault = {0};
    *t = (trial){.model = tqt_random_robot(seed, options)};
    t->model->tendons = t->tendons;
    t->model->points = t->points;
    t->model->n_tendon = TENDONS;
    t->model->n_point = TENDONS * POINTS;
    for (uint32_t k = 0; k < TENDONS; k++) {
        t->tendons[k] = (tq_tendon){.first_point = k * POINTS, .n_point = POINTS};
        t->tendons[k].friction.coulomb = 1.0;
        for (uint32_t n = 0; n < POINTS; n++) {
            tq_tendon_point *p = &t->points[k * POINTS + n];
            *p = (tq_tendon_point){.link = tqt_random_below(&r, t->model->n_link), .weight = 1.0};
            for (int c = 0; c < 3; c++) {
                p->at[c] = tqt_random_uniform(&r, -0.5, 0.5);
            }
        }
        if (seed % 2 == 1) {
            tqt_wrapping_solid(&r, t->model, 0.3, &t->points[k * POINTS + 1]);
        }
    }
    cr_assert(eq(int, tq_model_finish(t->model, &fault), TQ_OK), "%s", fault.what);
    t->subject = tqt_subject_new(t->model, 0);
    t->s = tqt_random_states(seed + 5, t->model, 1);
    t->mode[JOINTS] = t->mode[JOINTS + 2] = TQ_MODE_STUCK;
    t->mode[JOINTS + 1] = TQ_MODE_PLUS;
    for (uint32_t j = 0; j < JOINTS && seed % 3 == 0; j++) {
        if (t->model->joints[j].nv == 1) {
            t->mode[j] = TQ_MODE_STUCK;
            break;
        }
    }
    t->q = tqt_doubles(t->model->nq);
    t->qd = tqt_doubles(t->model->nv);
    t->qdd = tqt_doubles(t->model->nv);
    t->memory = aligned_alloc(64, BYTES);
    tq_scratch_init(&t->scratch, t->memory, BYTES);
}

static void close_trial(trial *t)
{
    free(t->memory), free(t->q), free(t->qd), free(t->qdd);
    tqt_states_free(&t->s);
    tqt_subject_free(t->subject);
    tqt_model_free(t->model);
}

/* of tendon k after `by` s, along q + qd t + qdd t^2 / 2 */
static double length_after(const trial *t, uint32_t k, double by)
{
    double *step = tqt_doubles(t->model->nv), *q = tqt_doubles(t->model->nq);
    for (uint32_t r = 0; r < t->model->nv; r++) {
        step[r] = by * (t->qd[r] + 0.5 * by * t->qdd[r]);
    }
    for (uint32_t j = 0; j < t->model->n_joint; j++) { /* (R v)' = R (v' + w x v) */
        const uint32_t row = t->model->joints[j].v_index;
        double turned[3];
        if (t->model->joints[j].kind == TQ_JOINT_FLOATING) {
            tq_vec_cross(t->qd + row + 3, t->qd + row, turned);
            for (uint32_t c = 0; c < 3; c++) {
                step[row + c] += 0.5 * by * by * turned[c];
            }
        }
    }
    tq_configuration_integrate(t->model, t->q, step, q);
    const double length = tq_tendon_length(t->model, &t->tendons[k], 1, q);
    free(step), free(q);
    return length;
}

/* dL/dq by differences */
static double slope_of(const trial *t, uint32_t k, uint32_t row)
{
    static const double h = 1e-6;
    double *step = tqt_doubles(t->model->nv), *q = tqt_doubles(t->model->nq), side[2];
    for (int e = 0; e < 2; e++) {
        step[row] = e == 0 ? h : -h;
        tq_configuration_integrate(t->model, t->q, step, q);
        side[e] = tq_tendon_length(t->model, &t->tendons[k], 1, q);
    }
    free(step), free(q);
    return (side[0] - side[1]) / (2.0 * h);
}

static void rest(trial *t)
{
    tq_error e = {0};
    const size_t nv = t->model->nv, stride = t->s.stride;
    double *before = tqt_doubles(nv);
    cr_assert(eq(sz, stride, TQ_BLOCK_PAD));
    tqt_sample(t->s.qd, nv, stride, 0, before);
    cr_assert(
        eq(int, tq_locked_rest(t->subject->mechanism, 0, t->s.q, t->mode, &t->scratch, t->s.qd, &e),
           TQ_OK),
        "%s", e.what);
    tqt_sample(t->s.q, t->model->nq, stride, 0, t->q);
    tqt_sample(t->s.qd, nv, stride, 0, t->qd);
    double moved = 0.0;
    for (size_t r = 0; r < nv; r++) {
        moved = fmax(moved, fabs(t->qd[r] - before[r]));
    }
    cr_assert(moved > 1e-6);
    free(before);
}

Test(held_tendons, have_no_rate_and_no_acceleration)
{
    unsigned held = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        trial t;
        open_trial(&t, seed);
        rest(&t);
        const size_t nv = t.model->nv, stride = t.s.stride, n_hold = nv + TENDONS;
        double *tau = tqt_doubles(nv * stride), *qdd = tqt_doubles(nv * stride);
        double *hold = tqt_doubles(n_hold * stride), *back = tqt_doubles(nv * stride);
        for (size_t r = 0; r < nv; r++) {
            tau[r * stride] = 3.0 - (double)r;
        }
        const tq_forward_input in = {
            .n_sample = 1, .stride = stride, .q = t.s.q, .qd = t.s.qd, .tau = tau};
        tq_error e = {0};
        cr_assert(
            eq(int, tq_locked_forward(t.subject->mechanism, &in, t.mode, &t.scratch, qdd, hold, &e),
               TQ_OK),
            "%s", e.what);
        cr_assert(le(sz, t.scratch.peak, tq_locked_scratch_size(t.subject->mechanism, stride, 0)));
        tqt_sample(qdd, nv, stride, 0, t.qdd);
        const tq_inverse_input motion = {.n_sample = 1,
                                         .stride = stride,
                                         .q = t.s.q,
                                         .qd = t.s.qd,
                                         .qdd = qdd,
                                         .without = TQ_WITHOUT_FRICTION};
        cr_assert(
            eq(int, tq_inverse_dynamics(t.subject->mechanism, &motion, &t.scratch, back, &e), 0));
        for (uint32_t r = 0; r < nv; r++) {
            double want = tau[r * stride] + hold[r * stride];
            double size = 1.0 + fabs(want);
            for (uint32_t k = 0; k < TENDONS; k++) {
                const double tension = k == 1 ? -1.0 : hold[(nv + k) * stride];
                want += slope_of(&t, k, r) * tension;
                size += fabs(tension);
            }
            cr_assert(lt(dbl, fabs(back[r * stride] - want), 1e-7 * size),
                      "seed %d, row %u: %g, %g", (int)seed, r, back[r * stride], want);
        }
        for (uint32_t k = 0; k < TENDONS; k += 2) {
            static const double h = 2e-5;
            const double plus = length_after(&t, k, h), minus = length_after(&t, k, -h);
            const double now = length_after(&t, k, 0.0);
            held += hold[(nv + k) * stride] != 0.0;
            cr_assert(lt(dbl, fabs(plus - minus), 2.0 * h * 1e-5 * (1.0 + now)), "seed %d, %u",
                      (int)seed, k);
            cr_assert(lt(dbl, fabs(plus - 2.0 * now + minus), h * h * 1e-4 * (100.0 + now)),
                      "seed %d, %u: %g", (int)seed, k, (plus - 2.0 * now + minus) / h / h);
        }
        free(tau), free(qdd), free(hold), free(back);
        close_trial(&t);
    }
    cr_assert(gt(uint, held, SEEDS));
}
