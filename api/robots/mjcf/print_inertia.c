/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/print_inertia.c - masses and inertias of an exported MJCF, such that MuJoCo
 * takes them. */
#include <math.h>
#include <stdlib.h>

#include "api/robots/mjcf/fluid.h"
#include "api/robots/mjcf/print.h"
#include "api/robots/xml_print.h"
#include "core/spatial/rotation.h"

/* Of the largest moment. MuJoCo's search for axes ends 1.4e-6 rad early, which moves a moment by
 * some 1e-12: so near to its conditions it gets moments and axes instead of a tensor. */
static const double near = 1e-9;
static const double rounding = 1e-12;

/* Principal axes and moments of a tensor; `thin`, `flat`: a moment is 0, or the sum of the two
 * others, within `near`; `wrong`: it is more than that sum, by more than rounding. */
typedef struct shape {
    double axes[9], moments[3];
    bool thin, flat, wrong;
} shape;

static shape shape_of(const double s[6])
{
    shape ret = {.thin = false};
    unsigned most = 0;
    tqa_mjcf_principal(s, ret.axes, ret.moments);
    for (unsigned k = 1; k < 3; k++) {
        most = ret.moments[k] > ret.moments[most] ? k : most;
    }
    double *largest = &ret.moments[most];
    const double a = ret.moments[(most + 1) % 3], b = ret.moments[(most + 2) % 3];
    ret.thin = fmin(a, b) <= near * *largest;
    ret.flat = *largest >= (a + b) * (1.0 - near);
    ret.wrong = *largest > (a + b) * (1.0 + rounding) || fmin(a, b) < -rounding * *largest;
    if (!ret.wrong) {
        for (int k = 0; k < 3; k++) {
            ret.moments[k] = fmax(ret.moments[k], 0.0);
        }
        /* MuJoCo compares without slack */
        *largest = fmin(*largest, ret.moments[(most + 1) % 3] + ret.moments[(most + 2) % 3]);
    }
    return ret;
}

/* What MuJoCo asks of a body that moves, or of one that is fixed to it. */
static bool is_heavy(const tq_inertia *inertia)
{
    const shape own = shape_of(inertia->about_com);
    bool heavy = inertia->mass >= TQA_MJCF_LEAST;
    for (int k = 0; k < 3; k++) {
        heavy = heavy && own.moments[k] >= TQA_MJCF_LEAST;
    }
    return heavy;
}

bool tqa_mjcf_weigh(const tqa_robot *robot, tqa_mjcf_masses *ret)
{
    const tq_model *model = robot->model;
    bool *heavy = calloc((size_t)model->n_link + 1, sizeof *heavy);
    *ret = (tqa_mjcf_masses){.light = 0};
    if (heavy == NULL) {
        return false;
    }
    for (uint32_t l = 0; l < model->n_link; l++) {
        heavy[l] = is_heavy(&model->links[l].inertia);
        ret->wrong += shape_of(model->links[l].inertia.about_com).wrong;
    }
    for (uint32_t k = model->n_joint; k-- > 0;) { /* children first */
        const tq_joint *joint = &model->joints[model->order[k]];
        if (joint->kind == TQ_JOINT_FIXED) {
            heavy[joint->parent] = heavy[joint->parent] || heavy[joint->child];
        } else {
            ret->light += !heavy[joint->child];
        }
    }
    free(heavy);
    /* in a medium, a body of the bounds' mass and inertia is a box of 2 m */
    ret->bounded = ret->light > 0 && !tq_model_has_drag(model);
    return true;
}

static void put_principal(tqa_json_text *text, const double axes[9], const double moments[3])
{
    double quaternion[4];
    tq_quaternion_of_mat(axes, quaternion);
    tqa_xml_put_numbers(text, "quat", quaternion, 4);
    tqa_xml_put_numbers(text, "diaginertia", moments, 3);
}

static void put_moments(tqa_json_text *text, const tqa_robot *robot, const tq_link *link)
{
    const double *s = link->inertia.about_com;
    const bool diagonal = s[1] == 0.0 && s[2] == 0.0 && s[4] == 0.0;
    const double tensor[6] = {s[0], s[3], s[5], s[1], s[2], s[4]};
    const shape own = shape_of(s);
    double moments[3];
    if (tq_model_has_drag(robot->model) && link->drag.size[0] != 0.0 &&
        tqa_mjcf_moments(link, moments)) {
        /* along the axes of the link's box: MuJoCo's compiler makes one of the moments there */
        put_principal(text, link->drag.at.r, moments);
    } else if (diagonal) {
        tqa_xml_put_numbers(text, "diaginertia", own.wrong ? tensor : own.moments, 3);
    } else if ((own.thin || own.flat) && !own.wrong) {
        put_principal(text, own.axes, own.moments);
    } else {
        tqa_xml_put_numbers(text, "fullinertia", tensor, 6);
    }
}

void tqa_mjcf_put_inertial(tqa_json_text *text, const tqa_robot *robot, uint32_t l, uint32_t depth)
{
    const tq_link *link = &robot->model->links[l];
    bool any = link->inertia.mass != 0.0;
    for (int e = 0; e < 6; e++) {
        any = any || link->inertia.about_com[e] != 0.0;
    }
    if (!any) {
        return; /* without geoms a body weighs nothing */
    }
    for (uint32_t k = 0; k < depth; k++) {
        tqa_json_text_raw(text, "  ");
    }
    tqa_json_text_raw(text, "<inertial");
    tqa_xml_put_numbers(text, "pos", link->inertia.com, 3);
    tqa_xml_put_number(text, "mass", link->inertia.mass);
    put_moments(text, robot, link);
    tqa_json_text_raw(text, "/>\n");
}
