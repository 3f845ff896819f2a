/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/recordings/test_overlap.c - a pass of two threads has the blocks of a pass of one,
 * and ends where its receiver stops it. */
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
