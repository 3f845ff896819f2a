/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/recordings/test_overlap.c - a pass of two threads has the blocks of a pass of one,
 * and ends where its receiver stops it; a survey of two threads is that of one. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "api/recordings/recording.h"
#include "tests/unit/api/recordings/recording_fixture.h"

static size_t n_overlap; /* groups of both halves */

static void second_half_first(void *ctx, size_t n, size_t scratch_size,
                              void (*body)(void *arg, size_t i, void *scratch), void *arg)
{
    (void)scratch_size;
    (void)ctx;
    n_overlap++;
    while (n-- > 0) {
        body(arg, n, NULL);
    }
}

typedef struct half {
    void (*body)(void *arg, size_t i, void *scratch);
    void *arg;
} half;
static void *second_half(void *of)
{
    const half *h2 = of;
    h2->body(h2->arg, 1, NULL);
    return NULL;
}
static void on_two_threads(void *ctx, size_t n, size_t scratch_size,
                           void (*body)(void *arg, size_t i, void *scratch), void *arg)
{
    (void)scratch_size;
    cr_assert(eq(sz, n, 2));
    (void)ctx;
    n_overlap++;
    pthread_t thread;
    half h2 = {.body = body, .arg = arg};
    cr_assert(eq(int, pthread_create(&thread, NULL, second_half, &h2), 0));
    body(arg, 0, NULL);
    pthread_join(thread, NULL);
}

static bool good_between(void *ctx)
{
    (void)ctx;
    return true;
}

/* A pass with friction rows and a gap: `how` is no other thread, one after the other, or two. */
static void check_overlapped(int how)
{
    char *text = malloc(TEXT);
    double *q = calloc(ROWS, sizeof *q);
    static fixture f;
    open(
        &f,
        "{\"dataset\": \"log\", \"columns\": {\"time\": \"t\", \"q\": [\"q\"], \"tau\": [\"tau\"]},"
        " \"rows\": [[0, 90000], [100000, 200000]], \"filter\": {\"cutoff_hz\": 20}}",
        text, write_csv_with_torque(text, q));
    n_overlap = 0;
    f.host.host.parallel_for = how == 0 ? NULL : how == 1 ? second_half_first : on_two_threads;
    void *memory = NULL;
    taken one = room();
    taken two = room();
    tq_fit *fit = fit_of(&f, true, &memory);
    f.request.fit = fit;
    const tqa_recording_receiver receiver = {.sink = take, .between = good_between, .ctx = &two};
    cr_assert(tqa_recording_pass(&f.log, take, &one), "%s", f.problem.detail);
    const uint64_t n_border = f.log.signal.n_border;
    cr_assert(tqa_recording_pass_overlapped(&f.log, &receiver), "%s", f.problem.detail);
    cr_assert(how == 0 || n_overlap > 10);
    cr_assert(gt(sz, one.n, (size_t)180000));
    cr_assert(eq(sz, one.n, two.n));
    cr_assert(eq(u64, f.log.signal.n_border, n_border));
    for (size_t i = 0; i < one.n; i++) {
        const bool same = one.q[i] == two.q[i] && one.qd[i] == two.qd[i] &&
                          one.qdd[i] == two.qdd[i] && one.t[i] == two.t[i] &&
                          one.row[i] == two.row[i] && one.friction_rows[i] == two.friction_rows[i];
        cr_assert(same, "sample %zu", i);
    }
    close(&f);
    clear(&one);
    clear(&two);
    free(memory);
    free(q);
    free(text);
}

Test(log, an_overlapped_pass_has_the_same_blocks)
{
    for (int how = 0; how < 3; how++) {
        check_overlapped(how);
    }
}

/* Every segment ends a block: thousands of short blocks in the windows of a log full of gaps. */
Test(log, an_overlapped_pass_keeps_every_short_block)
{
    enum { EVERY = 9 }; /* rows between two gaps */
    char *text = malloc(TEXT);
    size_t n = (size_t)snprintf(text, TEXT, "t,q\n");
    for (size_t k = 0; k < ROWS; k++) {
        const double t = h * (double)k + 0.5 * (double)(k / EVERY);
        n += (size_t)snprintf(text + n, TEXT - n, "%.17g,%.17g\n", t, 0.3 * sin(0.7 * t));
    }
    static fixture f;
    open(&f, "{\"dataset\": \"log\", \"filter\": {\"kind\": \"none\", \"decimate\": 8}}", text, n);
    taken one = room();
    taken two = room();
    const tqa_recording_receiver receiver = {.sink = take, .between = good_between, .ctx = &two};
    cr_assert(tqa_recording_pass(&f.log, take, &one), "%s", f.problem.detail);
    cr_assert(gt(u64, f.log.signal.n_segment, (uint64_t)ROWS / EVERY / 2));
    cr_assert(tqa_recording_pass_overlapped(&f.log, &receiver), "%s", f.problem.detail);
    cr_assert(gt(sz, one.n, (size_t)ROWS / EVERY / 2));
    cr_assert(eq(sz, one.n, two.n));
    for (size_t i = 0; i < one.n; i++) {
        cr_assert(one.q[i] == two.q[i] && one.qdd[i] == two.qdd[i] && one.t[i] == two.t[i] &&
                      one.row[i] == two.row[i],
                  "sample %zu", i);
    }
    close(&f);
    clear(&one);
    clear(&two);
    free(text);
}

