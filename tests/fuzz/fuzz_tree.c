/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/fuzz_tree.c - any bytes as a request of nested fields, the first one choosing the
 * operation: a document or a problem, and the same one however the bytes are cut. */
#include <stdint.h>

#include "api/call/call.h"
#include "tests/support/fuzzed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* operations of nested fields whose run is short; those that may become jobs: fuzz_simulate.c */
static const tqa_operation *chosen(uint8_t byte)
{
    const tqa_operation *all[64];
    size_t n = 0;
    for (const tqa_operation *each = tqa_operations; each->name != NULL; each++) {
        if (each->methods->tree != NULL && !each->may_outlive) {
            all[n++] = each;
        }
    }
    return all[(uint8_t)(byte - '0') % n];
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
    /* the high bit: the other form of the answer, where there is one */
    const tqa_operation *operation = chosen(data[0] & 0x7f);
    const tqa_robot *with = operation->needs_robot ? robot : NULL;
    const char *body = (const char *)data + 1;
    tqt_call_options options = {.operation = operation->name};
    if ((data[0] & 0x80) != 0 && operation->methods->tree->forms != NULL) {
        options.query = "form=base";
    }
    options.accept = TQA_MEDIA_NPZ; /* the same, or more than fits, or no array in it */
    tqt_answer packed = tqt_call(with, body, size - 1, options);
    tqt_must_answer(&packed, false);
    tqt_answer_clear(&packed);
    options.accept = TQA_MEDIA_NONE;
    tqt_answer whole = tqt_call(with, body, size - 1, options);
    options.step = 1;
    tqt_answer crumbs = tqt_call(with, body, size - 1, options);
    tqt_must_answer(&whole, false);
    tqt_must_agree(&whole, &crumbs);
    if (whole.status == 200) {
        tqt_must_be_object(&whole);
    }
    tqt_answer_clear(&whole);
    tqt_answer_clear(&crumbs);
    return 0;
}
