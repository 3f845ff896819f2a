/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/signal/test_survey.c - clock, rest, motion and the row cache of a recording;
 * refusals. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "tests/support/recorded.h"

enum { ROWS = 300000 };
static const unsigned q_only = 1u << TQ_QUANTITY_Q;
static const unsigned q_tau = 1u << TQ_QUANTITY_Q | 1u << TQ_QUANTITY_TAU;

/* n rows at 1 kHz: rest, motion from row `begin` to row `end`, rest. */
static void put_motion(tqt_recorded *r, size_t n, size_t begin, size_t end)
{
    r->n = n;
    for (size_t k = 0; k < n; k++) {
        const double now = (double)(k < begin ? 0 : k < end ? k - begin : end - begin);
        r->t[k] = 1e-3 * (double)k;
        *tqt_recorded_at(r, TQ_QUANTITY_Q, k) = sin(1e-3 * now);
    }
}

static tq_recording_fault_kind fault_of(tqt_recorded *r)
{
    tq_recording_fault fault = {0};
    const tq_status status = tqt_recorded_survey(r, &fault);
    cr_assert(eq(int, status == TQ_OK, fault.kind == TQ_FAULT_NONE));
    return fault.kind;
}

/* A group is 80 ms: the start and end of motion are found within one group. */
Test(survey, finds_where_the_robot_moves)
{
    tqt_recorded *r = tqt_recorded_pendulum(q_only, ROWS);
    put_motion(r, 20000, 5000, 12345);
    cr_assert(eq(int, (int)fault_of(r), TQ_FAULT_NONE));
    cr_assert(r->recording.is_even);
    cr_assert(epsilon_eq(dbl, r->recording.period, 1e-3, 1e-12));
    cr_assert(epsilon_eq(dbl, r->recording.step, 1e-3, 1e-12));
    cr_assert(r->recording.moves);
    cr_expect(le(u64, r->recording.first_moving, 5000));
    cr_expect(gt(u64, r->recording.first_moving, 5000 - 82));
    cr_expect(ge(u64, r->recording.last_moving, 12344));
    cr_expect(lt(u64, r->recording.last_moving, 12345 + 82));
    cr_assert(eq(u64, r->recording.n_chosen, 20000));
    tqt_recorded_free(r);
}

Test(survey, refuses_clocks_that_are_none)
{
    tqt_recorded *r = tqt_recorded_pendulum(q_only, ROWS);
    put_motion(r, 1000, 0, 1000);
    r->recording.check = TQ_CHECK_TIME;
    for (size_t k = 0; k < r->n; k++) {
        r->t[k] = 1.0 - 1e-3 * (double)k;
    }
    cr_expect(eq(int, (int)fault_of(r), TQ_FAULT_TIME_REVERSED));
    for (size_t k = 0; k < r->n; k++) {
        r->t[k] = 1e-3 * (double)(k * 617 % 1000); /* 617 and 1000 have no common factor */
    }
    cr_expect(eq(int, (int)fault_of(r), TQ_FAULT_TIME_UNSORTED));
    for (size_t k = 0; k < r->n; k++) {
        r->t[k] = 4.5;
    }
    cr_expect(eq(int, (int)fault_of(r), TQ_FAULT_TIME_CONSTANT));
    for (size_t k = 0; k < r->n; k++) {
        r->t[k] = (double)k; /* milliseconds */
    }
    cr_expect(eq(int, (int)fault_of(r), TQ_FAULT_PERIOD_LONG));
    r->recording.check = 0; /* the request states that times are in seconds */
    cr_expect(eq(int, (int)fault_of(r), TQ_FAULT_NONE));
    r->options.rate = 21.0; /* the maximum is 20 times the rate of the rows */
    cr_expect(eq(int, (int)fault_of(r), TQ_FAULT_RATE));
    for (size_t k = 0; k < r->n; k++) {
        r->t[k] = 1e-6 * (double)k;
    }
    cr_expect(eq(int, (int)fault_of(r), TQ_FAULT_PERIOD_SHORT));
    tqt_recorded_free(r);
}

