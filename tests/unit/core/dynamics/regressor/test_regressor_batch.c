/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/dynamics/regressor/test_regressor_batch.c - Y pi equals the torque; bits. */
#include "core/dynamics/regressor/regressor_batch.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/regressor/regressor.h"
#include "core/lanes/build.h"
#include "core/model/layout.h"
#include "tests/support/naive.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

enum { JOINTS = 10, ROWS = 7 * JOINTS, N = 16, TEN = TQ_PARAMETERS_OF_LINK };

static _Alignas(64) double q[ROWS * N], qd[ROWS * N], qdd[ROWS * N], tau[ROWS * N];
static _Alignas(64) double y[ROWS * JOINTS * TEN * N], other[ROWS * JOINTS * TEN * N];

static tq_scratch prepare(naive_robot *robot, uint64_t seed)
{
    cr_assert(tq_lanes_select(0) == TQ_OK);
    naive_random_robot(robot, JOINTS, NAIVE_PLAIN | (seed % 2 == 0 ? NAIVE_SINGLES : 0), seed);
    naive_random_q(robot, N, N, q);
    naive_random_v(robot, N, N, 2.0, qd);
    naive_random_v(robot, N, N, 5.0, qdd);
    const size_t size = tq_regressor_batch_scratch_size(robot->mechanism) +
                        tq_inverse_scratch_size(robot->mechanism, 0);
    tq_scratch scratch;
    tq_scratch_init(&scratch, aligned_alloc(64, size), size);
    return scratch;
}

Test(regressor_batch, times_parameters_is_the_torque)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        naive_robot robot;
        tq_scratch scratch = prepare(&robot, seed);
        const tq_inverse_input in = {.n_sample = N, .stride = N, .q = q, .qd = qd, .qdd = qdd};
        cr_assert(tq_regressor_batch(robot.mechanism, &in, &scratch, y, NULL) == TQ_OK);
        cr_assert(tq_inverse_dynamics(robot.mechanism, &in, &scratch, tau, NULL) == TQ_OK);
        const size_t n_parameter = TEN * robot.model.n_joint;
        double pi[TEN * JOINTS];
        tq_parameter_values(&robot.model, 0, pi);
        for (size_t a = 0; a < robot.model.nv; a++) {
            for (size_t i = 0; i < N; i++) {
                double sum = 0.0, size = 0.0;
                for (size_t c = 0; c < n_parameter; c++) {
                    const double x = y[(a * n_parameter + c) * N + i];
                    sum += x * pi[c];
                    size += fabs(x * pi[c]);
                }
                /* some hundred terms that sum to `size`, each exact to n roundings */
                cr_assert(fabs(sum - tau[a * N + i]) <= 100 * JOINTS * DBL_EPSILON * (1.0 + size),
                          "seed %lu, row %zu: %g, not %g", (unsigned long)seed, a, sum,
                          tau[a * N + i]);
            }
        }
        free(scratch.memory);
        naive_free(&robot);
    }
}

Test(regressor_batch, same_bits_at_every_width)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        naive_robot robot;
        tq_scratch scratch = prepare(&robot, seed);
        const tq_inverse_input in = {.n_sample = N, .stride = N, .q = q, .qd = qd, .qdd = qdd};
        const size_t bytes = robot.model.nv * robot.model.n_joint * TEN * N * sizeof *y;
        for (int build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
            if (tq_lanes_force((tq_lanes_build)build) != TQ_OK) {
                continue;
            }
            double *out = build == TQ_BUILD_PORTABLE ? y : other;
            cr_assert(tq_regressor_batch(robot.mechanism, &in, &scratch, out, NULL) == TQ_OK);
            cr_expect(build == TQ_BUILD_PORTABLE || memcmp(y, other, bytes) == 0, "build %d",
                      build);
        }
        free(scratch.memory);
        naive_free(&robot);
    }
}

/* robots of every kind and with mimic joints: a second block into the same array */
Test(regressor_batch, again_is_the_same)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        naive_robot robot;
        tq_scratch scratch = prepare(&robot, seed);
        const tq_inverse_input in = {.n_sample = N, .stride = N, .q = q, .qd = qd, .qdd = qdd};
        const tq_inverse_input before = {.n_sample = N, .stride = N, .q = q};
        const size_t bytes = robot.model.nv * robot.model.n_joint * TEN * N * sizeof *y;
        memset(other, 0xff, sizeof other); /* NaN in all entries that are not written */
        cr_assert(tq_regressor_batch(robot.mechanism, &before, &scratch, other, NULL) == TQ_OK);
        cr_assert(tq_regressor_batch_again(robot.mechanism, &in, &scratch, other, NULL) == TQ_OK);
        cr_assert(tq_regressor_batch(robot.mechanism, &in, &scratch, y, NULL) == TQ_OK);
        cr_expect(memcmp(y, other, bytes) == 0, "seed %lu", (unsigned long)seed);
        free(scratch.memory);
        naive_free(&robot);
    }
}

