/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/document/parts.c - the parts of links and joints that all kinds of robot
 * documents share. */
#include "api/robots/document/parts.h"

#include <math.h>
#include <string.h>

#include "api/robots/log_law.h"
#include "core/model/inertia.h"
#include "core/spatial/rotation.h"

static const char *const nothing[] = {NULL};

static void read_quaternion(const tqa_json_at *at, double r[9])
{
    double q[4];
    if (!tqa_json_numbers(at, 4, q)) {
        return;
    }
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(fabs(norm - 1.0) <= 1e-6)) {
        tqa_draft_fault(at->draft, "quaternion", at->pointer, "divide it by its length",
                        "the quaternion has length %.9g, not 1", norm);
        return;
    }
    for (int k = 0; k < 4; k++) {
        q[k] /= norm;
    }
    tq_rotation_from_quaternion(q, r);
}

/* A rotation and its angles may both be given, as they are printed: then they must agree. */
static void read_rpy(const tqa_json_at *at, bool has_rotation, double r[9], double ret_rpy[3])
{
    double rpy[3];
    double turned[9];
    if (!tqa_json_numbers(at, 3, rpy)) {
        return;
    }
    tq_rotation_from_rpy(rpy, turned);
    double differ = 0.0;
    for (int k = 0; k < 9; k++) {
        differ = fmax(differ, fabs(turned[k] - r[k]));
    }
    if (has_rotation && !(differ <= 1e-9)) {
        tqa_draft_fault(at->draft, "invalid-value", at->pointer, "keep one of the two",
                        "rpy and rotation are different rotations");
        return;
    }
    if (!has_rotation) {
        memcpy(r, turned, sizeof turned);
    }
    if (differ == 0.0 || !has_rotation) {
        memcpy(ret_rpy, rpy, sizeof rpy);
    }
}

void tqa_document_place(const tqa_json_at *at, tq_pose *ret, double ret_rpy[3])
{
    double rpy[3] = {(double)NAN, (double)NAN, (double)NAN};
    const tqa_json_at position = tqa_json_field(at, "position");
    const tqa_json_at rotation = tqa_json_field(at, "rotation");
    const tqa_json_at angles = tqa_json_field(at, "rpy");
    const tqa_json_at quaternion = tqa_json_field(at, "quaternion_wxyz");
    *ret = tq_pose_identity;
    if (position.value != NULL) {
        (void)tqa_json_numbers(&position, 3, ret->p);
    }
    if (quaternion.value != NULL && (rotation.value != NULL || angles.value != NULL)) {
        tqa_draft_fault(at->draft, "invalid-value", quaternion.pointer, "keep one of the two",
                        "the rotation is given twice");
    } else if (quaternion.value != NULL) {
        read_quaternion(&quaternion, ret->r);
    } else if (rotation.value == NULL || tqa_json_matrix(&rotation, ret->r)) {
        if (angles.value != NULL) {
            read_rpy(&angles, rotation.value != NULL, ret->r, rpy);
        }
    }
    if (ret_rpy != NULL) {
        memcpy(ret_rpy, rpy, sizeof rpy);
    }
}

void tqa_document_pose(const tqa_json_at *at, tq_pose *ret, double ret_rpy[3])
{
    static const char *const known[] = {TQA_DOCUMENT_PLACE, NULL};
    if (at->value != NULL && tqa_json_is_object(at)) {
        tqa_json_fields(at, known, nothing);
        tqa_document_place(at, ret, ret_rpy);
        return;
    }
    *ret = tq_pose_identity;
    for (int k = 0; k < 3 && ret_rpy != NULL; k++) {
        ret_rpy[k] = (double)NAN;
    }
}

/* Opposite entries may differ by so much of the largest, as in /v1/inertia: R D R^T computed. */
static const double symmetry_slack = 1e-9;

/* The six numbers of a symmetric tensor, from its three rows: the means of opposite entries. */
static bool read_tensor(const tqa_json_at *at, double ret[6])
{
    double m[9];
    if (!tqa_json_matrix(at, m)) {
        return false;
    }
    const double apart = fmax(fabs(m[1] - m[3]), fmax(fabs(m[2] - m[6]), fabs(m[5] - m[7])));
    double largest = 0.0;
    for (int k = 0; k < 9; k++) {
        largest = fmax(largest, fabs(m[k]));
    }
    if (!(apart <= symmetry_slack * largest)) {
        tqa_draft_fault(at->draft, "invalid-value", at->pointer,
                        "entries opposite to each other must be equal",
                        "the tensor is not symmetric");
        return false;
    }
    const double xy = m[1] + 0.5 * (m[3] - m[1]), xz = m[2] + 0.5 * (m[6] - m[2]);
    const double yz = m[5] + 0.5 * (m[7] - m[5]);
    memcpy(ret, (const double[6]){m[0], xy, xz, m[4], yz, m[8]}, 6 * sizeof *ret);
    return true;
}

