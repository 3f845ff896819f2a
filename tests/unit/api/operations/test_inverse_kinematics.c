/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/test_inverse_kinematics.c - a cancelled search ends. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

#include "api/host.h"
#include "tests/support/one_call.h"

typedef struct asker {
    unsigned asked, stop_after;
} asker;

static bool cancelled(void *ctx)
{
    asker *a = ctx;
    return ++a->asked >= a->stop_after;
}

/* far out of reach: every start runs to its end and none succeeds */
static const char far_away[] =
    "{\"frame\": \"flange\", \"pose\": {\"position\": [30, 0, 0]}, \"seeds\": 200}";

static tqt_answer ask(asker *a)
{
    const tqa_host host = {.ctx = a, .cancelled = cancelled};
    tqa_robot *panda = tqt_builtin("panda");
    const tqt_answer answer =
        tqt_call(panda, far_away, strlen(far_away),
                 (tqt_call_options){.operation = "inverse-kinematics", .host = &host});
    tqa_robot_free(panda);
    return answer;
}

Test(inverse_kinematics, stops_when_cancelled)
{
    asker a = {.stop_after = 3};
    const tqt_answer stopped = ask(&a);
    cr_assert(eq(int, stopped.status, 503));
    cr_assert(eq(u32, a.asked, 3), "no more once the answer was yes");
}

Test(inverse_kinematics, uses_all_starts_without_cancellation)
{
    asker a = {.stop_after = 1000000};
    const tqt_answer all = ask(&a);
    cr_assert(eq(int, all.status, 200), "%s", all.problem.detail);
    cr_assert(gt(u32, a.asked, 3));
}
