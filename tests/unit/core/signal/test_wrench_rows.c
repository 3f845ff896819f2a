/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/signal/test_wrench_rows.c - recorded wrenches on one bar against their levers;
 * quaternions of few digits. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/signal/wrench_rows.h"
#include "tests/support/random_robot.h"
#include "tests/support/seed_robots.h"
#include "tests/support/subject.h"

enum { N = 20, BAD = 7 };
static double values[2 * TQ_RAW_ROWS], t[TQ_RAW_ROWS];
static uint64_t row[TQ_RAW_ROWS];
static unsigned char state[TQ_RAW_ROWS];
static const tq_raw_run run = {values, t, row, state};

static double force(size_t i, size_t k)
{
    return sin(1.0 + (double)i + 3.0 * (double)k);
}

/* torque of the wrench on a bar about z, at q from x: r x f + m along z, r = (a, b) turned */
static double lever(size_t i, double q, const double at[3], bool in_link)
{
    const double c = cos(q), s = sin(q);
    const double x = in_link ? at[0] : c * at[0] - s * at[1];
    const double y = in_link ? at[1] : s * at[0] + c * at[1];
    return x * force(i, 1) - y * force(i, 0) + force(i, 5);
}

Test(wrench_rows, add_their_levers)
{
    const tqt_bar bar = tqt_slender_bar(0.8, 2.0);
    tq_model *model = tqt_planar_arm(&bar, 1, 9.81);
    model->joints[0].friction.viscous = 3.0; /* not a part of it */
    tqt_subject *s = tqt_subject_new(model, 0);
    const tq_wrench_place places[2] = {
        {.link = 1, .expressed_in = TQ_FRAME_WORLD, .at = {0.5, 0.2, 0.1}},
        {.link = 1, .expressed_in = TQ_FRAME_LINK, .at = {0.3, -0.1, 0}}};
    const tq_channels channels = {.n = 2, .first = {[TQ_QUANTITY_TAU] = 1}};
    const size_t size = tq_wrench_rows_size(s->mechanism, 2);
    void *memory = aligned_alloc(TQ_SCRATCH_ALIGN, size);
    tq_scratch room;
    tq_scratch_init(&room, memory, size);
    tq_wrench_rows *w = tq_wrench_rows_begin(s->mechanism, places, 2, &room);
    cr_assert(w != NULL);
    cr_expect(eq(sz, room.used, size));
    for (size_t i = 0; i < N; i++) {
        values[i] = i == BAD ? (double)NAN : 0.3 * (double)i;
        values[TQ_RAW_ROWS + i] = 10.0;
        state[i] = i == BAD ? TQ_ROW_NOT_FINITE : TQ_ROW_GOOD;
        for (size_t k = 0; k < 12; k++) {
            tq_wrench_row(w, k / 6, k % 6)[i] = force(i, k % 6);
        }
    }
    const bool none[1] = {false};
    cr_assert(eq(int, tq_wrench_rows_add(w, &channels, none, &run, N, NULL), TQ_OK));
    for (size_t i = 0; i < N; i++) {
        cr_expect(eq(dbl, values[TQ_RAW_ROWS + i], 10.0)); /* it is not read */
    }
    cr_assert(eq(int, tq_wrench_rows_add(w, &channels, NULL, &run, N, NULL), TQ_OK));
    for (size_t i = 0; i < N; i++) {
        const double want = i == BAD ? 10.0
                                     : 10.0 + lever(i, values[i], places[0].at, false) +
                                           lever(i, values[i], places[1].at, true);
        cr_expect(epsilon_eq(dbl, values[TQ_RAW_ROWS + i], want, 1e-14), "%zu", i);
    }
    tq_scratch_release(memory, size);
    free(memory);
    tqt_subject_free(s);
    tqt_model_free(model);
}

Test(wrench_rows, quaternions_of_few_digits_get_length_1)
{
    static double q[4 * TQ_RAW_ROWS];
    unsigned char states[4] = {TQ_ROW_GOOD, TQ_ROW_GOOD, TQ_ROW_GOOD, TQ_ROW_ABSURD};
    const double lengths[4] = {1.0, 1.004, 1.02, 1.004};
    for (size_t i = 0; i < 4; i++) {
        q[i] = 0.6 * lengths[i];
        q[2 * TQ_RAW_ROWS + i] = -0.8 * lengths[i];
    }
    tq_rows_scale_quaternion(4, q, states);
    cr_expect(epsilon_eq(dbl, q[1], 0.6, 1e-15));
    cr_expect(epsilon_eq(dbl, q[2 * TQ_RAW_ROWS + 1], -0.8, 1e-15));
    cr_expect(eq(int, states[1], TQ_ROW_GOOD));
    cr_expect(eq(int, states[2], TQ_ROW_NOT_UNIT));
    cr_expect(eq(int, states[3], TQ_ROW_ABSURD));
    cr_expect(eq(dbl, q[3], 0.6 * 1.004)); /* left as it is */
}
