/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/parsed.c - access to a parsed robot. */
#include "api/robots/parsed.h"

const char *tqa_robot_digest(const tqa_robot *robot)
{
    return robot->digest;
}

const char *tqa_robot_source(const tqa_robot *robot)
{
    return robot->source;
}

uint32_t tqa_robot_nv(const tqa_robot *robot)
{
    return robot->model->nv;
}

uint32_t tqa_robot_joint(const tqa_robot *robot, const char *name, size_t n)
{
    return tqa_names_find(&robot->joints, name, n);
}

uint32_t tqa_robot_link(const tqa_robot *robot, const char *name, size_t n)
{
    return tqa_names_find(&robot->links, name, n);
}

const tq_drive *tqa_robot_drive(const tqa_robot *robot, uint32_t j)
{
    return robot->drives != NULL && robot->drives[j].drive.motor.constant != 0.0
               ? &robot->drives[j].drive
               : NULL;
}

double tqa_robot_damping(const tqa_robot *robot, uint32_t j)
{
    return tqa_robot_drive(robot, j) != NULL ? robot->drives[j].damping
                                             : robot->model->joints[j].friction.viscous;
}

char *tqa_robot_print(const tqa_robot *robot, tqa_robot_form form, const char *name, size_t *ret_n,
                      tqa_problem *reterr)
{
    char *text = NULL;
    switch (form) {
    case TQA_FORM_URDF:
        return tqa_robot_urdf(robot, name, ret_n, reterr);
    case TQA_FORM_MJCF:
        return tqa_robot_mjcf(robot, name, ret_n, reterr);
    case TQA_FORM_SDF:
        return tqa_robot_sdf(robot, name, ret_n, reterr);
    case TQA_FORM_DOCUMENT:
        text = tqa_robot_document(robot, name, ret_n);
        break;
    }
    if (text == NULL) {
        tqa_problem_set(reterr, "busy", "memory is short");
    }
    return text;
}

const char *tqa_robot_dragged(const tqa_robot *robot)
{
    const tq_model *model = robot->model;
    for (uint32_t l = 0; tq_model_has_drag(model) && l < model->n_link; l++) {
        const double *size = model->links[l].drag.size;
        if (size[0] != 0.0 || size[1] != 0.0 || size[2] != 0.0) {
            return robot->link_names[l];
        }
    }
    return NULL;
}
