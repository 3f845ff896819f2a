/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/http/test_answer.c - the constant problem that is sent without memory equals
 * that of the writer. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

#include "api/problem.h"
#include "daemon/http/answer.h"
#include "tests/support/short_memory.h"

Test(answer, without_memory_a_constant_that_the_writer_would_write)
{
    tqa_problem problem;
    tqd_reply reply = {.status = 0};
    char want[2048];
    tqa_problem_set(&problem, "not-found", "a problem that finds no memory");
    tqt_short_begin(1, 1);
    tqd_answer_problem(&reply, NULL, &problem);
    tqt_short_resume(tqt_short_pause());
    cr_assert(eq(sz, tqt_short_end(), 1));
    tqa_problem_set(&problem, "busy", "memory is short");
    const size_t n = tqa_problem_print(&problem, NULL, want, sizeof want);
    cr_assert(eq(int, reply.status, 503));
    cr_assert(reply.body == NULL && reply.constant != NULL);
    cr_assert(eq(sz, reply.n_body, n));
    cr_expect(eq(str, (char *)reply.constant, want));
}
