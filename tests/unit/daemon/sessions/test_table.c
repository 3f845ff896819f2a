/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/sessions/test_table.c - who may hold a session and for how long; many threads
 * with few sessions. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/operation.h"
#include "daemon/sessions/table.h"
#include "tests/support/one_call.h"

enum { THREADS = 4, ROUNDS = 300 };

static tqa_robot *robot;
static _Atomic int n_held; /* references that are not released */

static const tqa_robot *robot_get(void *ctx, const char *name, tqa_problem *reterr)
{
    (void)ctx;
    (void)name;
    (void)reterr;
    atomic_fetch_add(&n_held, 1);
    return robot;
}

static void robot_release(void *ctx, const tqa_robot *of)
{
    (void)ctx;
    (void)of;
    atomic_fetch_sub(&n_held, 1);
}

static const tqa_host host = {.robot_get = robot_get, .robot_release = robot_release};
static const tqd_identity cell = {.client = "cell", .roles = TQD_ROLE_COMPUTE | TQD_ROLE_READ};
static const tqd_identity other = {.client = "other", .roles = TQD_ROLE_COMPUTE | TQD_ROLE_READ};
static const tqd_identity admin = {.client = "admin", .roles = TQD_ROLES_ALL};

static void set_up(void)
{
    cr_assert(eq(ptr, (void *)tqa_start(0), NULL));
    robot = tqt_builtin("pendulum");
}

static void tear_down(void)
{
    cr_assert(eq(int, atomic_load(&n_held), 0));
    tqa_robot_free(robot);
}

static tqd_lock_steps *open_table(size_t most, int64_t idle_ms)
{
    const tqd_lock_step_options options = {.sessions_max = most,
                                           .client_sessions_max = most > 1 ? most - 1 : 1,
                                           .bytes_max = 1 << 28,
                                           .client_bytes_max = 1 << 28,
                                           .idle_ms = idle_ms};
    tqd_lock_steps *table = tqd_lock_steps_new(&options);
    cr_assert(ne(ptr, table, NULL));
    return table;
}

static tqa_session *make_session(void)
{
    static const char text[] = "{\"robot\":\"pendulum\",\"initial\":{\"q\":[0.4]},\"history\":2}";
    const tqa_session_body body = {.content = TQA_MEDIA_JSON, .bytes = text, .n = sizeof text - 1};
    tqa_problem problem;
    tqa_session *session = tqa_session_open(&body, &host, 1 << 24, &problem);
    cr_assert(ne(ptr, session, NULL));
    return session;
}

static void add(tqd_lock_steps *table, const tqd_identity *who, char id[TQD_LOCK_STEP_ID])
{
    tqa_problem problem;
    cr_assert(tqd_lock_steps_add(table, who, make_session(), id, &problem));
    tqd_lock_steps_release(table, id, 0);
}

Test(session_table, are_held_by_one_request_of_their_client, .init = set_up, .fini = tear_down)
{
    tqd_lock_steps *table = open_table(4, 1 << 30);
    char id[TQD_LOCK_STEP_ID];
    tqa_problem problem;
    add(table, &cell, id);
    tqa_session *session = tqd_lock_steps_acquire(table, &cell, id, &problem);
    cr_assert(ne(ptr, session, NULL));
    cr_assert(eq(ptr, tqd_lock_steps_acquire(table, &cell, id, &problem), NULL));
    cr_assert(eq(int, problem.status, 409));
    cr_assert(eq(ptr, tqd_lock_steps_acquire(table, &other, id, &problem), NULL));
    cr_assert(eq(int, problem.status, 404));
    tqd_lock_steps_release(table, id, 3);
    cr_assert(eq(ptr, tqd_lock_steps_acquire(table, &admin, id, &problem), session));
    /* removed while it is held: it is no longer found, and ends with its request */
    cr_assert(tqd_lock_steps_remove(table, &cell, id, &problem));
    cr_assert(not(tqd_lock_steps_remove(table, &cell, id, &problem)));
    cr_assert(eq(int, atomic_load(&n_held), 1));
    tqd_lock_steps_release(table, id, 4);
    cr_assert(eq(int, atomic_load(&n_held), 0));
    tqd_lock_steps_figures figures;
    tqd_lock_steps_count(table, &figures);
    cr_assert(all(eq(u64, figures.open, 0), eq(u64, figures.bytes, 0), eq(u64, figures.steps, 7),
                  eq(u64, figures.opened, 1)));
    tqd_lock_steps_free(table);
}

Test(session_table, have_bounds_for_all_and_for_a_client, .init = set_up, .fini = tear_down)
{
    tqd_lock_steps *table = open_table(3, 1 << 30);
    char id[TQD_LOCK_STEP_ID];
    tqa_problem problem;
    size_t bytes = 0;
    add(table, &cell, id);
    add(table, &cell, id);
    cr_assert(not(tqd_lock_steps_room(table, &cell, &bytes, &problem)));
    cr_assert(all(eq(int, problem.status, 429), gt(uint, problem.retry_after_s, 0u)));
    cr_assert(tqd_lock_steps_room(table, &other, &bytes, &problem));
    add(table, &other, id);
    cr_assert(not(tqd_lock_steps_room(table, &admin, &bytes, &problem)));
    cr_assert(eq(int, problem.status, 503));
    tqa_session *late = make_session();
    cr_assert(not(tqd_lock_steps_add(table, &admin, late, id, &problem)));
    tqa_session_close(late);
    tqd_lock_steps_free(table);
}

