/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/derivatives/test_second_batch.c - second derivatives of the lanes
 * against the dense form, which uses the user's frames and not the canonical ones. */
#include "core/dynamics/derivatives/second_batch.h"
#include "core/dynamics/derivatives/second_derivatives.h"
#include "core/lanes/build.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_SEED = 120, N = 9, BYTES = 32 << 20, LANES = TQT_WITH_ALL & ~TQT_WITH_MIMIC };

typedef struct trial {
    tq_model *model;
    tqt_subject *subject;
    tqt_states states;
    tq_scratch scratch;
    void *memory;
    size_t cube;
    double *batch, *one;
} trial;

static trial open_trial(uint64_t seed, unsigned kinds, unsigned with)
{
    const tqt_robot_options options = {1 + (uint32_t)(seed * 37 % 10), kinds, with};
    trial t = {.model = tqt_random_robot(seed, options)};
    t.subject = tqt_subject_new(t.model, 0);
    t.states = tqt_random_states(seed, t.model, N);
    t.cube = (size_t)t.model->nv * t.model->nv * t.model->nv;
    t.batch = tqt_doubles(4 * t.cube * t.states.stride);
    t.one = tqt_doubles(4 * t.cube);
    t.memory = aligned_alloc(64, BYTES);
    cr_assert(ne(ptr, t.memory, NULL));
    tq_scratch_init(&t.scratch, t.memory, BYTES);
    return t;
}

static void close_trial(trial *t)
{
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
    const size_t size = tq_second_batch_scratch_size(t->subject->mechanism);
    tq_scratch room; /* no more than it says */
    tq_scratch_init(&room, t->memory, size);
    const tq_status status =
        tq_second_derivatives_batch(t->subject->mechanism, &in, &room, t->batch, &fault);
    cr_assert(status == TQ_OK, "%s: %s %zu", tq_status_slug(status), fault.what, fault.index);
    cr_assert(eq(sz, room.used, 0));
}

/* the dense form of sample i */
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
    const tq_second_derivatives ret = tq_second_arrays(t->one, nv);
    tq_configuration posture;
    const bool still = (without & TQ_WITHOUT_VELOCITY) != 0;
    cr_assert(eq(int,
                 tq_configuration_compute(model, q, still ? NULL : qd, &t->scratch, &posture, NULL),
                 TQ_OK));
    cr_assert(
        eq(int, tq_inverse_second_derivatives(&posture, &sample, &t->scratch, &ret, NULL), TQ_OK));
    tq_scratch_rewind(&t->scratch, mark);
    free(qdd);
    free(qd);
    free(q);
}

/* 1000 eps n of the largest of an array, as in test_derivatives_batch.c */
static void expect_sample(const trial *t, uint64_t seed, size_t i)
{
    for (size_t array = 0; array < 4; array++) {
        double worst = 0.0, scale = 1.0;
        for (size_t e = array * t->cube; e < (array + 1) * t->cube; e++) {
            worst = fmax(worst, fabs(t->batch[e * t->states.stride + i] - t->one[e]));
            scale = fmax(scale, fabs(t->one[e]));
        }
        cr_expect(le(dbl, worst, 1000.0 * DBL_EPSILON * t->model->n_joint * scale),
                  "seed %d, array %zu", (int)seed, array);
    }
}

static void expect_equal(uint64_t seed, unsigned kinds, unsigned with, unsigned without)
{
    trial t = open_trial(seed, kinds, with);
    for (size_t e = 0; e < 4 * t.cube * t.states.stride; e++) {
        t.batch[e] = NAN; /* zeros between branches are written too */
    }
    compute(&t, 0, N, without);
    for (size_t i = 0; i < N; i += 4) {
        dense(&t, i, without);
        expect_sample(&t, seed, i);
    }
    close_trial(&t);
}

Test(second_batch, equal_the_dense_form)
{
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        expect_equal(seed, TQT_KINDS_ALL, LANES, 0);
    }
}

Test(second_batch, of_every_kind_equal_the_dense_form)
{
    for (unsigned kind = TQ_JOINT_FIXED; kind <= TQ_JOINT_FLOATING; kind++) {
        for (uint64_t seed = 0; seed < 6; seed++) {
            expect_equal(seed, 1u << kind, LANES, 0);
        }
    }
}

/* one sample at a time: not by the kernel */
Test(second_batch, of_mimicking_joints)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        expect_equal(seed, TQT_KINDS_ALL, TQT_WITH_ALL, 0);
    }
}

Test(second_batch, leave_out_what_without_names)
{
    for (unsigned bit = 0; bit < 7; bit++) {
        for (uint64_t seed = 0; seed < 8; seed++) {
            expect_equal(seed + 300, TQT_KINDS_ALL, LANES, 1u << bit);
        }
    }
}

/* Bits: the same with every build, alone and in a block */
Test(second_batch, same_bits_everywhere)
{
    for (uint64_t seed = 0; seed < 30; seed++) {
        trial t = open_trial(seed, TQT_KINDS_ALL, seed % 5 == 0 ? TQT_WITH_ALL : LANES);
        const size_t stride = t.states.stride, n_row = 4 * t.cube;
        double *first = tqt_doubles(n_row * stride);
        for (int build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
            if (tq_lanes_force((tq_lanes_build)build) != TQ_OK) {
                continue;
            }
            compute(&t, 0, N, 0);
            if (build == TQ_BUILD_PORTABLE) {
                memcpy(first, t.batch, n_row * stride * sizeof *first);
            }
            for (size_t r = 0; r < n_row; r++) {
                cr_assert(memcmp(first + r * stride, t.batch + r * stride, N * sizeof *first) == 0,
                          "seed %d, build %d, row %zu", (int)seed, build, r);
            }
        }
        compute(&t, 5, 1, 0);
        for (size_t r = 0; r < n_row; r++) {
            cr_assert(memcmp(&first[r * stride + 5], &t.batch[r * stride], sizeof *first) == 0,
                      "alone, row %zu", r);
        }
        free(first);
        close_trial(&t);
    }
}

Test(second_batch, refuse_what_cannot_be_computed)
{
    trial t = open_trial(3, 1u << TQ_JOINT_REVOLUTE, LANES);
    tq_inverse_input in = {.n_sample = N,
                           .stride = t.states.stride,
                           .q = t.states.q,
                           .qd = t.states.qd,
                           .qdd = t.states.qdd};
    tq_error fault = {0};
    tq_scratch none;
    tq_scratch_init(&none, t.memory, 64);
    cr_assert(eq(int,
                 tq_second_derivatives_batch(t.subject->mechanism, &in, &none, t.batch, &fault),
                 TQ_ERR_SCRATCH));
    in.n_sample = 0;
    cr_assert(
        eq(int, tq_second_derivatives_batch(t.subject->mechanism, &in, &t.scratch, t.batch, &fault),
           TQ_ERR_SHAPE));
    in.n_sample = N;
    t.states.qd[4] = 1e200;
    cr_assert(
        eq(int, tq_second_derivatives_batch(t.subject->mechanism, &in, &t.scratch, t.batch, &fault),
           TQ_ERR_OVERFLOW));
    cr_assert(eq(str, (char *)fault.what, "second_derivatives"));
    cr_assert(eq(sz, fault.index, 4));
    close_trial(&t);
}
