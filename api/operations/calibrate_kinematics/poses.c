/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate_kinematics/poses.c - errors of poses, outliers, and the robot with its
 * parameters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/operations/calibrate_kinematics/calibrate_kinematics.h"
#include "api/response/document.h"

static bool has_rotation(const tqa_kinematic *c)
{
    return c->problem.kind == TQ_KINEMATIC_POSES;
}

static void put_one(const tqa_kinematic *c, const char *key, const tq_kinematic_errors *errors)
{
    tqa_writer *answer = c->tree->answer;
    tqa_writer_object(answer, key);
    tqa_writer_number(answer, "position_rms_m", errors->position_rms);
    tqa_writer_number(answer, "position_max_m", errors->position_max);
    if (has_rotation(c)) {
        tqa_writer_number(answer, "rotation_rms_rad", errors->rotation_rms);
        tqa_writer_number(answer, "rotation_max_rad", errors->rotation_max);
    }
    tqa_writer_end(answer);
}

void tqa_kinematic_put_errors(const tqa_kinematic *c)
{
    tqa_writer *answer = c->tree->answer;
    const tq_kinematic_result *found = &c->found;
    tqa_writer_object(answer, "errors");
    put_one(c, "before", &found->before);
    put_one(c, "after", &found->after);
    put_one(c, "left_out_before", &found->held_before);
    put_one(c, "left_out_after", &found->held_after);
    tqa_writer_count(answer, "folds", c->problem.n_fold);
    tqa_writer_end(answer);
    if (found->n_reach == 0) {
        tqa_writer_none(answer, "within_limits", "no random pose reaches the planes");
        return;
    }
    tqa_writer_object(answer, "within_limits");
    tqa_writer_count(answer, "poses", found->n_reach);
    tqa_writer_number(answer, "position_rms_m", found->reach_rms);
    tqa_writer_number(answer, "position_max_m", found->reach_max);
    tqa_writer_end(answer);
}

void tqa_kinematic_put_outliers(const tqa_kinematic *c)
{
    tqa_writer *answer = c->tree->answer;
    const tq_kinematic_result *found = &c->found;
    tqa_writer_list(answer, "outliers");
    for (size_t k = 0; k < found->n_outlier && k < TQ_KINEMATIC_OUTLIERS_MAX; k++) {
        const uint32_t i = found->outlier[k];
        tqa_writer_object(answer, NULL);
        tqa_writer_count(answer, "pose", i);
        tqa_writer_number(answer, "position_m", found->error[2 * (size_t)i]);
        if (has_rotation(c)) {
            tqa_writer_number(answer, "rotation_rad", found->error[2 * (size_t)i + 1]);
        }
        tqa_writer_finite(answer, "deviations", found->studentized[i],
                          "it alone determines a parameter");
        tqa_writer_flag(answer, "left_out", c->problem.is_robust);
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
    tqa_writer_count(answer, "outlier_count", found->n_outlier);
}

bool tqa_kinematic_put_poses(tqa_kinematic *c)
{
    static const char *const names[2][2] = {{"position_before_m", "position_after_m"},
                                            {"rotation_before_rad", "rotation_after_rad"}};
    tqa_writer *answer = c->tree->answer;
    const tq_kinematic_result *found = &c->found;
    const size_t n = c->problem.n_pose;
    double *column = tqa_tree_take(c->tree, n, sizeof *column);
    if (column == NULL) {
        return false;
    }
    tqa_writer_object(answer, "by_pose");
    for (unsigned part = 0; part < (has_rotation(c) ? 2u : 1u); part++) {
        for (unsigned after = 0; after < 2; after++) {
            const double *from = after == 0 ? found->error_was : found->error;
            for (size_t i = 0; i < n; i++) {
                column[i] = from[2 * i + part];
            }
            tqa_writer_vector(answer, names[part][after], column, n);
        }
    }
    tqa_writer_list(answer, "deviations");
    for (size_t i = 0; i < n; i++) {
        tqa_writer_number_or_null(answer, NULL, found->studentized[i]);
    }
    tqa_writer_end(answer);
    tqa_writer_end(answer);
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * The robot
 */

/* Origins with the parameters; angles as written hold for those that have not changed. */
static void place_joints(const tqa_kinematic *c, tq_joint *joints, double *rpy)
{
    const tqa_robot *robot = c->tree->robot;
    const tq_model *model = robot->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        joints[j] = model->joints[j];
        joints[j].origin = tq_kinematic_origin(model, &c->found.state, j);
        const bool same =
            memcmp(joints[j].origin.r, model->joints[j].origin.r, sizeof joints[j].origin.r) == 0;
        for (unsigned i = 0; i < 3; i++) {
            const size_t at = 3 * (size_t)j + i;
            rpy[at] = same && robot->joint_rpy != NULL ? robot->joint_rpy[at] : (double)NAN;
        }
    }
}

bool tqa_kinematic_robot(tqa_kinematic *c)
{
    const tqa_robot *robot = c->tree->robot;
    const tqa_host *host = c->tree->host;
    tqa_problem why = {0}; /* a robot that URDF cannot express is returned as a document only */
    tq_model model = *robot->model;
    tq_joint *joints = tqa_tree_take(c->tree, model.n_joint, sizeof *joints);
    double *rpy = tqa_tree_take(c->tree, model.n_joint, 3 * sizeof *rpy);
    if (joints == NULL || rpy == NULL) {
        return false;
    }
    place_joints(c, joints, rpy);
    model.joints = joints;
    tqa_robot found = *robot;
    found.model = &model;
    found.joint_rpy = rpy;
    c->document = tqa_robot_document(&found, robot->name, &c->n_document);
    c->urdf = tqa_robot_urdf(&found, robot->name, &c->n_urdf, &why);
    bool good = c->document != NULL && (c->urdf != NULL || why.status != 503);
    if (good && c->urdf != NULL && host != NULL && host->attach != NULL) {
        good = host->attach(host->ctx, "robot.urdf", "application/xml", c->urdf, c->n_urdf) == 0;
    }
    return good ||
           tqa_problem_set(c->tree->problem, "busy", "there is no memory for the new robot now");
}

bool tqa_kinematic_put_robot(tqa_kinematic *c)
{
    tqa_json_scan *scan = tqa_tree_take(c->tree, 1, sizeof *scan);
    if (scan != NULL) { /* the digest is that of the original robot */
        tqa_writer_document(c->tree->answer, "robot", "digest", scan, c->document, c->n_document);
    }
    return scan != NULL;
}