/* Of eight, by a share of a half: the first client 4, the second 2, and so a third has its own. */
Test(session_table, greedy_clients_leave_a_place_for_the_next_one, .init = set_up,
     .fini = tear_down)
{
    static const size_t wanted[] = {4, 2, 1};
    const tqd_identity *const who[] = {&cell, &other, &admin};
    const tqd_lock_step_options options = {.sessions_max = 8,
                                           .client_sessions_max = 4,
                                           .bytes_max = 1 << 28,
                                           .client_bytes_max = 1 << 27,
                                           .idle_ms = 1 << 30};
    tqd_lock_steps *table = tqd_lock_steps_new(&options);
    cr_assert(ne(ptr, table, NULL));
    for (size_t i = 0; i < 3; i++) {
        char id[TQD_LOCK_STEP_ID];
        tqa_problem problem;
        size_t bytes = 0;
        size_t n = 0;
        for (; tqd_lock_steps_room(table, who[i], &bytes, &problem); n++) {
            add(table, who[i], id);
        }
        cr_assert(all(eq(sz, n, wanted[i]), eq(int, problem.status, 429)), "client %zu", i);
    }
    tqd_lock_steps_free(table);
}

Test(session_table, refuse_what_is_no_id, .init = set_up, .fini = tear_down)
{
    tqd_lock_steps *table = open_table(3, 1 << 30);
    char id[TQD_LOCK_STEP_ID];
    tqa_problem problem;
    add(table, &cell, id);
    for (size_t n = 0; n + 1 < sizeof id; n++) {
        char cut[TQD_LOCK_STEP_ID];
        memcpy(cut, id, n);
        cut[n] = '\0';
        cr_assert(eq(ptr, tqd_lock_steps_acquire(table, &admin, cut, &problem), NULL));
        memcpy(cut, id, sizeof id);
        cut[n] = cut[n] == 'f' ? '0' : 'f';
        cr_assert(eq(ptr, tqd_lock_steps_acquire(table, &admin, cut, &problem), NULL));
        cr_assert(eq(int, problem.status, 404));
    }
    tqd_lock_steps_free(table);
}

Test(session_table, end_when_their_time_is_over, .init = set_up, .fini = tear_down)
{
    tqd_lock_steps *table = open_table(3, 0); /* ends sessions at once, except held ones */
    char id[TQD_LOCK_STEP_ID], held[TQD_LOCK_STEP_ID];
    tqa_problem problem;
    tqd_lock_steps_figures figures;
    cr_assert(tqd_lock_steps_add(table, &cell, make_session(), held, &problem));
    add(table, &cell, id);
    tqd_lock_steps_count(table, &figures);
    cr_assert(all(eq(u64, figures.open, 1), eq(u64, figures.expired, 1)));
    tqd_lock_steps_release(table, held, 1);
    cr_assert(eq(ptr, tqd_lock_steps_acquire(table, &cell, held, &problem), NULL));
    cr_assert(eq(int, problem.status, 404));
    tqd_lock_steps_free(table);
}

/* -------------------------------------------------------------------------------- threads */

static tqd_lock_steps *shared;
static char ids[2][TQD_LOCK_STEP_ID];
static _Atomic uint64_t n_made;

/* steps, reads and, from time to time, opens and ends its own sessions */
static void *drive(void *arg)
{
    const tqa_session_body body = {.content = TQA_MEDIA_JSON, .bytes = "{\"tau\":[0.1]}", .n = 13};
    tqa_problem problem;
    for (int k = 0; k < ROUNDS; k++) {
        const char *id = ids[k % 2];
        tqa_session *session = tqd_lock_steps_acquire(shared, &cell, id, &problem);
        if (session != NULL && tqa_session_read_step(session, &body, &problem)) {
            const uint64_t n = tqa_session_step(session);
            atomic_fetch_add(&n_made, n);
            tqd_lock_steps_release(shared, id, n);
        }
        if (k % 50 == 0) {
            char own[TQD_LOCK_STEP_ID];
            tqa_writer list = {.cbor = false};
            add(shared, &other, own);
            tqa_writer_object(&list, NULL);
            tqa_writer_list(&list, "sessions");
            tqd_lock_steps_list(shared, &admin, &list);
            size_t n = 0;
            free(tqa_writer_take(&list, &n));
            (void)tqd_lock_steps_remove(shared, &other, own, &problem);
        }
    }
    return arg;
}

Test(session_table, many_threads_make_whole_steps, .init = set_up, .fini = tear_down)
{
    pthread_t threads[THREADS];
    tqd_lock_steps_figures figures;
    shared = open_table(16, 1 << 30);
    add(shared, &cell, ids[0]);
    add(shared, &cell, ids[1]);
    for (int k = 0; k < THREADS; k++) {
        cr_assert(eq(int, pthread_create(&threads[k], NULL, drive, NULL), 0));
    }
    for (int k = 0; k < THREADS; k++) {
        cr_assert(eq(int, pthread_join(threads[k], NULL), 0));
    }
    tqd_lock_steps_count(shared, &figures);
    cr_assert(all(eq(u64, figures.steps, atomic_load(&n_made)), eq(u64, figures.open, 2),
                  gt(u64, figures.steps, 0)));
    tqd_lock_steps_free(shared);
}
