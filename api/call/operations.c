/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/operations.c - every operation, in the order of the contract. */
#include <string.h>

#include "api/call/call.h"
#include "api/operation.h"

/* a million samples of a 7-axis arm: 168 MB as CBOR or NPY, 430 MB as JSON with 17 digits */
enum { SAMPLES_BODY_MAX = 512 << 20 };

#define ROW(of, how, with_robot, is_long, has_samples)                                             \
    {.name = (of),                                                                                 \
     .needs_robot = (with_robot),                                                                  \
     .may_outlive = (is_long),                                                                     \
     .body_max = (has_samples) ? SAMPLES_BODY_MAX : TQA_TREE_BODY_MAX,                             \
     .methods = &(how)},
const tqa_operation tqa_operations[] = {TQA_OPERATION_LIST(ROW){.name = NULL}};

const tqa_operation *tqa_operation_find(const char *name, size_t n, bool with_robot)
{
    for (const tqa_operation *operation = tqa_operations; operation->name != NULL; operation++) {
        if (operation->needs_robot == with_robot && strlen(operation->name) == n &&
            memcmp(operation->name, name, n) == 0) {
            return operation;
        }
    }
    return NULL;
}
