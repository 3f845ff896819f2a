/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/print_sections.c - what an exported MJCF has after its bodies, and the comment
 * before them. */
#include <math.h>
#include <stdio.h>

#include "api/robots/mjcf/fluid.h"
#include "api/robots/mjcf/mjcf.h"
#include "api/robots/mjcf/print.h"
#include "api/robots/xml_print.h"

/* Joints that follow another: MuJoCo couples two coordinates by a constraint. */
static void put_equality(tqa_json_text *text, const tqa_robot *robot)
{
    const tq_model *model = robot->model;
    unsigned n = 0;
    for (uint32_t i = 0; i < model->n_joint; i++) {
        const tq_joint *joint = &model->joints[i];
        if (joint->mimic == TQ_NONE) {
            continue;
        }
        const double polynomial[5] = {joint->mimic_offset, joint->mimic_multiplier, 0.0, 0.0, 0.0};
        char name[2 * TQA_NAME_MAX];
        (void)snprintf(name, sizeof name, "%s%s", TQA_MJCF_FOLLOWER, robot->joint_names[i]);
        tqa_json_text_raw(text, n++ == 0 ? "  <equality>\n    <joint" : "    <joint");
        tqa_xml_put_string(text, "name", name);
        tqa_xml_put_string(text, "joint1", robot->joint_names[i]);
        tqa_xml_put_string(text, "joint2", robot->joint_names[joint->mimic]);
        tqa_xml_put_numbers(text, "polycoef", polynomial, 5);
        tqa_json_text_raw(text, "/>\n");
    }
    tqa_json_text_raw(text, n > 0 ? "  </equality>\n" : "");
}

/* Data that MuJoCo ignores: friction beyond damping and frictionloss; bounds that are there for
 * MuJoCo alone. */
static void put_custom(tqa_json_text *text, const tqa_robot *robot, bool bounded)
{
    const tq_model *model = robot->model;
    bool any = false;
    if (bounded) {
        tqa_json_text_raw(text, "  <custom>\n    <numeric");
        tqa_xml_put_string(text, "name", TQA_MJCF_BOUNDS);
        tqa_xml_put_numbers(text, "data", (const double[2]){TQA_MJCF_LEAST, TQA_MJCF_LEAST}, 2);
        tqa_json_text_raw(text, "/>\n");
        any = true;
    }
    for (uint32_t i = 0; i < model->n_joint; i++) {
        const tq_friction *f = &model->joints[i].friction;
        if (tq_joint_kind_nv(model->joints[i].kind) == 1 && tqa_xml_has_friction(f)) {
            const double data[4] = {f->breakaway, f->stribeck_velocity, f->smoothing, f->offset};
            char name[2 * TQA_NAME_MAX];
            (void)snprintf(name, sizeof name, "%s%s", TQA_MJCF_FRICTION, robot->joint_names[i]);
            tqa_json_text_raw(text, any ? "    <numeric" : "  <custom>\n    <numeric");
            tqa_xml_put_string(text, "name", name);
            tqa_xml_put_numbers(text, "data", data, 4);
            tqa_json_text_raw(text, "/>\n");
            any = true;
        }
    }
    tqa_json_text_raw(text, any ? "  </custom>\n" : "");
}

/* A motor of each joint that has one. A file without motors has torques at all joints. */
static void put_actuators(tqa_json_text *text, const tqa_robot *robot)
{
    const tq_model *model = robot->model;
    bool any = false;
    for (uint32_t i = 0; i < model->n_joint && robot->actuated != NULL; i++) {
        const bool planar = model->joints[i].kind == TQ_JOINT_PLANAR;
        if (model->joints[i].nv == 0 || !robot->actuated[model->joints[i].v_index]) {
            continue;
        }
        for (int k = 0; k < (planar ? 3 : 1); k++) {
            char name[2 * TQA_NAME_MAX];
            (void)snprintf(name, sizeof name, "%s%s", robot->joint_names[i],
                           planar ? tqa_xml_planar_endings[k] : "");
            tqa_json_text_raw(text, any ? "    <motor" : "  <actuator>\n    <motor");
            tqa_xml_put_string(text, "joint", name);
            tqa_json_text_raw(text, "/>\n");
            any = true;
        }
    }
    tqa_json_text_raw(text, any ? "  </actuator>\n" : "");
}

