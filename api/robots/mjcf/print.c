/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/print.c - any tree as MJCF: a body for a link, inside the body of its parent. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/mjcf/fluid.h"
#include "api/robots/mjcf/mjcf.h"
#include "api/robots/mjcf/print.h"
#include "api/robots/xml.h"
#include "api/robots/xml_print.h"

enum {
    BODY_DEPTH_MAX =
        TQA_XML_DEPTH_MAX - 3 /* below mujoco and worldbody, above inertial and joint */
};

typedef struct printer {
    tqa_json_text *text;
    const tqa_robot *robot;
    uint32_t *open; /* (n_link) links whose bodies are open, the outermost first */
    uint32_t n_open;
} printer;

static void raw(const printer *p, const char *s)
{
    tqa_json_text_raw(p->text, s);
}

static void indent(const printer *p)
{
    for (uint32_t k = 0; k < p->n_open + 2; k++) {
        raw(p, "  ");
    }
}

/* The body of link l stays open. */
static void open_body(printer *p, uint32_t l, const char *name, const tq_pose *origin)
{
    double quaternion[4];
    indent(p);
    raw(p, "<body");
    tqa_xml_put_string(p->text, "name", name);
    tqa_xml_put_numbers(p->text, "pos", origin->p, 3);
    tq_quaternion_of_mat(origin->r, quaternion);
    if (quaternion[1] != 0.0 || quaternion[2] != 0.0 || quaternion[3] != 0.0) {
        tqa_xml_put_numbers(p->text, "quat", quaternion, 4);
    }
    const double share = p->robot->model->links[l].gravity_compensation;
    if (share != 0.0) {
        tqa_xml_put_number(p->text, "gravcomp", share);
    }
    raw(p, ">\n");
    p->open[p->n_open++] = l;
    tqa_mjcf_put_inertial(p->text, p->robot, l, p->n_open + 2);
    tqa_mjcf_put_sites(p->text, p->robot, l, p->n_open + 2);
}

static void close_body(printer *p)
{
    p->n_open--;
    indent(p);
    raw(p, "</body>\n");
}

static void put_range(const printer *p, const tq_limits *limits)
{
    if (isfinite(limits->lower) || isfinite(limits->upper)) {
        const double range[2] = {fmax(limits->lower, -TQA_MJCF_NO_LIMIT),
                                 fmin(limits->upper, TQA_MJCF_NO_LIMIT)};
        raw(p, " limited=\"true\"");
        tqa_xml_put_numbers(p->text, "range", range, 2);
    }
    if (isfinite(limits->effort)) {
        const double range[2] = {-limits->effort, limits->effort};
        tqa_xml_put_numbers(p->text, "actuatorfrcrange", range, 2);
    }
}

static void put_nonzero(const printer *p, const char *key, double x)
{
    if (x != 0.0) {
        tqa_xml_put_number(p->text, key, x);
    }
}

static void put_passive(const printer *p, const tq_joint *joint)
{
    put_nonzero(p, "damping", joint->friction.viscous);
    put_nonzero(p, "stiffness", joint->spring.stiffness);
    put_nonzero(p, "armature", joint->rotor.inertia * joint->rotor.ratio * joint->rotor.ratio);
}

/* Friction, spring and rotor of a joint of one freedom. */
static void put_drive(const printer *p, const tq_joint *joint)
{
    put_range(p, &joint->limits);
    put_passive(p, joint);
    put_nonzero(p, "frictionloss", joint->friction.coulomb);
    put_nonzero(p, "springref", joint->spring.stiffness != 0.0 ? joint->spring.rest : 0.0);
}

static void put_axis(const printer *p, const char *name, const char *ending, bool slides,
                     const double axis[3])
{
    char whole[2 * TQA_NAME_MAX];
    (void)snprintf(whole, sizeof whole, "%s%s", name, ending);
    indent(p);
    raw(p, "<joint");
    tqa_xml_put_string(p->text, "name", whole);
    raw(p, slides ? " type=\"slide\"" : " type=\"hinge\"");
    tqa_xml_put_numbers(p->text, "axis", axis, 3);
}