Test(survey, refuses_few_rows_bad_numbers_and_files_of_different_recordings)
{
    tqt_recorded *r = tqt_recorded_pendulum(q_only, ROWS);
    put_motion(r, 15, 0, 15);
    cr_expect(eq(int, (int)fault_of(r), TQ_FAULT_FEW_ROWS));
    put_motion(r, 1000, 0, 1000);
    for (size_t k = 0; k < 50; k++) { /* up to 5 % are repaired */
        *tqt_recorded_at(r, TQ_QUANTITY_Q, 20 * k) = k % 2 == 0 ? (double)NAN : 1e5;
    }
    cr_expect(eq(int, (int)fault_of(r), TQ_FAULT_NONE));
    cr_expect(eq(u64, r->recording.repairs[TQ_REPAIR_NOT_FINITE].n, 25));
    cr_expect(eq(u64, r->recording.repairs[TQ_REPAIR_ABSURD].n, 25));
    cr_expect(eq(u64, r->recording.repairs[TQ_REPAIR_ABSURD].rows[7], 300));
    *tqt_recorded_at(r, TQ_QUANTITY_Q, 1) = (double)INFINITY;
    cr_expect(eq(int, (int)fault_of(r), TQ_FAULT_BAD_NUMBERS));
    put_motion(r, 1000, 0, 1000);
    r->recording.n_unpaired = 51;
    cr_expect(eq(int, (int)fault_of(r), TQ_FAULT_UNPAIRED));
    r->recording.is_windowed = true; /* the request chooses rows that all files have */
    cr_expect(eq(int, (int)fault_of(r), TQ_FAULT_NONE));
    tqt_recorded_free(r);
}

/* 65,536 rows are cached whole; of more, runs of 4096 rows at equal distances. */
Test(survey, caches_short_recordings_whole_and_runs_of_long_ones)
{
    tqt_recorded *r = tqt_recorded_pendulum(q_only, ROWS);
    tq_raw_rows rows;
    size_t at = 0, n = 0;
    r->options.n_cached = 1;
    put_motion(r, 5000, 0, 5000);
    cr_assert(eq(int, (int)fault_of(r), TQ_FAULT_NONE));
    cr_assert(tq_recording_is_cached(&r->recording));
    while (tq_row_cache_next(&r->recording.cache, &at, &rows)) {
        for (size_t i = 0; i < rows.n; i++, n++) {
            cr_assert(eq(u64, rows.row[i], n));
            cr_assert(eq(dbl, rows.values[i], *tqt_recorded_at(r, TQ_QUANTITY_Q, n)));
        }
    }
    cr_assert(eq(sz, n, 5000));

    put_motion(r, ROWS, 0, ROWS);
    cr_assert(eq(int, (int)fault_of(r), TQ_FAULT_NONE));
    cr_assert(not(tq_recording_is_cached(&r->recording)));
    cr_assert(tq_recording_is_sampled(&r->recording));
    r->options.searches = true;
    cr_assert(tq_recording_is_cached(&r->recording));
    const tq_row_cache *cache = &r->recording.cache;
    cr_assert(eq(u64, cache->every, 8)); /* 300,000 rows in 65,536: every 8th run, the next power of
                                            two above 5 */
    for (at = n = 0; tq_row_cache_next(cache, &at, &rows); n++) {
        const uint64_t run = n * TQ_RAW_ROWS / 4096;
        cr_assert(eq(u64, rows.row[0], 8 * 4096 * run + n * TQ_RAW_ROWS % 4096));
    }
    const size_t before = cache->n;
    cr_assert(tq_recording_search_less(&r->recording));
    cr_assert(eq(u64, cache->every, 16));
    cr_assert(lt(sz, cache->n, before));
    tqt_recorded_free(r);
}

/* 100 standstills of 0.3 s: more than memory is requested for at a time. The last row of a motion
 * has the angle of the standstill after it. */
Test(survey, lists_standstills)
{
    enum { RESTS = 100, LENGTH = 1000, REST = 300 };
    tqt_recorded *r = tqt_recorded_pendulum(q_tau, ROWS);
    double angle = 0.0;
    r->options.finds_brakes = true;
    r->n = RESTS * LENGTH;
    for (size_t k = 0; k < r->n; k++) {
        const bool rests = (k + 1) % LENGTH <= REST;
        angle += k % LENGTH < REST ? 0.0 : 1e-3;
        r->t[k] = 1e-3 * (double)k;
        *tqt_recorded_at(r, TQ_QUANTITY_Q, k) = angle;
        *tqt_recorded_at(r, TQ_QUANTITY_TAU, k) = rests ? 2.0 : 3.0;
    }
    cr_assert(eq(int, (int)fault_of(r), TQ_FAULT_NONE));
    const tq_standstills *standstills = &r->recording.standstills;
    cr_assert(eq(sz, standstills->n, RESTS));
    for (size_t k = 0; k < RESTS; k++) {
        const tq_standstill *still = &standstills->list[k];
        cr_expect(ge(u64, still->first + 1, LENGTH * k));
        cr_expect(lt(u64, still->last, LENGTH * k + REST));
        cr_expect(epsilon_eq(dbl, still->sums[1] / (double)still->n, 4.0, 1e-12)); /* 2^2 */
    }
    tqt_recorded_free(r);
}
