/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/document/tree.c - links and joints of a tree, each stated by itself. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/robots/document/parts.h"

static const char *const nothing[] = {NULL};
static const char *const joint_fields[] = {
    "name",  "kind",  "parent",           "child", "origin", "axis",
    "axis2", "pitch", TQA_DOCUMENT_DRIVE, NULL};

/* Axes are parallel when the sine between them is at most this: two joints about one axis. */
static const double PARALLEL = 1e-6;

/* A joint of the document: its first joint and, of a compound, the link between its two. */
typedef struct member {
    tqa_compound compound;
    uint32_t joint, between;
} member;

/* What only one of two coordinates could have is refused; the rest is that of both. */
static void refuse_of_two(const tqa_json_at *joint)
{
    static const char *const fields[] = {TQA_LOG_LAW, "mimic", "drive"};
    for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++) {
        const tqa_json_at at = tqa_json_field(joint, fields[k]);
        if (at.value != NULL) {
            tqa_draft_fault(joint->draft, "invalid-value", at.pointer,
                            "write its two revolute joints, with a link without mass between them",
                            "a universal joint has two coordinates: it is not said which has this");
        }
    }
}

/* x of unit length; false: it has none. */
static bool find_direction(const double x[3], double ret[3])
{
    const double largest = fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
    double square = 0.0;
    memset(ret, 0, 3 * sizeof *ret);
    for (int k = 0; k < 3 && largest > 0.0; k++) {
        ret[k] = x[k] / largest;
        square += ret[k] * ret[k];
    }
    for (int k = 0; k < 3 && largest > 0.0; k++) {
        ret[k] /= sqrt(square);
    }
    return largest > 0.0;
}

/* axis2 of a universal joint; a fault of any other. */
static void read_second(const tqa_json_at *joint, tqa_compound compound, const double axis[3],
                        double ret[3])
{
    const tqa_json_at at = tqa_json_field(joint, "axis2");
    if (compound != TQA_UNIVERSAL && at.value != NULL) {
        tqa_draft_fault(at.draft, "invalid-value", at.pointer,
                        "remove the field, or write \"kind\": \"universal\"",
                        "only a universal joint has a second axis");
    } else if (compound == TQA_UNIVERSAL && at.value == NULL) {
        tqa_draft_fault(at.draft, "missing-field", at.pointer,
                        "add \"axis2\": [0, 1, 0], in the frame of the joint, as \"axis\"",
                        "a universal joint has two axes");
    }
    if (compound != TQA_UNIVERSAL || at.value == NULL || !tqa_json_numbers(&at, 3, ret)) {
        return;
    }
    double one[3], other[3];
    if (!find_direction(axis, one)) {
        return; /* core says so */
    }
    const bool points = find_direction(ret, other);
    const double cross[3] = {one[1] * other[2] - one[2] * other[1],
                             one[2] * other[0] - one[0] * other[2],
                             one[0] * other[1] - one[1] * other[0]};
    const double square = cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2];
    if (!points || !(square > PARALLEL * PARALLEL)) {
        tqa_draft_fault(at.draft, "invalid-value", at.pointer,
                        "let it point elsewhere than \"axis\", mostly at a right angle to it",
                        points ? "the two axes are parallel" : "the second axis is zero");
    }
}