void tqa_document_inertia(const tqa_json_at *link, tq_inertia *ret)
{
    const tqa_json_at mass = tqa_json_field(link, "mass");
    const tqa_json_at com = tqa_json_field(link, "com");
    const tqa_json_at tensor = tqa_json_field(link, "inertia");
    const tqa_json_at about = tqa_json_field(link, "inertia_about");
    double s[6] = {0};
    const tqa_json_at solid = tqa_json_field(link, "solid");
    *ret = (tq_inertia){.mass = 0.0};
    if (solid.value != NULL) {
        if (mass.value != NULL || com.value != NULL || tensor.value != NULL) {
            tqa_draft_fault(link->draft, "invalid-value", solid.pointer, "keep one of the two",
                            "the mass is given twice: by a solid, and by mass, com and inertia");
        } else {
            tqa_document_solid(&solid, ret);
        }
        return;
    }
    if (mass.value == NULL && com.value == NULL && tensor.value == NULL) {
        return; /* a link without mass */
    }
    const bool weighs = tqa_json_number(&mass, &ret->mass);
    if (com.value == NULL) {
        tqa_draft_fault(link->draft, "missing-field", com.pointer,
                        "add \"com\": [x, y, z], the centre of mass in the frame of the link, m",
                        "\"com\" is missing");
        return;
    }
    if (!tqa_json_numbers(&com, 3, ret->com) || !weighs) {
        return;
    }
    if (tensor.value == NULL) {
        return; /* a point mass */
    }
    if (!read_tensor(&tensor, s)) {
        return;
    }
    const char *word = json_string_value(about.value);
    if (word != NULL && strcmp(word, "com") == 0) {
        memcpy(ret->about_com, s, sizeof s);
    } else if (word != NULL && strcmp(word, "origin") == 0) {
        const tq_inertia given = *ret;
        tq_inertia_from_origin(given.mass, given.com, s, ret);
    } else {
        tqa_draft_fault(link->draft, about.value == NULL ? "missing-field" : "invalid-value",
                        about.pointer, "\"inertia_about\" is \"com\" or \"origin\" (of the link)",
                        "it must be said about which point the inertia is");
    }
}

bool tqa_document_kind(const tqa_json_at *at, tq_joint_kind *ret, tqa_compound *ret_compound)
{
    const char *hint = "kind is one of: revolute, continuous, prismatic, fixed, planar, spherical, "
                       "floating, helical, universal";
    const char *word = json_string_value(at->value);
    *ret_compound = word != NULL ? tqa_compound_find(word) : TQA_COMPOUND_NONE;
    if (*ret_compound != TQA_COMPOUND_NONE) {
        *ret = TQ_JOINT_REVOLUTE;
        return true;
    }
    if (word != NULL && tqa_joint_kind_find(word, ret)) {
        return true;
    }
    if (at->value == NULL) {
        tqa_draft_fault(at->draft, "missing-field", at->pointer, hint, "the joint has no kind");
    } else {
        tqa_draft_fault(at->draft, "invalid-value", at->pointer, hint, "unknown kind %.40s",
                        word != NULL ? word : "");
    }
    return false;
}

double tqa_document_pitch(const tqa_json_at *joint, tqa_compound compound)
{
    const tqa_json_at at = tqa_json_field(joint, "pitch");
    double pitch = 0.0;
    if (compound != TQA_HELICAL && at.value != NULL) {
        tqa_draft_fault(at.draft, "invalid-value", at.pointer,
                        "remove the field, or write \"kind\": \"helical\"",
                        "only a helical joint has a pitch");
    } else if (compound == TQA_HELICAL && at.value == NULL) {
        tqa_draft_fault(at.draft, "missing-field", at.pointer,
                        "add \"pitch\": 0.005, in metres a turn; positive: a right-handed thread",
                        "a helical joint has a pitch");
    } else if (compound == TQA_HELICAL &&
               (!tqa_json_number(&at, &pitch) || !tqa_helical_check(at.draft, pitch, at.pointer))) {
        return 0.0;
    }
    return pitch;
}

