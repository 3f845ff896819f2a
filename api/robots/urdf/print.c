/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/urdf/print.c - any robot as URDF. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/json/text.h"
#include "api/robots/parsed.h"
#include "api/robots/rotation.h"
#include "api/robots/urdf/urdf.h"

static bool has_one_freedom(const tq_joint *joint)
{
    return tq_joint_kind_nv(joint->kind) == 1;
}

/* Text of an attribute. False when XML cannot hold it, or our reader would not take it. */
static bool put_attribute(tqa_json_text *text, const char *s)
{
    char one[16];
    bool good = strstr(s, "${") == NULL;
    for (const char *p = s; *p != '\0'; p++) {
        const unsigned char c = (unsigned char)*p;
        const bool noncharacter = c == 0xEF && (unsigned char)p[1] == 0xBF &&
                                  (unsigned char)p[2] >= 0xBE; /* U+FFFE, U+FFFF */
        good = good && (c >= 0x20 || c == '\t' || c == '\n' || c == '\r') && !noncharacter;
        if (c < 0x20 || c == '&' || c == '<' || c == '>' || c == '"') {
            (void)snprintf(one, sizeof one, "&#%u;", c);
        } else {
            (void)snprintf(one, sizeof one, "%c", (char)c);
        }
        tqa_json_text_raw(text, one);
    }
    return good;
}

static void put_number(tqa_json_text *text, const char *key, double x)
{
    tqa_json_text_raw(text, " ");
    tqa_json_text_raw(text, key);
    tqa_json_text_raw(text, "=\"");
    tqa_json_text_number(text, x);
    tqa_json_text_raw(text, "\"");
}

static void put_three(tqa_json_text *text, const char *key, const double x[3])
{
    tqa_json_text_raw(text, " ");
    tqa_json_text_raw(text, key);
    tqa_json_text_raw(text, "=\"");
    for (int k = 0; k < 3; k++) {
        tqa_json_text_raw(text, k > 0 ? " " : "");
        tqa_json_text_number(text, x[k]);
    }
    tqa_json_text_raw(text, "\"");
}

static void put_link(tqa_json_text *text, const tqa_robot *robot, uint32_t l)
{
    static const char *const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    static const double zero[3] = {0.0, 0.0, 0.0};
    const tq_inertia *inertia = &robot->model->links[l].inertia;
    bool massless = inertia->mass == 0.0;
    for (int k = 0; k < 6; k++) {
        massless = massless && inertia->about_com[k] == 0.0 && inertia->com[k / 2] == 0.0;
    }
    tqa_json_text_raw(text, "  <link name=\"");
    (void)put_attribute(text, robot->link_names[l]);
    if (massless) {
        tqa_json_text_raw(text, "\"/>\n");
        return;
    }
    tqa_json_text_raw(text, "\">\n    <inertial>\n      <origin");
    put_three(text, "xyz", inertia->com);
    put_three(text, "rpy", zero);
    tqa_json_text_raw(text, "/>\n      <mass");
    put_number(text, "value", inertia->mass);
    tqa_json_text_raw(text, "/>\n      <inertia");
    for (int k = 0; k < 6; k++) {
        put_number(text, names[k], inertia->about_com[k]);
    }
    tqa_json_text_raw(text, "/>\n    </inertial>\n  </link>\n");
}

static double finite_limit(double limit)
{
    return isfinite(limit) ? limit : limit < 0.0 ? -TQA_URDF_NO_LIMIT : TQA_URDF_NO_LIMIT;
}

/* A revolute joint without bounds is what URDF calls continuous. */
static tq_joint_kind told_kind(const tq_joint *joint)
{
    const bool unbounded = !isfinite(joint->limits.lower) && !isfinite(joint->limits.upper);
    return joint->kind == TQ_JOINT_REVOLUTE && unbounded ? TQ_JOINT_CONTINUOUS : joint->kind;
}

static bool has_more_friction(const tq_friction *f)
{
    return f->breakaway != 0.0 || f->stribeck_velocity != 0.0 || f->smoothing != 0.0 ||
           f->offset != 0.0;
}

static bool has_spring(const tq_joint *joint)
{
    return joint->spring.stiffness != 0.0 || joint->spring.rest != 0.0;
}

static bool has_rotor(const tq_joint *joint)
{
    return joint->rotor.inertia != 0.0 || joint->rotor.ratio != 1.0;
}

static bool has_turn_limits(const tq_joint *joint)
{
    return joint->kind == TQ_JOINT_CONTINUOUS &&
           (isfinite(joint->limits.lower) || isfinite(joint->limits.upper));
}

