/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/derivatives/test_derivatives_batch.c - derivatives and momentum of
 * the lanes against the dense forms, which use the user's frames and not the canonical ones. */
#include "core/dynamics/derivatives/derivatives.h"
#include "core/dynamics/derivatives/derivatives_batch.h"
#include "core/dynamics/momentum/momentum.h"
#include "core/dynamics/momentum/momentum_batch.h"
#include "core/lanes/build.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_SEED = 200, N = 9, BYTES = 32 << 20 };

typedef struct trial {
    tq_model *model;
    tqt_subject *subject;
    tqt_states states;
    tq_scratch scratch;
    void *memory;
    size_t n_row; /* of the result */
    double *batch, *one;
} trial;

static trial open_trial(uint64_t seed, unsigned kinds)
{
    const tqt_robot_options options = {1 + (uint32_t)(seed * 37 % 24), kinds, TQT_WITH_ALL};
    trial t = {.model = tqt_random_robot(seed, options)};
    t.subject = tqt_subject_new(t.model, 0);
    t.states = tqt_random_states(seed, t.model, N);
    t.n_row = 2 * (size_t)t.model->nv * t.model->nv + TQ_MOMENTUM_ROWS;
    t.batch = tqt_doubles(t.n_row * t.states.stride);
    t.one = tqt_doubles(t.n_row);
    t.memory = aligned_alloc(64, BYTES);
    cr_assert(ne(ptr, t.memory, NULL));
    tq_scratch_init(&t.scratch, t.memory, BYTES);
    return t;
}

static void close_trial(trial *t)
{
    tq_scratch_init(&t->scratch, t->memory, 0);
    free(t->memory);
    free(t->one);
    free(t->batch);
    tqt_states_free(&t->states);
    tqt_subject_free(t->subject);
    tqt_model_free(t->model);
}

/* samples first .. first + n - 1 as a block of their own */
static void compute(trial *t, size_t first, size_t n, unsigned without)
{
    tq_error fault = {0};
    const tq_inverse_input in = {.n_sample = n,
                                 .stride = t->states.stride,
                                 .q = t->states.q + first,
                                 .qd = t->states.qd + first,
                                 .qdd = t->states.qdd + first,
                                 .without = without};
    double *momentum = t->batch + (t->n_row - TQ_MOMENTUM_ROWS) * t->states.stride;
    tq_status status =
        tq_derivatives_batch(t->subject->mechanism, &in, &t->scratch, t->batch, &fault);
    cr_assert(status == TQ_OK, "%s: %s %zu", tq_status_slug(status), fault.what, fault.index);
    status = tq_momentum_batch(t->subject->mechanism, &in, &t->scratch, momentum, &fault);
    cr_assert(status == TQ_OK, "%s: %s %zu", tq_status_slug(status), fault.what, fault.index);
    cr_assert(eq(sz, t->scratch.used, 0));
}

/* the dense forms of sample i, in the same order */
static void dense(trial *t, size_t i, unsigned without)
{
    const tq_model *model = t->model;
    const size_t nv = model->nv, mark = tq_scratch_mark(&t->scratch);
    double *q = tqt_doubles(model->nq), *qd = tqt_doubles(nv), *qdd = tqt_doubles(nv);
    tqt_sample(t->states.q, model->nq, t->states.stride, i, q);
    tqt_sample(t->states.qd, nv, t->states.stride, i, qd);
    tqt_sample(t->states.qdd, nv, t->states.stride, i, qdd);
    const tq_sample sample = {
        .q = q, .qd = qd, .qdd = qdd, .gravity = model->gravity, .without = without};
    tq_configuration posture;
    tq_momentum momentum;
    const _Bool still = (without & TQ_WITHOUT_VELOCITY) != 0;
    cr_assert(eq(int,
                 tq_configuration_compute(model, q, still ? NULL : qd, &t->scratch, &posture, NULL),
                 TQ_OK));
    cr_assert(eq(
        int, tq_inverse_derivatives(&posture, &sample, &t->scratch, t->one, t->one + nv * nv, NULL),
        TQ_OK));
    cr_assert(eq(int, tq_configuration_compute(model, q, qd, &t->scratch, &posture, NULL), TQ_OK));
    tq_momentum_compute(&posture, &momentum);
    double *to = t->one + 2 * nv * nv;
    memcpy(to + TQ_MOMENTUM_COM, momentum.com, sizeof momentum.com);
    memcpy(to + TQ_MOMENTUM_COM_VELOCITY, momentum.com_velocity, sizeof momentum.com_velocity);
    memcpy(to + TQ_MOMENTUM_LINEAR, momentum.linear, sizeof momentum.linear);
    memcpy(to + TQ_MOMENTUM_ANGULAR_COM, momentum.angular_com, sizeof momentum.angular_com);
    memcpy(to + TQ_MOMENTUM_ANGULAR_ORIGIN, momentum.angular_origin,
           sizeof momentum.angular_origin);
    tq_scratch_rewind(&t->scratch, mark);
    free(qdd);
    free(qd);
    free(q);
}

