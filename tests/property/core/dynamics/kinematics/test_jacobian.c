/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/kinematics/test_jacobian.c - Jacobians of the lanes against those of
 * one state and against the motion of frames. */
#include "core/dynamics/kinematics/jacobian.h"
#include "core/lanes/build.h"
#include "core/lanes/table.h"
#include "tests/support/motion.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_SEED = 120, N = 11, BYTES = 8 << 20 };

typedef struct trial {
    tq_model *model;
    tqt_subject *subject;
    tqt_states states;
    tq_scratch scratch;
    void *memory;
    double *jacobian, *rate;
    tq_jacobian_point point;
} trial;

static trial open_trial(uint64_t seed)
{
    const tqt_robot_options options = {1 + (uint32_t)(seed * 37 % 24), TQT_KINDS_ALL, TQT_WITH_ALL};
    trial t = {.model = tqt_random_robot(seed, options)};
    tqt_random r = tqt_random_seed(seed);
    t.subject = tqt_subject_new(t.model, 0);
    t.states = tqt_random_states(seed, t.model, N);
    t.jacobian = tqt_doubles(6 * t.model->nv * t.states.stride);
    t.rate = tqt_doubles(6 * t.model->nv * t.states.stride);
    t.memory = aligned_alloc(64, BYTES);
    cr_assert(ne(ptr, t.memory, NULL));
    tq_scratch_init(&t.scratch, t.memory, BYTES);
    t.point.link = tqt_random_below(&r, t.model->n_link);
    t.point.frame = (tq_jacobian_frame)(seed % 3);
    for (int k = 0; k < 3; k++) {
        t.point.at[k] = tqt_random_uniform(&r, -0.5, 0.5);
    }
    return t;
}

static void close_trial(trial *t)
{
    tq_scratch_init(&t->scratch, t->memory, 0);
    free(t->memory);
    free(t->rate);
    free(t->jacobian);
    tqt_states_free(&t->states);
    tqt_subject_free(t->subject);
    tqt_model_free(t->model);
}

static void compute(trial *t)
{
    tq_error fault = {0};
    const tq_inverse_input in = {
        .n_sample = N, .stride = t->states.stride, .q = t->states.q, .qd = t->states.qd};
    const tq_status status = tq_jacobian(t->subject->mechanism, &t->point, &in, &t->scratch,
                                         t->jacobian, t->rate, &fault);
    cr_assert(status == TQ_OK, "%s: %s %zu", tq_status_slug(status), fault.what, fault.index);
    cr_assert(eq(sz, t->scratch.used, 0));
}

/* one sample against the dense form, whose sums have the same size: lengths times rates */
static void expect_like_posture(trial *t, size_t i, uint64_t seed)
{
    const size_t nv = t->model->nv, stride = t->states.stride;
    double *q = tqt_doubles(t->model->nq), *qd = tqt_doubles(nv);
    double *want = tqt_doubles(6 * nv), *want_rate = tqt_doubles(6 * nv);
    tq_configuration posture;
    tqt_sample(t->states.q, t->model->nq, stride, i, q);
    tqt_sample(t->states.qd, nv, stride, i, qd);
    cr_assert(
        eq(int, (int)tq_configuration_compute(t->model, q, qd, &t->scratch, &posture, NULL), 0));
    tq_configuration_jacobian(&posture, t->point.link, t->point.at, t->point.frame, want,
                              want_rate);
    double size = 1.0, rate_size = 1.0;
    for (size_t k = 0; k < 6 * nv; k++) {
        size = fmax(size, fabs(want[k]));
        rate_size = fmax(rate_size, fabs(want_rate[k]));
    }
    const double *place = posture.pose[t->point.link].p;
    const double reach = 1.0 + fabs(place[0]) + fabs(place[1]) + fabs(place[2]);
    const double unit = 100.0 * DBL_EPSILON * (double)t->model->n_joint * reach;
    for (size_t k = 0; k < 6 * nv; k++) {
        cr_expect(fabs(t->jacobian[k * stride + i] - want[k]) <= unit * size, "seed %d: %g, not %g",
                  (int)seed, t->jacobian[k * stride + i], want[k]);
        cr_expect(fabs(t->rate[k * stride + i] - want_rate[k]) <= unit * rate_size,
                  "seed %d: rate %g, not %g", (int)seed, t->rate[k * stride + i], want_rate[k]);
    }
    tq_scratch_rewind(&t->scratch, 0);
    free(want_rate);
    free(want);
    free(qd);
    free(q);
}

