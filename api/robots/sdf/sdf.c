/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/sdf/sdf.c - the models of an SDF file as one tree. */
#include "api/robots/sdf/sdf.h"

#include <string.h>

#include "api/robots/sdf/parts.h"
#include "api/robots/xml_print.h"

static bool is(const tqa_sdf *s, uint32_t i, const char *name)
{
    return strcmp(s->tree.nodes[i].name, name) == 0;
}

static void read_version(tqa_sdf *s)
{
    const char *text = tqa_sdf_attribute(s, 0, "version");
    const tqa_urdf_place place = {.draft = s->draft, .path = "/sdf", .line = s->tree.nodes[0].line};
    s->version = 1.11;
    if (text == NULL) {
        tqa_sdf_fault(s, 0, "missing-field", "add version=\"1.9\"", "<sdf> has no version");
    } else if (strcmp(text, "1.10") == 0 || strcmp(text, "1.11") == 0 ||
               strcmp(text, "1.12") == 0) {
        s->version = 1.9; /* versions after it changed nothing that is read */
    } else if (tqa_urdf_read_numbers(&place, "version", text, 1, &s->version) &&
               s->version < 1.35) {
        tqa_sdf_fault(s, 0, "invalid-value", "convert it: gz sdf -p model.sdf",
                      "version %.20s is older than 1.4", text);
    }
}

/* Elements that add bodies or forces and are not read; and gravity. */
static void read_surroundings(tqa_sdf *s)
{
    bool world = false;
    double *gravity = s->draft->model.gravity;
    for (uint32_t i = 1; i < s->tree.n_node; i++) {
        const uint32_t parent = s->tree.nodes[i].parent;
        const bool in_model =
            is(s, parent, "model") || is(s, parent, "world") || is(s, parent, "sdf");
        if (is(s, i, "world") && is(s, parent, "sdf")) {
            const uint32_t k = tqa_sdf_child(s, i, "gravity");
            if (world) {
                tqa_sdf_fault(s, i, "invalid-robot", "keep one world", "a second <world>");
            }
            world = true;
            memcpy(gravity, (const double[3]){0.0, 0.0, -9.8}, 3 * sizeof *gravity);
            if (k != TQ_NONE) {
                tqa_sdf_numbers(s, k, 3, gravity);
            }
        } else if (in_model && (is(s, i, "include") || is(s, i, "actor"))) {
            tqa_sdf_fault(s, i, "invalid-value", "put the model in its place: gz sdf -p model.sdf",
                          "<%s>: its bodies would be missing", s->tree.nodes[i].name);
        } else if (in_model && (is(s, i, "gripper") || is(s, i, "plugin"))) {
            tqa_sdf_ignore(s, i, "acts in the simulator: what it pushes comes with the request");
        } else if (is(s, i, "model") && tqa_sdf_attribute(s, i, "placement_frame") != NULL) {
            tqa_sdf_fault(s, i, "invalid-value", "write the pose of the model itself",
                          "placement_frame is not read");
        }
    }
}

/* The outermost model that a thing is in is part of a <world>. */
static bool is_in_world(const tqa_sdf *s, uint32_t thing)
{
    while (s->things[thing].scope != TQ_NONE) {
        thing = s->things[thing].scope;
    }
    return is(s, s->tree.nodes[s->things[thing].node].parent, "world");
}

static void mark_carried(const tqa_sdf *s, bool *carried)
{
    for (uint32_t k = 0; k < s->n_thing; k++) {
        if (s->below[k] != TQ_NONE) {
            carried[s->below[k]] = true;
        }
    }
}

/* Link 0 of the chain is the world where something hangs from it: by a joint of the file, beside
 * other models, or turned or moved away from it. */
static bool needs_world(const tqa_sdf *s, const bool *carried)
{
    uint32_t n_free = 0;
    for (uint32_t k = 0; k < s->n_thing; k++) {
        const tqa_sdf_thing *thing = &s->things[k];
        if (thing->kind == TQA_SDF_JOINT && tqa_sdf_hangs_from_world(s, k)) {
            return true;
        }
        if (thing->kind != TQA_SDF_LINK || carried[k]) {
            continue;
        }
        n_free++;
        if (is_in_world(s, k) || n_free > 1) {
            return true;
        }
        const bool moved = memcmp(&thing->pose, &tq_pose_identity, sizeof thing->pose) != 0;
        if (moved && s->draft->base == NULL) {
            return true;
        }
    }
    return false;
}

/* Links that no joint carries hang from the world: freely when they are in a <world> and not
 * static, by nothing that moves otherwise. */