/* What only our own reader understands. */
static void put_extension(tqa_json_text *text, const tq_joint *joint)
{
    const tq_friction *f = &joint->friction;
    if (has_more_friction(f)) {
        tqa_json_text_raw(text, "    <torqued:friction");
        put_number(text, "breakaway", f->breakaway);
        put_number(text, "stribeck_velocity", f->stribeck_velocity);
        put_number(text, "smoothing", f->smoothing);
        put_number(text, "offset", f->offset);
        tqa_json_text_raw(text, "/>\n");
    }
    if (has_spring(joint)) {
        tqa_json_text_raw(text, "    <torqued:spring");
        put_number(text, "stiffness", joint->spring.stiffness);
        put_number(text, "rest", joint->spring.rest);
        tqa_json_text_raw(text, "/>\n");
    }
    if (has_rotor(joint)) {
        tqa_json_text_raw(text, "    <torqued:rotor");
        put_number(text, "inertia", joint->rotor.inertia);
        put_number(text, "ratio", joint->rotor.ratio);
        tqa_json_text_raw(text, "/>\n");
    }
    if (has_turn_limits(joint)) {
        tqa_json_text_raw(text, "    <torqued:limits");
        put_number(text, "lower", finite_limit(joint->limits.lower));
        put_number(text, "upper", finite_limit(joint->limits.upper));
        tqa_json_text_raw(text, "/>\n");
    }
}

static void put_drive(tqa_json_text *text, const tqa_robot *robot, const tq_joint *joint)
{
    const bool bounded = told_kind(joint) != TQ_JOINT_CONTINUOUS;
    if (bounded || isfinite(joint->limits.velocity) || isfinite(joint->limits.effort)) {
        tqa_json_text_raw(text, "    <limit");
        if (bounded) {
            put_number(text, "lower", finite_limit(joint->limits.lower));
            put_number(text, "upper", finite_limit(joint->limits.upper));
        }
        put_number(text, "effort", finite_limit(joint->limits.effort));
        put_number(text, "velocity", finite_limit(joint->limits.velocity));
        tqa_json_text_raw(text, "/>\n");
    }
    if (joint->friction.viscous != 0.0 || joint->friction.coulomb != 0.0) {
        tqa_json_text_raw(text, "    <dynamics");
        put_number(text, "damping", joint->friction.viscous);
        put_number(text, "friction", joint->friction.coulomb);
        tqa_json_text_raw(text, "/>\n");
    }
    if (joint->mimic != TQ_NONE) {
        tqa_json_text_raw(text, "    <mimic joint=\"");
        (void)put_attribute(text, robot->joint_names[joint->mimic]);
        tqa_json_text_raw(text, "\"");
        put_number(text, "multiplier", joint->mimic_multiplier);
        put_number(text, "offset", joint->mimic_offset);
        tqa_json_text_raw(text, "/>\n");
    }
    put_extension(text, joint);
}

static void put_joint(tqa_json_text *text, const tqa_robot *robot, uint32_t i)
{
    const tq_joint *joint = &robot->model->joints[i];
    double rpy[3];
    const double *written = robot->joint_rpy != NULL ? robot->joint_rpy + 3 * (size_t)i : NULL;
    if (written != NULL && !isnan(written[0])) {
        memcpy(rpy, written, sizeof rpy);
    } else {
        tqa_rotation_to_rpy(joint->origin.r, rpy);
    }
    tqa_json_text_raw(text, "  <joint name=\"");
    (void)put_attribute(text, robot->joint_names[i]);
    tqa_json_text_raw(text, "\" type=\"");
    tqa_json_text_raw(text, tqa_joint_kind_name(told_kind(joint)));
    tqa_json_text_raw(text, "\">\n    <parent link=\"");
    (void)put_attribute(text, robot->link_names[joint->parent]);
    tqa_json_text_raw(text, "\"/>\n    <child link=\"");
    (void)put_attribute(text, robot->link_names[joint->child]);
    tqa_json_text_raw(text, "\"/>\n    <origin");
    put_three(text, "xyz", joint->origin.p);
    put_three(text, "rpy", rpy);
    tqa_json_text_raw(text, "/>\n");
    if (has_one_freedom(joint) || joint->kind == TQ_JOINT_PLANAR) {
        tqa_json_text_raw(text, "    <axis");
        put_three(text, "xyz", joint->axis);
        tqa_json_text_raw(text, "/>\n");
    }
    if (has_one_freedom(joint)) {
        put_drive(text, robot, joint);
    }
    tqa_json_text_raw(text, "  </joint>\n");
}

