/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/urdf/build.c - from the rows of a URDF to links and joints with numbers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/robots/urdf/parts.h"
#include "api/robots/urdf/urdf.h"
#include "core/model/inertia.h"
#include "core/spatial/rotation.h"

/* The inertia in the link's own axes: com = xyz, tensor turned by rpy. */
static tq_inertia link_inertia(const tqa_urdf_link *link)
{
    tq_inertia inertia = {.mass = link->mass};
    memcpy(inertia.about_com, link->inertia, sizeof inertia.about_com);
    const bool turned = link->rpy[0] != 0.0 || link->rpy[1] != 0.0 || link->rpy[2] != 0.0;
    if (turned) {
        tq_pose pose = {.p = {0.0, 0.0, 0.0}};
        tq_rotation_from_rpy(link->rpy, pose.r);
        inertia = tq_inertia_move(&inertia, &pose);
    }
    memcpy(inertia.com, link->xyz, sizeof inertia.com);
    return inertia;
}

static bool allocate(tqa_urdf_file *file)
{
    tqa_draft *draft = file->draft;
    tq_model *model = &draft->model;
    model->n_link = (uint32_t)file->n_link;
    model->n_joint = (uint32_t)file->n_joint;
    const char **link_names =
        tqa_arena_take(draft->arena, file->n_link, sizeof *link_names, sizeof *link_names);
    const char **joint_names =
        tqa_arena_take(draft->arena, file->n_joint, sizeof *joint_names, sizeof *joint_names);
    model->links = tqa_arena_take(draft->arena, file->n_link, sizeof *model->links, 16);
    model->joints = tqa_arena_take(draft->arena, file->n_joint, sizeof *model->joints, 16);
    model->order = tqa_arena_take(draft->arena, file->n_joint, sizeof *model->order, 16);
    draft->joint_rpy = tqa_arena_take(draft->arena, file->n_joint, 3 * sizeof(double), 16);
    if (tqa_arena_spent(draft->arena)) {
        return false;
    }
    for (size_t i = 0; i < file->n_link; i++) {
        link_names[i] = file->links[i].name;
    }
    for (size_t i = 0; i < file->n_joint; i++) {
        joint_names[i] = file->joints[i].name;
    }
    draft->link_names = link_names;
    draft->joint_names = joint_names;
    return true;
}

/* The number of the link that a joint names, or TQ_NONE with a fault. */
static uint32_t resolve_link(tqa_urdf_file *file, uint32_t i, const char *role, const char *name)
{
    tqa_draft *draft = file->draft;
    char place[TQA_POINTER_TEXT];
    char hint[TQA_PROBLEM_TEXT];
    tqa_draft_joint_place(draft, i, name != NULL ? role : "", place);
    if (name == NULL) {
        (void)snprintf(hint, sizeof hint, "add <%s link=\"...\"/> with the name of a link", role);
        tqa_draft_fault(draft, "missing-field", place, hint, "line %lu: the joint has no <%s>",
                        file->joints[i].line, role);
        return TQ_NONE;
    }
    const uint32_t link = tqa_names_find(&draft->links, name, strlen(name));
    if (link == TQ_NONE) {
        (void)snprintf(hint, sizeof hint, "add <link name=\"%s\"/>, or name a link that is there",
                       name);
        tqa_draft_fault(draft, "unknown-name", place, hint, "line %lu: there is no link \"%s\"",
                        file->joints[i].line, name);
    }
    return link;
}

static bool has_one_freedom(tq_joint_kind kind)
{
    return kind == TQ_JOINT_REVOLUTE || kind == TQ_JOINT_CONTINUOUS || kind == TQ_JOINT_PRISMATIC;
}