static void put_joint(const printer *p, uint32_t i)
{
    const tq_joint *joint = &p->robot->model->joints[i];
    const char *name = p->robot->joint_names[i];
    if (joint->kind == TQ_JOINT_PLANAR) {
        double r[9];
        tq_mat_third_column(joint->axis, r);
        for (int k = 0; k < 3; k++) {
            put_axis(p, name, tqa_xml_planar_endings[k], k < 2,
                     (const double[3]){r[k], r[3 + k], r[6 + k]});
            raw(p, "/>\n");
        }
    } else if (joint->kind == TQ_JOINT_FLOATING || joint->kind == TQ_JOINT_SPHERICAL) {
        indent(p);
        raw(p, joint->kind == TQ_JOINT_FLOATING ? "<joint type=\"free\"" : "<joint type=\"ball\"");
        tqa_xml_put_string(p->text, "name", name);
        put_passive(p, joint);
        raw(p, "/>\n");
    } else if (joint->kind != TQ_JOINT_FIXED) {
        put_axis(p, name, "", joint->kind == TQ_JOINT_PRISMATIC, joint->axis);
        put_drive(p, joint);
        raw(p, "/>\n");
    }
}

/* Where the body is in the file: a free joint's spring rests there, and nothing else depends on it.
 */
static tq_pose body_pose(const tq_joint *joint)
{
    tq_pose ret = joint->origin;
    if (joint->kind == TQ_JOINT_FLOATING && tqa_xml_rests_elsewhere(joint)) {
        memcpy(ret.p, joint->spring.pose, sizeof ret.p);
        tq_mat_of_quaternion(joint->spring.pose + 3, ret.r);
    }
    return ret;
}

/* Bodies in depth-first order: those that float, which hang from the world itself, or all others.
 */
static void put_bodies(printer *p, bool floating)
{
    const tq_model *model = p->robot->model;
    bool inside = false;
    for (uint32_t k = 0; k < model->n_joint; k++) {
        const tq_joint *joint = &model->joints[model->order[k]];
        if (joint->parent == model->root) {
            inside = (joint->kind == TQ_JOINT_FLOATING) == floating;
        }
        if (!inside) {
            continue;
        }
        while (p->n_open > 0 && p->open[p->n_open - 1] != joint->parent) {
            close_body(p);
        }
        const tq_pose at = body_pose(joint);
        open_body(p, joint->child, p->robot->link_names[joint->child], &at);
        put_joint(p, model->order[k]);
    }
}

static void put_worldbody(printer *p)
{
    const tq_model *model = p->robot->model;
    const bool bare = tqa_xml_root_is_world(p->robot);
    raw(p, "  <worldbody>\n");
    if (!bare) {
        char name[TQA_NAME_MAX];
        const char *root = p->robot->link_names[model->root];
        if (strcmp(root, "world") == 0) { /* that is MuJoCo's own */
            tqa_xml_free_link_name(p->robot, root, "_link", name, sizeof name);
            root = name;
        }
        open_body(p, model->root, root, &tq_pose_identity);
    } else {
        tqa_mjcf_put_sites(p->text, p->robot, model->root, 2);
    }
    put_bodies(p, false);
    while (p->n_open > 0) {
        close_body(p);
    }
    put_bodies(p, true);
    while (p->n_open > 0) {
        close_body(p);
    }
    raw(p, "  </worldbody>\n");
}

/* Depth of link l below the root, as far as bodies may go. */
static uint32_t depth_of(const tq_model *model, uint32_t l)
{
    uint32_t depth = 0;
    for (; model->links[l].joint != TQ_NONE && depth < BODY_DEPTH_MAX; depth++) {
        l = model->joints[model->links[l].joint].parent;
    }
    return depth;
}

/* The name of a link that is pulled down by its compensation of gravity, where none is carried, or
 * NULL. */
static const char *pulled_down(const tqa_robot *robot)
{
    const char *ret = NULL;
    for (uint32_t l = 0; l < robot->model->n_link; l++) {
        const double share = robot->model->links[l].gravity_compensation;
        if (share > 0.0) {
            return NULL;
        }
        ret = share < 0.0 ? robot->link_names[l] : ret;
    }
    return ret;
}