/* Why the robot cannot be written as URDF; false: it can. */
static bool find_obstacle(const tqa_robot *robot, const char *name, tqa_problem *reterr)
{
    tqa_json_text sink = {0};
    const tq_model *model = robot->model;
    const char *obstacle = put_attribute(&sink, name) ? NULL : name;
    const char *why = "has a name that XML cannot hold";
    for (uint32_t l = 0; l < model->n_link && obstacle == NULL; l++) {
        obstacle = put_attribute(&sink, robot->link_names[l]) ? NULL : robot->link_names[l];
    }
    for (uint32_t i = 0; i < model->n_joint && obstacle == NULL; i++) {
        obstacle = put_attribute(&sink, robot->joint_names[i]) ? NULL : robot->joint_names[i];
        if (obstacle == NULL && model->joints[i].kind == TQ_JOINT_SPHERICAL) {
            obstacle = robot->joint_names[i];
            why = "is a spherical joint, which URDF does not have";
        }
    }
    free(tqa_json_text_take(&sink, &(size_t){0}));
    if (obstacle == NULL && robot->constraints != NULL) {
        obstacle = name;
        why = "has constraints or joints without a drive, for which URDF has no words";
    }
    if (obstacle != NULL) {
        tqa_problem_set(reterr, "not-acceptable", "\"%.80s\" %s: ask for application/json",
                        obstacle, why);
    }
    return obstacle != NULL;
}

/* What other programs will not see, for people. */
static void put_comment(tqa_json_text *text, const tqa_robot *robot)
{
    const tq_model *model = robot->model;
    unsigned drives = 0;
    unsigned springs = 0;
    unsigned frictions = 0;
    unsigned rotors = 0;
    unsigned turns = 0;
    for (uint32_t i = 0; i < model->n_joint; i++) {
        const tq_joint *joint = &model->joints[i];
        springs += has_one_freedom(joint) && has_spring(joint);
        frictions += has_one_freedom(joint) && has_more_friction(&joint->friction);
        rotors += has_one_freedom(joint) && has_rotor(joint);
        turns += has_turn_limits(joint);
        drives += tqa_robot_drive(robot, i) != NULL;
    }
    const double *g = model->gravity;
    const bool other_gravity = g[0] != 0.0 || g[1] != 0.0 || g[2] != -9.81;
    char line[512];
    (void)snprintf(line, sizeof line,
                   "<!-- Written by torqued. URDF itself cannot say, so that only the elements\n"
                   "     torqued:... tell, which other programs pass over: gravity%s, springs of "
                   "%u joints,\n     friction beyond damping and Coulomb's of %u, rotors of %u, "
                   "limits of %u continuous joints. -->\n",
                   other_gravity ? "" : " (as usual)", springs, frictions, rotors, turns);
    tqa_json_text_raw(text, line);
    if (drives > 0) {
        (void)snprintf(
            line, sizeof line,
            "<!-- Not expressed at all: motors and amplifiers of %u joints. The motors' friction "
            "is in\n     the damping, their inertia in the rotors. -->\n",
            drives);
        tqa_json_text_raw(text, line);
    }
}

char *tqa_robot_urdf(const tqa_robot *robot, const char *name, size_t *ret_n, tqa_problem *reterr)
{
    tqa_json_text text = {0};
    const tq_model *model = robot->model;
    reterr->status = 0;
    reterr->n_fault = 0;
    if (find_obstacle(robot, name, reterr)) {
        return NULL;
    }
    tqa_json_text_raw(&text, "<?xml version=\"1.0\"?>\n");
    put_comment(&text, robot);
    tqa_json_text_raw(&text, "<robot name=\"");
    (void)put_attribute(&text, name);
    tqa_json_text_raw(&text, "\" xmlns:torqued=\"urn:torqued:robot\">\n  <torqued:gravity");
    put_three(&text, "xyz", model->gravity);
    tqa_json_text_raw(&text, "/>\n");
    for (uint32_t l = 0; l < model->n_link; l++) {
        put_link(&text, robot, l);
    }
    for (uint32_t i = 0; i < model->n_joint; i++) {
        put_joint(&text, robot, i);
    }
    tqa_json_text_raw(&text, "</robot>\n");
    char *bytes = tqa_json_text_take(&text, ret_n);
    if (bytes == NULL) {
        tqa_problem_set(reterr, "busy", "memory is short");
    }
    return bytes;
}
