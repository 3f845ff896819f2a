/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/surgery/change.c - changed parameters and drive of a joint; of a link, gravity or
 * the medium; a payload. */
#include <string.h>

#include "api/robots/surgery/surgery.h"

static const char *const nothing[] = {NULL};

/* Optional numbers of an object. */
static void read_group(const tqa_json_at *op, const char *name, const char *const *known,
                       double *const *values)
{
    const tqa_json_at at = tqa_json_field(op, name);
    if (at.value != NULL && tqa_json_is_object(&at)) {
        tqa_json_fields(&at, known, nothing);
        for (size_t k = 0; known[k] != NULL; k++) {
            tqa_json_optional(&at, known[k], values[k]);
        }
    }
}

/* A drive in place of the one before: the joint keeps its own damping, and a rotor that was the old
 * motor's goes with it. */
static void change_drive(tqa_surgery *s, const tqa_json_at *at, uint32_t j)
{
    tqa_joint_drive *room = &s->drives[j];
    tq_joint *joint = &s->joints[j];
    if (room->drive.motor.constant != 0.0) {
        joint->rotor = (tq_rotor){.ratio = 1.0};
    } else {
        room->damping = joint->friction.viscous;
    }
    tq_drive_init(&room->drive);
    tqa_document_read_drive(at, joint, &room->drive);
}

/* A number alone is Coulomb's friction, as in a document. */
static void read_friction(const tqa_json_at *op, tq_friction *ret)
{
    static const char *const known[] = {"coulomb",   "breakaway", "stribeck_velocity",
                                        "smoothing", "offset",    NULL};
    const tqa_json_at at = tqa_json_field(op, "friction");
    if (json_is_number(at.value)) {
        ret->coulomb = json_number_value(at.value);
        return;
    }
    read_group(op, "friction", known,
               (double *const[]){&ret->coulomb, &ret->breakaway, &ret->stribeck_velocity,
                                 &ret->smoothing, &ret->offset});
}

bool tqa_surgery_change_joint(tqa_surgery *s, const tqa_json_at *op)
{
    static const char *const known[] = {"op",    "joint",  "damping", "friction", "spring",
                                        "rotor", "limits", "drive",   NULL};
    static const char *const spring[] = {"stiffness", "rest", NULL};
    static const char *const rotor[] = {"inertia", "ratio", NULL};
    static const char *const limits[] = {"lower", "upper", "velocity", "effort", NULL};
    const tqa_json_at name = tqa_json_field(op, "joint");
    tqa_json_fields(op, known, nothing);
    const uint32_t j =
        tqa_document_resolve(&name, &s->draft->joints, "the name of a joint of one freedom");
    if (j == TQ_NONE) {
        return false;
    }
    tq_joint *joint = &s->joints[j];
    const bool driven = s->drives[j].drive.motor.constant != 0.0;
    if (tq_joint_kind_nv(joint->kind) != 1 ||
        (driven && tqa_json_field(op, "rotor").value != NULL)) {
        tqa_draft_fault(s->draft, "invalid-value", name.pointer,
                        driven ? "its rotor is that of its motor: change the drive"
                               : "name a revolute, continuous or prismatic joint",
                        "joint \"%.80s\" cannot have this parameter", s->joint_names[j]);
        return false;
    }
    const tqa_json_at drive = tqa_json_field(op, "drive");
    if (drive.value != NULL) {
        change_drive(s, &drive, j);
    }
    /* with a motor the printed damping is that of the joint alone */
    tqa_json_optional(op, "damping",
                      driven || drive.value != NULL ? &s->drives[j].damping
                                                    : &joint->friction.viscous);
    read_friction(op, &joint->friction);
    if (tqa_json_field(op, "damping").value != NULL ||
        tqa_json_field(op, "friction").value != NULL) {
        joint->log_law.is_there = false; /* it was fitted beside the friction before */
    }
    read_group(op, "spring", spring,
               (double *const[]){&joint->spring.stiffness, &joint->spring.rest});
    read_group(op, "rotor", rotor, (double *const[]){&joint->rotor.inertia, &joint->rotor.ratio});
    tq_limits *l = &joint->limits;
    read_group(op, "limits", limits,
               (double *const[]){&l->lower, &l->upper, &l->velocity, &l->effort});
    return s->draft->problem->status == 0;
}