Test(regressor_batch, overflow_names_its_sample)
{
    naive_robot robot;
    tq_scratch scratch = prepare(&robot, 2);
    const tq_inverse_input in = {.n_sample = N, .stride = N, .q = q, .qd = qd, .qdd = qdd};
    tq_error error = {0};
    qd[3] = 1e120; /* its square is finite: large, but accepted */
    cr_expect(tq_regressor_batch(robot.mechanism, &in, &scratch, y, &error) == TQ_OK);
    for (size_t k = 0; k < robot.model.nv; k++) {
        qd[k * N + 3] = 1e200;
    }
    cr_expect(tq_regressor_batch(robot.mechanism, &in, &scratch, y, &error) == TQ_ERR_OVERFLOW);
    cr_expect(error.index == 3);
    naive_random_v(&robot, N, N, 2.0, qd);
    for (uint32_t j = 0; j < robot.model.n_joint; j++) { /* rates alone do not show these */
        const tq_joint *joint = &robot.model.joints[j];
        if (joint->nq != 1) {
            continue;
        }
        double *at = &q[joint->q_index * N + 5], before = *at;
        *at = j % 2 == 0 ? INFINITY : NAN;
        cr_expect(tq_regressor_batch(robot.mechanism, &in, &scratch, y, &error) == TQ_ERR_OVERFLOW,
                  "joint %u", j);
        cr_expect(error.index == 5);
        *at = before;
    }
    cr_expect(tq_regressor_batch(robot.mechanism, &in, &scratch, y, &error) == TQ_OK);
    free(scratch.memory);
    naive_free(&robot);
}

/* A revolute joint with a prismatic one on it: an arm of 1e200 m times 1e150 rad/s^2 is infinite,
 * of 1e100 m times 1e60 rad/s^2 it is finite. */
Test(regressor_batch, overflow_of_a_long_arm)
{
    tq_model *model = tqt_model_new(3);
    for (uint32_t l = 1; l < 3; l++) {
        model->links[l].inertia = (tq_inertia){.mass = 1.0, .about_com = {1, 0, 0, 1, 0, 1}};
    }
    model->joints[1].kind = TQ_JOINT_PRISMATIC;
    memcpy(model->joints[1].axis, (const double[3]){1, 0, 0}, 3 * sizeof(double));
    cr_assert(tq_model_finish(model, NULL) == TQ_OK);
    tqt_subject *subject = tqt_subject_new(model, 0);
    const size_t size = tq_regressor_batch_scratch_size(subject->mechanism);
    tq_scratch scratch;
    tq_scratch_init(&scratch, aligned_alloc(64, size), size);
    static const double states[2][2] = {{1e200, 1e150}, {1e100, 1e60}};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 8; i++) {
            q[i] = qdd[8 + i] = 0.0;
            q[8 + i] = states[k][0];
            qdd[i] = states[k][1];
        }
        const tq_inverse_input in = {.n_sample = 8, .stride = 8, .q = q, .qdd = qdd};
        cr_expect(tq_regressor_batch(subject->mechanism, &in, &scratch, y, NULL) ==
                      (k == 0 ? TQ_ERR_OVERFLOW : TQ_OK),
                  "%g m", states[k][0]);
    }
    free(scratch.memory);
    tqt_subject_free(subject);
    tqt_model_free(model);
}

