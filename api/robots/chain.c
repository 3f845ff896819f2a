/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/chain.c - links and joints added one by one, with axes anywhere in space. */
#include "api/robots/chain.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "api/robots/compound.h"
#include "core/spatial/rotation.h"

bool tqa_chain_init(tqa_chain *chain, tqa_draft *draft, uint32_t n_link)
{
    tqa_arena *arena = draft->arena;
    *chain = (tqa_chain){.draft = draft};
    if (n_link >= TQ_LINK_MAX / 2) {
        tqa_draft_fault(draft, "too-large", "", "a robot has at most 4096 links, carriers included",
                        "there are %u links", n_link);
        return false;
    }
    chain->link_max = 2 * n_link + 1;
    chain->joint_max = 2 * n_link;
    chain->links = tqa_arena_take(arena, chain->link_max, sizeof *chain->links, 16);
    chain->joints = tqa_arena_take(arena, chain->joint_max, sizeof *chain->joints, 16);
    chain->link_names = tqa_arena_take(arena, chain->link_max, sizeof(char *), 16);
    chain->link_places = tqa_arena_take(arena, chain->link_max, sizeof(char *), 16);
    chain->joint_names = tqa_arena_take(arena, chain->joint_max, sizeof(char *), 16);
    chain->joint_places = tqa_arena_take(arena, chain->joint_max, sizeof(char *), 16);
    chain->pitches = tqa_arena_take(arena, chain->joint_max, sizeof *chain->pitches, 16);
    if (tqa_draft_is_spent(draft)) {
        return false;
    }
    return true;
}

uint32_t tqa_chain_link(tqa_chain *chain, const char *name, const char *place)
{
    assert(chain->n_link < chain->link_max);
    const uint32_t l = chain->n_link++;
    chain->link_names[l] = name != NULL ? name : "";
    chain->link_places[l] = place != NULL ? place : "";
    return l;
}

static tq_joint *add_joint(tqa_chain *chain, const char *name, const char *place)
{
    assert(chain->n_joint < chain->joint_max);
    const double none = (double)INFINITY;
    const uint32_t i = chain->n_joint++;
    chain->joint_names[i] = name != NULL ? name : "";
    chain->joint_places[i] = place != NULL ? place : "";
    chain->joints[i] = (tq_joint){
        .kind = TQ_JOINT_FIXED,
        .axis = {1.0, 0.0, 0.0},
        .limits = {.lower = -none, .upper = none, .velocity = none, .effort = none},
        .rotor.ratio = 1.0,
        .mimic = TQ_NONE,
        .mimic_multiplier = 1.0,
    };
    return &chain->joints[i];
}

/* The name of the link that carries the child of the newest joint, and of what fixes it there. */
static const char *extend(const tqa_chain *chain, const char *name, const char *ending)
{
    return tqa_compound_name(chain->draft->arena, name, ending, chain->n_joint - 1);
}

/* Where the axis passes nearest to the child's origin; for a ball, its centre. */
static void find_foot(const tqa_chain_joint *from, double ret[3])
{
    const double *u = from->axis;
    const double square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    double along = 0.0;
    memcpy(ret, from->point, 3 * sizeof *ret);
    if (from->kind == TQ_JOINT_SPHERICAL || !(square > 0.0)) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        along += u[k] * (from->pose.p[k] - from->point[k]) / square;
    }
    for (int k = 0; k < 3; k++) {
        ret[k] += along * u[k];
    }
}

/* Joints that turn need their own frame on the axis. */
static bool needs_carrier(const tqa_chain_joint *from, const double foot[3])
{
    const bool turns = from->kind == TQ_JOINT_REVOLUTE || from->kind == TQ_JOINT_CONTINUOUS ||
                       from->kind == TQ_JOINT_SPHERICAL;
    return turns &&
           (foot[0] != from->pose.p[0] || foot[1] != from->pose.p[1] || foot[2] != from->pose.p[2]);
}

/* The child of joint i, which turns about a foot on its axis, by `arm` from that foot. */
static void carry(tqa_chain *chain, uint32_t i, const tqa_chain_joint *from, const double arm[3])
{
    const uint32_t carrier = tqa_chain_link(chain, extend(chain, from->name, "axis"), from->place);
    chain->joints[i].child = carrier;
    tq_joint *weld = add_joint(chain, extend(chain, from->name, "offset"), from->place);
    weld->parent = carrier;
    weld->child = from->child;
    weld->origin = tq_pose_identity;
    tq_mat_tvec(from->pose.r, arm, weld->origin.p);
}

/* The same of a helical joint, whose slide carries the child wherever it lies. */
static void advance(tqa_chain *chain, uint32_t i, const tqa_chain_joint *from, const double arm[3])
{
    tqa_arena *arena = chain->draft->arena;
    const char *const names[3] = {from->name, tqa_compound_joint(arena, TQA_HELICAL, from->name, i),
                                  tqa_compound_link(arena, TQA_HELICAL, from->name, i)};
    const uint32_t nut = tqa_chain_link(chain, names[2], from->place);
    (void)add_joint(chain, names[1], from->place);
    tqa_helical_split(chain->joints, i, nut);
    tq_mat_tvec(from->pose.r, arm, chain->joints[i + 1].origin.p);
    chain->pitches[i] = from->pitch;
    tqa_helical_settle(chain->joints, i, from->pitch);
    tqa_compound_report(chain->draft, names, from->pitch);
}

uint32_t tqa_chain_join(tqa_chain *chain, const tqa_chain_joint *from)
{
    tq_joint *joint = add_joint(chain, from->name, from->place);
    const uint32_t i = chain->n_joint - 1;
    double foot[3];
    find_foot(from, foot);
    joint->kind = from->kind;
    joint->parent = from->parent;
    joint->child = from->child;
    joint->origin = from->pose;
    if (tq_joint_kind_nv(from->kind) == 1) {
        tq_mat_tvec(from->pose.r, from->axis, joint->axis);
    }
    const double arm[3] = {from->pose.p[0] - foot[0], from->pose.p[1] - foot[1],
                           from->pose.p[2] - foot[2]};
    if (from->pitch != 0.0) {
        memcpy(joint->origin.p, foot, sizeof foot);
        advance(chain, i, from, arm);
    } else if (needs_carrier(from, foot)) {
        memcpy(joint->origin.p, foot, sizeof foot);
        carry(chain, i, from, arm);
    }
    return i;
}

void tqa_chain_settle(tqa_chain *chain)
{
    for (uint32_t i = 0; i < chain->n_joint; i++) {
        if (chain->pitches[i] != 0.0) {
            tqa_helical_settle(chain->joints, i, chain->pitches[i]);
        }
    }
}

bool tqa_chain_finish(tqa_chain *chain)
{
    tqa_draft *draft = chain->draft;
    tq_model *model = &draft->model;
    model->n_link = chain->n_link;
    model->n_joint = chain->n_joint;
    model->links = chain->links;
    model->joints = chain->joints;
    model->order = tqa_arena_take(draft->arena, chain->n_joint, sizeof *model->order, 16);
    draft->link_names = chain->link_names;
    draft->joint_names = chain->joint_names;
    draft->link_places = chain->link_places;
    draft->joint_places = chain->joint_places;
    if (tqa_draft_is_spent(draft)) {
        return false;
    }
    return tqa_draft_index(draft);
}
