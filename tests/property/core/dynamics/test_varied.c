/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/test_varied.c - samples with other inertial and friction parameters
 * have the bits of a robot with these parameters. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <string.h>

#include "core/dynamics/forward.h"
#include "core/dynamics/varied.h"
#include "core/lanes/build.h"
#include "core/lanes/table.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

enum { BYTES = 16 << 20, N_SAMPLE = 13, STRIDE = 16, LANE = 8 };

/* the robot of one sample: masses, inertias and friction multiplied by factors between 1/2 and 2 */
static tqt_subject *other(tq_model *model, uint64_t seed, size_t i)
{
    tqt_random r = tqt_random_seed(seed * 1000 + i);
    for (uint32_t l = 0; l < model->n_link; l++) {
        const double factor = tqt_random_uniform(&r, 0.5, 2.0);
        model->links[l].inertia.mass *= factor;
        for (unsigned k = 0; k < 6; k++) {
            model->links[l].inertia.about_com[k] *= factor;
        }
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        model->joints[j].friction.viscous *= tqt_random_uniform(&r, 0.5, 2.0);
        model->joints[j].friction.coulomb *= tqt_random_uniform(&r, 0.5, 2.0);
        model->joints[j].friction.breakaway *= tqt_random_uniform(&r, 0.5, 2.0);
    }
    return tqt_subject_new(model, 0);
}

static void check_robot(uint64_t seed, tq_lanes_build build)
{
    const tqt_robot_options options = {
        .n_joint = 7, .kinds = TQT_KINDS_ALL, .with = TQT_WITH_ALL & ~(unsigned)TQT_WITH_MIMIC};
    tq_model *model = tqt_random_robot(seed, options);
    tqt_subject *nominal = tqt_subject_new(model, 0);
    cr_assert(eq(int, tq_lanes_force(build), TQ_OK));
    tqt_states s = tqt_random_states(seed, model, N_SAMPLE);
    const size_t nv = model->nv;
    double *varied = tqt_doubles(tq_varied_rows(nominal->mechanism) * STRIDE);
    double *got = tqt_doubles(nv * STRIDE), *want = tqt_doubles(nv * STRIDE);
    double *tau = tqt_doubles(nv * STRIDE);
    void *memory = aligned_alloc(64, BYTES);
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, BYTES);
    cr_assert(eq(sz, s.stride, STRIDE));
    for (size_t k = 0; k < nv * STRIDE; k++) {
        tau[k] = (double)(k % 7) - 3.0;
    }
    tq_forward_input in = {
        .n_sample = N_SAMPLE, .stride = STRIDE, .q = s.q, .qd = s.qd, .tau = tau};
    for (size_t i = 0; i < STRIDE; i++) {
        const size_t k = i < N_SAMPLE ? i : (size_t)N_SAMPLE - 1;
        tq_model *changed = tqt_random_robot(seed, options);
        tqt_subject *own = other(changed, seed, k);
        cr_assert(eq(int, tq_lanes_force(build), TQ_OK));
        tq_varied_put(own->mechanism, STRIDE, i, varied);
        cr_assert(eq(int, tq_forward_dynamics(own->mechanism, &in, &scratch, got, NULL), TQ_OK));
        for (size_t r = 0; r < nv; r++) {
            want[r * STRIDE + i] = got[r * STRIDE + k];
        }
        tqt_subject_free(own);
        tqt_model_free(changed);
    }
    in.varied = varied;
    cr_assert(eq(int, tq_forward_dynamics(nominal->mechanism, &in, &scratch, got, NULL), TQ_OK));
    for (size_t r = 0; r < nv; r++) {
        for (size_t i = 0; i < N_SAMPLE; i++) {
            const double *x = &got[r * STRIDE + i], *y = &want[r * STRIDE + i];
            cr_expect(memcmp(x, y, sizeof *x) == 0, "build %d, robot %d, row %zu: %.17g %.17g",
                      (int)build, (int)seed, r, *x, *y);
        }
    }
    free(memory);
    free(varied);
    free(got);
    free(want);
    free(tau);
    tqt_states_free(&s);
    tqt_subject_free(nominal);
    tqt_model_free(model);
}

Test(varied, samples_have_the_bits_of_their_robots)
{
    for (int build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
        for (uint64_t seed = 1; seed <= 12 && tq_lanes_force((tq_lanes_build)build) == TQ_OK;
             seed++) {
            check_robot(seed, (tq_lanes_build)build);
        }
    }
}