typedef struct limited {
    size_t n, most;
    bool stops_between;
} limited;
static bool take_some(void *ctx, const tqa_recording_block *block)
{
    limited *l = ctx;
    (void)block;
    return ++l->n < l->most;
}
static bool some_between(void *ctx)
{
    return !((const limited *)ctx)->stops_between;
}

/* the receiver has enough, or the job was stopped: no block comes after */
Test(log, an_overlapped_pass_stops)
{
    char *text = malloc(TEXT);
    double *q = calloc(ROWS, sizeof *q);
    static fixture f;
    open(&f, "{\"dataset\": \"log\", \"filter\": {\"cutoff_hz\": 20}}", text,
         write_csv(text, q, 0.0));
    limited enough = {.most = 100};
    tqa_recording_receiver receiver = {.sink = take_some, .between = some_between, .ctx = &enough};
    cr_expect(not(tqa_recording_pass_overlapped(&f.log, &receiver)));
    cr_expect(eq(sz, enough.n, 100));
    limited stopped = {.most = SIZE_MAX, .stops_between = true};
    receiver.ctx = &stopped;
    cr_expect(not(tqa_recording_pass_overlapped(&f.log, &receiver)));
    /* one window of 8,192 rows at most */
    cr_expect(gt(sz, stopped.n, 0));
    cr_expect(lt(sz, stopped.n, 64));
    close(&f);
    free(q);
    free(text);
}

/* ------------------------------------------------------------------------------------------------
 * Surveys
 */

/* moves for a second and rests for half a second, by turns, with rows that are not finite and
 * columns of zero torque */
static size_t write_rests(char *text)
{
    size_t n = (size_t)snprintf(text, TEXT, "t,q,tau\n");
    for (size_t k = 0; k < ROWS; k++) {
        const size_t turn = k / 1500, at = k % 1500;
        const double moved = at < 1000 ? (double)at : 1000.0;
        const double q = 0.4 * sin(1e-3 * (1000.0 * (double)turn + moved));
        const double tau = at < 1000 || turn % 3 != 0 ? 2.0 * q + 0.01 * (double)(at % 7) : 0.0;
        n += (size_t)snprintf(text + n, TEXT - n,
                              k % 3001 == 7 ? "%.17g,nan,%.3f\n" : "%.17g,%.9f,%.3f\n",
                              h * (double)k, k % 3001 == 7 ? tau : q, tau);
    }
    return n;
}

static void check_same(const tq_recording *one, const tq_recording *two)
{
    cr_expect(eq(u64, one->n_row, (uint64_t)ROWS));
    cr_expect(eq(u64, one->n_row, two->n_row));
    cr_expect(eq(u64, one->n_chosen, two->n_chosen));
    cr_expect(eq(u64, one->first_moving, two->first_moving));
    cr_expect(eq(u64, one->last_moving, two->last_moving));
    cr_expect(gt(u64, one->repairs[TQ_REPAIR_NOT_FINITE].n, (uint64_t)20));
    cr_expect(memcmp(one->repairs, two->repairs, sizeof one->repairs) == 0);
    cr_expect(one->period == two->period && one->step == two->step && one->is_even == two->is_even);
    cr_expect(eq(u64, one->clock->n, two->clock->n));
    cr_expect(one->bandwidth.motion == two->bandwidth.motion);
    cr_expect(eq(sz, one->cache.n, two->cache.n));
    /* more than the survey has memory for at its begin */
    cr_assert(gt(sz, one->standstills.n, (size_t)100));
    cr_assert(eq(sz, one->standstills.n, two->standstills.n));
    for (size_t i = 0; i < one->standstills.n; i++) {
        const tq_standstill *a = &one->standstills.list[i], *b = &two->standstills.list[i];
        cr_expect(a->first == b->first && a->last == b->last && a->n == b->n &&
                      memcmp(a->sums, b->sums, 2 * sizeof *a->sums) == 0,
                  "standstill %zu", i);
    }
}

Test(log, an_overlapped_survey_is_that_of_one_thread)
{
    static const char request[] =
        "{\"dataset\": \"log\", \"columns\": {\"time\": \"t\", \"q\": [\"q\"], \"tau\": "
        "[\"tau\"]}, \"rows\": [[100, 90000], [100000, 200000]]}";
    char *text = malloc(TEXT);
    const size_t n = write_rests(text);
    static fixture one, two;
    open_on(&one, NULL, true, request, text, n);
    parallel_for *const threads[] = {second_half_first, on_two_threads};
    for (size_t i = 0; i < 2; i++) {
        n_overlap = 0;
        open_on(&two, threads[i], true, request, text, n);
        cr_expect(gt(sz, n_overlap, (size_t)20));
        check_same(&one.log.signal, &two.log.signal);
        close(&two);
    }
    close(&one);
    free(text);
}
