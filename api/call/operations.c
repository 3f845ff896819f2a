/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/operations.c - every operation, in the order of the contract. */
#include <string.h>

#include "api/call/call.h"
#include "api/operation.h"

/* a million samples of a 7-axis arm: 168 MB as CBOR or NPY, 430 MB as JSON with 17 digits */
enum { SAMPLES_BODY_MAX = 512 << 20 };

const tqa_operation tqa_operations[] = {
    {
        .name = "inverse-dynamics",
        .needs_robot = true,
        .may_outlive = false,
        .body_max = SAMPLES_BODY_MAX,
        .methods = &tqa_inverse_dynamics_methods,
    },
    {
        .name = "forward-dynamics",
        .needs_robot = true,
        .may_outlive = false,
        .body_max = SAMPLES_BODY_MAX,
        .methods = &tqa_forward_dynamics_methods,
    },
    {
        .name = "terms",
        .needs_robot = true,
        .may_outlive = false,
        .body_max = SAMPLES_BODY_MAX,
        .methods = &tqa_terms_methods,
    },
    {
        .name = "kinematics",
        .needs_robot = true,
        .body_max = TQA_TREE_BODY_MAX,
        .methods = &tqa_kinematics_methods,
    },
    {
        .name = "statics",
        .needs_robot = true,
        .body_max = TQA_TREE_BODY_MAX,
        .methods = &tqa_statics_methods,
    },
    {
        .name = "regressor",
        .needs_robot = true,
        .body_max = TQA_TREE_BODY_MAX,
        .methods = &tqa_regressor_methods,
    },
    {
        .name = "inverse-kinematics",
        .needs_robot = true,
        .body_max = TQA_TREE_BODY_MAX,
        .methods = &tqa_inverse_kinematics_methods,
    },
    {
        .name = "trajectory",
        .needs_robot = true,
        .body_max = TQA_TREE_BODY_MAX,
        .methods = &tqa_trajectory_methods,
    },
    {
        .name = "inertia",
        .needs_robot = false,
        .body_max = TQA_TREE_BODY_MAX,
        .methods = &tqa_inertia_methods,
    },
    {
        .name = "rigid-body",
        .needs_robot = false,
        .body_max = TQA_TREE_BODY_MAX,
        .methods = &tqa_rigid_body_methods,
    },
    {
        .name = "drive",
        .needs_robot = false,
        .body_max = TQA_TREE_BODY_MAX,
        .methods = &tqa_drive_methods,
    },
    {
        .name = "compare",
        .needs_robot = false,
        .body_max = TQA_TREE_BODY_MAX,
        .methods = &tqa_compare_methods,
    },
    {
        .name = "simulate",
        .needs_robot = true,
        .may_outlive = true,
        .body_max = TQA_TREE_BODY_MAX,
        .methods = &tqa_simulate_methods,
    },
    {
        .name = "excitation",
        .needs_robot = true,
        .may_outlive = true,
        .body_max = TQA_TREE_BODY_MAX,
        .methods = &tqa_excitation_methods,
    },
    {
        .name = "ensemble",
        .needs_robot = true,
        .may_outlive = true,
        .body_max = TQA_TREE_BODY_MAX,
        .methods = &tqa_ensemble_methods,
    },
    {
        .name = "calibrate",
        .needs_robot = true,
        .may_outlive = true,
        .body_max = TQA_TREE_BODY_MAX,
        .methods = &tqa_calibrate_methods,
    },
    {.name = NULL},
};

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