static void resolve_mimic(tqa_urdf_file *file, uint32_t i, tq_joint *joint)
{
    tqa_draft *draft = file->draft;
    const tqa_urdf_joint *row = &file->joints[i];
    joint->mimic = TQ_NONE;
    if (row->mimic == NULL) {
        return;
    }
    if (row->kind == TQ_JOINT_FIXED) { /* follows nothing, whatever it names */
        tqa_draft_find(draft, TQA_FINDING_IGNORED,
                       tqa_arena_format(draft->arena, "joint/mimic (line %lu)", row->line),
                       "a fixed joint follows nothing", 1);
        return;
    }
    char place[TQA_POINTER_TEXT];
    tqa_draft_joint_place(draft, i, "mimic", place);
    const uint32_t master = tqa_names_find(&draft->joints, row->mimic, strlen(row->mimic));
    const char *hint = "remove <mimic>, or name another joint that moves with one freedom";
    if (master == TQ_NONE) {
        tqa_draft_fault(draft, "unknown-name", place, hint, "line %lu: there is no joint \"%s\"",
                        row->line, row->mimic);
    } else if (!has_one_freedom(row->kind) || !has_one_freedom(file->joints[master].kind)) {
        tqa_draft_fault(draft, "tree", place, hint,
                        "line %lu: only a revolute, continuous or prismatic joint can follow "
                        "another of these, and \"%s\" is %s",
                        row->line, has_one_freedom(row->kind) ? row->mimic : row->name,
                        "of another kind");
    } else if (master == i) {
        tqa_draft_fault(draft, "tree", place, hint, "line %lu: the joint follows itself",
                        row->line);
    } else if (file->joints[master].mimic != NULL) {
        tqa_draft_fault(draft, "tree", place,
                        "name the joint at the head of the chain and multiply the multipliers",
                        "line %lu: joint \"%s\" follows another joint itself", row->line,
                        row->mimic);
    } else {
        joint->mimic = master;
        joint->mimic_multiplier = row->multiplier;
        joint->mimic_offset = row->offset;
    }
}

static void fill_limits(tqa_urdf_file *file, uint32_t i, tq_joint *joint)
{
    const tqa_urdf_joint *row = &file->joints[i];
    const double none = (double)INFINITY;
    joint->limits = (tq_limits){.lower = -none, .upper = none, .velocity = none, .effort = none};
    if (row->has_limit) {
        joint->limits = row->limits;
    }
    if (row->kind != TQ_JOINT_REVOLUTE && row->kind != TQ_JOINT_PRISMATIC) {
        joint->limits.lower = -none;
        joint->limits.upper = none;
    } else if (!row->has_limit) {
        tqa_draft_find(file->draft, TQA_FINDING_DOCTOR,
                       tqa_arena_format(file->draft->arena, "joint %s", row->name),
                       "has no <limit>, which URDF requires: read as unlimited", 1);
    }
}

static void fill_joint(tqa_urdf_file *file, uint32_t i)
{
    tqa_draft *draft = file->draft;
    const tqa_urdf_joint *row = &file->joints[i];
    tq_joint *joint = &draft->model.joints[i];
    joint->kind = row->kind;
    joint->parent = resolve_link(file, i, "parent", row->parent);
    joint->child = resolve_link(file, i, "child", row->child);
    tq_rotation_from_rpy(row->rpy, joint->origin.r);
    memcpy(draft->joint_rpy + 3 * (size_t)i, row->rpy, sizeof row->rpy);
    memcpy(joint->origin.p, row->xyz, sizeof joint->origin.p);
    memcpy(joint->axis, row->axis, sizeof joint->axis);
    const bool uses_axis = has_one_freedom(row->kind) || row->kind == TQ_JOINT_PLANAR;
    if (!uses_axis) {
        memcpy(joint->axis, (const double[3]){1.0, 0.0, 0.0}, sizeof joint->axis);
    } else if (row->axis[0] == 0.0 && row->axis[1] == 0.0 && row->axis[2] == 0.0) {
        char place[TQA_POINTER_TEXT];
        tqa_draft_joint_place(draft, i, "axis", place);
        tqa_draft_fault(draft, "range", place, "write the direction of the axis, such as 0 0 1",
                        "line %lu: the axis is zero", row->line);
    }
    joint->friction = (tq_friction){.viscous = row->damping, .coulomb = row->friction};
    if (!has_one_freedom(row->kind) && (row->damping != 0.0 || row->friction != 0.0)) {
        joint->friction = (tq_friction){.viscous = 0.0};
        tqa_draft_find(draft, TQA_FINDING_IGNORED,
                       tqa_arena_format(draft->arena, "joint %s/dynamics", row->name),
                       "friction acts only on joints of one freedom", 1);
    }
    joint->rotor.ratio = 1.0;
    fill_limits(file, i, joint);
    if (has_one_freedom(row->kind)) {
        tqa_urdf_fill_extension(row, joint);
    } else if (row->extended) {
        tqa_draft_find(draft, TQA_FINDING_IGNORED,
                       tqa_arena_format(draft->arena, "joint %s/torqued:...", row->name),
                       "acts only on joints of one freedom", 1);
    }
    resolve_mimic(file, i, joint);
}

