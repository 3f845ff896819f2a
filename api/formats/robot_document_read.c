/* SPDX-License-Identifier: Apache-2.0 */
/* api/formats/robot_document_read.c - robot documents: links, joints and gravity in JSON. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/formats/json_at.h"
#include "api/formats/robot_document.h"
#include "core/model/inertia.h"

static const char *const nothing[] = {NULL};

/* Of a unit quaternion w x y z. */
static void rotation_from_quaternion(const double q[4], double r[9])
{
    const double w = q[0];
    const double x = q[1];
    const double y = q[2];
    const double z = q[3];
    r[0] = 1.0 - 2.0 * (y * y + z * z);
    r[1] = 2.0 * (x * y - w * z);
    r[2] = 2.0 * (x * z + w * y);
    r[3] = 2.0 * (x * y + w * z);
    r[4] = 1.0 - 2.0 * (x * x + z * z);
    r[5] = 2.0 * (y * z - w * x);
    r[6] = 2.0 * (x * z - w * y);
    r[7] = 2.0 * (y * z + w * x);
    r[8] = 1.0 - 2.0 * (x * x + y * y);
}

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
    rotation_from_quaternion(q, r);
}

static void read_origin(const tqa_json_at *at, tq_pose *ret)
{
    static const char *const known[] = {"position", "rotation", "quaternion_wxyz", NULL};
    *ret = (tq_pose){.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (at->value == NULL || !tqa_json_is_object(at)) {
        return;
    }
    tqa_json_fields(at, known, nothing);
    const tqa_json_at position = tqa_json_field(at, "position");
    const tqa_json_at rotation = tqa_json_field(at, "rotation");
    const tqa_json_at quaternion = tqa_json_field(at, "quaternion_wxyz");
    if (position.value != NULL) {
        (void)tqa_json_numbers(&position, 3, ret->p);
    }
    if (rotation.value != NULL && quaternion.value != NULL) {
        tqa_draft_fault(at->draft, "invalid-value", quaternion.pointer, "keep one of the two",
                        "the rotation is told twice");
    } else if (rotation.value != NULL) {
        (void)tqa_json_matrix(&rotation, ret->r);
    } else if (quaternion.value != NULL) {
        read_quaternion(&quaternion, ret->r);
    }
}

/* The six numbers of a symmetric tensor, from its three rows. */
static bool read_tensor(const tqa_json_at *at, double ret[6])
{
    double m[9];
    if (!tqa_json_matrix(at, m)) {
        return false;
    }
    if (m[1] != m[3] || m[2] != m[6] || m[5] != m[7]) {
        tqa_draft_fault(at->draft, "invalid-value", at->pointer,
                        "entries opposite to each other must be equal",
                        "the tensor is not symmetric");
        return false;
    }
    memcpy(ret, (const double[6]){m[0], m[1], m[2], m[4], m[5], m[8]}, 6 * sizeof *ret);
    return true;
}

static void read_inertia(const tqa_json_at *link, tq_inertia *ret)
{
    const tqa_json_at mass = tqa_json_field(link, "mass");
    const tqa_json_at com = tqa_json_field(link, "com");
    const tqa_json_at tensor = tqa_json_field(link, "inertia");
    const tqa_json_at about = tqa_json_field(link, "inertia_about");
    double s[6] = {0};
    *ret = (tq_inertia){.mass = 0.0};
    if (mass.value == NULL && com.value == NULL && tensor.value == NULL) {
        return; /* a link without mass */
    }
    if (!tqa_json_number(&mass, &ret->mass) || !tqa_json_numbers(&com, 3, ret->com)) {
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
        const tq_inertia told = *ret;
        tq_inertia_from_origin(told.mass, told.com, s, ret);
    } else {
        tqa_draft_fault(link->draft, about.value == NULL ? "missing-field" : "invalid-value",
                        about.pointer, "\"inertia_about\" is \"com\" or \"origin\" (of the link)",
                        "it must be said about which point the inertia is");
    }
}

static bool read_kind(const tqa_json_at *at, tq_joint_kind *ret)
{
    const char *hint = "kind is one of: revolute, continuous, prismatic, fixed, planar, spherical, "
                       "floating";
    const char *word = json_string_value(at->value);
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

static uint32_t resolve(const tqa_json_at *at, const tqa_names *names, const char *what)
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
    ret->mimic = resolve(&master, &joint->draft->joints, "the name of another joint");
    tqa_json_optional(&at, "multiplier", &ret->mimic_multiplier);
    tqa_json_optional(&at, "offset", &ret->mimic_offset);
}

/* Fields that would have no effect on a joint of this kind are faults, so that nobody relies on
 * them. */
static void check_kind_fields(const tqa_json_at *joint, tq_joint_kind kind)
{
    static const char *const single[] = {"limits", "damping", "friction", "spring",
                                         "rotor",  "mimic",   NULL};
    for (const char *const *name = single; *name != NULL && !has_one_freedom(kind); name++) {
        const tqa_json_at at = tqa_json_field(joint, *name);
        if (at.value != NULL) {
            tqa_draft_fault(joint->draft, "invalid-value", at.pointer, "remove the field",
                            "only a revolute, continuous or prismatic joint can have this");
        }
    }
}

static void read_joint(const tqa_json_at *at, tq_joint *ret)
{
    static const char *const known[] = {"name",  "kind",   "parent",  "child",    "origin",
                                        "axis",  "limits", "damping", "friction", "spring",
                                        "rotor", "mimic",  NULL};
    static const char *const derived[] = {"q", "v", NULL};
    static const char *const spring[] = {"stiffness", "rest", NULL};
    static const char *const rotor[] = {"inertia", "ratio", NULL};
    tqa_draft *draft = at->draft;
    *ret = (tq_joint){.kind = TQ_JOINT_FIXED, .axis = {1.0, 0.0, 0.0}, .rotor.ratio = 1.0};
    tqa_json_fields(at, known, derived);
    const tqa_json_at kind = tqa_json_field(at, "kind");
    const tqa_json_at parent = tqa_json_field(at, "parent");
    const tqa_json_at child = tqa_json_field(at, "child");
    const tqa_json_at origin = tqa_json_field(at, "origin");
    const tqa_json_at axis = tqa_json_field(at, "axis");
    ret->parent = resolve(&parent, &draft->links, "the name of a link");
    ret->child = resolve(&child, &draft->links, "the name of a link");
    read_origin(&origin, &ret->origin);
    read_limits(at, &ret->limits);
    read_friction(at, &ret->friction);
    read_pair(at, "spring", spring, &ret->spring.stiffness, &ret->spring.rest);
    read_pair(at, "rotor", rotor, &ret->rotor.inertia, &ret->rotor.ratio);
    read_mimic(at, ret);
    if (!read_kind(&kind, &ret->kind)) {
        return;
    }
    check_kind_fields(at, ret->kind);
    const bool needs_axis = has_one_freedom(ret->kind) || ret->kind == TQ_JOINT_PLANAR;
    if (needs_axis) {
        (void)tqa_json_numbers(&axis, 3, ret->axis);
    } else if (axis.value != NULL) {
        tqa_draft_fault(draft, "invalid-value", axis.pointer, "remove the field",
                        "a joint of this kind has no axis");
    }
}

/* The names of all members of an array of objects. False: faults were added. */
static bool read_names(const tqa_json_at *array, uint32_t *ret_n, const char *const **ret_names)
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
        tqa_draft_fault(draft, "too-large", "", NULL, "the robot needs more memory than is given");
        return false;
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

static bool read_tree(const tqa_json_at *tree)
{
    static const char *const known_link[] = {"name",    "mass",          "com",
                                             "inertia", "inertia_about", NULL};
    tqa_draft *draft = tree->draft;
    tq_model *model = &draft->model;
    const tqa_json_at links = tqa_json_field(tree, "links");
    const tqa_json_at joints = tqa_json_field(tree, "joints");
    const bool named = read_names(&links, &model->n_link, &draft->link_names);
    if (!read_names(&joints, &model->n_joint, &draft->joint_names) || !named) {
        return false;
    }
    if (model->n_link == 0) {
        tqa_draft_fault(draft, "invalid-robot", links.pointer, "add {\"name\": \"base\"}",
                        "the robot has no link");
        return false;
    }
    model->links = tqa_arena_take(draft->arena, model->n_link, sizeof *model->links, 16);
    model->joints = tqa_arena_take(draft->arena, model->n_joint, sizeof *model->joints, 16);
    model->order = tqa_arena_take(draft->arena, model->n_joint, sizeof *model->order, 16);
    if (tqa_arena_spent(draft->arena)) {
        tqa_draft_fault(draft, "too-large", "", NULL, "the robot needs more memory than is given");
        return false;
    }
    if (!tqa_draft_index(draft)) {
        return false;
    }
    for (uint32_t l = 0; l < model->n_link; l++) {
        const tqa_json_at at = tqa_json_item(&links, l);
        tqa_json_fields(&at, known_link, nothing);
        read_inertia(&at, &model->links[l].inertia);
    }
    for (uint32_t i = 0; i < model->n_joint; i++) {
        const tqa_json_at at = tqa_json_item(&joints, i);
        read_joint(&at, &model->joints[i]);
    }
    return draft->problem->status == 0;
}

/* Everything but links and joints. */
static void read_head(const tqa_json_at *root)
{
    static const char *const known[] = {"name",  "description", "gravity", "tree",
                                        "links", "joints",      NULL};
    static const char *const derived[] = {"source", "digest",     "builtin", "nq",     "nv",
                                          "root",   "understood", "ignored", "doctor", NULL};
    tqa_draft *draft = root->draft;
    tqa_json_fields(root, known, derived);
    const tqa_json_at name = tqa_json_field(root, "name");
    const tqa_json_at note = tqa_json_field(root, "description");
    const tqa_json_at gravity = tqa_json_field(root, "gravity");
    if (name.value != NULL) {
        (void)tqa_json_name(&name, &draft->name);
    }
    if (note.value != NULL && json_is_string(note.value)) {
        const char *copy = tqa_arena_text(draft->arena, json_string_value(note.value),
                                          json_string_length(note.value));
        draft->description = copy != NULL ? copy : "";
    } else if (note.value != NULL) {
        tqa_draft_fault(draft, "wrong-type", note.pointer, NULL, "a description is a string");
    }
    if (gravity.value == NULL) {
        tqa_draft_fault(draft, "missing-field", gravity.pointer,
                        "add \"gravity\": [0, 0, -9.81] if z points up, [0, 0, 0] if there is none",
                        "it must be said where gravity points");
    } else {
        (void)tqa_json_numbers(&gravity, 3, draft->model.gravity);
    }
}

bool tqa_robot_document_read(tqa_draft *draft, const char *bytes, size_t n)
{
    static const char *const known_tree[] = {"links", "joints", NULL};
    draft->source = "document";
    json_t *root = tqa_json_load(draft, bytes, n);
    if (root == NULL) {
        return false;
    }
    tqa_json_at at = {.draft = draft, .value = root, .pointer = ""};
    read_head(&at);
    const tqa_json_at tree = tqa_json_field(&at, "tree");
    bool ok = false;
    if (tree.value == NULL) {
        ok = read_tree(&at);
    } else if (json_object_get(root, "links") != NULL || json_object_get(root, "joints") != NULL) {
        tqa_draft_fault(draft, "invalid-value", tree.pointer, "keep one of the two",
                        "links and joints stand inside \"tree\" or beside it, not both");
    } else if (tqa_json_is_object(&tree)) {
        draft->prefix = "/tree";
        tqa_json_fields(&tree, known_tree, nothing);
        ok = read_tree(&tree);
    }
    json_decref(root);
    return ok && draft->problem->status == 0;
}
