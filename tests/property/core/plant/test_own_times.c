/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/plant/test_own_times.c - effects of trajectories at different times, within
 * the stated scratch. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <string.h>

#include "core/plant/plant_private.h"
#include "tests/support/random_robot.h"
#include "tests/support/seed_robots.h"
#include "tests/support/subject.h"

enum { N_Z = 40, LANE = TQ_BLOCK_PAD };

/* z' = t + z, and a torque of the sum: many auxiliary states, no held value */
static tq_status act(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                     tq_error *reterr)
{
    (void)ctx, (void)scratch, (void)reterr;
    for (size_t i = 0; i < at->n_sample; i++) {
        for (size_t k = 0; k < N_Z; k++) {
            to->zd[k * at->stride + i] = at->t + at->z[k * at->stride + i];
            to->tau[i] += at->z[k * at->stride + i];
        }
    }
    return TQ_OK;
}

/* each trajectory at its time, with exactly tq_own_times_scratch_size bytes; with a cache line less
 * it is refused */
Test(own_times, memory_is_exactly_the_stated_size)
{
    const tqt_bar bar = tqt_slender_bar(1, 1);
    tq_model *m = tqt_planar_arm(&bar, 1, 9.81);
    tqt_subject *s = tqt_subject_new(m, 0);
    const tq_effect effect = {.n_z = N_Z, .act = act};
    const tq_plant plant = {.mechanism = s->mechanism, .effects = &effect, .n_effect = 1};
    static _Alignas(64) double z[N_Z * LANE], zd[N_Z * LANE], q[LANE], qd[LANE], tau[LANE];
    double times[LANE];
    for (size_t i = 0; i < LANE; i++) {
        times[i] = 0.1 * (double)i;
        for (size_t k = 0; k < N_Z; k++) {
            z[k * LANE + i] = (double)(k + i);
        }
    }
    const size_t size = tq_own_times_scratch_size(&plant);
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    const tq_instant at = {.n_sample = 3, .stride = LANE, .q = q, .qd = qd, .z = z};
    const tq_action to = {.tau = tau, .zd = zd};
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, size);
    cr_assert(eq(int,
                 tq_effect_at_own_times(&plant, &effect, times, &at, &scratch, &to, NULL, NULL),
                 TQ_OK));
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < N_Z; k++) {
            cr_assert(eq(dbl, zd[k * LANE + i], times[i] + (double)(k + i)));
        }
        cr_assert(eq(dbl, tau[i], (double)(N_Z * (N_Z - 1) / 2) + (double)N_Z * (double)i));
    }
    tq_error error = {0};
    tq_scratch_init(&scratch, memory, size - 64);
    cr_assert(eq(int,
                 tq_effect_at_own_times(&plant, &effect, times, &at, &scratch, &to, NULL, &error),
                 TQ_ERR_SCRATCH));
    free(memory);
    tqt_subject_free(s);
    tqt_model_free(m);
}
