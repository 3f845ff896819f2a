/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/surgery/part.c - links and joints of a robot that is being changed. */
#include <math.h>
#include <string.h>

#include "api/robots/surgery/surgery.h"

static bool is_full(tqa_surgery *s)
{
    if (s->n_link >= TQ_LINK_MAX || tqa_arena_spent(s->draft->arena)) {
        tqa_draft_fault(s->draft, "too-large", "", "a robot has at most 4096 links",
                        "the robot becomes too large");
        return true;
    }
    return false;
}

uint32_t tqa_surgery_link(tqa_surgery *s, const char *name)
{
    tqa_arena *arena = s->draft->arena;
    tq_link *links = tqa_arena_grow(arena, s->links, s->n_link, &s->link_room, sizeof *links);
    const char **names =
        tqa_arena_grow(arena, s->link_names, s->n_link, &s->link_name_room, sizeof *names);
    if (is_full(s) || links == NULL || names == NULL) {
        return TQ_NONE;
    }
    s->links = links;
    s->link_names = names;
    links[s->n_link] = (tq_link){.joint = TQ_NONE};
    names[s->n_link] = name;
    return s->n_link++;
}

uint32_t tqa_surgery_joint(tqa_surgery *s, const char *name, uint32_t parent, uint32_t child)
{
    tqa_arena *arena = s->draft->arena;
    tq_joint *joints = tqa_arena_grow(arena, s->joints, s->n_joint, &s->joint_room, sizeof *joints);
    const char **names =
        tqa_arena_grow(arena, s->joint_names, s->n_joint, &s->joint_name_room, sizeof *names);
    tqa_joint_drive *drives =
        tqa_arena_grow(arena, s->drives, s->n_joint, &s->drive_room, sizeof *drives);
    if (is_full(s) || joints == NULL || names == NULL || drives == NULL) {
        return TQ_NONE;
    }
    s->joints = joints;
    s->joint_names = names;
    s->drives = drives;
    joints[s->n_joint] = (tq_joint){.parent = parent, .child = child, .origin = tq_pose_identity};
    names[s->n_joint] = name;
    tqa_surgery_hold(s, s->n_joint);
    return s->n_joint++;
}

void tqa_surgery_hold(tqa_surgery *s, uint32_t j)
{
    const double none = (double)INFINITY;
    tq_joint *joint = &s->joints[j];
    *joint = (tq_joint){
        .kind = TQ_JOINT_FIXED,
        .parent = joint->parent,
        .child = joint->child,
        .origin = joint->origin,
        .limits = {.lower = -none, .upper = none, .velocity = none, .effort = none},
        .rotor.ratio = 1.0,
        .mimic = TQ_NONE,
        .mimic_multiplier = 1.0,
    };
    s->drives[j] = (tqa_joint_drive){.damping = 0.0};
}

static bool is_taken(const char *const *names, uint32_t n, const char *name)
{
    for (uint32_t k = 0; k < n; k++) {
        if (strcmp(names[k], name) == 0) {
            return true;
        }
    }
    return false;
}

const char *tqa_surgery_name(tqa_surgery *s, bool of_link, const char *base, const char *ending)
{
    const char *const *names = of_link ? s->link_names : s->joint_names;
    const uint32_t n = of_link ? s->n_link : s->n_joint;
    const char *name = tqa_arena_format(s->draft->arena, "%.100s%.12s", base, ending);
    for (uint32_t k = 2; name != NULL && is_taken(names, n, name) && k < n + 3; k++) {
        name = tqa_arena_format(s->draft->arena, "%.100s%.12s%u", base, ending, k);
    }
    return name != NULL ? name : "";
}

uint32_t tqa_surgery_carrier(const tqa_surgery *s, uint32_t l)
{
    for (uint32_t j = 0; j < s->n_joint; j++) {
        if (s->joints[j].child == l) {
            return j;
        }
    }
    return TQ_NONE;
}

uint32_t tqa_surgery_root(const tqa_surgery *s)
{
    uint32_t l = 0;
    for (uint32_t step = 0; step < s->n_link; step++) {
        const uint32_t j = tqa_surgery_carrier(s, l);
        if (j == TQ_NONE) {
            break;
        }
        l = s->joints[j].parent;
    }
    return l;
}

bool tqa_surgery_index(tqa_surgery *s)
{
    tqa_draft *draft = s->draft;
    draft->model.n_link = s->n_link;
    draft->model.n_joint = s->n_joint;
    draft->model.links = s->links;
    draft->model.joints = s->joints;
    draft->link_names = s->link_names;
    draft->joint_names = s->joint_names;
    return tqa_draft_index(draft);
}

uint32_t tqa_surgery_find_link(const tqa_surgery *s, const tqa_json_at *op, const char *key)
{
    const tqa_json_at at = tqa_json_field(op, key);
    return tqa_document_resolve(&at, &s->draft->links, "the name of a link");
}

bool tqa_surgery_is_free(const tqa_surgery *s, const tqa_json_at *op)
{
    if (s->from->constraints != NULL) {
        tqa_draft_fault(
            s->draft, "invalid-value", op->pointer, "change its document, and send that by PUT",
            "the robot has constraints, which this operation would leave without their joints");
    }
    return s->from->constraints == NULL;
}