/* Rotor inertia through the reduction of a transmission that drives one joint. */
static void fill_rotors(tqa_urdf_file *file)
{
    tqa_draft *draft = file->draft;
    for (size_t t = 0; t < file->n_transmission; t++) {
        const tqa_urdf_transmission *row = &file->transmissions[t];
        const char *where = tqa_arena_format(draft->arena, "transmission (line %lu)", row->line);
        const uint32_t i = row->joint != NULL && row->n_joint == 1
                               ? tqa_names_find(&draft->joints, row->joint, strlen(row->joint))
                               : TQ_NONE;
        if (i == TQ_NONE || !has_one_freedom(draft->model.joints[i].kind)) {
            tqa_draft_find(draft, TQA_FINDING_IGNORED, where,
                           "does not drive exactly one joint of one freedom that is there", 1);
            continue;
        }
        if (row->rotor_inertia == 0.0) {
            tqa_draft_find(draft, TQA_FINDING_IGNORED, where,
                           row->is_reduction_text
                               ? "its mechanicalReduction is no number, and it has no rotor inertia"
                               : "has no rotor inertia, so its reduction has no effect",
                           1);
            continue;
        }
        if (row->is_reduction_text) {
            tqa_draft_fault(draft, "malformed", "/robot/transmission",
                            "write the ratio of the gear, such as 100",
                            "line %lu: mechanicalReduction is no number", row->line);
            continue;
        }
        tq_rotor *rotor = &draft->model.joints[i].rotor;
        rotor->inertia = row->rotor_inertia;
        rotor->ratio = row->reduction != 0.0 ? row->reduction : 1.0;
    }
}

/* torqued:passive */
static void fill_actuated(tqa_urdf_file *file)
{
    tqa_draft *draft = file->draft;
    bool any = false;
    for (size_t i = 0; i < file->n_joint; i++) {
        any = any || file->joints[i].passive;
    }
    draft->actuated =
        any ? tqa_arena_take(draft->arena, file->n_joint + 1, sizeof *draft->actuated, 1) : NULL;
    for (size_t i = 0; draft->actuated != NULL && i < file->n_joint; i++) {
        draft->actuated[i] = !file->joints[i].passive;
    }
}

/* Resolves names and fills the draft's model (urdf_build.c). False: faults were added. */
static bool build_model(tqa_urdf_file *file)
{
    tqa_draft *draft = file->draft;
    if (file->n_link == 0) {
        tqa_draft_fault(draft, "invalid-robot", "/robot", "add a <link name=\"base\"/>",
                        "the robot has no link");
        return false;
    }
    if (!allocate(file)) {
        return tqa_draft_no_memory(draft);
    }
    if (!tqa_draft_index(draft)) {
        return false;
    }
    for (uint32_t i = 0; i < draft->model.n_link; i++) {
        draft->model.links[i].inertia = link_inertia(&file->links[i]);
        draft->model.links[i].gravity_compensation = file->links[i].carried;
    }
    for (uint32_t i = 0; i < draft->model.n_joint; i++) {
        fill_joint(file, i);
    }
    fill_rotors(file);
    fill_actuated(file);
    return draft->problem->status == 0;
}

void tqa_urdf_report_ignored(tqa_urdf_file *file)
{
    tqa_draft *draft = file->draft;
    for (size_t i = 0; i < file->n_ignored; i++) {
        const tqa_urdf_ignored *row = &file->ignored[i];
        tqa_draft_find(draft, TQA_FINDING_IGNORED,
                       tqa_arena_format(draft->arena, "%s (line %lu)", row->path, row->line),
                       row->text, row->count);
    }
}

bool tqa_urdf_read_from(tqa_draft *draft, tqa_urdf_source *source, void *ctx)
{
    tqa_urdf_file *file = tqa_arena_take(draft->arena, 1, sizeof *file, 16);
    if (file == NULL) {
        return tqa_draft_no_memory(draft);
    }
    file->draft = draft;
    draft->source = "urdf";
    draft->xml = true;
    draft->name = "";
    draft->model.gravity[2] = -9.81;
    if (!tqa_urdf_read_elements(file, source, ctx) || !build_model(file)) {
        return false;
    }
    tqa_urdf_report_ignored(file);
    return true;
}