Test(jacobian, equals_that_of_one_state)
{
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        trial t = open_trial(seed);
        compute(&t);
        for (size_t i = 0; i < N; i += 5) {
            expect_like_posture(&t, i, seed);
        }
        close_trial(&t);
    }
}

/* J qdd + dJ/dt qd is the acceleration of the centre of mass by moving frames */
Test(jacobian, accelerates_the_point)
{
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        trial t = open_trial(seed);
        const size_t nv = t.model->nv, stride = t.states.stride;
        double *x[3] = {tqt_doubles(t.model->nq), tqt_doubles(nv), tqt_doubles(nv)};
        tqt_link_motion *links = calloc(t.model->n_link, sizeof *links);
        cr_assert(ne(ptr, links, NULL));
        t.point.frame = TQ_JACOBIAN_WORLD_ALIGNED;
        memcpy(t.point.at, t.model->links[t.point.link].inertia.com, sizeof t.point.at);
        compute(&t);
        tqt_sample(t.states.q, t.model->nq, stride, 2, x[0]);
        tqt_sample(t.states.qd, nv, stride, 2, x[1]);
        tqt_sample(t.states.qdd, nv, stride, 2, x[2]);
        tqt_move(t.model, &(tqt_state){x[0], x[1], x[2]}, links);
        const tqt_link_motion *link = &links[t.point.link];
        for (size_t r = 0; r < 6; r++) {
            double v = 0.0, a = 0.0, size = 1.0;
            for (size_t c = 0; c < nv; c++) {
                const double j = t.jacobian[(r * nv + c) * stride + 2];
                const double d = t.rate[(r * nv + c) * stride + 2];
                v += j * x[1][c];
                a += j * x[2][c] + d * x[1][c];
                size += fabs(j * x[1][c]) + fabs(j * x[2][c]) + fabs(d * x[1][c]);
            }
            const double unit = 100.0 * DBL_EPSILON * (double)t.model->n_joint * size;
            const double want_v = (double)(r < 3 ? link->com_v[r] : link->omega[r - 3]);
            const double want_a = (double)(r < 3 ? link->com_a[r] : link->omega_dot[r - 3]);
            cr_expect(fabs(v - want_v) <= unit, "seed %d: %g, not %g", (int)seed, v, want_v);
            cr_expect(fabs(a - want_a) <= unit, "seed %d: %g, not %g", (int)seed, a, want_a);
        }
        free(links);
        free(x[2]);
        free(x[1]);
        free(x[0]);
        close_trial(&t);
    }
}

/* Bits: the same with every build */
Test(jacobian, same_bits_everywhere)
{
    cr_assert(eq(int, (int)tq_lanes_select(0), TQ_OK));
    for (uint64_t seed = 0; seed < 30; seed++) {
        trial t = open_trial(seed);
        const size_t size = 6 * t.model->nv * t.states.stride;
        double *first = tqt_doubles(2 * size);
        for (int build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
            if (tq_lanes_force((tq_lanes_build)build) != TQ_OK) {
                continue;
            }
            compute(&t);
            if (build == TQ_BUILD_PORTABLE) {
                memcpy(first, t.jacobian, size * sizeof *first);
                memcpy(first + size, t.rate, size * sizeof *first);
            }
            for (size_t row = 0; row < 6 * t.model->nv; row++) {
                const size_t at = row * t.states.stride;
                cr_assert(memcmp(&t.jacobian[at], &first[at], N * sizeof *first) == 0);
                cr_assert(memcmp(&t.rate[at], &first[size + at], N * sizeof *first) == 0);
            }
        }
        free(first);
        close_trial(&t);
    }
}

Test(jacobian, a_missing_link_is_refused)
{
    trial t = open_trial(3);
    tq_error fault = {0};
    t.point.link = t.model->n_link;
    const tq_inverse_input in = {.n_sample = N, .stride = t.states.stride, .q = t.states.q};
    cr_expect(tq_jacobian(t.subject->mechanism, &t.point, &in, &t.scratch, t.jacobian, NULL,
                          &fault) == TQ_ERR_RANGE);
    cr_expect_str_eq(fault.what, "link");
    close_trial(&t);
}
