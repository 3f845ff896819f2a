/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/operations.c - every operation, in the order of the contract. */
#include <stdio.h>
#include <string.h>

#include "api/call/call.h"
#include "api/operation.h"

/* a million samples of a 7-axis arm: 168 MB as CBOR or NPY, 430 MB as JSON with 17 digits */
enum { SAMPLES_BODY_MAX = 512 << 20 };

#define ROW(of, how, with_robot, is_long, has_samples, with_picture)                               \
    {.name = (of),                                                                                 \
     .needs_robot = (with_robot),                                                                  \
     .may_outlive = (is_long),                                                                     \
     .has_picture = (with_picture),                                                                \
     .body_max = (has_samples) ? SAMPLES_BODY_MAX : TQA_TREE_BODY_MAX,                             \
     .methods = &(how)},
const tqa_operation tqa_operations[] = {TQA_OPERATION_LIST(ROW){.name = NULL}};

void tqa_operation_refuse_picture(const tqa_operation *operation, tqa_problem *reterr)
{
    char names[160] = "";
    size_t n = 0;
    for (const tqa_operation *one = tqa_operations; one->name != NULL; one++) {
        const size_t room = sizeof names - n;
        if (one->has_picture && strlen(one->name) + sizeof ", " < room) {
            n += (size_t)snprintf(names + n, room, "%s%s", n > 0 ? ", " : "", one->name);
        }
    }
    (void)tqa_problem_set(reterr, "not-acceptable",
                          "there is no picture of %s: image/svg+xml is drawn over time, of %s, of "
                          "datasets and of one array of a job's result (.../result/{field})",
                          operation->name, names);
}

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