void tqa_mjcf_put_sections(tqa_json_text *text, const tqa_robot *robot,
                           const tqa_mjcf_masses *masses)
{
    put_equality(text, robot);
    tqa_mjcf_put_tendons(text, robot);
    put_actuators(text, robot);
    put_custom(text, robot, masses->bounded);
}

/* Whether no joint has a motor: then there is none in the file either, which says the opposite. */
static bool is_undriven(const tqa_robot *robot)
{
    bool any = robot->actuated == NULL;
    for (uint32_t r = 0; r < robot->model->nv && !any; r++) {
        any = robot->actuated[r];
    }
    return !any;
}

static unsigned smooth_tendons(const tq_model *model)
{
    unsigned n = 0;
    for (uint32_t t = 0; t < model->n_tendon; t++) {
        n +=
            model->tendons[t].friction.coulomb != 0.0 && model->tendons[t].friction.smoothing > 0.0;
    }
    return n;
}

/* A comment for people: parts that the format cannot express; of those that there are. */
void tqa_mjcf_put_lost(tqa_json_text *text, const tqa_robot *robot, const tqa_mjcf_masses *masses)
{
    const tq_model *model = robot->model;
    tqa_xml_counts n;
    unsigned planar = 0;
    unsigned mimics = 0;
    bool ordered = true;
    tqa_xml_count(robot, &n);
    for (uint32_t i = 0; i < model->n_joint; i++) {
        planar += model->joints[i].kind == TQ_JOINT_PLANAR;
        mimics += model->joints[i].mimic != TQ_NONE;
        ordered = ordered && model->order[i] == i;
    }
    const tqa_xml_part lost[] = {{smooth_tendons(model), "smoothed friction of", "tendons"},
                                 {n.velocities, "limits of velocity of", "joints"},
                                 {n.drives, "motors and amplifiers of", "joints"},
                                 {is_undriven(robot), "that no joint is driven", NULL}};
    const tqa_xml_part custom[] = {
        {n.frictions, "friction beyond damping and Coulomb's of", "joints"}};
    const tqa_xml_part other[] = {
        {n.rotors, "rotors of", "joints are armature"},
        {planar, "planar joints are two slides and a hinge each:", "of them"},
        {mimics,
         "followers are coupled by <equality>, in MuJoCo with coordinates of their own:", "joints"},
        {!ordered, "coordinates are in the order of the bodies", NULL},
        {masses->bounded ? masses->light : 0,
         "moving bodies without mass or without moment of inertia about an axis have 1e-15 kg and "
         "kg m^2 by MuJoCo's bounds:",
         "of them"}};
    const tqa_xml_part refused[] = {
        {masses->bounded ? 0 : masses->light,
         "in a medium, moving bodies without mass or without moment of inertia about an axis:",
         "here"},
        {masses->wrong, "a moment of inertia below 0 or above the sum of the other two, of",
         "bodies"}};
    tqa_json_text_raw(text, "<!-- Written by torqued.");
    tqa_xml_put_parts(text, "Not expressed: ", lost, sizeof lost / sizeof lost[0]);
    tqa_xml_put_parts(text, "In <custom>, which only torqued reads: ", custom, 1);
    tqa_xml_put_parts(text, "In other words: ", other, sizeof other / sizeof other[0]);
    tqa_xml_put_parts(text, "MuJoCo refuses ", refused, sizeof refused / sizeof refused[0]);
    tqa_json_text_raw(text, " -->\n");
}
