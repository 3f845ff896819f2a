/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/fuzz_simulate.c - any bytes as the request of a simulation that is stopped soon: a
 * result, a problem or a stop, and the same one however the bytes are cut. */
#include <stdint.h>

#include "tests/support/fuzzed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { QUESTIONS = 2 };

/* says yes when it is asked the second time: runs that take long end there, always at one place */
static bool cancelled(void *ctx)
{
    unsigned *asked = ctx;
    return ++*asked >= QUESTIONS;
}

static tqt_answer ask(const tqa_robot *robot, const char *body, size_t n, size_t step)
{
    unsigned asked = 0;
    const tqa_host host = {.ctx = &asked, .cancelled = cancelled};
    return tqt_call(robot, body, n,
                    (tqt_call_options){.operation = "simulate", .host = &host, .step = step});
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tqa_robot *robot;
    if (robot == NULL) {
        robot = tqt_builtin("rrp");
    }
    const char *body = (const char *)data;
    tqt_answer whole = ask(robot, body, size, 0);
    tqt_answer crumbs = ask(robot, body, size, 1);
    tqt_must_answer(&whole, true);
    tqt_must_agree(&whole, &crumbs);
    if (whole.status == 200) {
        tqt_must_be_object(&whole);
    }
    tqt_answer_clear(&whole);
    tqt_answer_clear(&crumbs);
    return 0;
}
