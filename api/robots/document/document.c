/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/document/document.c - prints the robot document, and the report on reading it. */
#include <math.h>

#include "api/codec/writer.h"
#include "api/robots/document/drive_fields.h"
#include "api/robots/document/parts.h"
#include "api/robots/draft.h"
#include "api/robots/log_law.h"
#include "api/robots/parsed.h"

/* columns of the lines of the root, of the members of its lists, and of their further lines */
enum { ROOT = 1, MEMBER = 4, INNER = 5 };

/* when the number is finite: an absent limit is not printed */
static void put_finite(tqa_writer *to, const char *key, double x)
{
    if (isfinite(x)) {
        tqa_writer_number(to, key, x);
    }
}

static void put_slice(tqa_writer *to, const char *key, uint32_t index, uint32_t count)
{
    tqa_writer_object(to, key);
    tqa_writer_count(to, "index", index);
    tqa_writer_count(to, "count", count);
    tqa_writer_end(to);
}

static void put_limits(tqa_writer *to, const tq_limits *limits)
{
    tqa_writer_line(to, INNER);
    tqa_writer_object(to, "limits");
    put_finite(to, "lower", limits->lower);
    put_finite(to, "upper", limits->upper);
    put_finite(to, "velocity", limits->velocity);
    put_finite(to, "effort", limits->effort);
    tqa_writer_end(to);
}

static void put_log_law(tqa_writer *to, tq_log_law law)
{
    double *numbers[TQA_LOG_LAW_NUMBERS];
    if (!law.is_there) {
        return;
    }
    tqa_log_law_numbers(&law, numbers);
    tqa_writer_line(to, INNER);
    tqa_writer_object(to, TQA_LOG_LAW);
    for (size_t k = 0; k < TQA_LOG_LAW_NUMBERS; k++) {
        tqa_writer_number(to, tqa_log_law_names[k], *numbers[k]);
    }
    tqa_writer_end(to);
}

/* What only a joint of one freedom has. */
static void put_drive(tqa_writer *to, const tqa_robot *robot, const tq_joint *joint)
{
    put_limits(to, &joint->limits);
    tqa_writer_number(to, "damping",
                      tqa_robot_damping(robot, (uint32_t)(joint - robot->model->joints)));
    tqa_writer_object(to, "friction");
    tqa_writer_number(to, "coulomb", joint->friction.coulomb);
    tqa_writer_number(to, "breakaway", joint->friction.breakaway);
    tqa_writer_number(to, "stribeck_velocity", joint->friction.stribeck_velocity);
    tqa_writer_number(to, "smoothing", joint->friction.smoothing);
    tqa_writer_number(to, "offset", joint->friction.offset);
    tqa_writer_end(to);
    put_log_law(to, joint->log_law);
    tqa_writer_line(to, INNER);
    tqa_writer_object(to, "spring");
    tqa_writer_number(to, "stiffness", joint->spring.stiffness);
    tqa_writer_number(to, "rest", joint->spring.rest);
    tqa_writer_end(to);
    tqa_writer_object(to, "rotor");
    tqa_writer_number(to, "inertia", joint->rotor.inertia);
    tqa_writer_number(to, "ratio", joint->rotor.ratio);
    tqa_writer_end(to);
    if (joint->mimic != TQ_NONE) {
        tqa_writer_object(to, "mimic");
        tqa_writer_string(to, "joint", robot->joint_names[joint->mimic]);
        tqa_writer_number(to, "multiplier", joint->mimic_multiplier);
        tqa_writer_number(to, "offset", joint->mimic_offset);
        tqa_writer_end(to);
    }
}

/* Of a spherical or floating joint, the same in every direction; only what there is. */
static void put_ball(tqa_writer *to, const tq_joint *joint)
{
    const bool floats = joint->kind == TQ_JOINT_FLOATING;
    const double *pose = joint->spring.pose;
    bool rests = false;
    for (int k = 0; k < 7; k++) {
        rests = rests || pose[k] != 0.0;
    }
    if (joint->friction.viscous != 0.0) {
        tqa_writer_number(to, "damping", joint->friction.viscous);
    }
    if (joint->spring.stiffness != 0.0) {
        tqa_writer_object(to, "spring");
        tqa_writer_number(to, "stiffness", joint->spring.stiffness);
        if (rests) {
            tqa_writer_vector(to, "rest_pose", floats ? pose : pose + 3, floats ? 7 : 4);
        }
        tqa_writer_end(to);
    }
    if (joint->rotor.inertia != 0.0) {
        tqa_writer_object(to, "rotor");
        tqa_writer_number(to, "inertia", joint->rotor.inertia);
        tqa_writer_number(to, "ratio", joint->rotor.ratio);
        tqa_writer_end(to);
    }
}

static void put_origin(tqa_writer *to, const tqa_robot *robot, uint32_t i)
{
    const tq_joint *joint = &robot->model->joints[i];
    const double *rpy = robot->joint_rpy != NULL ? robot->joint_rpy + 3 * (size_t)i : NULL;
    tqa_writer_line(to, INNER);
    tqa_writer_object(to, "origin");
    tqa_writer_vector(to, "position", joint->origin.p, 3);
    tqa_writer_matrix(to, "rotation", joint->origin.r, 3, 3);
    if (rpy != NULL && !isnan(rpy[0])) {
        tqa_writer_vector(to, "rpy", rpy, 3);
    }
    tqa_writer_end(to);
}

