/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/urdf/print.c - any robot as URDF. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/robots/parsed.h"
#include "api/robots/urdf/urdf.h"
#include "api/robots/xml_print.h"
#include "core/spatial/rotation.h"

static bool has_one_freedom(const tq_joint *joint)
{
    return tq_joint_kind_nv(joint->kind) == 1;
}

/* Our reader would take it for xacro. */
static bool is_expression(const char *name)
{
    return strstr(name, "${") != NULL;
}

static void put_inertial(tqa_json_text *text, const tq_inertia *inertia)
{
    static const char *const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    static const double zero[3] = {0.0, 0.0, 0.0};
    tqa_json_text_raw(text, "    <inertial>\n      <origin");
    tqa_xml_put_numbers(text, "xyz", inertia->com, 3);
    tqa_xml_put_numbers(text, "rpy", zero, 3);
    tqa_json_text_raw(text, "/>\n      <mass");
    tqa_xml_put_number(text, "value", inertia->mass);
    tqa_json_text_raw(text, "/>\n      <inertia");
    for (int k = 0; k < 6; k++) {
        tqa_xml_put_number(text, names[k], inertia->about_com[k]);
    }
    tqa_json_text_raw(text, "/>\n    </inertial>\n");
}

static void put_link(tqa_json_text *text, const tqa_robot *robot, uint32_t l)
{
    const tq_inertia *inertia = &robot->model->links[l].inertia;
    const double share = robot->model->links[l].gravity_compensation;
    bool massless = inertia->mass == 0.0;
    for (int k = 0; k < 6; k++) {
        massless = massless && inertia->about_com[k] == 0.0 && inertia->com[k / 2] == 0.0;
    }
    tqa_json_text_raw(text, "  <link name=\"");
    (void)tqa_xml_put_text(text, robot->link_names[l]);
    if (massless && share == 0.0) {
        tqa_json_text_raw(text, "\"/>\n");
        return;
    }
    tqa_json_text_raw(text, "\">\n");
    if (!massless) {
        put_inertial(text, inertia);
    }
    if (share != 0.0) {
        tqa_json_text_raw(text, "    <" TQA_XML_CARRIED);
        tqa_xml_put_number(text, "share", share);
        tqa_json_text_raw(text, "/>\n");
    }
    tqa_json_text_raw(text, "  </link>\n");
}

/* what is read again as a limit */
static bool is_limit(double limit)
{
    return fabs(limit) < TQA_URDF_NO_LIMIT;
}

static double finite_limit(double limit)
{
    return is_limit(limit) ? limit : copysign(TQA_URDF_NO_LIMIT, limit);
}

/* A revolute joint without bounds is what URDF calls continuous. */
static tq_joint_kind kind_of(const tq_joint *joint)
{
    const bool unbounded = !is_limit(joint->limits.lower) && !is_limit(joint->limits.upper);
    return joint->kind == TQ_JOINT_REVOLUTE && unbounded ? TQ_JOINT_CONTINUOUS : joint->kind;
}

/* Elements that only our own reader understands. */
static void put_extension(tqa_json_text *text, const tq_joint *joint)
{
    const tq_friction *f = &joint->friction;
    if (tqa_xml_has_friction(f)) {
        tqa_json_text_raw(text, "    <torqued:friction");
        tqa_xml_put_number(text, "breakaway", f->breakaway);
        tqa_xml_put_number(text, "stribeck_velocity", f->stribeck_velocity);
        tqa_xml_put_number(text, "smoothing", f->smoothing);
        tqa_xml_put_number(text, "offset", f->offset);
        tqa_json_text_raw(text, "/>\n");
    }
    tqa_xml_put_log_law(text, "    ", joint->log_law);
    if (tqa_xml_has_spring(joint)) {
        tqa_json_text_raw(text, "    <torqued:spring");
        tqa_xml_put_number(text, "stiffness", joint->spring.stiffness);
        tqa_xml_put_number(text, "rest", joint->spring.rest);
        tqa_json_text_raw(text, "/>\n");
    }
    if (tqa_xml_has_rotor(joint)) {
        tqa_json_text_raw(text, "    <torqued:rotor");
        tqa_xml_put_number(text, "inertia", joint->rotor.inertia);
        tqa_xml_put_number(text, "ratio", joint->rotor.ratio);
        tqa_json_text_raw(text, "/>\n");
    }
    if (tqa_xml_has_turn_limits(joint)) {
        tqa_json_text_raw(text, "    <torqued:limits");
        tqa_xml_put_number(text, "lower", finite_limit(joint->limits.lower));
        tqa_xml_put_number(text, "upper", finite_limit(joint->limits.upper));
        tqa_json_text_raw(text, "/>\n");
    }
}