/* angles and rows that become infinite by a mimic factor only */
Test(regressor_batch, overflow_of_mimicry)
{
    tq_model *model = tqt_model_new(3);
    for (uint32_t l = 1; l < 3; l++) {
        model->links[l].inertia = (tq_inertia){.mass = 1.0, .about_com = {1, 0, 0, 1, 0, 1}};
    }
    model->joints[1].mimic = 0;
    model->joints[1].mimic_multiplier = 1e250;
    model->joints[1].origin.p[0] = 0.5;
    cr_assert(tq_model_finish(model, NULL) == TQ_OK);
    tqt_subject *subject = tqt_subject_new(model, 0);
    const size_t size = tq_regressor_batch_scratch_size(subject->mechanism);
    tq_scratch scratch;
    tq_scratch_init(&scratch, aligned_alloc(64, size), size);
    /* angle; rate: small, but not in the row of the other joint */
    static const double states[3][2] = {{1e100, 0.0}, {0.0, 1e-150}, {1e-255, 1e-255}};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 8; i++) {
            q[i] = states[k][0];
            qdd[i] = states[k][1];
        }
        const tq_inverse_input in = {.n_sample = 8, .stride = 8, .q = q, .qdd = qdd};
        cr_expect(tq_regressor_batch(subject->mechanism, &in, &scratch, y, NULL) ==
                      (k < 2 ? TQ_ERR_OVERFLOW : TQ_OK),
                  "state %d", k);
    }
    free(scratch.memory);
    tqt_subject_free(subject);
    tqt_model_free(model);
}

/* A chain like most robots': axes on z, or for odd seeds along any axis, rotated by right angles or
 * not at all; a flange at the end, `far` along z, and a tool rotated by right angles in it. */
static tq_model *right_angles(uint64_t seed, double far)
{
    enum { LINKS = 9 };
    static const double turns[6][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1},  {1, 0, 0, 0, 0, -1, 0, 1, 0},
                                       {1, 0, 0, 0, 0, 1, 0, -1, 0}, {-1, 0, 0, 0, -1, 0, 0, 0, 1},
                                       {0, 0, 1, 0, 1, 0, -1, 0, 0}, {0, -1, 0, 1, 0, 0, 0, 0, 1}};
    tqt_random random = tqt_random_seed(seed);
    tq_model *model = tqt_model_new(LINKS + 1);
    for (uint32_t j = 0; j < LINKS; j++) {
        tq_joint *joint = &model->joints[j];
        tq_inertia *body = &model->links[j + 1].inertia;
        joint->kind = tqt_random_chance(&random, 0.2) ? TQ_JOINT_PRISMATIC : TQ_JOINT_REVOLUTE;
        memcpy(joint->origin.r, turns[tqt_random_below(&random, 4)], sizeof joint->origin.r);
        if (seed % 2 == 1) {
            joint->axis[2] = 0.0;
            joint->axis[tqt_random_below(&random, 3)] =
                tqt_random_chance(&random, 0.5) ? 1.0 : -1.0;
        }
        body->mass = tqt_random_uniform(&random, 0.5, 4.0);
        for (int e = 0; e < 3; e++) {
            const _Bool aligned = tqt_random_chance(&random, 0.4);
            joint->origin.p[e] = aligned ? 0.0 : tqt_random_uniform(&random, -0.3, 0.3);
            body->com[e] = tqt_random_uniform(&random, -0.1, 0.1);
        }
        body->about_com[0] = body->about_com[3] = body->about_com[5] = 0.01;
    }
    tq_joint *flange = &model->joints[LINKS - 2], *tool = flange + 1;
    flange->kind = tool->kind = TQ_JOINT_FIXED;
    flange->origin = (tq_pose){.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {0, 0, far}};
    tool->origin = (tq_pose){.p = {0, 0, 0}};
    memcpy(tool->origin.r, turns[tqt_random_below(&random, 6)], sizeof tool->origin.r);
    cr_assert(tq_model_finish(model, NULL) == TQ_OK);
    return model;
}

/* Links whose frames are aligned with their body's reuse its columns, shifted along z, permuted and
 * reversed: each column equals that of the regressor of one state, computed in the links' frames.
 */
