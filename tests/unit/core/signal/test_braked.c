/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/signal/test_braked.c - a pendulum held by its brake between swings. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

#include "core/signal/braked.h"
#include "tests/support/recorded.h"

enum { ROWS = 6000, BEGIN = 2000, END = 4000 };

/* 10 s of swings about `pose` at 400 Hz, with 5 s at rest at it in the middle. tau = m l^2 qdd + m
 * g l sin q (m = 1 kg, l = 0.5 m), and `rest` at rest. */
static tqt_recorded *new_recording(double pose, double rest)
{
    tqt_recorded *r = tqt_recorded_pendulum(1u << TQ_QUANTITY_Q | 1u << TQ_QUANTITY_TAU, ROWS);
    r->options.finds_brakes = true;
    r->n = ROWS;
    for (size_t k = 0; k < ROWS; k++) {
        const bool is_rest = k >= BEGIN && k < END;
        const double t = 0.0025 * (double)(k < END ? k : k - (END - BEGIN));
        const double w = 2.0 * M_PI * 0.4; /* two whole periods before the rest */
        const double q = pose + (is_rest ? 0.0 : 0.3 * sin(w * t));
        r->t[k] = 0.0025 * (double)k;
        *tqt_recorded_at(r, TQ_QUANTITY_Q, k) = q;
        *tqt_recorded_at(r, TQ_QUANTITY_TAU, k) =
            is_rest ? rest : 0.25 * -w * w * (q - pose) + 9.81 * 0.5 * sin(q);
    }
    return r;
}

static size_t find(tqt_recorded *r)
{
    tq_recording_fault fault;
    tq_recording *one = &r->recording;
    cr_assert(eq(int, (int)tqt_recorded_survey(r, &fault), TQ_OK));
    tq_scratch scratch = tqt_recorded_scratch(r, tq_recording_braked_size(r->options.mechanism));
    cr_assert(eq(int, (int)tq_recording_find_braked(&one, 1, 1, &scratch, NULL), TQ_OK));
    return r->recording.standstills.n_braked;
}

static bool count(void *ctx, const tq_recording_block *block)
{
    size_t *n = ctx;
    for (size_t i = 0; i < block->data.n_sample; i++) {
        *n += block->row[i] >= BEGIN && block->row[i] < END ? 1 : 0;
    }
    return true;
}

/* The gravity torque is m g l sin(1.2) = 4.6 N m: without motor torque, the brake holds. Its rows
 * are left out. */
Test(braked, rest_without_torque_under_gravity)
{
    tqt_recorded *r = new_recording(1.2, 1e-4);
    tq_recording_fault fault;
    size_t n = 0;
    cr_assert(eq(sz, find(r), 1));
    cr_assert(eq(int, (int)tqt_recorded_pass(r, count, &n, &fault), TQ_OK));
    cr_expect(eq(sz, n, 0));
    cr_expect(eq(u64, r->recording.n_braked, END - BEGIN));
    cr_expect(eq(u64, r->recording.repairs[TQ_REPAIR_BRAKED].n, 1));
    cr_expect(eq(u64, r->recording.repairs[TQ_REPAIR_BRAKED].rows[0], BEGIN));
    cr_expect(eq(u64, r->recording.n_segment, 2));
    tqt_recorded_free(r);
}

Test(braked, not_where_the_motor_holds_or_gravity_does_not_pull)
{
    tqt_recorded *holds = new_recording(1.2, 9.81 * 0.5 * sin(1.2));
    cr_expect(eq(sz, find(holds), 0));
    tqt_recorded_free(holds);
    tqt_recorded *hangs = new_recording(0.0, 0.0);
    cr_expect(eq(sz, find(hangs), 0));
    tqt_recorded_free(hangs);
}