bool tqa_surgery_change_link(tqa_surgery *s, const tqa_json_at *op)
{
    static const char *const known[] = {
        "op", "link", "drag", "gravity_compensation", TQA_DOCUMENT_INERTIA, NULL};
    tqa_json_fields(op, known, nothing);
    const uint32_t l = tqa_surgery_find_link(s, op, "link");
    if (l == TQ_NONE) {
        return false;
    }
    tq_inertia *inertia = &s->links[l].inertia;
    if (tqa_json_field(op, "drag").value != NULL) {
        tqa_document_drag(op, inertia->com, &s->links[l].drag);
    }
    tqa_json_optional(op, "gravity_compensation", &s->links[l].gravity_compensation);
    if (tqa_json_field(op, "inertia").value != NULL || tqa_json_field(op, "solid").value != NULL) {
        tqa_document_inertia(op, inertia);
        return s->draft->problem->status == 0;
    }
    const tqa_json_at com = tqa_json_field(op, "com");
    const double before = inertia->mass;
    tqa_json_optional(op, "mass", &inertia->mass);
    if (com.value != NULL) {
        (void)tqa_json_numbers(&com, 3, inertia->com);
    }
    /* same geometry, another density: I' = I m'/m */
    for (int k = 0; k < 6 && before > 0.0; k++) {
        inertia->about_com[k] *= inertia->mass / before;
    }
    return s->draft->problem->status == 0;
}

bool tqa_surgery_gravity(tqa_surgery *s, const tqa_json_at *op)
{
    static const char *const known[] = {"op", "gravity", NULL};
    const tqa_json_at gravity = tqa_json_field(op, "gravity");
    tqa_json_fields(op, known, nothing);
    return tqa_json_numbers(&gravity, 3, s->draft->model.gravity);
}

bool tqa_surgery_medium(tqa_surgery *s, const tqa_json_at *op)
{
    static const char *const known[] = {"op", "medium", NULL};
    const tqa_json_at medium = tqa_json_field(op, "medium");
    tqa_json_fields(op, known, nothing);
    if (!tqa_json_is_object(&medium)) {
        return false;
    }
    tqa_document_medium(&medium, &s->draft->model.medium);
    return s->draft->problem->status == 0;
}

bool tqa_surgery_payload(tqa_surgery *s, const tqa_json_at *op)
{
    static const char *const known[] = {
        "op", "link", "name", TQA_DOCUMENT_PLACE, TQA_DOCUMENT_INERTIA, NULL};
    const tqa_json_at named = tqa_json_field(op, "name");
    const char *name = NULL;
    tq_pose pose;
    tq_inertia inertia;
    tqa_json_fields(op, known, nothing);
    const uint32_t l = tqa_surgery_find_link(s, op, "link");
    if (named.value != NULL && !tqa_json_name(&named, &name)) {
        return false;
    }
    name = name != NULL ? name : tqa_surgery_name(s, true, "payload", "");
    tqa_document_place(op, &pose, NULL);
    tqa_document_inertia(op, &inertia);
    if (l == TQ_NONE || s->draft->problem->status != 0) {
        return false;
    }
    const uint32_t load = tqa_surgery_link(s, name);
    const uint32_t j =
        load != TQ_NONE ? tqa_surgery_joint(s, tqa_surgery_name(s, false, name, "_weld"), l, load)
                        : TQ_NONE;
    if (j == TQ_NONE) {
        return false;
    }
    s->links[load].inertia = inertia;
    s->joints[j].origin = pose;
    return true;
}