static void read_limits(const tqa_json_at *joint, tq_limits *ret)
{
    static const char *const known[] = {"lower", "upper", "velocity", "effort", NULL};
    const double none = (double)INFINITY;
    *ret = (tq_limits){.lower = -none, .upper = none, .velocity = none, .effort = none};
    const tqa_json_at at = tqa_json_field(joint, "limits");
    if (at.value != NULL && tqa_json_is_object(&at)) {
        tqa_json_fields(&at, known, nothing);
        tqa_json_optional(&at, "lower", &ret->lower);
        tqa_json_optional(&at, "upper", &ret->upper);
        tqa_json_optional(&at, "velocity", &ret->velocity);
        tqa_json_optional(&at, "effort", &ret->effort);
    }
}

static void read_friction(const tqa_json_at *joint, tq_friction *ret)
{
    static const char *const known[] = {"coulomb",   "breakaway", "stribeck_velocity",
                                        "smoothing", "offset",    NULL};
    *ret = (tq_friction){.viscous = 0.0};
    tqa_json_optional(joint, "damping", &ret->viscous);
    const tqa_json_at at = tqa_json_field(joint, "friction");
    if (json_is_number(at.value)) {
        ret->coulomb = json_number_value(at.value);
    } else if (at.value != NULL && tqa_json_is_object(&at)) {
        tqa_json_fields(&at, known, nothing);
        tqa_json_optional(&at, "coulomb", &ret->coulomb);
        tqa_json_optional(&at, "breakaway", &ret->breakaway);
        tqa_json_optional(&at, "stribeck_velocity", &ret->stribeck_velocity);
        tqa_json_optional(&at, "smoothing", &ret->smoothing);
        tqa_json_optional(&at, "offset", &ret->offset);
    }
}

static void read_log_law(const tqa_json_at *joint, tq_log_law *ret)
{
    const tqa_json_at at = tqa_json_field(joint, TQA_LOG_LAW);
    double *numbers[TQA_LOG_LAW_NUMBERS];
    *ret = (tq_log_law){.is_there = false};
    if (at.value == NULL || !tqa_json_is_object(&at)) {
        return;
    }
    ret->is_there = true;
    tqa_log_law_numbers(ret, numbers);
    tqa_json_fields(&at, tqa_log_law_names, nothing);
    for (size_t k = 0; k < TQA_LOG_LAW_NUMBERS; k++) {
        tqa_json_optional(&at, tqa_log_law_names[k], numbers[k]);
    }
}

/* An object of two numbers that may be absent, alone or together. */
static void read_pair(const tqa_json_at *joint, const char *name, const char *const known[3],
                      double *ret_a, double *ret_b)
{
    const tqa_json_at at = tqa_json_field(joint, name);
    if (at.value != NULL && tqa_json_is_object(&at)) {
        tqa_json_fields(&at, known, nothing);
        tqa_json_optional(&at, known[0], ret_a);
        tqa_json_optional(&at, known[1], ret_b);
    }
}

uint32_t tqa_document_resolve(const tqa_json_at *at, const tqa_names *names, const char *what)
{
    const char *name = json_string_value(at->value);
    uint32_t number = TQ_NONE;
    if (name != NULL) {
        number = tqa_names_find(names, name, json_string_length(at->value));
    }
    if (at->value == NULL) {
        tqa_draft_fault(at->draft, "missing-field", at->pointer, what, "a name is missing here");
    } else if (number == TQ_NONE) {
        tqa_draft_fault(at->draft, "unknown-name", at->pointer, what, "there is none of name %.80s",
                        name != NULL ? name : "(not a string)");
    }
    return number;
}

static bool has_one_freedom(tq_joint_kind kind)
{
    return tq_joint_kind_nv(kind) == 1;
}

static bool is_ball(tq_joint_kind kind)
{
    return kind == TQ_JOINT_SPHERICAL || kind == TQ_JOINT_FLOATING;
}

static void read_mimic(const tqa_json_at *joint, tq_joint *ret)
{
    static const char *const known[] = {"joint", "multiplier", "offset", NULL};
    ret->mimic = TQ_NONE;
    ret->mimic_multiplier = 1.0;
    const tqa_json_at at = tqa_json_field(joint, "mimic");
    if (at.value == NULL || !tqa_json_is_object(&at)) {
        return;
    }
    tqa_json_fields(&at, known, nothing);
    const tqa_json_at master = tqa_json_field(&at, "joint");
    ret->mimic = tqa_document_resolve(&master, &joint->draft->joints, "the name of another joint");
    tqa_json_optional(&at, "multiplier", &ret->mimic_multiplier);
    tqa_json_optional(&at, "offset", &ret->mimic_offset);
}

