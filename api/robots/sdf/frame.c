/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/sdf/frame.c - names in scopes, and poses relative to any frame in the world. */
#include <string.h>

#include "api/robots/sdf/parts.h"

static bool kind_of(const char *name, tqa_sdf_kind *ret)
{
    static const char *const names[] = {"model", "link", "frame", "joint"};
    for (unsigned k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (strcmp(name, names[k]) == 0) {
            *ret = (tqa_sdf_kind)k;
            return true;
        }
    }
    return false;
}

static bool is(const tqa_sdf *s, uint32_t i, const char *name)
{
    return strcmp(s->tree.nodes[i].name, name) == 0;
}

static tqa_sdf_thing *add_thing(tqa_sdf *s, tqa_sdf_kind kind, uint32_t node, uint32_t scope)
{
    tqa_arena *arena = s->draft->arena;
    tqa_sdf_thing *things =
        tqa_arena_grow(arena, s->things, s->n_thing, &s->thing_capacity, sizeof *things);
    const char *name = tqa_sdf_attribute(s, node, "name");
    if (name == NULL || name[0] == '\0') {
        tqa_sdf_fault(s, node, "missing-field", "add name=\"...\"", "<%s> has no name",
                      s->tree.nodes[node].name);
        return NULL;
    }
    if (things == NULL) {
        return NULL;
    }
    s->things = things;
    const char *prefix = scope != TQ_NONE ? things[scope].prefix : "";
    const char *own = tqa_sdf_text(s, node, "torqued:name");
    own = own != NULL && own[0] != '\0' ? own : name;
    const size_t n = strlen(name) > strlen(own) ? strlen(name) : strlen(own);
    if (strlen(prefix) + n >= TQA_NAME_MAX) {
        tqa_sdf_fault(s, node, "invalid-value", "names have at most 127 bytes, models included",
                      "the name has %zu bytes", strlen(prefix) + n);
        return NULL;
    }
    tqa_sdf_thing *thing = &things[s->n_thing++];
    *thing = (tqa_sdf_thing){.kind = kind,
                             .node = node,
                             .scope = scope,
                             .prefix = "",
                             .name = tqa_arena_format(arena, "%s%s", prefix, name),
                             .own = tqa_arena_format(arena, "%s%s", prefix, own),
                             .base = TQ_NONE,
                             .weld = kind == TQA_SDF_FRAME ? tqa_sdf_child(s, node, "torqued:joint")
                                                           : TQ_NONE,
                             .link = TQ_NONE};
    return thing->name != NULL && thing->own != NULL ? thing : NULL;
}

/* A second model of one name in a world, which Gazebo inserts under another. */
static void rename_model(tqa_sdf *s, tqa_sdf_thing *model)
{
    const char *name = model->name;
    unsigned n = 1;
    for (const tqa_sdf_thing *t = s->things; name != NULL && t < model;) {
        const bool taken =
            t->kind == TQA_SDF_MODEL && t->scope == TQ_NONE && strcmp(t->name, name) == 0;
        if (taken) {
            name = tqa_arena_format(s->draft->arena, "%.110s_%u", model->name, ++n);
        }
        t = taken ? s->things : t + 1;
    }
    if (n > 1 && name != NULL) {
        tqa_draft_find(s->draft, TQA_FINDING_DOCTOR,
                       tqa_arena_format(s->draft->arena, "model %s (line %lu)", model->name,
                                        s->tree.nodes[model->node].line),
                       tqa_arena_format(s->draft->arena,
                                        "another model has this name: it is called \"%s\"", name),
                       1);
        model->name = name;
    }
}