Test(regressor_batch, columns_of_frames_along_the_body)
{
    static double one[ROWS * JOINTS * TEN];
    int flipped = 0, moved = 0, renamed = 0, turned = 0, oblique = 0, shared = 0, square = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        tq_model *model = right_angles(seed, seed % 20 == 0 ? 3e6 : seed % 3 == 0 ? 0.0 : 0.107);
        tqt_subject *subject = tqt_subject_new(model, 0);
        const tq_canonical *c = &subject->mechanism->canonical;
        for (int32_t l = 0; l < c->n_link; l++) {
            const tq_canonical_link *link = &c->links[l];
            const tq_canonical_alignment alignment = link->alignment;
            const _Bool along = link->body >= 0 && alignment == TQ_ALIGN_ALONG;
            flipped += along && link->axes.reversed && !link->axes.renamed;
            moved += along && link->axes.shift != 0.0;
            renamed += along && link->axes.renamed;
            turned += link->body >= 0 && alignment == TQ_ALIGN_TURNED;
            oblique += link->body >= 0 && alignment == TQ_ALIGN_OBLIQUE;
            shared += along && link->next >= 0 && c->links[link->next].alignment == TQ_ALIGN_ALONG;
        }
        for (int32_t b = 0; b < c->n_body; b++) {
            square += c->joints[b].ca == 0.0 && c->joints[b].sa == 1.0;
        }
        tqt_states states = tqt_random_states(seed, model, 8);
        const tq_inverse_input in = {
            .n_sample = 8, .stride = 8, .q = states.q, .qd = states.qd, .qdd = states.qdd};
        const size_t size = tq_regressor_batch_scratch_size(subject->mechanism) + (4 << 20);
        tq_scratch scratch;
        tq_scratch_init(&scratch, aligned_alloc(64, size / 64 * 64 + 64), size);
        cr_assert(tq_regressor_batch(subject->mechanism, &in, &scratch, y, NULL) == TQ_OK);
        double at[3][JOINTS];
        tqt_sample(states.q, model->nq, 8, 5, at[0]);
        tqt_sample(states.qd, model->nv, 8, 5, at[1]);
        tqt_sample(states.qdd, model->nv, 8, 5, at[2]);
        const tq_regressor_input single = {.q = at[0], .qd = at[1], .qdd = at[2]};
        cr_assert(tq_regressor(model, 0, &single, &scratch, one, NULL) == TQ_OK);
        const size_t n = (size_t)TEN * model->n_joint;
        double scale[TEN] = {0.0};
        for (size_t k = 0; k < model->nv * n; k++) {
            scale[k % TEN] = fmax(scale[k % TEN], fabs(one[k]));
        }
        for (size_t k = 0; k < model->nv * n; k++) {
            /* a dozen products for an entry, each of a screw rotated by some joints */
            const double limit = 200 * JOINTS * DBL_EPSILON * (1.0 + scale[k % TEN]);
            cr_expect(fabs(y[k * 8 + 5] - one[k]) <= limit,
                      "seed %d, row %zu, column %zu: %g, not %g", (int)seed, k / n, k % n,
                      y[k * 8 + 5], one[k]);
        }
        free(scratch.memory);
        tqt_states_free(&states);
        tqt_subject_free(subject);
        tqt_model_free(model);
    }
    /* negative control: right angles occur without rounding */
    cr_expect(flipped > 20 && moved > 20 && square > 100, "%d, %d, %d", flipped, moved, square);
    cr_expect(renamed > 20 && turned > 20 && oblique > 2 && shared > 20, "%d, %d, %d, %d", renamed,
              turned, oblique, shared);
}

/* Lever arms of exactly 0, rotated by right angles: the sign of zero is the same for one sample,
 * which has its own kernels, and for a block at every width. */
Test(regressor_batch, zeros_of_the_same_sign)
{
    int zeros = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        tq_model *model = right_angles(seed, 0.107);
        tqt_subject *subject = tqt_subject_new(model, 0);
        tqt_states states = tqt_random_states(seed, model, 8);
        const tq_inverse_input in = {
            .n_sample = 8, .stride = 8, .q = states.q, .qd = states.qd, .qdd = states.qdd};
        const size_t size = tq_regressor_batch_scratch_size(subject->mechanism);
        const size_t n = (size_t)model->nv * model->n_joint * TEN * 8;
        tq_scratch scratch;
        tq_scratch_init(&scratch, aligned_alloc(64, size), size);
        for (int build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
            if (tq_lanes_force((tq_lanes_build)build) != TQ_OK) {
                continue;
            }
            double *out = build == TQ_BUILD_PORTABLE ? y : other;
            cr_assert(tq_regressor_batch(subject->mechanism, &in, &scratch, out, NULL) == TQ_OK);
            cr_expect(build == TQ_BUILD_PORTABLE || memcmp(y, other, n * sizeof *y) == 0,
                      "seed %d, build %d", (int)seed, build);
        }
        for (size_t k = 0; k < n; k++) {
            zeros += y[k] == 0.0 && signbit(y[k]);
        }
        free(scratch.memory);
        tqt_states_free(&states);
        tqt_subject_free(subject);
        tqt_model_free(model);
    }
    cr_expect(zeros > 100, "%d", zeros); /* negative control: zeros occur */
}