static bool is_of_balls(const char *name)
{
    return strcmp(name, "damping") == 0 || strcmp(name, "spring") == 0 ||
           strcmp(name, "rotor") == 0;
}

/* Fields that would have no effect on a joint of this kind are faults, so that no user relies on
 * them. */
static void check_kind_fields(const tqa_json_at *joint, tq_joint_kind kind)
{
    static const char *const single[] = {TQA_DOCUMENT_DRIVE, NULL};
    for (const char *const *name = single; *name != NULL && !has_one_freedom(kind); name++) {
        const bool of_balls = is_of_balls(*name);
        if (is_ball(kind) && of_balls) {
            continue;
        }
        const tqa_json_at at = tqa_json_field(joint, *name);
        if (at.value != NULL) {
            tqa_draft_fault(joint->draft, "invalid-value", at.pointer, "remove the field",
                            "only a revolute, continuous or prismatic joint can have this%s",
                            of_balls ? ", or a spherical or floating one" : "");
        }
    }
}

/* Stiffness and rest of a joint of more freedoms: the pose in q at which it pulls nowhere. */
static void read_ball_spring(const tqa_json_at *joint, tq_joint *ret)
{
    static const char *const known[] = {"stiffness", "rest_pose", NULL};
    const tqa_json_at at = tqa_json_field(joint, "spring");
    if (at.value == NULL || !tqa_json_is_object(&at)) {
        return;
    }
    tqa_json_fields(&at, known, nothing);
    tqa_json_optional(&at, "stiffness", &ret->spring.stiffness);
    const tqa_json_at pose = tqa_json_field(&at, "rest_pose");
    const bool floats = ret->kind == TQ_JOINT_FLOATING;
    double *rest = ret->spring.pose;
    if (pose.value == NULL || !tqa_json_numbers(&pose, floats ? 7 : 4, floats ? rest : rest + 3)) {
        return;
    }
    double square = 0.0;
    for (int k = 3; k < 7; k++) {
        square += rest[k] * rest[k];
    }
    if (!(fabs(sqrt(square) - 1.0) <= 1e-6)) {
        tqa_draft_fault(joint->draft, "quaternion", pose.pointer, "divide it by its length",
                        "the quaternion has length %.9g, not 1", sqrt(square));
    }
    for (int k = 3; k < 7 && fabs(square - 1.0) > 1e-15; k++) {
        rest[k] /= sqrt(square);
    }
}

void tqa_document_drive(const tqa_json_at *joint, tq_joint *ret)
{
    static const char *const spring[] = {"stiffness", "rest", NULL};
    static const char *const rotor[] = {"inertia", "ratio", NULL};
    ret->rotor.ratio = 1.0;
    check_kind_fields(joint, ret->kind);
    read_limits(joint, &ret->limits);
    read_friction(joint, &ret->friction);
    read_log_law(joint, &ret->log_law);
    if (is_ball(ret->kind)) {
        read_ball_spring(joint, ret);
    } else {
        read_pair(joint, "spring", spring, &ret->spring.stiffness, &ret->spring.rest);
    }
    read_pair(joint, "rotor", rotor, &ret->rotor.inertia, &ret->rotor.ratio);
    read_mimic(joint, ret);
    const tqa_json_at drive = tqa_json_field(joint, "drive");
    if (drive.value != NULL && has_one_freedom(ret->kind)) {
        tqa_document_motor(&drive, ret);
    }
}

bool tqa_document_names(const tqa_json_at *array, uint32_t *ret_n, const char *const **ret_names)
{
    tqa_draft *draft = array->draft;
    if (!tqa_json_is_array(array)) {
        return false;
    }
    const size_t n = json_array_size(array->value);
    if (n > TQ_LINK_MAX) {
        tqa_draft_fault(draft, "too-large", array->pointer, "a robot has at most 4096 links",
                        "there are %zu", n);
        return false;
    }
    const char **names = tqa_arena_take(draft->arena, n, sizeof *names, sizeof *names);
    if (names == NULL) {
        return tqa_draft_no_memory(draft);
    }
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        const tqa_json_at item = tqa_json_item(array, i);
        const tqa_json_at name = tqa_json_field(&item, "name");
        ok = tqa_json_is_object(&item) && tqa_json_name(&name, &names[i]) && ok;
    }
    *ret_n = (uint32_t)n;
    *ret_names = names;
    return ok;
}
