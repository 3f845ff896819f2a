/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/at_rest.c - recordings of some of the joints: the others are held where
 * they were. */
#include <stdlib.h>
#include <string.h>

#include "api/operations/calibrate/calibrate.h"

/* The operation of api/robots/surgery that fixes the joints; NULL: the problem is set, or memory
 * is short. */
static char *lock_of(const tqa_value *part)
{
    json_t *operation =
        json_pack("{s:[{s:s,s:O}]}", "operations", "op", "lock", "joints", part->value);
    char *text = operation != NULL ? json_dumps(operation, JSON_REAL_PRECISION(17)) : NULL;
    json_decref(operation);
    return text;
}

/* Faults have places in the operation: those of the request in their stead. */
static void move_places(tqa_problem *problem)
{
    static const char in_operation[] = "/operations/0/joints", here[] = "/at_rest";
    static const size_t n_in = sizeof in_operation - 1, n_here = sizeof here - 1;
    for (size_t i = 0; i < problem->n_fault; i++) {
        char *pointer = problem->faults[i].pointer;
        if (strncmp(pointer, in_operation, n_in) == 0) {
            memcpy(pointer, here, n_here);
            memmove(pointer + n_here, pointer + n_in, strlen(pointer + n_in) + 1);
        }
    }
}

bool tqa_calibration_hold_joints(tqa_calibration *c)
{
    tqa_tree *tree = c->tree;
    const tqa_value root = tqa_value_root(tree);
    const tqa_value part = tqa_value_field(&root, "at_rest");
    c->whole = tree->robot;
    if (part.value == NULL) {
        return true;
    }
    if (!json_is_object(part.value)) {
        return tqa_value_refuse(&part, "wrong-type",
                                "{\"name of a joint\": its position, rad or m, ...}",
                                "expected the positions of the joints at rest by their names");
    }
    size_t n = 0;
    char *lock = lock_of(&part);
    char *document = NULL;
    if (lock != NULL) {
        const char *name = c->whole->name[0] != '\0' ? c->whole->name : "robot";
        document = tqa_robot_patch(tree->robot, name, lock, strlen(lock), NULL, &n, tree->problem);
        move_places(tree->problem);
    }
    if (document != NULL) {
        tree->own_robot = tqa_robot_parse(TQA_MEDIA_JSON, document, n, tree->problem);
    }
    free(document);
    free(lock);
    if (tree->own_robot == NULL) {
        return tree->problem->status == 0 &&
               tqa_problem_set(tree->problem, "busy", "memory is short");
    }
    tree->robot = tree->own_robot;
    if (tree->robot->model->nv == 0) {
        return tqa_value_refuse(&part, "invalid-value", "leave out those that moved",
                                "all joints are at rest");
    }
    return true;
}
