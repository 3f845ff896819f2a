/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/session/test_session.c - sessions by api: each allocation fails once,
 * truncated bodies, and the stated memory of a session. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>

#include "api/operation.h"
#include "api/session.h"
#include "tests/support/one_call.h"
#include "tests/support/sanitized.h"
#include "tests/support/short_memory.h"

enum { WALK_MAX = 2000 };

static tqa_robot *robot;
static unsigned n_held; /* references that are not released */

static const tqa_robot *robot_get(void *ctx, const char *name, tqa_problem *reterr)
{
    (void)ctx;
    const bool was = tqt_short_pause(); /* allocations of a registry are not counted */
    const bool is = strncmp(name, "pendulum", 8) == 0;
    n_held += is ? 1 : 0;
    tqt_short_resume(was);
    if (!is) {
        tqa_problem_set(reterr, "unknown-robot", "not %s", name);
    }
    return is ? robot : NULL;
}

static void robot_release(void *ctx, const tqa_robot *of)
{
    (void)ctx;
    cr_assert(eq(ptr, (void *)of, robot));
    n_held--;
}

static const tqa_host host = {.robot_get = robot_get, .robot_release = robot_release};

static void set_up(void)
{
    cr_assert(eq(ptr, (void *)tqa_start(0), NULL));
    robot = tqt_builtin("pendulum");
}

static void tear_down(void)
{
    cr_assert(eq(uint, n_held, 0u));
    tqa_robot_free(robot);
}

static tqa_session_body body_of(const char *text)
{
    return (tqa_session_body){.content = TQA_MEDIA_JSON, .bytes = text, .n = strlen(text)};
}

static const char opening[] =
    "{\"robot\":\"pendulum\",\"initial\":{\"q\":[0.4]},\"history\":8,\"include\":[\"qdd\"],"
    "\"sensors\":{\"seed\":3,\"q\":{\"noise_std\":0.01,\"delay_s\":0.002},\"tau\":{}},"
    "\"actuators\":{\"effort_limits\":[4],\"delay_s\":0.001},\"events\":[{\"on\":\"qd\","
    "\"joint\":\"joint1\",\"level\":0.001}]}";
static const char step[] = "{\"tau\":[3.5],\"steps\":5,\"at_step\":0}";

static tqa_session *open_session(void)
{
    tqa_problem problem;
    const tqa_session_body body = body_of(opening);
    tqa_session *session = tqa_session_open(&body, &host, 1 << 24, &problem);
    cr_assert(ne(ptr, session, NULL), "%s", problem.detail);
    return session;
}

/* opens, steps, forks, rewinds, answers: the last answer, or NULL with the problem */
static char *whole_life(tqa_problem *reterr)
{
    const tqa_session_body of_opening = body_of(opening), of_step = body_of(step);
    const tqa_session_body of_fork = body_of("{\"step\":3}");
    const tqa_session_body of_rewind = body_of("{\"step\":2}");
    const tqa_session_about about = {.id = "x", .expires_in_s = 1};
    size_t n = 0;
    char *text = NULL;
    tqa_session *fork = NULL;
    tqa_session *session = tqa_session_open(&of_opening, &host, 1 << 24, reterr);
    if (session != NULL && tqa_session_read_step(session, &of_step, reterr)) {
        cr_assert(eq(u64, tqa_session_step(session), 5));
        fork = tqa_session_fork(session, &of_fork, 1 << 24, reterr);
        if (fork != NULL && tqa_session_rewind(fork, &of_rewind, reterr)) {
            text = tqa_session_answer(fork, &about, TQA_MEDIA_JSON, &n, reterr);
        }
    }
    tqa_session_close(fork);
    tqa_session_close(session);
    return text;
}

Test(session, survives_each_failed_allocation, .init = set_up, .fini = tear_down)
{
    tqa_problem problem;
    char *whole = whole_life(&problem);
    cr_assert(ne(ptr, whole, NULL), "%s", problem.detail);
    size_t k = 0;
    bool done = false;
    while (!done && k < WALK_MAX) {
        k += TQT_SANITIZED ? 7 : 1;
        problem.status = 0;
        tqt_short_begin(k, 1);
        char *text = whole_life(&problem);
        done = tqt_short_end() < k;
        if (text == NULL) {
            cr_assert(eq(int, problem.status, 503), "allocation %zu: %s", k, problem.detail);
        } else {
            cr_assert(eq(str, text, whole), "allocation %zu", k);
        }
        free(text);
    }
    cr_assert(lt(sz, k, WALK_MAX));
    free(whole);
}

Test(session, refuses_bodies_that_are_cut, .init = set_up, .fini = tear_down)
{
    tqa_problem problem;
    for (size_t n = 0; n + 1 < sizeof opening; n++) {
        char *cut = malloc(n > 0 ? n : 1);
        memcpy(cut, opening, n);
        const tqa_session_body body = {.content = TQA_MEDIA_NONE, .bytes = cut, .n = n};
        cr_assert(eq(ptr, tqa_session_open(&body, &host, 1 << 24, &problem), NULL));
        cr_assert(eq(int, problem.status, 400), "%zu: %s", n, problem.detail);
        free(cut);
    }
    tqa_session *session = open_session();
    for (size_t n = 0; n + 1 < sizeof step; n++) {
        char *cut = malloc(n > 0 ? n : 1);
        memcpy(cut, step, n);
        const tqa_session_body body = {.content = TQA_MEDIA_NONE, .bytes = cut, .n = n};
        cr_assert(not(tqa_session_read_step(session, &body, &problem)));
        cr_assert(eq(int, problem.status, 400), "%zu: %s", n, problem.detail);
        free(cut);
    }
    tqa_session_close(session);
}

Test(session, has_no_more_memory_than_it_may, .init = set_up, .fini = tear_down)
{
    tqa_problem problem;
    tqa_session *session = open_session();
    const size_t bytes = tqa_session_bytes(session);
    const tqa_session_body body = body_of(opening);
    cr_assert(eq(ptr, tqa_session_open(&body, &host, bytes - 1, &problem), NULL));
    cr_assert(eq(int, problem.status, 413));
    tqa_session *same = tqa_session_open(&body, &host, bytes, &problem);
    cr_assert(ne(ptr, same, NULL));
    tqa_session_close(same);
    tqa_session_close(session);
}