static void put_joint(tqa_writer *to, const tqa_robot *robot, uint32_t i)
{
    const tq_joint *joint = &robot->model->joints[i];
    const uint32_t freedoms = tq_joint_kind_nv(joint->kind);
    tqa_writer_line(to, MEMBER);
    tqa_writer_object(to, NULL);
    tqa_writer_string(to, "name", robot->joint_names[i]);
    tqa_writer_string(to, "kind", tqa_joint_kind_name(joint->kind));
    tqa_writer_string(to, "parent", robot->link_names[joint->parent]);
    tqa_writer_string(to, "child", robot->link_names[joint->child]);
    put_origin(to, robot, i);
    if (freedoms == 1 || joint->kind == TQ_JOINT_PLANAR) {
        tqa_writer_vector(to, "axis", joint->axis, 3);
    }
    tqa_writer_line(to, INNER);
    put_slice(to, "q", joint->q_index, joint->nq);
    put_slice(to, "v", joint->v_index, joint->nv);
    if (freedoms == 1) {
        put_drive(to, robot, joint);
        tqa_document_put_motor(to, tqa_robot_drive(robot, i));
    } else if (joint->kind == TQ_JOINT_SPHERICAL || joint->kind == TQ_JOINT_FLOATING) {
        put_ball(to, joint);
    }
    tqa_writer_end(to);
}

static void put_link(tqa_writer *to, const tqa_robot *robot, uint32_t l)
{
    const tq_inertia *inertia = &robot->model->links[l].inertia;
    tqa_writer_line(to, MEMBER);
    tqa_writer_object(to, NULL);
    tqa_writer_string(to, "name", robot->link_names[l]);
    tqa_writer_number(to, "mass", inertia->mass);
    tqa_writer_vector(to, "com", inertia->com, 3);
    tqa_writer_line(to, INNER);
    tqa_writer_symmetric(to, "inertia", inertia->about_com);
    tqa_writer_string(to, "inertia_about", "com");
    tqa_document_put_drag(to, &robot->model->links[l].drag);
    if (robot->model->links[l].gravity_compensation != 0.0) {
        tqa_writer_number(to, "gravity_compensation", robot->model->links[l].gravity_compensation);
    }
    tqa_writer_end(to);
}

static void put_findings(tqa_writer *to, const tqa_robot *robot, const char *key,
                         tqa_finding_kind kind)
{
    tqa_writer_line(to, ROOT);
    tqa_writer_list(to, key);
    for (size_t i = 0; i < robot->n_finding; i++) {
        const tqa_finding *finding = &robot->findings[i];
        if (finding->kind != kind) {
            continue;
        }
        tqa_writer_line(to, MEMBER);
        tqa_writer_object(to, NULL);
        tqa_writer_string(to, "where", finding->where);
        tqa_writer_string(to, "text", finding->text);
        tqa_writer_count(to, "count", finding->count);
        tqa_writer_end(to);
    }
    tqa_writer_end(to);
}

static void put_head(tqa_writer *to, const tqa_robot *robot, const char *name)
{
    const tq_model *model = robot->model;
    tqa_writer_string(to, "name", name);
    if (robot->description[0] != '\0') {
        tqa_writer_line(to, ROOT);
        tqa_writer_string(to, "description", robot->description);
    }
    tqa_writer_line(to, ROOT);
    tqa_writer_string(to, "source", robot->source);
    tqa_writer_string(to, "digest", robot->digest);
    tqa_writer_line(to, ROOT);
    tqa_writer_count(to, "nq", model->nq);
    tqa_writer_count(to, "nv", model->nv);
    tqa_writer_string(to, "root", robot->link_names[model->root]);
    tqa_writer_vector(to, "gravity", model->gravity, 3);
    tqa_document_put_medium(to, &model->medium);
}

static char *print(const tqa_robot *robot, const char *name, bool report, size_t *ret_n)
{
    tqa_writer to = {.is_spaced = true};
    const tq_model *model = robot->model;
    tqa_writer_object(&to, NULL);
    put_head(&to, robot, name);
    tqa_writer_line(&to, ROOT);
    tqa_writer_list(&to, "joints");
    for (uint32_t i = 0; i < model->n_joint; i++) {
        put_joint(&to, robot, i);
    }
    tqa_writer_end(&to);
    tqa_writer_line(&to, ROOT);
    tqa_writer_list(&to, "links");
    for (uint32_t l = 0; l < model->n_link; l++) {
        put_link(&to, robot, l);
    }
    tqa_writer_end(&to);
    tqa_document_print_constraints(&to, robot);
    tqa_document_put_tendons(&to, robot);
    if (report) {
        put_findings(&to, robot, "understood", TQA_FINDING_UNDERSTOOD);
        put_findings(&to, robot, "ignored", TQA_FINDING_IGNORED);
        put_findings(&to, robot, "doctor", TQA_FINDING_DOCTOR);
    }
    tqa_writer_end(&to);
    tqa_writer_finish(&to);
    return tqa_writer_take(&to, ret_n);
}

char *tqa_robot_document(const tqa_robot *robot, const char *name, size_t *ret_n)
{
    return print(robot, name, false, ret_n);
}

char *tqa_robot_report(const tqa_robot *robot, const char *name, size_t *ret_n)
{
    return print(robot, name, true, ret_n);
}