/* Joint `which`, and the one after it of a compound. */
static void read_joint(const tqa_json_at *at, const member *which)
{
    static const char *const derived[] = {"q", "v", NULL};
    tqa_draft *draft = at->draft;
    tq_joint *joint = &draft->model.joints[which->joint];
    double second[3] = {0.0, 0.0, 0.0};
    tqa_compound compound = TQA_COMPOUND_NONE;
    *joint = (tq_joint){.kind = TQ_JOINT_FIXED, .axis = {1.0, 0.0, 0.0}};
    tqa_json_fields(at, joint_fields, derived);
    const tqa_json_at kind = tqa_json_field(at, "kind");
    const tqa_json_at parent = tqa_json_field(at, "parent");
    const tqa_json_at child = tqa_json_field(at, "child");
    const tqa_json_at origin = tqa_json_field(at, "origin");
    const tqa_json_at axis = tqa_json_field(at, "axis");
    joint->parent = tqa_document_resolve(&parent, &draft->links, "the name of a link");
    joint->child = tqa_document_resolve(&child, &draft->links, "the name of a link");
    tqa_document_pose(&origin, &joint->origin, draft->joint_rpy + 3 * (size_t)which->joint);
    if (!tqa_document_kind(&kind, &joint->kind, &compound)) {
        return;
    }
    tqa_document_drive(at, joint);
    const bool needs_axis = tq_joint_kind_nv(joint->kind) == 1 || joint->kind == TQ_JOINT_PLANAR;
    if (needs_axis) {
        (void)tqa_json_numbers(&axis, 3, joint->axis);
    } else if (axis.value != NULL) {
        tqa_draft_fault(draft, "invalid-value", axis.pointer, "remove the field",
                        "a joint of this kind has no axis");
    }
    const double pitch = tqa_document_pitch(at, compound);
    read_second(at, compound, joint->axis, second);
    if (compound == TQA_UNIVERSAL) {
        refuse_of_two(at);
    }
    if (compound == TQA_COMPOUND_NONE || draft->problem->status != 0) {
        return;
    }
    if (compound == TQA_HELICAL) {
        tqa_helical_split(draft->model.joints, which->joint, which->between);
        tqa_helical_settle(draft->model.joints, which->joint, pitch);
    } else {
        tqa_universal_split(draft->model.joints, which->joint, which->between, second);
    }
    const char *const names[3] = {draft->joint_names[which->joint],
                                  draft->joint_names[which->joint + 1],
                                  draft->link_names[which->between]};
    tqa_compound_report(draft, names, pitch);
}

/* The joints of each joint of the document, and links between them after all others: numbers, and
 * names with places where there are more than the document has. */
static bool expand(const tqa_json_at *tree, uint32_t n, member *members)
{
    tqa_draft *draft = tree->draft;
    tq_model *model = &draft->model;
    const tqa_json_at joints = tqa_json_field(tree, "joints");
    const uint32_t n_link = model->n_link;
    for (uint32_t i = 0; i < n; i++) {
        const tqa_json_at at = tqa_json_item(&joints, i);
        tqa_json_words(&at, joint_fields);
        const char *word = json_string_value(json_object_get(at.value, "kind"));
        members[i].compound = word != NULL ? tqa_compound_find(word) : TQA_COMPOUND_NONE;
        members[i].joint = i + model->n_link - n_link;
        members[i].between = model->n_link;
        model->n_link += members[i].compound != TQA_COMPOUND_NONE;
    }
    model->n_joint = n + model->n_link - n_link;
    if (model->n_link > TQ_LINK_MAX) {
        tqa_draft_fault(draft, "too-large", joints.pointer, "a robot has at most 4096 links",
                        "there are %u with those of helical and universal joints", model->n_link);
        return false;
    }
    return true;
}

/* A copy of n names with room for all, and places: those of a list of the document. */
static bool take_names(const tqa_json_at *list, uint32_t n, uint32_t n_all,
                       const char *const *names, const char ***ret_names, const char ***ret_places)
{
    tqa_arena *arena = list->draft->arena;
    const char **all = tqa_arena_take(arena, n_all, sizeof *all, sizeof *all);
    const char **places = tqa_arena_take(arena, n_all, sizeof *places, sizeof *places);
    if (all == NULL || places == NULL) {
        (void)tqa_draft_no_memory(list->draft);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        all[i] = names[i];
        places[i] = tqa_arena_format(arena, "%s/%u", list->pointer, i);
    }
    *ret_names = all;
    *ret_places = places;
    return true;
}