/* Largest difference of rows first .. end - 1, relative to the largest of these rows or to `scale`:
 * entries are sums over subtrees, in which large and small entries share terms. */
static double worst_of(const trial *t, size_t i, size_t first, size_t end, double scale)
{
    double worst = 0.0;
    for (size_t r = first; r < end; r++) {
        worst = fmax(worst, fabs(t->batch[r * t->states.stride + i] - t->one[r]));
        scale = fmax(scale, fabs(t->one[r]));
    }
    return scale > 0.0 ? worst / (DBL_EPSILON * t->model->n_joint * scale) : worst;
}

/* 1000 eps n: both forms round, and sum about the world's origin, at distances of ten times the
 * robots' size; a wrong term of any joint causes 1e10 of these units */
static const double limit = 1000.0;

static void expect_equal(uint64_t seed, unsigned kinds, unsigned without)
{
    trial t = open_trial(seed, kinds);
    const size_t half = (size_t)t.model->nv * t.model->nv;
    compute(&t, 0, N, without);
    for (size_t i = 0; i < N; i += 4) {
        dense(&t, i, without);
        const double by_q = worst_of(&t, i, 0, half, 0.0);
        /* for one joint dtau/dqd is 0 except for rounding of the same terms */
        const double by_qd = worst_of(&t, i, half, 2 * half, t.model->nv == 1 ? 1.0 : 0.0);
        cr_expect(by_q <= limit, "seed %d, by q: %g eps n", (int)seed, by_q);
        cr_expect(by_qd <= limit, "seed %d, by qd: %g eps n", (int)seed, by_qd);
        for (size_t r = 2 * half; r < t.n_row; r += 3) {
            const double momentum = worst_of(&t, i, r, r + 3, 0.0);
            cr_expect(momentum <= limit, "seed %d, row %zu: %g eps n", (int)seed, r - 2 * half,
                      momentum);
        }
    }
    close_trial(&t);
}

Test(derivatives_batch, equal_the_dense_forms)
{
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        expect_equal(seed, TQT_KINDS_ALL, 0);
    }
}

Test(derivatives_batch, of_every_kind_equal_the_dense_forms)
{
    for (unsigned kind = TQ_JOINT_FIXED; kind <= TQ_JOINT_FLOATING; kind++) {
        for (uint64_t seed = 0; seed < 10; seed++) {
            expect_equal(seed, 1u << kind, 0);
        }
    }
}

Test(derivatives_batch, leave_out_what_without_names)
{
    for (unsigned bit = 0; bit < 7; bit++) {
        for (uint64_t seed = 0; seed < 12; seed++) {
            expect_equal(seed + 300, TQT_KINDS_ALL, 1u << bit);
        }
    }
}

/* a robot 1000 km from the origin keeps its digits: sums are about its own base */
Test(derivatives_batch, far_from_the_origin_keep_their_digits)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        const tqt_robot_options options = {6, TQT_KINDS_ONE, TQT_WITH_BRANCHES};
        tq_model *arm = tqt_random_robot(seed, options), *far = tqt_model_new(arm->n_link + 1);
        far->links[0] = (tq_link){0};
        memcpy(far->links + 1, arm->links, arm->n_link * sizeof *arm->links);
        far->joints[0].kind = TQ_JOINT_FLOATING;
        far->joints[0].parent = 0;
        far->joints[0].child = 1 + arm->root;
        for (uint32_t j = 0; j < arm->n_joint; j++) {
            far->joints[j + 1] = arm->joints[j];
            far->joints[j + 1].parent++;
            far->joints[j + 1].child++;
        }
        cr_assert(eq(int, tq_model_finish(far, NULL), TQ_OK));
        trial t = {.model = far, .subject = tqt_subject_new(far, 0)};
        t.states = tqt_random_states(seed, far, N);
        t.n_row = 2 * (size_t)far->nv * far->nv + TQ_MOMENTUM_ROWS;
        t.batch = tqt_doubles(t.n_row * t.states.stride);
        double *near_by = tqt_doubles(t.n_row * t.states.stride);
        t.memory = aligned_alloc(64, BYTES);
        tq_scratch_init(&t.scratch, t.memory, BYTES);
        compute(&t, 0, N, 0);
        memcpy(near_by, t.batch, t.n_row * t.states.stride * sizeof *near_by);
        for (size_t i = 0; i < N; i++) {
            for (size_t k = 0; k < 3; k++) {
                t.states.q[k * t.states.stride + i] = 1e6;
            }
        }
        compute(&t, 0, N, 0);
        const size_t derivatives = (t.n_row - TQ_MOMENTUM_ROWS) * t.states.stride;
        cr_expect(memcmp(near_by, t.batch, derivatives * sizeof *near_by) == 0, "seed %d",
                  (int)seed);
        free(near_by);
        close_trial(&t);
        tqt_model_free(arm);
    }
}

