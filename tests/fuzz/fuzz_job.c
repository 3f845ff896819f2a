/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/fuzz_job.c - any bytes as the request of an operation that may become a job, the first
 * one choosing it: read and checked whole, stopped where it checks for cancellation. */
#include <stdint.h>

#include "tests/support/fuzzed.h"
#include "tests/support/host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const tqa_operation *chosen(uint8_t byte)
{
    const tqa_operation *all[64];
    size_t n = 0;
    for (const tqa_operation *each = tqa_operations; each->name != NULL; each++) {
        if (each->may_outlive) {
            all[n++] = each;
        }
    }
    return all[(uint8_t)(byte - '0') % n];
}

static bool cancelled(void *ctx)
{
    (void)ctx;
    return true;
}

/* a log of two joints, too short for a fit */
static tqt_answer ask(const tqa_operation *operation, const tqa_robot *robot, const char *body,
                      size_t n, size_t step)
{
    static const char log[] = "t,q_0,q_1,tau_0,tau_1\n0,0.1,0.2,1,2\n0.1,0.2,0.3,1,2\n"
                              "0.2,0.4,0.5,1,2\n";
    static tqt_host world;
    tqt_host_open(&world);
    tqt_host_dataset(&world, "run", "text/csv", log, sizeof log - 1);
    world.host.cancelled = cancelled;
    const tqt_answer answer = tqt_call(
        robot, body, n,
        (tqt_call_options){.operation = operation->name, .host = &world.host, .step = step});
    tqt_host_close(&world);
    return answer;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tqa_robot *robot;
    if (robot == NULL) {
        robot = tqt_builtin("planar-2r");
    }
    if (size == 0) {
        return 0;
    }
    const tqa_operation *operation = chosen(data[0]);
    const char *body = (const char *)data + 1;
    tqt_answer whole = ask(operation, robot, body, size - 1, 0);
    tqt_answer crumbs = ask(operation, robot, body, size - 1, 1);
    tqt_must_answer(&whole, true);
    tqt_must_agree(&whole, &crumbs);
    if (whole.status == 200) {
        tqt_must_be_object(&whole);
    }
    tqt_answer_clear(&whole);
    tqt_answer_clear(&crumbs);
    return 0;
}
