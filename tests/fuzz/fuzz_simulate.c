/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/fuzz_simulate.c - any bytes as the request of a simulation that is stopped soon: a
 * result, a problem or a stop, and the same one however the bytes are cut. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/one_call.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { QUESTIONS = 2, TEXT = 8192 };

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

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
    must(whole.status == 200 || (whole.status >= 400 && whole.status <= 503));
    must(whole.status != 500 && whole.status == crumbs.status);
    if (whole.status == 200) {
        must(whole.n == crumbs.n && memcmp(whole.text, crumbs.text, whole.n) == 0);
        json_t *root = json_loadb(whole.text, whole.n, JSON_REJECT_DUPLICATES, NULL);
        must(json_is_object(root)); /* so no NaN and no comma too many */
        json_decref(root);
    } else {
        static char text[TEXT];
        must(strcmp(whole.problem.slug, crumbs.problem.slug) == 0);
        must(tqa_problem_print(&whole.problem, "fuzz", text, sizeof text) < sizeof text);
    }
    tqt_answer_clear(&whole);
    tqt_answer_clear(&crumbs);
    return 0;
}