static void put_drive(tqa_json_text *text, const tqa_robot *robot, const tq_joint *joint)
{
    const bool bounded = kind_of(joint) != TQ_JOINT_CONTINUOUS;
    if (bounded || is_limit(joint->limits.velocity) || is_limit(joint->limits.effort)) {
        tqa_json_text_raw(text, "    <limit");
        if (bounded) {
            tqa_xml_put_number(text, "lower", finite_limit(joint->limits.lower));
            tqa_xml_put_number(text, "upper", finite_limit(joint->limits.upper));
        }
        tqa_xml_put_number(text, "effort", finite_limit(joint->limits.effort));
        tqa_xml_put_number(text, "velocity", finite_limit(joint->limits.velocity));
        tqa_json_text_raw(text, "/>\n");
    }
    if (joint->friction.viscous != 0.0 || joint->friction.coulomb != 0.0) {
        tqa_json_text_raw(text, "    <dynamics");
        tqa_xml_put_number(text, "damping", joint->friction.viscous);
        tqa_xml_put_number(text, "friction", joint->friction.coulomb);
        tqa_json_text_raw(text, "/>\n");
    }
    if (joint->mimic != TQ_NONE) {
        tqa_json_text_raw(text, "    <mimic joint=\"");
        (void)tqa_xml_put_text(text, robot->joint_names[joint->mimic]);
        tqa_json_text_raw(text, "\"");
        tqa_xml_put_number(text, "multiplier", joint->mimic_multiplier);
        tqa_xml_put_number(text, "offset", joint->mimic_offset);
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
        tq_rotation_to_rpy(joint->origin.r, rpy);
    }
    tqa_json_text_raw(text, "  <joint name=\"");
    (void)tqa_xml_put_text(text, robot->joint_names[i]);
    tqa_json_text_raw(text, "\" type=\"");
    tqa_json_text_raw(text, tqa_joint_kind_name(kind_of(joint)));
    tqa_json_text_raw(text, "\">\n    <parent link=\"");
    (void)tqa_xml_put_text(text, robot->link_names[joint->parent]);
    tqa_json_text_raw(text, "\"/>\n    <child link=\"");
    (void)tqa_xml_put_text(text, robot->link_names[joint->child]);
    tqa_json_text_raw(text, "\"/>\n    <origin");
    tqa_xml_put_numbers(text, "xyz", joint->origin.p, 3);
    tqa_xml_put_numbers(text, "rpy", rpy, 3);
    tqa_json_text_raw(text, "/>\n");
    if (has_one_freedom(joint) || joint->kind == TQ_JOINT_PLANAR) {
        tqa_json_text_raw(text, "    <axis");
        tqa_xml_put_numbers(text, "xyz", joint->axis, 3);
        tqa_json_text_raw(text, "/>\n");
    }
    if (has_one_freedom(joint)) {
        put_drive(text, robot, joint);
    }
    if (robot->actuated != NULL && joint->nv > 0 && joint->mimic == TQ_NONE &&
        !robot->actuated[joint->v_index]) {
        tqa_json_text_raw(text, "    <torqued:passive/>\n");
    }
    tqa_json_text_raw(text, "  </joint>\n");
}

/* Why the robot cannot be written as URDF; false: it can. */
static bool find_obstacle(const tqa_robot *robot, const char *name, tqa_problem *reterr)
{
    const tq_model *model = robot->model;
    const char *obstacle = tqa_xml_bad_name(robot, name);
    const char *why = "has a name that XML cannot hold";
    obstacle = obstacle == NULL && is_expression(name) ? name : obstacle;
    for (uint32_t l = 0; l < model->n_link && obstacle == NULL; l++) {
        obstacle = is_expression(robot->link_names[l]) ? robot->link_names[l] : NULL;
    }
    for (uint32_t i = 0; i < model->n_joint && obstacle == NULL; i++) {
        obstacle = is_expression(robot->joint_names[i]) ? robot->joint_names[i] : NULL;
        if (obstacle == NULL && model->joints[i].kind == TQ_JOINT_SPHERICAL) {
            obstacle = robot->joint_names[i];
            why = "is a spherical joint, which URDF does not have";
        }
    }
    return obstacle != NULL ? tqa_xml_refuse(reterr, obstacle, why)
                            : tqa_xml_has_no_words(robot, name, "URDF", reterr);
}

/* ",\n     rotors of 7 joints"; nothing of none */
static void put_count(tqa_json_text *text, const char *what, unsigned n, const char *of)
{
    char line[128];
    if (n > 0) {
        (void)snprintf(line, sizeof line, ",\n     %s of %u %s", what, n, of);
        tqa_json_text_raw(text, line);
    }
}

/* A comment for people: parts that other programs ignore. */
static void put_comment(tqa_json_text *text, const tqa_robot *robot)
{
    tqa_xml_counts n;
    char line[512];
    tqa_xml_count(robot, &n);
    (void)snprintf(line, sizeof line,
                   "<!-- Written by torqued. URDF itself cannot say, so that only the elements\n"
                   "     torqued:... state, which other programs ignore: gravity%s",
                   n.other_gravity ? "" : " (as usual)");
    tqa_json_text_raw(text, line);
    put_count(text, "springs", n.springs, "joints");
    put_count(text, "friction beyond damping and Coulomb's", n.frictions, "joints");
    put_count(text, "rotors", n.rotors, "joints");
    put_count(text, "limits", n.turns, "continuous joints");
    put_count(text, "gravity compensation", n.carried, "links");
    if (tqa_xml_has_undriven(robot)) {
        tqa_json_text_raw(text, ",\n     which joints have no motor");
    }
    tqa_json_text_raw(text, ". -->\n");
    if (n.drives > 0) {
        (void)snprintf(
            line, sizeof line,
            "<!-- Not expressed at all: motors and amplifiers of %u joints. The motors' friction "
            "is in\n     the damping, their inertia in the rotors. -->\n",
            n.drives);
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
    (void)tqa_xml_put_text(&text, name);
    tqa_json_text_raw(&text, "\" xmlns:torqued=\"urn:torqued:robot\">\n  <torqued:gravity");
    tqa_xml_put_numbers(&text, "xyz", model->gravity, 3);
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
