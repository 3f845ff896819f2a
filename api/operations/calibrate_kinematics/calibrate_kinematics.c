/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate_kinematics/calibrate_kinematics.c - POST .../calibrate-kinematics: the
 * run, and what core refuses. */
#include "api/operations/calibrate_kinematics/calibrate_kinematics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/openapi/generated/fields.h"

static const char *const fields[] = {TQA_FIELDS_CALIBRATE_KINEMATICS_REQUEST, NULL};

static double cost_us(const tqa_tree *tree)
{
    (void)tree;
    return 1e6; /* never on a connection's thread */
}

static bool check(tqa_tree *tree)
{
    tqa_kinematic *c = tqa_tree_take(tree, 1, sizeof *c);
    if (c == NULL) {
        return false;
    }
    c->tree = tree;
    tree->state = c;
    return tqa_kinematic_read(c);
}

static bool fail_shape(const tqa_kinematic *c, const tq_error *error)
{
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value q = tqa_value_field(&root, "q");
    const tqa_value plane = tqa_value_field(&root, "plane");
    const tqa_value frame = tqa_value_field(&root, "frame");
    const tqa_value identify = tqa_value_field(&root, "identify");
    const tqa_robot *robot = c->tree->robot;
    char hint[TQA_PROBLEM_TEXT];
    if (strcmp(error->what, "plane") == 0) {
        return tqa_value_refuse(&plane, "wrong-length", "touch each plane in four poses or more",
                                "plane %zu has %.0f poses, its position alone needs three",
                                error->index, error->value);
    }
    if (strcmp(error->what, "joint") == 0) {
        return tqa_value_refuse(&frame, "invalid-value", "name a link beyond a moving joint",
                                "no joint moves link \"%.60s\"",
                                robot->link_names[c->problem.link]);
    }
    if (strcmp(error->what, "unknowns") == 0) {
        return tqa_value_refuse(&identify, "too-large", "name the joints in \"only\"",
                                "these are %.0f unknowns, at most %d are fitted at once",
                                error->value, TQ_KINEMATIC_UNKNOWNS_MAX);
    }
    (void)snprintf(hint, sizeof hint,
                   "%.0f poses are the least, twice as many are reasonable; or fix what is known: "
                   "\"base\", \"tool\", \"only\"",
                   error->value);
    return tqa_value_refuse(
        &q, "wrong-length", hint, "%zu poses are %zu equations, for %zu unknowns",
        c->problem.n_pose, c->problem.n_pose * tq_kinematic_rows_of(c->problem.kind), error->index);
}

static bool fail(const tqa_kinematic *c, tq_status status, const tq_error *error)
{
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value q = tqa_value_field(&root, "q");
    if (status == TQ_ERR_SHAPE && error->what != NULL) {
        return fail_shape(c, error);
    }
    if (status == TQ_ERR_QUATERNION) {
        return tqa_states_fail(c->tree, &c->states, error->index, status, error);
    }
    if (status == TQ_ERR_SINGULAR && error->what != NULL && strcmp(error->what, "limits") == 0) {
        const tqa_value limits = tqa_value_field(&root, "limits");
        return tqa_value_refuse(&limits, "singular", "widen them, or check units and \"frame\"",
                                "all parameters are at their limits");
    }
    if (status == TQ_ERR_SINGULAR) {
        return tqa_value_refuse(&q, "singular",
                                "use poses in which each joint differs, and the target turns",
                                "these poses determine no parameter of the robot");
    }
    if (status == TQ_ERR_NO_CONVERGENCE) {
        return tqa_value_refuse(
            &q, "no-convergence",
            "check the order of poses, units (m, rad) and \"frame\"; \"limits\" "
            "keep parameters small",
            "the fit of these poses does not converge");
    }
    return tqa_tree_fail(c->tree, "", status, error);
}

static bool solve(tqa_kinematic *c)
{
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value q = tqa_value_field(&root, "q");
    tq_scratch scratch;
    tq_error error = {0};
    if (!tqa_tree_scratch(c->tree, tq_kinematic_size(&c->problem), &scratch)) {
        return !tqa_arena_short(c->tree->arena) &&
               tqa_value_refuse(&q, "too-large", "fewer poses, or joints in \"only\"",
                                "%zu poses of %zu joints take more memory than one request may",
                                c->problem.n_pose, c->order.nv);
    }
    const tq_status status = tq_kinematic_solve(&c->problem, &scratch, &c->found, &error);
    return status == TQ_OK || fail(c, status, &error);
}

static bool run(tqa_tree *tree)
{
    tqa_kinematic *c = tree->state;
    const bool good = solve(c) && tqa_kinematic_robot(c) && tqa_kinematic_answer(c);
    free(c->document);
    free(c->urdf);
    c->document = c->urdf = NULL;
    return good && tree->problem->status == 0;
}

static const tqa_tree_methods tree_methods = {
    .fields = fields,
    .cost_us = cost_us,
    .check = check,
    .run = run,
};

const tqa_operation_methods tqa_calibrate_kinematics_methods = {.tree = &tree_methods};