/* Why the robot cannot be written as MJCF; false: it can. */
static bool find_obstacle(const tqa_robot *robot, const char *name, tqa_problem *reterr)
{
    const tq_model *model = robot->model;
    const char *obstacle = tqa_xml_bad_name(robot, name);
    const char *why = "has a name that XML cannot hold";
    for (uint32_t i = 0; i < model->n_joint && obstacle == NULL; i++) {
        const tq_joint *joint = &model->joints[i];
        if (joint->kind == TQ_JOINT_FLOATING && !tqa_xml_floats_in_world(robot, i)) {
            obstacle = robot->joint_names[i];
            why = "floats elsewhere than in the axes of the world, which MJCF does not have";
        } else if (joint->kind == TQ_JOINT_SPHERICAL && tqa_xml_rests_elsewhere(joint)) {
            obstacle = robot->joint_names[i];
            why = "has a spring that does not rest at the identity, which MJCF does not have";
        } else if (joint->kind == TQ_JOINT_PLANAR) {
            obstacle = tqa_xml_planar_is_free(robot, i) ? NULL : robot->joint_names[i];
            why = "is planar, and its name with _x or _y is taken, or too long";
        }
    }
    for (uint32_t l = 0; l < model->n_link && obstacle == NULL; l++) {
        if (l != model->root && strcmp(robot->link_names[l], "world") == 0) {
            obstacle = "world";
            why = "is a link that moves: in MJCF that is the name of the world";
        } else if (depth_of(model, l) >= BODY_DEPTH_MAX) {
            obstacle = robot->link_names[l];
            why = "is deeper inside other bodies than torqued reads MJCF";
        }
    }
    if (obstacle == NULL && robot->constraints != NULL) {
        obstacle = name;
        why = "has constraints, which are not written as MJCF";
    }
    if (obstacle == NULL && tqa_mjcf_other_box(robot) != NULL) {
        obstacle = tqa_mjcf_other_box(robot);
        why = "is another box to the medium than that of its inertia, which MuJoCo has";
    }
    if (obstacle == NULL && pulled_down(robot) != NULL) {
        obstacle = pulled_down(robot);
        why = "has gravity compensation below 0, which MuJoCo passes over where none is above";
    }
    return obstacle != NULL && tqa_xml_refuse(reterr, obstacle, why);
}

char *tqa_robot_mjcf(const tqa_robot *robot, const char *name, size_t *ret_n, tqa_problem *reterr)
{
    tqa_json_text text = {0};
    printer p = {.text = &text, .robot = robot};
    reterr->status = 0;
    reterr->n_fault = 0;
    if (find_obstacle(robot, name, reterr)) {
        return NULL;
    }
    tqa_mjcf_masses masses;
    p.open = malloc((size_t)robot->model->n_link * sizeof *p.open);
    if (p.open == NULL || !tqa_mjcf_weigh(robot, &masses)) {
        free(p.open);
        tqa_problem_set(reterr, "busy", "memory is short");
        return NULL;
    }
    raw(&p, "<?xml version=\"1.0\"?>\n");
    tqa_mjcf_put_lost(&text, robot, &masses);
    raw(&p, "<mujoco");
    tqa_xml_put_string(&text, "model", name);
    raw(&p, ">\n  <compiler angle=\"radian\"");
    if (masses.bounded) {
        tqa_xml_put_number(&text, "boundmass", TQA_MJCF_LEAST);
        tqa_xml_put_number(&text, "boundinertia", TQA_MJCF_LEAST);
    }
    raw(&p, "/>\n  <option");
    tqa_xml_put_numbers(&text, "gravity", robot->model->gravity, 3);
    if (tq_model_has_drag(robot->model)) {
        put_nonzero(&p, "density", robot->model->medium.density);
        put_nonzero(&p, "viscosity", robot->model->medium.viscosity);
        tqa_xml_put_numbers(&text, "wind", robot->model->medium.velocity, 3);
    }
    raw(&p, "/>\n");
    put_worldbody(&p);
    tqa_mjcf_put_sections(&text, robot, &masses);
    raw(&p, "</mujoco>\n");
    free(p.open);
    char *bytes = tqa_json_text_take(&text, ret_n);
    if (bytes == NULL) {
        tqa_problem_set(reterr, "busy", "memory is short");
    }
    return bytes;
}