static void hold(tqa_sdf *s, const bool *carried)
{
    tqa_arena *arena = s->draft->arena;
    for (uint32_t k = 0; k < s->n_thing; k++) {
        const tqa_sdf_thing *thing = &s->things[k];
        if (thing->kind != TQA_SDF_LINK || carried[k]) {
            continue;
        }
        const bool still = s->things[thing->scope].is_static || !is_in_world(s, k);
        const tqa_chain_joint joint = {
            .name = tqa_arena_format(arena, "%.110s_%s", thing->own, still ? "weld" : "free"),
            .place = s->chain.link_places[thing->link],
            .kind = still ? TQ_JOINT_FIXED : TQ_JOINT_FLOATING,
            .parent = 0,
            .child = thing->link,
            .pose = still ? thing->pose : tq_pose_identity};
        (void)tqa_chain_join(&s->chain, &joint);
    }
}

/* The format's own word counts before that of an exported robot. */
static void read_carried(tqa_sdf *s, const tqa_sdf_thing *thing)
{
    double *share = &s->chain.links[thing->link].gravity_compensation;
    const char *gravity = tqa_sdf_text(s, thing->node, "gravity");
    tqa_sdf_optional(s, thing->node, TQA_XML_CARRIED, share);
    if (thing->kind == TQA_SDF_LINK && gravity != NULL && !tqa_sdf_is_true(gravity)) {
        *share = 1.0;
    }
}

static bool build(tqa_sdf *s)
{
    uint32_t n = tqa_sdf_extra_links(s);
    for (uint32_t k = 0; k < s->n_thing; k++) {
        n += tqa_sdf_is_link(&s->things[k]) || s->things[k].kind == TQA_SDF_JOINT;
    }
    bool *carried = tqa_arena_take(s->draft->arena, s->n_thing + 1, sizeof *carried, 1);
    if (carried == NULL || !tqa_sdf_carriers(s) || !tqa_chain_init(&s->chain, s->draft, n + 1)) {
        return false;
    }
    mark_carried(s, carried);
    const bool world = needs_world(s, carried);
    if (world) {
        const bool taken = tqa_names_find(&s->links, "world", 5) != TQ_NONE;
        (void)tqa_chain_link(&s->chain, taken ? "universe" : "world", "/sdf");
    }
    for (uint32_t k = 0; k < s->n_thing; k++) {
        tqa_sdf_thing *thing = &s->things[k];
        if (tqa_sdf_is_link(thing)) {
            const bool has_mass = thing->kind == TQA_SDF_LINK;
            const char *place = tqa_arena_format(s->draft->arena, "/sdf//%s[@name='%.90s']",
                                                 has_mass ? "link" : "frame", thing->name);
            thing->link = tqa_chain_link(&s->chain, thing->own, place);
            if (has_mass) {
                tqa_sdf_inertia(s, k, &s->chain.links[thing->link].inertia);
            }
            read_carried(s, thing);
        }
    }
    if (!tqa_sdf_joints(s)) {
        return false;
    }
    if (world) {
        hold(s, carried);
    }
    if (!is_in_world(s, 0) && s->draft->base == NULL) {
        tqa_draft_find(
            s->draft, TQA_FINDING_UNDERSTOOD, "robot",
            "model outside of a world: what no joint carries does not move (?base=floating "
            "lets it float)",
            1);
    }
    return tqa_chain_finish(&s->chain) && tqa_sdf_loops(s);
}

bool tqa_sdf_read(tqa_draft *draft, const char *bytes, size_t n)
{
    tqa_sdf *s = tqa_arena_take(draft->arena, 1, sizeof *s, 16);
    if (s == NULL) {
        return tqa_draft_no_memory(draft);
    }
    s->draft = draft;
    s->ignored.draft = draft;
    draft->source = "sdf";
    draft->name = "";
    draft->model.gravity[2] = -9.81;
    if (!tqa_sdf_tree(s, bytes, n)) {
        return false;
    }
    read_version(s);
    read_surroundings(s);
    if (draft->problem->status != 0 || !tqa_sdf_frames(s)) {
        return false;
    }
    bool any = false;
    for (uint32_t k = 0; k < s->n_thing && !any; k++) {
        any = s->things[k].kind == TQA_SDF_LINK;
        if (s->things[k].kind == TQA_SDF_MODEL && s->things[k].scope == TQ_NONE &&
            draft->name[0] == '\0') {
            draft->name = s->things[k].name;
        }
    }
    if (!any) {
        tqa_draft_fault(draft, "invalid-robot", "/sdf",
                        "add <model name=\"...\"><link name=\"...\"/></model>",
                        "the file has no link");
        return false;
    }
    if (!build(s)) {
        if (draft->problem->status == 0) {
            (void)tqa_draft_no_memory(draft);
        }
        return false;
    }
    tqa_urdf_report_ignored(&s->ignored);
    return draft->problem->status == 0;
}