/* Models inside models are in the order of the file, so that scopes come first. */
static bool list_things(tqa_sdf *s, uint32_t n_top)
{
    uint32_t *scope_of = tqa_arena_take(s->draft->arena, s->tree.n_node + 1, sizeof *scope_of, 16);
    for (uint32_t i = 0; i < s->tree.n_node && scope_of != NULL; i++) {
        tqa_sdf_kind kind = TQA_SDF_MODEL;
        const uint32_t parent = s->tree.nodes[i].parent;
        scope_of[i] = TQ_NONE;
        const bool inside =
            parent != TQ_NONE && is(s, parent, "model") && scope_of[parent] != TQ_NONE;
        const bool top = parent != TQ_NONE && (is(s, parent, "sdf") || is(s, parent, "world"));
        if (!kind_of(s->tree.nodes[i].name, &kind) || !(inside || (top && kind == TQA_SDF_MODEL))) {
            continue;
        }
        const uint32_t scope = inside ? scope_of[parent] : TQ_NONE;
        tqa_sdf_thing *thing = add_thing(s, kind, i, scope);
        if (thing == NULL) {
            return false;
        }
        if (kind == TQA_SDF_MODEL) {
            if (scope == TQ_NONE) {
                rename_model(s, thing);
            }
            const bool alone = scope == TQ_NONE && n_top == 1;
            thing->prefix = alone ? "" : tqa_arena_format(s->draft->arena, "%s::", thing->name);
            thing->is_static = tqa_sdf_is_true(tqa_sdf_text(s, i, "static")) ||
                               (scope != TQ_NONE && s->things[scope].is_static);
            scope_of[i] = (uint32_t)(s->n_thing - 1);
        }
    }
    return scope_of != NULL;
}

static bool index_names(tqa_sdf *s)
{
    tqa_arena *arena = s->draft->arena;
    const char **all = tqa_arena_take(arena, s->n_thing + 1, sizeof *all, 16);
    const char **links = tqa_arena_take(arena, s->n_thing + 1, sizeof *links, 16);
    uint32_t *numbers = tqa_arena_take(arena, s->n_thing + 1, sizeof *numbers, 16);
    uint32_t n = 0;
    if (all == NULL || links == NULL || numbers == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < s->n_thing; k++) {
        all[k] = s->things[k].name;
        if (s->things[k].kind == TQA_SDF_LINK) {
            links[n] = s->things[k].name;
            numbers[n++] = k;
        }
    }
    s->link_things = numbers;
    return tqa_names_build(&s->all, arena, all, (uint32_t)s->n_thing) &&
           tqa_names_build(&s->links, arena, links, n);
}

uint32_t tqa_sdf_find(const tqa_sdf *s, uint32_t scope, const char *name)
{
    if (strcmp(name, "__model__") == 0 || name[0] == '\0') {
        return scope;
    }
    const char *prefix = scope != TQ_NONE ? s->things[scope].prefix : "";
    char whole[2 * TQA_NAME_MAX];
    if (strlen(prefix) + strlen(name) >= sizeof whole) {
        return TQ_NONE;
    }
    memcpy(whole, prefix, strlen(prefix));
    memcpy(whole + strlen(prefix), name, strlen(name) + 1);
    const uint32_t row = tqa_names_find(&s->links, whole, strlen(whole));
    return row != TQ_NONE ? s->link_things[row] : tqa_names_find(&s->all, whole, strlen(whole));
}

bool tqa_sdf_hangs_from_world(const tqa_sdf *s, uint32_t joint)
{
    const tqa_sdf_thing *thing = &s->things[joint];
    const char *parent = tqa_sdf_text(s, thing->node, "parent");
    return parent != NULL && strcmp(parent, "world") == 0 &&
           tqa_sdf_find(s, thing->scope, parent) == TQ_NONE;
}

bool tqa_sdf_is_link(const tqa_sdf_thing *thing)
{
    return thing->kind == TQA_SDF_LINK || thing->weld != TQ_NONE;
}

uint32_t tqa_sdf_body(const tqa_sdf *s, uint32_t thing)
{
    for (size_t step = 0; thing != TQ_NONE && step <= s->n_thing; step++) {
        const tqa_sdf_thing *t = &s->things[thing];
        if (tqa_sdf_is_link(t)) {
            return thing;
        }
        if (t->kind == TQA_SDF_MODEL) { /* its canonical link */
            const char *named = tqa_sdf_attribute(s, t->node, "canonical_link");
            uint32_t next = named != NULL ? tqa_sdf_find(s, thing, named) : TQ_NONE;
            for (uint32_t k = thing + 1; k < s->n_thing && next == TQ_NONE && named == NULL; k++) {
                const bool inside = s->things[k].node < s->tree.nodes[t->node].end;
                next = inside && s->things[k].kind == TQA_SDF_LINK ? k : TQ_NONE;
            }
            thing = next;
        } else {
            const char *to = t->kind == TQA_SDF_JOINT
                                 ? tqa_sdf_text(s, t->node, "child")
                                 : tqa_sdf_attribute(s, t->node, "attached_to");
            thing = tqa_sdf_find(s, t->scope, to != NULL ? to : "");
        }
    }
    return TQ_NONE;
}

