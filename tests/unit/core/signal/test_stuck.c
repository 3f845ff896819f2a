/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/signal/test_stuck.c - columns that repeat a value: stuck, at rest, or quantised.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

#include "core/signal/stuck.h"
#include "tests/support/random_robot.h"
#include "tests/support/seed_robots.h"

enum { RATE = 100, ROWS = 1000 };

/* q = sin t, tau = cos t; in rows `from` to `to` a column repeats the value of row `from`. */
static tq_stuck_search searched(bool holds_torque, bool holds_position, size_t from, size_t to,
                                double counts, double rest)
{
    static const tqt_bar bar[1] = {{.length = 1, .mass = 1, .com = .5, .inertia = .1}};
    static double values[2 * TQ_RAW_ROWS], t[TQ_RAW_ROWS];
    static char memory[4096] __attribute__((aligned(64)));
    tq_model *model = tqt_planar_arm(bar, 1, 9.81);
    const tq_channels channels = {.n = 2,
                                  .has = {[TQ_QUANTITY_Q] = true, [TQ_QUANTITY_TAU] = true},
                                  .first = {[TQ_QUANTITY_TAU] = 1}};
    tq_scratch scratch;
    tq_stuck_search s;
    tq_scratch_init(&scratch, memory, sizeof memory);
    cr_assert(tq_stuck_begin(model, &scratch, &s));
    for (size_t first = 0; first < ROWS; first += TQ_RAW_ROWS) {
        const size_t n = ROWS - first < TQ_RAW_ROWS ? ROWS - first : (size_t)TQ_RAW_ROWS;
        for (size_t i = 0; i < n; i++) {
            const size_t k = first + i;
            const size_t held = k >= from && k < to ? from : k;
            t[i] = (double)k / (double)RATE;
            const double at = fmin((double)(holds_position ? held : k) / (double)RATE, rest);
            values[i] = rest < 10 ? 1 - cos(at * M_PI / rest) : sin(at);
            values[i] = counts > 0 ? round(values[i] * counts) / counts : values[i];
            values[TQ_RAW_ROWS + i] = cos((double)(holds_torque ? held : k) / (double)RATE);
        }
        tq_stuck_add(&s, &channels, &(tq_raw_rows){.n = n, .values = values, .t = t}, 0, n);
    }
    tq_stuck_end(&s);
    s.joints = NULL;
    tqt_model_free(model);
    return s;
}

Test(stuck, motion_is_not)
{
    cr_expect(eq(sz, searched(false, false, 0, 0, 0, 100).n, 0));
    /* an encoder of 4,096 counts a revolution repeats a value where the motion reverses */
    cr_expect(eq(sz, searched(false, false, 0, 0, 652, 100).n, 0));
    /* a joint that comes to rest after 5 s and stays at rest */
    cr_expect(eq(sz, searched(false, false, 0, 0, 0, 5).n, 0));
    cr_expect(eq(sz, searched(false, false, 0, 0, 652, 5).n, 0));
}

Test(stuck, a_torque_that_stays_while_the_joint_moves)
{
    const tq_stuck_search s = searched(true, false, 301, 501, 0, 100);
    cr_assert(eq(sz, s.n, 1));
    cr_expect(s.found[0].of_torque);
    cr_expect(epsilon_eq(dbl, s.found[0].from, 3.01, 1e-9));
    cr_expect(epsilon_eq(dbl, s.found[0].to, 5.0, 1e-9));
    /* a short repetition is not reported */
    cr_expect(eq(sz, searched(true, false, 300, 330, 0, 100).n, 0));
}

Test(stuck, a_position_that_stops_within_a_row)
{
    const tq_stuck_search s = searched(false, true, 300, 500, 0, 100);
    cr_assert(eq(sz, s.n, 1));
    cr_expect(not(s.found[0].of_torque));
    cr_expect(not(s.found[0].is_whole));
    cr_expect(epsilon_eq(dbl, s.found[0].from, 3, 1e-9));
    cr_expect(epsilon_eq(dbl, s.found[0].to, 4.99, 1e-9));
    const tq_stuck_search all = searched(false, true, 0, ROWS, 0, 100);
    cr_assert(eq(sz, all.n, 1));
    cr_expect(all.found[0].is_whole);
}