/* Bits: the same with every build, alone and in a block */
Test(derivatives_batch, same_bits_everywhere)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        trial t = open_trial(seed, TQT_KINDS_ALL);
        const size_t stride = t.states.stride;
        double *first = tqt_doubles(t.n_row * stride);
        for (int build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
            if (tq_lanes_force((tq_lanes_build)build) != TQ_OK) {
                continue;
            }
            compute(&t, 0, N, 0);
            if (build == TQ_BUILD_PORTABLE) {
                memcpy(first, t.batch, t.n_row * stride * sizeof *first);
            }
            for (size_t r = 0; r < t.n_row; r++) {
                cr_assert(memcmp(first + r * stride, t.batch + r * stride, N * sizeof *first) == 0,
                          "build %d, row %zu", build, r);
            }
        }
        compute(&t, 5, 1, 0);
        for (size_t r = 0; r < t.n_row; r++) {
            cr_assert(memcmp(&first[r * stride + 5], &t.batch[r * stride], sizeof *first) == 0,
                      "alone, row %zu", r);
        }
        free(first);
        close_trial(&t);
    }
}

/* into an array that was filled before, modified in all entries that motion changes */
Test(derivatives_batch, again_give_the_same)
{
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        trial t = open_trial(seed, TQT_KINDS_ALL);
        const size_t stride = t.states.stride, n = (t.n_row - TQ_MOMENTUM_ROWS) * stride;
        const tq_inverse_input in = {.n_sample = N,
                                     .stride = stride,
                                     .q = t.states.q,
                                     .qd = t.states.qd,
                                     .qdd = t.states.qdd};
        double *again = tqt_doubles(n);
        compute(&t, 0, N, 0);
        size_t n_zero = 0;
        for (size_t k = 0; k < n; k++) {
            again[k] = t.batch[k] == 0.0 ? 0.0 : -7.0;
            n_zero += t.batch[k] == 0.0;
        }
        tqt_spoil(&t.scratch);
        cr_assert(eq(int,
                     tq_derivatives_batch_again(t.subject->mechanism, &in, &t.scratch, again, NULL),
                     TQ_OK));
        for (size_t k = 0; k < n; k++) {
            cr_expect(k % stride >= N || again[k] == t.batch[k], "seed %d: entry %zu of %zu zeros",
                      (int)seed, k / stride, n_zero);
        }
        free(again);
        close_trial(&t);
    }
}

Test(derivatives_batch, refuse_what_they_must)
{
    trial t = open_trial(3, TQT_KINDS_ONE);
    tq_error error = {0};
    const tq_mechanism *m = t.subject->mechanism;
    tq_inverse_input in = {.n_sample = N,
                           .stride = t.states.stride,
                           .q = t.states.q,
                           .qd = t.states.qd,
                           .qdd = t.states.qdd};
    tq_scratch small;
    tq_scratch_init(&small, t.memory, 64);
    cr_expect(eq(int, tq_derivatives_batch(m, &in, &small, t.batch, &error), TQ_ERR_SCRATCH));
    cr_expect(error.value > 64.0);
    cr_expect(eq(int, tq_momentum_batch(m, &in, &small, t.batch, &error), TQ_ERR_SCRATCH));
    cr_expect(error.value > 64.0);
    tq_scratch_init(&small, t.memory, tq_derivatives_batch_scratch_size(m));
    cr_expect(eq(int, tq_derivatives_batch(m, &in, &small, t.batch, &error), TQ_OK));
    tq_scratch_init(&small, t.memory, tq_momentum_batch_scratch_size(m));
    cr_expect(eq(int, tq_momentum_batch(m, &in, &small, t.batch, &error), TQ_OK));
    t.states.qd[2] = 1e200;
    cr_expect(eq(int, tq_derivatives_batch(m, &in, &t.scratch, t.batch, &error), TQ_ERR_OVERFLOW));
    cr_expect(eq(sz, error.index, 2));
    in.n_sample = 0;
    cr_expect(eq(int, tq_derivatives_batch(m, &in, &t.scratch, t.batch, &error), TQ_ERR_SHAPE));
    cr_expect(eq(int, tq_momentum_batch(m, &in, &t.scratch, t.batch, &error), TQ_ERR_SHAPE));
    close_trial(&t);
}