/* The frame that a pose is relative to. False: a fault was added. */
static bool find_base(tqa_sdf *s, tqa_sdf_thing *thing)
{
    const uint32_t pose = tqa_sdf_child(s, thing->node, "pose");
    const char *name = pose != TQ_NONE ? tqa_sdf_attribute(s, pose, "relative_to") : NULL;
    const char *old = pose != TQ_NONE ? tqa_sdf_attribute(s, pose, "frame") : NULL;
    thing->base = thing->scope;
    if (name == NULL || name[0] == '\0') {
        name = old; /* 1.5 and 1.6 */
    }
    if (name == NULL || name[0] == '\0') {
        name = thing->kind == TQA_SDF_JOINT   ? tqa_sdf_text(s, thing->node, "child")
               : thing->kind == TQA_SDF_FRAME ? tqa_sdf_attribute(s, thing->node, "attached_to")
                                              : NULL;
    }
    if (name == NULL || name[0] == '\0' || strcmp(name, "world") == 0) {
        thing->base = name != NULL && name[0] != '\0' ? TQ_NONE : thing->scope;
        return true;
    }
    thing->base = tqa_sdf_find(s, thing->scope, name);
    if (thing->base == TQ_NONE) {
        tqa_sdf_fault(s, thing->node, "unknown-name",
                      "name a link, joint, frame or model that is there",
                      "there is no frame \"%.80s\"", name);
    }
    return thing->base != TQ_NONE;
}

/* Poses in the world, from the outermost inwards. False: frames hang from each other in a ring. */
static bool place(tqa_sdf *s, uint32_t thing, uint32_t *stack)
{
    size_t n = 0;
    for (uint32_t k = thing; k != TQ_NONE && !s->things[k].placed; k = s->things[k].base) {
        if (s->things[k].on_the_way) {
            tqa_sdf_fault(s, s->things[k].node, "invalid-robot",
                          "let one of them hang from the model",
                          "\"%.80s\" is placed relative to itself", s->things[k].name);
            return false;
        }
        s->things[k].on_the_way = true;
        stack[n++] = k;
    }
    while (n > 0) {
        tqa_sdf_thing *t = &s->things[stack[--n]];
        if (t->base != TQ_NONE) {
            t->pose = tq_pose_multiply(&s->things[t->base].pose, &t->pose);
        }
        t->placed = true;
    }
    return true;
}

bool tqa_sdf_frames(tqa_sdf *s)
{
    uint32_t n_top = 0;
    for (uint32_t i = 1; i < s->tree.n_node; i++) {
        const uint32_t parent = s->tree.nodes[i].parent;
        n_top += is(s, i, "model") && (is(s, parent, "sdf") || is(s, parent, "world"));
    }
    if (!list_things(s, n_top) || !index_names(s)) {
        if (s->draft->problem->status == 0) {
            (void)tqa_draft_no_memory(s->draft);
        }
        return false;
    }
    uint32_t *stack = tqa_arena_take(s->draft->arena, s->n_thing + 1, sizeof *stack, 16);
    for (uint32_t k = 0; k < s->n_thing && stack != NULL; k++) {
        tqa_sdf_pose(s, s->things[k].node, &s->things[k].pose);
        if (!find_base(s, &s->things[k])) {
            return false;
        }
    }
    for (uint32_t k = 0; k < s->n_thing && stack != NULL; k++) {
        if (!place(s, k, stack)) {
            return false;
        }
    }
    return stack != NULL && s->draft->problem->status == 0;
}
