/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/fuzz_request.c - any bytes as a request of each streaming operation: an answer or a
 * problem, and the same one however the bytes are cut. */
#include <stdint.h>

#include "tests/support/fuzzed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const tqa_robot *robot, const char *operation, const char *body, size_t n)
{
    tqt_answer whole = tqt_call(robot, body, n, (tqt_call_options){.operation = operation});
    tqt_answer cut =
        tqt_call(robot, body, n, (tqt_call_options){.operation = operation, .cut = n / 3});
    tqt_answer crumbs = tqt_call(
        robot, body, n, (tqt_call_options){.operation = operation, .step = 1, .room = 4096});
    tqt_must_answer(&whole, false);
    tqt_must_agree(&whole, &cut);
    tqt_must_agree(&whole, &crumbs);
    tqt_answer_clear(&whole);
    tqt_answer_clear(&cut);
    tqt_answer_clear(&crumbs);
    tqt_call_options packed = {.operation = operation, .accept = TQA_MEDIA_NPZ};
    whole = tqt_call(robot, body, n, packed);
    packed.room = 4096;
    crumbs = tqt_call(robot, body, n, packed);
    tqt_must_agree(&whole, &crumbs);
    tqt_answer_clear(&whole);
    tqt_answer_clear(&crumbs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const operations[] = {"inverse-dynamics", "forward-dynamics", "terms"};
    static tqa_robot *robots[2];
    if (robots[0] == NULL) {
        robots[0] = tqt_builtin("panda");
        robots[1] = tqt_urdf(
            "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/><inertia "
            "ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link><joint name='j' "
            "type='floating'><parent link='a'/><child link='b'/></joint></robot>");
    }
    const char *body = (const char *)data;
    for (size_t r = 0; r < 2; r++) {
        for (size_t k = 0; k < sizeof operations / sizeof operations[0]; k++) {
            ask(robots[r], operations[k], body, size);
        }
    }
    return 0;
}