/* Names and places of joints and links, those of compounds among them. */
static bool name_compounds(const tqa_json_at *tree, uint32_t n, const member *members)
{
    tqa_draft *draft = tree->draft;
    tq_model *model = &draft->model;
    const uint32_t n_link = model->n_link - (model->n_joint - n);
    const tqa_json_at joints = tqa_json_field(tree, "joints");
    const tqa_json_at links = tqa_json_field(tree, "links");
    const char *const *own = draft->joint_names;
    const char **names[2] = {NULL, NULL}, **places[2] = {NULL, NULL};
    if (model->n_joint == n) {
        return true;
    }
    if (!take_names(&links, n_link, model->n_link, draft->link_names, &names[0], &places[0]) ||
        !take_names(&joints, n, model->n_joint, own, &names[1], &places[1])) {
        return false;
    }
    for (uint32_t i = n; i-- > 0;) { /* backwards: places of the document's joints move up */
        const member *to = &members[i];
        const char *place = places[1][i];
        names[1][to->joint] = own[i];
        places[1][to->joint] = place;
        if (to->compound != TQA_COMPOUND_NONE) {
            names[1][to->joint + 1] = tqa_compound_joint(draft->arena, to->compound, own[i], i);
            places[1][to->joint + 1] = place;
            names[0][to->between] = tqa_compound_link(draft->arena, to->compound, own[i], i);
            places[0][to->between] = place;
        }
    }
    draft->link_names = names[0];
    draft->link_places = places[0];
    draft->joint_names = names[1];
    draft->joint_places = places[1];
    return !tqa_draft_is_spent(draft);
}

/* Memory for all links and joints, whose names are indexed. */
static bool take(tqa_draft *draft)
{
    tq_model *model = &draft->model;
    model->links = tqa_arena_take(draft->arena, model->n_link, sizeof *model->links, 16);
    model->joints = tqa_arena_take(draft->arena, model->n_joint, sizeof *model->joints, 16);
    model->order = tqa_arena_take(draft->arena, model->n_joint, sizeof *model->order, 16);
    draft->joint_rpy = tqa_arena_take(draft->arena, model->n_joint, 3 * sizeof(double), 16);
    if (tqa_draft_is_spent(draft)) {
        return false;
    }
    for (size_t k = 0; k < 3 * (size_t)model->n_joint; k++) {
        draft->joint_rpy[k] = (double)NAN;
    }
    return tqa_draft_index(draft);
}

bool tqa_document_tree(const tqa_json_at *tree)
{
    static const char *const known_link[] = {"name", "drag", "gravity_compensation",
                                             TQA_DOCUMENT_INERTIA, NULL};
    tqa_draft *draft = tree->draft;
    tq_model *model = &draft->model;
    const tqa_json_at links = tqa_json_field(tree, "links");
    const tqa_json_at joints = tqa_json_field(tree, "joints");
    uint32_t n_link = 0, n = 0;
    const bool named = tqa_document_names(&links, &n_link, &draft->link_names);
    if (!tqa_document_names(&joints, &n, &draft->joint_names) || !named) {
        return false;
    }
    if (n_link == 0) {
        tqa_draft_fault(draft, "invalid-robot", links.pointer, "add {\"name\": \"base\"}",
                        "the robot has no link");
        return false;
    }
    member *members = tqa_arena_take(draft->arena, n, sizeof *members, 16);
    if (tqa_draft_is_spent(draft)) {
        return false;
    }
    model->n_link = n_link;
    if (!expand(tree, n, members) || !name_compounds(tree, n, members) || !take(draft)) {
        return false;
    }
    for (uint32_t l = 0; l < n_link; l++) {
        const tqa_json_at at = tqa_json_item(&links, l);
        tqa_json_fields(&at, known_link, nothing);
        tqa_document_inertia(&at, &model->links[l].inertia);
        tqa_document_drag(&at, model->links[l].inertia.com, &model->links[l].drag);
        tqa_json_optional(&at, "gravity_compensation", &model->links[l].gravity_compensation);
    }
    for (uint32_t i = 0; i < n; i++) {
        const tqa_json_at at = tqa_json_item(&joints, i);
        read_joint(&at, &members[i]);
    }
    return draft->problem->status == 0;
}
