/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/memory/test_memory.c - the memory of all calls together has one bound. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/memory.h"
#include "api/operation.h"
#include "api/request/samples.h"
#include "tests/support/one_call.h"

enum { SAMPLES = 5000, ROW = 64 };

/* SAMPLES samples of a 7-axis arm, at rest */
static char *make_body(size_t *ret_n)
{
    static const char *const keys[] = {"{\"q\":[", "],\"qd\":[", "],\"qdd\":["};
    char *body = malloc(3 * SAMPLES * 20 + 100);
    char *p = body;
    for (size_t k = 0; k < 3; k++) {
        p = stpcpy(p, keys[k]);
        for (size_t i = 0; i < SAMPLES; i++) {
            p = stpcpy(p, i > 0 ? ",[0,0,0,0,0,0,0]" : "[0,0,0,0,0,0,0]");
        }
    }
    p = stpcpy(p, "]}");
    *ret_n = (size_t)(p - body);
    return body;
}

Test(memory, a_call_beyond_the_bound_is_503_and_holds_no_memory)
{
    tqa_robot *robot = tqt_builtin("panda");
    size_t n = 0;
    char *body = make_body(&n);
    /* 21 numbers in and 7 out take 1.12 MB; the bound is exceeded in different parts of the call */
    for (size_t bound = 100000; bound < 1000000; bound += 300000) {
        tqa_memory_bound_set(bound);
        for (int again = 0; again < 3; again++) {
            tqt_answer answer = tqt_call(robot, body, n, (tqt_call_options){.step = 4000});
            cr_assert(eq(int, answer.status, 503), "bound %zu", bound);
            cr_assert(eq(int, (int)answer.problem.retry_after_s, 1));
            tqt_answer_clear(&answer);
        }
    }
    /* no memory is leaked: a bound that is just sufficient is sufficient repeatedly */
    tqa_memory_bound_set(3000000); /* four arrays: 15 blocks, then a whole segment each */
    for (int again = 0; again < 3; again++) {
        tqt_answer answer = tqt_call(robot, body, n, (tqt_call_options){.step = 4000});
        cr_assert(eq(int, answer.status, 200));
        tqt_answer_clear(&answer);
    }
    free(body);
    tqa_robot_free(robot);
}

Test(memory, of_one_call_is_its_own_fault)
{
    tqa_budget budget = {.bytes_left = 10000};
    tqa_blocks blocks;
    tqa_blocks_init(&blocks, 7, NULL, &budget);
    cr_assert(not(tqa_blocks_reserve(&blocks, SAMPLES)));
    cr_assert(budget.is_over);
    tqa_blocks_clear(&blocks);
    tqa_memory_bound_set(5000);
    budget = (tqa_budget){.bytes_left = 1000000};
    tqa_blocks_init(&blocks, 7, NULL, &budget);
    cr_assert(not(tqa_blocks_reserve(&blocks, SAMPLES)));
    cr_assert(not(budget.is_over));
    tqa_blocks_clear(&blocks);
}
